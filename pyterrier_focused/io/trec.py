"""TREC runs (`topic Q0 article rank score tag`) and qrels (`topic 0 article label`): whole articles, or passage ids.

The lengths of the articles come from a collection, or as a mapping from docno to characters; without them the frames
hold articles only, for measures of documents. In a run, a docno may be a passage id, `ARTICLE#START-END`, and needs no
length. Lines that begin with # are comments.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..errors import LossWarning, warn_caller
from ..frames.articles import ArticleCollection
from ..frames.checks import check_unique
from ..frames.columns import flatten, span_column
from ..frames.ids import make_ids, parse_ids
from ..frames.packing import pack, ranked
from ..frames.spans import Ints
from ..reading.files import Source, source_name, write_bytes
from ..reading.lines import BadLine, Faults, Lines, field_text, number_text
from .inex.fol import rank_passages, refuse_missing
from .inex.offset_units import article_sizes

RUN_FIELDS = "topic Q0 article rank score tag"
QRELS_FIELDS = "topic 0 article label"
_NEED_LENGTHS = "pass collection=Collection(...) or lengths={docno: characters}"


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
    faults = Faults(source_name(source), errors)
    lines = Lines(source, faults, comment="#")
    lines.expect(6, 6, f"a TREC run has {RUN_FIELDS}")
    lines.whole(3, "field 4 (rank)")
    score = lines.decimal(4, "field 5 (score)")
    lines.refuse_repeated((0, 2), "an article that occurs twice in its topic")
    good = lines.find_good()
    run = pd.DataFrame({"qid": lines.names(0, good), "docno": lines.names(2, good), "score": score[good]})
    line = lines.number[good]
    tag = lines.names(5, good).iloc[-1] if good.any() else ""
    is_id = _tell_passage_ids(run["docno"], line, faults)
    run = run[is_id != "bad"]
    if len(run) and (is_id[is_id != "bad"] == "id").all():
        run = pack(run)
    elif documents:
        run = ranked(run)
    else:
        length = _look_up_lengths(run["docno"], line[is_id != "bad"], faults, collection, lengths)
        run = run[length >= 0].assign(passages=_span_whole_articles(length[length >= 0]))
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
    lines = Lines(source, faults, comment="#")
    lines.expect(4, 4, f"TREC qrels have {QRELS_FIELDS}")
    label = lines.whole(3, "field 4 (label)")
    lines.refuse_repeated((0, 2), "an article judged twice for its topic")
    good = lines.find_good()
    qrels = pd.DataFrame({"qid": lines.names(0, good), "docno": lines.names(2, good), "label": label[good]})
    if not documents:
        length = _look_up_lengths(qrels["docno"], lines.number[good], faults, collection, lengths)
        qrels = qrels[length >= 0].reset_index(drop=True)
        length = length[length >= 0]
        marked = (qrels["label"].to_numpy() >= 1) & (length > 0)
        qrels["highlights"] = _span_whole_articles(np.where(marked, length, 0))
        qrels["bep"] = np.where(marked, 0, -1)
        qrels["length"] = length
    faults.report()
    return qrels


def _span_whole_articles(length: Ints) -> pd.arrays.ArrowExtensionArray:
    """Make a column of spans: the whole text of each row's article, nothing if its length is 0."""
    row = np.flatnonzero(length)
    return span_column(row, len(length), np.zeros_like(row), length[row])


def _tell_passage_ids(docnos: pd.Series, line: Ints, faults: Faults) -> np.ndarray:
    """Tell of each docno whether it is an 'id', a 'name', or 'bad': an id with an invalid span, which is a fault."""
    try:
        return np.where(parse_ids(docnos)[1] >= 0, "id", "name")
    except ValueError:
        # One by one, to name the faults.
        kinds = []
        for docno, number in zip(docnos, line.tolist(), strict=True):
            try:
                kinds.append("id" if parse_ids([docno])[1][0] >= 0 else "name")
            except ValueError:
                faults.add(BadLine("a passage id with an invalid span", "ids are ARTICLE#START-END"), number, docno)
                kinds.append("bad")
        return np.array(kinds)


def _look_up_lengths(
    docnos: pd.Series,
    line: Ints,
    faults: Faults,
    collection: ArticleCollection | None,
    lengths: Mapping[str, int] | None,
) -> Ints:
    """Find the length of each article, -1 if it is not known, which is a fault."""
    if lengths is not None:
        known = {docno: int(lengths[docno]) for docno in docnos.unique() if docno in lengths}
        bad = BadLine("an article that is not in the collection or among the lengths", _NEED_LENGTHS)
    elif collection is None:
        known = {}
        bad = BadLine("whole articles without their lengths", _NEED_LENGTHS)
    else:
        known = {docno: size.characters for docno, size in article_sizes(docnos, collection).items()}
        bad = BadLine("an article that is not in the collection", "check that the collection is the run's own")
    length = np.array([known.get(docno, -1) for docno in docnos], dtype=np.int64)
    for row in np.flatnonzero(length < 0).tolist():
        faults.add(bad, int(line[row]), docnos.iloc[row])
    return length


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
