"""What pandas does with a column of spans, and what its readers and PyTerrier make of it: the traps, held."""

import io
import json
import pickle

import ir_measures
import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.frames.columns import flatten, span_column

CELLS = [[(0, 5, 2.0), (9, 12, 1.0)], [], [(3, 3, 0.5)]]
QRELS = pd.DataFrame([["1", "a", 1, [(0, 4)], 0, 20]], columns=ptf.QRELS_COLUMNS)


@pytest.fixture
def run():
    spans = flatten(CELLS)
    return pd.DataFrame(
        {
            "qid": ["1", "1", "2"],
            "docno": ["a", "b", "a"],
            "score": [2.0, 1.0, 0.5],
            "passages": span_column(spans.row, 3, spans.start, spans.end, spans.score),
        }
    )


def test_the_types_have_names(run):
    assert run["passages"].dtype == ptf.frames.SCORED_SPANS
    assert str(ptf.frames.SPANS.pyarrow_dtype.value_type) == "struct<start: int64, end: int64>"
    assert ptf.Focused()(pd.DataFrame([["1", "a#0-5", 1.0]], columns=["qid", "docno", "score"]))["passages"].dtype == (
        ptf.frames.SCORED_SPANS
    )


def test_a_cell_reads_as_a_list_of_dicts(run):
    assert run["passages"][0] == [{"start": 0, "end": 5, "score": 2.0}, {"start": 9, "end": 12, "score": 1.0}]
    assert run["passages"].list.len().tolist() == [2, 0, 1]
    assert run["passages"].list.flatten().struct.field("start").tolist() == [0, 9, 3]
    assert run.explode("passages")["docno"].tolist() == ["a", "a", "b", "a"]


@pytest.mark.parametrize("types", [pd.ArrowDtype, None], ids=["arrow", "objects"])
def test_parquet_written_by_pandas_is_read_by_arrow(run, tmp_path, types):
    run.to_parquet(tmp_path / "run.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    again = table.to_pandas(ignore_metadata=True, types_mapper=types)
    assert ptf.cells(again["passages"]) == CELLS
    measure = ptf.parse("CharP")[0]
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    values = [
        measure.calc_aggregate(QRELS.rename(columns=names), frame.rename(columns=names)) for frame in (run, again)
    ]
    assert values == [4 / 8] * 2


@pytest.mark.parametrize("orient", ["records", "split", "columns"])
def test_json(run, orient):
    again = pd.read_json(io.StringIO(run.to_json(orient=orient)), orient=orient, dtype={"qid": str})
    assert ptf.cells(again["passages"]) == CELLS
    assert json.loads(run.to_json(orient="records"))[0]["passages"][1] == {"start": 9, "end": 12, "score": 1.0}


def test_pickle_copy_and_groupby(run):
    assert ptf.cells(pickle.loads(pickle.dumps(run))["passages"]) == CELLS
    groups = {qid: ptf.cells(rows["passages"]) for qid, rows in run.groupby("qid")}
    assert groups == {"1": CELLS[:2], "2": CELLS[2:]}
    assert ptf.cells(run.groupby("qid").head(1)["passages"]) == [CELLS[0], CELLS[2]]
    assert ptf.cells(run.iloc[[2, 0]]["passages"]) == [CELLS[2], CELLS[0]]
    assert ptf.cells(run[1:]["passages"]) == CELLS[1:]


def test_concat_with_tuples_with_nothing_and_with_the_other_type(run):
    tuples = pd.DataFrame({"qid": ["3"], "docno": ["c"], "score": [1.0], "passages": [[(1, 2, 3.0)]]})
    assert ptf.cells(pd.concat([run, tuples])["passages"]) == [*CELLS, [(1, 2, 3.0)]]
    without = pd.concat([run, tuples.drop(columns="passages")])  # as PyTerrier's + does
    assert ptf.cells(without["passages"]) == [*CELLS, []]
    spans = span_column([0], 1, [1], [2])
    assert ptf.cells(pd.concat([run, tuples.assign(passages=spans)])["passages"])[3] == [(1, 2)]


def test_merge_keeps_the_column(run):
    both = run.merge(pd.DataFrame({"docno": ["a", "z"], "title": ["A", "Z"]}), on="docno", how="outer")
    assert ptf.cells(both[both["docno"] == "a"]["passages"]) == [CELLS[0], CELLS[2]]
    assert ptf.cells(both[both["docno"] == "z"]["passages"]) == [[]]


def test_empty_frames_of_span_columns(run):
    empty = run.iloc[:0]
    assert ptf.cells(empty["passages"]) == []
    assert ptf.unpack(empty).empty
    assert flatten(empty["passages"]).score is None
    assert np.array_equal(flatten(pd.Series([None, None], dtype=ptf.frames.SPANS)).row, [])


def test_no_cell_is_changed_by_scoring(run):
    before = run.copy(deep=True)
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    ir_measures.calc_aggregate(ptf.parse("AiP AgP"), QRELS.rename(columns=names), run.rename(columns=names))
    pd.testing.assert_frame_equal(run, before)
