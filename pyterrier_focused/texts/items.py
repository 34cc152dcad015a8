"""One thing that was retrieved, as vector stores and frameworks hand it over: a text, document, hit, point or node.

A hit keeps its text and metadata at one of a few places, whoever made it. They are looked for in this order:

    LangChain        Document.page_content, .metadata         LlamaIndex   NodeWithScore.node.text, .metadata
    Qdrant           ScoredPoint.payload                      Chroma       documents, metadatas, ids side by side
    Elasticsearch    hit["_source"]                           Pinecone     match["metadata"]
    Weaviate         object.properties                        Bedrock      result["content"]["text"], ["location"]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ..frames.span_cells import is_missing
from ..reading.json import Row
from .field_names import number_or_none, whole_or_none
from .text_parts import PART_FIELDS, Parts, read_parts

TEXT = (
    "page_content", "text", "content", "contents", "chunk", "chunk_text", "passage", "segment", "quote", "body",
)  # fmt: skip
DOCUMENT = (
    "docno", "doc_id", "docid", "document_id", "source", "file_path", "filepath", "file_name", "filename", "file",
    "path", "url", "document", "doc", "article", "source_id", "ref_doc_id", "uri", "sourceUri", "link", "title",
)  # fmt: skip
START = (
    "start", "start_index", "start_char_idx", "start_char", "start_character", "start_offset", "split_idx_start",
    "begin", "offset",
)  # fmt: skip
END = ("end", "end_index", "end_char_idx", "end_char", "end_character", "end_offset")
# These may hold a passage id.
ID = ("docno", "id", "_id", "id_", "chunk_id", "passage_id", "doc_id", "docid", "uuid")
SCORE = ("score", "_score", "similarity", "relevance_score")

# The fields in which a hit keeps what it found, and those in which that keeps its metadata.
_CARRIERS = (
    "node", "payload", "_source", "fields", "properties", "entity", "document", "doc", "chunk", "content", "kwargs",
)  # fmt: skip
_METADATA = (
    "metadata", "meta", "attributes", "origin", "documentMetadata", "derivedStructData", "location", "s3Location",
)  # fmt: skip
_NAMES = (*TEXT, *DOCUMENT, *START, *END, *ID, "rank", *SCORE, *_CARRIERS, *_METADATA, *PART_FIELDS)
# Beyond the length of any text.
_LARGEST = 2**48
# A hit may keep its document, whose metadata names its origin.
_DEPTH = 3


class Item(NamedTuple):
    """One thing that was retrieved, as it describes itself; None for what it does not say.

    `documents` are the names of its document, the most telling first; `ids` are names that may be passage ids; `parts`
    are the lines or pages of the document that it names.
    """

    text: str | None = None
    start: int | None = None
    end: int | None = None
    documents: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    rank: int | None = None
    score: float | None = None
    parts: Parts | None = None


def read_item(thing: object, columns: Mapping[str, str] | None = None) -> Item | None:
    """Read one thing that was retrieved; None if it is not one. *columns*: its names for our fields, if it has others.

    Example:
        >>> read_item({"body_text": "Cats sleep.", "file": "a.txt"}, {"text": "body_text"}).text
        'Cats sleep.'
    """
    if isinstance(thing, str):
        return Item(text=thing, ids=(thing,))
    if isinstance(thing, Item):
        return thing
    if isinstance(thing, tuple | list):
        return _read_tuple(list(thing), columns)
    sources = _list_sources(thing)
    if columns:
        sources.insert(0, _rename_fields(thing, sources, columns))
    text = _find_text(sources)
    start = _find_offset(sources, START)
    end = _find_offset(sources, END)
    documents = _find_names(sources, DOCUMENT)
    ids = _find_names(sources, ID)
    if text is None and end is None:
        # Qdrant's payloads and Chroma's rows call the text so.
        text = _find_text(sources, ("document",))
    parts = read_parts(sources)
    if text is None and end is None and not ids and not (parts and documents):
        return None
    names = tuple(name for name in documents if name != text)
    score = number_or_none(_find_value(sources[:1], SCORE))
    rank = whole_or_none(sources[0].get("rank"))
    return Item(text, start, end, names, ids, rank, None if score is None else float(score), parts)


def _rename_fields(thing: object, sources: list[Row], columns: Mapping[str, str]) -> Row:
    """Return the fields of a thing that have other names, by ours, with its own rank and score."""
    renamed = {name: value for name, value in sources[0].items() if name in ("rank", *SCORE)}
    for ours, theirs in columns.items():
        value = _find_value(sources, (theirs,))
        value = getattr(thing, theirs, None) if value is None else value
        if value is not None:
            renamed[ours] = value
    return renamed


def _read_tuple(values: list[object], columns: Mapping[str, str] | None) -> Item | None:
    """Read (docno, start, end), with a text or without, or a thing with its score, as searches return pairs."""
    numbers = [whole_or_none(value) for value in values[1:3]]
    if len(values) in (3, 4) and isinstance(values[0], str) and None not in numbers:
        text = values[3] if len(values) == 4 else None
        if text is None or isinstance(text, str):
            return Item(text, numbers[0], numbers[1], (values[0],))
    scored = len(values) == 2 and isinstance(values[1], int | float | np.number) and not isinstance(values[1], bool)
    return read_item(values[0], columns) if scored and not isinstance(values[0], tuple | list) else None


def _list_sources(thing: object) -> list[Row]:
    """List the mappings in which the fields of a thing are looked for, the outermost first."""
    sources = [as_fields(thing)]
    layer = sources
    for _ in range(_DEPTH):
        inner = [fields[name] for fields in layer for name in (*_CARRIERS, *_METADATA) if name in fields]
        layer = [as_fields(value) for value in inner if not isinstance(value, str | bytes | list | tuple)]
        layer = [fields for fields in layer if fields]
        if not layer:
            break
        sources += layer
    return sources


def as_fields(thing: object) -> Row:
    """Return a thing's fields by name: its items if it is a mapping, else those of its attributes that are known."""
    if isinstance(thing, dict):
        return thing
    if isinstance(thing, Mapping):
        return dict(thing)
    if thing is None or isinstance(thing, str | bytes | int | float):
        return {}
    values = {name: getattr(thing, name, None) for name in _NAMES}
    return {name: value for name, value in values.items() if value is not None and not callable(value)}


def _find_text(sources: list[Row], names: Iterable[str] = TEXT) -> str | None:
    for fields in sources:
        for name in names:
            if name not in fields:
                continue
            value = fields[name]
            if isinstance(value, str):
                return value
            if isinstance(value, list) and (texts := [text for part in value if (text := _text_of_part(part))]):
                return "\n".join(texts)
    return None


def _text_of_part(part: object) -> str | None:
    """Return the text of a part of a content that is a list, as OpenAI's file search has it."""
    text = as_fields(part).get("text")
    return text if isinstance(text, str) and text else None


def _find_names(sources: list[Row], names: Iterable[str]) -> tuple[str, ...]:
    values = (_name_or_none(fields[name]) for fields in sources for name in names if name in fields)
    return tuple(dict.fromkeys(value for value in values if value is not None))


def _name_or_none(value: object) -> str | None:
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return None
    return str(int(value))


def _find_offset(sources: list[Row], names: Iterable[str]) -> int | None:
    value = whole_or_none(_find_value(sources, names))
    # LangChain writes -1 for what it did not find.
    return value if value is not None and 0 <= value < _LARGEST else None


def _find_value(sources: list[Row], names: Iterable[str]) -> object:
    for fields in sources:
        for name in names:
            if name in fields and not is_missing(fields[name]):
                return fields[name]
    return None
