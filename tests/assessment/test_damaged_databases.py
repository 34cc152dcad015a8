"""Databases of judgments that are damaged: what is wrong is told, with the file."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from pyterrier_focused.assessment import Store, export_judgments, write_page
from pyterrier_focused.assessment.schema import describe_fault
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels, write_qrels
from pyterrier_focused.report import write_report

DAMAGE = {
    "a text that is not compressed": "UPDATE articles SET text = X'00'",
    "a text that is a number": "UPDATE articles SET text = 7",
    "elements that are no JSON": "UPDATE articles SET elements = X'789c030000000001'",
    "details that are no JSON": "UPDATE topics SET details = '{'",
    "no version": "DELETE FROM meta WHERE name = 'version'",
    "a table that is missing": "DROP TABLE assessors; DROP TABLE topics",
}


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_a_page_of_a_damaged_database(store, tmp_path, change):
    with closing(sqlite3.connect(store.path)) as connection:
        connection.executescript(change)
    with pytest.raises(FormatError, match=r"judgments\.sqlite: this is not a database of judgments, or is damaged"):
        write_page(store.path, tmp_path / "page.html")


@pytest.mark.parametrize("highlights", ["[", "7", "[[5, 2]]", '[["a", 2]]'])
def test_highlights_that_are_none(store, highlights):
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(
            "INSERT INTO judgments SELECT qid, docno, 'anna', 1, 'judged', ?, -1, 0, '', '' FROM pool LIMIT 1",
            (highlights,),
        )
    with pytest.raises(FormatError, match=r"judgments\.sqlite: this database of judgments cannot be read"):
        read_qrels(store.path)


def test_a_locked_database_is_not_called_a_damaged_one():
    error = describe_fault(sqlite3.OperationalError("database is locked"), "x.sqlite")
    assert str(error) == "x.sqlite: the database is locked; close the program that writes to it"


JUDGED = {"highlights": [[0, 2]], "bep": 0, "status": "judged", "unsure": False, "note": "kept"}


@pytest.fixture
def half_written(store, tmp_path):
    """A copy of a database with one judgment and of its journal in the middle of a commit, as a crash leaves them."""
    store.save("t1", "emoji", "anna", version=0, id="1", action="mark", state=JUDGED)
    folder = tmp_path / "crash"
    folder.mkdir()
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.executescript("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE articles SET text = zeroblob(100000)")
        connection.execute("DELETE FROM judgments")
        for suffix in ("", "-journal"):
            shutil.copy(f"{store.path}{suffix}", folder / f"judgments.sqlite{suffix}")
    return folder / "judgments.sqlite"


@pytest.mark.parametrize("can_be_changed", [True, False])
def test_what_a_crash_left_half_written_is_rolled_back(half_written, can_be_changed, monkeypatch):
    if not can_be_changed:
        monkeypatch.setattr(sqlite3, "connect", refuse_changes(sqlite3.connect, half_written.as_uri()))
    assert read_qrels(half_written)["note"].tolist() == ["kept"]


def refuse_changes(connect, uri):
    """`sqlite3.connect`, on a disk on which the database of an address can only be read."""
    return lambda name, **options: connect(name.replace(f"{uri}?mode=rw", f"{uri}?mode=ro"), **options)


def test_a_database_that_is_no_more_than_a_name_is_begun_anew(tmp_path):
    path = tmp_path / "new.sqlite"
    path.touch()
    with pytest.raises(ValueError, match="there is no such database"):
        Store(path)
    Store(path, create=True).close()
    assert Store(path).assessors() == {}


def test_a_first_start_that_fails_leaves_no_file(tmp_path, monkeypatch):
    def fail(connection, name, create):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("pyterrier_focused.assessment.schema._check_tables", fail)
    with pytest.raises(FormatError, match="the disk is full"):
        Store(tmp_path / "new.sqlite", create=True)
    assert list(tmp_path.iterdir()) == []


def test_a_judgment_of_nobody_is_the_callers_own(store):
    store.judgment("t1", "emoji", "anna")[1]["highlights"].append([0, 1])
    assert store.judgment("t1", "arabic", "ben")[1]["highlights"] == []


@pytest.mark.parametrize(
    "write",
    [
        lambda db, judged: export_judgments(db, db),
        lambda db, judged: export_judgments(db, f"{db}/../judgments.sqlite", "judgments"),
        lambda db, judged: write_page(db, db, "anna"),
        lambda db, judged: write_qrels(judged, db, "inex"),
        lambda db, judged: write_report(db, judged, {"run": judged.assign(score=1.0)}),
    ],
)
def test_a_database_is_never_replaced(store, write):
    store.save("t1", "emoji", "anna", version=0, id="1", action="mark", state=JUDGED)
    judged = read_qrels(store.path)
    with pytest.raises(ValueError, match=r"judgments\.sqlite: this (file is also read|is a database)"):
        write(store.path, judged)
    assert read_qrels(store.path)["note"].tolist() == ["kept"]
