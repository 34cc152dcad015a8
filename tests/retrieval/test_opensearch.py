"""Parts on a real node of OpenSearch; what it cannot be made to do, a small server plays."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd
import pytest
from opensearch_node import find_jars, start_node, wait_for_node

from pyterrier_focused import Focused, check_run
from pyterrier_focused.errors import CollectionError
from pyterrier_focused.retrieval import OpenSearchRetriever, PartIndex, load_opensearch

opensearchpy = pytest.importorskip("opensearchpy")

PARTS = [
    {"docno": f"7#{n * 10}-{n * 10 + 9}", "text": f"lamp {word}"} for n, word in enumerate(["oil", "glass", "oil"])
]
TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["oil lamps", "zebra", "glass"], "user": ["x", "y", "z"]})


class TestNode:
    pytestmark = pytest.mark.long

    @pytest.fixture(scope="class")
    def client(self, require, tmp_path_factory):
        require("OpenSearch (OPENSEARCH_JARS names the folder of its jars)", find_jars())
        folder = tmp_path_factory.mktemp("node")
        process, url = start_node(folder)
        try:
            wait_for_node(folder, url)
            yield opensearchpy.OpenSearch(url, timeout=60)
        finally:
            process.kill()
            process.wait()

    def test_parts_are_found_and_make_a_run(self, client):
        assert load_opensearch(client, "lamps", PARTS) == 3
        found = OpenSearchRetriever(client, "lamps")(TOPICS)
        assert found[["qid", "user", "docno", "rank"]].values.tolist() == [
            ["1", "x", "7#0-9", 0], ["1", "x", "7#20-29", 1], ["1", "x", "7#10-19", 2], ["3", "z", "7#10-19", 0]
        ]  # fmt: skip
        check_run((OpenSearchRetriever(client, "lamps") >> Focused())(TOPICS))

    def test_a_load_is_sent_again_without_harm(self, client):
        assert load_opensearch(client, "again", PARTS[:2]) == 2
        assert load_opensearch(client, "again", PARTS) == 3

    def test_scores_rank_as_those_of_bm25s(self, client, collection, tmp_path):
        parts = collection.parts(("sec", "p"))
        load_opensearch(client, "sections", parts, settings={"number_of_shards": 1})
        other = PartIndex.from_parts(parts, tmp_path / "index", "bm25s").bm25()
        topics = pd.DataFrame({"qid": ["1", "2"], "query": ["whale oil lamp", "glass lens"]})
        ours, theirs = (
            system(topics).groupby("qid")["docno"].agg(set)
            for system in (OpenSearchRetriever(client, "sections"), other)
        )
        pd.testing.assert_series_equal(ours, theirs)

    def test_other_scripts_have_analyzers(self, client):
        load_opensearch(client, "japanese", [{"docno": "1#0-6", "text": "東京の灯台です"}], analyzer="cjk")
        assert OpenSearchRetriever(client, "japanese").search("灯台")["docno"].tolist() == ["1#0-6"]

    def test_an_index_that_is_not_there(self, client):
        with pytest.raises(CollectionError, match=r"'nowhere'.*index_not_found"):
            OpenSearchRetriever(client, "nowhere")(TOPICS)


class PlayedCluster(BaseHTTPRequestHandler):
    """A cluster whose queue is full at first, that refuses one part for ever, and of which a shard fails."""

    protocol_version = "HTTP/1.1"

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def do_HEAD(self):
        self.answer(200, {})

    def do_GET(self):
        self.answer(200, {"count": len(self.server.kept)})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        lines = [json.loads(line) for line in body.splitlines()]
        if self.path.endswith("/_bulk"):
            self.take(lines)
        elif self.path.endswith("/_msearch"):
            shards = {"total": 2, "failed": 1, "failures": [{"shard": 1, "reason": {"type": "too_many_clauses"}}]}
            self.answer(200, {"responses": [{"hits": {"hits": []}, "_shards": shards}] * (len(lines) // 2)})
        else:
            self.answer(200, {"count": len(self.server.kept)})

    def take(self, lines):
        self.server.requests += 1
        if self.server.requests == 1:
            self.answer(429, {"error": "the whole request is refused"})
            return
        items = []
        for action, part in zip(lines[::2], lines[1::2], strict=True):
            docno = action["index"]["_id"]
            is_taken = self.server.requests > 2 and docno not in self.server.refused
            if is_taken:
                self.server.kept[docno] = part
            fault = {} if is_taken else {"error": {"type": "rejected_execution_exception", "reason": "queue is full"}}
            items.append({"index": {"_id": docno, "status": 201 if is_taken else 429, **fault}})
        self.answer(200, {"items": items, "errors": any("error" in item["index"] for item in items)})

    def log_message(self, *_):
        pass


@pytest.fixture
def played():
    server = ThreadingHTTPServer(("127.0.0.1", 0), PlayedCluster)
    server.kept = {}
    server.refused = set()
    server.requests = 0
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    server.client = opensearchpy.OpenSearch(f"http://127.0.0.1:{server.server_port}")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_a_full_queue_refuses_is_sent_again(played):
    assert load_opensearch(played.client, "parts", PARTS, initial_backoff=0) == 3
    assert list(played.kept) == [part["docno"] for part in PARTS]


def test_parts_that_fail_are_counted_and_named(played):
    played.refused = {"7#0-9", "7#20-29"}
    with pytest.raises(CollectionError, match=r"refused 2 parts, 7#0-9, 7#20-29; .*queue is full"):
        load_opensearch(played.client, "parts", PARTS, initial_backoff=0, max_retries=2)
    assert list(played.kept) == ["7#10-19"]


def test_a_shard_that_fails_is_an_error(played):
    with pytest.raises(CollectionError, match="too_many_clauses"):
        OpenSearchRetriever(played.client, "parts")(TOPICS)


def test_no_topic_asks_nothing(played):
    assert len(OpenSearchRetriever(played.client, "parts")(TOPICS.iloc[:0])) == 0


def test_a_cutoff_goes_to_the_cluster(played):
    assert (OpenSearchRetriever(played.client, "parts") % 1).compile() == OpenSearchRetriever(played.client, "parts", 1)
