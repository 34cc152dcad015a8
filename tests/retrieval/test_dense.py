"""Parts as vectors: exact search by brute force, a graph of neighbours, candidates, fusion."""

import shutil

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hashing_encoder import HashingEncoder

from pyterrier_focused.errors import CollectionError
from pyterrier_focused.retrieval import Focused, PartIndex, RemoveOverlap, part_texts
from pyterrier_focused.retrieval.engines.dense import DenseIndex

pytest.importorskip("faiss")

TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": ["whale oil lamp", "glass lens"], "user": [7, 8]})
ELEMENTS = ("sec", "ss1", "p")


@pytest.fixture(scope="module", params=["exact", "hnsw"])
def dense(request, collection, tmp_path_factory):
    path = tmp_path_factory.mktemp("dense") / "parts"
    settings = {"encoder": HashingEncoder(), "graph": request.param, "batch_size": 3}
    return collection.index(path, "dense", elements=ELEMENTS, **settings)


@pytest.fixture(scope="module")
def words(collection, tmp_path_factory):
    return collection.index(tmp_path_factory.mktemp("words") / "parts", "bm25s", elements=ELEMENTS)


def by_hand(collection, query):
    """The inner product of a query with each part."""
    encoder = HashingEncoder()
    parts = part_texts(collection, ELEMENTS)
    return {part["docno"]: float(encoder.vector(part["text"]) @ encoder.vector(query)) for part in parts}


def compare_scores(found, expected):
    """Hold a run to {qid: {docno: score}}, best first."""
    scores = {qid: dict(zip(own["docno"], own["score"], strict=True)) for qid, own in found.groupby("qid")}
    assert scores == {qid: pytest.approx(of, abs=1e-5) for qid, of in expected.items()}
    assert found.groupby("qid")["score"].is_monotonic_decreasing.all()
    assert found["rank"].tolist() == found.groupby("qid").cumcount().tolist()


def test_parts_are_ranked_by_inner_products(dense, collection):
    found = dense.dense()(TOPICS)
    assert list(found.columns) == ["qid", "query", "user", "docno", "score", "rank"]
    expected = {qid: by_hand(collection, query) for qid, query in zip(TOPICS["qid"], TOPICS["query"], strict=True)}
    assert {len(of) for of in expected.values()} == {len(dense)}
    compare_scores(found, expected)


def test_a_cutoff_goes_to_the_dense_engine(dense):
    pd.testing.assert_frame_equal((dense.dense() % 3).compile()(TOPICS), (dense.dense() % 3)(TOPICS))


def test_candidates_are_scored(dense, words, collection):
    candidates = words.bm25()(TOPICS)
    found = (words.bm25() >> dense.dense())(TOPICS)
    assert set(zip(found["qid"], found["docno"], strict=True)) == set(
        zip(candidates["qid"], candidates["docno"], strict=True)
    )
    expected = by_hand(collection, "glass lens")
    own = found[found["qid"] == "2"]
    assert own["score"].tolist() == pytest.approx([expected[docno] for docno in own["docno"]], abs=1e-5)
    with pytest.raises(ValueError, match="docno '9#0-9' is not in the index"):
        dense.dense()(candidates.assign(docno="9#0-9"))


def test_topics_may_bring_their_vectors(dense):
    vectors = HashingEncoder()(TOPICS).drop(columns="query")
    expected = dense.dense()(TOPICS)
    assert dense.dense()(vectors)["docno"].tolist() == expected["docno"].tolist()
    with pytest.raises(ValueError, match="the vectors of queries have 8 numbers, those of parts 256"):
        dense.dense()(HashingEncoder(8)(TOPICS).drop(columns="query"))


def test_opened_again_with_its_encoder(dense):
    again = PartIndex(dense.path)
    pd.testing.assert_frame_equal(again.dense(HashingEncoder())(TOPICS), dense.dense()(TOPICS))
    with pytest.raises(ValueError, match=r"encoded by HashingEncoder\(256\), and this is HashingEncoder\(64\)"):
        again.dense(HashingEncoder(64))
    with pytest.raises(pt.validate.InputValidationError):
        again.dense()(TOPICS)  # neither an encoder nor vectors
    assert again.meta["elements"] == ["Pattern(pattern='sec')", "Pattern(pattern='ss1')", "Pattern(pattern='p')"]


class OtherWeights(HashingEncoder):
    """An encoder under the name of another."""

    def __init__(self, noise, dimension=256):
        super().__init__(dimension)
        self.noise = noise * np.random.default_rng(1).normal(size=dimension) / dimension**0.5

    def vector(self, text):
        return super().vector(text) + self.noise


@pytest.mark.parametrize("encoder", [OtherWeights(noise=0.2), OtherWeights(noise=0.0, dimension=64)])
def test_an_encoder_of_the_same_name_with_other_weights_is_refused(dense, monkeypatch, encoder):
    monkeypatch.setattr(OtherWeights, "__repr__", lambda self: "HashingEncoder(256)")
    with pytest.raises(ValueError, match=r"by HashingEncoder\(256\) with other weights: .* index them again"):
        PartIndex(dense.path).dense(encoder)


def test_vectors_of_an_earlier_version_are_told(dense, tmp_path):
    path = tmp_path / "dense"
    shutil.copytree(dense.engine_path, path)
    (path / "meta.json").write_text('{"encoder": "HashingEncoder(256)", "dimension": 256, "graph": "exact"}')
    with pytest.raises(CollectionError, match=r"an earlier version made this index, .*; index the collection again"):
        DenseIndex(path)


def test_rounding_makes_no_other_encoder(dense, monkeypatch):
    monkeypatch.setattr(OtherWeights, "__repr__", lambda self: "HashingEncoder(256)")
    rounded = PartIndex(dense.path).dense(OtherWeights(noise=0.002))(TOPICS)
    assert len(rounded) == len(dense.dense()(TOPICS))


def fuse_by_hand(rankings):
    """{docno: score} by reciprocal ranks."""
    found: dict = {}
    for ranking in rankings:
        for place, docno in enumerate(ranking, start=1):
            found[docno] = found.get(docno, 0) + 1 / (60 + place)
    return found


def test_reciprocal_ranks_by_hand(dense, words):
    runs = [dense.dense()(TOPICS), words.bm25()(TOPICS)]
    expected = {qid: fuse_by_hand([run[run["qid"] == qid]["docno"] for run in runs]) for qid in TOPICS["qid"]}
    compare_scores(dense.hybrid(words)(TOPICS), expected)


def test_vectors_in_a_run(dense, words):
    run = (words.hybrid(dense) >> RemoveOverlap() >> Focused())(TOPICS)
    assert set(run["qid"]) == {"1", "2"}
    assert len(dense.dense()(TOPICS.iloc[:0])) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "encoder=None; give a transformer that writes doc_vec and query_vec"),
        ({"encoder": pt.Transformer.identity()}, "writes no 'doc_vec' for each row"),
        ({"encoder": HashingEncoder(), "graph": "ivf"}, "graph='ivf'; choose one of 'exact', 'hnsw'"),
    ],
)
def test_what_cannot_be_indexed(tmp_path, settings, message):
    with pytest.raises(ValueError, match=message):
        PartIndex.from_parts([{"docno": "1#0-9", "text": "whale"}], tmp_path / "parts", "dense", **settings)


def test_engines_say_what_they_do_not_have(dense, words):
    with pytest.raises(ValueError, match=r"dense has no scoring model 'bm25'; it ranks by index\.dense"):
        dense.bm25()
    with pytest.raises(ValueError, match="bm25s keeps no vectors; index with engine='dense'"):
        words.dense()


def test_a_graph_finds_nearly_what_brute_force_finds(tmp_path):
    rng = np.random.default_rng(4)
    texts = [" ".join(rng.choice(["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"], 5)) for _ in range(500)]
    parts = [{"docno": f"{n}#0-9", "text": text} for n, text in enumerate(texts)]
    found = {
        graph: PartIndex.from_parts(parts, tmp_path / graph, "dense", encoder=HashingEncoder(16), graph=graph)
        .dense(num_results=50)
        .search("a1 b2 c3")
        for graph in ("exact", "hnsw")
    }
    # many parts have the same words: their scores count, not their names
    assert found["hnsw"]["score"].mean() == pytest.approx(found["exact"]["score"].mean(), rel=0.02)
