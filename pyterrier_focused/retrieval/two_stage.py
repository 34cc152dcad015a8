"""Scores of parts in context: that of the article around them, and those of the larger parts that hold them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import check_choice
from ..frames.ids import parse_ids
from ..frames.spans import Floats, Ints, ranges
from .transformer import Parts, PartsTransformer, check_share, rank_rows, read_parts

_PAIRS = 4_000_000


class ArticleThenParts(PartsTransformer):
    """Retrieve articles, then parts of these articles only, scored by both.

    Input: topics, as both retrievers take them. Output: the parts of retrieved articles (`docno` = passage id, foreign
    columns as of *part_retriever*) with the combined `score`, and their article's in `article_score`.

    Args:
        article_retriever: Any transformer whose docno is an article, or a part of one: an article scores as its best
            row.
        part_retriever: Any transformer whose docno is a passage id. Let it go deep: it searches parts of all articles.
        combine: 'interpolate' adds *weight* times the article's score and (1 - *weight*) times the part's, each scaled
            to 0..1 over the topic (1 if all are the same), so any two engines go together; 'product' multiplies the
            scores as they are; 'article' ranks by article first and by part within it.
        weight: The weight of the article's score in 'interpolate', 0..1.

    Example:
        >>> articles = pd.DataFrame({"qid": "q1", "docno": ["7", "12"], "score": [2.0, 1.0]})
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["12#5-60", "9#0-50", "7#0-80"], "score": [3.0, 2.0, 1.0]})
        >>> retrievers = map(pt.Transformer.from_df, (articles, parts))
        >>> ArticleThenParts(*retrievers, combine="article").search("lamps", qid="q1")["docno"].tolist()
        ['7#0-80', '12#5-60']
    """

    def __init__(
        self,
        article_retriever: pt.Transformer,
        part_retriever: pt.Transformer,
        combine: str = "interpolate",
        weight: float = 0.5,
    ):
        check_choice("ArticleThenParts: combine", combine, ("interpolate", "product", "article"))
        check_share(self, "weight", weight)
        self.article_retriever = article_retriever
        self.part_retriever = part_retriever
        self.combine = combine
        self.weight = weight

    @property
    def schematic(self) -> dict[str, str | None]:
        return super().schematic | {"inner_pipelines_mode": "linked"}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        articles = self.article_retriever.transform(inp)
        pt.validate.result_frame(articles, extra_columns=["score"], context=self.article_retriever)
        found = self.part_retriever.transform(inp)
        parts = read_parts(found, self.part_retriever)
        article_score = self._find_article_scores(articles, found["qid"], parts)
        retrieved = ~np.isnan(article_score)
        parts = parts.take(retrieved)
        article_score = article_score[retrieved]
        rows = found.iloc[parts.row].assign(article_score=article_score)
        return rank_rows(rows, parts.topic, self._combine_scores(parts, article_score))

    def compile(self) -> pt.Transformer:
        return ArticleThenParts(
            self.article_retriever.compile(), self.part_retriever.compile(), self.combine, self.weight
        )

    def _find_article_scores(self, articles: pd.DataFrame, qid: pd.Series, parts: Parts) -> Floats:
        """Return the score of each part's article; NaN if the article was not retrieved."""
        docno = articles["docno"].to_numpy(dtype=object)
        # an article's own docno may look like a passage id
        whole = pd.Index(docno).isin(parts.names)
        scores = pd.DataFrame(
            {
                "qid": articles["qid"].to_numpy(dtype=object),
                "article": np.where(whole, docno, parse_ids(docno)[0]),
                "score": articles["score"].to_numpy(dtype=np.float64),
            }
        )
        best = scores.groupby(["qid", "article"], sort=False)["score"].max()
        wanted = pd.MultiIndex.from_arrays(
            [qid.to_numpy(dtype=object)[parts.row], parts.names[parts.group]], names=["qid", "article"]
        )
        return best.reindex(wanted).to_numpy(dtype=np.float64)

    def _combine_scores(self, parts: Parts, article_score: Floats) -> Floats:
        if self.combine == "product":
            return article_score * parts.score
        if self.combine == "interpolate":
            article = _scale_scores(parts.topic, article_score)
            part = _scale_scores(parts.topic, parts.score)
            return self.weight * article + (1 - self.weight) * part
        # a whole number for each article, and less than one for each part within it:
        # articles b, a, b of scores 2, 1, 2 have the places 2, 1, 2
        order = np.lexsort((-parts.group, article_score, parts.topic))
        topic = parts.topic[order]
        group = parts.group[order]
        opens = np.ones(len(order), dtype=np.int64)
        opens[1:] = group[1:] != group[:-1]
        count = np.cumsum(opens)
        place = np.empty(len(order))
        place[order] = count - count[np.searchsorted(topic, topic)] + 1
        return place + _scale_scores(parts.topic, parts.score) / 2


class Contextualise(PartsTransformer):
    """Mix the score of each part with those of the retrieved parts that hold it.

    Input: a frame of parts (`qid`, `docno` = passage id, `score`), such as of an index with sections and paragraphs.
    Output: all rows, ranked by `(1 - weight) * own score + weight * mean score of the larger parts around it`; a part
    that no retrieved part holds keeps its score.

    Args:
        weight: The weight of the context, 0..1.

    Source: Arvola, Junkkari and Kekäläinen, "Generalized contextualization method for XML information retrieval", 2005.

    Example:
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#0-100", "12#0-50", "7#10-50"], "score": [4.0, 2.5, 2.0]})
        >>> Contextualise(0.5)(parts)[["docno", "score"]].values.tolist()
        [['7#0-100', 4.0], ['7#10-50', 3.0], ['12#0-50', 2.5]]
    """

    def __init__(self, weight: float = 0.5):
        check_share(self, "weight", weight)
        self.weight = weight

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        parts = read_parts(inp, self)
        total = np.zeros(len(parts.row))
        count = np.zeros(len(parts.row), dtype=np.int64)
        for outer, inner in _find_holding_pairs(parts.group, parts.start, parts.end):
            total += np.bincount(inner, parts.score[outer], len(total))
            count += np.bincount(inner, minlength=len(count))
        around = np.where(count > 0, total / np.maximum(count, 1), parts.score)
        score = (1 - self.weight) * parts.score + self.weight * around
        return rank_rows(inp.iloc[parts.row], parts.topic, score)


def _find_holding_pairs(group: Ints, start: Ints, end: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs (outer, inner) of spans of one group in which the outer one holds the inner and is longer.

    The spans [0, 100), [20, 80), [90, 120) of one group have the pair (0, 1) only.
    """
    n = len(group)
    if not n:
        return
    # Offsets of any size become small numbers.
    _, place = np.unique(np.concatenate((start, end)), return_inverse=True)
    opens = group * 2 * n + place[:n]
    closes = group * 2 * n + place[n:]
    order = np.lexsort((-closes, opens))
    begins = opens[order]
    # spans after each that begin within it or, as entry points may, at its end
    inside = np.searchsorted(begins, closes[order], side="right") - np.arange(1, n + 1)
    upto = np.cumsum(inside)
    first = 0
    while first < n:
        last = max(int(np.searchsorted(upto, (upto[first - 1] if first else 0) + _PAIRS, side="right")), first + 1)
        many = inside[first:last]
        begin = np.arange(first, last)
        outer = order[np.repeat(begin, many)]
        inner = order[ranges(begin + 1, many)]
        holds = (closes[inner] <= closes[outer]) & ((opens[outer] != opens[inner]) | (closes[outer] != closes[inner]))
        yield outer[holds], inner[holds]
        first = last


def _scale_scores(topic: Ints, score: Floats) -> Floats:
    """Scale scores to 0..1 over each topic; 1 if all are the same."""
    if not len(topic):
        return score
    low = np.full(int(topic.max()) + 1, np.inf)
    high = np.full(int(topic.max()) + 1, -np.inf)
    np.minimum.at(low, topic, score)
    np.maximum.at(high, topic, score)
    width = (high - low)[topic]
    return np.where(width > 0, (score - low[topic]) / np.where(width > 0, width, 1), 1.0)
