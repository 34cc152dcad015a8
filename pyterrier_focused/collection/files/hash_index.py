"""Indexes of docnos, titles and redirects: where each is, found by a hash of it; memory-mapped, whatever their size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import import_extra
from ...frames.spans import ranges
from ..sources.raw import Ints, Rejection
from .arrow_files import ArrowWriter, FileLayout, damaged, open_batches
from .shard import Shard
from .storage import StoragePath

if TYPE_CHECKING:
    from types import ModuleType

    from pyarrow import Schema


DOCNOS = "docnos.arrow"
TITLES = "titles.arrow"
ALIASES = "aliases.arrow"
TARGETS = "targets.arrow"
INDEXES = (DOCNOS, TITLES, ALIASES, TARGETS)

# Row in its shard, number of elements, what is said of it.
Duplicate = tuple[int, int, Rejection]
# The columns of the shards whose hashes are indexed.
_COLUMNS = {
    DOCNOS: ("articles", "hash"),
    TITLES: ("articles", "title_hash"),
    ALIASES: ("redirects", "alias_hash"),
    TARGETS: ("redirects", "target_hash"),
}


class HashIndex:
    """An opened index: the columns of hashes, sorted, and of the shards and rows that they stand for."""

    def __init__(self, folder: StoragePath, name: str, layout: FileLayout):
        (batch,) = open_batches(folder / name, _make_schema(import_extra("pyarrow", "retrieval")), layout)
        self.file = folder / name
        self._batch = batch
        self._hash = batch.unchecked_numbers("hash")

    def places(self, keys: Ints) -> Iterator[list[tuple[int, int]]]:
        """Yield, for each hash, all shards and rows that have it, in the order of the source; they may be damaged."""
        for key, start in zip(keys.tolist(), np.searchsorted(self._hash, keys).tolist(), strict=True):
            end = start
            while end < len(self._hash) and self._hash[end] == key:
                end += 1
            self._check_search(key, start, end)
            shards, rows = (self._batch.numbers(name, start, end).tolist() for name in ("shard", "row"))
            yield list(zip(shards, rows, strict=True))

    def _check_search(self, key: int, start: int, end: int) -> None:
        """Raise CollectionError if damaged hashes led the search astray: smaller ones come before, larger after."""
        first = max(start - 1, 0)
        # Reading the neighbours checks their blocks.
        around = self._batch.numbers("hash", first, min(end + 1, len(self._hash))).tolist()
        if (start > 0 and around[0] >= key) or (end < len(self._hash) and around[-1] <= key):
            raise damaged(self.file)


def write_indexes(folder: StoragePath, shards: int) -> tuple[dict[str, FileLayout], dict[int, list[Duplicate]]]:
    """Write the indexes of a collection, one after the other; returns their layouts.

    Of several articles of one docno the first is kept; returns the others too, by shard.
    """
    key, shard, row = _sort_hashes(folder, shards, DOCNOS)
    same = np.zeros(len(key) + 1, dtype=bool)
    same[1:-1] = key[1:] == key[:-1]
    twice = same[:-1] | same[1:]
    duplicates = _find_duplicates(folder, shard[twice], row[twice])
    gone = {(number, at) for number, entries in duplicates.items() for at, _, _ in entries}
    layouts = {DOCNOS: _write_index(folder, DOCNOS, *_leave_out(gone, key, shard, row))}
    del key, shard, row, same, twice
    layouts[TITLES] = _write_index(folder, TITLES, *_leave_out(gone, *_sort_hashes(folder, shards, TITLES)))
    for name in (ALIASES, TARGETS):
        layouts[name] = _write_index(folder, name, *_sort_hashes(folder, shards, name))
    return layouts, duplicates


def _sort_hashes(folder: StoragePath, shards: int, name: str) -> tuple[Ints, Any, Any]:
    """Return the hashes of a column of all shards, sorted, and the shard and row of each."""
    table, column = _COLUMNS[name]
    hashes = []
    counts = []
    for number in range(shards):
        batches = getattr(Shard(folder, number), table)
        hashes += [batch.column(column).to_numpy() for batch in batches]
        counts.append(sum(batch.num_rows for batch in batches))
    key: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *hashes])
    del hashes
    shard = np.repeat(np.arange(shards, dtype=np.int32), counts)
    row = ranges(np.zeros(shards, dtype=np.int64), np.array(counts, dtype=np.int64)).astype(np.int32)
    # Equal hashes stay in the order of the source.
    order = np.argsort(key, kind="stable")
    return key[order], shard[order], row[order]


def _leave_out(gone: set[tuple[int, int]], key: Ints, shard: Ints, row: Ints) -> tuple[Ints, Ints, Ints]:
    """Leave out places."""
    if not gone:
        return key, shard, row
    codes = np.array([number << 32 | at for number, at in gone], dtype=np.int64)
    kept = ~np.isin(shard.astype(np.int64) << 32 | row, codes)
    return key[kept], shard[kept], row[kept]


def _write_index(folder: StoragePath, name: str, key: Ints, shard: Ints, row: Ints) -> FileLayout:
    pa = import_extra("pyarrow", "retrieval")
    batch = pa.record_batch([pa.array(key), pa.array(shard), pa.array(row)], schema=_make_schema(pa))
    working = (folder / name).working()
    with ArrowWriter(working, batch.schema) as file:
        file.add(batch)
    working.move(folder / name)
    return file.layout()


def _find_duplicates(folder: StoragePath, shard: Ints, row: Ints) -> dict[int, list[Duplicate]]:
    """Among articles whose docnos have hashes in common, find those whose docno came before in the source."""
    found: dict[int, list[Duplicate]] = {}
    seen: set[str] = set()
    order = np.lexsort((row, shard))
    opened = None
    number = -1
    for at, inside in zip(shard[order].tolist(), row[order].tolist(), strict=True):
        if at != number or opened is None:
            opened = Shard(folder, at)
            number = at
        docno, size, file, position = (opened.value(inside, name) for name in ("docno", "elements", "file", "position"))
        if docno in seen:
            reason = Rejection(file, position, docno, "another article of this id came before it")
            found.setdefault(number, []).append((inside, size, reason))
        seen.add(docno)
    return found


def _make_schema(pa: ModuleType) -> Schema:
    return pa.schema([("hash", pa.int64()), ("shard", pa.int32()), ("row", pa.int32())])
