"""Lines and pages by their numbers, as spans of an article: "lines 3 to 5", "page iv", "pages 2 and 3".

A line ends with a line feed, a page with a form feed or where the next page that was given begins; ends belong to both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..collection.corpora import PageBase, PageName, number_page
from ..errors import warn_caller
from ..frames.articles import CorpusArticle
from ..frames.spans import Span
from ..reading.names import NOTEBOOK


class Parts(NamedTuple):
    """The lines (the first and the last, from 1; -1: that of the text) or the pages of an article.

    columns: Where it begins in the first line, and ends in the last (-1: with it), in UTF-16 units from 0.
    """

    lines: Span | None = None
    pages: tuple[PageName, ...] = ()
    columns: Span | None = None


@dataclass(frozen=True)
class FoundParts:
    """The spans of lines or pages in an article, and what is beyond its end."""

    spans: list[Span]
    beyond: str = ""


def choose_page_base(
    parts: Iterable[Parts | None], pages_from: PageBase | None, what: str, is_telling: bool = True
) -> PageBase:
    """Return what a field `page` counts from, and say it once if it decides: 1, unless a page shows that it is 0."""
    if pages_from is not None:
        return pages_from
    pages = (page for of_one in parts if of_one is not None for page in of_one.pages)
    counted = [page for page in pages if page.page is not None]
    base: PageBase = 0 if any(page.from_zero for page in counted) else 1
    if is_telling and any(page.label is None and page.number is None for page in counted):
        warn_caller(f"{what}: 'page' is taken to count from {base}; pages_from= settles it")
    return base


def find_parts(article: CorpusArticle, parts: Parts, base: PageBase) -> FoundParts:
    """Find lines or pages in an article."""
    text = article.text
    pages = article.pages
    if parts.lines is not None and article.docno.lower().endswith(NOTEBOOK):
        return FoundParts([], f"the text of {article.docno} is not its file's, so lines name no place; give a quote")
    if parts.lines is not None:
        return _find_lines(text, *parts.lines, parts.columns)
    bounds = [*(page.start for page in pages), len(text)] if pages else list_bounds(text, "\f")
    many = len(bounds) - 1
    labels = {page.label: i for i, page in enumerate(pages) if page.label is not None}
    numbers = {page.number: i for i, page in enumerate(pages)} or {i + 1: i for i in range(many)}
    spans: list[Span] = []
    lost = []
    for name in parts.pages:
        number = number_page(name, base)
        i = labels.get(name.label) if labels and name.label is not None else None
        i = numbers.get(number) if i is None and number is not None else i
        if i is None:
            lost.append(str(name.label or number))
        elif spans and spans[-1][1] == bounds[i]:
            spans[-1] = (spans[-1][0], bounds[i + 1])
        else:
            spans.append((bounds[i], bounds[i + 1]))
    if not lost:
        return FoundParts(spans)
    return FoundParts(spans, f"it has {many} page{'s' * (many > 1)}, and no page {', '.join(lost)}")


def _find_lines(text: str, first: int, last: int, columns: Span | None) -> FoundParts:
    bounds = list_bounds(text, "\n")
    many = len(bounds) - 1
    last = many if last == -1 else last
    beyond = "" if 1 <= first <= last <= many else f"lines {first} to {last} go beyond its {many} lines"
    if not 1 <= first <= min(last, many):
        return FoundParts([], beyond)
    start = bounds[first - 1]
    end = bounds[min(last, many)]
    if columns is not None:
        begin_of_last = bounds[min(last, many) - 1]
        end = end if columns[1] < 0 else begin_of_last + count_characters(text[begin_of_last:end], columns[1], "utf16")
        start += count_characters(text[start:end], columns[0], "utf16")
    return FoundParts([(start, end)], beyond)


def count_characters(text: str, number: int, unit: str) -> int:
    """Count the characters in so many UTF-8 'bytes' or 'utf16' units of a text, and units beyond it."""
    if unit not in ("bytes", "utf16") or number < 0 or text.isascii():
        return number
    data = text.encode("utf-8" if unit == "bytes" else "utf-16-le", "surrogatepass")
    size = number if unit == "bytes" else 2 * number
    part = data[:size]
    characters = len(part.decode("utf-8", "ignore") if unit == "bytes" else part.decode("utf-16-le", "ignore"))
    return characters + max(0, size - len(data))


def count_offsets(text: str, start: int, end: int | None, unit: str) -> tuple[int, int | None]:
    """Turn a start and an end in a unit into offsets in characters."""
    return count_characters(text, start, unit), None if end is None else count_characters(text, end, unit)


def list_bounds(text: str, mark: str) -> list[int]:
    """List where the lines or pages of a text begin, which end with a mark, and where the last one ends."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    ends = (np.flatnonzero(codes == ord(mark)) + 1).tolist()
    return [0, *ends] if ends and ends[-1] == len(text) else [0, *ends, len(text)]


def strip_span(text: str, span: Span) -> Span:
    """Leave white space out at the ends of a span; a blank one stays as it is."""
    part = text[slice(*span)]
    start = span[0] + len(part) - len(part.lstrip())
    return (start, start + len(part.strip())) if part.strip() else span
