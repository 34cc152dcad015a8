"""Retrieval of parts by vectors, and fusion of the results of several retrievers."""

from __future__ import annotations

from typing import cast

import numpy as np
import pandas as pd
import pyterrier as pt

from ..frames.ranking_rule import positions
from ..frames.spans import Floats
from .engines.base import SearchableVectors
from .engines.dense import Vectors, encode
from .transformer import PartsTransformer, check_count, check_topics, rank_candidates, rank_rows


class DenseRetriever(PartsTransformer):
    """Rank parts by the inner product of their vectors and the query's.

    Input: topics with `query`, or with `query_vec`, which is taken as it is; or rows of parts (`docno`): only these
    are scored. Output: a row per part found (`docno` = passage id, `score`, `rank`).

    Args:
        encoder: The encoder by which the parts were indexed; None if topics have `query_vec`.
    """

    def __init__(self, vectors: SearchableVectors, encoder: pt.Transformer | None = None, num_results: int = 1000):
        check_count(self, "num_results", num_results, 1)
        self.vectors = vectors
        self.encoder = encoder
        self.num_results = num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        query = "query" if self.encoder is not None else "query_vec"
        with pt.validate.any(inp, context=self) as modes:
            modes.query_frame(extra_columns=["query_vec"], mode="topics")
            modes.query_frame(extra_columns=[query], mode="topics")
            modes.result_frame(extra_columns=["query_vec"], mode="candidates")
            modes.result_frame(extra_columns=[query], mode="candidates")
        if modes.mode == "candidates":
            return rank_candidates(self, inp, self.num_results, self._score_topics)
        check_topics(inp, self)
        topics = inp.drop(columns=["score", "rank"], errors="ignore")
        hits = self.vectors.search(self._encode_queries(topics), self.num_results) if len(topics) else None
        found = topics.iloc[hits.query if hits else []].reset_index(drop=True)
        found["docno"] = hits.docno if hits else np.zeros(0, dtype=object)
        found["score"] = hits.score if hits else np.zeros(0)
        found["rank"] = positions(hits.query if hits else np.zeros(0, dtype=np.int64))
        return found

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return self._limit_results("num_results", k)

    def _encode_queries(self, topics: pd.DataFrame) -> Vectors:
        if "query_vec" in topics.columns:
            vectors = np.ascontiguousarray(np.stack(topics["query_vec"].tolist()), dtype=np.float32)
        else:
            # without an encoder, topics without vectors have been refused
            vectors = encode(cast(pt.Transformer, self.encoder), "query_vec", topics[["qid", "query"]])
        if vectors.shape[1] != self.vectors.dimension:
            raise ValueError(
                f"the vectors of queries have {vectors.shape[1]} numbers, those of parts {self.vectors.dimension}"
            )
        return vectors

    def _score_topics(self, topics: pd.DataFrame, candidates: list[list[str]]) -> list[Floats]:
        return self.vectors.score(self._encode_queries(topics), candidates)


class ReciprocalRankFusion(PartsTransformer):
    """Fuse the results of several retrievers: a part scores the sum of 1 / (k + rank), with ranks from 1, over them.

    Output: a row for each part that any of them finds, with the columns of the first that does.

    Args:
        k: A smaller k gives more weight to the first ranks.

    Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning
        methods", SIGIR 2009.

    Example:
        >>> first = pd.DataFrame({"qid": "q1", "docno": ["7#0-80", "12#5-60"], "score": [2.0, 1.0]})
        >>> second = pd.DataFrame({"qid": "q1", "docno": ["12#5-60", "7#90-99"], "score": [0.9, 0.8]})
        >>> fusion = ReciprocalRankFusion((pt.Transformer.from_df(first), pt.Transformer.from_df(second)))
        >>> fusion(pd.DataFrame({"qid": ["q1"], "query": ["lamps"]}))["docno"].tolist()
        ['12#5-60', '7#0-80', '7#90-99']
    """

    def __init__(self, systems: tuple[pt.Transformer, ...], k: int = 60, num_results: int = 1000):
        check_count(self, "k", k, 0)
        check_count(self, "num_results", num_results, 1)
        self.systems = tuple(systems)
        self.k = k
        self.num_results = num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        found = []
        for system in self.systems:
            rows = system.transform(inp)
            pt.validate.result_frame(rows, extra_columns=["score"], context=system)
            topic = pd.factorize(rows["qid"])[0]
            order = np.lexsort((-rows["score"].to_numpy(dtype=np.float64), topic))
            found.append(rows.iloc[order].assign(score=1 / (self.k + 1 + positions(topic[order]))))
        rows = pd.concat(found, ignore_index=True)
        rows["score"] = rows.groupby(["qid", "docno"], sort=False)["score"].transform("sum")
        rows = rows.drop_duplicates(["qid", "docno"])
        rows = rank_rows(rows, pd.factorize(rows["qid"])[0], rows["score"].to_numpy())
        return rows[rows["rank"] < self.num_results].reset_index(drop=True)

    def compile(self) -> pt.Transformer:
        return ReciprocalRankFusion(tuple(system.compile() for system in self.systems), self.k, self.num_results)
