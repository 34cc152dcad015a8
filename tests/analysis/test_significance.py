"""The paired bootstrap against enumeration of all resamples and scipy; the triangular table of the SIGIR 2007 paper."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.analysis import bootstrap_test, discriminative_power, pairwise, triangle


def enumerate_p(x, y, alternative):
    """The exact probability over all n^n resamples of the shifted differences."""
    d = np.asarray(x) - np.asarray(y)
    means = np.array([np.mean(draw) for draw in product(d - d.mean(), repeat=len(d))])
    hit = {"greater": means >= d.mean() - 1e-12, "less": means <= d.mean() + 1e-12}
    hit["two-sided"] = np.abs(means) >= abs(d.mean()) - 1e-12
    return hit[alternative].mean()


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("seed", range(4))
def test_estimates_the_exact_probability_over_all_resamples(alternative, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.random(5), rng.random(5)
    exact = enumerate_p(x, y, alternative)
    result = bootstrap_test(x, y, alternative=alternative, resamples=20_000, seed=seed)
    assert result.statistic == pytest.approx(np.mean(x - y))
    assert result.pvalue == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4)


def test_agrees_with_the_distribution_that_scipy_resamples():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(7)
    d = rng.normal(0.03, 0.15, 60)
    scipy = bootstrap((d - d.mean(),), np.mean, n_resamples=20_000, method="percentile", rng=rng)
    expected = np.mean(scipy.bootstrap_distribution >= d.mean())
    assert bootstrap_test(d, np.zeros(60), resamples=20_000).pvalue == pytest.approx(expected, abs=0.01)


def test_agrees_with_the_t_test_on_many_normal_differences():
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(3)
    y = rng.normal(0.4, 0.1, 400)
    x = y + rng.normal(0.01, 0.1, 400)
    expected = ttest_rel(x, y, alternative="greater").pvalue
    assert bootstrap_test(x, y, resamples=20_000).pvalue == pytest.approx(expected, abs=0.01)


def test_p_is_smoothed_and_1000_resamples_are_drawn():
    assert bootstrap_test([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]).pvalue == 1 / 1001
    assert bootstrap_test([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], resamples=9).pvalue == 1 / 10
    assert bootstrap_test([0.0, 0.0], [1.0, 1.0]).pvalue == 1.0
    assert bootstrap_test([0.0, 0.0], [1.0, 1.0], alternative="less").pvalue == 1 / 1001


def test_equal_systems_are_never_different():
    x = np.random.default_rng(0).random(50)
    for alternative in ("greater", "less", "two-sided"):
        assert bootstrap_test(x, x, alternative=alternative).pvalue == 1.0
    # 0.1 + 0.2 - 0.3 is not 0: rounding of one sign in every topic is no improvement
    assert bootstrap_test([0.1 + 0.2] * 20, [0.3] * 20).pvalue == 1.0


def test_a_correction_gets_resamples_that_it_can_resolve():
    x, y = np.ones(10), np.zeros(10)
    for tests in (2, 20, 190):
        p = bootstrap_test(x, y, tests=tests).pvalue
        assert p * tests <= 0.05 / 3.9


def test_seeds():
    rng = np.random.default_rng(5)
    x, y = rng.random(30), rng.random(30)
    assert bootstrap_test(x, y) == bootstrap_test(x, y)
    assert len({bootstrap_test(x, y, seed=seed).pvalue for seed in range(5)}) > 1
    assert bootstrap_test(x, y, seed=None, resamples=10).pvalue > 0


def test_level_under_the_null_hypothesis():
    rng = np.random.default_rng(11)
    rejected = np.mean([bootstrap_test(*rng.random((2, 50)), resamples=400).pvalue <= 0.05 for _ in range(400)])
    assert 0.02 < rejected < 0.09


@pytest.mark.parametrize(
    ("x", "y", "what"),
    [
        ([1, 2], [1, 2, 3], "one value per topic"),
        ([[1, 2]], [[1, 2]], "one value per topic"),
        ([1, np.nan], [1, 2], r"topic 1 .* missing"),
        ([1], [1], "at least 2"),
        ([], [], "at least 2"),
    ],
)
def test_bad_values_are_named(x, y, what):
    with pytest.raises(ValueError, match=what):
        bootstrap_test(x, y)


def test_bad_parameters_are_named(per_query):
    with pytest.raises(ValueError, match="alternative='larger'"):
        bootstrap_test([1, 2], [1, 2], alternative="larger")
    with pytest.raises(ValueError, match="resamples=0"):
        bootstrap_test([1, 2], [1, 2], resamples=0)
    with pytest.raises(ValueError, match="alpha=5"):
        pairwise(per_query(np.eye(3)), alpha=5)
    with pytest.raises(ValueError, match="alpha=0"):
        bootstrap_test([1, 2], [1, 2], tests=3, alpha=0)


def test_plugs_into_an_experiment():
    import pyterrier as pt

    from pyterrier_focused import parse

    rng = np.random.default_rng(2)
    qids = [str(i) for i in range(12)]
    topics = pd.DataFrame({"qid": qids, "query": qids})
    qrels = pd.DataFrame([(q, f"d{i}", int(i < 3)) for q in qids for i in range(10)], columns=["qid", "docno", "label"])

    def system(noise):
        rows = [(q, f"d{i}", -i + noise * rng.normal()) for q in qids for i in range(10)]
        run = pd.DataFrame(rows, columns=["qid", "docno", "score"])
        return run.assign(rank=run.groupby("qid")["score"].rank(ascending=False).astype(int) - 1)

    systems = [system(6), system(0.1), system(3)]
    call = partial(pt.Experiment, systems, topics, qrels, parse("AP AgP(task='doc')"), names=["a", "b", "c"])
    table = call(baseline=0, test=partial(bootstrap_test, tests=2), correction="holm")
    values = call(perquery=True)
    column = values[values["measure"] == "AP"].pivot(index="qid", columns="name", values="value")
    assert table["AP p-value"][1] == bootstrap_test(column["b"], column["a"], tests=2).pvalue
    assert bool(table["AP reject"][1]) is True
    pairs = pairwise(values, "AP")
    assert set(pairs["better"]) | set(pairs["worse"]) == {"a", "b", "c"}
    assert pairs.iloc[0]["better"] == "b"


def test_all_pairs_in_order_of_rank(per_query):
    rng = np.random.default_rng(0)
    pairs = pairwise(per_query(rng.random((30, 20)) + np.linspace(0, 0.3, 20)))
    assert len(pairs) == 190  # of 20 systems, as in the paper
    assert (pairs["better_rank"] < pairs["worse_rank"]).all()
    assert (pairs["better_mean"] >= pairs["worse_mean"]).all()
    assert pairs.iloc[0][["better_rank", "worse_rank"]].tolist() == [1, 2]


def test_every_p_is_that_of_the_single_test(per_query):
    rng = np.random.default_rng(1)
    values = rng.random((40, 4)) + np.array([0, 0.05, 0.1, 0.3])
    pairs = pairwise(per_query(values))
    for row in pairs.itertuples():
        x, y = values[:, int(row.better[1:])], values[:, int(row.worse[1:])]
        assert row.p == bootstrap_test(x, y).pvalue
        assert row.difference == pytest.approx(np.mean(x) - np.mean(y))
        assert (row.wins, row.losses) == ((x > y).sum(), (x < y).sum())
        assert row.significant == (row.p <= 0.05)


def test_correction_is_applied_within_a_measure(per_query):
    rng = np.random.default_rng(4)
    one = per_query(rng.random((40, 4)) + np.array([0, 0.05, 0.1, 0.3]), "AgP")
    two = per_query(rng.random((40, 4)), "AP")
    pairs = pairwise(pd.concat([one, two]), correction="bonferroni")
    assert pairs.groupby("measure", sort=False).size().to_dict() == {"AgP": 6, "AP": 6}
    assert np.allclose(pairs["p_corrected"], np.minimum(pairs["p"] * 6, 1))
    assert pairs.loc[pairs["significant"], "p_corrected"].max() <= 0.05


def test_triangle_of_a_hand_made_case(per_query):
    values = np.array([[0.1, 0.9, 0.2], [0.2, 0.8, 0.1], [0.1, 0.9, 0.2], [0.2, 0.8, 0.1]])
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


def test_a_measure_is_found_however_it_is_written(per_query):
    results = per_query(np.eye(3), "AgP(task='bic',n=1000)")
    from pyterrier_focused import AgP

    for measure in ("AgP(n=1000,task='bic')", AgP(task="bic", n=1000), None):
        results["measure"] = str(AgP(n=1000, task="bic"))
        assert len(pairwise(results, measure)) == 3


@given(st.integers(2, 6), st.integers(2, 12), st.integers(0, 1000))
def test_permuting_rows_changes_nothing_but_order(per_query, systems, topics, seed):
    rng = np.random.default_rng(seed)
    results = per_query(rng.integers(0, 5, (topics, systems)) / 4)
    means = results.groupby("name")["value"].mean()
    pairs = pairwise(results, resamples=50)
    shuffled = pairwise(results.sample(frac=1, random_state=seed), resamples=50)
    assert pairs[["better", "worse"]].equals(shuffled[["better", "worse"]])
    expected = sorted(means.index, key=lambda name: (-round(means[name], 9), name))
    assert list(dict.fromkeys(pairs["better"])) == expected[:-1]
