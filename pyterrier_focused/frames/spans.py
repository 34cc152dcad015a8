"""Arithmetic on whole columns of half-open spans `[start, end)`.

Every function takes one entry per span: *group* says which text it lies in (a code >= 0, such as topic x article),
*start* and *end* are offsets in characters, all int64. Spans of different groups never meet. Cost is that of sorting.
A span with start == end holds nothing: it covers no character, shares none, and owns none.

    group  0      0      1
    start  3      9      0        text 0: ...xxxx..yyy    text 1: zzzzz
    end    7      12     5
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

# half-open
Span = tuple[int, int]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Spans(NamedTuple):
    """A column of spans as flat columns: span i lies in row `row[i]` of the frame; rows ascend.

    *row*, *start* and *end* are int64; *score* is float64, NaN if a span has none, and None if no span has one.
    """

    row: Ints
    start: Ints
    end: Ints
    score: Floats | None

    def take(self, rows: Ints) -> Spans:
        """Return the spans of the given rows, which become rows 0, 1, 2 ... in that order."""
        row, taken = self.find_rows(rows)
        score = None if self.score is None else self.score[taken]
        return Spans(row, self.start[taken], self.end[taken], score)

    def find_rows(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return for each span that `take` returns its new row, and its position here."""
        spans_per_row = np.bincount(self.row, minlength=int(rows.max(initial=-1)) + 1)
        first_span = np.cumsum(spans_per_row) - spans_per_row
        count = spans_per_row[rows]
        if np.all(count == 1):
            return np.arange(len(rows)), first_span[rows]
        return np.repeat(np.arange(len(rows)), count), ranges(first_span[rows], count)


class GroupedSpans(NamedTuple):
    """Spans as flat columns, each in the text of its group."""

    group: Ints
    start: Ints
    end: Ints


class OwnedSpans(NamedTuple):
    """Spans as flat columns, each owned by the span at the position `owner` of another list."""

    owner: Ints
    start: Ints
    end: Ints


class SharedSpans(NamedTuple):
    """What spans share with references: the positions of both, and the offsets of what they share."""

    span: Ints
    reference: Ints
    start: Ints
    end: Ints


def union(group: ArrayLike, start: ArrayLike, end: ArrayLike, *, touching: bool = True) -> GroupedSpans:
    """Merge the spans of each group that overlap or, unless *touching* is False, touch.

    The merged spans are sorted by group and start; no two of a group overlap (or touch).

        spans   [3, 6) [0, 4) [8, 9) in text 0, [0, 2) in text 1
        merged  [0, 6) [8, 9) in text 0, [0, 2) in text 1
    """
    group, start, end = _make_columns(group, start, end)
    if len(group) == 0:
        return GroupedSpans(group, start, end)
    order = _sort_spans(group, start)
    group = group[order]
    start = start[order]
    end = end[order]
    start_key, end_key = position_keys((group, start), (group, end))
    # keys grow with the group, so the furthest end never leaks into the next
    reach = np.maximum.accumulate(end_key)
    opens = np.ones(len(group), dtype=bool)
    opens[1:] = start_key[1:] > reach[:-1] if touching else start_key[1:] >= reach[:-1]
    first = np.flatnonzero(opens)
    return GroupedSpans(group[first], start[first], np.maximum.reduceat(end, first))


def union_sizes(group: ArrayLike, start: ArrayLike, end: ArrayLike, groups: int) -> Ints:
    """Count the characters of the union of each group's spans: int64, one entry for each code below *groups*."""
    group, start, end = union(group, start, end)
    return sum_by(group, end - start, groups)


def sum_by(key: Ints, values: Ints, n: int) -> Ints:
    """Sum whole numbers by key into an int64 array of length *n*, exactly; *key* and *values* are int64 of one length.

    bincount adds in floating point, which is exact only below 2**53.
    """
    if np.abs(values, dtype=np.float64).sum() < 2**53:
        return np.bincount(key, values, minlength=n).astype(np.int64)
    total = np.zeros(n, dtype=np.int64)
    np.add.at(total, key, values)
    return total


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> Floats:
    """Divide elementwise into float64, with 0 if the denominator is 0."""
    quotient = np.zeros(np.broadcast(numerator, denominator).shape)
    np.divide(numerator, denominator, out=quotient, where=np.asarray(denominator) != 0)
    return quotient


def ranges(first: Ints, count: Ints) -> Ints:
    """Concatenate integer ranges: starts [4, 2] with counts [2, 3] give [4, 5, 2, 3, 4]."""
    before = np.cumsum(count) - count
    numbers: Ints = np.arange(count.sum()) + np.repeat(first - before, count)
    return numbers


def coverage(
    group: ArrayLike, start: ArrayLike, end: ArrayLike, ref_group: ArrayLike, ref_start: ArrayLike, ref_end: ArrayLike
) -> Ints:
    """Count the characters that each span shares with the union of its group's reference spans: int64, one per span.

    spans       [2, 6) [8, 12) in text 0, [0, 4) in text 1
    references  [0, 4) [3, 9) in text 0, [1, 3) in text 1     shared  4 1 2
    """
    group, start, end = _make_columns(group, start, end)
    ref_group, ref_start, ref_end = union(ref_group, ref_start, ref_end)
    if len(group) == 0 or len(ref_group) == 0:
        return np.zeros(len(group), dtype=np.int64)
    key, start_key, end_key = position_keys((ref_group, ref_start), (group, start), (group, end))
    # reference characters before each reference
    before = np.concatenate(([0], np.cumsum(ref_end - ref_start)))

    def reference_before(position_key: Ints, position: Ints) -> Ints:
        # references that begin before the position
        behind = np.searchsorted(key, position_key)
        last = behind - 1
        same = (behind > 0) & (ref_group[last] == group)
        return before[behind] - np.where(same, np.maximum(ref_end[last] - position, 0), 0)

    return reference_before(end_key, end) - reference_before(start_key, start)


def intersections(
    group: ArrayLike, start: ArrayLike, end: ArrayLike, ref_group: ArrayLike, ref_start: ArrayLike, ref_end: ArrayLike
) -> SharedSpans:
    """List what each span shares with each reference span of its group, sorted by span and start.

    The references must be sorted by group and start, and no two of a group overlap, as `union` leaves them.

        spans       [2, 6) [8, 12) in text 0, [0, 4) in text 1
        references  [0, 4) [5, 9) in text 0, [1, 3) in text 1
        span        0 0 1 2     start  2 5 8 1
        reference   0 1 1 2     end    4 6 9 3
    """
    group, start, end = _make_columns(group, start, end)
    ref_group, ref_start, ref_end = _make_columns(ref_group, ref_start, ref_end)
    if len(group) == 0 or len(ref_group) == 0:
        empty = np.zeros(0, dtype=np.int64)
        return SharedSpans(empty, empty, empty, empty)
    first_key, last_key, start_key, end_key = position_keys(
        (ref_group, ref_start), (ref_group, ref_end), (group, start), (group, end)
    )
    # references that end at or before the start are out
    first = np.searchsorted(last_key, start_key, side="right")
    count = np.maximum(np.searchsorted(first_key, end_key) - first, 0)
    index = np.repeat(np.arange(len(group)), count)
    reference = ranges(first, count)
    return SharedSpans(
        index, reference, np.maximum(start[index], ref_start[reference]), np.minimum(end[index], ref_end[reference])
    )


def first_overlap(group: ArrayLike, start: ArrayLike, end: ArrayLike) -> tuple[int, int] | None:
    """Return the positions in the input of two spans of one group that share a character, or None."""
    group, start, end = _make_columns(group, start, end)
    filled = np.flatnonzero(start < end)
    if len(filled) < 2:
        return None
    order = filled[_sort_spans(group[filled], start[filled])]
    later = order[1:]
    earlier = order[:-1]
    # comparing neighbours is enough: if no span reaches the next one, none reaches a later one
    hits = np.flatnonzero((group[later] == group[earlier]) & (start[later] < end[earlier]))
    if len(hits) == 0:
        return None
    return int(earlier[hits[0]]), int(later[hits[0]])


def novel(group: ArrayLike, start: ArrayLike, end: ArrayLike) -> OwnedSpans:
    """Give each character to the first span, in the order of the input, that holds it.

    The new spans are sorted by owner, the position of the owning span in the input, and start. A span without a new
    character owns none; the new spans of a group are disjoint, and their union is the group's.

        spans  [3, 6) [0, 4) [2, 9)
        owner  0 1 2    start  3 0 6    end  6 3 9
    """
    group, start, end = _make_columns(group, start, end)
    filled = np.flatnonzero(start < end)
    group = group[filled]
    start = start[filled]
    end = end[filled]
    if len(group) == 0:
        return OwnedSpans(filled, start, end)
    cuts, inverse = np.unique(np.concatenate(position_keys((group, start), (group, end))), return_inverse=True)
    # a span covers the cells first..last-1 between cuts
    first = inverse[: len(group)]
    last = inverse[len(group) :]
    owner = _find_owners(first, last, len(cuts))
    # neighbouring cells of one owner are one piece
    edges = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1], [True])))
    pieces = np.flatnonzero(owner[edges[:-1]] < len(group))
    pieces = pieces[np.argsort(owner[edges[pieces]], kind="stable")]
    # of each cut in its own text
    offset = np.empty(len(cuts), dtype=np.int64)
    offset[first] = start
    offset[last] = end
    return OwnedSpans(filled[owner[edges[pieces]]], offset[edges[pieces]], offset[edges[pieces + 1]])


def difference(text: GroupedSpans, other: GroupedSpans) -> GroupedSpans:
    """Return what *text* holds and *other* does not, sorted and merged.

    text [0, 9), other [3, 5)  ->  [0, 3) [5, 9)
    """
    columns = [np.concatenate(pair) for pair in zip(other, text, strict=True)]
    owner, start, end = novel(*columns)
    own = owner >= len(other.group)
    return union(columns[0][owner[own]], start[own], end[own])


def _find_owners(first: Ints, last: Ints, cells: int) -> Ints:
    """Return the smallest position of a span that covers each cell; the number of spans if none does.

    A sparse table of minima: cost grows with spans + cells; a sweep with a heap took three times as long.

        spans  cells 1 to 3, 0 to 2, 2 to 5  ->  owner of the cells 0 to 4: 1 0 0 2 2
    """
    spans = len(first)
    owner = np.full(cells, spans, dtype=np.int64)
    width = last - first
    # the largest power of two within the span's width
    level = np.frexp(width.astype(np.float64))[1] - 1
    position = np.arange(spans)
    # each span is two blocks of 2**level cells; blocks are halved level by level, the smaller position winning
    for depth in range(int(level.max()), -1, -1):
        blocks = level == depth
        np.minimum.at(owner, first[blocks], position[blocks])
        np.minimum.at(owner, last[blocks] - (1 << depth), position[blocks])
        if depth:
            half = 1 << (depth - 1)
            halved = owner.copy()
            np.minimum(halved[half:], owner[:-half], out=halved[half:])
            owner = halved
    return owner


def _sort_spans(group: Ints, start: Ints) -> Ints:
    """Return the positions in order of group and start; without sorting if they are in order already."""
    if np.all((group[:-1] < group[1:]) | ((group[:-1] == group[1:]) & (start[:-1] <= start[1:]))):
        return np.arange(len(group))
    return np.lexsort((start, group))


def position_keys(*columns: tuple[Ints, Ints]) -> list[Ints]:
    """Make one number of each (group, position >= 0), comparable over all columns; no two groups share a number."""
    stride = max(int(position.max()) for _, position in columns) + 1
    groups = max(int(group.max()) for group, _ in columns) + 1
    if stride * groups < 2**62:
        return [group * stride + position for group, position in columns]
    # offsets or codes too large for one number: their ranks do as well
    _, group_rank = np.unique(np.concatenate([group for group, _ in columns]), return_inverse=True)
    values, rank = np.unique(np.concatenate([position for _, position in columns]), return_inverse=True)
    return np.split(group_rank * len(values) + rank, np.cumsum([len(group) for group, _ in columns])[:-1])


def _make_columns(group: ArrayLike, start: ArrayLike, end: ArrayLike) -> GroupedSpans:
    return GroupedSpans(*(np.asarray(column, dtype=np.int64) for column in (group, start, end)))
