"""`pt-focused evaluate`: score runs against qrels with any measures, as a table."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...evaluation.presets import PRESETS
from ...evaluation.provider import NAMES, parse
from ..messages import notes

if TYPE_CHECKING:
    import pandas as pd

PASSAGE_MEASURES = "iP@0.01 AiP CharP CharR AgP AP nDCG@10 P@10"
DOCUMENT_MEASURES = "AP nDCG@10 P@10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "qrels", help="file with relevance judgments: INEX or TREC qrels, or evidence as CSV or JSON lines"
    )
    parser.add_argument("runs", nargs="+", metavar="run", help="file with a run: INEX FOL, INEX XML, paths or TREC")
    parser.add_argument(
        "-m",
        "--measures",
        help="measures or presets, separated by blanks; names of trec_eval are accepted too, such as map, num_q, "
        f"num_ret, num_rel and num_rel_ret (default: {PASSAGE_MEASURES}; where the qrels judge whole articles: "
        f"{DOCUMENT_MEASURES})",
    )
    parser.add_argument(
        "-q", "--per-query", action="store_true", help="print a row for each topic before the row of means"
    )
    parser.add_argument("--format", choices=sorted(WRITERS), default="tsv", help="format of the table (default: tsv)")
    parser.add_argument(
        "--collection",
        metavar="DIR",
        help="collection of the articles, for runs with element paths or without the lengths of articles",
    )
    parser.add_argument(
        "--missing",
        choices=("raise", "official"),
        default="raise",
        help="how to treat passages that do not exist: stop with an error, or count 18 characters that are not "
        "relevant, as the official INEX tool does (default: raise)",
    )
    parser.add_argument(
        "--overlap",
        choices=("error", "once"),
        default="error",
        help="how to treat passages that overlap: stop with an error, or count each character once (default: error)",
    )
    parser.add_argument(
        "--condensed", action="store_true", help="leave out the articles that nobody judged before scoring each run"
    )
    presets = "\n".join(f"  {name:16} {measures}" for name, measures in PRESETS.items())
    parser.epilog = f"presets of measures:\n{presets}\n\nexample: pt-focused evaluate qrels.txt run.txt -m 'focused AP'"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def run(arguments: argparse.Namespace) -> int:
    """Print one row per run, and with -q one row per topic; the topic `all` is the mean."""
    import ir_measures
    from tqdm import tqdm

    from ...io import read_qrels

    options: dict[str, Any] = {}
    if arguments.collection:
        from ...collection import Collection

        options["collection"] = Collection(arguments.collection)
    qrels = read_qrels(arguments.qrels, **options, documents=not arguments.collection)
    measures = _measures(arguments, qrels)
    evaluator = ir_measures.evaluator(measures, qrels.rename(columns=NAMES))
    options["documents"] = not any(getattr(measure, "NEEDS_PASSAGES", False) for measure in measures)
    if "length" in qrels.columns and not arguments.collection:
        options["lengths"] = dict(zip(qrels["docno"], qrels["length"].tolist(), strict=True))
    rows = []
    for path in tqdm(arguments.runs, desc="runs", unit="run", disable=len(arguments.runs) < 2 or None):
        with notes(f"pt-focused evaluate: {path}", vars(arguments)):
            rows += _rows(path, evaluator, measures, qrels, arguments, options)
    header = ["run", "qid", *map(str, measures)]
    if not arguments.per_query:  # then there is nothing but means
        header, rows = [header[0], *header[2:]], [[row[0], *row[2:]] for row in rows]
    WRITERS[arguments.format](header, rows)
    return 0


def _measures(arguments: argparse.Namespace, qrels: pd.DataFrame) -> list[Any]:
    """Return the requested measures, with presets expanded, or the default measures for these qrels."""
    default = PASSAGE_MEASURES if "highlights" in qrels.columns else DOCUMENT_MEASURES
    text = default if arguments.measures is None else arguments.measures
    measures = parse(" ".join(PRESETS.get(word, word) for word in text.split(" ")))
    if not measures:
        raise ValueError("no measures given: -m 'AiP AgP AP'")
    if arguments.overlap == "once":
        measures = [
            m(overlap="once") if "overlap" in m.SUPPORTED_PARAMS.keys() - m.params.keys() else m for m in measures
        ]
    return list(dict.fromkeys(measures))


def _rows(
    path: str, evaluator: Any, measures: list[Any], qrels: pd.DataFrame, arguments: argparse.Namespace, options: dict
) -> list[list]:
    """Yield the rows of one run: run, topic and the measures' values."""
    from ...evaluation.condensed import condense
    from ...io import read_run

    run = read_run(path, missing=arguments.missing, **options)
    run = condense(run, qrels) if arguments.condensed else run
    result: Any = evaluator.calc(run.rename(columns=NAMES))
    per_topic: dict[str, dict[Any, float]] = {}
    for metric in result.per_query if arguments.per_query else ():
        per_topic.setdefault(metric.query_id, {})[metric.measure] = metric.value
    rows = [*sorted(per_topic.items()), ("all", result.aggregated)]
    return [[path, topic, *(found[measure] for measure in measures)] for topic, found in rows]


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
