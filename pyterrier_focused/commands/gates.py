"""What the commands on evidence share: the corpus and the evidence, the table, and the gates."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from .. import rag
from ..collection import read_corpus
from ..evaluation import expand_presets
from ..rag.gates import parse_one_measure, read_requirement
from ..reading.files import write_bytes, written_whole
from .options import CORPUS, add_errors, add_measures, add_output
from .output import print_frame, say

if TYPE_CHECKING:
    from ..collection.corpora import Corpus


def add_evidence(parser: argparse.ArgumentParser, measures: str, required: bool = True) -> None:
    """Add the arguments that name the documents, the evidence in them, and the measures."""
    parser.add_argument("--corpus", required=True, metavar="PATH", help=f"the documents: {CORPUS}")
    parser.add_argument("--suffixes", metavar="ENDINGS", help="the files of a folder that are documents: .py,.md")
    parser.add_argument(
        "--evidence", required=required, metavar="FILE", help="questions with the passages that answer them: spans or "
        "quotes in CSV or JSON",
    )  # fmt: skip
    parser.add_argument("--pages-from", type=int, choices=(0, 1), help="what pages count from (default: detected)")
    add_errors(parser, "evidence that is not found in the corpus")
    parser.add_argument(
        "--repeated", choices=("report", "first", "all", "any"), default="report",
        help="texts that occur more than once: refuse such evidence and count such results as not relevant, or take "
        "the first place, all, or any (default: report)",
    )  # fmt: skip
    add_measures(parser, measures)
    add_output(parser)


def read_options(arguments: argparse.Namespace) -> tuple[Corpus, dict[str, Any]]:
    """Return the corpus, and how evidence is read. Raises ValueError for gates that are none, before anything runs."""
    for requirement in arguments.require:
        read_requirement(requirement)
    for measure in arguments.no_worse_than:
        parse_one_measure(measure, measure)
    if bool(arguments.main) != bool(arguments.no_worse_than):
        raise ValueError("--main FILE and --no-worse-than MEASURE go together: give both")
    corpus: Corpus = arguments.corpus
    if arguments.suffixes is not None:
        corpus = read_corpus(arguments.corpus, arguments.suffixes.lower().split(","))
    return corpus, {"repeated": arguments.repeated, "pages_from": arguments.pages_from}


def read_measures(arguments: argparse.Namespace) -> str | None:
    """Return the measures that were asked for, with presets expanded; None for the default ones."""
    return None if arguments.measures is None else expand_presets(arguments.measures)


def add_gates(parser: argparse.ArgumentParser) -> None:
    gates = parser.add_argument_group("gates, for continuous integration: exit code 1 if one fails")
    gates.add_argument("--require", action="append", default=[], metavar="GATE", help="such as 'SpanHit@5 >= 0.8', "
                       "'SpanHit@5 low >= 0.75' or 'unplaced <= 0'; may be given several times")  # fmt: skip
    gates.add_argument("--save", metavar="FILE", help="save the result, to compare later ones with it")
    gates.add_argument("--main", metavar="FILE", help="an earlier result that was saved, for --no-worse-than")
    gates.add_argument("--no-worse-than", action="append", default=[], metavar="MEASURE", help="fail if the whole "
                       "95%% interval of the difference to --main is below -MARGIN")  # fmt: skip
    gates.add_argument("--margin", type=float, default=0.0, help="how much worse a mean may be (default: 0)")
    gates.add_argument("--strict", action="store_true", help="fail, too, if it cannot be told")
    gates.add_argument("--json", metavar="FILE", help="write the gates as JSON")
    parser.add_argument("--plot", metavar="FILE", help="draw recall against the text read (extra [plots])")


def print_result(result: Any, command: str, arguments: argparse.Namespace) -> int:
    """Print the table of a result, write the files that were asked for, and check the gates: 1 if one fails."""
    print_frame(result.table, arguments.output)
    if arguments.plot:
        with written_whole(arguments.plot) as file:
            form = arguments.plot.rpartition(".")[2] if "." in arguments.plot else "png"
            result.plot().figure.savefig(file, format=form, bbox_inches="tight")
    if arguments.save:
        result.save(arguments.save)
    checks = [check for requirement in arguments.require for check in result.check(requirement)]
    if arguments.no_worse_than:
        main = rag.load_result(arguments.main)
        for measure in arguments.no_worse_than:
            checks += result.compare(main, measure, arguments.margin, strict=arguments.strict)
    for check in checks:
        if not check.passed or check.gate not in arguments.require:
            say(f"pt-focused {command}: {check.message}", file=sys.stderr)
    if arguments.json:
        names = ("gate", "system", "verdict", "message", "difference", "low", "high", "detectable")
        rows = [{name: getattr(check, name) for name in names if hasattr(check, name)} for check in checks]
        write_bytes(arguments.json, f"{json.dumps(rows, ensure_ascii=False, indent=1)}\n".encode())
    failing = {"fails", "cannot tell"} if arguments.strict else {"fails"}
    return int(any(check.verdict in failing for check in checks))
