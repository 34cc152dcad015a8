"""The parser of NEXI beside the same grammar in Lark: what they take, and at which column they refuse the rest."""

from functools import reduce

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyterrier_focused.errors import NexiError
from pyterrier_focused.retrieval.elements.nexi import parse

lark = pytest.importorskip("lark")

PARSER = lark.Lark(
    r"""
    query: step+
    step: "//" names ("[" any "]")?
    names: name | "(" name ("|" name)* ")"
    name: NAME | "*"
    any: all (_OR all)*
    all: clause (_AND clause)*
    clause: about | comparison | "(" any ")"
    about: "about"i "(" path "," (term ","?)+ ")"
    comparison: path OPERATOR NUMBER
    path: "." ("//" names)*
    term: PHRASE | WORD

    NAME: /@?[^\W\d][\w.:-]*/
    OPERATOR: "<=" | ">=" | "!=" | "=" | "<" | ">"
    NUMBER: /[+-]?[0-9]{1,15}(\.[0-9]{1,15})?/
    PHRASE: /[+-]?"[^"]*[^"\s][^"]*"/
    WORD: /[+-]?[^\s"()\[\],+-][^\s"()\[\],]*/
    _AND: /and\b/i
    _OR: /or\b/i
    %ignore /\s+/
    """,
    start="query",
    parser="lalr",
)


def find_error_of_lark(text):
    try:
        PARSER.parse(text)
    except lark.UnexpectedEOF:
        return len(text.rstrip()) + 1
    except lark.UnexpectedToken as error:
        return (len(text.rstrip()) if error.token.type == "$END" else error.token.start_pos) + 1
    except lark.UnexpectedCharacters as error:
        return error.pos_in_stream + 1


def find_error(text):
    try:
        parse(text)
    except NexiError as error:
        return error.column


CASTITLES = st.sampled_from(
    [
        '//article[about(.//(sec|p), +must -not word -"a  b") AND (.//yr >= 1999 or about(., x))]//*',
        "//sec[about(.//ss1//p, D-Day, C++) or about(., y) and .//@n < -2.5]",
        " // a // ( b | * ) ",
    ]
)
PIECES = st.sampled_from(
    ["", " ", "//", "(", ")", "[", "]", "|", "*", ".", ",", '"', "+", "and", "or", "about", "<=", "12", "é"]
)


def slip(text, at):
    """Put a piece in the place of some characters of a text."""
    offset, count, piece = at
    return text[:offset] + piece + text[offset + count :]


SLIPS = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 5), PIECES), max_size=3)


@given(st.builds(lambda text, slips: reduce(slip, slips, text), CASTITLES, SLIPS))
def test_castitles_with_slips_of_the_pen_are_refused_at_the_same_column(text):
    assert find_error(text) == find_error_of_lark(text)


@given(st.lists(PIECES, max_size=12).map("".join))
@example("//a[about(.,x)\x00]")
def test_any_text_is_taken_or_refused_alike(text):
    assert find_error(text) == find_error_of_lark(text)
