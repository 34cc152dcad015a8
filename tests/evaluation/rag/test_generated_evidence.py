"""Questions that a program makes of documents: quotes are checked, questions filtered, and work is not done twice."""

import numpy as np
import pytest

from pyterrier_focused.errors import FormatError
from pyterrier_focused.evaluation.rag.generated_evidence import generate_evidence
from pyterrier_focused.evidence.read import read_spans

CORPUS = {"a": "".join(f"Fact {i:03} stands here. " for i in range(200)), "b": "One fact. Two facts. One fact."}


def quote_first_sentences(text):
    return [(f"what about {text[:8]}?", sentence + ".") for sentence in text.split(".")[1:2]]


def test_quotes_become_spans_of_their_documents():
    found = generate_evidence(quote_first_sentences, CORPUS, window=500, overlap=100, verbose=False)
    assert len(found.rows) > 10
    texts = [CORPUS[row.docno][row.start : row.end].strip() for row in found.rows.itertuples()]
    assert texts == found.rows["quote"].str.strip().tolist()
    qrels = read_spans(found.rows.to_dict("records"), CORPUS)
    assert (qrels["label"] == 1).all()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (("q", "Three facts."), "is not in the text"),
        (("q", "One fact."), "occurs several times"),
        (("q", ["Two facts.", "Four"]), "is not in the text"),
        (("q", []), "it has no quote"),
        ((" ", "Two facts."), "it has no text"),
    ],
)
def test_questions_that_do_not_hold_are_dropped_with_a_reason(answer, reason):
    found = generate_evidence(lambda text: [answer], {"b": CORPUS["b"]})
    assert not len(found.rows)
    assert reason in found.dropped["reason"][0]


@pytest.mark.parametrize("answer", ["question", ("q", 3), ("q",), {"question": "q"}, None])
def test_answers_that_are_none(answer):
    with pytest.raises(ValueError, match="the function returned"):
        generate_evidence(lambda text: [answer], {"b": CORPUS["b"]})


VECTORS = {
    "one?": [1, 0], "again?": [0.9, 0.2], "far?": [0, 1], "other?": [-0.2, 1],
    "Two facts.": [1, 0], "One fact. Two": [0, 1],
}  # fmt: skip


def test_questions_are_filtered_by_similarity():
    answers = [("one?", "Two facts."), ("again?", "Two facts."), ("far?", "Two facts."), ("other?", "One fact. Two")]
    found = generate_evidence(
        lambda text: answers, {"b": CORPUS["b"]}, embed=lambda texts: np.array([VECTORS[text] for text in texts])
    )
    assert found.rows["question"].tolist() == ["one?", "other?"]
    assert found.dropped[["question", "reason"]].values.tolist() == [
        ["again?", "its similarity to an earlier question is 0.98"],
        ["far?", "its similarity to a quote is 0.00"],
    ]


@pytest.mark.parametrize("workers", [1, 4])
def test_work_goes_on_where_it_stopped(workers, tmp_path):
    read = []

    def fail_at_the_fifth(text):
        read.append(text)
        if len(read) == 5:
            raise TimeoutError
        return quote_first_sentences(text)

    path = tmp_path / "answers.jsonl"
    options = {"window": 500, "overlap": 100, "save": path, "workers": workers, "verbose": False}
    with pytest.raises(TimeoutError):
        generate_evidence(fail_at_the_fifth, CORPUS, **options)
    saved = len(path.read_text().splitlines())
    found = generate_evidence(fail_at_the_fifth, CORPUS, **options)
    whole = generate_evidence(quote_first_sentences, CORPUS, window=500, overlap=100, verbose=False)
    assert found.rows.equals(whole.rows)
    before = len(read)
    generate_evidence(fail_at_the_fifth, CORPUS, **options)
    assert len(read) == before
    assert saved >= 1 or workers > 1


def test_a_file_of_something_else(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"docno": "a"}\n')
    with pytest.raises(FormatError, match="this was not saved by generate_evidence"):
        generate_evidence(quote_first_sentences, CORPUS, save=tmp_path / "x.jsonl")
