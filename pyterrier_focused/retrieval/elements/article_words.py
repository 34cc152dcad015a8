"""The words of an article: numbered terms with their places, to count and to find phrases in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Ints
from ..engines.terms import Words

_SEAM = -1  # the number of what stands between two elements: no phrase goes from one into the next


@dataclass(frozen=True)
class ArticleWords:
    """The words of an article in order: [start, end), the number of the term, and whether it is a stop word.

    "The lamp" and "Oil", two elements that touch, with the terms `{"the": 0, "lamp": 1, "oil": 2}`:

        start  0  4  8  8        end  3  8  8 11        term  0  1 -1  2        stop  1  0  1  0
    """

    start: Ints
    end: Ints
    term: Ints
    stop: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.term)

    def find(self, terms: Sequence[int]) -> tuple[Ints, Ints]:
        """Return the (start, end) columns of the places where *terms* stand one after another."""
        first = np.arange(max(len(self.term) - len(terms) + 1, 0) if terms else 0)
        for at, number in enumerate(terms):
            first = first[self.term[first + at] == number]
        return self.start[first], self.end[first + max(len(terms) - 1, 0)]


def read_words(text: str, seams: Ints, words: Words, numbers: dict[str, int]) -> ArticleWords:
    """Read the words of a text whose elements begin and end at *seams*; *numbers*, of all terms, grows."""
    inside = seams[(seams > 0) & (seams < len(text))].tolist()
    none: Ints = np.zeros(0, dtype=np.int64)
    starts = [none]
    ends = [none]
    terms: list[int] = []
    stops: list[bool] = []
    for first, last in pairwise([0, *inside, len(text)]):
        places = words.places(text[first:last])
        seam: Ints = np.array([last])
        starts += [places.start + first, seam]
        ends += [places.end + first, seam]
        terms += [numbers.setdefault(term, len(numbers)) for term in places.term]
        terms.append(_SEAM)
        stops += [*places.stop, True]
    return ArticleWords(
        np.concatenate(starts), np.concatenate(ends), np.array(terms, dtype=np.int64), np.array(stops, dtype=bool)
    )
