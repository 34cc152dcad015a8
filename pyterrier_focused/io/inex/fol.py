"""FOL runs: one retrieved part per line, `topic Q0 article rank score tag offset length`, in the order of the ranking.

Offset and length are in characters of the article's text. The rank and score fields are often wrong in real runs, so
the order of the lines counts; the fields must be numbers all the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import COUNT_ABSENT, LossWarning, check_choice, warn_caller
from ...frames.articles import ArticleCollection
from ...frames.checks import check_run, scores
from ...frames.items import read_passages
from ...frames.packing import topic_codes
from ...frames.ranking_rule import article_order, passage_order, positions
from ...frames.span_attributes import ALONE
from ...frames.spans import Ints
from ...reading.fields import decimals, first_codes, name_codes, read_fields, whole_numbers
from ...reading.files import Source, read_bytes, source_name, write_bytes
from ...reading.lines import BadLine, Faults, decimal, field_lines, field_text, number_text, span, whole
from ...reading.run_columns import FolColumns, FolColumnsBuilder, fol_frame
from .offset_units import MISSING_LENGTH, MISSING_START, in_characters, is_missing
from .paths import NamedPassages

FOL_FIELDS = "topic Q0 article rank score tag offset length"

_MOST = 2**63 - 1


def read_fol_columns(
    source: Source, *, errors: str = "raise", missing: str = "raise", file_fields: bool = False
) -> FolColumns:
    """Read a FOL run as numpy columns. Parameters as in `read_fol`."""
    faults = Faults(source_name(source), errors)
    columns = parse_fol(read_bytes(source), faults, missing=missing, file_fields=file_fields)
    faults.report()
    return columns


def parse_fol(data: bytes, faults: Faults, *, missing: str, file_fields: bool) -> FolColumns:
    """Read the bytes of a FOL run; bad lines go to *faults*."""
    check_choice("missing", missing, ("raise", "official"))
    columns = _read_whole_file(data, file_fields)
    # if something is out of the ordinary: line by line, which says what
    return _read_line_by_line(data, faults, missing, file_fields) if columns is None else columns


def parse_passages(source: Source, faults: Faults) -> NamedPassages:
    """Read a FOL run as `validate` looks at it, with the file's own ranks and scores."""
    columns = parse_fol(read_bytes(source), faults, missing="raise", file_fields=True)
    nameless = [""] * len(columns.topic)
    return NamedPassages(columns, nameless, nameless, {}, {})


def read_fol(
    source: Source,
    collection: ArticleCollection | None = None,
    *,
    unit: str = "auto",
    errors: str = "raise",
    missing: str = "raise",
    file_fields: bool = False,
) -> pd.DataFrame:
    """Read a FOL run as a run frame.

    Scores are whole numbers that fall strictly with each line of a topic, so that the file's order is the ranking of
    passages and articles alike. If ranks and scores agree on another order, a warning says so, unless *file_fields*
    tells. If a topic's lines are apart, the frame's `attrs["divided_topics"]` says in which lines.

    Args:
        missing: How to treat a passage that does not exist (offset and length `X` or -1): 'raise', or 'official' for 18
            characters beyond any text, as the official tool counts it.
    """
    columns = read_fol_columns(source, errors=errors, missing=missing, file_fields=True)
    if not file_fields:
        columns = hide_file_fields(columns, source_name(source))
    return in_characters(fol_frame(columns), collection, "passages", unit)


def hide_file_fields(columns: FolColumns, file: str) -> FolColumns:
    """Leave out the file's own ranks and scores; warn if they agree on another order than that of the lines.

    One of the two fields is often wrong. Both say the same if the lines were sorted by something else afterwards:

        1 Q0 a 1 9.0 t 0 50
        1 Q0 a 3 7.0 t 60 20
        1 Q0 b 2 8.0 t 0 40     rank 2 follows rank 3, and score 8.0 follows 7.0
    """
    if columns.rank is not None and columns.score is not None:
        # The lines of a topic may be apart.
        by_topic = np.argsort(columns.topic, kind="stable")
        topic = columns.topic[by_topic]
        rank = columns.rank[by_topic]
        score = columns.score[by_topic]
        risen = (topic[1:] == topic[:-1]) & (rank[1:] < rank[:-1]) & (score[1:] > score[:-1])
        if risen.any():
            first = int(np.argmax(risen)) + 1
            warn_caller(
                f"{file}: the lines are the ranking, as for the official tool, but ranks and scores say another order "
                f"in {len(np.unique(topic[1:][risen]))} of {len(columns.topics)} topics (first: line "
                f"{columns.line[by_topic[first]]}, topic {columns.topics[topic[first]]!r}: rank {rank[first]} follows "
                f"{rank[first - 1]}); if they are right, sort the lines by topic and rank"
            )
    return columns._replace(rank=None, score=None)


def write_fol(run: pd.DataFrame, target: Source, *, tag: str | None = None, order: str = "passages") -> None:
    """Write a run frame as a FOL run: a line per passage, ranks from 1.

    The score is the one in the column `file_score`, if the run was read with it, else the passage's own, else its
    article's. Articles without passages have no line: a warning counts them. Passages that do not exist are written as
    X X.

    Args:
        order: A FOL file has one order: 'passages' writes the ranking of passages (and warns if the articles' own
            differs), 'articles' the articles one after the other, as in-context tasks want it.
    """
    ranking = rank_passages(run, order)
    missing = is_missing(ranking.start, ranking.end)
    offsets = [
        ("X", "X") if absent else (start, end - start)
        for start, end, absent in zip(ranking.start.tolist(), ranking.end.tolist(), missing.tolist(), strict=True)
    ]
    tag = field_text(tag or run.attrs.get("tag") or "focused", "tag")
    lines = [
        f"{qid} Q0 {docno} {rank} {score} {tag} {offset} {length}\n"
        for (qid, docno, rank, score), (offset, length) in zip(ranked_fields(run, ranking), offsets, strict=True)
    ]
    write_bytes(target, "".join(lines).encode())


# The fields of a line without the passage's place: qid, docno, rank and score.
RankedFields = tuple[str, str, int, str]


def ranked_fields(run: pd.DataFrame, ranking: FileRanking) -> Iterator[RankedFields]:
    """Yield the fields of each passage as a file has them. Raises ValueError for unfit names."""
    qids = run["qid"].tolist()
    docnos = run["docno"].tolist()
    names = [(field_text(qid, "qid"), field_text(docno, "docno")) for qid, docno in zip(qids, docnos, strict=True)]
    for row, rank, score in zip(ranking.row.tolist(), ranking.rank.tolist(), ranking.score.tolist(), strict=True):
        yield *names[row], rank, number_text(score)


class FileRanking(NamedTuple):
    """The passages of a run frame in a file's order: row of the frame, rank in the topic from 1, score to write."""

    row: Ints
    rank: Ints
    start: Ints
    end: Ints
    score: NDArray[np.float64]


def rank_passages(run: pd.DataFrame, order: str) -> FileRanking:
    """Order the passages of a run frame for a file that holds one order; *order* as in `write_fol`."""
    check_choice("order", order, ("passages", "articles"))
    check_run(run)
    topic = topic_codes(run)
    score = scores(run)
    by_article = article_order(topic, score, run["docno"].to_numpy(dtype=object))
    rank = np.empty(len(run), dtype=np.int64)
    rank[by_article] = np.arange(len(run))
    passages = read_passages(run)
    row, start, end, own_score = passages.spans
    lost = [
        what
        for what, numbers, none in (
            ("what is around passages (column 'around')", passages.around, 0),
            ("items (column 'items'): each passage is one", passages.items, ALONE),
        )
        if numbers is not None and np.any(numbers != none)
    ]
    if lost:
        warn_caller(f"the file has no place for {', nor for '.join(lost)}", LossWarning)
    _warn_of_bare_articles(run, np.bincount(row, minlength=len(run)) == 0)
    ranked = passage_order(topic[row], own_score, lambda tied: (rank[row[tied]], start[tied], end[tied]))
    heads = first_codes(rank[row][ranked])[1]
    if order == "articles":
        ranked = ranked[np.argsort(rank[row][ranked], kind="stable")]
    elif np.any(np.diff(rank[row][ranked][heads]) < 0):
        by_articles = "order='articles'"
        as_articles = f" ({by_articles} writes the articles' one)"
        warn_caller(
            "the passages' ranking puts the articles in another order than their own scores; the file keeps the "
            f"passages'{as_articles}"
        )
    if "file_score" in run.columns:
        own_score = np.array(list(itertools.chain.from_iterable(run["file_score"])), dtype=np.float64)
        if len(own_score) != len(row):
            raise ValueError(f"column 'file_score' holds {len(own_score)} scores for {len(row)} passages")
    row = row[ranked]
    written = score[row]
    if own_score is not None:
        written = np.where(np.isnan(own_score[ranked]), written, own_score[ranked])
    return FileRanking(row, positions(topic[row]) + 1, start[ranked], end[ranked], written)


def refuse_missing(run: pd.DataFrame, ranking: FileRanking, format: str) -> None:
    """Raise a ValueError if a passage of the *ranking* does not exist, which a file of the *format* cannot say."""
    missing = np.flatnonzero(is_missing(ranking.start, ranking.end))
    if len(missing):
        row = run.iloc[int(ranking.row[missing[0]])]
        raise ValueError(
            f"{len(missing)} passages do not exist, which {format} cannot say, but a FOL run can (first: topic "
            f"{row['qid']!r}, article {row['docno']!r})"
        )


def _warn_of_bare_articles(run: pd.DataFrame, bare: NDArray[np.bool_]) -> None:
    if bare.any():
        example = run.iloc[int(np.argmax(bare))]
        warn_caller(
            f"{np.count_nonzero(bare)} articles without passages are not in the file, which holds only passages "
            f"(first: topic {example['qid']!r}, article {example['docno']!r})"
        )


def _read_whole_file(data: bytes, file_fields: bool) -> FolColumns | None:
    """Read a well-formed file at once; None if any line is not."""
    fields = read_fields(data, FOL_FIELDS.split())
    if fields is None:
        return None
    rank, offset, length = (whole_numbers(fields[name]) for name in ("rank", "offset", "length"))
    score = decimals(fields["score"])
    if rank is None or offset is None or length is None or score is None or np.any(offset > _MOST - length):
        return None
    topic, topics = name_codes(fields["topic"])
    article, articles = name_codes(fields["article"])
    line = np.arange(1, len(offset) + 1)
    tag = fields["tag"][-1].as_py()
    columns = FolColumns(topics, topic, articles, article, offset, offset + length, line, tag, rank, score)
    return columns if file_fields else columns._replace(rank=None, score=None)


def _read_line_by_line(data: bytes, faults: Faults, missing: str, file_fields: bool) -> FolColumns:
    absent: dict[tuple[str, str], int] = {}
    builder = FolColumnsBuilder()
    tag = ""
    for number, text, fields in field_lines(data, faults):
        try:
            if len(fields) != 8:
                raise BadLine(f"{len(fields)} fields instead of 8", f"a FOL run has {FOL_FIELDS}")
            rank = whole(fields[3], "field 4 (rank)")
            score = decimal(fields[4], "field 5 (score)")
            if fields[6] in ("X", "-1") and fields[7] in ("X", "-1"):
                if missing == "raise":
                    raise BadLine("a part that does not exist", f"{COUNT_ABSENT} counts it as INEX's tool does")
                nth = absent[fields[0], fields[2]] = absent.get((fields[0], fields[2]), -1) + 1
                start = MISSING_START + nth * MISSING_LENGTH
                end = start + MISSING_LENGTH
            else:
                start, end = span(fields[6], fields[7], ("field 7 (offset)", "field 8 (length)"))
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        builder.add(fields[0], fields[2], start, end, number, rank, score)
        tag = fields[5]
    columns = builder.columns(tag)
    return columns if file_fields else columns._replace(rank=None, score=None)
