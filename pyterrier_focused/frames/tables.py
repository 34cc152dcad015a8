"""Tables of other libraries as pandas frames."""

from __future__ import annotations

from typing import Any, Protocol

import pandas as pd
import pyarrow as pa


class ArrowTable(Protocol):
    """A table of Arrow, polars or another library that exports Arrow data."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


Table = pd.DataFrame | ArrowTable


def as_pandas(table: object) -> Any:
    """Return an Arrow table as a frame, with Arrow columns for what is nested; anything else as it is.

    Example:
        >>> as_pandas(pa.table({"qid": ["q1"], "passages": [[{"start": 0, "end": 9}]]}))["qid"].tolist()
        ['q1']
    """
    if isinstance(table, pd.DataFrame) or not hasattr(table, "__arrow_c_stream__"):
        return table
    # without pandas' own metadata, in which it does not know its Arrow types again
    return pa.table(table).to_pandas(
        ignore_metadata=True, types_mapper=lambda kind: pd.ArrowDtype(kind) if pa.types.is_nested(kind) else None
    )
