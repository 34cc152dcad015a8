"""Random runs and qrels in the form of `brute_force`, and as the frames that evaluators receive."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from hypothesis import strategies as st

TEXT = 40  # articles are short, so that spans meet often
DOCNOS = ["9", "10", "a", "ab", "é", "z#1-2"]
QIDS = ["1", "2", "10"]
# ties in float32 that are none in float64, negative scores, scores that overflow float32
SCORES = st.sampled_from([1.0, 1.0 + 1e-9, 1.0 - 1e-9, 1.0 + 1e-6, 0.0, -0.0, -2.5, 3, 1e300, 1e301, 1e-50])
PASSAGE_SCORES = st.sampled_from([1.0, 1.0 + 1e-9, 0.0, -1.5, 2])
SPANS = st.lists(st.tuples(st.integers(0, TEXT - 1), st.integers(1, 15)).map(lambda s: (s[0], s[0] + s[1])), max_size=5)
PASSAGES = st.lists(  # one in a few holds nothing: an entry point
    st.tuples(st.integers(0, TEXT - 1), st.integers(0, 15)).map(lambda s: (s[0], s[0] + s[1])), max_size=5
)
POINTS = st.lists(st.integers(0, TEXT).map(lambda at: (at, at)), max_size=2)
SHIFTS = st.sampled_from([0, 0, 10**6, 2**40, 2**60])


@st.composite
def disjoint_spans(draw):
    cuts = sorted(draw(st.sets(st.integers(0, TEXT), max_size=9)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    touching = draw(st.booleans())  # the second of each pair begins where the first ends
    pairs = list(itertools.pairwise(cuts)) if touching else pairs
    return draw(st.permutations(pairs + draw(POINTS)))


@st.composite
def run_topics(draw, overlap=False, scores=SCORES):
    """{qid: [(docno, score, passages)]}; the passages of a topic are all scored or all without scores."""
    run = {}
    for qid in draw(st.sets(st.sampled_from(QIDS))):
        scored, rows = draw(st.booleans()), []
        for docno in draw(st.permutations(DOCNOS))[: draw(st.integers(0, len(DOCNOS)))]:
            spans = draw(PASSAGES if overlap else disjoint_spans())
            parts = [(*span, draw(PASSAGE_SCORES)) for span in spans] if scored else list(spans)
            if not parts:
                parts = draw(st.sampled_from([[], None]))
            rows.append((docno, draw(scores), parts))
        run[qid] = rows
    return run


@st.composite
def qrels_topics(draw, min_topics=0, labels=(-2, 0, 1, 1, 3)):
    """{qid: [(docno, label, highlights, bep, length)]}; labels and highlights need not agree."""
    qrels = {}
    for qid in draw(st.sets(st.sampled_from(QIDS), min_size=min_topics)):
        rows = []
        for docno in draw(st.permutations(DOCNOS))[: draw(st.integers(1, len(DOCNOS)))]:
            highlights = draw(st.one_of(st.just([]), SPANS))
            label = draw(st.sampled_from(labels))
            rows.append((docno, label, highlights, draw(st.integers(-1, TEXT)), draw(st.integers(TEXT + 15, 900))))
        qrels[qid] = rows
    return qrels


def shifted(spans, by):
    return [(span[0] + by, span[1] + by, *span[2:]) for span in spans] if by else spans


def column(cells):
    values = np.empty(len(cells), dtype=object)
    values[:] = cells
    return values


def run_frame(run, shifts=None, names=("query_id", "doc_id")):
    """The run as a frame; *shifts* {docno: characters} moves each article's text."""
    rows = [(qid, *row) for qid, topic in run.items() for row in topic]
    shifts = shifts or {}
    return pd.DataFrame(
        {
            names[0]: [row[0] for row in rows],
            names[1]: [row[1] for row in rows],
            "score": np.array([row[2] for row in rows], dtype=np.float64),
            "passages": column([shifted(row[3], shifts.get(row[1], 0) if row[3] else 0) for row in rows]),
        }
    )


def qrels_frame(qrels, shifts=None, names=("query_id", "doc_id", "relevance")):
    rows = [(qid, *row) for qid, topic in qrels.items() for row in topic]
    shifts = shifts or {}
    return pd.DataFrame(
        {
            names[0]: [row[0] for row in rows],
            names[1]: [row[1] for row in rows],
            names[2]: np.array([row[2] for row in rows]) if rows else np.zeros(0, dtype=np.int64),
            "highlights": column([shifted(row[3], shifts.get(row[1], 0)) for row in rows]),
            "bep": np.array([row[4] + (shifts.get(row[1], 0) if row[4] >= 0 else 0) for row in rows], dtype=np.int64),
            "length": np.array([row[5] for row in rows], dtype=np.int64),
        }
    )


def have_other_topics(judged: str, run: str) -> bool:
    """Tell whether no topic of a run's lines is among those of judgments, the first field of five or six and more."""
    of_run = {line.split()[0] for line in run.splitlines() if len(line.split()) >= 6}
    of_judgments = {
        line.split()[0] for line in judged.splitlines() if len(line.split("\t" if "\t" in line else " ")) >= 5
    }
    return bool(of_run) and not of_run & of_judgments
