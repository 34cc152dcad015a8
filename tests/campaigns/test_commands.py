"""`pt-focused validate` and `convert` on the files of other campaigns."""

from importlib.resources import files

import pytest

from pyterrier_focused.cli import main
from pyterrier_focused.io import read_qrels, read_run

FOLDER = files("pyterrier_focused") / "data" / "campaigns"
RUNS = ["genomics-run.txt", "bioasq-submission.json", "kilt-guess.jsonl"]


@pytest.mark.parametrize("name", RUNS)
def test_good_runs_have_nothing_wrong(name, capsys):
    assert main(["validate", str(FOLDER / name)]) == 0
    assert f"OK: {5 if 'kilt' in name else 4} results, 2 topics" in capsys.readouterr().out


@pytest.mark.parametrize(
    "shown",
    [
        "field 3 (rank) is not a whole number: 1\n    line 3:",
        "more than 3 results: 1\n    line 5:",
    ],
)
def test_what_is_wrong_is_listed_with_its_line(tmp_path, capsys, shown):
    lines = "1 101 1 9.0 50 100 t\n1 101 2 8.0 50 100 t\n1 104 x 7.0 0 5 t\n1 104 3 7.0 0 0 t\n1 105 4 6.0 1 1 t\n"
    (tmp_path / "run").write_text(lines)
    assert main(["validate", str(tmp_path / "run"), "--limit", "3"]) == 1
    out = capsys.readouterr().out
    assert shown in out, out


@pytest.mark.parametrize("name", RUNS)
def test_runs_become_fol_runs(name, tmp_path, capsys):
    assert main(["convert", str(FOLDER / name), str(tmp_path / "run.fol"), "--to", "fol"]) == 0
    before, after = read_run(str(FOLDER / name)), read_run(tmp_path / "run.fol")
    assert after[["qid", "docno", "passages"]].equals(before[["qid", "docno", "passages"]])


def test_qrels_become_spans(tmp_path):
    given = str(FOLDER / "kilt-gold.jsonl")
    assert main(["convert", "--qrels", given, str(tmp_path / "gold.jsonl"), "--to", "spans"]) == 0
    assert len(read_qrels(given)) == len((tmp_path / "gold.jsonl").read_text().splitlines())
