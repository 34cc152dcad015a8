"""Measures of MediaEval's and TRECVID's hyperlinking tasks: ranked segments of video, in seconds.

Spans are half-open everywhere else; the official program, sh_eval, treats them in three ways, which `relevance` names:

    overlap    both ends belong to a segment: [10, 20] and [20, 30] meet
    bin        a segment is the bins of `bin` seconds that it covers; each bin counts once
    tolerance  a user who starts at a segment's start meets what begins within `tolerance` seconds; half-open
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from ir_measures.measures import ParamInfo
from numpy.typing import NDArray

from ...frames.spans import Floats, Ints, Spans, ranges, ratio, union
from ..base import FocusedMeasure, Param, cutoff
from ..ranking import Judgments, Ranking
from ..span_pairs import Ranked, pair_up, ranked_spans, running_sum

RELEVANT, NOT_RELEVANT, UNJUDGED, RELEVANT_SEEN, NOT_RELEVANT_SEEN = range(5)


_PARAMS: dict[str, ParamInfo] = {
    "relevance": Param(
        str,
        "'overlap': it touches a relevant segment; 'bin': it is in a relevant bin; 'tolerance': relevant content "
        "begins soon after its start, and it was not seen before",
        default="overlap",
        choices=("overlap", "bin", "tolerance"),
    ),
    "bin": cutoff("length of a bin in seconds, for relevance='bin'", default=300),
    "tolerance": cutoff("seconds a user watches for relevant content, for relevance='tolerance'", default=15),
    "strict": Param(
        bool,
        "False follows the official program; True counts each relevant segment once, and lets segments that only touch "
        "not meet",
        default=False,
        expects="True or False",
    ),
}


class _Segment(FocusedMeasure):
    """A measure of the states of ranked segments: relevant, not relevant or unjudged."""

    OF_ALTERNATIVES = False
    SUPPORTED_PARAMS = _PARAMS

    def states(self, ranking: Ranking) -> States:
        """Judge the ranked segments or bins."""
        relevance = self["relevance"]
        strict = self["strict"]
        if relevance == "bin":
            return bin_states(ranking, self["bin"])
        if relevance == "tolerance":
            return tolerance_states(ranking, self["tolerance"], once=strict)
        return overlap_states(ranking, strict=strict)


class _SegmentAP(_Segment):
    """Average precision over ranked segments of video: map, map_bin and map_tol of sh_eval.

    SegmentAP = sum over the relevant ranks of precision / number of relevant segments (bins). Relevant segments that
    overlap or touch are merged before they count.

    relevance='overlap': a segment is relevant if it touches a relevant one. The official program remembers nothing,
    so that several segments on one relevant segment all count, and the value can exceed 1. relevance='bin': the ranking
    becomes a list of bins, each at its first rank; relevant is a bin that a relevant segment, not merged, is in.
    relevance='tolerance': a segment is relevant if relevant content lies in the `tolerance` seconds from its start
    and it shares no second with what was watched before: from the start of an earlier relevant segment to the end of
    the relevant content it led to, at least `tolerance` seconds.

    strict=True gives what the definition promises: a segment is relevant if it meets, by a second at least, a
    relevant segment that no segment before it has met; bins need no mending.

    Parameters: relevance ('overlap', 'bin' or 'tolerance'); bin (seconds, default 300); tolerance (seconds, default
    15); strict (default False).
    Range: [0, 1], without strict=True above 1 if segments are found again. An empty ranking scores 0, as does a
    topic with nothing relevant.
    Source: Aly, Eskevich, Ordelman and Jones, Adapting Binary Information Retrieval Evaluation Metrics for
    Segment-based Retrieval Tasks, 2013; sh_eval.
    """

    NAME = __name__ = "SegmentAP"
    PRETTY_NAME = "Segment Average Precision"
    SHORT_DESC = "Average precision over ranked segments of video (map, map_bin and map_tol of sh_eval)."

    def calculate(self, ranking: Ranking) -> Floats:
        return self.states(ranking).average_precision()


SegmentAP = _SegmentAP()


class _SegmentP(_Segment):
    """Precision of the first k segments of video: P_k, P_k_bin and P_k_tol of sh_eval.

    SegmentP@k = relevant ones among the first k segments (bins) / k, also if fewer than k were retrieved. What is
    relevant is as in SegmentAP, with its parameters.

    Parameters: cutoff (k, segments or bins); relevance, bin, tolerance, strict as in SegmentAP.
    Range: [0, 1]. An empty ranking scores 0.
    Source: as SegmentAP.
    """

    NAME = __name__ = "SegmentP"
    PRETTY_NAME = "Segment Precision"
    SHORT_DESC = "The share of relevant ones among the first k segments of video (P_k of sh_eval)."
    SUPPORTED_PARAMS = {"cutoff": cutoff("number of segments, or bins", required=True), **_PARAMS}

    def calculate(self, ranking: Ranking) -> Floats:
        states = self.states(ranking)
        return states.share(states.state == RELEVANT, self["cutoff"])


SegmentP = _SegmentP()


class _SegmentJudged(_Segment):
    """Share of judged ones among the first k segments of video: Judged_k of sh_eval.

    SegmentJudged@k = segments (bins) among the first k that meet a segment judged relevant or not relevant / k. Needs
    the column `not_relevant` in the qrels: what was judged and found not relevant, as spans.

    Parameters: cutoff (k, segments or bins); relevance, bin, tolerance, strict as in SegmentAP.
    Range: [0, 1]. An empty ranking scores 0.
    Source: as SegmentAP.
    """

    NAME = __name__ = "SegmentJudged"
    PRETTY_NAME = "Judged Segments"
    SHORT_DESC = "The share of judged ones among the first k segments of video (Judged_k of sh_eval)."
    SUPPORTED_PARAMS = {"cutoff": cutoff("number of segments, or bins", required=True), **_PARAMS}
    QRELS_COLUMNS = ("highlights", "not_relevant")

    def calculate(self, ranking: Ranking) -> Floats:
        # an error if the qrels lack it
        _ = ranking.judgments.not_relevant
        states = self.states(ranking)
        return states.share(states.state != UNJUDGED, self["cutoff"])


SegmentJudged = _SegmentJudged()


class States(NamedTuple):
    """Ranked segments or bins, topic by topic: topic t's are bounds[t]:bounds[t + 1].

    States are RELEVANT, NOT_RELEVANT, ...; `relevant` counts the relevant segments or bins of each topic.
    """

    bounds: Ints
    state: Ints
    relevant: Ints

    def average_precision(self) -> Floats:
        """Return the sum of the precision at each relevant rank over the number of relevant ones."""
        topic = np.repeat(np.arange(len(self.relevant)), np.diff(self.bounds))
        hit = self.state == RELEVANT
        rank = np.arange(1, len(topic) + 1) - self.bounds[:-1][topic]
        precision = running_sum(hit, topic, self.bounds)[hit] / rank[hit]
        return ratio(np.bincount(topic[hit], precision, minlength=len(self.relevant)), self.relevant)

    def share(self, which: NDArray[np.bool_], cutoff: int) -> Floats:
        """Count those among the first *cutoff* of each topic, over *cutoff*."""
        topic = np.repeat(np.arange(len(self.relevant)), np.diff(self.bounds))
        first = np.arange(len(topic)) - self.bounds[:-1][topic] < cutoff
        share: Floats = np.bincount(topic[which & first], minlength=len(self.relevant)) / cutoff
        return share


def merged(spans: Spans) -> Spans:
    """Merge segments of one row that overlap or touch, as sh_eval does: neighbours in the order of start and end."""
    if np.all(spans.start <= spans.end):
        return Spans(*union(spans.row, spans.start, spans.end), None)
    # an end before its start does happen: 15.2 is 15:02
    order = np.lexsort((spans.end, spans.start, spans.row))
    found: list[tuple[int, int, int]] = []
    columns = (column[order].tolist() for column in (spans.row, spans.start, spans.end))
    row = -1
    start = 0
    end = 0
    for next_row, next_start, next_end in zip(*columns, strict=True):
        if next_row == row and (next_start <= end or (next_start == start and start <= next_end)):
            end = max(end, next_end)
        else:
            found.append((row, start, end))
            row = next_row
            start = next_start
            end = next_end
    found.append((row, start, end))
    flat = np.array(found[1:], dtype=np.int64).reshape(-1, 3).T.copy()
    return Spans(flat[0], flat[1], flat[2], None)


def overlap_states(ranking: Ranking, strict: bool = False) -> States:
    """Judge segments by whether they touch a merged judged one; *strict*: share a second, each relevant one once."""
    judgments = ranking.judgments
    retrieved = ranked_spans(ranking)
    relevant = merged(judgments.highlights)
    state = np.full(len(retrieved.topic), UNJUDGED)
    if judgments.not_relevant_spans is not None:
        state[_find_meetings(retrieved, merged(judgments.not_relevant_spans), strict)[0]] = NOT_RELEVANT
    segment, reference = _find_meetings(retrieved, relevant, strict)
    if strict:
        state[segment] = NOT_RELEVANT
        # the first that meets each
        segment = segment[np.unique(reference, return_index=True)[1]]
    state[segment] = RELEVANT
    return States(retrieved.bounds, state, _count_segments(judgments, relevant.row))


def _find_meetings(retrieved: Ranked, spans: Spans, strict: bool) -> tuple[Ints, Ints]:
    segment, reference = pair_up(retrieved.judged, spans.row)
    start = retrieved.start[segment]
    end = retrieved.end[segment]
    first = spans.start[reference]
    last = spans.end[reference]
    if strict:
        meet = np.maximum(start, first) < np.minimum(end, last)
    else:
        meet = ((first <= start) & (start <= last)) | ((start <= first) & (first <= end))
    return segment[meet], reference[meet]


def bin_states(ranking: Ranking, size: int) -> States:
    """Judge the bins of *size* seconds that segments cover, each at its first rank."""
    judgments = ranking.judgments
    retrieved = ranked_spans(ranking)
    # a video is a row of the judgments, or, if it is not judged, of the ranking
    video = ranking.passages.row[ranking.passage_ranking]
    segment, covered = _list_bins(video, retrieved.start, retrieved.end, size)
    width = int(covered.max(initial=0)) + 1
    _, first = np.unique(video[segment] * width + covered, return_index=True)
    first = np.sort(first)
    segment = segment[first]
    covered = covered[first]
    row = retrieved.judged[segment]
    topic = retrieved.topic[segment]
    state = np.full(len(first), UNJUDGED)
    count: Ints = np.zeros(len(judgments.topics), dtype=np.int64)
    for spans, value in ((judgments.not_relevant_spans, NOT_RELEVANT), (judgments.highlights, RELEVANT)):
        if spans is None:
            continue
        judged, number = _list_bins(spans.row, spans.start, spans.end, size)
        stride = max(int(number.max(initial=0)) + 1, width)
        keys = np.unique(spans.row[judged] * stride + number)
        # a video that is not judged has row -1: no key is negative
        state[np.isin(row * stride + covered, keys)] = value
        count = _count_segments(judgments, keys // stride)
    return States(np.searchsorted(topic, np.arange(len(judgments.topics) + 1)), state, count)


def _list_bins(video: Ints, start: Ints, end: Ints, size: int) -> tuple[Ints, Ints]:
    """List the bins that segments of videos cover: (segment, bin); the second at the end is not covered.

    Of segments that cover the same bins of a video only the first is listed. Segments [0, 20) and [25, 41) of one
    video, in bins of 10 seconds, make segment 0 0 1 1 1 and bin 0 1 2 3 4.
    """
    first = start // size
    count = np.maximum((end - 1) // size - first + 1, 0)
    order = np.lexsort((count, first, video))
    again = np.zeros(len(order), dtype=bool)
    again[order[1:]] = np.all([np.diff(column[order]) == 0 for column in (video, first, count)], axis=0)
    count = np.where(again, 0, count)
    return np.repeat(np.arange(len(start)), count), ranges(first, count)


def tolerance_states(ranking: Ranking, tolerance: int, once: bool = False) -> States:
    """Judge segments by what a user meets who watches from their start; *once*: each relevant segment counts once."""
    judgments = ranking.judgments
    retrieved = ranked_spans(ranking)
    relevant = merged(judgments.highlights)
    start = retrieved.start
    end = np.where(retrieved.end == 0, start + 1, retrieved.end)
    segment, reference = pair_up(retrieved.judged, relevant.row)
    window = np.minimum(start[segment] + tolerance, relevant.end[reference])
    hit = np.maximum(start[segment], relevant.start[reference]) < window
    segment = segment[hit]
    reference = reference[hit]
    reach = start + tolerance
    np.maximum.at(reach, segment, relevant.end[reference])
    state = np.full(len(start), UNJUDGED)
    if judgments.not_relevant_spans is not None:
        state[_find_meetings(retrieved._replace(end=end), merged(judgments.not_relevant_spans), strict=True)[0]] = (
            NOT_RELEVANT
        )
    state[segment] = RELEVANT
    new: dict[int, set[int]] = {}
    if once:
        for leading, led_to in zip(segment.tolist(), reference.tolist(), strict=True):
            new.setdefault(leading, set()).add(led_to)
    _mark_seen(state, retrieved.judged, start, end, reach, new)
    return States(retrieved.bounds, state, _count_segments(judgments, relevant.row))


def _mark_seen(state: Ints, row: Ints, start: Ints, end: Ints, reach: Ints, new: dict[int, set[int]]) -> None:
    """Walk the judged segments in rank order: those that meet a second watched before are marked as seen.

    *new*: the relevant segments that each one leads to, if these count once.
    """
    judged = np.flatnonzero(state != UNJUDGED)
    watched: dict[int, set[tuple[int, int]]] = {}
    found: set[int] = set()
    columns = (column[judged].tolist() for column in (row, start, end, reach, state))
    for position, video, first, last, until, relevant in zip(judged.tolist(), *columns, strict=True):
        seen = any(max(first, a) < min(last, b) for a, b in watched.get(video, ()))
        seen = seen or (position in new and not new[position] - found)
        if relevant != RELEVANT:
            state[position] = NOT_RELEVANT_SEEN if seen else NOT_RELEVANT
        elif seen:
            state[position] = RELEVANT_SEEN
        else:
            watched.setdefault(video, set()).add((first, until))
            found |= new.get(position, set())


def _count_segments(judgments: Judgments, row: Ints) -> Ints:
    return np.bincount(judgments.topic[row], minlength=len(judgments.topics))
