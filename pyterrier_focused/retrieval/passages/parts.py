"""The parts of the articles of a collection: documents for any indexer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pyterrier as pt
from numpy.typing import NDArray

from ...collection import inside_boilerplate, read_headings
from ...errors import CollectionError, check_choice, warn_caller
from ...frames.articles import ArticleCollection, ElementColumns
from ...frames.ids import make_ids
from ...frames.spans import Ints
from ...frames.text_ids import TEXT_ID, find_text_id
from ...reading.json import Row
from .selectors import Elements, Pattern, Selector, Windows, seams_of, select, selectors
from .usual_parts import UsualParts, choose_usual_parts, mark_metadata

HEADINGS = ("keep", "drop", "add")


@dataclass
class PartsSeen:
    """Notes taken while parts are cut: whether each selector fits, tags, blank parts, articles of nothing else."""

    hits: list[bool]
    tags: set[str] = field(default_factory=set)
    blank: int = 0
    bare: int = 0
    first_bare: str = ""

    def add(self, other: PartsSeen) -> None:
        self.hits = [here or there for here, there in zip(self.hits, other.hits, strict=True)]
        self.tags |= other.tags
        self.blank += other.blank
        self.bare += other.bare
        self.first_bare = self.first_bare or other.first_bare


class Parts:
    """The parts of a collection, for any indexer: an iterable of dicts of `docno` (a passage id) and `text`.

    `Collection.parts` makes it, and says what the arguments are.

    Args:
        verbose: Show a progress bar, which counts articles, whenever the parts are read.
    """

    def __init__(
        self,
        collection: ArticleCollection,
        elements: str | Selector | Iterable[str | Selector] | None = None,
        *,
        titles: bool = False,
        headings: str = "keep",
        exclude: str | None = None,
        min_length: int = 1,
        fields: bool = False,
        verbose: bool = False,
    ):
        check_choice("headings", headings, HEADINGS)
        check_choice("exclude", exclude, (None, "boilerplate"))
        if isinstance(min_length, bool) or not isinstance(min_length, int) or min_length < 1:
            raise ValueError(f"min_length={min_length!r}; give a whole number of at least 1")
        self.collection = collection
        # the default parts, whose selectors may fit nothing; None if elements were named
        self.usual: UsualParts | None = None
        if elements is None:
            self.usual = choose_usual_parts(collection)
            self.selectors = self.usual.selectors
        else:
            self.selectors = selectors(elements)
        self.titles = titles
        self.headings = headings
        self.exclude = exclude
        self.min_length = min_length
        self.fields = fields
        self.verbose = verbose
        self._count: int | None = None
        kept = collection.meta.get("about", {}).get("xml", {}).get("attributes", ())
        for selector in self.selectors:
            if isinstance(selector, Pattern) and (lost := sorted(selector.attributes - set(kept))):
                raise ValueError(
                    f"elements: {selector}: {collection!r} keeps no attribute {lost[0]!r}; build it again with "
                    f"attributes={[*kept, *lost]!r}"
                )

    def __iter__(self) -> Iterator[dict[str, str]]:
        articles = self.collection.articles_with_elements()
        if self.verbose:
            articles = pt.tqdm(articles, total=len(self.collection.lengths()), desc="parts", unit="article")
        seen = PartsSeen([self.usual is not None] * len(self.selectors))
        for article, of_elements in articles:
            try:
                columns = read_elements(of_elements, self.collection.heading_tags)
                start, end = self._select(article, of_elements, columns, seen)
                yield from write_texts(article, columns, start, end, self.headings, self.titles, self.fields)
            except Exception as error:
                raise CollectionError(f"article {article['docno']!r}: its parts cannot be cut: {error}") from error
        self._check(seen)

    def __len__(self) -> int:
        """Count the parts, which reads all articles the first time."""
        if self._count is None:
            seen = PartsSeen([True] * len(self.selectors))
            tags = self.collection.heading_tags
            self._count = sum(
                len(self._select(article, of_elements, read_elements(of_elements, tags), seen)[0])
                for article, of_elements in self.collection.articles_with_elements()
            )
        return self._count

    def __repr__(self) -> str:
        return f"{self.collection!r}.parts({', '.join(map(repr, map(str, self.selectors)))})"

    def describe(self) -> dict[str, Any]:
        """Say what the parts are, for an index of them."""
        usual = None if self.usual is None else {"names": self.usual.names, "share": self.usual.share}
        return {
            "collection": getattr(self.collection, "place", str(self.collection.path)),
            TEXT_ID: find_text_id(self.collection),
            "elements": [repr(selector) for selector in self.selectors],
            "exclude": self.exclude,
            "headings": self.headings,
            "titles": self.titles,
            "usual": usual,
        }

    def _select(
        self, article: dict[str, str], of_elements: ElementColumns, columns: Elements, seen: PartsSeen
    ) -> tuple[Ints, Ints]:
        """Return the starts and ends of an article's parts, and take notes in *seen* for `_check`."""
        parts = select(self.selectors, article["text"], columns, self.min_length)
        start = parts.start
        end = parts.end
        if self.usual is not None:
            kept = ~mark_metadata(columns, start, end)
            start = start[kept]
            end = end[kept]
        bare = parts.blank > 0 and not len(start)
        seen.add(PartsSeen(list(parts.hit), set(columns.tag), parts.blank, int(bare), article["docno"] if bare else ""))
        if self.exclude is not None:
            headings = read_headings(of_elements, article["title"], article["text"], columns.heading_tags)
            kept = ~_mark_boilerplate(columns, headings, start, end)
            start = start[kept]
            end = end[kept]
        return start, end

    def _check(self, seen: PartsSeen) -> None:
        """Raise a ValueError if a selector fitted nothing; warn of blank parts."""
        there = f"its tags are {', '.join(sorted(seen.tags))}"
        for selector in self.selectors if seen.tags else ():
            if isinstance(selector, Windows) and selector.within is not None and selector.within not in seen.tags:
                raise ValueError(f"elements: {selector}: the collection has no such element; {there}")
        if seen.tags and not all(seen.hits):
            idle = ", ".join(str(selector) for selector, hit in zip(self.selectors, seen.hits, strict=True) if not hit)
            raise ValueError(f"elements: nothing in the collection fits {idle}; {there}")
        if seen.blank:
            lost = f"; of {seen.bare} articles nothing is left, such as {seen.first_bare!r}" if seen.bare else ""
            warn_caller(f"{seen.blank} parts hold nothing but white space and are left out{lost}")


def _mark_boilerplate(elements: Elements, headings: list[str], start: Ints, end: Ints) -> NDArray[np.bool_]:
    """Tell for each part [start, end) of an article whether it lies in a section of boilerplate."""
    rows = np.flatnonzero(inside_boilerplate({"title": headings, "parent": elements.parent}))
    inside = np.zeros(len(start), dtype=bool)
    # The outermost ones.
    for row in rows[~np.isin(elements.parent[rows], rows)].tolist():
        inside |= (elements.start[row] <= start) & (end <= elements.end[row])
    return inside


def write_texts(
    article: dict[str, str], elements: Elements, start: Ints, end: Ints, headings: str, titles: bool, fields: bool
) -> Iterator[dict[str, str]]:
    """Yield the parts [start, end) of one article, as `Parts` does."""
    text = article["text"]
    title = article["title"]
    before = [f"{title}\n" if titles else ""] * len(start)
    around = _collect_headings_around(text, elements, start, end) if fields or headings == "add" else [""] * len(start)
    own = _collect_own_headings(text, elements, start, end) if fields else around
    more = {"title": title} if fields else {}
    if headings == "drop":
        text = without_headings(text, elements)
    elif headings == "add":
        before = [lead + above for lead, above in zip(before, around, strict=True)]
    ids = make_ids([article["docno"]] * len(start), start, end)
    seams = seams_of(elements)
    for part, (first, last) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        if fields and headings != "drop":
            more["headings"] = around[part] + own[part]
        yield {"docno": ids[part], **more, "text": before[part] + apart(text, first, last, seams)}


def apart(text: str, start: int, end: int, seams: Ints) -> str:
    """Return the text from *start* to *end* with a space at each seam between two elements.

    XML may have no white space there, and the last word of a heading is not the first of the paragraph below it.
    """
    inside = seams[np.searchsorted(seams, start, side="right") : np.searchsorted(seams, end)].tolist()
    return " ".join(text[a:b] for a, b in pairwise([start, *inside, end]))


def read_elements(columns: Row, heading_tags: Sequence[str]) -> Elements:
    """Read the columns of an article's elements, in a collection whose headings have the tags *heading_tags*."""
    start, end, parent, ordinal = (columns[name].astype(np.int64) for name in ("start", "end", "parent", "ordinal"))
    return Elements(columns["tag"], start, end, parent, ordinal, columns.get("attributes", ()), heading_tags)


def _find_headings(elements: Elements) -> Ints:
    """Return the rows of the headings of an article's sections, without the article's own title."""
    rows = zip(elements.tag, elements.parent.tolist(), strict=True)
    heading = [tag in elements.heading_tags and above > 0 and elements.tag[above] != "header" for tag, above in rows]
    return np.flatnonzero(heading)


def _collect_headings_around(text: str, elements: Elements, start: Ints, end: Ints) -> list[str]:
    """Return the headings of the sections around each part, outermost first, a line each; not those inside it."""
    around = [""] * len(start)
    for row in _find_headings(elements).tolist():
        section = elements.parent[row]
        holds = (elements.start[section] <= start) & (end <= elements.end[section])
        has = (start <= elements.start[row]) & (elements.end[row] <= end)
        line = f"{text[elements.start[row] : elements.end[row]].strip()}\n"
        for part in np.flatnonzero(holds & ~has).tolist():
            around[part] += line
    return around


def _collect_own_headings(text: str, elements: Elements, start: Ints, end: Ints) -> list[str]:
    rows = _find_headings(elements).tolist()
    lines = [f"{text[elements.start[row] : elements.end[row]].strip()}\n" for row in rows]
    spans = [(int(elements.start[row]), int(elements.end[row])) for row in rows]
    return [
        "".join(line for line, (a, b) in zip(lines, spans, strict=True) if first <= a and b <= last)
        for first, last in zip(start.tolist(), end.tolist(), strict=True)
    ]


def without_headings(text: str, elements: Elements) -> str:
    """Return *text* with spaces in place of the headings: offsets stay."""
    for row in _find_headings(elements).tolist():
        first = int(elements.start[row])
        last = int(elements.end[row])
        text = text[:first] + " " * (last - first) + text[last:]
    return text
