"""`pt-focused evaluate` and `pt-focused measures`."""

import csv
import io
import json

import pytest

from pyterrier_focused.cli import main
from pyterrier_focused.measures import MEASURES

# topic 1: 50 of 100 relevant characters found in 100 retrieved; topic 2: everything, and nothing else
QRELS = "1 Q0 a 100 1000 50 50:100\n1 Q0 b 0 500\n2 Q0 c 20 300 0 0:20\n"
RUN = "1 Q0 a 1 2 tag 0 100\n2 Q0 c 1 1 tag 0 20\n"
EXPECTED = {"1": {"CharP": 0.5, "CharR": 0.5, "AP": 1.0}, "2": {"CharP": 1, "CharR": 1, "AP": 1}}
EXPECTED["all"] = {"CharP": 0.75, "CharR": 0.75, "AP": 1}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "one").write_text(RUN)
    (tmp_path / "two").write_text(RUN)


def rows_of(text, format):
    if format == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    if format == "markdown":
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
        return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]
    return list(csv.DictReader(io.StringIO(text), delimiter="\t" if format == "tsv" else ","))


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "markdown"])
def test_a_row_a_run_and_topic_in_every_format(files, capsys, format):
    assert main(["evaluate", "qrels", "one", "two", "-q", "-m", "CharP CharR, AP", "--format", format]) == 0
    rows = rows_of(capsys.readouterr().out, format)
    assert [(row["run"], row["qid"]) for row in rows] == [(r, q) for r in ("one", "two") for q in ("1", "2", "all")]
    for row in rows:
        assert {name: float(row[name]) for name in ("CharP", "CharR", "AP")} == EXPECTED[row["qid"]]


def test_means_alone_without_q(files, capsys):
    assert main(["evaluate", "qrels", "one"]) == 0
    (row,) = rows_of(capsys.readouterr().out, "tsv")
    assert list(row) == ["run", "iP@0.01", "AiP", "CharP", "CharR", "AgP", "AP", "nDCG@10", "P@10"]
    assert float(row["CharP"]) == 0.75


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone", "one"], "gone"),
        (["qrels", "gone"], "gone"),
        (["qrels", "one", "-m", "AgPP"], "no measure is called 'AgPP'; did you mean AgP"),
        (["qrels", "one", "-m", ""], "no measures"),
        (["qrels", "one", "-m", "iP@2"], "recall level in [0, 1]"),
        (["qrels", "qrels"], "qrels:1"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(files, capsys, arguments, message):
    assert main(["evaluate", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert message in captured.err


def test_measures_are_listed_and_explained(capsys):
    assert main(["measures"]) == 0
    listed = capsys.readouterr().out
    assert all(measure.SHORT_DESC in listed for measure in MEASURES)
    assert main(["measures", "MAgP", "iP"]) == 0
    explained = capsys.readouterr().out
    assert "equation 13" in explained
    assert "iP@j = max of CharP@r" in explained
    assert main(["measures", "nope"]) == 2


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_every_measure_explains_parameters_range_and_source(measure):
    text = type(measure).__doc__
    for part in ("Parameters:", "Range:", "Source:", *measure.SUPPORTED_PARAMS):
        assert part in text
    assert measure.PRETTY_NAME
    assert measure.SHORT_DESC
