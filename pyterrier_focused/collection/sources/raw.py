"""The output of readers of sources: articles one by one, then the columns of many."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...frames.ranking_rule import positions
from ...frames.spans import Ints
from ...wikitext import ParsedArticle, RejectedArticle


class Redirect(NamedTuple):
    """A page that only leads to another: its own title, and the other's."""

    alias: str
    target: str


@dataclass
class RawArticle:
    """One article as it is in the source, not yet parsed; *error* says why it could not even be read.

    *position* counts bytes of the file, packed as it is, or of the archive; *name* is the file's without its
    ending. *is_cut*: what follows is lost too. *record* numbers the records of a file that is cut into these, from
    1.
    """

    file: str
    position: int
    name: str = ""
    data: bytes = b""
    error: str = ""
    is_cut: bool = False
    redirect: Redirect | None = None
    record: int = 0

    def reject(self, reason: object) -> Rejection:
        return Rejection(self.file, self.position, self.name, str(reason), self.is_cut)


class Rejection(NamedTuple):
    """An article that was refused: where it is in the source, its id if known, why, and whether more is lost."""

    file: str
    position: int
    id: str
    reason: str
    is_cut: bool = False


class PageColumns(NamedTuple):
    """Columns of MediaWiki's pages beside text: categories in lines, numbers of links, the links of all articles."""

    url: list[str]
    revision: list[int]
    timestamp: list[str]
    language: list[str]
    categories: list[str]
    links: list[int]
    link_start: list[int]
    link_end: list[int]
    link_target: list[str]

    @classmethod
    def of(cls, articles: Sequence[ParsedArticle]) -> PageColumns:
        links = [link for article in articles for link in article.links]
        return cls(
            [article.url for article in articles],
            [article.revision for article in articles],
            [article.timestamp for article in articles],
            [article.language for article in articles],
            ["\n".join(" ".join(name.split()) for name in article.categories) for article in articles],
            [len(article.links) for article in articles],
            [link.start for link in links],
            [link.end for link in links],
            [link.target for link in links],
        )


class ArticleColumns(NamedTuple):
    """The columns of many articles, and of all their elements: those of the first article, of the second, ...

    *source* numbers the raw articles. Of elements, *tag* holds codes, *parent* a row within the article, *ordinal*
    counts siblings of one tag from 1. *left_out* counts by (kind, template), *calls* and *unread* as
    `ParsedArticle` does, *kinds* the files of each kind of XML, and *repeated* those of no known kind whose roots
    have children of one tag, by tag.
    """

    source: list[int]
    docno: list[str]
    title: list[str]
    text: list[bytes]
    length: list[int]
    elements: Ints
    tag: NDArray[Any]
    parent: NDArray[Any]
    ordinal: NDArray[Any]
    start: NDArray[Any]
    end: NDArray[Any]
    left_out: Mapping[tuple[str, str], int] = MappingProxyType({})
    pages: PageColumns | None = None
    redirects: Sequence[Redirect] = ()
    calls: int = 0
    unread: int = 0
    kinds: Mapping[str, int] = MappingProxyType({})
    repeated: Mapping[str, int] = MappingProxyType({})


class TagNumbers(dict[Any, int]):
    """Numbers for names, in order of appearance: `codes[name]` gives a new name the next number."""

    def __missing__(self, name: object) -> int:
        self[name] = number = len(self)
        return number


def columns(
    source: list[int], articles: Sequence[ParsedArticle], codes: TagNumbers, redirects: Sequence[Redirect] = ()
) -> ArticleColumns:
    """Turn articles into columns; *redirects* come besides those that the articles name."""
    sizes = np.array([len(article.tag) for article in articles], dtype=np.int64)
    tag = _flatten_entries((map(codes.__getitem__, article.tag) for article in articles), int(sizes.sum()))
    parent = _flatten_entries((article.parent for article in articles), len(tag))
    return ArticleColumns(
        source,
        [article.docno for article in articles],
        [article.title for article in articles],
        [article.text.encode() for article in articles],
        [len(article.text) for article in articles],
        sizes,
        tag,
        parent,
        ordinals(tag, parent + np.repeat(np.cumsum(sizes) - sizes, sizes), len(codes)),
        _flatten_entries((article.start for article in articles), len(tag)),
        _flatten_entries((article.end for article in articles), len(tag)),
        sum((article.left_out for article in articles), Counter()),
        PageColumns.of(articles),
        [*redirects, *(Redirect(alias, article.title) for article in articles for alias in article.redirects)],
        sum(article.calls for article in articles),
        sum(article.unread for article in articles),
    )


def _flatten_entries(lists: Iterable[Iterable[int]], count: int) -> Ints:
    return np.fromiter((value for values in lists for value in values), dtype=np.int64, count=count)


def ordinals(tag: Ints, parent: Ints, tags: int) -> NDArray[np.int32]:
    """Number elements among the children of a parent (any code of it) with the same tag, of which there are *tags*."""
    key = (parent + 1) * max(tags, 1) + tag
    order = np.argsort(key, kind="stable")
    number = np.empty(len(key), dtype=np.int32)
    number[order] = positions(key[order]) + 1
    return number


def hash_names(names: Iterable[str]) -> Ints:
    """Return a 64-bit number for each docno or title, the same on every machine."""
    digests = b"".join(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, dtype="<i8").astype(np.int64)


def _require_whole_characters(article: ParsedArticle) -> None:
    """Raise RejectedArticle for half of a surrogate pair, which JSON can name, and which UTF-8 cannot hold."""
    for name, words in (("title", article.title), ("text", article.text)):
        try:
            words.encode()
        except UnicodeEncodeError as error:
            half = f"U+{ord(words[error.start]):04X}"
            raise RejectedArticle(f"its {name} holds half of a character, {half} at {error.start}") from None


def read_each(
    raws: Sequence[RawArticle], codes: TagNumbers, read_article: Callable[[RawArticle], ParsedArticle | Redirect | None]
) -> tuple[ArticleColumns, list[Rejection]]:
    """Return the columns of the articles, and the rejections; *read_article* returns None for unwanted pages."""
    source: list[int] = []
    articles: list[ParsedArticle] = []
    rejected: list[Rejection] = []
    redirects: list[Redirect] = []
    for number, raw in enumerate(raws):
        try:
            if raw.error:
                raise RejectedArticle(raw.error)
            article = raw.redirect or read_article(raw)
            if isinstance(article, Redirect):
                redirects.append(article)
            elif article is not None:
                _require_whole_characters(article)
                articles.append(article)
                source.append(number)
        except RejectedArticle as error:
            rejected.append(raw.reject(error))
    return columns(source, articles, codes, redirects), rejected
