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
from itertools import islice
from pathlib import Path
from threading import local
from typing import Any, Literal, NamedTuple

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
    number INTEGER PRIMARY KEY, docno TEXT NOT NULL, title TEXT, title_key TEXT, url TEXT, revision INTEGER,
    timestamp TEXT, language TEXT, categories TEXT, length INTEGER, bytes INTEGER, checksum INTEGER,
    elements BLOB, links TEXT, text BLOB);
CREATE UNIQUE INDEX docnos ON articles (docno);
CREATE INDEX titles ON articles (title_key);
CREATE TABLE redirects (alias TEXT, target TEXT, alias_key TEXT, target_key TEXT, checksum INTEGER);
CREATE INDEX aliases ON redirects (alias_key);
CREATE INDEX targets ON redirects (target_key);
CREATE TABLE rejected (file TEXT, position INTEGER, id TEXT, reason TEXT, is_cut INTEGER);
CREATE TABLE state (json TEXT);
"""
# What a checksum is of, in this order.
_CHECKED = ("docno", *FACTS, "length", "elements", "links", "text")
# What no row's checksum is of: what is read of all articles at once, and the indexes, which are to be trusted only if
# they are whole when they do not find something. The checksums of these answers are in the manifest.
_WHOLE = {
    "schema": "SELECT * FROM sqlite_master",
    "lengths": "SELECT docno, length, bytes FROM articles ORDER BY number",
    "redirects": "SELECT alias, target FROM redirects ORDER BY rowid",
    "docnos": "SELECT docno, number FROM articles INDEXED BY docnos ORDER BY docno",
    "titles": "SELECT title_key, number FROM articles INDEXED BY titles ORDER BY title_key, number",
    "alias": "SELECT alias_key, rowid FROM redirects INDEXED BY aliases ORDER BY alias_key, rowid",
    "target": "SELECT target_key, rowid FROM redirects INDEXED BY targets ORDER BY target_key, rowid",
}
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

    def compute_checksums(self) -> dict[str, int]:
        """Return the checksums of what is read as a whole, by name."""
        return {name: _digest(self._database.execute(query)) for name, query in _WHOLE.items()}

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


def _digest(rows: Iterable[tuple[Any, ...]]) -> int:
    checksum = 0
    remaining = iter(rows)
    while some := list(islice(remaining, 10_000)):
        checksum = zlib.crc32(repr(some).encode(), checksum)
    return checksum


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
        self._proven: set[str] = set()
        split = [tag.partition(" ") for tag in manifest["tags"]]
        self._tags = {"tag": np.array([name for name, _, _ in split], dtype=object)}
        if any(written for _, _, written in split):
            attributes = [json.loads(written) if written else {} for _, _, written in split]
            self._tags["attributes"] = np.array(attributes, dtype=object)

    def find(self, docno: str) -> ArticleRow | None:
        _, row = next(self._select("docno = ?", [docno]), (0, None))
        if row is None:
            self._prove("docnos")
        elif row.docno != docno:
            raise self._damaged()
        return row

    def find_title(self, title: str) -> ArticleRow | None:
        """Return the first article of a title, a `plain_title`."""
        self._prove("titles")
        _, row = next(self._select("title_key = ? ORDER BY number", [title]), (0, None))
        return row

    def rows(self, first: int = 0, last: int | None = None) -> Iterator[ArticleRow]:
        """Yield articles in the order of the source, from number *first* to before number *last*, from 0."""
        total = self._manifest["articles"]
        last = total if last is None else min(last, total)
        expected = first
        for number, row in self._select("number > ? AND number <= ? ORDER BY number", [first, last]):
            expected += 1
            if number != expected:
                raise self._damaged()
            yield row
        if expected < last:
            raise self._damaged()

    def lengths(self) -> list[tuple[str, int, int]]:
        """Return docno, length and bytes of all articles, in the order of the source."""
        return self._read_whole("lengths")

    def redirects(self) -> list[Redirect]:
        """Return all redirects, in the order of the source."""
        return [Redirect(*row) for row in self._read_whole("redirects")]

    def find_redirects(self, side: Literal["alias", "target"], title: str) -> list[Redirect]:
        """Return the redirects that have a title, a `plain_title`, on one side."""
        self._prove(side)
        query = f"SELECT alias, target, checksum FROM redirects WHERE {side}_key = ? ORDER BY rowid"
        rows = list(self._query(query, [title]))
        if any(_digest_redirect(alias, target) != checksum for alias, target, checksum in rows):
            raise self._damaged()
        return [Redirect(alias, target) for alias, target, _ in rows]

    def elements(self, row: ArticleRow) -> ElementColumns:
        """Return the elements of an article: tag (names), parent, ordinal, start, end, and the attributes kept."""
        numbers = np.frombuffer(row.elements, dtype="<i4").reshape(len(NUMBERS), -1)
        columns: ElementColumns = dict(zip(NUMBERS, numbers, strict=True))
        return columns | {name: values[columns["tag"]].tolist() for name, values in self._tags.items()}

    def _query(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the answers to a query. Raises CollectionError for a damaged file."""
        try:
            yield from self._connect().execute(query, values)
        except sqlite3.Error as error:
            raise self._damaged() from error

    def _select(self, condition: str, values: Sequence[object]) -> Iterator[tuple[int, ArticleRow]]:
        """Yield the number and the row of each article that meets a condition."""
        columns = ", ".join(_CHECKED)
        query = f"SELECT number, {columns}, checksum FROM articles WHERE {condition}"
        for number, *fields, checksum in self._query(query, values):
            try:
                row = ArticleRow(*fields)
                is_sound = row.compute_checksum() == checksum
            except (TypeError, AttributeError, UnicodeError):
                is_sound = False
            if not is_sound:
                raise self._damaged()
            yield number, row

    def _read_whole(self, name: str) -> list[Any]:
        rows = list(self._query(_WHOLE[name]))
        self._compare(name, rows)
        return rows

    def _prove(self, name: str) -> None:
        """Read an index once, so that what it does not find is known not to be there."""
        if name not in self._proven:
            self._compare(name, self._query(_WHOLE[name]))
            self._proven.add(name)

    def _compare(self, name: str, rows: Iterable[tuple[Any, ...]]) -> None:
        if _digest(rows) != self._manifest["checksums"][name]:
            raise self._damaged()

    def _damaged(self) -> CollectionError:
        return CollectionError(f"{self.file}: it is damaged; copy the collection again, or build it again")

    def _check_manifest(self, database: sqlite3.Connection) -> None:
        """Raise CollectionError if the file is not the one of the manifest beside it."""
        try:
            digest = json.loads(database.execute("SELECT json FROM state").fetchone()[0])["digest"]
            is_ours = digest.startswith(self._manifest["digest"])
            is_sound = _digest(database.execute(_WHOLE["schema"])) == self._manifest["checksums"]["schema"]
        except (sqlite3.Error, ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._damaged() from error
        if not is_ours:
            raise CollectionError(
                f"{self.file} is not the file that {self.file.with_name('pt_meta.json')} names: files of two "
                "collections are mixed here; copy the collection again, or build it again into a new folder"
            )
        if not is_sound:
            raise self._damaged()

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
