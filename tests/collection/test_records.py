"""Collections from documents: dicts, named tuples as ir_datasets has them, TREC's <DOC> files."""

import gzip
from typing import NamedTuple

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.collection import trec_documents
from pyterrier_focused.errors import BuildError


class Document(NamedTuple):
    doc_id: str
    title: str
    text: str


def test_the_text_of_a_document_stays_as_it_is(tmp_path):
    text = "  First words\nof a paragraph.\n\n\n Second one. "
    collection = ptf.Collection.from_iter([{"docno": "a", "title": "T", "text": text}], tmp_path / "c")
    assert collection.text("a") == [text]
    elements = collection.elements("a")
    spans = zip(elements["tag"], elements["start"], elements["end"], strict=True)
    assert [(tag, text[start:end]) for tag, start, end in spans] == [
        ("article", text),
        ("p", "First words\nof a paragraph."),
        ("p", "Second one."),
    ]


def test_sections_follow_with_their_titles(tmp_path):
    sections = [{"title": "One", "text": "a b"}, {"title": "", "text": "c"}, {"title": "Two", "text": ""}]
    collection = ptf.Collection.from_iter([{"docno": 1, "text": "Top.", "sections": sections}], tmp_path / "c")
    assert collection.text("1") == ["Top.\n\nOne\na b\n\nc\n\nTwo\n"]
    elements = collection.elements("1")
    assert elements["path"].tolist()[1:4] == [
        "/article[1]/p[1]",
        "/article[1]/section[1]",
        "/article[1]/section[1]/title[1]",
    ]
    assert elements["title"].tolist()[2] == "One"


def test_named_tuples_are_documents(tmp_path):
    documents = (Document(f"d{n}", f"Title {n}", f"Text {n}") for n in range(3))
    collection = ptf.Collection.from_iter(documents, tmp_path / "c")
    assert [tuple(article.values()) for article in collection.articles()] == [
        ("d0", "Title 0", "Text 0"),
        ("d1", "Title 1", "Text 1"),
        ("d2", "Title 2", "Text 2"),
    ]


@pytest.mark.parametrize(("document", "fault"), [({"text": "x"}, "no docno"), ("x", "give dicts"), (3, "give dicts")])
def test_what_is_no_document_is_refused(tmp_path, document, fault):
    with pytest.raises(ValueError, match=fault):
        ptf.Collection.from_iter([document], tmp_path / "c")


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"docno": "a", "text": " "}, "it has no text"),
        ({"docno": "a b", "text": "x"}, "white space"),
        ({"docno": "a", "text": 3}, "not a document"),
    ],
)
def test_documents_that_cannot_be_taken_are_rejected(tmp_path, document, reason):
    with pytest.raises(BuildError, match=reason):
        ptf.Collection.from_iter([document], tmp_path / "c")


TREC = """<DOC>
<DOCNO> LA-1 </DOCNO>
<HEADLINE><P>Fog &amp; bells</P></HEADLINE>
<TEXT>
First <B>words</B>.

<P>Second.</P>
</TEXT>
</DOC>
<DOC><DOCNO>LA-2</DOCNO> only words </DOC>
"""


@pytest.mark.parametrize("packed", [False, True])
def test_trec_files_are_documents(tmp_path, packed):
    file = tmp_path / ("la.gz" if packed else "la")
    file.write_bytes(gzip.compress(TREC.encode()) if packed else TREC.encode())
    first, second = trec_documents(file)
    assert (first["docno"], first["title"]) == ("LA-1", "Fog & bells")
    assert first["text"].split() == ["First", "words", ".", "Second."]
    assert second == {"docno": "LA-2", "title": "", "text": "only words"}
    assert len(ptf.Collection.from_iter(trec_documents(tmp_path), tmp_path / "c")) == 2


def test_a_trec_document_without_an_id_is_named(tmp_path):
    (tmp_path / "x").write_text("<DOC><DOCNO>1</DOCNO></DOC><DOC>no</DOC>")
    with pytest.raises(ValueError, match="document 2: it has no <DOCNO>"):
        list(trec_documents(tmp_path / "x"))
