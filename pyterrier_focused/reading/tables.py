"""Tables in files: CSV and TSV with a header, Parquet, and lists that were written into a cell."""

from __future__ import annotations

import ast
import csv
import io
import json
import sys
import tokenize
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import parquet as arrow_parquet

from ..errors import FormatError
from .files import Source, read_bytes, read_text, source_name
from .json import JsonObject, loads

# What files that `read_table` reads are called
TABLES = (".csv", ".tsv", ".parquet")


def read_table(source: Source) -> tuple[list[str], list[tuple[int, JsonObject]]]:
    """Read CSV or TSV with a header, or Parquet: (its columns, (line, row) of each row)."""
    path = source_name(source)
    if path.lower().endswith(".parquet"):
        return _read_parquet(source)
    text = read_text(source)
    first_line = text.split("\n", 1)[0]
    delimiter = max(",\t;", key=first_line.count)
    rows = ((line, values) for line, values in split_rows(text, delimiter, path, "this is not CSV") if values)
    header = [value.strip() for value in next(rows, (1, []))[1]]
    records = []
    for line, values in rows:
        if len(values) != len(header):
            raise FormatError(
                f"the row has {len(values)} fields, the header {len(header)}; quote fields that hold {delimiter!r} or "
                "line ends",
                file=path, line=line, text=delimiter.join(values),
            )  # fmt: skip
        records.append((line, dict(zip(header, values, strict=True))))
    return header, records


def split_rows(text: str, delimiter: str, path: str, fault: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, fields) of each row of CSV. Raises FormatError, which says *fault*, if it is malformed."""
    # Evidence may be longer than csv's limit of 131,072 characters.
    limit = csv.field_size_limit(sys.maxsize)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"{fault} ({error})", file=path, line=line) from None
    finally:
        csv.field_size_limit(limit)


def _read_parquet(source: Source) -> tuple[list[str], list[tuple[int, JsonObject]]]:
    data = read_bytes(source)
    try:
        table = arrow_parquet.read_table(pa.BufferReader(data))
        return table.column_names, list(enumerate(table.to_pylist(), start=1))
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        # Arrow reports damage as an OSError, and a date that Python lacks as an OverflowError
        raise FormatError(f"this is not a Parquet file ({error})", file=source_name(source)) from None


def parsed_list(text: str) -> Any:
    """Read a list that was written into a cell, as JSON or as Python or numpy prints it; None for anything else.

    numpy prints no commas, and Python would take two strings without one for a single string:

        ['One text.'
         'Another text.']
    """
    if not text.lstrip().startswith(("[", "(")):
        return None
    try:
        return loads(text)
    except json.JSONDecodeError:
        try:
            value = ast.literal_eval(text.strip())
            return _split_strings(text.strip()) or value
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            # The last two are raised if brackets are nested too deeply.
            return None


def _split_strings(text: str) -> list[str] | None:
    """Return the strings of a flat list that numpy printed; None if commas part them."""
    strings: list[str] = []
    adjacent = False
    last = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER):
            continue
        if token.type == tokenize.STRING:
            adjacent = adjacent or last == "string"
            strings.append(ast.literal_eval(token.string))
        last = "string" if token.type == tokenize.STRING else token.string
    return strings if adjacent else None
