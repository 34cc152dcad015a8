"""Text returned around passages: read before its passage, each time, and never relevant.

A passage is the list of what is read of it: `around` items of its own, then the characters of the article.
"""

from collections import Counter
from fractions import Fraction

import brute_force as brute
import brute_force_evidence as evidence
import numpy as np
import pandas as pd
import pytest
from every_measure import BUDGET_ERROR, BUDGET_ONCE, ERROR, ONCE, OTHER, RATIOS, SPAN_RANKINGS, define_values, values
from hypothesis import given
from hypothesis import strategies as st
from random_topics import column, qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused import AgP, AiP, CharF, CharP, CharR, iP
from pyterrier_focused.analysis.curves.points import recall_by_characters
from pyterrier_focused.errors import SpanError
from pyterrier_focused.evaluation.tokens import Tokens
from pyterrier_focused.measures import CharAP, CharJudged, CharMAP, Redundancy, SpanHit, SpanP, SpanR

KEYS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 9))
CUTOFFS = st.sampled_from([None, 1, 2, 5])


def around_of(key, start, end):
    """A number that depends on the passage, so that passages of one place have the same."""
    return (key[0] * start + key[1] * end) % key[2]


def with_around(run, key, names=("query_id", "doc_id")):
    cells = [
        [around_of(key, *part[:2]) for part in parts] if parts else parts
        for topic in run.values() for _, _, parts in topic
    ]  # fmt: skip
    return run_frame(run, names=names).assign(around=column(cells))


def read(run, key, overlap):
    """What is read of each ranked passage, in order."""
    seen = set()
    for rank, (docno, start, end) in enumerate(brute.passages(run)):
        items = [("around", rank, i) for i in range(around_of(key, start, end))]
        for offset in range(start, end):
            if overlap != "once" or (docno, offset) not in seen:
                items.append((docno, offset))
            seen.add((docno, offset))
        yield items


def count(run, rows, key, overlap, r=None, chars=None):
    """Characters read, relevant ones among them, and highlighted ones."""
    items = [item for piece in list(read(run, key, overlap))[:r] for item in piece][:chars]
    relevant = brute.highlighted(rows)
    found = [item for item in items if item in relevant]
    return len(items), len(set(found) if overlap == "noise" else found), len(relevant)


def compare(expected, run, qrels, key):
    """Hold measures to their functions of (a topic's run, its rows)."""
    found = values(expected, with_around(run, key), qrels_frame(qrels))
    assert found == pytest.approx(define_values(expected, run, qrels), abs=1e-12)


def at(measure, k):
    return measure if k is None else measure @ k


@given(run_topics(overlap=True), qrels_topics(min_topics=1), KEYS, st.sampled_from(["once", "repeat", "noise"]),
       CUTOFFS, st.sampled_from([None, 1, 7, 30]))  # fmt: skip
def test_shares_of_the_text_read(run, qrels, key, overlap, r, chars):
    budget = {} if chars is None or overlap == "noise" else {"chars": chars}

    def hold(share):
        return lambda topic, rows: share(*count(topic, rows, key, overlap, r, **budget))

    expected = {at(measure(overlap=overlap, **budget), r): hold(share) for measure, share in RATIOS.items()}
    compare(expected, run, qrels, key)


@given(run_topics(), qrels_topics(min_topics=1), KEYS, CUTOFFS, st.sampled_from([None, 1, 7, 30]))
def test_without_overlap_every_way_to_count_it_is_the_same(run, qrels, key, r, chars):
    keys = ({} if r is None else {"cutoff": r}) | ({} if chars is None else {"chars": chars})
    frames = with_around(run, key), qrels_frame(qrels)
    plain, once = ([measure(overlap=overlap, **keys) for measure in (CharP, CharF)] for overlap in ("error", "once"))
    found = values([*plain, *once], *frames)
    assert [found[measure, qid] for measure in plain for qid in qrels] == [
        found[measure, qid] for measure in once for qid in qrels
    ]


def sum_up(run, rows, key):
    """(characters read, relevant ones) after each passage, each character once."""
    relevant = brute.highlighted(rows)
    table = [(0, 0)]
    for items in read(run, key, "once"):
        table.append((table[-1][0] + len(items), table[-1][1] + sum(item in relevant for item in items)))
    return table


def list_points(table, total):
    """Precision and recall after each passage."""
    return [(brute.ratio(found, size), brute.ratio(found, total)) for size, found in table[1:]] if total else []


@given(run_topics(overlap=True), qrels_topics(min_topics=1), KEYS)
def test_precision_down_the_ranking(run, qrels, key):
    def interpolated(topic, rows, level):
        return brute.interpolated(list_points(sum_up(topic, rows, key), len(brute.highlighted(rows))), level)

    def mean_precision(topic, rows):
        table, total = sum_up(topic, rows, key), len(brute.highlighted(rows))
        hits = [brute.ratio(*table[r][::-1]) for r in range(1, len(table)) if table[r][1] > table[r - 1][1]]
        return brute.ratio(sum(hits), len(hits)) * brute.ratio(table[-1][1], total)

    expected = {
        AiP(points=11, overlap="once"): lambda topic, rows: (
            sum(interpolated(topic, rows, Fraction(i, 10)) for i in range(11)) / 11
        ),
        iP(recall=0.3, overlap="once"): lambda topic, rows: interpolated(topic, rows, Fraction(3, 10)),
        CharAP(overlap="once"): mean_precision,
    }
    compare(expected, run, qrels, key)


def average_precision(items, relevant, overlap):
    """The mean precision at each relevant character, each of them an item."""
    seen, size, hits, total = set(), 0, 0, Fraction(0)
    for item in items:
        if item in seen and (item in relevant or overlap == "once"):
            continue
        seen.add(item)
        size += 1
        hits += item in relevant
        total += Fraction(hits, size) if item in relevant else 0
    return brute.ratio(total, len(relevant))


def read_all(topic, key, overlap, k=None):
    """The items of all pieces, one after another."""
    return [item for piece in list(read(topic, key, overlap))[:k] for item in piece]


@given(run_topics(overlap=True), qrels_topics(min_topics=1), KEYS, st.sampled_from(["passage2", "once"]))
def test_each_character_as_an_item(run, qrels, key, overlap):
    def value(topic, rows):
        return average_precision(read_all(topic, key, "repeat"), brute.highlighted(rows), overlap)

    compare({CharMAP(overlap=overlap): value}, run, qrels, key)


def score_article(docno, parts, row, key, irr):
    """S(d): F of the text returned, or with *irr* what is read until so much was irrelevant."""
    ranked = brute.passages([(docno, 0, parts)])
    relevant = brute.characters(docno, row[2])
    text = brute.characters(docno, [(start, end) for _, start, end in ranked])
    around = sum(around_of(key, start, end) for _, start, end in ranked)
    if not ranked or not relevant:
        return Fraction(0)
    if irr is None:
        both = len(text & relevant)
        return brute.ratio(2 * both, len(text) + around + len(relevant))
    whole = brute.characters(docno, [(0, row[4])])
    found = wrong = 0
    for item in [*range(around), *sorted(text), *sorted(whole - text)]:
        if wrong == irr:
            break
        found += item in relevant
        wrong += item not in relevant
    return brute.ratio(found, found + wrong)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), KEYS, st.sampled_from([None, 1, 6, 30]))
def test_articles_in_context(run, qrels, key, irr):
    def value(topic, rows):
        judged = {row[0]: row for row in rows}
        ranked = brute.articles(topic)
        scores = [
            score_article(docno, parts, judged[docno], key, irr) if docno in judged else Fraction(0)
            for docno, _, parts in ranked
        ]
        relevant = {row[0] for row in rows if brute.characters(row[0], row[2])}
        sums = [Fraction(sum(scores[:r])) / r for r in range(1, len(ranked) + 1) if ranked[r - 1][0] in relevant]
        return brute.ratio(sum(sums), len(relevant))

    measure = AgP(overlap="once") if irr is None else AgP(task="t2i", irr=irr, overlap="once")
    compare({measure: value}, run, qrels, key)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), KEYS, CUTOFFS)
def test_text_that_was_read_before(run, qrels, key, k):
    def value(topic, rows):
        times = Counter(read_all(topic, key, "repeat", k))
        return brute.ratio(times.total() - len(times), times.total())

    compare({at(Redundancy, k): value}, run, qrels, key)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), KEYS, CUTOFFS)
def test_what_comes_with_passages_of_judged_articles_is_judged(run, qrels, key, k):
    def value(topic, rows):
        judged = {row[0] for row in rows}
        pieces = list(zip(brute.passages(topic), read(topic, key, "once"), strict=True))[:k]
        inside = sum(len(items) for passage, items in pieces if passage[0] in judged)
        return brute.ratio(inside, sum(len(items) for _, items in pieces))

    compare({at(CharJudged(overlap="once"), k): value}, run, qrels, key)


def count_alike(parts, spans, iou):
    """The parts that are as alike as a span that no part before them was, each as the one most like it."""
    left, hits = list(spans), 0
    for text in map(set, parts):
        alike = [(Fraction(len(text & span), len(text | span)), -min(span)[1], span) for span in left if text & span]
        alike = [entry for entry in alike if entry[0] >= Fraction(str(iou))]
        if alike:
            left.remove(max(alike, key=lambda entry: entry[:2])[2])
            hits += 1
    return hits


@given(run_topics(overlap=True), qrels_topics(min_topics=1), KEYS, st.sampled_from([0.5, 0.1, 1]), CUTOFFS)
def test_parts_as_alike_as_a_span(run, qrels, key, iou, k):
    def value(topic, rows):
        parts = list(read(topic, key, "repeat"))
        return brute.ratio(count_alike(parts[:k], evidence.evidence_spans(rows), iou), k or len(parts))

    compare({at(SpanP(iou=iou), k): value}, run, qrels, key)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), KEYS, st.lists(st.integers(0, 90), min_size=1, max_size=5))
def test_the_recall_curve(run, qrels, key, budgets):
    names = ("qid", "docno")
    curve = recall_by_characters(
        qrels_frame(qrels, names=(*names, "label")), with_around(run, key, names), budgets=budgets, overlap="once"
    )

    def mean(share, budget):
        counts = [count(run.get(qid, []), rows, key, "once", None, int(budget)) for qid, rows in qrels.items()]
        return np.mean([float(RATIOS[share](*sizes)) for sizes in counts])

    expected = [[mean(share, budget) for share in (CharR, CharP)] for budget in curve["characters"]]
    assert curve[["recall", "precision"]].to_numpy() == pytest.approx(np.array(expected))


@given(run_topics(overlap=True), qrels_topics(min_topics=1))
def test_nothing_around_is_as_no_column(run, qrels):
    measures = [*ONCE, *OTHER, *BUDGET_ONCE, *SPAN_RANKINGS]
    zeros = [[0] * len(parts) if parts else parts for topic in run.values() for _, _, parts in topic]
    frame, judged = run_frame(run), qrels_frame(qrels)
    assert values(measures, frame.assign(around=column(zeros)), judged) == values(measures, frame, judged)


@given(run_topics(), qrels_topics(min_topics=1))
def test_nothing_around_is_as_no_column_without_overlap(run, qrels):
    zeros = [None for topic in run.values() for _ in topic]
    frame, judged = run_frame(run), qrels_frame(qrels)
    measures = [*ERROR, *BUDGET_ERROR]
    assert values(measures, frame.assign(around=column(zeros)), judged) == values(measures, frame, judged)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), KEYS, CUTOFFS)
def test_what_is_found_stays_found(run, qrels, key, k):
    keys = {} if k is None else {"cutoff": k}
    measures = [SpanHit(**keys), SpanR(**keys), CharR(overlap="once", **keys), AgP(task="bic", n=10)]
    judged = qrels_frame(qrels)
    assert values(measures, with_around(run, key), judged) == values(measures, run_frame(run), judged)


RUN = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "passages": [[(0, 10), (20, 30)]]})
QRELS = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "highlights": [[(5, 15)]]})


def test_what_is_around_costs_each_alternative():
    """[0, 10) with 6 around: [5, 15) gets 5 of 16, [0, 8) gets 8 of 16 - 2 that only the other one highlights."""
    run = RUN.assign(passages=[[(0, 10)]], around=[[6]])
    qrels = QRELS.assign(highlights=[[(5, 15), (0, 8)]], alternatives=[[1, 2]])
    assert values([CharP], run, qrels)[CharP, "1"] == pytest.approx(8 / 14)


def test_what_is_around_has_as_many_tokens_for_a_character_as_its_passage():
    """[0, 10) has 5 tokens, so 5 characters around it are 2.5, which is 3 when rounded up."""
    tokens = Tokens({"a": "x " * 20}, str.split)
    run = RUN.assign(passages=[[(0, 10)]], around=[[5]])
    found = values([CharP(unit=tokens), CharR(unit=tokens, chars=5)], run, QRELS)
    # the tokens of [5, 15) begin at 6, 8, 10, 12, 14
    assert sorted(found.values()) == pytest.approx(sorted([2 / 8, 0]))


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ([1], "column 'around', topic '1', article 'a': 1 numbers for 2 passages"),
        ([1, -1], "topic '1', article 'a': -1 is not a number of characters"),
        ([1, 2.5], "topic '1', article 'a': .* 2.5 is none"),
        ([1, True], "topic '1', article 'a': .* True is none"),
        ([1, None], "a missing number"),
        (["1", "2"], "topic '1', article 'a': .* '1' is none"),
        (7, "topic '1', article 'a': 0 numbers for 2 passages"),
        ([1, 2**50], "topic '1', article 'a': 1125899906842624 is not a number of characters"),
    ],
)
def test_cells_that_do_not_fit(cell, message):
    with pytest.raises(SpanError, match=message):
        values([CharP], RUN.assign(around=column([cell])), QRELS)
