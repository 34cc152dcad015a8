"""Vectors of parts on a cluster that has the k-NN plugin: a field beside the terms, ranked by inner products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Floats
from ...reading.json import JsonObject
from .base import Hits
from .dense import Vectors
from .opensearch_cluster import Cluster

_FIELD = "vector"
_MOST_NEIGHBOURS = 10_000


def describe_field(dimension: int) -> JsonObject:
    """Return the mapping of the field of vectors: Lucene's graph of neighbours."""
    method = {"name": "hnsw", "engine": "lucene", "space_type": "innerproduct"}
    return {_FIELD: {"type": "knn_vector", "dimension": dimension, "method": method}}


@dataclass(frozen=True)
class OpenSearchVectors:
    """The vectors of an index on a cluster, and the name of their encoder with its vector of a fixed text."""

    cluster: Cluster
    index: str
    encoder: str
    sample: list[float]

    @property
    def dimension(self) -> int:
        return len(self.sample)

    def search(self, queries: Vectors, k: int) -> Hits:
        if k > _MOST_NEIGHBOURS:
            raise ValueError(f"num_results={k}: OpenSearch finds at most {_MOST_NEIGHBOURS:,} neighbours a topic")
        searches = [{"size": k, "query": {"knn": {_FIELD: {"vector": query, "k": k}}}} for query in queries.tolist()]
        hits = self.cluster.search_many(self.index, searches)
        return Hits(hits.query, hits.docno, _read_inner_products(hits.score))

    def score(self, queries: Vectors, candidates: Sequence[Sequence[str]]) -> list[Floats]:
        searches = []
        for query, docnos in zip(queries.tolist(), candidates, strict=True):
            parameters = {"field": _FIELD, "query_value": query, "space_type": "innerproduct"}
            script = {"lang": "knn", "source": "knn_score", "params": parameters}
            wanted = {"ids": {"values": list(docnos)}}
            searches.append({"size": len(docnos), "query": {"script_score": {"query": wanted, "script": script}}})
        scores = align_scores(self.cluster.search_many(self.index, searches), candidates)
        return [_read_inner_products(own) for own in scores]


def align_scores(hits: Hits, candidates: Sequence[Sequence[str]]) -> list[Floats]:
    """Return the scores of the candidates of each query in their order; NaN for those that were not found."""
    found: list[dict[str, float]] = [{} for _ in candidates]
    for query, docno, score in zip(hits.query.tolist(), hits.docno, hits.score.tolist(), strict=True):
        found[query][docno] = score
    return [
        np.array([own.get(docno, np.nan) for docno in docnos], dtype=np.float64)
        for own, docnos in zip(found, candidates, strict=True)
    ]


def _read_inner_products(score: Floats) -> Floats:
    """Return the inner products that a cluster wrote as scores, which are never negative.

    An inner product of at least 0 is one less than its score, and one below is 1 - 1 / score: 1.5 -> 0.5, 0.5 -> -1.
    """
    products: NDArray[np.float64] = np.where(score >= 1, score - 1, 1 - 1 / score)
    return products
