"""Random frames of parts, and their ranking from its definition: plain loops, sets of characters."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

DOCNOS = ["9", "10", "a", "é", "z#1-2"]
# ties in float32 that are none in float64, negative scores, scores that overflow float32
SCORES = st.sampled_from([1.0, 1.0 + 1e-9, 1.0 - 1e-9, 0.0, -0.0, -2.5, 3.0, 1e300, 1e301])
SPANS = st.tuples(st.integers(0, 30), st.integers(0, 12)).map(lambda s: (s[0], s[0] + s[1]))
SHIFTS = st.sampled_from([0, 0, 10**6, 2**40, 2**60])


@st.composite
def part_frames(draw, max_size=14, scores=SCORES):
    """A frame of parts in any order, with a foreign column that numbers its rows."""
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from(["1", "2", "10"]), st.sampled_from(DOCNOS), SPANS, scores), max_size=max_size
        )
    )
    by = draw(SHIFTS)
    return frame([(qid, docno, start + by, end + by, score) for qid, docno, (start, end), score in rows])


def frame(rows):
    """A frame of parts of (qid, article, start, end, score) rows."""
    return pd.DataFrame(
        {
            "qid": [row[0] for row in rows],
            "query": [f"query {row[0]}" for row in rows],
            "docno": [f"{row[1]}#{row[2]}-{row[3]}" for row in rows],
            "score": np.array([row[4] for row in rows], dtype=np.float64),
            "number": np.arange(len(rows)),
        }
    ).astype({"qid": object, "query": object, "docno": object})


def topics(parts):
    """{qid: [(article, start, end, score, number)]} of a frame of parts, topics in order of appearance."""
    found = {}
    for qid, docno, score, number in zip(parts["qid"], parts["docno"], parts["score"], parts["number"], strict=True):
        article, _, span = docno.rpartition("#")
        start, _, end = span.partition("-")
        found.setdefault(qid, []).append((article, int(start), int(end), score, number))
    return found


def articles_by_rank(scores):
    """Articles of {article: score}, best first: float32 of the score, then the docno, both descending."""
    with np.errstate(over="ignore"):
        return sorted(scores, key=lambda article: (np.float32(scores[article]), article), reverse=True)


def slide_plainly(count, size, stride):
    """(first, last) of windows over so many things; the last one is the first that reaches the end."""
    firsts = [first for first in range(0, count, stride) if first == 0 or first - stride + size < count]
    return [(first, min(first + size, count)) for first in firsts]


def best_scores(rows):
    best = {}
    for article, _, _, score, _ in rows:
        best[article] = max(score, best.get(article, -np.inf))
    return best


def ranked(rows):
    """The parts of a topic, best first: score, then the rank of their article, start, end."""
    rank = {article: place for place, article in enumerate(articles_by_rank(best_scores(rows)))}
    return sorted(rows, key=lambda row: (-row[3], rank[row[0]], row[1], row[2]))


def share(a, b):
    """Whether two parts of a topic have a character in common."""
    return a[0] == b[0] and max(a[1], b[1]) < min(a[2], b[2])


def greedy(rows):
    """The rows that share nothing with one taken before."""
    kept = []
    for row in rows:
        if not any(share(row, other) for other in kept):
            kept.append(row)
    return kept


def same_rows(found, expected):
    """Whether a frame has the parts and scores of [(qid, row of `topics`)], in this order."""
    columns = zip(found["qid"], found["docno"], found["score"], strict=True)
    return list(columns) == [(qid, f"{row[0]}#{row[1]}-{row[2]}", row[3]) for qid, row in expected]
