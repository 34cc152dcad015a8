"""The points of the curves against brute force over characters and articles, scipy, and the measures they belong to."""

import numpy as np
import pandas as pd
import pytest
from curve_cases import LENGTH, cases, measured, ranking
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused import AiP, CharP, CharR, gP, gR, iP
from pyterrier_focused.analysis import (
    article_precision_recall,
    char_precision_recall,
    confidence_interval,
    generalised_precision,
    recall_by_characters,
    roc,
    roc_note,
    saw_tooth,
)
from pyterrier_focused.errors import OverlapError
from pyterrier_focused.measures import IAP11, ROCAUC


@given(cases())
def test_the_means_of_the_points_are_the_measures(case):
    qrels, run = case
    curve = char_precision_recall(qrels, run)
    assert len(curve) == 101
    assert curve["precision"].mean() == pytest.approx(measured(AiP, qrels, run))
    curve = article_precision_recall(qrels, run)
    assert curve["recall"].tolist() == [i / 10 for i in range(11)]
    assert curve["precision"].mean() == pytest.approx(measured(IAP11, qrels, run))


@given(cases(topics="1"))
def test_the_area_under_the_roc_curve_of_a_topic(case):
    qrels, run = case
    curve = roc(qrels, run)
    if (qrels["label"] >= 1).nunique() == 1:  # no curve without both classes
        assert not len(curve)
        assert "1 of 1 topics" in roc_note(qrels)
        return
    assert roc_note(qrels) == ""
    assert (curve.iloc[0].tolist(), curve.iloc[-1].tolist()) == ([0, 0], [1, 1])
    area = (np.diff(curve["fpr"]) * (curve["tpr"][1:].to_numpy() + curve["tpr"][:-1].to_numpy()) / 2).sum()
    assert area == pytest.approx(measured(ROCAUC, qrels, run))


def rate_at(curve, level):
    """The true positive rate of one topic's curve at a false positive rate, the highest of several."""
    points = curve[np.isclose(curve["fpr"], level)]
    return points["tpr"].max() if len(points) else np.interp(level, curve["fpr"], curve["tpr"])


@given(cases())
def test_the_mean_roc_curve_is_the_mean_of_the_topics_curves(case):
    qrels, run = case
    both = qrels.groupby("qid")["label"].nunique() == 2
    curve = roc(qrels, run, points=5)
    if both.sum() < 2:
        assert bool(len(curve)) == both.any()
        assert f"of {len(both)} topics" in roc_note(qrels)
        return
    of_topics = [roc(qrels, run, qid=qid) for qid in both.index[both]]
    expected = [np.mean([rate_at(one, level) for one in of_topics]) for level in (0, 0.25, 0.5, 0.75, 1)]
    assert curve["tpr"].tolist() == pytest.approx([0, *expected])


def read_characters(qrels, run, qid, overlap):
    """The characters of the ranking, one by one, in reading order: (docno, offset, whether highlighted)."""
    inside = {r.docno: {c for s, e in r.highlights for c in range(s, e)} for r in qrels.itertuples() if r.qid == qid}
    text = [(row.docno, c) for row in ranking(run, qid) for s, e in row.passages for c in range(s, e)]
    if overlap == "once":
        text = list(dict.fromkeys(text))
    return [c in inside.get(docno, ()) for docno, c in text], sum(map(len, inside.values()))


@pytest.mark.parametrize("overlap", ["error", "once"])
@given(data=st.data())
def test_recall_by_characters_reads_one_character_after_another(data, overlap):
    qrels, run = data.draw(cases(overlap == "once"))
    budgets = [0, 1, 3, 10, 50, 1000]
    found = recall_by_characters(qrels, run, budgets=budgets, overlap=overlap)
    topics = [read_characters(qrels, run, qid, overlap) for qid in qrels["qid"].unique()]
    recalls = [[sum(hits[:b]) / total if total else 0 for b in budgets] for hits, total in topics]
    precisions = [[sum(hits[:b]) / len(hits[:b]) if hits[:b] else 0 for b in budgets] for hits, _ in topics]
    assert found["characters"].tolist() == budgets
    assert found["recall"].tolist() == pytest.approx(np.mean(recalls, axis=0).tolist())
    assert found["precision"].tolist() == pytest.approx(np.mean(precisions, axis=0).tolist())


def article_case():
    """Manning et al., Exercise 8.8, system 1: RNRNNNNNRR, 4 relevant."""
    labels = [int(c == "R") for c in "RNRNNNNNRR"]
    qrels = pd.DataFrame({"qid": "1", "docno": [f"d{i}" for i in range(10)], "label": labels})
    return qrels, qrels[["qid", "docno"]].assign(score=range(10, 0, -1))


def test_saw_tooth_of_exercise_8_8():
    qrels, run = article_case()
    teeth = saw_tooth(qrels, run, "1")
    assert teeth["recall"].tolist() == [0.25, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.75, 1.0]
    assert teeth["precision"].tolist() == pytest.approx(
        [1, 1 / 2, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7, 2 / 8, 3 / 9, 4 / 10]
    )
    points = article_precision_recall(qrels, run)["precision"]
    assert points.tolist() == pytest.approx([1] * 3 + [2 / 3] * 3 + [0.4] * 5)
    # reading R N R N N N N N R R: after each N (1/6 of the FPR) and R (1/4 of the TPR)
    curve = roc(qrels, run)
    assert curve["fpr"].tolist()[:4] == pytest.approx([0, 0, 1 / 6, 1 / 6])
    assert curve["tpr"].tolist()[:4] == pytest.approx([0, 1 / 4, 1 / 4, 1 / 2])


def test_one_topic_and_empty_runs():
    qrels, run = article_case()
    assert article_precision_recall(qrels, run.iloc[:0])["precision"].tolist() == [0] * 11
    assert roc(qrels, run.iloc[:0]).values.tolist() == [[0, 0], [1, 1]]
    assert len(saw_tooth(qrels, run.iloc[:0], "1")) == 0
    with pytest.raises(ValueError, match="no topic '7'"):
        saw_tooth(qrels, run, "7")
    highlights = qrels.assign(highlights=[[(0, 5)]] * 10)
    with pytest.raises(ValueError, match="budgets"):
        recall_by_characters(highlights, run.assign(passages=[[(0, 5)]] * 10), budgets=[-1])
    with pytest.raises(OverlapError, match="overlap"):
        recall_by_characters(highlights, run.assign(passages=[[(0, 5), (3, 6)]] * 10))


@pytest.mark.parametrize("parameters", [{}, {"task": "bic", "n": 10}, {"task": "doc"}])
def test_generalised_precision_is_that_of_the_measures(parameters):
    highlights = [[(0, 10)], [], [(5, 25)], []]
    qrels = pd.DataFrame({"qid": ["1", "1", "2", "2"], "docno": list("abab"), "label": [1, 0, 1, 0], "length": LENGTH})
    qrels["highlights"], qrels["bep"] = highlights, [0, -1, 5, -1]
    run = qrels[["qid", "docno"]].assign(score=[1.0, 2.0, 2.0, 1.0], passages=[[(0, 20)]] * 4)
    curve = generalised_precision(qrels, run, ranks=[1, 2, 5], **parameters)
    assert curve["rank"].tolist() == [1, 2, 5]
    values = {
        name: [measured(measure(**parameters) @ rank, qrels, run) for rank in (1, 2, 5)]
        for name, measure in (("precision", gP), ("recall", gR))
    }
    assert curve["precision"].tolist() == pytest.approx(values["precision"])
    assert curve["recall"].tolist() == pytest.approx(values["recall"])


def several(topics=8):
    rng = np.random.default_rng(0)
    qrels = pd.DataFrame([(str(t), f"d{i}", int(i < 3)) for t in range(topics) for i in range(9)])
    qrels.columns = ["qid", "docno", "label"]
    qrels["highlights"] = [[(0, 5)] if label else [] for label in qrels["label"]]
    qrels["bep"], qrels["length"] = -1, LENGTH
    run = qrels[["qid", "docno"]].assign(passages=[[(0, 9)]] * len(qrels))
    return qrels, {name: run.assign(score=rng.permutation(len(run)) * 1.0) for name in ("one", "two")}


def test_curves_of_several_runs_carry_their_names():
    qrels, runs = several()
    found = article_precision_recall(qrels, runs)
    assert found.columns.tolist() == ["name", "recall", "precision"]
    of_each = {name: article_precision_recall(qrels, run)["precision"].tolist() for name, run in runs.items()}
    assert found.groupby("name")["precision"].agg(list).to_dict() == of_each
    named = article_precision_recall(qrels, list(runs.values()))
    assert named["name"].unique().tolist() == ["run 1", "run 2"]


def test_bands_are_the_intervals_of_the_topics_means():
    qrels, runs = several(30)
    curve = article_precision_recall(qrels, runs["one"], confidence=0.9)
    points = [article_precision_recall(qrels, runs["one"], qid=qid)["precision"] for qid in qrels["qid"].unique()]
    expected = [confidence_interval(values, level=0.9) for values in zip(*points, strict=True)]
    assert curve[["low", "high"]].to_numpy() == pytest.approx(np.array(expected), abs=0.01)


def test_topics_without_a_roc_curve_are_left_out_and_told():
    qrels, runs = several(4)
    lacking = qrels[(qrels["qid"] != "1") | (qrels["label"] == 1)]
    assert roc_note(qrels) == ""
    assert roc_note(lacking).startswith("No ROC curve of 1 of 4 topics")
    kept = qrels[qrels["qid"] != "1"]
    assert roc(lacking, runs["one"]).equals(roc(kept, runs["one"]))
    assert not len(roc(qrels[qrels["label"] == 1], runs["one"]))


@given(cases(), st.data())
def test_points_of_evidence_with_alternatives_are_the_values_of_their_measures(case, data):
    qrels, run = case
    qrels["alternatives"] = [[data.draw(st.integers(0, 2)) for _ in spans] for spans in qrels["highlights"]]

    def approx(measures):
        return pytest.approx([measured(measure, qrels, run) for measure in measures], abs=1e-12)

    levels, budgets = [0, 0.37, 1], [1, 7, 30, 500]
    curve = char_precision_recall(qrels, run).set_index("recall")["precision"]
    assert curve.loc[levels].tolist() == approx([iP(recall=level) for level in levels])
    ranks = generalised_precision(qrels, run, ranks=[1, 3])
    assert ranks["precision"].tolist() == approx([gP @ 1, gP @ 3])
    assert ranks["recall"].tolist() == approx([gR @ 1, gR @ 3])
    effort = recall_by_characters(qrels, run, budgets=budgets)
    assert effort["recall"].tolist() == approx([CharR(chars=budget) for budget in budgets])
    assert effort["precision"].tolist() == approx([CharP(chars=budget) for budget in budgets])
