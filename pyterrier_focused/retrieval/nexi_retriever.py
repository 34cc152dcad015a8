"""Content-and-structure retrieval: NEXI castitles over an index of parts and its collection's elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import NexiError, check_choice
from ..frames import make_ids, parse_ids
from ..nexi import About, Query, Term, parse
from .ascii_folding import fold
from .index import PartIndex, apart, elements_of
from .nexi_scores import EQUIVALENTS, NOT, ElementScores, TagGroups, about_clauses
from .parts import PartsTransformer, check_count, read_parts, rows_of
from .selectors import Elements, seams_of


class NexiRetriever(PartsTransformer):
    """Retrieve elements by content and structure: topics with a `castitle` in NEXI in, a frame of parts out.

    Where a topic has no castitle, its `query` is searched in the indexed parts instead. Results are elements whether
    they are indexed or not, and they overlap: an element scores for an about clause as the indexed part that it is, or
    else as the best retrieved part within it. `and` adds scores, `or` takes the best, and the scores of steps add up.

    structure: 'strict' takes tags by their names and returns what fulfils the query to the letter: every step, every
        part of an `and`, terms with + present, terms with - absent. 'vague' takes tags by what they mean (`sec`,
        `section` and `ss1` are the same); the last step's names say what is returned, and its condition must hold in
        part; steps above add to the score where they hold, and signs are hints (terms with - are not searched).
    equivalents: groups of tags that mean the same, for 'vague'; None for those of INEX and of MediaWiki dumps.
    num_results: how many elements a topic gets at most.
    depth: how many parts the engine finds for each about clause.
    """

    def __init__(
        self,
        index: PartIndex,
        collection: Any,
        structure: str = "vague",
        equivalents: Iterable[Iterable[str]] | None = None,
        num_results: int = 1000,
        depth: int = 3000,
    ):
        check_choice("NexiRetriever: structure", structure, ("strict", "vague"))
        check_count(self, "num_results", num_results, 1)
        check_count(self, "depth", depth, 1)
        self.index = index
        self.collection = collection
        self.structure = structure
        self.equivalents = None if equivalents is None else tuple(tuple(group) for group in equivalents)
        self.num_results = num_results
        self.depth = depth

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Retrieve elements for each topic."""
        with pt.validate.any(inp, context=self) as modes:
            modes.query_frame(extra_columns=["castitle"], mode="castitle")
            modes.query_frame(extra_columns=["query"], mode="title")
        queries = [self._parsed(qid, castitle) for qid, castitle in zip(inp["qid"], self._castitles(inp), strict=True)]
        clauses = [[] if query is None else about_clauses(query) for query in queries]
        found = self._search(inp, queries, clauses)
        topic: list[int] = []
        docno: list[str] = []
        score: list[float] = []
        elements: dict[str, Any] = {}
        for row, query in enumerate(queries):
            for name, value in self._answers(query, clauses[row], found[row], elements):
                topic.append(row)
                docno.append(name)
                score.append(value)
        rows = inp.iloc[topic].drop(columns=["score", "rank"], errors="ignore").reset_index(drop=True)
        rows["docno"] = np.array(docno, dtype=object)
        rows["score"] = np.array(score, dtype=np.float64)
        parts = read_parts(rows, self)
        return rows_of(rows, parts.take(parts.ranks() < self.num_results))

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        """Take a following `% k`: fewer elements are returned."""
        if k >= self.num_results:
            return self
        return type(self)(**(self.settings() | {"num_results": k})) if k >= 1 else None

    def _castitles(self, inp: pd.DataFrame) -> list[str]:
        if "castitle" not in inp.columns:
            return [""] * len(inp)
        return [castitle.strip() if isinstance(castitle, str) else "" for castitle in inp["castitle"]]

    def _parsed(self, qid: str, castitle: str) -> Query | None:
        try:
            return parse(castitle) if castitle else None
        except NexiError as error:
            raise ValueError(f"topic {qid!r}: {error}") from error

    def _search(
        self, inp: pd.DataFrame, queries: list[Query | None], clauses: list[list[About]]
    ) -> list[list[dict[str, float]]]:
        """Return for each topic the parts {docno: score} of each of its about clauses, or of its title."""
        asked: list[tuple[int, str]] = []
        for row, query in enumerate(queries):
            if query is None:
                title = inp["query"].iloc[row] if "query" in inp.columns else None
                if not isinstance(title, str):
                    raise ValueError(f"{self!r}: topic {inp['qid'].iloc[row]!r} has neither a castitle nor a query")
                asked.append((row, title))
            else:
                asked += [(row, " ".join(t.text for t in about.terms if t.sign != "-")) for about in clauses[row]]
        topics = pd.DataFrame({"qid": np.arange(len(asked)), "query": [text for _, text in asked]}, dtype=object)
        parts = self.index.bm25(num_results=max(self.depth, self.num_results)).transform(topics)
        by_clause: list[dict[str, float]] = [{} for _ in asked]
        for number, name, score in zip(parts["qid"], parts["docno"], parts["score"], strict=True):
            by_clause[number][name] = score
        found: list[list[dict[str, float]]] = [[] for _ in queries]
        for (row, _), results in zip(asked, by_clause, strict=True):
            found[row].append(results)
        return found

    def _answers(
        self, query: Query | None, clauses: list[About], found: list[dict[str, float]], elements: dict[str, Any]
    ) -> list[tuple[str, float]]:
        """Return the (passage id, score) pairs of one topic; *elements* keeps what was read of articles."""
        if query is None:
            return list(found[0].items())
        strict = self.structure == "strict"
        tags = TagGroups(None if strict else (EQUIVALENTS if self.equivalents is None else self.equivalents))
        by_article: dict[str, dict[About, dict[tuple[int, int], float]]] = {}
        for about, parts in zip(clauses, found, strict=True):
            articles, start, end = (column.tolist() for column in parse_ids(parts))
            for article, span, score in zip(articles, zip(start, end, strict=True), parts.values(), strict=True):
                by_article.setdefault(article, {}).setdefault(about, {})[span] = score
        answers: dict[str, float] = {}
        for article, scores in by_article.items():
            if article not in elements:
                elements[article] = elements_of(self.collection, article)
            table = elements[article]
            text = cache(partial(self._article_text, article))
            if strict:
                scores = {about: _allowed(about, spans, text, table) for about, spans in scores.items()}
            value = ElementScores(table, scores, tags, strict, text).targets(query)
            rows = np.flatnonzero((value > NOT) & (table.end > table.start))
            ids = make_ids([article] * len(rows), table.start[rows], table.end[rows])
            for name, best in zip(ids, value[rows].tolist(), strict=True):
                answers[name] = max(best, answers.get(name, NOT))
        return list(answers.items())

    def _article_text(self, docno: str) -> str:
        return self.collection.text([docno])[0]


def _allowed(
    about: About, spans: dict[tuple[int, int], float], text: Callable[[], str], elements: Elements
) -> dict[tuple[int, int], float]:
    """Return the parts that hold all of the clause's + terms and none of its - terms."""
    signed = [(_finder(term), term.sign == "+") for term in about.terms if term.sign]
    if not signed:
        return spans
    seams = seams_of(elements)
    folded = {span: fold(apart(text(), *span, seams)).lower() for span in spans}
    return {
        span: score
        for span, score in spans.items()
        if all((finder.search(folded[span]) is not None) == wanted for finder, wanted in signed)
    }


def _finder(term: Term) -> re.Pattern[str]:
    """Return what finds a word or phrase in folded text, whole words alone."""
    words = re.findall(r"\w+", fold(term.text).lower())
    return re.compile(r"(?<!\w)" + r"\W+".join(map(re.escape, words)) + r"(?!\w)")
