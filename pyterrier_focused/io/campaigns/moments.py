"""QVHighlights: moments of videos that answer a question, judged and predicted, one JSON object per line.

Judged lines have `qid, query, vid, duration` and `relevant_windows`, predicted ones `qid, vid` and
`pred_relevant_windows`. A window is [start, end], in seconds, which a score follows in predictions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from ...errors import FormatError
from ...frames.columns import span_column
from ...frames.spans import Spans
from ..reading.files import Source, read_bytes, source_name
from ..reading.json import load_json
from ..reading.lines import BadLine, Faults
from .campaign_lines import refuse_collection

if TYPE_CHECKING:
    from ...frames.articles import ArticleCollection
    from ..reading.json import JsonObject

JUDGED = "relevant_windows"
PREDICTED = "pred_relevant_windows"
_MILLISECONDS = 1000
_NO_COLLECTION = "spans are milliseconds of video"


class Moments(NamedTuple):
    """A line: its number, the question's id as text, and its object, whose windows are lists of numbers."""

    line: int
    qid: str
    record: JsonObject


def read_moments(source: Source, windows: str) -> list[Moments]:
    """Read the lines of a file whose moments are in the field *windows*.

    Raises FormatError if a line is not as QVHighlights', or a question occurs twice.
    """
    name = source_name(source)
    moments: list[Moments] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(read_bytes(source).split(b"\n"), start=1):
        if not line.strip():
            continue
        record = load_json(line, name, number)
        fault = _find_fault(record, windows)
        if not fault and lines.setdefault(str(record["qid"]), number) != number:
            fault = f"qid {record['qid']!r} is already in line {lines[str(record['qid'])]}; keep one of the two"
        if fault:
            raise FormatError(fault, file=name, line=number, text=line.decode("utf-8", "replace"))
        moments.append(Moments(number, str(record["qid"]), record))
    return moments


def _find_fault(record: object, windows: str) -> str:
    """Say what is wrong with the object of a line; '' if nothing is."""
    if not isinstance(record, dict) or not isinstance(record.get(windows), list):
        return f"a line is an object with qid, vid and {windows}, a list of [start, end]"
    if any(type(record.get(key)) not in (str, int) for key in ("qid", "vid")):
        return "qid and vid are text or whole numbers"
    width = 3 if windows == PREDICTED else 2
    for window in record[windows]:
        numbers = isinstance(window, list) and len(window) >= width and all(map(_is_number, window[:width]))
        if not numbers:
            expected = "[start, end, score]" if width == 3 else "[start, end]"
            return f"{windows} holds {window!r}, not {expected} in numbers below 10^12"
    return ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def read_moments_run(
    source: Source, collection: ArticleCollection | None = None, *, errors: str = "raise"
) -> pd.DataFrame:
    """Read predicted moments as a run frame: docno is the video, spans are milliseconds, to the nearest one.

    Args:
        source: The file.
        collection: None; spans are times in videos.
        errors: 'raise' a FormatError at the first moment that is before the video or ends before it begins, or 'skip'
            those and warn how many.

    Returns:
        A run frame, whose passages have the scores of the predictions.

    Raises:
        FormatError: A line is not as QVHighlights', or a question occurs twice.
        ValueError: A *collection* is given.

    Example:
        >>> import io
        >>> line = b'{"qid": 1, "query": "A boat.", "vid": "v1", "pred_relevant_windows": [[0.5, 10, 0.9]]}'
        >>> run = read_moments_run(io.BytesIO(line))
        >>> run["docno"].iloc[0], run["passages"].iloc[0][0]
        ('v1', {'start': 500, 'end': 10000, 'score': 0.9})
    """
    refuse_collection(collection, _NO_COLLECTION)
    faults = Faults(source_name(source), errors)
    items = [item for item in read_moments(source, PREDICTED) if item.record[PREDICTED]]
    windows = [_keep_spans(item, PREDICTED, faults) for item in items]
    faults.report()
    items = [item for item, of_item in zip(items, windows, strict=True) if of_item]
    spans = _lay_out_windows([of_item for of_item in windows if of_item])
    score = np.array([window[2] for of_item in windows for window in of_item], dtype=np.float64)
    best = np.full(len(items), -np.inf)
    np.maximum.at(best, spans.row, score)
    return pd.DataFrame(
        {
            "qid": pd.Series([item.qid for item in items], dtype=object),
            "docno": pd.Series([str(item.record["vid"]) for item in items], dtype=object),
            "score": best,
            "rank": np.zeros(len(items), dtype=np.int64),
            "passages": span_column(spans.row, len(items), spans.start, spans.end, score),
        }
    )


def read_moments_qrels(
    source: Source, collection: ArticleCollection | None = None, *, errors: str = "raise"
) -> pd.DataFrame:
    """Read judged moments as a qrels frame; docno and spans as in `read_moments_run`, the question is `query`.

    Args:
        source: The file.
        collection: None; spans are times in videos.
        errors: As in `read_moments_run`.

    Returns:
        A qrels frame. The best entry point is the first moment's start, the length is the video's `duration`, -1
        without one.

    Raises:
        FormatError: A line is not as QVHighlights', or a question occurs twice.
        ValueError: A *collection* is given.
    """
    refuse_collection(collection, _NO_COLLECTION)
    faults = Faults(source_name(source), errors)
    items = read_moments(source, JUDGED)
    windows = [[window for window in _keep_spans(item, JUDGED, faults) if window[1] > window[0]] for item in items]
    faults.report()
    spans = _lay_out_windows(windows)
    length = [item.record.get("duration", -1) for item in items]
    return pd.DataFrame(
        {
            "qid": pd.Series([item.qid for item in items], dtype=object),
            "docno": pd.Series([str(item.record["vid"]) for item in items], dtype=object),
            "label": np.array([int(bool(of_item)) for of_item in windows], dtype=np.int64),
            "highlights": span_column(spans.row, len(items), spans.start, spans.end),
            "bep": np.array([_to_milliseconds(min(w)[0]) if w else -1 for w in windows], dtype=np.int64),
            "length": np.array(
                [_to_milliseconds(value) if _is_number(value) and value >= 0 else -1 for value in length], np.int64
            ),
            "query": pd.Series([item.record.get("query") for item in items], dtype=object),
        }
    )


def _keep_spans(item: Moments, windows: str, faults: Faults) -> list[list[float]]:
    """Return the windows of a line that are spans; the others go to *faults*."""
    good = []
    for window in item.record[windows]:
        if 0 <= window[0] <= window[1]:
            good.append(window)
        else:
            bad = BadLine("a moment that is before the video or ends before it begins", "write 0 <= start <= end")
            faults.add(bad, item.line, str(window))
    return good


def _to_milliseconds(seconds: float) -> int:
    return round(seconds * _MILLISECONDS)


def _lay_out_windows(windows: list[list[list[float]]]) -> Spans:
    """Lay the windows of all lines out as spans in milliseconds."""
    flat = [
        (row, _to_milliseconds(window[0]), _to_milliseconds(window[1]))
        for row, of_line in enumerate(windows)
        for window in of_line
    ]
    row, start, end = np.array(flat, dtype=np.int64).reshape(-1, 3).T.copy()
    return Spans(row, start, end, None)
