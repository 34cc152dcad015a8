"""What `pt.Experiment(save_dir=...)` writes and reads back: run frames as JSON lines, alone or beside a TREC file.

One object a row with all columns, `passages` as lists of `{start, end}` or `{start, end, score}`. A run that is read
back scores the same; a FOL run would keep one order of the passages only, and no article without passages.

Beside the TREC file PATH they are in PATH.passages.jsonl. There a line `{"sha256": ...}` before the rows of each write
has the checksum that PATH had after it.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import FormatError, SpanError, warn_caller
from ..frames.columns import RUN_COLUMNS, flatten, span_column
from ..frames.span_cells import is_missing
from .reading.checksum import compute_checksum
from .reading.files import Source, read_bytes, source_name, write_bytes
from .reading.json import JsonObject, loads

ENDING = ".passages.jsonl"
# The name in TREC files with passages next to them, unless the user names the run.
RUN_NAME = "pyterrier-passages"
_SPANS = ("passages", "highlights")
_CHECKSUM = b'{"sha256": "'


def write_saved_run(run: pd.DataFrame, target: Source) -> None:
    """Write a frame, one JSON object per row, NaN and NA as null."""
    columns = {str(name): [_convert_cell(value, str(name)) for value in run[name].tolist()] for name in run.columns}
    rows = zip(*columns.values(), strict=True)
    lines = [json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n" for row in rows]
    write_bytes(target, "".join(lines).encode())


def read_saved_run(source: Source) -> pd.DataFrame:
    """Read a frame that `write_saved_run` wrote."""
    name = source_name(source)
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(read_bytes(source).split(b"\n"), start=1):
        if line:
            rows.append(_read_row(line, rows[0] if rows else None, name, number))
    frame = pd.DataFrame(rows, columns=list(rows[0]) if rows else RUN_COLUMNS)
    for column in _SPANS:
        if column in frame.columns:
            try:
                spans = flatten([row[column] for row in rows], column, frame)
            except SpanError as error:
                raise FormatError(f"{error}; save the run again", file=name) from error
            frame[column] = span_column(spans.row, len(rows), spans.start, spans.end, spans.score)
    return frame


def write_rows_beside(run: pd.DataFrame, path: str | os.PathLike[str], *, append: bool = False) -> None:
    """Write the rows of a run beside the TREC file that has just been written, tied to it by its checksum.

    Without *append* they take the place of older rows; a run without passages just takes these away.
    """
    rows_path = Path(f"{os.fspath(path)}{ENDING}")
    if "passages" not in run.columns:
        if not append:
            rows_path.unlink(missing_ok=True)
        return
    rows = io.BytesIO()
    rows.write(_CHECKSUM + _compute_checksum(path).encode() + b'"}\n')
    write_saved_run(run, rows)
    if append:
        with open(rows_path, "ab") as file:
            file.write(rows.getvalue())
    else:
        write_bytes(rows_path, rows.getvalue())


def read_rows_beside(path: str | os.PathLike[str], run: pd.DataFrame) -> pd.DataFrame:
    """Return the rows beside a TREC file that was read as *run*; *run* itself if there are none.

    A warning says if the rows are missing, or are not those of the file as it is now.
    """
    rows_path = Path(f"{os.fspath(path)}{ENDING}")
    if not rows_path.exists():
        if len(run) and (run["name"] == RUN_NAME).all():
            warn_caller(f"{rows_path} is missing: the passages of this run are lost, and its articles are read")
        return run
    lines = read_bytes(rows_path).split(b"\n")
    checksums = [line for line in lines if line.startswith(_CHECKSUM)]
    rows = b"\n".join(line for line in lines if not line.startswith(_CHECKSUM))
    if not checksums or checksums[-1] != _CHECKSUM + _compute_checksum(path).encode() + b'"}':
        return _refuse_stale(rows_path, path, run)
    saved = io.BytesIO(rows)
    saved.name = os.fspath(rows_path)
    frame = read_saved_run(saved)
    same = len(frame) == len(run) and all(
        frame[name].astype(str).tolist() == run[name].astype(str).tolist() for name in ("qid", "docno") if len(run)
    )
    return frame if same else _refuse_stale(rows_path, path, run)


def _refuse_stale(rows_path: Path, path: str | os.PathLike[str], run: pd.DataFrame) -> pd.DataFrame:
    warn_caller(
        f"{rows_path} does not belong to {os.fspath(path)} as it is now: the passages are left out, and the articles "
        "are read; write the run again"
    )
    return run


def _compute_checksum(path: str | os.PathLike[str]) -> str:
    with open(path, "rb") as file:
        return compute_checksum(file)


def _read_row(line: bytes, first_row: JsonObject | None, name: str, number: int) -> JsonObject:
    try:
        row = loads(line)
    except json.JSONDecodeError as error:
        text = line.decode(errors="replace")
        raise FormatError(f"no JSON: {error}; save the run again", file=name, line=number, text=text) from None
    if not isinstance(row, dict) or (first_row is not None and row.keys() != first_row.keys()):
        expected = "an object" if first_row is None else f"an object with the keys {list(first_row)}"
        raise FormatError(f"expected {expected}; save the run again", file=name, line=number, text=line.decode())
    return row


def _convert_cell(value: object, column: str) -> object:
    """Turn a cell into what JSON holds; None for a missing value."""
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
