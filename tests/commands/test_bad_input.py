"""Whatever it is given, `pt-focused` ends with an exit code and plain lines: never with a traceback."""

import os
import subprocess
import sys

import pytest
from bad_files import BAD, NOT_FILES, fill_folder, find_faults, outcome

from pyterrier_focused.cli import COMMANDS

# the places of files in each command's arguments: {0} is the bad file, the others are good ones
CALLS = {
    "evaluate": ["{0} run", "qrels {0}", "qrels run --collection {0}", "{0} {0}"],
    "validate": ["{0} --task ric", "run --task ric --collection {0}"],
    "convert": ["{0} out.fol", "{0} out.xml --missing official --errors skip", "{0} out.trec", "--qrels {0} out.qrels",
                "run {0}/out.fol", "run out.fol --collection {0}"],
    "build": ["{0} out.collection"],
    "chunks": ["--corpus {0} --evidence evidence --sizes 20", "--corpus corpus --evidence {0} --sizes 20"],
    "report": ["{0} run", "qrels {0}"],
    "view": ["{0} --article a", "corpus --article a --qrels {0}"],
    "verify": ["{0}"],
    "retrieved": ["--corpus {0} --evidence evidence results", "--corpus corpus --evidence {0} results",
                  "--corpus corpus --evidence evidence {0}"],
    "citations": ["{0} --corpus corpus", "results --corpus {0}"],
    "measures": ["{0}"],
    "demo": ["--no-such-option", "--keep run", "--keep folder/gone/{0}/x --dump {0}"],
    "index": ["{0} out.index"],
    "search": ["{0} --query words", "{0} --topics topics -o out.run"],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill_folder(tmp_path)
    return tmp_path


def test_every_command_has_its_calls():
    assert CALLS.keys() == COMMANDS.keys()


SLOW = ("build", "chunks")
FAST_CALLS = [f"{command} {call}" for command in CALLS if command not in SLOW for call in CALLS[command]]


@pytest.mark.parametrize("call", FAST_CALLS)
def test_bad_files_end_in_plain_lines(folder, capsys, call):
    faults = {bad: find_faults(call, bad, capsys) for bad in (*BAD, *NOT_FILES)}
    assert {bad: found for bad, found in faults.items() if found} == {}


@pytest.mark.parametrize("call", [f"{command} {call}" for command in SLOW for call in CALLS[command]])
@pytest.mark.parametrize(
    "bad", ["empty", "binary", "utf-16", "gzip-cut", "xml-cut", "json-odd", "gone", "folder", "numbers"]
)
def test_bad_files_of_slow_commands_end_in_plain_lines(folder, capsys, call, bad):
    assert find_faults(call, bad, capsys) == []


def process(command, folder, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **options.pop("env", {})}
    shell = f"{sys.executable} -m pyterrier_focused.cli {command}"
    return subprocess.run(["bash", "-c", shell], cwd=folder, env=environment, capture_output=True, text=True, **options)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("evaluate qrels run -m AP | head -1", 0),
        pytest.param("--help | head -1", 0, marks=pytest.mark.long),
        pytest.param("measures | head -1", 0, marks=pytest.mark.long),
        ("measures > /dev/full", 2),
    ],
)
def test_closed_and_full_streams_end_a_command_without_a_traceback(folder, command, code):
    result = process(command, folder)
    assert result.returncode == code
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr
    assert len(result.stderr.splitlines()) <= 1


@pytest.mark.parametrize(
    ("command", "code"),
    [
        pytest.param("validate run --task ric", 0, marks=pytest.mark.long),
        ("convert run out.fol", 0),
    ],
)
def test_names_that_the_terminal_cannot_show_do_no_harm(folder, command, code):
    (folder / "run").write_text("1 Q0 \u00e9 1 1 caf\u00e9 0 50\n", encoding="utf-8")
    result = process(command, folder, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert result.returncode == code
    assert "Traceback" not in result.stderr


def test_ctrl_c_is_one_line_and_130(folder, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pyterrier_focused.commands.validate.run", interrupted)
    assert outcome(["validate", "run", "--task", "ric"], capsys) == (130, "", "pt-focused validate: interrupted\n")
