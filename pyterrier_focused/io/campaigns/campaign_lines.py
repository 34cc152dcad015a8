"""What the readers of the campaigns' line formats share: lines in ranking order, options that do not apply to them."""

from __future__ import annotations

import numpy as np

from ...frames.articles import ArticleCollection
from ...frames.spans import Ints
from ..reading.fields import first_codes
from ..reading.run_columns import FolColumns


def lines_in_order(columns: FolColumns, *later: Ints) -> FolColumns:
    """Sort the lines of a run by topic, the file's rank and the keys *later*; equal ones keep their order."""
    keys = [columns.topic, *([] if columns.rank is None else [columns.rank]), *later]
    tied = np.ones(max(len(columns.topic) - 1, 0), dtype=bool)
    for key in keys:
        if np.any(tied & (key[1:] < key[:-1])):
            return columns.take_lines(np.lexsort(keys[::-1]))
        tied &= key[1:] == key[:-1]
    return columns


def refuse_collection(collection: ArticleCollection | None, why: str) -> None:
    """Raise a ValueError if a collection was given to a reader that has no use for one."""
    if collection is not None:
        raise ValueError(f"collection= does not apply to this format: {why}")


def group_judged(topic: Ints, article: Ints, articles: int) -> tuple[Ints, Ints, Ints]:
    """Group judged passages by topic and article, both in order of appearance, the file's order kept within.

    Returns (order of the passages, row of each in that order, the first passage of each row).
    """
    code, first = first_codes(topic * max(articles, 1) + article)
    by_row = np.lexsort((first[code], topic)) if len(code) else code
    head = np.concatenate((np.ones(min(len(code), 1), dtype=bool), np.diff(code[by_row]) != 0))
    return by_row, np.cumsum(head) - 1, by_row[head]


def first_starts(row: Ints, start: Ints) -> Ints:
    """Return the smallest start of each row that is there; rows ascend."""
    return start[np.lexsort((start, row))][np.searchsorted(row, np.unique(row))]


def names_in_order(names: list[str]) -> Ints:
    """Return the rank of each name in the order of text."""
    rank = np.empty(len(names), dtype=np.int64)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return rank
