"""`pt-focused assess`: pool runs, and highlight the relevant text of their articles in a browser."""

from __future__ import annotations

import argparse
import os
from typing import Any

import pandas as pd

from ... import assessment, io
from ...assessment.pooled import EVERY_ARTICLE
from ...assessment.schema import is_database
from ...errors import warn_caller
from ...reading.json import JsonObject
from ...texts.corpus import Corpus, open_corpus
from ..messages import say
from ..options import CORPUS, InputPath, OutputPath, add_topics, parse_count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "collection", nargs="?", type=InputPath,
        help=f"the documents that were searched: {CORPUS}",
    )  # fmt: skip
    add_topics(parser, "")
    parser.add_argument(
        "--pool",
        nargs="+",
        default=[],
        metavar="RUN",
        type=InputPath,
        help="runs whose top-ranked articles are judged (default: every article is judged, or what an existing "
        "database has)",
    )
    parser.add_argument(
        "--depth", type=parse_count, metavar="N", help="number of articles taken from the top of each run (default: 50)"
    )
    parser.add_argument(
        "--db", default="judgments.sqlite", metavar="FILE", type=InputPath,
        help="database of the judgments; an existing one is continued, and refuses other queries for topics that were "
        "judged (default: judgments.sqlite)",
    )  # fmt: skip
    parser.add_argument(
        "--assessor", action="append", default=[], metavar="NAME",
        help="name of an assessor; may be given several times, and each assessor gets an address",
    )  # fmt: skip
    parser.add_argument(
        "--adjudicator",
        action="append",
        default=[],
        metavar="NAME",
        help="assessor who decides between others, on any article (default: who has finished an article on which two "
        "differ); may be given several times",
    )
    parser.add_argument(
        "--double", type=float, metavar="SHARE", help="share of the articles that two assessors judge, such as 0.2"
    )
    parser.add_argument("--port", type=int, help="port of 127.0.0.1 on which the page is served (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="print the address without opening a browser")
    parser.add_argument(
        "--import",
        dest="imported",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        type=InputPath,
        help="add the judgments of these files to the database, instead of serving the page",
    )
    _add_alternatives_to_serving(parser)


def _add_alternatives_to_serving(parser: argparse.ArgumentParser) -> None:
    """The options that take the place of serving the page."""
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--export", metavar="FILE", type=OutputPath, help="write the judgments to a file instead of serving the page"
    )
    instead.add_argument(
        "--page",
        metavar="FILE",
        type=OutputPath,
        help="write a page that works without a server, to send to an assessor",
    )
    instead.add_argument(
        "--describe", action="store_true", help="print the progress of each assessor and how well they agree"
    )
    parser.add_argument(
        "--to", dest="export_format", default="auto", metavar="FORMAT",
        help="format of --export: inex, judgments (JSON lines), label-studio or spans (default: from "
        "the ending of the file's name)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    if len(arguments.assessor) > 1 and (arguments.imported or arguments.export or arguments.page):
        raise ValueError("--import, --export and --page go with one --assessor; call them once for each")
    if arguments.collection is not None and not os.path.exists(arguments.collection):
        raise ValueError(f"{arguments.collection}: there is no such file or folder; give what was searched")
    corpus = None if arguments.collection is None else open_corpus(arguments.collection)
    topics = arguments.topics and io.read_topics(arguments.topics)
    inputs: dict[str, Any] = {"collection": corpus, "topics": topics}
    runs = _read_runs(arguments.pool, corpus)
    depth = arguments.depth or 50
    if not runs and not arguments.imported and not is_database(arguments.db):
        if corpus is None or topics is None:
            raise ValueError(f"{arguments.db}: there is no such database; give a collection and --topics to begin one")
        runs = _pool_every_article(corpus, topics)
        depth = len(next(iter(runs.values())))
    pool = {**inputs, "runs": runs, "depth": depth}
    only_serves = not (arguments.imported or arguments.export or arguments.page or arguments.describe)
    if runs and only_serves:
        return _serve(arguments, pool)
    if runs:
        assessment.open_store(arguments.db, **pool, double=arguments.double, create=True).close()
    elif not arguments.imported:
        _check_inputs(arguments, inputs)
    if arguments.imported:
        _import_judgments(arguments, inputs)
    if arguments.export:
        return _export_judgments(arguments)
    if arguments.page:
        return _write_page(arguments)
    if arguments.describe:
        return _print_progress(arguments.db)
    return 0 if arguments.imported else _serve(arguments, {})


def _check_inputs(arguments: argparse.Namespace, inputs: JsonObject) -> None:
    """Compare a collection and topics that are given with those of the database, which has the pool."""
    if any(given is not None for given in inputs.values()):
        assessment.open_store(arguments.db, **inputs).close()
    if arguments.depth:
        warn_caller(f"{arguments.db}: the articles to judge stay as they are; --depth has no effect without --pool")


def _serve(arguments: argparse.Namespace, pool: JsonObject) -> int:
    """Serve the page of an existing database, or of a new one made from *pool*."""
    assessment.assess(
        **pool, db=arguments.db, assessors=arguments.assessor, adjudicators=arguments.adjudicator,
        double=arguments.double, port=arguments.port, open_browser=not arguments.no_browser,
    )  # fmt: skip
    return 0


def _read_runs(paths: list[str], corpus: Corpus | None) -> dict[str, pd.DataFrame]:
    """Read the runs; pooling takes whole articles, so TREC runs need no lengths."""
    collection = corpus if hasattr(corpus, "resolve") else None
    runs = {}
    for path in paths:
        format = io.tell_format(path, "run").name
        options: dict[str, Any] = {"documents": True} if format == "trec" else {"collection": collection}
        runs[path] = io.read_run(path, format, **options)
    return runs


def _pool_every_article(corpus: Corpus, topics: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return a run that has every article for every topic, in the order of the corpus."""
    docnos = [article.docno for article in io.articles(corpus)]
    rows = [(qid, docno, -place) for qid in topics["qid"] for place, docno in enumerate(docnos)]
    return {EVERY_ARTICLE: pd.DataFrame(rows, columns=["qid", "docno", "score"])}


def _import_judgments(arguments: argparse.Namespace, inputs: JsonObject) -> None:
    for path in arguments.imported:
        done = assessment.import_judgments(
            arguments.db, path, assessor=next(iter(arguments.assessor), None),
            collection=inputs["collection"], topics=inputs["topics"],
        )  # fmt: skip
        say(f"{path}: {done.added} judgments added, {done.known} were there already")
        if done.differing:
            print(f"{done.differing} were left out, since the same assessor has judged these articles otherwise here")


def _export_judgments(arguments: argparse.Namespace) -> int:
    name = next(iter(arguments.assessor), None)
    count = assessment.export_judgments(arguments.db, arguments.export, arguments.export_format, name)
    say(f"{arguments.export}: {count} judgments")
    return 0


def _write_page(arguments: argparse.Namespace) -> int:
    size = assessment.write_page(arguments.db, arguments.page, next(iter(arguments.assessor), ""))
    say(f"{arguments.page}: {size / 1e6:.1f} MB")
    return 0


def _print_progress(db: str) -> int:
    progress = assessment.read_progress(db)
    if progress.assessors.empty:
        print("nothing is judged yet")
        return 0
    with pd.option_context("display.width", 200, "display.max_columns", None):
        print(progress.assessors.to_string(index=False, float_format="{:.1f}".format))
        if len(progress.decisions):
            print()
            print(progress.decisions.to_string(index=False))
        if len(progress.agreement):
            columns = ["first", "second", "unit", "units", "observed", "pooled", "cohen", "band"]
            print()
            print(progress.agreement[columns].to_string(index=False, float_format="{:.3f}".format))
    return 0
