"""Tables as commands print them: aligned for people, or TSV, CSV, JSON lines, Markdown and LaTeX."""

from __future__ import annotations

import argparse
import csv
import io
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import pandas as pd

from .. import analysis
from ..frames.span_cells import is_missing
from ..reading.files import write_bytes
from .messages import escape_controls
from .options import find_ending

# Decimal places in tables for readers.
DIGITS = 4
FOR_READERS = ("table", "markdown", "latex")
Cell = object
Row = Sequence[Cell]


def write_table(header: Sequence[str], rows: Iterable[Row], arguments: argparse.Namespace) -> None:
    """Write a table as `--format` (else the ending of `--output`), `--places` and `--output` ask."""
    write_text(format_table(header, rows, arguments), arguments)


def format_table(header: Sequence[str], rows: Iterable[Row], arguments: argparse.Namespace) -> str:
    places = arguments.places
    if places is not None and not 0 <= places <= 17:
        raise ValueError(f"-p {places}: give a number of decimal places from 0 to 17")
    return FORMATS[tell_format(arguments)](list(header), [list(row) for row in rows], places)


def write_text(text: str, arguments: argparse.Namespace) -> None:
    if arguments.output is None:
        for_people = tell_format(arguments) in FOR_READERS or sys.stdout.isatty()
        sys.stdout.write(escape_controls(text) if for_people else text)
        return
    write_bytes(arguments.output, text.encode())


def tell_format(arguments: argparse.Namespace) -> str:
    """Return the format of a table: the one asked for, else that of the output file's ending."""
    return arguments.format or _ENDINGS[find_ending(arguments.output or "", _ENDINGS)]


def _format_delimited(header: list[str], rows: list[Row], places: int | None, delimiter: str) -> str:
    text = io.StringIO()
    lines = [[_round_cell(cell, places) for cell in row] for row in rows]
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([header, *lines])
    return text.getvalue()


def _format_jsonl(header: list[str], rows: list[Row], places: int | None) -> str:
    objects = [dict(zip(header, [_round_cell(cell, places) for cell in row], strict=True)) for row in rows]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in objects)


def _format_markdown(header: list[str], rows: list[Row], places: int | None) -> str:
    def make_line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"

    numeric = _find_numbers(header, rows)
    rule = ["---:" if right else "---" for right in numeric]
    shown = [[_show_cell(cell, places) for cell in row] for row in rows]
    return "".join(make_line(line) for line in (header, rule, *shown))


def _format_table(header: list[str], rows: list[Row], places: int | None) -> str:
    """Align the columns; turn a table that is too wide for the terminal, or cut it into blocks of columns."""
    width = shutil.get_terminal_size((100, 24)).columns
    columns = [[name, *(_show_cell(row[column], places) for row in rows)] for column, name in enumerate(header)]
    right = _find_numbers(header, rows)
    keys = next((column for column, is_number in enumerate(right) if is_number), len(header))
    if _measure_width(columns) > width and keys == 1 and len(rows) < len(header):
        columns = [list(column) for column in zip(*columns, strict=True)]
        right = [False] + [True] * len(rows)
    return "\n".join(_align_columns(block, sides) for block, sides in _cut_columns(columns, right, keys, width))


def _measure_width(columns: Iterable[Sequence[str]]) -> int:
    return sum(max(map(len, column)) + 2 for column in columns) - 2


def _cut_columns(
    columns: list[list[str]], right: list[bool], keys: int, width: int
) -> Iterable[tuple[list[list[str]], list[bool]]]:
    """Yield blocks of columns that fit the width, each with the key columns in front and the sides they align to."""
    block = list(range(keys))
    for column in range(keys, len(columns)):
        if len(block) > keys and _measure_width(columns[i] for i in [*block, column]) > width:
            yield [columns[i] for i in block], [right[i] for i in block]
            block = list(range(keys))
        block.append(column)
    yield [columns[i] for i in block], [right[i] for i in block]


def _align_columns(columns: list[list[str]], right: list[bool]) -> str:
    padded = []
    for column, is_right in zip(columns, right, strict=True):
        size = max(map(len, column))
        padded.append([cell.rjust(size) if is_right else cell.ljust(size) for cell in column])
    return "".join("  ".join(line).rstrip() + "\n" for line in zip(*padded, strict=True))


def _find_numbers(header: Sequence[str], rows: Sequence[Row]) -> list[bool]:
    """Tell for each column whether it holds numbers, which are aligned to the right."""
    columns = range(len(header))
    return [bool(rows) and all(isinstance(row[column], int | float) for row in rows) for column in columns]


def _show_cell(cell: Cell, places: int | None) -> str:
    """Show a cell to a reader: numbers that are not whole with the places asked for, or 4."""
    if is_missing(cell):
        return ""
    if isinstance(cell, float):
        return f"{cell:.{DIGITS if places is None else places}f}"
    return " ".join(str(cell).split())


def _format_latex(header: list[str], rows: list[Row], places: int | None) -> str:
    frame = pd.DataFrame([list(row) for row in rows], columns=["name", *header[1:]])
    if texts := [name for name in header[1:] if not pd.api.types.is_numeric_dtype(frame[name])]:
        raise ValueError(f"a LaTeX table has numbers beside each name, and {texts[0]} holds texts; write it as .csv")
    return analysis.to_latex(frame, digits=DIGITS if places is None else places)


def _round_cell(cell: Cell, places: int | None) -> Cell:
    """Round a cell for a program; None, which is an empty field and JSON's null, if it is missing."""
    if is_missing(cell):
        return None
    return round(cell, places) if isinstance(cell, float) and places is not None else cell


FORMATS: dict[str, Callable[[list[str], list[Row], int | None], str]] = {
    "table": _format_table,
    "tsv": partial(_format_delimited, delimiter="\t"),
    "csv": partial(_format_delimited, delimiter=","),
    "jsonl": _format_jsonl,
    "markdown": _format_markdown,
    "latex": _format_latex,
}

_ENDINGS = {
    "": "table",
    ".txt": "table",
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
}
