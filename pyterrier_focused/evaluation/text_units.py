"""Units of text for `unit=` of measures: tokens, lines, pages and documents. They see the text, measures only offsets.

text    a b \\n \\n c d \\n        marks  [0, 2) of line 0, [2, 3) of line 1 (its line end), [3, 5) of line 2
span      [-------)             b to c: lines [0, 3)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from ..collection.corpora import Corpus, Texts
from ..errors import check_choice
from ..frames.spans import Ints

if TYPE_CHECKING:
    from typing_extensions import Self

UnitName = Literal["lines", "pages", "documents"]
Found = TypeVar("Found")
_LINE_END = ord("\n")
_RETURN = ord("\r")
_PAGE_END = ord("\f")
# Whether a character is white space, by its code; all above the last one are not.
_IS_WHITE = np.array([chr(code).isspace() for code in range(0x3002)])


class CountedTexts(ABC, Generic[Found]):
    """A unit and the texts that it counts; units found in a text are kept. *name* stands for it in measures' names."""

    # True if a unit counts once, whatever `overlap` a measure asks for, and text around passages does not count.
    counts_once: bool

    def __init__(self, corpus: Corpus, name: str):
        self.texts = Texts(corpus, None)
        self.name = name
        self._found: dict[str, Found] = {}

    @abstractmethod
    def of(self, corpus: Corpus) -> Self:
        """Return the same unit with other texts."""

    @abstractmethod
    def _find_units(self, docno: str, text: str) -> Found:
        """Find the units in the text of an article, as `_convert` reads them."""

    @abstractmethod
    def _convert(self, found: Found, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Convert spans of one article to half-open ranges of its units."""

    def convert_spans(self, docno: NDArray[np.object_], start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Convert spans, in characters of the article *docno* of each, to half-open ranges of units of that article."""
        first = np.zeros(len(start), dtype=np.int64)
        last = np.zeros(len(start), dtype=np.int64)
        names, code = np.unique(docno.astype(str), return_inverse=True)
        order = np.argsort(code, kind="stable")
        bounds = np.searchsorted(code[order], np.arange(len(names) + 1))
        for i, name in enumerate(names.tolist()):
            rows = order[bounds[i] : bounds[i + 1]]
            first[rows], last[rows] = self._convert(self._find_in(name), start[rows], end[rows])
        return first, last

    def _find_in(self, docno: str) -> Found:
        if docno not in self._found:
            article = self.texts.find(docno)
            if article is None:
                raise ValueError(f"{self!r}: the corpus has no article {docno!r}, so its units cannot be counted")
            self._found[docno] = self._find_units(docno, article.text)
        return self._found[docno]

    def _take_over(self, other: Self) -> Self:
        """Keep what *other* found in texts that are the same here."""
        for docno, found in other._found.items():
            theirs = other.texts.find(docno)
            mine = self.texts.find(docno)
            if mine is not None and theirs is not None and mine.text == theirs.text:
                self._found[docno] = found
        return self


@dataclass(frozen=True, eq=False, repr=False)
class _Marks:
    """The runs of characters by which units count, in order, and the unit of each; a unit without any has no number."""

    start: Ints
    end: Ints
    unit: Ints


class TextUnits(CountedTexts[_Marks]):
    """Count sizes and budgets of measures in lines, pages or documents: `CharR(unit=TextUnits(corpus, "lines"))`.

    A unit counts if one of its characters that is no white space lies in a span, a blank line if its line end does. A
    span is then a range of units, and spans are united: a unit counts once, whatever `overlap`, also where two passages
    share it. Text `around` passages is in no unit.

    Args:
        name: 'lines' end with a line feed, 'pages' with a form feed; a document is a unit by itself.
        starts: The starts of units that the text does not show, by article, such as pages that were given one by one.

    Example:
        >>> TextUnits({"a": "one\\ntwo\\n"}, "lines").convert_spans(np.array(["a"]), np.array([2]), np.array([5]))
        (array([0]), array([2]))
    """

    counts_once = True

    def __init__(self, corpus: Corpus, name: UnitName, starts: Mapping[str, Sequence[int]] | None = None):
        check_choice("TextUnits: name", name, get_args(UnitName))
        super().__init__(corpus, name)
        self._kind = name
        self.starts = dict(starts or {})

    def __repr__(self) -> str:
        return repr(self.name)

    def of(self, corpus: Corpus) -> TextUnits:
        return TextUnits(corpus, self._kind, self.starts)._take_over(self)

    def _find_units(self, docno: str, text: str) -> _Marks:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        found = self.starts.get(docno) or self._find_starts(codes)
        starts = np.array(sorted({0, *(start for start in found if start < len(codes))}), dtype=np.int64)
        filled = ~_IS_WHITE[np.minimum(codes, len(_IS_WHITE) - 1)]
        unit = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(codes)))
        if self.name == "lines":
            ends = codes == _LINE_END
            ends[:-1] |= (codes[:-1] == _RETURN) & ends[1:]
            is_blank = np.bincount(unit, filled, minlength=len(starts)) == 0
            filled |= ends & is_blank[unit]
        marked = np.flatnonzero(filled)
        opens = np.flatnonzero((np.diff(marked, prepend=-2) > 1) | (np.diff(unit[marked], prepend=-1) > 0))
        number = np.unique(unit[marked[opens]], return_inverse=True)[1].reshape(-1)
        closes = np.append(opens[1:], len(marked)) - 1
        return _Marks(marked[opens], marked[closes[: len(opens)]] + 1, number)

    def _find_starts(self, codes: NDArray[np.uint32]) -> list[int]:
        if self.name == "documents":
            return []
        starts: list[int] = (np.flatnonzero(codes == (_LINE_END if self.name == "lines" else _PAGE_END)) + 1).tolist()
        return starts

    def _convert(self, found: _Marks, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        first = np.searchsorted(found.end, start, side="right")
        behind = np.searchsorted(found.start, end)
        holds = (first < behind) & (start < end)
        first = first[holds]
        last = behind[holds] - 1
        units = np.zeros((2, len(start)), dtype=np.int64)
        units[:, holds] = found.unit[first], found.unit[last] + 1
        return units[0], units[1]
