"""Small wikitext in two dozen languages reads as the rendered page does."""

import pytest
from parsing import parse_wikitext
from wikitext_cases import BY_LANGUAGE, MARKUP

from pyterrier_focused.wikitext.templates.functions import FUNCTIONS
from pyterrier_focused.wikitext.templates.language_files import LANGUAGES, SHARED, table
from pyterrier_focused.wikitext.templates.patterns import compile_pattern

CASES = [
    *(("", wikitext, shown) for wikitext, shown in MARKUP.items()),
    *((language, wikitext, shown) for language, cases in BY_LANGUAGE.items() for wikitext, shown in cases.items()),
]


@pytest.mark.parametrize(("language", "wikitext", "shown"), CASES)
def test_wikitext_reads_as_its_page_does(language, wikitext, shown):
    text = parse_wikitext("1", "T", wikitext, language=language, drop=("figure",)).text
    assert " ".join(text.removeprefix("T").split()) == shown


FILES = [*LANGUAGES, SHARED]
PATTERNS = [(language, pattern) for language in FILES for pattern in table(language)["shows"]]


def names_of_templates(language):
    return [name for names in table(language)["shows"].values() for name in names.split(" | ")]


@pytest.mark.parametrize("language", FILES)
def test_tables_of_templates_name_each_once(language):
    names = names_of_templates(language)
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


@pytest.mark.parametrize("language", FILES)
def test_tables_of_templates_name_them_as_they_are_looked_up(language):
    names = names_of_templates(language)
    assert names == [" ".join(name.lower().split()) for name in names]


def test_tables_of_templates_name_functions_that_there_are():
    named = {(language, pattern[1:].partition(":")[0]) for language, pattern in PATTERNS if pattern.startswith("@")}
    assert {(language, name) for language, name in named if name not in FUNCTIONS} == set()


def test_tables_of_templates_hold_patterns_that_can_be_filled():
    plain = [(language, pattern) for language, pattern in PATTERNS if not pattern.startswith("@")]
    assert [case for case in plain if not isinstance(compile_pattern(case[1])({"1": "x"}), str)] == []


@pytest.mark.parametrize(
    ("pattern", "given", "shown"),
    [
        ("{1}", {"1": " x "}, " x "),
        ("{1}[ ({2})]", {"1": "x"}, "x"),
        ("{1}[ ({2})]", {"1": "x", "2": "y"}, "x (y)"),
        ("{text|1}", {"1": "x"}, "x"),
        ("{text|1}", {"1": "x", "text": "y"}, "y"),
        ("{1=z}", {"1": " "}, "z"),
        ("{-1}", {"1": "x", "2": "y", "a": "z"}, "y"),
        ("{*, }", {"1": "x", "2": "", "10": "y", "9": "w"}, "x, w, y"),
        ("{2*-}", {"1": "x", "2": "y", "3": "z"}, "y-z"),
        ("{1}[ a[ b {2}] {3}]", {"1": "x", "3": "y"}, "x a y"),
        ("\\[\\{\\]", {}, "[{]"),
    ],
)
def test_patterns(pattern, given, shown):
    assert compile_pattern(pattern)(given) == shown


@pytest.mark.parametrize("pattern", ["[{1}", "{1}]", "{1", "1}"])
def test_a_pattern_that_is_none_is_refused(pattern):
    with pytest.raises(ValueError, match="the pattern"):
        compile_pattern(pattern)


def test_templates_of_the_users_own():
    own = {"Template:My one": "{1} ({who})", "two": "{1=x}!", "small": "<{1}>"}
    text = parse_wikitext("1", "T", "{{my_one|a|who=b}} {{Two|c}} {{small|d}}", templates=own).text
    assert text == "T\n\na (b) c! <d>"
