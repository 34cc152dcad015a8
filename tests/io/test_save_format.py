"""Runs that PyTerrier writes as TREC files: six plain fields that others read, and the passages beside them."""

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_focused as ptf

RUN = pd.DataFrame(
    {
        "qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [1 / 3, 0.1 + 0.2, 7.0], "rank": [0, 1, 0],
        "passages": [[(0, 5), (9, 12)], [(3, 4)], []],
    }
)  # fmt: skip


@pytest.fixture
def path(tmp_path):
    pt.io.write_results(RUN, str(tmp_path / "run.res.gz"))
    return tmp_path / "run.res.gz"


def test_the_file_has_six_fields_that_other_programs_read(path):
    found = ir_measures.read_trec_run(str(path))
    assert [(doc.query_id, doc.doc_id, doc.score) for doc in found] == [
        tuple(row) for row in RUN[["qid", "docno", "score"]].itertuples(index=False)
    ]
    assert pd.read_csv(path, sep=" ", header=None).shape == (3, 6)


def test_passages_and_scores_come_back_exactly(path):
    again = pt.io.read_results(str(path))
    assert ptf.cells(again["passages"]) == ptf.cells(RUN["passages"])
    assert again.drop(columns="passages").equals(RUN.drop(columns="passages"))


def test_appended_rows_come_back_too(path):
    pt.io.write_results(RUN.assign(qid=["3", "3", "4"]), str(path), append=True)
    again = pt.io.read_results(str(path))
    assert again["qid"].tolist() == ["1", "1", "2", "3", "3", "4"]
    assert ptf.cells(again["passages"]) == 2 * ptf.cells(RUN["passages"])


def test_a_missing_file_of_passages_is_told(path):
    path.with_name("run.res.gz.passages.jsonl").unlink()
    with pytest.warns(UserWarning, match=r"run.res.gz.passages.jsonl is missing: the passages of this run are lost"):
        assert "passages" not in pt.io.read_results(str(path)).columns


def test_passages_of_another_run_are_told_and_left_out(path, tmp_path):
    pt.io.write_results(RUN.iloc[::-1], str(tmp_path / "other"))
    (tmp_path / "other").replace(tmp_path / "plain.res")
    path.with_name("run.res.gz.passages.jsonl").replace(tmp_path / "plain.res.passages.jsonl")
    with pytest.warns(UserWarning, match=r"does not belong to .*plain.res as it is now"):
        assert "passages" not in pt.io.read_results(str(tmp_path / "plain.res")).columns


def test_a_run_without_passages_leaves_none_of_an_older_run(path):
    pt.io.write_results(RUN.drop(columns="passages"), str(path))
    assert not path.with_name("run.res.gz.passages.jsonl").exists()
    assert "passages" not in pt.io.read_results(str(path)).columns


def test_the_name_of_a_run_is_the_users(tmp_path):
    pt.io.write_results(RUN, str(tmp_path / "run"), run_name="mine")
    assert {line.split()[5] for line in (tmp_path / "run").read_text().splitlines()} == {"mine"}
    assert "passages" in pt.io.read_results(str(tmp_path / "run")).columns


def test_items_and_what_is_around_come_back(tmp_path):
    parts = pd.DataFrame(
        {"qid": "1", "docno": ["a#0-5", "a#9-12", "b#3-4"], "score": [3.0, 2, 1], "items": [1, None, 1], "around": 7}
    )
    pt.io.write_results(ptf.pack(parts), str(tmp_path / "run.res"))
    again = ptf.unpack(pt.io.read_results(str(tmp_path / "run.res")))
    assert again["items"].tolist() == [1, pd.NA, 1]
    assert again["around"].tolist() == [7, 7, 7]
