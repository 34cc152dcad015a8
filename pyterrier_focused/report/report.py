"""The report: one self-contained page with tables, tests, curves, values by topic, article views and provenance."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import ir_measures
import pandas as pd
from ir_measures import Measure

from ..analysis.curves import points as curve_data
from ..analysis.statistics.pairs import pairwise
from ..errors import EvaluationWarning
from ..evaluation.condensed import unjudged_note
from ..evaluation.evaluation import Evaluation, evaluate
from ..evaluation.inputs import Paths, as_qrels, as_runs, is_one_run
from ..evaluation.measure_strings import MeasureNames, parse
from ..evaluation.rag.result import RetrievedEvaluation
from ..frames.checks import check_qrels
from ..frames.items import read_passages
from ..frames.packing import ranked
from ..io import read_topics
from ..measures import IAP11, AiP
from ..reading.files import refuse_inputs, write_bytes
from ..texts.as_collection import as_collection
from ..texts.corpus import Corpus
from .article import RowsByTopic
from .articles import SIZE, ShownArticles, gather
from .page import ReportData, Significance, Size, compress, report_page, topic_html
from .provenance import provenance
from .retrieved_texts import TextStore, title_of
from .templates import number

FOCUSED = "AiP iP@0.01 CharP CharR AgP AP nDCG@10"
# For a run without passages or qrels without highlights.
ORDINARY = "AP nDCG@10 P@10 IAP11"


def write_report(
    path: Paths,
    qrels: pd.DataFrame | Paths | RetrievedEvaluation,
    runs: object = None,
    *,
    topics: pd.DataFrame | Paths | None = None,
    collection: Corpus | TextStore | None = None,
    measures: MeasureNames | None = None,
    top: int = 3,
    missed: int = 3,
    alpha: float = 0.05,
    correction: str | None = "holm",
    overlap: str = "error",
    title: str | None = None,
    command: str = "pyterrier_focused.write_report",
) -> None:
    """Write a page that shows runs side by side: it needs no network, and works by keyboard and on any screen.

    If the articles would make the page too large, text far from anything marked is left out, then whole texts; the
    page says so.

    Args:
        qrels: A frame, or the path of a file; or a result of `evaluate_retrieved`, which brings its runs, questions,
            texts and measures.
        runs: What `pt.Experiment` takes, a dict by name or a list of frames and transformers, and
            paths of run files.
        topics: A frame with `qid` and `query` (or `title`; `description`, `narrative`) or the path of INEX topics,
            shown with the topics, and what transformers answer.
        collection: The articles' titles and texts: a Collection or a corpus as for `read_corpus` and `articles`;
            without it articles are shown as strips.
        measures: As for `parse`; without them focused and document measures, as the data allow.
        top: The number of articles shown of each run and topic, best first.
        missed: The same of relevant articles that a run did not retrieve, those with most highlighted text first.
        alpha: The level of significance of the tests between runs.
        correction: The correction for the number of pairs of a measure, as in `pairwise`; None for none.
        overlap: 'once' counts the characters of overlapping passages once, 'error' refuses such runs.
        title: The page's heading.
        command: The command that made the page, for its provenance.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "score": [2.0, 1.0]})
        >>> write_report("report.html", qrels, {"mine": run})
        >>> os.path.exists("report.html")
        True
    """
    _check_options(path, measures, top, missed)
    # of what was retrieved for evidence all is judged: the rest is no evidence
    is_result = isinstance(qrels, RetrievedEvaluation)
    if isinstance(qrels, RetrievedEvaluation):
        result = qrels
        if runs is not None:
            raise ValueError("a result of evaluate_retrieved brings its own runs; give nothing but the result")
        qrels = result.qrels
        runs = result.runs
        overlap = "once"
        topics = result.topics if topics is None else topics
        measures = result.measures if measures is None else measures
        collection = TextStore(result.texts) if collection is None else collection
        title = title_of(result) if title is None else title_of(result, title)
    sources: dict[str, object] = {"qrels": qrels, "topics": topics, "collection": collection}
    topics = _read_topics(topics)
    # a store of texts comes with frames, for which nothing is read
    articles = None if collection is None or isinstance(collection, TextStore) else as_collection(collection)
    texts = collection if isinstance(collection, TextStore) else articles
    qrels = as_qrels(qrels, articles)
    given = _list_runs(runs)
    runs = as_runs(runs, topics=topics, collection=articles)
    sources |= {f"run {name}": run for name, run in zip(runs, given, strict=True)}
    refuse_inputs(path, sources.values())
    focused = _check_frames(qrels, runs)
    of_curves = [AiP(overlap=overlap), IAP11] if focused else [IAP11]
    results = evaluate(qrels, runs, _choose_measures(measures, focused, overlap), join_for=of_curves)
    heads = _find_heads(topics, results.qids)
    rows = {name: RowsByTopic(ranked(run), "passages") for name, run in runs.items()}
    shown, packed = _make_fit(results, heads, gather(results.qids, qrels, rows, texts, top, missed))
    judged = len(qrels), int((qrels["label"] >= 1).sum())
    parameters = {
        "measures": " ".join(results.measures), "topics measured": len(results.qids), "judged articles": judged[0],
        "relevant articles": judged[1], "top": top, "missed": missed, "alpha": alpha,
        "correction": correction or "none", "overlap": overlap,
    }  # fmt: skip
    given_sources = {name: source for name, source in sources.items() if source is not None}
    data = ReportData(
        title=title or "Focused retrieval report",
        results=results,
        tests=_test_pairs(results, alpha, correction),
        curves=_compute_curves(qrels, results, focused, overlap),
        roc_note=curve_data.roc_note(qrels),
        sizes=[_measure_size(run, len(results.qids)) for run in runs.values()],
        judged=judged,
        heads=heads,
        shown=shown,
        packed=packed,
        provenance=provenance(command, given_sources, parameters),
        unjudged="" if is_result else unjudged_note(runs, qrels),
    )
    write_bytes(path, report_page(data).encode())


def _check_options(path: object, measures: object, top: object, missed: object) -> None:
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"path must be the name of the page's file, got {type(path).__name__}; then come qrels, runs")
    if not isinstance(top, int) or not isinstance(missed, int) or top < 1 or missed < 0:
        raise ValueError(f"top={top}, missed={missed}: show at least the first article of a run, and no fewer than 0")
    if measures is not None and not isinstance(measures, str | Iterable | ir_measures.Measure):
        raise ValueError(f"measures={measures!r}: give names, as in 'AiP AgP AP', or a list of measures")


def _make_fit(
    results: Evaluation, heads: list[dict[str, str]], shown: ShownArticles
) -> tuple[ShownArticles, list[str]]:
    packed = _pack_topics(results, heads, shown)
    while sum(map(len, packed)) > SIZE and (smaller := shown.smaller()) is not None:
        shown = smaller
        packed = _pack_topics(results, heads, shown)
    return shown, packed


def _check_frames(qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame]) -> bool:
    """Check frames; tell whether there are passages and highlights, so that focused measures can be taken."""
    if not len(qrels):
        raise ValueError("the qrels are empty: there is nothing to measure")
    focused = "highlights" in qrels and all("passages" in run for run in runs.values())
    if focused:
        check_qrels(qrels)
    return focused


def _test_pairs(results: Evaluation, alpha: float, correction: str | None) -> Significance:
    """Test all pairs of runs, which needs two runs and two topics."""
    enough = len(results.systems) > 1 and len(results.qids) > 1
    pairs = None
    if enough:
        with warnings.catch_warnings():
            # the page says it
            warnings.simplefilter("ignore", EvaluationWarning)
            pairs = pairwise(results.per_query(), alpha=alpha, correction=correction)
    return Significance(pairs, alpha, correction)


def _list_runs(runs: object) -> list[object]:
    if isinstance(runs, Mapping):
        return list(runs.values())
    return [runs] if is_one_run(runs) else list(cast("Sequence[object]", runs))


def _read_topics(topics: object) -> pd.DataFrame | None:
    if isinstance(topics, str | os.PathLike):
        return read_topics(topics)
    if topics is not None and (not isinstance(topics, pd.DataFrame) or "qid" not in topics):
        raise ValueError("topics must be a frame with the column 'qid', or the path of a file of INEX topics")
    return topics


def _choose_measures(measures: MeasureNames | None, focused: bool, overlap: str) -> list[Measure]:
    """Return the measures of the page, with *overlap* for those that take it and do not set it."""
    usual = FOCUSED if focused else ORDINARY
    wanted = parse(usual if measures is None else measures)
    if not wanted:
        raise ValueError("no measures given: measures='AiP AgP AP'")
    if overlap == "error":
        return wanted
    undecided = ["overlap" in measure.SUPPORTED_PARAMS and "overlap" not in measure.params for measure in wanted]
    return [measure(overlap=overlap) if open_ else measure for measure, open_ in zip(wanted, undecided, strict=True)]


def _pack_topics(results: Evaluation, heads: list[dict[str, str]], shown: ShownArticles) -> list[str]:
    return [compress(topic_html(topic, i, results, heads[i], shown)) for i, topic in enumerate(shown.topics)]


def _compute_curves(
    qrels: pd.DataFrame, results: Evaluation, focused: bool, overlap: str
) -> dict[str, list[pd.DataFrame]]:
    runs = results.rankings
    curves = {}
    if focused:
        curves["characters"] = [curve_data.char_precision_recall(qrels, run, overlap=overlap) for run in runs]
        curves["effort"] = [curve_data.recall_by_characters(qrels, run, overlap=overlap) for run in runs]
    curves["articles"] = [curve_data.article_precision_recall(qrels, run) for run in runs]
    curves["roc"] = [curve_data.roc(qrels, run) for run in runs]
    return curves


def _measure_size(run: pd.DataFrame, topics: int) -> dict[str, Size]:
    """Return the columns after the measures: means over the judged topics of the retrieved text's size."""
    articles = len(run) / topics
    size = {"articles": Size(articles, number(round(articles, 1)))}
    if "passages" in run:
        characters = read_passages(run).characters / topics
        size["characters"] = Size(characters, number(round(characters)))
    return size


def _find_heads(topics: pd.DataFrame | None, qids: Sequence[str]) -> list[dict[str, str]]:
    """Return each topic's fields from its first row in the topics frame."""
    names = ("title", "query", "castitle", "description", "narrative")
    heads: dict[str, dict[str, str]] = {}
    for row in [] if topics is None else topics.to_dict("records"):
        fields = {name: row[name].strip() for name in names if isinstance(row.get(name), str)}
        heads.setdefault(str(row["qid"]), {name: text for name, text in fields.items() if text})
    return [heads.get(qid, {}) for qid in qids]
