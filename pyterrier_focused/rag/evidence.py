"""What the evidence is: rows and data sets, placed in the documents, as a qrels frame.

piece                                  finding
d1, start 16, end 31                   [16, 31) of d1, 'given'
d1, quote "Beta is second."            [16, 31) of d1, 'exact'
d1, quote "Alpha is first"             [0, 14) and [32, 46) of d1, 'repeated'
d1, start 0, quote "Beta is second."   [16, 31) of d1, 'contradiction'
"""

from __future__ import annotations

import importlib.util
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice, product
from math import prod
from typing import Any, Literal, NamedTuple, TypeAlias, Union

import numpy as np
import pandas as pd

from ..collection.corpora import (
    Corpus,
    CorpusArticle,
    Texts,
    as_docno,
    as_frame,
    is_frame,
    json_records,
    read_squad_articles,
)
from ..errors import (
    ANY_REPEATED,
    SKIP_ERRORS,
    WHOLE_DOCUMENT,
    EvidenceError,
    FormatError,
    check_choice,
    name_some,
    takes_corpus,
    warn_caller,
)
from ..frames.columns import span_column
from ..frames.span_attributes import ALTERNATIVES, COVER, make_numbers
from ..frames.span_cells import is_blank
from ..frames.spans import Span
from ..reading.files import JSON_ENDINGS, plain_name, read_bytes
from ..reading.json import JsonObject, Row
from ..reading.show import show_row, show_value
from ..reading.tables import TABLES, parsed_list, read_table
from ..reading.values import list_of, name_or_none, normalise_name, parse_dashed_id, parse_passage_id, whole_or_none
from .find_texts import FoundText, Place, find_texts
from .fuzzy import fuzzy_matches
from .items import Fault, Item, advise_columns, normalise_question, read_fields
from .locate import Document
from .place import (
    FoundParts,
    PageBase,
    choose_page_base,
    find_in_article,
    find_named_passage,
    find_named_place,
    strip_span,
)
from .shapes import EVIDENCE_NAME, ROLES, SHAPES, Sources, list_sources, map_names

_CHARACTERS = next(shape for shape in SHAPES if shape.name == "characters")
# Our fields by the names that others give them.
COLUMNS = {name: ROLES[name] for name in ("qid", "query", "docno", "quote", "alternative")}
COLUMNS |= {name: tuple(getattr(_CHARACTERS, name).split()) for name in ("start", "end", "length")}
# QuAC answers so if its text does not.
_NO_ANSWER = "CANNOTANSWER"

Kind = Literal["evidence", "none", "judged", "article", "document"]


class InParagraphs(NamedTuple):
    """A span as KILT counts it: first paragraph and offset in it, last paragraph and offset in it; -1: all of it."""

    first: int
    start: int
    last: int
    end: int


class Evidence(NamedTuple):
    """A piece of evidence as a file gives it, in line or row `where`, from 1, for a question.

    The offsets of its `item` count in the document, or in `context` if it is given: a paragraph at `context_start` in
    the article that came with the file. If that is not in the article and `context_optional`, the text is looked for
    there, and `anywhere` in the corpus if it has no such document; `named` are the documents of items that name none.
    It belongs to all alternatives if it names none.

    kind: 'none' is a question without evidence, 'judged' an article without, 'article' the whole of one, 'document' the
    whole of one of which any character is enough.
    """

    where: int
    qid: str | None
    query: str | None
    kind: Kind = "evidence"
    item: Item = Item()
    named: tuple[str, ...] = ()
    anywhere: bool = False
    context: str | None = None
    context_start: int = 0
    context_optional: bool = False
    paragraphs: InParagraphs | None = None
    alternative: str | None = None

    @property
    def documents(self) -> tuple[str, ...]:
        """The names of its document, the most telling first."""
        return self.item.documents or self.named

    @property
    def docno(self) -> str | None:
        """The most telling name of its document."""
        return self.documents[0] if self.documents else None

    @property
    def is_loose(self) -> bool:
        """Whether any character of it is enough, since it is known by its document or its pages only."""
        by_pages = self.item.parts is not None and bool(self.item.parts.pages)
        return self.kind == "document" or (by_pages and self.item.text is None and self.item.start is None)

    def ask(self) -> Evidence:
        """Return the question by itself; it has no answer if no evidence follows."""
        return self._replace(kind="none", context=None)


def read_rows(
    rows: Iterable[tuple[int, object]], name: str, columns: Mapping[str, str] | None, whole: bool = False
) -> Iterator[Evidence]:
    """Read rows of a piece each, or of a question each with a list of its pieces."""
    unknown = set(columns or ()) - set(COLUMNS) - {"references"}
    if unknown:
        raise ValueError(f"columns={dict(columns or {})}: {sorted(unknown)} is none of {[*COLUMNS, 'references']}")
    for where, row in rows:
        if not isinstance(row, Mapping):
            raise FormatError("this is not a row with named fields", file=name, line=where, text=str(row))
        row = _rename_fields(row, columns) if columns else row
        try:
            yield from _read_row(where, row, whole)
        except BadRowError as bad:
            raise FormatError(str(bad), file=name, line=where, text=show_row(row)) from None


def _rename_fields(row: Row, columns: Mapping[str, str]) -> Row:
    """Return a row with the fields that have other names under ours."""
    names = map_names(tuple(row))
    theirs = {name: names[normalise_name(field)] for name, field in columns.items() if normalise_name(field) in names}
    if not theirs:
        return row
    rest = {
        key: value for key, value in row.items() if normalise_name(key) not in theirs and key not in theirs.values()
    }
    return {name: row[key] for name, key in theirs.items()} | rest


class BadRowError(ValueError):
    """What is wrong with a row."""


def _read_row(where: int, row: Row, whole: bool) -> Iterable[Evidence]:
    sources = list_sources(row)
    qid = sources.find_own_name("qid")
    query = sources.find_own_name("query")
    if qid is None and query is None:
        known = f"({', '.join(ROLES['qid'])}) nor a question ({', '.join(ROLES['query'])})"
        raise BadRowError(f"the row has neither a question id {known}")
    question = Evidence(where, qid, query)
    several = _read_several(question, sources, whole) if sources.plan.roles["rows"] else None
    if several is not None:
        return several
    piece = read_piece(question, sources, whole)
    if piece is None:
        known = "; ".join(f"{name} as {', '.join(COLUMNS[name])}" for name in ("start", "end", "quote"))
        raise BadRowError(
            f"the row has neither start and end nor a quoted text (its fields: {', '.join(map(str, row))}); known "
            f"are {known}; name the field with columns={{'quote': ...}}"
        )
    return (piece,)


def _read_several(question: Evidence, sources: Sources, whole: bool) -> Iterable[Evidence] | None:
    """Read the pieces that a row lists, as answers or references; None if it is of one piece."""
    row = {normalise_name(key): sources.rows[0][key] for number, key in sources.plan.roles["rows"] if number == 0}
    answers = row.get("answers")
    if isinstance(answers, Mapping) and isinstance(row.get("context"), str):
        texts = parse_list(answers.get("text", []), "text")
        starts = parse_list(answers.get("answer_start", []), "answer_start")
        return _read_answers(_read_names(question, sources)._replace(context=row["context"]), texts, starts)
    pieces = _find_pieces(row)
    if pieces is not None:
        question = _read_names(question, sources)
        return [question.ask(), *(_read_item(question, item, pieces[0], whole) for item in pieces[1])]
    return None


def _find_pieces(row: Row) -> tuple[str, list[object]] | None:
    """Find the list of pieces of evidence that a row has, with the name of its field."""
    for name in ROLES["pieces"]:
        if name in row and ((isinstance(row[name], str) and name == "references") or list_of(row[name]) is not None):
            return name, parse_list(row[name], name)
    return None


def _read_names(question: Evidence, sources: Sources) -> Evidence:
    """Read which document a question names, and what pieces that name none themselves are evidence of."""
    names = sources.list_names("named")
    if names:
        question = question._replace(named=names, anywhere=not sources.plan.roles["docno"])
    return _read_alternative(question, sources)


def _read_item(question: Evidence, item: object, key: str, whole: bool = False) -> Evidence:
    """Read a reference in a list: a quote, [start, end], or an object."""
    if isinstance(item, str):
        item = {"quote": item}
    elif isinstance(item, list | tuple) and len(item) == 2:
        item = {"start": item[0], "end": item[1]}
    if not isinstance(item, Mapping):
        raise BadRowError(
            f"{key!r} holds {show_value(item)}; give quotes, [start, end] pairs, or objects with content or start "
            "and end"
        )
    piece = read_piece(question, list_sources(item), whole)
    if piece is None:
        raise BadRowError(f"{key!r} holds {show_value(item)}, which has neither start and end nor a quoted text")
    return piece


def _read_alternative(question: Evidence, sources: Sources) -> Evidence:
    """Read which alternative a row belongs to."""
    if not sources.plan.roles["alternative"]:
        return question
    return question._replace(alternative=sources.find_own_name("alternative") or question.alternative)


def read_piece(question: Evidence, sources: Sources, whole: bool = False) -> Evidence | None:
    """Return the piece of evidence that a row or a reference describes, or all of its document; None for neither.

    Raises:
        BadRowError: What it describes is blank or impossible, or fields of no known shape may hold it.
    """
    question = _read_alternative(question, sources)
    item = read_fields(sources, is_evidence=True)
    anywhere = not sources.plan.roles["docno"] if item.documents else question.anywhere
    whole = whole or item.whole
    fault = item.fault
    if fault is not None and fault.status == "outside" and not whole:
        raise BadRowError(fault.detail)
    is_blank_text = item.text is not None and is_blank(item.text)
    item = item._replace(text=None) if is_blank_text else item
    if item.text is not None or item.parts is not None or (item.start is not None and item.end is not None):
        return question._replace(item=item, anywhere=anywhere)
    is_named = bool(item.documents) or (item.whole and bool(question.named))
    if is_named and whole:
        return question._replace(item=Item(documents=item.documents, whole=True), kind="document")
    if list_of(sources.find("pages")) == []:
        return question._replace(item=Item(documents=item.documents)).ask()
    for number, key in sources.plan.roles["pieces"] if fault is None else ():
        if number == 0 and is_blank(sources.rows[0][key]):
            fault = fault or Fault("blank", f"{key!r} is {show_value(sources.rows[0][key])}")
    if fault is not None:
        hint = f"; {WHOLE_DOCUMENT} if all of the document is meant"
        raise BadRowError(f"the row has neither start and end nor a quoted text: {fault.detail}{hint}")
    suspect = next((name for name, text in item.beside if not text), None)
    if not is_named or item.start is not None or "length" in map_names(tuple(sources.rows[0])):
        return None
    if suspect is not None:
        raise BadRowError(describe_suspect(suspect))
    return question._replace(item=item, kind="document")


def describe_suspect(field: str) -> str:
    """Say that a field of no known shape may hold the evidence."""
    return (
        f"the row has neither start and end nor a quoted text, but the field {field!r} may be one: name it with "
        f"columns={advise_columns(field, 'quote')}, or {WHOLE_DOCUMENT} if all of the document is meant"
    )


def _read_answers(question: Evidence, texts: list[Any], starts: list[Any]) -> Iterator[Evidence]:
    """Read answers of SQuAD's; one that starts at -1, as str.find says, is looked up in its context."""
    if len(texts) != len(starts):
        raise BadRowError(f"'answers' has {len(texts)} texts and {len(starts)} starts; give each text its start")
    yield question.ask()
    answers = [(text, start) for text, start in zip(texts, starts, strict=True) if text != _NO_ANSWER]
    for number, (text, given) in enumerate(answers, start=1):
        start = whole_or_none(given)
        if start is None or not isinstance(text, str):
            raise BadRowError(
                f"an answer has the text {show_value(text)} and the start {show_value(given)}; give a text and a whole "
                "number"
            )
        item = Item(text) if start == -1 else Item(text, start, start + len(text))
        yield question._replace(item=item, alternative=str(number))


def read_squad(data: list[Row], articles: list[CorpusArticle], path: str) -> Iterator[Evidence]:
    """SQuAD: an article a title, answers with their offset in a paragraph."""
    number = 0
    try:
        for entry, article in zip(data, articles, strict=True):
            for paragraph, start in zip(entry["paragraphs"], article.paragraphs or (), strict=True):
                for asked in paragraph.get("qas", []):
                    number += 1
                    if not isinstance(asked.get("question"), str | None):
                        raise TypeError(f"the question {asked['question']!r} is not text")
                    question = Evidence(number, str(asked.get("id", number)), asked.get("question"))
                    question = question._replace(
                        named=(article.docno,), context=paragraph["context"], context_start=start
                    )
                    answers = asked.get("answers") or []
                    texts, starts = ([answer[name] for answer in answers] for name in ("text", "answer_start"))
                    yield from _read_answers(question, texts, starts)
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(f"a question or an answer is not as SQuAD's ({error!r})", file=path) from None


def read_beir_folder(folder: str) -> Iterator[Evidence]:
    """Read a folder of BEIR's: corpus.jsonl (passages with their article and offsets), queries.jsonl, qrels/*.tsv."""
    qrels = os.path.join(folder, "qrels")
    files = sorted(file for file in os.listdir(qrels) if file.endswith(".tsv")) if os.path.isdir(qrels) else []
    if "test.tsv" in files:
        files = ["test.tsv"]
    if len(files) != 1:
        raise FormatError(
            f"a folder of evidence holds corpus.jsonl, queries.jsonl and qrels/test.tsv as BEIR's (qrels: {files}); "
            "give the file of evidence itself",
            file=folder,
        )
    path = os.path.join(qrels, files[0])
    yield from read_beir_qrels(read_table(path)[1], path)


def read_beir_qrels(rows: list[tuple[int, JsonObject]], path: str) -> Iterator[Evidence]:
    """BEIR's judgments of passages, each placed by its id or by its record in corpus.jsonl."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    queries = {}
    if os.path.exists(os.path.join(folder, "queries.jsonl")):
        for _, row in _read_objects(os.path.join(folder, "queries.jsonl")):
            queries[str(row.get("_id"))] = row.get("text")
    corpus = os.path.join(folder, "corpus.jsonl")
    passages = {}
    if os.path.exists(corpus):
        for where, row in _read_objects(corpus):
            passages[str(row.get("_id"))] = (where, row)
    for where, row in rows:
        if not {"query-id", "corpus-id"} <= row.keys():
            raise FormatError("expected the columns query-id and corpus-id", file=path, line=where, text=str(row))
        qid = row["query-id"]
        name = row["corpus-id"]
        try:
            judged = int(row.get("score", "1")) <= 0
        except ValueError:
            raise FormatError("the score is not a whole number", file=path, line=where, text=row["score"]) from None
        base = Evidence(where, qid, queries.get(qid))
        if passages and name not in passages and parse_passage_id(name) is None:
            raise FormatError(f"passage {name!r} is not a passage id and not in {corpus}", file=path, line=where)
        try:
            piece = _locate_beir_passage(base, name, passages.get(name, (where, {}))[1])
        except BadRowError as bad:
            raise FormatError(str(bad), file=corpus, line=passages[name][0]) from None
        yield piece._replace(kind="judged") if judged else piece


def _read_objects(path: str) -> Iterator[tuple[int, JsonObject]]:
    for line, record in json_records(path):
        if not isinstance(record, dict):
            raise FormatError("this is not an object", file=path, line=line, text=str(record))
        yield line, record


def _locate_beir_passage(question: Evidence, name: str, record: Row) -> Evidence:
    """Place a passage as its id says, or its record; one that names no document is a document of its own."""
    passage = parse_passage_id(name)
    if passage is not None:
        article, (start, end) = passage
        return question._replace(item=Item(None, start, end, (article,)))
    metadata = record.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise BadRowError(f"the metadata of passage {name!r} is not an object")
    fields = {key: value for key, value in {**record, **metadata}.items() if key != "metadata"}
    if find_text({**fields, "title": None}, ROLES["docno"]) is None:
        return question._replace(named=(as_docno(name),), kind="article")
    piece = read_piece(question, list_sources(fields))
    if piece is None or piece.kind == "document":
        raise BadRowError(f"passage {name!r} has neither start and end nor a text")
    return piece


def find_text(row: Row, names: Iterable[str]) -> str | None:
    """Return the first of the named fields that holds text (or a number, as ids do)."""
    return next((found for name in names if (found := name_or_none(row.get(name))) is not None), None)


def parse_list(value: object, key: str) -> list[object]:
    """Return the list that a field holds, as such or as it is written into a cell."""
    values = list_of(value)
    if values is None:
        expected = "no list as JSON or Python writes it" if isinstance(value, str) else "not a list"
        raise BadRowError(f"{key!r} is {show_value(value)}, {expected}")
    return values


# RAGAS puts this before the contexts of questions that need several.
_HOP = re.compile(r"<\d+-hop>\s*")


class Dataset(NamedTuple):
    """A shape of evidence: the fields that tell it, those that it cannot be read without, and its reader."""

    name: str
    tells: str
    needs: str
    read: Callable[[Row, Evidence], Iterator[Evidence]]


def tell_dataset(record: object) -> Dataset | None:
    """Tell the data set that a record is of, None if it is of none of them."""
    if not isinstance(record, Mapping):
        return None
    told = (dataset for dataset in DATASETS if record.keys() >= {*dataset.tells.split()})
    return next((dataset for dataset in told if dataset.name != "KILT" or isinstance(record["output"], list)), None)


def read_dataset(dataset: Dataset, rows: Iterable[tuple[int, object]], file: str) -> Iterator[Evidence]:
    """Read the rows of a data set."""
    for where, row in rows:
        row = row if isinstance(row, Mapping) else {}
        missing = set(dataset.needs.split()) - row.keys()
        if missing:
            names = " and no ".join(map(repr, sorted(missing)))
            raise FormatError(f"this looks like {dataset.name}, but has no {names}", file=file, line=where)
        try:
            for piece in dataset.read(row, Evidence(where, find_text(row, ROLES["qid"]), None)):
                _check_texts(piece)
                yield piece
        except (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError, RecursionError) as error:
            message = f"this looks like {dataset.name}, but is not so ({error!r})"
            raise FormatError(message, file=file, line=where) from None


def _check_texts(piece: Evidence) -> None:
    texts: dict[str, object] = {name: getattr(piece, name) for name in ("qid", "query", "docno")}
    texts["quote"] = piece.item.text
    for name, value in texts.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"the {name} is {value!r:.80}")


def _list_name(docno: str | None) -> tuple[str, ...]:
    return () if docno is None else (docno,)


def _read_ragas(row: Row, base: Evidence) -> Iterator[Evidence]:
    """Read a row of a RAGAS test set: contexts quoted, in older ones with metadata that may name their document."""
    old = "evolution_type" in row
    base = base._replace(query=row["question" if old else "user_input"], anywhere=True)
    metadata = list_of(row.get("metadata")) if old else None
    of_context = metadata[0] if metadata else None
    docno = find_text(of_context, ROLES["docno"]) if isinstance(of_context, Mapping) else None
    base = base._replace(named=_list_name(docno or find_text(row, ROLES["docno"])))
    yield from _read_contexts(row["contexts" if old else "reference_contexts"], base)


def _read_contexts(contexts: str | Iterable[object] | None, base: Evidence) -> Iterator[Evidence]:
    if isinstance(contexts, str):
        contexts = parsed_list(contexts) or contexts.split("|")
    yield base.ask()
    for context in contexts if contexts is not None else []:
        yield base._replace(item=Item(_HOP.sub("", str(context), count=1)))


def _read_kilt(row: Row, base: Evidence) -> Iterator[Evidence]:
    """Read a line of KILT: the provenance of each output, an alternative, by paragraph and offset; -1: all of it."""
    base = base._replace(qid=str(row["id"]), query=row["input"])
    yield base.ask()
    outputs = enumerate((output.get("provenance") or [] for output in row["output"]), start=1)
    for number, entry in ((number, entry) for number, entries in outputs for entry in entries):
        named = _list_name(find_text(entry, ("wikipedia_id", "title")))
        piece = base._replace(named=named, alternative=str(number))
        start = entry.get("start_paragraph_id")
        if start is None:
            yield piece._replace(kind="article")
            continue
        end = entry.get("end_paragraph_id")
        place = InParagraphs(
            start, entry.get("start_character", -1), start if end is None else end, entry.get("end_character", -1)
        )
        if not all(isinstance(number, int) for number in place):
            raise ValueError(f"the provenance {show_value(entry)} has a place that is not a whole number")
        yield piece._replace(paragraphs=place)


DATASETS = (
    Dataset("KILT", "input output", "id", _read_kilt),
    Dataset("a test set of RAGAS", "evolution_type", "question contexts", _read_ragas),
    Dataset("a test set of RAGAS", "user_input reference_contexts", "", _read_ragas),
)


_SAMPLE_ROWS = 50
# topic 0 passage label
_TREC = re.compile(r"(?: \S+ [ \t]+ ){3} -?[0-9]+ [ \t]*", re.VERBOSE)


EvidenceInput: TypeAlias = Union[str, os.PathLike[str], "pd.DataFrame", Iterable[Mapping[str, Any]]]


class EvidenceSource(NamedTuple):
    """The name of a source of evidence, its pieces, and the articles that come with it, if any."""

    name: str
    evidence: list[Evidence]
    articles: list[CorpusArticle]


def read_evidence(source: EvidenceInput, columns: Mapping[str, str] | None, whole: bool = False) -> EvidenceSource:
    """Read evidence of any known shape: a path, a DataFrame, or an iterable of dicts."""
    source = as_frame(source)
    if is_frame(source):
        names = [str(column) for column in source.columns]
        records = (dict(zip(names, row, strict=True)) for row in source.itertuples(index=False, name=None))
        return _read_records(enumerate(records, start=1), "the DataFrame", columns, whole)
    if isinstance(source, str | os.PathLike):
        return _read_path(os.fspath(source), columns, whole)
    if not isinstance(source, Iterable) or isinstance(source, Mapping):
        raise ValueError(f"evidence is a path, a DataFrame or a list of dicts, not {type(source).__name__}")
    return _read_records(enumerate(source, start=1), "the evidence", columns, whole)


def _read_path(path: str, columns: Mapping[str, str] | None, whole: bool) -> EvidenceSource:
    if os.path.isdir(path):
        return EvidenceSource(path, list(read_beir_folder(path)), [])
    bare = plain_name(path.lower())
    if bare.endswith(JSON_ENDINGS):
        records: list[tuple[int, Any]] = list(json_records(path))
        record = records[0][1] if records else {}
        if isinstance(record, dict) and isinstance(record.get("data"), list):
            articles = list(read_squad_articles(record["data"], path))
            return EvidenceSource(path, list(read_squad(record["data"], articles, path)), articles)
        return _read_records(records, path, columns, whole)
    if not bare.endswith(TABLES):
        lines = read_bytes(path).decode("utf-8", "replace").splitlines()
        if lines and _TREC.fullmatch(lines[0]):
            return EvidenceSource(path, list(_read_trec_qrels(lines, path)), [])
    header, table = read_table(path)
    if {"query-id", "corpus-id"} <= set(header):
        return EvidenceSource(path, list(read_beir_qrels(table, path)), [])
    return _read_records(table, path, columns, whole)


def _read_records(
    rows: Iterable[tuple[int, object]], name: str, columns: Mapping[str, str] | None, whole: bool
) -> EvidenceSource:
    rows = iter(rows)
    sample = list(islice(rows, _SAMPLE_ROWS + 1))
    if not sample:
        return EvidenceSource(name, [], [])
    every = chain(sample, rows)
    dataset = tell_dataset(sample[0][1])
    pieces = read_rows(every, name, columns, whole) if dataset is None else read_dataset(dataset, every, name)
    source = EvidenceSource(name, list(pieces), [])
    return _check_that_evidence_was_read(source, [row for _, row in sample])


def _check_that_evidence_was_read(source: EvidenceSource, sample: Iterable[object]) -> EvidenceSource:
    """Return the source; an error if no question has evidence, but fields are there that look like it."""
    if not source.evidence or any(piece.kind != "none" for piece in source.evidence):
        return source
    fields = dict.fromkeys(name for row in sample for name in _list_evidence_fields(row, 3))
    if fields:
        raise FormatError(
            f"no evidence was read for any of the {len(source.evidence)} questions, though these fields may hold some: "
            f"{', '.join(fields)}; name the right one with columns={{'quote': ...}} or "
            "columns={'references': ...}, or drop them if all questions are without an answer",
            file=source.name,
        )
    return source


def _list_evidence_fields(value: object, depth: int) -> Iterator[str]:
    """Yield the names of fields that are not empty and sound as if they held evidence."""
    if isinstance(value, list) and depth:
        for item in value[:_SAMPLE_ROWS]:
            yield from _list_evidence_fields(item, depth - 1)
    if not isinstance(value, Mapping) or not depth:
        return
    for name, content in value.items():
        is_some = isinstance(content, list | tuple | Mapping | str) and content != "[]" and len(content) > 0
        if is_some and EVIDENCE_NAME.search(normalise_name(name)):
            yield str(name)
        else:
            yield from _list_evidence_fields(content, depth - 1)


def _read_trec_qrels(lines: Iterable[str], path: str) -> Iterator[Evidence]:
    """Read TREC qrels: of passages by their ids, ARTICLE#START-END, or of whole documents."""
    for where, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if not _TREC.fullmatch(line):
            raise FormatError("a line of qrels is: topic 0 passage label", file=path, line=where, text=line)
        qid, _, passage, label = line.split()
        kind: Kind = "evidence" if int(label) > 0 else "judged"
        place = parse_passage_id(passage)
        if place is None:
            yield Evidence(where, qid, None, kind="judged" if kind == "judged" else "article", named=(passage,))
        else:
            yield Evidence(where, qid, None, kind=kind, item=Item(None, *place[1], (place[0],)))


Repeated = Literal["report", "first", "all", "any"]
OnFault = Literal["raise", "skip"]
Status = Literal[
    "given", "exact", "tolerant", "fuzzy", "article", "judged", "first", "all", "any",
    "none",
    "repeated", "missing", "unknown article", "contradiction", "outside",
]  # fmt: skip

GOOD = ("given", "exact", "tolerant", "fuzzy", "article", "judged", "first", "all", "any")
# The docno of a question without an answer that is asked of no article.
NO_ARTICLE = "-"

_MOST_ALTERNATIVES = 64


@dataclass(frozen=True, slots=True)
class Placed:
    """A placed piece of evidence: its article, its places, how they were found or why not."""

    piece: Evidence
    qid: str
    docno: str
    places: list[Place]
    status: Status
    detail: str = ""

    @property
    def good(self) -> bool:
        """Whether the piece is judged: it has a place, or is known to have none."""
        return self.status in GOOD

    @property
    def spans(self) -> list[Span]:
        return [place.span for place in self.places]


def make_qrels(judged: Iterable[Placed], asked: Iterable[Placed], lengths: Mapping[str, int]) -> pd.DataFrame:
    """Make the qrels frame of the evidence that is *judged*; texts of questions are of all *asked*."""
    pairs, spans = _collect_highlights(list(judged))
    row, start, end, alternative = (spans[name].to_numpy(np.int64) for name in ("row", "start", "end", "alternative"))
    queries: dict[str, str] = {}
    for entry in asked:
        if entry.piece.query is not None:
            queries.setdefault(entry.qid, entry.piece.query)
    frame = pd.DataFrame(pairs, columns=["qid", "docno"], dtype=object)
    frame["label"] = np.isin(np.arange(len(pairs)), row).astype(np.int64)
    frame["highlights"] = span_column(row, len(pairs), start, end)
    if (alternative > 1).any():
        frame["alternatives"] = make_numbers(row, len(pairs), alternative, ALTERNATIVES)
    if spans["is_loose"].any():
        covers = np.where(spans["is_loose"].to_numpy(bool), 0.0, math.nan)
        frame["cover"] = make_numbers(row, len(pairs), covers, COVER)
    bep = np.full(len(pairs), -1, dtype=np.int64)
    bep[row[::-1]] = start[::-1]
    frame["bep"] = bep
    frame["length"] = np.array([lengths.get(docno, -1) for _, docno in pairs], dtype=np.int64)
    if queries:
        frame["query"] = pd.Series([queries.get(qid) for qid, _ in pairs], dtype=object)
    return frame


def _collect_highlights(judged: list[Placed]) -> tuple[list[tuple[str, str]], pd.DataFrame]:
    """Collect the pairs of question and article, and their highlights; an article that is only judged has none.

    A highlight has the `row` of its pair, `start`, `end`, the number of its `alternative`, from 1, and `is_loose`: any
    character of it is enough.
    """
    of_question: dict[str, list[Placed]] = {}
    for entry in judged:
        of_question.setdefault(entry.qid, []).append(entry)
    rows: dict[tuple[str, str], int] = {}
    records: list[tuple[int, int, int, int, bool]] = []
    many = []
    for qid, entries in of_question.items():
        for entry in entries:
            for docno in dict.fromkeys(place.docno for place in entry.places) or (entry.docno or NO_ARTICLE,):
                rows.setdefault((qid, docno), len(rows))
        alternatives = _list_alternatives(qid, entries)
        if alternatives is None:
            many.append(qid)
            alternatives = [[place for entry in entries for place in entry.places]]
        loose = {place for entry in entries if entry.piece.is_loose for place in entry.places}
        loose -= {place for entry in entries if not entry.piece.is_loose for place in entry.places}
        for number, places in enumerate(alternatives, start=1):
            if len(places) > 1:
                places = [*sorted(_merge_places([place for place in places if place not in loose])), *loose & {*places}]
            for place in dict.fromkeys(places):
                records.append((rows[qid, place.docno], *place.span, number, place in loose))
    if many:
        warn_caller(
            f"{len(many)} questions have more than {_MOST_ALTERNATIVES} combinations of places that suffice "
            f"(first: {many[0]!r}); all these places count as evidence"
        )
    spans = pd.DataFrame(records, columns=["row", "start", "end", "alternative", "is_loose"])
    return list(rows), spans.sort_values(["row", "start", "end", "alternative"])


def _list_alternatives(qid: str, entries: list[Placed]) -> list[list[Place]] | None:
    """List the combinations of places that are enough together: of each piece one choice, in each alternative.

    Evidence that is in no alternative belongs to all of them. Returns None if there are more than can be listed.
    """
    # most questions: nothing is named, and each piece has one place
    if not any(len(entry.places) > 1 or entry.piece.alternative for entry in entries):
        return [[place for entry in entries for place in entry.places]]
    alternatives: dict[frozenset[Place], list[Place]] = {}
    labels = dict.fromkeys(entry.piece.alternative for entry in entries if entry.piece.alternative is not None)
    for label in labels or (None,):
        of_label = [entry for entry in entries if entry.piece.alternative in (None, label)]
        choices = [[[place] for place in e.places] if e.status == "any" else [e.places] for e in of_label]
        if prod(map(len, choices)) + len(alternatives) > _MOST_ALTERNATIVES:
            if not labels:
                return None
            raise FormatError(
                f"question {qid!r} has more than {_MOST_ALTERNATIVES} alternatives: quotes that are found more than "
                "once make one for each combination of their places; give offsets or longer quotes"
            )
        for chosen in product(*choices):
            places = [place for choice in chosen for place in choice]
            alternatives.setdefault(_merge_places(places), places)
    return list(alternatives.values())


def _merge_places(places: list[Place]) -> frozenset[Place]:
    """Merge places that overlap; those that touch stay apart."""
    merged: list[Place] = []
    for docno, (start, end) in sorted(places):
        last = merged[-1] if merged else None
        if last is not None and last.docno == docno and start < last.span[1]:
            merged[-1] = Place(docno, (last.span[0], max(end, last.span[1])))
        else:
            merged.append(Place(docno, (start, end)))
    return frozenset(merged)


# The nearest text is not shown if it is less like the quote.
_ALIKE = 0.6
_FUZZY = "fuzzy="


def explain_unknown(piece: Evidence, texts: Texts) -> str:
    if piece.docno is None:
        return f"it names no document, and the corpus has {len(texts.docnos)}; name it"
    like = texts.like(piece.docno)
    names = f"did you mean {', '.join(like)}?" if like else f"it has {', '.join(sorted(texts.docnos)[:3])} ..."
    return f"the corpus has no article {piece.docno!r}; {names}"


def show_nearest(quote: str, document: Document) -> str:
    """Show the text that is most like a quote; without rapidfuzz, the place of its beginning."""
    if importlib.util.find_spec("rapidfuzz") is not None:
        best = max(fuzzy_matches(document, quote, _ALIKE), key=lambda match: match.ratio, default=None)
        if best is None:
            return ""
        start = best.spans[0][0]
        end = best.spans[-1][1]
        text = shorten(document.text[start:end], 200)
        return f"the nearest text, {best.ratio:.0%} like it, is at [{start}, {end}): {text}; {_FUZZY} takes such quotes"
    (start, end), rest = document.longest_start(quote)
    return f"its beginning is at [{start}, {end}), the rest, {shorten(rest)}, is not there" if end - start >= 8 else ""


def guess_mistake(start: int, places: list[Span], text: str) -> str:
    """Say how offsets may have been miscounted, of a quote that is at other *places*; "" without a guess."""
    for place_start, place_end in places:
        byte = len(text[:place_start].encode("utf-8", "surrogatepass"))
        if byte == start and place_start != start:
            return f"; the quote is at [{place_start}, {place_end}), byte {byte}: count characters, not bytes"
    return ""


def summarise_faults(bad: list[Placed], total: int) -> str:
    counts: dict[str, int] = {}
    for entry in bad:
        counts[entry.status] = counts.get(entry.status, 0) + 1
    kinds = ", ".join(f"{count} {_WORDS[status]}" for status, count in counts.items())
    lines = [f"{len(bad)} of {total} pieces of evidence cannot be placed ({kinds}):"]
    for entry in bad[:5]:
        quote = f": {shorten(entry.piece.item.text)}" if entry.piece.item.text else ""
        docnos = list(dict.fromkeys(place.docno for place in entry.places)) or [entry.docno]
        articles = f"articles {name_some(docnos)}" if len(docnos) > 1 else f"article {docnos[0]!r}"
        lines.append(
            f"  {entry.piece.where}, question {entry.qid!r}, {articles}: {_WORDS[entry.status]}"
            f"{_show_places(entry.spans)}{quote}" + (f" ({entry.detail})" if entry.detail else "")
        )
    if len(bad) > 5:
        lines.append(f"  and {len(bad) - 5} more, which locate_spans() lists")
    if counts.get("repeated"):
        lines.append("give start and end or a longer quote, or choose repeated='first', 'all' or 'any'")
    return "\n".join(lines)


_WORDS = {
    "repeated": "found more than once", "missing": "not found", "unknown article": "in an unknown article",
    "contradiction": "with offsets that are not those of the quote", "outside": "outside the article",
}  # fmt: skip


def _show_places(places: list[Span]) -> str:
    if not places:
        return ""
    shown = ", ".join(f"[{start}, {end})" for start, end in places[:5])
    return f", at {shown}" + (f" and {len(places) - 5} more places" if len(places) > 5 else "")


def shorten(text: str, width: int = 70) -> str:
    return repr(text if len(text) <= width else text[: width - 3] + "...")


def warn_of_unjudged(placed: list[Placed], good: list[Placed], name: str) -> None:
    """Warn of questions that are not judged, and of those that are without an answer."""
    judged = {entry.qid for entry in good}
    lost = [qid for qid in dict.fromkeys(entry.qid for entry in placed) if qid not in judged]
    if lost:
        warn_caller(
            f"{name}: {len(lost)} questions have no evidence left and are not judged: {name_some(map(repr, lost))}"
        )
    silent = list(dict.fromkeys(entry.qid for entry in good if entry.status == "none"))
    if silent:
        warn_caller(
            f"{name}: {len(silent)} questions have no evidence: {name_some(map(repr, silent))}; Abstain scores "
            "these; evaluate_retrieved leaves them out of other means, in pt.Experiment they count as 0"
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
    source: EvidenceSource, corpus: Corpus | None, fuzzy: float | None, pages_from: PageBase | None = None
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
            finding = _place_piece(pieces[i], texts.articles[docno], document, fuzzy, base)
            detail = finding.detail
            if finding.status == "missing" and not detail and unexplained > 0:
                unexplained -= 1
                detail = show_nearest(pieces[i].item.text or "", document)
            places = [Place(docno, span) for span in finding.spans]
            placed[i] = Placed(pieces[i], qids[i], docno, places, finding.status, detail)
    for i, entry in zip(anywhere, _place_anywhere(pieces, qids, anywhere, texts, fuzzy), strict=True):
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
    """Return the qid of each piece; questions without one are numbered by their text.

    Raises FormatError if some questions have ids and others none, or if one id has two texts.
    """
    numbers: dict[str, str] = {}
    queries: dict[str, str] = {}
    qids = []
    unnamed = next((piece for piece in source.evidence if piece.qid is None), None)
    if unnamed is not None and any(piece.qid is not None for piece in source.evidence):
        raise FormatError("this question has no id, and others have; give all ids or none", file=source.name,
                          line=unnamed.where, text=unnamed.query)  # fmt: skip
    for piece in source.evidence:
        qid = piece.qid
        if qid is None:
            qid = numbers.setdefault(normalise_question(str(piece.query)), str(len(numbers) + 1))
        elif piece.query is not None and not _is_same(queries.setdefault(qid, piece.query), piece.query):
            raise FormatError(
                f"question {qid!r} has two texts, before {queries[qid]!r}; give each question its own id",
                file=source.name, line=piece.where, text=piece.query,
            )  # fmt: skip
        qids.append(qid)
    return qids


def _is_same(query: str, other: str) -> bool:
    return query == other or normalise_question(query) == normalise_question(other)


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
    piece: Evidence, article: CorpusArticle, document: Document, fuzzy: float | None, base: PageBase
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
        return _place_in_context(piece, article, document, fuzzy)
    return _find(item, article, document, base, fuzzy)


def _find(
    item: Item, article: CorpusArticle, document: Document, base: PageBase, fuzzy: float | None = None
) -> Finding:
    spans, status, detail = find_in_article(item, article, document, base, True, fuzzy)
    if status == "contradiction" and not detail:
        start = item.start or 0
        end = start + len(item.text or "") if item.end is None else item.end
        detail = f"the text at [{start}, {end}) is {shorten(document.text[start:end])}"
        detail += guess_mistake(start, spans, document.text)
    if status == "fuzzy":
        detail = _describe_likeness(float(detail), document, spans)
    return Finding(spans, status, detail)


def _place_in_context(piece: Evidence, article: CorpusArticle, document: Document, fuzzy: float | None) -> Finding:
    """Find a piece whose offsets count in a paragraph, which is in the article."""
    item = piece.item
    context = piece.context or ""
    starts = [piece.context_start]
    if not document.text.startswith(context, piece.context_start):
        starts = [start for start, _ in document.places(context)]
    if len(starts) != 1 and piece.context_optional and item.text is not None:
        return _find(Item(item.text), article, document, 1, fuzzy)
    if len(starts) != 1:
        spans = [(start, start + len(context)) for start in starts]
        problem = "its paragraph is not in the article just once"
        return Finding(spans, "repeated" if spans else "missing", problem)
    if item.start is None:
        finding = _find(Item(item.text), article, Document(context), 1, fuzzy)
        return replace(finding, spans=[(start + starts[0], end + starts[0]) for start, end in finding.spans])
    # A quote beside an optional context is for articles that lack the context
    end = item.end if item.end is not None else item.start + len(item.text or "")
    text = None if piece.context_optional else item.text
    return _find(Item(text, item.start + starts[0], end + starts[0]), article, document, 1, fuzzy)


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
    pieces: list[Evidence], qids: list[str], members: list[int], texts: Texts, fuzzy: float | None
) -> Iterator[Placed]:
    documents: dict[str, Document] = {}
    quotes = [pieces[i].item.text or "" for i in members]
    for i, found in zip(members, find_texts(quotes, texts.articles.values()), strict=True):
        piece = pieces[i]
        if found.places:
            yield _choose_found(piece, qids[i], found)
        elif fuzzy is None:
            detail = f"it names no document, and is in none of {len(texts.docnos)}"
            yield Placed(piece, qids[i], "", [], "missing", detail)
        else:
            documents = documents or {docno: Document(article.text) for docno, article in texts.articles.items()}
            yield _find_alike(piece, qids[i], documents, fuzzy)


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


# Shorter texts occur again by chance.
_LEAST_WORDS = 5
_LEAST_LETTERS = 24


def treat_copies(
    placed: list[Placed], articles: Mapping[str, CorpusArticle], repeated: Repeated, name: str
) -> list[Placed]:
    """Warn of copies of evidence given by offsets, or let them count too, as *repeated* says.

    A copy has the same words; with repeated='first' only the place that was given counts.
    """
    by_offsets = [
        entry
        for entry in placed
        if repeated != "first" and entry.status == "given" and entry.piece.item.start is not None
    ]
    copies = _find_copies([entry for entry in by_offsets if len(entry.places) == 1], articles)
    if repeated in ("any", "all"):
        return [
            replace(entry, status=repeated, places=[*entry.places, *copies[id(entry)]])
            if id(entry) in copies
            else entry
            for entry in placed
        ]
    if copies:
        first = next(entry for entry in by_offsets if id(entry) in copies)
        place = first.places[0]
        copy = copies[id(first)][0]
        warn_caller(
            f"{name}: {len(copies)} of {len(by_offsets)} pieces of evidence that are given by offsets occur again, "
            f"word for word, in the corpus, where they do not count (first: question {first.qid!r}, "
            f"{_show_place(place)}, also {_show_place(copy)}); {ANY_REPEATED} lets each copy count"
        )
    return placed


def _find_copies(entries: list[Placed], articles: Mapping[str, CorpusArticle]) -> dict[int, list[Place]]:
    """Return the copies of pieces, by the ids of these, but for those that are evidence of the same question."""
    given: dict[str, list[Place]] = {}
    texts = []
    long = []
    for entry in entries:
        place = entry.places[0]
        given.setdefault(entry.qid, []).append(place)
        text = articles[place.docno].text[slice(*place.span)] if place.docno in articles else ""
        if len(text.split()) >= _LEAST_WORDS and sum(map(str.isalnum, text)) >= _LEAST_LETTERS:
            long.append(entry)
            # No article has these blanks, so that copies with other line ends are found as well.
            texts.append("\v\f".join(text.split()))
    copies: dict[int, list[Place]] = {}
    for entry, text, found in zip(long, texts, find_texts(texts, articles.values()) if texts else (), strict=True):
        for place in found.places:
            words = articles[place.docno].text[slice(*place.span)].split()
            if words == text.split() and not any(_overlap(place, other) for other in given[entry.qid]):
                copies.setdefault(id(entry), []).append(place)
    return copies


def _overlap(one: Place, other: Place) -> bool:
    return one.docno == other.docno and one.span[0] < other.span[1] and other.span[0] < one.span[1]


def _show_place(place: Place) -> str:
    return f"[{place.span[0]}, {place.span[1]}) of {place.docno!r}"


@takes_corpus
def read_spans(
    source: EvidenceInput,
    corpus: Corpus | None = None,
    *,
    repeated: Repeated = "report",
    errors: OnFault = "raise",
    fuzzy: float | None = None,
    columns: Mapping[str, str] | None = None,
    pages_from: PageBase | None = None,
    whole: bool = False,
    dashed_ids: bool = False,
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
    - a test set of RAGAS.

    Offsets are half-open and count characters. If a piece has offsets and a quote, the text at the offsets must be the
    quote; a warning tells if that is so in bytes, in UTF-16 units or with the end included. A quote is located exactly,
    and if it is not there, whatever its white space, quotation marks and case; a quote that names no document, in the
    whole corpus.

    Evidence that is enough by itself is an alternative: rows with `alternative`, answers of SQuAD, outputs of KILT,
    copies of a quote with repeated='any'. The column `alternatives` then tells
    beside each highlight which one it belongs to; a topic's value is that of its best alternative.

    Questions without a qid are numbered from 1 by their text. Spans of a question (and alternative) that overlap are
    merged. Questions without an answer stay, with label 0: see `Abstain`.

    Args:
        corpus: The documents, as for `articles`. Needed to locate quotes and to check offsets.
        repeated: How to treat a quote that is found more than once: 'report' it as an error; take the 'first' place,
            as many tools do in silence; let 'all' its places count; or let 'any' of them be enough. Of five words or
            more that are given by offsets, 'report' warns if they occur again, and 'first' keeps the given place.
        errors: 'raise' an EvidenceError for all the evidence that cannot be placed, or 'skip' it with a warning.
        fuzzy: How alike a text must be to a quote that is not found otherwise, such as 0.95. Quotes
            may then be edited: hyphens, accents, a word more, "..." for text left out.
        columns: The source's names for our fields (qid, query, docno, start, end, length, quote, references,
            alternative), if it has others.
        pages_from: The number of the first page in a field `page`, 0 or 1; by default 1, unless there is a page 0, or
            metadata as LangChain's readers of PDF write them (`total_pages`, `page_label`).
        whole: Take rows without text or place as their whole documents, whatever their other fields are;
            `"whole": true` says so of one row.
        dashed_ids: Take names of documents such as `DOCNO-START-END`, as in MTRAG's judgments, for spans. Without it
            only `DOCNO#START-END` is one.

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
    if dashed_ids:
        origin = origin._replace(evidence=list(map(_open_dashed, origin.evidence)))
    findings, articles = place_evidence(origin, corpus, _check_likeness(fuzzy), pages_from)
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
    columns: Mapping[str, str] | None = None,
    pages_from: PageBase | None = None,
    whole: bool = False,
    dashed_ids: bool = False,
) -> pd.DataFrame:
    """List the places of each quote or span of evidence, or why `read_spans` would refuse it, in one row each.

    Status is 'given' (offsets that hold), 'exact', 'tolerant' (white space,
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
    if dashed_ids:
        origin = origin._replace(evidence=list(map(_open_dashed, origin.evidence)))
    placed, _ = place_evidence(origin, corpus, _check_likeness(fuzzy), pages_from)
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


def _check_likeness(fuzzy: float | None) -> float | None:
    if fuzzy is not None and not 0.5 <= fuzzy <= 1:
        raise ValueError(f"fuzzy={fuzzy!r}: give how alike a text must be to the quote, from 0.5 to 1, such as 0.95")
    return fuzzy


def _open_dashed(piece: Evidence) -> Evidence:
    """Return evidence by a whole document as a span, if the document's name is `DOCNO-START-END`."""
    passage = None if piece.docno is None or piece.kind in ("evidence", "none") else parse_dashed_id(piece.docno)
    if passage is None:
        return piece
    kind: Kind = "judged" if piece.kind == "judged" else "evidence"
    return piece._replace(kind=kind, named=(), item=Item(None, *passage[1], (passage[0],)))


def _make_record(entry: Placed) -> dict[str, object]:
    piece = entry.piece
    return {
        "where": piece.where, "qid": entry.qid, "docno": entry.docno, "quote": piece.item.text, "status": entry.status,
        "places": entry.spans, "detail": entry.detail,
    }  # fmt: skip


def _choose_places(entry: Placed, repeated: Repeated) -> Placed:
    if entry.status != "repeated" or repeated == "report":
        return entry
    if repeated != "first":
        return replace(entry, status=repeated)
    return replace(entry, status=repeated, docno=entry.places[0].docno, places=entry.places[:1])
