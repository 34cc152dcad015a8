"""`pt-focused genomics-eval` against the official program's output and its rules, and the measures against both."""

import json
import re

import pytest
from genomics_rules import expected, has_no_judged_article, random_files
from official_values import close, measure_files
from random_cases import seeds
from readings import quietly, write

from pyterrier_focused.cli import main


@pytest.fixture
def evaluate(tmp_path, capsys):
    def evaluate(gold, run, *options):
        (tmp_path / "gold.tsv").write_text(gold)
        (tmp_path / "myrun.v2.txt").write_text(run)
        code = main(["genomics-eval", str(tmp_path / "gold.tsv"), str(tmp_path / "myrun.v2.txt"), *options])
        return code, *capsys.readouterr()

    return evaluate


@pytest.mark.parametrize("run", ["york-01", "york-02"])
def test_real_runs_score_as_the_official_program_printed(run, shared_data, capsys):
    folder = shared_data / "campaigns"
    files = [folder / "genomics-2007-gold.tsv.gz", folder / f"genomics-2007-{run}.txt.gz"]
    assert main(["genomics-eval", *map(str, files), "--json"]) == 0
    close(
        json.loads(capsys.readouterr().out),
        json.loads((folder / f"genomics-2007-{run}.official.json").read_text()),
        5.1e-9,
    )


@pytest.mark.parametrize("seed", seeds(300))
def test_random_files_score_by_the_rules_of_genomics_eval(seed, evaluate):
    gold, run, scored = random_files(seed)
    code, out, _ = evaluate(gold, run, "--json")
    assert code == (2 if has_no_judged_article(gold, run) else 0)
    close(json.loads(out), expected(gold, run, scored))


def test_output_is_the_official_programs_of_genomics_eval(evaluate):
    gold = "9\t12\t0\t10\tA|B\n100\t7\t5\t5\tC\n9\t12\t20\t10\tA\n"
    run = "9 12 1 0.5 5 10 tag\n9 7 2 0.4 0 10 tag\n100 7 1 0.1 0 10 tag\n"
    code, out, _ = evaluate(gold, run)
    assert code == 0
    # topic 9: 5 of 10 characters, one of two passages, both aspects; topic 100: the last 5 of 10 characters
    halves = sum((at / (5 + at)) for at in range(1, 6)) / 5
    first5 = 5 / 20
    assert out.splitlines() == [
        "RUN\tMEASURE\tTOPIC\tSCORE",
        *(f"myrun\tDOCUMENT\t{topic}\t1.00000000" for topic in ("9", "100", "MAP")),
        "myrun\tPASSAGE\t9\t0.25000000", "myrun\tPASSAGE\t100\t0.50000000", "myrun\tPASSAGE\tMAP\t0.37500000",
        *(f"myrun\tASPECT\t{topic}\t1.00000000" for topic in ("9", "100", "MAP")),
        f"myrun\tPASSAGE2\t9\t{first5:.8f}", f"myrun\tPASSAGE2\t100\t{halves:.8f}",
        f"myrun\tPASSAGE2\tMAP\t{(first5 + halves) / 2:.8f}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("gold", "run", "message"),
    [
        ("1\t2\tx\t4\tA\n", "1 2 1 0 4 t\n", r"gold.tsv:1: field 3 \(offset\) is not a whole number"),
        ("1\t2\t3\t4\tA\n", "1 2 1 0 4 t\n1 2 2 0 4.5 t\n", r"run.v2.txt:2: field 5 \(length\) is not a whole number"),
        ("1\t2\t3\t4\tA\n", "1 2 1 9.5 0 4 t\n1 2 2 9.4 0\n", r"myrun.v2.txt:2: 5 fields instead of 6 or more"),
        ("1\t2\t3\t4\tA\n", "1 2 1 0 -4 t\n", r"length\) is negative"),
        ("1 2 3 4 A\n", "1 2 1 0 4 t\n", "the gold standard has no passages"),
        ("1\t2\t3\t-4\tA\n", "1 2 1 0 4 t\n", "gold.tsv:1: a passage without characters"),
        ("1\t2\t3\t0\tA\n", "1 2 1 0 4 t\n", "gold.tsv:1: a passage without characters"),
        ("1\t2\t3\t4\tA\n", "1 2 1 -1 4 t\n", "run.v2.txt:1: a negative offset"),
    ],
)  # fmt: skip
def test_bad_input_is_an_error_that_names_the_line_of_genomics_eval(gold, run, message, evaluate):
    code, out, err = evaluate(gold, run)
    assert code == 2
    assert out == ""
    assert re.search(message, err)


def test_short_lines_of_the_gold_standard_are_told(evaluate):
    code, out, err = evaluate("1\t2\t0\t4\tA\n1\t2\t9\t4\n", "1 2 1 0 4 t\n", "--json")
    assert code == 0
    assert "1 lines with fewer than five fields" in err
    assert json.loads(out)["1"]["PASSAGE"] == 1.0


MEASURES = {"PassageAP": "PASSAGE", "AspectAP": "ASPECT", "CharMAP": "PASSAGE2", "AgP(task='doc')": "DOCUMENT"}


def values_of_both(folder):
    """What the measures and the rules say of random files, by seed, topic and measure."""
    ours, theirs = {}, {}
    for seed in range(40):
        gold, run, scored = random_files(seed)
        if run.strip():
            files = write(folder / "gold.txt", gold), write(folder / "run.txt", run)
            found = quietly(measure_files, MEASURES, *files, format="genomics")
            rules = expected(gold, run, scored)
            ours |= {(seed, *key): value for key, value in found.items()}
            theirs |= {(seed, topic, name): rules[topic][MEASURES[name]] for topic, name in found}
    return ours, theirs


def test_measures_on_frames_are_the_official_values(tmp_path):
    """PASSAGE, ASPECT, PASSAGE2 and DOCUMENT are PassageAP, AspectAP, CharMAP and AP of what the readers return."""
    ours, theirs = values_of_both(tmp_path)
    assert len(theirs) > 300
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("runs", [["a.1.txt", "b.2.txt"], ["?.?.txt"]], ids=["names", "pattern"])
def test_several_runs_are_scored_one_after_the_other(runs, tmp_path, monkeypatch, capsys):
    """The official program takes a pattern too."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "gold.tsv", "9\t12\t0\t10\tA\n")
    write(tmp_path / "a.1.txt", "9 12 1 0.5 5 10 tag\n")
    write(tmp_path / "b.2.txt", "9 12 1 0.5 5 10 tag\n")
    assert main(["genomics-eval", "gold.tsv", *runs]) == 0
    shown = [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert shown == ["RUN", *["a"] * 8, *["b"] * 8]
