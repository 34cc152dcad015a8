"""Runs and qrels as the official INEX evaluation tool (inex_eval) reads them: what it takes, what it rejects.

The tool splits lines at white space, ignores rank and score, and looks at nothing but the number of fields in lines of
topics that are not judged. Its whole numbers are those of Java's Integer.parseInt. The readers of whole files are those
of release 1.0: well-formed files take the quick way of the strict readers; any other file is read line by line, by the
tool's own rules.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterator

import numpy as np

from ...errors import FormatError, warn_caller
from ...frames.packing import document_order
from ...frames.spans import Span
from ..reading.files import open_binary
from ..reading.lines import Faults, Line
from ..reading.run_columns import FolColumns, find_divided_topics
from .fol import parse_fol
from .offset_units import MISSING_LENGTH, MISSING_START
from .qrels import InexQrelsBuilder, InexQrelsColumns, parse_inex_qrels

# White space in Java's regular expressions, and what is white space in Python only.
_WHITE = re.compile("[ \t\n\x0b\f\r]+")
_OTHER_WHITE = re.compile("[\x1c-\x1f]")
_LINE_END = re.compile("\r\n|\r|\n")
_INTEGER = re.compile(r"[+-]?(?P<digits>\d+)")
_BOM = b"\xef\xbb\xbf"
# The offset of a passage that does not exist.
MISSING_MARKS = ("X", "-1")


class RunRejected(ValueError):
    """The official tool rejects the run; the message is what it prints.

    `divided` tells that the lines of a topic were not together, and were taken together.
    """

    divided = False


class RunFile:
    """A run that the official tool reads: its lines of eight fields, and what the tool says if it rejects one."""

    def __init__(self, path: str) -> None:
        self.path = path

    def split_lines(self, data: bytes) -> Iterator[Line]:
        """Yield the lines. Raises RunRejected for one that has not eight fields."""
        for number, line, fields in split_lines(data):
            if len(fields) != 8:
                fault = "too many fields" if len(fields) > 8 else "fields missing"
                raise RunRejected(f"Error *** ({self.path}) {fault} in line {number}: {line}")
            yield number, line, fields

    def read_offsets(self, number: int, line: str, fields: list[str]) -> tuple[int, int]:
        """Read offset and length. Raises FormatError for numbers that stop the tool."""
        offset = parse_integer(fields[6])
        length = parse_integer(fields[7])
        if offset is None or length is None:
            raise FormatError("offset and length are not whole numbers", file=self.path, line=number, text=line)
        return offset, length

    def reject_overlap(self, number: int, fields: list[str]) -> RunRejected:
        """Make the rejection of a passage that overlaps an earlier one."""
        return self._reject_line("passage overlaps with previously retrieved passages", number, fields)

    def reject_second(self, number: int, fields: list[str]) -> RunRejected:
        """Make the rejection of an article's second result in best in context."""
        return self._reject_line("multiple results from single article", number, fields)

    def reject_interleaved(self, fields: list[str]) -> RunRejected:
        """Make the rejection of an article whose results are not together."""
        return RunRejected(
            f"ERROR *** ({self.path}) article results are interleaved in topic {fields[0]}\tarticle id: {fields[2]}\n"
            "\tinterleaved results not allowed in inContext tasks!"
        )

    def _reject_line(self, reason: str, number: int, fields: list[str]) -> RunRejected:
        place = f"in topic {fields[0]}\tarticle id: {fields[2]}\tin line: {number}"
        return RunRejected(f"ERROR *** ({self.path}) {reason} {place}")


def read_official_qrels(path: str) -> InexQrelsColumns:
    """Read INEX qrels. Raises FormatError if the official tool stops, and for an article judged twice."""
    data = read_data(path)
    try:
        columns = parse_inex_qrels(data, Faults(path, "raise"))
    except FormatError:
        return _read_qrels_lines(data, path)
    has_highlights = np.zeros(len(columns.topic), dtype=bool)
    has_highlights[columns.row] = True
    has_highlights[columns.empty] = True
    # A best entry point without highlights is not read.
    return columns._replace(bep=np.where(has_highlights, columns.bep, -1))


def read_official_run(path: str, judged: set[str], task: str) -> FolColumns:
    """Read the lines of a FOL run that belong to the *judged* topics, for *task* 'f', 'r' or 'b'.

    A start of MISSING_START and more stands for a passage that does not exist. Raises RunRejected with the official
    tool's message, and FormatError for a number that stops it.
    """
    data = read_data(path)
    run = _read_quickly(data, judged)
    return run if run is not None and _breaks_no_rule(run, task) else _RunReader(path, judged, task).read(data)


def read_data(path: str) -> bytes:
    """Read a file, decompressed and without a byte order mark."""
    with open_binary(path) as stream:
        return stream.read().removeprefix(_BOM)


def split_lines(data: bytes) -> Iterator[Line]:
    """Yield the lines as Java splits them; bytes that are not UTF-8 become U+FFFD.

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
    digits = match["digits"].lstrip("0") or "0"
    if len(digits) > 10:
        return None
    number = -int(digits) if value[0] == "-" else int(digits)
    return number if -(2**31) <= number < 2**31 else None


def _read_qrels_lines(data: bytes, path: str) -> InexQrelsColumns:
    seen: dict[tuple[str, str], int] = {}
    builder = InexQrelsBuilder()
    for number, line, fields in split_lines(data):
        fields = [field for field in fields if field]
        if not fields:
            continue
        if len(fields) < 5:
            raise FormatError(f"{len(fields)} fields instead of 5 or more", file=path, line=number, text=line)
        earlier = seen.setdefault((fields[0], fields[2]), number)
        if earlier != number:
            advice = f"an article judged twice for its topic; keep this line or line {earlier}"
            raise FormatError(advice, file=path, line=number, text=line)
        highlights = [_read_highlight(field) for field in fields[6:]]
        if None in highlights:
            raise FormatError("a highlight is not offset:length", file=path, line=number, text=line)
        size = parse_integer(fields[3])
        length = parse_integer(fields[4])
        bep = parse_integer(fields[5]) if highlights else -1
        if size is None or length is None or bep is None:
            raise FormatError("a field is not a whole number of 32 bits", file=path, line=number, text=line)
        builder.add(fields[0], fields[2], size, length, bep, number, [span for span in highlights if span is not None])
    return builder.columns()


def _read_highlight(field: str) -> Span | None:
    """Read offset:length as a half-open span; None if it is none."""
    numbers = [parse_integer(part) for part in field.split(":")[:2]]
    if len(numbers) < 2 or numbers[0] is None or numbers[1] is None or numbers[1] < 0:
        return None
    return numbers[0], numbers[0] + numbers[1]


def _read_quickly(data: bytes, judged: set[str]) -> FolColumns | None:
    """Read a well-formed run at once; None if any line is out of the ordinary."""
    if not _do_lines_begin_with_a_field(data):
        return None
    try:
        run = parse_fol(data, Faults("", "raise"), missing="raise", file_fields=False)
    except FormatError:
        return None
    if len(run.end) and run.end.max() >= 2**31:
        return None
    is_judged = np.array([topic in judged for topic in run.topics], dtype=bool)[run.topic]
    if is_judged.all():
        return run
    run = run.take_lines(np.flatnonzero(is_judged))._replace(tag=run.tag if is_judged[-1] else "")
    if len(run.line) and not is_judged[-1]:
        last = int(run.line[-1])
        run = run._replace(tag=data.split(b"\n", last)[last - 1].split()[5].decode())
    return run


def _do_lines_begin_with_a_field(data: bytes) -> bool:
    """Return whether no line is blank or begins with white space, and lines end with LF or CRLF."""
    letters = np.frombuffer(data, dtype=np.uint8)
    if len(letters) == 0:
        return True
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return False
    line_starts = np.flatnonzero(letters[:-1] == ord("\n")) + 1
    return bool(letters[0] > 32 and np.all(letters[line_starts] > 32))


def _breaks_no_rule(run: FolColumns, task: str) -> bool:
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
        self._spans: list[Span] = []
        self._points: list[int] | None = None

    def add(self, start: int, end: int) -> bool:
        """Add a passage; False if it overlaps one before. An entry point overlaps what comes later, not before."""
        if start == end:
            self._points = self._points or []
            insort(self._points, start)
            return True
        if self._points is not None:
            next_point = bisect_left(self._points, start)
            if next_point < len(self._points) and self._points[next_point] <= end:
                return False
        spans = self._spans
        place = bisect_left(spans, (start, end))
        if (place and spans[place - 1][1] > start) or (place < len(spans) and spans[place][0] < end):
            return False
        spans.insert(place, (start, end))
        return True


# The number of an article, and the start and the end of a passage of it.
Passage = tuple[int, int, int]


class _RunReader:
    """Reads a run line by line, by the rules of the official tool."""

    def __init__(self, path: str, judged: set[str], task: str) -> None:
        self._file = RunFile(path)
        self._judged = judged
        self._task = task
        # The articles of each topic, by name; and the numbers of all articles.
        self._topics: dict[str, dict[str, _Article]] = {}
        self._articles: dict[str, int] = {}
        # The last article of each topic.
        self._last: dict[str, str] = {}

    def read(self, data: bytes) -> FolColumns:
        """Read all lines; warns of topics whose lines are not together."""
        rows: list[tuple[int, int, int, int, int]] = []
        codes: dict[str, int] = {}
        tag = ""
        previous = ""
        is_divided = False
        for number, line, fields in self._file.split_lines(data):
            topic = fields[0]
            if topic not in self._judged:
                continue
            if topic != previous:
                is_divided |= topic in codes
                code = codes.setdefault(topic, len(codes))
                previous = topic
            try:
                article, start, end = self._read_passage(number, line, fields)
            except RunRejected as rejected:
                rejected.divided = is_divided
                raise
            rows.append((code, article, start, end, number))
            tag = fields[5]
        topics, articles, starts, ends, lines = np.array(rows, dtype=np.int64).reshape(-1, 5).T.copy()
        run = FolColumns([*codes], topics, [*self._articles], articles, starts, ends, lines, tag, None, None)
        if is_divided:
            divided = find_divided_topics(run)
            topic, (_, number) = next(iter(divided.items()))
            warn_caller(
                f"{self._file.path}: the lines of {len(divided)} topics are not together (first: topic {topic!r}, line "
                f"{number}); they are taken together; the official tool goes on with the ranks of the topic before"
            )
        return run

    def _read_passage(self, number: int, line: str, fields: list[str]) -> Passage:
        """Read the passage of a judged topic's line."""
        article = self._find_article(number, fields)
        if fields[6] in MISSING_MARKS:
            start = MISSING_START + article.missing * MISSING_LENGTH
            article.missing += 1
            return article.code, start, start + MISSING_LENGTH
        offset, length = self._file.read_offsets(number, line, fields)
        if length < 0 or offset + length >= 2**31:
            raise RunRejected(f"Error *** ({self._file.path}) negative passage size {number}: {line}")
        if not article.add(offset, offset + length):
            raise self._file.reject_overlap(number, fields)
        return article.code, offset, offset + length

    def _find_article(self, number: int, fields: list[str]) -> _Article:
        """Find a line's article; rejects what the task does not allow."""
        topic = fields[0]
        docno = fields[2]
        articles = self._topics.setdefault(topic, {})
        article = articles.get(docno)
        if article is None:
            article = articles[docno] = _Article(self._articles.setdefault(docno, len(self._articles)))
        elif docno != self._last[topic] and self._task in "rb":
            raise self._file.reject_interleaved(fields)
        elif self._task == "b":
            raise self._file.reject_second(number, fields)
        self._last[topic] = docno
        return article
