"""`pt-focused evaluate`: score runs against qrels with any measures, as a table."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import Any

import ir_measures
import pandas as pd
import tqdm
from ir_measures import Measure

from .. import evaluation
from ..errors import FormatError, warn_caller
from ..evaluation import NAMES, PRESETS, expand_presets, parse
from ..frames.consistency import warn_of_foreign_run
from ..io import read_qrels, read_run
from ..measures import FocusedMeasure
from ..rag import read_spans
from .options import (
    add_collection,
    add_measures,
    add_missing,
    add_output,
    add_overlap,
    add_qrels_and_runs,
    open_collection,
)
from .output import notes, print_frame

EXAMPLE = 'pt-focused evaluate qrels.txt my.run other.run -m "focused AP"'
PASSAGE_MEASURES = "iP@0.01 AiP CharP CharR AgP AP nDCG@10 P@10"
DOCUMENT_MEASURES = "AP nDCG@10 P@10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_qrels_and_runs(parser)
    add_measures(parser, f"{PASSAGE_MEASURES}; of qrels of whole articles {DOCUMENT_MEASURES}")
    parser.add_argument("-q", "--perquery", action="store_true", help="a row for each topic, before the means")
    add_output(parser)
    add_collection(parser, "for runs with element paths or without the lengths of articles")
    add_missing(parser)
    add_overlap(parser)
    parser.add_argument("--condensed", action="store_true", help="leave out the articles that nobody judged first")
    parser.epilog = textwrap.fill(f"presets of measures: {', '.join(PRESETS)}", 79)


def run(arguments: argparse.Namespace) -> int:
    """Print one row for each run, and with -q one for each topic; 2 if all ids of a run are foreign to the qrels."""
    options: dict[str, Any] = {"collection": open_collection(arguments.collection)}
    qrels = _read_judgments(arguments, options["collection"])
    measures = _choose_measures(arguments, qrels)
    evaluator = ir_measures.evaluator(measures, qrels.rename(columns=NAMES))
    options["documents"] = not any(getattr(measure, "NEEDS_PASSAGES", False) for measure in measures)
    if "length" in qrels.columns and not arguments.collection:
        options["lengths"] = dict(zip(qrels["docno"], qrels["length"].tolist(), strict=True))
    rows = []
    code = 0
    is_quiet = len(arguments.runs) < 2 or not sys.stderr.isatty()
    for path in tqdm.tqdm(arguments.runs, desc="runs", unit="run", disable=is_quiet):
        with notes(f"pt-focused evaluate: {path}"):
            ranking = read_run(path, missing=arguments.missing, **options)
            if not any(isinstance(measure, FocusedMeasure) for measure in measures):
                warn_of_foreign_run(ranking, qrels)
            ranking = evaluation.condense(ranking, qrels) if arguments.condensed else ranking
            is_judged = ranking["qid"].isin(qrels["qid"]) & ranking["docno"].isin(qrels["docno"])
            missing = qrels["qid"][~qrels["qid"].isin(ranking["qid"])].unique()
            if len(ranking) and not is_judged.any():
                # The note on this run says which ids.
                code = 2
            elif len(missing):
                warn_caller(f"no results for {len(missing)} judged topics (first: {missing[0]!r}), which score 0")
            result: Any = evaluator.calc(ranking.rename(columns=NAMES))
        values: dict[str, dict[Measure, float]] = {}
        for metric in result.per_query if arguments.perquery else ():
            values.setdefault(metric.query_id, {})[metric.measure] = metric.value
        for topic, scored in [*sorted(values.items()), ("all", result.aggregated)]:
            rows.append([path, topic, *(scored[measure] for measure in measures)])
    table = pd.DataFrame(rows, columns=["run", "qid", *map(str, measures)])
    print_frame(table if arguments.perquery else table.drop(columns="qid"), arguments.output)
    return code


def _read_judgments(arguments: argparse.Namespace, collection: Any) -> pd.DataFrame:
    """Read qrels; if they are evidence with quotes, which need the texts, by `read_spans`."""
    try:
        return read_qrels(arguments.qrels, collection=collection, documents=collection is None)
    except FormatError as error:
        if collection is None or "read_spans" not in str(error):
            raise
        return read_spans(arguments.qrels, collection)


def _choose_measures(arguments: argparse.Namespace, qrels: pd.DataFrame) -> list[Measure]:
    """Return the requested measures, with presets expanded, or the default measures for these qrels."""
    default = PASSAGE_MEASURES if "highlights" in qrels.columns else DOCUMENT_MEASURES
    measures = parse(expand_presets(default if arguments.measures is None else arguments.measures))
    if not measures:
        raise ValueError("no measures given: -m 'AiP AgP AP'")
    if arguments.overlap == "once":
        measures = [
            m(overlap="once") if "overlap" in m.SUPPORTED_PARAMS.keys() - m.params.keys() else m for m in measures
        ]
    return list(dict.fromkeys(measures))
