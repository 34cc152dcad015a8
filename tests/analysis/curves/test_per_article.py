"""Scores of each article against the definitions over sets of characters, and ADM's frames against its slides."""

import pandas as pd
import pytest
from curve_cases import cases, measured, ranking
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused import ADM, gP
from pyterrier_focused.analysis import adm_distributions, adm_plane, adm_precision_recall, article_scores


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


@pytest.mark.parametrize(
    ("srs", "precision", "recall"),
    [((0.5, 0.5, 0.0), 1 / 2, 1 / 2), ((0.5, 0.49, 0.5), 1, 1), ((0.5, 0.5, 0.5), 2 / 3, 1), ((0.0, 0.0, 0.0), 0, 0)],
)
def test_thresholds_on_the_plane_by_hand(srs, precision, recall):
    # slides 15 and 16: 0.5 is relevant and 0.49 is not, however close they are
    (row,) = adm_precision_recall(*slide(*zip((0.5, 0.49, 0.5), srs, strict=True)), measure=AS_IT_IS).itertuples()
    assert (row.precision, row.recall, row.E) == (precision, recall, (precision + recall) / 2)
    assert pytest.approx(1 - sum(abs(u - s) for u, s in zip((0.5, 0.49, 0.5), srs, strict=True)) / 3) == row.ADM
    assert row.relevant_retrieved + row.relevant_missed == 2
    assert row.other_retrieved + row.other_missed == 1


@pytest.mark.parametrize(
    ("points", "adm"), [([(1.0, 1.0), (0.0, 0.0)], 1), ([(1.0, 0.5), (0.0, 0.49)], 1 - 0.99 / 2)], ids=["near", "far"]
)
def test_slide_17_two_systems_that_precision_and_recall_do_not_tell_apart(points, adm):
    (row,) = adm_precision_recall(*slide(*points), measure=AS_IT_IS).itertuples()
    assert (row.precision, row.recall, row.E, row.ADM) == (1, 1, 1, pytest.approx(adm))


def count_points(points, s, u):
    """Relevant and other documents that are retrieved, and those that are missed."""
    retrieved, relevant = points["srs"] >= s, points["urs"] >= u
    quarters = (retrieved & relevant, retrieved & ~relevant, ~retrieved & relevant, ~retrieved & ~relevant)
    return [sum(quarter) for quarter in quarters]


@given(cases(), st.floats(0, 1), st.floats(0, 1))
def test_quarters_of_the_plane_count_its_documents(case, s, u):
    measure = ADM(docs="union")
    table = adm_precision_recall(*case, s=s, u=u, measure=measure).set_index("qid")
    counts = table[["relevant_retrieved", "other_retrieved", "relevant_missed", "other_missed"]]
    topics = adm_plane(*case, measure=measure).groupby("qid")
    assert counts.T.to_dict("list") == {qid: count_points(points, s, u) for qid, points in topics}
    assert table["ADM"].mean() == pytest.approx(measured(measure, *case))


@given(cases())
def test_distributions_hold_the_documents_of_the_plane_in_order(case):
    measure = ADM(docs="union")
    expected = [
        (qid, position, urs, srs)
        for qid, points in adm_plane(*case, measure=measure).groupby("qid")
        for position, (urs, srs) in enumerate(
            zip(sorted(points["urs"], reverse=True), sorted(points["srs"], reverse=True), strict=True), start=1
        )
    ]
    shape = adm_distributions(*case, measure=measure).sort_values(["qid", "position"])
    assert list(shape[["qid", "position", "urs", "srs"]].itertuples(index=False, name=None)) == expected


def test_what_is_wrong_with_scores_of_articles_is_named():
    qrels, run = slide((1, 1.0))
    with pytest.raises(ValueError, match="s=2: a threshold of relevance scores lies between 0 and 1"):
        adm_precision_recall(qrels, run, s=2)
    with pytest.raises(ValueError, match="measure=gP@5: give an ADM"):
        adm_distributions(qrels, run, measure=gP @ 5)
    marked = qrels.assign(highlights=[[(0, 5), (10, 20)]], alternatives=[[0, 1]])
    with pytest.raises(ValueError, match="an article has a precision for each of them"):
        article_scores(marked, run.assign(passages=[[(0, 5)]]))
    with pytest.raises(ValueError, match="the qrels have no topic '7'"):
        article_scores(marked, run.assign(passages=[[(0, 5)]]), qid="7")
