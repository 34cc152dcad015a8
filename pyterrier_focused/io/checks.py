"""The checks of INEX's submission system: everything that is wrong with a run, in one go.

Results are looked at as the file has them, so that ranks, duplicates and kinds of parts can be judged, which a run
frame no longer tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..errors import FormatError, check_choice
from .files import Source, open_binary, source_name, without_mark
from .fol import FolColumns, parse_fol
from .lines import Faults
from .offset_units import MISSING_START, article_sizes, check_run_units
from .path_run import parse_path_run
from .paths import NamedParts, resolve
from .xml_run import parse_xml_run

TASKS = ("focused", "ric", "bic")
_TASK_NAMES = {"focused": "focused", "relevantincontext": "ric", "bestincontext": "bic"}


class Problem(NamedTuple):
    """Something wrong with a run: the kind of fault, the line it shows at (0: none in particular) and the details."""

    kind: str
    line: int
    detail: str


class Validation(NamedTuple):
    """What the checks found, and what was checked."""

    problems: list[Problem]
    notes: list[str]
    results: int
    topics: int
    task: str  # '' where neither the caller nor the run says
    format: str


def validate_run(
    source: Source, task: str | None = None, topics: set[str] | None = None, collection: Any = None, limit: int = 1500
) -> Validation:
    """Check a run (FOL, XML or paths) for a *task* ('focused', 'ric', 'bic'; None: the one the run names).

    *topics*: the ids that exist; *collection*: resolves paths and knows where articles end; *limit*: results a topic
    may have. Raises FormatError where the file as a whole cannot be read.
    """
    if task is not None:
        check_choice("task", task, TASKS)
    from .campaign_checks import validate_campaign_run

    if (campaign := validate_campaign_run(source, topics, limit)) is not None:
        return campaign
    parts, faults, format = _parse(source)
    columns = parts.columns
    problems = [Problem(reason, line, text) for reason, line, text in faults.found]
    notes: list[str] = []
    task = task or _TASK_NAMES.get("".join(filter(str.isalpha, parts.submission.get("task", "").lower())), "")
    if collection is not None:
        found = len(faults.found)
        columns = resolve(parts, collection, "raise", faults)
        problems += [Problem(reason, line, text) for reason, line, text in faults.found[found:]]
        problems += _beyond_the_end(columns, collection, notes)
    elif any(parts.first):
        notes.append("element paths: not looked up, and passages between paths not checked for overlap (no collection)")
    if topics is not None:
        problems += _unknown_topics(columns, topics)
        silent = len(topics.difference(columns.topics))
        if silent:
            notes.append(f"{silent} of {len(topics)} topics have no results")
    problems += _too_many(columns, limit)
    problems += _ranks(columns, format)
    problems += _mixed(parts)
    named = parts if collection is None else None
    problems += _duplicates_and_overlap(columns, named, overlap=task != "bic")
    if task in ("ric", "bic"):
        problems += _interleaved(columns)
    if task == "bic":
        problems += _several(columns)
    return Validation(problems, notes, len(columns.topic), len(columns.topics), task, format)


def _parse(source: Source) -> tuple[NamedParts, Faults, str]:
    from . import tell_run_format

    name = source_name(source)
    faults = Faults(name, "skip")
    with open_binary(source) as stream:
        format = tell_run_format(stream, name)
        if format == "inex-xml":
            return parse_xml_run(stream, faults), faults, format
        if format == "trec":
            raise FormatError("a TREC run holds whole articles, not parts; nothing to check", file=name)
        data = without_mark(stream.read(), name)
    if format == "paths":
        return parse_path_run(data, faults), faults, format
    columns = parse_fol(data, faults, missing="raise", file_fields=True)
    nameless = [""] * len(columns.topic)
    return NamedParts(columns, nameless, nameless, {}), faults, format


def _label(columns: FolColumns, at: int) -> str:
    return f"topic {columns.topics[columns.topic[at]]}, article {columns.articles[columns.article[at]]}"


def _unknown_topics(columns: FolColumns, topics: set[str]) -> Iterator[Problem]:
    for code, topic in enumerate(columns.topics):
        if topic not in topics:
            lines = columns.line[columns.topic == code]
            yield Problem("unknown topic", int(lines.min()), f"topic {topic}, {len(lines)} results")


def _too_many(columns: FolColumns, limit: int) -> Iterator[Problem]:
    sizes = np.bincount(columns.topic, minlength=len(columns.topics))
    for code in np.flatnonzero(sizes > limit).tolist():
        line = int(np.sort(columns.line[columns.topic == code])[limit])
        yield Problem(f"more than {limit} results", line, f"topic {columns.topics[code]}, {sizes[code]} results")


def _ranks(columns: FolColumns, format: str) -> Iterator[Problem]:
    """Ranks rise along the ranking. An XML run is in the order of its ranks, so that only equal ones can show."""
    if columns.rank is None:
        return
    order = np.argsort(columns.topic, kind="stable")
    before, after = order[:-1], order[1:]
    wrong = (columns.topic[before] == columns.topic[after]) & (columns.rank[after] <= columns.rank[before])
    if format == "inex-xml":
        wrong &= columns.rank[after] >= 0  # -1: no ranks in this topic
        # the parts of one result share its rank
        wrong &= columns.line[before] != columns.line[after]
    for first, second in zip(before[wrong].tolist(), after[wrong].tolist(), strict=True):
        detail = f"{_label(columns, second)}: rank {columns.rank[second]} follows rank {columns.rank[first]}"
        yield Problem("rank out of order", int(columns.line[second]), detail)


def _mixed(parts: NamedParts) -> Iterator[Problem]:
    kinds = ["passage" if last or not first else "element" for first, last in zip(parts.first, parts.last, strict=True)]
    if len(set(kinds)) > 1:
        at = kinds.index("element" if kinds[0] == "passage" else "passage")
        count = kinds.count("element")
        detail = f"{count} elements and {len(kinds) - count} passages; a run has the one or the other"
        yield Problem("elements and passages mixed", int(parts.columns.line[at]), detail)


def _beyond_the_end(columns: FolColumns, collection: Any, notes: list[str]) -> Iterator[Problem]:
    """Parts that end behind their article's end, in the unit that the run's offsets fit."""
    from .fol import fol_frame

    unit = check_run_units(fol_frame(columns), collection)
    notes.append(str(unit))
    sizes = article_sizes(columns.articles, collection)
    length = np.array([getattr(sizes.get(article), unit.unit, -1) for article in columns.articles], dtype=np.int64)
    for code in np.flatnonzero(length < 0).tolist():
        lines = columns.line[columns.article == code]
        yield Problem("unknown article", int(lines.min()), f"article {columns.articles[code]}, {len(lines)} results")
    limit = length[columns.article]
    for at in np.flatnonzero((limit >= 0) & (columns.end > limit) & (columns.start < MISSING_START)).tolist():
        span = f"[{columns.start[at]}, {columns.end[at]})"
        detail = f"{_label(columns, at)}: the part {span} ends behind the article's {limit[at]} {unit.unit}"
        yield Problem("beyond the article's end", int(columns.line[at]), detail)


def _duplicates_and_overlap(columns: FolColumns, parts: NamedParts | None, overlap: bool) -> Iterator[Problem]:
    """Parts of an article and topic that are the same, or share characters; *parts*: paths not looked up, or None."""
    for group in _groups(columns):
        first: dict[Any, int] = {}
        for at in sorted(group, key=columns.line.__getitem__):
            place = _place(columns, parts, at)
            if place in first:
                detail = f"{_label(columns, at)}: {_show(columns, parts, at)}, as in line {columns.line[first[place]]}"
                yield Problem("duplicate", int(columns.line[at]), detail)
            else:
                first[place] = at
        if overlap:
            for one, other in _overlaps(columns, parts, list(first.values())):
                earlier, later = sorted((one, other), key=columns.line.__getitem__)
                shown = _show(columns, parts, later), _show(columns, parts, earlier)
                detail = f"{_label(columns, later)}: {shown[0]} overlaps {shown[1]} of line {columns.line[earlier]}"
                yield Problem("overlap", int(columns.line[later]), detail)


def _groups(columns: FolColumns) -> Iterator[list[int]]:
    """The entries of each topic and article that has more than one."""
    key = columns.topic * max(len(columns.articles), 1) + columns.article
    order = np.argsort(key, kind="stable")
    for entries in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
        if len(entries) > 1:
            yield entries.tolist()


def _place(columns: FolColumns, parts: NamedParts | None, at: int) -> Any:
    if columns.start[at] >= 0 or parts is None:
        return int(columns.start[at]), int(columns.end[at])
    return _steps(parts.first[at]), _steps(parts.last[at])


def _show(columns: FolColumns, parts: NamedParts | None, at: int) -> str:
    if columns.start[at] >= 0 or parts is None:
        return f"[{columns.start[at]}, {columns.end[at]})"
    return " to ".join(filter(None, (parts.first[at], parts.last[at])))


def _steps(path: str) -> tuple[str, ...]:
    """The steps of a path, each with its number: `/article/sec[2]` is article[1], sec[2]."""
    return tuple(step if step.endswith("]") or "]." in step else f"{step}[1]" for step in path.split("/")[1:])


def _overlaps(columns: FolColumns, parts: NamedParts | None, entries: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of entries of one article that overlap: each with one that begins before it and reaches furthest."""
    spans = sorted((int(columns.start[at]), -int(columns.end[at]), at) for at in entries if columns.start[at] >= 0)
    reach = spans[0] if spans else None
    for span in spans[1:]:
        if reach is not None and span[0] < -reach[1]:
            yield reach[2], span[2]
        if reach is None or span[1] < reach[1]:
            reach = span
    if parts is None:
        return
    paths = sorted((_steps(parts.first[at]), at) for at in entries if columns.start[at] < 0 and not parts.last[at])
    open_: list[tuple[tuple[str, ...], int]] = []  # the elements around the current one
    for steps, at in paths:
        while open_ and steps[: len(open_[-1][0])] != open_[-1][0]:
            open_.pop()
        if open_:
            yield open_[-1][1], at
        open_.append((steps, at))


def _interleaved(columns: FolColumns) -> Iterator[Problem]:
    """Articles whose parts do not stand together in their topic's ranking."""
    order = np.argsort(columns.topic, kind="stable")
    ended: set[tuple[int, int]] = set()
    previous: tuple[int, int] | None = None
    for at in order.tolist():
        key = int(columns.topic[at]), int(columns.article[at])
        if key != previous and key in ended:
            detail = f"{_label(columns, at)}: other articles stand between its parts"
            yield Problem("interleaved articles", int(columns.line[at]), detail)
        ended.add(key)
        previous = key


def _several(columns: FolColumns) -> Iterator[Problem]:
    """Articles with more than one part."""
    for group in _groups(columns):
        second = sorted(group, key=columns.line.__getitem__)[1]
        detail = f"{_label(columns, second)}: {len(group)} parts; the task asks for one entry point"
        yield Problem("several parts of an article", int(columns.line[second]), detail)
