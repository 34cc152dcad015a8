"""MediaEval's and TRECVID's search and hyperlinking tasks: judged and ranked segments of video, in seconds.

Judgments have `query Q0 video start end relevance`, runs `query Q0 video start end [jumpin] rank score [tag]`; only
search runs have a jump-in point. Times are MM.SS: 15.2 is 15 minutes and 2 seconds, as in sh_eval, the track's program.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from ...frames.columns import span_column
from ...frames.spans import Ints
from ..inex.fol import FolColumns, fol_frame
from ..reading.fields import coded_numbers, name_codes, read_fields
from ..reading.files import Source, read_bytes, source_name
from ..reading.lines import BadLine, Faults, field_lines, whole
from ..reading.run_columns import FolColumnsBuilder
from .campaign_formats import SEGMENTS
from .campaign_lines import first_starts, group_judged, lines_in_order, refuse_collection

if TYPE_CHECKING:
    from pyarrow import Array

    from ...frames.articles import ArticleCollection

_TIME = re.compile(r"(?P<minutes>[0-9]+).(?P<seconds>[0-9]+)")
# Ten weeks. Some values have one entry for each 5 minutes of a video, so that one line could take all memory.
_MAX_MINUTES = 100_000
_RUN = {
    "linking": "query Q0 video start end rank score [tag]",
    "search": "query Q0 video start end jumpin rank score [tag]",
}
# The position of the rank among the fields, from 0.
_RANK_FIELD = {"linking": 5, "search": 6}
_NO_COLLECTION = "spans are seconds of video"


class HyperlinkingQrels(NamedTuple):
    """Judged segments as columns, one entry per line; times in seconds.

    Queries and videos are positions; lines count from 1.
    """

    queries: list[str]
    query: Ints
    videos: list[str]
    video: Ints
    start: Ints
    end: Ints
    relevance: Ints
    line: Ints


def seconds(time: str) -> int:
    """Read MM.SS as sh_eval does: digits, any one character, digits; 0 if the text does not begin so.

    Raises BadLine for a time that no video reaches.
    """
    match = _TIME.match(time)
    if match is None:
        return 0
    if max(map(len, match.groups())) <= 16:
        total = int(match["minutes"]) * 60 + int(match["seconds"])
        if total <= 60 * _MAX_MINUTES:
            return total
    raise BadLine(
        f"a time beyond {_MAX_MINUTES:,} minutes", f"{match[0]:.40} is no place in a video; times are MM.SS, as 15.02"
    )


def read_hyperlinking_run_columns(source: Source, kind: str = "auto", *, errors: str = "raise") -> FolColumns:
    """Read a run as numpy columns in the order of query and rank; lines of equal rank keep the file's order.

    *kind*: 'linking', 'search' (which has a jump-in point) or 'auto', told from the first line. A segment may end
    before it starts, as 15.40 15.5 does. *errors*: 'raise' a FormatError at the first bad line, or 'skip' bad lines.
    """
    faults = Faults(source_name(source), errors)
    columns = parse_hyperlinking_run(source, faults, kind)
    faults.report()
    return columns


def read_hyperlinking_run(
    source: Source, collection: ArticleCollection | None = None, *, errors: str = "raise"
) -> pd.DataFrame:
    r"""Read a run as a run frame: docno is the video, spans are seconds.

    The ranking is by rank, equal ones in the order of the file; scores are whole numbers that fall along it.

    Args:
        source: The file.
        collection: None; spans are times in videos.
        errors: 'raise' a FormatError at the first bad line, or 'skip' bad lines and warn how many and why.

    Returns:
        A run frame.

    Raises:
        FormatError: A bad line, unless these are skipped.
        ValueError: A *collection* is given.

    Example:
        >>> import io
        >>> run = read_hyperlinking_run(io.BytesIO(b"anchor_1 Q0 v1 1.05 1.35 1 0.9 mine\n"))
        >>> run["docno"].iloc[0], run["passages"].iloc[0][0]["start"], run["passages"].iloc[0][0]["end"]
        ('v1', 65, 95)
    """
    refuse_collection(collection, _NO_COLLECTION)
    faults = Faults(source_name(source), errors)
    columns = parse_hyperlinking_run(source, faults)
    bad = columns.end < columns.start
    for line in columns.line[bad].tolist():
        faults.add(_report_backwards(), line, "")
    faults.report()
    return fol_frame(columns.take_lines(np.flatnonzero(~bad)) if bad.any() else columns)


def read_hyperlinking_qrels_columns(source: Source, *, errors: str = "raise") -> HyperlinkingQrels:
    """Read judged segments as numpy columns, in the order of the file. Parameters as in `read_hyperlinking_qrels`."""
    faults = Faults(source_name(source), errors)
    qrels = _parse_qrels(read_bytes(source), faults)
    faults.report()
    return qrels


def read_hyperlinking_qrels(
    source: Source, collection: ArticleCollection | None = None, *, errors: str = "raise"
) -> pd.DataFrame:
    """Read judged segments as a qrels frame: docno is the video, highlights are its relevant segments in seconds.

    Args:
        source: The file.
        collection: None; spans are times in videos.
        errors: 'raise' a FormatError at the first bad line, or 'skip' bad lines and warn how many and why.

    Returns:
        A qrels frame. A column `not_relevant` holds what was judged and found not relevant; label is the highest
        relevance in the video, 0 if none is above.

    Raises:
        FormatError: A bad line, unless these are skipped.
        ValueError: A *collection* is given.
    """
    refuse_collection(collection, _NO_COLLECTION)
    faults = Faults(source_name(source), errors)
    qrels = _parse_qrels(read_bytes(source), faults)
    keep = np.flatnonzero(qrels.end > qrels.start)
    for line in np.delete(qrels.line, keep).tolist():
        faults.add(_report_backwards(), line, "")
    faults.report()
    return _make_qrels_frame(qrels, keep)


def _report_backwards() -> BadLine:
    return BadLine("a segment that does not end after its start", "times are MM.SS: write 15.20, as 15.2 is 15:02")


def _make_qrels_frame(qrels: HyperlinkingQrels, keep: Ints) -> pd.DataFrame:
    groups = group_judged(qrels.query[keep], qrels.video[keep], len(qrels.videos))
    row = groups.row
    order = keep[groups.order]
    head = keep[groups.head]
    n_rows = len(head)
    relevant = qrels.relevance[order] > 0
    label = np.zeros(n_rows, dtype=np.int64)
    np.maximum.at(label, row, qrels.relevance[order])
    start = qrels.start[order]
    end = qrels.end[order]
    bep = np.full(n_rows, -1, dtype=np.int64)
    bep[np.unique(row[relevant])] = first_starts(row[relevant], start[relevant])
    return pd.DataFrame(
        {
            "qid": pd.Series([qrels.queries[code] for code in qrels.query[head].tolist()], dtype=object),
            "docno": pd.Series([qrels.videos[code] for code in qrels.video[head].tolist()], dtype=object),
            "label": label,
            "highlights": span_column(row[relevant], n_rows, start[relevant], end[relevant]),
            "not_relevant": span_column(row[~relevant], n_rows, start[~relevant], end[~relevant]),
            "bep": bep,
            "length": np.full(n_rows, -1, dtype=np.int64),
        }
    )


def _read_times(column: Array) -> Ints | None:
    """Read a column of texts as times; None if one is beyond any video."""
    codes, names = name_codes(column)
    try:
        return np.array([seconds(name) for name in names], dtype=np.int64)[codes]
    except BadLine:
        return None


def parse_hyperlinking_run(source: Source, faults: Faults, kind: str = "auto") -> FolColumns:
    """Read a run of a *kind*; bad lines go to *faults*."""
    data = read_bytes(source)
    if kind == "auto":
        kind = tell_kind(data)
    columns = _read_whole_run(data, kind)
    columns = _read_run_lines(data, kind, faults) if columns is None else columns
    return lines_in_order(columns)


def tell_kind(data: bytes) -> str:
    """Tell 'search' from 'linking' by the first line: search has a time, the jump-in point, before the rank."""
    fields = data.split(b"\n", 1)[0].split()
    whole_rank = len(fields) > 5 and re.fullmatch(rb"[+-]?[0-9]+", fields[5])
    if len(fields) > 8:
        return "search"
    return "linking" if whole_rank or len(fields) < 8 else "search"


def _read_whole_run(data: bytes, kind: str) -> FolColumns | None:
    """Read a well-formed file at once; None if any line is not."""
    rank_field = _RANK_FIELD[kind]
    width = len(data.split(b"\n", 1)[0].split())
    names = [f"field {number}" for number in range(width)]
    if width < rank_field + 2:
        return None
    fields = read_fields(data, names, {*names} - {names[rank_field + 1]})
    rank = None if fields is None else coded_numbers(fields[names[rank_field]])
    if fields is None or rank is None:
        return None
    query, queries = name_codes(fields[names[0]])
    video, videos = name_codes(fields[names[2]])
    start = _read_times(fields[names[3]])
    end = _read_times(fields[names[4]])
    if start is None or end is None:
        return None
    tag = fields[names[rank_field + 2]][-1].as_py() if width > rank_field + 2 else ""
    line = np.arange(1, len(rank) + 1)
    return FolColumns(queries, query, videos, video, start, end, line, tag, rank, None)


def _read_run_lines(data: bytes, kind: str, faults: Faults) -> FolColumns:
    rank_field = _RANK_FIELD[kind]
    width = rank_field + 2
    builder = FolColumnsBuilder()
    tag = ""
    for number, text, fields in field_lines(data, faults):
        try:
            if len(fields) < width:
                raise BadLine(f"{len(fields)} fields instead of {width} or more", f"a {kind} run has {_RUN[kind]}")
            rank = whole(fields[rank_field], f"field {rank_field + 1} (rank)")
            start = seconds(fields[3])
            end = seconds(fields[4])
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        builder.add(fields[0], fields[2], start, end, number, rank)
        tag = fields[width] if len(fields) > width else tag
    return builder.columns(tag)._replace(score=None)


def _parse_qrels(data: bytes, faults: Faults) -> HyperlinkingQrels:
    fields = read_fields(data, SEGMENTS.split(), SEGMENTS.split())
    if fields is None:
        return _read_qrels_lines(data, faults)
    relevance = coded_numbers(fields["relevance"])
    start = _read_times(fields["start"])
    end = _read_times(fields["end"])
    if relevance is None or start is None or end is None:
        return _read_qrels_lines(data, faults)
    query, queries = name_codes(fields["query"])
    video, videos = name_codes(fields["video"])
    line = np.arange(1, len(relevance) + 1)
    return HyperlinkingQrels(queries, query, videos, video, start, end, relevance, line)


def _read_qrels_lines(data: bytes, faults: Faults) -> HyperlinkingQrels:
    queries: dict[str, int] = {}
    videos: dict[str, int] = {}
    rows: list[tuple[int, ...]] = []
    for number, text, fields in field_lines(data, faults):
        try:
            if len(fields) < 6:
                raise BadLine(f"{len(fields)} fields instead of 6", f"judged segments have {SEGMENTS}")
            relevance = whole(fields[5], "field 6 (relevance)")
            start = seconds(fields[3])
            end = seconds(fields[4])
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        query = queries.setdefault(fields[0], len(queries))
        video = videos.setdefault(fields[2], len(videos))
        rows.append((query, video, start, end, relevance, number))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 6).T.copy()
    return HyperlinkingQrels(list(queries), columns[0], list(videos), *columns[1:])
