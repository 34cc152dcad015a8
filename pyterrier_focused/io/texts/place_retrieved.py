"""Where retrieved texts lie in the corpus: by id, by offsets that hold, or by their text; never by a guess."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tqdm.auto import tqdm

from ...frames.ids import parse_ids
from ...frames.spans import Span
from .corpus import CorpusArticle, Texts
from .find_texts import MOST_PLACES, Place, find_texts
from .locate import Document
from .retrieved import Item

PLACED = ("id", "given", "exact", "tolerant")


class PlacedItem(NamedTuple):
    """What became of a retrieved item.

    status: 'id' or 'given' (its own offsets hold), 'exact' or 'tolerant' (found by its text; white space, quotation
    marks or case differ), or not placed: 'repeated', 'missing', 'outside', 'unknown article', 'blank'.
    """

    status: str
    places: list[Place]
    detail: str = ""
    length: int | None = None  # in characters, where that is not the text's


def place_retrieved(items: Sequence[Item], texts: Texts, verbose: bool = False) -> list[PlacedItem]:
    """Find where each item lies. Items without a known document are looked for in the whole corpus, in one pass.

    *verbose*: show a bar where it takes more than a second.
    """
    unique = list(dict.fromkeys(items))
    placed: dict[Item, PlacedItem] = {}
    of_article: dict[str, list[Item]] = {}
    anywhere: list[Item] = []
    for item in unique:
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
    for docno, members in tqdm(
        of_article.items(), "texts", unit=" articles", delay=1, leave=False, disable=not verbose
    ):
        document = Document(texts.articles[docno].text)
        for item in members:
            placed[item] = _place_in_articles(item, docno, document, texts)
    every = tqdm(texts.articles.values(), "corpus", unit=" articles", delay=1, leave=False, disable=not verbose)
    found = find_texts([item.text or "" for item in anywhere], every if anywhere else [])
    for item, (places, exact) in zip(anywhere, found, strict=True):
        placed[item] = _place_anywhere(item, places, exact)
    return [placed[item] for item in items]


def _place_by_id(item: Item, texts: Texts) -> PlacedItem | None:
    """Place an item by a passage id of a known article; None where it has none, or another text stands there."""
    for name in item.ids:
        head, _, _ = name.rpartition("#")
        if not head or head not in texts.articles:
            continue
        try:
            docno, start, end = (column[0] for column in parse_ids([name]))
        except ValueError:
            continue
        text = texts.articles[head].text
        if not 0 <= start < end:
            continue
        if end > len(text):
            detail = f"[{start}, {end}) is beyond the {len(text)} characters of {head!r}"
            return PlacedItem("outside", [], detail, int(end - start))
        if item.text is None or item.text == name or Document(text).says((start, end), item.text):
            return PlacedItem("id", [Place(str(docno), (int(start), int(end)))])
    return None


def _find_named(item: Item, texts: Texts) -> Iterator[CorpusArticle]:
    """Yield the articles that an item names; the only article there is needs no name."""
    found = [article for name in item.documents if (article := texts.find_path(name)) is not None]
    if not found and len(texts.articles) == 1 and (item.text is not None or not item.documents):
        found = list(texts.articles.values())
    yield from {article.docno: article for article in found}.values()


def _place_in_articles(item: Item, docno: str, document: Document, texts: Texts) -> PlacedItem:
    """Place an item in the first of the articles it names that holds it; *docno*, *document*: the first of them."""
    first = _place_in_article(item, docno, document)
    if first.status != "missing":
        return first
    for article in _find_named(item, texts):
        if article.docno != docno:
            other = _place_in_article(item, article.docno, Document(article.text))
            if other.status != "missing":
                return other
    return first


def _place_in_article(item: Item, docno: str, document: Document) -> PlacedItem:
    """Place an item in its article: where it says, if its text stands there; else where its text stands, once."""
    span = _check_offsets(item, document)
    if span is not None:
        return PlacedItem("given", [Place(docno, span)])
    offsets = "" if item.start is None else f"the text does not stand at [{item.start}, {item.end or '...'})"
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
    """Return the span that an item gives, where its text stands there."""
    if item.start is None:
        return None
    if item.text is None:
        inside = item.end is not None and item.start < item.end <= len(document.text)
        return (item.start, item.end) if inside and item.end is not None else None
    if item.end is not None and item.end <= len(document.text) and document.says((item.start, item.end), item.text):
        return item.start, item.end
    return document.at(item.start, item.text)


def _place_anywhere(item: Item, places: list[Place], exact: bool) -> PlacedItem:
    """Say what became of an item that was looked for in the whole corpus."""
    detail = f"the corpus has no document {item.documents[0]!r}" if item.documents else ""
    if len(places) > 1 and item.start is not None:
        at_start = [place for place in places if place.span[0] == item.start]
        places = at_start if len(at_start) == 1 else places
    if len(places) == 1:
        return PlacedItem("exact" if exact else "tolerant", places, detail)
    return PlacedItem("repeated" if places else "missing", places, detail)


def _explain_unknown(item: Item) -> str:
    if item.documents:
        return f"the corpus has no document {item.documents[0]!r}"
    return "it names no document and has no text" + (f"; {item.ids[0]!r} is not a passage id" if item.ids else "")
