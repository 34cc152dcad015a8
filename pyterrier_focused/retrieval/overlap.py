"""Which of overlapping parts stay, and which parts become one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import check_choice
from ..frames import Ints, make_ids
from .disjoint import disjoint
from .focused import Focused
from .in_context import RelevantInContext
from .parts import Parts, PartsTransformer, check_count, read_parts, rows_of


class RemoveOverlap(PartsTransformer):
    """Keep parts so that no two of one topic and article share a character.

    Input: a frame of parts (`qid`, `docno` = passage id, `score`). Output: the rows that stay, ranked anew.

    keep: 'best' walks down the ranking and keeps each part that shares nothing with one kept before; 'outer' does so
        from the longest part to the shortest, so that containers stay; 'inner' from the shortest to the longest. Among
        parts of one length the better ranked comes first.
    """

    def __init__(self, keep: str = "best"):
        check_choice("RemoveOverlap: keep", keep, ("best", "outer", "inner"))
        self.keep = keep

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Keep parts without overlap."""
        parts = read_parts(inp, self)
        return rows_of(inp, parts.take(self._stays(parts)))

    def fuse_right(self, right: pt.Transformer) -> pt.Transformer | None:
        """Leave it to a task that follows: it reads and ranks the parts once."""
        if self.keep == "best" and isinstance(right, Focused | RelevantInContext):
            return type(right)(**(right.settings() | {"overlap": "remove"}))
        return None

    def _stays(self, parts: Parts) -> np.ndarray:
        if self.keep == "best":
            return disjoint(parts.group, parts.start, parts.end)
        length = parts.end - parts.start
        order = np.argsort(length if self.keep == "inner" else -length, kind="stable")
        stays = np.empty(len(order), dtype=bool)
        stays[order] = disjoint(parts.group[order], parts.start[order], parts.end[order])
        return stays


class MergeAdjacent(PartsTransformer):
    """Make one part of parts of an article that overlap, touch, or lie at most *gap* characters apart.

    The merged part reaches from the first character to the last, gaps included, and takes the score and the foreign
    columns of its best part; a `text` column goes, for it would no longer be the part's.
    """

    def __init__(self, gap: int = 0):
        check_count(self, "gap", gap, 0)
        self.gap = gap

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Merge neighbouring parts."""
        parts = read_parts(inp, self)
        inside = np.lexsort((parts.end, parts.start, parts.group))
        group, start, end = parts.group[inside], parts.start[inside], parts.end[inside]
        reach = _running_end(group, end)
        opens = np.ones(len(group), dtype=bool)
        opens[1:] = (group[1:] != group[:-1]) | (start[1:] > reach[:-1] + self.gap)
        merged = np.cumsum(opens) - 1
        closes = np.append(opens[1:], [True])[: len(opens)]
        best = np.full(int(opens.sum()), len(opens))
        np.minimum.at(best, merged, inside)  # positions are ranks: the smallest is the best part
        order = np.argsort(best)
        chosen = parts.take(best[order])
        rows = rows_of(inp.drop(columns="text", errors="ignore"), chosen)
        rows["docno"] = make_ids(parts.names[chosen.group], start[opens][order], reach[closes][order])
        return rows


def _running_end(group: Ints, end: Ints) -> Ints:
    """Return the furthest end up to each span within its group; spans are sorted by group."""
    values, rank = np.unique(end, return_inverse=True)
    reach = np.maximum.accumulate(group * len(values) + rank)
    return values[reach % max(len(values), 1)]
