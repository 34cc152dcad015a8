"""`pt-focused view`: one article of a collection in the browser, with what was highlighted and what a run retrieved."""

from __future__ import annotations

import argparse
import tempfile
import webbrowser
from pathlib import Path

import pandas as pd

from ... import evaluation, report
from ...errors import name_some
from ...frames.packing import ranked
from ...texts.as_collection import as_collection
from ..messages import say
from ..options import CORPUS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("collection", help=f"the articles: {CORPUS}")
    add(
        "--article",
        metavar="DOCNO",
        help="id of the article (default: the run's first, or the one with most highlighted text)",
    )
    add("--topic", metavar="QID", help="id of the topic (needed if the qrels and the run have several)")
    add("--qrels", metavar="FILE", help="file with relevance judgments, to mark the highlighted text")
    add("--run", metavar="FILE", help="file with a run, to mark the retrieved passages")
    add("-o", "--output", metavar="FILE", help="page to write (default: a temporary file)")
    add("--no-browser", action="store_true", help="write the page without opening it in a browser")


def run(arguments: argparse.Namespace) -> int:
    articles = as_collection(arguments.collection)
    qrels = evaluation.as_qrels(arguments.qrels, articles) if arguments.qrels else None
    retrieved = evaluation.as_run(arguments.run, collection=articles) if arguments.run else None
    topic = _choose_topic(arguments.topic, qrels, retrieved)
    article = arguments.article or _choose_article(topic, qrels, retrieved)
    shown = report.view(articles, qrels, retrieved, topic, article)
    if arguments.output:
        path = Path(arguments.output)
    else:
        path = Path(tempfile.mkdtemp(prefix="pt-focused-view-")) / "article.html"
    shown.save(path)
    say(path)
    if not arguments.no_browser:
        webbrowser.open(path.resolve().as_uri())
    return 0


def _choose_topic(asked: str | None, *frames: pd.DataFrame | None) -> str | None:
    """Return the topic that was asked for, or the only one there is; None if there are neither qrels nor run."""
    qids = list(dict.fromkeys(str(qid) for frame in frames if frame is not None for qid in frame["qid"]))
    if asked is not None or not qids:
        return asked
    if len(qids) > 1:
        raise ValueError(f"choose one of the {len(qids)} topics with --topic: {name_some(qids, 10)}")
    return qids[0]


def _choose_article(topic: str | None, qrels: pd.DataFrame | None, retrieved: pd.DataFrame | None) -> str:
    """Return the run's first article of the topic, or else the one with most highlighted text."""
    if topic is not None and retrieved is not None:
        ranking = ranked(retrieved[retrieved["qid"].map(str) == topic])
        if len(ranking):
            return str(ranking["docno"].iloc[0])
    if topic is not None and qrels is not None:
        relevant = report.relevant_articles(qrels)
        if topic in relevant:
            return str(relevant[topic][0])
    raise ValueError("name the article with --article: neither the run nor the qrels have one for the topic")
