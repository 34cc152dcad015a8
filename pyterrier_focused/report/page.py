"""The markup of the report: the page and, packed one by one, its topics."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from markupsafe import Markup

from ..analysis.statistics.pairs import tied_groups, triangle
from ..evaluation.evaluation import Evaluation
from ..reading.json import JsonObject
from . import svg
from .article_html import body_html, counts_html, legend_html, strip_html
from .article_view import style
from .articles import ShownArticles, ShownTopic
from .group_graph import SystemMean, group_graph
from .templates import policy_hash, render, source
from .verdicts import reach_verdicts

# Letters may name so many runs in the table; more are counted.
_LETTERS = 11
_CHARTS = {
    "characters": ("Precision and recall of characters", "recall", "precision", "Recall", "Interpolated precision"),
    "effort": ("Recall by characters read", "characters", "recall", "Characters read", "Recall"),
    "articles": ("Precision and recall of articles", "recall", "precision", "Recall", "Interpolated precision"),
    "roc": ("ROC over the judged articles", "fpr", "tpr", "False positive rate", "True positive rate"),
}


@dataclass(frozen=True)
class Significance:
    """The tests of all pairs of runs (None for one run or topic), and how they were made."""

    pairs: pd.DataFrame | None
    alpha: float
    correction: str | None


@dataclass(frozen=True)
class Size:
    """A cell after those of the measures: the value by which rows are sorted, and the text."""

    value: float
    text: str


@dataclass(frozen=True, eq=False)
class ReportData:
    """The data of the page. *curves*, *sizes*: an entry a run; *heads*, *packed*: an entry a topic.

    *sizes*: the columns after the measures, by name; a run may lack some. *judged*: how many articles are, and how many
    of them are relevant.
    """

    title: str
    results: Evaluation
    tests: Significance
    curves: Mapping[str, Sequence[pd.DataFrame]]
    roc_note: str
    sizes: Sequence[Mapping[str, Size]]
    judged: tuple[int, int]
    heads: Sequence[dict[str, str]]
    shown: ShownArticles
    packed: Sequence[str]
    provenance: Sequence[tuple[str, str]]
    unjudged: str


def report_page(data: ReportData) -> Markup:
    results = data.results
    pairs = data.tests.pairs
    charts = _draw_charts(results, data.curves)
    script = "\n" + source("report.js") + "\n"
    return render(
        "report.html",
        title=data.title,
        style=style(len(results.systems)) + source("report.css"),
        script=script,
        script_hash=policy_hash(script),
        results=results,
        judged=data.judged,
        swatches=swatches(results),
        table=_fill_table(results, data.tests, data.sizes),
        groups=_draw_groups(results, pairs),
        drawn=drawn(results),
        charts=charts,
        roc_note=data.roc_note if "roc" in data.curves else "",
        shown=data.shown.sentence,
        provenance=data.provenance,
        unjudged=data.unjudged,
        verdicts=reach_verdicts(results.measures, pairs, data.tests.alpha),
        notes=[] if pairs is None else [note for note in map(pairs.attrs.get, ("reach", "intervals")) if note],
        data=_collect_data(results, data.heads, charts),
        packed=data.packed,
    )


def _collect_data(results: Evaluation, heads: Sequence[dict[str, str]], charts: Sequence[JsonObject]) -> Markup:
    values = results.values.tolist()
    data = {
        "runs": results.systems,
        "measures": results.measures,
        "notes": [note.sentence for note in results.notes],
        "topics": [[qid, topic_title(head)] for qid, head in zip(results.qids, heads, strict=True)],
        "values": [[[round(value, 4) for value in row] for row in system] for system in values],
        "lines": sorted(range(len(results.systems)), key=_number_lines(results).__getitem__),
        "charts": [chart["points"] for chart in charts],
    }
    return json_text(data)


def topic_html(topic: ShownTopic, i: int, results: Evaluation, head: dict[str, str], shown: ShownArticles) -> Markup:
    """Write one topic: its query, its values, and the articles of each run."""
    texts = {}
    for a, (docno, article) in enumerate(topic.articles.items()):
        if article.text is not None and (topic.qid, docno) not in shown.without_text:
            texts[docno] = counts_html(article) + legend_html() + body_html(article, f"t{i}a{a}", shown.context)
    return render(
        "report_topic.html",
        topic=topic,
        i=i,
        results=results,
        title=topic_title(head),
        fields={name: head[name] for name in ("castitle", "description", "narrative") if name in head},
        swatches=swatches(results),
        texts=texts,
        strip=strip_html,
        place={docno: a for a, docno in enumerate(topic.articles)},
    )


def drawn(results: Evaluation) -> set[int]:
    """Return the systems whose curves are shown at first: as many of the best as there are different lines."""
    return set(results.order[: svg.STYLES])


def swatches(results: Evaluation) -> list[Markup]:
    """Return the line of each system: the best systems have the plainest lines."""
    return [svg.swatch(place) for place in _number_lines(results)]


def _number_lines(results: Evaluation) -> list[int]:
    """Number each system's line: the systems that are shown at first come first, in the order given."""
    shown = drawn(results)
    first = sorted(shown)
    rest = [k for k in range(len(results.systems)) if k not in shown]
    place = {k: i for i, k in enumerate([*first, *rest])}
    return [place[k] for k in range(len(results.systems))]


def json_text(data: object) -> Markup:
    """Write JSON that can be in a script element: no `<` can end it or begin a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def compress(html: str) -> str:
    """Compress a piece of the page; it is unpacked when it is opened."""
    return base64.b64encode(gzip.compress(html.encode("utf-8"), 9, mtime=0)).decode("ascii")


def letter(k: int) -> str:
    """Name the k-th system by a letter: a, b, ... z, aa, ab, ..."""
    return letter(k // 26 - 1) + letter(k % 26) if k >= 26 else chr(97 + k)


def topic_title(head: dict[str, str]) -> str:
    return head.get("title") or head.get("query", "")


def _fill_table(results: Evaluation, tests: Significance, sizes: Sequence[Mapping[str, Size]]) -> JsonObject:
    better = _find_worse_systems(results, tests.pairs)
    letters = len(results.systems) <= _LETTERS
    widest = max((len(worse) for worse in better.values()), default=0) if letters else 2
    return {
        "letters": [letter(k) if letters else "" for k in range(len(results.systems))],
        "worse": {
            key: " ".join(letter(j) for j in worse) if letters else str(len(worse)) for key, worse in better.items()
        },
        "sizes": sizes,
        "size_columns": list(dict.fromkeys(name for size in sizes for name in size)),
        "mark_width": max(widest, 1) * 0.72,
        "tests": tests,
        "pairs": 0 if tests.pairs is None else len(tests.pairs) // len(results.measures),
    }


def _find_worse_systems(results: Evaluation, pairs: pd.DataFrame | None) -> dict[tuple[int, int], list[int]]:
    """Return the systems that each one is significantly better than: {(system, measure): [worse]}."""
    beaten: dict[tuple[int, int], list[int]] = {}
    if pairs is not None:
        number = {name: k for k, name in enumerate(results.systems)}
        rows = pairs[pairs["significant"]]
        for measure, name, worse in zip(rows["measure"], rows["better"], rows["worse"], strict=True):
            beaten.setdefault((number[name], results.measures.index(measure)), []).append(number[worse])
    return {key: sorted(worse) for key, worse in beaten.items()}


def _draw_groups(results: Evaluation, pairs: pd.DataFrame | None) -> list[JsonObject]:
    """Return for each measure the graph of runs that do not differ significantly, and the triangular table."""
    if pairs is None:
        return []
    groups = []
    number = {name: k for k, name in enumerate(results.systems)}
    for m, measure in enumerate(results.measures):
        rows = pairs[pairs["measure"] == measure]
        table = triangle(rows)
        tied = tied_groups(rows)
        place = {name: i for i, name in enumerate(table.index)}
        systems = [
            SystemMean(name, results.means[number[name], m], *results.interval(number[name], m)) for name in table.index
        ]
        groups.append(
            {
                "measure": measure,
                "graph": group_graph(measure, systems, [[place[name] for name in group] for group in tied]),
                "tied": [group for group in tied if len(group) > 1],
                "names": list(table.columns),
                "rows": list(zip(table.index, table.to_numpy().tolist(), strict=True)),
                "count": (int(rows["significant"].sum()), len(rows)),
            }
        )
    return groups


def _draw_charts(results: Evaluation, curves: Mapping[str, Sequence[pd.DataFrame]]) -> list[JsonObject]:
    """Draw each curve with its caption and points, without curves for which no run has points."""
    charts = []
    places = _number_lines(results)
    shown = drawn(results)
    systems = sorted(range(len(places)), key=places.__getitem__)
    for name, frames in curves.items():
        if not any(len(frame) for frame in frames):
            continue
        caption, x, y, x_label, y_label = _CHARTS[name]
        series = [
            svg.Series(results.systems[k], k not in shown, frames[k][x].tolist(), frames[k][y].tolist())
            for k in systems
        ]
        drawing = svg.chart(series, x_label, y_label, log=name == "effort", diagonal=name == "roc")
        points = {
            "name": name,
            "runs": [[[round(v, 4) for v in frames[k][axis].tolist()] for axis in (x, y)] for k in systems],
            "labels": [x_label, y_label],
            "scale": svg.scale(series, log=name == "effort"),
        }
        charts.append({"name": name, "drawing": drawing, "caption": caption, "points": points})
    return charts
