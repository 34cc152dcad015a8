"""Where each retrieved text lies, as a frame, and the run frames of that.

name  qid  rank  text       docno       start  end  status
mine  1    1     "Cats eat" a               0    8  exact      lies in article a
mine  1    2     "Nobody"   unplaced-1     -1   -1  missing    counts as text of an article of its own
mine  2    0     ""                        -1   -1  ...        nothing was retrieved
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...errors import EvidenceError, ForeignIdsWarning
from ...frames.columns import flatten
from ...frames.packing import pack
from ...frames.spans import Span
from ...io.evidence.read import OnFault, Repeated
from ...io.texts.corpus import Texts
from ...io.texts.find_texts import Place
from ...io.texts.items import Item
from ...io.texts.place_retrieved import PLACED, PlacedItem
from .match_questions import RetrievedRow


class _Located(NamedTuple):
    """A row of the frame; *length*: in characters, also of a text that was not placed; *around*: not at its place."""

    name: str
    qid: str
    rank: int
    text: str
    docno: str
    start: int
    end: int
    status: str
    places: list[Place]
    detail: str
    share: float
    around: int
    length: int


def locate_items(
    rows: Iterable[RetrievedRow], placed: Iterable[PlacedItem], texts: Texts, qrels: pd.DataFrame, repeated: Repeated
) -> pd.DataFrame:
    """Tell the place of each item: a row for each, and for each question for which nothing was retrieved (rank 0)."""
    evidence = EvidenceOfQuestions(qrels) if repeated in ("all", "any") else None
    names = _Names(texts)
    records = []
    for row, found in zip(rows, placed, strict=True):
        item = row.item or Item()
        status: str = found.status
        place = found.places[0] if status in PLACED else None
        if status == "repeated" and repeated != "report":
            status = repeated
            place = found.places[0] if evidence is None else evidence.choose_place(row.qid, found.places)
        text = item.text
        if place is not None and (text is None or (status == "id" and text in item.ids)):
            text = texts.articles[place.docno].text[slice(*place.span)]
        length = found.length
        if length is None:
            length = (item.end or 0) - (item.start or 0) if text is None else len(text)
        if place is not None:
            docno, (start, end) = place
        else:
            docno = names.name(item) if row.item is not None else ""
            start = -1
            end = -1
        records.append(
            _Located(
                row.system,
                row.qid,
                row.rank,
                text or "",
                docno,
                start,
                end,
                status,
                found.places,
                found.detail,
                found.share,
                0 if place is None else found.count_around(place),
                length,
            )
        )
    return _make_frame(records)


def _make_frame(records: list[_Located]) -> pd.DataFrame:
    """Make a frame of records, column by column: numbers as int64, everything else as objects."""
    columns = zip(*records, strict=True) if records else [()] * len(_Located._fields)
    kinds: dict[str, type] = {"rank": int, "start": int, "end": int, "length": int, "around": int, "share": float}
    return pd.DataFrame({
        name: pd.Series(list(column), dtype=kinds.get(name, object))
        for name, column in zip(_Located._fields, columns, strict=True)
    })  # fmt: skip


class _Names:
    """Names of articles of their own for texts that lie in none: unplaced-1, unplaced-2, ... in order."""

    def __init__(self, texts: Texts):
        self.prefix = "unplaced"
        while any(docno.startswith(self.prefix) for docno in texts.articles):
            self.prefix += "-"
        self.names: dict[str, str] = {}

    def name(self, item: Item) -> str:
        """Name the article of an item; equal texts are one."""
        return self.names.setdefault(item.text or str(item), f"{self.prefix}-{len(self.names) + 1}")


class EvidenceOfQuestions:
    """The evidence of each question, by article."""

    def __init__(self, qrels: pd.DataFrame):
        spans = flatten(qrels["highlights"], "highlights", qrels)
        qid = qrels["qid"].astype(str).tolist()
        docno = qrels["docno"].astype(str).tolist()
        self.spans: dict[tuple[str, str], list[Span]] = {}
        for row, start, end in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
            self.spans.setdefault((qid[row], docno[row]), []).append((start, end))

    def choose_place(self, qid: str, places: list[Place]) -> Place:
        """Return the place with most of the question's evidence, the first of several."""

        def count_shared(place: Place) -> int:
            first, last = place.span
            spans = self.spans.get((qid, place.docno), ())
            return sum(max(0, min(end, last) - max(start, first)) for start, end in spans)

        return max(places, key=count_shared)


def warn_of_unplaced(located: pd.DataFrame, errors: OnFault | None) -> None:
    """Say which texts could not be placed; an EvidenceError with errors='raise'."""
    retrieved = located["rank"].to_numpy() > 0
    unplaced = located[retrieved & (located["start"].to_numpy() < 0)]
    if not len(unplaced):
        return
    counts = ", ".join(f"{count} {status}" for status, count in unplaced["status"].value_counts().items())
    first = unplaced.iloc[0]
    message = (
        f"{len(unplaced)} of {np.count_nonzero(retrieved)} retrieved texts cannot be placed and count as read, not as "
        f"evidence ({counts}), first {first['name']!r}, question {first['qid']!r}, rank {first['rank']}: "
        f"{first['status']}, {first['text']!r:.80}"
    )
    if errors == "raise":
        problems = [{str(name): value for name, value in row.items()} for row in unplaced.to_dict("records")]
        raise EvidenceError(message, file="the results", problems=problems)
    is_placed = located[retrieved].groupby("name", sort=False)["start"].max() >= 0
    lost = is_placed.index[~is_placed].tolist()
    if lost:
        message += f"; of system {lost[0]!r} none could be: is this the corpus that it searched?"
    warnings.warn(f"{message}; result.located lists them", ForeignIdsWarning if lost else UserWarning, stacklevel=4)


def make_runs(located: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Make a run frame of each system: what was retrieved first has the highest score."""
    most = int(located["rank"].max()) + 1
    runs = {}
    for name, rows in located.groupby("name", sort=False):
        rows = rows[rows["rank"] > 0]
        is_placed = rows["start"].to_numpy() >= 0
        start = np.where(is_placed, rows["start"], 0).tolist()
        end = np.where(is_placed, rows["end"], rows["length"]).tolist()
        ids = [f"{docno}#{first}-{last}" for docno, first, last in zip(rows["docno"], start, end, strict=True)]
        score = (most - rows["rank"].to_numpy()).astype(np.float64)
        parts = pd.DataFrame({"qid": rows["qid"].to_numpy(), "docno": ids, "score": score})
        around = rows["around"].to_numpy()
        runs[str(name)] = pack(parts.assign(around=around) if around.any() else parts)
    return runs


def hide_unplaced_docnos(located: pd.DataFrame) -> pd.DataFrame:
    """Return the frame for people: a text that was not placed has no article, and ranks begin with 1."""
    shown = located[located["rank"] > 0].drop(columns="length").reset_index(drop=True)
    return shown.assign(docno=shown["docno"].where(shown["start"] >= 0, ""))
