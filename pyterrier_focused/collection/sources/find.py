"""Where articles come from: the formats of sources, and which of them a source has."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ...errors import CollectionError
from ...frames.articles import CorpusArticle
from ...reading.files import count_endings, show_endings, warn_of_left_out
from ...reading.json import JsonObject
from ...reading.names import SUFFIXES, is_page, name_file
from ...wikitext import ParsedArticle, RejectedArticle
from ..batches import cut_into_batches
from .dump import WikiSite, read_pages, read_site
from .files import BROKEN, list_files, read_files, strip_packing
from .html_pages import HtmlPageParser
from .mediawiki import PageReader
from .raw import RawArticle, Redirect, Rejection
from .records import parse_record, read_lines
from .text_files import BOM, parse_text, read_file
from .xml_article import ArticleXmlParser, read_document

# The options of a build that asks for nothing else.
AS_READ: dict[str, Any] = {"id_from": "auto", "namespaces": (0,), "language": "", "docno": "id", "text": {}}
# Bytes of source that are parsed at a time.
GROUP_BYTES = 2**21
# The number of files that are looked at to tell a format.
_MOST_TOLD = 1_000
_HEAD = 2**16

Parser = Callable[[RawArticle], Iterator[ParsedArticle | Redirect]]


class Format(NamedTuple):
    """A format of sources: how a file is cut into articles, and how these are parsed."""

    read: Callable[[str, BinaryIO], Iterator[RawArticle]]
    make_parser: Callable[[JsonObject, WikiSite], Parser]


def _make_page_parser(options: JsonObject, site: WikiSite) -> Parser:
    return PageReader(site, options["namespaces"], options["language"], options["text"], options["docno"])


def _make_html_parser(options: JsonObject, *_: object) -> Parser:
    text = options.get("text", {})
    return HtmlPageParser(text.get("drop", ()), text.get("infobox", False), options.get("docno", "id"))


def _read_html(path: str, stream: BinaryIO) -> Iterator[RawArticle]:
    return (read_lines if _is_lines(path) else read_file)(path, stream)


_LINES = (".jsonl", ".ndjson")
# Text that is no article: tables, styles and scripts of pages, documents that are to be converted.
_NO_TEXT = (".csv", ".tsv", ".css", ".js", ".svg", ".pdf", ".rtf")
_FORMATS = {
    "mediawiki": Format(read_pages, _make_page_parser),
    "inex": Format(read_document, lambda options, *_: ArticleXmlParser(options["id_from"], options.get("xml", {}))),
    "text": Format(read_file, lambda *_: parse_text),
    "html": Format(_read_html, _make_html_parser),
    "records": Format(read_lines, lambda *_: parse_record),
}
FORMATS = tuple(_FORMATS)


class RawBatch(NamedTuple):
    """Articles of one wiki, not yet parsed."""

    site: WikiSite
    raws: list[RawArticle]


def find_sources(named: str | Path | Sequence[str | Path]) -> list[str]:
    """Return the sources that a user names: a path or URL, or a list. Raises CollectionError for what is not there."""
    given = named if isinstance(named, Sequence) and not isinstance(named, str) else [named]
    if not given:
        raise CollectionError("no source is named; give the path of a dump, a folder or an archive")
    for source in given:
        list_files(str(source))
    return [str(source) for source in given]


def detect(sources: Sequence[str], is_article_xml: bool = False) -> str:
    """Tell the format of sources: that of most of their first files. *is_article_xml*: no XML is a dump."""
    counts: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    for source in sources:
        try:
            for file in islice(read_files(source), _MOST_TOLD):
                head = file.stream.peek(_HEAD)[:4096].removeprefix(BOM).lstrip()  # type: ignore[attr-defined]
                counts[_tell_format(file.path, head, is_article_xml)] += 1
                endings.update(count_endings([file.path]))
        except BROKEN as error:
            raise CollectionError(f"{source}: it cannot be read: {error}; get it again") from error
    del counts[""]
    if not counts:
        raise CollectionError(
            f"{sources[0]}: nothing here is XML, a dump of Wikipedia, text, a page of HTML or JSON lines "
            f"({show_endings(endings) or 'the folder is empty'})"
        )
    if counts["mediawiki"] and counts["inex"]:
        raise CollectionError(
            f"{sources[0]}: some XML is a dump of MediaWiki and some is not; build a collection of each, or choose "
            "what is read with format='mediawiki' or 'inex' (--from)"
        )
    # of as many files of two formats, the first of these is meant: notes may lie beside XML
    return max(_FORMATS, key=lambda format: counts[format])


def _tell_format(path: str, head: bytes, is_article_xml: bool) -> str:
    bare = strip_packing(path).lower()
    if bare.endswith((".html", ".htm")):
        return "html"
    if _is_lines(path):
        return "html" if is_page(head) else "records"
    if bare.endswith(SUFFIXES):
        return "text"
    # Those of UTF-16 too.
    if head[:1] not in (b"<", b"\xff", b"\xfe") and not bare.endswith(".xml"):
        return "" if b"\0" in head or bare.endswith(_NO_TEXT) or not _is_utf8(head) else "text"
    # what most files do not have is looked for fast
    is_dump = b"<mediawiki" in head and re.search(rb"<mediawiki[\s>]", head)
    is_dump = is_dump or re.match(rb"<page>\s*<title>", head)
    return "mediawiki" if is_dump and not is_article_xml else "inex"


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _is_lines(path: str) -> bool:
    return strip_packing(path).lower().endswith((*_LINES, ".json"))


def read(sources: Sequence[str], format: str) -> Iterator[RawBatch]:
    """Yield the articles of sources in batches; what is broken is an article with an error."""
    for source in sources:
        unread: list[str] = []
        yield from _read_batches(source, format, unread)
        if unread and len(unread) == sum(1 for _ in read_files(source)):
            endings = show_endings(count_endings(unread))
            raise CollectionError(
                f"{source}: nothing here is of format {format!r} ({endings or 'the folder is empty'})"
            )
        warn_of_left_out(source, count_endings(unread), f"of format {format!r}")


def _read_batches(source: str, format: str, unread: list[str]) -> Iterator[RawBatch]:
    raws = _read_articles(source, format, unread)
    # Batches of one wiki each; small files share one.
    for site, articles in groupby(raws, key=itemgetter(0)):
        of_wiki = (raw for _, raw in articles)
        for batch in cut_into_batches(of_wiki, size_of=lambda raw: len(raw.data) + 100, most_size=GROUP_BYTES):
            yield RawBatch(site, batch)


def _read_articles(source: str, format: str, unread: list[str]) -> Iterator[tuple[WikiSite, RawArticle]]:
    site = WikiSite()
    path = source
    try:
        for path, stream, is_named in read_files(source):
            head = stream.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]
            if not is_named and _tell_format(path, head, format == "inex") != format:
                unread.append(path)
                continue
            site = read_site(head) if format == "mediawiki" else site
            for raw in _FORMATS[format].read(path, stream):
                yield site, raw
    except BROKEN as error:
        reason = f"nothing from here on is read: broken compressed data, or a broken archive: {error}"
        yield site, RawArticle(path, 0, error=reason, is_cut=True)


def make_parser(format: str, options: JsonObject, site: WikiSite) -> Parser:
    return _FORMATS[format].make_parser(options, site)


def parse_raws(
    parser: Parser, raws: Sequence[RawArticle], rejected: list[Rejection]
) -> Iterator[tuple[RawArticle, ParsedArticle | Redirect]]:
    """Yield what articles are; *rejected* takes those that cannot be read."""
    for raw in raws:
        try:
            if raw.error:
                raise RejectedArticle(raw.error)
            for article in parser(raw):
                _require_whole_characters(article)
                yield raw, article
        except RejectedArticle as error:
            rejected.append(raw.reject(error))


def _require_whole_characters(article: ParsedArticle | Redirect) -> None:
    """Raise RejectedArticle for half of a surrogate pair, which JSON can name, and which UTF-8 cannot hold."""
    words = (article.title, article.text) if isinstance(article, ParsedArticle) else article
    for name, word in zip(("title", "text"), words, strict=True):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            half = f"U+{ord(error.object[error.start]):04X}"
            raise RejectedArticle(f"its {name} holds half of a character, {half} at {error.start}") from None


def read_articles(sources: Sequence[str], format: str, rejected: list[Rejection]) -> Iterator[CorpusArticle]:
    """Yield the articles of sources as a collection has them, but for templates that a dump defines itself."""
    for site, raws in read(sources, format):
        for raw, article in parse_raws(make_parser(format, AS_READ, site), raws, rejected):
            if isinstance(article, ParsedArticle):
                has_mark = raw.data.startswith(BOM)
                names = name_file(raw.file)
                yield CorpusArticle(article.docno, article.text, names, has_mark=has_mark, title=article.title)
