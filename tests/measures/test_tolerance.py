"""Tolerance to irrelevance by hand: the example of the documentation, and its edges."""

import ir_measures
import pandas as pd
import pytest

import pyterrier_focused as ptf

QRELS = pd.DataFrame(
    {"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "highlights": [[(2, 4), (8, 12)]], "length": [22]}
)


def score(passages, irr, qrels=QRELS, overlap="error"):
    run = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "passages": [passages]})
    measure = ptf.AgP(task="t2i", irr=irr, overlap=overlap)
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


@pytest.mark.parametrize(
    ("passages", "irr", "expected"),
    [
        ([(4, 12)], 6, 4 / 10),
        ([(4, 12)], 7, 6 / 13),
        ([(4, 12)], 4, 0.0),
        ([(4, 12)], 5, 4 / 9),
        ([(2, 4), (8, 12)], 1, 6 / 7),
        ([(8, 12), (2, 4)], 300, 6 / 22),
        ([(20, 30)], 12, 0.0),
        ([(20, 30)], 13, 2 / 15),
        ([(5, 5)], 2, 0.0),
        ([(5, 5)], 3, 2 / 5),
        ([], 5, 0.0),
    ],
)  # fmt: skip
def test_what_is_read_before_the_reader_stops(passages, irr, expected):
    assert score(passages, irr) == pytest.approx(expected, abs=1e-12)


def test_parts_that_overlap_are_refused_or_read_once():
    with pytest.raises(ptf.FocusedError, match="overlap"):
        score([(4, 8), (6, 12)], 6)
    assert score([(4, 8), (6, 12)], 6, overlap="once") == pytest.approx(0.4)


def test_an_article_needs_its_length():
    with pytest.raises(
        ValueError, match=r"a relevant article has no length; AgP\(task='t2i'\) needs it in characters$"
    ):
        score([(4, 12)], 6, QRELS.assign(length=-1))


def test_irr_belongs_to_t2i():
    with pytest.raises(ValueError, match="irr belongs to task='t2i'"):
        ptf.AgP(irr=5)
