"""Assessors that are programs: a function reads a query and a text and quotes what is relevant."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from time import perf_counter
from typing import Any, NamedTuple

import ir_measures
import pandas as pd

from ..analysis.statistics.agreement import agreement
from ..evaluation.measure_strings import parse
from ..evaluation.provider import NAMES
from ..frames.columns import cells
from ..io.annotations.judgments import Record, frame_of
from ..io.evidence.read import OnFault, Repeated, read_spans
from ..io.texts.corpus import Texts
from .store import Store

Relevant = Iterable[str | tuple[int, int]] | None
Assessor = Callable[[str, str], Relevant]


def assess_with(
    function: Assessor,
    topics: pd.DataFrame,
    pool: pd.DataFrame,
    collection: Any,
    *,
    name: str = "program",
    db: str | os.PathLike[str] | None = None,
    repeated: Repeated = "report",
    errors: OnFault = "raise",
) -> pd.DataFrame:
    """Judge the articles of a pool with a function, and return its judgments as a qrels frame.

    *function* takes (query, text) and returns what is relevant in the text: quotes, or (start, end) in characters; or
    nothing (None or an empty list). *topics*: `qid` and `query`; *pool*: `qid` and `docno`, as `pool` returns; the
    *collection* has the texts. Quotes are placed as those of evidence are, see `read_spans`: *repeated* says what
    becomes of one that stands more than once, *errors* ('raise' or 'skip') of one that is not there.

    *db*: a database of judgments, which keeps them as those of the assessor *name*; its own earlier judgments of an
    article are replaced, and stay in the record of actions.

    Raises ValueError for a topic or article that is not there, and EvidenceError for quotes that cannot be placed.
    """
    queries = dict(zip(topics["qid"].astype(str), topics["query"].astype(str), strict=True))
    texts = Texts(collection, pool["docno"].astype(str).tolist())
    rows: list[dict[str, Any]] = []
    judged: dict[tuple[str, str], Record] = {}
    for qid, docno in zip(pool["qid"].astype(str), pool["docno"].astype(str), strict=True):
        article = texts.find(docno)
        if qid not in queries or article is None:
            what = f"topic {qid!r} is not among the topics" if qid not in queries else f"article {docno!r} has no text"
            raise ValueError(f"{what}; give it, or take it out of the pool")
        start = perf_counter()
        found = function(queries[qid], article.text)
        seconds = perf_counter() - start
        rows += [_make_evidence(item, qid, docno) for item in _check_items(found, qid, docno)]
        judged[qid, docno] = {
            "qid": qid, "docno": docno, "assessor": name, "label": 0, "highlights": [], "bep": -1,
            "length": len(article.text), "status": "judged", "unsure": False, "note": "",
            "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds"), "seconds": round(seconds, 3),
        }  # fmt: skip
    corpus = {docno: texts.articles[docno].text for docno in dict.fromkeys(docno for _, docno in judged)}
    for qid, docno, spans in _place_evidence(rows, corpus, repeated, errors):
        judged[qid, docno].update(label=1, highlights=spans)
    if db is not None:
        _keep_judgments(list(judged.values()), db, name)
    return frame_of(list(judged.values()))


def _check_items(found: Any, qid: str, docno: str) -> list[Any]:
    if found is None:
        return []
    if isinstance(found, str | Mapping) or not isinstance(found, Iterable):
        raise ValueError(f"topic {qid!r}, article {docno!r}: the function returned {str(found)[:80]!r}, not a list of "
                         "quotes or (start, end) pairs")  # fmt: skip
    return list(found)


def _make_evidence(item: Any, qid: str, docno: str) -> dict[str, Any]:
    """Return a quote or span as a row of evidence."""
    if isinstance(item, str):
        return {"qid": qid, "docno": docno, "quote": item}
    try:
        start, end = (int(offset) for offset in item)
    except (TypeError, ValueError):
        raise ValueError(f"topic {qid!r}, article {docno!r}: {str(item)[:80]!r} is neither a quote nor a (start, end) "
                         "pair") from None  # fmt: skip
    return {"qid": qid, "docno": docno, "start": start, "end": end}


def _place_evidence(
    rows: list[dict[str, Any]], corpus: Mapping[str, str], repeated: Repeated, errors: OnFault
) -> Iterable[tuple[str, str, list[list[int]]]]:
    """Place quotes and spans: (qid, docno, spans) of each article that has any."""
    for kind in ("quote", "start"):  # a table of evidence has one or the other
        of_kind = [row for row in rows if kind in row]
        if not of_kind:
            continue
        qrels = read_spans(of_kind, corpus, repeated=repeated, errors=errors)
        spans = [[[start, end] for start, end in cell] for cell in cells(qrels["highlights"])]
        yield from zip(qrels["qid"], qrels["docno"], spans, strict=True)


def _keep_judgments(records: list[Record], db: str | os.PathLike[str], name: str) -> None:
    store = Store(db)
    try:
        store.add_assessor(name)
        for record in records:
            key = record["qid"], record["docno"], name
            version, _ = store.judgment(*key)
            state = {field: record[field] for field in ("highlights", "bep", "status", "unsure", "note")}
            store.save(*key, version=version, id=f"{name}-{version + 1}", action="program", state=state)
            store.visit(*key, record["seconds"], 0)
    finally:
        store.close()


class JudgmentComparison(NamedTuple):
    """What `compare_judgments` returns.

    scores: a row for each system and measure, with its mean under each of the judgments; tau: a row for each measure,
    Kendall's tau-b of the two rankings of systems; agreement: kappa over documents and characters.
    """

    scores: pd.DataFrame
    tau: pd.DataFrame
    agreement: pd.DataFrame


def compare_judgments(
    runs: Mapping[str, pd.DataFrame], first: pd.DataFrame, second: pd.DataFrame, measures: Any = "AgP AP"
) -> JudgmentComparison:
    """Tell what changes when one assessor's judgments (*second*, a program's) replace another's (*first*, people's).

    Both are cut to the articles that both judged. tau is 1 where the systems rank alike, -1 where the order is turned,
    and NaN where one ranking ties all systems. Raises ValueError for fewer than two runs, or no article in common.
    """
    from scipy.stats import kendalltau

    if len(runs) < 2:
        raise ValueError("a ranking of systems needs at least two runs")
    keys = ["qid", "docno"]
    both = first[keys].astype(str).merge(second[keys].astype(str), on=keys)
    if both.empty:
        raise ValueError("the two judgments have no topic and article in common")
    pair = [qrels.assign(qid=qrels["qid"].astype(str), docno=qrels["docno"].astype(str)).merge(both, on=keys)
            for qrels in (first, second)]  # fmt: skip
    scores = _compute_means(runs, pair, parse(measures))
    taus = [
        {"measure": measure, "tau": float(kendalltau(group["first"], group["second"]).statistic), "systems": len(group)}
        for measure, group in scores.groupby("measure", sort=False)
    ]
    tables = []
    for unit in ("documents", "characters"):
        table = agreement(pair[0], pair[1], unit=unit)
        tables.append(table[table["qid"] == "all"].drop(columns="qid").assign(unit=unit))
    return JudgmentComparison(scores, pd.DataFrame(taus), pd.concat(tables, ignore_index=True))


def _compute_means(runs: Mapping[str, pd.DataFrame], pair: list[pd.DataFrame], measures: list[Any]) -> pd.DataFrame:
    """Return the mean of each measure for each run, under the *first* and the *second* qrels of a pair."""
    rows = []
    for name, run in runs.items():
        means = [
            ir_measures.calc_aggregate(measures, qrels.rename(columns=NAMES), run.rename(columns=NAMES))
            for qrels in pair
        ]
        rows += [{"name": name, "measure": str(m), "first": means[0][m], "second": means[1][m]} for m in measures]
    return pd.DataFrame(rows)
