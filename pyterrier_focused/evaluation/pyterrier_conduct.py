"""What PyTerrier does differently once this package is used: checks of ids, numbers as ids, saved passages."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import ForeignIdsWarning, warn_caller
from ..frames import consistency
from ..frames.checks import scores
from .asking_provider import ASKING_NEEDS, AskingProvider, has_numbers, reads_all_columns
from .replacements import MARK, Replacement, TargetError, check_parameters, find_name, mark, warn_of_loss

# The saved run whose passages no measure reads.
_LEFT: ContextVar[object] = ContextVar("left", default=None)


def _keep_numbers(plain: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Let the ids of runs be numbers, as those of topics and qrels are: PyTerrier makes texts of the run's only.

    It changes the given frame, which is the user's own if a frame is a system.
    """

    @wraps(plain)
    def coerce_dataframe_types(dataframe: pd.DataFrame) -> pd.DataFrame:
        numbered = [name for name in ("qid", "docno") if name in dataframe.columns and has_numbers(dataframe[name])]
        try:
            run = plain(dataframe.drop(columns=numbered)) if numbered else plain(dataframe)
        except (TypeError, ValueError):
            # names the row
            scores(dataframe)
            raise
        run = run.assign(**{name: dataframe[name] for name in numbered})
        run.attrs = run.attrs | {MARK: True}
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
        are_read = any(reads_all_columns(provider) for provider, _ in asked)
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


OF_PYTERRIER = (
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
        ("pyterrier._evaluation._rendering:_convert_measures", "ir_measures:DefaultPipeline.providers", *ASKING_NEEDS),
    ),
)


def extend_pyterrier() -> None:
    """Let saved runs keep their passages, topics be numbers, learners be warned. PyTerrier must have been imported."""
    for replacement in OF_PYTERRIER:
        replacement.apply()
    target = "pyterrier.io:SUPPORTED_RESULTS_FORMATS"
    try:
        formats = find_name(target)
        if not isinstance(formats, dict) or not isinstance(formats.get("trec"), tuple) or len(formats["trec"]) != 2:
            raise TargetError(target)
        read, write = formats["trec"]
        check_parameters(read, target, "filename")
        check_parameters(write, target, "res filename run_name append")
    except TargetError as error:
        warn_of_loss(error, "runs saved by save_dir and pt.io.write_results lose their passages")
        return
    if not hasattr(read, MARK):
        formats["trec"] = mark(_read_passages(read), read), mark(_write_passages(write), write)
