"""Cells in any form that a user makes: which are missing, and their spans one by one, to find the first fault."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import SpanError
from .ids import name_id
from .spans import Spans

ADVICE = "give half-open offsets in characters as (start, end) or (start, end, score), with 0 <= start < end"


# numpy has its own floats, dates and times.
_CAN_BE_NAN = (float, np.floating, np.datetime64, np.timedelta64)


def is_missing(value: object) -> bool:
    """Tell whether a value is missing: None, NaN, or pandas' NA or NaT, as `pandas.isna` does for single values."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, _CAN_BE_NAN) and value != value


def is_blank(value: object) -> bool:
    """Tell whether a field of a file or table holds nothing: it is missing, or a text of white space only."""
    if isinstance(value, str):
        return not value or value.isspace()
    return type(value) is not int and is_missing(value)


def read_cells(cells: Iterable[object], column: str, frame: pd.DataFrame | None) -> Spans:
    """Read cells of any accepted form; the first span that is not valid is the error."""
    spans = [
        (row, given, read_span(given))
        for row, cell in enumerate(cells)
        for given in _read_cell(cell, column, frame, row)
    ]
    for row, given, span in spans:
        fault = _find_fault(given, span, column)
        if fault:
            raise _make_error(column, frame, row, f"{_quote_value(given)} {fault}")
    start = np.array([int(span[0]) for _, _, span in spans], dtype=np.int64)
    end = np.array([int(span[1]) for _, _, span in spans], dtype=np.int64)
    score = np.array([(*span, np.nan)[2] for _, _, span in spans], dtype=np.float64)
    has_scores = any(len(span) == 3 for _, _, span in spans)
    return Spans(np.array([row for row, _, _ in spans], dtype=np.int64), start, end, score if has_scores else None)


def _read_cell(cell: object, column: str, frame: pd.DataFrame | None, row: int) -> Sequence[object]:
    # an Arrow scalar
    if hasattr(cell, "as_py"):
        cell = cell.as_py()
    if is_missing(cell):
        return []
    if isinstance(cell, np.ndarray) and (cell.ndim == 1 or cell.shape[1:] in ((2,), (3,), (0,))):
        return [] if cell.size == 0 else _list_values(cell)
    if isinstance(cell, tuple | list):
        return cell
    raise _make_error(column, frame, row, f"{_quote_value(cell)} is not a list of spans")


def read_span(span: object) -> tuple[Any, ...]:
    """Read one span as a tuple; an empty one for what is not a span."""
    if isinstance(span, dict):
        score = span.get("score")
        bounds = (span["start"], span["end"]) if {"start", "end"} <= span.keys() else ()
        return bounds if score is None or not bounds else (*bounds, score)
    if isinstance(span, np.ndarray):
        return tuple(_list_values(span)) if span.ndim == 1 else ()
    return tuple(span) if isinstance(span, tuple | list) else ()


def _list_values(array: np.ndarray) -> list[object]:
    """List what an array holds; dates and times stay what they are (`tolist` makes numbers of them)."""
    return list(array) if array.dtype.kind in "mM" else array.tolist()


def _is_number(value: object) -> bool:
    kinds = (int, float, np.integer, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool | np.timedelta64)


def _is_offset(value: float) -> bool:
    return abs(value) < 2**63 and float(value).is_integer()


def _is_score(value: float) -> bool:
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _find_fault(given: object, span: tuple[Any, ...], column: str) -> str:
    """Say what is wrong with a span; nothing if it is valid."""
    if isinstance(given, dict) and not span:
        return "lacks 'start' or 'end'"
    if len(span) not in (2, 3):
        return "is not a pair or a triple"
    if not all(map(_is_number, span)):
        return "holds something that is not a number"
    if not all(map(_is_offset, span[:2])):
        return "holds an offset that is not a whole 64-bit number"
    if span[0] < 0 or span[1] < span[0] or (column != "passages" and span[0] == span[1]):
        return "is not a valid span"
    if len(span) == 2:
        return ""
    if not _is_score(span[2]):
        return "has a score that is too large"
    return "has no score (NaN)" if span[2] != span[2] else ""


def _make_error(column: str, frame: pd.DataFrame | None, row: int, what: str) -> SpanError:
    named = frame is not None and (
        {"qid", "docno"} <= set(frame.columns) or {"query_id", "doc_id"} <= set(frame.columns)
    )
    place = row_name(frame, row) if frame is not None and named else f"row {row}"
    return SpanError(f"column {column!r}, {place}: {what}; {ADVICE}")


def row_name(frame: pd.DataFrame, row: int) -> str:
    """Name a row in a message: its topic and article, by PyTerrier's or by ir_measures' names of the columns."""
    topic, article = ("qid", "docno") if "qid" in frame.columns else ("query_id", "doc_id")
    return f"topic {name_id(frame[topic].iloc[row])}, article {name_id(frame[article].iloc[row])}"


def _quote_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
