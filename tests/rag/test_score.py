"""What any RAG stack returns, scored as the same chunks through passage ids and as brute force over characters."""

import csv
import json
import warnings
from types import SimpleNamespace

import brute_force_evidence as evidence
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.errors import EvaluationWarning, EvidenceError, ForeignIdsWarning, FormatError, RequirementError
from pyterrier_focused.evaluation.tokens import Tokens
from pyterrier_focused.rag.chunkers import compare_chunkers
from pyterrier_focused.rag.results import read_retrieved
from pyterrier_focused.rag.score import evaluate_retrieved
from pyterrier_focused.retrieval.passages.selectors import Windows

CORPUS = {
    "a": "Cats sleep all day. Cats eat fish at noon.\n\nDogs run in the park. Dogs bark at the moon, loudly.",
    "b": "Fish swim in the sea. A whale is no fish at all, they say. Whales sing.",
}
EVIDENCE = [
    {"qid": "1", "question": "what do cats eat", "docno": "a", "quote": "eat fish at noon"},
    {"qid": "2", "question": "where do dogs run", "docno": "a", "quote": "run in the park."},
    {"qid": "3", "question": "is a whale a fish", "docno": "b", "quote": "A whale is no fish"},
]
FIRST, SECOND = "Cats eat fish at noon.", "A whale is no fish at all, they say."


def located(items, **options):
    """What becomes of things retrieved for question 1: (docno, start, end, status) of each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate_retrieved(EVIDENCE, {"1": items}, CORPUS, **options)
    return list(result.located[["docno", "start", "end", "status"]].itertuples(index=False, name=None))


@pytest.mark.parametrize("item", ["a", {"docno": "a"}, {"docno": "docs/a.txt"}])
def test_the_name_of_a_document_is_the_whole_of_it(item):
    assert located([item]) == [("a", 0, len(CORPUS["a"]), "id")]


def langchain(text, **metadata):
    return SimpleNamespace(page_content=text, metadata=metadata, id=None)


def llama(text, start=None, end=None, doc=None, score=None, **metadata):
    node = SimpleNamespace(text=text, start_char_idx=start, end_char_idx=end, ref_doc_id=doc, metadata=metadata)
    return node if score is None else SimpleNamespace(node=node, score=score)


def haystack(text, **meta):
    return SimpleNamespace(content=text, meta=meta, id="3f2a")


@pytest.mark.parametrize(
    ("item", "status"),
    [
        (FIRST, "exact"),
        ("cats EAT fish\n at noon.", "tolerant"),
        ("a#20-42", "id"),
        (("a", 20, 42), "given"),
        (("a", np.int64(20), 42.0), "given"),
        ({"docno": "a#20-42", "score": 3.5}, "id"),
        ({"docno": "a#20-42", "docid": "b"}, "id"),
        ({"text": FIRST}, "exact"),
        ({"content": FIRST, "source": "docs/a.txt"}, "exact"),
        ({"page_content": FIRST, "doc_id": "a", "start": 20, "end": 42}, "given"),
        ({"docno": "a", "start": "20", "end": "42"}, "given"),
        (langchain(FIRST, source="/data/a.md", start_index=20), "given"),
        (langchain(FIRST, source="a", start_index=-1), "exact"),
        (langchain(FIRST, source="a", start_index=3), "exact"),  # the text is not there
        (langchain(FIRST, source="elsewhere.pdf"), "exact"),
        ((langchain(FIRST), 0.75), "exact"),  # similarity_search_with_score
        (llama(FIRST, 20, 42, "a", score=0.1), "given"),
        (llama(FIRST, 0, 7, "5d0c-uuid", file_name="a.txt"), "exact"),
        (haystack(FIRST, file_path="a.txt", split_idx_start=20), "given"),
    ],
)
def test_every_shape_of_a_retrieved_text(item, status):
    assert located([item]) == [("a", 20, 42, status)]


@pytest.mark.parametrize(
    ("item", "status", "length"),
    [
        ("Parrots talk.", "missing", 13),
        ("Dogs", "repeated", 4),
        ("at", "repeated", 2),
        (("a", 90, 300), "outside", 210),
        ("a#90-300", "outside", 210),
        (("c", 1, 2), "unknown article", 1),
        ({"docno": "c"}, "unknown article", 0),
        (" \n", "blank", 0),
        ({"start": 0, "end": 10**30}, "outside", 0),
    ],
)
def test_what_cannot_be_placed_is_read_and_no_evidence(item, status, length):
    assert located([item]) == [("", -1, -1, status)]
    with pytest.warns(UserWarning, match=rf"1 of 2 retrieved texts .*\(1 {status}\)"):
        result = evaluate_retrieved(EVIDENCE[:1], {"1": [item, FIRST]}, CORPUS, "SpanHit@1 SpanRR CharR CharP")
    assert result.table.iloc[0][["SpanHit@1", "SpanRR", "CharR"]].tolist() == [0, 0.5, 1]
    assert result.table["CharP"][0] == pytest.approx(16 / (22 + length))
    assert result.table["placed"][0] == 0.5
    with pytest.raises(EvidenceError, match="1 of 2 retrieved texts") as error:
        evaluate_retrieved(EVIDENCE[:1], {"1": [item, FIRST]}, CORPUS, errors="raise")
    assert error.value.problems[0]["rank"] == 1


def test_a_text_in_another_document_than_it_names_is_found_and_told():
    items = [{"text": text, "docno": "a"} for text in ("Whales sing.", f"Animals > Whales\n\n{SECOND}", FIRST)]
    result = evaluate_retrieved(EVIDENCE[:1], {"1": items}, CORPUS, "SpanHit@1")
    assert result.table["elsewhere"].tolist() == [2]
    located = result.located[["docno", "start", "elsewhere"]].values.tolist()
    assert located == [["b", 59, True], ["b", 22, True], ["a", 20, False]]


@pytest.mark.parametrize(("repeated", "hit"), [("first", 0), ("all", 1), ("any", 1)])
def test_repeated_texts_as_asked(repeated, hit):
    assert located(["Dogs"], repeated="first") == [("a", 44, 48, "first")]
    again = {"x": "The end. Start here. The end."}
    rows = [{"qid": "1", "question": "?", "docno": "x", "start": 21, "end": 29}]
    result = evaluate_retrieved(rows, {"?": ["The end."]}, again, "SpanHit@1", repeated=repeated)
    assert result.table["SpanHit@1"][0] == hit
    assert result.located["status"].tolist() == [repeated]


def test_a_start_tells_repeated_texts_apart():
    again = {"x": "The end. Start here. The end.", "y": "Nothing."}
    rows = [{"qid": "1", "question": "?", "docno": "x", "start": 21, "end": 29}]
    result = evaluate_retrieved(rows, {"?": [{"text": "The end.", "start_index": 21}]}, again, "SpanHit@1")
    assert result.located[["start", "status"]].values.tolist() == [[21, "exact"]]


TEXTS = ["Dogs run in the park.", FIRST, SECOND, "Whales sing.", "Cats sleep all day."]


@pytest.mark.parametrize("order", [TEXTS, TEXTS[::-1], TEXTS[2:] + TEXTS[:2]], ids=["in order", "reversed", "turned"])
def test_the_given_order_is_the_ranking(order):
    result = evaluate_retrieved(EVIDENCE[:1], {"what do cats eat": order}, CORPUS, "SpanRR")
    assert result.table["SpanRR"][0] == 1 / (order.index(FIRST) + 1)
    unpacked = ptf.unpack(result.runs["results"])
    _, start, end = ptf.parse_ids(unpacked["docno"])
    docno = unpacked["docno"].str.rpartition("#")[0]
    assert [CORPUS[d][s:e] for d, s, e in zip(docno, start, end, strict=True)] == order


def test_a_text_retrieved_twice_keeps_both_ranks():
    result = evaluate_retrieved(
        EVIDENCE[:1], {"1": [SECOND, SECOND, FIRST]}, CORPUS, "SpanRR CharP(overlap='once') CharP(overlap='once')@2"
    )
    assert result.table.iloc[0, 4:7].tolist() == [1 / 3, 16 / (22 + len(SECOND)), 0]


MEASURES = (
    "SpanHit@2 SpanR@2 SpanRR CharR(overlap='once')@2 CharP(overlap='once')@2 CharIoU(chars=50,overlap='once') CharMAP"
)


@pytest.fixture(scope="module")
def compared():
    pytest.importorskip("pyterrier_pisa")
    splitters = {
        "sentences": lambda text: [piece + "." for piece in text.split(".") if piece.strip()],
        "30": Windows(30),
        "30, 10 shared": Windows(30, 20),
    }
    return compare_chunkers(CORPUS, EVIDENCE, splitters, measures=MEASURES)


def as_texts(compared):
    """What was retrieved, as texts alone, by system and question."""
    results = {}
    for name, run in compared.runs.items():
        texts = {chunk["docno"]: chunk["text"] for chunk in compared.chunks[name]}
        parts = ptf.unpack(run)
        results[name] = {query: [texts[docno] for docno in of["docno"]] for query, of in parts.groupby("query")}
    return results


def test_texts_alone_score_as_the_same_chunks_through_ids(compared):
    result = evaluate_retrieved(EVIDENCE, as_texts(compared), CORPUS, MEASURES)
    assert result.located["status"].isin(["exact"]).all()
    columns = ["name", *map(str, ptf.parse(MEASURES))]  # systems in the order in which they were given
    pd.testing.assert_frame_equal(result.table[columns], compared.table[columns], rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def real(shared_data):
    """Real questions through ids, and through the texts alone: the comparison and the result."""
    splitters = pytest.importorskip("langchain_text_splitters")
    pytest.importorskip("pyterrier_pisa")
    folder = shared_data / "chunking"
    recursive = splitters.RecursiveCharacterTextSplitter
    systems = {
        "400": recursive(chunk_size=400, chunk_overlap=0),
        "400, 200 shared": recursive(chunk_size=400, chunk_overlap=200),
        "words": Windows(60, unit="words"),
    }
    measures = [*ptf.preset("evidence"), *ptf.preset("budget")]
    compared = compare_chunkers(folder, folder / "questions.csv", systems, measures=measures, k=10)
    return compared, evaluate_retrieved(folder / "questions.csv", as_texts(compared), folder, measures)


@pytest.mark.filterwarnings("ignore:.*left out, not being text or HTML")
def test_texts_of_real_splitters_score_as_through_ids(real):
    compared, result = real
    measures = [column for column in compared.table.columns if column in result.table.columns and column != "name"]
    assert len(measures) == 10
    difference = result.table[measures].to_numpy(dtype=float) - compared.table[measures].to_numpy(dtype=float)
    assert np.abs(difference).max() < 1e-12


def recall_plainly(docnos, spans):
    """The share of the characters of *spans* that parts of one document hold."""
    _, start, end = ptf.parse_ids(docnos)
    read = {i for s, e in zip(start, end, strict=True) for i in range(s, e)}
    relevant = {i for s, e in spans for i in range(s, e)}
    return len(read & relevant) / len(relevant)


def test_recall_of_real_questions_is_that_of_sets_of_characters(real):
    result = real[1]
    spans = dict(zip(result.qrels["qid"], ptf.cells(result.qrels["highlights"]), strict=True))
    parts = ptf.unpack(result.runs["400, 200 shared"]).groupby("qid")["docno"]
    expected = {qid: recall_plainly(docnos.head(5), spans[qid]) for qid, docnos in parts}
    values = result.questions[result.questions["name"] == "400, 200 shared"].set_index("qid")["CharR@5"]
    assert values[list(expected)].to_dict() == pytest.approx(expected, abs=1e-12)


@pytest.fixture
def with_invented(compared):
    results = as_texts(compared)["sentences"]
    results["what do cats eat"].insert(0, "five words that nobody wrote")
    return {"sentences": results}


UNIT = Tokens(CORPUS, str.split)


@pytest.mark.parametrize(
    ("unit", "measures"), [(str.split, None), (UNIT, [ptf.CharP(unit=UNIT, overlap="once") @ 1])], ids=["split", "unit"]
)
def test_a_text_without_a_place_is_measured_in_tokens(with_invented, unit, measures):
    with pytest.warns(UserWarning, match="1 missing"):
        result = evaluate_retrieved(EVIDENCE, with_invented, CORPUS, measures, unit=unit)
    run = result.runs["sentences"]
    assert run[run["qid"] == "1"].iloc[0]["docno"] == "unplaced-1"
    assert measures is None or result.questions[str(measures[0])][0] == 0


def test_intervals_of_hits_are_clopper_and_pearsons():
    results = {"1": [FIRST], "2": [FIRST], "3": [SECOND]}
    result = evaluate_retrieved(EVIDENCE, results, CORPUS, "SpanHit@1")
    low, high = binomtest(2, 3).proportion_ci(method="exact")
    assert result.intervals["mean"].tolist() == [2 / 3]
    assert result.intervals[["low", "high"]].values.tolist() == [pytest.approx([low, high])]


@pytest.mark.parametrize("write", [repr, lambda result: result._repr_html_()], ids=["text", "HTML"])
def test_a_result_shows_its_table_what_it_counts_and_its_intervals(write):
    result = evaluate_retrieved(EVIDENCE[:1], {"1": [FIRST]}, CORPUS, "SpanHit@1 CharP", unit=str.split)
    shown = write(result)
    assert "0.800" in shown
    assert "CharP: text that was retrieved twice counts once" in shown
    assert "CharP: counted in tokens (str.split)" in shown
    assert "95% intervals" in shown


def test_two_systems_are_shown_with_which_is_better():
    """Of four exchanges of the signs of two differences, two make a sum as large: p is .5."""
    results = {"bad": {qid: [SECOND] for qid in "123"}, "good": {"1": [FIRST], "2": [TEXTS[0]], "3": [SECOND]}}
    result = evaluate_retrieved(EVIDENCE, results, CORPUS, "SpanHit@1")
    assert "- SpanHit@1: good is ahead, but not for certain: 1.000 against 0.333 of bad (p = .500; " in repr(result)
    assert "Which is better" not in repr(evaluate_retrieved(EVIDENCE, results["good"], CORPUS, "SpanHit@1"))


def test_a_default_table_has_few_columns():
    result = evaluate_retrieved(EVIDENCE[:1], {"1": [FIRST]}, CORPUS)
    measures = ["SpanHit@5", "CharR@5", "CharP@5", "SpanRR"]
    assert list(result.table) == ["name", "questions", "texts", "placed", *measures, "unplaced", "elsewhere", "whole"]


PAID = "The invoice must be paid within 30 days of its receipt by the customer, and it is not refundable after that."
TERMS = {"a": f"Some words come before the sentence that is asked for. {PAID} More words follow it in the same page."}
TERMS_ASKED = [{"qid": "1", "question": "when", "docno": "a", "quote": PAID}]


@pytest.mark.parametrize(
    ("old", "new", "lacking"),
    [
        ("30 days", "45 days", "30"),
        ("is not refundable", "is refundable", "not"),
        ("30 days of its receipt by the customer", "45 days of its receipt by the client", "30, customer"),
        ("Some words", "Few letters", ""),  # beside the evidence
        ("refundable", "refundahle", ""),  # a letter that OCR changed
        ("the", "the", ""),
    ],
)
def test_words_of_the_evidence_that_a_text_lacks_are_told(old, new, lacking):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = evaluate_retrieved(TERMS_ASKED, {"1": [TERMS["a"].replace(old, new)]}, TERMS, "SpanHit(cover=1)")
    assert result.questions[["SpanHit(cover=1)", "lacking"]].values.tolist() == [[float(not lacking), lacking]]
    told = [str(warning.message) for warning in caught if warning.category is EvaluationWarning]
    assert [message.startswith("for 1 of 1 questions") for message in told] == [True] * bool(lacking)


def test_the_share_of_words_that_are_placed_and_the_texts_that_have_no_place():
    texts = [PAID, f"Five words that nobody wrote. {PAID}", "Nobody wrote this."]
    with pytest.warns(UserWarning, match="1 missing"):
        result = evaluate_retrieved(TERMS_ASKED, {"1": texts}, TERMS)
    words = len(PAID.split())
    assert result.table["placed"][0] == pytest.approx((1 + words / (words + 5)) / 3)
    assert result.table["unplaced"][0] == 1


OVERLAPPING = {"1": [FIRST, "all day. Cats eat fish"]}


@pytest.mark.parametrize("measure", ["CharR", "CharP@2", "CharIoU", "iP@0.1", "AiP", "CharAP", "AgP", "CharF(beta=2)"])
def test_texts_that_overlap_count_once_under_the_name_of_the_measure(measure):
    result = evaluate_retrieved(EVIDENCE[:1], OVERLAPPING, CORPUS, measure)
    (once,) = (asked(overlap="once") for asked in ptf.parse(measure))
    expected = evaluate_retrieved(EVIDENCE[:1], OVERLAPPING, CORPUS, [once]).table[str(once)][0]
    assert result.table[measure][0] == expected
    result.require(f"{measure} > 0")


def test_what_is_asked_for_is_as_it_says():
    result = evaluate_retrieved(EVIDENCE[:1], OVERLAPPING, CORPUS, "CharP(overlap='repeat') CharP")
    assert result.table.iloc[0, 4:6].tolist() == [pytest.approx(24 / 44), pytest.approx(16 / 31)]


LINES = {"a": "one\n\n  two\nthree\n", "b": "four\r\nfive"}
IN_LINES = [{"qid": "1", "question": "?", "docno": "a", "start": 8, "end": 16}]  # o of two, up to the e of three


@pytest.mark.parametrize(
    ("found", "unit", "expected"),
    [
        (["one\n\n  t", "wo\nthree\n"], "lines", [1, 2 / 4]),  # the line of two counts once
        (["one\n\n  t", "five"], "lines", [1 / 2, 1 / 4]),
        (["one", "four"], "documents", [1, 1 / 2]),
        (["one", "four"], "pages", [1, 1 / 2]),
        ([], "lines", [0, 0]),
    ],
)
@pytest.mark.filterwarnings("ignore:system 'results' retrieved nothing")
def test_named_measures_count_lines_pages_and_documents(found, unit, expected, tmp_path):
    result = evaluate_retrieved(IN_LINES, {"1": found}, LINES, "CharR CharP", unit=unit)
    assert result.table[["CharR", "CharP"]].iloc[0].tolist() == pytest.approx(expected)
    assert f"CharR, CharP: counted in {unit}" in repr(result)
    result.save(tmp_path / "r.zip")
    ptf.load_result(tmp_path / "r.zip").require(f"CharR(overlap='once') >= {expected[0]}")


def test_micro_averages_are_of_sums_over_the_questions_with_evidence():
    rows = [*EVIDENCE[:2], {"qid": "n", "question": "who flies", "references": []}]
    with pytest.warns(UserWarning, match="no evidence: 'n'"):
        result = evaluate_retrieved(rows, {"1": [FIRST, FIRST], "2": ["Dogs run in"], "n": [SECOND]}, CORPUS)
    assert result.micro("CharR CharP").values.tolist() == [["results", (16 + 6) / (16 + 16), (16 + 6) / (22 + 11)]]


def test_named_measures_count_in_the_unit():
    result = evaluate_retrieved(EVIDENCE[:1], OVERLAPPING, CORPUS, "CharR CharP@1 SpanHit", unit=str.split)
    assert result.table.iloc[0, 4:7].tolist() == [1, 4 / 5, 1]


@pytest.fixture(scope="module")
def good_and_bad():
    results = {"good": {"1": [FIRST], "2": ["Dogs run in the park."], "3": [SECOND]},
               "bad": {"1": [SECOND], "2": [SECOND], "3": [SECOND]}}  # fmt: skip
    return evaluate_retrieved(EVIDENCE, results, CORPUS, "SpanRR")


@pytest.mark.parametrize(
    ("requirement", "system"),
    [("SpanHit@5 >= 0.3", None), ("SpanHit@1 > 99.9%", "good"), ("CharR(chars=100, overlap='once') >= 1", "good")],
)
def test_requirements_that_hold_pass(good_and_bad, requirement, system):
    good_and_bad.require(requirement, system=system)


def test_a_requirement_that_fails_names_the_system_and_its_questions(good_and_bad):
    message = r"'bad' fails 'SpanHit@5 >= 0.8': it is 0.3333 over 3 questions"
    with pytest.raises(RequirementError, match=message) as error:
        good_and_bad.require("SpanHit@5 >= 0.8")
    assert "what do cats eat" in str(error.value)
    assert "'good'" not in str(error.value)
    assert error.value.questions[["qid", "value"]].values.tolist() == [["1", 0], ["2", 0], ["3", 1]]


def test_a_requirement_can_ask_for_less(good_and_bad):
    with pytest.raises(RequirementError, match="fails 'SpanRR < 1'"):
        good_and_bad.require("SpanRR < 1", system="good")


@pytest.mark.parametrize(
    ("requirement", "system", "message"),
    [
        ("SpanHit@5", None, "not a requirement"),
        ("SpanHit@5 >= many", None, "not a requirement"),
        ("SpanHit@5 AP > 0.1", None, "names 2 measures"),
        ("Nothing > 0.5", None, "no measure is called"),
        ("SpanRR > 0", "ugly", "no system is called 'ugly'"),
    ],
)
def test_requirements_that_are_none_are_refused(good_and_bad, requirement, system, message):
    with pytest.raises(ValueError, match=message):
        good_and_bad.require(requirement, system=system)


@pytest.mark.parametrize(("found", "abstain"), [([], 1), ([SECOND], 0)])
def test_questions_without_an_answer(found, abstain):
    rows = [*EVIDENCE[:1], {"qid": "n", "question": "who flies", "references": []}]
    with pytest.warns(UserWarning, match="no evidence: 'n'"):
        result = evaluate_retrieved(rows, {"what do cats eat": [FIRST], "who flies": found}, CORPUS)
    row = result.table.iloc[0]
    assert (row["Abstain"], row["SpanHit@5"], row["CharR@5"]) == (abstain, 1, 1)
    assert result.questions["texts"].tolist() == [1, len(found)]
    result.require("SpanHit@5 >= 1")


def test_articles_judged_without_evidence_are_no_questions_without_an_answer():
    qrels = ptf.read_spans(EVIDENCE[:1], CORPUS)
    judged = pd.concat([qrels, qrels.assign(docno="b", label=0, highlights=pd.Series([[]], dtype=object))])
    result = evaluate_retrieved(judged, {"1": [FIRST]}, CORPUS)
    assert "Abstain" not in result.table
    assert result.table["SpanHit@5"][0] == 1


def test_questions_that_only_one_side_has():
    with pytest.warns(UserWarning, match="1 questions of the results have no evidence and are not scored: 'who'"):
        result = evaluate_retrieved(EVIDENCE[:1], {"1": [FIRST], "who": [FIRST]}, CORPUS, "SpanRR")
    assert len(result.questions) == 1
    with pytest.warns(UserWarning, match="no results for 2 questions, which score as empty: '2', '3'"):
        result = evaluate_retrieved(EVIDENCE, {"1": [FIRST]}, CORPUS, "SpanRR")
    assert result.questions["SpanRR"].tolist() == [1, 0, 0]
    with pytest.raises(ValueError, match="none of its 1 questions has evidence"):
        evaluate_retrieved(EVIDENCE, {"who": [FIRST]}, CORPUS)
    with pytest.raises(ValueError, match="question '1' is there twice"):
        evaluate_retrieved(EVIDENCE, {"1": [FIRST], "what do cats eat": []}, CORPUS)


def test_a_question_over_several_documents_stays_one():
    rows = [{"question": "who sleeps", "docno": "a", "quote": "Cats sleep"},
            {"question": "who sleeps", "docno": "b", "quote": "Whales sing"}]  # fmt: skip
    result = evaluate_retrieved(rows, {"who sleeps": ["Cats sleep all day."]}, CORPUS, "SpanR")
    assert result.questions[["qid", "SpanR"]].values.tolist() == [["1", 0.5]]


@pytest.mark.parametrize("nothing", [[], ptf.read_spans(EVIDENCE, CORPUS).iloc[:0]], ids=["list", "frame"])
def test_evidence_without_a_question(nothing):
    with pytest.raises(ValueError, match="the evidence holds no question"):
        evaluate_retrieved(nothing, {"1": [FIRST]}, CORPUS)


def test_documents_with_white_space_in_their_names():
    corpus = {"My cats.txt": CORPUS["a"], 7: CORPUS["b"]}
    rows = [{"qid": "1", "question": "?", "document": "My cats.txt", "quote": "eat fish at noon"}]
    results = {"1": [langchain(FIRST, source="files/My cats.txt"), {"docno": 7, "start": 0, "end": 21}]}
    result = evaluate_retrieved(rows, results, corpus, "SpanRR")
    assert result.located[["docno", "status"]].values.tolist() == [["My_cats.txt", "exact"], ["7", "given"]]
    assert result.table["SpanRR"][0] == 1


@pytest.mark.filterwarnings("ignore:system 'results' has no results for 2 questions")
def test_no_measures():
    with pytest.raises(ValueError, match="no measures given; name some"):
        evaluate_retrieved(EVIDENCE, {"1": [FIRST]}, CORPUS, "")


def test_texts_that_occur_twice_are_not_called_those_of_another_corpus():
    with pytest.warns(UserWarning, match=r"\(1 repeated\).*repeated='any' takes the occurrence with most") as caught:
        evaluate_retrieved(EVIDENCE[:1], {"1": ["Twice."]}, {**CORPUS, "t": "Twice. Or Twice."}, "SpanHit@5")
    assert "is this the corpus" not in str(caught[0].message)


def test_an_unknown_document_is_named_if_there_is_no_text():
    lines = [{"source": "nowhere.txt", "start_line": 1, "end_line": 2}, FIRST]
    with pytest.warns(UserWarning, match=r"unknown article, the corpus has no document 'nowhere.txt'"):
        evaluate_retrieved(EVIDENCE[:1], {"1": lines}, CORPUS, "SpanHit@5")


def test_texts_of_another_corpus_are_one_warning_that_names_no_article():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate_retrieved(EVIDENCE[:1], {"1": ["Nobody wrote this.", "Nor that."]}, CORPUS, "SpanHit@5")
    (warning,) = caught
    assert issubclass(warning.category, ForeignIdsWarning)
    assert "2 of 2 retrieved texts" in str(warning.message)
    assert "of system 'results' none could be: is this the corpus that it searched?" in str(warning.message)


def test_articles_without_evidence_are_no_foreign_ids():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = evaluate_retrieved(EVIDENCE[:1], {"1": [SECOND]}, CORPUS, "SpanHit@5")
    assert result.table["SpanHit@5"][0] == 0


def test_nothing_retrieved_at_all():
    with pytest.warns(UserWarning, match="retrieved nothing for any of its 1 questions"):
        result = evaluate_retrieved(EVIDENCE[:1], {"1": []}, CORPUS)
    assert result.table["SpanHit@5"].tolist() == [0]
    assert result.located.empty
    assert result.table["placed"].tolist() == [1]


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ({}, "the results are empty"),
        ([FIRST], "results are {question:"),
        ({"1": FIRST}, "question '1': give a list"),
        ({"1": [7]}, "question '1', item 1: 7 is nothing that was retrieved"),
        ({"s": {"1": [FIRST, {}]}}, "system 's', question '1', item 2: {}"),
    ],
)
def test_results_that_are_none(results, message):
    with pytest.raises(ValueError, match=message):
        evaluate_retrieved(EVIDENCE, results, CORPUS)


def test_a_qrels_frame_and_a_frame_of_results():
    qrels = ptf.read_spans(EVIDENCE, CORPUS)
    frame = pd.DataFrame({"qid": ["1", "1", "2"], "text": [SECOND, FIRST, FIRST], "docno": ["b", None, "a"]})
    with pytest.warns(UserWarning, match="no results for 1 questions"):
        result = evaluate_retrieved(qrels, frame, CORPUS, "SpanRR")
    assert result.questions["SpanRR"].tolist() == [0.5, 0, 0]
    with pytest.raises(ValueError, match="judge 1 articles that are not in the corpus"):
        evaluate_retrieved(qrels, frame, {"a": CORPUS["a"]})


def test_plot():
    pytest.importorskip("matplotlib").use("Agg")
    with pytest.warns(UserWarning, match="1 missing"):
        result = evaluate_retrieved(EVIDENCE, {q["qid"]: [FIRST, "Who wrote this?"] for q in EVIDENCE[:1]} |
                                    {"2": [], "3": [SECOND]}, CORPUS)  # fmt: skip
    assert [line.get_label() for line in result.plot().get_lines()] == ["results"]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "rows",
    [
        [{"qid": "1", "text": SECOND}, {"qid": "1", "text": FIRST}, {"qid": "3", "text": SECOND}],
        [{"question": "what do cats eat", "retrieved_contexts": [SECOND, FIRST]},
         {"user_input": "is a whale a fish", "contexts": [{"page_content": SECOND}]}],
        [{"what do cats eat": [SECOND, FIRST], "3": [{"docno": "b", "start": 22, "end": 58}]}],
        [{"system": "s", "query_id": 1, "results": [["b", 22, 58], "a#20-42"]},
         {"system": "s", "qid": 3, "text": SECOND}],
    ],
)  # fmt: skip
def test_files_of_results(rows, tmp_path):
    read = read_retrieved(write(tmp_path / "mine.jsonl", rows))
    assert list(read) == ["s" if "system" in rows[0] else "mine"]
    with pytest.warns(UserWarning, match="no results for 1 questions"):
        result = evaluate_retrieved(EVIDENCE, tmp_path / "mine.jsonl", CORPUS, "SpanRR")
    assert result.questions["SpanRR"].tolist() == [0.5, 0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("text\nx\n", r"r\.csv:2: the row has neither a question id"),
        ("qid,score\n1,2\n", r"r\.csv:2: the row names nothing that was retrieved"),
        ("qid,contexts\n1,x\n", r"r\.csv:2: 'contexts': give a list"),
        ("qid,text\n", r"r\.csv: the file holds no results"),
        ('qid,text\n1,"x\n', r"r\.csv:\d: this is not CSV"),
    ],
)
def test_files_that_are_no_results(text, message, tmp_path):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_retrieved(tmp_path / "r.csv")


@pytest.fixture
def files(tmp_path):
    for name, text in CORPUS.items():
        (tmp_path / "corpus" / f"{name}.txt").parent.mkdir(exist_ok=True)
        (tmp_path / "corpus" / f"{name}.txt").write_text(text, encoding="utf-8")
    write(tmp_path / "evidence.jsonl", EVIDENCE)
    with open(tmp_path / "mine.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["qid", "text"], ["1", FIRST], ["2", FIRST], ["3", "Nobody said this."]])
    return tmp_path


def command(files, *arguments):
    paths = ["--corpus", str(files / "corpus"), "--evidence", str(files / "evidence.jsonl")]
    return main(["retrieved", *paths, *arguments])


@pytest.mark.filterwarnings("ignore:1 of 3 retrieved")
def test_the_command_of_retrieved_texts_writes_its_table_and_files(files):
    pytest.importorskip("matplotlib").use("Agg")
    kinds = {"questions": "csv", "located": "csv", "plot": "svg"}
    outputs = {name: files / f"{name}.{kind}" for name, kind in kinds.items()}
    options = [f"--{name}={path}" for name, path in outputs.items()]
    mine = str(files / "mine.csv")
    table = str(files / "table.csv")
    assert command(files, mine, "-m", "SpanHit@5", "-o", table, "--require", "SpanHit@5 >= 0.3", *options) == 0
    header, row = csv.reader((files / "table.csv").read_text(encoding="utf-8").splitlines())
    assert header[:5] == ["name", "questions", "texts", "placed", "SpanHit@5"]
    assert [*row[:3], float(row[4])] == ["mine", "3", "3", pytest.approx(1 / 3)]
    assert pd.read_csv(outputs["questions"])["SpanHit@5"].tolist() == [1, 0, 0]
    assert pd.read_csv(outputs["located"])["status"].tolist() == ["exact", "exact", "missing"]
    assert outputs["plot"].stat().st_size


@pytest.mark.filterwarnings("ignore:1 of 3 retrieved")
@pytest.mark.parametrize(
    ("systems", "options", "code", "message"),
    [
        (1, "--unit words --require SpanHit@5>=80% --require SpanRR>0.1", 1, "fails 'SpanHit@5>=80%': it is 0.3333"),
        (2, "", 2, "two systems called 'mine'"),
    ],
)
def test_the_command_of_retrieved_texts_tells_what_fails(files, capsys, systems, options, code, message):
    assert command(files, *[str(files / "mine.csv")] * systems, *options.split()) == code
    assert message in capsys.readouterr().err


def test_unplaced_texts_by_brute_force():
    """Whatever cannot be placed is text of an article of its own, over sets of characters."""
    items = [FIRST, "Nobody said this.", "Dogs", FIRST[:10], "Nobody said this."]
    measures = "CharR(overlap='once') CharP(overlap='once') CharIoU(chars=30,overlap='once') SpanRR CharMAP"
    with pytest.warns(UserWarning, match="3 of 5"):
        result = evaluate_retrieved(EVIDENCE[:1], {"1": items}, CORPUS, measures)
    spans = [("a", 20, 42), ("x", 0, 17), ("y", 0, 4), ("a", 20, 30), ("x", 0, 17)]
    run = [
        (docno, -min(i for i, span in enumerate(spans) if span[0] == docno),
         [(s, e, -i) for i, (d, s, e) in enumerate(spans) if d == docno])
        for docno in ("a", "x", "y")
    ]  # fmt: skip
    qrels = [("a", 1, [(25, 41)])]
    once, cut = evidence.budget(run, qrels, None, None, "once"), evidence.budget(run, qrels, 30, None, "once")
    ranked = [evidence.span_rr(run, qrels, 0.5), evidence.char_map(run, qrels, "passage2")]
    expected = [once["r"], once["p"], cut["iou"], *ranked]
    assert result.table.iloc[0, 4:9].tolist() == pytest.approx(list(map(float, expected)), abs=1e-12)


@pytest.mark.parametrize("function", [evaluate_retrieved, compare_chunkers])
def test_a_collection_is_given_as_the_corpus(function):
    with pytest.raises(TypeError, match=f"{function.__name__}\\(\\) takes no collection=; give the texts as corpus="):
        function(EVIDENCE, {}, collection=CORPUS)
