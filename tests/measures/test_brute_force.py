"""Every measure with every parameter against its definition in tests/support, over plain sets of characters."""

import brute_force as brute
import brute_force_evidence as evidence
import pytest
from every_measure import (
    BUDGET_ERROR,
    BUDGET_ONCE,
    CAMPAIGNS,
    ERROR,
    ONCE,
    OTHER,
    SPAN_RANKINGS,
    TOLERANCE_ERROR,
    TOLERANCE_ONCE,
    at,
    values,
)
from hypothesis import given
from hypothesis import strategies as st
from random_topics import DOCNOS, SHIFTS, qrels_frame, qrels_topics, run_frame, run_topics

import pyterrier_focused as ptf
from pyterrier_focused import ADM, AgP, AiP, CharF, CharIoU, CharP, CharR, gP, iP
from pyterrier_focused.errors import OverlapError
from pyterrier_focused.measures import (
    MEASURES,
    CharAP,
)


def compare(measures, run, qrels, shifts=None):
    found = values(measures, run_frame(run, shifts), qrels_frame(qrels, shifts))
    assert found.keys() == {(measure, qid) for measure in measures for qid in qrels}
    for (measure, qid), value in found.items():
        expected = float(measures[measure](run.get(qid, []), qrels[qid]))
        assert value == pytest.approx(expected, abs=1e-12), (measure, qid)
        assert 0 <= value <= 1 + 1e-12, (measure, qid)


def test_every_measure_and_every_parameter_is_compared():
    compared = {**ERROR, **ONCE, **OTHER, **BUDGET_ERROR, **BUDGET_ONCE, **TOLERANCE_ERROR, **SPAN_RANKINGS}
    # those of the campaigns are in test_campaign_measures.py
    campaigns = {f"pyterrier_focused.measures.campaigns.{name}" for name in CAMPAIGNS}
    measures = [measure for measure in MEASURES if type(measure).__module__ not in campaigns]
    assert {type(measure) for measure in compared} == {type(measure) for measure in measures}
    for measure in measures:
        used = set().union(*(other.params.keys() for other in compared if type(other) is type(measure)))
        # a parameter that equals its default is not kept; a unit needs texts (tests/evaluation/test_tokens.py)
        assert used == set(measure.SUPPORTED_PARAMS) - {"unit"}, measure


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


@given(run_topics(overlap=True), qrels_topics(min_topics=1), st.sampled_from([None, 1, 2, 5]), st.integers(1, 60))
def test_text_that_is_returned_twice_counts_twice(run, qrels, k, chars):
    frames = run_frame(run), qrels_frame(qrels)
    for budget in ({}, {"chars": chars}):
        measures = [at(measure(overlap="repeat", **budget), k) for measure in (CharP, CharR, CharIoU, CharF)]
        found = values(measures, *frames)
        for qid, rows in qrels.items():
            size, relevant, total = evidence.returned(run.get(qid, []), rows, k, **budget)
            sums = [
                (relevant, size),
                (relevant, total),
                (relevant, size + total - relevant),
                (2 * relevant, size + total),
            ]
            for measure, (above, below) in zip(measures, sums, strict=True):
                assert found[measure, qid] == pytest.approx(above / below if below else 0, abs=1e-12), (measure, qid)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), st.sampled_from([None, 1, 2, 5]))
def test_text_that_is_returned_again_can_be_noise(run, qrels, k):
    measures = [at(measure(overlap="noise"), k) for measure in (CharP, CharR, CharIoU, CharF)]
    found = values(measures, run_frame(run), qrels_frame(qrels))
    for qid, rows in qrels.items():
        size, _, total = evidence.returned(run.get(qid, []), rows, k)
        relevant = len(evidence.read_text(run.get(qid, []), k, None) & brute.highlighted(rows))
        sums = [(relevant, size), (relevant, total), (relevant, size + total - relevant), (2 * relevant, size + total)]
        for measure, (above, below) in zip(measures, sums, strict=True):
            assert found[measure, qid] == pytest.approx(above / below if below else 0, abs=1e-12), (measure, qid)


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


@given(run_topics(overlap=True), qrels_topics(min_topics=1))
def test_overlap_is_an_error_exactly_where_a_judged_topic_has_some(run, qrels):
    measures = [CharP, CharR @ 1, CharF, CharIoU, CharAP, iP @ 0.1, AiP, AgP, gP @ 1]
    frames = run_frame(run), qrels_frame(qrels)
    try:
        for qid in qrels:
            brute.retrieved_pieces(run.get(qid, []), "error")
    except brute.Overlap:
        for measure in measures:
            with pytest.raises(OverlapError, match="overlap"):
                values([measure], *frames)
    else:
        values(measures, *frames)


@given(run_topics(scores=st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 1.0, 1])), qrels_topics(min_topics=1))
def test_scores_as_they_are(run, qrels):
    measures = {}
    for docs in ("judged", "union", "retrieved"):
        for side in ("both", "over", "under"):
            for max_label in (None, 3):
                keys = {"srs": "score", "docs": docs, "side": side, "max_label": max_label}
                measures[ADM(**keys)] = lambda run, qrels, keys=keys: brute.adm(run, qrels, **keys)
    compare(measures, run, qrels)


def test_numbers_of_the_provider_reach_ir_measures_as_python_floats():
    run = {"1": [("a", 1.0, [(0, 5)])]}
    qrels = {"1": [("a", 1, [(0, 3)], 0, 60)]}
    found = values([*ERROR, *OTHER], run_frame(run), qrels_frame(qrels))
    assert {type(value) for value in found.values()} == {float}


def test_parse_reads_back_what_a_measure_prints():
    for measure in [*ERROR, *ONCE, *OTHER, *BUDGET_ERROR, *BUDGET_ONCE]:
        assert ptf.parse(str(measure)) == [measure]
