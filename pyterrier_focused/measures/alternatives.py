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

import numpy as np
from numpy.typing import NDArray

from ..frames import spans
from ..frames.spans import GroupedSpans, Ints, Spans
from .ranking import Judgments, Ranking


@dataclass(frozen=True, eq=False, repr=False)
class Alternatives:
    """The alternatives of all topics, topic by topic; a topic without evidence has one, which is empty.

    `judgments` has a topic for each alternative. Of each alternative, `topic` is its real topic and `first_row` the
    start of its rows; `first` is the first alternative of each real topic, `row_in_topic` the place of each real row
    in its topic.
    """

    judgments: Judgments
    topic: Ints
    first: Ints
    first_row: Ints
    row_in_topic: Ints


def find_alternatives(judgments: Judgments) -> Alternatives | None:
    """Return the alternatives of the topics, set apart once; None if no topic has two."""
    if "alternatives" not in judgments.derived:
        numbers = judgments.numbers
        judgments.derived["alternatives"] = None if numbers is None else _separate_alternatives(judgments, numbers)
    found: Alternatives | None = judgments.derived["alternatives"]
    return found


def by_alternative(ranking: Ranking) -> Ranking:
    """Return the ranking of each topic, once for each of its alternatives."""
    alternatives = find_alternatives(ranking.judgments)
    if alternatives is None:
        return ranking
    if "by alternative" not in ranking.derived:
        ranking.derived["by alternative"] = _repeat_ranking(ranking, alternatives)
    expanded: Ranking = ranking.derived["by alternative"]
    return expanded


def _separate_alternatives(judgments: Judgments, number: Ints) -> Alternatives | None:
    """Set the alternatives of the judgments apart; *number* is that of each highlight. None if no topic has two.

    Topics with alternatives 1 and 2, none, and 5 alone, of two rows each: `topic` 0 0 1 2, `first` 0 2 3, `first_row`
    0 2 4 6.
    """
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
    # of each topic: its first alternative that has highlights
    first_code = np.searchsorted(names[0], np.arange(n))
    virtual = first[of_topic] + code - first_code[of_topic]
    rows_by_topic = np.argsort(judgments.topic, kind="stable")
    bounds = np.searchsorted(judgments.topic[rows_by_topic], np.arange(n + 1))
    row_in_topic = np.empty(len(judgments.topic), dtype=np.int64)
    row_in_topic[rows_by_topic] = np.arange(len(rows_by_topic)) - bounds[judgments.topic[rows_by_topic]]
    count = np.diff(bounds)[topic]
    alone = np.repeat(per_topic[topic] < 2, count)
    first_row = np.concatenate(([0], np.cumsum(count)))[:-1]
    real = rows_by_topic[spans.ranges(bounds[topic], count)]
    divided = replace(judgments, highlight_spans=Spans(first_row[virtual] + row_in_topic[row], start, end, None))
    evidence = divided.evidence
    apart = Spans(evidence.row, evidence.start, evidence.end, None)
    expanded = replace(
        judgments,
        topics=[judgments.topics[t] for t in topic.tolist()],
        topic=np.repeat(np.arange(len(topic)), count),
        docno=judgments.docno[real],
        labels=None if judgments.labels is None else judgments.labels[real],
        highlight_spans=apart,
        beps=None if judgments.beps is None else _choose_entry_points(judgments.beps[real], apart, alone),
        lengths=None if judgments.lengths is None else judgments.lengths[real],
        numbers=None,
        covers=evidence.cover,
        ignored=_find_ignored(judgments, apart, real),
    )
    return Alternatives(expanded, topic, first, first_row, row_in_topic)


def _find_ignored(judgments: Judgments, own: Spans, real: Ints) -> GroupedSpans:
    """Return what only other alternatives highlight, in each row, sorted."""
    row, start, end = judgments.merged
    bounds = np.searchsorted(row, np.arange(len(judgments.topic) + 1))
    count = np.diff(bounds)[real]
    every = spans.ranges(bounds[real], count)
    of_row = np.repeat(np.arange(len(real)), count)
    return spans.difference(GroupedSpans(of_row, start[every], end[every]), GroupedSpans(*own[:3]))


def _choose_entry_points(bep: Ints, own: Spans, alone: NDArray[np.bool_]) -> Ints:
    """Choose the row's best entry point if it lies in the alternative's highlights, else where these begin.

    A topic's only alternative keeps the row's own, as qrels without alternatives do.
    """
    first = bep.copy()
    # spans are sorted: a row's first one stays
    first[own.row[::-1]] = own.start[::-1]
    held = alone | (bep < 0)
    held[own.row[(own.start <= bep[own.row]) & (bep[own.row] < own.end)]] = True
    return np.where(held, bep, first)


def _repeat_ranking(ranking: Ranking, alternatives: Alternatives) -> Ranking:
    """Repeat the ranking of each topic for each of its alternatives.

    Topic 0 with 2 alternatives and articles a b, topic 1 with 1 and article c: topics 0 0 1 1 2, articles a b a b c.
    """
    topic = alternatives.topic
    count = np.diff(ranking.bounds)[topic]
    articles = spans.ranges(ranking.bounds[topic], count)
    virtual = np.repeat(np.arange(len(topic)), count)
    judged = ranking.judged[articles]
    row = alternatives.first_row[virtual] + alternatives.row_in_topic[judged]
    passages = None
    if ranking.run_passages is not None:
        passages = ranking.run_passages.take(articles)
    return replace(
        ranking,
        judgments=alternatives.judgments,
        topic=virtual,
        docno=ranking.docno[articles],
        score=ranking.score[articles],
        judged=np.where(judged >= 0, row, -1),
        run_passages=passages,
    )
