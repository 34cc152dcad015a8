"""Measures of QVHighlights: predicted moments of a video, held against the judged ones by intersection over union."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Floats, Ints
from ..base import FocusedMeasure, Number, cutoff
from ..ranking import Ranking
from ..span_pairs import pair_up, ranked_spans

THRESHOLDS = tuple(percent / 100 for percent in range(50, 100, 5))
_IS_SHARE = "a number above 0, up to 1"


class _MomentHit(FocusedMeasure):
    """Whether the first predicted moment is a judged one: R1@IoU of QVHighlights.

    MomentHit = 1 if the intersection over union of the first passage with a highlight of its article is at least `iou`,
    else 0. The program of QVHighlights takes the first prediction in the file, which is that of the highest score in
    files that are in order.

    Parameters: iou (default 0.5).
    Range: 0 or 1. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: Lei, Berg and Bansal, QVHighlights: Detecting Moments and Highlights in Videos via Natural Language Queries,
    NeurIPS 2021; standalone_eval of the project moment_detr.
    """

    OF_ALTERNATIVES = False
    NAME = __name__ = "MomentHit"
    PRETTY_NAME = "Moment Hit"
    SHORT_DESC = "Whether the first predicted moment overlaps a judged one enough (R1@IoU of QVHighlights)."
    SUPPORTED_PARAMS = {
        "iou": Number(
            float,
            "least intersection over union of a moment with a judged one",
            default=0.5,
            check=lambda value: 0 < value <= 1,
            expects=_IS_SHARE,
        )
    }

    def calculate(self, ranking: Ranking) -> Floats:
        return np.array([float(topic.first_overlap() >= self["iou"]) for topic in _list_overlaps(ranking)])


MomentHit = _MomentHit()


class _MomentAP(FocusedMeasure):
    """Average precision of predicted moments: mAP of QVHighlights, over IoU from .5 to .95 or at one of them.

    By descending score, each of the first k passages takes the highlight of its article with which its intersection
    over union is highest, at least `iou`, and that no passage before it took. MomentAP = sum over the passages that
    take one of the highest precision at their rank or after it / number of highlights. Without `iou`: the mean for iou
    = .5, .55, ... .95.

    Parameters: cutoff (k, default 10, as in the program of QVHighlights); iou (default: the ten of them).
    Range: [0, 1]. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: as MomentHit.
    """

    OF_ALTERNATIVES = False
    NAME = __name__ = "MomentAP"
    PRETTY_NAME = "Moment Average Precision"
    SHORT_DESC = "Average precision of predicted moments over thresholds of IoU (mAP of QVHighlights)."
    SUPPORTED_PARAMS = {
        "cutoff": cutoff("number of moments", default=10),
        "iou": Number(
            float,
            "least intersection over union of a moment with a judged one; without it, the mean for .5, .55, ... .95",
            default=0,
            check=lambda value: 0 <= value <= 1,
            expects=_IS_SHARE,
        ),
    }

    def calculate(self, ranking: Ranking) -> Floats:
        thresholds = (self["iou"],) if self["iou"] else THRESHOLDS
        cut = self["cutoff"]
        return np.array(
            [
                np.mean([topic.average_precision(cut, least) for least in thresholds])
                for topic in _list_overlaps(ranking)
            ]
        )


MomentAP = _MomentAP()


@dataclass(frozen=True, eq=False, repr=False)
class TopicOverlaps:
    """The pairs of a topic's passages and highlights that share something.

    Three rows: passage 0 meets highlight 2 by .6 and 3 by .1, passage 4 meets highlight 2 by .9:
    passage = 0 0 4, highlight = 2 3 2, overlap = .6 .1 .9.
    """

    passage: Ints
    highlight: Ints
    overlap: Floats
    n_passages: int
    n_highlights: int

    def first_overlap(self) -> float:
        """Return the highest overlap of the first passage."""
        return float(self.overlap[self.passage == 0].max(initial=0.0))

    def average_precision(self, cutoff: int, least: float) -> float:
        """Return the interpolated average precision of the first *cutoff* passages."""
        if not self.n_highlights:
            return 0.0
        hits = self._find_hits(min(cutoff, self.n_passages), least)
        precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
        best = np.maximum.accumulate(precision[::-1])[::-1]
        return float(best[hits].sum() / self.n_highlights)

    def _find_hits(self, n: int, least: float) -> NDArray[np.bool_]:
        """Tell which of the first *n* passages take a highlight."""
        hits = np.zeros(n, dtype=bool)
        taken: set[int] = set()
        # of highlights that a passage overlaps alike, the last one comes first, as in the official program
        order = np.lexsort((-self.highlight, -self.overlap, self.passage))
        for pair in order[self.overlap[order] >= least].tolist():
            passage = int(self.passage[pair])
            highlight = int(self.highlight[pair])
            if passage < n and not hits[passage] and highlight not in taken:
                taken.add(highlight)
                hits[passage] = True
        return hits


def _list_overlaps(ranking: Ranking) -> Iterator[TopicOverlaps]:
    """Yield the overlaps of each topic of the judgments."""
    judgments = ranking.judgments
    ranked = ranked_spans(ranking)
    relevant = judgments.highlights
    passage, highlight = pair_up(ranked.judged, relevant.row)
    length = (ranked.end - ranked.start)[passage] + (relevant.end - relevant.start)[highlight]
    shared = np.minimum(ranked.end[passage], relevant.end[highlight])
    shared = np.maximum(shared - np.maximum(ranked.start[passage], relevant.start[highlight]), 0)
    overlap = shared / (length - shared)
    n = len(judgments.topics)
    pairs = np.searchsorted(ranked.topic[passage], np.arange(n + 1)).tolist()
    n_highlights = np.bincount(judgments.topic[relevant.row], minlength=n).tolist()
    bounds = ranked.bounds.tolist()
    for topic in range(n):
        of_topic = slice(pairs[topic], pairs[topic + 1])
        yield TopicOverlaps(
            passage[of_topic] - bounds[topic],
            highlight[of_topic],
            overlap[of_topic],
            bounds[topic + 1] - bounds[topic],
            n_highlights[topic],
        )
