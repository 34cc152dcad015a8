"""Public data sets of questions with evidence, in small, each as its authors publish it."""

import pytest
from plain import plain
from readings import lines, write

from pyterrier_focused import cells, write_qrels
from pyterrier_focused.errors import EvidenceError, FormatError
from pyterrier_focused.rag.evidence import locate_spans, read_spans


def evidence(qrels, texts):
    """{(qid, docno): [(alternative, text), ...]} of a qrels frame."""
    highlights = cells(qrels["highlights"])
    numbers = qrels["alternatives"] if "alternatives" in qrels.columns else [[1] * len(cell) for cell in highlights]
    found = {}
    for qid, docno, cell, alternatives in zip(qrels["qid"], qrels["docno"], highlights, numbers, strict=True):
        spans = zip(cell, alternatives, strict=True)
        found[qid, docno] = [(int(number), texts[docno][span[0] : span[1]]) for span, number in spans]
    return found


CORPUS = {"a": "Cats sleep. Cats eat fish.", "b": "Whales sing. No fish at all."}


@pytest.mark.parametrize(
    "content",
    [
        lines({"user_input": "who eats", "reference_contexts": ["Cats eat fish."], "reference": "cats",
               "synthesizer_name": "single_hop_specific_query_synthesizer"},
              {"user_input": "who sings", "reference_contexts": ["<1-hop>\n\nWhales sing.", "<2-hop>\n\nCats sleep."],
               "reference": "whales"}),
        lines({"question": "who eats", "contexts": ["Cats eat fish."], "ground_truth": "x", "evolution_type": "simple",
               "metadata": [{"source": "docs/a.md"}], "episode_done": True},
              {"question": "who sings", "contexts": ["Whales sing.", "Cats sleep."], "ground_truth": "x",
               "evolution_type": "multi_context", "metadata": []}),
    ],
    ids=["RAGAS", "older RAGAS"],
)  # fmt: skip
def test_contexts_quoted_without_their_documents(content, tmp_path):
    path = write(tmp_path / ("e.jsonl" if isinstance(content, str) else "e.json"), content)
    quotes = {("1", "a"): "Cats eat fish.", ("2", "b"): "Whales sing.", ("2", "a"): "Cats sleep."}
    expected = {place: [(1, quote)] for place, quote in quotes.items()}
    assert evidence(read_spans(path, CORPUS), CORPUS) == expected


def test_ragas_as_csv(tmp_path):
    text = "user_input,reference_contexts,reference\nwho sings,\"['Whales sing.', 'Cats sleep.']\",x\n"
    found = evidence(read_spans(write(tmp_path / "e.csv", text), CORPUS), CORPUS)
    assert found == {("1", "b"): [(1, "Whales sing.")], ("1", "a"): [(1, "Cats sleep.")]}


def test_headers_in_any_case(tmp_path):
    path = write(tmp_path / "e.csv", "Question,Doc ID,START,End\nwho eats,a,12,26\n")
    assert evidence(read_spans(path, CORPUS), CORPUS) == {("1", "a"): [(1, "Cats eat fish.")]}
    path = write(tmp_path / "e.csv", "Frage,DocNo,Zitat\nwho eats,a,Cats eat fish.\n")
    read = read_spans(path, CORPUS, columns={"query": "Frage", "quote": "Zitat"})
    assert evidence(read, CORPUS) == {("1", "a"): [(1, "Cats eat fish.")]}


def test_alternatives_of_rows_and_of_copies():
    text = {"d": "It is red. The end. It is blue. The end."}
    rows = [
        {"qid": "q", "docno": "d", "quote": "It is red.", "alternative": 1},
        {"qid": "q", "docno": "d", "quote": "It is blue.", "alternative": "b"},
        {"qid": "q", "docno": "d", "quote": "The end."},
        {"qid": "r", "docno": "d", "quote": "It is red."},
    ]
    found = read_spans(rows, text, repeated="any")
    assert evidence(found, text) == {
        ("q", "d"): [(1, "It is red."), (2, "It is red."), (1, "The end."), (3, "The end."), (3, "It is blue."),
                     (4, "It is blue."), (2, "The end."), (4, "The end.")],
        ("r", "d"): [(1, "It is red.")],
    }  # fmt: skip
    assert "alternatives" not in read_spans(rows[:1] + rows[3:], text).columns


def test_alternatives_that_are_named_are_not_more_than_can_be_listed():
    crowded = [{"qid": "q", "docno": "d", "quote": "x.", "alternative": 1}]
    with pytest.raises(FormatError, match="question 'q' has more than 64 alternatives"):
        read_spans(crowded, {"d": "x. " * 80}, repeated="any")


TEXT = (
    "Le café de la Gare opened in 1902. It was, they say, the first well-known coffee house of the town and served "
    "travellers until the war. Then it closed. In 1950 it opened again."
)


EDITED = {
    "Le cafe de la Gare opened in 1902": "Le café de la Gare opened in 1902",
    "the first wellknown coffee house of the town": "the first well-known coffee house of the town",
    "the first well-\nknown café house of the town": "the first well-known coffee house of the town",
    "It was - they say - the first well-known coffee": "It was, they say, the first well-known coffee",
    "the very first well-known coffee house of the town and served travellers until the war":
        "the first well-known coffee house of the town and served travellers until the war",
    "first well-known coffee house of the town that served travellers until the war":
        "first well-known coffee house of the town and served travellers until the war",
}  # fmt: skip


@pytest.mark.parametrize("document", [{"docno": "d"}, {}], ids=["named", "anywhere"])
@pytest.mark.parametrize("others", [{}, {"e": "Another text altogether, about ships."}], ids=["alone", "among others"])
@pytest.mark.parametrize("quote", EDITED)
def test_edited_quotes_are_found_with_fuzzy(quote, document, others):
    pytest.importorskip("rapidfuzz")
    corpus = {"d": TEXT, **others}
    found = evidence(read_spans([{"qid": "q", "quote": quote, **document}], corpus, fuzzy=0.9), corpus)
    assert found == {("q", "d"): [(1, EDITED[quote])]}


@pytest.mark.parametrize("quote", EDITED)
def test_edited_quotes_are_told_with_their_likeness(quote):
    pytest.importorskip("rapidfuzz")
    told = locate_spans([{"qid": "q", "docno": "d", "quote": quote}], {"d": TEXT}, fuzzy=0.9).iloc[0]
    assert told["status"] == "fuzzy"
    assert "% like the text" in told["detail"]


@pytest.mark.parametrize("quote", EDITED)
def test_the_nearest_text_is_told_of_edited_quotes(quote):
    pytest.importorskip("rapidfuzz")
    with pytest.raises(EvidenceError, match=r"the nearest text, \d+% like it, is at \[\d+, \d+\)"):
        read_spans([{"qid": "q", "docno": "d", "quote": quote}], {"d": TEXT})


def test_a_quote_may_leave_out_text():
    pytest.importorskip("rapidfuzz")
    rows = [{"qid": "q", "docno": "d", "quote": "Le cafe de la Gare opened ... served travellers until the war."}]
    found = evidence(read_spans(rows, {"d": TEXT}, fuzzy=0.95), {"d": TEXT})
    assert found == {("q", "d"): [(1, "Le café de la Gare opened"), (1, "served travellers until the war")]}


def test_edited_quotes_that_are_like_two_texts_are_not_guessed():
    pytest.importorskip("rapidfuzz")
    twice = {"d": "The quick brown fox jumps. Something else. The quick brown fix jumps."}
    with pytest.raises(EvidenceError, match="1 found more than once"):
        read_spans([{"qid": "q", "docno": "d", "quote": "The quick brown fax jumps"}], twice, fuzzy=0.9)
    with pytest.raises(EvidenceError, match="1 not found"):
        read_spans([{"qid": "q", "docno": "d", "quote": "A slow green dog sleeps"}], twice, fuzzy=0.9)


def test_alternatives_are_written_and_read_back(tmp_path):
    text = {"d": "It is red. The end. It is blue."}
    rows = [{"qid": "q", "query": "?", "docno": "d", "quote": quote, "alternative": number}
            for number, quote in ((1, "It is red."), (2, "It is blue."), (2, "The end."))]  # fmt: skip
    qrels = read_spans(rows, text)
    with pytest.warns(UserWarning, match="lengths of articles"):
        write_qrels(qrels, tmp_path / "e.jsonl", format="spans")
    again = read_spans(tmp_path / "e.jsonl", text)
    assert evidence(again, text) == evidence(qrels, text)
    assert [list(cell) for cell in again["alternatives"]] == [[1, 2, 2]]


@pytest.mark.parametrize(
    ("name", "docno", "span"),
    [
        ("822086267_7384-8758-0-1374", "822086267_7384-8758", (0, 1374)),  # of each of MTRAG's four qrels
        ("ibmcld_00474-7885-8455", "ibmcld_00474", (7885, 8455)),
        ("471123-0-798", "471123", (0, 798)),
        ("c8db6e06ff46669e-50302-52227", "c8db6e06ff46669e", (50302, 52227)),
    ],
)
def test_passages_of_mtrag(name, docno, span, tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "dev.tsv").write_text(f"query-id\tcorpus-id\tscore\ndd6b<::>2\t{name}\t1\n")
    row = plain(read_spans(tmp_path / "qrels" / "dev.tsv", dashed_ids=True)).iloc[0]
    assert (row["qid"], row["docno"], row["highlights"]) == ("dd6b<::>2", docno, [span])


def test_a_question_over_several_documents_is_one():
    rows = [{"question": "who?", "docno": name, "start": 0, "end": 3} for name in "ab"]
    assert plain(read_spans(rows))[["qid", "docno"]].values.tolist() == [["1", "a"], ["1", "b"]]


@pytest.mark.parametrize(
    "row",
    [
        {"id": "1", "input": "who?", "output": [{"answer": "x", "selected_spans": ["Cats sleep"]}]},  # as KILT, but not
        {"question": "who?", "references": [], "supporting_passages": ["Cats sleep all day."]},
        {"question": "who?", "references": [], "answer": {"gold": {"text": "Cats sleep all day."}}},
    ],
)
def test_evidence_that_no_reader_knows_is_an_error(row, tmp_path):
    write(tmp_path / "e.jsonl", lines(row))
    with pytest.raises(FormatError, match=r"no evidence was read for any of the 1 questions, though these fields"):
        read_spans(tmp_path / "e.jsonl", {"a": "Cats sleep all day."})


def cells_of(qrels):
    return {row.docno: row.highlights for row in plain(qrels).itertuples()}


@pytest.mark.parametrize(
    "row",
    [
        {"financebench_id": "f1", "doc_name": "ACME_2018", "question": "how much?",
         "evidence": [{"evidence_text": "Cats eat fish.", "doc_name": "ACME_2018", "evidence_page_num": 59}]},
        {"question": "how much?", "chunk-must-contain": "Cats eat fish."},
    ],
    ids=["FinanceBench", "MTCB"],
)  # fmt: skip
def test_quotes_may_go_by_other_names(row):
    assert cells_of(read_spans([row], {"ACME_2018": "So: Cats eat fish."})) == {"ACME_2018": [(4, 18)]}
