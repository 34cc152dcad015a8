"""The places of an article's chunks: a splitter's offsets are taken if their text is there, other chunks come in order.

A chunk begins where the one before it ends, white space aside, if its text is there; else at the first place of its
text from the begin of the one before it on; else (a new level of chunks begins) at the first of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..collection.corpora import CorpusArticle
from ..frames.spans import Ints, Span
from ..reading.values import whole_or_none
from .locate import Document

_TEXT = ("text", "page_content", "content", "chunk")
_START = ("start_index", "start_char_idx", "start_char", "start_offset", "start")
_END = ("end_index", "end_char_idx", "end_char", "end_offset", "end")
_ADVICE = (
    "chunks must be texts of the article (white space aside); where a splitter rewrites them, let it return "
    "(start, end) or (start, end, text to index)"
)


class PlacedChunks(NamedTuple):
    """The chunks of one article: their spans, and how many were blank or came with wrong offsets.

    `indexed` has the texts of the chunks that are indexed as another text than their own.
    """

    start: Ints
    end: Ints
    indexed: dict[int, str]
    blank: int
    distrusted: int


class _Chunk(NamedTuple):
    """A splitter's data on a chunk, None if not given; `rewritten`: its text may differ from the article's."""

    text: str | None
    start: int | None
    end: int | None
    rewritten: bool = False


def place_chunks(article: CorpusArticle, returned: object) -> PlacedChunks:
    """Find the places of the chunks that a splitter *returned* for an article."""
    if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Iterable):
        raise ValueError(f"article {article.docno!r}: a splitter returns a list of chunks, not {returned!r:.80}")
    document = Document(article.text)
    spans: dict[Span, int] = {}
    indexed = {}
    blank = distrusted = 0
    begin, end, last = 0, 0, ""
    for number, item in enumerate(returned, start=1):
        chunk = _read_chunk(item, article.docno)
        where = f"article {article.docno!r}, chunk {number}"
        text = chunk.text
        word = "" if text is None else "".join(text.split())
        given = None if text is not None and not word else _take_offsets(chunk, document, where)
        if given is None and not word:
            blank += 1
            continue
        other = chunk.rewritten and given is not None and not document.says(given, text or "")
        if given is not None and not (word == last and given in spans):
            span = given
        else:
            distrusted += chunk.start is not None
            span = _find_in_order(document, text or "", word, begin, end, word == last, where)
        begin, end = (int(place) for place in np.searchsorted(document.spaceless.offsets, span))
        last = word
        if not article.text[slice(*span)].strip():
            blank += 1
        elif spans.setdefault(span, len(spans)) == len(spans) - 1 and other:
            indexed[spans[span]] = text or ""
    columns = np.array(list(spans), dtype=np.int64).reshape(-1, 2)
    return PlacedChunks(columns[:, 0], columns[:, 1], indexed, blank, distrusted)


def _take_offsets(chunk: _Chunk, document: Document, where: str) -> Span | None:
    """Return a chunk's own offsets, if its text is there or it need not be."""
    text, start, end, rewritten = chunk
    if start is None:
        return None
    if end is None:
        return None if text is None else document.at(start, text)
    if not start < end <= len(document.text):
        if text is None or rewritten:
            raise ValueError(f"{where}: [{start}, {end}) is not a span of its {len(document.text)} characters")
        return None
    is_there = text is None or "".join(text.split()) == "".join(document.text[start:end].split())
    return (start, end) if is_there or (rewritten and not document.places(text or "")) else None


def _find_in_order(document: Document, text: str, word: str, begin: int, end: int, again: bool, where: str) -> Span:
    folded = document.spaceless
    places = [end] if folded.text.startswith(word, end) else []
    places += [folded.text.find(word, begin + again), folded.text.find(word)]
    place = next((place for place in places if place >= 0), None)
    if place is None:
        raise ValueError(f"{where} cannot be located: {text!r:.200}; {_ADVICE}")
    return document.with_ends(text, folded.span(place, len(word)))


def _read_chunk(item: object, docno: str) -> _Chunk:
    """Read a text, (start, end), (start, text), (start, end, text), or an object or dict that has these."""
    if isinstance(item, str):
        return _Chunk(item, None, None)
    if isinstance(item, tuple | list):
        texts = [value for value in item if isinstance(value, str)]
        numbers = [
            number for value in item if not isinstance(value, str) and (number := whole_or_none(value)) is not None
        ]
        is_known = len(item) == len(texts) + len(numbers) in (2, 3) and len(texts) < 2 and len(numbers) in (1, 2)
        values: list[Any] = [[*texts, None][0], *[*numbers, None][:2]] if is_known else [None, None, None]
        chunk = _Chunk(values[0], values[1], values[2], rewritten=len(item) == 3)
    else:
        metadata = _find_field([item], ("metadata",))
        sources = [item, metadata] if isinstance(metadata, Mapping) else [item]
        found = _find_field(sources, _TEXT)
        start, end = (whole_or_none(_find_field(sources, names)) for names in (_START, _END))
        chunk = _Chunk(found if isinstance(found, str) else None, start, end)
    if chunk.start is None or chunk.start < 0:
        # LangChain's -1 means not found.
        chunk = chunk._replace(start=None, end=None)
    if chunk.text is None and chunk.end is None:
        raise ValueError(
            f"article {docno!r}: {item!r:.80} is not a chunk; a chunk is a text, (start, end), (start, text) or "
            "(start, end, text), or an object or dict that has these"
        )
    return chunk


def _find_field(sources: Iterable[object], names: tuple[str, ...]) -> object:
    """Return the first of the named keys or attributes that one of the sources has."""
    for source in sources:
        for name in names:
            value = source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)
            if value is not None and not callable(value):
                return value
    return None
