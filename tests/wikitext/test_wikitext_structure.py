"""Blocks, tags and parser functions of wikitext, case by case, as MediaWiki's help pages describe them."""

import pytest
from parsing import parse_wikitext

from pyterrier_focused.wikitext import RejectedArticle
from pyterrier_focused.wikitext.block_writer import MAX_LISTS, MAX_TABLES, SHORT
from pyterrier_focused.wikitext.expand import MAX_DEPTH


def shape(wikitext, **options):
    """The elements below the article and its title: (depth, tag, text)."""
    article = parse_wikitext("1", "T", wikitext, **options)
    depth = [0]
    for parent in article.parent[1:]:
        depth.append(depth[parent] + 1)
    rows = zip(depth, article.tag, article.start, article.end, strict=True)
    return [(level, tag, article.text[start:end]) for level, tag, start, end in rows][2:]


def shown(wikitext, **options):
    return " ".join(parse_wikitext("1", "T", wikitext, **options).text.split()[1:])


def test_headings_have_six_levels():
    assert shape("===== five =====\nx\n====== six ======\ny\n======= seven =======\nz") == [
        (1, "section", "five\nx\n\nsix\ny\n\n= seven =\nz"),
        (2, "title", "five"),
        (2, "p", "x"),
        (2, "section", "six\ny"),
        (3, "title", "six"),
        (3, "p", "y"),
        (2, "section", "= seven =\nz"),  # the sixth level, with an equals sign on either side
        (3, "title", "= seven ="),
        (3, "p", "z"),
    ]
    assert shape("== a ===") == [(1, "section", "a ="), (2, "title", "a =")]
    assert shape("==\nx") == [(1, "p", "== x")]
    assert shape("=== a ==") == [(1, "section", "= a"), (2, "title", "= a")]  # the shorter side counts
    assert shape("= a\nb") == [(1, "p", "= a b")]
    assert shape("=====\nx") == [(1, "section", "=\nx"), (2, "p", "x")]
    assert shown("<h6>six</h6> <h7>seven</h7>") == "six <h7>seven</h7>"  # the tag that does not exist is text


def test_lists_of_tags_are_lists():
    assert shape("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>x<ol><li>d</li></ol>") == [
        (1, "list", "a\nb\nc"), (2, "li", "a\nb"), (3, "list", "b"), (4, "li", "b"), (2, "li", "c"),
        (1, "p", "x"), (1, "list", "d"), (2, "li", "d"),
    ]  # fmt: skip


def test_lists_of_tags_may_stand_in_lines():
    lines = "x\n<ul>\n <li>a</li>\n <li>b\n  <ol>\n   <li>c</li>\n  </ol>\n </li>\n</ul>\n<ul>\n<li>d\n</ul>\ny"
    assert shape(lines) == [
        (1, "p", "x"), (1, "list", "a\nb\nc"), (2, "li", "a"), (2, "li", "b\nc"), (3, "list", "c"), (4, "li", "c"),
        (1, "list", "d"), (2, "li", "d"), (1, "p", "y"),
    ]  # fmt: skip
    assert shape("* a\n\n* b") == [(1, "list", "a"), (2, "li", "a"), (1, "list", "b"), (2, "li", "b")]


def test_terms_and_definitions_are_items():
    assert shape("; a : b\n: c") == [
        (1, "list", "a\nb\nc"), (2, "li", "a"), (2, "li", "b"), (2, "li", "c"),
    ]  # fmt: skip


def test_items_hold_the_blocks_in_them():
    assert shape("* a\n* b <blockquote>c</blockquote>") == [
        (1, "list", "a\nb\nc"), (2, "li", "a"), (2, "li", "b\nc"), (3, "p", "c"),
    ]  # fmt: skip


def test_indented_lines_are_preformatted_without_the_blank():
    assert shape(" ab\n  cd\nef") == [(1, "pre", "ab\n cd"), (1, "p", "ef")]


def test_rows_without_cells_are_none_and_text_between_rows_stands_before_the_table():
    rows = [(1, "table", "a\tb"), (2, "row", "a\tb"), (3, "cell", "a"), (3, "cell", "b")]
    assert shape("{|\n|-\n|-\n| a || b\n|-\n|}") == rows
    assert [text for _, tag, text in shape("{|\nloose\n| a || b\n|}") if tag in ("p", "cell")] == ["loose", "a", "b"]


def test_rows_and_cells_go_on_behind_their_attributes_and_lines():
    assert shape("{|\n|- style='x'\n| a\n|- style='y'\n| b\n| c\nmore\n|}") == [
        (1, "table", "a\nb\tc more"), (2, "row", "a"), (3, "cell", "a"),
        (2, "row", "b\tc more"), (3, "cell", "b"), (3, "cell", "c more"),
    ]  # fmt: skip


def test_tables_of_tags_and_tables_without_an_end():
    of_tags = "<table><caption>c</caption><tr><td>a</td><th>b</th></tr></table>x"
    assert shape(of_tags) == [
        (1, "table", "c\na\tb"), (2, "caption", "c"), (2, "row", "a\tb"), (3, "cell", "a"), (3, "cell", "b"),
        (1, "p", "x"),
    ]  # fmt: skip
    cells = [(1, "table", "a\tb\tc"), (2, "row", "a\tb\tc"), (3, "cell", "a"), (3, "cell", "b"), (3, "cell", "c")]
    assert shape("{|\n| a || b\n| c") == cells


def test_what_ends_a_paragraph():
    assert shape("a\n{{cite web|x}}\nb") == [(1, "p", "a"), (1, "p", "b")]
    assert shape("a\n----\nb") == [(1, "p", "a"), (1, "p", "b")]
    assert shape("---- a") == [(1, "p", "a")]
    assert shape(" <blockquote>a</blockquote>") == [(1, "p", "a")]  # no preformatted text


def test_an_image_beside_the_text_ends_a_paragraph_but_no_item_and_no_cell():
    assert shape("a [[File:X.jpg|thumb|c]] b [[File:Y.jpg|20px]] d") == [(1, "p", "a"), (1, "p", "b d")]
    assert shape("a [[Datei:X.jpg|links|c]] b\n[[Datei:Y.jpg|rechts]]\nc")[1:] == [(1, "p", "b"), (1, "p", "c")]
    assert shape("* a [[File:X.jpg|left]] b") == [(1, "list", "a b"), (2, "li", "a b")]
    assert shape("{|\n| a [[File:X.jpg|right]] b\n|}")[-1] == (3, "cell", "a b")


def test_what_stands_behind_a_tag_does_not_begin_a_line():
    assert shape("<small> a</small>\n<b>* b</b>\n<br> c") == [(1, "p", "a * b\nc")]


def test_only_a_blank_that_is_text_makes_preformatted_text():
    assert shape("\ta\n[[C| ]] - b\n <!-- c -->\nd") == [(1, "p", "a - b d")]
    assert shape("* a\n <!-- b --> <!-- c --> \n* d") == [(1, "list", "a\nd"), (2, "li", "a"), (2, "li", "d")]
    assert shape(" a\n \n b") == [(1, "pre", "a\n\nb")]
    assert shape("[[#a]]\n[[:Category:b]]") == [(1, "p", "#a Category:b")]


def test_a_table_keeps_all_its_captions():
    captions = [text for _, tag, text in shape("{|\n|+ a\n|+ b\n| c\n|}") if tag == "caption"]
    assert captions == ["a", "b"]


@pytest.mark.parametrize(
    ("language", "wikitext", "anchor"),
    [
        ("en", "[[bus]]es", "buses"), ("en", "[[caf]]é", "caf"), ("fr", "[[ann]]ée", "année"),
        ("de", "[[Ma]]ße", "Maße"), ("ru", "[[дом]]ами", "домами"), ("el", "[[δρόμ]]ος", "δρόμος"),
        ("he", "[[בית]]ים", "ביתים"), ("fa", "[[خانه]]ها", "خانهها"), ("tr", "[[şiş]]çi", "şişçi"),
        ("zh", "[[A]]b", "A"), ("ja", "[[A]]b", "Ab"), ("ko", "[[가]]는", "가"), ("ca", "[[casa]]l·l", "casal·l"),
    ],
)  # fmt: skip
def test_letters_behind_a_link_are_its_own_as_its_language_has_it(language, wikitext, anchor):
    article = parse_wikitext("1", "T", wikitext, language=language)
    assert [article.text[link.start : link.end] for link in article.links] == [anchor]


def test_a_cell_of_many_words_is_a_paragraph():
    short, long = "x" * SHORT, "x" * (SHORT + 1)
    assert [tag for _, tag, _ in shape(f"{{|\n| {short} || {long}\n|}}")] == ["table", "row", "cell", "p"]


def test_a_bar_behind_a_link_does_not_end_attributes():
    assert shown("{|\n| [[x]] | y\n|}") == "x | y"
    assert shown("{|\n| style='a' | y\n|}") == "y"


@pytest.mark.parametrize(
    ("nested", "limit"),
    [
        (lambda n: "*" * n + " x", MAX_LISTS),
        (lambda n: "{|\n|\n" * n + "x\n" + "|}\n" * n, MAX_TABLES),
        (lambda n: "{{nowrap|" * n + "x" + "}}" * n, MAX_DEPTH),
    ],
    ids=["lists", "tables", "templates"],
)
def test_what_is_nested_as_deep_as_the_limit_is_read(nested, limit):
    assert shown(nested(limit)) == "x"
    with pytest.raises(RejectedArticle, match=f"nested over {limit} deep"):
        shown(nested(limit + 1))


def test_code_and_sources_stand_within_a_line_or_for_themselves():
    assert shape("a <source inline>b = 1</source> c") == [(1, "p", "a b = 1 c")]
    assert shape("a <source>b = 1\n</source> c") == [(1, "p", "a"), (1, "pre", "b = 1"), (1, "p", "c")]
    assert shape("<source>\n  b = 1\n c\n</source>") == [(1, "pre", "  b = 1\n c")]
    assert shown("<code>a [[b]]\n&lt;c <i>d</i></code>") == "a b <c d"


def test_boxes_that_are_tables_of_html():
    box = '<table class="infobox"><tr><th>born</th><td>1900</td></tr></table>'
    bar = '<div class="navbox">links</div>'
    assert shown(f"{box}{bar}x") == "x"
    assert shown('<div class="infobox">a</div>x') == "x"
    assert shape('{| class="infobox"\n| a || b\n|}', infobox=True)[0] == (1, "infobox", "a\tb")
    assert shown(f"{box}{bar}x", infobox=True) == "born 1900 x"
    assert shape("{{Infobox person|born_in=[[Paris]]|empty=}}", infobox=True) == [
        (1, "infobox", "born in\tParis"), (2, "row", "born in\tParis"), (3, "cell", "born in"), (3, "cell", "Paris"),
    ]  # fmt: skip


def test_namespaces_of_the_wiki_own():
    assert shown("[[Gravure:a|b]]x") == "bx"
    assert shown("[[Gravure:a|b]]x", namespaces={"gravure": 6}) == "x"


@pytest.mark.parametrize(
    ("wikitext", "text"),
    {
        "a{{#switch: c | a = 1 }}b {{plural:2|day|days}}": "ab",
        "a{{#tag:ref|note}}b {{#invoke:x|y}}c": "ab c",
        "{{subst:nowrap|a b}} {{safesubst:nowrap|c}}": "a b c",
        "{{lc:AB}} {{uc:ab}} {{lcfirst:ABC}} {{ucfirst:abc}}": "ab AB aBC Abc",
        "{{nowrap|[[a|b=c]]}} {{nowrap|d {{lang|fr|e{{!}}f}}}}": "b=c d e|f",
        "{{nowrap|a ]] b}} c": "a ]] b c",
        "a (<ref name='x' />) b": "a b",
        '<div style="display:none">a<div>b</div>c</div>d': "d",
        "-{Title: Sub}- x": "Title: Sub x",
        "[[File:Without an ending]]x [[Foo:bar|words]]": "x words",
        "1 <b>2</b> <foo>3</foo> </b 4": "1 2 <foo>3</foo> </b 4",
    }.items(),
)
def test_parser_functions_and_tags(wikitext, text):
    assert shown(wikitext) == text


def test_tags_and_comments_at_the_start_of_a_line():
    assert shape("<h1>A</h1>b") == [(1, "section", "A\nb"), (2, "title", "A"), (2, "p", "b")]
    assert shape("* a<!-- c -->\n* b") == [(1, "list", "a\nb"), (2, "li", "a"), (2, "li", "b")]
    assert shape("<br>a\n\n<br> b") == [(1, "p", "a"), (1, "p", "b")]
    assert shape("x\n\n<b><small>* a</small></b>") == [(1, "p", "x"), (1, "p", "* a")]
    assert shown("a {{b|c") == "a {{b|c"  # a template without an end is text
    assert shape("* a =\n* = b =") == [(1, "list", "a =\n= b ="), (2, "li", "a ="), (2, "li", "= b =")]


def test_captions_have_lines_and_rows_may_lack_a_table():
    assert shape("{|\n|+ a\nb\n|-\n| c\n|}") == [
        (1, "table", "a b\nc"), (2, "caption", "a b"), (2, "row", "c"), (3, "cell", "c"),
    ]  # fmt: skip
    assert shape("|-\n| a\n\nx", drop=("table",)) == [(1, "p", "x")]


def test_short_names_of_templates_mean_something_else_in_each_language():
    assert shown("{{ta|x}}y", language="it") == "xy"
    assert shown("{{ta|x}}y", language="de") == "y"
    assert shown("x [[//x.org a b]] y") == "x [a b] y"  # an address in two brackets


@pytest.mark.parametrize("wikitext", ["[[Category:a<nowiki>b</nowiki>{{gone}}]]", "[[Category:a{{lc:B}}<ref>c</ref>]]"])
def test_no_mark_is_left_in_a_category(wikitext):
    assert parse_wikitext("1", "T", wikitext).categories == ["ab"]


@pytest.mark.parametrize("name", ["live", "dvd", "mild"])
def test_words_of_the_letters_of_roman_numerals_are_no_numerals(name):
    assert parse_wikitext("1", "T", f"a {{{{{name}}}}} b", language="en").text == "T\n\na b"
