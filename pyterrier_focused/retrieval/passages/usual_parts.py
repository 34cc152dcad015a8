"""The parts of a collection that are indexed by default: those that hold its text in readable pieces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...frames.articles import ArticleCollection, ElementColumns
from ...frames.spans import Ints
from .selectors import Elements, Pattern, Selector, Windows

# the tags of sections at every level and of paragraphs, in MediaWiki collections and in INEX
SECTIONS = ("section", "sec", "ss1", "ss2", "ss3", "ss4", "p")

# Sections and paragraphs are taken if they hold this share of the text, other elements until they hold the second.
_ENOUGH = 0.9
_ALL = 0.95
# Elements that hold less than this share of the text, or parts so long for half of it, give way to windows.
_TOO_LITTLE = 0.8
_TOO_LONG = 5_000
# A kind of element that adds less than this share is left out.
_LEAST_GAIN = 0.02
_LEAST_LENGTH = 100
_GREATEST_LENGTH = 2_000
_PER_ARTICLE = 2
_WINDOW = 1_000
# The most articles, and characters, of a collection that are sampled.
_MOST_ARTICLES = 2_000
_MOST_CHARACTERS = 10_000_000
_METADATA = frozenset(("teiHeader", "front", "frontmatter", "ref-list", "meta"))


@dataclass(frozen=True)
class UsualParts:
    """The parts of a collection that are indexed by default.

    Attributes:
        selectors: The selectors of the parts.
        names: Their names: the tags that occur, or 'windows of 1,000 characters'.
        share: The share of the text outside metadata that they hold, white space not counted.
    """

    selectors: tuple[Selector, ...]
    names: tuple[str, ...]
    share: float


@dataclass(frozen=True)
class BodyWindows(Windows):
    """Windows that do not reach into metadata."""

    def _find_borders(self, elements: Elements) -> Ints:
        return np.unique(np.array(find_metadata(elements.tag, elements.start, elements.end), dtype=np.int64))


def find_metadata(tags: Sequence[str], start: Ints, end: Ints) -> list[tuple[int, int]]:
    """Return the stretches [start, end) of an article that are metadata: headers, references, front matter.

    The abstract in the front matter belongs to the text.
    """
    names = [tag.rpartition(":")[2] for tag in tags]
    rows = [row for row, name in enumerate(names) if name in _METADATA or name.lower().endswith("info")]
    stretches: list[tuple[int, int]] = []
    for row in rows:
        place = int(start[row])
        last = int(end[row])
        if stretches and last <= stretches[-1][1]:
            continue
        for inner in range(row + 1, len(names)) if names[row] == "front" else ():
            if start[inner] >= last:
                break
            if names[inner] == "abstract" and start[inner] >= place:
                stretches.append((place, int(start[inner])))
                place = int(end[inner])
        stretches.append((place, last))
    return [(first, last) for first, last in stretches if first < last]


def mark_metadata(elements: Elements, start: Ints, end: Ints) -> NDArray[np.bool_]:
    """Tell for each part [start, end) of an article whether it lies in its metadata."""
    inside = np.zeros(len(start), dtype=bool)
    for first, last in find_metadata(elements.tag, elements.start, elements.end):
        inside |= (first <= start) & (end <= last)
    return inside


def choose_usual_parts(collection: ArticleCollection) -> UsualParts:
    """Choose the parts of a collection that are indexed by default.

    Sections and paragraphs, if they hold 90% of the text. Otherwise the kinds of elements that occur twice an article
    and have half of their text in elements of 100 to 2,000 characters, those that add most text first. If these hold
    less than 80%, or half of the text is in parts of over 5,000 characters: windows of 1,000 characters.
    """
    texts = _SampledTexts(_take_sample(collection))
    if not texts.total:
        return UsualParts(tuple(map(Pattern, SECTIONS)), SECTIONS, 1.0)
    tags = {tag: texts.spans[tag] for tag in texts.spans if tag.rpartition(":")[2] in SECTIONS}
    found = texts.paint(span for spans in tags.values() for span in spans)
    if found.share >= _ENOUGH and found.median <= _TOO_LONG:
        names = sorted(tags, key=lambda tag: SECTIONS.index(tag.rpartition(":")[2]))
        return UsualParts(tuple(map(Pattern, SECTIONS)), tuple(names), found.share)
    chosen = texts.choose_tags()
    found = texts.paint(span for tag in chosen for span in texts.spans[tag])
    if found.share >= _TOO_LITTLE and found.median <= _TOO_LONG:
        return UsualParts(tuple(map(Pattern, chosen)), tuple(chosen), found.share)
    return UsualParts((BodyWindows(_WINDOW),), (f"windows of {_WINDOW:,} characters",), 1.0)


def _take_sample(collection: ArticleCollection) -> Iterable[tuple[str, ElementColumns]]:
    """Yield texts and elements of articles that lie evenly in the collection; of a small one, of all of them."""
    lengths = collection.lengths()
    mean = max(int(lengths["length"].mean()) if len(lengths) else 1, 1)
    count = min(len(lengths), _MOST_ARTICLES, max(_MOST_CHARACTERS // mean, 1))
    docnos = lengths["docno"].iloc[np.arange(count) * len(lengths) // max(count, 1)].tolist()
    for article in collection.articles(docnos):
        yield article["text"], collection.element_columns(article["docno"])


@dataclass(frozen=True)
class _Held:
    """The share of the text that parts hold, and the median length of the smallest part around a character."""

    share: float
    median: int


class _SampledTexts:
    """Texts one after another: which characters count, and where the elements of each tag are."""

    def __init__(self, articles: Iterable[tuple[str, ElementColumns]]):
        self.spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
        counted = [np.zeros(0, dtype=bool)]
        place = 0
        self._articles = 0
        for text, columns in articles:
            start = columns["start"].astype(np.int64)
            end = columns["end"].astype(np.int64)
            counts = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32) > ord(" ")
            for first, last in find_metadata(columns["tag"], start, end):
                counts[first:last] = False
            elements = Elements(columns["tag"], start, end, columns["parent"], columns["ordinal"])
            kept = ~mark_metadata(elements, start, end) & (end > start)
            for row in np.flatnonzero(kept).tolist():
                self.spans[columns["tag"][row]].append((place + int(start[row]), place + int(end[row])))
            counted.append(counts)
            place += len(text)
            self._articles += 1
        self._counted = np.concatenate(counted)
        self.total = int(self._counted.sum())

    def paint(self, spans: Iterable[tuple[int, int]]) -> _Held:
        smallest = np.zeros(len(self._counted), dtype=np.int32)
        for first, last in sorted(spans, key=lambda span: span[0] - span[1]):
            smallest[first:last] = last - first
        held = smallest[self._counted & (smallest > 0)]
        return _Held(len(held) / self.total, int(np.median(held)) if len(held) else 0)

    def choose_tags(self) -> list[str]:
        """Return the tags of elements that hold the text in pieces of a fair length, the greatest gain first."""
        left = self._counted.copy()
        gains = {tag: self._count(tag, left) for tag, spans in self.spans.items() if self._is_fair(spans)}
        chosen: list[str] = []
        while gains and left.sum() > (1 - _ALL) * self.total:
            # A gain only shrinks, so that the tags of smaller ones need no new look.
            tag = max(gains, key=lambda name: gains[name])
            gains[tag] = self._count(tag, left)
            if gains[tag] < max(gains.values()):
                continue
            if gains[tag] < _LEAST_GAIN * self.total:
                break
            chosen.append(tag)
            for first, last in self.spans[tag]:
                left[first:last] = False
            del gains[tag]
        return chosen

    def _is_fair(self, spans: Sequence[tuple[int, int]]) -> bool:
        """Tell whether elements are many enough, and neither too short nor too long for half of their characters."""
        lengths = np.sort([last - first for first, last in spans])
        middle = lengths[np.searchsorted(np.cumsum(lengths), lengths.sum() / 2)]
        return len(spans) >= _PER_ARTICLE * self._articles and _LEAST_LENGTH <= middle <= _GREATEST_LENGTH

    def _count(self, tag: str, left: NDArray[np.bool_]) -> int:
        """Return how many of the characters that are left are in elements of a tag."""
        inside = np.zeros(len(left), dtype=bool)
        for first, last in self.spans[tag]:
            inside[first:last] = True
        return int((inside & left).sum())
