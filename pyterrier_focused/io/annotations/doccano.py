"""doccano's JSON lines of sequence labelling: `{"id", "text", "label": [[start, end, label], ...], ...}`.

With relations it writes `entities` of `start_offset`, `end_offset` and `label` instead. Columns that were imported
along with the texts come back as fields: `docno`, `qid`. Offsets count code points.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pandas as pd

from ...errors import FormatError
from ...frames.articles import ArticleCollection
from ..reading.files import Source, read_bytes, source_name, write_bytes
from ..reading.json import JsonObject, loads
from .annotated import DOCNO_FIELDS, QID_FIELDS, Annotated, Mark, annotated_qrels, field, marks_of, records_with_texts


def read_doccano(
    source: Source, collection: ArticleCollection | None = None, *, errors: str = "raise", assessor: str | None = None
) -> pd.DataFrame:
    """Read doccano's JSON lines as a qrels frame; a text without labels is judged as not relevant to its topic."""
    name = source_name(source)
    return annotated_qrels(
        _read_annotated(read_bytes(source), name), name, collection, errors=errors, assessor=assessor
    )


def _read_annotated(data: bytes, name: str) -> Iterator[Annotated]:
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = loads(line)
        except json.JSONDecodeError as error:
            raise FormatError(f"this is not a line of JSON ({error.msg})", file=name, line=number, text=line) from None
        meta = _merge_meta(record)
        text = meta.get("text")
        docno = field(meta, (*DOCNO_FIELDS, "id"))
        if not isinstance(text, str) or docno is None:
            raise FormatError("this has no text or docno", file=name, line=number, text=line)
        marks = _read_marks(meta, name, number, line)
        comments = meta.get("Comments")
        note = " ".join(map(str, comments)) if isinstance(comments, list) else ""
        yield Annotated(number, field(meta, QID_FIELDS), docno, text, marks, field(meta, ("assessor",)) or "",
                        field(meta, ("note",)) or note)  # fmt: skip


def _merge_meta(record: object) -> JsonObject:
    """Return the fields of a record and of its `meta`; none for what is not a record."""
    if not isinstance(record, dict):
        return {}
    meta = record.get("meta")
    return {**(meta if isinstance(meta, dict) else {}), **record}


def _read_marks(record: JsonObject, name: str, number: int, line: str) -> list[Mark]:
    try:
        if "entities" in record:
            return [Mark(e["start_offset"], e["end_offset"], str(e["label"])) for e in record["entities"]]
        labels = record.get("label", record.get("labels")) or []
        return [Mark(start, end, str(label)) for start, end, label in labels]
    except (TypeError, KeyError, ValueError):
        raise FormatError(
            "labels are not [start, end, label]; export a project of sequence labelling as JSONL",
            file=name, line=number, text=line,
        ) from None  # fmt: skip


def write_doccano(qrels: pd.DataFrame, target: Source, collection: ArticleCollection | None = None) -> None:
    """Write a qrels frame as JSON lines to import into doccano, a line per judgment."""
    lines = []
    for row, text in records_with_texts(qrels, collection, "doccano"):
        fields = {name: str(row[name]) for name in ("qid", "docno", "query", "assessor", "note") if row.get(name)}
        label = [[mark.start, mark.end, mark.label] for mark in marks_of(row, text)]
        lines.append(json.dumps({"text": text, "label": label, **fields}, ensure_ascii=False) + "\n")
    write_bytes(target, "".join(lines).encode("utf-8", "replace"))
