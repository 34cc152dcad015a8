"""The checks for engines, run by our own engines, by one that another package brings, and by engines with faults."""

import importlib.util
import sys
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from engine_checks import check_own_engine

import pyterrier_focused as ptf
from pyterrier_focused.retrieval import Focused, PartIndex, RemoveOverlap
from pyterrier_focused.retrieval.engines.choose import engine_names

pytestmark = pytest.mark.filterwarnings("ignore:.*RM3 adds no term")

ENGINE = Path(__file__).parent / "tf_idf_engine.py"


@pytest.fixture
def tf_idf(tmp_path, monkeypatch):
    """The package `tf_idf_engine`, installed: its module and its metadata lie on the path."""
    site = tmp_path / "site"
    metadata = site / "tf_idf_engine-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / ENGINE.name).write_text(ENGINE.read_text(encoding="utf-8"), encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tf-idf-engine\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[pyterrier_focused.engines]\ntf_idf = tf_idf_engine:ENGINE\n")
    monkeypatch.syspath_prepend(str(site))
    yield "tf_idf"
    sys.modules.pop("tf_idf_engine", None)


def test_bm25s_passes_the_checks(tmp_path):
    check_own_engine("bm25s", tmp_path)


def test_pisa_passes_the_checks(tmp_path, require):
    require("pisa", importlib.util.find_spec("pyterrier_pisa"))
    check_own_engine("pisa", tmp_path)


@pytest.mark.long
@pytest.mark.xdist_group("terrier")
def test_terrier_passes_the_checks(tmp_path, require):
    from pyterrier_focused.retrieval.engines.terrier import local_versions

    require("terrier", importlib.util.find_spec("jnius_config") and local_versions("terrier-python-helper", ""))
    check_own_engine("terrier", tmp_path)


def test_an_engine_of_another_package_passes_the_checks(tf_idf, tmp_path):
    assert engine_names()[-1] == "tf_idf"
    check_own_engine(tf_idf, tmp_path / "checks")


def test_an_engine_of_another_package_in_an_experiment(tf_idf, tmp_path):
    parts = [{"docno": "1#0-9", "text": "whale oil"}, {"docno": "2#0-9", "text": "glass"}]
    index = PartIndex.from_parts(parts, tmp_path / "index", tf_idf)
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["1"], "label": [1], "highlights": [[(0, 9)]], "bep": [0]})
    topics = pd.DataFrame({"qid": ["1"], "query": ["oil"]})
    system = index.retriever("tf_idf") >> RemoveOverlap() >> Focused()
    table = pt.Experiment([system], topics, qrels, ptf.parse("AiP AP"))
    assert table[["AiP", "AP"]].values.tolist() == [[1.0, 1.0]]


def test_a_model_that_an_engine_lacks_is_refused(tf_idf, tmp_path):
    index = PartIndex.from_parts([{"docno": "1#0-9", "text": "whale"}], tmp_path / "index", tf_idf)
    with pytest.raises(ValueError, match="TF-IDF has no scoring model 'bm25'; choose one of tf_idf"):
        index.bm25()


def test_an_option_that_an_engine_lacks_is_refused(tmp_path):
    with pytest.raises(ValueError, match="shards=3: bm25s has no such option; it has none of its own"):
        PartIndex.from_parts([{"docno": "1#0-9", "text": "whale"}], tmp_path / "index", "bm25s", shards=3)


FAULTS = {
    "_scores_candidates_as_it_ranks_them": """
TfIdfSearcher.score = lambda self, queries, candidates: [np.ones(len(docnos)) for docnos in candidates]
""",
    "_cuts_the_ranking": """
right = TfIdfSearcher.search
TfIdfSearcher.search = lambda self, queries, k, threads: right(self, queries, 99, threads)
""",
    "_weighs_terms": """
right = TfIdfSearcher._weigh
TfIdfSearcher._weigh = lambda self, query: dict.fromkeys(right(self, query), 1.0)
""",
    "_finds_the_parts_that_hold_a_word": """
words_of = lambda language: str.split
""",
    "_has_a_model": """
TfIdfEngine.can = Abilities({"TF-IDF": {}}, weighted_queries=True)
""",
    "_gives_the_terms_of_parts": """
TfIdfEngine.can = Abilities({"tf_idf": {}}, weighted_queries=True, feedback=True)
""",
    "_uses_its_parameters": """
TfIdfEngine.can = Abilities({"tf_idf": {"k1": 0.9}}, weighted_queries=True)
""",
}


@pytest.mark.parametrize(("check", "fault"), FAULTS.items(), ids=FAULTS)
def test_a_fault_is_found(tf_idf, tmp_path, check, fault):
    module = tmp_path / "site" / ENGINE.name
    module.write_text(module.read_text(encoding="utf-8") + fault, encoding="utf-8")
    with pytest.raises(AssertionError, match=rf"checks failed:[\s\S]*{check}"):
        check_own_engine(tf_idf, tmp_path / "checks")
