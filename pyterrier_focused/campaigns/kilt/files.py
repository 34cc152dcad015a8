"""KILT: questions with their answers' provenance in Wikipedia, gold and guessed, one JSON object per line.

A provenance names a page, and may name a section and paragraphs of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
import pandas as pd
import pyarrow as pa

from ...errors import FormatError
from ...reading.files import Source, read_bytes, source_name
from ...reading.json import JsonObject, load_json
from ...reading.lines import BadLine, Faults
from ...reading.run_columns import FolColumns, FolColumnsBuilder, fol_frame, make_list_column
from ..lines import code_names, group_judged, make_judged_frame

_KILT = "a line of KILT's is an object with id and output, a list of objects with answer and provenance"


class KiltItem(NamedTuple):
    """A line of a KILT file: its number, the id as text, and the object; provenance is a list of objects in it."""

    line: int
    id: str
    record: JsonObject


class Provenance(NamedTuple):
    """A provenance as frames have it: page and section, a span of paragraphs, and the number of its output."""

    docno: str
    start: int
    end: int
    output: int


def read_kilt_items(source: Source) -> list[KiltItem]:
    """Read the lines of a KILT file."""
    name = source_name(source)
    items: list[KiltItem] = []
    lines: dict[str, int] = {}
    for number, raw in enumerate(read_bytes(source).split(b"\n"), start=1):
        if not raw.strip():
            continue
        record = load_json(raw, name, number)
        fault = _find_fault(record)
        if not fault:
            qid = str(record["id"]).strip()
            if lines.setdefault(qid, number) != number:
                fault = f"id {qid!r} is already in line {lines[qid]}; ids are unique"
        if fault:
            raise FormatError(fault, file=name, line=number, text=raw.decode("utf-8", "replace"))
        items.append(KiltItem(number, qid, record))
    return items


def read_kilt_run(source: Source, *, errors: str = "raise") -> pd.DataFrame:
    """Read guessed provenance as a run frame: docno is the page, or page and section, spans count paragraphs.

    docno is the wikipedia_id, followed by a slash and the section if one is given (`290/Life%20and%20work`, quoted
    as in addresses). The span [3, 5) is the paragraphs 3 and 4; a provenance without paragraphs is [0, 1). The
    ranking is the order of the provenance; scores are whole numbers that fall along it.

    Example:
        >>> import io
        >>> place = '{"wikipedia_id": "290", "start_paragraph_id": 3, "end_paragraph_id": 4}'
        >>> line = f'{{"id": "q1", "input": "Who?", "output": [{{"provenance": [{place}]}}]}}'
        >>> run = read_kilt_run(io.BytesIO(line.encode()))
        >>> run["docno"].iloc[0], run["passages"].iloc[0][0]["start"], run["passages"].iloc[0][0]["end"]
        ('290', 3, 5)
    """
    faults = Faults(source_name(source), errors)
    columns = kilt_run_columns(source, faults)
    faults.report()
    return fol_frame(columns)


def kilt_run_columns(source: Source, faults: Faults) -> FolColumns:
    """Read guessed provenance as columns; what cannot be placed goes to *faults*."""
    builder = FolColumnsBuilder()
    for item in read_kilt_items(source):
        for place in _list_provenance(item, faults):
            builder.add(item.id, place.docno, place.start, place.end, item.line)
    return builder.columns("")._replace(rank=None, score=None)


def read_kilt_qrels(source: Source, *, errors: str = "raise") -> pd.DataFrame:
    """Read gold provenance as a qrels frame with a column `alternatives`: beside each highlight its output's number.

    Docnos and spans are as in `read_kilt_run`; the question is the column `query`.

    Returns:
        A qrels frame. A question without provenance is not judged.
    """
    faults = Faults(source_name(source), errors)
    items = read_kilt_items(source)
    places = [(number, place) for number, item in enumerate(items) for place in _list_provenance(item, faults)]
    faults.report()
    article, docnos = code_names([place.docno for _, place in places])
    topic = np.array([number for number, _ in places], dtype=np.int64)
    start = np.array([place.start for _, place in places], dtype=np.int64)
    end = np.array([place.end for _, place in places], dtype=np.int64)
    output = np.array([place.output for _, place in places], dtype=np.int64)
    groups = group_judged(topic, article, len(docnos))
    asked = [items[number] for number in topic[groups.head].tolist()]
    articles = [docnos[code] for code in article[groups.head].tolist()]
    frame = make_judged_frame(groups, [item.id for item in asked], articles, start, end)
    numbers = make_list_column(pa.array(output[groups.order], type=pa.int64()), groups.row, len(asked))
    frame.insert(4, "alternatives", pd.Series(numbers))
    frame["query"] = pd.Series([item.record.get("input") for item in asked], dtype=object)
    return frame


def _find_fault(record: object) -> str:
    """Say what is wrong with the object of a line; nothing if it is KILT's."""
    if not isinstance(record, dict) or "id" not in record or not isinstance(record.get("output"), list):
        return _KILT
    for output in record["output"]:
        entries = output.get("provenance", []) if isinstance(output, dict) else None
        if not isinstance(entries, list) or not set(map(type, entries)) <= {dict}:
            return "provenance is not a list of objects; " + _KILT
    return ""


def _list_provenance(item: KiltItem, faults: Faults) -> Iterator[Provenance]:
    """Yield the provenance of all outputs, in order; what cannot be placed goes to *faults*."""
    for number, output in enumerate(item.record["output"]):
        for entry in output.get("provenance", []):
            try:
                yield _read_place(entry, number)
            except BadLine as bad:
                faults.add(bad, item.line, str(entry))


def _read_place(entry: JsonObject, output: int) -> Provenance:
    page, section = ("" if entry.get(key) is None else str(entry[key]).strip() for key in ("wikipedia_id", "section"))
    if not page:
        raise BadLine("a provenance without wikipedia_id", "it names the page")
    docno = f"{quote(page, safe='')}/{quote(section, safe='')}" if section else quote(page, safe="")
    start_id = entry.get("start_paragraph_id")
    if start_id is None:
        return Provenance(docno, 0, 1, output)
    end_id = entry.get("end_paragraph_id", start_id)
    try:
        start = int(start_id)
        end = int(start_id if end_id is None else end_id) + 1
    except (TypeError, ValueError, OverflowError):
        raise BadLine("a paragraph id that is not a whole number", "paragraphs count from 0") from None
    if not 0 <= start < end < 2**62:
        raise BadLine("paragraphs that end before they begin", "paragraphs count from 0")
    return Provenance(docno, start, end, output)
