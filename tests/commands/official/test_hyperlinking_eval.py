"""`pt-focused hyperlinking-eval` against sh_eval's output and its rules, and the measures against both."""

import json
import re

import numpy as np
import pytest
from hyperlinking_rules import expected, random_files
from official_values import close, measure_files
from random_cases import seeds
from random_topics import have_other_topics
from readings import quietly, write

from pyterrier_focused.cli import main
from pyterrier_focused.measures.campaigns.segments import _list_bins as list_bins


def hold_to_rules(ours, theirs, tolerance=1e-9):
    """The rules say nothing of some names."""
    close({query: {name: row[name] for name in row if name in theirs[query]} for query, row in ours.items()},
          theirs, tolerance)  # fmt: skip


@pytest.fixture
def evaluate(tmp_path, capsys):
    def evaluate(qrel, run, *options):
        (tmp_path / "qrel").write_text(qrel)
        (tmp_path / "run.txt").write_text(run)
        code = main(["hyperlinking-eval", str(tmp_path / "qrel"), str(tmp_path / "run.txt"), *options])
        return code, *capsys.readouterr()

    return evaluate


def test_a_real_run_scores_as_sh_eval_printed(shared_data, capsys):
    folder = shared_data / "campaigns"
    files = [folder / "mediaeval-2014-search.qrel.gz", folder / "mediaeval-2014-600-500.txt.gz"]
    assert main(["hyperlinking-eval", "--kind", "search", *map(str, files), "--json"]) == 0
    theirs = json.loads((folder / "mediaeval-2014-600-500.official.json").read_text())
    ours = json.loads(capsys.readouterr().out)
    assert theirs["all"].pop("runid")
    assert list(ours["all"]) == ["runid", *theirs["all"]]
    assert list(ours)[-1] == "all"
    cut = ("videos_ret", "videos_rel", "avglength_ret", "avglength_rel")  # which the program prints as whole numbers
    ours = {query: {name: int(v) if name in cut else v for name, v in ours[query].items()} for query in theirs}
    hold_to_rules(ours, theirs, 5.1e-5)


@pytest.mark.parametrize("seed", seeds(240))
def test_random_files_score_by_the_rules_of_hyperlinking_eval(seed, evaluate):
    qrel, run, search = random_files(seed)
    code, out, err = evaluate(qrel, run, "--json", "--kind", "search" if search else "linking")
    assert code == (2 if have_other_topics(qrel, run) else 0), err
    ours = json.loads(out)
    assert [name for name in ours["all"] if name.startswith("relString")] == []
    hold_to_rules(ours, expected(qrel, run, search))


@pytest.mark.parametrize("more", ["", "q Q0 v 0.10 0.15 1\n"])
def test_a_relevant_segment_that_ends_before_its_start_is_met_and_merged_there(more, evaluate):
    qrel, run = "q Q0 v 0.10 0.09 1\n" + more, "q Q0 v 0.10 0.20 1 0.9 tag\n"
    code, out, err = evaluate(qrel, run, "--json", "--kind", "linking")
    assert code == 0, err
    ours = json.loads(out)
    assert ours["q"]["map"] == 1
    hold_to_rules(ours, expected(qrel, run, False))


def test_json_is_not_rounded(evaluate):
    _, out, _ = evaluate("q Q0 v 0.10 0.20 1\n", "q Q0 v 0.15 0.25 1 0.9 tag\nq Q0 v 0.25 0.30 2 0.8 tag\n", "--json")
    assert json.loads(out)["all"]["avglength_ret"] == 7.5


def test_the_kind_of_run_has_the_short_option_of_sh_eval(evaluate):
    run = "q Q0 v 0.15 0.25 0.15 1 0.9 tag\n"
    assert evaluate("q Q0 v 0.10 0.20 1\n", run, "-k", "search") == evaluate(
        "q Q0 v 0.10 0.20 1\n", run, "--kind", "search"
    )


QREL = "q Q0 v 0.10 0.20 1\nq Q0 v 0.30 0.40 0\nr Q0 v 0.00 0.10 1\n"
RUN = "q Q0 v 0.15 0.25 1 0.9 tag\nq Q0 v 0.25 0.35 2 0.8 tag\n"


@pytest.fixture
def rows(evaluate):
    """What is printed of two queries: [name, query, value], a line each."""
    code, out, _ = evaluate(QREL, RUN)
    assert code == 0
    return [line.split("\t") for line in out.splitlines()]


def test_output_opens_as_that_of_sh_eval(rows):
    assert rows[0] == ["runid               ", "all", "run.txt"]
    assert [name.strip() for name, _, _ in rows[:8]] == [
        "runid", "size_bin", "tol_len", "mark_relevant", "mark_non_relevant", "mark_relevant_seen",
        "mark_non-relevant_seen", "mark_unjudged",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("relString", {"q": "10 2"}),
        ("map", {"q": "1.0000", "all": "1.0000"}),
        ("num_q", {"all": "1"}),
        ("avglength_ret", {"q": "10", "all": "10"}),
    ],
)
def test_values_are_written_as_by_sh_eval(rows, name, values):
    assert {query.strip(): value.strip() for found, query, value in rows if found.strip() == name} == values


def test_names_are_padded_to_at_most_20(rows):
    assert {len(name) for name, _, _ in rows} == {20, 22}


def test_149_relevant_seconds_cannot_all_be_reached(evaluate):
    qrel, run = "q Q0 v 0.00 2.29 1\n", "q Q0 v 0.00 2.29 1 0.9 tag\n"
    values = json.loads(evaluate(qrel, run, "--json")[1])["q"]
    assert values["maisp"] == pytest.approx(148 / 149, abs=1e-12)


def test_without_common_queries_all_is_zero(evaluate):
    code, out, _ = evaluate(QREL, "x Q0 v 0.15 0.25 1 0.9 tag\n", "--json")
    assert code == 2
    values = json.loads(out)
    assert list(values) == ["all"]
    assert values["all"]["num_q"] == values["all"]["map"] == values["all"]["num_ret_secs"] == 0


@pytest.mark.parametrize(
    ("qrel", "run", "options", "message"),
    [
        (QREL, RUN + "q Q0 v 0.15\n", [], r"run.txt:3: 4 fields instead of 7 or more"),
        (QREL, RUN, ["--kind", "search"], r"run.txt:1: field 7 \(rank\) is not a whole number"),
        (QREL + "q Q0 v 1.0 2.0 yes\n", RUN, [], r"qrel:4: field 6 \(relevance\) is not a whole number"),
        (QREL + "q Q0 v 1.0 2.0\n", RUN, [], r"qrel:4: 5 fields instead of 6"),
        (QREL, RUN + "q Q0 v 5.10 6.214748364800 3 1 t\n", [], r"run.txt:3: .* 100,000 minutes; 6.214748364800 is no"),
        (QREL + "q Q0 v 100000.00 100000.01 1\n", RUN, [], r"qrel:4: .* 100,000 minutes; 100000.01 is no place"),
    ],
)
def test_bad_input_is_an_error_that_names_the_line_of_hyperlinking_eval(qrel, run, options, message, evaluate):
    code, out, err = evaluate(qrel, run, *options)
    assert code == 2
    assert out == ""
    assert re.search(message, err)


def test_the_latest_time_is_read(evaluate):
    code, _, err = evaluate(QREL + "q Q0 v 99999.00 100000.00 1\n", RUN)
    assert (code, err) == (0, "")


def test_bins_are_listed_once_if_the_first_segment_on_them_comes_again():
    start = np.array([0, 299, 0, 300, 0])
    end = np.array([600, 301, 600, 300, 300])
    segment, at = list_bins(np.array([7, 7, 7, 7, 8]), start, end, 300)
    assert (segment.tolist(), at.tolist()) == ([0, 0, 4], [0, 1, 0])


MEASURES = {
    "SegmentAP": "map", "SegmentAP(relevance='bin')": "map_bin", "SegmentAP(relevance='tolerance')": "map_tol",
    "SegmentP@5": "P_5", "SegmentP(relevance='bin')@10": "P_10_bin", "SegmentP(relevance='tolerance')@20": "P_20_tol",
    "SegmentJudged@10": "Judged_10", "SegmentJudged(relevance='bin')@20": "Judged_20_bin",
    "SegmentJudged(relevance='tolerance')@30": "Judged_30_tol", "MAiSP": "maisp",
}  # fmt: skip


def values_of_both(folder):
    """What the measures and the rules say of random files, by seed, query and measure."""
    ours, theirs = {}, {}
    for seed in range(60):
        qrel, run, search = random_files(seed, odd=False)
        if run.strip() and qrel.strip():
            found = quietly(measure_files, MEASURES, write(folder / "qrel", qrel), write(folder / "run", run))
            rules = expected(qrel, run, search)
            ours |= {(seed, *key): value for key, value in found.items() if key[0] in rules}
            theirs |= {(seed, qid, name): rules[qid][MEASURES[name]] for qid, name in found if qid in rules}
    return ours, theirs


def test_measures_on_frames_are_sh_evals_values(tmp_path):
    ours, theirs = values_of_both(tmp_path)
    assert len(theirs) > 500
    assert ours == pytest.approx(theirs, abs=1e-9)
