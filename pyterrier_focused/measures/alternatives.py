"""Evidence with alternatives: each is measured as if it were the only evidence, and a topic's value is the best.

One mechanism for all measures: a topic with m alternatives is m topics with the same ranking, each with the highlights
of one alternative. Text that only the others highlight is neither evidence nor noise there: passages' sizes lack it.

    topic 0, alternatives 1 and 2    highlights  11111
                                                    22222
    topic 0 (of 1)                   highlighted =====      ignored      ===
    topic 1 (of 2)                   highlighted    =====   ignored   ===
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..frames import spans
from ..frames.columns import Spans
from ..frames.spans import Floats, Ints, ratio

if TYPE_CHECKING:
    from .base import FocusedMeasure, RatioMeasure
    from .ranking import Judgments, Ranking


@dataclass(frozen=True, eq=False)
class Alternatives:
    """The alternatives of all topics, topic by topic; a topic without evidence has one, which is empty."""

    judgments: Judgments  # a topic for each alternative
    topic: Ints  # the real topic of each, ascending
    first: Ints  # of each real topic: its first alternative
    first_row: Ints  # of each alternative: where its rows of the judgments begin, less the real topic's own
    row_in_topic: Ints  # of each real row: its position among the rows of its topic


def of_judgments(judgments: Judgments, number: Ints) -> Alternatives | None:
    """Set the alternatives of the judgments apart; *number* is that of each highlight. None where no topic has two."""
    row, start, end, _ = judgments.highlights
    n = len(judgments.topics)
    of_topic = judgments.topic[row]
    names, code = np.unique(np.stack((of_topic, number)), axis=1, return_inverse=True)
    code = code.reshape(-1)
    per_topic = np.bincount(names[0], minlength=n)
    if per_topic.max(initial=0) < 2:
        return None
    topic = np.repeat(np.arange(n), np.maximum(per_topic, 1))
    first = np.searchsorted(topic, np.arange(n))
    known = np.searchsorted(names[0], np.arange(n))  # of each topic: its first alternative that has highlights
    virtual = first[of_topic] + code - known[of_topic]
    rows_by_topic = np.argsort(judgments.topic, kind="stable")
    bounds = np.searchsorted(judgments.topic[rows_by_topic], np.arange(n + 1))
    row_in_topic = np.empty(len(judgments.topic), dtype=np.int64)
    row_in_topic[rows_by_topic] = np.arange(len(rows_by_topic)) - bounds[judgments.topic[rows_by_topic]]
    count = np.diff(bounds)[topic]
    alone = np.repeat(per_topic[topic] < 2, count)
    first_row = np.concatenate(([0], np.cumsum(count)))[:-1]
    real = rows_by_topic[spans.ranges(bounds[topic], count)]
    own = spans.union(first_row[virtual] + row_in_topic[row], start, end, touching=False)
    apart = Spans(*own, None)
    expanded = replace(
        judgments,
        topics=[judgments.topics[t] for t in topic.tolist()],
        topic=np.repeat(np.arange(len(topic)), count),
        docno=judgments.docno[real],
        labels=None if judgments.labels is None else judgments.labels[real],
        highlight_spans=apart,
        beps=None if judgments.beps is None else _entry_points(judgments.beps[real], apart, alone),
        lengths=None if judgments.lengths is None else judgments.lengths[real],
        numbers=None,
        ignored=_ignored(judgments, apart, real),
    )
    return Alternatives(expanded, topic, first, first_row, row_in_topic)


def _ignored(judgments: Judgments, own: Spans, real: Ints) -> tuple[Ints, Ints, Ints]:
    """Return what only other alternatives highlight, in each row: (row, start, end), sorted."""
    row, start, end = judgments.merged
    bounds = np.searchsorted(row, np.arange(len(judgments.topic) + 1))
    count = np.diff(bounds)[real]
    every = spans.ranges(bounds[real], count)
    of_row = np.repeat(np.arange(len(real)), count)
    columns = [np.concatenate(pair) for pair in ((own.row, of_row), (own.start, start[every]), (own.end, end[every]))]
    piece, first, last = spans.novel(*columns)  # own text goes to the own spans, which come first
    others = piece >= len(own.row)
    return spans.union(columns[0][piece[others]], first[others], last[others])


def _entry_points(bep: Ints, own: Spans, alone: NDArray[np.bool_]) -> Ints:
    """Best entry points: the row's own where it lies in the alternative's highlights, else where these begin.

    A topic's only alternative keeps the row's own, as qrels without alternatives do.
    """
    first = bep.copy()
    first[own.row[::-1]] = own.start[::-1]  # spans are sorted: a row's first one stays
    held = alone | (bep < 0)
    held[own.row[(own.start <= bep[own.row]) & (bep[own.row] < own.end)]] = True
    return np.where(held, bep, first)


def expand(ranking: Ranking, alternatives: Alternatives) -> Ranking:
    """Repeat the ranking of each topic for each of its alternatives."""
    topic = alternatives.topic
    count = np.diff(ranking.bounds)[topic]
    articles = spans.ranges(ranking.bounds[topic], count)
    virtual = np.repeat(np.arange(len(topic)), count)
    judged = ranking.judged[articles]
    row = alternatives.first_row[virtual] + alternatives.row_in_topic[judged]
    passages: Spans | None = None
    if ranking.passage_spans is not None:
        bounds = ranking.passage_bounds
        every = spans.ranges(bounds[topic], np.diff(bounds)[topic])
        shift = np.concatenate(([0], np.cumsum(count)))[:-1] - ranking.bounds[topic]
        at = ranking.passages.row[every] + np.repeat(shift, np.diff(bounds)[topic])
        score = ranking.passages.score
        passages = Spans(
            at, ranking.passages.start[every], ranking.passages.end[every], None if score is None else score[every]
        )
    return replace(
        ranking,
        judgments=alternatives.judgments,
        topic=virtual,
        docno=ranking.docno[articles],
        score=ranking.score[articles],
        judged=np.where(judged >= 0, row, -1),
        passage_spans=passages,
    )


def values(measure: FocusedMeasure, ranking: Ranking) -> Floats:
    """Score each judged topic by a measure: by its best alternative where it has several."""
    if not measure.OF_ALTERNATIVES or "highlights" not in measure.QRELS_COLUMNS:
        return measure.calculate(ranking)
    return best(measure.calculate(ranking.by_alternative), ranking.judgments.alternatives)


def best(values: Floats, alternatives: Alternatives | None) -> Floats:
    """Return the highest value of each topic; *values* has a row for each alternative."""
    return values if alternatives is None else np.maximum.reduceat(values, alternatives.first, axis=0)


def fractions(measure: RatioMeasure, ranking: Ranking) -> tuple[Any, Any]:
    """Return numerator and denominator of a ratio for each judged topic, those of its best alternative."""
    alternatives = ranking.judgments.alternatives
    if alternatives is None:
        return measure.fractions(ranking)
    numerator, denominator = measure.fractions(ranking.by_alternative)
    shares = ratio(numerator, denominator)
    order = np.lexsort((np.arange(len(shares)), -shares, alternatives.topic))[alternatives.first]
    return numerator[order], denominator[order]
