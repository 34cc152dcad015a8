"""Items: passages of one topic with one number are one thing that was retrieved, and are ranked as one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .columns import flatten
from .span_attributes import ALONE, PASSAGE_COLUMNS, read_numbers
from .spans import GroupedSpans, Ints, Spans, position_keys, sum_by, union


@dataclass(frozen=True, eq=False, repr=False)
class RunPassages:
    """The passages of a run frame; *around* and *items* have an entry per passage, or are None without the column."""

    spans: Spans
    around: Ints | None = None
    items: Ints | None = None

    def take(self, rows: Ints) -> RunPassages:
        """Return the passages of the given rows, which become rows 0, 1, 2 ... in that order."""
        row, taken = self.spans.find_rows(rows)
        _, start, end, score = self.spans
        spans = Spans(row, start[taken], end[taken], None if score is None else score[taken])
        around, items = (None if column is None else column[taken] for column in (self.around, self.items))
        return RunPassages(spans, around, items)

    @property
    def characters(self) -> int:
        """The characters of all passages, with those around them."""
        size = int((self.spans.end - self.spans.start).sum())
        return size if self.around is None else size + int(self.around.sum())


def read_passages(run: pd.DataFrame) -> RunPassages:
    """Read a run's passages, `around` and `items`; passages of one item that overlap in an article are merged."""
    spans = flatten(run["passages"], "passages", run)
    around, items = (read_numbers(run, column, spans) for column in PASSAGE_COLUMNS)
    if items is not None and np.all(items == ALONE):
        items = None
    return merge_passages(RunPassages(spans, around, items))


def merge_passages(passages: RunPassages) -> RunPassages:
    """Merge the passages of an item that overlap in one row; keep the best score and add up *around*.

    row    0         0          0          1                row    0          0          1
    span   [0, 100)  [80, 150)  [90, 200)  [5, 9)     ->    span   [0, 150)   [90, 200)  [5, 9)
    item   1         1          2          1                item   1          2          1
    """
    if passages.items is None:
        return passages
    row, start, end, score = passages.spans
    merged, piece = merge_items(row, passages.items, start, end)
    if len(merged.group) == len(row):
        return passages
    first = np.full(len(merged.group), len(row))
    np.minimum.at(first, piece, np.arange(len(row)))
    # in the order of the cells, by which passages without scores are ranked
    in_turn = np.argsort(first)
    best = None
    if score is not None:
        best = np.full(len(first), -np.inf)
        with np.errstate(invalid="ignore"):
            np.maximum.at(best, piece, score)
        best = best[in_turn]
    around = None if passages.around is None else sum_by(piece, passages.around, len(first))[in_turn]
    first = first[in_turn]
    spans = Spans(row[first], merged.start[in_turn], merged.end[in_turn], best)
    return RunPassages(spans, around, passages.items[first])


def merge_items(group: Ints, item: Ints, start: Ints, end: Ints) -> tuple[GroupedSpans, Ints]:
    """Merge the spans of a group and item that overlap: the merged spans, by group, and which one holds each span."""
    code = _number_items(item)
    # an entry point holds no character, so that it is merged with nothing
    single = np.flatnonzero(start == end)
    code[single] = len(item) + single
    stride = 2 * len(item) + 1
    key = group * stride + code
    merged = union(key, start, end, touching=False)
    keys, own = position_keys((merged.group, merged.start), (key, start)) if len(key) else (key, key)
    piece = np.searchsorted(keys, own, side="right") - 1
    # by group and start, so that the rows of a frame stay together in document order
    order = np.lexsort((merged.end, merged.start, merged.group // stride))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return GroupedSpans(merged.group[order] // stride, merged.start[order], merged.end[order]), place[piece]


def rank_items(topic: Ints, item: Ints) -> tuple[Ints, Ints]:
    """Move the passages of each item up to its best one: return their positions in that order, and their items.

    The passages are ranked, topic by topic (codes ascending); items are counted over all topics.

    topic  0  0  0  0  1        positions  0  2  1  3  4
    item   7  5  7  -  7   ->   items      0  0  1  2  3
    """
    if not len(item):
        return item, item
    _, first, code = np.unique(topic * (2 * len(item)) + _number_items(item), return_index=True, return_inverse=True)
    place = first[code.reshape(-1)]
    order = np.argsort(place, kind="stable")
    place = place[order]
    return order, np.cumsum(np.concatenate(([0], place[1:] != place[:-1])))


def _number_items(item: Ints) -> Ints:
    """Number the items from 0 to twice as many as there are; a passage without one is its own item."""
    code: Ints = np.unique(item, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.where(item == ALONE, len(item) + np.arange(len(item)), code)
