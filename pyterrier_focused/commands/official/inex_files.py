"""Qrels and lines of runs as the official INEX evaluation tool (inex_eval) reads them.

The tool splits lines at white space, ignores rank and score, and looks at nothing but the number of fields in lines of
topics that are not judged. Its whole numbers are those of Java's Integer.parseInt. Well-formed files take the quick way
of the strict readers; any other file is read line by line, by the tool's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...errors import FormatError
from ...frames.columns import MISSING_START
from ...frames.spans import GroupedSpans, Ints, Span, sum_by, union
from ...io.inex.fol import parse_fol
from ...io.inex.qrels import InexQrelsBuilder, InexQrelsColumns, parse_inex_qrels
from ...reading.files import open_binary
from ...reading.lines import Faults, Line

# White space in Java's regular expressions, and what is white space in Python only.
_WHITE = re.compile("[ \t\n\x0b\f\r]+")
_OTHER_WHITE = re.compile("[\x1c-\x1f]")
_LINE_END = re.compile("\r\n|\r|\n")
_INTEGER = re.compile(r"[+-]?(?P<digits>\d+)")
_BOM = b"\xef\xbb\xbf"
# The offset of a passage that does not exist.
_MISSING_MARKS = ("X", "-1")
# The tool's checks of a line, in order: fields, article, numbers, negative numbers in release 1.0 (as mended here),
# overlap, negative numbers in release 3.1.
FIELDS, ARTICLE, NUMBERS, EARLY_SIZE, OVERLAP, SIZE = range(6)
# Offsets may be negative, and the arithmetic of spans begins at 0.
SHIFT = 2**31


class RunRejected(ValueError):
    """The official tool rejects the run; the message is what it prints."""


def _read_data(path: str) -> bytes:
    with open_binary(path) as stream:
        return stream.read().removeprefix(_BOM)


def _split_lines(data: bytes) -> Iterator[Line]:
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


def _parse_integer(value: str) -> int:
    """Read a number as Java's Integer.parseInt does. Raises ValueError if that fails."""
    match = _INTEGER.fullmatch(value)
    if match is None or max(value) > "\uffff":
        raise ValueError(value)
    # Python reads no text of thousands of digits, were they all zeros.
    number = int((match["digits"].lstrip("0") or "0")[:11])
    number = -number if value[0] == "-" else number
    if not -(2**31) <= number < 2**31:
        raise ValueError(value)
    return number


@dataclass(frozen=True, eq=False, repr=False)
class OfficialQrels:
    """The judged articles as columns, a row each; topics are in the order of their names, as they are averaged.

    `pairs` has `topic * len(docnos) + docno` of each row, ascending. A relevant size of 0 and below is not
    relevant. `highlights` are sorted, with SHIFT added. `n_relevant` and `total_size` are those of each topic.
    """

    topics: list[str]
    docnos: dict[str, int]
    pairs: Ints
    relevant_size: Ints
    length: Ints
    bep: Ints
    highlights: GroupedSpans
    n_relevant: Ints
    total_size: Ints

    def find(self, topic: Ints, docnos: list[str], docno: Ints) -> Ints:
        """Find the row of each *topic* and article, *docno* being its position in *docnos*; -1 if there is none."""
        if not len(self.pairs):
            return np.full(len(topic), -1)
        code = np.array([self.docnos.get(name, -1) for name in docnos], dtype=np.int64)[docno]
        pair = topic * len(self.docnos) + code
        place = np.minimum(np.searchsorted(self.pairs, pair), len(self.pairs) - 1)
        return np.where((code >= 0) & (self.pairs[place] == pair), place, -1)


def read_official_qrels(path: str, *, mended: bool) -> OfficialQrels:
    """Read INEX qrels; of an article that is judged twice both lines count.

    Args:
        mended: Refuse articles that are judged twice, and merge highlights: they count twice in the tool.
    """
    data = _read_data(path)
    try:
        columns = parse_inex_qrels(data, Faults(path, "raise"))
    except FormatError:
        columns = _read_qrels_lines(data, path, mended)
    # As Java sorts.
    order = sorted(range(len(columns.topics)), key=lambda topic: columns.topics[topic].encode("utf-16-be"))
    code = np.empty(len(order), dtype=np.int64)
    code[order] = np.arange(len(order))
    topic = code[columns.topic]
    pairs, first, row = np.unique(
        topic * max(len(columns.articles), 1) + columns.article, return_index=True, return_inverse=True
    )
    row = row.reshape(-1)
    # A best entry point without highlights is not read.
    marked = np.union1d(columns.row, columns.empty)
    bep = np.full(len(pairs), -1, dtype=np.int64)
    bep[row[marked]] = columns.bep[marked]
    size = np.maximum(columns.relevant_size, 0)
    start = columns.start + SHIFT
    end = columns.end + SHIFT
    by_start = np.lexsort((start, row[columns.row]))
    highlights = GroupedSpans(row[columns.row][by_start], start[by_start], end[by_start])
    return OfficialQrels(
        topics=[columns.topics[number] for number in order],
        docnos={docno: number for number, docno in enumerate(columns.articles)},
        pairs=pairs,
        relevant_size=size[first],
        length=columns.length[first],
        bep=bep,
        highlights=union(*highlights) if mended else highlights,
        n_relevant=np.bincount(topic[size > 0], minlength=len(order)),
        total_size=sum_by(topic, size, len(order)),
    )


def _read_qrels_lines(data: bytes, path: str, mended: bool) -> InexQrelsColumns:
    seen: dict[tuple[str, str], int] = {}
    builder = InexQrelsBuilder()
    for number, line, fields in _split_lines(data):
        fields = [field for field in fields if field]
        if not fields:
            continue
        try:
            size, length = map(_parse_integer, fields[3:5])
            highlights = [_read_highlight(mark) for mark in fields[6:]]
            bep = _parse_integer(fields[5]) if highlights else -1
        except ValueError:
            advice = "INEX qrels have topic Q0 article relevant_size article_length [bep offset:length ...]"
            raise FormatError(f"this stops the official tool; {advice}", file=path, line=number, text=line) from None
        earlier = seen.setdefault((fields[0], fields[2]), number)
        if mended and earlier != number:
            advice = f"an article judged twice for its topic; keep this line or line {earlier}"
            raise FormatError(advice, file=path, line=number, text=line)
        builder.add(fields[0], fields[2], size, length, bep, number, highlights)
    return builder.columns()


def _read_highlight(mark: str) -> Span:
    start, width = map(_parse_integer, mark.split(":")[:2])
    if width < 0:
        raise ValueError(mark)
    return start, start + width


class RunLines(NamedTuple):
    """The lines of a run that belong to judged topics, as columns, up to the first one that cannot be read.

    `topic` is a position in the topics of the qrels, `article` one in `docnos`. A passage that does not exist begins
    and ends at MISSING_START. `fault` says what is wrong with the last line, or with the one after it if the fault's
    step is 0. A step is what the tool does with a line, from FIELDS to SIZE.
    """

    docnos: list[str]
    topic: Ints
    article: Ints
    start: Ints
    end: Ints
    line: Ints
    tag: str
    fault: Exception | None = None
    step: int = 0

    def cut(self, n: int) -> RunLines:
        return self._replace(
            topic=self.topic[:n], article=self.article[:n], start=self.start[:n], end=self.end[:n], line=self.line[:n]
        )


def read_run_lines(path: str, judged: list[str], *, mended: bool) -> RunLines:
    """Read the lines of a FOL run that belong to the *judged* topics."""
    data = _read_data(path)
    lines = _read_whole_run(data, judged)
    return _read_lines(data, path, judged, mended) if lines is None else lines


def _read_whole_run(data: bytes, judged: list[str]) -> RunLines | None:
    """Read a well-formed run at once; None if any line is out of the ordinary."""
    letters = np.frombuffer(data, dtype=np.uint8)
    if not len(letters) or data.count(b"\r") != data.count(b"\r\n"):
        return None
    line_starts = np.flatnonzero(letters[:-1] == ord("\n")) + 1
    if letters[0] <= 32 or np.any(letters[line_starts] <= 32):
        return None
    try:
        run = parse_fol(data, Faults("", "raise"), missing="raise", file_fields=False)
    except FormatError:
        return None
    if len(run.end) and run.end.max() >= 2**31:
        return None
    codes = {name: code for code, name in enumerate(judged)}
    topic = np.array([codes.get(name, -1) for name in run.topics], dtype=np.int64)[run.topic]
    kept = np.flatnonzero(topic >= 0)
    tag = run.tag
    if not len(kept) or kept[-1] < len(topic) - 1:
        last = int(run.line[kept[-1]]) if len(kept) else 0
        tag = data.split(b"\n", last)[last - 1].split()[5].decode() if last else ""
    return RunLines(
        run.articles, topic[kept], run.article[kept], run.start[kept], run.end[kept], run.line[kept], tag
    )  # fmt: skip


def _read_lines(data: bytes, path: str, judged: list[str], mended: bool) -> RunLines:
    """Read a run line by line, by the rules of the official tool."""
    codes = {name: code for code, name in enumerate(judged)}
    docnos: dict[str, int] = {}
    rows: list[tuple[int, int, int, int, int]] = []
    tag = ""
    fault: Exception | None = None
    step = FIELDS
    for number, line, fields in _split_lines(data):
        if len(fields) != 8:
            what = "too many fields" if len(fields) > 8 else "fields missing"
            fault = RunRejected(f"Error *** ({path}) {what} in line {number}: {line}")
            break
        if fields[0] not in codes:
            continue
        tag = fields[5]
        start = end = MISSING_START
        if fields[6] not in _MISSING_MARKS:
            try:
                start = _parse_integer(fields[6])
                length = _parse_integer(fields[7])
                # In 32 bits.
                end = (start + length + 2**31) % 2**32 - 2**31
            except ValueError:
                fault = FormatError("offset and length are not whole numbers", file=path, line=number, text=line)
                step = NUMBERS
            else:
                if end < start or (mended and length < 0):
                    word = "Error" if mended else "ERROR"
                    fault = RunRejected(f"{word} *** ({path}) negative passage size {number}: {line}")
                    step = EARLY_SIZE if mended else SIZE
        rows.append((codes[fields[0]], docnos.setdefault(fields[2], len(docnos)), start, end, number))
        if fault is not None:
            break
    topic, article, starts, ends, lines = np.array(rows, dtype=np.int64).reshape(-1, 5).T.copy()
    return RunLines(list(docnos), topic, article, starts, ends, lines, tag, fault, step)
