"""Ids read as bytes, against the package's reader of single ids, which other tests hold to its definition."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.errors import SpanError
from pyterrier_focused.frames import parse_ids
from pyterrier_focused.retrieval.passage_ids import _read_bytes, read_ids

LENGTHS = ["x" * n for n in (0, 1, 8, 9, 16, 17, 64, 70)]
DOCNOS = st.one_of(
    st.sampled_from(["1", "12", "123456789", "a#1-2", "#", "-", "é", "东", *LENGTHS]),
    st.text(st.characters(exclude_categories=["Cs", "Zs", "Cc"]), max_size=20),
)
OFFSETS = st.one_of(st.integers(0, 9), st.integers(0, 10**8 - 1), st.integers(10**8, 10**17))
SPANS = st.tuples(OFFSETS, OFFSETS).map(lambda s: f"#{min(s)}-{max(s) + 1}")
ODD = st.sampled_from(["", "#", "#1", "#1-", "#-2", "#١-٢", "#1-2\n", "#01-007", "#+1-2", "#1_0-20", "#1-2#3-4"])
PLAIN = st.sampled_from(["1", "77", "a#1-2", "wiki-en"])


def columns(ids):
    return np.array(ids, dtype=object) if ids else np.empty(0, dtype=object)


@given(st.lists(st.tuples(DOCNOS, st.one_of(SPANS, SPANS, SPANS, ODD)).map("".join), unique=True, max_size=12))
def test_as_single_ids(ids):
    article, start, end = parse_ids(ids)
    code, names, first, last = read_ids(columns(ids))
    assert names[code].tolist() == article.tolist()
    assert first.tolist() == start.tolist()
    assert last.tolist() == end.tolist()
    assert len(set(names.tolist())) == len(names)


@given(
    st.lists(st.tuples(st.sampled_from(["1", "77", "a#1-2", "wiki-en"]), SPANS).map("".join), unique=True, max_size=9)
)
def test_codes_count_up_as_they_appear(ids):
    code, _, _, _ = read_ids(columns(ids))
    assert code.tolist() == pd.factorize(parse_ids(ids)[0])[0].tolist()


@given(st.lists(st.sampled_from(["1#0-5", "2#3-4", "é#7-9", "plain"]), max_size=40))
def test_ids_that_come_again(ids):
    article, start, end = parse_ids(ids)
    code, names, first, last = read_ids(columns(ids))
    assert names[code].tolist() == article.tolist()
    assert [first.tolist(), last.tolist()] == [start.tolist(), end.tolist()]


@pytest.mark.parametrize("wrong", [None, 7, float("nan")])
@pytest.mark.parametrize("times", [1, 20])
def test_what_is_no_text(wrong, times):
    with pytest.raises(TypeError):
        read_ids(columns(["1#0-5"] * times + [wrong]))


def test_the_common_form_is_read_as_bytes():
    """Otherwise the test above would compare a function with itself."""
    assert _read_bytes(columns(["12#0-5", "12#5-99999999", "é#3-4", "a-b#c#7-10"])) is not None
    assert _read_bytes(columns(["12#0-5", "12"])) is None


@pytest.mark.parametrize("wrong", ["a#5-5", "a#7-3"])
def test_a_span_that_holds_nothing_is_an_error(wrong):
    with pytest.raises(SpanError, match=wrong):
        read_ids(columns(["a#0-5", wrong]))
