"""Find many texts in a whole corpus: one pass over the articles, however many texts there are.

Each text is known by an anchor, 16 of its characters that few of the other texts have. Articles are read once, white
space, case and quotation marks aside; if one has an anchor, its text is compared in full. Memory is that of the
texts' anchors: nothing is kept of the articles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..collection.corpora import CorpusArticle
from ..frames.spans import Span
from .locate import Document, fold_quote

Hashes = NDArray[np.uint64]

# A text that is in more places is not looked for any further.
MOST_PLACES = 20

# The characters of an anchor, which are hashed in steps of 2, 4, 8 and 16.
WIDTH = 16
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
# The anchor of a text is chosen from so many of its places.
_CHOICES = 8
_FILTER_BITS = 22


class Place(NamedTuple):
    """The place of a text: the docno of the article and the half-open span of its characters."""

    docno: str
    span: Span


class FoundText(NamedTuple):
    """The places of a text, at most MOST_PLACES, and whether they are the text to the letter."""

    places: list[Place]
    exact: bool

    def choose(self, start: int | None) -> list[Place]:
        """Return the places; of several only the one that begins at *start*, if there is just one."""
        if len(self.places) < 2 or start is None:
            return self.places
        at_start = [place for place in self.places if place.span[0] == start]
        return at_start if len(at_start) == 1 else self.places


def find_texts(texts: Sequence[str], articles: Iterable[CorpusArticle]) -> list[FoundText]:
    """Find each text in the articles: all its places, in the order of the articles.

    Exact places count alone if there are any; else those that differ in white space, quotation marks and case, as
    in `Document.places`. A text of white space only has none.
    """
    search = _Search(texts)
    for article in articles:
        folded = fold_quote(article.text)
        candidates = search.list_candidates(folded)
        if candidates:
            document = Document(article.text)
            for text in candidates:
                search.look(text, article.docno, document)
    return search.list_found()


class SeedFilter:
    """A fast approximate set of hashes: it never denies a hash that it holds, but may affirm others."""

    def __init__(self, hashes: Hashes):
        self._buckets = np.zeros(1 << _FILTER_BITS, dtype=bool)
        self._buckets[self._find_buckets(hashes)] = True

    def may_hold(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Tell for each hash whether it may be in the set."""
        answers: NDArray[np.bool_] = self._buckets[self._find_buckets(hashes)]
        return answers

    @staticmethod
    def _find_buckets(hashes: Hashes) -> NDArray[np.intp]:
        return (hashes >> np.uint64(64 - _FILTER_BITS)).astype(np.intp)


class _Search:
    """The texts that are looked for, and what has been found of them."""

    def __init__(self, texts: Sequence[str]):
        self.texts = texts
        self.exact: dict[int, list[Place]] = {}
        self.tolerant: dict[int, list[Place]] = {}
        self.short: dict[int, str] = {}
        long: list[int] = []
        hashes: list[Hashes] = []
        for i, text in enumerate(map(fold_quote, texts)):
            if len(text) >= WIDTH:
                long.append(i)
                hashes.append(_sample_hashes(text))
            elif text:
                self.short[i] = text
        self.long = np.array(long, dtype=np.int64)
        anchors = _choose_anchors(hashes)
        order = np.argsort(anchors, kind="stable")
        self.anchors = anchors[order]
        self.long = self.long[order]
        self.filter = SeedFilter(anchors)

    def list_candidates(self, folded: str) -> list[int]:
        candidates = [text for text, wanted in self.short.items() if wanted in folded]
        if len(self.long) and len(folded) >= WIDTH:
            hashes = hash_grams(encode_text(folded))
            hits = np.unique(hashes[self.filter.may_hold(hashes)])
            lows = np.searchsorted(self.anchors, hits, side="left").tolist()
            highs = np.searchsorted(self.anchors, hits, side="right").tolist()
            for low, high in zip(lows, highs, strict=True):
                texts = self.long[low:high].tolist()
                candidates.extend(text for text in texts if len(self.exact.get(text, ())) <= MOST_PLACES)
        return candidates

    def look(self, text: int, docno: str, document: Document) -> None:
        """Compare a text with an article, and keep its places there."""
        wanted = self.texts[text]
        for span in document.places(wanted):
            if document.text[slice(*span)] == wanted:
                self.exact.setdefault(text, []).append(Place(docno, span))
            elif len(self.tolerant.get(text, ())) <= MOST_PLACES:
                self.tolerant.setdefault(text, []).append(Place(docno, document.with_ends(wanted, span)))
        if len(self.exact.get(text, ())) > MOST_PLACES:
            self.short.pop(text, None)

    def list_found(self) -> list[FoundText]:
        results = []
        for text in range(len(self.texts)):
            exact = self.exact.get(text, [])
            places = exact or self.tolerant.get(text, [])
            results.append(FoundText(places[:MOST_PLACES], bool(exact)))
        return results


def _choose_anchors(samples: Sequence[Hashes]) -> Hashes:
    """Choose for each text, of the hashes of 16 characters in its sample, the one that fewest other texts have."""
    if not len(samples):
        return np.zeros(0, dtype=np.uint64)
    hashes = np.concatenate(samples)
    _, code, count = np.unique(hashes, return_inverse=True, return_counts=True)
    rarest = count[code].reshape(-1, _CHOICES).argmin(axis=1)
    chosen: Hashes = hashes.reshape(-1, _CHOICES)[np.arange(len(rarest)), rarest]
    return chosen


def _sample_hashes(text: str) -> Hashes:
    """Return the hashes of 16 characters at places all over a text."""
    starts = np.linspace(0, len(text) - WIDTH, _CHOICES).astype(np.int64)
    codes = encode_text(text)[starts[:, None] + np.arange(WIDTH)]
    return hash_grams(codes)[:, 0]


def encode_text(text: str) -> Hashes:
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), dtype=np.uint8).astype(np.uint64)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)


def hash_grams(codes: Hashes, width: int = WIDTH) -> Hashes:
    """Hash every 16 (or 2, 4, 8) neighbours along the last axis: of 2, of two such pairs, and so on."""
    step = 1
    for multiplier in _MULTIPLIERS[: width.bit_length() - 1]:
        codes = codes[..., :-step] * np.uint64(multiplier) + codes[..., step:]
        step *= 2
    return codes
