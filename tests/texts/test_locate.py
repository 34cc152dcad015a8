"""Quotes located in a text, and pieces of a text placed in order, against the places they were cut from."""

import random
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.texts.locate import Document, fold_quote


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


def windows(text, size, stride):
    spans = []
    for start in range(0, len(text), stride):
        spans.append((start, min(start + size, len(text))))
        if spans[-1][1] == len(text):
            break
    return spans


TEXTS = st.one_of(
    st.text("ab", min_size=1, max_size=60),
    st.text("ab \n", min_size=1, max_size=60),
    st.lists(st.sampled_from(["the cat ", "sat. ", "on ", "\n\n"]), min_size=1, max_size=30).map("".join),
    st.integers(1, 40).map(lambda n: "The same sentence. " * n),
    st.lists(st.sampled_from(["😀", "é", "🇪🇺 ", "x "]), min_size=1, max_size=40).map("".join),
)


@given(TEXTS, st.integers(2, 30), st.data())
def test_windows_are_placed_where_they_were_cut(text, size, data):
    """Repeated text, overlap, periods: what was cut evenly from the whole text has one even placement."""
    spans = windows(text, size, data.draw(st.integers(1, size)))
    start, end, lost = Document(text).align([text[s:e] for s, e in spans])
    expected = [(s, e) if text[s:e].strip() else (-1, -1) for s, e in spans]
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == expected
    assert lost == []


def stripped(text, start, end):
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


@given(TEXTS, st.integers(2, 30), st.sampled_from([str.strip, lambda piece: " ".join(piece.split())]))
def test_windows_without_overlap_whose_white_space_was_changed(text, size, change):
    spans = windows(text, size, size)
    start, end, lost = Document(text).align([change(text[s:e]) for s, e in spans])
    expected = [stripped(text, s, e) if text[s:e].strip() else (-1, -1) for s, e in spans]
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == expected
    assert lost == []


@pytest.mark.parametrize(("size", "stride"), [(400, 200), (60, 40), (25, 24)])
def test_pieces_of_natural_text_with_overlap_and_other_white_space(size, stride):
    rng = random.Random(4)
    vocabulary = ["".join(rng.choices("abcdefgh", k=rng.randint(1, 7))) for _ in range(300)]
    text = "".join(rng.choice(vocabulary) + rng.choice([" ", " ", " ", "\n", ". ", "\n\n"]) for _ in range(5000))
    spans = windows(text, size, stride)
    pieces = [" ".join(text[s:e].split()) for s, e in spans]
    start, end, lost = Document(text).align(pieces)
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == [stripped(text, s, e) for s, e in spans]
    assert lost == []


def align(text, *pieces, known=None):
    start, end, lost = Document(text).align(list(pieces), known)
    return list(zip(start.tolist(), end.tolist(), strict=True)), [(entry.piece, entry.places) for entry in lost]


def test_sentences_that_are_repeated_come_one_after_the_other():
    text = "Yes. No. Yes. Yes. No."
    assert align(text, "Yes.", "No.", "Yes.", "Yes.", "No.")[0] == [(0, 4), (5, 8), (9, 13), (14, 18), (19, 22)]


def test_a_piece_inside_the_one_before_is_not_taken_where_the_text_goes_on():
    assert align("the cat. ok. ok. end", "the cat. ok.", "ok.", "end")[0] == [(0, 12), (13, 16), (17, 20)]


def test_text_left_out_between_pieces():
    text = "# One\nSame\n# Two\nSame\n# Three\nSame\n"
    assert align(text, "Same", "Same", "Same")[0] == [(6, 10), (17, 21), (30, 34)]


def test_a_piece_is_placed_next_to_its_neighbour():
    assert align("one A. two A. B. three", "A.", "B.")[0] == [(11, 13), (14, 16)]
    assert align("B. A. two A. three", "B.", "A.", "three")[0] == [(0, 2), (3, 5), (13, 18)]


def test_windows_of_sentences_that_share_a_start_or_an_end():
    text = "A. B. C. D."
    pieces = "A. B.", "A. B. C.", "A. B. C. D.", "B. C. D.", "C. D."
    assert align(text, *pieces)[0] == [(0, 5), (0, 8), (0, 11), (3, 11), (6, 11)]


def test_a_piece_out_of_order_is_placed_if_its_place_is_the_only_one():
    assert align("alpha beta gamma", "gamma", "alpha", "beta") == ([(11, 16), (0, 5), (6, 10)], [])
    spans, lost = align("beta gamma beta alpha", "alpha", "beta")
    assert spans == [(16, 21), (-1, -1)]
    assert lost == [(1, [(0, 4), (11, 15)])]


def test_a_piece_that_is_not_there_is_lost():
    assert align("alpha beta", "alpha", "ALPHA", "beta") == ([(0, 5), (-1, -1), (6, 10)], [(1, [])])


def test_known_starts_hold_and_settle_their_neighbours():
    text = "Yes. Yes. Yes. Yes."
    assert align(text, "Yes.", "Yes.", known=[-1, 10])[0] == [(0, 4), (10, 14)]
    assert align(text, "Yes.", "Yes.", known=[15, 5])[0] == [(15, 19), (5, 9)]


def test_exact_text_further_on_does_not_hide_a_piece_with_other_white_space():
    assert align("a\nb. x a b.", "a b.", "x a b.")[0] == [(0, 4), (5, 11)]
    assert align("a\nb. a b.", "a b.", "a b.")[0] == [(0, 4), (5, 9)]


def test_white_space_at_the_ends_of_a_piece_is_part_of_it_where_the_text_has_it():
    assert align("x\n  a b  \ny", "  a\nb  ")[0] == [(2, 9)]
    assert align("x\na\nb\ny", " a b ")[0] == [(2, 5)]


def test_no_pieces_and_no_text():
    assert align("") == ([], [])
    assert align("", "", " ") == ([(-1, -1), (-1, -1)], [])
    assert align("   ", "x") == ([(-1, -1)], [(0, [])])


@given(st.text())
def test_folding_a_text_is_folding_its_characters(text):
    """The fast ways, for ASCII and for the rest, are those of one character at a time."""
    assert fold_quote(text) == "".join(map(fold_quote, text))
    assert Document(text).folded_text == Document(text).tolerant.text
