"""Article XML in files: in folders, and in tar archives, which are read without unpacking them."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..files.storage import StoragePath
from .archives import PACKED, SourcePath, find_file, tell_packing, unpack
from .raw import RawArticle
from .xml_article import MAX_BYTES

if TYPE_CHECKING:
    from typing import BinaryIO


ENDINGS = (".xml", *(f".xml{ending}" for ending in PACKED))
TARS = (".tar", ".tgz", ".tbz2", ".txz", *(f".tar{ending}" for ending in PACKED))
# The headers and the files of an archive begin at multiples of so many bytes.
_RECORD = 512
_ABOUT_NEXT = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_MAX_NAME = 2**20  # bytes


def read_files(folder: StoragePath, files: Sequence[str]) -> Iterator[RawArticle]:
    """Yield files of a folder as articles."""
    for path in files:
        raw = RawArticle(path, 0, _strip_ending(path))
        try:
            with find_file(folder, path).open() as file:
                raw.data = unpack(file, path).read(MAX_BYTES + 1)
        except OSError as error:
            raw.error = f"it cannot be read: {error}"
        yield raw


def read_tar(archive: SourcePath, name: str, start: int, stop: int) -> Iterator[RawArticle]:
    """Yield the XML files of an archive whose headers lie in the bytes *start* to *stop*; a packed one is read whole.

    What is packed may have any number of members or streams, as pigz and pbzip2 write them; archives may be joined.
    """
    position = start
    with archive.open() as file:
        unpacked = file if start else unpack(file)
        try:
            for position, path, content in _list_members(unpacked, start):
                if position >= stop and unpacked is file:
                    return
                raw = RawArticle(f"{name}/{path}", position, _strip_ending(path))
                try:
                    raw.data = unpack(content, path).read(MAX_BYTES + 1)
                except OSError as error:
                    raw.error = f"it cannot be read: {error}"
                yield raw
        except (tarfile.TarError, OSError, EOFError, ValueError) as error:
            yield RawArticle(name, position, error=f"the archive cannot be read from here on: {error}", is_cut=True)


def _list_members(file: BinaryIO, start: int) -> Iterator[tuple[int, str, Any]]:
    """Yield where each XML file of an archive has its header, its path and its content. Raises TarError."""
    # The stubs do not know all of it.
    archive: Any
    while (at := _next_header(file, start)) >= 0:
        start = at
        with tarfile.TarFile(fileobj=file, tarinfo=_Member) as archive:
            while member := archive.next():
                # tarfile would keep all members.
                archive.members.clear()
                if member.size < 0 or archive.offset <= at:
                    raise tarfile.ReadError("a header of a size that cannot be")
                at = archive.offset
                if member.isfile() and member.name.lower().endswith(ENDINGS):
                    yield member.offset, member.name, archive.extractfile(member)
            if archive.offset <= start:
                raise tarfile.ReadError("a header that cannot be read")
            start = archive.offset


def _next_header(file: BinaryIO, start: int) -> int:
    """Go to the next header at or after *start*, past the zeros at the end of an archive; -1 if none comes.

    Raises TarError if something else is there: tarfile takes that for the end.
    """
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
    def frombuf(cls, buf: Any, encoding: Any, errors: str) -> Any:
        member = super().frombuf(buf, encoding, errors)
        if member.size < 0 or (member.type in _ABOUT_NEXT and member.size > _MAX_NAME):
            raise tarfile.HeaderError(f"a header of {member.size:,} bytes")
        return member


def tar_cuts(archive: SourcePath, size: int, step: int) -> list[int]:
    """Return where in an archive blocks of about *step* bytes can begin: at headers, the first at 0.

    A packed archive is one block.
    """
    cuts = [0]
    at = 0
    began = -1
    with archive.open() as file:
        if tell_packing(file):
            return cuts
        while at + _RECORD <= size:
            file.seek(at)
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
            began = at if began < 0 else began
            if kind not in _ABOUT_NEXT:
                if began - cuts[-1] >= step:
                    cuts.append(began)
                began = -1
            at += _RECORD * (1 - (-content // _RECORD))
    return cuts


def _strip_ending(path: str) -> str:
    """Return a file's name without folders and endings."""
    name = path.rpartition("/")[2]
    at = name.lower().rfind(".xml")
    return name[:at] if at >= 0 else name
