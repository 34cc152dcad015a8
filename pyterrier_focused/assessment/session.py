"""From runs to a page in the browser: `assess` pools, opens the database, serves it."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Mapping, Sequence

import pandas as pd

from ..texts.corpus import Corpus
from .pooled import check_inputs, fill
from .schema import is_database
from .server import Server, require_server
from .store import Store, fill_store

PORT = 8417


def assess(
    collection: Corpus | None = None,
    topics: pd.DataFrame | None = None,
    runs: Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame] = (),
    *,
    depth: int = 50,
    db: str | os.PathLike[str] = "judgments.sqlite",
    assessors: Sequence[str] = (),
    adjudicators: Sequence[str] = (),
    double: float | None = None,
    port: int | None = None,
    open_browser: bool = True,
    wait: bool = True,
) -> Server:
    """Pool runs and serve a page on this machine in which people highlight the relevant text (extra [assess]).

    The pool goes into a database, texts and all, which is made if it is not there; a database that is there goes on,
    and takes more runs and topics, but no other query for a topic that was judged. Judgments are read with
    `read_qrels(db)`.

    Args:
        collection: A Collection, a source of one, or another corpus as for `read_corpus` and `articles`.
        topics: `qid`, `query` and, shown on request, `description` and `narrative`.
        depth: The number of articles pooled of each run and topic, best first.
        assessors: Their names, each with an address of their own; the page of the first is opened.
        adjudicators: Assessors who decide between others. Without them, who has finished an article decides on it if
            two finished judgments differ.
        double: The share of each topic's articles that two assessors judge.
        port: Of 127.0.0.1, by default the one this database had before.
        wait: Serve until Ctrl-C; without it return at once.

    Returns:
        The server, whose `addresses` are by assessor and whose `stop()` ends it.

    Example:
        >>> topics = pd.DataFrame([["1", "tides"]], columns=["qid", "query"])
        >>> run = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]})
        >>> server = assess(
        ...     {"a": "Tides rise."}, topics, [run], assessors=["ann"], port=0, open_browser=False, wait=False
        ... )
        >>> list(server.addresses)
        ['ann']
        >>> server.stop()
    """
    is_continued = is_database(db)
    if not runs and not is_continued:
        raise ValueError(f"{os.fspath(db)}: there is no such database; give a collection, topics and runs to begin one")
    if not runs and (collection is not None or topics is not None):
        raise ValueError("give the runs to pool along with the collection and the topics")
    require_server(port)
    store = open_store(db, collection, topics, runs, depth=depth, double=double, create=bool(runs))
    if adjudicators:
        store.name_adjudicators(adjudicators)
    for name in assessors or ([] if store.assessors() else ["me"]):
        store.add_assessor(name)
    remembered = store.setting("port")
    server = Server(store, port if port is not None else int(remembered or PORT))
    store.remember("port", str(server.port))
    if open_browser:
        webbrowser.open(server.addresses[next(iter(assessors), next(iter(server.addresses)))])
    if wait:
        if is_continued:
            print(_describe_continued(store), flush=True)
        _serve_until_stopped(server)
    else:
        server.start()
    return server


def _describe_continued(store: Store) -> str:
    topics = len(store.topics(""))
    judgments = sum(store.count_judgments().values())
    return f"{store.path} is continued: {topics} topics, {len(store.pairs())} articles to judge, {judgments} judgments"


def _serve_until_stopped(server: Server) -> None:
    for name, address in server.addresses.items():
        print(f"{name}: {address}", flush=True)
    print("Every change is saved immediately. Press Ctrl-C to stop; run the same command to continue.", flush=True)
    server.run()


def open_store(
    db: str | os.PathLike[str],
    collection: Corpus | None = None,
    topics: pd.DataFrame | None = None,
    runs: Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame] = (),
    *,
    depth: int = 50,
    double: float | None = None,
    create: bool = False,
) -> Store:
    """Open a database of judgments, and add the pool of the runs to it.

    Args:
        runs: Run frames; without them nothing is pooled, and collection and topics must be those of the database.
        double: The share of each topic's articles that two assessors judge; None leaves it as it was.

    Example:
        >>> topics = pd.DataFrame([["1", "tides"]], columns=["qid", "query"])
        >>> run = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]})
        >>> store = open_store("judgments.sqlite", {"a": "Tides rise."}, topics, [run], create=True)
        >>> store.pairs()
        [('1', 'a')]
        >>> store.close()
    """
    with fill_store(db, create=create) as store:
        if runs:
            fill(store, collection, topics, runs, depth, double)
            return store
        check_inputs(store, collection, topics)
        if double is not None:
            store.add_pool((), (), double)
    return store
