"""INEX qrels: one judged article per line, `topic Q0 article relevant_size article_length [bep offset:length ...]`.

Sizes, the best entry point (bep) and the highlights' offsets and lengths count characters of the article's text.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import LossWarning, warn_caller
from ...frames.articles import ArticleCollection
from ...frames.checks import check_qrels
from ...frames.columns import flatten, span_column
from ...frames.spans import Ints, Spans, ranges, union_sizes
from ...reading.files import Source, source_name, write_bytes
from ...reading.lines import BadLine, Faults, Lines, field_text
from .offset_units import in_characters

QRELS_FIELDS = "topic Q0 article relevant_size article_length [bep offset:length ...]"

_NOT_HELD = ("alternatives", "aspects", "facts", "fact_weights", "cover")


def read_inex_qrels(
    source: Source, collection: ArticleCollection | None = None, *, unit: str = "auto", errors: str = "raise"
) -> pd.DataFrame:
    """Read INEX qrels as a qrels frame, with the file's `relevant_size` as one more column.

    label is 1 if anything is relevant (relevant_size above 0, or a highlight). Highlights of length 0 are left out.
    A warning says how often, and in which line first, as it does if relevant_size is not the size of the highlights'
    union, or if a highlight or best entry point lies beyond the article's length.
    """
    faults = Faults(source_name(source), errors)
    lines = Lines(source, faults)
    lines.expect(5, sys.maxsize, f"INEX qrels have {QRELS_FIELDS}")
    size = lines.whole(3, "field 4 (relevant_size)")
    length = lines.whole(4, "field 5 (length)")
    bep = np.where(lines.count > 5, lines.whole(5, "field 6 (bep)", default=lines.count <= 5), -1)
    negative = (size < 0) | (length < 0) | (bep < -1)
    lines.refuse(negative, "a negative number", "sizes count characters; a missing best entry point is -1")
    highlights = _read_highlights(lines)
    lines.refuse_repeated((0, 2), "an article judged twice for its topic")
    good = lines.find_good()
    faults.report()
    judged = pd.DataFrame({"qid": lines.names(0, good), "docno": lines.names(2, good)})
    judged = judged.assign(length=length[good], bep=bep[good], relevant_size=size[good], line=lines.number[good])
    of_good = good[highlights.row]
    row = (np.cumsum(good) - 1)[highlights.row][of_good]
    spans = Spans(row, highlights.start[of_good], highlights.end[of_good], None)
    return in_characters(make_inex_qrels(judged, spans, faults.file), collection, "highlights", unit)


def _read_highlights(lines: Lines) -> Spans:
    """Read the fields from each line's seventh on, offset:length, as spans."""
    width = np.maximum(lines.count - 6, 0)
    row = np.repeat(np.arange(len(width)), width)
    texts = lines.values.take(pa.array(ranges(lines.first + 6, width)))
    is_good = _tell_highlights(texts, r"^[0-9]+:[0-9]+$")
    numbers = np.zeros((len(texts), 2), dtype=np.int64)
    is_held = is_good & _tell_highlights(texts, r"^0*[0-9]{1,18}:0*[0-9]{1,18}$")
    if is_held.any():
        halves = pc.split_pattern(texts.filter(pa.array(is_held)), ":").flatten()
        numbers[is_held] = halves.cast(pa.int64()).to_numpy().reshape(-1, 2)
    for highlight in np.flatnonzero(is_good & ~is_held).tolist():
        text = texts[highlight].as_py()
        start, size = map(int, text.split(":")) if len(text) <= 60 else (2**63, 0)
        if start + size < 2**63:
            numbers[highlight] = start, size
            is_held[highlight] = True
    bad = np.flatnonzero(~is_held)
    # The first one of each line
    for highlight in bad[np.unique(row[bad], return_index=True)[1]].tolist():
        line = int(row[highlight])
        field = f"field {highlight - np.searchsorted(row, line) + 7}"
        if is_good[highlight]:
            lines.note(line, BadLine(f"{field} ends beyond 64 bits", "check the line"))
        else:
            advice = "write highlights as offset:length, in digits only"
            lines.note(line, BadLine(f"{field} is not a highlight", advice))
    return Spans(row, numbers[:, 0], numbers.sum(axis=1), None)


def _tell_highlights(texts: pa.Array, pattern: str) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return found


def make_inex_qrels(judged: pd.DataFrame, spans: Spans, file: str) -> pd.DataFrame:
    """Make a qrels frame of judgments (`qid, docno, length, bep, relevant_size, line`) and the spans of their rows.

    Spans without characters are left out; warnings say what does not agree in the *file*.
    """
    empty = spans.start == spans.end
    marks = Spans(spans.row[~empty], spans.start[~empty], spans.end[~empty], None)
    _warn_of_sizes(judged, marks, np.bincount(spans.row[empty], minlength=len(judged)), file)
    relevant = judged["relevant_size"].to_numpy() > 0
    relevant[marks.row] = True
    return pd.DataFrame(
        {
            "qid": judged["qid"].to_numpy(dtype=object),
            "docno": judged["docno"].to_numpy(dtype=object),
            "label": relevant.astype(np.int64),
            "highlights": span_column(marks.row, len(judged), marks.start, marks.end),
            "bep": judged["bep"],
            "length": judged["length"],
            "relevant_size": judged["relevant_size"],
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


def _warn_of_sizes(judged: pd.DataFrame, marks: Spans, n_empty: Ints, file: str) -> None:
    """Warn of sizes that are not the highlights', of empty highlights, and of those beyond their article's length."""
    relevant = union_sizes(marks.row, marks.start, marks.end, len(judged))
    size, length = (judged[name].to_numpy() for name in ("relevant_size", "length"))
    beyond = judged["bep"].to_numpy() > length
    np.logical_or.at(beyond, marks.row, marks.end > length[marks.row])
    empty = f"{n_empty.sum()} highlights of length 0, which are left out as by the official tool,"
    checks = (
        (size != relevant, "relevant_size is not the size of the highlights", "relevant_size {0}, highlighted {1}"),
        (n_empty > 0, empty, "of them {3}"),
        (beyond, "a highlight or best entry point lies beyond the article's length", "length {2}"),
    )
    for rows, fault, detail in checks:
        if rows.any():
            first = judged.iloc[int(np.argmax(rows))]
            values = (column[int(np.argmax(rows))] for column in (size, relevant, length, n_empty))
            warn_caller(
                f"{file}: {fault} in {np.count_nonzero(rows)} of {len(rows)} judgments (first: line {first['line']}, "
                f"topic {first['qid']!r}, article {first['docno']!r}, {detail.format(*values)})"
            )


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
