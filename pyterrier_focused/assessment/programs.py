"""Assessors that are programs: a function reads a query and a text and quotes what is relevant."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import numpy as np
import pandas as pd

from ..evidence.read import OnFault, Repeated, read_spans
from ..frames.articles import ArticleCollection
from ..frames.columns import cells
from ..frames.spans import union
from ..io.annotations.judgments import Record, frame_of
from ..reading.json import JsonObject
from ..texts.corpus import Texts
from .pooled import add_pairs, add_topics
from .store import Store, fill_store

Relevant = Iterable[str | tuple[int, int]] | None
Assessor = Callable[[str, str], Relevant]

_Pair = tuple[str, str]
_Span = list[int]
# A program's answer on a window of a text: the window's start, its text, the answer.
_Answer = tuple[int, str, object]


@dataclass(frozen=True)
class _Program:
    """A function that judges, and how it is called."""

    function: Assessor
    retries: int
    backoff: float
    window: int | None
    overlap: int

    def judge(self, query: str, text: str) -> list[_Answer]:
        starts = _cut_windows(text, self.window, self.overlap)
        return [(start, window, self._ask_with_retries(query, window)) for start, window in starts]

    def _ask_with_retries(self, query: str, text: str) -> object:
        for attempt in range(self.retries):
            try:
                return self.function(query, text)
            # whatever the user's function raises: the errors of networks are of many kinds
            except Exception:
                time.sleep(self.backoff * 2**attempt)
        return self.function(query, text)


def assess_with(
    function: Assessor,
    topics: pd.DataFrame,
    pool: pd.DataFrame,
    collection: ArticleCollection,
    *,
    name: str = "program",
    db: str | os.PathLike[str] | None = None,
    resume: bool = True,
    workers: int = 1,
    retries: int = 2,
    backoff: float = 1.0,
    window: int | None = None,
    overlap: int = 500,
    repeated: Repeated = "report",
    errors: OnFault = "raise",
) -> pd.DataFrame:
    """Judge the articles of a pool with a function, and return its judgments as a qrels frame.

    Args:
        function: Takes (query, text) and returns the relevant parts of the text: quotes, or (start, end) in
            characters, or both; None or an empty list for none.
        pool: `qid` and `docno`, as `pool` returns.
        name: The function's name as an assessor; give another prompt or model another name.
        db: A database of judgments, made if it is not there, which keeps each judgment as soon as it is made.
        resume: Skip the articles that the database says *name* has judged, and return these judgments with the
            others. Without it all are judged again; the earlier judgments stay in the record of actions.
        workers: How many articles are judged at a time, in threads.
        retries: How often the function is called again after an error of its own, before the error is raised.
        backoff: Seconds before the first of these calls; they double with each.
        window: Show the function at most so many characters at a time, cut between words; the whole text without.
        overlap: Characters that neighbouring windows share, so that a quote up to this long is whole in one of them.
        repeated: How to treat a quote that occurs more than once in the text shown to the function; see `read_spans`.
        errors: How to treat a quote that is not there: 'raise' an EvidenceError, or 'skip' it with a warning.

    Returns:
        A qrels frame, with the columns `assessor`, `time` and `seconds` too. Highlights that overlap are merged.

    Raises:
        ValueError: A topic or article is not there, the database has judgments of a topic with another query, or the
            function returned something else.
        EvidenceError: A quote cannot be placed. What was judged before is in the database.

    Example:
        >>> topics = pd.DataFrame([["1", "tides"]], columns=["qid", "query"])
        >>> pool = pd.DataFrame([["1", "a"]], columns=["qid", "docno"])
        >>> qrels = assess_with(lambda query, text: ["Tides rise."], topics, pool, {"a": "Boats wait. Tides rise."})
        >>> int(qrels["label"].iloc[0]), int(qrels["bep"].iloc[0])
        (1, 12)
    """
    program = _check_program(_Program(function, retries, backoff, window, overlap), workers)
    pairs = [*zip(pool["qid"].astype(str), pool["docno"].astype(str), strict=True)]
    queries = dict(zip(topics["qid"].astype(str), topics["query"].astype(str), strict=True))
    texts = Texts(collection, [docno for _, docno in pairs])
    shown = {pair: _find_text(*pair, queries, texts) for pair in pairs}
    if db is None:
        made = _judge_all(program, queries, shown, workers, repeated, errors, name)
        records = {(record["qid"], record["docno"]): record for record in made}
    else:
        with closing(_open_store(db, topics, pairs, collection, name)) as store:
            records = _read_finished(store, shown, name) if resume else {}
            open_ = {pair: text for pair, text in shown.items() if pair not in records}
            for record in _judge_all(program, queries, open_, workers, repeated, errors, name):
                _keep_judgment(store, record, name)
                records[record["qid"], record["docno"]] = record
    return frame_of([records[pair] for pair in shown])


def _check_program(program: _Program, workers: int) -> _Program:
    if program.window is not None and not 0 <= program.overlap < program.window:
        raise ValueError(
            f"window={program.window}, overlap={program.overlap}: neighbouring windows share less than a window"
        )
    if workers < 1 or program.retries < 0 or program.backoff < 0:
        raise ValueError(
            f"workers={workers}, retries={program.retries}, backoff={program.backoff}: give at least one worker, and "
            "no negative numbers"
        )
    return program


def _find_text(qid: str, docno: str, queries: Mapping[str, str], texts: Texts) -> str:
    article = texts.find(docno)
    if qid in queries and article is not None:
        return article.text
    what = f"article {docno!r} has no text" if qid in queries else f"topic {qid!r} is not among the topics"
    raise ValueError(f"{what}; give it, or take it out of the pool")


def _judge_all(
    program: _Program,
    queries: Mapping[str, str],
    shown: Mapping[_Pair, str],
    workers: int,
    repeated: Repeated,
    errors: OnFault,
    name: str,
) -> Iterator[Record]:
    """Yield the record of each article as soon as it is judged; after an error no other article is begun."""
    failed = threading.Event()
    failure: BaseException | None = None

    def judge(qid: str, docno: str) -> Record | None:
        if failed.is_set():
            return None
        text = shown[qid, docno]
        try:
            begin = time.perf_counter()
            answers = program.judge(queries[qid], text)
            seconds = time.perf_counter() - begin
            spans = _place_answers(qid, docno, answers, repeated, errors)
        except BaseException:
            failed.set()
            raise
        return _make_record(qid, docno, name, len(text), spans, seconds)

    executor = ThreadPoolExecutor(workers)
    try:
        for future in as_completed([executor.submit(judge, *pair) for pair in shown]):
            # raised below, after the judgments of other threads are kept
            if error := future.exception():
                failure = failure or error
            elif record := future.result():
                yield record
    finally:
        failed.set()
        executor.shutdown(cancel_futures=True)
    if failure is not None:
        raise failure


def _cut_windows(text: str, window: int | None, overlap: int) -> Iterator[tuple[int, str]]:
    """Cut a text into (start, text) of at most *window* characters, at white space if there is any."""
    start = 0
    while window is not None and len(text) - start > window:
        end = _find_space(text, start + overlap + 1, start + window)
        yield start, text[start:end]
        start = _find_space(text, start + 1, max(end - overlap, start + 1))
    yield start, text[start:]


def _find_space(text: str, low: int, high: int) -> int:
    """Return the last offset up to *high* that follows white space, not below *low*; *high* if there is none."""
    for offset in range(high, low - 1, -1):
        if text[offset - 1].isspace():
            return offset
    return high


def _list_answer(answer: object, qid: str, docno: str) -> list[object]:
    if answer is None:
        return []
    if isinstance(answer, str | Mapping) or not isinstance(answer, Iterable):
        raise ValueError(
            f"topic {qid!r}, article {docno!r}: the function returned {str(answer)[:80]!r}, not a list of quotes or "
            "(start, end) pairs"
        )
    return list(answer)


def _place_answers(qid: str, docno: str, answers: list[_Answer], repeated: Repeated, errors: OnFault) -> list[_Span]:
    """Place the quotes and spans of each window, and merge those that overlap."""
    placed = [
        (begin + start, begin + end)
        for begin, text, answer in answers
        for start, end in _place_answer(qid, docno, text, answer, repeated, errors)
    ]
    _, start, end = union(np.zeros(len(placed), dtype=np.int64), *np.array(placed, dtype=np.int64).reshape(-1, 2).T)
    return [list(span) for span in zip(start.tolist(), end.tolist(), strict=True)]


def _place_answer(
    qid: str, docno: str, text: str, answer: object, repeated: Repeated, errors: OnFault
) -> Iterator[tuple[int, int]]:
    rows = [_make_evidence(item, qid, docno) for item in _list_answer(answer, qid, docno)]
    # a table of evidence has quotes or offsets
    for kind in ("quote", "start"):
        of_kind = [row for row in rows if kind in row]
        if of_kind:
            qrels = read_spans(of_kind, {docno: text}, repeated=repeated, errors=errors)
            yield from (span for cell in cells(qrels["highlights"]) for span in cell)


def _make_evidence(item: object, qid: str, docno: str) -> JsonObject:
    if isinstance(item, str):
        return {"qid": qid, "docno": docno, "quote": item}
    offsets: Iterable[Any] = item if isinstance(item, Iterable) else ()
    try:
        start, end = (int(offset) for offset in offsets)
    except (TypeError, ValueError):
        raise ValueError(
            f"topic {qid!r}, article {docno!r}: {str(item)[:80]!r} is neither a quote nor a (start, end) pair"
        ) from None
    return {"qid": qid, "docno": docno, "start": start, "end": end}


def _make_record(qid: str, docno: str, name: str, length: int, spans: list[_Span], seconds: float) -> Record:
    return {
        "qid": qid, "docno": docno, "assessor": name, "label": int(bool(spans)), "highlights": spans, "bep": -1,
        "length": length, "status": "judged", "unsure": False, "note": "",
        "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds"), "seconds": round(seconds, 3),
    }  # fmt: skip


def _open_store(
    db: str | os.PathLike[str], topics: pd.DataFrame, pairs: list[_Pair], collection: ArticleCollection, name: str
) -> Store:
    """Open the database with these articles in its pool, and with the assessor."""
    with fill_store(db, create=True) as store:
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in store]
        wanted = {qid for qid, _ in pairs}
        if missing:
            add_pairs(store, collection, topics, missing, also=wanted)
        else:
            # Judgments of another query are no answers to this one.
            add_topics(store, topics, wanted)
        store.add_assessor(name)
    return store


def _read_finished(store: Store, shown: Mapping[_Pair, str], name: str) -> dict[_Pair, Record]:
    finished: dict[_Pair, Record] = {}
    for (qid, docno), text in shown.items():
        version, state = store.judgment(qid, docno, name)
        if version and state["status"] == "judged":
            finished[qid, docno] = {**_make_record(qid, docno, name, len(text), state["highlights"], 0.0), **state}
    return finished


def _keep_judgment(store: Store, record: Record, name: str) -> None:
    key = record["qid"], record["docno"], name
    version, _ = store.judgment(*key)
    state = {field: record[field] for field in ("highlights", "bep", "status", "unsure", "note")}
    store.save(*key, version=version, id=f"{name}-{version + 1}", action="program", state=state)
    store.visit(*key, record["seconds"], 0)
