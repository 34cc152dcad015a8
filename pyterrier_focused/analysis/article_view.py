"""The article view: one article of one topic, with the assessor's highlights and a system's passages."""

from __future__ import annotations

import os
from functools import cache
from hashlib import blake2b
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, cast

import pandas as pd

from ..frame_checks import check_qrels, check_run
from ..io.files import write_bytes
from ..packing import ranked
from .article import MarkedArticle, load
from .article_html import LEGEND, figures_html, outline_html, strip_html, text_html

if TYPE_CHECKING:
    from ..collection import Collection

_PAGE = Template(
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
    'content="width=device-width,initial-scale=1"><title>$title</title>'
    "<style>html,body{margin:0;min-height:100%}body.ptf{padding:0.7rem clamp(0rem,3vw,3rem)}</style>"
    '</head><body class="ptf">$body</body></html>\n'
)


class ArticleView:
    """An article laid over with highlights and passages: shows itself in a notebook; `save(path)` writes a page.

    `article` holds the data, `article.figures[0]` the characters retrieved, highlighted and found.
    """

    def __init__(self, article: MarkedArticle, qid: str):
        self.article, self.qid = article, qid

    @property
    def html(self) -> str:
        """The view as an HTML fragment with its own style sheet; needs no script and no network."""
        article, reading = self.article, self.article.readings[0]
        key = blake2b(f"{self.qid}\0{article.docno}\0{reading.name}".encode(), digest_size=4).hexdigest()
        prefix = f"ptf-{key}-"
        of = f" · {escape(reading.name)}" if reading.name else ""
        return (
            f'<div class="ptf view"><style>{style(1)}</style><div class="run-0"><h2>{escape(article.title)}</h2>'
            f'<p class="about">article {escape(article.docno)} · topic {escape(self.qid)}{of}</p>'
            f"{strip_html(article, 0)}{figures_html(article)}{LEGEND}{body_html(article, prefix)}</div></div>"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the view as a page of its own."""
        page = _PAGE.substitute(title=escape(f"{self.article.title}, topic {self.qid}"), body=self.html)
        write_bytes(path, page.encode())

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        found = self.article.figures[0]
        return (
            f"<ArticleView of {self.article.docno!r}, topic {self.qid!r}: {found.highlighted} characters highlighted, "
            f"{found.retrieved} retrieved, {found.found} both>"
        )


def view(collection: Collection, qrels: pd.DataFrame, run: pd.DataFrame, qid: str, docno: str) -> ArticleView:
    """Show an article of the collection as the assessor and a run saw it.

    The text is marked as found (highlighted and retrieved), missed (highlighted alone) or noise (retrieved alone), by
    lines, grounds and words; best entry point and the run's own (the start of its best passage) are marked, an outline
    shows each section's share, and the figures are those of this article: characters, precision, recall, F.

    qrels, run: the frames; the article need be in neither, then it shows as not judged or not retrieved.
    Returns an ArticleView: the last line of a notebook cell shows it, `.save("view.html")` writes it.
    Raises ValueError for a topic that neither frame has, or an article that the collection lacks.
    """
    topics = {str(name) for frame in (qrels, run) for name in frame["qid"]}
    if str(qid) not in topics:
        raise ValueError(f"neither the qrels nor the run have topic {qid!r}")
    check_qrels(qrels)
    check_run(run)
    judged, retrieved = (frame[frame["qid"].map(str) == str(qid)] for frame in (qrels, run))
    docno = str(docno)
    found = [frame[frame["docno"].map(str) == docno] for frame in (judged, ranked(retrieved))]
    rows = [cast(list, frame.to_dict("records")) for frame in found]
    judgment, reading = (row[0] if row else None for row in rows)
    return ArticleView(load(collection, docno, judgment, {"": reading}), str(qid))


def body_html(article: MarkedArticle, prefix: str, context: int | None = None) -> str:
    """Outline and text, side by side where there is room."""
    outline = outline_html(article, prefix)
    side = f'<aside aria-label="Outline">{outline}</aside>' if outline else ""
    return f'<div class="article">{side}<div class="text">{text_html(article, prefix, context)}</div></div>'


def style(runs: int) -> str:
    """The style sheet for articles with so many readings."""
    every = range(runs)
    return Template(asset("article.css")).substitute(
        found=", ".join(f".run-{k} .h.r{k}" for k in every),
        missed=", ".join(f".run-{k} .h:not(.r{k})" for k in every),
        noise=", ".join(f".run-{k} .r{k}:not(.h)" for k in every),
        shown=", ".join(f".run-{k} .k{k}" for k in every),
        only=", ".join(f".run-{k} .k{k}" for k in every),
    )


@cache
def asset(name: str) -> str:
    """A file of `assets/`."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
