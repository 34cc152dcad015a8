"""What the readers of the campaigns' formats share: lines in ranking order, judged passages as frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..frames.columns import span_column
from ..frames.spans import Ints
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


class JudgedGroups(NamedTuple):
    """Judged passages grouped into the rows of a qrels frame.

    `order` has the passages row by row, `row` the row of each in that order, `head` the first passage of each row.
    """

    order: Ints
    row: Ints
    head: Ints


def group_judged(topic: Ints, article: Ints, n_articles: int) -> JudgedGroups:
    """Group judged passages by topic and article, both in order of appearance, the file's order kept within.

    topic    0 1 0 0
    article  0 0 1 0      order 0 3 2 1, row 0 0 1 2, head 0 2 1
    """
    code, first_passage = first_codes(topic * max(n_articles, 1) + article)
    by_row = np.lexsort((first_passage[code], topic)) if len(code) else code
    is_head = np.concatenate((np.ones(min(len(code), 1), dtype=bool), np.diff(code[by_row]) != 0))
    return JudgedGroups(by_row, np.cumsum(is_head) - 1, by_row[is_head])


def make_judged_frame(
    groups: JudgedGroups, qids: Iterable[str], docnos: Iterable[str], start: Ints, end: Ints
) -> pd.DataFrame:
    """Make the qrels frame of groups, all of which are relevant; the names are those of each row."""
    n_rows = len(groups.head)
    return pd.DataFrame(
        {
            "qid": pd.Series(list(qids), dtype=object),
            "docno": pd.Series(list(docnos), dtype=object),
            "label": np.ones(n_rows, dtype=np.int64),
            "highlights": span_column(groups.row, n_rows, start[groups.order], end[groups.order]),
            "bep": first_starts(groups.row, start[groups.order]),
            "length": np.full(n_rows, -1, dtype=np.int64),
        }
    )


def code_names(names: list[str]) -> tuple[Ints, list[str]]:
    """Number texts in order of appearance: (code of each, text of each code)."""
    codes, distinct = pd.factorize(np.array(names, dtype=object))
    return codes, distinct.tolist()


def first_starts(row: Ints, start: Ints) -> Ints:
    """Return the smallest start of each row that is there; rows ascend."""
    return start[np.lexsort((start, row))][np.searchsorted(row, np.unique(row))]


def names_in_order(names: list[str]) -> Ints:
    """Return the rank of each name in the order of text."""
    rank = np.empty(len(names), dtype=np.int64)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return rank
