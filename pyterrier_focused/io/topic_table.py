"""Topics of one's own: tables (CSV, TSV, JSON lines) with qid and query, or lines of `qid<tab>query`."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from .files import Source, read_bytes, source_name

if TYPE_CHECKING:
    import pandas as pd

TABLES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson")
_QID, _QUERY = ("qid", "query_id", "id", "topic", "topic_id"), ("query", "question", "title", "text")


def read_topic_table(source: Source) -> pd.DataFrame:
    """Read topics as a frame with `qid` and `query`, and the table's other columns.

    A table's first line names its columns: `qid` (`query_id`, `id`, `topic`) and `query` (`question`, `title`, `text`).
    Lines without such names hold a qid, a tab and the query. Raises FormatError that names the line.
    """
    import pandas as pd

    name = source_name(source)
    if name.removesuffix(".gz").removesuffix(".bz2").endswith((".json", ".jsonl", ".ndjson")):
        from .corpus import json_records

        rows = list(json_records(name))
    else:
        rows = list(_lines(read_bytes(source).decode("utf-8", "replace"), name))
    topics: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for line, row in rows:
        if not isinstance(row, dict):
            raise FormatError("this topic is not an object with qid and query", file=name, line=line, text=str(row))
        qid, query = (
            next((row[key] for key in keys if row.get(key) not in (None, "")), None) for keys in (_QID, _QUERY)
        )
        if qid is None or query is None or not str(query).strip():
            raise FormatError("a topic needs a qid and a query", file=name, line=line, text=str(row))
        qid = str(qid).strip()
        if qid in seen:
            raise FormatError(f"topic {qid!r} stands in line {seen[qid]} too", file=name, line=line)
        seen[qid] = line
        topics.append({**row, "qid": qid, "query": str(query)})
    if not topics:
        raise FormatError("the file holds no topic", file=name)
    return pd.DataFrame(topics)


def _lines(text: str, name: str) -> Any:
    """Yield (line, row) of a table, with or without a line of names."""
    first = text.split("\n", 1)[0]
    separator = "\t" if "\t" in first else ","
    heads = [field.strip().strip('"').lower() for field in first.split(separator)]
    if any(head in _QID for head in heads) and any(head in _QUERY for head in heads):
        reader = csv.DictReader(io.StringIO(text), fieldnames=heads, delimiter=separator)
        next(reader)
        for row in reader:
            yield reader.line_num, {key: value for key, value in row.items() if key}
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            qid, tab, query = line.partition("\t")
            if not tab:
                raise FormatError("expected a qid, a tab and the query, or a table with the columns qid and query",
                                  file=name, line=number, text=line)  # fmt: skip
            yield number, {"qid": qid, "query": query}
