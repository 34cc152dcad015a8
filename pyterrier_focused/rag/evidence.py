"""Evidence for questions, as spans of documents: the qrels of retrieval for RAG, read from many shapes.

Quoted evidence is located in its document. What is not there, or there more than once, is reported with its places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from ..collection.corpora import Corpus
from ..errors import SKIP_ERRORS, EvidenceError, check_choice, takes_corpus, warn_caller
from .copies import treat_copies
from .evidence_qrels import OnFault, Placed, Repeated, make_qrels
from .evidence_sources import EvidenceInput, read_evidence
from .faults import summarise_faults, warn_of_unjudged
from .place_evidence import Tolerance, place_evidence
from .text_parts import PageBase

__all__ = ["EvidenceInput", "OnFault", "Repeated", "locate_spans", "read_spans"]


@takes_corpus
def read_spans(
    source: EvidenceInput,
    corpus: Corpus | None = None,
    *,
    repeated: Repeated = "report",
    errors: OnFault = "raise",
    fuzzy: float | None = None,
    nearest: int | None = None,
    columns: Mapping[str, str] | None = None,
    pages_from: PageBase | None = None,
    whole: bool = False,
) -> pd.DataFrame:
    """Read evidence as a qrels frame: `qid, docno, label, highlights, bep, length` and the question as `query`.

    The source is a path, a DataFrame or a list of dicts, one of

    - rows (CSV, TSV, JSON lines) with a question (`qid`, `question` ...), a document (`docno`, `doc_id` ...) and
      `start` and `end`, or a quoted text (`quote`, `content`, `text` ...) that is located in the document;
    - such rows with `start_line` and `end_line` (from 1, both included), `page` or `pages` of the document, or the
      document alone; a quote is looked for there first. Of a page or a document by itself any character is enough
      (column `cover`);
    - rows of a question each, with a list of `references`: quotes, [start, end] pairs, or objects with `content`,
      `start_index`, `end_index`;
    - SQuAD's JSON (its paragraphs are the corpus if none is given; see `read_corpus`);
    - KILT's JSON lines, whose provenance counts paragraphs of the knowledge source, which is the corpus;
    - judgments of passages as BEIR's: a folder, or its qrels file beside corpus.jsonl, in which each passage names its
      document and its offsets (or is found there by its text; a passage that names none is a document of its own);
    - a public data set or the test set of an evaluation tool, as listed in the documentation.

    Offsets are half-open and count characters. If a piece has offsets and a quote, the text at the offsets must be the
    quote; a warning tells if that is so in bytes, in UTF-16 units or with the end included. A quote is located exactly,
    and if it is not there, whatever its white space, quotation marks and case; a quote that names no document, in the
    whole corpus.

    Evidence that is enough by itself is an alternative: rows with `alternative`, answers of SQuAD and of annotators of
    Natural Questions, outputs of KILT, copies of a quote with repeated='any'. The column `alternatives` then tells
    beside each highlight which one it belongs to; a topic's value is that of its best alternative.

    Questions without a qid are numbered from 1 by their text (deepeval's goldens by text and document). Spans of a
    question (and alternative) that overlap are merged. Questions without an answer stay, with label 0: see `Abstain`.

    Args:
        corpus: The documents, as for `articles`. Needed to locate quotes and to check offsets.
        repeated: How to treat a quote that is found more than once: 'report' it as an error; take the 'first' place,
            as many tools do in silence; let 'all' its places count; or let 'any' of them be enough. Of five words or
            more that are given by offsets, 'report' warns if they occur again, and 'first' keeps the given place.
        errors: 'raise' an EvidenceError for all the evidence that cannot be placed, or 'skip' it with a warning.
        fuzzy: How alike a text must be to a quote that is not found otherwise, such as 0.95 (extra [fuzzy]). Quotes
            may then be edited: hyphens, accents, a word more, "..." for text left out.
        nearest: How many characters given offsets may be away from their quote, such as 5; the quote's place counts.
        columns: The source's names for our fields (qid, query, docno, start, end, length, quote, references,
            alternative, fact, cluster), if it has others. Questions of one cluster are one draw for gates.
        pages_from: The number of the first page in a field `page`, 0 or 1; by default 1, unless there is a page 0, or
            metadata as LangChain's readers of PDF write them (`total_pages`, `page_label`).
        whole: Take rows without text or place as their whole documents, whatever their other fields are;
            `"whole": true` says so of one row.

    Raises:
        EvidenceError: Evidence cannot be placed; its `problems` lists all of it.
        FormatError: The source cannot be read.

    Example:
        >>> qrels = read_spans([{"question": "who?", "docno": "d", "quote": "Ada"}], {"d": "It was Ada."})
        >>> qrels["highlights"].iloc[0][0]
        {'start': 7, 'end': 10}
    """
    check_choice("repeated", repeated, ("report", "first", "all", "any"))
    check_choice("errors", errors, ("raise", "skip"))
    origin = read_evidence(source, columns, whole)
    findings, articles = place_evidence(origin, corpus, _check_tolerance(fuzzy, nearest), pages_from)
    placed = [_choose_places(entry, repeated) for entry in treat_copies(findings, articles, repeated, origin.name)]
    _tell_of_faults(placed, errors, origin.name)
    good = [entry for entry in placed if entry.good]
    asked = {entry.qid for entry in placed if entry.status != "none"}
    unanswerable = [entry for entry in placed if entry.qid not in asked]
    warn_of_unjudged(placed, [*good, *unanswerable], origin.name)
    lengths = {docno: len(article.text) for docno, article in articles.items()}
    return make_qrels([*good, *unanswerable], placed, lengths)


@takes_corpus
def locate_spans(
    source: EvidenceInput,
    corpus: Corpus | None = None,
    *,
    fuzzy: float | None = None,
    nearest: int | None = None,
    columns: Mapping[str, str] | None = None,
    pages_from: PageBase | None = None,
    whole: bool = False,
) -> pd.DataFrame:
    """List the places of each quote or span of evidence, or why `read_spans` would refuse it, in one row each.

    Status is 'given' (offsets that hold), 'nearest' (offsets that nearly hold), 'exact', 'tolerant' (white space,
    quotation marks or case differ), 'fuzzy' (the detail shows the text and how alike it is), 'article', 'judged', or a
    fault: 'repeated', 'missing', 'unknown article', 'contradiction', 'outside'.

    Options are those of `read_spans`. The columns are `where` (line or row of the source), `qid`, `docno`, `quote`,
    `status`, `places` (a list of (start, end)) and `detail`.

    Example:
        >>> found = locate_spans([{"question": "who?", "docno": "d", "quote": "ada"}], {"d": "It was Ada."})
        >>> found[["status", "places"]].values.tolist()
        [['tolerant', [(7, 10)]]]
    """
    origin = read_evidence(source, columns, whole)
    placed, _ = place_evidence(origin, corpus, _check_tolerance(fuzzy, nearest), pages_from)
    names = ["where", "qid", "docno", "quote", "status", "places", "detail"]
    return pd.DataFrame([_make_record(entry) for entry in placed if entry.piece.kind != "none"], columns=names)


def _tell_of_faults(placed: list[Placed], errors: OnFault, name: str) -> None:
    bad = [entry for entry in placed if not entry.good and entry.status != "none"]
    if not bad:
        return
    message = summarise_faults(bad, sum(entry.piece.kind != "none" for entry in placed))
    if errors == "raise":
        message += f"\n{SKIP_ERRORS} leaves such evidence out"
        raise EvidenceError(message, file=name, problems=[_make_record(entry) for entry in bad])
    warn_caller(f"{name}: left out: {message}")


def _make_record(entry: Placed) -> dict[str, object]:
    piece = entry.piece
    return {
        "where": piece.where, "qid": entry.qid, "docno": entry.docno, "quote": piece.item.text, "status": entry.status,
        "places": entry.spans, "detail": entry.detail,
    }  # fmt: skip


def _check_tolerance(fuzzy: float | None, nearest: int | None) -> Tolerance:
    if fuzzy is not None and not 0.5 <= fuzzy <= 1:
        raise ValueError(f"fuzzy={fuzzy!r}: give how alike a text must be to the quote, from 0.5 to 1, such as 0.95")
    if nearest is not None and (isinstance(nearest, bool) or not isinstance(nearest, int) or nearest < 1):
        raise ValueError(
            f"nearest={nearest!r}: give how many characters offsets may be away from their quote, such as 5"
        )
    return Tolerance(fuzzy, nearest)


def _choose_places(entry: Placed, repeated: Repeated) -> Placed:
    if entry.status != "repeated" or repeated == "report":
        return entry
    if repeated != "first":
        return replace(entry, status=repeated)
    return replace(entry, status=repeated, docno=entry.places[0].docno, places=entry.places[:1])
