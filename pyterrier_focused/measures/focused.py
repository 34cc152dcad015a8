"""Measures of the focused task: how much of the retrieved text is relevant, and how much of the relevant text it is."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from ir_measures.measures import ParamInfo

from ..frames.spans import Floats, Ints, ratio
from .base import OVERLAP, RECALL, REPEAT, UNIT, Amounts, FocusedMeasure, Param, RatioMeasure, cutoff, positive
from .budget import measured
from .ranking import Passages, Ranking

__all__ = ["AiP", "CharAP", "CharF", "CharIoU", "CharJudged", "CharP", "CharR", "MAiP", "Redundancy", "iMAP", "iP"]

_CUTOFF = cutoff("number of passages counted, from the top; without it all")
# values that are interpolated at once
_CELLS = 1 << 18
_BUDGET: dict[str, ParamInfo] = {
    "cutoff": _CUTOFF,
    "chars": cutoff("budget: the ranking ends, mid-passage, where that many characters were read; without it none"),
    "overlap": REPEAT,
    "unit": UNIT,
}


class _TextMeasure(RatioMeasure):
    SUPPORTED_PARAMS = _BUDGET

    def check_params(self) -> None:
        if self["overlap"] == "noise" and {"chars", "unit"} & set(self.params):
            raise ValueError(f"{self.NAME}: overlap='noise' goes with neither chars nor unit; take 'once' or 'repeat'")


class _CharP(_TextMeasure):
    """Character precision: the share of the retrieved text that is highlighted.

    CharP@r = sum of rsize(p_i) / sum of size(p_i), i = 1..r, where rsize is a passage's highlighted and size its whole
    number of characters: its own, and those that the run's column `around` says were returned with it but are not in
    the article, such as a title put before a chunk. These are read before the passage, each time, and are never
    relevant; in tokens they are as many per character as the passage's own, rounded up, and none in lines, pages or
    documents, where nothing retrieved scores 0 too.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: INEX 2007 Evaluation Measures, section 4.2, equation 1.
    """

    NAME = __name__ = "CharP"
    PRETTY_NAME = "Character Precision"
    SHORT_DESC = "The share of the retrieved text that is highlighted."

    def fractions(self, ranking: Ranking) -> tuple[Amounts, Amounts]:
        size, relevant, _ = retrieved(ranking, self)
        return relevant, size


CharP = _CharP()


class _CharR(_TextMeasure):
    """Character recall: the share of the highlighted text that was retrieved.

    CharR@r = sum of rsize(p_i), i = 1..r, / Trel, the number of the topic's highlighted characters over all its
    articles.

    Range: [0, 1], with overlap='repeat' above 1 if text comes again. 0 for an empty ranking or without highlights.
    Source: INEX 2007 Evaluation Measures, section 4.2, equation 2.
    """

    NAME = __name__ = "CharR"
    PRETTY_NAME = "Character Recall"
    SHORT_DESC = "The share of the highlighted text that was retrieved."

    def fractions(self, ranking: Ranking) -> tuple[Amounts, Amounts]:
        _, relevant, highlighted = retrieved(ranking, self)
        return relevant, highlighted


CharR = _CharR()


class _CharF(_TextMeasure):
    """Character F-measure: the weighted harmonic mean of CharP and CharR.

    CharF@r = (1 + beta^2) * CharP@r * CharR@r / (beta^2 * CharP@r + CharR@r); beta > 1 favours recall, < 1 precision.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: Manning, Raghavan and Schuetze, chapter 8, equation 8.5, over INEX 2007, equations 1 and 2.
    """

    NAME = __name__ = "CharF"
    PRETTY_NAME = "Character F-measure"
    SHORT_DESC = "The harmonic mean of character precision and character recall."
    SUPPORTED_PARAMS = {**_BUDGET, "beta": positive("weight of recall against precision", default=1)}

    def fractions(self, ranking: Ranking) -> tuple[Amounts, Amounts]:
        size, relevant, highlighted = retrieved(ranking, self)
        weight = float(self["beta"]) ** 2
        return (1 + weight) * relevant, weight * highlighted + size


CharF = _CharF()


class _CharIoU(_TextMeasure):
    """Intersection over union of the retrieved and the highlighted text, in characters (the Jaccard coefficient).

    CharIoU@r = sum of rsize(p_i) / (sum of size(p_i) + Trel - sum of rsize(p_i)), i = 1..r.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: Jaccard coefficient over the sums of INEX 2007, equations 1 and 2.
    """

    NAME = __name__ = "CharIoU"
    PRETTY_NAME = "Character Intersection over Union"
    SHORT_DESC = "Characters both retrieved and highlighted, over those that are either."

    def fractions(self, ranking: Ranking) -> tuple[Amounts, Amounts]:
        size, relevant, highlighted = retrieved(ranking, self)
        return relevant, size + highlighted - relevant


CharIoU = _CharIoU()


class _iP(FocusedMeasure):
    """Interpolated precision at a recall level: the best precision that is still to be had at that recall or beyond.

    iP@j = max of CharP@r over all r with CharR@r >= j, and 0 if no r reaches it. The level is the decimal that is
    written, compared exactly: `iP@0.29` asks for 29/100 of the highlighted characters, not for the float next to it.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: INEX 2007 Evaluation Measures, section 4.2 (iP[jR]); reported there at 0.00, 0.01, 0.05 and 0.10.
    """

    NAME = __name__ = "iP"
    PRETTY_NAME = "Interpolated Precision at Recall"
    SHORT_DESC = "The highest character precision at or beyond a level of character recall."
    AT_PARAM = "recall"
    SUPPORTED_PARAMS = {"recall": RECALL, "overlap": OVERLAP, "unit": UNIT}

    def calculate(self, ranking: Ranking) -> Floats:
        level = Fraction(str(self["recall"]))
        return interpolated(*measured(ranking, self), [level.numerator], level.denominator)[:, 0]


iP = _iP()


class _AiP(FocusedMeasure):
    """Average interpolated precision: the mean of iP over evenly spaced recall levels. Over topics: MAiP, or iMAP.

    AiP = sum of iP@(i / (points - 1)), i = 0..points - 1, / points. The official overall measure of the focused task.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: INEX 2007 Evaluation Measures, section 4.2 (iAP, iMAP); MAiP in later years.
    """

    NAME = __name__ = "AiP"
    ALIASES = ("MAiP", "iMAP")
    PRETTY_NAME = "(Mean) Average Interpolated Precision"
    SHORT_DESC = "The mean of interpolated precision at 101 recall levels."
    SUPPORTED_PARAMS = {
        "points": Param(
            int, "number of recall levels", default=101, check=lambda n: n >= 2, expects="a whole number of at least 2"
        ),
        "overlap": OVERLAP,
        "unit": UNIT,
    }

    def calculate(self, ranking: Ranking) -> Floats:
        points = self["points"]
        mean: Floats = interpolated(*measured(ranking, self), list(range(points)), points - 1).mean(axis=1)
        return mean


AiP = MAiP = iMAP = _AiP()


class _CharAP(FocusedMeasure):
    """Average precision over characters, not interpolated.

    CharAP = (sum of CharP@r over the r with rsize(p_r) > 0 / number of such r) * CharR.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: INEX 2007 Evaluation Measures, section 4.2, equation 3.
    """

    NAME = __name__ = "CharAP"
    PRETTY_NAME = "Character Average Precision"
    SHORT_DESC = "The mean character precision where relevant text was retrieved, times character recall."
    SUPPORTED_PARAMS = {"overlap": OVERLAP, "unit": UNIT}

    def calculate(self, ranking: Ranking) -> Floats:
        passages, topic_size = measured(ranking, self)
        found = passages.relevant_size > 0
        n = len(ranking.judgments.topics)
        topic = passages.topic[found]
        total = np.bincount(topic, passages.precision[found], minlength=n)
        mean = ratio(total, np.bincount(topic, minlength=n))
        return mean * ratio(passages.totals(None)[1], topic_size)


CharAP = _CharAP()


class _CharJudged(RatioMeasure):
    """The share of the retrieved text that lies in judged articles, highlighted or not.

    CharJudged@r = sum of size(p_i) of the passages in judged articles / sum of size(p_i), i = 1..r; size is as in
    CharP. In the other measures, text of unjudged articles counts as not relevant, though nobody has read it: if
    CharJudged is low, they say little. The same over articles is Judged@k of ir_measures.

    Range: [0, 1]. An empty ranking scores 0.
    Source: Sakai, Alternatives to Bpref, SIGIR 2007 (judged documents in a ranking), over characters.
    """

    OF_ALTERNATIVES = False
    NAME = __name__ = "CharJudged"
    PRETTY_NAME = "Judged Characters"
    SHORT_DESC = "The share of the retrieved text that lies in judged articles."
    SUPPORTED_PARAMS = {"cutoff": _CUTOFF, "overlap": OVERLAP}

    def fractions(self, ranking: Ranking) -> tuple[Amounts, Amounts]:
        size, _ = ranking.ranked_sizes(self["overlap"])
        judged = ranking.judged[ranking.passages.row[ranking.passage_ranking]] >= 0
        items = Passages(ranking.item_bounds, ranking.sum_items(size), ranking.sum_items(size * judged))
        total, of_judged = items.totals(self.param("cutoff"))
        return of_judged, total


CharJudged = _CharJudged()


class _Redundancy(RatioMeasure):
    """Redundancy: the share of the retrieved text that an earlier item had already.

    Redundancy@k = characters of the first k items that lie in an earlier item / characters of the first k items. Text
    around passages (see CharP) always counts as new. Redundancy does not depend on judgments.

    Range: [0, 1). An empty ranking scores 0, as do passages that do not overlap.
    Source: CharP(overlap='repeat') against CharP(overlap='once'): what the one counts and the other does not.
    """

    OF_ALTERNATIVES = False
    QRELS_COLUMNS = ()
    NAME = __name__ = "Redundancy"
    PRETTY_NAME = "Redundancy"
    SHORT_DESC = "The share of the retrieved text that an earlier passage had already."
    SUPPORTED_PARAMS = {"cutoff": _CUTOFF}

    def fractions(self, ranking: Ranking) -> tuple[Amounts, Amounts]:
        total, repeated = ranking.redundant.totals(self.param("cutoff"))
        return repeated, total


Redundancy = _Redundancy()


class RetrievedText(NamedTuple):
    """How many characters of each topic were retrieved, how many of these are relevant, and Trel."""

    size: Ints
    relevant: Ints
    highlighted: Ints


def retrieved(ranking: Ranking, measure: FocusedMeasure) -> RetrievedText:
    passages, highlighted = measured(ranking, measure)
    return RetrievedText(*passages.totals(measure.param("cutoff")), highlighted)


def interpolated(passages: Passages, topic_size: Ints, levels: list[int], denominator: int) -> Floats:
    """Return iP of each topic (row) at the recall levels `levels / denominator` (column)."""
    values = np.zeros((len(topic_size), len(levels)))
    # a block of topics at a time, so that memory does not grow with topics x levels several times over
    step = max(_CELLS // len(levels), 1)
    for first in range(0, len(topic_size), step):
        block = slice(first, first + step)
        wanted = _count_wanted(levels, denominator, topic_size[block])
        # the first rank at which a topic has found enough
        passage = np.searchsorted(passages.found, passages.found_before[block, None] + wanted)
        passage = np.maximum(passage, passages.bounds[:-1][block, None])
        reached = passage < passages.bounds[1:][block, None]
        values[block][reached] = passages.best_precision[passage[reached]]
    return values


def _count_wanted(levels: list[int], denominator: int, trel: Ints) -> Ints:
    """Return the least number of characters with a recall of level/denominator, per topic and level, exactly."""
    if max(levels) * int(trel.max(initial=0)) < 2**62 and denominator < 2**62:
        return -(-np.array(levels, dtype=np.int64) * trel[:, None] // denominator)
    exact = [[-(-level * size // denominator) for level in levels] for size in trel.tolist()]
    return np.array(exact, dtype=np.int64).reshape(len(trel), len(levels))


def f_measure(relevant: Ints, size: Ints, total: Ints, beta: float) -> Floats:
    weight = float(beta) ** 2
    return ratio((1 + weight) * relevant, weight * total + size)
