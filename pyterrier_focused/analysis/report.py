"""The report: one self-contained page with the table of systems, curves, per-topic differences and article views."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
import pandas as pd

from ..frame_checks import check_qrels, check_run
from ..frames import flatten
from ..ir_measures_provider import parse
from . import curve_data
from .condensed import unjudged_note
from .report_html import Results, pack, page, topic_html
from .report_views import SIZE, Views, gather
from .significance import pairwise

if TYPE_CHECKING:
    from ..collection import Collection

FOCUSED = "AiP iP@0.01 CharP CharR AgP AP nDCG@10"
ORDINARY = "AP nDCG@10 P@10 IAP11"  # where a run has no passages or the qrels no highlights

_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


def write_report(
    path: str | os.PathLike[str],
    qrels: pd.DataFrame,
    runs: Mapping[str, pd.DataFrame],
    *,
    topics: pd.DataFrame | None = None,
    collection: Collection | None = None,
    measures: Any = None,
    top: int = 3,
    missed: int = 3,
    alpha: float = 0.05,
    correction: str | None = "holm",
    overlap: str = "error",
    title: str = "Focused retrieval report",
) -> None:
    """Write a page that shows runs side by side: it needs no network, and works by keyboard and on any screen.

    qrels, runs (by name): the frames. topics: a frame with `qid` and `query` (or `title`; `description`, `narrative`),
    shown with the topics. collection: brings the articles' titles and texts; without it articles are shown as strips.
    measures: as for `parse`; without them focused and document measures, as the data allow. top: how many first
    articles of each run and topic are shown; missed: how many of the relevant articles that the run did not retrieve,
    those with most highlighted text first. alpha, correction: of the tests of all pairs, as in `pairwise`.
    overlap='once' counts the characters of overlapping passages once; 'error' refuses such runs.

    Where the articles would make the page too large, text far from anything marked is left out, then whole texts; the
    page says so. Raises ValueError for no runs, bad frames, or measures that the data cannot give.
    """
    if not runs:
        raise ValueError("a report needs at least one run")
    if top < 1 or missed < 0:
        raise ValueError(f"top={top}, missed={missed}: show at least the first article of a run, and no fewer than 0")
    if not len(qrels):
        raise ValueError("the qrels are empty: there is nothing to measure")
    focused = "highlights" in qrels and all("passages" in run for run in runs.values())
    if focused:
        check_qrels(qrels)
        for name, run in runs.items():
            _naming(name, check_run, run)
    wanted = parse((FOCUSED if focused else ORDINARY) if measures is None else measures)
    if not wanted:
        raise ValueError("no measures given: measures='AiP AgP AP'")
    results = evaluate(qrels, runs, [_with_overlap(measure, overlap) for measure in wanted])
    pairs = pairwise(results.per_query(), alpha=alpha, correction=correction) if len(runs) > 1 else None
    heads = [_head(topics, qid) for qid in results.qids]
    views = gather(results.qids, qrels, runs, collection, top, missed)
    packed = _packed(results, heads, views)
    while sum(map(len, packed)) > SIZE and (smaller := views.smaller()) is not None:
        views, packed = smaller, _packed(results, heads, smaller)
    text = page(
        title,
        results,
        pairs,
        (alpha, correction),
        _curves(qrels, runs, focused, overlap),
        [_sizes(run, len(results.qids)) for run in runs.values()],
        (len(qrels), int((qrels["label"] >= 1).sum())),
        heads,
        views,
        packed,
        unjudged_note(runs, qrels),
    )
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def evaluate(qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame], measures: Sequence[Any]) -> Results:
    """Score every run on every judged topic, in the order of the qrels."""
    evaluator = ir_measures.evaluator(measures, qrels.rename(columns=_NAMES))
    qids = [str(qid) for qid in dict.fromkeys(qrels["qid"])]
    names = [str(measure) for measure in measures]
    row, column = ({name: i for i, name in enumerate(values)} for values in (qids, names))
    values = np.zeros((len(runs), len(qids), len(names)))
    for k, (name, run) in enumerate(runs.items()):
        for metric in _naming(name, evaluator.iter_calc, run.rename(columns=_NAMES)):
            values[k, row[str(metric.query_id)], column[str(metric.measure)]] = metric.value
    return Results(list(runs), qids, names, values)


def _naming(name: str, work: Any, run: pd.DataFrame) -> Any:
    """Do something with a run; its errors name the run."""
    try:
        done = work(run)
        return list(done) if done is not None else None
    except ValueError as error:
        raise ValueError(f"run {name!r}: {error}") from error


def _with_overlap(measure: Any, overlap: str) -> Any:
    takes = "overlap" in measure.SUPPORTED_PARAMS and "overlap" not in measure.params
    return measure(overlap=overlap) if takes and overlap != "error" else measure


def _packed(results: Results, heads: list[dict[str, str]], views: Views) -> list[str]:
    return [pack(topic_html(topic, i, results, heads[i], views)) for i, topic in enumerate(views.topics)]


def _curves(
    qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame], focused: bool, overlap: str
) -> dict[str, list[pd.DataFrame]]:
    """The points of each curve, a frame a run."""
    curves = {}
    if focused:
        curves["characters"] = [curve_data.char_precision_recall(qrels, run, overlap=overlap) for run in runs.values()]
        curves["effort"] = [curve_data.recall_by_characters(qrels, run, overlap=overlap) for run in runs.values()]
    curves["articles"] = [curve_data.article_precision_recall(qrels, run) for run in runs.values()]
    curves["roc"] = [curve_data.roc(qrels, run) for run in runs.values()]
    return curves


def _sizes(run: pd.DataFrame, topics: int) -> tuple[float, float | None]:
    """Articles and, where there are passages, their characters, on average over the judged topics."""
    if "passages" not in run:
        return len(run) / topics, None
    spans = flatten(run["passages"], "passages", run)
    return len(run) / topics, float((spans.end - spans.start).sum()) / topics


def _head(topics: pd.DataFrame | None, qid: str) -> dict[str, str]:
    """What the topics frame says of a topic."""
    if topics is None:
        return {}
    row = topics[topics["qid"].map(str) == qid]
    if not len(row):
        return {}
    known = ("title", "query", "castitle", "description", "narrative")
    fields = {name: row[name].iloc[0] for name in known if name in row}
    return {name: value.strip() for name, value in fields.items() if isinstance(value, str) and value.strip()}
