"""MAiSP of MediaEval's hyperlinking task: precision over the seconds that a user watches, at levels of recall."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Floats, Ints
from ..base import FocusedMeasure, Param
from ..ranking import Ranking
from ..span_pairs import Ranked, ranked_spans
from .segments import merged


class _MAiSP(FocusedMeasure):
    """Mean average interpolated segment precision: maisp of sh_eval.

    A user watches the retrieved segments of video in turn, each from its start to its end, or to the end of the last
    relevant segment that it meets, if that is later. Relevant seconds count where they are watched first. Precision is
    relevant seconds / all seconds watched, interpolated: the highest at any point from a level of recall on. MAiSP =
    mean of the interpolated precision over the levels of recall from 0 to 100 percent.

    The official program loses seconds: it takes away one too many if part of a relevant segment has been watched,
    jumps too far ahead after the first relevant segment that a retrieved one meets, takes precision as 1 at level 0,
    and rounds the levels to seconds, so that there may be up to 149 of them and the last may be out of reach (149
    relevant seconds, a perfect ranking: 148/149). strict=True counts every second, and takes 101 levels.

    Parameters: strict (default False).
    Range: [0, 1]. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: Racca and Jones, Evaluating Search and Hyperlinking: An Example of the Design, Test, Refine Cycle for Metric
    Development, MediaEval 2015; sh_eval.
    """

    OF_ALTERNATIVES = False
    NAME = __name__ = "MAiSP"
    PRETTY_NAME = "Mean Average interpolated Segment Precision"
    SHORT_DESC = "The mean over recall levels of interpolated precision over seconds watched (maisp of sh_eval)."
    SUPPORTED_PARAMS = {
        "strict": Param(
            bool,
            "False follows the official program; True counts every second and takes 101 levels of recall",
            default=False,
            expects="True or False",
        )
    }

    def calculate(self, ranking: Ranking) -> Floats:
        if self["strict"]:
            return np.array([_score_exactly(topic) for topic in viewings(ranking)])
        return np.array([watch(topic).maisp for topic in viewings(ranking)])


MAiSP = _MAiSP()


class Viewing(NamedTuple):
    """One topic: its ranked segments of videos with relevant segments, and these segments, merged.

    `video` is a key of `relevant` for each ranked segment; `elsewhere` counts the seconds that are ranked before it in
    videos without relevant segments.
    """

    video: list[int]
    start: list[int]
    end: list[int]
    elsewhere: list[int]
    elsewhere_total: int
    relevant: dict[int, list[tuple[int, int]]]


class Watched(NamedTuple):
    """What sh_eval counts for one topic.

    `interpolated` is at the points of recall that are reached, the one at 0 left out.
    """

    relevant_seconds: int
    retrieved_seconds: int
    found_seconds: int
    interpolated: list[float]
    points: int

    @property
    def maisp(self) -> float:
        return (1.0 + sum(self.interpolated)) / self.points if self.interpolated else 0.0

    def at(self, point: int) -> float:
        """Return interpolated precision at a point of recall: 5 is the sixth after 0."""
        return self.interpolated[point] if point < len(self.interpolated) else 0.0


def viewings(ranking: Ranking) -> list[Viewing]:
    """Lay out each topic of the judgments."""
    judgments = ranking.judgments
    retrieved = ranked_spans(ranking)
    relevant = merged(judgments.highlights)
    is_relevant = np.zeros(len(judgments.topic), dtype=bool)
    is_relevant[relevant.row] = True
    inside = (retrieved.judged >= 0) & (is_relevant[retrieved.judged] if len(is_relevant) else False)
    seconds = np.where(inside, 0, np.maximum(retrieved.end - retrieved.start, 0))
    before = np.concatenate(([0], np.cumsum(seconds)))
    videos: list[dict[int, list[tuple[int, int]]]] = [{} for _ in judgments.topics]
    topics = judgments.topic[relevant.row].tolist()
    rows = zip(topics, relevant.row.tolist(), relevant.start.tolist(), relevant.end.tolist(), strict=True)
    for topic, row, start, end in rows:
        videos[topic].setdefault(row, []).append((start, end))
    return [_lay_out_topic(retrieved, inside, before, topic, videos[topic]) for topic in range(len(videos))]


def _lay_out_topic(
    retrieved: Ranked, inside: NDArray[np.bool_], before: Ints, topic: int, relevant: dict[int, list[tuple[int, int]]]
) -> Viewing:
    first = int(retrieved.bounds[topic])
    last = int(retrieved.bounds[topic + 1])
    rows = first + np.flatnonzero(inside[first:last])
    return Viewing(
        retrieved.judged[rows].tolist(),
        retrieved.start[rows].tolist(),
        retrieved.end[rows].tolist(),
        (before[rows] - before[first]).tolist(),
        int(before[last] - before[first]),
        relevant,
    )


def recall_points(seconds: int) -> list[int]:
    """Return the points of recall at which sh_eval takes precision, in relevant seconds."""
    if seconds <= 100:
        return list(range(seconds + 1))
    rest = seconds % 100
    points = list(range(0, seconds, seconds // 100 if rest <= 50 else -(-seconds // 100)))
    points[-1] += rest
    return points


def watch(topic: Viewing) -> Watched:
    """Follow sh_eval's user through a topic, with all that the program does to the seconds."""
    total = sum(max(end - start, 0) for pieces in topic.relevant.values() for start, end in pieces)
    points = recall_points(total)
    unseen = dict(topic.relevant)
    found = 0
    inside = 0
    reached = 1
    precision: list[float] = []
    for video, start, end, elsewhere in zip(topic.video, topic.start, topic.end, topic.elsewhere, strict=True):
        position = start
        watched = 0
        left = []
        for first, last in unseen[video]:
            if not (first <= position <= last or position <= first <= end):
                left.append((first, last))
                continue
            begin = max(first, position)
            gain = max(0, last - begin)
            found += gain
            watched += begin - position + gain
            while reached < len(points) and points[reached] <= found:
                point = points[reached]
                precision.append(point / (elsewhere + inside + watched - (found - point)))
                reached += 1
            if begin - 1 > first:
                left.append((first, begin - 1))
            # all that was watched of this segment so far, not only of this piece
            position += watched
        unseen[video] = left
        inside += max(watched, end - start)
    interpolated = np.maximum.accumulate(np.array(precision)[::-1])[::-1].tolist()
    return Watched(total, topic.elsewhere_total + inside, found, interpolated, len(points))


def _score_exactly(topic: Viewing) -> float:
    """Return mean interpolated precision at 101 levels of recall, every second counted."""
    total = sum(end - start for pieces in topic.relevant.values() for start, end in pieces)
    unseen = dict(topic.relevant)
    inside = 0
    found = 0
    # (relevant seconds, all seconds) at the end of each piece watched
    ends: list[tuple[int, int]] = []
    for video, start, end, elsewhere in zip(topic.video, topic.start, topic.end, topic.elsewhere, strict=True):
        until = end
        left = []
        for first, last in unseen[video]:
            if max(first, start) >= min(last, end):
                left.append((first, last))
                continue
            begin = max(first, start)
            found += last - begin
            until = max(until, last)
            ends.append((found, elsewhere + inside + last - start))
            if begin > first:
                left.append((first, begin))
        unseen[video] = left
        inside += until - start
    best = 0.0
    values = [0.0] * 101
    level = 100
    for relevant, seconds in reversed(ends):
        while level >= 0 and 100 * relevant < level * total:
            values[level] = best
            level -= 1
        best = max(best, relevant / seconds)
    values[: level + 1] = [best] * (level + 1)
    return sum(values) / 101
