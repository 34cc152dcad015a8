"""What changes when somebody else judges: the scores and rankings of systems, and how far the two agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import ir_measures
import pandas as pd
from ir_measures import Measure

from ..evaluation.provider import NAMES
from ..evaluation.registry import MeasureNames, parse
from .statistics.agreement import UNITS, agreement


class JudgmentComparison(NamedTuple):
    """The result of `compare_judgments`.

    Args:
        scores: A row for each system and measure, with its mean under each of the judgments.
        tau: A row for each measure: Kendall's tau-b of the two rankings of systems.
        agreement: A row for each unit, 'documents' and 'characters': the row 'all' of `agreement`.
    """

    scores: pd.DataFrame
    tau: pd.DataFrame
    agreement: pd.DataFrame


def compare_judgments(
    runs: Mapping[str, pd.DataFrame], first: pd.DataFrame, second: pd.DataFrame, measures: MeasureNames = "AgP AP"
) -> JudgmentComparison:
    """Compare systems under one assessor's judgments and under those of another, such as a program.

    Both judgments are cut to the articles that both judged.

    Args:
        runs: Run frames by name, at least two.
        first: The judgments to replace, such as people's.
        second: The judgments that replace them, such as a program's.

    Returns:
        The scores under both, tau (1 if the systems rank alike, -1 if the order is turned, NaN if one ranking ties all
        systems), and how far the two agree.

    Example:
        >>> people = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0], "length": 100})
        >>> people["highlights"] = [[(0, 40)], []]
        >>> program = people.assign(label=[0, 1], highlights=[[], [(10, 20)]])
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "score": [2.0, 1.0]})
        >>> runs = {"mine": run, "other": run.assign(score=[1.0, 2.0])}
        >>> compare_judgments(runs, people, program, "AP").tau.values.tolist()
        [['AP', -1.0, 2]]
    """
    import scipy.stats

    if len(runs) < 2:
        raise ValueError("a ranking of systems needs at least two runs")
    keys = ["qid", "docno"]
    both = first[keys].astype(str).merge(second[keys].astype(str), on=keys)
    if both.empty:
        raise ValueError("the two judgments have no topic and article in common")
    pair = [qrels.assign(qid=qrels["qid"].astype(str), docno=qrels["docno"].astype(str)).merge(both, on=keys)
            for qrels in (first, second)]  # fmt: skip
    scores = _compute_means(runs, pair, parse(measures))
    taus = [
        (measure, float(scipy.stats.kendalltau(group["first"], group["second"]).statistic), len(group))
        for measure, group in scores.groupby("measure", sort=False)
    ]
    tables = []
    for unit in UNITS:
        table = agreement(pair[0], pair[1], unit=unit)
        tables.append(table[table["qid"] == "all"].drop(columns="qid").assign(unit=unit))
    tau = pd.DataFrame(taus, columns=["measure", "tau", "systems"])
    return JudgmentComparison(scores, tau, pd.concat(tables, ignore_index=True))


def _compute_means(runs: Mapping[str, pd.DataFrame], pair: list[pd.DataFrame], measures: list[Measure]) -> pd.DataFrame:
    rows = []
    for name, run in runs.items():
        means = [
            ir_measures.evaluator(measures, qrels.rename(columns=NAMES)).calc_aggregate(run.rename(columns=NAMES))
            for qrels in pair
        ]
        rows += [{"name": name, "measure": str(m), "first": means[0][m], "second": means[1][m]} for m in measures]
    return pd.DataFrame(rows)
