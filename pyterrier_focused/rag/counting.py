"""How results count text: repeated text once, in the unit that was asked for, under the names as typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ir_measures import Measure

from ..collection.corpora import CorpusArticle
from ..errors import name_some
from ..evaluation.measure_strings import parse
from ..evaluation.text_units import CountedTexts, TextUnits, UnitName
from ..evaluation.tokens import Tokens
from ..measures import FocusedMeasure

# A unit of sizes, as callers give it.
UnitInput = UnitName | Callable[[str], Iterable[object]] | CountedTexts[Any]
DEFAULT = "SpanHit@5 CharR@5 CharP@5 SpanRR"


def make_unit(
    unit: UnitInput | None, texts: Mapping[str, str], articles: Iterable[CorpusArticle] = ()
) -> CountedTexts[Any] | None:
    """Return the unit for these texts; None for characters. *articles* give the pages that were given one by one."""
    if unit is None or isinstance(unit, CountedTexts):
        return unit and unit.of(texts)
    if not isinstance(unit, str):
        return Tokens(texts, unit)
    pages = {article.docno: [page.start for page in article.pages] for article in articles if article.pages}
    return TextUnits(texts, unit, pages if unit == "pages" else None)


def count_measures(measures: Iterable[Measure], unit: CountedTexts[Any] | None) -> list[Measure]:
    """Let measures count repeated text once, and count in a unit, unless they say otherwise."""
    return list(dict.fromkeys(_count_measure(measure, unit) for measure in measures))


def _count_measure(measure: Measure, unit: CountedTexts[Any] | None) -> Measure:
    if not isinstance(measure, FocusedMeasure):
        return measure
    params: dict[str, Any] = {}
    overlap = measure.SUPPORTED_PARAMS.get("overlap")
    if overlap is not None and overlap.default == "error" and "overlap" not in measure.params:
        params["overlap"] = "once"
    if unit is not None and counts_unit(measure):
        params["unit"] = unit
    return measure(**params).shown_as(str(measure)) if params else measure


def _counts_once(measure: FocusedMeasure) -> bool:
    """Tell whether the unit of a measure counts once, whatever its `overlap`."""
    return "unit" in measure.params and measure["unit"].counts_once


def counts_unit(measure: FocusedMeasure) -> bool:
    """Tell whether a measure counts in the unit of a result: it can, and has none of its own.

    Of measures of evidence only a budget of tokens does.
    """
    supported = measure.SUPPORTED_PARAMS
    is_of_evidence = "tokens" in supported and "tokens" not in measure.params
    return "unit" in supported and "unit" not in measure.params and not is_of_evidence


def default_measures(unit: CountedTexts[Any] | None = None) -> list[Measure]:
    """Return the measures of a result: is evidence found in the first 5, how much, with how much else, and when?

    Example:
        >>> default_measures()
        [SpanHit@5, CharR@5, CharP@5, SpanRR]
    """
    return count_measures(parse(DEFAULT), unit)


def describe_counting(measures: Iterable[Measure]) -> list[str]:
    """Say what the names of measures leave open: which count repeated text once, and in which unit each counts."""
    named = [measure for measure in measures if isinstance(measure, FocusedMeasure)]
    once = [m for m in named if "overlap=" not in str(m) and m.params.get("overlap") == "once" and not _counts_once(m)]
    lines = [f"{name_some(once)}: text that was retrieved twice counts once (overlap='once')"] if once else []
    counted: dict[str, list[FocusedMeasure]] = {}
    for measure in named:
        if "unit" in measure.params and "unit=" not in str(measure):
            counted.setdefault(describe_unit(measure["unit"]), []).append(measure)
    return [*lines, *(f"{name_some(of_unit)}: counted in {unit}" for unit, of_unit in counted.items())]


def describe_unit(unit: CountedTexts[Any] | None) -> str:
    """Name the unit of sizes: characters, lines, "tokens (str.split)"."""
    if unit is None:
        return "characters"
    return f"tokens ({unit.name})" if isinstance(unit, Tokens) else unit.name
