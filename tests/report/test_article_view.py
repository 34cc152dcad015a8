"""The article view: every character shown once and in its state, nothing unescaped, counts by brute force."""

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from pyterrier_focused import cells, cli
from pyterrier_focused.collection import Collection
from pyterrier_focused.io import write_qrels, write_run
from pyterrier_focused.report import view
from pyterrier_focused.report.article import Element, RetrievedPassages, TopicArticle, shown_spans
from pyterrier_focused.report.article_html import outline_html, strip_html, text_html
from pyterrier_focused.report.article_view import style

TEXT = "Title\n\nFirst <b>bold</b> & so on, in one line.\nHeading\nA second paragraph, and\nmore of it.   \n\nThe end."
N = len(TEXT)


@st.composite
def articles(draw):
    span = st.tuples(st.integers(0, N - 1), st.integers(1, 40)).map(lambda s: (s[0], min(sum(s), N)))
    runs = [
        RetrievedPassages(f"run {k}", draw(st.lists(span, max_size=3)), 0, 1.0) for k in range(draw(st.integers(1, 3)))
    ]
    edges = sorted(draw(st.sets(st.integers(1, N - 1), max_size=6)))
    elements = [Element("/article[1]", "article", "Title", 0, N)]
    for i, (a, b) in enumerate(zip([0, *edges], [*edges, N], strict=True)):
        tag = draw(st.sampled_from(["p", "section", "title", "list", "link", "item"]))
        elements.append(Element(f"/article[1]/{tag}[{i}]", tag, draw(st.sampled_from(["", "Heading"])), a, b))
        if b - a > 4 and draw(st.booleans()):
            elements.append(Element(f"/article[1]/{tag}[{i}]/p[1]", "p", "", a + 1, b - 2))
    highlights = draw(st.lists(span, max_size=3))
    bep = draw(st.integers(-1, N - 1))
    return TopicArticle("7", "Title", N, highlights, bep, 1, runs, TEXT, elements)


def characters(fragment):
    """(character, highlighted, runs) of each character that is not white space; labels and notes left out."""
    found = []

    def walk(element, inside):
        classes = (element.get("class") or "").split()
        if element.tag == "i" or "gap" in classes:
            text = ""
        else:
            inside = inside | {c for c in classes if re.fullmatch(r"h|r\d+", c)}
            text = element.text or ""
        found.extend((c, inside) for c in text if not c.isspace())
        for child in element:
            walk(child, inside)
            found.extend((c, inside) for c in child.tail or "" if not c.isspace())

    walk(lxml_html.fragment_fromstring(fragment, create_parent="div"), frozenset())
    return found


def expected_characters(article):
    marks = {"h": article.highlights, **{f"r{k}": r.passages for k, r in enumerate(article.runs)}}
    return [
        (c, frozenset(name for name, spans in marks.items() if any(a <= i < b for a, b in spans)))
        for i, c in enumerate(TEXT)
    ]


@given(articles())
def test_every_character_is_shown_once_in_its_state(article):
    expected = [(c, marks) for c, marks in expected_characters(article) if not c.isspace()]
    assert characters(text_html(article, "x")) == expected


@given(articles(), st.integers(0, 20))
def test_what_is_shown_holds_all_that_is_near_a_mark(article, context):
    spans = [*article.highlights, *(span for run in article.runs for span in run.passages)]
    edges = {0, *(edge for span in spans for edge in span)}
    near = {i for edge in edges for i in range(max(0, edge - context), min(N, edge + context))}
    shown = {i for a, b in shown_spans(article, context) for i in range(a, b)}
    assert shown >= near | {i for a, b in article.highlights for i in range(a, b)}
    expected = [(c, m) for i, (c, m) in enumerate(expected_characters(article)) if i in shown and not c.isspace()]
    assert characters(text_html(article, "x", context)) == expected


@given(articles(), st.integers(0, 20))
def test_what_is_left_out_is_told(article, context):
    kept = shown_spans(article, context)
    gaps = [(a, b) for (_, a), (b, _) in zip(kept, [*kept[1:], (N, N)], strict=True)]
    told = [int(n) for n in re.findall(r">(\d+) characters left out<", text_html(article, "x", context))]
    assert set(told) <= {b - a for a, b in gaps}
    assert len(told) >= sum(not TEXT[a:b].isspace() for a, b in gaps if b > a)


@given(articles())
def test_counts_are_those_of_sets_of_characters(article):
    highlighted = {i for a, b in article.highlights for i in range(a, b)}
    retrieved = [{i for a, b in run.passages for i in range(a, b)} for run in article.runs]
    places = [set(range(N)), *(set(range(e.start, e.end)) for e in article.elements)]
    spans = [(e.start, e.end) for e in article.elements]
    assert [[counts, *article.counts_in(k, spans)] for k, counts in enumerate(article.counts)] == [
        [(len(found & place), len(highlighted & place), len(found & highlighted & place)) for place in places]
        for found in retrieved
    ]


@pytest.mark.parametrize(
    ("highlights", "passages", "labels"),
    [
        ([(0, 3), (4, 7)], [(0, 7)], ["found"]),
        ([(0, 3), (8, 13)], [(0, 4)], ["found", "missed"]),
        ([(0, 3), (8, 13)], [(0, 13)], ["found", "noise", "found"]),
    ],
)
def test_white_space_has_no_label_and_doubles_none(highlights, passages, labels):
    text = "One two three."
    run = RetrievedPassages("a", passages)
    article = TopicArticle("7", "T", len(text), highlights, -1, 1, [run], text)
    page = lxml_html.fromstring(f"<div>{text_html(article, 'x')}</div>")
    assert [label.text_content() for label in page.find_class("tag")] == labels


def expected_kinds(counts):
    kinds = {
        "found": counts.found, "missed": counts.highlighted - counts.found, "noise": counts.retrieved - counts.found
    }  # fmt: skip
    return {kind for kind, count in kinds.items() if count > 0}


@given(articles())
def test_strips_show_what_was_found_missed_and_noise(article):
    strips = [lxml_html.fragment_fromstring(strip_html(article, k)) for k in range(len(article.runs))]
    labels = zip(strips, article.counts, strict=True)
    assert all(f"{counts.retrieved} retrieved" in strip.get("aria-label") for strip, counts in labels)
    kinds = [{rect.get("class") for rect in strip.iter("rect")} & {"found", "missed", "noise"} for strip in strips]
    assert kinds == [expected_kinds(counts) for counts in article.counts]


@given(articles())
def test_the_outline_leads_into_the_text(article):
    outline = lxml_html.fragment_fromstring(outline_html(article, "x"))
    ids = {e.get("id") for e in lxml_html.fragment_fromstring(text_html(article, "x"), create_parent="div").iter("div")}
    assert {a.get("href")[1:] for a in outline.iter("a")} <= ids


class Library:
    """The part of a Collection that the view reads."""

    def __init__(self, title="Title", text=TEXT):
        self.title, self.text = title, text

    def __contains__(self, docno):
        return docno == "7"

    def articles(self, docnos):
        for docno in docnos:
            if docno != "7":
                raise ValueError(f"no article with docno {docno!r}")
            yield {"docno": docno, "title": self.title, "text": self.text}

    def elements(self, docno):
        rows = [("/article[1]", "article", self.title, 0, len(self.text), -1)]
        return pd.DataFrame(rows, columns=["path", "tag", "title", "start", "end", "parent"])


QRELS = pd.DataFrame({"qid": ["1"], "docno": "7", "label": 1, "highlights": [[(10, 30)]], "bep": 12, "length": N})
RUN = pd.DataFrame({"qid": ["1"], "docno": "7", "score": 2.5, "rank": 0, "passages": [[(40, 50, 1.0), (20, 35, 2.0)]]})


def test_the_view_in_a_notebook_counts_and_marks_entries():
    shown = view(Library(), QRELS, RUN, "1", "7")
    assert repr(shown) == ("<ArticleView of '7', topic '1': 20 characters highlighted, 25 retrieved, 10 both>")
    page = lxml_html.document_fromstring(shown._repr_html_())
    entries = [e.text for e in page.iter("i") if "point" in (e.get("class") or "")]
    assert {"◆ best entry point", "▸ entry"} <= set(entries)
    counts = {row.find("dt").text: row.find("dd").text for row in page.find_class("counts")[0]}
    # the system's entry is that of the passage with the higher score
    expected = {"precision": "0.400", "recall": "0.500", "system’s entry": "20 (8 after)"}
    assert {name: counts[name] for name in expected} == expected
    assert "script" not in {e.tag for e in page.iter()}


def test_the_view_as_a_file_is_a_page_that_loads_nothing(tmp_path):
    shown = view(Library(), QRELS, RUN, "1", "7")
    shown.save(tmp_path / "view.html")
    saved = (tmp_path / "view.html").read_text(encoding="utf-8")
    assert saved.startswith("<!doctype html>")
    assert shown.html in saved
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'\"" in saved


def test_unjudged_and_unretrieved_articles():
    other = QRELS.assign(docno="8")
    shown = view(Library(), other, RUN, "1", "7")
    assert "not judged" in shown.html
    shown = view(Library(), QRELS, RUN.assign(docno="8"), "1", "7")
    assert "not retrieved" in shown.html
    assert shown.article.counts[0] == (0, 20, 0)


def test_what_is_wrong_with_an_article_view_is_named():
    with pytest.raises(ValueError, match="docno is missing"):
        view(Library(), QRELS, RUN, "1")
    with pytest.raises(ValueError, match="the collection comes first, not qrels"):
        view(QRELS, Library(), RUN, "1", "7")
    with pytest.raises(ValueError, match="qid is missing: the topic to show; article '7' is in topics 1"):
        view(Library(), QRELS, RUN, docno="7")
    with pytest.raises(ValueError, match="qrels must be a frame"):
        view(Library(), 3, RUN, "1", "7")
    with pytest.raises(ValueError, match="this looks like a run"):
        view(Library(), RUN, QRELS, "1", "7")
    with pytest.raises(ValueError, match="topic '9'"):
        view(Library(), QRELS, RUN, "9", "7")
    with pytest.raises(ValueError, match="'8'"):
        view(Library(), QRELS, RUN, "1", "8")
    with pytest.raises(ValueError, match=r"missing: .*'passages'"):
        view(Library(), QRELS, RUN.drop(columns="passages"), "1", "7")


def test_a_title_of_markup_stays_text():
    evil = '<script>alert("x")</script>'
    shown = view(Library(evil, evil + TEXT), QRELS, RUN, "1", "7")
    page = lxml_html.document_fromstring(shown.html)
    assert "script" not in {e.tag for e in page.iter()}
    assert page.find(".//h2").text_content() == evil


def test_passages_beyond_the_text_are_cut():
    shown = view(Library(), QRELS, RUN.assign(passages=[[(N - 5, N + 100)]]), "1", "7")
    assert shown.article.counts[0].retrieved == 5


def test_each_run_has_rules_of_its_own():
    sheet = style(3)
    rules = [rule for k in range(3) for rule in (f".run-{k} .h.r{k}", f".run-{k} .h:not(.r{k})")]
    assert [rule for rule in rules if rule not in sheet] == []
    assert "$" not in sheet
    assert "prefers-color-scheme: dark" in sheet


def tags(shown):
    page = lxml_html.document_fromstring(shown.html)
    return {e.text_content() for e in page.iter("i") if "tag" in (e.get("class") or "").split()}


def test_without_qrels_or_run():
    both = view(Library(), QRELS, RUN, "1", "7")
    assert tags(both) == {"found", "missed", "noise"}
    judged = view(Library(), QRELS, None, "1", "7")
    assert tags(judged) == {"highlighted"}
    retrieved = view(Library(), None, RUN, "1", "7")
    assert tags(retrieved) == {"retrieved"}
    bare = view(Library(), docno="7")
    assert not tags(bare)
    page = lxml_html.document_fromstring(bare.html)
    assert not page.find_class("strip") + page.find_class("legend") + page.find_class("counts")
    assert "First <b>bold</b> & so on" in page.find_class("text")[0].text_content()


@dataclass
class DemoFiles:
    """The demo's collection, and a run and qrels of its first topic as files; *command* runs `view` on them."""

    folder: Path
    page: Path
    collection: Collection
    judged: pd.DataFrame
    first: str
    second: str

    def command(self, *options):
        return cli.main(["view", str(self.collection.path), "-o", str(self.page), *options])


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    dataset = pt.get_dataset("focused:demo")
    qrels = dataset.get_qrels()
    topic = qrels[(qrels["qid"] == qrels["qid"].iloc[0])]
    first, second = topic[topic["label"] > 0]["docno"].iloc[:2]
    run = pd.DataFrame({"qid": topic["qid"].iloc[0], "docno": [first, second], "score": [1.0, 2.0]})
    write_run(run.assign(passages=[[(5, 60)], [(0, 30)]]), folder / "a.run")
    write_qrels(topic, folder / "qrels.txt")
    write_qrels(qrels, folder / "all.txt")
    return DemoFiles(folder, folder / "page.html", dataset.collection(folder / "collection"), topic, first, second)


@pytest.fixture
def browsed(monkeypatch):
    """The addresses that a browser is asked to open."""
    found: list = []
    monkeypatch.setattr("webbrowser.open", found.append)
    return found


def test_the_command_shows_the_first_article_of_a_run(demo, browsed, capsys):
    assert demo.command("--qrels", str(demo.folder / "qrels.txt"), "--run", str(demo.folder / "a.run")) == 0
    assert browsed == [demo.page.resolve().as_uri()]
    assert str(demo.page) in capsys.readouterr().out
    assert f"article {demo.second} · topic" in demo.page.read_text(encoding="utf-8")


def test_the_command_shows_the_most_highlighted_article_of_qrels(demo, browsed):
    assert demo.command("--qrels", str(demo.folder / "qrels.txt"), "--no-browser") == 0
    size = pd.Series([sum(e - s for s, e in spans) for spans in cells(demo.judged["highlights"])], demo.judged["docno"])
    assert f"article {size.idxmax()} · topic" in demo.page.read_text(encoding="utf-8")
    assert browsed == []


def test_the_command_shows_an_article_without_a_topic(demo, browsed):
    assert demo.command("--article", demo.first, "--no-browser") == 0
    assert "topic" not in lxml_html.parse(str(demo.page)).find(".//p[@class='about']").text
    assert next(iter(demo.collection.articles([demo.first])))["title"] in demo.page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("files", "message"), [((), "--article"), (("all.txt",), "choose one of the 12 topics with --topic")]
)
def test_the_command_asks_for_what_it_needs(demo, capsys, files, message):
    assert demo.command(*(f"--qrels={demo.folder / name}" for name in files)) == 2
    assert message in capsys.readouterr().err


CODE = "def f(x):\n    if x:\n        return 1\n"
SHOWN = {
    "code": ("a.py", CODE, CODE.rstrip()),
    "a table": ("a.md", "Words.\n\n| a | b |\n|---|---|\n", "| a | b |\n|---|---|"),
    "a page": ("a.html", f"<p>Words.</p><pre>{CODE}</pre>", CODE.rstrip()),
    "a listing in XML": ("a.xml", f"<article><screen>{CODE}</screen></article>", CODE),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_lines_and_indentation_are_shown(tmp_path, kind):
    name, text, shown = SHOWN[kind]
    (tmp_path / name).write_text(text)
    page = lxml_html.fromstring(view(tmp_path / name, docno=name if kind == "code" else "a").html)
    assert [div.text_content() for div in page.find_class("pre")] == [shown]


def test_of_ids_in_a_header_the_number_of_the_article_is_labelled():
    ids = [Element(f"/article[1]/id[{i}]", "id", "", i, i + 1) for i in range(2)]
    article = TopicArticle("7", "", 2, [], -1, None, [], "78", ids)
    blocks = lxml_html.fragments_fromstring(text_html(article, "x"))
    assert [(block.text, block.get("class")) for block in blocks] == [("7", "meta docno"), ("8", "meta")]


def test_the_layout_of_xml_is_not_shown(tmp_path):
    (tmp_path / "a.xml").write_text("<article>\n  <p>One\n      two.</p></article>")
    page = lxml_html.fromstring(view(tmp_path / "a.xml", docno="a").html)
    assert page.find_class("lines") + page.find_class("pre") == []


BLOCKS_OF = {
    "a play in TEI": (
        "<TEI><text><body><div><sp><speaker>HAMLET</speaker><l>To be,</l><l>or not.</l></sp><sp><ab>Aye.</ab></sp>"
        "</div></body></text></TEI>",
        ["HAMLET", "To be,", "or not.", "Aye."],
    ),
    "a play": (
        "<PLAY><SCENE><SPEECH><LINE>Who is</LINE><LINE>there?</LINE></SPEECH></SCENE></PLAY>",
        ["Who is", "there?"],
    ),
    "DocBook": ("<chapter><para>One.</para><sect1><simpara>Two.</simpara></sect1></chapter>", ["One.", "Two."]),
    "a statute": ("<dokumente><norm><P>One.</P><P>Two.</P></norm></dokumente>", ["One.", "Two."]),
}


@pytest.mark.parametrize("kind", BLOCKS_OF)
def test_blocks_of_other_xml_are_shown_one_by_one(tmp_path, kind):
    source, blocks = BLOCKS_OF[kind]
    (tmp_path / "a.xml").write_text(source)
    page = lxml_html.fromstring(view(tmp_path / "a.xml", docno="a").html)
    assert [
        div.text_content() for div in page.xpath("//div[contains(@class, 'para') or contains(@class, 'loose')]")
    ] == blocks
