"""A run as the official INEX tool goes through it: its articles, their relevant text, and why it is rejected.

The tool has one rank and one list of articles, which begin again at the first line of a topic. A topic that goes on
after another one goes on with the other's rank and articles. Release 3.1 is followed in this; of release 1.0 that is
mended: each topic has its own.

    lines of topics  1 1 2 1      round  0 0 1 1  (mended: 0 0 1 0)
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...frames.columns import MISSING_START
from ...frames.packing import document_order
from ...frames.spans import GroupedSpans, Ints, novel, position_keys, sum_by
from ...reading.fields import first_codes
from .inex_files import ARTICLE, FIELDS, OVERLAP, SHIFT, SIZE, OfficialQrels, RunLines, RunRejected

Bools = NDArray[np.bool_]
# The characters of a passage that does not exist.
_MISSING_SIZE = 18


@dataclass(frozen=True)
class Options:
    """The options of the command line.

    `mended`: Errors of release 1.0 are put right, as pt_docs/inex_eval.md says.
    """

    task: Literal["t", "f", "r", "b", "i"]
    complete: bool
    detail: bool
    n: int
    beta: float
    irr: int
    release: Literal["1.0", "3.1"]
    mended: bool


class Groups(NamedTuple):
    """How the tool sees the articles of lines; a round is the list of articles that a line falls in.

    `article` is a code of round and article, `is_new` tells a line with which an article comes first, `opens` one whose
    article is not that of the line before, `rank` counts these in the round.
    """

    article: Ints
    is_new: Bools
    opens: Bools
    rank: Ints


def group_lines(lines: RunLines, mended: bool) -> Groups:
    n = len(lines.topic)
    is_first = np.zeros(n, dtype=bool)
    is_first[first_codes(lines.topic)[1]] = True
    round_ = lines.topic if mended else np.cumsum(is_first) - 1
    article, first = first_codes(round_ * max(len(lines.docnos), 1) + lines.article)
    is_new = np.zeros(n, dtype=bool)
    is_new[first] = True
    by_round = np.argsort(round_, kind="stable")
    opens = np.ones(n, dtype=bool)
    opens[by_round[1:]] = article[by_round[1:]] != article[by_round[:-1]]
    so_far = np.cumsum(opens[by_round])
    heads = np.searchsorted(round_[by_round], round_[by_round])
    rank = np.empty(n, dtype=np.int64)
    rank[by_round] = so_far - np.concatenate(([0], so_far))[heads]
    return Groups(article, is_new, opens, rank)


def find_divided(lines: RunLines) -> Ints:
    """Find the lines at which a topic goes on after another one, the first of each such topic."""
    begins = np.flatnonzero(np.diff(lines.topic, prepend=-1))
    again = begins[np.setdiff1d(np.arange(len(begins)), first_codes(lines.topic[begins])[1])]
    return again[np.sort(first_codes(lines.topic[again])[1])]


def find_fault(
    lines: RunLines, groups: Groups, qrels: OfficialQrels, options: Options, path: str
) -> tuple[int, Exception] | None:
    """Find the first line for which the tool rejects a run: (its position, the error with the tool's message)."""
    # The line, the step in it, and the error.
    faults: list[tuple[int, int, Exception]] = []

    def reject_line(line: int, reason: str) -> RunRejected:
        place = f"in topic {qrels.topics[lines.topic[line]]}\tarticle id: {lines.docnos[lines.article[line]]}"
        return RunRejected(f"ERROR *** ({path}) {reason} {place}\tin line: {lines.line[line]}")

    if lines.fault is not None:
        faults.append((len(lines.topic) - (lines.step > FIELDS), lines.step, lines.fault))
    if options.task in "bri":
        for line in np.flatnonzero(groups.opens & ~groups.is_new)[:1].tolist():
            message = str(reject_line(line, "article results are interleaved")).partition("\tin line")[0]
            advice = "\n\tinterleaved results not allowed in inContext tasks!"
            faults.append((line, ARTICLE, RunRejected(message + advice)))
    if options.task == "b":
        for line in np.flatnonzero(~groups.opens)[:1].tolist():
            faults.append((line, ARTICLE, reject_line(line, "multiple results from single article")))
    if options.task != "t":
        for line in _find_overlap(lines, groups.article, options.mended):
            faults.append((line, OVERLAP, reject_line(line, "passage overlaps with previously retrieved passages")))
    line, _, error = min(faults, key=lambda fault: fault[:2], default=(-1, 0, None))
    return None if error is None else (line, error)


def _find_overlap(lines: RunLines, article: Ints, mended: bool) -> list[int]:
    """Find the first line whose passage overlaps an earlier one of its article; none: []."""
    # Of a line that cannot be read to the end, only its size may be wrong.
    n = len(lines.topic) - (lines.step > FIELDS)
    is_there = lines.start[:n] < MISSING_START
    if mended:
        # An entry point may lie in an earlier passage, but no later one may cover or touch it.
        touching = _find_touched_points(lines, article, np.flatnonzero(is_there))
        is_there &= lines.start[:n] < lines.end[:n]
    else:
        touching = []
    kept = np.flatnonzero(is_there)
    low, high = 0, len(kept)
    if _has_overlap(lines, article, kept):
        # The first so many lines have an overlap, of which the last one is the first.
        while high - low > 1:
            middle = (low + high) // 2
            if _has_overlap(lines, article, kept[:middle]):
                high = middle
            else:
                low = middle
        touching.append(int(kept[high - 1]))
    elif lines.step == SIZE:
        same = kept[article[kept] == article[n]]
        if np.any((lines.start[same] < lines.end[n]) & (lines.end[same] > lines.start[n])):
            touching.append(n)
    return sorted(touching)[:1]


def _has_overlap(lines: RunLines, article: Ints, kept: Ints) -> bool:
    """Tell whether two of the passages overlap; entry points lie in a passage only between its ends."""
    if not len(kept):
        return False
    columns = (article[kept], lines.start[kept] + SHIFT, lines.end[kept] + SHIFT)
    group, start, end = (column[document_order(*columns)] for column in columns)
    start_key, end_key = position_keys((group, start), (group, end))
    return bool(np.any(start_key[1:] < np.maximum.accumulate(end_key)[:-1]))


def _find_touched_points(lines: RunLines, article: Ints, kept: Ints) -> list[int]:
    """Find the first passage that covers or touches an earlier entry point of its article."""
    is_point = lines.start[kept] == lines.end[kept]
    points: dict[int, list[int]] = {int(code): [] for code in article[kept[is_point]]}
    for line in kept[np.isin(article[kept], list(points))].tolist() if points else ():
        start = int(lines.start[line])
        end = int(lines.end[line])
        earlier = points[int(article[line])]
        if start == end:
            insort(earlier, start)
            continue
        nearest = bisect_left(earlier, start)
        if nearest < len(earlier) and earlier[nearest] <= end:
            return [line]
    return []


class OfficialRun(NamedTuple):
    """The lines of a run that the tool accepts: what each retrieved, and how the tool counts it.

    `judged` is a row of the qrels, -1 if the article is not judged; `size` and `found` count the characters and those
    that are relevant; `n_found` counts the relevant articles of the topic up to a line.
    """

    lines: RunLines
    groups: Groups
    qrels: OfficialQrels
    judged: Ints
    relevant_size: Ints
    size: Ints
    found: Ints
    n_found: Ints

    @classmethod
    def of(cls, lines: RunLines, groups: Groups, qrels: OfficialQrels, task: str) -> OfficialRun:
        judged = qrels.find(lines.topic, lines.docnos, lines.article)
        relevant_size = np.zeros(len(judged), dtype=np.int64)
        relevant_size[judged >= 0] = qrels.relevant_size[judged[judged >= 0]]
        is_there = lines.start < MISSING_START
        size = np.where(is_there, lines.end - lines.start, _MISSING_SIZE)
        relevant = np.flatnonzero((relevant_size > 0) & is_there)
        found = np.zeros(len(judged), dtype=np.int64)
        if task == "t":
            # Of a relevant article each character counts once.
            size[relevant_size > 0] = 0
            kept = np.flatnonzero(is_there)
            pieces = novel(groups.article[kept], lines.start[kept] + SHIFT, lines.end[kept] + SHIFT)
            line = kept[pieces.owner]
            new = np.flatnonzero(relevant_size[line] > 0)
            line = line[new]
            start = pieces.start[new]
            end = pieces.end[new]
            size += sum_by(line, end - start, len(size))
            found += sum_by(line, _count_relevant(judged[line], start, end, qrels.highlights), len(size))
        else:
            start = lines.start[relevant] + SHIFT
            found[relevant] = _count_relevant(judged[relevant], start, lines.end[relevant] + SHIFT, qrels.highlights)
        n_found = _sum_so_far(lines.topic, groups.is_new & (relevant_size > 0))
        return cls(lines, groups, qrels, judged, relevant_size, size, found, n_found)

    def sum_topics(self, values: Ints | Bools) -> Ints:
        return sum_by(self.lines.topic, values.astype(np.int64), len(self.qrels.topics))

    def add_up(self, values: Ints) -> Ints:
        """Return the running sums of a column of lines within each topic."""
        return _sum_so_far(self.lines.topic, values)


def _sum_so_far(topic: Ints, values: Ints | Bools) -> Ints:
    by_topic = np.argsort(topic, kind="stable")
    total = np.concatenate(([0], np.cumsum(values[by_topic], dtype=np.int64)))
    sums = np.empty(len(topic), dtype=np.int64)
    sums[by_topic] = total[1:] - total[np.searchsorted(topic[by_topic], topic[by_topic])]
    return sums


def _count_relevant(row: Ints, start: Ints, end: Ints, highlights: GroupedSpans) -> Ints:
    """Count the highlighted characters of spans in the articles of rows; highlights that overlap count twice."""
    if not len(row) or not len(highlights.group):
        return np.zeros(len(row), dtype=np.int64)
    begun = _sum_beyond(row, end, highlights.group, highlights.start)
    begun -= _sum_beyond(row, start, highlights.group, highlights.start)
    ended = _sum_beyond(row, end, highlights.group, highlights.end)
    return begun - ended + _sum_beyond(row, start, highlights.group, highlights.end)


def _sum_beyond(row: Ints, position: Ints, groups: Ints, edges: Ints) -> Ints:
    """Sum the distances to each position from the edges of its row that lie before it.

    Position 9 and the edges 2, 5 and 11: 7 + 4.
    """
    order = np.lexsort((edges, groups))
    key, edge_key, first_key = position_keys((row, position), (groups, edges), (row, np.zeros_like(position)))
    edge_key = edge_key[order]
    total = np.concatenate(([0], np.cumsum(edges[order])))
    first = np.searchsorted(edge_key, first_key)
    last = np.searchsorted(edge_key, key)
    sums: Ints = (last - first) * position - (total[last] - total[first])
    return sums


class Entries(NamedTuple):
    """The articles that the in-context tasks rank, topic by topic; `first` and `last` are the lines of each."""

    topic: Ints
    found: Ints
    size: Ints
    first: Ints
    last: Ints


def rank_articles(run: OfficialRun, options: Options, path: str, *, is_cut: bool) -> Entries:
    """Rank the articles of each topic: those that open, or, in divided topics, as the tool does.

    Raises RunRejected if a topic goes on where the tool stops. A run that *is_cut* is rejected for its next line.
    """
    topic = run.lines.topic
    groups = run.groups
    place = _sum_so_far(topic, groups.opens) - 1
    is_ranked = np.ones(len(topic), dtype=bool)
    stops: list[tuple[int, int]] = []
    divided = [] if options.mended else np.unique(topic[find_divided(run.lines)]).tolist()
    for code in divided:
        lines = np.flatnonzero(topic == code)
        stop = _place_divided(groups, lines, place, options.task)
        if stop < len(topic) or not is_cut:
            stops += [(stop, code)] if stop >= 0 else []
        is_ranked[lines] = place[lines] < groups.rank[lines[groups.opens[lines]][-1]]
    if stops:
        name = run.qrels.topics[min(stops)[1]]
        raise RunRejected(
            f"ERROR *** ({path}) the lines of topic {name} are not together, and its ranking goes on at the rank that "
            "another topic has reached, which stops the official tool"
        )
    rows = np.flatnonzero(is_ranked)
    key = topic[rows] * (len(topic) + 1) + place[rows]
    _, first, entry = np.unique(key, return_index=True, return_inverse=True)
    entry = entry.reshape(-1)
    last = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(last, entry, rows)
    found = sum_by(entry, run.found[rows], len(first))
    return Entries(topic[rows[first]], found, sum_by(entry, run.size[rows], len(first)), rows[first], last)


def _place_divided(groups: Groups, lines: Ints, place: Ints, task: str) -> int:
    """Place the lines of a topic in its ranking as the tool does, with the rank that another topic has reached.

    Returns the line at which the tool stops, a number beyond all lines if it stops at the end, -1 if it does not.
    """
    length = 0
    last_rank = 0
    line: int
    for line in lines.tolist():
        rank = int(groups.rank[line])
        if groups.opens[line]:
            last_rank = rank
        if task == "b" or rank != length:
            place[line] = length
            length += 1
        elif length < last_rank:
            return line
        else:
            place[line] = last_rank - 1
    return len(place) if length < last_rank else -1
