"""Passages that other tools named: their ids become passage ids, which tell their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from ...collection import Collection, find_glued_ends
from ...frames.ids import make_ids, parse_ids
from ..transformer import PartsTransformer

Passage = tuple[str, int, int]
_WHITE = re.compile(r"\s+")
_COLUMNS = ["docno", "article", "start", "end"]


class PassageIds(PartsTransformer):
    """Give passages that another tool named the ids of this package: `ARTICLE#START-END`.

    Input: any rows with `docno`. Output: the same rows with their new docnos; a ValueError for a docno that the mapping
    does not know, a place that is not a span of characters, or (of a Collection, if rows have `text`) other words.

    Args:
        mapping: The place of each passage: a DataFrame with the columns docno, article, start, end; a mapping of docnos
            to (article, start, end); or a function of a docno that returns them. Offsets are half-open and count
            characters. `PassageIds.from_sliding` makes it for passages of `pt.text.sliding`. A Collection stands for
            those that `pt.text.sliding` cuts of its articles, 150 words long and 75 apart.

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
            mapping = _Sliding(mapping, 150, 75)
        elif not isinstance(mapping, Mapping) and not callable(mapping):
            raise ValueError(
                f"PassageIds: mapping={mapping!r:.60}; give a DataFrame, a mapping, a function, or a Collection"
            )
        self.mapping: Any = mapping

    @classmethod
    def from_sliding(
        cls, texts: Mapping[str, str] | Collection, length: int | None = 150, stride: int = 75
    ) -> PassageIds:
        """Find the places of the passages that `pt.text.sliding(length=, stride=)` cuts: `DOCNO%p3` in `DOCNO`.

        What was cut may be a part, `ARTICLE#0-4062%p3`, whose article's text is given.

        Args:
            texts: The text of each document, as it was cut (without a title put before it), or the Collection of them.
            length: The number of words of a passage; None, if it is not known, finds the words of each row's `text` in
                the document's.
            stride: The number of words from one passage's start to the next.
        """
        return cls(_Sliding(texts, length, stride))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        by_text = isinstance(self.mapping, _Sliding) and self.mapping.length is None
        pt.validate.columns(inp, includes=["docno", "text"] if by_text else ["docno"])
        passages = inp.drop_duplicates("docno")
        reads_text = isinstance(self.mapping, _Sliding) and "text" in inp.columns
        given = passages[["docno", "text"] if reads_text else ["docno"]].itertuples(index=False, name=None)
        places: dict[str, Passage] = {passage[0]: self._find_place(*passage) for passage in given}
        article = [places[docno][0] for docno in inp["docno"]]
        start, end = (np.array([places[docno][i] for docno in inp["docno"]], dtype=np.int64) for i in (1, 2))
        return inp.assign(docno=pd.Series(make_ids(article, start, end), index=inp.index, dtype=object))

    def _find_place(self, docno: str, *text: str) -> Passage:
        try:
            place = self.mapping(docno, *text) if callable(self.mapping) else self.mapping[docno]
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


class _Sliding:
    """The passages of `pt.text.sliding`: windows of words; a shorter text is one passage."""

    def __init__(self, texts: Mapping[str, str] | Collection, length: int | None, stride: int):
        self._texts = texts
        self.length = length
        self._stride = stride

    def __call__(self, docno: str, passage: str = "") -> Passage:
        name, mark, number = docno.rpartition("%p")
        if not mark or not number.isdecimal():
            raise ValueError(
                f"PassageIds: docno {docno!r} is not a passage of pt.text.sliding, which ends in %p and a number"
            )
        article, offset, text = self._read_text(name)
        if self.length is None:
            start, end = self._find_words(docno, passage, text)
        else:
            is_shown = isinstance(self._texts, Collection) and isinstance(passage, str) and bool(passage)
            find = partial(self._find_shown_window, passage=passage) if is_shown else self._find_window
            start, end = find(docno, int(number), self.length, text)
        return article, offset + start, offset + end

    def _read_text(self, name: str) -> tuple[str, int, str]:
        """Return the article of a cut text (a document or a part), the text's start in it, and the text."""
        if name in self._texts:
            return name, 0, self._load_text(name)
        (article,), (start,), (end,) = parse_ids([name])
        if start < 0 or article not in self._texts:
            raise KeyError(name)
        return article, int(start), self._load_text(article)[start:end]

    def _load_text(self, docno: str) -> str:
        return self._texts.text(docno)[0] if isinstance(self._texts, Collection) else self._texts[docno]

    def _list_window(self, number: int, length: int, words: list[tuple[int, int]]) -> list[tuple[int, int]]:
        first = number * self._stride
        last = min(first + length, len(words)) if len(words) < length else first + length
        return [(start, end) for start, end in words[first:last] if start < end] if last <= len(words) else []

    def _find_window(self, docno: str, number: int, length: int, text: str) -> tuple[int, int]:
        words = _split_at_spaces(text)
        inside = self._list_window(number, length, words)
        if not inside:
            raise ValueError(
                f"PassageIds: docno {docno!r}: the text has {len(words)} words, and no such passage of {length} "
                f"words, {self._stride} apart; were length and stride others?"
            )
        return inside[0][0], inside[-1][1]

    def _find_shown_window(self, docno: str, number: int, length: int, text: str, passage: str) -> tuple[int, int]:
        """Return the place of a window with words of its own: of the text, or of a text loader's version of it."""
        collection = cast(Collection, self._texts)
        article, offset, _ = self._read_text(docno.rpartition("%p")[0])
        (read,) = collection.articles([article])
        given = passage.split()
        for is_shown in (False, True):
            glued = find_glued_ends(collection.element_columns(article), read["text"]) if is_shown else []
            inside = self._list_window(number, length, _split_at_spaces(text, [end - offset for end in glued]))
            words = [text[start:end] for start, end in inside]
            if words and given in (words, [*read["title"].split(), *words]):
                return inside[0][0], inside[-1][1]
        raise ValueError(
            f"PassageIds: docno {docno!r}: its text is not what the collection has there; cut the texts of "
            "text_loader(spaces='keep'), without titles and headings"
        )

    def _find_words(self, docno: str, passage: str, text: str) -> tuple[int, int]:
        """Return the only place of a passage's words in a text, with any white space between them."""
        words = r"\s+".join(map(re.escape, passage.split()))
        places = [match.span() for match in re.finditer(rf"(?<!\S)(?={words}(?!\S))", text)] if words else []
        if len(places) != 1:
            raise ValueError(
                f"PassageIds: docno {docno!r}: its text is in the document's {len(places)} times, not once; "
                "cut without a title before it (prepend_title=False), of text_loader(spaces='keep'), or give length= "
                "and stride="
            )
        start = places[0][0]
        return start, cast("re.Match[str]", re.compile(words).match(text, start)).end()

    def __repr__(self) -> str:
        return f"<pt.text.sliding of {len(self._texts)} texts, length={self.length}, stride={self._stride}>"


def _split_at_spaces(text: str, ends: Iterable[int] = ()) -> list[tuple[int, int]]:
    """Return the spans between white space and *ends*, empty where the text begins or ends with white space."""
    spaces = [match.span() for match in _WHITE.finditer(text)]
    spaces = sorted(spaces + [(end, end) for end in ends if 0 < end < len(text)])
    bounds = [0, *(offset for space in spaces for offset in space), len(text)]
    return list(zip(bounds[::2], bounds[1::2], strict=True))
