"""`result.curve()`: each point is the measure that is named for it, of what had come by then."""

import pandas as pd
import pytest

from pyterrier_focused import evaluate_retrieved

CORPUS = {
    "cats": "Cats sleep all day. Cats eat fish at noon. Dogs run in the park.",
    "birds": "Birds sing loudly in spring. Whales dive deep under the ice.",
}
EVIDENCE = [
    {"question": "who sings?", "docno": "birds", "quote": "Birds sing loudly"},
    {"question": "who dives?", "docno": "birds", "quote": "dive deep under"},
    {"question": "why?", "references": []},
]
FOUND = {
    "agent": {
        "who sings?": [
            {"text": "Cats eat fish at noon.", "docno": "cats"},
            {"text": "Birds sing"},
            {"text": "No document says so."},
            {"text": "Birds sing loudly in"},
        ],
        "who dives?": [{"text": "Whales dive deep"}, {"text": "under the ice"}],
    },
    "late": {"who sings?": [{"text": "Birds sing loudly"}], "who dives?": []},
}


def evaluate(found=FOUND, measures="CharR", **options):
    return evaluate_retrieved(EVIDENCE, found, CORPUS, measures, **options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("by", "written", "unit"),
    [
        ("text", "{}(chars={})", None),
        ("text", "{}(tokens={})", str.split),
        ("rank", "{}@{}", None),
    ],
)
def test_a_point_is_the_measure_there(by, written, unit):
    result = evaluate(unit=unit)
    curve = result.curve([1, 3, 4], "SpanHit SpanR", by=by, confidence=0.9)
    assert curve.columns.tolist() == ["name", "measure", "at", "mean", "low", "high"]
    for at in (1, 3, 4):
        names = {written.format(base, at): base for base in ("SpanHit", "SpanR")}
        there = evaluate(FOUND, list(names), unit=unit, confidence=0.9)
        expected = there.intervals.replace({"measure": names}).sort_values(["measure", "name"], ignore_index=True)
        found = curve[curve["at"] == at].drop(columns="at").sort_values(["measure", "name"], ignore_index=True)
        pd.testing.assert_frame_equal(found[expected.columns.tolist()], expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("measure", "by", "message"),
    [
        ("AgP", "text", "AgP has no curve by text: it has no chars="),
        ("iP@0.1", "rank", "iP@0.1 has no curve by rank: it has no @k|has its point already"),
        ("CharR@5", "rank", "CharR@5 has its point already; give CharR"),
        ("CharR", "page", "by="),
    ],
)
def test_a_curve_that_is_none(measure, by, message):
    with pytest.raises(ValueError, match=message):
        evaluate({"who sings?": ["Birds sing"]}).curve([1], measure, by=by)
