"""Columns of ids, read whole by Arrow's functions, against the reader of single ids and a plain regular expression."""

import re

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.errors import SpanError
from pyterrier_focused.frames import arrow_columns
from pyterrier_focused.frames.ids import read_ids, read_ids_one_by_one

LENGTHS = ["x" * n for n in (0, 1, 7, 8, 9, 16, 17, 255, 256, 257)]
DOCNOS = st.one_of(
    st.sampled_from(["1", "12", "123456789", "a#1-2", "a\0", "a", "#", "-", "é", "东", "a\nb", *LENGTHS]),
    st.text(st.characters(exclude_categories=["Cs", "Zs", "Cc"]), max_size=20),
)
OFFSETS = st.one_of(st.integers(0, 9), st.integers(0, 10**8 - 1), st.integers(10**8, 10**17))
SPANS = st.tuples(OFFSETS, OFFSETS).map(lambda s: f"#{min(s)}-{max(s)}")
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
@given(ids=IDS, times=st.integers(1, 3))
def test_as_single_ids(column, ids, times):
    ids = ids * times  # topics find the same passages
    matches = [re.fullmatch("(.*)#([0-9]+)-([0-9]+)", name, re.DOTALL) for name in ids]
    expected = [
        (name, -1, -1) if match is None else (match[1], int(match[2]), int(match[3]))
        for name, match in zip(ids, matches, strict=True)
    ]
    article = [row[0] for row in expected]
    code, names, start, end = read_ids(column(ids))
    assert list(zip(names[code].tolist(), start.tolist(), end.tolist(), strict=True)) == expected
    one_by_one = read_ids_one_by_one(ids)
    assert [one_by_one[1].tolist(), *(one_by_one[i].tolist() for i in (0, 2, 3))] == [
        names.tolist(), code.tolist(), start.tolist(), end.tolist()
    ]  # fmt: skip
    assert code.tolist() == [[*dict.fromkeys(article)].index(docno) for docno in article]
    assert len(set(names.tolist())) == len(names)


@pytest.mark.parametrize("column", [plain, arrow, of_python])
@pytest.mark.parametrize("wrong", [None, float("nan")])
def test_a_missing_id(column, wrong):
    with pytest.raises(TypeError):
        read_ids(column(["1#0-5", wrong]))


def test_ids_may_come_one_after_another():
    assert [values.tolist() for values in read_ids(iter(["a#1-2", "b", "a#3-4"]))] == [
        [0, 1, 0], ["a", "b"], [1, -1, 3], [2, -1, 4]
    ]  # fmt: skip


def test_a_number_is_no_id():
    with pytest.raises(TypeError):
        read_ids(plain(["1#0-5", 7]))


def test_the_common_form_is_read_by_arrow():
    """Otherwise the test above would compare a function with itself."""
    assert (
        arrow_columns.read_ids(pa.array(["12#0-5", "12#5-99999999", "é#3-4", "a-b#c#7-10", "7#5-5"], pa.large_string()))
        is not None
    )
    assert arrow_columns.read_ids(pa.array(["12#0-5", "12"], pa.large_string())) is None


@pytest.mark.parametrize("wrong", ["a#7-3", "a#0-99999999999999999999", "a#00009-00008"])
def test_a_span_that_is_not_valid_is_an_error(wrong):
    with pytest.raises(SpanError, match=wrong):
        read_ids(plain(["a#0-5", wrong]))


def test_text_that_is_no_unicode():
    code, names, start, end = read_ids(plain(["\ud800#0-5", "\ud800#5-9"]))
    assert [names[code].tolist(), start.tolist(), end.tolist()] == [["\ud800"] * 2, [0, 5], [5, 9]]
