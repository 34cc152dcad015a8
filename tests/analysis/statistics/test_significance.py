"""The paired tests and intervals against enumeration, scipy and definitions."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from pyterrier_focused import EvaluationWarning
from pyterrier_focused.analysis import (
    bootstrap_test,
    confidence_interval,
    effect_size,
    randomisation_test,
    t_test,
)

ALTERNATIVES = ["two-sided", "greater", "less"]


def enumerate_p(x, y, alternative):
    """The exact probability over all n^n resamples of the shifted differences."""
    d = np.asarray(x) - np.asarray(y)
    drawn = np.array([np.mean(draw) for draw in product(d - d.mean(), repeat=len(d))])
    observed = d.mean()
    hit = {"greater": drawn >= observed - 1e-9, "less": drawn <= observed + 1e-9}
    hit["two-sided"] = np.abs(drawn) >= abs(observed) - 1e-9
    return hit[alternative].mean()


@pytest.mark.parametrize(
    "options", [*({"alternative": side} for side in ALTERNATIVES), {"paper": "sigir2007"}], ids=str
)
def test_the_bootstrap_estimates_the_exact_probability_over_all_resamples(options):
    x, y = np.random.default_rng(1).random((2, 5))
    exact = enumerate_p(x, y, options.get("alternative", "greater"))
    result = bootstrap_test(x, y, resamples=20_000, **options)
    assert result.statistic == pytest.approx(np.mean(x - y))
    assert result.pvalue == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4)


def test_the_paper_draws_a_thousand_resamples():
    assert bootstrap_test([1.0] * 3, [0.0] * 3, paper="sigir2007").pvalue == 1 / 1001


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_randomisation_counts_all_exchanges_of_a_small_case(alternative):
    x, y = np.array([0.5, 0.4, 0.9, 0.3]), np.array([0.2, 0.5, 0.1, 0.3])
    means = [np.mean(signs * (x - y)) for signs in product([1, -1], repeat=4)]
    seen = np.mean(x - y)
    hit = {"greater": np.greater_equal(means, seen - 1e-12), "less": np.less_equal(means, seen + 1e-12)}
    if alternative == "two-sided":  # scipy doubles the smaller side
        expected = min(1, 2 * min(hit["greater"].mean(), hit["less"].mean()))
    else:
        expected = hit[alternative].mean()
    assert randomisation_test(x, y, alternative=alternative).pvalue == pytest.approx(expected)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("topics", [5, 12])
def test_randomisation_is_that_of_scipy(topics, alternative):
    rng = np.random.default_rng(topics)
    x, y = rng.integers(0, 5, (2, topics)) / 4
    expected = stats.permutation_test(
        (x, y), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples", alternative=alternative,
        n_resamples=np.inf,
    )  # fmt: skip
    assert randomisation_test(x, y, alternative=alternative).pvalue == pytest.approx(expected.pvalue)


def test_topics_that_tie_take_no_part_in_the_randomisation():
    """85% of 50 topics tie: they change nothing."""
    rng = np.random.default_rng(0)
    x, y = np.zeros((2, 50))
    x[:8] = rng.normal(0.02, 0.2, 8)
    ties = randomisation_test(x, y)
    assert ties.pvalue == randomisation_test(x[:8], y[:8]).pvalue
    assert ties.pvalue == pytest.approx(t_test(x, y).pvalue, abs=0.1)


COPIES = np.repeat(np.arange(12), 10)


@pytest.mark.parametrize("test", [bootstrap_test, randomisation_test])
def test_groups_of_topics_are_resampled_together(test):
    """Ten copies of every topic are no more evidence than one; as topics of their own they would be."""
    rng = np.random.default_rng(1)
    x, y = rng.random(12) + 0.1, rng.random(12)
    alone = test(x, y)
    together = test(np.repeat(x, 10), np.repeat(y, 10), cluster=COPIES)
    assert together.statistic == pytest.approx(alone.statistic)
    assert together.pvalue == pytest.approx(alone.pvalue, abs=1e-9)
    assert test(np.repeat(x, 10), np.repeat(y, 10)).pvalue < alone.pvalue / 2


@pytest.mark.parametrize("hits", [0, 1, 7, 20])
def test_intervals_of_hits_are_clopper_and_pearsons(hits):
    expected = stats.binomtest(hits, 20).proportion_ci(method="exact")
    assert confidence_interval([1.0] * hits + [0.0] * (20 - hits)) == pytest.approx(tuple(expected))


def bound_plainly(values, level=0.95):
    """Gaffke's bound, the weights of ordered uniform numbers drawn one by one."""
    rng = np.random.default_rng(7)
    cuts = np.sort(rng.random((40_000, len(values))), axis=1)
    weights = np.diff(cuts, axis=1, prepend=0.0, append=1.0)
    ends = weights @ np.append(values, 0.0), weights @ np.append(values, 1.0)
    return np.quantile(ends[0], (1 - level) / 2), np.quantile(ends[1], (1 + level) / 2)


@pytest.mark.parametrize("values", [[0.2, 0.7, 0.9], [0.4] * 6, [0.0] * 8 + [0.5, 1.0], [1.0, 1.0, 0.25]], ids=str)
def test_intervals_of_values_are_gaffkes_bound(values):
    assert confidence_interval(values) == pytest.approx(bound_plainly(values), abs=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_intervals_of_differences_are_students(seed):
    x, y = np.random.default_rng(seed).random((2, 40))
    expected = stats.ttest_rel(x, y).confidence_interval(0.9)
    assert confidence_interval(x, y, level=0.9) == pytest.approx(tuple(expected))


def test_intervals_of_few_differences_are_gaffkes_bound_and_say_so():
    x = np.array([0.5, 0.9] + [0.3] * 8)
    y = np.array([0.1, 1.0] + [0.3] * 8)
    with pytest.warns(EvaluationWarning, match="only 2 of 10 topics differ"):
        found = confidence_interval(x, y)
    low, high = bound_plainly((x - y + 1) / 2)
    assert found == pytest.approx((2 * low - 1, 2 * high - 1), abs=0.02)
    with pytest.warns(EvaluationWarning, match="only 2 of 10"):
        assert confidence_interval(y, x) == pytest.approx((-found.high, -found.low), abs=0.01)


def test_equal_systems_have_an_interval_that_shrinks_with_the_topics():
    with pytest.warns(EvaluationWarning, match="only 0 of 183 topics differ"):
        low, high = confidence_interval([0.7] * 183, [0.7] * 183)
    assert (low, high) == pytest.approx((0.025 ** (1 / 183) - 1, 1 - 0.025 ** (1 / 183)))


def test_values_without_a_range_have_students_interval_and_say_so():
    values = np.random.default_rng(0).poisson(30, 50).astype(float)
    with pytest.warns(EvaluationWarning, match="values without a range"):
        found = confidence_interval(values, bounds=None)
    assert found == pytest.approx(tuple(stats.ttest_1samp(values, 0).confidence_interval()))


@pytest.mark.parametrize(
    ("arguments", "options"),
    [(([-0.1, 0.5],), {}), (([0.2, 1.5],), {}), (([0.2, 0.5], [0.2, 2.0]), {}), (([0.0, 6.0],), {"bounds": (0, 5)})],
)
def test_values_out_of_range_are_refused(arguments, options):
    with pytest.raises(ValueError, match=r"is not within bounds=.* two arguments, or bounds=None"):
        confidence_interval(*arguments, **options)


def test_intervals_need_two_topics_and_a_level():
    with pytest.raises(ValueError, match="at least 2"):
        confidence_interval([0.3])
    with pytest.raises(ValueError, match="level=95"):
        confidence_interval([0.3, 0.4], level=95)


def test_effect_size_is_the_mean_in_standard_deviations():
    assert effect_size([3.0, 1.0, 5.0], [1.0, 1.0, 1.0]) == pytest.approx(2 / 2)  # 2, 0, 4: mean 2, deviation 2
    assert effect_size([1.0, 1.0], [1.0, 1.0]) == 0
    assert effect_size([1.0, 2.0], [0.0, 1.0]) == np.inf


def test_p_is_never_0():
    assert bootstrap_test([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]).pvalue == 1 / 10_001
    assert bootstrap_test([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], resamples=9).pvalue == 1 / 10
    assert bootstrap_test([0.0, 0.0], [1.0, 1.0], alternative="greater").pvalue == 1.0
    assert bootstrap_test([0.0, 0.0], [1.0, 1.0], alternative="less").pvalue == 1 / 10_001


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("test", [bootstrap_test, randomisation_test, t_test])
def test_equal_systems_are_never_different(test, alternative):
    x = np.random.default_rng(0).random(50)
    assert test(x, x, alternative=alternative).pvalue == 1.0
    # 0.1 + 0.2 - 0.3 is not 0: rounding of one sign in every topic is not an improvement
    assert test([0.1 + 0.2] * 20, [0.3] * 20, alternative=alternative).pvalue == 1.0


@pytest.mark.parametrize("test", [bootstrap_test, randomisation_test, t_test])
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
def test_bad_values_are_named(test, x, y, what):
    with pytest.raises(ValueError, match=what):
        test(x, y)


@pytest.mark.parametrize(
    ("test", "options", "message"),
    [
        (bootstrap_test, {"alternative": "larger"}, "alternative='larger'"),
        (randomisation_test, {"alternative": "larger"}, "alternative='larger'"),
        (t_test, {"alternative": "larger"}, "alternative='larger'"),
        (bootstrap_test, {"resamples": 0}, "resamples=0"),
        (bootstrap_test, {"tests": 3, "alpha": 0}, "alpha=0"),
        (bootstrap_test, {"paper": "sigir2008"}, "paper='sigir2008'"),
        (bootstrap_test, {"paper": "sigir2007", "alternative": "less"}, "alternative='less'"),
        (bootstrap_test, {"cluster": ["a"]}, "one label per topic"),
        (bootstrap_test, {"cluster": ["a", "a"]}, "at least 2, got 1"),
    ],
)
def test_bad_parameters_are_named(test, options, message):
    with pytest.raises(ValueError, match=message):
        test([1, 2], [1, 2], **options)
