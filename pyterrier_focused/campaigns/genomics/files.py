"""TREC Genomics 2006 and 2007: runs and gold standard of passages by offset, with the aspects that they cover.

A run has `topic pmid rank [score] offset length [tag]`, the gold standard `topic TAB pmid TAB offset TAB length TAB
aspects`, with the aspects joined by "|". Offsets count from 0 in what the track counted in, bytes of its HTML files.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from ...errors import warn_caller
from ...frames.articles import ArticleCollection
from ...frames.spans import Ints
from ...io.reading.fields import coded_numbers, name_codes, read_fields
from ...io.reading.files import Source, read_bytes, source_name
from ...io.reading.lines import BadLine, Faults, field_lines, whole
from ...io.reading.run_columns import FolColumns, FolColumnsBuilder, fol_frame, make_list_column
from ..lines import (
    code_names,
    group_judged,
    lines_in_order,
    make_judged_frame,
    names_in_order,
    refuse_collection,
)

_WHOLE = re.compile(rb"[+-]?[0-9]+")
_OFFICIAL_BLANKS = " \t\r\n\v\f"
_RUN = "a Genomics run has topic pmid rank [score] offset length [tag]"
_NO_COLLECTION = "Genomics offsets count bytes of the track's own HTML files"


class GenomicsGold(NamedTuple):
    """The gold standard as columns, one entry per passage, in the order of the file. Spans are half-open.

    `topic` and `pmid` are positions in `topics` and `pmids`, lines count from 1, the names of `aspects` have | between
    them, as `aspect_names` reads them, and `short` counts the lines with fewer than five fields, which the official
    program leaves out.
    """

    topics: list[str]
    topic: Ints
    pmids: list[str]
    pmid: Ints
    start: Ints
    end: Ints
    line: Ints
    aspects: list[str]
    short: int


def read_genomics_run_columns(source: Source, *, errors: str = "raise") -> FolColumns:
    """Read a Genomics run as numpy columns in the order of the ranking: topic, rank, pmid (as text), offset, length.

    Passages without characters and negative offsets are read, as by the official program. Parameters as in
    `read_genomics_run`.
    """
    faults = Faults(source_name(source), errors)
    columns = parse_genomics_run(source, faults)
    faults.report()
    return columns


def parse_genomics_run(source: Source, faults: Faults) -> FolColumns:
    """Read a Genomics run; bad lines go to *faults*."""
    data = read_bytes(source)
    scored = _is_scored(data)
    columns = _read_whole_file(data, scored)
    # If something is out of the ordinary: line by line, which says what
    columns = _read_line_by_line(data, faults, scored) if columns is None else columns
    by_name = names_in_order(columns.articles)[columns.article] if len(columns.article) else columns.article
    return lines_in_order(columns, by_name, columns.start, columns.end)


def read_genomics_run(
    source: Source, collection: ArticleCollection | None = None, *, errors: str = "raise"
) -> pd.DataFrame:
    r"""Read a Genomics run as a run frame: docno is the PMID, passages are scored by their place in the ranking.

    The ranking is by rank, then PMID (as text), offset and length, as in the official program; scores are whole numbers
    that fall along it. Most of the first lines tell whether lines have a score.

    Example:
        >>> import io
        >>> run = read_genomics_run(io.BytesIO(b"200 12345 1 0.9 10 50 mine\n"))
        >>> run["docno"].iloc[0], run["passages"].iloc[0][0]["start"], run["passages"].iloc[0][0]["end"]
        ('12345', 10, 60)
    """
    refuse_collection(collection, _NO_COLLECTION)
    faults = Faults(source_name(source), errors)
    columns = parse_genomics_run(source, faults)
    bad = columns.start < 0
    for line in columns.line[bad].tolist():
        faults.add(BadLine("a negative offset", "offsets count from 0"), line, "")
    faults.report()
    return fol_frame(columns.take_lines(np.flatnonzero(~bad)) if bad.any() else columns)


def read_genomics_gold_columns(source: Source, *, errors: str = "raise") -> GenomicsGold:
    """Read the Genomics gold standard as columns. Parameters as in `read_genomics_gold`."""
    faults = Faults(source_name(source), errors)
    gold = parse_genomics_gold(read_bytes(source), faults)
    faults.report()
    return gold


def parse_genomics_gold(data: bytes, faults: Faults) -> GenomicsGold:
    """Read the bytes of a Genomics gold standard; bad lines go to *faults*."""
    rows: list[tuple[int, int, int]] = []
    topic_names: list[str] = []
    pmid_names: list[str] = []
    aspects: list[str] = []
    short = 0
    for number, line in enumerate(data.decode(_tell_encoding(data)).split("\n"), start=1):
        fields = [field.strip(_OFFICIAL_BLANKS) for field in line.split("\t")]
        if len(fields) < 5:
            short += bool(line.strip())
            continue
        try:
            topic = whole(fields[0], "field 1 (topic)")
            start = whole(fields[2], "field 3 (offset)")
            length = whole(fields[3], "field 4 (length)")
            if length < 0:
                raise BadLine("a negative length", "lengths count from 0")
        except BadLine as bad:
            faults.add(bad, number, line)
            continue
        rows.append((start, start + length, number))
        topic_names.append(str(topic))
        pmid_names.append(fields[1])
        aspects.append(fields[4])
    starts, ends, line_numbers = np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy()
    topic_code, topics = code_names(topic_names)
    pmid_code, pmids = code_names(pmid_names)
    return GenomicsGold(topics, topic_code, pmids, pmid_code, starts, ends, line_numbers, aspects, short)


def aspect_names(field: str) -> list[str]:
    """Split the aspects of a passage; an empty field is one aspect without a name."""
    return [name.strip(_OFFICIAL_BLANKS) for name in field.split("|")]


def _tell_encoding(data: bytes) -> str:
    """UTF-8, or, as in the track's own file of 2007, Latin-1."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def read_genomics_gold(
    source: Source, collection: ArticleCollection | None = None, *, errors: str = "raise"
) -> pd.DataFrame:
    r"""Read the Genomics gold standard as a qrels frame with a column `aspects`: beside each highlight their names.

    docno is the PMID; highlights keep the order of the file, which decides with which of them a passage is matched.

    Args:
        source: The file; if it is not UTF-8, it is read as Latin-1.

    Returns:
        A qrels frame. Lines with fewer than five fields, which the official program leaves out, are counted in a
        warning.
    """
    refuse_collection(collection, _NO_COLLECTION)
    faults = Faults(source_name(source), errors)
    gold = parse_genomics_gold(read_bytes(source), faults)
    keep = np.flatnonzero((gold.start >= 0) & (gold.end > gold.start))
    for line in np.delete(gold.line, keep).tolist():
        faults.add(
            BadLine("a passage without characters or before the text", "give an offset from 0 and a length from 1"),
            line,
            "",
        )
    faults.report()
    if gold.short:
        warn_caller(f"{source_name(source)}: {gold.short} lines with fewer than five fields are left out")
    return _make_qrels_frame(gold, keep)


def _make_qrels_frame(gold: GenomicsGold, keep: Ints) -> pd.DataFrame:
    groups = group_judged(gold.topic[keep], gold.pmid[keep], len(gold.pmids))
    head = keep[groups.head]
    qids = [gold.topics[code] for code in gold.topic[head].tolist()]
    docnos = [gold.pmids[code] for code in gold.pmid[head].tolist()]
    frame = make_judged_frame(groups, qids, docnos, gold.start[keep], gold.end[keep])
    names = [aspect_names(gold.aspects[passage]) for passage in keep[groups.order].tolist()]
    lists = make_list_column(pa.array(names, type=pa.list_(pa.string())), groups.row, len(head))
    frame.insert(4, "aspects", pd.Series(lists))
    return frame


def _is_scored(data: bytes) -> bool:
    """Tell whether the lines of a run have a score: most of the first ones decide."""
    votes = 0
    for fields in map(bytes.split, data[: 1 << 14].split(b"\n")[:50]):
        if len(fields) < 5:
            continue
        offsets = _WHOLE.fullmatch(fields[3]) and _WHOLE.fullmatch(fields[4])
        lengths = len(fields) > 5 and _WHOLE.fullmatch(fields[4]) and _WHOLE.fullmatch(fields[5])
        votes += 1 if lengths and (len(fields) > 6 or not offsets) else -bool(offsets)
    return votes > 0


def _read_whole_file(data: bytes, scored: bool) -> FolColumns | None:
    """Read a well-formed file at once; None if any line is not."""
    width = len(data.split(b"\n", 1)[0].split())
    names = [f"field {position}" for position in range(width)]
    coded = [name for position, name in enumerate(names) if not (scored and position == 3)]
    fields = read_fields(data, names, coded) if width >= 5 + scored else None
    if fields is None:
        return None
    topic, rank, offset, length = (coded_numbers(fields[names[i]]) for i in (0, 2, 3 + scored, 4 + scored))
    if topic is None or rank is None or offset is None or length is None:
        return None
    if max(int(offset.max(initial=0)), int(length.max(initial=0))) >= 2**62:
        return None
    numbers, code = np.unique(topic, return_inverse=True)
    pmid, pmids = name_codes(fields[names[1]])
    return FolColumns(
        topics=[str(number) for number in numbers.tolist()],
        topic=code.reshape(-1),
        articles=pmids,
        article=pmid,
        start=offset,
        end=offset + length,
        line=np.arange(1, len(topic) + 1),
        tag=fields[names[5 + scored]][-1].as_py() if width > 5 + scored else "",
        rank=rank,
        score=None,
    )


def _read_line_by_line(data: bytes, faults: Faults, scored: bool) -> FolColumns:
    builder = FolColumnsBuilder()
    tag = ""
    for number, text, fields in field_lines(data, faults):
        try:
            if len(fields) < 5 + scored:
                raise BadLine(f"{len(fields)} fields instead of {5 + scored} or more", _RUN)
            topic = whole(fields[0], "field 1 (topic)")
            rank = whole(fields[2], "field 3 (rank)")
            start = whole(fields[3 + scored], f"field {4 + scored} (offset)")
            length = whole(fields[4 + scored], f"field {5 + scored} (length)")
            if length < 0:
                raise BadLine(f"field {5 + scored} (length) is negative", "lengths count from 0")
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        builder.add(str(topic), fields[1], start, start + length, number, rank)
        tag = fields[5 + scored] if len(fields) > 5 + scored else tag
    return builder.columns(tag)._replace(score=None)
