"""Lines of white-space separated fields as columns, read whole by Arrow.

Only well-formed text is taken: every function answers None if anything is out of the ordinary, and the reader then
goes line by line, which names what is wrong. Nothing here decides what an error is.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import Array
from pyarrow import csv as arrow_csv

from ..frames.spans import Floats, Ints

# White space of other scripts.
FOREIGN_SPACE = re.compile("[^\\S \t\r\n]|[\x1c-\x1f]")
_CONTROL = bytes(code for code in range(32) if chr(code) not in "\t\n\r") + b"\x7f"
# For each column Arrow takes kilobytes, however short the file is.
_MAX_FIELDS = 100
# This character is in no text that is read.
_NO_DELIMITER = "\x01"


def is_plain(data: bytes) -> bool:
    """Tell whether *data* is without control characters and white space of other scripts; Arrow checks the UTF-8."""
    if len(data.translate(None, _CONTROL)) < len(data):
        return False
    if data.startswith(b"\xef\xbb\xbf"):
        # Arrow would take the byte order mark away.
        return False
    return data.isascii() or not FOREIGN_SPACE.search(data.decode("utf-8", "replace"))


def read_fields(data: bytes, names: list[str], coded: Collection[str] = ()) -> dict[str, Array] | None:
    """Read lines that all have the fields *names*, set apart by one blank or one tab, as Arrow columns of text.

    The columns *coded* have dictionaries, for `name_codes`.
    """
    if len(names) > _MAX_FIELDS or not is_plain(data) or (b" " in data) == (b"\t" in data):
        return None
    columns = _read_columns(data, names, " " if b" " in data else "\t", coded)
    if columns is None or any(_has_empty_text(column) for column in columns.values()):
        # Two blanks in a row set an empty field apart.
        return None
    return columns


def read_lines(data: bytes) -> Array | None:
    """Read the fields of lines of any number of fields: an Arrow column of lists of texts."""
    if not is_plain(data):
        return None
    columns = _read_columns(data, ["line"], _NO_DELIMITER)
    return None if columns is None else pc.ascii_split_whitespace(pc.ascii_trim_whitespace(columns["line"]))


def take(column: Array, positions: Ints) -> Array:
    return column.take(pa.array(positions))


def matches(column: Array, pattern: str) -> NDArray[np.bool_]:
    """Tell which entries hold a match of the regular expression *pattern*."""
    found: NDArray[np.bool_] = pc.match_substring_regex(column, pattern).to_numpy(zero_copy_only=False)
    return found


def split_in_two(column: Array, mark: str) -> tuple[Array, Array] | None:
    """Split texts at *mark* into (texts before, texts after); None unless each has exactly one mark."""
    halves = pc.split_pattern(column, mark)
    if (halves.value_lengths().to_numpy() != 2).any():
        return None
    both = halves.flatten()
    before = 2 * np.arange(len(halves))
    return take(both, before), take(both, before + 1)


def whole_numbers(column: Array) -> Ints | None:
    """Read a column of texts as int64; None if one is not a whole number in digits 0-9, or beyond 64 bits."""
    if not pc.all(pc.ascii_is_decimal(column), min_count=0).as_py():
        return None
    try:
        numbers: Ints = column.cast(pa.int64()).to_numpy()
        return numbers
    except pa.ArrowInvalid:
        return None


def decimals(column: Array) -> Floats | None:
    """Read a column of texts as float64; None if one is not a finite decimal number."""
    try:
        values: Floats = column.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    return values if np.isfinite(values).all() else None


def name_codes(column: Array) -> tuple[Ints, list[str]]:
    """Number texts in order of appearance: (code of each, text of each code)."""
    encoded = column.dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


def first_codes(key: Ints) -> tuple[Ints, Ints]:
    """Number keys in order of appearance: (code of each key, position of the first key of each code).

    key 7 7 3 7      code 0 0 1 0, position 0 2
    """
    keys = pd.Series(key)
    return pd.factorize(keys)[0], np.flatnonzero(~keys.duplicated())


def _has_empty_text(column: Array) -> bool:
    texts = column.dictionary if hasattr(column, "dictionary") else column
    return bool(pc.any(pc.equal(pc.binary_length(texts), 0)).as_py())


def _read_columns(
    data: bytes, names: list[str], delimiter: str, coded: Collection[str] = ()
) -> dict[str, Array] | None:
    """Read columns of text; None if a line has another number of fields, or no text at all."""
    read = arrow_csv.ReadOptions(column_names=names, use_threads=False, block_size=len(data) + 1)
    parse = arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False)
    types = {name: pa.dictionary(pa.int32(), pa.string()) if name in coded else pa.string() for name in names}
    convert = arrow_csv.ConvertOptions(column_types=types)
    try:
        table = arrow_csv.read_csv(pa.BufferReader(data), read, parse, convert)
    except pa.ArrowInvalid:
        return None
    return {name: table.column(name).combine_chunks() for name in names}
