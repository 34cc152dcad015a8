"""Addresses of clusters: which hosts are asked, with which credentials, and what is told of those that answer oddly."""

import base64
import json
import pickle
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hashing_encoder import HashingEncoder

from pyterrier_focused.collection.files.storage import StoragePath, hide_credentials
from pyterrier_focused.errors import CollectionError
from pyterrier_focused.retrieval import PartIndex
from pyterrier_focused.retrieval.engines import opensearch_cluster
from pyterrier_focused.retrieval.engines.base import IndexOptions
from pyterrier_focused.retrieval.engines.opensearch_cluster import Cluster, Connection

pytest.importorskip("opensearchpy")
PARTS = [{"docno": "1#0-9", "text": "one two"}, {"docno": "2#0-9", "text": "two three"}]
BUILD = "1234"


class Listener(ThreadingHTTPServer):
    """A cluster of one index that holds PARTS; it notes the credentials of each request."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.seen = []
        self.meta = None
        self.page = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer goes out in one piece, so nothing waits for the next.
    wbufsize = -1

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        given = self.headers.get("Authorization", "")
        self.server.seen.append(base64.b64decode(given.removeprefix("Basic ")).decode())
        status, found = self.find_answer(body)
        data = found if isinstance(found, bytes) else json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if isinstance(found, bytes) else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def find_answer(self, body):
        server = self.server
        if server.page is not None:
            return 200, server.page
        path = self.path.partition("?")[0]
        if self.command == "HEAD":
            return (200 if server.meta else 404), {}
        if path.endswith("_mapping"):
            if self.command == "PUT":
                server.meta = json.loads(body)["_meta"]
            return 200, {path.split("/")[1]: {"mappings": {"_meta": server.meta}}}
        if path.endswith("_bulk"):
            return 200, {"items": [{"create": {"status": 201}}] * (len(body.splitlines()) // 2)}
        if path.endswith("_count"):
            return 200, {"count": len(PARTS)}
        if path.endswith("_msearch"):
            hits = {"hits": [{"sort": [1.5, "1#0-9"]}]}
            return 200, {"responses": [{"status": 200, "hits": hits}] * (len(body.splitlines()) // 2)}
        if self.command == "PUT" and path.count("/") == 1:
            server.meta = json.loads(body)["mappings"]["_meta"]
        return 200, {
            "number_of_data_nodes": 1, "acknowledged": True, "_all": {"total": {"docs": {"deleted": 0}}}, "_shards": {}
        }  # fmt: skip

    do_GET = do_PUT = do_POST = do_HEAD = answer

    def log_message(self, *_):
        pass


@pytest.fixture
def listen(monkeypatch):
    """Start listeners; the environment has credentials, and names no cluster."""
    monkeypatch.setattr(opensearch_cluster, "_WAITS", ())
    monkeypatch.delenv("OPENSEARCH_URL", raising=False)
    monkeypatch.setenv("OPENSEARCH_USERNAME", "anna")
    monkeypatch.setenv("OPENSEARCH_PASSWORD", "secret")
    started = []

    def start():
        server = Listener()
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.fixture
def listener(listen):
    return listen()


@pytest.fixture
def folder(listener, tmp_path):
    """The folder of an index on the listener's cluster."""
    PartIndex.from_parts(PARTS, tmp_path / "index", "opensearch", url=listener.url)
    listener.seen.clear()
    return tmp_path / "index"


def search(index):
    return index.bm25().search("one")["docno"].tolist()


def test_a_build_that_was_begun_with_other_weights_is_not_continued(listener, tmp_path, monkeypatch):
    options = {"url": listener.url, "encoder": HashingEncoder(), "index": "parts"}
    PartIndex.from_parts(PARTS, tmp_path / "first", "opensearch", **options)
    listener.meta["pyterrier_focused"]["parts"] = None
    PartIndex.from_parts(PARTS, tmp_path / "continued", "opensearch", **options)
    listener.meta["pyterrier_focused"]["parts"] = None
    monkeypatch.setattr(HashingEncoder, "vector", lambda self, text: np.ones(256))
    with pytest.raises(CollectionError, match=r"was begun by HashingEncoder\(256\) with other weights; give overwrite"):
        PartIndex.from_parts(PARTS, tmp_path / "other", "opensearch", **options)


# who is asked


def test_an_address_that_only_the_index_names_is_sent_nothing(folder, listener):
    with pytest.raises(CollectionError, match=rf"{listener.url}.*PartIndex\(path, url=\.\.\.\)"):
        search(PartIndex(folder))
    assert listener.seen == []


def test_the_address_that_the_environment_names_gets_its_credentials(folder, listener, monkeypatch):
    monkeypatch.setenv("OPENSEARCH_URL", listener.url)
    assert search(PartIndex(folder)) == ["1#0-9"]
    assert set(listener.seen) == {"anna:secret"}


def test_another_port_of_the_same_host_is_another_address(folder, listener, listen, monkeypatch):
    other = listen()
    monkeypatch.setenv("OPENSEARCH_URL", other.url)
    with pytest.raises(CollectionError, match=listener.url):
        search(PartIndex(folder))
    assert listener.seen == other.seen == []


def test_an_address_given_at_opening_is_asked_and_no_other(folder, listener, listen):
    other = listen()
    other.meta = listener.meta
    assert search(PartIndex(folder, url=other.url)) == ["1#0-9"]
    assert set(other.seen) == {"anna:secret"}
    assert listener.seen == []


def test_the_credentials_of_an_address_are_those_that_are_sent(folder, listener):
    assert search(PartIndex(folder, url=listener.url.replace("//", "//ben:pass%23word@"))) == ["1#0-9"]
    assert set(listener.seen) == {"ben:pass#word"}


def test_pickling_keeps_the_address_without_credentials(folder, listener):
    index = PartIndex(folder, url=listener.url.replace("//", "//ben:password@"))
    pickled = pickle.dumps(index)
    assert b"password" not in pickled
    assert search(pickle.loads(pickled)) == ["1#0-9"]
    assert set(listener.seen) == {"anna:secret"}


def test_the_command_takes_an_address(folder, listener, tmp_path, capsys):
    from pyterrier_focused.cli import main

    (tmp_path / "topics.tsv").write_text("1\tone\n")
    asked = ["search", str(folder), "--topics", str(tmp_path / "topics.tsv")]
    assert main(asked) == 2
    assert "name it with --url" in capsys.readouterr().err
    assert main([*asked, "--url", listener.url]) == 0


@pytest.mark.parametrize("host", ["example.org", "10.0.0.7:9200", "localhost.example.org", "127.0.0.1.example.org"])
@pytest.mark.parametrize("environment", [True, False])
def test_credentials_are_withheld_over_plain_http(listen, monkeypatch, host, environment):
    if environment:
        monkeypatch.setenv("OPENSEARCH_URL", f"http://{host}")
    with pytest.raises(CollectionError, match=f"^http://{host}: the credentials of the environment are not sent"):
        Connection.read(None if environment else f"http://{host}", {})


@pytest.mark.parametrize(
    "url", ["http://localhost:9200", "http://[::1]:9200", "http://127.0.0.1", "https://example.org"]
)
def test_credentials_go_over_https_and_to_this_machine(listen, url):
    assert Connection.read(url, {}).settings["http_auth"] == ("anna", "secret")


def test_only_indexes_on_a_cluster_have_an_address(tmp_path):
    pytest.importorskip("bm25s")
    PartIndex.from_parts(PARTS, tmp_path / "index", "bm25s")
    with pytest.raises(ValueError, match="url= is for indexes on a cluster, and this one is bm25s's"):
        PartIndex(tmp_path / "index", url="http://localhost:9200")


# what is shown

SECRET = "s3cr3t"
MALFORMED = (
    "https://user:{}#x@host", "user:{}@host:9200", "https://user:{}/x@host", "https://user:{}?x@host", "//user:{}@host",
    "https://user:{}", "https:/user:{}@host", "http//user:{}@host", "ftp://user:{}@host", "https://user:x@{}@host:port",
    "https://user:{}@", "https://user:{} @host", "https://user:{}\n@host", "https://:{}@ho st", "user:{}",
    "https://user:{}@host:99999999", "https://user:x://{}@host", " https://user:{}@host",
    "https://host?password={}", "https://host#{}",
)  # fmt: skip


@pytest.mark.parametrize("address", [text.format(SECRET) for text in MALFORMED])
@pytest.mark.parametrize("named_by", ["url", "OPENSEARCH_URL"])
def test_a_malformed_address_shows_no_password(tmp_path, monkeypatch, address, named_by):
    own = {}
    if named_by == "url":
        own["url"] = address
    else:
        monkeypatch.setenv("OPENSEARCH_URL", address)
    with pytest.raises(ValueError, match=named_by) as told:
        PartIndex.from_parts(PARTS, tmp_path / "index", "opensearch", **own)
    error = told.value
    while error is not None:
        assert SECRET not in f"{error} {error!r}"
        error = error.__cause__ or error.__context__


def test_an_option_that_an_engine_lacks_shows_no_password(tmp_path):
    pytest.importorskip("bm25s")
    with pytest.raises(ValueError, match=r"url=\.\.\.: bm25s has no such option") as told:
        PartIndex.from_parts(PARTS, tmp_path / "index", "bm25s", url=f"https://user:{SECRET}@host")
    assert SECRET not in str(told.value)


def test_what_prints_shows_no_password():
    url = f"https://user:{SECRET}@host"
    connection = Connection.read(url, {})
    options = IndexOptions(own={"url": url})
    assert SECRET not in f"{connection!r} {Cluster(connection.hosts, None)!r} {options!r} {StoragePath(url)}"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("s3://key:se/cr@et@bucket/path", "s3://bucket/path"),
        ("s3://bucket/path?token=secret", "s3://bucket/path"),
        ("https://user:se#cret@host", "https://host"),
        ("https://user:x://y@host/z", "https://host/z"),
        ("user:secret@host", "host"),
        ("memory://bucket/path", "memory://bucket/path"),
    ],
)
def test_what_is_shown_of_an_address(address, shown):
    assert hide_credentials(address) == shown


def test_a_storage_that_cannot_be_read_shows_no_password():
    pytest.importorskip("pyarrow")
    for address in (f"nothing://user:{SECRET}@host/x", f"s3://user:{SECRET}#@/x y"):
        with pytest.raises((CollectionError, OSError)) as told:
            StoragePath(address).stat()
        assert SECRET not in str(told.value)


# what answers


PAGES = [b"<html>Please log in</html>", [], "text"]


@pytest.mark.parametrize("page", PAGES)
def test_an_answer_that_is_none_is_told_at_building(listener, tmp_path, page):
    listener.page = page
    with pytest.raises(CollectionError, match=f"{listener.url}: .*: this is not what OpenSearch answers"):
        PartIndex.from_parts(PARTS, tmp_path / "index", "opensearch", url=listener.url)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("begin", [0, 1])
def test_an_answer_that_is_none_is_told_at_searching(folder, listener, page, begin):
    index = PartIndex(folder, url=listener.url)
    if begin:
        index.searcher("bm25", {})
    listener.page = page
    with pytest.raises(CollectionError, match="this is not what OpenSearch answers"):
        search(index)


def test_the_name_of_the_index_on_the_cluster_is_that_of_the_folder(folder, listener):
    name = PartIndex(folder, url=listener.url).engine_index().place.index
    assert name.startswith("index-")
    assert ".building" not in name
