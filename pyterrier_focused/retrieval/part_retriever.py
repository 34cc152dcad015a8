"""The transformer that retrieves parts from an index, for plain queries and for those that a transformer wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Real
from typing import cast

import numpy as np
import pandas as pd
import pyterrier as pt

from ..frames.ranking_rule import positions
from ..frames.spans import Floats, Ints
from .engines.base import TERRIER_LANGUAGE, TERRIER_POSITIONS, WEIGHTED_TEXT, Hits, Query, SearchableIndex, WrittenQuery
from .transformer import PartsTransformer, check_count, check_topics, rank_candidates


class PartRetriever(PartsTransformer):
    """Retrieve parts: from `qid` and `query` to a row per part found (`docno` = passage id, `score`, `rank`).

    Foreign columns of the topics are kept. Any text is a query: there are no operators, and letters beyond ASCII count.
    A query that another transformer wrote is searched as it is: weighted terms in the column `query_toks`, by any
    engine (see `Rewriter` for when they count), or Terrier's query language (as in `pt.rewrite`), by Terrier. Rows of
    parts (`docno`) are candidates: only these are scored, as this model ranks them, so that
    `bm25 >> (bm25 ** qld ** dph) >> learner` works.

    Args:
        model: The scoring model, as in `PartIndex.retriever`.
        threads: How many topics the engine searches at a time, if it can (PISA); None for as many as there are
            processors.
        parameters: Those of the model; each is an attribute of its own, which PyTerrier's GridScan can set.

    Example:
        >>> from pyterrier_focused import PartIndex
        >>> parts = [{"docno": "12#0-10", "text": "A cat sat."}, {"docno": "7#0-10", "text": "A dog ran."}]
        >>> index = PartIndex.from_parts(parts, "index", engine="bm25s")
        >>> PartRetriever(index, "qld", mu=100).search("cats")["docno"].tolist()
        ['12#0-10']
    """

    def __init__(
        self,
        index: SearchableIndex,
        model: str = "bm25",
        num_results: int = 1000,
        threads: int | None = None,
        **parameters: float,
    ):
        check_count(self, "num_results", num_results, 1)
        check_count(self, "threads", threads, 1, optional=True)
        if threads not in (None, 1) and not index.abilities.threads:
            raise ValueError(f"PartRetriever: threads={threads!r}; {index.engine_name} searches with one")
        self.index = index
        self.num_results = num_results
        self.threads = threads
        searcher = index.searcher(model, parameters)
        self.model: str = searcher.model
        self._parameters = tuple(searcher.parameters)
        for name, value in searcher.parameters.items():
            setattr(self, name, value)

    def settings(self) -> dict[str, object]:
        threads = {} if self.threads is None else {"threads": self.threads}
        settings = {"index": self.index, "model": self.model, "num_results": self.num_results}
        return {**settings, **threads, **self._read_parameters()}

    def attributes(self) -> list[pt.inspect.TransformerAttribute]:
        settings = {"threads": None, **self.settings()}
        return [pt.inspect.TransformerAttribute(name, value) for name, value in settings.items()]

    def apply_attributes(self, **changed: object) -> pt.Transformer:
        """Make the retriever again with other settings; another model has its own parameters."""
        settings = self.settings()
        if changed.get("model", self.model) != self.model:
            for name in self._parameters:
                del settings[name]
        return _make_again(settings | changed)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        with pt.validate.any(inp, context=self) as modes:
            modes.query_frame(extra_columns=["query"], mode="query")
            modes.query_frame(extra_columns=["query_toks"], mode="query_toks")
            modes.result_frame(extra_columns=["query"], mode="candidates")
            modes.result_frame(extra_columns=["query_toks"], mode="candidates")
        if modes.mode == "candidates":
            return rank_candidates(self, inp, self.num_results, self._score_topics)
        check_topics(inp, self)
        queries = self._read_queries(inp)
        topics = inp.drop(columns=["score", "rank"], errors="ignore")
        hits = self._search(queries)
        found = topics.iloc[hits.query].reset_index(drop=True)
        for name, column in hits.further.items():
            found[name] = column
        found["docno"] = hits.docno
        found["score"] = hits.score
        found["rank"] = positions(hits.query)
        return found

    def _search(self, queries: Sequence[Query]) -> Hits:
        searcher = self.index.searcher(self.model, self._read_parameters())
        hits = []
        for rows in _divide_kinds(queries):
            found = searcher.search([queries[row] for row in rows], self.num_results, self.threads)
            hits.append(replace(found, query=rows[found.query]))
        if len(hits) == 1:
            return hits[0]
        query = np.concatenate([found.query for found in hits])
        order = np.argsort(query, kind="stable")
        docno, score = (np.concatenate([getattr(found, name) for found in hits]) for name in ("docno", "score"))
        further = {name: np.concatenate([found.further[name] for found in hits])[order] for name in hits[0].further}
        return Hits(query[order], docno[order], score[order], further)

    def _score_topics(self, topics: pd.DataFrame, candidates: list[list[str]]) -> list[Floats]:
        searcher = self.index.searcher(self.model, self._read_parameters())
        queries = self._read_queries(topics)
        scores: dict[int, Floats] = {}
        for rows in _divide_kinds(queries):
            found = searcher.score([queries[row] for row in rows], [candidates[row] for row in rows])
            scores |= zip(rows.tolist(), found, strict=True)
        return [scores[row] for row in range(len(queries))]

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return self._limit_results("num_results", k)

    def __reduce__(self) -> tuple[object, ...]:
        return _make_again, (self.settings(),)

    def _read_parameters(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in self._parameters}

    def _read_queries(self, topics: pd.DataFrame) -> Sequence[Query]:
        """Return the query of each topic: terms with weights, words, or what a transformer wrote for the engine."""
        if "query_toks" not in topics.columns:
            return self._read_texts(topics)
        if WEIGHTED_TEXT not in topics.columns or "query" not in topics.columns:
            return self._read_weights(topics)
        # without `query_0` the query was set back
        weighted = (topics["query"].astype(object) == topics[WEIGHTED_TEXT].astype(object)).to_numpy() & (
            "query_0" in topics.columns
        )
        weighted |= topics[WEIGHTED_TEXT].isna().to_numpy()
        queries = np.empty(len(topics), dtype=object)
        queries[weighted] = self._read_weights(topics[weighted])
        queries[~weighted] = self._read_texts(topics[~weighted])
        return cast("list[Query]", queries.tolist())

    def _read_texts(self, topics: pd.DataFrame) -> Sequence[Query]:
        for qid, query in zip(topics["qid"], topics["query"], strict=True):
            if not isinstance(query, str):
                raise ValueError(f"{self!r}: topic {qid!r}: the query {query!r} is not text")
        queries = topics["query"].tolist()
        if "query_0" not in topics.columns:
            return queries
        rewritten = topics["query_0"].notna()
        return [
            self._read_written(qid, query) if written and TERRIER_LANGUAGE.search(query) else query
            for qid, query, written in zip(topics["qid"], queries, rewritten, strict=True)
        ]

    def _read_weights(self, topics: pd.DataFrame) -> Sequence[Query]:
        if len(topics) and not self.index.abilities.weighted_queries:
            raise ValueError(f"{self!r}: {self.index.engine_name} takes no weighted terms (query_toks)")
        for qid, terms in zip(topics["qid"], topics["query_toks"], strict=True):
            if not isinstance(terms, dict) or not all(isinstance(weight, Real) for weight in terms.values()):
                raise ValueError(f"{self!r}: topic {qid!r}: query_toks={terms!r:.60}; give a dict of terms to weights")
        return topics["query_toks"].tolist()

    def _read_written(self, qid: object, query: str) -> WrittenQuery:
        """Return a query in Terrier's language, or raise a ValueError if the index cannot answer it."""
        if not self.index.abilities.terrier_language:
            raise ValueError(
                f"{self!r}: topic {qid!r}: a transformer wrote the query in Terrier's query language "
                f"({query[:60]!r}), which {self.index.engine_name} does not read; expand queries with "
                "index.rewriter('RM3') or 'Bo1', or index with engine='terrier'"
            )
        if TERRIER_POSITIONS.search(query) and not self.index.meta.get("blocks"):
            raise ValueError(
                f"topic {qid!r}: the query asks for words near each other ({query[:60]!r}...), and the index "
                "keeps no positions; index with blocks=True"
            )
        return WrittenQuery(query)


def _divide_kinds(queries: Sequence[Query]) -> list[Ints]:
    """Return the positions of texts and those of weighted terms, which engines search one kind at a time."""
    weighted = np.array([not isinstance(query, str) for query in queries], dtype=bool)
    if weighted.all() or not weighted.any():
        return [np.arange(len(queries))]
    return [np.flatnonzero(~weighted), np.flatnonzero(weighted)]


def _make_again(settings: dict[str, object]) -> PartRetriever:
    make: Callable[..., PartRetriever] = PartRetriever
    return make(**settings)
