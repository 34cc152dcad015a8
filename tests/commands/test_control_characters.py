"""What files hold does nothing to a terminal: no control character reaches it."""

import re

import pytest

from pyterrier_focused.cli import main
from pyterrier_focused.collection import Collection
from pyterrier_focused.commands.messages import escape_controls

HOSTILE = "\x1b]0;title\x07\x1b[2Jname\x9b31m\r\x08\x7f"


def assert_is_plain(captured):
    written = captured.out + captured.err
    assert "name" in written
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", written)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[1mb", "a\\x1b[1mb"),
        ("é\x9b", "é\\x9b"),
        ("a\tb\nc", "a\tb\nc"),
        ("\r", "\\x0d"),
        ("שלום 東京 👩‍🔬",) * 2,
    ],
)
def test_control_characters_are_written_as_their_codes(text, shown):
    assert escape_controls(text) == shown


def test_titles_and_texts_that_are_found(tmp_path, capsys):
    pytest.importorskip("bm25s")
    documents = [{"docno": "1", "title": f"title {HOSTILE}", "text": f"oil {HOSTILE} lamp"}]
    Collection.from_iter(documents, tmp_path / "collection").index(tmp_path / "index", "bm25s")
    capsys.readouterr()
    assert main(["search", str(tmp_path / "index"), "--query", "oil"]) == 0
    assert_is_plain(capsys.readouterr())


@pytest.mark.parametrize("command", [["evaluate", HOSTILE, "run"], ["verify", HOSTILE]])
def test_names_of_files_in_messages(command, capsys):
    assert main(command) == 2
    assert_is_plain(capsys.readouterr())


def test_names_of_runs_in_tables(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / HOSTILE).write_text("1 Q0 a 1 1 s\n")
    assert main(["evaluate", "qrels", HOSTILE, "-m", "AP"]) == 0
    assert_is_plain(capsys.readouterr())


def test_notes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / HOSTILE).write_text("2 Q0 b 1 1 s\n")
    main(["evaluate", "qrels", HOSTILE, "-m", "AP"])
    assert_is_plain(capsys.readouterr())
