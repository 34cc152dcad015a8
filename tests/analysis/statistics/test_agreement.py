"""Kappa against Manning et al. (Table 8.2, Exercise 8.10), statsmodels, and character by character."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from pyterrier_focused.analysis import agreement, kappa


def test_table_8_2():
    found = kappa(both=300, first_only=20, second_only=10, neither=70)
    assert found.observed == 0.925
    assert found.expected == pytest.approx(0.665, abs=5e-4)
    assert found.pooled == pytest.approx(0.776, abs=5e-4)
    assert found.band == "fair"


def test_exercise_8_10():
    first = [0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
    second = [0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]
    table = agreement(judge(first), judge(second))
    whole = table.iloc[-1]
    assert whole[["qid", "units", "both", "first_only", "second_only", "neither"]].tolist() == ["all", 12, 2, 4, 4, 2]
    assert whole["pooled"] == pytest.approx((1 / 3 - 1 / 2) / (1 - 1 / 2))
    assert whole["band"] == "dubious"
    assert whole["overlap"] == 2 / 10


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_equals_statsmodels(pairs):
    both, first, second = (sum(map(want, pairs)) for want in (all, lambda p: p[0], lambda p: p[1]))
    neither = len(pairs) - first - second + both
    assume(0 < first + second < 2 * len(pairs))
    found = kappa(both, first - both, second - both, neither)
    expected = cohens_kappa([[both, first - both], [second - both, neither]], return_results=False)
    assert found.cohen == pytest.approx(expected)
    subjects = aggregate_raters(np.array(pairs, dtype=int), n_cat=2)[0]
    assert found.pooled == pytest.approx(fleiss_kappa(subjects, method="fleiss"))


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (5, 0, 0, 0), (0, 0, 0, 5)])
def test_kappa_is_undefined_if_chance_alone_agrees(counts):
    found = kappa(*counts)
    assert np.isnan([found.pooled, found.cohen]).all()
    assert found.band == ""


def judge(labels, qid="1"):
    return pd.DataFrame({"qid": qid, "docno": [f"d{i}" for i in range(len(labels))], "label": labels})


def test_only_shared_articles_count_and_the_others_are_told():
    first = pd.concat([judge([1, 0, 1]), judge([1], "2"), judge([1], "3")])
    second = pd.concat([judge([1, 1]), judge([1], "2"), judge([0, 0], "4")])
    table = agreement(first, second).set_index("qid")
    assert table["units"].to_dict() == {"1": 2, "2": 1, "3": 0, "4": 0, "all": 3}
    assert table["unshared"].to_dict() == {"1": 1, "2": 0, "3": 1, "4": 2, "all": 4}
    assert np.isnan(table.loc["3", "pooled"])


def highlighted(rows, lengths):
    frame = pd.DataFrame(rows, columns=["qid", "docno", "highlights"])
    return frame.assign(label=1, length=lengths) if lengths is not None else frame


spans = st.lists(
    st.tuples(st.integers(0, 18), st.integers(1, 9)).map(lambda s: (s[0], min(s[0] + s[1], 20))), max_size=4
)


@given(st.lists(st.tuples(spans, spans), min_size=1, max_size=4))
def test_characters_are_compared_one_by_one(articles):
    names = [("1", f"d{i}") for i in range(len(articles))]
    first = highlighted([(*n, a[0]) for n, a in zip(names, articles, strict=True)], 20)
    second = highlighted([(*n, a[1]) for n, a in zip(names, articles, strict=True)], None)
    table = agreement(first, second, unit="characters").iloc[-1]
    inside = [[{c for s, e in spans for c in range(s, e)} for spans in pair] for pair in articles]
    labels = [(c in one, c in other) for one, other in inside for c in range(20)]
    counts = [labels.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))]
    assert table[["both", "first_only", "second_only", "neither"]].tolist() == counts
    assert table["pooled"] == pytest.approx(kappa(*counts).pooled, nan_ok=True)
    assert table["units"] == 20 * len(articles)


A = highlighted([("1", "d", [(0, 5)])], 20)


@pytest.mark.parametrize(
    ("first", "second", "unit", "message"),
    [
        (A, A.assign(length=21), "characters", "topic '1', article 'd': the two qrels give different lengths"),
        (A.assign(length=4), A.assign(length=-1), "characters", "length is 4, a highlight ends at 5"),
        (A.assign(length=-1), A.drop(columns="length"), "characters", "neither qrels"),
        (A.drop(columns="length"), A.drop(columns="length"), "characters", "'length' in one"),
        (A, A.drop(columns="label"), "documents", r"second qrels lack the columns \['label'\]"),
        (pd.concat([A, A]), A, "documents", "occurs more than once in the first qrels"),
        (A.assign(label=np.nan), A, "documents", "first qrels, topic '1', article 'd': the label is missing"),
        (A, A, "words", "unit='words'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_two_qrels_is_named(first, second, unit, message):
    with pytest.raises(ValueError, match=message):
        agreement(first, second, unit=unit)
