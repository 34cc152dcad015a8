"""`pt-focused citations`: check that cited texts are where the answers say, and score them by the evidence."""

from __future__ import annotations

import argparse
import sys

from ... import rag
from ..options import add_measures, add_table_output
from .rag_gates import add_gates, check_options, run_gates
from .rag_options import add_evidence, choose_corpus, parse_measures, write_result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "answers",
        nargs="+",
        help="what a system answered, with its citations, as JSON lines or one JSON object: rows with a question and "
        "the response of an API, or answers of TREC RAG; give one file per system",
    )
    add_evidence(parser, required=False)
    parser.add_argument(
        "--documents", metavar="DOCNOS", help="the documents that numbers in answers stand for, in order: a.txt,b.txt"
    )
    parser.add_argument("--located", metavar="FILE", help="write what became of each citation to a CSV file")
    add_measures(parser, "how much of what is cited is evidence, and how much of the evidence is cited")
    add_table_output(parser)
    add_gates(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one row for each system; 1 if a requirement fails."""
    check_options(arguments)
    result = rag.evaluate_citations(
        arguments.evidence,
        arguments.answers,
        choose_corpus(arguments),
        parse_measures(arguments) or "SpanP SpanR CharP CharR",
        documents=arguments.documents and arguments.documents.split(","),
        repeated=arguments.repeated,
        errors="skip" if arguments.errors == "skip" else None,
        pages_from=arguments.pages_from,
        verbose=sys.stderr.isatty(),
    )
    write_result(result, result.table, arguments)
    if arguments.located and result.citations is not None:
        result.citations.to_csv(arguments.located, index=False)
    return run_gates(result, "citations", arguments)
