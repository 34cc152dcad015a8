"""Unpack: from runs back to rows of parts, and to runs again."""

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused import check_run
from pyterrier_focused.retrieval import Focused, Unpack

PARTS = pd.DataFrame(
    {
        "qid": ["q1", "q1", "q1", "q2"],
        "query": ["one", "one", "one", "two"],
        "docno": ["7#0-80", "12#5-60", "7#90-99", "a#b#0-4"],
        "score": [3.0, 2.0, 1.0, 0.5],
        "rank": [0, 1, 2, 0],
    }
)
TestUnpack = pt.testing.transformer_test_class(Unpack)


def values(parts):
    return parts[["qid", "query", "docno", "score", "rank"]].values.tolist()


def test_unpack_is_the_inverse_of_focused():
    assert values(Unpack()(Focused()(PARTS))) == values(PARTS)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 9), st.integers(0, 3)), max_size=30))
def test_focused_is_the_inverse_of_unpack(rows):
    """Over any parts without overlap: ten places of ten characters in each article."""
    places = sorted({(qid, docno, place): score for qid, docno, place, score in rows}.items())
    parts = pd.DataFrame(
        [(f"q{qid}", f"{docno}#{10 * place}-{10 * place + 9}", float(score)) for (qid, docno, place), score in places],
        columns=["qid", "docno", "score"],
    )
    run = Focused()(parts)
    assert sorted(Unpack()(run)[["qid", "docno", "score"]].values.tolist()) == sorted(parts.values.tolist())
    pd.testing.assert_frame_equal(Focused()(Unpack()(run)), run)


def test_the_order_of_articles_counts():
    run = Focused()(PARTS)
    reranked = run.assign(score=run["docno"].map({"7": 1.0, "12": 9.0, "a#b": 4.0}))
    parts = Unpack(score="article")(reranked)
    assert parts[["docno", "score", "rank"]].values.tolist() == [
        ["12#5-60", 9.0, 0],
        ["7#0-80", 1.0, 1],
        ["7#90-99", 1.0, 2],
        ["a#b#0-4", 4.0, 0],
    ]
    check_run(Focused()(parts))


def test_runs_are_fused_part_by_part():
    one = pt.Transformer.from_df(Focused()(PARTS[:2]))
    other = pt.Transformer.from_df(Focused()(PARTS[1:3]))
    fused = (one >> Unpack()) + (other >> Unpack()) >> Focused(overlap="remove")
    run = fused(PARTS[["qid", "query"]][:1])
    assert Unpack()(run)[["docno", "score"]].values.tolist() == [["12#5-60", 4.0], ["7#0-80", 3.0], ["7#90-99", 1.0]]


def test_an_empty_run_has_no_parts():
    assert len(Unpack()(Focused()(PARTS[:0]))) == 0


def test_settings_and_columns_are_checked():
    with pytest.raises(ValueError, match="Unpack: score='best'; choose one of 'passage', 'article'"):
        Unpack(score="best")
    with pytest.raises(pt.validate.InputValidationError, match="passages"):
        Unpack()(PARTS)
