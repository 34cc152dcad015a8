"""TEI, which is read by its profile unasked: breaks in words, readings, indentation, prefixes; and wrong XPaths."""

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.collection import articles

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0" xmlns:t="http://www.tei-c.org/ns/1.0">
  <teiHeader><fileDesc><titleStmt><title>A play</title></titleStmt></fileDesc></teiHeader>
  <text>
    <body>{}</body>
  </text>
</TEI>"""
SPEECHES = "<sp><speaker>KING</speaker><p>Good\n   night.</p></sp>\n   <sp><speaker>FOOL</speaker><l>Nay.</l></sp>"


@pytest.fixture
def build(build):
    return lambda body, **options: build({"one.xml": TEI.format(body)}, **options)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (SPEECHES, "KING Good night. FOOL Nay."),
        ("<p>har <lb break='no'/>\n bour</p>", "harbour"),
        ("<p>har<pb break='no' n='2'/>\n <lb n='1' break='no'/>bour</p>", "harbour"),
        ("<p>the <hi>har </hi><lb break='no'/>bour</p>", "the harbour"),
        ("<p>a harbour<lb/>light</p>", "a harbour light"),
        ("<p><hi>two</hi> <hi>words</hi></p>", "two words"),
        ("<p>one<hi>word</hi></p>", "oneword"),
        ("<p>see<!-- a\n note -->\n   it</p>", "see it"),
        ("<p>of <choice>\n <sic>teh</sic>\n <corr>the</corr>\n </choice> sea</p>", "of the sea"),
        ("<p><choice><abbr>Dr</abbr><expan>Doctor</expan></choice> No</p>", "Doctor No"),
        ("<p><choice><unclear>f</unclear><unclear>s</unclear></choice>ea</p>", "fea"),
        ("<p>run <code>a\n  b</code></p>", "run a\n  b"),
        ("<p>the <del>bright</del><add>pale</add> lamp</p>", "the pale lamp"),
        ("<p>a <app><lem>lamp</lem><rdg>lens</rdg></app></p>", "a lamp"),
        ("<p>a <app><rdg>lamp</rdg><rdg>lens</rdg></app></p>", "a lamp"),
        ("<fw>Page 3</fw><p>a lamp</p>", "a lamp"),
    ],
)
def test_the_text_of_tei(build, body, text):
    assert build(body).text("one") == [text]


def test_a_word_over_a_break_is_indexed_as_one(build):
    assert [part["text"] for part in build("<p>The har<lb break='no'/>bour.</p>").parts("p")] == ["The harbour."]


def test_the_title_is_that_of_the_header(build):
    assert build(SPEECHES).article("one")["title"] == "A play"


def test_texts_without_a_collection_are_the_same(build, tmp_path):
    assert build(SPEECHES).text("one") == [article.text for article in articles(tmp_path / "in")]


def test_each_text_of_a_tei_corpus_is_an_article(tmp_path):
    texts = "".join(TEI.format(f"<p>Text {number}.</p>") for number in (1, 2))
    header = "<teiHeader><fileDesc><titleStmt><title>Plays</title></titleStmt></fileDesc></teiHeader>"
    (tmp_path / "all.xml").write_text(f'<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">{header}{texts}</teiCorpus>')
    collection = ptf.Collection.build(tmp_path / "all.xml", tmp_path / "c", verbose=False)
    assert [(article["docno"], article["title"], article["text"]) for article in collection.articles()] == [
        ("all-1", "A play", "Text 1."),
        ("all-2", "A play", "Text 2."),
    ]


def test_other_xml_is_read_unchanged(tmp_path):
    (tmp_path / "one.xml").write_text("<text>\n <p>a</p>\n</text>")
    assert ptf.Collection.build(tmp_path / "one.xml", tmp_path / "c", verbose=False).text("one") == ["\n a\n"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            "//x:sp",
            "two.xml, byte 0: record='//x:sp' cannot be looked up: Undefined namespace prefix",
        ),
        ("nay(//sp)", "two.xml, byte 0: record='nay(//sp)' cannot be looked up: Unregistered function"),
        ("//sp[", "record='//sp[' is not a valid XPath"),
    ],
)
def test_a_wrong_expression_is_told_in_one_line(tmp_path, capsys, record, message):
    (tmp_path / "two.xml").write_text(TEI.format(SPEECHES))
    assert main(["build", str(tmp_path / "two.xml"), str(tmp_path / "c"), "--record", record]) in (1, 2)
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
