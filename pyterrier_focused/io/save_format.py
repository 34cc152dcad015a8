"""What `pt.Experiment(save_dir=..., save_format=run_format)` writes and reads back: run frames as JSON lines.

One object a row with all columns, `passages` as lists of `{start, end}` or `{start, end, score}`. A run that is read
back scores the same; a FOL run would keep one order of the passages alone, and no article without passages.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..errors import FormatError, SpanError
from .reading.files import Source, read_bytes, source_name, write_bytes
from .reading.json import loads

if TYPE_CHECKING:
    import pandas as pd

_SPANS = ("passages", "highlights")


def write_saved_run(run: pd.DataFrame, target: Source) -> None:
    """Write a frame, one JSON object per row, NaN and NA as null. Raises ValueError for what JSON cannot hold."""
    columns = {str(name): [_plain(value, str(name)) for value in run[name].tolist()] for name in run.columns}
    rows = zip(*columns.values(), strict=True)
    lines = [json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n" for row in rows]
    write_bytes(target, "".join(lines).encode())


def read_saved_run(source: Source) -> pd.DataFrame:
    """Read a frame that `write_saved_run` wrote. Raises FormatError that names file and line."""
    import pandas as pd

    from ..frames.columns import RUN_COLUMNS, flatten, span_column

    name = source_name(source)
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(read_bytes(source).split(b"\n"), start=1):
        if line:
            rows.append(_row(line, rows[0] if rows else None, name, number))
    frame = pd.DataFrame(rows, columns=list(rows[0]) if rows else RUN_COLUMNS)
    for column in _SPANS:
        if column in frame.columns:
            try:
                spans = flatten([row[column] for row in rows], column, frame)
            except SpanError as error:
                raise FormatError(f"{error}; save the run again", file=name) from error
            frame[column] = span_column(spans.row, len(rows), spans.start, spans.end, spans.score)
    return frame


def _row(line: bytes, first: dict[str, Any] | None, name: str, number: int) -> dict[str, Any]:
    try:
        row = loads(line)
    except json.JSONDecodeError as error:
        text = line.decode(errors="replace")
        raise FormatError(f"no JSON: {error}; save the run again", file=name, line=number, text=text) from None
    if not isinstance(row, dict) or (first is not None and row.keys() != first.keys()):
        expected = "an object" if first is None else f"an object with the keys {list(first)}"
        raise FormatError(f"expected {expected}; save the run again", file=name, line=number, text=line.decode())
    return row


def _plain(value: Any, column: str) -> Any:
    """Turn a cell into what JSON holds; None for a missing value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item, column) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item, column) for key, item in value.items()}
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        return _plain(value.tolist(), column)
    raise ValueError(f"column {column!r} holds {type(value).__name__}, which JSON cannot hold; drop it, or use pickle")


run_format = (read_saved_run, write_saved_run)
