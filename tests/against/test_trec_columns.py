"""Standard measures from columns against pytrec_eval (through ir_measures): the same values to the last bit."""

import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RR, NumRel, NumRet, P, R, Rprec, SetP, SetR, Success, nDCG

from pyterrier_focused.evaluation import evaluate, speed_up_standard_measures
from pyterrier_focused.evaluation.trec_columns import TrecColumns, is_supported
from pyterrier_focused.measures import F

MEASURES = [
    AP, AP @ 3, AP(rel=2), AP(rel=3) @ 4, RR, RR(rel=2), P @ 1, P @ 5, P(rel=2) @ 3, R @ 3, R(rel=2) @ 1000, Rprec,
    Rprec(rel=2), Success @ 1, Success(rel=2) @ 5, nDCG, nDCG @ 1, nDCG(dcg="log2") @ 5, nDCG @ 1000, SetP, SetP(rel=2),
    SetR, SetR(rel=2), NumRel, NumRet, NumRet(rel=2),
]  # fmt: skip
NAMES = ["é", "e", "z", "Z", "", "a" * 8, "a" * 9, "a" * 16, "a" * 17, "日本", "\U0001f600", "\uffff", "10", "9"]
SCORES = [np.inf, -np.inf, 0.0, -0.0, 1e300, 1e301, 1e-46, 1.0, 1.0 + 1e-9]
# Cases in one test, in all tests, and in those of every change.
BLOCK = 25
CASES = 10_000
FEW = 500
BLOCKS = [pytest.param(n, marks=pytest.mark.long if n >= FEW else ()) for n in range(0, CASES, BLOCK)]


def draw_frames(seed):
    """Ties, graded and negative labels, unjudged articles, topics without run or qrels, rows of topics apart."""
    rng = np.random.default_rng(seed)
    docnos = [*NAMES, *(f"d{number}" for number in range(40))]
    topics = map(str, range(rng.integers(2, 6)))
    pairs = pd.DataFrame(itertools.product(topics, rng.permutation(docnos)[: rng.integers(3, 40)].tolist()))
    pairs.columns = ["query_id", "doc_id"]
    run = pairs.sample(n=rng.integers(1, len(pairs)), random_state=seed)
    qrels = pairs.sample(n=rng.integers(1, len(pairs)), random_state=seed + CASES)
    n = len(run)
    scores = [rng.integers(-3, 4, n), rng.integers(-3, 4, n) / 7, rng.choice(SCORES, n), rng.random(n, np.float32)]
    run["score"] = scores[rng.integers(len(scores))]
    if rng.random() < 0.5:
        run = run.sort_values(["query_id", "score"], ascending=[True, False])
    # pytrec_eval writes outside of its memory if all labels of a topic are negative
    qrels["relevance"] = np.where(qrels["query_id"].duplicated(), rng.integers(-1, 4, len(qrels)), 1)
    if rng.random() < 0.2:
        qrels = pd.concat([qrels, qrels.iloc[:1].assign(relevance=0)])
    kinds = {"query_id": object, "doc_id": object}
    return (run.astype(kinds), qrels.astype(kinds)) if rng.random() < 0.3 else (run, qrels)


@pytest.mark.parametrize("first", BLOCKS)
def test_every_value_is_that_of_pytrec_eval_to_the_bit(first):
    for seed in range(first, first + BLOCK):
        run, qrels = draw_frames(seed)
        plain = ir_measures.pytrec_eval.iter_calc(MEASURES, qrels, run)
        found = TrecColumns.read(qrels).calculate(run, MEASURES)
        assert by_measure(found) == by_measure(plain), seed


def by_measure(metrics):
    # measures take long to compare
    return {(id(metric.measure), metric.query_id): metric.value for metric in metrics}


RUN = pd.DataFrame({"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "score": [2.0, 1.0, 1.0]})
QRELS = pd.DataFrame({"query_id": ["1", "1", "2"], "doc_id": ["a", "c", "b"], "relevance": [1, 2, 0]})


@pytest.mark.parametrize(
    "columns",
    [
        {"score": [2.0, np.nan, 1.0]},
        {"score": ["2", "1", "1"]},
        {"score": pd.array([2.0, 1.0, 1.0], "Float64")},
        {"doc_id": ["a", "a", "a"]},
        {"doc_id": ["a", None, "a"]},
        {"doc_id": [1, 2, 1]},
        {"doc_id": pd.Series(["a", 2, "a"], dtype=object)},
        {"doc_id": pd.Series([b"a", b"b", b"a"], dtype=object)},
        {"doc_id": ["a", "b\0c", "a"]},
        {"doc_id": pd.Series(["a", "\ud800", "a"], dtype=object)},
        {"doc_id": pd.Categorical(["a", "b", "a"])},
        {"query_id": [1, 1, 2]},
        {"query_id": ["1", None, "2"]},
    ],
    ids=str,
)
def test_runs_that_pytrec_eval_must_read(columns):
    assert TrecColumns.read(QRELS).calculate(RUN.assign(**columns), [AP]) is None


@pytest.mark.parametrize(
    "qrels",
    [
        QRELS.assign(relevance=[1, 0.5, 0]),
        QRELS.assign(relevance=[1, np.nan, 0]),
        QRELS.assign(relevance=[True, False, True]),
        QRELS.assign(doc_id=[1, 2, 3]),
        QRELS[:0],
        QRELS.drop(columns="relevance"),
        {"1": {"a": 1}},
    ],
    ids=lambda qrels: str(dict(qrels)),
)
def test_qrels_that_pytrec_eval_must_read(qrels):
    assert TrecColumns.read(qrels) is None


@pytest.mark.parametrize(
    "measure",
    [AP(judged_only=True), nDCG(gains={1: 3}), nDCG(dcg="exp-log2"), SetP(relative=True), P(rel=0) @ 5, AP @ 0,
     ir_measures.Bpref],
    ids=str,
)  # fmt: skip
def test_measures_that_pytrec_eval_must_compute(measure):
    assert not is_supported(measure)


@pytest.fixture
def asked(monkeypatch):
    """The groups of measures that pytrec_eval is asked for."""
    groups = []
    plain = ir_measures.pytrec_eval._evaluator

    def make_evaluator(measures, qrels):
        groups.append(set(measures))
        return plain(measures, qrels)

    monkeypatch.setattr(ir_measures.pytrec_eval, "_evaluator", make_evaluator)
    yield groups
    speed_up_standard_measures(False)


def test_plain_frames_are_left_to_pytrec_eval_unless_columns_are_asked_for(asked):
    expected = ir_measures.calc([AP], QRELS, RUN)
    assert asked == [{AP}]
    speed_up_standard_measures()
    assert ir_measures.calc([AP], QRELS, RUN) == expected
    assert asked == [{AP}]
    speed_up_standard_measures(False)
    ir_measures.calc([AP], QRELS, RUN)
    assert asked == [{AP}, {AP}]


@pytest.mark.parametrize(
    "compute",
    [
        lambda: ir_measures.calc([AP, F], QRELS, RUN),
        lambda: ir_measures.calc([AP], QRELS.assign(highlights=None), RUN),
        lambda: ir_measures.calc([AP], QRELS.assign(highlights=None), RUN.assign(passages=None)),
        lambda: ir_measures.calc([AP], QRELS.astype({"relevance": float}), RUN.astype({"query_id": int})),
        lambda: evaluate(to_pyterrier(QRELS), {"run": to_pyterrier(RUN)}, [AP]),
    ],
    ids=["beside ours", "highlights", "passages", "numbers", "evaluate"],
)
def test_columns_are_read_if_the_package_is_in_the_call(asked, compute):
    compute()
    assert asked == []


def test_a_run_with_passages_is_read_as_columns_beside_plain_qrels(asked):
    evaluator = ir_measures.evaluator([AP], QRELS)
    asked.clear()
    assert evaluator.calc(RUN.assign(passages=None)) == evaluator.calc(RUN)


def test_pytrec_eval_computes_what_is_left(asked):
    measures = [AP, ir_measures.Bpref, P(judged_only=True) @ 5]
    expected = ir_measures.calc(measures, QRELS, RUN)
    asked.clear()
    found = ir_measures.calc(measures, QRELS.assign(highlights=None), RUN)
    assert found.aggregated == expected.aggregated
    assert sorted(map(repr, found.per_query)) == sorted(map(repr, expected.per_query))
    assert asked == [{ir_measures.Bpref, P(judged_only=True) @ 5}]


def to_pyterrier(frame):
    return frame.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
