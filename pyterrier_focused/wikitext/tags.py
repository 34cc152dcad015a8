"""HTML in wikitext: tags whose content is not wikitext, tags as lines of wikitext, hidden elements, entities."""

from __future__ import annotations

import html
import html.entities
import re
from collections.abc import Callable
from functools import lru_cache

from .marks import BREAK, GONE, ITEM, LINE, PIPE, Literal

# From a tag's attributes and content to text with marks.
Reader = Callable[[str, str], str]

DROPPED_TAGS = frozenset(
    """ref references gallery timeline score imagemap hiero graph templatedata indicator mapframe maplink style script
    inputbox categorytree rss includeonly templatestyles charinsert infobox pages languages pagequality youtube vimeo
    embedvideo videoflash googlemap googlemaps widget dpl dynamicpagelist forum comments poll vote rating randomimage
    slideshow soundcloud spotify twitter phonos listpages subpages activityfeed""".split()
)
# These show other pages.
PAGE_TAGS = frozenset(("pages", "dpl", "dynamicpagelist", "listpages", "subpages"))
INLINE_TAGS = frozenset(
    """abbr b bdi bdo big cite data del dfn em font i ins kbd mark noinclude onlyinclude q rb rp rt rtc ruby s samp
    section small span strike strong sub sup time tt u var wbr translate tvar tr td th caption tbody thead tfoot
    colgroup col a li dd dt ul ol dl label br table""".split()
)
BLOCK_TAGS = frozenset("address article blockquote center details div figure hr main p summary".split())
_LISTS = {"ul": "*", "ol": "#", "dl": ":"}
_CELLS = {"tr": f"\n{PIPE}-\n", "td": f"\n{PIPE} {PIPE}", "th": f"\n! {PIPE}", "caption": f"\n{PIPE}+ "}
HTML_TAG = re.compile(r"[^<>]*(?:<!--.{0,200}?-->[^<>]*)*>")
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_INDEXED = re.compile(r"[\w\])]$")
_OF_CODE = re.compile(
    r"""
    (
        <nowiki>.*?</nowiki> | <[^<>]*>
        | \{\{[^{}]*\}\} | \[\[[^\[\]]*\]\]
        | ''+(?=\w)[^'\n]*(?<=\w)''+                # words in italics or bold
    )
    """,
    re.DOTALL | re.VERBOSE,
)
_LINE_END = re.compile(f"[\n{BREAK}{LINE}]")


class TagContents:
    """Reads the content of tags that is not wikitext: code, formulae, poems, and what is left out."""

    def __init__(
        self, expand: Callable[[str], str], keep: Callable[[Literal], str], read_gallery: Reader | None = None
    ):
        self._expand = expand
        self._keep = keep
        self._readers: dict[str, Reader] = {
            **dict.fromkeys(DROPPED_TAGS, lambda attributes, content: GONE),
            **dict.fromkeys(("math", "chem", "ce"), self._read_math),
            **dict.fromkeys(("syntaxhighlight", "source"), self._read_source),
            **{f"h{level}": self._make_heading_reader(level) for level in range(1, 7)},
            **({} if read_gallery is None else {"gallery": read_gallery}),
            "nowiki": self._read_nowiki,
            "pre": self._read_pre,
            "code": self._read_code,
            "poem": self._read_poem,
            "tabber": self._read_tabber,
        }

    def find(self, name: str) -> Reader | None:
        """Return the reader of the content of a tag of this name; None if it is wikitext."""
        return self._readers.get(name)

    def _read_tabber(self, attributes: str, content: str) -> str:
        """Return the tabs of Fandom's <tabber>, `label=words` with |-| between them, one after the other."""
        tabs = (tab.partition("=") for tab in content.split("|-|"))
        return self._expand("".join(f"\n\n{label.strip()}\n\n{words.strip()}\n\n" for label, _, words in tabs))

    def _read_nowiki(self, attributes: str, content: str) -> str:
        return self._keep(Literal("text", unescape(content).replace("\n", " ")))

    def _read_pre(self, attributes: str, content: str) -> str:
        return self._keep(Literal("pre", unescape(re.sub(r"</?nowiki */?>", "", content))))

    def _read_source(self, attributes: str, content: str) -> str:
        inline = re.search(r"\binline\b|enclose *= *[\"']?(?:none|span)", attributes)
        return self._keep(Literal("text" if inline else "pre", content.strip("\n") if not inline else content.strip()))

    def _read_math(self, attributes: str, content: str) -> str:
        return self._keep(Literal("math", " ".join(content.split())))

    def _read_code(self, attributes: str, content: str) -> str:
        """Keep characters that are only markup by accident: `d[[0]]`, `a = ''`."""
        if "\n" not in content and not any(mark in content for mark in ("<", "{{", "[[", "''")):
            return self._keep(Literal("text", unescape(content)))
        pieces: list[str] = []
        before = ""
        for piece in _OF_CODE.split(content):
            is_markup = piece[:1] == "<" or piece[:2] in ("{{", "[[", "''")
            is_index = piece[:2] == "[[" and _INDEXED.search(before) is not None
            before = piece
            if is_markup and not is_index:
                pieces.append(self._expand(piece))
            else:
                pieces.append(
                    piece if not piece.strip() else self._keep(Literal("text", unescape(piece).replace("\n", " ")))
                )
        return "".join(pieces)

    def _read_poem(self, attributes: str, content: str) -> str:
        lines = self._expand(re.sub(r"(?m)^:+", "", content.strip("\n"))).replace("\n", LINE)
        return f"{BREAK}{lines}{BREAK}"

    def _make_heading_reader(self, level: int) -> Reader:
        def read(attributes: str, content: str) -> str:
            lines = _LINE_END.split(self._expand(content))
            words = " ".join(line.strip(f" \t=*#:;|!{ITEM}") for line in lines)
            return f"\n{'=' * level} {words} {'=' * level}\n"

        return read


class TagLines:
    """Turns tags of layout into the lines of wikitext that do the same."""

    def __init__(self) -> None:
        # The marks of lists of HTML.
        self._open: list[str] = []

    def of(self, name: str, is_end: bool, attributes: str) -> str:
        """Return the lines of wikitext that do what a tag does."""
        if name == "table":
            return f"\n{PIPE}}}\n" if is_end else f"\n{{{PIPE}{attributes}\n"
        if name in _CELLS:
            if not is_end:
                return _CELLS[name]
            return "\n" if name == "caption" else ""
        if name in _LISTS:
            if not is_end:
                self._open.append(_LISTS[name])
            elif self._open:
                self._open.pop()
            return "\n" if self._open else f"\n{GONE}\n"
        if name in ("li", "dd", "dt"):
            return "\n" if is_end else f"\n{ITEM}{''.join(self._open[-20:]) or '*'} "
        if name == "br":
            return LINE
        return BREAK if name in BLOCK_TAGS else ""


def unescape(text: str) -> str:
    """Replace the entities of HTML; without a semicolon, or unknown, they are text, as in MediaWiki."""
    return _ENTITY.sub(_decode_entity, text) if "&" in text else text


def _decode_entity(entity: re.Match[str]) -> str:
    if entity[0][1] == "#":
        return html.unescape(entity[0])
    return html.entities.html5.get(entity[0][1:], entity[0])


@lru_cache(maxsize=100)
def end_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}\s*>", re.IGNORECASE)


@lru_cache(maxsize=100)
def any_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"</?{name}\b[^<>]*>", re.IGNORECASE)
