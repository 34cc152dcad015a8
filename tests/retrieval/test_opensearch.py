"""Against a stand-in for a cluster, which keeps documents and scores them by the words that they share."""

from collections import Counter

import pandas as pd
import pytest

from pyterrier_focused import Focused, check_run
from pyterrier_focused.errors import CollectionError
from pyterrier_focused.retrieval import OpenSearchRetriever, load_opensearch

opensearchpy = pytest.importorskip("opensearchpy")


class Cluster:
    """The calls that are made, in memory; one of two bulk requests is answered by a full queue."""

    def __init__(self):
        self.indices = self
        self.transport = type("Transport", (), {"serializer": opensearchpy.serializer.JSONSerializer()})
        self.documents = {}
        self.made = []
        self.calls = 0
        self.broken = False

    def exists(self, index):
        return bool(self.made)

    def create(self, index, body):
        self.made.append(body)

    def refresh(self, index):
        pass

    def count(self, index):
        return {"count": len(self.documents)}

    def bulk(self, body, **_):
        self.calls += 1
        lines = [self.transport.serializer.loads(line) for line in body.strip().split("\n")]
        items = []
        for action, source in zip(lines[::2], lines[1::2], strict=True):
            status = 429 if self.calls % 2 else 201
            if status == 201:
                self.documents[action["index"]["_id"]] = source
            items.append({"index": {"status": status, "_id": action["index"]["_id"], "error": "full"}})
        return {"items": items, "errors": bool(self.calls % 2)}

    def msearch(self, body):
        answers = []
        for search in body[1::2]:
            words = set(search["query"]["match"]["text"].split())
            shared = Counter({d["docno"]: len(words & set(d["text"].split())) for d in self.documents.values()})
            hits = [{"_source": {"docno": docno}, "_score": float(n)} for docno, n in shared.most_common() if n]
            answers.append({"hits": {"hits": hits[: search["size"]]}, "_shards": {"failed": int(self.broken)}})
        return {"responses": answers}


PARTS = [
    {"docno": f"7#{n * 10}-{n * 10 + 9}", "text": f"lamp {word}"} for n, word in enumerate(["oil", "glass", "oil"])
]
TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["oil lamp", "zebra", "glass"], "user": ["x", "y", "z"]})


@pytest.fixture
def cluster():
    cluster = Cluster()
    assert load_opensearch(cluster, "parts", iter(PARTS), initial_backoff=0) == 3
    return cluster


def test_parts_are_found_and_make_a_run(cluster):
    found = OpenSearchRetriever(cluster, "parts")(TOPICS)
    assert found[["qid", "user", "docno", "rank"]].values.tolist() == [
        ["1", "x", "7#0-9", 0], ["1", "x", "7#20-29", 1], ["1", "x", "7#10-19", 2], ["3", "z", "7#10-19", 0]
    ]  # fmt: skip
    check_run((OpenSearchRetriever(cluster, "parts") >> Focused())(TOPICS))
    assert len(OpenSearchRetriever(cluster, "parts")(TOPICS.iloc[:0])) == 0


def test_a_load_is_sent_again_without_harm(cluster):
    assert load_opensearch(cluster, "parts", PARTS, initial_backoff=0) == 3
    assert len(cluster.made) == 1
    assert cluster.made[0]["settings"]["index"]["similarity"]["default"] == {"type": "BM25", "k1": 0.9, "b": 0.4}


def test_a_shard_that_fails_is_an_error(cluster):
    cluster.broken = True
    with pytest.raises(CollectionError, match="'failed': 1"):
        OpenSearchRetriever(cluster, "parts")(TOPICS)


def test_a_cutoff_goes_to_the_cluster(cluster):
    assert (OpenSearchRetriever(cluster, "parts") % 1).compile() == OpenSearchRetriever(cluster, "parts", 1)
