"""Judgments that outlive their text: each highlight is found again in another version of its document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from ..collection.corpora import Corpus, CorpusArticle, Texts, articles, open_corpus
from ..errors import EvidenceError, check_choice, takes_corpus, warn_caller
from ..frames.checks import check_qrels
from ..frames.columns import flatten, span_column
from ..frames.span_attributes import ALTERNATIVES, COVER
from ..frames.spans import Span
from ..frames.text_ids import TEXT_ID, check_text, find_text_id
from .move_spans import FoldedText, TextMove, measure_likeness

# Columns with a value beside each highlight.
_BESIDE = (ALTERNATIVES.name, COVER.name, "facts", "fact_weights", "aspects")
_COLUMNS = ["qid", "docno", "start", "end", "status", "share", "new_docno", "spans", "detail"]
# A document without its name is one that has at least this share of its text; others that have nearly as much fit, too.
_LEAST_LIKENESS = 0.5
_NEARLY = 0.1

Status = Literal["moved", "partly", "lost"]


@dataclass(frozen=True, eq=False)
class MovedQrels:
    """What `move_qrels` returns.

    Args:
        qrels: The qrels for the new texts.
        table: A row for each old highlight: qid, docno, start, end, status, share, new_docno, spans (where it is now),
            detail.
    """

    qrels: pd.DataFrame
    table: pd.DataFrame


@dataclass(frozen=True)
class _Highlight:
    row: int
    qid: str
    docno: str
    span: Span

    def __str__(self) -> str:
        return f"topic {self.qid!r}, document {self.docno!r}: the highlight [{self.span[0]}, {self.span[1]})"


@dataclass(frozen=True)
class _Moved:
    """A highlight, and where it is now."""

    old: _Highlight
    spans: list[Span]
    share: float
    new_docno: str | None
    detail: str

    @property
    def status(self) -> Status:
        if not self.spans:
            return "lost"
        return "moved" if self.share == 1 else "partly"


@takes_corpus
def move_qrels(
    qrels: pd.DataFrame, old: Corpus, new: Corpus, *, errors: str = "raise", verbose: bool = True
) -> MovedQrels:
    """Carry judgments to another text of their documents, which was parsed again, cleaned, edited or renamed.

    A highlight is `moved` if all of its characters are found, white space aside, `partly` if some are, else `lost`.
    The text around it chooses among copies. Text put into it splits it; text taken out leaves the rest, but for runs
    of fewer than 3 words or 16 letters that are next to no other. A document whose name is gone is found by its text.
    `length`, `bep` (if its place is gone, the first moved character) and what stands beside highlights move too. Rows
    without highlights stay if their document does.

    Args:
        qrels: A qrels frame; evidence in other shapes goes through `read_spans(rows, old)` first.
        old: The texts that the qrels were made on, a corpus as for `articles`.
        new: The texts that they are to be for.
        errors: 'raise' an error for the first highlight that is lost, or 'skip' those, in one warning.

    Raises:
        EvidenceError: A highlight is lost, the qrels do not fit *old*, or two documents fit one that has no name.
        CollectionError: The qrels were made on a collection of another text than *old*.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a"], "label": [1], "highlights": [[(7, 18)]]})
        >>> move_qrels(qrels, {"a": "A cat. A dog ran. Rain fell."}, {"a": "Rain fell.  A dog ran."}).table["spans"][0]
        [(12, 22)]
    """
    check_choice("errors", errors, ("raise", "skip"))
    check_qrels(qrels)
    old, new = open_corpus(old), open_corpus(new)
    check_text(qrels.attrs.get(TEXT_ID, ""), "the qrels", old)
    qrels = qrels.reset_index(drop=True)
    docnos = list(dict.fromkeys(qrels["docno"].tolist()))
    old_texts = Texts(old, docnos)
    new_texts = Texts(new, docnos)
    highlights = _list_highlights(qrels)
    _check_old_texts(qrels, highlights, old_texts)
    targets = _find_documents(docnos, old_texts, new_texts, new)
    moves = {
        docno: TextMove(FoldedText(old_texts.articles[docno].text), FoldedText(article.text))
        for docno, article in tqdm(
            targets.items(), "documents", unit=" documents", delay=1, leave=False, disable=not verbose
        )
        if docno in old_texts.articles
    }
    moved = [_move_highlight(highlight, moves, targets) for highlight in highlights]
    rows = [(m.old.qid, m.old.docno, *m.old.span, m.status, m.share, m.new_docno, m.spans, m.detail) for m in moved]
    table = pd.DataFrame(rows, columns=_COLUMNS)
    _tell_of_faults(moved, errors)
    result = _make_qrels(qrels, moved, moves, targets)
    result.attrs = {**qrels.attrs, TEXT_ID: find_text_id(new)}
    return MovedQrels(result, table)


def _list_highlights(qrels: pd.DataFrame) -> list[_Highlight]:
    spans = flatten(qrels["highlights"], "highlights", qrels)
    qids = qrels["qid"].tolist()
    docnos = qrels["docno"].tolist()
    columns = (spans.row.tolist(), spans.start.tolist(), spans.end.tolist())
    return [_Highlight(row, qids[row], docnos[row], (start, end)) for row, start, end in zip(*columns, strict=True)]


def _make_error(message: str) -> EvidenceError:
    return EvidenceError(message, file="the qrels", problems=[])


def _check_old_texts(qrels: pd.DataFrame, highlights: list[_Highlight], texts: Texts) -> None:
    """Raise an EvidenceError for a highlight or a length that is not of the old texts."""
    for highlight in highlights:
        article = texts.articles.get(highlight.docno)
        if article is None:
            raise _make_error(f"{highlight} has no text: the old texts have no such document")
        if highlight.span[1] > len(article.text):
            raise _make_error(
                f"{highlight} ends beyond the old text, which has {len(article.text)} characters; give the texts that "
                "the qrels were made on"
            )
    if "length" in qrels.columns:
        for docno, length in zip(qrels["docno"], qrels["length"], strict=True):
            article = texts.articles.get(docno)
            if article is not None and length >= 0 and length != len(article.text):
                raise _make_error(
                    f"document {docno!r} has {len(article.text)} characters in the old texts, and {length} in the "
                    "qrels; give the texts that the qrels were made on"
                )


def _find_documents(docnos: list[str], old: Texts, new: Texts, corpus: Corpus) -> dict[str, CorpusArticle]:
    """Find the new document of each old one, by its name or else by its text; without those that are gone."""
    found = {docno: new.articles[docno] for docno in docnos if docno in new.articles}
    missing = [docno for docno in docnos if docno not in found and docno in old.articles]
    if not missing:
        return found
    every = new.articles.values() if len(new.articles) == len(new.docnos) else articles(corpus)
    others = [article for article in every if article.docno not in old.docnos]
    folded = [FoldedText(article.text) for article in others]
    for docno in missing:
        text = FoldedText(old.articles[docno].text)
        likeness = [measure_likeness(text, other) for other in folded]
        best = max(likeness, default=0.0)
        fitting = [other for other, share in zip(others, likeness, strict=True) if share >= best - _NEARLY]
        if best < _LEAST_LIKENESS:
            continue
        if len(fitting) > 1:
            raise _make_error(
                f"document {docno!r} is missing in the new texts by its name, and {fitting[0].docno!r} and "
                f"{fitting[1].docno!r} both have its text; name the document as before, or leave one of them out"
            )
        found[docno] = fitting[0]
    taken = Counter(article.docno for article in found.values())
    for name, times in taken.items():
        if times > 1:
            first, second, *_ = (docno for docno, article in found.items() if article.docno == name)
            raise _make_error(f"documents {first!r} and {second!r} are both found in {name!r}; leave one of them out")
    return found


def _move_highlight(
    highlight: _Highlight, moves: Mapping[str, TextMove], targets: Mapping[str, CorpusArticle]
) -> _Moved:
    if highlight.docno not in targets:
        return _Moved(highlight, [], 0.0, None, "its document is not in the new texts, by name or by text")
    spans, share = moves[highlight.docno].move(highlight.span)
    detail = "" if spans else "none of its text is in the new document"
    return _Moved(highlight, spans, share, targets[highlight.docno].docno, detail)


def _tell_of_faults(moved: list[_Moved], errors: str) -> None:
    """Raise or warn of highlights that are lost, and warn of those that are so in part."""
    lost = [entry for entry in moved if entry.status == "lost"]
    if lost and errors == "raise":
        more = f", and so {'is' if len(lost) == 2 else 'are'} {len(lost) - 1} more" if len(lost) > 1 else ""
        raise EvidenceError(
            f"{lost[0].old} is lost ({lost[0].detail}){more}; errors='skip' leaves out what is lost",
            file="the qrels",
            problems=[{"qid": e.old.qid, "docno": e.old.docno, "span": e.old.span, "detail": e.detail} for e in lost],
        )
    if lost:
        silent = {entry.old.qid for entry in lost} - {entry.old.qid for entry in moved if entry.spans}
        without = f"; without evidence now: {', '.join(map(repr, sorted(silent)))}" if silent else ""
        warn_caller(f"{len(lost)} of {len(moved)} highlights are lost, and left out{without}")
    shares = [entry.share for entry in moved if entry.status == "partly"]
    if shares:
        warn_caller(
            f"{len(shares)} of {len(moved)} highlights are moved in part, {sum(shares) / len(shares):.0%} of their "
            "characters on average; see the table's `share`"
        )


def _make_qrels(
    qrels: pd.DataFrame, moved: list[_Moved], moves: Mapping[str, TextMove], targets: Mapping[str, CorpusArticle]
) -> pd.DataFrame:
    """Make the qrels of the new texts; a row whose highlights are all lost goes, as does one without its document."""
    of_row: list[list[_Moved]] = [[] for _ in range(len(qrels))]
    for entry in moved:
        of_row[entry.old.row].append(entry)
    kept = [
        row
        for row, docno in enumerate(qrels["docno"])
        if docno in targets and (not of_row[row] or any(entry.spans for entry in of_row[row]))
    ]
    result = qrels.iloc[kept].reset_index(drop=True)
    old_docnos = result["docno"].tolist()
    result["docno"] = pd.Series([targets[docno].docno for docno in old_docnos], dtype=object)
    spans = [(i, *span) for i, row in enumerate(kept) for entry in of_row[row] for span in entry.spans]
    columns = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    result["highlights"] = span_column(columns[0], len(kept), columns[1], columns[2])
    for name in set(_BESIDE) & set(qrels.columns):
        cells = [_repeat_values(qrels[name][row], of_row[row]) for row in kept]
        result[name] = pd.Series(cells, dtype=qrels[name].dtype)
    if "length" in qrels.columns:
        result["length"] = np.array([len(targets[docno].text) for docno in old_docnos], dtype=np.int64)
    if "relevant_size" in qrels.columns:
        result["relevant_size"] = np.bincount(columns[0], columns[2] - columns[1], len(kept)).astype(np.int64)
    if "bep" in qrels.columns:
        beps = []
        for row, docno, bep in zip(kept, old_docnos, result["bep"].tolist(), strict=True):
            place = moves[docno].move_offset(bep) if bep >= 0 and docno in moves else -1
            if bep >= 0 and place < 0:
                place = min((start for entry in of_row[row] for start, _ in entry.spans), default=-1)
            beps.append(place)
        result["bep"] = np.array(beps, dtype=np.int64)
    return result


def _repeat_values(cell: Any, entries: list[_Moved]) -> list[Any] | None:
    """Repeat the value beside each highlight for each of its new spans."""
    values = list(cell) if isinstance(cell, list | tuple | np.ndarray) else []
    if len(values) != len(entries):
        return None
    return [value for value, entry in zip(values, entries, strict=True) for _ in entry.spans]
