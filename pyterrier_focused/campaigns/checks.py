"""What is wrong with a run of a campaign other than INEX: lines, topics, duplicates, too many results."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..io.inex.problems import Problem, check_topics
from ..io.reading.run_columns import FolColumns


def check_campaign_run(columns: FolColumns, topics: set[str] | None, limit: int, notes: list[str]) -> Iterator[Problem]:
    """Yield what is wrong with a run whose task has no rules of INEX's. Parameters as in `validate_run`."""
    yield from check_topics(columns, topics, limit, notes)
    yield from _check_spans(columns)


def _check_spans(columns: FolColumns) -> Iterator[Problem]:
    """Spans that hold nothing or lie before the text, and those that occur twice in their topic and article."""
    wrong = (columns.start < 0) | (columns.end <= columns.start)
    for entry in np.flatnonzero(wrong).tolist():
        span = f"[{columns.start[entry]}, {columns.end[entry]})"
        yield Problem("a span that holds nothing", int(columns.line[entry]), f"{columns.name_entry(entry)}: {span}")
    entries: dict[tuple[int, ...], int] = {}
    places = (column.tolist() for column in (columns.topic, columns.article, columns.start, columns.end))
    for entry, place in enumerate(zip(*places, strict=True)):
        earlier = entries.setdefault(place, entry)
        if earlier != entry:
            detail = f"{columns.name_entry(entry)}: [{place[2]}, {place[3]}), as in line {columns.line[earlier]}"
            yield Problem("duplicate", int(columns.line[entry]), detail)
