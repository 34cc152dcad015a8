"""Ids, texts and questions that two sides write differently."""

import unicodedata
import warnings

import pytest

from pyterrier_focused.rag import evaluate_retrieved, read_spans

TEXT = "Cats sleep all day. Cats eat fish at noon. Cats sleep all day."


@pytest.mark.parametrize("name", ["doc-12-310", "2020-01-15", "CORD-19-22"])
def test_a_dashed_id_is_a_document_in_judgments_and_results(tmp_path, name):
    (tmp_path / "qrels").mkdir()
    path = tmp_path / "qrels" / "test.tsv"
    path.write_text(f"query-id\tcorpus-id\tscore\n1\t{name}\t1\n")
    (tmp_path / "run.trec").write_text(f"1 Q0 {name} 1 2.0 mine\n")
    result = evaluate_retrieved(path, tmp_path / "run.trec", {name: TEXT, "other": "Dogs."}, "SpanR", verbose=False)
    assert result.table["SpanR"].tolist() == [1.0]
    assert result.located[["docno", "start", "end"]].values.tolist() == [[name, 0, len(TEXT)]]


def test_dashed_ids_are_spans_if_the_caller_says_so(tmp_path):
    (tmp_path / "qrels").mkdir()
    path = tmp_path / "qrels" / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n1\td-0-10\t1\n")
    result = evaluate_retrieved(path, {"1": ["d-0-10"]}, {"d": TEXT}, "CharR CharP", dashed_ids=True, verbose=False)
    assert result.located[["docno", "start", "end"]].values.tolist() == [["d", 0, 10]]
    assert result.table[["CharR", "CharP"]].values.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("start", [0, 43])
def test_offsets_of_llama_indexs_nodes_choose_among_copies(start):
    node = {"text": "Cats sleep all day.", "start_char_idx": start, "end_char_idx": start + 19}
    evidence = [{"question": "q", "start": start, "end": start + 19, "docno": "d"}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate_retrieved(evidence, {"q": [node]}, {"d": TEXT}, "CharR", verbose=False)
    assert result.located[["start", "status"]].values.tolist() == [[start, "given"]]


@pytest.mark.parametrize("from_file", [False, True])
def test_half_an_emoji_is_left_out_of_a_text(tmp_path, from_file):
    half = "\ud83d"
    results = {"q": ["Cats eat fish" + half]}
    if from_file:
        path = tmp_path / "results.json"
        path.write_text('{"q": ["Cats eat fish' + half.encode("ascii", "backslashreplace").decode() + '"]}')
        results = path
    evidence = [{"question": "q", "docno": "d", "quote": "Cats eat fish"}]
    result = evaluate_retrieved(evidence, results, {"d": TEXT}, "CharR CharP", verbose=False)
    assert result.table[["CharR", "CharP"]].values.tolist() == [[1.0, 1.0]]


def test_a_whole_emoji_of_a_file_stays(tmp_path):
    (tmp_path / "r.json").write_text('{"q": ["Cats \\ud83d\\ude00 eat"]}')
    evidence = [{"question": "q", "docno": "d", "quote": "Cats \U0001f600 eat"}]
    result = evaluate_retrieved(evidence, tmp_path / "r.json", {"d": "So: Cats \U0001f600 eat"}, "CharP", verbose=False)
    assert result.table["CharP"].tolist() == [1.0]


def test_a_question_in_another_unicode_form_is_the_same():
    question = "Où est le café?"
    other = unicodedata.normalize("NFD", question)
    evidence = [{"qid": "1", "question": question, "docno": "d", "quote": "Cats eat fish"}]
    result = evaluate_retrieved(evidence, {other: ["Cats eat fish"]}, {"d": TEXT}, "CharR", verbose=False)
    assert result.table["CharR"].tolist() == [1.0]
    rows = [*evidence, {**evidence[0], "question": other, "quote": "at noon"}]
    assert read_spans(rows, {"d": TEXT})["qid"].tolist() == ["1"]


def test_the_warning_on_questions_without_an_answer_says_what_the_table_does():
    rows = [
        {"question": "q", "docno": "d", "quote": "Cats eat fish"},
        {"question": "none", "docno": "d", "references": []},
    ]
    with pytest.warns(UserWarning, match="leaves them out of other means"):
        result = evaluate_retrieved(rows, {"q": ["Cats eat fish"], "none": []}, {"d": TEXT}, "CharR", verbose=False)
    assert result.table["CharR"].tolist() == [1.0]
