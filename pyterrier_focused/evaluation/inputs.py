"""Qrels and runs as users may give them: frames, paths and transformers; anything else is a clear error."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from ..frames.articles import ArticleCollection
from ..frames.tables import as_pandas
from ..frames.text_ids import TEXT_ID, check_text
from ..io import read_qrels, read_run

Paths = str | os.PathLike[str]
Runs = pd.DataFrame | Paths | Mapping[str, Any] | Sequence[Any]

_RUN = {"qid", "docno", "score"}
_QRELS = {"qid", "docno", "label"}
_SUFFIX = re.compile(r"(?<=.)(\.(run|res|fol|xml|txt))?(\.(gz|bz2))?$")


def as_qrels(qrels: object, collection: ArticleCollection | None = None, *, real_labels: bool = False) -> pd.DataFrame:
    """Return qrels, given as a frame or as the path of a file, as a frame with `qid, docno, label`.

    Args:
        qrels: A frame, or the path of a file that `read_qrels` reads.
        collection: The collection, if a file needs it to be read; the text of a frame is compared with it.
        real_labels: Let labels be real numbers, which only ADM measures; without it they are whole numbers.

    Example:
        >>> as_qrels(pd.DataFrame([[1, "a", 1]], columns=["qid", "docno", "label"]))["qid"].tolist()
        ['1']
    """
    if isinstance(qrels, str | os.PathLike):
        return read_qrels(qrels, collection=collection)
    qrels = as_pandas(qrels)
    if not isinstance(qrels, pd.DataFrame):
        raise ValueError(f"qrels must be a frame, or the path of a file of qrels; got {_describe_value(qrels)}")
    check_text(qrels.attrs.get(TEXT_ID, ""), "the qrels", collection)
    if not set(qrels.columns) >= _QRELS:
        swapped = "; this looks like a run: the qrels come before the runs" if set(qrels.columns) >= _RUN else ""
        raise ValueError(f"qrels need the columns {sorted(_QRELS)}; found: {list(qrels.columns)}{swapped}")
    return _name_rows(qrels) if real_labels else _check_labels(_name_rows(qrels))


def as_run(
    run: object, *, topics: pd.DataFrame | None = None, collection: ArticleCollection | None = None, what: str = "a run"
) -> pd.DataFrame:
    """Return a run, given as a frame, the path of a file or a transformer, as a frame with `qid, docno, score`.

    Args:
        run: A frame, the path of a file that `read_run` reads, or a transformer.

    Example:
        >>> as_run(pd.DataFrame([[1, "a", 0.5]], columns=["qid", "docno", "score"]))["qid"].tolist()
        ['1']
    """
    if isinstance(run, str | os.PathLike):
        return read_run(run, collection=collection)
    transform = getattr(run, "transform", None)
    if callable(transform) and not isinstance(run, pd.DataFrame):
        if topics is None:
            raise ValueError(f"{what} is a transformer, {run!r}: give topics=, the queries to answer")
        run = transform(topics)
    run = as_pandas(run)
    if not isinstance(run, pd.DataFrame):
        raise ValueError(
            f"{what} must be a frame, the path of a run file, or a transformer; got {_describe_value(run)}"
        )
    if not set(run.columns) >= _RUN:
        swapped = "; these look like qrels: they come before the runs" if set(run.columns) >= _QRELS else ""
        raise ValueError(f"{what} needs the columns {sorted(_RUN)}; found: {list(run.columns)}{swapped}")
    return _name_rows(run)


def as_runs(
    runs: object, *, topics: pd.DataFrame | None = None, collection: ArticleCollection | None = None
) -> dict[str, pd.DataFrame]:
    """Return runs as a dict of frames by name; in a list a file has its own name, and others count as 'run 1', ...

    Args:
        runs: What `pt.Experiment` takes, a list or dict of frames and transformers; paths of run files, too; or one of
            them.

    Example:
        >>> run = pd.DataFrame([["q1", "a", 0.5]], columns=["qid", "docno", "score"])
        >>> list(as_runs([run, run])), list(as_runs({"mine": run}))
        (['run 1', 'run 2'], ['mine'])
    """
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
    else:
        if isinstance(runs, pd.DataFrame | str | os.PathLike) or callable(getattr(runs, "transform", None)):
            runs = [runs]
        if not isinstance(runs, Iterable):
            raise ValueError(f"runs must be a dict of runs by name, or a list of runs; got {_describe_value(runs)}")
        runs = list(runs)
        named = dict(zip(_name_runs(runs), runs, strict=True))
    if not named:
        raise ValueError("at least one run is needed")
    return {
        name: as_run(run, topics=topics, collection=collection, what=f"run {name!r}") for name, run in named.items()
    }


def is_one_run(runs: object) -> bool:
    """Tell one run from a collection of them.

    Example:
        >>> is_one_run("my.run"), is_one_run(["my.run"])
        (True, False)
    """
    return not isinstance(runs, Mapping | list | tuple)


def file_names(paths: Iterable[Paths]) -> list[str]:
    """Name run files: by their names without suffixes or, if these are alike, by their paths.

    Example:
        >>> file_names(["runs/sections.run.gz", "runs/articles.run"]), file_names(["a/my.run", "b/my.run"])
        (['sections', 'articles'], ['a/my.run', 'b/my.run'])
    """
    files = [str(os.fspath(path)) for path in paths]
    names = [_SUFFIX.sub("", os.path.basename(path)) for path in files]
    names = files if len(set(names)) < len(names) else names
    if len(set(names)) < len(names):
        raise ValueError(f"a run is given twice: {sorted({name for name in names if names.count(name) > 1})}")
    return names


def _name_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with topics and articles named by text, if they are numbered."""
    numbered = [name for name in ("qid", "docno") if pd.api.types.is_numeric_dtype(frame[name])]
    return frame.assign(**{name: frame[name].map(str) for name in numbered}) if numbered else frame


def _check_labels(qrels: pd.DataFrame) -> pd.DataFrame:
    if pd.api.types.is_integer_dtype(qrels["label"]):
        return qrels
    label = pd.to_numeric(qrels["label"], errors="coerce")
    bad = ~(label % 1 == 0).to_numpy(dtype=bool)
    if bad.any():
        row = qrels.iloc[int(bad.argmax())]
        raise ValueError(
            f"topic {row['qid']!r}, article {row['docno']!r}: label {row['label']!r} is not a whole number"
        )
    return qrels.assign(label=label.astype("int64"))


def _name_runs(runs: list[object]) -> list[str]:
    named = iter(file_names(run for run in runs if isinstance(run, str | os.PathLike)))
    return [next(named) if isinstance(run, str | os.PathLike) else f"run {i}" for i, run in enumerate(runs, 1)]


def _describe_value(value: object) -> str:
    return "None" if value is None else f"{type(value).__name__} ({str(value)[:60]!r})"
