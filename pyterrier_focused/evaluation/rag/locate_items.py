"""Where each retrieved text lies, as a frame, and the run frames of that.

name  qid  rank  text       docno       start  end  status
mine  1    1     "Cats eat" a               0    8  exact      lies in article a
mine  1    2     "Nobody"   unplaced-1     -1   -1  missing    counts as text of an article of its own
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from ...errors import EvidenceError, ForeignIdsWarning, warn_caller
from ...frames.columns import flatten
from ...frames.packing import pack
from ...frames.spans import Span
from ...io.evidence.read import OnFault, Repeated
from ...io.texts.corpus import Texts
from ...io.texts.find_texts import Place
from ...io.texts.items import Item
from ...io.texts.place_retrieved import PLACED, PlacedItem
from .match_questions import Retrieved

_COLUMNS: dict[str, type] = {
    "name": object, "qid": object, "rank": int, "text": object, "docno": object, "start": int, "end": int,
    "status": object, "places": object, "detail": object, "share": float, "around": int, "length": int,
}  # fmt: skip


def locate_items(
    retrieved: Retrieved, placed: Iterable[PlacedItem], texts: Texts, qrels: pd.DataFrame, repeated: Repeated
) -> pd.DataFrame:
    """Tell the place of each item, in one row each; `length`: in characters, also of a text that was not placed."""
    evidence = EvidenceOfQuestions(qrels) if repeated in ("all", "any") else None
    names = _Names(texts)
    rows = (
        (system, qid, rank, item)
        for system, questions in retrieved.items()
        for qid, items in questions.items()
        for rank, item in enumerate(items, start=1)
    )
    records = []
    for (system, qid, rank, item), found in zip(rows, placed, strict=True):
        status: str = found.status
        place = found.places[0] if status in PLACED else None
        if status == "repeated" and repeated != "report":
            status = repeated
            place = found.places[0] if evidence is None else evidence.choose_place(qid, found.places)
        text = item.text
        if place is not None and (text is None or (status == "id" and text in item.ids)):
            text = texts.articles[place.docno].text[slice(*place.span)]
        length = found.length
        if length is None:
            length = (item.end or 0) - (item.start or 0) if text is None else len(text)
        docno, (start, end) = place or Place(names.name(item), (-1, -1))
        around = 0 if place is None else found.count_around(place)
        records.append({
            "name": system, "qid": qid, "rank": rank, "text": text or "", "docno": docno, "start": start, "end": end,
            "status": status, "places": found.places, "detail": found.detail, "share": found.share, "around": around,
            "length": length,
        })  # fmt: skip
    return pd.DataFrame(records, columns=list(_COLUMNS)).astype(_COLUMNS)


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
    unplaced = located[located["start"] < 0]
    if not len(unplaced):
        return
    counts = ", ".join(f"{count} {status}" for status, count in unplaced["status"].value_counts().items())
    first = unplaced.iloc[0]
    message = (
        f"{len(unplaced)} of {len(located)} retrieved texts cannot be placed and count as read, not as "
        f"evidence ({counts}), first {first['name']!r}, question {first['qid']!r}, rank {first['rank']}: "
        f"{first['status']}, {first['text']!r:.80}"
    )
    if errors == "raise":
        problems = [{str(name): value for name, value in row.items()} for row in unplaced.to_dict("records")]
        raise EvidenceError(message, file="the results", problems=problems)
    is_placed = located.groupby("name", sort=False)["start"].max() >= 0
    lost = is_placed.index[~is_placed].tolist()
    if lost:
        message += f"; of system {lost[0]!r} none could be: is this the corpus that it searched?"
    warn_caller(f"{message}; result.located lists them", ForeignIdsWarning if lost else UserWarning)


def make_runs(located: pd.DataFrame, systems: Iterable[str]) -> dict[str, pd.DataFrame]:
    """Make a run frame of each system: what was retrieved first has the highest score."""
    is_placed = located["start"] >= 0
    start = located["start"].where(is_placed, 0)
    end = located["end"].where(is_placed, located["length"])
    ids = [f"{docno}#{first}-{last}" for docno, first, last in zip(located["docno"], start, end, strict=True)]
    parts = located[["qid", "around"]].assign(docno=ids, score=located["rank"].max() + 1.0 - located["rank"])
    parts = parts if parts["around"].any() else parts.drop(columns="around")
    return {system: pack(parts[located["name"] == system].reset_index(drop=True)) for system in systems}


def hide_unplaced_docnos(located: pd.DataFrame) -> pd.DataFrame:
    """Return the frame for people: a text that was not placed has no article."""
    shown = located.drop(columns="length")
    return shown.assign(docno=shown["docno"].where(shown["start"] >= 0, ""))
