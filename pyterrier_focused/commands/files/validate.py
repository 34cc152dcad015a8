"""`pt-focused validate`: what in a run breaks the rules of an INEX task."""

from __future__ import annotations

import argparse

from ...io import validate_run
from ...io.validate import TASKS
from ..messages import say
from ..options import add_collection, open_collection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run with offsets or element paths: lines, or INEX XML")
    parser.add_argument(
        "--task", choices=TASKS, required=True, help="ric is relevant in context, bic is best in context"
    )
    add_collection(parser, "which give element paths their places")
    parser.add_argument("--limit", type=int, default=1500, help="the most parts of a topic (default: %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Print the violations; 1 if there are any."""
    collection = open_collection(arguments)
    problems = validate_run(arguments.run, arguments.task, collection=collection, limit=arguments.limit)
    say(problems.to_string(index=False) if len(problems) else "no problems")
    return int(len(problems) > 0)
