"""`pt-focused citations`: check that cited texts are where the answers say, and score them by the evidence."""

from __future__ import annotations

import argparse
import sys

from .. import rag
from .gates import add_evidence, add_gates, print_result, read_measures, read_options
from .output import print_frame

EXAMPLE = "pt-focused citations answers.jsonl --corpus texts --evidence evidence.jsonl"
MEASURES = "SpanP SpanR CharP CharR"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "answers", nargs="+", help="what a system answered, a file each: JSON lines or JSON, rows with a question and "
        "the response of an API, or answers of TREC RAG",
    )  # fmt: skip
    add_evidence(parser, MEASURES, required=False)
    parser.add_argument("--documents", metavar="DOCNOS", help="what numbers in answers stand for: a.txt,b.txt")
    parser.add_argument("--located", metavar="FILE", help="write what became of each citation")
    add_gates(parser)


def run(arguments: argparse.Namespace) -> int:
    corpus, options = read_options(arguments)
    result = rag.evaluate_citations(
        arguments.evidence,
        arguments.answers,
        corpus,
        read_measures(arguments) or MEASURES,
        documents=arguments.documents and arguments.documents.split(","),
        errors="skip" if arguments.errors == "skip" else None,
        verbose=sys.stderr.isatty(),
        **options,
    )
    if arguments.located and result.citations is not None:
        print_frame(result.citations, arguments.located)
    return print_result(result, "citations", arguments)
