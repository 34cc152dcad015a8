"""Indexes of docnos, titles and redirects by their hashes; memory-mapped, whatever their size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ...frames.spans import ranges
from ...reading.names import as_docno
from ..sources.raw import Ints, Rejection, hash_names
from ..sources.xml_files import strip_ending
from ..sources.xml_kinds import INEX
from .arrow_files import FileLayout, damaged, open_batches, write_table
from .shard import Shard, read_summary, rename_articles
from .storage import StoragePath

DOCNOS = "docnos.arrow"
TITLES = "titles.arrow"
ALIASES = "aliases.arrow"
TARGETS = "targets.arrow"
_TWICE = "another article of this id came before it"
_OF_ONE_NAME = "; --id-from path (id_from='path') tells files of one name apart"
INDEXES = (DOCNOS, TITLES, ALIASES, TARGETS)

# The columns of the shards whose hashes are indexed.
_COLUMNS = {
    DOCNOS: ("articles", "hash"),
    TITLES: ("articles", "title_hash"),
    ALIASES: ("redirects", "alias_hash"),
    TARGETS: ("redirects", "target_hash"),
}

_SCHEMA = pa.schema([("hash", pa.int64()), ("shard", pa.int32()), ("row", pa.int32())])


class Duplicate(NamedTuple):
    """An article whose docno came before: its row in its shard, its number of elements, and the reason to give."""

    row: int
    elements: int
    rejection: Rejection


class _IndexRows(NamedTuple):
    """The rows of an index, sorted by hash: hashes, and the shards and rows that they stand for."""

    hashes: Ints
    shards: Ints
    rows: Ints


class HashIndex:
    """An opened index: the columns of hashes, sorted, and of the shards and rows that they stand for."""

    def __init__(self, folder: StoragePath, name: str, layout: FileLayout):
        (batch,) = open_batches(folder / name, _SCHEMA, layout)
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
        """Raise CollectionError for damaged hashes: those before *start* must be less, those from *end* on greater."""
        first = max(start - 1, 0)
        # Reading the neighbours checks their blocks.
        around = self._batch.numbers("hash", first, min(end + 1, len(self._hash))).tolist()
        if (start > 0 and around[0] >= key) or (end < len(self._hash) and around[-1] <= key):
            raise damaged(self.file)


def write_indexes(folder: StoragePath, shards: int) -> tuple[dict[str, FileLayout], dict[int, list[Duplicate]]]:
    """Write all indexes; returns their layouts, and by shard the articles whose docno an earlier one has."""
    docnos = _sort_hashes(folder, shards, DOCNOS)
    duplicates = _find_duplicates(folder, docnos)
    gone = {(number, article.row) for number, articles in duplicates.items() for article in articles}
    layouts = {DOCNOS: write_table(folder / DOCNOS, _SCHEMA, _leave_out(gone, docnos))}
    del docnos
    for name in (TITLES, ALIASES, TARGETS):
        index = _sort_hashes(folder, shards, name)
        layouts[name] = write_table(folder / name, _SCHEMA, _leave_out(gone, index) if name == TITLES else index)
    return layouts, duplicates


def rename_duplicates(folder: StoragePath, shards: int) -> Iterator[tuple[str, str]]:
    """Name articles of XML that is not INEX's by their files if their ids came before; yield both, old and new."""
    kinds = {number: read_summary(folder, number).kinds.keys() for number in range(shards)}
    named = [number for number in kinds if kinds[number] - {INEX}]
    if not named:
        return
    index = _sort_hashes(folder, shards, DOCNOS)
    duplicates = _find_duplicates(folder, index)
    taken: set[str] = set()
    for number in sorted(duplicates.keys() & set(named)):
        shard = Shard(folder, number)
        files = shard.column("file")
        first = {file: row for row, file in reversed(list(enumerate(files)))}
        articles = Counter(files)
        renamed = {}
        for article in duplicates[number]:
            if INEX in kinds[number] and shard.element_columns(article.row)["tag"][0] == "article":
                continue
            file = article.rejection.file
            ending = f"-{article.row - first[file] + 1}" if articles[file] > 1 else ""
            names = (name for name in _propose_docnos(file, ending) if name not in taken and not _holds(index, name))
            renamed[article.row] = name = next(names)
            taken.add(name)
            yield article.rejection.id, name
        if renamed:
            rename_articles(folder, number, renamed)


def _propose_docnos(file: str, ending: str) -> Iterator[str]:
    path = strip_ending(as_docno(file))
    yield path.rpartition("/")[2] + ending
    yield path + ending
    yield as_docno(file) + ending
    for number in count(2):
        yield f"{path}{ending}-{number}"


def _holds(index: _IndexRows, docno: str) -> bool:
    (key,) = hash_names([docno]).tolist()
    place = int(np.searchsorted(index.hashes, key))
    return place < len(index.hashes) and int(index.hashes[place]) == key


def _sort_hashes(folder: StoragePath, shards: int, name: str) -> _IndexRows:
    table, column = _COLUMNS[name]
    hashes = []
    counts = []
    for number in range(shards):
        batches = Shard(folder, number).open_table(table)
        hashes += [batch.column(column).to_numpy() for batch in batches]
        counts.append(sum(batch.num_rows for batch in batches))
    key: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *hashes])
    del hashes
    shard: Any = np.repeat(np.arange(shards, dtype=np.int32), counts)
    row: Any = ranges(np.zeros(shards, dtype=np.int64), np.array(counts, dtype=np.int64)).astype(np.int32)
    # Equal hashes stay in the order of the source.
    order = np.argsort(key, kind="stable")
    return _IndexRows(key[order], shard[order], row[order])


def _leave_out(gone: set[tuple[int, int]], index: _IndexRows) -> _IndexRows:
    if not gone:
        return index
    codes = np.array([number << 32 | row for number, row in gone], dtype=np.int64)
    kept = ~np.isin(index.shards.astype(np.int64) << 32 | index.rows, codes)
    return _IndexRows(*(column[kept] for column in index))


def _find_duplicates(folder: StoragePath, docnos: _IndexRows) -> dict[int, list[Duplicate]]:
    """Among articles whose docnos have hashes in common, find those whose docno came before in the source."""
    same = np.zeros(len(docnos.hashes) + 1, dtype=bool)
    same[1:-1] = docnos.hashes[1:] == docnos.hashes[:-1]
    twice = same[:-1] | same[1:]
    shard = docnos.shards[twice]
    row = docnos.rows[twice]
    duplicates: dict[int, list[Duplicate]] = {}
    seen: set[str] = set()
    order = np.lexsort((row, shard))
    opened = None
    opened_number = -1
    for number, article in zip(shard[order].tolist(), row[order].tolist(), strict=True):
        if number != opened_number or opened is None:
            opened = Shard(folder, number)
            opened_number = number
        docno, size, file, position = (
            opened.value(article, name) for name in ("docno", "elements", "file", "position")
        )
        if docno in seen:
            is_name = f"/{docno}.xml" in f"/{file}"
            reason = Rejection(file, position, docno, f"{_TWICE}{_OF_ONE_NAME if is_name else ''}")
            duplicates.setdefault(opened_number, []).append(Duplicate(article, size, reason))
        seen.add(docno)
    return duplicates
