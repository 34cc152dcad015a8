"""The articles of a collection in one file of SQLite: written in the order of the source, read by docno or in turn.

A row has an article's text, its elements and links, and a checksum that is compared whenever the row is read. SQLite
finds rows, rolls back what a killed build left, and reads damaged files without a crash.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from threading import local
from typing import Any, NamedTuple

import numpy as np

from ..errors import CollectionError
from ..frames.articles import ElementColumns
from ..reading.json import JsonObject
from ..wikitext import plain_title
from .sources.raw import Redirect, Rejection

FILE = "collection.sqlite"
# Facts of a page beside its text.
FACTS = ("title", "url", "revision", "timestamp", "language", "categories")
# The numbers that an element's row of the table `elements` has.
NUMBERS = ("tag", "parent", "ordinal", "start", "end")

_TABLES = """
CREATE TABLE articles (
    number INTEGER PRIMARY KEY, docno TEXT NOT NULL UNIQUE, title TEXT, title_key TEXT, url TEXT, revision INTEGER,
    timestamp TEXT, language TEXT, categories TEXT, length INTEGER, bytes INTEGER, checksum INTEGER,
    elements BLOB, links TEXT, text BLOB);
CREATE INDEX titles ON articles (title_key);
CREATE TABLE redirects (alias TEXT, target TEXT, alias_key TEXT, target_key TEXT, checksum INTEGER);
CREATE INDEX aliases ON redirects (alias_key);
CREATE INDEX targets ON redirects (target_key);
CREATE TABLE rejected (file TEXT, position INTEGER, id TEXT, reason TEXT, is_cut INTEGER);
CREATE TABLE state (json TEXT);
"""
# What a checksum is of, in this order.
_CHECKED = ("docno", *FACTS, "length", "elements", "links", "text")
# What is read of all articles at once; its checksum is in the manifest.
_COLUMNS = ("docno", "length", "bytes")
_ARTICLE = (*_CHECKED, "title_key", "bytes", "checksum")
_INSERT = f"INSERT OR IGNORE INTO articles ({', '.join(_ARTICLE)}) VALUES ({', '.join('?' * len(_ARTICLE))})"


class ArticleRow(NamedTuple):
    """An article as a row: *elements* has the bytes of `NUMBERS`, *links* is JSON, *text* UTF-8."""

    docno: str
    title: str
    url: str
    revision: int
    timestamp: str
    language: str
    categories: str
    length: int
    elements: bytes
    links: str
    text: bytes

    def compute_checksum(self) -> int:
        facts = "\0".join(map(str, (*self[:8], len(self.elements), self.links))).encode("utf-8", "replace")
        return zlib.crc32(self.text, zlib.crc32(self.elements, zlib.crc32(facts)))


class ArticleWriter:
    """Writes a database that has its name once it is whole; what it held when a build was killed is there again.

    A database is written by one process; another is refused with a CollectionError.
    """

    def __init__(self, folder: Path):
        self._file = folder / FILE
        self._working = folder / f"{FILE}.part"
        self._database = sqlite3.connect(self._working, isolation_level=None)
        try:
            for setting in ("locking_mode = EXCLUSIVE", "synchronous = NORMAL", "cache_size = -50000"):
                self._database.execute(f"PRAGMA {setting}")
            self._database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise CollectionError(f"{folder}: another build is at work here; wait for it to end") from None
        if not self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._database.executescript(f"BEGIN EXCLUSIVE; {_TABLES}")

    def read_state(self) -> JsonObject:
        """Return what `commit` was given last, {} at first."""
        row = self._database.execute("SELECT json FROM state").fetchone()
        return json.loads(row[0]) if row else {}

    def add(self, row: ArticleRow) -> bool:
        """Add an article, unless its docno is there already; tells whether it was added."""
        values = (*row, plain_title(row.title), len(row.text), row.compute_checksum())
        return self._database.execute(_INSERT, values).rowcount == 1

    def add_redirects(self, redirects: Iterable[Redirect]) -> None:
        rows = (
            (alias, target, plain_title(alias), plain_title(target), _digest_redirect(alias, target))
            for alias, target in redirects
        )
        self._database.executemany("INSERT INTO redirects VALUES (?, ?, ?, ?, ?)", rows)

    def reject(self, rejections: Iterable[Rejection]) -> None:
        self._database.executemany("INSERT INTO rejected VALUES (?, ?, ?, ?, ?)", map(_encode, rejections))

    def read_rejections(self) -> Iterator[Rejection]:
        for row in self._database.execute("SELECT * FROM rejected ORDER BY rowid"):
            file, position, name, reason, is_cut = row
            yield Rejection(file, position, name, reason, bool(is_cut))

    def read_columns(self) -> list[tuple[str, int, int]]:
        """Return docno, length and bytes of all articles, in the order of the source."""
        return self._database.execute(f"SELECT {', '.join(_COLUMNS)} FROM articles ORDER BY number").fetchall()

    def commit(self, state: JsonObject) -> None:
        """Keep what was added, with a state that tells how far it goes."""
        self._database.execute("DELETE FROM state")
        self._database.execute("INSERT INTO state VALUES (?)", [json.dumps(state)])
        self._database.execute("COMMIT")
        self._database.execute("BEGIN EXCLUSIVE")

    def finish(self) -> None:
        self._database.execute("COMMIT")
        self.close()
        os.replace(self._working, self._file)

    def close(self) -> None:
        # What was not committed is rolled back.
        self._database.close()

    def remove(self) -> None:
        self.close()
        self._working.unlink()


def digest_columns(rows: Sequence[tuple[str, int, int]]) -> int:
    """Return a checksum of docnos, lengths and sizes in bytes."""
    docnos = "\0".join(str(row[0]) for row in rows).encode("utf-8", "replace")
    return zlib.crc32(repr([row[1:] for row in rows]).encode(), zlib.crc32(docnos))


def _digest_redirect(alias: object, target: object) -> int:
    return zlib.crc32(f"{alias}\0{target}".encode("utf-8", "replace"))


def _encode(rejection: Rejection) -> tuple[Any, ...]:
    # The name of a file may hold bytes that are not UTF-8.
    return tuple(
        value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value for value in rejection
    )


class ArticleDatabase:
    """An opened database, memory-mapped; for any threads and, once it is opened again, processes."""

    def __init__(self, folder: Path, manifest: JsonObject):
        self.file = folder / FILE
        self._manifest = manifest
        self._connections = local()
        split = [tag.partition(" ") for tag in manifest["tags"]]
        self._tags = {"tag": np.array([name for name, _, _ in split], dtype=object)}
        if any(written for _, _, written in split):
            attributes = [json.loads(written) if written else {} for _, _, written in split]
            self._tags["attributes"] = np.array(attributes, dtype=object)

    def query(self, columns: str, rest: str = "", values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the answers to a query. Raises CollectionError for a damaged file."""
        try:
            yield from self._connect().execute(f"SELECT {columns} FROM {rest}", values)
        except sqlite3.Error as error:
            raise self.damaged() from error

    def find(self, docno: str) -> ArticleRow | None:
        rows = self.query(", ".join(_CHECKED) + ", checksum", "articles WHERE docno = ?", [docno])
        return next(map(self._check, rows), None)

    def rows(self, first: int = 0, last: int | None = None) -> Iterator[ArticleRow]:
        """Yield articles in the order of the source, from number *first* to before number *last*, from 0."""
        span = "articles WHERE number > ? AND number <= ? ORDER BY number"
        values = [first, 2**62 if last is None else last]
        yield from map(self._check, self.query(", ".join(_CHECKED) + ", checksum", span, values))

    def columns(self) -> list[tuple[str, int, int]]:
        """Return docno, length and bytes of all articles, in the order of the source."""
        rows: list[Any] = list(self.query(", ".join(_COLUMNS), "articles ORDER BY number"))
        if digest_columns(rows) != self._manifest["columns"]:
            raise self.damaged()
        return rows

    def redirects(self, condition: str = "", values: Sequence[object] = ()) -> list[Redirect]:
        """Return the redirects that meet a condition in SQL, such as `WHERE target_key = ?`, or all of them."""
        rows = list(self.query("alias, target, checksum", f"redirects {condition} ORDER BY rowid", values))
        is_whole = condition or len(rows) == self._manifest["redirects"]
        if not is_whole or any(_digest_redirect(alias, target) != checksum for alias, target, checksum in rows):
            raise self.damaged()
        return [Redirect(alias, target) for alias, target, _ in rows]

    def elements(self, row: ArticleRow) -> ElementColumns:
        """Return the elements of an article: tag (names), parent, ordinal, start, end, and the attributes kept."""
        numbers = np.frombuffer(row.elements, dtype="<i4").reshape(len(NUMBERS), -1)
        columns: ElementColumns = dict(zip(NUMBERS, numbers, strict=True))
        return columns | {name: values[columns["tag"]].tolist() for name, values in self._tags.items()}

    def damaged(self) -> CollectionError:
        return CollectionError(f"{self.file}: it is damaged; copy the collection again, or build it again")

    def _check_manifest(self, database: sqlite3.Connection) -> None:
        """Raise CollectionError if the file is not the one of the manifest beside it."""
        try:
            state = json.loads(database.execute("SELECT json FROM state").fetchone()[0])
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise self.damaged() from error
        if not state["digest"].startswith(self._manifest["digest"]):
            raise CollectionError(
                f"{self.file} is not the file that {self.file.with_name('pt_meta.json')} names: files of two "
                "collections are mixed here; copy the collection again, or build it again into a new folder"
            )

    def _check(self, values: tuple[Any, ...]) -> ArticleRow:
        try:
            row = ArticleRow(*values[:-1])
            if row.compute_checksum() == values[-1]:
                return row
        except (TypeError, AttributeError, UnicodeError):
            pass
        raise self.damaged()

    def _connect(self) -> sqlite3.Connection:
        # A connection is for one thread of one process.
        if getattr(self._connections, "process", None) != os.getpid():
            if not self.file.is_file():
                raise CollectionError(f"{self.file}: it is missing; copy the collection again, or build it again")
            address = f"{self.file.absolute().as_uri()}?mode=ro&immutable=1"
            # a generator of one thread may go on in another, as when an engine takes what is to be indexed
            database = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
            database.execute(f"PRAGMA mmap_size = {2**40}")
            self._check_manifest(database)
            self._connections.database = database
            self._connections.process = os.getpid()
        connection: sqlite3.Connection = self._connections.database
        return connection
