"""Ids read as bytes, against the package's reader of single ids, which other tests hold to its definition."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.errors import SpanError
from pyterrier_focused.frames import parse_ids
from pyterrier_focused.retrieval import passage_ids
from pyterrier_focused.retrieval.passage_ids import _bytes, _read_bytes, read_ids

LENGTHS = ["x" * n for n in (0, 1, 7, 8, 9, 16, 17, 255, 256, 257)]
DOCNOS = st.one_of(
    st.sampled_from(["1", "12", "123456789", "a#1-2", "a\0", "a", "#", "-", "é", "东", "a\nb", *LENGTHS]),
    st.text(st.characters(exclude_categories=["Cs", "Zs", "Cc"]), max_size=20),
)
OFFSETS = st.one_of(st.integers(0, 9), st.integers(0, 10**8 - 1), st.integers(10**8, 10**17))
SPANS = st.tuples(OFFSETS, OFFSETS).map(lambda s: f"#{min(s)}-{max(s) + 1}")
ODD = st.sampled_from(["", "#", "#1", "#1-", "#-2", "#١-٢", "#1-2\n", "#01-007", "#+1-2", "#1_0-20", "#1-2#3-4"])
IDS = st.lists(st.tuples(DOCNOS, st.one_of(SPANS, SPANS, SPANS, ODD)).map("".join), max_size=12)


def plain(ids):
    return pd.Series(ids, dtype=object)


def arrow(ids):
    pytest.importorskip("pyarrow")
    return pd.Series(ids, dtype="string[pyarrow]")


def behind_another(ids):
    return arrow(["another#1-2", *ids]).iloc[1:]


def in_two_chunks(ids):
    return pd.concat([arrow(ids[: len(ids) // 2]), arrow(ids[len(ids) // 2 :])])


def of_python(ids):
    return pd.Series(ids, dtype="string[python]")


@pytest.mark.parametrize("column", [plain, arrow, behind_another, in_two_chunks, of_python])
@given(ids=IDS)
def test_as_single_ids(column, ids):
    article, start, end = parse_ids(ids)
    code, names, first, last = read_ids(column(ids))
    assert names[code].tolist() == article.tolist()
    assert first.tolist() == start.tolist()
    assert last.tolist() == end.tolist()
    assert code.tolist() == [[*dict.fromkeys(article)].index(docno) for docno in article]
    assert len(set(names.tolist())) == len(names)


@given(ids=IDS)
def test_docnos_that_mix_to_one_number(ids):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passage_ids, "_MIX", 0)
        code, names, _, _ = read_ids(plain(ids))
    assert names[code].tolist() == parse_ids(ids)[0].tolist()


@pytest.mark.parametrize("column", [plain, arrow, of_python])
@pytest.mark.parametrize("wrong", [None, float("nan")])
def test_a_missing_id(column, wrong):
    with pytest.raises(TypeError):
        read_ids(column(["1#0-5", wrong]))


def test_a_number_is_no_id():
    with pytest.raises(TypeError):
        read_ids(plain(["1#0-5", 7]))


@pytest.mark.parametrize("column", [plain, arrow])
def test_the_common_form_is_read_as_bytes(column):
    """Otherwise the tests above would compare a function with itself."""
    assert _read_bytes(_bytes(column(["12#0-5", "12#5-99999999", "é#3-4", "a-b#c#7-10"]))) is not None
    assert _read_bytes(_bytes(column(["12#0-5", "12"]))) is None


@pytest.mark.parametrize("wrong", ["a#5-5", "a#7-3"])
def test_a_span_that_holds_nothing_is_an_error(wrong):
    with pytest.raises(SpanError, match=wrong):
        read_ids(plain(["a#0-5", wrong]))


def test_text_that_is_no_unicode():
    code, names, start, end = read_ids(plain(["\ud800#0-5", "\ud800#5-9"]))
    assert [names[code].tolist(), start.tolist(), end.tolist()] == [["\ud800"] * 2, [0, 5], [5, 9]]
