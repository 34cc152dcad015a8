"""Would other topics, or fewer judgments, rank the systems alike? Stability of tau, swaps, the difference needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...evaluation import as_qrels, as_runs, evaluate
from ...evaluation.measure_strings import MeasureNames
from ...evaluation.resampling import Seed
from ...frames.judged import is_judged
from ...frames.ranking_rule import positions
from ...frames.spans import Floats, Ints
from .pairs import AnyMeasure, MeasureValues, Results, values_of

_BINS = 20


@dataclass(frozen=True)
class _Halves:
    """Means of the systems on the two sets of each sample: samples x systems."""

    first: Floats
    second: Floats


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
    """Measure how stable the ranking of systems is with fewer topics, and the difference needed.

    Sets of topics are drawn from the results, two at a time and without a topic in common.

    Args:
        topics: Sizes of the sets of topics; by default up to ten sizes from 5 to half of the topics.
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


def subset_stability(
    qrels: object,
    runs: object,
    measures: MeasureNames,
    *,
    retrieved: float = 1.0,
    relevant: float = 1.0,
    topics: float = 1.0,
    samples: int = 1000,
    seed: Seed = 0,
) -> pd.DataFrame:
    """Measure how stable the ranking of systems is if fewer documents, or topics, are judged.

    Samples are drawn from the judged documents of each topic that some run retrieved, or that are relevant (a label
    above 0). All systems are scored by the same samples.

    Args:
        qrels: Qrels or their path.
        runs: Runs, or their paths, in a dict by name or a list; two at least.
        retrieved: The share in [0, 1] that is kept of a topic's judged documents that some run retrieved.
        relevant: The share that is kept of a topic's relevant documents that no run retrieved.
        topics: The share of the topics that is kept.
        samples: How many samples are drawn.

    Returns:
        A row per measure: `measure, retrieved, relevant, topics`, `tau` (the mean of Kendall's tau between the systems'
        means on a sample and on the whole) and `tau_low, tau_high` (within which 90% of them lie).

    Source: Della Mea, Di Gaspero, Mizzaro, NTCIR-4, 2004, slide 26.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b", "c"], "label": [1, 0, 1]})
        >>> runs = [pd.DataFrame({"qid": ["q1"], "docno": [docno], "score": [1.0]}) for docno in "ab"]
        >>> subset_stability(qrels, runs, "ADM AP", relevant=0.5, samples=10)["tau"].tolist()
        [1.0, 1.0]
    """
    for name, share in {"retrieved": retrieved, "relevant": relevant, "topics": topics}.items():
        if not 0 <= share <= 1:
            raise ValueError(f"{name}={share!r}: give the share that is kept, from 0 to 1")
    if samples < 1:
        raise ValueError(f"samples={samples}: draw at least one")
    systems = as_runs(runs)
    _require_systems(list(systems))
    judged = as_qrels(qrels, real_labels=True)
    found = is_judged(judged, pd.concat([run[["qid", "docno"]] for run in systems.values()]))
    pool = found | (judged["label"] > 0).to_numpy()
    judged = judged[pool]
    topic, qids = pd.factorize(judged["qid"])
    group = 2 * topic + found[pool]
    if not len(qids) * topics >= 0.5:
        raise ValueError(f"topics={topics!r} keeps none of {len(qids)} topics")
    whole = evaluate(judged, systems, measures)
    place = {qid: number for number, qid in enumerate(whole.qids)}
    rng = np.random.default_rng(seed)
    means = np.empty((samples, *whole.means.shape))
    for sample in range(samples):
        drawn = _draw_shares(np.zeros(len(qids), dtype=np.int64), np.array([topics]), rng)
        values = whole.values
        if min(retrieved, relevant) < 1:
            kept = _draw_shares(group, np.tile([relevant, retrieved], len(qids)), rng) & drawn[topic]
            values = np.zeros_like(values)
            if kept.any():
                subset = evaluate(judged[kept], systems, measures)
                values[:, [place[qid] for qid in subset.qids]] = subset.values
        means[sample] = values[:, drawn].mean(axis=1)
    means = means.round(12)
    rows = []
    for column, measure in enumerate(whole.measures):
        on_all = np.broadcast_to(whole.means[:, column].round(12), means[:, :, column].shape)
        taus = _correlate_rows(means[:, :, column], on_all)
        shares = {"retrieved": retrieved, "relevant": relevant, "topics": topics}
        rows.append({"measure": measure, **shares, **_describe_taus(taus)})
    return pd.DataFrame(rows)


def _draw_shares(group: Ints, shares: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mark a random share of the members of each group, to the nearest whole number.

    group   0   0   0   0   1   1      shares  .5, 1
    drawn   F   T   T   F   T   T
    """
    wanted = np.floor(np.bincount(group, minlength=len(shares)) * shares + 0.5)
    order = np.lexsort((rng.random(len(group)), group))
    drawn = np.empty(len(group), dtype=bool)
    drawn[order] = positions(group[order]) < wanted[group[order]]
    return drawn


def _choose_sizes(topics: int) -> list[int]:
    most = topics // 2
    sizes: list[int] = np.unique(np.linspace(min(5, most), most, 10).round().astype(int)).tolist()
    return sizes


def _check_size(scores: MeasureValues, size: int, samples: int, width: float) -> None:
    _require_systems(scores.names)
    if not 1 <= size <= len(scores.qids) // 2:
        raise ValueError(
            f"topics={size}: two sets without a topic in common are drawn from {len(scores.qids)} topics, so a set has "
            f"1 to {len(scores.qids) // 2}"
        )
    if samples < 1 or not width > 0:
        raise ValueError(f"samples={samples}, width={width}: draw at least one pair of sets, and classes above 0")


def _require_systems(names: list[str]) -> None:
    if len(names) < 2:
        raise ValueError(f"a ranking needs at least two systems, got {names}")


def _draw_halves(scores: MeasureValues, size: int, samples: int, seed: Seed) -> _Halves:
    rng = np.random.default_rng(seed)
    first = np.empty((samples, len(scores.names)))
    second = np.empty_like(first)
    for sample in range(samples):
        drawn = rng.permutation(len(scores.qids))
        first[sample] = scores.values[drawn[:size]].mean(axis=0)
        second[sample] = scores.values[drawn[size : 2 * size]].mean(axis=0)
    return _Halves(first.round(12), second.round(12))


def _compare_halves(halves: _Halves) -> tuple[Floats, NDArray[np.bool_]]:
    """Return for samples x pairs the difference on the first set, made positive, and whether the second agrees."""
    one, other = np.triu_indices(halves.first.shape[1], k=1)
    first = halves.first[:, one] - halves.first[:, other]
    second = halves.second[:, one] - halves.second[:, other]
    return np.abs(first), np.sign(first) == np.sign(second)


def _describe_halves(scores: MeasureValues, halves: _Halves, error: float, width: float) -> dict[str, float]:
    if not np.ptp(scores.values, axis=1).any():
        # all systems are equal, so nothing ranks them
        columns = "tau tau_low tau_high tau_all same_best error_rate needed needed_share power"
        return dict.fromkeys(columns.split(), np.nan)
    with_all = _correlate_rows(halves.first, np.broadcast_to(scores.means, halves.first.shape))
    difference, confirmed = _compare_halves(halves)
    needed = _find_needed(difference, confirmed, error, width)
    return {
        **_describe_taus(_correlate_rows(halves.first, halves.second)),
        "tau_all": float(with_all[~np.isnan(with_all)].mean()) if not np.isnan(with_all).all() else np.nan,
        "same_best": float((halves.first.argmax(axis=1) == halves.second.argmax(axis=1)).mean()),
        "error_rate": float((~confirmed).mean()),
        "needed": needed,
        "needed_share": needed / float(scores.means.max()) if scores.means.max() > 0 else np.nan,
        "power": float((difference >= needed).mean()) if not np.isnan(needed) else 0.0,
    }


def _describe_taus(taus: Floats) -> dict[str, float]:
    """Return the mean, and limits that hold 90%, of the taus that are not NaN."""
    ordered = taus[~np.isnan(taus)]
    if not len(ordered):
        return {"tau": np.nan, "tau_low": np.nan, "tau_high": np.nan}
    low, high = np.quantile(ordered, [0.05, 0.95]).tolist()
    return {"tau": float(ordered.mean()), "tau_low": low, "tau_high": high}


def _correlate_rows(first: Floats, second: Floats) -> Floats:
    """Compute Kendall's tau-b of each row of *first* with that of *second*; NaN if all values of one are equal."""
    one, other = np.triu_indices(first.shape[1], k=1)
    a = np.sign(first[:, one] - first[:, other])
    b = np.sign(second[:, one] - second[:, other])
    untied = np.sqrt(np.count_nonzero(a, axis=1) * np.count_nonzero(b, axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        taus: Floats = (a * b).sum(axis=1) / untied
    return taus


def _find_needed(difference: Floats, confirmed: NDArray[np.bool_], error: float, width: float) -> float:
    """Return the lower end of the first class of differences from which on no class swaps more than *error*."""
    kind = np.minimum((difference / width + 1e-9).astype(np.int64), _BINS).ravel()
    classes, comparisons = np.unique(kind, return_counts=True)
    swaps = np.bincount(kind, ~confirmed.ravel())[classes]
    first = np.flatnonzero(np.append(True, swaps / comparisons > error))[-1]
    return float(classes[first] * width) if first < len(classes) else np.nan
