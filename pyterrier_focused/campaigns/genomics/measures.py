"""Measures of the TREC Genomics track: passages (PASSAGE) and the aspects that they cover (ASPECT)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...frames import spans
from ...frames.spans import Floats, Ints, ratio
from ...measures.base import FocusedMeasure, Param
from ...measures.ranking import Judgments, Ranking
from ..pairs import Ranked, first_of_each, pair_up, ranked_spans, running_sum

__all__ = ["AspectAP", "PassageAP"]


def _declare_strict(what: str) -> Param:
    return Param(bool, f"False follows the official program; True {what}", default=False, expects="True or False")


class _PassageAP(FocusedMeasure):
    """Average precision over passages, with precision counted in characters: PASSAGE of the TREC Genomics track.

    A passage is matched with the first highlight of its article, in the order of the qrels, that shares a character
    with it. PassageAP = sum over the matched passages of (characters shared with their highlights so far / characters
    retrieved so far) / (matched passages + highlights that no passage was matched with).

    So the official program counts characters again that are retrieved again, looks at one highlight of a passage only,
    and divides by more than the number of highlights if one is matched several times. strict=True mends this:
    highlights that overlap are one, each character counts once, where it comes first, and PassageAP = sum over the
    highlights of the precision at the first passage that shares a character with them / number of highlights.

    Parameters: strict (default False).
    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: Hersh, Cohen, Roberts and Rekapalli, TREC 2006 Genomics Track Overview; the track's program of 2007.
    """

    OF_ALTERNATIVES = False
    NAME = __name__ = "PassageAP"
    PRETTY_NAME = "Passage Average Precision"
    SHORT_DESC = "Average precision over passages by characters (PASSAGE of TREC Genomics)."
    SUPPORTED_PARAMS = {"strict": _declare_strict("counts each character and each highlight once")}

    def calculate(self, ranking: Ranking) -> Floats:
        return self._score_highlights(ranking) if self["strict"] else self._score_passages(ranking)

    def _score_passages(self, ranking: Ranking) -> Floats:
        n = len(ranking.judgments.topics)
        retrieved = ranked_spans(ranking)
        matches = first_matches(ranking, retrieved)
        passage = matches.passage
        topic = retrieved.topic[passage]
        shared = np.zeros(len(retrieved.topic), dtype=np.int64)
        shared[passage] = matches.shared
        found = running_sum(shared, retrieved.topic, retrieved.bounds)
        read = running_sum(ranking.add_around(retrieved.end - retrieved.start), retrieved.topic, retrieved.bounds)
        total = np.bincount(topic, found[passage] / read[passage], minlength=n)
        which, which_topic = _number_highlights(ranking.judgments)
        never = np.ones(len(which_topic), dtype=bool)
        never[which[matches.highlight]] = False
        return ratio(total, np.bincount(topic, minlength=n) + np.bincount(which_topic[never], minlength=n))

    def _score_highlights(self, ranking: Ranking) -> Floats:
        judgments = ranking.judgments
        retrieved = ranked_spans(ranking)
        row, start, end = spans.union(*judgments.highlights[:3], touching=False)
        shared = spans.intersections(retrieved.judged, retrieved.start, retrieved.end, row, start, end)
        meets = shared.start < shared.end
        # pairs are in the order of the ranking
        first, pair = np.unique(shared.reference[meets], return_index=True)
        precision = ranking.ranked_passages("once").precision[shared.span[meets][pair]]
        n = len(judgments.topics)
        topic = judgments.topic
        return ratio(np.bincount(topic[row[first]], precision, minlength=n), np.bincount(topic[row], minlength=n))


PassageAP = _PassageAP()


class _AspectAP(FocusedMeasure):
    """Average precision over aspects: ASPECT of the TREC Genomics track.

    Needs a column `aspects` in the qrels: beside each highlight the names of the aspects that it covers. A passage is
    matched with the first highlight of its article, in the order of the qrels, that shares a character with it. Down
    the ranking, a passage whose highlight brings k > 0 aspects that are new counts as relevant, one whose highlight
    brings nothing new is left out, and one without a highlight counts as not relevant. AspectAP = sum over the relevant
    passages of k * (relevant so far / counted so far) / number of the topic's aspects.

    The official program looks at one highlight of a passage only; with strict=True a passage brings the aspects of all
    highlights that share a character with it.

    Parameters: strict (default False).
    Range: [0, 1]. An empty ranking scores 0, as does a topic without aspects.
    Source: Hersh, Cohen, Roberts and Rekapalli, TREC 2006 Genomics Track Overview; the track's program of 2007.
    """

    OF_ALTERNATIVES = False
    NAME = __name__ = "AspectAP"
    PRETTY_NAME = "Aspect Average Precision"
    SHORT_DESC = "Average precision over the aspects that passages bring first (ASPECT of TREC Genomics)."
    SUPPORTED_PARAMS = {
        "strict": _declare_strict("takes the aspects of all highlights that a passage shares characters with")
    }
    QRELS_COLUMNS = ("highlights", "aspects")

    def calculate(self, ranking: Ranking) -> Floats:
        judgments = ranking.judgments
        retrieved = ranked_spans(ranking)
        n = len(judgments.topics)
        aspects = judgments.aspects
        matches = all_matches(ranking, retrieved) if self["strict"] else first_matches(ranking, retrieved)
        match, aspect = pair_up(matches.highlight, aspects.highlight)
        passage = matches.passage[match]
        width = int(aspects.code.max(initial=0)) + 1
        # pairs are in the order of the ranking: an aspect is new at the first of its topic's
        _, first = np.unique(retrieved.topic[passage] * width + aspects.code[aspect], return_index=True)
        new = np.bincount(passage[first], minlength=len(retrieved.topic))
        counted = new > 0
        counted |= np.bincount(matches.passage, minlength=len(retrieved.topic)) == 0
        relevant = running_sum(new > 0, retrieved.topic, retrieved.bounds)
        so_far = running_sum(counted, retrieved.topic, retrieved.bounds)
        total = np.bincount(retrieved.topic, new * ratio(relevant, so_far), minlength=n)
        topic_aspects = np.unique(judgments.topic[judgments.highlights.row[aspects.highlight]] * width + aspects.code)
        return ratio(total, np.bincount(topic_aspects // width, minlength=n))


AspectAP = _AspectAP()


class Matches(NamedTuple):
    """Passages and the highlights they share characters with, in the order of the ranking and of the qrels."""

    passage: Ints
    highlight: Ints
    shared: Ints


def all_matches(ranking: Ranking, retrieved: Ranked) -> Matches:
    """List every passage with every highlight of its article that shares a character with it."""
    row, start, end, _ = ranking.judgments.highlights
    if not len(row) or not len(retrieved.judged):
        return Matches(*(np.zeros(0, dtype=np.int64) for _ in Matches._fields))
    order = np.lexsort((start, row))
    start_key, end_key, from_key, to_key = spans.position_keys(
        (row[order], start[order]), (row[order], end[order]),
        (retrieved.judged, retrieved.start), (retrieved.judged, retrieved.end),
    )  # fmt: skip
    # highlights that begin before a passage's end, from the first one on that reaches beyond its start
    first = np.searchsorted(np.maximum.accumulate(end_key), from_key, side="right")
    count = np.maximum(np.searchsorted(start_key, to_key) - first, 0)
    passage = np.repeat(np.arange(len(count)), count)
    highlight = order[spans.ranges(first, count)]
    shared = np.minimum(retrieved.end[passage], end[highlight]) - np.maximum(retrieved.start[passage], start[highlight])
    pairs = np.flatnonzero(shared > 0)
    pairs = pairs[np.lexsort((highlight[pairs], passage[pairs]))]
    return Matches(passage[pairs], highlight[pairs], shared[pairs])


def first_matches(ranking: Ranking, retrieved: Ranked) -> Matches:
    """List every passage with the first highlight, in the order of the qrels, that shares a character with it."""
    matches = all_matches(ranking, retrieved)
    first = first_of_each(matches.passage)
    return Matches(*(column[first] for column in matches))


def _number_highlights(judgments: Judgments) -> tuple[Ints, Ints]:
    """Number the different highlights: (number of each highlight, topic of each number).

    [0, 9) of row 2, [5, 9) of row 0 and [0, 9) of row 2 again have the numbers 1, 0, 1.
    """
    row, start, end, _ = judgments.highlights
    order = np.lexsort((end, start, row))
    keys = np.stack((row, start, end))[:, order]
    new = np.concatenate((np.ones(min(len(order), 1), dtype=bool), np.any(keys[:, 1:] != keys[:, :-1], axis=0)))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return number, judgments.topic[row[order[new]]]
