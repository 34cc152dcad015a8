"""Article XML in files: in folders, and in tar archives, which are read without unpacking them."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple

from ..files.storage import FileInfo, StoragePath
from .archives import PACKED, SourcePath, find_file, leads_out, strip_packing, tell_packing, unpack
from .raw import RawArticle
from .xml_article import MAX_BYTES
from .xml_kinds import tell_record
from .xml_roots import TOP, find_root

# Endings of XML; files of others are, too, if they begin so.
XML_ENDINGS = (".dita", ".ditamap", ".docbook", ".dbk", ".tei", ".svg", ".rss", ".atom", ".fodt", ".xhtml")
_IN_TARS = tuple(name for name in XML_ENDINGS if name not in (".svg", ".xhtml"))
ENDINGS = tuple(f"{name}{ending}" for name in (".xml", ".nxml", *_IN_TARS) for ending in ("", *PACKED))
# The headers and the files of an archive begin at multiples of so many bytes.
_RECORD = 512
_ABOUT_NEXT = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
# Bytes.
_MAX_NAME = 2**20
# Bytes of a file of records that are read at once; larger files are cut into records before they are parsed.
MAX_WHOLE = 2**22
_RECORD_TAG = re.compile(r"(?:\.?//|/[\w.-]+/)?(?P<name>[\w.-]+)")


def read_files(folder: StoragePath, files: Sequence[str], record: str = "") -> Iterator[RawArticle]:
    """Yield files of a folder as articles; of large files each *record*, or its kind's, if that only names tags."""
    for path in files:
        raw = RawArticle(path, 0, strip_ending(path.rpartition("/")[2]))
        try:
            with find_file(folder, path).open() as file:
                unpacked = unpack(file, path)
                raw.data = unpacked.read(MAX_WHOLE + 1)
                if len(raw.data) > MAX_WHOLE:
                    tags = _list_record_tags(record or tell_record(find_root(raw.data[:TOP])))
                    if tags:
                        yield from _cut_records(raw, unpacked, tags)
                        continue
                    raw.data += unpacked.read(MAX_BYTES + 1 - len(raw.data))
        except OSError as error:
            raw.error = f"it cannot be read: {error}"
        yield raw


def _list_record_tags(record: str) -> list[bytes]:
    """Return the tags that an XPath names, alone or joined by `|`; none if it says more."""
    named = [_RECORD_TAG.fullmatch(path.strip()) for path in record.split("|")]
    return [match["name"].encode() for match in named if match] if all(named) else []


def _cut_records(raw: RawArticle, file: BinaryIO, tags: Sequence[bytes]) -> Iterator[RawArticle]:
    """Yield the records of a file that goes on after *raw*, each in the root element that is around them all."""
    tag = rb"(?:%b)" % b"|".join(map(re.escape, tags))
    opening = re.compile(rb"<(?:[\w.-]+:)?%b(?=[\s/>])" % tag)
    closing = re.compile(rb"</(?:[\w.-]+:)?%b\s*>" % tag)
    root = find_root(raw.data)
    if root is None:
        # It is in another encoding, or no XML.
        raw.data += file.read(MAX_BYTES)
        yield raw
        return
    before = root.declaration + root.tag
    after = root.end_tag
    window = raw.data
    offset = 0
    place = root.end
    number = 0
    while True:
        begin = opening.search(window, place)
        end = closing.search(window, begin.end()) if begin else None
        if begin and end:
            number += 1
            data = before + window[begin.start() : end.end()] + after
            yield RawArticle(raw.file, offset + begin.start(), f"{raw.name}-{number}", data, record=number)
            place = end.end()
            continue
        kept = begin.start() if begin else max(place, len(window) - len(tag) - len(after) - 1)
        more = file.read(MAX_WHOLE) if len(window) - kept <= MAX_BYTES else b""
        if not more:
            break
        offset += kept
        window = window[kept:] + more
        place = 0
    if not number:
        yield RawArticle(raw.file, 0, raw.name, error="no element is a record")
    elif not window[place:].rstrip().endswith(after):
        yield RawArticle(
            raw.file, offset + place, error="the file ends within a record, or one is too large", is_cut=True
        )


def read_tar(archive: SourcePath, name: str, start: int, stop: int) -> Iterator[RawArticle]:
    """Yield the XML of an archive whose headers lie in the bytes *start* to *stop*; a packed one is read whole."""
    position = start
    with archive.open() as file:
        unpacked = file if start else unpack(file)
        try:
            for position, path, content in _list_members(unpacked, start):
                if position >= stop and unpacked is file:
                    return
                raw = RawArticle(f"{name}/{path}", position, strip_ending(path.rpartition("/")[2]))
                if leads_out(path):
                    raw.error = "its name leads out of the archive"
                    yield raw
                    continue
                try:
                    raw.data = unpack(content, path).read(MAX_BYTES + 1)
                except OSError as error:
                    raw.error = f"it cannot be read: {error}"
                yield raw
        except (tarfile.TarError, OSError, EOFError, ValueError) as error:
            yield RawArticle(name, position, error=f"the archive cannot be read from here on: {error}", is_cut=True)


@lru_cache(64)
def holds_xml(archive: StoragePath, entry: FileInfo) -> bool:
    """Tell whether a tar archive holds XML, or cannot be read, which `read_tar` tells."""
    try:
        with archive.open() as file:
            return next(_list_members(unpack(file), 0), None) is not None
    except (tarfile.TarError, OSError, EOFError, ValueError):
        return True


class _TarFile(NamedTuple):
    """A file of an archive: where its header is, its path, and its content."""

    position: int
    path: str
    content: BinaryIO


def _list_members(file: BinaryIO, start: int) -> Iterator[_TarFile]:
    # The stubs do not know all of it.
    archive: Any
    while (position := _next_header(file, start)) >= 0:
        start = position
        with tarfile.TarFile(fileobj=file, tarinfo=_Member) as archive:
            while member := archive.next():
                # tarfile would keep all members.
                archive.members.clear()
                if member.size < 0 or archive.offset <= position:
                    raise tarfile.ReadError("a header of a size that cannot be")
                position = archive.offset
                if member.isfile() and member.name.lower().endswith(ENDINGS):
                    yield _TarFile(member.offset, member.name, archive.extractfile(member))
            if archive.offset <= start:
                raise tarfile.ReadError("a header that cannot be read")
            start = archive.offset


def _next_header(file: BinaryIO, start: int) -> int:
    """Go to the next header at or after *start*, past zeros; -1 if none comes. Raises TarError for anything else."""
    file.seek(start)
    zeros = start
    while block := file.read(_RECORD):
        if any(block):
            _Member.frombuf(block, "utf-8", "surrogateescape")
            file.seek(zeros)
            return zeros
        zeros += len(block)
    if zeros == start:
        raise tarfile.ReadError("it ends without the mark of an end")
    return -1


class _Member(tarfile.TarInfo):
    """A header that tarfile may believe: no negative size, which it would follow back, and no name of megabytes."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Member:
        member = super().frombuf(buf, encoding, errors)
        if member.size < 0 or (member.type in _ABOUT_NEXT and member.size > _MAX_NAME):
            raise tarfile.HeaderError(f"a header of {member.size:,} bytes")
        return member


def tar_cuts(archive: SourcePath, size: int, step: int) -> list[int]:
    """Return where in an archive blocks of about *step* bytes can begin: at headers, the first at 0.

    A packed archive is one block.
    """
    cuts = [0]
    position = 0
    began = -1
    with archive.open() as file:
        if tell_packing(file):
            return cuts
        while position + _RECORD <= size:
            file.seek(position)
            header = file.read(_RECORD)
            try:
                content = _Member.frombuf(header, "utf-8", "surrogateescape").size
            except tarfile.HeaderError:
                # This is the end, or something that the reader will complain of.
                break
            kind = header[156:157]
            if kind == tarfile.GNUTYPE_SPARSE or (kind in _ABOUT_NEXT and b" size=" in file.read(content)):
                # The size that counts is in another header.
                break
            began = position if began < 0 else began
            if kind not in _ABOUT_NEXT:
                if began - cuts[-1] >= step:
                    cuts.append(began)
                began = -1
            position += _RECORD * (1 - (-content // _RECORD))
    return cuts


def strip_ending(path: str) -> str:
    """Return a path without the endings of XML and of packed files."""
    folder, slash, name = path.rpartition("/")
    match = re.fullmatch(r"(.*)\.n?xml.*", name, re.IGNORECASE | re.DOTALL)
    bare = strip_packing(name)
    ending = next((ending for ending in XML_ENDINGS if bare.endswith(ending)), "")
    return f"{folder}{slash}{match[1] if match else name[: len(bare) - len(ending)] if ending else name}"
