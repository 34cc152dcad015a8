"""Runs and qrels as the official INEX evaluation tool (inex_eval 1.0) reads them: what it takes, what it rejects.

The tool splits lines at white space, ignores rank and score, and looks at nothing but the number of fields in lines of
topics that are not judged. Its whole numbers are those of Java's Integer.parseInt. Well-formed files take the quick way
of the strict readers; any other file is read line by line, by the tool's own rules.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...errors import FormatError
from ...frames.packing import document_order
from ...frames.spans import Ints
from ..reading.files import open_binary
from ..reading.lines import Faults
from .fol import parse_fol
from .offset_units import MISSING_LENGTH, MISSING_START
from .qrels import parse_inex_qrels

# White space in Java's regular expressions, and what is white space in Python only.
_WHITE = re.compile("[ \t\n\x0b\f\r]+")
_OTHER_WHITE = re.compile("[\x1c-\x1f]")
_LINE_END = re.compile("\r\n|\r|\n")
_INTEGER = re.compile(r"[+-]?(\d+)")
_BOM = b"\xef\xbb\xbf"


class RunRejected(ValueError):
    """The official tool rejects the run; the message is what it prints.

    `divided` tells that the lines of a topic were not together, and were taken together.
    """

    divided = False


class OfficialQrels(NamedTuple):
    """Qrels as columns, one entry per line; highlights are flat and half-open.

    `topic`, `article` and `row` are positions (`row` of each highlight, ascending); a bep below 0 means none.
    """

    topics: list[str]
    topic: Ints
    articles: list[str]
    article: Ints
    relevant_size: Ints
    bep: Ints
    row: Ints
    start: Ints
    end: Ints


class OfficialRun(NamedTuple):
    """The lines of a run's judged topics as columns; names are in order of appearance. Spans are half-open.

    `topic` and `article` are positions; a start of MISSING_START and more stands for a passage that does not exist;
    `tag` is that of the last line.
    """

    topics: list[str]
    topic: Ints
    articles: list[str]
    article: Ints
    start: Ints
    end: Ints
    tag: str


def read_official_qrels(path: str) -> OfficialQrels:
    """Read INEX qrels. Raises FormatError if the official tool stops, and for an article judged twice."""
    data = read_data(path)
    try:
        columns = parse_inex_qrels(data, Faults(path, "raise"))
    except FormatError:
        return _read_qrels_lines(data, path)
    has_highlights = np.zeros(len(columns.topic), dtype=bool)
    has_highlights[columns.row] = True
    has_highlights[columns.empty] = True
    return OfficialQrels(
        columns.topics,
        columns.topic,
        columns.articles,
        columns.article,
        columns.relevant_size,
        # A best entry point without highlights is not read.
        np.where(has_highlights, columns.bep, -1),
        columns.row,
        columns.start,
        columns.end,
    )


def read_official_run(path: str, judged: set[str], task: str) -> OfficialRun:
    """Read the lines of a FOL run that belong to the *judged* topics, for *task* 'f', 'r' or 'b'.

    Raises RunRejected with the official tool's message, and FormatError for a number that stops it.
    """
    data = read_data(path)
    run = _read_quickly(data, judged)
    return run if run is not None and _breaks_no_rule(run, task) else _RunReader(path, judged, task).read(data)


def read_data(path: str) -> bytes:
    """Read a file, decompressed and without a byte order mark."""
    with open_binary(path) as stream:
        return stream.read().removeprefix(_BOM)


def split_lines(data: bytes) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (line number from 1, line, its fields) as Java does; bytes that are not UTF-8 become U+FFFD.

    White space at a line's start makes an empty first field.
    """
    text = data.decode("utf-8", "replace")
    lines = _LINE_END.split(text)
    python_splits_alike = text.isascii() and not _OTHER_WHITE.search(text)
    for number, line in enumerate(lines if lines[-1] else lines[:-1], start=1):
        if python_splits_alike and line[:1] > " ":
            yield number, line, line.split()
            continue
        fields = _WHITE.split(line)
        yield number, line, fields if fields[-1] else fields[:-1]


def parse_integer(value: str) -> int | None:
    """Read a number as Java's Integer.parseInt does; None if that fails."""
    if len(value) < 10 and value.isascii() and value.isdigit():
        return int(value)
    match = _INTEGER.fullmatch(value)
    if match is None or max(value) > "\uffff":
        return None
    # Python reads no text of thousands of digits, were they all zeros.
    digits = match[1].lstrip("0") or "0"
    if len(digits) > 10:
        return None
    number = -int(digits) if value[0] == "-" else int(digits)
    return number if -(2**31) <= number < 2**31 else None


def _read_qrels_lines(data: bytes, path: str) -> OfficialQrels:
    topics: dict[str, int] = {}
    articles: dict[str, int] = {}
    seen: dict[tuple[str, str], int] = {}
    rows: list[tuple[int, int, int, int]] = []
    spans: list[tuple[int, int, int]] = []
    for number, line, fields in split_lines(data):
        fields = [field for field in fields if field]
        if not fields:
            continue
        if len(fields) < 5:
            raise FormatError(f"{len(fields)} fields instead of 5 or more", file=path, line=number, text=line)
        if (fields[0], fields[2]) in seen:
            first = seen[fields[0], fields[2]]
            advice = f"an article judged twice for its topic; keep this line or line {first}"
            raise FormatError(advice, file=path, line=number, text=line)
        seen[fields[0], fields[2]] = number
        numbers = [parse_integer(field) for field in (*fields[3:5], fields[5] if len(fields) > 6 else "-1")]
        marks = [list(map(parse_integer, field.split(":")[:2])) for field in fields[6:]]
        size, _, bep = numbers
        for mark in marks:
            if len(mark) < 2 or mark[0] is None or mark[1] is None or mark[1] < 0:
                raise FormatError("a highlight is not offset:length", file=path, line=number, text=line)
            if mark[1] > 0:
                spans.append((len(rows), mark[0], mark[0] + mark[1]))
        if size is None or numbers[1] is None or bep is None:
            raise FormatError("a field is not a whole number of 32 bits", file=path, line=number, text=line)
        topic = topics.setdefault(fields[0], len(topics))
        article = articles.setdefault(fields[2], len(articles))
        rows.append((topic, article, size, bep))
    code, docno, relevant, entry = np.array(rows, dtype=np.int64).reshape(-1, 4).T.copy()
    row, start, end = np.array(spans, dtype=np.int64).reshape(-1, 3).T.copy()
    return OfficialQrels(list(topics), code, list(articles), docno, relevant, entry, row, start, end)


def _read_quickly(data: bytes, judged: set[str]) -> OfficialRun | None:
    """Read a well-formed run at once; None if any line is out of the ordinary."""
    if not _do_lines_begin_with_a_field(data):
        return None
    try:
        run = parse_fol(data, Faults("", "raise"), missing="raise", file_fields=False)
    except FormatError:
        return None
    if len(run.end) and run.end.max() >= 2**31:
        return None
    kept = np.array([topic in judged for topic in run.topics], dtype=bool)[run.topic]
    tag = run.tag if len(kept) == 0 or kept[-1] else ""
    if kept.any() and not kept[-1]:
        last = int(run.line[kept][-1])
        tag = data.split(b"\n", last)[last - 1].split()[5].decode()
    return OfficialRun(
        run.topics, run.topic[kept], run.articles, run.article[kept], run.start[kept], run.end[kept], tag
    )


def _do_lines_begin_with_a_field(data: bytes) -> bool:
    """Return whether no line is blank or begins with white space, and lines end with LF or CRLF."""
    letters = np.frombuffer(data, dtype=np.uint8)
    if len(letters) == 0:
        return True
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return False
    first = np.flatnonzero(letters[:-1] == ord("\n")) + 1
    return bool(letters[0] > 32 and np.all(letters[first] > 32))


def _breaks_no_rule(run: OfficialRun, task: str) -> bool:
    """Return whether no line can be at fault; quick, as nearly all runs are."""
    if np.any(run.start == run.end):
        # What an entry point may touch is checked line by line.
        return False
    key = run.topic * max(len(run.articles), 1) + run.article
    order = document_order(key, run.start, run.end)
    same = key[order][1:] == key[order][:-1]
    if (task == "b" and same.any()) or np.any(same & (run.start[order][1:] < run.end[order][:-1])):
        return False
    if 1 + np.count_nonzero(run.topic[1:] != run.topic[:-1]) > max(len(np.unique(run.topic)), 1):
        # The lines of a topic do not follow each other.
        return False
    groups = 1 + np.count_nonzero(key[1:] != key[:-1]) if len(key) else 0
    return task == "f" or bool(groups == len(key) - np.count_nonzero(same))


class _Article:
    """The passages of an article, in ascending order, and its entry points (passages without characters)."""

    __slots__ = ("_points", "_spans", "code", "missing")

    def __init__(self, code: int) -> None:
        self.code = code
        self.missing = 0
        self._spans: list[tuple[int, int]] = []
        self._points: list[int] | None = None

    def add(self, start: int, end: int) -> bool:
        """Add a passage; False if it overlaps one before. An entry point overlaps what comes later, not before."""
        if start == end:
            self._points = self._points or []
            insort(self._points, start)
            return True
        if self._points is not None:
            at = bisect_left(self._points, start)
            if at < len(self._points) and self._points[at] <= end:
                return False
        spans = self._spans
        at = bisect_left(spans, (start, end))
        if (at and spans[at - 1][1] > start) or (at < len(spans) and spans[at][0] < end):
            return False
        spans.insert(at, (start, end))
        return True


class _Topic(NamedTuple):
    """What has been read of a topic: its articles by name."""

    code: int
    articles: dict[str, _Article]


class _RunReader:
    """Reads a run line by line, by the rules of the official tool."""

    def __init__(self, path: str, judged: set[str], task: str) -> None:
        self._path = path
        self._judged = judged
        self._task = task
        self._topics: dict[str, _Topic] = {}
        self._articles: dict[str, int] = {}
        self._last: dict[str, str] = {}

    def read(self, data: bytes) -> OfficialRun:
        """Read all lines; warns of topics whose lines are not together."""
        rows: list[tuple[int, int, int, int]] = []
        tag = ""
        previous = ""
        # The line at which a topic goes on.
        divided: dict[str, int] = {}
        for number, line, fields in split_lines(data):
            if len(fields) != 8:
                fault = "too many fields" if len(fields) > 8 else "fields missing"
                raise RunRejected(f"Error *** ({self._path}) {fault} in line {number}: {line}")
            name = fields[0]
            if name in self._judged:
                if name != previous and name in self._topics:
                    divided.setdefault(name, number)
                rows.append(self._take_line(fields, number, line, bool(divided)))
                previous = name
                tag = fields[5]
        if divided:
            topic, number = next(iter(divided.items()))
            warnings.warn(
                f"{self._path}: the lines of {len(divided)} topics are not together (first: topic {topic!r}, line "
                f"{number}); they are taken together; the official tool goes on with the ranks of the topic before",
                stacklevel=3,
            )
        code, article, start, end = np.array(rows, dtype=np.int64).reshape(-1, 4).T.copy()
        return OfficialRun(list(self._topics), code, list(self._articles), article, start, end, tag)

    def _take_line(self, fields: list[str], number: int, line: str, divided: bool) -> tuple[int, int, int, int]:
        try:
            return self._read_result(fields, number, line)
        except RunRejected as rejected:
            rejected.divided = divided
            raise

    def _read_result(self, fields: list[str], number: int, line: str) -> tuple[int, int, int, int]:
        """Read a line of a judged topic: (topic, article, start, end)."""
        topic, article = self._find_article(fields, number)
        if fields[6] in ("X", "-1"):
            start = MISSING_START + article.missing * MISSING_LENGTH
            article.missing += 1
            return topic, article.code, start, start + MISSING_LENGTH
        offset = parse_integer(fields[6])
        size = parse_integer(fields[7])
        if offset is None or size is None:
            raise FormatError("offset and length are not whole numbers", file=self._path, line=number, text=line)
        if size < 0 or offset + size >= 2**31:
            raise RunRejected(f"Error *** ({self._path}) negative passage size {number}: {line}")
        if not article.add(offset, offset + size):
            raise self._make_rejection("passage overlaps with previously retrieved passages", fields, number)
        return topic, article.code, offset, offset + size

    def _find_article(self, fields: list[str], number: int) -> tuple[int, _Article]:
        """Find a line's topic and article; rejects what the task does not allow."""
        name = fields[0]
        docno = fields[2]
        topic = self._topics.get(name)
        if topic is None:
            topic = self._topics[name] = _Topic(len(self._topics), {})
        article = topic.articles.get(docno)
        if article is None:
            article = topic.articles[docno] = _Article(self._articles.setdefault(docno, len(self._articles)))
        elif docno != self._last[name] and self._task in "rb":
            raise RunRejected(
                f"ERROR *** ({self._path}) article results are interleaved in topic {name}\tarticle id: {docno}\n"
                "\tinterleaved results not allowed in inContext tasks!"
            )
        elif self._task == "b":
            raise self._make_rejection("multiple results from single article", fields, number)
        self._last[name] = docno
        return topic.code, article

    def _make_rejection(self, reason: str, fields: list[str], number: int) -> RunRejected:
        where = f"in topic {fields[0]}\tarticle id: {fields[2]}\tin line: {number}"
        return RunRejected(f"ERROR *** ({self._path}) {reason} {where}")
