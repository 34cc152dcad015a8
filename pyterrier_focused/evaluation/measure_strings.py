"""Measures from strings, as `pt.Experiment` wants them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import ir_measures
from ir_measures import measures as ir_registry

from ..measures import MEASURES, FocusedMeasure


def parse(measures: str | Iterable[str | ir_measures.Measure]) -> list[ir_measures.Measure]:
    """Parse measures as `pt.Experiment` wants them: a list of ir_measures measures.

    Takes one string, `"iP@0.01 AgP(task='bic') AP nDCG@10"`, measures separated by white space or commas, or a list of
    such strings and measures; trec_eval's names (`map`, `ndcg_cut_10`) are known too. Raises ValueError for others.
    The columns of `pt.Experiment` have this package's measures in this order, behind those of other providers.
    """
    parsed: list[ir_measures.Measure] = []
    one = isinstance(measures, str | ir_measures.Measure) or not isinstance(measures, Iterable)
    for item in [measures] if one else measures:
        if isinstance(item, ir_measures.Measure):
            parsed.append(item)
        elif isinstance(item, str):
            for text in _split_measures(item):
                parsed.extend(_parse_one(text))
        else:
            raise ValueError(
                f"{item!r} is not a measure; give ir_measures measures, or strings such as 'iP@0.01 AgP AP'"
            )
    for measure in parsed:
        if isinstance(measure, FocusedMeasure):
            measure.validate_params()
    # made anew, so that they stand in the order of this call
    return [measure() if isinstance(measure, FocusedMeasure) else measure for measure in parsed]


def _parse_one(text: str) -> list[ir_measures.Measure]:
    ours = {name for measure in MEASURES for name in measure.names()}
    name = text.split("(")[0].split("@")[0]
    if name in ours and is_taken(name):
        raise ValueError(
            f"{name!r} is another plugin's measure in ir_measures, not that of pyterrier_focused; give the object "
            f"pyterrier_focused.measures.{name}"
        )
    try:
        return [ir_measures.parse_measure(text)]
    except NameError:
        try:
            return ir_measures.parse_trec_measure(text)
        except ValueError:
            close = get_close_matches(name, ir_registry.registry, n=3)
            hint = f"; did you mean {', '.join(close)}?" if close else ""
            raise ValueError(f"no measure is called {name!r}{hint}") from None


def _split_measures(text: str) -> list[str]:
    """Split at white space and commas outside parentheses and quotes."""
    parts = [""]
    depth = 0
    quote = ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif depth == 0 and (character.isspace() or character == ","):
            parts.append("")
            continue
        parts[-1] += character
    return [part for part in parts if part]


def is_taken(name: str) -> bool:
    """Tell whether ir_measures knows another plugin's measure by the name of one of ours."""
    known = ir_registry.registry.get(name)
    return known is not None and not type(known).__module__.startswith("pyterrier_focused.")
