"""Document-level measures against trec_eval (pytrec_eval, through ir_measures) on the same frames, ties included."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, IPrec, P, R, SetF
from random_topics import qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused import AgP, gP, gR
from pyterrier_focused.measures import IAP11, F

QRELS = qrels_topics(min_topics=1, labels=(-1, 0, 1, 1, 3))  # labels below -1 can crash trec_eval
CUTOFFS = (1, 2, 3, 5, 10, 1000)
PAIRS = {
    AgP(task="doc"): AP,
    **{gP(task="doc") @ r: P @ r for r in CUTOFFS},
    **{gR(task="doc") @ r: R @ r for r in CUTOFFS},
    F: SetF,
    F(beta=2): SetF(beta=4.0),  # trec_eval's parameter weighs as the square: (1 + b) P R / (b P + R)
    F(beta=0.5): SetF(beta=0.25),
}


def values(measures, run, qrels):
    metrics = ir_measures.iter_calc(measures, qrels, run)
    return {(metric.measure, metric.query_id): metric.value for metric in metrics}


@given(run_topics(), QRELS)
def test_measures_of_articles_are_those_of_trec_eval(run, qrels):
    found = values([*PAIRS, *PAIRS.values()], run_frame(run), qrels_frame(qrels))
    assert len(found) == 2 * len(PAIRS) * len(qrels)
    cases = [(ours, qid) for ours in PAIRS for qid in qrels]
    assert {case: found[case] for case in cases} == pytest.approx(
        {(ours, qid): found[PAIRS[ours], qid] for ours, qid in cases}, abs=1e-12
    )


@pytest.mark.parametrize("beta", [1, 3])
@given(run=run_topics(), qrels=QRELS, k=st.sampled_from([1, 2, 3]))
def test_f_at_a_cutoff_is_made_of_trec_evals_p_and_r(run, qrels, k, beta):
    def f_beta(p, r):
        return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0

    found = values([F(beta=beta) @ k, P @ k, R @ k], run_frame(run), qrels_frame(qrels))
    expected = {qid: f_beta(found[P @ k, qid], found[R @ k, qid]) for qid in qrels}
    assert {qid: found[F(beta=beta) @ k, qid] for qid in qrels} == pytest.approx(expected, abs=1e-12)


@given(st.data(), st.sampled_from([2, 4, 5, 6, 8, 10, 12]))
def test_eleven_points_are_trec_evals(data, n_relevant):
    # trec_eval rounds level * n_relevant + 0.9 down: exact unless that product ends in .1, so for these numbers
    ranking = data.draw(st.permutations(range(n_relevant + 8)))[: data.draw(st.integers(0, n_relevant + 8))]
    run = {"1": [(f"d{i}", float(-rank), None) for rank, i in enumerate(ranking)]}
    qrels = {"1": [(f"d{i}", int(i < n_relevant), [], -1, 9) for i in range(n_relevant + 4)]}
    levels = [IPrec @ (i / 10) for i in range(11)]
    found = values([IAP11, *levels], run_frame(run), qrels_frame(qrels))
    assert found[IAP11, "1"] == pytest.approx(sum(found[level, "1"] for level in levels) / 11, abs=1e-12)


# 1.0 and 1.0 + 1e-9 are one float32: the docno decides, descending; 1.0 + 1e-6 is another
RANKINGS = [
    ({"a": 1.0 + 1e-9, "b": 1.0}, ["b", "a"]),
    ({"a": 1.0, "b": 1.0 + 1e-9}, ["b", "a"]),
    ({"a": 1.0 + 1e-6, "b": 1.0}, ["a", "b"]),
    ({"é": 1.0, "z": 1.0, "Z": 1.0}, ["é", "z", "Z"]),
    ({"10": 1.0, "9": 1.0}, ["9", "10"]),  # names, not numbers: 9 before 10
    ({"a": 1e300, "b": 1e301}, ["b", "a"]),  # both are infinite in float32
    ({"a": 0.0, "b": -0.0}, ["b", "a"]),
]


@pytest.mark.parametrize(
    ("scores", "order", "relevant"), [(scores, order, docno) for scores, order in RANKINGS for docno in scores]
)
def test_articles_that_tie_in_float32_are_ranked_by_docno(scores, order, relevant):
    run = {"1": [(docno, score, None) for docno, score in scores.items()]}
    qrels = {"1": [(docno, int(docno == relevant), [], -1, 9) for docno in scores]}
    expected = 1 / (order.index(relevant) + 1)
    found = values([AgP(task="doc"), IAP11, AP], run_frame(run), qrels_frame(qrels))
    assert [found[m, "1"] for m in (AgP(task="doc"), IAP11, AP)] == [pytest.approx(expected)] * 3
    first = values([gP(task="doc") @ 1, gR(task="doc") @ 1, F @ 1, P @ 1], run_frame(run), qrels_frame(qrels))
    assert set(first.values()) == {float(order[0] == relevant)}
