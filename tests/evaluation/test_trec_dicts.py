"""The dicts that pytrec_eval reads: equal to those that ir_measures makes row by row, and so are the values."""

import itertools
import tracemalloc

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures.util import QrelsConverter, RunConverter

from pyterrier_focused.evaluation.trec_dicts import make_qrels_dict, make_run_dicts

MEASURES = [
    ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.P @ 10, ir_measures.Bpref, ir_measures.RR, ir_measures.infAP,
    ir_measures.AP(rel=2), ir_measures.P(judged_only=True) @ 5, ir_measures.NumRel, ir_measures.Judged @ 5,
    ir_measures.Compat(p=0.8), ir_measures.nDCG(gains={1: 3}), ir_measures.NumRet,
]  # fmt: skip


def draw_frames(seed):
    """Ties, graded and negative labels, unjudged articles, topics without run or qrels, rows of topics apart."""
    rng = np.random.default_rng(seed)
    topics, articles = rng.integers(1, 7), rng.integers(1, 30)
    pairs = pd.DataFrame(itertools.product(range(topics), range(articles)), columns=["query_id", "doc_id"])
    run = pairs.sample(frac=rng.random(), random_state=seed)
    qrels = pairs.sample(frac=rng.random(), random_state=seed + 1)
    if rng.random() < 0.5:
        run = run.sort_values("query_id", kind="stable")
    score = rng.integers(-3, 4, len(run))
    run["score"] = score if rng.random() < 0.3 else score / 7
    qrels["relevance"] = rng.integers(-1, 4, len(qrels))
    judged_above = qrels.groupby("query_id")["relevance"].transform("max")
    qrels = qrels[judged_above >= 0]
    return run.astype({"query_id": str, "doc_id": str}), qrels.astype({"query_id": str, "doc_id": str})


@pytest.mark.parametrize("seed", range(60))
def test_the_dicts_are_those_of_ir_measures(seed):
    run, qrels = draw_frames(seed)
    found = {}
    for some in make_run_dicts(run, rows=20):
        assert not found.keys() & some.keys()
        found |= some
    assert repr(found) == repr(RunConverter(run).as_dict_of_dict())
    assert repr(make_qrels_dict(qrels)) == repr(QrelsConverter(qrels).as_dict_of_dict())


@pytest.mark.parametrize("seed", range(20))
def test_every_value_is_that_of_ir_measures_to_the_bit(seed):
    run, qrels = draw_frames(seed)
    ours = run.assign(passages=None), qrels.assign(highlights=None)
    for measure in MEASURES:
        own = [p for p in ir_measures.DefaultPipeline.providers if type(p).__module__.startswith("ir_measures.")]
        plain = ir_measures.providers.FallbackProvider(own).iter_calc([measure], qrels, run)
        found = ir_measures.iter_calc([measure], ours[1], ours[0])
        assert sorted(map(repr, found)) == sorted(map(repr, plain))


def test_a_topic_is_in_one_piece_only():
    run = pd.DataFrame({"query_id": ["1"] * 5 + ["2"], "doc_id": list("abcdea"), "score": range(6)})
    assert [list(some) for some in make_run_dicts(run, rows=3)] == [["1"], ["2"]]


@pytest.mark.parametrize("times", [20, pytest.param(200, marks=pytest.mark.long)])
def test_a_topic_whose_labels_are_negative_is_as_with_one_of_label_0(times):
    """Without that article the process ends (exit 139) before long."""
    run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "score": [2.0, 1.0], "passages": None})
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a"], "relevance": [-1], "highlights": None})
    beside = pd.concat([qrels, qrels.assign(doc_id="z", relevance=0)])
    for _ in range(times):
        assert ir_measures.calc_aggregate(MEASURES, qrels, run) == ir_measures.calc_aggregate(MEASURES, beside, run)


def test_topics_must_have_names():
    run = pd.DataFrame({"query_id": ["1", None], "doc_id": ["a", "b"], "score": [2.0, 1.0], "passages": None})
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    with pytest.raises(ValueError, match="the run has no query_id in row 1"):
        ir_measures.calc_aggregate([ir_measures.AP], qrels, run)


def test_memory_does_not_grow_with_the_run():
    def measure_peak(topics):
        qid = np.repeat([str(i) for i in range(topics)], 1000)
        run = pd.DataFrame({"query_id": qid, "doc_id": [str(i) for i in range(len(qid))], "score": 1.0})
        tracemalloc.start()
        for some in make_run_dicts(run, rows=10_000):
            del some
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    # dicts of all topics take twice as many bytes a row
    assert measure_peak(200) - measure_peak(50) < 60 * 150_000
