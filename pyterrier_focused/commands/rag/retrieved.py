"""`pt-focused retrieved`: score files of what a RAG system retrieved, by the evidence that the texts hold."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..options import InputPath, OutputPath
from ..tables import write_table
from .rag_options import add_evidence, add_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results",
        nargs="+",
        metavar="RESULTS",
        type=InputPath,
        help="what a system retrieved, as JSON lines or CSV: one row per text, best first, with the columns question "
        "and text, and docno, start and end if known; or one row per question with a list of texts; give one file per "
        "system, or one file with a column 'system'",
    )
    add_evidence(parser)
    parser.add_argument(
        "--unit", choices=("chars", "words"), default="chars", help="unit of lengths and budgets (default: chars)"
    )
    parser.add_argument(
        "--fuzzy",
        type=float,
        metavar="SHARE",
        help="also find quotes that were edited, if they are at least this similar, such as 0.95",
    )
    parser.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="REQUIREMENT",
        help="exit with 1 if the mean of any system does not meet this, such as 'SpanHit@5 >= 0.8'; may be given "
        "several times",
    )
    parser.add_argument(
        "--questions",
        metavar="FILE",
        type=OutputPath,
        help="write the values of each question and system to a CSV file",
    )
    parser.add_argument(
        "--located", metavar="FILE", type=OutputPath, help="write where each retrieved text was found to a CSV file"
    )
    parser.add_argument(
        "--report",
        metavar="FILE",
        type=OutputPath,
        help="write an HTML page with the questions and the retrieved texts",
    )
    add_table(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one row for each system; 1 where a requirement fails."""
    from ...errors import RequirementError
    from ...evaluation.rag.retrieved import evaluate_retrieved

    result = evaluate_retrieved(
        arguments.evidence,
        _read_results(arguments.results),
        arguments.corpus,
        arguments.measures,
        str.split if arguments.unit == "words" else None,
        repeated=arguments.repeated,
        errors="skip" if arguments.errors == "skip" else None,
        fuzzy=arguments.fuzzy,
        verbose=sys.stderr.isatty(),
    )
    table = result.table
    write_table(list(table.columns), table.astype(object).values.tolist(), arguments)
    if arguments.questions:
        result.questions.to_csv(arguments.questions, index=False)
    if arguments.located:
        result.located.to_csv(arguments.located, index=False)
    if arguments.report:
        from ...report.report import write_report

        write_report(arguments.report, result)
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


def _read_results(paths: list[str]) -> dict[str, Any]:
    """Read the files of results as one: a system keeps its name, or has that of its file."""
    from ...io.texts.retrieved import read_retrieved

    results: dict[str, Any] = {}
    for path in paths:
        for system, found in read_retrieved(path).items():
            if system in results:
                raise ValueError(
                    f"{path}: there are two systems called {system!r}; name one file or system differently"
                )
            results[system] = found
    return results
