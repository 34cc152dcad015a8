"""`pt-focused hyperlinking-eval` against sh_eval's output and its rules, and the measures against both."""

import json
import re

import ir_measures
import numpy as np
import pytest
from hyperlinking_rules import expected, random_files
from random_topics import have_other_topics

from pyterrier_focused import io, parse
from pyterrier_focused.cli import main
from pyterrier_focused.measures.campaigns.segments import _list_bins as list_bins


def close(ours, theirs, tolerance):
    assert list(ours) == list(theirs)
    for query, values in theirs.items():
        mine = {name: value for name, value in ours[query].items() if name in values}
        assert list(mine) == list(values)
        assert mine == pytest.approx(values, abs=tolerance), query


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
    close(ours, theirs, 5.1e-5)


@pytest.mark.parametrize("block", range(4))
def test_random_files_score_by_the_rules_of_hyperlinking_eval(block, evaluate):
    for seed in range(60 * block, 60 * (block + 1)):
        qrel, run, search = random_files(seed)
        code, out, err = evaluate(qrel, run, "--json", "--kind", "search" if search else "linking")
        assert code == (2 if have_other_topics(qrel, run) else 0), err
        ours = json.loads(out)
        assert not any(name.startswith("relString") for name in ours["all"])
        close(ours, expected(qrel, run, search), 1e-9)


@pytest.mark.parametrize("more", ["", "q Q0 v 0.10 0.15 1\n"])
def test_a_relevant_segment_that_ends_before_its_start_is_met_and_merged_there(more, evaluate):
    qrel, run = "q Q0 v 0.10 0.09 1\n" + more, "q Q0 v 0.10 0.20 1 0.9 tag\n"
    code, out, err = evaluate(qrel, run, "--json", "--kind", "linking")
    assert code == 0, err
    ours = json.loads(out)
    assert ours["q"]["map"] == 1
    close(ours, expected(qrel, run, False), 1e-9)


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


def test_output_is_sh_evals(evaluate):
    code, out, _ = evaluate(QREL, RUN)
    assert code == 0
    lines = [line.split("\t") for line in out.splitlines()]
    assert out.splitlines()[0] == "runid               \tall\trun.txt"
    assert [line[0].strip() for line in lines[:8]] == [
        "runid", "size_bin", "tol_len", "mark_relevant", "mark_non_relevant", "mark_relevant_seen",
        "mark_non-relevant_seen", "mark_unjudged",
    ]  # fmt: skip
    values = {(name.strip(), query.strip()): value.strip() for name, query, value in lines}
    assert values["relString", "q"] == "10 2"
    assert values["map", "q"] == values["map", "all"] == "1.0000"
    assert values["num_q", "all"] == "1"
    assert ("num_q", "q") not in values
    assert ("relString", "all") not in values
    assert values["avglength_ret", "all"] == "10"
    assert {len(line[0]) for line in lines} == {20, 22}  # padded to at most 20


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


@pytest.mark.filterwarnings("ignore::pyterrier_focused.errors.EvaluationWarning")
def test_measures_on_frames_are_sh_evals_values(tmp_path):
    import pyterrier as pt

    names = {str(parse(name)[0]): official for name, official in MEASURES.items()}
    compared = 0
    for seed in range(60):
        qrel, run, search = random_files(seed, odd=False)
        if not run.strip() or not qrel.strip():
            continue
        (tmp_path / "qrel").write_text(qrel)
        (tmp_path / "run").write_text(run)
        qrels, frame = (reader(tmp_path / name) for reader, name in ((io.read_qrels, "qrel"), (io.read_run, "run")))
        values = expected(qrel, run, search)
        frames = pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(frame)
        for metric in ir_measures.iter_calc(parse(list(MEASURES)), *frames):
            if metric.query_id in values:
                official = values[metric.query_id][names[str(metric.measure)]]
                assert metric.value == pytest.approx(official, abs=1e-9), (seed, metric)
                compared += 1
    assert compared > 500
