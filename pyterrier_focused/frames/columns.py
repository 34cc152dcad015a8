"""The run and the qrels frame: their columns, and columns of spans, checked.

A run frame has one row per topic and article (`qid, docno, score, rank`) with its retrieved passages in `passages`; a
qrels frame has one row per judged topic and article (`qid, docno, label`) with `highlights`, `bep` and `length`.
Columns of spans are Arrow columns (`SPANS`, `SCORED_SPANS`): half-open offsets in characters of the article's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.arrays import ArrowExtensionArray

from ..errors import SpanError
from .arrow_columns import read_arrow, span_type, write_arrow
from .ids import id_column, make_ids, parse_ids, read_ids
from .span_cells import ADVICE, read_cells
from .spans import Floats, Ints, Spans

__all__ = [
    "Floats",
    "Ints",
    "Spans",
    "cells",
    "flatten",
    "id_column",
    "make_ids",
    "parse_ids",
    "read_ids",
    "span_column",
]

RUN_COLUMNS = ["qid", "docno", "score", "rank", "passages"]
SPANS = span_type(scored=False)
SCORED_SPANS = span_type(scored=True)
QRELS_COLUMNS = ["qid", "docno", "label", "highlights", "bep", "length"]

# A part that does not exist lies beyond any text, so that it is never taken for one that does
MISSING_START = 2**40


def flatten(cells: Iterable[object], column: str = "passages", frame: pd.DataFrame | None = None) -> Spans:
    """Read a column of spans as flat columns, checked.

    Args:
        cells: An Arrow column, or a column whose cells are lists of tuples, (n, 2) or (n, 3) arrays, lists of
            `{"start", "end"[, "score"]}` dicts, or None, NaN or NA for no spans.
        column: The column's name. A passage with start == end is an entry point, which holds no characters; spans of
            all other columns are never empty.
        frame: The frame that the column is from; errors then name the topic and the article.

    Example:
        >>> flatten([[(0, 4), (6, 9)], None, [(2, 2)]]).row.tolist()
        [0, 0, 2]
    """
    cells = cells if hasattr(cells, "__len__") else list(cells)
    spans = read_arrow(cells, column)
    if spans is None:
        spans = read_cells(cells, column, frame)
    if (spans.end - spans.start).sum(dtype=np.float64) >= 2**62:
        raise SpanError(f"column {column!r}: the spans hold more characters than 64 bits count; {ADVICE}")
    return spans


def span_column(
    row: ArrayLike, n_rows: int, start: ArrayLike, end: ArrayLike, score: ArrayLike | None = None
) -> ArrowExtensionArray:
    """Make a column of spans from flat columns.

    Args:
        score: The score of each span, NaN for none; without it the column's type is `SPANS`, else `SCORED_SPANS`.

    Example:
        >>> span_column([0, 0, 2], 3, [0, 6, 2], [4, 9, 2])[2]
        [{'start': 2, 'end': 2}]
    """
    return write_arrow(row, n_rows, start, end, score)


def cells(column: pd.Series | Sequence[object]) -> list[list[tuple[Any, ...]]]:
    """Read a column of spans as lists of tuples, `(start, end)` or `(start, end, score)`, one list per row.

    Example:
        >>> cells([[{"start": 0, "end": 4, "score": 1.5}], None])
        [[(0, 4, 1.5)], []]
    """
    spans = flatten(column)
    offsets: Any = zip(spans.start.tolist(), spans.end.tolist(), strict=True)
    if spans.score is not None:
        scores = spans.score.tolist()
        offsets = (span if score != score else (*span, score) for span, score in zip(offsets, scores, strict=True))
    tuples = list(offsets)
    bounds = np.searchsorted(spans.row, np.arange(len(column) + 1)).tolist()
    return [tuples[first:last] for first, last in pairwise(bounds)]
