"""Quotes that mean bold and italics are told from apostrophes as MediaWiki's Parser::doQuotes tells them."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsing import parse_wikitext
from random_cases import count_cases

from pyterrier_focused.wikitext.blocks import read_line


def do_quotes(line):
    """The steps of MediaWiki's function, one by one, up to where it would write its tags."""
    parts = re.split("(''+)", line)
    bold = italics = 0
    for i in range(1, len(parts), 2):
        length = len(parts[i])
        if length == 4:
            parts[i - 1] += "'"
            parts[i] = "'''"
        elif length > 5:
            parts[i - 1] += "'" * (length - 5)
            parts[i] = "'''''"
        bold += len(parts[i]) in (3, 5)
        italics += len(parts[i]) in (2, 5)
    if bold % 2 == 1 and italics % 2 == 1:
        space = single = several = -1
        for i in range(1, len(parts), 2):
            if len(parts[i]) == 3:
                last = parts[i - 1][-1:]
                before = parts[i - 1][max(len(parts[i - 1]) - 2, 0) :][:1]
                if last == " ":
                    space = i if space == -1 else space
                elif before == " ":
                    single = i
                    break
                elif several == -1:
                    several = i
        for i in (single, several, space):
            if i > -1:
                parts[i - 1] += "'"
                break
    return "".join(parts[::2])


@settings(max_examples=count_cases(2000))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", " ", "  ", "a", "bc", "d ", " e", "f  "]),
            st.integers(0, 6).map("'".__mul__),
        ),
        max_size=7,
    )
)
def test_as_mediawiki_does(pieces):
    line = "".join(words + quotes for words, quotes in pieces)
    assert read_line(line) == do_quotes(line)


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    {
        "L'''Orfeo'' and '''b'''": "L'Orfeo and b",
        "''''four''''": "'four'",  # the second ones too: an apostrophe before the bold's end
        "''''''six''''''": "'six'",
        "'''b  '''c '''d''": "'b c d",  # of the bolds behind a space the first, however many spaces there are
    }.items(),
)
def test_quotes_by_hand(wikitext, shown):
    assert parse_wikitext("1", "T", f"x {wikitext}").text.split() == ["T", "x", *shown.split()]
