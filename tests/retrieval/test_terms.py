import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.retrieval.engines.terms import fold, folder, plain_words


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


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("московские театры", "Московский театр"),
        ("في المدرسة الكبيرة", "مدرسة"),
        ("東京都の喫茶店", "喫茶"),
        ("東京都の喫茶店", "茶"),
        ("上海是中国的城市", "城市"),
        ("ประเทศไทย", "ไทย"),
    ],
)
def test_words_of_a_query_are_among_those_of_the_text(text, query):
    assert set(fold(query).split()) <= set(fold(text).split())


def test_runs_without_spaces_are_their_characters_and_pairs():
    codes = fold("東京都").split()
    assert codes == [fold(part).split()[at] for part, at in (("東", 0), ("東京", 1), ("京", 0), ("京都", 1), ("都", 0))]
    assert len(set(codes)) == 5


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("german", "Häuser", "Haus"), ("french", "chevaux noirs", "cheval noir")],
)
def test_other_languages_are_stemmed(language, one, other):
    assert folder(language)(one) == folder(language)(other)
    assert folder(language)(one) != fold(one)


def test_stop_words_of_a_language_go():
    assert folder("german")("die und der Lampe") == folder("german")("Lampe")


@given(st.text(max_size=40))
def test_every_language_is_written_in_ascii(text):
    for language in ("german", "arabic"):
        assert folder(language)(text).isascii()


def test_a_language_without_a_stemmer():
    with pytest.raises(ValueError, match="language='klingon'; choose one of arabic, armenian"):
        folder("klingon")
