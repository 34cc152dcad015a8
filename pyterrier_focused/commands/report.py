"""`pt-focused report`: runs side by side on one HTML page."""

from __future__ import annotations

import argparse
import os

from .. import evaluation, report
from ..report.page import DOCUMENTS, FOCUSED
from .options import add_collection, add_measures, add_overlap, add_qrels_and_runs, add_topics, open_collection
from .output import say

EXAMPLE = "pt-focused report qrels.txt my.run other.run --collection my-collection"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_qrels_and_runs(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="report.html", help="page to write (default: %(default)s)"
    )
    add_collection(parser, "to show those of the worst topics")
    add_topics(parser)
    add_measures(parser, f"{FOCUSED}; if whole articles are judged: {DOCUMENTS}")
    add_overlap(parser)
    parser.add_argument(
        "--worst", type=int, default=3, metavar="N", help="number of topics to show (default: %(default)s)"
    )
    parser.add_argument("--title", default="Focused retrieval report", help="title of the page")


def run(arguments: argparse.Namespace) -> int:
    report.write_report(
        arguments.output,
        arguments.qrels,
        dict(zip(evaluation.file_names(arguments.runs), arguments.runs, strict=True)),
        topics=arguments.topics,
        collection=open_collection(arguments.collection),
        measures=arguments.measures and evaluation.expand_presets(arguments.measures),
        overlap=arguments.overlap,
        worst=arguments.worst,
        title=arguments.title,
    )
    say(f"{arguments.output}: {os.path.getsize(arguments.output) / 1e6:.1f} MB")
    return 0
