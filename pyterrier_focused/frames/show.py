"""Frames and facts as people read them: spans as short text, and small tables of HTML for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import pandas as pd

from .columns import flatten

_SPAN_COLUMNS = ("passages", "highlights")


def show(frame: pd.DataFrame, scores: bool = False, most: int = 3) -> pd.DataFrame:
    """Return a run or qrels to be looked at: its spans as text, such as `30-230 · 242-623 · +3`.

    The frame itself stays as it is, and so do the options of pandas.

    Args:
        frame: A run or qrels.
        scores: Write each passage's score after it, as in `30-230 (2.5)`.
        most: The number of spans written; the others are counted.

    Example:
        >>> import pandas as pd
        >>> print(show(pd.DataFrame([["q1", "12", 1.0, [(30, 230), (242, 623)]]],
        ...                         columns=["qid", "docno", "score", "passages"])))
          qid docno  score          passages
        0  q1    12    1.0  30-230 · 242-623
    """
    return frame.assign(
        **{name: _write_spans(frame, name, scores, most) for name in _SPAN_COLUMNS if name in frame.columns}
    )


def _write_spans(frame: pd.DataFrame, column: str, scores: bool, most: int) -> list[str]:
    spans = flatten(frame[column], column, frame)
    texts: list[list[str]] = [[] for _ in range(len(frame))]
    values = [None] * len(spans.row) if spans.score is None or not scores else spans.score.tolist()
    for row, start, end, score in zip(
        spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), values, strict=True
    ):
        texts[row].append(f"{start}-{end}" + ("" if score is None else f" ({score:.4g})"))
    return [
        " · ".join([*of_row[:most], *([f"+{len(of_row) - most}"] if len(of_row) > most else [])]) for of_row in texts
    ]


def html_facts(title: str, facts: Mapping[str, object], below: str = "") -> str:
    """Return HTML for a notebook: a title, a table of names and values, and HTML to show below it."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(str(name))}</th>'
        f'<td style="text-align:left">{escape(str(value))}</td></tr>'
        for name, value in facts.items()
    )
    return f"<div><strong>{escape(title)}</strong><table>{rows}</table>{below}</div>"
