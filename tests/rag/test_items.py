"""Hits of vector stores and frameworks as they are: shapes from the stores' own documentation and classes."""

from types import SimpleNamespace

import pytest

from pyterrier_focused.rag.items import Item, read_item
from pyterrier_focused.rag.results import read_retrieved

TEXT = "Cats eat fish at noon."
METADATA = {"source": "a.txt", "start_index": 20}


def named(**fields):
    return SimpleNamespace(**fields)


@pytest.mark.parametrize(
    ("thing", "documents", "start"),
    [
        # LangChain: a document, one with its score, one as it is serialised
        (named(page_content=TEXT, metadata=METADATA, id=None), ("a.txt",), 20),
        ((named(page_content=TEXT, metadata=METADATA), 0.5), ("a.txt",), 20),
        ({"lc": 1, "type": "constructor", "kwargs": {"page_content": TEXT, "metadata": METADATA}}, ("a.txt",), 20),
        # LlamaIndex: a node with its score, as an object and as JSON
        (named(node=named(text=TEXT, metadata={"file_name": "a.txt"}, start_char_idx=20, end_char_idx=42), score=0.5),
         ("a.txt",), 20),
        ({"node": {"id_": "n", "text": TEXT, "metadata": {"file_name": "a.txt"}, "start_char_idx": 20}, "score": 1.0},
         ("a.txt",), 20),
        # Qdrant: a point with the payload of LangChain, and one of fastembed
        (named(id=7, version=1, score=0.5, payload={"page_content": TEXT, "metadata": METADATA}), ("a.txt",), 20),
        ({"id": 7, "score": 0.5, "payload": {"document": TEXT, "source": "a.txt"}}, ("a.txt",), None),
        # Elasticsearch and OpenSearch
        ({"_index": "i", "_id": "7", "_score": 1.5, "_source": {"content": TEXT, "metadata": METADATA}},
         ("a.txt",), 20),
        # Pinecone: a match, and a hit of search
        ({"id": "7", "score": 0.5, "values": [], "metadata": {"text": TEXT, "source": "a.txt"}}, ("a.txt",), None),
        ({"_id": "7", "_score": 0.5, "fields": {"chunk_text": "", "text": TEXT, "source": "a.txt"}}, ("a.txt",), None),
        # Weaviate
        (named(uuid="u-7", properties={"text": TEXT, "source": "a.txt"}, metadata=named(distance=0.1)),
         ("a.txt",), None),
        # Bedrock knowledge bases
        ({"content": {"text": TEXT, "type": "TEXT"}, "score": 0.5,
          "location": {"type": "S3", "s3Location": {"uri": "s3://bucket/a.txt"}}}, ("s3://bucket/a.txt",), None),
        # Vertex RAG engine
        ({"sourceUri": "gs://bucket/a.txt", "text": TEXT, "score": 0.5}, ("gs://bucket/a.txt",), None),
        # Vertex AI search
        ({"id": "7", "document": {"derivedStructData": {
            "link": "gs://bucket/a.txt", "extractive_answers": [{"content": TEXT, "pageNumber": "1"}]}}},
         ("gs://bucket/a.txt",), None),
        # OpenAI file search
        ({"file_id": "f", "filename": "a.txt", "score": 0.5, "content": [{"type": "text", "text": TEXT}]},
         ("a.txt",), None),
        # Cohere rerank
        ({"index": 3, "relevance_score": 0.5, "document": {"text": TEXT}}, (), None),
        # rank_llm and ragnarok
        ({"docid": "d#7", "score": 5.0, "doc": {"segment": TEXT, "title": "A title"}}, ("d#7", "A title"), None),
        # docling and unstructured
        ({"text": TEXT, "meta": {"headings": ["Pets"], "origin": {"filename": "a.txt"}}}, ("a.txt",), None),
        ({"type": "NarrativeText", "text": TEXT, "metadata": {"filename": "a.txt", "page_number": 1}},
         ("a.txt",), None),
    ],
)  # fmt: skip
def test_a_hit_of_any_tool_has_its_text_and_place(thing, documents, start):
    item = read_item(thing)
    assert (item.text, item.start) == (TEXT, start)
    assert item.documents == documents


@pytest.mark.parametrize(
    "response",
    [
        named(points=[named(payload={"text": TEXT})]),  # qdrant_client.query_points
        {"result": {"points": [{"payload": {"text": TEXT}}]}, "status": "ok", "time": 0.1},  # Qdrant by HTTP
        {"ids": [["7"]], "documents": [[TEXT]], "metadatas": [[None]], "distances": [[0.1]], "embeddings": None},
        {"ids": ["7"], "documents": [TEXT], "metadatas": None},  # Chroma's get
        {"took": 1, "hits": {"total": {"value": 1}, "hits": [{"_id": "7", "_source": {"text": TEXT}}]}},
        named(body={"took": 1, "hits": {"hits": [{"_id": "7", "_source": {"text": TEXT}}]}}),  # elasticsearch-py
        {"matches": [{"id": "7", "metadata": {"text": TEXT}}], "namespace": ""},
        named(objects=[named(properties={"text": TEXT})]),
        {"data": {"Get": {"Chunk": [{"text": TEXT, "_additional": {"distance": 0.1}}]}}},  # Weaviate by GraphQL
        {"retrievalResults": [{"content": {"text": TEXT}}]},
        {"results": [{"chunk": {"id": "c1", "content": TEXT, "documentMetadata": {"uri": "gs://b/a.txt"}}}]},
        {"contexts": {"contexts": [{"text": TEXT}]}},
        {"object": "vector_store.search_results.page", "data": [{"content": [{"type": "text", "text": TEXT}]}]},
        {"results": [{"index": 0, "document": {"text": TEXT}}]},
        named(source_nodes=[named(node=named(text=TEXT))]),
        {"input": "q", "context": None, "source_documents": [named(page_content=TEXT)]},
    ],
    ids=lambda response: ",".join(vars(response) if isinstance(response, SimpleNamespace) else response)[:30],
)
def test_a_whole_response_of_any_tool_is_a_ranking(response):
    (items,) = read_retrieved({"what do cats eat?": response})["results"].values()
    assert [item.text for item in items] == [TEXT]


def test_a_response_for_each_question_is_one_system():
    hits = {"hits": {"hits": [{"_source": {"text": TEXT}}]}}
    assert list(read_retrieved({"one": hits, "two": hits})) == ["results"]


def test_a_chroma_result_of_several_queries():
    with pytest.raises(ValueError, match="the result is of 2 queries"):
        read_retrieved({"q": {"ids": [["1"], ["2"]], "documents": [["x"], ["y"]]}})


def test_classes_of_langchain_and_llamaindex():
    documents = pytest.importorskip("langchain_core.documents")
    schema = pytest.importorskip("llama_index.core.schema")
    node = schema.TextNode(text=TEXT, metadata={"file_name": "a.txt"}, start_char_idx=20, end_char_idx=42)
    found = [
        documents.Document(page_content=TEXT, metadata={"source": "a.txt", "start_index": 20}),
        schema.NodeWithScore(node=node, score=0.5),
    ]
    assert [(item.text, item.start, item.documents[0]) for item in map(read_item, found)] == [(TEXT, 20, "a.txt")] * 2


@pytest.mark.parametrize("forgotten", [{"payload": None}, {"payload": {}}, {"text": None, "docno": "a.txt"}])
def test_objects_that_lost_their_text_are_blank(forgotten):
    fault = read_item(named(id=7, **forgotten)).fault
    assert fault is not None
    assert fault.status == "blank"


def test_classes_of_qdrant():
    models = pytest.importorskip("qdrant_client.models")
    point = models.ScoredPoint(id=7, version=1, score=0.5, payload={"text": TEXT, "source": "a.txt"})
    item = read_item(point)
    assert (item.text, item.documents) == (TEXT, ("a.txt",))
    http = pytest.importorskip("qdrant_client.http.models")
    assert list(read_retrieved({"q": http.QueryResponse(points=[point])})["results"].values()) == [[item]]
    fields = {"embedding": None, "metadata": {"source": "a.txt"}, "document": TEXT, "score": 0.5}
    item = read_item(models.QueryResponse(id="7", **fields))  # of fastembed
    assert (item.text, item.documents) == (TEXT, ("a.txt",))


@pytest.mark.parametrize("thing", [None, 3, 3.5, True, {}, [], object(), {"score": 1.0}, {"index": 3}])
def test_what_holds_no_text_is_nothing_that_was_retrieved(thing):
    assert read_item(thing) is None


def test_an_item_is_itself():
    assert read_item(Item(text="x")) == Item(text="x")
