"""Curves as one table of points, means over topics: what plots and reports draw from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..frames.spans import Floats, ratio
from ..measures.alternatives import find_alternatives
from ..measures.best_alternative import best
from ..measures.budget import Reading
from ..measures.ranking import Ranking
from .topic_values import band_intervals


class Curve(NamedTuple):
    """A curve of each topic: the points of the *axis*, and columns of *values*, each topics x points."""

    axis: str
    points: ArrayLike
    values: Mapping[str, Floats]


def tabulate_curves(curves: Mapping[str, Curve], confidence: float | None) -> pd.DataFrame:
    """Lay out curves by name as one table, a row per point: `name`, the axis, and the means of the values over topics.

    With *confidence* the columns `low` and `high` bound the means of the first values.
    """
    frames = []
    for name, (axis, points, values) in curves.items():
        means = {column: of_topics.sum(axis=0) / max(len(of_topics), 1) for column, of_topics in values.items()}
        frame = pd.DataFrame({axis: points, **means})
        if confidence is not None and len(frame):
            frame["low"], frame["high"] = band_intervals(next(iter(values.values())), confidence)
        frame.insert(0, "name", name)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def trace_reading(axis: str, budgets: Sequence[int], reading: Reading, ranking: Ranking) -> Curve:
    """Trace recall and precision after each budget of text; each topic's best alternative counts."""
    read, found = reading.after(np.asarray(budgets, dtype=np.int64))
    shares = {"recall": ratio(found, reading.topic_size[:, None]), "precision": ratio(found, read)}
    alternatives = find_alternatives(ranking.judgments)
    return Curve(axis, list(budgets), {name: best(share, alternatives) for name, share in shares.items()})
