"""Element paths: `/article[1]/bdy[1]/sec[2]`, or a point in a text node, `/article[1]/p[3]/text()[1].25`.

A point comes after so many characters of the text node. A passage is one element, or reaches from the start of one path
to the end of another.
"""

from __future__ import annotations

import pandas as pd

from ...frames.articles import ArticleCollection

# The longest path, in characters.
MAX_PATH = 2000
PATH_ADVICE = "write /article[1]/bdy[1]/sec[2], or a point such as ../text()[1].25"


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
