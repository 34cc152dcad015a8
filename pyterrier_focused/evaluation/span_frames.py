"""Standard measures of frames with spans: the providers of ir_measures are given the columns that they read.

ir_measures iterates over frames row by row, and makes Python objects of each cell, those with spans included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure, Metric, Qrel, providers

from ..frames import consistency
from .input_columns import name_columns, number_ids


class SpanFramesProvider(providers.Provider):
    """Stands before the providers of ir_measures, and asks them. Frames without spans reach them as they are."""

    NAME = "focused_span_frames"

    def __init__(self, others: Iterable[providers.Provider]):
        super().__init__()
        self._others = providers.FallbackProvider(list(others))

    def supports(self, measure: Measure) -> bool:
        # which are available is asked last: it imports their packages
        return any(provider.supports(measure) and provider.is_available() for provider in self._others.providers)

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> SpanFramesEvaluator:
        narrow = qrels
        if _has(qrels, "highlights"):
            qrels = name_columns(qrels)
            # `iteration` names the subtopic that a judgment is of
            narrow = qrels[list(Qrel._fields)] if _has(qrels, "iteration") else make_dict(qrels, "relevance")
        return SpanFramesEvaluator(self._others.evaluator(measures, narrow), qrels)

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        return list(self._others.run_inputs(measures))

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        return list(self._others.qrel_inputs(measures))


class SpanFramesEvaluator(providers.Evaluator):
    def __init__(self, evaluator: providers.Evaluator, qrels: Any):
        super().__init__(evaluator.measures, evaluator.qrel_qids)
        self._evaluator = evaluator
        self._judged = qrels["doc_id"] if _has(qrels, "highlights") else None

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        if isinstance(run, pd.DataFrame):
            run = name_columns(run)
        if _has(run, "passages"):
            run = make_dict(run, "score")
        elif self._judged is not None and _has(run, "doc_id"):
            consistency.warn(consistency.describe_unpacked_run(run["doc_id"], self._judged))
        yield from self._evaluator.iter_calc(run)


def make_dict(frame: pd.DataFrame, value: str) -> dict[str, dict[str, Any]]:
    """Make the dict of dicts that ir_measures takes for a run (*value*: `score`) or qrels (`relevance`).

    Example:
        >>> make_dict(pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "score": [2.0, 1.0]}), "score")
        {'q1': {'a': 2.0, 'b': 1.0}}
    """
    columns = ["query_id", "doc_id", value]
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f"the frame lacks the columns {missing} (found {list(frame.columns)})")
    topics, codes = number_ids(frame, "query_id", "run" if value == "score" else "qrels")
    order = np.argsort(codes, kind="stable")
    docnos, values = (frame[column].iloc[order].tolist() for column in columns[1:])
    bounds = np.searchsorted(codes[order], np.arange(len(topics) + 1)).tolist()
    return {
        qid: dict(zip(docnos[first:last], values[first:last], strict=True))
        for qid, (first, last) in zip(topics, pairwise(bounds), strict=True)
    }


def _has(frame: object, column: str) -> bool:
    return isinstance(frame, pd.DataFrame) and column in frame.columns


def register() -> None:
    """Put the provider before those of ir_measures, but after that of measures defined at runtime, which read all."""
    known = ir_measures.DefaultPipeline.providers
    if all(provider.NAME != SpanFramesProvider.NAME for provider in known):
        theirs = [provider for provider in known if type(provider).__module__.startswith("ir_measures.")]
        theirs.remove(ir_measures.runtime)
        known.insert(known.index(ir_measures.runtime) + 1, SpanFramesProvider(theirs))
