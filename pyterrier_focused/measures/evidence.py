"""Measures of evidence spans: were any found, how many and how soon, however many items it takes."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..frames import spans
from ..frames.spans import Floats, Ints, Spans, ratio
from .base import FocusedMeasure, Number, Param, RatioMeasure, cutoff
from .budget import BUDGET, Budget, check_budget, find_budget
from .ranking import Bools, Evidence, Ranking

__all__ = ["Abstain", "CharMAP", "SpanHit", "SpanR", "SpanRR"]

_CUTOFF = cutoff("number of parts looked at, from the top; without it all")
COVER = Number(
    float,
    "share of an evidence span's characters that must be retrieved for it to be found",
    default=0.5,
    check=lambda value: 0 < value <= 1,
    expects="a share above 0 and at most 1",
)
NEVER = np.iinfo(np.int64).max


class _SpanHit(FocusedMeasure):
    """Evidence hit: whether any evidence was found among the first k items.

    SpanHit@k = 1 if at least one of the topic's evidence spans has a share of `cover` or more of its characters in the
    first k items together, else 0; or in what is read up to the budget `chars` or `tokens`, which may end in an
    item. Highlights that overlap are one span, those that touch are two. The share is the decimal that is written,
    compared exactly; a column `cover` of the qrels gives spans their own, of which 0 asks for any character.

    Range: 0 or 1. An empty ranking scores 0, as does a topic without evidence.
    Source: hit rate (success@k) with evidence spans in place of documents.
    """

    NAME = __name__ = "SpanHit"
    PRETTY_NAME = "Evidence Hit"
    SHORT_DESC = "Whether some evidence span is covered by the first k parts."
    SUPPORTED_PARAMS = {"cutoff": _CUTOFF, "cover": COVER, **BUDGET}

    def check_params(self) -> None:
        check_budget(self)

    def calculate(self, ranking: Ranking) -> Floats:
        topic, rank = found_evidence(ranking, self)
        hits = np.bincount(topic[rank < NEVER], minlength=len(ranking.judgments.topics))
        return (hits > 0).astype(np.float64)


SpanHit = _SpanHit()


class _SpanR(RatioMeasure):
    """Evidence recall: the share of the topic's evidence spans that the first k items cover, as SpanHit has it.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without evidence.
    Source: recall with evidence spans in place of documents.
    """

    NAME = __name__ = "SpanR"
    PRETTY_NAME = "Evidence Recall"
    SHORT_DESC = "The share of the evidence spans that the first k parts cover."
    SUPPORTED_PARAMS = {"cutoff": _CUTOFF, "cover": COVER, **BUDGET}

    def check_params(self) -> None:
        check_budget(self)

    def fractions(self, ranking: Ranking) -> tuple[Ints, Ints]:
        topic, rank = found_evidence(ranking, self)
        n = len(ranking.judgments.topics)
        return np.bincount(topic[rank < NEVER], minlength=n), np.bincount(topic, minlength=n)


SpanR = _SpanR()


class _SpanRR(FocusedMeasure):
    """Evidence reciprocal rank: 1 / r for the smallest r with SpanHit@r = 1, and 0 if there is none.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without evidence.
    Source: reciprocal rank with evidence spans in place of documents.
    """

    NAME = __name__ = "SpanRR"
    PRETTY_NAME = "Evidence Reciprocal Rank"
    SHORT_DESC = "The reciprocal rank of the first part that covers an evidence span."
    SUPPORTED_PARAMS = {"cover": COVER}

    def calculate(self, ranking: Ranking) -> Floats:
        topic, rank = found_evidence(ranking, self)
        first = np.full(len(ranking.judgments.topics), NEVER)
        np.minimum.at(first, topic, rank)
        return np.where(first == NEVER, 0.0, 1.0 / (first.astype(np.float64) + 1.0))


SpanRR = _SpanRR()


class _Abstain(FocusedMeasure):
    """Abstention: 1 if the topic has no highlights and nothing was retrieved for it, else 0.

    Average it over topics without evidence: the share of them for which a system rightly returned nothing.

    Range: 0 or 1. An empty ranking scores 1 for a topic without evidence, else 0.
    Source: questions without an answer, as in Rajpurkar, Jia and Liang, ACL 2018 (SQuAD 2.0).
    """

    NAME = __name__ = "Abstain"
    PRETTY_NAME = "Abstention"
    SHORT_DESC = "Whether nothing was retrieved for a topic without evidence."

    def calculate(self, ranking: Ranking) -> Floats:
        retrieved = np.diff(ranking.passage_bounds)
        abstains: Bools = (ranking.judgments.topic_size == 0) & (retrieved == 0)
        return abstains.astype(np.float64)


Abstain = _Abstain()


class _CharMAP(FocusedMeasure):
    """Average precision over characters, each one a ranked item: PASSAGE2 of the TREC Genomics track.

    The ranking is read character by character, each passage from its start to its end. CharMAP = sum over the relevant
    characters retrieved of (relevant characters so far / characters so far) / Trel. A relevant character that was
    retrieved before is skipped: it counts neither as relevant nor as retrieved. Other characters count each time they
    are retrieved (overlap='passage2') or when they come first ('once'), as do those around a passage (see CharP), which
    come before it.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: Hersh, Cohen, Ruslen and Roberts, TREC 2007 Genomics Track Overview (PASSAGE2).
    """

    NAME = __name__ = "CharMAP"
    PRETTY_NAME = "Character-level Mean Average Precision"
    SHORT_DESC = "Average precision with each character as a ranked item (PASSAGE2 of TREC Genomics 2007)."
    SUPPORTED_PARAMS = {
        "overlap": Param(
            str,
            "'passage2' skips relevant characters that were retrieved before, 'once' any character, 'error' refuses",
            default="passage2",
            choices=("passage2", "once", "error"),
        )
    }

    def calculate(self, ranking: Ranking) -> Floats:
        if self["overlap"] == "error":
            ranking.ranked_passages("error")
        seen = _cut_relevant_pieces(ranking, once=self["overlap"] == "once")
        precisions = sum_of_precisions(seen.relevant_before, seen.read_before, seen.end - seen.start)
        total = np.bincount(seen.topic, precisions, minlength=len(ranking.judgments.topics))
        return ratio(total, ranking.judgments.topic_size)


CharMAP = _CharMAP()


def found_evidence(ranking: Ranking, measure: FocusedMeasure) -> tuple[Ints, Ints]:
    """Return each evidence span's topic, and the 0-based rank of the item at which it is covered as *measure* asks.

    NEVER: it is not, up to the cutoff or the budget.
    """
    evidence = ranking.judgments.evidence
    rank = find_ranks(ranking, evidence, measure["cover"], find_budget(measure))
    rank[rank >= measure.params.get("cutoff", NEVER)] = NEVER
    return ranking.judgments.topic[evidence.row], rank


def find_ranks(ranking: Ranking, evidence: Evidence, cover: float, budget: Budget | None = None) -> Ints:
    """Return the 0-based rank of the item at which *cover* of each span has been retrieved, or the span's own cover.

    Spans may overlap each other. *budget*: no more is read in a topic, each character once. NEVER: not retrieved.
    """
    row, start, end, _ = evidence
    parts = ranking.passages
    order = ranking.passage_ranking
    # a budget is spent on all parts; without one those of articles with evidence will do
    read_parts = np.arange(len(order)) if budget else np.flatnonzero(ranking.highlighted[parts.row[order]])
    position = order[read_parts]
    # each character once, for the first part that holds it
    owner, first, last = spans.novel(parts.row[position], parts.start[position], parts.end[position])
    owner = read_parts[owner]
    if budget is not None:
        last = budget.cut(ranking, owner, first, last)
    topic = ranking.topic[parts.row[order[owner]]]
    rank = ranking.ranked_items[owner] - ranking.item_bounds[topic]
    judged = ranking.judged[parts.row[order[owner]]]
    useful = np.flatnonzero((judged >= 0) & (first < last))
    useful = useful[np.lexsort((first[useful], judged[useful]))]
    span, piece, from_, to = spans.intersections(row, start, end, judged[useful], first[useful], last[useful])
    at_rank = rank[useful][piece]
    in_turn = np.lexsort((at_rank, span))
    span = span[in_turn]
    retrieved = np.cumsum((to - from_)[in_turn])
    before = np.concatenate(([0], retrieved))[np.searchsorted(span, np.arange(len(row)))]
    reached = retrieved - before[span] >= _count_needed(evidence, cover)[span]
    found = np.full(len(row), NEVER)
    np.minimum.at(found, span[reached], at_rank[in_turn][reached])
    return found


def _count_needed(evidence: Evidence, cover: float) -> Ints:
    """Count the characters of each span that must be retrieved, exactly; one at least."""
    sizes = (evidence.end - evidence.start).tolist()
    covers = [cover] * len(sizes)
    if evidence.cover is not None:
        covers = np.where(np.isnan(evidence.cover), cover, evidence.cover).tolist()
    share_of = {value: Fraction(str(value)) for value in set(covers)}
    shares = map(share_of.__getitem__, covers)
    needed = [-(-share.numerator * size // share.denominator) for size, share in zip(sizes, shares, strict=True)]
    return np.maximum(np.array(needed, dtype=np.int64), 1)


class _Pieces(NamedTuple):
    """The relevant text that each passage brings first, in reading order: topic, span, and the amounts read before.

    `relevant_before` and `read_before` leave out skipped characters.
    """

    topic: Ints
    start: Ints
    end: Ints
    relevant_before: Ints
    read_before: Ints


def _cut_relevant_pieces(ranking: Ranking, once: bool) -> _Pieces:
    """Cut the new relevant text out of the ranking. *once*: skip all text that was read before."""
    parts = ranking.passages
    order = ranking.passage_ranking
    row = parts.row[order]
    start = parts.start[order]
    end = parts.end[order]
    owner, new_start, new_end = spans.novel(row, start, end)
    inside = np.flatnonzero(ranking.highlighted[row[owner]])
    group = ranking.judged[row[owner[inside]]]
    piece, _, first, last = spans.intersections(group, new_start[inside], new_end[inside], *ranking.judgments.merged)
    piece = inside[piece]
    passage = owner[piece]
    length = last - first
    # over all topics
    relevant_before = np.cumsum(length) - length
    n = len(order)
    if once:
        new_size = ranking.read_in(Spans(row[owner], new_start, new_end, None))
        size = spans.sum_by(owner, new_size, n)
        if ranking.ranked_around is not None:
            size += ranking.ranked_around
        new_before = np.cumsum(new_size) - new_size
        read = new_before[piece] + ranking.read_in(Spans(row[passage], new_start[piece], first, None))
        if ranking.ranked_around is not None:
            read += np.cumsum(ranking.ranked_around)[passage]
    else:
        relevant = ranking.relevant_in(Spans(row, start, end, None))
        size = ranking.read_in(Spans(row, start, end, None)) - relevant + spans.sum_by(passage, length, n)
        # in its own passage: what lies before the piece, without the relevant characters that came earlier
        ahead = ranking.relevant_in(Spans(row[passage], start[passage], first, None))
        earlier = relevant_before - relevant_before[np.searchsorted(passage, passage)]
        in_front = ranking.read_in(Spans(row[passage], start[passage], first, None))
        if ranking.ranked_around is not None:
            size = size + ranking.ranked_around
            in_front += ranking.ranked_around[passage]
        read = (np.cumsum(size) - size)[passage] + in_front - ahead + earlier
    topic = ranking.topic[row[passage]]
    first_passage = ranking.passage_bounds[topic]
    read_earlier = np.concatenate(([0], np.cumsum(size)))[first_passage]
    relevant_earlier = np.concatenate((relevant_before, [int(length.sum())]))[np.searchsorted(passage, first_passage)]
    return _Pieces(topic, first, last, relevant_before - relevant_earlier, read - read_earlier)


def sum_of_precisions(relevant_before: Ints, read_before: Ints, length: Ints) -> Floats:
    """Sum (a + i) / (b + i), i = 1 .. length; a is *relevant_before*, b *read_before*, a <= b, H the harmonic numbers.

    The sum is length - (b - a) * (H(b + length) - H(b)).
    """
    a, b, n = (np.asarray(column, dtype=np.float64) for column in (relevant_before, read_before, length))
    return n - (b - a) * _subtract_harmonics(np.asarray(read_before), np.asarray(length))


# harmonic numbers below are looked up; from here on the terms of the series left out are below 1e-17
_SMALL = 32
_TABLE = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, _SMALL))))
_EULER = 0.5772156649015329


def _subtract_harmonics(before: Ints, length: Ints) -> Floats:
    low = before.astype(np.float64)
    high = (before + length).astype(np.float64)
    small = before < _SMALL
    low_or_1 = np.maximum(low, _SMALL)
    high_or_1 = np.maximum(high, _SMALL)
    large = np.log1p((high_or_1 - low_or_1) / low_or_1) + _sum_series(high_or_1) - _sum_series(low_or_1)
    in_table = np.minimum(before + length, _SMALL - 1)
    upper = np.where(before + length < _SMALL, _TABLE[in_table], np.log(high_or_1) + _EULER + _sum_series(high_or_1))
    return np.where(small, upper - _TABLE[np.minimum(before, _SMALL - 1)], large)


def _sum_series(n: Floats) -> Floats:
    x = 1 / (n * n)
    return 1 / (2 * n) - x * (1 / 12 - x * (1 / 120 - x * (1 / 252 - x * (1 / 240 - x / 132))))
