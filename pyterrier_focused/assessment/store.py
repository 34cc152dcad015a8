"""Judgments in a database: the pool, who works on what, and every action, on disk before it is confirmed."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple, TypedDict

from ..io.annotations.judgments import ADJUDICATED, STATUSES
from ..reading.json import JsonObject
from .schema import UnusableDatabase, connect, describe_fault, is_database, remove

NOTE_LENGTH = 10_000
# They join letters of Persian and Indic names, and emoji.
_JOINERS = dict.fromkeys((0x200C, 0x200D))
# An article that someone opened so recently is theirs, and not offered to others.
CLAIM = timedelta(minutes=30)


class State(TypedDict):
    """A judgment: its highlights as [start, end] pairs, the best entry point (-1: none), and its progress."""

    highlights: list[list[int]]
    bep: int
    status: str
    unsure: bool
    note: str


_STATE = "highlights, bep, status, unsure, note"
EMPTY: State = {"highlights": [], "bep": -1, "status": "started", "unsure": False, "note": ""}


# each article of the pool as one assessor sees it: what they made of it, and whether they should (still) judge it,
# since not enough others have finished it, or opened it lately without finishing
_OFFERS = """
    SELECT p.qid, p.docno, coalesce(mine.status, '') AS status, coalesce(mine.unsure, 0) AS unsure,
           coalesce(mine.highlights, '[]') != '[]' AS relevant,
           coalesce(mine.status, '') != 'judged' AND 1 + p.doubled >
               (SELECT count(*) FROM judgments j WHERE j.qid = p.qid AND j.docno = p.docno AND j.status = 'judged'
                AND j.assessor NOT IN (:assessor, :adjudicated))
               + (SELECT count(*) FROM visits v WHERE v.qid = p.qid AND v.docno = p.docno AND v.assessor != :assessor
                  AND v.time > :since AND NOT EXISTS (SELECT 1 FROM judgments j WHERE j.qid = v.qid
                  AND j.docno = v.docno AND j.assessor = v.assessor AND j.status = 'judged')) AS wanted
    FROM pool p LEFT JOIN judgments mine
        ON mine.qid = p.qid AND mine.docno = p.docno AND mine.assessor = :assessor"""

_ACTION = "qid, docno, assessor, version, id, time"


class Conflict(Exception):
    """A judgment was changed elsewhere since it was read: *version* and *state* are what it is now."""

    def __init__(self, version: int, state: State):
        self.version = version
        self.state = state
        super().__init__(f"the judgment is of version {version} now")


class PoolArticle(NamedTuple):
    """An article of the pool as it is stored; *elements* holds the columns tag, start, end and parent, and whether
    white space is to be shown, `keeps_lines`."""

    docno: str
    title: str
    text: str
    elements: dict[str, Any]


class Store:
    """A database of judgments; may be used from several threads."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False):
        self.path = os.fspath(path)
        self._place = os.path.abspath(self.path)
        self._db = connect(path, create=create)
        self._lock = threading.Lock()
        with self._explain_errors():
            self._note_file(self._read_status())

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _begin_transaction(self) -> Iterator[sqlite3.Connection]:
        with self._use_file() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            # nothing is confirmed that went into a file which is elsewhere by now
            status = self._read_status()
            self._check_place(status)
            self._note_file(status)

    @contextmanager
    def _use_file(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explain_errors():
            self._check_file()
            yield self._db

    def _read_status(self) -> list[int]:
        """Return numbers that identify the file at the path, then some that change with it; [] without a file."""
        try:
            status = os.stat(self._place)
        except OSError:
            return []
        return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns]

    def _note_file(self, status: list[int]) -> None:
        """Remember the file as it is now, and the last action in it: actions are only ever added."""
        self._status = status
        self._last = self._db.execute(f"SELECT {_ACTION} FROM actions ORDER BY rowid DESC LIMIT 1").fetchall()

    def _check_place(self, status: list[int]) -> None:
        """Raise UnusableDatabase if the file that is open is no longer the one at its path."""
        if not status or status[:2] != self._status[:2]:
            raise self._loss_of_file

    def _check_file(self) -> None:
        """Raise UnusableDatabase also if the file has another content, without the last action."""
        status = self._read_status()
        if status == self._status:
            return
        self._check_place(status)
        # SQLite itself may go on with pages that it has in memory
        changed = connect(self._place, create=False)
        if any(not changed.execute(f"SELECT 1 FROM actions WHERE ({_ACTION}) = (?, ?, ?, ?, ?, ?)", action).fetchall()
               for action in self._last):  # fmt: skip
            changed.close()
            raise self._loss_of_file
        self._db.close()
        self._db = changed
        self._note_file(status)

    @property
    def _loss_of_file(self) -> UnusableDatabase:
        return UnusableDatabase(
            "this file was moved, replaced or deleted while it was in use; put it back, or stop and start again "
            "to use the one that is there",
            file=self.path,
        )

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Name the database in errors of SQLite, zlib and JSON."""
        try:
            yield
        except (sqlite3.DatabaseError, zlib.error, json.JSONDecodeError, UnicodeDecodeError, TypeError) as error:
            raise describe_fault(error, self.path) from None

    def _fetch_rows(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        with self._use_file() as db:
            return db.execute(query, values).fetchall()

    # what is to be judged

    def add_topics(self, topics: Iterable[tuple[str, str, dict[str, str]]]) -> None:
        """Add topics (qid, query, details by name) after those that are there; a known one takes its new text."""
        with self._begin_transaction() as db:
            ((number,),) = db.execute("SELECT coalesce(max(number) + 1, 0) FROM topics")
            for position, (qid, query, details) in enumerate(topics, start=number):
                db.execute(
                    "INSERT INTO topics VALUES (?, ?, ?, ?) ON CONFLICT (qid) DO UPDATE SET query = excluded.query, "
                    "details = excluded.details",
                    (qid, position, query, json.dumps(details)),
                )

    def add_pool(self, pairs: Iterable[tuple[str, str]], articles: Iterable[PoolArticle], double: float | None) -> None:
        """Add (qid, docno) pairs, and the articles that are not there yet."""
        if double is not None and not 0 <= double <= 1:
            raise ValueError(f"double={double!r}: the share of articles that two assessors judge lies between 0 and 1")
        with self._begin_transaction() as db:
            for article in articles:
                text = zlib.compress(article.text.encode("utf-8", "surrogatepass"), 1)
                elements = zlib.compress(json.dumps(article.elements).encode(), 1)
                row = (article.docno, article.title, len(article.text), text, elements)
                db.execute("INSERT OR IGNORE INTO articles VALUES (?, ?, ?, ?, ?)", row)
            db.executemany("INSERT OR IGNORE INTO pool (qid, docno) VALUES (?, ?)", pairs)
            if double is not None:
                db.execute("INSERT OR REPLACE INTO meta VALUES ('double', ?)", (repr(double),))
            _mark_doubled(db)

    def known_articles(self) -> dict[str, int]:
        """Return the lengths of the articles that are in the database, by docno."""
        return dict(self._fetch_rows("SELECT docno, length FROM articles"))

    def __contains__(self, pair: object) -> bool:
        return isinstance(pair, tuple) and bool(
            self._fetch_rows("SELECT 1 FROM pool WHERE qid = ? AND docno = ?", pair)
        )

    def pairs(self) -> list[tuple[str, str]]:
        return self._fetch_rows("SELECT qid, docno FROM pool JOIN topics USING (qid) ORDER BY number, docno")

    def setting(self, name: str) -> str | None:
        rows = self._fetch_rows("SELECT value FROM meta WHERE name = ?", (name,))
        return rows[0][0] if rows else None

    def remember(self, name: str, value: str) -> None:
        with self._begin_transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def article(self, docno: str) -> PoolArticle:
        """Return an article with its text and elements. Raises KeyError if the pool has none of that name."""
        rows = self._fetch_rows("SELECT title, text, elements FROM articles WHERE docno = ?", (docno,))
        if not rows:
            raise KeyError(docno)
        ((title, text, elements),) = rows
        with self._explain_errors():
            decoded = zlib.decompress(text).decode("utf-8", "surrogatepass")
            return PoolArticle(docno, title, decoded, json.loads(zlib.decompress(elements)))

    # who judges

    def add_assessor(self, name: str) -> str:
        """Let *name* assess, and return the secret word of their address, the same each time."""
        name = name.strip()
        letters = name.translate(_JOINERS)
        if not letters or len(name) > 100 or not letters.isprintable() or name == ADJUDICATED:
            raise ValueError(f"assessor {name!r}: give a name of 1 to 100 printable characters, not {ADJUDICATED!r}")
        with self._begin_transaction() as db:
            db.execute("INSERT OR IGNORE INTO assessors VALUES (?, ?, NULL, NULL)", (name, secrets.token_urlsafe(24)))
            ((token,),) = db.execute("SELECT token FROM assessors WHERE name = ?", (name,))
        return str(token)

    def assessors(self) -> dict[str, str]:
        return {token: name for name, token in self._fetch_rows("SELECT name, token FROM assessors")}

    def name_adjudicators(self, names: Iterable[str]) -> None:
        """Let these assessors decide between others, and see their highlights, whatever they have judged themselves."""
        everyone = sorted({*self.adjudicators(), *(name.strip() for name in names)})
        for name in everyone:
            self.add_assessor(name)
        self.remember("adjudicators", json.dumps(everyone))

    def adjudicators(self) -> set[str]:
        return set(json.loads(self.setting("adjudicators") or "[]"))

    def may_compare(self, qid: str, docno: str, assessor: str) -> bool:
        """Whether *assessor* may see others' highlights: an adjudicator, or who has finished their own judgment."""
        return assessor in self.adjudicators() or self.judgment(qid, docno, assessor)[1]["status"] == "judged"

    def may_decide(self, qid: str, docno: str, assessor: str) -> bool:
        """Whether *assessor* may decide: a named adjudicator, or who may compare two finished judgments that differ."""
        if assessor in self.adjudicators():
            return True
        marks = [(s["highlights"], s["bep"]) for name, s in self.judgments(qid, docno) if name != ADJUDICATED]
        return self.may_compare(qid, docno, assessor) and any(other != marks[0] for other in marks[1:])

    def place(self, assessor: str) -> tuple[str, str] | None:
        rows = self._fetch_rows("SELECT qid, docno FROM assessors WHERE name = ? AND docno IS NOT NULL", (assessor,))
        return rows[0] if rows else None

    # what is judged

    def topics(self, assessor: str) -> list[JsonObject]:
        """The topics in order, each with its texts, and how many articles *assessor* has judged and has `left`."""
        query = f"""
            SELECT t.qid, t.query, t.details, sum(o.status = 'judged'), sum(o.wanted)
            FROM topics t JOIN ({_OFFERS}) o USING (qid) GROUP BY t.qid ORDER BY t.number"""
        names = ("qid", "query", "details", "mine", "left")
        topics = [dict(zip(names, row, strict=True)) for row in self._fetch_offers(query, assessor)]
        with self._explain_errors():
            return [{**topic, "details": json.loads(topic["details"])} for topic in topics]

    def pool(self, qid: str, assessor: str) -> list[JsonObject]:
        """Return a topic's articles, in an order of the assessor's own that depends on names only, never on a run.

        Each with docno, title, length, `status` ('' if *assessor* has not begun), `unsure`, `relevant`, and
        `wanted`: whether *assessor* should still judge it, since not enough others have or are at it.
        """
        query = f"""
            SELECT o.docno, a.title, a.length, o.status, o.unsure, o.relevant, o.wanted
            FROM ({_OFFERS}) o JOIN articles a USING (docno) WHERE o.qid = :qid"""
        articles = [
            {"docno": docno, "title": title, "length": length, "status": status,
             "unsure": bool(unsure), "relevant": bool(relevant), "wanted": bool(wanted)}
            for docno, title, length, status, unsure, relevant, wanted in self._fetch_offers(query, assessor, qid)
        ]  # fmt: skip
        return sorted(articles, key=lambda article: _make_shuffle_key(assessor, qid, article["docno"]))

    def _fetch_offers(self, query: str, assessor: str, qid: str | None = None) -> list[Any]:
        since = _format_time(datetime.now(timezone.utc) - CLAIM)
        values = {"assessor": assessor, "adjudicated": ADJUDICATED, "since": since, "qid": qid}
        return self._fetch_rows(query, values)

    def judgment(self, qid: str, docno: str, assessor: str) -> tuple[int, State]:
        """Return the version and state of a judgment; version 0 if *assessor* has not touched the article."""
        with self._use_file() as db:
            return _read_judgment(db, qid, docno, assessor)

    def actions(self, qid: str, docno: str, assessor: str) -> list[tuple[str, State]]:
        """Return the actions on a judgment, in order: each one's name, and the state after it."""
        query = "SELECT action, state FROM actions WHERE qid = ? AND docno = ? AND assessor = ? ORDER BY version"
        rows = self._fetch_rows(query, (qid, docno, assessor))
        with self._explain_errors():
            return [(action, json.loads(state)) for action, state in rows]

    def last_finished(self, assessor: str) -> tuple[str, str] | None:
        """Return the topic and article of an assessor's last action, if it finished the judgment."""
        query = """SELECT qid, docno, json_extract(state, '$.status') FROM actions WHERE assessor = ?
                   ORDER BY time DESC, rowid DESC LIMIT 1"""
        rows = self._fetch_rows(query, (assessor,))
        return rows[0][:2] if rows and rows[0][2] == "judged" else None

    def visit(self, qid: str, docno: str, assessor: str, seconds: float, offset: int) -> None:
        """Add the time that an assessor has spent on an article, and remember the offset that they have reached."""
        with self._begin_transaction() as db:
            db.execute(
                "INSERT INTO visits VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (qid, docno, assessor) DO UPDATE SET "
                "seconds = seconds + ?4, offset = ?5, time = ?6",
                (qid, docno, assessor, seconds, offset, _format_time()),
            )
            db.execute("UPDATE assessors SET qid = ?, docno = ? WHERE name = ?", (qid, docno, assessor))

    def offset(self, qid: str, docno: str, assessor: str) -> int:
        rows = self._fetch_rows(
            "SELECT offset FROM visits WHERE qid = ? AND docno = ? AND assessor = ?", (qid, docno, assessor)
        )
        return rows[0][0] if rows else 0

    def save(
        self, qid: str, docno: str, assessor: str, *, version: int, id: str, action: str, state: object,
        made_by: str = "", time: str = "",
    ) -> int:  # fmt: skip
        """Keep a judgment as it is after an action; it is on disk when this returns its new version.

        Args:
            version: The version that the action was based on.
            id: The action's name; an action is kept once.

        Raises:
            Conflict: The judgment has moved on since that version.
            ValueError: The article is not in the pool, or the state cannot be.
        """
        with self._begin_transaction() as db:
            rows = db.execute("SELECT length FROM articles JOIN pool USING (docno) WHERE qid = ? AND docno = ?",
                              (qid, docno)).fetchall()  # fmt: skip
            if not rows:
                raise ValueError(f"topic {qid!r}, article {docno!r} is not in the pool")
            state = checked(state, rows[0][0])
            kept = db.execute("SELECT version FROM actions WHERE id = ? AND qid = ? AND docno = ? AND assessor = ?",
                              (id, qid, docno, assessor)).fetchall()  # fmt: skip
            if kept:
                return int(kept[0][0])
            current, current_state = _read_judgment(db, qid, docno, assessor)
            if current != version:
                raise Conflict(current, current_state)
            now = time or _format_time()
            db.execute(
                "INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (id, qid, docno, assessor, version + 1, action, made_by or assessor, now, json.dumps(state)),
            )
            db.execute(
                "INSERT OR REPLACE INTO judgments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (qid, docno, assessor, version + 1, state["status"], json.dumps(state["highlights"]), state["bep"],
                 state["unsure"], state["note"], now),
            )  # fmt: skip
        return version + 1

    def judgments(self, qid: str, docno: str) -> list[tuple[str, State]]:
        query = f"""SELECT assessor, {_STATE} FROM judgments
                    WHERE qid = ? AND docno = ? AND status = 'judged' ORDER BY assessor"""
        rows = self._fetch_rows(query, (qid, docno))
        with self._explain_errors():
            return [(name, _read_state(*values)) for name, *values in rows]

    def count_judgments(self) -> dict[str, int]:
        """Return how many judgments, finished or not, each topic has; a topic without any has no entry."""
        return dict(self._fetch_rows("SELECT qid, count(*) FROM judgments GROUP BY qid"))

    def doubled(self, qid: str, assessor: str) -> list[JsonObject]:
        """The articles of a topic that several have judged and *assessor* may compare: docno, title, assessors, ..."""
        query = """
            SELECT j.docno, a.title, json_group_array(j.assessor), max(j.assessor = ?1)
            FROM judgments j JOIN articles a USING (docno) WHERE j.qid = ?2 AND j.status = 'judged'
            GROUP BY j.docno HAVING sum(j.assessor != ?1) > 1 ORDER BY j.docno"""
        return [
            {"docno": docno, "title": title, "adjudicated": bool(done),
             "assessors": sorted(name for name in json.loads(names) if name != ADJUDICATED)}
            for docno, title, names, done in self._fetch_rows(query, (ADJUDICATED, qid))
            if self.may_compare(qid, docno, assessor)
        ]  # fmt: skip


@contextmanager
def fill_store(path: str | os.PathLike[str], *, create: bool) -> Iterator[Store]:
    """Open a database to put something into it; if that fails, it is closed, and a new one is deleted."""
    new = not is_database(path)
    store = Store(path, create=create)
    try:
        yield store
    except BaseException:
        store.close()
        if new:
            remove(path)
        raise


def checked(state: object, length: int) -> State:
    """Return a judgment's state without unknown fields. Raises ValueError if it does not fit the article."""
    if not isinstance(state, dict):
        raise ValueError("a judgment is an object with highlights, bep, status, unsure and note")
    spans = state.get("highlights")
    bep = state.get("bep", -1)
    note = state.get("note", "")
    reach = 0
    if not isinstance(spans, list) or len(spans) > 10_000:
        raise ValueError("highlights are a list of at most 10,000 [start, end] pairs")
    for span in spans:
        if not (isinstance(span, list | tuple) and len(span) == 2 and all(type(offset) is int for offset in span)):
            raise ValueError(f"{str(span)[:80]} is not a highlight; write [start, end]")
        if not reach <= span[0] < span[1] <= length:
            raise ValueError(f"the highlight {list(span)} is empty, out of order, overlaps, or ends beyond {length}")
        reach = span[1]
    if type(bep) is not int or not -1 <= bep <= length:
        raise ValueError(f"the best entry point {str(bep)[:80]} is not an offset in an article of {length} characters")
    if state.get("status") not in STATUSES or not isinstance(note, str) or len(note) > NOTE_LENGTH:
        raise ValueError(f"status is one of {', '.join(STATUSES)}, and a note has at most {NOTE_LENGTH} characters")
    return {"highlights": [list(span) for span in spans], "bep": bep, "status": state["status"],
            "unsure": state.get("unsure") is True, "note": note}  # fmt: skip


def _read_judgment(db: sqlite3.Connection, qid: str, docno: str, assessor: str) -> tuple[int, State]:
    query = f"SELECT version, {_STATE} FROM judgments WHERE qid = ? AND docno = ? AND assessor = ?"
    rows = db.execute(query, (qid, docno, assessor)).fetchall()
    if not rows:
        return 0, deepcopy(EMPTY)
    ((version, *values),) = rows
    return version, _read_state(*values)


def _read_state(spans: str, bep: int, status: str, unsure: int, note: str) -> State:
    return {"highlights": json.loads(spans), "bep": bep, "status": status, "unsure": bool(unsure), "note": note}


def _mark_doubled(db: sqlite3.Connection) -> None:
    """Choose the articles that two assessors judge: the share of each topic whose names come first when shuffled."""
    share = db.execute("SELECT value FROM meta WHERE name = 'double'").fetchall()
    if not share:
        return
    by_topic: dict[str, list[str]] = {}
    for qid, docno in db.execute("SELECT qid, docno FROM pool"):
        by_topic.setdefault(qid, []).append(docno)
    db.execute("UPDATE pool SET doubled = 0")
    for qid, docnos in by_topic.items():
        docnos.sort(key=lambda docno: _make_shuffle_key("double", qid, docno))
        chosen = docnos[: round(float(share[0][0]) * len(docnos))]
        db.executemany("UPDATE pool SET doubled = 1 WHERE qid = ? AND docno = ?", [(qid, docno) for docno in chosen])


def _make_shuffle_key(*names: str) -> bytes:
    """Return a key that puts names into an order without meaning, the same each time."""
    return hashlib.blake2b("\0".join(names).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _format_time(when: datetime | None = None) -> str:
    return (when or datetime.now(timezone.utc)).isoformat(timespec="milliseconds")
