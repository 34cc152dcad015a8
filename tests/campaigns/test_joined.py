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
from pyterrier_focused.io import known_formats, read_qrels
from pyterrier_focused.measures import MEASURES
from pyterrier_focused.testing.formats import check_format

FOLDER = files("pyterrier_focused") / "data" / "campaigns"
COMMANDS_PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")
FILES = {("bioasq", "run"): "bioasq-submission.json", ("bioasq", "qrels"): "bioasq-golden.json"}
CALLS = ["bioasq-eval {0} submission", "bioasq-eval submission {0}"]
OURS = [measure for measure in list_measures() if measure not in MEASURES]


@pytest.mark.parametrize(("name", "kind"), FILES)
def test_formats_pass_their_check(name, kind):
    file = FILES[name, kind]
    check_format(known_formats(kind)[name], (FOLDER / file).read_bytes(), name=file)


SNIPPET = {
    "document": "http://a/1", "text": "", "beginSection": "abstract", "endSection": "abstract",
    "offsetInBeginSection": 0, "offsetInEndSection": 5,
}  # fmt: skip
RECORD = {"questions": [{"id": "a", "documents": ["http://a/1"], "snippets": [SNIPPET]}]}
ODD = [
    None, True, -1, 1.5, 2**70, 10**400, "", "x", [], [None], {}, {"a": [1]}, float("inf"), float("nan"), [[1]],
    "9" * 30, 3.5e300,
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:10])
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_records_may_hold_any_value(kind, odd, recwarn):
    """`null` for a whole file once ended the process, in Arrow's reader of JSON."""
    files = [json.dumps(replaced(RECORD, path, odd)).encode() + b"\n" for path in places(RECORD)]
    read_each_record(known_formats(kind)["bioasq"], files)


def test_faults_of_bioasq_files_with_half_a_character_name_the_line(tmp_path):
    text = '{"questions": [\n{"id": "\ud800", "documents": 5}]}'
    (tmp_path / "gold.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(FormatError, match=r"gold\.json:2: "):
        read_qrels(tmp_path / "gold.json", "bioasq")


def test_topics_that_nobody_judged_end_with_2(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, question in {"gold": "1", "run": "7"}.items():
        questions = [{"id": question, "documents": ["a"], "snippets": []}]
        (tmp_path / name).write_text(json.dumps({"questions": questions}))
    assert main(["bioasq-eval", "gold", "run"]) == 2
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


def test_the_command_is_listed_and_documented(capsys):
    assert main(["--help"]) == 0
    assert "\n  bioasq-eval " in capsys.readouterr().out
    assert "`bioasq-eval`" in COMMANDS_PAGE


def test_files_are_inputs():
    command = find_command("bioasq-eval")
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
    assert len(OURS) == 4
    assert main(["measures"]) == 0
    listed = capsys.readouterr().out
    assert [measure for measure in OURS if measure.SHORT_DESC not in listed] == []


def test_a_measure_is_told_in_any_case(capsys):
    assert main(["measures", "snippetap"]) == 0
    assert capsys.readouterr().out.startswith("SnippetAP: ")


# in this order, and what is registered after each
ASKED = {
    "import pyterrier as pt": "",
    "import pyterrier_focused as ptf; ptf.parse('AiP AP map')": "",
    "ptf.parse('SnippetAP')": "SnippetAP SnippetF SnippetP SnippetR",
}
REGISTERED = "print(*sorted(name for name in ir_measures.measures.registry if name.startswith('Snippet')))"


def test_measures_are_registered_when_they_are_asked_for():
    code = "import ir_measures\n" + "".join(f"{statement}\n{REGISTERED}\n" for statement in ASKED)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(ASKED.values())


def test_experiments_take_their_names():
    assert ir_measures.parse_trec_measure("SnippetP") == [parse_snippets()]


def parse_snippets():
    from pyterrier_focused.campaigns.bioasq import SnippetP

    return SnippetP
