"""An article of one topic with its judgment and the passages of each run: the data behind views and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..frames.articles import ArticleTexts, keeps_lines
from ..frames.columns import flatten
from ..frames.ranking_rule import passage_order
from ..frames.span_cells import is_missing
from ..frames.spans import Ints, Span, union
from ..reading.json import Row

FOUND = "found"
MISSED = "missed"
NOISE = "noise"


class RetrievedPassages(NamedTuple):
    """One run's passages of the article, best first, and the article's rank (from 0) and score."""

    name: str
    passages: list[Span]
    rank: int | None = None
    score: float | None = None


class Element(NamedTuple):
    """One element of the outline: half-open offsets of its text in the article's."""

    path: str
    tag: str
    title: str
    start: int
    end: int


class CharacterCounts(NamedTuple):
    """Characters of one article: retrieved and highlighted (each counted once), and those that are both."""

    retrieved: int
    highlighted: int
    found: int

    @property
    def precision(self) -> float:
        return self.found / self.retrieved if self.retrieved else 0.0

    @property
    def recall(self) -> float:
        return self.found / self.highlighted if self.highlighted else 0.0

    @property
    def f(self) -> float:
        total = self.retrieved + self.highlighted
        return 2 * self.found / total if total else 0.0


@dataclass(frozen=True, eq=False)
class TopicArticle:
    """One article of one topic: its judgment and each run's passages. *label* is None if it was not judged."""

    docno: str
    title: str
    length: int
    highlights: list[Span]
    bep: int
    label: int | None
    runs: list[RetrievedPassages]
    text: str | None = None
    elements: list[Element] = field(default_factory=list)
    keeps_lines: bool = False

    @cached_property
    def cuts(self) -> Ints:
        """Offsets at which a highlight or passage begins or ends, with 0 and the length.

        cuts         0  10  30  50    for the highlight [10, 50) and the passage [30, 50) of 50 characters
        highlighted  0   1   1
        retrieved    0   0   1
        """
        spans = [*self.highlights, *(span for run in self.runs for span in run.passages)]
        points = np.array([0, self.length, *(offset for span in spans for offset in span)], dtype=np.int64)
        return np.unique(points.clip(0, self.length))

    @cached_property
    def highlighted(self) -> Ints:
        """For the text between each two neighbouring cuts: 1 if it is highlighted, else 0."""
        return covered(self.cuts, self.highlights)

    @cached_property
    def retrieved(self) -> list[Ints]:
        """For each run and the text between each two neighbouring cuts: 1 if the run retrieved it, else 0."""
        return [covered(self.cuts, run.passages) for run in self.runs]

    def states(self, k: int) -> list[str]:
        """Return the state of the text between each two cuts in run *k*: found, missed, noise, or ''."""
        names = np.array(["", NOISE, MISSED, FOUND])
        return list(names[2 * self.highlighted + self.retrieved[k]])

    @cached_property
    def counts(self) -> list[CharacterCounts]:
        size = np.diff(self.cuts)
        marked = size * self.highlighted
        return [CharacterCounts(int(size @ own), int(marked.sum()), int(marked @ own)) for own in self.retrieved]

    def counts_in(self, k: int, spans: Sequence[Span]) -> list[CharacterCounts]:
        """Count the characters of run *k* within each of the *spans*."""
        retrieved = self.retrieved[k]
        kinds = np.stack([retrieved, self.highlighted, retrieved * self.highlighted])
        if not kinds.size:
            return [CharacterCounts(0, 0, 0)] * len(spans)
        # Characters of each kind before each cut.
        whole = np.zeros((3, len(self.cuts)), dtype=np.int64)
        np.cumsum(np.diff(self.cuts) * kinds, axis=1, out=whole[:, 1:])
        offset = np.stack(starts_and_ends(spans)).clip(0, self.length)
        cut = (np.searchsorted(self.cuts, offset, side="right") - 1).clip(0, kinds.shape[1] - 1)
        # Kinds x (start, end) x spans.
        before = whole[:, cut] + (offset - self.cuts[cut]) * kinds[:, cut]
        return [CharacterCounts(*row) for row in (before[:, 1] - before[:, 0]).T.tolist()]


class RowsByTopic:
    """The rows of qrels or of a ranked run, grouped by topic once, with spans that are flattened once.

    *column* ('highlights' or 'passages') may be missing, as if no row had spans.
    """

    def __init__(self, frame: pd.DataFrame, column: str):
        names = [name for name in ("docno", "label", "bep", "length", "rank", "score") if name in frame]
        self.values = {name: frame[name].tolist() for name in names}
        self.topics = {str(qid): list(rows) for qid, rows in frame.groupby("qid", sort=False).indices.items()}
        spans = flatten(frame.get(column, []), column, frame)
        order = passage_order(spans.row, spans.score, lambda rows: (spans.start[rows], spans.end[rows]))
        self.start = spans.start[order]
        self.end = spans.end[order]
        self.bounds = np.searchsorted(spans.row, np.arange(len(frame) + 1)).tolist()

    def find_articles(self, qid: str) -> dict[str, int]:
        """Return the articles of a topic in the order of the frame, each with the number of its row."""
        return {self.values["docno"][row]: row for row in self.topics.get(qid, ())}

    def read_row(self, row: int | None) -> Row:
        """Return a row's values with its `spans`, best first (in document order without scores); {} for no row."""
        if row is None:
            return {}
        own = slice(self.bounds[row], self.bounds[row + 1])
        spans = list(zip(self.start[own].tolist(), self.end[own].tolist(), strict=True))
        given = {name: values[row] for name, values in self.values.items() if not is_missing(values[row])}
        return {"spans": spans, **given}


def load(collection: ArticleTexts | None, docno: str, judged: Row, runs: Mapping[str, Row]) -> TopicArticle:
    """Gather one article of one topic from its row of the qrels and of each ranked run, {} if it has none."""
    highlights = judged.get("spans", [])
    retrieved = [_read_passages(name, row) for name, row in runs.items()]
    entry = next(iter(collection.articles([docno]))) if collection is not None else None
    reach = max((end for _, end in [*highlights, *(s for r in retrieved for s in r.passages)]), default=0)
    return TopicArticle(
        docno=docno,
        title=(entry["title"] if entry else "") or docno,
        length=len(entry["text"]) if entry else max(int(judged.get("length", -1)), reach),
        highlights=highlights,
        bep=int(judged.get("bep", -1)),
        label=int(judged["label"]) if judged else None,
        runs=retrieved,
        text=entry["text"] if entry else None,
        elements=_read_elements(collection.elements(docno)) if collection is not None else [],
        keeps_lines=keeps_lines(collection),
    )


def _read_passages(name: str, row: Row) -> RetrievedPassages:
    if not row:
        return RetrievedPassages(name, [])
    return RetrievedPassages(name, row["spans"], int(row["rank"]), float(row["score"]))


def shown_spans(article: TopicArticle, context: int | None) -> list[Span]:
    """Choose the text to show: all, or that near the beginning, a highlight or a passage's ends."""
    end = len(article.text or "")
    if context is None:
        return [(0, end)]
    edges = {0, *(offset for run in article.runs for span in run.passages for offset in span)}
    if article.bep >= 0:
        edges.add(article.bep)
    start, stop = starts_and_ends([*article.highlights, *((edge, edge) for edge in edges)])
    start = (start - context).clip(0, end)
    stop = (stop + context).clip(0, end)
    # a gap shorter than the context is not worth a note
    _, start, stop = union(np.zeros(len(start)), start, np.minimum(stop + context, end))
    stop = np.where(stop < end, np.maximum(stop - context, start), end)
    text = article.text or ""
    spans = zip(start.tolist(), stop.tolist(), strict=True)
    return [(_leave_word(text, first, -1), _leave_word(text, last, 1)) for first, last in spans]


def _leave_word(text: str, offset: int, step: int) -> int:
    """Move an offset out of a word, within 40 characters."""
    if offset in (0, len(text)):
        return offset
    for moved in range(offset, min(max(offset + 40 * step, 0), len(text)), step):
        if text[moved - 1].isspace() or text[moved].isspace():
            return moved
    return offset


def covered(cuts: Ints, spans: Sequence[Span]) -> Ints:
    """Return for the text between each two neighbouring cuts 1 if a span covers it, else 0."""
    steps = np.zeros(len(cuts) + 1, dtype=np.int64)
    start, end = starts_and_ends(spans)
    np.add.at(steps, np.searchsorted(cuts, start.clip(0, cuts[-1])), 1)
    np.add.at(steps, np.searchsorted(cuts, end.clip(0, cuts[-1])), -1)
    return (np.cumsum(steps)[: max(len(cuts) - 1, 0)] > 0).astype(np.int64)


def starts_and_ends(spans: Sequence[Span]) -> tuple[Ints, Ints]:
    table = np.array([span[:2] for span in spans], dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _read_elements(frame: pd.DataFrame) -> list[Element]:
    """Return the elements of one article (`path, tag, title, start, end`, in document order) as records."""
    columns: list[Any] = [frame[name] for name in ("path", "tag", "title", "start", "end")]
    return [
        Element(str(path), str(tag), title if isinstance(title, str) else "", int(start), int(end))
        for path, tag, title, start, end in zip(*columns, strict=True)
    ]
