"""Tables as commands print or save them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from ..reading.files import write_bytes
from .messages import escape_controls

# Decimal places in tables for readers.
DIGITS = 4
_ENDINGS = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".md": "markdown"}


def write_table(header: Sequence[str], rows: Iterable[Sequence[object]], arguments: argparse.Namespace) -> None:
    """Write a table as `--format` (else the ending of `--output`), `--places` and `--output` ask."""
    write_text(format_table(pd.DataFrame(list(rows), columns=list(header)), arguments), arguments)


def format_table(frame: pd.DataFrame, arguments: argparse.Namespace) -> str:
    return FORMATS[tell_format(arguments)](frame, arguments.places)


def write_text(text: str, arguments: argparse.Namespace) -> None:
    if arguments.output is None:
        sys.stdout.write(escape_controls(text))
    else:
        write_bytes(arguments.output, text.encode())


def tell_format(arguments: argparse.Namespace) -> str:
    ending = os.path.splitext(arguments.output or "")[1].lower()
    return arguments.format or _ENDINGS.get(ending, "table")


def _show_number(places: int | None) -> Callable[[float], str]:
    return f"{{:.{DIGITS if places is None else places}f}}".format


def _format_table(frame: pd.DataFrame, places: int | None) -> str:
    show = _show_number(places)
    texts = frame.map(lambda cell: "" if pd.isna(cell) else show(cell) if isinstance(cell, float) else str(cell))
    columns = [[str(name), *texts[name].tolist()] for name in frame.columns]
    widths = [max(map(len, column)) for column in columns]
    is_number = [pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns]
    padded = [
        [cell.rjust(width) if right else cell.ljust(width) for cell in column]
        for column, width, right in zip(columns, widths, is_number, strict=True)
    ]
    return "".join("  ".join(line).rstrip() + "\n" for line in zip(*padded, strict=True))


def _format_delimited(frame: pd.DataFrame, places: int | None, delimiter: str) -> str:
    return frame.to_csv(sep=delimiter, index=False, float_format=None if places is None else f"%.{places}f")


def _format_jsonl(frame: pd.DataFrame, places: int | None) -> str:
    return frame.to_json(orient="records", lines=True, force_ascii=False, double_precision=min(places or 15, 15))


def _format_markdown(frame: pd.DataFrame, places: int | None) -> str:
    show = _show_number(places)
    rows = [[show(cell) if isinstance(cell, float) else str(cell) for cell in row] for row in frame.to_numpy().tolist()]
    lines = [list(map(str, frame.columns)), ["---"] * len(frame.columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


FORMATS: dict[str, Callable[[pd.DataFrame, int | None], str]] = {
    "table": _format_table,
    "tsv": lambda frame, places: _format_delimited(frame, places, "\t"),
    "csv": lambda frame, places: _format_delimited(frame, places, ","),
    "jsonl": _format_jsonl,
    "markdown": _format_markdown,
}
