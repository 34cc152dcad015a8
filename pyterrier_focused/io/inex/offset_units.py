"""Characters or bytes? Which unit the offsets of an archive's files count, by the lengths of the collection's articles.

Sources disagree about INEX's unit, so nothing is assumed: each article's length in characters and in UTF-8 bytes is
held against the file's. Articles of ASCII only fit both and say nothing. Spans that count bytes are converted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import COLLECTION, check_choice, warn_caller
from ...frames.articles import ArticleCollection
from ...frames.columns import MISSING_START, flatten, span_column
from ...frames.spans import Ints, union_sizes

# The official tool counts a passage that does not exist as 18 characters with nothing relevant. Here: beyond any text,
# the second such passage of an article after its first, so that they never overlap.
MISSING_LENGTH = 18


def is_missing(start: Ints, end: Ints) -> NDArray[np.bool_]:
    """Tell which spans stand for passages that do not exist."""
    in_steps = (start - MISSING_START) % MISSING_LENGTH == 0
    missing: NDArray[np.bool_] = in_steps & (start >= MISSING_START) & (end - start == MISSING_LENGTH)
    return missing


_KIND = {(True, True): "both", (True, False): "characters", (False, True): "bytes", (False, False): "neither"}


class UnitCheck(NamedTuple):
    """The numbers of a file's articles that fit each unit.

    `both`: either fits, as the article is ASCII or no passage of a run reaches its end. `unknown`: not in the
    collection. `misfit`: an article that fits neither or is unknown, '' if there is none.
    """

    articles: int
    characters: int
    bytes: int
    both: int
    neither: int
    unknown: int
    unit: str
    misfit: str

    def __str__(self) -> str:
        if not (self.characters or self.bytes or self.both):
            return self._explain_difference()
        text = (
            f"offsets count {self.unit}: of {self.articles} articles {self.characters} fit only characters, "
            f"{self.bytes} only bytes, {self.both} both, {self.neither} neither; {self.unknown} are not in the "
            "collection"
        )
        return text + (f" (first misfit: {self.misfit})" if self.misfit else "")

    def _explain_difference(self) -> str:
        if not self.articles:
            return f"no article tells what offsets count; {self.unit} are taken"
        return (
            f"offsets fit none of {self.articles} articles, neither as characters nor as bytes ({self.unit} are "
            f"taken): {self.neither} have other lengths or reach beyond their ends, {self.unknown} are not in the "
            f"collection; check that it is the right one (first misfit: {self.misfit})"
        )


class Size(NamedTuple):
    characters: int
    bytes: int


def article_sizes(docnos: Iterable[str], collection: ArticleCollection | None) -> dict[str, Size]:
    """Look up the sizes of articles in a collection (None: there are none), without those it lacks."""
    unique = list(dict.fromkeys(docnos))
    if collection is None or not unique:
        return {}
    try:
        table = collection.lengths(unique)
    except ValueError:
        # Some articles are not there; the whole table tells which.
        table = collection.lengths()
    sizes = map(Size, table["length"].tolist(), table["bytes"].tolist())
    size_of = dict(zip(table["docno"].tolist(), sizes, strict=True))
    return {docno: size_of[docno] for docno in unique if docno in size_of}


def check_qrels_units(qrels: pd.DataFrame, collection: ArticleCollection) -> UnitCheck:
    """Compare the `length` of each judged article with the collection's lengths."""
    return _tell_unit(_find_largest(qrels["docno"], qrels["length"].to_numpy(dtype=np.int64)), collection, exact=True)


def check_run_units(run: pd.DataFrame, collection: ArticleCollection) -> UnitCheck:
    """Compare the furthest end of each article's passages with the collection's lengths.

    A passage that ends just where its article does tells the unit; one that ends after the article's characters, but
    not with its bytes, fits neither: it may count bytes, or be wrong.
    """
    spans = flatten(run["passages"], "passages", run)
    end = np.zeros(len(run), dtype=np.int64)
    real = spans.start < MISSING_START
    np.maximum.at(end, spans.row[real], spans.end[real])
    return _tell_unit(_find_largest(run["docno"], end), collection, exact=False)


def in_characters(frame: pd.DataFrame, collection: ArticleCollection | None, column: str, unit: str) -> pd.DataFrame:
    """Check the unit of a frame just read (*column* `highlights` or `passages`), and convert bytes into characters.

    *unit*: 'auto' as the lengths of the *collection* (None: nothing is done) tell, or 'characters' or 'bytes' if it
    is known. The check is kept in `frame.attrs['units']`; a warning tells of bytes, of articles that fit neither, and
    of unknown ones.
    """
    check_choice("unit", unit, ("auto", "characters", "bytes"))
    if collection is None:
        if unit == "bytes":
            given = "unit='bytes'"
            raise ValueError(f"{given} needs {COLLECTION}, whose text tells bytes from characters")
        return frame
    check = (check_qrels_units if column == "highlights" else check_run_units)(frame, collection)
    if unit != "auto":
        check = check._replace(unit=unit)
    if check.unit == "bytes" or check.neither or check.unknown:
        warn_caller(str(check))
    if check.unit == "bytes":
        frame = _convert_spans(frame, collection, column)
    frame.attrs["units"] = check._asdict()
    return frame


def _find_largest(docnos: Iterable[str], value: Ints) -> dict[str, int]:
    largest: dict[str, int] = {}
    for docno, number in zip(docnos, value.tolist(), strict=True):
        if number >= largest.get(docno, 0):
            largest[docno] = number
    return largest


def _tell_unit(reach: dict[str, int], collection: ArticleCollection, exact: bool) -> UnitCheck:
    """Tell the unit by how far each article reaches: its length if *exact*, else the end of a passage."""
    sizes = article_sizes(reach, collection)
    counts = dict.fromkeys(("characters", "bytes", "both", "neither", "unknown"), 0)
    misfit = ""
    for docno, value in reach.items():
        size = sizes.get(docno)
        if size is None:
            kind = "unknown"
        elif not exact and value < size.characters:
            kind = "both"
        else:
            kind = _KIND[value == size.characters, value == size.bytes]
        counts[kind] += 1
        if kind in ("neither", "unknown") and not misfit:
            lengths = f", {size.characters} characters, {size.bytes} bytes" if size else ""
            misfit = f"{docno!r}, {'length' if exact else 'passage up to'} {value}{lengths}"
    unit = "bytes" if counts["bytes"] > counts["characters"] else "characters"
    return UnitCheck(articles=len(reach), unit=unit, misfit=misfit, **counts)


def _convert_spans(frame: pd.DataFrame, collection: ArticleCollection, column: str) -> pd.DataFrame:
    """Count the spans of *column*, and bep, length and relevant_size, in characters instead of bytes."""
    frame = frame.copy()
    spans = flatten(frame[column], column, frame)
    start = spans.start.copy()
    end = spans.end.copy()
    real = spans.start < MISSING_START
    bep = frame["bep"].to_numpy(dtype=np.int64, copy=True) if column == "highlights" else np.full(len(frame), -1)
    sizes = article_sizes(frame["docno"].tolist(), collection)
    rows_of = {docno: rows for docno, rows in frame.groupby("docno", sort=False).indices.items() if docno in sizes}
    names = list(rows_of)
    for batch in range(0, len(names), 256):
        for docno, text in zip(names[batch : batch + 256], collection.text(names[batch : batch + 256]), strict=True):
            offsets = _Offsets(text)
            rows = rows_of[docno]
            bounds = zip(np.searchsorted(spans.row, rows), np.searchsorted(spans.row, rows, side="right"), strict=True)
            of_article = np.concatenate([np.arange(low, high) for low, high in bounds])
            of_article = of_article[real[of_article]]
            start[of_article] = offsets.find_starts(start[of_article])
            end[of_article] = offsets.find_ends(end[of_article])
            with_bep = rows[bep[rows] >= 0]
            bep[with_bep] = offsets.find_starts(bep[with_bep])
    if column == "highlights":
        frame["bep"] = bep
        lengths = [sizes[name].characters if name in sizes else -1 for name in frame["docno"]]
        frame["length"] = np.where(np.array(lengths, dtype=np.int64) >= 0, lengths, frame["length"])
        relevant_size = frame["relevant_size"].to_numpy(dtype=np.int64)
        agrees = relevant_size == union_sizes(spans.row, spans.start, spans.end, len(frame))
        frame["relevant_size"] = np.where(agrees, union_sizes(spans.row, start, end, len(frame)), relevant_size)
    frame[column] = span_column(spans.row, len(frame), start, end, spans.score)
    return frame


class _Offsets:
    """The offsets in characters of one text's offsets in UTF-8 bytes; whole columns (int64) at a time.

    text      a   é       b          bytes 61 c3 a9 62
    byte      0   1   2   3   4      4 is the end of the text
    begins    yes yes no  yes yes    whether a character begins there
    before    0   1   2   2   3      characters that begin before
    """

    def __init__(self, text: str):
        data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        self._begins = np.append((data & 0xC0) != 0x80, True)
        self._before: Ints = np.concatenate(([0], np.cumsum(self._begins[:-1])))

    def find_starts(self, byte: Ints) -> Ints:
        """Return the characters that hold the bytes; after the text, counted on from its end."""
        inside = np.minimum(byte, len(self._before) - 1)
        starts: Ints = self.find_ends(byte) - ~self._begins[inside]
        return starts

    def find_ends(self, byte: Ints) -> Ints:
        """Return the ends of the characters that hold the bytes before."""
        inside = np.minimum(byte, len(self._before) - 1)
        return self._before[inside] + byte - inside
