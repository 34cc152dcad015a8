"""Frames of the worked examples: one topic, written the way the examples are."""

import ir_measures
import pandas as pd
from random_topics import qrels_frame, run_frame


def score(measure, run, qrels):
    """The measure's value for the single topic of *run* (docno, score, passages) and *qrels* (see brute_force)."""
    metrics = list(ir_measures.iter_calc([measure], qrels_frame({"1": qrels}), run_frame({"1": run})))
    assert [metric.query_id for metric in metrics] == ["1"]
    return metrics[0].value


def letters(ranking, n_relevant):
    """A run and qrels from a string of R and N; relevant articles that it misses are judged too."""
    names = [f"d{position}" for position in range(1, len(ranking) + 1)]
    missing = [f"m{position}" for position in range(n_relevant - ranking.count("R"))]
    run = pd.DataFrame({"query_id": "1", "doc_id": names, "score": [float(-i) for i in range(len(names))]})
    qrels = pd.DataFrame(
        {
            "query_id": "1",
            "doc_id": names + missing,
            "relevance": [int(letter == "R") for letter in ranking] + [1] * len(missing),
        }
    )
    return run, qrels


def score_letters(measure, ranking, n_relevant):
    run, qrels = letters(ranking, n_relevant)
    return measure.calc_aggregate(qrels, run)
