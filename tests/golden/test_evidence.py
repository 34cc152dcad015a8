"""Evidence measures, budgets and PASSAGE2 worked by hand.

offset    0         10        20        30        40
article d ..........EEEEEEEEEE..........FFFF........     evidence: E [10, 20) and F [30, 34)
chunk 1   xxxxxxxxxxxxxxx                                [0, 15)   5 characters of E
chunk 2                             xxxxxxxxxx           [28, 38)  all 4 of F
chunk 3             xxxxxxxxxxxxxxx                      [12, 27)  8 of E, 3 of which chunk 1 had
"""

import ir_measures
import pandas as pd
import pytest

from pyterrier_focused import parse
from pyterrier_focused.measures import SpanHit

HIGHLIGHTS = [(10, 20), (30, 34)]
CHUNKS = [(0, 15, 3.0), (28, 38, 2.0), (12, 27, 1.0)]


def score(measure, chunks=CHUNKS, highlights=HIGHLIGHTS):
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1], "highlights": [highlights]})
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0], "passages": [chunks]})
    (measure,) = parse(measure)
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("SpanHit@1", 1),  # 5 of 10 are half of E
        ("SpanHit(cover=0.51)@1", 0),
        ("SpanHit(cover=0.51)@2", 1),  # F
        ("SpanR@1", 1 / 2),
        ("SpanR@2", 1),
        ("SpanR(cover=1)@2", 1 / 2),
        ("SpanR(cover=1)", 1),  # chunks 1 and 3 together
        ("SpanRR", 1),
        ("SpanRR(cover=0.6)", 1 / 2),
        ("CharR(overlap='once')@1", 5 / 14),
        ("CharR(overlap='once')", 1),
        ("CharP(overlap='once')", 14 / 37),  # 15 + 10 + 12 new characters
        ("CharIoU(overlap='once')@2", 9 / (25 + 5)),
        ("CharR(chars=12,overlap='once')", 2 / 14),  # the first chunk cut at 12
        ("CharR(chars=19,overlap='once')", 7 / 14),  # chunk 1 and [28, 32)
        ("CharR(chars=27,overlap='once')", 11 / 14),  # chunk 3 goes on at 15: [15, 17)
        ("CharP(chars=27,overlap='once')", 11 / 27),
        ("CharP(chars=1000,overlap='once')", 14 / 37),  # what was read, not the budget
        ("CharR(chars=27,overlap='once')@2", 9 / 14),
    ],
)
def test_measures_of_evidence_have_the_values_of_the_example(measure, value):
    assert score(measure) == pytest.approx(value, abs=1e-15)


def test_char_map_has_the_value_of_the_example():
    """10 others, E's first 5; 2 others, F, 4 others; chunk 3: 3 seen before are skipped, E's last 5, 7 others."""
    first = [i / (10 + i) for i in range(1, 6)]
    second = [(5 + i) / (17 + i) for i in range(1, 5)]
    third = [(9 + i) / (25 + i) for i in range(1, 6)]
    assert score("CharMAP") == pytest.approx(sum(first + second + third) / 14, abs=1e-15)


def test_char_map_counts_other_text_each_time():
    """Chunk [0, 4) with evidence [2, 4), retrieved twice, then [4, 6): 2 others, 2 relevant, 2 others again, then 2."""
    chunks, highlights = [(0, 4, 3.0), (0, 4, 2.0), (4, 6, 1.0)], [(2, 6)]
    assert score("CharMAP", chunks, highlights) == pytest.approx((1 / 3 + 2 / 4 + 3 / 7 + 4 / 8) / 4, abs=1e-15)
    once = (1 / 3 + 2 / 4 + 3 / 5 + 4 / 6) / 4
    assert score("CharMAP(overlap='once')", chunks, highlights) == pytest.approx(once, abs=1e-15)


def test_a_perfect_chunk_that_is_retrieved_twice_counts_once():
    """Chroma's chunking evaluation gives it an IoU of 0.5, for it counts the characters of a chunk each time."""
    assert score("CharIoU(overlap='once')", [(10, 20, 2.0), (10, 20, 1.0)], [(10, 20)]) == 1


def test_evidence_that_overlaps_is_one_span_and_evidence_that_touches_is_two():
    assert score("SpanR@1", [(0, 12, 1.0)], [(5, 12), (8, 30)]) == 0  # 7 of the 25 characters of [5, 30)
    assert score("SpanR@1", [(0, 12, 1.0)], [(5, 12), (12, 30)]) == 1 / 2


def test_the_share_is_the_decimal_that_is_written():
    assert score("SpanHit(cover=0.29)@1", [(0, 29, 1.0)], [(0, 100)]) == 1
    assert score("SpanHit(cover=0.29)@1", [(0, 28, 1.0)], [(0, 100)]) == 0


@pytest.mark.parametrize("cover", [0, -1, 1.01, "half"])
def test_shares_out_of_range_are_refused(cover):
    with pytest.raises(ValueError, match="a share above 0 and at most 1"):
        SpanHit(cover=cover)
