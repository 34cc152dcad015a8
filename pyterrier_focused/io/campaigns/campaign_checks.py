"""What is wrong with a run of a campaign other than INEX: lines, topics, duplicates, too many results."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..inex.problems import Problem
from ..reading.run_columns import FolColumns


def check_campaign_run(columns: FolColumns, topics: set[str] | None, limit: int, notes: list[str]) -> Iterator[Problem]:
    """Yield what is wrong with a run whose task has no rules of INEX's. Parameters as in `validate_run`."""
    yield from _check_topics(columns, topics, limit)
    yield from _check_spans(columns)
    if topics is not None and (silent := len(topics.difference(columns.topics))):
        notes.append(f"{silent} of {len(topics)} topics have no results")


def _check_topics(columns: FolColumns, topics: set[str] | None, limit: int) -> Iterator[Problem]:
    sizes = np.bincount(columns.topic, minlength=len(columns.topics)).tolist()
    for code, (topic, size) in enumerate(zip(columns.topics, sizes, strict=True)):
        lines = np.sort(columns.line[columns.topic == code])
        if topics is not None and topic not in topics:
            yield Problem("unknown topic", int(lines[0]), f"topic {topic}, {size} results")
        if size > limit:
            yield Problem(f"more than {limit} results", int(lines[limit]), f"topic {topic}, {size} results")


def _check_spans(columns: FolColumns) -> Iterator[Problem]:
    """Spans that hold nothing or lie before the text, and those that occur twice in their topic and article."""
    wrong = (columns.start < 0) | (columns.end <= columns.start)
    for at in np.flatnonzero(wrong).tolist():
        span = f"[{columns.start[at]}, {columns.end[at]})"
        yield Problem("a span that holds nothing", int(columns.line[at]), f"{_name_entry(columns, at)}: {span}")
    first: dict[tuple[int, ...], int] = {}
    spans = (column.tolist() for column in (columns.topic, columns.article, columns.start, columns.end))
    for at, place in enumerate(zip(*spans, strict=True)):
        before = first.setdefault(place, at)
        if before != at:
            detail = f"{_name_entry(columns, at)}: [{place[2]}, {place[3]}), as in line {columns.line[before]}"
            yield Problem("duplicate", int(columns.line[at]), detail)


def _name_entry(columns: FolColumns, at: int) -> str:
    return f"topic {columns.topics[columns.topic[at]]}, article {columns.articles[columns.article[at]]}"
