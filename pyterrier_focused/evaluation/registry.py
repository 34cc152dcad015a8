"""The registry of measures: how they get their names in both hosts, are read from strings, and are explained."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import wraps
from typing import Any, NamedTuple

import ir_measures
from ir_measures import Measure, util
from ir_measures import measures as ir_registry

from ..errors import check_choice, warn_caller
from ..measures import FocusedMeasure
from ..measures.registration import is_taken, name_object

# Measures as callers name them: a string of several, a measure, or a list of these.
MeasureNames = str | Measure | Iterable[str | Measure]
# Python itself may die of an expression that is nested a hundred thousand times.
_MAX_LENGTH = 1_000
_FORM = "a measure is written NAME(key=value, ...)@value, such as iP@0.01 or AgP(task='bic',n=1000)"
# a section of a docstring of ours: from its name to the next one
_SECTION = r"{}: (.*?)(?=\n\w[\w ]*:|\n\n|\Z)"
_CITED = re.compile(r"\.\. cite\.dblp:: (\S+)")
# ir_measures' measures with values in [0, 1]
_SHARES = frozenset(
    "AP AP_IA Accuracy Bpref Compat ERR ERR_IA INSQ INST IPrec Judged NRBP P P_IA R RBP RR Rprec SDCG SetAP SetF "
    "SetP SetR StRecall Success alpha_nDCG infAP nDCG nERR_IA nNRBP".split()
)


def _measure_in_context(parameters: str) -> str:
    """Write gP at early ranks and AgP with these parameters ("INEX 2007 Evaluation Measures", 5.3)."""
    return " ".join([*(f"gP({parameters})@{rank}" for rank in (5, 10, 25, 50)), f"AgP({parameters})"])


# Equations are those of "INEX 2007 Evaluation Measures", 4.3 and 5; adhoc is the ranking of whole articles.
PRESETS = {
    "focused": "iP@0.0 iP@0.01 iP@0.05 iP@0.1 AiP",
    # Equations 6, 8 and 9.
    "in-context": _measure_in_context("beta=1"),
    "best-in-context": _measure_in_context("task='bic',A=0.1"),
    "best-in-context-n": _measure_in_context("task='bic',n=1000"),
    # The default weight of recall and distance of the official program, inex_eval 1.0.
    "inex-eval": _measure_in_context("beta=0.25"),
    "inex-eval-bic": _measure_in_context("task='bic',n=500"),
    "adhoc": "AP P@5 P@10 RR Bpref",
    "articles": "AP nDCG@10 P@10 RR R@1000 Bpref",
    "characters": "CharP CharR CharF CharIoU CharAP",
    # For RAG.
    "evidence": "SpanHit@5 SpanR@5 SpanRR CharP@5 CharR@5 CharIoU@5",
    "budget": "CharR(chars=2000) CharP(chars=2000) CharIoU(chars=2000) AiP",
}


def let_pyterrier_parse_names() -> None:
    """Let strings name our measures in `pt.Experiment`, the only function of a host that is replaced.

    PyTerrier reads strings by `ir_measures.parse_trec_measure`, whose list of names nobody can add to.
    """
    plain = getattr(util, "parse_trec_measure", None)
    if plain is None or not hasattr(ir_measures, "parse_trec_measure"):
        warn_caller(
            "this version of ir_measures has no parse_trec_measure: pt.Experiment takes measures of "
            "pyterrier_focused as objects, such as parse('AgP'), not as strings"
        )
        return

    @wraps(plain)
    def parse_trec_measure(measure: str) -> list[Measure]:
        try:
            measures: list[Measure] = plain(measure)
        except ValueError as refusal:
            try:
                measures = [parse_measure(measure)]
            except NameError:
                raise ValueError(f"{refusal}{suggest_names(measure)}") from None
        _check_cutoffs(measures)
        return measures

    ir_measures.parse_trec_measure = parse_trec_measure


def parse(measures: MeasureNames) -> list[Measure]:
    """Parse measures as `pt.Experiment` wants them: a list of ir_measures measures.

    The columns of `pt.Experiment` have this package's measures in this order, after those of other providers.

    Args:
        measures: A string of measures that are separated by white space or commas, or a list of such strings and of
            measures; trec_eval's names (`map`, `ndcg_cut_10`) are known too. A measure that is named twice is one.

    Raises:
        ValueError: If a measure is not known (the error suggests names), or a parameter is not allowed.

    Example:
        >>> parse("iP@0.01, AgP(task='bic') map")
        [iP@0.01, AgP(task='bic'), AP]
    """
    parsed: list[Measure] = []
    items: Iterable[object] = [measures]
    if isinstance(measures, Iterable) and not isinstance(measures, str | Measure):
        items = measures
    for item in items:
        if isinstance(item, Measure):
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
    _check_cutoffs(parsed)
    # made again, so that they are in the order of this call
    return [measure() if isinstance(measure, FocusedMeasure) else measure for measure in dict.fromkeys(parsed)]


def _check_cutoffs(measures: Iterable[Measure]) -> None:
    """Refuse ranks below 1, of which pytrec_eval would end the process."""
    for measure in measures:
        if measure.params.get("cutoff", 1) < 1:
            raise ValueError(f"{measure}: a cutoff is at least 1")


def require_measures(measures: Sequence[Measure]) -> None:
    if not measures:
        raise ValueError("no measures given; name some, such as 'SpanHit@5 AiP AP'")


def preset(name: str) -> list[Measure]:
    """Return a named set of measures, as `parse` does: `pt.Experiment(..., preset("focused"))`.

    `PRESETS` has them as strings, and `pt-focused evaluate -m` takes their names.

    Args:
        name: 'focused', 'in-context', 'best-in-context' (with A) and 'best-in-context-n' are those of the paper "INEX
            2007 Evaluation Measures", 'inex-eval' and 'inex-eval-bic' those of the official program's defaults;
            'adhoc' ranks whole articles, 'articles' has the usual measures of document retrieval today; 'characters'
            has precision, recall and their combinations over all retrieved text; 'evidence' measures the first five
            chunks, 'budget' the first 2,000 characters.

    Example:
        >>> preset("focused")
        [iP@0.0, iP@0.01, iP@0.05, iP@0.1, AiP]
    """
    check_choice("preset", name, PRESETS)
    return parse(PRESETS[name])


def expand_presets(text: str) -> str:
    """Replace the names of presets by their measures, as commands do.

    Example:
        >>> expand_presets("focused AP").split()[-2:]
        ['AiP', 'AP']
    """
    return " ".join(PRESETS.get(word, word) for word in text.split(" "))


def parse_measure(text: str) -> Measure:
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
    at_value: ast.expr | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        at_value = node.right
        node = node.left
    elif isinstance(node, ast.Subscript):
        # INEX writes iP[0.01]
        at_value = node.slice
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
    if at_value is not None:
        if measure.AT_PARAM in given:
            raise ValueError(f"{text!r}: {measure.AT_PARAM} is given twice, by name and after @")
        given[measure.AT_PARAM] = _read_value(at_value, text)
    parsed: Measure = measure(**given)
    return parsed


def _read_value(node: ast.expr, text: str) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        raise ValueError(f"{text!r}: values are numbers, texts, True, False or dicts of them; {_FORM}") from None


def _parse_one(text: str) -> list[Measure]:
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


class MeasureNote(NamedTuple):
    """The explanation of one measure for readers of a report; *range* and *source* are '' if they are not known."""

    name: str
    full_name: str
    what: str
    range: str
    source: str

    @property
    def sentence(self) -> str:
        text = f"{self.full_name}: {self.what}"
        text += f" Range: {self.range}" if self.range else ""
        return text + (f" Source: {self.source}" if self.source else "")


def measure_note(measure: Measure) -> MeasureNote:
    name = str(measure.NAME)
    text = inspect.getdoc(type(measure)) or ""
    range_, source = (_join_lines(re.search(_SECTION.format(part), text, re.DOTALL)) for part in ("Range", "Source"))
    if isinstance(getattr(ir_registry, name, None), type(measure)):
        cited = _CITED.search(text)
        source = f"dblp.org/rec/{cited[1]}; computed by ir_measures." if cited else "ir_measures."
        range_ = "[0, 1]." if name in _SHARES else ""
    what = getattr(measure, "SHORT_DESC", None) or text.partition("\n")[0]
    return MeasureNote(str(measure), getattr(measure, "PRETTY_NAME", None) or name, what, range_, source)


def is_share(measure: Measure | str) -> bool:
    """Tell whether a measure is known to have values in [0, 1] only."""
    if isinstance(measure, str):
        try:
            (measure,) = parse(measure)
        except ValueError:
            return False
    return bool(measure.is_share if isinstance(measure, FocusedMeasure) else measure.NAME in _SHARES)


def _join_lines(match: re.Match[str] | None) -> str:
    return " ".join(match[1].split()) if match else ""
