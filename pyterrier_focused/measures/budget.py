"""The text that a ranking returns up to a cutoff and a budget, and its relevant part, in characters or other units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from ir_measures.measures import ParamInfo
from numpy.typing import NDArray

from ..frames import spans
from ..frames.spans import GroupedSpans, Ints
from .base import FocusedMeasure, Unit, cutoff
from .ranking import Judgments, Passages, Ranking

BUDGET: dict[str, ParamInfo] = {
    "chars": cutoff("budget, in place of @k: parts are read up to that many characters, each once"),
    "tokens": cutoff("such a budget in tokens, which unit counts"),
    "unit": Unit(object, "what counts tokens: Tokens(corpus, tokenizer)"),
}


class TextUnit(Protocol):
    """What text is counted in, such as `Tokens` and `TextUnits`."""

    # Whether a unit counts once, whatever `overlap` says, and text around passages does not count.
    counts_once: bool

    def convert_spans(self, docno: NDArray[np.object_], start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Convert spans in articles to half-open ranges of units, which overlap where the spans do."""


class CutUnit(TextUnit, Protocol):
    """A unit at which text can be cut, such as `Tokens`."""

    def cut_spans(self, docno: NDArray[np.object_], start: Ints, count: Ints) -> Ints:
        """Return where in each article the next unit begins after *count* units from *start* on."""


@dataclass(frozen=True)
class Budget:
    """How much of a topic's ranking is read, each character once: in characters, or in units."""

    amount: int
    unit: CutUnit | None = None

    def cut(self, ranking: Ranking, owner: Ints, first: Ints, last: Ints) -> Ints:
        """Return where spans of new text end if no more is read; *owner*: the places of their passages, ascending."""
        size, around, before = self._count_read(ranking, owner, first, last)
        read = np.cumsum(size) - size
        before = before[owner] + around[owner] + read - read[np.searchsorted(owner, owner)]
        left: Ints = np.clip(self.amount - before, 0, size)
        if self.unit is None:
            return first + left
        end = np.where(before < self.amount, last, first)
        cut = np.flatnonzero((left > 0) & (left < size))
        row = ranking.passages.row[ranking.passage_ranking[owner[cut]]]
        end[cut] = self.unit.cut_spans(ranking.docno[row], first[cut], left[cut])
        return end

    def count_items(self, ranking: Ranking) -> Ints:
        """Count for each topic the items that are begun."""
        parts = ranking.passages
        order = ranking.passage_ranking
        _, _, before = self._count_read(ranking, *spans.novel(parts.row[order], parts.start[order], parts.end[order]))
        begun = (np.diff(ranking.ranked_items, prepend=-1) > 0) & (before < self.amount)
        return np.bincount(ranking.topic[parts.row[order[begun]]], minlength=len(ranking.judgments.topics))

    def _count_read(self, ranking: Ranking, owner: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the size of each span and, for each passage, the text around it and the text read before it."""
        parts = ranking.passages
        order = ranking.passage_ranking
        docno = ranking.docno[parts.row[order]]
        size = last - first
        around = np.zeros(len(order), dtype=np.int64) if ranking.ranked_around is None else ranking.ranked_around
        if self.unit is not None:
            size = np.subtract(*self.unit.convert_spans(docno[owner], first, last)[::-1])
            if ranking.ranked_around is not None:
                whole = self.unit.convert_spans(docno, parts.start[order], parts.end[order])
                units, characters = map(ranking.sum_items, (whole[1] - whole[0], (parts.end - parts.start)[order]))
                around = _convert_around(ranking, around, units, characters)
        bounds = ranking.passage_bounds
        so_far = np.concatenate(([0], np.cumsum(spans.sum_by(owner, size, len(order)) + around)))
        return size, around, so_far[:-1] - so_far[np.repeat(bounds[:-1], np.diff(bounds))]


def check_budget(measure: FocusedMeasure) -> None:
    """Refuse a budget beside another one, or beside a cutoff, and a unit that counts nothing."""
    names = {"cutoff": "@k", "chars": "chars", "tokens": "tokens"}
    limits = [written for name, written in names.items() if name in measure.params]
    if len(limits) > 1:
        raise ValueError(f"{measure.NAME}: {' and '.join(limits)} are two ways to end the ranking; give one of them")
    if "unit" in measure.params and "tokens" not in measure.params:
        raise ValueError(
            f"{measure.NAME}: unit counts tokens; give {measure.NAME}(tokens=500, unit=...), or leave it out"
        )


def find_budget(measure: FocusedMeasure) -> Budget | None:
    """Return the budget of a measure that has `chars` or `tokens`, if any."""
    tokens = measure.params.get("tokens")
    unit = measure.params.get("unit")
    if tokens is None:
        chars = measure.params.get("chars")
        return None if chars is None else Budget(chars)
    if not callable(getattr(unit, "cut_spans", None)):
        raise ValueError(
            f"{measure} needs a tokenizer: give evaluate_retrieved(unit=str.split), or "
            f"{measure.NAME}(tokens={tokens}, unit=Tokens(corpus, tokenizer))"
        )
    return Budget(tokens, unit)


def measured(ranking: Ranking, measure: FocusedMeasure) -> tuple[Passages, Ints]:
    """Return the ranked items and the topics' highlighted text (Trel), as overlap, chars and unit of *measure* say.

    *chars* ends the ranking when that much has been read: items after it have size 0.
    """
    chars = measure.param("chars") if "chars" in measure.SUPPORTED_PARAMS else None
    unit: TextUnit | None = measure.param("unit")
    overlap = "once" if unit is not None and unit.counts_once else measure["overlap"]
    # refuses overlapping parts
    passages = ranking.ranked_passages(overlap)
    if chars is None and unit is None:
        return passages, ranking.judgments.topic_size
    return _cut_passages(ranking, overlap, chars, unit)


def _cut_passages(ranking: Ranking, overlap: str, chars: int | None, unit: TextUnit | None) -> tuple[Passages, Ints]:
    read = _Laid(ranking, overlap, unit)
    end = read.end
    around = read.around
    if chars is not None:
        end = read.start + np.clip(chars - read.before, 0, end - read.start)
        around = None if around is None else np.clip(chars - read.before_around, 0, around)
    row = read.row
    inside = np.flatnonzero(ranking.highlighted[row])
    relevant = np.zeros(len(row), dtype=np.int64)
    relevant[inside] = spans.coverage(ranking.judged[row[inside]], read.start[inside], end[inside], *read.highlights)
    n = len(ranking.passage_ranking)
    size = spans.sum_by(read.index, read.size(end), n)
    if around is not None:
        size += around
    sizes = map(ranking.sum_items, (size, spans.sum_by(read.index, relevant, n)))
    return Passages(ranking.item_bounds, *sizes), read.topic_size


class _Laid:
    """The text of a ranking in reading order, cut into spans of characters or units: *index* is the passage's place.

    *before*: how much of the topic's text is read before each span; *around* and *before_around*: the units around
    each passage, in ranking order, and those read before them.
    """

    def __init__(self, ranking: Ranking, overlap: str, unit: TextUnit | None):
        judgments = ranking.judgments
        parts = ranking.passages
        order = ranking.passage_ranking
        row = parts.row[order]
        self.index: Ints = np.arange(len(order))
        self.start = parts.start[order]
        self.end = parts.end[order]
        self.highlights = judgments.merged
        self.ignored = judgments.ignored
        self.around = ranking.ranked_around
        if unit is not None:
            characters = ranking.sum_items(self.end - self.start)
            self.start, self.end = unit.convert_spans(ranking.docno[row], self.start, self.end)
            self.highlights = spans.union(*_convert_spans(unit, judgments, self.highlights))
            if self.ignored is not None:
                ignored = _convert_spans(unit, judgments, self.ignored)
                self.ignored = spans.difference(ignored, self.highlights) if unit.counts_once else ignored
            if self.around is not None:
                units = ranking.sum_items(self.end - self.start)
                self.around = None if unit.counts_once else _convert_around(ranking, self.around, units, characters)
        if overlap == "once":
            self.index, self.start, self.end = spans.novel(row, self.start, self.end)
        self.row = row[self.index]
        self.judged = ranking.judged[self.row]
        self.topic = ranking.topic[self.row]
        read = np.concatenate(([0], np.cumsum(self.end - self.start)))
        first = np.searchsorted(self.index, ranking.passage_bounds)
        self.before = read[:-1] - read[first[self.topic]]
        # read in each topic
        self.total = read[first[1:]] - read[first[:-1]]
        if self.around is not None:
            self._put_around(self.around, ranking.passage_bounds, read)
        row, start, end = self.highlights
        self.topic_size = spans.sum_by(judgments.topic[row], end - start, len(judgments.topics))

    def _put_around(self, around: Ints, bounds: Ints, read: Ints) -> None:
        """Count each passage's *around* as read before it. *read*: units read before each span, without *around*."""
        so_far = np.concatenate(([0], np.cumsum(around)))
        self.before += so_far[self.index + 1] - so_far[bounds[self.topic]]
        self.total += so_far[bounds[1:]] - so_far[bounds[:-1]]
        in_spans = read[np.searchsorted(self.index, np.arange(len(around) + 1))]
        begins = np.repeat(bounds[:-1], np.diff(bounds))
        self.before_around: Ints = in_spans[:-1] - in_spans[begins] + so_far[:-1] - so_far[begins]

    def size(self, end: Ints) -> Ints:
        """Count what is read of each span up to *end*, without text that is neither evidence nor noise."""
        size = end - self.start
        if self.ignored is not None:
            inside = np.flatnonzero(self.judged >= 0)
            size[inside] -= spans.coverage(self.judged[inside], self.start[inside], end[inside], *self.ignored)
        return size


class Reading:
    """A ranking read from the top, each character once: how much was read and found after any budget."""

    def __init__(self, ranking: Ranking, unit: TextUnit | None = None):
        laid = _Laid(ranking, "once", unit)
        self.total = laid.total
        self.topic_size = laid.topic_size
        self._relevant = _Sums(laid, laid.highlights)
        self._ignored = None if laid.ignored is None else _Sums(laid, laid.ignored)

    def after(self, budgets: Ints) -> tuple[Ints, Ints]:
        """Count the text read, and the relevant text in it: two tables, a row per topic, a column per budget."""
        read = np.minimum(self.total[:, None], budgets)
        if self._ignored is not None:
            read = read - self._ignored.after(budgets, len(self.total))
        return read, self._relevant.after(budgets, len(self.total))


class _Sums:
    """Running sums of some of the text of a ranking: how much of it has been read after any budget."""

    def __init__(self, laid: _Laid, wanted: GroupedSpans):
        rows = np.flatnonzero(laid.judged >= 0)
        owner, _, start, end = spans.intersections(laid.judged[rows], laid.start[rows], laid.end[rows], *wanted)
        owner = rows[owner]
        self.topic = laid.topic[owner]
        self.length = end - start
        self.before = laid.before[owner] + start - laid.start[owner]
        self.sums = np.concatenate(([0], np.cumsum(self.length)))

    def after(self, budgets: Ints, topics: int) -> Ints:
        """Count the part of this text that is read: a row per topic, a column per budget.

        Spans of 10 and 20 characters, before them 5 and 40  ->  after budgets of 4, 12, 50: 0, 7, 20
        """
        topic = np.arange(topics)[:, None]
        stride = max(int(budgets.max(initial=0)), int(self.before.max(initial=0))) + 1
        behind = np.searchsorted(self.topic * stride + self.before, topic * stride + budgets)
        first = np.searchsorted(self.topic, topic)
        read: Ints = self.sums[behind] - self.sums[first]
        # the last span may go on after the budget
        if len(self.length):
            last = behind - 1
            read -= np.where(behind > first, np.maximum(self.before[last] + self.length[last] - budgets, 0), 0)
        return read


def _convert_spans(unit: TextUnit, judgments: Judgments, text: GroupedSpans) -> GroupedSpans:
    """Convert spans of the judgments' rows to units, without those that hold none."""
    start, end = unit.convert_spans(judgments.docno[text.group], text.start, text.end)
    filled = start < end
    return GroupedSpans(text.group[filled], start[filled], end[filled])


def _convert_around(ranking: Ranking, around: Ints, units: Ints, characters: Ints) -> Ints:
    """Convert *around* from characters to units, rounded up, at the rate of units per character of its item."""
    # an item without text says nothing of its units: a character is one
    has_text = characters > 0
    each = np.where(has_text, units, 1)[ranking.ranked_items]
    return -(-around * each // np.where(has_text, characters, 1)[ranking.ranked_items])
