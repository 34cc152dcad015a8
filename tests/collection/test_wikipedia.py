"""The real dump: its text reads as articles, its elements are what they say; and small wikitext by hand."""

import functools
import http.server
import pickle
import re
import threading
from typing import Any, NamedTuple

import mwparserfromhell
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from lxml import etree
from parsing import parse_wikitext
from plain import plain

import pyterrier_focused as ptf
from pyterrier_focused.collection import heading_topics
from pyterrier_focused.collection.sources import find as sources


@pytest.fixture(scope="module")
def wikipedia(shared_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wikipedia") / "collection"
    return ptf.Collection.build(shared_data / "enwiki-sample.xml.bz2", folder, verbose=False)


def test_the_sample_has_106_articles(wikipedia):
    assert len(wikipedia) == 106
    assert wikipedia.meta["rejected"] == 0


def blank_sources(text, table):
    """The text without formulae and code, which keep their source."""
    for row in table[table["tag"].isin(("math", "pre"))].itertuples():
        text = text[: row.start] + " " * (row.end - row.start) + text[row.end :]
    return text


MARKUP = re.compile(r"\[\[|\]\]|\{\{|\}\}|''|<ref|\|thumb|thumb\||Category:|\{\|")


def test_no_markup_is_left(wikipedia):
    texts = {
        article["title"]: blank_sources(article["text"], wikipedia.elements(article["docno"]))
        for article in wikipedia.articles()
    }
    assert [title for title, text in texts.items() if not text.startswith(f"{title}\n")] == []
    left = {title: text[found.start() - 40 :][:90] for title, text in texts.items() if (found := MARKUP.search(text))}
    assert left == {}


@pytest.fixture(scope="module")
def headings(wikipedia, shared_data):
    """{docno: (titles of our sections, headings of mwparserfromhell)}"""
    docnos = set(wikipedia.docnos())
    found = sources.find_sources(shared_data / "enwiki-sample.xml.bz2")
    raws = [raw for batch in sources.read(found, "mediawiki") for raw in batch.raws]
    pages = [page for page in (etree.fromstring(raw.data) for raw in raws) if page.findtext("id") in docnos]
    return {docno: (list_sections(wikipedia.elements(docno)), list_headings(page))
            for page in pages for docno in [page.findtext("id")]}  # fmt: skip


def list_sections(table):
    return table.loc[table["tag"] == "section", "title"].tolist()


def list_headings(page):
    tree = mwparserfromhell.parse(page.findtext("revision/text"), skip_style_tags=True)
    return [str(heading.title) for heading in tree.filter_headings()]


@pytest.mark.long
def test_no_heading_is_lost(headings):
    counts = {docno: (len(ours), len(theirs)) for docno, (ours, theirs) in headings.items()}
    assert {docno: pair for docno, pair in counts.items() if pair[0] != pair[1]} == {}
    assert sum(theirs for _, theirs in counts.values()) > 2200


@pytest.mark.long
def test_headings_without_markup_are_titles_of_sections(headings):
    lost = {
        docno: {title.strip() for title in theirs if re.fullmatch(r"[\w ,]+", title)} - set(ours)
        for docno, (ours, theirs) in headings.items()
    }
    assert {docno: titles for docno, titles in lost.items() if titles} == {}


class SampleElement(NamedTuple):
    """An element, the one that holds it, and its words."""

    row: Any
    above: Any
    words: str


@pytest.fixture(scope="module")
def elements(wikipedia):
    """The elements of all articles but the articles themselves."""
    tables = [
        (article["text"], list(wikipedia.elements(article["docno"]).itertuples())) for article in wikipedia.articles()
    ]
    return [
        SampleElement(row, rows[row.parent], text[row.start : row.end]) for text, rows in tables for row in rows[1:]
    ]


def test_paths_of_elements_are_unique_and_titles_come_first(wikipedia):
    tables = {article["title"]: wikipedia.elements(article["docno"]) for article in wikipedia.articles()}
    texts = {article["title"]: article["text"] for article in wikipedia.articles()}
    assert [title for title, table in tables.items() if not table["path"].is_unique] == []
    first = {tuple(table["path"].iloc[:2]) for table in tables.values()}
    assert first == {("/article[1]", "/article[1]/title[1]")}
    assert [texts[title][slice(*table[["start", "end"]].iloc[1])] for title, table in tables.items()] == list(tables)


def test_elements_nest(elements):
    spans = [(one.above.start, one.row.start, one.row.end, one.above.end) for one in elements]
    assert [span for span in spans if not span[0] <= span[1] <= span[2] <= span[3]] == []
    paths = [(one.above.path, one.row.path) for one in elements]
    assert [pair for pair in paths if not pair[1].startswith(f"{pair[0]}/")] == []


def test_elements_hold_words_without_white_space_around(elements):
    words = [(one.row.tag, one.words) for one in elements]
    assert [pair for pair in words if not re.search(r"[^\W_]", pair[1])] == []
    assert [pair for pair in words if pair[0] != "pre" and pair[1] != pair[1].strip()] == []
    assert [pair for pair in words if pair[0] in ("p", "li", "title", "caption", "cell") and "\n\n" in pair[1]] == []


@pytest.mark.parametrize(
    "use",
    [
        lambda wikipedia, docno: wikipedia[docno],
        lambda wikipedia, docno: wikipedia.text(docno),
        lambda wikipedia, docno: wikipedia.text([docno]),
        lambda wikipedia, docno: wikipedia.lengths([docno]),
        lambda wikipedia, docno: wikipedia.links(docno),
        lambda wikipedia, docno: wikipedia.text_loader()(pd.DataFrame({"docno": [docno]})),
    ],
)
@pytest.mark.parametrize("docno", [12, np.int64(12)])
def test_a_docno_that_is_a_number(wikipedia, use, docno):
    with pytest.raises(TypeError, match="docno 12 is not text; write docnos as text: '12'"):
        use(wikipedia, docno)


@pytest.fixture(scope="module")
def first(wikipedia):
    return next(iter(wikipedia.articles()))


def test_texts_and_lengths_of_articles_and_parts(wikipedia, first):
    docno, text = first["docno"], first["text"]
    assert wikipedia.text([docno, f"{docno}#3-20"]) == [text, text[3:20]]
    assert wikipedia.lengths([docno]).values.tolist() == [[docno, len(text), len(text.encode())]]


def test_texts_of_what_is_not_there_are_refused(wikipedia, first):
    with pytest.raises(ValueError, match="no article with docno 'nobody'"):
        wikipedia.text(["nobody"])
    with pytest.raises(ValueError, match="ends beyond"):
        wikipedia.text([f"{first['docno']}#0-{len(first['text']) + 1}"])


def test_the_text_loader_adds_texts(wikipedia, first):
    loader = wikipedia.text_loader()
    rows = pd.DataFrame({"qid": ["q"], "docno": [f"{first['docno']}#3-20"], "score": [1.0]})
    assert loader(rows)["text"].tolist() == [first["text"][3:20]]
    assert len(loader(rows.iloc[:0])) == 0
    assert "text" in pt.inspect.transformer_outputs(loader, ["qid", "docno"])
    assert loader == wikipedia.text_loader()


def test_a_collection_is_an_artifact_and_travels(wikipedia, tmp_path, monkeypatch):
    assert pt.Artifact.load(str(wikipedia.path)) == wikipedia
    again = pickle.loads(pickle.dumps(wikipedia))
    assert again == wikipedia
    assert hash(again) == hash(wikipedia)
    assert len(list(again.articles())) == 106
    wikipedia.build_package(str(tmp_path / "packed.tar.lz4"), verbose=False)
    monkeypatch.setenv("PYTERRIER_HOME", str(tmp_path / "home"))
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        loaded = pt.Artifact.from_url(f"http://127.0.0.1:{server.server_port}/packed.tar.lz4")
        server.shutdown()
    assert [article["docno"] for article in loaded.articles()] == [article["docno"] for article in again.articles()]


def test_heading_topics_on_the_dump(wikipedia):
    topics, qrels = heading_topics(wikipedia)
    pd.testing.assert_frame_equal(topics, heading_topics(wikipedia)[0])
    assert topics["qid"].is_unique
    assert not topics["query"].str.lower().str.contains("external links|see also|further reading").any()
    ptf.check_qrels(qrels)
    highlights = ptf.cells(qrels["highlights"])
    assert [spans for spans in highlights if any(end - start < 200 for start, end in spans)] == []
    assert qrels["bep"].tolist() == [spans[0][0] for spans in highlights]


def test_heading_topics_have_their_articles_as_clusters(wikipedia):
    topics, _ = heading_topics(wikipedia)
    assert (topics["cluster"] == topics["qid"].str.split("/").str[0]).all()


def test_heading_topics_can_be_one_an_article(wikipedia):
    topics, _ = heading_topics(wikipedia)
    few, judged = heading_topics(wikipedia, one_per_article=True)
    assert few["cluster"].is_unique
    assert set(few["cluster"]) == set(topics["cluster"])
    assert few.merge(topics, on=["qid", "query", "cluster"]).shape[0] == len(few)
    assert set(judged["qid"]) == set(few["qid"])


def test_heading_topics_can_do_without_titles(wikipedia):
    titles = {article["docno"]: article["title"] for article in wikipedia.articles()}
    bare, judged = heading_topics(wikipedia, titles=False)
    assert bare["query"].is_unique
    assert set(judged["qid"]) == set(bare["qid"])
    with_titles = {f"{titles[row.cluster]} {row.query}" for row in bare.itertuples()}
    assert with_titles <= set(heading_topics(wikipedia)[0]["query"])


def test_text_is_loaded_by_pyterriers_protocol(wikipedia):
    article = next(iter(wikipedia.articles()))
    rows = pd.DataFrame({"qid": "q", "docno": [article["docno"], f"{article['docno']}#2-9"], "score": 1.0})
    loaded = pt.text.get_text(wikipedia, "text")(rows)
    assert loaded["text"].tolist() == [article["text"], article["text"][2:9]]
    everything = pt.text.get_text(wikipedia)(rows)
    assert everything["title"].tolist() == [article["title"]] * 2
    assert list(everything.columns) == ["qid", "docno", "score", "text", "title"]
    assert list(wikipedia.text_loader(["title"])(rows).columns) == ["qid", "docno", "score", "title"]
    pd.testing.assert_frame_equal(pt.text.get_text(wikipedia, ["text"], verbose=True)(rows), loaded)
    with pytest.raises(ValueError, match="fields='body'; choose one of 'text', 'title'"):
        wikipedia.text_loader("body")


CASES = {
    "<h2>a\n* b\n<pre>c</pre>\n<h3>d</h3></h2>": "a b c d",
    "<blockquote><pre>a\nb</pre></blockquote>": "a\nb",
    "a<ref>gone</ref>, b<ref name=x/>.": "a, b.",
    "a {{t|b={{u}}}} c": "a c",
    "[[File:x.jpg|thumb|a [[b]] c]]d": "d",
    "&eacute;&nbsp;&amp; &lt;b&gt;": "é & <b>",
    "a (, {{x}}) b": "a b",
}


# what Wikipedia's pages show of these templates, without the conversions
TEMPLATES = {
    "a {{lang|fr|mot}} b": "a mot b",
    "{{lang-de|Wort}} c": "Wort c",
    "{{convert|5|km|mi}} away": "5 km away",
    "{{convert|10|to|30|km2|mi2|abbr=on}}": "10 to 30 km²",
    "{{convert|5|ft|11|in|cm}}": "5 ft 11 in",
    "{{convert|101|e6acre|km2}}": "101 million acres",
    "{{convert|370|koilbbl/d}} produced": "370 thousand barrels per day produced",
    "{{convert|20|C|F}}": "20 °C",
    "{{As of|2015}}, x": "As of 2015, x",
    "{{nihongo|strike|打ち|uchi}} x": "strike (打ち, uchi) x",
    "{{frac|1|2|3}} and {{frac|1|2}}": "1 2/3 and 1/2",
    "before {{quote|The words.|Author}} after": "before\n\nThe words.\n\nafter",
    "{{nowrap|a b}} {{abbr|c|see}}": "a b c",
    "{{flatlist|\n* a\n* b\n}}": "a\nb",
    "x {{ndash}} y{{spaced ndash}}z": "x – y – z",
    "{{unknown|words}} x {{cite web|title=T}}": "x",
}


@pytest.mark.parametrize("wikitext", TEMPLATES)
def test_templates_that_stand_for_words(wikitext):
    assert parse_wikitext("1", "T", wikitext).text == f"T\n\n{TEMPLATES[wikitext]}"


@pytest.mark.parametrize("wikitext", CASES)
def test_inline_markup(wikitext):
    article = parse_wikitext("1", "T", wikitext, drop=("figure",))
    assert article.text == f"T\n\n{CASES[wikitext]}"


def test_structure_of_a_small_page():
    article = parse_wikitext(
        "1", "T", "Intro\nline.\n\nMore.\n== A ==\n* one\n** two\n=== B ===\nText.\n== C ==\n# x\n"
    )
    assert article.text == "T\n\nIntro line.\n\nMore.\n\nA\none\ntwo\n\nB\nText.\n\nC\nx"
    rows = list(zip(article.tag, article.parent, article.start, article.end, strict=True))
    assert [(tag, parent, article.text[start:end]) for tag, parent, start, end in rows] == [
        ("article", -1, article.text),
        ("title", 0, "T"),
        ("p", 0, "Intro line."),
        ("p", 0, "More."),
        ("section", 0, "A\none\ntwo\n\nB\nText."),
        ("title", 4, "A"),
        ("list", 4, "one\ntwo"),  # a list holds its items, and an item the list that is nested in it
        ("li", 6, "one\ntwo"),
        ("list", 7, "two"),
        ("li", 8, "two"),
        ("section", 4, "B\nText."),
        ("title", 10, "B"),
        ("p", 10, "Text."),
        ("section", 0, "C\nx"),
        ("title", 13, "C"),
        ("list", 13, "x"),
        ("li", 15, "x"),
    ]


def test_topics_of_headings_by_hand(tmp_path):
    body, short = "w" * 250, "too short"
    text = f"Intro\n== A ==\n{short}\n=== B ===\n{body}\n== See also ==\n{body}\n=== D ===\n{body}\n== A ==\n{body}"
    page = "<page><title>T</title><ns>0</ns><id>5</id><revision><text>{}</text></revision></page>"
    (tmp_path / "d.xml").write_text("<mediawiki>" + page.format(text) + "</mediawiki>")
    collection = ptf.Collection.build(tmp_path / "d.xml", tmp_path / "c", verbose=False)
    topics, qrels = heading_topics(collection)
    assert topics["query"].tolist() == ["T A", "T A B"]  # two sections called A are one topic
    article = collection.text(["5"])[0]
    found = {row.qid: [article[a:b] for a, b in row.highlights] for row in plain(qrels).itertuples()}
    by_query = dict(zip(topics["query"], topics["qid"], strict=True))
    assert found[by_query["T A"]] == [f"{short}\n\nB\n{body}", body]
    assert found[by_query["T A B"]] == [body]
