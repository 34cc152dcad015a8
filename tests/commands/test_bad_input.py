"""Whatever it is given, `pt-focused` ends with an exit code and plain lines: never with a traceback."""

import os
import subprocess
import sys

import pytest

from pyterrier_focused.cli import COMMANDS, main

GOOD = {
    "qrels": b"1 Q0 a 100 1000 50 50:100\n1 Q0 b 0 500\n",
    "run": b"1 Q0 a 1 1 tag 0 50\n",
    "topics": b"<t><topic id='1'><title>x</title></topic></t>",
    "gold": b"1\t2\t3\t4\ta\n",
    "submission": b'{"questions": [{"id": "q", "snippets": []}]}',
    "results": b'{"question": "q", "results": ["text"]}\n',
    "evidence": b'{"question": "q", "docno": "a.txt", "start": 0, "end": 2}\n',
}
BAD = {
    "empty": b"",
    "blank": b"\n\n \n",
    "nul": b"\0" * 5000,
    "binary": bytes(range(256)) * 20,
    "latin-1": "1 Q0 caf\xe9 1 1 t 0 5\n".encode("latin-1"),
    "utf-16": "1 Q0 a 1 1 t 0 5\n".encode("utf-16"),
    "bom": b"\xef\xbb\xbf1 Q0 a 1 1 tag 0 50\n",
    "text": b"This is a letter.\nIt has no fields.\n",
    "one-line": b"x" * 100000,
    "gzip-cut": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03abc",
    "bzip2-cut": b"BZh91AY&SYabc",
    "xml-cut": b"<inex-submission><topic topic-id='1'><result>",
    "xml-other": b"<a><b/></a>",
    "xml-deep": b"<a>" * 5000,
    "xml-entities": b"<!DOCTYPE t [<!ENTITY a 'b'>]><inex-submission task='&a;'>&a;<topic topic-id='1'/>&b;",
    "xml-encoding": b"<?xml version='1.0' encoding='none-such'?><t><topic id='1'/></t>",
    "json-deep": b"[" * 100000,
    "json-odd": b'{"data": [{"paragraphs": [{"context": 5, "qas": [null]}]}]}',
    "json-numbers": b'{"question": "q", "docno": "a", "start": 1e999, "end": NaN}\n',
    "numbers": b"1 Q0 a 1 1 t 99999999999999999999 99999999999999999999\n",
    "digits": b"1 Q0 a 1 " + b"9" * 20000 + b" t 0 5\n",
    "trec": b"1 Q0 a 1 2 t\n1 Q0 a#0-" + b"9" * 4400 + b" 1 2 t\n",
    "fields": b"1 " * 5000 + b"\n",
    "paths": b"1 Q0 a 1 1 t /article[1]/x /article\n",
    "csv": b'qid,query\n1,"x\n',
}
# the places of files in each command's arguments: {0} is the bad file, the others are good ones
CALLS = {
    "evaluate": ["{0} run", "qrels {0}", "qrels run --collection {0}", "{0} {0}"],
    "inex-eval": ["-f {0} run", "-r -q qrels {0}", "-b -c qrels run {0}"],
    "validate": ["{0}", "run --topics {0}", "run --collection {0}"],
    "convert": ["{0} out.fol", "{0} out.xml --missing official --errors skip", "{0} out.trec", "--qrels {0} out.qrels",
                "run {0}/out.fol", "run out.fol --collection {0}"],
    "report": ["{0} run -o out.html", "qrels {0} -o out.html", "qrels run -o out.html --topics {0}"],
    "build": ["{0} out.collection"],
    "chunks": ["--corpus {0} --evidence evidence --sizes 20", "--corpus corpus --evidence {0} --sizes 20"],
    "genomics-eval": ["{0} run", "gold {0}"],
    "bioasq-eval": ["{0} submission", "submission {0}"],
    "kilt-eval": ["{0} submission", "submission {0}"],
    "verify": ["{0}"],
    "view": ["{0}", "--qrels {0} --topic 1 --article a -o out.html"],
    "retrieved": ["--corpus {0} --evidence evidence results", "--corpus corpus --evidence {0} results",
                  "--corpus corpus --evidence evidence {0}"],
    "assess": ["{0} --topics topics --pool run --page out.html", "corpus --topics {0} --pool run --page out.html",
               "corpus --topics topics --pool {0} --page out.html", "--db {0} --describe",
               "--db {0} --export out.qrels"],
    "measures": ["{0}"],
    "demo": ["--no-such-option", "--keep run", "--keep folder/gone/{0}/x --dump {0}"],
    "index": ["{0} out.index"],
    "search": ["{0} --query words", "{0} --topics topics -o out.run"],
    "completion": ["{0}"],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, data in {**GOOD, **BAD}.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("Some words of text.")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


def outcome(arguments, capsys):
    """Run a command: its exit code and what it printed; any exception but argparse's own end is the test's failure."""
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_every_command_has_its_calls():
    assert CALLS.keys() == COMMANDS.keys()


SLOW = ("build", "chunks", "report")
FAST_CALLS = [f"{command} {call}" for command in CALLS if command not in SLOW for call in CALLS[command]]


def find_faults(call, bad, capsys):
    """What is not as a command should end when it is given a bad file."""
    code, out, error = outcome([word.format(bad) for word in call.split()], capsys)
    faults = {
        f"exit code {code}": code not in (0, 1, 2),
        "a traceback": "Traceback" in out + error,
        "nothing is said": code == 2 and not error and not call.startswith("inex-eval"),
        "an argument of Python": "collection=" in error,
        "an offset of a passage that does not exist": "1099511627776" in out + error,
    }
    return [fault for fault, found in faults.items() if found]


@pytest.mark.parametrize("call", FAST_CALLS)
def test_bad_files_end_in_plain_lines(folder, capsys, call):
    names = (*BAD, "gone", "folder", "loop", "folder/gone", "run/below", "x\0y", "n" * 300)
    faults = {bad: find_faults(call, bad, capsys) for bad in names}
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
        ("inex-eval -f qrels run | head -1", 0),
        ("--help | head -1", 0),
        ("measures | head -1", 0),
        ("validate run > /dev/full", 2),
        ("measures >&-", 0),
        ("validate gone 2>&-", 2),
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
    [("inex-eval -f qrels run", 2), ("validate run", 0), ("convert run out.fol", 0)],  # its article is not in the qrels
)
def test_names_that_the_terminal_cannot_show_do_no_harm(folder, command, code):
    (folder / "run").write_text("1 Q0 \u00e9 1 1 caf\u00e9 0 50\n", encoding="utf-8")
    result = process(command, folder, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert result.returncode == code
    assert "Traceback" not in result.stderr


def test_ctrl_c_is_one_line_and_130(folder, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pyterrier_focused.commands.files.validate.run", interrupted)
    assert outcome(["validate", "run"], capsys) == (130, "", "pt-focused validate: interrupted\n")
