"""Snippets are merged at once as BioASQ's program merges them, in a loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.measures.campaigns.snippets import SnippetColumns, _merge_literally, merge

CODE = st.sampled_from([0, 0, 0, 1])  # most are of one text
ROW = st.tuples(*[CODE] * 4, st.integers(-2, 9), st.integers(0, 4))


@given(st.lists(ROW, max_size=9))
def test_at_once_as_in_a_loop(rows):
    rows = sorted(rows, key=lambda row: row[0])  # by question
    snippets = SnippetColumns(*(
        np.array(column, dtype=np.int64)
        for column in zip(*(
            (question, document, document, first, last, begin, begin + length)
            for question, document, first, last, begin, length in rows
        ), strict=True)
    )) if rows else SnippetColumns(*[np.zeros(0, dtype=np.int64)] * 7)  # fmt: skip
    for one, other in zip(merge(snippets), _merge_literally(snippets) if rows else snippets, strict=True):
        assert one.tolist() == other.tolist()
