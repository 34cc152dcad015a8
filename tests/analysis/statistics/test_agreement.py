"""Kappa against Manning et al. (Table 8.2, Exercise 8.10), statsmodels, and character by character."""

import numpy as np
import pandas as pd
import pytest
from brute_force_evidence import evidence_spans
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from pyterrier_focused.analysis import agreement, kappa, pairwise_agreement


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


@pytest.mark.parametrize(
    ("pooled", "band"), [(0.81, "good"), (0.8, "fair"), (0.67, "fair"), (0.669, "dubious"), (-1, "dubious")]
)
def test_bands(pooled, band):
    assert kappa(1, 0, 0, 1)._replace(pooled=pooled).band == band


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


def test_kappa_of_judges_who_always_agree_is_1():
    assert kappa(5, 0, 0, 5)[2:] == (1.0, 1.0)


def test_kappa_of_negative_counts_is_refused():
    with pytest.raises(ValueError, match="negative"):
        kappa(-1, 0, 0, 5)


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


def count_facts(article):
    """Facts that both judges found, only the first, only the second; 1 where neither has any."""
    of_judge = [evidence_spans([("d", 1, cell)]) for cell in article]
    text = [set().union(*facts) for facts in of_judge]
    found = [[2 * len(fact & text[1 - which]) >= len(fact) for fact in facts] for which, facts in enumerate(of_judge)]
    only = [cell.count(False) for cell in found]
    return [max(cell.count(True) for cell in found), *only, not any(of_judge)]


@given(st.lists(st.tuples(spans, spans), min_size=1, max_size=4))
def test_facts_are_compared_one_by_one(articles):
    names = [("1", f"d{i}") for i in range(len(articles))]
    first, second = (
        highlighted([(*n, a[which]) for n, a in zip(names, articles, strict=True)], 20) for which in (0, 1)
    )
    counts = np.sum([count_facts(article) for article in articles], axis=0).tolist()
    table = agreement(first, second, unit="facts").iloc[-1]
    assert table[["both", "first_only", "second_only", "neither"]].tolist() == counts
    assert table["pooled"] == pytest.approx(kappa(*counts).pooled, nan_ok=True)


def test_negatives_give_kappa_of_facts_a_meaning():
    """Two facts, of which one is found, and two empty articles: P(A) = 3/4, P(E) = (3/8)**2 + (5/8)**2 = 34/64."""
    first = highlighted([("1", "a", [(0, 9), (20, 30)]), ("1", "b", []), ("1", "c", [])], 50)
    second = highlighted([("1", "a", [(1, 9)]), ("1", "b", []), ("1", "c", [])], 50)
    table = agreement(first, second, unit="facts").iloc[-1]
    assert table["pooled"] == pytest.approx((3 / 4 - 34 / 64) / (1 - 34 / 64))
    assert np.isnan(agreement(first.iloc[:1], first.iloc[:1], unit="facts").iloc[-1]["pooled"])


NAMES = st.lists(st.tuples(st.integers(0, 18), st.sets(st.sampled_from("xyz"), max_size=2)), max_size=3)


def frame_of_judge(articles, which):
    cells = [(row[0], f"d{i}", [(at, at + 1) for at, _ in row[which]]) for i, row in enumerate(articles)]
    facts = [[sorted(names) for _, names in row[which]] for row in articles]
    return highlighted(cells, 20).assign(facts=pd.Series(facts, dtype=object))


def count_named_facts(judges, topic):
    """As `count_facts`, where the names of the topic are facts of each article, and spans without one are, too."""
    found = [{name for _, names in judge for name in names} for judge in judges]
    labels = [(name in found[0], name in found[1]) for name in topic]
    own = [labels.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))]
    spans = count_facts([[(at, at + 1) for at, names in judge if not names] for judge in judges])
    own = [*np.add(own[:3], spans[:3]), own[3]]
    return own if sum(own) else [0, 0, 0, 1]


@given(st.lists(st.tuples(st.sampled_from("12"), NAMES, NAMES), min_size=1, max_size=4))
def test_named_facts_are_compared_in_each_article(articles):
    topics = {
        qid: {name for row in articles if row[0] == qid for judge in row[1:] for _, names in judge for name in names}
        for qid in "12"
    }
    counts = np.sum([count_named_facts(judges, topics[qid]) for qid, *judges in articles], axis=0).tolist()
    table = agreement(frame_of_judge(articles, 1), frame_of_judge(articles, 2), unit="facts").iloc[-1]
    assert table[["both", "first_only", "second_only", "neither"]].tolist() == counts
    assert table["pooled"] == pytest.approx(kappa(*counts).pooled, nan_ok=True)


def test_facts_of_one_judge_only_are_compared_as_spans():
    first = highlighted([("1", "a", [(0, 9), (20, 30)])], 50)
    second = highlighted([("1", "a", [(1, 9)])], 50).assign(facts=[["born"]])
    assert agreement(first, second, unit="facts").iloc[-1]["both"] == 1


def test_weights_of_facts_do_not_matter():
    first = highlighted([("1", "a", [(0, 9)])], 50).assign(facts=[["born"]])
    table = agreement(first.assign(fact_weights=[[0.5]]), first.assign(facts=[[["born", "died"]]]), unit="facts")
    assert table.iloc[-1][["both", "second_only"]].tolist() == [1, 1]


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


def count_pairs(labels, first, second):
    return [[sum(row[first] == i and row[second] == j for row in labels) for j in (1, 0)] for i in (1, 0)]


@given(st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=20))
def test_more_than_two_judges_are_compared_pair_by_pair(labels):
    judges = {name: judge(column) for name, column in zip("abc", zip(*labels, strict=True), strict=True)}
    table = pairwise_agreement(judges)
    assert list(zip(table["first"], table["second"], strict=True))[:3] == [("a", "b"), ("a", "c"), ("b", "c")]
    counts = [count_pairs(labels, *pair) for pair in ((0, 1), (0, 2), (1, 2))]
    defined = [pair for pair in counts if max(pair[0][0], pair[1][1]) < len(labels)]
    kappas = [cohens_kappa(pair, return_results=False) for pair in defined]
    mean = table.iloc[-1]
    assert (mean["first"], mean["units"]) == ("mean", 3 * len(labels))
    assert mean["cohen"] == pytest.approx(np.mean(kappas) if kappas else np.nan, nan_ok=True)


def test_judges_who_share_nothing_have_no_say_in_the_mean():
    table = pairwise_agreement([judge([1, 0]), judge([1, 0]), judge([1, 0], qid="2")])
    assert table["pooled"].tolist()[0] == table["pooled"].tolist()[-1] == 1
    assert table["pooled"].isna().tolist() == [False, True, True, False]
    assert table["band"].tolist() == ["good", "", "", "good"]
    with pytest.raises(ValueError, match="at least 2 judges, got 1"):
        pairwise_agreement([judge([1])])
    with pytest.raises(ValueError, match="judges '1' and '2': the second qrels lack the columns"):
        pairwise_agreement([judge([1]), judge([1]).drop(columns="label")])


@given(st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)))
def test_f_is_that_of_one_judges_characters_against_the_others(first, second):
    judged = [
        pd.DataFrame([["1", "a", int(bool(chosen)), [(at, at + 1) for at in sorted(chosen)], 40]],
                     columns=["qid", "docno", "label", "highlights", "length"])
        for chosen in (first, second)
    ]  # fmt: skip
    found = agreement(*judged, unit="characters").iloc[-1]["F"]
    if not first and not second:
        assert np.isnan(found)
        return
    precision = len(first & second) / len(second) if second else 0
    recall = len(first & second) / len(first) if first else 0
    assert found == pytest.approx(2 * precision * recall / (precision + recall) if precision + recall else 0)
