"""The server: who is let in, what it refuses, and that what it says is saved outlives a kill -9."""

import http.client
import itertools
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from assess_pages import EVIL, articles
from assess_requests import STATE, ask, change

from pyterrier_focused.assessment.server import Actions
from pyterrier_focused.assessment.store import PoolArticle, Store


@pytest.mark.parametrize("path", ["", "wrong/", "/", "../", "%2e%2e/", None])
def test_without_the_secret_word_nothing_is_told(server, path):
    address = server.addresses["anna"]
    base = address.rsplit("/", 2)[0]
    status, answer = ask(f"{address[:-2]}/" if path is None else f"{base}/{path}", "start", {})
    assert status in (403, 404, 405)
    assert "light" not in json.dumps(answer if not isinstance(answer, bytes) else answer.decode())


def test_with_the_secret_word_one_is_let_in(server):
    assert ask(server.addresses["anna"], "start", {})[0] == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_requests_from_elsewhere_are_refused(server, store, headers, status):
    assert ask(server.addresses["anna"], "save", change(0, "a"), **headers)[0] == status
    assert store.judgment("t1", "emoji", "anna")[0] == 0


def test_it_listens_only_on_this_machine(server):
    assert server._socket.getsockname()[0] == "127.0.0.1"


def test_the_page_lets_nothing_else_run(server):
    parts = urlsplit(server.addresses["anna"])
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    connection.request("GET", parts.path)
    answer = connection.getresponse()
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    connection.close()


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (b"no json", "Expecting"),
        (b"[]", "JSON object"),
        (b"\xff\xfe", ""),
        (change(0, "a", highlights=[[5, 5]]), "empty"),
        (change(0, "a", highlights=[[0, 10**9]]), "ends beyond"),
        (change(0, "a", highlights=[[0, 5], [4, 6]]), "overlaps"),
        (change(0, "a", highlights=[[0.5, 2]]), "not a highlight"),
        (change(0, "a", highlights=[[True, 2]]), "not a highlight"),
        (change(0, "a", highlights=EVIL), "list"),
        (change(0, "a", bep=10**9), "best entry point"),
        (change(0, "a", status=EVIL), "status"),
        (change(0, "a", note="x" * 10_001), "note"),
        (change(0, "a", note=7), "note"),
        (change("0", "a"), "whole number"),
        ({**change(0, "a"), "docno": "../../etc/passwd"}, "not in the pool"),
        ({**change(0, "a"), "docno": ["emoji"]}, "docno"),
        ({**change(0, "a"), "state": None}, "object"),
        ({"qid": "t1"}, "missing"),
    ],
)
def test_what_cannot_be_is_refused_and_not_kept(server, store, given, word):
    status, answer = ask(server.addresses["anna"], "save", given)
    assert status in (400, 404)
    assert word in answer["error"]
    assert store.judgment("t1", "emoji", "anna")[0] == 0


def test_a_large_request_is_refused(server):
    try:
        status, _ = ask(server.addresses["anna"], "save", b" " * 5_000_000)
    except (BrokenPipeError, ConnectionResetError):
        return  # it hung up before all was sent
    assert status == 413


def test_a_judgment_that_moved_on_is_a_conflict_and_an_action_counts_once(server, store):
    address = server.addresses["anna"]
    assert ask(address, "save", change(0, "one")) == (200, {"version": 1})
    assert ask(address, "save", change(0, "one")) == (200, {"version": 1})  # sent again: its answer was lost
    status, answer = ask(address, "save", change(0, "two", note="other tab"))
    assert (status, answer["version"], answer["state"]["note"]) == (409, 1, "")
    assert ask(address, "save", change(1, "three", note="n")) == (200, {"version": 2})


def test_assessors_do_not_touch_each_others_judgments(server, store):
    assert ask(server.addresses["anna"], "save", change(0, "one"))[0] == 200
    assert ask(server.addresses["ben"], "save", change(0, "one", highlights=[[7, 9]]))[0] == 200
    assert store.judgment("t1", "emoji", "anna")[1]["highlights"] == [[0, 5]]
    assert store.judgment("t1", "emoji", "ben")[1]["highlights"] == [[7, 9]]


def save_often(server, name, given, refused):
    """Save a judgment 25 times and add (version, id) to what is given or refused."""
    version = 0
    for i in range(25):
        status, answer = ask(server.addresses["anna"], "save", change(version, f"{name}-{i}", note=f"{name}-{i}"))
        (given if status == 200 else refused).append((answer["version"], f"{name}-{i}"))
        version = answer["version"]


def test_eight_at_once_lose_nothing(server, store):
    """Eight writers of one judgment: each version is given once, and all others are told that they are late."""
    given, refused = [], []
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda name: save_often(server, name, given, refused), range(8)))
    assert len(given) + len(refused) == 200
    assert sorted(version for version, _ in given) == list(range(1, len(given) + 1))
    with closing(sqlite3.connect(store.path)) as db:
        assert dict(db.execute("SELECT version, id FROM actions")) == dict(given)


SERVE = """
import os, sys
import starlette.applications, starlette.responses, starlette.routing, starlette.concurrency
import uvicorn, uvicorn.protocols.http.auto, uvicorn.loops.auto
from pyterrier_focused.assessment.server import Server
from pyterrier_focused.assessment.store import Store
for line in sys.stdin:
    child = os.fork()
    if not child:
        store = Store(sys.argv[1])
        server = Server(store, int(sys.argv[2]))
        print(os.getpid(), server.port, flush=True)
        server.run()
        os._exit(0)
    os.waitpid(child, 0)
"""


def save_until_killed(address, confirmed, version, rng):
    """Save as fast as one can; *confirmed* gets {version: highlights} of each answer. Gives the last version."""
    while True:
        spans = [[i, i + 1] for i in sorted(rng.sample(range(100), 10))]
        try:
            status, answer = ask(address, "save", change(version, f"{rng.random()}", highlights=spans))
        except (OSError, http.client.HTTPException):
            return version
        version = answer["version"]
        if status != 409:  # else the last one before the kill was kept, and its answer lost
            assert status == 200
            confirmed[version] = spans


def kill_and_restart(process, token, rounds):
    """Start a server, save and kill it with -9 in the middle, again and again; gives what was confirmed."""
    rng, confirmed, version = random.Random(30), {}, 0
    for _ in range(rounds):
        process.stdin.write("\n")
        process.stdin.flush()
        pid, port = map(int, process.stdout.readline().split())
        address = f"http://127.0.0.1:{port}/{token}/"
        killer = threading.Timer(rng.uniform(0.03, 0.12), os.kill, (pid, signal.SIGKILL))
        assert ask(address, "start", {})[0] == 200
        killer.start()
        version = save_until_killed(address, confirmed, version, rng)
        killer.join()
    return confirmed


@pytest.mark.long
def test_thirty_kills_lose_nothing_that_was_saved(store):
    """Forks a server, saves as fast as it can, kills it with -9 in the middle; 30 times over one database."""
    pytest.importorskip("uvicorn")
    token = store.add_assessor("anna")
    store.close()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, store.path, "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        confirmed = kill_and_restart(process, token, 30)
    finally:
        process.stdin.close()
        process.wait(10)
    assert len(confirmed) > 100
    with closing(sqlite3.connect(store.path)) as db:
        kept = {
            version: json.loads(state)["highlights"]
            for version, state in db.execute("SELECT version, state FROM actions")
        }
        ((last,),) = db.execute("SELECT version FROM judgments")
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert {version: kept.get(version) for version in confirmed} == confirmed
    assert last == max(kept) >= max(confirmed)


def read_resident():
    """The bytes of memory that this process holds."""
    resource = pytest.importorskip("resource")
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def open_all(actions, names):
    for name in names:
        actions.article("anna", {"qid": "t", "docno": name})


def test_memory_stays_flat(tmp_path):
    """A hundred and fifty articles of 100,000 characters are opened: the process grows by less than three of them."""
    store = Store(tmp_path / "db", create=True)
    store.add_topics([("t", "q", {})])
    names = [f"a{i}" for i in range(150)]
    store.add_pool([("t", n) for n in names], (PoolArticle(n, n, f"{n} " * 25_000, {}) for n in names), None)
    actions = Actions(store)
    open_all(actions, names[:50])
    before = read_resident()
    open_all(actions, names)
    assert read_resident() - before < 3_000_000
    store.close()


def judge_in_turns(store, assessors):
    """Each in turn judges the first article that is wanted of them, until none is; gives {docno: assessors}."""
    judged: dict[str, list[str]] = {}
    for turn, name in enumerate(itertools.cycle(assessors)):
        wanted = {name: [e["docno"] for e in store.pool("t", name) if e["wanted"]] for name in assessors}
        if not any(wanted.values()):
            break
        for docno in wanted[name][:1]:
            store.visit("t", docno, name, 1, 0)
            state = {**STATE, "status": "judged"}
            store.save("t", docno, name, version=0, id=f"{turn}", action="done", state=state)
            judged.setdefault(docno, []).append(name)
    return judged


def test_every_article_is_given_once_and_a_share_twice(tmp_path):
    store = Store(tmp_path / "db", create=True)
    store.add_topics([("t", "q", {})])
    names = [f"a{i:02}" for i in range(20)]
    store.add_pool([("t", n) for n in names], [PoolArticle(n, n, "some text", {}) for n in names], 0.2)
    judged = judge_in_turns(store, ["anna", "ben", "carl"])
    assert sorted(judged) == names
    assert sorted(map(len, judged.values())) == [1] * 16 + [2] * 4
    store.name_adjudicators(["dora"])
    assert {entry["docno"] for entry in store.doubled("t", "dora")} == {n for n, who in judged.items() if len(who) == 2}
    store.close()


def test_the_order_tells_no_rank_and_differs_between_assessors(store):
    orders = {tuple(entry["docno"] for entry in store.pool("t1", name)) for name in ("anna", "ben", "carl", "dora")}
    assert len(orders) > 1
    assert store.pool("t1", "anna") == store.pool("t1", "anna")
    assert {len(order) for order in orders} == {len(articles())}


def test_a_session_goes_on_at_the_same_address(tmp_path):
    import pandas as pd

    from pyterrier_focused.assessment import assess

    runs = [pd.DataFrame([("1", "a", 1.0), ("1", "b", 0.5)], columns=["qid", "docno", "score"])]
    topics = pd.DataFrame([("1", "light")], columns=["qid", "query"])
    texts = {"a": "A light.", "b": "Another light."}
    options = {"db": tmp_path / "db", "open_browser": False, "wait": False}
    server = assess(texts, topics, runs, assessors=["anna"], port=0, **options)
    address = server.addresses["anna"]
    (topic,) = ask(address, "start", {})[1]["topics"]
    assert (topic["left"], topic["mine"]) == (2, 0)
    server.stop()
    server = assess(**options)
    assert server.addresses["anna"] == address
    assert ask(address, "article", {"qid": "1", "docno": "b"})[1]["text"] == "Another light."
    assert ask(address, "visit", {"qid": "1", "docno": "zzz", "seconds": 1, "offset": 0})[0] == 404
    server.stop()
    with pytest.raises(ValueError, match="between 0 and 1"):
        assess(double=-1, **options)
    with pytest.raises(ValueError, match="give the runs"):
        assess(texts, topics, **options)


def test_texts_that_can_be_read_once_extend_a_pool(tmp_path):
    import pandas as pd

    from pyterrier_focused.assessment import open_store

    topics = pd.DataFrame([("1", "light")], columns=["qid", "query"])
    texts = [{"docno": "a", "text": "A light."}, {"docno": "b", "text": "Another light."}]
    for docnos in ("a", "ab"):
        runs = [pd.DataFrame([("1", docno, 1.0) for docno in docnos], columns=["qid", "docno", "score"])]
        open_store(tmp_path / "db", iter(texts), topics, runs, create=True).close()
    with closing(Store(tmp_path / "db", create=False)) as store:
        assert store.article("b").text == "Another light."
