"""What MediaWiki itself knows of its languages: names of functions, letters behind links, how numbers are written."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

_ANY_LETTERS = "a-z\u00df-\u024f\u0430-\u045f"  # where the language is not known


@cache
def _facts() -> dict[str, dict[str, str]]:
    known: dict[str, dict[str, str]] = json.loads(
        (files(__package__) / "data" / "mediawiki.json").read_text(encoding="utf-8")
    )
    return known


@cache
def _by_word(name: str) -> dict[str, str]:
    """Turn a table of words by key into one of keys by word."""
    return {word: key for key, words in _facts()[name].items() for word in words.split(" | ")}


def function_named(name: str) -> str:
    """Return MediaWiki's English name of a function, `#switch` for `#selon`; the name itself where it has no other."""
    return _by_word("functions").get(name, name)


@cache
def trail(language: str) -> str:
    """Return the pattern of the letters that belong to a link right before them, as in [[bus]]es."""
    letters = _by_word("letters behind links").get(language, "a-z") if language else _ANY_LETTERS
    return f"[{letters}]*" if letters else ""


def number_marks(language: str) -> tuple[str, str, int]:
    """Return what stands between thousands, the decimal point, and how many digits have nothing between them."""
    written = _by_word("numbers").get(language, "1,234.5")
    group = written[1:-5]
    return group or "\xa0", written[-2], 3 if group else 4
