"""Topics and judgments without assessors: the headings of sections, as in TREC CAR's automatic benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

import pandas as pd

from ..frames.articles import ArticleCollection
from ..frames.columns import QRELS_COLUMNS, flatten, span_column
from ..frames.text_ids import mark_qrels
from .boilerplate import inside_boilerplate
from .element_paths import HEADINGS

# Characters of a section without its heading.
MIN_BODY = 200


class _Section(NamedTuple):
    """A section that makes a topic: the row of its element, the query, and the span of its body."""

    row: int
    query: str
    start: int
    end: int


def heading_topics(
    collection: ArticleCollection, *, titles: bool = True, one_per_article: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make topics and qrels from headings: the query is "title heading heading", relevant is the section's body.

    The body is the section without its heading, subsections included; it is the topic's one highlight, and its start
    the best entry point. Boilerplate headings (See also, References, ...) and bodies under 200 characters make no
    topic, nor do the sections inside boilerplate. Two sections of one query are one topic with two highlights. Index
    the collection with headings='drop' for such topics, or the query finds itself.

    The topics of an article are not independent: their highlights lie within each other. The column `cluster` of the
    topics holds the article, for tests that resample articles; `one_per_article` takes one topic of each.

    Args:
        titles: Begin each query with the article's title; without, sections of one heading in several articles are one
            topic with highlights in all of them, and its cluster is the first of these articles.
        one_per_article: Keep one topic of each cluster, chosen by its words, so independent of other articles.

    Example:
        >>> from pyterrier_focused import Collection
        >>> section = f"<sec><title>Life</title><p>{'Fresnel was born in Broglie. ' * 9}</p></sec>"
        >>> with open("7.xml", "w") as file:
        ...     _ = file.write(f"<article><title>Fresnel</title>{section}</article>")
        >>> topics, qrels = heading_topics(Collection.build("7.xml", "fresnel", verbose=False))
        >>> topics["query"].tolist()
        ['Fresnel Life']
    """
    topics: dict[str, tuple[str, str]] = {}
    judged: dict[tuple[str, str], list[tuple[int, int]]] = {}
    lengths: dict[str, int] = {}
    for article in collection.articles():
        docno = article["docno"]
        for section in _find_sections(collection, article, titles):
            qid, _ = topics.setdefault(section.query, (f"{docno}/{section.row}", docno))
            judged.setdefault((qid, docno), []).append((section.start, section.end))
            lengths[docno] = len(article["text"])
    rows = [(qid, query, cluster) for query, (qid, cluster) in topics.items()]
    topic_frame = pd.DataFrame(rows, columns=["qid", "query", "cluster"])
    if one_per_article:
        order = topic_frame["query"].map(lambda query: crc32(query.encode("utf-8"))).sort_values(kind="stable").index
        topic_frame = topic_frame.loc[order].drop_duplicates("cluster").sort_index().reset_index(drop=True)
    kept = set(topic_frame["qid"])
    qrels = pd.DataFrame(
        [(qid, docno, 1, spans, spans[0][0], lengths[docno]) for (qid, docno), spans in judged.items() if qid in kept],
        columns=QRELS_COLUMNS,
    )
    spans = flatten(qrels["highlights"], "highlights", qrels)
    qrels = qrels.assign(highlights=span_column(spans.row, len(qrels), spans.start, spans.end))
    return topic_frame, mark_qrels(qrels, "the qrels", collection)


def _find_sections(collection: ArticleCollection, article: dict[str, str], titles: bool) -> Iterator[_Section]:
    text = article["text"]
    table = collection.elements(article["docno"])
    parents = table["parent"].tolist()
    elements = list(zip(table["tag"], table["title"], table["end"], parents, strict=True))
    boilerplate = inside_boilerplate(table)
    heading_end = {parent: end for tag, _, end, parent in elements if tag in HEADINGS and parent > 0}
    queries: dict[int, str] = {0: article["title"] if titles else ""}
    for row, (tag, title, end, parent) in enumerate(elements):
        if tag not in ("section", "sec", "ss1", "ss2", "ss3", "ss4") or not title or row not in heading_end:
            continue
        above = parent
        while above > 0 and above not in queries:
            above = parents[above]
        if above not in queries or boilerplate[row]:
            continue
        queries[row] = f"{queries[above]} {title}".strip()
        start = end - len(text[heading_end[row] : end].lstrip())
        if end - start >= MIN_BODY:
            yield _Section(row, queries[row], int(start), int(end))
