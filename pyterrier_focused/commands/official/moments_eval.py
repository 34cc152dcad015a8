"""`pt-focused moments-eval`: the scoring program of QVHighlights, for moments and highlights of videos."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import FormatError
from ...frames.spans import Floats
from ...io.campaigns.moments import JUDGED, PREDICTED, Moments, read_moments
from ...io.reading.files import write_bytes
from ..options import InputPath, OutputPath

if TYPE_CHECKING:
    from ...io.reading.json import JsonObject

THRESHOLDS = tuple(percent / 100 for percent in range(50, 100, 5))
LENGTHS = {"short": (0, 10), "middle": (10, 30), "long": (30, 150), "full": (0, 150)}
# So many predictions of a question count for average precision.
PREDICTIONS = 10
# The seconds of a clip.
CLIP = 2
LEVELS = {"Fair": 2, "Good": 3, "VeryGood": 4}

Windows = dict[str, list[list[float]]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--submission_path", required=True, metavar="FILE", type=InputPath, help="predictions, one JSON object per line"
    )
    parser.add_argument(
        "--gt_path", required=True, metavar="FILE", type=InputPath, help="judged moments, one JSON object per line"
    )
    parser.add_argument("--save_path", metavar="FILE", type=OutputPath, help="file to write the values to, as JSON")
    parser.add_argument("--not_verbose", action="store_true", help="do not print the values")


def run(arguments: argparse.Namespace) -> int:
    """Print what the official program computes: values in percent, to two decimal places."""
    submitted = read_moments(arguments.submission_path, PREDICTED)
    judged = read_moments(arguments.gt_path, JUDGED)
    _check_questions(submitted, judged, arguments)
    values = score_submission(submitted, judged)
    text = json.dumps(values, indent=4)
    if not arguments.not_verbose:
        print(text)
    if arguments.save_path:
        write_bytes(arguments.save_path, text.encode())
    return 0


def _check_questions(submitted: list[Moments], judged: list[Moments], arguments: argparse.Namespace) -> None:
    """Raise FormatError unless both files have the same questions, each with something to score."""
    both = {item.qid for item in submitted}, {item.qid for item in judged}
    if both[0] != both[1] or not judged:
        some = sorted(both[0] ^ both[1])[:3]
        raise FormatError(
            f"{len(both[0] - both[1])} questions are not judged, and {len(both[1] - both[0])} judged ones have no line "
            f"(such as {', '.join(some)}); the official program wants the same questions in both files",
            file=arguments.submission_path,
        )  # fmt: skip
    for items, windows, name in (
        (submitted, PREDICTED, arguments.submission_path), (judged, JUDGED, arguments.gt_path),
    ):  # fmt: skip
        for item in items:
            if not item.record[windows]:
                raise FormatError(f"question {item.qid!r} has no {windows}", file=name, line=item.line)
    _check_highlights(submitted, judged, arguments)


def _check_highlights(submitted: list[Moments], judged: list[Moments], arguments: argparse.Namespace) -> None:
    """Raise FormatError if saliency is predicted in the first line, and a line has none, or no judgment of it."""
    if "pred_saliency_scores" not in submitted[0].record:
        return
    for item in submitted:
        scores = item.record.get("pred_saliency_scores")
        if not (isinstance(scores, list) and scores and all(type(score) in (int, float) for score in scores)):
            fault = "pred_saliency_scores is not a list of numbers, as it is in the first line"
            raise FormatError(fault, file=arguments.submission_path, line=item.line)
    for item in judged:
        try:
            _read_clip_scores(item)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            fault = "duration, relevant_clip_ids and saliency_scores (three for each clip) do not fit together"
            raise FormatError(fault, file=arguments.gt_path, line=item.line) from None


def score_submission(submitted: list[Moments], judged: list[Moments]) -> JsonObject:
    """Return all values by the names of the official program."""
    predicted = {item.qid: item.record[PREDICTED] for item in submitted}
    relevant = {item.qid: item.record[JUDGED] for item in judged}
    values = {name: _score_moments(predicted, relevant, name) for name in LENGTHS}
    full = values["full"]
    brief = {
        "MR-full-R1@0.5": full["MR-R1"]["0.5"],
        "MR-full-R1@0.7": full["MR-R1"]["0.7"],
        "MR-full-mAP": full["MR-mAP"]["average"],
        "MR-full-mAP@0.5": full["MR-mAP"]["0.5"],
        "MR-full-mAP@0.75": full["MR-mAP"]["0.75"],
        **{f"MR-{name}-mAP": values[name]["MR-mAP"]["average"] for name in ("long", "middle", "short")},
    }
    if "pred_saliency_scores" in submitted[0].record:
        for level, least in LEVELS.items():
            scores = _score_highlights(submitted, judged, least)
            values[f"HL-min-{level}"] = scores
            brief |= {f"HL-min-{level}-{name.removeprefix('HL-')}": value for name, value in scores.items()}
    return {"brief": brief, **dict(sorted(values.items()))}


def _score_moments(predicted: Windows, relevant: Windows, name: str) -> JsonObject:
    """Score the questions with moments of a length, of whose moments only those count."""
    least, most = LENGTHS[name]
    if name != "full":
        relevant = {qid: [w for w in windows if least < w[1] - w[0] <= most] for qid, windows in relevant.items()}
    asked = [qid for qid in predicted if relevant[qid]]
    share = f"{len(asked)}/{len(relevant)}={100 * len(asked) / len(relevant):.2f}"
    print(f"{name}: [{least}, {most}], {share} examples.", file=sys.stderr)
    if not asked:
        nothing = {str(threshold): float("nan") for threshold in THRESHOLDS}
        return {"MR-mAP": {**nothing, "average": float("nan")}, "MR-R1": nothing}
    precision = np.array([average_precisions(predicted[qid], relevant[qid]) for qid in asked]).mean(axis=0)
    best = np.array([overlaps(predicted[qid][:1], relevant[qid]).max() for qid in asked])
    return {
        "MR-mAP": {**_list_percent(THRESHOLDS, precision), "average": _to_percent(float(np.mean(precision)))},
        "MR-R1": _list_percent(THRESHOLDS, [float(np.mean(best >= threshold)) for threshold in THRESHOLDS]),
    }


def _list_percent(names: Sequence[float], values: Sequence[float] | Floats) -> dict[str, float]:
    return {str(name): _to_percent(float(value)) for name, value in zip(names, values, strict=True)}


def _to_percent(value: float) -> float:
    return float(f"{100 * value:.2f}")


def overlaps(predicted: list[list[float]], relevant: list[list[float]]) -> Floats:
    """Return intersection over union of each predicted window (rows) with each of the relevant ones (columns)."""
    start, end = np.array([window[:2] for window in predicted], dtype=np.float64).T[:, :, None]
    begin, stop = np.array([window[:2] for window in relevant], dtype=np.float64).T[:, None, :]
    shared = np.maximum(np.minimum(end, stop) - np.maximum(start, begin), 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        values: Floats = shared / ((end - start) + (stop - begin) - shared)
    return values


def average_precisions(predicted: list[list[float]], relevant: list[list[float]]) -> list[float]:
    """Return the interpolated average precision of a question's predictions at each of THRESHOLDS.

    By descending score a prediction takes the relevant moment that it overlaps most and that no other has taken.
    """
    ranked = sorted(predicted[:PREDICTIONS], key=lambda window: -window[2])
    overlap = overlaps(ranked, relevant)
    choices = [row.argsort()[::-1].tolist() for row in overlap]
    return [_average_precision_of(_find_hits(overlap, choices, least), len(relevant)) for least in THRESHOLDS]


def _find_hits(overlap: Floats, choices: list[list[int]], least: float) -> NDArray[np.bool_]:
    """Tell which predictions take a relevant moment."""
    taken: set[int] = set()
    hits = np.zeros(len(overlap), dtype=bool)
    for prediction, order in enumerate(choices):
        for moment in order:
            if overlap[prediction, moment] < least:
                break
            if moment not in taken:
                taken.add(moment)
                hits[prediction] = True
                break
    return hits


def _average_precision_of(hits: NDArray[np.bool_], n_relevant: int) -> float:
    """Sum, over the ranks of hits, the highest precision at this rank or after it, over the relevant ones."""
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return float(best[hits].sum() / n_relevant)


def _score_highlights(submitted: list[Moments], judged: list[Moments], least: int) -> dict[str, float]:
    """Score saliency: whether the best clip is good, and average precision of clips, for each of three judges."""
    good = {item.qid: _read_clip_scores(item) >= least for item in judged}
    precisions = []
    hits = []
    for item in submitted:
        clips = good[item.qid]
        scores = np.array(item.record["pred_saliency_scores"], dtype=np.float64)
        best = int(np.argmax(scores))
        hits.append(bool(best < len(clips) and clips[best].any()))
        padded = np.zeros(len(clips))
        padded[: len(scores)] = scores[: len(clips)]
        precisions += [clip_precision(clips[:, judge], padded) for judge in range(3)]
    return {"HL-mAP": _to_percent(float(np.mean(precisions))), "HL-Hit1": _to_percent(float(np.mean(hits)))}


def _read_clip_scores(item: Moments) -> NDArray[np.float64]:
    """Return the scores of three judges for each clip of a video; 0 if a clip was not found relevant."""
    record = item.record
    scores = np.zeros((int(record["duration"] / CLIP), 3))
    scores[np.array(record["relevant_clip_ids"], dtype=np.int64)] = np.array(record["saliency_scores"])
    return scores


def clip_precision(good: NDArray[np.bool_], scores: Floats) -> float:
    """Return the mean, over the scores at which good clips are found, of the highest precision there or before it.

    Clips of one score are found together.
    """
    if not len(good) or good.all() or not good.any():
        return float(bool(len(good)) and bool(good.all()))
    order = np.argsort(-scores, kind="stable")
    # The last position of each score.
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    found = np.cumsum(good[order])[last]
    precision = found / (last + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    new = np.diff(found, prepend=0) > 0
    return float(np.mean(best[new]))
