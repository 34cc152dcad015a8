"""TREC Genomics 2006 and 2007: runs and gold standard of passages by offset, with the aspects that they cover.

A run has `topic pmid rank [score] offset length [tag]`, the gold standard `topic TAB pmid TAB offset TAB length TAB
aspects`, with the aspects joined by "|". Offsets count from 0 in what the track counted in, bytes of its HTML files.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa

from ...errors import warn_caller
from ...reading.fields import coded_numbers, name_codes, read_fields
from ...reading.files import Source, read_bytes, source_name
from ...reading.lines import BadLine, Faults, field_lines, whole
from ...reading.run_columns import FolColumns, FolColumnsBuilder, fol_frame, make_list_column
from ..lines import code_names, group_judged, lines_in_order, make_judged_frame, names_in_order

_WHOLE = re.compile(rb"[+-]?[0-9]+")
_OFFICIAL_BLANKS = " \t\r\n\v\f"
_RUN = "a Genomics run has topic pmid rank [score] offset length [tag]"


def parse_genomics_run(source: Source, faults: Faults) -> FolColumns:
    """Read a Genomics run; bad lines go to *faults*."""
    data = read_bytes(source)
    scored = _is_scored(data)
    columns = _read_whole_file(data, scored)
    # If something is out of the ordinary: line by line, which says what
    columns = _read_line_by_line(data, faults, scored) if columns is None else columns
    by_name = names_in_order(columns.articles)[columns.article] if len(columns.article) else columns.article
    return lines_in_order(columns, by_name, columns.start, columns.end)


def read_genomics_run(source: Source, *, errors: str = "raise") -> pd.DataFrame:
    r"""Read a Genomics run as a run frame: docno is the PMID, passages are scored by their place in the ranking.

    The ranking is by rank, then PMID (as text), offset and length, as in the official program; scores are whole numbers
    that fall along it. Most of the first lines tell whether lines have a score.

    Example:
        >>> import io
        >>> run = read_genomics_run(io.BytesIO(b"200 12345 1 0.9 10 50 mine\n"))
        >>> run["docno"].iloc[0], run["passages"].iloc[0][0]["start"], run["passages"].iloc[0][0]["end"]
        ('12345', 10, 60)
    """
    faults = Faults(source_name(source), errors)
    columns = parse_genomics_run(source, faults)
    bad = columns.start < 0
    for line in columns.line[bad].tolist():
        faults.add(BadLine("a negative offset", "offsets count from 0"), line, "")
    faults.report()
    return fol_frame(columns.take_lines(np.flatnonzero(~bad)) if bad.any() else columns)


def _tell_encoding(data: bytes) -> str:
    """UTF-8, or, as in the track's own file of 2007, Latin-1."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def read_genomics_gold(source: Source, *, errors: str = "raise") -> pd.DataFrame:
    r"""Read the Genomics gold standard as a qrels frame with a column `aspects`: beside each highlight their names.

    docno is the PMID; highlights keep the order of the file, which decides with which of them a passage is matched.

    Args:
        source: The file; if it is not UTF-8, it is read as Latin-1.

    Returns:
        A qrels frame. Lines with fewer than five fields, which the official program leaves out, are counted in a
        warning.
    """
    data = read_bytes(source)
    faults = Faults(source_name(source), errors)
    spans: list[tuple[int, int]] = []
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
            if start < 0 or length < 1:
                what = "a passage without characters or before the text"
                raise BadLine(what, "give an offset from 0 and a length from 1")
        except BadLine as bad:
            faults.add(bad, number, line)
            continue
        spans.append((start, start + length))
        topic_names.append(str(topic))
        pmid_names.append(fields[1])
        aspects.append(fields[4])
    faults.report()
    if short:
        warn_caller(f"{source_name(source)}: {short} lines with fewer than five fields are left out")
    starts, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T.copy()
    topic_code, topics = code_names(topic_names)
    pmid_code, pmids = code_names(pmid_names)
    groups = group_judged(topic_code, pmid_code, len(pmids))
    qids = [topics[code] for code in topic_code[groups.head].tolist()]
    docnos = [pmids[code] for code in pmid_code[groups.head].tolist()]
    frame = make_judged_frame(groups, qids, docnos, starts, ends)
    # An empty field is one aspect without a name.
    names_of = {field: [name.strip(_OFFICIAL_BLANKS) for name in field.split("|")] for field in set(aspects)}
    names = pa.array([names_of[aspects[passage]] for passage in groups.order.tolist()], type=pa.list_(pa.string()))
    frame.insert(4, "aspects", pd.Series(make_list_column(names, groups.row, len(groups.head))))
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
