"""Kamps, Lalmas and Pehcevski, Evaluating Relevant in Context: Document Retrieval with a Twist (SIGIR 2007)."""

import pytest
from worked import score

from pyterrier_focused import AgP, gP, gR

# article a: 40 of 200 characters highlighted; b: 10; c: 5; n: judged, nothing highlighted
QRELS = [
    ("a", 1, [(0, 20), (100, 120)], 0, 200),
    ("b", 1, [(5, 15)], 5, 50),
    ("c", 1, [(0, 5)], 0, 50),
    ("n", 0, [], -1, 50),
]


def close(value):
    return pytest.approx(value, abs=1e-15)


def test_section_2_1_score_of_an_article_with_several_elements():
    # ret(a): [10, 30), [90, 110), [150, 160), 50 characters, of which [10, 20) and [100, 110) are highlighted:
    # P(a) = 20/50, R(a) = 20/40, F(a) = 2 P R / (P + R) = 0.4 / 0.9
    run = [("a", 1.0, [(10, 30), (90, 110), (150, 160)])]
    assert score(gP @ 1, run, QRELS) == close(0.4 / 0.9)


@pytest.mark.parametrize("parts", [[(150, 160), (10, 30), (90, 110)], [(90, 110, 1.0), (10, 30, 7.0), (150, 160, 3.0)]])
def test_section_2_1_the_order_of_the_elements_does_not_matter(parts):
    assert score(gP @ 1, [("a", 1.0, parts)], QRELS) == close(0.4 / 0.9)


def test_section_2_1_the_score_lies_between_0_and_1():
    assert score(gP @ 1, [("n", 1.0, [(0, 50)])], QRELS) == 0  # without relevance
    assert score(gP @ 1, [("a", 1.0, [(20, 100)])], QRELS) == 0  # none of the relevance is retrieved
    assert score(gP @ 1, [("a", 1.0, [(100, 120), (0, 20)])], QRELS) == 1  # all of it and nothing more


@pytest.mark.parametrize("nothing", [[], None, float("nan")])
def test_section_2_2_an_article_of_which_nothing_was_retrieved_counts_for_recall_and_scores_0(nothing):
    run = [("a", 2.0, nothing), ("b", 1.0, [(5, 15)])]
    assert score(gP @ 1, run, QRELS) == 0
    assert score(gP @ 2, run, QRELS) == close(1 / 2)
    assert score(gR @ 1, run, QRELS) == close(1 / 3)
    assert score(gR @ 2, run, QRELS) == close(2 / 3)
    assert score(AgP, run, QRELS) == close((0 + 1 / 2) / 3)


def test_section_2_2_an_article_of_which_only_other_text_was_retrieved_is_a_recall_point_too():
    run = [("b", 2.0, [(5, 15)]), ("n", 1.5, [(0, 9)]), ("c", 1.0, [(20, 30)])]
    assert score(gR @ 3, run, QRELS) == close(2 / 3)
    assert score(AgP, run, QRELS) == close((1 + 1 / 3) / 3)


def test_section_4_perfect_passages_make_a_perfect_score():
    # "systems will be allowed to return arbitrary passages [...] to receive a perfect score"
    run = [("a", 3.0, [(0, 20), (100, 120)]), ("b", 2.0, [(5, 15)]), ("c", 1.0, [(0, 5)])]
    assert score(AgP, run, QRELS) == 1
    # also beside articles that are not relevant, ranked behind
    assert score(AgP, [*run, ("n", 0.5, [(0, 9)]), ("unjudged", 0.1, [(0, 9)])], QRELS) == 1


@pytest.mark.parametrize("task", ["ric", "doc"])
def test_section_2_2_generalised_precision_and_recall_are_those_of_documents_when_articles_score_1(task):
    # ranks: b relevant, n not, a relevant, c missed
    run = [("b", 3.0, [(5, 15)]), ("n", 2.0, [(0, 9)]), ("a", 1.0, [(0, 20), (100, 120)])]
    assert [score(gP(task=task) @ r, run, QRELS) for r in (1, 2, 3)] == [1, 1 / 2, close(2 / 3)]
    assert [score(gR(task=task) @ r, run, QRELS) for r in (1, 2, 3)] == [close(1 / 3), close(1 / 3), close(2 / 3)]
    assert score(AgP(task=task), run, QRELS) == close((1 + 2 / 3) / 3)
