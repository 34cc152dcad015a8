"""The commands that read and score files: each prints the frame of a function, and its exit code tells the outcome."""

import json

import pandas as pd
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.cli import COMMANDS, main, make_parser
from pyterrier_focused.io import read_qrels, read_run

QRELS = "1 Q0 a 100 1000 50 50:100\n1 Q0 b 0 500\n2 Q0 a 10 1000 0 0:10\n"
GOOD = "1 Q0 a 1 2 good 50 100\n1 Q0 b 2 1 good 0 50\n2 Q0 a 1 1 good 0 10\n"
WORSE = "1 Q0 b 1 2 worse 0 50\n1 Q0 a 2 1 worse 50 50\n"
EVIDENCE = [{"question": "who?", "docno": "d.txt", "quote": "It was Ada"}]
RESULTS = [{"question": "who?", "text": "It was Ada"}]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"qrels": QRELS, "good.run": GOOD, "worse.run": WORSE, "a.xml": "<article><p>Cats.</p></article>"}
    files |= {"trec": "1 Q0 a 1 2.5 t\n", "evidence.json": json.dumps(EVIDENCE), "results.json": json.dumps(RESULTS)}
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "d.txt").write_text("Who knew? It was Ada. Nobody else did.")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_80_columns_and_ends_with_an_example(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as exit:
        main([name, "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert exit.value.code == 0
    assert [line for line in lines if len(line) > 80] == []
    assert lines[-2:][0] == "example:"
    assert lines[-1].startswith(f"  pt-focused {name}")


@pytest.mark.parametrize(
    "words", [[], ["nope"], ["evaluate"], ["validate", "x", "--task", "y"], ["build", "a", "b", "-x"]]
)
def test_wrong_usage_is_exit_code_2(words, capsys):
    with pytest.raises(SystemExit) as exit:
        main(words)
    assert exit.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_parser_knows_every_command():
    assert set(make_parser().parse_args(["verify", "x"]).__dict__) >= {"command", "path"}


def test_evaluate_writes_the_values_of_ir_measures(folder, capsys):
    assert main(["evaluate", "qrels", "good.run", "worse.run", "-m", "AP P@1", "-q", "-o", "table.csv"]) == 0
    table = pd.read_csv("table.csv", dtype={"qid": str})
    assert table.values.tolist() == [
        ["good.run", "1", 1, 1], ["good.run", "2", 1, 1], ["good.run", "all", 1, 1],
        ["worse.run", "1", 0.5, 0], ["worse.run", "2", 0, 0], ["worse.run", "all", 0.25, 0],
    ]  # fmt: skip
    assert "worse.run: note: no results for 1 judged topics (first: '2')" in capsys.readouterr().err


def test_evaluate_prints_a_frame_as_pandas_does(folder, capsys):
    assert main(["evaluate", "qrels", "good.run", "-m", "AP CharP"]) == 0
    table = pd.DataFrame({"run": ["good.run"], "AP": [1.0], "CharP": [(100 / 150 + 1) / 2]})
    assert capsys.readouterr().out == table.to_string(index=False, float_format="{:.4f}".format) + "\n"


def test_evaluate_finds_quoted_evidence_in_its_texts(folder, capsys):
    (folder / "d.run").write_text("1 Q0 d 1 1 t 10 10\n")
    assert main(["evaluate", "evidence.json", "d.run", "--collection", "texts", "-m", "CharR"]) == 0
    assert "1.0000" in capsys.readouterr().out


def test_overlap_counts_once_if_it_is_asked_for(folder, capsys):
    (folder / "twice.run").write_text("1 Q0 a 1 2 t 50 100\n1 Q0 a 2 1 t 60 10\n")
    assert main(["evaluate", "qrels", "twice.run", "-m", "CharP"]) == 2
    assert "overlap" in capsys.readouterr().err
    assert main(["evaluate", "qrels", "twice.run", "-m", "CharP", "--overlap", "once"]) == 0


def test_a_run_of_other_ids_is_exit_code_2(folder, capsys):
    (folder / "other.run").write_text("9 Q0 z 1 1 t 0 5\n")
    assert main(["evaluate", "qrels", "other.run", "-m", "AP"]) == 2
    assert "0.0000" in capsys.readouterr().out


@pytest.mark.parametrize("output", ["good.run", "qrels", "./qrels"])
def test_an_output_that_is_an_input_is_refused(folder, output, capsys):
    assert main(["evaluate", "qrels", "good.run", "-m", "AP", "-o", output]) == 2
    assert f"{output} is one of the inputs" in capsys.readouterr().err
    assert (folder / "qrels").read_text() == QRELS


def test_convert_does_not_write_over_its_input(folder, capsys):
    assert main(["convert", "good.run", "good.run"]) == 2
    assert (folder / "good.run").read_text() == GOOD


@pytest.mark.parametrize("name", ["out.xml", "out.fol", "out.run.gz"])
def test_a_converted_run_ranks_as_before(folder, name):
    assert main(["convert", "good.run", name]) == 0
    pd.testing.assert_frame_equal(read_run(name), read_run("good.run"))


def test_a_format_without_passages_is_written_if_it_is_asked_for(folder, capsys):
    assert main(["convert", "good.run", "out.trec"]) == 2
    assert "--lossy" in capsys.readouterr().err
    assert not (folder / "out.trec").exists()
    assert main(["convert", "good.run", "out.trec", "--lossy"]) == 0
    assert main(["convert", "good.run", "ids.trec", "--passage-ids"]) == 0
    assert read_run("ids.trec")["docno"].tolist() == ["a", "b", "a"]


def test_converted_qrels_are_the_same(folder):
    assert main(["convert", "--qrels", "qrels", "spans.jsonl"]) == 0
    assert ptf.cells(read_qrels("spans.jsonl")["highlights"]) == [[(50, 150)], [(0, 10)]]


def test_attributes_of_a_submission_are_written(folder):
    assert main(["convert", "good.run", "out.xml", "--submission", "task=Focused", "--submission", "query=manual"]) == 0
    assert read_run("out.xml").attrs["submission"]["query"] == "manual"


@pytest.mark.parametrize(
    "words",
    [
        "convert good.run out.csv", "convert good.run out.dat", "convert good.run out.fol --from nope",
        "convert good.run out.fol --to nope", "convert qrels out.fol", "convert nothing out.fol",
        "convert good.run out.fol --unit bytes", "evaluate qrels nothing", "evaluate qrels qrels",
        "evaluate good.run good.run", "evaluate qrels good.run -m Nope", "evaluate qrels good.run -m ''",
        "evaluate qrels trec -m CharP --collection nothing", "validate trec --task ric", "validate nothing --task ric",
        "measures Nope", "verify nothing", "verify texts", "index nothing new", "search nothing --query x",
        "build nothing new", "retrieved results.json --corpus nothing --evidence evidence.json",
        "retrieved results.json --corpus texts --evidence nothing",
        "retrieved results.json --corpus texts --evidence evidence.json --require SpanHit",
        "retrieved results.json --corpus texts --evidence evidence.json --main x",
        "chunks --corpus texts --evidence evidence.json --sizes 20,x",
        "chunks --corpus texts --evidence evidence.json --sizes 20 --overlaps 30", "citations nothing --corpus texts",
    ],
)  # fmt: skip
def test_mistakes_are_a_sentence_and_exit_code_2(folder, words, capsys):
    assert main([word.strip("'") for word in words.split()]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"pt-focused {words.split()[0]}")
    assert "Traceback" not in error


def test_validate_prints_the_violations_and_is_exit_code_1(folder, capsys):
    assert main(["validate", "good.run", "--task", "ric"]) == 0
    assert capsys.readouterr().out == ""
    (folder / "bad.run").write_text(GOOD + "2 Q0 a 2 0 good 5 10\n")
    assert main(["validate", "bad.run", "--task", "ric"]) == 1
    assert "overlaps line 3" in capsys.readouterr().out


@pytest.mark.parametrize(("gate", "code"), [("SpanHit@5 >= 0.8", 0), ("SpanHit@5 < 0.5", 1)])
def test_a_gate_that_fails_is_exit_code_1(folder, gate, code, capsys):
    words = ["retrieved", "results.json", "--corpus", "texts", "--evidence", "evidence.json"]
    assert main([*words, "--require", gate, "--json", "gates.json"]) == code
    (row,) = json.loads((folder / "gates.json").read_text())
    assert row["verdict"] == ("fails" if code else "passes")
    assert "SpanHit@5" in capsys.readouterr().out


def test_chunks_has_a_row_for_each_size_and_overlap(folder, capsys):
    words = ["chunks", "--corpus", "texts", "--evidence", "evidence.json", "--sizes", "20,30", "--overlaps", "0,25"]
    assert main([*words, "-o", "chunks.csv"]) == 0
    assert pd.read_csv("chunks.csv")["name"].tolist() == ["20 chars", "30 chars", "30 chars, 25 shared"]


def test_a_measure_is_explained_by_its_documentation(capsys):
    assert main(["measures", "AgP", "iP@0.01"]) == 0
    out = capsys.readouterr().out
    assert type(ptf.AgP).__doc__.splitlines()[0] in out


def test_control_characters_of_files_are_shown_and_not_sent(folder, capsys):
    (folder / "odd\x1b[31m.run").write_text(GOOD)
    assert main(["evaluate", "qrels", "odd\x1b[31m.run", "-m", "AP"]) == 0
    assert "\x1b" not in capsys.readouterr().out
