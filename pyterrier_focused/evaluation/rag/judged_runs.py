"""What the results of `evaluate_retrieved` and `compare_chunkers` share: runs, their values, and being saved."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pandas as pd
from ir_measures import Measure

from ..text_units import CountedTexts, TextUnits
from .counting import count_measures
from .match_questions import Retrieved
from .result_files import ResultFile, write_result
from .scores import Scored, score_runs


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedRuns:
    """Runs with the qrels that judge them.

    `runs` are run frames by the systems' names; `tables` are the names of the frames that are saved.
    """

    kind: ClassVar[str]
    tables: ClassVar[tuple[str, ...]]

    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]
    measures: Sequence[Measure]
    unit: CountedTexts[Any] | None
    texts: Mapping[str, str] = field(default_factory=dict)
    retrieved: Retrieved = field(default_factory=dict)
    confidence: float = 0.95
    seed: int = 0

    def share_placed(self, system: str) -> float:
        """Return the share of a system's texts that were placed in the corpus; all of them if they were cut from it."""
        return 1.0

    def score(self, measure: Measure, systems: Sequence[str]) -> Scored:
        """Return the values of a measure, counted as in the result's table."""
        return score_runs(self.qrels, {name: self.runs[name] for name in systems}, count_measures([measure], self.unit))

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
        }
        write_result(ResultFile(about, frames, self.runs, self.texts, self.retrieved), path)
