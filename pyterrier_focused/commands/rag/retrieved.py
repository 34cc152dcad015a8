"""`pt-focused retrieved`: score files of retrieved texts of RAG systems, by the evidence in them."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ... import rag
from .rag_gates import add_gates, check_options, run_gates
from .rag_options import add_evidence, add_table, choose_corpus, parse_measures, write_result

_UNITS: dict[str, Any] = {
    "chars": None,
    "words": str.split,
    "lines": "lines",
    "pages": "pages",
    "documents": "documents",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results",
        nargs="+",
        help="what a system retrieved, as JSON lines or CSV: one row per text, best first, with the columns question "
        "and text, and docno, start and end if known; or one row per question with a list of texts; give one file per "
        "system, or one file with a column 'system'",
    )
    add_evidence(parser)
    parser.add_argument(
        "--unit", choices=_UNITS, default="chars", help="what measures of text and budgets count (default: chars)"
    )
    parser.add_argument(
        "--fuzzy",
        type=float,
        metavar="SHARE",
        help="also find quotes that were edited, if they are at least this similar, such as 0.95",
    )
    parser.add_argument(
        "--whole",
        nargs="?",
        const=True,
        default=False,
        choices=("evidence", "results"),
        help="take rows without a text or place as their whole documents, whatever their other fields are: those of "
        "the evidence, of the results, or (without a value) both",
    )
    parser.add_argument(
        "--questions",
        metavar="FILE",
        help="write the values of each question and system to a CSV file",
    )
    parser.add_argument("--located", metavar="FILE", help="write where each retrieved text was found to a CSV file")
    add_table(parser)
    add_gates(parser)


def run(arguments: argparse.Namespace) -> int:
    check_options(arguments)

    result = rag.evaluate_retrieved(
        arguments.evidence,
        arguments.results,
        choose_corpus(arguments),
        parse_measures(arguments),
        _UNITS[arguments.unit],
        repeated=arguments.repeated,
        errors="skip" if arguments.errors == "skip" else None,
        fuzzy=arguments.fuzzy,
        pages_from=arguments.pages_from,
        whole=arguments.whole,
        verbose=sys.stderr.isatty(),
    )
    write_result(result, result.table, arguments)
    if arguments.questions:
        result.questions.to_csv(arguments.questions, index=False)
    if arguments.located:
        result.located.to_csv(arguments.located, index=False)
    if arguments.plot:
        figure: Any = result.plot().figure
        figure.savefig(arguments.plot, bbox_inches="tight")
    return run_gates(result, "retrieved", arguments)
