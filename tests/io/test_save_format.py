"""Runs that PyTerrier writes as TREC files: six plain fields that others read, and the passages beside them."""

import io

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.errors import FormatError

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
    path.with_name("run.res.gz.passages.parquet").unlink()
    with pytest.warns(UserWarning, match=r"run.res.gz.passages.parquet is missing: the passages of this run are lost"):
        assert "passages" not in pt.io.read_results(str(path)).columns


OTHERS = {
    "order": RUN.iloc[::-1],
    "topics": RUN.assign(qid=["1", "1", "3"]),
    "articles": RUN.assign(docno=["a", "c", "a"]),
    "scores": RUN.assign(score=[1 / 3, 0.3, 6.0]),
    "fewer rows": RUN.iloc[:2],
    "no rows": RUN.iloc[:0],
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_passages_of_another_run_are_refused(path, tmp_path, other):
    pt.io.write_results(other, str(tmp_path / "other"))
    (tmp_path / "other.passages.parquet").replace(f"{path}.passages.parquet")
    with pytest.raises(FormatError, match=r"passages.parquet: these are not the rows of .*run.res.gz; write the run"):
        pt.io.read_results(str(path))


def test_a_write_that_breaks_off_leaves_no_run_with_passages_of_another(path):
    with pytest.raises(TypeError):
        pt.io.write_results(RUN.iloc[:1], str(path), append=True, mistyped=1)
    with pytest.raises(FormatError, match=r"these are not the rows of"):
        pt.io.read_results(str(path))


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"x" * 99])
def test_a_damaged_file_of_passages_is_refused(path, damage):
    path.with_name("run.res.gz.passages.parquet").write_bytes(damage)
    with pytest.raises(FormatError, match=r"run.res.gz.passages.parquet: this is not a saved run .*save it again"):
        pt.io.read_results(str(path))


def test_float32_scores_fit_their_digits(tmp_path):
    pt.io.write_results(RUN.astype({"score": "float32"}), str(tmp_path / "run"))
    assert "passages" in pt.io.read_results(str(tmp_path / "run")).columns


def test_passages_that_some_rows_lack_stay_missing(tmp_path):
    pt.io.write_results(RUN.assign(passages=[[(0, 5)], None, []]), str(tmp_path / "run"))
    assert pt.io.read_results(str(tmp_path / "run"))["passages"].isna().tolist() == [False, True, False]


def test_appended_passages_may_lack_scores(tmp_path):
    scored = RUN.iloc[:2].assign(passages=[[(0, 5, 1.5)], [(3, 4, 0.5)]])
    pt.io.write_results(scored, str(tmp_path / "run"))
    pt.io.write_results(RUN.iloc[2:].assign(passages=[[(7, 9)]]), str(tmp_path / "run"), append=True)
    again = pt.io.read_results(str(tmp_path / "run"))
    assert ptf.cells(again["passages"]) == [[(0, 5, 1.5)], [(3, 4, 0.5)], [(7, 9)]]


def test_a_new_run_takes_the_place_of_appended_rows(path):
    pt.io.write_results(RUN.assign(qid=["3", "3", "4"]), str(path), append=True)
    pt.io.write_results(RUN, str(path))
    assert pt.io.read_results(str(path))["qid"].tolist() == ["1", "1", "2"]


COLUMNS = {
    "dicts": [{"fish": 1.5}, {"a": {"b": None}}, {}],
    "several types": [1, "1", None],
    "lists": [["a", "b"], [], ["c"]],
    "no texts": ["\ud800", "b", "c"],
    "large numbers": [2**70, 1, 2],
    "flags": [True, False, None],
}


@pytest.mark.parametrize("cells", COLUMNS.values(), ids=COLUMNS.keys())
def test_other_columns_come_back(tmp_path, cells):
    pt.io.write_results(RUN.assign(other=pd.Series(cells, dtype=object)), str(tmp_path / "run"))
    assert pt.io.read_results(str(tmp_path / "run"))["other"].tolist() == cells


def test_a_column_that_no_file_holds_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"column 'other' holds object, .* drop it"):
        pt.io.write_results(RUN.assign(other=[object()] * 3), str(tmp_path / "run"))


def test_a_run_without_passages_leaves_none_of_an_older_run(path):
    pt.io.write_results(RUN.assign(qid=["3", "3", "4"]), str(path), append=True)
    pt.io.write_results(RUN.drop(columns="passages"), str(path))
    assert [file.name for file in path.parent.iterdir()] == ["run.res.gz"]
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


def test_runs_are_read_from_paths_and_open_files_as_by_pandas(path):
    assert ptf.cells(pt.io.read_results(path)["passages"]) == ptf.cells(RUN["passages"])
    target = io.StringIO()
    pt.io.write_results(RUN, target)
    assert pt.io.read_results(io.StringIO(target.getvalue()))["docno"].tolist() == ["a", "b", "a"]


def test_ids_that_pandas_takes_for_missing_values_come_back(tmp_path):
    run = RUN.assign(qid=["NA", "NA", "2"], docno=["null", "nan", "None"])
    pt.io.write_results(run, str(tmp_path / "run"))
    again = pt.io.read_results(str(tmp_path / "run"))
    assert again[["qid", "docno"]].equals(run[["qid", "docno"]])
