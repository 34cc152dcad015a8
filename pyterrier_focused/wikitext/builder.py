"""An article while it is being written: elements open and close around words, and keep their offsets."""

from __future__ import annotations

import re

from .article import ParsedArticle

_WORD = re.compile(r"[^\W_]")
# Each of these is directly below the one before.
_LINES = frozenset(("li", "row", "pre"))


class ElementBuilder:
    """Writes the text of an article and the rows of its elements; an element gets its row with its first words."""

    def __init__(self, docno: str, title: str):
        self.article = ParsedArticle(docno, title, "")
        self.length = 0
        self._text: list[str] = []
        # (tag, row): the row is -1 until it has words.
        self._open: list[tuple[str, int]] = []
        # The first open element without a row.
        self._pending = 0
        # The start of the last words written, if they hold a word; the levels of the open sections; the row of the last
        # words; the kind of block before.
        self._last_word = -1
        self._levels: list[int] = []
        self._leaf = 0
        self._last = ""
        self.open("article")
        self.write("title", title)

    @property
    def depth(self) -> int:
        return len(self._open)

    def open(self, tag: str) -> None:
        self._open.append((tag, -1))

    def close(self) -> None:
        """Close the innermost element; without a word in it, it is dropped."""
        _, row = self._open.pop()
        if self._pending > len(self._open):
            self._pending = len(self._open)
        if row < 0:
            return
        article = self.article
        if self._last_word < article.start[row]:
            for column in (article.tag, article.parent, article.start, article.end):
                del column[row:]
            return
        article.end[row] = self.length

    def heading(self, level: int, words: str) -> None:
        """End the sections of this level and below, and begin one with this title."""
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
            self.close()
        self._levels.append(level)
        self.open("section")
        self.write("title", words)

    def write(self, kind: str, words: str, gap: str | None = None, element: bool = True) -> int:
        """Write words after a *gap*, as an element *kind* or of the element that is open; returns where they begin."""
        if self.length:
            gap = self.gap(kind) if gap is None else gap
            self._text.append(gap)
            self.length += len(gap)
        start = self.length
        self._text.append(words)
        self.length += len(words)
        self._last = kind
        opened = self._open
        for depth in range(self._pending, len(opened)):
            tag = opened[depth][0]
            opened[depth] = (tag, self._add_row(tag, opened[depth - 1][1] if depth else -1, start))
        self._pending = len(opened)
        self._leaf = opened[-1][1]
        if _WORD.search(words):
            self._last_word = start
            if element:
                self._leaf = self._add_row(kind, self._leaf, start)
        return start

    def gap(self, kind: str) -> str:
        """Return the white space between the last block and one of this kind."""
        below_title = self._last == "title" != kind and bool(self._levels)
        return "\n" if below_title or (self._last == kind and kind in _LINES) else "\n\n"

    def inline(self, tag: str, start: int, end: int) -> None:
        """Add an inline element around words of the text written last; one without a word is dropped."""
        first = self.length - len(self._text[-1])
        if _WORD.search(self._text[-1], start - first, end - first):
            self.article.end[self._add_row(tag, self._leaf, start)] = end

    def finish(self) -> ParsedArticle:
        while self._open:
            self.close()
        self.article.text = "".join(self._text)
        return self.article

    def _add_row(self, tag: str, parent: int, start: int) -> int:
        article = self.article
        article.tag.append(tag)
        article.parent.append(parent)
        article.start.append(start)
        article.end.append(self.length)
        return len(article.tag) - 1
