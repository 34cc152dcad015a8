"""Columns of spans and of ids in Arrow: read and written whole."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import chain, compress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray
from pandas.arrays import ArrowExtensionArray

from .spans import Floats, Ints, Spans

# What Arrow takes for a missing list.
_FORMS_OF_NOTHING = ("NoneType", "float", "NAType", "NaTType")
# how many ids tell whether ids are repeated
_FIRST_IDS = 5000


@cache
def span_type(*, scored: bool) -> pd.ArrowDtype:
    """Return the type of columns of spans: of qrels, or of runs whose passages have scores."""
    score = [("score", pa.float64())] if scored else []
    return pd.ArrowDtype(pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64()), *score])))


@cache
def _list_cell_types() -> list[pa.DataType]:
    """List the types of cells that users make: lists of pairs or triples, and lists of dicts.

    All numbers are read as floats: Arrow then takes nothing but numbers and Python's flags, and no whole number that a
    float does not hold.
    """
    number = pa.float64()
    return [pa.list_(pa.list_(number)), pa.list_(pa.struct(dict.fromkeys(("start", "end", "score"), number)))]


def write_arrow(
    row: ArrayLike, n_rows: int, start: ArrayLike, end: ArrayLike, score: ArrayLike | None
) -> ArrowExtensionArray:
    """Make a column of spans, as `columns.span_column` says."""
    dtype = span_type(scored=score is not None).pyarrow_dtype
    bounds = np.searchsorted(np.asarray(row), np.arange(n_rows + 1)).astype(np.int32)
    columns = [pa.array(np.asarray(values, dtype=np.int64)) for values in (start, end)]
    if score is not None:
        columns.append(pa.array(np.asarray(score, dtype=np.float64), from_pandas=True))
    spans = pa.StructArray.from_arrays(columns, fields=list(dtype.value_type))
    return pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.ListArray.from_arrays(pa.array(bounds), spans)]))


def read_arrow(cells: Iterable[object], column: str) -> Spans | None:
    """Read a column whose spans are all valid; None if one is not, or if the cells are of several forms."""
    if isinstance(cells, pa.Array | pa.ChunkedArray):
        return read_lists(_combine_chunks(cells), column)
    if isinstance(getattr(cells, "dtype", None), pd.ArrowDtype):
        return read_lists(_combine_chunks(pa.array(cells)), column)
    cells = list(cells)
    for kind in _list_cell_types():
        try:
            array = pa.array(cells, type=kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            continue
        spans = read_lists(_combine_chunks(array), column)
        are_spans = spans is not None and _are_spans(cells, spans, as_dicts=pa.types.is_struct(kind.value_type))
        return spans if are_spans else None
    return None


def _combine_chunks(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _are_spans(cells: list[Any], spans: Spans, as_dicts: bool) -> bool:
    """Tell whether cells that Arrow read hold spans.

    It also takes sets and bytes for lists, flags for 1 and 0, and lists of names and values for dicts.
    """
    filled = np.zeros(spans.row[-1] + 1 if len(spans.row) else 0, dtype=np.bool_)
    filled[spans.row] = True
    forms = {form for form in set(map(type, cells)) if form.__name__ not in _FORMS_OF_NOTHING}
    given = chain.from_iterable(compress(cells, filled.tobytes()))
    if not forms <= {list, tuple, np.ndarray} or not set(map(type, given)) <= ({dict} if as_dicts else {tuple, list}):
        return False
    # flags were read as 0 and 1
    few = (spans.start <= 1) | (spans.end <= 1)
    if spans.score is not None:
        few |= (spans.score == 0) | (spans.score == 1)
    suspects = chain.from_iterable(cells[row] for row in np.unique(spans.row[few]).tolist())
    values = map(dict.values, suspects) if as_dicts else suspects
    return bool not in set(map(type, chain.from_iterable(values)))


def read_lists(array: pa.Array, column: str) -> Spans | None:
    """Read a good list column, of structs or of lists of numbers; None for any other, and if a span is not valid."""
    if not _is_list(array.type):
        return None
    spans = array.flatten()
    if spans.null_count:
        return None
    if pa.types.is_struct(spans.type):
        values = _read_structs(spans)
    else:
        values = _read_pairs(spans) if _is_list(spans.type) else None
    if values is None or not _are_valid(values.start, values.end, column):
        return None
    count = pc.fill_null(pc.list_value_length(array), 0).to_numpy()
    return values._replace(row=np.repeat(np.arange(len(array)), count))


_NO_ROWS: Ints = np.zeros(0, dtype=np.int64)


def _read_structs(spans: pa.Array) -> Spans | None:
    """Read structs of start, end and score, without rows; None if a field is not of numbers, or has none."""
    fields = {field.name: spans.field(field.name) for field in spans.type}
    if not {"start", "end"} <= fields.keys() <= {"start", "end", "score"}:
        return None
    if not all(map(_holds_numbers, fields.values())):
        return None
    start = _read_whole_numbers(fields["start"])
    end = _read_whole_numbers(fields["end"])
    if start is None or end is None:
        return None
    if "score" not in fields or fields["score"].null_count == len(spans):
        return Spans(_NO_ROWS, start, end, None)
    score = fields["score"].cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    given = np.count_nonzero(np.isnan(score)) == fields["score"].null_count
    return Spans(_NO_ROWS, start, end, score) if given else None


def _read_pairs(spans: pa.Array) -> Spans | None:
    """Read lists that are all (start, end), or all (start, end, score), without rows; None for any others."""
    values = spans.flatten()
    width = len(values) // max(len(spans), 1)
    if width not in (2, 3) or not _holds_numbers(values) or np.any(spans.value_lengths().to_numpy() != width):
        return None
    start = _read_whole_numbers(values[0::width])
    end = _read_whole_numbers(values[1::width])
    if start is None or end is None or values.null_count:
        return None
    score: Floats | None = values[2::3].cast(pa.float64(), safe=False).to_numpy() if width == 3 else None
    return None if score is not None and np.isnan(score).any() else Spans(_NO_ROWS, start, end, score)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _holds_numbers(array: pa.Array) -> bool:
    return pa.types.is_integer(array.type) or array.type in (pa.float32(), pa.float64()) or not len(array)


def _read_whole_numbers(array: pa.Array) -> Ints | None:
    """Return an Arrow array of numbers as int64; None if one is missing, or not a whole number of 64 bits."""
    try:
        numbers: Ints | None = None if array.null_count else array.cast(pa.int64()).to_numpy()
        return numbers
    except pa.ArrowException:
        return None


def _are_valid(start: Ints, end: Ints, column: str) -> bool:
    """Tell whether all spans are valid; a passage may be empty, a highlight may not."""
    return not np.any(start < 0) and not np.any(start > end if column == "passages" else start >= end)


def write_ids(docno: NDArray[np.object_], start: Ints, end: Ints) -> ArrowExtensionArray | None:
    """Join articles, starts and ends to passage ids; None for texts that Arrow does not hold."""
    try:
        article = pa.array(docno, pa.string())
    except (pa.ArrowException, UnicodeEncodeError):
        return None
    offsets = [pa.array(values).cast(pa.string()) for values in (start, end)]
    opened = pc.binary_join_element_wise(article, offsets[0], "#")
    ids: ArrowExtensionArray = pc.binary_join_element_wise(opened, offsets[1], "-").to_pandas().array
    return ids


class ArrowIds(NamedTuple):
    """Passage ids as columns: the article code and span of each id, and the article names by code."""

    article: Ints
    names: list[str]
    start: Ints
    end: Ints


def read_ids(ids: object) -> ArrowIds | None:
    """Read ids that all have a valid span; None if one has not."""
    try:
        column = pa.array(ids, pa.large_string())
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        return None if column.null_count else _read_texts(column)
    except (pa.ArrowException, UnicodeEncodeError):
        return None


def _read_texts(ids: pa.Array) -> ArrowIds | None:
    if not len(ids):
        return None
    first = ids[:_FIRST_IDS]
    # topics find the same parts: each is read once
    if 2 * pc.count_distinct(first).as_py() <= len(first):
        distinct = ids.dictionary_encode()
        parts = _split_ids(distinct.dictionary)
        place = distinct.indices.to_numpy()
        if parts is None:
            return None
        return ArrowIds(parts.article[place], parts.names, parts.start[place], parts.end[place])
    return _split_ids(ids)


def _split_ids(ids: pa.Array) -> ArrowIds | None:
    # "a#0-5" -> article "a", span "0-5" -> start "0", end "5", each in one array of all halves
    halves = pc.split_pattern(ids, "#", max_splits=1, reverse=True)
    if not _all_have_two(halves):
        return None
    halves = halves.flatten()
    offsets = pc.split_pattern(halves[1::2], "-")
    if not _all_have_two(offsets) or not pc.all(pc.ascii_is_decimal(offsets.flatten())).as_py():
        return None
    numbers = offsets.flatten().cast(pa.int64()).to_numpy()
    start = numbers[0::2]
    end = numbers[1::2]
    if np.any(start > end):
        return None
    articles = halves[0::2].dictionary_encode()
    return ArrowIds(articles.indices.to_numpy().astype(np.int64), articles.dictionary.to_pylist(), start, end)


def _all_have_two(lists: pa.Array) -> bool:
    return bool(np.all(lists.value_lengths().to_numpy() == 2))


def find_near_names(names: NDArray[np.object_], known: NDArray[np.object_]) -> list[tuple[str, str]]:
    """Pair each distinct name with the known one that differs from it by blanks around it, case or Unicode form."""
    try:
        distinct = pc.unique(pa.array(names, pa.large_string()))
        places = pa.array(known, pa.large_string())
    except (pa.ArrowException, UnicodeEncodeError):
        return []
    place = pc.index_in(_fold_text(distinct), value_set=_fold_text(places))
    near = np.flatnonzero(pc.is_valid(place).to_numpy(zero_copy_only=False))
    twins = known[place.take(pa.array(near)).to_pylist()]
    return [(distinct[i].as_py(), twin) for i, twin in zip(near.tolist(), twins, strict=True)]


def _fold_text(names: pa.Array) -> pa.Array:
    if not pc.all(pc.string_is_ascii(names)).as_py():
        names = pc.utf8_normalize(names, form="NFKC")
    return pc.utf8_lower(pc.utf8_trim_whitespace(names))
