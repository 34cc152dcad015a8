"""BioASQ, task B, phase A: questions with documents and snippets, golden and submitted, as JSON.

A snippet is a piece of a section of a document, `offsetInBeginSection` to `offsetInEndSection`, both inside.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...errors import SKIP_ERRORS, FormatError, warn_caller
from ...frames.columns import span_column
from ...frames.spans import Ints
from ...reading.fields import first_codes
from ...reading.files import Source, read_bytes, source_name
from ...reading.json import JsonObject, decode_json, json_line_of, load_json
from ...reading.lines import BadLine, Faults
from ...reading.run_columns import FolColumns, fol_frame

_NAMES = ("document", "beginSection", "endSection")
_OFFSETS = ("offsetInBeginSection", "offsetInEndSection")
_KEYS = {*_NAMES, *_OFFSETS, "text"}


# Makes an error of a message and a place in the file: the keys that lead there.
MakeFault = Callable[..., FormatError]


class Triple(NamedTuple):
    """A statement of an ontology."""

    predicate: str
    subject: str
    object: str


class Question(NamedTuple):
    """A question without its snippets: lists lose later duplicates, but for triples."""

    id: str
    documents: list[str]
    concepts: list[str]
    triples: list[Triple]


class BioasqColumns(NamedTuple):
    """The questions of a file, and their snippets, one entry each, in the order of the file; offsets as they are.

    `question`, `document` and `begin_section` are positions in the lists before them, sections are named "abstract" for
    BioASQ's "sections.abstract", `end` is the last character, and `line` gives a snippet's line in the file.
    """

    questions: list[Question]
    question: Ints
    documents: list[str]
    document: Ints
    sections: list[str]
    begin_section: Ints
    end_section: Ints
    begin: Ints
    end: Ints
    line: Callable[[int], int]


def read_bioasq_columns(source: Source) -> BioasqColumns:
    """Read golden or submitted questions. Raises FormatError with the line if the file is not as BioASQ's."""
    name = source_name(source)
    data = read_bytes(source)
    loaded = load_json(data, name)

    def fault(message: str, *place: str | int) -> FormatError:
        return FormatError(message, file=name, line=json_line_of(decode_json(data), place))

    records = loaded.get("questions") if isinstance(loaded, dict) else None
    if not isinstance(records, list):
        raise fault('this is not a file of BioASQ: it has no list called "questions"')
    questions: list[Question] = []
    snippets: list[object] = []
    counts = []
    for number, record in enumerate(records):
        if not isinstance(record, dict):
            raise fault("a question is an object with id, documents and snippets", "questions", number)
        questions.append(_read_question(record, number, fault))
        of_question = record.get("snippets", [])
        if not isinstance(of_question, list):
            raise fault("snippets is not a list", "questions", number, "snippets")
        snippets += of_question
        counts.append(len(of_question))

    def locate_snippet(snippet: int) -> tuple[str | int, ...]:
        ends = np.cumsum(counts)
        question = int(np.searchsorted(ends, snippet, side="right"))
        return "questions", question, "snippets", snippet - int(ends[question] - counts[question])

    names, (begin, end) = _lay_out_snippets(
        snippets, lambda message, snippet, *key: fault(message, *locate_snippet(snippet), *key)
    )
    document, documents = _code_names(names[0])
    bare = [[text.partition(".")[2] if "." in text else text for text in texts] for texts in names[1:]]
    section, sections = _code_names(bare[0] + bare[1])
    return BioasqColumns(
        questions,
        np.repeat(np.arange(len(counts)), counts),
        documents,
        document,
        sections,
        section[: len(snippets)],
        section[len(snippets) :],
        begin,
        end,
        lambda snippet: json_line_of(decode_json(data), locate_snippet(snippet)),
    )


def read_bioasq_run(source: Source, *, errors: str = "raise") -> pd.DataFrame:
    """Read submitted snippets as a run frame: docno is the last part of the document's address and the section.

    `24325358/abstract` is the abstract of PubMed's 24325358; if a snippet begins in one section and ends in another,
    both are named, `24325358/title-abstract`. Both ends are inside in the file; spans are half-open. The ranking is the
    order of the snippets; scores are whole numbers that fall along it. A second answer to a question is left
    out, as by the official program.
    """
    faults = Faults(source_name(source), errors)
    run = bioasq_run_columns(source, faults)
    faults.report()
    return fol_frame(run)


def bioasq_run_columns(source: Source, faults: Faults) -> FolColumns:
    """Read submitted snippets as columns, with line numbers of 0; empty snippets go to *faults*."""
    columns = read_bioasq_columns(source)
    keep = _keep_spans(columns, faults)
    answered = [question.id for question in columns.questions]
    first_answer = {name: number for number, name in reversed(list(enumerate(answered)))}
    keep = keep[[first_answer[answered[number]] == number for number in columns.question[keep].tolist()]]
    names, docno = _name_sections(columns, keep)
    # Only questions with results are topics of a run.
    topic, first_snippet = first_codes(columns.question[keep])
    return FolColumns(
        topics=[answered[number] for number in columns.question[keep][first_snippet].tolist()],
        topic=topic,
        articles=names,
        article=docno,
        start=columns.begin[keep],
        end=columns.end[keep] + 1,
        line=np.zeros(len(keep), dtype=np.int64),
        tag="",
        rank=None,
        score=None,
    )


def read_bioasq_qrels(source: Source, *, errors: str = "raise") -> pd.DataFrame:
    """Read golden snippets as a qrels frame; docno and spans as in `read_bioasq_run`.

    Golden documents, concepts and triples are not in the frame.

    Returns:
        A qrels frame. Questions without snippets are not judged: a warning counts them.
    """
    columns = read_bioasq_columns(source)
    _refuse_repeated(columns, source_name(source))
    faults = Faults(source_name(source), errors)
    keep = _keep_spans(columns, faults)
    faults.report()
    silent = len(columns.questions) - len(np.unique(columns.question[keep]))
    if silent:
        warn_caller(
            f"{source_name(source)}: {silent} of {len(columns.questions)} questions have no snippets: not judged"
        )
    names, docno = _name_sections(columns, keep)
    start = columns.begin[keep]
    end = columns.end[keep] + 1
    row, head = first_codes(columns.question[keep] * max(len(names), 1) + docno)
    order = np.argsort(row, kind="stable")
    qids = [columns.questions[number].id for number in columns.question[keep][head].tolist()]
    return pd.DataFrame({
        "qid": pd.Series(qids, dtype=object),
        "docno": pd.Series([names[code] for code in docno[head].tolist()], dtype=object),
        "label": np.ones(len(head), dtype=np.int64),
        "highlights": span_column(row[order], len(head), start[order], end[order]),
        "bep": pd.Series(start).groupby(row).min().to_numpy(),
        "length": np.full(len(head), -1, dtype=np.int64),
    })  # fmt: skip


def _code_names(names: list[str]) -> tuple[Ints, list[str]]:
    """Number texts in order of appearance: (code of each, text of each code)."""
    codes, distinct = pd.factorize(np.array(names, dtype=object))
    return codes, distinct.tolist()


def _refuse_repeated(columns: BioasqColumns, name: str) -> None:
    """Raise FormatError if a golden question occurs twice: a topic of a frame is judged once."""
    seen: set[str] = set()
    for question in columns.questions:
        if question.id in seen:
            raise FormatError(f"question {question.id!r} occurs twice; keep one of the two", file=name)
        seen.add(question.id)


def document_names(addresses: list[str]) -> list[str]:
    """Return the last part of each document's address, by which BioASQ's program knows it."""
    return [address.rstrip("/").rpartition("/")[2] for address in addresses]


def _keep_spans(columns: BioasqColumns, faults: Faults) -> Ints:
    good = (columns.begin >= 0) & (columns.end >= columns.begin)
    wrong = np.flatnonzero(~good).tolist()
    line = columns.line(wrong[0]) if wrong else 0
    advice = f"frames hold spans of one text{SKIP_ERRORS.after('; ', ' leaves it out')}"
    bad = BadLine("a snippet that ends before it begins", advice)
    for snippet in wrong:
        faults.add(bad, line if snippet == wrong[0] else 0, f"{columns.begin[snippet]} to {columns.end[snippet]}")
    return np.flatnonzero(good)


def _name_sections(columns: BioasqColumns, keep: Ints) -> tuple[list[str], Ints]:
    documents = document_names(columns.documents)
    sections = columns.sections
    names: dict[str, int] = {}
    codes = []
    parts = (column[keep].tolist() for column in (columns.document, columns.begin_section, columns.end_section))
    for document, begin, end in zip(*parts, strict=True):
        section = sections[begin] if begin == end else f"{sections[begin]}-{sections[end]}"
        codes.append(names.setdefault(f"{documents[document]}/{section}", len(names)))
    return list(names), np.array(codes, dtype=np.int64)


def _read_question(record: JsonObject, number: int, fault: MakeFault) -> Question:
    if isinstance(record.get("id"), bool) or not isinstance(record.get("id"), str | int):
        raise fault('a question has no "id"', "questions", number)
    lists = []
    for key in ("documents", "concepts"):
        values = record.get(key, [])
        if not isinstance(values, list) or not set(map(type, values)) <= {str}:
            raise fault(f"{key} is not a list of texts", "questions", number, key)
        lists.append(list(dict.fromkeys(values)))
    triples = record.get("triples", [])
    if not isinstance(triples, list) or not all(isinstance(triple, dict) for triple in triples):
        raise fault("triples is not a list of objects with p, s and o", "questions", number, "triples")
    return Question(str(record["id"]), lists[0], lists[1], [_read_triple(triple) for triple in triples])


def _read_triple(triple: JsonObject) -> Triple:
    return Triple(*("" if triple.get(key) is None else str(triple[key]) for key in "pso"))


def _lay_out_snippets(snippets: list[Any], fault: MakeFault) -> tuple[list[list[str]], list[Ints]]:
    """Lay the snippets out as (documents, begin and end sections), (begins, ends); FormatError for a bad one."""
    if not set(map(type, snippets)) <= {dict}:
        bad = next(i for i, snippet in enumerate(snippets) if type(snippet) is not dict)
        raise fault("a snippet is an object with document, sections and offsets", bad)
    if not set().union(*snippets) <= _KEYS:
        bad = next(i for i, snippet in enumerate(snippets) if not snippet.keys() <= _KEYS)
        unknown = sorted(snippets[bad].keys() - _KEYS)[0]
        raise fault(f"a snippet has no key {unknown!r}; the keys are {', '.join(sorted(_KEYS))}", bad, unknown)

    def list_values(key: str, missing: object) -> list[Any]:
        try:
            return list(map(itemgetter(key), snippets))
        except KeyError:
            return [snippet.get(key, missing) for snippet in snippets]

    names = [list_values(key, "") for key in _NAMES]
    offsets = [list_values(key, 0) for key in _OFFSETS]
    columns = (*zip(_NAMES, names, strict=True), *zip(_OFFSETS, offsets, strict=True))
    for (key, values), kind in zip(columns, (str,) * 3 + (int,) * 2, strict=True):
        if not set(map(type, values)) <= {kind}:
            bad = next(i for i, value in enumerate(values) if type(value) is not kind)
            expected = "text" if kind is str else "a whole number"
            raise fault(f"{key} of a snippet is {values[bad]!r}, not {expected}", bad, key)
    try:
        numbers = [np.array(values, dtype=np.int64) for values in offsets]
    except OverflowError:
        bad = next(i for i, pair in enumerate(zip(*offsets, strict=True)) if max(map(abs, pair)) >= 2**63)
        raise fault("an offset of a snippet is beyond 64 bits", bad) from None
    beyond = [np.flatnonzero((values >= 2**31) | (values < -(2**31))) for values in numbers]
    if any(map(len, beyond)):
        raise fault("an offset of a snippet is beyond 32 bits", int(np.concatenate(beyond)[0]))
    return names, numbers
