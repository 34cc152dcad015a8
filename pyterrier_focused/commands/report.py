"""`pt-focused report`: runs side by side on one self-contained HTML page."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from typing import Any

_SUFFIX = re.compile(r"(?<=.)(\.(run|res|fol|xml|txt))?(\.(gz|bz2))?$")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", help="qrels: INEX, TREC, or spans")
    parser.add_argument("runs", nargs="+", metavar="run", help="runs: FOL, INEX XML, TREC, ...")
    parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="the page (default: report.html)")
    parser.add_argument("--collection", metavar="DIR", help="a collection, for the articles' titles and texts")
    parser.add_argument("--topics", metavar="FILE", help="the topics, for their titles and narratives")
    parser.add_argument("-m", "--measures", help="measures, separated by blanks (default: as the data allow)")
    parser.add_argument("--names", nargs="+", metavar="NAME", help="a name for each run (default: its file's)")
    parser.add_argument("--top", type=int, default=3, help="articles shown of each run and topic (default: 3)")
    parser.add_argument("--missed", type=int, default=3, help="relevant articles shown that a run missed (default: 3)")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of significance (default: 0.05)")
    parser.add_argument(
        "--correction", default="holm", help="correction for multiple tests: holm (default), bonferroni, fdr_bh, none"
    )
    parser.add_argument(
        "--overlap",
        choices=("error", "once"),
        default="error",
        help="overlapping parts: refuse them (default), or count each character once",
    )
    parser.add_argument("--title", default="Focused retrieval report", help="the page's title")


def run(arguments: argparse.Namespace) -> int:
    """Read everything, write the page, say where it is."""
    from ..analysis import write_report
    from ..io import read_qrels, read_run, read_topics

    names = _names(arguments.names, arguments.runs)
    options: dict[str, Any] = {}
    if arguments.collection:
        from ..collection import Collection

        options["collection"] = Collection(arguments.collection)
    write_report(
        arguments.output,
        read_qrels(arguments.qrels, **options),
        {name: read_run(path, **options) for name, path in zip(names, arguments.runs, strict=True)},
        topics=read_topics(arguments.topics) if arguments.topics else None,
        collection=options.get("collection"),
        measures=arguments.measures,
        top=arguments.top,
        missed=arguments.missed,
        alpha=arguments.alpha,
        correction=None if arguments.correction == "none" else arguments.correction,
        overlap=arguments.overlap,
        title=arguments.title,
    )
    print(f"{arguments.output}: {os.path.getsize(arguments.output) / 1e6:.1f} MB")
    return 0


def _names(given: Sequence[str] | None, paths: Sequence[str]) -> list[str]:
    """The runs' names: those given, or the files', with their folders where these are alike."""
    if given is not None:
        if len(given) != len(paths) or len(set(given)) < len(given):
            raise ValueError(f"--names: {len(paths)} runs need as many different names, got {list(given)}")
        return list(given)
    names = [_SUFFIX.sub("", os.path.basename(path)) for path in paths]
    if len(set(names)) < len(names):
        names = list(paths)
    if len(set(names)) < len(names):
        raise ValueError(f"a run is given twice: {sorted({name for name in names if names.count(name) > 1})}")
    return names
