"""Tables with marks against the single tests; descriptions by counting."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pyterrier_focused.analysis import describe, mark_differences, randomisation_test

PAIR = (("a", 1), ("b", 0.5))


def test_marks_are_those_of_the_tests(per_query):
    rng = np.random.default_rng(2)
    values = rng.random((25, 1)) / 9 + rng.normal(0, 0.02, (25, 4)) + [0.4, 0.6, 0.2, 0.4]
    names = ["base", "better", "worse", "equal"]
    results = pd.concat([per_query(values, measure, names=names) for measure in ("AP", "P@5")])
    table = mark_differences(results, "base")
    assert table.columns.tolist() == ["system", "AP", "P@5"]
    p = [1.0, *(randomisation_test(values[:, i], values[:, 0], tests=3).pvalue for i in (1, 2, 3))]
    holm = multipletests(p[1:], method="holm")[1]
    assert (holm <= 0.05).tolist() == [True, True, False]
    expected = [f"{mean:.3f}{mark}" for mean, mark in zip(values.mean(axis=0), ["", "⁺", "⁻", ""], strict=True)]
    assert table["AP"].tolist() == table["P@5"].tolist() == expected
    assert table.attrs["note"] == (
        "Means over 25 topics. ⁺ and ⁻: significantly higher and lower than base "
        "(two-sided randomisation test, holm correction for 3 systems, p at most .05)."
    )
    assert mark_differences(results, "base", digits=2)["AP"][1].endswith("⁺")
    assert mark_differences(results[results["name"] == "base"], "base").attrs["note"] == "Means over 25 topics."


def test_the_note_names_the_measures_that_too_few_topics_cannot_mark():
    # Five topics that differ give no p below 2 / 2^5, six give 2 / 2^6 = .03.
    values = [("AP", range(1, 8)), ("P@5", [1, 2, 3, 4, 5, 0, 0])]
    rows = [(name, str(q), m, v * better / 9) for m, vs in values for q, v in enumerate(vs) for name, better in PAIR]
    table = mark_differences(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "a")
    assert table.attrs["note"].endswith("p at most .05; too few topics differ for any mark of P@5).")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda results: mark_differences(None, "s0"), "perquery=True"),
        (lambda results: mark_differences(results, "s7"), "baseline='s7': give the name of one of"),
        (lambda results: mark_differences(results, "s0", alpha=5), "alpha=5"),
        (lambda results: describe([]), "got list"),
        (lambda results: describe(pd.DataFrame({"a": [1]})), "neither qrels"),
    ],
    ids=["no results", "no baseline", "alpha", "no frame", "no qrels"],
)
def test_wrong_results_get_a_sentence(per_query, call, message):
    with pytest.raises(ValueError, match=message):
        call(per_query(np.eye(3)))


spans = st.lists(st.tuples(st.integers(0, 25), st.integers(1, 10)).map(lambda s: (s[0], sum(s))), max_size=3)


FEW = st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("abcd"), spans), unique_by=lambda row: row[:2])


def judge(rows):
    return pd.DataFrame(
        [(q, d, int(bool(s)), s, -1, 40) for q, d, s in rows],
        columns=["qid", "docno", "label", "highlights", "bep", "length"],
    )


def list_characters(spans):
    return {i for a, b in spans for i in range(a, b)}


@given(FEW)
def test_descriptions_of_qrels_count_articles_and_characters(rows):
    found = describe(judge(rows))
    sets = [list_characters(s) for _, _, s in rows]
    assert found["topics"] == len({q for q, _, _ in rows})
    assert found["judged articles"] == len(rows)
    assert found["relevant articles"] == sum(map(bool, sets))
    assert found["highlighted characters"] == sum(map(len, sets))
    if any(sets):
        share = sum(map(len, sets)) / (40 * sum(map(bool, sets)))
        assert found["highlighted share of their articles"] == pytest.approx(share)


@given(FEW)
def test_descriptions_of_runs_count_articles_and_passages(rows):
    run = judge(rows).rename(columns={"highlights": "passages"})[["qid", "docno", "passages"]].assign(score=1.0)
    told = describe(run)
    lengths = [b - a for _, _, s in rows for a, b in s]
    overlapping = [s for _, _, s in rows if sum(b - a for a, b in s) > len(list_characters(s))]
    assert told["articles"] == len(rows)
    assert told["passages"] == len(lengths)
    assert told["articles with overlapping passages"] == len(overlapping)
    if lengths:
        assert told["median passage"] == np.median(lengths)
        assert told["characters per topic"] == sum(lengths) / len({q for q, _, _ in rows})


def test_ordinary_frames_are_described_too():
    run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": list("abc"), "score": 1.0})
    assert describe(run).to_dict() == {"topics": 2, "articles": 3, "articles per topic": 1.5}
    qrels = run.rename(columns={"score": "label"})
    assert describe(qrels)["relevant articles"] == 3
