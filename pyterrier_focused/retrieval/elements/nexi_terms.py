"""Words and phrases of NEXI in the text of an article: where they stand, whatever their case, accents and endings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import import_extra
from ...frames.spans import Ints
from .nexi import Term

_WORD = re.compile(r"[^\W_]+")


_SEAM = "\0"  # no phrase goes from one element into the next
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


class SeparatedText:
    """Text in plain letters in which elements that touch do not run into one word; `offsets` leads back."""

    def __init__(self, text: str, seams: Ints):
        inside = seams[(seams > 0) & (seams < len(text))]
        bounds = pairwise([0, *inside.tolist(), len(text)])
        self.text = plain_letters(_SEAM.join(text[start:end] for start, end in bounds))
        # where the characters are that stand between elements in this text alone
        self._added = inside + np.arange(len(inside))

    def offsets(self, places: Ints) -> Ints:
        """Return the offsets in the text as it was of places in this one."""
        return places - np.searchsorted(self._added, places)


class ArticleText:
    """The text of one article, to find terms in."""

    def __init__(self, text: str, seams: Ints):
        self._separated = SeparatedText(text, seams)
        self._places: dict[str, tuple[Ints, Ints]] = {}

    def __len__(self) -> int:
        return len(self._separated.text)

    def find(self, term: Term) -> tuple[Ints, Ints]:
        """Return the (start, end) columns of the places of a term; words match by their stems."""
        if term.text not in self._places:
            self._places[term.text] = self._search(term.text)
        return self._places[term.text]

    def _search(self, term: str) -> tuple[Ints, Ints]:
        words = _WORD.findall(plain_letters(term))
        stems = [_stem(word) for word in words]
        if not words:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        spans = []
        text = self._separated.text
        for match in _pattern(tuple(words)).finditer(text):
            alone = not match.start() or not text[match.start() - 1].isalnum()
            if alone and [_stem(word) for word in _WORD.findall(match[0])] == stems:
                spans.append(match.span())
        columns = np.array(spans, dtype=np.int64).reshape(len(spans), 2)
        return self._separated.offsets(columns[:, 0]), self._separated.offsets(columns[:, 1])


def plain_letters(text: str) -> str:
    """Write each character in lower case and without its accent, as one character, so that offsets stay."""
    return (text if text.isascii() else _NOT_ASCII.sub(lambda run: _without_accents(run[0]), text)).lower()


@lru_cache(maxsize=65536)
def _without_accents(run: str) -> str:
    return "".join(unicodedata.normalize("NFKD", character)[0] for character in run)


@lru_cache(maxsize=4096)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds words with the same beginnings as these and their stems, one after another."""
    begins = [re.escape("".join(_shared(word, _stem(word)))) for word in words]
    # a pattern that begins with letters is searched fast; what stands before them is looked at later
    return re.compile(rf"(?:[^\w{_SEAM}]|_)+".join(rf"{begin}[^\W_]*" for begin in begins))


def _shared(one: str, other: str) -> Iterator[str]:
    """Yield the characters with which two words both begin."""
    for a, b in zip(one, other, strict=False):
        if a != b:
            return
        yield a


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return _stemmer()(word)


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    return import_extra("Stemmer", "retrieval").Stemmer("english").stemWord
