"""How much text a ranking returns up to a cutoff and a budget, in characters or in tokens, and how much is relevant."""

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
    judgments, parts, order = ranking.judgments, ranking.passages, ranking.passage_ranking
    index: Ints = np.arange(len(order))
    start, end = parts.start[order], parts.end[order]
    if overlap == "once":
        index, start, end = spans.novel(parts.row[order], start, end)
    row = parts.row[order[index]]
    lit, lit_start, lit_end = judgments.merged
    if unit is not None:
        start, end = _units(unit, ranking.docno[row], start), _units(unit, ranking.docno[row], end)
        docno = judgments.docno[lit]
        lit_start, lit_end = _units(unit, docno, lit_start), _units(unit, docno, lit_end)
    if chars is not None:
        read = np.concatenate(([0], np.cumsum(end - start)))
        before = read[:-1] - read[np.searchsorted(index, ranking.passage_bounds[ranking.topic[row]])]
        end = start + np.clip(chars - before, 0, end - start)
    inside = np.flatnonzero(ranking.highlighted[row])
    relevant = np.zeros(len(row), dtype=np.int64)
    relevant[inside] = spans.coverage(ranking.judged[row[inside]], start[inside], end[inside], lit, lit_start, lit_end)
    n = len(order)
    passages = Passages(ranking.passage_bounds, spans.sum_by(index, end - start, n), spans.sum_by(index, relevant, n))
    return passages, spans.sum_by(judgments.topic[lit], lit_end - lit_start, len(judgments.topics))


def _units(unit: Any, docno: np.ndarray, position: Ints) -> Ints:
    counts: Ints = unit.count_before(docno, position)
    return counts
