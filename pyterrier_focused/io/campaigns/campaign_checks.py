"""What is wrong with a run of a campaign other than INEX: lines, topics, duplicates, too many results."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..inex.problems import Problem
from ..reading.run_columns import FolColumns


def check_campaign_run(columns: FolColumns, topics: set[str] | None, limit: int, notes: list[str]) -> Iterator[Problem]:
    """Yield what is wrong with a run whose task has no rules of INEX's. Parameters as in `validate_run`."""
    yield from check_topics(columns, topics, limit, notes)
    yield from _check_spans(columns)


def check_topics(columns: FolColumns, topics: set[str] | None, limit: int, notes: list[str]) -> Iterator[Problem]:
    """Topics that do not exist, or have too many results."""
    lines = columns.line[np.lexsort((columns.line, columns.topic))]
    bounds = np.searchsorted(np.sort(columns.topic), np.arange(len(columns.topics) + 1)).tolist()
    for topic, low, high in zip(columns.topics, bounds[:-1], bounds[1:], strict=True):
        detail = f"topic {topic}, {high - low} results"
        if topics is not None and topic not in topics:
            yield Problem("unknown topic", int(lines[low]), detail)
        if high - low > limit:
            yield Problem(f"more than {limit} results", int(lines[low + limit]), detail)
    if topics is not None and not topics <= set(columns.topics):
        notes.append(f"{len(topics.difference(columns.topics))} of {len(topics)} topics have no results")


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
