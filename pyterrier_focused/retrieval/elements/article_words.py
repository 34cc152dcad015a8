"""The words of an article: numbered terms with their places, to count and to find phrases in."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...frames.spans import Ints
from ..engines.terms import Places, Words


def read_words(text: str, seams: Ints, words: Words) -> Places:
    """Read the words of a text whose elements begin and end at *seams*."""
    return ArticleWords(text, seams, words).places


class ArticleWords:
    """The words of an article in order, to find phrases in; its elements begin and end at *seams*."""

    def __init__(self, text: str, seams: Ints, words: Words):
        inside = seams[(seams > 0) & (seams < len(text))]
        # a line break keeps words of touching elements apart
        pieces = pairwise([0, *inside.tolist(), len(text)])
        places = words.places("\n".join(text[first:last] for first, last in pieces))
        # the number of the piece that holds each word: as many characters were added before it
        self._piece = np.searchsorted(inside + np.arange(len(inside)), places.start)
        self.places = replace(places, start=places.start - self._piece, end=places.end - self._piece)

    def __len__(self) -> int:
        return len(self.places.term)

    def find(self, phrase: Ints) -> tuple[Ints, Ints]:
        """Return the (start, end) columns of the places at which the terms of a phrase, numbers, stand in one piece."""
        more = max(len(phrase) - 1, 0)
        first = np.arange(max(len(self) - more, 0) if len(phrase) else 0)
        for number, term in enumerate(phrase.tolist()):
            first = first[self.places.term[first + number] == term]
        first = first[self._piece[first] == self._piece[first + more]]
        return self.places.start[first], self.places.end[first + more]
