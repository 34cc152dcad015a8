"""Extensions of PyTerrier that other packages bring, around retrievers of parts."""

from collections import defaultdict

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_focused.retrieval import Focused, RemoveOverlap

TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["oil lamp", "pier", "whale blubber"]})


def test_reciprocal_ranks_are_fused_part_by_part(index):
    alpha = pytest.importorskip("pyterrier_alpha")
    systems = index.bm25(num_results=20), index.retriever("qld", num_results=20)
    expected = defaultdict(float)
    for system in systems:
        for row in system(TOPICS).itertuples():
            expected[row.qid, row.docno] += 1 / (60 + row.rank)
    fused = alpha.RRFusion(*systems)(TOPICS)
    assert dict(zip(zip(fused["qid"], fused["docno"], strict=True), fused["score"], strict=True)) == pytest.approx(
        expected
    )


def test_a_fused_run_is_a_focused_one(index):
    alpha = pytest.importorskip("pyterrier_alpha")
    run = (alpha.RRFusion(index.bm25(), index.retriever("qld")) >> RemoveOverlap() >> Focused())(TOPICS)
    assert set(run["qid"]) == set(TOPICS["qid"])
    assert run["passages"].map(len).min() >= 1


def test_scores_of_parts_are_cached_part_by_part(index, collection, tmp_path):
    caching = pytest.importorskip("pyterrier_caching")
    scored = []

    def count_characters(row):
        scored.append(row["docno"])
        return float(len(row["text"]))

    scorer = pt.apply.doc_score(count_characters)
    texts = index.bm25(num_results=20) >> pt.text.get_text(collection, ["text"])
    expected = (texts >> scorer)(TOPICS)
    scored.clear()
    cached = texts >> caching.ScorerCache(tmp_path / "cache", scorer)
    for _ in range(2):
        found = cached(TOPICS)
        assert found[["qid", "docno", "score", "rank"]].equals(expected[["qid", "docno", "score", "rank"]])
    assert len(scored) == len(expected)
