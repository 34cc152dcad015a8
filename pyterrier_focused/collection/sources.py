"""Where articles come from: MediaWiki dumps, folders, files and tar archives of article XML, cut into blocks of work.

A block is what one task reads and one shard holds. Blocks depend on the source alone, never on the number of workers,
so a collection has the same bytes however it was built.
"""

from __future__ import annotations

import bz2
import gzip
import mmap
import os
import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..errors import CollectionError
from .article import Article, RejectedArticle

BLOCK_BYTES = 2**23  # of input; about 1,000 articles of Wikipedia
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")  # where a bz2 stream begins
_PAGE_OPEN, _PAGE_CLOSE = b"<page>", b"</page>"
MAX_PAGE_BYTES = 2**26
_CHUNK = 2**20
_XML = (".xml", ".xml.gz", ".xml.bz2")
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2")


@dataclass(frozen=True)
class Block:
    """A part of the source: bytes of a file (stop = -1: to its end), some files of a folder, or an archive."""

    kind: str  # 'mediawiki', 'files' or 'tar'
    file: str
    start: int = 0
    stop: int = -1
    names: tuple[str, ...] = ()
    size: int = 0  # bytes of input, for progress

    def label(self) -> str:
        """What the block is called in messages."""
        span = f" bytes {self.start}-{self.stop}" if self.stop >= 0 else ""
        return f"{self.file}{span}"


@dataclass
class Raw:
    """One article as it stands in the source, not yet parsed; *error* where it could not even be read."""

    file: str
    position: int
    name: str
    data: bytes = b""
    error: str = ""


def detect(source: Path) -> str:
    """Tell what kind of source a path is: 'mediawiki' or 'inex'."""
    if source.is_dir() or source.name.endswith(_TARS):
        return "inex"
    try:
        with open_stream(source) as stream:
            head = stream.read(4096)
    except (OSError, EOFError) as error:
        raise CollectionError(f"{source}: cannot be read: {error}") from error
    return "mediawiki" if b"<mediawiki" in head or _PAGE_OPEN in head else "inex"


def blocks(source: str | Path, format: str = "auto") -> tuple[str, list[Block]]:
    """Cut a source into blocks: (its format, the blocks in order)."""
    source = Path(source)
    if not source.exists():
        raise CollectionError(f"{source}: no such file or folder")
    if format == "auto":
        format = detect(source)
    if format == "mediawiki":
        dumps = sorted(p for p in source.iterdir() if _is_dump(p)) if source.is_dir() else [source]
        return format, [block for dump in dumps for block in _dump_blocks(dump)]
    if source.is_dir():
        found = _folder_blocks(source)
    elif source.name.endswith(_TARS):
        found = [Block("tar", str(source), size=source.stat().st_size)]
    else:
        found = [Block("files", str(source.parent), names=(source.name,), size=source.stat().st_size)]
    return format, found


def read(block: Block) -> Iterator[Raw]:
    """Yield the articles of a block, unparsed."""
    if block.kind == "mediawiki":
        yield from _read_pages(block)
    elif block.kind == "tar":
        yield from _read_tar(block)
    else:
        yield from _read_files(block)


def extractor(format: str, options: dict[str, Any]) -> Callable[[Raw], Article | None]:
    """Return the function that parses one article of a format; None from it means: no article, and no fault."""
    if format == "mediawiki":
        from .mediawiki import parse_page

        return lambda raw: parse_page(raw.data)
    from .xml_article import parse_article_xml

    id_from = options.get("id_from", "auto")
    return lambda raw: parse_article_xml(raw.data, raw.name, id_from)


def open_stream(path: str | Path) -> IO[bytes]:
    """Open a file to read, unpacked by its ending."""
    name = str(path)
    if name.endswith(".bz2"):
        return bz2.open(name, "rb")
    if name.endswith((".gz", ".tgz")):
        return gzip.open(name, "rb")  # type: ignore[return-value]
    return open(name, "rb")


def _is_dump(path: Path) -> bool:
    return path.name.endswith(_XML) and "index" not in path.name


def _dump_blocks(dump: Path) -> list[Block]:
    size = dump.stat().st_size
    if dump.name.endswith(".bz2"):
        starts = _stream_starts(dump)
        if len(starts) < 2:
            return [Block("mediawiki", str(dump), size=size)]
        return _grouped(dump, starts, size, BLOCK_BYTES // 4)
    if dump.name.endswith(".gz"):
        return [Block("mediawiki", str(dump), size=size)]
    return _grouped(dump, _page_starts(dump, size), size, BLOCK_BYTES)


def _grouped(dump: Path, starts: list[int], size: int, least: int) -> list[Block]:
    """Blocks of at least *least* bytes that begin at some of *starts*."""
    cuts = [0]
    for start in starts:
        if start - cuts[-1] >= least:
            cuts.append(start)
    ends = [*cuts[1:], size]
    return [Block("mediawiki", str(dump), a, b, size=b - a) for a, b in zip(cuts, ends, strict=True)]


def _stream_starts(dump: Path) -> list[int]:
    """Offsets at which bz2 streams seem to begin; a false one is found out by the first bytes behind it."""
    starts = []
    with open(dump, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for match in _STREAM.finditer(data):
            try:
                bz2.BZ2Decompressor().decompress(data[match.start() : match.start() + 2**20], max_length=1)
            except OSError:
                continue
            starts.append(match.start())
    return starts


def _page_starts(dump: Path, size: int) -> list[int]:
    """Offsets of pages, one for each block."""
    starts = []
    with open(dump, "rb") as file:
        if size == 0:
            return []
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at = data.find(_PAGE_OPEN, BLOCK_BYTES)
            while at >= 0:
                starts.append(at)
                at = data.find(_PAGE_OPEN, at + BLOCK_BYTES)
    return starts


def _read_pages(block: Block) -> Iterator[Raw]:
    """Cut a dump's bytes into pages: what lies between <page> and </page>, which text cannot hold unescaped."""
    buffer, offset = b"", 0
    chunks = _chunks(block)
    while True:
        chunk = next(chunks, b"")
        if isinstance(chunk, Exception):  # what was begun is lost; the next stream begins with a page of its own
            yield Raw(block.file, offset + len(buffer), "", error=f"cannot be read: {chunk}")
            buffer, offset = b"", offset + len(buffer)
            continue
        ended = not chunk
        buffer += chunk
        at = 0
        while True:
            begin = buffer.find(_PAGE_OPEN, at)
            if begin < 0:
                at = max(at, len(buffer) - len(_PAGE_OPEN) + 1)
                break
            close = buffer.find(_PAGE_CLOSE, begin)
            again = buffer.find(_PAGE_OPEN, begin + 1, close if close >= 0 else len(buffer))
            if again >= 0 and (close < 0 or again < close):
                yield Raw(block.file, offset + begin, "", error="a page that does not end before the next one begins")
                at = again
                continue
            if close < 0:
                if ended or len(buffer) - begin > MAX_PAGE_BYTES:
                    why = "the file ends within this page" if ended else f"a page of over {MAX_PAGE_BYTES} bytes"
                    yield Raw(block.file, offset + begin, "", error=why)
                    at = len(buffer)
                else:
                    at = begin
                break
            stop = close + len(_PAGE_CLOSE)
            yield Raw(block.file, offset + begin, "", buffer[begin:stop])
            at = stop
        if ended:
            return
        buffer, offset = buffer[at:], offset + at


def _chunks(block: Block) -> Iterator[bytes | Exception]:
    """The bytes of a block, unpacked; where they cannot be unpacked, the error, and then what can be read behind it."""
    try:
        if block.file.endswith(".bz2"):
            with open(block.file, "rb") as packed:
                yield from _unpacked(_limited(packed, block))
        else:
            with open_stream(block.file) as stream:
                yield from _limited(stream, block)
    except (OSError, EOFError) as error:
        yield error


def _limited(stream: IO[bytes], block: Block) -> Iterator[bytes]:
    stream.seek(block.start)
    left = block.stop - block.start if block.stop >= 0 else -1
    while chunk := stream.read(_CHUNK if left < 0 else min(_CHUNK, left)):
        left -= len(chunk) if left >= 0 else 0
        yield chunk


def _unpacked(packed: Iterator[bytes]) -> Iterator[bytes | Exception]:
    """Unpack bz2 streams that follow each other; a broken one is given up for the next that begins behind it."""
    decompressor, lost, tail = bz2.BZ2Decompressor(), False, b""
    for chunk in packed:
        data = tail + chunk
        tail = b""
        while data:
            if lost:
                following = _STREAM.search(data)
                if following is None:
                    tail = data[-9:]  # a stream's first bytes may lie across two chunks
                    break
                decompressor, lost, data = bz2.BZ2Decompressor(), False, data[following.start() :]
            elif decompressor.eof:
                decompressor = bz2.BZ2Decompressor()
            try:
                yield decompressor.decompress(data)
                data = decompressor.unused_data
            except OSError as error:
                yield error
                lost, data = True, data[1:]
    if not (decompressor.eof or lost):
        yield EOFError("the compressed data ends within a stream")


def _folder_blocks(folder: Path) -> list[Block]:
    """Files of a folder and all below it, in the order of their names; archives are blocks of their own."""
    found: list[Block] = []
    names: list[str] = []
    size = 0
    for directory, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            path = Path(directory, file)
            if file.endswith(_TARS):
                found.append(Block("tar", str(path), size=path.stat().st_size))
            elif file.endswith(_XML):
                names.append(str(path.relative_to(folder)))
                size += path.stat().st_size
                if size >= BLOCK_BYTES:
                    found.append(Block("files", str(folder), names=tuple(names), size=size))
                    names, size = [], 0
    if names:
        found.append(Block("files", str(folder), names=tuple(names), size=size))
    if not found:
        raise CollectionError(f"{folder}: no .xml files and no tar archives are in this folder or below it")
    return found


def _read_files(block: Block) -> Iterator[Raw]:
    for relative in block.names:
        path = Path(block.file, relative)
        raw = Raw(str(path), 0, path.name.partition(".xml")[0])
        try:
            with open_stream(path) as stream:
                raw.data = stream.read(MAX_PAGE_BYTES + 1)
        except (OSError, EOFError) as error:
            raw.error = f"cannot be read: {error}"
        yield raw


def _read_tar(block: Block) -> Iterator[Raw]:
    position = 0
    try:
        with tarfile.open(block.file, "r|*") as archive:
            for member in archive:
                position = member.offset
                if not member.isfile() or not member.name.endswith(".xml"):
                    continue
                raw = Raw(f"{block.file}!{member.name}", position, Path(member.name).name.partition(".xml")[0])
                content = archive.extractfile(member)
                raw.data = content.read(MAX_PAGE_BYTES + 1) if content else b""
                yield raw
    except (tarfile.TarError, OSError, EOFError) as error:
        yield Raw(block.file, position, "", error=f"the archive cannot be read from here on: {error}")


__all__ = ["Article", "Block", "Raw", "RejectedArticle", "blocks", "detect", "extractor", "open_stream", "read"]
