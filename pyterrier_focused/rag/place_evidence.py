"""Placing evidence: for each piece the spans of the corpus that it means, or why there are none.

piece                                  finding
d1, start 16, end 31                   [16, 31) of d1, 'given'
d1, quote "Beta is second."            [16, 31) of d1, 'exact'
d1, quote "Alpha is first"             [0, 14) and [32, 46) of d1, 'repeated'
d1, start 0, quote "Beta is second."   [16, 31) of d1, 'contradiction'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from ..collection.corpora import Corpus, CorpusArticle, Texts
from ..errors import FormatError, warn_caller
from ..frames.spans import Span
from .evidence_qrels import Placed, Status
from .evidence_sources import EvidenceSource
from .faults import explain_unknown, guess_mistake, shorten, show_nearest
from .find_texts import FoundText, Place, find_texts
from .formats import Evidence, InParagraphs, describe_suspect
from .fuzzy import fuzzy_matches
from .items import Item
from .locate import Document
from .place import EXACT, Tolerance, find_in_article, find_named_passage, find_named_place
from .text_parts import (
    FoundParts,
    PageBase,
    choose_page_base,
    strip_span,
)

GIVE_DOCUMENTS = "give the documents as corpus="
_OFFSETS = "the offsets "
# The nearest text is looked for so many times at most.
_EXPLAINED = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome for a piece in its article: its spans, how they were found or what is wrong, and a sentence."""

    spans: list[Span]
    status: Status
    detail: str = ""


def place_evidence(
    source: EvidenceSource, corpus: Corpus | None, tolerance: Tolerance, pages_from: PageBase | None = None
) -> tuple[list[Placed], dict[str, CorpusArticle]]:
    """Place every piece of a source, article by article, so that one at a time is made ready.

    Returns the pieces in the order of the source, and the articles that were read.
    """
    qids = number_questions(source)
    pieces = source.evidence
    if corpus is None and not source.articles:
        return [_trust_offsets(piece, qid, source.name) for piece, qid in zip(pieces, qids, strict=True)], {}
    texts = Texts(source.articles if corpus is None else corpus, _names_of_documents(pieces))
    base = choose_page_base((piece.item.parts for piece in pieces), pages_from, source.name)
    placed: dict[int, Placed] = {}
    of_article: dict[str, list[int]] = {}
    anywhere: list[int] = []
    for i, piece in enumerate(pieces):
        article = _find_article(piece, texts)
        by_name = _place_by_name(piece, qids[i], texts)
        if by_name is not None:
            placed[i] = by_name
            continue
        if piece.kind == "none":
            placed[i] = Placed(piece, qids[i], article.docno if article else piece.docno or "", [], "none")
        elif article is not None:
            of_article.setdefault(article.docno, []).append(i)
        elif (piece.docno is None or piece.anywhere) and piece.item.text is not None and piece.context is None:
            anywhere.append(i)
        else:
            reason = explain_unknown(piece, texts)
            placed[i] = Placed(piece, qids[i], piece.docno or "", [], "unknown article", reason)
    unexplained = _EXPLAINED
    for docno, members in of_article.items():
        document = Document(texts.articles[docno].text)
        for i in members:
            _check_beside(pieces[i], document, source.name)
            finding = _place_piece(pieces[i], texts.articles[docno], document, tolerance, base)
            detail = finding.detail
            if finding.status == "missing" and not detail and unexplained > 0:
                unexplained -= 1
                detail = show_nearest(pieces[i].item.text or "", document)
            places = [Place(docno, span) for span in finding.spans]
            placed[i] = Placed(pieces[i], qids[i], docno, places, finding.status, detail)
    for i, entry in zip(anywhere, _place_anywhere(pieces, qids, anywhere, texts, tolerance), strict=True):
        placed[i] = entry
    _tell_what_was_taken(placed.values(), source.name)
    return [placed[i] for i in range(len(pieces))], texts.articles


def _place_by_name(piece: Evidence, qid: str, texts: Texts) -> Placed | None:
    """Place a piece whose document or quote is a string that names a place; None for others."""
    item = piece.item
    is_name = item.start is None and item.parts is None and piece.context is None
    name = piece.docno if piece.kind == "document" else item.text
    if not is_name or name is None or piece.kind not in ("document", "evidence") or piece.paragraphs:
        return None
    passage = find_named_passage(texts, name) if piece.kind == "document" else None
    found = find_named_place(texts, name) if passage is None else (passage[0], FoundParts([passage[1]]))
    if found is None:
        return None
    docno, parts = found
    places = [Place(docno, span) for span in parts.spans if span[1] <= len(texts.articles[docno].text)]
    if not places and not parts.beyond:
        return Placed(piece, qid, docno, [], "outside", f"{name!r} goes beyond it")
    status: Status = "outside" if parts.beyond else "given"
    return Placed(piece._replace(kind="evidence"), qid, docno, places, status, parts.beyond)


def _check_beside(piece: Evidence, document: Document, name: str) -> None:
    for field, text in piece.item.beside if piece.kind == "document" else ():
        if document.places(text):
            raise FormatError(describe_suspect(field), file=name, line=piece.where)


def _tell_what_was_taken(placed: Iterable[Placed], name: str) -> None:
    """Warn of offsets that do not count characters, and of evidence that is whole documents."""
    entries = list(placed)
    for detail in dict.fromkeys(entry.detail for entry in entries if entry.detail.startswith(_OFFSETS)):
        count = sum(entry.detail == detail for entry in entries)
        warn_caller(f"{name}: {detail} in {count} pieces of evidence")
    lengths = [end - start for e in entries if e.piece.kind == "document" for start, end in e.spans]
    if lengths:
        warn_caller(
            f"{name}: {len(lengths)} rows are evidence by whole documents, of {sum(lengths) / len(lengths):,.0f} "
            "characters on average; any character of them is enough"
        )


def _names_of_documents(pieces: Iterable[Evidence]) -> list[str] | None:
    """List the documents that the pieces name; None if a quote must be looked for in all of them."""
    names: dict[str, None] = {}
    for piece in pieces:
        if (piece.docno is None or piece.anywhere) and piece.item.text is not None:
            return None
        names.update(dict.fromkeys(piece.documents))
    return list(names)


def number_questions(source: EvidenceSource) -> list[str]:
    """Return the qid of each piece; questions without one are numbered by their text, and the document asked, if told.

    Raises FormatError if some questions have ids and others none, or if one id has two texts.
    """
    numbers: dict[tuple[str, str | None], str] = {}
    queries: dict[str, str] = {}
    qids = []
    unnamed = next((piece for piece in source.evidence if piece.qid is None), None)
    if unnamed is not None and any(piece.qid is not None for piece in source.evidence):
        raise FormatError("this question has no id, and others have; give all ids or none", file=source.name,
                          line=unnamed.where, text=unnamed.query)  # fmt: skip
    for piece in source.evidence:
        qid = piece.qid
        if qid is None:
            qid = numbers.setdefault((str(piece.query).strip(), piece.over), str(len(numbers) + 1))
        elif piece.query is not None and queries.setdefault(qid, piece.query) != piece.query:
            raise FormatError(
                f"question {qid!r} has two texts, before {queries[qid]!r}; give each question its own id",
                file=source.name, line=piece.where, text=piece.query,
            )  # fmt: skip
        qids.append(qid)
    return qids


def _trust_offsets(piece: Evidence, qid: str, name: str) -> Placed:
    """Take a piece at its word, since there is no corpus in which it could be looked up."""
    item = piece.item
    if piece.kind == "none":
        return Placed(piece, qid, piece.docno or "", [], "none")
    if piece.docno is None:
        raise FormatError("the evidence names no document, and no corpus is given", file=name, line=piece.where)
    if piece.kind == "judged":
        return Placed(piece, qid, piece.docno, [], "judged")
    if item.start is None or piece.context is not None or piece.paragraphs is not None or piece.kind == "article":
        raise FormatError(
            f"the evidence has no offsets in its document; {GIVE_DOCUMENTS} to locate it there",
            file=name, line=piece.where, text=item.text,
        )  # fmt: skip
    end = item.start + len(item.text or "") if item.end is None else item.end
    if not 0 <= item.start < end:
        return Placed(piece, qid, piece.docno, [], "outside", f"[{item.start}, {end}) is not a span of characters")
    return Placed(piece, qid, piece.docno, [Place(piece.docno, (item.start, end))], "given")


def _find_article(piece: Evidence, texts: Texts) -> CorpusArticle | None:
    """Return the article that a piece is about: by its name, or by the paragraph that it counts in."""
    found = map(texts.find_path, piece.documents) if piece.documents else [texts.find(None)]
    article = next((article for article in found if article is not None), None)
    if article is not None or piece.context is None:
        return article
    return texts.holding(piece.context)


def _place_piece(
    piece: Evidence, article: CorpusArticle, document: Document, tolerance: Tolerance, base: PageBase
) -> Finding:
    item = piece.item
    if piece.kind == "judged":
        return Finding([], "judged")
    if piece.kind == "article":
        return Finding([(0, len(article.text))], "article")
    if piece.kind == "document":
        return Finding([strip_span(article.text, (0, len(article.text)))], "article")
    if piece.paragraphs is not None:
        return _place_in_paragraphs(piece.paragraphs, article)
    if piece.context is not None:
        return _place_in_context(piece, article, document, tolerance)
    return _find(item, article, document, base, tolerance)


def _find(
    item: Item, article: CorpusArticle, document: Document, base: PageBase, tolerance: Tolerance = EXACT
) -> Finding:
    spans, status, detail = find_in_article(item, article, document, base, True, tolerance)
    if status == "contradiction" and not detail:
        start = item.start or 0
        end = start + len(item.text or "") if item.end is None else item.end
        detail = f"the text at [{start}, {end}) is {shorten(document.text[start:end])}"
        detail += guess_mistake(start, spans, document.text)
    if status == "fuzzy":
        detail = _describe_likeness(float(detail), document, spans)
    return Finding(spans, status, detail)


def _place_in_context(piece: Evidence, article: CorpusArticle, document: Document, tolerance: Tolerance) -> Finding:
    """Find a piece whose offsets count in a paragraph, which is in the article."""
    item = piece.item
    context = piece.context or ""
    starts = [piece.context_start]
    if not document.text.startswith(context, piece.context_start):
        starts = [start for start, _ in document.places(context)]
    if len(starts) != 1 and piece.context_optional and item.text is not None:
        return _find(Item(item.text), article, document, 1, tolerance)
    if len(starts) != 1:
        spans = [(start, start + len(context)) for start in starts]
        problem = "its paragraph is not in the article just once"
        return Finding(spans, "repeated" if spans else "missing", problem)
    if item.start is None:
        finding = _find(Item(item.text), article, Document(context), 1, tolerance)
        return replace(finding, spans=[(start + starts[0], end + starts[0]) for start, end in finding.spans])
    # A quote beside an optional context is for articles that lack the context
    end = item.end if item.end is not None else item.start + len(item.text or "")
    text = None if piece.context_optional else item.text
    return _find(Item(text, item.start + starts[0], end + starts[0]), article, document, 1, tolerance)


def _place_in_paragraphs(places: InParagraphs, article: CorpusArticle) -> Finding:
    """Find offsets in paragraphs, as KILT counts them; an article without a list of them has its lines."""
    starts = article.paragraphs
    if starts is None:
        lengths = [len(line) + 1 for line in article.text.split("\n")]
        starts = tuple(accumulate(lengths[:-1], initial=0))
    bounds = (*starts, len(article.text))
    if not (0 <= places.first < len(starts) and 0 <= places.last < len(starts)):
        paragraphs = f"paragraphs {places.first} to {places.last}"
        return Finding([], "outside", f"{paragraphs} are not among the article's {len(starts)}")
    start = starts[places.first] + max(places.start, 0)
    end = bounds[places.last + 1] if places.end < 0 else starts[places.last] + places.end
    if not start < end <= len(article.text):
        return Finding([], "outside", f"[{start}, {end}) is not a span of the {len(article.text)} characters")
    return Finding([(start, end)], "given")


def _place_anywhere(
    pieces: list[Evidence], qids: list[str], members: list[int], texts: Texts, tolerance: Tolerance
) -> Iterator[Placed]:
    documents: dict[str, Document] = {}
    quotes = [pieces[i].item.text or "" for i in members]
    for i, found in zip(members, find_texts(quotes, texts.articles.values()), strict=True):
        piece = pieces[i]
        if found.places:
            yield _choose_found(piece, qids[i], found)
        elif tolerance.fuzzy is None:
            detail = f"it names no document, and is in none of {len(texts.docnos)}"
            yield Placed(piece, qids[i], "", [], "missing", detail)
        else:
            documents = documents or {docno: Document(article.text) for docno, article in texts.articles.items()}
            yield _find_alike(piece, qids[i], documents, tolerance.fuzzy)


def _choose_found(piece: Evidence, qid: str, found: FoundText) -> Placed:
    """Take the place of a quote, if it has one; of several the only one that begins at the piece's start."""
    places = found.choose(piece.item.start)
    status: Status = "exact" if found.exact else "tolerant"
    return Placed(piece, qid, places[0].docno, places, status if len(places) == 1 else "repeated")


def _find_alike(piece: Evidence, qid: str, documents: dict[str, Document], fuzzy: float) -> Placed:
    quote = piece.item.text or ""
    matches = [(docno, match) for docno, of in documents.items() for match in fuzzy_matches(of, quote, fuzzy)]
    places = [Place(docno, span) for docno, match in matches for span in match.spans]
    if not matches:
        detail = f"it names no document, and is in none of {len(documents)}"
        return Placed(piece, qid, "", [], "missing", detail)
    if len(matches) > 1:
        return Placed(piece, qid, places[0].docno, places, "repeated")
    docno, match = matches[0]
    return Placed(piece, qid, docno, places, "fuzzy", _describe_likeness(match.ratio, documents[docno], match.spans))


def _describe_likeness(ratio: float, document: Document, spans: list[Span]) -> str:
    text = " ... ".join(document.text[slice(*span)] for span in spans)
    return f"{ratio:.1%} like the text {shorten(text, 200)}"
