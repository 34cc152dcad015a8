"""Measures of ranked items that count items, not characters: an item is relevant if it brings an evidence span."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from ir_measures.measures import ParamInfo

from ..frames import spans
from ..frames.spans import Floats, Ints, ratio
from .base import FocusedMeasure, Number, cutoff
from .budget import BUDGET, check_budget, find_budget
from .evidence import COVER, NEVER, found_evidence
from .ranking import Ranking

__all__ = ["SpanAP", "SpanNDCG", "SpanP"]

_IOU = Number(
    float,
    "intersection over union with an evidence span from which on a part takes it (given: used in place of cover)",
    check=lambda value: 0 < value <= 1,
    expects="a share above 0 and at most 1",
)
_PARAMS: dict[str, ParamInfo] = {
    "cutoff": cutoff("number of parts looked at, from the top; without it all"),
    "cover": COVER,
    "iou": _IOU,
}


class RelevantParts(NamedTuple):
    """The topic and the 0-based rank of each relevant part, ascending, and the number of evidence spans per topic."""

    topic: Ints
    rank: Ints
    total: Ints


class SpanRanking(FocusedMeasure):
    """Which parts of a ranking are relevant, one evidence span at a time."""

    SUPPORTED_PARAMS = _PARAMS

    def check_params(self) -> None:
        if "cover" in self.params and "iou" in self.params:
            raise ValueError(f"{self.NAME}: cover and iou are two ways to match parts and spans; give one of them")

    def relevant_parts(self, ranking: Ranking) -> RelevantParts:
        iou = self.param("iou")
        topic, rank = found_evidence(ranking, self) if iou is None else take_evidence(ranking, iou)
        n = len(ranking.judgments.topics)
        limit = self.param("cutoff")
        early = rank < (NEVER if limit is None else limit)
        # a part that brings several spans is one relevant part
        pairs = np.unique(np.stack((topic[early], rank[early])), axis=1)
        return RelevantParts(pairs[0], pairs[1], np.bincount(topic, minlength=n))


class _SpanP(SpanRanking):
    """Evidence precision: the share of the first k items (without @k, of all) that bring an evidence span.

    An item is relevant if with it, and the items before it, an evidence span is covered for the first time, as SpanHit
    has it. With `iou` it is relevant if its intersection over union with a span that no earlier item took is `iou` or
    more; it takes the most alike. Text around an item (see CharP) is in the union. With `chars` or `tokens`
    it is the share of the items that are read up to that budget, the last one as far as it goes.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without evidence.
    Source: precision at k with evidence spans in place of documents; iou: DeYoung et al., ERASER, ACL 2020.
    """

    NAME = __name__ = "SpanP"
    PRETTY_NAME = "Evidence Precision by Spans"
    SHORT_DESC = "The share of the first k parts that bring an evidence span."
    SUPPORTED_PARAMS = {**_PARAMS, **BUDGET}

    def check_params(self) -> None:
        super().check_params()
        check_budget(self)
        if "iou" in self.params and {"chars", "tokens"} & set(self.params):
            raise ValueError("SpanP: iou compares whole items, and a budget cuts them; give one of them")

    def calculate(self, ranking: Ranking) -> Floats:
        topic, _, total = self.relevant_parts(ranking)
        budget = find_budget(self)
        looked_at = self.param("cutoff") or np.diff(ranking.item_bounds)
        looked_at = budget.count_items(ranking) if budget else looked_at
        return ratio(np.bincount(topic, minlength=len(total)), np.broadcast_to(looked_at, total.shape))


SpanP = _SpanP()


class _SpanAP(SpanRanking):
    """Evidence average precision: the sum of SpanP@r over the ranks r <= k of relevant items, over all evidence spans.

    What is relevant is as in SpanP. An item that brings several spans counts once: items that bring one each, ranked
    first, score 1, and one item that holds all n spans of the topic scores 1/n.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without evidence.
    Source: average precision with evidence spans in place of documents.
    """

    NAME = __name__ = "SpanAP"
    PRETTY_NAME = "Evidence Average Precision by Spans"
    SHORT_DESC = "Average precision over parts that bring an evidence span."

    def calculate(self, ranking: Ranking) -> Floats:
        topic, rank, total = self.relevant_parts(ranking)
        # pairs ascend by topic and rank: the i-th of a topic has i relevant parts up to it
        so_far = np.arange(1, len(topic) + 1) - np.searchsorted(topic, topic)
        return ratio(np.bincount(topic, so_far / (rank + 1), minlength=len(total)), total)


SpanAP = _SpanAP()


class _SpanNDCG(SpanRanking):
    """Evidence nDCG: the discounted gain of relevant items (see SpanP) over that of the best ranking.

    SpanNDCG@k = DCG@k / IDCG@k, DCG@k = sum of 1 / log2(r + 1) over the ranks r <= k of relevant items; IDCG@k is that
    of items that bring one evidence span each, ranked first.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without evidence.
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002, with evidence spans in place of documents.
    """

    NAME = __name__ = "SpanNDCG"
    PRETTY_NAME = "Evidence nDCG by Spans"
    SHORT_DESC = "nDCG over parts that bring an evidence span."

    def calculate(self, ranking: Ranking) -> Floats:
        topic, rank, total = self.relevant_parts(ranking)
        gain = np.bincount(topic, 1 / np.log2(rank + 2.0), minlength=len(total))
        limit = self.param("cutoff")
        most = total if limit is None else np.minimum(total, limit)
        ideal = np.concatenate(([0.0], np.cumsum(1 / np.log2(np.arange(int(most.max(initial=0))) + 2.0))))
        return ratio(gain, ideal[most])


SpanNDCG = _SpanNDCG()


def take_evidence(ranking: Ranking, iou: float) -> tuple[Ints, Ints]:
    """Return the topic of each evidence span, and the 0-based rank of the first item that takes it by its IoU."""
    judgments = ranking.judgments
    row, start, end = spans.union(*judgments.highlights[:3], touching=False)
    parts = ranking.passages
    order = ranking.passage_ranking
    useful = np.flatnonzero(ranking.highlighted[parts.row[order]])
    position = order[useful]
    article = ranking.judged[parts.row[position]]
    part, span, first, last = spans.intersections(article, parts.start[position], parts.end[position], row, start, end)
    # the text of an item may meet a span in several pieces
    stride = max(len(row), 1)
    pair, code = np.unique(ranking.ranked_items[useful[part]] * stride + span, return_inverse=True)
    shared = spans.sum_by(code.reshape(-1), last - first, len(pair))
    item, span = np.divmod(pair, stride)
    size = ranking.sum_items(ranking.add_around((parts.end - parts.start)[order]))
    both = size[item] + (end - start)[span] - shared
    least = Fraction(str(iou))
    alike = np.flatnonzero(shared * least.denominator >= both * least.numerator)
    # by item, the most alike span first
    alike = alike[np.lexsort((span[alike], -(shared[alike] / both[alike]), item[alike]))]
    rank = np.full(len(row), NEVER)
    taken_by = -1
    for which, target in zip(item[alike].tolist(), span[alike].tolist(), strict=True):
        if which != taken_by and rank[target] == NEVER:
            taken_by = which
            rank[target] = which - ranking.item_bounds[judgments.topic[row[target]]]
    return judgments.topic[row], rank
