"""`pt-focused hyperlinking-eval`: sh_eval, the scoring program of MediaEval's and TRECVID's hyperlinking tasks."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...frames.spans import Floats, Ints, Spans, ratio
from ...io.campaigns.campaign_lines import group_judged
from ...io.campaigns.hyperlinking import (
    HyperlinkingQrels,
    read_hyperlinking_qrels_columns,
    read_hyperlinking_run_columns,
)
from ...measures.campaigns.maisp import viewings, watch
from ...measures.campaigns.segments import (
    RELEVANT,
    UNJUDGED,
    States,
    bin_states,
    merged,
    overlap_states,
    tolerance_states,
)
from ...measures.ranking import Judgments, Ranking
from ...measures.span_pairs import first_of_each, ranked_spans
from ..options import InputPath
from .ranking import rank_lines, warn_if_foreign

if TYPE_CHECKING:
    from ...io.reading.json import JsonObject

BIN = 300
TOLERANCE = 15
# By state: relevant, not relevant, unjudged, both kinds seen.
MARKS = "10-sS"
_CONSTANTS = {
    "size_bin": BIN, "tol_len": TOLERANCE, "mark_relevant": "1", "mark_non_relevant": "0", "mark_relevant_seen": "s",
    "mark_non-relevant_seen": "S", "mark_unjudged": "-",
}  # fmt: skip
# Printed as whole numbers, cut off.
_CUT = {"videos_ret", "videos_rel", "avglength_ret", "avglength_rel"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "qrel",
        metavar="QREL",
        type=InputPath,
        help="judged segments; fields of a line: query Q0 video start end relevance",
    )
    parser.add_argument(
        "run",
        metavar="RUN",
        type=InputPath,
        help="run; fields of a line: query Q0 video start end [jumpin] rank score [tag]",
    )
    parser.add_argument(
        "-k",
        "--kind",
        choices=("linking", "search"),
        default="linking",
        help="kind of run; lines of search runs have the field jumpin, the jump-in point (default: linking)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, with unrounded values")


def run(arguments: argparse.Namespace) -> int:
    """Print what sh_eval counts and measures, query by query and over all queries of run and judgments."""
    judgments = official_judgments(read_hyperlinking_qrels_columns(arguments.qrel))
    run = read_hyperlinking_run_columns(arguments.run, arguments.kind)
    ranking = rank_lines(run, judgments)
    values = official_values(ranking)
    scored = np.flatnonzero(np.diff(ranking.bounds) > 0).tolist()
    warn_if_foreign(len(scored) > 0 or not run.topics, arguments.run, "query")
    queries = {judgments.topics[topic]: {name: column[topic] for name, column in values.items()} for topic in scored}
    everything = {
        "runid": os.path.basename(arguments.run),
        **_CONSTANTS,
        "num_q": len(scored),
        **_average_queries(values, scored),
    }
    if arguments.json:
        print(json.dumps({**queries, "all": everything}))
        return 0
    for printed in (everything, *queries.values()):
        printed.update({name: int(printed[name]) for name in _CUT & printed.keys()})
    print("\n".join(_format_lines(queries, everything)))
    return 0


def official_judgments(qrels: HyperlinkingQrels) -> Judgments:
    """Return the judged segments as judgments, queries in the order of their names."""
    by_name = sorted(range(len(qrels.queries)), key=qrels.queries.__getitem__)
    code = np.empty(len(by_name), dtype=np.int64)
    code[by_name] = np.arange(len(by_name))
    topic = code[qrels.query] if len(code) else qrels.query
    order, row, head = group_judged(topic, qrels.video, len(qrels.videos))
    start = qrels.start[order]
    end = qrels.end[order]
    relevant = qrels.relevance[order] > 0
    return Judgments(
        topics=[qrels.queries[query] for query in by_name],
        topic=topic[head],
        docno=np.array(qrels.videos, dtype=object)[qrels.video[head]] if len(head) else np.zeros(0, dtype=object),
        highlight_spans=Spans(row[relevant], start[relevant], end[relevant], None),
        not_relevant_spans=Spans(row[~relevant], start[~relevant], end[~relevant], None),
    )


def official_values(ranking: Ranking) -> dict[str, list[float]]:
    """Return each value that sh_eval prints for a query, for each topic of the judgments."""
    judgments = ranking.judgments
    retrieved = ranked_spans(ranking)
    relevant = merged(judgments.highlights)
    n = len(judgments.topics)

    def average(topic: Ints, length: Ints) -> Floats:
        return ratio(np.bincount(topic, length, minlength=n), np.bincount(topic, minlength=n))

    values: dict[str, Any] = {
        "videos_ret": np.diff(ranking.bounds),
        "videos_rel": np.bincount(judgments.topic[relevant.row[first_of_each(relevant.row)]], minlength=n),
        "avglength_ret": average(retrieved.topic, retrieved.end - retrieved.start),
        "avglength_rel": average(judgments.topic[relevant.row], relevant.end - relevant.start),
    }
    values.update(_count_states(overlap_states(ranking), ""))
    values.update(_count_states(bin_states(ranking, BIN), "_bin"))
    values.update(_count_states(tolerance_states(ranking, TOLERANCE), "_tol"))
    watched = [watch(topic) for topic in viewings(ranking)]
    columns: dict[str, Callable[[Any], Any]] = {
        "num_rel_secs": lambda topic: topic.relevant_seconds,
        "num_ret_secs": lambda topic: topic.retrieved_seconds,
        "num_rel_ret_secs": lambda topic: topic.found_seconds,
        "maisp": lambda topic: topic.maisp,
        "maisp_0.05": lambda topic: topic.at(5),
        "maisp_0.10": lambda topic: topic.at(10),
        "maisp_0.20": lambda topic: topic.at(20),
    }
    values.update({name: [value(topic) for topic in watched] for name, value in columns.items()})
    return {name: column.tolist() if isinstance(column, np.ndarray) else column for name, column in values.items()}


def _count_states(states: States, suffix: str) -> JsonObject:
    hit = states.state == RELEVANT
    judged = states.state != UNJUDGED
    topic = np.repeat(np.arange(len(states.relevant)), np.diff(states.bounds))
    marks = np.frombuffer(MARKS.encode(), dtype=np.uint8)[states.state].tobytes().decode()
    bounds = states.bounds.tolist()
    strings = [f"{marks[start:end]} {end - start}" for start, end in pairwise(bounds)]
    values = {
        "num_rel": states.relevant,
        "num_ret": np.diff(states.bounds),
        "num_rel_ret": np.bincount(topic[hit], minlength=len(states.relevant)),
        "map": states.average_precision(),
        **{f"P_{k}": states.share(hit, k) for k in (5, 10, 20)},
        **{f"Judged_{k}": states.share(judged, k) for k in (10, 20, 30)},
        "relString": strings,
    }
    return {name + suffix: column for name, column in values.items()}


def _average_queries(values: dict[str, list[float]], scored: list[int]) -> JsonObject:
    """Sums of what is counted, means of the rest, over the scored queries."""
    over: dict[str, Any] = {}
    for name, column in values.items():
        if not name.startswith("relString"):
            total = sum(column[topic] for topic in scored)
            over[name] = total if name.startswith("num_") else total / max(len(scored), 1)
    return over


def _format_lines(queries: dict[str, JsonObject], everything: JsonObject) -> list[str]:
    """Return the lines as sh_eval prints them: constants, queries, all; columns padded to at most 20 characters."""
    constants = ("runid", *_CONSTANTS)
    rows = [(name, "all", _format_value(everything[name])) for name in constants]
    rows += [(name, query, _format_value(value)) for query, values in queries.items() for name, value in values.items()]
    rows += [(name, "all", _format_value(value)) for name, value in everything.items() if name not in constants]
    widths = [max(min(20, len(field)) for field in column) for column in zip(*rows, strict=True)]
    return ["\t".join(field.ljust(width) for field, width in zip(row, widths, strict=True)) for row in rows]


def _format_value(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
