"""Judged passages as frames of qrels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...frames.columns import span_column
from ...frames.spans import Ints
from ...reading.fields import first_codes


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
