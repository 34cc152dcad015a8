"""Label Studio's JSON: tasks of a text each, with the annotations of one or more people.

Label with `<Text>` and `<Labels>`. A task's `data` has the `text`, the `docno` and, unless labels name topics, the
`qid`. Offsets count code points (in versions of before October 2021 UTF-16 units, which the annotated text tells).
Source: labelstud.io/guide/task_format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from ...errors import FormatError
from ...frames.articles import ArticleCollection
from ...reading.files import Source, read_bytes, source_name, write_bytes
from ...reading.json import JsonObject, loads
from .annotated import DOCNO_FIELDS, QID_FIELDS, Annotated, Mark, annotated_qrels, field, marks_of, records_with_texts


def read_label_studio(
    source: Source, collection: ArticleCollection | None = None, *, errors: str = "raise", assessor: str | None = None
) -> pd.DataFrame:
    """Read tasks exported as JSON, or as JSON-MIN, as a qrels frame; annotators are the assessors.

    A finished annotation without labels judges its document as not relevant; skipped ones are none.
    """
    name = source_name(source)
    try:
        tasks = loads(read_bytes(source))
    except ValueError as error:
        raise FormatError(f"this is not JSON ({error}); export the project as JSON", file=name) from None
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise FormatError("this is not a list of tasks; export the project as JSON", file=name)
    return annotated_qrels(_read_annotated(tasks, name), name, collection, errors=errors, assessor=assessor)


def _read_annotated(tasks: list[JsonObject], name: str) -> Iterator[Annotated]:
    for number, task in enumerate(tasks, start=1):
        try:
            yield from list(_read_task(number, task, name))
        except (TypeError, KeyError, AttributeError) as error:
            message = f"task {number} is not as Label Studio writes it ({error!r}); export the project as JSON"
            raise FormatError(message, file=name, text=str(task)[:100]) from None


def _read_task(number: int, task: JsonObject, name: str) -> Iterator[Annotated]:
    data = task.get("data", task)
    text = data.get("text")
    docno = field(data, DOCNO_FIELDS) or field(task, ("id",))
    if not isinstance(text, str) or docno is None:
        raise FormatError(f"task {number} has no text or docno in its data", file=name, text=str(data)[:100])
    base = number, field(data, QID_FIELDS), docno, text
    # JSON-MIN has one annotation a task, its regions in a field named after the label tag.
    if "annotations" not in task:
        lists = [value for value in task.values() if _are_regions(value)]
        marks = [mark for regions in lists for region in regions for mark in _read_marks(region, number, name)]
        time = field(task, ("updated_at",)) or ""
        yield Annotated(*base, marks, field(task, ("annotator",)) or "", "", time, _read_seconds(task))
        return
    for annotation in task["annotations"]:
        if annotation.get("was_cancelled"):
            continue
        results = annotation.get("result") or []
        marks = [
            mark for result in results if "labels" in result.get("value", {})
            for mark in _read_marks(result["value"], number, name)
        ]  # fmt: skip
        notes = [" ".join(r["value"]["text"]) for r in results if r.get("type") == "textarea"]
        time = field(annotation, ("updated_at", "created_at")) or ""
        yield Annotated(*base, marks, _name_annotator(annotation), " ".join(notes), time, _read_seconds(annotation))


def _are_regions(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(r, dict) and "labels" in r for r in value)


def _read_marks(value: JsonObject, number: int, name: str) -> list[Mark]:
    start = value.get("start")
    if isinstance(start, str) and not start.isdecimal():
        raise FormatError(
            f"task {number} has a region of HyperText, which counts within tags; label plain text with <Text>",
            file=name, text=start,
        )  # fmt: skip
    try:
        offsets = int(value["start"]), int(value["end"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise FormatError(f"task {number} has a region without offsets", file=name, text=str(value)[:100]) from None
    quote = value.get("text")
    return [Mark(*offsets, str(label), None if quote is None else str(quote)) for label in value["labels"]]


def _name_annotator(annotation: JsonObject) -> str:
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        return field(by, ("email", "username", "id")) or ""
    return "" if by is None else str(by)


def _read_seconds(entry: JsonObject) -> float:
    spent = entry.get("lead_time")
    return float(spent) if isinstance(spent, int | float) and 0 <= spent < 1e9 else 0.0


def write_label_studio(qrels: pd.DataFrame, target: Source, collection: ArticleCollection | None = None) -> None:
    """Write a qrels frame as tasks to import into Label Studio; a document's judgments are annotations of one task.

    The labelling interface has `<Text name="text" value="$text"/>` and `<Labels name="label" toName="text">` with the
    labels Relevant and BestEntryPoint.
    """
    tasks: dict[tuple[str, str], dict[str, Any]] = {}
    for row, text in records_with_texts(qrels, collection, "label-studio"):
        data = {name: str(row[name]) for name in ("qid", "docno", "query") if name in row}
        task = tasks.setdefault((row["qid"], row["docno"]), {"annotations": [], "data": {**data, "text": text}})
        result = [
            {"id": f"h{number}", "from_name": "label", "to_name": "text", "type": "labels",
             "value": {"start": mark.start, "end": mark.end, "text": mark.quote, "labels": [mark.label]}}
            for number, mark in enumerate(marks_of(row, text))
        ]  # fmt: skip
        if row.get("note"):
            result.append({"id": "note", "from_name": "note", "to_name": "text", "type": "textarea",
                           "value": {"text": [str(row["note"])]}})  # fmt: skip
        annotation: dict[str, Any] = {"result": result, "was_cancelled": False}
        if row.get("assessor"):
            annotation["completed_by"] = {"email": str(row["assessor"])}
        if row.get("time"):
            annotation["created_at"] = str(row["time"])
        if row.get("seconds"):
            annotation["lead_time"] = float(row["seconds"])
        task["annotations"].append(annotation)
    write_bytes(target, json.dumps(list(tasks.values()), ensure_ascii=False, indent=1).encode("utf-8", "replace"))
