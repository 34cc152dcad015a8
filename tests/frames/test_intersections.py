"""What spans share, and unions that leave touching spans apart, against sets of characters."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.frames import spans

GROUPS = st.integers(0, 2)
SPANS = st.lists(
    st.tuples(GROUPS, st.integers(0, 30), st.integers(1, 9)).map(lambda s: (s[0], s[1], s[1] + s[2])), max_size=8
)
SHIFTS = st.sampled_from([0, 2**40, 2**61])


def columns(rows, shift=0):
    return [[row[0] for row in rows], [row[1] + shift for row in rows], [row[2] + shift for row in rows]]


def rows_of(columns):
    return list(zip(*(column.tolist() for column in columns), strict=True))


def intersect_plainly(rows, references):
    """(row, reference, start, end) of what each row shares with each reference."""
    pairs = itertools.product(enumerate(rows), enumerate(references))
    shared = [
        (i, j, set(range(start, end)) & set(range(first, last)))
        for (i, (group, start, end)), (j, (other, first, last)) in pairs
        if group == other
    ]
    return [(i, j, min(characters), max(characters) + 1) for i, j, characters in shared if characters]


def unite_plainly(rows):
    """The rows in order, each joined with the one before it if they share a character."""
    kept: list = []
    for group, start, end in sorted(rows):
        if kept and kept[-1][0] == group and set(range(start, end)) & set(range(*kept[-1][1:])):
            kept[-1] = (group, kept[-1][1], max(kept[-1][2], end))
        else:
            kept.append((group, start, end))
    return kept


@given(SPANS, SPANS, SHIFTS)
def test_intersections_are_the_characters_that_spans_share(rows, references, shift):
    references = sorted(rows_of(spans.union(*columns(references))))
    found = spans.intersections(*columns(rows, shift), *columns(references, shift))
    expected = intersect_plainly(rows, references)
    assert rows_of(found) == [(i, j, start + shift, end + shift) for i, j, start, end in expected]


@given(SPANS)
def test_a_union_can_leave_touching_spans_apart(rows):
    assert rows_of(spans.union(*columns(rows), touching=False)) == unite_plainly(rows)
