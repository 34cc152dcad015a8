"""The second of two passes over wikitext: lines become sections, paragraphs, lists, tables and preformatted text."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from .article import RejectedArticle
from .block_writer import MAX_TABLES, SHORT, BlockWriter
from .builder import ElementBuilder
from .expand import Expander
from .left_out import tell_kind_of_tag
from .marks import BLOCKS, BREAK, END, FLOAT, GONE, LINK, LITERAL, OF_PLACE, UNLINK, Literal
from .tags import unescape
from .words import Finisher, Words

_SPECIAL = frozenset(f"=*#:; \t{{|!-{GONE}{FLOAT}{BREAK}")
_TABLE = re.compile(r"[ \t:]*\{\|(.*)", re.DOTALL)
_LIST = re.compile(r"[*#:;]+")
_ARGUMENT = re.compile(r"\|\s*[\w .()/-]+=")
# Attributes may be before a template that brings the bar with it.
_ATTRIBUTES = re.compile(
    r"""
    \s* (?:
        (?:colspan|rowspan|style|class|align|valign|bgcolor|width|height|scope|id|lang|dir|data-sort-value)
        \s* = \s* (?: "[^"]*" | '[^']*' | [\w\#%.-]+ ) \s*
    )+
    """,
    re.VERBOSE,
)
_IN_TERM = re.compile(f"[{LINK}{UNLINK}:]|\\[(?=[a-z]*:?//|mailto:)|\\]|''+")
_BLOCK_LITERAL = re.compile(f"{BREAK}{LITERAL}(\\d+){END}{BREAK}")
_ONLY_LITERAL = re.compile(f"\\s*{LITERAL}(\\d+){END}\\s*")
_QUOTES = re.compile("('{2,})")
_ADDRESS = re.compile(
    r"""
    \[
    (?:                                                     # the protocol
        (?:https?|ftps?|sftp|ircs?|git|svn|gopher|nntp|redis|ssh|telnet|worldwind)://(?!\s)
        | //(?!\s)
        | (?:mailto|news|tel|sms|sip|sips|xmpp|bitcoin|magnet|geo|urn|mms|matrix):
    )
    (?:\[[0-9a-f:.]+\])?                                    # a host of IPv6
    (?= (?P<rest> (?: [^\s\[\]<>"']+ | '(?!') )* ) ) (?P=rest) # the rest of the address, as a whole
    [ \t]* (?P<words>[^\]\n]*)
    \]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SWITCH = re.compile(r"__([^\W\d_]+(?:[_\u200c][^\W\d_]+)*)__")
# These may be in small letters.
_SWITCHES = frozenset(("notoc", "toc", "forcetoc", "noeditsection", "nogallery"))


class BlockReader:
    """Reads the expanded lines of a page into an article."""

    def __init__(self, page: Expander, builder: ElementBuilder, drop: Collection[str] = (), infobox: bool = False):
        self._page = page
        self._builder = builder
        self._writer = BlockWriter(builder, page.links)
        self._drop = drop
        self._infobox = infobox
        self._finisher = Finisher(page.literals, drop)
        # The marks of the lists that are open.
        self._list = ""

    def read_page(self, expanded: str) -> None:
        self._read_lines(expanded.split("\n"))
        self._builder.article.categories = list(dict.fromkeys(self._page.categories))
        self._builder.article.left_out = self._page.left_out

    def _read_lines(self, lines: Sequence[str]) -> None:
        ends = _find_ends_of_tables(lines)
        paragraph: list[str] = []
        outer = self._list
        self._list = ""
        number = 0
        while number < len(lines):
            line = lines[number]
            kind = self._tell_kind(line) if not line or line[0] in _SPECIAL else ""
            if kind == "table" and number not in ends:
                kind = "rows"
            if kind != "list" and self._list:
                self._end_lists("")
            if not kind:
                paragraph.append(line)
                number += 1
                continue
            self._read_paragraph(paragraph)
            paragraph = []
            number = self._read_block(kind, lines, number, ends)
        self._read_paragraph(paragraph)
        self._end_lists("")
        self._list = outer

    def _tell_kind(self, line: str) -> str:
        """Return the kind of a line by its beginning; "" for a line of a paragraph."""
        first = line[:1]
        rest = line.strip()
        if not rest or (first in (GONE, FLOAT) and not OF_PLACE.sub("", rest).strip()):
            return "blank"
        if first == "=" and rest[-1] == "=" and len(rest) > 2:
            return "heading"
        if first in "*#:; \t{" and _TABLE.match(line):
            return "table"
        if first in "*#:;":
            return "list"
        if first == "|" and not self._writer.tables:
            return "rows"
        if first == " " and not self._writer.tables and BREAK not in line and rest[0] not in (GONE, FLOAT):
            return "indented"
        return "rule" if line.startswith("----") else ""

    def _read_block(self, kind: str, lines: Sequence[str], number: int, ends: dict[int, int]) -> int:
        line = lines[number]
        if kind == "heading":
            self._read_heading(line.strip())
        elif kind == "list":
            self._read_item(line)
        elif kind == "table":
            self._read_table(_TABLE.fullmatch(line), lines[number + 1 : ends[number]])
            # The text after the table's end.
            self._read_paragraph([lines[ends[number]].lstrip(" \t")[2:]])
            return ends[number] + 1
        elif kind == "indented":
            return self._read_indented(lines, number)
        elif kind == "rows":
            return self._read_loose_rows(lines, number)
        elif kind == "rule" and line.strip("-"):
            self._read_paragraph([line.lstrip("-")])
        return number + 1

    def _read_heading(self, line: str) -> None:
        left = len(line) - len(line.lstrip("="))
        right = len(line) - len(line.rstrip("="))
        level = min(left, right, (len(line) - 1) // 2, 6)
        words = self._finish_words(line[level : len(line) - level].replace(BREAK, " "))
        self._writer.heading(level, words)

    def _read_indented(self, lines: Sequence[str], start: int) -> int:
        end = start
        while end < len(lines) and lines[end][:1] == " " and self._tell_kind(lines[end]) in ("indented", "blank"):
            end += 1
        text = "\n".join(read_line(line[1:]).rstrip() for line in lines[start:end])
        self._writer.write("pre", self._finisher.finish(decode(text), keep_spaces=True))
        return end

    def _read_paragraph(self, lines: Sequence[str]) -> None:
        if lines:
            self._write_flow("p", " ".join(map(read_line, lines)).replace(FLOAT, BREAK))

    def _write_flow(self, kind: str, text: str) -> None:
        """Write text as blocks, split at the breaks between paragraphs and around preformatted text."""
        if BREAK not in text:
            self._writer.write(kind, self._finisher.finish(decode(text)))
            return
        for segment in text.split(BREAK):
            literal = _ONLY_LITERAL.fullmatch(segment)
            if literal and self._page.literals[int(literal[1])].kind in BLOCKS:
                self._write_literal(self._page.literals[int(literal[1])])
            else:
                self._writer.write(kind, self._finisher.finish(decode(segment)))

    def _write_literal(self, literal: Literal) -> None:
        if literal.kind == "pre":
            self._writer.write("pre", Words(literal.text.expandtabs().strip("\n").rstrip()))
            return
        if literal.kind == "figure":
            self._write_figure(literal)
            return
        self._writer.open_table("infobox")
        for label, value in literal.rows:
            words = self._finish_words(value.replace("\n", " ").replace(BREAK, " "))
            if words.text:
                self._writer.open_row()
                self._writer.next_cell()
                self._writer.write("cell", Words(label.replace("_", " ")))
                self._writer.next_cell()
                self._writer.write("cell", words)
                self._writer.close_row()
        self._writer.close_table()

    def _write_figure(self, figure: Literal) -> None:
        self._writer.write_figure(self._finish_words(figure.text.replace("\n", " ").replace(BREAK, " ")))

    def _take_figures(self, text: str) -> tuple[str, list[Literal]]:
        figures: list[Literal] = []

        def take(mark: re.Match[str]) -> str:
            literal = self._page.literals[int(mark[1])]
            if literal.kind != "figure":
                return mark[0]
            figures.append(literal)
            return FLOAT

        return _BLOCK_LITERAL.sub(take, text) if BREAK in text else text, figures

    def _finish_words(self, text: str) -> Words:
        return self._finisher.finish(decode(read_line(text)))

    def _read_item(self, line: str) -> None:
        """Read a line of a list: its marks say which lists are open; `;term: definition` are two items."""
        match = _LIST.match(line)
        marks = match[0] if match else ""
        words = line[len(marks) :]
        for part in _split_term(words) if marks[-1:] == ";" else (words,):
            self._open_item(marks.replace(";", ":"))
            self._write_item(part)

    def _open_item(self, marks: str) -> None:
        shared = 0
        while shared < len(self._list) and marks.startswith(self._list[: shared + 1]):
            shared += 1
        self._end_lists(marks[:shared])
        if shared == len(marks):
            self._builder.close()
            self._builder.open("li")
        for mark in marks[shared:]:
            self._writer.open_list()
            self._builder.open("li")
            self._list += mark

    def _end_lists(self, marks: str) -> None:
        while len(self._list) > len(marks):
            self._builder.close()
            self._writer.close_list()
            self._list = self._list[:-1]

    def _write_item(self, words: str) -> None:
        text, figures = self._take_figures(read_line(words))
        own, mark, more = text.partition(BREAK)
        if own.strip() or not mark:
            self._writer.write("li", self._finisher.finish(decode(own)), element=False)
        if mark:
            self._write_flow("p", more)
        for figure in figures:
            self._write_figure(figure)

    def _read_table(self, opening: re.Match[str] | None, lines: Sequence[str]) -> None:
        attributes = opening[1] if opening else ""
        kind = tell_kind_of_tag(attributes, infobox=False)
        if "table" in self._drop or (kind and not (kind == "infobox" and self._infobox)):
            if kind:
                self._page.count(kind)
            return
        self._writer.open_table(kind or "table")
        self._read_rows(lines)
        self._writer.close_table()

    def _read_rows(self, lines: Sequence[str]) -> None:
        """Read the lines of a table, without its first and its last."""
        cells: list[list[str]] = []
        caption: list[str] | None = None
        loose: list[str] = []
        depth = 0
        for line in lines:
            stripped = line.lstrip(" \t")
            mark = stripped[:2]
            begins_table = _TABLE.match(line) is not None
            if depth or begins_table:
                depth += begins_table - (mark == "|}")
                _choose_open(cells, caption, loose).append(line)
            elif mark == "|-":
                self._write_row(cells)
                cells = []
            elif mark == "|+":
                self._write_row(cells)
                self._write_caption(caption)
                cells = []
                caption = [_strip_attributes(stripped[2:])]
            elif mark[:1] in ("|", "!"):
                self._write_caption(caption)
                caption = None
                cells += [[cell] for cell in _split_cells(stripped)]
            else:
                _choose_open(cells, caption, loose).append(line)
            if loose and not depth and (cells or caption is not None):
                self._read_lines(loose)
                loose = []
        self._write_caption(caption)
        self._write_row(cells)
        self._read_lines(loose)

    def _write_caption(self, lines: Sequence[str] | None) -> None:
        if lines is not None and "caption" not in self._drop:
            self._writer.write("caption", self._finish_words(" ".join(lines).replace(BREAK, " ")))

    def _write_row(self, cells: Sequence[Sequence[str]]) -> None:
        if not cells:
            return
        self._writer.open_row()
        for cell in cells:
            self._writer.next_cell()
            self._write_cell(cell)
        self._writer.close_row()

    def _write_cell(self, lines: Sequence[str]) -> None:
        """Write a table cell: inline if short, as a paragraph if long, otherwise block by block."""
        lines = [lines[0].strip(), *lines[1:]]
        while lines and not lines[-1].strip():
            lines.pop()
        # The text of a cell may begin a line, and a heading may be there.
        is_below = len(lines) > 1 and not lines[0]
        if is_below:
            lines.pop(0)
        plain = all(line and (line[0] not in _SPECIAL or not self._tell_kind(line)) for line in lines)
        text = " ".join(map(read_line, lines)) if plain or (len(lines) == 1 and not is_below) else ""
        text, figures = self._take_figures(text)
        if not text and lines:
            self._read_lines(lines)
        elif BREAK in text:
            self._write_flow("p", text)
        else:
            words = self._finisher.finish(decode(text))
            self._writer.write("cell" if len(words.text) <= SHORT else "p", words)
        for figure in figures:
            self._write_figure(figure)

    def _read_loose_rows(self, lines: Sequence[str], start: int) -> int:
        """Read the rows of a table that lacks its beginning or end, but not the arguments of an unclosed template."""
        end = start + 1
        while end < len(lines) and lines[end][:1] in ("|", "!"):
            end += 1
        rows = [line for line in lines[start:end] if line[0] in "|!" and line[:2] != "|}" and not _ARGUMENT.match(line)]
        if rows and "table" not in self._drop:
            self._writer.open_table("table")
            self._read_rows(rows)
            self._writer.close_table()
        return end


def _find_ends_of_tables(lines: Sequence[str]) -> dict[int, int]:
    """Return the number of the last line of each table by that of its first; without tables that never end."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for number, line in enumerate(lines):
        if "{|" in line and _TABLE.match(line):
            opened.append(number)
        elif opened and "|}" in line and line.lstrip(" \t")[:2] == "|}":
            ends[opened.pop()] = number
            if len(opened) >= MAX_TABLES:
                raise RejectedArticle(f"tables nested over {MAX_TABLES} deep, which is the limit")
    return ends


def _choose_open(cells: list[list[str]], caption: list[str] | None, loose: list[str]) -> list[str]:
    """Return the lines to which the next one is added: the last cell's, else the caption's, else the loose ones."""
    if cells:
        return cells[-1]
    return loose if caption is None else caption


def _split_cells(line: str) -> list[str]:
    cells = line[1:].replace("!!", "||") if line[0] == "!" else line[1:]
    return [_strip_attributes(cell) for cell in cells.split("||")]


def _strip_attributes(cell: str) -> str:
    """`style="..." | words`: words."""
    attributes, bar, words = cell.partition("|")
    if bar and LINK not in attributes:
        return words
    return _ATTRIBUTES.sub("", cell) if "=" in cell else cell


def _split_term(words: str) -> Sequence[str]:
    """Split `term : definition` at the first colon outside of links, addresses, bold and italics."""
    depth = 0
    quoted = False
    for mark in _IN_TERM.finditer(words):
        if mark[0] in (LINK, "["):
            depth += 1
        elif mark[0] in (UNLINK, "]"):
            depth -= 1
        elif mark[0] != ":":
            quoted = not quoted
        elif not (depth > 0 or quoted or words.startswith("//", mark.end())):
            return words[: mark.start()], words[mark.end() :]
    return (words,)


def read_line(line: str) -> str:
    """Take the marks of bold and italics, and those around addresses, off a line."""
    if "[" in line:
        # Without a closing bracket no address is looked for.
        line, bracket, rest = line.rpartition("]")
        line = _ADDRESS.sub(lambda link: link["words"] or GONE, line + bracket) + rest
    if "''" in line:
        line = _remove_quotes(line)
    return line


def decode(words: str) -> str:
    """Take the switches off words (`__NOTOC__`, in any language), and replace their entities."""
    if "__" in words:
        words = _SWITCH.sub(_remove_switch, words)
    return unescape(words)


def _remove_switch(name: re.Match[str]) -> str:
    return "" if name[1] == name[1].upper() or name[1].lower() in _SWITCHES else name[0]


def _remove_quotes(line: str) -> str:
    """Take the quotes that mean bold and italics off a line, as MediaWiki does: L'''Orfeo'' keeps an apostrophe."""
    parts = _QUOTES.split(line)
    bold = italics = 0
    marks = range(1, len(parts), 2)
    for number in marks:
        run = len(parts[number])
        if run == 4 or run > 5:
            # The first ones are apostrophes.
            parts[number - 1] += "'" * (run - (3 if run == 4 else 5))
        bold += run != 2
        italics += run not in (3, 4)
    if bold % 2 and italics % 2:
        # One of the bolds is an apostrophe and italics.
        before = {number: parts[number - 1] for number in marks if len(parts[number]) in (3, 4)}
        if before:
            parts[min(before, key=lambda number: _rank_as_apostrophe(before[number])) - 1] += "'"
    return "".join(parts[::2])


def _rank_as_apostrophe(before: str) -> int:
    """Rank quotes by how likely the first is an apostrophe: 0 (likeliest) after a one-letter word, 2 after a space."""
    if before.endswith(" "):
        return 2
    return 0 if before[-2:-1] == " " else 1
