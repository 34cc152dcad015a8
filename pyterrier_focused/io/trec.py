"""TREC runs (`topic Q0 article rank score tag`) and qrels (`topic 0 article label`): whole articles, or passage ids.

Runs may have ranks only, `qid docno rank`, as MS MARCO's leaderboards take them and PyTerrier's "minimal" writes them.

The lengths of the articles come from a collection, or as a mapping from docno to characters; without them the frames
hold articles only, for measures of documents. In a run, a docno may be a passage id, `ARTICLE#START-END`, and needs no
length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike

from ..errors import LossWarning, warn_caller
from ..frames.articles import ArticleCollection
from ..frames.checks import check_unique
from ..frames.columns import flatten, span_column
from ..frames.ids import make_ids, parse_ids
from ..frames.packing import pack, ranked
from ..frames.spans import Ints
from ..reading.files import Source, read_bytes, source_name, write_bytes
from ..reading.lines import BadLine, Faults, decimal, field_lines, field_text, number_text, whole
from .inex.fol import rank_passages, refuse_missing
from .inex.offset_units import article_sizes

RANKS = "qid docno rank"


def read_trec_run(
    source: Source,
    collection: ArticleCollection | None = None,
    *,
    lengths: Mapping[str, int] | None = None,
    errors: str = "raise",
    documents: bool = False,
) -> pd.DataFrame:
    """Read a TREC run as a run frame, ranked by score as trec_eval does.

    If every docno is a passage id, the passages are these; otherwise they are whole articles.
    """
    return _read_run(source, _RUN, collection, lengths, errors, documents)


def read_msmarco_run(
    source: Source,
    collection: ArticleCollection | None = None,
    *,
    lengths: Mapping[str, int] | None = None,
    errors: str = "raise",
    documents: bool = False,
) -> pd.DataFrame:
    """Read a run of ranks as a run frame, with scores that fall with the rank. Parameters as in `read_trec_run`."""
    return _read_run(source, _RANKS, collection, lengths, errors, documents)


def _read_run(
    source: Source,
    layout: _Layout,
    collection: ArticleCollection | None,
    lengths: Mapping[str, int] | None,
    errors: str,
    documents: bool,
) -> pd.DataFrame:
    faults = Faults(source_name(source), errors)
    rows, tag = _read_rows(source, layout, faults)
    if rows and _are_passage_ids(rows, faults):
        run = pack(_make_frame(rows, "score", np.float64))
    elif documents:
        run = ranked(_make_frame(rows, "score", np.float64))
    else:
        rows, length_of = _look_up_lengths(rows, faults, collection, lengths)
        run = _make_frame(rows, "score", np.float64)
        run["passages"] = _span_whole_articles(np.array([length_of[docno] for docno in run["docno"]], dtype=np.int64))
        run = ranked(run)
    faults.report()
    run = run[[name for name in ("qid", "docno", "score", "rank", "passages") if name in run.columns]]
    run.attrs["tag"] = tag
    return run


def read_trec_qrels(
    source: Source,
    collection: ArticleCollection | None = None,
    *,
    lengths: Mapping[str, int] | None = None,
    errors: str = "raise",
    documents: bool = False,
) -> pd.DataFrame:
    """Read TREC qrels as a qrels frame: articles with a label of 1 or more are highlighted as a whole.

    The best entry point is their start.
    """
    faults = Faults(source_name(source), errors)
    rows, _ = _read_rows(source, _QRELS, faults)
    if documents:
        faults.report()
        return _make_frame(rows, "label", np.int64)
    rows, length_of = _look_up_lengths(rows, faults, collection, lengths)
    faults.report()
    qrels = _make_frame(rows, "label", np.int64)
    length = np.array([length_of[row[2]] for row in rows], dtype=np.int64)
    marked = (qrels["label"].to_numpy() >= 1) & (length > 0)
    qrels["highlights"] = _span_whole_articles(np.where(marked, length, 0))
    qrels["bep"] = np.where(marked, 0, -1)
    qrels["length"] = length
    return qrels


def _span_whole_articles(length: Ints) -> pd.arrays.ArrowExtensionArray:
    """Make a column of spans: the whole text of each row's article, nothing if its length is 0."""
    row = np.flatnonzero(length)
    return span_column(row, len(length), np.zeros_like(row), length[row])


_NEED_LENGTHS = "pass collection=Collection(...) or lengths={docno: characters}"
# Line, topic, docno, and score or label.
TrecRow = tuple[int, str, str, float]


def _read_score(fields: list[str]) -> float:
    whole(fields[3], "field 4 (rank)")
    return decimal(fields[4], "field 5 (score)")


def _read_label(fields: list[str]) -> int:
    return whole(fields[3], "field 4 (label)")


class _Layout(NamedTuple):
    """The layout of a line: its number of fields, the places of docno and value, and messages on other lines."""

    width: int
    docno: int
    read_value: Callable[[list[str]], float]
    advice: str
    twice: str = "an article that occurs twice in its topic"


_RUN = _Layout(6, 2, _read_score, "a TREC run has topic Q0 article rank score tag")
_RANKS = _Layout(3, 1, lambda fields: -whole(fields[2], "field 3 (rank)"), f"a run of ranks has {RANKS}")
_QRELS = _Layout(4, 2, _read_label, "TREC qrels have topic 0 article label", "an article judged twice for its topic")


def _read_rows(source: Source, layout: _Layout, faults: Faults) -> tuple[list[TrecRow], str]:
    rows: list[TrecRow] = []
    lines: dict[tuple[str, str], int] = {}
    tag = ""
    for number, text, fields in field_lines(read_bytes(source), faults):
        try:
            if len(fields) != layout.width:
                raise BadLine(f"{len(fields)} fields instead of {layout.width}", layout.advice)
            value = layout.read_value(fields)
            docno = fields[layout.docno]
            earlier = lines.setdefault((fields[0], docno), number)
            if earlier != number:
                raise BadLine(layout.twice, f"keep this line or line {earlier}")
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        rows.append((number, fields[0], docno, value))
        tag = "msmarco" if layout is _RANKS else fields[-1]
    return rows, tag


def _make_frame(rows: list[TrecRow], value: str, dtype: DTypeLike) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "qid": pd.Series([row[1] for row in rows], dtype=object),
            "docno": pd.Series([row[2] for row in rows], dtype=object),
            value: np.array([row[3] for row in rows], dtype=dtype),
        }
    )


def _are_passage_ids(rows: list[TrecRow], faults: Faults) -> bool:
    """Tell whether all docnos are passage ids; rows with invalid spans become faults and are removed."""
    try:
        return bool((parse_ids(row[2] for row in rows)[1] >= 0).all())
    except ValueError:
        # The lines are read one by one, to name the faults.
        valid = []
        all_ids = True
        for row in rows:
            try:
                all_ids &= bool(parse_ids([row[2]])[1][0] >= 0)
                valid.append(row)
            except ValueError:
                faults.add(BadLine("a passage id with an invalid span", "ids are ARTICLE#START-END"), row[0], row[2])
        rows[:] = valid
        return all_ids


def _look_up_lengths(
    rows: list[TrecRow], faults: Faults, collection: ArticleCollection | None, lengths: Mapping[str, int] | None
) -> tuple[list[TrecRow], dict[str, int]]:
    """Keep the rows whose articles have a length, and tell the lengths; the others are faults."""
    docnos = list(dict.fromkeys(row[2] for row in rows))
    length_of: dict[str, int] = {}
    if lengths is None and collection is None:
        bad = BadLine("whole articles without their lengths", _NEED_LENGTHS)
    elif lengths is not None:
        length_of = {docno: int(lengths[docno]) for docno in docnos if docno in lengths}
        bad = BadLine("an article that is not in the collection or among the lengths", _NEED_LENGTHS)
    else:
        length_of = {docno: size.characters for docno, size in article_sizes(docnos, collection).items()}
        bad = BadLine("an article that is not in the collection", "check that the collection is the run's own")
    for number, _, docno, _ in rows:
        if docno not in length_of:
            faults.add(bad, number, docno)
    return [row for row in rows if row[2] in length_of], length_of


def write_trec_run(run: pd.DataFrame, target: Source, *, tag: str | None = None, passage_ids: bool = False) -> None:
    """Write the articles of a run as a TREC run, with their scores, in trec_eval's order, ranks from 1.

    Args:
        passage_ids: Write a line for each passage instead, with its id `ARTICLE#START-END` as docno, in the order of
            the passages. If their scores would rank them otherwise (ties), whole numbers that fall with the ranking
            take their place, and a warning says so.
    """
    check_unique(run["qid"].to_numpy(dtype=object), run["docno"].to_numpy(dtype=object), "run")
    tag = field_text(tag or run.attrs.get("tag") or "focused", "tag")
    rows = _list_passages(run) if passage_ids else ranked(run)
    columns = (rows[name].tolist() for name in ("qid", "docno", "rank", "score"))
    lines = [
        f"{field_text(qid, 'qid')} Q0 {field_text(docno, 'docno')} {rank + 1} {number_text(score)} {tag}\n"
        for qid, docno, rank, score in zip(*columns, strict=True)
    ]
    if "passages" in run.columns and not passage_ids:
        warn_caller("a TREC run holds whole articles: the passages are not in the file", LossWarning)
    write_bytes(target, "".join(lines).encode())


def _list_passages(run: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each passage, ranked, whose docno is the passage id."""
    ranking = rank_passages(run, "passages")
    refuse_missing(run, ranking, "a TREC run")
    rows = pd.DataFrame(
        {
            "qid": run["qid"].to_numpy(dtype=object)[ranking.row],
            "docno": make_ids(run["docno"].to_numpy(dtype=object)[ranking.row], ranking.start, ranking.end),
            "score": ranking.score,
            "rank": ranking.rank - 1,
        }
    )
    if not ranked(rows)["docno"].reset_index(drop=True).equals(rows["docno"]):
        rows["score"] = (-rows["rank"] + rows.groupby("qid", sort=False)["rank"].transform("size")).astype(float)
        warn_caller(
            "the passages' scores would rank them otherwise in a TREC run (ties); the file has whole numbers that fall "
            "with the ranking"
        )
    return rows


def write_trec_qrels(qrels: pd.DataFrame, target: Source) -> None:
    r"""Write the labels of qrels as TREC qrels; a warning names what the file does not hold."""
    lines = [
        f"{field_text(qid, 'qid')} 0 {field_text(docno, 'docno')} {label}\n"
        for qid, docno, label in zip(*(qrels[name].tolist() for name in ("qid", "docno", "label")), strict=True)
    ]
    lost = [column for column in qrels.columns if column not in ("qid", "docno", "label")]
    if lost:
        kind = LossWarning if _has_highlights(qrels) else UserWarning
        warn_caller(f"TREC qrels hold only labels: {', '.join(lost)} are not in the file", kind)
    write_bytes(target, "".join(lines).encode())


def _has_highlights(qrels: pd.DataFrame) -> bool:
    marked = "highlights" in qrels.columns and len(flatten(qrels["highlights"], "highlights", qrels).row) > 0
    return marked or ("bep" in qrels.columns and bool((qrels["bep"] >= 0).any()))
