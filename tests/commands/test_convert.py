"""`pt-focused convert`: what a conversion keeps, what it makes up and says so, and what it refuses."""

from pathlib import Path

import pytest

from pyterrier_focused.cli import main


@pytest.fixture
def convert(tmp_path, monkeypatch, capsys):
    """A function that runs the command in a folder of its own and returns its exit code and what it says."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return main(["convert", *arguments]), capsys.readouterr().err

    return run


def write(name, text):
    Path(name).write_text(text)


def read(name):
    return Path(name).read_text()


def test_a_run_comes_back_from_xml_as_it_was(convert):
    write("a.fol", "1 Q0 7 1 0.875 mine 0 10\n1 Q0 12 2 -2 mine 3 4\n2 Q0 7 1 1e-09 mine 5 6\n")
    assert convert("a.fol", "a.xml.gz", "--to", "inex-xml")[0] == 0
    code, said = convert("a.xml.gz", "b.fol")
    assert code == 0
    assert "not in the new file: participant-id, task" in said
    assert read("b.fol") == read("a.fol")


def test_qrels_come_back_as_they_were(convert):
    write("a.qrels", "1 Q0 7 5 66 -1 0:5\n1 Q0 12 0 27\n")
    assert convert("--qrels", "a.qrels", "b.qrels.bz2")[0] == 0
    assert convert("--qrels", "b.qrels.bz2", "c.qrels")[0] == 0
    assert read("c.qrels") == read("a.qrels")


def test_qrels_are_not_taken_for_a_run(convert):
    write("a.qrels", "1 Q0 7 5 66 -1 0:5\n1 Q0 12 0 27\n")
    code, said = convert("a.qrels", "b.fol")
    assert code == 2
    assert "--qrels converts qrels" in said


def test_ranks_are_counted_again_and_a_tag_is_given(convert):
    write("a.fol", "1 Q0 7 4 0.875 mine 0 10\n1 Q0 12 4 -2 mine 3 4\n")
    code, said = convert("a.fol", "b.fol", "--tag", "yours")
    assert code == 0
    assert read("b.fol") == "1 Q0 7 1 0.875 yours 0 10\n1 Q0 12 2 -2 yours 3 4\n"
    assert "ranks did not count 1, 2, 3" in said


def test_what_a_submission_needs_and_a_run_does_not_say_is_made_up_with_a_note(convert):
    write("a.fol", "1 Q0 7 1 0.5 mine 0 10\n")
    assert convert("a.fol", "a.xml") == (0,
        "pt-focused convert: note: the run has no such attributes of a submission; wrote these defaults: "
        'participant-id="0", task="Focused", query="automatic"\n'
    )  # fmt: skip


def test_what_a_submission_needs_can_be_given(convert):
    write("a.fol", "1 Q0 7 1 0.5 mine 0 10\n")
    options = ["--participant-id", "12", "--task", "BestInContext", "--query", "manual", "--result-type", "fol"]
    assert convert("a.fol", "a.xml", *options) == (0, "")
    attributes = 'participant-id="12" task="BestInContext" query="manual" result-type="fol" run-id="mine"'
    assert attributes in read("a.xml")


KEPT = """\
<topic-fields title="yes" castitle="no" description="no" narrative="no"/>
<description>BM25 &amp; more</description>
<collections><collection>wikipedia</collection></collections>
"""
SUBMISSION = f"""\
<inex-submission participant-id="4" run-id="R1" task="Focused" query="automatic" result-type="passage">
{KEPT}<topic topic-id="1">
<result><in>wiki</in><file>7</file><fol offset="0" length="9"/></result>
</topic>
</inex-submission>
"""


def test_what_a_submission_says_is_kept(convert):
    write("a.xml", SUBMISSION)
    code, said = convert("a.xml", "b.xml")
    assert code == 0
    assert KEPT in read("b.xml")
    assert "not in the new file: <in>" in said


def test_what_only_a_submission_says_is_named_if_it_is_lost(convert):
    write("a.xml", SUBMISSION)
    code, said = convert("a.xml", "a.fol")
    assert code == 0
    assert "task, query, result-type, <topic-fields>, <description>, <collections>, <in>" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["out.csv"], "cannot tell the format from '.csv'; add --to FORMAT"),
        (["out.dat.gz"], "cannot tell the format from '.dat'"),
        (["out.fol", "--task", "Focused"], "--task: only for --to inex-xml"),
        (["out.fol", "--passage-ids"], "--passage-ids: only for --to trec"),
        (["out.fol", "--from", "spans"], "--from spans: runs are read as fol"),
        (["out.fol", "--to", "spans"], "--to spans: runs are written as fol"),
    ],
)
def test_what_cannot_be_converted_is_refused_in_one_line(convert, arguments, message):
    write("in", "1 Q0 7 1 0.5 mine 0 10\n")
    code, said = convert("in", *arguments)
    assert code == 2
    assert message in said
    assert len(said.splitlines()) == 1
    assert [file.name for file in Path().iterdir()] == ["in"]


NOT_THERE = "1 Q0 7 1 3 t X X\n1 Q0 7 2 2 t 0 9\n1 Q0 7 3 1 t X X\n"


def test_passages_that_do_not_exist_stay_so(convert):
    write("in", NOT_THERE)
    assert convert("in", "out.fol", "--missing", "official")[0] == 0
    assert read("out.fol") == NOT_THERE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["out.xml", "--missing", "official"], "2 passages do not exist, which"),
        (["out.trec", "--passage-ids", "--missing", "official"], "2 passages do not exist, which"),
        (["out.fol"], "missing='official'"),
    ],
)
def test_passages_that_do_not_exist_are_refused(convert, arguments, message):
    write("in", NOT_THERE)
    code, said = convert("in", *arguments)
    assert code == 2
    assert message in said


@pytest.mark.parametrize(
    ("text", "options", "loss"),
    [
        ("1 Q0 7 1 0.875 mine 0 10\n", ["--to", "trec"], "the passages are not in the file"),
        ("1 Q0 7#0-10 1 0.875 mine\n", ["--to", "trec"], "the passages are not in the file"),
        ("1 Q0 7 5 66 2 2:5\n", ["--qrels", "--to", "trec"], "highlights, bep, length, relevant_size are not in"),
        ("1 Q0 7 5 66 0 2:5\n", ["--qrels", "--to", "spans"], "1 best entry points other than the first span's start"),
    ],
)
def test_a_conversion_that_loses_text_or_entry_points_needs_lossy(convert, text, options, loss):
    write("in.txt", text)
    write("out", "as it was")
    code, said = convert("in.txt", "out", *options)
    assert code == 2
    assert [part for part in (loss, "out is not written", "--lossy") if part not in said] == []
    assert read("out") == "as it was"
    code, said = convert("in.txt", "out", *options, "--lossy")
    assert code == 0
    assert loss in said


@pytest.mark.parametrize(("text", "target"), [("1 Q0 7 5 66 2 2:5\n", "out.jsonl"), ("1 0 7 0\n", "out.trec")])
def test_a_conversion_that_keeps_text_and_entry_points_needs_nothing(convert, text, target):
    write("in.txt", text)
    assert convert("--qrels", "in.txt", target)[0] == 0
