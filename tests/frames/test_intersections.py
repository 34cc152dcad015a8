"""What spans share, and unions that leave touching spans apart, against sets of characters."""

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


@given(SPANS, SPANS, SHIFTS)
def test_intersections(rows, references, shift):
    references = sorted(zip(*(column.tolist() for column in spans.union(*columns(references))), strict=True))
    found = spans.intersections(*columns(rows, shift), *columns(references, shift))
    expected = []
    for i, (group, start, end) in enumerate(rows):
        for j, (other, first, last) in enumerate(references):
            shared = set(range(start, end)) & set(range(first, last))
            if group == other and shared:
                expected.append((i, j, min(shared) + shift, max(shared) + 1 + shift))
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


@given(SPANS)
def test_a_union_that_leaves_touching_spans_apart(rows):
    merged = list(zip(*(column.tolist() for column in spans.union(*columns(rows), touching=False)), strict=True))
    kept = []
    for group, start, end in sorted(rows):
        if kept and kept[-1][0] == group and set(range(start, end)) & set(range(*kept[-1][1:])):
            kept[-1] = (group, kept[-1][1], max(kept[-1][2], end))
        else:
            kept.append((group, start, end))
    assert merged == kept
