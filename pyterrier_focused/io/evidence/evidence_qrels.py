"""The qrels frame of evidence that was placed: a row per question and article, its spans, and their alternatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import FormatError
from ...frames import spans
from ...frames.alternatives import alternatives_column
from ...frames.columns import span_column
from ...frames.spans import Span
from ..texts.find_texts import Place
from .formats import Evidence

if TYPE_CHECKING:
    import pandas as pd

GOOD = ("given", "exact", "tolerant", "fuzzy", "article", "judged", "first", "all", "any")
NO_ARTICLE = "-"  # the docno of a question without an answer that is asked of no article

_MOST = 64  # alternatives of a question
_Row = tuple[str, int, int, int]  # docno, start, end, alternative


class Placed(NamedTuple):
    """A piece of evidence and what became of it: its article, its spans, how they were found or why not."""

    piece: Evidence
    qid: str
    docno: str
    places: list[Span]
    status: str
    detail: str = ""
    docnos: Sequence[str] | None = None  # of the places, where they are not all in *docno*

    @property
    def good(self) -> bool:
        return self.status in GOOD

    @property
    def where(self) -> list[Place]:
        """The places, each with its article."""
        docnos = [self.docno] * len(self.places) if self.docnos is None else self.docnos
        return [Place(docno, span) for docno, span in zip(docnos, self.places, strict=True)]


def make_qrels(kept: list[Placed], asked: list[Placed], lengths: Mapping[str, int]) -> pd.DataFrame:
    """Make the qrels frame of the evidence *kept*; the questions' texts are those of all that was *asked*."""
    import pandas as pd

    rows: dict[tuple[str, str], list[_Row]] = {}
    of_question: dict[str, list[Placed]] = {}
    for entry in kept:
        of_question.setdefault(entry.qid, []).append(entry)
    for qid, entries in of_question.items():
        for entry in entries:
            for docno in dict.fromkeys(place.docno for place in entry.where) or (entry.docno or NO_ARTICLE,):
                rows.setdefault((qid, docno), [])
        for span in _spans(qid, entries):
            rows[qid, span[0]].append(span)
    cells = [sorted(found, key=lambda span: span[1:]) for found in rows.values()]
    flat = [(row, start, end) for row, cell in enumerate(cells) for _, start, end, _ in cell]
    row, start, end = np.array(flat, dtype=np.int64).reshape(-1, 3).T
    query = {entry.qid: entry.piece.query for entry in reversed(asked) if entry.piece.query is not None}
    frame = pd.DataFrame(
        {name: pd.Series([pair[i] for pair in rows], dtype=object) for i, name in ((0, "qid"), (1, "docno"))}
    )
    frame["label"] = np.array([1 if cell else 0 for cell in cells], dtype=np.int64)
    frame["highlights"] = span_column(row, len(cells), start, end)
    if any(span[3] > 1 for cell in cells for span in cell):
        frame["alternatives"] = alternatives_column([[span[3] for span in cell] for cell in cells])
    frame["bep"] = np.array([cell[0][1] if cell else -1 for cell in cells], dtype=np.int64)
    frame["length"] = np.array([lengths.get(docno, -1) for _, docno in rows], dtype=np.int64)
    if query:
        frame["query"] = pd.Series([query.get(qid) for qid, _ in rows], dtype=object)
    return frame


def _spans(qid: str, entries: list[Placed]) -> list[_Row]:
    """Return the spans of a question, numbered by their alternative, from 1; those of one that overlap are merged."""
    found: dict[frozenset[tuple[str, int, int]], None] = {}
    labels = dict.fromkeys(entry.piece.alternative for entry in entries if entry.piece.alternative is not None)
    for label in labels or (None,):
        # evidence that is in no alternative belongs to all of them
        members = [entry for entry in entries if entry.piece.alternative in (None, label)]
        choices = [[[place] for place in e.where] if e.status == "any" else [e.where] for e in members]
        if prod(map(len, choices)) + len(found) > _MOST:
            raise FormatError(
                f"question {qid!r} has more than {_MOST} alternatives: quotes that are found more than once make one "
                "for each combination of their places; give offsets or longer quotes"
            )
        for chosen in product(*choices):
            found.setdefault(_merged([place for places in chosen for place in places]))
    return [(*span, number) for number, alternative in enumerate(found, start=1) for span in alternative]


def _merged(places: list[Place]) -> frozenset[tuple[str, int, int]]:
    docnos = list(dict.fromkeys(place.docno for place in places))
    flat = [(docnos.index(docno), start, end) for docno, (start, end) in places]
    row, start, end = spans.union(*np.array(flat, dtype=np.int64).reshape(-1, 3).T, touching=False)
    return frozenset((docnos[r], s, e) for r, s, e in zip(row.tolist(), start.tolist(), end.tolist(), strict=True))
