"""Which values are missing, and which fields are blank."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_focused.frames.span_cells import is_blank, is_missing

VALUES = [
    None, pd.NA, pd.NaT, float("nan"), np.nan, np.float32("nan"), np.float64("nan"), np.datetime64("NaT"),
    np.timedelta64("NaT"), "", " ", "nan", "None", 0, 1, 0.0, -1.5, float("inf"), False, np.int64(0), np.float32(2),
    pd.Timestamp(0), np.datetime64(0, "s"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_single_values_are_missing_that_pandas_takes_for_missing(value):
    assert is_missing(value) == pd.isna(value)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_fields_are_blank_that_are_missing_or_white_space(value):
    assert is_blank(value) == (pd.isna(value) or str(value).strip() == "")


@pytest.mark.parametrize("value", [[], (), {}, np.array([np.nan]), [None]], ids=repr)
def test_a_list_is_neither_missing_nor_blank(value):
    assert not is_missing(value)
    assert not is_blank(value)
