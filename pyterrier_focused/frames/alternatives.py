"""The qrels' column `alternatives`: beside each highlight the number of the alternative that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import SpanError
from .checks import row_name
from .spans import Ints, Spans

if TYPE_CHECKING:
    import pandas as pd


def read_alternatives(frame: pd.DataFrame, highlights: Spans) -> Ints | None:
    """Read the number of each of the *highlights*, which are those of the frame; None if it has no such column.

    A cell is a list of whole numbers, Arrow's, numpy's or Python's, as long as the highlights' cell; None if that is
    empty. Raises SpanError that names the topic and article of a cell that is not so.
    """
    if "alternatives" not in frame.columns or not len(frame):
        return None
    import pandas as pd
    import pyarrow as pa

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


def alternatives_column(cells: list[list[int]]) -> Any:
    """Make the column of lists of numbers: an Arrow column."""
    import pandas as pd
    import pyarrow as pa

    return pd.arrays.ArrowExtensionArray(pa.array(cells, type=pa.list_(pa.int64())))
