"""XML of other kinds: several articles in a file, titles and ids by XPaths, headings, spaces, entities, profiles."""

import re

import pytest
from lxml import etree

import pyterrier_focused as ptf
from pyterrier_focused.errors import BuildError
from pyterrier_focused.retrieval.passages.parts import read_elements
from pyterrier_focused.retrieval.passages.selectors import Pattern

# small articles seem to be files of records
pytestmark = pytest.mark.filterwarnings("ignore:.*nothing but elements")


@pytest.fixture
def build(build):
    return lambda document, **options: build({"file.xml": document}, "inex", **options)


PUBMED = """<PubmedArticleSet>
<PubmedArticle><PMID>11</PMID><ArticleTitle>On <i>light</i></ArticleTitle><Abstract>Words.</Abstract></PubmedArticle>
<PubmedArticle><PMID>12</PMID><ArticleTitle>On fog</ArticleTitle><Abstract>Other words.</Abstract></PubmedArticle>
</PubmedArticleSet>"""


def test_each_record_of_a_file_is_an_article(build):
    collection = build(PUBMED, record="//PubmedArticle", id_from="PMID", title_from="ArticleTitle")
    assert [(article["docno"], article["title"]) for article in collection.articles()] == [
        ("11", "On light"),
        ("12", "On fog"),
    ]
    assert collection.text("12") == ["On fog Other words."]


def test_records_without_an_id_are_numbered(build):
    assert build(PUBMED, record="//PubmedArticle").docnos() == ["file-1", "file-2"]


NAMESPACES = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE set PUBLIC "-//X//Y" "z.dtd">
<!-- <Record> -->
<set xmlns:m="http://www.w3.org/1998/Math/MathML" kind='a'>"""
MANY = "".join(
    f"<Record n='{n}'>\n<PMID>{n}</PMID><p>w\xf6rds {n} <m:math>x</m:math></p><RecordList/></Record\n>\n"
    for n in range(40)
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_file_without_records_is_rejected(tmp_path, encoding):
    (tmp_path / "f.xml").write_text(PUBMED + " " * 1_000, encoding=encoding)
    with pytest.raises(BuildError, match="no element is a record"):
        ptf.Collection.build(tmp_path / "f.xml", tmp_path / "c", "inex", record="//Nothing")


def test_an_invalid_path_is_refused(build):
    with pytest.raises(ValueError, match=r"title_from='\[' is not a valid XPath"):
        build(PUBMED, title_from="[")


def test_entities_are_what_they_are_said_to_be(build):
    collection = build("<article><p>a&hearing;b &eacute;</p></article>", entities={"hearing": "<…>"}, id_from="file")
    assert collection.text("file") == ["a<…>b é"]


def test_elements_have_the_headings_that_the_tags_say(build):
    collection = build("<a><part><h>One</h><p>x</p></part></a>", heading_tags="h", id_from="file")
    assert collection.elements("file")["title"].tolist() == ["", "One", "", ""]


def test_parts_are_left_out_with_what_is_in_them(build):
    collection = build("<a>x <refs>y<b>z</b></refs>tail<refs/> end</a>", drop=["refs"], id_from="file")
    assert collection.text("file") == ["x tail end"]
    assert collection.elements("file")["tag"].tolist() == ["a"]


SPACED = {  # blocks end with a space, words within a line stay together
    "<a><p>one</p><p>two</p></a>": "one two",
    "<a><p>one</p> <p>two</p></a>": "one two",
    "<a><p>H<sub>2</sub>O and <b>b</b>old</p></a>": "H2O and bold",
    "<a><n><surname>Fresnel</surname><given>Augustin</given></n></a>": "Fresnel Augustin",
    "<a><ab><w>Who</w><c> </c><w>there</w><pc>?</pc></ab></a>": "Who there?",
    "<a><l>one<lb/>two</l></a>": "one two",
    "<a><item>text<p>block</p>more</item></a>": "text block more",
    "<a><SPEECH><SPEAKER>HAM</SPEAKER><LINE>To be</LINE><LINE>or not</LINE></SPEECH></a>": "HAM To be or not",
}


@pytest.mark.parametrize("options", [{}, {"spaces": "blocks"}], ids=str)
@pytest.mark.parametrize("document", SPACED)
def test_blocks_of_any_xml_end_with_a_space(build, document, options):
    assert build(document, **options, id_from="file").text("file") == [SPACED[document]]


@pytest.mark.parametrize("document", SPACED)
def test_without_spaces_the_text_is_that_of_the_source(build, document):
    (text,) = build(document, spaces="source", id_from="file").text("file")
    assert text == "".join(etree.fromstring(document).itertext())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.html", {"profile": "tei"}, "profile='tei' is for XML; this source is of format 'html'"),
        ("a.txt", {"attributes": "type"}, "attributes='type' is for XML; this source is of format 'text'"),
    ],
)
def test_options_of_xml_are_refused_for_other_sources(tmp_path, name, options, message):
    (tmp_path / name).write_text("words")
    with pytest.raises(ValueError, match=message):
        ptf.Collection.build(tmp_path / name, tmp_path / "c", verbose=False, **options)


def test_an_unknown_profile_is_refused(build):
    with pytest.raises(ValueError, match="profile='word'"):
        build("<a/>", profile="word")


PLAY = """<play xml:id="ham" xmlns:t="http://example.org/t"><div type="act" n="1"><p>Who?</p><t:div type="scene">
<p>A scene</p></t:div></div><div type="act" n="&lt;2/&gt;"><p rend="it">Swords</p></div><div><p>End</p></div></play>"""


def test_attributes_are_kept_if_asked_for(build):
    collection = build(PLAY, attributes=("type", "xml:id"), id_from="file")
    columns = collection.element_columns("file")
    assert columns["tag"] == ["play", "div", "p", "div", "p", "div", "p", "div", "p"]
    assert columns["attributes"] == [
        {"xml:id": "ham"}, {"type": "act"}, {}, {"type": "scene"}, {}, {"type": "act"}, {}, {}, {}
    ]  # fmt: skip
    assert collection.elements("file")["path"].tolist()[5] == "/play[1]/div[2]"
    assert [each[1]["attributes"] for each in collection.articles_with_elements()] == [columns["attributes"]]


def test_no_attribute_is_kept_else(build):
    collection = build(PLAY, id_from="file")
    assert "attributes" not in collection.element_columns("file")
    with pytest.raises(ValueError, match=r"keeps no attribute 'type'; build it again with attributes=\['type'\]"):
        collection.index("nowhere", "bm25s", elements="//div[@type='act']")


@pytest.mark.parametrize(
    "path",
    [
        "//div[@type='act']",
        '//div[@type="act"]/p',
        "//div[@type='scene']//p",
        "//div[@type]",
        "//div[@n='<2/>']",
        "//div[@type='act'][@n='1']",
        "//div[@n='1'][@type='act']/p[1]",
        "//div[@type='ac']",
        "//p[@rend]",
        "/play[@xml:id='ham']/div[3]",
        "//*[@type='act']",
        "//div",
    ],
)
def test_patterns_take_the_elements_of_xpath(build, path):
    root = etree.fromstring(PLAY)
    written = "".join(root.itertext())
    names = re.sub(r"(/)(div|p)\b", r"\1*[local-name()='\2']", path)
    expected = [
        written.index("".join(element.itertext())) for element in root.xpath(names) if "".join(element.itertext())
    ]
    collection = build(PLAY, attributes=("type", "n", "rend", "xml:id"), id_from="file", spaces="source")
    ((article, columns),) = collection.articles_with_elements()
    start, _ = Pattern(path).spans(article["text"], read_elements(columns, ()))
    assert start.tolist() == expected


AKN = """<akn:akomaNtoso xmlns:akn="http://docs.oasis-open.org/legaldocml/ns/akn/3.0">
<akn:act><akn:num>1</akn:num><akn:p>Of fog.</akn:p></akn:act><akn:act><akn:num>2</akn:num></akn:act></akn:akomaNtoso>"""


@pytest.mark.parametrize("record", ["//act", "/akomaNtoso/act", ".//act[num]", "//*[local-name()='act']"])
def test_a_name_without_prefix_matches_in_any_namespace(build, record):
    assert build(AKN, record=record).docnos() == ["file-1", "file-2"]


def test_a_name_in_the_default_namespace_is_found(build):
    assert len(build("<set xmlns='urn:x'><act>a</act><act>b</act></set>", record="//act")) == 2


@pytest.mark.parametrize("tag", ["br", "break"])
def test_a_line_break_is_one_in_the_text(build, tag):
    document = f"<article><p>One<{tag}/>two.</p><p>Three.</p></article>"
    assert build(document, spaces="blocks").text("file") == ["One\ntwo. Three."]
