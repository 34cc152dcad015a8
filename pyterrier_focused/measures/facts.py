"""Facts: a topic's evidence is all of its facts, a fact any of its span sets, a set all of its spans.

fact   set   span                 found at rank
A      1     [0, 10) of x         1
A      1     [0, 10) of y         4      set 1 at 4 (its last span), set 2 at 2: A at 2 (its first set)
A      2     [50, 60) of x        2
B      3     [5, 20) of z         -      never
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
from ir_measures.measures import ParamInfo

from ..frames.spans import Floats, Ints, ratio
from .base import FocusedMeasure, Number, Param, RatioMeasure, cutoff
from .budget import find_budget
from .evidence import COVER, NEVER, find_ranks
from .ranking import Bools, Evidence, Facts, Judgments, Ranking

__all__ = ["FactAll", "FactAlphaNDCG", "FactR"]

_PARAMS: dict[str, ParamInfo] = {
    "cutoff": cutoff("number of parts looked at, from the top; without it all"),
    "chars": cutoff("budget: parts are read up to that many characters, each once; without it none"),
    "cover": COVER,
}
_PARTIAL = Number(
    float,
    "share of each span of a set from which on a fact that is not found counts half; without it such a fact is missing",
    check=lambda value: 0 < value < 1,
    expects="a share between 0 and 1",
)
_WEIGHTS = Param(
    str,
    "'given': those of the qrels; 'equal': 1 for each fact; 'vital': 1 for each fact of weight 1 or more, no others",
    default="given",
    choices=("given", "equal", "vital"),
)
_ALPHA = Number(
    float,
    "how likely a fact that was found once is of no more use (0: every copy counts, 1: only the first)",
    default=0.5,
    check=lambda value: 0 <= value <= 1,
    expects="a number from 0 to 1",
)


@dataclass(frozen=True, eq=False, repr=False)
class Proofs:
    """The facts of all topics, their spans, and the 0-based rank of the part that completes each span set."""

    spans: Evidence
    facts: Facts
    # Of each set; NEVER if it was not retrieved.
    complete: Ints

    @property
    def rank(self) -> Ints:
        """The rank at which each fact is found: that of the first of its sets."""
        rank = np.full(len(self.facts.topic), NEVER)
        np.minimum.at(rank, self.facts.set_fact, self.complete)
        return rank


class FactMeasure(FocusedMeasure):
    # a fact's span sets are its alternatives
    OF_ALTERNATIVES = False
    QRELS_COLUMNS = ("highlights", "facts", "fact_weights", "aspects")
    SUPPORTED_PARAMS = _PARAMS

    def prove(self, ranking: Ranking, partial: float | None = None) -> Proofs:
        """Find the span sets in the items up to the cutoff and the budget; *partial*: a lower share will do."""
        evidence, facts = list_facts(ranking.judgments)
        if partial is not None and evidence.cover is not None:
            evidence = evidence._replace(cover=np.fmin(evidence.cover, partial))
        rank = find_ranks(ranking, evidence, partial or self["cover"], find_budget(self))
        limit = self.param("cutoff")
        if limit is not None:
            rank = np.where(rank < limit, rank, NEVER)
        complete = np.full(len(facts.set_fact), -1, dtype=np.int64)
        np.maximum.at(complete, facts.set, rank[facts.highlight])
        return Proofs(evidence, facts, complete)


class _FactR(RatioMeasure, FactMeasure):
    """Fact recall: the weight of the facts found in the first k items over the weight of all facts of the topic.

    A fact is found if one of its span sets is: if a share of `cover` or more of the characters of each of its spans (or
    the share of the qrels' column `cover`) lies in the items together. The qrels' column `facts` has beside each
    highlight the fact that it proves by itself, or (fact, set) for one that proves it with the others of the set, or a
    list of these; `fact_weights` has the weights in the same places (1 without it). Without `facts`, `aspects` are
    facts, or the `alternatives` are the sets of one, or each evidence span is a fact, as in SpanR.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without facts.
    Source: recall of nuggets of the TREC RAG track (Pradeep et al., 2024): strict without `partial`, lenient with it,
    over all nuggets with weights='equal', vital ones with 'vital'; retrieval_gt of AutoRAG for the sets.
    """

    NAME = __name__ = "FactR"
    PRETTY_NAME = "Fact Recall"
    SHORT_DESC = "The weight of the facts found in the first k parts over that of all facts."
    SUPPORTED_PARAMS = {**_PARAMS, "partial": _PARTIAL, "weights": _WEIGHTS}

    def check_params(self) -> None:
        partial = self.param("partial")
        if partial is not None and partial >= self["cover"]:
            raise ValueError(f"FactR: partial={partial} must be below cover={self['cover']}")

    def fractions(self, ranking: Ranking) -> tuple[Floats, Floats]:
        proofs = self.prove(ranking)
        found = (proofs.rank < NEVER).astype(np.float64)
        partial = self.param("partial")
        if partial is not None:
            found = np.maximum(found, 0.5 * (self.prove(ranking, partial).rank < NEVER))
        weight = self._weigh_facts(proofs.facts.weight)
        topic = proofs.facts.topic
        n = len(ranking.judgments.topics)
        total: Floats = np.bincount(topic, weight * found, minlength=n).astype(np.float64)
        return total, np.bincount(topic, weight, minlength=n).astype(np.float64)

    def _weigh_facts(self, weight: Floats) -> Floats:
        if self["weights"] == "given":
            return weight
        return np.ones(len(weight)) if self["weights"] == "equal" else (weight >= 1).astype(np.float64)


FactR = _FactR()


class _FactAll(FactMeasure):
    """All facts: 1 if every fact of the topic is found in the first k items, else 0; facts are as in FactR.

    Range: 0 or 1. An empty ranking scores 0, as does a topic without facts.
    Source: questions that need all their evidence, as in Yang et al., HotpotQA, EMNLP 2018.
    """

    NAME = __name__ = "FactAll"
    PRETTY_NAME = "All Facts"
    SHORT_DESC = "Whether all facts are found in the first k parts."

    def calculate(self, ranking: Ranking) -> Floats:
        proofs = self.prove(ranking)
        topic = proofs.facts.topic
        n = len(ranking.judgments.topics)
        missing = np.bincount(topic[proofs.rank == NEVER], minlength=n)
        found_all: Bools = (missing == 0) & (np.bincount(topic, minlength=n) > 0)
        return found_all.astype(np.float64)


FactAll = _FactAll()


class _FactAlphaNDCG(FactMeasure):
    """Alpha-nDCG over facts: each further copy of a fact gains less, and later ranks gain less.

    FactAlphaNDCG@k = DCG@k / IDCG@k, at most 1; DCG@k = sum over the ranks r <= k of G(r) / log2(r + 1); G(r) = sum
    over the facts that the item at rank r proves of weight * (1 - alpha)^(number of earlier items that prove the fact).
    An item proves a fact if it completes one of the fact's span sets: text that was read before proves nothing again.
    IDCG@k is the DCG of items that bring one set of spans each, with all facts that this set proves, the one that gains
    most being taken first (greedily, as in ndeval). Facts are as in FactR.

    Range: [0, 1]. An empty ranking scores 0, as does a topic without facts.
    Source: Clarke et al., Novelty and Diversity in Information Retrieval Evaluation, SIGIR 2008, with facts as nuggets.
    """

    NAME = __name__ = "FactAlphaNDCG"
    PRETTY_NAME = "Alpha-nDCG over Facts"
    SHORT_DESC = "Alpha-nDCG in which parts gain by the facts that they prove, copies less."
    SUPPORTED_PARAMS = {"cutoff": _PARAMS["cutoff"], "alpha": _ALPHA, "cover": COVER}

    def calculate(self, ranking: Ranking) -> Floats:
        proofs = self.prove(ranking)
        facts = proofs.facts
        kept = 1 - self["alpha"]
        done = np.flatnonzero(proofs.complete < NEVER)
        # a part that completes two sets of one fact proves it once
        fact, rank = np.unique(np.stack((facts.set_fact[done], proofs.complete[done])), axis=1)
        earlier = np.arange(len(fact)) - np.searchsorted(fact, fact)
        gain = facts.weight[fact] * kept**earlier / np.log2(rank + 2.0)
        n = len(ranking.judgments.topics)
        ideal = [0.0] * n
        for topic, units in _group_units(proofs).items():
            gains = _rank_greedily(units, facts.weight, kept, self.param("cutoff") or len(units))
            ideal[topic] = float(sum(value / np.log2(place + 2.0) for place, value in enumerate(gains)))
        return np.minimum(ratio(np.bincount(facts.topic[fact], gain, minlength=n), np.array(ideal)), 1.0)


FactAlphaNDCG = _FactAlphaNDCG()


def list_facts(judgments: Judgments) -> tuple[Evidence, Facts]:
    """List the facts and their spans: given facts, else the alternatives as sets of one, else a fact per span."""
    row, start, end, _ = judgments.highlights
    highlights = Evidence(row, start, end, judgments.covers)
    if judgments.facts is not None:
        return highlights, judgments.facts
    if judgments.numbers is None:
        evidence = judgments.evidence
        each = np.arange(len(evidence.row))
        return evidence, Facts(each, each, each, judgments.topic[evidence.row], np.ones(len(each)))
    names, set_ = np.unique(np.stack((judgments.topic[row], judgments.numbers)), axis=1, return_inverse=True)
    topic, set_fact = np.unique(names[0], return_inverse=True)
    sets = set_.reshape(-1)
    return highlights, Facts(np.arange(len(row)), sets, set_fact, topic, np.ones(len(topic)))


def _group_units(proofs: Proofs) -> dict[int, list[list[int]]]:
    """Group the units of an ideal ranking by topic: the facts that each set of spans proves, each set once."""
    facts = proofs.facts
    _, span = np.unique(np.stack(proofs.spans[:3]), axis=1, return_inverse=True)
    of_set: dict[int, set[int]] = defaultdict(set)
    for group, member in zip(facts.set.tolist(), span.reshape(-1)[facts.highlight].tolist(), strict=True):
        of_set[group].add(member)
    units: dict[int, dict[frozenset[int], dict[int, None]]] = defaultdict(dict)
    for group, fact in enumerate(facts.set_fact.tolist()):
        units[int(facts.topic[fact])].setdefault(frozenset(of_set[group]), {})[fact] = None
    return {topic: [list(proved) for proved in of_topic.values()] for topic, of_topic in units.items()}


def _rank_greedily(units: list[list[int]], weight: Floats, kept: float, most: int) -> list[float]:
    """Return the gains of the units, highest first; a copy of a fact is worth the share *kept* of it."""
    seen: Counter[int] = Counter()

    def weigh(unit: int) -> float:
        return -sum(float(weight[fact]) * kept ** seen[fact] for fact in units[unit])

    waiting = [(weigh(unit), -unit) for unit in range(len(units))]
    heapq.heapify(waiting)
    gains: list[float] = []
    while waiting and len(gains) < most:
        unit = -heapq.heappop(waiting)[1]
        entry = (weigh(unit), -unit)
        # gains only shrink: what still leads when it is weighed again gains most
        if waiting and entry > waiting[0]:
            heapq.heappush(waiting, entry)
            continue
        gains.append(-entry[0])
        seen.update(units[unit])
    return gains
