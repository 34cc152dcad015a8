"""The value of a topic with alternatives: that of its best one, for any measure and for micro averages."""

from __future__ import annotations

import numpy as np

from ..frames.spans import Floats, ratio
from .alternatives import Alternatives, by_alternative, find_alternatives
from .base import Amounts, FocusedMeasure, RatioMeasure
from .ranking import Ranking


def values(measure: FocusedMeasure, ranking: Ranking) -> Floats:
    """Score each judged topic by a measure: by its best alternative if it has several."""
    if not measure.OF_ALTERNATIVES or "highlights" not in measure.QRELS_COLUMNS:
        return measure.calculate(ranking)
    return best(measure.calculate(by_alternative(ranking)), find_alternatives(ranking.judgments))


def best(values: Floats, alternatives: Alternatives | None) -> Floats:
    return values if alternatives is None else np.maximum.reduceat(values, alternatives.first, axis=0)


def fractions(measure: RatioMeasure, ranking: Ranking) -> tuple[Amounts, Amounts]:
    """Return numerator and denominator of a ratio for each judged topic, by its best alternative."""
    alternatives = find_alternatives(ranking.judgments)
    if alternatives is None or not measure.OF_ALTERNATIVES:
        return measure.fractions(ranking)
    numerator, denominator = measure.fractions(by_alternative(ranking))
    shares = ratio(numerator, denominator)
    order = np.lexsort((np.arange(len(shares)), -shares, alternatives.topic))[alternatives.first]
    return numerator[order], denominator[order]
