"""ROCAUC against the Mann-Whitney U statistic of scipy: U / (positives * negatives) is the area under the curve."""

import ir_measures
import numpy as np
import pytest
from brute_force import articles
from hypothesis import given
from random_topics import qrels_frame, qrels_topics, run_frame, run_topics
from scipy.stats import mannwhitneyu

from pyterrier_focused.measures import ROCAUC


def area(run, qrels):
    """Judged articles by their place in the ranking; those that were not retrieved share the last place."""
    place = {docno: position for position, (docno, _, _) in enumerate(articles(run))}
    positive = [-place.get(row[0], len(place)) for row in qrels if row[1] >= 1]
    negative = [-place.get(row[0], len(place)) for row in qrels if row[1] < 1]
    if not positive or not negative:
        return 0.5
    return mannwhitneyu(positive, negative, method="asymptotic").statistic / (len(positive) * len(negative))


@given(run_topics(), qrels_topics(min_topics=1))
def test_area_is_the_mann_whitney_statistic(run, qrels):
    found = ir_measures.iter_calc([ROCAUC], qrels_frame(qrels), run_frame(run))
    with np.errstate(all="ignore"):  # the p-value, which is not used, of constant samples
        expected = {qid: area(run.get(qid, []), judged) for qid, judged in qrels.items()}
    assert {metric.query_id: metric.value for metric in found} == pytest.approx(expected, abs=1e-12)


def test_a_large_ranking_has_the_mann_whitney_area():
    random = np.random.default_rng(1)
    names = [f"d{i}" for i in range(3000)]
    run = {"1": [(name, float(score), None) for name, score in zip(names[:2500], random.random(2500), strict=True)]}
    judged = random.permutation(names)[:1000]
    qrels = {
        "1": [(str(name), int(label), [], -1, 9) for name, label in zip(judged, random.random(1000) < 0.2, strict=True)]
    }
    found = ROCAUC.calc_aggregate(qrels_frame(qrels), run_frame(run))
    assert found == pytest.approx(area(run["1"], qrels["1"]), abs=1e-12)
