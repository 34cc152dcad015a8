"""Kendall's tau and the upsets between two measures, against cases by hand and against counting pairs."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.analysis import compare_measures


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
