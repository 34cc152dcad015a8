"""Databases that are damaged, locked or of another version get one sentence, whatever is done with them."""

import random
import sqlite3
from contextlib import closing

import pytest

from pyterrier_focused import read_qrels
from pyterrier_focused.assessment import export_judgments, read_progress, write_page
from pyterrier_focused.assessment.server import Actions, _answer_request
from pyterrier_focused.assessment.store import PoolArticle, Store
from pyterrier_focused.errors import FormatError

USES = {
    "export": lambda db, folder: export_judgments(db, folder / "out.jsonl"),
    "label-studio": lambda db, folder: export_judgments(db, folder / "out.json"),
    "page": lambda db, folder: write_page(db, folder / "page.html", "anna"),
    "describe": lambda db, folder: read_progress(db),
    "qrels": lambda db, folder: read_qrels(db),
    "open": lambda db, folder: Store(db).close(),
}


@pytest.fixture
def db(tmp_path):
    store = Store(tmp_path / "db", create=True)
    store.add_topics([("1", "light", {"narrative": "All on light."})])
    texts = {docno: f"Some text on light in article {docno}. " * 20 for docno in "abcdef"}
    store.add_pool([("1", docno) for docno in texts], [PoolArticle(d, d, t, {}) for d, t in texts.items()], None)
    store.add_assessor("anna")
    state = {"highlights": [[0, 4]], "bep": -1, "status": "judged", "unsure": False, "note": "why"}
    for docno in texts:
        store.save("1", docno, "anna", version=0, id="1", action="done", state=state)
    store.close()
    return tmp_path / "db"


def find_error(use, db, folder):
    try:
        use(db, folder)
    except Exception as error:
        return error
    return None


def flip_bits(data, seed):
    rng = random.Random(seed)
    for _ in range(seed % 5 + 1):
        data[rng.randrange(100, len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("seed", range(25))
def test_a_damaged_database_is_said_to_be_one(db, tmp_path, use, seed):
    db.write_bytes(flip_bits(bytearray(db.read_bytes()), seed))
    error = find_error(USES[use], db, tmp_path)
    assert error is None or (isinstance(error, ValueError) and type(error).__module__ != "json.decoder"), error


@pytest.mark.parametrize("column", ["text", "elements"])
def test_an_article_that_cannot_be_unpacked_is_damage(db, tmp_path, column):
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(f"UPDATE articles SET {column} = 'x'")
    with pytest.raises(FormatError, match="is damaged"):
        write_page(db, tmp_path / "page.html")


@pytest.mark.parametrize("use", USES)
def test_a_database_of_the_future_is_refused(db, tmp_path, use):
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE meta SET value = '2' WHERE name = 'version'")
    with pytest.raises(FormatError, match="version 2"):
        USES[use](db, tmp_path)


def test_a_locked_database_is_said_to_be_locked(db, monkeypatch):
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, **{**options, "timeout": 0}))
    with closing(connect(db, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(FormatError, match="locked"):
            Store(db)


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a":' * 100_000, b"\xff", b"", b"[]", b"{}", b'{"qid": 1}'])
@pytest.mark.parametrize("action", ["article", "save", "decide", "pool"])
def test_requests_that_are_none_are_refused(db, action, body):
    with closing(Store(db)) as store:
        status, _ = _answer_request(Actions(store), action, "anna", body)
    assert status in (400, 403, 404)
