"""What fields of records are called, and the numbers, names and lists in them, whichever way they are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ..frames.ids import parse_ids
from ..frames.spans import Span
from .tables import parsed_list

# What the fields of a text, of its document and of its own id are called, the most telling first.
TEXT = tuple(
    "page_content text content contents chunk chunk_text passage segment quote body cited_text exact cite observation "
    "snippet extractive_segments extractive_answers".split()
)
DOCUMENT = tuple(
    "docno doc_id docid document_id source file_path filepath file_name filename file path url document doc article "
    "source_id ref_doc_id uri source_uri link title document_title document_name doc_name source_file corpus_id "
    "wikipedia_id".split()
)
# These may hold a passage id.
IDS = tuple("docno id _id id_ chunk_id passage_id doc_id docid uuid".split())
_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BLANKS = re.compile(r"[\s-]+")
_DASHED = re.compile(r"(?P<docno> \S+ ) - (?P<start> [0-9]{1,15} ) - (?P<end> [0-9]{1,15} )", re.VERBOSE)
# A column with gaps makes pandas write whole numbers as 16.0.
_WHOLE = re.compile(r"\s* -? [0-9]{1,31} (?: \.0* )? \s*", re.VERBOSE)


@lru_cache(4096)
def normalise_name(name: object) -> str:
    """Return a field's name as snake_case: `docId`, "Doc ID" and doc-id are doc_id."""
    text = str(name).strip()
    return _BLANKS.sub("_", _CASES.sub("_", text) if not text.isupper() else text).lower()


@lru_cache(4096)
def map_names(keys: tuple[object, ...]) -> Mapping[str, Any]:
    """Map the normalised names of the keys of a mapping to these; made once for each set of keys."""
    names: dict[str, Any] = {}
    for key in keys:
        names.setdefault(normalise_name(key), key)
    return names


def parse_passage_id(name: str) -> tuple[str, Span] | None:
    """Read the document and the span off a passage's id, `DOCNO#START-END`; None for any other name."""
    docno, start, end = (column[0] for column in parse_ids([name]))
    return (str(docno), (int(start), int(end))) if start >= 0 else None


def parse_dashed_id(name: str) -> tuple[str, Span] | None:
    """Read `DOCNO-START-END`, as MTRAG writes ids of passages; a date, `2020-01-15`, reads so too."""
    match = _DASHED.fullmatch(name)
    if match is None or int(match["start"]) >= int(match["end"]):
        return None
    return match["docno"], (int(match["start"]), int(match["end"]))


def whole_or_none(value: object) -> int | None:
    """Return a whole number, whichever way it is written: 3, numpy's 3, 3.0, "3"; None for anything else."""
    if isinstance(value, str):
        return int(float(value) if "." in value else value) if _WHOLE.fullmatch(value) else None
    number = number_or_none(value)
    if number is None or isinstance(number, int):
        return number
    return int(number) if number.is_integer() else None


def number_or_none(value: object) -> int | float | None:
    """Return a number, whichever way it is written."""
    if value is None or type(value) in (int, float):
        return value  # type: ignore[return-value]
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    return int(value) if isinstance(value, int | np.integer) else float(value)


def name_or_none(value: object) -> str | None:
    """Return a name, or a whole number as one; None for anything else."""
    if isinstance(value, str):
        return value if value and not value.isspace() else None
    number = whole_or_none(value)
    return None if number is None else str(number)


def list_of(value: object) -> list[Any] | None:
    """Return a list, numpy's or one that was written into a cell, as a list; None for anything else."""
    value = parsed_list(value) if isinstance(value, str) else value
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(value) if isinstance(value, list | tuple) else None
