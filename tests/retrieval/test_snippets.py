import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.retrieval import Focused, RemoveOverlap, Snippets

TEXT = (
    "Whales are mammals. The oil of a whale burned in lamps for two hundred years & more. "
    "Nobody counted them. A lamp's wick was trimmed <daily>. Électricité came later."
)


def snippet(query, text=TEXT, **settings):
    rows = pd.DataFrame({"qid": ["1"], "query": [query], "docno": ["a#0-9"], "text": [text]})
    return Snippets(**settings)(rows)["snippet"].iloc[0]


def test_sentences_with_the_query_words_are_shown():
    assert snippet("lamps", chars=120) == (
        "… The oil of a whale burned in **lamps** for two hundred years & more. … "
        "A **lamp's** wick was trimmed <daily>. …"
    )


def test_the_sentence_with_most_words_comes_first_if_one_has_room():
    assert snippet("whale oil wick", chars=80) == (
        "… The **oil** of a **whale** burned in lamps for two hundred years & more. …"
    )


def test_html_is_escaped_and_marked():
    found = snippet("daily years", html=True)
    assert "<mark>years</mark> &amp; more" in found
    assert "&lt;<mark>daily</mark>&gt;" in found
    assert not re.search(r"<(?!/?mark>)", found)


def test_case_accents_and_plurals_do_not_matter():
    assert "**Électricité**" in snippet("electricite")
    assert "**Whales**" in snippet("WHALE")


def test_words_of_the_grammar_are_not_marked():
    assert "**The**" not in snippet("the oil of whales")
    assert "**The** oil **of** a" in snippet("the of")


def test_the_beginning_is_shown_if_nothing_matches():
    assert snippet("zebra", chars=30) == "Whales are mammals. …"
    assert snippet("zebra", text="") == ""
    assert snippet("zebra", text=None) == ""


@given(
    st.text(st.sampled_from("abc é. !\n\"<&'東"), max_size=200),
    st.text(st.sampled_from("abc é"), max_size=10),
    st.integers(20, 90),
)
def test_a_snippet_is_short_and_of_the_text(text, query, chars):
    """Without its marks, each piece stands in the text (white space evened out), and all are within the limit."""
    found = snippet(query, text=text, chars=chars).replace("**", "")
    assert len(found) <= chars
    even = " ".join(text.split())
    pieces = [" ".join(piece.split()) for piece in found.split("…")]
    assert [piece for piece in pieces if piece not in even] == []
    assert bool(found.strip(" …")) == bool(text.strip())


@pytest.mark.parametrize(
    "make",
    [lambda rows: rows, RemoveOverlap() >> Focused(), lambda rows: rows.assign(docno="1")],
    ids=["parts", "runs", "articles"],
)
def test_texts_of_parts_runs_and_articles(collection, make):
    start = collection.text(["1"])[0].index("The lamp burned")
    rows = pd.DataFrame(
        {"qid": ["1"], "query": ["oil"], "docno": [f"1#{start}-{start + 39}"], "score": [1.0], "number": [0]}
    )
    assert "**oil**" in Snippets(collection)(make(rows))["snippet"].iloc[0]


def test_rows_and_columns_stay():
    rows = pd.DataFrame({"qid": ["1"], "query": ["x"], "docno": ["a"], "text": ["x y"], "z": [3]}, index=[7])
    found = Snippets()(rows)
    pd.testing.assert_frame_equal(found.drop(columns="snippet"), rows)


def test_settings_of_snippets_are_checked():
    with pytest.raises(ValueError, match="chars=5"):
        Snippets(chars=5)
    with pytest.raises(KeyError, match="text"):
        Snippets()(pd.DataFrame({"qid": ["1"], "query": ["x"], "docno": ["a"]}))
