"""MediaWiki dumps, cut into pages: any stretch of a file is read by itself, plain or packed by bzip2.

A page belongs to the stretch in which it begins. So stretches can be cut anywhere: the page that lies across the end is
read to its end, and what comes before the first page of a stretch is left to the one before.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple

from lxml import etree

from ..io.xml import XmlError, encoding_of, new_parser, plain_xml
from .article import Raw
from .bz2_blocks import blocks
from .filesystem import Location

MAX_PAGE = 2**24  # bytes of XML; a text of MediaWiki's limit, 2 MiB, takes 12 where all of it is escaped
END = b"</mediawiki>"

_OPEN, _CLOSE = b"<page>", b"</page>"
_CHUNK = 2**20
_FILES = (6, 14)  # the namespaces of files and categories
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


class Site(NamedTuple):
    """What a dump says of its wiki: its language code, '' where it does not tell, and the names of its namespaces.

    *files*: the names, in small letters, of the namespaces of files and categories; *namespaces*: (number, name) of
    all that have a name.
    """

    language: str = ""
    files: tuple[str, ...] = ()
    namespaces: tuple[tuple[int, str], ...] = ()

    @classmethod
    def from_json(cls, given: Any) -> Site:
        """Make a site of what JSON holds."""
        language, files, namespaces = given
        return cls(language, tuple(files), tuple((int(number), name) for number, name in namespaces))


class Head(NamedTuple):
    """The first bytes of a file, unpacked and in UTF-8, and the encoding that they were in."""

    data: bytes
    encoding: str


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


def read_head(file: BinaryIO, name: str) -> Head:
    """Read the top of a file; nothing where it cannot be unpacked, which is told when its pages are read.

    Raises XmlError for an encoding that is not known.
    """
    if is_bz2(name):
        data = next((block.data for block in blocks(file, 0)), b"")
    elif is_gzip(name):
        stream, data = gzip.GzipFile(fileobj=file), b""
        with suppress(OSError, EOFError, zlib.error):
            while len(data) < _CHUNK and (more := stream.read1(_CHUNK)):
                data += more
    else:
        data = file.read(_CHUNK)
    encoding = encoding_of(data)
    return Head(data if encoding == "utf-8" else data.decode(encoding, "ignore").encode(), encoding)


def read_site(head: bytes) -> Site:
    """Read what the top of a dump says of its wiki; nothing where it does not tell."""
    before, end, _ = head.partition(b"</siteinfo>")
    try:
        root = etree.fromstring(plain_xml(before + end + END).data, new_parser())
    except (XmlError, etree.XMLSyntaxError):
        return Site()
    named = [(element.get("key", ""), (element.text or "").strip().lower()) for element in root.iter("{*}namespace")]
    keys = [(int(key), name) for key, name in named if name and key.removeprefix("-").isdecimal()]
    files = tuple(name for key, name in keys if key in _FILES)
    return Site(root.get(_LANGUAGE, "").strip().lower(), files, tuple(keys))


def is_bz2(name: str) -> bool:
    """Whether a file of this name is packed by bzip2."""
    return name.lower().endswith(".bz2")


def is_gzip(name: str) -> bool:
    """Whether a file of this name is packed by gzip."""
    return name.lower().endswith(".gz")


def read_pages(
    dump: Location, name: str, start: int, stop: int, encoding: str = "utf-8", must_end: bool = False
) -> Iterator[Raw]:
    """Yield the pages that begin in the bytes from *start* to *stop* of a dump, as they stand there, in UTF-8.

    *name* is what the dump is called in errors. A file packed by gzip, or in another encoding, is read whole.
    must_end: a dump that does not end as MediaWiki's do is cut short, which is an error.
    """
    with dump.open() as file:
        is_whole = is_gzip(dump.name) or encoding != "utf-8"
        tail = bytearray()
        if is_whole:
            chunks = _whole_chunks(file, dump.name, encoding, tail)
        elif is_bz2(dump.name):
            chunks = _bz2_chunks(file, start, stop)
        else:
            chunks = _plain_chunks(file, start, stop)
        is_cut = False
        for raw in _pages(chunks, name):
            is_cut = is_cut or raw.is_cut
            yield raw
        if must_end and not is_cut:
            end = bytes(tail) if is_whole else _end_of(file, dump.name, stop)
            if not end.rstrip().endswith(END):
                yield Raw(name, stop, error=f"the dump is cut short: it ends without {END.decode()}", is_cut=True)


def _end_of(file: BinaryIO, name: str, size: int) -> bytes:
    """Read the last bytes of a dump, unpacked."""
    if is_bz2(name):
        return b"".join([block.data for block in blocks(file, max(size - _CHUNK, 0))][-2:])
    file.seek(max(size - 4096, 0))
    return file.read()


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


def _whole_chunks(file: BinaryIO, name: str, encoding: str, tail: bytearray) -> Iterator[Chunk]:
    """Unpack and decode a file from its beginning; places are those in the UTF-8. The last bytes are kept in *tail*."""
    stream: Any = bz2.BZ2File(file) if is_bz2(name) else gzip.GzipFile(fileobj=file) if is_gzip(name) else file
    decoder = codecs.getincrementaldecoder(encoding)()
    at = 0
    try:
        while packed := stream.read(_CHUNK):
            data = packed if encoding == "utf-8" else decoder.decode(packed).encode()
            yield Chunk(data, at)
            at += len(data)
            tail[:] = (tail + data)[-4096:]
        decoder.decode(b"", final=True)
    except (OSError, EOFError, zlib.error, UnicodeError) as error:
        kind = "not in its encoding" if isinstance(error, UnicodeError) else "broken compressed data"
        yield Chunk(b"", at, error=f"{kind}, nothing behind it is read: {error}")


def _pages(chunks: Iterable[Chunk], name: str) -> Iterator[Raw]:
    """Cut chunks into pages: what lies between <page> and </page>, which text holds only escaped."""
    buffer = b""
    held: list[tuple[int, Chunk]] = []  # the chunks in the buffer, and where in it each begins
    began, searched = -1, 0  # where the page that is open begins, and how far the buffer has been looked through

    def chunk_of(byte: int) -> tuple[int, Chunk]:
        return next(entry for entry in reversed(held) if entry[0] <= byte)

    def raw(byte: int, data: bytes = b"", error: str = "", is_cut: bool = False) -> Raw:
        first, chunk = chunk_of(byte)
        return Raw(name, chunk.at + (byte - first if chunk.exact else 0), data=data, error=error, is_cut=is_cut)

    for chunk in chunks:
        if chunk.error:
            if began >= 0:
                yield raw(began, error=f"a page that runs into what cannot be read: {chunk.error}", is_cut=True)
            if not chunk.own:
                return
            yield Raw(name, chunk.at, error=chunk.error, is_cut=True)
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
        yield raw(began, error="the file ends within this page", is_cut=True)
