"""Labels of parts, held equal to a count over sets of characters."""

import math

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyterrier_focused as ptf

PLACES = st.tuples(st.integers(0, 20), st.integers(0, 9)).map(lambda place: (place[0], place[0] + place[1]))
KEYS = st.tuples(st.sampled_from(["1", "2", "3"]), st.sampled_from(["a", "b#1-2", "c"]))
HIGHLIGHTS = st.lists(PLACES.filter(lambda place: place[0] < place[1]), max_size=3)


@given(st.lists(st.tuples(KEYS, PLACES), max_size=12), st.dictionaries(KEYS, HIGHLIGHTS), st.integers(1, 5))
def test_labels_count_characters(parts, judged, grades):
    rows = [(qid, f"{docno}#{start}-{end}") for (qid, docno), (start, end) in parts]
    qrels = pd.DataFrame(
        [(qid, docno, 1, spans) for (qid, docno), spans in judged.items()],
        columns=["qid", "docno", "label", "highlights"],
    )
    found = ptf.label_parts(pd.DataFrame(rows, columns=["qid", "docno"], dtype=object), qrels, grades)
    expected = {}
    for key, (start, end) in parts:
        relevant = {place for span in judged.get(key, []) for place in range(*span)} & set(range(start, end))
        if key[0] in {qid for qid, _ in judged}:
            label = math.ceil(grades * len(relevant) / (end - start)) if relevant else 0
            expected[key[0], f"{key[1]}#{start}-{end}"] = label
    assert [tuple(row) for row in found.values.tolist()] == [(*key, label) for key, label in expected.items()]


def test_topics_may_be_numbers():
    parts = pd.DataFrame({"qid": [7, 7, 8], "docno": ["a#0-4", "a#5-9", "a#0-4"]})
    qrels = pd.DataFrame({"qid": [7], "docno": ["a"], "label": [1], "highlights": [[(2, 3)]]})
    found = ptf.label_parts(parts, qrels)
    assert found.values.tolist() == [[7, "a#0-4", 1], [7, "a#5-9", 0]]
    assert found["label"].dtype == np.int64


@pytest.mark.parametrize(
    ("docno", "grades", "message"),
    [("a", 1, "docno 'a' is not a passage id"), ("a#0-4", 0, "grades=0; give a whole number of at least 1")],
)
def test_what_cannot_be_labelled(docno, grades, message):
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1], "highlights": [[(2, 3)]]})
    with pytest.raises(ValueError, match=message):
        ptf.label_parts(pd.DataFrame({"qid": ["1"], "docno": [docno]}), qrels, grades)


class LeastSquares:
    def fit(self, features, labels):
        self.weights = np.linalg.lstsq(features, labels)[0]

    def predict(self, features):
        return features @ self.weights


def test_a_learner_learns_from_parts():
    """A learner of one feature, fitted on labels of parts, learns how the feature tells them apart."""
    parts = pd.DataFrame({"qid": "1", "query": "q", "docno": [f"a#{10 * i}-{10 * i + 9}" for i in range(10)]})
    parts = parts.assign(score=0.0, rank=range(10), features=[np.array([float(i % 3 == 0)]) for i in range(10)])
    highlights = [(10 * i, 10 * i + 5) for i in range(0, 10, 3)]
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1], "highlights": [highlights]})
    learner = pt.ltr.apply_learned_model(LeastSquares())
    learner.fit(parts, ptf.label_parts(parts, qrels))
    scored = learner(parts).set_index("docno")["score"]
    assert [round(scored[docno], 6) for docno in parts["docno"]] == [float(i % 3 == 0) for i in range(10)]


TOPICS = pd.DataFrame({"qid": ["1"], "query": ["q"]})
FOUND = TOPICS.assign(docno="a#0-9", score=1.0, rank=0, features=[np.array([1.0])])
ARTICLES = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})


FITTING = {
    "parts": (FOUND, ptf.label_parts(FOUND, ARTICLES.assign(highlights=[[(0, 5)]]))),
    "articles": (FOUND.assign(docno="a"), ARTICLES),
    "no labels": (FOUND, ARTICLES.iloc[:0]),
}


@pytest.mark.parametrize(("found", "labels"), FITTING.values(), ids=FITTING)
@pytest.mark.filterwarnings("error::pyterrier_focused.errors.EvaluationWarning")
def test_a_pipeline_that_learns_from_fitting_labels_is_not(found, labels):
    learner = LeastSquares()
    (pt.Transformer.from_df(found) >> pt.ltr.apply_learned_model(learner)).fit(TOPICS, labels)
    assert learner.weights.shape == (1,)
