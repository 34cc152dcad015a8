"""Local paths, and the URLs of any file system that pyarrow or fsspec opens: s3://, gs://, hdfs://, memory://, ..."""

from __future__ import annotations

import io
import os
import posixpath
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pyarrow import NativeFile
from pyarrow.fs import FileInfo as ArrowFileInfo
from pyarrow.fs import FileSelector, FileSystem, FSSpecHandler, LocalFileSystem, PyFileSystem

from ...errors import CollectionError, import_extra

_BY_PYARROW = ("file", "s3", "gs", "gcs", "hdfs", "viewfs", "abfs", "abfss")


class FileInfo(NamedTuple):
    """A file or folder: its name, size in bytes, and time of its last change in ns (-1 if unknown)."""

    name: str
    size: int
    changed: int
    is_folder: bool


def hide_credentials(address: str) -> str:
    """Return an address as messages show it: without user name, password and query, however it is written.

    Example:
        >>> hide_credentials("https://anna:se#cret@host:9200")
        'https://host:9200'
    """
    scheme = re.match(r"[A-Za-z][\w+.-]*://", address)
    begin = scheme.end() if scheme else 0
    return address[:begin] + address[begin:].rpartition("@")[2].partition("?")[0]


class StoragePath:
    """A file or folder, local or at a URL; `place / "name"` is one within it.

    As text it shows no credentials; `url` has them.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.url = os.fspath(path)
        self.is_local = "://" not in self.url
        if self.is_local:
            self.url = str(Path(self.url).absolute())

    def __truediv__(self, name: str) -> StoragePath:
        return StoragePath(posixpath.join(self.url, name))

    def __str__(self) -> str:
        return self.url if self.is_local else hide_credentials(self.url)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoragePath) and self.url == other.url

    def __hash__(self) -> int:
        return hash(self.url)

    @property
    def name(self) -> str:
        return posixpath.basename(self._write_slashed())

    @property
    def parent(self) -> StoragePath:
        return StoragePath(posixpath.dirname(self._write_slashed()))

    def _write_slashed(self) -> str:
        return (Path(self.url).as_posix() if self.is_local else self.url).rstrip("/")

    def stat(self) -> FileInfo | None:
        """Return the status of the file or folder, None if there is neither."""
        if self.is_local:
            try:
                return _read_local_info(self.name, os.stat(self.url), os.path.isdir(self.url))
            except (FileNotFoundError, NotADirectoryError):
                return None
        filesystem, path = self._open_filesystem()
        return _read_info(filesystem.get_file_info(path))

    def entries(self) -> list[FileInfo]:
        """Return the files and folders right in this folder, by name; none if it is not there."""
        if self.is_local:
            if not os.path.isdir(self.url):
                return []
            with os.scandir(self.url) as scan:
                listed = [
                    _read_local_info(entry.name, entry.stat(), entry.is_dir()) for entry in scan if _is_there(entry)
                ]
        else:
            filesystem, path = self._open_filesystem()
            selector = FileSelector(path, allow_not_found=True)
            listed = [entry for entry in map(_read_info, filesystem.get_file_info(selector)) if entry is not None]
        return sorted(listed, key=lambda entry: _split_numbers(entry.name))

    def walk(self) -> Iterator[tuple[str, FileInfo]]:
        """Yield the files in this folder and below it, (path within it, entry), by name, one folder after the other."""
        for entry in self.entries():
            if not entry.is_folder:
                yield entry.name, entry
                continue
            for path, inner in (self / entry.name).walk():
                yield posixpath.join(entry.name, path), inner

    def open(self) -> BinaryIO:
        if self.is_local:
            return open(self.url, "rb")
        filesystem, path = self._open_filesystem()
        # A BufferedReader can read lines.
        return io.BufferedReader(filesystem.open_input_file(path))

    def make(self) -> None:
        if self.is_local:
            os.makedirs(self.url, exist_ok=True)
            return
        filesystem, path = self._open_filesystem()
        filesystem.create_dir(path, recursive=True)

    def write(self, data: bytes) -> None:
        """Write a file; it appears whole or not at all."""
        working = self.working()
        with working.create() as file:
            file.write(data)
        working.move(self)

    def working(self) -> StoragePath:
        return StoragePath(f"{self.url}.{uuid.uuid4().hex}.part")

    def create(self) -> NativeFile:
        filesystem, path = self._open_filesystem()
        return filesystem.open_output_stream(path, compression=None)

    def move(self, target: StoragePath) -> None:
        """Give a file its final name, replacing a file of that name."""
        if self.is_local:
            os.replace(self.url, target.url)
            return
        filesystem, path = self._open_filesystem()
        filesystem.move(path, target._open_filesystem()[1])

    def remove(self) -> None:
        if self.is_local:
            Path(self.url).unlink(missing_ok=True)
            return
        filesystem, path = self._open_filesystem()
        filesystem.delete_file(path)

    def _open_filesystem(self) -> tuple[FileSystem, str]:
        if self.is_local:
            return LocalFileSystem(), self.url
        try:
            if self.url.partition("://")[0] in _BY_PYARROW:
                opened: tuple[FileSystem, str] = FileSystem.from_uri(self.url)
                return opened
            filesystem, path = import_extra("fsspec", "retrieval").core.url_to_fs(self.url)
        except (ValueError, ImportError) as error:
            # The scheme is not known, or its package is not there; libraries quote the address, credentials and all.
            reason = "this address cannot be read" if "@" in self.url else str(error)
            raise CollectionError(f"{self}: {reason}") from None
        return PyFileSystem(FSSpecHandler(filesystem)), path


def _split_numbers(name: str) -> list[tuple[int, str]]:
    """Sort names with the numbers in them as numbers: part2 before part10."""
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _is_there(entry: os.DirEntry[str]) -> bool:
    # Links to folders may lead round in circles.
    return entry.is_file() or entry.is_dir(follow_symlinks=False)


def _read_local_info(name: str, status: os.stat_result, is_folder: bool) -> FileInfo:
    return FileInfo(name, status.st_size, status.st_mtime_ns, is_folder)


def _read_info(info: ArrowFileInfo) -> FileInfo | None:
    if info.type.name == "NotFound":
        return None
    changed = info.mtime_ns
    return FileInfo(info.base_name, info.size or 0, -1 if changed is None else changed, info.type.name == "Directory")
