"""The words of an article: numbered terms with their places, to count and to find phrases in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from string import ascii_letters, digits

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Ints
from ..engines.terms import Places, Words

_IS_LETTER_OR_DIGIT = np.array([chr(code) in ascii_letters + digits for code in range(128)])
_IS_SPACE = np.array([chr(code).isspace() for code in range(128)])
_LOWER_CASE = 0x20
_UNREAD = -1


class _SeparatedText:
    """A text in which elements that touch do not run into one word."""

    def __init__(self, text: str, seams: Ints):
        inside = seams[(seams > 0) & (seams < len(text))]
        self.text = "\n".join(text[first:last] for first, last in pairwise([0, *inside.tolist(), len(text)]))
        self._added = inside + np.arange(len(inside))

    def pieces(self, offset: Ints) -> Ints:
        """Return which piece of the text, between two seams, the offsets are in: how many characters were added."""
        return np.searchsorted(self._added, offset)


def read_words(text: str, seams: Ints, words: Words) -> Places:
    """Read the words of a text whose elements begin and end at *seams*."""
    separated = _SeparatedText(text, seams)
    places = words.places(separated.text)
    added = separated.pieces(places.start)
    return replace(places, start=places.start - added, end=places.end - added)


@dataclass(frozen=True)
class Phrase:
    """A phrase, the numbers of its terms, and the first letters of words that can have them; 0 for any letter."""

    text: str
    term: Ints
    initial: Ints


def read_phrase(text: str, words: Words) -> Phrase:
    """Read the words of a phrase."""
    places = words.places(text)
    initial = np.zeros_like(places.term)
    if words.language == "english":
        codes = np.array([ord(text[start]) for start in places.start.tolist()], dtype=np.int64)
        initial = np.where(codes < len(_IS_SPACE), codes | _LOWER_CASE, initial)
    return Phrase(text, places.term, initial)


class ArticleWords:
    """The words of an article in order, to find phrases in.

    A stemmer of English leaves the first letter of a word as it is, so only words that begin as those of a phrase are
    stemmed.
    """

    def __init__(self, text: str, seams: Ints, words: Words):
        self._words = words
        separated = _SeparatedText(text, seams)
        self._text = separated.text
        self._found: dict[str, tuple[Ints, Ints]] = {}
        # what is not in ASCII, white space too, is a question mark
        letters = np.frombuffer(self._text.encode("ascii", "replace"), dtype=np.uint8)
        chunks = _find_borders(~_IS_SPACE[letters])
        simple = _mark_simple(letters, chunks) & (words.language == "english")
        runs = _find_borders(_IS_LETTER_OR_DIGIT[letters] & _mark_chunks(chunks[np.repeat(simple, 2)], len(letters)))
        chunk, places = self._read_places(chunks[::2][~simple], chunks[1::2][~simple])
        order = np.argsort(np.concatenate((runs[::2], chunk)), kind="stable")
        self._start = np.concatenate((runs[::2], places.start))[order]
        self._end = np.concatenate((runs[1::2], places.end))[order]
        self._term = np.concatenate((np.full(len(runs) // 2, _UNREAD), places.term))[order]
        self._initial = letters[self._start] | _LOWER_CASE
        self._piece = separated.pieces(self._start)

    def __len__(self) -> int:
        return len(self._term)

    def find(self, phrase: Phrase) -> tuple[Ints, Ints]:
        """Return the (start, end) columns of the places at which the terms of a phrase stand together, in one piece."""
        if phrase.text not in self._found:
            self._found[phrase.text] = self._search_words(phrase)
        return self._found[phrase.text]

    def _search_words(self, phrase: Phrase) -> tuple[Ints, Ints]:
        more = max(len(phrase.term) - 1, 0)
        first = np.arange(max(len(self) - more, 0) if len(phrase.term) else 0)
        for number, (term, initial) in enumerate(zip(phrase.term.tolist(), phrase.initial.tolist(), strict=True)):
            rows = first + number
            possible = self._term[rows] == _UNREAD
            if initial:
                possible &= self._initial[rows] == initial
            first = first[possible | (self._term[rows] == term)]
        for number, term in enumerate(phrase.term.tolist()):
            self._read_terms(first + number)
            first = first[self._term[first + number] == term]
        first = first[self._piece[first] == self._piece[first + more]]
        last = first + more
        return self._start[first] - self._piece[first], self._end[last] - self._piece[last]

    def _read_places(self, begin: Ints, end: Ints) -> tuple[Ints, Places]:
        """Read the words of the chunks [begin, end); return the beginning of each one's chunk, and the places."""
        places = self._words.places(
            " ".join(self._text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True))
        )
        joined = np.cumsum(end - begin + 1) - (end - begin + 1)
        chunk = np.searchsorted(joined, places.start, side="right") - 1
        moved = (begin - joined)[chunk]
        return begin[chunk], replace(places, start=places.start + moved, end=places.end + moved)

    def _read_terms(self, rows: Ints) -> None:
        rows = rows[self._term[rows] == _UNREAD]
        if len(rows):
            bounds = zip(self._start[rows].tolist(), self._end[rows].tolist(), strict=True)
            self._term[rows] = self._words.places(" ".join(self._text[a:b] for a, b in bounds)).term


def _find_borders(inside: NDArray[np.bool_]) -> Ints:
    """Return the offsets at which runs of True begin and end: 1 0 1 1 has 0, 1, 2, 4."""
    return np.flatnonzero(np.diff(inside.view(np.int8), prepend=0, append=0))


def _mark_simple(letters: NDArray[np.uint8], chunks: Ints) -> NDArray[np.bool_]:
    """Mark the chunks (begin, end, begin, end, ...) whose words are their runs of ASCII letters and digits.

    The others have an apostrophe, may be abbreviations with dots, or are not in ASCII.

    letters  lamp oil. U.S.
    chunks   0, 4, 5, 9, 10, 14  ->  True, True, False
    """
    if not len(chunks):
        return np.zeros(0, dtype=bool)
    odd = (letters == ord("?")) | (letters == ord("'"))
    weight = np.append(2 * odd + (letters == ord(".")), 0)
    return np.add.reduceat(weight, chunks)[::2] < 2


def _mark_chunks(chunks: Ints, length: int) -> NDArray[np.bool_]:
    """Mark the characters of chunks: 1, 3 of a text of 5 is 0 1 1 0 0."""
    change = np.zeros(length + 1, dtype=np.int8)
    change[chunks[::2]] = 1
    change[chunks[1::2]] = -1
    return np.cumsum(change[:-1], dtype=np.int8).view(np.bool_)
