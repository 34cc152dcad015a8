"""`result.curve()`: each point is the measure that is named for it, of what had come by then."""

import pandas as pd
import pytest

from pyterrier_focused import evaluate_retrieved, load_result

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
            {"text": "Cats eat fish at noon.", "docno": "cats", "step": 1},
            {"text": "Birds sing", "step": 2},
            {"text": "No document says so.", "step": 2},
            {"text": "Birds sing loudly in", "step": 4},
        ],
        "who dives?": [{"text": "Whales dive deep", "step": 1}, {"text": "under the ice", "step": 3}],
    },
    "late": {"who sings?": [{"text": "Birds sing loudly", "step": 5}], "who dives?": []},
}


def evaluate(found=FOUND, measures="CharR", **options):
    return evaluate_retrieved(EVIDENCE, found, CORPUS, measures, **options)


def stop_at(step):
    return {
        name: {question: [item for item in items if item["step"] <= step] for question, items in of.items()}
        for name, of in FOUND.items()
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("by", "written", "unit"),
    [
        ("text", "{}(chars={})", None),
        ("text", "{}(tokens={})", str.split),
        ("rank", "{}@{}", None),
        ("step", "{}", None),
    ],
)
def test_a_point_is_the_measure_there(by, written, unit):
    result = evaluate(unit=unit)
    curve = result.curve([1, 3, 4], "SpanHit SpanR", by=by, confidence=0.9)
    assert curve.columns.tolist() == ["name", "measure", "at", "mean", "low", "high"]
    for at in (1, 3, 4):
        names = {written.format(base, at): base for base in ("SpanHit", "SpanR")}
        there = evaluate(stop_at(at) if by == "step" else FOUND, list(names), unit=unit, confidence=0.9)
        expected = there.intervals.replace({"measure": names}).sort_values(["measure", "name"], ignore_index=True)
        found = curve[curve["at"] == at].drop(columns="at").sort_values(["measure", "name"], ignore_index=True)
        pd.testing.assert_frame_equal(found[expected.columns.tolist()], expected)


@pytest.mark.filterwarnings("ignore")
def test_steps_are_saved(tmp_path):
    result = evaluate()
    result.save(tmp_path / "result.zip")
    curve = load_result(tmp_path / "result.zip").curve(by="step")
    assert curve["at"].unique().tolist() == [1, 2, 3, 4, 5]
    pd.testing.assert_frame_equal(curve, result.curve(by="step"))


@pytest.mark.filterwarnings("ignore")
def test_steps_are_in_the_frame():
    assert evaluate().located["step"].tolist() == [1, 2, 2, 4, 1, 3, 5]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("measure", "by", "message"),
    [
        ("AgP", "text", "AgP has no curve by text: it has no chars="),
        ("iP@0.1", "rank", "iP@0.1 has no curve by rank: it has no @k|has its point already"),
        ("CharR@5", "rank", "CharR@5 has its point already; give CharR"),
        ("CharR", "step", "no item has a step"),
        ("CharR", "page", "by="),
    ],
)
def test_a_curve_that_is_none(measure, by, message):
    with pytest.raises(ValueError, match=message):
        evaluate({"who sings?": ["Birds sing"]}).curve([1], measure, by=by)
