"""The checks of INEX's submission system: everything that is wrong with a run, in one go.

Results are looked at as the file has them, so that ranks, duplicates and kinds of results can be judged, which a run
frame no longer tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import FormatError, check_choice
from ...frames.articles import ArticleCollection
from ...frames.spans import Ints
from ..campaigns.campaign_checks import check_campaign_run
from ..reading.files import Source, source_name
from ..reading.lines import Faults
from ..reading.run_columns import FolColumns
from ..sniff import open_and_look, tell_by_head
from .fol import fol_frame
from .offset_units import MISSING_START, article_sizes, check_run_units
from .paths import NamedPassages, look_up
from .problems import Problem, Validation
from .submission_schema import YEARS, schema_faults, topic_faults

TASKS = ("thorough", "focused", "ric", "bic")
# what submissions call a task, its letters only
_TASK_NAMES = {
    "thorough": "thorough",
    "efficiency": "thorough",
    "focused": "focused",
    "restrictedfocused": "focused",
    "relevantincontext": "ric",
    "restrictedrelevantincontext": "ric",
    "bestincontext": "bic",
}


def validate_run(
    source: Source,
    task: str | None = None,
    topics: set[str] | None = None,
    collection: ArticleCollection | None = None,
    limit: int = 1500,
    year: str = "",
) -> Validation:
    """Check a run of any format with passages, for a *task* of TASKS (None: the one the run names).

    *topics*: the ids that exist; *collection*: resolves paths and knows where articles end; *limit*: results a topic
    may have. *year*: hold an XML run against the submission format of '2007' to '2010', or of 'any' of them. Raises
    FormatError if the file as a whole cannot be read.
    """
    if task is not None:
        check_choice("task", task, TASKS)
    check_choice("year", year, ("", "any", *YEARS))
    faults = Faults(source_name(source), "skip")
    with open_and_look(source) as (opened, head):
        format = tell_by_head(head, "run")
        if format.parse is None:
            raise FormatError(
                f"a run in the format {format.name} holds whole articles, not passages; nothing to check",
                file=faults.file,
            )
        parts = format.parse(opened, faults)
    problems = [Problem(reason, line, text) for reason, line, text in faults.found]
    notes: list[str] = []
    if not isinstance(parts, NamedPassages):
        problems += check_campaign_run(parts, topics, limit, notes)
        return Validation(problems, notes, len(parts.topic), len(parts.topics), "", format.name)
    root = parts.root
    if root is not None:
        problems += _check_submission(root, year, notes)
    task = task or _TASK_NAMES.get("".join(filter(str.isalpha, parts.submission.get("task", "").lower())), "")
    if collection is not None:
        parts, absent = _resolve_paths(parts, collection)
        problems += [*_check_articles(parts.columns, collection), *_check_paths(parts, absent, collection)]
        problems += _check_ends(parts.columns, collection, notes)
    elif any(parts.first):
        notes.append("element paths: not looked up, and passages between paths not checked for overlap (no collection)")
    problems += _check_topics(parts.columns, topics, limit, notes)
    problems += _check_ranks(parts)
    if root is None:
        notes += _note_divided_topics(parts.columns)
    problems += _check_task(parts, task)
    return Validation(problems, notes, len(parts.columns.topic), len(parts.columns.topics), task, format.name)


def _check_submission(root: Any, year: str, notes: list[str]) -> Iterator[Problem]:
    """Yield what keeps an XML run from being a submission."""
    yield from (Problem(*fault) for fault in topic_faults(root))
    if year:
        best, wrong, remarks = schema_faults(root, None if year == "any" else year)
        yield from (Problem(f"not the submission format of {best}", *fault) for fault in wrong)
        notes += remarks


def _check_task(parts: NamedPassages, task: str) -> Iterator[Problem]:
    """Yield what breaks the rules of a task; '' is one that nobody named."""
    yield from _check_empty(parts, task)
    yield from _check_kinds(parts)
    yield from _check_duplicates_and_overlap(parts.columns, parts, overlap=task not in ("bic", "thorough"))
    if task in ("ric", "bic"):
        yield from _check_interleaved(parts.columns)
    if task == "bic":
        yield from _check_several(parts.columns)


def _resolve_paths(parts: NamedPassages, collection: ArticleCollection) -> tuple[NamedPassages, Ints]:
    """Give the passages that are named by paths their offsets; and tell which paths do not exist."""
    start, end = look_up(parts, collection)
    return parts._replace(columns=parts.columns._replace(start=start, end=end)), np.flatnonzero(start < 0)


def _check_articles(columns: FolColumns, collection: ArticleCollection) -> Iterator[Problem]:
    sizes = article_sizes(columns.articles, collection)
    for at, count in zip(*_find_firsts(columns, columns.article), strict=True):
        if columns.articles[columns.article[at]] not in sizes:
            yield Problem("unknown article", int(columns.line[at]), f"{_name_entry(columns, at)}; {count} results")


def _find_firsts(columns: FolColumns, codes: Ints) -> tuple[list[int], list[int]]:
    """Find each code's first entry in the file, and count its entries."""
    order = np.argsort(columns.line, kind="stable")
    _, first, count = np.unique(codes[order], return_index=True, return_counts=True)
    return order[first].tolist(), count.tolist()


def _check_paths(parts: NamedPassages, absent: Ints, collection: ArticleCollection) -> Iterator[Problem]:
    """Paths that known articles do not have."""
    sizes = article_sizes(parts.columns.articles, collection)
    for at in absent.tolist():
        if parts.columns.articles[parts.columns.article[at]] in sizes:
            detail = f"{_name_entry(parts.columns, at)}: {_show_passage(parts.columns, parts, at)}"
            yield Problem("a path that the article does not have", int(parts.columns.line[at]), detail)


def _name_entry(columns: FolColumns, at: int) -> str:
    return f"topic {columns.topics[columns.topic[at]]}, article {columns.articles[columns.article[at]]}"


def _check_topics(columns: FolColumns, topics: set[str] | None, limit: int, notes: list[str]) -> Iterator[Problem]:
    """Topics that do not exist, or have too many results."""
    lines = columns.line[np.lexsort((columns.line, columns.topic))]
    bounds = np.searchsorted(np.sort(columns.topic), np.arange(len(columns.topics) + 1)).tolist()
    for topic, first, last in zip(columns.topics, bounds[:-1], bounds[1:], strict=True):
        if topics is not None and topic not in topics:
            yield Problem("unknown topic", int(lines[first]), f"topic {topic}, {last - first} results")
        if last - first > limit:
            detail = f"topic {topic}, {last - first} results"
            yield Problem(f"more than {limit} results", int(lines[first + limit]), detail)
    if topics is not None and not topics <= set(columns.topics):
        notes.append(f"{len(topics.difference(columns.topics))} of {len(topics)} topics have no results")


def _note_divided_topics(columns: FolColumns) -> Iterator[str]:
    """Topics whose lines are not together, which the official evaluation tool mixes up."""
    begins = np.flatnonzero(np.diff(columns.topic, prepend=-1))
    first: dict[int, int] = {}
    later = [at for at in begins.tolist() if first.setdefault(int(columns.topic[at]), at) != at]
    if later:
        topic = columns.topics[columns.topic[later[0]]]
        line = columns.line[later[0]]
        count = len({int(columns.topic[at]) for at in later})
        yield f"the lines of {count} topics are not together (first: topic {topic}, which goes on in line {line})"


def _check_empty(parts: NamedPassages, task: str) -> Iterator[Problem]:
    """Passages without characters, which are entry points and have their place in best in context alone."""
    columns = parts.columns
    for at in np.flatnonzero((columns.start >= columns.end) & (columns.start >= 0)).tolist():
        before = columns.start[at] > columns.end[at]
        if before or task != "bic":
            kind = "a passage that ends before it starts" if before else "a passage without characters"
            yield Problem(
                kind, int(columns.line[at]), f"{_name_entry(columns, at)}: {_show_passage(columns, parts, at)}"
            )


def _check_ranks(parts: NamedPassages) -> Iterator[Problem]:
    """Ranks rise along the ranking. An XML run is in the order of its ranks, so that only equal ones can show."""
    columns = parts.columns
    if columns.rank is None:
        return
    order = np.argsort(columns.topic, kind="stable")
    before, after = order[:-1], order[1:]
    wrong = (columns.topic[before] == columns.topic[after]) & (columns.rank[after] <= columns.rank[before])
    if parts.result is not None:
        # A rank of -1 says that the topic has none.
        wrong &= columns.rank[after] >= 0
        # The passages of one result share its rank.
        wrong &= parts.result[before] != parts.result[after]
    for first, second in zip(before[wrong].tolist(), after[wrong].tolist(), strict=True):
        detail = f"{_name_entry(columns, second)}: rank {columns.rank[second]} follows rank {columns.rank[first]}"
        yield Problem("rank out of order", int(columns.line[second]), detail)


def _check_kinds(parts: NamedPassages) -> Iterator[Problem]:
    kinds = ["passage" if last or not first else "element" for first, last in zip(parts.first, parts.last, strict=True)]
    if len(set(kinds)) > 1:
        at = kinds.index("element" if kinds[0] == "passage" else "passage")
        count = kinds.count("element")
        detail = f"{count} elements and {len(kinds) - count} passages; a run has the one or the other"
        yield Problem("elements and passages mixed", int(parts.columns.line[at]), detail)


def _check_ends(columns: FolColumns, collection: ArticleCollection, notes: list[str]) -> Iterator[Problem]:
    """Passages that end after their article's end, in the unit that the run's offsets fit."""
    known = columns.take(np.flatnonzero((columns.start >= 0) & (columns.start <= columns.end)))
    unit = check_run_units(fol_frame(known._replace(rank=None, score=None)), collection)
    notes.append(str(unit))
    sizes = article_sizes(columns.articles, collection)
    length = np.array([getattr(sizes.get(article), unit.unit, -1) for article in columns.articles], dtype=np.int64)
    limit = length[columns.article]
    for at in np.flatnonzero((limit >= 0) & (columns.end > limit) & (columns.start < MISSING_START)).tolist():
        span = f"[{columns.start[at]}, {columns.end[at]})"
        detail = f"{_name_entry(columns, at)}: the passage {span} ends after the article's {limit[at]} {unit.unit}"
        yield Problem("beyond the article's end", int(columns.line[at]), detail)


def _check_duplicates_and_overlap(columns: FolColumns, parts: NamedPassages, overlap: bool) -> Iterator[Problem]:
    """Passages of an article and topic that are the same, or share characters; paths without offsets are compared."""
    for group in _group_by_article(columns):
        first: dict[Any, int] = {}
        for at in sorted(group, key=columns.line.__getitem__):
            place = _find_place(columns, parts, at)
            if place in first:
                shown = _show_passage(columns, parts, at)
                detail = f"{_name_entry(columns, at)}: {shown}, as in line {columns.line[first[place]]}"
                yield Problem("duplicate", int(columns.line[at]), detail)
            else:
                first[place] = at
        if overlap:
            for one, other in _find_overlaps(columns, parts, list(first.values())):
                earlier, later = sorted((one, other), key=columns.line.__getitem__)
                both = f"{_show_passage(columns, parts, later)} overlaps {_show_passage(columns, parts, earlier)}"
                detail = f"{_name_entry(columns, later)}: {both} of line {columns.line[earlier]}"
                yield Problem("overlap", int(columns.line[later]), detail)


def _group_by_article(columns: FolColumns) -> Iterator[list[int]]:
    """Yield the entries of each topic and article that has more than one."""
    key = columns.topic * max(len(columns.articles), 1) + columns.article
    order = np.argsort(key, kind="stable")
    for entries in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
        if len(entries) > 1:
            yield entries.tolist()


def _find_place(columns: FolColumns, parts: NamedPassages, at: int) -> Any:
    if columns.start[at] >= 0:
        return int(columns.start[at]), int(columns.end[at])
    return _split_path(parts.first[at]), _split_path(parts.last[at])


def _show_passage(columns: FolColumns, parts: NamedPassages, at: int) -> str:
    if columns.start[at] >= 0:
        return f"[{columns.start[at]}, {columns.end[at]})"
    return " to ".join(filter(None, (parts.first[at], parts.last[at])))


def _split_path(path: str) -> tuple[str, ...]:
    """Return the steps of a path, each with its number: `/article/sec[2]` is article[1], sec[2]."""
    return tuple(step if step.endswith("]") or "]." in step else f"{step}[1]" for step in path.split("/")[1:])


def _find_overlaps(columns: FolColumns, parts: NamedPassages, entries: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of entries of one article that overlap: each with one that begins before it and reaches furthest."""
    held = [at for at in entries if 0 <= columns.start[at] < columns.end[at]]
    spans = sorted((int(columns.start[at]), -int(columns.end[at]), at) for at in held)
    reach = spans[0] if spans else None
    for span in spans[1:]:
        if reach is not None and span[0] < -reach[1]:
            yield reach[2], span[2]
        if reach is None or span[1] < reach[1]:
            reach = span
    paths = sorted((_split_path(parts.first[at]), at) for at in entries if columns.start[at] < 0 and not parts.last[at])
    # The elements around the current one.
    open_: list[tuple[tuple[str, ...], int]] = []
    for steps, at in paths:
        while open_ and steps[: len(open_[-1][0])] != open_[-1][0]:
            open_.pop()
        if open_:
            yield open_[-1][1], at
        open_.append((steps, at))


def _check_interleaved(columns: FolColumns) -> Iterator[Problem]:
    """Articles whose passages are not together in their topic's ranking."""
    order = np.argsort(columns.topic, kind="stable")
    ended: set[tuple[int, int]] = set()
    previous: tuple[int, int] | None = None
    for at in order.tolist():
        key = int(columns.topic[at]), int(columns.article[at])
        if key != previous and key in ended:
            detail = f"{_name_entry(columns, at)}: other articles are between its passages"
            yield Problem("interleaved articles", int(columns.line[at]), detail)
        ended.add(key)
        previous = key


def _check_several(columns: FolColumns) -> Iterator[Problem]:
    """Articles with more than one passage."""
    for group in _group_by_article(columns):
        second = sorted(group, key=columns.line.__getitem__)[1]
        detail = f"{_name_entry(columns, second)}: {len(group)} passages; the task asks for one entry point"
        yield Problem("several parts of an article", int(columns.line[second]), detail)
