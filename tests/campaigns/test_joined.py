"""What every format, measure and command must do, of those that entry points of the campaigns name."""

import inspect
import json
import re
import subprocess
import sys
from importlib.resources import files

import ir_measures
import pytest
from bad_files import BAD, NOT_FILES, fill_folder, find_faults
from json_values import places, read_each_record, replaced
from page_examples import DOCS

from pyterrier_focused.cli import find_command, load_command, main, make_parser
from pyterrier_focused.commands.options import InputPath
from pyterrier_focused.errors import FormatError
from pyterrier_focused.evaluation.measure_registry import list_measures
from pyterrier_focused.io import known_formats, read_qrels, tell_format
from pyterrier_focused.measures import MEASURES
from pyterrier_focused.testing.formats import check_format

FOLDER = files("pyterrier_focused") / "data" / "campaigns"
COMMANDS_PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")
FILES = {
    ("genomics", "run"): "genomics-run.txt", ("genomics", "qrels"): "genomics-gold.tsv",
    ("bioasq", "run"): "bioasq-submission.json", ("bioasq", "qrels"): "bioasq-golden.json",
    ("kilt", "run"): "kilt-guess.jsonl", ("kilt", "qrels"): "kilt-gold.jsonl",
}  # fmt: skip
COMMANDS = {
    "bioasq-eval": ["{0} submission", "submission {0}"],
    "genomics-eval": ["{0} run", "gold {0}"],
    "kilt-eval": ["{0} submission", "submission {0}"],
}
CALLS = [f"{command} {call}" for command in COMMANDS for call in COMMANDS[command]]
OURS = [measure for measure in list_measures() if measure not in MEASURES]


@pytest.mark.parametrize(("name", "kind"), FILES)
def test_formats_pass_their_check(name, kind):
    file = FILES[name, kind]
    check_format(known_formats(kind)[name], (FOLDER / file).read_bytes(), name=file)


@pytest.mark.parametrize(
    ("kind", "text", "names"),
    [
        ("run", "1 7 0 5 3\n", "trec or genomics"),
        ("run", "1 7 0 5 3 x\n", "trec or genomics"),
        ("qrels", "1\t7\t0\t5\t3\n", "inex or genomics"),
    ],
)
def test_a_file_that_two_formats_could_be_is_an_error_that_names_both(tmp_path, kind, text, names):
    path = tmp_path / "file.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=f"file.txt:1: this could be {names} .*say which with format="):
        tell_format(path, kind)


def test_kilt_is_paragraphs_and_its_evidence_in_texts_is_asked_for_by_name():
    with pytest.raises(ValueError, match=r"lie in the texts of articles .*spans.*this one is kilt"):
        read_qrels(str(FOLDER / "kilt-gold.jsonl"), collection={"a": "A lamp burns."})


SNIPPET = {
    "document": "http://a/1", "text": "", "beginSection": "abstract", "endSection": "abstract",
    "offsetInBeginSection": 0, "offsetInEndSection": 5,
}  # fmt: skip
KILT = {
    "id": "1",
    "input": "q",
    "output": [{"answer": "x", "provenance": [{"wikipedia_id": "T", "start_paragraph_id": 0}]}],
}
RECORDS = {
    "kilt": KILT,
    "bioasq": {"questions": [{"id": "a", "documents": ["http://a/1"], "snippets": [SNIPPET]}]},
}
ODD = [
    None, True, -1, 1.5, 2**70, 10**400, "", "x", [], [None], {}, {"a": [1]}, float("inf"), float("nan"), [[1]],
    "9" * 30, 3.5e300,
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:10])
@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("name", RECORDS)
def test_records_may_hold_any_value(name, kind, odd, recwarn):
    """`null` for a whole file once ended the process, in Arrow's reader of JSON."""
    record = RECORDS[name]
    files = [json.dumps(replaced(record, path, odd)).encode() + b"\n" for path in places(record)]
    read_each_record(known_formats(kind)[name], files)


def test_faults_of_bioasq_files_with_half_a_character_name_the_line(tmp_path):
    text = '{"questions": [\n{"id": "\ud800", "documents": 5}]}'
    (tmp_path / "gold.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(FormatError, match=r"gold\.json:2: "):
        read_qrels(tmp_path / "gold.json", "bioasq")


FOREIGN = {
    "genomics-eval": ("1\t12\t0\t20\ta\n", "7\t12\t1\t1.0\t0\t20\tt\n", ["genomics-eval", "gold", "run"]),
    "bioasq-eval": (
        '{"questions": [{"id": "1", "documents": ["a"], "snippets": []}]}',
        '{"questions": [{"id": "7", "documents": ["a"], "snippets": []}]}',
        ["bioasq-eval", "gold", "run"],
    ),
}


@pytest.mark.parametrize("program", FOREIGN)
def test_topics_that_nobody_judged_end_with_2(tmp_path, monkeypatch, capsys, program):
    monkeypatch.chdir(tmp_path)
    gold, run, words = FOREIGN[program]
    (tmp_path / "gold").write_text(gold)
    (tmp_path / "run").write_text(run)
    assert main(words) == 2
    assert re.search("do both (files )?use the same (topic )?ids?", capsys.readouterr().err)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill_folder(tmp_path)
    return tmp_path


@pytest.mark.parametrize("call", CALLS)
def test_bad_files_end_in_plain_lines(folder, capsys, call):
    faults = {bad: find_faults(call, bad, capsys) for bad in (*BAD, *NOT_FILES)}
    assert {bad: found for bad, found in faults.items() if found} == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_are_listed_and_documented(name, capsys):
    assert main(["--help"]) == 0
    assert f"\n  {name} " in capsys.readouterr().out
    assert f"`{name}`" in COMMANDS_PAGE


@pytest.mark.parametrize("name", COMMANDS)
def test_files_are_inputs(name):
    command = find_command(name)
    actions = make_parser(command, load_command(command))._actions
    assert {action.type for action in actions if not action.option_strings} == {InputPath}


@pytest.mark.parametrize("measure", OURS, ids=str)
def test_measures_explain_parameters_range_and_source(measure):
    text = inspect.getdoc(type(measure))
    parts = ("Parameters:", "Range:", "Source:", *measure.SUPPORTED_PARAMS)
    assert [part for part in parts if part not in text] == []
    assert measure.PRETTY_NAME
    assert measure.NAME in (DOCS / "measures.md").read_text(encoding="utf-8")


def test_measures_are_listed(capsys):
    assert len(OURS) == 10
    assert main(["measures"]) == 0
    listed = capsys.readouterr().out
    assert [measure for measure in OURS if measure.SHORT_DESC not in listed] == []


def test_a_measure_is_told_in_any_case(capsys):
    assert main(["measures", "passageap"]) == 0
    assert capsys.readouterr().out.startswith("PassageAP: ")


# in this order, and what is registered after each
ASKED = {
    "import pyterrier as pt": "",
    "import pyterrier_focused as ptf; ptf.parse('AiP AP map')": "",
    "ptf.parse('PassageAP')": "PassageAP",
    "import pyterrier_focused.campaigns.bioasq": "PassageAP SnippetP",
    "from pyterrier_focused.campaigns import kilt; pt.measures.EvidenceP": "EvidenceP PassageAP SnippetP",
}
REGISTERED = "print(*sorted({'PassageAP', 'SnippetP', 'EvidenceP'} & ir_measures.measures.registry.keys()))"


def test_measures_are_registered_when_they_are_asked_for():
    code = "import ir_measures\n" + "".join(f"{statement}\n{REGISTERED}\n" for statement in ASKED)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(ASKED.values())


def test_experiments_take_their_names():
    assert ir_measures.parse_trec_measure("SnippetP") == [parse_snippets()]


def parse_snippets():
    from pyterrier_focused.campaigns.bioasq import SnippetP

    return SnippetP
