"""Which question of the evidence a row of results answers, by its id and its text."""

import warnings

import pandas as pd
import pytest

from pyterrier_focused.rag.items import Item
from pyterrier_focused.rag.results import Question, match_questions
from pyterrier_focused.rag.score import evaluate_retrieved

TEXTS = {"1": "what do cats eat", "2": "where do dogs run", "3": "is a whale a fish"}


def qrels(ids):
    return pd.DataFrame({"qid": list(ids), "query": list(TEXTS.values()), "docno": "a", "label": 1})


def match(asked, ids=TEXTS, texts=("x",)):
    return list(match_questions({"s": {asked: [Item(text) for text in texts]}}, qrels(ids))["s"])


@pytest.mark.filterwarnings("ignore:system 's' has no results")
@pytest.mark.parametrize(
    ("asked", "qid"),
    [
        (Question("2"), "2"),
        (Question("where  do dogs\nrun"), "2"),
        (Question("2", qid="2"), "2"),
        (Question("2", qid="2", query="where do dogs run"), "2"),
        (Question("q7", qid="q7", query="where do dogs run"), "2"),  # an id that the evidence does not have
        (Question("1", qid="1", query="where do dogs run"), "2"),  # ids that read_spans gave: the text is the question
        (Question("0", qid="0", query="what do cats eat"), "1"),
    ],
)
def test_a_question(asked, qid):
    assert match(asked) == [qid]


def scored(*scores):
    return [Item(text=str(score), score=score) for score in scores]


@pytest.mark.filterwarnings("ignore:system 's' has no results")
@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ([scored(3, 2, 2), scored(9, 1)], None),
        ([scored(0.1, 0.2, 0.2), scored(0.3, 0.9)], None),  # distances
        ([scored(3, None, 1), scored()], None),
        ([scored(3, 1, 2), scored(9, 1)], "where do dogs run"),
        ([scored(3, 1), scored(1, 9)], "is a whale a fish"),
    ],
)
def test_scores_that_order_lists_otherwise_are_told(lists, told):
    asked = dict(zip(map(Question, list(TEXTS.values())[1:]), lists, strict=True))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        retrieved = match_questions({"s": asked}, qrels(TEXTS))
    contradictions = [str(warning.message) for warning in caught if "its scores fall along" in str(warning.message)]
    assert [f"question {told!r}" in message for message in contradictions] == [True] * (told is not None)
    assert list(retrieved["s"].values()) == lists


@pytest.mark.filterwarnings("ignore:system 's' has no results")
def test_a_system_that_retrieved_nothing_at_all():
    with pytest.warns(UserWarning, match="system 's' retrieved nothing for any of its 1 questions"):
        match(Question("2"), texts=())


def test_id_and_text_of_different_questions():
    asked = Question("x1", qid="x1", query="where do dogs run")
    with pytest.raises(ValueError, match="question 'x1' is 'where do dogs run' in the results, and 'what do cats eat'"):
        match(asked, ["x1", "x2", "x3"])


def test_results_numbered_from_0_beside_evidence_numbered_from_1():
    corpus = {"a": "Cats eat fish. Dogs run in the park. A whale is no fish."}
    quotes = ["Cats eat fish.", "Dogs run in the park.", "A whale is no fish."]
    evidence = [{"question": text, "quote": quote} for text, quote in zip(TEXTS.values(), quotes, strict=True)]
    rows = [
        {"qid": number, "question": text, "text": quote}
        for number, (text, quote) in enumerate(zip(TEXTS.values(), quotes, strict=True))
    ]
    result = evaluate_retrieved(evidence, pd.DataFrame(rows), corpus, "SpanHit@5", verbose=False)
    assert result.table["SpanHit@5"][0] == 1
