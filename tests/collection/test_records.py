"""Collections from documents: dicts, named tuples as ir_datasets has them, TREC's <DOC> files."""

from typing import NamedTuple

import pandas as pd
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.collection.sources import records
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


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=repr)
@pytest.mark.parametrize(("sections", "kept"), [(None, []), ([{"text": "Bells."}], [{"title": "", "text": "Bells."}])])
def test_what_a_document_lacks_is_looked_for_under_its_other_names(missing, sections, kept):
    document = {"docno": missing, "doc_id": 7, "text": missing, "body": "Fog.", "title": missing}
    document["sections"] = [{**section, "title": missing} for section in sections] if sections else missing
    assert records.as_record(document) == {"docno": "7", "title": "", "text": "Fog.", "sections": kept}


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
    expected = [(f"d{n}", f"Title {n}", f"Text {n}") for n in range(3)]
    assert [tuple(article.values()) for article in collection.articles()] == expected


@pytest.mark.parametrize(("document", "fault"), [({"text": "x"}, "no docno"), ("x", "give dicts"), (3, "give dicts")])
def test_what_is_no_document_is_refused(tmp_path, document, fault):
    with pytest.raises(ValueError, match=fault):
        ptf.Collection.from_iter([document], tmp_path / "c")


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"docno": "a", "text": "x\ud800"}, "its text holds half of a character, U\\+D800 at 1"),
        ({"docno": "a\udfff", "text": "x"}, "is not in UTF-8"),
        ({"docno": "a", "title": "\ud800", "text": "x"}, "its title holds half of a character"),
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


FILES = [
    ("la", TREC),
    ("la.xml", TREC),
    ("la.sgml", "\ufeff\n" + TREC.lower()),
    ("la.txt", TREC.replace("<DOCNO> LA-1", "<!-- x > y -->\n<DOCNO> LA-1")),
    ("fr.0.gz", TREC),
    ("a/la.xml.gz", TREC),
]
