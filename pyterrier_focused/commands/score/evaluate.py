"""`pt-focused evaluate`: score runs against qrels with any measures, as a table."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import ir_measures
import pandas as pd
import tqdm
from ir_measures import Measure
from ir_measures.measures.base import MeanAgg
from ir_measures.providers import Evaluator

from ... import analysis, evaluation
from ...evaluation import NAMES, PRESETS, expand_presets, parse
from ...frames.consistency import warn_of_foreign_run
from ...io import read_qrels, read_run
from ...measures import FocusedMeasure
from ..messages import notes
from ..options import (
    add_collection,
    add_measures,
    add_missing,
    add_overlap,
    add_qrels_and_runs,
    add_table_output,
    open_collection,
)
from ..tables import DIGITS, format_table, tell_format, write_table, write_text

PASSAGE_MEASURES = "iP@0.01 AiP CharP CharR AgP AP nDCG@10 P@10"
DOCUMENT_MEASURES = "AP nDCG@10 P@10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_qrels_and_runs(parser)
    add_measures(
        parser,
        f"{PASSAGE_MEASURES}; if the qrels judge whole articles: {DOCUMENT_MEASURES}); presets and names of trec_eval, "
        "such as map and num_rel, are accepted too (see below",
    )
    parser.add_argument(
        "-q", "--per-query", action="store_true", help="print a row for each topic before the row of means"
    )
    add_table_output(parser)
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="for --format markdown: mark the runs that score significantly higher or lower than this one",
    )
    add_collection(parser, "for runs with element paths or without the lengths of articles")
    add_missing(parser)
    add_overlap(parser)
    parser.add_argument(
        "--condensed", action="store_true", help="leave out the articles that nobody judged before scoring each run"
    )
    presets = "\n".join(f"  {name:16} {measures}" for name, measures in PRESETS.items())
    parser.epilog = f"presets of measures:\n{presets}\n\nINEX's iP[0.00], or iP@0.00, heads its column as iP@0.0."
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def run(arguments: argparse.Namespace) -> int:
    """Print one row per run, and with -q one row per topic; 2 if all ids of a run are foreign to the qrels."""
    _check_table(arguments)
    options: dict[str, Any] = {"collection": open_collection(arguments)}
    qrels = read_qrels(arguments.qrels, **options, documents=not arguments.collection)
    measures = _choose_measures(arguments, qrels)
    evaluator = ir_measures.evaluator(measures, qrels.rename(columns=NAMES))
    options["documents"] = not any(getattr(measure, "NEEDS_PASSAGES", False) for measure in measures)
    if "length" in qrels.columns and not arguments.collection:
        options["lengths"] = dict(zip(qrels["docno"], qrels["length"].tolist(), strict=True))
    rows = []
    code = 0
    for path in tqdm.tqdm(arguments.runs, desc="runs", unit="run", disable=len(arguments.runs) < 2 or None):
        with notes(f"pt-focused evaluate: {path}"):
            ranking = read_run(path, missing=arguments.missing, **options)
            if not any(isinstance(measure, FocusedMeasure) for measure in measures):
                warn_of_foreign_run(ranking, qrels)
            if has_only_foreign_ids(ranking, qrels):
                # The note on this run says which ids.
                code = 2
            elif missing := list_missing_topics(ranking, qrels):
                warnings.warn(
                    f"no results for {len(missing)} of the {qrels['qid'].nunique()} judged topics (first: "
                    f"{missing[0]!r}), which score 0",
                    stacklevel=2,
                )
            rows += _score_run(path, ranking, evaluator, qrels, arguments, measures)
    header = ["run", "qid", *map(str, measures)]
    if arguments.baseline:
        write_text(_mark_differences(header, rows, measures, arguments), arguments)
        return code
    # There is nothing but means otherwise.
    if not arguments.per_query:
        header = [header[0], *header[2:]]
        rows = [[row[0], *row[2:]] for row in rows]
    write_table(header, rows, arguments)
    return code


def _check_table(arguments: argparse.Namespace) -> None:
    format = tell_format(arguments)
    if arguments.per_query and arguments.baseline:
        raise ValueError("-q is for tables without --baseline")
    if arguments.baseline and format != "markdown":
        raise ValueError("--baseline goes with --format markdown, whose tables mark what differs")
    if arguments.baseline and arguments.baseline not in arguments.runs:
        raise ValueError(f"--baseline {arguments.baseline}: give one of the runs, {', '.join(arguments.runs)}")


def _mark_differences(
    header: list[str], rows: list[list[object]], measures: list[Measure], arguments: argparse.Namespace
) -> str:
    """Write the table of the runs' means with marks of significance, from the rows of each topic."""
    for measure in measures:
        if type(measure.aggregator()) is not MeanAgg:
            raise ValueError(f"{measure} is no mean over topics; leave it out of a table with --baseline")
    topics = pd.DataFrame(rows, columns=["name", *header[1:]])
    values = topics[topics["qid"] != "all"].melt(["name", "qid"], var_name="measure")
    digits = DIGITS if arguments.places is None else arguments.places
    table = analysis.mark_differences(values, arguments.baseline, digits=digits)
    return f"{format_table(table, arguments)}\n{table.attrs['note']}\n"


def _choose_measures(arguments: argparse.Namespace, qrels: pd.DataFrame) -> list[Measure]:
    """Return the requested measures, with presets expanded, or the default measures for these qrels."""
    default = PASSAGE_MEASURES if "highlights" in qrels.columns else DOCUMENT_MEASURES
    text = default if arguments.measures is None else arguments.measures
    measures = parse(expand_presets(text))
    if not measures:
        raise ValueError("no measures given: -m 'AiP AgP AP'")
    if arguments.overlap == "once":
        measures = [
            m(overlap="once") if "overlap" in m.SUPPORTED_PARAMS.keys() - m.params.keys() else m for m in measures
        ]
    return list(dict.fromkeys(measures))


def has_only_foreign_ids(run: pd.DataFrame, qrels: pd.DataFrame) -> bool:
    """Tell whether no row of a run has both a topic and an article of the qrels."""
    return len(run) > 0 and not (run["qid"].isin(qrels["qid"]) & run["docno"].isin(qrels["docno"])).any()


def list_missing_topics(run: pd.DataFrame, qrels: pd.DataFrame) -> list[str]:
    """List the judged topics that a run has no results for, in the order of the qrels."""
    judged = qrels["qid"].drop_duplicates()
    return judged[~judged.isin(run["qid"])].tolist()


def _score_run(
    name: str,
    run: pd.DataFrame,
    evaluator: Evaluator,
    qrels: pd.DataFrame,
    arguments: argparse.Namespace,
    measures: list[Measure],
) -> list[list[object]]:
    run = evaluation.condense(run, qrels) if arguments.condensed else run
    result: Any = evaluator.calc(run.rename(columns=NAMES))
    per_topic: dict[str, dict[Any, float]] = {}
    for metric in result.per_query if arguments.per_query or arguments.baseline else ():
        per_topic.setdefault(metric.query_id, {})[metric.measure] = metric.value
    rows = [*sorted(per_topic.items()), ("all", result.aggregated)]
    return [[name, topic, *(values[measure] for measure in measures)] for topic, values in rows]
