"""Results as rows, frames and files: which question, in which order."""

import csv

import numpy as np
import pandas as pd
import pytest

from pyterrier_focused.errors import FormatError
from pyterrier_focused.rag.results import read_retrieved


def texts(results):
    return {asked.name: [item.text for item in items] for asked, items in read_retrieved(results)["results"].items()}


def ranked(*ranks, scores=None):
    scores = scores or [None] * len(ranks)
    return [
        {"text": f"text {rank}", "rank": rank} | ({} if score is None else {"score": score})
        for rank, score in zip(ranks, scores, strict=True)
    ]


@pytest.mark.parametrize(
    "found",
    [
        ranked(3, 1, 2),
        ranked(3, 1, 2, scores=[0.1, 0.9, 0.5]),
        ranked(3, 1, 2, scores=[0.9, 0.1, 0.5]),  # distances
        pd.DataFrame(ranked(3, 1, 2)),
        {"results": ranked(3, 1, 2)},
    ],
)
def test_ranks_order_what_was_retrieved(found):
    assert texts({"q": found}) == {"q": ["text 1", "text 2", "text 3"]}


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (ranked(1, 2, 3, scores=[0.5, 0.9, 0.1]), "ranks and scores order the items differently"),
        ([*ranked(1, 2), "text"], "2 of 3 items have a rank"),
        (ranked(1, 1), "two items have rank 1"),
        ({"one", "two"}, "a set has no order"),
        (frozenset({"one"}), "a set has no order"),
    ],
)
def test_what_has_no_order(found, message):
    with pytest.raises(ValueError, match=message):
        read_retrieved({"q": found})


@pytest.mark.parametrize(
    ("results", "shown"), [(["no file"], r"\['no file'\]"), ([], r"\[\]"), (None, "None"), (7, "7")]
)
def test_what_are_no_results(results, shown):
    with pytest.raises(ValueError, match=f"rows .dicts or a table., or files that exist, not {shown}"):
        read_retrieved(results)


def test_a_row_of_white_space_holds_a_text():
    assert texts(pd.DataFrame({"qid": ["1", "1"], "text": [" \n", "a"]})) == {"1": [" \n", "a"]}


def test_rows_are_ordered_by_their_ranks():
    rows = pd.DataFrame({"qid": ["1", "1", "2"], "text": ["b", "a", "c"], "rank": [2, 1, 1]})
    assert texts(rows) == {"1": ["a", "b"], "2": ["c"]}


def test_without_ranks_the_order_given_is_the_ranking():
    assert texts({"q": [{"text": "b", "score": 0.1}, {"text": "a", "score": 0.9}]}) == {"q": ["b", "a"]}


def test_a_list_that_numpy_printed_into_a_cell(tmp_path):
    contexts = ["It is\n'quoted', here.", 'And "here".', "A third"]
    with open(tmp_path / "r.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "contexts"])
        writer.writerow(["q", str(np.array(contexts, dtype=object))])
        writer.writerow(["r", str(contexts)])
    (system,) = read_retrieved(tmp_path / "r.csv").values()
    assert [[item.text for item in items] for items in system.values()] == [contexts, contexts]


def test_a_question_with_two_lists(tmp_path):
    rows = [{"question": "q", "contexts": ["one"]}, {"question": "q", "contexts": ["two"]}]
    with pytest.raises(FormatError, match="the question has a list already, on line 1"):
        read_retrieved(pd.DataFrame(rows))


def test_a_question_with_the_same_list_twice():
    rows = pd.DataFrame([{"question": "q", "contexts": ["one"]}] * 2)
    with pytest.warns(UserWarning, match="the same question and list as on line 1"):
        assert texts(rows) == {"q": ["one"]}


def test_candidates_of_rank_llm(tmp_path):
    candidates = '[{"docid": "d#1_2", "score": 3.5, "doc": {"segment": "x"}}]'
    (tmp_path / "r.jsonl").write_text(f'{{"query": {{"text": "what?", "qid": "7"}}, "candidates": {candidates}}}\n')
    ((asked, items),) = read_retrieved(tmp_path / "r.jsonl")["r"].items()
    assert (asked.qid, asked.query, items[0].text) == ("7", "what?", "x")


def test_a_trec_run_of_passage_ids(tmp_path):
    (tmp_path / "bm25.run").write_text("1 Q0 a#0-5 2 1.5 tag\n1 Q0 b#3-9 1 2.5 tag\n2 Q0 a#0-5 1 1 tag\n")
    results = read_retrieved(tmp_path / "bm25.run")["bm25"]
    assert [(asked.qid, [item.ids[0] for item in items]) for asked, items in results.items()] == [
        ("1", ["b#3-9", "a#0-5"]),
        ("2", ["a#0-5"]),
    ]


def test_several_files_are_several_systems(tmp_path):
    files = [tmp_path / "one.csv", tmp_path / "two.csv"]
    files[0].write_text("qid,text\n1,x\n")
    files[1].write_text("qid,text\n1,x\n")
    assert list(read_retrieved(files)) == ["one", "two"]


def nest(depth, wrap):
    value = wrap("x")
    for _ in range(depth):
        value = wrap(value)
    return value


def hold_itself():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    "thing",
    [nest(9000, lambda value: [value]), nest(9000, lambda value: {"metadata": value}), hold_itself()],
    ids=["lists", "dicts", "a list that holds itself"],
)
def test_what_is_nested_too_deeply(thing):
    with pytest.raises(ValueError, match="is nothing that was retrieved"):
        read_retrieved({"q": [thing]})
    with pytest.raises(FormatError, match="is nothing that was retrieved"):
        read_retrieved(pd.DataFrame({"question": ["q"], "contexts": [[thing]]}))
