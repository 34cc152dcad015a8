"""Run frames as Parquet: `pt.Experiment(save_dir=..., save_format=RUN_FORMAT)`; a TREC file has no place for passages.

A run that is read back scores the same; a FOL run would keep one order of the passages only, and no article without
passages. Columns for which Arrow has no type (dicts, cells of several types) are JSON in a column of text.
"""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pandas.arrays import ArrowExtensionArray

from ..errors import FormatError, SpanError
from ..frames.columns import flatten, span_column
from ..frames.span_cells import is_missing
from ..frames.tables import as_pandas
from ..reading.files import Source, open_binary, source_name, write_bytes

_SPANS = ("passages", "highlights")
# In the file's metadata, the names of the columns that hold JSON.
_JSON = b"columns of JSON"


def write_saved_run(run: pd.DataFrame, target: Source) -> None:
    """Write a frame, NaN and NA as null."""
    columns = {str(name): _write_column(run, name) for name in run.columns}
    texts = [name for name, column in columns.items() if isinstance(column, list)]
    # without pandas' own metadata, in which it does not know its Arrow types again
    table = pa.table(columns).replace_schema_metadata({_JSON: json.dumps(texts)})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
    write_bytes(target, buffer.getvalue())


def read_saved_run(source: Source) -> pd.DataFrame:
    frame = _read_file(source)
    for name in {*_SPANS} & {*frame.columns}:
        try:
            frame[name] = _make_spans(frame, name)
        except SpanError as error:
            raise FormatError(f"{error}; save the run again", file=source_name(source)) from error
    return frame


def _read_file(source: Source) -> pd.DataFrame:
    with open_binary(source) as stream:
        data = stream.read()
    try:
        # what was read whole has no further errors of the system
        table = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True).read()
        frame: pd.DataFrame = as_pandas(table)
        for name in json.loads(table.schema.metadata[_JSON]):
            cells = [None if is_missing(text) else json.loads(text) for text in frame[name].tolist()]
            frame[name] = pd.Series(cells, dtype=object)
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"this is not a saved run ({error!r}); save it again", file=source_name(source)) from None
    return frame


def _write_column(run: pd.DataFrame, name: Any) -> pa.Array | pa.ChunkedArray | list[str | None]:
    column = run[name]
    if name in _SPANS:
        return pa.array(_make_spans(run, name, always_scored=True))
    if isinstance(column.dtype, pd.ArrowDtype):
        return pa.array(column)
    try:
        array = pa.array(column, from_pandas=True)
        if not pa.types.is_nested(array.type):
            return array
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        pass
    cells = [_convert_cell(value, str(name)) for value in column.tolist()]
    return [None if cell is None else json.dumps(cell) for cell in cells]


def _make_spans(frame: pd.DataFrame, name: str, *, always_scored: bool = False) -> ArrowExtensionArray:
    """Make a column of spans of one, whose missing cells stay missing; all files have the same type of it."""
    row, start, end, score = flatten(frame[name], name, frame)
    if always_scored and score is None:
        score = np.full(len(row), np.nan)
    spans = pa.array(span_column(row, len(frame), start, end, score))
    return ArrowExtensionArray(pc.if_else(pa.array(frame[name].isna().to_numpy()), None, spans))


def _convert_cell(value: object, column: str) -> object:
    if is_missing(value):
        return None
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_convert_cell(item, column) for item in value]
    if isinstance(value, dict):
        return {str(key): _convert_cell(item, column) for key, item in value.items()}
    # Numbers and arrays of numpy.
    if hasattr(value, "tolist"):
        return _convert_cell(value.tolist(), column)
    raise ValueError(f"column {column!r} holds {type(value).__name__}, which JSON cannot hold; drop it, or use pickle")


RUN_FORMAT = (read_saved_run, write_saved_run)
