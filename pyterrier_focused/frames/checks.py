"""Checks of the run and the qrels frame: what is an error, and what most likely was not meant."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from . import consistency
from .columns import flatten
from .span_attributes import ALTERNATIVES, COVER, PASSAGE_COLUMNS, read_numbers
from .span_cells import row_name
from .spans import Floats, Ints
from .tables import Table, as_pandas

# what numpy would make numbers of
_NO_SCORES = (bool, np.bool_, np.timedelta64, np.datetime64, timedelta, datetime)


def check_run(run: Table) -> None:
    """Check that a frame is a run: its columns, scores, duplicates, spans.

    Warns (EvaluationWarning) if every docno is a passage id: a run frame has a row per article.

    Example:
        >>> check_run(pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(0, 80)]]}))
    """
    run = need(run, ["qid", "docno", "score", "passages"], "a run")
    scores(run)
    check_unique(run["qid"].to_numpy(dtype=object), run["docno"].to_numpy(dtype=object), "run")
    spans = flatten(run["passages"], "passages", run)
    qid = run["qid"].to_numpy(dtype=object)[spans.row]
    check_scored(pd.factorize(qid)[0], spans.score, qid)
    for column in PASSAGE_COLUMNS:
        read_numbers(run, column, spans)
    docno = run["docno"].tolist()
    if docno and all(map(consistency.is_passage_id, docno)):
        consistency.warn(
            [f"every docno of the run is a passage id (first: {docno[0]!r}); pack() makes a run frame of them"]
        )


def check_qrels(qrels: Table) -> None:
    """Check that a frame is qrels with highlights: its columns, duplicates, spans.

    Warns (EvaluationWarning) if labels and highlights contradict each other, or offsets lie beyond `length`.

    Example:
        >>> check_qrels(pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(0, 80)]]}))
    """
    qrels = need(qrels, ["qid", "docno", "label", "highlights"], "qrels")
    check_unique(qrels["qid"].to_numpy(dtype=object), qrels["docno"].to_numpy(dtype=object), "qrels")
    highlights = flatten(qrels["highlights"], "highlights", qrels)
    for column in (ALTERNATIVES, COVER):
        read_numbers(qrels, column, highlights)
    label, bep, length = (numbers(qrels, column) for column in ("label", "bep", "length"))
    consistency.warn(consistency.describe_contradictions(highlights, label, bep, length, partial(row_name, qrels)))


def check_unique(qid: NDArray[np.object_], docno: NDArray[np.object_], what: str) -> None:
    """Raise a ValueError that names the first (topic, article) that occurs twice in the *what*."""
    topic = pd.factorize(qid)[0]
    article = pd.factorize(docno)[0]
    twice = pd.Series(topic * (int(article.max(initial=0)) + 1) + article).duplicated().to_numpy()
    if twice.any():
        row = int(np.argmax(twice))
        parts = "passages" if what == "run" else "highlights"
        raise ValueError(
            f"topic {qid[row]!r}, article {docno[row]!r} occurs more than once in the {what}; keep all parts of an "
            f"article in the {parts} of one row"
        )


def check_scored(topic: Ints, score: Floats | None, qid: NDArray[np.object_]) -> None:
    """Raise a ValueError if scored and unscored passages meet in one topic (codes *topic*, names *qid*)."""
    if score is None or not len(topic):
        return
    missing = np.isnan(score)
    if not missing.any():
        return
    unscored = np.bincount(topic, missing)
    mixed = (unscored > 0) & (unscored < np.bincount(topic))
    if mixed.any():
        name = qid[int(np.argmax(mixed[topic]))]
        raise ValueError(
            f"topic {name!r} has passages with and without scores; score all of a topic's passages or none"
        )


def need(table: Table, columns: list[str], what: str) -> pd.DataFrame:
    """Return a table, called *what* in errors, as a frame. Raises a ValueError if it lacks one of the *columns*."""
    frame = as_pandas(table)
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"{what} must be a pandas, polars or Arrow table, not {type(table).__name__}")
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f"{what} needs the columns {columns}; missing: {missing}, found: {list(frame.columns)}")
    return frame


def scores(frame: pd.DataFrame) -> Floats:
    """Return the column `score` as float64. Raises ValueError that names the row if one is missing or no number."""
    column = frame["score"]
    kinds = {type(value) for value in column} if column.dtype == object else {column.dtype.type}
    wrong = [kind for kind in kinds if issubclass(kind, _NO_SCORES)]
    if wrong:
        held = next((row for row, value in enumerate(column) if isinstance(value, tuple(wrong))), 0)
        raise ValueError(
            f"column 'score', {row_name(frame, held)}: {column.iloc[held]!r} is not a number; give numbers"
        )
    try:
        score = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"column 'score' holds something that is not a number: {error}") from None
    if np.isnan(score).any():
        row = int(np.argmax(np.isnan(score)))
        raise ValueError(f"column 'score', {row_name(frame, row)}: the score is missing (NaN)")
    return score


def numbers(frame: pd.DataFrame, column: str) -> Floats | None:
    """Return a column as float64, NaN for what is missing; None if it is not there or does not hold numbers."""
    if column not in frame.columns or not pd.api.types.is_numeric_dtype(frame[column]):
        return None
    return frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
