"""The contract of formats of runs and of qrels, for the modules of formats here and in other packages."""

from __future__ import annotations

import codecs
import pathlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Literal

import pandas as pd

from ..reading.files import HEAD, JSON_ENDINGS, Source, open_binary, plain_name
from ..reading.lines import Faults
from ..reading.run_columns import FolColumns
from .inex.paths import NamedPassages
from .inex.problems import Problem

Kind = Literal["run", "qrels"]

_ROWS = 50
# The bytes in which fields of a JSON record are sought, since a long text may come first.
_ALL_KEYS = 1 << 20
_TABLES = (".csv", ".tsv", *JSON_ENDINGS)
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
        """The first lines that are not blank; none if the file does not begin as text does."""
        if b"\x00" in self.first_line:
            return []
        lines = re.split(rb"[\r\n]+", self.data)[:_ROWS]
        if len(lines) > 1 and len(self.data) >= HEAD // 2:
            # The last line may be cut.
            lines.pop()
        return [line for line in lines if line.strip()]

    @cached_property
    def rows(self) -> list[list[bytes]]:
        """The white-space separated fields of the first lines."""
        return list(map(bytes.split, self.lines))

    @property
    def first_line(self) -> bytes:
        """The first line that is not blank."""
        return re.split(rb"[\r\n]", self.data, maxsplit=1)[0]

    @cached_property
    def json_keys(self) -> set[bytes]:
        """The quoted names before a colon, such as the fields of JSON."""
        return set(re.findall(rb'"(\w+)"\s*:', self.more))

    @cached_property
    def more(self) -> bytes:
        """The first megabyte of a file that was given as a path, else `data`."""
        if self.path is None or not self.path.is_file():
            return self.data
        with open_binary(self.path) as stream:
            return stream.read(_ALL_KEYS)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder that was given."""
        return self.path is not None and self.path.is_dir()

    @property
    def is_json(self) -> bool:
        """Whether the file's name ends as those of JSON files do."""
        return plain_name(self.name).endswith(JSON_ENDINGS)

    @property
    def is_table(self) -> bool:
        """Whether the file's name ends as those of tables and JSON files do."""
        return plain_name(self.name).endswith(_TABLES)

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
        parse: Reads a run as bare columns and collects its faults. `validate` checks these columns.
        check: Yields the problems of a run that `parse` read: `check(columns, topics, limit, notes)`, parameters as in
            `validate_run`. Without it, topics are checked.
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
    parse: Callable[[Source, Faults], FolColumns | NamedPassages] | None = None
    check: Callable[[FolColumns, set[str] | None, int, list[str]], Iterable[Problem]] | None = None
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
