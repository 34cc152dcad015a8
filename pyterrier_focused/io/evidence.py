"""Evidence for questions, as spans of documents: the qrels of retrieval for RAG, read from whatever shape they come in.

Quoted evidence is located in its document. What is not there, or there more than once, is reported with its places.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import spans
from ..errors import EvidenceError, FormatError, check_choice
from ..frames import span_column
from .corpus import CorpusArticle, Texts
from .evidence_formats import Evidence, EvidenceSource, read_evidence
from .locate import Document

if TYPE_CHECKING:
    import pandas as pd

Span = tuple[int, int]
GOOD = ("given", "exact", "tolerant", "article", "judged", "first", "all")


class Placed(NamedTuple):
    """A piece of evidence and what became of it: its article, its spans, how they were found or why not."""

    piece: Evidence
    qid: str
    docno: str
    places: list[Span]
    status: str
    detail: str = ""
    length: int = -1  # of the article, where it is known

    @property
    def good(self) -> bool:
        return self.status in GOOD


def read_spans(
    source: Any,
    corpus: Any = None,
    *,
    repeated: str = "report",
    errors: str = "raise",
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

    A quote is located exactly, and where it is not there, whatever its white space, quotation marks and case.
    *repeated*: what becomes of a quote that is found more than once: 'report' it as an error; take the 'first' place,
    as many tools do in silence; or let 'all' its places count. *errors*: 'raise' an EvidenceError for all the evidence
    that cannot be placed, or 'skip' it with a warning. *columns* maps our names (qid, query, docno, start, end, length,
    quote, references) to the source's own, where it has others.

    Questions without a qid are numbered from 1 by their text. Spans of a question that overlap are merged. Questions
    without any evidence are not judged, and named in a warning.
    """
    check_choice("repeated", repeated, ("report", "first", "all"))
    check_choice("errors", errors, ("raise", "skip"))
    origin = read_evidence(source, columns)
    placed = [_choose(entry, repeated) for entry in _placed(origin, corpus)]
    bad = [entry for entry in placed if not entry.good and entry.status != "none"]
    if bad:
        message = _summary(bad, sum(entry.piece.kind != "none" for entry in placed))
        if errors == "raise":
            message += "\nerrors='skip' leaves such evidence out"
            raise EvidenceError(message, file=origin.name, problems=[_record(entry) for entry in bad])
        warnings.warn(f"{origin.name}: left out: {message}", stacklevel=2)
    good = [entry for entry in placed if entry.good]
    _tell_unjudged(placed, good, origin.name)
    return _qrels(good)


def locate_spans(source: Any, corpus: Any = None, *, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Tell where each piece of evidence stands, and what keeps `read_spans` from taking it: one row a piece.

    Columns: `where` (line or row of the source), `qid`, `docno`, `quote`, `status`, `places` (list of (start, end)) and
    `detail`. Status is 'given' (offsets that hold), 'exact', 'tolerant' (white space, quotation marks or case differ),
    'article', 'judged', or a fault: 'repeated', 'missing', 'unknown article', 'contradiction', 'outside'. Parameters as
    of `read_spans`.
    """
    import pandas as pd

    placed = _placed(read_evidence(source, columns), corpus)
    names = ["where", "qid", "docno", "quote", "status", "places", "detail"]
    return pd.DataFrame([_record(entry) for entry in placed if entry.piece.kind != "none"], columns=names)


def _record(entry: Placed) -> dict[str, Any]:
    piece = entry.piece
    return {
        "where": piece.where, "qid": entry.qid, "docno": entry.docno, "quote": piece.quote, "status": entry.status,
        "places": entry.places, "detail": entry.detail,
    }  # fmt: skip


def _choose(entry: Placed, repeated: str) -> Placed:
    if entry.status != "repeated" or repeated == "report":
        return entry
    return entry._replace(status=repeated, places=entry.places if repeated == "all" else entry.places[:1])


def _placed(origin: EvidenceSource, corpus: Any) -> list[Placed]:
    """Place every piece, article by article, so that one article at a time is made ready for searching."""
    qids = _question_ids(origin)
    if corpus is None and not origin.own:
        return [_unchecked(piece, qid, origin.name) for piece, qid in zip(origin.evidence, qids, strict=True)]
    texts = Texts(origin.own if corpus is None else corpus, (piece.docno for piece in origin.evidence if piece.docno))
    article = [_article(piece, texts) for piece in origin.evidence]
    placed: list[Placed | None] = [None] * len(article)
    groups: dict[str, list[int]] = {}
    for i, (piece, qid, found) in enumerate(zip(origin.evidence, qids, article, strict=True)):
        if piece.kind == "none":
            placed[i] = Placed(piece, qid, piece.docno or "", [], "none")
        elif found is None:
            placed[i] = Placed(piece, qid, piece.docno or "", [], "unknown article", _unknown(piece, texts))
        else:
            groups.setdefault(found.docno, []).append(i)
    for members in groups.values():
        found = article[members[0]]
        if found is not None:
            document = Document(found.text)
            for i in members:
                places, status, detail = _place(origin.evidence[i], found, document)
                placed[i] = Placed(
                    origin.evidence[i], qids[i], found.docno, places, status, detail, length=len(found.text)
                )
    return [entry for entry in placed if entry is not None]


def _question_ids(origin: EvidenceSource) -> list[str]:
    """The qid of each piece; questions without one are numbered by their text."""
    numbers: dict[str, str] = {}
    queries: dict[str, str] = {}
    qids = []
    unnamed = [piece for piece in origin.evidence if piece.qid is None]
    if unnamed and len(unnamed) < len(origin.evidence):
        raise FormatError("this question has no id, and others have; give all ids or none", file=origin.name,
                          line=unnamed[0].where, text=unnamed[0].query)  # fmt: skip
    for piece in origin.evidence:
        qid = piece.qid
        if qid is None:
            qid = numbers.setdefault(str(piece.query).strip(), str(len(numbers) + 1))
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
        return Placed(piece, qid, "", [], "none")
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
        return Placed(piece, qid, piece.docno, [], "outside", f"[{piece.start}, {end}) is no span of characters")
    return Placed(piece, qid, piece.docno, [(piece.start, end)], "given")


def _article(piece: Evidence, texts: Texts) -> CorpusArticle | None:
    """The article a piece is about: by its name, or by the paragraph that it counts in."""
    found = texts.find(piece.docno)
    if found is not None or piece.context is None:
        return found
    return texts.holding(piece.context)


def _unknown(piece: Evidence, texts: Texts) -> str:
    if piece.docno is None:
        return f"it names no document, and the corpus has {len(texts.docnos)}; name it"
    like = texts.like(piece.docno)
    known = f"did you mean {', '.join(like)}?" if like else f"it has {', '.join(sorted(texts.docnos)[:3])} ..."
    return f"the corpus has no article {piece.docno!r}; {known}"


def _place(piece: Evidence, article: CorpusArticle, document: Document) -> tuple[list[Span], str, str]:
    """Find a piece in its article: (its places, status, what is wrong)."""
    text = article.text
    if piece.kind == "judged":
        return [], "judged", ""
    if piece.kind == "article":
        return [(0, len(text))], "article", ""
    if piece.paragraphs is not None:
        return _in_paragraphs(piece.paragraphs, article)
    shift = 0
    if piece.context is not None:
        contexts = [piece.context_start] if text.startswith(piece.context, piece.context_start) else []
        contexts = contexts or [place[0] for place in document.places(piece.context)]
        if len(contexts) != 1:
            places = [(at, at + len(piece.context)) for at in contexts]
            return places, "repeated" if places else "missing", "its paragraph is not in the article just once"
        shift = contexts[0]
    if piece.start is None:
        return _by_quote(piece.quote or "", document)
    start = piece.start + shift
    end = start + len(piece.quote or "") if piece.end is None else piece.end + shift
    if not 0 <= start < end <= len(text):
        places = document.places(piece.quote) if piece.quote else []
        return places, "outside", f"[{start}, {end}) is no span of the {len(text)} characters"
    if piece.quote is None or document.says((start, end), piece.quote):
        return [(start, end)], "given", ""
    places = document.places(piece.quote)
    if piece.end is None and any(place[0] == start for place in places):
        return [place for place in places if place[0] == start], "given", ""
    hint = _hint(start, end, places, text)
    return places, "contradiction", f"the text at [{start}, {end}) is {_short(text[start:end])}{hint}"


def _by_quote(quote: str, document: Document) -> tuple[list[Span], str, str]:
    places = document.places(quote)
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
        return [], "outside", f"[{begin}, {stop}) is no span of the {len(article.text)} characters"
    return [(begin, stop)], "given", ""


def _hint(start: int, end: int, places: list[Span], text: str) -> str:
    if (start, end + 1) in places:
        return "; with the next character it is the quote: give the end behind its last character"
    for at, last in places:
        before = len(text[:at].encode("utf-8", "surrogatepass"))
        if before == start and at != start:
            return f"; the quote is at [{at}, {last}), byte {before}: count characters, not bytes"
    return ""


def _summary(bad: list[Placed], total: int) -> str:
    """Say what cannot be placed and why, the first few in full."""
    counts: dict[str, int] = {}
    for entry in bad:
        counts[entry.status] = counts.get(entry.status, 0) + 1
    kinds = ", ".join(f"{count} {_WORDS[status]}" for status, count in counts.items())
    lines = [f"{len(bad)} of {total} pieces of evidence cannot be placed ({kinds}):"]
    for entry in bad[:5]:
        quote = f": {_short(entry.piece.quote)}" if entry.piece.quote else ""
        lines.append(
            f"  {entry.piece.where}, question {entry.qid!r}, article {entry.docno!r}: {_WORDS[entry.status]}"
            f"{_at(entry.places)}{quote}" + (f" ({entry.detail})" if entry.detail else "")
        )
    if len(bad) > 5:
        lines.append(f"  and {len(bad) - 5} more, which locate_spans() lists")
    if counts.get("repeated"):
        lines.append("give start and end or a longer quote, or choose repeated='first' or repeated='all'")
    return "\n".join(lines)


_WORDS = {
    "repeated": "found more than once", "missing": "not found", "unknown article": "in an unknown article",
    "contradiction": "with offsets that are not those of the quote", "outside": "outside the article",
}  # fmt: skip


def _at(places: list[Span]) -> str:
    if not places:
        return ""
    shown = ", ".join(f"[{start}, {end})" for start, end in places[:5])
    return f", at {shown}" + (f" and {len(places) - 5} more places" if len(places) > 5 else "")


def _short(text: str, width: int = 70) -> str:
    return repr(text if len(text) <= width else text[: width - 3] + "...")


def _tell_unjudged(placed: list[Placed], good: list[Placed], name: str) -> None:
    judged = {entry.qid for entry in good}
    lost = [qid for qid in dict.fromkeys(entry.qid for entry in placed) if qid not in judged]
    if lost:
        names = ", ".join(map(repr, lost[:5])) + (" ..." if len(lost) > 5 else "")
        warnings.warn(f"{name}: {len(lost)} questions have no evidence and are not judged: {names}", stacklevel=3)


def _qrels(placed: list[Placed]) -> pd.DataFrame:
    """Make the qrels frame: a row a question and article, overlapping spans merged."""
    import pandas as pd

    questions = {qid: i for i, qid in enumerate(dict.fromkeys(entry.qid for entry in placed))}
    pairs = sorted({(entry.qid, entry.docno): None for entry in placed}, key=lambda pair: questions[pair[0]])
    row_of = {pair: row for row, pair in enumerate(pairs)}
    flat = [(row_of[entry.qid, entry.docno], *span) for entry in placed for span in entry.places]
    row, start, end = spans.union(*np.array(flat, dtype=np.int64).reshape(-1, 3).T, touching=False)
    marked = np.bincount(row, minlength=len(pairs)) > 0
    first = np.full(len(pairs), -1, dtype=np.int64)
    first[row[::-1]] = start[::-1]
    query = {entry.qid: entry.piece.query for entry in reversed(placed) if entry.piece.query is not None}
    length = {(entry.qid, entry.docno): entry.length for entry in placed}
    frame = pd.DataFrame(
        {
            "qid": pd.Series([qid for qid, _ in pairs], dtype=object),
            "docno": pd.Series([docno for _, docno in pairs], dtype=object),
            "label": marked.astype(np.int64),
        }
    )
    frame["highlights"] = span_column(row, len(pairs), start, end)
    frame["bep"] = first
    frame["length"] = np.array([length[pair] for pair in pairs], dtype=np.int64)
    if query:
        frame["query"] = pd.Series([query.get(qid) for qid, _ in pairs], dtype=object)
    return frame
