"""`pt-focused genomics-eval` against the official program's output and its rules, and the measures against both."""

import json
import re

import ir_measures
import pytest
from genomics_rules import expected, random_files
from random_topics import have_other_topics

from pyterrier_focused import io, parse
from pyterrier_focused.cli import main


def close(ours, theirs, tolerance=1e-9):
    assert list(ours) == list(theirs)
    for topic, values in theirs.items():
        assert ours[topic] == pytest.approx(values, abs=tolerance), topic


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


@pytest.mark.parametrize("block", range(4))
def test_random_files_score_by_the_rules_of_genomics_eval(block, evaluate):
    for seed in range(75 * block, 75 * (block + 1)):
        gold, run, scored = random_files(seed)
        code, out, _ = evaluate(gold, run, "--json")
        assert code == (2 if have_other_topics(gold, run) else 0)
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
        ("1\t2\t3\t-4\tA\n", "1 2 1 0 4 t\n", "gold.tsv:1: a negative length"),
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


@pytest.mark.filterwarnings("ignore:.*fewer than five fields")
@pytest.mark.filterwarnings("ignore::pyterrier_focused.errors.EvaluationWarning")
def test_measures_on_frames_are_the_official_values(tmp_path):
    """PASSAGE, ASPECT, PASSAGE2 and DOCUMENT are PassageAP, AspectAP, CharMAP and AP of what the readers return."""
    import pyterrier as pt

    names = {"PassageAP": "PASSAGE", "AspectAP": "ASPECT", "CharMAP": "PASSAGE2", "AgP(task='doc')": "DOCUMENT"}
    for seed in range(40):
        gold, run, scored = random_files(seed, empty=False)
        (tmp_path / "gold.txt").write_text(gold)
        (tmp_path / "run.txt").write_text(run)
        if not run.strip():
            continue
        qrels = io.read_qrels(tmp_path / "gold.txt", format="genomics")
        frame = io.read_run(tmp_path / "run.txt", format="genomics")
        values = expected(gold, run, scored)
        found = ir_measures.iter_calc(
            parse(list(names)), pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(frame)
        )
        for metric in found:
            assert metric.value == pytest.approx(values[metric.query_id][names[str(metric.measure)]], abs=1e-9), seed


def test_several_runs_are_scored_one_after_the_other(tmp_path, capsys):
    gold, runs = tmp_path / "gold.tsv", [tmp_path / "a.1.txt", tmp_path / "b.2.txt"]
    gold.write_text("9\t12\t0\t10\tA\n")
    for path in runs:
        path.write_text("9 12 1 0.5 5 10 tag\n")
    assert main(["genomics-eval", str(gold), *map(str, runs)]) == 0
    both = capsys.readouterr().out
    assert [line.split("\t")[0] for line in both.splitlines()] == ["RUN", *["a"] * 8, *["b"] * 8]
    assert main(["genomics-eval", str(gold), str(tmp_path / "?.?.txt")]) == 0  # the official program takes a pattern
    assert capsys.readouterr().out == both
