"""Do two measures rank the systems alike? Kendall's tau, and the upsets between them.

Systems are ranked by their mean, the highest first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from ...frames.spans import Ints
from .pairs import AnyMeasure, MeasureValues, Results, pairwise, power_of, values_of


class MeasureComparison(NamedTuple):
    """How two measures rank the same systems.

    Args:
        systems: `name, first_mean, first_rank, second_mean, second_rank, shift` (places gained under the second;
            negative: lost), in order of the first's ranking; ranks from 1, equal means in order of name.
        tau: Kendall's tau-b of the two columns of means, in [-1, 1]; NaN if a measure gives all systems one mean.
        upsets: Pairs of systems that the measures put in opposite orders, the widest first: `first_prefers,
            second_prefers` (names), `first_difference, second_difference` (means, above 0), and whether each is
            significant.
        power: `discriminative_power` of the two measures, over the same pairs.
    """

    first: str
    second: str
    systems: pd.DataFrame
    tau: float
    upsets: pd.DataFrame
    power: pd.DataFrame


def compare_measures(results: Results, first: AnyMeasure, second: AnyMeasure, **options: Any) -> MeasureComparison:
    """Compare the rankings of systems by two measures of per-query results. *options* are those of `pairwise`.

    Source: Kamps, Lalmas and Pehcevski, SIGIR 2007, section 3.

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
    tau = float(kendalltau(systems["first_mean"], systems["second_mean"]).statistic)
    upsets = _find_upsets(pairs, a.measure, b.measure)
    return MeasureComparison(a.measure, b.measure, systems, tau, upsets, power_of(pairs))


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
    wide = both[["worse_rank_first", "worse_rank_second"]].sum(axis=1)
    width = wide - both[["better_rank_first", "better_rank_second"]].sum(axis=1)
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
