"""The places of retrieved texts in the corpus: by id, by offsets that hold, or by their text; never by a guess."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from tqdm.auto import tqdm

from ..collection.corpora import CorpusArticle, Texts
from ..errors import WHOLE_DOCUMENT
from ..frames.spans import Span
from .align import Difference, align_texts, count_outside
from .find_texts import MOST_PLACES, FoundText, Place, find_texts
from .fuzzy import fuzzy_matches
from .items import Fault, Item, advise_columns
from .locate import Document
from .place import find_in_article, find_named_passage, find_named_place
from .text_parts import PageBase, choose_page_base, find_parts
from .views import read_view
from .words import split_words

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
        fuzzy: How alike a text must be that is not found otherwise (extra [fuzzy]); None: it is not looked for.
        pages_from: The number of the first page in a field `page`; None: 1, unless there is a page 0.
    """
    is_telling = any(item.text is None and item.parts is not None for item in items)
    base = choose_page_base((item.parts for item in items), pages_from, "the results", is_telling)
    # A text has one place, with whatever score and in whatever step it is retrieved.
    items = [item._replace(score=None, step=None) for item in items]
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
    """Place numbered lines of a file, if they are there by their numbers; None if it is no such view."""
    view = None if item.text is None or not item.text.strip() else read_view(item.text)
    if view is None:
        return None
    files = [article.docno for file in view.files if (article := texts.find_file(file)) is not None]
    found = []
    for docno in files or named or texts.articles:
        article = texts.articles[docno]
        spans = find_parts(article, view.parts, 1).spans
        if spans and split_words(article.text[slice(*spans[0])]).words == split_words(view.text).words:
            found.append(Place(docno, spans[0]))
    return PlacedItem("given", [found], around=[view.around]) if len(found) == 1 else None


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
