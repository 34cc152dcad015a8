"""What boxes, columns and tables of a wiki's own templates show, and what is left out and counted."""

import pytest

from pyterrier_focused.wikitext import HtmlReader, WikitextReader
from pyterrier_focused.wikitext.left_out import KIND_OF_CLASS

PAGES = {
    "Warning": "<div style='color:red'>{{{1}}}</div>",
    "Note": "<div class=\"note\" role=\"alert\">\n'''Note:''' {{{1}}}\n</div>",
    "Box": '{| class="wikitable" style="float:right"\n! {{{title|Box}}}\n|-\n| {{{1}}}\n|}',
    "Columns": '<div style="column-count:2">\n{{{1}}}\n</div>',
    "Start": '{| class="wikitable"\n! Year !! Ship',
    "Row": "|-\n| {{{1}}} || {{{2}}}",
    "End": "|}",
    "Empty": "<includeonly></includeonly>",
    "Navigation": '{| class="navbox collapsible"\n| [[A]] || [[B]]\n|}',
    "Around": '{| class="infobox"\n| x\n|}\nwords\n{| class="infobox"\n| y\n|}',
    "Side": '<table class="infobox vcard"><tr><td>x</td></tr></table>',
    "Main article": '<div class="noprint hatnote">Main article: [[{{{1}}}]]</div>',
    "Banner": '<div role="note">Please help</div>',
    "Secret": "<span style='display: none'>x</span>",
    "Code": "see {{1,2},{3,4}}",
    ":A page": "all of <noinclude>not </noinclude>this",
    "Shows": "{{:A page}}",
}

SHOWN = {
    "{{Warning|Unplug the mains.}}": "Unplug the mains.",
    "{{Note|Unplug.}} Then go on.": "Note: Unplug. Then go on.",
    "a {{Box|title=Big|in it}} b": "a Big in it b",
    "{{Columns|\n* one\n* two\n}}": "one two",
    "{{Start}}\n{{Row|1765|Victory}}\n{{End}}": "Year Ship 1765 Victory",
    "x {{Navigation}} y": "x y",
    "{{Side}}x": "x",
    "{{Around}}": "words",
    "{{Main article|Y}}\nx": "x",
    "{{Banner}}x": "x",
    "x{{Secret}}": "x",
    "a {{Warning|}} {{Warning}}": "a {{{1}}}",
    "{{Code}}": "see {{1,2},{3,4}}",
    "{{:A page}} {{: a page}} {{Shows}}": "all of this all of this all of this",
}


@pytest.fixture(scope="module", params=[True, False], ids=["tables", "no tables"])
def reader(request):
    return WikitextReader("en", tables=request.param, find_template=PAGES.get)


@pytest.mark.parametrize("wikitext", SHOWN)
def test_what_a_template_shows_is_text_unless_it_is_of_a_kind_that_is_none(reader, wikitext):
    assert " ".join(reader.read("1", "", wikitext).text.split()) == SHOWN[wikitext]


def test_a_table_that_templates_write_has_its_rows(reader):
    article = reader.read("1", "T", "{{Start}}\n{{Row|1765|Victory}}\n{{End}}")
    assert article.tag == ["article", "title", "table", "row", "cell", "cell", "row", "cell", "cell"]


@pytest.mark.parametrize("wikitext", ["{{Empty}}{|\n| a\n|}", "x\n{{Empty}}{|\n| a\n|}", "{{Nowhere}}{|\n| a\n|}"])
def test_a_table_after_a_template_that_shows_nothing_is_a_table(reader, wikitext):
    assert "table" in reader.read("1", "T", wikitext).tag


@pytest.mark.parametrize(
    ("wikitext", "kind", "template"),
    [
        ("{{Navigation}}", "navigation", "Navigation"),
        ("{{Side}}", "infobox", "Side"),
        ("{{Main article|Y}}", "metadata", "Main article"),
        ("{{Banner}}", "navigation", "Banner"),
        ("{{Secret}}", "hidden", "Secret"),
        ("<div class=navbox>x</div>", "navigation", ""),
        ("{| class='infobox x'\n| y\n|}", "infobox", ""),
        ("{{Nowhere|x}}", "unknown", "nowhere"),
        ("{{:Nowhere}}", "page", ":nowhere"),
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
    "{{#if:1|{{{z}}}=1}}": "{{{z}}}=1",
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


@pytest.mark.parametrize(
    ("wikitext", "shown", "target"),
    [
        ("[[Owner::Anna]]", "Anna", "Anna"),
        ("[[owner::anna|her]]", "her", "Anna"),
        ("[[A::B::c d]]", "c d", "C d"),
        ("[[std:vector]]", "std:vector", "Std:vector"),
    ],
)
def test_a_property_shows_its_value_where_the_wiki_has_properties(wikitext, shown, target):
    article = WikitextReader("en", {"property": 102}).read("1", "", wikitext)
    assert (article.text, [link.target for link in article.links]) == (shown, [target])


def test_two_colons_are_a_title_where_the_wiki_has_none():
    assert WikitextReader("en").read("1", "", "[[std::vector]]").text == "std::vector"
