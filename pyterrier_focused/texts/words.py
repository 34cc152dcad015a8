"""Texts as words that can be compared: their letters, without accents and case, and where each word begins.

    text      The TV-set cost -3.50.      letters   thetvsetcost#-3.50      words begin at 0, 3, 5, 8 and 12

White space and punctuation are left out, as are soft hyphens and other signs that one does not see. A word with a
digit begins with "#" and keeps its sign and its decimal point. In scripts without blanks each character is a word.
"""

from __future__ import annotations

import unicodedata
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..frames.spans import Ints, Span

# This comes before a word with a digit: no letter is like it.
NUMBER = "#"

# Kinds of characters; all others end a word.
_LETTER = 1
_DIGIT = 2
# A character of a script without blanks.
_SINGLE = 4
# A mark that is not seen, or belongs to the letter before it, and apostrophes: the word goes on.
_HIDDEN = 8
_SINGLE_RANGES = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x9FFF),
    (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x20000, 0x3FFFF),
)  # fmt: skip
_APOSTROPHES = "'’ʼ＇\u2044"
_SIGNS = np.array([ord(sign) for sign in "+-−"], dtype=np.uint32)
_POINTS = np.array([ord(point) for point in ".,"], dtype=np.uint32)

_PLACE = np.uint64(0x9E3779B97F4A7C15)
_LETTER_OF_PLACE = np.uint64(0xC2B2AE3D27D4EB4F)
# Of each character met so far its kind (255: not met), and its letter, if it has just one; else 0.
_KINDS = np.full(0x110000, 255, dtype=np.uint8)
_LETTERS = np.zeros(0x110000, dtype=np.uint32)


class Words:
    """The words of a text: `letters`, the `offsets` of these in the text, and `bounds`, 1 where a word begins or ends.

    `bounds` has an entry more than `letters`, and is 1 at its ends.
    """

    def __init__(self, letters: str, offsets: Ints, bounds: bytes, is_reversed: bool = False):
        self.letters = letters
        self.offsets = offsets
        self.bounds = bounds
        self.is_reversed = is_reversed

    @cached_property
    def reversed(self) -> Words:
        return Words(self.letters[::-1], self.offsets[::-1], self.bounds[::-1], not self.is_reversed)

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A hash of each word, of its letters and their places in it."""
        starts = np.flatnonzero(np.frombuffer(self.bounds, dtype=np.uint8)[:-1])
        if not len(starts):
            return np.zeros(0, dtype=np.uint64)
        codes = np.frombuffer(self.letters.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
        place = np.arange(len(codes)) - np.repeat(starts, np.diff(np.append(starts, len(codes))))
        mixed = (codes + place.astype(np.uint64) * _PLACE) * _LETTER_OF_PLACE
        mixed ^= mixed >> np.uint64(29)
        hashes: NDArray[np.uint64] = np.add.reduceat(mixed * _PLACE, starts)
        return hashes

    def list_words(self, start: int, most: int) -> list[str]:
        """List the words from a bound on, *most* at the most."""
        words: list[str] = []
        while start < len(self.letters) and len(words) < most:
            end = self.bounds.find(1, start + 1)
            words.append(self.letters[start:end])
            start = end
        return words

    def list_bounds(self, start: int, end: int) -> list[int]:
        return [offset for offset in range(start, end + 1) if self.bounds[offset]]

    def count_words(self, start: int, end: int) -> int:
        return self.bounds.count(1, start, end)

    def count_letters(self, start: int, end: int) -> int:
        return end - start - self.letters.count(NUMBER, start, end)

    def find_span(self, start: int, end: int) -> Span:
        """Return the span in the text of the letters from *start* to *end*."""
        return int(self.offsets[start]), int(self.offsets[end - 1]) + 1


def split_words(text: str) -> Words:
    """Split a text into words.

    Example:
        >>> words = split_words("The TV-set cost -3.50.")
        >>> words.list_words(0, 9)
        ['the', 'tv', 'set', 'cost', '#-3.50']
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = _KINDS[codes]
    if (kinds == 255).any():
        _meet(codes[kinds == 255])
        kinds = _KINDS[codes]
    offsets = np.flatnonzero(kinds != _HIDDEN)
    codes = codes[offsets]
    kinds = kinds[offsets]
    is_letter = kinds & _LETTER > 0
    is_digit = kinds & _DIGIT > 0
    in_number = _find_signs_and_points(codes, is_letter, is_digit) if is_digit.any() else np.zeros(len(codes), bool)
    kept = np.flatnonzero(is_letter | in_number)
    # A word begins after a character that is left out, and at each character of a script without blanks.
    is_single = kinds[kept] & _SINGLE > 0
    begins = np.ones(len(kept), dtype=bool)
    begins[1:] = (np.diff(kept) > 1) | is_single[1:] | is_single[:-1]
    letters = np.where(in_number[kept], codes[kept], _LETTERS[codes[kept]])
    letters[letters == ord("−")] = ord("-")
    offsets = offsets[kept]
    if (letters == 0).any():
        letters, offsets, begins, kept = _expand(letters, offsets, begins, kept, codes)
    if is_digit.any():
        starts = np.flatnonzero(begins)
        numbers = starts[np.logical_or.reduceat(is_digit[kept], starts)]
        letters = np.insert(letters, numbers, ord(NUMBER))
        offsets = np.insert(offsets, numbers, offsets[numbers])
        begins = np.insert(begins, numbers, True)
        # The word begins with the mark now.
        begins[numbers + np.arange(len(numbers)) + 1] = False
    bounds = np.append(begins, True).astype(np.uint8).tobytes()
    return Words(letters.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass"), offsets, bounds)


def _find_signs_and_points(
    codes: NDArray[np.uint32], is_letter: NDArray[np.bool_], is_digit: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which characters are signs or decimal points of numbers."""
    before_digit = np.append(is_digit[1:], False)
    after_digit = np.append(False, is_digit[:-1])
    after_letter = np.append(False, is_letter[:-1])
    is_point = np.isin(codes, _POINTS)
    after_point = np.append(False, is_point[:-1])
    leading = (codes == ord(".")) & before_digit & ~after_letter & ~after_point
    point = (is_point & before_digit & after_digit) | leading
    sign = np.isin(codes, _SIGNS) & ~after_letter & (before_digit | np.append(leading[1:], False))
    found: NDArray[np.bool_] = point | sign
    return found


def _expand(
    letters: NDArray[np.uint32], offsets: Ints, begins: NDArray[np.bool_], kept: Ints, codes: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], Ints, NDArray[np.bool_], Ints]:
    """Put in the letters of characters that are several, such as ligatures."""
    several = np.flatnonzero(letters == 0)
    images = {code: fold_loosely(chr(code)) for code in np.unique(codes[kept[several]]).tolist()}
    counts = np.ones(len(letters), dtype=np.int64)
    counts[several] = [len(images[code]) for code in codes[kept[several]].tolist()]
    first = np.cumsum(counts) - counts
    expanded = np.repeat(letters, counts)
    for position in several.tolist():
        image = images[int(codes[kept[position]])]
        expanded[first[position] : first[position] + len(image)] = [ord(letter) for letter in image]
    begun = np.zeros(len(expanded), dtype=bool)
    begun[first] = begins
    return expanded, np.repeat(offsets, counts), begun, np.repeat(kept, counts)


def _meet(codes: NDArray[np.uint32]) -> None:
    for code in np.unique(codes).tolist():
        character = chr(code)
        image = fold_loosely(character)
        if image:
            is_digit = any(letter.isnumeric() and not letter.isalpha() for letter in image)
            is_single = not is_digit and any(first <= code <= last for first, last in _SINGLE_RANGES)
            _KINDS[code] = _LETTER | (_DIGIT if is_digit else 0) | (_SINGLE if is_single else 0)
            _LETTERS[code] = ord(image) if len(image) == 1 else 0
        else:
            is_hidden = character in _APOSTROPHES or unicodedata.category(character) in ("Mn", "Me", "Cf")
            _KINDS[code] = _HIDDEN if is_hidden else 0


def fold_loosely(character: str) -> str:
    """Fold a character for loose comparison: letters and digits, without accents and case; others are nothing."""
    plain = unicodedata.normalize("NFKD", character.casefold())
    return "".join(c for c in plain if c.isalnum())


def count_changes(word: str, other: str, most: int) -> int:
    """Count the letters to put in, leave out or replace to make one word of another; *most* + 1 if they are more."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(word, start=1):
        above = row
        row = [number]
        for column, other_letter in enumerate(other, start=1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (letter != other_letter)))
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
