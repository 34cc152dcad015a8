"""Items in the transformers of the tasks: what is one thing stays together."""

import pandas as pd
import pytest

from pyterrier_focused import cells
from pyterrier_focused.errors import OverlapError
from pyterrier_focused.frames.packing import pack
from pyterrier_focused.retrieval import Focused, RemoveOverlap, Restrict

PARTS = pd.DataFrame(
    {"qid": "q", "docno": ["a#0-10", "b#0-10", "a#5-20", "a#15-30"], "score": [4.0, 3, 2, 1], "items": [1, 2, 1, 3]}
)


@pytest.mark.parametrize(
    ("transformer", "parts"),
    [
        (RemoveOverlap(), ["a#0-10", "b#0-10", "a#5-20"]),
        (RemoveOverlap("inner"), ["b#0-10", "a#15-30"]),
        (Restrict(chars=30, per="topic"), ["a#0-10", "b#0-5", "a#5-20"]),
        (Restrict(chars=20), ["a#0-10", "b#0-10", "a#5-15"]),
    ],
)
def test_parts_of_an_item_stay_together(transformer, parts):
    assert transformer(PARTS)["docno"].tolist() == parts


def test_parts_that_are_left_keep_their_items():
    assert Restrict(chars=30, per="topic")(PARTS)["items"].tolist() == [1, 2, 1]


def test_a_task_takes_so_many_items():
    assert cells(Focused(k=2)(PARTS)["passages"]) == [[(0, 10, 4.0), (5, 20, 2.0)], [(0, 10, 3.0)]]


@pytest.mark.parametrize("make_run", [pack, Focused()], ids=["pack", "Focused"])
def test_articles_come_in_the_order_of_their_best_items(make_run):
    parts = pd.DataFrame({"qid": "q", "docno": ["a#0-9", "c#0-9", "b#0-9"], "score": [3, 2, 1], "items": [1, 2, 1]})
    run = make_run(parts)
    assert run["docno"].tolist() == ["a", "b", "c"]
    assert run["score"].is_monotonic_decreasing
    assert cells(run["passages"])[1] == [(0, 9, 1.0)]


def test_tasks_refuse_overlap_between_items_only():
    parts = pd.DataFrame(
        {"qid": "q", "docno": ["a#0-9", "a#5-12", "a#12-20"], "score": [3.0, 2, 1], "items": [1, 1, 2]}
    )
    assert len(Focused()(parts)) == 1
    with pytest.raises(OverlapError, match=r"\[0, 12\) .*\[11, 20\)"):
        Focused(overlap="error")(parts.assign(docno=["a#0-9", "a#5-12", "a#11-20"]))
