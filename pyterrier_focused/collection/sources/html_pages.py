"""Pages of HTML: Wikimedia Enterprise's dumps (lines of JSON, also in archives), ZIM files, folders of saved pages."""

from __future__ import annotations

import html
import json
import re
import tarfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from lxml import etree

from ...errors import CollectionError, import_extra, warn_caller
from ...wikitext import HtmlReader, ParsedArticle, RejectedArticle
from ..files.storage import StoragePath
from .archives import PACKED, SourcePath, find_file, leads_out, strip_packing, unpack
from .page_addresses import title_as_docno
from .raw import ArticleColumns, RawArticle, Redirect, Rejection, TagNumbers, read_each
from .xml_article import checked_docno

LINES = (".ndjson", ".jsonl")
LINE_TARS = (".json.tar", ".ndjson.tar", ".html.tar")
PACKED_LINES = tuple(f"{name}{ending}" for name in (*LINES, *LINE_TARS) for ending in PACKED)
ZIM = ".zim"
PAGES = (".html", ".htm", ".xhtml")
# Entries of a ZIM file that make one block.
ENTRIES = 5_000
# Bytes.
MAX_LINE = 2**26
# Part of the `about` that Parsoid gives a page.
_REVISION = re.compile(r"/revision/([0-9]{1,18})$")
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1f]")
# Bytes at the top of a page in which its title is looked for.
_HEAD = 2**16
_TITLE = re.compile(rb"<title\b[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
# Before the name of a site in a title: "Lenses - Optics", "Lens (Optics 2)".
_BEFORE_SITE = re.compile(r"\s(?:[-–—|·•:»]\s|\()")


class HtmlPageReader:
    """Reads pages, which are lines of JSON if they have no name; *title_end* is left out at the end of titles."""

    def __init__(
        self,
        drop: Collection[str] = (),
        infobox: bool = False,
        docno: str = "id",
        is_wiki: bool | None = True,
        title_end: str = "",
    ):
        self._title_end = title_end
        self._is_wiki = is_wiki
        self._reader = HtmlReader(drop, infobox)
        self._by_title = docno == "title"

    def read(self, raws: Sequence[RawArticle], codes: TagNumbers) -> tuple[ArticleColumns, list[Rejection]]:
        return read_each(raws, codes, lambda raw: self._read_file(raw) if raw.name else self._read_line(raw))

    def _read_file(self, raw: RawArticle) -> ParsedArticle:
        root = self._reader.tree(raw.data)
        said = _read_head(root)
        number = said.get("mw:pageId", "")
        title = _cut_title(self._reader.title_of(root), self._title_end) or raw.name.replace("_", " ")
        docno = self._make_docno(number or "_".join(raw.name.split()), title)
        article = self._reader.read(docno, title, root, self._is_wiki)
        address = said.get("dc:isVersionOf", "")
        article.url = f"https:{address}" if address.startswith("//") else address
        revision = _REVISION.search(root.get("about") or "")
        article.revision = int(revision[1]) if revision else 0
        article.timestamp = said.get("dc:modified", "")
        article.language = (next(root.iter("body"), root).get("lang") or root.get("lang") or "").strip()
        return article

    def _read_line(self, raw: RawArticle) -> ParsedArticle | None:
        try:
            page = json.loads(raw.data)
            body = page["article_body"]["html"].encode("utf-8", "replace")
            docno = str(page["identifier"])
            title = _normalise_words(_CONTROLS.sub("", page["name"]))
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            said = (
                "JSON"
                if isinstance(error, (ValueError, RecursionError))
                else f"a page of an Enterprise dump (no {error})"
            )
            raise RejectedArticle(
                f"the line is not {said}; name, identifier and article_body.html are needed"
            ) from error
        number = _get_identifier(page.get("namespace"))
        if isinstance(number, int) and number != 0:
            return None
        article = self._reader.read(self._make_docno(docno, title), title, self._reader.tree(body))
        categories = [name.partition(":")[2] or name for name in _get_names(page.get("categories"))]
        article.categories = categories or article.categories
        article.redirects = _get_names(page.get("redirects"))
        article.url, article.timestamp = (_normalise_words(page.get(name)) for name in ("url", "date_modified"))
        article.language = _normalise_words(_get_identifier(page.get("in_language")))
        revision = _get_identifier(page.get("version"))
        article.revision = revision if isinstance(revision, int) and 0 < revision < 2**63 else 0
        return article

    def _make_docno(self, number: str, title: str) -> str:
        return checked_docno(title_as_docno(title) if self._by_title else number)


def read_lines_of_html(file: SourcePath, name: str, start: int, stop: int) -> Iterator[RawArticle]:
    """Yield the lines that begin from *start* to *stop* of a file of JSON lines; one that is packed is read whole."""
    if strip_packing(name).endswith(".tar"):
        yield from _read_tar_lines(file, name)
        return
    position = start
    with file.open() as opened:
        try:
            lines = opened if start else unpack(opened, name)
            if start:
                lines.seek(start - 1)
                position = start - 1 + len(lines.readline())
            while (position < stop or lines is not opened) and (line := lines.readline(MAX_LINE)):
                yield _wrap_line(name, position, line)
                position += len(line)
        except OSError as error:
            yield RawArticle(name, position, error=f"the file cannot be read further: {error}", is_cut=True)


def read_zim(file: StoragePath, name: str, start: int, stop: int) -> Iterator[RawArticle]:
    """Yield the pages and redirects among the entries number *start* to *stop* of a ZIM file."""
    archive = open_zim(file)
    for number in range(start, stop):
        try:
            entry = _read_entry(archive, name, number)
        except (RuntimeError, ValueError, LookupError) as error:
            # libzim raises these for damaged data.
            entry = RawArticle(name, number, error=f"entry {number:,} cannot be read: {error}")
        if entry is not None:
            yield entry


def _read_entry(archive: Any, name: str, number: int) -> RawArticle | None:
    # libzim has no other way to go through all entries.
    entry = archive._get_entry_by_id(number)
    if entry.is_redirect:
        target = entry.get_redirect_entry()
        if target.is_redirect or target.get_item().mimetype.partition(";")[0] != "text/html":
            return None
        return RawArticle(
            name, number, redirect=Redirect(_normalise_words(entry.title), _normalise_words(target.title))
        )
    item = entry.get_item()
    if item.mimetype.partition(";")[0] != "text/html":
        return None
    path = _strip_ending(entry.path.removeprefix("A/"))
    if item.size > MAX_LINE:
        return RawArticle(name, number, path, error=f"a page of {item.size:,} bytes; {MAX_LINE:,} are the limit")
    return RawArticle(name, number, path, bytes(item.content))


def open_zim(file: StoragePath) -> Any:
    """Open a ZIM file, which must be local. Raises CollectionError for what is none."""
    reader = import_extra("libzim.reader", "zim")
    if not file.is_local:
        raise CollectionError(f"{file}: ZIM files are read from local disks only; copy it there first")
    try:
        return reader.Archive(file.url)
    except (RuntimeError, ValueError) as error:
        # The second is raised if the message itself cannot be decoded.
        raise CollectionError(f"{file}: it cannot be read as a ZIM file: {error}") from error


def check_zim(file: StoragePath, max_rejected: float) -> None:
    """Warn of a ZIM file without a checksum. Raises CollectionError for damage, unless *max_rejected* is 1."""
    archive = open_zim(file)
    if not archive.has_checksum:
        warn_caller(f"{file}: it has no checksum of its own, so damage within its texts is not found")
    elif not archive.check():
        damage = f"{file}: it does not fit its own checksum, so its texts may be damaged"
        if max_rejected < 1:
            raise CollectionError(f"{damage}; get it again, or max_rejected=1 (--max-rejected 1) takes what is there")
        warn_caller(damage)


def read_pages_of_html(folder: StoragePath, paths: Sequence[str]) -> Iterator[RawArticle]:
    for path in paths:
        name = _strip_ending(path)
        if ".epub/" in path.lower():
            # Ebooks have chapters of the same names.
            name = f"{re.sub(r'(?i)[.]epub/.*', '', path).rpartition('/')[2]}/{name.rpartition('/')[2]}"
        try:
            with find_file(folder, path).open() as file:
                yield RawArticle(path, 0, name, file.read())
        except OSError as error:
            yield RawArticle(path, 0, name, error=f"it cannot be read: {error}")


def find_title_end(folder: StoragePath, paths: Iterable[str]) -> str:
    """Return the common end of all titles after a dash, a bracket or the like, such as "Optics"; "" if none."""
    ends: list[str] | None = None
    count = 0
    for path in paths:
        # What cannot be read is told when it is read as a page.
        with suppress(OSError), find_file(folder, path).open() as file:
            if found := _TITLE.search(file.read(_HEAD)):
                title = " ".join(html.unescape(found[1].decode("utf-8", "replace")).split())
                own = [title[mark.end() :] for mark in _BEFORE_SITE.finditer(title)]
                ends = own if ends is None else [end for end in ends if end in own]
                count += 1
                if not ends:
                    return ""
    return ends[0] if ends and count > 1 else ""


def _cut_title(title: str, title_end: str) -> str:
    marks = _BEFORE_SITE.finditer(title) if title_end else ()
    return next((title[: mark.start()] for mark in marks if title[mark.end() :] == title_end), title)


def _read_tar_lines(file: SourcePath, name: str) -> Iterator[RawArticle]:
    try:
        with file.open() as opened, tarfile.open(fileobj=unpack(opened), mode="r|") as archive:
            for member in archive:
                if member.isfile() and leads_out(member.name):
                    yield RawArticle(f"{name}/{member.name}", member.offset, error="its name leads out of the archive")
                elif member.isfile() and (lines := archive.extractfile(member)) is not None:
                    position = member.offset_data
                    while line := lines.readline(MAX_LINE):
                        yield _wrap_line(f"{name}/{member.name}", position, line)
                        position += len(line)
    except (tarfile.TarError, EOFError, OSError) as error:
        yield RawArticle(name, 0, error=f"the archive cannot be read further: {error}", is_cut=True)


def _wrap_line(name: str, position: int, line: bytes) -> RawArticle:
    if len(line) >= MAX_LINE:
        return RawArticle(name, position, error=f"a line of {MAX_LINE:,} bytes or more")
    return RawArticle(name, position, data=line)


def _get_identifier(entry: object) -> object:
    return entry.get("identifier") if isinstance(entry, dict) else None


def _get_names(entries: object) -> list[str]:
    entries = entries if isinstance(entries, list) else []
    named = [_normalise_words(entry.get("name")) for entry in entries if isinstance(entry, dict)]
    return [name for name in named if name]


def _normalise_words(given: object) -> str:
    return " ".join(given.encode("utf-8", "replace").decode().split()) if isinstance(given, str) else ""


def _read_head(root: etree._Element) -> dict[str, str]:
    said: dict[str, str] = {}
    for element in root.iter("meta", "link"):
        name = element.get("property") or element.get("rel") or ""
        said.setdefault(name, (element.get("content") or element.get("href") or "").strip())
    return said


def _strip_ending(name: str) -> str:
    for ending in PAGES:
        name = name.removesuffix(ending)
    return name
