"""`pt-focused validate`: check a run as INEX's submission system did, with all problems in one report."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ...io import read_topics
from ...io.inex.checks import TASKS, validate_run
from ...io.inex.problems import Problem, Validation
from ..messages import say
from ..options import add_collection, add_topics, open_collection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="run",
        help="file with a run: INEX FOL (FOL: file, offset, length), INEX XML, lines with element "
        "paths, or a format of another campaign",
    )
    parser.add_argument(
        "--task",
        choices=TASKS,
        help="check the rules of this task; ric is relevant in context, bic is best in context (default: the task that "
        "an XML run names)",
    )
    add_topics(parser, "; other topics in a run are reported")
    add_collection(parser, "to report articles, paths and offsets that do not exist in it")
    parser.add_argument(
        "--limit", type=int, default=1500, metavar="N", help="largest number of results per topic (default: 1500)"
    )
    parser.add_argument(
        "--show",
        type=int,
        default=10,
        metavar="N",
        help="print at most N problems of each kind, or all if N is 0 (default: 10)",
    )
    parser.epilog = "Exit code: 0 no problem was found, 1 problems were found, 2 a file could not be read."


def run(arguments: argparse.Namespace) -> int:
    """Print a report on each run, and return 1 if any run has problems."""
    topics = set(read_topics(arguments.topics)["qid"]) if arguments.topics else None
    collection = open_collection(arguments)
    wrong = False
    for name in arguments.runs:
        validation = validate_run(name, arguments.task, topics, collection, arguments.limit)
        say("\n".join(_describe_run(name, validation, arguments.show)))
        wrong |= bool(validation.problems)
    return int(wrong)


def _describe_run(name: str, validation: Validation, show: int) -> Iterator[str]:
    kinds: dict[str, list[Problem]] = {}
    for problem in validation.problems:
        kinds.setdefault(problem.kind, []).append(problem)
    verdict = f"{len(validation.problems)} problems" if kinds else "OK"
    task = f"task {validation.task}" if validation.task else "no --task, so no task rules were checked"
    size = f"{validation.results} results, {validation.topics} topics"
    yield f"{name}: {verdict}: {size} (format {validation.format}; {task})"
    for kind, problems in kinds.items():
        yield f"  {kind}: {len(problems)}"
        shown = sorted(problems, key=lambda problem: problem.line)[: max(show, 0) or None]
        yield from (f"    line {problem.line}: {problem.detail}" for problem in shown)
        if len(problems) > len(shown):
            yield f"    and {len(problems) - len(shown)} more (--show 0 shows all)"
    yield from (f"  note: {note}" for note in validation.notes)
