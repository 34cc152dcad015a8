"""The article view: one article of one topic, with the assessor's highlights and a system's passages."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import blake2b

import pandas as pd
from markupsafe import Markup

from ..errors import name_some
from ..evaluation.inputs import Paths, as_qrels, as_run
from ..frames.checks import check_qrels, check_run
from ..frames.packing import ranked
from ..reading.files import write_bytes
from ..reading.json import Row
from ..texts.as_collection import as_collection
from ..texts.corpus import Corpus
from .article import RowsByTopic, TopicArticle, load
from .article_html import ONE_SIDED, body_html, counts_html, legend_html, strip_html
from .templates import render


class ArticleView:
    """An article laid over with highlights and passages: shows itself in a notebook; `save(path)` writes a page.

    `article.counts[0]` are the characters retrieved, highlighted and found.
    """

    def __init__(self, article: TopicArticle, qid: str, *, judged: bool = True, retrieved: bool = True):
        self.article = article
        self.qid = qid
        self.judged = judged
        self.retrieved = retrieved

    @property
    def html(self) -> str:
        """The view as an HTML fragment with its own style sheet; needs no script and no network."""
        key = f"{self.qid}\0{self.article.docno}\0{self.article.runs[0].name}"
        prefix = f"ptf-{blake2b(key.encode(), digest_size=4).hexdigest()}-"
        both = self.judged and self.retrieved
        return render(
            "article_view.html",
            article=self.article,
            qid=self.qid,
            style=style(1),
            strip=strip_html(self.article, 0) if self.judged or self.retrieved else "",
            counts=counts_html(self.article) if both else "",
            legend=legend_html(self.judged, self.retrieved),
            body=body_html(self.article, prefix, words=None if both else ONE_SIDED),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the view as a page of its own."""
        title = f"{self.article.title}, topic {self.qid}" if self.qid else self.article.title
        page = render("article_page.html", title=title, body=Markup(self.html))
        write_bytes(path, page.encode())

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        counts = self.article.counts[0]
        return (
            f"<ArticleView of {self.article.docno!r}, topic {self.qid!r}: {counts.highlighted} characters highlighted, "
            f"{counts.retrieved} retrieved, {counts.found} both>"
        )


def view(
    collection: Corpus,
    qrels: pd.DataFrame | Paths | None = None,
    run: pd.DataFrame | Paths | None = None,
    qid: str | None = None,
    docno: str | None = None,
) -> ArticleView:
    """Show an article of the collection as the assessor and a run saw it.

    The text is marked as found (highlighted and retrieved), missed (only highlighted) or noise (only retrieved), by
    lines, grounds and words; best entry point and the run's own (the start of its best passage) are marked, an outline
    shows each section's share, and the counts are those of this article: characters, precision, recall, F.

    Args:
        collection: A Collection, or a corpus as for `read_corpus` and `articles`.
        qrels: A frame or a path; the article need not be judged. Without qrels nothing is marked as highlighted.
        run: A frame or a path; the article need not be retrieved. Without a run nothing is marked as retrieved.
        qid: Not needed without qrels and run.

    Example:
        >>> from pathlib import Path
        >>> from pyterrier_focused import Collection
        >>> _ = Path("7.xml").write_text("<article><title>Pets</title><p>A cat sat.</p><p>A dog ran.</p></article>")
        >>> collection = Collection.build("7.xml", "pets", verbose=False)
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(16, 26)]]})
        >>> run = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(11, 26)]]})
        >>> view(collection, qrels, run, "q1", "7")
        <ArticleView of '7', topic 'q1': 10 characters highlighted, 15 retrieved, 10 both>
    """
    columns = getattr(collection, "columns", ())
    if "qid" in columns:
        what = "qrels" if "label" in columns else "runs"
        raise ValueError(f"view(collection, qrels, run, ...): the collection comes first, not {what}")
    articles = as_collection(collection)
    if docno is None:
        raise ValueError("docno is missing: the name of the article to show")
    given = {"qrels": None if qrels is None else as_qrels(qrels, articles)}
    given["run"] = None if run is None else as_run(run, collection=articles)
    qids = {str(name) for frame in given.values() if frame is not None for name in frame["qid"]}
    if qids and qid is None:
        raise ValueError(f"qid is missing: the topic to show; article {docno!r} is in {_list_topics(given, docno)}")
    if qids and str(qid) not in qids:
        raise ValueError(f"neither the qrels nor the run have topic {qid!r}; they have {name_some(sorted(qids), 10)}")
    if given["qrels"] is not None:
        check_qrels(given["qrels"])
    if given["run"] is not None:
        check_run(given["run"])
        given["run"] = ranked(given["run"][given["run"]["qid"].map(str) == str(qid)])
    judgment = _find_row(given["qrels"], "highlights", qid, docno)
    retrieved = _find_row(given["run"], "passages", qid, docno)
    article = load(articles, str(docno), judgment, {"": retrieved})
    return ArticleView(article, str(qid or ""), judged=qrels is not None, retrieved=run is not None)


def _list_topics(given: Mapping[str, pd.DataFrame | None], docno: str) -> str:
    rows = [frame for frame in given.values() if frame is not None]
    qids = {str(qid) for frame in rows for qid in frame.loc[frame["docno"].map(str) == str(docno), "qid"]}
    return f"topics {name_some(sorted(qids), 10)}" if qids else "no topic"


def _find_row(frame: pd.DataFrame | None, column: str, qid: str | None, docno: str) -> Row:
    if frame is None:
        return {}
    same = frame[(frame["qid"].map(str) == str(qid)) & (frame["docno"].map(str) == str(docno))]
    return RowsByTopic(same, column).read_row(0 if len(same) else None)


def style(runs: int) -> Markup:
    every = range(runs)
    return render(
        "article.css",
        found=", ".join(f".run-{k} .h.r{k}" for k in every),
        missed=", ".join(f".run-{k} .h:not(.r{k})" for k in every),
        noise=", ".join(f".run-{k} .r{k}:not(.h)" for k in every),
        shown=", ".join(f".run-{k} .k{k}" for k in every),
    )
