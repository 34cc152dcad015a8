"""Content-and-structure retrieval: NEXI castitles over any retriever of parts and the collection's elements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from ...errors import NexiError, check_choice, warn_caller
from ...frames.articles import ArticleCollection
from ...frames.checks import scores
from ...frames.ids import id_column, make_ids, read_ids
from ...frames.packing import rank_parts
from ...frames.spans import Floats, Ints
from ..engines.terms import Words
from ..passages.selectors import seams_of
from ..transformer import PartsTransformer, check_count, check_topics
from .article_words import ArticleWords
from .nexi import About, Query, Step, Term, parse
from .nexi_scores import EQUIVALENTS, NOT, Asked, FoundParts, TagGroups, about_clauses, raise_same, scores_of_elements
from .table import ElementReader, ElementTable

_CACHED_WORDS = 5_000_000
_PARTS_AT_ONCE = 20_000


class _Clause(NamedTuple):
    """A search: the about clause *number* of a topic (a row), or, if `about` is None, the topic's title."""

    topic: int
    number: int
    about: About | None
    text: str


class _Parts(NamedTuple):
    """Parts found for clauses, or as answers to topics; `article` is a position in the docnos of all found parts."""

    topic: Ints
    clause: Ints
    article: Ints
    start: Ints
    end: Ints
    score: Floats

    def take(self, which: np.ndarray | slice) -> _Parts:
        topic, clause, article, start, end, score = self
        return _Parts(topic[which], clause[which], article[which], start[which], end[which], score[which])


class NexiRetriever(PartsTransformer):
    """Retrieve elements by content and structure: topics with a `castitle` in NEXI in, a frame of parts out.

    If a topic has no castitle, its `query` is searched instead, as NEXI if it begins with `//`. Results are elements
    whether they are indexed or not, and they overlap: an element that was retrieved keeps its score for an about
    clause; others score by the best retrieved part within them, less with each level between. `and` adds scores, `or`
    takes the best, and the scores of steps add up. Among equal scores the smaller element comes first.

    Args:
        retriever: Any transformer that retrieves parts for `qid` and `query`; it answers each about clause.
        structure: 'strict' takes tags by their names and returns what fulfils the query to the letter: every step,
            every part of an `and`, phrases and terms with + present, terms with - absent. 'vague' takes tags by what
            they mean (`sec`, `section` and `ss1` are the same); the last step's names say what is returned, or any
            element if no retrieved article has such a one, and its condition must hold in part; steps above add to
            the score if they hold, phrases and terms with + raise it where they are, and terms with - are not
            searched.
        equivalents: Groups of tags that mean the same, for 'vague'; None for those of INEX and of MediaWiki dumps.
        decay: The factor on a part's score for each level up to an element around it, above 0 and at most 1 (as in
            Geva, "GPX: Gardens Point XML IR at INEX 2005").
        reward: The share of its score that a part gains in 'vague' if it holds all phrases and terms with +, 0 or more.
        language: The language of the stems by which phrases and signed terms are found; best that of the index.

    Example:
        >>> from pathlib import Path
        >>> from pyterrier_focused import Collection
        >>> _ = Path("7.xml").write_text("<article><sec><p>A cat sat.</p><p>A dog ran.</p></sec></article>")
        >>> collection = Collection.build("7.xml", "pets", verbose=False)
        >>> bm25 = collection.index("paragraphs", engine="bm25s", elements="p").bm25()
        >>> topics = pd.DataFrame({"qid": ["q1"], "query": ["dogs"], "castitle": ["//sec[about(., dogs)]"]})
        >>> NexiRetriever(bm25, collection)(topics)["docno"].tolist()
        ['7#0-21']
    """

    def __init__(
        self,
        retriever: pt.Transformer,
        collection: ArticleCollection,
        structure: str = "vague",
        equivalents: Iterable[Iterable[str]] | None = None,
        num_results: int = 1000,
        decay: float = 0.8,
        reward: float = 0.5,
        language: str = "english",
    ):
        check_choice("NexiRetriever: structure", structure, ("strict", "vague"))
        check_count(self, "num_results", num_results, 1)
        if isinstance(decay, bool) or not isinstance(decay, int | float) or not 0 < decay <= 1:
            raise ValueError(f"NexiRetriever: decay={decay!r}; give a number above 0 and at most 1")
        if isinstance(reward, bool) or not isinstance(reward, int | float) or not reward >= 0:
            raise ValueError(f"NexiRetriever: reward={reward!r}; give a number of at least 0")
        self.retriever = retriever
        self.collection = collection
        self.structure = structure
        self.equivalents = None if equivalents is None else tuple(tuple(group) for group in equivalents)
        self.num_results = num_results
        self.decay = decay
        self.reward = reward
        self.language = language
        self._elements = ElementReader(collection)
        self._words = Words(language)
        self._articles: dict[str, ArticleWords] = {}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        with pt.validate.any(inp, context=self) as modes:
            modes.query_frame(extra_columns=["castitle"], mode="castitle")
            modes.query_frame(extra_columns=["query"], mode="title")
        check_topics(inp, self)
        queries = [
            self._parse_castitle(qid, castitle)
            for qid, castitle in zip(inp["qid"], self._read_castitles(inp), strict=True)
        ]
        clauses = self._list_clauses(inp, queries)
        names, found = self._search_clauses(clauses)
        titles = np.isin(found.topic, [clause.topic for clause in clauses if clause.about is None])
        answers = [found.take(titles)]
        for some in _cut_into_batches(found.take(~titles) if titles.any() else found):
            answers += self._answer_topics(some, queries, clauses, names)
        row, _, article, start, end, score = map(np.concatenate, zip(*answers, strict=True))
        topic = pd.factorize(inp["qid"])[0].astype(np.int64)[row]
        parts = rank_parts(topic, article, names, start, end, score)
        rank = parts.ranks()
        parts = parts.take(rank < self.num_results)
        rank = rank[rank < self.num_results]
        rows = inp.iloc[row[parts.row]].drop(columns=["score", "rank"], errors="ignore").reset_index(drop=True)
        rows["docno"] = id_column(parts.names[parts.group], parts.start, parts.end)
        rows["score"] = parts.score
        rows["rank"] = rank
        return rows

    def compile(self) -> pt.Transformer:
        return self._change_settings(retriever=self.retriever.compile())

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return self._limit_results("num_results", k)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(self.settings().values())

    def _read_castitles(self, inp: pd.DataFrame) -> list[str]:
        """Return the castitle of each topic, or a query that begins as one; "" if it has neither."""
        columns = {name: inp[name] for name in ("castitle", "query") if name in inp.columns}
        texts = {name: [text.strip() if isinstance(text, str) else "" for text in columns[name]] for name in columns}
        castitles = texts.get("castitle", [""] * len(inp))
        queries = texts.get("query", castitles)
        return [
            castitle or (query if query.startswith("//") else "")
            for castitle, query in zip(castitles, queries, strict=True)
        ]

    def _parse_castitle(self, qid: str, castitle: str) -> Query | None:
        try:
            return parse(castitle) if castitle else None
        except NexiError as error:
            raise ValueError(f"topic {qid!r}: {error}") from error

    def _list_clauses(self, inp: pd.DataFrame, queries: list[Query | None]) -> list[_Clause]:
        clauses = []
        for row, query in enumerate(queries):
            if query is None:
                title = inp["query"].iloc[row] if "query" in inp.columns else None
                if not isinstance(title, str):
                    raise ValueError(f"{self!r}: topic {inp['qid'].iloc[row]!r} has neither a castitle nor a query")
                clauses.append(_Clause(row, 0, None, title))
                continue
            for number, about in enumerate(about_clauses(query)):
                text = " ".join(term.text for term in about.terms if term.sign != "-")
                clauses.append(_Clause(row, number, about, text))
        return clauses

    def _search_clauses(self, clauses: list[_Clause]) -> tuple[np.ndarray, _Parts]:
        """Return the docnos of articles, and the parts found for the clauses, one after another."""
        # a text that several clauses have is searched once
        texts = list(dict.fromkeys(clause.text for clause in clauses))
        number = {text: position for position, text in enumerate(texts)}
        topics = pd.DataFrame({"qid": [str(position) for position in range(len(texts))], "query": texts}, dtype=object)
        parts = self.retriever.transform(topics)
        pt.validate.result_frame(parts, extra_columns=["score"], context=self.retriever)
        # Many clauses find the same parts.
        part, ids = pd.factorize(parts["docno"], use_na_sentinel=False)
        article, names, start, end = read_ids(ids)
        if (start < 0).any():
            wrong = ids[int(np.argmax(start < 0))]
            raise ValueError(f"{self.retriever!r}: docno {wrong!r} names no part of the form ARTICLE#START-END")
        code, qids = pd.factorize(parts["qid"])
        text = np.asarray(qids).astype(np.int64)[code]
        by_text = np.split(np.argsort(text, kind="stable"), np.cumsum(np.bincount(text, minlength=len(number)))[:-1])
        own = [by_text[number[clause.text]] for clause in clauses]
        row = np.concatenate([np.zeros(0, dtype=np.int64), *own])
        clause = np.repeat(np.arange(len(clauses)), [len(rows) for rows in own])
        topic = np.array([clause.topic for clause in clauses], dtype=np.int64)[clause]
        part = part[row]
        return names, _Parts(topic, clause, article[part], start[part], end[part], scores(parts)[row])

    def _answer_topics(
        self, found: _Parts, queries: list[Query | None], clauses: list[_Clause], names: np.ndarray
    ) -> list[_Parts]:
        topics, first = np.unique(found.topic, return_index=True)
        codes = np.unique(found.article)
        # The number of each article in the table.
        number = np.full(len(names), -1)
        number[codes] = self._elements.numbers(names[codes].tolist())
        code = np.empty(len(self._elements.docnos), dtype=np.int64)
        code[number[codes]] = codes
        articles = np.split(number[found.article], first[1:])
        found = self._weigh_phrases(found, clauses, names)
        row, exact = self._place_parts(found, number[found.article], names)
        clause = np.array([clause.number for clause in clauses])[found.clause]
        abouts: dict[int, list[About]] = defaultdict(list)
        for each in clauses:
            abouts[each.topic] += [] if each.about is None else [each.about]
        strict = self.structure == "strict"
        tags = TagGroups(() if strict else (EQUIVALENTS if self.equivalents is None else self.equivalents))
        self._warn_of_unscored(
            dict.fromkeys(cast(Query, queries[topic]).steps[-1] for topic in topics.tolist()), tags, row
        )
        asked = []
        for topic, retrieved in zip(topics.tolist(), articles, strict=True):
            own = slice(*np.searchsorted(found.topic, [topic, topic + 1]).tolist())
            parts = FoundParts(clause[own], row[own], exact[own], found.score[own])
            asked.append(Asked(cast(Query, queries[topic]), abouts[topic], retrieved, parts))
        scored = scores_of_elements(asked, self._elements, tags, strict, self.decay)
        answers = []
        for topic, (elements, score) in zip(topics.tolist(), scored, strict=True):
            best = self._best_elements(elements, score)
            same: Ints = np.full(len(best), topic)
            place = code[elements.article[best]], elements.start[best], elements.end[best]
            answers.append(_Parts(same, same, *place, score[best]))
        return answers

    def _warn_of_unscored(self, targets: Iterable[Step], tags: TagGroups, row: Ints) -> None:
        """Warn of kinds of elements that are asked for and exist, but hold no retrieved part."""
        elements = self._elements.elements
        scored = elements.with_ancestors(np.unique(row))
        for target in targets:
            is_kind = elements.with_tags(tags.names(target))
            if is_kind.any() and not is_kind[scored].any():
                names = ", ".join(map(repr, target.names))
                warn_caller(
                    f"//{'|'.join(target.names)}: no part that was found is a {names} or lies in one, so none has a "
                    "score; if the index has none, index them too: "
                    f"collection.index(path, elements=('section', 'p', {names}))"
                )

    def _best_elements(self, elements: ElementTable, score: Floats) -> Ints:
        """Return the rows of the elements with the best scores, best first, one for each span."""
        raise_same(elements, score)
        row = np.flatnonzero((score > NOT) & (elements.end > elements.start) & ~elements.same_as_parent)
        row = row[np.argsort(-score[row], kind="stable")]
        # Ranking all of them decides which of several equal ones are left.
        if len(row) > self.num_results:
            row = row[score[row] >= score[row[self.num_results - 1]]]
        return row

    def _place_parts(self, parts: _Parts, number: Ints, names: np.ndarray) -> tuple[Ints, np.ndarray]:
        """Find the innermost element that holds each retrieved part, and tell whether it is that part."""
        elements = self._elements.elements
        row = elements.holders(number, parts.start, parts.end)
        if len(row) and row.min() < 0:
            part = int(np.argmin(row))
            (wrong,) = make_ids([names[parts.article[part]]], parts.start[[part]], parts.end[[part]])
            raise ValueError(f"{self!r}: part {wrong!r} reaches beyond its article in {self.collection!r}")
        return row, (elements.start[row] == parts.start) & (elements.end[row] == parts.end)

    def _weigh_phrases(self, found: _Parts, clauses: list[_Clause], names: np.ndarray) -> _Parts:
        """Keep the parts that fulfil signs and phrases ('strict'), or raise their scores ('vague')."""
        stays = np.ones(len(found.score), dtype=bool)
        score = found.score.copy()
        strict = self.structure == "strict"
        for number in np.unique(found.clause).tolist():
            about = cast(About, clauses[number].about)
            signed = [t for t in about.terms if (t.sign or t.phrase) and (strict or t.sign != "-")]
            if not signed:
                continue
            own = slice(*np.searchsorted(found.clause, [number, number + 1]).tolist())
            holds = self._mark_holders(found.take(own), signed, names)
            if strict:
                stays[own] = (holds == [[term.sign != "-"] for term in signed]).all(axis=0)
            else:
                score[own] += self.reward * holds.mean(axis=0) * np.abs(score[own])
        return found._replace(score=score).take(stays)

    def _mark_holders(self, parts: _Parts, terms: list[Term], names: np.ndarray) -> np.ndarray:
        """Tell for each of the terms, a row each, which parts hold it."""
        holds = np.zeros((len(terms), len(parts.score)), dtype=bool)
        phrases = [self._words.places(term.text).term for term in terms]
        for article in np.unique(parts.article).tolist():
            words = self._read_words(names[article])
            for number, phrase in enumerate(phrases):
                start, end = words.find(phrase)
                if not len(start):
                    continue
                own = np.flatnonzero(parts.article == article)
                # the first place that begins in the part must end in it; of places that begin later none ends sooner
                first = np.searchsorted(start, parts.start[own])
                inside = first < len(start)
                inside[inside] = end[first[inside]] <= parts.end[own][inside]
                holds[number, own] = inside
        return holds

    def _read_words(self, docno: str) -> ArticleWords:
        words = self._articles.get(docno)
        if words is None:
            elements = self._elements.table([docno])
            words = ArticleWords(self.collection.text([docno])[0], seams_of(elements), self._words)
            if sum(map(len, self._articles.values())) > _CACHED_WORDS:
                self._articles.clear()
            self._articles[docno] = words
        return words


def _cut_into_batches(found: _Parts) -> Iterator[_Parts]:
    """Yield the parts of some topics at a time, so that memory does not grow with the topics."""
    first = np.flatnonzero(np.diff(found.topic, prepend=-1))
    borders = first[1:][np.diff(first // _PARTS_AT_ONCE) > 0].tolist()
    for begin, end in pairwise([0, *borders, len(found.topic)]):
        if begin < end:
            yield found.take(slice(begin, end))
