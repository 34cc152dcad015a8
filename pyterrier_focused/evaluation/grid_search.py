"""Measures as PyTerrier's GridSearch and KFoldGridSearch can maximise them."""

from __future__ import annotations

from typing import Any

import ir_measures


def objective(measure: Any) -> Any:
    """Return *measure* (an object, or a string as in `ir_measures.parse_measure`) as PyTerrier's searches take it.

        pt.KFoldGridSearch(pipeline, {bm25: {"k1": [0.5, 0.9], "b": [0.2, 0.4]}}, folds, qrels, objective("AiP"))

    `pt.GridSearch` and `pt.KFoldGridSearch` look a measure up among results that PyTerrier keeps by the measures' names
    (1.1.2: `max_measure = grid_outcomes[0][1][metric]`), so objects raise a KeyError there, and strings are read as
    trec_eval's names. What this returns is the same measure, and equal to its name as well. It is for these two
    functions alone; `pt.GridScan` and `pt.Experiment` take measures as they are.
    """
    found = ir_measures.parse_measure(measure) if isinstance(measure, str) else measure
    if not isinstance(found, ir_measures.measures.Measure):
        raise ValueError(f"objective: {measure!r} is not a measure; give one of ir_measures, or its name")
    kind = type(found)
    named = type(kind.__name__, (kind,), {"__eq__": _equals_name, "__hash__": kind.__hash__})
    # the same object of a class that differs in its equality alone
    same: Any = object.__new__(named)
    same.__dict__.update(found.__dict__)
    return same


def _equals_name(self: Any, other: object) -> bool:
    return str(self) == (other if isinstance(other, str) else str(other))
