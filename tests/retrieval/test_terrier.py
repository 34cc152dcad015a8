"""The second engine; Java starts once for the file."""

import importlib.util
import pickle

import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.retrieval import Focused, PartIndex, RemoveOverlap
from pyterrier_focused.retrieval.terrier import local_versions, start

HELPER = "terrier-python-helper"
pytestmark = pytest.mark.xdist_group("terrier")

TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["whale oil lamp", "glass lens", "the of"]})


@pytest.fixture(scope="module", autouse=True)
def terrier(require):
    """Java, pyjnius and both jars: tests never download."""
    jars = local_versions("terrier-assemblies", "-jar-with-dependencies") and local_versions(
        "terrier-python-helper", ""
    )
    require("terrier", importlib.util.find_spec("jnius_config") and jars)
    start()


@pytest.fixture(scope="module")
def terrier_index(collection, terrier, tmp_path_factory):
    return collection.index(
        tmp_path_factory.mktemp("terrier") / "parts", engine="terrier", elements=("sec", "ss1", "p")
    )


def test_a_run(terrier_index):
    run = (terrier_index.bm25() >> RemoveOverlap() >> Focused())(TOPICS)
    ptf.check_run(run)
    assert set(run["qid"]) == {"1", "2"}


def test_both_engines_find_the_same_parts(terrier_index, collection, pisa, tmp_path):
    pisa_index = collection.index(tmp_path / "parts", elements=("sec", "ss1", "p"))
    assert len(pisa_index) == len(terrier_index)
    for query in ("glass lens", "blubber", "cafe", "ελληνικά", "東京", "whalers"):
        one, other = (index.bm25().search(query)["docno"].tolist() for index in (pisa_index, terrier_index))
        assert sorted(one) == sorted(other), query


@pytest.mark.parametrize(
    "query", ["", " ", '"', "a:b", "+whale -oil", "whale^2", "#combine(whale", "\0whale", "x" * 5000]
)
def test_any_text_is_a_query(terrier_index, query):
    assert len(terrier_index.bm25().search(f"{query} whale"))
    terrier_index.bm25().search(query)


def test_weighting_models_and_their_controls(terrier_index):
    assert len(terrier_index.retriever("DPH")(TOPICS))
    strong, weak = (terrier_index.retriever("bm25", k1=k1, b=0.4)(TOPICS)["score"].max() for k1 in (0.1, 2.0))
    assert strong != weak


def test_opened_again_and_pickled(terrier_index):
    again = PartIndex(terrier_index.path)
    assert again.engine == "terrier"
    retriever = pickle.loads(pickle.dumps(terrier_index.bm25()))
    assert retriever == again.bm25()
    pd.testing.assert_frame_equal(retriever(TOPICS), terrier_index.bm25()(TOPICS))


def test_a_cutoff_goes_to_the_engine(terrier_index):
    bm25 = terrier_index.bm25()
    pd.testing.assert_frame_equal((bm25 % 2).compile()(TOPICS), (bm25 % 2)(TOPICS))


def test_empty_frames(terrier_index):
    assert len(terrier_index.bm25()(TOPICS.iloc[:0])) == 0
    assert pt.inspect.transformer_inputs(terrier_index.bm25()) == [["qid", "query"], ["qid", "query_toks"]]


def test_a_docno_that_terrier_would_cut(terrier, tmp_path):
    from pyterrier_focused.retrieval.index import index_parts

    with pytest.raises(ValueError, match="more than 400 bytes"):
        index_parts([{"docno": f"{'x' * 400}#0-4", "text": "word"}], tmp_path / "long", "terrier")


def test_it_has_one_thread(terrier_index):
    assert terrier_index.bm25(threads=1) != terrier_index.bm25()
    with pytest.raises(ValueError, match="threads=2; only PISA searches with several"):
        terrier_index.bm25(threads=2)
