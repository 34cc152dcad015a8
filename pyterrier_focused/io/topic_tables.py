"""Topics as tables: CSV, TSV or JSON lines with at least `qid` and `query`, or lines `qid<tab>query`."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator

import pandas as pd

from ..errors import FormatError
from ..frames.span_cells import is_missing
from ..reading.files import JSON_ENDINGS, Source, plain_name, read_bytes, source_name, write_bytes
from ..reading.json import JsonObject, records_in
from ..reading.tables import split_rows

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_QID = ("qid", "query_id", "id", "topic", "topic_id", "_id")
_QUERY = ("query", "question", "title", "text")


def is_topic_table(name: str, head: bytes) -> bool:
    """Tell whether topics are a table, by the file's name or, as there is no XML in it, by its first bytes."""
    return _find_ending(name) in (*_DELIMITERS, *JSON_ENDINGS) or (not head.lstrip().startswith(b"<") and b"\t" in head)


def read_topic_table(source: Source) -> pd.DataFrame:
    """Read topics from a table; all columns are kept, and those of a CSV or TSV file as text.

    `qid` may also be called query_id, id, topic, topic_id or _id (BEIR), and `query` question, title or text. Raises
    FormatError that names file and line.
    """
    name = source_name(source)
    text = _read_text(source, name)
    is_json = _find_ending(name) in JSON_ENDINGS and text.lstrip().startswith(("{", "["))
    rows = list((_read_records if is_json else _read_rows)(text, name))
    if not rows:
        raise FormatError("no topics: the file is empty", file=name)
    lines: dict[str, int] = {}
    topics = []
    for line, row in rows:
        qid, query = (str(next((row[key] for key in keys if row.get(key) is not None), "")) for keys in (_QID, _QUERY))
        earlier = lines.setdefault(qid.strip(), line)
        if not qid.strip() or not query.strip():
            fault = f"topic {qid!r} has no {'query' if qid.strip() else 'id'}; a topic needs a qid and a query"
            raise FormatError(fault, file=name, line=line)
        if earlier != line:
            raise FormatError(f"topic {qid!r} is also in line {earlier}", file=name, line=line)
        topics.append({**row, "qid": qid.strip(), "query": query})
    return pd.DataFrame(topics, dtype=object)


def write_topics(topics: pd.DataFrame, target: Source) -> None:
    """Write topics as CSV or, if the target's name does not end in .csv, as TSV, with all columns and a header.

    `read_topics` reads the file back.

    Example:
        >>> file = io.StringIO()
        >>> write_topics(pd.DataFrame({"qid": ["7"], "query": ["lighthouse lenses"]}), file)
        >>> file.getvalue()
        'qid\\tquery\\n7\\tlighthouse lenses\\n'
    """
    for column in ("qid", "query"):
        if column not in topics.columns:
            raise ValueError(f"topics need the column {column!r}; found: {list(topics.columns)}")
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=_tell_delimiter(source_name(target)), lineterminator="\n")
    writer.writerow(topics.columns)
    for row in topics.itertuples(index=False, name=None):
        writer.writerow([_write_cell(value, column) for value, column in zip(row, topics.columns, strict=True)])
    write_bytes(target, lines.getvalue().encode())


def _find_ending(name: str) -> str:
    return os.path.splitext(plain_name(name))[1].lower()


def _tell_delimiter(name: str) -> str:
    return _DELIMITERS.get(_find_ending(name), "\t")


def _read_text(source: Source, name: str) -> str:
    try:
        return read_bytes(source).decode()
    except UnicodeDecodeError as error:
        raise FormatError("bytes that are not UTF-8; convert the file to UTF-8", file=name) from error


def _read_records(text: str, name: str) -> Iterator[tuple[int, JsonObject]]:
    for line, record in records_in(text, name):
        if not isinstance(record, dict):
            raise FormatError("this topic is not an object with qid and query", file=name, line=line, text=str(record))
        yield line, record


def _read_rows(text: str, name: str) -> Iterator[tuple[int, JsonObject]]:
    delimiter = _tell_delimiter(name)
    first_row = next((line for line in text.splitlines() if line.strip()), "").split(delimiter)
    heads = [head.strip().strip('"').lower() for head in first_row]
    if "qid" not in heads and not (set(heads) & {*_QID} and set(heads) & {*_QUERY}):
        yield from _read_without_header(text, delimiter, name)
        return
    lines = _list_rows(text, delimiter, name)
    columns = [column.strip() for column in next(lines)[1]]
    columns = [column.lower() if column.lower() in (*_QID, *_QUERY) else column for column in columns]
    if not {*_QUERY} & {*columns} or len(set(columns)) < len(columns):
        advice = "expected a header with qid and query, each column once"
        raise FormatError(f"{advice}, found {columns}", file=name, line=1)
    for line, row in lines:
        if len(row) != len(columns):
            message = f"{len(row)} fields instead of {len(columns)} ({', '.join(columns)})"
            raise FormatError(message, file=name, line=line)
        yield line, dict(zip(columns, row, strict=True))


def _read_without_header(text: str, delimiter: str, name: str) -> Iterator[tuple[int, JsonObject]]:
    """Yield (line, topic) of lines of qid and query; quotation marks in lines with tabs are the query's."""
    tabbed = ((line, row.split("\t")) for line, row in enumerate(io.StringIO(text, newline=None), start=1))
    lines = tabbed if delimiter == "\t" else _list_rows(text, delimiter, name)
    for line, row in lines:
        fields = [field.rstrip("\n") for field in row]
        if len(fields) == 2:
            yield line, {"qid": fields[0], "query": fields[1]}
        elif any(map(str.strip, fields)):
            expected = "expected a qid, a tab and the query, or a header with qid and query"
            message = f"{expected}; found {len(fields)} field{'s' * (len(fields) > 1)}"
            raise FormatError(message, file=name, line=line, text=delimiter.join(fields))


def _list_rows(text: str, delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    return ((line, row) for line, row in split_rows(text, delimiter, name, "not a well-formed table") if any(row))


def _write_cell(value: object, column: str) -> str:
    if is_missing(value):
        return ""
    if isinstance(value, str | int | float) or hasattr(value, "item"):
        return str(value)
    raise ValueError(f"column {column!r} holds {type(value).__name__}, which a table of text cannot hold; drop it")
