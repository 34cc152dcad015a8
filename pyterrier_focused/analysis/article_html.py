"""An article as HTML, with the assessor's highlights and the systems' passages laid over each other.

The text is cut wherever a highlight, a passage or an element begins or ends. Each piece is a span that says whether it
is highlighted (class `h`) and which readings retrieved it (`r0`, `r1`, ...); the style sheet shows the reading that the
class `run-0`, `run-1`, ... of an element around it chooses: found, missed or noise, by line, ground and label.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from html import escape

import numpy as np

from .article import FOUND, MISSED, NOISE, Element, Figures, MarkedArticle, shown_spans

SECTIONS = {"article", "bdy", "body", "sec", "section", *(f"ss{i}" for i in range(1, 10)), "ss"}
HEADINGS = {"title", "st", "h", "head", "heading"}
BODIES = {"bdy", "body"}  # sections without a title of their own: nothing for an outline
METADATA = {"id", "categories", "revision", "contributor"}  # in the headers of INEX
PARAGRAPHS = {"p", "ip1", "item", "li", "entry", "row", "caption", "paragraph", "blockquote", "figure", "image"}
GROUPS = {"list", "normallist", "numberlist", "definitionlist", "ul", "ol", "table", "template", "header"}


ENTRY = "▸ entry"
_READINGS = "{readings}"


def number(value: float) -> str:
    """Write a count with thousands apart."""
    return f"{value:,}".replace(",", "\u202f")


def text_html(article: MarkedArticle, prefix: str, context: int | None = None) -> str:
    """The article's text as nested blocks of marked pieces; element ids start with *prefix*.

    context: keep only text within so many characters of the beginning, a highlight, or a passage's start or end, and
    say how much is left out in between; all of it without.
    """
    return _Writer(article, prefix, context).write()


def outline_html(article: MarkedArticle, prefix: str) -> str:
    """The nested list of sections, and of the elements that a reading returned as they are, with their shares."""
    wanted = {span for reading in article.readings for span in reading.passages}
    rows: list[str] = []
    stack: list[int] = []  # ends of the listed elements around
    spans = [(element.start, element.end) for element in article.elements]
    figures = [article.figures_of(k, spans) for k in range(len(article.readings))]
    for i, element in enumerate(article.elements):
        section = element.tag in SECTIONS - BODIES
        listed = section or (spans[i] in wanted and _is_block(element.tag) and element.tag not in HEADINGS)
        if not listed or element.start >= element.end:
            continue
        while stack and stack[-1] <= element.start:
            stack.pop()
        stack.append(element.end)
        readings = [k for k, reading in enumerate(article.readings) if spans[i] in reading.passages]
        kind = "" if section else "only " + " ".join(f"k{k}" for k in readings)
        name = element.title or element.path.rsplit("/", 1)[-1]
        marks = f'<b class="{_of(readings)}" title="returned as it is">▸</b>' if readings else ""
        bars = _grouped([_bar(found[i], element.end - element.start) for found in figures])
        link = f'<a href="#{prefix}e{i}" title="{escape(element.path)}">{marks}{escape(name)}</a>'
        rows.append(f'<li class="{kind}" style="--depth:{len(stack) - 1}">{link}{bars}</li>')
    return f'<ul class="outline">{"".join(rows)}</ul>' if rows else ""


def strip_html(article: MarkedArticle, k: int) -> str:
    """The article from its first to its last character: what is highlighted above, what reading *k* retrieved below.

    Found text is a full block, missed text a hollow one, noise a low one; a line marks each entry point.
    """
    scale, cuts = 1000 / max(article.length, 1), article.cuts.tolist()
    shapes = []
    for a, b, state in _runs_of(cuts, article.states(k)):
        x, width = a * scale, max((b - a) * scale, 3)
        if state in (FOUND, MISSED):
            shapes.append(f'<rect class="{state}" x="{x:.1f}" y="1" width="{width:.1f}" height="8"/>')
        if state in (FOUND, NOISE):
            y, height = (11, 8) if state == FOUND else (13, 4)
            shapes.append(f'<rect class="{state}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}"/>')
    if 0 <= article.bep <= article.length:
        shapes.append(f'<path class="entry" d="M{article.bep * scale:.1f} 0v10"/>')
    passages = article.readings[k].passages
    if passages:
        shapes.append(f'<path class="entry" d="M{min(passages[0][0], article.length) * scale:.1f} 10v10"/>')
    figures = article.figures[k]
    told = f"{number(figures.highlighted)} characters highlighted, {number(figures.retrieved)} retrieved, "
    told += f"{number(figures.found)} of them both, of {number(article.length)}"
    return (
        f'<svg class="strip" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label="{told}">'
        f'<title>{told}</title><path class="base" d="M0 5h1000M0 15h1000"/>{"".join(shapes)}</svg>'
    )


def figures_html(article: MarkedArticle) -> str:
    """The figures of this article as lists of terms, of which that of the chosen reading is shown."""
    return _grouped([_figures(article, k) for k in range(len(article.readings))])


def _figures(article: MarkedArticle, k: int) -> str:
    reading, found = article.readings[k], article.figures[k]
    rows = []
    if reading.rank is not None:
        score = "" if reading.score is None else f" (score {reading.score:g})"
        rows.append(("rank", f"{reading.rank + 1}{score}"))
    else:
        rows.append(("rank", "not retrieved"))
    judged = {None: "not judged", True: "relevant", False: "not relevant"}
    rows.append(("judgment", judged[None if article.label is None else article.label >= 1]))
    rows += [
        ("passages", str(len(reading.passages))),
        ("retrieved", f"{number(found.retrieved)} characters"),
        ("highlighted", f"{number(found.highlighted)} characters"),
        ("found", f"{number(found.found)} characters"),
        ("precision", f"{found.precision:.3f}"),
        ("recall", f"{found.recall:.3f}"),
        ("F", f"{found.f:.3f}"),
    ]
    if article.bep >= 0:
        rows.append(("best entry point", number(article.bep)))
        if reading.passages:
            off = reading.passages[0][0] - article.bep
            side = "" if off == 0 else f" ({number(abs(off))} {'after' if off > 0 else 'before'})"
            rows.append(("system’s entry", f"{number(reading.passages[0][0])}{side}"))
    terms = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in rows)
    return f'<dl class="figures {_READINGS}">{terms}</dl>'


LEGEND = (
    '<p class="legend"><span class="found"><i class="tag found">found</i>highlighted and retrieved</span> '
    '<span class="missed"><i class="tag missed">missed</i>highlighted, not retrieved</span> '
    '<span class="noise"><i class="tag noise">noise</i>retrieved, not highlighted</span> '
    '<span><i class="point">◆ best entry point</i>the assessor’s</span> '
    f'<span><i class="point">{ENTRY}</i>the system’s</span> '
    "<span>in the strip: highlighted above, retrieved below</span></p>"
)


class _Writer:
    """Walks text and elements once, from left to right."""

    def __init__(self, article: MarkedArticle, prefix: str, context: int | None):
        self.article, self.prefix, self.out = article, prefix, []  # type: MarkedArticle, str, list[str]
        self.text = article.text or ""
        self.kept = shown_spans(article, context)
        edges = {offset for span in self.kept for offset in span}
        self.cuts = sorted({*article.cuts.tolist(), *edges, *self._points()})
        at = np.searchsorted(article.cuts, self.cuts, side="right") - 1  # the piece in which each cut lies
        at = at.clip(0, max(len(article.cuts) - 2, 0))
        self.highlighted = article.highlighted[at] if len(article.highlighted) else np.zeros(len(at), dtype=np.int64)
        self.retrieved = [r[at] if len(r) else np.zeros(len(at), dtype=np.int64) for r in article.retrieved]
        self.marks = self._marks()
        self.told: set[int] = set()  # gaps that have been told

    def _points(self) -> set[int]:
        entries = {reading.passages[0][0] for reading in self.article.readings if reading.passages}
        return {offset for offset in {self.article.bep, *entries} if 0 <= offset <= self.article.length}

    def _marks(self) -> dict[int, str]:
        """What stands before the piece at an offset: entry points, and the label where a state begins."""
        marks: dict[int, list[str]] = {}
        if self.article.bep >= 0:
            marks.setdefault(self.article.bep, []).append('<i class="point">◆ best entry point</i>')
        begun: dict[tuple[int, str], list[int]] = {}
        for k, reading in enumerate(self.article.readings):
            if reading.passages:
                begun.setdefault((reading.passages[0][0], ENTRY), []).append(k)
            for offset, _, state in _runs_of(self.article.cuts.tolist(), self.article.states(k)):
                if state:
                    begun.setdefault((offset, state), []).append(k)
        for (offset, what), readings in sorted(begun.items(), key=lambda item: (item[0][0], item[0][1] != ENTRY)):
            kind = "point" if what == ENTRY else f"tag {what}"
            marks.setdefault(offset, []).append(f'<i class="{kind} {_of(readings)}">{what}</i>')
        return {offset: "".join(found) for offset, found in marks.items()}

    def write(self) -> str:
        stack: list[Element] = []
        position = 0
        for i, element in enumerate(self.article.elements):
            end = min(element.end, len(self.text))
            if element.start >= end or not _is_block(element.tag):
                continue
            if element.tag not in SECTIONS and not self._shows(element.start, end):
                continue
            while stack and stack[-1].end <= element.start:
                position = self._close(stack, position)
            self._loose(stack, position, element.start)
            position = element.start
            stack.append(element._replace(end=end))
            self.out.append(f'<div class="{_kind(element.tag)}" id="{self.prefix}e{i}">')
        while stack:
            position = self._close(stack, position)
        self._loose(stack, position, len(self.text))
        return "".join([*self.out, *self.marks.values()])

    def _close(self, stack: list[Element], position: int) -> int:
        element = stack[-1]
        self._loose(stack, position, element.end)
        stack.pop()
        self.out.append("</div>")
        return max(position, element.end)

    def _loose(self, stack: list[Element], start: int, end: int) -> None:
        """Write text that no inner block holds."""
        if start >= end:
            return
        if stack and _kind(stack[-1].tag) not in ("sec", "group"):
            self._pieces(start, end)
            return
        text = self.text[start:end]
        if not text.strip():
            return
        kind = "head" if stack and stack[-1].title and text.strip() == stack[-1].title.strip() else "loose"
        lead = len(text) - len(text.lstrip())
        self.out.append(f'<div class="{kind}">')
        self._pieces(start + lead, start + len(text.rstrip()))
        self.out.append("</div>")

    def _pieces(self, start: int, end: int) -> None:
        first = bisect_right(self.cuts, start) - 1
        for i in range(first, len(self.cuts)):
            a, b = max(start, self.cuts[i]), min(end, self.cuts[i + 1] if i + 1 < len(self.cuts) else len(self.text))
            if a >= end:
                break
            gap = self._gap(a)
            if gap is not None:
                if gap not in self.told:
                    self.told.add(gap)
                    size = self.kept[gap + 1][0] if gap + 1 < len(self.kept) else len(self.text)
                    self.out.append(f'<div class="gap">{number(size - self.kept[gap][1])} characters left out</div>')
                continue
            # what the text before left unsaid: marks inside white space between blocks
            self.out.extend(self.marks.pop(offset) for offset in [o for o in self.marks if o <= a])
            classes = ["h"] if self.highlighted[i] else []
            classes += [f"r{k}" for k, retrieved in enumerate(self.retrieved) if retrieved[i]]
            shown = escape(self.text[a:b], quote=False)
            self.out.append(f'<span class="{" ".join(classes)}">{shown}</span>' if classes else shown)

    def _gap(self, offset: int) -> int | None:
        """The kept stretch after which a left-out offset comes; None where it is kept."""
        i = bisect_right(self.kept, (offset, len(self.text) + 1)) - 1
        return None if i >= 0 and offset < self.kept[i][1] else max(i, 0)

    def _shows(self, start: int, end: int) -> bool:
        """Whether anything of a stretch is shown, be it the note of a gap that begins there."""
        return any(a < end and start <= b for a, b in self.kept)


def _bar(found: Figures, size: int) -> str:
    counts = {FOUND: found.found, MISSED: found.highlighted - found.found, NOISE: found.retrieved - found.found}
    if not any(counts.values()):
        return ""
    told = ", ".join(f"{state} {number(count)}" for state, count in counts.items() if count)
    parts = "".join(
        f'<i class="{state}" style="width:{100 * count / size:.1f}%"></i>' for state, count in counts.items() if count
    )
    title = f"{told} of {number(size)} characters"
    return f'<span class="bar {_READINGS}" role="img" aria-label="{title}" title="{title}">{parts}</span>'


def _runs_of(cuts: list[int], states: list[str]) -> list[tuple[int, int, str]]:
    """Neighbouring pieces of one state as one: (start, end, state)."""
    runs: list[tuple[int, int, str]] = []
    for a, b, state in zip(cuts[:-1], cuts[1:], states, strict=True):
        if runs and runs[-1][2] == state:
            runs[-1] = (runs[-1][0], b, state)
        else:
            runs.append((a, b, state))
    return runs


def _of(readings: Sequence[int]) -> str:
    """The classes of what is shown for these readings alone."""
    return "k " + " ".join(f"k{k}" for k in readings)


def _grouped(parts: Sequence[str]) -> str:
    """One part a reading, with _READINGS where its classes go; parts that are the same are written once."""
    groups: dict[str, list[int]] = {}
    for k, part in enumerate(parts):
        groups.setdefault(part, []).append(k)
    return "".join(part.replace(_READINGS, _of(readings)) for part, readings in groups.items())


def _is_block(tag: str) -> bool:
    return tag in SECTIONS or tag in HEADINGS or tag in PARAGRAPHS or tag in GROUPS or tag in METADATA


def _kind(tag: str) -> str:
    if tag in SECTIONS:
        return "sec"
    if tag in HEADINGS:
        return "head"
    if tag in METADATA:
        return "meta"
    return "group" if tag in GROUPS else "para item" if tag in ("item", "li") else "para"
