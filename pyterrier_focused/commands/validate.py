"""`pt-focused validate`: check a run as INEX's submission system did, with all problems in one report."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..io.checks import TASKS, Problem, Validation, validate_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="run: FOL lines, INEX XML, lines with paths, or another campaign's; .gz, .bz2",
    )
    parser.add_argument("--task", choices=TASKS, help="task of the run (without it, what an XML run says)")
    parser.add_argument("--topics", metavar="FILE", help="INEX topic file, or a folder of them: these topics exist")
    parser.add_argument("--collection", metavar="DIR", help="collection that knows the articles and their elements")
    parser.add_argument("--limit", type=int, default=1500, help="results a topic may have (1500)")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="problems to show of each kind (10; 0: all)")
    parser.epilog = "exit code: 0 nothing is wrong, 1 something is, 2 a file cannot be read"


def run(arguments: argparse.Namespace) -> int:
    topics = collection = None
    if arguments.topics:
        from ..io import read_topics

        topics = set(read_topics(arguments.topics)["qid"])
    if arguments.collection:
        from ..collection import Collection

        collection = Collection(arguments.collection)
    wrong = False
    for name in arguments.runs:
        found = validate_run(name, arguments.task, topics, collection, arguments.limit)
        print(*_report(name, found, arguments.show), sep="\n")
        wrong |= bool(found.problems)
    return int(wrong)


def _report(name: str, found: Validation, show: int) -> Iterator[str]:
    kinds: dict[str, list[Problem]] = {}
    for problem in found.problems:
        kinds.setdefault(problem.kind, []).append(problem)
    verdict = f"{len(found.problems)} problems" if kinds else "nothing wrong"
    what = f"{found.results} results of {found.topics} topics, {found.format}, task: {found.task or 'not given'}"
    yield f"{name}: {verdict} in {what}"
    for kind, problems in kinds.items():
        yield f"  {kind}: {len(problems)}"
        shown = sorted(problems, key=lambda problem: problem.line)[: show or None]
        yield from (f"    line {problem.line}: {problem.detail}" for problem in shown)
        if len(problems) > len(shown):
            yield f"    and {len(problems) - len(shown)} more (--show 0 shows all)"
    yield from (f"  note: {note}" for note in found.notes)
