"""Alpha-nDCG over facts against ndeval (TREC's Web tracks), where documents are parts and subtopics are facts."""

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.measures import FactAlphaNDCG

pyndeval = pytest.importorskip("pyndeval")

# of each document the facts that it proves; ndeval takes documents that gain the same by their docnos, the last first
COVERED = st.lists(st.sets(st.sampled_from("abcde"), max_size=4), min_size=1, max_size=9).filter(any)


CUTOFFS = (5, 10, 20)


@given(COVERED, st.randoms(use_true_random=False), st.sampled_from([0.2, 0.5, 0.9]))
def test_alpha_ndcg_is_that_of_ndeval(covered, random, alpha):
    docnos = [f"d{number}" for number in range(len(covered))]
    order = random.sample(docnos, random.randrange(1, len(docnos) + 1))
    facts = {docno: sorted(proved) for docno, proved in zip(docnos, covered, strict=True) if proved}
    theirs = pyndeval.ndeval(
        [pyndeval.SubtopicQrel("1", fact, docno, 1) for docno, proved in facts.items() for fact in proved],
        [pyndeval.ScoredDoc("1", docno, -float(rank)) for rank, docno in enumerate(order)],
        measures=[f"alpha-nDCG@{k}" for k in CUTOFFS],
        alpha=alpha,
    )["1"]
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list(facts), "relevance": 1})
    qrels = qrels.assign(highlights=[[(0, 10)]] * len(facts), facts=[[proved] for proved in facts.values()])
    run = pd.DataFrame({"query_id": "1", "doc_id": order, "score": [-float(rank) for rank in range(len(order))]})
    run["passages"] = [[(0, 10)]] * len(order)
    measures = {FactAlphaNDCG(alpha=alpha) @ k: f"alpha-nDCG@{k}" for k in CUTOFFS}
    ours = {measures[metric.measure]: metric.value for metric in ir_measures.iter_calc(list(measures), qrels, run)}
    assert ours == pytest.approx(theirs, abs=1e-9)
