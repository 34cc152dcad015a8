"""Runs and qrels as people read them."""

import pandas as pd
import pytest

import pyterrier_focused as ptf

RUN = pd.DataFrame(
    [["1", "a", 2.0, [(30, 230, 0.5), (242, 623, 12345.678), (700, 710, 1.0), (800, 810, 1.0)]], ["1", "b", 1.0, None]],
    columns=["qid", "docno", "score", "passages"],
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "30-230 · 242-623 · 700-710 · +1"),
        ({"most": 1}, "30-230 · +3"),
        ({"most": 2, "scores": True}, "30-230 (0.5) · 242-623 (1.235e+04) · +2"),
        ({"most": 9}, "30-230 · 242-623 · 700-710 · 800-810"),
    ],
)
def test_spans_are_short_text(options, expected):
    assert ptf.show(RUN, **options)["passages"].tolist() == [expected, ""]


def test_the_frame_stays_as_it_is():
    before = RUN.copy(deep=True)
    ptf.show(RUN)
    pd.testing.assert_frame_equal(RUN, before)


def test_highlights_and_arrow_columns():
    qrels = pd.DataFrame([["1", "a", 1, [(0, 5)]]], columns=["qid", "docno", "label", "highlights"])
    shown = ptf.show(qrels.assign(highlights=qrels["highlights"].astype(ptf.frames.SPANS)))
    assert shown["highlights"].tolist() == ["0-5"]
    assert shown["label"].tolist() == [1]
