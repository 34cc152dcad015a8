"""Corpora in other clothes: names of fields, tables in files, documents of frameworks."""

import contextlib
import io
import tempfile

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused import cells
from pyterrier_focused.collection.corpora import articles, read_corpus
from pyterrier_focused.errors import FormatError
from pyterrier_focused.rag.evidence import read_spans
from pyterrier_focused.reading.tables import read_table

ROWS = [{"doc_id": "a", "contents": "Cats sleep."}, {"doc_id": "b", "contents": "Dogs run."}]
TEXTS = {"a": "Cats sleep.", "b": "Dogs run."}


def texts_of(corpus):
    return {article.docno: article.text for article in articles(corpus)}


@pytest.mark.parametrize(
    "corpus",
    [
        ROWS,
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).rename(columns={"doc_id": "id", "contents": "body"}),
        [{"page_content": text, "metadata": {"source": name}} for name, text in TEXTS.items()],
    ],
    ids=["dicts", "a frame", "a frame with other names", "documents as dicts"],
)
def test_fields_may_have_any_known_name(corpus):
    assert texts_of(corpus) == TEXTS


def test_numbers_are_docnos_too():
    assert texts_of(pd.DataFrame({"id": [7], "text": ["Cats."]})) == {"7": "Cats."}


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
def test_a_table_in_a_file_holds_an_article_a_row(tmp_path, ending):
    path, frame = tmp_path / f"corpus.{ending}", pd.DataFrame(ROWS)
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    assert texts_of(path) == TEXTS
    assert read_corpus(path)["docno"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("prose.csv", b"Cats sleep\nall day\n", "no docno"),
        ("names.csv", b"docno,page\na,1\n", "no text"),
        ("not.parquet", b"PAR1 and more", "not a Parquet file"),
    ],
)
def test_a_file_that_is_no_table_of_articles(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match=message):
        texts_of(tmp_path / name)


def test_a_row_of_a_frame_that_lacks_its_name_is_told():
    frame = pd.DataFrame({"doc_id": ["a", None], "contents": ["Cats sleep.", "Dogs run."]})
    with pytest.raises(ValueError, match="row 1 has no values"):
        texts_of(frame)


def langchain():
    document = pytest.importorskip("langchain_core.documents").Document
    return [document(page_content=text, metadata={"source": f"pets/{name} 1.md"}) for name, text in TEXTS.items()]


def llama_index():
    document = pytest.importorskip("llama_index.core").Document
    return [document(text=text, metadata={"file_path": f"pets/{name} 1.md"}) for name, text in TEXTS.items()]


def haystack():
    document = pytest.importorskip("haystack").Document
    return [document(content=text, meta={"file_path": f"pets/{name} 1.md"}) for name, text in TEXTS.items()]


@pytest.mark.parametrize("make", [langchain, llama_index, haystack])
@pytest.mark.parametrize("name", ["pets/a 1.md", "a 1.md", "a 1", "/texts/pets/a 1.md"])
def test_documents_of_frameworks_are_named_by_their_files(make, name):
    found = read_spans([{"question": "q", "source": name, "quote": "sleep"}], make())
    assert [len(cell) for cell in found["highlights"]] == [1]
    assert texts_of(make())["pets/a_1.md"] == "Cats sleep."


def make_pages(pages, metadata="metadata"):
    """Documents as dicts: {"page_content", "metadata"} of a file's pages, each a number and a text."""
    return [{"page_content": text, metadata: {"source": "a.pdf", **page}} for page, text in pages]


@pytest.mark.parametrize("name", ["page", "page_label", "page_number"])
def test_pages_of_a_file_are_one_article(name):
    pages = [({name: 1}, "Cats sleep."), ({name: 2}, "Dogs run.")]
    assert texts_of([*make_pages(pages), {"docno": "b", "text": "Fish."}]) == {
        "a.pdf": "Cats sleep.\n\nDogs run.",
        "b": "Fish.",
    }


@pytest.mark.parametrize(
    "pages",
    [
        [({}, "Cats."), ({}, "Dogs.")],
        [({"page": 1}, "Cats."), ({"page": 1}, "Dogs.")],
        [({"page": 1}, "Cats."), ({}, "Dogs.")],
    ],
)
def test_documents_of_one_name_that_are_no_pages_are_refused(pages):
    with pytest.raises(ValueError, match=r"'a.pdf' occurs more than once"):
        texts_of(make_pages(pages))


@pytest.mark.parametrize("page", [[1, 2], None])
def test_a_document_whose_pages_are_no_number_is_an_article(page):
    assert texts_of(make_pages([({"page": page}, "Cats sleep.")])) == {"a.pdf": "Cats sleep."}


def test_evidence_lies_in_a_page_of_its_file():
    corpus = make_pages([({"page": 0}, "Cats sleep."), ({"page": 1}, "Dogs run.")])
    qrels = read_spans([{"question": "q", "source": "/docs/a.pdf", "quote": "Dogs run"}], corpus)
    assert cells(qrels["highlights"]) == [[(13, 21)]]


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=3), st.integers(0, 10_000))
def test_damaged_parquet_is_an_error_of_its_file(changes, cut):
    buffer = io.BytesIO()
    pd.DataFrame(ROWS * 9).to_parquet(buffer)
    whole = buffer.getvalue()
    new = {place % len(whole): value for place, value in changes}
    data = bytes(new.get(place, value) for place, value in enumerate(whole))
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(data[:cut] if cut % 5 == 0 else data)
        file.flush()
        with contextlib.suppress(FormatError):
            read_table(file.name)
