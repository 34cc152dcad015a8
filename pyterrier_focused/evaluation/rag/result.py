"""The result of `evaluate_retrieved`: its tables, its curve, and what may be required of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ...errors import RequirementError
from ...frames.spans import Floats
from ..measure_strings import parse
from ..tokens import Tokens
from .evidence_values import draw_curve, keep_answerable, recall_curve
from .scores import average, score_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_REQUIREMENT = re.compile(
    r"\s*(?P<measure>.+?)\s*(?P<sign>>=|<=|>|<)\s*(?P<value>[0-9]*\.?[0-9]+)\s*(?P<percent>%?)\s*"
)
_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, bound: value >= bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    "<": lambda value, bound: value < bound,
}


@dataclass(frozen=True, eq=False)
class RetrievedEvaluation:
    """What `evaluate_retrieved` returns: the table, its questions, and what became of each retrieved text."""

    table: pd.DataFrame  # a row per system: name, questions, texts, placed (share of the texts), measures, low and high
    questions: pd.DataFrame  # a row per question and system: name, qid, query, texts, measures
    located: pd.DataFrame  # a row per text: name, qid, rank (from 1), text, docno, start, end, status, places, detail
    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]  # run frames, by the systems' names
    texts: Mapping[str, str]  # of the articles, and of the retrieved texts that are in none of them
    measures: list[Any]
    unit: Tokens | None

    def plot(self, ax: Axes | None = None, budgets: Sequence[int] | None = None) -> Axes:
        """Draw recall of the evidence against the text read, a line per system (extra [plots])."""
        return draw_curve(recall_curve(keep_answerable(self.qrels), self.runs, budgets, self.unit), self.unit, ax)

    @property
    def topics(self) -> pd.DataFrame:
        """The questions that were scored, as a frame `qid, query`."""
        return self.questions[["qid", "query"]].drop_duplicates("qid")

    def require(self, requirement: str, system: str | None = None, worst: int = 5) -> None:
        """Raise a RequirementError where a mean falls short: `result.require("SpanHit@5 >= 0.8")`.

        *requirement*: a measure, one of >=, >, <=, <, and a number (80% is 0.8). *system*: the system it is asked of;
        all of them without. The error names the *worst* questions and holds them all as `questions`.
        """
        found = _REQUIREMENT.fullmatch(requirement)
        if found is None:
            raise ValueError(
                f"{requirement!r} is not a requirement; write a measure and a bound, such as 'SpanHit@5 >= 0.8'"
            )
        measures = parse(found["measure"])
        if len(measures) != 1:
            raise ValueError(f"{requirement!r} names {len(measures)} measures; give one requirement for each")
        if system is not None and system not in self.runs:
            raise ValueError(f"no system is called {system!r}; there are {', '.join(map(repr, self.runs))}")
        bound = float(found["value"]) / (100 if found["percent"] else 1)
        runs = self.runs if system is None else {system: self.runs[system]}
        scored = score_runs(self.qrels, runs, measures)
        failed = []
        for k, name in enumerate(runs):
            values, counts = scored.values[k, :, 0], scored.counting[:, 0]
            if not _HOLDS[found["sign"]](average(values, counts), bound):
                failed.append(
                    _describe_failure(requirement, name, values, counts, scored.qids, self, found["sign"], worst)
                )
        if failed:
            questions = pd.concat([frame for _, frame in failed], ignore_index=True)
            raise RequirementError("\n".join(message for message, _ in failed), questions)

    def __repr__(self) -> str:
        return _format_table(self).to_string(index=False)

    def _repr_html_(self) -> str:
        html: str = _format_table(self).to_html(index=False)
        return html


def _format_table(result: RetrievedEvaluation) -> pd.DataFrame:
    """The table with intervals beside the means."""
    table = result.table
    shown = table[["name", "questions", "texts"]].assign(placed=table["placed"].map("{:.1%}".format))
    for measure in map(str, result.measures):
        columns = (table[measure], table[f"{measure} low"], table[f"{measure} high"])
        shown[measure] = [f"{mean:.3f} [{low:.3f}, {high:.3f}]" for mean, low, high in zip(*columns, strict=True)]
    return shown


def _describe_failure(
    requirement: str, name: str, values: Floats, counting: np.ndarray, qids: list[str], result: RetrievedEvaluation,
    sign: str, worst: int,
) -> tuple[str, pd.DataFrame]:  # fmt: skip
    """Say how far a system is from a requirement, and on which questions."""
    query = dict(zip(result.questions["qid"], result.questions["query"], strict=True))
    frame = pd.DataFrame({"name": name, "qid": qids, "query": [query[qid] for qid in qids], "value": values})[counting]
    frame = frame.sort_values("value", ascending=sign.startswith(">"), kind="stable")
    lines = [f"  {row.qid}: {row.value:.3f}  {row.query}" for row in frame.head(worst).itertuples()]
    mean = average(values, counting)
    message = f"system {name!r} fails {requirement!r}: it is {mean:.4f} over {len(frame)} questions; worst:"
    return "\n".join([message, *lines]), frame
