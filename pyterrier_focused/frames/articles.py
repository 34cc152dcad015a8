"""What any subpackage may ask of a collection of articles, whoever makes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import pandas as pd

from .spans import Ints

# The elements of an article in document order: arrays by the names `tag`, `parent`, `ordinal`, `start`, `end`.
ElementColumns = dict[str, Any]


class ArticleTexts(Protocol):
    """Articles by docno, with their elements: what pages show of a `Collection`."""

    def __contains__(self, docno: str, /) -> bool: ...

    def articles(self, docnos: Iterable[str], /) -> Iterator[dict[str, str]]: ...

    def elements(self, docno: str, /) -> pd.DataFrame: ...


def keeps_lines(collection: object) -> bool:
    """Tell whether white space in a collection's texts is to be shown: not the layout of the XML of a source."""
    meta = getattr(collection, "meta", {})
    spaces = meta.get("about", {}).get("xml", {}).get("spaces")
    return bool(meta) and (meta.get("source_format") != "inex" or spaces == "even")


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
