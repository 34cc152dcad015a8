"""How results count text: what was retrieved twice once, in the unit that was asked for, under the names as typed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...errors import name_some
from ...measures import FocusedMeasure
from ..measure_strings import parse
from ..tokens import Tokens

if TYPE_CHECKING:
    from ir_measures import Measure

DEFAULT = "SpanHit@5 CharR@5 CharP@5 SpanRR"


def count_measures(measures: Iterable[Measure], unit: Tokens | None) -> list[Measure]:
    """Let measures count text that was retrieved twice once, and in a unit, unless they say something else.

    Example:
        >>> (measure,) = count_measures(parse("CharR@5"), None)
        >>> measure, measure["overlap"]
        (CharR@5, 'once')
    """
    return list(dict.fromkeys(_count_measure(measure, unit) for measure in measures))


def _count_measure(measure: Measure, unit: Tokens | None) -> Measure:
    if not isinstance(measure, FocusedMeasure):
        return measure
    params: dict[str, Any] = {}
    overlap = measure.SUPPORTED_PARAMS.get("overlap")
    if overlap is not None and overlap.default == "error" and "overlap" not in measure.params:
        params["overlap"] = "once"
    if unit is not None and counts_unit(measure):
        params["unit"] = unit
    return measure(**params).shown_as(str(measure)) if params else measure


def counts_unit(measure: FocusedMeasure) -> bool:
    """Tell whether a measure counts in the unit of a result: it can, and has none of its own."""
    return "unit" in measure.SUPPORTED_PARAMS and "unit" not in measure.params


def default_measures(unit: Tokens | None = None) -> list[Measure]:
    """Return the measures of a result: is evidence found in the first 5, how much of it, with how much else, and when?

    Args:
        unit: What sizes are counted in; None for characters.

    Example:
        >>> default_measures()
        [SpanHit@5, CharR@5, CharP@5, SpanRR]
    """
    return count_measures(parse(DEFAULT), unit)


def describe_counting(measures: Iterable[Measure]) -> list[str]:
    """Say what the names of measures do not: which count repeated text once, and which count in what unit."""
    named = [measure for measure in measures if isinstance(measure, FocusedMeasure)]
    once = [m for m in named if "overlap=" not in str(m) and m.params.get("overlap") == "once"]
    lines = [f"{name_some(once)}: text that was retrieved twice counts once (overlap='once')"] if once else []
    tokens = [measure for measure in named if "unit=" not in str(measure) and "unit" in measure.params]
    for unit in dict.fromkeys(measure["unit"].name for measure in tokens):
        names = name_some(measure for measure in tokens if measure["unit"].name == unit)
        lines.append(f"{names}: counted in tokens of {unit}")
    return lines
