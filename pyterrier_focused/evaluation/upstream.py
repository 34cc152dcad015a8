"""All that ir_measures and PyTerrier do differently once this package is used.

`pt_docs/upstream.md` lists each item with its reason, its figures and a patch for the other project. Everything acts on
names, columns and ids that would be an error, wrong or slow without it; the rest is handed over as it came. Importing
PyTerrier replaces `ir_measures.parse_trec_measure` only; `switch_on` does the rest.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property, wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from ir_measures import Measure, Metric, Qrel, ScoredDoc, providers, util

from ..errors import ForeignIdsWarning, warn_caller
from ..frames import consistency
from ..frames.checks import scores
from ..frames.tables import as_pandas
from ..measures import FocusedMeasure
from .input_columns import NAMES
from .measure_limits import check_limits, naming_provider
from .measure_strings import parse_measure, suggest_names
from .trec_columns import TrecColumns, is_supported
from .trec_dicts import make_qrels_dict, make_run_dicts

_MARK = "_pyterrier_focused"
# What cells of these columns hold is slow to read row by row.
_SPAN_COLUMNS = {"passages", "highlights"}
# ir_measures' providers that read a run, or qrels, as a dict of dicts; those that read rows need other columns, too.
_READ_RUN_DICTS = {"pytrec_eval", "compat", "judged", "msmarco"}
# What pandas calls columns that hold numbers.
_NUMBERS = ("integer", "mixed-integer", "floating", "mixed-integer-float")
_READ_QRELS_DICTS = {"pytrec_eval", "compat", "judged", "accuracy"}
# The saved run whose passages no measure reads.
_LEFT: ContextVar[object] = ContextVar("left", default=None)


_is_on = False
# Whether PyTerrier had begun an evaluation when that was switched on which lets its ids be numbers.
_is_late = False
_told: set[str] = set()


@dataclass(frozen=True)
class Replacement:
    """A function of another project that is replaced.

    Args:
        target: Its module and name, as `pkgutil.resolve_name` takes them.
        parameters: The names of its first parameters, on which the replacement relies.
        make: Makes the replacement from it.
        needs: Other names that the replacement uses.
        loss: What does not work without it.
    """

    target: str
    parameters: str
    make: Callable[[Any], Any]
    loss: str
    needs: tuple[str, ...] = ()

    def apply(self) -> None:
        """Put the replacement in its place; warn if the function is missing, or is not what it was."""
        try:
            plain = _find_name(self.target)
            _check_parameters(plain, self.target, self.parameters)
            for need in self.needs:
                _find_name(need)
        except _TargetError as error:
            _warn_of_loss(error, self.loss)
        else:
            plain = getattr(plain, _MARK, plain)
            module, _, names = self.target.partition(":")
            owner, _, name = names.rpartition(".")
            setattr(_find_name(f"{module}:{owner}"), name, _mark(self.make(plain), plain))


class _TargetError(Exception):
    """A name of another project is missing, or is not what it was; the argument is the name."""


def _find_name(target: str) -> Any:
    try:
        return pkgutil.resolve_name(target)
    except (ImportError, AttributeError):
        raise _TargetError(target) from None


def _check_parameters(function: Any, target: str, parameters: str) -> None:
    expected = parameters.split()
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    if names[: len(expected)] != expected:
        raise _TargetError(target)


def _mark(new: Any, plain: Any) -> Any:
    setattr(new, _MARK, plain)
    return new


def _warn_of_loss(error: _TargetError, loss: str) -> None:
    """Warn, once for each target, of what does not work."""
    (target,) = error.args
    if target not in _told:
        _told.add(target)
        warn_caller(
            f"pyterrier_focused does not know this release of {target.partition('.')[0].partition(':')[0]}, in which "
            f"{target.replace(':', '.')} is missing or was changed: {loss}"
        )


def register_provider(provider: providers.Provider) -> None:
    """Put the provider after all others of ir_measures, and let its measures be given as strings to PyTerrier."""
    providers.registry[provider.NAME] = provider
    try:
        known = _find_providers()
    except _TargetError as error:
        _warn_of_loss(error, "ir_measures and pt.Experiment do not compute its measures")
    else:
        known[:] = [*(other for other in known if other.NAME != provider.NAME), provider]
    _PARSING.apply()


def _find_providers() -> list[providers.Provider]:
    """Find the providers that ir_measures asks, in its own list."""
    target = "ir_measures:DefaultPipeline.providers"
    known = _find_name(target)
    if not isinstance(known, list):
        raise _TargetError(target)
    return known


def await_first_use() -> None:
    """Switch on when a measure of the package is used; at once if nobody but the user imports it."""
    if not _is_on and (_is_being_imported("pyterrier") or _is_being_imported("ir_measures")):
        for name, plain in _PLAIN.items():
            setattr(FocusedMeasure, name, _watch(plain))
    else:
        switch_on()


def attach(package: ModuleType) -> None:
    """Wait for the first use of the package, too; extend PyTerrier if that has been."""
    if _is_on:
        _extend_pyterrier()
    elif not isinstance(package, _UnusedPackage):
        _UnusedPackage.used = type(package)
        package.__class__ = _UnusedPackage


def _is_being_imported(name: str) -> bool:
    return bool(getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False))


class _UnusedPackage(ModuleType):
    """A package until its first use: one of its names is asked for, or it is imported (which reads its `__spec__`)."""

    used: type[ModuleType]

    def __getattribute__(self, name: str) -> object:
        if name in ("__spec__", "__path__", "__version__", "__all__") or not name.startswith("_"):
            self.__class__ = _UnusedPackage.used  # type: ignore[assignment]
            switch_on()
            return getattr(self, name)
        return super().__getattribute__(name)


# ir_measures looks measures up, and PyTerrier compares them, before they ask a provider.
_PLAIN = {"__eq__": FocusedMeasure.__eq__, "__hash__": FocusedMeasure.__hash__}


def _watch(plain: Any) -> Callable[..., Any]:
    def watched(measure: FocusedMeasure, *others: object) -> object:
        switch_on()
        return plain(measure, *others)

    return watched


def switch_on() -> None:
    """Let all that `pt_docs/upstream.md` lists act from now on; an item whose target is missing is warned of."""
    global _is_late, _is_on
    if _is_on:
        return
    _is_on = True
    for name, plain in _PLAIN.items():
        setattr(FocusedMeasure, name, plain)
    try:
        for need in _ASKING_NEEDS:
            _find_name(need)
        known = _find_providers()
    except _TargetError as error:
        _warn_of_loss(error, "standard measures of frames with passages are slow, and ids must be texts")
    else:
        known[:] = [AskingProvider(), *(provider for provider in known if provider.NAME != AskingProvider.NAME)]
    if "pyterrier" in sys.modules and not _is_being_imported("pyterrier"):
        _is_late = _is_running("pyterrier._evaluation._execution")
        _extend_pyterrier()


def _is_running(module: str) -> bool:
    """Tell whether a function of the module has called what runs now."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__") != module:
        frame = frame.f_back
    return frame is not None


def _extend_pyterrier() -> None:
    """Let saved runs keep their passages, topics be numbers, learners be warned. PyTerrier must have been imported."""
    for replacement in _OF_PYTERRIER:
        replacement.apply()
    target = "pyterrier.io:SUPPORTED_RESULTS_FORMATS"
    try:
        formats = _find_name(target)
        if not isinstance(formats, dict) or not isinstance(formats.get("trec"), tuple) or len(formats["trec"]) != 2:
            raise _TargetError(target)
        read, write = formats["trec"]
        _check_parameters(read, target, "filename")
        _check_parameters(write, target, "res filename run_name append")
    except _TargetError as error:
        _warn_of_loss(error, "runs saved by save_dir and pt.io.write_results lose their passages")
        return
    if not hasattr(read, _MARK):
        formats["trec"] = _mark(_read_passages(read), read), _mark(_write_passages(write), write)


class AskingProvider(providers.Provider):
    """Asks all other providers, and hands each the form of run and qrels that it reads.

    It stands before the others, and so is the place where measures of several providers come together.
    """

    NAME = "pyterrier_focused_asking"
    # Whether standard measures of all frames are computed from columns, in this process or for this provider only.
    reads_columns = False

    @property
    def _others(self) -> providers.FallbackProvider:
        try:
            known = _find_providers()
        except _TargetError:
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
    """
    AskingProvider.reads_columns = on


def make_evaluator(measures: Iterable[Measure], qrels: Any) -> providers.Evaluator:
    """Make an evaluator as ir_measures does, but one that reads columns of all frames."""
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
        # which tells by itself of ids that do not fit
        self._asks_ours = any(provider.NAME == "focused" for provider, _ in asked)
        reads_columns = reads_columns or self._asks_ours
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
                metrics = _calculate(provider, evaluator, rows)
            for metric in metrics:
                yield metric if find_id is None else metric._replace(query_id=find_id(metric.query_id))


def _join_columns(qrels: object) -> object:
    """Make a table again of one of polars, whose columns ir_measures takes for rows; return anything else as it is."""
    if isinstance(qrels, Iterator):
        qrels = list(qrels)
        if qrels and all(hasattr(column, "__arrow_c_stream__") for column in qrels):
            return pa.table({column.name: pa.chunked_array(column) for column in qrels})
    return qrels


def _make_evaluator(provider: providers.Provider, measures: list[Measure], qrels: _Rows) -> providers.Evaluator:
    as_dict = qrels.is_ours and provider.NAME in _READ_QRELS_DICTS
    return provider.evaluator(measures, make_qrels_dict(qrels.named) if as_dict else qrels.choose_form(provider))


def _calculate(provider: providers.Provider, evaluator: providers.Evaluator, run: _Rows) -> Iterator[Metric]:
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
            yield from _calculate(self._provider, self._make_plain(*left), run)


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
            name for name in ("query_id", "doc_id") if name in self.renamed.columns and _has_numbers(self.renamed[name])
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
        """Return what a provider is handed: those of ir_measures, but for *runtime*, read its own columns only."""
        if not self.is_ours:
            return self.given
        if _reads_all_columns(provider):
            return self.renamed
        return self.named[[name for name in self.fields if name in self.named.columns]]


def _reads_all_columns(provider: providers.Provider) -> bool:
    return not type(provider).__module__.startswith("ir_measures.") or provider.NAME == "runtime"


def _has_numbers(ids: pd.Series) -> bool:
    values = ids.cat.categories if isinstance(ids.dtype, pd.CategoricalDtype) else ids
    if values.dtype == object:
        return pd.api.types.infer_dtype(values, skipna=True) in _NUMBERS
    # An empty frame has columns of floats, whatever its ids would be.
    return values.dtype.kind in "iu" or (values.dtype.kind == "f" and len(values) > 0)


def _warn_of_unpacked_run(run: object, qrels: object) -> None:
    if not isinstance(run, pd.DataFrame) or not isinstance(qrels, pd.DataFrame):
        return
    if "highlights" in qrels.columns and {"doc_id"} <= set(run.columns) & set(qrels.columns):
        consistency.warn(consistency.describe_unpacked_run(run["doc_id"], qrels["doc_id"]))


def _refuse_late_numbers(run: _Rows, qrels: _Rows) -> None:
    """Raise a ValueError if PyTerrier has made texts of the run's ids before it was kept from that; once."""
    global _is_late
    is_late = _is_late and isinstance(run.given, pd.DataFrame) and _MARK not in run.given.attrs
    _is_late = False
    if is_late and "query_id" in qrels.numbered:
        raise ValueError(
            "topics are numbers in the qrels, and PyTerrier made texts of the run's before pyterrier_focused was in "
            "use; import pyterrier_focused first, and make the run again"
        )


def _find_ids(run: _Rows, qrels: _Rows) -> Callable[[object], Any] | None:
    """Return a function from a topic's text, or id, to its id in the run; None if all ids are texts already."""
    source = run
    # An empty run has no ids; PyTerrier's reader of saved runs makes texts of numbers.
    if isinstance(run.given, pd.DataFrame) and (not len(run.given) or _MARK in run.given.attrs):
        source = run if "query_id" in run.numbered else qrels
    if "query_id" not in source.numbered:
        return str if "query_id" in [*run.numbered, *qrels.numbered] else None
    ids = {str(qid): qid for qid in source.renamed["query_id"].unique().tolist()}

    def find_id(qid: object) -> Any:
        text = str(qid)
        return ids[text] if text in ids else int(text) if text.isdecimal() else text

    return find_id


def _ask_apart(measures: list[Measure]) -> list[list[Measure]]:
    """Divide measures of which some would take another's gains or `judged_only` if pytrec_eval got them together."""
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


def _parse_all_names(plain: Callable[[str], list[Measure]]) -> Callable[[str], list[Measure]]:
    @wraps(plain)
    def parse_trec_measure(measure: str) -> list[Measure]:
        try:
            return plain(measure)
        except ValueError as refusal:
            try:
                parsed = parse_measure(measure)
            except NameError:
                raise ValueError(f"{refusal}{suggest_names(measure)}") from None
            if isinstance(parsed, FocusedMeasure):
                switch_on()
            return [parsed]

    return parse_trec_measure


def _keep_numbers(plain: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Let the ids of runs be numbers, as those of topics and qrels are: PyTerrier makes texts of the run's only.

    It does so in the frame that it was given, which is the user's if a frame is a system.
    """

    @wraps(plain)
    def coerce_dataframe_types(dataframe: pd.DataFrame) -> pd.DataFrame:
        numbered = [name for name in ("qid", "docno") if name in dataframe.columns and _has_numbers(dataframe[name])]
        try:
            run = plain(dataframe.drop(columns=numbered)) if numbered else plain(dataframe)
        except (TypeError, ValueError):
            # names the row
            scores(dataframe)
            raise
        run = run.assign(**{name: dataframe[name] for name in numbered})
        run.attrs = run.attrs | {_MARK: True}
        return run

    return coerce_dataframe_types


def _check_topics(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse topics and qrels that PyTerrier cannot join, or joins in part, by what is wrong with them."""

    @wraps(plain)
    def Experiment(
        retr_systems: Any, topics: Any, qrels: Any, eval_metrics: Any, *arguments: object, **options: object
    ) -> Any:
        if isinstance(topics, pd.DataFrame) and isinstance(qrels, pd.DataFrame):
            _refuse_unlike_ids(topics, qrels)
        if isinstance(eval_metrics, list | tuple):
            # iP[0.01] heads its column as iP@0.01
            eval_metrics = [
                re.sub(r"^(\w+(?:\(.*\))?)\[(.*)\]$", r"\1@\2", measure) if isinstance(measure, str) else measure
                for measure in eval_metrics
            ]
        try:
            return plain(retr_systems, topics, qrels, eval_metrics, *arguments, **options)
        except ValueError as error:
            unlike = re.search(r"trying to merge on .* columns for key '(\w+)'", str(error))
            if unlike is None:
                raise
            column = unlike[1]
            raise ValueError(
                f"column {column!r} has numbers in one frame of a system, and texts in another or in the topics; make "
                f'texts of them: frame["{column}"] = frame["{column}"].astype(str)'
            ) from error

    return Experiment


def _refuse_unlike_ids(topics: pd.DataFrame, qrels: pd.DataFrame) -> None:
    numbered = {}
    for name, frame in (("topics", topics), ("qrels", qrels)):
        if "qid" not in frame.columns:
            advice = f'; {name}.rename(columns={{"query_id": "qid", "doc_id": "docno", "relevance": "label"}})'
            advice = advice if "query_id" in frame.columns else ""
            raise ValueError(f"the {name} of pt.Experiment need the column qid; found: {list(frame.columns)}{advice}")
        numbers = sum(isinstance(qid, int | np.integer) for qid in frame["qid"].unique())
        texts = frame["qid"].nunique() - numbers
        if numbers and texts:
            raise ValueError(
                f"column 'qid' of the {name} has {numbers} numbers and {texts} texts; make texts of all: "
                f'{name}["qid"] = {name}["qid"].astype(str)'
            )
        numbered[name] = bool(numbers)
    if len(topics) and len(qrels) and numbered["topics"] != numbered["qrels"]:
        other, texts_in = ("topics", "qrels") if numbered["topics"] else ("qrels", "topics")
        raise ValueError(
            f"column 'qid' has numbers in the {other} and texts in the {texts_in}; make texts of them: "
            f'{other}["qid"] = {other}["qid"].astype(str)'
        )


def _check_labels(plain: Callable[..., None]) -> Callable[..., None]:
    """Warn of a learner that is fitted on parts by the labels of their articles, which are all 0."""
    import pyterrier as pt

    class LabelCheck(pt.Estimator):
        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return inp

        def fit(self, results: pd.DataFrame, qrels: pd.DataFrame, *_valid: object) -> None:
            if "docno" in results.columns and "docno" in qrels.columns:
                consistency.warn(consistency.describe_unpacked_run(results["docno"], qrels["docno"], for_learner=True))

    @wraps(plain)
    def fit(pipeline: Any, *arguments: object, **options: object) -> None:
        stages = list(pipeline)
        learners = [number for number, stage in enumerate(stages) if isinstance(stage, pt.Estimator)]
        if learners:
            pipeline = pt.Compose(*stages[: learners[0]], LabelCheck(), *stages[learners[0] :])
        plain(pipeline, *arguments, **options)

    return fit


def _leave_passages(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Leave the passages beside a saved run unread if no measure of an experiment reads them.

    The topics that were asked are kept with the run; one that is reused is warned of if it lacks some.
    """
    from pyterrier._evaluation import _rendering

    @wraps(plain)
    def run_and_evaluate(
        system: object, topics: object, qrels: object, metrics: Any, *arguments: object, **options: Any
    ) -> Any:
        path = options.get("save_file")
        if path is None:
            return plain(system, topics, qrels, metrics, *arguments, **options)
        from ..io import save_format

        asked = AskingProvider().choose_providers(_rendering._convert_measures(metrics)[0])
        are_read = any(_reads_all_columns(provider) for provider, _ in asked)
        qids = _list_topics(topics)
        is_foreign = options.get("save_mode") == "reuse" and _warn_of_topics_not_saved(path, qids, _list_topics(qrels))
        left = _LEFT.set(None if are_read else path)
        told = save_format.ASKED.set(qids)
        try:
            with warnings.catch_warnings() if is_foreign else nullcontext():
                if is_foreign:
                    warnings.simplefilter("ignore", ForeignIdsWarning)
                return plain(system, topics, qrels, metrics, *arguments, **options)
        finally:
            _LEFT.reset(left)
            save_format.ASKED.reset(told)

    return run_and_evaluate


def _list_topics(frame: object) -> list[str]:
    if not isinstance(frame, pd.DataFrame):
        return []
    ids: pd.Series = frame.get("qid", frame.get("query_id", pd.Series(dtype=object)))
    return list(dict.fromkeys(map(str, ids.tolist())))


def _warn_of_topics_not_saved(path: str, qids: list[str], judged: list[str]) -> bool:
    """Warn of judged topics that a saved run was not asked; returns whether it was asked none of them."""
    from ..io import save_format

    saved = save_format.read_saved_topics(path)
    wanted = [qid for qid in qids if qid in set(judged)]
    missing = [] if saved is None else [qid for qid in wanted if qid not in saved]
    if missing:
        shown = f"{', '.join(missing[:10])}{', ...' if len(missing) > 10 else ''}"
        warn_caller(
            f"{path}: the saved run was not asked {len(missing)} of the {len(wanted)} judged topics ({shown}), which "
            "score 0; save_mode='overwrite' runs the system again"
        )
    return bool(missing) and len(missing) == len(wanted)


def _read_passages(plain: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
    """Read the passages beside a TREC file: PATH.passages.parquet."""

    @wraps(plain)
    def read_results(filename: Any, *arguments: object, **options: object) -> pd.DataFrame:
        from ..io import save_format

        run = plain(filename, *arguments, **options)
        left = not _is_file(filename) or filename == _LEFT.get()
        return run if left else save_format.read_rows_beside(filename, run)

    return read_results


def _write_passages(plain: Callable[..., None]) -> Callable[..., None]:
    """Write passages beside a TREC file, which has no place for them."""

    @wraps(plain)
    def write_results(
        res: pd.DataFrame, filename: Any, *arguments: object, append: bool = False, **options: object
    ) -> None:
        from ..io import save_format

        if _is_file(filename):
            if "passages" in res.columns and not arguments:
                options.setdefault("run_name", save_format.RUN_NAME)
            # before the TREC file: if that is not written whole, they do not fit each other
            save_format.write_rows_beside(res, filename, append=append and Path(filename).exists())
        plain(res, filename, *arguments, append=append, **options)

    return write_results


def _is_file(target: object) -> bool:
    """Tell the path of a file from an address and from an open file, which pandas takes too."""
    return isinstance(target, str | Path) and "://" not in str(target)


_PARSING = Replacement(
    "ir_measures:parse_trec_measure",
    "measure",
    _parse_all_names,
    "pt.Experiment takes its measures as objects (pt.focused.AiP), not as strings",
)
_ASKING_NEEDS = (
    "ir_measures.util:QrelsConverter",
    "ir_measures.util:RunConverter",
    "ir_measures.providers:FallbackProvider",
)
_OF_PYTERRIER = (
    Replacement(
        "pyterrier:Experiment",
        "retr_systems topics qrels eval_metrics",
        _check_topics,
        "nobody says what is wrong with ids of topics that are numbers in one frame and texts in the other",
    ),
    Replacement(
        "pyterrier:Compose.fit",
        "self topics_or_res_tr qrels_tr",
        _check_labels,
        "nobody warns of learners that are fitted on parts by the labels of articles",
        ("pyterrier:Estimator",),
    ),
    Replacement(
        "pyterrier._evaluation._execution:coerce_dataframe_types",
        "dataframe",
        _keep_numbers,
        "ids of topics and articles must be texts in experiments",
    ),
    Replacement(
        "pyterrier._evaluation._exec_linear:_run_and_evaluate",
        "system topics qrels metrics pbar save_mode save_file",
        _leave_passages,
        "experiments read the passages of saved runs even if no measure needs them",
        ("pyterrier._evaluation._rendering:_convert_measures", "ir_measures:DefaultPipeline.providers", *_ASKING_NEEDS),
    ),
)
