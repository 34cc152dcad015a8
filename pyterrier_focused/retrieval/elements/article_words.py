"""The words of an article: numbered terms with their places, to count and to find phrases in."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Ints
from ..engines.terms import Words


@dataclass(frozen=True)
class ArticleWords:
    """The words of an article in order: [start, end), the number of the term, whether it is a stop word, its piece.

    Pieces are what lies between the borders of elements. "The lamp" and "Oil", two elements that touch:

        start  0 4 8        end  3 8 11        term  0 1 2        stop  1 0 0        piece  0 0 1
    """

    start: Ints
    end: Ints
    term: Ints
    stop: NDArray[np.bool_]
    piece: Ints

    def __len__(self) -> int:
        return len(self.term)

    def find(self, terms: Ints) -> tuple[Ints, Ints]:
        """Return the (start, end) columns of the places where *terms* are one after another, in one piece."""
        more = max(len(terms) - 1, 0)
        first = np.arange(max(len(self.term) - more, 0) if len(terms) else 0)
        for at, number in enumerate(terms.tolist()):
            first = first[self.term[first + at] == number]
        first = first[self.piece[first] == self.piece[first + more]]
        return self.start[first], self.end[first + more]


def read_words(text: str, seams: Ints, words: Words) -> ArticleWords:
    """Read the words of a text whose elements begin and end at *seams*."""
    inside = seams[(seams > 0) & (seams < len(text))]
    bounds = pairwise([0, *inside.tolist(), len(text)])
    # elements that touch do not run into one word
    places = words.places("\n".join(text[first:last] for first, last in bounds))
    piece = np.searchsorted(inside + np.arange(len(inside)), places.start)
    return ArticleWords(places.start - piece, places.end - piece, places.term, places.stop, piece)
