"""Every measure with every parameter against its definition in tests/support, over plain sets of characters."""

import functools

import brute_force as brute
import brute_force_evidence as evidence
import pytest
from every_measure import (
    BUDGET_ERROR,
    BUDGET_ONCE,
    ERROR,
    ONCE,
    OTHER,
    SPAN_RANKINGS,
    TOLERANCE_ERROR,
    TOLERANCE_ONCE,
    at,
    define_values,
    values,
)
from hypothesis import given
from hypothesis import strategies as st
from random_topics import DOCNOS, SHIFTS, qrels_frame, qrels_topics, run_frame, run_topics

import pyterrier_focused as ptf
from pyterrier_focused import ADM, AgP, AiP, CharF, CharIoU, CharP, CharR, gP, iP
from pyterrier_focused.errors import OverlapError
from pyterrier_focused.measures import MEASURES, CharAP


def compare(measures, run, qrels, shifts=None):
    found = values(measures, run_frame(run, shifts), qrels_frame(qrels, shifts))
    assert found == pytest.approx(define_values(measures, run, qrels), abs=1e-12)
    assert {key: value for key, value in found.items() if not 0 <= value <= 1 + 1e-12} == {}


def test_every_measure_and_every_parameter_is_compared():
    compared = {**ERROR, **ONCE, **OTHER, **BUDGET_ERROR, **BUDGET_ONCE, **TOLERANCE_ERROR, **SPAN_RANKINGS}
    used = {(type(measure), name) for measure in compared for name in measure.params}
    measures = [type(measure) for measure in MEASURES]
    assert {type(measure) for measure in compared} == set(measures)
    # a parameter that equals its default is not kept; units need texts (tests/evaluation/test_tokens.py)
    assert used == {
        (kind, name) for kind in measures for name in kind.SUPPORTED_PARAMS if name not in ("unit", "tokens")
    }


def moves(draw_shift):
    return st.fixed_dictionaries(dict.fromkeys(DOCNOS, draw_shift))


@given(run_topics(), qrels_topics(min_topics=1), moves(SHIFTS))
def test_disjoint_passages(run, qrels, shifts):
    compare(ERROR | ONCE | OTHER | BUDGET_ERROR | BUDGET_ONCE, run, qrels, shifts)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), moves(SHIFTS))
def test_overlapping_passages(run, qrels, shifts):
    compare(ONCE | OTHER | BUDGET_ONCE, run, qrels, shifts)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), moves(SHIFTS))
def test_parts_that_bring_evidence(run, qrels, shifts):
    compare(SPAN_RANKINGS, run, qrels, shifts)


def measure_counts(size, relevant, total):
    """CharP, CharR, CharIoU and CharF from the characters read, those of them that are evidence, and all evidence."""
    counts = [(relevant, size), (relevant, total), (relevant, size + total - relevant), (2 * relevant, size + total)]
    return [above / below if below else 0 for above, below in counts]


def compare_counts(keys, k, count, run, qrels):
    """Hold the four measures to what *count* returns of (a topic's run, its rows)."""
    measures = [at(measure(**keys), k) for measure in (CharP, CharR, CharIoU, CharF)]
    expected = {
        (measure, qid): value
        for qid, rows in qrels.items()
        for measure, value in zip(measures, measure_counts(*count(run.get(qid, []), rows)), strict=True)
    }
    assert values(measures, run_frame(run), qrels_frame(qrels)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("budgeted", [False, True], ids=["all text", "a budget"])
@given(run_topics(overlap=True), qrels_topics(min_topics=1), st.sampled_from([None, 1, 2, 5]), st.integers(1, 60))
def test_text_that_is_returned_twice_counts_twice(budgeted, run, qrels, k, chars):
    budget = {"chars": chars} if budgeted else {}
    keys = {"overlap": "repeat", **budget}
    compare_counts(keys, k, lambda topic, rows: evidence.returned(topic, rows, k, **budget), run, qrels)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), st.sampled_from([None, 1, 2, 5]))
def test_text_that_is_returned_again_can_be_noise(run, qrels, k):
    def count(topic, rows):
        size, _, total = evidence.returned(topic, rows, k)
        return size, len(evidence.read_text(topic, k, None) & brute.highlighted(rows)), total

    compare_counts({"overlap": "noise"}, k, count, run, qrels)


@pytest.mark.parametrize("measure", [CharP, CharR, CharIoU, CharF])
def test_noise_goes_without_a_budget(measure):
    with pytest.raises(ValueError, match="overlap='noise' goes with neither chars nor unit"):
        measure(overlap="noise", chars=100)


@given(run_topics(), qrels_topics(min_topics=1))
def test_tolerance_to_irrelevance(run, qrels):
    compare(TOLERANCE_ERROR, run, qrels)


@given(run_topics(overlap=True), qrels_topics(min_topics=1))
def test_tolerance_to_irrelevance_of_overlapping_passages(run, qrels):
    compare(TOLERANCE_ONCE, run, qrels)


def have_overlap(topics):
    try:
        return not [brute.retrieved_pieces(topic, "error") for topic in topics]
    except brute.Overlap:
        return True


def refuses_overlap(measure, run, qrels):
    try:
        return not values([measure], run, qrels)
    except OverlapError as error:
        return "overlap" in str(error)


@given(run_topics(overlap=True), qrels_topics(min_topics=1))
def test_overlap_is_an_error_exactly_if_a_judged_topic_has_some(run, qrels):
    measures = [CharP, CharR @ 1, CharF, CharIoU, CharAP, iP @ 0.1, AiP, AgP, gP @ 1]
    refusing = [measure for measure in measures if refuses_overlap(measure, run_frame(run), qrels_frame(qrels))]
    assert refusing == (measures if have_overlap([run.get(qid, []) for qid in qrels]) else [])


SCORE_KEYS = [
    {"srs": "score", "docs": docs, "side": side, "max_label": max_label}
    for docs in ("judged", "union", "retrieved")
    for side in ("both", "over", "under")
    for max_label in (None, 3)
]


@given(run_topics(scores=st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 1.0, 1])), qrels_topics(min_topics=1))
def test_adm_can_take_scores_as_they_are(run, qrels):
    compare({ADM(**keys): functools.partial(brute.adm, **keys) for keys in SCORE_KEYS}, run, qrels)


def test_numbers_of_the_provider_reach_ir_measures_as_python_floats():
    run = {"1": [("a", 1.0, [(0, 5)])]}
    qrels = {"1": [("a", 1, [(0, 3)], 0, 60)]}
    found = values([*ERROR, *OTHER], run_frame(run), qrels_frame(qrels))
    assert {type(value) for value in found.values()} == {float}


def test_parse_reads_back_what_a_measure_prints():
    measures = [*ERROR, *ONCE, *OTHER, *BUDGET_ERROR, *BUDGET_ONCE]
    assert [ptf.parse(str(measure)) for measure in measures] == [[measure] for measure in measures]
