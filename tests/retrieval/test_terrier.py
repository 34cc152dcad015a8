"""The second engine; Java starts once for the file."""

import importlib.util
import pickle
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.retrieval import Focused, PartIndex, RemoveOverlap
from pyterrier_focused.retrieval.engines.terrier import local_versions, start

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


def test_terrier_makes_a_run_of_parts(terrier_index):
    run = (terrier_index.bm25() >> RemoveOverlap() >> Focused())(TOPICS)
    ptf.check_run(run)
    assert set(run["qid"]) == {"1", "2"}


@pytest.fixture(scope="module")
def pisa_index(collection, pisa, tmp_path_factory):
    return collection.index(tmp_path_factory.mktemp("pisa") / "parts", elements=("sec", "ss1", "p"))


@pytest.mark.parametrize("query", ["glass lens", "blubber", "cafe", "ελληνικά", "東京", "whalers"])
def test_terrier_and_pisa_find_the_same_parts(terrier_index, pisa_index, query):
    assert len(pisa_index) == len(terrier_index)
    one, other = (index.bm25().search(query)["docno"].tolist() for index in (pisa_index, terrier_index))
    assert sorted(one) == sorted(other)


@pytest.mark.parametrize(
    "query", ["", " ", '"', "a:b", "+whale -oil", "whale^2", "#combine(whale", "\0whale", "x" * 5000]
)
def test_any_text_is_a_query_to_terrier(terrier_index, query):
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


def test_a_cutoff_goes_to_terrier(terrier_index):
    bm25 = terrier_index.bm25()
    pd.testing.assert_frame_equal((bm25 % 2).compile()(TOPICS), (bm25 % 2)(TOPICS))


def test_empty_frames_of_terrier(terrier_index):
    assert len(terrier_index.bm25()(TOPICS.iloc[:0])) == 0
    assert pt.inspect.transformer_inputs(terrier_index.bm25()) == [
        ["qid", "query"],
        ["qid", "query_toks"],
        ["qid", "docno", "query"],
        ["qid", "docno", "query_toks"],
    ]


def test_a_docno_that_terrier_would_cut(terrier, tmp_path):

    with pytest.raises(ValueError, match="more than 400 bytes"):
        PartIndex.from_parts([{"docno": f"{'x' * 400}#0-4", "text": "word"}], tmp_path / "long", "terrier")


def test_it_has_one_thread(terrier_index):
    assert terrier_index.bm25(threads=1) != terrier_index.bm25()
    with pytest.raises(ValueError, match="threads=2; Terrier searches with one"):
        terrier_index.bm25(threads=2)


@pytest.fixture(scope="module")
def with_fields(collection, terrier, tmp_path_factory):
    path = tmp_path_factory.mktemp("terrier") / "fields"
    return collection.index(path, engine="terrier", elements=("sec", "ss1", "p"), blocks=True, fields=True)


def bare(index, **controls):
    """Terrier's own retriever over its own index, with what `bm25()` sets."""
    settings = {"bm25.k_1": "0.9", "bm25.b": "0.4", **controls}
    return pt.terrier.Retriever(index.engine_index(), wmodel="BM25", controls=settings)


def same(one, other):
    """Two runs with the same parts and scores for each topic."""
    frames = [
        run.sort_values(["qid", "docno"])[["qid", "docno", "score"]].reset_index(drop=True) for run in (one, other)
    ]
    pd.testing.assert_frame_equal(*frames, check_dtype=False, rtol=1e-6)


@pytest.mark.parametrize("method", ["RM3", "Bo1"])
def test_expanded_queries_are_those_of_the_bare_engine(terrier_index, method):
    engine, bm25 = terrier_index.engine_index(), terrier_index.bm25()
    own = bare(terrier_index)
    # on so few parts RM3 leaves no term but the query's
    rewriter = {"RM3": pt.terrier.rewrite.RM3, "Bo1": pt.terrier.rewrite.Bo1QueryExpansion}[method](engine)
    expected = (own >> rewriter >> own)(TOPICS.iloc[:2])
    same((bm25 >> rewriter >> bm25)(TOPICS.iloc[:2]), expected)
    same((bm25 >> terrier_index.rewriter(method) >> bm25)(TOPICS.iloc[:2]), expected)
    if method == "Bo1":
        assert len(expected) > len(own(TOPICS.iloc[:2]))


@pytest.mark.parametrize("method", ["RM3", "Bo1"])
def test_a_query_of_any_text_is_expanded(terrier_index, method):
    bm25 = terrier_index.bm25()
    topics = pd.DataFrame({"qid": [7, 3], "query": ["café: (whale)?", "C++: lamp – oil"]})
    expanded = (bm25 >> terrier_index.rewriter(method))(topics)
    assert dict(zip(expanded["qid"], expanded["query_0"], strict=True)) == dict(topics.values.tolist())
    assert expanded.set_index("qid")["query"][7].split()[:2] == ["cafe", "whale"]
    assert set(bm25(expanded)["qid"]) == {7, 3}
    assert len(terrier_index.rewriter(method)(bm25(topics.iloc[:0]))) == 0


def test_the_sequential_dependence_model(terrier_index, with_fields):
    topics = pd.DataFrame({"qid": ["1"], "query": ["whale oil"]})
    blocks = with_fields.bm25()
    expected = (pt.terrier.rewrite.SDM() >> bare(with_fields))(topics)
    same((pt.terrier.rewrite.SDM() >> blocks)(topics), expected)
    same((with_fields.rewriter("SDM") >> blocks)(topics), expected)
    assert expected["score"].max() > blocks(topics)["score"].max()
    assert len((with_fields.rewriter("SDM") >> blocks)(topics.assign(query="whale – oil: #(")))
    with pytest.raises(ValueError, match=r"topic '1': the query asks for words near each other"):
        (pt.terrier.rewrite.SDM() >> terrier_index.bm25())(topics)
    with pytest.raises(ValueError, match="'SDM' needs the positions of words"):
        terrier_index.rewriter("SDM")


def test_fields_have_weights(with_fields, terrier_index):
    assert with_fields.meta["fields"] == ["title", "headings", "text"]
    topics = pd.DataFrame({"qid": ["1"], "query": ["harbours lamp"]})
    plain, titles = (with_fields.retriever("BM25F", w_title=weight)(topics) for weight in (0.0, 50.0))
    names = {docno.split("#")[0] for docno in titles["docno"].head(3)}
    assert names == {"2"}
    own = {"w.0": "50", "w.1": "1", "w.2": "1", "c.0": "0.75", "c.1": "0.75", "c.2": "0.75"}
    same(titles, pt.terrier.Retriever(with_fields.engine_index(), wmodel="BM25F", controls=own)(topics))
    assert plain["docno"].tolist() != titles["docno"].tolist()
    with pytest.raises(ValueError, match="'BM25F' scores fields, and the index has none; index with fields=True"):
        terrier_index.retriever("BM25F")
    with pytest.raises(ValueError, match="'BM25F' has no parameter 'w_body'; its parameters: w_title, c_title"):
        with_fields.retriever("BM25F", w_body=1.0)


@pytest.mark.parametrize(
    ("model", "name", "parameter", "control"),
    [
        ("BM25", "BM25", {"k1": 3.0}, {"bm25.k_1": "3.0", "bm25.b": "0.4"}),
        ("qld", "DirichletLM", {"mu": 5.0}, {"dirichletlm.mu": "5.0"}),
        ("pl2", "PL2", {"c": 9.0}, {"c": "9.0"}),
        ("Hiemstra_LM", "Hiemstra_LM", {"lambda_": 0.9}, {"hiemstra_lm.lambda": "0.9"}),
    ],
)
def test_parameters_reach_terrier(terrier_index, model, name, parameter, control):
    found = terrier_index.retriever(model, **parameter)(TOPICS.iloc[:2])
    engine = terrier_index.engine_index()
    same(found, pt.terrier.Retriever(engine, wmodel=name, controls=control)(TOPICS.iloc[:2]))
    assert found["score"].tolist() != terrier_index.retriever(model)(TOPICS.iloc[:2])["score"].tolist()


@pytest.mark.parametrize(
    ("model", "parameter", "message"),
    [
        ("DLM", {}, "Terrier has no weighting model 'DLM'; it has bm25, qld"),
        ("BM25", {"k2": 1.0}, "'bm25' has no parameter 'k2'; its parameters: k1, b"),
        ("DPH", {"k1": 1.0}, "'dph' has no parameter 'k1'; its parameters: none"),
        ("InL2", {"mu": 1.0}, "'InL2' has no parameter 'mu'; its parameters: c"),
    ],
)
def test_parameters_that_terrier_does_not_have_are_refused(terrier_index, model, parameter, message):
    with pytest.raises(ValueError, match=message):
        terrier_index.retriever(model, **parameter)


def test_weighted_terms_reach_terrier(terrier_index):
    topics = pd.DataFrame({"qid": ["1"], "query": ["oil"], "query_toks": [{"lamp": 2.0, "oil": 0.5}]})
    expected = bare(terrier_index)(topics)
    same(terrier_index.bm25()(topics), expected)
    assert len(expected) > len(terrier_index.bm25()(topics[["qid", "query"]]))


@pytest.mark.parametrize("make", [lambda index: index.bm25(), lambda index: index.bm25() >> index.rewriter("RM3")])
@pytest.mark.parametrize("is_shared", [True, False])
def test_threads_get_the_results_of_their_own_queries(terrier_index, make, is_shared):
    shared = make(terrier_index)
    topics = [TOPICS.assign(query=[f"{word} oil", "glass", word]) for word in ("whale", "lens", "lamp", "blubber")]
    expected = [shared(frame).to_dict("list") for frame in topics]

    def ask(number):
        retriever = shared if is_shared else make(terrier_index)
        return retriever(topics[number % 4]).to_dict("list") == expected[number % 4]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(24)))
