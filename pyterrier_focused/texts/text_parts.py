"""Lines and pages by their numbers, as spans of an article: "lines 3 to 5", "page iv", "pages 2 and 3".

A line ends with a line feed, a page with a form feed or where the next page that was given begins; ends belong to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ..errors import warn_caller
from ..frames.articles import CorpusArticle, Page
from ..frames.span_cells import is_missing
from ..frames.spans import Span
from ..reading.json import Row
from ..reading.names import NOTEBOOK
from .field_names import whole_or_none

_FIRST_LINE = ("start_line", "startLine", "line_start")
_LAST_LINE = ("end_line", "endLine", "line_end")
PART_FIELDS = (*_FIRST_LINE, *_LAST_LINE, "pages", "page_label", "page_number", "page", "total_pages", "category")
# What the page numbers of a field `page` begin with.
PageBase = Literal[0, 1]


class PageName(NamedTuple):
    """How a page is named: its label; its number from 1; its `page`, which may count from 0, as `from_zero` knows.

    `is_element` tells that it names one of the elements of a page, not all of it.
    """

    label: str | None = None
    number: int | None = None
    page: int | None = None
    from_zero: bool = False
    is_element: bool = False


class Parts(NamedTuple):
    """The lines (the first and the last, from 1) or the pages of an article that something is in."""

    lines: Span | None = None
    pages: tuple[PageName, ...] = ()


@dataclass(frozen=True)
class FoundParts:
    """The spans of lines or pages in an article, and what is beyond its end."""

    spans: list[Span]
    beyond: str = ""


def read_parts(sources: Iterable[Row]) -> Parts | None:
    """Read the lines or pages that fields name, the outermost fields first; None if they name none."""
    sources = list(sources)
    first = _find_number(sources, _FIRST_LINE)
    last = _find_number(sources, _LAST_LINE)
    if first is not None:
        return Parts(lines=(first, first if last is None else last))
    pages = next((fields["pages"] for fields in sources if not is_missing(fields.get("pages"))), None)
    if isinstance(pages, Sequence) and not isinstance(pages, str):
        names = tuple(_name_page(str(page), {}) for page in pages)
        return Parts(pages=names) if names else None
    found = read_page(sources)
    return None if found is None else Parts(pages=(found,))


def read_page(sources: Iterable[Row]) -> PageName | None:
    """Read the page that fields name; None if they name none."""
    for fields in sources:
        named = {
            name: fields[name] for name in ("page_label", "page_number", "page") if not is_missing(fields.get(name))
        }
        if named:
            label = named.get("page_label")
            number = whole_or_none(named.get("page_number"))
            name = _name_page(named.get("page"), fields)
            label = name.label if label is None else str(label)
            return name._replace(label=label, number=number, is_element="category" in fields)
    return None


def _name_page(page: object, fields: Row) -> PageName:
    number = whole_or_none(page)
    if number is None:
        return PageName(label=None if page is None else str(page))
    # Readers of LangChain's kind count from 0, and say so by what else they tell.
    return PageName(page=number, from_zero=number == 0 or "total_pages" in fields or "page_label" in fields)


def _find_number(sources: Iterable[Row], names: Iterable[str]) -> int | None:
    values = (whole_or_none(fields[name]) for fields in sources for name in names if name in fields)
    return next((value for value in values if value is not None), None)


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


def number_page(page: PageName, base: PageBase) -> int | None:
    """Return the number of a page from 1, if its name tells."""
    if page.number is not None:
        return page.number
    if page.page is not None:
        return page.page + 1 - base
    return whole_or_none(page.label)


def find_parts(article: CorpusArticle, parts: Parts, base: PageBase) -> FoundParts:
    """Find lines or pages in an article.

    Example:
        >>> find_parts(CorpusArticle("a", "one\\ntwo\\nthree"), Parts(lines=(2, 9)), 1)
        FoundParts(spans=[(4, 13)], beyond='lines 2 to 9 go beyond its 3 lines')
    """
    text = article.text
    pages = article.pages
    if parts.lines is not None and article.docno.lower().endswith(NOTEBOOK):
        return FoundParts([], f"the text of {article.docno} is not its file's, so lines name no place; give a quote")
    if parts.lines is not None:
        return _find_lines(text, *parts.lines)
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


def _find_lines(text: str, first: int, last: int) -> FoundParts:
    bounds = list_bounds(text, "\n")
    many = len(bounds) - 1
    beyond = "" if 1 <= first <= last <= many else f"lines {first} to {last} go beyond its {many} lines"
    if not 1 <= first <= min(last, many):
        return FoundParts([], beyond)
    return FoundParts([(bounds[first - 1], bounds[min(last, many)])], beyond)


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


def join_pages(texts: Sequence[str], names: Sequence[PageName]) -> tuple[str, tuple[Page, ...]]:
    """Join the texts of pages to that of an article, an empty line apart unless they end with a form feed.

    Pieces of one page follow each other.
    """
    base: PageBase = 0 if any(name.from_zero for name in names) else 1
    text = ""
    pages: list[Page] = []
    last: PageName | None = None
    for i, (part, name) in enumerate(zip(texts, names, strict=True)):
        if text and not text.endswith("\f"):
            text += "\n\n"
        if name != last:
            number = number_page(name, base)
            pages.append(Page(len(text), name.label, i + 1 if number is None else number))
        text += part
        last = name
    return text, tuple(pages)
