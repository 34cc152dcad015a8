"""Evidence for questions, as spans of documents: the qrels of retrieval for RAG, read from whatever shape they come in.

Quoted evidence is located in its document. What is not there, or there more than once, is reported with its places.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import EvidenceError, FormatError, check_choice, takes_corpus
from ...frames.spans import Span
from ..texts.corpus import CorpusArticle, Texts
from ..texts.find_texts import Place, find_texts
from ..texts.fuzzy import fuzzy_matches
from ..texts.locate import Document
from .evidence_qrels import Placed, make_qrels
from .faults import hint, nearest, short, summary, tell_unjudged, unknown
from .formats import Evidence
from .sources import EvidenceSource, read_evidence

if TYPE_CHECKING:
    import pandas as pd

_EXPLAINED = 100  # quotes that are not found, for which the nearest text is looked for


@takes_corpus
def read_spans(
    source: Any,
    corpus: Any = None,
    *,
    repeated: str = "report",
    errors: str = "raise",
    fuzzy: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Read evidence as a qrels frame: `qid, docno, label, highlights, bep, length` and the question as `query`.

    *source*: a path, a DataFrame or a list of dicts, one of
    - rows (CSV, TSV, JSON lines) with a question (`qid`, `question` ...), a document (`docno`, `doc_id` ...) and
      `start` and `end`, or a quoted text (`quote`, `content`, `text` ...) that is located in the document;
    - rows of a question each, with a list of `references`: quotes, [start, end] pairs, or objects with `content`,
      `start_index`, `end_index`;
    - SQuAD's JSON (its paragraphs are the corpus where none is given; see `read_corpus`);
    - KILT's JSON lines, whose provenance counts paragraphs of the knowledge source, which is the corpus;
    - judgments of passages as BEIR's: a folder, or its qrels file beside corpus.jsonl, in which each passage names its
      document and its offsets (or is found there by its text; a passage that names none is a document of its own).

    *corpus*: the documents; needed to locate quotes, and to check offsets: see `articles` for its forms. Offsets are
    half-open and count characters. Where a piece has offsets and a quote, the text at the offsets must be the quote.

    A quote is located exactly, and where it is not there, whatever its white space, quotation marks and case; a quote
    that names no document, in the whole corpus. *fuzzy* (extra [fuzzy]), such as 0.95: quotes that are not found so may
    be edited (hyphens, accents, a word more, "..." for text left out): they stand where the text is so much alike.
    *repeated*: what becomes of a quote that is found more than once: 'report' it as an error; take the 'first' place,
    as many tools do in silence; let 'all' its places count; or let 'any' of them be enough. *errors*: 'raise' an
    EvidenceError for all the evidence that cannot be placed, or 'skip' it with a warning. *columns* maps our names
    (qid, query, docno, start, end, length, quote, references, alternative) to the source's own, where it has others.

    Evidence that is enough by itself is an alternative: rows with `alternative`, answers of SQuAD and of annotators of
    Natural Questions, outputs of KILT, copies of a quote with repeated='any'. The column `alternatives` then tells
    beside each highlight which one it belongs to; a topic's value is that of its best alternative.

    Questions without a qid are numbered from 1 by their text and the document that the row names. Spans of a question
    (and alternative) that overlap are merged. Questions without an answer stay, with label 0: see `Abstain`. Questions
    whose evidence was left out are not judged, and named in a warning.
    """
    check_choice("repeated", repeated, ("report", "first", "all", "any"))
    check_choice("errors", errors, ("raise", "skip"))
    origin = read_evidence(source, columns)
    found, lengths = _placed(origin, corpus, _checked(fuzzy))
    placed = [_choose(entry, repeated) for entry in found]
    bad = [entry for entry in placed if not entry.good and entry.status != "none"]
    if bad:
        message = summary(bad, sum(entry.piece.kind != "none" for entry in placed))
        if errors == "raise":
            message += "\nerrors='skip' leaves such evidence out"
            raise EvidenceError(message, file=origin.name, problems=[_record(entry) for entry in bad])
        warnings.warn(f"{origin.name}: left out: {message}", stacklevel=3)
    good = [entry for entry in placed if entry.good]
    asked = {entry.qid for entry in placed if entry.status != "none"}
    unanswerable = [entry for entry in placed if entry.qid not in asked]
    tell_unjudged(placed, [*good, *unanswerable], origin.name)
    return make_qrels([*good, *unanswerable], placed, lengths)


@takes_corpus
def locate_spans(
    source: Any, corpus: Any = None, *, fuzzy: float | None = None, columns: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """List where each quote or span of evidence is found, or why `read_spans` would refuse it, in one row each.

    Columns: `where` (line or row of the source), `qid`, `docno`, `quote`, `status`, `places` (list of (start, end)) and
    `detail`. Status is 'given' (offsets that hold), 'exact', 'tolerant' (white space, quotation marks or case differ),
    'fuzzy' (the detail shows the text and how alike it is), 'article', 'judged', or a fault: 'repeated', 'missing',
    'unknown article', 'contradiction', 'outside'. Parameters are those of `read_spans`.
    """
    import pandas as pd

    placed, _ = _placed(read_evidence(source, columns), corpus, _checked(fuzzy))
    names = ["where", "qid", "docno", "quote", "status", "places", "detail"]
    return pd.DataFrame([_record(entry) for entry in placed if entry.piece.kind != "none"], columns=names)


def _record(entry: Placed) -> dict[str, Any]:
    piece = entry.piece
    return {
        "where": piece.where, "qid": entry.qid, "docno": entry.docno, "quote": piece.quote, "status": entry.status,
        "places": entry.places, "detail": entry.detail,
    }  # fmt: skip


def _checked(fuzzy: float | None) -> float | None:
    if fuzzy is not None and not 0.5 <= fuzzy <= 1:
        raise ValueError(f"fuzzy={fuzzy!r}: give how alike a text must be to the quote, from 0.5 to 1, such as 0.95")
    return fuzzy


def _choose(entry: Placed, repeated: str) -> Placed:
    if entry.status != "repeated" or repeated == "report":
        return entry
    if repeated != "first":
        return entry._replace(status=repeated)
    return entry._replace(status=repeated, docno=entry.where[0].docno, docnos=None, places=entry.places[:1])


def _placed(origin: EvidenceSource, corpus: Any, fuzzy: float | None) -> tuple[list[Placed], dict[str, int]]:
    """Place every piece, article by article, so that one at a time is made ready: (placed, the articles' lengths)."""
    qids = _question_ids(origin)
    if corpus is None and not origin.own:
        return [_unchecked(piece, qid, origin.name) for piece, qid in zip(origin.evidence, qids, strict=True)], {}
    nameless = any((piece.docno is None or piece.anywhere) and piece.quote is not None for piece in origin.evidence)
    named = None if nameless else (piece.docno for piece in origin.evidence if piece.docno)
    texts = Texts(origin.own if corpus is None else corpus, named)
    article = [_article(piece, texts) for piece in origin.evidence]
    placed: list[Placed | None] = [None] * len(article)
    groups: dict[str, list[int]] = {}
    anywhere = []
    for i, (piece, qid, found) in enumerate(zip(origin.evidence, qids, article, strict=True)):
        if piece.kind == "none":
            placed[i] = Placed(piece, qid, found.docno if found else piece.docno or "", [], "none")
        elif found is not None:
            groups.setdefault(found.docno, []).append(i)
        elif (piece.docno is None or piece.anywhere) and piece.quote is not None and piece.context is None:
            anywhere.append(i)
        else:
            placed[i] = Placed(piece, qid, piece.docno or "", [], "unknown article", unknown(piece, texts))
    explained = 0
    for docno, members in groups.items():
        found = texts.articles[docno]
        document = Document(found.text)
        for i in members:
            piece = origin.evidence[i]
            places, status, detail = _place(piece, found, document, fuzzy)
            if status == "missing" and not detail and explained < _EXPLAINED:
                explained += 1
                detail = nearest(piece.quote or "", document)
            placed[i] = Placed(piece, qids[i], docno, places, status, detail)
    for i, found_text in zip(anywhere, _anywhere([origin.evidence[i] for i in anywhere], texts, fuzzy), strict=True):
        places_found, status, detail = found_text
        docnos = [place.docno for place in places_found]
        placed[i] = Placed(
            origin.evidence[i], qids[i], docnos[0] if docnos else "", [place.span for place in places_found], status,
            detail, docnos,
        )  # fmt: skip
    return [entry for entry in placed if entry is not None], {name: len(a.text) for name, a in texts.articles.items()}


def _anywhere(pieces: list[Evidence], texts: Texts, fuzzy: float | None) -> list[tuple[list[Place], str, str]]:
    """Find quotes that name no document: (places, status, detail) of each."""
    answers = []
    documents: list[tuple[str, Document]] = []
    quotes = [piece.quote or "" for piece in pieces]
    for piece, quote, (places, exact) in zip(pieces, quotes, find_texts(quotes, texts.articles.values()), strict=True):
        if len(places) > 1 and piece.start is not None:
            at_start = [place for place in places if place.span[0] == piece.start]
            places = at_start if len(at_start) == 1 else places
        status = "repeated" if len(places) > 1 else "exact" if exact else "tolerant"
        detail = "" if places else f"it names no document, and stands in none of {len(texts.docnos)}"
        if not places and fuzzy is not None:
            documents = documents or [(docno, Document(article.text)) for docno, article in texts.articles.items()]
            found = [(docno, match) for docno, document in documents for match in fuzzy_matches(document, quote, fuzzy)]
            places = [Place(docno, span) for docno, match in found for span in match.spans]
            status = "fuzzy" if len(found) == 1 else "repeated"
            if len(found) == 1:
                detail = _alike(found[0][1].ratio, Document(texts.articles[found[0][0]].text), found[0][1].spans)
        answers.append((places, status if places else "missing", detail))
    return answers


def _alike(ratio: float, document: Document, spans: list[Span]) -> str:
    return f"{ratio:.1%} like the text {short(' ... '.join(document.text[slice(*span)] for span in spans), 200)}"


def _question_ids(origin: EvidenceSource) -> list[str]:
    """The qid of each piece; questions without one are numbered by their text and the document they are asked of."""
    numbers: dict[tuple[str, str | None], str] = {}
    queries: dict[str, str] = {}
    qids = []
    unnamed = [piece for piece in origin.evidence if piece.qid is None]
    if unnamed and len(unnamed) < len(origin.evidence):
        raise FormatError("this question has no id, and others have; give all ids or none", file=origin.name,
                          line=unnamed[0].where, text=unnamed[0].query)  # fmt: skip
    for piece in origin.evidence:
        qid = piece.qid
        if qid is None:
            qid = numbers.setdefault((str(piece.query).strip(), piece.over), str(len(numbers) + 1))
        elif piece.query is not None and queries.setdefault(qid, piece.query) != piece.query:
            raise FormatError(
                f"question {qid!r} has two texts, before {queries[qid]!r}; give each question its own id",
                file=origin.name, line=piece.where, text=piece.query,
            )  # fmt: skip
        qids.append(qid)
    return qids


def _unchecked(piece: Evidence, qid: str, name: str) -> Placed:
    """Take a piece at its word: there is no corpus to look it up in."""
    if piece.kind == "none":
        return Placed(piece, qid, piece.docno or "", [], "none")
    if piece.docno is None:
        raise FormatError("the evidence names no document, and no corpus is given", file=name, line=piece.where)
    if piece.kind == "judged":
        return Placed(piece, qid, piece.docno, [], "judged")
    if piece.start is None or piece.context is not None or piece.paragraphs is not None or piece.kind == "article":
        raise FormatError(
            "the evidence has no offsets in its document; give the documents as corpus= to locate it there",
            file=name, line=piece.where, text=piece.quote,
        )  # fmt: skip
    end = piece.start + len(piece.quote or "") if piece.end is None else piece.end
    if not 0 <= piece.start < end:
        return Placed(piece, qid, piece.docno, [], "outside", f"[{piece.start}, {end}) is not a span of characters")
    return Placed(piece, qid, piece.docno, [(piece.start, end)], "given")


def _article(piece: Evidence, texts: Texts) -> CorpusArticle | None:
    """Return the article a piece is about: by its name, or by the paragraph that it counts in."""
    found = texts.find(None) if piece.docno is None else texts.find_path(piece.docno)
    if found is not None or piece.context is None:
        return found
    return texts.holding(piece.context)


def _place(
    piece: Evidence, article: CorpusArticle, document: Document, fuzzy: float | None
) -> tuple[list[Span], str, str]:
    """Find a piece in its article: (its places, status, what is wrong)."""
    text = article.text
    if piece.kind == "judged":
        return [], "judged", ""
    if piece.kind == "article":
        return [(0, len(text))], "article", ""
    if piece.segment is not None:
        place = (article.segments or {}).get(piece.segment)
        return ([place], "given", "") if place else ([], "outside", f"it has no passage {piece.segment!r}")
    if piece.paragraphs is not None:
        return _in_paragraphs(piece.paragraphs, article)
    shift = 0
    if piece.context is not None:
        contexts = [piece.context_start] if text.startswith(piece.context, piece.context_start) else []
        contexts = contexts or [place[0] for place in document.places(piece.context)]
        if len(contexts) != 1 and piece.context_optional and piece.quote is not None:
            return _by_quote(piece.quote, document, fuzzy)
        if len(contexts) != 1:
            places = [(at, at + len(piece.context)) for at in contexts]
            return places, "repeated" if places else "missing", "its paragraph is not in the article just once"
        shift = contexts[0]
        piece = piece._replace(quote=None) if piece.context_optional else piece  # it is for other texts
    if piece.start is None:
        return _by_quote(piece.quote or "", document, fuzzy)
    start = piece.start + shift
    end = start + len(piece.quote or "") if piece.end is None else piece.end + shift
    if not 0 <= start < end <= len(text):
        places = document.places(piece.quote) if piece.quote else []
        return places, "outside", f"[{start}, {end}) is not a span of the {len(text)} characters"
    if piece.quote is None or document.says((start, end), piece.quote):
        return [(start, end)], "given", ""
    places = document.places(piece.quote)
    if piece.end is None and any(place[0] == start for place in places):
        return [place for place in places if place[0] == start], "given", ""
    told = hint(start, end, places, text)
    return places, "contradiction", f"the text at [{start}, {end}) is {short(text[start:end])}{told}"


def _by_quote(quote: str, document: Document, fuzzy: float | None) -> tuple[list[Span], str, str]:
    places = document.places(quote)
    if not places and fuzzy is not None:
        found = fuzzy_matches(document, quote, fuzzy)
        if len(found) == 1:
            return found[0].spans, "fuzzy", _alike(found[0].ratio, document, found[0].spans)
        places = [match.spans[0] for match in found]
    if len(places) == 1:
        return places, "exact" if document.text[slice(*places[0])] == quote else "tolerant", ""
    return places, "repeated" if places else "missing", ""


def _in_paragraphs(places: tuple[int, int, int, int], article: CorpusArticle) -> tuple[list[Span], str, str]:
    """Find offsets in paragraphs, as KILT counts them; where it has no list of them, its lines are."""
    starts = article.paragraphs
    if starts is None:
        lines = np.array([len(line) + 1 for line in article.text.split("\n")])
        starts = (0, *np.cumsum(lines)[:-1].tolist())
    bounds = (*starts, len(article.text))
    first, start, last, end = places
    if not (0 <= first < len(starts) and 0 <= last < len(starts)):
        return [], "outside", f"paragraphs {first} to {last} are not among the article's {len(starts)}"
    begin = starts[first] + max(start, 0)
    stop = bounds[last + 1] if end < 0 else starts[last] + end
    if not begin < stop <= len(article.text):
        return [], "outside", f"[{begin}, {stop}) is not a span of the {len(article.text)} characters"
    return [(begin, stop)], "given", ""
