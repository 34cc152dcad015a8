"""Evidence in every shape that is read, and what is said of evidence that cannot be placed."""

import contextlib
import csv
import gc
import json
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import plain
from readings import lines, write

from pyterrier_focused import cells as span_cells
from pyterrier_focused.collection.corpora import read_corpus
from pyterrier_focused.errors import CollectionError, EvidenceError, FormatError
from pyterrier_focused.frames.checks import check_qrels
from pyterrier_focused.rag.evidence import locate_spans, read_spans

TEXT = "Alpha is first. Beta is second. Alpha is first, they say. “Gamma”\nis third."
CORPUS = {"d1": TEXT, "d2": "Another text. Beta is second."}


def cells(qrels):
    check_qrels(qrels)
    return {(row.qid, row.docno): row.highlights for row in plain(qrels).itertuples()}


def test_evidence_becomes_a_frame_of_qrels():
    qrels = read_spans([{"qid": "q", "query": "what?", "docno": "d1", "start": 16, "end": 31}], CORPUS)
    assert list(qrels.columns) == ["qid", "docno", "label", "highlights", "bep", "length", "query"]
    assert plain(qrels).iloc[0].tolist() == ["q", "d1", 1, [(16, 31)], 16, len(TEXT), "what?"]
    assert qrels["length"].dtype == "int64"


@pytest.mark.parametrize(
    "row",
    [
        {"qid": "q", "docno": "d1", "start": 16, "end": 31},
        {"query_id": "q", "doc_id": "d1", "start_index": "16", "end_index": "31"},
        {"question_id": "q", "document": "d1", "offset": 16, "length": 15},
        {"qid": "q", "docno": "d1", "start": 16.0, "end": 31.0},  # as pandas reads columns with gaps
        {"qid": "q", "docno": "d1", "quote": "Beta is second."},
        {"qid": "q", "docno": "d1", "content": "BETA  is\nsecond."},
        {"qid": "q", "docno": "d1", "quote": "Beta is second.", "start": 16},
        {"qid": "q", "docno": "d1", "quote": "Beta is second.", "start": 16, "end": 31},
        {"qid": "q", "docno": "d1", "quote": "Beta is second.", "start": -1, "end": float("nan")},
        {"qid": "q", "docno": "d1", "references": [{"content": "Beta is second.", "start_index": 16, "end_index": 31}]},
        {"qid": "q", "docno": "d1", "spans": [[16, 20], (18, 31)]},
        {"qid": "q", "docno": "d1", "quotes": ["Beta is", "is second."]},
        {"qid": "q", "reference_contexts": "['Beta is second.']", "file": "d1"},
    ],
)
@pytest.mark.parametrize(("name", "delimiter"), [("e.csv", ","), ("e.tsv", "\t"), ("semicolons.csv", ";")])
def test_evidence_is_read_in_every_shape_and_file(row, tmp_path, name, delimiter):
    found = {("q", "d1"): [(16, 31)]}
    assert cells(read_spans([row], CORPUS, errors="skip")) == found
    assert cells(read_spans(pd.DataFrame([row]), CORPUS)) == found
    clean = {key: value for key, value in row.items() if value == value}
    assert cells(read_spans(write(tmp_path / "e.jsonl", lines(clean)), CORPUS)) == found
    flat = {key: json.dumps(value) if isinstance(value, list | tuple) else value for key, value in clean.items()}
    with open(tmp_path / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(flat), delimiter=delimiter)
        writer.writeheader()
        writer.writerow(flat)
    assert cells(read_spans(tmp_path / name, CORPUS)) == found


def test_columns_of_other_names_are_given_by_name():
    rows = [{"Frage": "was?", "Dok": "d1", "Zitat": "Beta is second."}]
    columns = {"query": "Frage", "docno": "Dok", "quote": "Zitat"}
    assert cells(read_spans(rows, CORPUS, columns=columns)) == {("1", "d1"): [(16, 31)]}
    with pytest.raises(ValueError, match="is none of"):
        read_spans(rows, CORPUS, columns={"zitat": "Zitat"})


def test_questions_without_ids_are_numbered_by_their_text():
    rows = [{"question": q, "docno": "d1", "start": s, "end": s + 2} for q, s in (("b?", 0), ("a?", 3), ("b?", 9))]
    qrels = read_spans(rows)
    assert cells(qrels) == {("1", "d1"): [(0, 2), (9, 11)], ("2", "d1"): [(3, 5)]}
    assert qrels["query"].tolist() == ["b?", "a?"]
    assert qrels["length"].tolist() == [-1, -1]  # no corpus tells


def test_rows_of_one_question_name_several_articles():
    rows = [
        {"question": "which?", "docno": docno, "quote": quote}
        for docno, quote in (("d1", "Alpha is first."), ("d2", "Another text."))
    ]
    assert list(cells(read_spans(rows, CORPUS, repeated="first"))) == [("1", "d1"), ("1", "d2")]


def test_overlapping_evidence_is_merged_and_touching_evidence_is_not():
    rows = [{"qid": "q", "docno": "d1", "start": s, "end": e} for s, e in ((5, 9), (0, 3), (8, 12), (3, 5), (6, 7))]
    assert cells(read_spans(rows)) == {("q", "d1"): [(0, 3), (3, 5), (5, 12)]}


def test_evidence_may_lie_in_several_articles():
    rows = [{"qid": "q", "references": [{"docno": "d2", "quote": "Beta"}, {"docno": "d1", "quote": "third"}]}]
    assert cells(read_spans(rows, CORPUS)) == {("q", "d2"): [(14, 18)], ("q", "d1"): [(69, 74)]}


def test_the_only_article_needs_no_name():
    assert cells(read_spans([{"qid": "q", "quote": "third"}], {"d1": TEXT})) == {("q", "d1"): [(69, 74)]}


def test_quotes_without_a_document_are_looked_for_in_all():
    rows = [{"qid": "q", "quote": "third"}, {"qid": "q", "quote": "another  TEXT."}]
    assert cells(read_spans(rows, CORPUS)) == {("q", "d1"): [(69, 74)], ("q", "d2"): [(0, 13)]}


IN_BOTH = [{"qid": "q", "quote": "Beta is second."}]


def test_a_quote_that_two_documents_have_is_an_error():
    with pytest.raises(EvidenceError, match=r"d1, d2: found more than once, at \[16, 31\), \[14, 29\)") as error:
        read_spans([{"qid": "q", "quote": "third"}, *IN_BOTH], CORPUS)
    assert error.value.problems[0]["status"] == "repeated"


@pytest.mark.parametrize(
    ("repeated", "expected"),
    [
        ("first", {("q", "d1"): [(16, 31)]}),
        ("all", {("q", "d1"): [(16, 31)], ("q", "d2"): [(14, 29)]}),
        ("any", {("q", "d1"): [(16, 31)], ("q", "d2"): [(14, 29)]}),
    ],
)
def test_a_quote_that_two_documents_have_is_taken_as_asked(repeated, expected):
    assert cells(read_spans(IN_BOTH, CORPUS, repeated=repeated)) == expected


def test_any_of_the_places_of_a_quote_is_an_alternative():
    qrels = read_spans(IN_BOTH, CORPUS, repeated="any")
    assert [list(cell) for cell in qrels["alternatives"]] == [[1], [2]]


def test_quotes_may_differ_in_case_and_quotation_marks():
    rows = [{"qid": "q", "docno": "d1", "quote": '"gamma" is third.'}]
    assert cells(read_spans(rows, CORPUS)) == {("q", "d1"): [(58, 75)]}
    assert locate_spans(rows, CORPUS)[["status", "places"]].iloc[0].tolist() == ["tolerant", [(58, 75)]]


TWICE = [{"qid": "q", "docno": "d1", "quote": "Beta"}, {"qid": "r", "docno": "d1", "quote": "Alpha is first"}]


def test_a_quote_that_is_found_twice_is_an_error_with_its_places():
    with pytest.raises(EvidenceError) as error:
        read_spans(TWICE, CORPUS)
    assert "1 of 2 pieces of evidence cannot be placed (1 found more than once)" in str(error.value)
    place = "question 'r', article 'd1': found more than once, at [0, 14), [32, 46): 'Alpha is first'"
    assert place in str(error.value)
    assert error.value.problems[0]["places"] == [(0, 14), (32, 46)]


@pytest.mark.parametrize(("repeated", "expected"), [("first", [(0, 14)]), ("all", [(0, 14), (32, 46)])])
def test_a_quote_that_is_found_twice_is_taken_as_asked(repeated, expected):
    assert cells(read_spans(TWICE, CORPUS, repeated=repeated))["r", "d1"] == expected


def test_a_quote_that_is_found_twice_is_left_out_with_a_warning():
    with (
        pytest.warns(UserWarning, match="left out: 1 of 2 pieces"),
        pytest.warns(UserWarning, match="1 questions have no evidence left and are not judged: 'r'"),
    ):
        assert cells(read_spans(TWICE, CORPUS, errors="skip")) == {("q", "d1"): [(16, 20)]}


def test_a_table_tells_which_quotes_are_found_and_how_often():
    table = locate_spans(TWICE, CORPUS)
    assert table["status"].tolist() == ["exact", "repeated"]
    assert table["where"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"docno": "d1", "quote": "Delta"}, "not found: 'Delta'"),
        ({"quote": "Delta"}, "names no document, and is in none of 2"),
        ({"docno": "d3", "quote": "Beta"}, "in an unknown article: 'Beta' .*it has d1, d2"),
        ({"docno": "d1", "start": 70, "end": 80}, "outside the article .*not a span of the 75 characters"),
        ({"docno": "d1", "start": 9, "end": 9}, r"outside the article .*start 9, end 9 is not a span"),
        ({"docno": "d1", "start": 0, "end": 4, "quote": "Beta"}, r"\[16, 20\).*the text at \[0, 4\) is 'Alph'"),
        ({"docno": "d1", "start": 15, "end": 19, "quote": "Beta"}, r"\[16, 20\).*the text at \[15, 19\)"),
        ({"docno": "d1", "start": 73, "end": 75, "quote": "third"}, "count characters, not bytes"),
    ],
)
def test_evidence_that_cannot_be_placed_is_an_error_that_says_why(row, message):
    with pytest.raises(EvidenceError, match=message):
        read_spans([{"qid": "q", **row}], CORPUS)


def test_every_fault_is_in_one_error():
    rows = [{"qid": "q", "docno": "d1", "quote": f"none {i}"} for i in range(7)]
    with pytest.raises(EvidenceError, match=r"7 of 7 .*\n(.*\n){5}  and 2 more, which locate_spans") as error:
        read_spans(rows, CORPUS)
    assert len(error.value.problems) == 7


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"docno": "d1", "start": 0, "end": 1}], "neither a question id"),
        ([{"qid": "q", "docno": "d1"}], "give the documents as corpus="),
        ([{"qid": "q", "docno": "d1", "gold": "x"}], "neither start and end nor a quoted text"),
        ([{"qid": "q", "docno": "d1", "start": 0}], "neither start and end"),
        ([{"qid": "q", "docno": "d1", "start": 0.5, "end": 3}], "'start' is 0.5, no whole number"),
        ([{"qid": "q", "docno": "d1", "start": True, "end": 3}], "'start' is True"),
        ([{"qid": "q", "docno": "d1", "start": "1e3", "end": 3}], "'start' is '1e3'"),
        ([{"qid": "q", "docno": "d1", "end": 3, "quote": "x"}], "no start"),
        ([{"qid": "q", "docno": "d1", "references": "nothing"}], "no list as JSON or Python writes it"),
        ([{"qid": "q", "docno": "d1", "references": [7]}], "'references' holds 7"),
        ([{"qid": "q", "docno": "d1", "references": [{"start": 3}]}], "which has neither"),
        (["text"], "not a row with named fields"),
        ([{"qid": "q", "query": "a", "docno": "d1", "start": 0, "end": 1}, {"qid": "q", "query": "b", "docno": "d1",
           "start": 0, "end": 1}], "has two texts"),
        ([{"qid": "q", "docno": "d1", "start": 0, "end": 1}, {"query": "b", "docno": "d1", "start": 0, "end": 1}],
         "has no id, and others have"),
        ([{"qid": "q", "quote": "x"}], "names no document, and no corpus"),
        ([{"qid": "q", "docno": "d1", "quote": "x"}], "give the documents as corpus="),
    ],
)  # fmt: skip
def test_rows_that_are_wrong_are_refused(rows, message):
    with pytest.raises(FormatError, match=message):
        read_spans(rows)


@pytest.mark.parametrize("source", [7, {"qid": "q"}, None])
def test_what_is_no_source_of_evidence_is_refused(source):
    with pytest.raises(ValueError, match="evidence is a path, a DataFrame or a list of dicts"):
        read_spans(source)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"repeated": "last"}, "repeated='last'; choose one of 'report', 'first', 'all', 'any'"),
        ({"fuzzy": 0.2}, "give how alike a text must be"),
        ({"fuzzy": 95}, "give how alike a text must be"),
        ({"errors": "ignore"}, "errors="),
    ],
)
def test_options_that_do_not_exist_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        read_spans([], **option)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"qid": "1", "docno": "d1", "start": 0, "end": 1}\n\n{"qid"\n', r"e\.jsonl:3: this is not a line of JSON"),
        ('qid,docno,start,end\n1,d1,"0\n', r"e\.csv:\d+: this is not CSV"),
        ("qid,docno,start,end\n1,d1,0,1\n\n2,d1,0\n", r"e\.csv:4: the row has 3 fields, the header 4"),
        ("qid,docno,start,end\n1,d1,0,x\n", r"e\.csv:2: 'end' is 'x'"),
        ('qid,docno,quote\n1,d1,"two\nlines"\n2,,\n', r"e\.csv:4: .*neither start"),
    ],
)
def test_errors_name_file_and_line_of_read_spans(content, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        read_spans(write(tmp_path / ("e.jsonl" if content[0] == "{" else "e.csv"), content), CORPUS)


def test_evidence_that_is_not_utf8_is_refused(tmp_path):
    (tmp_path / "b.csv").write_bytes(b"qid,docno\n\xff")
    with pytest.raises(FormatError, match="not UTF-8"):
        read_spans(tmp_path / "b.csv")


def test_a_quote_may_be_long(tmp_path):
    text = "word " * 60_000
    write(tmp_path / "e.csv", f'qid,docno,quote\n1,d,"{text}"\n')
    assert cells(read_spans(tmp_path / "e.csv", {"d": text})) == {("1", "d"): [(0, len(text))]}


@pytest.mark.parametrize(("docno", "place"), [({"docno": "d1"}, "d1"), ({}, "-")], ids=["in a document", "anywhere"])
def test_questions_without_evidence_are_named(docno, place):
    rows = [{"qid": "q", "docno": "d1", "start": 0, "end": 1}, {"qid": "r", "references": [], **docno}]
    with pytest.warns(UserWarning, match="1 questions have no evidence: 'r'; Abstain scores these"):
        qrels = read_spans(rows, CORPUS if docno else None)
    assert cells(qrels) == {("q", "d1"): [(0, 1)], ("r", place): []}
    assert qrels["label"].tolist() == [1, 0]


@pytest.mark.filterwarnings("ignore:the evidence. left out")
def test_questions_whose_evidence_is_left_out_are_not_judged():
    rows = [{"qid": "q", "docno": "d1", "start": 0, "end": 1}, {"qid": "r", "docno": "d1", "quote": "nowhere"}]
    with pytest.warns(UserWarning, match="1 questions have no evidence left and are not judged: 'r'"):
        assert cells(read_spans(rows, CORPUS, errors="skip")) == {("q", "d1"): [(0, 1)]}


SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "The Normans",
            "paragraphs": [
                {"context": "Normans lived.", "qas": [{"id": "a", "question": "Who?", "answers": [
                    {"text": "Normans", "answer_start": 0}, {"text": "Normans lived", "answer_start": 0}]}]},
                {"context": "They lived in Normandy.", "qas": [
                    {"id": "b", "question": "Where?", "answers": [{"text": "Normandy", "answer_start": 14}]},
                    {"id": "c", "question": "Why?", "is_impossible": True, "answers": []}]},
            ],
        }
    ],
}  # fmt: skip


@pytest.fixture
def squad(tmp_path):
    return write(tmp_path / "squad.json", SQUAD)


def test_squad_is_a_corpus_too(squad):
    corpus = read_corpus(squad)
    assert corpus.values.tolist() == [["The_Normans", "Normans lived.\n\nThey lived in Normandy."]]
    assert corpus["text"][0][30:38] == "Normandy"


def test_squad_has_alternatives_and_questions_without_evidence(squad):
    with pytest.warns(UserWarning, match="'c'"):
        qrels = read_spans(squad)
    assert cells(qrels) == {
        ("a", "The_Normans"): [(0, 7), (0, 13)], ("b", "The_Normans"): [(30, 38)], ("c", "The_Normans"): [],
    }  # fmt: skip
    assert [list(cell) for cell in qrels["alternatives"]] == [[1, 2], [1], []]
    assert qrels["query"].tolist() == ["Who?", "Where?", "Why?"]


@pytest.mark.parametrize(
    ("answers", "spans"),
    [
        ([("CANNOTANSWER", 8)], []),  # as QuAC says it
        ([("CANNOTANSWER", 8), ("ran", 3)], [(10, 13)]),
        ([("He", -1)], [(7, 9)]),  # in its own paragraph
        ([("He", 0), ("ran", -1)], [(7, 9), (10, 13)]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*have no evidence")
def test_answers_of_squad_without_a_place(answers, spans, tmp_path):
    pairs = [{"text": text, "answer_start": start} for text, start in answers]
    paragraphs = [{"context": "He.  ", "qas": []}, {"context": "He ran. CANNOTANSWER", "qas": [
        {"id": "a", "question": "Who?", "answers": pairs}]}]  # fmt: skip
    squad = write(tmp_path / "quac.json", {"data": [{"title": "t", "paragraphs": paragraphs}]})
    assert cells(read_spans(squad)) == {("a", "t"): spans}


@pytest.mark.parametrize(
    "corpus",
    [{"x": "Intro. They lived in Normandy. Normans lived."}, {"x": "They lived in Normandy.", "y": "Normans lived."}],
    ids=["one text", "two texts"],
)
def test_squad_is_found_in_texts_of_other_names(squad, corpus):
    with pytest.warns(UserWarning, match="'c'"):
        found = cells(read_spans(squad, corpus))
    quotes = {qid: [corpus[docno][s:e] for s, e in cell] for (qid, docno), cell in found.items()}
    assert quotes == {"a": ["Normans", "Normans lived"], "b": ["Normandy"], "c": []}


def test_squad_may_come_in_rows():
    row = {"id": "b", "question": "Where?", "title": "N", "context": "They lived in Normandy.",
           "answers": {"text": ["Normandy"], "answer_start": [14]}}  # fmt: skip
    assert cells(read_spans([row], {"x": "Yes. They lived in Normandy."})) == {("b", "x"): [(19, 27)]}


def test_squad_without_its_fields_is_refused(tmp_path):
    with pytest.raises(FormatError, match="not as SQuAD's"):
        read_spans(write(tmp_path / "s.json", {"data": [{"title": "x", "paragraphs": [{"qas": []}]}]}))
    broken = {"data": [{"title": "x", "paragraphs": [{"context": "c", "qas": [{"answers": [{"text": "c"}]}]}]}]}
    with pytest.raises(FormatError, match="not as SQuAD's"):
        read_spans(write(tmp_path / "s.json", broken))


KILT_PAGE = {"wikipedia_id": "42", "wikipedia_title": "Email marketing", "text": ["Email marketing\n", "It is old.\n",
             "Section::::Uses.\n", "It sells.\n"]}  # fmt: skip


def kilt(**place):
    return {"id": "k", "input": "What?", "output": [{"answer": "x", "provenance": [{"wikipedia_id": "42", **place}]}]}


@pytest.mark.parametrize(
    ("place", "quote"),
    [
        ({"start_paragraph_id": 1, "start_character": 3, "end_paragraph_id": 1, "end_character": 9}, "is old"),
        ({"start_paragraph_id": 1, "start_character": 6, "end_paragraph_id": 3, "end_character": 2},
         "old.\nSection::::Uses.\nIt"),
        ({"start_paragraph_id": 3, "start_character": -1, "end_paragraph_id": 3, "end_character": -1}, "It sells.\n"),
        ({"start_paragraph_id": None}, "".join(KILT_PAGE["text"])),
    ],
)  # fmt: skip
@pytest.mark.parametrize("corpus", [lambda pages: pages, read_corpus, lambda pages: {"42": "".join(KILT_PAGE["text"])}],
                         ids=["file", "corpus", "texts"])  # fmt: skip
def test_paragraphs_of_kilt_are_found_in_pages_and_texts(place, quote, corpus, tmp_path):
    none = {"id": "n", "input": "N?", "output": [{"answer": "x"}]}
    evidence = write(tmp_path / "kilt.jsonl", lines(kilt(**place), none))
    pages = write(tmp_path / "pages.jsonl", lines(KILT_PAGE))
    with pytest.warns(UserWarning, match="'n'"):
        ((start, end),) = cells(read_spans(evidence, corpus(pages)))["k", "42"]
    assert "".join(KILT_PAGE["text"])[start:end] == quote


def test_paragraphs_of_kilt_beyond_the_page_are_refused(tmp_path):
    place = {"start_paragraph_id": 9, "start_character": 0, "end_paragraph_id": 9, "end_character": 1}
    with pytest.raises(EvidenceError, match="paragraphs 9 to 9 are not among the article's"):
        read_spans(write(tmp_path / "kilt.jsonl", lines(kilt(**place))), {"42": "one\ntwo"})


def beir(folder, *passages, judged=(("q", "p1", 1), ("q", "p2", 0), ("r", "p2", 2))):
    write(folder / "corpus.jsonl", lines(*passages))
    write(folder / "queries.jsonl", lines({"_id": "q", "text": "what?"}, {"_id": "r", "text": "who?"}))
    qrels = "".join(f"{qid}\t{name}\t{score}\n" for qid, name, score in judged)
    write(folder / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore\n" + qrels)
    return folder


@pytest.mark.parametrize("corpus", [None, CORPUS], ids=["no corpus", "corpus"])
@pytest.mark.parametrize("file", ["", "qrels/test.tsv"], ids=["folder", "qrels"])
def test_passages_of_beir_with_offsets_lead_to_their_documents(tmp_path, file, corpus):
    folder = beir(
        tmp_path / "set",
        {"_id": "p1", "text": "Beta is second.", "doc_id": "d1", "start": 16, "end": 31},
        {"_id": "p2", "title": "T", "text": "Another text.", "metadata": {"document": "d2", "offset": 0, "length": 13}},
    )
    qrels = read_spans(folder / file, corpus)
    assert cells(qrels) == {("q", "d1"): [(16, 31)], ("q", "d2"): [], ("r", "d2"): [(0, 13)]}
    assert qrels["label"].tolist() == [1, 0, 1]
    assert qrels["query"].tolist() == ["what?", "what?", "who?"]


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("qrels/test.tsv", "query\tcorpus-id\tscore\nq\tp1\t1\n", r"test\.tsv:2: expected the columns query-id"),
        ("corpus.jsonl", '{"_id": "p1", "text": "x"}\n7\n', r"corpus\.jsonl:2: this is not an object"),
        ("corpus.jsonl", '{"_id": "p1", "metadata": "d1"}\n{"_id": "p2"}', r":1: the metadata of passage 'p1' is not"),
        ("queries.jsonl", "[]\n7\n", r"queries\.jsonl:1: this is not an object"),
    ],
)
def test_damaged_files_of_beir_are_named_with_the_line(tmp_path, file, text, fault):
    folder = beir(tmp_path / "set", {"_id": "p1", "text": "x"}, {"_id": "p2", "text": "y"})
    write(folder / file, text)
    with pytest.raises(FormatError, match=fault):
        read_spans(folder)


def test_passages_of_beir_are_located_by_their_text_or_named_by_their_spans(tmp_path):
    folder = beir(
        tmp_path / "set",
        {"_id": "p1", "text": "beta is SECOND.", "doc_id": "d1"},
        {"_id": "d2#8-12", "text": "text"},
        judged=(("q", "p1", 1), ("q", "d2#8-12", 1)),
    )
    assert cells(read_spans(folder, CORPUS)) == {("q", "d1"): [(16, 31)], ("q", "d2"): [(8, 12)]}


def test_passages_of_beir_may_be_documents(tmp_path):
    folder = beir(tmp_path / "set", {"_id": "p1", "title": "T", "text": "one"}, {"_id": "p2", "text": "three"})
    assert cells(read_spans(folder, folder / "corpus.jsonl")) == {("q", "p1"): [(0, 3)], ("q", "p2"): [],
                                                                   ("r", "p2"): [(0, 5)]}  # fmt: skip


def test_faults_of_beir_are_named_with_file_and_line(tmp_path):
    folder = beir(tmp_path / "set", {"_id": "p1", "text": "x", "doc_id": "d1", "start": "a", "end": 2})
    with pytest.raises(FormatError, match=r"corpus\.jsonl:1: 'start' is 'a'"):
        read_spans(folder, CORPUS)
    folder = beir(tmp_path / "other", {"_id": "p1", "text": "Beta", "doc_id": "d1", "start": 16, "end": 20})
    with pytest.raises(FormatError, match=r"test\.tsv:3: passage 'p2' is not a passage id and not in"):
        read_spans(folder, CORPUS)
    with pytest.raises(FormatError, match="as BEIR's"):
        read_spans(tmp_path)


@pytest.fixture
def texts(tmp_path):
    """A folder of texts."""
    write(tmp_path / "a b.txt", "one")
    write(tmp_path / "sub" / "x.md", "two")
    write(tmp_path / "ignored.csv", "three")
    (tmp_path / "crlf.txt").write_bytes(b"\xef\xbb\xbfa\r\nb")
    return tmp_path


@pytest.mark.filterwarnings("ignore:.*left out")
def test_a_folder_of_texts_is_a_corpus(texts):
    assert read_corpus(texts).values.tolist() == [
        ["a_b", "one", "a b.txt"],
        ["crlf", "a\nb", "crlf.txt"],
        ["sub/x", "two", "sub/x.md"],
    ]


def test_files_of_a_folder_that_are_no_texts_are_counted(texts):
    write(texts / "paper.pdf", "%PDF-1.4")
    write(texts / "sub" / "Scan.PDF", "%PDF-1.4")
    write(texts / "image.png", "\0")
    write(texts / ".hidden", "x")
    with pytest.warns(UserWarning, match=r"4 files are left out.* \(2 \.pdf, 1 \.csv, 1 "):
        assert read_corpus(texts)["docno"].tolist() == ["a_b", "crlf", "sub/x"]


def test_a_text_is_a_corpus(texts):
    assert read_corpus(texts / "sub" / "x.md").values.tolist() == [["x", "two"]]


@pytest.mark.parametrize("corpus", [Path, read_corpus], ids=["folder", "frame"])
@pytest.mark.parametrize(
    ("name", "quote", "docno"),
    [
        *((name, "one", "a_b") for name in ("a_b", "a b", "a b.txt")),
        *((name, "two", "sub/x") for name in ("x", "x.md", "sub/x.md", "sub/x")),
    ],
)
@pytest.mark.filterwarnings("ignore:.*left out")
def test_a_text_goes_by_its_docno_and_by_the_names_of_its_file(texts, name, quote, docno, corpus):
    found = read_spans([{"qid": "q", "docno": name, "quote": quote}], corpus(texts))
    assert cells(found) == {("q", docno): [(0, 3)]}


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ({}, "holds no article"),
        ({"a b": "x"}, "without white space"),
        ({"a": None}, "its text is None"),
        ([{"docno": "a", "text": "x"}, {"docno": "a", "text": "y"}], "more than once"),
        ([{"id": "a"}], "an article is a dict with docno and text"),
        (pd.DataFrame({"docno": ["a"]}), "lacks the columns"),
        (7, "a corpus is a path"),
    ],
)
def test_corpora_that_are_wrong_are_refused(corpus, message):
    with pytest.raises(ValueError, match=message):
        read_spans([{"qid": "q", "docno": "a", "quote": "x"}], corpus)


def test_corpus_files_that_are_wrong_are_refused(tmp_path):
    with pytest.raises(CollectionError, match="nothing here is"):
        read_corpus(tmp_path)
    write(tmp_path / "a.txt", "x")
    write(tmp_path / "a.md", "y")
    with pytest.raises(FormatError, match="two articles have the docno 'a'"):
        read_corpus(tmp_path)
    with pytest.raises(FormatError, match="the article has no text"):
        read_corpus(write(tmp_path / "c.jsonl", lines({"_id": "a"})))


class Questions(NamedTuple):
    """249 references, by their offsets, and by their quotes, which stand once."""

    folder: Path
    questions: list[str]
    quotes: list[dict[str, str]]
    expected: list[list[tuple[int, int]]]


@pytest.fixture(scope="module")
def real(shared_data):
    folder = shared_data / "chunking"
    with open(folder / "questions.csv", encoding="utf-8") as file:
        rows = [(row["question"], json.loads(row["references"])) for row in csv.DictReader(file)]
    quotes = [{"question": question, "quote": found["content"]} for question, cell in rows for found in cell]
    expected = [sorted((found["start_index"], found["end_index"]) for found in cell) for _, cell in rows]
    return Questions(folder, [question for question, _ in rows], quotes, expected)


@pytest.mark.filterwarnings("ignore:.*left out, not being text or HTML")
def test_the_real_questions_by_their_offsets(real):
    qrels = read_spans(real.folder / "questions.csv", real.folder)
    assert span_cells(qrels["highlights"]) == real.expected
    assert qrels["query"].tolist() == real.questions
    assert set(qrels["length"]) == {len((real.folder / "wikitexts.md").read_text(encoding="utf-8"))}


@pytest.mark.filterwarnings("ignore:.*left out, not being text or HTML")
def test_the_real_questions_by_their_quotes(real):
    assert span_cells(read_spans(real.quotes, real.folder)["highlights"]) == real.expected


@pytest.mark.filterwarnings("ignore:.*left out, not being text or HTML")
def test_the_real_questions_by_quotes_in_other_letters_and_lines(real):
    text = (real.folder / "wikitexts.md").read_text(encoding="utf-8")
    shouted = [{**row, "quote": "\n".join(row["quote"].upper().split())} for row in real.quotes]
    found = span_cells(read_spans(shouted, real.folder)["highlights"])
    expected = [[text[start:end].strip() for start, end in cell] for cell in real.expected]
    assert [[text[start:end] for start, end in cell] for cell in found] == expected


@pytest.mark.parametrize("function", [read_spans, locate_spans])
def test_a_collection_is_refused_in_favour_of_a_corpus(function):
    with pytest.raises(TypeError, match=f"{function.__name__}\\(\\) takes no collection=; give the texts as corpus="):
        function([{"question": "q", "quote": "x"}], collection={"a": "x"})


def nest(depth):
    value = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("field", ["references", "question", "x"])
def test_rows_that_are_nested_too_deeply_are_refused(field):
    with pytest.raises(FormatError, match=r"holds|neither"):
        read_spans([{"question": "q", field: nest(9000)}], CORPUS)


SPANS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 20), st.integers(1, 9)).map(lambda s: (s[0], s[1], s[1] + s[2])),
    min_size=1,
    max_size=8,
)


def merge(found):
    """Spans that share characters as one, in the order of the text; those that only touch stay apart."""
    merged = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


@given(SPANS)
def test_spans_of_a_question_are_merged_where_they_share_characters(found):
    rows = [{"qid": "q", "docno": docno, "start": start, "end": end} for docno, start, end in found]
    expected = {("q", docno): merge(span for name, *span in found if name == docno) for docno, *_ in found}
    assert cells(read_spans(rows)) == expected


@given(
    st.lists(st.tuples(st.sampled_from(["q", "r"]), st.sampled_from(["d", "e"]), st.integers(0, 30), st.integers(1, 9)))
)
def test_pieces_without_names_are_facts_of_their_own(pieces):
    """Pieces of one place each take a short way; named one by one they do not."""
    rows = [{"qid": qid, "docno": docno, "start": at, "end": at + size} for qid, docno, at, size in pieces]
    named = [{**row, "fact": f"fact {number}"} for number, row in enumerate(rows)]
    corpus = {"d": "x" * 40, "e": "y" * 40}
    assert covered_rows(read_spans(rows, corpus)) == covered_rows(read_spans(named, corpus))


def covered_rows(qrels):
    """The characters of each question and document."""
    cells = ({at for span in cell for at in range(span["start"], span["end"])} for cell in qrels["highlights"])
    return list(zip(qrels["qid"].tolist(), qrels["docno"].tolist(), cells, strict=True))


@pytest.mark.parametrize("rows", [[{"qid": "q", "docno": "d", "start": 0, "end": 4}], [{"qid": "q", "quote": "none"}]])
def test_the_collector_runs_again_after_reading(rows):
    with contextlib.suppress(EvidenceError):
        read_spans(rows, {"d": "some text"})
    assert gc.isenabled()


def test_fields_that_a_row_may_have_are_listed_in_words():
    with pytest.raises(FormatError) as error:
        read_spans([{"question": "q", "gold": "d1"}], CORPUS)
    assert "(its fields: question, gold); known are start as start, start_index, " in str(error.value)
    assert "; end as end, end_index, " in str(error.value)
    assert "; name the field with columns={'quote': ...}" in str(error.value)
