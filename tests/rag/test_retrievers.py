"""Retrievers as they stand score as the same texts from a file, and what they raise is told."""

import asyncio
import json
import threading
import warnings

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_focused.rag.score import evaluate_retrieved, load_result
from pyterrier_focused.retrieval.tasks.focused import Focused

CORPUS = {
    "cats": "Cats sleep all day. Cats eat fish at noon. Dogs bark at the moon.",
    "sea": "Fish swim in the sea. A whale is no fish. Whales sing at night.",
}
EVIDENCE = [
    {"qid": "7", "question": "What do cats eat?", "docno": "cats", "quote": "eat fish at noon"},
    {"qid": "8", "question": "Who sings at night?", "docno": "sea", "quote": "Whales sing"},
    {"qid": "9", "question": "Is a whale a fish?", "docno": "sea", "quote": "A whale is no fish"},
]
CHUNKS = [(docno, f"{part.strip()}.") for docno, text in CORPUS.items() for part in text.split(".") if part.strip()]
MEASURES = "SpanHit@1 SpanRR CharR@2 CharP"


def rank(question, k=3):
    """The chunks that share most words with a question."""
    words = set(question.lower().rstrip("?").split())
    return sorted(CHUNKS, key=lambda chunk: -len(words & set(chunk[1].lower().rstrip(".").split())))[:k]


def make_function():
    return lambda question: [text for _, text in rank(question)]


def make_searcher():
    class Searcher:
        def search(self, question):
            return [{"docid": docno, "contents": text} for docno, text in rank(question)]

    return Searcher()


def make_transformer():
    def retrieve(topics):
        rows = [
            {"qid": topic.qid, "query": topic.query, "docno": f"chunk-{place}", "docid": place, "text": text,
             "score": -place, "rank": place}
            for topic in topics.itertuples()
            for place, (_, text) in enumerate(rank(topic.query))
        ]  # fmt: skip
        return pd.DataFrame(rows).iloc[::-1]  # PyTerrier's frames have ranks, and no order

    return pt.apply.generic(retrieve)


def make_langchain():
    documents = pytest.importorskip("langchain_core.documents", reason="needs langchain-core")
    retrievers = pytest.importorskip("langchain_core.retrievers")

    class Retriever(retrievers.BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [documents.Document(page_content=text, metadata={"source": docno}) for docno, text in rank(query)]

    return Retriever()


def make_llama_index():
    retrievers = pytest.importorskip("llama_index.core.retrievers", reason="needs llama-index-core")
    schema = pytest.importorskip("llama_index.core.schema")

    class Retriever(retrievers.BaseRetriever):
        def _retrieve(self, query_bundle):
            return [
                schema.NodeWithScore(node=schema.TextNode(text=text, metadata={"file_name": docno}), score=1 / (1 + i))
                for i, (docno, text) in enumerate(rank(query_bundle.query_str))
            ]

    return Retriever()


def make_haystack():
    haystack = pytest.importorskip("haystack", reason="needs haystack-ai")

    @haystack.component
    class Retriever:
        @haystack.component.output_types(documents=list[haystack.Document])
        def run(self, query: str):
            found = rank(query)
            return {"documents": [haystack.Document(content=text, meta={"file_path": docno}) for docno, text in found]}

    return Retriever()


def make_pipeline():
    haystack = pytest.importorskip("haystack", reason="needs haystack-ai")
    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", make_haystack())
    return lambda question: pipeline.run({"retriever": {"query": question}})


KINDS = [make_function, make_searcher, make_transformer, make_langchain, make_llama_index, make_haystack]


@pytest.fixture
def from_file(tmp_path):
    """The values of the same texts, read from a file."""
    rows = [{"qid": row["qid"], "retrieved": [text for _, text in rank(row["question"])]} for row in EVIDENCE]
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return evaluate_retrieved(EVIDENCE, path, CORPUS, MEASURES)


@pytest.mark.parametrize("make", [*KINDS, make_pipeline])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_retriever_scores_as_its_texts_from_a_file(make, workers, from_file):
    result = evaluate_retrieved(EVIDENCE, make(), CORPUS, MEASURES, workers=workers, verbose=False)
    columns = ["qid", "query", "texts", *MEASURES.split()]
    pd.testing.assert_frame_equal(result.questions[columns], from_file.questions[columns])
    assert result.located["text"].tolist() == from_file.located["text"].tolist()


@pytest.mark.filterwarnings("ignore:system .* retrieved nothing for any")
def test_several_retrievers_by_name():
    result = evaluate_retrieved(EVIDENCE, {"one": make_function(), "none": lambda question: []}, CORPUS, MEASURES)
    assert result.table[["name", "SpanHit@1"]].values.tolist() == [["one", 1], ["none", 0]]


def test_seconds_of_each_question_and_of_a_batch():
    result = evaluate_retrieved(EVIDENCE, {"each": make_function(), "batch": make_transformer()}, CORPUS, MEASURES)
    assert result.questions["batch"].tolist() == [False] * 3 + [True] * 3
    assert result.questions["seconds"][3:].nunique() == 1
    seconds = result.questions.groupby("name", sort=False)["seconds"]
    assert result.table["seconds"].tolist() == pytest.approx(seconds.median().tolist())
    assert result.table["seconds p95"].tolist() == pytest.approx(seconds.quantile(0.95).tolist())


def test_results_that_were_given_have_no_seconds(from_file):
    assert not {"seconds", "seconds p95", "batch", "error"} & {*from_file.table, *from_file.questions}


def fail_once(question):
    if "sings" in question:
        raise TimeoutError("no answer")
    return make_function()(question)


def fail_in_a_batch(topics):
    fail_once(" ".join(topics["query"]))
    return make_transformer()(topics)


@pytest.mark.parametrize("retriever", [fail_once, pt.apply.generic(fail_in_a_batch)], ids=["function", "transformer"])
def test_a_question_that_raised_counts_as_nothing_retrieved(retriever):
    message = r"'results' raised for 1 of 3 questions, .* 'Who sings at night\?': TimeoutError\('no answer'\)"
    with pytest.warns(UserWarning, match=message):
        result = evaluate_retrieved(EVIDENCE, retriever, CORPUS, "SpanHit@1")
    assert result.questions[["texts", "SpanHit@1", "error"]].values.tolist() == [
        [3, 1, ""], [0, 0, "TimeoutError('no answer')"], [3, 1, ""],
    ]  # fmt: skip
    assert result.questions["seconds"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("retriever", "message"),
    [
        (lambda question: 1 / 0, "division by zero"),
        (lambda question: None, "question 'What do cats eat.': give a list .* not None"),
        (lambda question: 7, "give a list .* not 7"),
        (pt.apply.generic(lambda topics: 1 / 0), "division by zero"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_retriever_that_raises_for_every_question_is_an_error(retriever, message, workers):
    with pytest.raises((ZeroDivisionError, ValueError), match=message):
        evaluate_retrieved(EVIDENCE, {"good": make_function(), "bad": retriever}, CORPUS, workers=workers)


def test_a_string_is_one_text():
    result = evaluate_retrieved(EVIDENCE, lambda question: CORPUS["cats"], CORPUS, "SpanHit@1")
    assert result.questions[["texts", "SpanHit@1"]].values.tolist() == [[1, 1], [1, 0], [1, 0]]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("method", ["__call__", "ainvoke", "aretrieve", "asearch"])
@pytest.mark.parametrize("in_a_loop", [False, True], ids=["alone", "in a loop"])
def test_what_a_coroutine_retrieves_is_awaited(method, workers, in_a_loop, from_file):
    loops = set()

    async def retrieve(self, question):
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return make_function()(question)

    def evaluate():
        return evaluate_retrieved(EVIDENCE, retriever, CORPUS, MEASURES, workers=workers, verbose=False)

    async def evaluate_in_a_loop():
        return evaluate()

    retriever = type("Retriever", (), {method: retrieve})()
    result = asyncio.run(evaluate_in_a_loop()) if in_a_loop else evaluate()
    assert result.table["SpanHit@1"].tolist() == from_file.table["SpanHit@1"].tolist()
    assert len(loops) == 1


@pytest.mark.filterwarnings("ignore:system .* retrieved nothing for any")
def test_an_answer_that_cannot_be_read_is_told():
    with pytest.warns(UserWarning, match="give a list of what was retrieved, best first, not None"):
        evaluate_retrieved(EVIDENCE, lambda question: None if "eat" in question else [CHUNKS[0][1]], CORPUS)


@pytest.mark.parametrize("retriever", [fail_once, pt.apply.generic(fail_in_a_batch)], ids=["function", "transformer"])
@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_raised_stops_if_it_shall(retriever, workers):
    with pytest.raises(TimeoutError, match="no answer"):
        evaluate_retrieved(EVIDENCE, retriever, CORPUS, errors="raise", workers=workers)


@pytest.mark.filterwarnings("ignore:system .* retrieved nothing for any")
def test_one_worker_asks_in_the_thread_of_the_caller():
    threads = set()
    evaluate_retrieved(EVIDENCE, lambda question: threads.add(threading.get_ident()) or [], CORPUS)
    assert threads == {threading.get_ident()}


@pytest.mark.filterwarnings("ignore:system 'results' raised")
def test_a_saved_result_is_scored_again_without_asking(tmp_path):
    result = evaluate_retrieved(EVIDENCE, fail_once, CORPUS, "SpanRR CharR")
    result.save(tmp_path / "result.zip")
    again = evaluate_retrieved(EVIDENCE, load_result(tmp_path / "result.zip"), CORPUS, "SpanRR CharR")
    pd.testing.assert_frame_equal(again.table, result.table)
    pd.testing.assert_frame_equal(again.questions, result.questions)
    assert again.retrieved == result.retrieved


THINGS = [
    {"docno": "cats", "start_line": 1, "end_line": 1, "score": 2.5},
    {"text": "Whales sing at night.", "source": "x/sea.txt", "page": 1, "page_label": "i"},
    ("cats", 0, 8),
    "cats#0-8",
]


@pytest.mark.filterwarnings("ignore:.*(cannot be placed|is taken to count|page_label)")
def test_a_saved_result_holds_all_that_things_say_of_themselves(tmp_path):
    result = evaluate_retrieved(EVIDENCE, lambda question: THINGS, CORPUS, "SpanRR", pages_from=1)
    result.save(tmp_path / "result.zip")
    assert load_result(tmp_path / "result.zip").retrieved == result.retrieved


def test_nothing_is_written_unasked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evaluate_retrieved(EVIDENCE, make_function(), CORPUS)
    assert list(tmp_path.iterdir()) == []


def test_a_transformer_may_return_packed_passages(from_file):
    starts = {text: (docno, CORPUS[docno].find(text)) for docno, text in CHUNKS}
    spans = {text: f"{docno}#{start}-{start + len(text)}" for text, (docno, start) in starts.items()}
    retrieve = make_transformer()
    by_id = pt.apply.generic(lambda topics: retrieve(topics).assign(docno=lambda found: found["text"].map(spans)))
    result = evaluate_retrieved(EVIDENCE, by_id >> Focused(), CORPUS, MEASURES)
    pd.testing.assert_frame_equal(result.table[MEASURES.split()], from_file.table[MEASURES.split()])
    assert result.located["status"].unique().tolist() == ["id"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"results": 7}, "results are {question"),
        ({"workers": 0}, "workers=0: give how many questions"),
        ({"evidence": [{"qid": "1", "docno": "cats", "quote": "Dogs"}]}, "questions without a text"),
    ],
)
def test_what_is_no_retriever(options, message):
    given = {"evidence": EVIDENCE, "results": make_function(), "corpus": CORPUS, **options}
    with pytest.raises(ValueError, match=message):
        evaluate_retrieved(**given)


def test_a_pipeline_takes_its_own_inputs():
    haystack = pytest.importorskip("haystack", reason="needs haystack-ai")
    with pytest.raises(ValueError, match=r"run\(\) of Pipeline takes no query, but data.*lambda question"):
        evaluate_retrieved(EVIDENCE, haystack.Pipeline(), CORPUS)


def test_no_warning_without_cause():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate_retrieved(EVIDENCE, make_function(), CORPUS, MEASURES)
