"""Judgments out of a database and into it: files of qrels, of judgments with their assessors, of annotation tools."""

from __future__ import annotations

import hashlib
import os
import warnings
from contextlib import closing
from typing import Literal, NamedTuple

import pandas as pd

from ..errors import Advice, check_choice
from ..frames.columns import cells
from ..io import known_formats, read_qrels, tell_format, write_qrels
from ..io.annotations.judgments import (
    ADJUDICATED,
    Record,
    frame_of,
    is_judged,
    qrels_of,
    read_records,
    warn_of_started,
    write_records,
)
from ..io.annotations.judgments_db import read_db_records
from ..reading.files import refuse_inputs
from ..texts.corpus import Corpus
from .pooled import add_pairs
from .store import Store, fill_store

_BY_ENDING = {".jsonl": "judgments", ".ndjson": "judgments", ".json": "label-studio"}
# Formats that hold several assessors' judgments of an article.
_OF_ALL = ("judgments", "label-studio")
_ASSESSOR = Advice("assessor", "assessor=", "--assessor NAME")


class Imported(NamedTuple):
    """The numbers of imported judgments that were added, known, and differing.

    Args:
        differing: Judgments that were left out because the database has another one.
    """

    added: int
    known: int
    differing: int


def export_judgments(
    db: str | os.PathLike[str], target: str | os.PathLike[str], format: str = "auto", assessor: str | None = None
) -> int:
    r"""Write the judgments of a database to a file; returns how many.

    Args:
        format: A format of qrels that can be written, or 'auto': .jsonl is 'judgments' (who judged what and when),
            .json 'label-studio', anything else 'inex'.
        assessor: Whose judgments; without a name, formats that know assessors get all judgments, and the others get
            one per topic and article, chosen as `read_qrels` does.

    Example:
        >>> from pyterrier_focused.assessment import assess_with
        >>> topics = pd.DataFrame([["1", "tides"]], columns=["qid", "query"])
        >>> pool = pd.DataFrame([["1", "a"]], columns=["qid", "docno"])
        >>> texts = {"a": "Boats wait. Tides rise."}
        >>> _ = assess_with(lambda query, text: ["Tides rise."], topics, pool, texts, db="judgments.sqlite")
        >>> export_judgments("judgments.sqlite", "qrels.txt")
        1
        >>> open("qrels.txt").read()
        '1 Q0 a 11 23 12 12:11\n'
    """
    name = os.fspath(target)
    if format == "auto":
        ending = os.path.splitext(name.removesuffix(".gz").removesuffix(".bz2"))[1]
        format = _BY_ENDING.get(ending, "inex")
    check_choice("format", format, tuple(each.name for each in known_formats("qrels").values() if each.write))
    refuse_inputs(target, [db])
    records = read_db_records(db)
    if not records:
        raise ValueError(f"{os.fspath(db)}: nothing is judged yet")
    if format in _OF_ALL:
        chosen = [r for r in records if assessor in (None, r["assessor"])]
        if not chosen:
            raise ValueError(f"{os.fspath(db)}: no judgments by {assessor!r}")
        judged = list(filter(is_judged, chosen))
        warn_of_started(judged, os.fspath(db))
        if format == "judgments":
            # This format also holds unfinished judgments.
            write_records(chosen, target)
            return len(judged)
        frame = frame_of(judged)
    else:
        frame = qrels_of(records, os.fspath(db), assessor=assessor)
    if format in ("inex", "trec"):
        with warnings.catch_warnings():
            # The labels are 1 and 0 here.
            warnings.filterwarnings("ignore", message="INEX qrels hold no labels")
            write_qrels(frame, target, format)
        return len(frame)
    with closing(Store(db)) as store:
        texts = {docno: store.article(docno).text for docno in sorted(set(frame["docno"]))}
    write_qrels(frame, target, format, collection=texts)
    return len(frame)


def import_judgments(
    db: str | os.PathLike[str],
    source: str | os.PathLike[str],
    *,
    assessor: str | None = None,
    collection: Corpus | None = None,
    topics: pd.DataFrame | None = None,
) -> Imported:
    r"""Put existing judgments into a database, made if it is not there, to go on from them.

    Nothing is overwritten: if the same assessor has judged the article otherwise, the database's judgment stays.

    Args:
        source: Any qrels that `read_qrels` reads.
        collection: The texts of articles that are not in the pool yet; they are added to it.

    Raises:
        ValueError: Before anything is changed, if a highlight or length does not fit its article.

    Example:
        >>> with open("qrels.txt", "w") as file:
        ...     _ = file.write("1 Q0 a 11 23 12 12:11\n")
        >>> topics = pd.DataFrame([["1", "tides"]], columns=["qid", "query"])
        >>> texts = {"a": "Boats wait. Tides rise."}
        >>> import_judgments("judgments.sqlite", "qrels.txt", assessor="ann", collection=texts, topics=topics)
        Imported(added=1, known=0, differing=0)
    """
    records = _read_source(source, assessor)
    with fill_store(db, create=True) as store:
        pairs = list(dict.fromkeys((record["qid"], record["docno"]) for record in records))
        add_pairs(store, collection, topics, pairs)
        _check_lengths(records, store.known_articles(), os.fspath(source))
        for name in sorted({record["assessor"] for record in records} - {ADJUDICATED}):
            store.add_assessor(name)
        counts = {"added": 0, "known": 0, "differing": 0}
        for record in records:
            counts[_put_record(store, record)] += 1
    store.close()
    return Imported(**counts)


def _read_source(source: str | os.PathLike[str], assessor: str | None) -> list[Record]:
    name = os.fspath(source)
    kind = tell_format(source, "qrels").name
    if kind == "judgments":
        records = list(read_records(source))
    elif kind == "judgments-db":
        records = read_db_records(source)
    else:
        records = _convert_qrels(read_qrels(source))
    for record in records:
        record["assessor"] = record["assessor"] or (assessor or "")
        if not record["assessor"]:
            raise ValueError(f"{name} does not say who judged; {_ASSESSOR} tells it")
    return records


def _convert_qrels(qrels: pd.DataFrame) -> list[Record]:
    records = []
    for row, cell in zip(qrels.to_dict("records"), cells(qrels["highlights"]), strict=True):
        records.append(
            {
                "qid": str(row["qid"]), "docno": str(row["docno"]), "assessor": str(row.get("assessor", "")),
                "highlights": [list(span) for span in sorted(cell)], "bep": int(row.get("bep", -1)),
                "length": int(row.get("length", -1)),
                "status": "judged", "unsure": bool(row.get("unsure", False)), "note": str(row.get("note", "")),
                "time": str(row.get("time", "")), "seconds": float(row.get("seconds", 0.0)),
            }
        )  # fmt: skip
    return records


def _check_lengths(records: list[Record], lengths: dict[str, int], name: str) -> None:
    for record in records:
        length = lengths[record["docno"]]
        reach = max((end for _, end in record["highlights"]), default=0)
        where = f"{name}: topic {record['qid']!r}, article {record['docno']!r}"
        if record["length"] >= 0 and record["length"] != length:
            raise ValueError(f"{where} was judged with {record['length']} characters, and here it has {length}")
        if reach > length or record["bep"] > length:
            raise ValueError(f"{where}: a highlight or best entry point lies beyond its {length} characters")


def _put_record(store: Store, record: Record) -> Literal["added", "known", "differing"]:
    key = record["qid"], record["docno"], record["assessor"]
    version, kept = store.judgment(*key)
    state = {name: record[name] for name in ("highlights", "bep", "status", "unsure", "note")}
    if version:
        return "known" if kept["highlights"] == state["highlights"] else "differing"
    digest = hashlib.blake2b(repr((key, state)).encode("utf-8", "replace"), digest_size=12).hexdigest()
    store.save(*key, version=0, id=digest, action="import", state=state, time=record["time"])
    if record["seconds"] > 0:
        store.visit(*key, record["seconds"], 0)
    return "added"
