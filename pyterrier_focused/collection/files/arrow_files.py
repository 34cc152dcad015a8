"""Arrow files that are opened by a layout kept elsewhere, so that a damaged file cannot crash Python.

JSON with a checksum says where each buffer lies; Arrow's own description of the file, which other readers of Arrow use,
is not read here. The JSON also has a checksum of each block of the file, which is compared when something in the block
is first read. The offsets of strings are checked besides.
"""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import Array, Buffer, RecordBatch, Schema

from ...errors import CollectionError
from .storage import StoragePath

# Types of a fixed number of bytes.
Numbers = NDArray[Any]

# Bytes that share a checksum.
BLOCK = 2**13


class FileLayout(NamedTuple):
    """The layout of a file.

    Attributes:
        size: its bytes.
        sha256: its checksum.
        batches: of each record batch how many rows it has, and (at, size) of each buffer.
        blocks: the CRC-32 of each block, as base64 of numbers of four bytes; "" in older collections.
    """

    size: int
    sha256: str
    batches: list[tuple[int, list[tuple[int, int]]]]
    blocks: str = ""

    @classmethod
    def from_json(cls, given: Any) -> FileLayout:
        return cls(*given)


class ArrowWriter:
    """Writes record batches to an Arrow file, and tells its layout; a context, and a stream for pyarrow."""

    def __init__(self, file: StoragePath, schema: Schema):
        self._stream = file.create()
        self._hash = hashlib.sha256()
        self._size = 0
        # The checksums of full blocks, and that of the block which is being written.
        self._checksums: list[int] = []
        self._checksum = 0
        self._batches: list[tuple[int, list[tuple[int, int]]]] = []
        self.closed = False
        self.rows = 0
        self._writer = pa.ipc.new_file(self, schema)

    def add(self, batch: RecordBatch) -> None:
        """Write a record batch without nulls."""
        self._writer.write_batch(batch)
        # The same bytes again, to see where the buffers are in them.
        message = batch.serialize()
        start = self._size - message.size
        read = pa.ipc.read_record_batch(message, batch.schema)
        buffers = [buffer for column in read.columns for buffer in column.buffers() if buffer is not None]
        offset = start - message.address
        places = [(offset + buffer.address if buffer.size else 0, buffer.size) for buffer in buffers]
        self._batches.append((batch.num_rows, places))
        self.rows += batch.num_rows

    def layout(self) -> FileLayout:
        """Return where everything is, once the file is closed."""
        last = [self._checksum] if self._size % BLOCK else []
        blocks = b64encode(np.array([*self._checksums, *last], dtype="<u4").tobytes()).decode()
        return FileLayout(self._size, self._hash.hexdigest(), self._batches, blocks)

    def write(self, data: Buffer) -> int:
        self._stream.write(data)
        self._hash.update(data)
        view = memoryview(data).cast("B")
        done = 0
        while done < len(view):
            piece = view[done : done + BLOCK - self._size % BLOCK]
            self._checksum = zlib.crc32(piece, self._checksum)
            self._size += len(piece)
            done += len(piece)
            if self._size % BLOCK == 0:
                self._checksums.append(self._checksum)
                self._checksum = 0
        return len(view)

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        self._stream.flush()

    def close(self) -> None:
        self._stream.close()
        self.closed = True

    def __enter__(self) -> ArrowWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()
        self.close()


def write_table(file: StoragePath, schema: Schema, columns: Iterable[Numbers]) -> FileLayout:
    """Write columns of numbers as a file of one record batch, and return its layout."""
    working = file.working()
    with ArrowWriter(working, schema) as writer:
        writer.add(pa.record_batch([pa.array(column) for column in columns], schema=schema))
    working.move(file)
    return writer.layout()


class CheckedBytes:
    """The bytes of a file, and which of its blocks have been compared with their checksums."""

    def __init__(self, file: StoragePath, data: Buffer, blocks: str):
        self.file = file
        self.data = memoryview(data)
        self._checksums = np.frombuffer(b64decode(blocks), dtype="<u4").tolist()
        self._is_checked = bytearray(len(self._checksums))

    def read_words(self, start: int, end: int) -> str:
        """Decode a checked range of bytes. Raises CollectionError if it is damaged."""
        try:
            return str(self.data[start:end], "utf-8")
        except UnicodeDecodeError as error:
            raise damaged(self.file) from error

    def check(self, start: int, end: int) -> None:
        """Compare blocks of a range of bytes that were not compared yet. Raises CollectionError for a damaged one."""
        # A collection may have none.
        if not self._checksums:
            return
        for block in range(start // BLOCK, -(-end // BLOCK)):
            if not self._is_checked[block]:
                if zlib.crc32(self.data[block * BLOCK : (block + 1) * BLOCK]) != self._checksums[block]:
                    raise damaged(self.file)
                self._is_checked[block] = 1


class CheckedColumn(NamedTuple):
    """A column of a record batch: its *numbers* or the beginnings of its strings, and where these are in the file."""

    array: Array
    numbers: Numbers
    numbers_at: int
    words_at: int = -1


class CheckedBatch:
    """A record batch; what is read of it is checked first. Each method raises CollectionError for damaged data."""

    def __init__(self, data: CheckedBytes, num_rows: int, columns: dict[str, CheckedColumn]):
        self.num_rows = num_rows
        self._data = data
        self._columns = columns

    def column(self, name: str) -> Array:
        column = self._columns[name]
        self.numbers(name, 0, len(column.numbers))
        if column.words_at >= 0:
            self._data.check(column.words_at, column.words_at + int(column.numbers[-1]))
        return column.array

    def numbers(self, name: str, first: int, last: int) -> Numbers:
        column = self._columns[name]
        size = column.numbers.itemsize
        self._data.check(column.numbers_at + first * size, column.numbers_at + last * size)
        return column.numbers[first:last]

    def unchecked_numbers(self, name: str) -> Numbers:
        """Return all numbers of a column as they are, for a search whose result is checked."""
        return self._columns[name].numbers

    def words(self, name: str, first: int, last: int) -> list[str]:
        column = self._columns[name]
        offsets = (self.numbers(name, first, last + 1) + column.words_at).tolist()
        self._data.check(offsets[0], offsets[-1])
        return [self._data.read_words(start, end) for start, end in pairwise(offsets)]

    def values(self, name: str) -> list[Any]:
        read = self.numbers if self._columns[name].words_at < 0 else self.words
        return list(read(name, 0, self.num_rows))

    def sizes(self, name: str, first: int, last: int) -> list[int]:
        sizes: list[int] = np.diff(self.numbers(name, first, last + 1)).tolist()
        return sizes

    def value(self, name: str, row: int) -> Any:
        column = self._columns[name]
        size = column.numbers.itemsize
        offset = column.numbers_at + row * size
        if column.words_at < 0:
            self._data.check(offset, offset + size)
            return int(column.numbers[row])
        self._data.check(offset, offset + 2 * size)
        start = column.words_at + int(column.numbers[row])
        end = column.words_at + int(column.numbers[row + 1])
        self._data.check(start, end)
        return self._data.read_words(start, end)


def open_batches(file: StoragePath, schema: Schema, layout: FileLayout) -> list[CheckedBatch]:
    """Open the record batches of a file, memory-mapped if it is local. Raises CollectionError for a damaged one."""
    entry = file.stat()
    if entry is None or entry.size != layout.size:
        difference = "it is missing" if entry is None else f"it has {entry.size:,} bytes of {layout.size:,}"
        raise CollectionError(f"{file}: {difference}; copy the collection again, or build it again into a new folder")
    # memory stays mapped when the file is closed: a collection has more shards than a process may have open files
    opened: Any
    with pa.memory_map(file.url) if file.is_local else file.open() as opened:
        data = opened.read_buffer() if file.is_local else pa.py_buffer(opened.read())
    checked = CheckedBytes(file, data, layout.blocks)
    return [_open_batch(checked, data, schema, rows, places) for rows, places in layout.batches]


def _open_batch(
    checked: CheckedBytes, data: Buffer, schema: Schema, rows: int, places: list[tuple[int, int]]
) -> CheckedBatch:
    remaining = iter(places)
    columns: dict[str, CheckedColumn] = {}
    for name, kind in zip(schema.names, schema.types, strict=True):
        start, size = next(remaining)
        held = data.slice(start, size)
        if pa.types.is_integer(kind):
            numbers: Any = np.frombuffer(held, dtype=kind.to_pandas_dtype(), count=rows)
            columns[name] = CheckedColumn(pa.Array.from_buffers(kind, rows, [None, held]), numbers, start)
            continue
        words_at, words_size = next(remaining)
        offsets: Any = np.frombuffer(
            held, dtype=np.int64 if pa.types.is_large_string(kind) else np.int32, count=rows + 1
        )
        if offsets[0] != 0 or offsets[-1] > words_size or np.any(offsets[1:] < offsets[:-1]):
            raise damaged(checked.file)
        array = pa.Array.from_buffers(kind, rows, [None, held, data.slice(words_at, words_size)])
        columns[name] = CheckedColumn(array, offsets, start, words_at)
    return CheckedBatch(checked, rows, columns)


def damaged(file: StoragePath) -> CollectionError:
    """Return the error that says that a file's content cannot be right."""
    return CollectionError(
        f"{file}: it is damaged; `pt-focused verify {file.parent}` lists what else is; copy or build it again"
    )
