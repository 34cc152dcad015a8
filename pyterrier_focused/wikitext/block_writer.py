"""Writes blocks of words into an article, with the gaps between them and the links and formulae in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .article import Link, RejectedArticle
from .builder import ElementBuilder
from .words import Words

DROPPABLE = ("table", "caption", "figure", "math")
# Tables within each other.
MAX_TABLES = 20
MAX_LISTS = 50
# Characters: longer text in a table is a paragraph, not a cell.
SHORT = 200


def check_droppable(drop: Collection[str]) -> None:
    """Raise ValueError unless all can be left out of texts."""
    if isinstance(drop, str) or not set(drop) <= set(DROPPABLE):
        raise ValueError(f"drop={drop!r}; give a tuple of any of {', '.join(map(repr, DROPPABLE))}")


class BlockWriter:
    """Writes paragraphs, items and cells; *targets* are the titles that links lead to, by number.

    Rows are in a line each, with tabs between their cells; blocks within a list or a table are in lines of their
    own, others have an empty line between them.
    """

    def __init__(self, builder: ElementBuilder, targets: Sequence[str]):
        self.tables = 0
        self.lists = 0
        self._builder = builder
        self._targets = targets
        # The gap before the next block, if it is not the usual one.
        self._gap: str | None = None
        # The length of the text before the row.
        self._row_at = 0

    def write(self, kind: str, words: Words, element: bool = True) -> None:
        """Write a block that has words; with element=False the words belong to the open element."""
        if not words.text or words.text.isspace():
            return
        if kind in ("cell", "caption"):
            words = _join_lines(words)
        gap = self._gap
        self._gap = None
        if gap is None and (self.tables or (self.lists and element)):
            gap = "\n"
        self._note_spans(words, self._builder.write(kind, words.text, gap, element))

    def heading(self, level: int, words: Words) -> None:
        """Begin a section; within a table or a list a heading is a paragraph."""
        if self.tables or self.lists:
            self.write("p", words)
        elif words.text:
            words = _join_lines(words)
            self._builder.heading(level, words.text)
            self._note_spans(words, self._builder.length - len(words.text))

    def open_table(self, tag: str) -> None:
        """Begin a table, or another element of rows. Raises RejectedArticle if too many are open."""
        if self.tables >= MAX_TABLES:
            raise RejectedArticle(f"tables nested over {MAX_TABLES} deep, which is the limit")
        if self._gap is None and not (self.tables or self.lists):
            self._gap = self._builder.gap(tag)
        self.tables += 1
        self._builder.open(tag)

    def close_table(self) -> None:
        self.tables -= 1
        self._gap = None
        self._builder.close()

    def open_list(self) -> None:
        """Begin a list. Raises RejectedArticle if too many are open."""
        if self.lists >= MAX_LISTS:
            raise RejectedArticle(f"lists nested over {MAX_LISTS} deep, which is the limit")
        self.lists += 1
        self._builder.open("list")

    def close_list(self) -> None:
        self.lists -= 1
        self._builder.close()

    def open_row(self) -> None:
        self._builder.open("row")
        self._row_at = self._builder.length

    def next_cell(self) -> None:
        if self._gap is None:
            self._gap = "\t" if self._builder.length > self._row_at else "\n"

    def close_row(self) -> None:
        self._gap = None if self._gap == "\t" else self._gap
        self._row_at = self._builder.length
        self._builder.close()

    def write_figure(self, caption: Words) -> None:
        self._builder.open("figure")
        self.write("caption", caption)
        self._builder.close()

    def _note_spans(self, words: Words, start: int) -> None:
        for kind, number, first, last in words.spans:
            if kind == "math":
                self._builder.inline("math", start + first, start + last)
            else:
                self._builder.article.links.append(Link(self._targets[number], start + first, start + last))


def _join_lines(words: Words) -> Words:
    """Return words in one line; spans in them stay where they are."""
    return words._replace(text=words.text.replace("\n", " "))
