"""Passage ids, `ARTICLE#START-END`: the docno of a part while it travels through a pipeline as a row of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pandas.arrays import ArrowExtensionArray

from ..errors import SpanError
from . import arrow_columns
from .spans import Ints

_ID = re.compile(r"(?P<article>.*)#(?P<start>[0-9]+)-(?P<end>[0-9]+)", re.DOTALL)


class IdColumns(NamedTuple):
    """Passage ids as columns: the article code and span of each id, and the docno of each code."""

    article: Ints
    names: NDArray[np.object_]
    start: Ints
    end: Ints


def make_ids(docno: Iterable[str], start: ArrayLike, end: ArrayLike) -> list[str]:
    """Write the passage ids `ARTICLE#START-END` of whole columns; offsets are half-open.

    Example:
        >>> make_ids(["12", "7"], [0, 5], [80, 60])
        ['12#0-80', '7#5-60']
    """
    offsets = zip(np.asarray(start).tolist(), np.asarray(end).tolist(), strict=True)
    return [f"{article}#{first}-{last}" for article, (first, last) in zip(docno, offsets, strict=True)]


def id_column(docno: NDArray[np.object_], start: Ints, end: Ints) -> ArrowExtensionArray | NDArray[np.object_]:
    """Write passage ids as `make_ids` does, for a column of a frame: fast if there are many.

    Example:
        >>> list(id_column(np.array(["12"], dtype=object), np.array([1042]), np.array([1377])))
        ['12#1042-1377']
    """
    ids = arrow_columns.write_ids(docno, start, end)
    return _make_objects(make_ids(docno, start, end)) if ids is None else ids


class ParsedIds(NamedTuple):
    """The article and the span of each of several passage ids."""

    article: NDArray[np.object_]
    start: Ints
    end: Ints


def parse_ids(ids: Iterable[str]) -> ParsedIds:
    """Read whole columns of passage ids.

    Ids are read from the right, so an article's own docno may hold `#`.

    Returns:
        (article, start, end), three columns with an entry per id; start and end are -1 if it has no span.

    Example:
        >>> article, start, end = parse_ids(["12#0-80", "7"])
        >>> article.tolist(), start.tolist(), end.tolist()
        (['12', '7'], [0, -1], [80, -1])
    """
    columns = read_ids(ids)
    return ParsedIds(columns.names[columns.article], columns.start, columns.end)


def read_ids(ids: Iterable[str]) -> IdColumns:
    """Read a column of passage ids as `parse_ids` reads them; codes (int64) count up as articles first appear.

    Example:
        >>> columns = read_ids(["12#5-9", "7", "12#0-3"])
        >>> columns.article.tolist(), columns.names.tolist(), columns.start.tolist()
        ([0, 1, 0], ['12', '7'], [5, -1, 0])
    """
    ids = ids if hasattr(ids, "__len__") else list(ids)
    columns = arrow_columns.read_ids(ids)
    if columns is None:
        return read_ids_one_by_one(ids)
    return IdColumns(columns.article, _make_objects(columns.names), columns.start, columns.end)


def read_ids_one_by_one(ids: Iterable[str]) -> IdColumns:
    """Read ids of any text, with and without spans; the first span that is not valid is the error."""
    codes: dict[str, int] = {}
    rows: list[tuple[int, int, int]] = []
    for name in ids:
        require_text(name)
        match = _ID.fullmatch(name)
        if match is None:
            rows.append((codes.setdefault(name, len(codes)), -1, -1))
            continue
        start = _read_offset(match["start"])
        end = _read_offset(match["end"])
        if not start <= end < 2**63:
            raise SpanError(
                f"passage id {name[:80]!r}: [{match['start'][:20]}, {match['end'][:20]}) is not a valid span; "
                "ids are ARTICLE#START-END, with start <= end"
            )
        rows.append((codes.setdefault(match["article"], len(codes)), start, end))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return IdColumns(columns[:, 0].copy(), _make_objects(list(codes)), columns[:, 1].copy(), columns[:, 2].copy())


def require_text(docno: object) -> None:
    """Raise a TypeError for a docno that is not text, such as the number that pandas reads from a table."""
    if not isinstance(docno, str):
        advice = f": {str(docno)!r}" if isinstance(docno, int | np.integer) else ""
        raise TypeError(f"docno {name_id(docno)} is not text; write docnos as text{advice}")


def name_id(value: object) -> str:
    """Write a qid or docno as messages quote it, a number of numpy as any other."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def _read_offset(digits: str) -> int:
    # beyond 64 bits, whatever it is
    return int(digits) if len(digits.lstrip("0")) < 20 else 2**63


def _make_objects(values: Sequence[object]) -> NDArray[np.object_]:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
