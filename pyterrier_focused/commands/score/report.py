"""`pt-focused report`: runs side by side on one self-contained HTML page."""

from __future__ import annotations

import argparse
import os
import shlex
import sys

from ... import evaluation, report
from ..messages import say
from ..options import (
    add_collection,
    add_measures,
    add_overlap,
    add_qrels_and_runs,
    add_topics,
    open_collection,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_qrels_and_runs(parser)
    add(
        "-o",
        "--output",
        metavar="FILE",
        default="report.html",
        help="page to write (default: %(default)s)",
    )
    add_collection(parser, "to show their titles and texts")
    add_topics(parser, "; their titles and narratives are shown")
    add_measures(parser, "chosen to suit the judgments); presets, such as focused, are accepted too (see evaluate")
    add(
        "--top",
        type=int,
        default=3,
        metavar="N",
        help="number of top-ranked articles to show for each run (default: %(default)s)",
    )
    add(
        "--missed",
        type=int,
        default=3,
        metavar="N",
        help="number of missed relevant articles to show for each run (default: 3)",
    )
    add("--alpha", type=float, default=0.05, help="significance level (default: %(default)s)")
    add(
        "--correction",
        default="holm",
        help="correction for multiple tests: holm (default), fdr_bh (Benjamini-Hochberg), bonferroni, or none",
    )
    add_overlap(parser)
    add("--title", default="Focused retrieval report", help="title of the page")


def run(arguments: argparse.Namespace) -> int:
    report.write_report(
        arguments.output,
        arguments.qrels,
        dict(zip(evaluation.file_names(arguments.runs), arguments.runs, strict=True)),
        topics=arguments.topics,
        measures=arguments.measures and evaluation.expand_presets(arguments.measures),
        top=arguments.top,
        missed=arguments.missed,
        alpha=arguments.alpha,
        correction=None if arguments.correction == "none" else arguments.correction,
        overlap=arguments.overlap,
        title=arguments.title,
        command=shlex.join(["pt-focused", *sys.argv[1:]]),
        collection=open_collection(arguments),
    )
    say(f"{arguments.output}: {os.path.getsize(arguments.output) / 1e6:.1f} MB")
    return 0
