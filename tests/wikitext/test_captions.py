"""Captions below images are elements, in wikitext and in HTML; what is outside of them stays as it is without them."""

from functools import reduce

import pytest
from parsing import parse_wikitext

from pyterrier_focused.wikitext import HtmlReader

FIGURES = {  # as MediaWiki shows them: the last option that is none is the caption
    "A [[File:a.jpg|thumb|right|200px|alt=x|A [[cat|big cat]] ''asleep'']]B text": ["A big cat asleep"],
    "[[File:a.jpg|thumb|first|the last one]]\nWords.": ["the last one"],
    "[[File:a.jpg|frame|a = b]] x": ["a = b"],
    "[[File:a.jpg|thumb|left|upright=1.2]] x": [],
    "a line with an [[File:a.jpg|20px|icon]] in it": [],
    "* one [[File:a.jpg|thumb|below]] more\n* two": ["below"],
    "{|\n| [[File:a.jpg|thumb|in a cell]] || b\n|}": ["in a cell"],
    "<gallery>\nFile:a.jpg|First ''one''\nFile:b.jpg\nFile:c.jpg|alt=a|Second [[x]]\n</gallery>": [
        "First one",
        "Second x",
    ],
    "== Heading [[File:a.jpg|thumb|not shown]] ==\nx": [],
    "{{nowrap|[[File:a.jpg|thumb|through a template]]}} y": ["through a template"],
    "[[Datei:a.jpg|mini|Ein Bild]] x": ["Ein Bild"],
}


def list_figures(article):
    """The texts of the figures; each has one caption with the same words."""
    rows = list(zip(article.tag, article.start, article.end, strict=True))
    figures = [row for row, tag in enumerate(article.tag) if tag == "figure"]
    assert all(rows[row + 1] == ("caption", *rows[row][1:]) for row in figures)
    return [article.text[article.start[row] : article.end[row]] for row in figures]


@pytest.mark.parametrize("wikitext", FIGURES)
def test_captions_are_figures(wikitext):
    assert list_figures(parse_wikitext("1", "T", wikitext, language="de")) == FIGURES[wikitext]


@pytest.mark.parametrize(("wikitext", "captions"), FIGURES.items())
def test_text_outside_of_figures_stays(wikitext, captions):
    with_figures = parse_wikitext("1", "T", wikitext, language="de")
    without = parse_wikitext("1", "T", wikitext, language="de", drop=["figure"])
    outside = reduce(lambda text, caption: text.replace(caption, "", 1), captions, with_figures.text)
    assert outside.split() == without.text.split()
    assert not list_figures(without)


@pytest.mark.parametrize(
    ("language", "options", "captions"),
    [
        ("en", "thumb|Links", ["Links"]),
        ("en", "thumb|links", ["links"]),
        ("en", "thumb|left|mini|Links", ["Links"]),
        ("en", "thumb|left", []),
        ("en", "Links", []),
        ("de", "mini|links", []),
        ("de", "mini|Links", ["Links"]),
        ("fr", "vignette|gauche|Links", ["Links"]),
        ("en", "thumb|links|words", ["words"]),
    ],
)
def test_a_word_that_is_an_option_in_another_language_only_is_a_caption(language, options, captions):
    article = parse_wikitext("1", "T", f"[[File:a.png|{options}]] x", language=language)
    assert list_figures(article) == captions


def test_captions_of_tables_and_figures_are_dropped_together():
    wikitext = "{|\n|+ of a table\n| x\n|}\n[[File:a.jpg|thumb|of a figure]]"
    assert parse_wikitext("1", "T", wikitext, drop=["caption"]).text == "T\n\nx"


def test_links_in_captions_have_their_spans():
    article = parse_wikitext("1", "T", "[[File:a.jpg|thumb|A [[cat|big cat]]]] x")
    assert [(link.target, article.text[link.start : link.end]) for link in article.links] == [("Cat", "big cat")]


HTML = {
    '<figure typeof="mw:File/Thumb"><a><img></a><figcaption>A <a href="./Cat">big cat</a></figcaption></figure>': [
        "A big cat"
    ],
    '<figure typeof="mw:File"><a><img></a><figcaption>not shown</figcaption></figure>': [],
    '<div class="thumb tright"><div class="thumbinner"><div class="thumbcaption">of old</div></div></div>': ["of old"],
    '<ul class="gallery"><li class="gallerybox"><div class="gallerytext">one</div></li>'
    '<li class="gallerybox"><div class="gallerytext">two</div></li></ul>': ["one", "two"],
}


@pytest.mark.parametrize("html", HTML)
def test_captions_of_html_are_figures(html):
    page = f"<html><body><p>Before.</p>{html}<p>After.</p></body></html>".encode()
    assert list_figures(HtmlReader().read("1", "T", page)) == HTML[html]
    assert HtmlReader(drop=["figure"]).read("1", "T", page).text == "T\n\nBefore.\n\nAfter."
