"""Plug-ins of the platform over parts: what is retrieved through them is what their parts say."""

import pyterrier as pt
import pytest

import pyterrier_focused as ptf

pisa = pytest.importorskip("pyterrier_pisa")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("neighbours")
    dataset = pt.get_dataset("focused:demo")
    collection = dataset.collection(folder / "collection", verbose=False)
    index = pisa.PisaIndex(str(folder / "pisa"), text_field="text").index(collection.parts("sec"))
    return collection, index.bm25(), dataset.get_topics()


def test_a_cached_retriever_gives_the_same_run(demo, tmp_path):
    caching = pytest.importorskip("pyterrier_caching")
    _, retriever, topics = demo
    pipeline = caching.RetrieverCache(str(tmp_path / "cache"), retriever) >> ptf.Focused()
    runs = [pipeline(topics), pipeline(topics), (retriever >> ptf.Focused())(topics)]
    rows = [[*zip(run["qid"], run["docno"], ptf.cells(run["passages"]), strict=True)] for run in runs]
    assert rows[0] == rows[1] == rows[2]


def test_reciprocal_ranks_of_two_systems_are_added_by_part(demo):
    alpha = pytest.importorskip("pyterrier_alpha")
    collection, retriever, topics = demo
    first = retriever(topics.head(1))
    fused = alpha.fusion.RRFusion(retriever, retriever)(topics.head(1))
    # Cormack, Clarke and Buettcher (SIGIR 2009), with PyTerrier's ranks, from 0: the sum of 1 / (60 + rank)
    ranks = dict(zip(first["docno"], first["rank"], strict=True))
    best = fused.sort_values("score", ascending=False).iloc[0]
    assert best["score"] == pytest.approx(2 / (60 + ranks[best["docno"]]))
    assert collection.text([best["docno"]])[0]
