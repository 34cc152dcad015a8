"""Fleiss' kappa and Krippendorff's alpha against the examples of their authors, statsmodels, and sets of characters."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa

from pyterrier_focused.analysis import agreement, fleiss_kappa, group_agreement, krippendorff_alpha

NAN = float("nan")
# K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section E: four observers, twelve units
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
# ten subjects, fourteen raters, five categories: the worked example of Wikipedia's article on Fleiss' kappa
RATINGS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_is_that_of_its_author(level, alpha):
    assert krippendorff_alpha(OBSERVERS, level) == pytest.approx(alpha, abs=0.0006)


def test_alpha_of_two_observers_is_that_of_its_author():
    """The same paper, section A: two observers, ten units, binary."""
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha([first, second]) == pytest.approx(0.095, abs=0.0006)


def test_kappa_is_that_of_the_worked_example():
    assert fleiss_kappa(RATINGS) == pytest.approx(0.210, abs=0.0005)


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=2, max_size=8))
def test_kappa_is_that_of_statsmodels(judged):
    counts = np.array([[unit.count(category) for category in range(3)] for unit in judged])
    if np.count_nonzero(counts.sum(axis=0)) > 1:
        assert fleiss_kappa(counts) == pytest.approx(statsmodels_kappa(counts))


def test_weights_are_units_that_occur_so_often():
    weights = [1, 2, 3, 1, 1, 2, 1, 1, 1, 4]
    repeated = np.repeat(RATINGS, weights, axis=0)
    assert fleiss_kappa(RATINGS, weights) == pytest.approx(fleiss_kappa(repeated))
    table = np.array(OBSERVERS)[:, :10]
    assert krippendorff_alpha(table, weights=weights) == pytest.approx(
        krippendorff_alpha(np.repeat(table, weights, axis=1))
    )


@pytest.mark.parametrize(
    "values", [[[1, 1], [1, 1]], [[1, NAN], [NAN, 2]], [[NAN], [NAN]]], ids=["one value", "none judged twice", "none"]
)
def test_alpha_of_nothing_to_compare_is_undefined(values):
    assert np.isnan(krippendorff_alpha(values))


@pytest.mark.parametrize("counts", [[], [[1, 0]], [[2, 1], [1, 1]], [[3, -1]], [1, 2]])
def test_counts_that_are_none_are_refused(counts):
    with pytest.raises(ValueError, match="same number of judges"):
        fleiss_kappa(counts)


def qrels_of(*cells):
    rows = [("1", docno, int(bool(spans)), spans, 20) for docno, spans in zip("abc", cells, strict=False)]
    return pd.DataFrame(rows, columns=["qid", "docno", "label", "highlights", "length"])


spans = st.lists(st.tuples(st.integers(0, 17), st.integers(1, 3)).map(lambda s: (s[0], sum(s))), max_size=2)
judgments = st.tuples(spans, spans).map(lambda cells: qrels_of(*cells))


@given(st.lists(judgments, min_size=2, max_size=4))
def test_characters_are_units_one_by_one(judges):
    """Each character of each article as a unit of its own, by sets."""
    table = [
        [float(any(a <= at < b for a, b in cell)) for cell in qrels["highlights"] for at in range(20)]
        for qrels in judges
    ]
    counts = np.stack([np.sum(table, axis=0), len(judges) - np.sum(table, axis=0)], axis=1)
    found = group_agreement(judges, "characters").iloc[-1]
    assert found["units"] == found["complete"] == 40
    assert found["alpha"] == pytest.approx(krippendorff_alpha(table), nan_ok=True)
    assert found["fleiss"] == pytest.approx(fleiss_kappa(counts), nan_ok=True)


@given(st.lists(judgments, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_topics_are_measured_apart(judges, random):
    """Each topic has the values that it has on its own, in whatever order its articles were judged."""
    other = judges[1:] + judges[:1]
    both = [pd.concat([one, two.assign(qid="2")]) for one, two in zip(judges, other, strict=True)]
    mixed = [qrels.sample(frac=1, random_state=random.randrange(100)) for qrels in both]
    values = ["units", "alpha", "complete", "fleiss"]
    found = group_agreement(mixed, "characters").set_index("qid").loc[["1", "2"], values]
    alone = [group_agreement(frames, "characters").iloc[-1][values].astype(float) for frames in (judges, other)]
    assert found.to_numpy() == pytest.approx(np.array(alone), nan_ok=True)


@pytest.mark.parametrize("unit", ["documents", "characters"])
def test_of_two_judges_fleiss_is_the_pooled_kappa(unit):
    first, second = qrels_of([(0, 5)], [], [(3, 9)]), qrels_of([(2, 9)], [], [])
    expected = agreement(first, second, unit).iloc[-1]["pooled"]
    assert group_agreement([first, second], unit).iloc[-1]["fleiss"] == pytest.approx(expected)


def test_articles_that_one_did_not_judge_count_for_alpha_only():
    judges = {"a": qrels_of([(0, 5)], [(1, 2)], []), "b": qrels_of([(0, 5)], []), "c": qrels_of([(0, 5)], [(1, 2)])}
    found = group_agreement(judges).iloc[-1]
    assert (found["units"], found["complete"]) == (2, 2)
    judges["d"] = qrels_of([(0, 5)])
    found = group_agreement(judges).iloc[-1]
    assert (found["units"], found["complete"]) == (2, 1)


@pytest.mark.parametrize(
    ("judges", "what"),
    [
        ([qrels_of([(0, 5)])], "at least 2 judges"),
        ([qrels_of([(0, 5)]), None], "qrels of judge 2 must be a frame"),
        ([qrels_of([(0, 5)]), qrels_of([(0, 25)])], "topic '1', article 'a': the length is 20, a highlight ends at 25"),
        ([qrels_of([(0, 5)]), qrels_of([(0, 5)]).assign(length=9)], r"different lengths, \[9, 20\]"),
        ([qrels_of([(0, 5)]).assign(length=-1)] * 2, "no judge gives the length"),
    ],
)
def test_what_cannot_be_compared_is_named(judges, what):
    with pytest.raises(ValueError, match=what):
        group_agreement(judges, "characters")
