"""Runs with items of several passages: every measure of ranked passages with the text of items in place of passages."""

import brute_force as brute
import brute_force_evidence as evidence
import pandas as pd
import pytest
from every_measure import (
    BUDGET_ERROR,
    BUDGET_ONCE,
    ERROR,
    ONCE,
    OTHER,
    RATIOS,
    SPAN_RANKINGS,
    TOLERANCE_ONCE,
    at,
    define_values,
    values,
)
from hypothesis import given
from hypothesis import strategies as st
from random_topics import column, qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused import AgP, CharP
from pyterrier_focused.analysis.curves.points import recall_by_characters
from pyterrier_focused.errors import OverlapError
from pyterrier_focused.frames.packing import pack, unpack
from pyterrier_focused.measures import CharAP, CharR, Redundancy, SpanP

NUMBERS = st.sampled_from([None, 0, 0, 1, 2, 2**40])
SIZES = st.sampled_from([0, 0, 1, 4])


@st.composite
def item_topics(draw, overlap=True, around=False):
    """{qid: [(docno, score, passages, numbers of items, sizes around)]}."""
    run = draw(run_topics(overlap=overlap))
    sizes = SIZES if around else st.just(0)
    return {
        qid: [(*row, [draw(NUMBERS) for _ in row[2] or ()], [draw(sizes) for _ in row[2] or ()]) for row in topic]
        for qid, topic in run.items()
    }


def item_frame(run, names=("query_id", "doc_id")):
    rows = [row for topic in run.values() for row in topic]
    beside = {"items": column([row[3] for row in rows]), "around": column([row[4] for row in rows])}
    return run_frame({qid: [row[:3] for row in topic] for qid, topic in run.items()}, names=names).assign(**beside)


def compare(measures, run, qrels):
    found = values(measures, item_frame(run), qrels_frame(qrels))
    merged = {qid: brute.merge_items(topic) for qid, topic in run.items()}
    assert found == pytest.approx(define_values(measures, merged, qrels), abs=1e-12)


# what is around a passage belongs to its article too
OF_ARTICLES = ("_AgP", "_gP", "_gR", "_CharJudged")
ALL = ONCE | BUDGET_ONCE | OTHER | SPAN_RANKINGS | TOLERANCE_ONCE
OF_TEXT = {measure: value for measure, value in ALL.items() if type(measure).__name__ not in OF_ARTICLES}


@given(item_topics(), qrels_topics(min_topics=1))
def test_measures_by_article_see_merged_passages(run, qrels):
    compare({measure: value for measure, value in ALL.items() if measure not in OF_TEXT}, run, qrels)


@given(item_topics(around=True), qrels_topics(min_topics=1))
def test_the_text_of_items_with_what_is_around_read_before_it(run, qrels):
    compare(OF_TEXT, run, qrels)


@given(item_topics(overlap=False), qrels_topics(min_topics=1))
def test_items_without_overlap(run, qrels):
    compare(ERROR | BUDGET_ERROR, run, qrels)


@given(item_topics(), qrels_topics(min_topics=1), st.sampled_from([CharP, CharAP, AgP]))
def test_overlap_between_items_only_is_an_error(run, qrels, measure):
    frames = item_frame(run), qrels_frame(qrels)
    try:
        for qid in qrels:
            brute.retrieved_pieces(brute.merge_items(run.get(qid, [])), "error")
    except brute.Overlap:
        with pytest.raises(OverlapError):
            values([measure], *frames)
    else:
        once = {qid: value for (_, qid), value in values([measure(overlap="once")], *frames).items()}
        assert {qid: value for (_, qid), value in values([measure], *frames).items()} == once


@given(item_topics(around=True), qrels_topics(min_topics=1), st.sampled_from([None, 1, 2]),
       st.sampled_from([None, 1, 9, 30]), st.sampled_from(["repeat", "noise"]))  # fmt: skip
def test_text_that_counts_twice(run, qrels, k, chars, overlap):
    budget = {} if chars is None or overlap == "noise" else {"chars": chars}

    def count(topic, rows):
        size, relevant, total = evidence.returned(topic, rows, k, **budget)
        if overlap == "noise":
            relevant = len(evidence.read_text(topic, k, None) & brute.highlighted(rows))
        return size, relevant, total

    def hold(share):
        return lambda topic, rows: share(*count(topic, rows))

    compare({at(measure(overlap=overlap, **budget), k): hold(share) for measure, share in RATIOS.items()}, run, qrels)


@given(item_topics(around=True), qrels_topics(min_topics=1))
def test_numbers_that_are_all_missing_are_as_no_column(run, qrels):
    frame, judged = item_frame(run), qrels_frame(qrels)
    measures = [CharP(overlap="once") @ 2, CharR(chars=9, overlap="once"), SpanP, Redundancy @ 2, AgP(task="bic", n=9)]
    alone = frame.assign(items=column([[None] * len(cell) for cell in frame["items"]]))
    assert values(measures, alone, judged) == values(measures, frame.drop(columns="items"), judged)


@given(item_topics(), qrels_topics(min_topics=1))
def test_a_run_that_was_unpacked_and_packed_has_its_items(run, qrels):
    scored = {qid: topic for qid, topic in run.items() if all(len(part) == 3 for row in topic for part in row[2] or ())}
    again = pack(unpack(item_frame(scored, ("qid", "docno")))).rename(columns={"qid": "query_id", "docno": "doc_id"})
    # passages that tie are ranked by their articles, whose scores a frame that is packed has from its passages
    measures = [CharP(overlap="once"), CharR(overlap="once"), Redundancy]
    judged = qrels_frame(qrels)
    assert values(measures, again, judged) == pytest.approx(values(measures, item_frame(scored), judged))


@given(item_topics(around=True), qrels_topics(min_topics=1), st.lists(st.integers(1, 90), min_size=1, max_size=4))
def test_the_recall_curve_reads_items_as_the_measures_do(run, qrels, budgets):
    names = ("qid", "docno")
    frames = qrels_frame(qrels, names=(*names, "label")), item_frame(run, names)
    curve = recall_by_characters(*frames, budgets=budgets, overlap="once").set_index("characters")
    for chars in budgets:
        found = values([CharR(chars=chars, overlap="once")], item_frame(run), qrels_frame(qrels))
        assert curve["recall"].get(chars, curve["recall"].iloc[-1]) == pytest.approx(sum(found.values()) / len(found))


RUN = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "passages": [[(0, 10), (20, 30)]]})
QRELS = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "highlights": [[(5, 15)]]})


def test_alternatives_are_measured_with_items():
    """[0, 10) and [20, 30) are one item: the first alternative has 5 of 20 characters, the second 10 of 20 - 5."""
    qrels = QRELS.assign(highlights=[[(5, 10), (18, 30)]], alternatives=[[1, 2]])
    run = RUN.assign(items=[[1, 1]])
    assert values([CharP @ 1, SpanP @ 1], run, qrels) == {(CharP @ 1, "1"): pytest.approx(10 / 15), (SpanP @ 1, "1"): 1}
