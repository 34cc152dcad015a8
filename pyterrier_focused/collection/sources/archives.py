"""Files as they are downloaded: packed (gzip, bzip2, xz, Zstandard), and archives of files (.zip, .7z, .tar).

The first bytes of a file say how it is packed. Files in an archive have paths that continue its own: `a.zip/b.xml`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import posixpath
import re
import shutil
import stat
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from ...errors import CollectionError, import_extra
from ..files.storage import FileInfo, StoragePath

ARCHIVES = (".zip", ".epub", ".7z")
PACKED = (".gz", ".bz2", ".xz", ".zst")
TARS = (".tar", ".tgz", ".tbz2", ".txz", *(f".tar{ending}" for ending in PACKED))
_LISTED = (*ARCHIVES, *TARS)
_MAGIC = ((b"\x1f\x8b", ".gz"), (b"BZh", ".bz2"), (b"\xfd7zXZ\x00", ".xz"), (b"\x28\xb5\x2f\xfd", ".zst"))
_OPEN_ARCHIVES = 4


class SourcePath(Protocol):
    """A file that is read: one of a file system, or one in an archive."""

    @property
    def name(self) -> str:
        """The last part of the path."""

    def open(self) -> BinaryIO:
        """Open the file to read."""


class _Unpacked(io.RawIOBase):
    """The unpacked content of a file; all errors of its library become OSErrors."""

    def __init__(self, stream: io.BufferedIOBase, error: type[Exception] = OSError):
        self._stream = stream
        # Errors of this packing's library that _explain_errors does not know.
        self._error = error

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        with _explain_errors(self._error):
            return self._stream.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        with _explain_errors(self._error):
            data = self._stream.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


_ENCRYPTED = "the archive is encrypted; unpack it with its password first"


@contextmanager
def _explain_errors(more: type[Exception] = OSError) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError, more) as error:
        if "password" in str(error).lower():
            raise OSError(_ENCRYPTED) from error
        raise OSError(f"broken compressed data: {error}") from error


def tell_packing(file: BinaryIO) -> str:
    """Tell by its first bytes how a file is packed, such as '.gz'; '' for not at all."""
    head = file.read(6)
    file.seek(0)
    return next((ending for magic, ending in _MAGIC if head.startswith(magic)), "")


def unpack(file: BinaryIO, name: str = "") -> BinaryIO:
    """Return the unpacked content of a file, or the file itself if it is not packed. Reading raises OSError only."""
    packing = tell_packing(file)
    if not packing and name.lower().endswith(PACKED):
        raise OSError(f"broken compressed data: it is not packed as {name[name.rindex('.') :]} files are")
    return io.BufferedReader(_UNPACKERS[packing](file), 2**17) if packing else file


def _unpack_zstandard(file: BinaryIO) -> _Unpacked:
    library = import_extra("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd", "archives")
    return _Unpacked(library.ZstdFile(file), library.ZstdError)


_UNPACKERS: dict[str, Callable[[BinaryIO], _Unpacked]] = {
    ".gz": lambda file: _Unpacked(gzip.GzipFile(fileobj=file)),
    ".bz2": lambda file: _Unpacked(bz2.BZ2File(file)),
    ".xz": lambda file: _Unpacked(lzma.LZMAFile(file)),  # noqa: SIM115
    ".zst": _unpack_zstandard,
}


def strip_packing(name: str) -> str:
    """Return a file's name in small letters, without the ending that says how it is packed."""
    lower = name.lower()
    return next((lower.removesuffix(ending) for ending in PACKED if lower.endswith(ending)), lower)


def is_read_whole(path: str) -> bool:
    """Tell if a file can be read from its beginning only: packed by anything but bzip2, or in an archive."""
    lower = path.lower()
    return lower.endswith(tuple(set(PACKED) - {".bz2"})) or any(f"{ending}/" in lower for ending in _LISTED)


def list_files(folder: StoragePath, path: str, file: FileInfo) -> Iterator[tuple[str, FileInfo]]:
    """Yield a file of a folder as (path, entry), or those in it if it is an archive."""
    if not path.lower().endswith(_LISTED):
        yield path, file
        return
    for name, size in _open_archive(folder / path, file).list():
        yield f"{path}/{name}", FileInfo(name.rpartition("/")[2], size, file.changed, False)


def find_file(folder: StoragePath, path: str) -> SourcePath:
    """Find a file by the path that `list_files` gave it."""
    lower = path.lower()
    for ending in _LISTED:
        inside = lower.find(f"{ending}/")
        if inside < 0:
            continue
        archive = folder / path[: inside + len(ending)]
        entry = archive.stat()
        if entry is not None and not entry.is_folder:
            return _Member(archive, entry, path[inside + len(ending) + 1 :])
    return folder / path


@dataclass(frozen=True)
class _Member:
    archive: StoragePath
    entry: FileInfo
    path: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def __str__(self) -> str:
        return f"{self.archive}/{self.path}"

    def open(self) -> BinaryIO:
        return _open_archive(self.archive, self.entry).open(self.path)


def leads_out(name: str) -> bool:
    """Tell whether the name of a file in an archive leads out of a folder: it is absolute, on a drive, or has `..`.

    Example:
        >>> [leads_out(name) for name in ("a/b.xml", "/etc/passwd", "a/../../b", "C:b.xml")]
        [False, True, True, True]
    """
    parts = re.split(r"[/\\]", name)
    return not parts[0] or ".." in parts or re.match("[A-Za-z]:", name) is not None or "\0" in name


def _check_names(names: Iterable[str]) -> None:
    """Raise OSError for names of files that lead out of their archive, and for two that are the same."""
    seen: set[str] = set()
    for name in names:
        place = posixpath.normpath(name)
        if leads_out(name):
            raise OSError(f"its file {name!r} would lie elsewhere on this machine")
        if place in seen:
            raise OSError(f"two of its files are called {name!r}")
        seen.add(place)


@lru_cache(_OPEN_ARCHIVES)
def _open_archive(archive: StoragePath, entry: FileInfo) -> _ZipArchive | _UnpackedArchive:
    """Open an archive of files, without links and devices, or return it if it is open. Raises CollectionError."""
    lower = archive.name.lower()
    try:
        if lower.endswith(TARS):
            return _TarArchive(archive)
        return _SevenZipArchive(archive) if lower.endswith(".7z") else _ZipArchive(archive)
    except OSError as error:
        raise CollectionError(f"{archive}: the archive cannot be read: {error}; get it again") from error


class _ZipArchive:
    def __init__(self, archive: StoragePath):
        with _explain_errors():
            self._zip = zipfile.ZipFile(archive.open())
        self._files = [
            (member.filename, member.file_size)
            for member in self._zip.infolist()
            if not member.is_dir() and stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)
        ]
        _check_names(name for name, _ in self._files)

    def list(self) -> list[tuple[str, int]]:
        return self._files

    def open(self, path: str) -> BinaryIO:
        # A file that is encrypted raises a RuntimeError.
        with _explain_errors():
            return io.BufferedReader(_Unpacked(self._zip.open(path)), 2**17)  # type: ignore[arg-type]


class _UnpackedArchive:
    """An archive that is unpacked into the folder of temporary files when the first of its files is opened."""

    def __init__(self, archive: StoragePath):
        self._archive = archive
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._files = self._list()
        _check_names(name for name, _ in self._files)

    def _list(self) -> list[tuple[str, int]]:
        raise NotImplementedError(f"{type(self).__name__} lists no files")

    def _unpack(self, folder: str) -> None:
        raise NotImplementedError(f"{type(self).__name__} unpacks no files")

    def list(self) -> list[tuple[str, int]]:
        return self._files

    def open(self, path: str) -> BinaryIO:
        if self._folder is None:
            folder = tempfile.TemporaryDirectory(prefix="pyterrier-focused-")
            needed = sum(size for _, size in self._files)
            if shutil.disk_usage(folder.name).free < needed:
                raise OSError(f"{needed:,} bytes are needed to unpack it in {folder.name}; set TMPDIR to a larger disk")
            self._unpack(folder.name)
            self._folder = folder
        inside = Path(self._folder.name).resolve()
        file = (inside / path).resolve()
        if leads_out(path) or not file.is_relative_to(inside) or not file.is_file():
            raise OSError(f"its file {path!r} was not unpacked")
        return file.open("rb")


class _SevenZipArchive(_UnpackedArchive):
    def _list(self) -> list[tuple[str, int]]:
        self._seven_zip = import_extra("py7zr", "archives")
        with self._open_file() as opened:
            return [(info.filename, info.uncompressed) for info in opened.list() if info.is_file]

    def _unpack(self, folder: str) -> None:
        with self._open_file() as opened:
            opened.extract(folder, targets=[name for name, _ in self._files])

    @contextmanager
    def _open_file(self) -> Iterator[Any]:
        errors = self._seven_zip.exceptions
        try:
            with self._archive.open() as file, self._seven_zip.SevenZipFile(file) as opened:
                yield opened
        except errors.PasswordRequired as error:
            raise OSError(_ENCRYPTED) from error
        except (errors.ArchiveError, lzma.LZMAError, EOFError) as error:
            raise OSError(str(error)) from error


class _TarArchive(_UnpackedArchive):
    """A tar archive, packed or not; links and devices are left out."""

    def _list(self) -> list[tuple[str, int]]:
        return [(name, member.size) for name, member, _ in self._read_members()]

    def _unpack(self, folder: str) -> None:
        for name, member, opened in self._read_members():
            target = Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            content = opened.extractfile(member)
            if content is not None:
                with target.open("wb") as file:
                    shutil.copyfileobj(content, file)

    def _read_members(self) -> Iterator[tuple[str, tarfile.TarInfo, tarfile.TarFile]]:
        try:
            with (
                self._archive.open() as file,
                tarfile.open(fileobj=unpack(file, self._archive.name), mode="r|", ignore_zeros=True) as opened,
            ):
                for member in opened:
                    if member.isfile():
                        yield posixpath.normpath(member.name), member, opened
        except tarfile.TarError as error:
            raise OSError(str(error)) from error
