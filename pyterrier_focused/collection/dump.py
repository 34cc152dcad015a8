"""MediaWiki dumps, cut into pages: any stretch of a file is read by itself, plain or packed by bzip2.

A page belongs to the stretch in which it begins. So stretches can be cut anywhere: the page that lies across the end is
read to its end, and what comes before the first page of a stretch is left to the one before.
"""

from __future__ import annotations

import gzip
import html
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from .article import Raw
from .bz2_blocks import blocks
from .filesystem import Location

MAX_PAGE = 2**24  # bytes of XML; a text of MediaWiki's limit, 2 MiB, takes 12 where all of it is escaped

_OPEN, _CLOSE = b"<page>", b"</page>"
_CHUNK = 2**20
_NAMESPACE = re.compile(r'<namespace key="(-?\d+)"[^>]*?(?:/>|>([^<]*)</namespace>)')
_FILES = (6, 14)  # the namespaces of files and categories


class Site(NamedTuple):
    """A wiki's names, in small letters, of its namespaces of files and categories, and of all but the articles'."""

    files: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """Bytes of a dump, unpacked, or why they cannot be read.

    *at* is their place in the file, that of each byte where *exact*. Pages that begin here belong to the stretch where
    *own*; *last* says that those behind it do not.
    """

    data: bytes
    at: int
    exact: bool = True
    own: bool = True
    last: bool = False
    error: str = ""


def read_head(file: BinaryIO, name: str) -> bytes:
    """Return the first bytes of a file, unpacked; none where they cannot be, which is told when its pages are read."""
    if is_bz2(name):
        return next((block.data for block in blocks(file, 0)), b"")
    if not name.lower().endswith(".gz"):
        return file.read(_CHUNK)
    try:
        return gzip.GzipFile(fileobj=file).read(_CHUNK)
    except (OSError, EOFError, zlib.error):
        return b""


def read_site(head: bytes) -> Site:
    """Read the names of namespaces at the top of a dump; none where it does not tell."""
    info = head.partition(b"</siteinfo>")[0].decode("utf-8", "replace")
    named = [(int(key), html.unescape(name).strip().lower()) for key, name in _NAMESPACE.findall(info) if name]
    return Site(tuple(name for key, name in named if key in _FILES), tuple(name for _, name in named))


def is_bz2(name: str) -> bool:
    """Whether a file of this name is packed by bzip2."""
    return name.lower().endswith(".bz2")


def read_pages(dump: Location, name: str, start: int, stop: int) -> Iterator[Raw]:
    """Yield the pages that begin in the bytes from *start* to *stop* of a dump, as they stand there.

    *name* is what the dump is called in errors. A file packed by gzip is read whole.
    """
    with dump.open() as file:
        if is_bz2(dump.name):
            chunks = _bz2_chunks(file, start, stop)
        elif dump.name.lower().endswith(".gz"):
            chunks = _gzip_chunks(file)
        else:
            chunks = _plain_chunks(file, start, stop)
        yield from _pages(chunks, name)


def _plain_chunks(file: BinaryIO, start: int, stop: int) -> Iterator[Chunk]:
    file.seek(start)
    while data := file.read(min(_CHUNK, stop - start) if start < stop else _CHUNK):
        yield Chunk(data, start, own=start < stop, last=start + len(data) >= stop)
        start += len(data)


def _bz2_chunks(file: BinaryIO, start: int, stop: int) -> Iterator[Chunk]:
    found = False
    for at, end, data, error in blocks(file, start):
        found = True
        yield Chunk(data, at, exact=False, own=at < stop, last=end >= stop, error=error)
    if not found and start == 0:
        yield Chunk(b"", 0, error="this is no bzip2 file")


def _gzip_chunks(file: BinaryIO) -> Iterator[Chunk]:
    stream = gzip.GzipFile(fileobj=file)
    at = 0
    try:
        while data := stream.read(_CHUNK):
            yield Chunk(data, at)
            at += len(data)
    except (OSError, EOFError, zlib.error) as error:
        yield Chunk(b"", at, error=f"broken compressed data, nothing behind it is read: {error}")


def _pages(chunks: Iterable[Chunk], name: str) -> Iterator[Raw]:
    """Cut chunks into pages: what lies between <page> and </page>, which text holds only escaped."""
    buffer = b""
    held: list[tuple[int, Chunk]] = []  # the chunks in the buffer, and where in it each begins
    began, searched = -1, 0  # where the page that is open begins, and how far the buffer has been looked through

    def chunk_of(byte: int) -> tuple[int, Chunk]:
        return next(entry for entry in reversed(held) if entry[0] <= byte)

    def raw(byte: int, data: bytes = b"", error: str = "") -> Raw:
        first, chunk = chunk_of(byte)
        return Raw(name, chunk.at + (byte - first if chunk.exact else 0), data=data, error=error)

    for chunk in chunks:
        if chunk.error:
            if began >= 0:
                yield raw(began, error=f"a page that runs into what cannot be read: {chunk.error}")
            if not chunk.own:
                return
            yield Raw(name, chunk.at, error=chunk.error)
            buffer, held, began, searched = b"", [], -1, 0
            if chunk.last:
                return
            continue
        held.append((len(buffer), chunk))
        buffer += chunk.data
        while True:
            if began < 0:
                began = buffer.find(_OPEN, searched)
                if began < 0:
                    searched = max(searched, len(buffer) - len(_OPEN) + 1)
                    break
                if not chunk_of(began)[1].own:
                    return
                searched = began + len(_OPEN)
            close = buffer.find(_CLOSE, searched)
            again = buffer.find(_OPEN, searched, close if close >= 0 else len(buffer))
            if again >= 0:
                yield raw(began, error="a page that does not end before the next one begins")
                began, searched = -1, again
            elif close >= 0:
                searched = close + len(_CLOSE)
                yield raw(began, buffer[began:searched])
                began = -1
            else:
                searched = max(searched, len(buffer) - len(_CLOSE) + 1)
                if len(buffer) - began <= MAX_PAGE:
                    break
                yield raw(began, error=f"a page of over {MAX_PAGE:,} bytes")
                began = -1
        keep = searched if began < 0 else began
        ends = [first for first, _ in held[1:]] + [len(buffer) + 1]
        held = [(first - keep, entry) for (first, entry), end in zip(held, ends, strict=True) if end > keep]
        buffer = buffer[keep:]
        searched -= keep
        began = min(began, 0)
        if chunk.last and began < 0 and not any(buffer.endswith(_OPEN[:size]) for size in range(1, len(_OPEN))):
            return
    if began >= 0:
        yield raw(began, error="the file ends within this page")
