"""An article's text as a sequence of nested blocks and of spans, each either highlighted, or retrieved, or both."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from .article import Element, TopicArticle, shown_spans

VERBATIM = {"pre", "programlisting", "screen", "literallayout", "synopsis", "preformat", "eg", "egxml"}
SECTIONS = {"article", "bdy", "body", "sec", "section", "ss", "chapter", "appendix", "act", "scene", "div", "norm"}
SECTIONS |= {f"{name}{i}" for name in ("ss", "sect", "div") for i in range(1, 10)}
HEADINGS = {"title", "st", "h", "head", "heading"}
# Metadata in the headers of INEX.
METADATA = {"id", "categories", "revision", "contributor"}
PARAGRAPHS = {"p", "ip1", "item", "li", "entry", "row", "caption", "paragraph", "blockquote", "figure", "image"}
# Of DocBook, TEI and plays, and of German statutes.
PARAGRAPHS |= {"para", "simpara", "ab", "l", "line", "la"}
GROUPS = {"list", "normallist", "numberlist", "definitionlist", "ul", "ol", "table", "template", "header"}
GROUPS |= {"sp", "speech", "lg"}
BLOCKS = SECTIONS | HEADINGS | METADATA | PARAGRAPHS | GROUPS | VERBATIM
# Lines of code, of lists within lists, and of tables.
_INDENTED = re.compile(r"^[ \t|]", re.MULTILINE)


class BlockStart(NamedTuple):
    """A block begins: a section, heading, paragraph or list; its element's id, or '' if no element stands for it."""

    kind: str
    id: str


class BlockEnd(NamedTuple):
    """The innermost block ends."""


class TextSpan(NamedTuple):
    """Text of one state from *start* on: highlighted or not, and retrieved by the runs of these numbers."""

    start: int
    text: str
    highlighted: bool
    runs: list[int]

    @property
    def classes(self) -> str:
        """Class names for the style sheet: h if highlighted, r0, r1, ... for the runs."""
        return " ".join([*(["h"] if self.highlighted else []), *(f"r{k}" for k in self.runs)])


class Gap(NamedTuple):
    """The number of characters that are left out here."""

    characters: int


class Label(NamedTuple):
    """A label within the text: an entry point or the beginning of a state; for these runs, None for all."""

    name: str
    runs: list[int] | None


Event = BlockStart | BlockEnd | TextSpan | Gap | Label


def text_events(article: TopicArticle, prefix: str, context: int | None = None) -> list[Event]:
    """Walk an article's text once, from left to right.

    White space around blocks is left out, so a position is a span's *start* plus the offset within it.
    *prefix* begins the ids of elements. *context*: keep only text within so many characters of the beginning, a
    highlight, or a passage's start or end, and say how much is left out in between; all of it without.
    """
    return _TextWalk(article, prefix, context).events()


class StateSpan(NamedTuple):
    start: int
    end: int
    state: str


def state_spans(cuts: list[int], states: list[str]) -> Iterator[StateSpan]:
    intervals = zip(cuts[:-1], cuts[1:], states, strict=True)
    for state, same in groupby(intervals, key=itemgetter(2)):
        joined = list(same)
        yield StateSpan(joined[0][0], joined[-1][1], state)


class _TextWalk:
    """One walk over text and elements; `out` collects the events."""

    def __init__(self, article: TopicArticle, prefix: str, context: int | None):
        self.article = article
        self.prefix = prefix
        self.out: list[Event] = []
        self.text = article.text or ""
        self.kept = shown_spans(article, context)
        edges = {offset for span in self.kept for offset in span}
        self.cuts = sorted({*article.cuts.tolist(), *edges, *self._find_entries()})
        # The interval in which each cut lies.
        interval = np.searchsorted(article.cuts, self.cuts, side="right") - 1
        interval = interval.clip(0, max(len(article.cuts) - 2, 0))
        none = np.zeros(len(interval), dtype=np.int64)
        self.highlighted = article.highlighted[interval] if len(article.highlighted) else none
        self.retrieved = [flags[interval] if len(flags) else none for flags in article.retrieved]
        self.labels = self._place_labels()
        self.shown_gaps: set[int] = set()

    def _find_entries(self) -> set[int]:
        entries = {run.passages[0][0] for run in self.article.runs if run.passages}
        return {offset for offset in {self.article.bep, *entries} if 0 <= offset <= self.article.length}

    def _place_labels(self) -> dict[int, list[Label]]:
        """Return the labels by the offset that they stand before: entry points, and names of states that begin."""
        labels: dict[int, list[Label]] = {}
        if self.article.bep >= 0:
            labels.setdefault(self.article.bep, []).append(Label("best entry point", None))
        begun: dict[tuple[int, str], list[int]] = {}
        for k, run in enumerate(self.article.runs):
            if run.passages:
                begun.setdefault((run.passages[0][0], "entry"), []).append(k)
            before = ""
            for start, end, state in state_spans(self.article.cuts.tolist(), self.article.states(k)):
                # White space neither begins nor ends a state.
                if not self.text[start:end].strip():
                    continue
                if state and state != before:
                    begun.setdefault((start, state), []).append(k)
                before = state
        for (offset, name), runs in sorted(begun.items(), key=lambda item: (item[0][0], item[0][1] != "entry")):
            labels.setdefault(offset, []).append(Label(name, runs))
        return labels

    def events(self) -> list[Event]:
        stack: list[Element] = []
        position = 0
        for i, element in enumerate(self.article.elements):
            end = min(element.end, len(self.text))
            if element.start >= end or element.tag.lower() not in BLOCKS:
                continue
            if element.tag.lower() not in SECTIONS and not self._shows_any(element.start, end):
                continue
            while stack and stack[-1].end <= element.start:
                position = self._close_block(stack, position)
            self._write_between(stack, position, element.start)
            position = element.start
            stack.append(element._replace(end=end))
            kind = _find_kind(element.tag)
            if kind == "meta" and self.text[element.start : end].strip() == self.article.docno:
                kind = "meta docno"
            is_code = kind == "para" and self.article.keeps_lines and _INDENTED.search(self.text[element.start : end])
            self._open_block("para pre" if is_code else kind, f"{self.prefix}e{i}")
        while stack:
            position = self._close_block(stack, position)
        self._write_between(stack, position, len(self.text))
        return [*self.out, *(label for labels in self.labels.values() for label in labels)]

    def _close_block(self, stack: list[Element], position: int) -> int:
        element = stack[-1]
        self._write_between(stack, position, element.end)
        stack.pop()
        self.out.append(BlockEnd())
        return max(position, element.end)

    def _write_between(self, stack: list[Element], start: int, end: int) -> None:
        """Write the text between inner blocks."""
        if start >= end:
            return
        text = self.text[start:end]
        if not text.strip():
            return
        if stack and _find_kind(stack[-1].tag) not in ("sec", "group"):
            self._write_spans(start, end)
            return
        heading = stack and stack[-1].title and text.strip() == stack[-1].title.strip()
        # The first line keeps its indentation.
        lead = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1
        self._open_block("head" if heading else "loose", "")
        self._write_spans(start + lead, start + len(text.rstrip()))
        self.out.append(BlockEnd())

    def _open_block(self, kind: str, id: str) -> None:
        keeps_lines = self.article.keeps_lines and kind not in ("sec", "group")
        self.out.append(BlockStart(f"{kind} lines" if keeps_lines else kind, id))

    def _write_spans(self, start: int, end: int) -> None:
        first = bisect_right(self.cuts, start) - 1
        for i in range(first, len(self.cuts)):
            next_cut = self.cuts[i + 1] if i + 1 < len(self.cuts) else len(self.text)
            begin = max(start, self.cuts[i])
            if begin >= end:
                break
            gap = self._find_gap(begin)
            if gap is not None:
                if gap not in self.shown_gaps:
                    self.shown_gaps.add(gap)
                    size = self.kept[gap + 1][0] if gap + 1 < len(self.kept) else len(self.text)
                    self.out.append(Gap(size - self.kept[gap][1]))
                continue
            # with the labels that fell into white space between blocks
            for offset in [offset for offset in self.labels if offset <= begin]:
                self.out.extend(self.labels.pop(offset))
            runs = [k for k, retrieved in enumerate(self.retrieved) if retrieved[i]]
            self.out.append(TextSpan(begin, self.text[begin : min(end, next_cut)], bool(self.highlighted[i]), runs))

    def _find_gap(self, offset: int) -> int | None:
        """Return the number of the kept span before an offset that is left out; None for a kept offset."""
        i = bisect_right(self.kept, (offset, len(self.text) + 1)) - 1
        return None if i >= 0 and offset < self.kept[i][1] else max(i, 0)

    def _shows_any(self, start: int, end: int) -> bool:
        """Tell whether a part of a span is shown, or the note of a gap that begins there."""
        return any(first < end and start <= last for first, last in self.kept)


def _find_kind(tag: str) -> str:
    tag = tag.lower()
    if tag in SECTIONS:
        return "sec"
    if tag in HEADINGS:
        return "head"
    if tag in METADATA:
        return "meta"
    if tag in GROUPS:
        return "group"
    if tag in VERBATIM:
        return "para pre"
    return {"item": "para item", "li": "para item", "l": "para line", "line": "para line"}.get(tag, "para")
