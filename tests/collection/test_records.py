"""Collections from documents: dicts, named tuples as ir_datasets has them, TREC's <DOC> files."""

import gzip
import io
import json
import re
from typing import NamedTuple

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyterrier_focused as ptf
from pyterrier_focused.collection import trec_documents
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


@pytest.mark.parametrize("packed", [False, True])
def test_trec_files_are_documents(tmp_path, packed):
    file = tmp_path / ("la.gz" if packed else "la")
    file.write_bytes(gzip.compress(TREC.encode()) if packed else TREC.encode())
    first, second = trec_documents(file)
    assert (first["docno"], first["title"]) == ("LA-1", "Fog & bells")
    assert first["text"].split() == ["First", "words", ".", "Second."]
    assert second == {"docno": "LA-2", "title": "", "text": "only words"}
    assert len(ptf.Collection.from_iter(trec_documents(tmp_path), tmp_path / "c")) == 2


FILES = [
    ("la", TREC),
    ("la.xml", TREC),
    ("la.sgml", "\ufeff\n" + TREC.lower()),
    ("la.txt", TREC.replace("<DOCNO> LA-1", "<!-- x > y -->\n<DOCNO> LA-1")),
    ("fr.0.gz", TREC),
    ("a/la.xml.gz", TREC),
]


@pytest.mark.parametrize(("name", "data"), FILES)
@pytest.mark.parametrize("is_named", [True, False])
def test_trec_files_are_built_whatever_they_are_called(tmp_path, name, data, is_named):
    file = tmp_path / "in" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(gzip.compress(data.encode()) if name.endswith("gz") else data.encode())
    collection = ptf.Collection.build(file if is_named else tmp_path / "in", tmp_path / "c", verbose=False)
    assert [docno.upper() for docno in collection.docnos()] == ["LA-1", "LA-2"]
    first, second = collection.articles()
    assert (first["title"].lower(), second["title"]) == ("fog & bells", "")
    assert first["text"].lower().split() == "fog & bells first words . second.".split()
    assert second["text"] == "only words"
    spans = collection.elements(first["docno"])
    assert spans["tag"].tolist() == ["article", "section", "title", "p", "p"]


def test_trec_documents_keep_all_words_but_ids(tmp_path):
    web = "<DOCHDR>\nHTTP/1.1\n</DOCHDR><html><head><title>A</title><script>x</script></head><p>1 < 2 <!-- x --> b"
    news = "<FILEID>x</FILEID><HEAD>A</HEAD><DATE>b</DATE><TEXT>caf\xe9<F P=1> c</F></TEXT><PUB>d</PUB>"
    data = "".join(f"<DOC><DOCNO>{n}</DOCNO>{text}</DOC>\n" for n, text in enumerate((web, news)))
    (tmp_path / "x").write_bytes(data.encode("latin-1"))
    collection = ptf.Collection.build(tmp_path / "x", tmp_path / "c", verbose=False)
    assert [text.split() for text in collection.text(["0", "1"])] == ["A 1 < 2 b".split(), "A b caf\xe9 c d".split()]


def test_bad_documents_of_a_built_trec_file_are_told(tmp_path):
    (tmp_path / "la").write_text(f"{TREC}<DOC>no</DOC><DOC><DOCNO>3</DOCNO>")
    collection = ptf.Collection.build(tmp_path / "la", tmp_path / "c", verbose=False, max_rejected=1)
    assert collection.docnos() == ["LA-1", "LA-2"]
    errors = [json.loads(line) for line in (tmp_path / "c" / "errors.jsonl").read_text().splitlines()]
    assert [(error["position"], error["is_cut"]) for error in errors] == [(len(TREC), False), (0, True)]
    assert "no <DOCNO>" in errors[0]["reason"]
    assert "la: it ends within a document" in errors[1]["reason"]


def test_a_trec_document_without_an_id_is_named(tmp_path):
    (tmp_path / "x").write_text("<DOC><DOCNO>1</DOCNO></DOC><DOC>no</DOC>")
    with pytest.raises(ValueError, match="document 2: it has no <DOCNO>"):
        list(trec_documents(tmp_path / "x"))


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("la", TREC.encode()[:-30], "it ends within a document, before </DOC>"),
        ("la.gz", gzip.compress(TREC.encode())[:-20], "broken compressed data"),
        ("la.gz", TREC.encode(), "broken compressed data"),
    ],
)
def test_a_trec_file_that_is_cut_short_is_named(tmp_path, name, data, reason):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=f"{name}: .*{reason}"):
        list(trec_documents(tmp_path))


@given(st.integers(0, 8))
def test_marks_of_trec_documents_are_found_wherever_a_chunk_ends(before):
    chunk = records._CHUNK
    head = b"<DOC><DOCNO>1</DOCNO>"
    data = head + b"x" * (chunk - len(head) - before) + b"</DOC><DOC><DOCNO>2</DOCNO></DOC>"
    documents = list(records.cut_documents(io.BytesIO(data), "la"))
    assert [document[-18:] for _, document in documents] == [b"x" * 12 + b"</DOC>", b"NO>2</DOCNO></DOC>"]
    assert all(data[position:].startswith(document) for position, document in documents)


@given(
    st.lists(st.sampled_from(["<A>", "<b x='1'>", "</a>", "</B >", "<A", ">", "u", "<AB>"]), max_size=12).map("".join)
)
def test_fields_are_those_of_a_plain_pattern(document):
    plain = re.finditer(r"<(A|B)\b[^<>]*>(.*?)</\1\s*>", document, re.DOTALL | re.IGNORECASE)
    expected = [(match[2], match.start(), match.end()) for match in plain]
    assert [(field.text, field.start, field.stop) for field in records._find_fields("A|B", document)] == expected
