"""Label Studio: a pool as tasks to label, and labelled tasks (JSON) as qrels.

A task's `data` has `qid`, `query`, `docno` and `text`; its annotations mark text with the labels Relevant and, where
reading should begin, BestEntryPoint. LABELS is the interface to set up.

Offsets are code points on both sides. The labelling page of Label Studio turns the browser's UTF-16 units into code
points before it stores a region, also after an emoji (1.23.2: `fixCodePointsInRange` in
libs/editor/src/utils/selection-tools.js). The API stores offsets as it is sent them, so each quote is compared with the
text at its place. Source: labelstud.io/guide/task_format.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..collection.corpora import Texts
from ..errors import FormatError, warn_caller
from ..frames.articles import ArticleCollection
from ..frames.checks import check_qrels
from ..frames.columns import cells, span_column
from ..frames.spans import union
from ..reading.files import Source, read_bytes, source_name, write_bytes
from ..reading.json import JsonObject, Row, loads

RELEVANT = "Relevant"
ENTRY = "BestEntryPoint"
LABELS = f"""<View><Header value="$query"/>
<Labels name="label" toName="text"><Label value="{RELEVANT}"/><Label value="{ENTRY}"/></Labels>
<Text name="text" value="$text"/></View>"""


def write_tasks(pool: pd.DataFrame, topics: pd.DataFrame, target: Source, collection: ArticleCollection) -> None:
    """Write a pool (`qid, docno`, as `analysis.pool` returns it) as tasks to import into Label Studio.

    Example:
        >>> pool = pd.DataFrame([["1", "a"]], columns=["qid", "docno"])
        >>> topics = pd.DataFrame([["1", "tides"]], columns=["qid", "query"])
        >>> write_tasks(pool, topics, "tasks.json", {"a": "Tides rise."})
        >>> json.load(open("tasks.json"))[0]["data"]
        {'qid': '1', 'docno': 'a', 'query': 'tides', 'text': 'Tides rise.'}
    """
    rows = pool[["qid", "docno"]].merge(topics[["qid", "query"]], on="qid").to_dict("records")
    _write_json([{"data": {**row, "text": text}} for row, text in _add_texts(rows, collection)], target)


def write_label_studio(qrels: pd.DataFrame, target: Source, collection: ArticleCollection | None = None) -> None:
    """Write a qrels frame as labelled tasks: an annotation for each row."""
    if collection is None:
        raise ValueError("format='label-studio' holds the texts too; give the collection or another corpus")
    check_qrels(qrels)
    rows = qrels.assign(highlights=pd.Series(cells(qrels["highlights"]), qrels.index)).to_dict("records")
    tasks: list[JsonObject] = []
    for row, text in _add_texts(rows, collection):
        marks = [(start, end, RELEVANT) for start, end in sorted(row["highlights"])]
        bep = int(row.get("bep", -1))
        if marks and 0 <= bep < len(text) and bep != marks[0][0]:
            marks.append((bep, bep + 1, ENTRY))
        regions = [
            {"from_name": "label", "to_name": "text", "type": "labels",
             "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]}}
            for start, end, label in marks
        ]  # fmt: skip
        annotation: JsonObject = {"result": regions, "completed_by": {"email": str(row.get("assessor", ""))}}
        data: JsonObject = {name: str(row[name]) for name in ("qid", "docno", "query") if name in row}
        tasks.append({"data": {**data, "text": text}, "annotations": [annotation]})
    _write_json(tasks, target)


def _add_texts(rows: Iterable[Mapping[Any, Any]], collection: ArticleCollection) -> Iterator[tuple[Row, str]]:
    listed = [{str(name): value for name, value in row.items()} for row in rows]
    texts = Texts(collection, [str(row["docno"]) for row in listed])
    for row in listed:
        article = texts.find(str(row["docno"]))
        if article is None:
            raise ValueError(f"article {row['docno']!r} is not in the collection")
        yield row, article.text


def _write_json(tasks: list[JsonObject], target: Source) -> None:
    write_bytes(target, json.dumps(tasks, ensure_ascii=False, indent=1).encode("utf-8", "replace"))


def read_label_studio(
    source: Source, collection: ArticleCollection | None = None, *, assessor: str | None = None
) -> pd.DataFrame:
    """Read tasks exported as JSON as a qrels frame, with the column `assessor`.

    A finished annotation without labels judges its document as not relevant; skipped ones are none.

    Args:
        source: The export, a path or an open file.
        collection: The articles, whose texts must be those of the tasks.
        assessor: The annotator whose judgments to read: the number that Label Studio exports as `completed_by`, or an
            address if the export holds it. Without it the first annotation of each document in the file counts, and a
            warning says how many others there are.

    Raises:
        FormatError: The file is no such export, a text differs from the collection's, or a quote is not at its place:
            the message names the topic, the article and the offsets.
        ValueError: There are no judgments by *assessor*.
    """
    name = source_name(source)
    try:
        rows = [row for task in loads(read_bytes(source)) for row in _read_task(task)]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise FormatError(f"this is not what Label Studio exports as JSON: {error}", file=name) from error
    if assessor is not None:
        rows = [row for row in rows if row["assessor"] == assessor]
        if not rows:
            raise ValueError(f"{name}: no judgments by {assessor!r}")
    first: dict[tuple[str, str], JsonObject] = {}
    for row in rows:
        first.setdefault((row["qid"], row["docno"]), row)
    if len(first) < len(rows):
        warn_caller(f"{name}: {len(rows) - len(first)} judgments of other assessors are left out; choose assessor=")
    if collection is not None:
        _check_texts(list(first.values()), collection, name)
    return _make_frame(list(first.values()))


def _read_task(task: JsonObject) -> Iterator[JsonObject]:
    """Yield the judgment of each annotation that was not skipped; ValueError says what is wrong with one."""
    data = task["data"]
    text = data["text"]
    if not isinstance(text, str):
        raise ValueError("a task without text")
    for annotation in task["annotations"]:
        if annotation.get("was_cancelled"):
            continue
        regions = [region["value"] for region in annotation["result"] if region.get("type") == "labels"]
        place = f"topic {data['qid']!r}, article {data['docno']!r}"
        marks = [(*_check_span(region, text, place), label) for region in regions for label in region["labels"]]
        spans = [(start, end) for start, end, label in marks if label != ENTRY]
        entries = [start for start, _, label in marks if label == ENTRY]
        by = annotation.get("completed_by", "")
        yield {
            "qid": str(data["qid"]), "docno": str(data["docno"]), "text": text, "spans": spans,
            "bep": min(entries or [start for start, _ in spans], default=-1),
            "assessor": str(by.get("email") or by.get("id", "") if isinstance(by, dict) else by),
        }  # fmt: skip


def _check_span(region: JsonObject, text: str, place: str) -> tuple[int, int]:
    start = int(region["start"])
    end = int(region["end"])
    quote = str(region.get("text", text[start:end])).replace("\\n", "\n")
    # The tool writes line breaks of a quote as blanks, or as the characters \\n.
    if not 0 <= start < end <= len(text) or quote.split() != text[start:end].split():
        raise ValueError(f"{place}: at [{start}, {end}) is {text[start:end][:40]!r}, not {quote[:40]!r}")
    return start, end


def _check_texts(rows: list[JsonObject], collection: ArticleCollection, name: str) -> None:
    texts = Texts(collection, [row["docno"] for row in rows])
    for row in rows:
        article = texts.find(row["docno"])
        if article is None or article.text != row["text"]:
            fault = "is not in the collection" if article is None else "has another text in the collection"
            raise FormatError(f"article {row['docno']!r} {fault}", file=name)


def _make_frame(rows: list[JsonObject]) -> pd.DataFrame:
    flat = [(number, start, end) for number, row in enumerate(rows) for start, end in row["spans"]]
    spans = union(*np.array(flat, dtype=np.int64).reshape(-1, 3).T, touching=False)
    columns: dict[str, Any] = {name: pd.Series([row[name] for row in rows], dtype=object) for name in ("qid", "docno")}
    return pd.DataFrame(
        {
            **columns,
            "label": np.array([bool(row["spans"]) for row in rows], dtype=np.int64),
            "highlights": span_column(spans.group, len(rows), spans.start, spans.end),
            "bep": np.array([row["bep"] for row in rows], dtype=np.int64),
            "length": np.array([len(row["text"]) for row in rows], dtype=np.int64),
            "assessor": pd.Series([row["assessor"] for row in rows], dtype=object),
        }
    )
