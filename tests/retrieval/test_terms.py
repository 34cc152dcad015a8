import itertools
import pickle
import string

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.retrieval import PartIndex, Snippets
from pyterrier_focused.retrieval.elements.article_words import ArticleWords, read_words
from pyterrier_focused.retrieval.engines.terms import Words, fold, folder, plain_words


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
    assert len(set(folded)) == len({fold(word) for word in words})
    assert [word for word in folded if not word.isalpha()] == []
    assert [word for word in folded if any(a == b for a, b in itertools.pairwise(word))] == []


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
    ("language", "one", "other"), [("german", "Häuser", "Haus"), ("french", "chevaux noirs", "cheval noir")]
)
def test_other_languages_are_stemmed(language, one, other):
    assert folder(language)(one) == folder(language)(other)
    assert folder(language)(one) != fold(one)


def test_stop_words_of_a_language_go():
    assert folder("german")("die und der Lampe") == folder("german")("Lampe")


@pytest.mark.parametrize("language", ["german", "arabic"])
@given(text=st.text(max_size=40))
def test_every_language_is_written_in_ascii(language, text):
    assert folder(language)(text).isascii()


def test_a_language_without_a_stemmer():
    with pytest.raises(ValueError, match="language='klingon'; choose one of arabic, armenian"):
        folder("klingon")


TRICKY = st.text(
    st.one_of(
        st.sampled_from("ab9.' LS-"),
        st.characters(codec="utf-8"),
        st.sampled_from("éÉßİıΣσς東京都ไทยहि\u0301\u0306\u3000\u00a0’й한"),
    ),
    max_size=25,
)


@pytest.mark.parametrize("language", ["english", "german"])
@given(text=TRICKY)
def test_words_with_places_are_those_that_are_indexed(language, text):
    words = Words(language)
    places = words.places(text)
    terms = words.terms(text)
    numbers = places.term[~places.stop].tolist()
    assert len(numbers) == len(terms)
    # the same number stands for the same term
    assert len(set(zip(numbers, terms, strict=True))) == len(set(numbers)) == len(set(terms))
    assert all(0 <= start < end <= len(text) for start, end in zip(places.start, places.end, strict=True))


PROBES = {
    "straße": ["straße"],
    "naïve": ["naïve"],
    "co-operate": ["co", "operate"],
    "3.5": ["3", "5"],
    "don't": ["don't"],
    "İstanbul": ["İstanbul"],
    "東京都": ["東", "東京", "京", "京都", "都"],
    "Москвы": ["Москвы"],
    "l'été": ["l'été"],
}


@pytest.mark.parametrize(("probe", "expected"), PROBES.items(), ids=PROBES)
def test_where_words_stand(probe, expected):
    text = f"({probe}), x"
    places = Words("english").places(text)
    assert [text[start:end] for start, end in zip(places.start, places.end, strict=True)] == [*expected, "x"]


@pytest.mark.parametrize("language", ["english", "german", "french"])
@pytest.mark.parametrize("probe", PROBES)
def test_one_definition_of_a_word(tmp_path, probe, language):
    """The engine, NEXI, snippets and the mixture model find a word's variants alike, or hold it for a stop word."""
    text = f"lamp {probe.upper()} oil"
    words = Words(language)
    terms = words.terms(probe)
    index = PartIndex.from_parts(
        [{"docno": f"1#0-{len(text)}", "text": text}], tmp_path / "i", "bm25s", language=language
    )
    assert bool(len(index.bm25().search(probe))) == bool(terms)
    counted = sum(index.feedback().vectors([f"1#0-{len(text)}"])[f"1#0-{len(text)}"].values())

    seams = np.zeros(0, dtype=np.int64)
    assert (~read_words(text, seams, words).stop).sum() == counted
    start, end = ArticleWords(text, seams, words).find(words.places(probe).term)
    assert [text[a:b] for a, b in zip(start, end, strict=True)] == [probe.upper()]

    rows = pd.DataFrame({"qid": ["1"], "query": [f"{probe} lamp"], "docno": ["1"], "text": [text]})
    snippet = Snippets(language=language)(rows)["snippet"].iloc[0]
    assert snippet.startswith("**lamp** **") == bool(terms)


def find_plainly(text, seams, words, phrase):
    """The spans of words that have the terms of a phrase, one after another, of which no seam is inside."""
    places = read_words(text, seams, words)
    spans = list(zip(places.start.tolist(), places.end.tolist(), places.term.tolist(), strict=True))
    wanted = words.places(phrase).term.tolist()
    runs = [spans[at : at + len(wanted)] for at in range(len(spans))] if wanted else []
    return [
        (run[0][0], run[-1][1])
        for run in runs
        if [term for _, _, term in run] == wanted and not any(run[0][0] < seam <= run[-1][0] for seam in seams.tolist())
    ]


@pytest.mark.parametrize("language", ["english", "german"])
@given(text=TRICKY, seams=st.lists(st.integers(0, 25)), bounds=st.tuples(st.integers(0, 25), st.integers(0, 25)))
def test_phrases_are_found_as_by_reading_every_word(language, text, seams, bounds):
    words = Words(language)
    seams = np.array(sorted(seams), dtype=np.int64)
    article, phrases = ArticleWords(text, seams, words), (text[slice(*sorted(bounds))], "A.B. lamps 9a", "é’s")
    found = [article.find(words.places(phrase).term) for phrase in phrases]
    spans = [list(zip(*(column.tolist() for column in columns), strict=True)) for columns in found]
    assert spans == [find_plainly(text, seams, words, phrase) for phrase in phrases]


@pytest.mark.parametrize("language", ["english", "german"])
def test_words_travel_to_other_processes(language):
    words = Words(language)
    assert pickle.loads(pickle.dumps(words)).terms("Straßenlampen lamps") == words.terms("Straßenlampen lamps")
