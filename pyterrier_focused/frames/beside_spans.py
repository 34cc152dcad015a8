"""Columns beside spans: of highlights their alternatives, facts and weights; of passages the text around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import SpanError
from ..libraries import pa, pd
from .checks import row_name
from .spans import Ints, Spans

if TYPE_CHECKING:
    from pandas.arrays import ArrowExtensionArray

Proofs = list[list["Proof"]]  # of each highlight


@dataclass(frozen=True)
class Proof:
    """A fact that a highlight proves: by itself if *set* is None, else together with the others of that set."""

    fact: Any  # a name, or a number
    set: Any = None
    weight: float = 1.0


def read_alternatives(frame: pd.DataFrame, highlights: Spans) -> Ints | None:
    """Read the number of each of the *highlights*, which are those of the frame; None if it has no such column.

    A cell is a list of whole numbers, Arrow's, numpy's or Python's, as long as the highlights' cell; None if that is
    empty. Raises SpanError that names the topic and article of a cell that is not so.
    """
    if "alternatives" not in frame.columns or not len(frame):
        return None

    cells = frame["alternatives"]
    if not isinstance(cells.dtype, pd.ArrowDtype):
        cells = pd.Series([list(cell) if isinstance(cell, Iterable) else None for cell in cells], dtype=object)
    try:
        column: Any = pa.array(cells, type=pa.large_list(pa.int64()), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        message = f"column 'alternatives' holds lists of whole numbers, one for each highlight ({error})"
        raise SpanError(message) from None
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    counts = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    expected = np.bincount(highlights.row, minlength=len(frame))
    if np.any(counts != expected):
        at = int(np.argmax(counts != expected))
        raise SpanError(
            f"column 'alternatives', {row_name(frame, at)}: {counts[at]} numbers for {expected[at]} highlights; give "
            "each highlight the number of the alternative that it belongs to"
        )
    numbers = column.flatten()
    if numbers.null_count:
        raise SpanError("column 'alternatives' holds a missing number; give each highlight its own")
    found: Ints = numbers.to_numpy(zero_copy_only=False).astype(np.int64)
    return found


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


def _check_weight(weight: Any, frame: pd.DataFrame, row: int) -> float:
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
        missing = cell is None or isinstance(cell, float) or type(cell).__name__ == "NAType"
        values = [] if missing else [_read_plain_value(value) for value in cell]
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
