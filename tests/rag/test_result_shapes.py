"""Results in the shapes of tools: lists side by side, bare ids, tables of any kind, turns of a conversation."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pyterrier_focused.rag.results import read_retrieved
from pyterrier_focused.rag.score import evaluate_retrieved

CHUNKS = pd.DataFrame({"doc_id": ["c-1", "c-2", "c-3"], "contents": ["Cats sleep.", "Cats eat fish.", "Dogs run."]})
GOLD = pd.DataFrame({"qid": ["q"], "query": ["what do cats eat"], "docno": ["c-2"]})


def lists_of_ids(kind):
    row = {"qid": "q", "query": "what do cats eat", "retrieved_ids": ["c-1", "c-2"]}
    rows = pd.DataFrame([{**row, "retrieved_contents": ["Cats sleep.", "Cats eat fish."]}])
    if kind == "frame":
        return rows.map(lambda cell: np.array(cell, dtype=object) if isinstance(cell, list) else cell)
    if kind == "ids":
        return {"q": ["c-1", "c-2"]}
    if kind == "hits without texts":
        return {"q": [{"id": "c-1", "score": 0.9}, {"id": "c-2", "score": 0.8}]}
    return {
        "q": np.array(row["retrieved_ids"] if kind == "array of ids" else ["Cats sleep.", "Cats eat fish."], object)
    }


@pytest.mark.parametrize("kind", ["frame", "ids", "hits without texts", "array of ids", "array of texts"])
def test_chunks_that_are_documents_of_the_corpus(kind):
    """AutoRAG's recall and precision of 2 chunks, of which the second is the one to find: 1 and 1/2."""
    result = evaluate_retrieved(GOLD, lists_of_ids(kind), CHUNKS, "SpanR SpanP SpanRR", verbose=False)
    assert result.table[["SpanR", "SpanP", "SpanRR"]].values.tolist() == [[1, 0.5, 0.5]]


def test_contents_without_ids_are_found_by_their_text():
    rows = [{"query": "what do cats eat", "retrieved_contents": ["Cats eat fish."]}]
    result = evaluate_retrieved(GOLD, pd.DataFrame(rows), CHUNKS, "SpanR", verbose=False)
    assert result.table["SpanR"].tolist() == [1]


def test_evidence_and_results_in_parquet(tmp_path):
    GOLD.to_parquet(tmp_path / "qa.parquet")
    lists_of_ids("frame").to_parquet(tmp_path / "mine.parquet")
    CHUNKS.to_parquet(tmp_path / "corpus.parquet")
    paths = [tmp_path / name for name in ("qa.parquet", "mine.parquet", "corpus.parquet")]
    result = evaluate_retrieved(*paths, "SpanR", verbose=False)
    assert result.table[["name", "SpanR"]].values.tolist() == [["mine", 1]]


def test_a_question_may_be_the_last_turn_of_a_conversation():
    turns = [{"speaker": "user", "text": "and dogs?"}, {"speaker": "user", "text": "what do cats eat"}]
    rows = [{"task_id": "q", "input": turns, "contexts": [{"document_id": "c-2", "text": "Cats eat fish."}]}]
    ((asked, items),) = read_retrieved(pd.DataFrame(rows))["results"].items()
    assert (asked.qid, asked.query, len(items)) == ("q", "what do cats eat", 1)


ASKED = "what do cats eat"
TEXT = "Cats eat fish."
HIT = SimpleNamespace(page_content=TEXT, metadata={})


@pytest.mark.parametrize(
    "results",
    [
        *({ASKED: {name: [TEXT]}} for name in ("ctxs", "docs", "search_results", "retrieved_documents", "documents")),
        *([{"question": ASKED, name: [{"chunk_text": TEXT}]}] for name in ("ctxs", "docs", "search_results", "hits")),
        {ASKED: {"query": ASKED, "result": "fish", "source_documents": [HIT]}},  # LangChain's RetrievalQA
        {ASKED: {"input": ASKED, "context": [HIT], "answer": "fish"}},  # and its retrieval chain
        [{"input": ASKED, "context": [HIT], "answer": "fish"}],
        {"input": ASKED, "context": [HIT], "answer": "fish"},
        {ASKED: {"retriever": {"documents": [TEXT]}, "llm": {"replies": ["fish"]}}},  # a pipeline of Haystack
        {"results": {"q": {"documents": [TEXT]}}},
    ],
)
def test_outputs_of_chains_and_pipelines(results):
    (items,) = read_retrieved(results)["results"].values()
    assert [item.text for item in items] == [TEXT]


def test_a_pipeline_with_two_lists_is_ambiguous():
    results = {ASKED: {"bm25": {"documents": [TEXT]}, "ranker": {"documents": [TEXT]}}}
    with pytest.raises(ValueError, match="'bm25', 'ranker' have results; give those of one of them"):
        read_retrieved(results)


NAMED = {"query": "Frage", "retrieved": "Funde", "text": "Inhalt", "docno": "Akte", "start": "von", "end": "bis"}
PLACED = {"Inhalt": TEXT, "Akte": "c-2", "von": 0, "bis": "14", "score": 2.0}


@pytest.mark.parametrize(
    "results",
    [
        [{"Frage": ASKED, "Funde": [PLACED]}],
        [{"Frage": ASKED, **PLACED}],
        {ASKED: [SimpleNamespace(**PLACED)]},
        {ASKED: [SimpleNamespace(page_content="", metadata=PLACED, score=2.0)]},
    ],
    ids=["list", "row", "object", "metadata"],
)
def test_fields_of_results_by_other_names(results):
    ((item,),) = read_retrieved(results, NAMED)["results"].values()
    assert (item.text, item.documents, item.start, item.end, item.score) == (TEXT, ("c-2",), 0, 14, 2.0)


def test_fields_of_results_that_do_not_exist():
    with pytest.raises(ValueError, match=r"result_columns={'txt': 'body'}: \['txt'\] is none of"):
        evaluate_retrieved(GOLD, {"q": ["c-2"]}, CHUNKS, result_columns={"txt": "body"})


CORPUS = {"a": "Cats sleep all day. Cats eat fish at noon.", "b": "Fish swim in the sea."}
EVIDENCE = [{"question": "what do cats eat", "docno": "a", "quote": "eat fish at noon"}]
ROWS = [{"question": "what do cats eat", "contexts": ["Cats eat fish at noon."]}]


@pytest.mark.parametrize(
    "convert",
    [list, pd.DataFrame, pa.Table.from_pylist, lambda rows: SimpleNamespace(to_pandas=lambda: pd.DataFrame(rows))],
    ids=["rows", "frame", "Arrow", "what becomes a frame"],
)
def test_rows_of_results_evidence_and_corpus_in_any_table(convert):
    corpus = convert([{"docno": docno, "text": text} for docno, text in CORPUS.items()])
    result = evaluate_retrieved(convert(EVIDENCE), convert(ROWS), corpus, "SpanHit@5", verbose=False)
    assert result.questions["SpanHit@5"].tolist() == [1]
