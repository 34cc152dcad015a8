"""What was retrieved, for which question: files, dicts, frames, and retrievers that are asked.

Each question has a list of `Item`s, one for each thing retrieved, best first.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, Union

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from ..collection.corpora import as_frame, is_frame
from ..errors import FormatError, name_some, warn_caller
from ..frames.packing import unpack
from ..frames.span_cells import is_missing
from ..reading.files import JSON_ENDINGS, plain_name, read_bytes, read_text
from ..reading.json import JsonObject, Row, records_in
from ..reading.show import show_row, show_value
from ..reading.tables import TABLES, parsed_list, read_table
from ..reading.values import list_of
from .items import Fault, Item, normalise_question, read_item
from .shapes import (
    DOCUMENT,
    ENVELOPES,
    HITS,
    LIST,
    NAMED_QID,
    QUESTIONS,
    ROLES,
    TEXT,
    as_fields,
    follow,
    follow_all,
    is_nothing,
    map_names,
    normalise_name,
    open_blocks,
    unflatten,
)

if TYPE_CHECKING:
    import pyterrier as pt


# By system and qid what was retrieved, best first.
Retrieved = dict[str, dict[str, list[Item]]]


class Questions:
    """The questions of a qrels frame, by id and by text."""

    def __init__(self, qrels: pd.DataFrame):
        qids = qrels["qid"].astype(str).tolist()
        texts = qrels["query"].tolist() if "query" in qrels.columns else [None] * len(qids)
        self.text = {
            qid: normalise_question(text) for qid, text in zip(qids, texts, strict=True) if isinstance(text, str)
        }
        self.qids = list(dict.fromkeys(qids))
        self._known = set(self.qids)
        # read_spans numbers questions from 1 if they came without ids
        self.numbered = bool(self.text) and self._known == {str(i) for i in range(1, len(self.qids) + 1)}
        self._of_text: dict[str, list[str]] = {}
        for qid, text in self.text.items():
            self._of_text.setdefault(text, []).append(qid)

    def match(self, asked: Question) -> list[str]:
        """Return the ids of a question of the results: several if the evidence has its text more than once."""
        if asked.query is None:
            name = asked.qid if asked.qid is not None else asked.name
            return [name] if name in self._known else sorted(self._of_text.get(normalise_question(name), ()))
        same_text = sorted(self._of_text.get(normalise_question(asked.query), ()))
        if asked.qid is None or asked.qid not in self._known or self.text.get(asked.qid) is None:
            return [asked.qid] if asked.qid in self._known and asked.qid is not None else same_text
        if asked.qid in same_text:
            return [asked.qid]
        if self.numbered:
            return same_text
        raise ValueError(
            f"question {asked.qid!r} is {asked.query!r:.80} in the results, and {self.text[asked.qid]!r:.80} in the "
            "evidence; give both the same ids, or leave them out of one"
        )

    def first(self) -> str:
        """Return the text of the first question, or its id, to show in a message."""
        return self.text.get(self.qids[0], self.qids[0])


def match_questions(results: Results, qrels: pd.DataFrame) -> Retrieved:
    """Name the questions of the results by their qids; warn of questions that only one side has.

    Raises:
        ValueError: A system has none of the questions, or one twice.
    """
    questions = Questions(qrels)
    retrieved: Retrieved = {}
    unknown: list[str] = []
    for system, of_system in results.items():
        named: dict[str, str] = {}
        retrieved[system] = {}
        for asked, items in of_system.items():
            qids = questions.match(asked)
            if not qids:
                unknown.append(asked.query or asked.name)
            for qid in qids:
                if qid in named:
                    raise ValueError(
                        f"system {system!r}: question {qid!r} is there twice, as {named[qid]!r} and {asked.name!r}"
                    )
                named[qid] = asked.name
                retrieved[system][qid] = items
        if not named:
            first = next(iter(of_system), Question(""))
            raise ValueError(
                f"system {system!r}: none of its {len(of_system)} questions has evidence; the results have "
                f"{first.query or first.name!r:.80}, the evidence {questions.first()!r:.80}"
            )
        if not any(of_system.values()):
            warn_caller(f"system {system!r} retrieved nothing for any of its {len(of_system)} questions")
        if question := _find_contradicting_scores(of_system):
            warn_caller(
                f"system {system!r}: its scores fall along one list and rise along another, or do both (first: "
                f"question {question!r:.80}); the order given is the ranking, so sort by the scores if they are meant"
            )
        missing = [qid for qid in questions.qids if qid not in named]
        if missing:
            warn_caller(
                f"system {system!r} has no results for {len(missing)} questions, which score as empty: "
                f"{name_some(map(_quote_name, missing), 3)}"
            )
    if unknown:
        warn_caller(
            f"{len(unknown)} questions of the results have no evidence and are not scored: "
            f"{name_some(map(_quote_name, unknown), 3)}"
        )
    return retrieved


def _find_contradicting_scores(of_system: Mapping[Question, Sequence[Item]]) -> str | None:
    """Return the first question whose scores contradict the order of its list or of the other lists; None if none does.

    Scores fall from the best on, and distances rise; nothing that was sorted by either does both.
    """
    falls = False
    rises = False
    for asked, items in of_system.items():
        scores = [item.score for item in items if item.score is not None]
        falls = falls or any(a > b for a, b in pairwise(scores))
        rises = rises or any(a < b for a, b in pairwise(scores))
        if falls and rises:
            return asked.query or asked.name
    return None


def _quote_name(name: str) -> str:
    return f"{name!r:.60}"


# The fields of results that a caller may name.
COLUMNS = ("system", "qid", "query", "retrieved", "text", "docno", "start", "end", "rank", "score")
Columns = Mapping[str, str]

_DEPTH = 5
# These are lists that are next to the ids of a result.
_CHROMA = ("documents", "metadatas", "distances", "embeddings", "uris", "data")
# topic Q0 passage rank score tag
_RUN_LINE = re.compile(r"(?: \S+ [ \t]+ ){3} \d+ [ \t]+ \S+ [ \t]+ \S+ [ \t]*", re.VERBOSE)

# In JSON a backslash, a surrogate pair, or half of one
_HALF = re.compile(r"\\\\|\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u[dD][89a-fA-F]\w\w")

ResultsInput: TypeAlias = Union[
    str, os.PathLike[str], list[str], "pd.DataFrame", Mapping[str, Any], list[Mapping[str, Any]]
]


class Question(NamedTuple):
    """A question of the results, by its id, its text, or both; *name* is its key in a dict, which may be either."""

    name: str
    qid: str | None = None
    query: str | None = None


_FILE = re.compile(r"\S+\.(jsonl?|ndjson|csv|tsv|parquet)(\.\w+)?")
# By system and question what was retrieved, best first.
Results = dict[str, dict[Question, list[Item]]]


def read_retrieved(results: ResultsInput, columns: Columns | None = None) -> Results:
    """Read what one or several systems retrieved: the questions of each system by its name.

    Args:
        results: As in `evaluate_retrieved`, or a list of files; one system without a name is called 'results', or as
            its file.
        columns: The results' names for our fields, those of `COLUMNS`, if they have others.
    """
    columns = columns or {}
    unknown = columns.keys() - set(COLUMNS)
    if unknown:
        raise ValueError(f"result_columns={dict(columns)}: {sorted(unknown)} is none of {list(COLUMNS)}")
    if isinstance(results, str | os.PathLike):
        return _read_file(os.fspath(results), columns)
    if isinstance(results, list | tuple):
        paths = [os.fspath(path) for path in results if isinstance(path, str | os.PathLike)]
        if len(paths) == len(results) and any(os.path.exists(path) or _FILE.fullmatch(path) for path in paths):
            return _read_files(paths, columns)
    results = as_frame(results)
    if isinstance(results, list) and results and all(isinstance(row, Mapping) for row in results):
        return _read_rows(enumerate(results, start=1), "the results", "results", columns)
    if is_frame(results):
        rows = enumerate(results.to_dict("records"), start=1)
        return _read_rows(rows, "the DataFrame", "results", columns)
    if not isinstance(results, Mapping):
        raise ValueError(
            "results are {question: [what was retrieved, best first]}, such a dict for each system by name, rows "
            f"(dicts or a table), or files that exist, not {show_value(results)}"
        )
    if not results:
        raise ValueError("the results are empty; give {question: [what was retrieved, best first]}")
    if not (results.keys().isdisjoint(ROLES["query"]) or results.keys().isdisjoint(LIST)):
        # the output of a chain, which repeats its question
        return _read_rows([(1, results)], "the results", "results", columns)
    return _read_mapping(results, "results", columns)


def _read_mapping(results: Row, name: str, columns: Columns) -> Results:
    """Read {question: [...]}, one system of that name, or {system: {question: [...]}}."""
    several = all(_holds_questions(str(key), value) for key, value in results.items())
    systems = results if several else {name: results}
    return {
        str(system): {
            Question(str(question)): read_list(
                value, f"system {str(system)!r}, question {str(question)!r:.80}", columns
            )
            for question, value in of_system.items()
        }
        for system, of_system in systems.items()
    }


def _holds_questions(name: str, value: object) -> bool:
    """Tell {question: [...]} of a system from what was retrieved for a question.

    The output of a pipeline, {component: {"documents": [...]}}, is told by the blanks in the question.
    """
    if not isinstance(value, Mapping) or _is_response(value):
        return False
    return " " not in name.strip() or any(" " in str(key) for key in value) or not _list_components(value)


def _is_response(value: Row) -> bool:
    """Tell the response of a store from {question: [...]}: it has the fields of a response, and no question."""
    value = unflatten(value)
    names = map_names(tuple(value))
    return not any(" " in str(key) for key in value) and (
        not {"ids", *HITS}.isdisjoint(names) or any(follow_all(value, path) is not None for path in ENVELOPES)
    )


def _list_components(value: Row) -> list[str]:
    """List the components of a pipeline whose output has what was retrieved."""
    return [name for name, output in value.items() if isinstance(output, Mapping) and _is_response(output)]


def read_list(value: object, where: str, columns: Columns) -> list[Item]:
    """Read what was retrieved for a question: a list, a frame, or the response of a store."""
    things = _open_response(value, where)
    if things is None:
        raise ValueError(f"{where}: give a list of what was retrieved, best first, not {show_value(value)}")
    items = []
    for position, thing in enumerate(open_blocks(list(things)), start=1):
        if is_nothing(thing):
            continue
        item = read_item(thing, columns)
        if item is None and isinstance(thing, Mapping) and _is_response(thing):
            items += read_list(thing, where, columns)
            continue
        if item is None and is_missing(thing):
            item = Item(fault=Fault("blank", f"it is {thing}"))
        if item is None:
            raise ValueError(
                f"{where}, item {position}: {show_value(thing)} is nothing that was retrieved; give a text, a passage "
                "id, (docno, start, end), a dict with text, docno, start or end, or a document, node or hit of a "
                "framework or vector store"
            )
        items.append(item)
    return order_items(items, where)


def order_items(items: list[Item], where: str) -> list[Item]:
    """Order items by the ranks that they give; without ranks, the order given is the ranking.

    Raises:
        ValueError: Some have a rank and others none, two have the same, or the scores contradict the ranks.
    """
    ranks = [item.rank for item in items if item.rank is not None]
    if ranks:
        if len(ranks) < len(items):
            raise ValueError(f"{where}: {len(ranks)} of {len(items)} items have a rank; give all of them one, or none")
        if len(set(ranks)) < len(ranks):
            repeated = next(rank for rank in ranks if ranks.count(rank) > 1)
            raise ValueError(f"{where}: two items have rank {repeated}; give each its own")
        items = sorted(items, key=lambda item: item.rank or 0)
        scores = [item.score for item in items if item.score is not None]
        falls = any(a > b for a, b in pairwise(scores))
        rises = any(a < b for a, b in pairwise(scores))
        if falls and rises:
            raise ValueError(f"{where}: ranks and scores order the items differently; give one of the two")
    return [item if item.rank is None else item._replace(rank=None) for item in items]


def _open_response(response: object, where: str) -> Iterable[object] | None:
    """Return the things in a list, a frame, or the response of a store or framework; None if it is none of them."""
    for _ in range(_DEPTH):
        if response is None or isinstance(response, str | bytes):
            return None
        if isinstance(response, set | frozenset):
            raise ValueError(f"{where}: a set has no order; give a list, best first")
        if isinstance(response, np.ndarray):
            return list(response)
        response = response if hasattr(response, "to_pylist") else as_frame(response)
        if is_frame(response):
            return list(response.to_dict("records"))
        # Arrow tables have it.
        if hasattr(response, "to_pylist"):
            return list(response.to_pylist())
        if isinstance(response, Mapping) and isinstance(response.get("ids"), list):
            return _read_chroma(response, where)
        inner = _find_hits(response, where)
        if inner is not None:
            response = inner
        elif isinstance(response, Iterable) and not isinstance(response, Mapping):
            return response
        else:
            return None
    return None


def _find_hits(response: object, where: str) -> object:
    """Return the field in which a response keeps its hits; None if it has no such field."""
    if isinstance(response, list | tuple):
        return None
    fields = unflatten(as_fields(response))
    found = next((found for path in ENVELOPES if (found := follow_all(fields, path)) is not None), None)
    if found is not None:
        # Copilot's SDK names its sources beside its references.
        sources = follow_all(fields, ("citations", "sources")) or follow_all(fields, ("sources",)) or ()
        by_id = {follow(source, "id"): as_fields(source) for source in sources}
        named = [by_id.get(follow(reference, "source_id")) for reference in found]
        return [{**of, **as_fields(ref)} if of else ref for of, ref in zip(named, found, strict=True)]
    names = map_names(tuple(fields))
    for name in HITS:
        value = fields[names[name]] if name in names else None
        if value is not None and not isinstance(value, str):
            return value
    if not isinstance(response, Mapping):
        return None
    components = _list_components(response)
    if len(components) > 1:
        raise ValueError(f"{where}: {name_some(map(repr, components))} have results; give those of one of them")
    # GraphQL wraps the hits in the names of the query and the class.
    only = response[components[0]] if components else next(iter(response.values()), None)
    if not components and len(response) != 1:
        return None
    return only if isinstance(only, list | Mapping) else None


def _read_chroma(result: Row, where: str) -> list[JsonObject]:
    """Read a QueryResult of Chroma for one question, or a GetResult: lists side by side."""
    columns = {name: result[name] for name in ("ids", *_CHROMA) if result.get(name) is not None}
    if columns["ids"] and isinstance(columns["ids"][0], list):
        if len(columns["ids"]) != 1:
            raise ValueError(
                f"{where}: the result is of {len(columns['ids'])} queries; query with one question at a time"
            )
        columns = {name: column[0] for name, column in columns.items()}
    hits = []
    for i, name in enumerate(columns["ids"]):
        hit: dict[str, Any] = {"id": name, "metadata": (columns.get("metadatas") or {i: None})[i]}
        hits.append({**hit, "text": columns["documents"][i]} if "documents" in columns else hit)
    return hits


def _read_file(path: str, columns: Columns) -> Results:
    """Read a file of results: JSON lines, a JSON object of lists, CSV, Parquet, or a TREC run of passage ids."""
    name = os.path.basename(path).split(".")[0]
    bare = plain_name(path.lower())
    if bare.endswith(JSON_ENDINGS):
        text = _HALF.sub(lambda match: "" if len(match[0]) == 6 else match[0], read_text(path).replace("\r\n", "\n"))
        records = list(records_in(text, path))
        if len(records) == 1 and isinstance(records[0][1], dict) and _is_results(records[0][1]):
            return _read_mapping(records[0][1], name, columns)
        return _read_rows(records, path, name, columns)
    if not bare.endswith(TABLES):
        lines = read_bytes(path).decode("utf-8", "replace").splitlines()
        if lines and _RUN_LINE.fullmatch(lines[0]):
            return _read_rows(_read_run_lines(lines, path), path, name, columns)
    return _read_rows(read_table(path)[1], path, name, columns)


def _read_files(paths: list[str], columns: Columns) -> Results:
    results: Results = {}
    for path in paths:
        for system, of_system in _read_file(path, columns).items():
            if system in results:
                raise ValueError(
                    f"{path}: there are two systems called {system!r}; name one file or system differently"
                )
            results[system] = of_system
    return results


def _read_run_lines(lines: Iterable[str], path: str) -> Iterator[tuple[int, JsonObject]]:
    """Read a TREC run, whose docnos are passage ids or names of segments; the score orders it, as in trec_eval."""
    rows = []
    for where, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if not _RUN_LINE.fullmatch(line):
            raise FormatError("a line of a run is: topic Q0 passage rank score tag", file=path, line=where, text=line)
        qid, _, docno, _, score, _ = line.split()
        try:
            rows.append((float(score), where, qid, docno))
        except ValueError:
            raise FormatError("the score is not a number", file=path, line=where, text=line) from None
    for _, where, qid, docno in sorted(rows, key=lambda row: (row[0], row[3]), reverse=True):
        yield where, {"qid": qid, "docno": docno}


def _is_results(record: JsonObject) -> bool:
    """Tell {question: [...]} and {system: {question: [...]}} from a row with named fields."""
    if not record or {"qid", *ROLES["query"]} & map_names(tuple(record)).keys():
        return False
    values = list(record.values())
    return all(isinstance(value, list) or (isinstance(value, dict) and _is_response(value)) for value in values) or all(
        isinstance(value, dict) for value in values
    )


def _read_rows(rows: Iterable[tuple[int, object]], file: str, system: str, columns: Columns) -> Results:
    """Read rows of a question each, with a list of what was retrieved, or of one thing each, best first."""
    results: Results = {}
    # The line of each question's list.
    lists: dict[tuple[str, Question], int] = {}
    for where, row in rows:
        if not isinstance(row, Mapping):
            raise FormatError("this is not a row with named fields", file=file, line=where, text=str(row))
        row = unflatten({str(key).strip(): value for key, value in row.items()})
        row |= {ours: row[theirs] for ours, theirs in columns.items() if theirs in row}
        whole_row = row
        # A text of white space only was retrieved, too.
        row = {normalise_name(key): value for key, value in row.items() if not _is_gap(value)}
        of = str(row.get("system", system))
        qid, query = name_question(row)
        if qid is None and query is None:
            raise FormatError(
                f"the row has neither a question id ({', '.join(NAMED_QID)}) nor a question "
                f"({', '.join(ROLES['query'])})",
                file=file, line=where, text=show_row(row),
            )  # fmt: skip
        question = Question(qid or query or "", qid, query)
        known = results.setdefault(of, {}).setdefault(question, [])
        row = _pair_ids_with_contents(row)
        key = next((name for name in LIST if name in row and _holds_items(row[name])), None)
        found = row.get(key or "")
        if found is None:
            found = next((found for path in ENVELOPES if (found := follow_all(row, path)) is not None), None)
        if found is None:
            known.append(_read_row(whole_row, file, where, columns))
            continue
        items = _read_cell(found, file, where, key or "documents", columns)
        earlier = lists.setdefault((of, question), where)
        if earlier == where:
            known += items
        elif known == items:
            warn_caller(f"{file}:{where}: the same question and list as on line {earlier}; counted once")
        else:
            raise FormatError(
                f"the question has a list already, on line {earlier}; give each question one row, or rows of one text",
                file=file, line=where, text=question.name,
            )  # fmt: skip
    if not results:
        raise FormatError("the file holds no results", file=file)
    return {
        name: {asked: order_items(items, f"{file}, question {asked.name!r:.80}") for asked, items in of_system.items()}
        for name, of_system in results.items()
    }


def _pair_ids_with_contents(row: Row) -> Row:
    """Put AutoRAG's `retrieved_ids` and `retrieved_contents`, two lists side by side, into one."""
    texts = list_of(row.get("retrieved_contents"))
    if texts is None:
        return row
    ids = list_of(row.get("retrieved_ids"))
    if ids is None or len(ids) != len(texts):
        return {**row, "retrieved": texts}
    return {**row, "retrieved": [{"docno": name, "text": text} for name, text in zip(ids, texts, strict=True)]}


def _holds_items(value: object) -> bool:
    return _is_response(value) if isinstance(value, Mapping) else not isinstance(value, int | float)


def name_question(row: Row) -> tuple[str | None, str | None]:
    """Return a row's question id and text; ragnarok's and rank_llm's rows have both in `query`."""
    asked = (*(row[name] for name in ROLES["query"] if name in row), *(follow(row, path) for path in QUESTIONS))
    fields = next((found for value in asked if (found := as_question(value))), {})
    qid = next((str(row[name]) for name in NAMED_QID if name in row), fields.get("qid"))
    query = fields.get("text")
    if qid is None and query is None:
        qid = next((str(row[name]) for name in ("id", "_id") if name in row), None)
    return qid, query


def as_question(value: object) -> dict[str, str]:
    """Return the text and the id of a question: text, an object with `text` and `qid`, or turns of a conversation."""
    if isinstance(value, list) and value and isinstance(value[-1], Mapping):
        return as_question(value[-1])
    if isinstance(value, Mapping):
        return {name: str(value[name]) for name in ("text", "qid") if value.get(name) is not None}
    return {} if value is None else {"text": str(value)}


def _read_row(row: Row, file: str, where: int, columns: Columns) -> Item:
    named = (*NAMED_QID, *ROLES["query"])
    item = read_item({name: value for name, value in row.items() if normalise_name(name) not in named}, columns)
    if item is None:
        raise FormatError(
            f"the row names nothing that was retrieved: a text ({', '.join(TEXT)}), a passage id, docno with start and "
            f"end ({', '.join(DOCUMENT[:4])} ...) or alone, for all of its document, or a list ({', '.join(LIST)})",
            file=file, line=where, text=show_row(row),
        )  # fmt: skip
    return item


def _read_cell(value: object, file: str, where: int, key: str, columns: Columns) -> list[Item]:
    """Read a list of retrieved things, or the text of such a list in a cell of a table."""
    try:
        return read_list(parsed_list(value) if isinstance(value, str) else value, repr(key), columns)
    except ValueError as error:
        raise FormatError(str(error), file=file, line=where) from None


def _is_gap(value: object) -> bool:
    return is_missing(value) or (isinstance(value, str) and not value)


class Invokes(Protocol):
    """A retriever of LangChain."""

    def invoke(self, input: str, /) -> object: ...


class Retrieves(Protocol):
    """A retriever of LlamaIndex."""

    def retrieve(self, query: str, /) -> object: ...


class Runs(Protocol):
    """A component of Haystack."""

    def run(self, query: str) -> object: ...


class Searches(Protocol):
    """Anything else that searches."""

    def search(self, query: str, /) -> object: ...


Retriever: TypeAlias = Union[Callable[[str], object], Invokes, Retrieves, Runs, Searches, "pt.Transformer"]
RetrieverInput: TypeAlias = Retriever | Mapping[str, Retriever]
# The methods to call, in this order; coroutines come last.
_METHODS = ("invoke", "retrieve", "run", "search", "ainvoke", "aretrieve", "asearch")


@dataclass(frozen=True, eq=False)
class _Answer:
    """What was retrieved for a question; *batch*: the seconds are a share of those that all questions took."""

    items: list[Item]
    seconds: float
    batch: bool = False
    error: Exception | None = None


def is_retriever(value: object) -> bool:
    if isinstance(value, str | list | tuple | Mapping) or is_frame(as_frame(value)):
        return False
    return callable(value) or any(callable(getattr(value, name, None)) for name in _METHODS)


class _EventLoop:
    """An event loop in a thread of its own, beside one that may run already, as in a notebook."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def wait_for(self, answer: Awaitable[object]) -> object:
        """Return the result of an awaitable; all share one loop, to which clients bind their connections."""

        async def wait() -> object:
            return await answer

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return asyncio.run_coroutine_threadsafe(wait(), self._loop).result()

    def stop(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)


class AskedRetrievers:
    """The answers of retrievers to the questions of the evidence.

    If a retriever raises an error for all questions, that is raised.

    Args:
        columns: Names of fields of what is retrieved, as in `read_retrieved`.
        workers: How many questions are asked at a time, in threads.
        stop: Let the first error of a retriever stop everything.
    """

    def __init__(
        self,
        retrievers: RetrieverInput,
        qrels: pd.DataFrame,
        columns: Columns | None,
        *,
        workers: int,
        stop: bool,
        verbose: bool,
    ):
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise ValueError(f"workers={workers!r}: give how many questions are asked at a time, 1 or more")
        if "query" not in qrels.columns or qrels["query"].isna().any():
            raise ValueError("the evidence has questions without a text, which no retriever can be asked")
        self.questions = question_texts(qrels)
        self.columns = columns or {}
        self.workers = workers
        self.stop = stop
        self.verbose = verbose
        self._loop = _EventLoop()
        named = retrievers if isinstance(retrievers, Mapping) else {"results": retrievers}
        try:
            self._answers = {str(name): self._ask(str(name), retriever) for name, retriever in named.items()}
        finally:
            self._loop.stop()

    @property
    def results(self) -> Results:
        """What was retrieved, as `read_retrieved` reads it."""
        return {
            name: {Question(qid, qid, self.questions[qid]): answer.items for qid, answer in answers.items()}
            for name, answers in self._answers.items()
        }

    @property
    def calls(self) -> pd.DataFrame:
        """A row per system and question: name, qid, seconds, batch, error."""
        rows = [
            (name, qid, answer.seconds, answer.batch, repr(answer.error) if answer.error else "")
            for name, answers in self._answers.items()
            for qid, answer in answers.items()
        ]
        return pd.DataFrame(rows, columns=["name", "qid", "seconds", "batch", "error"])

    def _ask(self, name: str, retriever: Retriever) -> dict[str, _Answer]:
        """Ask a retriever all questions; one warning tells of its errors."""
        import pyterrier as pt

        if isinstance(retriever, pt.Transformer):
            answers = self._ask_transformer(name, retriever)
        else:
            answers = self._ask_each(name, _find_call(name, retriever))
        failed = {qid: answer.error for qid, answer in answers.items() if answer.error}
        if failed:
            qid, error = next(iter(failed.items()))
            if len(failed) == len(answers):
                raise error
            warn_caller(
                f"system {name!r} raised for {len(failed)} of {len(answers)} questions, which count as nothing "
                f"retrieved, first for {self.questions[qid]!r:.80}: {error!r}; errors='raise' stops there"
            )
        return answers

    def _ask_each(self, name: str, call: Callable[[str], object]) -> dict[str, _Answer]:
        def ask(qid: str) -> _Answer:
            begin = time.perf_counter()
            try:
                found = call(self.questions[qid])
                if inspect.isawaitable(found):
                    found = self._loop.wait_for(found)
                seconds = time.perf_counter() - begin
                # A tool of an agent returns one text.
                found = [found] if isinstance(found, str) else found
                return _Answer(read_list(found, self._describe(name, qid), self.columns), seconds)
            except Exception as error:  # whatever a stranger's program raises
                if self.stop:
                    raise
                return _Answer([], float("nan"), error=error)

        if self.workers == 1:
            # In this thread, to which a retriever may be bound.
            return self._collect(name, map(ask, self.questions))
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                return self._collect(name, pool.map(ask, self.questions))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _collect(self, name: str, answers: Iterable[_Answer]) -> dict[str, _Answer]:
        bar = tqdm(answers, name, len(self.questions), delay=1, leave=False, disable=not self.verbose)
        return dict(zip(self.questions, bar, strict=True))

    def _ask_transformer(self, name: str, transformer: pt.Transformer) -> dict[str, _Answer]:
        """Ask a transformer all questions at once; if that raises an error, one by one, to find the question."""
        begin = time.perf_counter()
        try:
            found = _rank(transformer.transform(self._make_topics(list(self.questions))))
        except Exception:  # whatever a stranger's program raises
            if self.stop:
                raise
            call = {query: qid for qid, query in self.questions.items()}
            return self._ask_each(name, lambda query: _rank(transformer.transform(self._make_topics([call[query]]))))
        seconds = (time.perf_counter() - begin) / len(self.questions)
        by_qid = dict(tuple(found.groupby("qid")))
        return {
            qid: _Answer(read_list(by_qid.get(qid, []), self._describe(name, qid), self.columns), seconds, True)
            for qid in self.questions
        }

    def _make_topics(self, qids: list[str]) -> pd.DataFrame:
        return pd.DataFrame({"qid": qids, "query": [self.questions[qid] for qid in qids]})

    def _describe(self, name: str, qid: str) -> str:
        return f"system {name!r}, question {self.questions[qid]!r:.80}"


def _rank(found: pd.DataFrame) -> pd.DataFrame:
    """Return what a transformer retrieved in the order of its ranks, else of its scores."""
    if not is_frame(found):
        raise ValueError(f"a transformer returns a frame, the list of what it retrieved, not {show_value(found)}")
    if "passages" in found.columns:
        found = unpack(found).drop(columns="text", errors="ignore")
    found = found.assign(qid=found["qid"].astype(str)).drop(columns=["docid", "query"], errors="ignore")
    if "rank" not in found.columns and "score" in found.columns:
        return found.sort_values("score", ascending=False, kind="stable")
    return found


def _find_call(name: str, retriever: Any) -> Callable[[str], object]:
    method = next((method for method in _METHODS if callable(getattr(retriever, method, None))), None)
    call: Callable[..., object] = retriever if method is None else getattr(retriever, method)
    if method != "run":
        return call
    parameters = inspect.signature(call).parameters
    if "query" not in parameters and all(of.kind is not of.VAR_KEYWORD for of in parameters.values()):
        raise ValueError(
            f"system {name!r}: run() of {type(retriever).__name__} takes no query, but {', '.join(parameters)}; give a "
            "function of the question, such as lambda question: pipeline.run({'retriever': {'query': question}})"
        )
    return lambda question: call(query=question)


def question_texts(qrels: pd.DataFrame) -> dict[str, str]:
    """Return the text of each question by its qid; the qid itself if the qrels have no texts."""
    return dict(zip(qrels["qid"].astype(str), qrels.get("query", qrels["qid"]), strict=True))
