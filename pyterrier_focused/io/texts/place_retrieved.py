"""The places of retrieved texts in the corpus: by id, by offsets that hold, or by their text; never by a guess."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from tqdm.auto import tqdm

from ...frames.spans import Span
from .align import align_texts, count_around
from .corpus import CorpusArticle, Texts
from .find_texts import MOST_PLACES, FoundText, Place, find_texts
from .fuzzy import fuzzy_matches
from .items import Item
from .locate import Document, fold_letters

T = TypeVar("T")

ItemStatus = Literal[
    "id", "given", "exact", "tolerant", "rewritten", "fuzzy",
    "repeated", "missing", "outside", "unknown article", "blank",
]  # fmt: skip
PLACED = ("id", "given", "exact", "tolerant", "rewritten", "fuzzy")
# A longer text at given offsets must hold so many letters of the text there.
_LEAST_INSIDE = 16


@dataclass(frozen=True)
class PlacedItem:
    """What became of a retrieved item.

    status: 'id' or 'given' (its own offsets hold), 'exact' or 'tolerant' (found by its text; white space, quotation
    marks or case differ), 'rewritten' (found by its letters, or by most of them), 'fuzzy' (found as alike as was asked
    for), or not placed: 'repeated', 'missing', 'outside', 'unknown article', 'blank'.

    `length` is given in characters if it is not the text's; `share` of the text's letters are at the place. `around`
    counts for each place the characters of the text that are not there, such as a title before it; empty for none.
    """

    status: ItemStatus
    places: list[Place]
    detail: str = ""
    length: int | None = None
    share: float = 1.0
    around: Sequence[int] = ()

    def count_around(self, place: Place) -> int:
        """Count the characters of the text that are not at a place."""
        return dict(zip(self.places, self.around, strict=False)).get(place, 0)


def place_retrieved(
    items: Sequence[Item], texts: Texts, verbose: bool = False, fuzzy: float | None = None
) -> list[PlacedItem]:
    """Find the place of each item. Items without a known document are looked for in the whole corpus, in one pass.

    Texts that are nowhere as they are may have been rewritten: their letters are looked for in the documents that they
    name, or in all.

    Args:
        items: What was retrieved.
        texts: The corpus.
        verbose: Show a bar if it takes more than a second.
        fuzzy: How alike a text must be that is not found otherwise (extra [fuzzy]); None: it is not looked for.
    """
    # A text has one place, with whatever scores it is retrieved.
    items = [item._replace(score=None) for item in items]
    placed: dict[Item, PlacedItem] = {}
    of_article: dict[str, list[Item]] = {}
    anywhere: list[Item] = []
    for item in dict.fromkeys(items):
        by_id = _place_by_id(item, texts)
        if by_id is not None:
            placed[item] = by_id
        elif item.text is not None and not item.text.strip():
            placed[item] = PlacedItem("blank", [], "it holds nothing but white space")
        elif (article := next(_find_named(item, texts), None)) is not None:
            of_article.setdefault(article.docno, []).append(item)
        elif item.text is not None:
            anywhere.append(item)
        else:
            placed[item] = PlacedItem("unknown article", [], _explain_unknown(item))
    for docno, members in _show_progress(of_article.items(), "texts", verbose):
        document = Document(texts.articles[docno].text)
        for item in members:
            placed[item] = _place_in_articles(item, docno, document, texts)
        missing = [item for item in members if placed[item].status == "missing"]
        placed |= _place_rewritten(missing, [(docno, document)], fuzzy)
    if anywhere:
        quotes = [item.text or "" for item in anywhere]
        articles = _show_progress(texts.articles.values(), "corpus", verbose)
        for item, found in zip(anywhere, find_texts(quotes, articles), strict=True):
            placed[item] = _place_anywhere(item, found)
    missing = [item for item in anywhere if placed[item].status == "missing"]
    if missing:
        articles = _show_progress(texts.articles.values(), "rewritten texts", verbose)
        documents = ((article.docno, Document(article.text)) for article in articles)
        placed |= _place_rewritten(missing, documents if fuzzy is None else list(documents), fuzzy)
    return [placed[item] for item in items]


def _show_progress(things: Collection[T], name: str, verbose: bool) -> Iterable[T]:
    progress: Iterable[T] = tqdm(things, name, unit=" articles", delay=1, leave=False, disable=not verbose)
    return progress


def _place_rewritten(
    items: Sequence[Item], documents: Iterable[tuple[str, Document]], fuzzy: float | None
) -> dict[Item, PlacedItem]:
    """Place items by the letters of their texts; those that share too little with the documents are left out."""
    placed: dict[Item, PlacedItem] = {}
    if not items:
        return placed
    for item, alignment in zip(items, align_texts([item.text or "" for item in items], documents), strict=True):
        if alignment is not None:
            status: ItemStatus = "rewritten" if alignment.is_sure else "repeated"
            detail = f"{alignment.share:.0%} of its letters are there"
            places = alignment.places[:MOST_PLACES]
            placed[item] = PlacedItem(status, places, detail, share=alignment.share, around=alignment.around)
        elif fuzzy is not None and (alike := _find_alike(item.text or "", documents, fuzzy)) is not None:
            placed[item] = alike
    return placed


def _find_alike(text: str, documents: Iterable[tuple[str, Document]], least: float) -> PlacedItem | None:
    """Place a text by the passage that is most like it; None if none is as alike as *least*."""
    matches = [
        (Place(docno, match.spans[0]), match.ratio)
        for docno, document in documents
        for match in fuzzy_matches(document, text, least)
    ]
    if not matches:
        return None
    places = [place for place, _ in matches]
    status: ItemStatus = "fuzzy" if len(places) == 1 else "repeated"
    around = [max(len(text.strip()) - (place.span[1] - place.span[0]), 0) for place in places]
    return PlacedItem(status, places, f"{matches[0][1]:.1%} like the text", share=matches[0][1], around=around)


def _place_by_id(item: Item, texts: Texts) -> PlacedItem | None:
    """Place an item by the name of a passage of a known article; None without one, or if another text is there."""
    # a bare name, as of a chunk that is a document of the corpus
    article = None
    if item.text in item.ids:
        article = texts.find(item.text)
    elif item.text is None and item.start is None and (not item.documents or set(item.ids) <= set(item.documents)):
        # of a passage of a document the name holds a #
        found = (texts.find(name) if "#" in name else texts.find_path(name) for name in (*item.ids, *item.documents))
        article = next(filter(None, found), None)
    if article is not None:
        return PlacedItem("id", [Place(article.docno, (0, len(article.text)))])
    for name in item.ids:
        place = texts.find_passage(name)
        if place is None:
            continue
        docno, (start, end) = place
        text = texts.articles[docno].text
        if end > len(text):
            detail = f"[{start}, {end}) is beyond the {len(text)} characters of {docno!r}"
            return PlacedItem("outside", [], detail, end - start)
        if item.text is None or item.text == name or Document(text).says((start, end), item.text):
            return PlacedItem("id", [Place(docno, (start, end))])
    return None


def _find_named(item: Item, texts: Texts) -> Iterator[CorpusArticle]:
    """Yield the articles that an item names; the only article there is needs no name."""
    named = [article for name in item.documents if (article := texts.find_path(name)) is not None]
    if not named and len(texts.articles) == 1 and (item.text is not None or not item.documents):
        named = list(texts.articles.values())
    yield from {article.docno: article for article in named}.values()


def _place_in_articles(item: Item, docno: str, document: Document, texts: Texts) -> PlacedItem:
    """Place an item in the first of the articles it names that holds it; *docno*, *document*: the first of them."""
    placed = _place_in_article(item, docno, document)
    if placed.status != "missing":
        return placed
    for article in _find_named(item, texts):
        if article.docno != docno:
            other = _place_in_article(item, article.docno, Document(article.text))
            if other.status != "missing":
                return other
    return placed


def _place_in_article(item: Item, docno: str, document: Document) -> PlacedItem:
    """Place an item in its article: at its own offsets, if its text is there; else at the only place of its text."""
    span = _check_offsets(item, document)
    if span is not None:
        return PlacedItem("given", [Place(docno, span)], around=[_count_around(item.text, document.text[slice(*span)])])
    offsets = "" if item.start is None else f"the text is not at [{item.start}, {item.end or '...'})"
    if item.text is None:
        if item.start is None:
            return PlacedItem("unknown article", [], "it has neither a text nor offsets")
        return PlacedItem("outside", [], f"[{item.start}, {item.end}) is not a span of {len(document.text)} characters")
    spans = [document.with_ends(item.text, span) for span in document.places(item.text)]
    places = [Place(docno, span) for span in spans[:MOST_PLACES]]
    if len(spans) == 1:
        exact = document.text[slice(*spans[0])] == item.text
        return PlacedItem("exact" if exact else "tolerant", places, offsets)
    return PlacedItem("repeated" if spans else "missing", places, offsets)


def _check_offsets(item: Item, document: Document) -> Span | None:
    """Return the span that an item gives, if its text is there."""
    if item.start is None:
        return None
    if item.text is None:
        inside = item.end is not None and item.start < item.end <= len(document.text)
        return (item.start, item.end) if inside and item.end is not None else None
    if item.end is not None and item.start < item.end <= len(document.text):
        span = (item.start, item.end)
        if document.says(span, item.text) or _holds_part(item.text, document.text[slice(*span)]):
            return span
    return document.at(item.start, item.text)


def _count_around(text: str | None, part: str) -> int:
    """Count the characters of a text before and after a part that it holds by its letters; 0 if it is the part."""
    if text is None or text == part:
        return 0
    letters = fold_letters(part)
    inside = fold_letters(text)
    first = inside.find(letters)
    if first < 0 or not 0 < len(letters) < len(inside):
        return 0
    return count_around(text, (first, first + len(letters)))


def _holds_part(text: str, part: str) -> bool:
    """Tell whether a text holds a part, whatever was put before or after it."""
    letters = fold_letters(part)
    return len(letters) >= _LEAST_INSIDE and letters in fold_letters(text)


def _place_anywhere(item: Item, found: FoundText) -> PlacedItem:
    """Say what became of an item that was looked for in the whole corpus."""
    detail = f"the corpus has no document {item.documents[0]!r}" if item.documents else ""
    places = found.choose(item.start)
    if len(places) == 1:
        return PlacedItem("exact" if found.exact else "tolerant", places, detail)
    return PlacedItem("repeated" if places else "missing", places, detail)


def _explain_unknown(item: Item) -> str:
    if item.documents:
        return f"the corpus has no document {item.documents[0]!r}"
    return "it names no document and has no text" + (f"; {item.ids[0]!r} is not a passage id" if item.ids else "")
