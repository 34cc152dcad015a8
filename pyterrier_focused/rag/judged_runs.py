"""The common part of the results of `evaluate_retrieved` and `compare_chunkers`: runs, their values, saving."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from ir_measures import Measure

from ..errors import check_choice
from ..evaluation.evaluation import join
from ..evaluation.measure_strings import MeasureNames, parse
from ..evaluation.text_units import CountedTexts, TextUnits
from ..evaluation.tokens import Tokens
from ..frames.packing import pack, unpack
from ..measures import CharR
from ..measures.alternatives import by_alternative
from ..measures.budget import Reading
from .counting import count_measures
from .evidence_values import draw_curve, keep_answerable, micro_averages, spread_points
from .match_questions import Retrieved
from .result_files import ResultFile, write_result
from .scores import Scored, join_points, make_interval_table, make_point_table, score_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The kinds of a curve's points.
Axis = Literal["text", "rank", "step"]


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedRuns:
    """Runs with the qrels that judge them.

    `table` has a row for each system, `runs` are run frames by the systems' names; `tables` are the names of the frames
    that are saved. `fingerprints` tell the texts of documents with evidence; None: an earlier version saved none.
    """

    kind: ClassVar[str]
    tables: ClassVar[tuple[str, ...]]

    table: pd.DataFrame
    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]
    measures: Sequence[Measure]
    unit: CountedTexts[Any] | None
    texts: Mapping[str, str] = field(default_factory=dict)
    retrieved: Retrieved = field(default_factory=dict)
    fingerprints: Mapping[str, str] | None = None
    confidence: float = 0.95
    seed: int = 0

    def share_placed(self, system: str) -> float:
        """Return the share of a system's texts that were placed in the corpus; all of them if they were cut from it."""
        return 1.0

    def show_questions(self) -> pd.DataFrame:
        """Return the texts to show beside each question, if any: name, qid, evidence, found."""
        return pd.DataFrame(columns=["name", "qid"])

    def score(self, measure: Measure, systems: Sequence[str]) -> Scored:
        """Return the values of a measure, counted as in the result's table."""
        return score_runs(self.qrels, {name: self.runs[name] for name in systems}, count_measures([measure], self.unit))

    def micro(self, measures: MeasureNames) -> pd.DataFrame:
        """Compute micro averages of measures that are ratios, over the questions with evidence; see `micro_averages`.

        Example:
            >>> from pyterrier_focused import evaluate_retrieved
            >>> evidence = [{"question": "who?", "docno": "a", "quote": "Ada"}]
            >>> result = evaluate_retrieved(evidence, {"who?": ["It was Ada."]}, {"a": "It was Ada."})
            >>> result.micro("CharR").values.tolist()
            [['results', 1.0]]
        """
        return micro_averages(keep_answerable(self.qrels), self.runs, count_measures(parse(measures), self.unit))

    def per_query(self) -> pd.DataFrame:
        """Return the values as `pt.Experiment(perquery=True)` does, of the questions that count for each measure."""
        frames = []
        for scored in self._scores:
            counts = scored.counting[:, 0]
            qids = np.array(scored.qids, dtype=object)[counts]
            frame = pd.DataFrame({"name": np.repeat(scored.systems, len(qids)), "qid": np.tile(qids, len(self.runs))})
            frames.append(frame.assign(measure=scored.measures[0], value=scored.values[:, counts, 0].ravel()))
        return pd.concat(frames, ignore_index=True)

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """A row for each system and measure: name, measure, mean, low, high."""
        return make_interval_table(self._scores, self.confidence, self.seed)

    def format_intervals(self, places: int = 3) -> pd.DataFrame:
        """Write the intervals for a reader: a row per system, a column `[low, high]` per measure."""
        cells = [
            f"[{low:.{places}f}, {high:.{places}f}]"
            for low, high in zip(self.intervals["low"], self.intervals["high"], strict=True)
        ]
        written = self.intervals.assign(interval=cells).pivot(index="name", columns="measure", values="interval")
        measures = self.intervals["measure"].unique()
        return written.loc[self.table["name"], measures].rename_axis(columns=None).reset_index()

    @cached_property
    def _scores(self) -> list[Scored]:
        return [self.score(measure, list(self.runs)) for measure in self.measures]

    def curve(
        self,
        at: Sequence[int] | None = None,
        measures: MeasureNames = "CharR",
        *,
        by: Axis = "text",
        confidence: float | None = None,
    ) -> pd.DataFrame:
        """Compute measures at several points of the ranking, with intervals as in `intervals`.

        Args:
            at: The points; without them up to 40 over all that was retrieved, or all steps.
            by: Their kind: 'text', characters read, as in `CharR(chars=500)`, or tokens if the result counts these;
                'rank', as in `CharR@5`; 'step', all items up to that `step` of an agent: items without one are there
                from the start, and a question with fewer steps keeps its last value.
            confidence: The level of the intervals, in place of the result's.

        Returns:
            A row for each system and point: name, measure, at, mean, low, high.

        Example:
            >>> from pyterrier_focused import evaluate_retrieved
            >>> evidence = [{"question": "who?", "docno": "a", "quote": "Ada"}]
            >>> result = evaluate_retrieved(evidence, {"who?": ["It was Ada."]}, {"a": "It was Ada."})
            >>> result.curve([8, 9, 10])["mean"].round(2).tolist()
            [0.33, 0.67, 1.0]
        """
        check_choice("by", by, ("text", "rank", "step"))
        asked = parse(measures)
        for measure in asked:
            if not {"cutoff", "chars", "tokens"}.isdisjoint(measure.params):
                raise ValueError(f"{measure} has its point already; give {measure.NAME}, and the points as at=")
        level = self.confidence if confidence is None else confidence
        if not 0 < level < 1:
            raise ValueError(f"confidence={confidence!r}: give a share between 0 and 1, such as 0.95")
        points = list(dict.fromkeys(self._list_points(by) if at is None else at))
        if not points:
            raise ValueError("a curve has one point or more: give at=, such as [100, 1000]")
        tables = []
        for measure in asked:
            scored = self._score_points(measure, by, points)
            tables.append(make_point_table(scored, str(measure), points, level, self.seed))
        return pd.concat(tables, ignore_index=True)

    def plot(
        self, ax: Axes | None = None, budgets: Sequence[int] | None = None, *, confidence: float | None = None
    ) -> Axes:
        """Draw recall of the evidence against the text read, a line per system (extra [plots]).

        *budgets* are numbers of characters, or of the unit; without them up to all that was retrieved. *confidence*,
        say 0.95, adds a band around each line.
        """
        if confidence is not None and keep_answerable(self.qrels)["qid"].nunique() < 2:
            raise ValueError("a band of confidence is made over topics and needs at least 2")
        curve = self.curve(budgets, confidence=confidence)
        return draw_curve(curve if confidence else curve.drop(columns=["low", "high"]), self.unit, ax)

    def _list_points(self, by: Axis) -> list[int]:
        if by == "step":
            return self._list_steps()
        if by == "rank":
            bounds = [join(self.qrels, run, CharR).item_bounds for run in self.runs.values()]
            return spread_points(1, max(int(np.diff(of_run).max(initial=0)) for of_run in bounds))
        rankings = [join(keep_answerable(self.qrels), run, CharR) for run in self.runs.values()]
        readings = [Reading(by_alternative(ranking), self.unit) for ranking in rankings]
        return spread_points(50, max((int(reading.total.max(initial=0)) for reading in readings), default=0))

    def _list_steps(self) -> list[int]:
        steps = {item.step for of in self.retrieved.values() for items in of.values() for item in items}
        if steps <= {None}:
            raise ValueError("no item has a step: give items a field 'step', the number of the agent's step")
        return sorted(step for step in steps if step is not None)

    def _score_points(self, measure: Measure, by: Axis, points: Sequence[int]) -> Scored:
        if by == "step":
            self._list_steps()
            return join_points([
                score_runs(self.qrels, self._cut_runs(step), count_measures([measure], self.unit)) for step in points
            ])  # fmt: skip
        supported = measure.SUPPORTED_PARAMS
        name = "cutoff" if by == "rank" else "chars"
        if by == "text" and isinstance(self.unit, Tokens) and "tokens" in supported:
            name = "tokens"
        # The cutoff of iP is a level of recall.
        if name not in supported or supported[name].dtype is not int:
            raise ValueError(f"{measure} has no curve by {by}: it has no {'@k' if by == 'rank' else f'{name}='}")
        asked = count_measures([measure(**{name: point}) for point in points], self.unit)
        return score_runs(self.qrels, self.runs, asked)

    def _cut_runs(self, step: int) -> dict[str, pd.DataFrame]:
        """Return the runs with the items up to a step; an item's rank is in the scores of its passages."""
        cut = {}
        most = max(len(items) for of in self.retrieved.values() for items in of.values())
        for name, run in self.runs.items():
            parts = unpack(run)
            rank = most - np.ceil(parts["score"].to_numpy()).astype(int)
            items = self.retrieved[name]
            steps = [items[qid][i].step for qid, i in zip(parts["qid"], rank.tolist(), strict=True)]
            cut[name] = pack(parts[[of is None or of <= step for of in steps]].reset_index(drop=True))
        return cut

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the result in one file, from which `load_result` reads it: a zip archive of JSON.

        It keeps the retrieved texts as they came: `evaluate_retrieved(evidence, load_result(path), corpus)` scores them
        again without calling the retriever.

        Measures that count tokens are saved by their values for each question; their tokenizer is not.
        """
        frames = {name: getattr(self, name) for name in ("qrels", *self.tables)}
        about = {
            "kind": self.kind,
            "measures": [str(measure) for measure in self.measures],
            "confidence": self.confidence,
            "seed": self.seed,
            "unit": None if self.unit is None else self.unit.name,
            "starts": self.unit.starts if isinstance(self.unit, TextUnits) else None,
            "fingerprints": self.fingerprints,
        }
        write_result(ResultFile(about, frames, self.runs, self.texts, self.retrieved), path)


def take_fingerprints(qrels: pd.DataFrame, texts: Mapping[str, str]) -> dict[str, str]:
    """Return a fingerprint of the text of each document that evidence is in."""
    docnos = dict.fromkeys(qrels["docno"][qrels["label"] > 0])
    return {docno: hashlib.sha256(texts[docno].encode("utf-8", "surrogatepass")).hexdigest()[:32] for docno in docnos}
