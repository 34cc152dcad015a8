"""Article-level measures of chapter 8 of Manning, Raghavan and Schuetze that ir_measures does not have."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..frames.spans import Floats, Ints, ratio
from .base import RECALL, FocusedMeasure, Number, Param, cutoff
from .ranking import Ranking

__all__ = ["IAP11", "ROCAUC", "APBound", "F", "PAtRecall", "SetAccuracy", "Specificity"]


class _Document(FocusedMeasure):
    """Relevant are articles with label >= 1; any ordinary run and qrels will do."""

    NEEDS_PASSAGES = False
    QRELS_COLUMNS = ("relevance",)


class _IAP11(_Document):
    """11-point interpolated average precision over articles.

    The mean, over the recall levels 0.0, 0.1, ... 1.0, of the highest precision at any rank with at least that recall.

    Range: [0, 1]. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: Manning, Raghavan and Schuetze, chapter 8.4, equation 8.7 and table 8.1.
    """

    NAME = __name__ = "IAP11"
    PRETTY_NAME = "11-point Interpolated Average Precision"
    SHORT_DESC = "The mean of interpolated article precision at the recall levels 0.0, 0.1, ... 1.0."

    def calculate(self, ranking: Ranking) -> Floats:
        mean: Floats = interpolated_precision(ranking, 11).mean(axis=1)
        return mean


IAP11 = _IAP11()


class _F(_Document):
    """F-measure over articles: the weighted harmonic mean of precision and recall of the first k articles.

    F@k = (1 + beta^2) * P@k * R@k / (beta^2 * P@k + R@k), with P@k the relevant ones among the first k over k, and R@k
    those over all relevant articles. Without @k the whole ranking is the set: k is the number of retrieved articles.
    The same with alpha: F@k = 1 / (alpha / P@k + (1 - alpha) / R@k), where beta^2 = (1 - alpha) / alpha.

    Range: [0, 1]. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: Manning, Raghavan and Schuetze, chapter 8.3, equation 8.5.
    """

    NAME = __name__ = "F"
    PRETTY_NAME = "F-measure"
    SHORT_DESC = "The harmonic mean of article precision and recall at a cutoff."
    SUPPORTED_PARAMS = {
        "cutoff": cutoff("number of articles; without it all that were retrieved"),
        "beta": Number(
            float,
            "weight of recall against precision; 0 is precision",
            default=1,
            check=lambda value: value == 0 or 1e-100 < value < 1e100,
            expects="0 or a positive number, between 1e-100 and 1e100",
        ),
        "alpha": Number(
            float,
            "weight of precision, 1 - alpha that of recall (given: used in place of beta)",
            check=lambda value: 0 <= value <= 1,
            expects="a number in [0, 1]",
        ),
    }

    def check_params(self) -> None:
        if "alpha" in self.params and "beta" in self.params:
            raise ValueError("F: alpha and beta say the same in two ways; give one of them")

    def calculate(self, ranking: Ranking) -> Floats:
        retrieved = np.diff(ranking.bounds)
        cutoff = self.param("cutoff")
        found = ranking.relevant if cutoff is None else ranking.relevant & (ranking.position < cutoff)
        hits = np.bincount(ranking.topic[found], minlength=len(retrieved))
        total = ranking.judgments.count(ranking.judgments.relevant)
        size = retrieved if cutoff is None else np.full(len(hits), cutoff)
        if "alpha" in self.params:
            return ratio(hits, self["alpha"] * size + (1 - self["alpha"]) * total)
        weight = float(self["beta"]) ** 2
        return ratio((1 + weight) * hits, weight * total + size)


F = _F()


class Contingency(NamedTuple):
    """Numbers of articles, one entry per topic: retrieved or not (positive), and rightly so or not (true)."""

    true_positives: Ints
    false_positives: Ints
    false_negatives: Ints
    true_negatives: Ints


class _ContingencyTable(_Document):
    """The contingency table of retrieved and relevant articles, which accuracy and specificity share."""

    SUPPORTED_PARAMS = {
        "cutoff": cutoff("number of articles that count as retrieved; without it all that were retrieved"),
        "documents": cutoff("number of articles in the collection; without it only the judged articles are counted"),
    }

    def table(self, ranking: Ranking) -> Contingency:
        judgments = ranking.judgments
        n = len(ranking.judgments.topics)
        found = ranking.position < (self.param("cutoff") or len(ranking.topic) + 1)
        relevant = np.bincount(ranking.topic[found & ranking.relevant], minlength=n)
        others = found & ~ranking.relevant & ((ranking.judged >= 0) | (self.param("documents") is not None))
        wrong = np.bincount(ranking.topic[others], minlength=n)
        total = judgments.count(judgments.relevant)
        size = self.param("documents") or np.bincount(judgments.topic, minlength=n)
        rest = size - total - wrong
        if np.any(rest < 0):
            topic = judgments.topics[int(np.argmax(rest < 0))]
            raise ValueError(
                f"{self.NAME}(documents={size}), topic {topic!r}: more articles than that are relevant or retrieved; "
                "give the number of articles in the collection"
            )
        return Contingency(relevant, wrong, total - relevant, rest)


class _SetAccuracy(_ContingencyTable):
    """Accuracy of retrieval as classification: the share of articles that are rightly retrieved or rightly left out.

    (tp + tn) / (tp + fp + fn + tn), over the judged articles, or over all `documents` of the collection, of which those
    not judged are not relevant. (ir_measures' Accuracy is another measure, of pairs.)

    Range: [0, 1]. An empty ranking scores the share of articles that are not relevant.
    Source: Manning, Raghavan and Schuetze, chapter 8.3, table 8.3 and the text below equation 8.4.
    """

    NAME = __name__ = "SetAccuracy"
    PRETTY_NAME = "Accuracy of the Retrieved Set"
    SHORT_DESC = "The share of articles that are rightly retrieved or rightly left out."

    def calculate(self, ranking: Ranking) -> Floats:
        table = self.table(ranking)
        return ratio(table.true_positives + table.true_negatives, np.sum(table, axis=0))


SetAccuracy = _SetAccuracy()


class _Specificity(_ContingencyTable):
    """Specificity, one minus the false alarm rate: tn / (fp + tn), over the same articles as SetAccuracy.

    Range: [0, 1]. An empty ranking scores 1, or 0 if every article is relevant.
    Source: Manning, Raghavan and Schuetze, chapter 8.4 (ROC curves).
    """

    NAME = __name__ = "Specificity"
    PRETTY_NAME = "Specificity"
    SHORT_DESC = "The share of the articles that are not relevant that were left out."

    def calculate(self, ranking: Ranking) -> Floats:
        table = self.table(ranking)
        return ratio(table.true_negatives, table.false_positives + table.true_negatives)


Specificity = _Specificity()


class _PAtRecall(_Document):
    """Precision at a recall level, not interpolated: that of the first rank at which recall reaches the level.

    PAtRecall@j = P@r for the smallest r with R@r >= j, and 0 if no r reaches it; at j = 0 the first article counts.
    The level is the decimal that is written, compared exactly.

    Range: [0, 1]. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: Manning, Raghavan and Schuetze, chapter 8.4, exercise 8.9c.
    """

    NAME = __name__ = "PAtRecall"
    PRETTY_NAME = "Precision at Recall"
    SHORT_DESC = "Article precision at the first rank that reaches a level of recall."
    AT_PARAM = "recall"
    SUPPORTED_PARAMS = {"recall": RECALL}

    def calculate(self, ranking: Ranking) -> Floats:
        total = ranking.judgments.count(ranking.judgments.relevant)
        level = Fraction(str(self["recall"]))
        value = np.zeros(len(total))
        for topic, part in ranking.slices():
            hits = np.cumsum(ranking.relevant[part])
            wanted = -(-level.numerator * int(total[topic]) // level.denominator)
            rank = int(np.searchsorted(hits, wanted))
            if total[topic] and rank < len(hits):
                value[topic] = hits[rank] / (rank + 1)
        return value


PAtRecall = _PAtRecall()


class _APBound(_Document):
    """Bound of average precision: what AP would be, had the ranking gone on to the end of the collection.

    The relevant articles that were not retrieved are right after the ranking ('upper') or at the very end of all
    `documents` of the collection ('lower'). The true AP lies between the two; AP itself counts them as never found.

    Range: [0, 1]. A topic with nothing relevant scores 0.
    Source: Manning, Raghavan and Schuetze, chapter 8.4, exercise 8.9f and g.
    """

    NAME = __name__ = "APBound"
    PRETTY_NAME = "Bound of Average Precision"
    SHORT_DESC = "The highest or lowest average precision that a longer ranking could have."
    SUPPORTED_PARAMS = {
        "side": Param(str, "'upper' or 'lower' bound", default="upper", choices=("upper", "lower")),
        "documents": cutoff("number of articles in the collection, for side='lower'"),
    }

    def check_params(self) -> None:
        if (self["side"] == "lower") != ("documents" in self.params):
            raise ValueError(
                "APBound: side='lower' needs documents, the number of articles in the collection; upper none"
            )

    def calculate(self, ranking: Ranking) -> Floats:
        total = ranking.judgments.count(ranking.judgments.relevant)
        length = np.diff(ranking.bounds)
        documents = self.param("documents")
        value = np.zeros(len(total))
        for topic, relevant in enumerate(total.tolist()):
            part = slice(ranking.bounds[topic], ranking.bounds[topic + 1])
            ranks = np.flatnonzero(ranking.relevant[part]) + 1
            missing = relevant - len(ranks)
            end = int(length[topic]) + missing if documents is None else documents
            if end < int(length[topic]) + missing:
                raise ValueError(
                    f"APBound(documents={documents}), topic {ranking.judgments.topics[topic]!r}: more articles are "
                    "retrieved or relevant; give the number of articles in the collection"
                )
            ranks = np.concatenate((ranks, np.arange(end - missing, end) + 1))
            value[topic] = (np.arange(1, len(ranks) + 1) / ranks).sum() / relevant if relevant else 0.0
        return value


APBound = _APBound()


class _ROCAUC(_Document):
    """Area under the ROC curve over the judged articles: true against false positive rate down the ranking.

    The probability that a relevant judged article is ranked above a judged one that is not; articles that were not
    retrieved come last, tied with each other (a tie counts one half). Unjudged articles do not matter.

    Range: [0, 1]. 0.5 if the topic lacks relevant or non-relevant judged articles, or nothing was retrieved.
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
        missed = positives.copy()
        above = np.zeros(len(positives))
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


ROCAUC = _ROCAUC()


def interpolated_precision(ranking: Ranking, points: int) -> Floats:
    """Return interpolated article precision of each topic (row) at evenly spaced recall levels from 0 to 1 (column).

    Relevant are ranks 1 and 4 of 2 relevant articles: at the levels 0, .5 and 1 the precision is 1, 1 and .5.
    """
    total = ranking.judgments.count(ranking.judgments.relevant)
    values = np.zeros((len(total), points))
    levels = np.arange(points)
    for topic, part in ranking.slices():
        hits = np.flatnonzero(ranking.relevant[part])
        if not len(hits):
            continue
        # precision is highest when recall has just risen
        best = np.maximum.accumulate((np.arange(1, len(hits) + 1) / (hits + 1))[::-1])[::-1]
        # the hit that makes each level of recall
        hit = (-(-levels * total[topic] // (points - 1))).clip(1) - 1
        reached = hit < len(best)
        values[topic, reached] = best[hit[reached]]
    return values
