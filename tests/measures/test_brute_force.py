"""Every measure with every parameter against its definition over plain sets of characters (tests/brute_force.py)."""

import brute_force as brute
import brute_force_evidence as evidence
import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_topics import DOCNOS, SHIFTS, qrels_frame, qrels_topics, run_frame, run_topics

import pyterrier_focused as ptf
from pyterrier_focused import (
    ADM,
    IAP11,
    ROCAUC,
    AgP,
    AiP,
    CharAP,
    CharF,
    CharIoU,
    CharJudged,
    CharP,
    CharR,
    F,
    OverlapError,
    gP,
    gR,
    iP,
)
from pyterrier_focused.measures import (
    MEASURES,
    Abstain,
    APBound,
    CharMAP,
    PAtRecall,
    SetAccuracy,
    SpanHit,
    SpanR,
    SpanRR,
    Specificity,
)

CUTOFFS = (None, 1, 2, 3, 7, 1000)
LEVELS = (0, 0.01, 0.1, 0.29, 1 / 3, 0.5, 0.57, 0.99, 1)
TASKS = (
    {},
    {"beta": 0.25},
    {"beta": 2},
    {"task": "bic"},
    {"task": "bic", "A": 2.5},
    {"task": "bic", "n": 10},
    {"task": "bic", "n": 7.5},
    {"task": "doc"},
)


def at(measure, cutoff):
    return measure if cutoff is None else measure @ cutoff


def character_measures(overlap):
    once = {"overlap": overlap}
    for r in CUTOFFS:
        yield at(CharP(**once), r), lambda run, qrels, r=r: brute.char_p(run, qrels, r, overlap)
        yield at(CharR(**once), r), lambda run, qrels, r=r: brute.char_r(run, qrels, r, overlap)
        yield at(CharIoU(**once), r), lambda run, qrels, r=r: brute.char_iou(run, qrels, r, overlap)
        yield at(CharJudged(**once), r), lambda run, qrels, r=r: brute.char_judged(run, qrels, r, overlap)
        for beta in (1, 0.25, 3):
            measure = at(CharF(beta=beta, **once), r)
            yield measure, lambda run, qrels, r=r, beta=beta: brute.char_f(run, qrels, r, beta, overlap)
    for level in LEVELS:
        yield iP(**once) @ level, lambda run, qrels, level=level: brute.i_p(run, qrels, level, overlap)
    for points in (101, 11, 2, 8):
        measure = AiP(points=points, **once)
        yield measure, lambda run, qrels, points=points: brute.a_ip(run, qrels, points, overlap)
    yield CharAP(**once), lambda run, qrels: brute.char_ap(run, qrels, overlap)
    yield from in_context([task for task in TASKS if "task" not in task], once)


def in_context(tasks, once):
    for task in tasks:
        given = {**task, **once}
        yield AgP(**given), lambda run, qrels, given=given: brute.a_gp(run, qrels, **given)
        for r in CUTOFFS[1:]:
            for last in (False, True):
                keys = {**given, "last": last}
                yield gP(**keys) @ r, lambda run, qrels, r=r, keys=keys: brute.g_p(run, qrels, r, **keys)
                yield gR(**keys) @ r, lambda run, qrels, r=r, keys=keys: brute.g_r(run, qrels, r, **keys)


def adm_parameters():
    for srs in ({}, {"srs": "rank"}, {"srs": "rank", "depth": 3}):
        for urs in ({}, {"max_label": 3}, {"max_label": 7.5}, {"urs": "specificity"}):
            for side in ("both", "over", "under"):
                for docs in ("judged", "union", "retrieved"):
                    yield {**srs, **urs, "side": side, "docs": docs}
            yield {**srs, **urs, "docs": "retrieved", "n": 2}


def as_measure(keys):
    keys = dict(keys)
    cutoff = keys.pop("n", None)
    return at(ADM(**keys), cutoff)


def other_measures():
    """Those that do not mind overlap."""
    yield from in_context([task for task in TASKS if "task" in task], {})
    for keys in adm_parameters():
        yield as_measure(keys), lambda run, qrels, keys=keys: brute.adm(run, qrels, **keys)
    yield IAP11, brute.iap11
    yield ROCAUC, brute.rocauc
    for k in CUTOFFS:
        for beta in (1, 0.25, 3, 0):
            yield at(F(beta=beta), k), lambda run, qrels, k=k, beta=beta: brute.f_at(run, qrels, k, beta)
        for alpha in (0, 0.2, 0.5, 1):
            yield at(F(alpha=alpha), k), lambda run, qrels, k=k, alpha=alpha: brute.f_alpha(run, qrels, k, alpha)
        for documents in (None, 50):
            keys = {"k": k, "documents": documents}
            size = {} if documents is None else {"documents": documents}
            yield at(SetAccuracy(**size), k), lambda run, qrels, keys=keys: brute.set_accuracy(run, qrels, **keys)
            yield at(Specificity(**size), k), lambda run, qrels, keys=keys: brute.specificity(run, qrels, **keys)
    for level in LEVELS:
        yield PAtRecall @ level, lambda run, qrels, level=level: brute.p_at_recall(run, qrels, level)
    yield APBound, brute.ap_bound
    yield APBound(side="lower", documents=50), lambda run, qrels: brute.ap_bound(run, qrels, 50)


def evidence_measures():
    yield Abstain, evidence.abstain
    for cover in (0.5, 1, 0.01, 1 / 3):
        yield SpanRR(cover=cover), lambda run, qrels, cover=cover: evidence.span_rr(run, qrels, cover)
        for k in CUTOFFS:
            keys = {"cover": cover, "k": k}
            yield at(SpanHit(cover=cover), k), lambda run, qrels, keys=keys: evidence.span_hit(run, qrels, **keys)
            yield at(SpanR(cover=cover), k), lambda run, qrels, keys=keys: evidence.span_r(run, qrels, **keys)
    for overlap in ("passage2", "once"):
        yield CharMAP(overlap=overlap), lambda run, qrels, overlap=overlap: evidence.char_map(run, qrels, overlap)


def budget_measures(overlap):
    for chars in (1, 7, 20, 1000):
        for r in (None, 2):
            keys = {"chars": chars, "r": r, "overlap": overlap}
            for measure, value in ((CharP, "p"), (CharR, "r"), (CharIoU, "iou"), (CharF(beta=2), "f2")):
                given = at(measure(chars=chars, overlap=overlap), r)
                yield given, lambda run, qrels, keys=keys, value=value: evidence.budget(run, qrels, **keys)[value]
    if overlap == "error":
        yield CharMAP(overlap="error"), lambda run, qrels: evidence.char_map(run, qrels, "once")


CAMPAIGNS = ("genomics", "snippets", "segments", "maisp", "evidence_sets")
ERROR, ONCE = dict(character_measures("error")), dict(character_measures("once"))
BUDGET_ERROR, BUDGET_ONCE = dict(budget_measures("error")), dict(budget_measures("once"))
OTHER = {**dict(other_measures()), **dict(evidence_measures())}


def values(measures, run, qrels):
    """{(measure, qid): value}; every pair comes exactly once."""
    metrics = list(ir_measures.iter_calc(list(measures), qrels, run))
    found = {(metric.measure, metric.query_id): metric.value for metric in metrics}
    assert len(found) == len(metrics)
    return found


def compare(measures, run, qrels, shifts=None):
    found = values(measures, run_frame(run, shifts), qrels_frame(qrels, shifts))
    assert found.keys() == {(measure, qid) for measure in measures for qid in qrels}
    for (measure, qid), value in found.items():
        expected = float(measures[measure](run.get(qid, []), qrels[qid]))
        assert value == pytest.approx(expected, abs=1e-12), (measure, qid)
        assert 0 <= value <= 1 + 1e-12, (measure, qid)


def test_every_measure_and_every_parameter_is_compared():
    compared = {**ERROR, **ONCE, **OTHER, **BUDGET_ERROR, **BUDGET_ONCE}
    # those of the campaigns are in test_campaign_measures.py
    campaigns = {f"pyterrier_focused.measures.campaigns.{name}" for name in CAMPAIGNS}
    measures = [measure for measure in MEASURES if type(measure).__module__ not in campaigns]
    assert {type(measure) for measure in compared} == {type(measure) for measure in measures}
    for measure in measures:
        used = set().union(*(other.params.keys() for other in compared if type(other) is type(measure)))
        # a parameter that equals its default is not kept; a unit needs texts (tests/chunks/test_tokens.py)
        assert used == set(measure.SUPPORTED_PARAMS) - {"unit"}, measure


def moves(draw_shift):
    return st.fixed_dictionaries(dict.fromkeys(DOCNOS, draw_shift))


@given(run_topics(), qrels_topics(min_topics=1), moves(SHIFTS))
def test_disjoint_passages(run, qrels, shifts):
    compare(ERROR | ONCE | OTHER | BUDGET_ERROR | BUDGET_ONCE, run, qrels, shifts)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), moves(SHIFTS))
def test_overlapping_passages(run, qrels, shifts):
    compare(ONCE | OTHER | BUDGET_ONCE, run, qrels, shifts)


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
