"""Which parts of an article are indexed: elements by tag or path, leaves, windows over the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol
from urllib.parse import quote

import numpy as np

from ...collection import write_paths
from ...errors import check_choice
from ...frames.spans import Ints
from .sentences import sentence_spans, word_spans

_STEP = re.compile(
    r"""
    (?P<gap> //? )
    (?P<name> [^/\[\]\s@]+ )
    (?: \[ (?P<position> \d+ ) \] | (?P<predicates> (?: \[ @ [^\s\]='"]+ (?: = (?: '[^']*' | "[^"]*" ) )? \] )+ ) )?
    """,
    re.VERBOSE,
)
_PREDICATE = re.compile(
    r"""\[ @ (?P<name> [^\s\]='"]+ ) (?: = (?: '(?P<single>[^']*)' | "(?P<double>[^"]*)" ) )? \]""", re.VERBOSE
)
_UNITS = ("chars", "words", "sentences")


class Elements(NamedTuple):
    """The elements of one article in document order, a column each; `parent` is a row number, -1 for the root.

    Ordinals count from 1 among the siblings of the same tag.
    """

    tag: list[str]
    start: Ints
    end: Ints
    parent: Ints
    ordinal: Ints
    # those that the collection keeps, a mapping each, or none
    attributes: Sequence[Mapping[str, str]] = ()
    # of the collection
    heading_tags: Sequence[str] = ()


class Spanned(Protocol):
    """Anything with the columns `start` and `end`."""

    @property
    def start(self) -> Ints:
        """The offset at which each begins."""

    @property
    def end(self) -> Ints:
        """The offset at which each ends."""


_NONE: Ints = np.zeros(0, dtype=np.int64)
# For windows, which slide over the text only.
NO_ELEMENTS = Elements([], _NONE, _NONE, _NONE, _NONE)


@dataclass(frozen=True)
class Leaves:
    """Select the elements that contain no other element.

    Example:
        >>> none = np.zeros(3, dtype=np.int64)
        >>> start, end, parent = np.array([0, 0, 10]), np.array([30, 10, 30]), np.array([-1, 0, 0])
        >>> start, end = Leaves().spans("", Elements(["article", "title", "p"], start, end, parent, none + 1))
        >>> start.tolist(), end.tolist()
        ([0, 10], [10, 30])
    """

    def spans(self, text: str, elements: Elements) -> tuple[Ints, Ints]:
        """Return the (start, end) columns of the parts of one article."""
        leaf = np.ones(len(elements.start), dtype=bool)
        leaf[elements.parent[elements.parent >= 0]] = False
        return elements.start[leaf], elements.end[leaf]


@dataclass(frozen=True)
class Windows:
    """Windows that slide over an article's text, whatever its elements or within those of a tag.

    The last window of an article, or up to a border, is the first that reaches the end, and may be shorter.

    Args:
        size: The length of a window, in *unit*.
        stride: The distance between the starts of windows, in *unit*; without it windows touch.
        unit: 'chars', 'words' (runs without white space) or 'sentences'.
        within: A tag, such as 'section': no window crosses the border of such an element; there windows begin again.

    Example:
        >>> start, end = Windows(2, 1, "words").spans("A cat sat.", NO_ELEMENTS)
        >>> start.tolist(), end.tolist()
        ([0, 2], [5, 10])
    """

    size: int
    stride: int | None = None
    unit: str = "chars"
    within: str | None = None

    def __post_init__(self) -> None:
        check_choice("Windows: unit", self.unit, _UNITS)
        for name, value in (("size", self.size), ("stride", self.stride)):
            if isinstance(value, bool) or not isinstance(value, int | None) or (value is not None and value < 1):
                raise ValueError(f"Windows: {name}={value!r}; give a whole number of at least 1")
        if self.size is None:
            raise ValueError("Windows: size=None; give a whole number of at least 1")
        if self.within is not None and (
            not isinstance(self.within, str) or not re.fullmatch(r"[^/\[*\s]+", self.within)
        ):
            raise ValueError(f"Windows: within={self.within!r}; give the tag of elements, such as 'section'")

    def spans(self, text: str, elements: Elements) -> tuple[Ints, Ints]:
        borders = self._find_borders(elements)
        if self.unit == "chars":
            starts: Ints = np.arange(len(text))
            ends: Ints = starts + 1
        else:
            seams = np.union1d(seams_of(elements), borders)
            starts, ends = _find_units(word_spans if self.unit == "words" else sentence_spans, text, seams)
        return self.join_units(starts, ends, borders)

    def join_units(self, starts: Ints, ends: Ints, borders: Ints = _NONE) -> tuple[Ints, Ints]:
        """Return the (start, end) columns of the windows over units, whose starts ascend."""
        parts = [0, *np.searchsorted(starts, borders).tolist(), len(starts)]
        places = [self._cut_windows(first, last) for first, last in pairwise(parts) if first < last]
        if not places:
            return starts, ends
        first, last = (np.concatenate(column) for column in zip(*places, strict=True))
        return starts[first], ends[last]

    def _find_borders(self, elements: Elements) -> Ints:
        inside = np.array([self.within == tag for tag in elements.tag], dtype=bool)
        return np.union1d(elements.start[inside], elements.end[inside])

    def _cut_windows(self, begin: int, end: int) -> tuple[Ints, Ints]:
        """Return the first and last unit of each window: of 0 to 10, in windows of 4, 3 apart: 0-3, 3-6, 6-9."""
        stride = self.stride or self.size
        first: Ints = np.arange(begin, max(end - self.size, begin) + stride, stride)
        first = first[first < end]
        return first, np.minimum(first + self.size, end) - 1


@dataclass(frozen=True)
class Pattern:
    """The elements whose tag is named, or whose path matches an XPath-like pattern.

    `section` is every section, `/article/section` those right below the article, `//section/p` paragraphs right in a
    section, `//section//p` paragraphs anywhere in one, `//section[1]` first sections, `*` any tag. `article` is the
    whole article, whatever its root is called. `//div[@type='act']` and `//div[@type]` ask for attributes that the
    collection keeps. A tag without a prefix is that of any namespace: `div` takes `tei:div` too.
    """

    pattern: str

    def __str__(self) -> str:
        return repr(self.pattern)

    @property
    def attributes(self) -> set[str]:
        """The names of the attributes that are asked for."""
        return {match["name"] for match in _PREDICATE.finditer(self.pattern)}

    def spans(self, text: str, elements: Elements) -> tuple[Ints, Ints]:
        if "/" not in self.pattern and "[" not in self.pattern:
            tags = {tag for tag in set(elements.tag) if self.pattern in (tag, tag.rpartition(":")[2], "*")}
            chosen = np.array([tag in tags for tag in elements.tag], dtype=bool)
            if self.pattern == "article":
                # The whole of it, whatever its root is called.
                chosen[:1] = True
        else:
            matches = path_regex(self.pattern).fullmatch
            names = elements.tag
            if self.attributes and elements.attributes:
                names = [name + _write_attributes(own) for name, own in zip(names, elements.attributes, strict=True)]
            paths = write_paths(names, elements.parent, elements.ordinal)
            chosen = np.array([matches(path) is not None for path in paths], dtype=bool)
        return elements.start[chosen], elements.end[chosen]


Selector = Pattern | Leaves | Windows


def selectors(elements: str | Selector | Iterable[str | Selector]) -> tuple[Selector, ...]:
    """Read the argument `elements=` of an index. Raises ValueError for anything that is not a selector."""
    several = [elements] if isinstance(elements, str | Pattern | Leaves | Windows) else list(elements)
    if not several:
        raise ValueError("elements=(): name at least one tag or pattern, Leaves() or Windows(...)")
    chosen: list[Selector] = []
    for selector in several:
        if isinstance(selector, str):
            path_regex(selector)
            chosen.append(Pattern(selector))
        elif isinstance(selector, Pattern | Leaves | Windows):
            chosen.append(selector)
        else:
            raise ValueError(f"elements: {selector!r} is not a tag, pattern, Leaves() or Windows(...)")
    return tuple(chosen)


@dataclass(frozen=True)
class Selected:
    """The parts of one article, [start, end), which of the selectors chose any, and how many were blank."""

    start: Ints
    end: Ints
    hit: list[bool]
    blank: int


def select(chosen: tuple[Selector, ...], text: str, elements: Elements, min_length: int) -> Selected:
    """Choose the parts of one article.

    Each span comes once, in document order, outer before inner. Parts of white space only, and those of fewer than
    *min_length* characters, are left out.
    """
    columns = [selector.spans(text, elements) for selector in chosen]
    distinct = {span for start, end in columns for span in zip(start.tolist(), end.tolist(), strict=True)}
    filled = [(first, -last) for first, last in distinct if first < last and not text[first:last].isspace()]
    spans = sorted((first, last) for first, last in filled if -last - first >= min_length)
    array = np.array(spans, dtype=np.int64).reshape(len(spans), 2)
    hit = [len(first) > 0 for first, _ in columns]
    return Selected(array[:, 0], -array[:, 1], hit, len(distinct) - len(filled))


def seams_of(elements: Spanned) -> Ints:
    """Return the offsets at which one element ends and another begins: words that meet there are two, not one.

    start  0  0  12  30    ->  12 30
    end    50 12 30  50
    """
    # Most articles have few elements, for which sets are several times as fast as np.intersect1d.
    return np.array(sorted({*elements.start.tolist()} & {*elements.end.tolist()}), dtype=np.int64)


def _find_units(spans: Callable[[str], tuple[Ints, Ints]], text: str, seams: Ints) -> tuple[Ints, Ints]:
    found = [(a, *spans(text[a:b])) for a, b in pairwise([0, *seams[(seams > 0) & (seams < len(text))], len(text)])]
    return np.concatenate([a + start for a, start, _ in found]), np.concatenate([a + end for a, _, end in found])


def path_regex(pattern: str) -> re.Pattern[str]:
    """Read an XPath-like pattern as a regular expression over element paths, whose `[1]` may be left out."""
    text = pattern if pattern.startswith("/") else f"//{pattern}"
    steps = list(_STEP.finditer(text))
    if "".join(step[0] for step in steps) != text:
        raise ValueError(
            f"elements: {pattern!r} is not a tag or pattern; write a tag ('section'), or steps with / and // "
            "('/article/section', '//section[1]//p', \"//div[@type='act']\", '*' for any tag)"
        )
    regex = ""
    for step in steps:
        prefix = "" if ":" in step["name"] else r"(?:[^/\[@:]+:)?"
        tag = r"[^/\[@]+" if step["name"] == "*" else prefix + re.escape(step["name"])
        gap = "(?:/[^/]+)*" if step["gap"] == "//" else ""
        regex += f"{gap}/{tag}{_match_attributes(step['predicates'] or '')}{_write_position(step['position'])}"
    return re.compile(regex)


def _write_attributes(attributes: Mapping[str, str]) -> str:
    """Write attributes into a step of a path, as `@type=act@n=1`."""
    return "".join(f"@{name}={quote(value, safe='')}" for name, value in attributes.items())


def _match_attributes(predicates: str) -> str:
    """Return the regular expression for the output of `_write_attributes` on elements with these attributes."""
    regex = ""
    for match in _PREDICATE.finditer(predicates):
        value = match["single"] if match["single"] is not None else match["double"]
        wanted = "" if value is None else re.escape(quote(value, safe="")) + r"[@\[]"
        regex += rf"(?=[^/\[]*@{re.escape(match['name'])}={wanted})"
    return regex + r"(?:@[^/\[]*)?"


def _write_position(number: str | None) -> str:
    """Return the regular expression for the position of a step; paths may leave out `[1]`."""
    if number is None:
        return r"(?:\[\d+\])?"
    if number == "1":
        return r"(?:\[1\])?"
    return rf"\[{number}\]"
