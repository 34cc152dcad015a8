"""The places of rewritten texts: the runs of words that they share with the articles.

    article   ... **Cats** sleep all [day](http://x.org) in the sun. They eat fish at noon ...
    text      Pets > Cats: Cats sleep all day in the sun. They drink milk, and they eat fish at noon
    runs                   cats sleep all day, in the sun they              eat fish at noon

1. Articles that share 16 letters with a text, at every eighth place, are its candidates: one pass over the corpus.
2. From each such place words are followed both ways as long as they are the same, or nearly: a run.
3. The longest runs are chosen, each part of the text once; a run of 6 words and 24 letters places the text.
4. Between two runs the words are compared by difflib.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Indel

from ..frames.spans import Span
from .find_texts import MOST_PLACES, WIDTH, Hashes, Place, SeedFilter, encode_text, hash_grams
from .words import Words, count_changes, split_words

# Letters between two seeds of a text: every run of 24 letters holds one.
_STEP = 8
# Letters that occur more often in an article are not looked at there.
_MOST_HITS = 100
# Words of the text times words of the article between two runs that are compared.
_MOST_COMPARED = 20_000
# Words of the text before its first run and after its last that are compared with those of the article.
_BEYOND = 5
# A run in a document that the text names comes before one elsewhere that is longer by fewer letters.
_NAMED_BONUS = 16
_CLOSING = ".,;:!?…)]}。、，！？；：）」』\f"
_OPENING = "([{（「『¿¡\f"


class _Least(NamedTuple):
    words: int
    letters: int


# The least run that places a text, further ones in an article that has one, and those between two others.
_ANCHOR = _Least(6, 24)
_FURTHER = _Least(5, 16)
_BETWEEN = _Least(3, 8)
# In a document that the text names, runs of so many, in order, place it if they hold so many words and half of its own.
_SCATTERED = _Least(2, 7)
_SCATTERED_WORDS = 8
# Text before or after all runs, if it is a line of its own in the article.
_LINE = _Least(2, 8)


class Difference(NamedTuple):
    """Part of an article that a text leaves out, and the few words that it `added` there."""

    docno: str
    span: Span
    added: str = ""


class _Run(NamedTuple):
    """Words that text and article share: [start, end) of the text; `steps` pair the words of both."""

    docno: str
    steps: tuple[tuple[int, int], ...]

    @property
    def start(self) -> int:
        return self.steps[0][0]

    @property
    def end(self) -> int:
        return self.steps[-1][0]

    @property
    def first(self) -> int:
        return self.steps[0][1]

    @property
    def last(self) -> int:
        return self.steps[-1][1]

    def cut(self, start: int, end: int) -> _Run | None:
        """Return the part within words of the text."""
        steps = tuple(step for step in self.steps if start <= step[0] <= end)
        return self._replace(steps=steps) if len(steps) > 1 else None


@dataclass(frozen=True)
class Alignment:
    """The runs of a text, in its order, as places in articles; several lists if the text lies in several places.

    `share` of its words are in the runs; `around` counts, for each list, the characters that are not. `lacking` has the
    parts of the articles between the runs (empty if the text adds words there).
    """

    places: list[list[Place]]
    share: float
    around: list[int]
    lacking: list[Difference]


@dataclass(eq=False)
class _Text:
    text: str
    words: Words
    named: Sequence[str]
    runs: list[_Run] = field(default_factory=list)

    def is_long(self, run: _Run | None, least: _Least) -> bool:
        if run is None:
            return False
        letters = self.words.starts[run.end] - self.words.starts[run.start]
        is_all = run.end - run.start == len(self.words.words)
        return is_all or (run.end - run.start >= least.words and letters >= least.letters)


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
    wanted = [_Text(text, split_words(text), of_text) for text, of_text in zip(texts, named, strict=True)]
    ours = {word for text in wanted for word in text.words.words}
    seeds = [_hash_letters(text.words.letters) for text in wanted]
    seeds = [np.append(every[::_STEP], every[-1:]) for every in seeds]
    every_seed = np.unique(np.concatenate([np.zeros(0, np.uint64), *seeds]))
    held = SeedFilter(every_seed)
    known: set[str] = set()
    holders: list[list[int]] = [[] for _ in every_seed]
    names = list(articles)
    for number, docno in enumerate(names if docnos is None else docnos):
        words = split_words(articles[docno])
        known |= ours.intersection(words.words)
        hashes = _hash_letters(words.letters)
        for seed in np.unique(_find_equal(hashes[held.may_hold(hashes)], every_seed)).tolist():
            holders[seed].append(number)
    of_article: dict[str, list[_Text]] = {}
    for text, hashes in zip(wanted, seeds, strict=True):
        found = [holders[i] for i in every_seed.searchsorted(hashes).tolist()]
        rare = [numbers for numbers in found if 0 < len(numbers) <= MOST_PLACES] or found
        for docno in dict.fromkeys([*text.named, *(names[number] for number in _list_candidates(rare))]):
            of_article.setdefault(docno, []).append(text)
    for docno, members in of_article.items():
        words = split_words(articles[docno])
        hashes = _hash_letters(words.letters)
        order = np.argsort(hashes, kind="stable")
        for text in members:
            text.runs += _find_runs(text, docno, words, hashes[order], order, known)
    return [_align(text, articles) for text in wanted]


def _list_candidates(holders: Sequence[Sequence[int]]) -> Iterable[int]:
    """Yield the articles that have half as many seeds as the best one, and those that have one which no other has."""
    shared: dict[int, set[int]] = {}
    for seed, numbers in enumerate(holders):
        for number in numbers[:MOST_PLACES]:
            shared.setdefault(number, set()).add(seed)
    best = sorted(shared, key=lambda number: -len(shared[number]))[:MOST_PLACES]
    covered: set[int] = set()
    for number in best:
        if 2 * len(shared[number]) >= len(shared[best[0]]) or not shared[number] <= covered:
            covered |= shared[number]
            yield number


def _find_equal(hashes: Hashes, known: Hashes) -> np.ndarray:
    """Return the positions in *known*, which is sorted, of those hashes that are there."""
    positions = np.minimum(known.searchsorted(hashes), len(known) - 1)
    return positions[known[positions] == hashes] if len(known) else positions[:0]


def _hash_letters(letters: str) -> Hashes:
    return hash_grams(encode_text(letters)) if len(letters) >= WIDTH else np.zeros(0, np.uint64)


def _find_runs(
    text: _Text, docno: str, words: Words, hashes: Hashes, order: np.ndarray, known: set[str]
) -> Iterable[_Run]:
    """Find the runs of a text in an article, from the letters that both have."""
    own = text.words
    every = _hash_letters(own.letters)
    offsets = np.append(np.arange(0, len(every), _STEP), len(every) - 1)[: len(every)]
    low = hashes.searchsorted(every[offsets], side="left")
    high = hashes.searchsorted(every[offsets], side="right")
    seen: set[tuple[int, int]] = set()
    for offset, first, last in zip(offsets.tolist(), low.tolist(), high.tolist(), strict=True):
        for place in order[first:last].tolist() if last - first <= _MOST_HITS else ():
            i = own.find(offset)
            k = words.find(place)
            # Some word begins in both at the same letter of the seed.
            while (
                own.starts[i] - offset != words.starts[k] - place
                and max(own.starts[i] - offset, words.starts[k] - place) <= WIDTH
            ):
                if own.starts[i] - offset < words.starts[k] - place:
                    i += 1
                else:
                    k += 1
                if i >= len(own.starts) or k >= len(words.starts):
                    break
            if (
                i >= len(own.starts)
                or k >= len(words.starts)
                or own.starts[i] - offset != words.starts[k] - place
                or (i, k) in seen
            ):
                continue
            after = _follow(own.words[i:], words.words[k : k + 2 * (len(own.words) - i) + 2], known, False)
            before = _follow(own.words[:i][::-1], words.words[max(k - 2 * i - 2, 0) : k][::-1], known, True)
            steps = (*((i - a, k - b) for a, b in reversed(before)), *((i + a, k + b) for a, b in after[1:]))
            seen.update(steps)
            run = _Run(docno, steps)
            if text.is_long(run, _FURTHER):
                yield run


def _follow(own: Sequence[str], others: Sequence[str], known: set[str], is_reversed: bool) -> list[tuple[int, int]]:
    """Pair words from the first ones on as long as they are the same, or nearly so; one of two may be split."""
    i = k = 0
    steps = [(0, 0)]
    while i < len(own) and k < len(others):
        if own[i] == others[k]:
            i, k = i + 1, k + 1
        else:
            for a, b in ((1, 1), (2, 1), (1, 2)):
                word, other = (
                    "".join(part[::-1] if is_reversed else part) for part in (own[i : i + a], others[k : k + b])
                )
                is_end = i + a == len(own) and not is_reversed and a == b == 1
                if word == other or (a == b == 1 and word not in known and is_changed(word, other)):
                    break
                if is_end and other.startswith(word) and not any(map(str.isdigit, word)):
                    break
            else:
                return steps
            i, k = i + a, k + b
        steps.append((i, k))
    return steps


def is_changed(word: str, other: str) -> bool:
    """Tell whether a word without digits may be another one with a quarter of its letters changed."""
    most = max(len(word), len(other)) // 4
    if abs(len(word) - len(other)) > most or not most or any(map(str.isdigit, word + other)):
        return False
    return count_changes(word, other, most) <= most


def _align(text: _Text, articles: Mapping[str, str]) -> Alignment | None:
    starts = text.words.starts

    def rank(run: _Run) -> int:
        return starts[run.start] - starts[run.end] - _NAMED_BONUS * (run.docno in text.named)

    runs = sorted(text.runs, key=rank)
    chosen: list[_Run] = []
    rivals: list[_Run] = []
    for least in (_ANCHOR, _ANCHOR, _FURTHER):
        docnos = {run.docno for run in chosen}
        for run in runs:
            piece = _cut_free(run, chosen)
            if piece is None or not text.is_long(piece, least) or (least is _FURTHER and run.docno not in docnos):
                continue
            others = (
                other.cut(piece.start, piece.end)
                for other in runs
                if other.start <= piece.start and other.end >= piece.end
            )
            options = {
                (run.docno, run.first): run
                for run in (piece, *(other for other in others if other is not None))
                if (run.start, run.end) == (piece.start, piece.end)
            }
            best = _settle([*options.values()], chosen, text.named)
            if best is not None:
                chosen.append(best)
            elif not chosen:
                rivals = rivals or [*options.values()][:MOST_PLACES]
    ways = [chosen] if chosen else [[rival] for rival in rivals]
    if 2 * sum(run.end - run.start for run in chosen) < len(text.words.words):
        scattered = (_find_scattered(text, docno, articles[docno]) for docno in text.named)
        ways = [runs for runs in scattered if runs] or ways
    if not ways:
        return None
    found = [_PlacedRuns(text, way, articles) for way in ways]
    return Alignment([of.places for of in found], found[0].share, [of.around for of in found], found[0].lacking)


def _find_scattered(text: _Text, docno: str, article: str) -> list[_Run]:
    """Find short runs in a document that the text names, if they hold half of its words in little more room."""
    own, others = text.words.words, split_words(article).words
    blocks = [b for b in Indel.opcodes(own, others).as_matching_blocks() if b.size >= _SCATTERED.words]
    blocks = [b for b in blocks if sum(map(len, own[b.a : b.a + b.size])) >= _SCATTERED.letters]
    count = sum(block.size for block in blocks)
    if count < max(_SCATTERED_WORDS, len(own) / 2) or blocks[-1].b - blocks[0].b > 2 * len(own):
        return []
    return [_Run(docno, tuple((b.a + n, b.b + n) for n in range(b.size + 1))) for b in blocks]


def _cut_free(run: _Run, chosen: list[_Run]) -> _Run | None:
    """Return the longest part of a run of which no word is in a run that was chosen."""
    reach = run.start
    free = []
    for start, end in sorted((other.start, other.end) for other in chosen):
        free.append((reach, min(start, run.end)))
        reach = max(reach, end)
    start, end = max([*free, (reach, run.end)], key=lambda part: part[1] - part[0])
    return run.cut(start, end)


def _settle(options: list[_Run], chosen: list[_Run], named: Sequence[str]) -> _Run | None:
    """Choose one of several places: in the document that is named, then the nearest to the other runs."""
    options = [run for run in options if run.docno in named] or options
    if len(options) == 1:
        return options[0]

    def measure_distance(run: _Run) -> float:
        gaps = (max(o.first - run.last, run.first - o.last, 0) for o in chosen if o.docno == run.docno)
        return min(gaps, default=float("inf"))

    nearest = min(options, key=measure_distance)
    return nearest if measure_distance(nearest) < float("inf") else None


class _PlacedRuns:
    """The places of the chosen runs of a text, in its order, and the words that it adds or leaves out."""

    def __init__(self, text: _Text, chosen: list[_Run], articles: Mapping[str, str]):
        words = {run.docno: split_words(articles[run.docno]) for run in chosen}
        runs: list[_Run] = []
        for run in sorted(chosen, key=lambda run: run.start):
            runs += _find_between(text, words[run.docno], runs[-1], run) if runs else []
            runs.append(run)
        first, last_run = runs[0], runs[-1]
        runs = [
            *_find_line(text, words[first.docno], articles[first.docno], first, 0, first.start),
            *runs,
            *_find_line(
                text, words[last_run.docno], articles[last_run.docno], last_run, last_run.end, len(text.words.words)
            ),
        ]
        self.places: list[Place] = []
        self.lacking: list[Difference] = []
        covered: list[Span] = []
        for last, run in zip([None, *runs], runs, strict=False):
            article = articles[run.docno]
            of_article = words[run.docno].spans
            inside = (text.words.spans[run.start][0], text.words.spans[run.end - 1][1])
            span = (of_article[run.first][0], of_article[run.last - 1][1])
            if (
                run.end == len(text.words.words)
                and (cut := len(words[run.docno].words[run.last - 1]) - len(text.words.words[-1])) > 0
            ):
                span = (
                    (span[0], span[1] - cut)
                    if words[run.docno].words[run.last - 1].startswith(text.words.words[-1])
                    else span
                )
            inside, span = _widen(text.text, inside, article, span)
            covered.append(inside)
            if last is not None and last.docno == run.docno and last.last <= run.first:
                is_short = run.start - last.end <= _BEYOND
                added = text.text[covered[-2][1] : inside[0]].strip() if is_short else ""
                if last.last < run.first:
                    gap = (of_article[last.last][0], of_article[run.first - 1][1])
                    self.lacking.append(Difference(run.docno, gap, added))
                else:
                    if added:
                        self.lacking.append(Difference(run.docno, (span[0], span[0]), added))
                    span = (self.places.pop().span[0], span[1])
            self.places.append(Place(run.docno, span))
        self.lacking += _look_beyond(text.words, words[runs[-1].docno], runs[-1], is_before=False)
        self.lacking += _look_beyond(text.words, words[runs[0].docno], runs[0], is_before=True)
        self.share = sum(run.end - run.start for run in runs) / len(text.words.words)
        self.around = count_outside(text.text, covered)


def _look_beyond(words: Words, article: Words, run: _Run, is_before: bool) -> list[Difference]:
    """Note words next to the first or last run if the text has others in their place, and then the same again."""
    if is_before:
        own = words.words[max(run.start - _BEYOND, 0) : run.start][::-1]
        others = article.words[max(run.first - _BEYOND, 0) : run.first][::-1]
    else:
        own = words.words[run.end : run.end + _BEYOND]
        others = article.words[run.last : run.last + _BEYOND]
    same = [i for i, (word, other) in enumerate(zip(own, others, strict=False)) if word == other]
    has_numbers = bool(own and others) and all(any(map(str.isdigit, side[0])) for side in (own, others))
    count = same[-1] if same else int(has_numbers)
    if not count:
        return []
    first, last = (run.first - count, run.first) if is_before else (run.last, run.last + count)
    return [Difference(run.docno, (article.spans[first][0], article.spans[last - 1][1]))]


def _find_line(text: _Text, article: Words, whole: str, run: _Run, start: int, end: int) -> list[_Run]:
    """Find the text before or after all runs, if it is a heading or another line that the article has once."""
    own = text.words.words[start:end]
    if len(own) < _LINE.words or sum(map(len, own)) < _LINE.letters:
        return []
    low, high = (0, run.first) if end <= run.start else (run.last, len(article.words))
    found = [at for at in range(low, high - len(own) + 1) if article.words[at : at + len(own)] == own]
    if len(found) != 1:
        return []
    first, last = article.spans[found[0]][0], article.spans[found[0] + len(own) - 1][1]
    if any(side.strip(" ")[:1].isalnum() for side in (whole[max(first - 9, 0) : first][::-1], whole[last : last + 9])):
        return []
    return [_Run(run.docno, tuple((start + n, found[0] + n) for n in range(len(own) + 1)))]


def _find_between(text: _Text, article: Words, before: _Run, after: _Run) -> list[_Run]:
    if before.docno != after.docno or before.last >= after.first or before.end >= after.start:
        return []
    own = text.words.words[before.end : after.start]
    others = article.words[before.last : after.first]
    if len(own) * len(others) > _MOST_COMPARED:
        return []
    runs = []
    for block in SequenceMatcher(None, own, others, autojunk=False).get_matching_blocks():
        if block.size >= _BETWEEN.words and sum(map(len, own[block.a : block.a + block.size])) >= _BETWEEN.letters:
            steps = tuple((before.end + block.a + n, before.last + block.b + n) for n in range(block.size + 1))
            runs.append(_Run(before.docno, steps))
    return runs


def _widen(text: str, inside: Span, article: str, span: Span) -> tuple[Span, Span]:
    """Widen the spans of a run in text and article by white space and punctuation that both have next to it."""
    start, end = inside
    first, last = span
    while start and first and text[start - 1] == article[first - 1] and not _ends_widening(text[start - 1], _CLOSING):
        start, first = start - 1, first - 1
    while (
        end < len(text)
        and last < len(article)
        and text[end] == article[last]
        and not _ends_widening(text[end], _OPENING)
    ):
        end, last = end + 1, last + 1
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
