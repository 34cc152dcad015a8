"""Confidence intervals of means over topics, and of means of differences, for many columns at once.

One rule for tables, reports, plots and gates. Means of values in [0, 1] have Gaffke's bound, which is Clopper and
Pearson's interval if all values are 0 or 1. Means of differences between such values have Student's interval if at
least `LEAST_DIFFERENT` topics differ, and with fewer a wider bound that needs no assumption (Gaffke, on [-1, 1]).
Measures without bounds have Student's interval.
How often each covers is in the documentation of the analysis (`benchmarks/decisions.py`).

Arrays are laid out as in `resampling`, groups x columns: *sums* holds the sum of a group's values, *sizes* its number
of topics; *bounded* tells for each column whether its values, or those that differ, lie in [0, 1].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..frames.spans import Floats, Ints
from .resampling import CELLS, TOLERANCE, Seed

LEAST_DIFFERENT = 10
RESAMPLES = 10_000

Flags = NDArray[np.bool_]


class Intervals(NamedTuple):
    low: Floats
    high: Floats


def value_intervals(sums: Floats, sizes: Floats, bounded: Flags, *, level: float, seed: Seed = 0) -> Intervals:
    """Compute intervals of means of values: Gaffke's bound for *bounded* columns, else Student's interval."""
    return _combine(sums, sizes, bounded, level=level, seed=seed)


def difference_intervals(sums: Floats, sizes: Floats, bounded: Flags, *, level: float, seed: Seed = 0) -> Intervals:
    """Compute intervals of means of differences between values.

    Columns that are *bounded* and have few differences take Gaffke's bound on [-1, 1], others Student's interval.
    """
    few = bounded & differ_on_few(sums)
    shares = np.where(few, (sums + sizes[:, None]) / 2, sums)
    low, high = _combine(shares, sizes, few, level=level, seed=seed)
    return Intervals(np.where(few, 2 * low - 1, low), np.where(few, 2 * high - 1, high))


def count_different(sums: Floats) -> Ints:
    """Count in each column the topics, or groups of them, whose difference is more than rounding."""
    different: Ints = np.count_nonzero(np.abs(sums) > TOLERANCE * np.maximum(1.0, np.abs(sums).max(axis=0)), axis=0)
    return different


def differ_on_few(sums: Floats) -> Flags:
    """Tell for each column of differences whether fewer than `LEAST_DIFFERENT` topics, or groups of them, differ."""
    return count_different(sums) < LEAST_DIFFERENT


def _combine(sums: Floats, sizes: Floats, bounded: Flags, *, level: float, seed: Seed) -> Intervals:
    low = np.empty(sums.shape[1])
    high = np.empty(sums.shape[1])
    if bounded.any():
        low[bounded], high[bounded] = bounded_intervals(sums[:, bounded], sizes, level=level, seed=seed)
    if not bounded.all():
        low[~bounded], high[~bounded] = t_intervals(sums[:, ~bounded], sizes, level=level)
    return Intervals(low, high)


def bounded_intervals(sums: Floats, sizes: Floats, *, level: float, seed: Seed = 0) -> Intervals:
    """Compute intervals of means of values that cannot leave [0, 1].

    Each resample weights the topics at random (Dirichlet), and with them one topic more, which for the lower end has
    the value 0 and for the upper end 1: a topic that was not seen could be that bad, or that good. Columns that hold
    only 0 and 1, or one value, are computed exactly: the weight of k of n topics has a beta distribution.

    Source: N. Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
    variable, Mathematical Methods of Statistics 14(4), 2005; E. Learned-Miller and P. Thomas, A new confidence
    interval for the mean of a bounded random variable, 2019.
    """
    rng = np.random.default_rng(seed)
    groups, columns = sums.shape
    low = np.empty((RESAMPLES, columns))
    unseen = np.empty(RESAMPLES)
    block = max(1, CELLS // max(groups + 1, columns))
    for begin in range(0, RESAMPLES, block):
        rows = slice(begin, min(begin + block, RESAMPLES))
        weights = rng.standard_exponential((rows.stop - begin, groups + 1))
        extra = weights[:, -1] * sizes.mean()
        total = weights[:, :-1] @ sizes + extra
        low[rows] = weights[:, :-1] @ sums / total[:, None]
        unseen[rows] = extra / total
    tail = (1 - level) / 2
    high = np.quantile(low + unseen[:, None], 1 - tail, axis=0).clip(max=1.0)
    drawn = Intervals(np.quantile(low, tail, axis=0), high)
    return _solve_exactly(sums, drawn, tail) if (sizes == 1).all() else drawn


def band_intervals(values: Floats, confidence: float) -> Intervals:
    """Compute the band around a curve: the interval of each point's mean over topics (topics x points, in [0, 1])."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: the level of confidence lies between 0 and 1, as 0.95 does")
    if len(values) < 2:
        raise ValueError("a band of confidence is made over topics and needs at least 2")
    return bounded_intervals(values, np.ones(len(values)), level=confidence)


def _solve_exactly(values: Floats, drawn: Intervals, tail: float) -> Intervals:
    """Return the intervals that were *drawn*, but the exact ones of columns of hits and of columns of one value."""
    from scipy.special import betaincinv

    topics = len(values)
    hits = np.count_nonzero(values == 1, axis=0)
    are_hits = hits + np.count_nonzero(values == 0, axis=0) == topics
    # the weight of the hits, without and with the topic that was not seen
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), topics + 1 - hits, tail), 0.0)
    high = np.where(hits < topics, betaincinv(hits + 1, np.maximum(topics - hits, 1), 1 - tail), 1.0)
    are_equal = ~are_hits & (np.ptp(values, axis=0) <= TOLERANCE)
    share = betaincinv(topics, 1, tail)
    return Intervals(
        np.select([are_hits, are_equal], [low, values[0] * share], drawn.low),
        np.select([are_hits, are_equal], [high, 1 - (1 - values[0]) * share], drawn.high),
    )


def t_intervals(sums: Floats, sizes: Floats, *, level: float) -> Intervals:
    """Compute Student's intervals of means; of groups of topics those of the ratio of their sums to their sizes."""
    import scipy.stats

    means = sums.sum(axis=0) / sizes.sum()
    reach = t_error(sums, sizes) * scipy.stats.t.isf((1 - level) / 2, len(sums) - 1)
    return Intervals(means - reach, means + reach)


def t_error(sums: Floats, sizes: Floats) -> Floats:
    groups = len(sums)
    total = sizes.sum()
    residuals = sums - sums.sum(axis=0) / total * sizes[:, None]
    residuals[np.abs(residuals) <= TOLERANCE * np.abs(sums).max(axis=0)] = 0.0
    if groups < 2:
        return np.full(sums.shape[1], np.nan)
    error: Floats = np.sqrt((residuals**2).sum(axis=0) * groups / (groups - 1)) / total
    return error


def describe_differences(different: int, topics: int) -> str:
    """Say that an interval of differences is wide, because only so many topics of all differ; '' if it is not."""
    if different >= LEAST_DIFFERENT:
        return ""
    return (
        f"only {different} of {topics} topics differ, so the interval of the difference is the wide, assumption-free "
        "one (Gaffke)"
    )


UNBOUNDED_NOTE = (
    "values without a range have Student's interval, which misses more often than it says if the topics are few or "
    "their values skewed"
)
