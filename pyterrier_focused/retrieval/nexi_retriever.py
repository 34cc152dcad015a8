"""Content-and-structure retrieval: NEXI castitles over any retriever of parts and the collection's elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import NexiError, check_choice
from ..frame_checks import scores
from ..frames import make_ids, read_ids
from ..nexi import About, Query, Term, parse
from ..packing import rank_parts
from ..spans import Floats, Ints
from .element_table import ElementReader
from .nexi_scores import EQUIVALENTS, NOT, ElementScores, Found, TagGroups, TopicElements, about_clauses, raise_same
from .nexi_terms import ArticleText
from .parts import PartsTransformer, check_count
from .selectors import seams_of

_CACHED_TEXT = 50_000_000  # characters


class _Results(NamedTuple):
    """Parts that were found, or elements that are returned; `article` numbers the articles of all topics."""

    article: Ints
    start: Ints
    end: Ints
    score: Floats

    def take(self, which: np.ndarray | slice) -> _Results:
        return _Results(*(column[which] for column in self))

    @classmethod
    def joined(cls, results: Sequence[_Results]) -> _Results:
        none: Ints = np.zeros(0, dtype=np.int64)
        article, start, end, score = map(np.concatenate, zip((none, none, none, np.zeros(0)), *results, strict=True))
        return cls(article, start, end, score)


class NexiRetriever(PartsTransformer):
    """Retrieve elements by content and structure: topics with a `castitle` in NEXI in, a frame of parts out.

    Where a topic has no castitle, its `query` is searched instead. Results are elements whether they are indexed or
    not, and they overlap: an element scores for an about clause as the retrieved part that it is, or else by the best
    retrieved part within it, less with each level between. `and` adds scores, `or` takes the best, and the scores of
    steps add up. Among equal scores the smaller element comes first.

    retriever: any transformer that retrieves parts for `qid` and `query`; it answers each about clause.
    collection: the collection whose elements are returned.
    structure: 'strict' takes tags by their names and returns what fulfils the query to the letter: every step, every
        part of an `and`, phrases and terms with + present, terms with - absent. 'vague' takes tags by what they mean
        (`sec`, `section` and `ss1` are the same); the last step's names say what is returned, or any element where no
        retrieved article has such a one, and its condition must hold in part; steps above add to the score where they
        hold, phrases and terms with + raise it where they stand, and terms with - are not searched.
    equivalents: groups of tags that mean the same, for 'vague'; None for those of INEX and of MediaWiki dumps.
    num_results: how many elements a topic gets at most.
    decay: what is left of a part's score in the element around it, above 0 and at most 1, once for each level (as in
        Geva, "GPX: Gardens Point XML IR at INEX 2005").
    reward: how much of its score a part gains in 'vague' where it holds all phrases and terms with +, at least 0.
    """

    def __init__(
        self,
        retriever: pt.Transformer,
        collection: Any,
        structure: str = "vague",
        equivalents: Iterable[Iterable[str]] | None = None,
        num_results: int = 1000,
        decay: float = 0.8,
        reward: float = 0.5,
    ):
        check_choice("NexiRetriever: structure", structure, ("strict", "vague"))
        check_count(self, "num_results", num_results, 1)
        if isinstance(decay, bool) or not isinstance(decay, int | float) or not 0 < decay <= 1:
            raise ValueError(f"NexiRetriever: decay={decay!r}; give a number above 0 and at most 1")
        if isinstance(reward, bool) or not isinstance(reward, int | float) or not reward >= 0:
            raise ValueError(f"NexiRetriever: reward={reward!r}; give a number of at least 0")
        self.retriever = retriever
        self.collection = collection
        self.structure = structure
        self.equivalents = None if equivalents is None else tuple(tuple(group) for group in equivalents)
        self.num_results = num_results
        self.decay = decay
        self.reward = reward
        self._elements = ElementReader(collection)
        self._texts: dict[str, ArticleText] = {}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Retrieve elements for each topic."""
        with pt.validate.any(inp, context=self) as modes:
            modes.query_frame(extra_columns=["castitle"], mode="castitle")
            modes.query_frame(extra_columns=["query"], mode="title")
        queries = [self._parsed(qid, castitle) for qid, castitle in zip(inp["qid"], self._castitles(inp), strict=True)]
        clauses = [[] if query is None else about_clauses(query) for query in queries]
        names, found = self._search(inp, queries, clauses)
        answers = [
            found[row][0] if query is None else self._answers(query, clauses[row], found[row], names)
            for row, query in enumerate(queries)
        ]
        row = np.repeat(np.arange(len(inp)), [len(answer.score) for answer in answers])
        topic = pd.factorize(inp["qid"])[0].astype(np.int64)[row]
        article, start, end, score = _Results.joined(answers)
        parts = rank_parts(topic, article, names, start, end, score)
        parts = parts.take(parts.ranks() < self.num_results)
        rows = inp.iloc[row[parts.row]].drop(columns=["score", "rank"], errors="ignore").reset_index(drop=True)
        rows["docno"] = np.array(make_ids(parts.names[parts.group], parts.start, parts.end), dtype=object)
        rows["score"], rows["rank"] = parts.score, parts.ranks()
        return rows

    def compile(self) -> pt.Transformer:
        """Compile the retriever."""
        return type(self)(**(self.settings() | {"retriever": self.retriever.compile()}))

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        """Take a following `% k`: fewer elements are returned."""
        if k >= self.num_results:
            return self
        return type(self)(**(self.settings() | {"num_results": k})) if k >= 1 else None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self.settings().values())

    def _castitles(self, inp: pd.DataFrame) -> list[str]:
        if "castitle" not in inp.columns:
            return [""] * len(inp)
        return [castitle.strip() if isinstance(castitle, str) else "" for castitle in inp["castitle"]]

    def _parsed(self, qid: str, castitle: str) -> Query | None:
        try:
            return parse(castitle) if castitle else None
        except NexiError as error:
            raise ValueError(f"topic {qid!r}: {error}") from error

    def _search(
        self, inp: pd.DataFrame, queries: list[Query | None], clauses: list[list[About]]
    ) -> tuple[np.ndarray, list[list[_Results]]]:
        """Return the docnos of articles, and for each topic what was found for its about clauses, or its title."""
        asked: dict[str, int] = {}  # a text that several clauses have is searched once
        texts: list[list[int]] = []
        for row, query in enumerate(queries):
            if query is None:
                title = inp["query"].iloc[row] if "query" in inp.columns else None
                if not isinstance(title, str):
                    raise ValueError(f"{self!r}: topic {inp['qid'].iloc[row]!r} has neither a castitle nor a query")
                own = [title]
            else:
                own = [" ".join(t.text for t in about.terms if t.sign != "-") for about in clauses[row]]
            texts.append([asked.setdefault(text, len(asked)) for text in own])
        topics = pd.DataFrame(
            {"qid": [str(number) for number in range(len(asked))], "query": list(asked)}, dtype=object
        )
        parts = self.retriever.transform(topics)
        pt.validate.result_frame(parts, extra_columns=["score"], context=self.retriever)
        article, names, start, end = read_ids(parts["docno"])
        if (start < 0).any():
            wrong = parts["docno"].iloc[int(np.argmax(start < 0))]
            raise ValueError(f"{self.retriever!r}: docno {wrong!r} names no part of the form ARTICLE#START-END")
        number = parts["qid"].to_numpy().astype(np.int64)
        order = np.argsort(number, kind="stable")
        bounds = np.searchsorted(number[order], np.arange(len(asked) + 1))
        results = _Results(article, start, end, scores(parts)).take(order)
        found = [results.take(slice(first, last)) for first, last in pairwise(bounds.tolist())]
        return names, [[found[text] for text in own] for own in texts]

    def _answers(self, query: Query, clauses: list[About], found: list[_Results], names: np.ndarray) -> _Results:
        """Return one topic's answers."""
        articles = np.unique(_Results.joined(found).article)
        if not len(articles):  # a castitle without an about clause finds nothing: there is nothing to rank by
            return _Results.joined([])
        strict = self.structure == "strict"
        numbers = self._elements.numbers(names[articles].tolist())
        for at, about in enumerate(clauses):
            signed = [t for t in about.terms if (t.sign or t.phrase) and (strict or t.sign != "-")]
            if signed:
                found[at] = self._weighed(found[at], signed, names)
        parts = _Results.joined(found)
        holder, exact = self._placed(parts, numbers[np.searchsorted(articles, parts.article)], names)
        tags = TagGroups(None if strict else (EQUIVALENTS if self.equivalents is None else self.equivalents))
        topic = TopicElements(self._elements.elements, numbers, holder, query, tags)
        bounds = np.cumsum([len(results.score) for results in found])[:-1]
        columns = (np.split(column, bounds) for column in (np.searchsorted(topic.rows, holder), exact, parts.score))
        rows = dict(zip(clauses, map(Found, *columns), strict=True))
        deepest = int(self._elements.deepest[numbers].max())
        value = ElementScores(topic, rows, tags, strict, deepest, self.decay, self._numbered_text).targets(query)
        elements = topic.part
        raise_same(elements, value)  # elements of one span are one part
        row = np.flatnonzero((value > NOT) & (elements.end > elements.start) & ~elements.same_as_parent)
        if len(row) > self.num_results:
            row = row[value[row] >= np.partition(value[row], -self.num_results)[-self.num_results]]
        order = np.argsort(numbers)
        article = articles[order[np.searchsorted(numbers[order], elements.article[row])]]
        return _Results(article, elements.start[row], elements.end[row], value[row])

    def _placed(self, parts: _Results, number: Ints, names: np.ndarray) -> tuple[Ints, np.ndarray]:
        """Find the innermost element that holds each retrieved part, and tell whether it is that part."""
        elements = self._elements.elements
        row = elements.holders(number, parts.start, parts.end)
        if len(row) and row.min() < 0:
            at = int(np.argmin(row))
            (wrong,) = make_ids([names[parts.article[at]]], parts.start[[at]], parts.end[[at]])
            raise ValueError(f"{self!r}: part {wrong!r} reaches beyond its article in {self.collection!r}")
        return row, (elements.start[row] == parts.start) & (elements.end[row] == parts.end)

    def _weighed(self, results: _Results, signed: list[Term], names: np.ndarray) -> _Results:
        """Keep the parts that hold what the signs and phrases ask for ('strict'), or raise their scores ('vague')."""
        holds = np.zeros((len(signed), len(results.score)), dtype=bool)
        for article in np.unique(results.article).tolist():
            text = self._searched_text(names[article])
            for at, term in enumerate(signed):
                start, end = text.find(term)
                if not len(start):
                    continue
                own = np.flatnonzero(results.article == article)
                # the first place that begins in the part must end in it; places do not overlap
                first = np.searchsorted(start, results.start[own])
                inside = first < len(start)
                inside[inside] = end[first[inside]] <= results.end[own][inside]
                holds[at, own] = inside
        if self.structure == "strict":
            wanted = np.array([term.sign != "-" for term in signed])
            return results.take((holds == wanted[:, None]).all(axis=0))
        gain = self.reward * holds.mean(axis=0) * np.abs(results.score)
        return results._replace(score=results.score + gain)

    def _searched_text(self, docno: str) -> ArticleText:
        text = self._texts.get(docno)
        if text is None:
            elements = self._elements.table([docno])
            text = ArticleText(self.collection.text([docno])[0], seams_of(elements))
            if sum(map(len, self._texts.values())) > _CACHED_TEXT:
                self._texts.clear()
            self._texts[docno] = text
        return text

    def _numbered_text(self, number: int) -> str:
        return self.collection.text([self._elements.docnos[number]])[0]
