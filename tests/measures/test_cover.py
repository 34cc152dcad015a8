"""A column `cover` beside highlights, in place of the measures' own: against plain sets of characters."""

import brute_force_evidence as evidence
import pandas as pd
import pytest
from every_measure import define_values, values
from hypothesis import given
from hypothesis import strategies as st
from random_topics import column, qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused.measures import (
    CharP,
    CharR,
    SpanAP,
    SpanHit,
    SpanNDCG,
    SpanP,
    SpanR,
    SpanRR,
)

COVERS = st.sampled_from([None, None, 0, 0.3, 1])


@st.composite
def topics_with_covers(draw):
    """{qid: [(docno, label, highlights, bep, length, covers)]}."""
    qrels = draw(qrels_topics(min_topics=1))
    return {qid: [(*row, [draw(COVERS) for _ in row[2]]) for row in rows] for qid, rows in qrels.items()}


def frame(qrels):
    plain = qrels_frame({qid: [row[:5] for row in rows] for qid, rows in qrels.items()})
    return plain.assign(cover=column([row[5] for rows in qrels.values() for row in rows]))


def define(value, **keys):
    return lambda run, qrels: value(run, qrels, **keys)


EXPECTED = {
    SpanHit @ 2: define(evidence.span_hit, cover=0.5, k=2),
    SpanR: define(evidence.span_r, cover=0.5, k=None),
    SpanRR(cover=1): define(evidence.span_rr, cover=1),
    SpanP @ 3: define(evidence.span_p, k=3),
    SpanAP: define(evidence.span_ap, k=None),
    SpanNDCG @ 2: define(evidence.span_ndcg, k=2),
}


@given(run_topics(overlap=True), topics_with_covers())
def test_spans_that_say_how_much_of_them_is_wanted(run, qrels):
    found = values(EXPECTED, run_frame(run), frame(qrels))
    assert found == pytest.approx(define_values(EXPECTED, run, qrels), abs=1e-9)


@given(run_topics(), topics_with_covers())
def test_covers_do_not_change_what_characters_count(run, qrels):
    judged = frame(qrels)
    plain = judged.drop(columns="cover")
    assert values([CharP, CharR], run_frame(run), judged) == values([CharP, CharR], run_frame(run), plain)


@given(run_topics(overlap=True), qrels_topics(min_topics=1))
def test_covers_that_are_all_missing_are_as_no_column(run, qrels):
    judged = qrels_frame(qrels)
    missing = judged.assign(cover=column([[None] * len(cell) for cell in judged["highlights"]]))
    assert values(EXPECTED, run_frame(run), missing) == values(EXPECTED, run_frame(run), judged)


RUN = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "passages": [[(40, 41, 2.0), (0, 30, 1.0)]]})
QRELS = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})


def score(measure, **columns):
    return values([measure], RUN, QRELS.assign(**{name: [cell] for name, cell in columns.items()}))[measure, "1"]


def test_any_character_of_a_page_finds_it():
    assert score(SpanHit @ 1, highlights=[(10, 60)], cover=[0]) == 1


def test_a_quote_on_a_page_that_is_evidence_too_is_a_span_of_its_own():
    """The page [10, 60) is found first, its quote [12, 20) second."""
    assert score(SpanAP, highlights=[(10, 60), (12, 20)], cover=[0, None]) == 1


def test_covers_of_alternatives():
    """The first alternative needs all of [0, 40), the second any of [35, 60)."""
    alternatives = {"highlights": [(0, 40), (35, 60)], "alternatives": [1, 2]}
    assert score(SpanHit @ 1, **alternatives, cover=[1, 0]) == 1
    assert score(SpanHit @ 1, **alternatives, cover=[0, 1]) == 0
