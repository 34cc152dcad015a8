"""The greedy choice of spans without overlap: the first of several that share a character stays."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from ..frames import Ints


def disjoint(group: Ints, start: Ints, end: Ints) -> np.ndarray:
    """Mark each span, in the order of the input, that shares no character with one marked before it in its group."""
    stays = np.ones(len(group), dtype=bool)
    pairs = _overlapping_pairs(group, start, end)
    if pairs is None:
        return _disjoint_one_by_one(group, start, end)
    better, worse = pairs
    for _ in range(32):
        if not len(better):
            return stays
        beaten = np.zeros(len(group), dtype=bool)
        beaten[worse] = True
        stays[worse[~beaten[better]]] = False  # a span that no living one beats stays, and those it beats go
        alive = stays[better] & stays[worse] & beaten[better]
        better, worse = better[alive], worse[alive]
    return _disjoint_one_by_one(group, start, end)


def _overlapping_pairs(group: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints] | None:
    """Return all pairs of overlapping spans, as (earlier, later) positions in the input; None where they are many."""
    n = len(group)
    if not n:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    stride = int(end.max()) + 1
    if stride * (int(group.max()) + 1) >= 2**62:
        return None
    opens, closes = group * stride + start, group * stride + end
    order = np.argsort(opens)
    begins, ends = opens[order], closes[order]
    reaching = np.flatnonzero(begins[1:] < ends[:-1])  # those that reach the next one
    inside = np.searchsorted(begins, ends[reaching]) - reaching - 1  # spans that begin within each, behind it
    total = int(inside.sum())
    if total > 4 * n:
        return None
    outer = np.repeat(reaching, inside)
    nth = np.arange(total) - np.repeat(np.cumsum(inside) - inside, inside)
    a, b = order[outer], order[outer + 1 + nth]
    return np.minimum(a, b), np.maximum(a, b)


def _disjoint_one_by_one(group: Ints, start: Ints, end: Ints) -> np.ndarray:
    """Do as `disjoint`, span after span: for texts where very many spans overlap each other."""
    kept: dict[int, tuple[list[int], list[int]]] = {}
    stays = []
    for code, first, last in zip(group.tolist(), start.tolist(), end.tolist(), strict=True):
        starts, ends = kept.setdefault(code, ([], []))
        at = bisect_right(ends, first)
        free = at == len(starts) or starts[at] >= last
        stays.append(free)
        if free:
            starts.insert(at, first)
            ends.insert(at, last)
    return np.array(stays, dtype=bool)
