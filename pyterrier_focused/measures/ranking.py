"""Run and qrels joined: the numpy columns that every measure reads.

Judgments   one entry per judged (topic, article), in the order of the qrels
Ranking     one entry per retrieved (topic, article), topic by topic, in ranking order; `bounds[t]:bounds[t + 1]` are
            the articles of topic t. Its passages are in other columns, with the position of their article in `row`.

Topic 1 has the articles a, highlighted at [0, 100), and b, without highlights; topic 2 has a, highlighted at [5, 9). A
run ranks for topic 1 b with the passage [0, 9), a with [50, 90) and [0, 20), and c with none:

    judgments  topics  1 2        topic  0 0 1    docno  a b a    relevant_size  100 0 4
    ranking    topic   0 0 0      docno  b a c    judged 1 0 -1   bounds  0 3 3      highlighted  F T F
    passages   row     0 1 1      start  0 50 0   end    9 90 20  passage_ranking  0 2 1
               relevant_in  0 40 20               (in ranking order: [0, 9) of b, then [0, 20) and [50, 90) of a)

All columns are one-dimensional. Ints are int64, Floats float64, Bools bool; sizes and offsets are in characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import OverlapError, SpanError
from ..frames import spans
from ..frames.items import RunPassages, rank_items
from ..frames.ranking_rule import positions, span_order
from ..frames.spans import Floats, GroupedSpans, Ints, Spans, ratio, sum_by

Bools = NDArray[np.bool_]
Column = TypeVar("Column")
Value = TypeVar("Value", bound=np.generic)

_COUNT_ONCE = "drop one with RemoveOverlap(), or count each character once with overlap='once'"


_MAKE_HIGHLIGHTS = "read_qrels(path, collection=...) makes it"
_HIGHLIGHTS = "the relevant text as lists of (start, end); of TREC qrels, whose articles are relevant as a whole, "


class Evidence(NamedTuple):
    """Spans in rows of the judgments; *cover*: the share of each that must be retrieved, NaN for the measure's own."""

    row: Ints
    start: Ints
    end: Ints
    cover: Floats | None


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """The qrels as columns; a column that the qrels lack is None, and asking for it raises an error that names it.

    `topic` is a row's position in `topics`, `numbers` and `covers` have the alternative of each highlight and the share
    of it that must be retrieved (NaN: the measure's), `ignored` is text that is neither evidence nor noise, sorted.
    Missing values of `beps` and `lengths` are -1. `derived`: a cache for what other files compute from the judgments.
    """

    topics: list[str]
    topic: Ints
    docno: NDArray[np.object_]
    labels: Ints | Floats | None = None
    highlight_spans: Spans | None = None
    beps: Ints | None = None
    lengths: Ints | None = None
    numbers: Ints | None = None
    covers: Floats | None = None
    ignored: GroupedSpans | None = None
    derived: dict[str, Any] = field(default_factory=dict, init=False)

    @property
    def label(self) -> Ints:
        labels = self._require_column(self.labels, "label", "relevance labels")
        if labels.dtype != np.int64:
            row = int(np.argmax(labels != np.floor(labels)))
            raise SpanError(
                f"column 'label', topic {self.topics[self.topic[row]]!r}, article {self.docno[row]!r}: {labels[row]} "
                "is not a whole number, as all measures but ADM need it"
            )
        return cast(Ints, labels)

    @property
    def grade(self) -> Ints | Floats:
        return cast("Ints | Floats", self._require_column(self.labels, "label", "relevance labels"))

    @property
    def highlights(self) -> Spans:
        return self._require_column(self.highlight_spans, "highlights", f"{_HIGHLIGHTS}{_MAKE_HIGHLIGHTS}")

    @property
    def bep(self) -> Ints:
        return self._require_column(self.beps, "bep", "best entry points as offsets, -1 for none")

    @property
    def length(self) -> Ints:
        return self._require_column(self.lengths, "length", "article lengths in characters")

    def _require_column(self, values: Column | None, name: str, what: str) -> Column:
        if values is None:
            raise ValueError(f"the qrels have no column {name!r}, which this measure needs: {what}")
        return values

    @cached_property
    def merged(self) -> GroupedSpans:
        """The highlights merged: (row, start, end), sorted."""
        return spans.union(self.highlights.row, self.highlights.start, self.highlights.end)

    @cached_property
    def evidence(self) -> Evidence:
        """The evidence spans: highlights that overlap and are covered alike are one, those that touch are two."""
        row, start, end, _ = self.highlights
        if self.covers is None:
            return Evidence(*spans.union(row, start, end, touching=False), None)
        # NaN counts as one value of cover
        cover, code = np.unique(self.covers, return_inverse=True)
        group, start, end = spans.union(row * len(cover) + code.reshape(-1), start, end, touching=False)
        order = np.lexsort((end, start, group // max(len(cover), 1)))
        row, code = np.divmod(group[order], max(len(cover), 1))
        return Evidence(row, start[order], end[order], cover[code])

    @cached_property
    def relevant_size(self) -> Ints:
        """The number of highlighted characters, one entry per row."""
        row, start, end = self.merged
        return sum_by(row, end - start, len(self.topic))

    @cached_property
    def highlighted(self) -> Bools:
        """Whether a row has highlights: relevance for the character measures, ric and bic."""
        return self.relevant_size > 0

    @cached_property
    def relevant(self) -> Bools:
        """Whether a row's label is 1 or more: relevance for document-level measures."""
        return self.label >= 1

    @cached_property
    def topic_size(self) -> Ints:
        """Trel, the number of highlighted characters, one entry per topic."""
        return sum_by(self.topic, self.relevant_size, len(self.topics))

    def count(self, rows: Bools) -> Ints:
        """Count the rows of each topic that are marked in *rows*: int64, one entry per topic."""
        return np.bincount(self.topic[rows], minlength=len(self.topics))


@dataclass(frozen=True, eq=False, repr=False)
class Passages:
    """The items of a ranking in order, each a passage or several; those of topic t are `bounds[t]:bounds[t + 1]`.

    `size` (with the text around) and `relevant_size` have one entry per item.
    """

    bounds: Ints
    size: Ints
    relevant_size: Ints

    def slices(self) -> Iterator[tuple[int, slice]]:
        return _make_slices(self.bounds)

    @cached_property
    def topic(self) -> Ints:
        """The position of the topic, one entry per passage."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @cached_property
    def _read_to(self) -> Ints:
        """The number of characters of the first i passages of all topics, for i from 0 to the number of passages."""
        return np.concatenate(([0], np.cumsum(self.size)))

    @cached_property
    def _found_to(self) -> Ints:
        return np.concatenate(([0], np.cumsum(self.relevant_size)))

    @property
    def found(self) -> Ints:
        """The number of relevant characters of all passages up to each one, summed over the topics as well."""
        return self._found_to[1:]

    @property
    def found_before(self) -> Ints:
        """The value of `found` before the first passage of each topic, one entry per topic."""
        return self._found_to[self.bounds[:-1]]

    @cached_property
    def precision(self) -> Floats:
        """CharP@r at each passage's rank, one entry per passage."""
        read_before = self._read_to[self.bounds[:-1]]
        return ratio(self.found - self.found_before[self.topic], self._read_to[1:] - read_before[self.topic])

    @cached_property
    def best_precision(self) -> Floats:
        """The highest CharP at each passage's rank or any later rank of its topic, one entry per passage."""
        best = self.precision.copy()
        for _, part in self.slices():
            best[part] = np.maximum.accumulate(best[part][::-1])[::-1]
        return best

    def totals(self, cutoff: int | None) -> tuple[Ints, Ints]:
        """Return, per topic, the characters and relevant characters of the first *cutoff* passages (None: of all)."""
        first = self.bounds[:-1]
        last = self.bounds[1:]
        if cutoff is not None:
            last = first + np.minimum(last - first, cutoff)
        return self._read_to[last] - self._read_to[first], self._found_to[last] - self._found_to[first]


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """One run's ranked articles of the judged topics, joined with their judgments.

    `judged` is a row of the judgments, -1 if the article is not judged. Rows of `run_passages` are positions in this
    ranking; it is None if the run has no passages at all. Its `around` counts the characters that were returned with
    each passage and lie outside the article, such as a title put before it: they are read before the item, each time,
    and are never relevant. Passages of one number in `items` are one item. `derived`: a cache of other files.
    """

    judgments: Judgments
    topic: Ints
    docno: NDArray[np.object_]
    score: Floats
    judged: Ints
    run_passages: RunPassages | None
    derived: dict[Any, Any] = field(default_factory=dict, init=False)

    @cached_property
    def bounds(self) -> Ints:
        return np.searchsorted(self.topic, np.arange(len(self.judgments.topics) + 1))

    @property
    def passages(self) -> Spans:
        self.require_passages()
        return cast(RunPassages, self.run_passages).spans

    @property
    def around(self) -> Ints | None:
        return None if self.run_passages is None else self.run_passages.around

    @property
    def items(self) -> Ints | None:
        return None if self.run_passages is None else self.run_passages.items

    def require_passages(self) -> None:
        if self.run_passages is None:
            raise ValueError(
                "the run has no column 'passages', which this measure needs: lists of (start, end[, score]); "
                "Focused(), RelevantInContext() and BestInContext() make it from passage ids; if it has another name, "
                "run.rename(columns={'spans': 'passages'}); pt.Experiment(save_dir=..., save_format=ptf.io.RUN_FORMAT) "
                "keeps it"
            )

    def slices(self) -> Iterator[tuple[int, slice]]:
        return _make_slices(self.bounds)

    def of_judgments(self, values: NDArray[Value], unjudged: float = 0) -> NDArray[Value]:
        """Return the value of a column of the judgments for each ranked article, *unjudged* if it is not judged.

        values 5 7 9, judged 2 -1 0  ->  9 0 5
        """
        if not len(values):
            return np.full(len(self.judged), unjudged, dtype=values.dtype)
        ranked: NDArray[Value] = np.where(self.judged >= 0, values[self.judged], unjudged)
        return ranked

    @cached_property
    def position(self) -> Ints:
        return positions(self.topic)

    @cached_property
    def highlighted(self) -> Bools:
        return self.of_judgments(self.judgments.highlighted, False)

    @cached_property
    def relevant(self) -> Bools:
        return self.of_judgments(self.judgments.relevant, False)

    @cached_property
    def _ranked_alone(self) -> Ints:
        """Positions of the passages in ranking order, topic by topic, as if each were an item."""
        return span_order(self.topic[self.passages.row], self.passages)

    @cached_property
    def _ranked_by_item(self) -> tuple[Ints, Ints]:
        order = self._ranked_alone
        if self.items is None:
            return order, np.arange(len(order))
        together, item = rank_items(self.topic[self.passages.row[order]], self.items[order])
        return order[together], item

    @property
    def passage_ranking(self) -> Ints:
        """Positions of the passages in ranking order, topic by topic, those of an item together."""
        return self._ranked_by_item[0]

    @property
    def ranked_items(self) -> Ints:
        """The item of each passage in ranking order, counted over all topics."""
        return self._ranked_by_item[1]

    @cached_property
    def item_bounds(self) -> Ints:
        """Topic t's items are `item_bounds[t]:item_bounds[t + 1]`."""
        if self.items is None:
            return self.passage_bounds
        last = self.ranked_items[-1:] + 1 if len(self.ranked_items) else [0]
        return np.concatenate((self.ranked_items, last))[self.passage_bounds]

    def sum_items(self, values: Ints) -> Ints:
        """Sum over the passages of each item; *values* has an entry per passage in ranking order."""
        return values if self.items is None else sum_by(self.ranked_items, values, int(self.item_bounds[-1]))

    @cached_property
    def ranked_around(self) -> Ints | None:
        """The characters around each passage in ranking order; those of a whole item are at its first passage."""
        if self.around is None:
            return None
        around = self.around[self.passage_ranking]
        if self.items is not None:
            total = self.sum_items(around)
            first = np.unique(self.ranked_items, return_index=True)[1]
            around = np.zeros_like(around)
            around[first] = total
        return around

    @cached_property
    def _overlap(self) -> tuple[int, int] | None:
        parts = self.passages
        return spans.first_overlap(parts.row, parts.start, parts.end)

    def refuse_overlap(self) -> None:
        pair = self._overlap
        if pair is not None:
            parts = self.passages
            row = int(parts.row[pair[0]])
            first, second = sorted((int(parts.start[i]), int(parts.end[i])) for i in pair)
            raise OverlapError(self.judgments.topics[self.topic[row]], self.docno[row], first, second, _COUNT_ONCE)

    @cached_property
    def _whole_sizes(self) -> tuple[Ints, Ints]:
        order = self.passage_ranking
        return self.add_around(self.read_in(self.passages)[order]), self._relevant_sizes[order]

    @cached_property
    def _new_sizes(self) -> tuple[Ints, Ints]:
        """Size and relevant size of the passages, each character counted only for the first passage that holds it."""
        index, new = self._new_text
        n = len(self.passage_ranking)
        size = self.add_around(sum_by(index, self.read_in(new), n))
        return size, sum_by(index, self.relevant_in(new), n)

    @cached_property
    def _new_text(self) -> tuple[Ints, Spans]:
        """The spans that no earlier passage holds, each with its passage's place in the ranking."""
        parts = self.passages
        order = self.passage_ranking
        index, start, end = spans.novel(parts.row[order], parts.start[order], parts.end[order])
        return index, Spans(parts.row[order][index], start, end, None)

    def ranked_sizes(self, overlap: str) -> tuple[Ints, Ints]:
        """Return size and relevant size of the passages in ranking order, with *overlap* as the measures' says."""
        if overlap == "error":
            self.refuse_overlap()
        if overlap == "noise":
            return self._whole_sizes[0], self._new_sizes[1]
        return self._new_sizes if overlap == "once" else self._whole_sizes

    def ranked_passages(self, overlap: str) -> Passages:
        """Return the items in ranking order, with *overlap* as the measures' parameter says."""
        if overlap == "error":
            self.refuse_overlap()
            overlap = "repeat"
        if overlap not in self.derived:
            self.derived[overlap] = Passages(self.item_bounds, *map(self.sum_items, self.ranked_sizes(overlap)))
        ranked: Passages = self.derived[overlap]
        return ranked

    @cached_property
    def redundant(self) -> Passages:
        """The items, with characters that an earlier item holds counted as the relevant ones."""
        index, new = self._new_text
        size = (self.passages.end - self.passages.start)[self.passage_ranking]
        again = size - sum_by(index, new.end - new.start, len(size))
        return Passages(self.item_bounds, self.sum_items(self.add_around(size)), self.sum_items(again))

    @cached_property
    def passage_bounds(self) -> Ints:
        """Topic t's passages, ranked or not, are `passage_bounds[t]:passage_bounds[t + 1]`."""
        # rows ascend, and topics with them
        return np.searchsorted(self.passages.row, self.bounds)

    @cached_property
    def _article_sizes(self) -> tuple[Ints, Ints]:
        self.refuse_overlap()
        return self._sum_sizes(self.passages, self._relevant_sizes)

    @cached_property
    def _article_union_sizes(self) -> tuple[Ints, Ints]:
        parts = self.passages
        merged = Spans(*spans.union(parts.row, parts.start, parts.end), None)
        return self._sum_sizes(merged, self.relevant_in(merged))

    def article_sizes(self, overlap: str) -> tuple[Ints, Ints]:
        """Count, per article, the characters and relevant characters of its passages, or with 'once' of their union."""
        return self._article_union_sizes if overlap == "once" else self._article_sizes

    @cached_property
    def entry(self) -> Ints:
        """The start of each article's best-ranked passage, -1 if it has none."""
        parts = self.passages
        order = self._ranked_alone[::-1]
        entry = np.full(len(self.topic), -1, dtype=np.int64)
        # worst first, so that the best one stays
        entry[parts.row[order]] = parts.start[order]
        return entry

    def _sum_sizes(self, parts: Spans, relevant: Ints) -> tuple[Ints, Ints]:
        n = len(self.topic)
        size = sum_by(parts.row, self.read_in(parts), n)
        if self.around is not None:
            size += sum_by(self.passages.row, self.around, n)
        return size, sum_by(parts.row, relevant, n)

    @cached_property
    def _relevant_sizes(self) -> Ints:
        return self.relevant_in(self.passages)

    def add_around(self, size: Ints) -> Ints:
        """Add the characters around each passage to its size; *size* has an entry per passage in ranking order."""
        return size if self.around is None else size + self.around[self.passage_ranking]

    def read_in(self, parts: Spans) -> Ints:
        """Count the characters of each span, without those that are neither evidence nor noise: one entry per span."""
        size = parts.end - parts.start
        if self.judgments.ignored is not None:
            inside = np.flatnonzero(self.judged[parts.row] >= 0)
            group = self.judged[parts.row[inside]]
            size[inside] -= spans.coverage(group, parts.start[inside], parts.end[inside], *self.judgments.ignored)
        return size

    def relevant_in(self, parts: Spans) -> Ints:
        """Count the relevant characters of each span: one entry per span."""
        relevant = np.zeros(len(parts.row), dtype=np.int64)
        inside = np.flatnonzero(self.highlighted[parts.row])
        group = self.judged[parts.row[inside]]
        relevant[inside] = spans.coverage(group, parts.start[inside], parts.end[inside], *self.judgments.merged)
        return relevant


def _make_slices(bounds: Ints) -> Iterator[tuple[int, slice]]:
    limits = bounds.tolist()
    return ((t, slice(a, b)) for t, (a, b) in enumerate(pairwise(limits)) if b > a)
