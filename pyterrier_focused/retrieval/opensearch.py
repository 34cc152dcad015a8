"""Parts on a cluster of OpenSearch, for collections that outgrow one machine: a bulk load, and a retriever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import CollectionError, import_extra
from .transformer import PartsTransformer, check_count

_AT_ONCE = 50
_MOST_TIMES = 8


def load_opensearch(
    client: Any,
    index: str,
    parts: Iterable[Mapping[str, str]],
    *,
    analyzer: str = "english",
    k1: float = 0.9,
    b: float = 0.4,
    settings: Mapping[str, object] | None = None,
    **bulk: Any,
) -> int:
    """Send parts (`docno`, `text`) to an index of a cluster, which is made unless it is there; returns its size.

    A part's id is its docno, so that a load that ended early is sent again without harm.

    Args:
        client: An `opensearchpy.OpenSearch`.
        analyzer: One of OpenSearch's, such as 'german', or 'cjk' for Chinese, Japanese and Korean.
        settings: Of the index: {"number_of_shards": 6, "number_of_replicas": 1}.
        bulk: Arguments of `opensearchpy.helpers.streaming_bulk`, such as chunk_size.
    """
    helpers = import_extra("opensearchpy.helpers", "opensearch")
    if not client.indices.exists(index=index):
        similarity = {"similarity": {"default": {"type": "BM25", "k1": k1, "b": b}}}
        fields = {"docno": {"type": "keyword"}, "text": {"type": "text", "analyzer": analyzer}}
        body = {"settings": {"index": {**similarity, **(settings or {})}}, "mappings": {"properties": fields}}
        client.indices.create(index=index, body=body)
    actions = ({"_index": index, "_id": part["docno"], **part} for part in parts)
    # a full queue answers 429, and is asked again later, unless errors are to be raised at once
    for taken, answer in helpers.streaming_bulk(client, actions, max_retries=_MOST_TIMES, raise_on_error=False, **bulk):
        if not taken:
            raise CollectionError(f"{index}: OpenSearch does not take a part: {answer!r:.300}")
    client.indices.refresh(index=index)
    return int(client.count(index=index)["count"])


class OpenSearchRetriever(PartsTransformer):
    """Retrieve parts from an index of a cluster by BM25: from `qid` and `query` to a row per part found.

    client = opensearchpy.OpenSearch("https://search.example.org:9200")
    load_opensearch(client, "parts", collection.parts("section"))
    system = OpenSearchRetriever(client, "parts") >> Focused()
    """

    def __init__(self, client: Any, index: str, num_results: int = 1000):
        check_count(self, "num_results", num_results, 1)
        self.client = client
        self.index = index
        self.num_results = num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        topics = inp.drop(columns=["score", "rank"], errors="ignore")
        rows = []
        docnos: list[str] = []
        scores: list[float] = []
        for row, hits in enumerate(self._search(topics["query"].tolist())):
            rows.append(np.full(len(hits), row))
            docnos += [hit["_source"]["docno"] for hit in hits]
            scores += [hit["_score"] for hit in hits]
        topic = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
        rank = np.concatenate([np.zeros(0, dtype=np.int64), *map(np.arange, map(len, rows))])
        found: pd.DataFrame = topics.iloc[topic].reset_index(drop=True)
        return found.assign(docno=np.array(docnos, object), score=np.array(scores, float), rank=rank)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return self._limit_results("num_results", k)

    def _search(self, queries: list[str]) -> Iterator[list[dict[str, Any]]]:
        sort = [{"_score": "desc"}, {"docno": "asc"}]
        for first in range(0, len(queries), _AT_ONCE):
            body: list[object] = []
            for query in queries[first : first + _AT_ONCE]:
                search = {"query": {"match": {"text": query}}, "size": self.num_results, "sort": sort}
                body += ({"index": self.index}, {**search, "_source": ["docno"]})
            for answer in self.client.msearch(body=body)["responses"]:
                if "error" in answer or answer["_shards"]["failed"]:
                    fault = answer.get("error", answer.get("_shards"))
                    raise CollectionError(f"{self!r}: OpenSearch answers {fault!r:.300}")
                yield answer["hits"]["hits"]
