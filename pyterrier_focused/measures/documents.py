"""Article-level measures of chapter 8 of Manning, Raghavan and Schuetze that ir_measures does not have."""

from __future__ import annotations

import numpy as np

from ..spans import Floats
from .base import FocusedMeasure, cutoff, positive
from .ranking import Ranking, ratio


class _Document(FocusedMeasure):
    """Relevant are articles with label >= 1; any ordinary run and qrels will do."""

    NEEDS_PASSAGES = False
    QRELS_COLUMNS = ("relevance",)


class _IAP11(_Document):
    """11-point interpolated average precision over articles.

    The mean, over the recall levels 0.0, 0.1, ... 1.0, of the highest precision at any rank whose recall is at least
    the level (0 where none is); the levels are compared exactly, without rounding.

    Parameters: none.
    Range: [0, 1]. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: Manning, Raghavan and Schuetze, chapter 8.4, equation 8.7 and table 8.1.
    """

    NAME = __name__ = "IAP11"
    PRETTY_NAME = "11-point Interpolated Average Precision"
    SHORT_DESC = "The mean of interpolated article precision at the recall levels 0.0, 0.1, ... 1.0."

    def calculate(self, ranking: Ranking) -> Floats:
        return interpolated_precision(ranking, 11).mean(axis=1)


class _F(_Document):
    """F-measure over articles: the weighted harmonic mean of precision and recall of the first k articles.

    F@k = (1 + beta^2) * P@k * R@k / (beta^2 * P@k + R@k), with P@k the relevant ones among the first k over k, and R@k
    those over all relevant articles. Without @k the whole ranking is the set: k is the number of retrieved articles.

    Parameters: cutoff (k, articles); beta (default 1; > 1 favours recall).
    Range: [0, 1]. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: Manning, Raghavan and Schuetze, chapter 8.3, equation 8.5.
    """

    NAME = __name__ = "F"
    PRETTY_NAME = "F-measure"
    SHORT_DESC = "The harmonic mean of article precision and recall at a cutoff."
    SUPPORTED_PARAMS = {
        "cutoff": cutoff("number of articles; without it all that were retrieved"),
        "beta": positive("weight of recall against precision", default=1),
    }

    def calculate(self, ranking: Ranking) -> Floats:
        retrieved, cutoff = np.diff(ranking.bounds), self.param("cutoff")
        found = ranking.relevant if cutoff is None else ranking.relevant & (ranking.position < cutoff)
        hits = np.bincount(ranking.topic[found], minlength=len(retrieved))
        total = ranking.judgments.count(ranking.judgments.relevant)
        weight = float(self["beta"]) ** 2
        return ratio((1 + weight) * hits, weight * total + (retrieved if cutoff is None else cutoff))


class _ROCAUC(_Document):
    """Area under the ROC curve over the judged articles: true against false positive rate down the ranking.

    The probability that a relevant judged article is ranked above a judged one that is not; articles that were not
    retrieved come last, tied with each other (a tie counts one half). Unjudged articles do not matter.

    Parameters: none.
    Range: [0, 1]. 0.5 where the topic lacks relevant or non-relevant judged articles, or nothing was retrieved.
    Source: Manning, Raghavan and Schuetze, chapter 8.4, figure 8.4.
    """

    NAME = __name__ = "ROCAUC"
    PRETTY_NAME = "Area under the ROC Curve"
    SHORT_DESC = "The probability that a relevant judged article is ranked above one that is not relevant."
    DEFAULT = 0.5

    def calculate(self, ranking: Ranking) -> Floats:
        judgments = ranking.judgments
        positives = judgments.count(judgments.relevant)
        negatives = judgments.count(~judgments.relevant)
        missed, above = positives.copy(), np.zeros(len(positives))
        negatives_left = negatives.copy()
        for topic, part in ranking.slices():
            relevant = ranking.relevant[part]
            negative = (ranking.judged[part] >= 0) & ~relevant
            seen = np.cumsum(negative)
            above[topic] = (negatives[topic] - seen[relevant]).sum()
            missed[topic] -= relevant.sum()
            negatives_left[topic] -= seen[-1]
        pairs = positives * negatives
        return np.where(pairs > 0, ratio(above + missed * negatives_left / 2, pairs), 0.5)


def interpolated_precision(ranking: Ranking, points: int) -> Floats:
    """Interpolated article precision of each topic (row) at evenly spaced recall levels from 0 to 1 (column)."""
    total = ranking.judgments.count(ranking.judgments.relevant)
    values = np.zeros((len(total), points))
    levels = np.arange(points)
    for topic, part in ranking.slices():
        hits = np.flatnonzero(ranking.relevant[part])
        if not len(hits):
            continue
        # precision is highest where recall has just risen
        best = np.maximum.accumulate((np.arange(1, len(hits) + 1) / (hits + 1))[::-1])[::-1]
        at = -(-levels * total[topic] // (points - 1))  # hits that make this level of recall
        at = at.clip(1) - 1
        reached = at < len(best)
        values[topic, reached] = best[at[reached]]
    return values
