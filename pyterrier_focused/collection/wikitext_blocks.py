"""The second of two passes over wikitext: lines become sections, paragraphs, lists, tables and preformatted text."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from .article import Link, RejectedArticle
from .element_builder import ElementBuilder
from .wikitext_expand import Expander
from .wikitext_inline import Finisher, Words, read_line
from .wikitext_marks import BREAK, DROPPED, GONE, LINK, LITERAL, OF_PLACE, UNLINK, Literal

MAX_TABLES = 20  # within each other
MAX_LISTS = 50
SHORT = 200  # characters; what is longer in a table is no cell but a paragraph

_SPECIAL = frozenset(f"=*#:; \t{{|!-{GONE}{DROPPED}{BREAK}")
_TABLE = re.compile(r"[ \t:]*\{\|(.*)", re.DOTALL)
_LIST = re.compile(r"[*#:;]+")
_BOX = re.compile(r"\b(?:navbox|vertical-navbox|metadata|ambox|mbox|sidebar|noprint|navigatie|navbox-inner|NavFrame)\b")
_INFOBOX = re.compile(r"\b(?:infobox\w*|taxobox|sinottico|bandeau-?\w*)\b|\binfobox_v\d", re.IGNORECASE)
_ARGUMENT = re.compile(r"\|\s*[\w .()/-]+=")
_ATTRIBUTES = re.compile(  # before a template that brings the bar with it
    r"\s*(?:(?:colspan|rowspan|style|class|align|valign|bgcolor|width|height|scope|id|lang|dir|data-sort-value)"
    r"\s*=\s*(?:\"[^\"]*\"|'[^']*'|[\w#%.-]+)\s*)+"
)
_ONLY_LITERAL = re.compile(f"\\s*{LITERAL}(\\d+)\x05\\s*")


class BlockReader:
    """Reads the expanded lines of a page into an article."""

    def __init__(self, page: Expander, builder: ElementBuilder, drop: Collection[str] = (), infobox: bool = False):
        self._page = page
        self._builder = builder
        self._drop = drop
        self._infobox = infobox
        self._finisher = Finisher(page.literals, page.dropped, drop)
        self._list = ""  # the marks of the lists that are open
        self._tables = 0  # that are open
        self._gap: str | None = None  # before the first block of a cell

    def read_page(self, expanded: str) -> None:
        """Read all lines of a page."""
        self._read(expanded.split("\n"))
        self._builder.article.categories = list(dict.fromkeys(self._page.categories))
        self._builder.article.dropped = self._finisher.inside

    def _read(self, lines: Sequence[str]) -> None:
        ends = _ends_of_tables(lines)
        paragraph: list[str] = []
        outer, self._list = self._list, ""
        at = 0
        while at < len(lines):
            line = lines[at]
            kind = self._kind(line) if not line or line[0] in _SPECIAL else ""
            if kind == "table" and at not in ends:
                kind = "rows"
            if kind != "list" and self._list:
                self._end_lists("")
            if not kind:
                paragraph.append(line)
                at += 1
                continue
            if paragraph:
                self._paragraph(paragraph)
                paragraph = []
            at = self._block(kind, lines, at, ends)
        self._paragraph(paragraph)
        self._end_lists("")
        self._list = outer

    def _kind(self, line: str) -> str:
        """Tell what a line is by its beginning; "" for one of a paragraph."""
        first, rest = line[:1], line.strip()
        if not rest or (first in (GONE, DROPPED) and not OF_PLACE.sub("", rest).strip()):
            return "blank"
        if first == "=" and rest[-1] == "=" and len(rest) > 2:
            return "heading"
        if first in "*#:; \t{" and _TABLE.match(line):
            return "table"
        if first in "*#:;":
            return "list"
        if first == "|" and not self._tables:
            return "rows"
        if first in " \t" and not self._tables and BREAK not in line and rest[0] not in (GONE, DROPPED):
            return "indented"
        return "rule" if line.startswith("----") else ""

    def _block(self, kind: str, lines: Sequence[str], at: int, ends: dict[int, int]) -> int:
        """Read the block that begins at a line; returns the line behind it."""
        line = lines[at]
        if kind == "heading":
            self._heading(line.strip())
        elif kind == "list":
            self._item(line)
        elif kind == "table":
            self._table(_TABLE.fullmatch(line), lines[at + 1 : ends[at]])
            rest = lines[ends[at]].lstrip(" \t")[2:]
            if rest.strip():  # what stands behind the end of a table
                self._paragraph([rest])
            return ends[at] + 1
        elif kind == "indented":
            return self._indented(lines, at)
        elif kind == "rows":
            return self._rows_without_a_table(lines, at)
        elif kind == "rule" and line.strip("-"):
            self._paragraph([line.lstrip("-")])
        return at + 1

    def _heading(self, line: str) -> None:
        left, right = len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("="))
        level = min(left, right, 6) if left < len(line) else min((len(line) - 1) // 2, 6)
        words = self._words(line[level : len(line) - level].replace(BREAK, " "))
        if not words.text:
            return
        if self._tables:
            self._write("p", words)
            return
        self._builder.heading(level, words.text)
        self._note(words, self._builder.length - len(words.text))

    def _indented(self, lines: Sequence[str], at: int) -> int:
        first = at
        while at < len(lines) and self._kind(lines[at]) == "indented":
            at += 1
        text = "\n".join(read_line(line[1:]).rstrip() for line in lines[first:at])
        self._write("pre", self._finisher.finish(text, keep_spaces=True))
        return at

    def _paragraph(self, lines: Sequence[str]) -> None:
        if lines:
            self._flow("p", " ".join(map(read_line, lines)) if len(lines) > 1 else read_line(lines[0]))

    def _flow(self, kind: str, text: str) -> None:
        """Write text as blocks: it has breaks between paragraphs, and preformatted text among them."""
        if BREAK not in text:
            self._write(kind, self._finisher.finish(text))
            return
        for segment in text.split(BREAK):
            literal = _ONLY_LITERAL.fullmatch(segment)
            if literal and self._page.literals[int(literal[1])].kind in ("pre", "infobox"):
                self._literal(self._page.literals[int(literal[1])])
            else:
                self._write(kind, self._finisher.finish(segment))

    def _literal(self, literal: Literal) -> None:
        if literal.kind == "pre":
            self._write("pre", Words(literal.text.expandtabs().strip("\n").rstrip()))
            return
        self._builder.open("infobox")
        for label, value in literal.rows:
            words = self._words(value.replace("\n", " ").replace(BREAK, " "))
            if words.text:
                self._builder.open("row")
                self._write("cell", Words(label.replace("_", " ")))
                self._gap = "\t"
                self._write("cell", words)
                self._builder.close()
        self._builder.close()

    def _words(self, text: str) -> Words:
        return self._finisher.finish(read_line(text))

    def _write(self, kind: str, words: Words, element: bool = True) -> None:
        """Write a block, its formulae and its links, unless it has no words."""
        if not words.text:
            return
        gap, self._gap = self._gap, None
        if gap is None and (self._tables or (self._list and element)):
            gap = "\n"
        self._note(words, self._builder.write(kind, words.text, gap, element))

    def _note(self, words: Words, start: int) -> None:
        builder, targets = self._builder, self._page.links
        for kind, number, first, last in words.spans:
            if kind == "math":
                builder.inline("math", start + first, start + last)
            else:
                builder.article.links.append(Link(targets[number], start + first, start + last))

    def _item(self, line: str) -> None:
        """Read a line of a list: its marks say which lists are open, as in MediaWiki; `;term: definition` are two items."""
        match = _LIST.match(line)
        marks = match[0] if match else ""
        words = line[len(marks) :]
        definition = None
        if marks[-1:] == ";":
            words, definition = _split_term(words)
        self._open_item(marks.replace(";", ":"))
        self._flow_of_item(words)
        if definition is not None:
            self._open_item(marks.replace(";", ":"))
            self._flow_of_item(definition)

    def _open_item(self, marks: str) -> None:
        shared = 0
        for mark, is_open in zip(marks, self._list, strict=False):
            if mark != is_open:
                break
            shared += 1
        self._end_lists(marks[:shared])
        if shared == len(marks):
            self._builder.close()
            self._builder.open("li")
        for mark in marks[shared:]:
            if len(self._list) > MAX_LISTS:
                raise RejectedArticle(f"lists nested over {MAX_LISTS} deep; that is the limit")
            self._builder.open("list")
            self._builder.open("li")
            self._list += mark

    def _end_lists(self, marks: str) -> None:
        """Close the lists but those of these marks."""
        while len(self._list) > len(marks):
            self._builder.close()
            self._builder.close()
            self._list = self._list[:-1]

    def _flow_of_item(self, words: str) -> None:
        own, mark, more = read_line(words).partition(BREAK)
        if own.strip() or not mark:
            self._write("li", self._finisher.finish(own), element=False)
        if mark:
            self._flow("p", more)

    def _table(self, opening: re.Match[str] | None, lines: Sequence[str]) -> None:
        attributes = opening[1] if opening else ""
        is_infobox = _INFOBOX.search(attributes) is not None
        if "table" in self._drop or _BOX.search(attributes) or (is_infobox and not self._infobox):
            return
        self._builder.open("infobox" if is_infobox else "table")
        self._rows(lines)
        self._builder.close()

    def _rows(self, lines: Sequence[str]) -> None:
        """Read the lines of a table, without its first and its last."""
        outer, self._tables = self._gap, self._tables + 1
        if self._tables > 1 and outer is None:
            outer = "\n"
        first = outer if self._tables > 1 else self._builder.gap("table")
        self._gap = first
        cells: list[list[str]] = []
        caption: list[str] | None = None
        loose: list[str] = []
        depth = 0
        for line in lines:
            stripped = line.lstrip(" \t")
            mark = stripped[:2]
            if depth or _TABLE.match(line):
                depth += 1 if _TABLE.match(line) else -1 if mark == "|}" else 0
                (cells[-1] if cells else loose if caption is None else caption).append(line)
            elif mark == "|-":
                self._row(cells)
                cells = []
            elif mark == "|+":
                self._row(cells)
                cells, caption = [], [_without_attributes(stripped[2:])]
            elif mark[:1] in ("|", "!"):
                if caption is not None:
                    self._caption(caption)
                    caption = None
                cells += [[cell] for cell in _cells(stripped)]
            else:
                (cells[-1] if cells else loose if caption is None else caption).append(line)
            if loose and not depth and (cells or caption is not None):
                self._read(loose)
                loose = []
        if caption is not None:
            self._caption(caption)
        self._row(cells)
        self._read(loose)
        self._tables -= 1
        self._gap = None

    def _caption(self, lines: Sequence[str]) -> None:
        if "caption" not in self._drop:
            self._write("caption", self._words(" ".join(lines).replace(BREAK, " ")))

    def _row(self, cells: Sequence[Sequence[str]]) -> None:
        """Write a row: its cells in a line, with tabs between them."""
        if not cells:
            return
        self._builder.open("row")
        before = self._builder.length
        for cell in cells:
            if self._gap is None:
                self._gap = "\t" if self._builder.length > before else "\n"
            self._cell(cell)
        self._builder.close()
        self._gap = self._gap if self._gap != "\t" else None

    def _cell(self, lines: Sequence[str]) -> None:
        """Write a cell: short words are a cell, longer ones a paragraph, and others the blocks that they are."""
        lines = [line for line in (lines[0].strip(), *lines[1:])]
        while lines and not lines[-1].strip():
            lines.pop()
        if len(lines) > 1 and not lines[0]:
            lines.pop(0)
        plain = all(line and (line[0] not in _SPECIAL or not self._kind(line)) for line in lines)
        text = " ".join(map(read_line, lines)) if plain or len(lines) == 1 else ""
        if not text and lines:
            self._read(lines)
        elif BREAK in text:
            self._flow("p", text)
        else:
            words = self._finisher.finish(text)
            self._write("cell" if len(words.text) <= SHORT else "p", words)

    def _rows_without_a_table(self, lines: Sequence[str], at: int) -> int:
        """Read the rows of a table without an end or a beginning; the arguments of a template without an end are passed over."""
        first = at
        at += 1
        while at < len(lines) and lines[at][:1] in ("|", "!"):
            at += 1
        rows = [line for line in lines[first:at] if line[0] in "|!" and line[:2] != "|}" and not _ARGUMENT.match(line)]
        if rows and "table" not in self._drop:
            self._builder.open("table")
            self._rows(rows)
            self._builder.close()
        return at


def _ends_of_tables(lines: Sequence[str]) -> dict[int, int]:
    """Where the tables end that begin in lines, by number; those without an end are left out."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for number, line in enumerate(lines):
        if "{|" in line and _TABLE.match(line):
            opened.append(number)
        elif opened and "|}" in line and line.lstrip(" \t")[:2] == "|}":
            ends[opened.pop()] = number
            if len(opened) >= MAX_TABLES:
                raise RejectedArticle(f"tables nested over {MAX_TABLES} deep; that is the limit")
    return ends


def _cells(line: str) -> list[str]:
    """Split a line of a table into its cells, without their attributes."""
    if line[0] == "!":
        line = line.replace("!!", "||")
    return [_without_attributes(cell) for cell in line[1:].split("||")]


def _without_attributes(cell: str) -> str:
    """`style="..." | words`: words."""
    attributes, bar, words = cell.partition("|")
    if bar and LINK not in attributes:
        return words
    return _ATTRIBUTES.sub("", cell) if "=" in cell else cell


def _split_term(words: str) -> tuple[str, str | None]:
    """Split `term : definition` at the first colon outside of links and addresses."""
    depth = 0
    for at, character in enumerate(words):
        if character == LINK:
            depth += 1
        elif character == UNLINK:
            depth -= 1
        elif character == ":" and not depth and words[at + 1 : at + 3] != "//":
            return words[:at], words[at + 1 :]
    return words, None
