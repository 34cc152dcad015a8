"""Spans as JSON lines or a table, a highlight a row: `{"qid", "docno", "start", "end"}`; quotes are `read_spans`'s."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

import numpy as np
import pandas as pd

from ..collection.corpora import Corpus, articles, is_collection
from ..errors import LossWarning, warn_caller
from ..frames.articles import ArticleCollection
from ..frames.checks import check_qrels
from ..frames.columns import flatten, span_column
from ..frames.span_attributes import ALTERNATIVES, COVER, make_numbers, read_numbers
from ..frames.span_cells import is_blank
from ..frames.spans import Ints
from ..reading.files import JSON_ENDINGS, Source, plain_name, read_text, write_bytes
from ..reading.json import Row, records_in
from ..reading.lines import BadLine, Faults
from ..reading.tables import read_table
from ..reading.values import map_names, name_or_none, whole_or_none

# Our fields by the names that files may give them, the first that is there.
_FIELDS = {
    "qid": ("qid", "query_id", "question_id"),
    "query": ("query", "question"),
    "docno": ("docno", "doc_id", "document_id", "document", "doc"),
    "start": ("start", "start_index", "start_char", "start_offset", "begin"),
    "end": ("end", "end_index", "end_char", "end_offset"),
    "alternative": ("alternative",),
}
_QUOTES = "; pyterrier_focused.read_spans reads quotes, lines and pages"


def read_span_qrels(
    source: str | os.PathLike[str], collection: ArticleCollection | None = None, *, errors: str = "raise"
) -> pd.DataFrame:
    """Read rows of spans as a qrels frame: `qid, docno, label, highlights, bep, length` and, if given, `query`.

    Args:
        source: JSON lines, a JSON list, CSV, TSV or Parquet; rows have a question (`qid`), an article (`docno`),
            `start` and `end`, and perhaps `query` and `alternative`. A row whose start and end are empty judges an
            article without highlights.
        collection: The articles, whose lengths bound the spans.
        errors: 'raise' a FormatError at the first fault, or 'skip' faulty rows and warn how many and why.

    Raises:
        FormatError: A row has no such fields; it names the file and the line.
    """
    path = os.fspath(source)
    is_json = plain_name(path.lower()).endswith(JSON_ENDINGS)
    rows = records_in(read_text(path), path) if is_json else read_table(path)[1]
    lengths = _list_lengths(collection)
    faults = Faults(path, errors)
    pairs: dict[tuple[str, str], int] = {}
    spans: list[tuple[int, int, int, str | None]] = []
    queries: dict[str, str] = {}
    for line, row in rows:
        try:
            qid, query, docno, span, alternative = _read_row(row, lengths)
        except BadLine as bad:
            faults.add(bad, line, str(row))
            continue
        number = pairs.setdefault((qid, docno), len(pairs))
        if query is not None:
            queries.setdefault(qid, query)
        if span is not None:
            spans.append((number, *span, alternative))
    faults.report()
    return _make_qrels(list(pairs), spans, queries, lengths)


def _list_lengths(corpus: Corpus | None) -> dict[str, int]:
    if corpus is None:
        return {}
    if is_collection(corpus):
        return dict(corpus.lengths()[["docno", "length"]].itertuples(index=False))
    return {article.docno: len(article.text) for article in articles(corpus)}


def _read_row(row: object, lengths: dict[str, int]) -> tuple[str, str | None, str, tuple[int, int] | None, str | None]:
    """Read a row's qid, query, docno, span and alternative."""
    if not isinstance(row, dict):
        raise BadLine("this is not a row with named fields", "give qid, docno, start and end")
    fields = _name_fields(row)
    qid = name_or_none(fields.get("qid"))
    docno = name_or_none(fields.get("docno"))
    if qid is None or docno is None:
        raise BadLine("the row has no qid or no docno", "name both" + _QUOTES)
    if lengths and docno not in lengths:
        raise BadLine("the collection has no such article", "give the docno of one of its articles")
    query = fields.get("query")
    query = query if isinstance(query, str) else None
    values = (fields.get("start"), fields.get("end"))
    if {"start", "end"} <= fields.keys() and all(map(is_blank, values)):
        return qid, query, docno, None, None
    start, end = map(whole_or_none, values)
    if start is None or end is None:
        raise BadLine("the row has no start and end", "give both as whole numbers" + _QUOTES)
    if not 0 <= start < end <= lengths.get(docno, end):
        raise BadLine("start and end are no span of the article", "count characters from 0, the end excluded")
    return qid, query, docno, (start, end), name_or_none(fields.get("alternative"))


def _name_fields(row: Row) -> dict[str, object]:
    names = map_names(tuple(row))
    found = ((ours, next((name for name in theirs if name in names), None)) for ours, theirs in _FIELDS.items())
    return {ours: row[names[name]] for ours, name in found if name is not None}


def _make_qrels(
    pairs: list[tuple[str, str]],
    spans: list[tuple[int, int, int, str | None]],
    queries: dict[str, str],
    lengths: dict[str, int],
) -> pd.DataFrame:
    labels: dict[str, dict[str, int]] = {}
    for number, _, _, name in spans:
        if name is not None:
            of_question = labels.setdefault(pairs[number][0], {})
            of_question.setdefault(name, len(of_question) + 1)
    records = sorted(_number_alternatives(spans, pairs, labels))
    columns: Ints = np.array(records, dtype=np.int64).reshape(-1, 4).T
    row, start, end, alternative = columns
    frame = pd.DataFrame(pairs, columns=["qid", "docno"], dtype=object)
    frame["label"] = np.isin(np.arange(len(pairs)), row).astype(np.int64)
    frame["highlights"] = span_column(row, len(pairs), start, end)
    if (alternative > 1).any():
        frame["alternatives"] = make_numbers(row, len(pairs), alternative, ALTERNATIVES)
    bep = np.full(len(pairs), -1, dtype=np.int64)
    bep[row[::-1]] = start[::-1]
    frame["bep"] = bep
    frame["length"] = np.array([lengths.get(docno, -1) for _, docno in pairs], dtype=np.int64)
    if queries:
        frame["query"] = pd.Series([queries.get(qid) for qid, _ in pairs], dtype=object)
    return frame


def _number_alternatives(
    spans: list[tuple[int, int, int, str | None]], pairs: list[tuple[str, str]], labels: dict[str, dict[str, int]]
) -> Iterable[tuple[int, int, int, int]]:
    """Number the alternatives of each question from 1; a span that names none belongs to all of them."""
    for row, start, end, name in spans:
        numbers = labels.get(pairs[row][0], {})
        for number in [numbers[name]] if name is not None else numbers.values() or [1]:
            yield row, start, end, number


def write_spans(qrels: pd.DataFrame, target: Source) -> None:
    """Write the highlights of a qrels frame as JSON lines, with question (`query`) and alternative if any.

    A warning tells what is lost: articles without highlights, lengths, and labels and best entry points other than
    those that reading the spans gives (1, and the first span's start).
    """
    check_qrels(qrels)
    spans = flatten(qrels["highlights"], "highlights", qrels)
    names = [name for name in ("qid", "query", "docno") if name in qrels.columns]
    heads = [dict(zip(names, map(str, row), strict=True)) for row in qrels[names].itertuples(index=False, name=None)]
    places = [{"start": start, "end": end} for start, end in zip(spans.start.tolist(), spans.end.tolist(), strict=True)]
    if "alternatives" in qrels.columns:
        numbers = read_numbers(qrels, ALTERNATIVES, spans)
        places = [{**p, "alternative": n} for p, n in zip(places, np.asarray(numbers).tolist(), strict=True)]
    lines = [
        json.dumps({**heads[row], **place}, ensure_ascii=False) + "\n"
        for row, place in zip(spans.row.tolist(), places, strict=True)
    ]
    first_start = np.full(len(qrels), -1, dtype=np.int64)
    first_start[spans.row[::-1]] = spans.start[::-1]
    marked = first_start >= 0
    lost = {
        "articles without highlights": ~marked,
        "labels other than 1": marked & (qrels["label"].to_numpy(dtype=np.float64) != 1),
    }
    if "bep" in qrels.columns:
        lost["best entry points other than the first span's start"] = marked & (qrels["bep"].to_numpy() != first_start)
    if "length" in qrels.columns:
        lost["lengths of articles"] = marked
    covers = read_numbers(qrels, COVER, spans)
    if covers is not None:
        lost["articles with covers of their own"] = np.bincount(spans.row, ~np.isnan(covers), len(qrels)) > 0
    losses = [f"{np.count_nonzero(rows)} {loss}" for loss, rows in lost.items() if rows.any()]
    if losses:
        is_loss = any(loss.startswith(("best", "articles with covers")) and rows.any() for loss, rows in lost.items())
        kind = LossWarning if is_loss else UserWarning
        warn_caller(f"evidence holds only spans; not in the file: {', '.join(losses)}", kind)
    write_bytes(target, "".join(lines).encode())
