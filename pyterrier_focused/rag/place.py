"""Where a text is in its document: one rule for evidence, retrieved texts and citations.

1. Lines, pages or offsets without a text are its place, if the document has them.
2. Offsets at which the text is: in characters, else bytes or UTF-16 units, the end included or not.
3. The places of the text; of several those in its context, its lines or pages.
4. Evidence must not contradict itself (*strict*); a retrieved text is where it is, whatever its offsets say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple
from urllib.parse import unquote

from ..collection.corpora import LINES_OF, PageBase, Texts
from ..frames.articles import CorpusArticle
from ..frames.spans import Span
from ..reading.values import parse_passage_id
from .fuzzy import fuzzy_matches
from .items import Item
from .locate import Context, Document
from .text_parts import FoundParts, Parts, count_characters, find_parts, strip_span

Status = Literal["given", "nearest", "exact", "tolerant", "fuzzy", "repeated", "missing", "outside", "contradiction"]
_UNITS = {"characters": "", "bytes": "bytes of UTF-8", "utf16": "units of UTF-16"}


class Tolerance(NamedTuple):
    """How evidence may be wrong and still be placed.

    *fuzzy*: how alike a text must be to a quote that is not found otherwise; *nearest*: how many characters given
    offsets may be away from their quote. None: not at all.
    """

    fuzzy: float | None = None
    nearest: int | None = None


EXACT = Tolerance()


class Found(NamedTuple):
    """The spans of a text in its document, how they were found or what is wrong, and a sentence."""

    spans: list[Span]
    status: Status
    detail: str = ""


def find_in_article(
    item: Item,
    article: CorpusArticle,
    document: Document,
    base: PageBase,
    strict: bool,
    tolerance: Tolerance = EXACT,
) -> Found:
    text = document.text
    parts = FoundParts([]) if item.parts is None else find_parts(article, item.parts, base)
    if item.text is None and item.start is None:
        loose = strict and item.parts is not None and bool(item.parts.pages)
        spans = [strip_span(text, span) for span in parts.spans] if loose else parts.spans
        return Found(spans, "outside" if not spans or (strict and parts.beyond) else "given", parts.beyond)
    fits = dict(_list_fits(item, article, document, strict))
    beyond = _describe_outside(item, text, strict)
    if item.text is None:
        return Found([*fits][:1], "given") if fits else Found([], "outside", beyond)
    spans = [document.with_ends(item.text, span) for span in document.places_within(item.text, item.context)]
    if item.is_first_copy and len(spans) > 1 and spans[0] in fits:
        fits = {}
    elif fits and (len(fits) == 1 or not strict):
        span, detail = next(iter(fits.items()))
        return Found([span], "given", detail)
    elif fits:
        return Found([*fits], "contradiction", "its offsets fit at two places, in two units")
    inside = [span for span in spans if any(first <= span[0] and span[1] <= last for first, last in parts.spans)]
    spans = inside if len(inside) == 1 else spans
    is_wrong = item.start is not None and not (item.is_first_copy and len(spans) > 1)
    if strict and is_wrong:
        near = sorted(spans, key=lambda span: abs(span[0] - (item.start or 0)))[:1]
        if near and not beyond and abs(near[0][0] - (item.start or 0)) <= (tolerance.nearest or -1):
            return Found(
                near, "nearest", f"the quote is {abs(near[0][0] - (item.start or 0))} characters from its offsets"
            )
        return Found(spans, "outside" if beyond else "contradiction", beyond)
    detail = f"the text is not at [{item.start}, {item.end or '...'})" if is_wrong else ""
    if not spans and tolerance.fuzzy is not None:
        matches = fuzzy_matches(document, item.text, tolerance.fuzzy)
        if len(matches) == 1:
            return Found(matches[0].spans, "fuzzy", str(matches[0].ratio))
        spans = [match.spans[0] for match in matches]
    if len(spans) == 1:
        return Found(spans, "exact" if text[slice(*spans[0])] == item.text else "tolerant", detail)
    if spans and item.is_first_copy and item.start is not None:
        detail = "its offsets are those of the first copy, whichever is meant"
    return Found(spans, "repeated" if spans else "missing", detail)


def _list_fits(item: Item, article: CorpusArticle, document: Document, strict: bool) -> Iterator[tuple[Span, str]]:
    """Yield the spans at which an item's offsets fit its text, or any if it has none, and what they count."""
    text, start, end, quote = document.text, item.start, item.end, item.text
    if start is None or start < 0:
        return
    units = _UNITS if quote is not None and item.unit == "characters" else {item.unit: ""}
    found: list[Span] = []
    for unit, what in units.items():
        first = count_characters(text, start, unit)
        for more in (0, 1):
            last = first + len(quote or "") if end is None else count_characters(text, end + more, unit)
            is_there = first < last <= len(text) and (quote is None or text[first:last] == quote)
            if is_there and (quote is not None or (more == 0 and end is not None)) and (first, last) not in found:
                found.append((first, last))
                yield (
                    found[-1],
                    f"the offsets count {what or 'characters'}" * bool(what or more) + " and include the end" * more,
                )
        if found and (text.isascii() or quote is None or text.count(quote) == 1):
            return
    if found or quote is None:
        return
    last = count_characters(text, end, item.unit) if end is not None else -1
    first = count_characters(text, start, item.unit)
    if first < last <= len(text) and document.says((first, last), quote):
        yield (first, last), ""
    elif (end is None or not strict) and (span := document.at(first, quote)) is not None:
        yield span, ""
    elif article.has_mark and text.startswith(quote, start - 1):
        yield (start - 1, start - 1 + len(quote)), "the offsets count the byte order mark of the file"


def _describe_outside(item: Item, text: str, strict: bool) -> str:
    """Say that an item's offsets are no span of the text; "" if they are."""
    start = item.start
    end = (start or 0) + len(item.text or "") if item.end is None else item.end
    if start is None or 0 <= start < end <= len(text):
        return ""
    if strict:
        return f"start {start}, end {end} is not a span of the {len(text)} characters"
    return f"[{item.start}, {item.end}) is not a span of {len(text)} characters"


def find_named_passage(texts: Texts, name: str) -> tuple[str, Span] | None:
    """Return the known article and the span that a passage id names; None if it names none."""
    try:
        passage = parse_passage_id(name)
    except ValueError:
        # The offsets are beyond 64 bits.
        return None
    if passage is None or passage[0] not in texts.articles or passage[1][0] == passage[1][1]:
        return None
    return passage


def find_named_place(texts: Texts, name: str) -> tuple[str, FoundParts] | None:
    """Return the article and spans of a string such as `m.py:2-5`, `m.py#L2-L5` or `page#:~:text=Cats%20sleep`."""
    path, _, fragment = name.partition("#:~:")
    lines = None if fragment or name in texts.articles else LINES_OF.fullmatch(name)
    article = texts.find_path(lines["path"] if lines else path) if lines or fragment else None
    if article is None:
        return None
    if lines is not None:
        first = int(lines["first"])
        return article.docno, find_parts(article, Parts((first, int(lines["last"] or first))), 1)
    quotes = map(_read_fragment, re.findall(r"(?:^|&)text=([^&]*)", fragment))
    document = Document(article.text)
    spans = [span for quote, context in quotes for span in document.places_within(quote, context)[:1]]
    return article.docno, FoundParts(spans, "" if spans else f"it does not hold {fragment!r:.80}")


def _read_fragment(directive: str) -> tuple[str, Context]:
    """Read a text directive, `[prefix-,]start[,end][,-suffix]`: its start and its context."""
    parts = [(unquote(part), part) for part in directive.split(",")]
    prefix = parts.pop(0)[0][:-1] if parts[0][1].endswith("-") else ""
    suffix = parts.pop()[0][1:] if parts and parts[-1][1].startswith("-") else ""
    start, until = (*(text for text, _ in parts), "", "")[:2]
    return start, Context(prefix, suffix, until)
