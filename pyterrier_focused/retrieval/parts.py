"""Frames of parts: rows whose docno is a passage id, read as ranked columns, and put together as the run frame.

A part is one row (`qid`, `docno` = `ARTICLE#START-END`, `score`). Every transformer of this package reads its input
here, so all of them rank alike: by score, then by the rank of the part's article, start and end.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import OverlapError
from ..frames import Floats, Ints, article_order, parse_ids, to_cells
from ..spans import first_overlap


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

    `row` is a part's position in the frame, `topic` counts topics as they appear, `group` counts (topic, article) pairs
    as their best part appears in the ranking; `names` holds the article of each group.
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


def read_parts(frame: pd.DataFrame, transformer: pt.Transformer) -> Parts:
    """Read the parts of *frame*, ranked, for *transformer*, whom errors name.

    Raises pt.validate.InputValidationError for missing columns, ValueError for a docno without a span or no score.
    """
    pt.validate.result_frame(frame, extra_columns=["score"], context=transformer)
    code, ids = pd.factorize(frame["docno"].to_numpy(dtype=object))
    name, first, last = parse_ids(_strings(ids, frame, transformer))
    if (first < 0).any():
        docno = ids[int(np.argmax(first < 0))]
        packed = "; the frame is packed already (it has 'passages')" if "passages" in frame.columns else ""
        raise ValueError(
            f"{transformer!r} works on parts, and docno {docno!r} names none: parts are named ARTICLE#START-END{packed}"
        )
    article_of_id, names = pd.factorize(name)
    topic = pd.factorize(frame["qid"])[0]
    if (topic < 0).any():
        raise ValueError(f"{transformer!r}: row {int(np.argmax(topic < 0))} has no qid")
    score = frame["score"].to_numpy(dtype=np.float64)
    if np.isnan(score).any():
        lost = frame.iloc[int(np.argmax(np.isnan(score)))]
        raise ValueError(f"{transformer!r}: topic {lost['qid']!r}, docno {lost['docno']!r}: the score is missing (NaN)")
    pair = topic * max(len(names), 1) + article_of_id[code]
    row = _by_score(topic, score)
    group, pairs = pd.factorize(pair[row])
    parts = Parts(row, topic[row], group, first[code][row], last[code][row], score[row], names[pairs % len(names)])
    order = _break_ties(parts)
    if order is None:
        return parts
    parts = parts.take(order)
    group, appearance = pd.factorize(parts.group)
    return parts._replace(group=group, names=parts.names[appearance])


def rows_of(frame: pd.DataFrame, parts: Parts) -> pd.DataFrame:
    """Return the rows of *frame* that *parts* holds, in its order, ranked anew."""
    rows = frame.iloc[parts.row].reset_index(drop=True)
    rows["rank"] = parts.ranks()
    return rows


def refuse_overlap(frame: pd.DataFrame, parts: Parts, transformer: pt.Transformer) -> None:
    """Raise an OverlapError where two parts of one topic and article share a character."""
    clash = first_overlap(parts.group, parts.start, parts.end)
    if clash is None:
        return
    a, b = clash
    raise OverlapError(
        str(frame["qid"].iloc[parts.row[a]]),
        str(parts.names[parts.group[a]]),
        (int(parts.start[a]), int(parts.end[a])),
        (int(parts.start[b]), int(parts.end[b])),
        f"put RemoveOverlap() before {type(transformer).__name__}(), or ask for overlap='allow'",
    )


def pack_parts(frame: pd.DataFrame, parts: Parts, score: Floats, k: int | None, scored: bool) -> pd.DataFrame:
    """Make the run frame: a row per topic and article, with its parts in document order as `passages`.

    *score* is that of each group. At most *k* articles a topic; passages carry their own scores where *scored*. Foreign
    columns are those of the article's best part.
    """
    group, best = first_of(parts.group)
    topic, names = parts.topic[best], parts.names[group]
    order = article_order(topic, score[group], names)
    rank = ranks(topic[order])
    if k is not None:
        order, rank = order[rank < k], rank[rank < k]
    place = np.full(len(parts.names), -1)
    place[group[order]] = np.arange(len(order))
    at = place[parts.group]
    inside = np.lexsort((parts.end, parts.start, at))
    inside = inside[np.searchsorted(at[inside], 0) :]
    run = frame.iloc[parts.row[best[order]]].drop(columns=["rank", "passages"], errors="ignore").reset_index(drop=True)
    run["docno"] = names[order]
    run["score"] = score[group][order]
    run["rank"] = rank
    cells = to_cells(
        at[inside], len(order), parts.start[inside], parts.end[inside], parts.score[inside] if scored else None
    )
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    run["passages"] = column
    return run


def first_of(code: Ints) -> tuple[Ints, Ints]:
    """Return the codes that occur, ascending, and where each comes first."""
    return np.unique(code, return_index=True)


def ranks(topic: Ints) -> Ints:
    """Number the rows of each topic from 0; the rows of a topic stand together."""
    if not len(topic):
        return np.zeros(0, dtype=np.int64)
    first = np.flatnonzero(np.concatenate(([True], topic[1:] != topic[:-1])))
    return np.arange(len(topic)) - np.repeat(first, np.diff(np.append(first, len(topic))))


def check_choice(transformer: pt.Transformer, name: str, value: Any, choices: Iterable[str]) -> None:
    """Raise a ValueError where the setting *name* is none of the *choices*."""
    if value not in tuple(choices):
        raise ValueError(
            f"{type(transformer).__name__}: {name}={value!r}; choose one of {', '.join(map(repr, choices))}"
        )


def check_count(transformer: pt.Transformer, name: str, value: Any, least: int, optional: bool = False) -> None:
    """Raise a ValueError where the setting *name* is no whole number of at least *least* (None goes if *optional*)."""
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        none = " or None" if optional else ""
        raise ValueError(
            f"{type(transformer).__name__}: {name}={value!r}; give a whole number of at least {least}{none}"
        )


def _strings(ids: np.ndarray, frame: pd.DataFrame, transformer: pt.Transformer) -> np.ndarray:
    """Return *ids*, checked to be text: a missing or numeric docno is no passage id."""
    if not all(isinstance(docno, str) for docno in ids) or frame["docno"].isna().any():
        wrong = next((docno for docno in frame["docno"] if not isinstance(docno, str)), None)
        raise ValueError(f"{transformer!r} works on parts: docno {wrong!r} is no text of the form ARTICLE#START-END")
    return ids


def _by_score(topic: Ints, score: Floats) -> Ints:
    """Return positions by topic, then score, descending, as they stand where tied."""
    same = topic[1:] == topic[:-1]
    if np.all((topic[1:] > topic[:-1]) | (same & (score[1:] <= score[:-1]))):
        return np.arange(len(topic))
    return np.lexsort((-score, topic))


def _break_ties(parts: Parts) -> Ints | None:
    """Order parts of one score by the rank of their article, start and end; None where the order stands already."""
    tied = (parts.topic[1:] == parts.topic[:-1]) & (parts.score[1:] == parts.score[:-1])
    if not tied.any():
        return None
    group, best = first_of(parts.group)
    article_rank = np.empty(len(group), dtype=np.int64)
    article_rank[article_order(parts.topic[best], parts.score[best], parts.names)] = np.arange(len(group))
    run = np.cumsum(np.concatenate(([True], ~tied)))
    members = np.flatnonzero(np.concatenate((tied, [False])) | np.concatenate(([False], tied)))
    keys = parts.end[members], parts.start[members], article_rank[parts.group[members]], run[members]
    order = np.arange(len(run))
    order[members] = members[np.lexsort(keys)]
    return order
