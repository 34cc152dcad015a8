"""Which of many systems differ? All pairs tested and corrected, their table, and how many differ by each measure.

Results are the per-query frame of `pt.Experiment(..., perquery=True)`: `name, qid, measure, value`, one row each.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
import pandas as pd
from ir_measures import Measure
from numpy.typing import ArrayLike, NDArray

from ...errors import EvaluationWarning, check_choice, warn_caller
from ...evaluation.registry import is_share, parse
from ...evaluation.topic_values import (
    TOLERANCE,
    Seed,
    count_exceeding,
    differ_on_few,
    difference_intervals,
    group,
    randomisation_p,
)
from ...frames.spans import Floats, Ints
from .significance import ALTERNATIVES, PAPERS, effect_sizes, enough_resamples, t_test

Test = Literal["randomisation", "t", "bootstrap"]

_PAPER_NOTE = (
    "one-tailed in the direction of the higher mean and not corrected, as in the SIGIR 2007 paper: "
    "about twice as many equal pairs as alpha says come out significant"
)


class BothResults(Protocol):
    @property
    def perquery(self) -> pd.DataFrame: ...


Results = pd.DataFrame | BothResults
AnyMeasure = Measure | str


class MeasureValues(NamedTuple):
    """One measure's values: *values* has a row per topic (qid) and a column per system (name)."""

    measure: str
    names: list[str]
    qids: list[str]
    values: Floats

    @property
    def means(self) -> Floats:
        """The means as decimals of 15 digits, so that systems that differ by rounding only tie."""
        return round_means([math.fsum(column) / len(self.qids) for column in self.values.T])

    def ranking(self) -> Ints:
        """Columns in order of their mean, best first; equal means in order of name."""
        return np.lexsort((np.argsort(np.argsort(self.names)), -self.means))


def round_means(means: ArrayLike) -> Floats:
    """Round means to 15 digits; smaller differences are rounding errors."""
    return np.array([float(f"{mean:.15g}") for mean in np.asarray(means, dtype=np.float64).tolist()])


def pairwise(
    results: Results,
    measure: AnyMeasure | None = None,
    *,
    test: Test = "randomisation",
    alternative: str = "two-sided",
    paper: str | None = None,
    alpha: float = 0.05,
    correction: str | None = "holm",
    cluster: Mapping[str, Hashable] | None = None,
    resamples: int | None = None,
    seed: Seed = 0,
) -> pd.DataFrame:
    """Test all systems against all: which of them differ significantly.

    Args:
        results: The frame of `pt.Experiment(..., perquery=True)` (or the pair that perquery='both' returns).
        measure: One of its measures; by default all.
        test: 'randomisation' (default), 't' or 'bootstrap', all paired over topics (see `randomisation_test`, `t_test`
            and `bootstrap_test`).
        alternative: 'two-sided' (default), or, fixed by the order of the systems in the results, 'greater': the
            earlier system of a pair is better, or 'less': it is worse.
        paper: 'sigir2007' tests as that paper does: the higher-ranked system against the lower-ranked, one-tailed, by
            the bootstrap with 1,000 resamples, without correction. The data choose the side: of equal systems
            about 2 * alpha of the pairs come out significant. `.attrs["test"]` of the result says so.
        correction: For the n(n-1)/2 tests of a measure: 'holm' (default), 'fdr_bh' (Benjamini-Hochberg), 'bonferroni'
            or another method of statsmodels' `multipletests`, or None. Resamples grow with the number of tests.
        cluster: Maps every qid to a group of topics that are resampled together (not for 't').
        seed: Seed of the draws; the same seed gives the same p.

    Returns:
        A row per measure and pair, in order of rank: `measure, better, worse` (names; equal means in order of name),
        `better_rank, worse_rank` (from 1), `better_mean, worse_mean, difference`, `low, high` (its confidence
        interval at 1 - alpha, as of `confidence_interval`, not corrected), `interval` (its kind: 'Student' or
        'Gaffke'), `effect_size` (Cohen's d_z), `wins, losses` (topics), `p`, with a correction `p_corrected`, and
        `significant`: p (corrected) <= alpha, with a difference. `pairs["significant"].sum()` of `len(pairs)` is the
        count that papers give, `triangle(pairs)` their table. An EvaluationWarning says if so few topics cannot make
        that many pairs significant, and how many could; `.attrs["reach"]` has it.

    Source: Kamps, Lalmas and Pehcevski, SIGIR 2007, tables 1 and 2.

    Example:
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> pairs = pairwise(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
        >>> pairs[["better", "worse", "wins", "losses", "p"]].values.tolist()
        [['a', 'b', 9, 0, 0.00390625]]
    """
    how = _check_options(_TestOptions(test, alternative, paper, alpha, correction, cluster, resamples, seed))
    tables = values_of(results, measure)
    pairs = pd.concat([_compare_pairs(scores, how) for scores in tables], ignore_index=True)
    pairs.attrs["test"] = f"{_describe_test(how)}; {len(tables[0].qids)} topics"
    pairs.attrs["reach"] = _describe_reach(pairs, how)
    if pairs.attrs["reach"]:
        warn_caller(pairs.attrs["reach"], EvaluationWarning)
    return pairs


def _describe_reach(pairs: pd.DataFrame, how: _TestOptions) -> str:
    """Say that so few topics cannot make a pair of a measure significant, and how many could; '' if they can.

    Of m topics that differ, an exact randomisation test can give no p below 2 / 2^m.
    """
    if how.test != "randomisation":
        return ""
    for measure, rows in pairs.groupby("measure", sort=False):
        differ = int((rows["wins"] + rows["losses"]).max())
        if how.cluster is not None:
            differ = min(differ, len(set(how.cluster.values())))
        least = _find_least_p(differ, len(rows), how)
        if differ and least > how.alpha:
            enough = next(m for m in count(differ) if _find_least_p(m, len(rows), how) <= how.alpha)
            shown, alpha = (number.removeprefix("0") for number in (f"{least:.2g}", f"{how.alpha:g}"))
            return (
                f"{measure}: over {len(rows)} pairs and at most {differ} topics that differ, this test gives no p "
                f"under {shown}, so nothing can be significant at {alpha}; {enough} such topics could, or fewer pairs"
            )
    return ""


def _find_least_p(differ: int, pairs: int, how: _TestOptions) -> float:
    """Return the least p, corrected if wanted, of an exact test of a pair that differs on this many topics."""
    least = min(1.0, (2 if how.alternative == "two-sided" else 1) * 2.0**-differ)
    return float(corrected(np.full(pairs, least), how.correction, how.alpha)[0]) if how.correction else least


def _check_options(how: _TestOptions) -> _TestOptions:
    """Return the options of the test, those of a paper if one is named. Raises ValueError if options do not fit."""
    check_choice("test", how.test, get_args(Test))
    check_choice("alternative", how.alternative, ALTERNATIVES)
    if how.paper is not None:
        check_choice("paper", how.paper, PAPERS)
        if how.test not in ("randomisation", "bootstrap") or how.alternative != "two-sided":
            raise ValueError(f"paper={how.paper!r} is test='bootstrap', one-tailed; leave test and alternative out")
        resamples = 1000 if how.resamples is None else how.resamples
        how = replace(how, test="bootstrap", correction=None, resamples=resamples)
    if how.cluster is not None and how.test == "t":
        raise ValueError("cluster= needs a test that resamples topics: test='bootstrap' or test='randomisation'")
    return how


def _describe_test(how: _TestOptions) -> str:
    if how.paper:
        return _PAPER_NOTE
    return f"{how.test}, {how.alternative}, correction: {how.correction or 'none'}"


def triangle(pairs: pd.DataFrame) -> pd.DataFrame:
    """Lay the pairs of one measure out as the triangular table: rows improve over columns, both in order of rank.

    Returns:
        A frame whose cells are "★" if the row's system is significantly better, "–" if not, "" on and below the
        diagonal.

    Example:
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> triangle(pairwise(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))).loc["a", "b"]
        '★'
    """
    check_pairs(pairs)
    if pairs["measure"].nunique() != 1:
        raise ValueError(
            f"the table shows one measure, the pairs have {sorted(set(pairs['measure']))}; "
            "choose one: pairs[pairs['measure'] == ...]"
        )
    ranks = dict(zip(pairs["better_rank"], pairs["better"], strict=True))
    ranks.update(zip(pairs["worse_rank"], pairs["worse"], strict=True))
    names = [ranks[rank] for rank in sorted(ranks)]
    cells = np.full((len(names), len(names)), "", dtype=object)
    marks = np.where(pairs["significant"], "★", "–")
    cells[pairs["better_rank"].to_numpy() - 1, pairs["worse_rank"].to_numpy() - 1] = marks
    table = pd.DataFrame(cells, index=pd.Index(names, name="improves over"), columns=names)
    table.attrs = dict(pairs.attrs)
    return table


def check_pairs(pairs: object) -> None:
    if not isinstance(pairs, pd.DataFrame) or "better_rank" not in pairs:
        raise ValueError(f"give the frame that pairwise returns, got {type(pairs).__name__}")


def discriminative_power(results: Results, measure: AnyMeasure | None = None, **options: Any) -> pd.DataFrame:
    """Count the pairs of systems that differ significantly by each measure, the measure with most first.

    *options* are those of `pairwise`.

    Returns:
        A row per measure: `measure, significant, pairs` and `power`, their ratio.

    Source: Sakai, SIGIR 2006.

    Example:
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
        >>> discriminative_power(results)[["significant", "pairs"]].values.tolist()
        [[1, 1]]
    """
    power = power_of(pairwise(results, measure, **options))
    return power.sort_values("power", ascending=False, kind="stable", ignore_index=True)


def power_of(pairs: pd.DataFrame) -> pd.DataFrame:
    counts = pairs.groupby("measure", sort=False)["significant"].agg(significant="sum", pairs="size").reset_index()
    counts["power"] = counts["significant"] / counts["pairs"]
    return counts


def values_of(results: Results, measure: AnyMeasure | None = None) -> list[MeasureValues]:
    """Read per-query results as one table of topics by systems for each measure, or for the one asked for."""
    frame: Any = getattr(results, "perquery", results)
    missing = [column for column in ("name", "qid", "measure", "value") if column not in getattr(frame, "columns", [])]
    if missing:
        raise ValueError(
            f"results lack the columns {missing}; give per-query results: pt.Experiment(..., perquery=True)"
        )
    measures = list(dict.fromkeys(map(str, frame["measure"])))
    wanted = measures if measure is None else [_find_measure(measure, measures)]
    return [_read_values(frame, name) for name in wanted]


@dataclass(frozen=True)
class _TestOptions:
    """How pairs are tested: the arguments of `pairwise`."""

    test: str
    alternative: str
    paper: str | None
    alpha: float
    correction: str | None
    cluster: Mapping[str, Hashable] | None
    resamples: int | None
    seed: Seed


def _read_values(frame: pd.DataFrame, measure: str) -> MeasureValues:
    rows = frame[frame["measure"].map(str) == measure]
    twice = rows.duplicated(["name", "qid"]).to_numpy()
    if twice.any():
        row = rows.iloc[int(np.argmax(twice))]
        raise ValueError(
            f"measure {measure!r}, system {row['name']!r}, topic {row['qid']!r}: two values; "
            "no two systems may share a name"
        )
    names = list(dict.fromkeys(rows["name"]))
    qids = list(dict.fromkeys(rows["qid"]))
    values = rows.pivot(index="qid", columns="name", values="value").reindex(index=qids, columns=names)
    table = values.to_numpy(dtype=np.float64)
    if not np.isfinite(table).all():
        topic, system = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"measure {measure!r}, system {names[system]!r}, topic {qids[topic]!r}: no value; "
            "paired tests need every system on every topic"
        )
    return MeasureValues(measure, [str(name) for name in names], [str(qid) for qid in qids], table)


def _find_measure(measure: AnyMeasure, measures: Iterable[str]) -> str:
    if str(measure) in measures:
        return str(measure)
    if isinstance(measure, str):
        for parsed in parse(measure):
            if str(parsed) in measures:
                return str(parsed)
    raise ValueError(f"the results have no measure {str(measure)!r}; they have {', '.join(measures)}")


def _compare_pairs(scores: MeasureValues, how: _TestOptions) -> pd.DataFrame:
    n = len(scores.names)
    if n < 2:
        raise ValueError(
            f"measure {scores.measure!r}: pairs need at least two systems, the results have {scores.names}"
        )
    if len(scores.qids) < 2:
        raise ValueError(f"measure {scores.measure!r}: a paired test needs at least 2 topics, got {len(scores.qids)}")
    order = scores.ranking()
    first, second = np.triu_indices(n, k=1)
    better = order[first]
    worse = order[second]
    means = scores.means
    largest = np.abs(scores.values).max(axis=0)
    scale = np.maximum(largest[better], largest[worse])
    differences = scores.values[:, better] - scores.values[:, worse]
    differences[np.abs(differences) <= TOLERANCE * scale] = 0.0
    p, low, high, interval = _test_pairs(scores, better, worse, differences, scale, how)
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
            "low": low,
            "high": high,
            "interval": interval,
            "effect_size": effect_sizes(differences, scale),
            "wins": (differences > 0).sum(axis=0),
            "losses": (differences < 0).sum(axis=0),
            "p": p,
        }
    )
    if how.correction:
        p = table["p_corrected"] = corrected(p, how.correction, how.alpha)
    table["significant"] = (p <= how.alpha) & (table["difference"] > 0)
    return table


def corrected(p: Floats, method: str, alpha: float) -> Floats:
    """Correct p-values for their number, by a method of statsmodels' `multipletests`."""
    # statsmodels' own calls the garbage collector, which takes a hundred times as long as the rest
    if method == "holm":
        order = np.argsort(p)
        holm = np.empty_like(p)
        holm[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
        return holm
    from statsmodels.stats import multitest

    try:
        corrected_p: Floats = multitest.multipletests(p, alpha=alpha, method=method)[1]
        return corrected_p
    except ValueError as error:
        raise ValueError(f"correction={method!r}: {error}; 'holm', 'fdr_bh' and 'bonferroni' are the choices") from None


def _test_pairs(
    scores: MeasureValues, better: Ints, worse: Ints, differences: Floats, scale: Floats, how: _TestOptions
) -> tuple[Floats, Floats, Floats, NDArray[np.str_]]:
    """Return p of each pair, and the interval of its difference: low, high and kind."""
    b = enough_resamples(how.resamples, len(better) if how.correction else 1, how.alpha)
    cluster: Any = None if how.cluster is None else [_find_group(qid, how.cluster) for qid in scores.qids]
    sums, sizes = group(differences, cluster)
    if len(sums) < 2:
        raise ValueError("cluster= puts all topics into one group; a test needs at least 2")
    bounded = np.full(len(better), is_share(scores.measure))
    low, high = difference_intervals(sums, sizes, bounded, level=1 - how.alpha)
    # a fixed direction is that of the systems' order, not of their means
    sign = np.where(better < worse, 1.0, -1.0) if how.alternative != "two-sided" else np.ones(len(better))
    if how.test == "t":
        p = np.array(
            [
                t_test(*scores.values[:, (x, y) if forward else (y, x)].T, alternative=how.alternative).pvalue
                for x, y, forward in zip(better, worse, sign > 0, strict=True)
            ]
        )
    elif how.test == "randomisation":
        p = randomisation_p(sums * sign, scale=scale, alternative=how.alternative, resamples=b, seed=how.seed)
    else:
        side = "greater" if how.paper else how.alternative
        exceeded = count_exceeding(sums * sign, sizes, scale=scale, alternative=side, resamples=b, seed=how.seed)
        p = (exceeded + 1) / (b + 1)
    return p, low, high, np.where(bounded & differ_on_few(sums), "Gaffke", "Student")


def _find_group(qid: str, cluster: Mapping[str, Hashable]) -> Hashable:
    names = {str(name): label for name, label in dict(cluster).items()}
    if qid not in names:
        raise ValueError(f"cluster= has no group for topic {qid!r}")
    return names[qid]
