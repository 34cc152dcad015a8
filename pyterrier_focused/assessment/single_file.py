"""A page without a server: one HTML file with a small pool, which keeps its work in the browser and saves a file."""

from __future__ import annotations

import hashlib
import os

from ..reading.files import refuse_inputs, written_whole
from ..reading.json import JsonObject
from .page import assessment_page
from .server import shown
from .store import Store

# The most bytes of a page.
LARGEST = 40_000_000


def write_page(db: str | os.PathLike[str], target: str | os.PathLike[str], assessor: str = "") -> int:
    """Write the pool of a database as one self-contained page for an assessor; returns its bytes.

    The page needs no network. It keeps its judgments in the browser, and its button saves them as JSON lines, which
    `read_qrels` reads and `import_judgments` puts into the database.

    Args:
        assessor: Who judges; without a name the page asks for one.

    Example:
        >>> import pandas as pd
        >>> from pyterrier_focused.assessment import open_store
        >>> topics = pd.DataFrame([["1", "tides"]], columns=["qid", "query"])
        >>> run = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]})
        >>> open_store("judgments.sqlite", {"a": "Tides rise."}, topics, [run], create=True).close()
        >>> write_page("judgments.sqlite", "page.html", "ann") == os.path.getsize("page.html")
        True
    """
    refuse_inputs(target, [db])
    store = Store(db)
    try:
        topics = [
            {**{name: topic[name] for name in ("qid", "query", "details")},
             "docnos": [article["docno"] for article in store.pool(topic["qid"], assessor)]}
            for topic in store.topics(assessor)
        ]  # fmt: skip
        docnos = sorted({docno for topic in topics for docno in topic["docnos"]})
        if sum(store.known_articles()[docno] for docno in docnos) > LARGEST:
            raise ValueError(f"{len(docnos)} articles are too much for a page; let the assessor use the server")
        articles = [shown(store.article(docno)) for docno in docnos]
    finally:
        store.close()
    if not docnos:
        raise ValueError(f"{os.fspath(db)}: the pool is empty")
    data: JsonObject = {"mode": "file", "assessor": assessor, "topics": topics, "articles": articles}
    data["id"] = hashlib.blake2b(repr(data).encode("utf-8", "replace"), digest_size=12).hexdigest()
    html = assessment_page(data, title="Assess").encode("utf-8", "replace")
    with written_whole(target) as file:
        file.write(html)
    return len(html)
