"""The checks of INEX's submission system: all problems of a run at once.

Results are looked at as the file has them, so that ranks, duplicates and kinds of results can be judged, which a run
frame no longer tells.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from lxml import etree

from ...errors import FormatError, check_choice
from ...frames.articles import ArticleCollection
from ...frames.spans import Ints, Span
from ...reading.files import Source, source_name
from ...reading.lines import Faults
from ...reading.run_columns import FolColumns, find_divided_topics, fol_frame
from ...reading.xml import line_of
from ..base import Format
from ..sniff import open_and_look, tell_by_head
from .offset_units import MISSING_START, article_sizes, check_run_units
from .paths import NamedPassages, look_up, show_path
from .problems import Problem, Validation, check_topics

# The steps of a path, each with its number.
Steps = tuple[str, ...]
# Of a passage: its span, or its two paths.
Place = Span | tuple[Steps, Steps]

TASKS = ("thorough", "focused", "ric", "bic")
_KINDS = {"element": {"path"}, "passage": {"passage", "fol"}, "fol": {"fol"}}
# Names of tasks in submissions, their letters only.
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
) -> Validation:
    """Check a run of any format with passages as INEX's submission system did.

    Args:
        task: One of TASKS, whose rules are checked; None: the one that the run names.

    Example:
        >>> import io
        >>> validate_run(io.BytesIO(b"7 Q0 12 1 9.5 mine 100 50\\n"), topics={"8"}).problems
        [Problem(kind='unknown topic', line=1, detail='topic 7, 1 results')]
    """
    if task is not None:
        check_choice("task", task, TASKS)
    faults = Faults(source_name(source), "skip")
    format, parts = _parse_run(source, faults)
    problems = [Problem(reason, line, text) for reason, line, text in faults.found]
    notes: list[str] = []
    if not isinstance(parts, NamedPassages):
        check = format.check or check_topics
        problems += check(parts, topics, limit, notes)
        return Validation(problems, notes, len(parts.topic), len(parts.topics), "", format.name)
    if parts.root is not None:
        problems += _check_topic_elements(parts.root)
    task = task or _TASK_NAMES.get("".join(filter(str.isalpha, parts.submission.get("task", "").lower())), "")
    if collection is not None:
        parts, absent = _resolve_paths(parts, collection)
        problems += _check_articles(parts.columns, collection)
        problems += _check_paths(parts, absent, collection)
        problems += _check_ends(parts.columns, collection, notes)
    elif any(parts.first):
        notes.append("element paths: not looked up, and passages between paths not checked for overlap (no collection)")
    problems += check_topics(parts.columns, topics, limit, notes)
    problems += _check_ranks(parts)
    if parts.root is None:
        notes += _note_divided_topics(parts.columns)
    problems += _check_task(parts, task)
    return Validation(problems, notes, len(parts.columns.topic), len(parts.columns.topics), task, format.name)


def _parse_run(source: Source, faults: Faults) -> tuple[Format, FolColumns | NamedPassages]:
    """Read a run as the file has it: (its format, its passages)."""
    with open_and_look(source) as (opened, head):
        format = tell_by_head(head, "run")
        if format.parse is None:
            message = f"a run in the format {format.name} holds whole articles, not passages; nothing to check"
            raise FormatError(message, file=faults.file)
        return format, format.parse(opened, faults)


def _check_topic_elements(root: etree._Element) -> Iterator[Problem]:
    lines: dict[str, int] = {}
    for topic in root.iter("topic"):
        name = (topic.get("topic-id") or "").strip()
        if name in lines:
            yield Problem("repeated topic", line_of(topic), f"topic {name} is also in line {lines[name]}")
        elif name:
            lines[name] = line_of(topic)
        if topic.find("result") is None:
            yield Problem("empty topic", line_of(topic), f"topic {name} has no results")
    declared = (root.get("result-type") or "").strip()
    allowed = _KINDS.get(declared, {"path", "passage", "fol"})
    for result in root.iter("result"):
        for place in result.iter("path", "passage", "fol"):
            if place.tag not in allowed:
                detail = f'<{place.tag}> in a run with result-type="{declared}"'
                yield Problem("result of another kind than the run's", line_of(result), detail)
                break


def _check_task(parts: NamedPassages, task: str) -> Iterator[Problem]:
    """Yield violations of the rules of a task; '' if nobody named one."""
    yield from _check_empty(parts, task)
    yield from _check_kinds(parts)
    yield from _check_duplicates_and_overlap(parts, overlap=task not in ("bic", "thorough"))
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
    for entry, count in zip(*_find_firsts(columns, columns.article), strict=True):
        if columns.articles[columns.article[entry]] not in sizes:
            yield Problem("unknown article", int(columns.line[entry]), f"{columns.name_entry(entry)}; {count} results")


def _find_firsts(columns: FolColumns, codes: Ints) -> tuple[list[int], list[int]]:
    """Find each code's first entry in the file, and count its entries."""
    order = np.argsort(columns.line, kind="stable")
    _, place, count = np.unique(codes[order], return_index=True, return_counts=True)
    return order[place].tolist(), count.tolist()


def _check_paths(parts: NamedPassages, absent: Ints, collection: ArticleCollection) -> Iterator[Problem]:
    sizes = article_sizes(parts.columns.articles, collection)
    columns = parts.columns
    for entry in absent.tolist():
        if columns.articles[columns.article[entry]] in sizes:
            detail = f"{columns.name_entry(entry)}: {show_path(parts, entry)}"
            yield Problem("a path that the article does not have", int(columns.line[entry]), detail)


def _note_divided_topics(columns: FolColumns) -> Iterator[str]:
    """Yield topics whose lines are not together, which the official evaluation tool mixes up."""
    divided = find_divided_topics(columns)
    if divided:
        topic, (_, line) = next(iter(divided.items()))
        example = f"topic {topic}, which goes on in line {line}"
        yield f"the lines of {len(divided)} topics are not together (first: {example})"


def _check_empty(parts: NamedPassages, task: str) -> Iterator[Problem]:
    """Yield passages without characters: entry points, which belong in best in context only."""
    columns = parts.columns
    for entry in np.flatnonzero((columns.start >= columns.end) & (columns.start >= 0)).tolist():
        is_backwards = columns.start[entry] > columns.end[entry]
        if is_backwards or task != "bic":
            kind = "a passage that ends before it starts" if is_backwards else "a passage without characters"
            yield Problem(kind, int(columns.line[entry]), f"{columns.name_entry(entry)}: {_show_passage(parts, entry)}")


def _check_ranks(parts: NamedPassages) -> Iterator[Problem]:
    """Yield ranks that do not rise. An XML run is read in the order of its ranks, so only equal ones can show."""
    columns = parts.columns
    if columns.rank is None:
        return
    order = np.argsort(columns.topic, kind="stable")
    before = order[:-1]
    after = order[1:]
    wrong = (columns.topic[before] == columns.topic[after]) & (columns.rank[after] <= columns.rank[before])
    if parts.result is not None:
        # A rank of -1 says that the topic has none.
        wrong &= columns.rank[after] >= 0
        # The passages of one result share its rank.
        wrong &= parts.result[before] != parts.result[after]
    for earlier, later in zip(before[wrong].tolist(), after[wrong].tolist(), strict=True):
        detail = f"{columns.name_entry(later)}: rank {columns.rank[later]} follows rank {columns.rank[earlier]}"
        yield Problem("rank out of order", int(columns.line[later]), detail)


def _check_kinds(parts: NamedPassages) -> Iterator[Problem]:
    paths = zip(parts.first, parts.last, strict=True)
    kinds = ["passage" if end_path or not path else "element" for path, end_path in paths]
    if len(set(kinds)) > 1:
        entry = kinds.index("element" if kinds[0] == "passage" else "passage")
        count = kinds.count("element")
        detail = f"{count} elements and {len(kinds) - count} passages; a run has the one or the other"
        yield Problem("elements and passages mixed", int(parts.columns.line[entry]), detail)


def _check_ends(columns: FolColumns, collection: ArticleCollection, notes: list[str]) -> Iterator[Problem]:
    placed = columns.take(np.flatnonzero((columns.start >= 0) & (columns.start <= columns.end)))
    unit = check_run_units(fol_frame(placed._replace(rank=None, score=None)), collection)
    notes.append(str(unit))
    sizes = article_sizes(columns.articles, collection)
    length = np.array([getattr(sizes.get(article), unit.unit, -1) for article in columns.articles], dtype=np.int64)
    limit = length[columns.article]
    for entry in np.flatnonzero((limit >= 0) & (columns.end > limit) & (columns.start < MISSING_START)).tolist():
        span = f"[{columns.start[entry]}, {columns.end[entry]})"
        detail = f"{columns.name_entry(entry)}: the passage {span} ends after the article's {limit[entry]} {unit.unit}"
        yield Problem("beyond the article's end", int(columns.line[entry]), detail)


def _check_duplicates_and_overlap(parts: NamedPassages, overlap: bool) -> Iterator[Problem]:
    """Yield passages of an article and topic that are equal or overlap; paths without offsets are compared as text."""
    columns = parts.columns
    for group in _group_by_article(columns):
        entries: dict[Place, int] = {}
        for entry in sorted(group, key=columns.line.__getitem__):
            earlier = entries.setdefault(_find_place(parts, entry), entry)
            if earlier != entry:
                shown = _show_passage(parts, entry)
                detail = f"{columns.name_entry(entry)}: {shown}, as in line {columns.line[earlier]}"
                yield Problem("duplicate", int(columns.line[entry]), detail)
        for pair in _find_overlaps(parts, list(entries.values())) if overlap else ():
            earlier, later = sorted(pair, key=columns.line.__getitem__)
            both = f"{_show_passage(parts, later)} overlaps {_show_passage(parts, earlier)}"
            detail = f"{columns.name_entry(later)}: {both} of line {columns.line[earlier]}"
            yield Problem("overlap", int(columns.line[later]), detail)


def _group_by_article(columns: FolColumns) -> Iterator[list[int]]:
    """Yield the entries of each topic and article that has more than one."""
    key = columns.topic * max(len(columns.articles), 1) + columns.article
    order = np.argsort(key, kind="stable")
    for entries in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
        if len(entries) > 1:
            yield entries.tolist()


def _find_place(parts: NamedPassages, entry: int) -> Place:
    columns = parts.columns
    if columns.start[entry] >= 0:
        return int(columns.start[entry]), int(columns.end[entry])
    return _split_path(parts.first[entry]), _split_path(parts.last[entry])


def _show_passage(parts: NamedPassages, entry: int) -> str:
    columns = parts.columns
    if columns.start[entry] >= 0:
        return f"[{columns.start[entry]}, {columns.end[entry]})"
    return show_path(parts, entry)


def _split_path(path: str) -> Steps:
    """Return the steps of a path, each with its number: `/article/sec[2]` is article[1], sec[2]."""
    return tuple(step if step.endswith("]") or "]." in step else f"{step}[1]" for step in path.split("/")[1:])


def _find_overlaps(parts: NamedPassages, entries: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of entries of one article that overlap: each with one that begins before it and reaches furthest."""
    columns = parts.columns
    filled = [entry for entry in entries if 0 <= columns.start[entry] < columns.end[entry]]
    reach = 0
    furthest = -1
    for start, minus_end, entry in sorted((int(columns.start[e]), -int(columns.end[e]), e) for e in filled):
        if start < reach:
            yield furthest, entry
        if -minus_end > reach:
            reach = -minus_end
            furthest = entry
    elements = [entry for entry in entries if columns.start[entry] < 0 and not parts.last[entry]]
    # The elements around the current one.
    ancestors: list[tuple[Steps, int]] = []
    for steps, entry in sorted((_split_path(parts.first[entry]), entry) for entry in elements):
        while ancestors and steps[: len(ancestors[-1][0])] != ancestors[-1][0]:
            ancestors.pop()
        if ancestors:
            yield ancestors[-1][1], entry
        ancestors.append((steps, entry))


def _check_interleaved(columns: FolColumns) -> Iterator[Problem]:
    order = np.argsort(columns.topic, kind="stable")
    ended: set[tuple[int, int]] = set()
    previous: tuple[int, int] | None = None
    for entry in order.tolist():
        key = int(columns.topic[entry]), int(columns.article[entry])
        if key != previous and key in ended:
            detail = f"{columns.name_entry(entry)}: other articles are between its passages"
            yield Problem("interleaved articles", int(columns.line[entry]), detail)
        ended.add(key)
        previous = key


def _check_several(columns: FolColumns) -> Iterator[Problem]:
    for group in _group_by_article(columns):
        second = sorted(group, key=columns.line.__getitem__)[1]
        detail = f"{columns.name_entry(second)}: {len(group)} passages; the task asks for one entry point"
        yield Problem("several parts of an article", int(columns.line[second]), detail)
