"""The lines of a campaign's run joined with its judgments, in the order of the run, for the drop-in commands."""

from __future__ import annotations

import numpy as np

from ..frames.items import RunPassages
from ..frames.spans import Ints, Spans, ranges
from ..io.reading.run_columns import FolColumns
from ..measures.ranking import Judgments, Ranking
from .pairs import first_of_each


def rank_lines(run: FolColumns, judgments: Judgments) -> Ranking:
    """Rank the judged topics' lines as they are: articles by their first line, every line a passage."""
    codes = {name: code for code, name in enumerate(judgments.topics)}
    code_of = np.array([codes.get(name, -1) for name in run.topics], dtype=np.int64)
    lines = np.flatnonzero(code_of[run.topic] >= 0) if len(code_of) else np.zeros(0, dtype=np.int64)
    topic = code_of[run.topic[lines]]
    article = run.article[lines]
    pair = topic * max(len(run.articles), 1) + article
    by_pair = np.argsort(pair, kind="stable")
    begins = first_of_each(pair[by_pair])
    first_line = by_pair[begins]
    count = np.diff(np.append(begins, len(pair)))
    order = np.lexsort((first_line, topic[first_line]))
    head = first_line[order]
    by_row = by_pair[ranges(begins[order], count[order])]
    start = run.start[lines][by_row]
    end = run.end[lines][by_row]
    return Ranking(
        judgments,
        topic[head],
        np.array(run.articles, dtype=object)[article[head]],
        -head.astype(np.float64),
        _find_judged(judgments, topic[head], run.articles, article[head]),
        RunPassages(Spans(np.repeat(np.arange(len(order)), count[order]), start, end, -by_row.astype(np.float64))),
    )


def _find_judged(judgments: Judgments, topic: Ints, articles: list[str], article: Ints) -> Ints:
    """Find the row of the judgments of each topic and article, -1 if there is none."""
    if not len(judgments.topic):
        return np.full(len(topic), -1)
    docnos = judgments.docno.tolist()
    codes = {name: code for code, name in enumerate(docnos)}
    width = len(docnos) + 1
    judged = judgments.topic * width + np.fromiter(map(codes.__getitem__, docnos), np.int64, len(docnos))
    asked = topic * width + np.array([codes.get(name, len(docnos)) for name in articles], dtype=np.int64)[article]
    row = np.argsort(judged)
    judged = judged[row]
    place = np.minimum(np.searchsorted(judged, asked), len(row) - 1)
    return np.where(judged[place] == asked, row[place], -1)
