"""`pt-focused genomics-eval`: the scoring program of the TREC Genomics track, measure for measure."""

from __future__ import annotations

import argparse
import json
import os
import sys
from glob import glob

import numpy as np

from ...commands.messages import warn_if_foreign
from ...commands.options import InputPath
from ...errors import FormatError
from ...frames.spans import Spans
from ...measures.evidence import CharMAP
from ...measures.in_context import AgP
from ...measures.ranking import Beside, Judgments
from ..lines import group_judged
from ..ranking import rank_lines
from .files import GenomicsGold, aspect_names, read_genomics_gold_columns, read_genomics_run_columns
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
    gold = read_genomics_gold_columns(arguments.gold)
    if not gold.topics:
        raise FormatError(
            "the gold standard has no passages; its lines have five fields with tabs between them", file=arguments.gold
        )
    if gold.short:
        print(f"{arguments.gold}: {gold.short} lines with fewer than five fields are left out", file=sys.stderr)
    judgments = official_judgments(gold)
    values = {path: _calculate_values(path, judgments) for path in _expand_patterns(arguments.runs)}
    if arguments.json:
        runs = {path: _list_by_topic(columns, judgments) for path, columns in values.items()}
        print(json.dumps(runs if len(runs) > 1 else next(iter(runs.values()))))
        return 0
    print("RUN\tMEASURE\tTOPIC\tSCORE")
    for path, columns in values.items():
        name = os.path.basename(path).split(".")[0]
        for measure, column in columns.items():
            rows = [*zip(judgments.topics, column, strict=True), ("MAP", _average_column(column))]
            print("\n".join(f"{name}\t{measure}\t{topic}\t{value:.8f}" for topic, value in rows))
    return 0


def _expand_patterns(paths: list[str]) -> list[str]:
    """Replace patterns by the files that they match, as the official program does."""
    return [match for path in paths for match in ([path] if os.path.exists(path) else sorted(glob(path)) or [path])]


def _calculate_values(path: str, judgments: Judgments) -> dict[str, list[float]]:
    """Return a run's value for each topic, by measure."""
    run = read_genomics_run_columns(path)
    ranking = rank_lines(run, judgments)
    warn_if_foreign(len(ranking.topic) > 0 or not run.topics, path)
    return {name: measure.calculate(ranking).tolist() for name, measure in OFFICIAL.items()}


def _list_by_topic(columns: dict[str, list[float]], judgments: Judgments) -> dict[str, dict[str, float]]:
    topics = {
        topic: {name: column[row] for name, column in columns.items()} for row, topic in enumerate(judgments.topics)
    }
    return {**topics, "all": {name: _average_column(column) for name, column in columns.items()}}


def _average_column(column: list[float]) -> float:
    return sum(column) / len(column)


def official_judgments(gold: GenomicsGold) -> Judgments:
    """The gold standard as judgments: topics in the order of their numbers, highlights in the order of the file."""
    by_number = sorted(range(len(gold.topics)), key=lambda code: int(gold.topics[code]))
    code = np.empty(len(by_number), dtype=np.int64)
    code[by_number] = np.arange(len(by_number))
    topic = code[gold.topic]
    order, row, head = group_judged(topic, gold.pmid, len(gold.pmids))
    aspects: dict[str, int] = {}
    codes_of = {
        field: [aspects.setdefault(name, len(aspects)) for name in aspect_names(field)] for field in set(gold.aspects)
    }
    lists = [codes_of[gold.aspects[passage]] for passage in order.tolist()]
    return Judgments(
        topics=[gold.topics[topic] for topic in by_number],
        topic=topic[head],
        docno=np.array(gold.pmids, dtype=object)[gold.pmid[head]],
        labels=np.ones(len(head), dtype=np.int64),
        highlight_spans=Spans(row, gold.start[order], gold.end[order], None),
        aspect_names=Beside(
            np.repeat(np.arange(len(lists)), [len(codes) for codes in lists]),
            np.array([code for codes in lists for code in codes], dtype=np.int64),
        ),
    )
