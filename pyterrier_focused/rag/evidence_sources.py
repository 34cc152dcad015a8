"""What a source of evidence is: a file or folder of one of the known shapes, a DataFrame, or dicts; and its reader."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias, Union

import pandas as pd

from ..collection.corpora import CorpusArticle, as_frame, is_frame, json_records, read_squad_articles
from ..errors import FormatError
from ..reading.files import JSON_ENDINGS, plain_name, read_bytes
from ..reading.tables import TABLES, read_table
from ..reading.values import normalise_name, parse_passage_id
from .datasets import read_dataset, tell_dataset
from .formats import Evidence, Kind, read_beir_folder, read_beir_qrels, read_rows, read_squad
from .items import Item
from .shapes import EVIDENCE_NAME

_SAMPLE_ROWS = 50
# topic 0 passage label
_TREC = re.compile(r"(?: \S+ [ \t]+ ){3} -?[0-9]+ [ \t]*", re.VERBOSE)


EvidenceInput: TypeAlias = Union[str, os.PathLike[str], "pd.DataFrame", Iterable[Mapping[str, Any]]]


class EvidenceSource(NamedTuple):
    """The name of a source of evidence, its pieces, and the articles that come with it, if any."""

    name: str
    evidence: list[Evidence]
    articles: list[CorpusArticle]


def read_evidence(source: EvidenceInput, columns: Mapping[str, str] | None, whole: bool = False) -> EvidenceSource:
    """Read evidence of any known shape: a path, a DataFrame, or an iterable of dicts."""
    source = as_frame(source)
    if is_frame(source):
        names = [str(column) for column in source.columns]
        records = (dict(zip(names, row, strict=True)) for row in source.itertuples(index=False, name=None))
        return _read_records(enumerate(records, start=1), "the DataFrame", columns, whole)
    if isinstance(source, str | os.PathLike):
        return _read_path(os.fspath(source), columns, whole)
    if not isinstance(source, Iterable) or isinstance(source, Mapping):
        raise ValueError(f"evidence is a path, a DataFrame or a list of dicts, not {type(source).__name__}")
    return _read_records(enumerate(source, start=1), "the evidence", columns, whole)


def _read_path(path: str, columns: Mapping[str, str] | None, whole: bool) -> EvidenceSource:
    if os.path.isdir(path):
        return EvidenceSource(path, list(read_beir_folder(path)), [])
    bare = plain_name(path.lower())
    if bare.endswith(JSON_ENDINGS):
        records: list[tuple[int, Any]] = list(json_records(path))
        record = records[0][1] if records else {}
        if isinstance(record, dict) and isinstance(record.get("data"), list):
            articles = list(read_squad_articles(record["data"], path))
            return EvidenceSource(path, list(read_squad(record["data"], articles, path)), articles)
        return _read_records(_open_keyed(records), path, columns, whole)
    if not bare.endswith(TABLES):
        lines = read_bytes(path).decode("utf-8", "replace").splitlines()
        if lines and _TREC.fullmatch(lines[0]):
            return EvidenceSource(path, list(_read_trec_qrels(lines, path)), [])
    header, table = read_table(path)
    if {"query-id", "corpus-id"} <= set(header):
        return EvidenceSource(path, list(read_beir_qrels(table, path)), [])
    return _read_records(table, path, columns, whole)


def _open_keyed(records: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Return the values of one object whose values are records of a data set, each with its key as `id`."""
    whole = records[0][1] if len(records) == 1 else None
    if not isinstance(whole, dict) or not whole or not all(tell_dataset(value) for value in whole.values()):
        return records
    return [(number, {"id": key, **value}) for number, (key, value) in enumerate(whole.items(), start=1)]


def _read_records(
    rows: Iterable[tuple[int, object]], name: str, columns: Mapping[str, str] | None, whole: bool
) -> EvidenceSource:
    rows = iter(rows)
    sample = list(islice(rows, _SAMPLE_ROWS + 1))
    if not sample:
        return EvidenceSource(name, [], [])
    every = chain(sample, rows)
    dataset = tell_dataset(sample[0][1])
    if dataset is not None:
        source = EvidenceSource(name, *read_dataset(dataset, every, name, columns))
    else:
        source = EvidenceSource(name, list(read_rows(every, name, columns, whole)), [])
    return _check_that_evidence_was_read(source, [row for _, row in sample])


def _check_that_evidence_was_read(source: EvidenceSource, sample: Iterable[object]) -> EvidenceSource:
    """Return the source; an error if no question has evidence, but fields are there that look like it."""
    if not source.evidence or any(piece.kind != "none" for piece in source.evidence):
        return source
    fields = dict.fromkeys(name for row in sample for name in _list_evidence_fields(row, 3))
    if fields:
        raise FormatError(
            f"no evidence was read for any of the {len(source.evidence)} questions, though these fields may hold some: "
            f"{', '.join(fields)}; name the right one with columns={{'quote': ...}} or "
            "columns={'references': ...}, or drop them if all questions are without an answer",
            file=source.name,
        )
    return source


def _list_evidence_fields(value: object, depth: int) -> Iterator[str]:
    """Yield the names of fields that are not empty and sound as if they held evidence."""
    if isinstance(value, list) and depth:
        for item in value[:_SAMPLE_ROWS]:
            yield from _list_evidence_fields(item, depth - 1)
    if not isinstance(value, Mapping) or not depth:
        return
    for name, content in value.items():
        is_some = isinstance(content, list | tuple | Mapping | str) and content != "[]" and len(content) > 0
        if is_some and EVIDENCE_NAME.search(normalise_name(name)):
            yield str(name)
        else:
            yield from _list_evidence_fields(content, depth - 1)


def _read_trec_qrels(lines: Iterable[str], path: str) -> Iterator[Evidence]:
    """Read TREC qrels: of passages by their ids, ARTICLE#START-END, or of whole documents."""
    for where, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if not _TREC.fullmatch(line):
            raise FormatError("a line of qrels is: topic 0 passage label", file=path, line=where, text=line)
        qid, _, passage, label = line.split()
        kind: Kind = "evidence" if int(label) > 0 else "judged"
        place = parse_passage_id(passage)
        if place is None:
            yield Evidence(where, qid, None, kind="judged" if kind == "judged" else "article", named=(passage,))
        else:
            yield Evidence(where, qid, None, kind=kind, item=Item(None, *place[1], (place[0],)))
