"""Gates of the commands for RAG: requirements on a result, and files of the outcome for continuous integration."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from ... import rag
from ...rag.gates import parse_one_measure, read_requirement
from ...reading.files import write_bytes
from ..messages import say
from ..tables import tell_format

if TYPE_CHECKING:
    from ...rag.gates import GateCheck, GatedRuns


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
    parser.add_argument(
        "--cluster",
        metavar="FIELD",
        help="questions with the same value of this field of the evidence, or docno (the document of their evidence), "
        "are one draw for --no-worse-than",
    )
    parser.add_argument("--junit", metavar="FILE", help="write the gates as a JUnit XML file")
    parser.add_argument("--json", metavar="FILE", help="write the gates as JSON")
    parser.add_argument(
        "--summary",
        metavar="FILE",
        help="append the gates to a file as Markdown, such as $GITHUB_STEP_SUMMARY",
    )


def check_options(arguments: argparse.Namespace) -> None:
    """Refuse an incomplete comparison, and impossible gates and outputs, before anything is computed."""
    tell_format(arguments)
    for requirement in arguments.require:
        read_requirement(requirement)
    for measure in arguments.no_worse_than:
        parse_one_measure(measure, measure)
    if bool(arguments.main) != bool(arguments.no_worse_than):
        raise ValueError("--main FILE and --no-worse-than MEASURE go together: give both")


def name_cluster(arguments: argparse.Namespace) -> dict[str, str] | None:
    """Return the `columns` of evidence: the field that tells which questions belong together, if one is named."""
    return None if arguments.cluster is None else {"cluster": arguments.cluster}


def run_gates(result: GatedRuns, command: str, arguments: argparse.Namespace) -> int:
    """Save the result, check every gate, write the requested files; 1 if a gate fails, 3 if one cannot tell."""
    checks = _check_gates(result, arguments)
    if arguments.save:
        result.save(arguments.save)
    for check in checks:
        if not check.passed or check.gate not in arguments.require:
            say(f"pt-focused {command}: {check.message}", file=sys.stderr)
    _write_checks(checks, command, arguments)
    verdicts = {check.verdict for check in checks}
    if "fails" in verdicts:
        return 1
    return 3 if "cannot tell" in verdicts else 0


def _check_gates(result: GatedRuns, arguments: argparse.Namespace) -> list[GateCheck]:
    checks: list[GateCheck] = []
    for requirement in arguments.require:
        checks += result.check(requirement)
    if arguments.no_worse_than:
        main = rag.load_result(arguments.main)
        is_read = arguments.cluster is not None and arguments.cluster not in result.qrels and "cluster" in result.qrels
        cluster = "cluster" if is_read else arguments.cluster
        for measure in arguments.no_worse_than:
            checks += result.compare(main, measure, arguments.margin, strict=arguments.strict, cluster=cluster)
    return checks


def _write_checks(checks: Sequence[GateCheck], command: str, arguments: argparse.Namespace) -> None:
    if arguments.junit:
        write_bytes(arguments.junit, format_junit(checks, command).encode())
    if arguments.json:
        write_bytes(arguments.json, format_json(checks).encode())
    if arguments.summary:
        with open(arguments.summary, "a", encoding="utf-8") as file:
            file.write(format_markdown(checks))


def format_junit(checks: Sequence[GateCheck], command: str) -> str:
    """Write gates as a test suite, a case for each gate and system."""
    failed = sum(check.verdict == "fails" for check in checks)
    unknown = sum(check.verdict == "cannot tell" for check in checks)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="pt-focused {command}" tests="{len(checks)}" failures="{failed}" errors="{unknown}">',
    ]
    for check in checks:
        case = f"<testcase classname={quoteattr(check.system)} name={quoteattr(check.gate)}"
        verdict = f'<properties><property name="verdict" value={quoteattr(check.verdict)}/></properties>'
        tag = {"passes": "system-out", "fails": "failure", "cannot tell": "error"}[check.verdict]
        summary = "" if check.passed else f" message={quoteattr(check.message.partition(chr(10))[0])}"
        lines.append(f"  {case}>{verdict}<{tag}{summary}>{escape(check.message)}</{tag}></testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


def format_json(checks: Sequence[GateCheck]) -> str:
    numbers = ("difference", "low", "high", "detectable")
    rows = [
        {"gate": check.gate, "system": check.system, "verdict": check.verdict, "message": check.message}
        | {name: getattr(check, name) for name in numbers if hasattr(check, name)}
        for check in checks
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def format_markdown(checks: Sequence[GateCheck]) -> str:
    """Write gates as a table for the page of a pull request, what has not passed first."""
    words = {"passes": "pass", "fails": "**FAIL**", "cannot tell": "**cannot tell**"}
    rows = [
        f"| {words[check.verdict]} | {_write_cell(check.system)} | {_write_cell(check.gate)} | "
        f"{_write_cell(check.message.partition(chr(10))[0])} |"
        for check in sorted(checks, key=lambda check: check.passed)
    ]
    return "\n".join(["| | system | gate | |", "| --- | --- | --- | --- |", *rows, "", ""])


def _write_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
