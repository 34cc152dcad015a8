"""Is the difference real? The paired bootstrap test, all systems against all, and how many pairs a measure tells apart.

Results are the per-query frame of `pt.Experiment(..., perquery=True)`: `name, qid, measure, value`, one row each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..ir_measures_provider import parse
from ..spans import Floats, Ints

ALTERNATIVES = ("greater", "less", "two-sided")
SIGNIFICANT, NOT_SIGNIFICANT = "★", "–"

_RESAMPLES = 1000  # as in the SIGIR 2007 paper
_TOLERANCE = 1e-12  # of the largest value: differences below are rounding
_CELLS = 200_000  # of one block of resamples: it stays in the cache


class BootstrapResult(NamedTuple):
    """What a bootstrap test found: the mean difference, and the probability of one as large by chance."""

    statistic: float
    pvalue: float


class Scores(NamedTuple):
    """One measure's values: *values* has a row per topic (qid) and a column per system (name)."""

    measure: str
    names: list[str]
    qids: list[str]
    values: Floats

    @property
    def means(self) -> Floats:
        # fsum: exact, so that systems with the same values in another order tie
        return np.array([math.fsum(column) for column in self.values.T]) / len(self.qids)

    def ranking(self) -> Ints:
        """Columns in order of their mean, best first; equal means in order of name."""
        return np.lexsort((np.argsort(np.argsort(self.names)), -self.means))


def bootstrap_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: str = "greater",
    tests: int = 1,
    resamples: int | None = None,
    alpha: float = 0.05,
    seed: int | np.random.Generator | None = 0,
) -> BootstrapResult:
    """Test whether system *x* is better than system *y* by resampling the topics (paired bootstrap, shift method).

    x, y: values of the two systems, one per topic, in the same order of topics. The differences are shifted to a mean
    of 0, as if the systems were equal, and resampled with replacement *resamples* times; b is how often their mean
    comes out at least as large as the one observed, and p = (b + 1) / (resamples + 1), never 0.

    alternative: 'greater' (default, one-tailed: x is better), 'less', or 'two-sided'.
    tests: how many tests the p-value will be corrected for. It sets the number of resamples, 1,000 without correction,
      high enough for p to fall well below alpha / tests; *resamples* sets it outright.
    seed: the same seed gives the same p; None draws afresh.

    Returns (statistic, pvalue): the mean of x - y, and p in (0, 1]. It plugs into PyTerrier as it is,
    `pt.Experiment(..., baseline=0, test=bootstrap_test)`; with a correction over n systems,
    `test=functools.partial(bootstrap_test, tests=n - 1), correction='holm'`.
    Raises ValueError where x and y are no two rows of numbers of the same length, or have fewer than 2 topics.
    Source: Kamps, Lalmas and Pehcevski, SIGIR 2007, section 3; Efron and Tibshirani, An Introduction to the Bootstrap,
    chapter 16; Smucker, Allan and Carterette, CIKM 2007 (the shift method).
    """
    columns = [np.asarray(values, dtype=np.float64) for values in (x, y)]
    if columns[0].ndim != 1 or columns[0].shape != columns[1].shape:
        shapes = " and ".join(str(column.shape) for column in columns)
        raise ValueError(f"a paired test needs one value per topic of both systems, in one order; got shapes {shapes}")
    values = np.stack(columns, axis=1)
    if not np.isfinite(values).all():
        bad = int(np.argmin(np.isfinite(values).all(axis=1)))
        raise ValueError(f"topic {bad} (from 0): one of {values[bad].tolist()} is missing or infinite; give numbers")
    n = _resamples(resamples, tests, alpha)
    exceeded = _count_exceeding(values, np.array([0]), np.array([1]), alternative, n, seed)
    return BootstrapResult(float((values[:, 0] - values[:, 1]).mean()), float(exceeded[0] + 1) / (n + 1))


def pairwise(
    results: Any,
    measure: Any = None,
    *,
    alpha: float = 0.05,
    correction: str | None = None,
    resamples: int | None = None,
    seed: int | np.random.Generator | None = 0,
) -> pd.DataFrame:
    """Test all systems against all: which higher-ranked ones improve significantly over which lower-ranked ones.

    results: the frame of `pt.Experiment(..., perquery=True)` (or the pair that perquery='both' returns). measure: one
    of its measures; all of them without. correction: a method of statsmodels' `multipletests` ('holm', 'bonferroni',
    'fdr_bh', ...) over the n(n-1)/2 tests of a measure; with one, the resamples grow with the number of tests.

    Returns a row per measure and pair, in order of rank: `measure, better, worse` (names; equal means in order of
    name), `better_rank, worse_rank` (from 1), `better_mean, worse_mean, difference, wins, losses` (topics), `p`
    (one-tailed paired bootstrap), with a correction `p_corrected`, and `significant`: p (corrected) <= alpha, with a
    difference above 0. `pairs["significant"].sum()` of `len(pairs)` is the count that papers give, `triangle(pairs)`
    their table.
    Raises ValueError for fewer than two systems, or where a system lacks a topic.
    Source: Kamps, Lalmas and Pehcevski, SIGIR 2007, tables 1 and 2.
    """
    return pd.concat(
        [_pairs(scores, alpha, correction, resamples, seed) for scores in scores_of(results, measure)],
        ignore_index=True,
    )


def triangle(pairs: pd.DataFrame) -> pd.DataFrame:
    """Lay the pairs of one measure out as the triangular table: rows improve over columns, both in order of rank.

    A cell is "★" where the row's system is significantly better, "–" where not, "" on and below the diagonal.
    """
    if pairs["measure"].nunique() != 1:
        raise ValueError(
            f"the table shows one measure, the pairs have {sorted(set(pairs['measure']))}; "
            "choose one: pairs[pairs['measure'] == ...]"
        )
    ranks = dict(zip(pairs["better_rank"], pairs["better"], strict=True))
    ranks.update(zip(pairs["worse_rank"], pairs["worse"], strict=True))
    names = [ranks[rank] for rank in sorted(ranks)]
    cells = np.full((len(names), len(names)), "", dtype=object)
    marks = np.where(pairs["significant"], SIGNIFICANT, NOT_SIGNIFICANT)
    cells[pairs["better_rank"].to_numpy() - 1, pairs["worse_rank"].to_numpy() - 1] = marks
    return pd.DataFrame(cells, index=pd.Index(names, name="improves over"), columns=names)


def discriminative_power(results: Any, measure: Any = None, **options: Any) -> pd.DataFrame:
    """Count the pairs of systems that each measure tells apart: `measure, significant, pairs, power` (their ratio).

    Takes the arguments of `pairwise`. Sorted by power, highest first. Source: Sakai, SIGIR 2006.
    """
    power = power_of(pairwise(results, measure, **options))
    return power.sort_values("power", ascending=False, kind="stable", ignore_index=True)


def power_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """Count the significant pairs of each measure: `measure, significant, pairs, power`."""
    found = pairs.groupby("measure", sort=False)["significant"].agg(significant="sum", pairs="size").reset_index()
    found["power"] = found["significant"] / found["pairs"]
    return found


def scores_of(results: Any, measure: Any = None) -> list[Scores]:
    """Read per-query results as one table of topics by systems for each measure (or the one asked for)."""
    frame = getattr(results, "perquery", results)
    missing = [column for column in ("name", "qid", "measure", "value") if column not in getattr(frame, "columns", [])]
    if missing:
        raise ValueError(
            f"results lack the columns {missing}; give per-query results: pt.Experiment(..., perquery=True)"
        )
    measures = list(dict.fromkeys(map(str, frame["measure"])))
    wanted = measures if measure is None else [_find(measure, measures)]
    return [_scores(frame, name) for name in wanted]


def _scores(frame: pd.DataFrame, measure: str) -> Scores:
    rows = frame[frame["measure"].map(str) == measure]
    twice = rows.duplicated(["name", "qid"]).to_numpy()
    if twice.any():
        row = rows.iloc[int(np.argmax(twice))]
        raise ValueError(
            f"measure {measure!r}, system {row['name']!r}, topic {row['qid']!r}: two values; "
            "no two systems may share a name"
        )
    names, qids = list(dict.fromkeys(rows["name"])), list(dict.fromkeys(rows["qid"]))
    values = rows.pivot(index="qid", columns="name", values="value").reindex(index=qids, columns=names)
    table = values.to_numpy(dtype=np.float64)
    if not np.isfinite(table).all():
        topic, system = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"measure {measure!r}, system {names[system]!r}, topic {qids[topic]!r}: no value; "
            "paired tests need every system on every topic"
        )
    return Scores(measure, [str(name) for name in names], [str(qid) for qid in qids], table)


def _find(measure: Any, measures: Iterable[str]) -> str:
    """The name under which the results know a measure."""
    if str(measure) in measures:
        return str(measure)
    if isinstance(measure, str):
        for known in parse(measure):
            if str(known) in measures:
                return str(known)
    raise ValueError(f"the results have no measure {str(measure)!r}; they have {', '.join(measures)}")


def _pairs(scores: Scores, alpha: float, correction: str | None, resamples: int | None, seed: Any) -> pd.DataFrame:
    n = len(scores.names)
    if n < 2:
        raise ValueError(
            f"measure {scores.measure!r}: pairs need at least two systems, the results have {scores.names}"
        )
    order = scores.ranking()
    first, second = np.triu_indices(n, k=1)
    better, worse = order[first], order[second]
    b = _resamples(resamples, len(first) if correction else 1, alpha)
    exceeded = _count_exceeding(scores.values, better, worse, "greater", b, seed)
    means, p = scores.means, (exceeded + 1) / (b + 1)
    difference = scores.values[:, better] - scores.values[:, worse]
    table = pd.DataFrame(
        {
            "measure": scores.measure,
            "better": [scores.names[i] for i in better],
            "worse": [scores.names[i] for i in worse],
            "better_rank": first + 1,
            "worse_rank": second + 1,
            "better_mean": means[better],
            "worse_mean": means[worse],
            "difference": means[better] - means[worse],
            "wins": (difference > 0).sum(axis=0),
            "losses": (difference < 0).sum(axis=0),
            "p": p,
        }
    )
    if correction:
        from statsmodels.stats.multitest import multipletests

        try:
            p = table["p_corrected"] = multipletests(p, alpha=alpha, method=correction)[1]
        except ValueError as error:
            raise ValueError(
                f"correction={correction!r}: {error}; 'holm', 'bonferroni' and 'fdr_bh' are known"
            ) from None
    table["significant"] = (p <= alpha) & (table["difference"] > 0)
    return table


def _resamples(resamples: int | None, tests: int, alpha: float) -> int:
    """As asked for, or so many that the lowest p there can be, 1 / (B + 1), is a quarter of alpha / tests."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r}: the level of significance lies between 0 and 1")
    wanted = max(_RESAMPLES, math.ceil(4 * tests / alpha)) if resamples is None and tests > 1 else resamples
    wanted = _RESAMPLES if wanted is None else wanted
    if tests < 1 or wanted < 1:
        raise ValueError(f"tests={tests!r}, resamples={resamples!r}: both are counts of at least 1")
    return wanted


def _count_exceeding(values: Floats, x: Ints, y: Ints, alternative: str, resamples: int, seed: Any) -> Ints:
    """For each pair of columns (x, y): how many resamples of the shifted differences have a mean as large as theirs."""
    if alternative not in ALTERNATIVES:
        raise ValueError(f"alternative={alternative!r}: choose one of {', '.join(map(repr, ALTERNATIVES))}")
    topics = len(values)
    if topics < 2:
        raise ValueError(f"the bootstrap resamples topics and needs at least 2, got {topics}")
    means = values.mean(axis=0)
    observed = means[x] - means[y]
    scale = np.abs(values).max(axis=0)
    slack = _TOLERANCE * np.maximum(scale[x], scale[y])
    rng = np.random.default_rng(seed)
    exceeded = np.zeros(len(x), dtype=np.int64)
    block = max(1, _CELLS // max(topics, len(x)))
    for begin in range(0, resamples, block):
        rows = min(block, resamples - begin)
        drawn = rng.integers(0, topics, size=(rows, topics)) + np.arange(rows)[:, None] * topics
        weights = np.bincount(drawn.ravel(), minlength=rows * topics).reshape(rows, topics) / topics
        resampled = values.T @ weights.T  # systems x resamples
        differences = np.subtract(resampled[x], resampled[y])
        differences -= observed[:, None]
        if alternative == "two-sided":
            hits = np.abs(differences, out=differences) >= (np.abs(observed) - slack)[:, None]
        elif alternative == "greater":
            hits = differences >= (observed - slack)[:, None]
        else:
            hits = differences <= (observed + slack)[:, None]
        exceeded += np.count_nonzero(hits, axis=1)
    return exceeded
