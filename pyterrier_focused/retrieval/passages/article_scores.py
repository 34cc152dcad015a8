"""Scores of documents from those of their passages: PyTerrier's transformers of the same names, over passage ids."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt

from ...errors import check_choice
from ...frames.ranking_rule import article_order, positions
from ..transformer import PartsTransformer, check_count, keep_best, read_parts


class ScoreArticles(PartsTransformer):
    """Make a row of each article from the rows of its parts, as PyTerrier does for passages of `pt.text.sliding`.

    Args:
        by: 'max' keeps the row of the best part, 'first' that of the part with the lowest start; 'mean' gives the mean
            of the scores of all parts, 'kmaxavg' that of the best *k*, both with the columns of the query only.
    """

    def __init__(self, by: str = "max", k: int | None = None):
        check_choice("ScoreArticles: by", by, ("max", "first", "mean", "kmaxavg"))
        check_count(self, "k", k, 1, optional=by != "kmaxavg")
        self.by = by
        self.k = k

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        parts = read_parts(inp, self)
        # of each article the passage whose row is kept
        if self.by == "first":
            parts = parts.take(np.lexsort((parts.end, parts.start)))
        elif self.k is not None:
            parts = keep_best(parts, self.k)
        group, kept = parts.best()
        topic, names, score = parts.topic[kept], parts.names[group], parts.score[kept]
        rows = inp.drop(columns=["docid", "rank"], errors="ignore").iloc[parts.row[kept]]
        if self.by in ("mean", "kmaxavg"):
            size = len(parts.names)
            score = (np.bincount(parts.group, parts.score, size) / np.bincount(parts.group, minlength=size).clip(1))[
                group
            ]
            rows = rows[pt.model.query_columns(inp)]
        order = article_order(topic, score, names)
        rows = rows.iloc[order].reset_index(drop=True)
        return rows.assign(docno=names[order], score=score[order], rank=positions(topic[order]))


def max_passage() -> ScoreArticles:
    """Score each article by its best part, and keep that part's row.

    Example:
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#0-80", "7#90-99"], "score": [1.0, 3.0]})
        >>> max_passage()(parts)[["docno", "score"]].values.tolist()
        [['7', 3.0]]
    """
    return ScoreArticles("max")


def mean_passage() -> ScoreArticles:
    """Score each article by the mean of its parts' scores.

    Example:
        >>> parts = pd.DataFrame([["q1", "a#9-20", 3.0], ["q1", "a#0-9", 1.0]], columns=["qid", "docno", "score"])
        >>> mean_passage()(parts)[["docno", "score"]].to_dict("records")
        [{'docno': 'a', 'score': 2.0}]
    """
    return ScoreArticles("mean")


def first_passage() -> ScoreArticles:
    """Score each article by the part that begins first in it, and keep that part's row.

    Example:
        >>> parts = pd.DataFrame([["q1", "a#9-20", 3.0], ["q1", "a#0-9", 1.0]], columns=["qid", "docno", "score"])
        >>> first_passage()(parts)[["docno", "score"]].to_dict("records")
        [{'docno': 'a', 'score': 1.0}]
    """
    return ScoreArticles("first")


def kmaxavg_passage(k: int) -> ScoreArticles:
    """Score each article by the mean of its *k* highest scores of parts.

    Example:
        >>> parts = pd.DataFrame([["q1", "a#9-20", 3.0], ["q1", "a#0-9", 1.0]], columns=["qid", "docno", "score"])
        >>> kmaxavg_passage(1)(parts)[["docno", "score"]].to_dict("records")
        [{'docno': 'a', 'score': 3.0}]
    """
    return ScoreArticles("kmaxavg", k)
