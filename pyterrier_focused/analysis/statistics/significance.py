"""Is the difference between two systems real, and how large is it?

Values are those of one measure, one per topic, of two systems on the same topics in the same order, with at least 2
topics. `bootstrap_test` explains *alternative*, *cluster*, *tests* and *seed*.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ...errors import EvaluationWarning, check_choice, warn_caller
from ...evaluation.topic_values import (
    TOLERANCE,
    UNBOUNDED_NOTE,
    Seed,
    count_different,
    count_exceeding,
    describe_differences,
    difference_intervals,
    group,
    randomisation_p,
    value_intervals,
)
from ...frames.spans import Floats

ALTERNATIVES = ("two-sided", "greater", "less")
PAPERS = ("sigir2007",)

_RESAMPLES = 10_000


class PairedTestResult(NamedTuple):
    """The result of a paired test: the mean difference, and p.

    Args:
        pvalue: The probability of a difference at least this large between equal systems.
    """

    statistic: float
    pvalue: float


class Interval(NamedTuple):
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
    """Test whether systems *x* and *y* differ, by resampling the topics (paired bootstrap).

    The differences are shifted to a mean of 0, as if the systems were equal, and resampled with replacement
    *resamples* times; b counts how often their mean is at least as extreme as the observed one, and
    p = (b + 1) / (resamples + 1). With few topics it finds too many differences: use `randomisation_test`.

    Args:
        alternative: 'two-sided' (x and y differ), 'greater' (x is better) or 'less'. Fix it before seeing the data:
            choosing the side that the data favour doubles the rate of false alarms.
        paper: 'sigir2007' tests as that paper does: one-tailed (x is better), 1,000 resamples.
        cluster: One label per topic; topics of one label (say, several queries of one information need) are resampled
            together.
        tests: How many tests the p-value will be corrected for. It raises the number of resamples, 10,000 by default,
            if p could not fall well below alpha / tests otherwise; *resamples* sets it outright.
        resamples: How often the topics are resampled.
        seed: The same seed gives the same p; None draws afresh.

    Returns:
        (statistic, pvalue): the mean of x - y, and p in (0, 1].

    Source: Kamps, Lalmas and Pehcevski, SIGIR 2007, section 3; Efron and Tibshirani, An Introduction to the Bootstrap.

    Example:
        >>> result = bootstrap_test([0.5, 0.4, 0.9], [0.2, 0.1, 0.8])
        >>> round(result.statistic, 3)
        0.233
    """
    alternative, resamples = _follow_paper(paper, alternative, resamples)
    values = paired(x, y)
    n = enough_resamples(resamples, tests, alpha)
    sums, sizes = group(values[:, :1] - values[:, 1:], cluster)
    if len(sums) < 2:
        raise ValueError(f"the bootstrap resamples topics, or their groups, and needs at least 2, got {len(sums)}")
    scale = np.abs(values).max(keepdims=True)[0]
    exceeded = count_exceeding(sums, sizes, scale=scale, alternative=alternative, resamples=n, seed=seed)
    return PairedTestResult(float((values[:, 0] - values[:, 1]).mean()), float(exceeded[0] + 1) / (n + 1))


def randomisation_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: str = "two-sided",
    cluster: ArrayLike | None = None,
    tests: int = 1,
    resamples: int | None = None,
    alpha: float = 0.05,
    seed: Seed = 0,
) -> PairedTestResult:
    """Test whether systems *x* and *y* differ, by exchanging them topic by topic (Fisher's randomisation test).

    If the systems were equal, each topic's two values could as well be the other way round. p is the share of such
    exchanges that make a mean difference at least as extreme. All are counted if the systems differ on 30 topics or
    fewer; else *resamples* are drawn. If b of them go as far to the same side, p = min(1, 2 (b + 1) / (resamples + 1)),
    or (b + 1) / (resamples + 1) if one side is tested.

    Args:
        cluster: One label per topic; topics of one label are exchanged together.
        resamples: How many exchanges are drawn, 10,000 by default.

    Returns:
        (statistic, pvalue): the mean of x - y, and p. It plugs into PyTerrier as it is,
        `pt.Experiment(..., baseline=0, test=randomisation_test, correction="holm")`.

    Source: Smucker, Allan and Carterette, CIKM 2007.

    Example:
        >>> randomisation_test([0.5, 0.4, 0.9], [0.2, 0.1, 0.8]).pvalue
        0.25
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    values = paired(x, y)
    n = enough_resamples(resamples, tests, alpha)
    difference = values[:, 0] - values[:, 1]
    sums, _ = group(difference[:, None], cluster)
    scale = np.abs(values).max(keepdims=True)[0]
    p = randomisation_p(sums, scale=scale, alternative=alternative, resamples=n, seed=seed)
    return PairedTestResult(float(difference.mean()), float(p[0]))


def t_test(x: ArrayLike, y: ArrayLike, *, alternative: str = "two-sided") -> PairedTestResult:
    """Test whether systems *x* and *y* differ by Student's paired t-test (scipy.stats.ttest_rel).

    Returns:
        (statistic, pvalue): the mean of x - y and p; p is 1 if the systems are equal on every topic.

    Example:
        >>> round(t_test([0.5, 0.4, 0.9], [0.2, 0.1, 0.8]).pvalue, 3)
        0.073
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    values = paired(x, y)
    difference = values[:, 0] - values[:, 1]
    noise = TOLERANCE * np.abs(values).max()
    # scipy warns of lost precision and gives NaN if all differences are 0.
    if np.ptp(difference) <= noise:
        mean = float(difference.mean())
        one_sided = {"greater": mean > noise, "less": mean < -noise, "two-sided": abs(mean) > noise}
        return PairedTestResult(mean, 0.0 if one_sided[alternative] else 1.0)
    result: Any = stats.ttest_rel(values[:, 0], values[:, 1], alternative=alternative)
    return PairedTestResult(float(difference.mean()), float(result.pvalue))


def confidence_interval(
    x: ArrayLike,
    y: ArrayLike | None = None,
    *,
    bounds: tuple[float, float] | None = (0.0, 1.0),
    level: float = 0.95,
    cluster: ArrayLike | None = None,
    seed: Seed = 0,
) -> Interval:
    """Compute the confidence interval of a system's mean over topics, or of the mean difference of two systems.

    Of values within *bounds* it is Gaffke's bound, which holds for any such values, and for values of 0 and 1 is
    Clopper and Pearson's interval. Of differences it is Student's interval if at least ten topics differ, else Gaffke's
    bound, with an EvaluationWarning that says how few differ.

    Args:
        y: Values of another in the same order of topics, for the interval of the mean of x - y.
        bounds: The measure's range, which both systems' values keep; None for a measure without one, such as NumRet:
            Student's interval, with an EvaluationWarning.
        level: The share of samples of topics whose interval holds the true mean.

    Returns:
        (low, high). How often each interval misses is in the documentation.

    Source: Gaffke, Mathematical Methods of Statistics 14(4), 2005.

    Example:
        >>> low, high = confidence_interval([0.0] * 18 + [0.4, 0.9])
        >>> print(f"{low:.2f} to {high:.2f}")
        0.01 to 0.26
    """
    if not 0 < level < 1:
        raise ValueError(f"level={level!r}: the level of confidence lies between 0 and 1")
    values = _read_topics(x) if y is None else paired(x, y)
    low, width = _read_bounds(bounds, values)
    shares = (values - low) / width
    column = shares[:, :1] if y is None else shares[:, :1] - shares[:, 1:]
    sums, sizes = group(column, cluster)
    if len(sums) < 2:
        raise ValueError(f"an interval needs at least 2 topics, or groups of them, got {len(sums)}")
    compute = value_intervals if y is None else difference_intervals
    ends = compute(sums, sizes, np.array([bounds is not None]), level=level, seed=seed)
    note = UNBOUNDED_NOTE
    if bounds is not None:
        note = "" if y is None else describe_differences(int(count_different(sums)[0]), len(sums))
    if note:
        warn_caller(note, EvaluationWarning)
    shift = low if y is None else 0.0
    return Interval(*(float(end[0]) * width + shift for end in ends))


def _read_topics(values: ArrayLike) -> Floats:
    given = np.asarray(values, dtype=np.float64)
    if given.ndim != 1:
        raise ValueError(f"values must be one number per topic, got an array of shape {given.shape}")
    return _check_finite(given[:, None])


def _read_bounds(bounds: tuple[float, float] | None, values: Floats) -> tuple[float, float]:
    """Return the lower bound and the width of a measure's range, (0, 1) without one, after checking the values."""
    if bounds is None:
        return 0.0, 1.0
    low, high = bounds
    if not low < high:
        raise ValueError(f"bounds={bounds!r}: give the measure's lowest and highest value, such as (0, 1)")
    outside = ((values < low) | (values > high)).any(axis=1)
    if outside.any():
        topic = int(np.argmax(outside))
        raise ValueError(
            f"topic {topic} (from 0): {values[topic].tolist()} is not within bounds={bounds!r}; give the measure's "
            "range, the two systems of a difference as two arguments, or bounds=None for a measure without a range"
        )
    return float(low), float(high - low)


def effect_size(x: ArrayLike, y: ArrayLike) -> float:
    """Compute the paired effect size: the mean of x - y in units of its standard deviation (Cohen's d_z).

    About 0.2 is called small, 0.5 medium, 0.8 large (Cohen, Statistical Power Analysis for the Behavioral Sciences,
    1988).

    Returns:
        0 for equal systems, infinity if the difference is the same on every topic.

    Example:
        >>> round(effect_size([0.5, 0.4, 0.9], [0.2, 0.1, 0.8]), 2)
        2.02
    """
    values = paired(x, y)
    return float(effect_sizes(values[:, :1] - values[:, 1:], np.abs(values).max(keepdims=True)[0])[0])


def effect_sizes(differences: Floats, scale: Floats) -> Floats:
    mean = differences.mean(axis=0)
    deviation = differences.std(axis=0, ddof=1)
    mean = np.where(np.abs(mean) <= TOLERANCE * scale, 0.0, mean)
    deviation = np.where(deviation <= TOLERANCE * scale, 0.0, deviation)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / deviation)


def paired(x: ArrayLike, y: ArrayLike) -> Floats:
    """Check the values of two systems and lay them side by side."""
    columns = [np.asarray(values, dtype=np.float64) for values in (x, y)]
    if columns[0].ndim != 1 or columns[0].shape != columns[1].shape:
        shapes = " and ".join(str(column.shape) for column in columns)
        raise ValueError(f"a paired test needs one value per topic of both systems, in one order; got shapes {shapes}")
    values = _check_finite(np.stack(columns, axis=1))
    if len(values) < 2:
        raise ValueError(f"a paired test needs at least 2 topics, got {len(values)}")
    return values


def enough_resamples(resamples: int | None, tests: int, alpha: float) -> int:
    """Return the number of resamples to draw.

    Returns:
        *resamples*, or else the number B, at least 10,000, for which the lowest possible p is below half of
        alpha / tests: 2 / (B + 1) if exchanges of two sides are drawn, else 1 / (B + 1), which is a quarter.
    """
    if not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r}: the level of significance is a number between 0 and 1")
    wanted = max(_RESAMPLES, math.ceil(4 * tests / alpha)) if resamples is None else resamples
    if not isinstance(tests, Integral) or not isinstance(wanted, Integral) or tests < 1 or wanted < 1:
        raise ValueError(f"tests={tests!r}, resamples={resamples!r}: both are counts of at least 1")
    return wanted


def _follow_paper(paper: str | None, alternative: str, resamples: int | None) -> tuple[str, int | None]:
    """Return the alternative and the number of resamples, those of a paper if one is named."""
    check_choice("alternative", alternative, ALTERNATIVES)
    if paper is None:
        return alternative, resamples
    check_choice("paper", paper, PAPERS)
    if alternative == "less":
        raise ValueError(f"alternative={alternative!r}: paper={paper!r} tests whether the first system is better")
    return "greater", 1000 if resamples is None else resamples


def _check_finite(values: Floats) -> Floats:
    good = np.isfinite(values).all(axis=1)
    if not good.all():
        bad = int(np.argmin(good))
        raise ValueError(f"topic {bad} (from 0): {values[bad].tolist()} is missing or infinite; give numbers")
    return values
