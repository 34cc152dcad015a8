"""`evaluate_citations`: statuses of planted citations, answers of each API, and measures by hand."""

import json
import random
import string

import pytest

from pyterrier_focused import evaluate_citations, load_result
from pyterrier_focused.cli import main

CORPUS = {
    "a.txt": "Cats sleep all day 🐈. Cats eat fish at noon. Dogs run in the park.",
    "b.txt": "Birds sing loudly in spring. Whales dive deep under the ice.",
}
QUESTION = "What do cats eat?"
EVIDENCE = [{"question": QUESTION, "docno": "a.txt", "quote": "Cats eat fish"}]
FISH = "Cats eat fish at noon."
BIRDS = "Birds sing loudly"


def cite(answer, evidence=None, **options):
    return evaluate_citations(evidence, {QUESTION: answer}, CORPUS, **options)


def plant(number):
    """Corpus, citations and their statuses, of invented words, so that no text is there by chance."""
    rng = random.Random(number)
    words = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(3, 9))) for _ in range(3000)]
    corpus = {f"d{i}": " ".join(rng.choices(words, k=400)) for i in range(20)}
    planted = []
    for i in range(number):
        docno = f"d{rng.randrange(20)}"
        place = rng.randrange(370)
        quote = corpus[docno].split()[place : place + 20]
        foreign = " ".join(rng.choices(words, k=20))
        scattered = rng.sample(range(20), 4)
        changed = ["otherwise" if place in scattered else word for place, word in enumerate(quote)]
        planted.append(
            [
                ("verified", docno, "\n".join(quote).upper()),
                ("rewritten", docno, " ".join(changed)),
                ("elsewhere", f"d{(int(docno[1:]) + 1) % 20}", " ".join(quote)),
                ("invented", docno, foreign),
                ("unknown", "nowhere", foreign),
            ][i % 5]
        )
    return corpus, planted


def test_planted_citations_are_told_apart():
    corpus, planted = plant(40)
    answer = [{"text": "x", "citations": [{"docno": docno, "text": quote} for _, docno, quote in planted]}]
    found = evaluate_citations(None, {QUESTION: answer}, corpus).citations
    assert found["status"].tolist() == [status for status, _, _ in planted]
    assert (found["start"] < 0).tolist() == [status in ("invented", "unknown") for status, _, _ in planted]


CHUNKS = [
    {"retrievedContext": {"title": "a.txt", "text": FISH}},
    {"retrievedContext": {"title": "b.txt", "text": BIRDS}},
]
ANSWERS = {
    "Anthropic": {
        "content": [
            {"type": "thinking", "thinking": "Fish?"},
            {"type": "text", "text": "So: "},
            {"type": "text", "text": "fish.", "citations": [{
                "type": "char_location", "cited_text": FISH, "document_index": 0, "document_title": None,
                "start_char_index": 22, "end_char_index": 44,
            }]},
        ]
    },
    "Gemini": {"candidates": [{
        "content": {"parts": [{"text": "Ö:  fish."}]},
        "groundingMetadata": {"groundingChunks": CHUNKS, "groundingSupports": [
            {"segment": {"startIndex": 5, "endIndex": 10, "text": "fish."}, "groundingChunkIndices": [0]},
        ]},
    }]},
    "Cohere": {"message": {
        "content": [{"type": "text", "text": "So: fish."}],
        "citations": [{"start": 4, "end": 9, "text": "fish.", "sources": [
            {"type": "document", "id": "a.txt", "document": {"id": "a.txt", "text": FISH, "title": "Cats"}},
        ]}],
    }},
    "Bedrock": {
        "output": {"text": "So: fish."},
        "citations": [{
            "generatedResponsePart": {"textResponsePart": {"text": "fish.", "span": {"start": 4, "end": 8}}},
            "retrievedReferences": [
                {"content": {"text": FISH}, "location": {"type": "S3", "s3Location": {"uri": "s3://bucket/a.txt"}}}
            ],
        }],
    },
    "brackets": {"answer": "So:\nfish [1].", "contexts": [{"docno": "a.txt", "text": FISH}]},
}  # fmt: skip


@pytest.mark.parametrize("api", ANSWERS)
def test_an_answer_of_an_api(api):
    row = cite(ANSWERS[api], documents=["a.txt"] if api == "Anthropic" else None).citations.iloc[0]
    found = row[["text", "cited_docno", "docno", "start", "end", "status", "answer_start"]].tolist()
    assert found == [FISH, "a.txt", "a.txt", 22, 44, "verified", 4]


OPENAI = {"output": [{"type": "message", "content": [{"type": "output_text", "text": "Fish.", "annotations": [
    {"type": "file_citation", "index": 992, "file_id": "file-1", "filename": "a.txt"},
    {"type": "url_citation", "start_index": 0, "end_index": 4, "url": "https://no.where", "title": "No"},
]}]}]}  # fmt: skip
TREC = {"topic_id": "1", "topic": QUESTION, "references": ["a.txt", "zzz"],
        "answer": [{"text": "Fish.", "citations": [0, 1]}, {"text": "Well.", "citations": []}]}  # fmt: skip


@pytest.mark.parametrize(("answers", "cited"), [({QUESTION: OPENAI}, 1.0), ([TREC], 0.5)])
def test_citations_without_a_quote(answers, cited):
    result = evaluate_citations(None, answers, CORPUS)
    assert result.citations["status"].tolist() == ["document", "unknown"]
    assert result.table["cited"].tolist() == [cited]


@pytest.mark.filterwarnings("ignore:system 'not' retrieved nothing")
def test_measures_by_hand():
    # 22 characters, 13 of them evidence, and 17 and 5 others
    answer = [{"text": "Fish.", "citations": [{"docno": "a.txt", "text": FISH}]},
              {"text": "Songs", "citations": [{"docno": "b.txt", "text": BIRDS}, {"docno": "b.txt", "text": "Zebra"}]},
              {"text": "0123456789"}]  # fmt: skip
    table = evaluate_citations(EVIDENCE, {"cites": {QUESTION: answer}, "not": {QUESTION: "Fish."}}, CORPUS).table
    assert table["cited"].tolist() == [0.5, 0.0]
    assert table["CharP"].tolist() == pytest.approx([13 / 44, 0])
    assert table[["SpanP", "SpanR", "CharR"]].to_numpy().tolist() == [[pytest.approx(1 / 3), 1, 1], [0, 0, 0]]
    assert table[["citations", "verified", "invented"]].to_numpy().tolist() == [
        [3, pytest.approx(2 / 3), pytest.approx(1 / 3)],
        [0, 0, 0],
    ]


def test_wrong_offsets_are_told():
    (row,) = (
        cite([{"text": "x", "citations": [{"docno": "a.txt", "text": "Cats", "start": 3, "end": 7}]}])
        .citations[["status", "detail"]]
        .values.tolist()
    )
    assert row == ["verified", "the text is not at [3, 7)"]


def test_offsets_choose_among_copies():
    found = cite([{"text": "x", "citations": [{"docno": "a.txt", "text": "Cats", "start": 22, "end": 26}]}]).citations
    assert found[["start", "status", "detail"]].values.tolist() == [[22, "verified", ""]]


@pytest.mark.parametrize(
    ("answer", "documents", "number"), [(ANSWERS["Anthropic"], None, 0), ("Fish [3].", None, 3), ("[2]", ["a.txt"], 2)]
)
def test_a_number_that_stands_for_nothing(answer, documents, number):
    with pytest.raises(ValueError, match=f"cites number {number}, which stands for no document"):
        cite(answer, documents=documents)


def test_a_result_is_saved(tmp_path):
    result = cite(ANSWERS["Cohere"], EVIDENCE)
    result.save(tmp_path / "result.zip")
    loaded = load_result(tmp_path / "result.zip")
    assert loaded.citations.values.tolist() == result.citations.values.tolist()
    assert [check.verdict for check in loaded.compare(result, "CharR")] == ["passes"]
    assert repr(loaded) == repr(result)


@pytest.mark.parametrize(("least", "code"), [("0.5", 0), ("0.95", 1)])
def test_the_command(tmp_path, capsys, least, code):
    (tmp_path / "texts").mkdir()
    for docno, text in CORPUS.items():
        (tmp_path / "texts" / docno).write_text(text, encoding="utf-8")
    (tmp_path / "answers.json").write_text(json.dumps([TREC]))
    words = ["citations", tmp_path / "answers.json", "--corpus", tmp_path / "texts", "--save", tmp_path / "x.zip"]
    gates = ["--require", f"document >= {least}", "--require", "invented <= 0", "--located", tmp_path / "c.csv"]
    assert main([*map(str, words), *map(str, gates)]) == code
    assert "document" in capsys.readouterr().out
    assert (tmp_path / "c.csv").read_text().count("\n") == 3
