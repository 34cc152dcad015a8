"""`pt-focused moments-eval` by hand and against its definition written out, and the measures against both."""

import json
import random

import ir_measures
import numpy as np
import pytest
from random_cases import seeds
from readings import lines, write

from pyterrier_focused import parse
from pyterrier_focused.cli import main
from pyterrier_focused.commands.official.moments_eval import clip_precision
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels, read_run


@pytest.fixture
def evaluate(tmp_path, capsys):
    """Score predictions: (exit code, what was printed, errors)."""

    def evaluate(judged, predicted):
        gold, guess = write(tmp_path / "gt.jsonl", lines(*judged)), write(tmp_path / "pred.jsonl", lines(*predicted))
        files = ["--submission_path", str(guess), "--gt_path", str(gold), "--save_path", str(tmp_path / "saved.json")]
        code = main(["moments-eval", *files])
        out, err = capsys.readouterr()
        assert code or out == (tmp_path / "saved.json").read_text() + "\n"
        return code, json.loads(out) if not code else None, err

    return evaluate


def overlap(one, other):
    shared = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    return shared / (one[1] - one[0] + other[1] - other[0] - shared)


def expected_ap(predicted, relevant, least):
    """The definition: greedy matching, then the area under the interpolated curve, recall level by recall level."""
    free = list(relevant)
    hits = []
    for window in sorted(predicted[:10], key=lambda window: -window[2]):
        best = max(free, key=lambda moment: overlap(window, moment), default=None)
        hits.append(best is not None and overlap(window, best) >= least)
        if hits[-1]:
            free.remove(best)
    curve = [(sum(hits[:n]) / len(relevant), sum(hits[:n]) / n) for n in range(1, len(hits) + 1)]
    levels = sorted({recall for recall, _ in curve if recall})
    steps = np.diff([0.0, *levels])
    return sum(step * max(p for r, p in curve if r >= level) for step, level in zip(steps, levels, strict=True))


def random_items(seed):
    rng = random.Random(seed)

    def window():
        start = rng.randint(0, 100) * 1.37
        return [start, start + rng.randint(1, 45) * 1.11]

    judged = [
        {
            "qid": qid,
            "vid": f"v{qid}",
            "duration": 150,
            "relevant_windows": [window() for _ in range(rng.randint(1, 3))],
        }
        for qid in range(rng.randint(1, 6))
    ]
    predicted = []
    for item in judged:
        near = [[max(0, a + rng.uniform(-3, 3)), b + rng.uniform(3, 5)] for a, b in item["relevant_windows"]]
        windows = [[*w, rng.random()] for w in [*near, *(window() for _ in range(rng.randint(0, 12)))]]
        windows.sort(key=lambda w: -w[2])
        predicted.append({"qid": item["qid"], "vid": item["vid"], "pred_relevant_windows": windows})
    return judged, predicted


LEAST = (0.5, 0.7, 0.95)


@pytest.mark.parametrize("seed", seeds(30))
def test_values_are_those_of_the_definition(seed, evaluate):
    judged, predicted = random_items(seed)
    code, values, err = evaluate(judged, predicted)
    assert code == 0, err
    pairs = [(p["pred_relevant_windows"], j["relevant_windows"]) for p, j in zip(predicted, judged, strict=True)]
    found = [[values["full"][name][str(least)] for least in LEAST] for name in ("MR-mAP", "MR-R1")]
    precision = [np.mean([expected_ap(p, r, least) for p, r in pairs]) for least in LEAST]
    assert found[0] == pytest.approx([100 * value for value in precision], abs=0.0051)
    first = [np.mean([max(overlap(p[0], moment) for moment in r) >= least for p, r in pairs]) for least in LEAST]
    assert found[1] == pytest.approx([100 * value for value in first], abs=0.0051)


def short_precisions(judged, predicted):
    """AP of each question that has short moments, of these."""
    short = [[window for window in item["relevant_windows"] if window[1] - window[0] <= 10] for item in judged]
    pairs = zip((item["pred_relevant_windows"] for item in predicted), short, strict=True)
    return [expected_ap(p, r, 0.5) for p, r in pairs if r]


@pytest.mark.parametrize("seed", [seed for seed in seeds(30) if short_precisions(*random_items(seed))])
def test_short_moments_have_values_of_their_own(seed, evaluate):
    judged, predicted = random_items(seed)
    _, values, _ = evaluate(judged, predicted)
    expected = 100 * np.mean(short_precisions(judged, predicted))
    assert values["short"]["MR-mAP"]["0.5"] == pytest.approx(expected, abs=0.0051)


@pytest.mark.parametrize("seed", seeds(10))
def test_measures_have_the_values_of_the_command(seed, evaluate, tmp_path):
    _, values, _ = evaluate(*random_items(seed))
    qrels, run = read_qrels(tmp_path / "gt.jsonl"), read_run(tmp_path / "pred.jsonl")
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    measures = parse("MomentAP MomentAP(iou=0.75) MomentHit MomentHit(iou=0.7)")
    ours = ir_measures.calc_aggregate(measures, qrels.rename(columns=names), run.rename(columns=names))
    brief = values["brief"]
    theirs = [brief[f"MR-full-{name}"] for name in ("mAP", "mAP@0.75", "R1@0.5", "R1@0.7")]
    assert [100 * ours[measure] for measure in measures] == pytest.approx(theirs, abs=0.0051)


def test_a_question_scores_as_by_hand(evaluate):
    """The first prediction overlaps the second moment by 8 of 12 seconds, the second the first one wholly."""
    judged = [{"qid": 1, "vid": "v", "relevant_windows": [[0, 10], [20, 30]]}]
    predicted = [{"qid": 1, "vid": "v", "pred_relevant_windows": [[22, 32, 0.9], [0, 10, 0.8], [50, 60, 0.1]]}]
    _, values, _ = evaluate(judged, predicted)
    assert values["brief"]["MR-full-mAP@0.5"] == 100
    assert values["brief"]["MR-full-mAP@0.75"] == 25  # one of two, at rank 2
    assert values["brief"]["MR-full-R1@0.5"] == 100
    assert values["brief"]["MR-full-R1@0.7"] == 0


@pytest.mark.parametrize(
    ("good", "scores", "value"),
    [
        ([1, 0, 1, 0], [4, 3, 2, 1], (1 + 2 / 3) / 2),
        ([0, 1], [4, 3], 1 / 2),
        ([1, 0], [3, 3], 1 / 2),  # found together
        ([0, 1, 1], [3, 2, 1], 2 / 3),  # the precision after it is higher
        ([0, 0], [1, 2], 0),
        ([1, 1], [1, 2], 1),
    ],
)
def test_the_precision_of_clips_is_as_by_hand(good, scores, value):
    assert clip_precision(np.array(good, dtype=bool), np.array(scores, dtype=float)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"pred_relevant_windows": [[1, 2]]},
            r"pred.jsonl:1: pred_relevant_windows holds \[1, 2\], not \[start, end, sc",
        ),
        ({"pred_relevant_windows": []}, "has no pred_relevant_windows"),
        ({"qid": 2}, "1 questions are not judged, and 1 judged ones have no line"),
        ({"pred_saliency_scores": []}, "pred_saliency_scores is not a list of numbers"),
        ({"pred_saliency_scores": [1.5]}, "gt.jsonl:1: duration, relevant_clip_ids and saliency_scores"),
    ],
)
def test_bad_input_of_moments_eval_names_the_line(change, message, evaluate):
    judged = [{"qid": 1, "vid": "v", "relevant_windows": [[0, 10]]}]
    predicted = {"qid": 1, "vid": "v", "pred_relevant_windows": [[0, 10, 1]]}
    code, _, err = evaluate(judged, [{**predicted, **change}])
    assert code == 2
    with pytest.raises(ValueError, match=message):
        raise ValueError(err)


def test_frames_hold_milliseconds(tmp_path):
    (tmp_path / "run.jsonl").write_text(
        '{"qid": 7, "vid": "v", "pred_relevant_windows": [[0.25, 1.5, 0.9], [3, 4, 1]]}\n'
    )
    run = read_run(tmp_path / "run.jsonl")
    assert run[["qid", "docno", "score"]].values.tolist() == [["7", "v", 1.0]]
    assert [dict(span) for span in run["passages"].tolist()[0]] == [
        {"start": 250, "end": 1500, "score": 0.9}, {"start": 3000, "end": 4000, "score": 1.0},
    ]  # fmt: skip
    (tmp_path / "run.jsonl").write_text('{"qid": 7, "vid": "v", "pred_relevant_windows": [[4, 3, 0.9]]}\n')
    with pytest.raises(FormatError, match=r"run.jsonl:1: a moment that is before the video or ends before it begins"):
        read_run(tmp_path / "run.jsonl")
