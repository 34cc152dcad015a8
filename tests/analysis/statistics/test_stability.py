"""Swaps, sensitivity and tau between sets of topics, against all sets of a small case and loops by definition."""

from itertools import combinations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from pyterrier_focused.analysis import stability, subset_stability
from pyterrier_focused.analysis.statistics.stability import _correlate_rows, _draw_shares


def is_swapped(values, chosen):
    """Whether the topics that were not chosen swap the two systems."""
    rest = [topic for topic in range(len(values)) if topic not in chosen]
    first, second = (np.subtract(*values[list(half)].mean(axis=0).round(12)) for half in (chosen, rest))
    return np.sign(first) != np.sign(second)


def test_swaps_are_those_of_all_pairs_of_sets(per_query):
    """Six topics, sets of three: twenty pairs of sets, each of which a sample draws with the same chance."""
    values = np.array([[0.1, 0.3], [0.5, 0.2], [0.4, 0.4], [0.9, 0.1], [0.2, 0.8], [0.7, 0.6]])
    swaps = np.mean([is_swapped(values, chosen) for chosen in combinations(range(6), 3)])
    found = stability(per_query(values), topics=[3], samples=8000)
    assert found["error_rate"].iloc[0] == pytest.approx(swaps, abs=0.03)


def test_systems_that_always_differ_are_never_swapped(per_query):
    base = np.random.default_rng(0).random((40, 1)) / 10
    found = stability(per_query(base + np.array([0, 0.3, 0.6])), samples=50)
    assert (found["error_rate"] == 0).all()
    assert found[["tau", "tau_low", "tau_high", "tau_all", "same_best", "power"]].eq(1).all().all()
    assert (found["needed"] <= 0.3).all()


def test_chance_swaps_half_of_the_pairs(per_query):
    found = stability(per_query(np.random.default_rng(1).random((60, 4))), topics=[30], samples=400)
    assert found["error_rate"].iloc[0] == pytest.approx(0.5, abs=0.15)
    assert found["tau"].iloc[0] == pytest.approx(0, abs=0.3)
    assert np.isnan(found["needed"].iloc[0])
    assert found["power"].iloc[0] == 0


def test_more_topics_are_more_stable(per_query):
    rng = np.random.default_rng(2)
    results = per_query(rng.normal(0.4, 0.2, (100, 6)) + np.linspace(0, 0.2, 6))
    found = stability(results, samples=200)
    assert found["topics"].tolist() == [5, 10, 15, 20, 25, 30, 35, 40, 45, 50]
    assert found["tau"].iloc[-1] > found["tau"].iloc[0] + 0.1
    assert found["error_rate"].iloc[-1] < found["error_rate"].iloc[0]
    assert np.isnan(found["needed"].iloc[0])  # no difference is large enough for five topics
    assert 0 < found["needed"].iloc[-1] < 0.2


def test_tau_is_that_of_scipy():
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 4, (2, 30, 6)) / 4
    expected = [kendalltau(a, b).statistic for a, b in zip(first, second, strict=True)]
    assert list(_correlate_rows(first, second)) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("systems", "options", "what"),
    [
        (1, {}, "at least two systems"),
        (3, {"topics": [11]}, "a set has 1 to 10"),
        (3, {"topics": [0]}, "a set has 1 to 10"),
        (3, {"samples": 0}, "samples=0"),
        (3, {"width": 0}, "width=0"),
    ],
)
def test_what_cannot_be_drawn_is_named(per_query, systems, options, what):
    results = per_query(np.random.default_rng(0).random((20, systems)))
    with pytest.raises(ValueError, match=what):
        stability(results, **{"topics": [5], **options})


def test_systems_that_are_equal_have_no_ranking_to_be_stable(per_query):
    (row,) = stability(per_query(np.tile(np.linspace(0, 1, 20)[:, None], (1, 3))), topics=[5]).to_dict("records")
    assert {name for name, value in row.items() if value != value} == set(row) - {"measure", "topics"}


# b and e are relevant; b is retrieved by nobody in topic 1, e in no topic; d is neither
JUDGED = pd.DataFrame(
    [(qid, docno, int(docno in "be")) for qid in "1234" for docno in "abcde"], columns=["qid", "docno", "label"]
)
RANKED = [["ac", "bca", "cab", "ab"], ["ca", "cba", "abc", "b"], ["c", "cab", "bca", "ba"]]
RUNS = {
    f"system {number}": pd.DataFrame(
        [(qid, docno, 1.0 / rank) for qid, names in zip("1234", of_topics, strict=True) for rank, docno in
         enumerate(names, start=1)], columns=["qid", "docno", "score"],
    )
    for number, of_topics in enumerate(RANKED)
}  # fmt: skip
# what is neither relevant nor retrieved never counts: d, and c in topic 4
POOL = JUDGED[(JUDGED["docno"] != "d") & ~((JUDGED["docno"] == "c") & (JUDGED["qid"] == "4"))]
NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


def score_plainly(qrels, measure, topics="1234"):
    """The systems' means over some topics."""
    qrels = qrels[qrels["qid"].isin(list(topics))].rename(columns=NAMES)
    return [ir_measures.calc_aggregate([measure], qrels, run.rename(columns=NAMES))[measure] for run in RUNS.values()]


MEASURES = [ir_measures.parse_measure("ADM"), ir_measures.AP]


def test_subsets_that_are_the_whole_rank_alike():
    found = subset_stability(JUDGED, RUNS, MEASURES, samples=2)
    assert found["measure"].tolist() == ["ADM", "AP"]
    assert found.iloc[:, 1:].eq(1).all().all()


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_without_relevant_documents_that_nobody_retrieved(measure):
    """The one subset that takes no sample: what any run retrieved."""
    kept = POOL[(POOL["docno"] != "e") & ~((POOL["qid"] == "1") & (POOL["docno"] == "b"))]
    expected = kendalltau(score_plainly(kept, measure), score_plainly(POOL, measure)).statistic
    found = subset_stability(JUDGED, RUNS, [measure], relevant=0, samples=2)
    assert found[["tau", "tau_low", "tau_high"]].values.tolist() == [pytest.approx([expected] * 3)]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_half_of_the_topics_are_all_halves_in_turn(measure):
    whole = score_plainly(POOL, measure)
    halves = [score_plainly(POOL, measure, half) for half in combinations("1234", 2)]
    expected = np.nanmean([kendalltau(np.round(half, 12), np.round(whole, 12)).statistic for half in halves])
    found = subset_stability(JUDGED, RUNS, [measure], topics=0.5, samples=1000)
    assert found["tau"].iloc[0] == pytest.approx(expected, abs=0.05)


def test_shares_are_drawn_to_the_nearest_whole_number_and_evenly():
    group = np.array([0, 2, 2, 0, 0, 2, 0, 1])
    shares = np.array([0.5, 0.0, 0.5])
    rng = np.random.default_rng(5)
    drawn = np.array([_draw_shares(group, shares, rng) for _ in range(3000)])
    assert {tuple(np.bincount(group[row], minlength=3)) for row in drawn} == {(2, 0, 2)}
    assert drawn.mean(axis=0) == pytest.approx([0.5, 2 / 3, 2 / 3, 0.5, 0.5, 2 / 3, 0.5, 0], abs=0.05)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"retrieved": 50}, "retrieved=50: give the share"),
        ({"topics": 0.1}, "topics=0.1 keeps none of 4 topics"),
        ({"samples": 0}, "samples=0"),
        ({"runs": list(RUNS.values())[:1]}, "at least two systems"),
    ],
)
def test_subsets_that_cannot_be_drawn_are_named(options, what):
    with pytest.raises(ValueError, match=what):
        subset_stability(JUDGED, **{"runs": RUNS, "measures": "AP", **options})
