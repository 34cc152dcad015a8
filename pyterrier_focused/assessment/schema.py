"""The tables of a database of judgments (SQLite), and how it is opened: actions are confirmed once they are on disk."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from ..errors import FormatError
from ..io.annotations.judgments_db import VERSION

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE topics (qid TEXT PRIMARY KEY, number INTEGER NOT NULL, query TEXT NOT NULL, details TEXT NOT NULL);
CREATE TABLE articles (docno TEXT PRIMARY KEY, title TEXT NOT NULL, length INTEGER NOT NULL, text BLOB NOT NULL,
    elements BLOB NOT NULL);  -- text and elements (JSON) are compressed with zlib
CREATE TABLE pool (qid TEXT NOT NULL, docno TEXT NOT NULL, doubled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (qid, docno)) WITHOUT ROWID;
CREATE TABLE assessors (name TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE, qid TEXT, docno TEXT);
CREATE TABLE judgments (qid TEXT NOT NULL, docno TEXT NOT NULL, assessor TEXT NOT NULL, version INTEGER NOT NULL,
    status TEXT NOT NULL, highlights TEXT NOT NULL, bep INTEGER NOT NULL, unsure INTEGER NOT NULL, note TEXT NOT NULL,
    time TEXT NOT NULL, PRIMARY KEY (qid, docno, assessor)) WITHOUT ROWID;
CREATE TABLE actions (id TEXT NOT NULL, qid TEXT NOT NULL, docno TEXT NOT NULL, assessor TEXT NOT NULL,
    version INTEGER NOT NULL, action TEXT NOT NULL, made_by TEXT NOT NULL, time TEXT NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (qid, docno, assessor, version), UNIQUE (qid, docno, assessor, id));
CREATE TABLE visits (qid TEXT NOT NULL, docno TEXT NOT NULL, assessor TEXT NOT NULL, seconds REAL NOT NULL,
    offset INTEGER NOT NULL, time TEXT NOT NULL, PRIMARY KEY (qid, docno, assessor)) WITHOUT ROWID;
"""


class UnusableDatabase(FormatError):
    """A database of judgments is damaged, in use by another program, or cannot be written."""


def connect(path: str | os.PathLike[str], *, create: bool) -> sqlite3.Connection:
    """Open the database *path*, made if it is not there and *create* says so; only its owner may read a new one.

    When a commit returns, all of it is in the file and on the disk (rollback journal, synchronous=EXTRA): it outlives
    the process and the power, and a copy of the file has it. A database on a read-only disk can be read.
    """
    name = os.fspath(path)
    is_new = not is_database(name)
    if is_new and not create:
        raise ValueError(f"{name}: there is no such database; give a collection, --topics and --pool to begin one")
    if not Path(name).exists():
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection = sqlite3.connect(name, check_same_thread=False, isolation_level=None, timeout=10)
    try:
        connection.execute("PRAGMA synchronous=EXTRA")
        _check_tables(connection, name, create)
    except (sqlite3.DatabaseError, ValueError) as error:
        connection.close()
        if is_new:
            remove(name)
        if isinstance(error, FormatError):
            raise
        raise describe_fault(error, name) from None
    return connection


def is_database(path: str | os.PathLike[str]) -> bool:
    """Tell whether there is a file that is not empty: a first start that failed leaves an empty one, which is none."""
    return os.path.exists(path) and os.path.getsize(path) > 0


def _check_tables(connection: sqlite3.Connection, name: str, create: bool) -> None:
    """Make the tables of a new database. Raises FormatError if they are of something else, or of another version."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables and create:
        first = f"INSERT INTO meta VALUES ('version', '{VERSION}');"
        connection.executescript(f"BEGIN; {SCHEMA} {first} COMMIT;")
    elif not {"meta", "pool", "judgments"} <= tables:
        raise FormatError("this is an SQLite database, but none of judgments; choose another file", file=name)
    ((version,),) = connection.execute("SELECT value FROM meta WHERE name = 'version'")
    if version != VERSION:
        raise FormatError(
            f"the database is of version {version}, and this program reads {VERSION}; upgrade it", file=name
        )


# what SQLite says, and what to tell a user of it
_FAULTS = (
    ("locked", "the database is locked; close the program that writes to it"),
    ("disk is full", "the disk is full, and nothing more can be kept; free some space"),
    ("readonly", "the database cannot be written, since its file, its folder or its disk is read-only"),
    ("unable to open", "the database cannot be opened or written; its file or its folder may not be changed"),
    ("disk I/O", "the disk cannot be read or written, or is full; look after it"),
)


def describe_fault(error: Exception, name: str) -> UnusableDatabase:
    """Return what to tell a user of an *error* in reading the database called *name*."""
    for said, told in _FAULTS:
        if said in str(error):
            return UnusableDatabase(told, file=name)
    return UnusableDatabase(
        f"this is not a database of judgments, or is damaged ({error}); choose another file", file=name
    )


def remove(path: str | os.PathLike[str]) -> None:
    for suffix in ("", "-journal"):
        Path(f"{os.fspath(path)}{suffix}").unlink(missing_ok=True)
