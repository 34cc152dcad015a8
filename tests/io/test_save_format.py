"""Run frames as Parquet: what is read back scores the same."""

import io

import pandas as pd
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io.save_format import read_saved_run, write_saved_run

RUN = pd.DataFrame(
    {
        "qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [1 / 3, 0.1 + 0.2, 7.0], "rank": [0, 1, 0],
        "passages": [[(0, 5), (9, 12)], [(3, 4)], []],
    }
)  # fmt: skip


def save_and_read(run):
    target = io.BytesIO()
    write_saved_run(run, target)
    return read_saved_run(io.BytesIO(target.getvalue()))


def test_passages_and_scores_come_back_exactly():
    again = save_and_read(RUN)
    assert ptf.cells(again["passages"]) == ptf.cells(RUN["passages"])
    assert again.drop(columns="passages").equals(RUN.drop(columns="passages"))


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"x" * 99])
def test_a_damaged_file_is_refused(tmp_path, damage):
    (tmp_path / "run").write_bytes(damage)
    with pytest.raises(FormatError, match=r"run: this is not a saved run .*save it again"):
        read_saved_run(tmp_path / "run")


def test_passages_that_some_rows_lack_stay_missing():
    assert save_and_read(RUN.assign(passages=[[(0, 5)], None, []]))["passages"].isna().tolist() == [False, True, False]


COLUMNS = {
    "dicts": [{"fish": 1.5}, {"a": {"b": None}}, {}],
    "several types": [1, "1", None],
    "lists": [["a", "b"], [], ["c"]],
    "no texts": ["\ud800", "b", "c"],
    "large numbers": [2**70, 1, 2],
    "flags": [True, False, None],
}


@pytest.mark.parametrize("cells", COLUMNS.values(), ids=COLUMNS.keys())
def test_other_columns_come_back(cells):
    assert save_and_read(RUN.assign(other=pd.Series(cells, dtype=object)))["other"].tolist() == cells


def test_a_column_that_no_file_holds_is_named():
    with pytest.raises(ValueError, match=r"column 'other' holds object, .* drop it"):
        save_and_read(RUN.assign(other=[object()] * 3))


def test_items_and_what_is_around_come_back():
    parts = pd.DataFrame(
        {"qid": "1", "docno": ["a#0-5", "a#9-12", "b#3-4"], "score": [3.0, 2, 1], "items": [1, None, 1], "around": 7}
    )
    again = ptf.unpack(save_and_read(ptf.pack(parts)))
    assert again["items"].tolist() == [1, pd.NA, 1]
    assert again["around"].tolist() == [7, 7, 7]
