"""The report on a run: its problems, and what was checked; and the check of topics, which all runs have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...reading.run_columns import FolColumns


class Problem(NamedTuple):
    """Something wrong with a run: the kind of fault, the line it shows at (0: none in particular) and the details."""

    kind: str
    line: int
    detail: str


class Validation(NamedTuple):
    """What the checks found, and what was checked. The task is '' if neither the caller nor the run says it."""

    problems: list[Problem]
    notes: list[str]
    results: int
    topics: int
    task: str
    format: str


def check_topics(columns: FolColumns, topics: set[str] | None, limit: int, notes: list[str]) -> Iterator[Problem]:
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
