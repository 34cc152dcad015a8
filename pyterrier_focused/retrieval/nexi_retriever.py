"""Content-and-structure retrieval: NEXI castitles over any retriever of parts and the collection's elements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import NexiError, check_choice
from ..frames import make_ids, read_ids
from ..nexi import About, Query, Term, parse
from ..spans import Floats, Ints
from .element_table import ElementReader, ElementTable
from .nexi_scores import EQUIVALENTS, NOT, ElementScores, Found, TagGroups, about_clauses
from .nexi_terms import ArticleText
from .parts import PartsTransformer, check_count, read_parts, rows_of
from .selectors import seams_of

_CACHED_TEXT = 50_000_000  # characters


class _Results(NamedTuple):
    """The parts that were found for one about clause; `article` numbers the articles of all clauses."""

    docno: np.ndarray
    article: Ints
    start: Ints
    end: Ints
    score: Floats


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
            (found[row][0].docno, found[row][0].score)
            if query is None
            else self._answers(query, clauses[row], found[row], names)
            for row, query in enumerate(queries)
        ]
        rows = inp.iloc[np.repeat(np.arange(len(inp)), [len(docno) for docno, _ in answers])]
        rows = rows.drop(columns=["score", "rank"], errors="ignore").reset_index(drop=True)
        rows["docno"] = np.concatenate([np.zeros(0, dtype=object), *(docno for docno, _ in answers)])
        rows["score"] = np.concatenate([np.zeros(0), *(score for _, score in answers)])
        parts = read_parts(rows, self)
        return rows_of(rows, parts.take(parts.ranks() < self.num_results))

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
        asked: list[tuple[int, str]] = []
        for row, query in enumerate(queries):
            if query is None:
                title = inp["query"].iloc[row] if "query" in inp.columns else None
                if not isinstance(title, str):
                    raise ValueError(f"{self!r}: topic {inp['qid'].iloc[row]!r} has neither a castitle nor a query")
                asked.append((row, title))
            else:
                asked += [(row, " ".join(t.text for t in about.terms if t.sign != "-")) for about in clauses[row]]
        numbers = [str(number) for number in range(len(asked))]
        topics = pd.DataFrame({"qid": numbers, "query": [text for _, text in asked]}, dtype=object)
        parts = self.retriever.transform(topics)
        pt.validate.result_frame(parts, extra_columns=["score"], context=self.retriever)
        article, names, start, end = read_ids(parts["docno"])
        if (start < 0).any():
            wrong = parts["docno"].iloc[int(np.argmax(start < 0))]
            raise ValueError(f"{self.retriever!r}: docno {wrong!r} names no part of the form ARTICLE#START-END")
        docno, score = parts["docno"].to_numpy(dtype=object), parts["score"].to_numpy(dtype=np.float64)
        clause = parts["qid"].to_numpy().astype(np.int64)
        order = np.argsort(clause, kind="stable")
        bounds = np.searchsorted(clause[order], np.arange(len(asked) + 1))
        found: list[list[_Results]] = [[] for _ in queries]
        for number, (row, _) in enumerate(asked):
            own = order[bounds[number] : bounds[number + 1]]
            found[row].append(_Results(docno[own], article[own], start[own], end[own], score[own]))
        return names, found

    def _answers(
        self, query: Query, clauses: list[About], found: list[_Results], names: np.ndarray
    ) -> tuple[np.ndarray, Floats]:
        """Return the passage ids and scores of one topic's answers."""
        # a castitle without an about clause finds nothing: there is nothing to rank by
        numbers = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(results.article for results in found)]))
        if not len(numbers):
            return np.zeros(0, dtype=object), np.zeros(0)
        strict = self.structure == "strict"
        table = self._elements.table(names[numbers])
        rows = {}
        for about, results in zip(clauses, found, strict=True):
            results = results._replace(article=np.searchsorted(numbers, results.article))
            signed = [t for t in about.terms if (t.sign or t.phrase) and (strict or t.sign != "-")]
            if signed:
                results = self._weighed(results, signed, names[numbers])
            rows[about] = self._placed(table, results)
        tags = TagGroups(None if strict else (EQUIVALENTS if self.equivalents is None else self.equivalents))
        scores = ElementScores(table, rows, tags, strict, self.decay, lambda at: self._article_text(names[numbers[at]]))
        value = scores.targets(query)
        row = np.flatnonzero((value > NOT) & (table.end > table.start))
        if len(row) > self.num_results:  # elements of one span count as one, so some more are kept
            keep = min(len(row), 2 * self.num_results + 100)
            row = row[np.argsort(-value[row], kind="stable")[:keep]]
        ids = make_ids(names[numbers][table.article[row]], table.start[row], table.end[row])
        best: dict[str, float] = {}
        for name, score in zip(ids, value[row].tolist(), strict=True):
            best[name] = max(score, best.get(name, NOT))
        return np.array(list(best), dtype=object), np.array(list(best.values()), dtype=np.float64)

    def _placed(self, table: ElementTable, results: _Results) -> Found:
        """Find the elements that hold the retrieved parts."""
        row = table.holders(results.article, results.start, results.end)
        if len(row) and row.min() < 0:
            wrong = results.docno[int(np.argmin(row))]
            raise ValueError(f"{self!r}: part {wrong!r} reaches beyond its article in {self.collection!r}")
        exact = (table.start[row] == results.start) & (table.end[row] == results.end)
        return Found(row, exact, results.score)

    def _weighed(self, results: _Results, signed: list[Term], docnos: np.ndarray) -> _Results:
        """Keep the parts that hold what the signs and phrases ask for ('strict'), or raise their scores ('vague')."""
        holds = np.zeros((len(signed), len(results.docno)), dtype=bool)
        order = np.argsort(results.article, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(results.article[order])) + 1):
            if not len(own):
                continue
            text = self._searched_text(docnos[int(results.article[own[0]])])
            for at, term in enumerate(signed):
                start, end = text.find(term)
                # the first place that begins in the part must end in it; places do not overlap
                first = np.searchsorted(start, results.start[own])
                inside = first < len(start)
                inside[inside] = end[first[inside]] <= results.end[own][inside]
                holds[at, own] = inside
        if self.structure == "strict":
            wanted = np.array([term.sign != "-" for term in signed])
            stays = (holds == wanted[:, None]).all(axis=0)
            return _Results(*(column[stays] for column in results))
        gain = self.reward * holds.mean(axis=0) * np.abs(results.score)
        return results._replace(score=results.score + gain)

    def _searched_text(self, docno: str) -> ArticleText:
        text = self._texts.get(docno)
        if text is None:
            text = ArticleText(self._article_text(docno), seams_of(self._elements.article(docno)))
            if sum(map(len, self._texts.values())) > _CACHED_TEXT:
                self._texts.clear()
            self._texts[docno] = text
        return text

    def _article_text(self, docno: str) -> str:
        return self.collection.text([docno])[0]
