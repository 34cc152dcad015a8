"""The file of judgments: whole after each save, watched while it is open, read where it cannot be written."""

import shutil
import sqlite3
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from assess_requests import STATE, ask, change
from read_only import can_make_read_only, run_read_only

from pyterrier_focused.assessment.schema import UnusableDatabase, describe_fault
from pyterrier_focused.assessment.store import Store
from pyterrier_focused.errors import FormatError

DONE = {**STATE, "status": "judged"}


def save(store, version=0, **state):
    done = {**DONE, **state}
    return store.save("t1", "emoji", "anna", version=version, id=str(version), action="x", state=done)


# copies


def test_a_copy_of_the_file_has_all_that_was_saved(store, tmp_path):
    for version in range(5):
        save(store, version, highlights=[[version, version + 1]])
        shutil.copy(store.path, tmp_path / "copy.sqlite")
        with closing(Store(tmp_path / "copy.sqlite")) as copy:
            assert copy.judgment("t1", "emoji", "anna") == (
                version + 1,
                {**DONE, "highlights": [[version, version + 1]]},
            )


def test_the_database_is_one_file(store, tmp_path):
    save(store)
    assert [path.name for path in tmp_path.iterdir()] == ["judgments.sqlite"]


# files that go away


def move(path):
    path.rename(path.with_name("elsewhere.sqlite"))


def replace(path):
    shutil.copy(path, path.with_name("new.sqlite"))
    path.with_name("new.sqlite").replace(path)


def delete(path):
    path.unlink()


@pytest.mark.parametrize("change_file", [move, replace, delete])
def test_nothing_is_confirmed_when_the_file_is_elsewhere(server, store, tmp_path, change_file):
    address = server.addresses["anna"]
    assert ask(address, "save", change(0, "1"))[0] == 200
    change_file(tmp_path / "judgments.sqlite")
    for action, given in (("save", change(1, "2")), ("start", {}), ("article", {"qid": "t1", "docno": "emoji"})):
        status, answer = ask(address, action, given)
        assert status == 503
        assert "moved, replaced or deleted" in answer["error"]


def test_what_was_not_confirmed_is_saved_when_the_file_is_back(server, store, tmp_path):
    address = server.addresses["anna"]
    path = tmp_path / "judgments.sqlite"
    path.rename(tmp_path / "elsewhere")
    assert ask(address, "save", change(0, "1"))[0] == 503
    (tmp_path / "elsewhere").rename(path)
    assert ask(address, "save", change(0, "1")) == (200, {"version": 1})


def test_a_file_that_goes_away_during_a_save_is_seen_before_it_is_confirmed(store, tmp_path):
    with pytest.raises(UnusableDatabase, match="moved, replaced or deleted"), store._begin_transaction():
        (tmp_path / "judgments.sqlite").unlink()


def go_back_to_a_copy(store, path):
    shutil.copyfile(path.with_name("copy.sqlite"), path)


def take_another_history(store, path):
    """As many changes as the open database has had since it was copied, so that both look alike to SQLite."""
    with closing(Store(path.with_name("copy.sqlite"))) as copy:
        save(copy, 1, highlights=[[1, 2]])
    shutil.copyfile(path.with_name("copy.sqlite"), path)


def write_text(store, path):
    path.write_text("words")


@pytest.mark.parametrize("change_content", [go_back_to_a_copy, take_another_history, write_text])
def test_nothing_is_read_or_saved_when_the_file_has_another_content(store, tmp_path, change_content):
    path = tmp_path / "judgments.sqlite"
    save(store)
    shutil.copy(path, tmp_path / "copy.sqlite")
    save(store, 1)
    shutil.copy(path, tmp_path / "mine.sqlite")
    change_content(store, path)
    with pytest.raises(FormatError, match=r"replaced|another file"):
        store.judgment("t1", "emoji", "anna")
    with pytest.raises(FormatError, match=r"replaced|another file"):
        save(store, 2)
    shutil.copyfile(tmp_path / "mine.sqlite", path)
    assert save(store, 2) == 3


def test_what_another_program_adds_to_the_database_is_taken(store):
    save(store)
    with closing(Store(store.path)) as other:
        save(other, 1, note="of the other")
    assert store.judgment("t1", "emoji", "anna")[1]["note"] == "of the other"
    assert save(store, 2) == 3


# disks


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("database or disk is full", "the disk is full"),
        ("attempt to write a readonly database", "is read-only"),
        ("unable to open database file", "cannot be opened or written"),
        ("database disk image is malformed", "is damaged"),
    ],
)
def test_faults_of_disks_have_messages_of_their_own(said, told):
    assert told in str(describe_fault(sqlite3.OperationalError(said), "x.sqlite"))


def test_a_full_disk_is_told_and_keeps_what_was_saved(server, store):
    address = server.addresses["anna"]
    assert ask(address, "save", change(0, "1"))[0] == 200
    ((pages,),) = store._db.execute("PRAGMA page_count")
    store._db.execute(f"PRAGMA max_page_count={pages}")
    status, answer = ask(address, "save", change(1, "2", note="long " * 2_000))
    assert (status, "the disk is full" in answer["error"]) == (503, True)
    assert store.judgment("t1", "emoji", "anna")[0] == 1


READ = """
import sys
import pyterrier_focused as ptf
from pyterrier_focused.assessment import export_judgments, read_progress, write_page
from pyterrier_focused.assessment.store import Store
db, out = sys.argv[1] + "/judgments.sqlite", sys.argv[2]
qrels = ptf.read_qrels(db)
print(len(qrels), qrels["note"].tolist(), export_judgments(db, out + "/a.json"), export_judgments(db, out + "/a.jsonl"))
print(len(read_progress(db).assessors), write_page(db, out + "/page.html", "anna") > 0)
try:
    Store(db).add_assessor("ben2")
except ValueError as error:
    print(error)
"""


def test_a_database_on_a_read_only_disk_is_read(store, tmp_path, require):
    (tmp_path / "disk").mkdir()
    require("folders that can be mounted read-only (Linux, unshare)", can_make_read_only(tmp_path / "disk"))
    save(store, note="kept")
    store.close()
    shutil.move(tmp_path / "judgments.sqlite", tmp_path / "disk")
    done = run_read_only(READ, tmp_path / "disk", tmp_path)
    lines = done.stdout.splitlines()
    assert lines[:2] == ["1 ['kept'] 1 1", "1 True"], done.stderr
    assert "is read-only" in lines[2]


# requests and names


@pytest.mark.parametrize("seconds", ["NaN", '"NaN"', '"much"', "null", "[]"])
def test_a_visit_of_no_number_of_seconds_is_a_bad_request(server, seconds):
    body = f'{{"qid": "t1", "docno": "emoji", "offset": 0, "seconds": {seconds}}}'.encode()
    assert ask(server.addresses["anna"], "visit", body)[0] == 400


def test_a_request_that_is_broken_off_is_one_line(server, caplog):
    import socket

    parts = urlsplit(server.addresses["anna"])
    with socket.create_connection((parts.hostname, parts.port)) as connection:
        head = f"POST {parts.path}save HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\n{{".encode())
    assert ask(server.addresses["anna"], "start", {})[0] == 200
    server.stop()
    assert [record.getMessage() for record in caplog.records] == ["anna: a request was broken off"]
    assert caplog.records[0].exc_info is None


@pytest.mark.parametrize("name", ["می‌خواهم", "👩‍🔬", "क्‍ष", "Zoë"])
def test_names_with_joiners_are_names(store, name):
    word = store.add_assessor(name)
    assert store.assessors()[word] == name


@pytest.mark.parametrize("name", ["", "\u200d", "a\x1b", "a\u202eb", "a\nb", "x" * 101])
def test_what_cannot_be_seen_is_no_name(store, name):
    with pytest.raises(ValueError, match="printable characters"):
        store.add_assessor(name)
