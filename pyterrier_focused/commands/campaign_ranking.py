"""The lines of a campaign's run joined with its judgments, in the order of the run, for the drop-in commands."""

from __future__ import annotations

import numpy as np

from ..frames import Spans
from ..io.fol import FolColumns
from ..measures.ranking import Judgments, Ranking


def rank_lines(run: FolColumns, judgments: Judgments) -> Ranking:
    """Rank the judged topics' lines as they stand: articles by their first line, every line a passage."""
    codes = {name: code for code, name in enumerate(judgments.topics)}
    known = np.array([codes.get(name, -1) for name in run.topics], dtype=np.int64)
    lines = np.flatnonzero(known[run.topic] >= 0) if len(known) else np.zeros(0, dtype=np.int64)
    topic, article = known[run.topic[lines]], run.article[lines]
    _, first, inverse = np.unique(topic * max(len(run.articles), 1) + article, return_index=True, return_inverse=True)
    order = np.lexsort((first, topic[first]))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    row, head = place[inverse.reshape(-1)], first[order]
    by_row = np.argsort(row, kind="stable")
    docno = np.array([run.articles[code] for code in article[head].tolist()], dtype=object)
    rows = zip(judgments.topic.tolist(), judgments.docno.tolist(), strict=True)
    judged = {pair: at for at, pair in enumerate(rows)}
    pairs = zip(topic[head].tolist(), docno.tolist(), strict=True)
    start, end = run.start[lines][by_row], run.end[lines][by_row]
    return Ranking(
        judgments,
        topic[head],
        docno,
        -head.astype(np.float64),
        np.array([judged.get(pair, -1) for pair in pairs], dtype=np.int64),
        Spans(row[by_row], start, end, -by_row.astype(np.float64)),
    )
