"""What files of texts are called, and which of them hold records."""

from __future__ import annotations

import os
import re

from .files import JSON_ENDINGS, open_binary, plain_name
from .tables import TABLES

# Endings that are not in the docno of a file.
SUFFIXES = (".txt", ".md", ".markdown", ".rst", ".text")
NOTEBOOK = ".ipynb"
# Endings of pages and of XML, which are not in a docno either.
_MARKED = (".html", ".htm", ".xhtml", ".xml", ".nxml")
# Files of these endings hold records, but for pages of an Enterprise dump.
_RECORDS = (*JSON_ENDINGS, *TABLES)
_LINES = JSON_ENDINGS[1:]
# Bytes of a line that are looked at.
_MAX_LINE = 2**26


def as_docno(name: str) -> str:
    """Make a docno of any name: white space becomes `_`."""
    return re.sub(r"\s", "_", name.strip())


def holds_records(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file holds records: a table, or JSON that is not pages of HTML."""
    bare = plain_name(os.fspath(path).lower())
    if os.path.isdir(path) or not bare.endswith(_RECORDS):
        return False
    if not bare.endswith(_LINES):
        return True
    with open_binary(path) as lines:
        return not is_page(lines.readline(_MAX_LINE))


def is_page(line: bytes) -> bool:
    """Tell whether a line of JSON holds a page of HTML, as the dumps of Wikimedia Enterprise do."""
    return b'"article_body"' in line


def name_file(file: str) -> tuple[str, ...]:
    """Return the names by which evidence may call a file's article: path and file name, with and without ending."""
    name = file.rsplit("/", 1)[-1]
    return tuple(dict.fromkeys((file, name, find_stem(file), find_stem(name))))


def find_stem(name: str) -> str:
    stem, suffix = os.path.splitext(name)
    return stem if suffix.lower() in (*SUFFIXES, *_MARKED) else name


def strip_suffix(name: str) -> str:
    """Return a file's name without the ending of plain text and Markdown; other endings are part of a docno."""
    stem, suffix = os.path.splitext(name)
    return stem if suffix.lower() in SUFFIXES else name
