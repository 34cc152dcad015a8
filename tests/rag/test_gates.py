"""Gates on made-up values whose means and differences are known, and against scipy's bootstrap."""

import math
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from pyterrier_focused.errors import FormatError, RequirementError
from pyterrier_focused.rag.chunkers import compare_chunkers
from pyterrier_focused.rag.gates import compare_pairs
from pyterrier_focused.rag.score import evaluate_retrieved, load_result
from pyterrier_focused.retrieval.passages.selectors import Windows

CORPUS = {"a": "abcdefghij" * 100}


def judge(hits, name="results"):
    """A result whose SpanHit@5 is 1 for the questions of *hits* and 0 for the others."""
    evidence = [{"qid": str(i), "query": f"q {i}", "docno": "a", "start": 0, "end": 10} for i in range(len(hits))]
    results = {str(i): [("a", 0, 10) if hit else ("a", 500, 510)] for i, hit in enumerate(hits)}
    return evaluate_retrieved(evidence, {name: results}, CORPUS, "SpanHit@5 CharR(overlap='once')@5", verbose=False)


def flip(hits, lost, won):
    """The same with the first *lost* hits lost, and the first *won* misses won."""
    hits = np.array(hits)
    worse = hits.copy()
    worse[np.flatnonzero(hits)[:lost]] = False
    worse[np.flatnonzero(~hits)[:won]] = True
    return worse


MAIN = np.arange(138) < 112


@pytest.mark.parametrize(
    ("lost", "won", "margin", "strict", "verdict"),
    [
        (0, 0, 0.02, False, "passes"),
        (0, 0, 0.02, True, "cannot tell"),  # 138 questions that do not differ are too few: 183 would do
        (0, 0, 0.03, True, "passes"),
        (30, 2, 0.02, False, "fails"),  # .8116 to .6087
        (30, 2, 0.02, True, "fails"),
        (9, 2, 0.02, False, "passes"),  # -.0507: the margin lies in the interval
        (9, 2, 0.06, True, "cannot tell"),
        (7, 5, 0.02, True, "cannot tell"),
        (7, 5, 0.0, True, "cannot tell"),
        (0, 12, 0.0, True, "passes"),
    ],
)
def test_no_worse_than(lost, won, margin, strict, verdict):
    worse = judge(flip(MAIN, lost, won))
    (comparison,) = worse.compare(judge(MAIN), "SpanHit@5", margin, strict=strict)
    assert (comparison.verdict, comparison.passed) == (verdict, verdict == "passes")
    assert comparison.difference == pytest.approx((won - lost) / 138)
    if verdict != "passes":
        with pytest.raises(RequirementError, match=f"{verdict} 'SpanHit@5 no worse than main") as error:
            worse.no_worse_than(judge(MAIN), "SpanHit@5", margin, strict=strict)
        assert len(error.value.questions) == 138


def test_the_interval_is_students_of_the_differences():
    worse = flip(MAIN, 9, 2)
    (comparison,) = judge(worse).compare(judge(MAIN), "SpanHit@5")
    difference = worse.astype(float) - MAIN
    expected = ttest_1samp(difference, 0).confidence_interval()
    assert (comparison.low, comparison.high) == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    ("lost", "won", "margin", "advice"),
    [
        (0, 0, 0.02, "about 183 questions would do"),
        (0, 0, 0.01, "about 368 questions would do"),
        (7, 5, 0.05, f"about {math.ceil((2.8 / 0.05) ** 2 * (12 - 4 / 138) / 137)} questions would do"),
        (7, 5, 0.0, "give a margin above 0"),
    ],
)
def test_how_many_questions_would_do_is_said(lost, won, margin, advice):
    (comparison,) = judge(flip(MAIN, lost, won)).compare(judge(MAIN), "SpanHit@5", margin, strict=True)
    assert advice in comparison.message


def test_equal_configurations_pass():
    samples = [np.random.default_rng(seed).random((2, 138)) < 0.8 for seed in range(100)]
    assert sum(_compare_hits(*hits)[0].passed for hits in samples) >= 95


def _compare_hits(ours, theirs):
    """Compare as results do, without placing texts a hundred times."""
    pairs = pd.DataFrame({"qid": range(len(ours)), "query": "", "value": ours * 1.0, "value of main": theirs * 1.0})
    return [compare_pairs("gate", "system", pairs, 0.0, False, 5)]


def judge_texts(**hits):
    """A result of questions that are told apart by their text: which of them hit."""
    evidence = [{"question": text, "docno": "a", "start": 0, "end": 10} for text in hits]
    results = {text: [("a", 0, 10) if hit else ("a", 500, 510)] for text, hit in hits.items()}
    return evaluate_retrieved(evidence, results, CORPUS, "SpanHit@5", verbose=False)


def test_questions_without_ids_are_paired_by_their_text():
    """An id that only counts the questions changes when one is added before."""
    main = judge_texts(cats=True, dogs=True, whales=False)
    with pytest.warns(UserWarning, match="3 questions are compared; 1 of this result and 0 of main are not in the"):
        (comparison,) = judge_texts(fish=True, whales=False, cats=True, dogs=False).compare(main, "SpanHit@5")
    differences = dict(zip(comparison.questions["query"], comparison.questions["difference"], strict=True))
    assert differences == {"cats": 0, "dogs": -1, "whales": 0}


@pytest.mark.parametrize("method", ["compare", "no_worse_than"])
def test_what_is_not_compared_is_told_at_the_line_of_the_caller(method):
    main = judge_texts(cats=True)
    with pytest.warns(UserWarning, match="are not in the other") as caught:
        getattr(judge_texts(cats=True, dogs=True), method)(main, "SpanHit@5")
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(("start", "end", "is_told"), [(0, 12, True), (40, 50, False)])
def test_evidence_that_is_not_as_long_as_mains_is_told(start, end, is_told):
    """Text that only moved in its document is the same evidence."""
    evidence = [{"qid": "q", "query": "what", "docno": "a", "start": start, "end": end}]
    result = evaluate_retrieved(evidence, {"q": [("a", start, end)]}, CORPUS, "SpanHit@5", verbose=False)
    main = evaluate_retrieved(
        [{"qid": "q", "query": "what", "docno": "a", "start": 0, "end": 10}], {"q": [("a", 0, 10)]}, CORPUS, "SpanHit@5"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result.compare(main, "SpanHit@5")
    told = [str(warning.message) for warning in caught]
    assert told == (
        ["the evidence of 1 of 1 questions is longer or shorter than main's (first: 'what'); their differences are not "
         "of the system alone"] if is_told else []
    )  # fmt: skip


@pytest.mark.parametrize("change", [("abc", "abd"), ("j", "j"), ("abc", "A heading.\n\nabc")])
def test_documents_whose_text_is_not_mains_are_told(change, tmp_path):
    corpora = CORPUS, {"a": CORPUS["a"].replace(*change, 1)}
    evidence = [{"qid": "q", "query": "what", "docno": "a", "start": 0, "end": 10}]
    main, result = (evaluate_retrieved(evidence, {"q": [("a", 0, 10)]}, of, "SpanHit@5") for of in corpora)
    main.save(tmp_path / "main.zip")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result.no_worse_than(load_result(tmp_path / "main.zip"), "SpanHit@5")
    told = ["the text of 1 of 1 documents with evidence is not main's (first: 'a')"] * (change[0] != change[1])
    assert [str(warning.message).partition(";")[0] for warning in caught] == told


def test_equal_texts_with_numbers_are_paired_in_their_order():
    corpus = {"a": CORPUS["a"], "b": CORPUS["a"]}
    evidence = [
        {"qid": str(number), "question": "what", "docno": docno, "start": 0, "end": 10}
        for number, docno in enumerate(corpus, start=1)
    ]
    results = {"1": [("a", 0, 10)], "2": [("a", 500, 510)]}
    result, main = (
        evaluate_retrieved(evidence, retrieved, corpus, "SpanHit@5", verbose=False)
        for retrieved in (results, {"1": [("a", 0, 10)], "2": [("b", 0, 10)]})
    )
    (comparison,) = result.compare(main, "SpanHit@5")
    assert comparison.questions[["qid", "difference"]].values.tolist() == [["2", -1.0], ["1", 0.0]]


@pytest.mark.filterwarnings("ignore:system 'results' retrieved nothing")
def test_questions_are_paired_by_id_and_text():
    main = judge(MAIN)
    with pytest.warns(UserWarning, match="100 questions are compared; 0 of this result and 38 of main are not in the"):
        (comparison,) = judge(MAIN[:100]).compare(main, "SpanHit@5")
    assert len(comparison.questions) == 100
    other = evaluate_retrieved(
        [{"qid": "0", "query": "another question", "docno": "a", "start": 0, "end": 10}], {"0": []}, CORPUS, "SpanHit@5"
    )
    with pytest.raises(ValueError, match="share no question"):
        other.compare(main, "SpanHit@5")


@pytest.mark.filterwarnings("ignore:system 'two' retrieved nothing")
def test_systems_are_compared_by_name():
    (comparison,) = judge(MAIN, "branch").compare(judge(MAIN, "main"), "SpanHit@5")  # one of each
    assert comparison.system == "branch"
    both = evaluate_retrieved(
        [{"qid": "1", "query": "q", "docno": "a", "start": 0, "end": 10}],
        {"one": {"1": ["abc"]}, "two": {"1": []}}, CORPUS, "SpanHit@5", errors=None, repeated="first",
    )  # fmt: skip
    assert [c.system for c in both.compare(both, "SpanHit@5")] == ["one", "two"]
    with pytest.raises(ValueError, match="has no system 'one'"):
        both.compare(judge(MAIN, "main"), "SpanHit@5")


@pytest.mark.parametrize("margin", [-0.1, float("nan"), float("inf")])
def test_margins_that_are_none(margin):
    with pytest.raises(ValueError, match="give how much worse"):
        judge(MAIN).compare(judge(MAIN), "SpanHit@5", margin)


@pytest.mark.parametrize(
    ("requirement", "passed"),
    [
        ("SpanHit@5 >= 0.81", True),
        ("SpanHit@5 low >= 0.70", True),
        ("SpanHit@5 low >= 0.80", False),
        ("SpanHit@5 high < 90%", True),
        ("placed >= .99", True),
        ("placed > 1", False),
        ("unplaced <= 0", True),
        ("elsewhere <= 0", True),
        ("texts >= 139", False),
    ],
)
def test_requirements_of_gates(requirement, passed):
    (check,) = judge(MAIN).check(requirement)
    assert check.passed == passed
    assert requirement in check.message


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        ("placed low >= 0.9", "has no interval"),
        ("SpanHit@5 >= 80", "SpanHit@5 is a share, at most 1; write 0.8 or 80%"),
        ("SpanHit@5 => 0.8", "is not a requirement; write a measure and a bound"),
        ("SpanHit@5 low >= 120%", "SpanHit@5 is a share"),
        ("placed >= 99", "placed is a share"),
        ("seconds p95 <= 2", "the table has no 'seconds p95', but questions, texts, placed, unplaced"),
    ],
)
def test_requirements_that_cannot_be_met(requirement, message):
    with pytest.raises(ValueError, match=message):
        judge(MAIN[:3]).check(requirement)


@pytest.mark.parametrize(("requirement", "passed"), [("seconds p95 <= 60", True), ("seconds > 60", False)])
def test_seconds_may_be_required(requirement, passed):
    evidence = [{"query": "q", "docno": "a", "start": 0, "end": 10}]
    (check,) = evaluate_retrieved(evidence, lambda question: [("a", 0, 10)], CORPUS, "SpanHit").check(requirement)
    assert check.passed == passed


def test_a_missed_question_shows_its_evidence_and_what_came_instead():
    result = judge([True, False])
    assert result.questions[["evidence", "found"]].values.tolist() == [["abcdefghij"] * 2] * 2
    with pytest.raises(RequirementError, match=r"\n  1: 0.000  q 1\n    evidence: abcdefghij\n    found: abcdefghij\n"):
        result.require("SpanHit@5 >= 0.9")
    with pytest.raises(RequirementError, match=r"\n  0: -1.000  q 0\n    evidence: abcdefghij\n    found: abcdefghij"):
        judge([False] * 9).no_worse_than(judge([True] * 9), "SpanHit@5")


def test_a_result_comes_back_as_it_was_saved(tmp_path):
    result = judge(MAIN)
    result.save(tmp_path / "main.zip")
    loaded = load_result(tmp_path / "main.zip")
    pd.testing.assert_frame_equal(loaded.table, result.table, check_dtype=False)
    pd.testing.assert_frame_equal(loaded.questions, result.questions, check_dtype=False)
    pd.testing.assert_frame_equal(loaded.located, result.located, check_dtype=False)
    assert list(map(str, loaded.measures)) == list(map(str, result.measures))
    assert repr(loaded) == repr(result)


def test_a_loaded_result_serves_gates(tmp_path):
    result = judge(MAIN)
    result.save(tmp_path / "main.zip")
    loaded = load_result(tmp_path / "main.zip")
    loaded.no_worse_than(result, "SpanHit@5")
    loaded.require("CharR(overlap='once')@5 >= 0.8")


def test_a_comparison_of_chunkers_has_gates_and_is_saved(tmp_path):
    pytest.importorskip("pyterrier_pisa")
    evidence = [{"qid": "1", "query": "fish at noon", "docno": "a", "start": 25, "end": 41}]
    corpus = {"a": "Cats sleep all day. Cats eat fish at noon. Dogs run in the park."}
    compared = compare_chunkers(corpus, evidence, {"20": Windows(20), "60": Windows(60)}, verbose=False)
    compared.save(tmp_path / "chunks.zip")
    loaded = load_result(tmp_path / "chunks.zip")
    assert [check.passed for check in loaded.compare(compared, "SpanHit@5")] == [True, True]
    loaded.require("SpanHit@5 >= 1", system="60")
    with pytest.raises(RequirementError, match=r"evidence: eat fish at noon\n    found: Cats eat fish"):
        compared.require("SpanHit(cover=1)@1 >= 1", system="20")
    pd.testing.assert_frame_equal(loaded.table, compared.table, check_dtype=False)


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x05\x06" + b"\0" * 18])
def test_a_file_that_is_no_result(content, tmp_path):
    (tmp_path / "main.zip").write_bytes(content)
    with pytest.raises(FormatError, match=r"main\.zip: this is not a saved result"):
        load_result(tmp_path / "main.zip")


def copy_without(source, target, lost):
    with zipfile.ZipFile(source) as whole, zipfile.ZipFile(target, "w") as part:
        for name in whole.namelist():
            if name != lost:
                part.writestr(name, whole.read(name))


@pytest.mark.parametrize(
    "lost", ["frames/table.parquet", "frames/located.parquet", "frames/qrels.parquet", "texts.json"]
)
def test_a_result_that_lacks_a_part(lost, tmp_path):
    judge([True, False]).save(tmp_path / "whole.zip")
    copy_without(tmp_path / "whole.zip", tmp_path / "main.zip", lost)
    with pytest.raises(FormatError, match=r"main\.zip: this .*save it again"):
        load_result(tmp_path / "main.zip")


def test_a_result_whose_bytes_are_damaged(tmp_path):
    """A damaged stream is a zlib.error, an encrypted member a RuntimeError."""
    judge([True, False]).save(tmp_path / "main.zip")
    data = (tmp_path / "main.zip").read_bytes()
    place = data.index(b"about.json") + len(b"about.json")
    (tmp_path / "main.zip").write_bytes(data[:place] + b"\xff" * 40 + data[place + 40 :])
    with pytest.raises(FormatError, match=r"main\.zip: this is not a saved result"):
        load_result(tmp_path / "main.zip")
