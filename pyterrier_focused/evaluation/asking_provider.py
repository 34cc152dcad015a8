"""The provider that asks all others of ir_measures, and hands each the form of run and qrels that it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import pandas as pd
import pyarrow as pa
from ir_measures import Measure, Metric, Qrel, ScoredDoc, providers, util

from ..frames import consistency
from ..frames.checks import row_name, scores
from ..frames.tables import as_pandas
from .input_columns import NAMES, read_names, read_whole_numbers
from .measure_limits import check_limits, naming_provider
from .replacements import MARK, TargetError, find_providers
from .trec_columns import TrecColumns, is_supported
from .trec_dicts import make_qrels_dict, make_run_dicts

# Columns with cells that are slow to read row by row.
_SPAN_COLUMNS = {"passages", "highlights"}
# ir_measures' providers that read a run, or qrels, as a dict of dicts; those that read rows need other columns, too.
_READ_RUN_DICTS = {"pytrec_eval", "compat", "judged", "msmarco"}
_READ_QRELS_DICTS = {"pytrec_eval", "compat", "judged", "accuracy"}
# pandas' names for columns of numbers.
_NUMBERS = ("integer", "mixed-integer", "floating", "mixed-integer-float")
# What of ir_measures is used here.
ASKING_NEEDS = (
    "ir_measures.util:QrelsConverter",
    "ir_measures.util:RunConverter",
    "ir_measures.providers:FallbackProvider",
)


class AskingProvider(providers.Provider):
    """Asks all other providers, and hands each the form of run and qrels that it reads.

    It stands before the others, and so is the place where measures of several providers come together.
    """

    NAME = "pyterrier_focused_asking"
    # Whether standard measures of all frames are computed from columns, in this process or for this provider only.
    reads_columns = False
    # Whether PyTerrier had already begun an evaluation when numeric ids were switched on.
    is_late = False

    @property
    def _others(self) -> providers.FallbackProvider:
        try:
            known = find_providers()
        except TargetError:
            known = [providers.registry["pytrec_eval"], *providers.registry.values()]
        return providers.FallbackProvider([provider for provider in known if provider.NAME != self.NAME])

    def supports(self, measure: Measure) -> bool:
        return any(provider.supports(measure) and provider.is_available() for provider in self._others.providers)

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        return list(self._others.run_inputs(measures))

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        return list(self._others.qrel_inputs(measures))

    def _evaluator(self, measures: Iterable[Measure], qrels: object) -> AskingEvaluator:
        return AskingEvaluator(self.choose_providers(measures), qrels, self.reads_columns)

    def choose_providers(self, measures: Iterable[Measure]) -> list[tuple[providers.Provider, list[Measure]]]:
        asked: list[tuple[providers.Provider, list[Measure]]] = []
        left = list(measures)
        for measure in left:
            check_limits(measure)
        for provider in self._others.providers:
            supported = [measure for measure in left if provider.supports(measure)]
            if supported and provider.is_available():
                groups = _ask_apart(supported) if provider.NAME == "pytrec_eval" else [supported]
                asked += [(provider, group) for group in groups]
                left = [measure for measure in left if measure not in supported]
        return asked


def speed_up_standard_measures(on: bool = True) -> None:
    """Let all frames in this process, also those without spans, have standard measures from whole columns.

    AP, nDCG, P, R, RR and others then take a twentieth of their time, with the same values to the last bit. Without it
    that holds for frames with spans, and beside measures of this package.

    Example:
        >>> speed_up_standard_measures()
        >>> speed_up_standard_measures(False)
    """
    AskingProvider.reads_columns = on


def make_evaluator(
    measures: Iterable[Measure], qrels: Iterable[Qrel] | pd.DataFrame | dict[str, dict[str, int]]
) -> providers.Evaluator:
    """Make an evaluator as ir_measures does, but one that reads columns of all frames.

    Example:
        >>> from ir_measures import AP
        >>> evaluator = make_evaluator([AP], {"q1": {"a": 1}})
        >>> evaluator.calc_aggregate({"q1": {"b": 2.0, "a": 1.0}})
        {AP: 0.5}
    """
    provider = AskingProvider()
    provider.reads_columns = True
    return providers.FallbackProvider([provider]).evaluator(measures, qrels)


class AskingEvaluator(providers.Evaluator):
    """The evaluators of several providers. Values have the ids of topics as the run gives them."""

    def __init__(
        self, asked: list[tuple[providers.Provider, list[Measure]]], qrels: object, reads_columns: bool = False
    ):
        converter = util.QrelsConverter(as_pandas(_join_columns(qrels)))
        given = [_Rows(rows.qrels, Qrel._fields) for rows in converter.tee(len(asked))]
        self._qrels = given[0]
        self._evaluators: list[tuple[providers.Provider, providers.Evaluator]] = []
        # our own provider warns of ids that do not fit
        self._asks_ours = any(provider.NAME == "focused" for provider, _ in asked)
        reads_columns = reads_columns or self._asks_ours
        if self._asks_ours and any(provider.NAME == "pytrec_eval" for provider, _ in asked):
            _check_judgments(self._qrels.renamed)
        for (provider, group), rows in zip(asked, given, strict=True):
            with naming_provider(provider.NAME, group):
                if provider.NAME == "pytrec_eval":
                    evaluator: providers.Evaluator = _StandardEvaluator(provider, group, rows, reads_columns)
                else:
                    evaluator = _make_evaluator(provider, group, rows)
            self._evaluators.append((provider, evaluator))
        # ours are in the order in which they were asked for; ir_measures hands over sets
        measures = [measure for _, evaluator in self._evaluators for measure in evaluator.measures]
        super().__init__(measures, self._evaluators[0][1].qrel_qids)

    def iter_calc(self, run: object) -> Iterator[Metric]:
        given = util.RunConverter(as_pandas(run)).tee(len(self._evaluators))
        rows = [_Rows(converter.run, ScoredDoc._fields) for converter in given]
        if not self._asks_ours:
            _warn_of_unpacked_run(rows[0].renamed, self._qrels.renamed)
        asked = [
            self._iter_values(provider, evaluator, form)
            for (provider, evaluator), form in zip(self._evaluators, rows, strict=True)
        ]
        for number, (provider, _) in enumerate(self._evaluators):
            if provider.NAME == "focused":
                # Ours first: its errors say what is wrong with the run.
                asked[number] = iter(list(asked[number]))
        for metrics in asked:
            yield from metrics

    def _iter_values(
        self, provider: providers.Provider, evaluator: providers.Evaluator, rows: _Rows
    ) -> Iterator[Metric]:
        _refuse_late_numbers(rows, self._qrels)
        find_id = _find_ids(rows, self._qrels)
        with naming_provider(provider.NAME, list(evaluator.measures)):
            if isinstance(evaluator, _StandardEvaluator):
                metrics = evaluator.iter_calc(rows)
            else:
                metrics = _calculate_values(provider, evaluator, rows)
            for metric in metrics:
                yield metric if find_id is None else metric._replace(query_id=find_id(metric.query_id))


def _join_columns(qrels: object) -> object:
    """Undo ir_measures' reading of a polars table by columns; return anything else as it is."""
    if isinstance(qrels, Iterator):
        qrels = list(qrels)
        if qrels and all(hasattr(column, "__arrow_c_stream__") for column in qrels):
            return pa.table({column.name: pa.chunked_array(column) for column in qrels})
    return qrels


def _check_judgments(qrels: object) -> None:
    """Name the judgment that pytrec_eval would stumble over without naming it."""
    if isinstance(qrels, pd.DataFrame) and {"query_id", "doc_id", "relevance"} <= set(qrels.columns):
        read_names(qrels, "query_id", "qrels")
        read_names(qrels, "doc_id", "qrels")
        labels = qrels["relevance"]
        for row, label in enumerate(() if pd.api.types.is_numeric_dtype(labels) else labels):
            if isinstance(label, str):
                raise ValueError(
                    f"column 'label', {row_name(qrels, row)}: {label!r} is text; make numbers of all labels: "
                    'qrels["label"] = qrels["label"].astype(int)'
                )
        read_whole_numbers(qrels, "relevance", {"relevance"})


def _make_evaluator(provider: providers.Provider, measures: list[Measure], qrels: _Rows) -> providers.Evaluator:
    as_dict = qrels.is_ours and provider.NAME in _READ_QRELS_DICTS
    return provider.evaluator(measures, make_qrels_dict(qrels.named) if as_dict else qrels.choose_form(provider))


def _calculate_values(provider: providers.Provider, evaluator: providers.Evaluator, run: _Rows) -> Iterator[Metric]:
    if run.is_ours and provider.NAME in _READ_RUN_DICTS:
        evaluator = _PartsEvaluator(evaluator)
    metrics: Iterator[Metric] = evaluator.iter_calc(run.choose_form(provider))
    return metrics


class _StandardEvaluator(providers.Evaluator):
    """Computes pytrec_eval's measures from columns if asked to, or if qrels or run are ours, and if it can."""

    def __init__(self, provider: providers.Provider, measures: list[Measure], qrels: _Rows, reads_columns: bool):
        self._provider = provider
        self._qrels = qrels
        self._reads_columns = reads_columns or qrels.is_ours
        self._make_plain = cache(lambda *asked: _make_evaluator(provider, list(asked), qrels))
        columns = self._columns if self._reads_columns else None
        super().__init__(measures, columns.topics if columns else self._make_plain(*measures).qrel_qids)

    @cached_property
    def _columns(self) -> TrecColumns | None:
        return TrecColumns.read(self._qrels.named)

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield the values of the rows of a run, of all topics of the qrels."""
        ours = [measure for measure in self.measures if is_supported(measure)]
        found = None
        if ours and (self._reads_columns or run.is_ours) and self._columns:
            found = self._columns.calculate(run.named, ours)
        yield from found or ()
        left = [measure for measure in self.measures if found is None or measure not in ours]
        if left:
            yield from _calculate_values(self._provider, self._make_plain(*left), run)


class _PartsEvaluator(providers.Evaluator):
    """Hands a run to an evaluator as dicts, some topics at a time."""

    def __init__(self, evaluator: providers.Evaluator):
        super().__init__(evaluator.measures, evaluator.qrel_qids)
        self._evaluator = evaluator

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        for values in make_run_dicts(run):
            yield from self._evaluator._iter_calc(values)


@dataclass(frozen=True)
class _Rows:
    """A run or qrels as given, a frame or whatever else ir_measures takes, and the columns that ir_measures reads."""

    given: Any
    fields: tuple[str, ...]

    @cached_property
    def renamed(self) -> Any:
        if not isinstance(self.given, pd.DataFrame):
            return self.given
        columns = self.given.columns
        names = {ours: theirs for ours, theirs in NAMES.items() if ours in columns and theirs not in columns}
        return self.given.rename(columns=names) if names else self.given

    @cached_property
    def numbered(self) -> list[str]:
        if not isinstance(self.renamed, pd.DataFrame):
            return []
        return [
            name for name in ("query_id", "doc_id") if name in self.renamed.columns and has_numbers(self.renamed[name])
        ]

    @cached_property
    def named(self) -> Any:
        """The frame with ids as text, and scores as numbers."""
        columns: dict[str, Any] = {
            name: self.renamed[name].map(str, na_action="ignore").astype(object) for name in self.numbered
        }
        has_scores = isinstance(self.renamed, pd.DataFrame) and "score" in self.renamed.columns
        if has_scores and not pd.api.types.is_numeric_dtype(self.renamed["score"]):
            columns["score"] = scores(self.renamed)
        return self.renamed.assign(**columns) if columns else self.renamed

    @cached_property
    def is_ours(self) -> bool:
        """Whether ir_measures by itself is slow with this frame, or refuses it."""
        if not isinstance(self.named, pd.DataFrame):
            return False
        columns = self.named.columns
        real_labels = "relevance" in columns and self.named["relevance"].dtype.kind == "f"
        return self.named is not self.given or real_labels or not _SPAN_COLUMNS.isdisjoint(columns)

    def choose_form(self, provider: providers.Provider) -> Any:
        """Return the rows for a provider: those of ir_measures, except *runtime*, get their own columns only."""
        if not self.is_ours:
            return self.given
        if reads_all_columns(provider):
            return self.renamed
        return self.named[[name for name in self.fields if name in self.named.columns]]


def reads_all_columns(provider: providers.Provider) -> bool:
    return not type(provider).__module__.startswith("ir_measures.") or provider.NAME == "runtime"


def has_numbers(ids: pd.Series) -> bool:
    values = ids.cat.categories if isinstance(ids.dtype, pd.CategoricalDtype) else ids
    if values.dtype == object:
        kind = pd.api.types.infer_dtype(values, skipna=True)
        return kind in _NUMBERS or (
            kind == "mixed" and all(isinstance(value, str | float) or value is None for value in values)
        )
    # An empty frame has columns of floats, whatever its ids would be.
    return values.dtype.kind in "iu" or (values.dtype.kind == "f" and len(values) > 0)


def _warn_of_unpacked_run(run: object, qrels: object) -> None:
    if not isinstance(run, pd.DataFrame) or not isinstance(qrels, pd.DataFrame):
        return
    if "highlights" in qrels.columns and {"doc_id"} <= set(run.columns) & set(qrels.columns):
        consistency.warn(consistency.describe_unpacked_run(run["doc_id"], qrels["doc_id"]))


def _refuse_late_numbers(run: _Rows, qrels: _Rows) -> None:
    """Raise a ValueError, once, if PyTerrier turned the run's ids into texts before that was switched off."""
    is_late = AskingProvider.is_late and isinstance(run.given, pd.DataFrame) and MARK not in run.given.attrs
    AskingProvider.is_late = False
    if is_late and "query_id" in qrels.numbered:
        raise ValueError(
            "topics are numbers in the qrels, and PyTerrier made texts of the run's before pyterrier_focused was in "
            "use; import pyterrier_focused first, and make the run again"
        )


def _find_ids(run: _Rows, qrels: _Rows) -> Callable[[object], Any] | None:
    """Return a function from a topic's text, or id, to its id in the run; None if all ids are texts already."""
    source = run
    # An empty run has no ids; PyTerrier's reader of saved runs makes texts of numbers.
    if isinstance(run.given, pd.DataFrame) and (not len(run.given) or MARK in run.given.attrs):
        source = run if "query_id" in run.numbered else qrels
    if "query_id" not in source.numbered:
        return str if "query_id" in [*run.numbered, *qrels.numbered] else None
    ids = {str(qid): qid for qid in source.renamed["query_id"].unique().tolist()}

    def find_id(qid: object) -> Any:
        text = str(qid)
        return ids[text] if text in ids else int(text) if text.isdecimal() else text

    return find_id


def _ask_apart(measures: list[Measure]) -> list[list[Measure]]:
    """Divide measures so that pytrec_eval gives none of them another's gains or `judged_only`."""
    joining = [
        measure
        for measure in measures
        if measure.NAME in ("nDCG", "NumRet") and not {"gains", "rel"} & measure.params.keys()
    ]
    if not joining or not any("gains" in measure.params or "judged_only" in measure.params for measure in measures):
        return [measures]
    groups: dict[tuple[str, bool], list[Measure]] = {}
    for measure in measures:
        key = str(measure.params.get("gains")), bool(measure.params.get("judged_only"))
        groups.setdefault(key, []).append(measure)
    return list(groups.values())
