"""Runs in lines: `topic Q0 article rank score tag offset length` (FOL), or `... tag path [path]`; best first.

Offset and length are in characters of the article's text. One path is an element; two are the start and the end of a
passage. The rank and score fields are often wrong in real runs, so the order of the lines counts; the fields must be
numbers all the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import COUNT_ABSENT, LossWarning, check_choice, warn_caller
from ...frames.articles import ArticleCollection
from ...frames.checks import check_run, scores
from ...frames.items import read_passages
from ...frames.packing import topic_codes
from ...frames.ranking_rule import article_order, passage_order, positions
from ...frames.span_attributes import ALONE
from ...frames.spans import Ints
from ...reading.files import Source, source_name, write_bytes
from ...reading.lines import Faults, Lines, field_text, number_text
from .offset_units import in_characters, is_missing
from .parts import make_run, name_codes, place_absent, resolve, warn_of_order
from .paths import MAX_PATH, PATH_ADVICE

FOL_FIELDS = "topic Q0 article rank score tag offset length"
PATH_FIELDS = "topic Q0 article rank score tag path [path]"


def parse_lines(source: Source, faults: Faults, *, missing: str = "raise") -> pd.DataFrame:
    """Read the table of parts of a run in lines; bad lines go to *faults*."""
    lines = Lines(source, faults)
    layout = f"a run of passages has {FOL_FIELDS}, or {PATH_FIELDS}"
    is_path = lines.begins(6, "/")
    lines.expect(7, 8, layout)
    lines.refuse((lines.count == 7) & ~is_path, "7 fields instead of 8", layout)
    rank = lines.whole(3, "field 4 (rank)")
    score = lines.decimal(4, "field 5 (score)")
    absent = (lines.count == 8) & lines.is_in(6, ("X", "-1")) & lines.is_in(7, ("X", "-1"))
    if missing == "raise":
        advice = f"{COUNT_ABSENT} counts it as INEX's tool does"
        lines.refuse(absent, "a part that does not exist", advice)
    names = ("field 7 (offset)", "field 8 (length)")
    start, end = lines.spans((6, 7), names, default=is_path | absent)
    has_two = is_path & (lines.count == 8)
    for field, named in ((6, is_path), (7, has_two)):
        if named.any():
            is_short = pc.utf8_length(lines.field(field)).to_numpy() <= MAX_PATH
            bad = named & ~(lines.begins(field, "/") & is_short)
            lines.refuse(bad, f"field {field + 1} is not an element path", PATH_ADVICE)
    good = lines.find_good()
    parts = pd.DataFrame(
        {
            "qid": name_codes(lines.field(0).filter(pa.array(good))),
            "docno": name_codes(lines.field(2).filter(pa.array(good))),
            "start": np.where(is_path, -1, start)[good],
            "end": np.where(is_path, -1, end)[good],
            "line": lines.number[good],
            "rank": rank[good],
            "score": score[good],
            "path": _take_paths(lines, 6, is_path)[good],
            "end_path": _take_paths(lines, 7, has_two)[good],
        }
    )
    place_absent(parts, absent[good])
    parts.attrs["tag"] = lines.field(5)[int(np.flatnonzero(good)[-1])].as_py() if good.any() else ""
    return parts


def _take_paths(lines: Lines, field: int, named: NDArray[np.bool_]) -> NDArray[np.object_]:
    """Return a field of the lines that are *named* by it, '' of the others."""
    paths = np.full(len(named), "", dtype=object)
    if named.any():
        paths[named] = lines.field(field).filter(pa.array(named)).to_pylist()
    return paths


def read_fol(
    source: Source,
    collection: ArticleCollection | None = None,
    *,
    unit: str = "auto",
    errors: str = "raise",
    missing: str = "raise",
    file_fields: bool = False,
) -> pd.DataFrame:
    """Read a run in lines as a run frame.

    Scores are whole numbers that fall strictly with each line of a topic, so that the file's order is the ranking of
    passages and articles alike. If ranks and scores agree on another order, a warning says so, unless *file_fields*
    tells. If a topic's lines are apart, the frame's `attrs["divided_topics"]` says in which lines.

    Args:
        collection: The articles, which give element paths offsets, and tell the unit of the file's own offsets.
        missing: How to treat a passage that does not exist (offset and length `X` or -1, or a path that the article
            does not have): 'raise', or 'official' for 18 characters beyond any text, as the official tool counts it.
    """
    check_choice("missing", missing, ("raise", "official"))
    faults = Faults(source_name(source), errors)
    parts = parse_lines(source, faults, missing=missing)
    has_paths = bool((parts["path"] != "").any())
    parts = resolve(parts, collection, missing, faults)
    faults.report()
    if not file_fields:
        warn_of_order(parts, faults.file)
    run = make_run(parts, file_fields=file_fields)
    # Offsets of elements count characters.
    return run if has_paths else in_characters(run, collection, "passages", unit)


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
    # of passages without scores the order stays as it is
    is_scored = np.zeros(len(row), dtype=bool) if own_score is None else ~np.isnan(own_score)
    ranked = passage_order(
        topic[row],
        own_score,
        lambda tied: (rank[row[tied]], start[tied] * is_scored[tied], end[tied] * is_scored[tied]),
    )
    heads = np.flatnonzero(~pd.Series(rank[row][ranked]).duplicated())
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
