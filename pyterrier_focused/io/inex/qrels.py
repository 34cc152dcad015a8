"""INEX qrels: one judged article per line, `topic Q0 article relevant_size article_length [bep offset:length ...]`.

Sizes, the best entry point (bep) and the highlights' offsets and lengths count characters of the article's text.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...frames.checks import check_qrels
from ...frames.columns import flatten, span_column
from ...frames.spans import Ints, ranges, union_sizes
from ...libraries import pd
from ..reading.fields import as_numpy, first_codes, matches, name_codes, read_lines, split_in_two, take, whole_numbers
from ..reading.files import Source, read_bytes, source_name, write_bytes
from ..reading.lines import BadLine, Faults, field_lines, field_text, whole
from .inex_formats import QRELS_FIELDS
from .offset_units import in_characters

if TYPE_CHECKING:
    from ...frames.articles import ArticleCollection

_HIGHLIGHT = re.compile(r"([0-9]+):([0-9]+)")


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


def read_inex_qrels_columns(source: Source, *, errors: str = "raise") -> InexQrelsColumns:
    """Read INEX qrels as numpy columns, without cells and without pandas. Parameters as in `read_inex_qrels`."""
    faults = Faults(source_name(source), errors)
    columns = parse_inex_qrels(read_bytes(source), faults)
    faults.report()
    return columns


def parse_inex_qrels(data: bytes, faults: Faults) -> InexQrelsColumns:
    """Read the bytes of INEX qrels; bad lines go to *faults*."""
    columns = _whole_file(data)
    # if something is out of the ordinary: line by line, which says what
    return _line_by_line(data, faults) if columns is None else columns


def read_inex_qrels(
    source: Source, collection: ArticleCollection | None = None, *, unit: str = "auto", errors: str = "raise"
) -> pd.DataFrame:
    """Read INEX qrels as a qrels frame, with the file's `relevant_size` as one more column.

    label is 1 if anything is relevant (relevant_size above 0, or a highlight). Highlights of length 0 are left out.
    A warning says how often and where first, as it does where relevant_size is not the size of the highlights' union,
    and where a highlight or best entry point lies beyond the article's length. *errors*: 'raise' a FormatError
    at the first bad line, or 'skip' bad lines and warn how many and why. *collection* and *unit* ('auto', 'characters'
    or 'bytes'): see `offset_units.in_characters`.
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
    warning counts those that are not what a reader will make of the line (1 with anything relevant, else 0).
    """
    check_qrels(qrels)
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
    for at, first, last in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
        marks[at].append(f" {first}:{last - first}")
    _warn_of_labels(qrels, (size > 0) | np.array([bool(mark) for mark in marks], dtype=bool))
    lines = []
    for at, (qid, docno, relevant, characters, entry) in enumerate(
        zip(qrels["qid"].tolist(), qrels["docno"].tolist(), size.tolist(), length.tolist(), bep.tolist(), strict=True)
    ):
        head = f"{field_text(qid, 'qid')} Q0 {field_text(docno, 'docno')} {relevant} {characters}"
        tail = f" {entry}" + "".join(marks[at]) if marks[at] or entry >= 0 else ""
        lines.append(f"{head}{tail}\n")
    write_bytes(target, "".join(lines).encode())


def _whole_file(data: bytes) -> InexQrelsColumns | None:
    """Read a well-formed file at once; None if any line is not."""
    lines = read_lines(data)
    if lines is None:
        return None
    first = as_numpy(lines.offsets)[:-1].astype(np.int64)
    count = as_numpy(lines.value_lengths())
    if count.min() < 5:
        return None
    fields = lines.flatten()

    def column(number: int) -> Any:
        return take(fields, first[count > number] + number)

    topic, topics = name_codes(column(0))
    article, articles = name_codes(column(2))
    if len(first_codes(topic * len(articles) + article)[1]) < len(topic):
        # An article is judged twice.
        return None
    marked = count > 5
    has_entry = marked.copy()
    has_entry[marked] = ~matches(column(5), r"\A-1\z")
    size, length, entry = (whole_numbers(texts) for texts in (column(3), column(4), take(fields, first[has_entry] + 5)))
    highlights = _read_highlights(fields, first, count)
    if size is None or length is None or entry is None or highlights is None:
        return None
    bep = np.full(len(count), -1, dtype=np.int64)
    bep[has_entry] = entry
    row, offset, width = highlights
    some = width > 0
    return InexQrelsColumns(
        topics=topics,
        topic=topic,
        articles=articles,
        article=article,
        relevant_size=size,
        length=length,
        bep=bep,
        line=np.arange(1, len(count) + 1),
        row=row[some],
        start=offset[some],
        end=(offset + width)[some],
        empty=row[~some],
    )


def _read_highlights(fields: object, first: Ints, count: Ints) -> tuple[Ints, Ints, Ints] | None:
    """Read the fields from each line's seventh on as offset:length: (row, offset, length)."""
    width = np.maximum(count - 6, 0)
    row = np.repeat(np.arange(len(first)), width)
    halves = split_in_two(take(fields, ranges(first + 6, width)), ":")
    if halves is None:
        return None
    offset, length = (whole_numbers(half) for half in halves)
    if offset is None or length is None or np.any(offset > 2**63 - 1 - length):
        return None
    return row, offset, length


def _line_by_line(data: bytes, faults: Faults) -> InexQrelsColumns:
    topics: dict[str, int] = {}
    articles: dict[str, int] = {}
    seen: dict[tuple[str, str], int] = {}
    rows: list[tuple[int, int, int, int, int, int]] = []
    spans: list[tuple[int, int, int]] = []
    empty: list[int] = []
    for number, text, fields in field_lines(data, faults):
        try:
            if len(fields) < 5:
                raise BadLine(f"{len(fields)} fields instead of 5 or more", f"INEX qrels have {QRELS_FIELDS}")
            size = whole(fields[3], "field 4 (relevant_size)")
            length = whole(fields[4], "field 5 (length)")
            bep = whole(fields[5], "field 6 (bep)") if len(fields) > 5 else -1
            if size < 0 or length < 0 or bep < -1:
                raise BadLine("a negative number", "sizes count characters; a missing best entry point is -1")
            marks = [_read_highlight(fields[at], at) for at in range(6, len(fields))]
            if (fields[0], fields[2]) in seen:
                first = seen[fields[0], fields[2]]
                raise BadLine("an article judged twice for its topic", f"keep this line or line {first}")
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        seen[fields[0], fields[2]] = number
        spans += [(len(rows), start, end) for start, end in marks if end > start]
        empty += [len(rows) for start, end in marks if end == start]
        topic = topics.setdefault(fields[0], len(topics))
        rows.append((topic, articles.setdefault(fields[2], len(articles)), size, length, bep, number))
    topic_, article, size_, length_, bep_, line = np.array(rows, dtype=np.int64).reshape(-1, 6).T.copy()
    row, start_, end_ = np.array(spans, dtype=np.int64).reshape(-1, 3).T.copy()
    return InexQrelsColumns(
        list(topics),
        topic_,
        list(articles),
        article,
        size_,
        length_,
        bep_,
        line,
        row,
        start_,
        end_,
        np.array(empty, dtype=np.int64),
    )


def _read_highlight(field: str, position: int) -> tuple[int, int]:
    match = _HIGHLIGHT.fullmatch(field)
    if match is None:
        raise BadLine(f"field {position + 1} is not a highlight", "write highlights as offset:length, in digits only")
    if len(field) > 60 or int(match[1]) + int(match[2]) >= 2**63:
        raise BadLine(f"field {position + 1} ends beyond 64 bits", "check the line")
    return int(match[1]), int(match[1]) + int(match[2])


def _warn_of_sizes(columns: InexQrelsColumns, name: str) -> None:
    def tell(which: NDArray[np.bool_], what: str, detail: str) -> None:
        at = int(np.argmax(which))
        warnings.warn(
            f"{name}: {what} in {np.count_nonzero(which)} of {len(which)} judgments (first: line {columns.line[at]}, "
            f"topic {columns.topics[columns.topic[at]]!r}, article {columns.articles[columns.article[at]]!r}, "
            + detail.format(*(values[at] for values in (columns.relevant_size, relevant, columns.length, n_empty)))
            + ")",
            stacklevel=5,
        )

    relevant = columns.relevant_characters()
    n_empty = np.bincount(columns.empty, minlength=len(relevant))
    differ = columns.relevant_size != relevant
    if differ.any():
        tell(differ, "relevant_size is not the size of the highlights", "relevant_size {0}, highlighted {1}")
    if n_empty.any():
        count = len(columns.empty)
        tell(n_empty > 0, f"{count} highlights of length 0, which are left out as by the official tool,", "of them {3}")
    beyond = columns.bep > columns.length
    np.logical_or.at(beyond, columns.row, columns.end > columns.length[columns.row])
    if beyond.any():
        tell(beyond, "a highlight or best entry point lies beyond the article's length", "length {2}")


def _read_whole_column(qrels: pd.DataFrame, column: str, least: int) -> Ints:
    """Return a column of whole numbers not below *least*."""
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
        first = qrels.iloc[int(np.argmax(lost))]
        warnings.warn(
            f"INEX qrels hold no labels: {np.count_nonzero(lost)} will be read as 1 (with highlights) or 0 (first: "
            f"topic {first['qid']!r}, article {first['docno']!r}, label {first['label']})",
            stacklevel=3,
        )
