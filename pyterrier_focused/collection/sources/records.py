"""Documents as records: dicts, ir_datasets' documents, and JSON lines of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from ...frames.span_cells import is_blank, is_missing
from ...reading.json import JsonObject
from ...wikitext import ParsedArticle, RejectedArticle
from .docnos import checked_docno
from .outlines import add_element, add_paragraphs
from .raw import RawArticle

_IDS = ("docno", "doc_id", "id", "_id")
_TEXTS = ("text", "body", "contents", "abstract")
# Bytes.
MAX_LINE = 2**26


def as_record(document: object) -> JsonObject:
    """Return a document as a dict of docno, title, text and sections.

    Args:
        document: A dict, or a named tuple such as ir_datasets' documents. The id is its docno, doc_id or id; the text
            its text, body, contents or abstract; sections are dicts of title and text.

    Example:
        >>> as_record({"doc_id": 7, "body": "Fog."})
        {'docno': '7', 'title': '', 'text': 'Fog.', 'sections': []}
    """
    fields = document._asdict() if hasattr(document, "_asdict") else document
    if not isinstance(fields, Mapping):
        raise ValueError(f"{document!r}: give dicts or named tuples with docno, title, text, sections")
    docno = next((fields[name] for name in _IDS if not is_blank(fields.get(name))), None)
    if docno is None:
        raise ValueError(f"{dict(fields)!r:.200}: it has no docno (nor doc_id or id)")
    text = next((text for name in _TEXTS if not is_missing(text := fields.get(name)) and text), "")
    if not text and hasattr(document, "default_text"):
        text = document.default_text()
    sections = fields.get("sections")
    return {
        "docno": str(docno),
        "title": _get_words(fields, "title"),
        "text": text,
        "sections": [
            {name: _get_words(part, name) for name in ("title", "text")}
            for part in (() if is_missing(sections) else sections or ())
        ],
    }


def _get_words(fields: Mapping[str, object], name: str) -> object:
    return "" if is_missing(fields.get(name)) else fields[name]


def write_records(documents: Iterable[object], file: Path) -> None:
    with file.open("w", encoding="utf-8") as lines:
        for document in documents:
            lines.write(json.dumps(as_record(document), ensure_ascii=True) + "\n")


def read_lines(path: str, stream: BinaryIO) -> Iterator[RawArticle]:
    at = 0
    while line := stream.readline(MAX_LINE):
        error = f"a line of {MAX_LINE:,} bytes or more" if len(line) == MAX_LINE else ""
        yield RawArticle(path, at, data=line, error=error)
        at += len(line)


def parse_record(raw: RawArticle) -> Iterator[ParsedArticle]:
    try:
        record = as_record(json.loads(raw.data))
        parts = [("", record["text"]), *((part["title"], part["text"]) for part in record["sections"])]
        if not all(isinstance(words, str) for part in parts for words in part) or not isinstance(record["title"], str):
            raise ValueError("title and text are words")
    except (ValueError, RecursionError, AttributeError, TypeError) as error:
        raise RejectedArticle(f"the line is not a document: {error}") from error
    if not any(text.strip() for _, text in parts):
        raise RejectedArticle("it has no text")
    article = ParsedArticle(checked_docno(record["docno"]), " ".join(record["title"].split()), "")
    add_element(article, "article", -1, 0, 0)
    for heading, text in parts:
        _add_part(article, heading, text)
    article.end[0] = len(article.text)
    yield article


def _add_part(article: ParsedArticle, heading: str, text: str) -> None:
    if not (heading.strip() or text.strip()):
        return
    start = len(article.text) + 2 if article.text else 0
    words = f"{heading}\n{text}" if heading else text
    article.text += f"\n\n{words}" if article.text else words
    parent = add_element(article, "section", 0, start, len(article.text)) if heading else 0
    if heading:
        add_element(article, "title", parent, start, start + len(heading))
        start += len(heading) + 1
    add_paragraphs(article, parent, start, len(article.text))
