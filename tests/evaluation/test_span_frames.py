"""Standard measures of frames with spans: the values of ir_measures to the bit; other frames come out as ever."""

import importlib
import subprocess
import sys

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import util

import pyterrier_focused as ptf
from pyterrier_focused.evaluation import provider
from pyterrier_focused.evaluation.registry import parse_measure
from pyterrier_focused.evaluation.span_frames import SpanFramesProvider

RUN = pd.DataFrame(
    {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "score": [2.0, 1.0, 1.0], "title": ["x", "y", "z"],
     "passages": [[(0, 5)], [(3, 4)], [(0, 3)]]}
)  # fmt: skip
QRELS = pd.DataFrame(
    {"query_id": ["1", "2", "3"], "doc_id": ["b", "a", "a"], "relevance": [1, 1, 1],
     "highlights": [[(0, 5)], [(0, 3)], [(0, 3)]]}
)  # fmt: skip
STANDARD = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.Judged @ 10, ir_measures.P @ 5]
COUNT = ir_measures.define_byquery(lambda qrels, run: float(run["passages"].map(len).sum()), name="Passages")


class Unread(list):
    """A cell that no other provider may look at."""

    def __iter__(self):
        raise AssertionError("a column of spans was read")


def values(measures, qrels, run):
    found = {(str(value.measure), str(value.query_id)): value.value for value in ir_measures.iter_calc(
        measures, qrels, run)}  # fmt: skip
    assert len(found) == len(list(ir_measures.iter_calc(measures, qrels, run)))
    return found


def test_other_providers_do_not_read_spans():
    run = RUN.assign(passages=[Unread() for _ in range(len(RUN))])
    qrels = QRELS.assign(highlights=[Unread() for _ in range(len(QRELS))])
    plain = values(STANDARD, QRELS.drop(columns="highlights"), RUN.drop(columns=["passages", "title"]))
    assert values(STANDARD, qrels, run) == plain


def test_together_they_have_the_values_that_they_have_one_by_one():
    together = values([*STANDARD, COUNT, ptf.AiP, ptf.AgP], QRELS, RUN)
    alone = values(STANDARD, QRELS, RUN) | values([COUNT], QRELS, RUN) | values([ptf.AiP, ptf.AgP], QRELS, RUN)
    assert together == alone


@pytest.mark.parametrize("seed", range(100))
def test_frames_with_spans_have_the_values_of_plain_ones_to_the_bit(seed):
    """Ties, graded labels, unjudged articles, topics without run or qrels, rows of topics apart."""
    rng = np.random.default_rng(seed)
    pairs = pd.DataFrame(
        [(str(topic), f"d{n}") for topic in range(5) for n in range(20)], columns=["query_id", "doc_id"]
    )
    run = pairs.sample(60, random_state=seed).assign(score=rng.choice([1.0, 1.0 + 1e-9, 0.0, -0.0, -2.5, 1e300], 60))
    qrels = pairs.sample(50, random_state=seed + 1).assign(relevance=rng.integers(0, 4, 50))
    measures = [*STANDARD, ir_measures.RR, ir_measures.Bpref, ir_measures.IPrec @ 0.1, ir_measures.R(rel=2) @ 7]
    expected = {(str(value.measure), value.query_id): value.value for value in without_us(measures, qrels, run)}
    wide = qrels.assign(highlights=[[(0, 5)]] * 50), run.assign(passages=[[(0, 3)]] * 60)
    assert values(measures, *wide) == expected


def test_measures_that_a_user_defines_see_passages():
    assert values([COUNT, ptf.AiP], QRELS, RUN)["Passages", "1"] == 2.0


def test_the_iteration_of_qrels_stays():
    qrels = QRELS.assign(iteration=["5", "6", "7"])
    assert [row.iteration for row in util.QrelsConverter(qrels).as_namedtuple_iter()] == ["5", "6", "7"]


PLAIN_RUN = RUN[["query_id", "doc_id", "score", "title"]]
PLAIN_QRELS = QRELS[["query_id", "doc_id", "relevance"]]


def without_us(measures, qrels, run):
    """Ask ir_measures' own providers as its own pipeline does."""
    own = [p for p in ir_measures.DefaultPipeline.providers if type(p).__module__.startswith("ir_measures.")]
    return list(ir_measures.providers.FallbackProvider(own).iter_calc(measures, qrels, run))


@pytest.mark.parametrize("measures", [*([measure] for measure in STANDARD), STANDARD], ids=str)
def test_plain_frames_have_the_values_of_ir_measures(measures):
    found = ir_measures.iter_calc(measures, PLAIN_QRELS, PLAIN_RUN)
    assert sorted(map(repr, found)) == sorted(map(repr, without_us(measures, PLAIN_QRELS, PLAIN_RUN)))


def test_plain_frames_are_handed_on_as_they_are(monkeypatch):
    handed = []

    class Seen(ir_measures.providers.Evaluator):
        def iter_calc(self, run):
            handed.append(run)
            return iter(())

    def make_evaluator(measures, qrels):
        handed.append(qrels)
        return Seen(measures, [])

    monkeypatch.setattr(ir_measures.pytrec_eval, "_evaluator", make_evaluator)
    list(ir_measures.iter_calc([ir_measures.AP], PLAIN_QRELS, PLAIN_RUN))
    assert handed[0] is PLAIN_QRELS
    assert handed[1] is PLAIN_RUN


@pytest.mark.parametrize(
    "text",
    ["AiP", "iP@0.01", "AgP(task='bic')", "AgP(task='bic',n=1000)", "CharP(chars=200,overlap='once')", "nDCG@10", "P@5",
     "P(rel=2)@5", "nDCG(dcg='exp-log2')@10",
     "AP(judged_only=True)", "nDCG(gains={1:2,2:3})@5", "α_nDCG@5", "iP @ 0.5"],
)  # fmt: skip
def test_measures_are_read_as_ir_measures_reads_them(text):
    assert repr(parse_measure(text)) == repr(util.parse_measure(text))
    assert ir_measures.parse_trec_measure(text) == [util.parse_measure(text)]


@pytest.mark.parametrize("name", ["map", "ndcg_cut_10", "P.5,10", "recip_rank", "official", "iprec_at_recall_0.10"])
def test_names_of_trec_eval_are_left_to_ir_measures(name, capsys):
    assert ir_measures.parse_trec_measure(name) == util.parse_trec_measure(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AgP(task='x')", "choose one of 'ric', 'bic', 't2i', 'doc'"),
        ("AgP('bic')", "parameters have names"),
        ("AgP(task=bic)", "values are numbers, texts"),
        ("AgP(**{})", "parameters have names"),
        ("AgP +", "a measure is written NAME"),
        ("1@2", "a measure is written NAME"),
        ("nothing_so_called", "unkonwn measure nothing_so_called"),
    ],
)
def test_what_is_no_measure_is_refused(text, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        ir_measures.parse_trec_measure(text)


def test_experiments_and_searches_take_strings():
    run = RUN.rename(columns={"query_id": "qid", "doc_id": "docno"}).assign(rank=[0, 1, 0])
    qrels = QRELS.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    topics = pd.DataFrame({"qid": ["1", "2", "3"], "query": "x"})
    names = ["AiP", "AgP(task='doc')", "nDCG@10", "map", "iP@0.01"]
    table = pt.Experiment([run], topics, qrels, names)
    expected = pt.Experiment([run], topics, qrels, ptf.parse("AiP AgP(task='doc') nDCG@10 AP iP@0.01"))
    assert set(table.columns) == {"name", *names}
    assert (
        table[names].iloc[0].tolist()
        == expected[["AiP", "AgP(task='doc')", "nDCG@10", "AP", "iP@0.01"]].iloc[0].tolist()
    )


def test_a_name_of_another_spelling_is_suggested():
    with pytest.raises(ValueError, match=r"unkonwn measure aip; did you mean AiP\?"):
        ir_measures.parse_trec_measure("aip")


def test_registering_again_changes_nothing():
    before = ir_measures.parse_trec_measure.__wrapped__, [p.NAME for p in ir_measures.DefaultPipeline.providers]
    importlib.reload(provider).register()
    provider.register()
    after = ir_measures.parse_trec_measure.__wrapped__, [p.NAME for p in ir_measures.DefaultPipeline.providers]
    assert after == before
    assert after[1].count(SpanFramesProvider.NAME) == 1
    assert after[1].count("focused") == 1


def test_the_core_runs_without_the_names_that_python_3_14_lacks():
    code = """
import ast
for name in ("Num", "Str", "Bytes", "NameConstant", "Ellipsis"):
    if name in vars(ast):
        delattr(ast, name)
import ir_measures, pandas as pd, pyterrier_focused as ptf
measures = ptf.parse("iP@0.01 AgP(task='doc') CharP(chars=3) nDCG(dcg='exp-log2')@10 map")
run = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "passages": [[(0, 10)]]})
qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "highlights": [[(0, 10)]]})
assert set(ir_measures.calc_aggregate(measures, qrels, run).values()) == {1.0}
assert ir_measures.parse_trec_measure("iP@0.01") == measures[:1]
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
