"""Answers and what they cite, as APIs of language models and TREC write them.

"Cats eat fish [2]."  ->  Citation(the second context, 0, 18)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..collection.corpora import as_frame, is_frame, json_records
from ..errors import FormatError
from ..frames.spans import Span
from ..reading.files import JSON_ENDINGS, plain_name
from ..reading.json import Row
from ..reading.show import show_value
from ..reading.tables import read_table
from ..reading.values import whole_or_none
from .items import Item, read_item
from .place import count_offsets
from .results import Question, name_question
from .shapes import (
    ANSWER_BLOCKS,
    ANSWER_CITATIONS,
    ANSWER_SOURCES,
    ANSWERS,
    CITED,
    CITED_BLOCK,
    CITED_FOR,
    CITED_NUMBER,
    LIST,
    SHAPES,
    TREC_ANSWER,
    as_fields,
    follow,
    follow_all,
    is_told,
    normalise_name,
    parse_json,
)

_MARKER = re.compile(
    r"""
    [\[【]
    # [doc 2], [Source: 2]
    (?:(?:doc|document|context|passage|source|ref)\w*[\s.#:]*)?
    # 2; 1, 3; 1-3
    (?P<numbers>\d+(?:\s*(?:[,;–-]|and)\s*\d+)*)
    # 【2†source】
    (?:†[^\]】]*)?
    [\]】]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NUMBERS = re.compile(r"(?P<first>\d+)(?:\s*[–-]\s*(?P<last>\d+))?")
# A sentence, with the numbers in brackets that follow its end.
_SENTENCE = re.compile(r"\S.*?(?:[.!?]+(?=\s|$|[\[【])(?:\s*[\[【][^\]】]*[\]】])*|\n|$)", re.DOTALL)
# A year in brackets is no number of a context.
_LARGEST = 999


class Citation(NamedTuple):
    """A citation: the thing cited, and the part of the answer that it supports, in characters."""

    item: Item
    start: int
    end: int


class Answer(NamedTuple):
    """The text of an answer, and its citations in their order."""

    text: str
    citations: list[Citation]


# By system and question.
Answers = dict[str, dict[Question, Answer]]


def list_numbers(text: str) -> Iterator[tuple[Span, int, int]]:
    """Yield the ranges of numbers that a text has in brackets, first and last, with the span of the brackets."""
    for cited in _MARKER.finditer(text):
        for match in _NUMBERS.finditer(cited["numbers"]):
            yield cited.span(), int(match["first"]), int(match["last"] or match["first"])


def read_answers(answers: object, documents: Sequence[str] | None = None) -> Answers:
    """Read what one or several systems answered, as `evaluate_citations` takes it: the answers of each by its name."""
    answers = as_frame(answers)
    if isinstance(answers, str | os.PathLike):
        return _read_file(os.fspath(answers), documents)
    if isinstance(answers, list | tuple) and answers and all(isinstance(one, str | os.PathLike) for one in answers):
        found: Answers = {}
        for path in answers:
            for system, of_system in _read_file(os.fspath(path), documents).items():
                if system in found:
                    raise ValueError(f"{path}: there are two systems called {system!r}; name one differently")
                found[system] = of_system
        return found
    if is_frame(answers) or isinstance(answers, list | tuple):
        rows = answers.to_dict("records") if is_frame(answers) else answers
        return _read_rows(enumerate(rows, start=1), "the answers", "answers", documents)
    if not isinstance(answers, Mapping) or not answers:
        raise ValueError(
            "answers are {question: answer}, such a dict for each system by name, rows, or a file, not "
            f"{show_value(answers)}"
        )
    return _read_mapping(answers, "answers", documents)


def _read_mapping(answers: Row, name: str, documents: Sequence[str] | None) -> Answers:
    several = all(isinstance(value, Mapping) and not _is_answer(value) for value in answers.values())
    return {
        str(system): {
            Question(str(question)): read_answer(answer, f"system {str(system)!r}, {str(question)!r:.80}", documents)
            for question, answer in of_system.items()
        }
        for system, of_system in (answers if several else {name: answers}).items()
    }


def _is_answer(value: object) -> bool:
    fields = _open_first(as_fields(value))
    return any(follow_all(fields, path.split(".")) is not None for path in (*ANSWER_BLOCKS, *ANSWER_CITATIONS))


def _read_file(path: str, documents: Sequence[str] | None) -> Answers:
    name = os.path.basename(path).split(".")[0]
    if not plain_name(path.lower()).endswith(JSON_ENDINGS):
        return _read_rows(read_table(path)[1], path, name, documents)
    records = list(json_records(path))
    if len(records) == 1 and isinstance(records[0][1], dict) and not _is_answer(records[0][1]):
        return _read_mapping(records[0][1], name, documents)
    return _read_rows(records, path, name, documents)


def _read_rows(rows: Iterable[tuple[int, object]], file: str, system: str, documents: Sequence[str] | None) -> Answers:
    answers: Answers = {}
    for where, row in rows:
        fields = {normalise_name(key): value for key, value in as_fields(row).items()}
        about = {**as_fields(fields.get("metadata")), **fields}
        for ours, theirs in TREC_ANSWER.items():
            named = [about[name] for name in theirs if about.get(name) is not None]
            fields |= {ours: named[0]} if named else {}
        qid, query = name_question(fields)
        if qid is None and query is None:
            raise FormatError("the row has neither a question nor its id", file=file, line=where, text=show_value(row))
        of_system = answers.setdefault(str(fields.get("system", system)), {})
        asked = Question(qid or query or "", qid, query)
        if asked in of_system:
            advice = "write one row for each answer, and name several systems in the field 'system'"
            raise FormatError(f"question {asked.name!r} has an answer already; {advice}", file=file, line=where)
        of_system[asked] = read_answer(fields, f"{file}:{where}", documents)
    if not answers:
        raise FormatError("there are no answers", file=file)
    return answers


def read_answer(answer: object, where: str, documents: Sequence[str] | None = None) -> Answer:
    """Read an answer and what it cites.

    Raises:
        ValueError: It has no text, or cites a number without a context.
    """
    answer = {"answer": answer} if isinstance(answer, str | list | tuple) else answer
    fields = _open_first(as_fields(answer))
    # A number in brackets is not a list.
    written = fields.get("answer")
    blocks = [written] if isinstance(written, str) and _MARKER.match(written) else _find_first(fields, ANSWER_BLOCKS)
    if blocks is None:
        raise ValueError(f"{where}: {show_value(answer)} is no answer; give its text, blocks of it, or a response")
    only = blocks[0]
    only = parsed if isinstance(only, str) and isinstance(parsed := parse_json(only), dict) else only
    if len(blocks) == 1 and _text_of(only) is None and _is_answer(only):
        return read_answer(only, where, documents)
    sources = _Sources(fields, documents, where)
    text = ""
    parts: list[Span] = []
    citations: list[Citation] = []
    for block in blocks:
        written = _text_of(block)
        parts.append((len(text), len(text) + len(written or "")))
        text += written or ""
        if written is not None and not isinstance(block, str):
            citations += sources.read_citations(_find_first(as_fields(block), ANSWER_CITATIONS), text, parts[-1:])
    citations = citations or sources.read_citations(_find_first(fields, ANSWER_CITATIONS), text, parts)
    citations = citations or list(sources.read_markers(text))
    return Answer(text, sorted(citations, key=lambda citation: citation.start))


def _open_first(fields: Row) -> Row:
    """Return the first of several candidates or choices, else the fields themselves."""
    found = _find_first(fields, ANSWERS)
    return as_fields(found[0]) if found else fields


def _find_first(fields: Row, paths: Iterable[str]) -> list[Any] | None:
    """Return the values at the first of the paths that exists."""
    return next((found for path in paths if (found := follow_all(fields, path.split("."))) is not None), None)


def _text_of(block: object) -> str | None:
    """Return the text of a block; None if it has none, or is a model's reasoning."""
    if isinstance(block, str):
        return block
    text = follow(block, "text.value") or follow(block, "text")
    return text if isinstance(text, str) and not re.search("reason|think", str(follow(block, "type"))) else None


class _Sources:
    """The things an answer may cite: those that it lists, and documents by their numbers."""

    def __init__(self, fields: Row, documents: Sequence[str] | None, where: str):
        found = _find_first(fields, ANSWER_SOURCES)
        self.are_names = found is not None
        self.listed = found or _find_first(fields, LIST) or []
        self.documents = documents
        self.where = where

    def read_citations(self, found: Iterable[object] | None, text: str, parts: Sequence[Span]) -> list[Citation]:
        """Read the citations of a text, or of these parts of it; one without a range is for all of these."""
        citations = []
        for cited in found or ():
            start, end = _find_range(cited, text, parts) or (parts[0][0], parts[-1][1])
            several = _find_first(as_fields(cited), CITED)
            for source in [cited] if several is None else several:
                citations.append(Citation(self._read_source(source), start, end))
        return citations

    def read_markers(self, text: str) -> Iterator[Citation]:
        """Read numbers in brackets, which count from 1; each is for its sentence."""
        sentences = [match.span() for match in _SENTENCE.finditer(text)]
        for marker, first, last in list_numbers(text):
            start, end = next(span for span in reversed(sentences) if span[0] <= marker[0])
            for number in range(first, min(last, _LARGEST) + 1):
                yield Citation(self._find_cited(number - 1, str(number)), start, end)

    def _read_source(self, source: object) -> Item:
        number = whole_or_none(source) if not isinstance(source, str) else None
        if number is not None:
            return self._find_cited(number, str(number))
        if isinstance(source, str):
            listed = next((one for one in self.listed if source in (one, follow(one, "id"))), None)
            return self._read_thing(source if listed is None else listed, not re.search(r"\s", source))
        item = self._read_thing(source)
        number = next((whole_or_none(n) for name in CITED_NUMBER if (n := follow(source, name)) is not None), None)
        if number is None:
            return item
        return self._find_cited(number, str(number), item) if self.documents or not item.documents else item

    def _find_cited(self, number: int, shown: str, item: Item | None = None) -> Item:
        """Return the thing of a number, from 0; of an *item* only its document."""
        is_listed = item is None and 0 <= number < len(self.listed)
        if is_listed:
            item = self._read_thing(self.listed[number], self.are_names)
            if self.documents is None or (item.documents and not isinstance(self.listed[number], str)):
                return item
        if self.documents is not None and 0 <= number < len(self.documents):
            item = item or Item(whole=True)
            return item._replace(documents=(str(self.documents[number]),), ids=())
        if item is None and self.listed:
            return Item(documents=(f"[{shown}]",), whole=True)
        raise ValueError(
            f"{self.where}: it cites number {shown}, which stands for no document"
            + (f" of the {len(self.documents)} of documents=" if self.documents is not None else "; give documents=")
        )

    def _read_thing(self, thing: object, is_name: bool = False) -> Item:
        if isinstance(thing, str) and is_name:
            return Item(documents=() if "#" in thing else (thing,), ids=(thing,), whole=True)
        item = read_item(thing) or Item()
        names = tuple(dict.fromkeys(name for name in (*item.documents, *item.ids) if name != item.text))
        item = item._replace(documents=names, rank=None, score=None)
        return item.take_whole()


def _find_range(cited: object, text: str, parts: Sequence[Span]) -> Span | None:
    """Find the part of an answer that a citation is for: its text if that is given, else its offsets in their block."""
    row = as_fields(cited)
    shape = next((s for s in SHAPES if s.indexes == "answer" and s.tells and is_told(s, row)), None)
    if shape is None:
        return None
    block = next((whole_or_none(n) for path in CITED_BLOCK if (n := follow(row, path)) is not None), None) or 0
    first, last = parts[block if block < len(parts) else 0]
    last = last if len(parts) > 1 and block else parts[-1][1]
    start = whole_or_none(follow(row, shape.start)) or 0
    end = whole_or_none(follow(row, shape.end))
    start, end = count_offsets(text[first:last], start, end, shape.unit)
    quoted = next((found for path in CITED_FOR if isinstance(found := follow(row, path), str) and found), None)
    if quoted is not None and not text.startswith(quoted, first + start):
        start = text.find(quoted, first, last) - first
        quoted = quoted if start >= 0 else None
    if quoted is not None:
        return first + start, first + start + len(quoted)
    return None if end is None or not 0 <= start < end else (first + start, min(first + end, last))
