"""NEXI: what parses into what, what prints, and where errors point."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyterrier_focused.errors import NexiError
from pyterrier_focused.retrieval.elements.nexi import About, And, Comparison, Or, Query, Step, Term, parse


def about(*words, path=()):
    return About(path, tuple(Term(word) for word in words))


def test_tree():
    text = '//article[about(.//(sec|p), +must -not word -"a  b") AND (.//yr >= 1999 or about(., x))]//*'
    assert parse(text) == Query(
        (
            Step(
                ("article",),
                And(
                    (
                        About(
                            (Step(("sec", "p")),),
                            (Term("must", "+"), Term("not", "-"), Term("word"), Term("a b", "-", True)),
                        ),
                        Or((Comparison((Step(("yr",)),), ">=", 1999.0), about("x"))),
                    )
                ),
            ),
            Step(("*",)),
        )
    )


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("//a", [Step(("a",))]),
        (" // a // ( b | c ) ", [Step(("a",)), Step(("b", "c"))]),
        ("//a//b[about(.,x)]", [Step(("a",)), Step(("b",), about("x"))]),
        ("//a[ABOUT(.,x)]", [Step(("a",), about("x"))]),
        ("//a[about(., and or about)]", [Step(("a",), about("and", "or", "about"))]),
        ("//and[about(.//or,x)]", [Step(("and",), about("x", path=(Step(("or",)),)))]),
        ("//a[about(.//b//c,x)]", [Step(("a",), about("x", path=(Step(("b",)), Step(("c",)))))]),
        ("//a[about(.,x, y)]", [Step(("a",), about("x", "y"))]),
        ("//a[about(.,Kali's C++ D-Day 3D R&D)]", [Step(("a",), about("Kali's", "C++", "D-Day", "3D", "R&D"))]),
        ("//a[((about(.,x)))]", [Step(("a",), about("x"))]),
        ("//a[.//@n<-2.5]", [Step(("a",), Comparison((Step(("@n",)),), "<", -2.5))]),
        ("//a[. != 3]", [Step(("a",), Comparison((), "!=", 3.0))]),
        ("//a[about(.,x)or(about(.,y))]", [Step(("a",), Or((about("x"), about("y"))))]),
        ("//wordnet_person_1[about(.,x)]", [Step(("wordnet_person_1",), about("x"))]),
    ],
)
def test_language(text, steps):
    assert parse(text) == Query(tuple(steps))


def test_and_binds_closer_than_or():
    x, y, z = about("x"), about("y"), about("z")
    assert parse("//a[about(.,x) or about(.,y) and about(.,z)]").steps[0].condition == Or((x, And((y, z))))
    assert parse("//a[(about(.,x) or about(.,y)) and about(.,z)]").steps[0].condition == And((Or((x, y)), z))
    assert parse("//a[about(.,x) and about(.,y) and about(.,z)]").steps[0].condition == And((x, y, z))
    assert parse("//a[about(.,x) and (about(.,y) and about(.,z))]").steps[0].condition == And((x, And((y, z))))


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "expected '//', found the end"),
        ("nobel prize", 1, "expected '//', found 'nobel prize'"),
        ("/article", 1, "expected '//'"),
        ("//", 3, "expected '\\(' or '\\*' or an element name, found the end"),
        ("//a[", 5, "found the end"),
        ("//a[]", 5, "expected '\\(' or '.' or 'about', found ']'"),
        ("//a[about(., x)", 16, "expected ']' or 'and' or 'or', found the end"),
        ("//a[about(., x) ]]", 18, "found ']'"),
        ("//a[about(. x)]", 13, "expected ',' or '//', found 'x\\)\\]'"),
        ("//a[about(.,)]", 13, 'expected a "phrase" or a word'),
        ('//a[about(.,"")]', 13, 'expected a "phrase" or a word'),
        ('//a[about(.,"x)]', 13, 'expected a "phrase" or a word'),
        ("//a[about(.,x - y)]", 15, "found '- y\\)\\]'"),
        ("//a[about(sec,x)]", 11, "found 'sec,x\\)\\]'"),
        ("//a[about(.,x) xor about(.,y)]", 16, "expected ']' or 'and' or 'or', found 'xor about\\(.,'"),
        ("//a[about(.,x) and]", 19, "found ']'"),
        ("//a[about(.,x)][about(.,y)]", 16, "found '\\[about\\(.,y\\)\\]'"),
        ("//a[.//yr > old]", 13, "expected a number"),
        ("//a[.//yr]", 10, "expected '//' or a comparison"),
        ("//(a|)[about(.,x)]", 6, "expected '\\*' or an element name"),
        ("//(a b)", 6, "expected '\\)' or '|', found 'b\\)'"),
        ("//a[" + "(" * 101 + "about(.,x)" + ")" * 101 + "]", 105, "parentheses more than 100 deep"),
    ],
)
def test_errors_point_at_the_column(text, column, problem):
    with pytest.raises(NexiError, match=problem) as error:
        parse(text)
    assert error.value.column == column
    assert error.value.query == text
    lines = str(error.value).split("\n")
    assert lines[0].startswith(f"NEXI, column {column}: ")
    assert lines[-1].index("^") == column + 1  # the query is indented by two


def test_real_castitles(shared_data):
    topics = ElementTree.parse(shared_data / "inex-2009-topics.xml").getroot()
    castitles = [topic.find("castitle").text for topic in topics]
    assert len(castitles) == 115
    trees = [parse(castitle) for castitle in castitles]
    printed = [str(tree) for tree in trees]
    assert [parse(text) for text in printed] == trees
    # nothing is lost but blanks and brackets that `and` does not need
    bare = [[re.sub(r"[\s()]", "", text).lower() for text in texts] for texts in (printed, castitles)]
    assert bare[0] == bare[1]


NAME = st.one_of(st.from_regex(r"@?[A-Za-z_é][\w.:-]{0,5}", fullmatch=True), st.sampled_from(["about", "and", "or"]))
NAMES = st.one_of(st.just(("*",)), st.lists(st.one_of(NAME, st.just("*")), min_size=1, max_size=3).map(tuple))
STEP = NAMES.map(Step)
WORD = st.one_of(st.from_regex(r"[^\s\"()\[\],+-][^\s\"()\[\],]{0,6}", fullmatch=True), st.sampled_from(["and", "OR"]))
SIGN = st.sampled_from(["", "+", "-"])
TERM = st.one_of(
    st.builds(Term, WORD, SIGN),
    st.builds(
        Term, st.lists(st.from_regex(r"[^\s\"]{1,5}", fullmatch=True), min_size=1).map(" ".join), SIGN, st.just(True)
    ),
)
PATH = st.lists(STEP, max_size=2).map(tuple)
NUMBER = st.decimals(-(10**9), 10**9, places=4).map(float)
CLAUSE = st.one_of(
    st.builds(About, PATH, st.lists(TERM, min_size=1, max_size=4).map(tuple)),
    st.builds(Comparison, PATH, st.sampled_from(["=", "!=", "<", ">", "<=", ">="]), NUMBER),
)
CONDITION = st.recursive(
    CLAUSE,
    lambda part: st.one_of(
        st.builds(And, st.lists(part, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(part, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)
QUERY = st.builds(
    Query, st.lists(st.builds(Step, NAMES, st.one_of(st.none(), CONDITION)), min_size=1, max_size=3).map(tuple)
)


@given(QUERY)
def test_every_tree_prints_as_nexi_that_parses_back(tree):
    assert parse(str(tree)) == tree


@given(st.text('/()[]|*.,"+-<>= aboutand or12@é\n', max_size=40))
@example("//a[about(.,x)\x00]")
def test_anything_else_is_an_error_with_a_column(text):
    try:
        tree, column = parse(text), 1
    except NexiError as error:
        tree, column = None, error.column
    assert 1 <= column <= len(text) + 1
    assert tree is None or parse(str(tree)) == tree


def test_a_query_of_a_megabyte_is_refused_at_once():
    with pytest.raises(NexiError, match="a query of more than 20,000 characters"):
        parse("//sec[about(., " + "word " * 200_000 + ")]")
