"""INEX 2007 Evaluation Measures: one case per equation, small enough to check on paper.

One topic, passages and highlights as [start, end); qrels rows are (article, label, highlights, bep, length).

    article a, 100 characters: highlighted [10, 30) and [50, 60), 30 characters, best entry point 10
    article b,  50 characters: highlighted [ 0, 10),              10 characters, best entry point 4
    article c,  80 characters: judged, nothing highlighted
    Trel = 40, Nrel = 2

    focused run, in ranking order        size   rsize   P[r]            R[r]
    p1 = a [ 5, 25)                        20      15   15/20           15/40
    p2 = c [ 0, 10)                        10       0   15/30           15/40
    p3 = b [ 0, 20)                        20      10   25/50           25/40
    p4 = a [50, 60)                        10      10   35/60           35/40
"""

import pytest
from worked import score

from pyterrier_focused import AgP, AiP, CharF, CharIoU, CharP, CharR, gP, gR, iP
from pyterrier_focused.measures import CharAP, iMAP

QRELS = [("a", 1, [(10, 30), (50, 60)], 10, 100), ("b", 1, [(0, 10)], 4, 50), ("c", 0, [], -1, 80)]
FOCUSED = [("a", 3.0, [(5, 25, 4.0), (50, 60, 1.0)]), ("c", 2.0, [(0, 10, 3.0)]), ("b", 1.0, [(0, 20, 2.0)])]


def close(value):
    return pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(("r", "value"), [(1, 15 / 20), (2, 15 / 30), (3, 25 / 50), (4, 35 / 60), (5, 35 / 60)])
def test_equation_1_precision_at_a_rank(r, value):
    assert score(CharP @ r, FOCUSED, QRELS) == close(value)


@pytest.mark.parametrize(("r", "value"), [(1, 15 / 40), (2, 15 / 40), (3, 25 / 40), (4, 35 / 40), (9, 35 / 40)])
def test_equation_2_recall_at_a_rank(r, value):
    assert score(CharR @ r, FOCUSED, QRELS) == close(value)


# highest P[r] over all r with R[r] >= j (section 4.2): 15/40 = 0.375 is reached at rank 1, 25/40 at 3, 35/40 at 4
@pytest.mark.parametrize(
    ("level", "value"),
    [(0.0, 0.75), (0.01, 0.75), (0.375, 0.75), (0.38, 35 / 60), (0.625, 35 / 60), (0.875, 35 / 60), (0.88, 0), (1, 0)],
)
def test_section_4_2_interpolated_precision(level, value):
    assert score(iP @ level, FOCUSED, QRELS) == close(value)


def test_section_4_2_average_interpolated_precision():
    # levels 0.00 to 0.37 (38 of them) have 3/4, 0.38 to 0.87 (50) have 7/12, 0.88 to 1.00 (13) have 0
    expected = (38 * 3 / 4 + 50 * 7 / 12) / 101
    assert score(AiP, FOCUSED, QRELS) == close(expected)
    assert score(iMAP, FOCUSED, QRELS) == close(expected)


def test_equation_3_average_precision():
    # relevant parts at ranks 1, 3, 4; R[|R|] = 35/40
    assert score(CharAP, FOCUSED, QRELS) == close((15 / 20 + 25 / 50 + 35 / 60) / 3 * 35 / 40)


def test_f_and_intersection_over_union_of_equations_1_and_2():
    # 35 characters shared; 60 retrieved, 40 highlighted: F = 2 * 35 / (60 + 40), IoU = 35 / (60 + 40 - 35)
    assert score(CharF, FOCUSED, QRELS) == close(70 / 100)
    assert score(CharIoU, FOCUSED, QRELS) == close(35 / 65)
    # beta = 1/2: (1 + 1/4) P R / (P/4 + R)
    assert score(CharF(beta=0.5), FOCUSED, QRELS) == close(1.25 * (35 / 60) * (35 / 40) / (35 / 60 / 4 + 35 / 40))


# relevant in context: P(a) = 25/30, R(a) = 25/30; P(b) = 10/20, R(b) = 10/10
F_A, F_B = 25 / 30, 2 * (1 / 2) * 1 / (1 / 2 + 1)


def test_equations_4_to_7_relevant_in_context_score():
    assert score(gP @ 1, FOCUSED, QRELS) == close(F_A)
    assert score(gP @ 1, [("b", 1.0, [(0, 20)])], QRELS) == close(F_B)
    assert score(gP @ 1, [("c", 1.0, [(0, 20)])], QRELS) == 0  # S(d) = 0 for an article that is not relevant
    assert score(gP @ 1, [("b", 1.0, [(10, 20)])], QRELS) == 0  # nothing relevant retrieved


def test_equation_6_with_beta():
    # F_beta of P = 1/2 and R = 1 with beta = 1/4, as the official tool defaults to: (17/16)(1/2) / (1/32 + 1) = 17/33
    assert score(gP(beta=0.25) @ 1, [("b", 1.0, [(0, 20)])], QRELS) == close(17 / 33)


BIC = [("a", 3.0, [(30, 40)]), ("c", 2.0, [(0, 5)]), ("b", 1.0, [(4, 20)])]


def test_equation_8_best_in_context_score():
    # L = 100, A = 0.1, |30 - 10| = 20: 10 / (10 + 20); with A = 1: 100 / 120
    assert score(gP(task="bic") @ 1, BIC, QRELS) == close(1 / 3)
    assert score(gP(task="bic", A=1) @ 1, BIC, QRELS) == close(100 / 120)
    assert score(gP(task="bic") @ 1, [("b", 1.0, [(4, 9)])], QRELS) == 1  # the best entry point itself


@pytest.mark.parametrize(("n", "value"), [(1000, 980 / 1000), (40, 20 / 40), (20, 0), (19, 0)])
def test_equation_9_best_in_context_score_on_a_screen(n, value):
    assert score(gP(task="bic", n=n) @ 1, BIC, QRELS) == close(value)


def test_equation_10_takes_the_start_of_the_best_ranked_part():
    run = [("a", 1.0, [(60, 70, 1.0), (10, 20, 2.0)])]
    assert score(gP(task="bic") @ 1, run, QRELS) == 1
    run = [("a", 1.0, [(60, 70, 3.0), (10, 20, 2.0)])]
    assert score(gP(task="bic", n=100) @ 1, run, QRELS) == close(50 / 100)


# the article scores of the focused run, in article order a, c, b: F_A, 0, F_B
@pytest.mark.parametrize(("r", "value"), [(1, F_A), (2, F_A / 2), (3, (F_A + F_B) / 3), (6, (F_A + F_B) / 6)])
def test_equation_11_generalised_precision(r, value):
    assert score(gP @ r, FOCUSED, QRELS) == close(value)


def test_equation_11_beyond_the_last_article_as_the_official_tool_reports_it():
    assert score(gP(last=True) @ 6, FOCUSED, QRELS) == close((F_A + F_B) / 3)


@pytest.mark.parametrize(("r", "value"), [(1, 1 / 2), (2, 1 / 2), (3, 1), (6, 1)])
def test_equation_12_generalised_recall(r, value):
    assert score(gR @ r, FOCUSED, QRELS) == close(value)


def test_equation_13_average_generalised_precision():
    # gP at the ranks of a and b; a third relevant article that was not retrieved adds 0
    assert score(AgP, FOCUSED, QRELS) == close((F_A + (F_A + F_B) / 3) / 2)
    missed = [*QRELS, ("d", 2, [(3, 4)], 3, 10)]
    assert score(AgP, FOCUSED, missed) == close((F_A + (F_A + F_B) / 3) / 3)


def test_equation_13_best_in_context():
    # a 1/3 at rank 1, c 0, b 1 at rank 3
    assert score(AgP(task="bic"), BIC, QRELS) == close((1 / 3 + (1 / 3 + 1) / 3) / 2)


def test_average_generalised_precision_of_articles_is_average_precision():
    # ranks 1 and 3 relevant of 2: (1/1 + 2/3) / 2
    assert score(AgP(task="doc"), FOCUSED, QRELS) == close((1 + 2 / 3) / 2)


# 100 highlighted characters, of which the run finds the first n: recall levels that floating point misplaces,
# int(100 * 0.29) is 28 and int(100 * 0.57) is 56
@pytest.mark.parametrize(("found", "level"), [(29, 0.29), (57, 0.57), (58, 0.58), (7, 0.07), (14, 0.14), (55, 0.55)])
def test_recall_levels_are_exact(found, level):
    qrels = [("a", 1, [(0, 100)], 0, 100)]
    assert score(iP @ level, [("a", 1.0, [(0, found)])], qrels) == 1
    assert score(iP @ level, [("a", 1.0, [(0, found - 1)])], qrels) == 0


@pytest.mark.parametrize("found", range(101))
def test_average_interpolated_precision_counts_exactly_the_levels_reached(found):
    # perfect precision up to the recall found/100: levels 0 to found, those of 101
    run = [("a", 1.0, [(0, found)] if found else [])]
    expected = (found + 1) / 101 if found else 0
    assert score(AiP, run, [("a", 1, [(0, 100)], 0, 100)]) == close(expected)
