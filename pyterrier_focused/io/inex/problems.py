"""What the checks of a run report: its problems, and what was checked."""

from __future__ import annotations

from typing import NamedTuple


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
