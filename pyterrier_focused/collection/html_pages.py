"""Pages of HTML: Wikimedia Enterprise's dumps (lines of JSON, also in archives), ZIM files, folders of saved pages."""

from __future__ import annotations

import gzip
import json
import tarfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ..errors import CollectionError, import_extra
from .html_article import HtmlReader, title_of
from .parsed_articles import ArticleColumns, ParsedArticle, RawArticle, RejectedArticle, Rejection, TagNumbers, columns
from .storage import StoragePath
from .wikitext_marks import MARKS
from .xml_article import checked_docno

LINES = (".ndjson", ".jsonl")
PACKED_LINES = (".ndjson.gz", ".jsonl.gz", ".json.tar.gz", ".ndjson.tar.gz", ".html.tar.gz")
ZIM = ".zim"
PAGES = (".html", ".htm")
ENTRIES = 5_000  # of a ZIM file, that make one block
MAX_LINE = 2**26  # bytes

_CHUNK = 2**20


class HtmlPageReader:
    """Reads pages, many at a time: lines of JSON, or HTML whose name is that of a file or of an entry in a ZIM file."""

    def __init__(self, drop: Collection[str] = (), infobox: bool = False, namespaces: Sequence[int] = (0,)):
        self._reader = HtmlReader(drop, infobox)
        self._namespaces = frozenset(namespaces)

    def read(self, raws: Sequence[RawArticle], codes: TagNumbers) -> tuple[ArticleColumns, list[Rejection]]:
        """Return the columns of the articles, and what cannot be taken and why."""
        source: list[int] = []
        articles: list[ParsedArticle] = []
        rejected: list[Rejection] = []
        for number, raw in enumerate(raws):
            try:
                if raw.error:
                    raise RejectedArticle(raw.error)
                article = self._of_file(raw) if raw.name else self._of_line(raw)
            except RejectedArticle as error:
                rejected.append(Rejection(raw.file, raw.position, raw.name, str(error), raw.is_cut))
                continue
            if article is not None:
                source.append(number)
                articles.append(article)
        return columns(source, articles, codes), rejected

    def _of_file(self, raw: RawArticle) -> ParsedArticle:
        """Make an article of a page; its docno is the page's number where the page tells it, else the file's name."""
        root = self._reader.tree(raw.data)
        number = root.xpath("string(//meta[@property='mw:pageId']/@content)").strip()
        title = title_of(root) or raw.name.replace("_", " ")
        return self._reader.parse(checked_docno(number or "_".join(raw.name.split())), title, root)

    def _of_line(self, raw: RawArticle) -> ParsedArticle | None:
        try:
            page = json.loads(raw.data)
            html = page["article_body"]["html"]
            docno, title = str(page["identifier"]), " ".join(MARKS.sub("", page["name"]).split())
        except (ValueError, KeyError, TypeError) as error:
            said = "JSON" if isinstance(error, ValueError) else f"a page of an Enterprise dump (no {error})"
            raise RejectedArticle(
                f"the line is not {said}; name, identifier and article_body.html are needed"
            ) from error
        number = (page.get("namespace") or {}).get("identifier", 0)
        if number not in self._namespaces:
            return None
        article = self._reader.parse(checked_docno(docno), title, self._reader.tree(html.encode()))
        categories = [entry["name"].partition(":")[2] or entry["name"] for entry in page.get("categories") or ()]
        article.categories = categories or article.categories
        return article


def read_lines(file: StoragePath, name: str, start: int, stop: int) -> Iterator[RawArticle]:
    """Yield the lines that begin from *start* to *stop* of a file of JSON lines; one that is packed is read whole."""
    lower = name.lower()
    if lower.endswith(".tar.gz"):
        yield from _lines_of_tar(file, name)
        return
    with file.open() as opened:
        if lower.endswith(".gz"):
            yield from _lines_of_gzip(opened, name)
            return
        at = start
        if start:
            opened.seek(start - 1)
            at = start - 1 + len(opened.readline())
        while at < stop and (line := opened.readline(MAX_LINE)):
            yield _line(name, at, line)
            at += len(line)


def read_zim(file: StoragePath, name: str, start: int, stop: int) -> Iterator[RawArticle]:
    """Yield the pages among the entries number *start* to *stop* of a ZIM file."""
    archive = open_zim(file)
    for number in range(start, stop):
        entry = archive._get_entry_by_id(number)  # libzim has no other way to go through all entries
        if entry.is_redirect:
            continue
        item = entry.get_item()
        if item.mimetype.partition(";")[0] == "text/html":
            title = entry.path.removeprefix("A/")
            yield RawArticle(name, number, _stem(title), bytes(item.content))


def open_zim(file: StoragePath) -> Any:
    """Open a ZIM file, which must be local. Raises CollectionError for what is none."""
    reader = import_extra("libzim.reader", "zim")
    if not file.is_local:
        raise CollectionError(f"{file}: ZIM files are read from local disks only; copy it there first")
    try:
        return reader.Archive(file.url)
    except RuntimeError as error:
        raise CollectionError(f"{file}: it cannot be read as a ZIM file: {error}") from error


def read_pages_of_html(folder: StoragePath, paths: Sequence[str]) -> Iterator[RawArticle]:
    """Yield saved pages."""
    for path in paths:
        name = _stem(path.rpartition("/")[2])
        try:
            with (folder / path).open() as file:
                yield RawArticle(path, 0, name, file.read())
        except OSError as error:
            yield RawArticle(path, 0, name, error=f"it cannot be read: {error}")


def _lines_of_tar(file: StoragePath, name: str) -> Iterator[RawArticle]:
    try:
        with file.open() as opened, tarfile.open(fileobj=opened, mode="r|gz") as archive:
            for member in archive:
                if member.isfile() and (lines := archive.extractfile(member)) is not None:
                    at = member.offset_data
                    while line := lines.readline(MAX_LINE):
                        yield _line(f"{name}/{member.name}", at, line)
                        at += len(line)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        yield RawArticle(name, 0, error=f"the archive cannot be read further: {error}", is_cut=True)


def _lines_of_gzip(opened: Any, name: str) -> Iterator[RawArticle]:
    at = 0
    try:
        with gzip.GzipFile(fileobj=opened) as lines:
            while line := lines.readline(MAX_LINE):
                yield _line(name, at, line)
                at += len(line)
    except (EOFError, OSError, zlib.error) as error:
        yield RawArticle(name, at, error=f"the file cannot be read further: {error}", is_cut=True)


def _line(name: str, at: int, line: bytes) -> RawArticle:
    if len(line) >= MAX_LINE:
        return RawArticle(name, at, error=f"a line of {MAX_LINE:,} bytes or more")
    return RawArticle(name, at, data=line)


def _stem(name: str) -> str:
    for ending in PAGES:
        name = name.removesuffix(ending)
    return name
