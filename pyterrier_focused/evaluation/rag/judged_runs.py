"""What the results of `evaluate_retrieved` and `compare_chunkers` share: runs, their values, and being saved."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ir_measures import Measure

from ..measure_strings import MeasureNames, parse
from ..text_units import CountedTexts, TextUnits
from .counting import count_measures
from .evidence_values import keep_answerable, micro_averages
from .match_questions import Retrieved
from .result_files import ResultFile, write_result
from .scores import Scored, make_interval_table, score_runs


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
        """Return what is shown of a question beside its text, if anything: name, qid, evidence, found."""
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
        """The values of each measure of the table."""
        return [self.score(measure, list(self.runs)) for measure in self.measures]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the result in one file, from which `load_result` reads it: a zip archive of JSON.

        It holds what was retrieved as it came: `evaluate_retrieved(evidence, load_result(path), corpus)` asks nobody.

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
