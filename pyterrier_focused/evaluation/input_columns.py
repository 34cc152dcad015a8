"""The input from ir_measures as checked numpy columns: topics and articles as codes, labels, spans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import NoReturn

import numpy as np
import pandas as pd
from ir_measures.util import QrelsConverter, RunConverter
from numpy.typing import NDArray

from ..errors import SpanError
from ..frames.checks import numbers, row_name
from ..frames.columns import flatten
from ..frames.span_cells import is_missing
from ..frames.spans import Floats, Ints, Spans

# PyTerrier's names, and ir_measures'
NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
NO_SPANS = Spans(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), None)


def name_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Call the columns of a frame as ir_measures does, if they are called as PyTerrier does."""
    return frame if "query_id" in frame.columns else frame.rename(columns=NAMES)


def read_frame(rows: object, what: str, columns: list[str]) -> pd.DataFrame:
    """Read whatever ir_measures takes as a frame, keeping the columns that it does not know; dataclasses, too."""
    if isinstance(rows, Iterable) and not isinstance(rows, str | dict | pd.DataFrame):
        rows = list(rows)
        rows = pd.DataFrame(rows) if rows and is_dataclass(rows[0]) else rows
    if isinstance(rows, pd.DataFrame):
        frame = name_columns(rows)
    else:
        converter = RunConverter if what == "run" else QrelsConverter
        frame = converter(rows, strict=False).as_pd_dataframe()
    missing = [column for column in columns if column not in frame.columns]
    if missing and len(frame):
        raise ValueError(f"the {what} lacks the columns {missing} (found {list(frame.columns)})")
    return frame.reindex(columns=[*columns, *frame.columns.difference(columns)]) if missing else frame


def number_ids(frame: pd.DataFrame, column: str, what: str) -> tuple[pd.Index, Ints]:
    """Number the ids of a column: (ids, in order of appearance; code per row). ValueError for ids that are no texts."""
    try:
        codes, ids = pd.factorize(frame[column])
    except TypeError:
        # such as lists
        codes = np.arange(len(frame))
        ids = pd.Index(frame[column].tolist(), dtype=object)
    texts = pd.Index(np.asarray(ids, dtype=object), dtype=object)
    are_texts = np.array([isinstance(name, str) for name in texts], dtype=bool)
    if not are_texts.all() or (codes < 0).any():
        row = int(np.argmax(~np.append(are_texts, False)[codes]))
        refuse_id(frame[column].iloc[row], column, f"row {row} of the {what}")
    return texts, codes.astype(np.int64)


def refuse_id(value: object, column: str, where: str) -> NoReturn:
    """Raise a ValueError for an id that is no text."""
    name = {"query_id": "qid", "doc_id": "docno"}.get(column, column)
    if is_missing(value):
        raise ValueError(f"{where} has no {name}; each row needs one")
    raise ValueError(
        f"{where} has the {name} {value!r}; ids must be texts: frame[{name!r}] = frame[{name!r}].astype(str)"
    )


def find_distinct_judgments(frame: pd.DataFrame, pair: Ints) -> Ints:
    """Return the rows to keep: the first of judgments of one article (*pair*) that are equal in all columns.

    PyTerrier's search over three and more folds repeats the judgments of each.
    """
    if not pd.Series(pair).duplicated().any():
        return np.arange(len(pair))
    _, first, number = np.unique(pair, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[number] != np.arange(len(pair)))
    earlier = first[number[again]]
    for column in frame.columns if len(again) else ():
        values = frame[column].iloc[earlier].tolist(), frame[column].iloc[again].tolist()
        for row, one, other in zip(again.tolist(), *values, strict=True):
            if one is not other and repr(one) != repr(other):
                raise ValueError(
                    f"{row_name(frame, row)} occurs more than once in the qrels; judge each article once "
                    f"({column!r} is {one!r} and {other!r})"
                )
    return np.sort(first)


def read_labels(frame: pd.DataFrame, wanted: set[str]) -> Ints | Floats | None:
    """Read the labels as int64, or as float64 if they are finite numbers, and one of them is not whole."""
    given = numbers(frame, "relevance") if "relevance" in wanted else None
    if given is not None and np.isfinite(given).all() and np.any(given != np.floor(given)):
        return given
    return read_whole_numbers(frame, "relevance", wanted)


def read_whole_numbers(frame: pd.DataFrame, column: str, wanted: set[str], missing: int | None = None) -> Ints | None:
    """Read a column of whole numbers; None if it is not wanted or not there. *missing* stands for NaN."""
    if not len(frame):
        return np.zeros(0, dtype=np.int64)
    if column not in wanted or column not in frame.columns:
        return None
    name = "label" if column == "relevance" else column
    given = frame[column].to_numpy()
    if given.dtype == np.int64 and (missing is None or not len(given) or given.min() >= missing):
        # exact beyond 2**53, as floats are not
        return given
    try:
        values: NDArray[np.float64] = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"column {name!r} of the qrels holds something that is not a number: {error}") from None
    gone = np.isnan(values)
    if missing is None and gone.any():
        raise ValueError(
            f"column {name!r}, {row_name(frame, int(np.argmax(gone)))}: the value is missing; judge it or drop the row"
        )
    values = np.where(gone, missing or 0, values)
    bad = ~(np.isfinite(values) & (values == np.floor(values)) & (np.abs(values) < 2**53))
    if missing is not None:
        bad |= values < missing
    if bad.any():
        allowed = "a whole number" if missing is None else f"a whole number of characters, or {missing} for none"
        raise SpanError(f"column {name!r}, {row_name(frame, int(np.argmax(bad)))}: {values[bad][0]} is not {allowed}")
    return values.astype(np.int64)


def read_spans(frame: pd.DataFrame, column: str, wanted: set[str]) -> Spans | None:
    """Read a column of spans of the qrels; None if it is not wanted or not there."""
    if not len(frame):
        return NO_SPANS
    if column not in wanted or column not in frame.columns:
        return None
    spans = flatten(frame[column], column, frame)
    if spans.score is not None:
        scored = spans.row[~np.isnan(spans.score)].min(initial=len(frame) - 1)
        where = row_name(frame, int(scored))
        raise SpanError(f"column {column!r}, {where}: these are (start, end) pairs, without scores")
    return spans
