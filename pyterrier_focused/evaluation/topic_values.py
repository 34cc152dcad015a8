"""Arithmetic on values by topic: resampling, randomisation, confidence intervals, and which system leads.

Arrays are groups x columns: a column is a pair of systems (or one system), a group one topic, or topics that belong
together and are resampled or exchanged together. *sums* holds the sum of a group's values, *sizes* its number of
topics; *bounded* tells for each column whether its values, or those that differ, lie in [0, 1]. All columns share the
same resamples, which is what makes many pairs cheap (scipy.stats.bootstrap would draw others for each, and knows no
groups).

One rule for intervals in tables, reports, plots and gates. Means of values in [0, 1] have Gaffke's bound, which is
Clopper and Pearson's interval if all values are 0 or 1. Means of differences between such values have Student's
interval if at least `LEAST_DIFFERENT` topics differ, and with fewer a wider bound that needs no assumption (Gaffke, on
[-1, 1]). Measures without bounds have Student's interval. How often each covers is in the documentation of the analysis
(`benchmarks/decisions.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..frames.spans import Floats, Ints

Seed = int | np.random.Generator | None
Flags = NDArray[np.bool_]

# of the largest value: differences below are rounding
TOLERANCE = 1e-12
# of one block of resamples: it stays in the cache
CELLS = 200_000
# the most topics that differ of which all exchanges are counted, by two halves of 2^15 sums each
EXACT = 30
LEAST_DIFFERENT = 10
RESAMPLES = 10_000
_ALPHA = 0.05


def group(values: Floats, cluster: ArrayLike | Sequence[Hashable] | None) -> tuple[Floats, Floats]:
    """Sum topics x columns over groups of topics that are resampled together.

    Args:
        cluster: One label per topic; None takes each topic by itself.

    Returns:
        (sums, sizes): groups x columns, and how many topics each group has.

    Example:
        >>> sums, sizes = group(np.array([[1.0], [2.0], [4.0]]), ["x", "y", "x"])
        >>> sums.tolist(), sizes.tolist()
        ([[5.0], [2.0]], [2.0, 1.0])
    """
    if cluster is None:
        return values, np.ones(len(values))
    labels = np.asarray(cluster, dtype=object)
    if labels.shape != (len(values),):
        raise ValueError(f"cluster= needs one label per topic: {len(values)} topics, labels of shape {labels.shape}")
    if pd.isna(labels).any():
        raise ValueError("cluster= has topics without a label (None or NaN)")
    codes, names = pd.factorize(labels)
    sums = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, codes, values)
    return sums, np.bincount(codes, minlength=len(names)).astype(np.float64)


def count_exceeding(
    sums: Floats, sizes: Floats, *, scale: Floats, alternative: str, resamples: int, seed: Seed
) -> Ints:
    """Count, for each column, the resamples whose mean difference is as extreme as the observed one, were it 0.

    The differences are shifted to a mean of 0 and resampled.

    Args:
        sums: Sums of the differences of each group of topics: groups x columns.
        scale: The largest value of each column.

    Example:
        >>> sums = np.zeros((3, 1))
        >>> options = {"resamples": 100, "seed": 0}
        >>> count_exceeding(sums, np.ones(3), scale=np.ones(1), alternative="greater", **options).tolist()
        [100]
    """
    means = sums.sum(axis=0) / sizes.sum()
    means[np.abs(means) <= TOLERANCE * scale] = 0.0
    residuals = sums - means * sizes[:, None]
    residuals[np.abs(residuals) <= TOLERANCE * scale] = 0.0
    exceeded = np.zeros(sums.shape[1], dtype=np.int64)
    for weights in draw_groups(len(sums), sums.shape[1], resamples, seed):
        drawn = (weights @ residuals) / (weights @ sizes)[:, None]
        exceeded += np.count_nonzero(_is_as_extreme(drawn, means, TOLERANCE * scale, alternative), axis=0)
    return exceeded


def _is_as_extreme(drawn: Floats, observed: Floats, slack: Floats, alternative: str) -> np.ndarray:
    if alternative == "two-sided":
        return np.abs(drawn) >= np.abs(observed) - slack
    return drawn >= observed - slack if alternative == "greater" else drawn <= observed + slack


def draw_groups(groups: int, columns: int, resamples: int, seed: Seed) -> Iterator[Floats]:
    """Draw groups with replacement: how often each was drawn, as blocks of resamples x groups."""
    rng = np.random.default_rng(seed)
    block = max(1, CELLS // max(groups, columns))
    for begin in range(0, resamples, block):
        rows = min(block, resamples - begin)
        drawn = rng.integers(0, groups, size=(rows, groups)) + np.arange(rows)[:, None] * groups
        yield np.bincount(drawn.ravel(), minlength=rows * groups).reshape(rows, groups).astype(np.float64)


def randomisation_p(differences: Floats, *, scale: Floats, alternative: str, resamples: int, seed: Seed) -> Floats:
    """Compute p of Fisher's randomisation test for each column: how often exchanges make a sum as extreme.

    Topics on which two systems tie take no part: exchanging equal values changes nothing. Of the m that are left, all
    2^m exchanges are counted up to `EXACT`, else *resamples* are drawn.

    Of two sides it is twice that of the observed one, at most 1.

    Args:
        differences: Topics (or groups of topics, exchanged together) x pairs of systems.
        scale: The largest value of each pair; differences that are rounding of it are ties.
        resamples: How many exchanges are drawn if there are too many to count.
        seed: Seed of the draws, which all pairs share.
    """
    differences = np.where(np.abs(differences) <= TOLERANCE * scale, 0.0, differences)
    observed = differences.sum(axis=0)
    slack = TOLERANCE * scale * len(differences)
    # a sum and its negative are equally probable, so one tail tells the other
    wanted = {"two-sided": np.abs(observed), "greater": observed, "less": -observed}[alternative] - slack
    exact = np.count_nonzero(differences, axis=0) <= EXACT
    p = np.empty(len(observed))
    for column in np.flatnonzero(exact):
        p[column] = _count_exactly(differences[differences[:, column] != 0, column], wanted[column])
    if not exact.all():
        p[~exact] = _draw_exchanges(differences[:, ~exact], wanted[~exact], resamples, seed)
    return np.minimum(2 * p, 1.0) if alternative == "two-sided" else p


def _count_exactly(differences: Floats, wanted: float) -> float:
    """Return the share of all exchanges whose sum is at least *wanted*."""
    half = len(differences) // 2
    first = _list_sums(differences[:half])
    second = np.sort(_list_sums(differences[half:]))
    below = np.searchsorted(second, wanted - first, side="left")
    return float((len(second) - below).sum() / (len(first) * len(second)))


def _list_sums(differences: Floats) -> Floats:
    """List the sums of all exchanges: [1, 2] gives 3, -1, 1 and -3, in some order."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate((sums + difference, sums - difference))
    return sums


def _draw_exchanges(differences: Floats, wanted: Floats, resamples: int, seed: Seed) -> Floats:
    """Estimate the share of exchanges whose sum is at least *wanted*; the observed one counts as drawn."""
    rng = np.random.default_rng(seed)
    topics, pairs = differences.shape
    exceeded = np.zeros(pairs, dtype=np.int64)
    block = max(1, CELLS // max(topics, pairs))
    for begin in range(0, resamples, block):
        rows = min(block, resamples - begin)
        signs = 2.0 * rng.integers(0, 2, size=(rows, topics)) - 1
        exceeded += np.count_nonzero(signs @ differences >= wanted, axis=0)
    return (exceeded + 1) / (resamples + 1)


class Intervals(NamedTuple):
    low: Floats
    high: Floats


def value_intervals(sums: Floats, sizes: Floats, bounded: Flags, *, level: float, seed: Seed = 0) -> Intervals:
    """Compute intervals of means of values: Gaffke's bound for *bounded* columns, else Student's interval."""
    low = np.empty(sums.shape[1])
    high = np.empty(sums.shape[1])
    if bounded.any():
        low[bounded], high[bounded] = bounded_intervals(sums[:, bounded], sizes, level=level, seed=seed)
    if not bounded.all():
        low[~bounded], high[~bounded] = t_intervals(sums[:, ~bounded], sizes, level=level)
    return Intervals(low, high)


def difference_intervals(sums: Floats, sizes: Floats, bounded: Flags, *, level: float, seed: Seed = 0) -> Intervals:
    """Compute intervals of means of differences between values.

    Columns that are *bounded* and have few differences take Gaffke's bound on [-1, 1], others Student's interval.
    """
    few = bounded & differ_on_few(sums)
    shares = np.where(few, (sums + sizes[:, None]) / 2, sums)
    low, high = value_intervals(shares, sizes, few, level=level, seed=seed)
    return Intervals(np.where(few, 2 * low - 1, low), np.where(few, 2 * high - 1, high))


def count_different(sums: Floats) -> Ints:
    """Count in each column the topics, or groups of them, whose difference is more than rounding."""
    different: Ints = np.count_nonzero(np.abs(sums) > TOLERANCE * np.maximum(1.0, np.abs(sums).max(axis=0)), axis=0)
    return different


def differ_on_few(sums: Floats) -> Flags:
    """Tell for each column of differences whether fewer than `LEAST_DIFFERENT` topics, or groups of them, differ."""
    return count_different(sums) < LEAST_DIFFERENT


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


@dataclass(frozen=True)
class Lead:
    """The best system and the next, their means, and p and the interval (with its kind) of the difference."""

    best: str
    second: str
    best_mean: float
    second_mean: float
    p: float
    low: float
    high: float
    interval: str
    is_significant: bool
    alpha: float = _ALPHA

    def describe(self, rivals: str = "") -> str:
        """Say who leads; *rivals* ends the sentence with others that it beats significantly."""
        if self.best_mean <= self.second_mean:
            return f"{self.best} and {self.second} are level at {self.best_mean:.3f}."
        shown = "< .001" if self.p < 0.001 else f"= {self.p:.3f}".replace("0.", ".")
        certainty = (
            f"p {shown}; difference {self.best_mean - self.second_mean:.3f}, {1 - self.alpha:.0%} interval "
            f"{self.low:.3f} to {self.high:.3f} ({self.interval})"
        )
        verdict = "is best" if self.is_significant else "is ahead, but not for certain"
        means = f"{self.best_mean:.3f} against {self.second_mean:.3f} of {self.second}"
        return f"{self.best} {verdict}: {means} ({certainty}){rivals}."


def compare_two(names: tuple[str, str], values: Floats, is_share: bool) -> Lead:
    """Compare two systems by the two-sided randomisation test over topics; *values* has a row for each."""
    means = [float(f"{mean:.15g}") for mean in values.mean(axis=1).tolist()]
    better, worse = sorted((0, 1), key=lambda k: (-means[k], names[k]))
    scale = np.array([np.abs(values).max()])
    differences = (values[better] - values[worse])[:, None]
    differences[np.abs(differences) <= TOLERANCE * scale] = 0.0
    p = float(randomisation_p(differences, scale=scale, alternative="two-sided", resamples=RESAMPLES, seed=0)[0])
    bounded = np.array([is_share])
    ends = difference_intervals(differences, np.ones(len(differences)), bounded, level=1 - _ALPHA)
    return Lead(
        names[better],
        names[worse],
        means[better],
        means[worse],
        p,
        float(ends.low[0]),
        float(ends.high[0]),
        "Gaffke" if is_share and differ_on_few(differences)[0] else "Student",
        p <= _ALPHA and means[better] > means[worse],
    )
