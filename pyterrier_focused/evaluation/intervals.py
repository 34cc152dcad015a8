"""Confidence intervals of means over topics, for many columns at once.

Arrays are laid out as in `resampling`, groups x columns: *sums* holds the sum of a group's values, *sizes* its number
of topics. Which interval covers how often is in the documentation of the analysis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..frames.spans import Floats
from .resampling import CELLS, TOLERANCE, Seed

# topics below which an interval covers too seldom, and the share of tied topics above which it does
FEW_TOPICS = 20
MANY_TIES = 0.5


class Intervals(NamedTuple):
    """The ends of the interval of each column."""

    low: Floats
    high: Floats


def mean_intervals(sums: Floats, sizes: Floats, *, level: float, resamples: int, seed: Seed) -> Intervals:
    """Compute intervals of means: `bounded_intervals` of columns within [0, 1], `t_intervals` of the others."""
    values = sums / sizes[:, None]
    bounded = ((values >= 0) & (values <= 1)).all(axis=0)
    found = t_intervals(sums, sizes, level=level)
    if bounded.any():
        within = bounded_intervals(sums[:, bounded], sizes, level=level, resamples=resamples, seed=seed)
        found.low[bounded] = within.low
        found.high[bounded] = within.high
    return found


def bounded_intervals(sums: Floats, sizes: Floats, *, level: float, resamples: int, seed: Seed) -> Intervals:
    """Compute intervals of means of values that cannot leave [0, 1].

    Each resample weights the topics at random (Dirichlet), and with them one topic more, which for the lower end has
    the value 0 and for the upper end 1: a topic that was not seen could be that bad, or that good. If all values are 0
    or 1, this is Clopper and Pearson's interval.

    Source: N. Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
    variable, Mathematical Methods of Statistics 14(4), 2005; E. Learned-Miller and P. Thomas, A new confidence
    interval for the mean of a bounded random variable, 2019.
    """
    rng = np.random.default_rng(seed)
    groups, columns = sums.shape
    low = np.empty((resamples, columns))
    unseen = np.empty(resamples)
    block = max(1, CELLS // max(groups + 1, columns))
    for begin in range(0, resamples, block):
        rows = slice(begin, min(begin + block, resamples))
        weights = rng.standard_exponential((rows.stop - begin, groups + 1))
        extra = weights[:, -1] * sizes.mean()
        total = weights[:, :-1] @ sizes + extra
        low[rows] = weights[:, :-1] @ sums / total[:, None]
        unseen[rows] = extra / total
    tail = (1 - level) / 2
    return Intervals(np.quantile(low, tail, axis=0), np.quantile(low + unseen[:, None], 1 - tail, axis=0).clip(max=1.0))


def t_intervals(sums: Floats, sizes: Floats, *, level: float) -> Intervals:
    """Compute Student's intervals of means; of groups of topics those of the ratio of their sums to their sizes."""
    import scipy.stats

    groups = len(sums)
    total = sizes.sum()
    means = sums.sum(axis=0) / total
    residuals = sums - means * sizes[:, None]
    residuals[np.abs(residuals) <= TOLERANCE * np.abs(sums).max(axis=0)] = 0.0
    error = np.sqrt((residuals**2).sum(axis=0) * groups / (groups - 1)) / total
    reach = error * scipy.stats.t.isf((1 - level) / 2, groups - 1)
    return Intervals(means - reach, means + reach)


def coverage_note(topics: int, tied: float) -> str:
    """Say why intervals over so few topics, of which this share ties, cover less than they claim; '' if they do not."""
    if topics < FEW_TOPICS:
        return f"intervals over {topics} topics cover less often than they claim; measure {FEW_TOPICS} or more"
    if tied > MANY_TIES:
        return (
            f"{tied:.0%} of the topics tie, and intervals of such differences cover less often than they claim; trust "
            "the randomisation test, or measure more topics"
        )
    return ""
