"""Rows of the commonest kind are read by a short way, which gives what the long one does."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.evidence import formats
from pyterrier_focused.evidence.formats import Evidence
from pyterrier_focused.texts.shapes import list_sources

_NAMES = [
    "qid", "id", "question", "input", "docno", "doc_id", "document", "title", "source", "url", "start", "end",
    "start_index", "end_index", "quote", "text", "content", "Quote", "evidence", "cluster", "length", "page", "lines",
    "score", "level", "metadata", "payload", "alternative", "fact", "start_line", "start_char_idx", "whole",
]  # fmt: skip
_VALUES = st.one_of(
    st.sampled_from(["a", "Cats sleep.", "", " ", "7", "16.0", "{}", '{"docno": "b"}', "2-5", "[1, 2]", "-1"]),
    st.sampled_from([0, 3, -1, 2**60, 4.0, 4.5, math.nan, None, True, {"title": "b"}, ["a"]]),
)
_ROWS = st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=6)


def _read_long(row: dict[str, Any]) -> list[Evidence]:
    return list(formats._read_row(1, list_sources(row), False))


@given(_ROWS, st.sampled_from([{"question": "who?", "docno": "a"}, {"qid": "1", "quote": "Cats", "docno": "a"}, {}]))
def test_the_short_way_reads_what_the_long_one_does(drawn: dict[str, Any], certain: dict[str, Any]) -> None:
    row = drawn | certain
    plain = formats._read_plain_row(1, row)
    assert plain is None or [plain] == _read_long(row)


@pytest.mark.parametrize(
    "row",
    [
        {"question": "who?", "docno": "a", "start": 0, "end": 4},
        {"qid": 3, "doc_id": "a", "quote": "Cats", "level": None},
        {"id": "3", "question": "who?", "docno": "a", "title": "A", "start": "3", "end": "16.0", "text": "Cats"},
    ],
)
def test_rows_of_the_commonest_kind_go_the_short_way(row: dict[str, Any]) -> None:
    assert formats._read_plain_row(1, row) is not None
