"""`pt-focused retrieved`: score files of retrieved texts of RAG systems, by the evidence in them."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .. import rag
from .gates import add_evidence, add_gates, print_result, read_measures, read_options
from .output import print_frame

EXAMPLE = "pt-focused retrieved results.jsonl --corpus texts --evidence evidence.jsonl"
UNITS: dict[str, Any] = {
    "chars": None, "words": str.split, "lines": "lines", "pages": "pages", "documents": "documents",
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", nargs="+", help="what a system retrieved, a file each: JSON lines or CSV, a row per text, best "
        "first, with question and text, or docno, start and end; or a row per question with a list of texts",
    )  # fmt: skip
    add_evidence(parser, "whether the evidence was found, how much, with how much else, and at which rank")
    parser.add_argument("--unit", choices=UNITS, default="chars", help="what measures of text count (default: chars)")
    parser.add_argument("--fuzzy", type=float, metavar="SHARE", help="how alike an edited quote must be, as 0.95")
    parser.add_argument(
        "--whole", nargs="?", const=True, default=False, choices=("evidence", "results"),
        help="take rows without text or place as whole documents: of the evidence, the results, or both",
    )  # fmt: skip
    parser.add_argument("--questions", metavar="FILE", help="write the values of each question and system")
    parser.add_argument("--located", metavar="FILE", help="write where each retrieved text was found")
    add_gates(parser)


def run(arguments: argparse.Namespace) -> int:
    corpus, options = read_options(arguments)
    result = rag.evaluate_retrieved(
        arguments.evidence,
        arguments.results,
        corpus,
        read_measures(arguments),
        UNITS[arguments.unit],
        errors="skip" if arguments.errors == "skip" else None,
        fuzzy=arguments.fuzzy,
        whole=arguments.whole,
        verbose=sys.stderr.isatty(),
        **options,
    )
    for frame, path in ((result.questions, arguments.questions), (result.located, arguments.located)):
        if path:
            print_frame(frame, path)
    return print_result(result, "retrieved", arguments)
