"""Della Mea, Di Gaspero and Mizzaro, Evaluating ADM on a Four-Level Relevance Scale Document Set from NTCIR (2004)."""

import pytest
from worked import score

from pyterrier_focused import ADM
from pyterrier_focused.errors import SpanError
from pyterrier_focused.measures import IAP11

# Slide 13: URS (0.8, 0.4, 0.1); on a scale of ten, as labels are whole numbers
LABELS = [("d1", 8, [], -1, 100), ("d2", 4, [], -1, 100), ("d3", 1, [], -1, 100)]
# ... or as the highlighted share of articles of 100 characters
SHARES = [("d1", 1, [(0, 80)], 0, 100), ("d2", 1, [(10, 50)], 10, 100), ("d3", 1, [(0, 10)], 0, 100)]
IRS1, IRS2, IRS3 = (0.9, 0.5, 0.2), (1.0, 0.6, 0.3), (0.8, 0.4, 1.0)


def run(*scores):
    return [(f"d{i}", value, None) for i, value in enumerate(scores, start=1)]


def close(value):
    return pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(("srs", "value"), [(IRS1, 0.9), (IRS2, 0.8), (IRS3, 0.7)])
def test_slide_13_the_example(srs, value):
    assert score(ADM(srs="score", max_label=10), run(*srs), LABELS) == close(value)
    assert score(ADM(srs="score", urs="specificity"), run(*srs), SHARES) == close(value)


@pytest.mark.parametrize(("srs", "value"), [(IRS1, 0.9), (IRS2, 0.8), (IRS3, 0.7)])
def test_slide_13_with_relevance_as_it_is_there(srs, value):
    labels = [("d1", 0.8, [], -1, 100), ("d2", 0.4, [], -1, 100), ("d3", 0.1, [], -1, 100)]
    assert score(ADM(srs="score", max_label=1), run(*srs), labels) == close(value)
    with pytest.raises(SpanError, match=r"article 'd1': 0\.8 is not a whole number, as all measures but ADM need it"):
        score(IAP11, run(*srs), labels)


@pytest.mark.parametrize("docs", ["judged", "union", "retrieved"])
def test_slide_13_all_documents_are_judged_and_retrieved(docs):
    assert score(ADM(srs="score", max_label=10, docs=docs), run(*IRS3), LABELS) == close(0.7)


@pytest.mark.parametrize(
    ("docs", "distances"),
    [("judged", (0.1, 0.1, 0.1)), ("union", (0.1, 0.1, 0.1, 0.5)), ("retrieved", (0.1, 0.1, 0.5))],
)
def test_slide_13_the_example_with_a_document_missed_and_one_unjudged(docs, distances):
    # d3 not retrieved: SRS 0, URS 0.1; x retrieved, not judged: SRS 0.5, URS 0
    scores = [*run(0.9, 0.5), ("x", 0.5, None)]
    expected = 1 - sum(distances) / len(distances)
    assert score(ADM(srs="score", max_label=10, docs=docs), scores, LABELS) == close(expected)


def test_slide_20_over_and_under_evaluated_documents():
    # SRS (0.9, 0.3, 0.1) against URS (0.8, 0.4, 0.1): d1 over by 0.1, d2 under by 0.1, d3 on the diagonal
    srs = run(0.9, 0.3, 0.1)
    assert score(ADM(srs="score", max_label=10, side="over"), srs, LABELS) == close(0.9)
    assert score(ADM(srs="score", max_label=10, side="under"), srs, LABELS) == close(0.9)
    assert score(ADM(srs="score", max_label=10), srs, LABELS) == close(1 - 0.2 / 3)
    # all documents of IRS2 are over-evaluated: none is left of the others
    assert score(ADM(srs="score", max_label=10, side="under"), run(*IRS2), LABELS) == 1
    assert score(ADM(srs="score", max_label=10, side="over"), run(*IRS2), LABELS) == close(0.8)


# Slide 22: SRS by rank, 1st 1.0, 2nd 0.999, 3rd 0.998, 4th 0.997, 999th 0.002, 1000th 0.001, 1001st 0.000
@pytest.mark.parametrize(
    ("rank", "srs"), [(1, 1.0), (2, 0.999), (3, 0.998), (4, 0.997), (999, 0.002), (1000, 0.001), (1001, 0), (1500, 0)]
)
def test_slide_22_srs_by_rank(rank, srs):
    # one judged document, URS 0: ADM = 1 - SRS
    scores = [("judged" if i == rank else f"x{i}", -float(i), None) for i in range(1, 1600)]
    assert score(ADM(srs="rank"), scores, [("judged", 0, [], -1, 10)]) == close(1 - srs)


def test_slide_25_linear_normalisation_of_scores_and_four_categories():
    # scores 7, 4, 1 become 1, 0.5, 0; labels S, A, B, C = 3, 2, 1, 0 become 1, 2/3, 1/3, 0
    qrels = [("d1", 2, [], -1, 10), ("d2", 3, [], -1, 10), ("d3", 0, [], -1, 10), ("d4", 1, [], -1, 10)]
    assert score(ADM, run(7.0, 4.0, 1.0), qrels) == close(1 - (1 / 3 + 1 / 2 + 0 + 1 / 3) / 4)
    assert score(ADM, run(5.0, 5.0, 5.0), qrels) == close(1 - (1 / 3 + 0 + 1 + 1 / 3) / 4)  # all the same: 1
    # without a max_label, the topic's own highest label is the scale
    assert score(ADM(max_label=3), run(7.0, 4.0, 1.0), qrels) == score(ADM, run(7.0, 4.0, 1.0), qrels)
    assert score(ADM(max_label=6), run(7.0), [("d1", 3, [], -1, 10)]) == close(0.5)


@pytest.mark.parametrize(
    ("n", "distances"), [(1, (0.2,)), (2, (0.2, 0.75)), (3, (0.2, 0.75, 0.4)), (20, (0.2, 0.75, 0.4))]
)
def test_slide_31_on_the_first_n_retrieved_documents(n, distances):
    # by rank with depth 4: SRS 1, 0.75, 0.5 of d1, x, d3; URS 0.8, 0 (not judged), 0.1
    scores = [("d1", 3.0, None), ("x", 2.0, None), ("d3", 1.0, None)]
    by_rank = ADM(srs="rank", depth=4, max_label=10, docs="retrieved")
    assert score(by_rank @ n, scores, LABELS) == close(1 - sum(distances) / len(distances))


def test_slide_11_nothing_retrieved_follows_the_formula():
    assert score(ADM(max_label=10), [], LABELS) == close(1 - (0.8 + 0.4 + 0.1) / 3)
    assert score(ADM(docs="retrieved"), [], LABELS) == 0  # no document to compare


@pytest.mark.parametrize(("documents", "value"), [("retrieved", 1 / 3), ("relevant", 1 / 2)])
def test_slides_19_and_20_binarised_it_is_precision_and_recall(documents, value):
    # of d1 and d2, which are relevant, d1 is retrieved, and two others with it
    labels = [("d1", 2, [], -1, 100), ("d2", 1, [], -1, 100), ("d3", 0, [], -1, 100), ("x", -1, [], -1, 100)]
    measure = ADM(srs="retrieved", urs="relevant", docs=documents)
    assert score(measure, [(docno, 1.0, None) for docno in ("d1", "x", "y")], labels) == close(value)


def test_binarised_without_a_document_it_is_0():
    labels = [("d1", 0, [], -1, 100)]
    assert score(ADM(docs="relevant"), run(0.9), labels) == 0
    with pytest.raises(ValueError, match="cutoff belongs to docs='retrieved'"):
        ADM(docs="relevant") @ 5
