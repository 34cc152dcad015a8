"""The in-context tasks: articles are ranked, and what is relevant in each is shown in place."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt

from ...errors import check_choice
from ...frames.packing import Parts, pack_parts, passage_name
from ...frames.spans import Floats
from ..transformer import PartsTransformer, check_count, keep_best, overlap_advice, read_parts
from .overlap import OVERLAP, RemoveOverlap, remove_overlap

_SCORES = ("max", "sum", "mean", "article")


class RelevantInContext(PartsTransformer):
    """Make a run for the Relevant in Context task: articles ranked, their parts in document order.

    Input: a frame of parts (`qid`, `docno` = passage id, `score`). Output: the run frame; its `passages` are
    (start, end), without scores: a reader meets them in the order of the text. Foreign columns are those of the
    article's best part.

    Args:
        score: An article's score is the 'max', 'sum' or 'mean' of its parts', or, with 'article', its value in the
            column `article_score` (see `ArticleThenParts`).
        per_article: How many parts of an article go in, best first; None for all. Scores are made of these.
        k: How many articles a topic has at most; None for all. INEX took 1,500.
        overlap: 'remove' keeps the better ranked of parts that share characters, as `RemoveOverlap()` does; 'error'
            raises an OverlapError, to check a run of your own; 'allow' keeps all.

    Example:
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#90-99", "12#5-60", "7#0-80"], "score": [3.0, 2.0, 1.0]})
        >>> RelevantInContext()(parts)["passages"].tolist()
        [[{'start': 0, 'end': 80}, {'start': 90, 'end': 99}], [{'start': 5, 'end': 60}]]
    """

    def __init__(
        self, score: str = "max", per_article: int | None = None, k: int | None = 1500, overlap: str = "remove"
    ):
        check_choice("RelevantInContext: score", score, _SCORES)
        check_count(self, "per_article", per_article, 1, optional=True)
        check_count(self, "k", k, 1, optional=True)
        check_choice("RelevantInContext: overlap", overlap, OVERLAP)
        self.score = score
        self.per_article = per_article
        self.k = k
        self.overlap = overlap

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        parts = _read_scored_parts(inp, self, self.score)
        if self.overlap == "remove":
            parts = remove_overlap(inp, parts)
        if self.per_article is not None:
            parts = keep_best(parts, self.per_article)
        score = score_articles(inp, parts, self.score, self)
        advice = None if self.overlap == "allow" else overlap_advice(self)
        return pack_parts(inp, parts, score, k=self.k, scored=False, overlap_advice=advice)

    def fuse_left(self, left: pt.Transformer) -> pt.Transformer | None:
        if left != RemoveOverlap("best"):
            return None
        return RelevantInContext(self.score, self.per_article, self.k)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return self._limit_results("k", k)


class BestInContext(PartsTransformer):
    """Make a run for the Best in Context task: articles ranked, with one point in each to start reading from.

    Input: a frame of parts (`qid`, `docno` = passage id, `score`); they may overlap. Output: the run frame with one
    passage an article, whose start is the entry point; foreign columns are those of the article's best part.

    Args:
        bep: The entry point is the start of the article's 'best' part, of the 'first' in the text, or, with 'start',
            the beginning of the article (its passage is then the first character).

    Example:
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#90-99", "12#5-60", "7#0-80"], "score": [3.0, 2.0, 1.0]})
        >>> BestInContext()(parts)["passages"].tolist()
        [[{'start': 90, 'end': 99}], [{'start': 5, 'end': 60}]]
    """

    def __init__(self, bep: str = "best", score: str = "max", k: int | None = 1500):
        check_choice("BestInContext: bep", bep, ("best", "first", "start"))
        check_choice("BestInContext: score", score, _SCORES)
        check_count(self, "k", k, 1, optional=True)
        self.bep = bep
        self.score = score
        self.k = k

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        parts = _read_scored_parts(inp, self, self.score)
        score = score_articles(inp, parts, self.score, self)
        one = keep_best(_move_to_first_parts(parts) if self.bep == "first" else parts, 1)
        if self.bep == "start":
            one = one._replace(start=np.zeros_like(one.start), end=np.ones_like(one.end))
        return pack_parts(inp, one, score, k=self.k, scored=False, overlap_advice=None)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return self._limit_results("k", k)


def score_articles(frame: pd.DataFrame, parts: Parts, score: str, transformer: pt.Transformer) -> Floats:
    """Score each group (topic and article) by its parts: 'max', 'sum', 'mean', or the column `article_score`."""
    n = len(parts.names)
    if score == "max":
        return parts.best_scores()
    if score in ("sum", "mean"):
        total = np.bincount(parts.group, parts.score, n).astype(np.float64)
        return total if score == "sum" else total / np.maximum(np.bincount(parts.group, minlength=n), 1)
    own = frame["article_score"].to_numpy(dtype=np.float64)[parts.row]
    group, first = parts.best()
    article = np.full(n, np.nan)
    article[group] = own[first]
    # NaN is never the same.
    wrong = own != article[parts.group]
    if wrong.any():
        name = passage_name(frame, int(parts.row[int(np.argmax(wrong))]))
        raise ValueError(
            f"{transformer!r}: {name}: 'article_score' is missing, or differs between parts of one article"
        )
    return article


def _read_scored_parts(frame: pd.DataFrame, transformer: pt.Transformer, score: str) -> Parts:
    if score == "article":
        pt.validate.result_frame(frame, extra_columns=["score", "article_score"], context=transformer)
    return read_parts(frame, transformer)


def _move_to_first_parts(parts: Parts) -> Parts:
    """Give each part the span of the part of its article that begins first (the shortest of several).

    group  start  end           group  start  end
    0      50     60            0      10     20
    1      5      9      ->     1      5      9
    0      10     20            0      10     20
    """
    inside = np.lexsort((parts.end, parts.start, parts.group))
    codes, begin = np.unique(parts.group[inside], return_index=True)
    first = inside[begin][np.searchsorted(codes, parts.group)]
    return parts._replace(start=parts.start[first], end=parts.end[first])
