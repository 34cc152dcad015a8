"""Arrow files that are opened by a layout kept elsewhere, so that a damaged file cannot crash Python.

Where each buffer lies is kept in JSON that has a checksum; Arrow's own description of the file, which any other reader
of Arrow uses, is not read here. What remains to be checked are the offsets of strings: they must not lead astray.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import CollectionError, import_extra
from .storage import StoragePath


class FileLayout(NamedTuple):
    """A file's size in bytes, its checksum, and its record batches: how many rows, and (at, size) of each buffer."""

    size: int
    sha256: str
    batches: list[tuple[int, list[tuple[int, int]]]]

    @classmethod
    def from_json(cls, given: Any) -> FileLayout:
        """Make the layout of what JSON holds."""
        return cls(*given)


class ArrowWriter:
    """Writes record batches to an Arrow file, and tells its layout; a context, and a stream for pyarrow."""

    def __init__(self, file: StoragePath, schema: Any):
        self._pa = import_extra("pyarrow", "retrieval")
        self._stream = file.create()
        self._hash = hashlib.sha256()
        self._size = 0
        self._batches: list[tuple[int, list[tuple[int, int]]]] = []
        self.closed = False
        self.rows = 0  # written so far
        self._writer = self._pa.ipc.new_file(self, schema)

    def add(self, batch: Any) -> None:
        """Write a record batch without nulls."""
        self._writer.write_batch(batch)
        message = batch.serialize()  # the same bytes again, to see where the buffers are in them
        start = self._size - message.size
        read = self._pa.ipc.read_record_batch(message, batch.schema)
        buffers = [buffer for column in read.columns for buffer in column.buffers() if buffer is not None]
        offset = start - message.address
        places = [(offset + buffer.address if buffer.size else 0, buffer.size) for buffer in buffers]
        self._batches.append((batch.num_rows, places))
        self.rows += batch.num_rows

    def layout(self) -> FileLayout:
        """Return where everything is, once the file is closed."""
        return FileLayout(self._size, self._hash.hexdigest(), self._batches)

    def write(self, data: Any) -> int:
        self._stream.write(data)
        self._hash.update(data)
        self._size += len(data)
        return len(data)

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


def open_batches(file: StoragePath, schema: Any, layout: FileLayout) -> list[Any]:
    """Open the record batches of a file, memory-mapped if it is local. Raises CollectionError for a damaged one."""
    pa = import_extra("pyarrow", "retrieval")
    entry = file.stat()
    if entry is None or entry.size != layout.size:
        found = "it is missing" if entry is None else f"it has {entry.size:,} bytes of {layout.size:,}"
        raise CollectionError(f"{file}: {found}; copy the collection again, or build it again into a new folder")
    # what is mapped stays so when the file is closed: a collection has more shards than a process may have open files
    opened: Any
    with pa.memory_map(file.url) if file.is_local else file.open() as opened:
        data = opened.read_buffer() if file.is_local else pa.py_buffer(opened.read())
    return [_open_batch(file, data, schema, rows, places) for rows, places in layout.batches]


def _open_batch(file: StoragePath, data: Any, schema: Any, rows: int, places: Sequence[tuple[int, int]]) -> Any:
    pa = import_extra("pyarrow", "retrieval")
    buffers = iter([data.slice(at, size) for at, size in places])
    columns = []
    for kind in schema.types:
        held = [None, next(buffers)]
        if not pa.types.is_integer(kind):
            held.append(next(buffers))
            wide = np.int64 if pa.types.is_large_string(kind) else np.int32
            offsets: Any = np.frombuffer(held[1], dtype=wide, count=rows + 1)
            if offsets[0] != 0 or offsets[-1] > held[2].size or np.any(offsets[1:] < offsets[:-1]):
                raise damaged(file)
        columns.append(pa.Array.from_buffers(kind, rows, held))
    return pa.record_batch(columns, schema=schema)


def damaged(file: StoragePath) -> CollectionError:
    """Return the error that says that a file's content cannot be right."""
    return CollectionError(
        f"{file}: it is damaged; `pt-focused verify {file.parent}` lists what else is; copy or build it again"
    )
