"""Topics and judgments without assessors: the headings of sections, as in TREC CAR's automatic benchmark."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..frames import QRELS_COLUMNS, flatten, span_column
from .boilerplate import inside_boilerplate

MIN_BODY = 200  # characters


def heading_topics(collection: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make (topics, qrels): a topic for each section, "title heading heading", relevant is the section's body.

    The body is the section without its heading, subsections included; it is the topic's one highlight, and its start
    the best entry point. Boilerplate headings (See also, References, ...) and bodies under 200 characters make no
    topic, nor do the sections inside boilerplate. Two sections of one query are one topic with two highlights. Index
    the collection with headings='drop' for such topics, or the query finds itself.
    """
    topics: dict[str, str] = {}
    judged: dict[tuple[str, str], list[tuple[int, int]]] = {}
    lengths: dict[str, int] = {}
    for article in collection.articles():
        docno, text = article["docno"], article["text"]
        table = collection.elements(docno)
        rows = list(zip(table["tag"], table["title"], table["start"], table["end"], table["parent"], strict=True))
        boilerplate = inside_boilerplate(table)
        heading = {row[4]: row[3] for row in rows if row[0] in ("title", "st") and row[4] > 0}
        words: dict[int, str] = {0: article["title"]}
        for at, (tag, title, _, end, parent) in enumerate(rows):
            if tag not in ("section", "sec", "ss1", "ss2", "ss3", "ss4") or not title or at not in heading:
                continue
            above = parent
            while above > 0 and above not in words:
                above = rows[above][4]
            if above not in words or boilerplate[at]:
                continue
            words[at] = f"{words[above]} {title}"
            start = end - len(text[heading[at] : end].lstrip())
            if end - start < MIN_BODY:
                continue
            qid = topics.setdefault(words[at], f"{docno}/{at}")
            judged.setdefault((qid, docno), []).append((int(start), int(end)))
            lengths[docno] = len(text)
    topic_frame = pd.DataFrame([(qid, query) for query, qid in topics.items()], columns=["qid", "query"])
    qrels = pd.DataFrame(
        [(qid, docno, 1, spans, spans[0][0], lengths[docno]) for (qid, docno), spans in judged.items()],
        columns=QRELS_COLUMNS,
    )
    spans = flatten(qrels["highlights"], "highlights", qrels)
    return topic_frame, qrels.assign(highlights=span_column(spans.row, len(qrels), spans.start, spans.end))
