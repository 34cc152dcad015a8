"""Article XML in files: in folders, and in tar archives, which are read without unpacking them."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from .article import Raw
from .filesystem import Location
from .xml_article import MAX_BYTES

ENDINGS = (".xml", ".xml.gz", ".xml.bz2")
TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2")
_RECORD = 512  # bytes; the headers and the files of an archive begin at multiples


def read_files(folder: Location, files: Sequence[str]) -> Iterator[Raw]:
    """Yield files of a folder as articles."""
    for path in files:
        raw = Raw(path, 0, _article_name(path))
        try:
            with (folder / path).open() as file:
                raw.data = _unpacked(file, path).read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raw.error = f"it cannot be read: {error}"
        yield raw


def read_tar(archive: Location, name: str, start: int, stop: int) -> Iterator[Raw]:
    """Yield the XML files of an archive whose headers lie in the bytes *start* to *stop*; a packed one is whole."""
    position = start
    with archive.open() as file:
        file.seek(start)
        try:
            with tarfile.open(fileobj=file, mode="r|*") as members:
                for member in members:
                    members.members.clear()  # type: ignore[attr-defined]  # else it keeps them all; no stub has it
                    position = start + member.offset
                    if position >= stop and is_plain(archive.name):
                        return
                    if not member.isfile() or not member.name.lower().endswith(ENDINGS):
                        continue
                    raw = Raw(f"{name}/{member.name}", position, _article_name(member.name))
                    content: Any = members.extractfile(member)
                    try:
                        raw.data = _unpacked(content, member.name).read(MAX_BYTES + 1)
                    except (OSError, EOFError, zlib.error) as error:
                        raw.error = f"it cannot be read: {error}"
                    yield raw
        except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
            yield Raw(name, position, error=f"the archive cannot be read from here on: {error}")


def is_plain(name: str) -> bool:
    """Whether an archive of this name is not packed, so that it can be read from anywhere."""
    return name.lower().endswith(".tar")


def tar_cuts(archive: Location, size: int, step: int) -> list[int]:
    """Return where in a plain archive stretches of about *step* bytes can begin: at headers, the first at 0."""
    cuts = [0]
    at, began = 0, -1
    with archive.open() as file:
        while at + _RECORD <= size:
            file.seek(at)
            header = file.read(_RECORD)
            try:
                content = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape").size
            except tarfile.HeaderError:  # the end, or what the reader will complain of
                break
            began = at if began < 0 else began
            if header[156:157] not in (b"x", b"g", b"L", b"K"):  # those say more of the header that follows
                if began - cuts[-1] >= step:
                    cuts.append(began)
                began = -1
            at += _RECORD * (1 - (-content // _RECORD))
    return cuts


def _unpacked(file: Any, name: str) -> io.BufferedIOBase:
    if name.lower().endswith(".bz2"):
        return bz2.BZ2File(file)
    if name.lower().endswith(".gz"):
        return gzip.GzipFile(fileobj=file)
    return file


def _article_name(path: str) -> str:
    """A file's name without folders and endings."""
    name = path.rpartition("/")[2]
    at = name.lower().rfind(".xml")
    return name[:at] if at >= 0 else name
