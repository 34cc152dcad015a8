"""Several runs measured on the same topics: the values that the report shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Metric

from ..frames.consistency import warn_of_foreign_run
from ..frames.spans import Floats
from ..measures import FocusedMeasure
from ..measures.ranking import Ranking
from .provider import NAMES, FocusedEvaluator
from .registry import MeasureNames, MeasureNote, is_share, measure_note, parse, require_measures
from .span_frames import make_dict
from .topic_values import value_intervals


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The values that `evaluate` measured, with means and intervals.

    Args:
        qids: The judged topics, in the order of the qrels.
        values: An array of systems x topics x measures.
        rankings: Each run joined with the qrels; none if no measure is of this package.
    """

    systems: list[str]
    qids: list[str]
    measures: list[str]
    values: Floats
    notes: list[MeasureNote]
    rankings: Sequence[Ranking] = ()

    @cached_property
    def means(self) -> Floats:
        """Means over topics, of each system (row) and measure (column)."""
        means: Floats = self.values.mean(axis=1)
        return means

    @cached_property
    def highest(self) -> Floats:
        """The highest mean of each measure."""
        highest: Floats = self.means.max(axis=0)
        return highest

    @cached_property
    def intervals(self) -> Floats | None:
        """The 95% confidence interval of each mean: systems x measures x (low, high); None for one topic."""
        systems, topics, measures = self.values.shape
        if topics < 2:
            return None
        columns = self.values.transpose(1, 0, 2).reshape(topics, -1)
        bounded = np.tile([is_share(name) for name in self.measures], systems)
        ends = value_intervals(columns, np.ones(topics), bounded, level=0.95)
        return np.stack([end.reshape(systems, measures) for end in ends], axis=2)

    def interval(self, system: int, measure: int) -> tuple[float, float]:
        """Return the 95% confidence interval of one mean; the mean itself for one topic."""
        if self.intervals is None:
            return float(self.means[system, measure]), float(self.means[system, measure])
        low, high = self.intervals[system, measure].tolist()
        return low, high

    @cached_property
    def order(self) -> list[int]:
        """The systems by the first measure, best first."""
        return sorted(range(len(self.systems)), key=lambda k: (-self.means[k, 0], self.systems[k]))

    def per_query(self) -> pd.DataFrame:
        """Return the values as `pt.Experiment(perquery=True)` gives them: `name, qid, measure, value`."""
        names = ["name", "qid", "measure"]
        index = pd.MultiIndex.from_product([self.systems, self.qids, self.measures], names=names)
        return pd.Series(self.values.ravel(), index=index, name="value").reset_index()


def evaluate(
    qrels: pd.DataFrame,
    runs: Mapping[str, pd.DataFrame],
    measures: MeasureNames,
    *,
    join_for: Sequence[FocusedMeasure] = (),
) -> Evaluation:
    """Score every run on every judged topic.

    Args:
        join_for: Measures that will be computed from the `rankings` of the result.

    Example:
        >>> from pyterrier_focused import parse
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> evaluate(qrels, {"mine": run}, parse("AP P@1")).means.tolist()
        [[0.5, 0.0]]
    """
    # each measure once; none with parameters that crash a provider
    measures = parse(measures)
    require_measures(measures)
    qids = [str(qid) for qid in dict.fromkeys(qrels["qid"])]
    names = [str(measure) for measure in measures]
    row, column = ({name: i for i, name in enumerate(values)} for values in (qids, names))
    values = np.zeros((len(runs), len(qids), len(names)))
    judged = qrels.rename(columns=NAMES)
    own = [measure for measure in measures if isinstance(measure, FocusedMeasure)]
    others = [measure for measure in measures if not isinstance(measure, FocusedMeasure)]
    focused = FocusedEvaluator([*own, *join_for], judged) if own or join_for else None
    standard = ir_measures.evaluator(others, judged) if others else None
    rankings = []
    for k, (name, run) in enumerate(runs.items()):
        retrieved = run.rename(columns=NAMES)
        with naming(name):
            metrics: list[Metric] = []
            if focused:
                rankings.append(focused.join(retrieved))
                metrics += focused.score(rankings[-1], own)
            else:
                warn_of_foreign_run(run, qrels)
            metrics += standard.iter_calc(make_dict(retrieved, "score")) if standard else ()
        for metric in metrics:
            values[k, row[str(metric.query_id)], column[str(metric.measure)]] = metric.value
    return Evaluation(list(runs), qids, names, values, [measure_note(measure) for measure in measures], rankings)


def join(
    qrels: pd.DataFrame, run: pd.DataFrame | Ranking, *measures: FocusedMeasure, qid: str | None = None
) -> Ranking:
    """Join a run with the qrels, with the columns that measures read.

    Example:
        >>> from ir_measures import parse_measure
        >>> qrels = pd.DataFrame([["q1", "a", 1, [(0, 5)]]], columns=["qid", "docno", "label", "highlights"])
        >>> run = pd.DataFrame([["q1", "a", 1.0, [(3, 9)]]], columns=["qid", "docno", "score", "passages"])
        >>> ranking = join(qrels, run, parse_measure("CharP"))
        >>> [sizes.tolist() for sizes in ranking.article_sizes("error")]
        [[6], [2]]
    """
    if isinstance(run, Ranking):
        return run
    if qid is not None:
        qrels, run = (frame[frame["qid"].map(str) == str(qid)] for frame in (qrels, run))
        if not len(qrels):
            raise ValueError(f"the qrels have no topic {qid!r}")
    evaluator = FocusedEvaluator(measures, qrels.rename(columns=NAMES))
    return evaluator.join(run.rename(columns=NAMES))


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Name the run in errors that are raised inside the `with` block.

    Example:
        >>> with naming("mine"):
        ...     raise ValueError("no topic is judged")
        Traceback (most recent call last):
        ValueError: run 'mine': no topic is judged
    """
    try:
        yield
    except ValueError as error:
        raise ValueError(f"run {name!r}: {error}") from error
