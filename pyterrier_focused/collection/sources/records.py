"""Documents in other formats: dicts, ir_datasets' documents, TREC's <DOC> files; and JSON lines of them."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ...frames.span_cells import is_blank, is_missing
from ...reading.json import JsonObject
from ...wikitext import ParsedArticle, RejectedArticle
from .archives import unpack
from .raw import ArticleColumns, RawArticle, Rejection, TagNumbers, read_each
from .xml_article import checked_docno

_IDS = ("docno", "doc_id", "id", "_id")
_TEXTS = ("text", "body", "contents", "abstract")
_PARAGRAPH = re.compile(r"\S(?:.*?\S)??(?=\s*\n[ \t]*\n|\s*\Z)", re.DOTALL)
_MARK = re.compile(rb"<(/?)DOC>", re.IGNORECASE)
_TITLES = "TITLE|HEADLINE|HL|TI|TTL"
# Ids, headers of web servers, and scripts of pages.
_UNSEEN = "DOCNO|DOCOLDNO|DOCID|DOCHDR|FILEID|PARENT|PROFILE|SCRIPT|STYLE"
_TREC = re.compile(rb"(?:\xef\xbb\xbf)?\s*<DOC>.*?<DOCNO>", re.IGNORECASE | re.DOTALL)
_LONGEST_MARK = len(b"</DOC>")
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z!][^<>]*>", re.DOTALL)
_BLOCKS = re.compile(rf"</?(?:P|TEXT|{_TITLES}|HEAD|DATE1?|BYLINE|HEADER|H\d)\b[^<>]*>", re.IGNORECASE)
_EMPTY_LINES = re.compile(r"[ \t]*\n\s*\n[ \t]*")
_CHUNK = 2**20
MAX_BYTES = 2**26


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


def trec_documents(path: str | os.PathLike[str]) -> Iterator[dict[str, str]]:
    """Yield docno, title and text of the documents of a TREC file, or of all files of a folder.

    Files may be packed (.gz, .bz2, .xz, .zst). The text is that of `<TEXT>`, or all of the document without one; tags
    are taken away, and entities replaced.

    Example:
        >>> size = Path("ap.sgml").write_text("<DOC><DOCNO>AP1</DOCNO><TEXT>Fog.</TEXT></DOC>")
        >>> list(trec_documents("ap.sgml"))
        [{'docno': 'AP1', 'title': '', 'text': 'Fog.'}]
    """
    place = Path(path)
    files = sorted(file for file in place.rglob("*") if file.is_file()) if place.is_dir() else [place]
    for file in files:
        with file.open("rb") as opened:
            for number, (_, document) in enumerate(cut_documents(opened, file), 1):
                try:
                    yield _read_trec(_decode(document))
                except ValueError as error:
                    raise ValueError(f"{file}, document {number}: {error}") from None


def is_trec(head: bytes) -> bool:
    """Tell by its first bytes whether a file is one of TREC's: `<DOC>` without a root, and `<DOCNO>` in it."""
    return _TREC.match(head) is not None


def cut_documents(opened: BinaryIO, file: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the documents of a TREC file and where they begin. Raises ValueError for one that does not end."""
    held = b""
    before = 0
    begin: int | None = None
    searched = 0
    for chunk in _read_chunks(opened, file):
        held += chunk
        for mark in _MARK.finditer(held, searched):
            searched = mark.end()
            if not mark[1]:
                begin = mark.start() if begin is None else begin
            elif begin is not None:
                yield before + begin, held[begin:searched]
                begin = None
        # a mark may be cut between two chunks
        searched = max(searched, len(held) - _LONGEST_MARK + 1)
        dropped = searched if begin is None else begin
        held = held[dropped:]
        before += dropped
        searched -= dropped
        begin = None if begin is None else 0
        if len(held) > MAX_BYTES:
            raise ValueError(f"{file}: a document of more than {MAX_BYTES // 2**20} MiB, or one without </DOC>")
    if begin is not None:
        raise ValueError(f"{file}: it ends within a document, before </DOC>; the file is cut short, get it again")


def _read_chunks(opened: BinaryIO, file: str | os.PathLike[str]) -> Iterator[bytes]:
    try:
        stream = unpack(opened, os.fspath(file))
        while chunk := stream.read(_CHUNK):
            yield chunk
    except OSError as error:
        raise ValueError(f"{file}: {error}") from error


@dataclass(frozen=True)
class _Field:
    """The content between two tags; *start* and *stop* include the tags."""

    text: str
    start: int
    stop: int


def _find_fields(names: str, document: str) -> Iterator[_Field]:
    """Yield the fields of a document that have one of the *names*, such as "TITLE|HEAD"; unclosed ones are skipped."""
    opening = re.compile(rf"<({names})\b[^<>]*>", re.IGNORECASE)
    unclosed: set[str] = set()
    position = 0
    while begin := opening.search(document, position):
        position = begin.end()
        name = begin[1].lower()
        # sought once: a name that is not closed from here on is not closed further on
        if name in unclosed:
            continue
        end = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(document, position)
        if end is None:
            unclosed.add(name)
            continue
        yield _Field(document[position : end.start()], begin.start(), end.end())
        position = end.end()


def _decode(document: bytes) -> str:
    try:
        return document.decode("utf-8")
    except UnicodeDecodeError:
        return document.decode("cp1252", "replace")


def _find_docnos(document: str) -> list[_Field]:
    docnos = list(_find_fields("DOCNO", document))
    if not docnos:
        raise RejectedArticle("it has no <DOCNO>")
    return docnos


def _find_title(document: str) -> _Field:
    """Return the field of the title, an empty one if there is none; a head of HTML has one in it."""
    fields = (next(_find_fields(names, document), None) for names in (_TITLES, "HEAD"))
    return next((field for field in fields if field), _Field("", 0, 0))


def read_trec_article(data: bytes) -> ParsedArticle:
    """Make an article of a TREC document: its words without tags, ids and headers of web servers."""
    document = _decode(data)
    docno = _find_docnos(document)[0].text.strip()
    document = _remove_fields(list(_find_fields(_UNSEEN, document)), document)
    title = _find_title(document)
    article = ParsedArticle(checked_docno(docno), " ".join(_read_words(title.text).split()), "")
    add_element(article, "article", -1, 0, 0)
    for heading, markup in (("", document[: title.start]), (article.title, document[title.stop :])):
        words = _read_words(_BLOCKS.sub("\n\n", markup)).strip()
        _add_part(article, heading, _EMPTY_LINES.sub("\n\n", words))
    article.end[0] = len(article.text)
    return article


def _read_trec(document: str) -> dict[str, str]:
    docnos = _find_docnos(document)
    title = _find_title(document)
    texts = [field.text for field in _find_fields("TEXT", document)] or [_remove_fields(docnos, document)]
    return {
        "docno": docnos[0].text.strip(),
        "title": " ".join(_read_words(title.text).split()),
        "text": "\n\n".join(_read_words(text).strip() for text in texts),
    }


def _remove_fields(fields: Sequence[_Field], document: str) -> str:
    bounds = [0, *(bound for field in fields for bound in (field.start, field.stop)), len(document)]
    return "".join(document[start:stop] for start, stop in zip(bounds[::2], bounds[1::2], strict=True))


def _read_words(markup: str) -> str:
    return html.unescape(_TAG.sub(" ", markup))


class RecordReader:
    """Reads lines of JSON, each a document of docno, title, text and sections."""

    def read(self, raws: Sequence[RawArticle], codes: TagNumbers) -> tuple[ArticleColumns, list[Rejection]]:
        """Return the columns of the articles that can be taken, and why the others cannot."""
        return read_each(raws, codes, _read_article)


def _read_article(raw: RawArticle) -> ParsedArticle:
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
