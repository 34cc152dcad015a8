"""TREC runs (`topic Q0 article rank score tag`) and qrels (`topic 0 article label`): whole articles as their parts.

The lengths of the articles come from a collection, or as a mapping from docno to characters. In a run, a docno may be a
passage id, `ARTICLE#START-END`, and needs no length.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spans import Ints
from .files import Source, read_bytes, source_name, write_bytes
from .lines import BadLine, Faults, decimal, field_lines, field_text, number_text, whole
from .offset_units import article_sizes

if TYPE_CHECKING:
    import pandas as pd


def read_trec_run(
    source: Source, collection: Any = None, *, lengths: Mapping[str, int] | None = None, errors: str = "raise"
) -> pd.DataFrame:
    """Read a TREC run as a run frame whose passages are whole articles, ranked by score as trec_eval does.

    Where every docno is a passage id, the passages are these. Raises FormatError for a bad line, an article that stands
    twice in a topic, or one without a length.
    """
    import pandas as pd

    from ..frames import parse_ids
    from ..packing import pack, ranked

    faults = Faults(source_name(source), errors)
    rows: list[tuple[int, str, str, float]] = []
    seen: dict[tuple[str, str], int] = {}
    tag = ""
    for number, text, fields in field_lines(read_bytes(source), faults):
        try:
            if len(fields) != 6:
                raise BadLine(f"{len(fields)} fields instead of 6", "a TREC run has topic Q0 article rank score tag")
            whole(fields[3], "field 4 (rank)")
            score = decimal(fields[4], "field 5 (score)")
            first = seen.setdefault((fields[0], fields[2]), number)
            if first != number:
                raise BadLine("an article that stands twice in its topic", f"keep this line or line {first}")
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        rows.append((number, fields[0], fields[2], score))
        tag = fields[5]
    frame = pd.DataFrame(rows, columns=["line", "qid", "docno", "score"]).astype({"score": np.float64})
    if len(rows) and (parse_ids(frame["docno"])[1] >= 0).all():
        run = pack(frame.drop(columns="line"))
    else:
        known = _lengths(frame["docno"].tolist(), collection, lengths)
        keep = []
        for number, _, docno, _ in rows:
            keep.append(docno in known)
            if docno not in known:
                faults.add(_no_length(collection, lengths), number, docno)
        run = frame[np.array(keep, dtype=bool)].drop(columns="line")
        run["passages"] = _whole_articles(np.array([known[docno] for docno in run["docno"]], dtype=np.int64))
        run = ranked(run)
    faults.report()
    run = run[["qid", "docno", "score", "rank", "passages"]]
    run.attrs["tag"] = tag
    return run


def read_trec_qrels(
    source: Source, collection: Any = None, *, lengths: Mapping[str, int] | None = None, errors: str = "raise"
) -> pd.DataFrame:
    """Read TREC qrels as a qrels frame: articles with a label of 1 or more are highlighted as a whole.

    The best entry point is their start. Raises FormatError for a bad line, an article judged twice or without length.
    """
    import pandas as pd

    faults = Faults(source_name(source), errors)
    rows: list[tuple[int, str, str, int]] = []
    seen: dict[tuple[str, str], int] = {}
    for number, text, fields in field_lines(read_bytes(source), faults):
        try:
            if len(fields) != 4:
                raise BadLine(f"{len(fields)} fields instead of 4", "TREC qrels have topic 0 article label")
            grade = whole(fields[3], "field 4 (label)")
            first = seen.setdefault((fields[0], fields[2]), number)
            if first != number:
                raise BadLine("an article judged twice for its topic", f"keep this line or line {first}")
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        rows.append((number, fields[0], fields[2], grade))
    known = _lengths([row[2] for row in rows], collection, lengths)
    for number, _, docno, _ in rows:
        if docno not in known:
            faults.add(_no_length(collection, lengths), number, docno)
    rows = [row for row in rows if row[2] in known]
    faults.report()
    length = np.array([known[row[2]] for row in rows], dtype=np.int64)
    label = np.array([row[3] for row in rows], dtype=np.int64)
    marked = (label >= 1) & (length > 0)
    return pd.DataFrame(
        {
            "qid": [row[1] for row in rows],
            "docno": [row[2] for row in rows],
            "label": label,
            "highlights": _whole_articles(np.where(marked, length, 0)),
            "bep": np.where(marked, 0, -1),
            "length": length,
        }
    )


def _whole_articles(length: Ints) -> Any:
    """Make a column of spans: the whole text of each row's article, nothing where its length is 0."""
    from ..frames import span_column

    row = np.flatnonzero(length)
    return span_column(row, len(length), np.zeros_like(row), length[row])


def write_trec_run(run: pd.DataFrame, target: Source, *, tag: str | None = None) -> None:
    """Write the articles of a run as a TREC run, with their scores, in trec_eval's order, ranks from 1."""
    from ..frame_checks import check_unique
    from ..packing import ranked

    check_unique(run["qid"].to_numpy(dtype=object), run["docno"].to_numpy(dtype=object), "run")
    tag = field_text(tag or run.attrs.get("tag") or "focused", "tag")
    ordered = ranked(run)
    columns = (ordered[name].tolist() for name in ("qid", "docno", "rank", "score"))
    lines = [
        f"{field_text(qid, 'qid')} Q0 {field_text(docno, 'docno')} {rank + 1} {number_text(score)} {tag}\n"
        for qid, docno, rank, score in zip(*columns, strict=True)
    ]
    if "passages" in run.columns:
        warnings.warn("a TREC run holds whole articles: the passages are not in the file", stacklevel=3)
    write_bytes(target, "".join(lines).encode())


def write_trec_qrels(qrels: pd.DataFrame, target: Source) -> None:
    """Write the labels of qrels as TREC qrels."""
    lines = [
        f"{field_text(qid, 'qid')} 0 {field_text(docno, 'docno')} {label}\n"
        for qid, docno, label in zip(*(qrels[name].tolist() for name in ("qid", "docno", "label")), strict=True)
    ]
    lost = [column for column in qrels.columns if column not in ("qid", "docno", "label")]
    if lost:
        warnings.warn(f"TREC qrels hold labels alone: {', '.join(lost)} are not in the file", stacklevel=3)
    write_bytes(target, "".join(lines).encode())


def _lengths(docnos: list[str], collection: Any, lengths: Mapping[str, int] | None) -> dict[str, int]:
    if lengths is not None:
        return {docno: int(lengths[docno]) for docno in dict.fromkeys(docnos) if docno in lengths}
    return {docno: size.characters for docno, size in article_sizes(docnos, collection).items()}


def _no_length(collection: Any, lengths: Mapping[str, int] | None) -> BadLine:
    if collection is None and lengths is None:
        advice = "pass collection=Collection(...) or lengths={docno: characters}"
        return BadLine("whole articles without their lengths", advice)
    return BadLine("an article that is not in the collection", "check that the collection is the run's own")
