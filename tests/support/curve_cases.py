"""Random qrels and runs over short articles, and what the measures make of them."""

import pandas as pd
from hypothesis import strategies as st

LENGTH = 30


@st.composite
def cases(draw, overlap=False, topics="12"):
    """Qrels and a run over articles of 30 characters; passages are disjoint unless *overlap*."""
    judged, retrieved = [], []
    span = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 12)).map(lambda s: (s[0], min(sum(s), LENGTH)))
    for qid in topics:
        for docno in draw(st.lists(st.sampled_from("abcdef"), min_size=1, unique=True)):
            highlights = draw(st.lists(span, max_size=2))
            judged.append((qid, docno, int(bool(highlights)), highlights, -1, LENGTH))
        for docno in draw(st.lists(st.sampled_from("abcdefgh"), unique=True)):
            spans = draw(st.lists(span, max_size=3))
            if not overlap:
                spans = [s for i, s in enumerate(spans) if all(s[1] <= o[0] or o[1] <= s[0] for o in spans[:i])]
            retrieved.append((qid, docno, float(draw(st.integers(0, 5))), 0, spans))
    return (
        pd.DataFrame(judged, columns=["qid", "docno", "label", "highlights", "bep", "length"]),
        pd.DataFrame(retrieved, columns=["qid", "docno", "score", "rank", "passages"]),
    )


def measured(measure, qrels, run):
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    return measure.calc_aggregate(qrels.rename(columns=names), run.rename(columns=names))


def ranking(run, qid):
    """The run's rows of a topic, ranked: score, then docno, both descending."""
    rows = [row for row in run.itertuples() if row.qid == qid]
    return sorted(rows, key=lambda row: (row.score, row.docno), reverse=True)
