"""`pt-focused validate` and `convert` on the files of other campaigns."""

from importlib.resources import files

from pyterrier_focused.cli import main
from pyterrier_focused.io import read_qrels, read_run

FOLDER = files("pyterrier_focused") / "data" / "campaigns"
RUN = str(FOLDER / "bioasq-submission.json")


def test_good_runs_have_nothing_wrong(capsys):
    assert main(["validate", RUN]) == 0
    assert "OK: 4 results, 2 topics" in capsys.readouterr().out


def test_what_is_wrong_is_listed_with_its_line(tmp_path, capsys):
    lines = (FOLDER / "bioasq-submission.json").read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if "offsetInBeginSection" in line)
    lines[begin] = lines[begin].replace(": 50", ": 900")
    (tmp_path / "run.json").write_text("\n".join(lines))
    assert main(["validate", str(tmp_path / "run.json")]) == 1
    # a snippet begins five lines above its offset
    assert f"a snippet that ends before it begins: 1\n    line {begin + 1 - 5}:" in capsys.readouterr().out


def test_runs_become_fol_runs(tmp_path, capsys):
    assert main(["convert", RUN, str(tmp_path / "run.fol"), "--to", "fol"]) == 0
    before, after = read_run(RUN), read_run(tmp_path / "run.fol")
    assert after[["qid", "docno", "passages"]].equals(before[["qid", "docno", "passages"]])


def test_qrels_become_spans(tmp_path):
    given = str(FOLDER / "bioasq-golden.json")
    assert main(["convert", "--qrels", given, str(tmp_path / "gold.jsonl"), "--to", "spans"]) == 0
    assert len(read_qrels(given)) == len((tmp_path / "gold.jsonl").read_text().splitlines())
