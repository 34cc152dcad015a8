"""The result of `evaluate_retrieved`: its tables and its curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..tokens import Tokens
from .evidence_values import draw_curve, keep_answerable, recall_curve
from .judged_runs import JudgedRuns

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class RetrievedEvaluation(JudgedRuns):
    """What `evaluate_retrieved` returns: the table, its questions, and what became of each retrieved text.

    Args:
        table: A row per system: name, questions, texts, placed (share of the texts), measures, low and high.
        questions: A row per question and system: name, qid, query, texts, measures.
        located: A row per text: name, qid, rank (from 1), text, docno, start, end, status, places, detail, share (of
            its letters, at its place), around (characters of the text that are not there).
        qrels: The evidence.
        runs: Run frames, by the systems' names.
        texts: Those of the articles, and of the retrieved texts that are in none of them.
        measures: Those of the table.
        unit: What sizes are counted in; None for characters.
        confidence: The level of the intervals, low to high.
        seed: That of the draws for intervals.
    """

    kind = "retrieved"
    tables = ("table", "questions", "located")

    table: pd.DataFrame
    questions: pd.DataFrame
    located: pd.DataFrame
    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]
    texts: Mapping[str, str]
    measures: list[Any]
    unit: Tokens | None
    confidence: float = 0.95
    seed: int = 0

    def plot(self, ax: Axes | None = None, budgets: Sequence[int] | None = None) -> Axes:
        """Draw recall of the evidence against the text read, a line per system (extra [plots]).

        Args:
            ax: The axes to draw into; new ones without.
            budgets: Numbers of characters, or of tokens with a *unit*; without them up to all that was retrieved.

        Returns:
            The axes.
        """
        return draw_curve(recall_curve(keep_answerable(self.qrels), self.runs, budgets, self.unit), self.unit, ax)

    @property
    def topics(self) -> pd.DataFrame:
        """The questions that were scored, as a frame `qid, query`."""
        return self.questions[["qid", "query"]].drop_duplicates("qid")

    def share_placed(self, system: str) -> float:
        """Return the share of a system's texts that were placed in the corpus.

        Args:
            system: The system's name.

        Returns:
            A number in [0, 1].
        """
        return float(self.table.loc[self.table["name"] == system, "placed"].iloc[0])

    def __repr__(self) -> str:
        return _format_table(self).to_string(index=False)

    def _repr_html_(self) -> str:
        html: str = _format_table(self).to_html(index=False)
        return html


def _format_table(result: RetrievedEvaluation) -> pd.DataFrame:
    """Write the table with intervals beside the means."""
    table = result.table
    shown = table[["name", "questions", "texts"]].assign(placed=table["placed"].map("{:.1%}".format))
    for measure in map(str, result.measures):
        columns = (table[measure], table[f"{measure} low"], table[f"{measure} high"])
        shown[measure] = [f"{mean:.3f} [{low:.3f}, {high:.3f}]" for mean, low, high in zip(*columns, strict=True)]
    return shown
