"""Exports of annotation tools as judgments: offsets are checked against the text, in the unit that fits it.

A record names its topic in a field `qid`; if none does, each label is a topic's name, and the annotated text is
relevant to it. A label called `BestEntryPoint` marks where reading should begin.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from ...frames.articles import ArticleCollection
from ...frames.checks import check_qrels
from ...frames.columns import cells
from ...frames.spans import union
from ...reading.json import JsonObject, Row
from ...reading.lines import BadLine, Faults
from ...texts.corpus import Texts
from .judgments import Record, qrels_of

RELEVANT = "Relevant"
ENTRY = "BestEntryPoint"
QID_FIELDS = ("qid", "query_id", "topic_id", "topic")
DOCNO_FIELDS = ("docno", "doc_id", "document_id", "document")


class Mark(NamedTuple):
    """An annotated span, its label, and the text that the tool says is there, if it says so."""

    start: int
    end: int
    label: str
    quote: str | None = None


class Annotated(NamedTuple):
    """One annotator's work on one document; *where*: its line or number in the file."""

    where: int
    qid: str | None
    docno: str
    text: str
    marks: list[Mark]
    assessor: str = ""
    note: str = ""
    time: str = ""
    seconds: float = 0.0


def annotated_qrels(
    entries: Iterable[Annotated], name: str, collection: ArticleCollection | None, *, errors: str, assessor: str | None
) -> pd.DataFrame:
    """Make a qrels frame of annotations. With a *collection* (or another corpus) their texts must be its articles'."""
    faults = Faults(name, errors)
    annotated = list(entries)
    texts = Texts(collection, [entry.docno for entry in annotated]) if collection is not None else None
    records: dict[tuple[str, str, str], Record] = {}
    for entry in annotated:
        try:
            _check_text(entry, texts)
            for record in _make_records(entry):
                key = record["qid"], record["docno"], record["assessor"]
                if key in records:
                    raise BadLine("a document that one annotator has twice for a topic", "keep one of them")
                records[key] = record
        except BadLine as bad:
            faults.add(bad, entry.where, entry.text[:100])
    faults.report()
    return qrels_of(list(records.values()), name, assessor=assessor)


def _check_text(entry: Annotated, texts: Texts | None) -> None:
    if texts is None:
        return
    article = texts.find(entry.docno)
    if article is None:
        raise BadLine("a document that the collection does not have", f"{entry.docno!r} is not a docno of it")
    if article.text != entry.text:
        pairs = enumerate(zip(article.text, entry.text, strict=False))
        end = min(len(article.text), len(entry.text))
        offset = next((offset for offset, (ours, theirs) in pairs if ours != theirs), end)
        raise BadLine("a text that is not the collection's", f"{entry.docno!r} differs from character {offset} on")


def _make_records(entry: Annotated) -> Iterable[Record]:
    """Yield the judgments that an annotated document makes: of its topic, or of each topic that is a label's name."""
    places = [_convert_to_code_points(mark, entry) for mark in entry.marks]
    marks = [mark._replace(start=start, end=end) for mark, (start, end) in zip(entry.marks, places, strict=True)]
    beps = [mark.start for mark in marks if mark.label == ENTRY]
    if len(beps) > 1:
        raise BadLine("several best entry points", f"keep one {ENTRY} a document")
    marks = [mark for mark in marks if mark.label != ENTRY]
    if entry.qid is None and not marks:
        raise BadLine("a document without topic and labels", f"name the topic in a field {QID_FIELDS[0]!r}")
    qids = [entry.qid] if entry.qid is not None else list(dict.fromkeys(mark.label for mark in marks))
    for qid in qids:
        relevant = [mark for mark in marks if entry.qid is not None or mark.label == qid]
        starts = [mark.start for mark in relevant]
        _, start, end = union([0] * len(relevant), starts, [mark.end for mark in relevant], touching=False)
        yield {
            "qid": qid, "docno": entry.docno, "assessor": entry.assessor, "label": int(bool(relevant)),
            "highlights": [list(span) for span in zip(start.tolist(), end.tolist(), strict=True)],
            "bep": beps[0] if beps else -1, "length": len(entry.text), "status": "judged", "unsure": False,
            "note": entry.note, "time": entry.time, "seconds": entry.seconds,
        }  # fmt: skip


def _convert_to_code_points(mark: Mark, entry: Annotated) -> tuple[int, int]:
    """Return the span of a mark in code points: as it is or, if only that fits the quote, converted from UTF-16."""
    text = entry.text
    if not (type(mark.start) is int and type(mark.end) is int and 0 <= mark.start < mark.end):
        raise BadLine("an annotation that is not a span of characters", "offsets are whole numbers, start < end")
    if mark.end <= len(text) and (mark.quote is None or _is_same_text(text[mark.start : mark.end], mark.quote)):
        return mark.start, mark.end
    units = text.encode("utf-16-le", "surrogatepass")
    if mark.quote is not None and 2 * mark.end <= len(units):
        before = units[: 2 * mark.start]
        inside = units[2 * mark.start : 2 * mark.end]
        if _is_same_text(inside.decode("utf-16-le", "surrogatepass"), mark.quote):
            start = len(before.decode("utf-16-le", "surrogatepass"))
            return start, start + len(inside.decode("utf-16-le", "surrogatepass"))
    if mark.end > len(text):
        raise BadLine("an annotation beyond the text", f"[{mark.start}, {mark.end}) of {len(text)} characters")
    raise BadLine(
        "an annotation whose text is not the text at its offsets",
        f"at [{mark.start}, {mark.end}) is {text[mark.start : mark.end][:40]!r}, not {str(mark.quote)[:40]!r}",
    )


def _is_same_text(text: str, quote: str) -> bool:
    """Return whether a quote is the text; tools write its line breaks as blanks, or as the characters `\\n`."""
    if text == quote:
        return True
    plain = quote.replace("\\n", "\n")
    return " ".join(text.split()) == " ".join(plain.split())


def field(record: Row, names: Iterable[str]) -> str | None:
    """Return the first of the named fields that holds something, as text."""
    return next((str(record[name]) for name in names if record.get(name) not in (None, "")), None)


def records_with_texts(
    qrels: pd.DataFrame, collection: ArticleCollection | None, format: str
) -> Iterable[tuple[JsonObject, str]]:
    """Yield each row of a qrels frame, its highlights as a list of spans, with the text of its article."""
    for _, of_one in qrels.groupby("assessor") if "assessor" in qrels.columns else [("", qrels)]:
        check_qrels(of_one)
    if collection is None:
        raise ValueError(f"format={format!r} holds the texts too; give the collection or another corpus as collection=")
    texts = Texts(collection, qrels["docno"].astype(str).tolist())
    highlights = [[[start, end] for start, end in cell] for cell in cells(qrels["highlights"])]
    for row, cell in zip(qrels.drop(columns="highlights").to_dict("records"), highlights, strict=True):
        article = texts.find(str(row["docno"]))
        if article is None:
            raise ValueError(f"article {row['docno']!r} is not in the collection; its text cannot be written")
        if cell and max(end for _, end in cell) > len(article.text):
            raise ValueError(f"topic {row['qid']!r}, article {row['docno']!r}: a highlight ends beyond its text")
        fields = {str(name): value for name, value in row.items()}
        yield {**fields, "qid": str(row["qid"]), "docno": str(row["docno"]), "highlights": sorted(cell)}, article.text


def marks_of(row: Row, text: str) -> list[Mark]:
    """Return a judgment's highlights as marks, and its best entry point if that is not the first highlight."""
    marks = [Mark(start, end, RELEVANT, text[start:end]) for start, end in row["highlights"]]
    bep = int(row.get("bep", -1))
    if 0 <= bep < len(text) and marks and bep != marks[0].start:
        marks.append(Mark(bep, bep + 1, ENTRY, text[bep : bep + 1]))
    return marks
