"""The text that a link of wikitext shows: its anchor, or nothing for a file, a category or another language."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Mapping
from typing import NamedTuple

from .facts import image_options, trail, wikis
from .titles import as_title

_OPTION = re.compile(
    r"""
    (?:^|\|) \s*
    (?: x?\d+(?:x\d+)? \s* px | thumb | thumbnail | upright\b[^|]* | frameless | framed? )
    \s* (?=\||$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SIZE = re.compile(
    r"""
    x?\d+(?:x\d+)? \s* \w{0,8}
    | frameless | border | upright
    | baseline | sub | super | top | text-top | middle | bottom | text-bottom   # where it stands in its line
    """,
    re.VERBOSE,
)
# alt, link, lang, page, class, upright, and their names in other languages.
_NAMED_OPTION = re.compile(r"\w{2,20}")
_ADDRESS = re.compile(r"(?:https?:|ftps?:|ircs?:)?//|mailto:", re.IGNORECASE)


# Numbers of namespaces.
MEDIA = -2
FILE = 6
CATEGORY = 14


class Shown(NamedTuple):
    """What a link shows, None if nothing, its article or category, and the caption of an image beside the text."""

    words: str | None
    target: str = ""
    category: str = ""
    floats: bool = False
    caption: str = ""


class LinkRules:
    """Tells links apart by the wiki's own *namespaces*; `trail` matches the letters after a link that belong to it."""

    def __init__(self, namespaces: Mapping[str, int] | None = None, language: str = ""):
        self.trail = trail(language)
        lists = wikis()
        own = namespaces or {}
        self._categories = _add_own(lists["category"], own, (CATEGORY,))
        self._files = _add_own(lists["file"], own, (FILE, MEDIA))
        self._has_properties = not lists["property"].isdisjoint(own)
        self._languages = lists["languages"]
        self._others = lists["other namespaces"]
        # In any language, and in the wiki's own.
        self._floating = lists["floating"]
        self._options = image_options(language) or self._floating
        self._media = tuple(f".{ending}" for ending in lists["media"])

    def read(self, target: str, words: str | None) -> Shown:
        """Read a link: *words* is the text after the first bar, None if there is none."""
        if "\n" in target:
            return Shown(f"{target} {words or ''}")
        if "{" in target or "}" in target:
            return Shown(f"[[{target}{'' if words is None else '|'}{words or ''}]]")
        if (":" in target or target[:2] == "//") and _ADDRESS.match(target):
            # [[http://x.org words]] shows [words].
            return Shown(f"[[{target}{'' if words is None else '|'}{words or ''}]]")
        if "%" in target:
            target = urllib.parse.unquote(target)
        shown = words.strip() if words else target.strip()
        prefix, colon, rest = target.partition(":")
        if not colon:
            return Shown(shown, _write_title(target))
        if self._has_properties and rest[:1] == ":" and prefix.strip():
            # [[Owner::Anna]] of Semantic MediaWiki.
            value = rest.rpartition("::")[2].removeprefix(":").strip()
            return Shown(value if words is None else words.strip(), _write_title(value))
        if not prefix.strip():
            # [[:Category:Cats]] shows a link to the category.
            return Shown(shown if words and words.strip() else rest.strip())
        prefix = prefix.strip().lower().replace("_", " ")
        if prefix in self._categories:
            return Shown(None, "", " ".join(rest.replace("_", " ").split()))
        if prefix in self._files:
            return self._show_file(words)
        if prefix in self._languages:
            return Shown(None)
        if prefix in self._others:
            return Shown(shown)
        if self._is_file(rest, words):
            return self._show_file(words)
        return Shown(shown, _write_title(target))

    def _show_file(self, words: str | None) -> Shown:
        names = {option.partition("=")[0].strip().lower() for option in (words or "").split("|")}
        if self._floating.isdisjoint(names):
            return Shown(None)
        # Without an option of the wiki's own it is in its line, and has no caption.
        is_captioned = words and not self._options.isdisjoint(names)
        return Shown(None, floats=True, caption=self.find_caption(words) if words and is_captioned else "")

    def find_caption(self, options: str) -> str:
        """Return the caption among an image's options: the last that sets no layout; "" if there is none.

        A word that sets the layout in another language only is a caption, too: [[File:a.png|thumb|Links]].
        """
        given = options.split("|")
        captions = [option for option in given if not self._is_option(option)]
        if not captions:
            words = (option.strip() for option in given)
            captions = [word for word in words if word.lower() in self._floating and word not in self._options]
        return captions[-1].strip() if captions else ""

    def _is_option(self, option: str) -> bool:
        name, equals, _ = option.partition("=")
        name = name.strip().lower()
        if not equals:
            return name in self._floating or not name or _SIZE.fullmatch(option.strip().lower()) is not None
        return name in self._floating or _NAMED_OPTION.fullmatch(name) is not None

    def _is_file(self, rest: str, words: str | None) -> bool:
        """Whether a link of a namespace that is not known shows a file: told by an ending, or the options of images."""
        return rest.strip().lower().endswith(self._media) or (words is not None and _OPTION.search(words) is not None)


def _add_own(names: frozenset[str], own: Mapping[str, int], numbers: tuple[int, ...]) -> frozenset[str]:
    """Return the names of a namespace: its own in the wiki, and known ones that the wiki uses for no other."""
    return (names - own.keys()) | {name for name, number in own.items() if number in numbers}


def _write_title(target: str) -> str:
    """Return the title of the article that a link leads to, as MediaWiki writes it; "" for the same page."""
    return as_title(target.partition("#")[0])
