"""From runs, topics and a corpus to a database of judgments, complete for assessing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import cast

import pandas as pd
from tqdm import tqdm

from ..analysis.pooling import pool
from ..errors import Advice, name_some, warn_caller
from ..frames.articles import ArticleCollection, CorpusArticle, keeps_lines
from ..frames.text_ids import TEXT_ID, check_text, find_text_id
from ..texts.corpus import Corpus, articles, open_corpus
from .store import PoolArticle, Store

_ANOTHER = Advice("db", "another database", "another database (--db FILE)")

# The name of the run that has every article of the corpus for every topic.
EVERY_ARTICLE = "every article"
_DETAILS = ("description", "narrative")


def fill(
    store: Store,
    corpus: Corpus | None,
    topics: pd.DataFrame | None,
    runs: Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame],
    depth: int,
    double: float | None,
) -> None:
    """Pool the runs and put topics, articles and pool into the store.

    Raises ValueError for a pooled topic that *topics* lack, and a pooled article that the corpus lacks.
    """
    pooled = pool(runs, depth)
    pairs = list(zip(pooled["qid"].astype(str), pooled["docno"].astype(str), strict=True))
    kept = set(store.pairs()).difference(pairs)
    if kept:
        new = len(set(pairs).difference(store.pairs()))
        warn_caller(
            f"{store.path}: the {len(kept)} articles to judge that are not among the first {depth} of these runs are "
            f"kept; {new} are new. To judge those of these runs only, begin {_ANOTHER}{_may_be_deleted(store)}"
        )
    old = {topic["qid"] for topic in store.topics("")}
    add_pairs(store, corpus, topics, pairs, double, old)
    if not old and isinstance(runs, Mapping) and EVERY_ARTICLE in runs:
        store.remember("pool", EVERY_ARTICLE)


def _may_be_deleted(store: Store) -> str:
    return "" if store.count_judgments() else f", or delete {store.path}, in which nothing is judged yet"


def add_topics(store: Store, topics: pd.DataFrame | None, wanted: set[str]) -> None:
    """Put the wanted topics into the store; a known one takes its new text as long as nobody has judged it.

    Raises ValueError if a wanted topic is missing, if no given topic is wanted, and if one was judged with another
    query: its judgments would not answer the new one.
    """
    old = {topic["qid"]: topic["query"] for topic in store.topics("")}
    if topics is None:
        missing = wanted - old.keys()
        if missing:
            raise ValueError(f"topics are missing: {name_some(sorted(missing))}; give the topics with their queries")
        return
    for column in ("qid", "query"):
        if column not in topics.columns:
            raise ValueError(f"topics need the columns qid and query; found: {list(topics.columns)}")
    given = set(topics["qid"].astype(str))
    missing = wanted - old.keys() - given
    if missing:
        raise ValueError(f"the runs have topics that are not among the topics given: {name_some(sorted(missing))}")
    if wanted and wanted.isdisjoint(given):
        raise ValueError(
            f"{store.path}: none of its topics ({name_some(sorted(wanted))}) is among the topics given "
            f"({name_some(sorted(given))}); give its own topics, or another database"
        )
    names = [name for name in _DETAILS if name in topics.columns]
    rows = []
    for row in topics.to_dict("records"):
        if str(row["qid"]) in wanted:
            details = {name: row[name] for name in names if isinstance(row[name], str) and row[name].strip()}
            rows.append((str(row["qid"]), str(row.get("title") or row["query"]), details))
    _refuse_other_queries(store, old, {qid: query for qid, query, _ in rows})
    store.add_topics(rows)


def _refuse_other_queries(store: Store, old: Mapping[str, str], new: Mapping[str, str]) -> None:
    judged = store.count_judgments()
    changed = [qid for qid in new if qid in judged and new[qid].split() != old[qid].split()]
    if changed:
        qid = changed[0]
        raise ValueError(
            f"{store.path}: {len(changed)} topics were judged with another query (first: topic {qid!r}, judged as "
            f"{old[qid]!r} and given as {new[qid]!r}); give the topics that were judged, or another database"
        )


def check_inputs(store: Store, corpus: Corpus | None, topics: pd.DataFrame | None) -> None:
    """Check that a corpus and topics are those of a store that is continued without pooling.

    Warns of topics that the store does not have, and of changed texts. Raises ValueError if topics are others, as in
    `add_topics`, and CollectionError if a collection has another text.
    """
    check_texts(store, None if corpus is None else open_corpus(corpus))
    if topics is None:
        return
    old = {topic["qid"] for topic in store.topics("")}
    add_topics(store, topics, old)
    new = set(topics["qid"].astype(str)) - old
    if new:
        warn_caller(
            f"{store.path}: {len(new)} topics given ({name_some(sorted(new))}) have no article to judge; give runs to "
            "pool for them"
        )


def check_texts(store: Store, corpus: Corpus | None) -> None:
    """Raise CollectionError if a collection has another text than the store; warn of texts that have changed."""
    check_text(store.setting(TEXT_ID) or "", store.path, corpus, _ANOTHER)
    known = store.known_articles()
    if corpus is None or (store.setting(TEXT_ID) and find_text_id(corpus)) or not known:
        return
    others = set(known)
    added = []
    for article in articles(corpus):
        if article.docno not in known:
            added.append(article.docno)
        elif article.text == store.article(article.docno).text:
            others.discard(article.docno)
    if others:
        warn_caller(
            f"{store.path}: {len(others)} texts have changed or are gone ({name_some(sorted(others))}); they are "
            "judged as they were, and their highlights do not fit what is there now"
        )
    if added and store.setting("pool") == EVERY_ARTICLE:
        warn_caller(
            f"{store.path}: {len(added)} texts were not there when the database was begun with every text "
            f"({name_some(added)}); give a run that has them to have them judged"
        )


def add_pairs(
    store: Store,
    corpus: Corpus | None,
    topics: pd.DataFrame | None,
    pairs: Sequence[tuple[str, str]],
    double: float | None = None,
    also: Set[str] = frozenset(),
) -> None:
    """Put (qid, docno) pairs into the pool with their articles, and their topics and *also* others into the store.

    Raises ValueError if the corpus lacks an article, and CollectionError, before anything is changed, if the store has
    articles of another text.
    """
    old = store.known_articles()
    wanted = {docno for _, docno in pairs} - old.keys()
    corpus = None if corpus is None else open_corpus(corpus)
    if old and isinstance(corpus, Iterator):
        # it is read twice
        corpus = list(corpus)
    check_texts(store, corpus)
    add_topics(store, topics, {*also, *(qid for qid, _ in pairs)})
    if find_text_id(corpus) and not old:
        store.remember(TEXT_ID, find_text_id(corpus))
    if wanted and corpus is None:
        raise ValueError(
            f"the texts of {len(wanted)} articles are not known yet ({name_some(sorted(wanted))}); give the collection"
        )
    store.add_pool(pairs, _read_all(corpus, wanted) if wanted and corpus is not None else (), double)


def _read_all(corpus: Corpus, wanted: set[str]) -> Iterator[PoolArticle]:
    """Yield the *wanted* articles. Raises ValueError in the end if the corpus lacks one."""
    missing = set(wanted)
    with tqdm(total=len(wanted), desc="articles", unit="article", disable=len(wanted) < 500 or None) as progress:
        for article in read_articles(corpus, wanted):
            missing.discard(article.docno)
            progress.update()
            yield article
    if missing:
        raise ValueError(f"{len(missing)} pooled articles are not in the collection: {name_some(sorted(missing))}")


def read_articles(corpus: Corpus, wanted: set[str]) -> Iterator[PoolArticle]:
    """Yield the *wanted* articles that a corpus has, one at a time: a Collection's with their elements."""
    if hasattr(corpus, "elements"):
        collection = cast(ArticleCollection, corpus)
        present = sorted(docno for docno in wanted if docno in collection)
        for article in collection.articles(present):
            table = collection.elements(article["docno"])
            columns = {name: table[name].tolist() for name in ("tag", "start", "end", "parent")}
            elements = columns | {"keeps_lines": keeps_lines(collection)}
            yield PoolArticle(article["docno"], article["title"] or article["docno"], article["text"], elements)
        return
    for text in articles(corpus):
        if text.docno in wanted:
            yield PoolArticle(text.docno, _find_title(text), text.text, {})


def _find_title(article: CorpusArticle) -> str:
    """Return an article's title; of a file that has none but its name, its first line if that reads as one."""
    if article.title and article.title != article.docno.rpartition("/")[2]:
        return article.title
    title = re.match(r"(.{1,60}(?<![.,;:\s]))[ \t\r]*\n", article.text.lstrip())
    return title[1] if title else article.docno
