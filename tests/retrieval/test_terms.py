import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.retrieval.terms import fold, plain_words


@pytest.mark.parametrize(
    ("text", "folded"),
    [("café", "cafe"), ("Zürich", "zurich"), ("Ærø", "aero"), ("Straße", "strasse"), ("naïve", "naive"), ("ﬁx", "fix")],
)
def test_accents_go(text, folded):
    assert fold(text).lower() == folded


@given(st.text(max_size=40))
def test_only_ascii_is_left_and_no_nul(text):
    assert fold(text).isascii()
    assert "\0" not in fold(text)


@given(st.text(string.printable, max_size=40))
def test_ascii_is_left_alone(text):
    assert fold(text) == text


@pytest.mark.parametrize(("one", "other"), [("Ελληνικά", "ελληνικα"), ("Москва", "МОСКВА"), ("Москва́", "москва")])
def test_words_that_are_the_same_fold_the_same(one, other):
    assert fold(one).split() == fold(other).split()


@given(st.lists(st.text("αβγδежз", min_size=1, max_size=6), min_size=1, max_size=5))
def test_words_of_other_scripts_are_words_still(words):
    """One word each, of letters alone (an engine drops others), none of them twice in a row; different words differ."""
    folded = fold(" ".join(words)).split()
    assert len(folded) == len(words)
    assert len(set(folded)) == len(set(map(str, (fold(word) for word in words))))
    for word in folded:
        assert word.isalpha()
        assert all(a != b for a, b in itertools.pairwise(word))


@given(st.text(max_size=40))
def test_plain_words_hold_no_operator(text):
    assert set(plain_words(text)) <= set(string.ascii_letters + string.digits + " ")
