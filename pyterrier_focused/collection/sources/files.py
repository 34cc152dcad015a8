"""The files of a source, one after the other: in folders and in tar and zip archives, packed or not, or at URLs."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import re
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple

import fsspec.core

from ...errors import CollectionError, import_extra

TARS = (".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst")
PACKED = (".gz", ".bz2", ".xz", ".zst")
PAGES = (".html", ".htm", ".xhtml")
# Endings of article XML other than .xml and .nxml.
XML_ENDINGS = (".dita", ".ditamap", ".docbook", ".dbk", ".tei", ".svg", ".fodt")
# Such as enwiki-latest-pages-articles1.xml-p1p41242.
_XML = re.compile(r"(?P<stem>.*)\.n?xml[^/]*", re.IGNORECASE | re.DOTALL)
_ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
# What reading a broken file raises.
BROKEN: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    RuntimeError,
)
with suppress(ImportError):
    BROKEN = (*BROKEN, importlib.import_module(_ZSTD).ZstdError)
_MAGIC = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"))


class FileFacts(NamedTuple):
    """A file of a source: its address, its path in the source, and what tells that it has changed."""

    address: str
    path: str
    size: int
    changed: str


class _StrictMember(tarfile.TarInfo):
    """A member of an archive that ends with a block of zeros: what is cut or damaged is no end, as it is to tarfile."""

    @classmethod
    def fromtarfile(cls, archive: Any) -> Any:
        try:
            member = super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            archive.has_ended = True
            raise
        except tarfile.EmptyHeaderError:  # type: ignore[attr-defined]
            if getattr(archive, "has_ended", False):
                raise
            raise OSError("the archive is cut short") from None
        except tarfile.HeaderError as error:
            raise OSError(f"the archive is damaged: {error}") from error
        archive.has_ended = False
        return member


class OpenedFile(NamedTuple):
    """A file, unpacked, to be read before the next one is asked for; *is_named*: the user gave its path."""

    path: str
    stream: BinaryIO
    is_named: bool


def list_files(source: str) -> list[FileFacts]:
    """Return the files of a folder and those below it, without hidden ones, or the one file. Raises CollectionError."""
    filesystem, root = fsspec.core.url_to_fs(source)
    if not filesystem.exists(root):
        raise CollectionError(f"{source}: no such file or folder")
    if filesystem.isfile(root):
        found = {root: filesystem.info(root)}
        root = root.rpartition("/")[0]
    else:
        found = filesystem.find(root, detail=True)
    facts = (
        FileFacts(
            place, place[len(root) :].lstrip("/"), info.get("size") or 0, str(info.get("mtime") or info.get("created"))
        )
        for place, info in found.items()
        # Links may lead nowhere.
        if info["type"] == "file"
    )
    return sorted((file for file in facts if "/." not in f"/{file.path}"), key=lambda file: _split_numbers(file.path))


def read_files(source: str) -> Iterator[OpenedFile]:
    """Yield the files of a source, and those in its archives as `a.tar/b.xml`."""
    filesystem, root = fsspec.core.url_to_fs(source)
    is_named = filesystem.isfile(root)
    for file in list_files(source):
        with filesystem.open(file.address, "rb") as opened:
            stream = io.BufferedReader(opened, 2**17)
            lower = file.path.lower()
            if lower.endswith(TARS):
                options: Any = {"tarinfo": _StrictMember, "ignore_zeros": True}
                with tarfile.open(fileobj=unpack(stream), mode="r|", **options) as archive:
                    for entry in (entry for entry in archive if entry.isfile()):
                        yield OpenedFile(f"{file.path}/{entry.name}", unpack(archive.extractfile(entry)), False)
            elif lower.endswith(".zip"):
                with zipfile.ZipFile(stream) as pack:
                    # By member, since several may have one name.
                    for member in (info for info in pack.infolist() if not info.is_dir()):
                        with pack.open(member) as content:
                            yield OpenedFile(f"{file.path}/{member.filename}", unpack(content), False)
            else:
                yield OpenedFile(file.path, unpack(stream), is_named)


class _Unpacked(io.RawIOBase):
    """A packed file of which all is read that comes before the place where it is broken."""

    def __init__(self, stream: Any):
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def unpack(stream: Any) -> BinaryIO:
    """Return the content of a file that is packed, as its first bytes tell, or the file itself."""
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream, 2**17)
    head = buffered.peek(6)
    name = next((name for magic, name in _MAGIC if head.startswith(magic)), None)
    if name is None:
        return buffered
    # Zstandard is in Python from 3.14 on.
    openers = {"gzip": gzip.GzipFile, "bz2": bz2.BZ2File, "xz": lzma.LZMAFile}
    opener: Any = openers[name] if name in openers else import_extra(_ZSTD, "archives").ZstdFile
    opened = opener(fileobj=buffered) if name == "gzip" else opener(buffered)
    return io.BufferedReader(_Unpacked(opened), 2**17)


def strip_packing(path: str) -> str:
    return re.sub(r"\.(gz|bz2|xz|zst)$", "", path, flags=re.IGNORECASE)


def is_xml_name(path: str) -> bool:
    return _XML.fullmatch(path) is not None


def strip_ending(path: str) -> str:
    """Return a path without the ending of a page or of XML, and that of a packed file.

    Example:
        >>> strip_ending("a/PMC1.nxml.gz"), strip_ending("a/b.html"), strip_ending("a/c.law")
        ('a/PMC1', 'a/b', 'a/c.law')
    """
    bare = strip_packing(path)
    if ending := next((ending for ending in (*PAGES, *XML_ENDINGS) if bare.lower().endswith(ending)), ""):
        return bare[: -len(ending)]
    named = _XML.fullmatch(bare)
    return named["stem"] if named else path


def _split_numbers(path: str) -> list[tuple[int, str]]:
    """Sort paths with the numbers in them as numbers: part2 before part10."""
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path)]
