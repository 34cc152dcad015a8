"""Judge answers by what they cite: is the quoted text where they say, and is it the evidence?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from ..collection.corpora import Corpus, Texts
from ..errors import takes_corpus
from ..evaluation.registry import MeasureNames, parse
from ..frames import spans
from .answers import Answer, Answers, Citation, read_answers
from .evidence import EvidenceInput, OnFault, Repeated
from .find_texts import Place
from .items import Item
from .locate import Document
from .place import PageBase, PlacedItem, count_offsets, find_named_passage, place_retrieved
from .results import Questions, Retrieved, match_questions
from .score import (
    RetrievedEvaluation,
    Scored,
    UnitInput,
    check_articles,
    check_options,
    locate_items,
    name_articles,
    read_evidence,
    score_located,
)

Status = Literal["document", "verified", "elsewhere", "rewritten", "unknown", "invented"]
# The least share of a quote's words that must be there.
_LEAST_SHARE = 0.5


@takes_corpus
def evaluate_citations(
    evidence: EvidenceInput | None,
    answers: Any,
    corpus: Corpus,
    measures: MeasureNames = "SpanP SpanR CharP CharR",
    unit: UnitInput | None = None,
    *,
    documents: Sequence[str] | None = None,
    repeated: Repeated = "report",
    errors: OnFault | None = None,
    fuzzy: float | None = None,
    columns: Mapping[str, str] | None = None,
    pages_from: PageBase | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    whole: bool = False,
    verbose: bool = True,
) -> RetrievedEvaluation:
    """Check that cited texts are where the answers say, and score them by the evidence. No language model is asked.

    Measures are of the cited texts in the order of the answer, each character once. Text without a place counts as
    read, never as evidence.

    Args:
        evidence: As in `evaluate_retrieved`; None for the citations' statuses without measures.
        answers: {question or qid: answer}, {system: {question: answer}}, a file, a list of files, or rows. An answer is
            the response of Anthropic's, Gemini's, Cohere's, Bedrock's or OpenAI's API, a list of `{"text",
            "citations"}`, an answer of TREC RAG, or `{"answer", "contexts"}` whose answer cites by `[1]`.
        documents: The docnos that numbers stand for, in order: a `document_index`, or an index into references; `[1]`
            is the first. Without it, titles and ids name documents. A number that an answer's own list does not reach
            is of an unknown document.
        errors: 'skip' leaves out evidence that cannot be placed, with a warning; else it is an EvidenceError.
        whole: Whether rows of evidence without text or place are whole documents.

    Other options are those of `evaluate_retrieved`.

    Returns:
        A result whose `table` has a row per system: name, questions, citations (their number), the share of these with
        each status, cited (the share of the answers' characters in a segment or range with a citation), measures. Its
        `citations` has a row per citation: name, qid, number (from 1), text (the quote), cited_docno, docno, start, end
        (-1 if it is nowhere), status, share (of its words that are there), answer_start, answer_end, detail. Status is
        the first that holds: 'document' (no quote; the document is there), 'verified' (the quote is in the document
        named, white space, quotation marks and case aside), 'elsewhere' (it is in another only), 'rewritten' (aligned
        runs hold at least half of its words), 'unknown' (the document is not in the corpus), 'invented'.

    Raises:
        ValueError: An answer cannot be read, or cites a number that stands for no document.

    Example:
        >>> corpus = {"a": "Cats sleep all day. Cats eat fish at noon."}
        >>> answer = [{"text": "Fish.", "citations": [{"docno": "a", "text": "Cats eat fish"}]}]
        >>> evaluate_citations(None, {"What do cats eat?": answer}, corpus).table["verified"].tolist()
        [1.0]
    """
    check_options(repeated, errors, confidence, whole)
    texts = Texts(name_articles(corpus), None)
    articles = list(texts.articles.values())
    found = read_answers(answers, documents)
    if evidence is None:
        qrels = _list_questions(found, next(iter(texts.articles)))
        measures = []
    else:
        options = {"fuzzy": fuzzy, "columns": columns, "pages_from": pages_from, "whole": whole}
        qrels = read_evidence(evidence, articles, repeated=repeated, errors=errors or "raise", **options)
        qrels = check_articles(qrels, texts.articles)
    questions = Questions(qrels)
    answered = {
        (name, qid): answer
        for name, of_system in found.items()
        for asked, answer in of_system.items()
        for qid in questions.match(asked)
    }
    cited = {
        name: {asked: [citation.item for citation in answer.citations] for asked, answer in of_system.items()}
        for name, of_system in found.items()
    }
    retrieved = match_questions(cited, qrels)
    items = [item for of_system in retrieved.values() for of_question in of_system.values() for item in of_question]
    documents_by_name: dict[str, Document] = {}
    judged = [
        _judge_citation(item, placed, texts, documents_by_name)
        for item, placed in zip(items, place_retrieved(items, texts, verbose, fuzzy, pages_from), strict=True)
    ]
    places = [one.placed for one in judged]
    located = locate_items(retrieved, places, texts, qrels, "first" if repeated == "report" else repeated)
    located["status"] = [one.status for one in judged]
    chosen = parse(measures) if evidence is not None else []
    scored, fields = score_located(located, retrieved, texts, qrels, chosen, unit)
    citations = _list_citations(
        located, items, texts, [one for key in _list_keys(retrieved) for one in answered[key].citations]
    )
    covered = {key: _count_covered(answer) for key, answer in answered.items()}
    asked_of = zip(fields["questions"]["name"], fields["questions"]["qid"], strict=True)
    lengths = [(covered.get(key, 0), len(answered[key].text) if key in answered else 0) for key in asked_of]
    fields["questions"]["cited"] = [count / length if length else 0.0 for count, length in lengths]
    fields["questions"]["characters"] = [length for _, length in lengths]
    return RetrievedEvaluation(
        kind="citations",
        table=_make_table(scored, citations, fields["questions"]),
        citations=citations, confidence=confidence, seed=seed, **fields,
    )  # fmt: skip


def _list_questions(answers: Answers, docno: str) -> pd.DataFrame:
    """Return qrels of the questions that were answered, without any evidence."""
    asked = dict.fromkeys((one.qid or one.name, one.query or one.name) for of in answers.values() for one in of)
    rows = [{"qid": qid, "query": query, "docno": docno, "label": 0, "highlights": []} for qid, query in asked]
    return pd.DataFrame(rows)


def _list_names(item: Item) -> list[str]:
    return [*item.documents, *(name for name in item.ids if name != item.text)]


def _find_named(item: Item, texts: Texts) -> list[str]:
    names = _list_names(item)
    named = [article.docno for name in names if (article := texts.find_path(name)) is not None]
    return named + [passage[0] for name in names if (passage := find_named_passage(texts, name)) is not None]


def _list_keys(retrieved: Retrieved) -> list[tuple[str, str]]:
    return [(name, qid) for name, of_system in retrieved.items() for qid in of_system]


@dataclass(frozen=True)
class _Judged:
    status: Status
    placed: PlacedItem


def _judge_citation(item: Item, placed: PlacedItem, texts: Texts, documents: dict[str, Document]) -> _Judged:
    """Return the status of a citation by the place of its quote, which a missing one has not."""
    names = _list_names(item)
    named = _find_named(item, texts)
    if not item.text or not item.text.strip() or (placed.status == "id" and item.text in item.ids):
        return _Judged("document" if named or placed.places else "unknown", placed)

    def find_document(docno: str) -> Document:
        return documents.setdefault(docno, Document(texts.articles[docno].text))

    first = placed.places[0] if placed.places else []
    is_whole = len(first) == 1 and find_document(first[0].docno).says(first[0].span, item.text)
    if is_whole and (not names or first[0].docno in named):
        return _Judged("verified", _check_offsets(item, placed, find_document(first[0].docno)))
    in_named = [Place(docno, span) for docno in dict.fromkeys(named) for span in find_document(docno).places(item.text)]
    if in_named:
        return _Judged("verified", PlacedItem("exact", [[place] for place in in_named[:1]], placed.detail))
    if is_whole:
        return _Judged("elsewhere", placed)
    is_aligned = placed.status in ("rewritten", "repeated", "fuzzy")
    around = placed.around[0] / len(item.text) if placed.around and not is_aligned else 0.0
    if first and min(placed.share, 1 - around) >= _LEAST_SHARE:
        return _Judged("rewritten", placed)
    return _Judged("invented" if named or not names else "unknown", PlacedItem("missing", [], placed.detail))


def _check_offsets(item: Item, placed: PlacedItem, document: Document) -> PlacedItem:
    """Say in its detail if an item's offsets are not those of its quote."""
    if item.start is None or item.end is None or placed.detail:
        return placed
    start, end = count_offsets(document.text, item.start, item.end, item.unit)
    is_there = document.says((start, end or start), item.text or "")
    return placed if is_there else replace(placed, detail=f"the text is not at [{item.start}, {item.end})")


def _list_citations(
    located: pd.DataFrame, items: Sequence[Item], texts: Texts, citations: Sequence[Citation]
) -> pd.DataFrame:
    """Make the frame of citations, as `evaluate_citations` describes it."""
    frame = located[["name", "qid", "rank", "text", "docno", "start", "end", "status", "share", "detail"]]
    frame = frame.rename(columns={"rank": "number"})
    frame["docno"] = frame["docno"].where(frame["start"] >= 0, "")
    frame["text"] = [item.text or "" for item in items]
    frame.insert(4, "cited_docno", [next(iter((*_find_named(item, texts), *_list_names(item))), "") for item in items])
    frame.insert(10, "answer_start", [citation.start for citation in citations])
    frame.insert(11, "answer_end", [citation.end for citation in citations])
    return frame


def _count_covered(answer: Answer) -> int:
    start, end = np.array([(one.start, one.end) for one in answer.citations], dtype=np.int64).reshape(-1, 2).T
    merged = spans.union(np.zeros(len(start), dtype=np.int64), start, end)
    return int((merged.end - merged.start).sum())


def _make_table(scored: Scored, citations: pd.DataFrame, questions: pd.DataFrame) -> pd.DataFrame:
    """Make a row for each system, as `evaluate_citations` describes it."""
    rows = []
    for k, name in enumerate(scored.systems):
        status = citations.loc[citations["name"] == name, "status"]
        own = questions[questions["name"] == name]
        row: dict[str, str | float] = {"name": name, "questions": len(scored.qids), "citations": len(status)}
        row |= {of: float((status == of).sum() / max(len(status), 1)) for of in get_args(Status)}
        row["cited"] = float((own["cited"] * own["characters"]).sum() / max(own["characters"].sum(), 1))
        row |= {measure: scored.average(k, i) for i, measure in enumerate(scored.measures)}
        rows.append(row)
    return pd.DataFrame(rows)
