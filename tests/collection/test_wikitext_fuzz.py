"""Any pieces of wikitext in any order: the elements nest, have words, and no mark is left in the text."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_focused.collection.parsed_articles import RejectedArticle
from pyterrier_focused.collection.wikitext import WikitextParser

PIECES = (
    "{{ }} [[ ]] | = {| |} |- == <ref> </ref> <nowiki> </nowiki> <div> </div> <table><tr><td> </table> '' '''"
    " -{ }- <!-- -->"
    " {{lang|fr| {{gone}} {{ubl|a|b}} <li> <ul> </ul> <h2> </h2> <code> </code> <pre> </pre> <math>x </math>"
    " : &amp; ( ) ;a:b"
    " <poem> </poem> [[File:a.jpg|thumb| </span>"
).split()
PIECES += ["\n", " ", "* a", "# ", "! a", ", ", "== h ==", "word ", "[http://x y]", "<span style='display:none'>"]
PARSER = WikitextParser("zh", infobox=True)


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_elements_nest_and_no_mark_is_left(wikitext):
    try:
        article = PARSER.parse("1", "T", wikitext)
    except RejectedArticle:
        return
    text = article.text
    assert not re.search("[\x00-\x08\x0e-\x1f]", text)
    for row, (tag, start, end, parent) in enumerate(
        zip(article.tag, article.start, article.end, article.parent, strict=True)
    ):
        assert re.search(r"[^\W_]", text[start:end])
        assert tag == "pre" or text[start:end] == text[start:end].strip()
        if row:
            assert 0 <= parent < row
            assert article.start[parent] <= start < end <= article.end[parent] <= len(text)
    for link in article.links:
        assert text[link.start : link.end] == text[link.start : link.end].strip() != ""
