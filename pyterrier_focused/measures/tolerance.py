"""Tolerance to irrelevance (T2I): what a reader gets out of an article before too much of it was irrelevant.

    article    ..rr....rrrr..........        r: relevant
    returned       [------]
    order      2222111111113333333333        1: returned, and read first; 2 and 3: the rest, from the start

With irr=6 the reader stops after the first two characters of the rest: 4 of the 10 characters read were relevant.
Text around the passages of an article is read before them.
"""

from __future__ import annotations

import numpy as np

from ..frames import spans
from ..frames.columns import Spans
from ..frames.spans import Floats, Ints, ratio
from .ranking import Ranking


def score_tolerance(ranking: Ranking, irr: int, lengths: Ints) -> Floats:
    """Return relevant characters read / characters read for each ranked article, of these *lengths*."""
    articles = np.flatnonzero(ranking.highlighted & (ranking.entry >= 0))
    read = _lay_out(ranking, articles, lengths[articles])
    size = ranking.read_in(read)
    n = len(ranking.topic)
    # relevant text in reading order: the piece of reading that holds it, and its span
    piece, _, start, end = spans.intersections(
        ranking.judged[read.row], read.start, read.end, *ranking.judgments.merged
    )
    relevant = end - start
    read_before = np.cumsum(size) - size
    first_piece = np.searchsorted(read.row, read.row, side="left")
    read_before -= read_before[first_piece]
    ahead = ranking.read_in(Spans(read.row[piece], read.start[piece], start, None))
    article = read.row[piece]
    relevant_before = np.cumsum(relevant) - relevant
    relevant_before -= relevant_before[np.searchsorted(article, article, side="left")]
    irrelevant_before = read_before[piece] + ahead - relevant_before
    irrelevant = spans.sum_by(read.row, size, n) - spans.sum_by(article, relevant, n)
    if ranking.around is not None:
        around = spans.sum_by(ranking.passages.row, ranking.around, n)
        irrelevant_before += around[article]
        irrelevant += around
    found = spans.sum_by(article, np.where(irrelevant_before < irr, relevant, 0), n)
    return ratio(found, found + np.minimum(irrelevant, irr))


def _lay_out(ranking: Ranking, articles: Ints, lengths: Ints) -> Spans:
    """Cut articles into pieces in reading order: the returned passages, then the rest.

    Of an article of 20 characters with passages [12, 15) and [4, 8): [4, 8) [12, 15), then [0, 4) [8, 12) [15, 20).
    """
    parts = ranking.passages
    wanted = np.isin(parts.row, articles)
    row, start, end = spans.union(parts.row[wanted], parts.start[wanted], parts.end[wanted])
    columns = [np.concatenate(pair) for pair in ((row, articles), (start, np.zeros_like(articles)), (end, lengths))]
    # each character belongs to the passages, which come first, or else to the whole article after them
    owner, first, last = spans.novel(*columns)
    order = np.lexsort((first, owner >= len(row), columns[0][owner]))
    return Spans(columns[0][owner][order], first[order], last[order], None)
