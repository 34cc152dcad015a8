"""The shapes in which evidence comes: rows with spans or quotes, lists of references, SQuAD, KILT, BEIR's passages.

Each reader yields `Evidence`, one entry a piece, as it is in the file: nothing is looked up in a document here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal, NamedTuple

import numpy as np

from ..errors import WHOLE_DOCUMENT, FormatError
from ..frames.span_cells import is_blank
from ..reading.json import JsonObject, Row
from ..reading.show import show_row, show_value
from ..reading.tables import read_table
from ..texts.corpus import CorpusArticle, as_docno, json_records
from ..texts.field_names import parse_passage_id, whole_or_none
from ..texts.items import LARGEST, Fault, Item, advise_columns, list_of, name_or_none, read_fields
from ..texts.locate import Context
from ..texts.shapes import ROLES, SHAPES, Sources, Unit, list_sources, normalise_name, sort_keys
from ..texts.text_parts import Parts
from ..texts.views import list_hunks

# As the TREC RAG track weighs nuggets.
IMPORTANCE = {"vital": 1.0, "okay": 0.5}
_READ_AS_A_WHOLE = {"nuggets", "answers", "context", "patch", *ROLES["pieces"]}
_FACT_ROLES = ("fact", "fact_set", "fact_weight")
_NOT_PLAIN = (
    *_FACT_ROLES, "alternative", "whole", "prefix", "suffix", "payload", "page", "pages", "page_label", "page_number"
)  # fmt: skip
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


class Hints(NamedTuple):
    """What helps to place a piece, as `Item` has it: all names of its document, the unit of offsets, and so on."""

    documents: tuple[str, ...] = ()
    unit: Unit = "characters"
    is_first_copy: bool = False
    context: Context | None = None
    beside: tuple[tuple[str, str], ...] = ()


class Evidence(NamedTuple):
    """A piece of evidence as a file gives it, in line or row `where`, from 1.

    `start` and `end` are offsets in the document, or in `context` if it is given: a paragraph at `context_start` in the
    article that came with the file. If that is not in the article and `context_optional`, the quote is looked for
    there, and `anywhere` in the corpus if it has no such document. `parts` are the lines or pages that it is, or in
    which its quote is looked for first; `segment` is a passage of which the corpus knows the place. It belongs to all
    alternatives if it names none, and proves its fact with the others of its `fact_set`. `over` is the document asked;
    questions of one `cluster` belong together. `hints` tell the unit of offsets, what is around the quote, and what
    fields beside a document may be evidence.

    kind: 'none' is a question without evidence, 'judged' an article without, 'article' the whole of one, 'document' the
    whole of one of which any character is enough.
    """

    where: int
    qid: str | None
    query: str | None
    docno: str | None = None
    cluster: str | None = None
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    context: str | None = None
    context_start: int = 0
    paragraphs: InParagraphs | None = None
    alternative: str | None = None
    fact: str | None = None
    fact_set: str | None = None
    fact_weight: float = 1.0
    over: str | None = None
    segment: str | None = None
    context_optional: bool = False
    anywhere: bool = False
    parts: Parts | None = None
    kind: Kind = "evidence"
    hints: Hints = Hints()

    def ask(self) -> Evidence:
        """Return the question by itself; it has no answer if no evidence follows."""
        return self._replace(kind="none", context=None)

    @property
    def is_loose(self) -> bool:
        """Whether any character of it is enough, since it is known by its document or its pages only."""
        by_pages = self.parts is not None and bool(self.parts.pages) and self.quote is None and self.start is None
        return self.kind == "document" or by_pages


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
        plain = _read_plain_row(where, row)
        if plain is not None:
            yield plain
            continue
        try:
            yield from _read_row(where, list_sources(row), whole)
        except _BadRowError as bad:
            raise FormatError(str(bad), file=name, line=where, text=show_row(row)) from None


def _rename_fields(row: Row, columns: Mapping[str, str]) -> Row:
    """Return a row with the fields that have other names under ours."""
    names = sort_keys(tuple(row)).names
    theirs = {name: names[normalise_name(field)] for name, field in columns.items() if normalise_name(field) in names}
    if not theirs:
        return row
    rest = {
        key: value for key, value in row.items() if normalise_name(key) not in theirs and key not in theirs.values()
    }
    return {name: row[key] for name, key in theirs.items()} | rest


class _BadRowError(ValueError):
    """What is wrong with a row."""


@dataclass(frozen=True)
class _PlainKeys:
    """The keys of a row that is read by these alone, if `texts` hold texts and the others offsets."""

    roles: Mapping[str, Any]
    documents: tuple[Any, ...]
    start: Any
    end: Any
    texts: tuple[Any, ...]


@lru_cache(4096)
def _list_plain_keys(keys: tuple[object, ...]) -> _PlainKeys | None:
    """List the keys of a row of the commonest kind: a document with offsets or a quote; None for other kinds."""
    of_row = sort_keys(keys)
    roles = of_row.roles
    documents = tuple(dict.fromkeys((*roles["docno"], *roles["document"])))
    ours = {role: roles[role][0] for role in ("qid", "query", "cluster", "quote") if roles[role]}
    is_other = bool(of_row.typed) or bool(_READ_AS_A_WHOLE & of_row.names.keys()) or any(map(roles.get, _NOT_PLAIN))
    if is_other or (documents and not roles["docno"]) or not ours.keys() & {"qid", "query"}:
        return None
    texts = tuple(dict.fromkeys((*ours.values(), *documents, *roles["carrier"])))
    if not of_row.families:
        return _PlainKeys(ours, documents, None, None, texts) if "quote" in ours else None
    offsets = of_row.families[0]
    if len(of_row.families) > 1 or offsets.shape is not _CHARACTERS or offsets.length or not offsets.start:
        return None
    return _PlainKeys(ours, documents, offsets.start[0], offsets.end[0], texts) if offsets.end else None


def _read_plain_row(where: int, row: Row) -> Evidence | None:
    """Read a row of the commonest kind, as `_read_row` does but sooner; None if it is of another."""
    keys = _list_plain_keys(tuple(row))
    if keys is None:
        return None
    texts: dict[object, str] = {}
    for key in keys.texts:
        value = row[key]
        if type(value) is int:
            value = str(value)
        elif type(value) is not str or not value or value.isspace() or value[0] == "{":
            return None
        texts[key] = value
    start = end = None
    if keys.start is not None:
        start = whole_or_none(row[keys.start])
        end = whole_or_none(row[keys.end])
        if start is None or end is None or not 0 <= start <= end < LARGEST:
            return None
    names = tuple(dict.fromkeys(texts[key] for key in keys.documents))
    qid, query, cluster, quote = (texts.get(keys.roles.get(role)) for role in ("qid", "query", "cluster", "quote"))
    return Evidence(where, qid, query, names[0] if names else None, cluster, start, end, quote, hints=Hints(names))


def _find(sources: Sources, role: str) -> str | None:
    """Return the name or text that the outermost of the fields have under a role."""
    keys = sources.plan.keys[0].roles[role]
    return find_text(sources.rows[0], keys) if keys else None


def _read_row(where: int, sources: Sources, whole: bool) -> Iterator[Evidence]:
    qid = _find(sources, "qid")
    query = _find(sources, "query")
    if qid is None and query is None:
        names = f"({', '.join(ROLES['qid'])}) nor a question ({', '.join(ROLES['query'])})"
        raise _BadRowError(f"the row has neither a question id {names}")
    base = Evidence(where, qid, query, cluster=_find(sources, "cluster"))
    keys = sources.plan.keys[0].names
    row = {name: sources.rows[0][keys[name]] for name in _READ_AS_A_WHOLE & keys.keys()}
    if isinstance(row.get("nuggets"), list):
        base, _ = _read_names(base, sources)
        yield from _read_nuggets(base, row["nuggets"])
        return
    if isinstance(row.get("answers"), Mapping) and isinstance(row.get("context"), str):
        base, _ = _read_names(base, sources)
        yield from _read_answers(base._replace(context=row["context"]), row["answers"])
        return
    key = next((name for name in ROLES["pieces"] if name in row and _is_list(row[name], name)), None)
    if key is None and isinstance(row.get("patch"), str) and _HUNK.search(row["patch"]):
        yield base.ask()
        for file, first, last in _list_changes(row["patch"]):
            yield base._replace(docno=file, parts=Parts((first, last)))
        return
    if key is None:
        piece = _read_piece(base, sources, whole)
        if piece is None:
            names = "; ".join(f"{name} as {', '.join(COLUMNS[name])}" for name in ("start", "end", "quote"))
            fields = ", ".join(map(str, sources.rows[0]))
            raise _BadRowError(
                f"the row has neither start and end nor a quoted text (its fields: {fields}); known are {names}; name "
                "the field with columns={'quote': ...}"
            )
        yield piece
        return
    base, _ = _read_names(base, sources)
    yield base.ask()
    for item in parse_list(row[key], key):
        yield _read_item(base, item, key, whole)


def _list_changes(patch: str) -> Iterator[tuple[str, int, int]]:
    """Yield the lines that a unified diff changes in its old files; of lines that it inserts the one before them."""
    for hunk in list_hunks(patch.replace("\r\n", "\n").split("\n")):
        file = (hunk.file or "").removeprefix("a/")
        for is_change, lines in groupby(hunk.lines, lambda line: line[1].startswith(("-", "+"))):
            numbers = [max(number - line.startswith("+"), 1) for number, line in lines]
            # A new file has no old side.
            if is_change and file != "/dev/null":
                yield file, numbers[0], max(numbers)


def _read_names(base: Evidence, sources: Sources) -> tuple[Evidence, Item]:
    """Read the document that fields name, the alternative and the fact; those of *base* if they name none."""
    item = read_fields(sources, is_evidence=True)
    docno = item.documents[0] if item.documents else base.docno
    is_known = bool(sources.plan.roles["docno"]) or not item.documents
    alternative = _find(sources, "alternative") or base.alternative
    base = base._replace(docno=docno, alternative=alternative, anywhere=not is_known)
    return _read_fact(base, sources), item


def _read_item(base: Evidence, item: object, key: str, whole: bool = False) -> Evidence:
    """Read a reference in a list: a quote, [start, end], or an object."""
    if isinstance(item, str):
        item = {"quote": item}
    elif isinstance(item, list | tuple) and len(item) == 2:
        item = {"start": item[0], "end": item[1]}
    if not isinstance(item, Mapping):
        raise _BadRowError(
            f"{key!r} holds {show_value(item)}; give quotes, [start, end] pairs, or objects with content or start "
            "and end"
        )
    piece = _read_piece(base, list_sources(item), whole)
    if piece is None:
        raise _BadRowError(f"{key!r} holds {show_value(item)}, which has neither start and end nor a quoted text")
    return piece


def _read_fact(base: Evidence, sources: Sources) -> Evidence:
    """Read which fact a row proves, with what set of pieces, and what the fact weighs; without it as in *base*."""
    if not any(sources.plan.keys[0].roles[role] for role in _FACT_ROLES):
        return base
    weights = [value for value in sources.list_values("fact_weight") if not is_blank(value)]
    weight = weights[0] if weights else base.fact_weight
    number = weight.item() if isinstance(weight, np.generic) else weight
    if isinstance(number, str):
        number = float(number) if _DECIMAL.fullmatch(number.strip()) else 0
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < 1e100:
        raise _BadRowError(f"'fact_weight' is {show_value(weight)}; give a number above 0")
    name = _find(sources, "fact") or base.fact
    group = _find(sources, "fact_set") or base.fact_set
    return base._replace(fact=name, fact_set=group, fact_weight=float(number))


def _read_nuggets(base: Evidence, nuggets: list[object]) -> Iterator[Evidence]:
    """Read nuggets: each a fact, proved by any of the places that it lists, in documents or in answers."""
    yield base.ask()
    for number, nugget in enumerate(nuggets, start=1):
        if not isinstance(nugget, Mapping):
            raise _BadRowError(f"nugget {number} is {show_value(nugget)}; give an object with a text and its places")
        name = find_text(nugget, ("id", *ROLES["fact"], "text")) or f"nugget {number}"
        importance = nugget.get("importance", "vital")
        if not isinstance(importance, str) or importance not in IMPORTANCE:
            raise _BadRowError(f"nugget {number} is {show_value(importance)}; give {' or '.join(IMPORTANCE)}")
        key = next((key for key in ROLES["pieces"] if key in nugget and _is_list(nugget[key], key)), None)
        if key is None:
            raise _BadRowError(
                f"nugget {number}, {show_value(name)}, names no place in a document or an answer; give it a list of "
                "'references', each with docno and start and end or a quote"
            )
        for item in parse_list(nugget[key], key):
            yield _read_item(base._replace(fact=name, fact_weight=IMPORTANCE[importance]), item, key)


def _read_piece(base: Evidence, sources: Sources, whole: bool = False) -> Evidence | None:
    """Return the piece of evidence that a row or a reference describes, or all of its document; None for neither.

    Raises:
        _BadRowError: What it describes is blank or impossible, or fields of no known shape may hold it.
    """
    base, item = _read_names(base, sources)
    has_name = base.docno is not None and (bool(item.documents) or item.whole)
    quote = item.text if item.text and not item.text.isspace() else None
    start = item.start
    if item.fault is not None and item.fault.status == "outside" and not (item.whole or whole):
        raise _BadRowError(item.fault.detail)
    if quote is not None or item.parts is not None or (start is not None and item.end is not None):
        return base._replace(start=start, end=item.end, quote=quote, parts=item.parts, hints=_list_hints(item))
    if has_name and (item.whole or whole):
        return base._replace(kind="document", anywhere=False)
    if any(list_of(value) == [] for value in sources.list_values("pages")):
        return base.ask()
    blanks = [key for key in sources.plan.keys[0].roles["pieces"] if is_blank(sources.rows[0][key])]
    if item.fault is None and blanks:
        item = item._replace(fault=Fault("blank", f"{blanks[0]!r} is {show_value(sources.rows[0][blanks[0]])}"))
    if item.fault is not None:
        hint = WHOLE_DOCUMENT.after("; ", " if all of the document is meant")
        raise _BadRowError(f"the row has neither start and end nor a quoted text: {item.fault.detail}{hint}")
    suspect = next((name for name, text in item.beside if not text), None)
    if not has_name or start is not None or "length" in sources.plan.keys[0].names:
        return None
    if suspect is not None:
        raise _BadRowError(describe_suspect(suspect))
    return base._replace(kind="document", anywhere=False, hints=_list_hints(item))


def _list_hints(item: Item) -> Hints:
    return Hints(item.documents, item.unit, item.is_first_copy, item.context, item.beside)


def describe_suspect(field: str) -> str:
    """Say that a field of no known shape may hold the evidence."""
    return (
        f"the row has neither start and end nor a quoted text, but the field {field!r} may be one: name it with "
        f"columns={advise_columns(field, 'quote')}{WHOLE_DOCUMENT.after(', or ', ' if all of the document is meant')}"
    )


def _read_answers(base: Evidence, answers: Row) -> Iterator[Evidence]:
    texts = parse_list(answers.get("text", []), "text")
    starts = parse_list(answers.get("answer_start", []), "answer_start")
    if len(texts) != len(starts):
        raise _BadRowError(f"'answers' has {len(texts)} texts and {len(starts)} starts; give each text its start")
    pairs = [(text, start) for text, start in zip(texts, starts, strict=True) if text != _NO_ANSWER]
    yield base.ask()
    for number, (text, start) in enumerate(pairs, start=1):
        offset = whole_or_none(start)
        if offset is None or not isinstance(text, str):
            raise _BadRowError(
                f"an answer has the text {show_value(text)} and the start {show_value(start)}; give a text and a whole "
                "number"
            )
        yield _read_answer(base, number, text, offset)


def _read_answer(base: Evidence, number: int, text: str, start: int) -> Evidence:
    """Read an answer of SQuAD's; one that starts at -1, as str.find says, is looked up in its context."""
    end = None if start == -1 else start + len(text)
    return base._replace(start=None if start == -1 else start, end=end, quote=text, alternative=str(number))


def read_squad(data: list[Row], articles: list[CorpusArticle], path: str) -> Iterator[Evidence]:
    """SQuAD: an article a title, answers with their offset in a paragraph."""
    try:
        yield from _read_squad_answers(data, articles)
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(f"a question or an answer is not as SQuAD's ({error!r})", file=path) from None


def _read_squad_answers(data: list[Row], articles: list[CorpusArticle]) -> Iterator[Evidence]:
    number = 0
    for entry, article in zip(data, articles, strict=True):
        for paragraph, context_start in zip(entry["paragraphs"], article.paragraphs or (), strict=True):
            for question in paragraph.get("qas", []):
                number += 1
                base = Evidence(number, str(question.get("id", number)), question.get("question"), article.docno)
                if not isinstance(base.query, str | None):
                    raise TypeError(f"the question {base.query!r} is not text")
                answers = [answer for answer in question.get("answers") or [] if answer["text"] != _NO_ANSWER]
                yield base.ask()
                base = base._replace(context=paragraph["context"], context_start=context_start)
                for place, answer in enumerate(answers, start=1):
                    if not isinstance(answer["text"], str):
                        raise TypeError(f"the answer {answer['text']!r} is not text")
                    yield _read_answer(base, place, answer["text"], int(answer["answer_start"]))


def read_kilt(rows: list[tuple[int, Row]], path: str) -> Iterator[Evidence]:
    """KILT: the provenance of each output, an alternative, by paragraph and offset; -1: all of the paragraph."""
    for where, row in rows:
        try:
            if not isinstance(row["input"], str):
                raise TypeError(f"the input {row['input']!r} is not text")
            base = Evidence(where, str(row["id"]), row["input"])
            outputs = [output.get("provenance") or [] for output in row["output"]]
            yield base.ask()
            for alternative, entry in ((i, entry) for i, entries in enumerate(outputs, 1) for entry in entries):
                docno = entry.get("wikipedia_id") or entry.get("title")
                piece = base._replace(docno=None if docno is None else str(docno), alternative=str(alternative))
                start_id = entry.get("start_paragraph_id")
                if start_id is None:
                    yield piece._replace(kind="article")
                    continue
                end_id = entry.get("end_paragraph_id")
                end_id = start_id if end_id is None else end_id
                place = InParagraphs(start_id, entry.get("start_character", -1), end_id, entry.get("end_character", -1))
                if not all(isinstance(number, int) for number in place):
                    raise _BadRowError(f"the provenance {show_value(entry)} has a place that is not a whole number")
                yield piece._replace(paragraphs=place)
        except (TypeError, KeyError, AttributeError) as error:
            raise FormatError(f"this is not a line of KILT's ({error!r})", file=path, line=where) from None
        except _BadRowError as bad:
            raise FormatError(str(bad), file=path, line=where) from None


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
        except _BadRowError as bad:
            raise FormatError(str(bad), file=corpus, line=passages[name][0]) from None
        yield piece._replace(kind="judged") if judged else piece


def _read_objects(path: str) -> Iterator[tuple[int, JsonObject]]:
    for line, record in json_records(path):
        if not isinstance(record, dict):
            raise FormatError("this is not an object", file=path, line=line, text=str(record))
        yield line, record


def _locate_beir_passage(base: Evidence, name: str, record: Row) -> Evidence:
    """Place a passage as its id says, or its record; one that names no document is a document of its own."""
    passage = parse_passage_id(name) if "#" in name or not record else None
    if passage is not None:
        article, (start, end) = passage
        return base._replace(docno=article, start=start, end=end)
    metadata = record.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise _BadRowError(f"the metadata of passage {name!r} is not an object")
    fields = {**record, **metadata}
    if find_text({key: value for key, value in fields.items() if key != "title"}, ROLES["docno"]) is None:
        return base._replace(docno=as_docno(name), kind="article")
    piece = _read_piece(base, list_sources({key: value for key, value in fields.items() if key != "metadata"}))
    if piece is None or piece.kind == "document":
        raise _BadRowError(f"passage {name!r} has neither start and end nor a text")
    return piece


def find_text(row: Row, names: Iterable[str]) -> str | None:
    """Return the first of the named fields that holds text (or a number, as ids do)."""
    return next((found for name in names if (found := name_or_none(row.get(name))) is not None), None)


def _is_list(value: object, key: str) -> bool:
    return (isinstance(value, str) and key == "references") or list_of(value) is not None


def parse_list(value: object, key: str) -> list[object]:
    """Return the list that a field holds, as such or as it is written into a cell."""
    values = list_of(value)
    if values is None:
        expected = "no list as JSON or Python writes it" if isinstance(value, str) else "not a list"
        raise _BadRowError(f"{key!r} is {show_value(value)}, {expected}")
    return values
