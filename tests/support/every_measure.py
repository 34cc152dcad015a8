"""Every measure with every parameter, each with its definition over plain sets of characters."""

import brute_force as brute
import brute_force_evidence as evidence
import ir_measures

from pyterrier_focused import ADM, AgP, AiP, CharF, CharIoU, CharP, CharR, gP, gR, iP
from pyterrier_focused.measures import (
    IAP11,
    ROCAUC,
    Abstain,
    APBound,
    CharAP,
    CharJudged,
    CharMAP,
    F,
    PAtRecall,
    Redundancy,
    SetAccuracy,
    SpanAP,
    SpanHit,
    SpanNDCG,
    SpanP,
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
# of the sizes of what is read, of what of it is relevant, and of all that is
RATIOS = {
    CharP: lambda size, relevant, total: brute.ratio(relevant, size),
    CharR: lambda size, relevant, total: brute.ratio(relevant, total),
    CharF: lambda size, relevant, total: brute.ratio(2 * relevant, size + total),
    CharIoU: lambda size, relevant, total: brute.ratio(relevant, size + total - relevant),
}


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
    for srs in ({}, {"srs": "rank"}, {"srs": "rank", "depth": 3}, {"srs": "retrieved"}):
        for urs in ({}, {"max_label": 3}, {"max_label": 7.5}, {"urs": "specificity"}, {"urs": "relevant"}):
            for side in ("both", "over", "under"):
                for docs in ("judged", "union", "retrieved", "relevant"):
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


def span_rankings():
    for match in ({}, {"cover": 1}, {"cover": 1 / 3}, {"iou": 0.5}, {"iou": 0.1}, {"iou": 1}):
        for k in CUTOFFS:
            keys = {**match, "k": k}
            yield at(SpanAP(**match), k), lambda run, qrels, keys=keys: evidence.span_ap(run, qrels, **keys)
            yield at(SpanNDCG(**match), k), lambda run, qrels, keys=keys: evidence.span_ndcg(run, qrels, **keys)
            yield at(SpanP(**match), k), lambda run, qrels, keys=keys: evidence.span_p(run, qrels, **keys)
    for measure in (SpanHit, SpanR, SpanP):
        for cover, chars in ((0.5, 1), (0.5, 9), (1, 30)):
            keys = {"cover": cover, "amount": chars}
            yield (
                measure(cover=cover, chars=chars),
                lambda run, qrels, keys=keys, name=measure.NAME: evidence.within_budget(run, qrels, **keys)[name],
            )
    for k in CUTOFFS:
        yield at(Redundancy, k), lambda run, qrels, k=k: evidence.redundancy(run, qrels, k)


def budget_measures(overlap):
    for chars in (1, 7, 20, 1000):
        for r in (None, 2):
            keys = {"chars": chars, "r": r, "overlap": overlap}
            for measure, value in ((CharP, "p"), (CharR, "r"), (CharIoU, "iou"), (CharF(beta=2), "f2")):
                given = at(measure(chars=chars, overlap=overlap), r)
                yield given, lambda run, qrels, keys=keys, value=value: evidence.budget(run, qrels, **keys)[value]
    if overlap == "error":
        yield CharMAP(overlap="error"), lambda run, qrels: evidence.char_map(run, qrels, "once")


SPAN_RANKINGS = dict(span_rankings())
# the reader's way through the whole text: highlights and passages are not moved together
TOLERANCE = [{"task": "t2i"}, {"task": "t2i", "irr": 1}, {"task": "t2i", "irr": 7}]
TOLERANCE_ERROR = dict(in_context(TOLERANCE, {}))
TOLERANCE_ONCE = dict(in_context(TOLERANCE, {"overlap": "once"}))
ERROR, ONCE = dict(character_measures("error")), dict(character_measures("once"))
BUDGET_ERROR, BUDGET_ONCE = dict(budget_measures("error")), dict(budget_measures("once"))
OTHER = {**dict(other_measures()), **dict(evidence_measures())}


def values(measures, run, qrels):
    """{(measure, qid): value}; every pair comes exactly once."""
    metrics = list(ir_measures.iter_calc(list(measures), qrels, run))
    found = {(metric.measure, metric.query_id): metric.value for metric in metrics}
    assert len(found) == len(metrics)
    return found


def define_values(measures, run, qrels):
    """{(measure, qid): value} by each measure's function of a topic's run and its qrels."""
    return {
        (measure, qid): float(value(run.get(qid, []), rows))
        for measure, value in measures.items()
        for qid, rows in qrels.items()
    }
