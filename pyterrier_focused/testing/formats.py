"""The checks that a format of runs or qrels passes, here or in a package of your own; no pytest is needed.

    from pyterrier_focused.testing.formats import check_format
    from my_package import FORMAT
    check_format(FORMAT, b"first line of a good file\\nsecond line\\n")

Put your `Format` into the entry point group `pyterrier_focused.formats`; then `read_run`, `read_qrels`, `write_run`,
`write_qrels` and `pt-focused convert` know it by its name, and tell it from its files.
"""

from __future__ import annotations

import random
import re
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import FormatError
from ..frames.checks import check_qrels, check_run
from ..io import Format, known_formats, tell_format
from ..reading.files import Source
from .require import require_that

OPTIONS = ("collection", "lengths", "unit", "errors", "missing", "file_fields", "documents", "assessor")
_DAMAGED = 100
_PIECES = (b"", b"\x00", b"\xff", b"\n", b" ", b"-", b"9" * 30, b"[", b"<", b'"', b"nan", b"1e3", b"\xef\xbb\xbf")
_OTHERS = (b"", b"\n", b"\x00\xff", b"{", b"[]", b"<", b"a b c\n", b"1 2 3\n")


def check_format(
    format: Format,
    example: bytes | str | Path,
    *,
    name: str = "example.txt",
    options: Mapping[str, object] | None = None,
) -> pd.DataFrame:
    r"""Check that a format behaves as those of this package do.

    Args:
        example: The bytes of a good file, or the path of a folder, for a format of folders.
        name: What the file is called, for a format that is recognised from the ending.
        options: Arguments that its reader needs beside the file, such as a collection.

    Example:
        >>> from pyterrier_focused.io import known_formats
        >>> check_format(known_formats("run")["fol"], b"7 Q0 12 1 9.5 mine 100 50\n")["docno"].tolist()
        ['12']
    """
    _check_record(format)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = example if isinstance(example, str | Path) else Path(folder, name)
        if isinstance(example, bytes):
            Path(source).write_bytes(example)
        _check_telling(format, source, Path(folder))
        taken = dict(options or {})
        frame = format.read(source, **taken)
        _check_frame(format, frame)
        require_that(frame.equals(format.read(source, **taken)), "a second reading gives another frame")
        if isinstance(example, bytes):
            _check_damage(format, example, Path(folder, f"damaged-{name}"), taken)
        if format.write is not None:
            _check_writing(format, frame, Path(folder, f"written-{name}"), taken)
    return frame


def _check_record(format: Format) -> None:
    require_that(isinstance(format, Format), f"{format!r} is no Format")
    require_that(
        re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", format.name) is not None, f"{format.name!r}: use a-z, 0-9 and -"
    )
    require_that(format.name != "auto", "a format cannot be called auto")
    require_that(format.kind in ("run", "qrels"), f"kind={format.kind!r} is neither run nor qrels")
    require_that(bool(format.layout.strip()) and "\n" not in format.layout, "layout is one line that shows a file")
    registered = known_formats(format.kind).get(format.name, format)
    require_that(registered == format, f"there is another format {format.name!r} of {format.kind}s")
    unknown = sorted(format.read_options - {"source", *OPTIONS})
    require_that(not unknown, f"the reader takes {', '.join(unknown)}; its options are of {', '.join(OPTIONS)}")
    require_that(format.kind == "run" or format.parse is None, "parse is for runs, which `validate` checks")


def _check_telling(format: Format, source: Source, folder: Path) -> None:
    """Check that the example is recognised among the files of all formats, and that nothing else is claimed."""
    formats = known_formats(format.kind)
    if format.name in formats:
        recognised = tell_format(source, format.kind)
        require_that(recognised.name == format.name, f"the example is taken for {recognised.name}")
    for number, data in enumerate(_OTHERS):
        other = folder / f"other-{number}"
        other.write_bytes(data)
        try:
            recognised = tell_format(other, format.kind)
        except FormatError:
            continue
        require_that(recognised.name != format.name, f"{data!r} is taken for this format")


def _check_frame(format: Format, frame: pd.DataFrame) -> None:
    if format.kind == "qrels" or "passages" in frame.columns:
        (check_run if format.kind == "run" else check_qrels)(frame)
        spans = frame["passages" if format.kind == "run" else "highlights"]
        require_that(str(spans.dtype).startswith("list<"), f"{spans.name} is no Arrow column; make it with span_column")
    require_that(len(frame) > 0, "the example is read as nothing; give one with a few topics and articles")
    for column in ("qid", "docno"):
        require_that(all(isinstance(value, str) for value in frame[column]), f"column {column!r} is not text")


def _check_damage(format: Format, example: bytes, path: Path, options: dict[str, object]) -> None:
    """Check that damaged files are read, or are a FormatError that names the file."""
    random_ = random.Random(1)
    for number in range(_DAMAGED):
        place = random_.randrange(len(example) + 1)
        rest = b"" if number % 4 == 0 else example[place + random_.choice((0, 1, 5)) :]
        path.write_bytes(example[:place] + random_.choice(_PIECES) + rest)
        try:
            format.read(path, **options)
        except FormatError as error:
            require_that(bool(error.file), f"the error {error} does not name the file")
        except Exception as error:
            # Any exception here is the fault to report.
            fault = f"{type(error).__name__} for a damaged file, where only FormatError may be: {error}"
            raise AssertionError(fault) from error


def _check_writing(format: Format, frame: pd.DataFrame, path: Path, options: dict[str, object]) -> None:
    """Check that what was written is read again, that writing changes nothing, and that no rows are a file too."""
    kept = ("qid", "docno", "passages") if format.kind == "run" else ("qid", "docno", "label", "highlights")
    write: Any = format.write
    own = {name: value for name, value in options.items() if name in format.write_options}
    before = frame.copy()
    write(frame, path, **own)
    require_that(frame.equals(before), "writing changes the frame")
    again = format.read(path, **options)
    for column in kept:
        same = list(map(str, frame[column])) == list(map(str, again[column]))
        require_that(same, f"column {column!r} is not what was written")
    empty = path.with_name(f"empty-{path.name}")
    write(frame.iloc[:0], empty, **own)
    try:
        rows = len(format.read(empty, **options))
    except FormatError:
        # A format may need a row.
        rows = 0
    require_that(rows == 0, "a frame without rows is read as one with rows")
