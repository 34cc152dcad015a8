"""`pt-focused inex-eval` against what the official INEX tool printed, and its rules one by one."""

import math
import re

import pytest

from pyterrier_focused.cli import main

OFFICIAL = {
    "focused.out": "-f -q qrels.txt focused.run",
    "focused_c.out": "-f -c qrels.txt focused.run",
    "ric.out": "-r -q qrels.txt ric.run",
    "ric_c_beta1.out": "-r -c -q -beta 1 qrels.txt ric.run",
    "bic.out": "-b -q qrels.txt bic.run",
    "bic_n1000_two_runs.out": "-b -n 1000 qrels.txt bic.run bic.run",
}


def names_and_values(text):
    """What is before each line's last tab, and the number after it, which may be written otherwise."""
    rows = [line.rpartition("\t") for line in text.splitlines()]
    return [name for name, _, _ in rows], [float(value) if re.match(r"-?\d", value) else value for *_, value in rows]


@pytest.mark.parametrize("name", OFFICIAL)
def test_output_equals_the_official_tool(name, inex_sample, monkeypatch, capsys):
    monkeypatch.chdir(inex_sample)
    assert main(["inex-eval", *OFFICIAL[name].split()]) == 0
    ours, theirs = names_and_values(capsys.readouterr().out), names_and_values((inex_sample / name).read_text())
    assert ours[0] == theirs[0]
    assert ours[1] == pytest.approx(theirs[1], abs=1e-12)


QRELS = "1 Q0 a 100 1000 50 0:50 100:50\n1 Q0 b 0 500\n1 Q0 c 20 300 0 0:20\n2 Q0 a 10 1000 0 0:10\n"


@pytest.fixture
def evaluate(tmp_path, monkeypatch, capsys):
    """Evaluate one run, given as text: (exit code, {line name: value over all topics}, what was printed)."""
    monkeypatch.chdir(tmp_path)

    def evaluate(options, run, qrels=QRELS):
        (tmp_path / "qrels").write_text(qrels)
        (tmp_path / "run").write_text(run)
        code = main(["inex-eval", *options.split(), "qrels", "run"])
        out = capsys.readouterr().out
        fields = [line.split() for line in out.splitlines() if "\tall\t" in line]
        return code, {name: float(value) for name, _, value in fields}, out

    return evaluate


def test_only_topics_with_results_are_averaged_unless_c(evaluate):
    run = "1 Q0 a 1 1 tag 0 50\n"
    _, some, _ = evaluate("-f", run)
    _, every, _ = evaluate("-f -c", run)
    assert some["num_q"] == 1
    assert every["num_q"] == 2
    assert some["iP[0.00]"] == 1.0  # 50 characters, all of them relevant
    assert every["iP[0.00]"] == 0.5
    assert some["num_rel"] == every["num_rel"] == 3  # totals are over the qrels


def test_the_passage_that_does_not_exist_is_18_characters_of_nothing(evaluate):
    _, values, _ = evaluate("-f", "1 Q0 a 1 2 tag X X\n1 Q0 a 2 1 tag 0 50\n1 Q0 b 3 0 tag -1 -1\n")
    assert values["ret_size"] == 18 + 50 + 18
    assert values["rel_ret_size"] == 50
    assert values["iP[0.00]"] == 50 / 68
    _, values, _ = evaluate("-b", "1 Q0 a 1 2 tag X X\n")
    assert values["gP[1]"] == 0


def test_in_context_values_beyond_the_last_rank_are_its_own(evaluate):
    _, values, _ = evaluate("-r -beta 1", "1 Q0 a 1 2 tag 0 100\n1 Q0 c 2 1 tag 0 20\n")
    # a: 50 of 100 retrieved and of 100 relevant characters; c: perfect
    expected = {
        "gP[1]": 0.5, "gP[2]": 0.75, "gP[50]": 0.75,
        "gR[1]": 0.5, "gR[50]": 1.0,
        "MAgP": (0.5 + 0.75) / 2,
        "ircl_prn.0.00": 0.75, "ircl_prn.0.50": 0.75, "ircl_prn.0.60": 0.75, "ircl_prn.1.00": 0.75,
    }  # fmt: skip
    assert {name: values[name] for name in expected} == expected


def test_best_in_context_is_linear_in_the_distance_and_a_missing_entry_point_scores_0(evaluate):
    _, values, _ = evaluate("-b -n 100", "1 Q0 a 1 2 tag 75 10\n")
    assert values["gP[1]"] == 0.75
    assert values["ret_size"] == 0
    _, values, _ = evaluate("-b", "1 Q0 a 1 2 tag 0 10\n", "1 Q0 a 100 1000 -1 0:100\n")
    assert values["gP[1]"] == 0
    assert values["gR[1]"] == 1


def test_relevant_size_makes_the_totals(evaluate):
    _, values, _ = evaluate("-f", "1 Q0 a 1 1 tag 0 50\n", "1 Q0 a 200 1000 0 0:50\n")
    assert values["rel_size"] == 200
    assert values["ircl_prn.0.25"] == 1.0
    assert values["ircl_prn.0.26"] == 0.0


def test_more_found_than_relevant_is_reported_as_the_official_tool_does(evaluate):
    _, values, out = evaluate("-f", "1 Q0 a 1 1 tag 0 40\n", "1 Q0 a 20 1000 0 0:50\n")
    assert out.startswith("Impossible recall point: 200\n")
    assert values["iP[0.00]"] == 0


def test_29_of_100_characters_are_29_percent(evaluate):
    _, values, _ = evaluate("-f", "1 Q0 a 1 1 tag 0 29\n", "1 Q0 a 100 1000 0 0:100\n")
    assert values["ircl_prn.0.29"] == 1.0
    assert values["ircl_prn.0.30"] == 0.0


@pytest.mark.parametrize(
    ("options", "run", "message"),
    [
        ("-f", "1 Q0 a 1 2 tag 0 50\n1 Q0 a 2 1 tag 49 5\n", "passage overlaps .*topic 1\tarticle id: a\tin line: 2"),
        ("-r", "1 Q0 a 1 3 t 0 5\n1 Q0 b 2 2 t 0 5\n1 Q0 a 3 1 t 9 5\n", "interleaved in topic 1\t.*: a\n\tinter"),
        ("-b", "1 Q0 a 1 2 t 0 5\n1 Q0 a 2 1 t 9 5\n", "multiple results .*1\tarticle id: a\tin line: 2"),
        ("-b", "1 Q0 a 1 3 t 0 5\n1 Q0 b 2 2 t 0 5\n1 Q0 a 3 1 t 9 5\n", "interleaved in topic 1\tarticle id: a\n"),
        ("-f", "1 Q0 a 1 2 tag 0\n", r"^Error \*\*\* \(run\) fields missing in line 1: 1 Q0 a 1 2 tag 0\n$"),
        ("-f", "1 Q0 a 1 2 tag 0 5 6\n", r"^Error \*\*\* \(run\) too many fields in line 1: 1 Q0 a 1 2 tag 0 5 6\n$"),
        ("-f", " 1 Q0 a 1 2 tag 0 5\n", r"too many fields in line 1:  1 Q0"),
        ("-f", "1 Q0 a 1 2 tag 0 5\n\n1 Q0 b 2 1 tag 0 5\n", r"fields missing in line 2: \n$"),
        ("-f", "1 Q0 a 1 2 tag 5 -3\n", r"negative passage size 1: 1 Q0 a 1 2 tag 5 -3\n$"),
        ("-f", "1 Q0 a 1 2 tag 5 0\n1 Q0 a 2 1 tag 0 5\n", "passage overlaps .*in line: 2"),
        ("-f", "1 Q0 a 1 2 tag x 5\n", "run:1: offset and length are not whole numbers"),
        ("-f", "1 Q0 a 1 2 tag 2147483648 5\n", "run:1: offset and length are not whole numbers"),
    ],
)  # fmt: skip
def test_a_run_that_breaks_the_rules_is_rejected_with_a_message(evaluate, options, run, message):
    code, values, out = evaluate(options, run)
    assert code == 2
    assert values == {}
    assert re.search(message, out)


def test_a_rejected_run_does_not_stop_the_others(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "bad").write_text("1 Q0 a 1 2 tag 0 50\n1 Q0 a 2 1 tag 49 5\n")
    (tmp_path / "good").write_text("1 Q0 a 1 2 good 0 50\n")
    assert main(["inex-eval", "-f", "qrels", "bad", "gone", "good"]) == 2
    out = capsys.readouterr().out
    assert out.count("ERROR ***") == 1
    assert "IOException error: gone (No such file or directory)\n" in out
    assert '<eval run-id="good" file="good">' in out


def test_lines_of_topics_without_assessments_do_not_matter(evaluate):
    run = "1 Q0 a 1 1 tag 0 50\n"
    assert evaluate("-f -q", run)[2] == evaluate("-f -q", run + "9 Q0 a 1 9 tag 0 5\n9 Q0 a 2 8 tag 0 5\n")[2]


def test_an_empty_run_has_no_averages(evaluate):
    _, values, out = evaluate("-f", "")
    assert values["num_q"] == 0
    assert "MAiP\t\tall\tNaN" in out
    assert evaluate("-f -c", "")[1]["MAiP"] == 0


def test_the_task_must_be_given(tmp_path, capsys):
    assert main(["inex-eval", "qrels", "run"]) == 2
    assert "no task given" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "1 Q0 a 1.0 2 t 0 50",
        "1 Q0 a first NaN t 0 50",
        "1 Q0 a 1 -Infinity t 0 50",
        "1 Q0 a 1 high t +0 050",
        "1\tQ0  a\x0b1\x0c1 t 0 50 ",
        "9 Q0 a 1 1 t junk junk\n1 Q0 a 1 1 t 0 50",
        "1 Q0 a 1 1 t 0 50\r9 Q0 a 1 1 t 2147483648 9",
        "1 Q0 a 1 1 t 8 0\r\n1 Q0 a 1 1 t 100 0\n1 Q0 a 1 1 t 10 40\n1 Q0 a 2 1 t 0 7",
    ],
)
def test_odd_lines_that_the_official_tool_takes_are_taken(evaluate, line):
    code, values, _ = evaluate("-f", line + "\n")
    assert code == 0
    assert values["num_q"] == values["num_ret"] == values["num_rel_ret"] == 1
    assert values["iP[0.00]"] == 1.0
    assert values["ret_size"] == values["rel_ret_size"] == (47 if "10 40" in line else 50)


@pytest.mark.parametrize("part", ["X X", "X 18", "X 0", "-1 0", "-1 18", "X what"])
def test_a_passage_that_does_not_exist_has_18_characters_whatever_its_length_says(evaluate, part):
    _, values, _ = evaluate("-r", f"1 Q0 a 1 2 tag {part}\n1 Q0 a 1 2 tag 0 50\n1 Q0 a 1 1 tag {part}\n")
    assert values["ret_size"] == 18 + 50 + 18
    assert values["rel_ret_size"] == 50


def test_passages_may_begin_before_the_article(evaluate):
    _, values, _ = evaluate("-f", "1 Q0 a 1 1 tag -5 10\n1 Q0 c 1 1 tag -2 2\n")
    assert (values["ret_size"], values["rel_ret_size"]) == (12, 5)


HIT = "1 Q0 a 1 1 tag 50 10\n1 Q0 c 2 1 tag 50 10\n"


@pytest.mark.parametrize(
    ("options", "run", "value"),
    [
        ("-b -n 0", HIT, math.nan),  # (0 - 0) / 0 at a, too far at c
        ("-b -n -7", HIT, 0),
        ("-r -beta 0", "1 Q0 a 1 1 tag 0 100\n", 0.5),  # F with beta 0 is precision
        ("-r -beta 1e0d", "1 Q0 a 1 1 tag 0 200\n", 2 / 3),  # 100 of 200, all of 100
    ],
)
def test_options_out_of_their_range_mean_what_the_official_tool_makes_of_them(evaluate, options, run, value):
    code, values, _ = evaluate(options, run)
    assert code == 0
    assert values["gP[1]"] == pytest.approx(value, rel=0, abs=0, nan_ok=True)


def test_n_is_a_whole_number(evaluate):
    with pytest.raises(SystemExit):
        evaluate("-b -n 1.5", HIT)


@pytest.mark.parametrize(
    ("qrels", "expected"),
    [
        ("1 Q0 a 50 100 -7 0:50\n", {"gP[1]": 0, "gR[1]": 1, "num_rel": 1}),  # no best entry point
        ("1 Q0 a 50 100 0\n", {"gP[1]": 0, "gR[1]": 1, "num_rel": 1}),  # field 6 alone is not read
        ("1 Q0 a 50 100 what\n", {"gP[1]": 0, "gR[1]": 1, "num_rel": 1}),
        ("1 Q0 a 50 -1 +0 0:50:9\n", {"gP[1]": 1, "gR[1]": 1, "rel_size": 50}),
        ("1 Q0 a -50 100 0 0:50\n1 Q0 b 5 9 0 0:5\n", {"gP[1]": 0, "gR[1]": 0, "rel_size": 5}),
    ],
)
def test_odd_qrels_are_read_as_by_the_official_tool(evaluate, qrels, expected):
    code, values, _ = evaluate("-b", "1 Q0 a 1 1 tag 0 10\n", qrels)
    assert code == 0
    assert {name: values[name] for name in expected} == expected


@pytest.mark.parametrize("line", ["1 Q0 a 5", "1 Q0 a 5 x", "1 Q0 a 5 9 0 5:", "1 Q0 a 5 9 0 0:-5", "1 Q0 a 1e1 9"])
def test_qrels_that_stop_the_official_tool_are_an_error_with_the_line(tmp_path, capsys, line):
    (tmp_path / "qrels").write_text("2 Q0 a 0 5\n" + line + "\n")
    assert main(["inex-eval", "-f", str(tmp_path / "qrels"), str(tmp_path / "qrels")]) == 2
    assert f"{tmp_path / 'qrels'}:2: " in capsys.readouterr().err


@pytest.mark.parametrize("last", [b"9 Q0 a 1 1 other 0 5\n", b"9 Q0 a 1 1 other what 5\n"])
def test_the_run_id_is_that_of_the_last_judged_line_and_bytes_beyond_utf8_are_replaced(tmp_path, capsys, last):
    (tmp_path / "qrels").write_text(QRELS)
    # well-formed, and not
    (tmp_path / "run").write_bytes(b"1 Q0 a 1 1 first 0 5\n1 Q0 b 1 1 caf\xe9 0 5\n" + last)
    assert main(["inex-eval", "-f", str(tmp_path / "qrels"), str(tmp_path / "run")]) == 0
    assert '<eval run-id="caf\ufffd" file=' in capsys.readouterr().out
    (tmp_path / "run").write_bytes(b"1 Q0 b 1 1 mine 0 5\n" + last)
    assert main(["inex-eval", "-f", str(tmp_path / "qrels"), str(tmp_path / "run")]) == 0
    assert '<eval run-id="mine" file=' in capsys.readouterr().out


def test_topics_are_in_java_s_order_and_small_numbers_in_its_notation(evaluate):
    qrels = "\U00010000 Q0 a 5 9 0 0:5\n\uffee Q0 a 5 9 0 0:5\n"  # UTF-16 puts U+10000 before U+FFEE
    _, _, out = evaluate("-f -c -q", "\uffee Q0 a 1 1 tag 0 20000\n", qrels)
    assert re.findall("num_rel\t\t(.)\t", out) == ["\U00010000", "\uffee"]
    assert "iP[0.00]\t\uffee\t2.5E-4\n" in out


def test_a_topic_in_two_places_is_taken_together(evaluate, capsys):
    code, values, _ = evaluate("-r", "1 Q0 x 1 1 t 0 5\n1 Q0 a 1 1 t 0 50\n2 Q0 a 1 1 t 0 5\n1 Q0 c 1 1 t 0 20\n")
    assert code == 0
    assert values["num_ret"] == 4


def test_overlapping_highlights_count_once_and_nested_passages_are_rejected(evaluate):
    _, values, _ = evaluate("-r", "1 Q0 a 1 1 tag 0 100\n", "1 Q0 a 75 1000 0 0:50 25:50\n")
    assert values["rel_ret_size"] == 75
    code, _, out = evaluate("-f", "1 Q0 a 1 1 tag 0 50\n1 Q0 a 1 1 tag 10 20\n")
    assert code == 2
    assert "passage overlaps" in out
    assert evaluate("-f", "1 Q0 a 1 1 tag 0 50\n1 Q0 a 1 1 tag 10 0\n")[0] == 0  # an entry point may lie inside
