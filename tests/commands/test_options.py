"""Paths that commands read and write, standard input, and the help of every command."""

import io
import os
import shlex
import sys

import pytest

from pyterrier_focused.cli import COMMANDS, EXAMPLES, GROUPS, load_command, main, make_parser
from pyterrier_focused.commands.options import InputPath, OutputPath

QRELS = "1 Q0 a 100 1000 50 50:100\n"
RUN = "1 Q0 a 1 2 tag 0 100\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "one.run").write_text(RUN)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Some words of text.")
    (tmp_path / "evidence.jsonl").write_text('{"question": "q", "docno": "a.txt", "start": 0, "end": 4}\n')
    (tmp_path / "results.jsonl").write_text('{"question": "q", "results": ["Some words"]}\n')
    (tmp_path / "run.html").write_text(RUN)
    os.symlink("one.run", tmp_path / "link.run")
    os.link(tmp_path / "one.run", tmp_path / "hard.run")
    return tmp_path


RAG = ["--corpus", "texts", "--evidence", "evidence.jsonl"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["convert", "one.run", "one.run", "--to", "trec"],
        ["convert", "one.run", "./texts/../one.run", "--to", "trec"],
        ["convert", "one.run", "link.run", "--to", "trec"],
        ["convert", "link.run", "one.run", "--to", "trec"],
        ["convert", "hard.run", "one.run", "--to", "trec"],
        ["convert", "--qrels", "qrels", "qrels"],
        ["report", "qrels", "one.run", "link.run", "-o", "qrels"],
        ["report", "qrels", "run.html", "link.run", "-o", "run.html"],
        ["view", "texts", "--run", "run.html", "-o", "run.html"],
        ["evaluate", "qrels", "one.run", "-o", "qrels"],
        ["retrieved", "results.jsonl", *RAG, "--questions", "results.jsonl"],
        ["retrieved", "results.jsonl", *RAG, "--located", "texts/a.txt"],
        ["chunks", *RAG, "--plot", "evidence.jsonl"],
    ],
    ids=" ".join,
)
def test_an_output_that_is_an_input_is_refused(folder, capsys, arguments):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert main(arguments) == 2
    assert "which is read" in (error := capsys.readouterr().err) or "this file is also read" in error
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_two_outputs_in_one_file_are_refused(folder, capsys):
    assert main(["retrieved", "results.jsonl", *RAG, "--questions", "x.csv", "--located", "./x.csv"]) == 2
    assert "this file would be written twice" in capsys.readouterr().err


FILES = {"FILE", "DIR", "RUN", "run", "runs", "qrels", "input", "output", "path", "source", "index"}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_argument_that_names_a_file_says_whether_it_is_read_or_written(command):
    """What is called FILE, DIR, RUN or a path has a type that says so, so that no output can destroy an input."""
    actions = make_parser(COMMANDS[command], load_command(COMMANDS[command]))._actions
    files = [action for action in actions if action.nargs != 0 and {str(action.metavar), action.dest} & FILES]
    assert [action.dest for action in files if not isinstance(action.type("file"), InputPath | OutputPath)] == []


@pytest.mark.parametrize("arguments", [["-", "one.run"], ["qrels", "-"]], ids=" ".join)
def test_a_dash_is_standard_input(folder, capsys, monkeypatch, arguments):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((QRELS if arguments[0] == "-" else RUN).encode())))
    assert main(["evaluate", *arguments, "-m", "CharP", "--format", "csv"]) == 0
    assert capsys.readouterr().out == f"run,CharP\n{arguments[1]},0.5\n"


def test_standard_input_is_named_so_in_errors(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 a 1 x\n")))
    assert main(["evaluate", "-", "one.run"]) == 2
    assert capsys.readouterr().err.startswith("pt-focused evaluate: -:1: ")


def test_standard_input_is_read_once(folder, capsys):
    assert main(["evaluate", "-", "-"]) == 2
    assert "for one file only" in capsys.readouterr().err


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_shows_the_usage_of_a_command(command, capsys):
    with pytest.raises(SystemExit) as end:
        main(["help", command])
    assert end.value.code == 0
    assert f"usage: pt-focused {command} " in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_values_are_written_in_capitals_and_words_are_not(name):
    for action in make_parser(COMMANDS[name], load_command(COMMANDS[name]))._actions:
        shown = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
        assert shown == (shown.upper() if action.option_strings else shown.lower())


# The demo's own example takes as long as the demo, which `kept_demo` runs.
@pytest.mark.parametrize("example", [*EXAMPLES.values()][1:])
def test_the_example_of_a_command_runs_in_the_folder_of_the_demo(example, kept_demo, tmp_path, monkeypatch, capsys):
    words = shlex.split(example)
    for path in kept_demo.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    assert main(words) == 0
    with pytest.raises(SystemExit):
        main(["help", words[0]])
    assert capsys.readouterr().out.endswith(f"  pt-focused {example}\n")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]], ids=" ".join)
def test_help_lists_the_commands_in_groups(words, capsys):
    assert main(words) == 0
    out = capsys.readouterr().out
    assert all(f"\n{group}:\n" in out for group in GROUPS)
    assert all(f"\n  {command} " in out for command in COMMANDS)
    assert max(map(len, out.splitlines())) <= 110


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evalute"], "there is no command 'evalute'; did you mean evaluate?"),
        (["xyz"], "there is no command 'xyz'; pt-focused --help lists them"),
        (["--nothing"], "there is no command '--nothing'"),
    ],
)
def test_an_unknown_command_is_refused_with_the_nearest_one(words, message, capsys):
    assert main(words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("words", [["qrels"], ["qrels", "run", "--nope"], ["qrels", "run", "--format", "odd"]])
def test_a_mistake_in_the_arguments_is_one_line(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(["evaluate", *words])
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("pt-focused evaluate: ")
