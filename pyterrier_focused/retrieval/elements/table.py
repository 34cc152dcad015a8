"""The elements of articles as columns: containment, and the element that holds a span."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...frames.articles import ArticleCollection
from ...frames.spans import Ints, ranges

_CACHED_ELEMENTS = 2_000_000


class Columns(NamedTuple):
    """Elements, a column each: the numbers of their articles and tags, and their parents' rows (-1 for an article).

    `same_as_parent` tells which elements reach from the first character of their parent to its last.
    """

    article: Ints
    tag: Ints
    start: Ints
    end: Ints
    parent: Ints
    depth: Ints
    same_as_parent: NDArray[np.bool_]


class Family(NamedTuple):
    """The elements of one depth: their rows, which of them are first children, and these ones' parents."""

    rows: Ints
    first: Ints
    parents: Ints


class ElementTable:
    """The elements of several articles, one article after another, in document order.

    row  tag      parent  depth
    0    article  -1      0
    1    section   0      1
    2    p         1      2
    3    p         1      2

    The rows above have the levels [1] and [2, 3], and the families (rows, first, parents) of [2, 3], [0], [1] and of
    [1], [0], [0]. *tags* are the numbers of tags.
    """

    def __init__(self, columns: Columns, tags: Mapping[str, int]):
        self.article, self._tag, self.start, self.end, self.parent, self.depth, self.same_as_parent = columns
        self.columns = columns
        self._number = tags

    @classmethod
    def joined(cls, tables: Sequence[ElementTable]) -> ElementTable:
        """Return several tables as one; an article that is in two of them is two articles."""
        sizes = np.array([len(table) for table in tables])
        first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        columns = _join_columns(table.columns for table in tables)
        parent = np.where(columns.parent >= 0, columns.parent + first, -1)
        return cls(columns._replace(parent=parent), tables[0]._number)

    def __len__(self) -> int:
        return len(self.article)

    @cached_property
    def levels(self) -> list[Ints]:
        """The rows of each depth, from the children of articles down."""
        # Numbers of 16 bits are sorted faster.
        order = np.argsort(self.depth.astype(np.int16), kind="stable")
        bounds = np.searchsorted(self.depth[order], np.arange(1, int(self.depth.max(initial=0)) + 2))
        return [order[a:b] for a, b in pairwise(bounds)]

    @cached_property
    def families(self) -> list[Family]:
        """The elements of each depth below articles, deepest first."""
        found = []
        for rows in reversed(self.levels):
            # The parents are ascending, for the rows are in document order.
            parent = self.parent[rows]
            first = np.flatnonzero(np.concatenate(([True], parent[1:] != parent[:-1])))
            found.append(Family(rows, first, parent[first]))
        return found

    def with_tags(self, names: Iterable[str] | None) -> np.ndarray:
        """Mark the elements that have one of the tags *names*; all of them for None."""
        if names is None:
            return np.ones(len(self), dtype=bool)
        wanted = np.zeros(len(self._number) + 1, dtype=bool)
        wanted[[self._number[name] for name in names if name in self._number]] = True
        return wanted[self._tag]

    def holders(self, article: Ints, start: Ints, end: Ints) -> Ints:
        """Return the innermost element that holds each span; -1 if its article has none."""
        row = np.searchsorted(self._begin_keys, article * self._key_stride + start, side="right") - 1
        while True:
            outside = np.flatnonzero((row >= 0) & (self.end[row] < end))
            if not len(outside):
                return row
            row[outside] = self.parent[row[outside]]

    def rows_of(self, articles: Ints) -> Ints:
        first = self._first_rows[articles]
        return ranges(first, self._first_rows[articles + 1] - first)

    def with_ancestors(self, rows: Ints) -> Ints:
        """Return *rows* and those of all elements around them, ascending."""
        marked = np.zeros(len(self), dtype=bool)
        while len(rows):
            marked[rows] = True
            rows = self.parent[rows]
            rows = rows[(rows >= 0) & ~marked[rows]]
        return np.flatnonzero(marked)

    def part(self, rows: Ints, some: Ints) -> tuple[ElementTable, Ints]:
        """Return the elements at *rows*, which must have the parents of all, as a table, and the rows of *some* in it.

        Of the table above, the rows 0, 1, 3 make one in which row 3 is row 2, whose parent is row 1.
        """
        self._row_places[rows] = np.arange(len(rows))
        columns = Columns(*map(operator.itemgetter(rows), self.columns))
        parent = np.where(columns.parent >= 0, self._row_places[columns.parent], -1)
        return ElementTable(columns._replace(parent=parent), self._number), self._row_places[some]

    @cached_property
    def _key_stride(self) -> int:
        return int(self.end.max(initial=0)) + 2

    @cached_property
    def _begin_keys(self) -> Ints:
        return self.article * self._key_stride + self.start

    @cached_property
    def _first_rows(self) -> Ints:
        return np.append(np.flatnonzero(self.parent < 0), len(self))

    @cached_property
    def _row_places(self) -> Ints:
        return np.empty(len(self), dtype=np.int64)


def _join_columns(several: Iterable[Columns]) -> Columns:
    return Columns(*(np.concatenate(column) for column in zip(*several, strict=True)))


class ElementReader:
    """Reads the elements of a collection's articles into one table, and keeps those of the last ones.

    `elements` is the table, `docnos` has the docno of each article in it, `deepest` the depth of its deepest element.
    """

    def __init__(self, collection: ArticleCollection):
        self._collection = collection
        self._tags: dict[str, int] = {}
        self._text = "", ""
        self._forget_articles()

    def numbers(self, docnos: Iterable[str]) -> Ints:
        """Return the numbers of articles in the table, which are read if they are not in it."""
        docnos = list(docnos)
        if not all(docno in self._number for docno in docnos):
            if len(self.elements) > _CACHED_ELEMENTS:
                self._forget_articles()
            self._add_articles([docno for docno in dict.fromkeys(docnos) if docno not in self._number])
        return np.array([self._number[docno] for docno in docnos], dtype=np.int64)

    def table(self, docnos: Iterable[str]) -> ElementTable:
        """Return the elements of several articles as a table, which numbers the articles in their order."""
        numbers = self.numbers(docnos)
        rows = self.elements.rows_of(numbers)
        columns = self.elements.part(rows, rows)[0].columns
        return ElementTable(columns._replace(article=np.cumsum(columns.parent < 0) - 1), self._tags)

    def text(self, number: int) -> str:
        """Return the text of an article in the table; that of the last one is kept."""
        docno = self.docnos[number]
        if self._text[0] != docno:
            self._text = docno, self._collection.text([docno])[0]
        return self._text[1]

    def _forget_articles(self) -> None:
        self._number: dict[str, int] = {}
        self.docnos: list[str] = []
        none: Ints = np.zeros(0, dtype=np.int64)
        self.deepest: Ints = none
        self.elements = ElementTable(Columns(none, none, none, none, none, none, none.astype(bool)), self._tags)

    def _add_articles(self, docnos: list[str]) -> None:
        read = [self._collection.element_columns(docno) for docno in docnos]
        sizes = np.array([len(columns["tag"]) for columns in read])
        names = chain.from_iterable(columns["tag"] for columns in read)
        tag = np.array([self._tags.setdefault(name, len(self._tags)) for name in names], dtype=np.int64)
        start, end, parent = (
            np.concatenate([columns[name].astype(np.int64) for columns in read]) for name in ("start", "end", "parent")
        )
        first = np.cumsum(sizes) - sizes
        parent = np.where(parent >= 0, parent + np.repeat(first, sizes), -1)
        depth = np.zeros(len(parent), dtype=np.int64)
        above = parent
        while np.any(above >= 0):
            depth += above >= 0
            above = np.where(above >= 0, parent[above], -1)
        same = (start == start[parent]) & (end == end[parent]) & (parent >= 0)
        old = self.elements
        article = len(self.docnos) + np.repeat(np.arange(len(docnos)), sizes)
        new = Columns(article, tag, start, end, np.where(parent >= 0, parent + len(old), -1), depth, same)
        self.elements = ElementTable(_join_columns((old.columns, new)), self._tags)
        self.deepest = np.concatenate((self.deepest, np.maximum.reduceat(depth, first)))
        self._number.update(zip(docnos, range(len(self.docnos), len(self.docnos) + len(docnos)), strict=True))
        self.docnos += docnos
