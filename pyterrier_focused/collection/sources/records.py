"""Documents as they come from elsewhere: dicts, ir_datasets' documents, TREC's <DOC> files; and JSON lines of them."""

from __future__ import annotations

import gzip
import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...io.reading.json import JsonObject
from ...wikitext import ParsedArticle, RejectedArticle
from .raw import ArticleColumns, RawArticle, Rejection, TagNumbers, columns
from .xml_article import checked_docno

_IDS = ("docno", "doc_id", "id", "_id")
_TEXTS = ("text", "body", "contents", "abstract")
_PARAGRAPH = re.compile(r"\S(?:.*?\S)??(?=\s*\n[ \t]*\n|\s*\Z)", re.DOTALL)
_DOCUMENT = re.compile(rb"<DOC>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_FIELD = r"<({})\b[^<>]*>(.*?)</\1\s*>"
_DOCNO = re.compile(_FIELD.format("DOCNO"), re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(_FIELD.format("TITLE|HEADLINE|HEAD|HL|TI"), re.DOTALL | re.IGNORECASE)
_TEXT = re.compile(_FIELD.format("TEXT"), re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_CHUNK = 2**20


def as_record(document: object) -> JsonObject:
    """Return a document as a dict of docno, title, text and sections.

    Args:
        document: a dict, or a named tuple such as ir_datasets' documents. The id is its docno, doc_id or id; the text
            its text, body, contents or abstract; sections are dicts of title and text.

    Raises:
        ValueError: for what is not a document, or has no id.

    Example:
        >>> as_record({"doc_id": 7, "body": "Fog."})
        {'docno': '7', 'title': '', 'text': 'Fog.', 'sections': []}
    """
    fields = document._asdict() if hasattr(document, "_asdict") else document
    if not isinstance(fields, Mapping):
        raise ValueError(f"{document!r}: give dicts or named tuples with docno, title, text, sections")
    docno = next((fields[name] for name in _IDS if fields.get(name) not in (None, "")), None)
    if docno is None:
        raise ValueError(f"{dict(fields)!r:.200}: it has no docno (nor doc_id or id)")
    text = next((fields[name] for name in _TEXTS if fields.get(name)), "")
    if not text and hasattr(document, "default_text"):
        text = document.default_text()
    sections = [{"title": part.get("title", ""), "text": part.get("text", "")} for part in fields.get("sections") or ()]
    return {"docno": str(docno), "title": fields.get("title") or "", "text": text, "sections": sections}


def write_records(documents: Iterable[object], file: Path) -> None:
    """Write documents as lines of JSON, one after the other."""
    with file.open("w", encoding="utf-8") as lines:
        for document in documents:
            lines.write(json.dumps(as_record(document), ensure_ascii=True) + "\n")


def trec_documents(path: str | os.PathLike[str]) -> Iterator[dict[str, str]]:
    """Yield docno, title and text of the documents of a TREC file, or of all files of a folder (plain or .gz).

    The text is that of `<TEXT>`, or all of the document without one; tags are taken away, and entities replaced.

    Raises:
        ValueError: for a document without a DOCNO.
    """
    place = Path(path)
    files = sorted(file for file in place.rglob("*") if file.is_file()) if place.is_dir() else [place]
    for file in files:
        with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as opened:
            for number, document in enumerate(_cut_documents(opened), 1):
                yield _read_trec(document, f"{file}, document {number}")


def _cut_documents(opened: Any) -> Iterator[str]:
    held = b""
    while chunk := opened.read(_CHUNK):
        held += chunk
        end = 0
        for match in _DOCUMENT.finditer(held):
            yield match[1].decode("utf-8", "replace")
            end = match.end()
        held = held[end:]


def _read_trec(document: str, place: str) -> dict[str, str]:
    docno = _DOCNO.search(document)
    if docno is None:
        raise ValueError(f"{place}: it has no <DOCNO>")
    title = _TITLE.search(document)
    texts = [match[2] for match in _TEXT.finditer(document)] or [_DOCNO.sub("", document)]
    return {
        "docno": docno[2].strip(),
        "title": " ".join(_read_words(title[2]).split()) if title else "",
        "text": "\n\n".join(_read_words(text).strip() for text in texts),
    }


def _read_words(markup: str) -> str:
    return html.unescape(_TAG.sub(" ", markup))


class RecordReader:
    """Reads lines of JSON, each a document of docno, title, text and sections."""

    def read(self, raws: Sequence[RawArticle], codes: TagNumbers) -> tuple[ArticleColumns, list[Rejection]]:
        """Return the columns of the articles that can be taken, and why the others cannot."""
        source: list[int] = []
        articles: list[ParsedArticle] = []
        rejected: list[Rejection] = []
        for number, raw in enumerate(raws):
            try:
                articles.append(_read_article(raw))
                source.append(number)
            except RejectedArticle as error:
                rejected.append(Rejection(raw.file, raw.position, raw.name, str(error), raw.is_cut))
        return columns(source, articles, codes), rejected


def _read_article(raw: RawArticle) -> ParsedArticle:
    if raw.error:
        raise RejectedArticle(raw.error)
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
    return article


def _add_part(article: ParsedArticle, heading: str, text: str) -> None:
    """Add a section, or the text before the first; a text is in the article as it was given."""
    if not (heading.strip() or text.strip()):
        return
    start = len(article.text) + 2 if article.text else 0
    words = f"{heading}\n{text}" if heading else text
    article.text += f"\n\n{words}" if article.text else words
    parent = add_element(article, "section", 0, start, len(article.text)) if heading else 0
    if heading:
        add_element(article, "title", parent, start, start + len(heading))
        start += len(heading) + 1
    for paragraph in _PARAGRAPH.finditer(text):
        add_element(article, "p", parent, start + paragraph.start(), start + paragraph.end())


def add_element(article: ParsedArticle, tag: str, parent: int, start: int, end: int) -> int:
    """Add an element to an article's columns, and return its row."""
    article.tag.append(tag)
    article.parent.append(parent)
    article.start.append(start)
    article.end.append(end)
    return len(article.tag) - 1
