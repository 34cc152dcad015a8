"""Facts: a topic's evidence is all of its facts, a fact any of its span sets, a set all of its spans.

fact   set   span                 found at rank
A      1     [0, 10) of x         1
A      1     [0, 10) of y         4      set 1 at 4 (its last span), set 2 at 2: A at 2 (its first set)
A      2     [50, 60) of x        2
B      3     [5, 20) of z         -      never
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..frames import spans
from ..frames.spans import Floats, Ints
from .base import FocusedMeasure, RatioMeasure, cutoff
from .evidence import COVER, NEVER, find_ranks
from .ranking import Ranking

_PARAMS: dict[str, Any] = {
    "cutoff": cutoff("number of parts looked at, from the top; without it all"),
    "chars": cutoff("budget: parts are read up to that many characters, each once; without it none"),
    "cover": COVER,
}


@dataclass(frozen=True, eq=False)
class Found:
    """The facts of all topics: topic, weight, and the 0-based rank of the part that completes each."""

    topic: Ints
    weight: Floats
    rank: Ints


class FactMeasure(FocusedMeasure):
    """What of the facts is found; the column `facts` of the qrels says which highlights prove which."""

    # a fact's span sets are its alternatives
    OF_ALTERNATIVES = False
    QRELS_COLUMNS = ("highlights", "facts", "fact_weights", "aspects")
    SUPPORTED_PARAMS = _PARAMS

    def find(self, ranking: Ranking) -> Found:
        """Find the facts in the parts up to the cutoff and the budget; NEVER is the rank of the others."""
        found = find_facts(ranking, self["cover"], self.param("chars"))
        limit = self.param("cutoff")
        if limit is None:
            return found
        return Found(found.topic, found.weight, np.where(found.rank < limit, found.rank, NEVER))


class _FactR(RatioMeasure, FactMeasure):
    """Fact recall: the weight of the facts found over the weight of all facts.

    FactR@k = sum of the weights of the facts found in the first k parts / sum of the weights of the topic's facts. A
    fact is found if one of its span sets is: if a share of `cover` or more of the characters of each of its spans lies
    in the parts together. The qrels' column `facts` has beside each highlight the fact that it proves by itself, or
    (fact, set) for one that proves it with the others of the set, or a list of these; `fact_weights` has the weights in
    the same places (1 without it). Without `facts`, `aspects` are facts, or the `alternatives` are the sets of one, or
    each evidence span is a fact, as in SpanR.

    Parameters: cutoff (k, parts); chars (budget: characters read, each once); cover (share of a span, default 0.5).
    Range: [0, 1]. An empty ranking scores 0, as does a topic without facts.
    Source: weighted strict recall of nuggets of the TREC RAG track; retrieval_gt of AutoRAG for the sets.
    """

    NAME = __name__ = "FactR"
    PRETTY_NAME = "Fact Recall"
    SHORT_DESC = "The weight of the facts found in the first k parts over that of all facts."

    def fractions(self, ranking: Ranking) -> tuple[Floats, Floats]:
        facts = self.find(ranking)
        n = len(ranking.judgments.topics)
        found: Floats = np.bincount(facts.topic, facts.weight * (facts.rank < NEVER), minlength=n).astype(np.float64)
        return found, np.bincount(facts.topic, facts.weight, minlength=n).astype(np.float64)


FactR = _FactR()


class _FactAll(FactMeasure):
    """All facts: whether every fact of the topic is found.

    FactAll@k = 1 if all of the topic's facts are found in the first k parts, else 0; facts and parameters are as in
    FactR, weights do not matter.

    Parameters: cutoff (k, parts); chars (budget: characters read, each once); cover (share of a span, default 0.5).
    Range: 0 or 1. An empty ranking scores 0, as does a topic without facts.
    Source: questions that need all their evidence, as in Yang et al., HotpotQA, EMNLP 2018.
    """

    NAME = __name__ = "FactAll"
    PRETTY_NAME = "All Facts"
    SHORT_DESC = "Whether all facts are found in the first k parts."

    def calculate(self, ranking: Ranking) -> Floats:
        facts = self.find(ranking)
        n = len(ranking.judgments.topics)
        missing = np.bincount(facts.topic[facts.rank == NEVER], minlength=n)
        return ((missing == 0) & (np.bincount(facts.topic, minlength=n) > 0)).astype(np.float64)


FactAll = _FactAll()


def find_facts(ranking: Ranking, cover: float, chars: int | None) -> Found:
    """Find the rank at which each fact is proved: cost grows with the number of spans."""
    judgments = ranking.judgments
    facts = judgments.facts
    if facts is None:
        if judgments.numbers is not None:
            return _find_alternatives(ranking, judgments.numbers, cover, chars)
        row, start, end = spans.union(*judgments.highlights[:3], touching=False)
        return Found(judgments.topic[row], np.ones(len(row)), find_ranks(ranking, row, start, end, cover, chars))
    row, start, end, _ = judgments.highlights
    rank = find_ranks(ranking, row, start, end, cover, chars)
    complete = np.full(len(facts.set_fact), -1, dtype=np.int64)
    np.maximum.at(complete, facts.set, rank[facts.highlight])
    proved = np.full(len(facts.topic), NEVER)
    np.minimum.at(proved, facts.set_fact, complete)
    return Found(facts.topic, facts.weight, proved)


def _find_alternatives(ranking: Ranking, numbers: Ints, cover: float, chars: int | None) -> Found:
    """Take each topic's alternatives as the span sets of its one fact."""
    judgments = ranking.judgments
    row, start, end, _ = judgments.highlights
    rank = find_ranks(ranking, row, start, end, cover, chars)
    pairs = np.stack((judgments.topic[row], numbers))
    names, code = np.unique(pairs, axis=1, return_inverse=True)
    complete = np.full(names.shape[1], -1, dtype=np.int64)
    np.maximum.at(complete, code.reshape(-1), rank)
    proved = np.full(len(judgments.topics), NEVER)
    np.minimum.at(proved, names[0], complete)
    topic = np.unique(names[0])
    return Found(topic, np.ones(len(topic)), proved[topic])
