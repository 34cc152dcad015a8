"""Items: their column is read, merged, ranked, packed and unpacked."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.errors import SpanError
from pyterrier_focused.frames.checks import check_qrels, check_run
from pyterrier_focused.frames.columns import flatten
from pyterrier_focused.frames.items import RunPassages, merge_passages, rank_items, read_passages
from pyterrier_focused.frames.packing import pack, unpack
from pyterrier_focused.frames.span_attributes import ALONE, COVER, ITEMS, make_numbers, read_numbers
from pyterrier_focused.frames.spans import Spans

RUN = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "score": [2.0, 1.0], "passages": [[(0, 9), (5, 12)], [(0, 3)]]})
QRELS = pd.DataFrame({"qid": "q", "docno": ["a"], "label": [1], "highlights": [[(0, 9), (5, 12)]]})


def arrow(cells, kind):
    return pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(cells, pa.list_(kind))]))


@pytest.mark.parametrize(
    "cells",
    [
        [[4, None], [7]],
        [np.array([4.0, np.nan]), (7,)],
        [[4, pd.NA], np.array([7])],
        arrow([[4, None], [7]], pa.int64()),
        arrow([[4, None], [7]], pa.int32()),
    ],
)
def test_numbers_of_items_are_read_from_any_list(cells):
    run = RUN.assign(items=pd.Series(cells))
    assert read_numbers(run, ITEMS, flatten(run["passages"])).tolist() == [4, ALONE, 7]


def test_a_cell_that_is_missing_says_that_each_passage_is_an_item():
    run = RUN.assign(items=[None, [7]])
    assert read_numbers(run, ITEMS, flatten(run["passages"])).tolist() == [ALONE, ALONE, 7]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ([1], "column 'items', topic 'q', article 'a': 1 numbers for 2 passages"),
        ([1, -1], "topic 'q', article 'a': -1 is not the number of an item; give 0 or more"),
        ([1, 2.5], "topic 'q', article 'a': .* 2.5 is none"),
        (["1", "2"], "topic 'q', article 'a': .* '1' is none"),
    ],
)
def test_numbers_of_items_that_do_not_fit(cell, message):
    with pytest.raises(SpanError, match=message):
        check_run(RUN.assign(items=[cell, [1]]))


def test_covers_are_shares_or_missing():
    qrels = QRELS.assign(cover=[[0, None]])
    assert read_numbers(qrels, COVER, flatten(qrels["highlights"])).tolist() == pytest.approx([0, np.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ([0.5], "column 'cover', topic 'q', article 'a': 1 numbers for 2 highlights"),
        ([0.5, 1.5], "topic 'q', article 'a': 1.5 is not a share; give 0 to 1"),
        ([0.5, "1"], "topic 'q', article 'a': .* '1' is none"),
    ],
)
def test_covers_that_do_not_fit(cell, message):
    with pytest.raises(SpanError, match=message):
        check_qrels(QRELS.assign(cover=[cell]))


def test_an_arrow_column_has_nulls_where_numbers_are_missing():
    column = make_numbers(np.array([0, 0, 2]), 3, [4, ALONE, 7], ITEMS)
    assert [cell if cell is None else list(cell) for cell in column.tolist()] == [[4, None], [], [7]]


def test_passages_of_an_item_that_overlap_are_merged_when_a_run_is_read():
    run = RUN.assign(items=[[1, 1], [1]], around=[[2, 3], [4]], passages=[[(0, 9, 1.0), (5, 12, 2.0)], [(0, 3, 3.0)]])
    read = read_passages(run)
    assert [column.tolist() for column in read.spans] == [[0, 1], [0, 0], [12, 3], [2.0, 3.0]]
    assert (read.around.tolist(), read.items.tolist()) == ([5, 4], [1, 1])


PASSAGES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 9), st.integers(-1, 3)), max_size=9)


@given(PASSAGES)
def test_merged_passages_hold_the_characters_of_their_items(passages):
    passages = sorted(passages, key=lambda passage: passage[0])
    row, start, size, item = np.array(passages, dtype=np.int64).reshape(-1, 4).T
    read = merge_passages(RunPassages(Spans(row, start, start + size, None), None, item))
    pieces = list(zip(read.spans.row, read.items, read.spans.start, read.spans.end, strict=True))
    held = [(r, i, c) for r, i, s, e in pieces if i >= 0 for c in range(s, e)]
    assert sorted(held) == sorted({(r, i, c) for r, s, n, i in passages if i >= 0 for c in range(s, s + n)})
    alone = sorted((r, s, e) for r, i, s, e in pieces if i < 0)
    assert alone == sorted((r, s, s + n) for r, s, n, i in passages if i < 0)
    assert (np.diff(read.spans.row) >= 0).all()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 3)), max_size=12))
def test_passages_of_an_item_are_together_where_its_best_one_is(passages):
    passages = sorted(passages, key=lambda passage: passage[0])
    ranking = []
    for place, (topic, item) in enumerate(passages):
        key = (topic, item) if item >= 0 else (topic, "alone", place)
        known = next((members for name, members in ranking if name == key), None)
        if known is None:
            ranking.append((key, [place]))
        else:
            known.append(place)
    topic, item = np.array(passages, dtype=np.int64).reshape(-1, 2).T
    order, of_item = rank_items(topic, item)
    assert order.tolist() == [place for _, members in ranking for place in members]
    assert of_item.tolist() == [number for number, (_, members) in enumerate(ranking) for _ in members]


def test_items_are_packed_and_unpacked():
    parts = pd.DataFrame(
        {"qid": "q", "docno": ["a#0-9", "b#0-3", "a#5-12"], "score": [3.0, 2.0, 1.0], "items": [1, None, 1]}
    )
    run = pack(parts)
    assert [list(cell) for cell in run["items"]] == [[1, 1], [None]]
    again = unpack(run)
    assert again["docno"].tolist() == parts["docno"].tolist()
    assert again["items"].tolist() == [1, pd.NA, 1]
