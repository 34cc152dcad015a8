"""An article as HTML, with the assessor's highlights and the systems' passages laid over each other.

The text is cut wherever a highlight, a passage or an element begins or ends. Each span says whether it is highlighted
(class `h`) and which runs retrieved it (`r0`, `r1`, ...); the style sheet shows the run that the class `run-0`,
`run-1`, ... of an element around it chooses: found, missed or noise, by line, ground and label.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from markupsafe import Markup

from ..reading.json import JsonObject
from .article import FOUND, MISSED, NOISE, CharacterCounts, TopicArticle
from .templates import fill_macro, number
from .text import BLOCKS, HEADINGS, SECTIONS, state_spans, text_events

# Sections without a title of their own: nothing for an outline.
_BODIES = {"bdy", "body"}
_TEMPLATE = "article.html"
Value = TypeVar("Value", bound=Hashable)

# States of pages with only qrels, or only a run.
ONE_SIDED = {MISSED: "highlighted", NOISE: "retrieved"}


def text_html(
    article: TopicArticle, prefix: str, context: int | None = None, *, words: Mapping[str, str] | None = None
) -> Markup:
    """Write the article's text as nested blocks of marked spans. *words*: other names for states in the labels."""
    return fill_macro(_TEMPLATE, "text", text_events(article, prefix, context), words or {})


def body_html(
    article: TopicArticle, prefix: str, context: int | None = None, *, words: Mapping[str, str] | None = None
) -> Markup:
    text = text_html(article, prefix, context, words=words)
    return fill_macro(_TEMPLATE, "body", article.docno, outline_html(article, prefix), text)


def legend_html(judged: bool = True, retrieved: bool = True) -> Markup:
    """Explain lines, grounds and labels, for pages with qrels (*judged*) and runs (*retrieved*)."""
    return fill_macro(_TEMPLATE, "legend", judged, retrieved)


def outline_html(article: TopicArticle, prefix: str) -> Markup:
    """Write the nested list of sections, and of the elements that a run returned as they are, with their shares."""
    wanted = {span for run in article.runs for span in run.passages}
    rows: list[JsonObject] = []
    # The ends of the listed elements around.
    stack: list[int] = []
    spans = [(element.start, element.end) for element in article.elements]
    counts = [article.counts_in(k, spans) for k in range(len(article.runs))]
    for i, element in enumerate(article.elements):
        section = element.tag.lower() in SECTIONS - _BODIES
        returned = spans[i] in wanted and element.tag.lower() in BLOCKS - HEADINGS
        if not (section or returned) or element.start >= element.end:
            continue
        while stack and stack[-1] <= element.start:
            stack.pop()
        stack.append(element.end)
        rows.append(
            {
                "link": f"{prefix}e{i}",
                "path": element.path,
                "name": element.title or element.path.rsplit("/", 1)[-1],
                "section": section,
                "depth": len(stack) - 1,
                "returned_by": [k for k, run in enumerate(article.runs) if spans[i] in run.passages],
                "bars": _group_by_value([_describe_bar(own[i], element.end - element.start) for own in counts]),
            }
        )
    return fill_macro(_TEMPLATE, "outline", rows)


def strip_html(article: TopicArticle, k: int) -> Markup:
    """Draw the article from its first to its last character: highlighted text above, the text of run *k* below.

    Found text is a full block, missed text a hollow one, noise a low one; a line marks each entry point.
    """
    scale = 1000 / max(article.length, 1)
    cuts = article.cuts.tolist()
    blocks = []
    for start, end, state in state_spans(cuts, article.states(k)):
        x = start * scale
        width = max((end - start) * scale, 3)
        if state in (FOUND, MISSED):
            blocks.append((state, x, 1, width, 8))
        if state in (FOUND, NOISE):
            blocks.append((state, x, *((11, width, 8) if state == FOUND else (13, width, 4))))
    entries = [(article.bep * scale, 0)] if 0 <= article.bep <= article.length else []
    passages = article.runs[k].passages
    if passages:
        entries.append((min(passages[0][0], article.length) * scale, 10))
    counts = article.counts[k]
    label = f"{number(counts.highlighted)} characters highlighted, {number(counts.retrieved)} retrieved, "
    label += f"{number(counts.found)} of them both, of {number(article.length)}"
    return fill_macro(_TEMPLATE, "strip", label, blocks, entries)


def counts_html(article: TopicArticle) -> Markup:
    """Write the counts of this article, a list for each run; the page shows that of the chosen run."""
    counts = [_list_counts(article, k) for k in range(len(article.runs))]
    return fill_macro(_TEMPLATE, "counts", _group_by_value(counts))


def _list_counts(article: TopicArticle, k: int) -> tuple[tuple[str, str], ...]:
    run = article.runs[k]
    counts = article.counts[k]
    rank = "not retrieved"
    if run.rank is not None:
        rank = f"{run.rank + 1}" + ("" if run.score is None else f" (score {run.score:g})")
    judged = {None: "not judged", True: "relevant", False: "not relevant"}
    rows = [
        ("rank", rank),
        ("judgment", judged[None if article.label is None else article.label >= 1]),
        ("passages", str(len(run.passages))),
        ("retrieved", f"{number(counts.retrieved)} characters"),
        ("highlighted", f"{number(counts.highlighted)} characters"),
        ("found", f"{number(counts.found)} characters"),
        ("precision", f"{counts.precision:.3f}"),
        ("recall", f"{counts.recall:.3f}"),
        ("F", f"{counts.f:.3f}"),
    ]
    if article.bep >= 0:
        rows.append(("best entry point", number(article.bep)))
        if run.passages:
            off = run.passages[0][0] - article.bep
            direction = "after" if off > 0 else "before"
            side = f" ({number(abs(off))} {direction})" if off else ""
            rows.append(("system’s entry", f"{number(run.passages[0][0])}{side}"))
    return tuple(rows)


def _describe_bar(counts: CharacterCounts, size: int) -> tuple[str, tuple[tuple[str, float], ...]]:
    """Return a bar's label, and its states, each with its share in per cent."""
    sizes = {FOUND: counts.found, MISSED: counts.highlighted - counts.found, NOISE: counts.retrieved - counts.found}
    shown = {state: count for state, count in sizes.items() if count}
    label = ", ".join(f"{state} {number(count)}" for state, count in shown.items())
    return f"{label} of {number(size)} characters", tuple((state, 100 * count / size) for state, count in shown.items())


def _group_by_value(values: Sequence[Value]) -> list[tuple[list[int], Value]]:
    """Group the numbers of runs by their values, so that equal values are written once."""
    groups: dict[Value, list[int]] = {}
    for k, value in enumerate(values):
        groups.setdefault(value, []).append(k)
    return [(runs, value) for value, runs in groups.items()]
