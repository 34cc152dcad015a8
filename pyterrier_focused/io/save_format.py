"""The format of `pt.Experiment(save_dir=...)`: run frames as Parquet, alone or beside a TREC file.

A run that is read back scores the same; a FOL run would keep one order of the passages only, and no article without
passages. Columns for which Arrow has no type (dicts, cells of several types) are JSON in a column of text.

All columns of the TREC file PATH are in PATH.passages.parquet, those of rows that were appended in the folder
PATH.passages.appended, a file for each time.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pandas.arrays import ArrowExtensionArray

from ..errors import FormatError, SpanError, warn_caller
from ..frames.columns import flatten, span_column
from ..frames.span_cells import is_missing
from ..frames.tables import as_pandas
from ..reading.files import Source, open_binary, source_name, write_bytes

ENDING = ".passages.parquet"
_APPENDED = ".passages.appended"
# The name in TREC files with passages next to them, unless the user names the run.
RUN_NAME = "pyterrier-passages"
_SPANS = ("passages", "highlights")
# In the file's metadata, the names of the columns that hold JSON, and the topics that the run was asked.
_JSON = b"columns of JSON"
_TOPICS = b"topics asked"
# The topics asked for the run that is being written; none if unknown.
ASKED: ContextVar[Sequence[str]] = ContextVar("asked", default=())


def write_saved_run(run: pd.DataFrame, target: Source) -> None:
    """Write a frame, NaN and NA as null."""
    columns = {str(name): _write_column(run, name) for name in run.columns}
    texts = [name for name, column in columns.items() if isinstance(column, list)]
    # without pandas' own metadata, in which it does not know its Arrow types again
    table = pa.table(columns).replace_schema_metadata({_JSON: json.dumps(texts), _TOPICS: json.dumps(ASKED.get())})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
    write_bytes(target, buffer.getvalue())


def read_saved_run(source: Source) -> pd.DataFrame:
    return _read_files([source])


def write_rows_beside(run: pd.DataFrame, path: str | os.PathLike[str], *, append: bool = False) -> None:
    """Write the rows of a run beside the TREC file that is written next.

    Without *append* they take the place of older rows; a run without passages just takes these away.
    """
    rows_path = Path(f"{os.fspath(path)}{ENDING}")
    appended = Path(f"{os.fspath(path)}{_APPENDED}")
    if not append:
        shutil.rmtree(appended, ignore_errors=True)
    if "passages" not in run.columns:
        if not append:
            rows_path.unlink(missing_ok=True)
    elif append and rows_path.exists():
        appended.mkdir(exist_ok=True)
        write_saved_run(run, appended / f"{len(os.listdir(appended)):06}.parquet")
    else:
        write_saved_run(run, rows_path)


def read_rows_beside(path: str | os.PathLike[str], run: pd.DataFrame) -> pd.DataFrame:
    """Return the rows beside a TREC file that was read as *run*; *run* itself if there are none.

    A warning says if the rows are missing. Raises FormatError if they are not those of the file.
    """
    rows_path = Path(f"{os.fspath(path)}{ENDING}")
    if not rows_path.exists():
        if len(run) and (run["name"] == RUN_NAME).all():
            warn_caller(f"{rows_path} is missing: the passages of this run are lost, and its articles are read")
        return run
    appended = Path(f"{os.fspath(path)}{_APPENDED}")
    frame = _read_files([rows_path, *sorted(appended.glob("*.parquet"))])
    if not _are_same_rows(frame, run):
        raise FormatError(
            f"these are not the rows of {os.fspath(path)}; write the run again, or delete this file and "
            f"{appended.name} to read the articles without passages",
            file=os.fspath(rows_path),
        )
    return frame


def read_saved_topics(path: str | os.PathLike[str]) -> set[str] | None:
    """Return the topics of a saved run: those that it was asked and those of its rows; None without a file of ours."""
    rows_path = Path(f"{os.fspath(path)}{ENDING}")
    files = [rows_path if rows_path.exists() else path, *Path(f"{os.fspath(path)}{_APPENDED}").glob("*.parquet")]
    topics: set[str] = set()
    try:
        for file in files:
            table = pq.read_table(file, columns=["qid"])
            topics |= {*map(str, table["qid"].to_pylist()), *json.loads(table.schema.metadata.get(_TOPICS, "[]"))}
    except (pa.ArrowException, OSError, KeyError, AttributeError, ValueError):
        # The reader of the run reports what is wrong with it.
        return None
    return topics


def _are_same_rows(frame: pd.DataFrame, run: pd.DataFrame) -> bool:
    if len(frame) != len(run) or not {"qid", "docno", "score"} <= set(frame.columns):
        return len(frame) == len(run) == 0
    # PyTerrier reads ids such as "NA" and "null" as missing
    ids = all(
        ((frame[name].astype(str) == run[name].astype(str)) | run[name].isna()).all() for name in ("qid", "docno")
    )
    # a TREC file may hold the digits of a float32
    return ids and np.allclose(frame["score"].to_numpy(dtype=np.float64), run["score"], rtol=1e-6, equal_nan=True)


def _read_files(sources: Sequence[Source]) -> pd.DataFrame:
    frame = pd.concat(list(map(_read_file, sources)), ignore_index=True)
    for name in {*_SPANS} & {*frame.columns}:
        try:
            frame[name] = _make_spans(frame, name)
        except SpanError as error:
            raise FormatError(f"{error}; save the run again", file=source_name(sources[0])) from error
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


run_format = (read_saved_run, write_saved_run)
