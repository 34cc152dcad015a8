"""Depth-k pools against sets taken by hand and by brute force."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import plain

from pyterrier_focused.analysis import pool


def run(rows, passages=True):
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score", "passages"])
    return frame if passages else frame.drop(columns="passages")


A = run([("1", "x", 3.0, [(0, 10), (20, 30)]), ("1", "y", 2.0, [(5, 9)]), ("2", "z", 1.0, [])])
B = run([("1", "y", 9.0, [(0, 6)]), ("1", "w", 8.0, [(1, 2)]), ("1", "x", 7.0, [(5, 25)])])


def test_the_first_k_articles_of_each_run():
    found = pool({"a": A, "b": B}, depth=1)
    assert plain(found).to_dict("records") == [
        {"qid": "1", "docno": "x", "runs": 1, "best_rank": 0, "passages": [(0, 10), (20, 30)]},
        {"qid": "1", "docno": "y", "runs": 1, "best_rank": 0, "passages": [(0, 6)]},
        {"qid": "2", "docno": "z", "runs": 1, "best_rank": 0, "passages": []},
    ]


def test_the_first_k_parts():
    scored = run([("1", "x", 3.0, [(0, 10, 1.0), (20, 30, 9.0)]), ("1", "y", 2.0, [(5, 9, 4.0)])])
    found = pool([scored], depth=2, by="parts")
    assert plain(found).to_dict("records") == [
        {"qid": "1", "docno": "x", "runs": 1, "best_rank": 0, "passages": [(20, 30)]},
        {"qid": "1", "docno": "y", "runs": 1, "best_rank": 1, "passages": [(5, 9)]},
    ]


documents = st.dictionaries(st.tuples(st.sampled_from("12"), st.sampled_from("abcde")), st.integers(0, 4), min_size=1)


def rank_plainly(scores, qid):
    """The articles of a topic by score; ties by docno, descending."""
    found = [(score, docno) for (topic, docno), score in scores.items() if topic == qid]
    return [docno for _, docno in sorted(found, reverse=True)]


@given(st.lists(documents, min_size=1, max_size=4), st.integers(1, 4))
def test_each_article_of_the_pool_counts_its_runs_and_tells_its_best_rank(runs, depth):
    frames = [run([(q, d, s, []) for (q, d), s in scores.items()], passages=False) for scores in runs]
    first = [
        ((qid, docno), rank)
        for scores in runs
        for qid in "12"
        for rank, docno in enumerate(rank_plainly(scores, qid)[:depth])
    ]
    ranks = {key: [rank for other, rank in first if other == key] for key, _ in first}
    found = pool(frames, depth)
    assert {(r.qid, r.docno): (r.runs, r.best_rank) for r in found.itertuples()} == {
        key: (len(ranks), min(ranks)) for key, ranks in ranks.items()
    }
    assert len(found) == len(ranks)


def test_what_cannot_be_pooled_is_named():
    with pytest.raises(ValueError, match="at least one run"):
        pool([])
    with pytest.raises(ValueError, match="depth=0"):
        pool([A], depth=0)
    with pytest.raises(ValueError, match="by='passages'"):
        pool([A], by="passages")
    with pytest.raises(ValueError, match=r"needs the columns .*'score'"):
        pool([A.drop(columns="score")])
