"""Manning, Raghavan and Schuetze, An Introduction to Information Retrieval (online edition, 2009), chapter 8."""

import math

import ir_measures
import numpy as np
import pytest
from ir_measures import nDCG
from worked import letters, score_letters

from pyterrier_focused import AgP, AiP, CharF, CharP, CharR, gP, gR, iP
from pyterrier_focused.measures import IAP11, ROCAUC, APBound, F, PAtRecall, SetAccuracy, Specificity

# Table 8.1, in hundredths: interpolated precision at recall 0.0, 0.1, ... 1.0
TABLE_8_1 = [100, 67, 63, 55, 45, 41, 36, 29, 13, 10, 8]


def close(value):
    return pytest.approx(value, abs=1e-12)


def ranking_with_precisions(hundredths, per_level=100):
    """A ranking of 10 * per_level relevant articles whose interpolated precision at i/10 recall is hundredths[i]/100.

    Within each tenth of the recall there is a number of hits that the precision turns into a whole rank; the hits since
    the tenth before stand right in front of that rank, so that no higher precision comes between.
    """
    ranking = ""
    for level, precision in enumerate(hundredths):
        step = precision // np.gcd(precision, 100)
        hits = -(-max(level * per_level, 1) // step) * step
        new = hits - ranking.count("R")
        rank = hits * 100 // precision
        ranking += "N" * (rank - len(ranking) - new) + "R" * new
    return ranking


def one_character_articles(run, qrels):
    """Each article one character long, so that passages are articles."""
    return run.assign(passages=[[(0, 1)]] * len(run)), qrels.assign(
        highlights=[[(0, 1)] if label else [] for label in qrels["relevance"]]
    )


def test_table_8_1():
    ranking = ranking_with_precisions(TABLE_8_1)
    assert ranking.count("R") == 1000
    run, qrels = one_character_articles(*letters(ranking, 1000))
    levels = [iP @ (i / 10) for i in range(11)]
    found = ir_measures.calc_aggregate([*levels, IAP11, AiP(points=11)], qrels, run)
    assert [found[level] for level in levels] == close([hundredths / 100 for hundredths in TABLE_8_1])
    assert found[IAP11] == close(sum(TABLE_8_1) / 1100)  # 0.4245...
    assert found[AiP(points=11)] == close(sum(TABLE_8_1) / 1100)


def test_exercise_8_1_precision_and_recall():
    # 8 relevant and 10 nonrelevant documents returned, 20 relevant in all
    ranking = "RN" * 8 + "NN"
    assert score_letters(gP(task="doc") @ 18, ranking, 20) == close(8 / 18)
    assert score_letters(gR(task="doc") @ 18, ranking, 20) == close(8 / 20)
    assert score_letters(F, ranking, 20) == close(2 * (8 / 18) * (8 / 20) / (8 / 18 + 8 / 20))
    run, qrels = one_character_articles(*letters(ranking, 20))
    assert CharP.calc_aggregate(qrels, run) == close(8 / 18)
    assert CharR.calc_aggregate(qrels, run) == close(8 / 20)


def test_equation_8_5_weights_recall_beta_times_as_much():
    # P = 8/18 and R = 8/20 with beta = 3: 10 P R / (9 P + R)
    assert score_letters(F(beta=3), "RN" * 8 + "NN", 20) == close(10 * (8 / 18) * (8 / 20) / (9 * 8 / 18 + 8 / 20))


def test_exercise_8_7_f1_is_the_dice_coefficient():
    # 12 retrieved, 9 relevant, 5 in common: 2 * 5 / (12 + 9)
    run, qrels = one_character_articles(*letters("RRRRRNNNNNNN", 9))
    assert F.calc_aggregate(qrels, run) == close(10 / 21)
    assert CharF.calc_aggregate(qrels, run) == close(10 / 21)


SYSTEM_1, SYSTEM_2 = "RNRNNNNNRR", "NRNNRRRNNN"


def test_exercise_8_8_average_precision():
    assert score_letters(AgP(task="doc"), SYSTEM_1, 4) == close((1 + 2 / 3 + 3 / 9 + 4 / 10) / 4)  # 0.6
    assert score_letters(AgP(task="doc"), SYSTEM_2, 4) == close((1 / 2 + 2 / 5 + 3 / 6 + 4 / 7) / 4)  # 0.493


def test_exercise_8_8_r_precision():
    assert score_letters(gP(task="doc") @ 4, SYSTEM_1, 4) == close(2 / 4)
    assert score_letters(gP(task="doc") @ 4, SYSTEM_2, 4) == close(1 / 4)


def test_section_8_4_roc_curve_of_the_systems_of_exercise_8_8():
    # 4 relevant and 6 nonrelevant: pairs in the right order, 6 + 5 + 0 + 0 and 5 + 3 + 3 + 3 of 24
    assert score_letters(ROCAUC, SYSTEM_1, 4) == close(11 / 24)
    assert score_letters(ROCAUC, SYSTEM_2, 4) == close(14 / 24)


RANKING_8_9 = "RRNNNNNNRNRNNNRNNNNR"  # 8 relevant in a collection of 10,000
PRECISIONS_8_9 = [1, 2 / 2, 3 / 9, 4 / 11, 5 / 15, 6 / 20]


def test_exercise_8_9_a_and_b():
    assert score_letters(gP(task="doc") @ 20, RANKING_8_9, 8) == close(6 / 20)
    assert score_letters(F @ 20, RANKING_8_9, 8) == close(2 * 0.3 * 0.75 / (0.3 + 0.75))


def test_exercise_8_9_c_precision_at_25_percent_recall():
    assert score_letters(PAtRecall @ 0.25, RANKING_8_9, 8) == close(1)  # 2 of 8, at rank 2


def test_exercise_8_9_f_and_g_bounds():
    found = sum(PRECISIONS_8_9)
    assert score_letters(APBound, RANKING_8_9, 8) == close((found + 7 / 21 + 8 / 22) / 8)
    assert score_letters(APBound(side="lower", documents=10000), RANKING_8_9, 8) == close(
        (found + 7 / 9999 + 8 / 10000) / 8
    )


def test_section_8_3_accuracy_and_specificity():
    # 6 relevant and 14 others retrieved, 2 relevant ones missed, of 10,000
    assert score_letters(SetAccuracy(documents=10000), RANKING_8_9, 8) == close((6 + 9978) / 10000)
    assert score_letters(Specificity(documents=10000), RANKING_8_9, 8) == close(9978 / 9992)


def test_equation_8_5_alpha_and_beta():
    assert score_letters(F(alpha=0.5) @ 20, RANKING_8_9, 8) == score_letters(F @ 20, RANKING_8_9, 8)
    assert score_letters(F(beta=0) @ 20, RANKING_8_9, 8) == close(0.3)
    assert score_letters(F(alpha=0) @ 20, RANKING_8_9, 8) == close(0.75)


def test_exercise_8_9_d_interpolated_precision_at_33_percent_recall():
    run, qrels = one_character_articles(*letters(RANKING_8_9, 8))
    assert (iP @ 0.33).calc_aggregate(qrels, run) == close(4 / 11)


def test_exercise_8_9_e_to_g_average_precision():
    found = sum(PRECISIONS_8_9)
    assert score_letters(AgP(task="doc"), RANKING_8_9, 8) == close(found / 8)  # 0.416
    largest = RANKING_8_9 + "RR" + "N" * 9978
    assert score_letters(AgP(task="doc"), largest, 8) == close((found + 7 / 21 + 8 / 22) / 8)  # 0.503
    smallest = RANKING_8_9 + "N" * 9978 + "RR"
    assert score_letters(AgP(task="doc"), smallest, 8) == close((found + 7 / 9999 + 8 / 10000) / 8)  # 0.416


def test_exercise_8_9_eleven_point_average():
    # recall after the hits: 1/8, 2/8, 3/8, 4/8, 5/8, 6/8; the highest precision from there on:
    # levels .0 .1 .2: 1; .3 .4 .5: 4/11; .6: 5/15; .7: 6/20; .8 .9 1.0: 0
    assert score_letters(IAP11, RANKING_8_9, 8) == close((3 + 3 * 4 / 11 + 5 / 15 + 6 / 20) / 11)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_equation_8_9_is_ndcg_of_ir_measures_with_its_gains(k):
    labels = {"a": 3, "b": 2, "c": 0, "d": 1, "e": 2}
    scores = {"b": 5.0, "c": 4.0, "a": 3.0, "unjudged": 2.0, "d": 1.0}

    def dcg(relevance):
        return sum((2**r - 1) / math.log2(1 + m) for m, r in enumerate(relevance[:k], start=1))

    expected = dcg([2, 0, 3, 0, 1]) / dcg([3, 2, 2, 1, 0])
    measure = nDCG(gains={1: 1, 2: 3, 3: 7}) @ k
    assert measure.calc_aggregate({"1": labels}, {"1": scores}) == pytest.approx(expected, abs=1e-12)
    assert (nDCG @ k).calc_aggregate({"1": labels}, {"1": scores}) != pytest.approx(expected, abs=1e-3) or k == 1
