"""The embedded engines side by side: the same parts, models by their formulas, written queries, parameters."""

import math
import pickle
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyterrier_focused as ptf
from pyterrier_focused.errors import MissingExtraError
from pyterrier_focused.retrieval import Focused, PartIndex, RemoveOverlap, part_texts
from pyterrier_focused.retrieval.engines.pisa import PisaIndex
from pyterrier_focused.retrieval.engines.strings import Strings
from pyterrier_focused.retrieval.engines.terms import Terms, fold

TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["whale oil lamp", "glass lens", "the of"], "user": [7, 8, 9]})


@pytest.fixture(scope="module")
def bm25s(collection, tmp_path_factory):
    return collection.index(tmp_path_factory.mktemp("bm25s") / "parts", "bm25s", elements=("sec", "ss1", "p"))


@pytest.fixture(scope="module")
def embedded(bm25s, collection, tmp_path_factory):
    """The embedded engines that are here, by name."""
    found = {"bm25s": bm25s}
    try:
        import pyterrier_pisa  # noqa: F401
    except ImportError:
        return found
    path = tmp_path_factory.mktemp("pisa") / "parts"
    return {**found, "pisa": collection.index(path, "pisa", elements=("sec", "ss1", "p"))}


@pytest.fixture(params=["bm25s", "pisa"])
def one_engine(request, embedded):
    """An index of each embedded engine that is here."""
    if request.param not in embedded:
        pytest.skip(f"needs {request.param}, which is not installed here")
    return embedded[request.param]


def test_embedded_engines_make_a_run_of_parts(bm25s):
    results = bm25s.bm25()(TOPICS)
    assert list(results.columns) == ["qid", "query", "user", "docno", "score", "rank"]
    run = (bm25s.bm25() >> RemoveOverlap() >> Focused())(TOPICS)
    ptf.check_run(run)
    assert set(run["qid"]) == {"1", "2"}
    assert len(bm25s.bm25()(TOPICS.iloc[:0])) == 0


def by_hand(model, parameters, collection):
    """{docno: score} for "glass lens", term by term, as the papers write the models."""
    terms = Terms("english")
    documents = {
        part["docno"]: [term for term in terms.of(fold(part["text"])) if term]
        for part in part_texts(collection, ("sec", "ss1", "p"))
    }
    parts, total = len(documents), sum(map(len, documents.values()))
    mean = total / parts
    scores = {}
    for docno, words in documents.items():
        for term in ("glass", "len"):
            tf, length = words.count(term), len(words)
            if not tf:
                continue
            holds = sum(term in other for other in documents.values())
            occurs = sum(other.count(term) for other in documents.values())
            scores[docno] = scores.get(docno, 0) + formula(
                model, parameters, tf, length, mean, parts, holds, occurs, total
            )
    return scores


def formula(model, parameters, tf, length, mean, parts, holds, occurs, total):
    if model == "bm25":
        k1, b = parameters["k1"], parameters["b"]
        return math.log((parts - holds + 0.5) / (holds + 0.5)) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))
    if model == "qld":
        mu = parameters["mu"]
        smoothed = (tf + mu * occurs / total) / (length + mu)
        return max(0.0, math.log(smoothed / (occurs / total)))
    if model == "pl2":
        tfn, expected = tf * math.log2(1 + parameters["c"] * mean / length), occurs / parts
        return (
            tfn * math.log2(tfn / expected) + (expected - tfn) * math.log2(math.e) + 0.5 * math.log2(2 * math.pi * tfn)
        ) / (tfn + 1)
    share = tf / length
    return (
        (1 - share) ** 2
        / (tf + 1)
        * (tf * math.log2(tf * mean / length * parts / occurs) + 0.5 * math.log2(2 * math.pi * tf * (1 - share)))
    )


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("bm25", {"k1": 0.9, "b": 0.4}),
        ("bm25", {"k1": 2.5, "b": 1.0}),
        ("qld", {"mu": 20.0}),
        ("pl2", {"c": 3.0}),
        ("dph", {}),
    ],
)
def test_models_against_their_formulas(bm25s, collection, model, parameters):
    results = bm25s.retriever(model, **parameters).search("glass lens")
    expected = {docno: score for docno, score in by_hand(model, parameters, collection).items() if score}
    assert dict(zip(results["docno"], results["score"], strict=True)) == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("query", ["glass lens", "blubber", "cafe", "ελληνικά", "東京", "whalers", "U.S. whaler's oil"])
def test_both_embedded_engines_find_the_same_parts(embedded, pisa, query):
    one, other = (embedded[name].bm25() for name in ("pisa", "bm25s"))
    found = [set(system.search(query)["docno"]) for system in (one, other)]
    assert found[0] == found[1], query


def test_terms_are_those_of_pisa(collection, pisa):
    import pyterrier_pisa

    odd = "U.S.A. Ph.D. www.lamp.org keeper's o'clock 3.14 1,000 5th a_b"
    texts = [fold(f"{article['text']} {odd}") for article in collection.articles()]
    mine = [Terms("english").of(text) for text in texts]
    theirs = [pyterrier_pisa.tokenize(text, "porter2") for text in texts]
    assert [len(words) for words in mine] == [len(words) for words in theirs]
    both = [list(zip(*words, strict=True)) for words in zip(mine, theirs, strict=True)]
    assert [[a for a, _ in words if a] for words in both] == [[b for a, b in words if a] for words in both]
    assert sum(map(len, mine)) > 200


@pytest.mark.parametrize("query", ["", "  ", "the of", "\0", '"', "c++", "a:b", "^2 ~ fox*", "x" * 100_000, "\ud800 x"])
def test_any_text_is_a_query_to_embedded_engines(bm25s, query):
    assert len(bm25s.bm25()(pd.DataFrame({"qid": ["1"], "query": pd.Series([f"{query} whale"], dtype=object)})))
    bm25s.bm25()(pd.DataFrame({"qid": ["1"], "query": pd.Series([query], dtype=object)}))


@pytest.mark.parametrize("k", [1, 7, 19, 20, 21, 39, 40, 99])
def test_a_cutoff_keeps_the_first_of_equal_scores(tmp_path, k):
    parts = [{"docno": f"{i}#0-4", "text": "lamp" if i % 2 else "lamp oil"} for i in range(40)]
    index = PartIndex.from_parts(parts, tmp_path / "equal", "bm25s")
    everything = index.bm25().search("lamp")
    pd.testing.assert_frame_equal(index.bm25(num_results=k).search("lamp"), everything.head(k))


def test_weighted_terms_add_up(one_engine):
    """A query of weighted terms scores the weighted sum of its terms' scores."""
    bm25 = one_engine.bm25()
    lamp, oil = (bm25.search(term).set_index("docno")["score"] for term in ("lamp", "oil"))
    topics = pd.DataFrame({"qid": ["1"], "query_toks": [{"lamp": 2.0, "oil": 0.5, "zeppelin": 9.0}]})
    found = bm25(topics).set_index("docno")["score"]
    ratio = found / (2 * lamp).add(0.5 * oil, fill_value=0)  # PISA takes whole hundredths, and returns their sum
    assert ratio.max() / ratio.min() == pytest.approx(1, rel=1e-4)


@pytest.mark.parametrize("terms", ["lamp oil", {"lamp": "much"}, None])
def test_weights_that_are_none_are_refused(bm25s, terms):
    with pytest.raises(ValueError, match="topic '1': query_toks="):
        bm25s.bm25()(pd.DataFrame({"qid": ["1"], "query_toks": [terms]}))


def test_a_query_in_another_engines_language_is_refused(one_engine):
    written = TOPICS.head(1).assign(query="applypipeline:off whale^1.2 oil^0.3", query_0="whale oil")
    with pytest.raises(ValueError, match=r"topic '1': a transformer wrote the query in Terrier's query language"):
        one_engine.bm25()(written)
    # what a user types is words
    assert len(one_engine.bm25()(written.drop(columns="query_0")))
    # and so is a query that a transformer wrote as words
    assert len(one_engine.bm25()(written.assign(query="whale oil lamp")))


@pytest.mark.parametrize(
    ("model", "parameters", "message"),
    [
        ("DLM", {}, "no scoring model 'DLM'; choose one of bm25, qld, pl2, dph"),
        ("bm25", {"k2": 1.0}, "'bm25' has no parameter 'k2'; its parameters: k1, b"),
        ("dph", {"c": 1.0}, "'dph' has no parameter 'c'; its parameters: none"),
        ("bm25", {"b": 1.5}, "b=1.5; give a number from 0 to 1"),
        ("qld", {"mu": -1}, "mu=-1; give a number of at least 0"),
        ("bm25", {"k1": "a lot"}, "k1='a lot'; give a number"),
    ],
)
def test_parameters_are_checked(one_engine, model, parameters, message):
    with pytest.raises(ValueError, match=message):
        one_engine.retriever(model, **parameters)


def test_a_model_has_one_name_whatever_its_case(one_engine):
    assert one_engine.retriever("BM25", k1=0.9, b=0.4) == one_engine.bm25()
    assert one_engine.retriever("Dph") == one_engine.retriever("dph")


def test_parameters_are_attributes(one_engine):
    tuned, other = one_engine.bm25(), one_engine.bm25(k1=2.0, b=0.9)
    tuned.set_parameter("k1", 2.0)
    tuned.b = 0.9
    assert tuned.get_parameter("k1") == 2.0
    assert tuned == other
    pd.testing.assert_frame_equal(tuned(TOPICS), other(TOPICS))
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(tuned))(TOPICS), other(TOPICS))


def test_parameters_that_are_set_are_checked(one_engine):
    tuned = one_engine.bm25()
    tuned.set_parameter("b", 7)
    with pytest.raises(ValueError, match="b=7; give a number from 0 to 1"):
        tuned(TOPICS)
    with pytest.raises(ValueError, match="Invalid parameter name k2"):
        tuned.set_parameter("k2", 1)


@pytest.mark.parametrize("option", ["blocks", "fields"])
def test_what_only_terrier_keeps(collection, tmp_path, option):
    with pytest.raises(ValueError, match=f"bm25s keeps no {option}; index with engine='terrier'"):
        collection.index(tmp_path / "none", "bm25s", **{option: True})


def test_the_engines_own_index(one_engine):
    assert one_engine.engine_index() is not None
    assert one_engine.engine_path.is_dir()


def test_the_engine_s_index_has_its_name(bm25s):
    assert bm25s.engine_path.name == "bm25s"


def test_opened_again(bm25s):
    again = PartIndex(bm25s.path)
    assert again.engine == "bm25s"
    pd.testing.assert_frame_equal(again.bm25()(TOPICS), bm25s.bm25()(TOPICS))


@given(st.lists(st.text(), max_size=12))
def test_strings_in_a_file(tmp_path_factory, strings):
    strings = [string.encode("utf-8", "ignore").decode() for string in strings] + ["last"]
    path = tmp_path_factory.mktemp("strings")
    Strings.write(path, "names", strings)
    assert list(Strings(path, "names")) == strings


def test_batches_of_parts_make_one_index(tmp_path, monkeypatch):
    """The counts that are gathered a few terms at a time are those of all at once."""
    from pyterrier_focused.retrieval.engines import bm25s as engine

    rng = np.random.default_rng(3)
    words = [f"word{i}" for i in range(30)]
    parts = [{"docno": f"{i}#0-9", "text": " ".join(rng.choice(words, rng.integers(0, 9)))} for i in range(60)]
    whole = PartIndex.from_parts(parts, tmp_path / "whole", "bm25s").engine_index().counts()
    monkeypatch.setattr(engine, "_TERMS_AT_ONCE", 10)
    split = PartIndex.from_parts(parts, tmp_path / "split", "bm25s").engine_index().counts()
    assert [np.asarray(column).tolist() for column in split] == [np.asarray(column).tolist() for column in whole]


HIDDEN = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyterrier_pisa", "fcntl"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
import os
if hasattr(os, "sched_getaffinity"):
    del os.sched_getaffinity
"""


@pytest.mark.long
def test_the_demo_runs_where_pisa_does_not(tmp_path):
    code = HIDDEN + "from pyterrier_focused.cli import main\nraise SystemExit(main(['demo']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "runs with BM25 of bm25s" in done.stdout
    assert "sections+paragraphs, BiC" in done.stdout


def test_grid_scan_sets_what_a_focused_measure_then_judges(one_engine, collection):
    length = int(collection.lengths(["4"])["length"].iloc[0])
    qrels = pd.DataFrame(
        {"qid": ["2"], "docno": ["4"], "label": [1], "highlights": [[(0, length)]], "bep": [0], "length": [length]}
    )
    topic, bm25 = TOPICS.iloc[1:2], one_engine.bm25()
    grid = {bm25: {"k1": [0.1, 3.0], "b": [0.0, 1.0]}}
    scan = pt.GridScan(bm25 >> RemoveOverlap() >> Focused(), grid, topic, qrels, ptf.parse("AiP"))
    assert len(scan) == 4
    systems = [
        one_engine.bm25(k1=row["tran_0_k1"], b=row["tran_1_b"]) >> RemoveOverlap() >> Focused()
        for _, row in scan.iterrows()
    ]
    alone = [pt.Experiment([system], topic, qrels, ptf.parse("AiP"))["AiP"].iloc[0] for system in systems]
    assert scan["AiP"].tolist() == alone


def test_features_of_candidates(one_engine):
    """One retriever finds parts, others score them, and a learner reads all scores."""
    bm25, qld, dph = one_engine.bm25(), one_engine.retriever("qld"), one_engine.retriever("dph")
    learner = pt.apply.doc_score(lambda row: row["features"].sum())
    found = (bm25 >> (bm25**qld**dph) >> learner)(TOPICS)
    alone = [system(TOPICS).set_index(["qid", "docno"])["score"] for system in (bm25, qld, dph)]
    expected = [[scores[row.qid, row.docno] for scores in alone] for row in found.itertuples()]
    assert np.array(found["features"].tolist()) == pytest.approx(np.array(expected), rel=1e-4)
    assert len(found) == len(alone[0])


def test_a_cutoff_of_candidates(bm25s):
    candidates = bm25s.bm25()(TOPICS)
    qld = bm25s.retriever("qld")
    pd.testing.assert_frame_equal((qld % 2).compile()(candidates), (qld % 2)(candidates))


def test_an_index_of_pisa_says_what_to_do_if_pisa_does_not_run(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyterrier_pisa", None)
    index = PisaIndex(Path("nowhere"), "english")
    with pytest.raises(MissingExtraError, match=r"pip install .*; or index the collection again with engine='bm25s'"):
        _ = index.own
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    with pytest.raises(
        MissingExtraError, match="does not run on Darwin arm64: index the collection again with engine="
    ):
        _ = index.own
