"""Scores of articles from those of their parts, held equal to PyTerrier's over its own names of passages."""

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.retrieval import first_passage, kmaxavg_passage, max_passage, mean_passage

PAIRS = {
    "max": (max_passage(), pt.text.max_passage()),
    "mean": (mean_passage(), pt.text.mean_passage()),
    "first": (first_passage(), pt.text.first_passage()),
    "kmaxavg": (kmaxavg_passage(2), pt.text.kmaxavg_passage(2)),
}
TestMaxPassage = pt.testing.transformer_test_class(max_passage)


@pytest.mark.parametrize("name", PAIRS)
@given(rows=st.dictionaries(st.tuples(*[st.integers(0, 2)] * 2, st.integers(0, 5)), st.integers(0, 99), min_size=1))
def test_articles_are_scored_as_by_pyterrier(name, rows):
    ours, theirs = PAIRS[name]
    frame = pd.DataFrame(
        [
            (f"q{qid}", f"words {qid}", f"d{docno}", number, float(score))
            for (qid, docno, number), score in rows.items()
        ],
        columns=["qid", "query", "docno", "number", "score"],
    )
    number = frame.pop("number")
    spans = frame.assign(docno=[f"{a}#{10 * n}-{10 * n + 9}" for a, n in zip(frame["docno"], number, strict=True)])
    sliding = frame.assign(docno=[f"{a}%p{n}" for a, n in zip(frame["docno"], number, strict=True)])
    found, expected = (
        {(row.qid, row.query, row.docno): row.score for row in transformer(parts).itertuples()}
        for transformer, parts in ((ours, spans), (theirs, sliding))
    )
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("name", PAIRS)
def test_no_rows_are_scored_to_none(name):
    parts = pd.DataFrame({"qid": ["1"], "query": ["a"], "docno": ["d#0-4"], "score": [1.0], "rank": [0]})
    assert PAIRS[name][0](parts)[["docno", "score", "rank"]].values.tolist() == [["d", 1.0, 0]]
    assert len(PAIRS[name][0](parts[:0])) == 0


def test_ids_without_a_place_are_named():
    with pytest.raises(ValueError, match=r"docno 'd%p1' names none.*PassageIds"):
        max_passage()(pd.DataFrame({"qid": ["1"], "docno": ["d%p1"], "score": [1.0]}))
