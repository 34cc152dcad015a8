"""Sizes and budgets in tokens, against tokens counted one by one."""

import brute_force_evidence as evidence
import ir_measures
import numpy as np
import pytest
from every_measure import values
from hypothesis import given
from random_topics import DOCNOS, TEXT, qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused.evaluation.tokens import Tokens
from pyterrier_focused.measures import AiP, CharF, CharIoU, CharP, CharR, SpanHit, SpanP, SpanR, iP

ARTICLES = dict.fromkeys(DOCNOS, "ab c  def\tg " * 8)


def starts(text):
    return [i for i, c in enumerate(text) if not c.isspace() and (i == 0 or text[i - 1].isspace())]


def pairs(text):
    return [(i, i + 3) for i in range(0, len(text) - 3, 3)]


@pytest.mark.parametrize(
    ("tokenizer", "expected"),
    [
        (str.split, [0, 3, 8]),
        (lambda text: ["a", "b", "c", "a"], [0, 1, 3, 8]),
        (lambda text: [(0, 0), (0, 2), (3, 4), (4, 4), (8, 9)], [0, 3, 8]),  # special tokens are empty
        (lambda text: np.array([[0, 2], [8, 9]]).tolist(), [0, 8]),
        (lambda text: [], []),
    ],
)
def test_where_tokens_begin(tokenizer, expected):
    assert Tokens({"d": "ab c    a"}, tokenizer).starts("d").tolist() == expected


def begin_pairs(text):
    return [start for start, _ in pairs(text)]


def measures_in(unit, chars, r):
    """Measures by the names that the brute force has for them."""
    keys = {"unit": unit} if chars is None else {"unit": unit, "chars": chars}
    names = {"p": CharP(**keys), "r": CharR(**keys), "iou": CharIoU(**keys), "f2": CharF(beta=2, **keys)}
    return {name: measure if r is None else measure @ r for name, measure in names.items()}


@pytest.mark.parametrize(("tokenizer", "begins"), [(str.split, starts), (pairs, begin_pairs)], ids=["words", "pairs"])
@pytest.mark.parametrize(("chars", "r"), [(None, None), (None, 2), (3, None), (5, 2)])
@given(run=run_topics(), qrels=qrels_topics(min_topics=1))
def test_measures_in_tokens_count_tokens_one_by_one(tokenizer, begins, chars, r, run, qrels):
    first = set(begins(ARTICLES["a"]))
    assert len(ARTICLES["a"]) > TEXT + 15
    names = measures_in(Tokens(ARTICLES, tokenizer), chars, r)
    expected = {
        (names[name], qid): float(value)
        for qid, rows in qrels.items()
        for name, value in evidence.budget(
            run.get(qid, []), rows, chars, r, "error", lambda item: int(item[1] in first)
        ).items()
        if name in names
    }
    assert values(names.values(), run_frame(run), qrels_frame(qrels)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("cover", [0.5, 1])
@pytest.mark.parametrize("amount", [1, 3, 9])
@given(run=run_topics(overlap=True), qrels=qrels_topics(min_topics=1))
def test_evidence_within_a_budget_of_tokens(amount, cover, run, qrels):
    begins = set(starts(ARTICLES["a"]))
    unit = Tokens(ARTICLES, str.split)
    measures = [measure(cover=cover, tokens=amount, unit=unit) for measure in (SpanHit, SpanR, SpanP)]
    expected = {
        (measure, qid): float(
            evidence.within_budget(run.get(qid, []), rows, cover, amount, lambda item: item[1] in begins)[measure.NAME]
        )
        for qid, rows in qrels.items()
        for measure in measures
    }
    assert values(measures, run_frame(run), qrels_frame(qrels)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda: SpanHit(chars=9) @ 5, "@k and chars are two ways"),
        (lambda: SpanR(chars=9, tokens=9), "chars and tokens are two ways"),
        (lambda: SpanP(chars=9, iou=0.5), "iou compares whole items"),
        (lambda: SpanHit(unit=Tokens(ARTICLES, str.split)), r"unit counts tokens; give SpanHit\(tokens=500"),
        (lambda: values([SpanHit(tokens=9)], run_frame({"1": []}), qrels_frame({"1": []})), "needs a tokenizer"),
    ],
)
def test_budgets_of_evidence_that_are_none(measure, message):
    with pytest.raises(ValueError, match=message):
        measure()


def test_interpolated_precision_in_tokens():
    """Two passages of 1 and 3 tokens; the evidence is the second's last token: precision 0, then 1/4."""
    unit = Tokens({"a": "one two three four"}, str.split)
    run = run_frame({"1": [("a", 1.0, [(0, 3, 2.0), (4, 18, 1.0)])]})
    qrels = qrels_frame({"1": [("a", 1, [(14, 18)], 14, 60)]})
    found = ir_measures.calc_aggregate([AiP(unit=unit), iP(unit=unit) @ 0, iP @ 0], qrels, run)
    assert found[AiP(unit=unit)] == pytest.approx(1 / 4)
    assert found[iP(unit=unit) @ 0] == pytest.approx(1 / 4)
    assert found[iP @ 0] == pytest.approx(4 / 17)


def test_how_it_prints():
    unit = Tokens({"d": "x"}, str.split, name="words")
    assert str(CharR(chars=5, unit=unit)) == "CharR(chars=5,unit=Tokens('words'))"
    assert repr(Tokens({"d": "x"}, str.split)) == "Tokens('str.split')"


@pytest.mark.parametrize(
    ("tokenizer", "message"),
    [
        (lambda text: ["A"], "article 'd': token 'A' is not in the text from 0 on"),
        (lambda text: ["b", "a"], "token 'a' is not in the text from 2 on"),
        (lambda text: [17, 4], "of token ids are not known"),
        (lambda text: [(0, 9)], r"\[0, 9\) is not a span of 2 characters"),
    ],
)
def test_tokenizers_that_do_not_tell_places(tokenizer, message):
    with pytest.raises(ValueError, match=message):
        Tokens({"d": "ab"}, tokenizer).starts("d")


def test_what_is_no_unit():
    with pytest.raises(ValueError, match="measures see offsets, not text; give Tokens"):
        CharR(unit=str.split)
    with pytest.raises(ValueError, match="7 is not a tokenizer"):
        Tokens({"d": "x"}, 7)
    with pytest.raises(ValueError, match="the corpus has no article 'e'"):
        Tokens({"d": "x"}, str.split).starts("e")
