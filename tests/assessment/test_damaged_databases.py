"""Databases of judgments that are damaged: what is wrong is told, with the file."""

import sqlite3
from contextlib import closing

import pytest

from pyterrier_focused.assessment.schema import describe_fault
from pyterrier_focused.assessment.single_file import write_page
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels

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
