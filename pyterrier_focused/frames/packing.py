"""From rows of passages to the run frame and back: a row whose docno is a passage id is read, ranked and packed.

qid  docno    score            qid  docno  score  passages
q1   7#0-80   3.0              q1   7      3.0    [{start: 0, end: 80, score: 3.0}, {start: 90, ...}]
q1   12#5-60  2.0     <-->     q1   12     2.0    [{start: 5, end: 60, score: 2.0}]
q1   7#90-99  1.0
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import OverlapError
from .checks import check_scored, need, scores
from .columns import flatten, span_column
from .ids import make_ids, name_id, read_ids
from .items import merge_items, rank_items
from .ranking_rule import article_order, passage_order, positions, span_order
from .span_attributes import ITEMS, PASSAGE_COLUMNS, make_numbers, make_row_numbers, read_numbers, read_row_numbers
from .spans import Floats, Ints
from .tables import Table

_SLIDING = re.compile(r"%p[0-9]+\Z")


class Parts(NamedTuple):
    """The passages of a frame in ranking order, a column each.

    `row` is a passage's position in the frame, `topic` counts topics as they appear, `group` counts (topic, article)
    pairs; `names` holds the article of each group. All but `score` (float64) and `names` (text) are int64.
    """

    row: Ints
    topic: Ints
    group: Ints
    start: Ints
    end: Ints
    score: Floats
    names: NDArray[np.object_]

    def take(self, which: NDArray[np.generic]) -> Parts:
        """Return the passages at the positions (or under the mask) *which*; groups keep their codes."""
        row, topic, group, start, end, score, names = self
        return Parts(row[which], topic[which], group[which], start[which], end[which], score[which], names)

    def ranks(self) -> Ints:
        return positions(self.topic)

    def best(self) -> tuple[Ints, Ints]:
        """Return the groups that have passages here, and the position of the best passage of each."""
        best = np.full(len(self.names), -1)
        # of several assignments to one place the last one counts
        best[self.group[::-1]] = np.arange(len(self.group))[::-1]
        group = np.flatnonzero(best >= 0)
        return group, best[group]

    def best_scores(self) -> Floats:
        """Return the score of each group's best passage; NaN for a group without passages."""
        score = np.full(len(self.names), np.nan)
        group, best = self.best()
        score[group] = self.score[best]
        return score


def read_parts(frame: pd.DataFrame, reader: str) -> Parts:
    """Read the passages of *frame*, ranked; errors name the *reader*.

    Raises ValueError for a docno without a span, a missing qid, or a score that is missing or not a number.
    """
    try:
        article, names, start, end = read_ids(frame["docno"])
    except TypeError:
        wrong = next(row for row, docno in enumerate(frame["docno"]) if not isinstance(docno, str))
        raise ValueError(
            f"{reader} works on passages: {passage_name(frame, wrong)} is not a text of the form ARTICLE#START-END"
        ) from None
    if (start < 0).any():
        wrong = int(np.argmax(start < 0))
        advice = ""
        if "passages" in frame.columns:
            advice = "; the frame is packed already (it has 'passages')"
        elif _SLIDING.search(frame["docno"].iloc[wrong]):
            advice = "; PassageIds(collection), or PassageIds.from_sliding, makes them of passages of pt.text.sliding"
        raise ValueError(
            f"{reader} works on passages, and {passage_name(frame, wrong)} names none: passages are named "
            f"ARTICLE#START-END{advice}"
        )
    topic = pd.factorize(frame["qid"])[0].astype(np.int64)
    if (topic < 0).any():
        raise ValueError(f"{reader}: row {int(np.argmax(topic < 0))} has no qid")
    try:
        score = scores(frame)
    except ValueError as error:
        raise ValueError(f"{reader}: {error}") from None
    return rank_parts(topic, article, names, start, end, score)


def rank_parts(topic: Ints, article: Ints, names: NDArray[np.object_], start: Ints, end: Ints, score: Floats) -> Parts:
    """Rank passages that are given as columns; *article* numbers the docnos *names*."""
    group, pairs = pd.factorize(topic * len(names) + article)
    parts = Parts(np.arange(len(start)), topic, group, start, end, score, names[pairs % len(names)])
    order = _rank_passages(parts)
    return parts if order is None else parts.take(order)


def _rank_passages(parts: Parts) -> Ints | None:
    """Return the positions of the passages in ranking order; None if they are so already."""

    def by_article(rows: Ints) -> tuple[Ints, Ints, Ints]:
        # only tied articles need their ranks
        group, code = np.unique(parts.group[rows], return_inverse=True)
        best = np.full(len(parts.names), -np.inf)
        np.maximum.at(best, parts.group, parts.score)
        rank = np.empty(len(group), dtype=np.int64)
        rank[article_order(np.zeros_like(group), best[group], parts.names[group])] = np.arange(len(group))
        return rank[code], parts.start[rows], parts.end[rows]

    order = passage_order(parts.topic, parts.score, by_article)
    return None if np.array_equal(order, parts.row) else order


def passage_name(frame: pd.DataFrame, row: int) -> str:
    return f"topic {str(frame['qid'].iloc[row])!r}, docno {name_id(frame['docno'].iloc[row])}"


def pack_parts(
    frame: pd.DataFrame, parts: Parts, score: Floats, *, k: int | None, scored: bool, overlap_advice: str | None
) -> pd.DataFrame:
    """Make the run frame: a row per topic and article, with its passages in document order.

    *score* is that of each group. At most *k* articles a topic; passages carry their own scores if *scored*. Foreign
    columns are those of the article's best passage; `around` and `items` become lists beside the passages. With
    *overlap_advice*, passages of two items that overlap raise an OverlapError that gives it; None lets them pass.
    """
    group, best = parts.best()
    articles = article_order(parts.topic[best], score[group], parts.names[group])
    rank = positions(parts.topic[best][articles])
    if k is not None:
        articles = articles[rank < k]
        rank = rank[rank < k]
    # of each article in the run
    place = np.full(len(parts.names), -1)
    place[group[articles]] = np.arange(len(articles))
    row = place[parts.group]
    order = document_order(row, parts.start, parts.end)
    if len(articles) < len(group):
        order = order[row[order] >= 0]
    row = row[order]
    start = parts.start[order]
    end = parts.end[order]
    if overlap_advice is not None and np.any((row[1:] == row[:-1]) & (start[1:] < end[:-1])):
        _refuse_overlap(frame, parts.take(order), overlap_advice)
    passages = span_column(row, len(articles), start, end, parts.score[order] if scored else None)
    beside = {column: read_row_numbers(frame, column) for column in PASSAGE_COLUMNS}
    own = ["docno", "score", "rank", "passages", *(column.name for column in beside)]
    foreign = frame.drop(columns=own, errors="ignore")
    rows = foreign.iloc[parts.row[best[articles]]].reset_index(drop=True)
    docno = parts.names[group[articles]]
    rows = rows.assign(docno=docno, score=score[group[articles]], rank=rank, passages=passages)
    for column, numbers in beside.items():
        if numbers is not None:
            rows[column.name] = make_numbers(row, len(articles), numbers[parts.row[order]], column)
    return rows


def find_item_ranks(frame: pd.DataFrame, parts: Parts) -> Ints:
    """Return the rank of each passage's item in its topic, from 0; without a column of items, of the passage."""
    items = read_row_numbers(frame, ITEMS)
    if items is None:
        return parts.ranks()
    order, item = rank_items(parts.topic, items[parts.row])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = item - item[np.searchsorted(parts.topic, parts.topic)]
    return rank


def document_order(article: Ints, start: Ints, end: Ints) -> Ints:
    """Return positions by article (a number), start and end; one key does if no two passages begin together."""
    stride = int(start.max(initial=0)) + 1
    if stride * (int(article.max(initial=0)) + 1) < 2**62:
        key = article * stride + start
        order = np.argsort(key)
        if np.all(key[order[1:]] > key[order[:-1]]):
            return order
    return np.lexsort((end, start, article))


def _refuse_overlap(frame: pd.DataFrame, parts: Parts, advice: str) -> None:
    """Raise an OverlapError if neighbours in document order share a character; entry points hold none."""
    filled = parts.take(parts.start < parts.end)
    items = read_row_numbers(frame, ITEMS)
    if items is not None:
        merged, piece = merge_items(filled.group, items[filled.row], filled.start, filled.end)
        filled = filled.take(np.unique(piece, return_index=True)[1])._replace(start=merged.start, end=merged.end)
    clash = np.flatnonzero((filled.group[1:] == filled.group[:-1]) & (filled.start[1:] < filled.end[:-1]))
    if len(clash):
        one = int(clash[0])
        two = int(clash[0]) + 1
        raise OverlapError(
            str(frame["qid"].iloc[filled.row[one]]),
            str(filled.names[filled.group[one]]),
            (int(filled.start[one]), int(filled.end[one])),
            (int(filled.start[two]), int(filled.end[two])),
            advice,
        )


def pack(parts: Table) -> pd.DataFrame:
    """Turn rows whose docno is a passage id into the run frame: one row per topic and article.

    Returns:
        A run. An article's `passages` are its passages with their scores, in document order; its score is its best
        passage's, and foreign columns are those of that passage. `around` and `items` are lists beside the passages;
        with items, scores are raised as far as needed to rank articles by their best item, then by its passages' order.

    Example:
        >>> run = pack(pd.DataFrame({"qid": "q1", "docno": ["7#0-80", "7#90-99"], "score": [3.0, 1.0]}))
        >>> run[["docno", "score"]].values.tolist()
        [['7', 3.0]]
        >>> run["passages"][0]
        [{'start': 0, 'end': 80, 'score': 3.0}, {'start': 90, 'end': 99, 'score': 1.0}]
    """
    parts = need(parts, ["qid", "docno", "score"], "a frame of passages")
    read = read_parts(parts, "pack()")
    return pack_parts(parts, read, score_articles(parts, read), k=None, scored=True, overlap_advice=None)


def score_articles(frame: pd.DataFrame, parts: Parts) -> Floats:
    """Score each group by its best passage; with items, raised so that articles come in the order of best items."""
    score = parts.best_scores()
    items = read_row_numbers(frame, ITEMS)
    if items is None:
        return score
    read = parts.group[rank_items(parts.topic, items[parts.row])[0]]
    in_turn = read[np.sort(np.unique(read, return_index=True)[1])]
    topic = np.empty(len(score), dtype=np.int64)
    topic[parts.group] = parts.topic
    if np.array_equal(in_turn[article_order(topic[in_turn], score[in_turn], parts.names[in_turn])], in_turn):
        return score
    # articles are ranked by float32
    with np.errstate(over="ignore"):
        single = score.astype(np.float32)
    for earlier, later in zip(in_turn[-2::-1].tolist(), in_turn[:0:-1].tolist(), strict=True):
        if topic[earlier] == topic[later] and single[earlier] <= single[later]:
            score[earlier] = single[earlier] = np.nextafter(single[later], np.float32(np.inf))
    return score


def unpack(run: Table) -> pd.DataFrame:
    """Turn a run frame into one row per passage, ranked, whose docno is the passage id.

    Returns:
        A row per passage, with the article's foreign columns. Its score is its own, or its article's if it has none.

    Example:
        >>> unpack(pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [3.0], "passages": [[(0, 80)]]}))["docno"][0]
        '7#0-80'
    """
    run = need(run, ["qid", "docno", "score", "passages"], "a run")
    articles = ranked(run)
    spans = flatten(articles["passages"], "passages", articles)
    qid = articles["qid"].to_numpy(dtype=object)
    article_score = scores(articles)
    topic = topic_codes(articles)[spans.row]
    check_scored(topic, spans.score, qid[spans.row])
    order = span_order(topic, spans)
    row = spans.row[order]
    parts = articles.iloc[row].drop(columns=["passages", "rank"])
    parts["docno"] = make_ids(articles["docno"].to_numpy(dtype=object)[row], spans.start[order], spans.end[order])
    if spans.score is not None:
        own = spans.score[order]
        parts["score"] = np.where(np.isnan(own), article_score[row], own)
    for column in PASSAGE_COLUMNS:
        numbers = read_numbers(articles, column, spans)
        if numbers is not None:
            parts[column.name] = make_row_numbers(numbers[order], column)
    parts["rank"] = positions(topic[order])
    return parts.reset_index(drop=True)


def ranked(run: pd.DataFrame) -> pd.DataFrame:
    """Sort a frame by topic (in order of appearance) and rank of its rows, and number the ranks from 0.

    Example:
        >>> run = pd.DataFrame({"qid": ["q2", "q1", "q2"], "docno": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]})
        >>> ranked(run)[["qid", "docno", "rank"]].values.tolist()
        [['q2', 'c', 0], ['q2', 'a', 1], ['q1', 'b', 0]]
    """
    topic = topic_codes(run)
    order = article_order(topic, scores(run), run["docno"].to_numpy(dtype=object))
    return run.iloc[order].assign(rank=positions(topic[order])).reset_index(drop=True)


def topic_codes(frame: pd.DataFrame) -> Ints:
    return pd.factorize(frame["qid"].to_numpy(dtype=object))[0].astype(np.int64)
