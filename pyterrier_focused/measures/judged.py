"""How far a ranking can be trusted: the share of its text that lies in judged articles."""

from __future__ import annotations

import numpy as np

from ..frames.spans import sum_by
from .base import OVERLAP, Amounts, RatioMeasure, cutoff
from .ranking import Ranking


class _CharJudged(RatioMeasure):
    """The share of the retrieved text that lies in articles which somebody judged.

    CharJudged@r = sum of size(p_i) of the passages in judged articles / sum of size(p_i), i = 1..r. Text of unjudged
    articles counts as not relevant in the other measures, though nobody has read it: where this is low, they say
    little. Without @r all passages count; where fewer than r were retrieved, those there are. The same over articles
    is Judged@k of ir_measures.

    Parameters: cutoff (r, passages); overlap ('error', 'once').
    Range: [0, 1]. An empty ranking scores 0.
    Source: Sakai, Alternatives to Bpref, SIGIR 2007 (judged documents in a ranking), over characters.
    """

    NAME = __name__ = "CharJudged"
    PRETTY_NAME = "Judged Characters"
    SHORT_DESC = "The share of the retrieved text that lies in judged articles."
    SUPPORTED_PARAMS = {
        "cutoff": cutoff("number of passages counted, from the top; without it all"),
        "overlap": OVERLAP,
    }

    def fractions(self, ranking: Ranking) -> tuple[Amounts, Amounts]:
        passages, parts = ranking.ranked_passages(self["overlap"]), ranking.passages
        judged = ranking.judged[parts.row[ranking.passage_ranking]] >= 0
        limit = self.param("cutoff")
        counted = np.ones(len(judged), dtype=bool)
        if limit is not None:
            counted = np.arange(len(judged)) - passages.bounds[passages.topic] < limit
        topics, size = len(ranking.judgments.topics), passages.size * counted
        return sum_by(passages.topic, size * judged, topics), sum_by(passages.topic, size, topics)
