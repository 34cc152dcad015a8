"""Sums of precisions, which CharMAP takes from harmonic numbers, against fractions that are added one by one."""

from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from pyterrier_focused.measures.evidence import sum_of_precisions


def ints(values):
    return np.array(values, dtype=np.int64)


@given(st.integers(0, 70), st.integers(0, 70), st.integers(0, 70))
@example(0, 31, 70)
@example(0, 32, 70)
@example(0, 20, 11)
@example(0, 20, 12)
def test_precisions_add_up_as_fractions_do(relevant, others, length):
    expected = sum((Fraction(relevant + i, relevant + others + i) for i in range(1, length + 1)), Fraction(0))
    (found,) = sum_of_precisions(ints([relevant]), ints([relevant + others]), ints([length]))
    assert abs(found - float(expected)) < 1e-13
