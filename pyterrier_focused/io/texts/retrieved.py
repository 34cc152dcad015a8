"""What a retriever returned, as any RAG stack has it: for each question the texts, documents, nodes or ids, best first.

Read here as `Item`s, one for each thing retrieved, in the order given; where they lie is found in `place_retrieved`.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import FormatError
from ..reading.tables import parsed_list, read_table
from .corpus import json_records
from .field_names import QID, QUERY

TEXT = ("page_content", "text", "content", "contents", "chunk", "passage", "segment", "quote")
DOCUMENT = (
    "docno", "doc_id", "docid", "document_id", "source", "file_path", "filepath", "file_name", "filename", "file",
    "path", "url", "document", "doc", "article", "source_id", "ref_doc_id", "title",
)  # fmt: skip
START = (
    "start", "start_index", "start_char_idx", "start_char", "start_character", "start_offset", "split_idx_start",
    "begin", "offset",
)  # fmt: skip
END = ("end", "end_index", "end_char_idx", "end_char", "end_character", "end_offset")
ID = ("docno", "id", "_id", "id_", "chunk_id", "passage_id", "doc_id", "docid")  # these may hold a passage id
LIST = (
    "retrieved", "results", "retrieved_contexts", "retrieval_context", "contexts", "source_nodes", "nodes", "documents",
    "passages", "chunks",
)  # fmt: skip

Results = dict[str, dict[str, list["Item"]]]


class Item(NamedTuple):
    """One thing that was retrieved, as it describes itself; None for what it does not say."""

    text: str | None = None
    start: int | None = None
    end: int | None = None
    documents: tuple[str, ...] = ()  # what it calls its document, most telling first
    ids: tuple[str, ...] = ()  # names that may be passage ids


def read_retrieved(results: Any) -> Results:
    """Read what one or several systems retrieved: {system: {question or qid: [Item, ...]}}.

    *results* is as in `evaluate_retrieved`; one system without a name is called 'results'. Raises ValueError that names
    system, question and position of what is nothing that was retrieved.
    """
    if isinstance(results, str | os.PathLike):
        return _read_file(os.fspath(results))
    if hasattr(results, "itertuples"):
        rows = enumerate(results.to_dict("records"), start=1)
        return _read_rows(rows, "the DataFrame", "results")
    if not isinstance(results, Mapping):
        raise ValueError(
            f"results are {{question: [what was retrieved, best first]}}, or such a dict for each system by name, not "
            f"{type(results).__name__}"
        )
    if not results:
        raise ValueError("the results are empty; give {question: [what was retrieved, best first]}")
    systems = results if all(isinstance(found, Mapping) for found in results.values()) else {"results": results}
    return {
        str(system): {
            str(question): _read_items(found, f"system {str(system)!r}, question {str(question)!r:.80}")
            for question, found in of_system.items()
        }
        for system, of_system in systems.items()
    }


def _read_items(found: Any, where: str) -> list[Item]:
    """Read the list of what was retrieved for a question."""
    found = getattr(found, "source_nodes", found)  # a response of LlamaIndex
    if found is None or isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise ValueError(f"{where}: give a list of what was retrieved, best first, not {found!r:.80}")
    items = []
    for position, thing in enumerate(found, start=1):
        item = _read_item(thing)
        if item is None:
            raise ValueError(
                f"{where}, item {position}: {thing!r:.80} is nothing that was retrieved; give a text, a passage id, "
                "(docno, start, end), a dict with text, docno, start or end, or a document or node of LangChain, "
                "LlamaIndex or Haystack"
            )
        items.append(item)
    return items


def _read_item(thing: Any) -> Item | None:
    """Read one thing that was retrieved; None where it is none."""
    if isinstance(thing, str):
        return Item(text=thing, ids=(thing,))
    if isinstance(thing, Item):
        return thing
    if isinstance(thing, tuple | list):
        return _read_tuple(list(thing))
    if not isinstance(thing, Mapping) and hasattr(thing, "node"):  # LlamaIndex's NodeWithScore
        thing = thing.node
    metadata = _get_field(thing, "metadata") or _get_field(thing, "meta")
    sources = [thing, metadata] if isinstance(metadata, Mapping) else [thing]
    text = next((value for name in TEXT if isinstance(value := _get_field(thing, name), str)), None)
    start, end = _get_offset(sources, START), _get_offset(sources, END)
    names = [str(value) for source in sources for name in DOCUMENT if (value := _get_name(source, name)) is not None]
    ids = [str(value) for source in sources for name in ID if (value := _get_name(source, name)) is not None]
    if text is None and end is None and not ids:
        return None
    return Item(text, start, end, tuple(dict.fromkeys(names)), tuple(dict.fromkeys(ids)))


def _read_tuple(values: list[Any]) -> Item | None:
    """Read (docno, start, end), with a text or without, or a thing with its score, as searches return pairs."""
    numbers = [whole_or_none(value) for value in values[1:3]]
    if len(values) in (3, 4) and isinstance(values[0], str) and None not in numbers:
        text = values[3] if len(values) == 4 else None
        if text is None or isinstance(text, str):
            return Item(text, numbers[0], numbers[1], (values[0],))
    scored = len(values) == 2 and isinstance(values[1], int | float | np.number) and not isinstance(values[1], bool)
    return _read_item(values[0]) if scored and not isinstance(values[0], tuple | list) else None


def _get_field(thing: Any, name: str) -> Any:
    value = thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
    return None if callable(value) else value


def _get_name(source: Any, name: str) -> str | int | None:
    value = _get_field(source, name)
    if isinstance(value, str):
        return value if value.strip() else None
    return int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else None


def _get_offset(sources: list[Any], names: tuple[str, ...]) -> int | None:
    found = next(
        (value for source in sources for name in names if (value := _get_field(source, name)) is not None), None
    )
    value = whole_or_none(found)
    return value if value is not None and value >= 0 else None  # -1: not found, as LangChain has it


def whole_or_none(value: Any) -> int | None:
    """Return a whole number, whichever way it is written: 3, numpy's 3, 3.0, "3"; None for anything else."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    if isinstance(value, int | np.integer):
        return int(value)
    return int(value) if math.isfinite(value) and float(value).is_integer() else None


def _read_file(path: str) -> Results:
    """Read a file of results: JSON lines, a JSON object of lists, or CSV."""
    name = os.path.basename(path).split(".")[0]
    if path.lower().removesuffix(".gz").removesuffix(".bz2").endswith((".json", ".jsonl", ".ndjson")):
        records = list(json_records(path))
        if len(records) == 1 and isinstance(records[0][1], dict) and _is_results(records[0][1]):
            read = read_retrieved(records[0][1])
            return {name: read["results"]} if list(read) == ["results"] else read
        return _read_rows(records, path, name)
    return _read_rows(read_table(path)[1], path, name)


def _is_results(record: dict[str, Any]) -> bool:
    """Tell {question: [...]} and {system: {question: [...]}} from a row with named fields."""
    if not record or {"qid", *QUERY} & record.keys():
        return False
    values = list(record.values())
    return all(isinstance(value, list) for value in values) or all(isinstance(value, dict) for value in values)


def _read_rows(rows: Iterable[tuple[int, Any]], file: str, system: str) -> Results:
    """Read rows of a question each, with a list of what was retrieved, or of one thing each, best first."""
    results: Results = {}
    for where, row in rows:
        if not isinstance(row, Mapping):
            raise FormatError("this is not a row with named fields", file=file, line=where, text=str(row))
        row = {str(key).strip(): value for key, value in row.items() if not _is_gap(value)}
        question = next((str(row[name]) for name in (*QID[:4], *QUERY, "id", "_id") if name in row), None)
        if question is None:
            raise FormatError(
                f"the row has neither a question id ({', '.join(QID[:4])}) nor a question ({', '.join(QUERY)})",
                file=file, line=where, text=json.dumps(row, default=str),
            )  # fmt: skip
        of_question = results.setdefault(str(row.get("system", system)), {}).setdefault(question, [])
        key = next((name for name in LIST if name in row), None)
        if key is not None:
            found = parsed_list(row[key]) if isinstance(row[key], str) else row[key]
            of_question += _read_list(found, file, where, key)
            continue
        item = _read_item({name: value for name, value in row.items() if name not in (*QID[:4], *QUERY)})
        if item is None:
            raise FormatError(
                f"the row names nothing that was retrieved: a text ({', '.join(TEXT)}), a passage id, docno with start "
                f"and end, or a list ({', '.join(LIST)})",
                file=file, line=where, text=json.dumps(row, default=str),
            )  # fmt: skip
        of_question.append(item)
    if not results:
        raise FormatError("the file holds no results", file=file)
    return results


def _read_list(found: Any, file: str, where: int, key: str) -> list[Item]:
    try:
        return _read_items(found, repr(key))
    except ValueError as error:
        raise FormatError(str(error), file=file, line=where) from None


def _is_gap(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or (isinstance(value, str) and not value)
