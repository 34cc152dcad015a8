"""One HTML page about runs, or about a result of `evaluate_retrieved`. It needs no JavaScript and no network."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import pandas as pd
from ir_measures import Measure
from markupsafe import Markup

from .._version import __version__
from ..analysis import (
    pairwise,
    plot_article_precision_recall,
    plot_char_precision_recall,
    plot_intervals,
    plot_recall_by_characters,
)
from ..collection.corpora import Corpus, as_collection
from ..errors import EvaluationWarning, import_extra
from ..evaluation import Evaluation, Paths, as_qrels, as_runs, evaluate, parse
from ..frames.articles import ArticleCollection
from ..frames.columns import cells
from ..frames.packing import ranked
from ..io import read_topics
from ..rag import RetrievedEvaluation
from ..reading.files import write_bytes
from .view import ArticleView, view

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOCUSED = "AiP iP@0.01 CharP CharR AgP AP nDCG@10"
# For runs without passages and qrels without highlights.
DOCUMENTS = "AP nDCG@10 P@10"
_PACKAGES = ("python-terrier", "ir_measures", "pandas", "numpy")


@dataclass(frozen=True)
class Scores:
    """What the page shows, in one form for runs and for a result.

    Args:
        intervals: A row for each system and measure: `name, measure, mean, low, high`; best system first.
        values: A row for each system, topic and measure: `name, qid, measure, value`.
        queries: The topics' queries by qid, as far as they are known.
    """

    qrels: pd.DataFrame
    runs: Mapping[str, pd.DataFrame]
    intervals: pd.DataFrame
    values: pd.DataFrame
    queries: Mapping[str, str]
    overlap: str


@dataclass
class Topic:
    """A topic with its mean value over the systems, and views of its articles as the best system left them."""

    qid: str
    query: str
    value: float
    views: list[ArticleView] = field(default_factory=list)


def write_report(
    path: Paths,
    qrels: pd.DataFrame | Paths | RetrievedEvaluation,
    runs: object = None,
    *,
    topics: pd.DataFrame | Paths | None = None,
    collection: Corpus | None = None,
    measures: str | list[Measure] | None = None,
    overlap: str = "error",
    worst: int = 3,
    title: str = "Focused retrieval report",
) -> None:
    """Write a page with means and intervals, the comparison of all pairs, plots, and the topics that went worst.

    Args:
        path: The file to write.
        qrels: A frame or the path of a file; or a result of `evaluate_retrieved`, which brings everything else.
        runs: What `pt.Experiment` takes, a dict by name or a list of frames and transformers, and paths of run files.
        topics: A frame with `qid` and `query`, or the path of a file that `read_topics` reads.
        collection: The articles, to show those of the worst topics: a Collection, or a corpus as for `read_corpus`.
        measures: As for `parse`; by default focused and document measures, as the data allow. Topics are sorted by
            the first.
        overlap: 'once' counts the characters of overlapping passages once, 'error' refuses such runs.
        worst: The number of topics to show, the lowest mean of the first measure first.
        title: The page's heading.

    Raises:
        ValueError: *runs* are missing, or are given with a result that has its own.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "score": [2.0, 1.0]})
        >>> write_report("report.html", qrels, {"mine": run})
        >>> os.path.exists("report.html")
        True
    """
    if isinstance(qrels, RetrievedEvaluation):
        if runs is not None or measures is not None:
            raise ValueError("a result of evaluate_retrieved brings its runs and measures; give nothing but the result")
        scores = _read_result(qrels)
        articles = _open_articles(dict(qrels.texts) or None if collection is None else collection)
        sources: dict[str, object] = {}
    else:
        if runs is None:
            raise ValueError("runs is missing: give a run, or a dict of runs by name")
        articles = _open_articles(collection)
        sources = {"qrels": qrels, "runs": runs, "topics": topics, "collection": collection}
        scores = _score_runs(qrels, runs, topics, articles, measures, overlap)
    pairs = _compare(scores.values)
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=jinja2.StrictUndefined
    )
    page = templates.get_template("page.html").render(
        title=title,
        names=list(dict.fromkeys(scores.intervals["name"])),
        measures=list(dict.fromkeys(scores.intervals["measure"])),
        means={(row["name"], row["measure"]): row for row in scores.intervals.to_dict("records")},
        topic_count=scores.qrels["qid"].nunique(),
        pairs=None if pairs is None else pairs.to_dict("records"),
        test=pairs.attrs if pairs is not None else {},
        plots=list(_draw_plots(scores, pairs)) if importlib.util.find_spec("matplotlib") else None,
        values=_tabulate_topics(scores),
        topics=_find_worst(scores, articles, worst),
        has_articles=articles is not None,
        made=_describe_making(sources, scores),
    )
    write_bytes(path, page.encode("utf-8", "replace"))


def _open_articles(collection: Corpus | None) -> ArticleCollection | None:
    return None if collection is None else as_collection(collection)


def _read_result(result: RetrievedEvaluation) -> Scores:
    intervals = result.intervals.assign(measure=result.intervals["measure"].astype(str))
    queries = dict(zip(result.topics["qid"], result.topics["query"], strict=True))
    return Scores(result.qrels, result.runs, _sort_systems(intervals), result.per_query(), queries, "once")


def _score_runs(
    qrels: pd.DataFrame | Paths,
    runs: object,
    topics: pd.DataFrame | Paths | None,
    articles: ArticleCollection | None,
    measures: str | list[Measure] | None,
    overlap: str,
) -> Scores:
    if isinstance(topics, str | os.PathLike):
        topics = read_topics(topics)
    judged = as_qrels(qrels, articles)
    if not len(judged):
        raise ValueError("the qrels are empty: there is nothing to measure")
    named = as_runs(runs, topics=topics, collection=articles)
    focused = "highlights" in judged and all("passages" in run for run in named.values())
    wanted = parse(measures if measures is not None else FOCUSED if focused else DOCUMENTS)
    if overlap != "error":
        wanted = [
            measure(overlap=overlap)
            if "overlap" in measure.SUPPORTED_PARAMS.keys() - measure.params.keys()
            else measure
            for measure in wanted
        ]
    result = evaluate(judged, named, wanted)
    rows = [
        {"name": name, "measure": measure, "mean": result.means[i, j], "low": low, "high": high}
        for i, name in enumerate(result.systems)
        for j, measure in enumerate(result.measures)
        for low, high in [_read_interval(result, i, j)]
    ]
    queries = {} if topics is None else dict(zip(topics["qid"].astype(str), topics["query"], strict=True))
    return Scores(judged, named, _sort_systems(pd.DataFrame(rows)), result.per_query(), queries, overlap)


def _read_interval(result: Evaluation, system: int, measure: int) -> tuple[float, float]:
    """Return the ends of an interval; NaN for one topic, of which there is none."""
    return result.interval(system, measure) if len(result.qids) > 1 else (float("nan"), float("nan"))


def _sort_systems(intervals: pd.DataFrame) -> pd.DataFrame:
    """Sort rows by the first measure's mean, best system first."""
    first = intervals[intervals["measure"] == intervals["measure"].iloc[0]]
    order = first.sort_values("mean", ascending=False, kind="stable")["name"].tolist()
    return intervals.sort_values("name", key=lambda names: names.map(order.index), kind="stable")


def _compare(values: pd.DataFrame) -> pd.DataFrame | None:
    """Compare all pairs of systems; None if there is one system or one topic."""
    if values["name"].nunique() < 2 or values["qid"].nunique() < 2:
        return None
    with warnings.catch_warnings():
        # The page shows this note.
        warnings.simplefilter("ignore", EvaluationWarning)
        return pairwise(values)


def _draw_plots(scores: Scores, pairs: pd.DataFrame | None) -> Iterator[tuple[str, Markup]]:
    """Yield captions and SVG pictures: two curves, and the differences from the best system."""
    draw: dict[str, Callable[..., object]] = {}
    if "highlights" in scores.qrels and all("passages" in run for run in scores.runs.values()):
        options: dict[str, Any] = {} if scores.overlap == "error" else {"overlap": scores.overlap}
        draw["Precision at levels of recall, in characters"] = partial(plot_char_precision_recall, **options)
        draw["Recall after so many characters read"] = partial(plot_recall_by_characters, **options)
    else:
        draw["Precision at levels of recall, in articles"] = plot_article_precision_recall
    for caption, plot in draw.items():
        yield caption, _draw(caption, 3.6, partial(plot, scores.qrels, dict(scores.runs)))
    if pairs is not None:
        best = scores.intervals["name"].iloc[0]
        rows = int(((pairs["better"] == best) | (pairs["worse"] == best)).sum())
        caption = f"Differences from {best}, with 95% intervals (filled: significant)"
        yield caption, _draw(caption, 1 + 0.3 * rows, partial(plot_intervals, pairs, best))


def _draw(caption: str, height: float, plot: Callable[..., object]) -> Markup:
    figure = import_extra("matplotlib.figure", "plots").Figure(figsize=(6.4, height), layout="constrained")
    axes: Axes = figure.add_subplot()
    plot(ax=axes)
    drawn = io.StringIO()
    # The caption as salt: ids of several pictures on one page differ, and are the same each time.
    with import_extra("matplotlib", "plots").rc_context({"svg.hashsalt": caption, "svg.fonttype": "path"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    svg = drawn.getvalue()
    label = Markup('<svg role="img" aria-label="{}" ').format(caption)
    return label + Markup(svg[svg.index("<svg ") + len("<svg ") :])


def _tabulate_topics(scores: Scores) -> list[tuple[str, str, list[float]]]:
    """Return rows of the table by topic: qid, system, a value for each measure (NaN where a topic does not count)."""
    measures = list(dict.fromkeys(scores.intervals["measure"]))
    table = scores.values.pivot_table(
        index=["qid", "name"], columns="measure", values="value", sort=False, dropna=False, observed=True
    )
    table = table.reindex(columns=measures).sort_index(level="qid", sort_remaining=False, kind="stable")
    return [(str(qid), str(name), row) for (qid, name), row in zip(table.index, table.to_numpy().tolist(), strict=True)]


def _find_worst(scores: Scores, articles: ArticleCollection | None, count: int) -> list[Topic]:
    """Return the topics with the lowest means of the first measure, with what the best system did there."""
    first = scores.intervals.iloc[0]
    values = scores.values[scores.values["measure"] == first["measure"]].groupby("qid", sort=False)["value"].mean()
    worst = []
    for qid, value in values.sort_values(kind="stable").head(count).items():
        topic = Topic(str(qid), str(scores.queries.get(str(qid), "")), float(value))
        if articles is not None:
            run = scores.runs[first["name"]]
            topic.views = [
                view(articles, scores.qrels, run if str(qid) in set(run["qid"]) else None, str(qid), docno)
                for docno in _choose_articles(scores.qrels, run, str(qid))
                if docno in articles
            ]
        worst.append(topic)
    return worst


def _choose_articles(qrels: pd.DataFrame, run: pd.DataFrame, qid: str) -> list[str]:
    """Return the article that the run ranks first, and the one with most highlighted text."""
    first = ranked(run[run["qid"] == qid])["docno"].head(1).tolist()
    judged = qrels[(qrels["qid"] == qid) & (qrels["label"] >= 1)]
    if "highlights" not in judged or not len(judged):
        return first
    sizes = [sum(end - start for start, end, *_ in cell) for cell in cells(judged["highlights"])]
    return list(dict.fromkeys([*first, judged["docno"].iloc[sizes.index(max(sizes))]]))


def _describe_making(sources: Mapping[str, object], scores: Scores) -> list[tuple[str, str]]:
    """List what a reader needs to make the page again; the date is SOURCE_DATE_EPOCH if it is set."""
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    rows = [("made", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))), ("pyterrier_focused", __version__)]
    rows += [(name, version(name)) for name in _PACKAGES] + [("Python", platform.python_version())]
    rows.append(("measures", " ".join(dict.fromkeys(scores.intervals["measure"]))))
    rows.append(("qrels", f"{len(scores.qrels)} judged articles, {int((scores.qrels['label'] >= 1).sum())} relevant"))
    for name, source in sources.items():
        files = source.values() if isinstance(source, Mapping) else source if isinstance(source, list) else [source]
        rows += [(name, _describe_file(Path(file))) for file in files if isinstance(file, str | os.PathLike)]
    return rows


def _describe_file(path: Path) -> str:
    if not path.is_file():
        return str(path)
    return f"{path}, {path.stat().st_size} bytes, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}"
