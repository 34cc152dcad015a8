"""Pairs of spans and sums within topics against their definitions, entry by entry."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.campaigns.bioasq.pairs import pair_up, running_sum

CODES = st.lists(st.integers(0, 4), max_size=9)


def ints(values):
    return np.array(values, dtype=np.int64)


@given(st.lists(st.integers(-1, 5), max_size=9), CODES)
def test_all_pairs_of_one_group(group, reference):
    reference = sorted(reference)
    expected = [(i, j) for i, one in enumerate(group) for j, other in enumerate(reference) if one == other]
    assert list(zip(*(column.tolist() for column in pair_up(ints(group), ints(reference))), strict=True)) == expected


@given(st.lists(st.lists(st.integers(-3, 9), max_size=4), min_size=1, max_size=4))
def test_sums_begin_anew_with_each_topic(topics):
    values = [value for topic in topics for value in topic]
    topic = [t for t, entries in enumerate(topics) for _ in entries]
    bounds = [sum(map(len, topics[:t])) for t in range(len(topics) + 1)]
    expected = [sum(entries[: i + 1]) for entries in topics for i in range(len(entries))]
    assert running_sum(ints(values), ints(topic), ints(bounds)).tolist() == expected
