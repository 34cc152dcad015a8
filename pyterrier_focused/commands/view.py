"""`pt-focused view`: one article of a collection, with what was highlighted and what a run retrieved."""

from __future__ import annotations

import argparse

from .. import evaluation, report
from ..collection.corpora import as_collection
from ..errors import name_some
from ..frames.packing import ranked
from .options import CORPUS
from .output import say

EXAMPLE = "pt-focused view my-collection --run my.run --qrels qrels.txt --topic 7"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("collection", help=f"the articles: {CORPUS}")
    parser.add_argument("--article", metavar="DOCNO", help="id of the article (default: the one the run ranks first)")
    parser.add_argument("--topic", metavar="QID", help="id of the topic (needed if there are several)")
    parser.add_argument("--qrels", metavar="FILE", help="file with relevance judgments, to mark the highlighted text")
    parser.add_argument("--run", metavar="FILE", help="file with a run, to mark the retrieved passages")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="article.html", help="page to write (default: %(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    articles = as_collection(arguments.collection)
    qrels = evaluation.as_qrels(arguments.qrels, articles) if arguments.qrels else None
    retrieved = evaluation.as_run(arguments.run, collection=articles) if arguments.run else None
    qids = list(dict.fromkeys(qid for frame in (qrels, retrieved) if frame is not None for qid in frame["qid"]))
    topic = arguments.topic
    if topic is None and len(qids) > 1:
        raise ValueError(f"choose one of the {len(qids)} topics with --topic: {name_some(qids, 10)}")
    if topic is None and qids:
        topic = qids[0]
    article = arguments.article
    if article is None and retrieved is not None:
        article = next(iter(ranked(retrieved[retrieved["qid"] == topic])["docno"]), None)
    if article is None:
        raise ValueError("name the article with --article: there is no run that ranks one first")
    report.view(articles, qrels, retrieved, topic, article).save(arguments.output)
    say(arguments.output)
    return 0
