"""Passages that other tools named: their ids become passage ids, which tell their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ...collection import Collection
from ...frames.ids import make_ids
from ...io.reading.json import Row
from ..transformer import PartsTransformer

Passage = tuple[str, int, int]
_WHITE = re.compile(r"\s+")
_COLUMNS = ["docno", "article", "start", "end"]


class PassageIds(PartsTransformer):
    """Give passages that another tool named the ids of this package: `ARTICLE#START-END`.

    Input: any rows with `docno`. Output: the same rows with their new docnos; a ValueError for a docno that the mapping
    does not know, or a place that is not a span of characters.

    Args:
        mapping: The place of each passage: a DataFrame with the columns docno, article, start, end; a mapping of docnos
            to (article, start, end); or a function of a docno that returns them. Offsets are half-open and count
            characters. `PassageIds.from_segments` and `PassageIds.from_sliding` make it for two common kinds of
            passages. A Collection stands for the passages that `pt.text.sliding` cuts of its articles, 150 words long
            and 75 apart.

    Example:
        >>> ids = PassageIds({"MED-10-2": ("MED-10", 120, 380)})
        >>> ids(pd.DataFrame({"qid": ["q1"], "docno": ["MED-10-2"]}))["docno"].tolist()
        ['MED-10#120-380']
    """

    def __init__(self, mapping: pd.DataFrame | Mapping[str, Passage] | Callable[[str], Passage] | Collection):
        if isinstance(mapping, pd.DataFrame):
            missing = [name for name in _COLUMNS if name not in mapping.columns]
            if missing:
                raise ValueError(f"PassageIds: the table has no column {missing[0]!r}; it needs {', '.join(_COLUMNS)}")
            columns = [mapping[name].tolist() for name in _COLUMNS]
            mapping = {docno: (article, start, end) for docno, article, start, end in zip(*columns, strict=True)}
        elif isinstance(mapping, Collection):
            mapping = _Sliding(_ArticleTexts(mapping), 150, 75)
        elif not isinstance(mapping, Mapping) and not callable(mapping):
            raise ValueError(
                f"PassageIds: mapping={mapping!r:.60}; give a DataFrame, a mapping, a function, or a Collection"
            )
        self.mapping: Any = mapping

    @classmethod
    def from_segments(cls, segments: Iterable[Row]) -> PassageIds:
        """Read the places of segments as MS MARCO v2.1 has them.

        The article is what is before the last '#' of the docid: `msmarco_v2.1_doc_00_1#3_45` is in
        `msmarco_v2.1_doc_00_1`.

        Args:
            segments: Records with `docid`, `start_char`, `end_char`.

        Example:
            >>> ids = PassageIds.from_segments([{"docid": "doc_1#3_45", "start_char": 120, "end_char": 380}])
            >>> ids(pd.DataFrame({"qid": ["q1"], "docno": ["doc_1#3_45"]}))["docno"].tolist()
            ['doc_1#120-380']
        """
        return cls(
            {
                record["docid"]: (record["docid"].rpartition("#")[0], record["start_char"], record["end_char"])
                for record in segments
            }
        )

    @classmethod
    def from_sliding(cls, texts: Mapping[str, str] | Collection, length: int = 150, stride: int = 75) -> PassageIds:
        """Find the places of the passages that `pt.text.sliding(length=, stride=)` cuts: `DOCNO%p3` in `DOCNO`.

        Args:
            texts: The text of each document, as it was cut (without a title put before it), or the Collection of them.
            length: How many words a passage has.
            stride: How many words further the next one begins.
        """
        return cls(_Sliding(_ArticleTexts(texts) if isinstance(texts, Collection) else texts, length, stride))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Rename the passages."""
        pt.validate.columns(inp, includes=["docno"])
        places: dict[str, Passage] = {docno: self._find_place(docno) for docno in inp["docno"].unique()}
        article = [places[docno][0] for docno in inp["docno"]]
        start, end = (np.array([places[docno][i] for docno in inp["docno"]], dtype=np.int64) for i in (1, 2))
        return inp.assign(docno=pd.Series(make_ids(article, start, end), index=inp.index, dtype=object))

    def _find_place(self, docno: str) -> Passage:
        try:
            place = self.mapping(docno) if callable(self.mapping) else self.mapping[docno]
        except KeyError:
            raise ValueError(f"PassageIds: docno {docno!r} is not in the mapping") from None
        try:
            article, start, end = place
            fits = isinstance(article, str) and int(start) == start and int(end) == end and 0 <= start < end
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise ValueError(
                f"PassageIds: docno {docno!r} is at {place!r}; give (article, start, end) with 0 <= start < end"
            )
        return article, int(start), int(end)


class _ArticleTexts(Mapping[str, str]):
    """The texts of a collection's articles by their docnos."""

    def __init__(self, collection: Collection):
        self._collection = collection

    def __getitem__(self, docno: str) -> str:
        if docno not in self._collection:
            raise KeyError(docno)
        text: str = self._collection.text([docno])[0]
        return text

    def __iter__(self) -> Iterator[str]:
        return iter(self._collection.docnos())

    def __len__(self) -> int:
        return len(self._collection)


class _Sliding:
    """The passages of `pt.text.sliding`: windows of words, if a text has as many, and else the text itself."""

    def __init__(self, texts: Mapping[str, str], length: int, stride: int):
        self._texts = texts
        self._length = length
        self._stride = stride

    def __call__(self, docno: str) -> Passage:
        name, mark, number = docno.rpartition("%p")
        if not mark or not number.isdecimal():
            raise ValueError(
                f"PassageIds: docno {docno!r} is not a passage of pt.text.sliding, which ends in %p and a number"
            )
        if name not in self._texts:
            raise KeyError(name)
        words = _split_at_spaces(self._texts[name])
        first = int(number) * self._stride
        last = min(first + self._length, len(words)) if len(words) < self._length else first + self._length
        inside = [(start, end) for start, end in words[first:last] if start < end]
        if last > len(words) or not inside:
            raise ValueError(
                f"PassageIds: docno {docno!r}: the text has {len(words)} words, and no such passage of {self._length} "
                f"words, {self._stride} apart; were length and stride others?"
            )
        return name, inside[0][0], inside[-1][1]

    def __repr__(self) -> str:
        return f"<pt.text.sliding of {len(self._texts)} texts, length={self._length}, stride={self._stride}>"


def _split_at_spaces(text: str) -> list[tuple[int, int]]:
    """Return what is between white space, empty at an end if the text begins or ends with it."""
    bounds = [0, *(offset for match in _WHITE.finditer(text) for offset in match.span()), len(text)]
    return list(zip(bounds[::2], bounds[1::2], strict=True))
