"""The article view: one article of one topic, with the assessor's highlights and a system's passages."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

import pandas as pd
from markupsafe import Markup

from ..frames import check_qrels, check_run, ranked
from .article import TopicArticle, load
from .article_html import body_html, counts_html, legend_html, strip_html
from .templates import render

if TYPE_CHECKING:
    from ..collection import Collection


class ArticleView:
    """An article laid over with highlights and passages: shows itself in a notebook; `save(path)` writes a page.

    `article` holds the data, `article.counts[0]` the characters retrieved, highlighted and found.
    """

    def __init__(self, article: TopicArticle, qid: str):
        self.article, self.qid = article, qid

    @property
    def html(self) -> Markup:
        """The view as an HTML fragment with its own style sheet; needs no script and no network."""
        key = blake2b(
            f"{self.qid}\0{self.article.docno}\0{self.article.runs[0].name}".encode(), digest_size=4
        ).hexdigest()
        return render(
            "article_view.html",
            article=self.article,
            qid=self.qid,
            style=style(1),
            strip=strip_html(self.article, 0),
            counts=counts_html(self.article),
            legend=legend_html(),
            body=body_html(self.article, f"ptf-{key}-"),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the view as a page of its own."""
        page = render("article_page.html", title=f"{self.article.title}, topic {self.qid}", body=self.html)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        found = self.article.counts[0]
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


def style(runs: int) -> Markup:
    """Return the style sheet for articles with so many runs."""
    every = range(runs)
    return render(
        "article.css",
        found=", ".join(f".run-{k} .h.r{k}" for k in every),
        missed=", ".join(f".run-{k} .h:not(.r{k})" for k in every),
        noise=", ".join(f".run-{k} .r{k}:not(.h)" for k in every),
        shown=", ".join(f".run-{k} .k{k}" for k in every),
    )
