"""The qrels frame of evidence that was placed: a row per question and article, its spans, alternatives and facts.

piece   fact   set   places            sets of spans           alternatives: one set of each fact
1       A      -     [0, 5)            A: [0, 5)               1: [0, 5), [20, 25), [40, 45)
2       A      -     [10, 15)          A: [10, 15)             2: [10, 15), [20, 25), [40, 45)
3       B      1     [20, 25)          B: [20, 25), [40, 45)
4       B      1     [40, 45)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Literal

import numpy as np
import pandas as pd

from ..errors import FormatError, warn_caller
from ..frames.columns import span_column
from ..frames.span_attributes import ALTERNATIVES, COVER, Proof, make_fact_columns, make_numbers
from ..frames.spans import Span
from .find_texts import Place
from .formats import Evidence

Repeated = Literal["report", "first", "all", "any"]
OnFault = Literal["raise", "skip"]
Status = Literal[
    "given", "nearest", "exact", "tolerant", "fuzzy", "article", "judged", "first", "all", "any",
    "none",
    "repeated", "missing", "unknown article", "contradiction", "outside",
]  # fmt: skip

GOOD = ("given", "nearest", "exact", "tolerant", "fuzzy", "article", "judged", "first", "all", "any")
# The docno of a question without an answer that is asked of no article.
NO_ARTICLE = "-"

_MOST_ALTERNATIVES = 64


@dataclass(frozen=True, slots=True)
class Placed:
    """A placed piece of evidence: its article, its places, how they were found or why not."""

    piece: Evidence
    qid: str
    docno: str
    places: list[Place]
    status: Status
    detail: str = ""

    @property
    def good(self) -> bool:
        """Whether the piece is judged: it has a place, or is known to have none."""
        return self.status in GOOD

    @property
    def spans(self) -> list[Span]:
        return [place.span for place in self.places]


@dataclass(frozen=True)
class _Fact:
    """A fact of a question: its sets of places, each of which proves it."""

    name: str
    weight: float
    sets: list[list[Place]]


def make_qrels(judged: Iterable[Placed], asked: Iterable[Placed], lengths: Mapping[str, int]) -> pd.DataFrame:
    """Make the qrels frame of the evidence that is *judged*; texts and clusters of questions are of all *asked*."""
    pairs, spans = _collect_highlights(list(judged))
    row, start, end, alternative = (spans[name].to_numpy(np.int64) for name in ("row", "start", "end", "alternative"))
    of_questions: dict[str, dict[str, str]] = {"query": {}, "cluster": {}}
    for entry in asked:
        for name, values in of_questions.items():
            value = getattr(entry.piece, name)
            if value is not None:
                values.setdefault(entry.qid, value)
    frame = pd.DataFrame(pairs, columns=["qid", "docno"], dtype=object)
    frame["label"] = np.isin(np.arange(len(pairs)), row).astype(np.int64)
    frame["highlights"] = span_column(row, len(pairs), start, end)
    if (alternative > 1).any():
        frame["alternatives"] = make_numbers(row, len(pairs), alternative, ALTERNATIVES)
    if spans["proofs"].map(bool).any():
        cells: list[list[list[Proof]]] = [[] for _ in pairs]
        for number, proofs in zip(row.tolist(), spans["proofs"], strict=True):
            cells[number].append(proofs)
        frame["facts"], weights = make_fact_columns(cells)
        if any(proof.weight != 1 for proofs in spans["proofs"] for proof in proofs):
            frame["fact_weights"] = weights
    if spans["is_loose"].any():
        covers = np.where(spans["is_loose"].to_numpy(bool), 0.0, math.nan)
        frame["cover"] = make_numbers(row, len(pairs), covers, COVER)
    bep = np.full(len(pairs), -1, dtype=np.int64)
    bep[row[::-1]] = start[::-1]
    frame["bep"] = bep
    frame["length"] = np.array([lengths.get(docno, -1) for _, docno in pairs], dtype=np.int64)
    for name, values in of_questions.items():
        if values:
            frame[name] = pd.Series([values.get(qid) for qid, _ in pairs], dtype=object)
    return frame


def _collect_highlights(judged: list[Placed]) -> tuple[list[tuple[str, str]], pd.DataFrame]:
    """Collect the pairs of question and article, and their highlights; an article that is only judged has none.

    A highlight has the `row` of its pair, `start`, `end`, the number of its `alternative`, from 1, its `proofs`, and
    `is_loose`: any character of it is enough.
    """
    of_question: dict[str, list[Placed]] = {}
    for entry in judged:
        of_question.setdefault(entry.qid, []).append(entry)
    # one question with facts makes a column of them, and then each needs its own
    with_facts = any(entry.piece.fact is not None for entry in judged) or any(map(_needs_facts, of_question.values()))
    rows: dict[tuple[str, str], int] = {}
    records: list[tuple[int, int, int, int, list[Proof], bool]] = []
    many = []
    for qid, entries in of_question.items():
        for entry in entries:
            for docno in dict.fromkeys(place.docno for place in entry.places) or (entry.docno or NO_ARTICLE,):
                rows.setdefault((qid, docno), len(rows))
        alternatives = _list_alternatives(qid, entries)
        if alternatives is None:
            many.append(qid)
            alternatives = [[place for entry in entries for place in entry.places]]
        proofs = _list_proofs(entries, alternatives) if with_facts else {}
        loose = {place for entry in entries if entry.piece.is_loose for place in entry.places}
        loose -= {place for entry in entries if not entry.piece.is_loose for place in entry.places}
        for number, places in enumerate(alternatives, start=1):
            if not proofs and len(places) > 1:
                places = [*sorted(_merge_places([place for place in places if place not in loose])), *loose & {*places}]
            for place in dict.fromkeys(places):
                row = rows[qid, place.docno]
                records.append((row, *place.span, number, proofs.get(place, []), place in loose))
    if many:
        warn_caller(
            f"{len(many)} questions have more than {_MOST_ALTERNATIVES} combinations of places that suffice "
            f"(first: {many[0]!r}); measures of facts, such as FactR, know that one place is enough, others count all"
        )
    spans = pd.DataFrame(records, columns=["row", "start", "end", "alternative", "proofs", "is_loose"])
    return list(rows), spans.sort_values(["row", "start", "end", "alternative"])


def _needs_facts(entries: list[Placed]) -> bool:
    """Tell whether facts are needed beside alternatives: some piece has several places, each of which is enough.

    Those of one piece are alternatives, if they can be listed; of two pieces, one may be found without the other.
    """
    places = [len(entry.places) for entry in entries if entry.status == "any"]
    if not places or any(entry.piece.alternative for entry in entries):
        return False
    return len(entries) > 1 or max(places) > _MOST_ALTERNATIVES


def _list_alternatives(qid: str, entries: list[Placed]) -> list[list[Place]] | None:
    """List the combinations of places that are enough together: of each fact one set, in each of the alternatives.

    Evidence that is in no alternative belongs to all of them. Returns None if there are more than can be listed.
    """
    # most questions: nothing is named, and each piece has one place
    if not any(len(entry.places) > 1 or entry.piece.alternative or entry.piece.fact for entry in entries):
        return [[place for entry in entries for place in entry.places]]
    alternatives: dict[frozenset[Place], list[Place]] = {}
    labels = dict.fromkeys(entry.piece.alternative for entry in entries if entry.piece.alternative is not None)
    for label in labels or (None,):
        facts = _list_facts([entry for entry in entries if entry.piece.alternative in (None, label)])
        if prod(len(fact.sets) for fact in facts) + len(alternatives) > _MOST_ALTERNATIVES:
            if not labels:
                return None
            raise FormatError(
                f"question {qid!r} has more than {_MOST_ALTERNATIVES} alternatives: quotes that are found more than "
                "once make one for each combination of their places; give offsets or longer quotes"
            )
        for chosen in product(*(fact.sets for fact in facts)):
            places = [place for set_ in chosen for place in set_]
            alternatives.setdefault(_merge_places(places), places)
    return list(alternatives.values())


def _list_facts(entries: list[Placed]) -> list[_Fact]:
    """List the facts of a question: those that are named, and each other piece, of which any place may be enough."""
    facts: dict[str, _Fact] = {}
    sets: dict[tuple[str, str], list[Placed]] = {}
    for number, entry in enumerate(entries, start=1):
        piece = entry.piece
        name = f"evidence {number}" if piece.fact is None else piece.fact
        if facts.setdefault(name, _Fact(name, piece.fact_weight, [])).weight != piece.fact_weight:
            raise FormatError(f"the fact {name!r} of question {entry.qid!r} has two weights", line=piece.where)
        group = f"piece {number}" if piece.fact_set is None else f"set {piece.fact_set}"
        sets.setdefault((name, group), []).append(entry)
    for (name, _), members in sets.items():
        choices = [[[place] for place in e.places] if e.status == "any" else [e.places] for e in members]
        facts[name].sets.extend([place for places in chosen for place in places] for chosen in product(*choices))
    return list(facts.values())


def _list_proofs(entries: list[Placed], alternatives: list[list[Place]]) -> dict[Place, list[Proof]]:
    """List what each place proves: a fact by itself, or with the other places of a set.

    Named alternatives are the sets of one fact, unless facts are named as well.
    """
    proofs: dict[Place, dict[Proof, None]] = {}
    is_one = any(entry.piece.alternative for entry in entries) and not any(entry.piece.fact for entry in entries)
    for fact in [_Fact("evidence", 1.0, alternatives)] if is_one else _list_facts(entries):
        for number, places in enumerate(map(dict.fromkeys, fact.sets), start=1):
            proof = Proof(fact.name, None if len(places) == 1 else str(number), fact.weight)
            for place in places:
                proofs.setdefault(place, {})[proof] = None
    return {place: list(proved) for place, proved in proofs.items()}


def _merge_places(places: list[Place]) -> frozenset[Place]:
    """Merge places that overlap; those that touch stay apart."""
    merged: list[Place] = []
    for docno, (start, end) in sorted(places):
        last = merged[-1] if merged else None
        if last is not None and last.docno == docno and start < last.span[1]:
            merged[-1] = Place(docno, (last.span[0], max(end, last.span[1])))
        else:
            merged.append(Place(docno, (start, end)))
    return frozenset(merged)
