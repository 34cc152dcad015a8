"""Facts: all of them, each by any of its span sets, each set by all of its spans; against plain sets of characters."""

import brute_force_evidence as evidence
import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_topics import run_frame, run_topics

import pyterrier_focused as ptf
from pyterrier_focused.measures import FactAll, FactAlphaNDCG, FactR, SpanHit

SPAN = st.tuples(st.sampled_from("abc"), st.integers(0, 40), st.integers(1, 15)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)
SETS = st.lists(st.lists(SPAN, min_size=1, max_size=3), min_size=1, max_size=3)
FACTS = st.lists(st.tuples(SETS, st.sampled_from([1, 0.5, 2.25])), min_size=1, max_size=4)


def qrels_of(facts):
    """A row for each article: highlights, beside each (fact, set), and the facts' weights."""
    rows = {docno: ([], [], []) for docno in "abc"}
    for fact, (sets, weight) in enumerate(facts):
        for number, spans in enumerate(sets):
            for docno, start, end in spans:
                highlights, names, weights = rows[docno]
                highlights.append((start, end))
                names.append((f"fact {fact}", number))
                weights.append(weight)
    columns = zip(*rows.values(), strict=True)
    highlights, names, weights = map(list, columns)
    return pd.DataFrame(
        {"query_id": "1", "doc_id": list(rows), "relevance": 1, "highlights": highlights, "facts": names,
         "fact_weights": weights}
    )  # fmt: skip


def values(measures, qrels, run):
    return {metric.measure: metric.value for metric in ir_measures.iter_calc(measures, qrels, run)}


@given(run_topics(overlap=True), FACTS, st.sampled_from([0.5, 1, 0.3]), st.sampled_from([None, 1, 2]),
       st.sampled_from([None, 5, 20]))  # fmt: skip
def test_facts_by_brute_force(run, facts, cover, k, chars):
    run = {"1": run.get("1", [])}
    keys = {"cover": cover} | ({} if chars is None else {"chars": chars}) | ({} if k is None else {"cutoff": k})
    found = values([FactR(**keys), FactAll(**keys)], qrels_of(facts), run_frame(run))
    plain = [
        [[{(docno, offset) for offset in range(start, end)} for docno, start, end in spans] for spans in sets]
        for sets, _ in facts
    ]
    proved = evidence.facts_found(run["1"], plain, cover, k, chars)
    weights = [weight for _, weight in facts]
    expected = sum(weight for weight, yes in zip(weights, proved, strict=True) if yes) / sum(weights)
    assert found[FactR(**keys)] == pytest.approx(expected, abs=1e-12)
    assert found[FactAll(**keys)] == all(proved)


@given(run_topics(overlap=True), FACTS, st.sampled_from([0.5, 1, 0.3]), st.sampled_from([None, 1, 2, 4]),
       st.sampled_from([0, 0.5, 0.9, 1]))  # fmt: skip
def test_alpha_ndcg_by_brute_force(run, facts, cover, k, alpha):
    run = {"1": run.get("1", [])}
    plain = [
        ([[{(docno, offset) for offset in range(start, end)} for docno, start, end in spans] for spans in sets], weight)
        for sets, weight in facts
    ]
    measure = FactAlphaNDCG(cover=cover, alpha=alpha, **({} if k is None else {"cutoff": k}))
    expected = evidence.fact_alpha_ndcg(run["1"], plain, cover, alpha, k)
    assert values([measure], qrels_of(facts), run_frame(run))[measure] == pytest.approx(expected, abs=1e-9)


NUGGETIZER = [
    ([("vital", 10), ("vital", 4), ("okay", 0)], (0.5, 1 / 3, 0.75, 0.5)),
    ([("vital", 0), ("okay", 10), ("okay", 4), ("okay", 9)], (0, 0.5, 0, 0.625)),
    ([("okay", 4), ("okay", 10)], (0, 0.5, 0, 0.75)),
    ([("vital", 4), ("vital", 4), ("vital", 10), ("okay", 4), ("okay", 0)], (1 / 3, 0.2, 2 / 3, 0.5)),
    ([("vital", 0), ("okay", 0)], (0, 0, 0, 0)),
]


@pytest.mark.parametrize(("nuggets", "scores"), NUGGETIZER)
def test_nuggets_score_as_nuggetizer_scores_them(nuggets, scores):
    """Its strict_vital, strict_all, vital and all scores; of 10 characters 5 are support, from 2 on it is partial."""
    qrels = QRELS.assign(
        highlights=[[(20 * at, 20 * at + 10) for at in range(len(nuggets))]],
        facts=[[f"nugget {at}" for at in range(len(nuggets))]],
        fact_weights=[[1 if importance == "vital" else 0.5 for importance, _ in nuggets]],
    )
    run = RUN.assign(passages=[[(20 * at, 20 * at + read) for at, (_, read) in enumerate(nuggets) if read]])
    strict = [FactR(weights="vital"), FactR(weights="equal")]
    lenient = [FactR(weights="vital", partial=0.2), FactR(weights="equal", partial=0.2)]
    found = values([*strict, *lenient], qrels, run)
    assert [found[measure] for measure in (*strict, *lenient)] == pytest.approx(scores)


def test_weighted_recall_gives_partial_support_half():
    """Vital 1, okay .5: (1 + .5 * .5) / 1.5, as the TREC RAG track weighs nuggets."""
    qrels = QRELS.assign(highlights=[[(0, 10), (20, 30)]], facts=[["x", "y"]], fact_weights=[[1, 0.5]])
    run = RUN.assign(passages=[[(0, 10), (20, 23)]])
    found = values([FactR, FactR(partial=0.3)], qrels, run)
    assert found == {FactR: pytest.approx(1 / 1.5), FactR(partial=0.3): pytest.approx(1.25 / 1.5)}


def test_a_share_for_partial_support_lies_below_the_one_for_support():
    with pytest.raises(ValueError, match=r"FactR: partial=0.5 must be below cover=0.5"):
        FactR(partial=0.5)


RUN = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "passages": [[(0, 10, 2.0), (50, 60, 1.0)]]})
QRELS = pd.DataFrame(
    {"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "highlights": [[(0, 10), (50, 60), (80, 90)]]}
)


@pytest.mark.parametrize(
    ("column", "cell", "recall", "all_found"),
    [
        ("facts", ["x", "y", "z"], 2 / 3, 0),
        ("facts", ["x", "x", "x"], 1, 1),
        ("facts", [("x", 1), ("x", 1), ("x", 1)], 0, 0),
        ("facts", [("x", 1), ("x", 1), ("x", 2)], 1, 1),
        ("facts", [["x", "y"], "z", None], 1, 1),
        ("facts", [{"fact": "x", "set": 1}, "y", {"fact": "x", "set": 1}], 1 / 2, 0),
        ("aspects", [["x"], ["y"], ["x", "z"]], 2 / 3, 0),
        ("alternatives", [1, 1, 2], 1, 1),
        ("alternatives", [1, 2, 2], 1, 1),
        ("alternatives", [1, 1, 1], 0, 0),
    ],
)
def test_what_proves_a_fact(column, cell, recall, all_found):
    found = values([FactR, FactAll], QRELS.assign(**{column: [cell]}), RUN)
    assert found[FactR] == pytest.approx(recall)
    assert found[FactAll] == all_found


@pytest.mark.parametrize(("facts", "copies"), [(6, 2), (12, 2), (20, 3)])
def test_many_copies_of_many_facts_do_not_multiply(facts, copies):
    """Twenty facts in three copies: 3,486,784,401 combinations of alternatives, 60 spans."""
    spans = [(20 * at, 20 * at + 10) for at in range(facts * copies)]
    qrels = QRELS.assign(highlights=[spans], facts=[[f"fact {at % facts}" for at in range(facts * copies)]])
    run = RUN.assign(passages=[[(0, 20 * facts // 2)]])
    assert values([FactR, FactAll], qrels, run) == {FactR: 0.5, FactAll: 0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"facts": [["x", "y"]]}, "column 'facts', topic '1', article 'a': 2 entries beside 3 highlights"),
        ({"facts": [2.5]}, "column 'facts', topic '1', article 'a': 0 entries beside 3 highlights"),
        ({"facts": [["x"] * 3], "fact_weights": [[1, 1, 2]]}, "the fact 'x' has two weights"),
        ({"facts": [["x"] * 3], "fact_weights": [[1, 1, True]]}, "True is not a weight"),
        ({"facts": [["x"] * 3], "fact_weights": [[1, 1, 0]]}, "0 is not a weight; give a number above 0"),
        ({"facts": [[["x", "y"], "z", "z"]], "fact_weights": [[1, 1, 1]]}, "1 weights for 2 facts of one highlight"),
    ],
)
def test_facts_that_cannot_be_read_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        values([FactR], QRELS.assign(**change), RUN)


def test_facts_change_no_other_measure():
    measures = [ptf.AiP, ptf.CharR, SpanHit, ptf.SpanR]
    assert values(measures, QRELS.assign(facts=[["x", "x", "y"]]), RUN) == values(measures, QRELS, RUN)
