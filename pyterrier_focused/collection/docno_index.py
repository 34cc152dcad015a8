"""The index of docnos: where each article is, found by a hash of its docno; memory-mapped, whatever its size."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import import_extra
from .arrow_files import ArrowWriter, FileLayout, open_batches
from .parsed_articles import Ints, Rejection
from .shard import Shard
from .storage import StoragePath

INDEX = "docnos.arrow"

Duplicate = tuple[int, int, Rejection]  # row in its shard, how many elements, what is said of it


def write_index(folder: StoragePath, shards: int) -> tuple[FileLayout, dict[int, list[Duplicate]]]:
    """Write the hashes of all docnos, sorted, with the shards and rows of their articles; returns the file's layout.

    Of several articles of one docno the first is kept; returns the others too, by shard.
    """
    pa = import_extra("pyarrow", "retrieval")
    hashes, counts = [], []
    for number in range(shards):
        batches = Shard(folder, number).articles
        hashes += [batch.column("hash").to_numpy() for batch in batches]
        counts.append(sum(batch.num_rows for batch in batches))
    key: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *hashes])
    del hashes
    shard = np.repeat(np.arange(shards, dtype=np.int32), counts)
    row = (np.arange(len(key)) - np.repeat(np.cumsum([0, *counts[:-1]])[:shards], counts)).astype(np.int32)
    order = np.argsort(key, kind="stable")  # articles of one hash stay in the order of the source
    key, shard, row = key[order], shard[order], row[order]
    same = np.zeros(len(key) + 1, dtype=bool)
    same[1:-1] = key[1:] == key[:-1]
    twice = same[:-1] | same[1:]
    duplicates = _duplicates(folder, shard[twice], row[twice])
    if duplicates:
        gone = {(number, at) for number, entries in duplicates.items() for at, _, _ in entries}
        kept = np.ones(len(key), dtype=bool)
        places = zip(shard[twice].tolist(), row[twice].tolist(), strict=True)
        kept[np.flatnonzero(twice)] = [place not in gone for place in places]
        key, shard, row = key[kept], shard[kept], row[kept]
    batch = pa.record_batch([pa.array(key), pa.array(shard), pa.array(row)], schema=_schema(pa))
    working = (folder / INDEX).working()
    with ArrowWriter(working, batch.schema) as file:
        file.add(batch)
    working.move(folder / INDEX)
    return file.layout(), duplicates


def _duplicates(folder: StoragePath, shard: Any, row: Any) -> dict[int, list[Duplicate]]:
    """Among articles whose docnos have hashes in common, find those whose docno came before in the source."""
    found: dict[int, list[Duplicate]] = {}
    seen: set[str] = set()
    order = np.lexsort((row, shard))
    opened, number = None, -1
    for at, inside in zip(shard[order].tolist(), row[order].tolist(), strict=True):
        if at != number or opened is None:
            opened, number = Shard(folder, at), at
        docno, size, file, position = (opened.value(inside, name) for name in ("docno", "elements", "file", "position"))
        if docno in seen:
            reason = Rejection(file, position, docno, "another article of this id came before it")
            found.setdefault(number, []).append((inside, size, reason))
        seen.add(docno)
    return found


def read_index(folder: StoragePath, layout: FileLayout) -> tuple[Ints, Any, Any]:
    """Open the index: the columns of hashes, shards and rows. Raises CollectionError where it is damaged."""
    (batch,) = open_batches(folder / INDEX, _schema(import_extra("pyarrow", "retrieval")), layout)
    return tuple(batch.column(name).to_numpy() for name in ("hash", "shard", "row"))


def _schema(pa: Any) -> Any:
    return pa.schema([("hash", pa.int64()), ("shard", pa.int32()), ("row", pa.int32())])
