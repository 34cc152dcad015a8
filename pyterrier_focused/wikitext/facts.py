"""Facts about wikis and their languages: names of all sorts, letters after links, how numbers are written."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from .templates.language_files import LANGUAGES, SHARED, table

# Used if the language is not known.
_ANY_LETTERS = "a-z\u00df-\u024f\u0430-\u045f"


@cache
def _read_facts() -> dict[str, dict[str, str]]:
    facts: dict[str, dict[str, str]] = json.loads(
        (files(__package__) / "data" / "mediawiki.json").read_text(encoding="utf-8")
    )
    return facts


@cache
def _index_by_word(name: str) -> dict[str, str]:
    return {word: key for key, words in _read_facts()[name].items() for word in words.split(" | ")}


def function_named(name: str) -> str:
    """Return MediaWiki's English name of a function, `#switch` for `#selon`; the name itself if it has no other."""
    return _index_by_word("functions").get(name, name)


@cache
def trail(language: str) -> str:
    """Return the pattern of the letters that belong to a link right before them, as in [[bus]]es."""
    letters = _index_by_word("letters behind links").get(language, "a-z") if language else _ANY_LETTERS
    return f"[{letters}]*" if letters else ""


@cache
def image_options(language: str) -> frozenset[str] | None:
    """Return the words that put an image beside the text in a language's wikis; None if they are not known."""
    options = _read_facts()["options of images"]
    if language not in options:
        return None
    return frozenset(f"{options['en']} | {options[language]}".split(" | "))


class NumberMarks(NamedTuple):
    """The separator of thousands, the decimal point, and how many digits have no separator."""

    group: str
    point: str
    ungrouped: int


def number_marks(language: str) -> NumberMarks:
    written = _index_by_word("numbers").get(language, "1,234.5")
    group = written[1:-5]
    return NumberMarks(group or "\xa0", written[-2], 3 if group else 4)


@cache
def wikis() -> dict[str, frozenset[str]]:
    """Return the names that all wikis share: codes of languages, namespaces in all languages, endings of media."""
    lists: dict[str, str] = json.loads((files(__package__) / "data" / "wikis.json").read_text(encoding="utf-8"))
    return {name: frozenset(word.strip() for word in words.split("|")) for name, words in lists.items()}


@cache
def names(kind: str, language: str = "") -> frozenset[str]:
    """Return the names of a kind of thing, in small letters.

    Args:
        kind: "boilerplate" for headings of sections that are not about an article's subject, "redirect" for the words
            that begin a redirect, or a namespace: "file", "category", "template", "other namespaces".
        language: The code of a language; "" stands for all that are known. Only boilerplate is known by language.

    Returns:
        The names, all of them if the language has no table of its own.

    Example:
        >>> "see also" in names("boilerplate", "en")
        True
        >>> sorted(names("redirect") & {"redirect", "weiterleitung"})
        ['redirect', 'weiterleitung']
    """
    if kind != "boilerplate":
        return wikis()[kind]
    languages = (language, SHARED) if language in LANGUAGES else (*LANGUAGES, SHARED)
    return frozenset().union(*(table(name)["boilerplate"] for name in languages))
