"""Runs with items, worked by hand; all articles have 1,000 characters.

A   item 1  a[0, 100) a[150, 300)     item 2  a[100, 150)     evidence and best entry point: a[100, 150)
B   item 1  a[0, 100) b[0, 100)       item 2  c[0, 100)       evidence: b[0, 50) c[0, 100)
C   item 1  a[0, 100) a[80, 150)      item 2  a[100, 200)
"""

import ir_measures
import pandas as pd
import pytest

from pyterrier_focused import pack, parse
from pyterrier_focused.errors import OverlapError


def make_run(*items):
    """The run frame of items, each a list of (article, start, end); an item's passages have falling scores."""
    rows = [
        {"qid": "q", "docno": f"{docno}#{start}-{end}", "score": 10.0 - number - place / 10, "items": number}
        for number, item in enumerate(items)
        for place, (docno, start, end) in enumerate(item)
    ]
    return pack(pd.DataFrame(rows)).rename(columns={"qid": "query_id", "docno": "doc_id"})


def make_qrels(**highlights):
    rows = [
        {"query_id": "q", "doc_id": docno, "relevance": 1, "highlights": [span], "bep": span[0], "length": 1000}
        for docno, span in highlights.items()
    ]
    return pd.DataFrame(rows)


EXAMPLES = {
    "A": (make_run([("a", 0, 100), ("a", 150, 300)], [("a", 100, 150)]), make_qrels(a=(100, 150))),
    "B": (make_run([("a", 0, 100), ("b", 0, 100)], [("c", 0, 100)]), make_qrels(b=(0, 50), c=(0, 100))),
    "C": (make_run([("a", 0, 100), ("a", 80, 150)], [("a", 100, 200)]), make_qrels(a=(0, 10))),
}


def score(example, name, drop=()):
    run, qrels = EXAMPLES[example]
    (measure,) = parse(name)
    return ir_measures.calc_aggregate([measure], qrels, run.drop(columns=list(drop)))[measure]


@pytest.mark.parametrize(
    ("example", "measure", "value"),
    [
        ("A", "CharP@1", 0),
        ("A", "CharP@2", 0.167),
        ("A", "CharR@2", 1),
        ("A", "SpanHit@1", 0),
        ("A", "SpanRR", 0.5),
        ("A", "SpanP@2", 0.5),
        ("A", "SpanAP", 0.5),
        ("A", "SpanNDCG", 0.631),
        ("A", "iP@0", 0.167),
        ("A", "AiP", 0.167),
        ("A", "AgP", 0.286),
        ("A", "AgP(task='bic')", 0.5),
        ("B", "CharP@1", 0.25),
        ("B", "CharP@2", 0.5),
        ("B", "CharR@2", 1),
        ("B", "SpanP@2", 1),
        ("B", "SpanAP", 1),
        ("B", "SpanNDCG", 1),
        ("B", "AiP", 0.5),
        ("B", "AgP", 0.444),
        ("C", "Redundancy@2", 0.2),
        # of 10 characters of evidence
        ("C", "CharP(overlap='repeat')", 10 / 250),
        ("C", "CharP(overlap='once')", 10 / 200),
    ],
)
def test_values_of_items(example, measure, value):
    assert score(example, measure) == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize(
    ("example", "measure", "value"),
    [
        ("A", "CharP@2", 0),
        ("A", "CharR@2", 0),
        ("A", "SpanRR", 0.333),
        ("A", "SpanP@2", 0),
        ("A", "SpanAP", 0.333),
        ("A", "SpanNDCG", 0.5),
        ("B", "CharP@1", 0),
        ("B", "CharP@2", 0.25),
        ("B", "CharR@2", 0.333),
        ("B", "SpanP@2", 0.5),
        ("B", "SpanAP", 0.583),
        ("B", "SpanNDCG", 0.693),
        ("C", "Redundancy", 0.259),
    ],
)
def test_values_of_the_same_passages_without_items(example, measure, value):
    assert score(example, measure, drop=["items"]) == pytest.approx(value, abs=5e-4)


def test_only_overlap_between_items_is_an_error():
    with pytest.raises(OverlapError, match=r"\[0, 150\) and \[100, 200\)"):
        score("C", "CharP")


def test_an_item_that_holds_all_spans_of_a_topic_has_one_over_their_number():
    run = make_run([("a", 0, 10), ("b", 0, 10), ("c", 0, 10), ("d", 0, 10)])
    qrels = make_qrels(a=(0, 5), b=(0, 5), c=(0, 5), d=(0, 5))
    (measure,) = parse("SpanAP")
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(1 / 4)
