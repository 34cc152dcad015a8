"""Public data sets of questions with evidence, in small, each as its authors publish it."""

import json

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import plain
from readings import lines, write

from pyterrier_focused import cells, parse, write_qrels
from pyterrier_focused.collection.corpora import read_corpus
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


def evaluate_found(qrels, docno, passages):
    """FactR and FactAll of a run that returns passages of one article."""
    run = pd.DataFrame({"query_id": qrels["qid"].iloc[:1], "doc_id": docno, "score": 1.0, "passages": [passages]})
    frame = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    values = ir_measures.iter_calc(parse("FactR FactAll"), frame, run)
    return {str(metric.measure): metric.value for metric in values}


def facts(qrels):
    """{qid: {fact: [(set, docno, span)]}} of a qrels frame."""
    found = {}
    highlights = cells(qrels["highlights"])
    for qid, docno, spans, proofs in zip(qrels["qid"], qrels["docno"], highlights, qrels["facts"], strict=True):
        for span, proved in zip(spans, proofs, strict=True):
            for proof in proved:
                found.setdefault(qid, {}).setdefault(proof["fact"], []).append((proof["set"], docno, tuple(span)))
    return found


WORDS = "<P> Ünïcode was built in 1902 by Ada . </P> <P> Nobody knows . </P>".split(" ")


PASSAGE = " ".join(WORDS)


@pytest.fixture
def simplified_questions(tmp_path):
    """Two of the simplified Natural Questions, the second without an answer."""
    row = {
        "example_id": 5655, "question_text": "when was it built", "document_text": PASSAGE,
        "document_url": "https://en.wikipedia.org//w/index.php?title=Uni_code&amp;oldid=81",
        "long_answer_candidates": [{"start_token": 0, "end_token": 10, "top_level": True}],
        "annotations": [
            {"annotation_id": 1, "yes_no_answer": "NONE",
             "long_answer": {"start_token": 0, "end_token": 10, "candidate_index": 0},
             "short_answers": [{"start_token": 5, "end_token": 6}, {"start_token": 7, "end_token": 8}]},
            {"annotation_id": 2, "yes_no_answer": "NONE", "short_answers": [],
             "long_answer": {"start_token": 0, "end_token": 10, "candidate_index": 0}},
            {"annotation_id": 3, "yes_no_answer": "NONE", "short_answers": [],
             "long_answer": {"start_token": -1, "end_token": -1, "candidate_index": -1}},
        ],
    }  # fmt: skip
    none = {**row, "example_id": 7, "annotations": row["annotations"][2:]}
    return write(tmp_path / "nq.jsonl", lines(row, none))


@pytest.mark.parametrize(
    ("columns", "text", "answers"),
    [
        ({}, PASSAGE, [(2, " ".join(WORDS[:10])), (1, "1902"), (1, "Ada")]),
        ({"quote": "long_answer"}, PASSAGE, [(1, " ".join(WORDS[:10]))]),
        # in a corpus of one's own the answers are looked for by their words
        ({"quote": "short_answers"}, "Built in 1902 by Ada.", [(1, "1902"), (1, "Ada")]),
    ],
    ids=["both", "long", "short"],
)
def test_simplified_natural_questions_have_short_and_long_answers(simplified_questions, columns, text, answers):
    corpus = None if text == PASSAGE else {"Uni_code": text}
    with pytest.warns(UserWarning, match="1 questions have no evidence: '7'"):
        qrels = read_spans(simplified_questions, corpus, columns=columns)
    found = evidence(qrels, {"Uni_code": text, "-": ""})
    assert found["5655", "Uni_code"] == answers
    assert [cell for (qid, _), cell in found.items() if qid == "7"] == [[]]


HTML = "<P>Ünïcode was built in <B>1902</B>.</P>"


@pytest.fixture
def full_questions(tmp_path):
    """Natural Questions with HTML, whose tokens are placed by bytes."""
    words = ("<P>", "Ünïcode", "was", "built", "in", "<B>", "1902", "</B>", ".", "</P>")
    starts = [HTML.encode().index(word.encode()) for word in words]
    tokens = [
        {"token": word, "start_byte": start, "end_byte": start + len(word.encode()), "html_token": word[0] == "<"}
        for word, start in zip(words, starts, strict=True)
    ]

    def place(first, last):
        return {"start_token": first, "end_token": last, "start_byte": tokens[first]["start_byte"],
                "end_byte": tokens[last - 1]["end_byte"]}  # fmt: skip

    row = {"example_id": -12, "document_title": "Uni Code", "document_url": "https://x", "document_html": HTML,
           "document_tokens": tokens, "question_text": "when", "question_tokens": ["when"],
           "annotations": [{"annotation_id": 9, "long_answer": {**place(0, 10), "candidate_index": 0},
                            "short_answers": [place(6, 7)], "yes_no_answer": "NONE"}]}  # fmt: skip
    return write(tmp_path / "nq.jsonl", lines(row))


@pytest.mark.parametrize(("columns", "answer"), [({}, "1902"), ({"quote": "long_answer"}, HTML)])
def test_full_natural_questions_are_placed_by_bytes(full_questions, columns, answer):
    found = evidence(read_spans(full_questions, columns=columns), {"Uni_Code": HTML})
    assert found == {("-12", "Uni_Code"): [(1, answer)]}


def test_natural_questions_in_full_are_found_in_texts_of_ones_own(full_questions):
    own = {"Uni_Code": "It was built in 1902."}
    assert evidence(read_spans(full_questions, own), own) == {("-12", "Uni_Code"): [(1, "1902")]}


HOTPOT = {
    "_id": "5a8b", "question": "Who?", "answer": "Ada", "type": "bridge", "level": "hard",
    "supporting_facts": [["Ada Lovelace", 1], ["Engine", 0]],
    "context": [["Ada Lovelace", ["Ada was born.", " She wrote notes."]], ["Engine", ["It computes.", " It is big."]],
                ["Other", ["No."]]],
}  # fmt: skip


HOTPOT_TEXTS = {"Ada_Lovelace": "Ada was born. She wrote notes.", "Engine": "It computes. It is big."}
HOTPOT_EVIDENCE = {("5a8b", "Ada_Lovelace"): [(1, "She wrote notes.")], ("5a8b", "Engine"): [(1, "It computes.")]}
OF_HUGGING_FACE = {
    "id": "5a8b", "question": "Who?", "supporting_facts": {"title": ["Ada Lovelace", "Engine"], "sent_id": [1, 0]},
    "context": {"title": [title for title, _ in HOTPOT["context"]], "sentences": [s for _, s in HOTPOT["context"]]},
}  # fmt: skip


@pytest.mark.parametrize("row", [HOTPOT, OF_HUGGING_FACE], ids=["as published", "as Hugging Face has it"])
def test_hotpot_qa_has_sentences_as_evidence(tmp_path, row):
    assert evidence(read_spans(write(tmp_path / "hotpot.json", [row])), HOTPOT_TEXTS) == HOTPOT_EVIDENCE


def test_sentences_of_hotpot_qa_are_found_in_texts_of_ones_own(tmp_path):
    own = {"Ada_Lovelace": "Intro. Ada was born. She wrote notes.", "Engine": "Steam.\nIt  computes."}
    found = evidence(read_spans(write(tmp_path / "hotpot.json", [HOTPOT]), own), own)
    assert found == {**HOTPOT_EVIDENCE, ("5a8b", "Engine"): [(1, "It  computes.")]}


def test_a_sentence_that_hotpot_qas_context_lacks_is_refused():
    with pytest.raises(EvidenceError, match="1 outside the article"):
        read_spans([{**HOTPOT, "supporting_facts": [["Engine", 7]]}])


def test_each_supporting_fact_of_hotpot_qa_is_a_fact():
    assert facts(read_spans([HOTPOT])) == {
        "5a8b": {"Ada Lovelace, 1": [(None, "Ada_Lovelace", (14, 30))], "Engine, 0": [(None, "Engine", (0, 12))]}
    }


def test_multi_hop_rag(tmp_path):
    corpus = [{"title": "A game of two", "author": "x", "source": "The Verge", "published_at": "2023", "category": "t",
               "url": "https://verge/a", "body": "They played. Two won.\n\nThen one lost."},
              {"title": "Rain", "source": "The Verge", "url": "https://b", "body": "It rained."}]  # fmt: skip
    rows = [
        {"query": "Who lost?", "answer": "One", "question_type": "inference_query", "evidence_list": [
            {"title": "A game of two", "author": "x", "url": "https://verge/a", "source": "The Verge",
             "category": "t", "published_at": "2023", "fact": "Then one lost."},
            {"title": "Rain", "source": "The Verge", "fact": "It rained."}]},
        {"query": "Who flew?", "answer": "Insufficient information.", "question_type": "null_query",
         "evidence_list": []},
    ]  # fmt: skip
    read = read_corpus(write(tmp_path / "corpus.json", corpus))
    assert read["docno"].tolist() == ["A_game_of_two", "Rain"]
    with pytest.warns(UserWarning, match="no evidence: '2'"):
        qrels = read_spans(write(tmp_path / "MultiHopRAG.json", rows), tmp_path / "corpus.json")
    texts = {**dict(zip(read["docno"], read["text"], strict=True)), "-": ""}
    assert evidence(qrels, texts) == {
        ("1", "A_game_of_two"): [(1, "Then one lost.")], ("1", "Rain"): [(1, "It rained.")], ("2", "-"): [],
    }  # fmt: skip


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
        {"examples": [
            {"query": "who eats", "query_by": {"type": "ai"}, "reference_contexts": ["Cats eat fish."],
             "reference_answer": "cats", "reference_answer_by": None},
            {"query": "who sings", "reference_contexts": ["Whales sing.", "Cats sleep."], "reference_answer": ""}]},
        [{"input": "who eats", "expected_output": "cats", "actual_output": None, "retrieval_context": None,
          "context": ["Cats eat fish."], "source_file": "/data/a.txt"},
         {"input": "who sings", "expected_output": "", "context": ["Whales sing.", "Cats sleep."]}],
    ],
    ids=["RAGAS", "older RAGAS", "LlamaIndex", "deepeval"],
)  # fmt: skip
def test_contexts_quoted_without_their_documents(content, tmp_path):
    path = write(tmp_path / ("e.jsonl" if isinstance(content, str) else "e.json"), content)
    quotes = {("1", "a"): "Cats eat fish.", ("2", "b"): "Whales sing.", ("2", "a"): "Cats sleep."}
    expected = {place: [(1, quote)] for place, quote in quotes.items()}
    assert evidence(read_spans(path, CORPUS), CORPUS) == expected


@pytest.mark.parametrize(
    "text",
    [
        "input,expected_output,retrieval_context,context,source_file\nwho sings,x,,Whales sing.|Cats sleep.,\n",
        "user_input,reference_contexts,reference\nwho sings,\"['Whales sing.', 'Cats sleep.']\",x\n",
    ],
    ids=["deepeval", "ragas"],
)
def test_deepeval_and_ragas_as_csv(tmp_path, text):
    found = evidence(read_spans(write(tmp_path / "e.csv", text), CORPUS), CORPUS)
    assert found == {("1", "b"): [(1, "Whales sing.")], ("1", "a"): [(1, "Cats sleep.")]}


MARCO = "msmarco_v2.1_doc_00_1"
BODIES = {MARCO: "One two three. Four five six. Seven eight.", "msmarco_v2.1_doc_00_2": "Other"}
PLACES = {f"{MARCO}#0_0": (0, 29), f"{MARCO}#1_30": (15, 42), "msmarco_v2.1_doc_00_2#0_9": (0, 5)}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question": "q", "supporting_facts": [["a", 0]]}, "looks like HotpotQA, but has no 'context'"),
        ({**HOTPOT, "supporting_facts": [["Nobody", 0]]}, "looks like HotpotQA, but is not so .*'Nobody'"),
        ({"document_text": "a b", "question_text": "q"}, "but has no 'annotations' and no 'example_id'"),
        ({"evidence_list": []}, "looks like MultiHop-RAG, but has no 'query'"),
        ({"input": "q", "expected_output": "x"}, "looks like deepeval's goldens, but has no 'context'"),
        ({"examples": [{}]}, "looks like LlamaIndex's LabelledRagDataset, but is not so"),
    ],
)
def test_what_a_data_set_lacks_is_named(row, message):
    with pytest.raises(FormatError, match=message):
        read_spans([row], CORPUS)


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


def test_more_combinations_than_can_be_listed_are_facts():
    """Seven quotes in two copies each: 128 combinations."""
    text = {"d": "".join(f"Quote {number}. " for number in [*range(7), *range(7)])}
    rows = [{"qid": "q", "docno": "d", "quote": f"Quote {number}."} for number in range(7)]
    with pytest.warns(UserWarning, match="1 questions have more than 64 combinations of places"):
        qrels = read_spans(rows, text, repeated="any")
    assert len(qrels["highlights"][0]) == 14
    assert evaluate_found(qrels, "d", [(0, 27)]) == {"FactR": 3 / 7, "FactAll": 0}
    assert evaluate_found(qrels, "d", [(0, 90)]) == {"FactR": 1, "FactAll": 1}


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


QASPER = {
    "title": "A paper",
    "abstract": "We sleep.",
    "full_text": [{"section_name": "Data", "paragraphs": ["Cats sleep all day.", "They eat fish at noon."]}],
    "figures_and_tables": [{"file": "1.png", "caption": "Table 1: Hours of sleep."}],
    "qas": [
        {"question": "who sleeps?", "question_id": "q1", "answers": [
            {"answer": {"unanswerable": False, "evidence": ["Cats sleep all day."],
                        "highlighted_evidence": ["Cats sleep"]}},
            {"answer": {"unanswerable": False, "evidence": ["FLOAT SELECTED: Table 1: Hours of sleep."],
                        "highlighted_evidence": ["Table 1: Hours of sleep."]}},
        ]},
        {"question": "who flies?", "question_id": "q2", "answers": [
            {"answer": {"unanswerable": True, "evidence": [], "highlighted_evidence": []}}]},
    ],
}  # fmt: skip
QASPER_TEXT = "We sleep.\n\nCats sleep all day.\n\nThey eat fish at noon.\n\nTable 1: Hours of sleep."


@pytest.mark.filterwarnings("ignore:.*no evidence")
@pytest.mark.parametrize("content", [{"1701.1": QASPER}, [{"id": "1701.1", **QASPER}]], ids=["by id", "rows"])
@pytest.mark.parametrize(
    ("columns", "texts"),
    [
        (None, ["Cats sleep all day.", "Table 1: Hours of sleep."]),
        ({"quote": "highlighted_evidence"}, ["Cats sleep", "Table 1: Hours of sleep."]),
    ],
)
def test_qasper(content, columns, texts, tmp_path):
    write(tmp_path / "q.json", content)
    qrels = plain(read_spans(tmp_path / "q.json", columns=columns))
    assert qrels[["qid", "docno", "label"]].values.tolist() == [["q1", "1701.1", 1], ["q2", "1701.1", 0]]
    assert [QASPER_TEXT[start:end] for start, end in qrels["highlights"][0]] == texts


def test_qasper_as_hugging_face_has_it():
    answers = [{"answer": [answer["answer"] for answer in qa["answers"]], "annotation_id": ["a"] * len(qa["answers"])}
               for qa in QASPER["qas"][:1]]  # fmt: skip
    row = {
        "id": "1701.1",
        **QASPER,
        "full_text": {"section_name": ["Data"], "paragraphs": [QASPER["full_text"][0]["paragraphs"]]},
        "qas": {"question": ["who sleeps?"], "question_id": ["q1"], "answers": answers},
    }
    assert plain(read_spans([row]))["highlights"].tolist() == [[(11, 30), (56, 80)]]


@pytest.mark.filterwarnings("ignore:.*count the byte order mark")
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "with a byte order mark"])
def test_legalbench_rag_counts_the_byte_order_mark_of_a_file(mark, tmp_path):
    text = "The parties agree. The term is two years. Nothing else holds."
    (tmp_path / "corpus" / "cuad").mkdir(parents=True)
    (tmp_path / "corpus" / "cuad" / "a contract.txt").write_text(mark + text, encoding="utf-8")
    start = (mark + text).index("The term")
    snippet = {"file_path": "cuad/a contract.txt", "span": [start, start + 22], "answer": "The term is two years."}
    benchmark = {"tests": [{"query": "what is the term?", "snippets": [snippet]}]}
    write(tmp_path / "b.json", benchmark)
    qrels = plain(read_spans(tmp_path / "b.json", tmp_path / "corpus"))
    assert [text[slice(*span)] for span in qrels["highlights"][0]] == ["The term is two years."]
    (found,) = locate_spans(tmp_path / "b.json", tmp_path / "corpus").to_dict("records")
    assert found["status"] == "given"
    assert ("byte order mark" in found["detail"]) == bool(mark)


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
    row = plain(read_spans(tmp_path / "qrels" / "dev.tsv")).iloc[0]
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


@pytest.mark.parametrize("number", ["1e400", "-1e400"])
def test_numbers_beyond_all_bounds_in_a_data_set_are_refused(number, tmp_path):
    answer = f'{{"start_token": 0, "end_token": 1, "start_byte": {number}, "end_byte": 3}}'
    row = {"example_id": 1, "question_text": "q", "document_html": "<p>x", "annotations": [{"long_answer": {}}]}
    (tmp_path / "n.jsonl").write_text(json.dumps(row).replace('"long_answer": {}', f'"long_answer": {answer}') + "\n")
    with pytest.raises(FormatError, match="this looks like Natural Questions, but is not so"):
        read_spans(tmp_path / "n.jsonl")


CHUNKS = {"c1": "Cats sleep.", "c2": "Cats sleep all day.", "c3": "They eat fish."}


@pytest.mark.parametrize(
    ("groups", "alternatives"),
    [
        ([["c1"]], [{"c1"}]),
        ([["c1", "c2"]], [{"c1"}, {"c2"}]),  # one of them is enough
        ([["c1"], ["c3"]], [{"c1", "c3"}]),  # both are needed
        ([["c1", "c2"], ["c3"]], [{"c1", "c3"}, {"c2", "c3"}]),
        (str([["c1", "c2"], ["c3"]]), [{"c1", "c3"}, {"c2", "c3"}]),
    ],
)
def test_autorag_has_groups_of_which_one_chunk_is_enough(groups, alternatives):
    qrels = plain(read_spans([{"qid": "1", "query": "who?", "retrieval_gt": groups, "generation_gt": ["x"]}], CHUNKS))
    rows = [(number, row.docno) for row in qrels.itertuples() for number in getattr(row, "alternatives", [1])]
    found = {number: {docno for other, docno in rows if other == number} for number, _ in rows}
    assert list(found.values()) == alternatives


def test_each_group_of_autorag_is_a_fact():
    row = {"qid": "1", "query": "who?", "retrieval_gt": [["c1", "c2"], ["c3"]]}
    qrels = read_spans([row], CHUNKS)
    assert {fact: sorted({docno for _, docno, _ in places}) for fact, places in facts(qrels)["1"].items()} == {
        "group 1": ["c1", "c2"], "group 2": ["c3"],
    }  # fmt: skip


def test_more_groups_of_autorag_than_can_be_combined_are_facts():
    """Seven facts in two copies were refused; twenty in three make sixty spans."""
    chunks = [{"docno": f"c{fact}-{copy}", "text": "A chunk."} for fact in range(20) for copy in range(3)]
    groups = [[f"c{fact}-{copy}" for copy in range(3)] for fact in range(20)]
    with pytest.warns(UserWarning, match="more than 64 combinations"):
        qrels = read_spans([{"qid": "1", "query": "who?", "retrieval_gt": groups}], chunks)
    assert (len(qrels), len(facts(qrels)["1"])) == (60, 20)
    assert evaluate_found(qrels, "c7-2", [(0, 8)]) == {"FactR": 1 / 20, "FactAll": 0}


NUGGETS = {
    "qid": "q", "query": "what of cats?",
    "nuggets": [
        {"text": "Cats eat fish", "importance": "vital", "references": [
            {"docno": "a", "quote": "eat fish"}, {"docno": "answer-1", "quote": "Fish is their food."}]},
        {"text": "They sleep", "importance": "okay", "references": [{"docno": "a", "start": 0, "end": 10}]},
    ],
}  # fmt: skip
NUGGET_TEXTS = {"a": "Cats sleep all day. They eat fish at noon.", "answer-1": "Fish is their food."}


def test_nuggets_judge_retrieval_and_the_answer():
    qrels = read_spans([NUGGETS], NUGGET_TEXTS)
    assert facts(qrels) == {
        "q": {"Cats eat fish": [(None, "a", (25, 33)), (None, "answer-1", (0, 19))],
              "They sleep": [(None, "a", (0, 10)), (None, "a", (0, 10))]},
    }  # fmt: skip
    assert evaluate_found(qrels, "a", [(20, 42)]) == {"FactR": pytest.approx(1 / 1.5), "FactAll": 0}
    assert evaluate_found(qrels, "answer-1", [(0, 19)]) == {"FactR": pytest.approx(1 / 1.5), "FactAll": 0}
    assert evaluate_found(qrels, "a", [(0, 42)]) == {"FactR": 1, "FactAll": 1}


@pytest.mark.parametrize(
    ("nugget", "message"),
    [
        ({"text": "Cats eat", "importance": "vital"}, "nugget 1, 'Cats eat', names no place in a document"),
        ({"text": "x", "importance": "high", "references": ["x"]}, "nugget 1 is 'high'; give vital or okay"),
        ("Cats eat", "nugget 1 is 'Cats eat'; give an object with a text and its places"),
    ],
)
def test_nuggets_that_cannot_be_placed_are_named(nugget, message):
    with pytest.raises(FormatError, match=message):
        read_spans([{**NUGGETS, "nuggets": [nugget]}], NUGGET_TEXTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fact_weight": 0}, "'fact_weight' is 0; give a number above 0"),
        ({"fact_weight": "much"}, "'fact_weight' is 'much'; give a number above 0"),
        ({"fact_weight": True}, "'fact_weight' is True; give a number above 0"),
    ],
)
def test_weights_of_facts_are_numbers_above_0(change, message):
    with pytest.raises(FormatError, match=message):
        read_spans([{"qid": "q", "docno": "a", "start": 0, "end": 4, "fact": "x", **change}])


def test_a_fact_has_one_weight():
    rows = [{"qid": "q", "docno": "a", "start": n, "end": n + 4, "fact": "x", "fact_weight": 1 + n} for n in (0, 1)]
    with pytest.raises(FormatError, match="the fact 'x' of question 'q' has two weights"):
        read_spans(rows)


def test_ragbench_names_its_sentences_by_keys():
    row = {
        "id": "7", "question": "who?", "documents": ["Cats sleep. They eat.", "Dogs run."],
        "documents_sentences": [[["0a", "Cats sleep."], ["0b", "They eat."]], [["1a", "Dogs run."]]],
        "all_relevant_sentence_keys": ["0b", "1a"], "all_utilized_sentence_keys": ["1a"],
    }  # fmt: skip
    assert cells_of(read_spans([row])) == {"7-0": [(12, 21)], "7-1": [(0, 9)]}
    assert cells_of(read_spans([row], columns={"quote": "all_utilized_sentence_keys"})) == {"7-1": [(0, 9)]}


def cells_of(qrels):
    return {row.docno: row.highlights for row in plain(qrels).itertuples()}


@pytest.mark.parametrize(
    ("start", "nearest", "status"),
    [(3, 5, "nearest"), (3, 2, "nearest"), (3, 1, "contradiction"), (3, None, "contradiction"), (5, 5, "given")],
)
def test_offsets_that_are_nearly_right_are_moved_within_a_distance(start, nearest, status):
    rows = [{"question": "q", "docno": "a", "quote": "sleep", "start": start, "end": start + 5}]
    found = locate_spans(rows, {"a": "Cats sleep and sleep."}, nearest=nearest)
    assert found["status"].tolist() == [status]
    if status != "contradiction":
        assert found["places"].tolist() == [[(5, 10)]]
        assert cells_of(read_spans(rows, {"a": "Cats sleep and sleep."}, nearest=nearest)) == {"a": [(5, 10)]}


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


OTHERS = {"none": [], "in one place": [[0, 12]], "one of two": [[0, 12], [14, 26]]}


def rows_of_another_question(number, kind):
    question = {"qid": f"other {number}", "docno": "e"}
    rows = [{**question, "start": start, "end": end, "alternative": str(start)} for start, end in OTHERS[kind]]
    return rows or [{**question, "references": []}]


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=7),
    st.integers(0, 60),
    st.integers(1, 60),
    st.lists(st.sampled_from(sorted(OTHERS)), max_size=3),
)
@pytest.mark.filterwarnings("ignore:.*combinations of places", "ignore:.*have no evidence")
def test_pieces_that_are_in_several_places_are_facts(copies, start, length, others):
    """Piece i is a word of three letters, copies[i] times in the text; other questions score what they score alone."""
    words = [chr(ord("a") + number) * 3 for number, count in enumerate(copies) for _ in range(count)]
    corpus = {"d": " ".join(words).ljust(120), "e": "evidence one. evidence two."}
    rows = [{"qid": "q", "docno": "d", "quote": chr(ord("a") + number) * 3} for number in range(len(copies))]
    rows += [row for number, kind in enumerate(others) for row in rows_of_another_question(number, kind)]
    run = [{"qid": "q", "docno": "d", "score": 1.0, "passages": [(start, start + length)]}]
    other = {"docno": "e", "score": 1.0, "passages": [(0, 12)]}
    run += [{"qid": f"other {number}", **other} for number in range(len(others))]
    found = evaluate_on(read_spans(rows, corpus, repeated="any"), run)
    places = {word: [i for i in range(len(words)) if words[i] == word] for word in words}
    proved = [
        any(len({*range(4 * i, 4 * i + 3)} & {*range(start, start + length)}) >= 1.5 for i in at)
        for at in places.values()
    ]
    expected = {f"other {number}": float(kind != "none") for number, kind in enumerate(others)}
    assert found == pytest.approx({"q": sum(proved) / len(proved), **expected})


def evaluate_on(qrels, rows):
    """FactR of each question."""
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    run = pd.DataFrame(rows).rename(columns=names)
    metrics = ir_measures.iter_calc(parse("FactR"), qrels.rename(columns=names), run)
    return {metric.query_id: metric.value for metric in metrics}
