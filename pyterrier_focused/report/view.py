"""One article as an assessor and a system saw it: what was found, what was missed, and what was returned in vain."""

from __future__ import annotations

import os
from collections.abc import Iterable
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..collection.corpora import Corpus, as_collection
from ..errors import name_some
from ..evaluation.inputs import Paths, as_qrels, as_run
from ..frames.articles import keeps_lines
from ..frames.columns import cells
from ..reading.files import write_bytes

STATES = ("", "noise", "missed", "found")
_MEANINGS = {
    "found": "highlighted and retrieved",
    "missed": "highlighted, not retrieved",
    "noise": "retrieved, not highlighted",
}
_STYLE = """<style>.ptf mark{color:inherit;background:none;padding:1px 0}
.ptf .found{background:#bfe8c4;border-bottom:3px solid #1a7f37}.ptf .missed{border-bottom:3px dashed #b35900}
.ptf .noise{background:repeating-linear-gradient(45deg,#eee,#eee 4px,#ddd 4px,#ddd 8px)}
@media(prefers-color-scheme:dark){.ptf .found{background:#1d4d2b}.ptf .noise{background:#444}}</style>"""


class ArticleView:
    """An article with highlights and passages: shows itself in a notebook; `save(path)` writes a page.

    Args:
        bep: Where reading should begin; -1: the assessor said nothing.
        entry: Where the system would have it begin; -1: it did not return the article.
    """

    def __init__(self, title: str, text: str, *, keeps_lines: bool = True):
        self.title = title
        self.text = text
        self.keeps_lines = keeps_lines
        self.highlighted = np.zeros(len(text), dtype=bool)
        self.retrieved = np.zeros(len(text), dtype=bool)
        self.bep = -1
        self.entry = -1

    @property
    def counts(self) -> dict[str, float]:
        """Characters retrieved, highlighted and both, with precision, recall and F."""
        retrieved = int(self.retrieved.sum())
        highlighted = int(self.highlighted.sum())
        found = int((self.retrieved & self.highlighted).sum())
        numbers = {"retrieved": retrieved, "highlighted": highlighted, "found": found}
        shares = {"precision": found / max(retrieved, 1), "recall": found / max(highlighted, 1)}
        return {**numbers, **shares, "F": 2 * found / max(retrieved + highlighted, 1)}

    @property
    def html(self) -> str:
        """The view as an HTML fragment with its own style; needs no script and no network."""
        legend = " · ".join(f'<mark class="{state}">{state}</mark>: {text}' for state, text in _MEANINGS.items())
        counts = ", ".join(f"{name} {value:.4g}" for name, value in self.counts.items())
        space = "pre-wrap" if self.keeps_lines else "pre-line"
        return (
            f'<div class="ptf">{_STYLE}<h3>{escape(self.title)}</h3><p>{counts}</p><p>{legend} · ◆ best entry point · '
            f'▸ the system’s</p><div style="white-space:{space}">{self._mark_text()}</div></div>'
        )

    def _mark_text(self) -> str:
        state = 2 * self.highlighted + self.retrieved
        signs = {self.bep: "◆", self.entry: "▸"} if self.bep != self.entry else {self.bep: "◆▸"}
        cuts = {0, len(self.text), *(np.flatnonzero(np.diff(state)) + 1).tolist()}
        edges = sorted(cuts | {offset for offset in signs if 0 <= offset < len(self.text)})
        parts = []
        for start, end in pairwise(edges):
            name = STATES[state[start]]
            text = signs.get(start, "") + escape(self.text[start:end])
            parts.append(f'<mark class="{name}" title="{name}">{text}</mark>' if name else text)
        return "".join(parts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the view as a page of its own."""
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(self.title)}</title>'
        page = f"{head}{self.html}</html>"
        write_bytes(path, page.encode("utf-8", "replace"))

    def _repr_html_(self) -> str:
        return self.html

    def __html__(self) -> str:
        """The view in a template that escapes other values."""
        return self.html

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<ArticleView of {self.title!r}: {counts['highlighted']} characters highlighted, {counts['retrieved']} "
            f"retrieved, {counts['found']} both>"
        )


def view(
    collection: Corpus,
    qrels: pd.DataFrame | Paths | None = None,
    run: pd.DataFrame | Paths | None = None,
    qid: str | None = None,
    docno: str | None = None,
) -> ArticleView:
    """Show an article of the collection as the assessor and a run saw it.

    Args:
        collection: A Collection, or a corpus as for `read_corpus` and `articles`.
        qrels: A frame or a path; the article need not be judged.
        run: A frame or a path; the article need not be retrieved.
        qid: Not needed without qrels and run.

    Example:
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(0, 10)]]})
        >>> run = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(5, 15)]]})
        >>> view({"7": "A cat sat. A dog ran."}, qrels, run, "q1", "7")
        <ArticleView of '7': 10 characters highlighted, 10 retrieved, 5 both>
    """
    if docno is None:
        raise ValueError("docno is missing: the name of the article to show")
    articles = as_collection(collection)
    (article,) = articles.articles([str(docno)])
    shown = ArticleView(article["title"] or article["docno"], article["text"], keeps_lines=keeps_lines(articles))
    if qrels is not None:
        judged = _find_row(as_qrels(qrels, articles), qid, docno)
        highlights = _read_spans(judged.get("highlights"))
        _fill(shown.highlighted, highlights)
        shown.bep = int(judged.get("bep", min((start for start, *_ in highlights), default=-1)))
    if run is not None:
        passages = _read_spans(_find_row(as_run(run, collection=articles), qid, docno).get("passages"))
        _fill(shown.retrieved, passages)
        # The best passage; without scores the first in the text.
        best = min(passages, key=lambda passage: (-passage[2] if len(passage) > 2 else 0.0, passage[0]), default=(-1,))
        shown.entry = int(best[0])
    return shown


def _find_row(frame: pd.DataFrame, qid: str | None, docno: str) -> dict[Any, Any]:
    qids = sorted(set(frame["qid"].map(str)))
    if qid is None or str(qid) not in qids:
        raise ValueError(f"qid={qid!r}: give one of the topics, {name_some(qids, 10)}")
    rows = frame[(frame["qid"].map(str) == str(qid)) & (frame["docno"].map(str) == str(docno))]
    return rows.iloc[0].to_dict() if len(rows) else {}


def _read_spans(cell: object) -> list[tuple[Any, ...]]:
    return cells([cell])[0]


def _fill(mask: np.ndarray[Any, Any], spans: Iterable[tuple[Any, ...]]) -> None:
    for start, end, *_ in spans:
        mask[start:end] = True
