"""Evidence with alternatives by brute force over sets of characters: each as if it were the only one, and the best.

What only other alternatives highlight is neither evidence nor noise: it is left out of what is counted, not of what is
ranked or of a budget.
"""

from fractions import Fraction

import brute_force as brute
import brute_force_evidence as evidence
import ir_measures
import numpy as np
import pandas as pd
import pytest
from brute_force import ratio
from every_measure import define_values, values
from hypothesis import given
from hypothesis import strategies as st
from random_topics import DOCNOS, column, qrels_frame, qrels_topics, run_frame, run_topics

import pyterrier_focused as ptf
from pyterrier_focused.errors import SpanError
from pyterrier_focused.evaluation.registry import parse
from pyterrier_focused.rag.score import micro_averages, recall_curve


@st.composite
def topics_with_alternatives(draw):
    """{qid: [(docno, label, highlights, bep, length, numbers)]}: a number beside each highlight."""
    qrels = draw(qrels_topics(min_topics=1))
    numbers = st.integers(-1, 2)
    return {qid: [(*row, [draw(numbers) for _ in row[2]]) for row in rows] for qid, rows in qrels.items()}


def frame(qrels):
    plain = qrels_frame({qid: [row[:5] for row in rows] for qid, rows in qrels.items()})
    return plain.assign(alternatives=column([row[5] for rows in qrels.values() for row in rows]))


def alternatives(rows):
    """(the rows with the highlights of one alternative, the characters that only others highlight) of each."""
    numbers = sorted({number for row in rows for number in row[5]}) or [None]
    every = brute.highlighted(rows)
    for number in numbers:
        own = [
            (*row[:2], [span for span, n in zip(row[2], row[5], strict=True) if n == number], *row[3:5]) for row in rows
        ]
        yield [entered(row) for row in own] if len(numbers) > 1 else own, every - brute.highlighted(own)


def budget(run, own, ignored, overlap, r=None, chars=None, weight=lambda item: 1):
    """CharP, CharR, CharF, CharIoU; weight: units that begin at a character."""
    relevant = brute.highlighted(own)
    items = [item for item in evidence.read(run, overlap, r, chars, weight) if item not in ignored]
    both = sum(weight(item) for item in items if item in relevant)
    size, total = sum(map(weight, items)), sum(map(weight, relevant))
    p, q = ratio(both, size), ratio(both, total)
    return {"CharP": p, "CharR": q, "CharF": ratio(2 * p * q, p + q), "CharIoU": ratio(both, size + total - both)}


def points(run, own, ignored):
    """Precision and recall after each passage, each character once."""
    found = [budget(run, own, ignored, "once", r) for r in range(1, len(brute.passages(run)) + 1)]
    return [(values["CharP"], values["CharR"]) for values in found]


def a_gp(run, own, ignored):
    relevant = {row[0]: brute.characters(row[0], row[2]) for row in own if row[2]}
    total = Fraction(0)
    value = Fraction(0)
    for rank, (docno, _, parts) in enumerate(brute.articles(run), start=1):
        if docno not in relevant:
            continue
        text = brute.characters(docno, parts or ()) - ignored
        both = len(text & relevant[docno])
        p, q = ratio(both, len(text)), ratio(both, len(relevant[docno]))
        total += ratio(2 * p * q, p + q)
        value += total / rank
    return ratio(value, len(relevant))


def entered(row):
    """The row with its best entry point where its highlights hold it, else with where they begin."""
    docno, label, highlights, bep, length = row
    held = bep < 0 or not highlights or any(bep in range(*span) for span in highlights)
    return docno, label, highlights, bep if held else min(start for start, _ in highlights), length


def char_map(run, own, ignored, overlap):
    relevant, seen = brute.highlighted(own), set()
    total = found = items = 0
    for docno, start, end in brute.passages(run):
        for item in ((docno, offset) for offset in range(start, end)):
            skipped = item in ignored or (item in seen and (item in relevant or overlap == "once"))
            seen.add(item)
            if not skipped:
                items += 1
                found += item in relevant
                total += Fraction(found, items) if item in relevant else 0
    return total / len(relevant) if relevant else 0


def expected():
    """{measure: function of (run, own rows, ignored)}"""
    found = {}
    for name in ("CharP", "CharR", "CharF", "CharIoU"):
        for r in (1, 2, 5):
            for chars in (None, 3, 12, 40):
                budgeted = "" if chars is None else f"chars={chars},"
                found[f"{name}({budgeted}overlap='once')@{r}"] = lambda run, own, ignored, name=name, r=r, chars=chars: (  # noqa: E501
                    budget(run, own, ignored, "once", r, chars)[name]
                )
    found["AiP(points=11,overlap='once')"] = lambda run, own, ignored: (
        sum(brute.interpolated(points(run, own, ignored), Fraction(i, 10)) for i in range(11)) / 11
        if brute.highlighted(own) else 0
    )  # fmt: skip
    for k in (1, 3):
        found[f"SpanHit@{k}"] = lambda run, own, ignored, k=k: evidence.span_hit(run, own, 0.5, k)
        found[f"SpanR(cover=0.3)@{k}"] = lambda run, own, ignored, k=k: evidence.span_r(run, own, 0.3, k)
    found["SpanRR"] = lambda run, own, ignored: evidence.span_rr(run, own, 0.5)
    found["AgP(overlap='once')"] = a_gp
    for keys in ({"A": 0.1}, {"n": 10}):
        name = f"AgP(task='bic',{','.join(f'{key}={value}' for key, value in keys.items())})"
        found[name] = lambda run, own, ignored, keys=keys: brute.a_gp(run, own, task="bic", **keys)
    found["ADM(urs='specificity')"] = lambda run, own, ignored: brute.adm(run, own, urs="specificity")
    found["CharMAP"] = lambda run, own, ignored: char_map(run, own, ignored, "passage2")
    found["CharMAP(overlap='once')"] = lambda run, own, ignored: char_map(run, own, ignored, "once")
    return found


EXPECTED = expected()
MEASURES = {measure: EXPECTED[name] for name in EXPECTED for measure in parse(name)}


def take_best(value):
    """The value of the alternative that scores highest, of a function of (run, own rows, ignored)."""
    return lambda run, rows: max(value(run, *one) for one in alternatives(rows))


def compare(expected, run, qrels):
    """Hold the measures to their functions of (run, own rows, ignored)."""
    best = {measure: take_best(value) for measure, value in expected.items()}
    found = values(expected, run_frame(run), frame(qrels))
    assert found == pytest.approx(define_values(best, run, qrels), abs=1e-12)


@given(run_topics(overlap=True), topics_with_alternatives())
def test_the_best_alternative_counts(run, qrels):
    compare(MEASURES, run, qrels)


WITHOUT_OVERLAP = {
    "CharP@2": lambda run, own, ignored: budget(run, own, ignored, "error", 2)["CharP"],
    "CharR": lambda run, own, ignored: budget(run, own, ignored, "error")["CharR"],
    "CharF@3": lambda run, own, ignored: budget(run, own, ignored, "error", 3)["CharF"],
    "CharIoU(chars=20)": lambda run, own, ignored: budget(run, own, ignored, "error", None, 20)["CharIoU"],
    "AgP": a_gp,
}


@given(run_topics(), topics_with_alternatives())
def test_the_best_alternative_counts_without_overlap(run, qrels):
    compare({parse(name)[0]: value for name, value in WITHOUT_OVERLAP.items()}, run, qrels)


@given(run_topics(overlap=True), qrels_topics(min_topics=1))
def test_one_alternative_is_all_the_evidence(run, qrels):
    """Spans of one alternative that overlap are one, as they are without the column."""
    plain = qrels_frame(qrels)
    numbered = plain.assign(alternatives=column([[7] * len(cell) for cell in plain["highlights"]]))
    assert values(MEASURES, run_frame(run), numbered) == values(MEASURES, run_frame(run), plain)


@given(run_topics(overlap=True), topics_with_alternatives())
def test_text_of_every_alternative_was_judged(run, qrels):
    def judge(r):
        return lambda topic, rows: brute.char_judged(topic, [row[:5] for row in rows], r, "once")

    expected = {parse(f"CharJudged(overlap='once')@{r}")[0]: judge(r) for r in (1, 3)}
    found = values(expected, run_frame(run), frame(qrels))
    assert found == pytest.approx(define_values(expected, run, qrels), abs=1e-12)


QRELS = pd.DataFrame({
    "qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": 1, "query": "?",
    "highlights": pd.Series([[(0, 10), (5, 20)], [(0, 5)], [(0, 4)]], dtype=object),
    "alternatives": pd.Series([[1, 2], [2], [1]], dtype=object), "bep": [0, 0, 0], "length": 100,
})  # fmt: skip
RUN = pd.DataFrame({
    "qid": ["1", "2"], "docno": ["a", "a"], "score": 1.0, "rank": 0,
    "passages": pd.Series([[(0, 30)], [(0, 8)]], dtype=object),
})  # fmt: skip
NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


def score(measure, qrels=QRELS, run=RUN):
    (parsed,) = parse(measure)
    metrics = ir_measures.iter_calc([parsed], qrels.rename(columns=NAMES), run.rename(columns=NAMES))
    return {metric.query_id: metric.value for metric in metrics}


def test_the_best_alternative_by_hand():
    # alternative 1: [0, 10) is evidence, [10, 20) is left out; 10 of 20 characters. Alternative 2: 15 of 25 characters
    assert score("CharP") == {"1": 15 / 25, "2": 0.5}
    assert score("CharR") == {"1": 1, "2": 1}
    assert score("CharIoU") == {"1": max(10 / 20, 15 / (25 + 20 - 15)), "2": 0.5}
    assert score("SpanR") == {"1": 1, "2": 1}


def test_entry_points_of_alternatives_by_hand():
    # reading starts at 0; 15 lies in alternative 2 alone, so that alternative 1 is entered where it begins
    measure = "AgP(task='bic',n=10)"
    assert score(measure, QRELS.assign(bep=[15, 0, 0])) == {"1": 1, "2": 1}
    assert score(measure, QRELS.assign(bep=[-1, -1, 0])) == {"1": 0, "2": 1}
    # the only alternative of topic 2 ends before 8, its entry point
    assert score(measure, QRELS.assign(bep=[15, 0, 8])) == {"1": 1, "2": (10 - 8) / 10}


def test_what_is_left_out_is_read_all_the_same():
    # of 25 characters read, alternative 1 has 15 and leaves 5 out, alternative 2 has 8 and leaves 12 out
    qrels = QRELS.assign(highlights=pd.Series([[(0, 15), (12, 20)], [(0, 5)], [(0, 4)]], dtype=object))
    assert score("CharP(chars=25)", qrels) == {"1": max(15 / 20, 8 / 13), "2": 0.5}


@pytest.mark.parametrize(
    "make",
    [
        lambda cells: pd.Series([np.array(cell) for cell in cells], dtype=object),
        lambda cells: pd.Series([tuple(cell) for cell in cells], dtype=object),
        lambda cells: pd.Series(cells, dtype=object).astype(pd.ArrowDtype(_list_of_numbers())),
    ],
)
def test_shapes_of_the_column(make):
    assert score("CharP", QRELS.assign(alternatives=make(QRELS["alternatives"].tolist()))) == score("CharP")


def _list_of_numbers():
    import pyarrow as pa

    return pa.list_(pa.int64())


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[1], [2], [1]], "topic '1', article 'a': 1 numbers for 2 highlights"),
        ([[1, 2], None, [1]], "topic '1', article 'b': 0 numbers for 1 highlights"),
        ([[1, 2], ["x"], [1]], "holds lists of whole numbers"),
        ([[1, 2], [None], [1]], "a missing number"),
        ([[1, 2], 2, [1]], "topic '1', article 'b': 0 numbers"),
    ],
)
def test_numbers_that_do_not_fit(cells, message):
    with pytest.raises(SpanError, match=message):
        score("CharP", QRELS.assign(alternatives=pd.Series(cells, dtype=object)))


def test_document_measures_do_not_read_the_column():
    wrong = QRELS.assign(alternatives=pd.Series([[1], [2], [1]], dtype=object))
    assert score("AP", wrong) == score("AP", QRELS.drop(columns="alternatives"))


def test_measures_of_highlights_alone_do_without_passages():
    # 15 of 100 characters against the only, and so the highest, score; article b, of which 5 are, is not retrieved
    value = {"1": 1 - (85 / 100 + 5 / 100) / 2, "2": 1 - 96 / 100}
    assert score("ADM(urs='specificity')", run=RUN.drop(columns="passages")) == pytest.approx(value)


def test_an_experiment_takes_the_best_alternative():
    import pyterrier as pt

    topics = QRELS[["qid", "query"]].drop_duplicates("qid")
    table = pt.Experiment([RUN], topics, QRELS, parse("CharP CharIoU AP"), perquery=True)
    values = table[table["measure"] == "CharP"].set_index("qid")["value"].to_dict()
    assert values == score("CharP")


def test_micro_averages_take_the_best_alternative():
    found = micro_averages(QRELS, {"x": RUN}, "CharP CharR")
    # topic 1: alternative 2 has the higher precision, alternative 1 is found as a whole
    assert found.iloc[0, 1:].tolist() == [(15 + 4) / (25 + 8), (10 + 4) / (10 + 4)]


WORDS = "ab c  def\tg " * 8
FIRST = {at for at, mark in enumerate(WORDS) if not mark.isspace() and (at == 0 or WORDS[at - 1].isspace())}


@pytest.mark.parametrize(
    "unit", [None, ptf.Tokens(dict.fromkeys(DOCNOS, WORDS), str.split)], ids=["characters", "words"]
)
@given(run_topics(overlap=True), topics_with_alternatives(), st.sampled_from([(1, 5, 9), (2, 14, 33, 1000)]))
def test_points_of_the_recall_curve_are_means_of_the_best_alternatives(unit, run, qrels, budgets):
    def weight(item):
        return int(unit is None or item[1] in FIRST)

    def mean_of_best(measure, size):
        best = [
            max(budget(run.get(qid, []), *one, "once", None, size, weight)[measure] for one in alternatives(rows))
            for qid, rows in qrels.items()
        ]
        return float(sum(best) / len(best))

    judged = frame(qrels).rename(columns={theirs: ours for ours, theirs in NAMES.items()})
    retrieved = run_frame(run).rename(columns={theirs: ours for ours, theirs in NAMES.items()})
    curve = recall_curve(judged, {"x": retrieved}, list(budgets), unit)
    expected = [mean_of_best(measure, size) for size in curve["budget"] for measure in ("CharR", "CharP")]
    assert curve[["recall", "precision"]].to_numpy().ravel().tolist() == pytest.approx(expected, abs=1e-12)


def test_tokens_of_alternatives():
    corpus = {"a": "one two three four five six seven", "b": "eight nine"}
    qrels = QRELS.assign(highlights=pd.Series([[(0, 7), (4, 13)], [(0, 5)], [(0, 3)]], dtype=object))
    run = RUN.assign(passages=pd.Series([[(0, 18)], [(0, 7)]], dtype=object))
    unit = ptf.Tokens(corpus, str.split)
    values = {m.query_id: m.value for m in ir_measures.iter_calc(
        [ptf.CharP(unit=unit)], qrels.rename(columns=NAMES), run.rename(columns=NAMES))}  # fmt: skip
    # one two (three left out) four; or (one left out) two three four
    assert values == {"1": 2 / 3, "2": 0.5}
