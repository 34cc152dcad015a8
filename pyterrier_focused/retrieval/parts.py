"""Frames of parts: rows whose docno is a passage id, read as ranked columns, and put together as the run frame.

A part is one row (`qid`, `docno` = `ARTICLE#START-END`, `score`). Every transformer of this package reads its input
here, so all of them rank alike: by score, then by the rank of the part's article, start and end.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import OverlapError
from ..frames import Floats, Ints, article_order, to_cells
from .passage_ids import read_ids


class PartsTransformer(pt.Transformer):
    """What transformers over parts share: equal settings make equal transformers, and no rows in are no rows out."""

    # without it, a schematic asks PyTerrier's web site for a page about the class, and fails where there is no network
    schematic: dict[str, Any] = {"help_url": None}

    def settings(self) -> dict[str, Any]:
        """Return the arguments that make this transformer again."""
        return {name: getattr(self, name) for name in list(inspect.signature(type(self).__init__).parameters)[1:]}

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
        """Transform records as `transform` does frames; all of them are read before the first comes out."""
        records = list(inp)
        return cast(list, self.transform(pd.DataFrame(records)).to_dict(orient="records")) if records else []

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.settings().items())})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.settings() == self.settings()

    def __hash__(self) -> int:
        return hash(repr(self))


class Parts(NamedTuple):
    """The parts of a frame in ranking order, a column each.

    `row` is a part's position in the frame, `topic` counts topics as they appear, `group` counts (topic, article)
    pairs; `names` holds the article of each group.
    """

    row: Ints
    topic: Ints
    group: Ints
    start: Ints
    end: Ints
    score: Floats
    names: np.ndarray

    def take(self, which: np.ndarray) -> Parts:
        """Return the parts at the positions (or under the mask) *which*; groups keep their codes."""
        row, topic, group, start, end, score, names = self
        return Parts(row[which], topic[which], group[which], start[which], end[which], score[which], names)

    def ranks(self) -> Ints:
        """Number the parts of each topic from 0."""
        return ranks(self.topic)

    def best(self) -> tuple[Ints, Ints]:
        """Return the groups that have parts here, and the position of the best part of each."""
        best = np.full(len(self.names), -1)
        # of several assignments to one place the last one stands
        best[self.group[::-1]] = np.arange(len(self.group))[::-1]
        group = np.flatnonzero(best >= 0)
        return group, best[group]


def read_parts(frame: pd.DataFrame, transformer: pt.Transformer) -> Parts:
    """Read the parts of *frame*, ranked, for *transformer*, whom errors name.

    Raises pt.validate.InputValidationError for missing columns, ValueError for a docno without a span or no score.
    """
    pt.validate.result_frame(frame, extra_columns=["score"], context=transformer)
    try:
        article, names, start, end = read_ids(frame["docno"])
    except TypeError:
        wrong = next(row for row, docno in enumerate(frame["docno"]) if not isinstance(docno, str))
        raise ValueError(
            f"{transformer!r} works on parts: {row_name(frame, wrong)} is no text of the form ARTICLE#START-END"
        ) from None
    if (start < 0).any():
        packed = "; the frame is packed already (it has 'passages')" if "passages" in frame.columns else ""
        wrong = int(np.argmax(start < 0))
        raise ValueError(
            f"{transformer!r} works on parts, and {row_name(frame, wrong)} names none: parts are named "
            f"ARTICLE#START-END{packed}"
        )
    topic = pd.factorize(frame["qid"])[0]
    if (topic < 0).any():
        raise ValueError(f"{transformer!r}: row {int(np.argmax(topic < 0))} has no qid")
    try:
        score = frame["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{transformer!r}: column 'score' holds something that is no number: {error}") from None
    if np.isnan(score).any():
        lost = row_name(frame, int(np.argmax(np.isnan(score))))
        raise ValueError(f"{transformer!r}: {lost}: the score is missing (NaN)")
    group, pairs = pd.factorize(topic * max(len(names), 1) + article)
    parts = Parts(np.arange(len(start)), topic, group, start, end, score, names[pairs % max(len(names), 1)])
    order = _by_score(topic, score)
    return _break_ties(parts if order is None else parts.take(order))


def row_name(frame: pd.DataFrame, row: int) -> str:
    """Name a row in a message: its topic and docno."""
    return f"topic {str(frame['qid'].iloc[row])!r}, docno {frame['docno'].iloc[row]!r}"


def rows_of(frame: pd.DataFrame, parts: Parts) -> pd.DataFrame:
    """Return the rows of *frame* that *parts* holds, in its order, ranked anew."""
    rows = frame.iloc[parts.row].reset_index(drop=True)
    rows["rank"] = parts.ranks()
    return rows


def pack_parts(
    frame: pd.DataFrame,
    parts: Parts,
    score: Floats,
    transformer: pt.Transformer,
    *,
    k: int | None,
    scored: bool,
    overlap: bool,
) -> pd.DataFrame:
    """Make the run frame: a row per topic and article, with its parts in document order as `passages`.

    *score* is that of each group. At most *k* articles a topic; passages carry their own scores where *scored*. Foreign
    columns are those of the article's best part. Without *overlap*, raises an OverlapError for parts that overlap.
    """
    group, best = parts.best()
    articles = article_order(parts.topic[best], score[group], parts.names[group])
    rank = ranks(parts.topic[best][articles])
    kept = np.ones(len(rank), dtype=bool) if k is None else rank < k
    place = np.zeros(len(parts.names), dtype=np.int64)  # of each article in the run; those left out come last
    place[group[np.concatenate((articles[kept], articles[~kept]))]] = np.arange(len(group))
    articles, rank = articles[kept], rank[kept]
    order = _document_order(place[parts.group], parts.start, parts.end)
    at, start, end = place[parts.group][order], parts.start[order], parts.end[order]
    if not overlap:
        _refuse_overlap(frame, parts, order, at, start, end, transformer)
    passages = np.empty(len(articles), dtype=object)
    with _collector_paused():
        passages[:] = to_cells(at, len(articles), start, end, parts.score[order] if scored else None)
    foreign = frame.drop(columns=["docno", "score", "rank", "passages"], errors="ignore")
    rows = foreign.iloc[parts.row[best[articles]]]
    return rows.reset_index(drop=True).assign(
        docno=parts.names[group[articles]], score=score[group[articles]], rank=rank, passages=passages
    )


def _document_order(article: Ints, start: Ints, end: Ints) -> Ints:
    """Return positions by article (a number), start and end."""
    stride = int(start.max(initial=0)) + 1
    if stride * (int(article.max(initial=0)) + 1) < 2**62:
        key = article * stride + start
        order = np.argsort(key)
        key = key[order]
        if np.all(key[1:] > key[:-1]):
            return order
    return np.lexsort((end, start, article))  # parts that begin together


def _refuse_overlap(
    frame: pd.DataFrame, parts: Parts, order: Ints, at: Ints, start: Ints, end: Ints, transformer: pt.Transformer
) -> None:
    """Raise an OverlapError where neighbours in document order share a character."""
    clash = np.flatnonzero((at[1:] == at[:-1]) & (start[1:] < end[:-1]))
    if not len(clash):
        return
    here = int(clash[0])
    raise OverlapError(
        str(frame["qid"].iloc[parts.row[order[here]]]),
        str(parts.names[parts.group[order[here]]]),
        (int(start[here]), int(end[here])),
        (int(start[here + 1]), int(end[here + 1])),
        f"put RemoveOverlap() before {type(transformer).__name__}(), or ask for overlap='allow'",
    )


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking all objects there are while very many small ones are made."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def best_scores(parts: Parts) -> Floats:
    """Return the score of each group's best part; NaN for a group without parts."""
    score = np.full(len(parts.names), np.nan)
    group, best = parts.best()
    score[group] = parts.score[best]
    return score


def ranks(topic: Ints) -> Ints:
    """Number the rows of each topic from 0; the rows of a topic stand together."""
    if not len(topic):
        return np.zeros(0, dtype=np.int64)
    first = np.flatnonzero(np.concatenate(([True], topic[1:] != topic[:-1])))
    return np.arange(len(topic)) - np.repeat(first, np.diff(np.append(first, len(topic))))


def check_count(transformer: pt.Transformer, name: str, value: Any, least: int, optional: bool = False) -> None:
    """Raise a ValueError where the setting *name* is no whole number of at least *least* (None goes if *optional*)."""
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        none = " or None" if optional else ""
        raise ValueError(
            f"{type(transformer).__name__}: {name}={value!r}; give a whole number of at least {least}{none}"
        )


def _by_score(topic: Ints, score: Floats) -> Ints | None:
    """Return positions by topic, then score, descending; None where they stand so already."""
    same = topic[1:] == topic[:-1]
    if np.all((topic[1:] > topic[:-1]) | (same & (score[1:] <= score[:-1]))):
        return None
    return np.lexsort((-score, topic))


def _break_ties(parts: Parts) -> Parts:
    """Order parts of one score by the rank of their article, start and end."""
    tied = (parts.topic[1:] == parts.topic[:-1]) & (parts.score[1:] == parts.score[:-1])
    if not tied.any():
        return parts
    groups, best = parts.best()
    score = np.empty(len(parts.names))
    score[groups] = parts.score[best]
    if _in_order(parts, np.flatnonzero(tied), score):
        return parts
    members = np.flatnonzero(np.concatenate((tied, [False])) | np.concatenate(([False], tied)))
    # only the articles of tied parts need their ranks
    group, code = np.unique(parts.group[members], return_inverse=True)
    rank = np.empty(len(group), dtype=np.int64)
    rank[article_order(np.zeros(len(group), dtype=np.int64), score[group], parts.names[group])] = np.arange(len(group))
    run = np.cumsum(np.concatenate(([True], ~tied)))[members]
    order = np.arange(len(parts.row))
    order[members] = members[_document_order(run * len(group) + rank[code], parts.start[members], parts.end[members])]
    return parts.take(order)


def _in_order(parts: Parts, tied: Ints, score: Floats) -> bool:
    """Tell whether the parts at *tied*, each of one score with the next, are in order; *score* is that of articles."""
    one, two = parts.group[tied], parts.group[tied + 1]
    start = parts.start[tied], parts.start[tied + 1]
    inside = (start[0] < start[1]) | ((start[0] == start[1]) & (parts.end[tied] <= parts.end[tied + 1]))
    with np.errstate(over="ignore"):
        lower, higher = score[two].astype(np.float32), score[one].astype(np.float32)
    wrong = np.where(one == two, ~inside, lower > higher)
    if wrong.any():
        return False
    equal = (one != two) & (lower == higher)
    return bool(np.all(parts.names[one[equal]] > parts.names[two[equal]]))
