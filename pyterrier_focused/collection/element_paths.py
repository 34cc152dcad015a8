"""Element paths of an article, and points in them, to spans."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from ..frames.articles import ElementColumns
from ..frames.spans import Ints

# Tags of headings.
HEADINGS = ("title", "st")

_STEP = re.compile(r"([^/\[\]]+)(?:\[([0-9]+)\])?")
_POINT = re.compile(r"(?:/text\(\)(?:\[([0-9]+)\])?)?(?:\.([0-9]+))?$")


def locate(path: str, children: dict[tuple[int, str, int], int], columns: ElementColumns) -> tuple[int, int] | None:
    """Return the span of a path, or of a point in it; None if it does not exist."""
    point = _POINT.search(path)
    steps = path[: point.start()] if point else path
    row = -1
    for step in steps.strip("/").split("/"):
        match = _STEP.fullmatch(step)
        child = children.get((row, match[1], int(match[2] or 1))) if match else None
        if child is None:
            return None
        row = child
    start = int(columns["start"][row])
    end = int(columns["end"][row])
    if point is None or not point[0]:
        return start, end
    if "text()" in point[0]:
        node = _text_node(row, int(point[1] or 1), columns)
        if node is None:
            return None
        start, end = node
    if point[2] is None:
        return start, end
    offset = start + int(point[2])
    return (offset, offset) if offset <= end else None


def write_paths(tag: Sequence[str], parent: Ints, ordinal: Ints) -> list[str]:
    """Return the path of each element of an article, which numbers each step.

    Args:
        tag: The tag of each element, in document order.
        parent: The row of its parent, -1 for the article.
        ordinal: Its number among the siblings of the same tag, from 1.

    Example:
        >>> write_paths(["article", "p", "p"], np.array([-1, 0, 0]), np.array([1, 1, 2]))
        ['/article[1]', '/article[1]/p[1]', '/article[1]/p[2]']
    """
    paths: list[str] = []
    for name, above, number in zip(tag, parent.tolist(), ordinal.tolist(), strict=True):
        paths.append(f"{paths[above] if above >= 0 else ''}/{name}[{number}]")
    return paths


def read_headings(columns: ElementColumns, title: str, text: str, tags: Collection[str] = HEADINGS) -> list[str]:
    """Return the heading of each element of an article, "" if it has none.

    Example:
        >>> elements = {"tag": ["article", "sec", "title"], "parent": np.array([-1, 0, 1])}
        >>> elements |= {"start": [0, 8, 8], "end": [13, 13, 12]}
        >>> read_headings(elements, "Fresnel", "Fresnel Life.")
        ['Fresnel', 'Life', '']
    """
    tag = columns["tag"]
    headings = [title, *[""] * (len(tag) - 1)]
    for child, (name, above) in enumerate(zip(tag, columns["parent"].tolist(), strict=True)):
        if name in tags and above > 0 and tag[above] != "header" and not headings[above]:
            headings[above] = " ".join(text[columns["start"][child] : columns["end"][child]].split())
    return headings


def _text_node(row: int, number: int, columns: ElementColumns) -> tuple[int, int] | None:
    """Return the span of an element's text node: the text between its children that is not empty."""
    covered = int(columns["start"][row])
    inside = np.flatnonzero(columns["parent"] == row)
    edges = [(int(columns["start"][child]), int(columns["end"][child])) for child in inside]
    for start, end in [*edges, (int(columns["end"][row]),) * 2]:
        if start > covered:
            number -= 1
            if number == 0:
                return covered, start
        covered = max(covered, end)
    return None


def read_infoboxes(columns: ElementColumns, text: str) -> dict[str, str]:
    """Return the labels and values of an article's information boxes: the cells of their rows."""
    tag = columns["tag"]
    parent = columns["parent"].tolist()
    rows = (row for row, above in enumerate(parent) if tag[row] == "row" and tag[above] == "infobox")
    cells: dict[int, list[str]] = {row: [] for row in rows}
    for row, above in enumerate(parent):
        if above in cells:
            cells[above].append(text[columns["start"][row] : columns["end"][row]])
    return {label: "\n".join(values) for label, *values in cells.values() if values}
