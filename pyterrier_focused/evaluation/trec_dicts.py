"""Frames as the dicts of dicts that pytrec_eval reads, made from whole columns.

query_id  doc_id  score        {"1": {"a": 2.0, "b": 1.0},
1         a       2.0           "2": {"a": 1.0}}
1         b       1.0
2         a       1.0
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from .input_columns import number_names

# Rows of a run that are dicts at one time: some 12 MB.
ROWS = 100_000
# No article has such a name.
_NO_ARTICLE = "pyterrier_focused: no article is relevant"


def make_run_dicts(run: pd.DataFrame, rows: int = ROWS) -> Iterator[dict[str, dict[str, float]]]:
    """Yield the scores of some topics at a time: whole topics, until they have as many *rows*."""
    return _make_dicts(run, "score", "run", rows)


def make_qrels_dict(qrels: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Return the labels of all topics; labels that are whole numbers of type float become int.

    pytrec_eval writes outside of its memory if all labels of a topic are negative, so such a topic gets an article of
    label 0, which no run retrieves.
    """
    label = qrels["relevance"]
    if label.dtype.kind == "f" and (label % 1 == 0).all():
        qrels = qrels.assign(relevance=label.astype("int64"))
    topics: dict[str, dict[str, int]] = {}
    for some in _make_dicts(qrels, "relevance", "qrels", ROWS):
        topics |= some
    for judged in topics.values():
        if max(judged.values()) < 0:
            judged[_NO_ARTICLE] = 0
    return topics


def _make_dicts(frame: pd.DataFrame, column: str, what: str, rows: int) -> Iterator[dict[str, dict[str, Any]]]:
    topics, topic = number_names(frame, "query_id", what)
    docno = frame["doc_id"]
    value = frame[column]
    if np.any(topic[1:] < topic[:-1]):
        order = np.argsort(topic, kind="stable")
        topic = topic[order]
        docno = docno.iloc[order]
        value = value.iloc[order]
    bounds = np.searchsorted(topic, np.arange(len(topics) + 1))
    first = 0
    while first < len(topics):
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + rows, side="right")) - 1)
        begin = bounds[first]
        docnos = docno.iloc[begin : bounds[last]].tolist()
        values = value.iloc[begin : bounds[last]].tolist()
        ends = (bounds[first : last + 1] - begin).tolist()
        yield {
            topics[first + i]: dict(zip(docnos[ends[i] : ends[i + 1]], values[ends[i] : ends[i + 1]], strict=True))
            for i in range(last - first)
        }
        first = last
