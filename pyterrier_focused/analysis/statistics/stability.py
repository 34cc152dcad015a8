"""Would other topics rank the systems alike? Error rates by swaps, the difference needed, and the stability of tau.

Sets of topics are drawn from the results, two at a time and without a topic in common, and each set ranks the systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...evaluation.resampling import Seed
from ...frames.spans import Floats, Ints
from .pairs import AnyMeasure, MeasureValues, Results, values_of

_BINS = 20


@dataclass(frozen=True)
class _Halves:
    """Means of the systems on the two sets of each sample: samples x systems."""

    first: Floats
    second: Floats


def swap_rates(
    results: Results,
    measure: AnyMeasure | None = None,
    *,
    topics: int | None = None,
    samples: int = 1000,
    width: float = 0.01,
    seed: Seed = 0,
) -> pd.DataFrame:
    """Estimate how often a difference of some size is turned round by another set of topics (the swap method).

    Args:
        topics: The size of each of the two sets; half of the topics without it, which is also the most.
        samples: How many pairs of sets are drawn.
        width: Of the classes into which differences fall; the last, 20th, class is open above.

    Returns:
        A row per measure and class that occurs: `measure, topics, difference` (the lower end of the class, of the
        first set's difference of means), `comparisons` (pairs of systems, over all samples), `swaps` (those that the
        second set orders otherwise, or ties) and `error_rate`, their ratio.

    Source: Voorhees and Buckley, The effect of topic set size on retrieval experiment error, SIGIR 2002.

    Example:
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> rates = swap_rates(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), samples=100)
        >>> int(rates["comparisons"].sum()), int(rates["swaps"].sum())
        (100, 0)
    """
    tables = []
    for scores in values_of(results, measure):
        size = len(scores.qids) // 2 if topics is None else topics
        _check_size(scores, size, samples, width)
        tables.append(_count_swaps(_draw_halves(scores, size, samples, seed), width).assign(
            measure=scores.measure, topics=size
        ))  # fmt: skip
    names = ["measure", "topics", "difference", "comparisons", "swaps", "error_rate"]
    return pd.concat(tables, ignore_index=True)[names]


def stability(
    results: Results,
    measure: AnyMeasure | None = None,
    *,
    topics: Sequence[int] | None = None,
    samples: int = 1000,
    error: float = 0.05,
    width: float = 0.01,
    seed: Seed = 0,
) -> pd.DataFrame:
    """Tell how stable the ranking of systems is by the number of topics, and which difference is needed.

    Args:
        topics: Sizes of the sets of topics; up to ten from 5 to half of the topics without.
        samples: How many pairs of sets are drawn for each size.
        error: The error rate that a needed difference must not exceed.

    Returns:
        A row per measure and size: `measure, topics`, `tau` (the mean of Kendall's tau between the rankings by the two
        sets), `tau_low, tau_high` (within which 90% of them lie), `tau_all` (the mean of tau with the ranking by all
        topics), `same_best` (how often both sets have the same best system), `error_rate` (how often the second set
        turns a pair round), `needed` (the sensitivity: the smallest difference from which on the error rate does not
        exceed *error*; NaN if there is none), `needed_share` (of the highest mean) and `power` (the share of
        comparisons with such a difference). `plot_stability` draws it.

    Source: Voorhees and Buckley, SIGIR 2002; Buckley and Voorhees, SIGIR 2000; Sakai, SIGIR 2006 (sensitivity).

    Example:
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> stable = stability(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), topics=[2, 4])
        >>> stable[["topics", "tau", "error_rate"]].values.tolist()
        [[2.0, 1.0, 0.0], [4.0, 1.0, 0.0]]
    """
    rows = []
    for scores in values_of(results, measure):
        for size in _choose_sizes(len(scores.qids)) if topics is None else topics:
            _check_size(scores, size, samples, width)
            halves = _draw_halves(scores, size, samples, seed)
            rows.append({"measure": scores.measure, "topics": size, **_describe_halves(scores, halves, error, width)})
    return pd.DataFrame(rows)


def _choose_sizes(topics: int) -> list[int]:
    most = topics // 2
    sizes: list[int] = np.unique(np.linspace(min(5, most), most, 10).round().astype(int)).tolist()
    return sizes


def _check_size(scores: MeasureValues, size: int, samples: int, width: float) -> None:
    if len(scores.names) < 2:
        raise ValueError(f"measure {scores.measure!r}: a ranking needs at least two systems, got {scores.names}")
    if not 1 <= size <= len(scores.qids) // 2:
        raise ValueError(
            f"topics={size}: two sets without a topic in common are drawn from {len(scores.qids)} topics, so a set has "
            f"1 to {len(scores.qids) // 2}"
        )
    if samples < 1 or not width > 0:
        raise ValueError(f"samples={samples}, width={width}: draw at least one pair of sets, and classes above 0")


def _draw_halves(scores: MeasureValues, size: int, samples: int, seed: Seed) -> _Halves:
    rng = np.random.default_rng(seed)
    first = np.empty((samples, len(scores.names)))
    second = np.empty_like(first)
    for sample in range(samples):
        drawn = rng.permutation(len(scores.qids))
        first[sample] = scores.values[drawn[:size]].mean(axis=0)
        second[sample] = scores.values[drawn[size : 2 * size]].mean(axis=0)
    return _Halves(first.round(12), second.round(12))


def _count_swaps(halves: _Halves, width: float) -> pd.DataFrame:
    """Class the pairs of systems by the first set's difference, and count those that the second set swaps."""
    difference, confirmed = _compare_halves(halves)
    kind = np.minimum((difference / width + 1e-9).astype(np.int64), _BINS).ravel()
    comparisons = np.bincount(kind, minlength=_BINS + 1)
    swaps = np.bincount(kind, ~confirmed.ravel(), minlength=_BINS + 1).astype(np.int64)
    seen = np.flatnonzero(comparisons)
    return pd.DataFrame(
        {
            "difference": seen * width,
            "comparisons": comparisons[seen],
            "swaps": swaps[seen],
            "error_rate": swaps[seen] / comparisons[seen],
        }
    )


def _compare_halves(halves: _Halves) -> tuple[Floats, NDArray[np.bool_]]:
    """Return for samples x pairs the first set's difference, which is not 0 or less, and whether the second agrees."""
    one, other = np.triu_indices(halves.first.shape[1], k=1)
    first = halves.first[:, one] - halves.first[:, other]
    second = halves.second[:, one] - halves.second[:, other]
    return np.abs(first), np.sign(first) == np.sign(second)


def _describe_halves(scores: MeasureValues, halves: _Halves, error: float, width: float) -> dict[str, float]:
    taus = np.array(list(_correlate_rows(halves.first, halves.second)))
    if not np.ptp(scores.values, axis=1).any():
        # all systems are equal, so nothing ranks them
        columns = "tau tau_low tau_high tau_all same_best error_rate needed needed_share power"
        return dict.fromkeys(columns.split(), np.nan)
    with_all = np.array([*_correlate_rows(halves.first, np.broadcast_to(scores.means, halves.first.shape))])
    difference, confirmed = _compare_halves(halves)
    needed = _find_needed(_count_swaps(halves, width), error)
    ordered = taus[~np.isnan(taus)]
    low, high = np.quantile(ordered, [0.05, 0.95]) if len(ordered) else (np.nan, np.nan)
    return {
        "tau": float(ordered.mean()) if len(ordered) else np.nan,
        "tau_low": float(low),
        "tau_high": float(high),
        "tau_all": float(with_all[~np.isnan(with_all)].mean()) if not np.isnan(with_all).all() else np.nan,
        "same_best": float((halves.first.argmax(axis=1) == halves.second.argmax(axis=1)).mean()),
        "error_rate": float((~confirmed).mean()),
        "needed": needed,
        "needed_share": needed / float(scores.means.max()) if scores.means.max() > 0 else np.nan,
        "power": float((difference >= needed).mean()) if not np.isnan(needed) else 0.0,
    }


def _correlate_rows(first: Floats, second: Floats) -> Iterator[float]:
    """Compute Kendall's tau-b of each row of *first* with that of *second*; NaN if all values of one are equal."""
    one, other = np.triu_indices(first.shape[1], k=1)
    a = np.sign(first[:, one] - first[:, other])
    b = np.sign(second[:, one] - second[:, other])
    untied = np.sqrt(_count_untied(a) * _count_untied(b))
    with np.errstate(invalid="ignore", divide="ignore"):
        yield from ((a * b).sum(axis=1) / untied).tolist()


def _count_untied(signs: Floats) -> Ints:
    untied: Ints = np.count_nonzero(signs, axis=1)
    return untied


def _find_needed(rates: pd.DataFrame, error: float) -> float:
    """Return the lower end of the class from which on no class exceeds the error rate; NaN if the last one does."""
    above = np.flatnonzero(rates["error_rate"].to_numpy() > error)
    if not len(above):
        return float(rates["difference"].iloc[0])
    after = above[-1] + 1
    return float(rates["difference"].iloc[after]) if after < len(rates) else np.nan
