"""INEX qrels: one judged article per line, `topic Q0 article relevant_size article_length [bep offset:length ...]`.

Sizes, the best entry point (bep) and the highlights' offsets and lengths count characters of the article's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pyarrow import Array

from ...errors import LossWarning, warn_caller
from ...frames.articles import ArticleCollection
from ...frames.checks import check_qrels
from ...frames.columns import flatten, span_column
from ...frames.spans import Ints, Span, Spans, ranges, union_sizes
from ...reading.fields import first_codes, matches, name_codes, read_lines, split_in_two, take, whole_numbers
from ...reading.files import Source, read_bytes, source_name, write_bytes
from ...reading.lines import BadLine, Faults, field_lines, field_text, whole
from .offset_units import in_characters

QRELS_FIELDS = "topic Q0 article relevant_size article_length [bep offset:length ...]"

_NOT_HELD = ("alternatives", "aspects", "facts", "fact_weights", "cover")
_HIGHLIGHT = re.compile(r"(?P<offset>[0-9]+):(?P<length>[0-9]+)")


class InexQrelsColumns(NamedTuple):
    """INEX qrels as columns, one entry per line; names in order of appearance. Highlights are flat and half-open.

    `topic`, `article` and `row` are positions (`row` of each highlight, ascending), lines count from 1, a bep of -1
    means none, and `empty` has the entry of each highlight of length 0, which is left out.
    """

    topics: list[str]
    topic: Ints
    articles: list[str]
    article: Ints
    relevant_size: Ints
    length: Ints
    bep: Ints
    line: Ints
    row: Ints
    start: Ints
    end: Ints
    empty: Ints = np.zeros(0, dtype=np.int64)

    def relevant_characters(self) -> Ints:
        """Count the highlighted characters of each entry: the size of the union of its highlights."""
        return union_sizes(self.row, self.start, self.end, len(self.topic))


class InexQrelsBuilder:
    """Collects judged articles, one by one, in the order of the file."""

    def __init__(self) -> None:
        self._topics: dict[str, int] = {}
        self._articles: dict[str, int] = {}
        self._rows: list[tuple[int, int, int, int, int, int]] = []
        self._spans: list[tuple[int, int, int]] = []
        self._empty: list[int] = []

    def add(
        self, topic: str, article: str, relevant_size: int, length: int, bep: int, line: int, highlights: Iterable[Span]
    ) -> None:
        """Add a judged article; its highlights of length 0 are left out, and noted."""
        row = len(self._rows)
        self._spans += [(row, start, end) for start, end in highlights if end > start]
        self._empty += [row for start, end in highlights if end == start]
        code = self._topics.setdefault(topic, len(self._topics))
        article_code = self._articles.setdefault(article, len(self._articles))
        self._rows.append((code, article_code, relevant_size, length, bep, line))

    def columns(self) -> InexQrelsColumns:
        topic, article, relevant_size, length, bep, line = np.array(self._rows, dtype=np.int64).reshape(-1, 6).T.copy()
        row, start, end = np.array(self._spans, dtype=np.int64).reshape(-1, 3).T.copy()
        empty = np.array(self._empty, dtype=np.int64)
        topics = list(self._topics)
        articles = list(self._articles)
        return InexQrelsColumns(
            topics, topic, articles, article, relevant_size, length, bep, line, row, start, end, empty
        )


def read_inex_qrels_columns(source: Source, *, errors: str = "raise") -> InexQrelsColumns:
    """Read INEX qrels as numpy columns. Parameters as in `read_inex_qrels`."""
    faults = Faults(source_name(source), errors)
    columns = parse_inex_qrels(read_bytes(source), faults)
    faults.report()
    return columns


def parse_inex_qrels(data: bytes, faults: Faults) -> InexQrelsColumns:
    """Read the bytes of INEX qrels; bad lines go to *faults*."""
    columns = _read_whole_file(data)
    # if something is out of the ordinary: line by line, which says what
    return _read_line_by_line(data, faults) if columns is None else columns


def read_inex_qrels(
    source: Source, collection: ArticleCollection | None = None, *, unit: str = "auto", errors: str = "raise"
) -> pd.DataFrame:
    """Read INEX qrels as a qrels frame, with the file's `relevant_size` as one more column.

    label is 1 if anything is relevant (relevant_size above 0, or a highlight). Highlights of length 0 are left out.
    A warning says how often, and in which line first, as it does if relevant_size is not the size of the highlights'
    union, or if a highlight or best entry point lies beyond the article's length.
    """
    qrels = inex_qrels_frame(read_inex_qrels_columns(source, errors=errors), source_name(source))
    return in_characters(qrels, collection, "highlights", unit)


def inex_qrels_frame(columns: InexQrelsColumns, name: str) -> pd.DataFrame:
    """Make the qrels frame of INEX qrels columns; *name* is the file's, for warnings."""
    _warn_of_sizes(columns, name)
    relevant = columns.relevant_size > 0
    relevant[columns.row] = True
    return pd.DataFrame(
        {
            "qid": np.fromiter(columns.topics, dtype=object, count=len(columns.topics))[columns.topic],
            "docno": np.fromiter(columns.articles, dtype=object, count=len(columns.articles))[columns.article],
            "label": relevant.astype(np.int64),
            "highlights": span_column(columns.row, len(columns.topic), columns.start, columns.end),
            "bep": columns.bep,
            "length": columns.length,
            "relevant_size": columns.relevant_size,
        }
    )


def write_inex_qrels(qrels: pd.DataFrame, target: Source) -> None:
    """Write a qrels frame as INEX qrels.

    relevant_size is the column of that name, or the size of the highlights' union. The format holds no labels: a
    warning counts those that are not what a reader will make of the line (1 with anything relevant, else 0). Another
    names what stands beside highlights and is lost, such as alternatives.
    """
    check_qrels(qrels)
    lost = [column for column in _NOT_HELD if column in qrels.columns]
    if lost:
        warn_caller(f"INEX qrels have no place for the column {', '.join(lost)}: not written", LossWarning)
    for column in ("length", "bep"):
        if column not in qrels.columns:
            raise ValueError(f"INEX qrels need the column {column!r}; found: {list(qrels.columns)}")
    entries = len(qrels)
    spans = flatten(qrels["highlights"], "highlights", qrels)
    size = union_sizes(spans.row, spans.start, spans.end, entries)
    if "relevant_size" in qrels.columns:
        size = _read_whole_column(qrels, "relevant_size", 0)
    length = _read_whole_column(qrels, "length", 0)
    bep = _read_whole_column(qrels, "bep", -1)
    marks: list[list[str]] = [[] for _ in range(entries)]
    for row, start, end in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
        marks[row].append(f" {start}:{end - start}")
    _warn_of_labels(qrels, (size > 0) | np.array([bool(mark) for mark in marks], dtype=bool))
    lines = []
    numbers = zip(size.tolist(), length.tolist(), bep.tolist(), strict=True)
    names = zip(qrels["qid"].tolist(), qrels["docno"].tolist(), strict=True)
    for (qid, docno), (relevant, characters, entry), texts in zip(names, numbers, marks, strict=True):
        head = f"{field_text(qid, 'qid')} Q0 {field_text(docno, 'docno')} {relevant} {characters}"
        tail = f" {entry}" + "".join(texts) if texts or entry >= 0 else ""
        lines.append(f"{head}{tail}\n")
    write_bytes(target, "".join(lines).encode())


def _read_whole_file(data: bytes) -> InexQrelsColumns | None:
    """Read a well-formed file at once; None if any line is not."""
    lines = read_lines(data)
    if lines is None:
        return None
    line_starts = lines.offsets.to_numpy()[:-1].astype(np.int64)
    count = lines.value_lengths().to_numpy()
    if count.min() < 5:
        return None
    fields = lines.flatten()

    def take_field(number: int) -> Array:
        return take(fields, line_starts[count > number] + number)

    topic, topics = name_codes(take_field(0))
    article, articles = name_codes(take_field(2))
    if len(first_codes(topic * len(articles) + article)[1]) < len(topic):
        # An article is judged twice.
        return None
    marked = count > 5
    has_entry = marked.copy()
    has_entry[marked] = ~matches(take_field(5), r"\A-1\z")
    size = whole_numbers(take_field(3))
    length = whole_numbers(take_field(4))
    entry = whole_numbers(take(fields, line_starts[has_entry] + 5))
    highlights = _read_highlights(fields, line_starts, count)
    if size is None or length is None or entry is None or highlights is None:
        return None
    bep = np.full(len(count), -1, dtype=np.int64)
    bep[has_entry] = entry
    line = np.arange(1, len(count) + 1)
    filled = highlights.end > highlights.start
    row, start, end = (column[filled] for column in (highlights.row, highlights.start, highlights.end))
    empty = highlights.row[~filled]
    return InexQrelsColumns(topics, topic, articles, article, size, length, bep, line, row, start, end, empty)


def _read_highlights(fields: Array, line_starts: Ints, count: Ints) -> Spans | None:
    """Read the fields from each line's seventh on, offset:length, as spans; *count* is that of a line's fields."""
    width = np.maximum(count - 6, 0)
    row = np.repeat(np.arange(len(line_starts)), width)
    halves = split_in_two(take(fields, ranges(line_starts + 6, width)), ":")
    if halves is None:
        return None
    offset, length = (whole_numbers(half) for half in halves)
    if offset is None or length is None or np.any(offset > 2**63 - 1 - length):
        return None
    return Spans(row, offset, offset + length, None)


def _read_line_by_line(data: bytes, faults: Faults) -> InexQrelsColumns:
    seen: dict[tuple[str, str], int] = {}
    builder = InexQrelsBuilder()
    for number, text, fields in field_lines(data, faults):
        try:
            if len(fields) < 5:
                raise BadLine(f"{len(fields)} fields instead of 5 or more", f"INEX qrels have {QRELS_FIELDS}")
            size = whole(fields[3], "field 4 (relevant_size)")
            length = whole(fields[4], "field 5 (length)")
            bep = whole(fields[5], "field 6 (bep)") if len(fields) > 5 else -1
            if size < 0 or length < 0 or bep < -1:
                raise BadLine("a negative number", "sizes count characters; a missing best entry point is -1")
            highlights = [_read_highlight(field, position) for position, field in enumerate(fields[6:], start=7)]
            earlier = seen.setdefault((fields[0], fields[2]), number)
            if earlier != number:
                raise BadLine("an article judged twice for its topic", f"keep this line or line {earlier}")
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        builder.add(fields[0], fields[2], size, length, bep, number, highlights)
    return builder.columns()


def _read_highlight(field: str, position: int) -> Span:
    """Read a highlight; *position* is that of its field, from 1."""
    match = _HIGHLIGHT.fullmatch(field)
    if match is None:
        raise BadLine(f"field {position} is not a highlight", "write highlights as offset:length, in digits only")
    if len(field) > 60 or int(match["offset"]) + int(match["length"]) >= 2**63:
        raise BadLine(f"field {position} ends beyond 64 bits", "check the line")
    start = int(match["offset"])
    return start, start + int(match["length"])


def _warn_of_sizes(columns: InexQrelsColumns, name: str) -> None:
    def warn_of(rows: NDArray[np.bool_], fault: str, detail: str) -> None:
        row = int(np.argmax(rows))
        warn_caller(
            f"{name}: {fault} in {np.count_nonzero(rows)} of {len(rows)} judgments (first: line {columns.line[row]}, "
            f"topic {columns.topics[columns.topic[row]]!r}, article {columns.articles[columns.article[row]]!r}, "
            + detail.format(*(values[row] for values in (columns.relevant_size, relevant, columns.length, n_empty)))
            + ")"
        )

    relevant = columns.relevant_characters()
    n_empty = np.bincount(columns.empty, minlength=len(relevant))
    differ = columns.relevant_size != relevant
    if differ.any():
        warn_of(differ, "relevant_size is not the size of the highlights", "relevant_size {0}, highlighted {1}")
    if n_empty.any():
        count = len(columns.empty)
        fault = f"{count} highlights of length 0, which are left out as by the official tool,"
        warn_of(n_empty > 0, fault, "of them {3}")
    beyond = columns.bep > columns.length
    np.logical_or.at(beyond, columns.row, columns.end > columns.length[columns.row])
    if beyond.any():
        warn_of(beyond, "a highlight or best entry point lies beyond the article's length", "length {2}")


def _read_whole_column(qrels: pd.DataFrame, column: str, least: int) -> Ints:
    values = qrels[column].to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = ~(values >= least) | (values != np.floor(values))
    if wrong.any():
        bad = qrels.iloc[int(np.argmax(wrong))]
        raise ValueError(
            f"column {column!r}, topic {bad['qid']!r}, article {bad['docno']!r}: {bad[column]} is not a whole number "
            f"of {least} or more"
        )
    return qrels[column].to_numpy(dtype=np.int64)


def _warn_of_labels(qrels: pd.DataFrame, relevant: NDArray[np.bool_]) -> None:
    lost = qrels["label"].to_numpy(dtype=np.float64) != relevant
    if lost.any():
        example = qrels.iloc[int(np.argmax(lost))]
        warn_caller(
            f"INEX qrels hold no labels: {np.count_nonzero(lost)} will be read as 1 (with highlights) or 0 (first: "
            f"topic {example['qid']!r}, article {example['docno']!r}, label {example['label']})"
        )
