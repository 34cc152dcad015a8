"""Do two measures rank the systems alike? Kendall's tau, tau_AP, and the upsets between them.

Systems are ranked by their mean, the highest first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import kendalltau

from ...frames.spans import Ints
from .pairs import AnyMeasure, MeasureValues, Results, pairwise, power_of, round_means, values_of


class MeasureComparison(NamedTuple):
    """How two measures rank the same systems.

    Args:
        systems: `name, first_mean, first_rank, second_mean, second_rank, shift` (places gained under the second;
            negative: lost), in order of the first's ranking; ranks from 1, equal means in order of name.
        tau: Kendall's tau-b of the two columns of means, in [-1, 1]; NaN if a measure gives all systems one mean.
        tau_ap: AP correlation in [-1, 1] of the second's ranking with the first's as the truth; unlike tau it punishes
            an upset near the top more. NaN as tau.
        rbo: Rank-biased overlap of the two rankings, in [0, 1], with p = 0.9.
        upsets: Pairs of systems that the measures put in opposite orders, the widest first: `first_prefers,
            second_prefers` (names), `first_difference, second_difference` (means, above 0), and whether each is
            significant.
        power: `discriminative_power` of the two measures, over the same pairs.
    """

    first: str
    second: str
    systems: pd.DataFrame
    tau: float
    tau_ap: float
    rbo: float
    upsets: pd.DataFrame
    power: pd.DataFrame


def compare_measures(results: Results, first: AnyMeasure, second: AnyMeasure, **options: Any) -> MeasureComparison:
    """Compare the rankings of systems by two measures of per-query results. *options* are those of `pairwise`.

    Source: Kamps, Lalmas and Pehcevski, SIGIR 2007, section 3; Yilmaz, Aslam and Robertson, SIGIR 2008 (tau_AP).

    Example:
        >>> best = {("a", "AP"): 1, ("b", "AP"): 0.5, ("a", "RR"): 0.5, ("b", "RR"): 1}
        >>> rows = [(*key, qid, value * qid / 9) for key, value in best.items() for qid in range(1, 10)]
        >>> results = pd.DataFrame(rows, columns=["name", "measure", "qid", "value"])
        >>> comparison = compare_measures(results, "AP", "RR")
        >>> comparison.tau, comparison.upsets[["first_prefers", "second_prefers"]].values.tolist()
        (-1.0, [['a', 'b']])
    """
    (a,) = values_of(results, first)
    (b,) = values_of(results, second)
    if set(a.names) != set(b.names):
        raise ValueError(f"{a.measure} and {b.measure} were not measured on the same systems: {a.names}, {b.names}")
    if a.measure == b.measure:
        raise ValueError(f"{first} and {second} are one measure, {a.measure!r}; compare two")
    pairs = pd.concat([pairwise(results, measure, **options) for measure in (a.measure, b.measure)])
    systems = _rank_systems(a, b)
    means = systems["first_mean"].to_numpy(), systems["second_mean"].to_numpy()
    tau = float(kendalltau(*means).statistic)
    by_second = systems.sort_values("second_rank")
    return MeasureComparison(
        a.measure,
        b.measure,
        systems,
        tau,
        tau_ap(means[1], means[0]),
        math.nan if math.isnan(tau) else rbo(systems["name"], by_second["name"]),
        _find_upsets(pairs, a.measure, b.measure),
        power_of(pairs),
    )


def tau_ap(estimate: ArrayLike, truth: ArrayLike) -> float:
    """Compute the AP rank correlation of two rankings of systems.

    tau_AP = 2 / (n - 1) * sum of C(i) / (i - 1), i = 2..n, - 1; C(i) is how many of the systems above rank i of the
    estimate are above that system in the truth, too. Ties count as their expected value when broken at random.

    Args:
        estimate: A value per system, the higher the better.
        truth: The values that rank the systems truly.

    Returns:
        A number in [-1, 1]; 1 for equal rankings, about 0 for unrelated ones. NaN if a side ranks all systems alike.

    Source: Yilmaz, Aslam and Robertson, SIGIR 2008.

    Example:
        >>> tau_ap([0.3, 0.2, 0.1], [0.3, 0.1, 0.2])
        0.5
    """
    x = np.asarray(estimate, dtype=np.float64)
    y = np.asarray(truth, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2 or not np.isfinite([x, y]).all():
        raise ValueError("tau_ap compares two rows of finite numbers of the same length, at least 2 systems")
    x, y = round_means(x), round_means(y)
    if not np.ptp(x) or not np.ptp(y):
        return math.nan
    # Entry [i, j]: system i is above j in the truth.
    agrees = np.where(y[:, None] == y[None, :], 0.5, y[:, None] > y[None, :])
    total = 0.0
    for value in np.unique(x):
        tied = x == value
        above = x > value
        # The share of systems above that beat one of this value, on average.
        correct = agrees[np.ix_(above, tied)].sum() / tied.sum()
        # The number of ties that come before each, as often right as wrong.
        for others in range(tied.sum()):
            ahead = above.sum() + others
            if ahead:
                total += (correct + others / 2) / ahead
    return float(2 * total / (len(x) - 1) - 1)


def rbo(first: Iterable[Hashable], second: Iterable[Hashable], p: float = 0.9) -> float:
    """Compute the rank-biased overlap of two ranked lists of ids, extrapolated to their infinite continuation.

    At each depth it takes the share that the lists have in common, weighted by (1 - p) p^(depth - 1): the first ten
    ranks have 86% of the weight at p = 0.9. Lists may differ in length and in their ids. Ids that tie
    should be in the same order in both lists, such as by name.

    Args:
        p: How far down a reader goes: the probability of looking at the next rank, above 0 and below 1.

    Returns:
        A number in [0, 1], 1 for equal lists; NaN if both lists are empty, 0 if one is.

    Source: Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010, equation 32.

    Example:
        >>> round(rbo(["a", "b", "c"], ["b", "a", "c"]), 3)
        0.9
    """
    lists = [list(first), list(second)]
    if not isinstance(p, Real) or not 0 < p < 1:
        raise ValueError(f"p={p!r}: the probability of looking at the next rank lies between 0 and 1")
    for ids in lists:
        repeated = [name for name, count in Counter(ids).items() if count > 1]
        if repeated:
            raise ValueError(f"{repeated[0]!r} is in a ranked list more than once")
    short, long = sorted(lists, key=len)
    if not short:
        return 0.0 if long else math.nan
    seen: tuple[set[Hashable], set[Hashable]] = (set(), set())
    # overlap: X_d, how many ids the first d ranks of the lists have in common
    overlap = 0
    total = 0.0
    for depth in range(1, len(long) + 1):
        overlap += long[depth - 1] in seen[0]
        seen[1].add(long[depth - 1])
        if depth <= len(short):
            seen[0].add(short[depth - 1])
            overlap += short[depth - 1] in seen[1]
        if depth == len(short):
            overlap_of_short = overlap
        total += overlap / depth * p**depth
        if depth > len(short):
            total += overlap_of_short * (depth - len(short)) / (len(short) * depth) * p**depth
    rest = (overlap - overlap_of_short) / len(long) + overlap_of_short / len(short)
    return (1 - p) / p * total + rest * p ** len(long)


def _rank_systems(a: MeasureValues, b: MeasureValues) -> pd.DataFrame:
    columns = [b.names.index(name) for name in a.names]
    second = MeasureValues(b.measure, a.names, b.qids, b.values[:, columns])
    table = pd.DataFrame(
        {
            "name": a.names,
            "first_mean": a.means,
            "first_rank": _find_ranks(a),
            "second_mean": second.means,
            "second_rank": _find_ranks(second),
        }
    )
    table["shift"] = table["first_rank"] - table["second_rank"]
    return table.sort_values("first_rank", ignore_index=True)


def _find_ranks(scores: MeasureValues) -> Ints:
    ranks = np.empty(len(scores.names), dtype=np.int64)
    ranks[scores.ranking()] = np.arange(1, len(ranks) + 1)
    return ranks


def _find_upsets(pairs: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    chosen = ["better", "worse", "better_rank", "worse_rank", "difference", "significant"]
    a, b = (pairs.loc[pairs["measure"] == measure, chosen] for measure in (first, second))
    both = a.merge(b, left_on=["better", "worse"], right_on=["worse", "better"], suffixes=("_first", "_second"))
    both = both[(both["difference_first"] > 0) & (both["difference_second"] > 0)]
    width = (both["worse_rank_first"] - both["better_rank_first"]) + (
        both["worse_rank_second"] - both["better_rank_second"]
    )
    both = both.iloc[np.argsort(-width.to_numpy(), kind="stable")]
    return pd.DataFrame(
        {
            "first_prefers": both["better_first"],
            "second_prefers": both["better_second"],
            "first_difference": both["difference_first"],
            "second_difference": both["difference_second"],
            "first_significant": both["significant_first"],
            "second_significant": both["significant_second"],
        }
    ).reset_index(drop=True)
