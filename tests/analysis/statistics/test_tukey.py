"""Tukey's HSD against a textbook's analysis of variance, R's ranges, and statsmodels; its family's level."""

import functools

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy.stats import studentized_range

from pyterrier_focused.analysis import pairwise
from pyterrier_focused.analysis.statistics.tukey import Anova

# D. Montgomery, Design and Analysis of Experiments, table 4.3: yields at four pressures (columns) in six batches
GRAFTS = np.array([
    [90.3, 92.5, 85.5, 82.5], [89.2, 89.5, 90.8, 89.5], [98.2, 90.6, 89.6, 85.6],
    [93.9, 94.7, 86.2, 87.4], [87.4, 87.0, 88.0, 78.9], [97.9, 95.8, 93.4, 90.7],
])  # fmt: skip


def test_the_error_is_that_of_the_textbook():
    anova = Anova.of(GRAFTS)
    assert anova.degrees == 15
    assert anova.error**2 * 6 == pytest.approx(7.33, abs=0.005)  # table 4.4: mean square of the error


def test_the_critical_range_is_that_of_the_tables():
    assert Anova.of(GRAFTS).reach(0.05) == pytest.approx(4.08 * np.sqrt(7.33 / 6), rel=2e-3)  # q(.05; 4, 15) = 4.08


def test_pairs_are_those_of_a_linear_model(per_query):
    rng = np.random.default_rng(1)
    values = rng.random((25, 1)) + rng.normal(0, 0.2, (25, 4)) + np.array([0, 0.05, 0.1, 0.3])
    results = per_query(values)
    model = smf.ols("value ~ C(qid) + C(name)", results).fit()
    pairs = pairwise(results, test="tukey")
    q = pairs["difference"] / np.sqrt(model.mse_resid / 25)
    assert pairs["p"].tolist() == pytest.approx(studentized_range.sf(q, 4, model.df_resid).tolist())
    assert ((pairs["low"] > 0) == (pairs["p"] < 0.05)).all()
    assert pairs["significant"].tolist() == (pairs["p"] <= 0.05).tolist()
    assert "p_corrected" not in pairs


@pytest.mark.parametrize("test", [pytest.param("tukey", marks=pytest.mark.long), "randomised tukey"])
def test_equal_systems_have_a_false_alarm_in_one_family_of_twenty(per_query, test, monkeypatch):
    # sixty times the same critical range, which takes scipy longer than all the rest
    monkeypatch.setattr(studentized_range, "isf", functools.cache(studentized_range.isf))
    rng = np.random.default_rng(3)
    alarms = [
        pairwise(per_query(rng.random((30, 5))), test=test, resamples=399)["significant"].any() for _ in range(60)
    ]
    assert np.mean(alarms) <= 0.15


def test_the_randomised_test_agrees_if_values_are_normal(per_query):
    rng = np.random.default_rng(5)
    results = per_query(rng.normal(0.5, 0.1, (60, 4)) + np.array([0, 0.01, 0.03, 0.05]))
    exact, drawn = (pairwise(results, test=test)["p"] for test in ("tukey", "randomised tukey"))
    assert np.allclose(exact, drawn, atol=0.03)


def test_systems_that_never_vary_are_equal_or_different(per_query):
    pairs = pairwise(per_query(np.tile([0.5, 0.5, 0.7], (20, 1))), test="tukey")
    assert pairs["p"].tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"alternative": "greater"}, "leave alternative="),
        ({"correction": "fdr_bh"}, "leave correction='fdr_bh' out"),
        ({"cluster": {"0": 1, "1": 2}}, "cluster="),
    ],
)
def test_what_it_cannot_do_is_refused(per_query, options, what):
    with pytest.raises(ValueError, match=what):
        pairwise(per_query(np.eye(2)), test="tukey", **options)


def test_a_measure_needs_rows():
    with pytest.raises(ValueError, match="lack the columns"):
        pairwise(pd.DataFrame(), test="tukey")
