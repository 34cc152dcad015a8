"""Query expansion by feedback: terms that set the best parts of a first retrieval apart from the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import check_choice, warn_caller
from ..frames.spans import Floats
from .engines.base import WEIGHTED_TEXT, FeedbackSettings, SearchableIndex
from .transformer import PartsTransformer, check_count, check_share

# a term that more than a tenth of the parts hold, or one alone, says nothing to RM3
_RM3_MOST = 0.1
_RM3_LEAST = 2

# how many parts hold each term, and how often it occurs in all
Statistics = Mapping[str, tuple[int, int]]


class Rewriter(PartsTransformer):
    """Expand queries by feedback: rows of retrieved parts in, a row for each topic out, ready for another retrieval.

    The weighted terms are in the column `query_toks`, the same terms as plain text in `query`, for re-rankers, and the
    query as it was in `query_0`. Retrievers take the weights as long as `query` is the text that was written beside
    them (kept in `query_toks_text`): after `pt.rewrite.reset()` or another rewriter, `query` counts. 'SDM' writes
    `query` in Terrier's language. Terrier expands queries itself; other engines get the same formulas.

    Args:
        method: 'RM3' or 'Bo1'; with Terrier and an index with blocks=True also 'SDM', the sequential dependence model,
            which takes topics and no parts.
        fb_docs: The number of best parts from which terms are taken.
        fb_lambda: The weight of the original query in 'RM3', 0..1.

    Source: Abdul-Jaleel et al., "UMass at TREC 2004", 2004 (RM3); Amati and van Rijsbergen, 2002 (Bo1); Metzler and
        Croft, "A Markov random field model for term dependencies", 2005 (SDM).

    Example:
        >>> from pyterrier_focused import PartIndex
        >>> texts = ["A cat sat.", "A dog ran.", "A bird sang."]
        >>> parts = [{"docno": f"{i}#0-{len(text)}", "text": text} for i, text in enumerate(texts)]
        >>> index = PartIndex.from_parts(parts, "index", engine="bm25s")
        >>> expanded = (index.bm25() >> Rewriter(index, "Bo1", fb_docs=1)).search("cats")
        >>> expanded[["query", "query_0"]].values.tolist()
        [['cat sat', 'cats']]
    """

    def __init__(
        self, index: SearchableIndex, method: str, fb_terms: int = 10, fb_docs: int = 3, fb_lambda: float = 0.6
    ):
        check_choice("Rewriter: method", method, ("RM3", "Bo1", "SDM"))
        if method == "SDM" and not index.meta.get("blocks"):
            raise ValueError("Rewriter: 'SDM' needs the positions of words; index with engine='terrier', blocks=True")
        if method not in index.abilities.rewrites and not index.abilities.feedback:
            raise ValueError(f"Rewriter: {index.engine_name} does not give the terms of parts, which {method!r} needs")
        check_count(self, "fb_terms", fb_terms, 1)
        check_count(self, "fb_docs", fb_docs, 1)
        check_share(self, "fb_lambda", fb_lambda)
        self.index = index
        self.method = method
        self.fb_terms = fb_terms
        self.fb_docs = fb_docs
        self.fb_lambda = fb_lambda
        self._has_warned = False

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        if self.method == "SDM":
            pt.validate.query_frame(inp, extra_columns=["query"], context=self)
            topics = pt.model.push_queries(inp, inplace=False)
            return topics.assign(query=self.index.rewrite(topics, None, self._feedback_settings()))
        pt.validate.result_frame(inp, extra_columns=["query", "score"], context=self)
        order = np.lexsort((-inp["score"].to_numpy(dtype=np.float64), pd.factorize(inp["qid"])[0]))
        best = inp.iloc[order].groupby("qid", sort=False).head(self.fb_docs)
        topics = pt.model.push_queries(pt.model.ranked_documents_to_queries(inp), inplace=False)
        if self.method in self.index.abilities.rewrites:
            weights = [_read_weights(query) for query in self.index.rewrite(topics, best, self._feedback_settings())]
        else:
            weights = self._expand_by_terms(best, topics)
        text = [" ".join(term for term, weight in terms.items() if weight > 0) for terms in weights]
        columns = {"query": text, "query_toks": weights, WEIGHTED_TEXT: text}
        return topics.assign(
            **{name: pd.Series(values, index=topics.index, dtype=object) for name, values in columns.items()}
        )

    def _feedback_settings(self) -> FeedbackSettings:
        return FeedbackSettings(self.method, self.fb_terms, self.fb_docs, self.fb_lambda)

    def _expand_by_terms(self, best: pd.DataFrame, topics: pd.DataFrame) -> list[dict[str, float]]:
        feedback = self.index.feedback()
        vectors = feedback.vectors(best["docno"])
        unknown = [docno for docno in best["docno"] if docno not in vectors]
        if unknown:
            raise ValueError(f"{self!r}: docno {unknown[0]!r} is not in the index")
        terms = {term for vector in vectors.values() for term in vector}
        statistics = feedback.statistics(terms)
        parts = dict(iter(best.groupby("qid", sort=False)))
        expanded = []
        for qid, query in zip(topics["qid"], topics["query_0"], strict=True):
            asked = Counter(feedback.analyse(query))
            held = [vectors[docno] for docno in parts[qid]["docno"]]
            if self.method == "RM3":
                scores = parts[qid]["score"].to_numpy(dtype=np.float64)
                expanded.append(self._mix_rm3(asked, held, scores, statistics))
            else:
                expanded.append(self._mix_bo1(asked, held, statistics))
        return expanded

    def _mix_rm3(
        self, asked: Mapping[str, int], held: list[dict[str, int]], scores: Floats, statistics: Statistics
    ) -> dict[str, float]:
        """Mix the query with the mean of the feedback parts' language models, each by the softmax of its score."""
        weight = np.exp(scores - scores.max())
        model: Counter[str] = Counter()
        for vector, share in zip(held, (weight / weight.sum()).tolist(), strict=True):
            length = sum(vector.values())
            for term, count in vector.items():
                if _RM3_LEAST <= statistics[term][0] < int(_RM3_MOST * len(self.index)):
                    model[term] += share * count / length
        if not model:
            self._warn_of_small_index()
        chosen = dict(sorted(model.items(), key=lambda item: (-item[1], item[0]))[: self.fb_terms])
        total = sum(chosen.values())
        size = sum(asked.values())
        mixed = {term: (1 - self.fb_lambda) * value / total for term, value in chosen.items()}
        for term, count in asked.items():
            mixed[term] = mixed.get(term, 0.0) + self.fb_lambda * count / size
        return mixed

    def _warn_of_small_index(self) -> None:
        """Say, once for each rewriter, that RM3 adds no term to a query."""
        if self._has_warned:
            return
        self._has_warned = True
        parts = len(self.index)
        warn_caller(
            f"{self!r}: RM3 adds no term to a query: it takes those that at least {_RM3_LEAST} and under a tenth of "
            f"the parts hold, and the index has {parts} parts; 'Bo1' takes any"
        )

    def _mix_bo1(
        self, asked: Mapping[str, int], held: list[dict[str, int]], statistics: Statistics
    ) -> dict[str, float]:
        """Add to each term of the query, or of two feedback parts, how far it departs from chance (Bose-Einstein)."""
        counts = Counter[str]()
        held_by = Counter[str]()
        for vector in held:
            counts.update(vector)
            held_by.update(vector.keys())
        least = 2 if len(held) >= 2 else 0
        score = dict.fromkeys(counts, 0.0)
        for term, count in counts.items():
            if held_by[term] >= least or term in asked:
                score[term] = _measure_information(count, statistics[term][1] / len(self.index))
        chosen = dict(sorted(score.items(), key=lambda item: (-item[1], item[0]))[: self.fb_terms])
        most = max(chosen, key=lambda term: chosen[term], default="")
        norm = _measure_information(counts[most], counts[most] / len(self.index)) if chosen else 1.0
        highest = max(asked.values(), default=1)
        mixed = {term: count / highest for term, count in asked.items()}
        for term, value in chosen.items():
            mixed[term] = mixed.get(term, 0.0) + value / norm
        return {term: value for term, value in mixed.items() if value > 0}


def _read_weights(query: str) -> dict[str, float]:
    """Read what Terrier wrote: `applypipeline:off lamp^1.7 oil^0.6`."""
    terms = [term.rpartition("^") for term in query.split() if "^" in term]
    return {term: float(weight) for term, _, weight in terms}


def _measure_information(count: float, mean: float) -> float:
    """Return the information in *count* occurrences of a term that has *mean* of them in a part."""
    return float(count * np.log2((1 + mean) / mean) + np.log2(1 + mean))
