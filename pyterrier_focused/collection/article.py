"""One article as every reader makes it: text and the columns of its elements."""

from __future__ import annotations

from dataclasses import dataclass, field


class RejectedArticle(ValueError):
    """An article that cannot be taken: says why; the build lists it and goes on."""


@dataclass
class Article:
    """An article's text and its elements in document order; element 0 is the article itself.

    *parent* is the row of the parent element, -1 for the article; *start* and *end* are half-open offsets in
    characters.
    """

    docno: str
    title: str
    text: str
    tag: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
