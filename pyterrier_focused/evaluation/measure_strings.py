"""Measures from strings, as `pt.Experiment` wants them."""

from __future__ import annotations

import ast
import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import wraps
from typing import Any

import ir_measures
from ir_measures import measures as ir_registry
from ir_measures import util

from ..measures import FocusedMeasure
from ..measures.registry import is_taken, name_object
from .preset_measures import PRESETS

# Measures as callers name them: a string of several, a measure, or a list of these.
MeasureNames = str | ir_measures.Measure | Iterable[str | ir_measures.Measure]
# Python itself may die of an expression that is nested a hundred thousand times.
_MAX_LENGTH = 1_000
_FORM = "a measure is written NAME(key=value, ...)@value, such as iP@0.01 or AgP(task='bic',n=1000)"


def parse(measures: MeasureNames) -> list[ir_measures.Measure]:
    """Parse measures as `pt.Experiment` wants them: a list of ir_measures measures.

    The columns of `pt.Experiment` have this package's measures in this order, after those of other providers.

    Args:
        measures: A string of measures that are separated by white space or commas, or a list of such strings and of
            measures; trec_eval's names (`map`, `ndcg_cut_10`) are known too. A measure that is named twice is one.

    Example:
        >>> parse("iP@0.01, AgP(task='bic') map")
        [iP@0.01, AgP(task='bic'), AP]
    """
    parsed: list[ir_measures.Measure] = []
    items: Iterable[object] = [measures]
    if isinstance(measures, Iterable) and not isinstance(measures, str | ir_measures.Measure):
        items = measures
    for item in items:
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
        try:
            measure.validate_params()
        except AssertionError as error:
            raise ValueError(f"{measure.NAME}: {error}") from None
        # pytrec_eval would end the process
        if measure.params.get("cutoff", 1) < 1:
            raise ValueError(f"{measure}: a cutoff is at least 1")
    # made again, so that they are in the order of this call
    return [measure() if isinstance(measure, FocusedMeasure) else measure for measure in dict.fromkeys(parsed)]


def let_pyterrier_parse_names() -> None:
    """Let strings name our measures in `pt.Experiment`, the only function of a host that is replaced.

    PyTerrier reads strings by `ir_measures.parse_trec_measure`, whose list of names nobody can add to.
    """
    plain = util.parse_trec_measure

    @wraps(plain)
    def parse_trec_measure(measure: str) -> list[ir_measures.Measure]:
        try:
            return plain(measure)
        except ValueError as refusal:
            try:
                return [parse_measure(measure)]
            except NameError:
                raise ValueError(f"{refusal}{suggest_names(measure)}") from None

    ir_measures.parse_trec_measure = parse_trec_measure


def require_measures(measures: Sequence[ir_measures.Measure]) -> None:
    if not measures:
        raise ValueError("no measures given; name some, such as 'SpanHit@5 AiP AP'")


def parse_measure(text: str) -> ir_measures.Measure:
    """Read one measure as `ir_measures.parse_measure` does, which needs names of `ast` that Python 3.14 lacks.

    Raises:
        NameError: No measure has this name.
        ValueError: The text is not of the form `NAME(key=value, ...)@value`, or a value is not allowed.
    """
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"{text[:60]!r}... has {len(text):,} characters; {_FORM}")
    try:
        node: ast.expr = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text!r}: {_FORM} ({error})") from None
    given: dict[str, Any] = {}
    at_value: list[Any] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        at_value = [_read_value(node.right, text)]
        node = node.left
    elif isinstance(node, ast.Subscript):
        # INEX writes iP[0.01]
        at_value = [_read_value(node.slice, text)]
        node = node.value
    if isinstance(node, ast.Call):
        if node.args or any(keyword.arg is None for keyword in node.keywords):
            raise ValueError(f"{text!r}: parameters have names: {_FORM}")
        given = {str(keyword.arg): _read_value(keyword.value, text) for keyword in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name):
        raise ValueError(f"{text!r}: {_FORM}")
    name = unicodedata.normalize("NFKC", node.id)
    if name not in ir_registry.registry:
        raise NameError(f"measure not found: {name}")
    measure = ir_registry.registry[name]
    if at_value:
        if measure.AT_PARAM in given:
            raise ValueError(f"{text!r}: {measure.AT_PARAM} is given twice, by name and after @")
        given[measure.AT_PARAM] = at_value[0]
    parsed: ir_measures.Measure = measure(**given)
    return parsed


def _read_value(node: ast.expr, text: str) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        raise ValueError(f"{text!r}: values are numbers, texts, True, False or dicts of them; {_FORM}") from None


def _parse_one(text: str) -> list[ir_measures.Measure]:
    name = _find_name(text)
    if is_taken(name):
        raise ValueError(
            f"{name!r} is another plugin's measure in ir_measures, not that of pyterrier_focused; give the object "
            f"{name_object(name)}"
        )
    try:
        return [parse_measure(text)]
    except NameError:
        try:
            return util.parse_trec_measure(text)
        except ValueError:
            raise ValueError(f"no measure is called {name!r}{suggest_names(name)}") from None


def suggest_names(text: str) -> str:
    """Return '; did you mean ...?' with names of measures and presets that are like that of *text*, '' if none is."""
    name = _find_name(text)
    if name in PRESETS:
        return f"; it is a preset: pyterrier_focused.preset({name!r}) gives its measures"
    known = [*ir_registry.registry, *PRESETS]
    close = [other for other in known if other.lower() == name.lower()]
    close = close or difflib.get_close_matches(name, known, n=3)
    return f"; did you mean {', '.join(close)}?" if close else ""


def _find_name(text: str) -> str:
    return re.split(r"[(@\[]", text)[0]


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
