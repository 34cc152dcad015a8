"""Extensions of PyTerrier that other packages bring, around retrievers of parts."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_focused.retrieval import Focused, RemoveOverlap

TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["oil lamp", "pier", "whale blubber"]})


def test_reciprocal_ranks_are_fused_part_by_part(index):
    alpha = pytest.importorskip("pyterrier_alpha")
    systems = index.bm25(num_results=20), index.retriever("qld", num_results=20)
    found = pd.concat([system(TOPICS) for system in systems])
    expected = (1 / (60 + found["rank"])).groupby([found["qid"], found["docno"]]).sum()
    fused = alpha.RRFusion(*systems)(TOPICS).set_index(["qid", "docno"])["score"]
    assert fused.to_dict() == pytest.approx(expected.to_dict())


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
    columns = ["qid", "docno", "score", "rank"]
    expected = (texts >> scorer)(TOPICS)[columns]
    scored.clear()
    cached = texts >> caching.ScorerCache(tmp_path / "cache", scorer)
    assert cached(TOPICS)[columns].equals(expected)
    assert cached(TOPICS)[columns].equals(expected)
    assert len(scored) == len(expected)
