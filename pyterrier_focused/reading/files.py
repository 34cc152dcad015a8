"""Opening what a user hands over: a path or an open file; plain, gzip or bzip2, detected from its bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import pathlib
import shutil
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ..errors import FormatError, warn_caller

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class Opened(NamedTuple):
    """A source that is open already: its decompressed bytes and its name."""

    stream: BinaryIO
    name: str


Source = str | os.PathLike[str] | IO[Any] | Opened

# So many bytes at the start of a stream can be looked at before they are read.
HEAD = 1 << 16
# What the names of JSON files end in.
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_BOM = b"\xef\xbb\xbf"
# A compressed file may unpack to this many bytes in any case, or to this many times its own size.
_UNPACKED = 1 << 26
_TIMES = 200


def source_name(source: Source) -> str:
    """Name an input as errors do: its path, or `<stream>` for an open file without one.

    Example:
        >>> source_name("runs/my.run"), source_name(io.BytesIO())
        ('runs/my.run', '<stream>')
    """
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def plain_name(source: str | os.PathLike[str]) -> str:
    """Return a file's name without the ending of a compressed file."""
    return os.fspath(source).removesuffix(".gz").removesuffix(".bz2")


def xml_files(source: Source) -> list[Source]:
    """List the .xml files (.xml.gz, .xml.bz2) of a folder and those below it, by name; any other source is one file.

    Raises ValueError for a folder without such files.
    """
    if not isinstance(source, str | os.PathLike) or not pathlib.Path(source).is_dir():
        return [source]
    files = sorted(
        path for path in pathlib.Path(source).rglob("*") if path.name.endswith((".xml", ".xml.gz", ".xml.bz2"))
    )
    if not files:
        raise ValueError(f"{os.fspath(source)}: no .xml files in this folder")
    return list(files)


def count_endings(paths: Iterable[str]) -> Counter[str]:
    """Count files by the endings of their names, such as .pdf, without hidden ones and hidden folders."""
    visible = (path for path in paths if not path.startswith(".") and "/." not in path)
    return Counter(os.path.splitext(path)[1].lower() or path.rpartition("/")[2] for path in visible)


def show_endings(counts: Counter[str]) -> str:
    """Show the commonest endings with their counts, as in '2 .pdf, 1 .csv'."""
    return ", ".join(f"{count} {ending}" for ending, count in counts.most_common(5))


def warn_of_left_out(folder: str, counts: Counter[str], what: str) -> None:
    """Warn of files of a folder that are not read, counted by their endings; *what* names those that are."""
    many = counts.total()
    if many:
        files = "1 file is" if many == 1 else f"{many} files are"
        warn_caller(f"{folder}: {files} left out, not being {what} ({show_endings(counts)})")


def read_text(source: Source) -> str:
    """Read a file of UTF-8 text whole, decompressed. Raises FormatError."""
    try:
        return read_bytes(source).decode("utf-8")
    except UnicodeDecodeError as error:
        fault = f"byte {error.start} is not UTF-8; convert the file to UTF-8"
        raise FormatError(fault, file=source_name(source)) from None


def read_bytes(source: Source) -> bytes:
    """Read a text file whole, decompressed, without a byte order mark. Raises FormatError as `open_binary` does.

    Example:
        >>> read_bytes(io.BytesIO(gzip.compress(b"1 Q0 a")))
        b'1 Q0 a'
    """
    with open_binary(source) as stream:
        return without_mark(stream.read(), source_name(source))


def without_mark(data: bytes, name: str) -> bytes:
    """Take the byte order mark off UTF-8 text. Raises FormatError for UTF-16."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FormatError("this is UTF-16; convert it to UTF-8", file=name, line=1)
    return data.removeprefix(_BOM)


@contextmanager
def open_binary(source: Source) -> Iterator[BinaryIO]:
    """Open a path or an open file (binary or text) as a binary stream, decompressed.

    Whether it is compressed is seen from its first bytes, not from its name. An open file is left open. A stream that
    breaks off or is damaged raises FormatError while the caller reads it.

    Example:
        >>> with open_binary(io.BytesIO(gzip.compress(b"1 Q0 a"))) as stream:
        ...     stream.read()
        b'1 Q0 a'
    """
    if isinstance(source, Opened):
        yield source.stream
        return
    name = source_name(source)
    with _open_source(source) as raw:
        buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(_AsRaw(raw), HEAD)
        head = buffered.peek(10)[:10]
        if isinstance(source, str | os.PathLike) and buffered.seekable():
            # This empties the buffer: a file that is then read whole is not copied.
            buffered.seek(0, os.SEEK_END)
            buffered.seek(0)
        stream: Any = buffered
        packed: Any = None
        if head[:2] == b"\x1f\x8b":
            packed = gzip.GzipFile(fileobj=buffered)
        elif head[:3] == b"BZh" and head[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
            packed = bz2.BZ2File(buffered)
        if packed is not None:
            stream = io.BufferedReader(_Unpacked(packed, buffered, name), HEAD)
        try:
            yield stream
        except EOFError as error:
            raise FormatError("the compressed file breaks off; fetch or copy it again", file=name) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise FormatError(f"the compressed file is damaged ({error})", file=name) from error
        except OSError as error:
            # bz2 has no error class of its own.
            if error.errno is None and isinstance(packed, bz2.BZ2File):
                raise FormatError(f"the compressed file is damaged ({error})", file=name) from error
            raise


def write_bytes(target: Source, data: bytes) -> None:
    """Write to a path (compressed if its name ends in .gz or .bz2) or to an open file, binary or text.

    At a path the file is there as a whole or not at all, as with `written_whole`.

    Example:
        >>> write_bytes("my.run.gz", b"1 Q0 a")
        >>> read_bytes("my.run.gz")
        b'1 Q0 a'
    """
    if not isinstance(target, str | os.PathLike):
        handle: Any = target
        handle.write(data.decode() if isinstance(handle, io.TextIOBase) else data)
        return
    name = os.fspath(target)
    if name.endswith(".gz"):
        # Without a time stamp the same run gives the same file.
        data = gzip.compress(data, mtime=0)
    elif name.endswith(".bz2"):
        data = bz2.compress(data)
    with written_whole(name) as file:
        file.write(data)


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write that gets its name once it is complete; if writing fails, an older file stays.

    Devices and pipes, such as /dev/stdout, are written as they are.
    """
    # A link stays a link.
    target = pathlib.Path(os.path.realpath(path))
    exists = target.exists()
    if exists and target.is_file():
        _refuse_database(target, path)
    if exists and (not target.is_file() or not os.access(target, os.W_OK)):
        with open(target, "wb") as file:
            # Opening raises for a folder and for what is write-protected.
            yield file
        return
    working = target.with_name(f".{os.urandom(16).hex()}.part")
    try:
        try:
            opened = open(working, "xb")  # noqa: SIM115
        except OSError as error:
            raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
        with opened as file:
            yield file
        if exists:
            shutil.copymode(target, working)
        os.replace(working, target)
    finally:
        working.unlink(missing_ok=True)


def is_same_file(path: str, other: str) -> bool:
    """Tell whether two paths name one file, through links and, if the file system ignores case, in any case."""
    if os.path.exists(path) and os.path.exists(other):
        # Devices such as /dev/null can be read and written.
        return os.path.samefile(path, other) and os.path.isfile(path)
    return os.path.realpath(path) == os.path.realpath(other)


def _refuse_database(file: pathlib.Path, path: str | os.PathLike[str]) -> None:
    with open(file, "rb") as opened:
        if opened.read(16) == b"SQLite format 3\0":
            raise ValueError(
                f"{os.fspath(path)}: this is a database (SQLite), which is not replaced; choose another file"
            )


@contextmanager
def _open_source(source: str | os.PathLike[str] | IO[bytes]) -> Iterator[IO[bytes]]:
    if isinstance(source, str | os.PathLike):
        with open(source, "rb", buffering=HEAD) as file:
            yield file
    elif hasattr(source, "read"):
        yield source
    else:
        raise TypeError(f"give a path or an open file, not {type(source).__name__}")


class _Unpacked(io.RawIOBase):
    """The content of a compressed file; raises FormatError if it is far larger than text would be."""

    def __init__(self, packed: gzip.GzipFile | bz2.BZ2File, source: BinaryIO, name: str):
        self._packed = packed
        self._source = source
        self._name = name
        self._most = _UNPACKED

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        size = self._packed.readinto(buffer)
        if self._packed.tell() > self._most:
            self._most = max(_UNPACKED, _TIMES * self._source.tell())
            if self._packed.tell() > self._most:
                raise FormatError(
                    f"the compressed file unpacks to more than {_TIMES} times its size; unpack it yourself if that is "
                    "meant",
                    file=self._name,
                )
        return size

    def readall(self) -> bytes:
        parts = []
        chunk = bytearray(1 << 20)
        while size := self.readinto(chunk):
            parts.append(bytes(chunk[:size]))
        return b"".join(parts)


class _AsRaw(io.RawIOBase):
    """An open file of bytes or text, as a raw stream of bytes."""

    def __init__(self, source: IO[str] | IO[bytes]):
        self._source = source
        self._rest = b""
        self._read = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._read

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer)
        chunk = self._rest or self._source.read(len(room))
        if isinstance(chunk, str):
            # The readers find what is not text, with its line.
            chunk = chunk.encode("utf-8", "surrogatepass")
        size = min(len(chunk), len(room))
        room[:size] = chunk[:size]
        self._rest = chunk[size:]
        self._read += size
        return size
