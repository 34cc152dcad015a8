"""Snippets are merged at once as BioASQ's program merges them, in a loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.campaigns.bioasq.measures import SnippetColumns, _merge_literally, merge

CODE = st.sampled_from([0, 0, 0, 1])  # most are of one text
ROW = st.tuples(*[CODE] * 4, st.integers(-2, 9), st.integers(0, 4))


def snippet_columns(rows):
    columns = list(zip(*rows, strict=True)) or [()] * 7
    return SnippetColumns(*(np.array(column, dtype=np.int64) for column in columns))


@given(st.lists(ROW, max_size=9))
def test_snippets_are_merged_at_once_as_in_a_loop(rows):
    snippets = snippet_columns(
        (question, document, document, first, last, begin, begin + length)
        for question, document, first, last, begin, length in sorted(rows, key=lambda row: row[0])
    )
    expected = _merge_literally(snippets) if rows else snippets
    assert [column.tolist() for column in merge(snippets)] == [column.tolist() for column in expected]
