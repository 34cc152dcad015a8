"""Values by system, question and measure, their means, and intervals of these: the tables of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from ir_measures import Measure
from numpy.typing import NDArray

from ..evaluation.evaluation import evaluate
from ..evaluation.intervals import value_intervals
from ..evaluation.measure_notes import is_share
from ..frames.spans import Floats

Flags = NDArray[np.bool_]
# Characters of a text that are shown beside a question.
SHOWN = 500


@dataclass(frozen=True, eq=False)
class Scored:
    """Values by system, question and measure; *counting* tells which questions count for a measure's mean.

    `Abstain` counts over questions without evidence, every other measure over those with.
    """

    systems: list[str]
    qids: list[str]
    measures: list[str]
    # systems x questions x measures
    values: Floats
    # questions x measures
    counting: Flags

    def average(self, system: int, measure: int) -> float:
        """Average a measure over the questions that count for it; NaN if there is none."""
        counts = self.counting[:, measure]
        return float(self.values[system, counts, measure].mean()) if counts.any() else float("nan")

    def intervals(self, confidence: float, seed: int) -> Floats:
        """Bound each mean over the questions that count for it.

        Returns an array of systems x measures x (low, high), NaN for a measure for which no question counts.
        """
        bounds = np.full((len(self.systems), len(self.measures), 2), np.nan)
        are_shares = np.array([is_share(measure) for measure in self.measures], dtype=bool)
        # The questions are the same for all measures but Abstain.
        for counts in np.unique(self.counting.T, axis=0):
            alike = np.flatnonzero((counts == self.counting.T).all(axis=1))
            if not counts.any():
                continue
            values = self.values[:, counts][:, :, alike].transpose(1, 0, 2).reshape(counts.sum(), -1)
            bounded = np.tile(are_shares[alike], len(self.systems))
            ends = value_intervals(values, np.ones(len(values)), bounded, level=confidence, seed=seed)
            bounds[:, alike] = np.stack(ends, axis=1).reshape(len(self.systems), len(alike), 2)
        return bounds


def join_points(scores: Sequence[Scored]) -> Scored:
    """Join the values of a measure at several points, as if each point were a measure."""
    measures = [scored.measures[0] for scored in scores]
    values = np.concatenate([scored.values for scored in scores], axis=2)
    counting = np.concatenate([scored.counting for scored in scores], axis=1)
    return Scored(scores[0].systems, scores[0].qids, measures, values, counting)


def score_runs(qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame], measures: Sequence[Measure]) -> Scored:
    if not measures:
        qids = qrels["qid"].astype(str).unique().tolist()
        return Scored(list(runs), qids, [], np.zeros((len(runs), len(qids), 0)), np.zeros((len(qids), 0), dtype=bool))
    results = evaluate(qrels, runs, measures)
    names = results.measures
    return Scored(list(runs), results.qids, names, results.values, _find_counting(qrels, results.qids, names))


def read_scored(questions: pd.DataFrame, qrels: pd.DataFrame, measure: str, systems: Sequence[str]) -> Scored:
    """Read the values of a measure from a table as `make_question_table` makes it."""
    frames = [questions[questions["name"] == name] for name in systems]
    qids = frames[0]["qid"].astype(str).tolist()
    values = np.stack([frame[measure].to_numpy(dtype=np.float64) for frame in frames])[:, :, None]
    return Scored(list(systems), qids, [measure], values, _find_counting(qrels, qids, [measure]))


def _find_counting(qrels: pd.DataFrame, qids: Sequence[str], measures: Sequence[str]) -> Flags:
    """Tell which questions (rows) count for which measures (columns)."""
    judged = qrels.assign(qid=qrels["qid"].astype(str)).groupby("qid", sort=False)["label"].max()
    has_evidence = judged.reindex(list(qids)).to_numpy() > 0
    flags: Flags = np.stack([~has_evidence if name == "Abstain" else has_evidence for name in measures], axis=1)
    return flags


def question_texts(qrels: pd.DataFrame) -> dict[str, str]:
    """Return the text of each question by its qid; the qid itself if the qrels have no texts."""
    return dict(zip(qrels["qid"].astype(str), qrels.get("query", qrels["qid"]), strict=True))


def make_question_table(
    scored: Scored,
    qrels: pd.DataFrame,
    located: pd.DataFrame,
    lacking: Mapping[tuple[str, str], Sequence[str]],
    evidence: Mapping[str, str],
    calls: pd.DataFrame | None,
) -> pd.DataFrame:
    """Make a row for each question and system, as `RetrievedEvaluation.questions` describes it.

    Args:
        evidence: The text of each question's evidence.
        lacking: By system and question the words of the evidence that texts which overlap it lack.
        calls: Of retrievers that were asked: name, qid, seconds, batch, error.
    """
    query = question_texts(qrels)
    count = located.groupby(["name", "qid"]).size().to_dict()
    best = located[located["rank"] == 1]
    first = dict(zip(zip(best["name"], best["qid"], strict=True), best["text"].str[:SHOWN], strict=True))
    frames = []
    for k, name in enumerate(scored.systems):
        frame = pd.DataFrame({"name": name, "qid": scored.qids, "query": [query[qid] for qid in scored.qids]})
        frame["texts"] = [int(count.get((name, qid), 0)) for qid in scored.qids]
        frame = frame.join(pd.DataFrame(scored.values[k], columns=scored.measures))
        frame["lacking"] = [", ".join(lacking.get((name, qid), ())) for qid in scored.qids]
        frame["evidence"] = [evidence.get(qid, "") for qid in scored.qids]
        frame["found"] = [first.get((name, qid), "") for qid in scored.qids]
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    return table if calls is None else table.merge(calls, "left", ["name", "qid"])


def make_system_table(scored: Scored, located: pd.DataFrame, calls: pd.DataFrame | None) -> pd.DataFrame:
    """Make a row for each system: name, questions, texts, placed, measures, unplaced, elsewhere, whole, seconds."""
    rows = []
    for k, name in enumerate(scored.systems):
        own = located[located["name"] == name]
        row: dict[str, str | float] = {
            "name": name,
            "questions": len(scored.qids),
            "texts": len(own),
            "placed": float(own["share"].mean()) if len(own) else 1.0,
        }
        row |= {measure: scored.average(k, i) for i, measure in enumerate(scored.measures)}
        row["unplaced"] = int((own["start"] < 0).sum())
        row["elsewhere"] = int(own["elsewhere"].sum())
        row["whole"] = int(own["whole"].sum())
        if calls is not None:
            seconds = calls.loc[calls["name"] == name, "seconds"]
            row |= {"seconds": float(seconds.median()), "seconds p95": float(seconds.quantile(0.95))}
        rows.append(row)
    return pd.DataFrame(rows)


def make_point_table(scored: Scored, measure: str, points: Sequence[int], confidence: float, seed: int) -> pd.DataFrame:
    """Make a row for each system and point of a measure's curve: name, measure, at, mean, low, high."""
    bounds = scored.intervals(confidence, seed)
    rows = [
        (name, measure, at, scored.average(k, i), *bounds[k, i].tolist())
        for k, name in enumerate(scored.systems)
        for i, at in enumerate(points)
    ]
    return pd.DataFrame(rows, columns=["name", "measure", "at", "mean", "low", "high"])


def make_interval_table(scores: Sequence[Scored], confidence: float, seed: int) -> pd.DataFrame:
    """Make a row for each system and measure (one of *scores* each): name, measure, mean, low, high."""
    bounds = [scored.intervals(confidence, seed) for scored in scores]
    rows = [
        (name, scored.measures[0], scored.average(k, 0), *of_measure[k, 0].tolist())
        for k, name in enumerate(scores[0].systems)
        for scored, of_measure in zip(scores, bounds, strict=True)
    ]
    return pd.DataFrame(rows, columns=["name", "measure", "mean", "low", "high"])
