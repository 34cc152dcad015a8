"""Where an item is in the documents, their lines and pages: one rule for evidence, retrieved texts and citations.

1. Lines, pages or offsets without a text are its place, if the document has them.
2. Offsets at which the text is: in characters, else bytes or UTF-16 units, the end included or not.
3. The places of the text; of several those in its context, its lines or pages.
4. Evidence must not contradict itself (*strict*); a retrieved text is where it is, whatever its offsets say.

A line ends with a line feed, a page with a form feed or where the next page that was given begins; ends belong to both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar
from urllib.parse import unquote

import numpy as np
from tqdm.auto import tqdm

from ..collection.corpora import LINES_OF, CorpusArticle, PageBase, Texts, number_page
from ..errors import WHOLE_DOCUMENT, warn_caller
from ..frames.spans import Span
from ..reading.names import NOTEBOOK
from ..reading.values import parse_passage_id
from .align import Difference, align_texts, count_outside
from .find_texts import MOST_PLACES, FoundText, Place, find_texts
from .fuzzy import fuzzy_matches
from .items import Fault, Item, Parts, advise_columns
from .locate import Context, Document
from .views import NumberedLines, View, list_views, strip_view
from .words import split_words


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


def find_numbered(numbered: NumberedLines, text: str) -> list[tuple[int, int]]:
    """Return the spans of the lines in an article, if the words of all of them are there; else none."""
    longest = max((word for line in numbered.lines for word in line.split()), key=len, default="")
    if not longest or longest not in text:
        return []
    bounds = list_bounds(text, "\n")
    # Some tools number the empty line after the last line feed, too.
    bounds.append(bounds[-1])
    if numbered.numbers[0] < 1 or numbered.numbers[-1] >= len(bounds):
        return []
    spans: list[tuple[int, int]] = []
    for number, line in zip(numbered.numbers, numbered.lines, strict=True):
        start = bounds[number - 1]
        end = bounds[number]
        own = text[start:end]
        if own.split() != line.split() and split_words(own).marked != split_words(line).marked:
            return []
        if spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


Status = Literal["given", "exact", "tolerant", "fuzzy", "repeated", "missing", "outside", "contradiction"]
_UNITS = {"characters": "", "bytes": "bytes of UTF-8", "utf16": "units of UTF-16"}


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
    fuzzy: float | None = None,
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
    if fits and (len(fits) == 1 or not strict):
        span, detail = next(iter(fits.items()))
        return Found([span], "given", detail)
    if fits:
        return Found([*fits], "contradiction", "its offsets fit at two places, in two units")
    inside = [span for span in spans if any(first <= span[0] and span[1] <= last for first, last in parts.spans)]
    spans = inside if len(inside) == 1 else spans
    is_wrong = item.start is not None
    if strict and is_wrong:
        return Found(spans, "outside" if beyond else "contradiction", beyond)
    detail = f"the text is not at [{item.start}, {item.end or '...'})" if is_wrong else ""
    if not spans and fuzzy is not None:
        matches = fuzzy_matches(document, item.text, fuzzy)
        if len(matches) == 1:
            return Found(matches[0].spans, "fuzzy", str(matches[0].ratio))
        spans = [match.spans[0] for match in matches]
    if len(spans) == 1:
        return Found(spans, "exact" if text[slice(*spans[0])] == item.text else "tolerant", detail)
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


T = TypeVar("T")

ItemStatus = Literal[
    "id", "given", "exact", "tolerant", "rewritten", "fuzzy",
    "repeated", "missing", "outside", "unknown article", "blank",
]  # fmt: skip
PLACED = ("id", "given", "exact", "tolerant", "rewritten", "fuzzy")
_NOTHING = "it has neither a text nor offsets"
# A longer text at given offsets must hold so many letters of the text there.
_LEAST_INSIDE = 16


@dataclass(frozen=True)
class PlacedItem:
    """The outcome of placing a retrieved item.

    status: 'id' or 'given' (its own offsets hold), 'exact' or 'tolerant' (found by its text; white space, quotation
    marks or case differ), 'rewritten' (found by the runs of words that it shares with articles), 'fuzzy' (found as
    alike as was asked for), or not placed: 'repeated', 'missing', 'outside', 'unknown article', 'blank'.

    `places` are the runs of the text in its order, a list for each place if it is 'repeated'; `around` counts for each
    list the characters of the text that are not in it, such as a title. `share` of its words are in the first list.
    `lacking` are parts of the articles that the text leaves out, adds words to or replaces. `elsewhere`: none of
    the documents that it names holds it. `length` is given in characters if it is not the text's.
    """

    status: ItemStatus
    places: list[list[Place]]
    detail: str = ""
    length: int | None = None
    share: float = 1.0
    around: Sequence[int] = ()
    lacking: Sequence[Difference] = ()
    elsewhere: bool = False
    whole: bool = False


def place_retrieved(
    items: Sequence[Item],
    texts: Texts,
    verbose: bool = False,
    fuzzy: float | None = None,
    pages_from: PageBase | None = None,
) -> list[PlacedItem]:
    """Find the place of each item.

    Texts that are not in the documents that they name are looked for in the whole corpus. Texts that are nowhere as
    they are may have been rewritten: they are aligned by their words with all articles.

    Args:
        fuzzy: How alike a text must be that is not found otherwise; None: it is not looked for.
        pages_from: The number of the first page in a field `page`; None: 1, unless there is a page 0.
    """
    is_telling = any(item.text is None and item.parts is not None for item in items)
    base = choose_page_base((item.parts for item in items), pages_from, "the results", is_telling)
    # A text has one place, with whatever score it is retrieved.
    items = [item._replace(score=None) for item in items]
    placed: dict[Item, PlacedItem] = {}
    of_article: dict[str, list[Item]] = {}
    anywhere: list[Item] = []
    named: dict[Item, list[str]] = {}
    for item in dict.fromkeys(items):
        by_id = _place_by_id(item, texts)
        if by_id is not None:
            placed[item] = by_id
            continue
        if item.text is not None and not item.text.strip():
            placed[item] = PlacedItem("blank", [], "it holds nothing but white space", 0)
            continue
        if item.fault is not None and not item.has_place:
            placed[item] = _refuse(item.fault)
            continue
        named[item] = _find_named(item, texts)
        by_lines = _place_view(item, named[item], texts)
        if by_lines is not None:
            placed[item] = by_lines
        elif named[item]:
            of_article.setdefault(named[item][0], []).append(item)
        elif item.text is not None:
            anywhere.append(item)
        else:
            placed[item] = PlacedItem("unknown article", [], _explain_unknown(item))
    for docno, members in _show_progress(of_article.items(), "texts", verbose):
        document = Document(texts.articles[docno].text)
        for item in members:
            placed[item] = _place_in_article(item, texts.articles[docno], document, base)
            for other in named[item][1:]:
                if placed[item].status == "missing":
                    article = texts.articles[other]
                    placed[item] = _place_in_article(item, article, Document(article.text), base)
            if placed[item].status == "missing" and len(named[item]) < len(texts.articles):
                anywhere.append(item)
    if anywhere:
        quotes = [item.text or "" for item in anywhere]
        articles = _show_progress(texts.articles.values(), "corpus", verbose)
        for item, found in zip(anywhere, find_texts(quotes, articles), strict=True):
            placed[item] = _place_anywhere(item, found, bool(named[item]))
    missing = [item for item in placed if placed[item].status == "missing"]
    if missing:
        placed |= _place_stripped(missing, texts, fuzzy)
        missing = [item for item in missing if placed[item].status == "missing"]
        placed |= _place_rewritten(missing, named, texts, verbose)
    if fuzzy is not None:
        placed |= _place_alike([item for item in missing if placed[item].status == "missing"], named, texts, fuzzy)
    return [placed[item] for item in items]


def _show_progress(things: Collection[T], name: str, verbose: bool) -> Iterable[T]:
    progress: Iterable[T] = tqdm(things, name, unit=" articles", delay=1, leave=False, disable=not verbose)
    return progress


def _place_rewritten(
    items: Sequence[Item], named: Mapping[Item, list[str]], texts: Texts, verbose: bool
) -> dict[Item, PlacedItem]:
    """Place items by the runs of words that their texts share with articles; drop those without an anchor."""
    articles = {docno: article.text for docno, article in texts.articles.items()}
    docnos = _show_progress(articles, "rewritten texts", verbose)
    alignments = align_texts([item.text or "" for item in items], [named[item] for item in items], articles, docnos)
    placed = {}
    for item, found in zip(items, alignments, strict=True):
        if found is None:
            continue
        is_elsewhere = bool(named[item]) and all(place.docno not in named[item] for place in found.places[0])
        placed[item] = PlacedItem(
            "rewritten" if len(found.places) == 1 else "repeated",
            found.places,
            f"{found.share:.0%} of its words are there",
            share=found.share,
            around=found.around,
            lacking=found.lacking,
            elsewhere=is_elsewhere,
        )
    return placed


def _place_alike(
    items: Sequence[Item], named: Mapping[Item, list[str]], texts: Texts, least: float
) -> dict[Item, PlacedItem]:
    """Place items by the passages most like their texts; drop those without one that is alike enough."""
    documents: dict[str, Document] = {}
    placed = {}
    for item in items:
        text = item.text or ""
        matches: list[tuple[Place, float]] = []
        for docno in named[item] or texts.articles:
            document = documents.setdefault(docno, Document(texts.articles[docno].text))
            matches += [(Place(docno, match.spans[0]), match.ratio) for match in fuzzy_matches(document, text, least)]
        if matches:
            ratio = matches[0][1]
            placed[item] = PlacedItem(
                "fuzzy" if len(matches) == 1 else "repeated",
                [[place] for place, _ in matches],
                f"{ratio:.1%} like the text",
                share=ratio,
                around=[max(len(text.strip()) - (place.span[1] - place.span[0]), 0) for place, _ in matches],
            )
    return placed


def _place_by_id(item: Item, texts: Texts) -> PlacedItem | None:
    """Place an item by the name of a passage of a known article; None without one, or if another text is there."""
    # a bare name, as of a chunk that is a document of the corpus
    article = None
    is_name = not item.has_place
    names = item.ids if item.text in item.ids else (*item.documents, *item.ids)
    for name in names if is_name or item.text in item.ids else ():
        place_by_name = find_named_place(texts, name)
        if place_by_name is not None:
            docno, parts = place_by_name
            places = [Place(docno, span) for span in parts.spans]
            return PlacedItem(
                "given" if places else "outside", [places] if places else [], parts.beyond, length=None if places else 0
            )
    if item.text in item.ids or (is_name and not item.documents):
        article = next((found for name in item.ids if (found := texts.find(name))), None)
    elif is_name:
        of_passage = not item.whole and any("#" in name and texts.find(name) is None for name in item.ids)
        documents = () if of_passage else item.documents
        article = next((found for name in documents if (found := texts.find_path(name))), None)
    if article is not None:
        return _take_whole(item, article)
    for name in item.ids:
        place = find_named_passage(texts, name)
        if place is None:
            continue
        docno, (start, end) = place
        text = texts.articles[docno].text
        if end > len(text):
            detail = f"[{start}, {end}) is beyond the {len(text)} characters of {docno!r}"
            return PlacedItem("outside", [], detail, end - start)
        if item.text is None or item.text == name or Document(text).says((start, end), item.text):
            return PlacedItem("id", [[Place(docno, (start, end))]])
    return None


def _take_whole(item: Item, article: CorpusArticle) -> PlacedItem:
    """Place an item at the whole of an article, unless it gives a blank text or place, or one of an unknown name."""
    fields = [name for name, text in item.beside if not text or Document(article.text).places(text)]
    if item.fault is None and not fields:
        return PlacedItem("id", [[Place(article.docno, (0, len(article.text)))]], whole=True)
    if item.fault is not None:
        return _refuse(item.fault)
    advice = f"name it with result_columns={advise_columns(fields[0], 'text')}"
    hint = f", or {WHOLE_DOCUMENT} if all of the document is meant"
    return PlacedItem("blank", [], f"its field {fields[0]!r} may be a text or place: {advice}{hint}", 0)


def _refuse(fault: Fault) -> PlacedItem:
    return PlacedItem("blank" if fault.status == "blank" else "outside", [], fault.detail, 0)


def _find_named(item: Item, texts: Texts) -> list[str]:
    """Return the docnos of the articles that an item names; the only article there is needs no name."""
    named = [article.docno for name in item.documents if (article := texts.find_path(name)) is not None]
    if not named and len(texts.articles) == 1 and (item.text is not None or not item.documents):
        return list(texts.articles)
    return list(dict.fromkeys(named))


def _place_in_article(item: Item, article: CorpusArticle, document: Document, base: PageBase) -> PlacedItem:
    """Place an item in its article: as `find_in_article`, or at its offsets if its text holds the text there."""
    found = find_in_article(item, article, document, base, strict=False)
    places = [[Place(article.docno, span)] for span in found.spans[:MOST_PLACES]]
    if found.status == "missing" and (part := _find_part(item, document)) is not None:
        around = _count_around(item.text, document.text[slice(*part)])
        return PlacedItem("given", [[Place(article.docno, part)]], around=[around])
    if found.status == "given":
        lines = [Place(article.docno, span) for span in found.spans]
        return PlacedItem("given", [lines], found.detail, around=[0] if item.text is not None else ())
    if found.status == "outside":
        length = None if item.start is None else max((item.end or 0) - item.start, 0)
        status: ItemStatus = "outside" if found.detail else "unknown article"
        return PlacedItem(status, [], found.detail or _NOTHING, length)
    return PlacedItem(found.status, places, found.detail)  # type: ignore[arg-type]


def _place_view(item: Item, named: list[str], texts: Texts) -> PlacedItem | None:
    """Place a view of files by the numbers of its lines, if their words are in these lines; None if it is none."""
    if item.text is None:
        return None
    views = list_views(item.text, lambda file: texts.find_file(file) is not None)
    return next((placed for view in views if (placed := _place_lines(view, named, texts)) is not None), None)


def _place_lines(view: View, named: list[str], texts: Texts) -> PlacedItem | None:
    """Place the lines of a view, but for those of files that the corpus does not have; None if there are others."""
    places: list[Place] = []
    lost: list[NumberedLines] = []
    for piece in view.pieces:
        file = None if piece.file is None else texts.find_file(piece.file)
        docnos: Collection[str] = [file.docno] if file else named
        is_telling = piece.file is not None or len(piece.numbers) > 1 or len(piece.lines[0].strip()) >= _LEAST_INSIDE
        if not docnos and is_telling:
            docnos = texts.articles
        found = {docno: spans for docno in docnos if (spans := find_numbered(piece, texts.articles[docno].text))}
        if len(found) == 1:
            places += [Place(docno, span) for docno, spans in found.items() for span in spans]
        elif file is None and piece.file is not None and not found:
            lost.append(piece)
        else:
            return None
    if not places:
        return None
    words, lost_words = (sum(len(line.split()) for piece in of for line in piece.lines) for of in (view.pieces, lost))
    around = view.around + sum(len(line.strip()) for piece in lost for line in piece.lines)
    is_elsewhere = bool(named) and all(place.docno not in named for place in places)
    return PlacedItem("given", [places], share=1 - lost_words / words, around=[around], elsewhere=is_elsewhere)


def _place_stripped(items: Sequence[Item], texts: Texts, fuzzy: float | None) -> dict[Item, PlacedItem]:
    """Place items by their texts, stripped of the lines that tools put around them; drop those without such lines."""
    stripped = {}
    for item in items:
        found = strip_view(item.text or "")
        if found is not None:
            file = None if found[0] is None else texts.find_file(found[0])
            documents = item.documents if file is None else (file.docno, *item.documents)
            stripped[item] = item._replace(text=found[1], documents=documents)
    return dict(zip(stripped, place_retrieved(list(stripped.values()), texts, fuzzy=fuzzy), strict=True))


def _find_part(item: Item, document: Document) -> Span | None:
    """Return the span that an item gives, if its text holds the text there, with a title or the like around it."""
    if item.start is None or item.end is None or not item.start < item.end <= len(document.text):
        return None
    span = (item.start, item.end)
    return span if _holds_part(item.text or "", document.text[slice(*span)]) else None


def _count_around(text: str | None, part: str) -> int:
    """Count the characters of a text before and after a part that it holds by its letters; 0 if it is the part."""
    if text is None or text == part:
        return 0
    words = split_words(text)
    own = split_words(part).words
    first = next((i for i in range(len(words.words)) if words.words[i : i + len(own)] == own), None)
    if first is None or not 0 < len(own) < len(words.words):
        return 0
    return count_outside(text, [(words.spans[first][0], words.spans[first + len(own) - 1][1])])


def _holds_part(text: str, part: str) -> bool:
    """Tell whether a text holds a part, whatever was put before or after it."""
    words = split_words(part)
    return (
        len(words.letters) >= _LEAST_INSIDE and f" {' '.join(words.words)} " in f" {' '.join(split_words(text).words)} "
    )


def _place_anywhere(item: Item, found: FoundText, has_document: bool) -> PlacedItem:
    """Describe the outcome for an item that none of its own documents holds, after a search of the whole corpus."""
    detail = ""
    if item.documents:
        detail = f"it is not in {item.documents[0]!r}" if has_document else _explain_unknown(item)
    places = [[place] for place in found.choose(item.start)]
    if not has_document and len(places) > 1:
        places = [[place] for (place,) in places if place.docno in item.ids] or places
    if len(places) == 1:
        return PlacedItem("exact" if found.exact else "tolerant", places, detail, elsewhere=has_document)
    return PlacedItem("repeated" if places else "missing", places, detail, elsewhere=has_document and bool(places))


def _explain_unknown(item: Item) -> str:
    if item.documents:
        return f"the corpus has no document {item.documents[0]!r}"
    return "it names no document and has no text" + (f"; {item.ids[0]!r} is not a passage id" if item.ids else "")
