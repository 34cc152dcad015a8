"""Is the difference between two systems real, how large is it, and how many topics would it take to see it?

Values are those of one measure, one per topic, of two systems on the same topics in the same order.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ...errors import check_choice
from ...evaluation.resampling import TOLERANCE, bca_interval, count_exceeding, group
from ...frames.spans import Floats

ALTERNATIVES = ("two-sided", "greater", "less")
PAPERS = ("sigir2007",)

_RESAMPLES = 10_000
_PAPER_RESAMPLES = 1000

Seed = int | np.random.Generator | None


class PairedTestResult(NamedTuple):
    """What a paired test found: the mean difference, and how probable one as extreme is between equal systems."""

    statistic: float
    pvalue: float


class Interval(NamedTuple):
    """A confidence interval of a mean."""

    low: float
    high: float


def bootstrap_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: str = "two-sided",
    paper: str | None = None,
    cluster: ArrayLike | None = None,
    tests: int = 1,
    resamples: int | None = None,
    alpha: float = 0.05,
    seed: Seed = 0,
) -> PairedTestResult:
    """Test whether systems *x* and *y* differ, by resampling the topics (paired bootstrap, studentised).

    x, y: values of the two systems, one per topic, in the same order of topics. The differences are shifted to a mean
    of 0, as if the systems were equal, and resampled with replacement *resamples* times; b is how often their mean, in
    units of its standard error, comes out at least as extreme as the one observed, and p = (b + 1) / (resamples + 1).

    alternative: 'two-sided' (default: x and y differ), 'greater' (x is better) or 'less'. Fix it before seeing the
      data: choosing the side that the data favour doubles the rate of false alarms.
    paper: 'sigir2007' tests as that paper does: one-tailed (x is better), means that are not studentised, 1,000
      resamples.
    cluster: one label per topic; topics of one label (say, several queries of one information need) are resampled
      together.
    tests: how many tests the p-value will be corrected for. It raises the number of resamples, 10,000 by default, where
      p could not fall well below alpha / tests otherwise; *resamples* sets it outright.
    seed: the same seed gives the same p; None draws afresh.

    Returns (statistic, pvalue): the mean of x - y, and p in (0, 1]. It plugs into PyTerrier as it is,
    `pt.Experiment(..., baseline=0, test=bootstrap_test, correction='holm')`.
    Raises ValueError unless x and y are sequences of numbers of the same length, with at least 2 topics.
    Source: Efron and Tibshirani, An Introduction to the Bootstrap, algorithm 16.2; Sakai, SIGIR 2006 (studentised);
    Kamps, Lalmas and Pehcevski, SIGIR 2007, section 3.
    """
    alternative, resamples = _follow_paper(paper, alternative, resamples)
    values = paired(x, y)
    n = enough_resamples(resamples, tests, alpha)
    sums, sizes = group(values[:, :1] - values[:, 1:], cluster)
    if len(sums) < 2:
        raise ValueError(f"the bootstrap resamples topics, or their groups, and needs at least 2, got {len(sums)}")
    scale = np.abs(values).max(keepdims=True)[0]
    exceeded = count_exceeding(
        sums, sizes, scale=scale, alternative=alternative, resamples=n, seed=seed, studentised=paper is None
    )
    return PairedTestResult(float((values[:, 0] - values[:, 1]).mean()), float(exceeded[0] + 1) / (n + 1))


def randomisation_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: str = "two-sided",
    cluster: ArrayLike | None = None,
    resamples: int | None = None,
    seed: Seed = 0,
) -> PairedTestResult:
    """Test whether systems *x* and *y* differ, by exchanging them topic by topic (Fisher's randomisation test).

    Were the systems equal, each topic's two values could as well be the other way round. p is the share of such
    exchanges, all of them where there are no more than *resamples* (10,000 by default), that make a mean difference at
    least as extreme. alternative, cluster, seed and the result are as for `bootstrap_test`; topics of one cluster are
    exchanged together. Source: Smucker, Allan and Carterette, CIKM 2007; scipy.stats.permutation_test.
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    values = paired(x, y)
    n = enough_resamples(resamples, 1, 0.05)
    difference = values[:, 0] - values[:, 1]
    # differences that are rounding would otherwise be told from 0
    difference[np.abs(difference) <= TOLERANCE * np.abs(values).max()] = 0.0
    sums, _ = group(difference[:, None], cluster)
    result = stats.permutation_test(
        (sums[:, 0], np.zeros(len(sums))),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=n,
        rng=np.random.default_rng(seed),
    )
    return PairedTestResult(float(difference.mean()), float(result.pvalue))


def t_test(x: ArrayLike, y: ArrayLike, *, alternative: str = "two-sided") -> PairedTestResult:
    """Test whether systems *x* and *y* differ by Student's paired t-test (scipy.stats.ttest_rel).

    Returns (statistic, pvalue): the mean of x - y and p; p is 1 where the systems are equal on every topic.
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    values = paired(x, y)
    difference = values[:, 0] - values[:, 1]
    noise = TOLERANCE * np.abs(values).max()
    if np.ptp(difference) <= noise:  # scipy warns of lost precision and gives NaN where all differences are 0
        mean = float(difference.mean())
        one_sided = {"greater": mean > noise, "less": mean < -noise, "two-sided": abs(mean) > noise}
        return PairedTestResult(mean, 0.0 if one_sided[alternative] else 1.0)
    result: Any = stats.ttest_rel(values[:, 0], values[:, 1], alternative=alternative)
    return PairedTestResult(float(difference.mean()), float(result.pvalue))


def confidence_interval(
    values: ArrayLike,
    *,
    level: float = 0.95,
    cluster: ArrayLike | None = None,
    resamples: int = _RESAMPLES,
    seed: Seed = 0,
) -> Interval:
    """Compute the confidence interval of a mean over topics, by the BCa bootstrap.

    values: one per topic: those of a system, or the differences between two. cluster and seed are as for
    `bootstrap_test`. Raises ValueError for fewer than 2 topics and values that are not numbers.
    Source: Efron and Tibshirani, An Introduction to the Bootstrap, section 14.3.
    """
    if not 0 < level < 1:
        raise ValueError(f"level={level!r}: the level of confidence lies between 0 and 1")
    given = np.asarray(values, dtype=np.float64)
    if given.ndim != 1:
        raise ValueError(f"values must be one number per topic, got an array of shape {given.shape}")
    column = _check_finite(given[:, None])
    sums, sizes = group(column, cluster)
    if len(sums) < 2:
        raise ValueError(f"the bootstrap resamples topics, or their groups, and needs at least 2, got {len(sums)}")
    low, high = bca_interval(sums, sizes, level=level, resamples=enough_resamples(resamples, 1, 0.05), seed=seed)
    return Interval(float(low[0]), float(high[0]))


def effect_size(x: ArrayLike, y: ArrayLike) -> float:
    """Compute the paired effect size: the mean of x - y in units of its standard deviation (Cohen's d_z).

    0 for equal systems, infinite where the difference is the same on every topic. About 0.2 is called small, 0.5
    medium, 0.8 large (Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988).
    """
    values = paired(x, y)
    return float(effect_sizes(values[:, :1] - values[:, 1:], np.abs(values).max(keepdims=True)[0])[0])


def effect_sizes(differences: Floats, scale: Floats) -> Floats:
    """Compute the effect size of each column of topics x pairs; *scale* is the largest value of each column."""
    mean = differences.mean(axis=0)
    deviation = differences.std(axis=0, ddof=1)
    mean = np.where(np.abs(mean) <= TOLERANCE * scale, 0.0, mean)
    deviation = np.where(deviation <= TOLERANCE * scale, 0.0, deviation)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / deviation)


def topics_needed(
    effect_size: float, *, power: float = 0.8, alpha: float = 0.05, alternative: str = "two-sided"
) -> int | float:
    """Compute how many topics a paired t-test needs to find an effect of this size with this probability.

    effect_size: as `effect_size` gives it, or the column of `pairwise`. power: the wanted probability that the test
    comes out significant at *alpha*. Returns a whole number of at least 2, and infinity for an effect of 0.
    Source: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988; Sakai, Laboratory Experiments in
    Information Retrieval, 2018.
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    numbers = all(isinstance(value, Real) for value in (effect_size, power, alpha))
    if not numbers or not 0 < alpha < power < 1 or math.isnan(effect_size):
        raise ValueError(
            f"effect_size={effect_size!r}, alpha={alpha!r}, power={power!r}: give numbers, with 0 < alpha < power < 1"
        )
    d = {"two-sided": abs(effect_size), "greater": effect_size, "less": -effect_size}[alternative]
    if d <= 0 or math.isinf(d):
        return 2 if d > 0 else math.inf
    tail = alpha / 2 if alternative == "two-sided" else alpha

    def power_of(n: int) -> float:
        critical = stats.t.isf(tail, n - 1)
        found = stats.nct.sf(critical, n - 1, d * math.sqrt(n))
        return float(found + stats.nct.cdf(-critical, n - 1, d * math.sqrt(n)) if alternative == "two-sided" else found)

    high = 2
    while power_of(high) < power:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high


def paired(x: ArrayLike, y: ArrayLike) -> Floats:
    """Check the values of two systems and lay them side by side: topics x 2."""
    columns = [np.asarray(values, dtype=np.float64) for values in (x, y)]
    if columns[0].ndim != 1 or columns[0].shape != columns[1].shape:
        shapes = " and ".join(str(column.shape) for column in columns)
        raise ValueError(f"a paired test needs one value per topic of both systems, in one order; got shapes {shapes}")
    values = _check_finite(np.stack(columns, axis=1))
    if len(values) < 2:
        raise ValueError(f"a paired test needs at least 2 topics, got {len(values)}")
    return values


def enough_resamples(resamples: int | None, tests: int, alpha: float) -> int:
    """As asked for, or so many that the lowest p there can be, 1 / (B + 1), is at most a quarter of alpha / tests."""
    if not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r}: the level of significance is a number between 0 and 1")
    wanted = max(_RESAMPLES, math.ceil(4 * tests / alpha)) if resamples is None else resamples
    if not isinstance(tests, Integral) or not isinstance(wanted, Integral) or tests < 1 or wanted < 1:
        raise ValueError(f"tests={tests!r}, resamples={resamples!r}: both are counts of at least 1")
    return wanted


def _follow_paper(paper: str | None, alternative: str, resamples: int | None) -> tuple[str, int | None]:
    """The alternative and the number of resamples, by themselves or as a paper has them."""
    check_choice("alternative", alternative, ALTERNATIVES)
    if paper is None:
        return alternative, resamples
    check_choice("paper", paper, PAPERS)
    if alternative == "less":
        raise ValueError(f"alternative={alternative!r}: paper={paper!r} tests whether the first system is better")
    return "greater", _PAPER_RESAMPLES if resamples is None else resamples


def _check_finite(values: Floats) -> Floats:
    good = np.isfinite(values).all(axis=1)
    if not good.all():
        bad = int(np.argmin(good))
        raise ValueError(f"topic {bad} (from 0): {values[bad].tolist()} is missing or infinite; give numbers")
    return values
