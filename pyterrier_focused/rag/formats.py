"""The shapes in which evidence comes: rows with spans or quotes, lists of references, SQuAD, BEIR's passages.

Each reader yields `Evidence`, one entry a piece, as it is in the file: nothing is looked up in a document here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Literal, NamedTuple

import numpy as np

from ..collection.corpora import CorpusArticle, as_docno, json_records
from ..errors import WHOLE_DOCUMENT, FormatError
from ..frames.span_cells import is_blank
from ..reading.json import JsonObject, Row
from ..reading.show import show_row, show_value
from ..reading.tables import read_table
from ..reading.values import list_of, name_or_none, parse_passage_id, whole_or_none
from .items import Fault, Item, advise_columns, read_fields
from .shapes import ROLES, SHAPES, Sources, list_sources, map_names, normalise_name
from .text_parts import Parts
from .views import list_hunks

# As the TREC RAG track weighs nuggets.
IMPORTANCE = {"vital": 1.0, "okay": 0.5}
_CHARACTERS = next(shape for shape in SHAPES if shape.name == "characters")
# Our fields by the names that others give them.
COLUMNS = {name: ROLES[name] for name in ("qid", "query", "docno", "quote", "alternative", "fact", "cluster")}
COLUMNS |= {name: tuple(getattr(_CHARACTERS, name).split()) for name in ("start", "end", "length")}
# QuAC answers so if its text does not.
_NO_ANSWER = "CANNOTANSWER"
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE)
_DECIMAL = re.compile(r"[0-9]{1,15}(\.[0-9]*)?")

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
    It belongs to all alternatives if it names none, and
    proves its fact with the others of its `fact_set`. `over` is the document asked; questions of one `cluster` belong
    together.

    kind: 'none' is a question without evidence, 'judged' an article without, 'article' the whole of one, 'document' the
    whole of one of which any character is enough.
    """

    where: int
    qid: str | None
    query: str | None
    cluster: str | None = None
    over: str | None = None
    kind: Kind = "evidence"
    item: Item = Item()
    named: tuple[str, ...] = ()
    anywhere: bool = False
    context: str | None = None
    context_start: int = 0
    context_optional: bool = False
    paragraphs: InParagraphs | None = None
    alternative: str | None = None
    fact: str | None = None
    fact_set: str | None = None
    fact_weight: float = 1.0

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
    question = Evidence(where, qid, query, sources.find_own_name("cluster"))
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
    """Read the pieces that a row lists, as nuggets, answers, references or a patch; None if it is of one piece."""
    row = {normalise_name(key): sources.rows[0][key] for number, key in sources.plan.roles["rows"] if number == 0}
    answers = row.get("answers")
    patch = row.get("patch")
    if isinstance(row.get("nuggets"), list):
        return _read_nuggets(_read_names(question, sources), row["nuggets"])
    if isinstance(answers, Mapping) and isinstance(row.get("context"), str):
        texts = parse_list(answers.get("text", []), "text")
        starts = parse_list(answers.get("answer_start", []), "answer_start")
        return _read_answers(_read_names(question, sources)._replace(context=row["context"]), texts, starts)
    pieces = _find_pieces(row)
    if pieces is not None:
        question = _read_names(question, sources)
        return [question.ask(), *(_read_item(question, item, pieces[0], whole) for item in pieces[1])]
    if isinstance(patch, str) and _HUNK.search(patch):
        items = [Item(documents=(file,), parts=Parts((first, last))) for file, first, last in _list_changes(patch)]
        return [question.ask(), *(question._replace(item=item) for item in items)]
    return None


def _find_pieces(row: Row) -> tuple[str, list[object]] | None:
    """Find the list of pieces of evidence that a row has, with the name of its field."""
    for name in ROLES["pieces"]:
        if name in row and ((isinstance(row[name], str) and name == "references") or list_of(row[name]) is not None):
            return name, parse_list(row[name], name)
    return None


def _list_changes(patch: str) -> Iterator[tuple[str, int, int]]:
    """Yield the lines that a unified diff changes in its old files; of lines that it inserts the one before them."""
    for hunk in list_hunks(patch.replace("\r\n", "\n").split("\n")):
        file = (hunk.file or "").removeprefix("a/")
        for is_change, lines in groupby(hunk.lines, lambda line: line[1].startswith(("-", "+"))):
            numbers = [max(number - line.startswith("+"), 1) for number, line in lines]
            # A new file has no old side.
            if is_change and file != "/dev/null":
                yield file, numbers[0], max(numbers)


def _read_names(question: Evidence, sources: Sources) -> Evidence:
    """Read which document a question names, and what pieces that name none themselves are evidence of."""
    names = sources.list_names("named")
    if names:
        question = question._replace(named=names, anywhere=not sources.plan.roles["docno"])
    return _read_proof(question, sources)


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


def _read_proof(question: Evidence, sources: Sources) -> Evidence:
    """Read which alternative and fact a row proves, with what set of pieces, and what the fact weighs."""
    if not sources.plan.roles["proof"]:
        return question
    weight = sources.find("fact_weight")
    weight = question.fact_weight if is_blank(weight) else weight
    number = weight.item() if isinstance(weight, np.generic) else weight
    if isinstance(number, str):
        number = float(number) if _DECIMAL.fullmatch(number.strip()) else 0
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < 1e100:
        raise BadRowError(f"'fact_weight' is {show_value(weight)}; give a number above 0")
    return question._replace(
        alternative=sources.find_own_name("alternative") or question.alternative,
        fact=sources.find_own_name("fact") or question.fact,
        fact_set=sources.find_own_name("fact_set") or question.fact_set,
        fact_weight=float(number),
    )


def _read_nuggets(question: Evidence, nuggets: list[object]) -> Iterator[Evidence]:
    """Read nuggets: each a fact, proved by any of the places that it lists, in documents or in answers."""
    yield question.ask()
    for number, nugget in enumerate(nuggets, start=1):
        if not isinstance(nugget, Mapping):
            raise BadRowError(f"nugget {number} is {show_value(nugget)}; give an object with a text and its places")
        name = find_text(nugget, ("id", *ROLES["fact"], "text")) or f"nugget {number}"
        importance = nugget.get("importance", "vital")
        if not isinstance(importance, str) or importance not in IMPORTANCE:
            raise BadRowError(f"nugget {number} is {show_value(importance)}; give {' or '.join(IMPORTANCE)}")
        pieces = _find_pieces(nugget)
        if pieces is None:
            raise BadRowError(
                f"nugget {number}, {show_value(name)}, names no place in a document or an answer; give it a list of "
                "'references', each with docno and start and end or a quote"
            )
        for item in pieces[1]:
            yield _read_item(question._replace(fact=name, fact_weight=IMPORTANCE[importance]), item, pieces[0])


def read_piece(question: Evidence, sources: Sources, whole: bool = False) -> Evidence | None:
    """Return the piece of evidence that a row or a reference describes, or all of its document; None for neither.

    Raises:
        BadRowError: What it describes is blank or impossible, or fields of no known shape may hold it.
    """
    question = _read_proof(question, sources)
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
        if name not in passages and parse_passage_id(name) is None:
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
    passage = parse_passage_id(name) if "#" in name or not record else None
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
