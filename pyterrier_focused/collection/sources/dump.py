"""MediaWiki dumps, cut into pages: any block of a file is read by itself, plain or packed by bzip2.

A page belongs to the block in which it begins. So blocks can be cut anywhere: the page that lies across the end is
read to its end, and what comes before the first page of a block is left to the one before.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple

from lxml import etree

from ...reading.xml import XmlError, encoding_of, new_parser, plain_xml
from .archives import SourcePath, is_read_whole, unpack
from .bz2_blocks import blocks
from .page_addresses import address_base
from .raw import RawArticle

# Bytes of XML: a text of MediaWiki's limit, 2 MiB, takes 12 if all of it is escaped.
MAX_PAGE = 2**24
END = b"</mediawiki>"
# A code, such as de or zh-min-nan.
LANGUAGE = re.compile(r"[a-z]{2,12}(-[a-z0-9]{1,12})*")

_OPEN = b"<page>"
_CLOSE = b"</page>"
_CHUNK = 2**20
# The head is unpacked in so many bytes at a time, so that what comes before a fault is read.
_HEAD = 2**16
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


class WikiSite(NamedTuple):
    """A wiki as its dump describes it: the language code, '' if unknown, and the names of namespaces.

    *namespaces*: (number, name in small letters) of all that have a name. *base* is what the addresses of its pages
    begin with, *name* that of its database, such as frwiki.
    """

    language: str = ""
    namespaces: tuple[tuple[int, str], ...] = ()
    base: str = ""
    name: str = ""

    @classmethod
    def from_json(cls, given: Any) -> WikiSite:
        language, namespaces, *names = given
        return cls(language, tuple((int(number), name) for number, name in namespaces), *names)

    @property
    def is_wikipedia(self) -> bool:
        """Whether it is a Wikipedia, as the address of its pages tells, or its name; true if the dump tells neither."""
        if self.base.startswith(("http:", "https:", "//")):
            return ".wikipedia.org/" in self.base
        return not self.name or self.name.endswith("wiki")


class DumpHead(NamedTuple):
    """The first bytes of a file, unpacked and in UTF-8, and the encoding that they were in."""

    data: bytes
    encoding: str


class DumpBytes(NamedTuple):
    """Bytes of a dump, unpacked, or why they cannot be read.

    *at* is their place in the file, that of each byte if *exact*. Pages that begin here belong to the block that is
    read if *own*; *last* says that those after it do not.
    """

    data: bytes
    at: int
    exact: bool = True
    own: bool = True
    last: bool = False
    error: str = ""


def read_head(file: BinaryIO, name: str, size: int = _CHUNK) -> DumpHead:
    """Read about *size* bytes of the top of a file, if it can be unpacked. Raises XmlError for an unknown encoding."""
    if is_bz2(name):
        data = next((block.data for block in blocks(file, 0)), b"")
    else:
        data = b""
        with suppress(OSError):
            stream = unpack(file, name)
            while len(data) < size and (more := stream.read(_HEAD)):
                data += more
    encoding = encoding_of(data)
    if encoding.startswith("utf-8"):
        # Pages are found after a byte order mark.
        return DumpHead(data, "utf-8")
    return DumpHead(data.decode(encoding, "ignore").encode(), encoding)


def read_site(head: bytes) -> WikiSite:
    """Read the language, namespaces and addresses of a wiki from the top of its dump; empty if not told."""
    before, end, _ = head.partition(b"</siteinfo>")
    try:
        root = etree.fromstring(plain_xml(before + end + END).data, new_parser())
    except (XmlError, etree.XMLSyntaxError):
        return WikiSite()
    named = [(element.get("key", ""), (element.text or "").strip().lower()) for element in root.iter("{*}namespace")]
    keys = [(int(key), name) for key, name in named if name and key.removeprefix("-").isdecimal()]
    language = root.get(_LANGUAGE, "").strip().lower()
    base = address_base((root.findtext("{*}siteinfo/{*}base") or "").strip())
    name = (root.findtext("{*}siteinfo/{*}dbname") or "").strip()
    return WikiSite(language if LANGUAGE.fullmatch(language) else "", tuple(keys), base, name)


def is_bz2(name: str) -> bool:
    """Tell if a file of this path is packed by bzip2, and not in an archive: any range of it can be read."""
    return name.lower().endswith(".bz2") and not is_read_whole(name)


def read_pages(
    dump: SourcePath, name: str, start: int, stop: int, encoding: str = "utf-8", must_end: bool = False
) -> Iterator[RawArticle]:
    """Yield the pages that begin in the bytes from *start* to *stop* of a dump, as they are there, in UTF-8.

    *name* is its path, for errors. A file packed by anything but bzip2, or in another encoding, is read whole.
    must_end: a dump that does not end as MediaWiki's do is cut short, which is an error.
    """
    with dump.open() as file:
        is_whole = is_read_whole(name) or encoding != "utf-8"
        tail = bytearray()
        if is_whole:
            chunks = _whole_chunks(file, name, encoding, tail)
        elif is_bz2(name):
            chunks = _bz2_chunks(file, start, stop)
        else:
            chunks = _plain_chunks(file, start, stop)
        is_cut = False
        for raw in _cut_pages(chunks, name):
            is_cut = is_cut or raw.is_cut
            yield raw
        if must_end and not is_cut:
            end = bytes(tail) if is_whole else _read_end(file, name, stop)
            if not end.rstrip().endswith(END):
                yield RawArticle(
                    name, stop, error=f"the dump is cut short: it ends without {END.decode()}", is_cut=True
                )


def _read_end(file: BinaryIO, name: str, size: int) -> bytes:
    if is_bz2(name):
        return b"".join([block.data for block in blocks(file, max(size - _CHUNK, 0))][-2:])
    file.seek(max(size - 4096, 0))
    return file.read()


def _plain_chunks(file: BinaryIO, start: int, stop: int) -> Iterator[DumpBytes]:
    file.seek(start)
    while data := file.read(min(_CHUNK, stop - start) if start < stop else _CHUNK):
        yield DumpBytes(data, start, own=start < stop, last=start + len(data) >= stop)
        start += len(data)


def _bz2_chunks(file: BinaryIO, start: int, stop: int) -> Iterator[DumpBytes]:
    has_blocks = False
    for begin, end, data, error in blocks(file, start):
        has_blocks = True
        yield DumpBytes(data, begin, exact=False, own=begin < stop, last=end >= stop, error=error)
    if not has_blocks and start == 0:
        yield DumpBytes(b"", 0, error="this is not a bzip2 file")


def _whole_chunks(file: BinaryIO, name: str, encoding: str, tail: bytearray) -> Iterator[DumpBytes]:
    """Unpack and decode a file from its beginning; places are those in the UTF-8. The last bytes are kept in *tail*."""
    decoder = codecs.getincrementaldecoder(encoding)()
    position = 0
    try:
        stream = unpack(file, name)
        # read1 gives what a broken file holds before its end
        read = getattr(stream, "read1", stream.read)
        while packed := read(_CHUNK):
            data = packed if encoding == "utf-8" else decoder.decode(packed).encode()
            yield DumpBytes(data, position)
            position += len(data)
            tail[:] = (tail + data)[-4096:]
        decoder.decode(b"", final=True)
    except (OSError, UnicodeError) as error:
        kind = "not in its encoding: " if isinstance(error, UnicodeError) else ""
        yield DumpBytes(b"", position, error=f"nothing after it is read: {kind}{error}")


def _cut_pages(chunks: Iterable[DumpBytes], name: str) -> Iterator[RawArticle]:
    window = _PageWindow(name)
    for chunk in chunks:
        if chunk.error:
            yield from window.broken(chunk)
            if chunk.last or not chunk.own:
                return
            continue
        window.add(chunk)
        yield from window.pages()
        if window.is_done:
            return
    if window.began >= 0:
        yield window.article(error="the file ends within this page", is_cut=True)


class _PageWindow:
    """The bytes of a dump in which pages are sought; *began* is the start of the open page, -1 for none."""

    def __init__(self, name: str):
        self.began = -1
        self.is_done = False
        self._name = name
        self._buffer = b""
        # The parts of the buffer, each with its first position in it.
        self._held: list[tuple[int, DumpBytes]] = []
        self._searched = 0

    def add(self, chunk: DumpBytes) -> None:
        keep = self._searched if self.began < 0 else self.began
        ends = [first for first, _ in self._held[1:]] + [len(self._buffer) + 1]
        self._held = [
            (offset - keep, entry) for (offset, entry), end in zip(self._held, ends, strict=False) if end > keep
        ]
        self._buffer = self._buffer[keep:]
        self._searched -= keep
        self.began = min(self.began, 0)
        self._held.append((len(self._buffer), chunk))
        self._buffer += chunk.data

    def broken(self, chunk: DumpBytes) -> Iterator[RawArticle]:
        """Give up the page that runs into bytes that cannot be read, and begin after them."""
        if self.began >= 0:
            yield self.article(error=f"a page that runs into what cannot be read: {chunk.error}", is_cut=True)
        if chunk.own:
            yield RawArticle(self._name, chunk.at, error=chunk.error, is_cut=True)
        self.began = -1
        self._searched = 0
        self._buffer = b""
        self._held = []

    def pages(self) -> Iterator[RawArticle]:
        while self._find_open():
            close = self._buffer.find(_CLOSE, self._searched)
            again = self._buffer.find(_OPEN, self._searched, close if close >= 0 else len(self._buffer))
            if again >= 0:
                yield self.article(error="a page that does not end before the next one begins")
                self._searched = again
            elif close >= 0:
                self._searched = close + len(_CLOSE)
                yield self.article(self._buffer[self.began : self._searched])
            else:
                self._searched = max(self._searched, len(self._buffer) - len(_CLOSE) + 1)
                if len(self._buffer) - self.began <= MAX_PAGE:
                    return
                yield self.article(error=f"a page of over {MAX_PAGE:,} bytes")
            self.began = -1

    def article(self, data: bytes = b"", error: str = "", is_cut: bool = False) -> RawArticle:
        first, chunk = self._chunk_of(self.began)
        return RawArticle(
            self._name, chunk.at + (self.began - first if chunk.exact else 0), data=data, error=error, is_cut=is_cut
        )

    def _find_open(self) -> bool:
        if self.began >= 0:
            return True
        begin = self._buffer.find(_OPEN, self._searched)
        if begin >= 0 and self._chunk_of(begin)[1].own:
            self.began = begin
            self._searched = begin + len(_OPEN)
            return True
        self._searched = max(self._searched, len(self._buffer) - len(_OPEN) + 1)
        is_begun = any(self._buffer.endswith(_OPEN[:size]) for size in range(1, len(_OPEN)))
        self.is_done = begin >= 0 or (self._held[-1][1].last and not is_begun)
        return False

    def _chunk_of(self, byte: int) -> tuple[int, DumpBytes]:
        return next(entry for entry in reversed(self._held) if entry[0] <= byte)
