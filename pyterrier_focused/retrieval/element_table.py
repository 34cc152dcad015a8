"""The elements of articles as columns: what holds what, and which element holds a span."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..spans import Ints
from .part_texts import elements_of

_CACHED = 20_000  # articles


class ArticleElements(NamedTuple):
    """The elements of one article in document order, a column each; `parent` is a row number, -1 for the article.

    `tag` holds the numbers of tags.
    """

    tag: Ints
    start: Ints
    end: Ints
    parent: Ints
    depth: Ints


class ElementTable:
    """The elements of several articles, one article after another, in document order.

    `article` numbers the articles, `parent` is a row of the table (-1 for an article). *tags* are the numbers of tags.
    """

    def __init__(self, articles: Sequence[ArticleElements], tags: Mapping[str, int]):
        sizes = np.array([len(elements.tag) for elements in articles])
        first = np.cumsum(sizes) - sizes
        self.article: Ints = np.repeat(np.arange(len(articles)), sizes)
        self._tag, self.start, self.end, parent, self.depth = map(np.concatenate, zip(*articles, strict=True))
        self.parent: Ints = np.where(parent >= 0, parent + np.repeat(first, sizes), -1)
        self._number = tags
        self._stride = int(self.end.max(initial=0)) + 2
        self._begin = self.article * self._stride + self.start

    def __len__(self) -> int:
        return len(self.article)

    @cached_property
    def levels(self) -> list[Ints]:
        """The rows of each depth, from the children of articles down."""
        order = np.argsort(self.depth, kind="stable")
        bounds = np.searchsorted(self.depth[order], np.arange(1, int(self.depth.max(initial=0)) + 2))
        return [order[a:b] for a, b in pairwise(bounds)]

    @cached_property
    def same_as_parent(self) -> np.ndarray:
        """Which elements reach from the first character of their parent to its last."""
        parent = self.parent
        return (self.start == self.start[parent]) & (self.end == self.end[parent]) & (parent >= 0)

    def with_tags(self, names: Iterable[str]) -> np.ndarray:
        """Mark the elements that have one of the tags *names*."""
        wanted = np.zeros(len(self._number) + 1, dtype=bool)
        wanted[[self._number[name] for name in names if name in self._number]] = True
        return wanted[self._tag]

    def holders(self, article: Ints, start: Ints, end: Ints) -> Ints:
        """Return the innermost element that holds each span; -1 where its article has none."""
        row = np.searchsorted(self._begin, article * self._stride + start, side="right") - 1
        while True:
            outside = np.flatnonzero((row >= 0) & (self.end[row] < end))
            if not len(outside):
                return row
            row[outside] = self.parent[row[outside]]


class ElementReader:
    """Reads the elements of a collection's articles, and keeps those of the last ones; tags have one number for all."""

    def __init__(self, collection: Any):
        self._collection = collection
        self._tags: dict[str, int] = {}
        self._read: dict[str, ArticleElements] = {}

    def article(self, docno: str) -> ArticleElements:
        """Return the elements of one article."""
        elements = self._read.get(docno)
        if elements is None:
            table = elements_of(self._collection, docno)
            depth = np.zeros(len(table.tag), dtype=np.int64)
            for row, parent in enumerate(table.parent.tolist()):
                depth[row] = depth[parent] + 1 if parent >= 0 else 0
            tag = np.array([self._tags.setdefault(name, len(self._tags)) for name in table.tag], dtype=np.int64)
            elements = ArticleElements(tag, table.start, table.end, table.parent, depth)
            if len(self._read) >= _CACHED:
                self._read.clear()
            self._read[docno] = elements
        return elements

    def table(self, docnos: Iterable[str]) -> ElementTable:
        """Return the elements of several articles as one table."""
        return ElementTable([self.article(docno) for docno in docnos], self._tags)
