"""A result of `evaluate_retrieved` for the report: its title, and its texts in place of a collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

import pandas as pd

from ..evaluation.rag.result import RetrievedEvaluation


def title_of(result: RetrievedEvaluation, title: str = "Retrieved texts") -> str:
    """Make the title of the page, which says how many of the texts lie in no article."""
    unplaced = int((result.located["start"] < 0).sum())
    if not unplaced:
        return title
    return f"{title} ({unplaced} of {len(result.located)} count as read and not as evidence: not placed)"


class TextStore:
    """Texts without elements, read as a collection is."""

    meta: ClassVar = {"source_format": "text"}

    def __init__(self, texts: Mapping[str, str]):
        self.texts = texts

    def __contains__(self, docno: str) -> bool:
        return docno in self.texts

    def articles(self, docnos: Iterable[str]) -> Iterator[dict[str, str]]:
        """Yield the articles of these docnos; a docno is its own title."""
        return ({"docno": docno, "title": docno, "text": self.texts[docno]} for docno in docnos)

    def elements(self, docno: str) -> pd.DataFrame:
        return pd.DataFrame({name: [] for name in ("path", "tag", "title", "start", "end")})
