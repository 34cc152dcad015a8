"""`pt-focused retrieved`: score files of what a RAG system retrieved, by the evidence that the texts hold."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .evaluate import WRITERS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results",
        nargs="+",
        metavar="RESULTS",
        help="what each system retrieved: JSON lines or CSV with a row a text (question, text, and docno if known, "
        "start, end), best first, or a row for each question with a list; a file for each system, or a column 'system'",
    )
    parser.add_argument(
        "--corpus", required=True, metavar="DIR", help="the documents: a folder of text files, one file, or JSON lines"
    )
    parser.add_argument(
        "--evidence",
        required=True,
        metavar="FILE",
        help="questions with the texts that answer them",
    )
    parser.add_argument(
        "-m", "--measures", help="measures, separated by blanks (default: was the evidence found, and how much)"
    )
    parser.add_argument(
        "--unit", choices=("chars", "words"), default="chars", help="what sizes are counted in (default: chars)"
    )
    parser.add_argument(
        "--repeated",
        choices=("report", "first", "all", "any"),
        default="report",
        help="texts that stand in the corpus more than once: refuse such evidence and count such retrieved texts as no "
        "evidence (report, the default), take the first place, all places, or any of them",
    )
    parser.add_argument("--skip", action="store_true", help="leave out evidence that cannot be found, with a warning")
    parser.add_argument(
        "--fuzzy", type=float, metavar="SHARE", help="find edited evidence too that is so much alike, such as 0.95"
    )
    parser.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="REQUIREMENT",
        help="exit with 1 where a system falls short, such as 'SpanHit@5 >= 0.8' (may be given several times)",
    )
    parser.add_argument(
        "--format", choices=sorted(WRITERS), default="markdown", help="output format of the table (default: markdown)"
    )
    parser.add_argument("--questions", metavar="FILE", help="write the values of each question and system as CSV")
    parser.add_argument("--located", metavar="FILE", help="write where each retrieved text was found as CSV")
    parser.add_argument("--report", metavar="FILE", help="write a page for the browser with questions and texts")
    parser.add_argument("--plot", metavar="FILE", help="draw recall against the text read (extra [plots])")


def run(arguments: argparse.Namespace) -> int:
    """Print one row for each system; 1 where a requirement fails."""
    from ..analysis.retrieved import evaluate_retrieved
    from ..errors import RequirementError

    result = evaluate_retrieved(
        arguments.evidence,
        _results(arguments.results),
        arguments.corpus,
        arguments.measures,
        str.split if arguments.unit == "words" else None,
        repeated=arguments.repeated,
        errors="skip" if arguments.skip else None,
        fuzzy=arguments.fuzzy,
    )
    table = result.table
    WRITERS[arguments.format](list(table.columns), table.astype(object).values.tolist())
    if arguments.questions:
        result.questions.to_csv(arguments.questions, index=False)
    if arguments.located:
        result.located.to_csv(arguments.located, index=False)
    if arguments.report:
        result.write_report(arguments.report)
    if arguments.plot:
        figure: Any = result.plot().figure
        figure.savefig(arguments.plot, bbox_inches="tight")
    failures = []
    for requirement in arguments.require:
        try:
            result.require(requirement)
        except RequirementError as error:
            failures.append(str(error))
    for failure in failures:
        print(f"pt-focused retrieved: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _results(paths: list[str]) -> dict[str, Any]:
    """Read the files of results as one: a system keeps its name, or has that of its file."""
    from ..io.retrieved import read_retrieved

    results: dict[str, Any] = {}
    for path in paths:
        for system, found in read_retrieved(path).items():
            if system in results:
                raise ValueError(
                    f"{path}: there are two systems called {system!r}; name one file or system differently"
                )
            results[system] = found
    return results
