"""Kinds of XML: each file tells its own, whatever else is in its folder; small files cut by hand from real ones."""

import warnings

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.collection.sources.xml_kinds import KINDS, describe_kinds

JATS = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.1//EN" "J.dtd">
<article article-type="research-article"><front><journal-meta><journal-id journal-id-type="nlm-ta">eLife</journal-id>
<journal-title-group><journal-title>eLife</journal-title></journal-title-group></journal-meta><article-meta>
<article-id pub-id-type="doi">10.7554/eLife.00003</article-id><article-categories><subj-group><subject>Biology
</subject></subj-group></article-categories><title-group><article-title>Fog in <italic>Drosophila</italic
></article-title>
</title-group><contrib-group><contrib><name><surname>Fresnel</surname><given-names>A</given-names></name></contrib>
<aff>Paris</aff></contrib-group><pub-date><year>2012</year></pub-date><volume>1</volume><abstract><title>Background
</title><p>The lens<fn><p>Of glass.</p></fn> is thin.</p></abstract></article-meta></front><body><sec><title
>Results</title><p>Seen.</p>
<table-wrap><table><tr><th><italic>P</italic><sup>a</sup></th><th>n</th></tr></table></table-wrap></sec></body><back>
<ref-list><ref><element-citation><article-title>Another work</article-title></element-citation></ref></ref-list
></back>
</article>"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:id="ger000012"><teiHeader><fileDesc><titleStmt
><title type="main">Brot
</title></titleStmt></fileDesc></teiHeader><text><body><div type="act"><head>Erster Akt</head><sp><speaker
>MAX</speaker>
<p>Guten Tag.</p></sp></div></body></text></TEI>"""
MANUAL = """<?xml version="1.0"?><!DOCTYPE refentry PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "d.dtd"
><refentry id="chage.1">
<refentryinfo><title>A suite</title></refentryinfo><refmeta><refentrytitle>chage</refentrytitle><manvolnum
>1</manvolnum>
</refmeta><refnamediv><refname>chage</refname><refpurpose>change expiry</refpurpose></refnamediv><refsect1><title
>OPTIONS
</title><para>See <citerefentry><refentrytitle>passwd</refentrytitle></citerefentry>.</para></refsect1></refentry>"""
BOOK = """<book xmlns="http://docbook.org/ns/docbook" xml:id="manual"><info><title>The Manual</title></info><chapter>
<title>Start</title><para>Words<footnote><para>Few.</para></footnote>.</para></chapter></book>"""
DITA = """<?xml version="1.0"?><!DOCTYPE task PUBLIC "-//OASIS//DTD DITA Task//EN" "task.dtd"><task id="install"
><title>Installing
<keyword>OT</keyword></title><shortdesc>How.</shortdesc><prolog><metadata><keywords><indexterm>setup</indexterm
></keywords>
</metadata></prolog><taskbody><steps><step><cmd>Unpack.</cmd></step><step><cmd>Run.</cmd></step></steps></taskbody
></task>"""
MEDLINE = """<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">11</PMID
><Article>
<Journal><Title>Optics</Title></Journal><ArticleTitle>On fog.</ArticleTitle><Abstract><AbstractText Label="AIM">Look.
</AbstractText><AbstractText Label="METHODS">See.</AbstractText></Abstract><AuthorList><Author><LastName
>Fresnel</LastName>
</Author></AuthorList></Article></MedlineCitation><PubmedData><ArticleIdList><ArticleId>x9</ArticleId></ArticleIdList>
</PubmedData></PubmedArticle><PubmedArticle><MedlineCitation><PMID>12</PMID><Article><ArticleTitle
>On mist.</ArticleTitle>
</Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"""
PLAY = "<PLAY><TITLE>A Play</TITLE><ACT><TITLE>Act I</TITLE></ACT><SPEECH>To be</SPEECH></PLAY>"
INEX = "<article><header><title>Alchemy</title><id>7</id></header><bdy><p>Of</p><p>lead.</p></bdy></article>"
PAGE = """<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Lamps</title><style>p {}</style></head><body>
<p>Oil.</p><p>Wick.</p></body></html>"""
LAW = """<bill xmlns="http://schemas.gpo.gov/xml/uslm" xmlns:dc="http://purl.org/dc/elements/1.1/"><meta><dc:title
>118 HR 1
</dc:title></meta><main><section><num>1.</num><heading>Short title</heading><content>Of<page>2</page>fog.</content
></section>
</main></bill>"""
FOG = "Fog in Drosophila"
# Name of the kind, then docno, title and words of each article, with no option.
FILES = {
    "jats": (JATS, [("one", FOG, f"{FOG} Background The lens Of glass. is thin. Results Seen. Pa n")]),
    "tei": (TEI, [("one", "Brot", "Erster Akt MAX Guten Tag.")]),
    "docbook": (MANUAL, [("one", "chage", "A suite chage 1 chage change expiry OPTIONS See passwd.")]),
    "docbook 5": (BOOK, [("one", "The Manual", "The Manual Start Words Few..")]),
    "dita": (DITA, [("one", "Installing OT", "Installing OT How. Unpack. Run.")]),
    "medline": (MEDLINE, [("11", "On fog.", "On fog. Look. See."), ("12", "On mist.", "On mist.")]),
    "inex": (INEX, [("7", "Alchemy", "Alchemy7Oflead.")]),
    "other": (LAW, [("one", "118 HR 1", "118 HR 1 1. Short title Of 2 fog.")]),
}


def list_articles(collection):
    return [(a["docno"], a["title"], " ".join(a["text"].split())) for a in collection.articles()]


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_read_by_its_kind(build, kind):
    document, articles = FILES[kind]
    collection = build({"one.xml": document})
    assert list_articles(collection) == articles
    assert collection.meta["xml"]["kinds"] == {kind.partition(" ")[0]: 1}


def test_articles_of_a_set_are_named_by_their_ids(build):
    article = JATS[JATS.index("<article ") :]
    collection = build({"one.xml": f"<pmc-articleset>{article}{article.replace('00003', '00004')}</pmc-articleset>"})
    assert collection.docnos() == ["10.7554/eLife.00003", "10.7554/eLife.00004"]
    assert {article["title"] for article in collection.articles()} == {"Fog in Drosophila"}


def test_every_row_that_tells_files_is_tested():
    assert {kind.name for kind in KINDS} - {"xhtml"} <= {name.partition(" ")[0] for name in FILES}


def test_files_of_one_folder_are_each_read_by_their_kind(build):
    collection = build({f"n{number}.xml": FILES[kind][0] for number, kind in enumerate(FILES)})
    expected = [
        (docno.replace("one", f"n{number}"), title, words)
        for number, (_, articles) in enumerate(FILES.values())
        for docno, title, words in articles
    ]
    assert list_articles(collection) == expected
    assert describe_kinds(collection.meta["xml"]["kinds"]) == (
        "2 files of DocBook, 1 of DITA, 1 of INEX, 1 of JATS, 1 of MEDLINE, 1 of other XML, 1 of TEI"
    )


@pytest.mark.parametrize(
    ("profile", "document", "docno", "title", "heading"),
    [
        ("jats", JATS, "10.7554/eLife.00003", FOG, "Results"),
        ("tei", TEI, "ger000012", "Brot", "Erster Akt"),
        ("docbook", BOOK, "manual", "The Manual", "Start"),
    ],
)
def test_a_profile_that_is_given_knows_ids_and_headings(build, profile, document, docno, title, heading):
    collection = build({"one.xml": document}, profile=profile)
    assert collection.article(docno)["title"] == title
    assert heading in collection.elements(docno)["title"].tolist()


def test_a_profile_that_is_given_is_that_of_all_files(build):
    collection = build({"one.xml": JATS, "two.xml": PLAY}, profile="jats", max_rejected=1)
    assert collection.docnos() == ["10.7554/eLife.00003"]


@pytest.mark.parametrize("kind", ["jats", "docbook 5", "dita", "other"])
def test_the_letters_of_the_source_are_those_of_no_kind(build, kind):
    assert "  " not in build({"one.xml": FILES[kind][0].replace("\n", "")}).text("one")[0]


TITLES = {
    "<akomaNtoso><act><meta/><preface><p><docTitle>Fog Act</docTitle></p></preface></act></akomaNtoso>": "Fog Act",
    "<ACT><BIB.INSTANCE/><TITLE><TI><P>Rules</P><P>of fog</P></TI></TITLE></ACT>": "Rules of fog",
    "<patent><bib><cites><nplcit><article-title>No</article-title></nplcit></cites><invention-title>A lamp"
    "</invention-title></bib></patent>": "A lamp",
    "<doc><sec><title>No</title></sec><header><title>Yes</title></header><title>Late</title></doc>": "Yes",
    "<doc><journal-meta><title>No</title></journal-meta><sec><title>No</title></sec></doc>": "",
    "<doc><title> </title><body><official-title>To be</official-title></body></doc>": "To be",
}


@pytest.mark.parametrize("document", TITLES)
def test_titles_of_what_no_kind_knows(build, document):
    assert build({"one.xml": document}).article("one")["title"] == TITLES[document]


def test_two_articles_of_one_id_are_both_kept(build):
    with pytest.warns(UserWarning, match="2 of the articles are named .* the first 'b' in place of 'manual'"):
        collection = build({"a.xml": BOOK, "b.xml": BOOK, "c/b.xml": BOOK}, profile="docbook")
    assert collection.docnos() == ["manual", "b", "c/b"]
    assert [collection.article(docno)["title"] for docno in collection.docnos()] == ["The Manual"] * 3
    assert collection.meta["rejected"] == 0


def test_two_records_of_one_id_are_both_kept(build):
    with pytest.warns(UserWarning, match="1 of the articles are named by their files"):
        collection = build({"one.xml": MEDLINE.replace(">12<", ">11<")})
    assert collection.docnos() == ["11", "one-2"]
    assert collection.meta["xml"]["kinds"] == {"medline": 1}


def test_a_build_that_names_articles_by_files_is_the_same_with_workers(build, tmp_path, monkeypatch):
    monkeypatch.setattr("pyterrier_focused.collection.sources.find.GROUP_BYTES", 1)
    files = {f"{name}.xml": BOOK for name in "abcd"}
    with pytest.warns(UserWarning, match="3 of the articles"):
        one = build(files, profile="docbook")
    with pytest.warns(UserWarning, match="3 of the articles"):
        two = ptf.Collection.build(tmp_path / "in", tmp_path / "d", profile="docbook", workers=2, verbose=False)
    assert one.docnos() == two.docnos() == ["manual", "b", "c", "d"]
    assert one.text_id == two.text_id
    one.verify()


def test_records_that_nobody_knows_are_told_with_the_option(build):
    with pytest.warns(UserWarning, match=r"nothing but elements doc; record='//doc' \(--record //doc\)"):
        build({"one.xml": "<add><doc>One.</doc><doc>Two.</doc></add>"})


@pytest.mark.parametrize("options", [{"record": "//doc"}, {"profile": "jats", "record": "//doc"}])
def test_nothing_is_told_of_records_if_the_user_says_what_they_are(build, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build({"one.xml": "<add><doc>One.</doc><doc>Two.</doc></add>"}, **options)


ENDINGS = {
    "a.dita": DITA,
    "a.dbk": BOOK,
    "a.docbook": MANUAL,
    "a.tei": TEI,
    "a.fodt": '<?xml version="1.0"?><o:document xmlns:o="urn:o"><o:body>Fog.</o:body></o:document>',
    "a.svg": '<svg xmlns="http://www.w3.org/2000/svg"><title>Fog.</title><path d="M0"/></svg>',
    "a.law": "<law><title>Fog.</title></law>",
    "a": "<!DOCTYPE law SYSTEM 'x'><law>Fog.</law>",
}


@pytest.mark.parametrize("options", [{}, {"format": "inex"}], ids=str)
@pytest.mark.parametrize("name", ENDINGS)
def test_what_begins_as_xml_is_xml_whatever_its_name(build, name, options):
    collection = build({name: ENDINGS[name]}, **options)
    assert collection.meta["source_format"] == "inex"
    assert not [article for article in collection.articles() if "xmlns" in article["text"] or "</" in article["text"]]


def test_files_of_xml_are_named_without_its_ending(build):
    files = {"a.dita": DITA, "b.tei": TEI, "c.law": ENDINGS["a.law"]}
    assert build(files).docnos() == ["a", "b", "c.law"]


@pytest.mark.filterwarnings("ignore:.*ids that other articles have")
def test_files_of_one_name_and_other_endings_are_both_kept(build):
    assert build({"a.dita": DITA, "a.ditamap": DITA, "b/a.dita": DITA}).docnos() == ["a", "a.ditamap", "b/a"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.vue", "<template><p>x</p></template>\n<script>let x</script>"),
        ("a.php", '<?xml version="1.0"?><a/>'),
        ("a.xsl", '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>'),
        ("a.py", "x = '<a>'"),
        ("a.tpl", "<div>{{ x }}</div>"),
        ("a.ftl", "<#if x><note>y</note></#if>"),
    ],
)
def test_source_code_stays_text(build, name, code):
    assert next(iter(build({name: code}, format="text").articles()))["text"] == code


@pytest.mark.filterwarnings("ignore:.*left out")
def test_pictures_beside_texts_or_xml_are_not_read(build):
    pictures = {f"{n}.svg": ENDINGS["a.svg"] for n in range(4)}
    assert build({**pictures, "a.xml": INEX}).docnos() == ["7"]


def test_pages_beside_xml_are_read_as_xml(build):
    collection = build({"a.xml": INEX, "b.tei": TEI, "c.xhtml": PAGE})
    assert list_articles(collection)[2] == ("c", "Lamps", "Lamps Oil. Wick.")


def test_what_is_dropped_is_added_to_what_the_kind_drops(build):
    assert build({"one.xml": JATS}, drop=["table-wrap"]).text("one")[0].split() == (
        f"{FOG} Background The lens Of glass. is thin. Results Seen.".split()
    )


MATHEMATICS = """<alternatives><tex-math>\\documentclass{minimal} $x$</tex-math><mml:math
xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mi>x</mml:mi></mml:math></alternatives>"""


@pytest.mark.parametrize(
    "document",
    [
        f"<doc><p>Of {MATHEMATICS}.</p></doc>",
        "<FictionBook><body><p>Of x.</p></body><binary id='a.png'>iVBORw0KGgo=</binary></FictionBook>",
        "<o:doc xmlns:o='urn:o'><o:p>Of x.</o:p><o:binary-data>iVBORw0KGgo=</o:binary-data></o:doc>",
    ],
)
def test_data_and_second_forms_of_formulas_are_no_text(build, document):
    assert build({"one.xml": document}).text("one")[0].split() == ["Of", "x."]
