"""Attributes of spans: the alternatives, facts and weights of highlights, and the text around passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..errors import SpanError
from .span_cells import is_missing, row_name
from .spans import Ints, Spans

if TYPE_CHECKING:
    from pandas.arrays import ArrowExtensionArray

# What each highlight proves.
Proofs = list[list["Proof"]]
# so that sums of characters stay within 64 bits
_MOST_AROUND = 2**40


@dataclass(frozen=True)
class Proof:
    """A fact that a highlight proves: by itself if *set* is None, else together with the others of that set."""

    # A name, or a number.
    fact: Any
    set: Any = None
    weight: float = 1.0


def read_alternatives(frame: pd.DataFrame, highlights: Spans) -> Ints | None:
    """Read the number of each of the *highlights*, which are those of the frame; None if it has no such column.

    A cell is a list of whole numbers, Arrow's, numpy's or Python's, as long as the highlights' cell; None if that is
    empty. Raises SpanError that names the topic and article of a cell that is not so.
    """
    if "alternatives" not in frame.columns or not len(frame):
        return None
    cells = _read_numbers(frame, "alternatives")
    given = cells.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    _check_counts(frame, "alternatives", given, np.bincount(highlights.row, minlength=len(frame)), "highlights")
    numbers: Ints = cells.flatten().to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def read_around(run: pd.DataFrame, passages: Spans) -> Ints | None:
    """Read how many characters were returned around each of the *passages*, which are those of the run.

    A cell is a list of whole numbers, 0 or more, as long as the passages' cell; a cell that is None, NaN or NA as a
    whole is one of zeros. None if the run has no column `around`. Raises SpanError that names the topic and article of
    a cell that is not so.
    """
    if "around" not in run.columns or not len(run):
        return None
    cells = _read_numbers(run, "around")
    given = cells.is_valid().to_numpy(zero_copy_only=False)
    per_row = np.bincount(passages.row, minlength=len(run))
    lengths = cells.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    _check_counts(run, "around", lengths, np.where(given, per_row, 0), "passages")
    around = np.zeros(len(passages.row), dtype=np.int64)
    around[given[passages.row]] = cells.flatten().to_numpy(zero_copy_only=False)
    wrong = (around < 0) | (around >= _MOST_AROUND)
    if wrong.any():
        passage = int(np.argmax(wrong))
        raise SpanError(
            f"column 'around', {row_name(run, int(passages.row[passage]))}: {around[passage]} is not a number of "
            "characters; give 0 or more"
        )
    return around


def read_around_of_rows(parts: pd.DataFrame) -> Ints | None:
    """Read the column `around` of a frame with a passage a row, 0 for what is missing; None if it has none."""
    if "around" not in parts.columns:
        return None
    cells = [0 if is_missing(cell) else cell for cell in parts["around"].tolist()]
    for row, cell in enumerate(cells):
        is_whole = isinstance(cell, int | float | np.number) and not isinstance(cell, bool) and float(cell).is_integer()
        if not is_whole or not 0 <= cell < _MOST_AROUND:
            raise SpanError(
                f"column 'around', {row_name(parts, row)}: {cell!r} is not a number of characters; give 0 or more"
            )
    return np.array(cells, dtype=np.float64).astype(np.int64)


def make_around_column(row: Ints, n_rows: int, around: Ints) -> ArrowExtensionArray:
    """Make the column `around` of a run of *n_rows* from what is around each passage; *row* ascends."""
    bounds = pa.array(np.searchsorted(row, np.arange(n_rows + 1)), pa.int32())
    return pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.ListArray.from_arrays(bounds, pa.array(around))]))


def _read_numbers(frame: pd.DataFrame, column: str) -> pa.LargeListArray:
    """Read a column of lists of whole numbers as one array of Arrow; a missing cell is null."""
    cells: Any = frame[column]
    if not isinstance(cells.dtype, pd.ArrowDtype):
        cells = [_read_cell(frame, column, row, cell) for row, cell in enumerate(cells.tolist())]
    try:
        array: Any = pa.array(cells, type=pa.large_list(pa.int64()))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        raise SpanError(f"column {column!r} holds lists of whole numbers, one for each span ({error})") from None
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if array.flatten().null_count:
        raise SpanError(f"column {column!r} holds a missing number; give each span its own")
    return array


def _read_cell(frame: pd.DataFrame, column: str, row: int, cell: object) -> list[int | None] | None:
    """Read a cell that a user made; one that is no list is empty, which is too short."""
    if is_missing(cell):
        return None
    values = list(cell) if isinstance(cell, Iterable) else []
    for value in values:
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if value is not None and not (is_number and abs(value) < 2**63 and float(value).is_integer()):
            raise SpanError(
                f"column {column!r}, {row_name(frame, row)}: it holds lists of whole numbers, one for each span, and "
                f"{value!r:.80} is none"
            )
    return [None if value is None else int(value) for value in values]


def _check_counts(frame: pd.DataFrame, column: str, given: Ints, expected: Ints, what: str) -> None:
    """Raise a SpanError if a cell holds more or fewer numbers than there are spans."""
    if np.any(given != expected):
        row = int(np.argmax(given != expected))
        counts = f"{given[row]} numbers for {expected[row]} {what}"
        raise SpanError(f"column {column!r}, {row_name(frame, row)}: {counts}; give each its own")


def alternatives_column(cells: list[list[int]]) -> ArrowExtensionArray:
    """Make the column of lists of numbers: an Arrow column."""
    return pd.arrays.ArrowExtensionArray(pa.array(cells, type=pa.list_(pa.int64())))


def read_proofs(frame: pd.DataFrame, column: str, highlights: Spans) -> Proofs:
    """Read what each of the *highlights* proves, which are those of the frame.

    An entry of a cell is a fact, (fact, set), Arrow's {"fact", "set"}, a list of these, or None. Raises ValueError that
    names the topic and article of a cell that is not so.
    """
    entries = _read_beside(frame, column, highlights)
    weights = _read_beside(frame, "fact_weights", highlights) if "fact_weights" in frame.columns else None
    proofs: Proofs = []
    for number, entry in enumerate(entries):
        facts = _list_values(entry)
        row = int(highlights.row[number])
        weighed = [1.0] * len(facts) if weights is None else _list_values(weights[number])
        if len(weighed) != len(facts):
            raise ValueError(
                f"column 'fact_weights', {row_name(frame, row)}: {len(weighed)} weights for {len(facts)} facts of one "
                "highlight; give each its own"
            )
        proofs.append([
            Proof(fact["fact"], fact["set"], _check_weight(weight, frame, row))
            if isinstance(fact, dict)
            else Proof(fact, None, _check_weight(weight, frame, row))
            for fact, weight in zip(facts, weighed, strict=True)
        ])  # fmt: skip
    return proofs


def make_fact_columns(cells: Iterable[Sequence[list[Proof]]]) -> tuple[ArrowExtensionArray, ArrowExtensionArray]:
    """Make both columns of what the highlights of each row prove: Arrow columns."""
    proofs = list(cells)
    facts = [[[{"fact": p.fact, "set": p.set} for p in entry] for entry in cell] for cell in proofs]
    weights = [[[p.weight for p in entry] for entry in cell] for cell in proofs]
    fact = pa.struct([("fact", pa.string()), ("set", pa.string())])
    arrays = pa.array(facts, pa.list_(pa.list_(fact))), pa.array(weights, pa.list_(pa.list_(pa.float64())))
    return pd.arrays.ArrowExtensionArray(arrays[0]), pd.arrays.ArrowExtensionArray(arrays[1])


def _check_weight(weight: object, frame: pd.DataFrame, row: int) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not 0 < weight < 1e100:
        raise ValueError(
            f"column 'fact_weights', {row_name(frame, row)}: {weight!r} is not a weight; give a number above 0"
        )
    return float(weight)


def _read_beside(frame: pd.DataFrame, column: str, highlights: Spans) -> list[object]:
    """List what stands beside each highlight, all rows in one list."""
    expected = np.bincount(highlights.row, minlength=len(frame)).tolist()
    entries: list[Any] = []
    for row, cell in enumerate(frame[column].tolist()):
        values = [_read_plain_value(value) for value in cell] if isinstance(cell, Iterable) else []
        if len(values) != expected[row]:
            raise ValueError(
                f"column {column!r}, {row_name(frame, row)}: {len(values)} entries beside {expected[row]} highlights; "
                "give each highlight one entry"
            )
        entries += values
    return entries


def _list_values(entry: object) -> list[object]:
    if isinstance(entry, list):
        return entry
    return [] if entry is None else [entry]


def _read_plain_value(value: object) -> object:
    """Read a list of facts as a list, and (fact, set) as a dict of both."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple):
        return {"fact": value[0], "set": value[1]}
    return [_read_plain_value(entry) for entry in value] if isinstance(value, list) else value
