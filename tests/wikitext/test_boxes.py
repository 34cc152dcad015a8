"""What boxes, columns and tables of a wiki's own templates show, and what is left out and counted."""

import pytest

from pyterrier_focused.wikitext import HtmlReader, WikitextReader
from pyterrier_focused.wikitext.left_out import KIND_OF_CLASS


@pytest.fixture(scope="module")
def reader():
    return WikitextReader("en")


@pytest.mark.parametrize("wikitext", ["{{Nowhere}}{|\n| a\n|}", "x\n{{Nowhere}}{|\n| a\n|}"])
def test_a_table_after_a_template_that_shows_nothing_is_a_table(reader, wikitext):
    assert "table" in reader.read("1", "T", wikitext).tag


@pytest.mark.parametrize(
    ("wikitext", "kind", "template"),
    [
        ("<div class=navbox>x</div>", "navigation", ""),
        ("{| class='infobox x'\n| y\n|}", "infobox", ""),
        ("{{Nowhere|x}}", "unknown", "nowhere"),
        ("{{:Nowhere}}", "page", ":nowhere"),
        ("{{#ifexpr: 1 > 2 | a | b }}", "unknown", "#ifexpr"),
        ("<ref>{{cite book|title=A}}</ref>{{Nowhere}}", "unknown", "nowhere"),
        ("{{infobox ship|x}}", "infobox", "infobox ship"),
        ('<pages index="A.djvu" from=1 to=2 />', "page", "<pages>"),
        ("<dpl>category=A</dpl>", "page", "<dpl>"),
    ],
)
def test_what_is_left_out_is_counted_by_kind_and_template(reader, wikitext, kind, template):
    assert reader.read("1", "T", wikitext).left_out == {(kind, template): 1}


def test_what_is_left_out_is_counted_however_its_template_is_written():
    counted = WikitextReader("").read("1", "T", "A {{strange|x}} b{{cn}} and {{Strange}}.").left_out
    assert counted == {("unknown", "strange"): 2, ("notice", "cn"): 1}


@pytest.mark.parametrize("name", sorted(KIND_OF_CLASS))
@pytest.mark.parametrize("tag", ["div", "span", "table"])
def test_the_same_classes_are_left_out_of_wikitext_and_of_html(name, tag):
    inner = "<tr><td>x</td></tr>" if tag == "table" else "x"
    page = f'<p>a</p>\n<{tag} class="one {name}">{inner}</{tag}>\n<p>b</p>'
    texts = [WikitextReader("en").read("1", "", page), HtmlReader().read("1", "", page.encode())]
    assert [article.text.split() for article in texts] == [["a", "b"]] * 2


LITERAL = {  # MediaWiki shows braces that are no template, and arguments outside of templates
    "A {{{x}}} b": "A {{{x}}} b",
    "A {{{x|y}}} b": "A y b",
    "{{1,2},{3,4}}": "{{1,2},{3,4}}",
    "a = {{1, 2}, {3}}; b = {{|x}} c": "a = {{1, 2}, {3}}; b = {{|x}} c",
    "x{{}}y": "x{{}}y",
    "{{lc:{{{z}}}=1}}": "{{{z}}}=1",
    "if (a[[i]]) { b }} c": "if (ai) { b }} c",
    "x {{# y}} z": "x {{# y}} z",
    "x {{#nofunction:y}} z": "x z",
    "a [[b{{{c}}}]] d": "a [[b{{{c}}}]] d",
    "a [[b c": "a [[b c",
    "a <onlyinclude>b</onlyinclude> c": "a b c",
    "a <languages/> b <pagequality level='1' user='' /> c <youtube>abc</youtube> d": "a b c d",
}


@pytest.mark.parametrize("wikitext", LITERAL)
def test_braces_that_are_no_template_are_text(reader, wikitext):
    assert " ".join(reader.read("1", "", wikitext).text.split()) == LITERAL[wikitext]
