"""Names in Arrow: what is told of many at once is what Python tells of them one by one."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.frames.arrow_columns import are_folded, find_near_names, may_repeat, read_texts

ROWS = st.lists(st.tuples(st.integers(0, 2), st.text("aé\U0001f600", max_size=20)), max_size=40)


@given(ROWS, st.integers(0, 5))
def test_a_name_repeats_in_its_topic_as_in_a_set(rows, start):
    texts = pa.array([name for _, name in rows], pa.large_string())[start:]
    topic = np.array([topic for topic, _ in rows], dtype=np.int64)[start:]
    assert may_repeat(topic, texts) == (len(set(rows[start:])) < len(rows[start:]))


@pytest.mark.parametrize("names", [[f"{'x' * n}{i}" for i in range(2000)] for n in (0, 7, 8, 30)], ids=len)
def test_names_that_are_alike_do_not_repeat(names):
    topic = np.repeat(np.arange(3), len(names))
    assert not may_repeat(topic, pa.array(names * 3, pa.large_string()))


@given(st.lists(st.text("aB \té\u00a0ﬁ-1", min_size=1, max_size=4)), st.lists(st.text("abB é", min_size=1, max_size=4)))
def test_names_that_do_not_fold_are_near_no_others(names, known):
    names = [name for name in names if name not in known]
    if are_folded(pa.array(names, pa.large_string())) and are_folded(pa.array(known, pa.large_string())):
        assert not find_near_names(np.array(names, dtype=object), np.array(known, dtype=object))


@pytest.mark.parametrize("name", ["a b", "A", "é", "a\n", "\u00a0"])
def test_names_that_may_fold(name):
    assert not are_folded(pa.array(["a", name], pa.large_string()))


@pytest.mark.parametrize("kind", [object, "str", "string", pd.ArrowDtype(pa.string())])
def test_texts_of_any_type_are_read(kind):
    assert read_texts(pd.Series(["a", "", "é"], dtype=kind)).to_pylist() == ["a", "", "é"]


@pytest.mark.parametrize("names", [["a", None], ["a", 1], [b"a", b"b"], ["a", "\0"], ["a", "\ud800"], [1, 2]])
def test_what_is_no_text_of_arrow_and_c(names):
    assert read_texts(pd.Series(names, dtype=object)) is None
