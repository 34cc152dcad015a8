"""Measures of KILT: evidence sets, each of them all that one answer rests on, in a ranking of pages or their parts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from ...frames.spans import Floats, Ints
from ...measures.base import FocusedMeasure, Param, cutoff
from ...measures.ranking import Ranking
from ..pairs import ranked_spans

__all__ = ["EvidenceP", "EvidenceR", "EvidenceRprec", "EvidenceSuccess"]

_LEVEL = Param(
    str,
    "what is ranked: 'page' (the docno up to its last slash), 'section' (the docno), 'paragraph' (page and span)",
    default="page",
    choices=("page", "section", "paragraph"),
)


class _Evidence(FocusedMeasure):
    """A measure of evidence sets, at a level; `alternatives` in the qrels tells the sets of a topic apart."""

    SUPPORTED_PARAMS = {"level": _LEVEL}
    # The measure reads alternatives itself.
    OF_ALTERNATIVES = False

    def topics(self, ranking: Ranking) -> Iterable[tuple[list[Hashable], list[set[Hashable]]]]:
        """Yield the distinct ids retrieved and the evidence sets of each topic."""
        judgments = ranking.judgments
        retrieved = ranked_spans(ranking)
        level = self["level"]
        n = len(judgments.topics)
        row = ranking.passages.row[ranking.passage_ranking]
        ids = _name_parts(_cut_names(ranking.docno, level), row, retrieved.start, retrieved.end, level)
        gold_row, start, end, _ = judgments.highlights
        gold = _name_parts(_cut_names(judgments.docno, level), gold_row, start, end, level)
        sets: list[dict[int, set[Hashable]]] = [{} for _ in range(n)]
        numbers = np.zeros(len(gold), np.int64) if judgments.numbers is None else judgments.numbers
        for topic, code, name in zip(judgments.topic[gold_row].tolist(), numbers.tolist(), gold, strict=True):
            sets[topic].setdefault(code, set()).add(name)
        bounds = retrieved.bounds.tolist()
        for topic in range(n):
            numbered = [names for _, names in sorted(sets[topic].items())]
            yield list(dict.fromkeys(ids[bounds[topic] : bounds[topic + 1]])), numbered


class _EvidenceRprec(_Evidence):
    """R-precision over evidence sets: Rprec of KILT.

    For each of a topic's evidence sets, with R ids in it: those of them among the first R distinct ids retrieved / R.
    EvidenceRprec is the highest of these. The column `alternatives` of the qrels numbers the set that each highlight
    belongs to; without it a topic's highlights are one set.

    Parameters: level ('page', the default, 'section' or 'paragraph'): what is an id.
    Range: [0, 1]. An empty ranking scores 0, as does a topic without evidence.
    Source: Petroni et al., KILT: a Benchmark for Knowledge Intensive Language Tasks, NAACL 2021; its program.
    """

    NAME = __name__ = "EvidenceRprec"
    PRETTY_NAME = "Evidence R-Precision"
    SHORT_DESC = "The best R-precision over a topic's evidence sets (Rprec of KILT)."

    def calculate(self, ranking: Ranking) -> Floats:
        return np.array([best_r_precision(ids, sets) for ids, sets in self.topics(ranking)], dtype=np.float64)


EvidenceRprec = _EvidenceRprec()


class _EvidenceAt(_Evidence):
    SUPPORTED_PARAMS = {
        "cutoff": cutoff("number of places in the ranking of evidence sets", required=True),
        "level": _LEVEL,
    }

    def completed(self, ranking: Ranking) -> list[tuple[int, int]]:
        """Return, per topic, the number of evidence sets completed in the first k places, and of all evidence sets."""
        counts = []
        for ids, sets in self.topics(ranking):
            distinct = list(dict.fromkeys(map(frozenset, sets)))
            counts.append((sum(rank_of_sets(ids, distinct)[: self["cutoff"]]), len(distinct)))
        return counts


class _EvidenceP(_EvidenceAt):
    """Precision of evidence sets: precision@k of KILT.

    Down the distinct ids retrieved, each one makes a place: not relevant if no evidence set has it. An evidence set
    has one place, that of its last id: relevant; the places of the ids before it fall away, and later ones move
    up. Until then its latest id holds a place that is not relevant. EvidenceP@k = relevant places in the first k / k. A
    place is made for every set that has the id, so that one id may make several.

    Parameters: cutoff (k, places); level ('page', the default, 'section' or 'paragraph'): what is an id.
    Range: [0, 1]. An empty ranking scores 0, as does a topic without evidence.
    Source: Petroni et al., KILT: a Benchmark for Knowledge Intensive Language Tasks, NAACL 2021; its program.
    """

    NAME = __name__ = "EvidenceP"
    PRETTY_NAME = "Evidence Precision"
    SHORT_DESC = "The share of complete evidence sets among the first k places (precision@k of KILT)."

    def calculate(self, ranking: Ranking) -> Floats:
        return np.array([found / self["cutoff"] for found, _ in self.completed(ranking)], dtype=np.float64)


EvidenceP = _EvidenceP()


class _EvidenceR(_EvidenceAt):
    """Recall of evidence sets: recall@k of KILT.

    EvidenceR@k = evidence sets that are complete in the first k places / evidence sets of the topic, equal ones counted
    once. Places are as in EvidenceP.

    Parameters: cutoff (k, places); level ('page', the default, 'section' or 'paragraph'): what is an id.
    Range: [0, 1]. An empty ranking scores 0, as does a topic without evidence.
    Source: Petroni et al., KILT: a Benchmark for Knowledge Intensive Language Tasks, NAACL 2021; its program.
    """

    NAME = __name__ = "EvidenceR"
    PRETTY_NAME = "Evidence Set Recall"
    SHORT_DESC = "The share of the evidence sets that are complete in the first k places (recall@k of KILT)."

    def calculate(self, ranking: Ranking) -> Floats:
        return np.array([found / total if total else 0.0 for found, total in self.completed(ranking)], dtype=np.float64)


EvidenceR = _EvidenceR()


class _EvidenceSuccess(_EvidenceAt):
    """Success of evidence sets: success_rate@k of KILT.

    EvidenceSuccess@k = 1 if any evidence set is complete in the first k places, else 0. Places are as in EvidenceP.

    Parameters: cutoff (k, places); level ('page', the default, 'section' or 'paragraph'): what is an id.
    Range: 0 or 1. An empty ranking scores 0, as does a topic without evidence.
    Source: Petroni et al., KILT: a Benchmark for Knowledge Intensive Language Tasks, NAACL 2021; its program.
    """

    NAME = __name__ = "EvidenceSuccess"
    PRETTY_NAME = "Evidence Success"
    SHORT_DESC = "Whether an evidence set is complete in the first k places (success_rate@k of KILT)."

    def calculate(self, ranking: Ranking) -> Floats:
        return np.array([float(found > 0) for found, _ in self.completed(ranking)], dtype=np.float64)


EvidenceSuccess = _EvidenceSuccess()


def best_r_precision(ids: Sequence[Hashable], sets: Iterable[AbstractSet[Hashable]]) -> float:
    """Return the highest R-precision of distinct *ids* over evidence *sets*; 0 for an empty set, and for none."""
    return max((sum(name in each for name in ids[: len(each)]) / len(each) for each in sets if each), default=0.0)


def rank_of_sets(ids: Iterable[Hashable], sets: Sequence[frozenset[Hashable]]) -> list[bool]:
    """Turn distinct *ids* into a ranking of places: True if an evidence set is complete."""
    holders: dict[Hashable, list[int]] = {}
    for nth, names in enumerate(sets):
        for name in names:
            holders.setdefault(name, []).append(nth)
    missing = [len(names) for names in sets]
    # of each set that was met: its latest place
    latest: dict[int, int] = {}
    places: list[bool | None] = []
    for name in ids:
        for nth in holders.get(name, ()):
            missing[nth] -= 1
            if nth in latest:
                places[latest[nth]] = None
            latest[nth] = len(places)
            places.append(not missing[nth])
        if name not in holders:
            places.append(False)
    return [place for place in places if place is not None]


def _cut_names(docnos: Iterable[str], level: str) -> list[str]:
    if level == "section":
        return list(docnos)
    return [docno.rpartition("/")[0] if "/" in docno else docno for docno in docnos]


def _name_parts(names: list[str], rows: Ints, start: Ints, end: Ints, level: str) -> list[Hashable]:
    if level != "paragraph":
        return [names[row] for row in rows.tolist()]
    return [(names[row], *span) for row, *span in zip(rows.tolist(), start.tolist(), end.tolist(), strict=True)]
