"""What any subpackage may ask of a collection of articles, whoever makes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import pandas as pd

from .spans import Ints

# The elements of an article in document order: arrays by the names `tag`, `parent`, `ordinal`, `start`, `end`.
ElementColumns = dict[str, Any]


# Set in the attributes of a frame some of whose texts are a `ShownText`.
HAS_SHOWN_TEXTS = "has_shown_texts"


class ShownText(str):
    """A text for readers, to which spaces, a title or headings were added: offsets count the characters of `own`."""

    own: str

    def __new__(cls, shown: str, own: str) -> ShownText:
        text = super().__new__(cls, shown)
        text.own = own
        return text

    def __reduce__(self) -> tuple[type[ShownText], tuple[str, str]]:
        return ShownText, (str(self), self.own)


def keeps_lines(collection: object) -> bool:
    """Tell whether white space in a collection's texts is to be shown: not the layout of the XML of a source."""
    meta = getattr(collection, "meta", {})
    return bool(meta) and (meta.get("source_format") != "inex" or describe_xml(meta).get("spaces") == "even")


def describe_xml(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a collection's manifest says of its XML: `spaces`, `heading_tags`; {} if it says nothing."""
    # An older collection has the settings of its one profile.
    said: Mapping[str, Any] = meta.get("xml") or meta.get("about", {}).get("xml", {})
    return said


class ArticleCollection(Protocol):
    """What readers and indexes read of a `Collection`; its own docstrings say what each method returns."""

    @property
    def path(self) -> object: ...

    @property
    def meta(self) -> Mapping[str, Any]: ...

    @property
    def heading_tags(self) -> Sequence[str]: ...

    def __contains__(self, docno: object) -> bool: ...

    def articles(self, docnos: str | Iterable[str] | None = None) -> Iterator[dict[str, str]]: ...

    def articles_with_elements(self) -> Iterator[tuple[dict[str, str], ElementColumns]]: ...

    def elements(self, docno: str) -> pd.DataFrame: ...

    def element_columns(self, docno: str) -> ElementColumns: ...

    def lengths(self, docnos: str | Iterable[str] | None = None) -> pd.DataFrame: ...

    def resolve(self, docnos: str | Sequence[str], paths: str | Sequence[str]) -> tuple[Ints, Ints]: ...

    def text(self, ids: str | Iterable[str]) -> list[str]: ...


class Page(NamedTuple):
    """A page of an article: where it begins, its label if it has one, and its number from 1."""

    start: int
    label: str | None
    number: int


class CorpusArticle(NamedTuple):
    """An article: its docno, its text, its other names, and the starts of its paragraphs if it came as a list of them.

    `has_mark` tells whether its file began with a byte order mark, which is not in the text; `title` is for people to
    read, if there is one; `pages` are those that were given.
    """

    docno: str
    text: str
    names: tuple[str, ...] = ()
    paragraphs: tuple[int, ...] | None = None
    has_mark: bool = False
    title: str = ""
    pages: tuple[Page, ...] = ()

    def as_dict(self) -> dict[str, str]:
        """Return docno, title and text, as a collection yields its articles."""
        return {"docno": self.docno, "title": self.title, "text": self.text}
