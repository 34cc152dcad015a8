"""What errors of a cluster mean: answers of OpenSearch 2.19 that were recorded while nodes were killed."""

import copy
import json

import pytest

from pyterrier_focused.errors import CollectionError
from pyterrier_focused.retrieval.engines import opensearch_cluster
from pyterrier_focused.retrieval.engines.opensearch_cluster import Cluster, Part
from pyterrier_focused.retrieval.engines.opensearch_errors import Failure

GONE = {
    "type": "node_disconnected_exception",
    "reason": "[node1][127.0.0.1:48369][indices:data/read/search[phase/fetch/id]] disconnected",
}
LOST_IN_FETCH = {
    "root_cause": [GONE],
    "type": "search_phase_execution_exception",
    "reason": "Partial shards failure",
    "phase": "fetch",
    "grouped": True,
    "failed_shards": [{"shard": 0, "index": "parts", "node": "iqd7BTQORna8WNMxpUcyTA", "reason": GONE}],
}
NOT_CONNECTED_IN_FETCH = {
    "root_cause": [],
    "type": "search_phase_execution_exception",
    "reason": "",
    "phase": "fetch",
    "grouped": True,
    "failed_shards": [],
    "caused_by": {"type": "node_not_connected_exception", "reason": "[node0][127.0.0.1:55899] Node not connected"},
}
NO_HITS_LEFT = {
    "type": "search_phase_execution_exception",
    "reason": "all shards failed",
    "failed_shards": [
        {"shard": 1, "reason": {"type": "search_context_missing_exception", "reason": "No search context found"}}
    ],
}
NO_MANAGER = {"type": "cluster_block_exception", "reason": "blocked by: [SERVICE_UNAVAILABLE/2/no cluster-manager];"}
FULL_DISK = {
    "type": "cluster_block_exception",
    "reason": "index [parts] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has "
    "read-only-allow-delete block];",
}
WRONG = {
    "root_cause": [{"type": "query_shard_exception", "reason": "failed to create query"}],
    "type": "search_phase_execution_exception",
    "reason": "all shards failed",
    "failed_shards": [{"shard": 0, "reason": {"type": "query_shard_exception", "reason": "failed to create query"}}],
}
HIT = {"_score": 1.5, "sort": [1.5, "1#0-3"]}


@pytest.mark.parametrize(
    ("status", "error", "later"),
    [
        (500, LOST_IN_FETCH, True),
        (500, NOT_CONNECTED_IN_FETCH, True),
        (404, NO_HITS_LEFT, True),
        (503, NO_MANAGER, True),
        (429, {"type": "rejected_execution_exception"}, True),
        (503, None, True),
        (429, FULL_DISK, False),
        (400, WRONG, False),
        (404, {"type": "index_not_found_exception", "reason": "no such index [parts]"}, False),
        (409, {"type": "version_conflict_engine_exception"}, True),
        ("N/A", "connection refused", True),
    ],
)
def test_what_may_do_later(status, error, later):
    assert Failure(status, error).may_do_later is later


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LOST_IN_FETCH, GONE["reason"]),
        (NOT_CONNECTED_IN_FETCH, "[node0][127.0.0.1:55899] Node not connected"),
        (NO_HITS_LEFT, "all shards failed"),
        (WRONG, "failed to create query"),
        ({"type": "odd_exception", "reason": None}, "odd_exception"),
    ],
)
def test_reason(error, reason):
    assert Failure(500, error).reason == reason


def test_reason_of_a_full_disk_has_the_remedy():
    assert Failure(429, FULL_DISK).reason.endswith("set index.blocks.read_only_allow_delete to null")


class RecordedClient:
    """Answers each request by the next of the recorded answers, an error if it is one, and keeps the bodies."""

    def __init__(self, *answers):
        self._answers = list(answers)
        self.bodies = []

    def __call__(self, body=None, **_):
        self.bodies.append(body)
        answer = copy.deepcopy(self._answers.pop(0))
        if isinstance(answer, Exception):
            raise answer
        return answer

    bulk = mget = msearch = count = __call__


@pytest.fixture
def replay(monkeypatch):
    """A cluster that gives recorded answers, asked again at once."""
    pytest.importorskip("opensearchpy")
    monkeypatch.setattr(opensearch_cluster, "_WAITS", (0, 0))
    return lambda *answers: Cluster(("http://node",), RecordedClient(*answers))


@pytest.mark.parametrize("error", [LOST_IN_FETCH, NOT_CONNECTED_IN_FETCH])
def test_searches_of_a_lost_node_are_run_again(replay, error):
    found = {"hits": {"hits": [HIT]}}
    cluster = replay({"responses": [found, {"error": error, "status": 500}]}, {"responses": [found, found]})
    hits = cluster.search_many("parts", [{"size": 1}, {"size": 1}])
    assert (hits.query.tolist(), hits.docno.tolist(), hits.score.tolist()) == ([0, 1], ["1#0-3"] * 2, [1.5, 1.5])


def test_a_search_that_is_wrong_is_told_at_once(replay):
    cluster = replay({"responses": [{"error": WRONG, "status": 400}]})
    with pytest.raises(CollectionError, match="failed to create query"):
        cluster.search_many("parts", [{"size": 1}])


@pytest.mark.parametrize(
    "incomplete",
    [
        {"count": 7, "_shards": {"total": 3, "successful": 2, "failed": 1}},
        {"count": 7, "_shards": {"failed": 1, "failures": [{"shard": 2, "reason": GONE}]}},
        {"docs": [{"_id": "1#0-3", "error": {"root_cause": [GONE], **GONE}}]},
    ],
    ids=["shards that did not answer", "a shard of a lost node", "a part of a lost node"],
)
def test_an_answer_that_lacks_what_a_lost_node_had_is_asked_for_again(replay, incomplete):
    whole = {"count": 9, "_shards": {"total": 3, "successful": 3, "failed": 0}}
    cluster = replay(incomplete, whole)
    assert cluster.ask(cluster.client.count, "counting") == whole


def test_a_request_that_a_lost_node_failed_is_made_again(replay):
    from opensearchpy.exceptions import TransportError

    lost = TransportError(500, "search_phase_execution_exception", {"error": LOST_IN_FETCH, "status": 500})
    cluster = replay(lost, {"count": 9})
    assert cluster.ask(cluster.client.count, "counting") == {"count": 9}


PARTS = [Part("1#0-3", "one"), Part("1#4-9", "two")]
TAKEN = {"update": {"status": 201}}
LOST = {"update": {"status": 500, "error": GONE}}


def test_parts_that_a_lost_node_did_not_take_are_sent_again(replay):
    cluster = replay({"items": [TAKEN, LOST]}, {"items": [{"update": {"status": 200}}, TAKEN]})
    cluster.send("parts", PARTS)
    sent = [[json.loads(line)["update"]["_id"] for line in body.split("\n")[:-1:2]] for body in cluster.client.bodies]
    assert sent == [["1#0-3", "1#4-9"]] * 2


def test_a_node_that_stays_lost_is_told(replay):
    cluster = replay(*[{"items": [LOST]}] * 3)
    with pytest.raises(CollectionError, match=r"sending parts to the index 'parts': no answer after 3 tries: .*node1"):
        cluster.send("parts", PARTS[:1])
