"""All pairs of systems against the single tests; the triangular table of the SIGIR 2007 paper."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from pyterrier_focused.analysis import (
    bootstrap_test,
    confidence_interval,
    discriminative_power,
    effect_size,
    pairwise,
    randomisation_test,
    t_test,
    triangle,
)


def test_all_pairs_in_order_of_rank(per_query):
    rng = np.random.default_rng(0)
    pairs = pairwise(per_query(rng.random((30, 20)) + np.linspace(0, 0.3, 20)))
    assert len(pairs) == 190  # of 20 systems, as in the paper
    assert (pairs["better_rank"] < pairs["worse_rank"]).all()
    assert (pairs["better_mean"] >= pairs["worse_mean"]).all()
    assert pairs.iloc[0][["better_rank", "worse_rank"]].tolist() == [1, 2]


@pytest.mark.parametrize("test", ["bootstrap", "randomisation", "t"])
def test_every_p_is_that_of_the_single_test(per_query, test):
    rng = np.random.default_rng(1)
    values = rng.random((40, 4)) + np.array([0, 0.05, 0.1, 0.3])
    single = {"bootstrap": bootstrap_test, "randomisation": randomisation_test, "t": t_test}[test]
    pairs = pairwise(per_query(values), test=test, correction=None)
    samples = [(values[:, int(row.better[1:])], values[:, int(row.worse[1:])]) for row in pairs.itertuples()]
    assert pairs["p"].tolist() == pytest.approx([single(x, y).pvalue for x, y in samples], abs=1e-12)
    assert pairs["effect_size"].tolist() == pytest.approx([effect_size(x, y) for x, y in samples])
    intervals = np.array([confidence_interval(x, y, bounds=(0, 2)) for x, y in samples])
    assert pairs[["low", "high"]].to_numpy() == pytest.approx(intervals)
    assert pairs["difference"].tolist() == pytest.approx([np.mean(x) - np.mean(y) for x, y in samples])
    assert pairs[["wins", "losses"]].values.tolist() == [[(x > y).sum(), (x < y).sum()] for x, y in samples]
    assert pairs["significant"].tolist() == (pairs["p"] <= 0.05).tolist()


@pytest.mark.parametrize(
    ("different", "measure", "test", "interval"),
    [
        (9, "AiP", "randomisation", "Gaffke"),
        (10, "AiP", "randomisation", "Student"),
        (9, "NumRet", "t", "Student"),
    ],
)
def test_the_kind_of_each_interval_is_named(per_query, different, measure, test, interval):
    values = np.full((12, 2), 0.25)
    values[:different, 0] += np.linspace(0.1, 0.5, different)
    assert pairwise(per_query(values).assign(measure=measure), test=test)["interval"].tolist() == [interval]


@pytest.mark.parametrize(
    ("topics", "systems", "told"),
    [
        # 120 * 2 / 2^12 = .059, and 13 topics would give .029
        (
            12,
            16,
            "120 pairs and at most 12 topics that differ, this test gives no p under .059.*; 13 such",
        ),
        (12, 2, "^$"),
        (1100, 2, "^$"),
        (5, 2, "at most 5 topics that differ, this test gives no p under .062"),
    ],
)
def test_what_so_few_topics_cannot_show_is_said(per_query, topics, systems, told):
    values = np.random.default_rng(3).random((topics, systems))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pairs = pairwise(per_query(values))
    assert re.search(told, pairs.attrs["reach"])
    assert [str(warning.message) for warning in caught] == [pairs.attrs["reach"]] * (told != "^$")


def test_systems_that_differ_by_rounding_tie(per_query):
    values = np.tile([[0.1 + 0.2, 0.3]], (12, 1))
    (pair,) = pairwise(per_query(values)).itertuples()
    assert (pair.difference, pair.wins, pair.losses, pair.significant) == (0, 0, 0, False)


def test_correction_is_applied_within_a_measure(per_query):
    rng = np.random.default_rng(4)
    one = per_query(rng.random((40, 4)) + np.array([0, 0.05, 0.1, 0.3]), "AgP")
    two = per_query(rng.random((40, 4)), "AP")
    pairs = pairwise(pd.concat([one, two]), correction="bonferroni")
    assert pairs.groupby("measure", sort=False).size().to_dict() == {"AgP": 6, "AP": 6}
    assert np.allclose(pairs["p_corrected"], np.minimum(pairs["p"] * 6, 1))
    assert pairs.loc[pairs["significant"], "p_corrected"].max() <= 0.05


def test_triangle_of_a_hand_made_case(per_query):
    values = np.array([[0.1, 0.9, 0.2], [0.2, 0.8, 0.1]] * 6)
    table = triangle(pairwise(per_query(values, names=["low", "high", "flat"])))
    assert list(table.columns) == list(table.index) == ["high", "flat", "low"]  # equal means in order of name
    assert table.loc["high"].tolist() == ["", "★", "★"]
    assert table.loc["flat"].tolist() == ["", "", "–"]
    assert table.loc["low"].tolist() == ["", "", ""]
    both = pd.concat([per_query(values, "A"), per_query(values, "B")])
    with pytest.raises(ValueError, match=r"'A', 'B'"):
        triangle(pairwise(both))


def test_discriminative_power_counts_pairs(per_query):
    sharp = per_query(np.tile([0.1, 0.5, 0.9], (10, 1)) + np.random.default_rng(0).random((10, 1)) / 50, "sharp")
    blunt = per_query(np.tile([0.5, 0.5, 0.5], (10, 1)), "blunt")
    power = discriminative_power(pd.concat([blunt, sharp]))
    assert power.to_dict("records") == [
        {"measure": "sharp", "significant": 3, "pairs": 3, "power": 1.0},
        {"measure": "blunt", "significant": 0, "pairs": 3, "power": 0.0},
    ]


def test_holes_doubles_and_unknown_measures_are_named(per_query):
    results = per_query(np.eye(3))
    with pytest.raises(ValueError, match=r"system 's1', topic '2'"):
        pairwise(results[~((results["name"] == "s1") & (results["qid"] == "2"))])
    with pytest.raises(ValueError, match=r"system 's0', topic '0': two values"):
        pairwise(pd.concat([results, results]))
    with pytest.raises(ValueError, match="no measure 'AP'; they have AgP"):
        pairwise(results, "AP")
    with pytest.raises(ValueError, match="perquery=True"):
        pairwise(pd.DataFrame({"name": ["a"], "AgP": [1.0]}))
    with pytest.raises(ValueError, match="two systems"):
        pairwise(results[results["name"] == "s0"])


def test_a_fixed_direction_is_that_of_the_systems_order(per_query):
    rng = np.random.default_rng(8)
    base = rng.random(30)
    values = np.stack([base, base + 0.2 + rng.normal(0, 0.1, 30)], axis=1)  # the second is better
    options = {"correction": None, "resamples": 999}
    p = {name: pairwise(per_query(values), alternative=name, **options)["p"][0] for name in ("greater", "less")}
    assert p["greater"] > 0.99
    assert p["less"] < 0.01
    assert not pairwise(per_query(values), alternative="greater", **options)["significant"][0]
    assert pairwise(per_query(values), alternative="less", **options)["significant"][0]


def test_the_test_of_the_paper_says_what_it_finds(per_query):
    assert "about twice" in pairwise(per_query(np.eye(3)), paper="sigir2007").attrs["test"]


def test_the_test_of_the_paper_is_a_bootstrap(per_query):
    results = per_query(np.random.default_rng(0).random((20, 3)))
    named = pairwise(results, test="bootstrap", paper="sigir2007")
    pd.testing.assert_frame_equal(named, pairwise(results, paper="sigir2007"))
    with pytest.raises(ValueError, match="paper='sigir2007' is test='bootstrap', one-tailed"):
        pairwise(results, test="t", paper="sigir2007")


def test_holm_is_the_default_and_holds_the_family(per_query):
    rng = np.random.default_rng(2)
    any_found = [pairwise(per_query(rng.random((30, 5))), resamples=999)["significant"].any() for _ in range(10)]
    assert np.mean(any_found) <= 0.2
    pairs = pairwise(per_query(rng.random((30, 5))))
    assert pairs.attrs["test"] == "randomisation, two-sided, correction: holm; 30 topics"
    ordered = pairs.sort_values("p")
    expected = np.maximum.accumulate(np.minimum(1, ordered["p"] * np.arange(10, 0, -1)))
    assert np.allclose(ordered["p_corrected"], expected)


@pytest.fixture(scope="module")
def copies(per_query):
    """Results of twelve topics, and of five copies of each."""
    values = np.random.default_rng(1).random((12, 3)) + np.array([0, 0.05, 0.2])
    return per_query(values), per_query(np.repeat(values, 5, axis=0))


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_topics_of_one_group_are_resampled_together(copies, test):
    alone = pairwise(copies[0], test=test)
    together = pairwise(copies[1], test=test, cluster={str(t): t // 5 for t in range(60)})
    assert np.allclose(together["p"], alone["p"])
    assert np.allclose(together[["low", "high"]], alone[["low", "high"]], atol=1e-3)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.eye(3), {"alpha": 5}, "alpha=5"),
        (np.eye(3), {"test": "sign"}, "test='sign'"),
        (np.eye(3), {"alternative": "both"}, "alternative='both'"),
        (np.eye(3), {"paper": "sigir2007", "test": "t"}, "leave test and alternative out"),
        (np.eye(3), {"correction": "magic"}, "magic"),
        (np.ones((1, 3)), {}, "at least 2 topics"),
    ],
)
def test_bad_options_of_pairs_are_named(per_query, values, options, message):
    with pytest.raises(ValueError, match=message):
        pairwise(per_query(values), **options)
