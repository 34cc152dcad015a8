"""Shapes in which tools name a text and its place, in a text with emoji, pages and lines."""

import warnings
from types import SimpleNamespace

import pandas as pd
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.errors import EvidenceError, FormatError
from pyterrier_focused.rag.evidence import read_spans
from pyterrier_focused.rag.score import evaluate_retrieved

TEXT = (
    "Título 🙂 one.\nSecond line 😀 here.\n\fPage two, and cats.\n🐟 Cats eat fish at noon.\n\fDogs bark.\nThe end.\n"
)
CORPUS = {"a.txt": TEXT, "b.txt": "Another text, of nothing.\n"}
QUOTE = "Cats eat fish"
LINE = "🐟 Cats eat fish at noon.\n"
PAGE = "Page two, and cats.\n🐟 Cats eat fish at noon."
START = TEXT.index(QUOTE)
END = START + len(QUOTE)
BYTES = {"start": len(TEXT[:START].encode()), "end": len(TEXT[:END].encode())}
UTF16 = {"start": START + 3, "end": END + 3}
ROW = {"document_title": "a.txt", "document_index": 0, "cited_text": QUOTE}
FILE = {"filePath": "/work/a.txt", "content": LINE, "numLines": 1, "startLine": 4, "totalLines": 6}
OF_FILES = ("file_citation", "file_path")
AT = {"docno": "a.txt"}


def quote(source):
    """What evidence quotes, and what is said of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        qrels = read_spans([{"question": "q", **source}], CORPUS)
    spans = zip(qrels["docno"], ptf.cells(qrels["highlights"]), strict=True)
    return [CORPUS[docno][start:end] for docno, cell in spans for start, end in cell], list(map(str, caught))


def retrieve(results, **options):
    """A result of one question, without its warnings."""
    evidence = [{"question": "q", "docno": "a.txt", "start": START, "end": END}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate_retrieved(evidence, results, CORPUS, "SpanHit@1 CharP", verbose=False, **options)


def list_texts(results, **options):
    """The texts of the corpus at which items are placed; their status if they are not."""
    located = retrieve(results, **options).located
    rows = zip(located["spans"], located["runs"], located["status"], strict=True)
    return ["".join(CORPUS[d][slice(*span)] for d, span in spans) if runs else status for spans, runs, status in rows]


PLACES = [
    ({**AT, "startIndex": START, "End Index": END}, QUOTE),
    ({**AT, "start_byte": BYTES["start"], "end_byte": BYTES["end"]}, QUOTE),
    ({"path": "a.txt", "start_end_idx": (START, END - 1)}, QUOTE),
    ({"type": "char_location", **ROW, "start_char_index": START, "end_char_index": END}, QUOTE),
    ({"type": "content_block_location", **ROW, "start_block_index": 0, "end_block_index": 1}, QUOTE),
    ({"type": "page_location", "document_title": "a.txt", "start_page_number": 2, "end_page_number": 3}, PAGE),
    ({"type": "web_search_result_location", "url": "https://x.org/a.txt", "title": "T", "cited_text": QUOTE}, QUOTE),
    ({"type": "citations_delta", "citation": {"type": "page_location", **ROW}}, QUOTE),
    ({"type": "citation", "url": "a.txt", "start_index": 1, "end_index": 3, "cited_text": QUOTE}, QUOTE),
    ({"start": 0, "end": 3, "text": "fish", "sources": [{"document": {"id": "a.txt", "text": QUOTE}}]}, QUOTE),
    ({"retrievedContext": {"uri": "gs://b/a.txt", "ragChunk": {"pageSpan": {"firstPage": 2, "lastPage": 2}}}}, PAGE),
    ({"citedText": QUOTE, "path": "a.txt", "location": {"type": "char", "startIndex": START, "endIndex": END}}, QUOTE),
    ({"start_char_idx": START, "end_char_idx": END, "relationships": {"1": {"node_id": "a.txt"}}}, QUOTE),
    ({"data": QUOTE, "document_offset": {"start": START, "end": END},
      "document": {"content": TEXT, "meta": {"file_path": "a.txt"}}}, QUOTE),
    ({"target": {"source": "a.txt", "selector": [
        {"type": "TextPositionSelector", **UTF16}, {"type": "TextQuoteSelector", "exact": QUOTE}]}}, QUOTE),
    ({"target": {"source": "a.txt", "selector": {"type": "TextPositionSelector", "start": START, "end": END}}}, QUOTE),
    ({"target": {"source": "a.txt", "selector": {
        "type": "TextQuoteSelector", "exact": "at", "suffix": " noon"}}}, "at"),
    ({"url": "https://x.org/a.txt#:~:text=eat%20fish,noon"}, "eat fish at noon"),
    ({"url": "https://x.org/a.txt#:~:text=fish-,at,-noon"}, "at"),
    ({"uri": "file:///a.txt", "range": {
        "start": {"line": 3, "character": 3}, "end": {"line": 3, "character": 16}}}, QUOTE),
    ({"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {
        "startLine": 4, "startColumn": 4, "endLine": 4, "endColumn": 17}}}, QUOTE),
    ({"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 4}}}, LINE),
    ({"type": "match", "data": {"path": {"text": "a.txt"}, "lines": {"text": LINE}, "line_number": 4}}, LINE),
    ({"toolUseResult": {"type": "text", "file": FILE}}, LINE),
    ({"type": "tool_use", "name": "Read", "input": {"file_path": "/work/a.txt", "offset": 4, "limit": 1}}, LINE),
    *((AT | lines, LINE) for lines in ({"lines": "4-4"}, {"lines": [4, 4]}, {"line_range": "[4, 4]"}, {"line": 4},
                                       {"startLine": 4, "endLine": 4}, {"line_start": 4, "line_end": 4})),
    ({"path": "a.txt", "view_range": [4, -1]}, LINE + "\fDogs bark.\nThe end.\n"),
    ({"filePath": "a.txt", "startLine": 4, "numLines": 1}, LINE),
    ({"doc_id": "a.txt", "evidence_pages": "[2]"}, PAGE),
    ({"docno": "a.txt:4"}, LINE),
    ({"source": "a.txt#L4-L4"}, LINE),
    ({"docno": f"a.txt#{START}-{END}"}, QUOTE),
    ({"st_sent": 1, "ed_sent": 1, "cite": QUOTE}, QUOTE),
    ({**AT, "char_start": START, "char_end": END}, QUOTE),
    ({**AT, "lines": "L4-L4"}, LINE),
    ({**AT, "span": {"start": START, "end": END}}, QUOTE),
    ({**AT, "span": [START, END]}, QUOTE),
    ({**AT, "span": f"[{START}, {END}]"}, QUOTE),
    ({**AT, "from": START, "to": END}, QUOTE),
    ({**AT, "from": "Ann", "to": "Ben", "text": QUOTE}, QUOTE),
    ({"body": "http://x.org", "text": "A comment.", "target": [{"source": "a.txt", "selector": [
        {"type": "RangeSelector", "startContainer": "/p", "startOffset": 0, "endContainer": "/p", "endOffset": 4},
        {"type": "TextPositionSelector", **UTF16}, {"type": "TextQuoteSelector", "exact": QUOTE}]}]}, QUOTE),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "text"), PLACES, ids=[",".join(shape)[:40] for shape, _ in PLACES])
def test_a_place_in_a_document_is_read_as_evidence_and_as_a_result(shape, text):
    assert quote(shape)[0] == [text]
    assert [found.strip("\n\f") for found in list_texts({"q": [shape]})] == [text.strip("\n\f")]


HIT = {"filename": "a.txt", "content": [{"type": "text", "text": QUOTE}]}
SPAN = {"document": {"id": "a.txt", "content": QUOTE, "metadata": '{"source": "a.txt"}'}}
FLAT = {f"retrieval.documents.0.document.{name}": value for name, value in SPAN["document"].items()}
BLOCKS = [{"type": "text", "text": "The answer", "citations": [{"type": "char_location", **ROW}]}]


@pytest.mark.parametrize(
    "response",
    [
        {"content": BLOCKS},
        {"content": [{"type": "text", "text": QUOTE},
                     {"type": "resource", "resource": {"uri": "a.txt", "text": QUOTE}}]},
        {"contents": [{"uri": "file:///a.txt", "mimeType": "text/plain", "text": QUOTE}]},
        {"output": [{"type": "file_search_call", "results": [{"filename": "a.txt", "text": QUOTE}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "The answer"}]}]},
        {"object": "vector_store.search_results.page", "data": [HIT]},
        {"candidates": [{"groundingMetadata": {"groundingChunks": [{"retrievedContext": {"text": QUOTE}}]}}]},
        {"message": {"citations": [{"start": 1, "end": 2, "text": "fi", "sources": [{"document": {"text": QUOTE}}]}]}},
        {"citations": [{"generatedResponsePart": {}, "retrievedReferences": [{"content": {"text": QUOTE}}]}]},
        {"retrieval": {"documents": [SPAN]}},
        {"citations": {"sources": [{"id": "s", "path": "a.txt"}], "spans": [{"startIndex": 0, "references": [
            {"sourceId": "s", "location": {"type": "char", "startIndex": START, "endIndex": END}}]}]}},
        [{"type": "begin", "data": {"path": {"text": "a.txt"}}}, {"docno": "a.txt", "text": QUOTE}],
        [{"payload": {"type": "function_call", "arguments": "{}"}},
         {"payload": {"type": "function_call_output", "output": QUOTE}}],
        {"trajectory": [{"action": "cat a.txt", "observation": QUOTE}]},
    ],
    ids=lambda response: str(response)[:20],
)  # fmt: skip
def test_what_a_response_holds_is_found_and_its_answer_is_not(response):
    assert set(list_texts({"q": response})) == {QUOTE}


PASSAGE = {"content": {"text": QUOTE}}


@pytest.mark.parametrize(
    "things",
    [
        [{"type": "text", "text": "The"}, *BLOCKS, *BLOCKS],
        [
            {
                "type": "file_search_call",
                "id": "1",
                "results": [{"file_id": "f", "filename": "a.txt", "text": QUOTE}] * 2,
            }
        ],
        [{"generatedResponsePart": {}, "retrievedReferences": [PASSAGE, PASSAGE]}],
        [{"start": 0, "end": 3, "text": "The", "sources": [{"document": {"id": "a.txt", "text": QUOTE}}] * 2}],
        [SimpleNamespace(start=0, end=3, text="The", sources=[{"document": {"id": "a.txt", "text": QUOTE}}] * 2)],
        [
            {
                "type": "tool_result",
                "content": [{"type": "search_result", "source": "a.txt", "content": [PASSAGE["content"]]}] * 2,
            }
        ],
        [{"name": "retrieve", "attributes": FLAT}, {"span_kind": "RETRIEVER", "retrieval": {"documents": [SPAN]}}],
    ],
    ids=lambda things: ",".join(things[0] if isinstance(things[0], dict) else ["objects"]),
)
def test_a_list_of_blocks_calls_citations_or_spans_is_what_they_hold(things):
    assert list_texts({"q": things}) == [QUOTE] * 2


def test_a_null_among_what_was_retrieved_keeps_its_rank():
    assert list_texts({"q": [None, ("a.txt", None, None), QUOTE]}) == ["blank", "blank", QUOTE]


PATCH = """--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+New.
--- a/a.txt
+++ b/a.txt
@@ -3,2 +3,2 @@
 \fPage two, and cats.
-🐟 Cats eat fish at noon.
+Cats.
"""


@pytest.mark.parametrize(
    "row",
    [
        {"gold_ctx": [{"file": "a.txt", "start_line": 4, "end_line": 4}]},
        {"patch": PATCH, "gold_context": '[{"file": "a.txt", "start_line": 4, "end_line": 4}]'},
    ],
    ids=["ContextBench", "ContextBench with its patch"],
)
def test_lines_of_benchmarks_of_code_end_at_line_feeds_only(row):
    assert quote(row)[0] == [LINE]


@pytest.mark.parametrize(
    "row",
    [
        {"openinference.span.kind": "RETRIEVER", "input.value": "q", **FLAT},
        {"span_kind": "RETRIEVER", "attributes": {"input": {"value": "q"}, "retrieval": {"documents": [SPAN]}}},
        {"name": "retrieve", "attributes": {"input.value": "q", **FLAT}},
        {"attributes": {"gen_ai.retrieval.query.text": "q",
                        "gen_ai.retrieval.documents": '[{"id": "x", "content": "Cats eat fish"}]'}},
        {"inputs": {"question": "q"}, "outputs": {"documents": [{"page_content": QUOTE, "metadata": {}}]}},
        {"User Input": "q", "retrievedContexts": [QUOTE]},
    ],
    ids=lambda row: ",".join(row)[:40],
)  # fmt: skip
def test_rows_of_traces_and_of_other_spellings(row):
    assert list_texts([row]) == [QUOTE]


@pytest.mark.parametrize(
    ("thing", "status"),
    [
        *(({**AT, "text": value}, "blank") for value in (None, float("nan"), pd.NA, "", " \n", [])),
        ({**AT, "content": pd.NA}, "blank"),
        ({**AT, "target": [{"selector": 1}]}, "blank"),
        *(({**AT, "start": value, "end": value}, "blank") for value in (None, float("nan"), "")),
        ({**AT, "start": -5, "end": 10}, "outside"),
        ({**AT, "start": 76, "end": 46}, "outside"),
        ({**AT, "end": 46}, "outside"),
        ({**AT, "start": 4.5, "end": 9}, "outside"),
        ({"path": "a.txt", "start_end_idx": [0, 0]}, "outside"),
        ({**AT, "lines": "some"}, "outside"),
        ({**AT, "page": "some"}, "outside"),
        ({**AT, "page": None}, "blank"),
        ({**AT, "chunk_index": 4}, "blank"),
        ({**AT, "char_range": "4-9"}, "blank"),
        ({**AT, "body_text": QUOTE}, "blank"),
        *(({**AT, name: QUOTE}, "blank") for name in ("web", "citation", "output", "data")),
        *(({**AT, name: [[3, 9]]}, "blank") for name in ("char_offsets", "my_spans")),
        *(({"id": "a.txt", "payload": value, "score": 0.5}, "blank") for value in (None, {})),
        ({"text": None}, "blank"),
        ({"uri": "a.txt", "range": None}, "blank"),
        ({"target": {"source": "a.txt", "selector": {"type": "FragmentSelector", "value": "x"}}}, "blank"),
        ({"docno": "a.txt:99"}, "outside"),
        ({"type": "url_citation", "url": "a.txt", "start_index": 1, "end_index": 9}, "blank"),
        ({"type": "url_citation", "url_citation": {"url": "a.txt", "start_index": 1, "end_index": 9}}, "blank"),
        ({"type": "file_citation", "text": "[1]", "start_index": 1, "end_index": 9,
          "file_citation": {"file_id": "a.txt"}}, "blank"),
        *(({"type": kind, "file_id": "f", "filename": "a.txt", "index": 992}, "blank") for kind in OF_FILES),
        ({"type": "container_file_citation", "filename": "a.txt", "start_index": 1, "end_index": 9}, "blank"),
        ({**ROW, "cited_text": None, "start_block_index": 0, "end_block_index": 1}, "blank"),
    ],
)  # fmt: skip
def test_a_text_or_place_of_no_use_keeps_its_rank_and_is_no_document(thing, status):
    result = retrieve({"q": [thing, {"docno": "a.txt", "text": QUOTE}]})
    assert result.located["status"].tolist()[0] == status
    assert result.table[["texts", "placed", "whole", "SpanHit@1", "CharP"]].values.tolist() == [[2, 0.5, 0, 0, 1]]
    with pytest.raises((FormatError, EvidenceError), match=r"the evidence(:1:|: 1 of 1)"):
        quote(thing)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"quote": ""}, "'quote' is ''"),
        ({"references": None}, "'references' is None"),
        ({"references": [{"docno": "a.txt", "quote": None}]}, "'quote' is None"),
        ({"answer": "It is a text of many words"}, "'answer'.*columns=.*say whole=True"),
        ({"context": "eat fish"}, "'context'"),
        ({"begin_at": 3}, "'begin_at'.*columns={'start': 'begin_at'.*whole=True"),
        ({"start": 76, "end": 46}, "'start' to 'end' is 76 to 46"),
        ({"snippet_begin": "x"}, "'snippet_begin'"),
        ({"support": [1, 2]}, "'support'"),
        ({"positions": [[1, 2]]}, "'positions'"),
    ],
)
def test_evidence_under_a_name_that_nobody_knows_is_refused_by_it(row, message):
    with pytest.raises(FormatError, match=message):
        quote({**AT, **row})
    if "references" not in row:
        assert quote_whole(row) == [TEXT.strip()]


def quote_whole(row):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (cell,) = ptf.cells(read_spans([{"question": "q", **AT, **row}], CORPUS, whole=True)["highlights"])
    return [TEXT[start:end] for start, end in cell]


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"difficulty": "hard", "kind": "multi hop", "year": 2024, "score": 0.5, "id": 7},
        {"whole": "true", "text": None},
    ],
    ids=["alone", "labels", "whole"],
)
def test_a_whole_document_is_named_counted_and_told(row):
    texts, told = quote({**AT, **row})
    assert texts == [TEXT.strip()]
    assert f"1 rows are evidence by whole documents, of {len(TEXT.strip())} characters" in "".join(told)
    result = retrieve({"q": [{**AT, **row}, QUOTE]})
    assert result.table[["whole", "placed"]].values.tolist() == [[1, 1]]


@pytest.mark.parametrize("whole", [True, "results"])
def test_results_may_say_that_whole_documents_are_meant(whole):
    things = [{**AT, "text": None}, {**AT, "body_text": QUOTE}, {**AT, "text": QUOTE}]
    assert list_texts({"q": things}, whole=whole) == [TEXT, TEXT, QUOTE]


@pytest.mark.parametrize(
    ("offsets", "told"),
    [
        (BYTES, "count bytes of UTF-8"),
        (UTF16, "count units of UTF-16"),
        ({"start": START, "end": END - 1}, "count characters and include the end"),
        ({"start": START, "end": END}, ""),
    ],
)
def test_offsets_of_evidence_that_fit_its_quote_in_another_unit_are_taken_and_told(offsets, told):
    texts, messages = quote({**AT, "quote": QUOTE, **offsets})
    assert texts == [QUOTE]
    assert [told in message for message in messages] == [True] * bool(told)


def test_a_quote_at_the_end_of_a_text_fits_once():
    row = {"question": "q", "docno": "x", "quote": "ab", "start": 3, "end": 5}
    assert ptf.cells(read_spans([row], {"x": "ab ab"})["highlights"]) == [[(3, 5)]]


def test_offsets_of_evidence_that_fit_in_two_units_are_refused():
    row = {"question": "q", "docno": "x", "quote": "ab", "start": 4, "end": 6}
    with pytest.raises(EvidenceError, match="fit at two places"):
        read_spans([row], {"x": "🙂ab ab"})


COPIES = {"x": "🙂 é The end. Start. The end.", "y": "Nothing."}


@pytest.mark.parametrize(
    ("offsets", "start"),
    [
        ({"start": 20}, 20),
        ({"start": 24, "end": 32}, 20),
        ({"start": 21, "end": 29}, 20),
        ({"start": 4, "end": 12}, 4),
        ({"start_char_idx": 20, "end_char_idx": 28}, 20),
        ({"data": {"path": {"text": "x"}, "lines": {"text": "The end."}, "absolute_offset": 24}}, 20),
        ({"start_char_idx": 4, "end_char_idx": 12}, 4),
        ({}, -1),
    ],
    ids=["characters", "bytes", "from 1", "first", "LlamaIndex", "ripgrep", "LlamaIndex's first", "none"],
)
def test_offsets_choose_among_the_copies_of_a_text(offsets, start):
    items = {"q": [{"docno": "x", "text": "The end.", **offsets}]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate_retrieved(
            [{"question": "q", "docno": "x", "start": 0, "end": 1}], items, COPIES, "SpanHit@1", verbose=False
        )
    assert result.located["start"].tolist() == [start]


def test_objects_keep_what_no_shape_knows():
    assert list_texts({"q": [SimpleNamespace(docno="a.txt", body_text=QUOTE)]}) == ["blank"]
