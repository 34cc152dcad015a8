"""Values of evidence: the measures of a comparison, micro averages, and recall against the text that is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..collection.corpora import Corpus
from ..evaluation.curves import tabulate_curves, trace_reading
from ..evaluation.evaluation import join
from ..evaluation.inputs import as_runs
from ..evaluation.measure_strings import MeasureNames, parse
from ..evaluation.plot_style import draw_lines, label_lines, new_axes
from ..evaluation.text_units import CountedTexts
from ..frames.checks import check_qrels
from ..frames.spans import ratio
from ..measures import CharR
from ..measures.alternatives import by_alternative
from ..measures.base import RatioMeasure
from ..measures.best_alternative import fractions
from ..measures.budget import Reading
from .counting import describe_unit
from .evidence import EvidenceInput, read_spans

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Points of the curve.
_POINTS = 40


def micro_averages(
    qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame] | pd.DataFrame, measures: MeasureNames
) -> pd.DataFrame:
    """Average measures over all text instead of over questions: one row per run, one column `micro MEASURE` each.

    A micro average divides the sum of the numerators over all judged topics by the sum of the denominators, so that a
    question with much evidence weighs more; `pt.Experiment` averages the questions' ratios (macro).

    Example:
        >>> row = {"qid": ["q1", "q2"], "docno": ["7", "8"]}
        >>> qrels = pd.DataFrame({**row, "label": 1, "highlights": [[(0, 40)], [(0, 10)]]})
        >>> run = pd.DataFrame({**row, "score": 1.0, "passages": [[(0, 80)], [(0, 10)]]})
        >>> micro_averages(qrels, {"mine": run}, "CharP").round(3).values.tolist()
        [['mine', 0.556]]
    """
    asked: list[RatioMeasure] = []
    for measure in parse(measures):
        if not isinstance(measure, RatioMeasure):
            raise ValueError(f"{measure} is not a ratio of sums, so it has no micro average; ask for CharP, CharR, "
                             "CharF, CharIoU or SpanR")  # fmt: skip
        asked.append(measure)
    rows = []
    for name, run in as_runs(runs).items():
        ranking = join(qrels, run, *asked)
        row: dict[str, Any] = {"name": name}
        for measure in asked:
            numerator, denominator = (np.sum(amounts) for amounts in fractions(measure, ranking))
            row[f"micro {measure}"] = float(ratio(np.array(numerator), np.array(denominator)))
        rows.append(row)
    return pd.DataFrame(rows)


def read_evidence(evidence: EvidenceInput, corpus: Corpus, **options: Any) -> pd.DataFrame:
    """Return a qrels frame, given as such or as evidence that `read_spans` reads with these *options*."""
    if isinstance(evidence, pd.DataFrame) and "highlights" in evidence.columns:
        return evidence
    return read_spans(evidence, corpus, **options)


def check_articles(qrels: pd.DataFrame, known: Iterable[str]) -> pd.DataFrame:
    """Check a qrels frame: all the articles with evidence are among the *known* ones."""
    check_qrels(qrels)
    docnos = dict.fromkeys(known)
    marked = qrels["label"].to_numpy() > 0
    lost = [docno for docno in dict.fromkeys(qrels["docno"][marked]) if docno not in docnos]
    if lost:
        raise ValueError(
            f"the qrels judge {len(lost)} articles that are not in the corpus, such as {lost[0]!r}; the corpus has "
            f"{len(docnos)}, such as {next(iter(docnos))!r}"
        )
    return qrels


def keep_answerable(qrels: pd.DataFrame) -> pd.DataFrame:
    """Keep the questions that have evidence; only `Abstain` scores the others."""
    judged = set(qrels["qid"][qrels["label"] > 0])
    return qrels[qrels["qid"].isin(judged)].reset_index(drop=True)


def recall_curve(
    qrels: pd.DataFrame,
    runs: Mapping[str, pd.DataFrame],
    budgets: Sequence[int] | None,
    unit: CountedTexts[Any] | None,
    confidence: float | None = None,
) -> pd.DataFrame:
    """Mean recall and precision over questions after reading each budget of text: `name, budget, recall, precision`.

    With *confidence*, `low` and `high` bound the mean recall.
    """
    rankings = {name: join(qrels, run, CharR) for name, run in runs.items()}
    readings = {name: Reading(by_alternative(ranking), unit) for name, ranking in rankings.items()}
    if budgets is None:
        budgets = spread_points(
            50, max((int(reading.total.max(initial=0)) for reading in readings.values()), default=0)
        )
    curves = {name: trace_reading("budget", budgets, readings[name], rankings[name]) for name in rankings}
    return tabulate_curves(curves, confidence)


def spread_points(first: int, last: int) -> list[int]:
    """Return up to 40 whole numbers from *first* to *last* (at least twice the first), in a constant ratio."""
    return sorted(set(np.geomspace(first, max(last, 2 * first), _POINTS).round().astype(int).tolist()))


def draw_curve(curve: pd.DataFrame, unit: CountedTexts[Any] | None, ax: Axes | None) -> Axes:
    """Draw recall of the evidence against the text read, a line per name (extra [plots])."""
    ax = new_axes(ax, f"{describe_unit(unit).capitalize()} read", "Recall of the evidence")
    ax.set_xscale("log")
    ax.set_ylim(0, 1.02)
    draw_lines(ax, curve, "at", "mean")
    return label_lines(ax)
