"""Attributes of spans: the alternatives and covers of highlights, the items of passages and the text around them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import ArrayLike
from pandas.arrays import ArrowExtensionArray

from ..errors import SpanError
from .span_cells import is_missing, row_name
from .spans import Ints, Spans


@dataclass(frozen=True, eq=False, repr=False)
class NumberColumn:
    """A column with a number beside each span of its row: a cell is a list as long as the cell of *spans*.

    *what* names the number in errors; it lies between *least* and *most*. *missing* stands for a missing cell (None: an
    error) and, with *gaps*, for a missing number.
    """

    name: str
    spans: str
    what: str
    least: float
    most: float
    missing: float | None
    gaps: bool = False
    kind: type = int


# The item number of a passage that is its own item.
ALONE = -1
AROUND = NumberColumn("around", "passages", "a number of characters; give 0 or more", 0, 2**40 - 1, missing=0)
ITEMS = NumberColumn(
    "items", "passages", "the number of an item; give 0 or more, or none for an item alone", 0, 2**62, ALONE, gaps=True
)
ALTERNATIVES = NumberColumn("alternatives", "highlights", "a whole number", -(2**63), 2**63 - 1, missing=None)
# A cover of 0 asks for any character of a highlight; whoever makes one leaves white space out at its ends.
COVER = NumberColumn(
    "cover", "highlights", "a share; give 0 to 1, or none for the measure's", 0, 1, math.nan, gaps=True, kind=float
)
# What run frames may have beside passages.
PASSAGE_COLUMNS = (AROUND, ITEMS)


def read_numbers(frame: pd.DataFrame, column: NumberColumn, spans: Spans) -> Any:
    """Read the number of each of the *spans* of the frame: int64 or float64; None if the frame has no such column.

    A cell is a list of numbers, Arrow's, numpy's or Python's. Raises SpanError, which names the topic and article, for
    one with more or fewer numbers than there are spans, or with one that is not allowed.
    """
    if column.name not in frame.columns or not len(frame):
        return None
    cells = _read_lists(frame, column)
    given = cells.is_valid().to_numpy(zero_copy_only=False)
    count = cells.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    expected = np.bincount(spans.row, minlength=len(frame))
    if column.missing is not None:
        expected = np.where(given, expected, 0)
    if np.any(count != expected):
        row = int(np.argmax(count != expected))
        raise SpanError(
            f"column {column.name!r}, {row_name(frame, row)}: {count[row]} numbers for {expected[row]} {column.spans}; "
            "give each its own"
        )
    flat = cells.flatten()
    if flat.null_count and not column.gaps:
        raise SpanError(f"column {column.name!r} holds a missing number; give each span its own")
    values = flat.fill_null(column.least).to_numpy(zero_copy_only=False)
    rows = given[spans.row]
    wrong = (values < column.least) | (values > column.most)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise _make_error(frame, int(spans.row[rows][place]), column, values[place])
    numbers: Any = np.full(len(spans.row), column.missing or 0, dtype=column.kind)
    numbers[rows] = values
    if flat.null_count:
        numbers[np.flatnonzero(rows)[flat.is_null().to_numpy(zero_copy_only=False)]] = column.missing
    return numbers


def read_row_numbers(parts: pd.DataFrame, column: NumberColumn) -> Ints | None:
    """Read the column of a frame with a passage a row; None if it has none. A missing number is the column's."""
    if column.name not in parts.columns:
        return None
    cells: list[Any] = [column.missing if is_missing(cell) else cell for cell in parts[column.name].tolist()]
    for row, cell in enumerate(cells):
        if cell != column.missing and not (_is_number(cell, column) and column.least <= cell <= column.most):
            raise _make_error(parts, row, column, cell)
    return np.array(cells, dtype=np.int64)


def make_numbers(row: Ints, n_rows: int, numbers: ArrayLike, column: NumberColumn) -> ArrowExtensionArray:
    """Make the column of a frame of *n_rows* from the number of each span; *row*, the row of each span, ascends."""
    values: Any = np.asarray(numbers, dtype=column.kind)
    bounds = pa.array(np.searchsorted(row, np.arange(n_rows + 1)), pa.int32())
    missing = _find_missing(values, column) if column.gaps else None
    lists = pa.ListArray.from_arrays(bounds, pa.array(values, mask=missing))
    return pd.arrays.ArrowExtensionArray(pa.chunked_array([lists]))


def make_row_numbers(numbers: Ints, column: NumberColumn) -> Ints | pd.arrays.IntegerArray:
    """Make the column of a frame with a passage a row: int64, or Int64 if numbers are missing."""
    missing = _find_missing(numbers, column)
    return pd.arrays.IntegerArray(numbers, missing) if column.gaps and missing.any() else numbers


def _find_missing(values: Any, column: NumberColumn) -> Any:
    return np.isnan(values) if column.kind is float else values == column.missing


def _is_number(value: object, column: NumberColumn) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return False
    number: Any = value
    return column.kind is float or bool(abs(number) < 2**63 and float(number).is_integer())


def _make_error(frame: pd.DataFrame, row: int, column: NumberColumn, value: object) -> SpanError:
    return SpanError(f"column {column.name!r}, {row_name(frame, row)}: {value} is not {column.what}")


def _read_lists(frame: pd.DataFrame, column: NumberColumn) -> pa.LargeListArray:
    """Read a column of lists of numbers as one array of Arrow; a missing cell is null."""
    cells: Any = frame[column.name]
    if not isinstance(cells.dtype, pd.ArrowDtype):
        cells = [_read_cell(frame, column, row, cell) for row, cell in enumerate(cells.tolist())]
    kind = pa.float64() if column.kind is float else pa.int64()
    try:
        array: Any = pa.array(cells, type=pa.large_list(kind))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        raise SpanError(f"column {column.name!r} holds lists of numbers, one for each span ({error})") from None
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _read_cell(frame: pd.DataFrame, column: NumberColumn, row: int, cell: object) -> list[Any] | None:
    """Read a cell that a user made; one that is no list is empty, which is too short."""
    if is_missing(cell):
        return None
    values = [None if is_missing(value) else value for value in cell] if isinstance(cell, Iterable) else []
    for value in values:
        if value is not None and not _is_number(value, column):
            kind = "numbers" if column.kind is float else "whole numbers"
            raise SpanError(
                f"column {column.name!r}, {row_name(frame, row)}: it holds lists of {kind}, one for each span, and "
                f"{value!r:.80} is none"
            )
    return [None if value is None else column.kind(value) for value in values]
