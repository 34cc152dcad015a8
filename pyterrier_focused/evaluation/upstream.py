"""What ir_measures should do by itself, done for it until it does; `pt_docs/upstream.md` has the patches.

1. Frames are handed to other providers with the columns that ir_measures defines, names as text, labels as whole
   numbers. It reads frames row by row, all columns of them: a column of passages took longer than the measures.
2. Providers that are asked together name topics as text, all of them: numbers and texts are two topics to it.
3. `ir_measures.parse_trec_measure`, which PyTerrier asks for measures given as strings, knows the names of measures
   too, not trec_eval's only.

They step aside by themselves: what ir_measures can do is never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import TypeVar

import ir_measures
import pandas as pd
from ir_measures import Qrel, ScoredDoc, util
from ir_measures.providers import Evaluator, fallback_provider

from .measure_strings import parse_measure

Function = TypeVar("Function", bound=Callable[..., object])
Converter = util.RunConverter | util.QrelsConverter
# Reads a run or qrels as named tuples, row by row.
RowReader = Callable[[Converter], Iterator[Qrel | ScoredDoc]]
Scorer = Callable[[Evaluator, object], Iterator[ir_measures.Metric]]

_MARK = "_pyterrier_focused"


def extend() -> None:
    """Extend ir_measures; again does no harm."""
    _replace_function(util.RunConverter, "as_namedtuple_iter", lambda plain: _read_narrow(plain, "run", ScoredDoc))
    _replace_function(util.QrelsConverter, "as_namedtuple_iter", lambda plain: _read_narrow(plain, "qrels", Qrel))
    _replace_function(fallback_provider.FallbackEvaluator, "__init__", _name_topics)
    _replace_function(fallback_provider.FallbackEvaluator, "_iter_calc", _name_topics_of_values)
    _replace_function(ir_measures, "parse_trec_measure", _parse_all_names)


def _replace_function(owner: object, name: str, make: Callable[[Function], Function]) -> None:
    """Put a function in the place of one of ir_measures', or of one that this package put there before."""
    plain = getattr(owner, name)
    plain = getattr(plain, _MARK, plain)
    new = make(plain)
    setattr(new, _MARK, plain)
    setattr(owner, name, new)


def _read_narrow(plain: RowReader, attribute: str, row: type[Qrel | ScoredDoc]) -> RowReader:
    """Return a reader of rows that hands the reader of ir_measures no column that it does not know."""

    @wraps(plain)
    def as_namedtuple_iter(converter: Converter) -> Iterator[Qrel | ScoredDoc]:
        kind, _ = converter.predict_type()
        if kind == "pd_dataframe":
            frame = getattr(converter, attribute)
            columns = [name for name in row._fields if name in frame.columns]
            converter = type(converter)(_make_plain(frame[columns]), strict=converter.strict)
        return plain(converter)

    return as_namedtuple_iter


def _make_plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with names as text and labels as whole numbers, as trec_eval's measures want them."""
    changed: dict[str, pd.Series[str] | pd.Series[int]] = {}
    for name in ("query_id", "doc_id"):
        if name in frame.columns and frame[name].dtype.kind in "iu":
            changed[name] = frame[name].astype(str)
    if "relevance" in frame.columns and frame["relevance"].dtype.kind == "f":
        label = frame["relevance"]
        if (label % 1 == 0).all():
            changed["relevance"] = label.astype("int64")
    return frame.assign(**changed) if changed else frame


def _name_topics(plain: Callable[..., None]) -> Callable[..., None]:
    @wraps(plain)
    def __init__(
        evaluator: Evaluator, measures: Iterable[ir_measures.Measure], evaluators: Sequence[Evaluator]
    ) -> None:
        plain(evaluator, measures, evaluators)
        evaluator.qrel_qids = list(map(str, evaluator.qrel_qids))

    return __init__


def _name_topics_of_values(plain: Scorer) -> Scorer:
    @wraps(plain)
    def _iter_calc(evaluator: Evaluator, run: object) -> Iterator[ir_measures.Metric]:
        for metric in plain(evaluator, run):
            named = isinstance(metric.query_id, str)
            yield metric if named else metric._replace(query_id=str(metric.query_id))

    return _iter_calc


def _parse_all_names(plain: Callable[[str], list[ir_measures.Measure]]) -> Callable[[str], list[ir_measures.Measure]]:
    @wraps(plain)
    def parse_trec_measure(measure: str) -> list[ir_measures.Measure]:
        try:
            return plain(measure)
        except ValueError as refusal:
            try:
                return [parse_measure(measure)]
            except NameError:
                raise refusal from None

    return parse_trec_measure
