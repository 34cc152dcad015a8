"""The article view: every character shown once and in its state, nothing unescaped, counts by brute force."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

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


@given(articles())
def test_spans_can_tell_their_offsets(article):
    fragment = lxml_html.fragment_fromstring(text_html(article, "x", offsets=True), create_parent="div")
    spans = [(int(e.get("data-start")), e.text) for e in fragment.iter("span")]
    assert all(TEXT[start : start + len(text)] == text for start, text in spans)
    assert [c for _, text in spans for c in text if not c.isspace()] == [c for c in TEXT if not c.isspace()]


@given(articles(), st.integers(0, 20))
def test_what_is_left_out_is_far_from_marks_and_told(article, context):
    kept = shown_spans(article, context)
    shown = {i for a, b in kept for i in range(a, b)}
    expected = [(c, m) for i, (c, m) in enumerate(expected_characters(article)) if i in shown and not c.isspace()]
    fragment = text_html(article, "x", context)
    assert characters(fragment) == expected
    edges = {
        0,
        *(o for s in article.highlights for o in s),
        *(o for r in article.runs for s in r.passages for o in s),
    }
    for edge in edges:
        assert shown.issuperset(range(max(0, edge - context), min(N, edge + context)))
    for a, b in article.highlights:
        assert shown.issuperset(range(a, b))
    told = [int(n) for n in re.findall(r">(\d+) characters left out<", fragment)]
    gaps = [b - a for (_, a), (b, _) in zip(kept, [*kept[1:], (N, N)], strict=True)]
    assert set(told) <= set(gaps)
    blank = [TEXT[a:b].isspace() for (_, a), (b, _) in zip(kept, [*kept[1:], (N, N)], strict=True) if b > a]
    assert len(told) >= sum(not b for b in blank) or not blank


@given(articles())
def test_counts_by_sets_of_characters(article):
    highlighted = {i for a, b in article.highlights for i in range(a, b)}
    for k, run in enumerate(article.runs):
        retrieved = {i for a, b in run.passages for i in range(a, b)}
        found = article.counts[k]
        assert found == (len(retrieved), len(highlighted), len(retrieved & highlighted))
        for element, part in zip(
            article.elements, article.counts_in(k, [(e.start, e.end) for e in article.elements]), strict=True
        ):
            inside = set(range(element.start, element.end))
            assert part == (len(retrieved & inside), len(highlighted & inside), len(retrieved & highlighted & inside))


@given(articles())
def test_strip_and_outline_are_well_formed(article):
    for k in range(len(article.runs)):
        counts = article.counts[k]
        strip = lxml_html.fragment_fromstring(strip_html(article, k))
        assert f"{counts.retrieved} retrieved" in strip.get("aria-label")
        kinds = {rect.get("class") for rect in strip.iter("rect")}
        assert ("found" in kinds) == (counts.found > 0)
        assert ("missed" in kinds) == (counts.highlighted > counts.found)
        assert ("noise" in kinds) == (counts.retrieved > counts.found)
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
                raise ValueError(f"{docno!r}: no article of this docno")
            yield {"docno": docno, "title": self.title, "text": self.text}

    def elements(self, docno):
        rows = [("/article[1]", "article", self.title, 0, len(self.text), -1)]
        return pd.DataFrame(rows, columns=["path", "tag", "title", "start", "end", "parent"])


QRELS = pd.DataFrame({"qid": ["1"], "docno": "7", "label": 1, "highlights": [[(10, 30)]], "bep": 12, "length": N})
RUN = pd.DataFrame({"qid": ["1"], "docno": "7", "score": 2.5, "rank": 0, "passages": [[(40, 50, 1.0), (20, 35, 2.0)]]})


def test_view_in_a_notebook_and_as_a_file(tmp_path):
    shown = view(Library(), QRELS, RUN, "1", "7")
    assert repr(shown) == ("<ArticleView of '7', topic '1': 20 characters highlighted, 25 retrieved, 10 both>")
    page = lxml_html.document_fromstring(shown._repr_html_())
    entries = [e.text for e in page.iter("i") if "point" in (e.get("class") or "")]
    assert {"◆ best entry point", "▸ entry"} <= set(entries)
    counts = {row.find("dt").text: row.find("dd").text for row in page.find_class("counts")[0]}
    assert counts["precision"] == "0.400"
    assert counts["recall"] == "0.500"
    assert counts["system’s entry"] == "20 (8 after)"  # of the passage with the higher score
    assert "script" not in {e.tag for e in page.iter()}
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


def test_what_is_wrong_is_named_of_article_view():
    with pytest.raises(ValueError, match="docno is missing"):
        view(Library(), QRELS, RUN, "1")
    with pytest.raises(ValueError, match="a Collection comes first"):
        view(QRELS, RUN, "1", "7")
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
    for k in range(3):
        assert f".run-{k} .h.r{k}" in sheet
        assert f".run-{k} .h:not(.r{k})" in sheet
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


def test_the_command_of_article_view(tmp_path, capsys, monkeypatch):
    import pyterrier as pt

    from pyterrier_focused import cells, cli
    from pyterrier_focused.io import write_qrels, write_run

    dataset = pt.get_dataset("focused:demo")
    collection = dataset.collection(tmp_path / "collection")
    qrels = dataset.get_qrels()
    topic = qrels[(qrels["qid"] == qrels["qid"].iloc[0])]
    first, second = topic[topic["label"] > 0]["docno"].iloc[:2]
    run = pd.DataFrame({"qid": topic["qid"].iloc[0], "docno": [first, second], "score": [1.0, 2.0]})
    write_run(run.assign(passages=[[(5, 60)], [(0, 30)]]), tmp_path / "a.run")
    write_qrels(topic, tmp_path / "qrels.txt")
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    page, files = tmp_path / "page.html", ["--qrels", str(tmp_path / "qrels.txt"), "--run", str(tmp_path / "a.run")]
    base = ["view", str(tmp_path / "collection"), "-o", str(page)]
    assert cli.main([*base, *files]) == 0  # the run's first article
    assert opened == [page.resolve().as_uri()]
    assert str(page) in capsys.readouterr().out
    assert f"article {second} · topic" in page.read_text(encoding="utf-8")
    assert cli.main([*base, *files[:2], "--no-browser"]) == 0  # the most highlighted
    size = pd.Series([sum(e - s for s, e in spans) for spans in cells(topic["highlights"])], topic["docno"])
    assert f"article {size.idxmax()} · topic" in page.read_text(encoding="utf-8")
    assert cli.main([*base, "--article", first, "--no-browser"]) == 0
    assert "topic" not in lxml_html.parse(str(page)).find(".//p[@class='about']").text
    assert len(opened) == 1
    title = next(iter(collection.articles([first])))["title"]
    assert title in page.read_text(encoding="utf-8")
    assert cli.main(base) == 2
    assert "--article" in capsys.readouterr().err
    write_qrels(qrels, tmp_path / "all.txt")
    assert cli.main([*base, "--qrels", str(tmp_path / "all.txt")]) == 2
    assert "choose one of the 12 topics with --topic" in capsys.readouterr().err
