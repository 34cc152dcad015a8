"""The markup of the report: the page and, packed one by one, its topics. All text from outside is escaped."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from string import Template

import pandas as pd

from ..spans import Floats
from .article_html import LEGEND, figures_html, number, strip_html
from .article_view import asset, body_html, style
from .report_views import Topic, Views
from .significance import SIGNIFICANT, triangle
from .svg import STYLES, Series, chart, swatch

_SCROLL = '<div class="scroll" tabindex="0" role="region" aria-label="%s">'
_CHARTS = {
    "characters": ("Precision and recall of characters", "recall", "precision", "Recall", "Interpolated precision"),
    "effort": ("Recall by characters read", "characters", "recall", "Characters read", "Recall"),
    "articles": ("Precision and recall of articles", "recall", "precision", "Recall", "Interpolated precision"),
    "roc": ("ROC over the judged articles", "fpr", "tpr", "False positive rate", "True positive rate"),
}


@dataclass(frozen=True, eq=False)
class Results:
    """What was measured: `values[system, topic, measure]`."""

    systems: list[str]
    qids: list[str]
    measures: list[str]
    values: Floats

    @cached_property
    def means(self) -> Floats:
        """Means over topics, of each system (row) and measure (column)."""
        return self.values.mean(axis=1)

    @cached_property
    def order(self) -> list[int]:
        """The systems by the first measure, best first."""
        return sorted(range(len(self.systems)), key=lambda k: (-self.means[k, 0], self.systems[k]))

    @cached_property
    def drawn(self) -> list[int]:
        """The systems whose curves are drawn, in the order given: as many of the best as lines can be told apart."""
        return sorted(self.order[:STYLES])

    def swatch(self, k: int) -> str:
        """The line of system *k*, where it is drawn."""
        return swatch(self.drawn.index(k)) if k in self.drawn else ""

    def per_query(self) -> pd.DataFrame:
        """As `pt.Experiment(perquery=True)` gives it: `name, qid, measure, value`."""
        names = ["name", "qid", "measure"]
        index = pd.MultiIndex.from_product([self.systems, self.qids, self.measures], names=names)
        return pd.Series(self.values.ravel(), index=index, name="value").reset_index()


def page(
    title: str,
    results: Results,
    pairs: pd.DataFrame | None,
    significance: tuple[float, str | None],
    curves: Mapping[str, Sequence[pd.DataFrame]],
    sizes: Sequence[tuple[float, float | None]],
    judged: tuple[int, int],
    heads: Sequence[dict[str, str]],
    views: Views,
    packed: Sequence[str],
    unjudged: str,
) -> str:
    """The whole page; *packed* are the topics as `pack` makes them, *unjudged* warns of runs that few judged."""
    topics = len(results.qids)
    summary = f"{_count(len(results.systems), 'run')}, {_count(topics, 'topic')}, {number(judged[0])} judged articles, "
    summary += f"{number(judged[1])} of them relevant."
    data = {
        "runs": results.systems,
        "measures": results.measures,
        "topics": [[qid, _topic_title(head)] for qid, head in zip(results.qids, heads, strict=True)],
        "values": [[[round(v, 4) for v in row] for row in system] for system in results.values.tolist()],
    }
    scripts = (f'<script type="text/plain" id="topic-{i}">{text}</script>\n' for i, text in enumerate(packed))
    return Template(asset("report.html")).substitute(
        title=escape(title),
        style=style(len(results.systems)) + asset("report.css"),
        script=asset("report.js"),
        summary=summary,
        systems=_systems(results, pairs, significance, sizes),
        pairs=_pairs(results, pairs),
        legend="".join(f"<li>{results.swatch(k)}{escape(results.systems[k])}</li>" for k in results.drawn),
        charts=_charts(results, curves),
        charts_note=_charts_note(results),
        told=escape(views.told),
        unjudged=f'<p class="note" role="note">{escape(unjudged)}</p>' if unjudged else "",
        data=json_text(data),
        packed="".join(scripts),
    )


def json_text(data: object) -> str:
    """JSON that can stand in a script element: no `<` can end it or begin a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def pack(html: str) -> str:
    """Compress a piece of the page; it is unpacked when it is opened."""
    return base64.b64encode(gzip.compress(html.encode("utf-8"), 9, mtime=0)).decode("ascii")


def letter(k: int) -> str:
    """The letter of the k-th system: a, b, ... z, aa, ab, ..."""
    return letter(k // 26 - 1) + letter(k % 26) if k >= 26 else chr(97 + k)


def _systems(
    results: Results,
    pairs: pd.DataFrame | None,
    significance: tuple[float, str | None],
    sizes: Sequence[tuple[float, float | None]],
) -> str:
    """The table of systems and measures."""
    means, better = results.means, _better(pairs)
    number_of = {name: k for k, name in enumerate(results.systems)}
    letters = len(means) <= STYLES + 1
    with_characters = any(characters is not None for _, characters in sizes)
    head = ["", "run", *results.measures, "articles", *(["characters"] if with_characters else [])]
    rows = []
    for k in results.order:
        name = f'<th scope="row" class="pin">{results.swatch(k)}{escape(results.systems[k])}</th>'
        cells = [f'<td class="letter">{letter(k) if letters else ""}</td>{name}']
        for m, measure in enumerate(results.measures):
            worse = sorted(number_of[name] for name in better.get((measure, results.systems[k]), ()))
            marks = " ".join(letter(j) for j in worse) if letters else str(len(worse) or "")
            value = f"{means[k, m]:.4f}"
            value = f"<b>{value}</b>" if means[k, m] == means[:, m].max() and len(means) > 1 else value
            mark = f'<span class="sup">{f"<sup>{marks}</sup>" if marks else ""}</span>'
            cells.append(f'<td data-v="{means[k, m]:.9f}">{value}{mark}</td>')
        articles, characters = sizes[k]
        cells.append(f'<td data-v="{articles:.3f}">{number(round(articles, 1))}</td>')
        if with_characters:
            shown = "" if characters is None else number(round(characters))
            cells.append(f'<td data-v="{characters or 0:.3f}">{shown}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    header = "".join(_sortable(name) if name else "<td></td>" for name in head)
    widest = max((len(names) for names in better.values()), default=0) if letters else 2
    note = "Means over topics, the highest in bold; articles and characters are those retrieved for a topic."
    if pairs is not None:
        alpha, correction = significance
        over = f"over the {len(pairs) // len(results.measures)} pairs of a measure"
        corrected = f"corrected ({escape(correction)}) {over}" if correction else "not corrected"
        note += (
            f" Small {'letters name' if letters else 'figures count'} the runs over which a run is significantly better"
        )
        note += f" (one-tailed paired bootstrap over topics, p ≤ {alpha:g}, {corrected})."
    return (
        f'{_SCROLL % "Runs and measures"}<table class="sortable" style="--sup:{max(widest, 1) * 0.72:.2f}em">'
        f'<thead><tr>{header}</tr></thead><tbody>{"".join(rows)}</tbody></table></div><p class="note">{note}</p>'
    )


def _better(pairs: pd.DataFrame | None) -> dict[tuple[str, str], list[str]]:
    """The systems that each one is significantly better than: {(measure, better): [worse]}."""
    found: dict[tuple[str, str], list[str]] = {}
    if pairs is not None:
        rows = pairs[pairs["significant"]]
        for measure, name, worse in zip(rows["measure"], rows["better"], rows["worse"], strict=True):
            found.setdefault((measure, name), []).append(worse)
    return found


def _pairs(results: Results, pairs: pd.DataFrame | None) -> str:
    """The triangular tables, one a measure, of which one is shown."""
    if pairs is None:
        return ""
    options, tables = [], []
    for m, measure in enumerate(results.measures):
        rows = pairs[pairs["measure"] == measure]
        options.append(f'<option value="{m}">{escape(measure)}</option>')
        table = triangle(rows)
        head = "".join(f"<th scope='col'><span>{escape(name)}</span></th>" for name in table.columns)
        body = ""
        for name, cells in zip(table.index, table.to_numpy().tolist(), strict=True):
            words = {SIGNIFICANT: "better", "": ""}
            drawn = "".join(f'<td class="{words.get(cell, "even")}">{_pair_sign(cell)}</td>' for cell in cells)
            body += f'<tr><th scope="row">{escape(name)}</th>{drawn}</tr>'
        count = f"{int(rows['significant'].sum())} of {len(rows)} pairs differ significantly."
        hidden = " hidden" if m else ""
        tables.append(
            f'<div class="pairs" data-m="{m}"{hidden}>{_SCROLL % "Pairs"}'
            f'<table class="triangle"><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>'
            f'<p class="note">{count} A filled square: the run of the row is better than that of the column.</p></div>'
        )
    return (
        '<details class="more"><summary>All pairs of runs</summary><p><label>Measure '
        f'<select id="pair-measure">{"".join(options)}</select></label></p>{"".join(tables)}</details>'
    )


def _pair_sign(cell: str) -> str:
    if not cell:
        return ""
    return (
        '<span role="img" aria-label="better">■</span>' if cell == SIGNIFICANT else '<span aria-label="even">–</span>'
    )


def _charts(results: Results, curves: Mapping[str, Sequence[pd.DataFrame]]) -> str:
    figures = []
    for name, frames in curves.items():
        caption, x, y, x_label, y_label = _CHARTS[name]
        series = [Series(results.systems[k], frames[k][x].tolist(), frames[k][y].tolist()) for k in results.drawn]
        drawn = chart(series, x_label, y_label, log=name == "effort", diagonal=name == "roc")
        figures.append(f"<figure>{drawn}<figcaption>{caption}</figcaption></figure>")
    return f'<div class="charts">{"".join(figures)}</div>'


def _charts_note(results: Results) -> str:
    all_of_them = len(results.drawn) == len(results.systems)
    chosen = "" if all_of_them else f" of the {len(results.drawn)} runs best by {escape(results.measures[0])}"
    return f"Means over all judged topics{chosen}."


def topic_html(topic: Topic, i: int, results: Results, head: dict[str, str], views: Views) -> str:
    """One topic: what it asks, its values, and the articles of each run."""
    title = _topic_title(head)
    told = "".join(
        f"<dt>{name}</dt><dd>{escape(head[name])}</dd>"
        for name in ("castitle", "description", "narrative")
        if name in head
    )
    chooser = "".join(
        f'<label><input type="radio" name="run" value="{k}"{" checked" if k == 0 else ""}>'
        f"<span>{results.swatch(k)}{escape(name)}</span></label>"
        for k, name in enumerate(results.systems)
    )
    lists = "".join(_list(topic, k, results.systems[k], views) for k in range(len(results.systems)))
    place = {docno: a for a, docno in enumerate(topic.articles)}
    templates = "".join(
        f'<template data-a="{place[docno]}">{_article(topic, docno, i, place[docno], views)}</template>'
        for docno in topic.articles
    )
    return (
        f'<h2 tabindex="-1">Topic {escape(topic.qid)}{": " + escape(title) if title else ""}</h2>'
        + (f'<details class="more"><summary>What it asks for</summary><dl>{told}</dl></details>' if told else "")
        + _values(results, i)
        + f'<fieldset class="chooser"><legend>Articles of</legend>{chooser}</fieldset>{lists}{templates}'
    )


def _values(results: Results, i: int) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in results.measures)
    rows = ""
    for k, name in enumerate(results.systems):
        cells = "".join(f"<td>{value:.4f}</td>" for value in results.values[k, i].tolist())
        rows += f'<tr><th scope="row" class="pin">{results.swatch(k)}{escape(name)}</th>{cells}</tr>'
    return (
        f"{_SCROLL % 'Values of this topic'}<table>"
        f'<thead><tr><th scope="col" class="text pin">run</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _list(topic: Topic, k: int, name: str, views: Views) -> str:
    """What one run shows of a topic."""
    hits = "".join(f"<li>{_entry(topic, docno, k, views, r)}</li>" for r, docno in enumerate(topic.hits[k], 1))
    body = f"<ol>{hits}</ol>" if hits else "<p>The run has no articles for this topic.</p>"
    if topic.missing[k]:
        count = (
            f"{topic.missing[k]} relevant {'article was' if topic.missing[k] == 1 else 'articles were'} not retrieved"
        )
        shown = len(topic.missed[k])
        more = f"; the {shown} with most highlighted text:" if 0 < shown < topic.missing[k] else ":" if shown else "."
        missed = "".join(f"<li>{_entry(topic, docno, k, views)}</li>" for docno in topic.missed[k])
        body += f'<p class="lost">{count}{more}</p>' + (f"<ul>{missed}</ul>" if missed else "")
    hidden = " hidden" if k else ""
    return f'<section class="hits" data-run="{k}" aria-label="{escape(name)}"{hidden}>{body}</section>'


def _entry(topic: Topic, docno: str, k: int, views: Views, rank: int | None = None) -> str:
    """One article in the list of a run: its rank, name, judgment, figures and strip; opens its text."""
    article = topic.articles[docno]
    found = article.figures[k]
    judgment = "not judged" if article.label is None else "relevant" if article.label >= 1 else "not relevant"
    told = f'<span class="judged {judgment.replace(" ", "-")}">{judgment}</span>'
    if found.highlighted and found.retrieved:
        told += f" precision {found.precision:.2f}, recall {found.recall:.2f}"
    name = f'<span class="name">{"" if rank is None else f"{rank}. "}{escape(article.title)}</span>'
    name += f' <span class="docno">{escape(docno)}</span>' if article.title != docno else ""
    head = f'{name} <span class="told">{told}</span>{strip_html(article, k)}'
    if _has_text(topic, docno, views):
        at = list(topic.articles).index(docno)
        return f'<details class="hit" data-a="{at}"><summary>{head}</summary><div class="slot"></div></details>'
    return f'<div class="hit">{head}</div>'


def _has_text(topic: Topic, docno: str, views: Views) -> bool:
    return topic.articles[docno].text is not None and (topic.qid, docno) not in views.without_text


def _article(topic: Topic, docno: str, i: int, a: int, views: Views) -> str:
    if not _has_text(topic, docno, views):
        return ""
    article = topic.articles[docno]
    return f"{figures_html(article)}{LEGEND}{body_html(article, f't{i}a{a}', views.context)}"


def _topic_title(head: dict[str, str]) -> str:
    return head.get("title") or head.get("query", "")


def _sortable(name: str) -> str:
    text = ' class="text pin"' if name == "run" else ""
    return f'<th scope="col"{text} aria-sort="none"><button type="button">{escape(name)}</button></th>'


def _count(n: int, what: str) -> str:
    return f"{number(n)} {what}{'' if n == 1 else 's'}"
