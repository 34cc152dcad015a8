"""`pt-focused validate`: what in a run breaks the rules of an INEX task."""

from __future__ import annotations

import argparse

from ..io import validate_run
from ..io.validate import TASKS
from .options import add_collection, add_output, open_collection, parse_count
from .output import print_frame

EXAMPLE = "pt-focused validate my.fol --task ric"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run with offsets or element paths: lines, or INEX XML")
    parser.add_argument(
        "--task", choices=TASKS, required=True, help="ric is relevant in context, bic is best in context"
    )
    add_collection(parser, "which give element paths their places")
    parser.add_argument("--limit", type=parse_count, metavar="N", default=1500, help="parts a topic (default: 1500)")
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the violations; 1 if there are any."""
    collection = open_collection(arguments.collection)
    problems = validate_run(arguments.run, arguments.task, collection=collection, limit=arguments.limit)
    print_frame(problems, arguments.output)
    return int(len(problems) > 0)
