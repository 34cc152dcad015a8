"""How far assessing has come: articles, characters and time by assessor, and how far assessors agree."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..analysis.statistics.agreement import agreement
from ..frames.span_cells import is_missing
from ..io.annotations.judgments import ADJUDICATED, Record, frame_of, is_judged, warn_of_started
from ..io.annotations.judgments_db import read_db_records
from ..reading.json import JsonObject


class Progress(NamedTuple):
    assessors: pd.DataFrame
    agreement: pd.DataFrame
    decisions: pd.DataFrame


def read_progress(db: str | os.PathLike[str]) -> Progress:
    """Tell how far the judgments of a database have come.

    Returns:
        Three frames. `assessors` has a row each: `assessor, articles` (judged, as `read_qrels` counts them), `relevant,
        unsure, highlights` (counts), `characters` (read: the lengths of the judged articles), `highlighted`
        (characters), `minutes` (spent on them) and `characters_per_minute` (NaN if no time was measured). `agreement`
        has a row for each pair and unit ('documents', 'characters') with the columns that `agreement` gives for all
        topics; the adjudicated judgments are one of the two if there are any. `decisions` counts by `made_by` the
        articles on which they decided.

    Example:
        >>> from pyterrier_focused.assessment import assess_with
        >>> topics = pd.DataFrame([["1", "tides"]], columns=["qid", "query"])
        >>> pool = pd.DataFrame([["1", "a"]], columns=["qid", "docno"])
        >>> texts = {"a": "Boats wait. Tides rise."}
        >>> _ = assess_with(lambda query, text: ["Tides rise."], topics, pool, texts, db="judgments.sqlite")
        >>> read_progress("judgments.sqlite").assessors[["assessor", "articles", "highlighted"]].values.tolist()
        [['program', 1, 11]]
    """
    judged = list(filter(is_judged, read_db_records(db)))
    warn_of_started(judged, os.fspath(db))
    by_name = _group_by_assessor(judged)
    rows = [_count_work(name, records) for name, records in sorted(by_name.items())]
    columns = ["assessor", "articles", "relevant", "unsure", "highlights", "characters", "highlighted", "minutes",
               "characters_per_minute"]  # fmt: skip
    makers = pd.Series([record["made_by"] for record in by_name.get(ADJUDICATED, [])], dtype=object, name="made_by")
    decisions = makers.value_counts().rename("articles").reset_index()
    return Progress(pd.DataFrame(rows, columns=columns), _compare_assessors(by_name), decisions)


def _group_by_assessor(records: Iterable[Record]) -> dict[str, list[Record]]:
    by_name: dict[str, list[Record]] = {}
    for record in records:
        by_name.setdefault(record["assessor"], []).append(record)
    return by_name


def _count_work(name: str, records: list[Record]) -> JsonObject:
    minutes = sum(record["seconds"] for record in records) / 60
    characters = sum(record["length"] for record in records)
    return {
        "assessor": name,
        "articles": len(records),
        "relevant": sum(bool(record["highlights"]) for record in records),
        "unsure": sum(record["unsure"] for record in records),
        "highlights": sum(len(record["highlights"]) for record in records),
        "characters": characters,
        "highlighted": sum(end - start for record in records for start, end in record["highlights"]),
        "minutes": minutes,
        "characters_per_minute": characters / minutes if minutes and name != ADJUDICATED else np.nan,
    }


def agreement_rows(db: str | os.PathLike[str], qid: str) -> list[JsonObject]:
    """The agreement of each pair of assessors on one topic, as the page shows it; None if kappa is not defined."""
    by_name = _group_by_assessor(
        record
        for record in read_db_records(db)
        if is_judged(record) and record["qid"] == qid and record["assessor"] != ADJUDICATED
    )
    table = _compare_assessors(by_name)
    if table.empty:
        return []
    rows = table[["first", "second", "unit", "units", "pooled", "band"]].to_dict("records")
    return [{str(key): None if is_missing(value) else value for key, value in row.items()} for row in rows]


def _compare_assessors(by_name: dict[str, list[Record]]) -> pd.DataFrame:
    tables = []
    for first, second in combinations(sorted(by_name), 2):
        one, other = (frame_of(by_name[who]) for who in (first, second))
        for unit in ("documents", "characters"):
            table = agreement(one, other, unit=unit)
            row = table[table["qid"] == "all"].drop(columns="qid")
            row.insert(0, "unit", unit)
            row.insert(0, "second", second)
            row.insert(0, "first", first)
            if row["units"].iloc[0]:
                tables.append(row)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["first", "second", "unit"])
