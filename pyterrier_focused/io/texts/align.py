"""The places of rewritten texts: with a title before them, cut off by "...", rendered, hyphenated, normalised.

Texts are compared by their letters and digits, without accents and case, as `fuzzy.py` does. Runs of letters that a
text shares with an article are chained; the best chain is the place of the text.

    article   ... **Cats** sleep all [day](http://x.org). They eat ...
    text      Pets > Cats: Cats sleep all day. They eat
    runs                   catssleepallday, theyeat          14 + 7 of 29 letters: share .72

Seeds of 16 letters of all texts are looked up in one pass over an article, so the cost is that of reading the article.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...frames.spans import Ints, Span
from .find_texts import WIDTH, Hashes, Place, SeedFilter, encode_text, hash_grams
from .locate import Document, Folded, fold_letters

# Letters between two seeds of a text.
_STEP = 8
# Letters of an article that are hashed at a time.
_BLOCK = 1 << 20
# A chain with a smaller share of a text's letters says nothing.
_LEAST_SHARE = 0.3
_LEAST_LETTERS = 16
# Letters of the article that a text may leave out, or put in, between two runs, and the share of all that it has: what
# is left out counts as retrieved, and must stay little.
_GAP = 100
_GAP_SHARE = 0.2
# Another place with so much of the best chain makes it one of several.
_RIVAL = 0.9
# A text with more hits in an article is boilerplate, and is not compared any further.
_MOST_SEEDS = 5000


class Run(NamedTuple):
    """Letters that text and article share: their offsets in each, and how many there are."""

    text: int
    article: int
    length: int


@dataclass(frozen=True)
class Alignment:
    """The places of a text, best first, and the share of its letters that is at the first of them.

    *around* counts for each place the characters of the text that are not there.
    """

    places: list[Place]
    share: float
    around: list[int]

    @property
    def is_sure(self) -> bool:
        """Whether there is one place, and none nearly as good."""
        return len(self.places) == 1


class _Candidate(NamedTuple):
    """A chain: its letters, its place in the article, its letters in the text, and how many more of these are there."""

    score: int
    place: Place
    letters: Span
    inserted: int


def align_texts(texts: Sequence[str], articles: Iterable[tuple[str, Document]]) -> list[Alignment | None]:
    """Find for each text the place in the articles that shares most of its letters; None if that is too little.

    Args:
        texts: Texts that do not occur literally.
        articles: The docnos and documents to look in.

    Example:
        >>> article = Document("Here *cats* sleep all day and all night!")
        >>> found = align_texts(["Pets: Cats sleep all day and all night."], [("a", article)])
        >>> found[0].places[0].span, round(found[0].share, 2)
        ((6, 39), 0.87)
        >>> found[0].around
        [7]
    """
    letters = [fold_letters(text) for text in texts]
    seeds = _Seeds(letters)
    best: list[list[_Candidate]] = [[] for _ in texts]
    for docno, document in articles:
        for number, hits in seeds.find(document.loose.text).items():
            best[number] += _find_chains(letters[number], document.loose, hits, docno)
    return [_choose_place(*of_text) for of_text in zip(best, texts, map(len, letters), strict=True)]


def count_around(text: str, letters: Span) -> int:
    """Count the characters of a text before and after some of its letters, without white space at its ends."""
    start, end = Document(text).loose.span(letters[0], letters[1] - letters[0])
    return len(text[:start].lstrip()) + len(text[end:].rstrip())


def _choose_place(candidates: list[_Candidate], text: str, letters: int) -> Alignment | None:
    """Return the best place, and the others that are nearly as good."""
    if not candidates:
        return None
    score = max(candidate.score for candidate in candidates)
    if score < max(_LEAST_LETTERS, _LEAST_SHARE * letters):
        return None
    near = [candidate for candidate in candidates if candidate.score >= _RIVAL * score]
    near.sort(key=lambda candidate: -candidate.score)
    around = [count_around(text, candidate.letters) + candidate.inserted for candidate in near]
    return Alignment([candidate.place for candidate in near], score / letters, around)


class _Seeds:
    """The seeds of all texts, by their hashes."""

    def __init__(self, letters: Sequence[str]):
        hashes: list[Hashes] = []
        texts: list[Ints] = []
        offsets: list[Ints] = []
        for number, text in enumerate(letters):
            if len(text) < WIDTH:
                continue
            of_text = np.unique(np.append(np.arange(0, len(text) - WIDTH + 1, _STEP), len(text) - WIDTH))
            hashes.append(hash_grams(encode_text(text))[of_text])
            offsets.append(of_text)
            texts.append(np.full(len(of_text), number))
        if not hashes:
            hashes = [np.zeros(0, np.uint64)]
            texts = [np.zeros(0, np.int64)]
            offsets = [np.zeros(0, np.int64)]
        every = np.concatenate(hashes)
        order = np.argsort(every, kind="stable")
        self.hashes = every[order]
        self.text = np.concatenate(texts)[order]
        self.offset = np.concatenate(offsets)[order]
        self.filter = SeedFilter(self.hashes)

    def find(self, letters: str) -> dict[int, list[tuple[int, int]]]:
        """Look all seeds up in an article: for each text (offset in the text, offset in the article) of the hits."""
        hits: dict[int, list[tuple[int, int]]] = {}
        for begin in range(0, max(len(letters) - WIDTH + 1, 0) if len(self.hashes) else 0, _BLOCK):
            hashes = hash_grams(encode_text(letters[begin : begin + _BLOCK + WIDTH - 1]))
            positions = np.flatnonzero(self.filter.may_hold(hashes))
            lows = np.searchsorted(self.hashes, hashes[positions], side="left").tolist()
            highs = np.searchsorted(self.hashes, hashes[positions], side="right").tolist()
            for position, low, high in zip((positions + begin).tolist(), lows, highs, strict=True):
                for seed in range(low, high):
                    of_text = hits.setdefault(int(self.text[seed]), [])
                    if len(of_text) < _MOST_SEEDS:
                        of_text.append((int(self.offset[seed]), position))
        return hits


def _find_chains(text: str, article: Folded, hits: list[tuple[int, int]], docno: str) -> list[_Candidate]:
    """Return the best chain of an article and, if another place is nearly as good, that one too."""
    runs = _extend_hits(text, article.text, hits)
    candidates: list[_Candidate] = []
    while runs and len(candidates) < 2:
        chain, score = _chain_runs(runs)
        begin = chain[0].article
        reach = chain[-1].article + chain[-1].length
        start, end = article.span(begin, reach - begin)
        inserted = sum(
            max(later.text - earlier.text - later.article + earlier.article, 0) for earlier, later in pairwise(chain)
        )
        letters = (chain[0].text, chain[-1].text + chain[-1].length)
        candidates.append(_Candidate(score, Place(docno, (start, end)), letters, inserted))
        runs = [run for run in runs if run.article + run.length <= begin or run.article >= reach]
    return candidates


def _extend_hits(text: str, article: str, hits: list[tuple[int, int]]) -> list[Run]:
    """Extend hits to the longest runs of equal letters, each run once, in the order of the article."""
    runs: list[Run] = []
    # By diagonal: the place in the text at which the last run ends.
    reach: dict[int, int] = {}
    for offset, position in sorted(hits):
        diagonal = position - offset
        if offset < reach.get(diagonal, 0) or text[offset : offset + WIDTH] != article[position : position + WIDTH]:
            continue
        before = _count_equal(text[:offset][::-1], article[max(position - offset, 0) : position][::-1])
        after = _count_equal(text[offset:], article[position : position + len(text) - offset])
        runs.append(Run(offset - before, position - before, before + after))
        reach[diagonal] = offset + after
    return sorted(runs, key=lambda run: run.article)


def _count_equal(text: str, other: str) -> int:
    """Count the characters with which both texts begin."""
    low = 0
    high = min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _chain_runs(runs: list[Run]) -> tuple[list[Run], int]:
    """Choose runs that follow each other in text and article, with little between them; return them and their letters.

    Of all such chains it is the one with most letters.
    """
    score: list[int] = []
    # The letters of the article that the chain ending with each run leaves out.
    gaps: list[int] = []
    before: list[int] = []
    for i, run in enumerate(runs):
        best = run.length
        best_gap = 0
        best_before = -1
        for j in range(max(0, i - 50), i):
            in_article = run.article - (runs[j].article + runs[j].length)
            in_text = run.text - (runs[j].text + runs[j].length)
            # letters that happen to be alike on both sides of a gap are in both runs, and count once
            shared = max(-in_article, -in_text, 0)
            in_article += shared
            if shared >= _STEP or max(in_article, in_text + shared) > _GAP:
                continue
            total = score[j] + run.length - shared
            if total > best and gaps[j] + in_article <= _GAP_SHARE * total:
                best = total
                best_gap = gaps[j] + in_article
                best_before = j
        score.append(best)
        gaps.append(best_gap)
        before.append(best_before)
    last = max(range(len(runs)), key=lambda i: (score[i], -runs[i].article))
    letters = score[last]
    chain: list[Run] = []
    while last >= 0:
        chain.append(runs[last])
        last = before[last]
    return chain[::-1], letters
