"""A run as bare columns, as the readers of all formats with passages make them, before it becomes a frame."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ..frames.columns import span_column
from ..frames.ranking_rule import positions
from ..frames.spans import Ints
from .fields import first_codes


class FolColumns(NamedTuple):
    """A run as columns, one entry per passage; names are in order of appearance. Spans are half-open.

    `topic` and `article` are positions, lines count from 1, `tag` is that of the last line; rank and score are the
    file's own, if asked for.
    """

    topics: list[str]
    topic: Ints
    articles: list[str]
    article: Ints
    start: Ints
    end: Ints
    line: Ints
    tag: str
    rank: Ints | None
    score: NDArray[np.float64] | None

    def name_entry(self, entry: int) -> str:
        return f"topic {self.topics[self.topic[entry]]}, article {self.articles[self.article[entry]]}"

    def take_lines(self, rows: Ints) -> FolColumns:
        """Keep these entries, in this order, and all names."""
        return self._replace(
            topic=self.topic[rows],
            article=self.article[rows],
            start=self.start[rows],
            end=self.end[rows],
            line=self.line[rows],
            rank=None if self.rank is None else self.rank[rows],
            score=None if self.score is None else self.score[rows],
        )

    def take(self, rows: Ints) -> FolColumns:
        """Keep these entries, in this order; names stay numbered in order of appearance."""
        topic, first_topic = first_codes(self.topic[rows])
        article, first_article = first_codes(self.article[rows])
        return self.take_lines(rows)._replace(
            topics=[self.topics[code] for code in self.topic[rows][first_topic].tolist()],
            topic=topic,
            articles=[self.articles[code] for code in self.article[rows][first_article].tolist()],
            article=article,
        )


class FolColumnsBuilder:
    """Collects the passages of a run, one by one, in the order of the ranking."""

    def __init__(self) -> None:
        self._topics: dict[str, int] = {}
        self._articles: dict[str, int] = {}
        self._rows: list[tuple[int, int, int, int, int, int]] = []
        self._scores: list[float] = []

    def add(
        self, topic: str, article: str, start: int, end: int, line: int, rank: int = -1, score: float = math.nan
    ) -> None:
        """Add a passage, with a *rank* of -1 and a *score* of NaN if the file has none."""
        code = self._topics.setdefault(topic, len(self._topics))
        self._rows.append((code, self._articles.setdefault(article, len(self._articles)), start, end, line, rank))
        self._scores.append(score)

    def columns(self, tag: str) -> FolColumns:
        """Make the columns of what was added, with the file's ranks and scores; *tag* is the run's name."""
        topic, article, start, end, line, rank = np.array(self._rows, dtype=np.int64).reshape(-1, 6).T.copy()
        score = np.array(self._scores, dtype=np.float64)
        return FolColumns([*self._topics], topic, [*self._articles], article, start, end, line, tag, rank, score)


def fol_frame(columns: FolColumns) -> pd.DataFrame:
    """Make the run frame of FOL columns: one row per topic and article, its passages in document order."""
    topic = columns.topic
    article = columns.article
    sizes = np.bincount(topic, minlength=len(columns.topics))
    by_topic = np.argsort(topic, kind="stable")
    nth = np.empty(len(topic), dtype=np.int64)
    nth[by_topic] = positions(topic[by_topic])
    score = (sizes[topic] - nth).astype(np.float64)
    code, head = first_codes((topic * len(columns.articles) + article)[by_topic])
    row = np.empty(len(topic), dtype=np.int64)
    row[by_topic] = code
    # The first passage of each row.
    head = by_topic[head]
    inside = np.lexsort((columns.end, columns.start, row))
    start = columns.start[inside]
    end = columns.end[inside]
    frame = {
        "qid": pd.Series(columns.topics).array.take(topic[head]),
        "docno": pd.Series(columns.articles).array.take(article[head]),
        "score": score[head],
        "rank": positions(topic[head]),
        "passages": span_column(row[inside], len(head), start, end, score[inside]),
    }
    if columns.rank is not None and columns.score is not None:
        frame["file_rank"] = make_list_column(pa.array(columns.rank[inside]), row[inside], len(head))
        frame["file_score"] = make_list_column(pa.array(columns.score[inside]), row[inside], len(head))
    run = pd.DataFrame(frame)
    run.attrs["tag"] = columns.tag
    if divided := find_divided_topics(columns):
        run.attrs["divided_topics"] = divided
    return run


def find_divided_topics(columns: FolColumns) -> dict[str, tuple[int, int]]:
    """Find the topics whose lines are not together: the lines at which they break off and go on."""
    begins = np.flatnonzero(np.diff(columns.topic, prepend=-1))
    if len(begins) <= len(columns.topics):
        return {}
    ends = np.append(begins[1:], len(columns.topic)) - 1
    last: dict[int, int] = {}
    divided: dict[str, tuple[int, int]] = {}
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        topic = int(columns.topic[begin])
        if topic in last:
            divided.setdefault(columns.topics[topic], (last[topic], int(columns.line[begin])))
        last[topic] = int(columns.line[end])
    return divided


def make_list_column(values: pa.Array, row: Ints, n_rows: int) -> pd.arrays.ArrowExtensionArray:
    """Make a column of lists, one value per passage of each row; rows ascend."""
    bounds = np.searchsorted(row, np.arange(n_rows + 1)).astype(np.int32)
    return pd.arrays.ArrowExtensionArray(pa.ListArray.from_arrays(bounds, values))
