"""Scores of elements for a NEXI query: matching tags, containment, conditions.

Scores are columns over the elements; -inf says that a condition does not hold of an element.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...frames.spans import Floats, Ints
from .nexi import About, And, Comparison, Condition, Or, Query, Step
from .table import ElementReader, ElementTable

NOT = -np.inf
# tags that mean the same in one collection or another; INEX 2002-2005, 2006-2008, 2009, and MediaWiki
EQUIVALENTS = (
    ("article", "page", "doc"),
    ("bdy", "body"),
    ("sec", "section", "ss", "ss1", "ss2", "ss3", "ss4", "ss5", "ss6", "subsection"),
    ("p", "para", "paragraph", "ip1", "ip2", "ip3"),
    ("title", "st", "heading"),
    ("li", "item", "entry"),
    ("figure", "fig", "image"),
    ("category", "categories"),
)
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_MOST_CHARACTERS = 40
# Among equal scores the deeper element comes first.
_NEARLY = 1e-12


class FoundParts(NamedTuple):
    """Retrieved parts: the number of the clause in its query, the element that holds it, whether it is that, its score.

    An element is the row of the innermost one, in the table of all.
    """

    clause: Ints
    row: Ints
    exact: np.ndarray
    score: Floats


class Asked(NamedTuple):
    """A topic: its query with the about clauses, the number of each retrieved part's article, and the parts found."""

    query: Query
    abouts: list[About]
    articles: Ints
    found: FoundParts


class TagGroups:
    """Which tags a name of a query stands for: itself only, or with *groups* all tags that mean the same."""

    def __init__(self, groups: Iterable[Iterable[str]] | None):
        self._same: dict[str, set[str]] = {}
        for group in groups or ():
            names = set(group)
            for name in names:
                self._same.setdefault(name, set()).update(names)

    def names(self, step: Step) -> set[str] | None:
        """Return the tags that a step's names stand for; None for any."""
        if "*" in step.names:
            return None
        return set().union(*(self._same.get(name, {name}) for name in step.names))


def scores_of_elements(
    topics: Sequence[Asked], reader: ElementReader, tags: TagGroups, strict: bool, decay: float
) -> Iterator[tuple[ElementTable, Floats]]:
    """Yield for each topic the elements that can be answers, and their scores.

    decay: the factor on a part's score for each level up to an element around it, 0..1.
    """
    tables = [_TopicElements(reader, topic, tags) for topic in topics]
    # all about clauses are scored at once, each in a copy of its topic's elements
    copies = [table.part for topic, table in zip(topics, tables, strict=True) for _ in topic.abouts]
    sizes = [len(topic.abouts) * len(table.part) for topic, table in zip(topics, tables, strict=True)]
    first = np.cumsum([0, *sizes])
    row = [
        begin + topic.found.clause * len(table.part) + table.found
        for topic, table, begin in zip(topics, tables, first.tolist(), strict=False)
    ]
    exact, score = (np.concatenate([getattr(topic.found, name) for topic in topics]) for name in ("exact", "score"))
    scored = _score_about_clause(ElementTable.joined(copies), np.concatenate(row), exact, score, decay)
    for topic, table, values in zip(topics, tables, np.split(scored, first[1:-1]), strict=True):
        about = dict(zip(topic.abouts, values.reshape(len(topic.abouts), -1), strict=True))
        yield table.part, _ElementScores(table, about, tags, strict).targets(topic.query)


class _TopicElements:
    """The elements that can score for a topic, as the table `part`; `found`: its rows that hold retrieved parts."""

    def __init__(self, reader: ElementReader, topic: Asked, tags: TagGroups):
        self._reader = reader
        self._articles = topic.articles
        more = self._find_further_rows(topic.query, tags)
        row = topic.found.row if more is None else np.concatenate((topic.found.row, more))
        rows = reader.elements.with_ancestors(row)
        self.part, self.found = reader.elements.part(rows, topic.found.row)

    @property
    def deepest(self) -> int:
        return int(self._reader.deepest[self._articles].max())

    def have(self, tags: set[str] | None) -> bool:
        """Tell whether any element of the retrieved articles has one of *tags*."""
        return bool(self._with_tags(tags).any())

    def text(self, row: int) -> str:
        text = self._reader.text(int(self.part.article[row]))
        return text[self.part.start[row] : self.part.end[row]]

    @cached_property
    def _rows_of_articles(self) -> Ints:
        return self._reader.elements.rows_of(np.unique(self._articles))

    def _with_tags(self, tags: set[str] | None) -> np.ndarray:
        return self._reader.elements.with_tags(tags)[self._rows_of_articles]

    def _find_further_rows(self, query: Query, tags: TagGroups) -> Ints | None:
        """Return the rows that score without a retrieved part in them: for a number, or for elements around them."""
        if any(isinstance(clause, Comparison) for clause in _iterate_clauses(query)):
            return self._rows_of_articles
        if query.steps[-1].condition is not None:
            return None
        fits = self._with_tags(tags.names(query.steps[-1]))
        return self._rows_of_articles[fits] if fits.any() else self._rows_of_articles


class _ElementScores:
    """The scores of a topic's elements for its query; *about* has those for each about clause."""

    def __init__(self, topic: _TopicElements, about: dict[About, Floats], tags: TagGroups, strict: bool):
        self._topic = topic
        self._elements = topic.part
        self._about_scores = about
        self._tags = tags
        self._strict = strict

    def targets(self, query: Query) -> Floats:
        above: Floats = np.full(len(self._elements), NOT)
        score = above
        for number, step in enumerate(query.steps):
            last = step is query.steps[-1]
            fits = self._mark_step(step)
            if last and not self._strict and not fits.any() and not self._topic.have(self._tags.names(step)):
                # No retrieved article has such an element: any will do.
                fits = ~fits
            own = self._score_condition(step.condition) if step.condition is not None else None
            score = self._score_step(fits, own, above, first=number == 0, last=last)
            above = score if last else self._best_above(score)
        if not self._strict and not np.any(score > NOT):
            score = np.maximum.reduce(list(self._about_scores.values()))
        height = self._topic.deepest - self._elements.depth
        holds = score > NOT
        return np.where(holds, score - np.abs(np.where(holds, score, 0)) * _NEARLY * height, NOT)

    def _score_step(self, fits: np.ndarray, own: Floats | None, above: Floats, first: bool, last: bool) -> Floats:
        """Score the elements at a step by its condition and by the best element above that fits the steps before."""
        if self._strict:
            score = np.zeros(len(fits)) if own is None else own
            if not first:
                score = score + above
        else:
            # steps above the last one are hints: they add to the score if they hold
            score = above if own is None else own
            if own is not None and not first:
                score = np.where(above > NOT, own + np.maximum(above, 0), own)
                score = score if last else np.maximum(score, above)
        return np.where(fits, score, NOT)

    def _best_above(self, score: Floats) -> Floats:
        """Return for each element the best score of the elements that hold it."""
        best = np.full(len(score), NOT)
        parent = self._elements.parent
        for rows in self._elements.levels:
            best[rows] = np.maximum(best[parent[rows]], score[parent[rows]])
        return best

    def _best_below(self, score: Floats) -> Floats:
        """Return for each element the best score of the elements that it holds."""
        best = np.full(len(score), NOT)
        parent = self._elements.parent
        rows = np.flatnonzero((score > NOT) & (parent >= 0))
        np.maximum.at(best, parent[rows], score[rows])
        return _spread_upwards(self._elements, best, 1.0)

    def _mark_step(self, step: Step) -> np.ndarray:
        return self._elements.with_tags(self._tags.names(step))

    def _score_condition(self, condition: Condition) -> Floats:
        if isinstance(condition, About):
            return self._follow_path(condition.path, self._about_scores[condition])
        if isinstance(condition, Comparison):
            return self._follow_path(condition.path, self._score_comparison(condition))
        scores = np.array([self._score_condition(part) for part in condition.parts])
        if isinstance(condition, Or):
            best: Floats = scores.max(axis=0)
            return best
        if self._strict:
            added: Floats = scores.sum(axis=0)
            return added
        holds = scores > NOT
        total = np.where(holds, scores, 0).sum(axis=0)
        compared = [i for i, part in enumerate(condition.parts) if isinstance(part, Comparison)]
        return np.where(holds.any(axis=0) & holds[compared].all(axis=0), total, NOT)

    def _follow_path(self, path: tuple[Step, ...], score: Floats) -> Floats:
        """Return for each element the best score of the elements at *path* below it."""
        for step in reversed(path):
            fits = self._mark_step(step)
            # a vague path leaves out a step that no retrieved article has
            if self._strict or fits.any() or self._topic.have(self._tags.names(step)):
                score = self._best_below(np.where(fits, score, NOT))
        return score

    def _score_comparison(self, comparison: Comparison) -> Floats:
        """Score 0 for each element whose text is a number for which the comparison holds."""
        elements = self._elements
        compare = _OPERATORS[comparison.operator]
        score = np.full(len(elements), NOT)
        short = elements.end - elements.start <= _MOST_CHARACTERS
        if comparison.path:
            short &= self._mark_step(comparison.path[-1])
        for row in np.flatnonzero(short).tolist():
            number = _read_number(self._topic.text(row))
            if number is not None and compare(number, comparison.number):
                score[row] = 0.0
        return score


def about_clauses(query: Query) -> list[About]:
    return list(dict.fromkeys(clause for clause in _iterate_clauses(query) if isinstance(clause, About)))


def raise_same(elements: ElementTable, score: Floats) -> None:
    """Raise the score of each element to the best of the elements within it that have its span."""
    row = np.flatnonzero(elements.same_as_parent & (score > NOT))
    value = score[row]
    while len(row):
        row = elements.parent[row]
        np.maximum.at(score, row, value)
        same = elements.same_as_parent[row]
        row = row[same]
        value = value[same]


def _iterate_clauses(query: Query) -> Iterator[About | Comparison]:
    waiting: list[Condition] = [step.condition for step in query.steps if step.condition is not None]
    while waiting:
        condition = waiting.pop(0)
        if isinstance(condition, And | Or):
            waiting[:0] = condition.parts
        else:
            yield condition


def _score_about_clause(elements: ElementTable, row: Ints, exact: np.ndarray, score: Floats, decay: float) -> Floats:
    """Score each element by itself if it was retrieved, or else by the best retrieved part within it."""
    own, best = np.full((2, len(elements)), NOT)
    np.maximum.at(own, row[exact], score[exact])
    raise_same(elements, own)
    np.maximum.at(best, row, np.where(exact, score, _fade_scores(score, decay)))
    return np.where(own > NOT, own, _spread_upwards(elements, best, decay))


def _spread_upwards(elements: ElementTable, best: Floats, decay: float) -> Floats:
    """Raise the score of each element to the best of the scores below it, less with each level.

    decay = .5    element  article  section  p  p
                  before   -inf     -inf     4  2
                  after    1        2        4  2
    """
    for rows, first, parent in elements.families:
        score = np.where(elements.same_as_parent[rows], best[rows], _fade_scores(best[rows], decay))
        best[parent] = np.maximum(best[parent], np.maximum.reduceat(score, first))
    return best


def _fade_scores(score: Floats, decay: float) -> Floats:
    return np.where(score > 0, score * decay, score / decay)


def _read_number(text: str) -> float | None:
    bare = text.strip().replace(",", "")
    return float(bare) if _NUMBER.fullmatch(bare) else None
