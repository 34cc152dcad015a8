"""The articles that a report shows: which ones, and how much of their text there is room for."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import pandas as pd

from ..frames.articles import ArticleTexts
from ..frames.columns import flatten
from ..frames.spans import Ints, union
from .article import RowsByTopic, TopicArticle, load, shown_spans

# Bytes of all topics as they lie packed in the page.
SIZE = 12_000_000
# Characters of text kept around what is marked, widest first.
CONTEXTS = (None, 5000, 2000, 1000, 500, 200)


@dataclass(eq=False)
class ShownTopic:
    """One topic: for each run its first articles, the missed ones that are shown, and the number missed."""

    qid: str
    hits: list[list[str]]
    missed: list[list[str]]
    missing: list[int]
    articles: dict[str, TopicArticle]


@dataclass(frozen=True, eq=False)
class ShownArticles:
    """The articles shown. *context*: characters kept around marked text, None if texts are whole.

    `without_text`: (qid, docno) for which there was no room.
    """

    topics: list[ShownTopic]
    context: int | None
    without_text: frozenset[tuple[str, str]]
    has_collection: bool
    top: int
    missed: int

    def smaller(self) -> ShownArticles | None:
        """Return the same with less context, or in the end without half of the texts; None without texts."""
        narrower = CONTEXTS[CONTEXTS.index(self.context) + 1 :]
        if narrower:
            return replace(self, context=narrower[0])
        shown = [(t.qid, d) for t in self.topics for d, a in t.articles.items() if a.text is not None]
        left = [key for key in shown if key not in self.without_text]
        if not left:
            return None
        return replace(self, without_text=self.without_text | frozenset(left[len(left) // 2 :]))

    @property
    def sentence(self) -> str:
        articles = [article for topic in self.topics for article in topic.articles.values()]
        text = f"Shown are the first {self.top} articles of each run and topic"
        if self.missed:
            text += f", and of the relevant ones that a run did not retrieve the {self.missed} most highlighted"
        text += f": {len(articles)} articles"
        if not self.has_collection:
            return text + ", without their texts, as no collection was given."
        unknown = sum(article.text is None for article in articles)
        text += f", {len(articles) - len(self.without_text) - unknown} with their text"
        if self.context is not None:
            near = "the beginning, a highlight, or a passage's start or end"
            text += f", as far as it lies within {self.context} characters of {near}"
        if self.without_text:
            text += f"; for the text of {len(self.without_text)} there was no room"
        if unknown:
            text += f"; {unknown} are not in the collection"
        return text + "."


def gather(
    qids: Sequence[str],
    qrels: pd.DataFrame,
    rankings: Mapping[str, RowsByTopic],
    collection: ArticleTexts | None,
    top: int,
    missed: int,
) -> ShownArticles:
    """Choose and load the articles of every topic. *rankings*: the ranked runs."""
    relevant = relevant_articles(qrels)
    judged = RowsByTopic(qrels, "highlights")
    topics = [_gather_topic(qid, relevant.get(qid, []), judged, rankings, collection, top, missed) for qid in qids]
    return ShownArticles(topics, _choose_context(topics), frozenset(), collection is not None, top, missed)


def _gather_topic(
    qid: str,
    relevant: list[str],
    judged: RowsByTopic,
    rankings: Mapping[str, RowsByTopic],
    collection: ArticleTexts | None,
    top: int,
    missed: int,
) -> ShownTopic:
    judgments = judged.find_articles(qid)
    retrieved = {name: run.find_articles(qid) for name, run in rankings.items()}
    hits = [list(islice(rows, top)) for rows in retrieved.values()]
    lost = [[docno for docno in relevant if docno not in rows] for rows in retrieved.values()]
    shown = dict.fromkeys(docno for docnos in (*hits, *(docnos[:missed] for docnos in lost)) for docno in docnos)
    articles = {}
    for docno in shown:
        source = collection if collection is not None and docno in collection else None
        of_runs = {name: run.read_row(retrieved[name].get(docno)) for name, run in rankings.items()}
        articles[docno] = load(source, docno, judged.read_row(judgments.get(docno)), of_runs)
    return ShownTopic(qid, hits, [docnos[:missed] for docnos in lost], list(map(len, lost)), articles)


def relevant_articles(qrels: pd.DataFrame) -> dict[str, list[str]]:
    """List the relevant articles of each topic that has any, those with most highlighted characters first.

    Without highlights, they are those with a label of 1 or more, as they come.

    Example:
        >>> rows = [["q1", "a", 1, [(0, 5)]], ["q1", "b", 1, [(0, 9)]], ["q1", "c", 0, []]]
        >>> relevant_articles(pd.DataFrame(rows, columns=["qid", "docno", "label", "highlights"]))
        {'q1': ['b', 'a']}
    """
    size: Ints = np.asarray(qrels["label"] >= 1, dtype=np.int64)
    if "highlights" in qrels:
        spans = flatten(qrels["highlights"], "highlights", qrels)
        row, start, end = union(spans.row, spans.start, spans.end)
        size = np.bincount(row, end - start, minlength=len(qrels))
    order = np.argsort(-size, kind="stable")
    relevant = qrels.iloc[order[size[order] > 0]]
    return {str(qid): docnos.tolist() for qid, docnos in relevant.groupby("qid", sort=False)["docno"]}


def _choose_context(topics: list[ShownTopic]) -> int | None:
    """Return the widest context for which there seems to be room."""
    texts = [article for topic in topics for article in topic.articles.values() if article.text]
    if not texts:
        return None
    sample = "".join(article.text or "" for article in texts[:: max(1, len(texts) // 20)])
    # bytes that a character takes: gzip, base64, and a half for the markup
    cost = 1.5 * 4 / 3 * len(gzip.compress(sample.encode("utf-8"), 6)) / len(sample)
    for context in CONTEXTS[:-1]:
        if cost * sum(b - a for article in texts for a, b in shown_spans(article, context)) <= SIZE:
            return context
    return CONTEXTS[-1]
