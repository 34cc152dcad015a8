"""Tables of other libraries as pandas frames."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa


def as_pandas(table: object) -> object:
    """Return a table of polars, Arrow or whoever else exports Arrow data as a frame; anything else as it is.

    Example:
        >>> as_pandas(pa.table({"qid": ["q1"], "passages": [[{"start": 0, "end": 9}]]}))["passages"].dtype.kind
        'O'
    """
    if isinstance(table, pd.DataFrame) or not hasattr(table, "__arrow_c_stream__"):
        return table
    return pa.table(table).to_pandas(
        types_mapper=lambda kind: pd.ArrowDtype(kind) if pa.types.is_nested(kind) else None
    )
