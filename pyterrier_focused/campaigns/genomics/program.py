"""`pt-focused genomics-eval`: the scoring program of the TREC Genomics track, measure for measure."""

from __future__ import annotations

import argparse
import json
import os
from glob import glob

from ...commands.options import InputPath
from ...errors import FormatError
from ...evaluation.provider import NAMES, FocusedEvaluator
from ...measures.evidence import CharMAP
from ...measures.in_context import AgP
from .files import read_genomics_gold, read_genomics_run
from .measures import AspectAP, PassageAP

GROUP = "Official programs"
SUMMARY = "score a run as the program of the TREC Genomics track does"
OFFICIAL = {"DOCUMENT": AgP(task="doc"), "PASSAGE": PassageAP, "ASPECT": AspectAP, "PASSAGE2": CharMAP}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "gold",
        metavar="GOLD",
        type=InputPath,
        help="gold standard; tab-separated fields: topic, pmid, offset, length, aspects",
    )
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        type=InputPath,
        help="run, or pattern that matches runs; fields of a line: topic pmid rank [score] offset length [tag]",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, with unrounded values")


def run(arguments: argparse.Namespace) -> int:
    """Print the four measures of each run, topic by topic and as means over the topics of the gold standard."""
    gold = read_genomics_gold(arguments.gold)
    if gold.empty:
        raise FormatError(
            "the gold standard has no passages; its lines have five fields with tabs between them", file=arguments.gold
        )
    by_number = gold.sort_values("qid", key=lambda qids: qids.map(int), kind="stable")
    evaluator = FocusedEvaluator(OFFICIAL.values(), by_number.rename(columns=NAMES))
    values = {path: _calculate_values(path, evaluator) for path in _expand_patterns(arguments.runs)}
    if arguments.json:
        runs = {path: _list_by_topic(columns, evaluator.qrel_qids) for path, columns in values.items()}
        print(json.dumps(runs if len(runs) > 1 else next(iter(runs.values()))))
        return 0
    print("RUN\tMEASURE\tTOPIC\tSCORE")
    for path, columns in values.items():
        name = os.path.basename(path).split(".")[0]
        for measure, column in columns.items():
            rows = [*zip(evaluator.qrel_qids, column, strict=True), ("MAP", _average_column(column))]
            print("\n".join(f"{name}\t{measure}\t{topic}\t{value:.8f}" for topic, value in rows))
    return 0


def _expand_patterns(paths: list[str]) -> list[str]:
    """Replace patterns by the files that they match, as the official program does."""
    return [match for path in paths for match in ([path] if os.path.exists(path) else sorted(glob(path)) or [path])]


def _calculate_values(path: str, evaluator: FocusedEvaluator) -> dict[str, list[float]]:
    """Return a run's value for each topic, by measure."""
    ranking = evaluator.join(read_genomics_run(path).rename(columns=NAMES))
    return {name: measure.calculate(ranking).tolist() for name, measure in OFFICIAL.items()}


def _list_by_topic(columns: dict[str, list[float]], topics: list[str]) -> dict[str, dict[str, float]]:
    by_topic = {topic: {name: column[row] for name, column in columns.items()} for row, topic in enumerate(topics)}
    return {**by_topic, "all": {name: _average_column(column) for name, column in columns.items()}}


def _average_column(column: list[float]) -> float:
    return sum(column) / len(column)
