"""The run and the qrels frame: their columns, passage ids, columns of spans, and checks.

A run frame has one row per topic and article (`qid, docno, score, rank`) with its retrieved passages in `passages`; a
qrels frame has one row per judged topic and article (`qid, docno, label`) with `highlights`, `bep` and `length`.
Columns of spans are Arrow columns (`SPANS`, `SCORED_SPANS`): half-open offsets in characters of the article's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import SpanError
from .spans import Floats, Ints, ranges

if TYPE_CHECKING:
    import pandas as pd

    SPANS: pd.ArrowDtype
    SCORED_SPANS: pd.ArrowDtype

RUN_COLUMNS = ["qid", "docno", "score", "rank", "passages"]
QRELS_COLUMNS = ["qid", "docno", "label", "highlights", "bep", "length"]

# A part that does not exist lies beyond any text, so that it is never taken for one that does
MISSING_START = 2**40

_ID = re.compile(r"(.*)#([0-9]+)-([0-9]+)", re.DOTALL)
_FIRST_IDS = 5000  # that tell whether ids are repeated
_ADVICE = "give half-open offsets in characters as (start, end) or (start, end, score), with 0 <= start < end"


class Spans(NamedTuple):
    """A column of spans as flat columns: span i lies in row `row[i]` of the frame; rows ascend.

    *row*, *start* and *end* are int64; *score* is float64, NaN where a span has none, and None where no span has one.
    """

    row: Ints
    start: Ints
    end: Ints
    score: Floats | None

    def take(self, rows: Ints) -> Spans:
        """Return the spans of the given rows, which become rows 0, 1, 2 ... in that order."""
        count = np.bincount(self.row, minlength=int(rows.max(initial=-1)) + 1)
        first, width = np.cumsum(count) - count, count[rows]
        at = ranges(first[rows], width)
        score = None if self.score is None else self.score[at]
        return Spans(np.repeat(np.arange(len(rows)), width), self.start[at], self.end[at], score)


def __getattr__(name: str) -> Any:
    if name in ("SPANS", "SCORED_SPANS"):  # made on first use: the package is imported without pandas and Arrow
        return _dtypes()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _dtypes() -> dict[str, pd.ArrowDtype]:
    """Return the types of span columns: `SPANS`, of qrels, and `SCORED_SPANS`, of runs whose passages have scores."""
    import pandas as pd
    import pyarrow as pa

    offsets = [("start", pa.int64()), ("end", pa.int64())]
    return {
        "SPANS": pd.ArrowDtype(pa.list_(pa.struct(offsets))),
        "SCORED_SPANS": pd.ArrowDtype(pa.list_(pa.struct([*offsets, ("score", pa.float64())]))),
    }


def make_ids(docno: Iterable[str], start: ArrayLike, end: ArrayLike) -> list[str]:
    """Write the passage ids `ARTICLE#START-END` of whole columns."""
    offsets = zip(np.asarray(start).tolist(), np.asarray(end).tolist(), strict=True)
    return [f"{article}#{first}-{last}" for article, (first, last) in zip(docno, offsets, strict=True)]


def id_column(docno: NDArray[np.object_], start: Ints, end: Ints) -> Any:
    """Write passage ids as `make_ids` does, for a column of a frame: fast where there are many."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        halves = [pa.array(docno, pa.string()), pa.array(start).cast(pa.string())]
    except (pa.ArrowException, UnicodeEncodeError):  # Arrow does not hold every text
        return _objects(make_ids(docno, start, end))
    ids = pc.binary_join_element_wise(pc.binary_join_element_wise(*halves, "#"), pa.array(end).cast(pa.string()), "-")
    return ids.to_pandas().array


def parse_ids(ids: Iterable[str]) -> tuple[NDArray[np.object_], Ints, Ints]:
    """Read whole columns of passage ids: (article, start, end), one entry per id.

    Ids are read from the right, so an article's own docno may hold `#`. An id without a span is an article's docno: its
    start and end are -1. Raises SpanError for a span that is reversed or beyond 64 bits, TypeError for ids that are not
    text.
    """
    code, names, start, end = read_ids(ids)
    return names[code], start, end


def read_ids(ids: Iterable[str]) -> tuple[Ints, NDArray[np.object_], Ints, Ints]:
    """Read a column of passage ids as (article code, docno of each code, start, end), as `parse_ids` reads them.

    Codes (int64) count up as articles first appear; *docno* has one entry per code.
    """
    import pyarrow as pa

    ids = ids if hasattr(ids, "__len__") else list(ids)
    try:
        column = pa.array(ids, pa.large_string())
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        columns = None if column.null_count else _split_ids(column)
    except (pa.ArrowException, UnicodeEncodeError):  # the plain way takes it, or says what is wrong
        columns = None
    return _read_ids_one_by_one(ids) if columns is None else columns


def _split_ids(ids: Any) -> tuple[Ints, NDArray[np.object_], Ints, Ints] | None:
    """Read ids that all have a good span; None where one has not."""
    import pyarrow.compute as pc

    if not len(ids):
        return None
    first = ids[:_FIRST_IDS]
    if 2 * pc.count_distinct(first).as_py() <= len(first):  # topics find the same parts: each is read once
        distinct = ids.dictionary_encode()
        columns, at = _split_distinct_ids(distinct.dictionary), distinct.indices.to_numpy()
        return None if columns is None else (columns[0][at], columns[1], columns[2][at], columns[3][at])
    return _split_distinct_ids(ids)


def _split_distinct_ids(ids: Any) -> tuple[Ints, NDArray[np.object_], Ints, Ints] | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    halves = pc.split_pattern(ids, "#", max_splits=1, reverse=True)
    if not _all_have_two(halves):
        return None
    halves = halves.flatten()  # article, span, article, span, ...
    offsets = pc.split_pattern(halves[1::2], "-")
    if not _all_have_two(offsets) or not pc.all(pc.ascii_is_decimal(offsets.flatten())).as_py():
        return None
    numbers = offsets.flatten().cast(pa.int64()).to_numpy()
    articles = halves[0::2].dictionary_encode()
    start, end = numbers[0::2], numbers[1::2]
    if np.any(start > end):
        return None
    return articles.indices.to_numpy().astype(np.int64), _objects(articles.dictionary.to_pylist()), start, end


def _all_have_two(lists: Any) -> bool:
    """Tell whether every list of an Arrow column holds two values."""
    return bool(np.all(lists.value_lengths().to_numpy() == 2))


def _read_ids_one_by_one(ids: Iterable[str]) -> tuple[Ints, NDArray[np.object_], Ints, Ints]:
    codes: dict[str, int] = {}
    code, starts, ends = [], [], []
    for name in ids:
        match = _ID.fullmatch(name)
        article, start, end = (name, -1, -1) if match is None else (match[1], _offset(match[2]), _offset(match[3]))
        if match is not None and not start <= end < 2**63:
            raise SpanError(
                f"passage id {name[:80]!r}: [{match[2][:20]}, {match[3][:20]}) is not a valid span; "
                "ids are ARTICLE#START-END, with start <= end"
            )
        code.append(codes.setdefault(article, len(codes)))
        starts.append(start)
        ends.append(end)
    names = _objects(list(codes))
    return np.array(code, dtype=np.int64), names, np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)


def _offset(digits: str) -> int:
    return int(digits) if len(digits.lstrip("0")) < 20 else 2**63  # beyond 64 bits, whatever it is


def flatten(cells: Iterable[Any], column: str = "passages", frame: pd.DataFrame | None = None) -> Spans:
    """Read a column of spans as flat columns, checked.

    The column may be an Arrow column, or hold lists of tuples, (n, 2) or (n, 3) arrays, lists of
    `{"start", "end"[, "score"]}` dicts, or None, NaN or NA for no spans. A passage with start == end is an entry point,
    which holds no characters; highlights are never empty. Raises SpanError that names the *column* and, given the
    *frame* it is from, the topic and the article.
    """
    cells = cells if hasattr(cells, "__len__") else list(cells)
    array = _as_arrow(cells)
    spans = None if array is None else _of_arrow(array, column)
    if spans is None:
        spans = _of_cells(cells, column, frame)
    if (spans.end - spans.start).sum(dtype=np.float64) >= 2**62:
        raise SpanError(f"column {column!r}: the spans hold more characters than 64 bits count; {_ADVICE}")
    return spans


def span_column(row: ArrayLike, n_rows: int, start: ArrayLike, end: ArrayLike, score: ArrayLike | None = None) -> Any:
    """Make a column of spans (a pandas ArrowExtensionArray of *n_rows* cells) from flat columns in order of *row*.

    Its type is `SPANS`, or, where a *score* is given (NaN: none), `SCORED_SPANS`.
    """
    import pandas as pd
    import pyarrow as pa

    dtype = _dtypes()["SPANS" if score is None else "SCORED_SPANS"].pyarrow_dtype
    bounds = np.searchsorted(np.asarray(row), np.arange(n_rows + 1)).astype(np.int32)
    columns = [pa.array(np.asarray(values, dtype=np.int64)) for values in (start, end)]
    if score is not None:
        columns.append(pa.array(np.asarray(score, dtype=np.float64), from_pandas=True))
    spans = pa.StructArray.from_arrays(columns, fields=list(dtype.value_type))
    return pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.ListArray.from_arrays(pa.array(bounds), spans)]))


def cells(column: pd.Series | Sequence[Any]) -> list[list[tuple[Any, ...]]]:
    """Read a column of spans as lists of tuples, `(start, end)` or `(start, end, score)`, one list per row."""
    spans = flatten(column)
    offsets: Any = zip(spans.start.tolist(), spans.end.tolist(), strict=True)
    if spans.score is not None:
        scores = spans.score.tolist()
        offsets = (span if score != score else (*span, score) for span, score in zip(offsets, scores, strict=True))
    tuples = list(offsets)
    bounds = np.searchsorted(spans.row, np.arange(len(column) + 1)).tolist()
    return [tuples[first:last] for first, last in pairwise(bounds)]


def _as_arrow(cells: Iterable[Any]) -> Any:
    """Return a column of spans as one Arrow array; None where its cells are of several forms, or of none of Arrow's."""
    import pyarrow as pa

    try:
        array = cells if isinstance(cells, pa.Array | pa.ChunkedArray) else pa.array(cells)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _of_arrow(array: Any, column: str) -> Spans | None:
    """Read a good list column, of structs or of lists of numbers; None for any other, and where a span is not valid."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _is_list(array.type):
        return None
    spans = array.flatten()
    read = _of_structs if pa.types.is_struct(spans.type) else _of_lists if _is_list(spans.type) else None
    values = None if read is None or spans.null_count else read(spans)
    if values is None or not _fit(values[0], values[1], column):
        return None
    count = pc.fill_null(pc.list_value_length(array), 0).to_numpy()
    return Spans(np.repeat(np.arange(len(array)), count), *values)


def _of_structs(spans: Any) -> tuple[Ints, Ints, Floats | None] | None:
    """Read structs of start, end and score; None where a field is not of numbers, or has none."""
    import pyarrow as pa

    fields = {field.name: spans.field(field.name) for field in spans.type}
    if not {"start", "end"} <= fields.keys() <= {"start", "end", "score"} or not all(
        map(_is_of_numbers, fields.values())
    ):
        return None
    start, end = (_whole(fields[name]) for name in ("start", "end"))
    if start is None or end is None:
        return None
    if "score" not in fields or fields["score"].null_count == len(spans):
        return start, end, None
    score = fields["score"].cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return (start, end, score) if np.count_nonzero(np.isnan(score)) == fields["score"].null_count else None


def _of_lists(spans: Any) -> tuple[Ints, Ints, Floats | None] | None:
    """Read lists that are all (start, end), or all (start, end, score); None for any others."""
    import pyarrow as pa

    values = spans.flatten()
    width = len(values) // max(len(spans), 1)
    if width not in (2, 3) or not _is_of_numbers(values) or np.any(spans.value_lengths().to_numpy() != width):
        return None
    start, end = (_whole(values[side::width]) for side in (0, 1))
    if start is None or end is None or values.null_count:
        return None
    score = values[2::3].cast(pa.float64(), safe=False).to_numpy() if width == 3 else None
    return None if score is not None and np.isnan(score).any() else (start, end, score)


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _is_of_numbers(array: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_integer(array.type) or array.type in (pa.float32(), pa.float64()) or not len(array)


def _whole(array: Any) -> Ints | None:
    """Return an Arrow array of numbers as int64; None where one is missing, or not a whole number of 64 bits."""
    import pyarrow as pa

    try:
        return None if array.null_count else array.cast(pa.int64()).to_numpy()
    except pa.ArrowException:
        return None


def _of_cells(cells: Iterable[Any], column: str, frame: pd.DataFrame | None) -> Spans:
    """Read cells of any accepted form, one by one; the first span that is not valid is the error."""
    spans = [
        (row, given, _as_tuple(given)) for row, cell in enumerate(cells) for given in _as_list(cell, column, frame, row)
    ]
    for row, given, span in spans:
        fault = _fault(given, span, column)
        if fault:
            raise _span_error(column, frame, row, f"{_quoted(given)} {fault}")
    start, end = (np.array([int(span[side]) for _, _, span in spans], dtype=np.int64) for side in (0, 1))
    score = np.array([(*span, np.nan)[2] for _, _, span in spans], dtype=np.float64)
    has_scores = any(len(span) == 3 for _, _, span in spans)
    return Spans(np.array([row for row, _, _ in spans], dtype=np.int64), start, end, score if has_scores else None)


def _fit(start: Ints, end: Ints, column: str) -> bool:
    """Tell whether all spans are valid; a passage may be empty, a highlight may not."""
    return not np.any(start < 0) and not np.any(start > end if column == "passages" else start >= end)


def _as_list(cell: Any, column: str, frame: pd.DataFrame | None, row: int) -> Sequence[Any]:
    """Read one cell as a list of spans."""
    if hasattr(cell, "as_py"):  # an Arrow scalar
        cell = cell.as_py()
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell):
        return []
    if isinstance(cell, np.ndarray) and (cell.ndim == 1 or cell.shape[1:] in ((2,), (3,), (0,))):
        return [] if cell.size == 0 else cell.tolist()
    if isinstance(cell, tuple | list):
        return cell
    raise _span_error(column, frame, row, f"{_quoted(cell)} is not a list of spans")


def _as_tuple(span: Any) -> tuple[Any, ...]:
    """Read one span as a tuple; an empty one for what is not a span."""
    if isinstance(span, dict):
        score = span.get("score")
        bounds = (span["start"], span["end"]) if {"start", "end"} <= span.keys() else ()
        return bounds if score is None or not bounds else (*bounds, score)
    if isinstance(span, np.ndarray):
        return tuple(span.tolist()) if span.ndim == 1 else ()
    return tuple(span) if isinstance(span, tuple | list) else ()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _is_offset(value: Any) -> bool:
    return _is_number(value) and float(value).is_integer() and abs(value) < 2**63


def _fault(given: Any, span: tuple[Any, ...], column: str) -> str:
    """Say what is wrong with a span; nothing where it is valid."""
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
    return "has no score (NaN)" if len(span) == 3 and span[2] != span[2] else ""


def _span_error(column: str, frame: pd.DataFrame | None, row: int, what: str) -> SpanError:
    where = f"column {column!r}, row {row}"
    if frame is not None:
        for topic, article in (("qid", "docno"), ("query_id", "doc_id")):
            if topic in frame.columns and article in frame.columns:
                where = f"column {column!r}, topic {frame[topic].iloc[row]!r}, article {frame[article].iloc[row]!r}"
    return SpanError(f"{where}: {what}; {_ADVICE}")


def _quoted(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."


def _objects(values: list[Any]) -> NDArray[np.object_]:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
