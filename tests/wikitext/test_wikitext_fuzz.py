"""Any pieces of wikitext in any order: the elements nest, have words, and no mark is left in the text."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import count_cases

from pyterrier_focused.wikitext import RejectedArticle, WikitextReader
from pyterrier_focused.wikitext.templates.language_files import LANGUAGES, SHARED, table
from pyterrier_focused.wikitext.templates.parser_functions import evaluate

PIECES = (
    "{{ }} [[ ]] | = {| |} |- == <ref> </ref> <nowiki> </nowiki> <div> </div> <table><tr><td> </table> '' '''"
    " -{ }- <!-- -->"
    " {{lang|fr| {{gone}} {{ubl|a|b}} <li> <ul> </ul> <h2> </h2> <code> </code> <pre> </pre> <math>x </math>"
    " : &amp; ( ) ;a:b"
    " <poem> </poem> [[File:a.jpg|thumb| </span> [[Category: <gallery> </gallery> {{#tag:nowiki| {{urlencode:"
).split()
PIECES += ["\n", " ", "* a", "# ", "! a", ", ", "== h ==", "word ", "[http://x y]", "<span style='display:none'>"]
READER = WikitextReader("zh", infobox=True)


CONTROL = re.compile("[\x00-\x08\x0e-\x1f]")


def list_elements(article):
    return list(zip(article.tag, article.start, article.end, article.parent, strict=True))


def list_misplaced(article):
    """The elements that do not lie in their parents, which stand before them."""
    return [
        (row, tag)
        for row, (tag, start, end, parent) in enumerate(list_elements(article)[1:], start=1)
        if not (0 <= parent < row and article.start[parent] <= start < end <= article.end[parent] <= len(article.text))
    ]


@settings(max_examples=count_cases(1500))
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_elements_nest_and_no_mark_is_left(wikitext):
    try:
        article = READER.read("1", "T", wikitext)
    except RejectedArticle:
        return
    words = [(tag, article.text[start:end]) for tag, start, end, _ in list_elements(article)]
    linked = [article.text[link.start : link.end] for link in article.links]
    titles = [*article.categories, *(link.target for link in article.links)]
    assert not re.search(f"{CONTROL.pattern}|%[01]", article.text)
    assert [element for element in words if not re.search(r"[^\W_]", element[1])] == []
    assert [element for element in words if element[0] != "pre" and element[1] != element[1].strip()] == []
    assert list_misplaced(article) == []
    assert [title for title in titles if CONTROL.search(title)] == []
    assert [text for text in linked if not text or text != text.strip()] == []


READERS = {language: WikitextReader(language) for language in LANGUAGES}
NAMES = {
    language: [
        name for of in (language, SHARED) for names in table(of)["shows"].values() for name in names.split(" | ")
    ]
    + [
        "#expr:1",
        "#expr:1/0",
        "#tag:poem",
        "formatnum:.",
        "-52",
        "IPA-de",
    ]
    for language in LANGUAGES
}
ARGUMENTS = (
    "", "x", "5", "-5", "1.5", "31.2.1900", "99.99.0001", "0.0.0", "1950", "12", "XIV", "é", "年", "[", "]", "s", "²",
    "9" * 30, "١٢", "Nome=x", "Attività=y", "AnnoMorte=2", "2=3", "1=", "/x/", "**", "m=3",
)  # fmt: skip


@settings(max_examples=count_cases(1500))
@given(
    st.sampled_from(LANGUAGES).flatmap(lambda language: st.tuples(st.just(language), st.sampled_from(NAMES[language]))),
    st.lists(st.sampled_from(ARGUMENTS), max_size=6),
)
def test_no_template_fails_whatever_its_arguments(named, arguments):
    language, name = named
    text = READERS[language].read("1", "T", f"a {{{{{'|'.join([name, *arguments])}}}}} b").text
    assert not re.search("[\x00-\x08\x0e-\x1f]", text)


TERMS = st.recursive(
    st.integers(0, 99).map(str),
    lambda inner: (
        st.tuples(inner, st.sampled_from(("+", "-", "*", "<", ">=", "!=")), inner).map(lambda of: f"({' '.join(of)})")
        | inner.map(lambda words: f"-{words}")
    ),
    max_leaves=8,
)


@settings(max_examples=count_cases(500))
@given(TERMS)
def test_arithmetic_is_that_of_python(expression):
    assert evaluate(expression) == (eval(expression) if len(expression) <= 200 else None)
