"""Values by system, question and measure, their means, and intervals of these: the tables of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from ...frames.spans import Floats
from ..evaluation import evaluate

_RESAMPLES = 2000


class Scored(NamedTuple):
    """Values by system, question and measure, and which questions count for a measure's mean."""

    qids: list[str]
    measures: list[str]
    values: Floats
    counting: np.ndarray


def score_runs(qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame], measures: Sequence[Any]) -> Scored:
    results = evaluate(qrels, runs, measures)
    judged = qrels.assign(qid=qrels["qid"].astype(str)).groupby("qid", sort=False)["label"].max()
    has_evidence = judged.reindex(results.qids).to_numpy() > 0
    counting = np.stack([~has_evidence if _is_abstain(m) else has_evidence for m in measures], axis=1)
    return Scored(results.qids, list(map(str, measures)), results.values, counting)


def _is_abstain(measure: ir_measures.Measure) -> bool:
    return bool(measure.NAME == "Abstain")


def average(values: Floats, counting: np.ndarray) -> float:
    return float(values[counting].mean()) if counting.any() else float("nan")


def question_table(
    scored: Scored, qrels: pd.DataFrame, located: pd.DataFrame, runs: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    query = dict(zip(qrels["qid"].astype(str), qrels.get("query", qrels["qid"]), strict=True))
    count = located[located["rank"] > 0].groupby(["name", "qid"]).size().to_dict()
    frames = []
    for k, name in enumerate(runs):
        frame = pd.DataFrame({"name": name, "qid": scored.qids, "query": [query[qid] for qid in scored.qids]})
        frame["texts"] = [int(count.get((name, qid), 0)) for qid in scored.qids]
        frames.append(frame.join(pd.DataFrame(scored.values[k], columns=scored.measures)))
    return pd.concat(frames, ignore_index=True)


def system_table(
    scored: Scored, located: pd.DataFrame, runs: Mapping[str, pd.DataFrame], confidence: float, seed: int
) -> pd.DataFrame:
    """The means, and their intervals: percentiles of the means of resampled questions, the same for all systems."""
    n = len(scored.qids)
    weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=_RESAMPLES).astype(float)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    rows = []
    for k, name in enumerate(runs):
        of_system = located[(located["name"] == name) & (located["rank"] > 0)]
        placed = float((of_system["start"] >= 0).mean()) if len(of_system) else 1.0
        row: dict[str, Any] = {"name": name, "questions": n, "texts": len(of_system), "placed": placed}
        bounds: dict[str, float] = {}
        for i, measure in enumerate(scored.measures):
            values, counts = scored.values[k, :, i], scored.counting[:, i]
            row[measure] = average(values, counts)
            drawn = weights[:, counts].sum(axis=1)
            means = (weights[:, counts] @ values[counts])[drawn > 0] / drawn[drawn > 0]
            low, high = np.quantile(means, tails) if len(means) else (np.nan, np.nan)
            bounds[f"{measure} low"], bounds[f"{measure} high"] = float(low), float(high)
        rows.append({**row, **bounds})
    return pd.DataFrame(rows)
