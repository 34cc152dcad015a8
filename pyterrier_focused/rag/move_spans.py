"""Where the characters of a text stand in another version of it, white space aside.

Stretches of 16 characters that occur once in each of the two texts are grown both ways, so that what stands around a
repeated sentence chooses among its copies. What is left between two of them is compared by words.

    old   A dog ran. A cat sat on the mat. It slept.      place   of "A cat sat": 0 1 ... in the new text
    new   A cat sat on the mat. A dog ran. It slept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..frames.spans import Ints, Span
from .find_texts import WIDTH, Hashes, encode_text, hash_grams

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint64)
# A word; in scripts without blanks, and of signs, each character.
_WORD = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+|\S")
# Characters of a stretch that is unique in what is left.
_SHORT = 8
# Words of the one text times words of the other that are compared between two stretches.
_MOST_COMPARED = 1_000_000
# A run of a span is sure of itself if it has so many words or letters; others need a run next to them.
_LEAST_WORDS = 3
_LEAST_LETTERS = 16
# Characters that may lie between two runs that are next to each other.
_NEAR = 64


class MovedSpan(NamedTuple):
    """Where a span is now: its spans in the new text, and the share of its characters, white space aside, in them."""

    spans: list[Span]
    share: float


class _Run(NamedTuple):
    """Characters that follow each other in both texts, counted without white space."""

    old: int
    new: int
    size: int


class FoldedText:
    """A text without its white space: `codes`, and their `offsets`."""

    def __init__(self, text: str):
        self.text = text
        codes = encode_text(text)
        self.offsets = np.flatnonzero(~np.isin(codes, _SPACES))
        self.codes = codes[self.offsets]

    def hash_grams(self, width: int) -> Hashes:
        """Hash the characters that begin at each place, so many at a time."""
        return hash_grams(self.codes, width) if len(self.codes) >= width else self.codes[:0]

    def find_words(self, start: int, end: int) -> tuple[list[str], list[int]]:
        """Return the words from one character to another, and where each begins; the end is the last entry."""
        if start >= end:
            return [], [end]
        first = int(self.offsets[start])
        found = list(_WORD.finditer(self.text, first, int(self.offsets[end - 1]) + 1))
        begins = np.searchsorted(self.offsets, [word.start() for word in found]).tolist()
        return [word.group() for word in found], [*begins, end]


class TextMove:
    """The places of the characters of an old text in a new one."""

    def __init__(self, old: FoldedText, new: FoldedText):
        self._old = old
        self._new = new
        self._is_same = old.text == new.text
        # for each character of the old text the one of the new text, and the other way round; -1 for none
        self._place = np.full(len(old.codes), -1)
        self._origin = np.full(len(new.codes), -1)
        if not self._is_same:
            self._align()

    def move(self, span: Span) -> MovedSpan:
        """Return the place of a span of the old text, without short runs that are next to no other run of the span."""
        if self._is_same:
            return MovedSpan([span], 1.0)
        first, last = np.searchsorted(self._old.offsets, span).tolist()
        runs = self._list_runs(first, last)
        groups = _group_neighbours(runs)
        if len(groups) > 1 or sum(run.size for run in runs) < last - first:
            runs = [run for group in groups if self._is_sure(group) for run in group]
        spans: list[Span] = []
        for run in sorted(runs, key=lambda run: run.new):
            start = int(self._new.offsets[run.new])
            end = int(self._new.offsets[run.new + run.size - 1]) + 1
            if spans and not self._new.text[spans[-1][1] : start].strip():
                start = spans.pop()[0]
            spans.append((start, end))
        return MovedSpan(spans, sum(run.size for run in runs) / max(last - first, 1))

    def move_offset(self, offset: int) -> int:
        """Return the place of the first character from an offset on, white space aside; -1 if it has none."""
        if self._is_same:
            return offset
        place = np.searchsorted(self._old.offsets, offset)
        found = self._place[place] if place < len(self._place) else -1
        return int(self._new.offsets[found]) if found >= 0 else -1

    def _align(self) -> None:
        last = _Run(len(self._place), len(self._origin), 0)
        # placed characters may leave other stretches unique
        for width in (WIDTH, WIDTH, _SHORT):
            self._place_grams(width)
        # in repetitive texts there may be no other way
        self._place_run(0, 0)
        self._place_run(last.old, last.new)
        for before, after in pairwise([_Run(0, 0, 0), *self._list_runs(0, len(self._place)), last]):
            self._compare_words(before.old + before.size, after.old, before.new + before.size, after.new)

    def _place_grams(self, width: int) -> None:
        """Place and grow stretches of *width* characters that occur once in the unplaced part of each text."""
        old_free, new_free = (_find_free(places, width) for places in (self._place, self._origin))
        old = self._old.hash_grams(width)[old_free]
        new = self._new.hash_grams(width)[new_free]
        for old_place, new_place in _match_grams(old, new, old_free, new_free):
            if self._place[old_place] < 0:
                self._place_run(old_place, new_place)

    def _place_run(self, old: int, new: int) -> None:
        """Place the characters that are the same in both texts from a place on, and before it."""
        before = self._count_same(old - 1, new - 1, -1)
        size = before + self._count_same(old, new, 1)
        old -= before
        new -= before
        self._place[old : old + size] = np.arange(new, new + size)
        self._origin[new : new + size] = np.arange(old, old + size)

    def _count_same(self, old: int, new: int, step: int) -> int:
        """Count the characters from a place on, forwards or backwards, that are the same and not yet placed."""
        count = 0
        width = 32
        while True:
            left = (len(self._place) - old, len(self._origin) - new) if step > 0 else (old + 1, new + 1)
            ahead = step * np.arange(count, min(count + width, *left))
            is_same = self._old.codes[old + ahead] == self._new.codes[new + ahead]
            is_same &= (self._place[old + ahead] < 0) & (self._origin[new + ahead] < 0)
            if len(ahead) < width or not is_same.all():
                return count + (len(ahead) if is_same.all() else int(is_same.argmin()))
            count += width
            width *= 4

    def _compare_words(self, old: int, old_end: int, new: int, new_end: int) -> None:
        """Place the words that both texts have in a gap, in one order."""
        if old >= old_end or new >= new_end:
            return
        words, begins = self._old.find_words(old, old_end)
        new_words, new_begins = self._new.find_words(new, new_end)
        if len(words) * len(new_words) > _MOST_COMPARED:
            return
        for first, second, size in SequenceMatcher(None, words, new_words, autojunk=False).get_matching_blocks():
            begin, new_begin = begins[first], new_begins[second]
            length = begins[first + size] - begin if size else 0
            is_free = (self._place[begin : begin + length] < 0) & (self._origin[new_begin : new_begin + length] < 0)
            if length and is_free.all():
                self._place[begin : begin + length] = np.arange(new_begin, new_begin + length)
                self._origin[new_begin : new_begin + length] = np.arange(begin, begin + length)

    def _list_runs(self, first: int, last: int) -> list[_Run]:
        """List the runs of the characters of the old text from one to another."""
        place = self._place[first:last]
        placed = np.flatnonzero(place >= 0)
        new = place[placed]
        if not len(placed):
            return []
        breaks = np.flatnonzero((np.diff(placed) != 1) | (np.diff(new) != 1)) + 1
        begins = np.concatenate(([0], breaks))
        sizes = np.diff(np.append(begins, len(placed)))
        columns = (placed[begins] + first, new[begins], sizes)
        return [_Run(*run) for run in zip(*(column.tolist() for column in columns), strict=True)]

    def _is_sure(self, group: Sequence[_Run]) -> bool:
        """Tell whether one of these neighbouring runs has enough words, or all of them together enough letters."""
        letters = 0
        for run in group:
            found, begins = self._old.find_words(run.old, run.old + run.size)
            sizes = [size for word, size in zip(found, np.diff(begins).tolist(), strict=True) if word[0].isalnum()]
            letters += sum(sizes)
            if len(sizes) >= _LEAST_WORDS or letters >= _LEAST_LETTERS:
                return True
        return False


def measure_likeness(old: FoldedText, new: FoldedText) -> float:
    """Return the share of the old text's stretches of 16 characters that the new one has; of a short text 0 or 1."""
    grams = old.hash_grams(WIDTH)
    if not len(grams):
        return float(np.array_equal(old.codes, new.codes))
    return float(np.isin(grams, new.hash_grams(WIDTH)).mean())


def _find_free(places: Ints, width: int) -> Ints:
    placed = np.concatenate(([0], np.cumsum(places >= 0)))
    return np.flatnonzero(placed[width:] == placed[:-width])


def _match_grams(old: Hashes, new: Hashes, old_place: Ints, new_place: Ints) -> list[tuple[int, int]]:
    """List the places in both texts at which stretches that occur once in each begin to follow each other."""
    old_grams, old_first, old_count = np.unique(old, return_index=True, return_counts=True)
    new_grams, new_first, new_count = np.unique(new, return_index=True, return_counts=True)
    once = (old_grams[old_count == 1], new_grams[new_count == 1])
    _, in_old, in_new = np.intersect1d(*once, assume_unique=True, return_indices=True)
    places: Ints = old_place[old_first[old_count == 1][in_old]]
    new_places: Ints = new_place[new_first[new_count == 1][in_new]]
    order = np.argsort(places)
    places, new_places = places[order], new_places[order]
    begins = (np.diff(places, prepend=-2) != 1) | (np.diff(new_places, prepend=-2) != 1)
    return list(zip(places[begins].tolist(), new_places[begins].tolist(), strict=True))


def _group_neighbours(runs: Iterable[_Run]) -> list[list[_Run]]:
    """Group the runs of a span that have nothing between them in the old text, or little in both in one order."""
    groups: list[list[_Run]] = []
    for run in runs:
        last = groups[-1][-1] if groups else None
        if last is not None:
            old_gap = run.old - last.old - last.size
            new_gap = run.new - last.new - last.size
            if old_gap == 0 or new_gap == 0 or (0 < new_gap <= _NEAR and old_gap <= _NEAR):
                groups[-1].append(run)
                continue
        groups.append([run])
    return groups
