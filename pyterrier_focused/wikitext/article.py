"""The result of reading a page: its text, elements and links; or the reason why it is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class RejectedArticle(ValueError):
    """A page or article that cannot be taken; the message says why."""


class Link(NamedTuple):
    """A link to another article of the wiki: its title, and the half-open span of its anchor in characters."""

    target: str
    start: int
    end: int


@dataclass
class ParsedArticle:
    """An article's text and its elements in document order; element 0 is the article itself.

    *parent* is the row of the parent element, -1 for the article; *start* and *end* are half-open, in characters.
    *left_out* counts omissions by kind and template.
    *revision* is the number of the page's version, 0 if the source does not tell; *url* is empty if it follows from the
    wiki and the title. *kind* is that of a document of XML, *repeated* the tag that all children of its root have.
    """

    docno: str
    title: str
    text: str
    tag: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    redirects: list[str] = field(default_factory=list)
    url: str = ""
    revision: int = 0
    timestamp: str = ""
    language: str = ""
    kind: str = ""
    repeated: str = ""
