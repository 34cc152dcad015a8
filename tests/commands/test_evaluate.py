"""`pt-focused evaluate` and `pt-focused measures`."""

import csv
import io
import json

import pytest

import pyterrier_focused as ptf
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
    found = [(row.pop("run"), row.pop("qid"), {name: float(value) for name, value in row.items()}) for row in rows]
    assert found == [(run, qid, values) for run in ("one", "two") for qid, values in EXPECTED.items()]


@pytest.fixture
def seven(tmp_path, monkeypatch):
    """A run that finds the relevant article of seven topics first, and one that finds it second."""
    monkeypatch.chdir(tmp_path)
    lines = [[f"{q} {field}" for q in range(7)] for field in ("0 a 1", "Q0 a 1 2 t", "Q0 b 1 3 t")]
    for name, text in (("qrels", lines[0]), ("good", lines[1]), ("bad", lines[1] + lines[2])):
        (tmp_path / name).write_text("\n".join(text) + "\n")


def test_a_baseline_marks_what_differs(seven, capsys):
    options = ["--baseline", "bad", "--format", "markdown", "-m", "AP", "-p", "3"]
    assert main(["evaluate", "qrels", "bad", "good", *options]) == 0
    out = capsys.readouterr().out
    assert "| good | 1.000⁺ |" in out
    # The one exchange of all seven signs and its mirror image: p = 2 / 2^7.
    assert "Means over 7 topics." in out
    assert "higher and lower than bad (two-sided randomisation test, p at most .05)" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--baseline bad", "--baseline goes with --format markdown"),
        ("--baseline worse -o t.md", "--baseline worse: give one of the runs, bad, good"),
        ("-q --baseline bad -o t.md", "-q is for tables without --baseline"),
        ("--baseline bad -o t.md -m NumRet", "NumRet is no mean over topics"),
    ],
)
def test_tables_that_cannot_be_are_refused(seven, capsys, options, message):
    assert main(["evaluate", "qrels", "bad", "good", *options.split()]) == 2
    assert message in capsys.readouterr().err


def test_means_alone_without_q(files, capsys):
    assert main(["evaluate", "qrels", "one", "--format", "tsv"]) == 0
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


def test_measures_are_listed_with_their_descriptions(capsys):
    assert main(["measures"]) == 0
    listed = capsys.readouterr().out
    assert [measure for measure in MEASURES if measure.SHORT_DESC not in listed] == []


def test_measures_are_explained_with_their_equations(capsys):
    assert main(["measures", "MAgP", "iP"]) == 0
    explained = capsys.readouterr().out
    assert "equation 13" in explained
    assert "iP@j = max of CharP@r" in explained


def test_an_unknown_measure_is_not_explained():
    assert main(["measures", "nope"]) == 2


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("iP@0.01", "iP: "),
        ("iP[0.01]", "iP: "),
        ("agp", "AgP, MAgP: "),
        ("AgP(task='bic',n=1000)", "AgP, MAgP: "),
        ("charp(chars=2000)", "CharP: "),
        ("ndcg@10", "nDCG: "),
    ],
)
def test_a_measure_is_explained_with_parameters_and_in_any_case(name, title, capsys):
    assert main(["measures", name]) == 0
    assert capsys.readouterr().out.startswith(title)


def test_a_measure_in_other_case_is_suggested_first(files, capsys):
    code, _, error = evaluated(capsys, "qrels", "one", "-m", "AGP")
    assert code == 2
    assert "did you mean AgP?" in error


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_every_measure_explains_parameters_range_and_source(measure):
    parts = ("Parameters:", "Range:", "Source:", *measure.SUPPORTED_PARAMS)
    assert [part for part in parts if part not in type(measure).__doc__] == []
    assert measure.PRETTY_NAME
    assert measure.SHORT_DESC


# by hand: AP of a, b ranked 1st and 3rd of two relevant: (1 + 2/3) / 2; of topic 2, which the run misses: 0
TREC_QRELS = "1 0 a 1\n1 0 b 2\n1 0 c 0\n2 0 a 1\n"
TREC_RUN = "1 Q0 a 1 3.5 t\n1 Q0 x 2 3 t\n1 Q0 b 3 2 t\n"


def evaluated(capsys, *arguments):
    code = main(["evaluate", *arguments, "--format", "tsv"])
    captured = capsys.readouterr()
    return code, rows_of(captured.out, "tsv"), captured.err


@pytest.fixture
def trec_files(files, tmp_path):
    (tmp_path / "trec.qrels").write_text(TREC_QRELS)
    (tmp_path / "trec.run").write_text(TREC_RUN)
    return "trec.qrels", "trec.run"


def test_trec_files_alone_need_no_lengths(trec_files, capsys):
    code, (row,), error = evaluated(capsys, *trec_files)
    assert code == 0
    assert error == (
        "pt-focused evaluate: trec.run: note: no results for 1 of the 2 judged topics (first: '2'), which score 0\n"
    )
    assert list(row) == ["run", "AP", "nDCG@10", "P@10"]
    assert float(row["AP"]) == pytest.approx((1 + 2 / 3) / 2 / 2)


def test_counts_over_all_topics_are_those_of_topics_that_the_run_has_results_for(trec_files, capsys):
    """As in trec_eval."""
    code, rows, _ = evaluated(capsys, *trec_files, "-q", "-m", "num_q num_ret num_rel num_rel_ret")
    assert code == 0
    counts = {row["qid"]: tuple(float(row[name]) for name in list(row)[2:]) for row in rows}
    assert {qid: counts[qid] for qid in ("1", "all")} == {"1": (1, 3, 2, 2), "all": (1, 3, 2, 2)}


def test_measures_of_characters_need_lengths(trec_files, capsys):
    code, _, error = evaluated(capsys, *trec_files, "-m", "AiP")
    assert code == 2
    assert "collection=" in error


def test_lengths_of_a_trec_run_come_from_the_qrels(files, tmp_path, capsys):
    (tmp_path / "trec.run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")  # 1000 and 500 characters, 100 relevant
    code, (row,), _ = evaluated(capsys, "qrels", "trec.run", "-m", "CharP CharR AP")
    assert code == 0
    assert float(row["CharP"]) == pytest.approx(100 / 1500 / 2)
    assert float(row["CharR"]) == 0.5


def test_measures_of_articles_need_no_lengths(files, tmp_path, capsys):
    (tmp_path / "trec.run").write_text(TREC_RUN)  # x has no length
    code, (row,), _ = evaluated(capsys, "qrels", "trec.run", "-m", "AP")
    assert (code, float(row["AP"])) == (0, 0.5)


def test_an_article_without_a_length_is_named(files, tmp_path, capsys):
    (tmp_path / "trec.run").write_text(TREC_RUN)
    code, _, error = evaluated(capsys, "qrels", "trec.run", "-m", "CharP")
    assert code == 2
    assert error.startswith(
        "pt-focused evaluate: trec.run:2: an article that is not in the collection or among the lengths; "
    )
    assert "pass collection=Collection(...)" in error


@pytest.fixture
def overlap(files, tmp_path):
    (tmp_path / "overlap").write_text("1 Q0 a 1 2 tag 0 100\n1 Q0 a 2 1 tag 50 100\n")
    return "overlap"


def test_overlap_is_an_error_with_advice(overlap, capsys):
    code, _, error = evaluated(capsys, "qrels", overlap, "-m", "CharP")
    assert code == 2
    assert "overlap='once'" in error


def test_overlap_counts_once_if_asked_for(overlap, capsys):
    measures = "CharP CharR(overlap='once') AP"
    code, (row,), _ = evaluated(capsys, "qrels", overlap, "-m", measures, "--overlap", "once")
    assert code == 0
    assert float(row["CharP(overlap='once')"]) == 100 / 150 / 2
    assert list(row)[1:] == ["CharP(overlap='once')", "CharR(overlap='once')", "AP"]


@pytest.mark.parametrize("name", ["focused", "in-context", "inex-eval-bic", "adhoc"])
def test_presets_are_lists_of_measures(files, capsys, name):
    code, (row,), _ = evaluated(capsys, "qrels", "one", "-m", f"{name} CharP")
    assert code == 0
    expected = {
        "focused": ["iP@0.0", "iP@0.01", "iP@0.05", "iP@0.1", "AiP"],
        "in-context": ["gP@5", "gP@10", "gP@25", "gP@50", "AgP"],
        "inex-eval-bic": [*(f"gP(task='bic',n=500)@{rank}" for rank in (5, 10, 25, 50)), "AgP(task='bic',n=500)"],
        "adhoc": ["AP", "P@5", "P@10", "RR", "Bpref"],
    }[name]
    assert list(row)[1:] == [*expected, "CharP"]
    assert [str(measure) for measure in ptf.preset(name)] == expected


def test_warnings_are_one_line_each_with_the_run(files, tmp_path, capsys):
    (tmp_path / "sizes").write_text("1 Q0 a 7 1000 50 50:100\n")  # relevant_size is not the highlights' size
    code, _, error = evaluated(capsys, "sizes", "one", "-m", "CharP")
    assert code == 0
    (line,) = [line for line in error.splitlines() if "relevant_size" in line]
    assert line.startswith("pt-focused evaluate: note: sizes: relevant_size is not the size of the highlights")


def test_what_does_not_fit_is_one_line_for_each_run(files, tmp_path, capsys):
    (tmp_path / "names").write_text("1 Q0 a.xml 1 1 tag 0 50\n")
    (tmp_path / "long").write_text("1 Q0 a 1 1 tag 0 9000\n2 Q0 c 1 1 tag 0 20\n")
    code, _, error = evaluated(capsys, "qrels", "one", "names", "long", "-m", "CharP")
    assert code == 2  # all ids of one run are foreign
    lines = error.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("pt-focused evaluate: names: note: none of the run's 1 articles is in the qrels")
    assert lines[1].startswith("pt-focused evaluate: long: note: 1 of 2 passages end beyond their article's length")


def test_the_version_is_shown(capsys):
    from pyterrier_focused import __version__

    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"pt-focused {__version__}\n"


def test_a_run_with_results_for_every_judged_topic_has_no_note(files, capsys):
    code, _, error = evaluated(capsys, "qrels", "one", "-m", "AP")
    assert (code, error) == (0, "")


def test_lines_that_are_not_in_the_order_of_their_ranks_are_told(files, tmp_path, capsys):
    (tmp_path / "sorted").write_text("1 Q0 b 2 1 tag 0 10\n1 Q0 a 1 2 tag 0 100\n2 Q0 c 1 1 tag 0 20\n")
    code, (row,), error = evaluated(capsys, "qrels", "sorted", "-m", "AP")
    assert (code, float(row["AP"])) == (0, 0.75)
    assert error.startswith("pt-focused evaluate: sorted: note: sorted: the lines are the ranking")
    assert "1 of 2 topics (first: line 2, topic '1': rank 1 follows 2)" in error


def test_utf16_is_called_by_its_name(files, tmp_path, capsys):
    (tmp_path / "wide").write_text(RUN, encoding="utf-16")
    code, _, error = evaluated(capsys, "qrels", "wide")
    assert (code, error) == (2, "pt-focused evaluate: wide:1: this is UTF-16; convert it to UTF-8\n")
