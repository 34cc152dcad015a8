"""The places of rewritten texts: the runs of words that they share with the articles.

    article   ... **Cats** sleep all [day](http://x.org) in the sun. They eat fish at noon ...
    text      Pets > Cats: Cats sleep all day in the sun. They drink milk, and they eat fish at noon
    runs                   cats sleep all day, in the sun they              eat fish at noon

White space and punctuation do not end a run. A word with a digit is the same, with its sign and decimal point, or it is
another; in a word without one a quarter of the letters may differ, unless the corpus has the word as it is. What places
a text is an anchor: a long run that lies in one place. Shorter runs are looked for in the articles that have one. In a
document that the text names, short runs that hold half of its words in their order place it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..frames.spans import Ints, Span, ranges
from .find_texts import MOST_PLACES, WIDTH, Hashes, Place, SeedFilter, encode_text, hash_grams
from .words import NUMBER, Words, count_changes, split_words

# Letters between two seeds of a text: every run of 24 letters holds one.
_STEP = 8
# Letters of an article that are hashed at a time, and of articles whose words are kept.
_BLOCK = 1 << 20
_MOST_KEPT = 1 << 24
# Letters that occur more often in an article are not looked at there.
_MOST_HITS = 100
_MOST_RUNS = 200


class _Least(NamedTuple):
    words: int
    letters: int


# The least run that places a text. Of 972 foreign texts of 400 characters, runs of 6 words and 24 letters place none,
# those of 5 and 20 six, of 4 and 16 eighty, of 3 and 12 half.
_ANCHOR = _Least(6, 24)
# Further runs in an article that has an anchor, and runs between two others, in their order.
_FURTHER = _Least(5, 16)
_BETWEEN = _Least(3, 8)
# In a document that the text names, runs of so many, in order, place it if they hold so many words and half of its own.
# They place none of 20,000 foreign texts of 8 to 20 words.
_SCATTERED = _Least(2, 7)
_SCATTERED_WORDS = 8
_LEAST_SHARE = 0.5
# A run in a document that the text names comes before one elsewhere that is longer by fewer letters.
_NAMED_BONUS = 16
# Text before or after all runs, if it is a line of its own in the article.
_LINE = _Least(2, 8)
# Words of the text times words of the article between two runs that are compared.
_MOST_COMPARED = 20_000
# Words of the text before its first run and after its last that are compared with those of the article.
_BEYOND = 5
_CLOSING = ".,;:!?…)]}。、，！？；：）」』\f"
_OPENING = "([{（「『¿¡\f"


class Difference(NamedTuple):
    """Part of an article that a text leaves out, and the few words that it `added` there."""

    docno: str
    span: Span
    added: str = ""


class _Exact(NamedTuple):
    """Letters that text and article share: their offsets in each, and how many there are."""

    text: int
    article: int
    length: int


@dataclass(frozen=True)
class _Run:
    """Words that text and article share: the letters [start, end) of the text, and those of the article.

    `exact` are the parts that are the same to the letter; between them are words of which some letters differ.
    """

    docno: str
    start: int
    end: int
    article_start: int
    article_end: int
    exact: tuple[_Exact, ...]


@dataclass(frozen=True)
class Alignment:
    """The runs of a text, in its order, as places in articles; several lists if the text lies in several places.

    `share` of its words are in the runs; `around` counts, for each list, the characters that are not. `lacking` has the
    parts of the articles between the runs (empty if the text adds words there), and words that the text replaces.
    """

    places: list[list[Place]]
    share: float
    around: list[int]
    lacking: list[Difference]


def align_texts(
    texts: Sequence[str],
    named: Sequence[Sequence[str]],
    articles: Mapping[str, str],
    docnos: Iterable[str] | None = None,
) -> list[Alignment | None]:
    """Find the runs that each text shares with the articles; None if it has no anchor in any of them.

    *named* are the docnos of the documents that each text names; *docnos*, if given, those of the articles in an
    iterable that shows how far the pass over them has come.

    Example:
        >>> article = "Here *cats* sleep all day and all night! They eat fish."
        >>> (found,) = align_texts(["Pets: Cats sleep all day and all night."], [()], {"a": article})
        >>> found.places, found.share, found.around
        ([[Place(docno='a', span=(6, 39))]], 0.875, [7])
    """
    wanted = [_Text(text, of_text) for text, of_text in zip(texts, named, strict=True)]
    split = _Articles(articles)
    known = _KnownWords(wanted)
    seeds = _Seeds(wanted)
    for number, docno in enumerate(articles if docnos is None else docnos):
        known.look(split.words(docno))
        seeds.look(split.words(docno), number)
    names = list(articles)
    candidates = seeds.list_articles()
    first = [
        [*text.named, *(names[one.article] for one in shared if 2 * len(one.places) >= len(shared[0].places))]
        for text, shared in zip(wanted, candidates, strict=True)
    ]
    _find_runs(wanted, first, split, known)
    # Others only if they share letters that no run has: runs that lie in longer ones place nothing.
    others = [
        [names[one.article] for one in shared if not in_runs[one.places].all()]
        for in_runs, shared in zip(map(_Text.find_in_runs, wanted), candidates, strict=True)
    ]
    _find_runs(wanted, others, split, known)
    # And those that may have one of the runs, too: a text that is in several places must not seem to be in one.
    rivals = [text.list_rivals(shared, names) for text, shared in zip(wanted, candidates, strict=True)]
    _find_runs(wanted, rivals, split, known)
    return [text.align(split) for text in wanted]


def _find_runs(texts: list[_Text], docnos: list[list[str]], split: _Articles, known: _KnownWords) -> None:
    of_article: dict[str, list[_Text]] = {}
    for text, listed in zip(texts, docnos, strict=True):
        for docno in dict.fromkeys(listed):
            if docno not in text.aligned:
                text.aligned.add(docno)
                of_article.setdefault(docno, []).append(text)
    for docno, members in of_article.items():
        index = _Index(docno, split.words(docno), known)
        for text in members:
            text.runs += index.find_runs(text)


class _Articles:
    """The texts of articles, and their words, of which those used last are kept."""

    def __init__(self, texts: Mapping[str, str]):
        self.texts = texts
        self._kept: dict[str, Words] = {}
        self._letters = 0

    def words(self, docno: str) -> Words:
        words = self._kept.pop(docno, None)
        if words is None:
            words = split_words(self.texts[docno])
            self._letters += len(words.letters)
        self._kept[docno] = words
        while self._letters > _MOST_KEPT and len(self._kept) > 1:
            self._letters -= len(self._kept.pop(next(iter(self._kept))).letters)
        return words


class _KnownWords:
    """The words of the texts that occur in the corpus unchanged."""

    def __init__(self, texts: list[_Text]):
        self._hashes = np.unique(np.concatenate([np.zeros(0, np.uint64), *(text.words.hashes for text in texts)]))
        self._found = np.zeros(len(self._hashes), dtype=bool)
        self._answers: dict[str, bool] = {}

    def look(self, words: Words) -> None:
        self._found[_find_equal(words.hashes, self._hashes)] = True

    def __contains__(self, word: str) -> bool:
        if word not in self._answers:
            self._answers[word] = bool(self._found[_find_equal(split_words(word).hashes, self._hashes)].any())
        return self._answers[word]


class _Candidate(NamedTuple):
    """An article that shares seeds with a text: the offsets of these in the letters of the text."""

    article: int
    places: Ints

    def count_between(self, start: int, end: int) -> int:
        return int(np.count_nonzero((start <= self.places) & (self.places + WIDTH <= end)))


class _Seeds:
    """Letters of the texts, 16 at every eighth place, and the articles that have them.

    Seeds that few articles have tell where a text may lie; boilerplate that many share adds no candidates.
    """

    def __init__(self, texts: list[_Text]):
        hashes = [np.zeros(0, np.uint64)]
        self._places: list[Ints] = []
        for text in texts:
            every = text.hash_letters()
            places = np.append(np.arange(0, len(every) - 1, _STEP), len(every) - 1)[: len(every)]
            self._places.append(places)
            hashes.append(every[places])
        self._bounds = np.cumsum([len(of_text) for of_text in hashes])
        self._hashes, self._seeds = np.unique(np.concatenate(hashes), return_inverse=True)
        self._filter = SeedFilter(self._hashes)
        # How many articles have each seed; and seeds with an article that has them, the first articles of each only.
        self._count = np.zeros(len(self._hashes), dtype=np.int64)
        self._hits = [np.zeros((2, 0), dtype=np.int64)]

    def look(self, words: Words, article: int) -> None:
        seeds = [np.zeros(0, dtype=np.int64)]
        for begin in range(0, max(len(words.letters) - WIDTH + 1, 0), _BLOCK):
            hashes = hash_grams(encode_text(words.letters[begin : begin + _BLOCK + WIDTH - 1]))
            seeds.append(_find_equal(hashes[self._filter.may_hold(hashes)], self._hashes))
        found = np.unique(np.concatenate(seeds))
        self._count[found] += 1
        found = found[self._count[found] <= MOST_PLACES]
        self._hits.append(np.stack([found, np.full(len(found), article)]))

    def list_articles(self) -> list[list[_Candidate]]:
        """List for each text the articles that share most of its rarer seeds with it."""
        seeds, articles = np.concatenate(self._hits, axis=1)
        articles = articles[np.argsort(seeds, kind="stable")]
        kept = np.minimum(self._count, MOST_PLACES)
        first = np.cumsum(kept) - kept
        lists = []
        for places, (low, high) in zip(self._places, pairwise(self._bounds.tolist()), strict=True):
            of_text = self._seeds[low:high]
            is_rare = self._count[of_text] <= MOST_PLACES
            if self._count[of_text[is_rare]].any():
                of_text = of_text[is_rare]
                places = places[is_rare]
            found = articles[ranges(first[of_text], kept[of_text])]
            order = np.argsort(found, kind="stable")
            shared_places = np.repeat(places, kept[of_text])[order]
            found, begin, shared = np.unique(found[order], return_index=True, return_counts=True)
            best = np.argsort(-shared, kind="stable")[:MOST_PLACES].tolist()
            lists.append([_Candidate(int(found[i]), shared_places[begin[i] :][: shared[i]]) for i in best])
        return lists


def _find_equal(hashes: Hashes, known: Hashes) -> Ints:
    """Return the positions in *known*, which is sorted, of those hashes that are there."""
    if not len(known):
        return np.zeros(0, dtype=np.int64)
    positions = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    found: Ints = positions[known[positions] == hashes]
    return found


class _Index:
    """The letters of an article, 16 at every place, by their hashes."""

    def __init__(self, docno: str, words: Words, known: _KnownWords):
        self.docno = docno
        self.words = words
        self.known = known
        hashes = hash_grams(encode_text(words.letters))
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]

    def find_runs(self, wanted: _Text) -> list[_Run]:
        """Find the runs of a text that may count, the longest ones first."""
        text = wanted.words
        runs: dict[tuple[int, int, int], _Run] = {}
        # By diagonal, the stretches that are in runs.
        found: dict[int, list[_Exact]] = {}
        for part in self._find_exact(wanted.hash_letters()):
            end = part.text + part.length
            if any(
                other.text <= part.text < other.text + other.length for other in found.get(part.article - part.text, ())
            ):
                continue
            # Words that a much longer run places already.
            if any(run.start <= part.text and end + _FURTHER.letters <= run.end for run in runs.values()):
                continue
            run = self._extend(text, part)
            if run is None:
                continue
            for exact in run.exact:
                found.setdefault(exact.article - exact.text, []).append(exact)
            if _is_long(text, run.start, run.end, _FURTHER):
                runs[run.start, run.end, run.article_start] = run
            if self.docno in wanted.named and _is_long(text, run.start, run.end, _BETWEEN):
                wanted.cores.append(run)
        return sorted(runs.values(), key=lambda run: run.start - run.end)[:_MOST_RUNS]

    def _find_exact(self, hashes: Hashes) -> list[_Exact]:
        """Find all stretches of at least 16 letters that are the same, the longest first, by the hashes of a text.

        text offset      0 1 2   7        hits of 16 letters each: those that follow each other on one
        article offset   4 5 6   90       diagonal are one stretch, here (0, 4, 18) and (7, 90, 16)
        """
        low = np.searchsorted(self._hashes, hashes, side="left")
        count = np.searchsorted(self._hashes, hashes, side="right") - low
        count[count > _MOST_HITS] = 0
        offset = np.repeat(np.arange(len(hashes)), count)
        diagonal = self._order[ranges(low, count)] - offset
        order = np.lexsort((offset, diagonal))
        offset = offset[order]
        diagonal = diagonal[order]
        first = np.flatnonzero(np.append(True, (np.diff(offset) != 1) | (np.diff(diagonal) != 0))[: len(offset)])
        length = np.diff(np.append(first, len(offset))) + WIDTH - 1
        columns = (offset[first], offset[first] + diagonal[first], length)
        parts = map(_Exact, *(column.tolist() for column in columns))
        return sorted(parts, key=lambda part: (-part.length, part))

    def _extend(self, text: Words, part: _Exact) -> _Run | None:
        """Extend a stretch to the longest run of words; None if no word begins in it."""
        bound = _find_common_bound(text.bounds, self.words.bounds, part)
        if bound < 0:
            return None
        start = part.text + bound
        article_start = part.article + bound
        before = self._follow(text.reversed, self.words.reversed, len(text.letters) - start,
                              len(self.words.letters) - article_start)  # fmt: skip
        after = self._follow(text, self.words, start, article_start)
        mirrored = [
            _Exact(len(text.letters) - t - n, len(self.words.letters) - a - n, n) for t, a, n in reversed(before)
        ]
        begin = mirrored[0]
        end = after[-1]
        return _Run(self.docno, begin.text, end.text + end.length, begin.article, end.article + end.length,
                    (*mirrored, *after))  # fmt: skip

    def _follow(self, text: Words, article: Words, start: int, article_start: int) -> list[_Exact]:
        """Go on from a bound as long as words are the same, or nearly so; return the parts that are the same."""
        parts = []
        last = text.letters[text.bounds.rfind(1, 0, len(text.letters)) :]
        while True:
            shared = _count_equal(text.letters, start, article.letters, article_start)
            # A text may end within a word, but not within a number.
            if start + shared < len(text.letters) or NUMBER in last:
                while not (text.bounds[start + shared] and article.bounds[article_start + shared]):
                    shared -= 1
            parts.append(_Exact(start, article_start, shared))
            start += shared
            article_start += shared
            changed = self._skip_changed_word(text, article, start, article_start)
            if changed is None:
                return parts
            start += changed[0]
            article_start += changed[1]

    def _skip_changed_word(self, text: Words, article: Words, start: int, article_start: int) -> tuple[int, int] | None:
        """Return the letters of the next words of both, if one is the other with some letters changed.

        One of the two may be split, as by a hyphen.
        """
        words = text.list_words(start, 2)
        others = article.list_words(article_start, 2)
        for of_text, of_article in ((1, 1), (2, 1), (1, 2)):
            word = "".join(words[:of_text])
            other = "".join(others[:of_article])
            # "ne jouez" is not "jouez"
            if of_text != of_article and word != other:
                continue
            if is_changed(word, other) and (word[::-1] if text.is_reversed else word) not in self.known:
                return len(word), len(other)
        return None


def is_changed(word: str, other: str) -> bool:
    """Tell whether a word without digits may be another one with a quarter of its letters changed."""
    most = max(len(word), len(other)) // 4
    if abs(len(word) - len(other)) > most or not most or NUMBER in word or NUMBER in other:
        return False
    return count_changes(word, other, most) <= most


def _find_common_bound(bounds: bytes, article_bounds: bytes, part: _Exact) -> int:
    """Return the first letter of a stretch, counted from its start, with which words of both begin; -1 if none."""
    offset = bounds.find(1, part.text, part.text + part.length + 1)
    while offset >= 0 and not article_bounds[part.article + offset - part.text]:
        offset = bounds.find(1, offset + 1, part.text + part.length + 1)
    return offset - part.text if offset >= 0 else -1


def _count_equal(text: str, start: int, article: str, article_start: int) -> int:
    low = 0
    high = min(len(text) - start, len(article) - article_start)
    while low < high:
        middle = (low + high + 1) // 2
        if text[start + low : start + middle] == article[article_start + low : article_start + middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _is_long(words: Words, start: int, end: int, least: _Least) -> bool:
    """Tell whether letters of a text hold so many words and letters, or are the whole text."""
    if end - start == len(words.letters):
        return True
    count = words.count_words(start, end)
    letters = words.count_letters(start, end)
    # In scripts without blanks a character says more than a letter.
    return count >= least.words and letters * (1.5 if letters < 2 * count else 1) >= least.letters


class _Text:
    """A text that is looked for: its words, the documents that it names, the runs found, and those that were chosen."""

    def __init__(self, text: str, named: Sequence[str]):
        self.text = text
        self.words = split_words(text)
        self.named = dict.fromkeys(named)
        self.aligned: set[str] = set()
        self.runs: list[_Run] = []
        self.cores: list[_Run] = []
        self.chosen: list[_Run] = []

    def hash_letters(self) -> Hashes:
        return hash_grams(encode_text(self.words.letters))

    def find_in_runs(self) -> NDArray[np.bool_]:
        """Tell for each place whether its 16 letters lie in a run that was found."""
        inside = np.zeros(len(self.words.letters), dtype=bool)
        for run in self.runs:
            inside[run.start : max(run.end - WIDTH + 1, run.start)] = True
        return inside

    def list_rivals(self, shared: list[_Candidate], names: list[str]) -> list[str]:
        """List the articles that have half of the seeds of a run that places the text and lies in no longer one."""
        candidates = {names[one.article]: one for one in shared}
        others = [docno for docno in candidates if docno not in self.aligned]
        longest: list[_Run] = []
        listed = []
        for run in sorted(self.runs, key=lambda run: run.start - run.end) if others else ():
            if any(other.start <= run.start and run.end <= other.end for other in longest):
                continue
            if not _is_long(self.words, run.start, run.end, _ANCHOR):
                continue
            longest.append(run)
            own = candidates.get(run.docno)
            least = max(own.count_between(run.start, run.end) / 2, 1) if own else 1
            likely = [docno for docno in others if len(candidates[docno].places) >= least]
            listed += [docno for docno in likely if candidates[docno].count_between(run.start, run.end) >= least]
        return listed

    def align(self, articles: _Articles) -> Alignment | None:
        self.runs.sort(key=lambda run: run.start - run.end - _NAMED_BONUS * (run.docno in self.named))
        rivals = self._choose_anchors()
        alternatives = self._place_around([[rival] for rival in rivals] or [self.chosen], articles)
        if not alternatives or alternatives[0].share < _LEAST_SHARE:
            alternatives = self._place_around(self._list_scattered(articles), articles) or alternatives
        if not alternatives:
            return None
        return Alignment(
            [of_runs.places for of_runs in alternatives],
            alternatives[0].share,
            [of_runs.around for of_runs in alternatives],
            alternatives[0].lacking,
        )

    def _place_around(self, options: list[list[_Run]], articles: _Articles) -> list[_PlacedRuns]:
        """Place the text around the runs of each option."""
        placed = []
        for anchors in filter(None, options):
            self.chosen = anchors
            self._choose_further()
            self.chosen.sort(key=lambda run: run.start)
            placed.append(_PlacedRuns(self, articles))
        return placed

    def _choose_anchors(self) -> list[_Run]:
        """Choose the anchors; without any, return all places of the longest run that lies in several."""
        undecided = self.runs[:_MOST_RUNS]
        rivals: list[_Run] = []
        while True:
            left = []
            for run in undecided:
                piece = self._cut_free(run)
                if piece is None or not _is_long(self.words, piece.start, piece.end, _ANCHOR):
                    continue
                options = self._list_options(piece, self.runs)
                best = self._settle(options)
                if best is None:
                    left.append(run)
                    rivals = rivals or options
                else:
                    self.chosen.append(best)
            if len(left) == len(undecided) or not left:
                return [] if self.chosen else rivals[:MOST_PLACES]
            undecided = left

    def _list_scattered(self, articles: _Articles) -> list[list[_Run]]:
        """List the places in named documents of which short runs, in their order, hold most of the text's words."""
        count_words = self.words.count_words
        most = max(count_words(0, len(self.words.letters)) * _LEAST_SHARE, _SCATTERED_WORDS)
        options: list[list[_Run]] = []
        for core in sorted(self.cores, key=lambda run: run.start - run.end)[:MOST_PLACES]:
            spans = [(runs[0].docno, runs[0].article_start, runs[-1].article_end) for runs in options]
            if any(core.docno == docno and start <= core.article_start < end for docno, start, end in spans):
                continue
            runs = _find_around(self.words, articles.words(core.docno), core)
            count = sum(count_words(run.start, run.end) for run in runs)
            if count >= most:
                options = [runs] if count > most else [*options, runs]
                most = count
        return options

    def _choose_further(self) -> None:
        docnos = {run.docno for run in self.chosen}
        runs = [run for run in self.runs if run.docno in docnos]
        for run in runs:
            piece = self._cut_free(run)
            if piece is not None and _is_long(self.words, piece.start, piece.end, _FURTHER):
                best = self._settle(self._list_options(piece, runs))
                self.chosen.append(piece if best is None else best)

    def _cut_free(self, run: _Run) -> _Run | None:
        """Return the longest part of a run of which no letter is in a run that was chosen."""
        taken = sorted((other.start, other.end) for other in self.chosen)
        free = []
        reach = run.start
        for start, end in taken:
            if start > reach:
                free.append((reach, min(start, run.end)))
            reach = max(reach, end)
        free.append((reach, run.end))
        start, end = max(free, key=lambda part: part[1] - part[0])
        return cut_run(run, start, end, self.words) if start < end else None

    def _list_options(self, piece: _Run, runs: list[_Run]) -> list[_Run]:
        places = {(piece.docno, piece.article_start): piece}
        for run in runs:
            if run.start <= piece.start and run.end >= piece.end:
                other = cut_run(run, piece.start, piece.end, self.words)
                if other is not None and (other.start, other.end) == (piece.start, piece.end):
                    places.setdefault((other.docno, other.article_start), other)
        return list(places.values())

    def _settle(self, options: list[_Run]) -> _Run | None:
        """Choose one of several places: in the document that is named, then the nearest to the other runs."""
        options = [run for run in options if run.docno in self.named] or options
        if len(options) == 1:
            return options[0]
        distances = {i: self._measure_distance(run) for i, run in enumerate(options)}
        nearest = min(distances, key=lambda i: distances[i])
        return options[nearest] if distances[nearest] < float("inf") else None

    def _measure_distance(self, run: _Run) -> float:
        others = [other for other in self.chosen if other.docno == run.docno]
        gaps = (max(o.article_start - run.article_end, run.article_start - o.article_end, 0) for o in others)
        return min(gaps, default=float("inf"))


def cut_run(run: _Run, start: int, end: int, words: Words) -> _Run | None:
    """Return the part of a run within letters of the text, from its first word that is the same to its last."""
    if (start, end) == (run.start, run.end):
        return run
    parts = []
    for part in run.exact:
        first = words.bounds.find(1, max(part.text, start), part.text + part.length + 1)
        last = words.bounds.rfind(1, part.text, min(part.text + part.length, end) + 1)
        if 0 <= first < last:
            parts.append(_Exact(first, part.article + first - part.text, last - first))
    if not parts:
        return None
    return _Run(run.docno, parts[0].text, parts[-1].text + parts[-1].length, parts[0].article,
                parts[-1].article + parts[-1].length, tuple(parts))  # fmt: skip


class _PlacedRuns:
    """The places of the chosen runs of a text, in its order, and the words that it adds or replaces."""

    def __init__(self, text: _Text, articles: _Articles):
        words = text.words
        runs: list[_Run] = []
        for run in text.chosen:
            if runs:
                runs += _find_between(words, articles.words(run.docno), runs[-1], run)
            runs.append(run)
        runs = [
            *_find_line(words, articles, runs[0], 0, runs[0].start),
            *runs,
            *_find_line(words, articles, runs[-1], runs[-1].end, len(words.letters)),
        ]
        self.places: list[Place] = []
        self.lacking: list[Difference] = []
        covered: list[Span] = []
        last: _Run | None = None
        for run in runs:
            of_article = articles.words(run.docno)
            inside = words.find_span(run.start, run.end)
            span = of_article.find_span(run.article_start, run.article_end)
            inside, span = _widen(text.text, inside, articles.texts[run.docno], span)
            covered.append(inside)
            if last is not None and last.docno == run.docno and last.article_end <= run.article_start:
                is_short = words.count_words(last.end, run.start) <= _BEYOND
                added = text.text[covered[-2][1] : inside[0]].strip() if is_short else ""
                if last.article_end < run.article_start:
                    gap = of_article.find_span(last.article_end, run.article_start)
                    self.lacking.append(Difference(run.docno, gap, added))
                else:
                    if added:
                        self.lacking.append(Difference(run.docno, (span[0], span[0]), added))
                    span = (self.places.pop().span[0], span[1])
            self.places.append(Place(run.docno, span))
            last = run
        self._look_beyond(text, articles, runs[-1], False)
        self._look_beyond(text, articles, runs[0], True)
        placed = sum(words.count_words(run.start, run.end) for run in runs)
        self.share = placed / words.count_words(0, len(words.letters))
        self.around = count_outside(text.text, covered)

    def _look_beyond(self, text: _Text, articles: _Articles, run: _Run, before: bool) -> None:
        """Note words next to the first or last run if the text has others in their place, and then the same again."""
        words = text.words
        article = articles.words(run.docno)
        start, article_start = run.end, run.article_end
        if before:
            start, article_start = len(words.letters) - run.start, len(article.letters) - run.article_start
            words, article = words.reversed, article.reversed
        own = words.list_words(start, _BEYOND)
        others = article.list_words(article_start, _BEYOND)
        same = [i for i, (word, other) in enumerate(zip(own, others, strict=False)) if word == other]
        numbers = own and others and NUMBER in own[0] and NUMBER in others[0]
        if not same and not numbers:
            return
        count = same[-1] if same else 1
        end = article_start + sum(map(len, others[:count]))
        if before:
            article_start, end = len(article.letters) - end, len(article.letters) - article_start
        if article_start < end:
            span = articles.words(run.docno).find_span(article_start, end)
            self.lacking.append(Difference(run.docno, span))


def _find_around(words: Words, article: Words, core: _Run) -> list[_Run]:
    """Return a run with shorter ones around it, within twice the letters that the text has there."""
    low = article.bounds.find(1, max(core.article_start - 2 * core.start, 0))
    rest = 2 * (len(words.letters) - core.end)
    high = article.bounds.rfind(1, 0, min(core.article_end + rest, len(article.letters)) + 1)
    first = _Run(core.docno, 0, 0, low, low, ())
    last = _Run(core.docno, len(words.letters), len(words.letters), high, high, ())
    before = _find_between(words, article, first, core, _SCATTERED)
    return [*before, core, *_find_between(words, article, core, last, _SCATTERED)]


def _find_between(words: Words, article: Words, before: _Run, after: _Run, least: _Least = _BETWEEN) -> list[_Run]:
    if before.docno != after.docno or before.article_end >= after.article_start or before.end >= after.start:
        return []
    size = words.count_words(before.end, after.start) * article.count_words(before.article_end, after.article_start)
    if size > _MOST_COMPARED:
        return []
    bounds = words.list_bounds(before.end, after.start)
    article_bounds = article.list_bounds(before.article_end, after.article_start)
    own = [words.letters[first:last] for first, last in pairwise(bounds)]
    others = [article.letters[first:last] for first, last in pairwise(article_bounds)]
    runs = []
    for block in SequenceMatcher(None, own, others, autojunk=False).get_matching_blocks():
        start = bounds[block.a]
        end = bounds[block.a + block.size]
        if block.size >= least.words and words.count_letters(start, end) >= least.letters:
            article_start = article_bounds[block.b]
            exact = _Exact(start, article_start, end - start)
            runs.append(_Run(before.docno, start, end, article_start, article_start + end - start, (exact,)))
    return runs


def _find_line(words: Words, articles: _Articles, run: _Run, start: int, end: int) -> list[_Run]:
    """Find the text before or after all runs, if it is a heading or another line that the article has once."""
    article = articles.words(run.docno)
    letters = words.letters[start:end]
    if words.count_words(start, end) < _LINE.words or words.count_letters(start, end) < _LINE.letters:
        return []
    low, high = (0, run.article_start) if end <= run.start else (run.article_end, len(article.letters))
    found = article.letters.find(letters, low, high)
    if found < 0 or article.letters.find(letters, found + 1, high) >= 0:
        return []
    text = articles.texts[run.docno]
    first, last = article.find_span(found, found + len(letters))
    if any(side.strip(" ")[:1].isalnum() for side in (text[max(first - 9, 0) : first][::-1], text[last : last + 9])):
        return []
    exact = _Exact(start, found, len(letters))
    return [_Run(run.docno, start, end, found, found + len(letters), (exact,))]


def _widen(text: str, inside: Span, article: str, span: Span) -> tuple[Span, Span]:
    """Widen the spans of a run in text and article by white space and punctuation that both have next to it.

    What closes a sentence or a bracket does not belong to the words after it, nor what opens one to those before.
    """
    start, end = inside
    first, last = span
    while start and first and text[start - 1] == article[first - 1] and not _ends_widening(text[start - 1], _CLOSING):
        start -= 1
        first -= 1
    while end < len(text) and last < len(article) and text[end] == article[last]:
        if _ends_widening(text[end], _OPENING):
            break
        end += 1
        last += 1
    return (start, end), (first, last)


def _ends_widening(character: str, other_side: str) -> bool:
    return character in other_side or character.isalnum()


def count_outside(text: str, covered: list[Span]) -> int:
    """Count the characters of a text outside spans, without white space at its ends and at both ends of a gap."""
    outside = 0
    reach = 0
    for start, end in covered:
        part = text[reach:start]
        outside += len(part.strip() if reach else part.lstrip())
        reach = max(reach, end)
    return outside + len(text[reach:].rstrip())
