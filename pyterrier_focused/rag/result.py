"""The result of `evaluate_retrieved`: its tables and its curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import pandas as pd

from ..evaluation.leads import compare_two
from ..evaluation.measure_notes import is_share
from .counting import describe_counting
from .gates import GatedRuns
from .results import Question, Results
from .scores import Scored, read_scored

if TYPE_CHECKING:
    from ir_measures import Measure


@dataclass(frozen=True, eq=False, kw_only=True)
class RetrievedEvaluation(GatedRuns):
    """The result of `evaluate_retrieved`: the table, its questions, and the place of each retrieved text.

    Args:
        table: A row per system: name, questions, texts, placed (mean share of a text's words), measures, unplaced
            (texts without a place), elsewhere (texts in another document than they name), whole (texts taken as whole
            documents); of retrievers that were asked also seconds a question, median and 95th percentile.
        questions: A row per question and system: name, qid, query, texts, measures, lacking (the words of the evidence
            that texts which overlap it lack: all numbers and negations, with a plus those that they add, then others
            up to five), evidence (its text), found (the text that was retrieved first); of retrievers that were asked
            also seconds, whether these are a share of the time of a batch, and the error that was raised.
        located: A row per text: name, qid, rank (from 1), text, docno, start, end (of its first run), status, spans
            (docno and span of all its runs; of a text in several places the first in each), runs (how many), share (of
            its words, in its runs), gap (the text of the article between them), around (characters of the text that
            are in no run), elsewhere (whether it is in another document than it names), detail, step (if any has one).
        texts: The texts of the articles, and the retrieved texts that are in none of them.
        retrieved: The retrieved items as they came, by system and qid.
    """

    kind = "retrieved"
    tables: ClassVar[tuple[str, ...]] = ("table", "questions", "located")

    questions: pd.DataFrame
    located: pd.DataFrame

    @property
    def topics(self) -> pd.DataFrame:
        """The questions that were scored, as a frame `qid, query`."""
        return self.questions[["qid", "query"]].drop_duplicates("qid")

    @property
    def calls(self) -> pd.DataFrame | None:
        """Of retrievers that were asked: name, qid, seconds, batch, error."""
        names = ["name", "qid", "seconds", "batch", "error"]
        return self.questions[names] if set(names) <= set(self.questions.columns) else None

    def read_again(self) -> Results:
        query = dict(zip(self.questions["qid"], self.questions["query"], strict=True))
        return {
            name: {Question(qid, qid, query[qid]): items for qid, items in of_system.items()}
            for name, of_system in self.retrieved.items()
        }

    def share_placed(self, system: str) -> float:
        """Return the mean share of a system's words that were placed in the corpus."""
        return float(self.table.loc[self.table["name"] == system, "placed"].iloc[0])

    def show_questions(self) -> pd.DataFrame:
        shown = ["name", "qid", *(name for name in ("evidence", "found") if name in self.questions.columns)]
        return self.questions[shown]

    def score(self, measure: Measure, systems: Sequence[str]) -> Scored:
        if str(measure) in self.questions.columns:
            return read_scored(self.questions, self.qrels, str(measure), systems)
        return super().score(measure, systems)

    def __repr__(self) -> str:
        return self._format(lambda frame: str(frame.to_string(index=False, float_format="{:.3f}".format)), "\n")

    def _repr_html_(self) -> str:
        return self._format(lambda frame: str(frame.to_html(index=False, float_format="{:.3f}".format)), "<br>")

    def _format(self, write: Callable[[pd.DataFrame], str], line_end: str) -> str:
        table = self.table.copy()
        if "placed" in table.columns:
            table["placed"] = table["placed"].map("{:.1%}".format)
        if not self.measures:
            return write(table)
        title = f"{self.confidence:.0%} intervals:"
        lines = [write(table), *describe_counting(self.measures), "", title, write(self.format_intervals())]
        return line_end.join([*lines, *self._describe_leads()])

    def _describe_leads(self) -> list[str]:
        """Say for each measure which of two systems is better, and how sure that is; nothing if there are not two."""
        leads = []
        for measure, scored in zip(self.measures, self._scores, strict=True):
            values = scored.values[:, scored.counting[:, 0], 0]
            if len(values) == 2 and values.shape[1] > 1:
                lead = compare_two((scored.systems[0], scored.systems[1]), values, is_share(measure))
                leads.append(f"- {scored.measures[0]}: {lead.describe()}")
        return ["", "Which is better? (randomisation, two-sided)", *leads] if leads else []
