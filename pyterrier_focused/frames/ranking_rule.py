"""The ranking rule, in one place: how articles and passages are ordered, and how the rows of a topic are numbered.

Articles are ranked by float32(score), descending, ties by docno, descending, as trec_eval does. Passages are ranked by
their score (float64), descending, ties by their article's rank, start and end; passages without scores by their
article's rank, then in the order in which their cell lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from .spans import Ints, Spans


def article_order(topic: ArrayLike, score: ArrayLike, docno: Sequence[str] | NDArray[np.object_] | pa.Array) -> Ints:
    """Return the positions of articles, topic by topic (codes ascending), in ranking order.

    *topic* (int64), *score* (float64) and *docno* (text) have one entry per article.
    """
    with np.errstate(over="ignore"):
        single = np.asarray(score, dtype=np.float64).astype(np.float32)

    def by_docno(rows: Ints) -> tuple[Ints]:
        if isinstance(docno, pa.Array):
            names = docno.take(pa.array(rows)).to_pylist()
        else:
            names = [docno[row] for row in rows.tolist()]
        rank = np.empty(len(names), dtype=np.int64)
        rank[sorted(range(len(names)), key=names.__getitem__, reverse=True)] = np.arange(len(names))
        return (rank,)

    return _order_by_score(np.asarray(topic, dtype=np.int64), single, by_docno)


def passage_order(topic: ArrayLike, score: ArrayLike | None, tie_breakers: Callable[[Ints], tuple[Ints, ...]]) -> Ints:
    """Return the positions of passages, topic by topic (codes ascending), in ranking order.

    *score* is float64; None, or NaN for all passages of a topic, leaves the order to *tie_breakers*: a function of the
    positions of passages that tie, which returns their sort keys (int64 columns), the most important first.
    """
    topic = np.asarray(topic, dtype=np.int64)
    values = np.zeros(len(topic)) if score is None else np.asarray(score, dtype=np.float64)
    return _order_by_score(topic, np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf), tie_breakers)


def span_order(topic: Ints, spans: Spans) -> Ints:
    """Return the positions of the passages of ranked articles, topic by topic, in ranking order.

    topic: The topic (code) of each passage; the rows of *spans* are the articles by rank.
    """
    row, start, end, score = spans
    if score is None:
        return np.arange(len(row))
    is_scored = ~np.isnan(score)
    # of passages without scores the order stays as it is
    return passage_order(
        topic, score, lambda tied: (row[tied], start[tied] * is_scored[tied], end[tied] * is_scored[tied])
    )


def _order_by_score(topic: Ints, score: NDArray[np.floating], tie_breakers: Callable[[Ints], tuple[Ints, ...]]) -> Ints:
    """Order by topic and score, descending; only rows that tie are handed to *tie_breakers*, which cost more."""
    order = np.arange(len(topic)) if _is_ordered(topic, score) else _sort_scores(topic, -score)
    topic = topic[order]
    score = score[order]
    tied = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
    if tied.any():
        # rows of one number tie with each other
        tie = np.cumsum(np.concatenate(([True], ~tied)))
        members = np.flatnonzero(np.concatenate((tied, [False])) | np.concatenate(([False], tied)))
        keys = (tie[members], *tie_breakers(order[members]))
        if not ascend(*keys):
            order[members] = order[members][np.lexsort((order[members], *reversed(keys)))]
    return order


def _sort_scores(topic: Ints, key: NDArray[np.floating]) -> Ints:
    """Return the stable order by topic and *key*. Topics that are in order are sorted one by one, which is faster."""
    if not ascend(topic):
        return np.lexsort((key, topic))
    bounds = np.flatnonzero(np.diff(topic, prepend=-1, append=-1)).tolist()
    return np.concatenate([first + np.argsort(key[first:last], kind="stable") for first, last in pairwise(bounds)])


def _is_ordered(topic: Ints, score: NDArray[np.floating]) -> bool:
    """Tell whether rows are topic by topic and best first already, as engines return them."""
    later = topic[1:] > topic[:-1]
    return bool(np.all(later | ((topic[1:] == topic[:-1]) & (score[1:] <= score[:-1]))))


def ascend(*columns: Ints) -> bool:
    """Tell whether rows are sorted by these columns, the first one first."""
    tied = np.ones(max(len(columns[0]) - 1, 0), dtype=bool)
    for column in columns:
        if np.any(tied & (column[1:] < column[:-1])):
            return False
        tied &= column[1:] == column[:-1]
    return True


def positions(group: ArrayLike) -> Ints:
    """Number the rows of each group from 0 (int64); the rows of a group are together."""
    group = np.asarray(group)
    if not len(group):
        return np.zeros(0, dtype=np.int64)
    first = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    return np.arange(len(group)) - np.repeat(first, np.diff(np.append(first, len(group))))
