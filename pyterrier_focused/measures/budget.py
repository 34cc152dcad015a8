"""How much text a ranking returns up to a cutoff and a budget, in characters or in tokens, and how much is relevant.

`measured` cuts every ranking at one budget, as measures ask; `Reading` is read once and tells what any budget brings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import spans
from ..spans import Ints
from .base import FocusedMeasure
from .ranking import Passages, Ranking


def measured(ranking: Ranking, measure: FocusedMeasure) -> tuple[Passages, Ints]:
    """The ranked passages and the topics' highlighted text (Trel), as overlap, chars and unit of *measure* say.

    *chars* cuts the ranking where that much has been read: passages behind it have size 0. *unit* counts other things
    than characters: a position becomes the number of units that begin before it, so that each unit lies where its first
    character does, and what spans share and what they cover together stays as it was.
    """
    passages = ranking.ranked_passages(measure["overlap"])  # refuses overlapping parts
    chars = measure.param("chars") if "chars" in measure.SUPPORTED_PARAMS else None
    unit = measure.param("unit")
    if chars is None and unit is None:
        return passages, ranking.judgments.topic_size
    return _measured(ranking, measure["overlap"], chars, unit)


def _measured(ranking: Ranking, overlap: str, chars: int | None, unit: object) -> tuple[Passages, Ints]:
    read = _Laid(ranking, overlap, unit)
    end = read.end
    if chars is not None:
        end = read.start + np.clip(chars - read.before, 0, end - read.start)
    row, lit = read.row, read.lit
    inside = np.flatnonzero(ranking.highlighted[row])
    relevant = np.zeros(len(row), dtype=np.int64)
    relevant[inside] = spans.coverage(ranking.judged[row[inside]], read.start[inside], end[inside], *lit)
    n = len(ranking.passage_ranking)
    sizes = spans.sum_by(read.index, end - read.start, n), spans.sum_by(read.index, relevant, n)
    return Passages(ranking.passage_bounds, *sizes), read.topic_size


class _Laid:
    """The text of a ranking in reading order, cut into spans: *index* is the passage's rank over all topics.

    Positions count characters, or units; *before*: how much of the topic's text is read before each span; *lit*: the
    relevant text, in the same positions.
    """

    def __init__(self, ranking: Ranking, overlap: str, unit: object):
        judgments, parts, order = ranking.judgments, ranking.passages, ranking.passage_ranking
        self.index: Ints = np.arange(len(order))
        start, end = parts.start[order], parts.end[order]
        if overlap == "once":
            self.index, start, end = spans.novel(parts.row[order], start, end)
        self.row = parts.row[order[self.index]]
        lit, lit_start, lit_end = judgments.merged
        if unit is not None:
            start, end = (_units(unit, ranking.docno[self.row], at) for at in (start, end))
            lit_start, lit_end = (_units(unit, judgments.docno[lit], at) for at in (lit_start, lit_end))
        self.start, self.end, self.lit = start, end, (lit, lit_start, lit_end)
        self.topic = ranking.topic[self.row]
        read = np.concatenate(([0], np.cumsum(end - start)))
        first = np.searchsorted(self.index, ranking.passage_bounds)
        self.before = read[:-1] - read[first[self.topic]]
        self.total = read[first[1:]] - read[first[:-1]]  # read in each topic
        self.topic_size = spans.sum_by(judgments.topic[lit], lit_end - lit_start, len(judgments.topics))


class Reading:
    """A ranking read from the top, each character once: how much was read and found after any budget.

    The relevant text that was read is a list of spans, each with what was read and found before it; a budget ends
    inside the last one that begins before it.
    """

    def __init__(self, ranking: Ranking, unit: object = None):
        laid = _Laid(ranking, "once", unit)
        inside = np.flatnonzero(ranking.highlighted[laid.row])
        group = ranking.judged[laid.row[inside]]
        owner, _, start, end = spans.intersections(group, laid.start[inside], laid.end[inside], *laid.lit)
        owner = inside[owner]
        some = end > start  # between two tokens there may be none
        owner, start, end = owner[some], start[some], end[some]
        self.topic, self.length = laid.topic[owner], end - start
        self.before = laid.before[owner] + start - laid.start[owner]
        self.found_before = np.cumsum(self.length) - self.length
        self.total, self.topic_size = laid.total, laid.topic_size

    def after(self, budgets: Ints) -> tuple[Ints, Ints]:
        """What is read, and what of it is relevant: two tables, a row a topic, a column a budget."""
        topics = np.arange(len(self.total))[:, None]
        stride = max(int(budgets.max(initial=0)), int(self.before.max(initial=0))) + 1
        at = np.searchsorted(self.topic * stride + self.before, topics * stride + budgets)
        first = np.searchsorted(self.topic, topics)
        bounds = np.concatenate((self.found_before, [int(self.length.sum())]))
        found = bounds[at] - bounds[first]
        last = np.maximum(at - 1, 0)
        if len(self.length):  # the last span may go on behind the budget
            found -= np.where(at > first, np.maximum(self.before[last] + self.length[last] - budgets, 0), 0)
        return np.minimum(self.total[:, None], budgets), found


def _units(unit: Any, docno: np.ndarray, position: Ints) -> Ints:
    counts: Ints = unit.count_before(docno, position)
    return counts
