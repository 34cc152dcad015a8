"""Removal of overlapping parts, and merging of neighbours."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import pandas as pd

from ...errors import check_choice
from ...frames.ids import make_ids
from ...frames.items import merge_items
from ...frames.packing import Parts
from ...frames.span_attributes import AROUND, ITEMS, read_row_numbers
from ...frames.spans import Ints, ranges, sum_by
from ..transformer import PartsTransformer, check_count, read_parts, rows_of

# The ways in which a task treats parts that overlap.
OVERLAP = ("remove", "error", "allow")


class RemoveOverlap(PartsTransformer):
    """Keep parts so that no two of one topic and article share a character.

    Input: a frame of parts (`qid`, `docno` = passage id, `score`). Output: the rows that stay, ranked again.

    Args:
        keep: 'best' walks down the ranking and keeps each part that shares nothing with one kept before; 'outer' does
            so from the longest part to the shortest, so that containers stay; 'inner' from the shortest to the longest.
            Among parts of one length the better ranked comes first.

    Example:
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#0-80", "7#20-40", "7#90-99"], "score": [3.0, 2.0, 1.0]})
        >>> RemoveOverlap()(parts)["docno"].tolist()
        ['7#0-80', '7#90-99']
        >>> RemoveOverlap("inner")(parts)["docno"].tolist()
        ['7#20-40', '7#90-99']
    """

    def __init__(self, keep: str = "best"):
        check_choice("RemoveOverlap: keep", keep, ("best", "outer", "inner"))
        self.keep = keep

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        parts = read_parts(inp, self)
        return rows_of(inp, remove_overlap(inp, parts, self.keep))


class MergeAdjacent(PartsTransformer):
    """Merge parts of an article that overlap, touch, or lie at most *gap* characters apart.

    The merged part reaches from the first character to the last, gaps included, and takes the score and the foreign
    columns of its best part; a `text` column goes, for it would no longer be the part's, and `around` is summed.

    Args:
        gap: The most characters between two parts that are merged.

    Example:
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#0-80", "7#82-90"], "score": [3.0, 2.0]})
        >>> MergeAdjacent(gap=2)(parts)["docno"].tolist()
        ['7#0-90']
    """

    def __init__(self, gap: int = 0):
        check_count(self, "gap", gap, 0)
        self.gap = gap

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Merge neighbouring parts."""
        parts = read_parts(inp, self)
        inside = np.lexsort((parts.end, parts.start, parts.group))
        group = parts.group[inside]
        start = parts.start[inside]
        end = parts.end[inside]
        reach = _reach_so_far(group, end)
        opens = np.ones(len(group), dtype=bool)
        opens[1:] = (group[1:] != group[:-1]) | (start[1:] > reach[:-1] + self.gap)
        merged = np.cumsum(opens) - 1
        closes = np.append(opens[1:], [True])[: len(opens)]
        best = np.full(int(opens.sum()), len(opens))
        # Positions are ranks: the smallest is the best part.
        np.minimum.at(best, merged, inside)
        order = np.argsort(best)
        chosen = parts.take(best[order])
        rows = rows_of(inp.drop(columns="text", errors="ignore"), chosen)
        rows["docno"] = make_ids(parts.names[chosen.group], start[opens][order], reach[closes][order])
        around = read_row_numbers(inp, AROUND)
        if around is not None:
            rows["around"] = sum_by(merged, around[parts.row[inside]], len(best))[order]
        return rows


def remove_overlap(frame: pd.DataFrame, parts: Parts, keep: str = "best") -> Parts:
    """Remove overlap as `RemoveOverlap` does; overlapping parts of one item stay or go together."""
    group = parts.group
    start = parts.start
    end = parts.end
    items = read_row_numbers(frame, ITEMS)
    piece = np.arange(len(group))
    if items is not None:
        (group, start, end), piece = merge_items(group, items[parts.row], start, end)
    best = np.full(len(group), len(piece))
    np.minimum.at(best, piece, np.arange(len(piece)))
    length = {"best": np.zeros_like(start), "outer": start - end, "inner": end - start}[keep]
    order = np.lexsort((best, length))
    stays = np.empty(len(order), dtype=bool)
    stays[order] = disjoint(group[order], start[order], end[order])
    return parts.take(stays[piece])


def _reach_so_far(group: Ints, end: Ints) -> Ints:
    """Return the furthest end up to each span within its group; spans are sorted by group.

    group  0   0   0   1
    end    40  20  60  10
    reach  40  40  60  10
    """
    values, rank = np.unique(end, return_inverse=True)
    reach: Ints = values[np.maximum.accumulate(group * len(values) + rank) % len(values)]
    return reach


def disjoint(group: Ints, start: Ints, end: Ints) -> np.ndarray:
    """Mark each span, in the order of the input, that shares no character with one marked before it in its group.

    group  0       0        0        1
    span   [0, 9)  [5, 20)  [9, 12)  [5, 20)
    stays  True    False    True     True
    """
    stays = np.ones(len(group), dtype=bool)
    filled = np.flatnonzero(start < end)
    # Entry points hold no character, so they overlap nothing.
    if len(filled) < len(start):
        stays[filled] = disjoint(group[filled], start[filled], end[filled])
        return stays
    pairs = _find_overlapping_pairs(group, start, end)
    if pairs is None:
        return _mark_disjoint_one_by_one(group, start, end)
    better, worse = pairs
    for _ in range(32):
        if not len(better):
            return stays
        beaten = np.zeros(len(group), dtype=bool)
        beaten[worse] = True
        # A remaining span that no other one beats is kept, and those that it beats are removed.
        stays[worse[~beaten[better]]] = False
        alive = stays[better] & stays[worse] & beaten[better]
        better = better[alive]
        worse = worse[alive]
    return _mark_disjoint_one_by_one(group, start, end)


def _find_overlapping_pairs(group: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints] | None:
    """Return all pairs of overlapping spans, as (earlier, later) positions in the input; None if they are many.

    The spans [0, 9), [5, 20), [9, 12) of one group have the pairs (0, 1) and (1, 2).
    """
    n = len(group)
    if not n:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    # No span is empty, so all begin before it.
    stride = int(end.max())
    if stride * (int(group.max()) + 1) >= 2**62:
        return None
    opens = group * stride + start
    closes = group * stride + end
    order = np.argsort(opens)
    begins = opens[order]
    ends = closes[order]
    # Those that reach the next one.
    reaching = np.flatnonzero(begins[1:] < ends[:-1])
    # The number of spans that begin within each, after it.
    inside = np.searchsorted(begins, ends[reaching]) - reaching - 1
    if inside.sum() > 4 * n:
        return None
    outer = order[np.repeat(reaching, inside)]
    inner = order[ranges(reaching + 1, inside)]
    return np.minimum(outer, inner), np.maximum(outer, inner)


def _mark_disjoint_one_by_one(group: Ints, start: Ints, end: Ints) -> np.ndarray:
    """Do as `disjoint`, span after span: for texts in which very many spans overlap each other."""
    kept: dict[int, tuple[list[int], list[int]]] = {}
    stays = []
    for code, first, last in zip(group.tolist(), start.tolist(), end.tolist(), strict=True):
        starts, ends = kept.setdefault(code, ([], []))
        place = bisect_right(ends, first)
        is_free = place == len(starts) or starts[place] >= last
        stays.append(is_free)
        if is_free:
            starts.insert(place, first)
            ends.insert(place, last)
    return np.array(stays, dtype=bool)
