"""The elements of one article as NEXI sees them: which tags match, what lies in what, and what a condition scores.

Scores are columns over the article's elements; -inf says that a condition does not hold of an element.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..nexi import About, And, Comparison, Condition, Or, Query, Step
from ..spans import Floats
from .selectors import Elements

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


class TagGroups:
    """Which tags a name of a query stands for: itself alone, or with *groups* all tags that mean the same."""

    def __init__(self, groups: Iterable[Iterable[str]] | None):
        self._same: dict[str, set[str]] = {}
        for group in groups or ():
            names = set(group)
            for name in names:
                self._same.setdefault(name, set()).update(names)

    def matching(self, step: Step, elements: Elements) -> np.ndarray:
        """Mark the elements that a step's names match."""
        if "*" in step.names:
            return np.ones(len(elements.tag), dtype=bool)
        wanted = set().union(*(self._same.get(name, {name}) for name in step.names))
        return np.array([tag in wanted for tag in elements.tag], dtype=bool)


class ElementScores:
    """The scores of one article's elements for a query.

    found: for each about clause the article's retrieved parts, as {(start, end): score}.
    text: returns the article's text, asked for where numbers are compared.
    """

    def __init__(
        self,
        elements: Elements,
        found: dict[About, dict[tuple[int, int], float]],
        tags: TagGroups,
        strict: bool,
        text: Callable[[], str],
    ):
        self._elements = elements
        self._found = found
        self._tags = tags
        self._strict = strict
        self._text = text

    def targets(self, query: Query) -> Floats:
        """Return the score of each element as an answer to *query*."""
        above: Floats = np.full(len(self._elements.tag), NOT)
        score = above
        for number, step in enumerate(query.steps):
            fits = self._tags.matching(step, self._elements)
            own = self._condition(step.condition) if step.condition is not None else None
            score = self._step(fits, own, above, first=number == 0, last=step is query.steps[-1])
            above = self._above(score)
        return score

    def _step(self, fits: np.ndarray, own: Floats | None, above: Floats, first: bool, last: bool) -> Floats:
        """Score the elements at a step by its condition and by the best element above that fits the steps before."""
        if self._strict:
            score = np.zeros(len(fits)) if own is None else own
            if not first:
                score = score + above
        else:
            # steps above the last one are hints: they add to the score where they hold
            score = above if own is None else np.where(above > NOT, own + np.maximum(above, 0), own)
            if own is not None and not last:
                score = np.maximum(score, above)
        return np.where(fits, score, NOT)

    def _above(self, score: Floats) -> Floats:
        """Return for each element the best score of the elements that hold it."""
        best = np.full(len(score), NOT)
        for row, parent in enumerate(self._elements.parent.tolist()):
            if parent >= 0:
                best[row] = max(best[parent], score[parent])
        return best

    def _below(self, score: Floats) -> Floats:
        """Return for each element the best score of the elements that it holds."""
        best = np.full(len(score), NOT)
        for row in np.flatnonzero(score > NOT).tolist():
            value, parent = score[row], int(self._elements.parent[row])
            while parent >= 0 and best[parent] < value:
                best[parent] = value
                parent = int(self._elements.parent[parent])
        return best

    def _condition(self, condition: Condition) -> Floats:
        if isinstance(condition, About):
            return self._at(condition.path, self._about(condition))
        if isinstance(condition, Comparison):
            return self._at(condition.path, self._compare(condition))
        scores = np.array([self._condition(part) for part in condition.parts])
        if isinstance(condition, Or):
            return scores.max(axis=0)
        if self._strict:
            return scores.sum(axis=0)
        holds = scores > NOT
        total = np.where(holds, scores, 0).sum(axis=0)
        compared = [i for i, part in enumerate(condition.parts) if isinstance(part, Comparison)]
        return np.where(holds.any(axis=0) & holds[compared].all(axis=0), total, NOT)

    def _at(self, path: tuple[Step, ...], score: Floats) -> Floats:
        """Return for each element the best score of the elements at *path* below it."""
        for step in reversed(path):
            score = self._below(np.where(self._tags.matching(step, self._elements), score, NOT))
        return score

    def _about(self, about: About) -> Floats:
        """Score each element as the retrieved part it is, or else as the best retrieved part within it."""
        start, end = self._elements.start, self._elements.end
        within, own = np.full(len(start), NOT), np.full(len(start), NOT)
        for (first, last), score in self._found.get(about, {}).items():
            holds = (start <= first) & (last <= end)
            within[holds] = np.maximum(within[holds], score)
            own[holds & (start == first) & (end == last)] = score
        return np.where(own > NOT, own, within)

    def _compare(self, comparison: Comparison) -> Floats:
        """Score 0 for each element whose text is a number for which the comparison holds."""
        text, compare = self._text(), _OPERATORS[comparison.operator]
        spans = zip(self._elements.start.tolist(), self._elements.end.tolist(), strict=True)
        numbers = [_number(text[first:last]) if last - first <= 40 else None for first, last in spans]
        holds = [number is not None and compare(number, comparison.number) for number in numbers]
        return np.where(holds, 0.0, NOT)


def about_clauses(query: Query) -> list[About]:
    """Return the about clauses of a query, each once."""
    found: dict[About, None] = {}
    waiting: list[Any] = [step.condition for step in query.steps if step.condition is not None]
    while waiting:
        condition = waiting.pop(0)
        if isinstance(condition, About):
            found[condition] = None
        elif isinstance(condition, And | Or):
            waiting[:0] = condition.parts
    return list(found)


def _number(text: str) -> float | None:
    bare = text.strip().replace(",", "")
    return float(bare) if _NUMBER.fullmatch(bare) else None
