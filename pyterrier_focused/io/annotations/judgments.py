"""Judgments with who made them and when: a record for each topic, article and assessor, as JSON lines.

    {"qid": "7", "docno": "a", "assessor": "anna", "label": 1, "highlights": [[10, 42]], "bep": 10, "length": 900,
     "status": "judged", "unsure": false, "note": "", "time": "2026-03-01T09:30:00+00:00", "seconds": 41.5}

`status` is 'judged', or 'started' if the assessor has not said that the article is finished. `made_by` says who
decided, if the assessor is 'adjudicated'.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from ...errors import FormatError, warn_caller
from ...frames.articles import ArticleCollection
from ...frames.checks import check_qrels
from ...frames.columns import cells, span_column
from ...frames.spans import union
from ...reading.files import Source, read_bytes, source_name, write_bytes
from ...reading.json import Row, loads
from ...reading.lines import BadLine, Faults

# The assessor whose judgments decide between those of others.
ADJUDICATED = "adjudicated"
STATUSES = ("judged", "started")

_EXTRA = ("assessor", "status", "unsure", "note", "time", "seconds", "made_by")
_TYPES = {"unsure": bool, "seconds": float}
Record = dict[str, Any]


def read_judgments(
    source: Source, collection: ArticleCollection | None = None, *, errors: str = "raise", assessor: str | None = None
) -> pd.DataFrame:
    """Read JSON lines of judgments as a qrels frame.

    It has the columns `assessor`, `unsure`, `note`, `time` and `seconds` too. Of several judgments of one article that
    of *assessor* is taken; without a name see `qrels_of`. With a *collection* the lengths are checked against it.
    """
    records = list(read_records(source, errors=errors))
    return qrels_of(records, source_name(source), assessor=assessor, collection=collection)


def read_records(source: Source, *, errors: str = "raise") -> Iterator[Record]:
    """Yield each line's record, checked; raises FormatError that names the line, or skips it with a warning."""
    name = source_name(source)
    faults = Faults(name, errors)
    lines: dict[tuple[str, str, str], int] = {}
    # Not splitlines(): a note may hold any of the characters at which Python ends a line.
    for number, line in enumerate(read_bytes(source).decode("utf-8", "replace").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = _parse_record(line)
            key = record["qid"], record["docno"], record["assessor"]
            if key in lines:
                raise BadLine("an article judged twice for its topic by one assessor", f"keep it or line {lines[key]}")
        except BadLine as bad:
            faults.add(bad, number, line)
            continue
        lines[key] = number
        yield record
    faults.report()


def write_judgments(qrels: pd.DataFrame, target: Source) -> None:
    """Write a qrels frame as JSON lines of judgments, with who made them and when, if the frame has these columns."""
    check_qrels(qrels)
    names = [name for name in ("qid", "docno", *_EXTRA[:1], "label", "bep", "length", *_EXTRA[1:]) if name in qrels]
    rows = qrels[names].astype(object).to_dict("records")
    records: list[Record] = [
        {**{str(key): value for key, value in row.items()}, "highlights": [list(span) for span in cell]}
        for row, cell in zip(rows, cells(qrels["highlights"]), strict=True)
    ]
    write_records(records, target)


def write_records(records: Iterable[Record], target: Source) -> None:
    lines = [json.dumps(record, ensure_ascii=False, default=_convert_number) + "\n" for record in records]
    write_bytes(target, "".join(lines).encode("utf-8", "replace"))


def qrels_of(
    records: list[Record], name: str, *, assessor: str | None = None, collection: ArticleCollection | None = None
) -> pd.DataFrame:
    """Make a qrels frame of records, one judgment for each topic and article.

    That is *assessor*'s, or without a name the adjudicated one; if there is none, the only one, or of several the
    first made, which a warning counts. Articles that are only started count if they have highlights, which a warning
    counts too; without highlights they are not judged.
    """
    names = {record["assessor"] for record in records}
    if assessor is not None and assessor not in names:
        raise ValueError(f"{name}: no judgments by {assessor!r}; there are {', '.join(sorted(names)) or 'none'}")
    judged = [record for record in records if is_judged(record)]
    chosen = _choose_records([record for record in judged if assessor in (None, record["assessor"])], name)
    warn_of_started(chosen, name)
    _check_lengths(chosen, name, collection)
    return frame_of(chosen)


def is_judged(record: Record) -> bool:
    """Tell whether a record counts: its assessor is done with the article, or has highlighted something in it."""
    return record["status"] == "judged" or bool(record["highlights"])


def warn_of_started(judged: list[Record], name: str) -> None:
    started = [record for record in judged if record["status"] != "judged"]
    if started:
        warn_caller(
            f"{name}: {len(started)} articles have highlights but are not marked as done (first: topic "
            f"{started[0]['qid']!r}, article {started[0]['docno']!r}); they count as judged"
        )


def frame_of(chosen: list[Record]) -> pd.DataFrame:
    """Make a frame of records, a row each: a qrels frame if they are of one assessor."""
    frame = pd.DataFrame(
        {
            "qid": pd.Series([r["qid"] for r in chosen], dtype=object),
            "docno": pd.Series([r["docno"] for r in chosen], dtype=object),
            "label": np.array([r["label"] for r in chosen], dtype=np.int64),
        }
    )
    flat = [(row, start, end) for row, record in enumerate(chosen) for start, end in record["highlights"]]
    row, start, end = union(*np.array(flat, dtype=np.int64).reshape(-1, 3).T, touching=False)
    frame["highlights"] = span_column(row, len(chosen), start, end)
    first_starts = [min((span[0] for span in r["highlights"]), default=-1) for r in chosen]
    beps = [r["bep"] if r["bep"] >= 0 else start for r, start in zip(chosen, first_starts, strict=True)]
    frame["bep"] = np.array(beps, dtype=np.int64)
    frame["length"] = np.array([r["length"] for r in chosen], dtype=np.int64)
    for column in ("assessor", "unsure", "note", "time", "seconds"):
        frame[column] = pd.Series([r[column] for r in chosen], dtype=_TYPES.get(column, object))
    frame["made_by"] = pd.Series([r.get("made_by") or r["assessor"] for r in chosen], dtype=object)
    return frame


def _choose_records(records: list[Record], name: str) -> list[Record]:
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record["qid"], record["docno"]), []).append(record)
    several = []
    chosen = []
    for group in groups.values():
        group.sort(key=lambda record: (record["assessor"] != ADJUDICATED, record["time"], record["assessor"]))
        chosen.append(group[0])
        if len(group) > 1 and group[0]["assessor"] != ADJUDICATED:
            several.append(group[0])
    if several:
        warn_caller(
            f"{name}: {len(several)} articles are judged by several assessors and not adjudicated (first: "
            f"topic {several[0]['qid']!r}, article {several[0]['docno']!r}); the earlier judgment counts, unless you "
            "choose assessor="
        )
    return chosen


def _check_lengths(records: list[Record], name: str, collection: ArticleCollection | None) -> None:
    """Raise a FormatError if an article of the collection is not as long as the one that was judged."""
    if collection is None or not records:
        return
    docnos = sorted({record["docno"] for record in records if record["docno"] in collection})
    if not docnos:
        return
    lengths = collection.lengths(docnos).set_index("docno")["length"].to_dict()
    for record in records:
        if record["docno"] in lengths and record["length"] != lengths[record["docno"]]:
            raise FormatError(
                f"article {record['docno']!r} was judged with {record['length']} characters, and the collection's has "
                f"{lengths[record['docno']]}; use the collection that was assessed",
                file=name,
            )


def _parse_record(line: str) -> Record:
    try:
        record = loads(line)
    except json.JSONDecodeError as error:
        raise BadLine(f"no JSON ({error.msg})", "the line may be cut; write it again") from None
    if not isinstance(record, dict):
        raise BadLine("not a JSON object", "write one object a line")
    return check_record(record)


def check_record(record: Row) -> Record:
    """Return a judgment with all its fields; BadLine says what is wrong with it."""
    for field in ("qid", "docno"):
        if not isinstance(record.get(field), str | int) or isinstance(record[field], bool) or record[field] == "":
            raise BadLine(f"no {field}", f"name the {'topic' if field == 'qid' else 'article'}")
    length = record.get("length", -1)
    spans = record.get("highlights")
    if not _is_whole(length) or not isinstance(spans, list):
        raise BadLine("a length or highlights of the wrong kind", "lengths are whole numbers, highlights a list")
    for span in spans:
        if not (isinstance(span, list) and len(span) == 2 and all(map(_is_whole, span)) and 0 <= span[0] < span[1]):
            raise BadLine("a highlight that is not a span of characters", "write [start, end] with 0 <= start < end")
        if 0 <= length < span[1]:
            raise BadLine("a highlight beyond the article's length", "check that both count characters")
    bep = record.get("bep", -1)
    label = record.get("label", 1 if spans else 0)
    if not _is_whole(bep) or not _is_whole(label) or bep < -1:
        raise BadLine("a label or best entry point that is not a whole number", "write whole numbers, -1 for no bep")
    status = record.get("status", "judged")
    if status not in STATUSES:
        raise BadLine("an unknown status", f"write one of {', '.join(STATUSES)}")
    return {
        "qid": str(record["qid"]), "docno": str(record["docno"]), "assessor": str(record.get("assessor", "")),
        "label": label, "highlights": sorted(spans), "bep": bep, "length": length, "status": status,
        "unsure": record.get("unsure") is True, "note": str(record.get("note", "")),
        "time": str(record.get("time", "")), "seconds": _read_seconds(record.get("seconds", 0)),
        "made_by": str(record.get("made_by") or record.get("assessor", "")),
    }  # fmt: skip


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62


def _read_seconds(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53:
        return float(value)
    raise BadLine("seconds that are not a number of 0 or more", "write the time spent in seconds")


def _convert_number(value: object) -> object:
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} cannot be written as JSON")
