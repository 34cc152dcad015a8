"""Scores of each article against the definitions over sets of characters, and ADM's frames against its slides."""

import pandas as pd
import pytest
from curve_cases import cases, measured, ranking
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused import ADM, gP
from pyterrier_focused.analysis import adm_plane, article_scores


def characters(spans):
    return {at for start, end in spans for at in range(start, end)}


def score_plainly(row, rank, wanted, beta):
    returned = characters(row.passages)
    both = len(returned & wanted)
    p, r = (both / len(one) if one else 0 for one in (returned, wanted))
    f = (1 + beta**2) * p * r / (beta**2 * p + r) if both else 0
    return row.qid, row.docno, rank, len(returned), both, len(wanted), p, r, pytest.approx(f)


@given(cases(overlap=True), st.sampled_from([0.25, 1, 2]))
def test_scores_of_articles_are_those_of_sets_of_characters(case, beta):
    qrels, run = case
    judged = {(row.qid, row.docno): characters(row.highlights) for row in qrels.itertuples()}
    expected = [
        score_plainly(row, rank, judged.get((qid, row.docno), set()), beta)
        for qid in "12"
        for rank, row in enumerate(ranking(run, qid))
    ]
    found = article_scores(qrels, run, beta=beta, overlap="once")
    assert list(found.itertuples(index=False, name=None)) == expected
    mean = found[found["rank"] < 3].groupby("qid")["F"].sum().sum() / 3 / 2
    assert mean == pytest.approx(measured(gP(beta=beta, overlap="once") @ 3, qrels, run))


def slide(*points):
    """Qrels and a run of one topic with documents at these (URS, SRS)."""
    names = [f"d{at}" for at in range(len(points))]
    qrels = pd.DataFrame({"qid": "1", "docno": names, "label": [urs for urs, _ in points]})
    return qrels, pd.DataFrame({"qid": "1", "docno": names, "score": [srs for _, srs in points]})


AS_IT_IS = ADM(srs="score", max_label=1)


def test_what_is_wrong_with_scores_of_articles_is_named():
    qrels, run = slide((1, 1.0))
    with pytest.raises(ValueError, match="measure=gP@5: give an ADM"):
        adm_plane(qrels, run, measure=gP @ 5)
    marked = qrels.assign(highlights=[[(0, 5), (10, 20)]], alternatives=[[0, 1]])
    with pytest.raises(ValueError, match="an article has a precision for each of them"):
        article_scores(marked, run.assign(passages=[[(0, 5)]]))
    with pytest.raises(ValueError, match="the qrels have no topic '7'"):
        article_scores(marked, run.assign(passages=[[(0, 5)]]), qid="7")
