"""`pt-focused report`: runs side by side on one self-contained HTML page."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("qrels", help="a file of relevance assessments (qrels): INEX, TREC, or spans")
    add("runs", nargs="+", metavar="run", help="files of runs: FOL, INEX XML, TREC, ...")
    add("-o", "--output", metavar="FILE", default="report.html", help="where to write the page (default: %(default)s)")
    add("--collection", metavar="DIR", help="a collection, which brings the articles' titles and texts")
    add("--topics", metavar="FILE", help="a file of INEX topics, which brings titles and narratives")
    add("-m", "--measures", help="measures, separated by blanks (default: as the data allow)")
    add("--names", nargs="+", metavar="NAME", help="a name for each run (default: the name of its file)")
    add("--top", type=int, default=3, help="how many first articles of each run are shown (default: %(default)s)")
    add("--missed", type=int, default=3, help="how many relevant articles that a run missed are shown (default: 3)")
    add("--alpha", type=float, default=0.05, help="level of significance (default: %(default)s)")
    add(
        "--correction",
        default="holm",
        help="correction for the number of tests: holm (default), fdr_bh (Benjamini-Hochberg), bonferroni, or none",
    )
    add(
        "--overlap",
        choices=("error", "once"),
        default="error",
        help="how to treat passages that overlap: refuse them (default), or count each character once",
    )
    add("--title", default="Focused retrieval report", help="the title of the page")


def run(arguments: argparse.Namespace) -> int:
    """Read everything, write the page, say where it is."""
    from ..analysis import write_report
    from ..analysis.inputs import file_names

    names = arguments.names
    if names is not None and (len(names) != len(arguments.runs) or len(set(names)) < len(names)):
        raise ValueError(f"--names: {len(arguments.runs)} runs need as many different names, got {names}")
    options: dict[str, Any] = {}
    if arguments.collection:
        from ..collection import Collection

        options["collection"] = Collection(arguments.collection)
    write_report(
        arguments.output,
        arguments.qrels,
        dict(zip(names or file_names(arguments.runs), arguments.runs, strict=True)),
        topics=arguments.topics,
        measures=arguments.measures,
        top=arguments.top,
        missed=arguments.missed,
        alpha=arguments.alpha,
        correction=None if arguments.correction == "none" else arguments.correction,
        overlap=arguments.overlap,
        title=arguments.title,
        command=shlex.join(["pt-focused", *sys.argv[1:]]),
        **options,
    )
    print(f"{arguments.output}: {os.path.getsize(arguments.output) / 1e6:.1f} MB")
    return 0
