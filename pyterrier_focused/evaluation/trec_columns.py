"""Standard measures from whole columns: the values of pytrec_eval, to the last bit, without dicts of rows.

run       query_id 1 1 1      qrels   query_id 1 1 1      joined   topic 0 0     the judged articles that the run
          doc_id   a b c              doc_id   c b z               rank  1 2     ranks, from rank 0 on, topic by
          score    3 2 1              label    1 0 2               label 0 1     topic; of its 3 articles

Sums are made in the order of the ranking, as trec_eval makes them, and logarithms are those of the C library. Frames
that are not of texts, numbers and whole labels, or have an article twice in a topic, are left to pytrec_eval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from ir_measures import Measure, Metric
from numpy.typing import ArrayLike

from ..frames.arrow_columns import may_repeat, read_texts
from ..frames.ranking_rule import article_order
from ..frames.spans import Floats, Ints, ratio
from .judged_pairs import JudgedPairs


@dataclass(frozen=True)
class _Joined:
    """The judged articles of a run, in ranking order, with their `topic`, an index of `topics`, rank and label.

    `in_qrels` numbers each of the `topics` as the qrels do; `retrieved` counts its articles in the run.
    """

    topics: list[str]
    in_qrels: Ints
    retrieved: Ints
    topic: Ints
    rank: Ints
    label: Ints


@dataclass(frozen=True)
class _Relevant:
    """The relevant articles of a run up to a cutoff, in ranking order, and counts of each topic's articles."""

    topic: Ints
    rank: Ints
    total: Ints
    retrieved: Ints

    def sum(self, values: ArrayLike | None = None) -> Floats:
        """Add values one by one, in ranking order; without values, count the articles."""
        return np.bincount(self.topic, values, minlength=len(self.total)).astype(np.float64)


def _average_precision(found: _Relevant) -> Floats:
    first = np.searchsorted(found.topic, found.topic)
    precision = (np.arange(len(found.topic)) - first + 1) / (found.rank + 1)
    return ratio(found.sum(precision), found.total)


def _reciprocal_rank(found: _Relevant) -> Floats:
    is_first = np.diff(found.topic, prepend=-1) > 0
    return found.sum(is_first / (found.rank + 1))


_FORMULAS: dict[str, Callable[[_Relevant], Floats]] = {
    "AP": _average_precision,
    "NumRel": lambda found: found.total.astype(np.float64),
    "NumRet": lambda found: found.sum(),
    "R": lambda found: ratio(found.sum(), found.total),
    "RR": _reciprocal_rank,
    "Rprec": lambda found: ratio(found.sum(found.rank < found.total[found.topic]), found.total),
    "SetP": lambda found: ratio(found.sum(), found.retrieved),
    "SetR": lambda found: ratio(found.sum(), found.total),
    "Success": lambda found: (found.sum() > 0).astype(np.float64),
}


def is_supported(measure: Measure) -> bool:
    """Tell whether a measure that pytrec_eval computes is computed here."""
    given = {name: value for name, value in measure.params.items() if value is not False}
    if given.get("rel", 1) < 1 or given.get("cutoff", 1) < 1:
        return False
    if measure.NAME == "nDCG":
        return given.keys() <= {"cutoff", "dcg"} and given.get("dcg", "log2") == "log2"
    return measure.NAME in [*_FORMULAS, "P"] and given.keys() <= {"cutoff", "rel"}


class TrecColumns:
    """The qrels as columns, sorted by topic and article."""

    def __init__(self, topics: list[str], docnos: pa.Array, topic: Ints, article: Ints, label: Ints):
        self.topics = {name: number for number, name in enumerate(topics)}
        self._docnos = docnos
        self._topic = topic
        self._label = label
        self._pairs = JudgedPairs(topic, article, len(docnos))

    @classmethod
    def read(cls, qrels: object) -> TrecColumns | None:
        """Read qrels with ir_measures' names; None if pytrec_eval must read them."""
        if not isinstance(qrels, pd.DataFrame) or not {"query_id", "doc_id", "relevance"} <= set(qrels.columns):
            return None
        topics, topic = _number_topics(qrels)
        docno = read_texts(qrels["doc_id"])
        label = _read_numbers(qrels["relevance"])
        if docno is None or topics is None or label is None or np.any(label % 1 != 0):
            return None
        articles = docno.dictionary_encode()
        article = articles.indices.to_numpy().astype(np.int64)
        # the last of several judgments counts, as in a dict
        order = np.lexsort((article, topic))
        is_last = (np.diff(topic[order], append=-1) != 0) | (np.diff(article[order], append=-1) != 0)
        last = order[is_last]
        return cls(topics, articles.dictionary, topic[last], article[last], label[last].astype(np.int64))

    def calculate(self, run: object, measures: Sequence[Measure]) -> Iterator[Metric] | None:
        """Yield the values of a run with ir_measures' names, of all topics; None if pytrec_eval must read it."""
        joined = self._join(run) if isinstance(run, pd.DataFrame) else None
        return None if joined is None else self._yield_values(joined, measures)

    def _join(self, run: pd.DataFrame) -> _Joined | None:
        topics, topic = _number_topics(run)
        docno = read_texts(run["doc_id"])
        score = _read_numbers(run["score"])
        if docno is None or topics is None or score is None or np.isnan(score).any():
            return None
        if may_repeat(topic, docno):
            return None
        in_qrels = np.array([self.topics.get(name, -1) for name in topics], dtype=np.int64)
        article = pc.fill_null(pc.index_in(docno, value_set=self._docnos), -1).to_numpy()
        order = article_order(topic, score, docno)
        judged = self._pairs.find(in_qrels[topic], article)[order]
        position = np.flatnonzero(judged >= 0)
        retrieved = np.bincount(topic, minlength=len(topics))
        topic = topic[order[position]]
        rank = position - (np.cumsum(retrieved) - retrieved)[topic]
        kept = np.flatnonzero(in_qrels >= 0)
        return _Joined(
            [topics[number] for number in kept.tolist()],
            in_qrels[kept],
            retrieved[kept],
            np.searchsorted(kept, topic),
            rank,
            self._label[judged[position]],
        )

    def _yield_values(self, joined: _Joined, measures: Sequence[Measure]) -> Iterator[Metric]:
        values = [self._calculate(measure, joined).tolist() for measure in measures]
        for topic, of_topic in zip(joined.topics, zip(*values, strict=True), strict=True):
            for measure, value in zip(measures, of_topic, strict=True):
                yield Metric(query_id=topic, measure=measure, value=value)
        for topic in sorted(self.topics.keys() - set(joined.topics)):
            for measure in measures:
                yield Metric(query_id=topic, measure=measure, value=measure.DEFAULT)

    def _calculate(self, measure: Measure, joined: _Joined) -> Floats:
        cutoff = measure.params.get("cutoff", math.inf)
        if measure.NAME == "nDCG":
            return self._calculate_ndcg(joined, cutoff)
        if measure.NAME == "NumRet" and "rel" not in measure.params:
            return joined.retrieved.astype(np.float64)
        rel = measure.params.get("rel", 1)
        total = np.bincount(self._topic[self._label >= rel], minlength=len(self.topics))[joined.in_qrels]
        rows = np.flatnonzero((joined.label >= rel) & (joined.rank < cutoff))
        found = _Relevant(joined.topic[rows], joined.rank[rows], total, joined.retrieved)
        values: Floats = found.sum() / cutoff if measure.NAME == "P" else _FORMULAS[str(measure.NAME)](found)
        return values

    def _calculate_ndcg(self, joined: _Joined, cutoff: float) -> Floats:
        ideal = np.flatnonzero(self._label > 0)
        ideal = ideal[np.lexsort((-self._label[ideal], self._topic[ideal]))]
        topic = self._topic[ideal]
        rank = np.arange(len(ideal)) - np.searchsorted(topic, topic)
        best = _sum_gains(topic, rank, self._label[ideal], cutoff, len(self.topics))
        found = _sum_gains(joined.topic, joined.rank, joined.label, cutoff, len(joined.topics))
        return ratio(found, best[joined.in_qrels])


def _sum_gains(topic: Ints, rank: Ints, label: Ints, cutoff: float, n_topics: int) -> Floats:
    rows = np.flatnonzero((label > 0) & (rank < cutoff))
    ranks, place = np.unique(rank[rows], return_inverse=True)
    # numpy's logarithms may differ from C's in the last bit
    discount = np.array([math.log2(each + 2) for each in ranks.tolist()])[place]
    return np.bincount(topic[rows], label[rows] / discount, minlength=n_topics).astype(np.float64)


def _number_topics(frame: pd.DataFrame) -> tuple[list[str] | None, Ints]:
    """Return the topics, in order of appearance, and the number of each row's; None for topics that are not texts."""
    codes, names = pd.factorize(frame["query_id"])
    topics = list(names)
    are_texts = set(map(type, topics)) == {str} and not (codes < 0).any()
    return topics if are_texts else None, codes.astype(np.int64)


def _read_numbers(column: pd.Series) -> Floats | Ints | None:
    """Return a column of integers or floats of numpy; None for any other."""
    return column.to_numpy() if isinstance(column.dtype, np.dtype) and column.dtype.kind in "if" else None
