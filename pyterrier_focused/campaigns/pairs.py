"""Pairs of spans in the same text, and sums within topics: what the measures of the campaigns share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..frames.spans import Ints, ranges
from ..measures.ranking import Ranking


class Ranked(NamedTuple):
    """The passages of a run in ranking order, topic by topic; *judged* is a row of the judgments, -1 for none.

    Topic t's passages are bounds[t]:bounds[t + 1].
    """

    topic: Ints
    judged: Ints
    start: Ints
    end: Ints
    bounds: Ints


def ranked_spans(ranking: Ranking) -> Ranked:
    """Lay out the passages of a run in ranking order. Raises ValueError if items have several."""
    if ranking.items is not None:
        raise ValueError(
            "the run has items of several passages (column 'items'), and campaigns' measures rank single passages; "
            "drop the column to score each passage by itself"
        )
    parts = ranking.passages
    order = ranking.passage_ranking
    row = parts.row[order]
    return Ranked(ranking.topic[row], ranking.judged[row], parts.start[order], parts.end[order], ranking.passage_bounds)


def pair_up(group: Ints, reference: Ints) -> tuple[Ints, Ints]:
    """List all pairs of one group: (position in *group*, position in *reference*), in order of both.

    *reference* must be sorted; a group that it lacks, such as -1, has no pairs. Groups 2, -1, 0 and references 0, 2, 2
    make the pairs (0, 1), (0, 2) and (2, 0).
    """
    first = np.searchsorted(reference, group, side="left")
    count = np.searchsorted(reference, group, side="right") - first
    return np.repeat(np.arange(len(group)), count), ranges(first, count)


def first_of_each(index: Ints) -> Ints:
    """Return the position of the first entry of each run of equal values."""
    return np.flatnonzero(np.concatenate((np.ones(min(len(index), 1), dtype=bool), index[1:] != index[:-1])))


def running_sum(values: NDArray[np.generic], topic: Ints, bounds: Ints) -> Ints:
    """Sum whole numbers up to each entry of its topic; topic t's entries are `bounds[t]:bounds[t + 1]`.

    values 1 0 2 5, topic 0 0 1 1, bounds 0 2 4  ->  1 1 2 7
    """
    total = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    sums: Ints = total[1:] - total[bounds[:-1]][topic]
    return sums
