"""Span arithmetic against plain sets of characters."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyterrier_focused.frames import spans

SHIFTS = st.sampled_from([0, 0, 10**9, 2**61, 2**62])
SPANS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 12)), max_size=14)


def columns(drawn, shift=0):
    group = np.array([g for g, _, _ in drawn], dtype=np.int64)
    start = np.array([s for _, s, _ in drawn], dtype=np.int64) + shift
    return group, start, start + np.array([w for _, _, w in drawn], dtype=np.int64)


def characters(group, start, end):
    """The characters of all spans, as a set of (group, offset)."""
    return {(int(g), c) for g, s, e in zip(group, start, end, strict=True) for c in range(int(s), int(e))}


def give_to_first(group, start, end):
    """The characters of each span that no span before it holds."""
    seen: set = set()
    given_to = []
    for span in zip(group, start, end, strict=True):
        mine = characters(*([value] for value in span)) - seen
        seen |= mine
        given_to.append(mine)
    return given_to


@given(SPANS, SHIFTS)
@example([(0, 0, 5), (0, 5, 4)], 0)
def test_union_holds_the_same_characters_in_separate_spans(drawn, shift):
    given_spans = columns(drawn, shift)
    merged = spans.union(*given_spans)
    assert characters(*merged) == characters(*given_spans)
    rows = list(zip(*(column.tolist() for column in merged), strict=True))
    assert rows == sorted(rows)
    assert all(a[0] < b[0] or a[2] < b[1] for a, b in itertools.pairwise(rows))


@given(SPANS, SPANS, SHIFTS)
def test_coverage_counts_shared_characters(drawn, references, shift):
    group, start, end = columns(drawn, shift)
    reference = columns(references, shift)
    relevant = characters(*reference)
    expected = [len(characters([g], [s], [e]) & relevant) for g, s, e in zip(group, start, end, strict=True)]
    assert spans.coverage(group, start, end, *reference).tolist() == expected


@given(SPANS, SHIFTS)
def test_first_overlap_finds_a_pair_if_there_is_one(drawn, shift):
    group, start, end = columns(drawn, shift)
    total = int((end - start).sum())
    found = spans.first_overlap(group, start, end)
    assert (found is None) == (total == len(characters(group, start, end)))
    if found is not None:
        one, other = ({*characters([group[i]], [start[i]], [end[i]])} for i in found)
        assert found[0] != found[1]
        assert one & other


@given(SPANS, SHIFTS)
@example([(0, 3, 2), (0, 0, 10)], 0)
@example([(0, 0, 1), (0, 3, 2), (0, 4, 9)], 0)
def test_novel_gives_each_character_to_its_first_span(drawn, shift):
    group, start, end = columns(drawn, shift)
    index, first, last = spans.novel(group, start, end)
    got = [characters(group[index[index == i]], first[index == i], last[index == i]) for i in range(len(group))]
    assert got == give_to_first(group, start, end)
    assert int((last - first).sum()) == len(set().union(*got))
    pieces = list(zip(index, first, last, strict=True))
    assert pieces == sorted(pieces)
    assert all(a[0] < b[0] or a[2] < b[1] for a, b in itertools.pairwise(pieces))  # as few as can be


@pytest.mark.parametrize("group", [[0, 0, 0], [0, 1, 0], [1, 2, 1], [0, 2, 1]])
@pytest.mark.parametrize("start", [[0, 20, 10], [10, 0, 20], [20, 10, 0], [0, 10, 10]])
def test_spans_in_any_order_are_sorted(group, start):
    """Only what follows its neighbour in group and start needs no sorting."""
    rows = sorted(set(zip(group, start, [offset + 5 for offset in start], strict=True)))
    merged = spans.union(group, start, np.array(start) + 5)
    assert list(zip(*(column.tolist() for column in merged), strict=True)) == rows


def test_spans_that_touch_share_no_character():
    assert spans.first_overlap([0, 0], [0, 5], [5, 9]) is None
    assert spans.first_overlap([0, 0], [0, 4], [5, 9]) == (0, 1)
    assert spans.first_overlap([0, 1], [0, 4], [5, 9]) is None
    assert spans.coverage([0], [5], [9], [0], [0], [5]).tolist() == [0]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 3, -1, -(2**60), 2**52, 2**53 - 1, 2**53 + 1, 2**60])))
)
def test_sums_by_key_are_exact_beyond_what_floats_hold(entries):
    """2**53 + 1 is the first whole number that float64 does not hold."""
    entries = entries[:7]  # the sum stays below 2**63
    key, values = (np.array([entry[i] for entry in entries], dtype=np.int64) for i in (0, 1))
    expected = [sum(value for k, value in entries if k == wanted) for wanted in range(5)]
    assert spans.sum_by(key, values, 5).tolist() == expected
    assert spans.sum_by(np.array([1, 1]), np.array([2**53, 1]), 2).tolist() == [0, 2**53 + 1]
    assert spans.sum_by(np.array([0, 0, 1]), np.array([2**60, 1, -(2**60)]), 2).tolist() == [2**60 + 1, -(2**60)]


def with_large_codes(group, start, end):
    return group * 2**60, start, end


@pytest.mark.parametrize("shift", [2**40, 2**61, 2**62])
@given(SPANS, SPANS)
def test_large_offsets_and_codes_do_not_change_what_spans_share(shift, drawn, references):
    """Where group * offset does not fit one number, spans are compared by rank: the same spans must come out."""
    near, far = columns(drawn), columns(drawn, shift)
    reference, far_reference = columns(references), columns(references, shift)
    assert spans.coverage(*near, *reference).tolist() == spans.coverage(*far, *far_reference).tolist()
    others = [spans.first_overlap(*far), spans.first_overlap(*with_large_codes(*near))]
    assert others == [spans.first_overlap(*near)] * 2


@pytest.mark.parametrize(
    ("function", "scale"), [(spans.union, 2**60), (spans.novel, 1)], ids=["union", "novel returns positions, not codes"]
)
@pytest.mark.parametrize("shift", [2**40, 2**61, 2**62])
@given(SPANS)
def test_large_offsets_and_codes_change_nothing_but_themselves(shift, function, scale, drawn):
    near, far = columns(drawn), columns(drawn, shift)
    first, start, end = function(*near)
    expected = [first.tolist(), (start + shift).tolist(), (end + shift).tolist()]
    assert [column.tolist() for column in function(*far)] == expected
    expected = [(first * scale).tolist(), start.tolist(), end.tolist()]
    assert [column.tolist() for column in function(*with_large_codes(*near))] == expected


def test_a_large_code_on_one_side_alone_does_not_wrap_round_to_a_small_one():
    """With offsets up to 7 there are 8 positions a group: 2**61 groups later, 64 bits begin again."""
    assert [len(column) for column in spans.intersections([2**61], [0], [7], [0], [0], [7])] == [0] * 4
    assert [len(column) for column in spans.intersections([0], [0], [7], [2**61], [0], [7])] == [0] * 4


def test_what_is_divided_by_nothing_is_nothing():
    assert spans.ratio(np.array([0, 3, 1]), np.array([0, 0, 4])).tolist() == [0, 0, 0.25]


@pytest.mark.parametrize("function", [spans.union, spans.novel])
def test_nothing_in_nothing_out(function):
    assert [len(column) for column in function([], [], [])] == [0, 0, 0]
    assert spans.coverage([], [], [], [0], [1], [2]).tolist() == []
    assert spans.coverage([0], [1], [2], [], [], []).tolist() == [0]
    assert spans.first_overlap([], [], []) is None


@given(st.lists(st.tuples(st.integers(-5, 20), st.integers(0, 6)), max_size=8))
def test_ranges_lie_end_to_end(pairs):
    first, count = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True)) if pairs else ([], [])
    found = spans.ranges(np.array(first, dtype=np.int64), np.array(count, dtype=np.int64))
    assert found.tolist() == [number for a, n in pairs for number in range(a, a + n)]
