"""tau_AP against all ways to break ties and worked cases; Kendall's tau against counting; the upsets."""

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.analysis import compare_measures, rbo, tau_ap


def test_an_upset_at_the_top_weighs_more():
    truth = [4, 3, 2, 1]
    assert tau_ap(truth, truth) == 1
    assert tau_ap([1, 2, 3, 4], truth) == -1
    # the first two exchanged: C(i) / (i - 1) = 0/1, 2/2, 3/3; the last two: 1/1, 2/2, 2/3
    assert tau_ap([3, 4, 2, 1], truth) == pytest.approx(2 / 3 * 2 - 1)
    assert tau_ap([4, 3, 1, 2], truth) == pytest.approx(2 / 3 * (2 + 2 / 3) - 1)


def strict_tau_ap(order, truth_order):
    """The formula of the paper, for two orders without ties."""
    place = {system: i for i, system in enumerate(truth_order)}
    total = 0
    for i in range(1, len(order)):
        total += sum(place[above] < place[order[i]] for above in order[:i]) / i
    return 2 * total / (len(order) - 1) - 1


def orders(values):
    """All orders that break the ties of *values*."""
    n = len(values)
    return [p for p in permutations(range(n)) if all(values[p[i]] >= values[p[i + 1]] for i in range(n - 1))]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=5))
def test_ties_count_as_the_mean_over_all_ways_to_break_them(pairs):
    x, y = zip(*pairs, strict=True)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(tau_ap(x, y))
        return
    expected = np.mean([strict_tau_ap(a, b) for a in orders(x) for b in orders(y)])
    assert tau_ap(x, y) == pytest.approx(expected, abs=1e-12)


def rbo_plainly(first, second, p, depth=4000):
    """The sum over depths: beyond the shorter list its agreement so far goes on, beyond the longer the last one."""
    short, long = sorted((first, second), key=len)
    s = len(short)
    common = [len(set(short[:d]) & set(long[:d])) for d in range(1, len(long) + 1)]
    total = 0.0
    for d in range(1, depth + 1):
        last = min(d, len(long))
        expected = common[s - 1] * max(0, last - s) / s
        total += (common[last - 1] + expected) / last * p ** (d - 1)
    return (1 - p) * total


@given(st.permutations(range(8)), st.permutations(range(8)), st.integers(1, 8), st.integers(1, 8))
def test_rbo_is_the_sum_over_depths(first, second, n, m):
    for p in (0.5, 0.9):
        assert rbo(first[:n], second[:m], p) == pytest.approx(rbo_plainly(first[:n], second[:m], p), abs=1e-9)


@pytest.mark.parametrize(("lists", "expected"), [(("abc", "abc"), 1), (("abc", "xyz"), 0), (("", "a"), 0)])
def test_rbo_of_equal_and_of_foreign_lists(lists, expected):
    assert rbo(*lists) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("lists", "p", "message"), [(("aba", "ab"), 0.9, "'a' is in a ranked list more"), (("a", "b"), 1, "p=1")]
)
def test_bad_lists_are_an_error(lists, p, message):
    with pytest.raises(ValueError, match=message):
        rbo(*lists, p)


def test_means_that_differ_by_rounding_tie():
    assert tau_ap([0.1 + 0.2, 0.3, 0.1], [0.2, 0.2, 0.1]) == tau_ap([0.3, 0.3, 0.1], [0.2, 0.2, 0.1])


@pytest.mark.parametrize(("x", "y"), [([1], [1]), ([1, 2], [1, 2, 3]), ([1, np.nan], [1, 2])])
def test_bad_rows_are_an_error(x, y):
    with pytest.raises(ValueError, match="at least 2 systems"):
        tau_ap(x, y)


@pytest.fixture(scope="session")
def means(per_query):
    """A function that makes per-query results of two measures, in which every topic has the system's mean."""

    def make(first, second, topics=20):
        both = (("AgP", first), ("AP", second))
        return pd.concat([per_query(np.tile(values, (topics, 1)), name) for name, values in both])

    return make


@pytest.fixture(scope="session")
def hand_made(means):
    """Under AP, s2 overtakes s0 and s1; s3 stays last."""
    return compare_measures(means([0.9, 0.8, 0.7, 0.1], [0.6, 0.5, 0.9, 0.2]), "AgP", "AP")


def test_tau_of_a_hand_made_case(hand_made):
    assert hand_made.tau == pytest.approx((4 - 2) / 6)
    assert hand_made.tau_ap == pytest.approx(2 / 3 * (0 / 1 + 1 / 2 + 3 / 3) - 1)
    assert hand_made.power["significant"].tolist() == [6, 6]


def test_shifts_of_a_hand_made_case(hand_made):
    systems = hand_made.systems[["name", "second_rank", "shift"]]
    assert systems.values.tolist() == [["s0", 2, -1], ["s1", 3, -1], ["s2", 1, 2], ["s3", 4, 0]]


def test_upsets_of_a_hand_made_case(hand_made):
    upsets = hand_made.upsets
    assert upsets[["first_prefers", "second_prefers"]].values.tolist() == [["s0", "s2"], ["s1", "s2"]]
    assert upsets["first_difference"].tolist() == pytest.approx([0.2, 0.1])
    assert upsets["second_difference"].tolist() == pytest.approx([0.3, 0.4])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6))
def test_upsets_are_the_discordant_pairs(means, pairs):
    first, second = (np.array(row) / 4 for row in zip(*pairs, strict=True))
    found = compare_measures(means(first, second, topics=2), "AgP", "AP", resamples=1, correction=None)
    discordant = {
        frozenset((f"s{i}", f"s{j}"))
        for i, j in combinations(range(len(pairs)), 2)
        if (first[i] - first[j]) * (second[i] - second[j]) < 0
    }
    assert set(map(frozenset, found.upsets[["first_prefers", "second_prefers"]].values)) == discordant
    assert len(found.upsets) == len(discordant)


def test_two_measures_of_the_same_systems_are_needed(means):
    results = means([0.1, 0.2], [0.2, 0.1])
    with pytest.raises(ValueError, match="one measure"):
        compare_measures(results, "AgP", "AgP")
    with pytest.raises(ValueError, match="no measure 'AiP'"):
        compare_measures(results, "AiP", "AP")
    lacking = results[~((results["measure"] == "AP") & (results["name"] == "s1"))]
    with pytest.raises(ValueError, match="not measured on the same systems"):
        compare_measures(lacking, "AgP", "AP")
