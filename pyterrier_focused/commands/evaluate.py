"""`pt-focused evaluate`: score runs against qrels with any measures, as a table."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable
from typing import Any

DEFAULT = "iP@0.01 AiP CharP CharR AgP AP nDCG@10 P@10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", help="qrels: INEX, TREC, or spans")
    parser.add_argument("runs", nargs="+", metavar="run", help="runs: FOL, INEX XML, TREC, ...")
    parser.add_argument("-m", "--measures", default=DEFAULT, help=f"measures, separated by blanks (default: {DEFAULT})")
    parser.add_argument(
        "-q", "--per-query", action="store_true", help="a row for every topic, before that of the means"
    )
    parser.add_argument("--format", choices=sorted(WRITERS), default="tsv", help="output format (default: tsv)")
    parser.add_argument("--collection", metavar="DIR", help="a collection, to resolve paths, lengths and units")
    parser.add_argument(
        "--missing",
        choices=("raise", "official"),
        default="raise",
        help="parts that do not exist: refuse, or 18 characters",
    )
    parser.add_argument(
        "--condensed", action="store_true", help="leave out the articles that nobody judged before scoring each run"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print one row a run, and with -q one a topic: the topic `all` is the mean."""
    import ir_measures
    from tqdm import tqdm

    from ..io import read_qrels, read_run
    from ..ir_measures_provider import parse

    measures = parse(arguments.measures)
    if not measures:
        raise ValueError("no measures given: -m 'AiP AgP AP'")
    options: dict[str, Any] = {}
    if arguments.collection:
        from ..collection import Collection

        options["collection"] = Collection(arguments.collection)
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    qrels = read_qrels(arguments.qrels, **options)
    evaluator = ir_measures.evaluator(measures, qrels.rename(columns=names))
    rows = []
    for path in tqdm(arguments.runs, desc="runs", unit="run", disable=len(arguments.runs) < 2):
        frame = read_run(path, missing=arguments.missing, **options)
        if arguments.condensed:
            from ..analysis.condensed import condense

            frame = condense(frame, qrels)
        result: Any = evaluator.calc(frame.rename(columns=names))
        per_topic: dict[str, dict[Any, float]] = {}
        for metric in result.per_query if arguments.per_query else ():
            per_topic.setdefault(metric.query_id, {})[metric.measure] = metric.value
        for topic, found in [*sorted(per_topic.items()), ("all", result.aggregated)]:
            rows.append([path, topic, *(found[measure] for measure in measures)])
    header = ["run", "qid", *map(str, measures)]
    if not arguments.per_query:  # then there is nothing but means
        header, rows = [header[0], *header[2:]], [[row[0], *row[2:]] for row in rows]
    WRITERS[arguments.format](header, rows)
    return 0


def _write_tsv(header: list[str], rows: Iterable[list]) -> None:
    csv.writer(sys.stdout, delimiter="\t", lineterminator="\n").writerows([header, *rows])


def _write_csv(header: list[str], rows: Iterable[list]) -> None:
    csv.writer(sys.stdout, lineterminator="\n").writerows([header, *rows])


def _write_jsonl(header: list[str], rows: Iterable[list]) -> None:
    for row in rows:
        print(json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False))


def _write_markdown(header: list[str], rows: Iterable[list]) -> None:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    print(line(header))
    print(line("---" if name in ("run", "qid") else "---:" for name in header))
    for row in rows:
        print(line(f"{value:.4f}" if isinstance(value, float) else str(value) for value in row))


WRITERS = {"tsv": _write_tsv, "csv": _write_csv, "jsonl": _write_jsonl, "markdown": _write_markdown}
