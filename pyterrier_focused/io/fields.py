"""Text of white-space separated fields, as numpy columns: where the fields are, their numbers, codes for their names.

Only well-formed text is taken: every function answers None (or False) where anything is out of the ordinary, and the
reader then goes line by line, which names what is wrong. Nothing here decides what an error is.

    bytes   2009001 Q0 12 ...\\n2009001 ...
    start   0       8  11                       offset of each field's first byte
    end     7       10 13                       and of the byte behind its last
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..spans import Ints

Words = NDArray[np.uint64]

_PAD = 8  # bytes before and after the text, so that a word of 8 bytes can be read at any field's first or last byte
_ONES = np.uint64(0x0101010101010101)
_ZEROS = np.uint64(0x3030303030303030)  # "00000000"
_TOP = np.uint64(0xF0F0F0F0F0F0F0F0)
_KEEP = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)  # the first n bytes of a word
FOREIGN_SPACE = re.compile("[^\\S \t\r\n]|[\x1c-\x1f]")  # white space of other scripts


class Fields(NamedTuple):
    """The fields of a text. *newline*: offsets of the line ends, one for each line."""

    text: bytes  # padded: offsets count from its first byte
    words: Words  # words[i]: the 8 bytes from i on, the first one lowest
    start: Ints
    end: Ints
    newline: Ints


def split_fields(data: bytes) -> Fields | None:
    """Find the fields of *data*: UTF-8, fields apart by blanks and tabs, lines by LF or CRLF; None for other text."""
    if not data.isascii():
        try:
            decoded = data.decode()
        except UnicodeDecodeError:
            return None
        if FOREIGN_SPACE.search(decoded):
            return None
    text = b"\n" * _PAD + data + b"\n" * _PAD
    array = np.frombuffer(text, dtype=np.uint8)
    white = array <= 32
    newline = np.flatnonzero(array == 10)
    others = np.count_nonzero(white) - len(newline) - np.count_nonzero(array == 32)
    if others:
        others -= data.count(b"\t") + data.count(b"\r")
        if data.count(b"\r") != data.count(b"\r\n"):
            return None
    if others or b"\x7f" in data:
        return None  # control characters
    edges = np.flatnonzero(white[1:] != white[:-1]) + 1
    words: NDArray[np.uint64] = np.ndarray(len(text) - 7, dtype="<u8", buffer=text, strides=(1,))
    ends = newline[_PAD : len(newline) - _PAD + (not data.endswith(b"\n"))]
    return Fields(text, words, edges[0::2], edges[1::2], ends)


def table(fields: Fields, width: int) -> tuple[list[Ints], list[Ints]] | None:
    """Lay the fields out as *width* columns of (starts), (ends); None unless every line has just that many."""
    start, end, newline = fields.start, fields.end, fields.newline
    if len(start) != width * len(newline):
        return None
    # every line's first field lies behind the line end before, and its last field before its own
    if not (np.all(start[width::width] > newline[:-1]) and np.all(end[width - 1 :: width] <= newline)):
        return None
    return (
        [np.ascontiguousarray(start[k::width]) for k in range(width)],
        [np.ascontiguousarray(end[k::width]) for k in range(width)],
    )


def whole_numbers(fields: Fields, start: Ints, end: Ints) -> Ints | None:
    """Read fields of 1 to 16 ASCII digits; None where one is anything else."""
    length = end - start
    if len(length) == 0:
        return np.zeros(0, dtype=np.int64)
    longest = length.max()
    if longest > 16 or length.min() < 1:
        return None
    low = _digits(fields, end, np.minimum(length, 8))
    if low is None or longest <= 8:
        return low
    high = _digits(fields, end - 8, np.maximum(length - 8, 0))
    return None if high is None else high * 100_000_000 + low


def are_decimals(fields: Fields, start: Ints, end: Ints) -> NDArray[np.bool_]:
    """Tell which fields are decimals of at most 24 bytes: a sign or none, digits, a point or none; no exponent."""
    length = end - start
    digits, points = np.zeros(len(start), dtype=np.int64), np.zeros(len(start), dtype=np.int64)
    for done in range(0, min(int(length.max(initial=0)), 24), 8):
        word = fields.words[np.minimum(start + done, len(fields.words) - 1)]
        inside = _KEEP[np.clip(length - done, 0, 8)]
        digits += _count(_is_digit(word) & inside)
        points += _count(_equals(word, ord(".")) & inside)
    first = fields.words[start] & np.uint64(0xFF)
    signs = ((first == ord("-")) | (first == ord("+"))).astype(np.int64)
    return (digits >= 1) & (points <= 1) & (digits + points + signs == length)


def name_codes(fields: Fields, start: Ints, end: Ints) -> tuple[Ints, list[str]] | None:
    """Number fields in order of appearance: (codes, names), names[code] the field; None where one has over 64 bytes."""
    length = end - start
    longest = int(length.max(initial=1))
    if longest > 64:
        return None
    parts = [
        fields.words[np.minimum(start + done, len(fields.words) - 1)] & _KEEP[np.clip(length - done, 0, 8)]
        for done in range(0, longest, 8)
    ]
    key = parts[0].copy()
    for part in parts[1:]:
        key = (key ^ (key >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15) + part
    code, first = first_codes(key)
    if len(parts) > 1 and any((part[first][code] != part).any() for part in parts):
        return None  # two names of one key
    # one row a name: its bytes, NUL up to the width of the longest, a line end
    rows = np.full((len(first), 8 * len(parts) + 1), ord("\n"), dtype=np.uint8)
    rows[:, :-1] = np.stack([part[first] for part in parts], axis=1).astype("<u8").view(np.uint8)
    return code, rows.tobytes().translate(None, b"\0").decode().split("\n")[:-1]


def first_codes(key: NDArray[Any]) -> tuple[Ints, Ints]:
    """Number keys in order of appearance: (code of each, position of each code's first)."""
    if len(key) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    head = np.concatenate(([True], key[1:] != key[:-1]))  # equal keys mostly stand together: sort one of each run
    heads = np.flatnonzero(head)
    order = np.argsort(key[heads])
    ordered = key[heads][order]
    new = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    first = np.minimum.reduceat(order, np.flatnonzero(new))
    by_appearance = np.argsort(first)
    number = np.empty_like(by_appearance)
    number[by_appearance] = np.arange(len(first))
    code = np.empty(len(heads), dtype=np.int64)
    code[order] = number[np.cumsum(new) - 1]
    return code[np.cumsum(head) - 1], heads[first[by_appearance]]


def _digits(fields: Fields, end: Ints, length: Ints) -> Ints | None:
    """Read the *length* <= 8 digits that end at *end*; none is 0."""
    # the word's last byte is the last digit; the bytes before the field become "0"
    shift = ((8 - length) * 8).astype(np.uint64)
    word = fields.words[end - 8]
    before = np.where(length == 0, ~np.uint64(0), (np.uint64(1) << shift) - np.uint64(1))
    word = (word & ~before) | (_ZEROS & before)
    if ((word & _TOP) != _ZEROS).any() or (((word + np.uint64(6) * _ONES) & _TOP) != _ZEROS).any():
        return None
    word = word - _ZEROS
    # neighbours are added up: 8 digits, 4 pairs, 2 fours, 1 number
    word = (word * np.uint64(10)) + (word >> np.uint64(8))
    mask = np.uint64(0x000000FF000000FF)
    pairs = (word & mask) * np.uint64(0x000F424000000064)
    fours = ((word >> np.uint64(16)) & mask) * np.uint64(0x0000271000000001)
    return ((pairs + fours) >> np.uint64(32)).astype(np.int64)


def _is_digit(word: Words) -> Words:
    """A word with the low bit of each byte set where *word* has a digit; bytes beyond ASCII are none."""
    low = word & np.uint64(0x7F7F7F7F7F7F7F7F)
    at_least_0 = low + np.uint64(0x80 - 0x30) * _ONES
    above_9 = low + np.uint64(0x80 - 0x3A) * _ONES
    return ((at_least_0 & ~above_9 & ~word) >> np.uint64(7)) & _ONES


def _equals(word: Words, byte: int) -> Words:
    """A word with the low bit of each byte set where *word* has the ASCII *byte*."""
    differ = word ^ (np.uint64(byte) * _ONES)
    low = np.uint64(0x7F7F7F7F7F7F7F7F)
    return (~(((differ & low) + low) | differ) >> np.uint64(7)) & _ONES


def _count(flags: Words) -> Any:
    return ((flags * _ONES) >> np.uint64(56)).astype(np.int64)
