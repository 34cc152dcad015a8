"""Parts on a real OpenSearch cluster of three nodes, which die while parts are sent and topics are searched."""

import json
import re
import threading
import time
import urllib.request
from contextlib import suppress
from itertools import islice

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from dumps import dump
from engine_checks import check_own_engine
from hashing_encoder import HashingEncoder
from opensearch_nodes import Nodes, count_parts, find_jars
from page_examples import run_blocks

import pyterrier_focused as ptf
from pyterrier_focused.collection.parallel import map_on_ray
from pyterrier_focused.errors import CollectionError
from pyterrier_focused.retrieval import Focused, PartIndex, RemoveOverlap

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore:.*RM3 adds no term")]
TOPICS = pd.DataFrame({"qid": [str(n) for n in range(100)], "query": [f"w{n} w{n + 7} common" for n in range(100)]})


@pytest.fixture(scope="module")
def nodes(require, tmp_path_factory):
    """Three nodes."""
    pytest.importorskip("opensearchpy")
    require("OpenSearch (OPENSEARCH_JARS names the folder of its jars)", find_jars())
    cluster = Nodes(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.wait(3)
        yield cluster
    finally:
        cluster.stop()


def make_parts(count):
    """Parts of forty words each; every one holds the word 'common'."""
    for n in range(count):
        words = " ".join(f"w{(n * 31 + i * i) % 997}" for i in range(40))
        yield {"docno": f"{n // 50}#{n % 50 * 300}-{n % 50 * 300 + 290}", "text": f"{words} common"}


def ask(url, path, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"{url}/{path}", data, {"Content-Type": "application/json"}, method=method or ("PUT" if body else "GET")
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def test_it_keeps_the_contract_of_engines(nodes, tmp_path):
    check_own_engine("opensearch", tmp_path, url=nodes.urls, shards=2, replicas=1)


def test_the_example_of_the_documentation_runs(nodes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENSEARCH_URL", nodes.urls[2])
    names = run_blocks("scale.md", {})
    assert set(names["run"]["qid"]) == set(names["demo"].get_topics()["qid"])


def test_the_best_parts_are_those_of_bm25s(nodes, tmp_path, shared_data):
    """At least nine of the ten best parts for every tenth heading of the sample, and the same AiP within .01."""
    dump = shared_data / "enwiki-sample.xml.bz2"
    collection = ptf.Collection.build(dump, tmp_path / "collection", verbose=False)
    topics, qrels = ptf.collection.heading_topics(collection)
    topics = topics.iloc[::10]
    options = {"elements": ["section", "p"], "headings": "drop"}
    ours = collection.index(tmp_path / "cluster", engine="opensearch", url=nodes.urls, shards=3, replicas=0, **options)
    other = collection.index(tmp_path / "bm25s", engine="bm25s", **options)
    best = [index.bm25(num_results=10)(topics).groupby("qid")["docno"].agg(set) for index in (ours, other)]
    shares = [len(a & b) / len(b) for a, b in zip(*(one.reindex(best[1].index) for one in best), strict=True)]
    assert np.mean(shares) >= 0.9
    runs = [(index.bm25() >> RemoveOverlap() >> Focused())(topics) for index in (ours, other)]
    values = [pt.Evaluate(run, qrels, [ptf.AiP])["AiP"] for run in runs]
    assert abs(values[0] - values[1]) < 0.01


@pytest.mark.parametrize("method", ["RM3", "Bo1"])
def test_queries_are_expanded_as_by_bm25s(nodes, tmp_path, method):
    """Over the same parts; the text stays, and counts once it is set back."""
    options = {"url": nodes.urls, "shards": 2, "replicas": 0}
    ours = PartIndex.from_parts(make_parts(300), tmp_path / f"cluster-{method}", "opensearch", **options)
    other = PartIndex.from_parts(make_parts(300), tmp_path / "bm25s", "bm25s")
    found = ours.bm25(num_results=5)(TOPICS.iloc[:9])
    expanded, expected = (index.rewriter(method)(found) for index in (ours, other))
    weights = [pd.DataFrame(rows["query_toks"].tolist(), rows["qid"]) for rows in (expanded, expected)]
    pd.testing.assert_frame_equal(*weights, check_like=True)
    assert [set(query.split()) for query in expanded["query"]] == [set(terms) for terms in expanded["query_toks"]]
    again = (pt.rewrite.reset() >> ours.bm25(num_results=5))(expanded)
    assert again[["qid", "query", "docno"]].equals(found[["qid", "query", "docno"]])


def test_shards_change_no_score(nodes, tmp_path):
    def search(shards):
        options = {"url": nodes.urls, "shards": shards, "replicas": 0}
        index = PartIndex.from_parts(make_parts(3000), tmp_path / f"of-{shards}", "opensearch", **options)
        found = index.bm25(num_results=3000)(TOPICS.iloc[:20])
        return found.sort_values(["qid", "docno"], ignore_index=True).drop(columns="rank")

    pd.testing.assert_frame_equal(search(1), search(5), rtol=1e-5)


def test_what_the_folder_keeps_and_shows_has_no_credentials(nodes, tmp_path):
    url = nodes.urls[0].replace("http://", "http://anna:secret@")
    index = PartIndex.from_parts(make_parts(10), tmp_path / "index", "opensearch", url=url, replicas=0)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file())
    shown = f"{index!r} {index.meta} {index.bm25()!r} {index.engine_index().cluster!r}"
    assert b"secret" not in kept
    assert "secret" not in shown


def test_errors_hide_credentials(tmp_path):
    pytest.importorskip("opensearchpy")
    with pytest.raises(ValueError, match="url='ftp://somewhere'"):
        PartIndex.from_parts(make_parts(1), tmp_path / "index", "opensearch", url="ftp://anna:secret@somewhere")


def interrupt(parts, count):
    """So many of the parts, and then what Ctrl-C raises."""
    yield from islice(parts, count)
    raise KeyboardInterrupt


def test_a_build_that_stopped_goes_on_without_doubles(nodes, tmp_path):
    options = {"url": nodes.urls, "replicas": 0}
    with suppress(KeyboardInterrupt):
        PartIndex.from_parts(interrupt(make_parts(5000), 3500), tmp_path / "index", "opensearch", **options)
    assert not (tmp_path / "index").exists()
    index = PartIndex.from_parts(make_parts(5000), tmp_path / "index", "opensearch", **options)
    assert len(index) == 5000
    assert count_parts(nodes, index.engine_index().place.index) == 5000


def test_parts_that_changed_since_a_build_stopped_are_sent_again(nodes, tmp_path):
    options = {"url": nodes.urls, "replicas": 0}
    with suppress(KeyboardInterrupt):
        PartIndex.from_parts(interrupt(make_parts(2000), 2000), tmp_path / "index", "opensearch", **options)
    parts = ({**part, "text": "zebra"} if n == 5 else part for n, part in enumerate(make_parts(2000)))
    index = PartIndex.from_parts(parts, tmp_path / "index", "opensearch", **options)
    assert index.bm25().search("zebra")["docno"].tolist() == ["0#1500-1790"]


def test_parts_of_another_build_are_told(nodes, tmp_path):
    options = {"url": nodes.urls, "replicas": 0}
    with suppress(KeyboardInterrupt):
        PartIndex.from_parts(interrupt(make_parts(3000), 3000), tmp_path / "index", "opensearch", **options)
    with pytest.raises(CollectionError, match=r"1000 parts were sent .* holds \d+: .* overwrite=True"):
        PartIndex.from_parts(make_parts(1000), tmp_path / "index", "opensearch", **options)
    assert (
        len(PartIndex.from_parts(make_parts(1000), tmp_path / "index", "opensearch", overwrite=True, **options)) == 1000
    )


def test_two_parts_of_one_docno_are_told(nodes, tmp_path):
    parts = [{"docno": "1#0-3", "text": "one"}, {"docno": "1#0-3", "text": "two"}]
    with pytest.raises(CollectionError, match="two parts have the same docno"):
        PartIndex.from_parts(parts, tmp_path / "index", "opensearch", url=nodes.urls, replicas=0)


def test_an_index_of_somebody_else_is_refused(nodes, tmp_path):
    ask(nodes.urls[0], "invoices", {"settings": {"number_of_replicas": 0}})
    with pytest.raises(CollectionError, match="'invoices' is not one of parts"):
        PartIndex.from_parts(
            make_parts(1), tmp_path / "x", "opensearch", url=nodes.urls, index="invoices", overwrite=True
        )
    assert "invoices" in ask(nodes.urls[0], "invoices")


def test_an_index_that_was_made_again_elsewhere_is_told(nodes, tmp_path):
    options = {"url": nodes.urls, "index": "shared-name", "replicas": 0}
    index = PartIndex.from_parts(make_parts(10), tmp_path / "one", "opensearch", **options)
    with pytest.raises(CollectionError, match="'shared-name' is complete, with 10 parts"):
        PartIndex.from_parts(make_parts(20), tmp_path / "two", "opensearch", **options)
    PartIndex.from_parts(make_parts(20), tmp_path / "two", "opensearch", overwrite=True, **options)
    with pytest.raises(CollectionError, match="not the one that was made for this folder"):
        PartIndex(index.path, url=nodes.urls).bm25()


def test_a_read_only_index_says_what_to_do(nodes, tmp_path):
    options = {"url": nodes.urls, "index": "full-disk", "replicas": 0}

    def until_the_disk_is_full():
        yield from make_parts(2000)
        ask(nodes.urls[0], "full-disk/_settings", {"index.blocks.read_only_allow_delete": True})
        yield from list(make_parts(4000))[2000:]

    with pytest.raises(CollectionError, match=r"read_only_allow_delete to null. build again with"):
        PartIndex.from_parts(until_the_disk_is_full(), tmp_path / "index", "opensearch", **options)
    ask(nodes.urls[0], "full-disk/_settings", {"index.blocks.read_only_allow_delete": None})
    assert len(PartIndex.from_parts(make_parts(4000), tmp_path / "index", "opensearch", **options)) == 4000


def test_a_docno_that_is_too_long_is_told(nodes, tmp_path):
    with pytest.raises(ValueError, match=r"more than 512 bytes"):
        PartIndex.from_parts([{"docno": "x" * 600, "text": "one"}], tmp_path / "index", "opensearch", url=nodes.urls)


def test_no_cluster_is_told(tmp_path, monkeypatch):
    pytest.importorskip("opensearchpy")
    monkeypatch.setattr("pyterrier_focused.retrieval.engines.opensearch_cluster._WAITS", (0.01,))
    with pytest.raises(CollectionError, match=r"OpenSearch at http://127\.0\.0\.1:9: .*no answer after 2 tries"):
        PartIndex.from_parts(make_parts(1), tmp_path / "index", "opensearch", url="http://127.0.0.1:9")


def kill_after(nodes, number, parts, count):
    """The parts; a node is killed when so many of them were taken."""
    for sent, part in enumerate(parts, start=1):
        if sent == count:
            nodes.kill(number)
        yield part


def search_while_one_dies(nodes, number, retriever):
    """Four runs of the topics, the last of them a second after a node was killed."""
    killer = threading.Timer(0.2, nodes.kill, [number])
    killer.start()
    try:
        rounds = [retriever(TOPICS) for _ in range(3)]
        killer.join()
        time.sleep(1)
        return [*rounds, retriever(TOPICS)]
    finally:
        killer.cancel()


def compare_runs(found, expected):
    """Hold a run to another: as many parts a topic, nine of ten the same ones, with nearly the same scores."""
    assert found.groupby("qid").size().tolist() == expected.groupby("qid").size().tolist()
    both = expected.merge(found, on=["qid", "docno"])
    assert len(both) > 0.9 * len(expected)
    np.testing.assert_allclose(both["score_x"], both["score_y"], rtol=1e-3)


def test_a_node_that_dies_costs_no_part_and_no_topic(nodes, tmp_path):
    """20,000 parts with a replica each: one node is killed while they are sent, and one while topics are searched."""
    options = {"url": nodes.urls, "shards": 3, "replicas": 1}
    try:
        parts = kill_after(nodes, 0, make_parts(20_000), 8_000)
        index = PartIndex.from_parts(parts, tmp_path / "index", "opensearch", **options)
        name = index.engine_index().place.index
        assert len(index) == count_parts(nodes, name) == 20_000
    finally:
        nodes.start(0)
        nodes.wait(3, status=["green"])
    retriever = index.bm25(num_results=100)
    expected = retriever(TOPICS)
    try:
        rounds = search_while_one_dies(nodes, 1, retriever)
        assert count_parts(nodes, name) == 20_000
    finally:
        nodes.start(1)
        nodes.wait(3, status=["green"])
    assert [compare_runs(found, expected) for found in rounds] == [None] * 4
    assert re.fullmatch("[a-z0-9-]+", name)


def build_articles(folder, count):
    (folder / "dump.xml").write_text(dump(range(1, count + 1)))
    return ptf.Collection.build(folder / "dump.xml", folder / "articles", verbose=False)


@pytest.fixture
def articles(tmp_path, monkeypatch):
    """A collection of some twenty shards."""
    monkeypatch.setattr("pyterrier_focused.collection.sources.find.BLOCK_BYTES", 40_000)
    collection = build_articles(tmp_path, 3000)
    assert collection.meta["shards"] > 20
    return collection


def search_all(index):
    """Find every part, with its score."""
    found = index.bm25(num_results=20_000).search("opening words part item")
    assert len(found) == len(index)
    return found.sort_values("docno", ignore_index=True)[["docno", "score"]]


def test_workers_of_ray_send_their_shards(nodes, ray_nodes, articles, tmp_path, monkeypatch):
    """A node of Ray dies on the way; the same parts are there, and none of them twice."""
    options = {"url": nodes.urls, "replicas": 0}
    expected = search_all(articles.index(tmp_path / "here", engine="opensearch", **options))
    cluster, other = ray_nodes
    read = []
    original = articles.articles_with_elements
    monkeypatch.setattr(articles, "articles_with_elements", lambda: (read.append(one) or one for one in original()))
    killer = threading.Timer(4.0, cluster.remove_node, args=(other,), kwargs={"allow_graceful": False})
    killer.start()
    index = articles.index(tmp_path / "ray", engine="opensearch", ray=True, **options)
    killer.join()
    assert len(read) == 1
    assert len(index) == count_parts(nodes, index.engine_index().place.index)
    pd.testing.assert_frame_equal(search_all(index), expected)


def test_a_build_on_ray_that_stopped_goes_on(nodes, ray_nodes, articles, tmp_path, monkeypatch):
    options = {"url": nodes.urls, "replicas": 0, "ray": True}

    def stop(function, tasks):
        yield from islice(map_on_ray(function, tasks), 5)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr("pyterrier_focused.retrieval.write_index.map_on_ray", stop)
        articles.index(tmp_path / "index", engine="opensearch", **options)
    assert not (tmp_path / "index").exists()
    index = articles.index(tmp_path / "index", engine="opensearch", **options)
    assert len(index) == count_parts(nodes, index.engine_index().place.index)
    expected = articles.index(tmp_path / "here", engine="opensearch", **{**options, "ray": False})
    pd.testing.assert_frame_equal(search_all(index), search_all(expected))


def test_parts_that_are_no_collection_cannot_be_cut_on_ray(tmp_path):
    pytest.importorskip("opensearchpy")
    with pytest.raises(ValueError, match="ray=True: workers cut the parts of a Collection"):
        PartIndex.from_parts(make_parts(1), tmp_path / "index", "opensearch", ray=True)


VECTOR_TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": ["opening of 7", "w3 w50 item"]})


@pytest.fixture
def with_vectors(nodes, tmp_path, require):
    """An index on the cluster, and what the engine `dense` makes of the same parts."""
    pytest.importorskip("faiss")
    require("the k-NN plugin among OPENSEARCH_JARS", nodes.has_vectors)
    encoder = HashingEncoder(dimension=16)
    articles = build_articles(tmp_path, 300)
    options = {"url": nodes.urls, "shards": 2, "replicas": 0, "encoder": encoder}
    index = articles.index(tmp_path / "cluster", engine="opensearch", **options)
    return index, articles.index(tmp_path / "here", engine="dense", encoder=encoder)


def test_vectors_rank_as_on_one_machine(with_vectors):
    """The graph of neighbours may miss a few."""
    found, expected = (index.dense(num_results=100)(VECTOR_TOPICS) for index in with_vectors)
    assert found.groupby("qid").size().tolist() == [100, 100]
    both = found.merge(expected, on=["qid", "docno"])
    assert len(both) > 0.9 * len(expected)
    np.testing.assert_allclose(both["score_x"], both["score_y"], atol=1e-5)


def test_candidates_are_scored_by_their_vectors(with_vectors):
    candidates = with_vectors[0].bm25(num_results=50)(VECTOR_TOPICS)
    key = ["qid", "docno"]
    found, expected = (index.dense()(candidates).sort_values(key, ignore_index=True) for index in with_vectors)
    pd.testing.assert_frame_equal(found[[*key, "score"]], expected[[*key, "score"]], atol=1e-5)


def test_an_index_without_vectors_says_so(nodes, tmp_path):
    index = PartIndex.from_parts(make_parts(10), tmp_path / "index", "opensearch", url=nodes.urls, replicas=0)
    with pytest.raises(ValueError, match="keeps no vectors; index with encoder="):
        index.dense()
