"""Passages that a run names by element paths: as the file has them, and as offsets once a collection resolves them.

A path is `/article[1]/bdy[1]/sec[2]`, or a point in a text node, `/article[1]/bdy[1]/p[3]/text()[1].25`: after its
25th character. A passage is one element, or reaches from the start of one path to the end of another.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...errors import COUNT_ABSENT, GIVE_COLLECTION, check_choice, warn_caller
from ...frames.articles import ArticleCollection
from ...frames.spans import Ints
from ...reading.lines import BadLine, Faults
from ...reading.run_columns import FolColumns
from .offset_units import MISSING_LENGTH, MISSING_START

# The longest path, in characters.
MAX_PATH = 2000


class NamedPassages(NamedTuple):
    """A run whose passages may be named by paths: entry i of *columns* starts and ends at -1 if first[i] is one.

    Args:
        columns: Rank is -1 and score NaN if the file has none.
        first: The path of the element, or of the passage's start; '' if offsets are given.
        last: The path of the passage's end; '' for a single element.
        elements: The topic-fields, description and collections of the file, and `in`, the collections of the results.
        result: The number of the <result> that each entry is from.
        root: The root of the XML, for `validate`.
    """

    columns: FolColumns
    first: list[str]
    last: list[str]
    submission: dict[str, str]
    elements: dict[str, Any]
    result: Ints | None = None
    root: Any = None


def check_path(path: str, name: str) -> str:
    """Return the path, if it looks like one. Raises BadLine, which calls it *name*."""
    if not path.startswith("/") or len(path) > MAX_PATH:
        raise BadLine(
            f"{name} is not an element path", "write /article[1]/bdy[1]/sec[2], or a point such as ../text()[1].25"
        )
    return path


def resolve(parts: NamedPassages, collection: ArticleCollection | None, missing: str, faults: Faults) -> FolColumns:
    """Turn paths into offsets, in bulk.

    A path that the article does not have is a fault that names topic, article and path; with missing='official' it
    becomes 18 characters beyond any text, and a warning counts them. A passage that ends before it starts is a fault.
    """
    check_choice("missing", missing, ("raise", "official"))
    columns = parts.columns
    named = np.flatnonzero(columns.start < 0)
    if len(named) == 0:
        return columns
    start = columns.start
    end = columns.end
    fault = np.full(len(start), "", dtype=object)
    if collection is None:
        fault[named] = "element paths without a collection"
        advice = f"; {GIVE_COLLECTION}, whose elements give the paths offsets"
    else:
        start, end = look_up(parts, collection)
        absent = start < 0
        fault[absent] = "a path that the article does not have"
        known = {code: columns.articles[code] in collection for code in set(columns.article[absent].tolist())}
        unknown = [entry for entry in np.flatnonzero(absent).tolist() if not known[int(columns.article[entry])]]
        fault[unknown] = "an article that is not in the collection"
        fault[~absent & (end < start)] = "a passage that ends before it starts"
        advice = "; check that the collection is the run's own" + f"; {COUNT_ABSENT} counts it as INEX's tool does"
        if missing == "official" and absent.any():
            fault[absent] = ""
            nth = _count_before(columns, np.flatnonzero(absent))
            start[absent] = MISSING_START + nth * MISSING_LENGTH
            end[absent] = start[absent] + MISSING_LENGTH
            _warn_of_absent(parts, np.flatnonzero(absent), faults.file)
    bad = np.flatnonzero(fault != "")
    for entry in bad.tolist():
        place = f"{_quote_entry(columns, entry)} ({len(bad)} such passages in the file)"
        faults.add(BadLine(fault[entry], f"{place}{advice}"), int(columns.line[entry]), show_path(parts, entry))
    return columns._replace(start=start, end=end).take(np.flatnonzero(fault == ""))


def look_up(parts: NamedPassages, collection: ArticleCollection) -> tuple[Ints, Ints]:
    """Find the start and end of every part; both are -1 if the collection does not have the path."""
    columns = parts.columns
    start = columns.start.copy()
    end = columns.end.copy()
    named = np.flatnonzero(start < 0)
    if len(named):
        start[named], end[named] = _resolve_entries(columns, parts.first, named, collection)
    ranges = named[[bool(parts.last[entry]) for entry in named.tolist()]]
    if len(ranges):
        _, end[ranges] = _resolve_entries(columns, parts.last, ranges, collection)
    absent = (start < 0) | (end < 0)
    start[absent] = -1
    end[absent] = -1
    return start, end


def _resolve_entries(
    columns: FolColumns, paths: list[str], entries: Ints, collection: ArticleCollection
) -> tuple[Ints, Ints]:
    """Find the start and the end of the *paths* of some entries."""
    docnos = [columns.articles[code] for code in columns.article[entries].tolist()]
    start, end = collection.resolve(docnos, [paths[entry] for entry in entries.tolist()])
    return np.array(start, dtype=np.int64), np.array(end, dtype=np.int64)


def _count_before(columns: FolColumns, rows: Ints) -> Ints:
    """Number the entries *rows* of each topic and article from 0."""
    counts: Counter[tuple[int, int]] = Counter()
    numbers = []
    for pair in zip(columns.topic[rows].tolist(), columns.article[rows].tolist(), strict=True):
        numbers.append(counts[pair])
        counts[pair] += 1
    return np.array(numbers, dtype=np.int64)


def show_path(parts: NamedPassages, entry: int) -> str:
    """Show the path of an entry, or the two that it lies between."""
    return " to ".join(filter(None, (parts.first[entry], parts.last[entry])))


def _quote_entry(columns: FolColumns, entry: int) -> str:
    return f"topic {columns.topics[columns.topic[entry]]!r}, article {columns.articles[columns.article[entry]]!r}"


def _warn_of_absent(parts: NamedPassages, rows: Ints, file: str) -> None:
    columns = parts.columns
    entry = int(rows[0])
    warn_caller(
        f"{file}: {len(rows)} passages do not exist; each counts as {MISSING_LENGTH} characters, not relevant (first: "
        f"line {columns.line[entry]}, {_quote_entry(columns, entry)}, {show_path(parts, entry)})"
    )


def name_passages(
    collection: ArticleCollection, docnos: list[str], start: list[int], end: list[int]
) -> list[tuple[str, str]]:
    """Name spans by paths: (path, '') for an element, if all are elements; else (point, point) for every span.

    Of two elements with the same span the deepest gives the path. Raises ValueError for a span beyond its article.
    """
    elements = {docno: _Elements(collection.elements(docno)) for docno in dict.fromkeys(docnos)}
    paths = [elements[docno].path.get((a, b)) for docno, a, b in zip(docnos, start, end, strict=True)]
    if all(path is not None for path in paths):
        return [(path, "") for path in paths if path is not None]
    return [elements[docno].points(docno, a, b) for docno, a, b in zip(docnos, start, end, strict=True)]


class _Elements:
    """The elements of one article, to name its spans."""

    def __init__(self, table: pd.DataFrame):
        self._paths = table["path"].tolist()
        self._start = table["start"].tolist()
        self._end = table["end"].tolist()
        self._children: dict[int, list[int]] = {}
        for row, parent in enumerate(table["parent"].tolist()):
            self._children.setdefault(parent, []).append(row)
        # In document order an element comes before those inside it, so the deepest one stays.
        self.path = dict(zip(zip(self._start, self._end, strict=True), self._paths, strict=True))

    def points(self, docno: str, start: int, end: int) -> tuple[str, str]:
        """Name a span by the points before its first and after its last character."""
        if not self._end or end > self._end[0]:
            raise ValueError(f"article {docno!r}: the passage [{start}, {end}) ends beyond the article")
        return self._name_point(start, start), self._name_point(end - 1, end)

    def _name_point(self, character: int, offset: int) -> str:
        """Name *offset*, counted in the text node that holds *character*."""
        row = 0
        while True:
            nodes_before = 0
            # The start of the text node after the last child.
            node_start = self._start[row]
            inside = None
            for child in self._children.get(row, []):
                if character < self._start[child]:
                    break
                nodes_before += self._start[child] > node_start
                if character < self._end[child]:
                    inside = child
                    break
                node_start = self._end[child]
            if inside is None:
                return f"{self._paths[row]}/text()[{nodes_before + 1}].{offset - node_start}"
            row = inside
