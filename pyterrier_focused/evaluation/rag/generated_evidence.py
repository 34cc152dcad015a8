"""Questions and evidence that a program makes of the documents, checked: labels without assessors.

The steps are those of Chroma's chunking evaluation: a model reads a window of a document and writes questions with
quotes that answer them; quotes that are not in the window, questions that are far from their quotes, and questions
that are nearly another one are dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from tqdm.auto import tqdm

from ...errors import FormatError, takes_corpus
from ...frames.spans import Floats, Span
from ...texts.corpus import Corpus, articles, json_records
from ...texts.locate import Document

Generator = Callable[[str], Iterable[Any]]
Embedding = Callable[[list[str]], ArrayLike]


@dataclass(frozen=True, eq=False)
class GeneratedEvidence:
    """What `generate_evidence` returns.

    Args:
        rows: What `read_spans` reads, a row per quote: qid, question, docno, start, end, quote.
        dropped: A row per question that was dropped: question, docno, reason.
    """

    rows: pd.DataFrame
    dropped: pd.DataFrame


class _Window(NamedTuple):
    docno: str
    start: int
    text: str


@dataclass(frozen=True)
class _Question:
    text: str
    docno: str
    quotes: list[str]
    spans: list[Span]


@takes_corpus
def generate_evidence(
    function: Generator,
    corpus: Corpus,
    *,
    window: int = 4000,
    overlap: int = 400,
    embed: Embedding | None = None,
    duplicates: float = 0.78,
    relevance: float = 0.36,
    save: str | os.PathLike[str] | None = None,
    workers: int = 1,
    verbose: bool = True,
) -> GeneratedEvidence:
    """Let a program write questions with quotes that answer them, and keep those that hold.

    Args:
        function: It takes a text and returns (question, quotes) pairs, or dicts with `question` and `quotes`; quotes
            are one text or a list of them.
        window: Characters of a document that the function reads at a time; neighbours share `overlap` of them.
        embed: It takes a list of texts and returns a vector for each. With it, questions are dropped that are alike or
            far from their quotes, by cosine similarity.
        duplicates: A question more similar than this to one before it is dropped (Chroma's pipeline: 0.78).
        relevance: A question less similar than this to any of its quotes is dropped (Chroma's pipeline: 0.36).
        save: A file of JSON lines that keeps what the function returned for each window, as it comes. Called again, the
            function reads only the windows that are not there.
        workers: How many windows are read at a time, in threads.

    Example:
        >>> def ask(text):
        ...     return [("Where is the quay?", "The quay is in the east."), ("Who built it?", "Nobody knows.")]
        >>> found = generate_evidence(ask, {"a": "An island. The quay is in the east."})
        >>> found.rows[["question", "docno", "start", "end"]].values.tolist()
        [['Where is the quay?', 'a', 11, 35]]
        >>> found.dropped["reason"].tolist()
        ["the quote 'Nobody knows.' is not in the text"]
    """
    if not 0 <= overlap < window or workers < 1:
        raise ValueError(f"window={window}, overlap={overlap}, workers={workers}: give 0 <= overlap < window, 1 worker")
    windows = [
        part for article in articles(corpus) for part in _cut_windows(article.docno, article.text, window, overlap)
    ]
    answers = _ask_windows(function, windows, save, workers, verbose)
    dropped: list[tuple[str, str, str]] = []
    questions = _check_questions(windows, answers, dropped)
    if embed is not None and questions:
        questions = list(_filter_questions(questions, embed, duplicates, relevance, dropped))
    rows = [
        (str(number), question.text, question.docno, *span, quote)
        for number, question in enumerate(questions, start=1)
        for span, quote in zip(question.spans, question.quotes, strict=True)
    ]
    return GeneratedEvidence(
        pd.DataFrame(rows, columns=["qid", "question", "docno", "start", "end", "quote"]),
        pd.DataFrame(dropped, columns=["question", "docno", "reason"]),
    )


def _check_questions(
    windows: list[_Window], answers: list[list[tuple[str, list[str]]]], dropped: list[tuple[str, str, str]]
) -> list[_Question]:
    """Return the questions whose quotes hold, each once; *dropped* takes the others, with the reasons."""
    questions: list[_Question] = []
    for part, answer in zip(windows, answers, strict=True):
        document = Document(part.text)
        for text, quotes in answer:
            checked = _place_quotes(part, document, text, quotes)
            if isinstance(checked, str):
                dropped.append((text, part.docno, checked))
            elif checked not in questions:
                # It may be in the text that two windows share.
                questions.append(checked)
    return questions


def _cut_windows(docno: str, text: str, size: int, overlap: int) -> Iterator[_Window]:
    """Cut an article into windows; the last one ends with the text."""
    start = 0
    while True:
        yield _Window(docno, start, text[start : start + size])
        if start + size >= len(text):
            return
        start += size - overlap


def _ask_windows(
    function: Generator, windows: list[_Window], save: str | os.PathLike[str] | None, workers: int, verbose: bool
) -> list[list[tuple[str, list[str]]]]:
    """Return what the function says of each window, from the file if it is there."""
    answered = {} if save is None or not os.path.exists(save) else dict(_read_saved(os.fspath(save)))
    todo = [part for part in windows if part not in answered]
    with ThreadPoolExecutor(workers) as pool:
        answers = pool.map(lambda part: [_read_answer(entry) for entry in function(part.text) or ()], todo)
        bar = tqdm(zip(todo, answers, strict=True), "windows", len(todo), delay=1, leave=False, disable=not verbose)
        for part, answer in bar:
            answered[part] = answer
            if save is not None:
                line = {**part._asdict(), "questions": [{"question": q, "quotes": quotes} for q, quotes in answer]}
                with open(save, "a", encoding="utf-8") as file:
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return [answered[part] for part in windows]


def _read_saved(path: str) -> Iterator[tuple[_Window, list[tuple[str, list[str]]]]]:
    for number, line in json_records(path):
        try:
            part = _Window(line["docno"], line["start"], line["text"])
            yield part, [_read_answer(entry) for entry in line["questions"]]
        except (TypeError, KeyError, ValueError) as error:
            raise FormatError(f"this was not saved by generate_evidence ({error!r})", file=path, line=number) from None


def _read_answer(entry: object) -> tuple[str, list[str]]:
    """Read one question and its quotes."""
    if isinstance(entry, Mapping):
        entry = (entry.get("question"), entry.get("quotes"))
    if isinstance(entry, Sequence) and len(entry) == 2 and isinstance(entry[0], str):
        quotes = [entry[1]] if isinstance(entry[1], str) else entry[1]
        if isinstance(quotes, list | tuple) and all(isinstance(quote, str) for quote in quotes):
            return entry[0], list(quotes)
    raise ValueError(f"the function returned {entry!r:.80}; return pairs of a question and its quotes")


def _place_quotes(part: _Window, document: Document, text: str, quotes: list[str]) -> _Question | str:
    """Find the quotes of a question in the window that was read; the reason if one of them does not hold."""
    if not text.strip() or not quotes:
        return "it has no text" if quotes else "it has no quote"
    spans = []
    for quote in quotes:
        places = document.places(quote)
        if len(places) != 1:
            return f"the quote {quote!r:.60} " + ("occurs several times" if places else "is not in the text")
        start, end = places[0]
        spans.append((start + part.start, end + part.start))
    return _Question(text, part.docno, quotes, spans)


def _filter_questions(
    questions: list[_Question],
    embed: Embedding,
    duplicates: float,
    relevance: float,
    dropped: list[tuple[str, str, str]],
) -> Iterator[_Question]:
    """Yield the questions that are near all their quotes, and not near an earlier question."""
    vectors = _embed_texts(embed, [question.text for question in questions])
    quotes = _embed_texts(embed, [quote for question in questions for quote in question.quotes])
    first = 0
    kept: list[Floats] = []
    for question, vector in zip(questions, vectors, strict=True):
        own = quotes[first : first + len(question.quotes)]
        first += len(question.quotes)
        nearest = float((own @ vector).min())
        alike = max((float(other @ vector) for other in kept), default=-1.0)
        if nearest < relevance:
            dropped.append((question.text, question.docno, f"its similarity to a quote is {nearest:.2f}"))
        elif alike > duplicates:
            dropped.append((question.text, question.docno, f"its similarity to an earlier question is {alike:.2f}"))
        else:
            kept.append(vector)
            yield question


def _embed_texts(embed: Embedding, texts: list[str]) -> Floats:
    """Return the vectors of texts, each of length 1."""
    vectors = np.asarray(embed(texts), dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise ValueError(
            f"embed returned an array of shape {vectors.shape} for {len(texts)} texts; return a row for each"
        )
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)
