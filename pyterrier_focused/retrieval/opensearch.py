"""Parts on a cluster of OpenSearch, for collections that outgrow one machine: a bulk load, and a retriever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import CollectionError, import_extra, name_some
from .transformer import PartsTransformer, check_count

_TOPICS_AT_ONCE = 50
_MOST_RETRIES = 8
_LONGEST_WAIT = 30


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
    """Send parts (`docno`, `text`) to an index of a cluster, which is made unless it is there.

    A part's id is its docno, so that a load that ended early is sent again without harm.

    Args:
        client: An `opensearchpy.OpenSearch`; addresses, passwords and TLS are its own.
        analyzer: One of OpenSearch's, such as 'german', or 'cjk' for Chinese, Japanese and Korean.
        k1, b: The parameters of BM25, which an index of OpenSearch keeps.
        settings: Of the index: {"number_of_shards": 6, "number_of_replicas": 1}.
        bulk: Arguments of `opensearchpy.helpers.streaming_bulk`, such as chunk_size.

    Returns:
        How many parts the index has.

    Raises:
        CollectionError: The cluster refused parts, also after eight attempts if its queue was full; the others are
            there. The error counts and names them.
    """
    helpers = import_extra("opensearchpy.helpers", "opensearch")
    if not client.indices.exists(index=index):
        similarity = {"similarity": {"default": {"type": "BM25", "k1": k1, "b": b}}}
        fields = {"docno": {"type": "keyword"}, "text": {"type": "text", "analyzer": analyzer}}
        body = {"settings": {"index": {**similarity, **(settings or {})}}, "mappings": {"properties": fields}}
        client.indices.create(index=index, body=body)
    actions = ({"_index": index, "_id": part["docno"], **part} for part in parts)
    failed = []
    reason: object = None
    # opensearch-py sends a part again after a 429 (a full queue) only if errors are not raised
    sent = helpers.streaming_bulk(
        client, actions, raise_on_error=False, **{"max_retries": _MOST_RETRIES, "max_backoff": _LONGEST_WAIT, **bulk}
    )
    for is_taken, answer in sent:
        if not is_taken:
            (fault,) = answer.values()
            failed.append(fault["_id"])
            reason = reason or fault.get("error") or fault
    client.indices.refresh(index=index)
    if failed:
        raise CollectionError(
            f"{index}: OpenSearch refused {len(failed):,} parts, {name_some(failed)}; the first because of "
            f"{reason!r:.300}; load again to send them again"
        )
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
        for first in range(0, len(queries), _TOPICS_AT_ONCE):
            body: list[object] = []
            for query in queries[first : first + _TOPICS_AT_ONCE]:
                search = {"query": {"match": {"text": query}}, "size": self.num_results, "sort": sort}
                body += ({"index": self.index}, {**search, "_source": ["docno"]})
            for answer in self.client.msearch(body=body)["responses"]:
                if "error" in answer or answer["_shards"]["failed"]:
                    fault = answer.get("error", answer.get("_shards"))
                    raise CollectionError(f"{self!r}: OpenSearch answers {fault!r:.300}")
                yield answer["hits"]["hits"]
