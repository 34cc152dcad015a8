"""What the tests of assessing share: a database of hostile articles, a server and a browser."""

import random

import pytest
from assess_pages import EVIL, articles

from pyterrier_focused.assessment.store import Store


@pytest.fixture
def store(tmp_path):
    """A database of the articles above, in two topics, with the assessors anna and ben."""
    store = Store(tmp_path / "judgments.sqlite", create=True)
    found = articles()
    store.add_topics(
        [("t1", f"light from the sea {EVIL}", {"narrative": f"All on lights. {EVIL}"}), ("t2", "other", {})]
    )
    store.add_pool([("t1", a.docno) for a in found] + [("t2", "emoji"), ("t2", "arabic")], found, 0.5)
    store.add_assessor("anna")
    store.add_assessor("ben")
    yield store
    store.close()


@pytest.fixture
def server(store):
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    from pyterrier_focused.assessment.server import Server

    server = Server(store)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def random_source():
    return random.Random(19)
