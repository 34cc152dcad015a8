"""Quotes located in a text, and pieces of a text placed in order, against the places they were cut from."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.rag.locate import Document, fold_quote


@pytest.mark.parametrize(
    ("text", "quote", "places"),
    [
        ("one two three", "two", [(4, 7)]),
        ("aaa", "aa", [(0, 2), (1, 3)]),  # overlapping places are two
        ("a b a b", "a b", [(0, 3), (4, 7)]),
        ("one two", "four", []),
        ("one two", "", []),
        ("one two", "  ", []),
        ("one\n\n  two", "one two", [(0, 10)]),  # white space
        ("one two", "onetwo", [(0, 7)]),
        ("onetwo", "one two", [(0, 6)]),
        ("He said “no”.", 'said "no"', [(3, 12)]),  # quotation marks
        ("it’s", "It's", [(0, 4)]),
        ("The END", "the end", [(0, 7)]),  # case
        ("Straße und", "STRASSE", [(0, 6)]),  # one character folds to two
        ("İstanbul", "i̇stanbul", [(0, 8)]),
        ("x 😀 Y z", "😀 y", [(2, 5)]),  # characters beyond the 16-bit plane count one
        ("Two. two.", "two.", [(5, 9)]),  # an exact place wins over others
        ("TWO. Two.", "two.", [(0, 4), (5, 9)]),
        ("no where, nowhere", "No where", [(0, 8)]),  # white space between the same words wins over none at all
        ("ß", "s", []),  # half of a folded character is not a match
    ],
)
def test_a_quote_has_these_places(text, quote, places):
    assert Document(text).places(quote) == places


SPACES = st.sampled_from([" ", "\n", "\t ", "\u00a0", "  "])


def fold(text):
    """A text as it counts for a quote: in small letters, with plain quotation marks, without white space."""
    return "".join(text.split()).casefold().translate(str.maketrans("‘’", "''"))


def places_of_words(tokens, gaps, wanted):
    """Brute force: every run of words of the text whose folded letters are those that are wanted."""
    ends = list(accumulate(len(token + gap) for token, gap in zip(tokens, gaps, strict=True)))
    starts = [0, *ends[:-1]]
    folded = [fold(token) for token in tokens]
    runs = ((first, first + len(wanted) - 1) for first in range(len(tokens) - len(wanted) + 1))
    return {
        (starts[first], starts[last] + len(tokens[last])) for first, last in runs if folded[first : last + 1] == wanted
    }


@st.composite
def words_and_a_quote(draw):
    """Words, the white space after each, and some of the words in capitals with other white space."""
    tokens = draw(st.lists(st.sampled_from(["a", "b", "ab", "É", "ß", "‘c’", "😀"]), min_size=1, max_size=12))
    gaps = [draw(SPACES) for _ in tokens]
    first = draw(st.integers(0, len(tokens) - 1))
    last = draw(st.integers(first, len(tokens) - 1))
    return tokens, gaps, draw(SPACES).join(tokens[first : last + 1]).upper()


@given(words_and_a_quote())
def test_a_quote_is_found_wherever_its_words_stand(drawn):
    tokens, gaps, quote = drawn
    text = "".join(token + gap for token, gap in zip(tokens, gaps, strict=True))
    found = Document(text).places(quote)
    if quote in text:
        assert found == [(i, i + len(quote)) for i in range(len(text)) if text.startswith(quote, i)]
    else:
        by_words = places_of_words(tokens, gaps, [fold(token) for token in quote.split()])
        assert by_words
        assert by_words <= set(found)
        assert {fold(text[start:end]) for start, end in found} == {fold(quote)}


@given(st.text())
def test_folding_a_text_is_folding_its_characters(text):
    """The fast ways, for ASCII and for the rest, are those of one character at a time."""
    assert fold_quote(text) == "".join(map(fold_quote, text))
    assert Document(text).folded_text == Document(text).tolerant.text
