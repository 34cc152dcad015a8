"""The qrels frame of evidence that was placed: a row per question and article, its spans, and their alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ...errors import FormatError
from ...frames.alternatives import alternatives_column
from ...frames.columns import span_column
from ...frames.spans import Span
from ..texts.find_texts import Place
from .formats import Evidence

if TYPE_CHECKING:
    import pandas as pd

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


@dataclass(frozen=True)
class Placed:
    """A piece of evidence and what became of it: its article, its places, how they were found or why not."""

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
        """The spans of the places."""
        return [place.span for place in self.places]


class _Highlight(NamedTuple):
    """A span of a question's evidence, and the number of the alternative it belongs to, from 1."""

    docno: str
    start: int
    end: int
    alternative: int


def make_qrels(kept: Iterable[Placed], asked: Iterable[Placed], lengths: Mapping[str, int]) -> pd.DataFrame:
    """Make the qrels frame of the evidence *kept*; the questions' texts are those of all that was *asked*."""
    import pandas as pd

    rows = _collect_rows(kept)
    cells = [sorted(cell, key=lambda highlight: highlight[1:]) for cell in rows.values()]
    flat = [(row, span.start, span.end) for row, cell in enumerate(cells) for span in cell]
    row, start, end = np.array(flat, dtype=np.int64).reshape(-1, 3).T
    query: dict[str, str] = {}
    for entry in asked:
        if entry.piece.query is not None:
            query.setdefault(entry.qid, entry.piece.query)
    frame = pd.DataFrame({
        "qid": pd.Series([qid for qid, _ in rows], dtype=object),
        "docno": pd.Series([docno for _, docno in rows], dtype=object),
    })  # fmt: skip
    frame["label"] = np.array([1 if cell else 0 for cell in cells], dtype=np.int64)
    frame["highlights"] = span_column(row, len(cells), start, end)
    if any(span.alternative > 1 for cell in cells for span in cell):
        frame["alternatives"] = alternatives_column([[span.alternative for span in cell] for cell in cells])
    frame["bep"] = np.array([cell[0].start if cell else -1 for cell in cells], dtype=np.int64)
    frame["length"] = np.array([lengths.get(docno, -1) for _, docno in rows], dtype=np.int64)
    if query:
        frame["query"] = pd.Series([query.get(qid) for qid, _ in rows], dtype=object)
    return frame


def _collect_rows(kept: Iterable[Placed]) -> dict[tuple[str, str], list[_Highlight]]:
    """Collect the highlights of each question and article; an article that is only judged has none."""
    of_question: dict[str, list[Placed]] = {}
    for entry in kept:
        of_question.setdefault(entry.qid, []).append(entry)
    rows: dict[tuple[str, str], list[_Highlight]] = {}
    for qid, entries in of_question.items():
        for entry in entries:
            for docno in dict.fromkeys(place.docno for place in entry.places) or (entry.docno or NO_ARTICLE,):
                rows.setdefault((qid, docno), [])
        for highlight in _number_highlights(qid, entries):
            rows[qid, highlight.docno].append(highlight)
    return rows


def _number_highlights(qid: str, entries: list[Placed]) -> list[_Highlight]:
    """Return the spans of a question, numbered by their alternative; those of one alternative that overlap are merged.

    Evidence that is in no alternative belongs to all of them. A quote of which any place is enough (status 'any')
    makes an alternative of each place, and several such quotes one of each combination.
    """
    alternatives: dict[frozenset[Place], None] = {}
    labels = dict.fromkeys(entry.piece.alternative for entry in entries if entry.piece.alternative is not None)
    for label in labels or (None,):
        members = [entry for entry in entries if entry.piece.alternative in (None, label)]
        choices = [
            [[place] for place in entry.places] if entry.status == "any" else [entry.places] for entry in members
        ]
        if prod(map(len, choices)) + len(alternatives) > _MOST_ALTERNATIVES:
            raise FormatError(
                f"question {qid!r} has more than {_MOST_ALTERNATIVES} alternatives: quotes that are found more than "
                "once make one for each combination of their places; give offsets or longer quotes"
            )
        for chosen in product(*choices):
            alternatives.setdefault(_merge_places([place for places in chosen for place in places]))
    return [
        _Highlight(docno, start, end, number)
        for number, alternative in enumerate(alternatives, start=1)
        for docno, (start, end) in alternative
    ]


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
