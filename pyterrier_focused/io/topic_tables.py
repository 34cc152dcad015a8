"""Topics as tables: CSV or TSV with a header that has at least `qid` and `query`, or lines `qid query` without one."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from .files import Source, read_bytes, source_name, write_bytes

if TYPE_CHECKING:
    import pandas as pd

_ENDINGS = {".csv": ",", ".tsv": "\t"}
_LONGEST = 2**24  # characters of a field


def is_topic_table(name: str, head: bytes) -> bool:
    """Tell whether topics are a table, by the file's name or, as there is no XML in it, by its first bytes."""
    return _delimiter(name) is not None or (not head.lstrip().startswith(b"<") and b"\t" in head)


def read_topic_table(source: Source) -> pd.DataFrame:
    """Read topics from a table; all columns are kept as text. Raises FormatError that names file and line."""
    import pandas as pd

    name = source_name(source)
    try:
        text = read_bytes(source).decode()
    except UnicodeDecodeError as error:
        raise FormatError("bytes that are no UTF-8; convert the file to UTF-8", file=name) from error
    lines = list(_rows(text, _delimiter(name) or "\t", name))
    if not lines:
        raise FormatError("no topics: the file is empty", file=name)
    columns = ["qid", "query"]
    if "qid" in lines[0][1]:
        columns = lines.pop(0)[1]
    if "query" not in columns or len(set(columns)) < len(columns):
        advice = "expected a header with qid and query, each column once"
        raise FormatError(f"{advice}, found {columns}", file=name, line=1)
    seen: dict[str, int] = {}
    for line, row in lines:
        if len(row) != len(columns):
            raise FormatError(
                f"{len(row)} fields instead of {len(columns)} ({', '.join(columns)})", file=name, line=line
            )
        topic = dict(zip(columns, row, strict=True))
        first = seen.setdefault(topic["qid"], line)
        fault = "has no id" if not topic["qid"].strip() else "has no query" if not topic["query"].strip() else ""
        fault = fault or (f"stands in line {first} too" if first != line else "")
        if fault:
            raise FormatError(f"topic {topic['qid']!r} {fault}", file=name, line=line)
    return pd.DataFrame([row for _, row in lines], columns=columns, dtype=object)


def write_topics(topics: pd.DataFrame, target: Source) -> None:
    """Write topics as CSV or, where the target's name does not end in .csv, as TSV, with all columns and a header.

    `read_topics` reads the file back. Raises ValueError where qid or query is missing, or a cell is not text or number.
    """
    for column in ("qid", "query"):
        if column not in topics.columns:
            raise ValueError(f"topics need the column {column!r}; found: {list(topics.columns)}")
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=_delimiter(source_name(target)) or "\t", lineterminator="\n")
    writer.writerow(topics.columns)
    for row in topics.itertuples(index=False, name=None):
        writer.writerow([_cell(value, column) for value, column in zip(row, topics.columns, strict=True)])
    write_bytes(target, lines.getvalue().encode())


def _delimiter(name: str) -> str | None:
    stem = name.removesuffix(".gz").removesuffix(".bz2")
    return _ENDINGS.get(os.path.splitext(stem)[1].lower())


def _rows(text: str, delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, fields) of each row that is not blank."""
    limit = csv.field_size_limit(_LONGEST)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if any(row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"not a well-formed table: {error}", file=name, line=line) from error
    finally:
        csv.field_size_limit(limit)


def _cell(value: Any, column: str) -> str:
    if isinstance(value, float) and value != value:
        return ""
    if isinstance(value, str | int | float) or hasattr(value, "item"):
        return str(value)
    raise ValueError(f"column {column!r} holds {type(value).__name__}, which a table of text cannot hold; drop it")
