"""What PyTerrier's entry points call: the package becomes `pt.focused`, and saved runs keep their passages.

Artifacts that were packed are opened from local files too.
"""

from __future__ import annotations

import json
import sys
import tarfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import ParseResult
from urllib.request import url2pathname

import pyterrier as pt

from .libraries import LazyModule, lz4_frame

if TYPE_CHECKING:
    from .io import save_format
    from .io.reading import checksum
else:
    checksum = LazyModule("pyterrier_focused.io.reading.checksum")
    save_format = LazyModule("pyterrier_focused.io.save_format")

# what a package may unpack to: so many bytes in any case, and beyond them so many times its own size
_UNPACKED = 1 << 28
_TIMES = 50


def attach() -> ModuleType:
    """Make this package a part of PyTerrier; returns the package. Doing so again does no harm."""
    read, write = pt.io.SUPPORTED_RESULTS_FORMATS["trec"]
    if getattr(read, "__module__", "") != __name__ and read is not None and write is not None:
        pt.io.SUPPORTED_RESULTS_FORMATS["trec"] = _with_passages(read, write)
    return sys.modules[__package__]


def unpack(url: ParseResult) -> str:
    """Return the folder of an artifact for `pt.Artifact.from_url("file:///data/index.tar.lz4")`; unpacks it once.

    PyTerrier itself takes packages from the web only. The checksum that `build_package` wrote beside the package is
    checked. Raises FileNotFoundError if there is no package, ValueError if it is damaged.
    """
    if url.netloc not in ("", "localhost"):
        raise ValueError(f"{url.geturl()}: files of another computer cannot be opened; copy the package here")
    package = Path(url2pathname(url.path))
    if package.is_dir():
        return str(package)
    known = package.stat()
    name = sha256(f"{package.absolute()} {known.st_size} {known.st_mtime_ns}".encode()).hexdigest()
    folder = Path(pt.io.pyterrier_home(), "artifacts", name)
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        about = package.with_name(f"{package.name}.json")
        expected = json.loads(about.read_text(encoding="utf-8"))["expected_sha256"] if about.exists() else None
        if expected is not None:
            with package.open("rb") as stream:
                if checksum.compute_checksum(stream) != expected:
                    raise ValueError(f"{package}: its checksum is not the one in {about.name}; copy both again")
        try:
            with (
                pt.io.finalized_directory(str(folder)) as work,
                lz4_frame.LZ4FrameFile(package) as stream,
                tarfile.open(fileobj=stream, mode="r|") as files,
            ):
                files.extractall(work, members=_limit_sizes(files, _TIMES * known.st_size + _UNPACKED), filter="data")
        except (RuntimeError, EOFError, tarfile.TarError, ValueError) as error:
            # LZ4 and tar raise these.
            raise ValueError(f"{package} is not a package of an artifact, or is damaged: {error}") from error
    return str(folder)


def _limit_sizes(files: tarfile.TarFile, most: int) -> Iterator[tarfile.TarInfo]:
    """Yield the files of an archive as long as they are not far larger together than packages of artifacts are."""
    total = 0
    for member in files:
        total += member.size
        if total > most:
            raise ValueError(f"it unpacks to more than {_TIMES} times its size")
        yield member


def _with_passages(
    read: Callable[..., Any], write: Callable[..., Any]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Wrap PyTerrier's reader and writer of runs, which `pt.Experiment(save_dir=...)` uses unless told otherwise.

    A TREC file has no place for passages: they are written beside it, in PATH.passages.jsonl, and read from there.
    """

    def read_results(filename: str) -> Any:
        run = read(filename)
        return run if "://" in filename else save_format.read_rows_beside(filename, run)

    def write_results(res: Any, filename: str, *arguments: Any, append: bool = False, **options: object) -> None:
        if "passages" in res.columns and not arguments:
            options.setdefault("run_name", save_format.RUN_NAME)
        goes_on = append and Path(filename).exists()
        write(res, filename, *arguments, append=append, **options)
        save_format.write_rows_beside(res, filename, append=goes_on)

    return read_results, write_results
