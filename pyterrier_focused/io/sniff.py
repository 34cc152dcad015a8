"""The known formats of runs and qrels, and how a file's format is recognised.

Each module whose name ends in `_formats` lists formats in `FORMATS`, with what tells them from a file's beginning.
"""

from __future__ import annotations

import errno
import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from ..errors import FormatError, KindError, check_choice
from ..reading.files import HEAD, Opened, Source, open_binary, source_name
from .base import Format, Head, Kind


@cache
def known_formats(kind: Kind) -> dict[str, Format]:
    """List all formats of a kind by name."""
    from . import label_studio_formats, span_formats, trec_formats
    from .inex import inex_formats

    formats = [f for table in (inex_formats, span_formats, trec_formats, label_studio_formats) for f in table.FORMATS]
    # XML comes last in lists.
    formats.sort(key=lambda format: format.layout.startswith("<"))
    return {format.name: format for format in formats if format.kind == kind}


def find_format(name: str, kind: Kind) -> Format:
    """Return the format of a name. Raises ValueError, which lists the names there are."""
    formats = known_formats(kind)
    check_choice("format", name, ("auto", *formats))
    return formats[name]


@contextmanager
def open_and_look(source: Source) -> Iterator[tuple[Source, Head]]:
    """Open a source, and look at its beginning, which stays unread; a folder stays as it is."""
    name = source_name(source)
    path = pathlib.Path(source) if isinstance(source, str | os.PathLike) else None
    if path is not None and path.is_dir():
        yield source, Head(name, b"", path)
        return
    with open_binary(source) as stream:
        beginning: bytes = stream.peek(HEAD)  # type: ignore[attr-defined]
        yield Opened(stream, name), Head(name, beginning.removeprefix(b"\xef\xbb\xbf").lstrip(), path)


def tell_format(source: Source, kind: Kind) -> Format:
    """Tell the format of a file or folder by its beginning.

    Raises:
        FormatError: No format claims it, or two do; the error names them.

    Example:
        >>> import io
        >>> tell_format(io.BytesIO(b"7 Q0 12 1 9.5 mine 100 50\\n"), "run").name
        'fol'
    """
    with open_and_look(source) as (_, head):
        return tell_by_head(head, kind)


def tell_by_head(head: Head, kind: Kind) -> Format:
    """Tell a format by the beginning of a file. Raises FormatError as `tell_format` does."""
    formats = known_formats(kind)
    claims = _list_claims(head, formats)
    # A file with articles in place of `Q0` is refused as a whole: single lines may look like a run's.
    if head.is_text and len(claims) != 1 and (claims or not head.numbers_differ(1)):
        claims = _list_claims_by_row(head, formats, claims)
    if not claims and head.is_folder:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), head.name)
    if not claims:
        raise _explain_unknown(head, kind)
    if len(claims) > 1:
        layouts = "; ".join(f"{format.name}: {format.layout}" for format in claims)
        raise FormatError(
            f"this could be {' or '.join(format.name for format in claims)} ({layouts}); say which with format=",
            file=head.name, line=1, text=head.first_line.decode("utf-8", "replace"),
        )  # fmt: skip
    return claims[0]


def _list_claims(head: Head, formats: dict[str, Format]) -> list[Format]:
    claims = [format for format in formats.values() if format.looks_like(head)]
    return [format for format in claims if not format.general] or claims


def _list_claims_by_row(head: Head, formats: dict[str, Format], claims: list[Format]) -> list[Format]:
    """Return the format that alone claims a line, the first such line deciding; among *claims* if there are any."""
    for line in head.lines[: 1 if claims else None]:
        row = [format for format in _list_claims(Head(head.name, line, head.path), formats) if not format.general]
        if len(row) == 1 and (not claims or row[0] in claims):
            return row
    return claims


def _explain_unknown(head: Head, kind: Kind) -> FormatError:
    thing = "a run" if kind == "run" else "qrels"
    if not head.data:
        return FormatError(f"the file is empty; format= reads it as {thing} without lines", file=head.name)
    if head.is_utf16:
        return FormatError("this is UTF-16; convert it to UTF-8", file=head.name, line=1)
    text = head.first_line.decode("utf-8", "replace")
    other: Kind = "qrels" if kind == "run" else "run"
    if claims := _list_claims(head, known_formats(other)):
        named = f"{'qrels' if kind == 'run' else 'a run'} ({' or '.join(format.name for format in claims)})"
        return KindError(f"this looks like {named}, not like {thing}", file=head.name, line=1, text=text)
    layouts = "; ".join(f"{format.name}: {format.layout}" for format in known_formats(kind).values())
    return FormatError(f"this is not a known format of {thing}; known are {layouts}", file=head.name, line=1, text=text)
