"""bzip2 block by block: any range of a file is read by itself, and a broken block costs no other.

A bzip2 file is made of blocks of up to 900 kB of text that begin at any bit, each after a mark of 48 bits and with a
checksum of its own, in one stream or in many. So the blocks that begin in a range of the file can be found by their
marks and unpacked each as a small file. Whether a dump is one stream, a multistream dump, or made by a parallel packer
makes no difference.
"""

from __future__ import annotations

import bz2
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

# The marks of a block and of the end of a stream.
BLOCK = 0x314159265359
FOOTER = 0x177245385090
# Bytes: blocks of 900 kB take up to a little more when they are packed.
MAX_BLOCK = 2**21
_WINDOW = 2**20


class Bz2Block(NamedTuple):
    """A block's bytes, unpacked, or why there are none; *at* is the byte of the file it begins in, *end* it ends in."""

    at: int
    end: int
    data: bytes
    error: str = ""


def blocks(file: BinaryIO, start: int) -> Iterator[Bz2Block]:
    """Yield the blocks of a bzip2 file whose marks begin at byte *start* or after it."""
    # The bit at which a block begins whose end has not been seen.
    held: int | None = None
    window = _Window(file, start)
    for bit, is_block in window.marks():
        if held is not None:
            yield _unpack_block(window, held, bit)
        held = bit if is_block else None
        window.forget(bit // 8)
    if held is not None:
        yield Bz2Block(held // 8, -1, b"", "the file ends within compressed data")


def _unpack_block(window: _Window, start: int, stop: int) -> Bz2Block:
    if stop - start > 8 * MAX_BLOCK:
        return Bz2Block(start // 8, stop // 8, b"", "compressed data without blocks")
    bits = window.bits(start, stop)
    checksum = bits >> max(stop - start - 80, 0) & 0xFFFFFFFF
    bits = bits << 80 | FOOTER << 32 | checksum
    size = stop - start + 80
    padding = -size % 8
    packed = b"BZh9" + (bits << padding).to_bytes((size + padding) // 8, "big")
    try:
        return Bz2Block(start // 8, stop // 8, bz2.decompress(packed))
    except (OSError, ValueError) as error:
        return Bz2Block(start // 8, stop // 8, b"", f"broken compressed data: {error}")


class _Window:
    """The bytes of a file from somewhere on, as far as they are needed."""

    def __init__(self, file: BinaryIO, start: int):
        self._file = file
        self._data = b""
        # The byte of the file at which the data begins, and the first that is still needed.
        self._at = self._kept = start
        file.seek(start)

    def marks(self) -> Iterator[tuple[int, bool]]:
        """Yield the bit at which each mark begins, and whether it is that of a block, in order."""
        done = self._at
        while more := self._file.read(_WINDOW):
            if self._kept > self._at:
                self._data = self._data[self._kept - self._at :]
                self._at = self._kept
            self._data += more
            # Marks that begin before `stop` are here as a whole.
            stop = self._at + len(self._data) - 7
            yield from self._find_marks(done, stop)
            done = max(done, stop)
            # No block is longer.
            self._kept = max(self._kept, done - MAX_BLOCK - 1)
        yield from self._find_marks(done, self._at + len(self._data))

    def forget(self, byte: int) -> None:
        self._kept = byte

    def bits(self, start: int, stop: int) -> int:
        last = -(-stop // 8)
        number = int.from_bytes(self._data[start // 8 - self._at : last - self._at], "big")
        return (number >> (8 * last - stop)) & ((1 << (stop - start)) - 1)

    def _find_marks(self, start: int, stop: int) -> list[tuple[int, bool]]:
        marks = []
        for mark in (BLOCK, FOOTER):
            for shift in range(8):
                # The bytes that the mark fills as a whole.
                inner = (mark << (8 - shift)).to_bytes(7, "big")[1:6]
                byte = self._data.find(inner, start - self._at + 1)
                while 0 <= byte - 1 < stop - self._at:
                    bit = 8 * (self._at + byte - 1) + shift
                    if self.bits(bit, bit + 48) == mark:
                        marks.append((bit, mark == BLOCK))
                    byte = self._data.find(inner, byte + 1)
        return sorted(marks)
