"""What the tests of assessing share: a database of hostile articles, a server and a browser."""

import random
import shutil
from importlib.util import find_spec

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


@pytest.fixture(scope="session")
def browser(require, tmp_path_factory):
    """Headless Chromium, driven by selenium."""
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    require("chromium", binary and driver and find_spec("selenium"))
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,900",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    session = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield session
    session.quit()


@pytest.fixture
def random_source():
    return random.Random(19)
