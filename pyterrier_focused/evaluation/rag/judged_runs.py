"""What the results of `evaluate_retrieved` and `compare_chunkers` share: gates, and being saved."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pandas as pd
from ir_measures import Measure

from ...errors import RequirementError
from ..text_units import CountedTexts, TextUnits
from .counting import count_measures
from .gates import Cluster, Comparison, GateCheck, check_requirement, compare_with
from .match_questions import Retrieved
from .result_files import ResultFile, write_result
from .scores import Scored, score_runs


class JudgedRuns:
    """Runs with the qrels that judge them, of which something may be required.

    `runs` are run frames by the systems' names; `tables` are the names of the frames that are saved.
    """

    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]
    measures: Sequence[Measure]
    texts: Mapping[str, str]
    confidence: float
    seed: int
    unit: CountedTexts[Any] | None
    retrieved: Retrieved
    kind: ClassVar[str]
    tables: ClassVar[tuple[str, ...]]

    def share_placed(self, system: str) -> float:
        """Return the share of a system's texts that were placed in the corpus; all of them if they were cut from it."""
        return 1.0

    def score(self, measure: Measure, systems: Sequence[str]) -> Scored:
        """Return the values of a measure, counted as in the result's table."""
        return score_runs(self.qrels, {name: self.runs[name] for name in systems}, count_measures([measure], self.unit))

    def check(self, requirement: str, system: str | None = None, worst: int = 5) -> list[GateCheck]:
        """Tell for each system whether a requirement holds; see `require`."""
        return check_requirement(self, requirement, system, worst)

    def require(self, requirement: str, system: str | None = None, worst: int = 5) -> None:
        """Raise a RequirementError if a value falls short: `result.require("SpanHit@5 >= 0.8")`.

        Args:
            requirement: A measure, one of >=, >, <=, <, and a number (80% is 0.8). With `low` or `high` after the
                measure, the end of its interval is compared; `placed` is the share of texts' words that were found.
            system: The system that it is asked of; without it, all of them.
            worst: How many questions the error names; its `questions` has all of the systems that fail.
        """
        _raise_failures(self.check(requirement, system, worst))

    def no_worse_than(
        self,
        main: JudgedRuns,
        measure: str,
        margin: float = 0.0,
        *,
        system: str | None = None,
        strict: bool = False,
        cluster: Cluster = None,
        worst: int = 5,
    ) -> list[Comparison]:
        """Raise a RequirementError if a system is worse than it was: a paired comparison over the questions.

        It fails if the whole 95% interval of the mean difference (`confidence_interval`) lies below -margin: more is
        lost than may be, and that is not chance. Otherwise it passes, which does not say that nothing is lost.

        Args:
            main: The result to compare with, such as `load_result("main.zip")`. A system is compared with the one of
                its name, or with the only one there is.
            margin: How much worse a mean may be.
            strict: Demand evidence: it passes only if the whole interval lies at or above -margin. If neither is so, it
                cannot be told, which raises too and says about how many questions would do.
            cluster: Questions that belong together, such as those of one document, and so are one draw: the name of a
                column of the qrels, such as 'docno', or {qid: label}.

        Raises:
            RequirementError: A system fails, or it cannot be told; the message says which.
        """
        checks = compare_with(self, main, measure, margin, system=system, strict=strict, cluster=cluster, worst=worst)
        _raise_failures(checks)
        return checks

    def compare(
        self,
        main: JudgedRuns,
        measure: str,
        margin: float = 0.0,
        *,
        system: str | None = None,
        strict: bool = False,
        cluster: Cluster = None,
        worst: int = 5,
    ) -> list[Comparison]:
        """Compare with an earlier result as `no_worse_than` does, and raise nothing."""
        return compare_with(self, main, measure, margin, system=system, strict=strict, cluster=cluster, worst=worst)

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


def _raise_failures(checks: list[GateCheck] | list[Comparison]) -> None:
    failed = [check for check in checks if not check.passed]
    if failed:
        questions = pd.concat([check.questions for check in failed], ignore_index=True)
        raise RequirementError("\n".join(check.message for check in failed), questions)
