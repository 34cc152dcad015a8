"""Swaps, sensitivity and tau between sets of topics, against all sets of a small case and loops by definition."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from pyterrier_focused.analysis import stability, swap_rates
from pyterrier_focused.analysis.statistics.stability import _correlate_rows


def swap_plainly(values, chosen):
    """The class of difference between two systems on some topics, and whether the other topics swap them."""
    rest = [topic for topic in range(len(values)) if topic not in chosen]
    first, second = (np.subtract(*values[list(half)].mean(axis=0).round(12)) for half in (chosen, rest))
    return min(int(abs(first) / 0.1 + 1e-9), 20), np.sign(first) != np.sign(second)


def test_swaps_are_those_of_all_pairs_of_sets(per_query):
    """Six topics, sets of three: twenty pairs of sets, each of which a sample draws with the same chance."""
    values = np.array([[0.1, 0.3], [0.5, 0.2], [0.4, 0.4], [0.9, 0.1], [0.2, 0.8], [0.7, 0.6]])
    pairs = pd.DataFrame([swap_plainly(values, chosen) for chosen in combinations(range(6), 3)])
    swaps = pairs.groupby(0)[1].agg(["count", "mean"])
    found = swap_rates(per_query(values), width=0.1, samples=8000)
    assert found["difference"].tolist() == pytest.approx((swaps.index * 0.1).tolist())
    assert (found["comparisons"] / 8000).tolist() == pytest.approx((swaps["count"] / 20).tolist(), abs=0.03)
    assert found["error_rate"].tolist() == pytest.approx(swaps["mean"].tolist(), abs=0.05)


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


def test_the_needed_difference_is_the_first_without_error_above_it(per_query):
    rng = np.random.default_rng(3)
    results = per_query(rng.normal(0.4, 0.1, (60, 6)) + np.linspace(0, 0.1, 6))
    rates = swap_rates(results, samples=300)
    needed = stability(results, topics=[30], samples=300)["needed"].iloc[0]
    assert (rates.loc[rates["difference"] >= needed, "error_rate"] <= 0.05).all()
    assert rates.loc[rates["difference"] < needed, "error_rate"].iloc[-1] > 0.05


def test_tau_is_that_of_scipy():
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 4, (2, 30, 6)) / 4
    expected = [kendalltau(a, b).statistic for a, b in zip(first, second, strict=True)]
    assert list(_correlate_rows(first, second)) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("systems", "options", "what"),
    [
        (1, {}, "at least two systems"),
        (3, {"topics": 11}, "a set has 1 to 10"),
        (3, {"topics": 0}, "a set has 1 to 10"),
        (3, {"samples": 0}, "samples=0"),
        (3, {"width": 0}, "width=0"),
    ],
)
def test_what_cannot_be_drawn_is_named(per_query, systems, options, what):
    with pytest.raises(ValueError, match=what):
        swap_rates(per_query(np.random.default_rng(0).random((20, systems))), **options)


def test_systems_that_are_equal_have_no_ranking_to_be_stable(per_query):
    (row,) = stability(per_query(np.tile(np.linspace(0, 1, 20)[:, None], (1, 3))), topics=[5]).to_dict("records")
    assert {name for name, value in row.items() if value != value} == set(row) - {"measure", "topics"}
