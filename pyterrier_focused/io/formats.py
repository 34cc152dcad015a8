"""The formats of runs and qrels, in one table, and how the beginning of a file tells its format."""

from __future__ import annotations

import codecs
import errno
import os
import pathlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Literal

import pandas as pd

from ..errors import FormatError, KindError, check_choice
from ..reading.files import HEAD, JSON_ENDINGS, Opened, Source, open_binary, plain_name, source_name
from .beir import read_beir_qrels
from .inex.assessments import read_inex_assessments
from .inex.fol import FOL_FIELDS, PATH_FIELDS, read_fol, write_fol
from .inex.qrels import QRELS_FIELDS, read_inex_qrels, write_inex_qrels
from .inex.xml_run import read_xml_run
from .inex.xml_run_writer import write_xml_run
from .label_studio import read_label_studio, write_label_studio
from .spans import read_span_qrels, write_spans
from .trec import QRELS_FIELDS as LABEL_FIELDS
from .trec import RUN_FIELDS, read_trec_qrels, read_trec_run, write_trec_qrels, write_trec_run

Kind = Literal["run", "qrels"]

_ROWS = 50
# The bytes in which fields of a JSON record are sought, since a long text may come first.
_ALL_KEYS = 1 << 20
_TAG = re.compile(rb"<(?:[?!]|[A-Za-z][\w.-]*[\s/>])")


@dataclass(frozen=True, eq=False, repr=False)
class Head:
    """The beginning of a file, which tells its format.

    Args:
        name: The file's name in errors.
        data: Its first bytes, decompressed, from the first that is no white space or byte order mark on.
    """

    name: str
    data: bytes
    path: pathlib.Path | None = None

    @cached_property
    def lines(self) -> list[bytes]:
        """The first lines that hold data; none if the file does not begin as text does."""
        if b"\x00" in self.first_line:
            return []
        lines = re.split(rb"[\r\n]+", self.data)[:_ROWS]
        if len(lines) > 1 and len(self.data) >= HEAD // 2:
            # The last line may be cut.
            lines.pop()
        lines = [line for line in lines if line.strip()]
        # Comments of TREC's files
        return [line for line in lines if not line.lstrip().startswith(b"#")] or lines

    @cached_property
    def rows(self) -> list[list[bytes]]:
        """The white-space separated fields of the first lines."""
        return list(map(bytes.split, self.lines))

    @property
    def first_line(self) -> bytes:
        """The first line that is not blank."""
        return re.split(rb"[\r\n]", self.data, maxsplit=1)[0]

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder that was given."""
        return self.path is not None and self.path.is_dir()

    @property
    def is_table(self) -> bool:
        """Whether the file's name ends as those of tables and JSON files do."""
        return plain_name(self.name).endswith((".csv", ".tsv", *JSON_ENDINGS))

    @property
    def is_xml(self) -> bool:
        """Whether the file begins as XML does, in UTF-8 or in UTF-16."""
        if self.is_utf16:
            return self.data.decode("utf-16", "ignore").lstrip().startswith("<")
        return _TAG.match(self.data) is not None

    @property
    def is_utf16(self) -> bool:
        """Whether the file begins with a byte order mark of UTF-16, in which only XML is read."""
        return self.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))

    @property
    def is_text(self) -> bool:
        """Whether the file has lines, and is neither XML nor JSON."""
        return bool(self.rows) and not self.is_xml and not self.data.startswith((b"{", b"["))

    @property
    def is_annotated(self) -> bool:
        """Whether it is JSON with annotations, as Label Studio exports it."""
        if not plain_name(self.name).endswith(JSON_ENDINGS):
            return False
        data = self.data
        if self.path is not None and self.path.is_file():
            with open_binary(self.path) as stream:
                data = stream.read(_ALL_KEYS)
        return {b"annotations", b"data"} <= set(re.findall(rb'"(\w+)"\s*:', data))

    def has_rows(self, looks_right: Callable[[list[bytes]], bool]) -> bool:
        """Tell whether at least half of the first lines look right, so that bad ones among them are named as such."""
        return self.is_text and 2 * sum(map(looks_right, self.rows)) >= len(self.rows)

    def numbers_differ(self, column: int) -> bool:
        """Tell whether a column, counted from 0, holds different whole numbers, as `Q0` never does."""
        values = {fields[column] for fields in self.rows if len(fields) > column}
        return len(values) > 1 and all(map(bytes.isdigit, values))


@dataclass(frozen=True, eq=False, repr=False)
class Format:
    """A format of runs, or of qrels.

    Args:
        kind: 'run' or 'qrels'. A format of both has a record of each.
        layout: A line that shows what a file looks like, for errors and help.
        looks_like: Tells from the beginning of a file whether it could be one. Two formats that claim one file are an
            error, so it has to be as strict as good files allow.
        read: The reader, `read(source, **options) -> frame`. Which of the options of `read_run` and
            `read_qrels` it takes is recognised from its signature.
        write: The writer, `write(frame, target, **options)`, if there is one.
        endings: File names, such as 'trec', that `convert` writes in this format.
        by_path: The reader opens the file or folder by itself, and takes no open file.
        general: It takes any table; a file that another format claims is not its own.
    """

    name: str
    kind: Kind
    layout: str
    looks_like: Callable[[Head], bool]
    read: Callable[..., pd.DataFrame]
    write: Callable[..., None] | None = None
    endings: tuple[str, ...] = ()
    by_path: bool = False
    general: bool = False

    @cached_property
    def read_options(self) -> frozenset[str]:
        """The options that the reader takes."""
        return frozenset(signature(self.read).parameters)

    @cached_property
    def write_options(self) -> frozenset[str]:
        """The options that the writer takes; none without a writer."""
        return frozenset(signature(self.write).parameters) if self.write else frozenset()


def _looks_like_fol(fields: list[bytes]) -> bool:
    is_path_or_highlight = len(fields) < 7 or fields[6].startswith(b"/") or b":" in fields[6]
    return len(fields) == 8 and not is_path_or_highlight


def _looks_like_path(fields: list[bytes]) -> bool:
    return len(fields) in (7, 8) and fields[6].startswith(b"/")


def _looks_like_trec(head: Head) -> bool:
    """Tell a TREC run from lines that have the article in place of `Q0`, and its rank in place of the article."""
    has_ranks = head.numbers_differ(1) and all(fields[2].isdigit() for fields in head.rows if len(fields) > 2)
    return not has_ranks and head.has_rows(_looks_like_trec_line)


def _looks_like_trec_line(fields: list[bytes]) -> bool:
    """Recognise a line of a run; five bare numbers may be one without its tag, which the reader reports."""
    if len(fields) == 5:
        return all(map(bytes.isdigit, fields)) and fields[1] != b"0"
    return len(fields) == 6


def _looks_like_qrels(head: Head) -> bool:
    # Lines that have the article in place of `Q0` are of another format.
    return not head.is_table and not head.numbers_differ(1) and head.has_rows(_looks_like_judgment)


def _looks_like_judgment(fields: list[bytes]) -> bool:
    return len(fields) >= 5 and (len(fields) < 7 or b":" in fields[6])


def _looks_like_labels(head: Head) -> bool:
    return not head.is_table and head.has_rows(lambda fields: len(fields) == 4)


def _looks_like_assessments(head: Head) -> bool:
    return head.is_folder or (head.is_xml and b"<inex-submission" not in head.data)


def _looks_like_submission(head: Head) -> bool:
    return head.is_xml and b"<assessments" not in head.data


def _looks_like_beir(head: Head) -> bool:
    return {b"query-id", b"corpus-id"} <= set(re.split(rb"[\t,]", head.first_line))


FORMATS = (
    Format(
        "fol", "run", FOL_FIELDS, lambda head: head.has_rows(_looks_like_fol), read_fol, write_fol,
        endings=("", "run", "fol", "txt", "res"),
    ),
    Format("paths", "run", PATH_FIELDS, lambda head: head.has_rows(_looks_like_path), read_fol),
    Format("trec", "run", RUN_FIELDS, _looks_like_trec, read_trec_run, write_trec_run, endings=("trec",)),
    Format(
        "inex-xml", "run", "<inex-submission> of <topic>s of <result>s", _looks_like_submission, read_xml_run,
        write_xml_run, endings=("xml",),
    ),
    Format(
        "inex", "qrels", QRELS_FIELDS, _looks_like_qrels, read_inex_qrels, write_inex_qrels,
        endings=("", "qrels", "txt", "fol"),
    ),
    Format("trec", "qrels", LABEL_FIELDS, _looks_like_labels, read_trec_qrels, write_trec_qrels, endings=("trec",)),
    Format(
        "spans", "qrels", "CSV, TSV or JSON lines: qid, docno, start, end", lambda head: head.is_table, read_span_qrels,
        write_spans, endings=("jsonl",), by_path=True, general=True,
    ),
    Format("beir", "qrels", "a table with query-id, corpus-id, score", _looks_like_beir, read_beir_qrels),
    Format(
        "label-studio", "qrels", "JSON of Label Studio", lambda head: head.is_annotated, read_label_studio,
        write_label_studio,
    ),
    Format(
        "inex-xml", "qrels", "<assessments> of <file>s, or a folder of them", _looks_like_assessments,
        read_inex_assessments,
    ),
)  # fmt: skip


def known_formats(kind: Kind) -> dict[str, Format]:
    """List all formats of a kind by name."""
    return {format.name: format for format in FORMATS if format.kind == kind}


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
