"""What a wiki's own Template: pages show: each case is what MediaWiki's help pages say of the syntax."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_cases import count_cases

from pyterrier_focused.wikitext import RejectedArticle, WikitextReader
from pyterrier_focused.wikitext.templates.template_page import select_included

PAGES = {
    "Big": "'''{{{1|x}}}'''<noinclude>documentation</noinclude>",
    "Greet": "Hello {{{name|{{{1|nobody}}}}}}{{#if:{{{2|}}}|, and {{big|{{{2}}}}}}}",
    "Lua": "{{#invoke:x|y}}",
    "Uses Lua": "a {{Lua}}",
    "May use Lua": "{{#if:{{{1|}}}|plain|{{#invoke:x|y}}}}",
    "Loop": "b{{Loop}}",
    "Born": "[[Category:People]]born {{{1}}}",
    "Case": "{{#switch:{{{1}}}|a|b=AB|c=C|#default=D}}",
    "Last case": "{{#switch:{{{1}}}|a=A|other}}",
    "Same": "{{#ifeq:{{{1}}}|{{{2}}}|same|other}}",
    "Sum": "{{#expr:{{{1}}}+{{{2}}}}}",
    "Age": "{{#expr:{{CURRENTYEAR}}-{{{1}}}}}",
    "Box": "{| class=x\n| in a box\n|}",
    "Items": "* {{{1}}}\n* two",
    "Page": "{{PAGENAME}}!",
    "Poem": "{{#tag:nowiki|''{{{1}}}''}}",
    "Not given": "{{{absent}}}",
    "Only": "out <onlyinclude>in {{{1}}}</onlyinclude> out",
    "Inner": "<includeonly>shown</includeonly><noinclude>hidden</noinclude>",
    "Commented": "a<!-- {{Lua}} -->b",
    "Lead to": "[[{{{1}}}|{{{2|words}}}]]",
    "Row": "{{!}}",
    "Subst": "{{{{{|safesubst:}}}#if:{{{1|}}}|yes|no}}",
    "Nested": "{{greet|{{big|{{{1}}}}}|{{{2|}}}}}",
    "Literal": "<nowiki>{{big|x}}</nowiki>",
    "Language": "{{lang-de|{{{1}}}}}",
}

SHOWN = {
    "{{big|a}} x": "a x",
    "{{Big}}": "x",
    "{{Template:big|z}} {{Šablons:big|y}}": "z y",
    "{{big|1=a=b}}": "a=b",
    "{{big|a=b}}": "x",
    "{{greet|Bob|Ann}}": "Hello Bob, and Ann",
    "{{greet|name=Eve}}": "Hello Eve",
    "{{greet}}": "Hello nobody",
    "{{big|{{greet|Bob}}}}": "Hello Bob",
    "{{nested|a|b}}": "Hello a, and b",
    "x {{uses Lua}} y": "x y",
    "x {{may use Lua|1}} y": "x plain y",
    "x {{loop}} y": "x y",
    "{{born|1900}}": "born 1900",
    "{{case|a}}{{case|b}}{{case|c}}{{case|d}}": "ABABCD",
    "{{last case|a}} {{last case|b}}": "A other",
    "{{same|1.0|1}} {{same|a|b}}": "same other",
    "{{sum|2|3}}": "5",
    "x {{age|1950}} y": "x y",
    "x {{box}} y": "x in a box y",
    "{{items|one}}": "one two",
    "{{page}}": "Title!",
    "{{poem|a}}": "''a''",
    "{{not given}}": "{{{absent}}}",
    "{{only|1}}": "in 1",
    "{{inner}}": "shown",
    "{{commented}}": "ab",
    "{{lead to|Cat}} {{lead to|Cat|cats}}": "words cats",
    "{{subst|1}} {{subst}}": "yes no",
    "{{literal}}": "{{big|x}}",
    "{{language|Wort}}": "Wort",
    "x {{nowhere|a}} y": "x y",
}


@pytest.fixture(scope="module")
def reader():
    return WikitextReader("en", namespaces={"šablons": 10}, find_template=PAGES.get)


@pytest.mark.parametrize("wikitext", SHOWN)
def test_a_template_shows_what_its_page_makes_of_it(reader, wikitext):
    assert " ".join(reader.read("1", "Title", wikitext).text.split()[1:]) == SHOWN[wikitext]


def test_categories_that_a_template_adds_are_the_page_s(reader):
    assert reader.read("1", "Title", "{{born|1900}}").categories == ["People"]


def test_links_that_a_template_makes_have_their_spans(reader):
    article = reader.read("1", "Title", "see {{lead to|cat|many cats}}")
    assert [(link.target, article.text[link.start : link.end]) for link in article.links] == [("Cat", "many cats")]


def test_the_user_s_own_templates_come_first():
    reader = WikitextReader("en", templates={"big": "[{1}]"}, find_template=PAGES.get)
    assert reader.read("1", "Title", "{{big|a}} {{nested|b}}").text == "Title\n\na Hello b"


def test_the_user_s_own_templates_tell_the_title_of_each_page():
    reader = WikitextReader("en", templates={"me": "[{pagename}]"}, find_template={"Say": "I am {{me}}"}.get)
    texts = [reader.read("1", title, "{{say}}").text for title in ("One", "Two")]
    assert texts == ["One\n\nI am One", "Two\n\nI am Two"]


def test_a_template_that_reaches_lua_is_counted_as_left_out(reader):
    assert reader.read("1", "Title", "a {{uses Lua}} b").left_out == {("Lua", "uses lua"): 1}


@pytest.mark.parametrize(
    "pages",
    [
        {"A": "{{A|{{A}}{{A}}}}"},
        {"A": "{{B}}{{B}}", "B": "{{A}}{{A}}"},
        {chr(65 + n): f"{{{{{chr(66 + n)}}}}}" * 10 for n in range(20)},
        {"A": "{{{1}}}" * 100, "B": "{{A|" * 8 + "x" * 1000 + "}}" * 8},
    ],
)
def test_loops_and_templates_that_grow_end(pages):
    reader = WikitextReader("en", find_template=pages.get)
    assert len(reader.read("1", "T", "x {{A}} {{B}} y").text) < 2**22


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("{{a|", ""), ("[[a|", ""), ("[[", "}}"), ("{{[[", "}}"), ("<onlyinclude>", ""), ("<nowiki>", ""), ("<pre a", "")],
)
def test_a_damaged_page_of_a_template_takes_time_in_proportion_to_its_length(opening, closing):
    """It would take hours if what is left open were looked at again and again."""
    reader = WikitextReader("en", find_template={"Zz": opening * 100_000 + closing * 100_000}.get)
    assert read_words(reader, "x {{zz}} y")[0] == "x"


@pytest.mark.parametrize("shown", ["{{a|" * 200, "{{#if:1|" * 200 + "a" + "}}" * 200, "[[" * 60 + "{{zz two}}"])
def test_a_template_that_is_nested_too_deep_is_left_out_and_its_page_is_not(shown):
    reader = WikitextReader("en", find_template={"Zz": f"{shown}", "Zz two": "[[" * 60}.get)
    article = reader.read("1", "Title", "x {{zz}} y [[Category:Z]]")
    assert (article.text, article.calls, article.unread) == ("Title\n\nx y", 1, 1)
    assert article.categories == ["Z"]


WORDS = st.sampled_from(
    "{{ }} {{{ }}} [[ ]] | = a b big greet case # * {| |} #if: #switch: #default <noinclude> </noinclude> <nowiki> "
    "</nowiki> <onlyinclude> ''' \n 1 2 PAGENAME : ; &amp; <!-- --> ! nested".split(" ")
)


@settings(max_examples=count_cases(200), deadline=None)
@given(st.lists(WORDS, max_size=40).map("".join), st.lists(WORDS, max_size=20).map("".join))
def test_no_wikitext_breaks_a_template_or_leaks_a_mark(page, call):
    reader = WikitextReader("en", find_template={**PAGES, "T": page}.get)
    try:
        article = reader.read("1", "Title", f"x {{{{t|{call}}}}} y {{{{big|{call}}}}}")
    except RejectedArticle:
        return
    assert not {mark for mark in "\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12" if mark in article.text}
    spans = zip(article.start, article.end, strict=True)
    assert [(start, end) for start, end in spans if not 0 <= start <= end <= len(article.text)] == []


@pytest.mark.parametrize(
    ("page", "included"),
    [
        ("a<noinclude>b</noinclude>c", "ac"),
        ("a<noinclude>b", "a"),
        ("a<includeonly>b</includeonly>c", "abc"),
        ("a<onlyinclude>b</onlyinclude>c<onlyinclude>d</onlyinclude>", "bd"),
        ("a<noinclude/>b", "ab"),
        ("a<!-- <noinclude> -->b", "ab"),
    ],
)
def test_what_is_included_of_a_page(page, included):
    assert select_included(page) == included


VALUES = st.sampled_from(("a", "b", "1", "1.0", "", "#default", "{{{1|}}}", "{{big|b}}", " b ", "Case", "if"))
CASES = st.lists(st.tuples(VALUES, st.none() | VALUES), max_size=5).map(
    lambda cases: "|".join(case if words is None else f"{case}={words}" for case, words in cases)
)


@settings(max_examples=count_cases(300), deadline=None)
@given(VALUES, CASES, VALUES)
def test_a_switch_of_plain_cases_shows_what_comparing_one_by_one_does(value, cases, argument):
    """What hides the cases, an argument that is not given and empty, has them expanded and compared one by one."""
    hidden = cases.replace("|", "|{{{hide|}}}")
    pages = {
        **PAGES,
        "Zz one": f"({{{{#switch:{value}|{cases}}}}})",
        "Zz two": f"({{{{#switch:{value}|{{{{{{hide|}}}}}}{hidden}}}}})",
    }
    reader = WikitextReader("en", find_template=pages.get)
    assert read_words(reader, f"{{{{zz one|{argument}}}}}") == read_words(reader, f"{{{{zz two|{argument}}}}}")


@settings(max_examples=count_cases(300), deadline=None)
@example("#switch:Case|", "Case=1|b", "")
@given(
    st.sampled_from(
        ("#if:", "#IFEQ: Case|", "#switch:Case|", "#expr:", "lc:", "subst:#if:", "big", "#tag:i|", ":big|")
    ),
    CASES,
    VALUES,
)
def test_a_function_is_the_same_if_its_name_is_written_by_a_template(function, parts, argument):
    pages = {
        **PAGES,
        "Name": function,
        "Zz one": f"({{{{{function}{parts}}}}})",
        "Zz two": f"({{{{{{{{{{hide|}}}}}}{function}{parts}}}}})",
    }
    reader = WikitextReader("en", find_template=pages.get)
    assert read_words(reader, f"{{{{zz one|{argument}}}}}") == read_words(reader, f"{{{{zz two|{argument}}}}}")


@pytest.mark.parametrize(
    "page", ["{| class=x\n| {{{1}}} {{page}}\n|}", "<div>{{{1}}}</div>", "<divx>{{{1}}}</divx>", "<div"]
)
def test_a_box_is_told_before_its_template_is_expanded(page):
    pages = {"Zz one": page, "Zz two": f"{{{{{{hide|}}}}}}{page}"}
    reader = WikitextReader("en", find_template=pages.get)
    assert read_words(reader, "x {{zz one|a}} y") == read_words(reader, "x {{zz two|a}} y")


@pytest.mark.parametrize(
    ("word", "shown"), {"{{!}}": "|", "{{=}}": "=", "{{PAGENAME}}": "Title", "{{NAMESPACE}}": ""}.items()
)
@pytest.mark.parametrize("tables", [True, False])
def test_magic_words_need_no_tables(word, shown, tables):
    reader = WikitextReader("en", tables=tables, find_template={"Zz": f"{word}"}.get)
    assert read_words(reader, f"x {word} {{{{zz}}}} y") == ["x", *[shown] * 2 * bool(shown), "y"]


@pytest.mark.parametrize(
    ("call", "shown"), [("{{m}}", "small"), ("{{M}}", "capital"), ("{{big|a}}", "a"), ("{{Template:m}}", "small")]
)
def test_templates_that_differ_in_their_first_letter_are_two_in_a_wiki_that_has_both(call, shown):
    reader = WikitextReader("en", find_template={"m": "small", "M": "capital", "Big": "{{{1}}}"}.get)
    assert read_words(reader, call) == [shown]


@pytest.mark.parametrize("name", ["zz Ship", "Zz_Ship"])
def test_the_infobox_of_a_wiki_is_known_by_its_page(name):
    pages = {"Zz Ship": '<infobox><data source="crew"/></infobox>'}
    reader = WikitextReader("en", infobox=True, tables=False, find_template=pages.get)
    assert "infobox" in reader.read("1", "Title", f"x {{{{{name}|crew=12}}}}").tag


def test_what_depends_on_the_page_is_not_kept_for_others(reader):
    assert [reader.read("1", title, "{{page}} {{big|{{page}}}}").text.split() for title in "AB"] == [
        ["A", "A!", "A!"],
        ["B", "B!", "B!"],
    ]


def read_words(reader, wikitext):
    return reader.read("1", "Title", wikitext).text.split()[1:]


LONG = "9" * 300_000
GROUPED = ",".join(["999"] * 100_000)


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        (f"{{{{formatnum:{LONG}}}}}", GROUPED),
        (f"{{{{formatnum:1{LONG}.5}}}}", f"1,{GROUPED}.5"),
        (f"{{{{val|{LONG}|u=m}}}}", f"{GROUPED} m"),
        (f"{{{{convert|{LONG}|km}}}}", f"{GROUPED} km"),
        (f"{{{{convert|{LONG}x|km}}}}", f"{LONG}x"),
        (f"{{{{#ifeq:{LONG}x|{LONG}y|same|other}}}}", "other"),
        (f"{{{{plural:{LONG}|day|days}}}}", "days"),
        (f"{{{{padleft:7|{LONG}}}}}", "7".rjust(500, "0")),
        (f"{{{{padleft:7|{'0' * 9000}3}}}}", "007"),
    ],
    ids=lambda text: text[:14],
)
def test_long_numbers_take_no_time(wikitext, text):
    """In the square of its length each would take ten minutes."""
    assert WikitextReader("en").read("1", "T", wikitext).text == f"T\n\n{text}"


@pytest.mark.parametrize(
    ("number", "form"), [(1_000_000_000_021, "и"), (1_000_000_000_011, "ов"), (5, "ов"), (22, "а")]
)
def test_the_last_digits_of_a_long_number_tell_its_form(number, form):
    assert WikitextReader("ru").read("1", "T", f"{{{{plural:{number}|и|а|ов}}}}").text == f"T\n\n{form}"
