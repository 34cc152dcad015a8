"""Element retrieval's classic baselines: the mixture language model with a length prior, and score propagation."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from ...errors import check_choice
from ...frames.articles import ArticleCollection
from ...frames.ids import make_ids
from ...frames.spans import Floats, Ints
from ..engines.terms import Words
from ..passages.part_texts import read_elements, without_headings
from ..passages.selectors import seams_of
from ..transformer import PartsTransformer, check_count, check_share, rank_rows, read_parts, rows_of
from .article_words import read_words
from .table import ElementReader, ElementTable

_CACHED_TERMS = 20_000_000


class _ArticleTerms(NamedTuple):
    """The terms of an article: the offset of each, and its number."""

    start: Ints
    term: Ints


class MixtureModel(PartsTransformer):
    """Rank parts by the mixture language model of element, article and collection, with a length prior.

    Input: a frame of parts with `query` (`docno` = passage id, `score`), such as from `index.bm25()`: the candidates.
    Output: the rows ranked again by
    `prior * log |e| + sum over terms t of log(1 + (element * P(t|e) + article * P(t|a)) / (rest * P(t|C)))`;
    `rest = 1 - element - article`, P is the share of a term among the terms of the element, its article, and the
    collection, and |e| counts terms: those that an engine would index, without stop words.

    Args:
        collection: The collection of the parts; all of it is counted once, on first use.
        element: The weight of the element's model; it and that of the article are above 0 together, below 1.
        prior: The weight of an element's length: 0 ignores it, 1 is proportional to it.
        headings: 'keep', or 'drop' to leave out the headings of sections, for topics that are made of headings.
        language: The language of the stems.

    Source: Kamps, de Rijke and Sigurbjörnsson, "Length normalization in XML retrieval", SIGIR 2004; Sigurbjörnsson,
        Kamps and de Rijke, "An element-based approach to XML retrieval", INEX 2003.

    Example:
        >>> from pathlib import Path
        >>> from pyterrier_focused import Collection
        >>> _ = Path("8.xml").write_text("<article><title>Pets</title><p>A cat sat.</p><p>A dog ran.</p></article>")
        >>> collection = Collection.build("8.xml", "animals", verbose=False)
        >>> parts = pd.DataFrame({"qid": "q1", "query": "dogs", "docno": ["8#5-15", "8#16-26"], "score": [2.0, 1.0]})
        >>> MixtureModel(collection)(parts)["docno"].tolist()
        ['8#16-26', '8#5-15']
    """

    def __init__(
        self,
        collection: ArticleCollection,
        element: float = 0.1,
        article: float = 0.1,
        prior: float = 0.6,
        headings: str = "keep",
        language: str = "english",
    ):
        check_share(self, "element", element)
        check_share(self, "article", article)
        if not 0 < element + article < 1:
            raise ValueError(f"MixtureModel: element + article = {element + article:g}; give more than 0, less than 1")
        if isinstance(prior, bool) or not isinstance(prior, int | float) or not np.isfinite(prior):
            raise ValueError(f"MixtureModel: prior={prior!r}; give a number")
        check_choice("MixtureModel: headings", headings, ("keep", "drop"))
        self.collection = collection
        self.element = element
        self.article = article
        self.prior = prior
        self.headings = headings
        self.language = language
        self._words = _CollectionTerms(collection, headings == "drop", Words(language))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=["query", "score"], context=self)
        parts = read_parts(inp, self)
        query = inp["query"].to_numpy(dtype=object)[parts.row]
        score = np.zeros(len(parts.row))
        order = np.argsort(parts.group, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(parts.group[order])) + 1):
            if len(own):
                docno = parts.names[parts.group[own[0]]]
                score[own] = self._score_parts(query[own[0]], docno, parts.start[own], parts.end[own])
        return rank_rows(inp.iloc[parts.row], parts.topic, score)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(self.settings().values())

    def _score_parts(self, query: str, docno: str, start: Ints, end: Ints) -> Floats:
        terms = self._words.article(docno)
        first, last = (np.searchsorted(terms.start, offsets) for offsets in (start, end))
        length = np.maximum(last - first, 1)
        score: Floats = self.prior * np.log(length)
        rest = 1 - self.element - self.article
        for term in self._words.query(query):
            occurrences = np.flatnonzero(terms.term == term)
            inside = np.searchsorted(occurrences, last) - np.searchsorted(occurrences, first)
            near = self.element * inside / length + self.article * len(occurrences) / max(len(terms.term), 1)
            score += np.log1p(near / (rest * self._words.share(term)))
        return score


class Propagate(PartsTransformer):
    """Give scores of parts to the elements around them, as GPX does: an element scores by all parts found in it.

    Input: a frame of parts (`qid`, `docno` = passage id, `score` of at least 0): sections and paragraphs, say.
    Output: the parts and all elements that hold one, ranked: an element scores its own score, if it was retrieved, plus
    *one* or *many* times the sum of its children's scores. Foreign columns are those of the best part.

    Args:
        one: The factor if only one child scores, 0..1.
        many: The factor if several do, 0..1.

    Source: Geva, "GPX: Gardens Point XML IR at INEX 2005", with .49 and .99 for its own scores of leaves; after BM25
        these return whole articles, so the defaults are others, tuned over sections and paragraphs.

    Example:
        >>> from pathlib import Path
        >>> from pyterrier_focused import Collection
        >>> _ = Path("7.xml").write_text("<article><sec><p>A cat sat.</p><p>A dog ran.</p></sec></article>")
        >>> collection = Collection.build("7.xml", "pets", verbose=False)
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#0-10"], "score": [2.0]})
        >>> Propagate(collection, one=0.5)(parts)[["docno", "score"]].values.tolist()
        [['7#0-10', 2.0], ['7#0-21', 1.0]]
    """

    def __init__(self, collection: ArticleCollection, one: float = 0.3, many: float = 0.01, num_results: int = 1500):
        check_share(self, "one", one)
        check_share(self, "many", many)
        check_count(self, "num_results", num_results, 1)
        self.collection = collection
        self.one = one
        self.many = many
        self.num_results = num_results
        self._elements = ElementReader(collection)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        parts = read_parts(inp, self)
        if len(parts.score) and parts.score.min() < 0:
            raise ValueError(f"{self!r}: the score {parts.score.min():g} is below 0, and sums of such mean nothing")
        row: list[Ints] = []
        docno: list[str] = []
        score: list[float] = []
        bounds = np.searchsorted(parts.topic, np.arange(int(parts.topic.max(initial=-1)) + 2))
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            own = parts.take(np.arange(first, last))
            groups, article = np.unique(own.group, return_inverse=True)
            table = self._elements.table(own.names[groups])
            holder = table.holders(article, own.start, own.end)
            if holder.min() < 0:
                wrong = inp["docno"].iloc[own.row[int(np.argmin(holder))]]
                raise ValueError(f"{self!r}: part {wrong!r} reaches beyond its article in {self.collection!r}")
            exact = (table.start[holder] == own.start) & (table.end[holder] == own.end)
            value = self._propagate_scores(table, holder, exact, own.score)
            found = np.flatnonzero((value > 0) & (table.end > table.start))
            ids = make_ids(own.names[groups][table.article[found]], table.start[found], table.end[found])
            best = dict(zip(inp["docno"].iloc[own.row[~exact]], own.score[~exact].tolist(), strict=True))
            for name, amount in zip(ids, value[found].tolist(), strict=True):
                best[name] = max(amount, best.get(name, 0.0))
            row.append(np.full(len(best), own.row[0]))
            docno += list(best)
            score += list(best.values())
        rows = inp.iloc[np.concatenate([np.zeros(0, dtype=np.int64), *row])].drop(columns="text", errors="ignore")
        rows = rows.reset_index(drop=True).assign(docno=pd.Series(docno, dtype=object), score=np.array(score, float))
        ranked = read_parts(rows, self)
        return rows_of(rows, ranked.take(ranked.ranks() < self.num_results))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(self.settings().values())

    def _propagate_scores(self, table: ElementTable, holder: Ints, exact: np.ndarray, score: Floats) -> Floats:
        value, total, count = (np.zeros(len(table)) for _ in range(3))
        np.maximum.at(value, holder[exact], score[exact])
        # a part that is not an element counts as a child of the element that holds it
        np.add.at(total, holder[~exact], score[~exact])
        np.add.at(count, holder[~exact], 1)
        for rows in [*reversed(table.levels), np.flatnonzero(table.depth == 0)]:
            value[rows] += np.where(count[rows] > 1, self.many, self.one) * total[rows]
            below = rows[(value[rows] > 0) & (table.parent[rows] >= 0)]
            np.add.at(total, table.parent[below], value[below])
            np.add.at(count, table.parent[below], 1)
        return value


class _CollectionTerms:
    """The terms of a collection: those of articles with their places, of queries, and their shares of all."""

    def __init__(self, collection: ArticleCollection, without_headings: bool, words: Words):
        self._collection = collection
        self._words = words
        self._without_headings = without_headings
        self._articles: dict[str, _ArticleTerms] = {}
        self._kept = 0

    def article(self, docno: str) -> _ArticleTerms:
        if docno not in self._articles:
            if self._kept > _CACHED_TERMS:
                self._articles.clear()
                self._kept = 0
            self._articles[docno] = self._read_terms(docno, self._collection.text([docno])[0])
            self._kept += len(self._articles[docno].term)
        return self._articles[docno]

    def query(self, query: str) -> list[int]:
        """Return the numbers of a query's terms that the collection has."""
        places = self._words.places(query)
        return [term for term in places.term[~places.stop].tolist() if self._term_counts[term]]

    def share(self, term: int) -> float:
        return self._term_counts[term] / self._term_total

    @cached_property
    def _term_counts(self) -> Counter[int]:
        counts: Counter[int] = Counter()
        for article in self._collection.articles():
            counts.update(self._read_terms(article["docno"], article["text"]).term.tolist())
        return counts

    @cached_property
    def _term_total(self) -> int:
        return sum(self._term_counts.values())

    def _read_terms(self, docno: str, text: str) -> _ArticleTerms:
        elements = read_elements(self._collection.element_columns(docno), self._collection.heading_tags)
        if self._without_headings:
            text = without_headings(text, elements)
        words = read_words(text, seams_of(elements), self._words)
        return _ArticleTerms(words.start[~words.stop], words.term[~words.stop])
