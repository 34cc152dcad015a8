"""Gates of the commands for RAG: requirements on a result, and files of the outcome for continuous integration."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ... import rag
from ...rag.gates import parse_one_measure, read_requirement
from ...reading.files import write_bytes
from ..messages import say
from ..tables import tell_format

if TYPE_CHECKING:
    from ...rag import RetrievedEvaluation
    from ...rag.gates import GateCheck


def add_gates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="REQUIREMENT",
        help="exit with 1 if a value of any system does not meet this, such as 'SpanHit@5 >= 0.8', 'SpanHit@5 low >= "
        "0.75' (the end of its interval), 'placed >= 0.99' or 'unplaced <= 0' (numbers of the table); may be given "
        "several times",
    )
    parser.add_argument("--save", metavar="FILE", help="save the result, to compare later ones with it")
    parser.add_argument("--main", metavar="FILE", help="an earlier result that was saved, for --no-worse-than")
    parser.add_argument(
        "--no-worse-than",
        action="append",
        default=[],
        metavar="MEASURE",
        help="exit with 1 if a system is worse than it was in --main on this measure: if the whole 95%% interval of "
        "the mean difference lies below -MARGIN; may be given several times",
    )
    parser.add_argument(
        "--margin", type=float, default=0.0, help="how much worse a mean may be for --no-worse-than (default: 0)"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="let --no-worse-than demand evidence that no more than --margin is lost; exit with 3 if it cannot be told",
    )
    parser.add_argument("--json", metavar="FILE", help="write the gates as JSON")


def check_options(arguments: argparse.Namespace) -> None:
    """Refuse an incomplete comparison, and impossible gates and outputs, before anything is computed."""
    tell_format(arguments)
    for requirement in arguments.require:
        read_requirement(requirement)
    for measure in arguments.no_worse_than:
        parse_one_measure(measure, measure)
    if bool(arguments.main) != bool(arguments.no_worse_than):
        raise ValueError("--main FILE and --no-worse-than MEASURE go together: give both")


def run_gates(result: RetrievedEvaluation, command: str, arguments: argparse.Namespace) -> int:
    """Save the result, check every gate, write the requested files; 1 if a gate fails, 3 if one cannot tell."""
    checks = _check_gates(result, arguments)
    if arguments.save:
        result.save(arguments.save)
    for check in checks:
        if not check.passed or check.gate not in arguments.require:
            say(f"pt-focused {command}: {check.message}", file=sys.stderr)
    if arguments.json:
        write_bytes(arguments.json, format_json(checks).encode())
    verdicts = {check.verdict for check in checks}
    if "fails" in verdicts:
        return 1
    return 3 if "cannot tell" in verdicts else 0


def _check_gates(result: RetrievedEvaluation, arguments: argparse.Namespace) -> list[GateCheck]:
    checks: list[GateCheck] = []
    for requirement in arguments.require:
        checks += result.check(requirement)
    if arguments.no_worse_than:
        main = rag.load_result(arguments.main)
        for measure in arguments.no_worse_than:
            checks += result.compare(main, measure, arguments.margin, strict=arguments.strict)
    return checks


def format_json(checks: Sequence[GateCheck]) -> str:
    numbers = ("difference", "low", "high")
    rows = [
        {"gate": check.gate, "system": check.system, "verdict": check.verdict, "message": check.message}
        | {name: getattr(check, name) for name in numbers if hasattr(check, name)}
        for check in checks
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
