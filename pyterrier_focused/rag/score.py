"""Score what any RAG stack retrieved: lists of texts, documents or ids, by the evidence that they hold."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeGuard, cast

import pandas as pd
from ir_measures import Measure

from ..collection.corpora import Corpus, Texts, as_docno, make_article
from ..errors import ForeignIdsWarning, check_choice, takes_corpus
from ..evaluation.measure_strings import MeasureNames, parse, require_measures
from .counting import DEFAULT, UnitInput, count_measures, make_unit
from .evidence import EvidenceInput, OnFault, Repeated
from .evidence_values import check_articles, keep_answerable, read_evidence
from .judged_runs import take_fingerprints
from .locate_items import (
    find_differences,
    hide_unplaced_docnos,
    locate_items,
    make_runs,
    show_evidence,
    warn_of_unplaced,
)
from .match_questions import Retrieved, match_questions
from .place_retrieved import place_retrieved
from .result import RetrievedEvaluation
from .results import ResultsInput, read_retrieved
from .retrievers import AskedRetrievers, RetrieverInput, is_retriever
from .scores import Scored, make_question_table, make_system_table, score_runs
from .text_parts import PageBase


@takes_corpus
def evaluate_retrieved(
    evidence: EvidenceInput,
    results: ResultsInput | RetrieverInput | RetrievedEvaluation,
    corpus: Corpus,
    measures: MeasureNames | None = None,
    unit: UnitInput | None = None,
    *,
    repeated: Repeated = "report",
    errors: OnFault | None = None,
    fuzzy: float | None = None,
    nearest: int | None = None,
    columns: Mapping[str, str] | None = None,
    result_columns: Mapping[str, str] | None = None,
    pages_from: PageBase | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int = 1,
    whole: Literal["evidence", "results"] | bool = False,
    verbose: bool = True,
) -> RetrievedEvaluation:
    """Score what one or several systems retrieved for questions, by the evidence that it holds.

    Offsets are used if the text is there. Otherwise a text is located in its document, or in the whole corpus. A text
    that was rewritten is placed by the runs of words that it shares with documents; the rest of it counts as read,
    never as evidence, as does a text that occurs nowhere, or in several places. `located` has the place of each text.

    Means are over questions: `Abstain` over those without evidence, other measures over those with.

    Args:
        evidence: Anything that `read_spans` reads, such as rows with a question and a quote, or a qrels frame.
        results: A retriever, which is asked every question, or {name: retriever}: a function from a question to what is
            retrieved, a PyTerrier transformer, a retriever of LangChain or LlamaIndex, a component of Haystack whose
            `run` takes a query, or an object with `search`; coroutines are awaited. Or what was retrieved: {question or
            qid: [what was retrieved, best first]}, or {system: {question: [...]}}, or a file, a list of files, or rows
            as a DataFrame, another table or dicts (see `pt-focused retrieved`). Or a result, whose answers are scored
            again. **The order given is the ranking**, unless all items of a question have a `rank`. Each thing
            retrieved is a text; a dict with a text (`text`, `content`, `page_content`) and, if known, its document
            (`docno`, `source`, `doc_id`) and `start`, `end`; a document or node of LangChain, LlamaIndex or Haystack;
            a hit of a vector store; a passage id; the docno of a whole document; or (docno, start, end). A list may be
            replaced by the response of a store, such as Qdrant's, Chroma's or Elasticsearch's, or of a chain.
        measures: As for `parse`; by default SpanHit@5, CharR@5, CharP@5 and SpanRR. Text that was retrieved twice
            counts once in measures whose default is overlap='error'.
        unit: The unit of CharP, CharR, CharF, CharIoU, iP, AiP and CharAP, unless they name their own: 'lines',
            'pages', 'documents', or a tokenizer, as for `Tokens`; by default characters. A line, page or document
            counts once, if some of its text was retrieved; with nothing retrieved the precision is 0.
        repeated: How to treat evidence and texts that are in several places. 'first' takes the first place; 'all' lets
            all places of evidence count, and 'any' one of them; a text then counts at the place with most evidence.
        errors: 'raise' an EvidenceError for evidence and texts that cannot be placed, and the errors of a retriever, or
            'skip' such evidence with a warning; None refuses such evidence only. If a retriever raises an error, the
            question counts as nothing retrieved, with a warning; an error for every question is raised.
        fuzzy: As in `read_spans`, for evidence and texts; `nearest` and `columns` are for the evidence.
        result_columns: The results' names for our fields (system, qid, query, retrieved, text, docno, start, end, rank,
            score), if they have others: `{"text": "body", "docno": "page_of"}`.
        pages_from: As in `read_spans`, for the evidence and the results.
        whole: Which rows without text or place are whole documents, whatever their other fields are: those of
            'evidence', of 'results', or both (True).
        workers: How many questions a retriever is asked at a time, in threads.

    Raises:
        ValueError: No question of the results has evidence, or the results cannot be read.

    Example:
        >>> corpus = {"a": "Cats sleep all day. Cats eat fish at noon."}
        >>> evidence = [{"question": "What do cats eat?", "docno": "a", "quote": "eat fish"}]
        >>> result = evaluate_retrieved(evidence, {"What do cats eat?": ["Cats eat fish at noon."]}, corpus)
        >>> float(result.table["SpanHit@5"].iloc[0])
        1.0
    """
    check_options(repeated, errors, confidence, whole)
    texts = Texts(name_articles(corpus), None)
    articles = list(texts.articles.values())
    options = {"repeated": repeated, "fuzzy": fuzzy, "nearest": nearest, "columns": columns, "pages_from": pages_from}
    options["whole"] = whole in (True, "evidence")
    qrels = read_evidence(evidence, articles, errors=errors or "raise", **options)
    qrels = check_articles(qrels, texts.articles)
    if not len(qrels):
        raise ValueError("the evidence holds no question: there is nothing to score")
    calls = None
    if isinstance(results, RetrievedEvaluation):
        found = results.read_again()
        calls = results.calls
    elif _are_retrievers(results):
        asked_retrievers = AskedRetrievers(
            results, qrels, result_columns, workers=workers, stop=errors == "raise", verbose=verbose
        )
        found = asked_retrievers.results
        calls = asked_retrievers.calls
    else:
        found = read_retrieved(cast(ResultsInput, results), result_columns)
    retrieved = match_questions(found, qrels)
    if whole in (True, "results"):
        retrieved = {
            name: {qid: [item.take_whole() for item in items] for qid, items in of_system.items()}
            for name, of_system in retrieved.items()
        }
    items = [item for of_system in retrieved.values() for items in of_system.values() for item in items]
    located = locate_items(retrieved, place_retrieved(items, texts, verbose, fuzzy, pages_from), texts, qrels, repeated)
    warn_of_unplaced(located, errors)
    chosen = _choose_measures(measures, qrels)
    scored, fields = score_located(located, retrieved, texts, qrels, chosen, unit, calls)
    return RetrievedEvaluation(
        table=make_system_table(scored, located, calls), confidence=confidence, seed=seed, **fields
    )


def score_located(
    located: pd.DataFrame,
    retrieved: Retrieved,
    texts: Texts,
    qrels: pd.DataFrame,
    measures: Sequence[Measure],
    unit: UnitInput | None,
    calls: pd.DataFrame | None = None,
) -> tuple[Scored, dict[str, Any]]:
    """Score texts that were located. Returns the values, and the fields of a result but its table."""
    articles = list(texts.articles.values())
    unplaced = located[located["start"] < 0]
    read = {article.docno: article.text for article in articles}
    read |= dict(zip(unplaced["docno"], unplaced["text"], strict=True))
    counted = make_unit(unit, read, articles)
    asked = count_measures((_extend_unit(measure, read) for measure in measures), counted)
    runs = make_runs(located, retrieved)
    with warnings.catch_warnings():
        # An article that nobody judged is a wrong one here, and no other name: texts have been found in the corpus.
        warnings.simplefilter("ignore", ForeignIdsWarning)
        scored = score_runs(qrels, runs, asked)
    lacking = find_differences(located, qrels, texts)
    return scored, {
        "questions": make_question_table(scored, qrels, located, lacking, show_evidence(qrels, read), calls),
        "located": hide_unplaced_docnos(located), "qrels": qrels, "runs": runs, "measures": asked, "unit": counted,
        "texts": read, "retrieved": retrieved, "fingerprints": take_fingerprints(qrels, read),
    }  # fmt: skip


def _are_retrievers(results: ResultsInput | RetrieverInput) -> TypeGuard[RetrieverInput]:
    if not isinstance(results, Mapping):
        return is_retriever(results)
    return bool(results) and all(map(is_retriever, results.values()))


def check_options(repeated: Repeated, errors: OnFault | None, confidence: float, whole: bool | str) -> None:
    check_choice("repeated", repeated, ("report", "first", "all", "any"))
    check_choice("errors", errors, (None, "raise", "skip"))
    check_choice("whole", whole, (False, True, "evidence", "results"))
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: give a share between 0 and 1, such as 0.95")


def name_articles(corpus: Corpus) -> Corpus:
    """Return the corpus; texts by name become articles, since names of files hold white space and docnos do not."""
    if not isinstance(corpus, Mapping):
        return corpus
    return [make_article(as_docno(str(name)), text, (str(name),)) for name, text in corpus.items()]


def _choose_measures(measures: MeasureNames | None, qrels: pd.DataFrame) -> list[Measure]:
    """Return the measures that were asked for, or the default ones, with Abstain if a question has no evidence."""
    if measures is not None:
        chosen = parse(measures)
        require_measures(chosen)
        return chosen
    some_unanswerable = keep_answerable(qrels)["qid"].nunique() < qrels["qid"].nunique()
    return parse(f"{DEFAULT} Abstain" if some_unanswerable else DEFAULT)


def _extend_unit(measure: Measure, texts: Mapping[str, str]) -> Measure:
    """Let a measure with a unit of its own know the texts that were not placed."""
    unit = getattr(measure, "params", {}).get("unit")
    return measure if unit is None else measure(unit=unit.of(texts))
