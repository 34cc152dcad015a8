"""The places of an article's chunks: a splitter's offsets are checked, its texts located."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..collection.corpora import CorpusArticle
from ..frames.spans import Ints
from ..reading.values import whole_or_none
from .locate import Document, Lost

_TEXT = ("text", "page_content", "content", "chunk")
_START = ("start_index", "start_char_idx", "start_char", "start_offset", "start")
_END = ("end_index", "end_char_idx", "end_char", "end_offset", "end")
_ADVICE = (
    "chunks must be texts of the article (white space aside); where a splitter rewrites them, let it return "
    "(start, end) or (start, end, text to index)"
)

# Children, or a level, have together at least this share of their parent's length, or of the article's.
_FAMILY = 0.8


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
    chunks = [_read_chunk(item, article.docno) for item in returned]
    document = Document(article.text)
    given = _check_given_offsets(chunks, article, document)
    start = given.start
    end = given.end
    unplaced = np.flatnonzero(end < 0)
    distrusted = sum(chunks[i].start is not None and bool((chunks[i].text or "").strip()) for i in unplaced.tolist())
    if len(unplaced):
        texts = [
            article.text[s:e] if e >= 0 else chunk.text or ""
            for chunk, s, e in zip(chunks, start.tolist(), end.tolist(), strict=True)
        ]
        aligned = _align_chunks(document, texts, np.where(end >= 0, start, -1))
        if aligned.lost:
            raise ValueError(_describe_lost(aligned.lost, texts, article, document))
        start[unplaced] = aligned.start[unplaced]
        end[unplaced] = aligned.end[unplaced]
    blank = np.array([e < 0 or article.text[s:e].isspace() for s, e in zip(start, end, strict=True)], dtype=bool)
    first: dict[tuple[int, int], int] = {}
    for i in np.flatnonzero(~blank).tolist():
        first.setdefault((int(start[i]), int(end[i])), i)
    columns = np.array(list(first), dtype=np.int64).reshape(-1, 2)
    kept = {position: given.indexed[i] for position, i in enumerate(first.values()) if i in given.indexed}
    return PlacedChunks(columns[:, 0], columns[:, 1], kept, int(blank.sum()), distrusted)


def _read_chunk(item: object, docno: str) -> _Chunk:
    if isinstance(item, str):
        return _Chunk(item, None, None)
    chunk = _read_sequence(item) if isinstance(item, tuple | list) else _read_fields(item)
    if chunk.start is None or chunk.start < 0:
        # LangChain's -1 means not found.
        chunk = chunk._replace(start=None, end=None)
    if chunk.text is None and chunk.end is None:
        raise ValueError(
            f"article {docno!r}: {item!r:.80} is not a chunk; a chunk is a text, (start, end), (start, text) or "
            "(start, end, text), or an object or dict that has these"
        )
    return chunk


def _read_sequence(item: Sequence[object]) -> _Chunk:
    """Read a chunk given as (start, end), (start, text) or (start, end, text)."""
    texts = [value for value in item if isinstance(value, str)]
    values = [whole_or_none(value) for value in item if not isinstance(value, str)]
    numbers = [number for number in values if number is not None]
    if len(numbers) + len(texts) != len(item) or len(item) < 2 or len(texts) > 1 or len(numbers) not in (1, 2):
        return _Chunk(None, None, None)
    end = numbers[1] if len(numbers) == 2 else None
    return _Chunk(texts[0] if texts else None, numbers[0], end, rewritten=len(item) == 3 and item[2] in texts)


def _read_fields(item: object) -> _Chunk:
    """Read a chunk given as an object or dict, whose metadata may have fields that it lacks."""
    metadata = _find_field([item], ("metadata",))
    sources = [item, metadata] if isinstance(metadata, Mapping) else [item]
    text = _find_field(sources, _TEXT)
    start = whole_or_none(_find_field(sources, _START))
    end = whole_or_none(_find_field(sources, _END))
    return _Chunk(text if isinstance(text, str) else None, start, end)


def _find_field(sources: Iterable[object], names: tuple[str, ...]) -> object:
    """Return the first of the named keys or attributes that one of the sources has."""
    for source in sources:
        for name in names:
            value = source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)
            if value is not None and not callable(value):
                return value
    return None


class _GivenOffsets(NamedTuple):
    """A splitter's offsets that are right, with an end of -1 for other chunks, and the texts to index."""

    start: Ints
    end: Ints
    indexed: dict[int, str]


def _check_given_offsets(chunks: list[_Chunk], article: CorpusArticle, document: Document) -> _GivenOffsets:
    """Keep the offsets that hold: those of the chunk's text, or of a text that was rewritten."""
    start = np.full(len(chunks), -1, dtype=np.int64)
    end = np.full(len(chunks), -1, dtype=np.int64)
    indexed: dict[int, str] = {}
    for i, (text, first, last, rewritten) in enumerate(chunks):
        if first is None or (text is not None and not text.strip()):
            continue
        inside = last is not None and 0 <= first < last <= len(article.text)
        if (text is None or rewritten) and not inside:
            raise ValueError(
                f"article {article.docno!r}, chunk {i + 1} of {len(chunks)}: [{first}, {last}) is not a span of its "
                f"{len(article.text)} characters"
            )
        if last is not None and inside and (text is None or _is_same_text(text, article.text[first:last])):
            start[i] = first
            end[i] = last
        elif last is not None and rewritten and text is not None and not document.places(text):
            start[i] = first
            end[i] = last
            indexed[i] = text
        elif text is not None and last is None and (placed := document.at(first, text)) is not None:
            start[i], end[i] = placed
    first_at: dict[tuple[int, str], int] = {}
    for i in np.flatnonzero(end >= 0).tolist():
        text = chunks[i].text
        if text is not None and first_at.setdefault((int(start[i]), text), i) != i and i not in indexed:
            # The same text again: another place is meant.
            start[i] = end[i] = -1
    return _GivenOffsets(start, end, indexed)


def _is_same_text(text: str, other: str) -> bool:
    return "".join(text.split()) == "".join(other.split())


class _Aligned(NamedTuple):
    """The spans of chunks, start -1 for those that were not placed, and the chunks that cannot be."""

    start: Ints
    end: Ints
    lost: list[Lost]


def _align_chunks(document: Document, texts: Sequence[str], known: Ints) -> _Aligned:
    """Place chunks in order: side by side, or parents with their children after each, or level by level."""
    aligned = _Aligned(*document.align(texts, known.tolist()))
    if aligned.lost or np.any(np.diff(aligned.start[aligned.start >= 0]) < 0):
        for attempt in (_align_families, _align_levels):
            spans = attempt(document, texts, known)
            if spans is not None:
                return _Aligned(*spans, [])
    return aligned


def _align_families(document: Document, texts: Sequence[str], known: Ints) -> tuple[Ints, Ints] | None:
    """Place chunks that are followed by their children, which make them up; None if no chunk is."""
    roots: list[int] = []
    for i, text in enumerate(texts):
        if not roots or len(text) >= len(texts[roots[-1]]) or text not in texts[roots[-1]]:
            roots.append(i)
    families = [range(root + 1, behind) for root, behind in zip(roots, [*roots[1:], len(texts)], strict=True)]
    for root, children in zip(roots, families, strict=True):
        if children and sum(len(texts[i]) for i in children) < _FAMILY * len(texts[root]):
            return None
    if len(roots) == len(texts):
        return None
    start, end = (np.full(len(texts), -1, dtype=np.int64) for _ in range(2))
    start[roots], end[roots], lost = document.align([texts[i] for i in roots], known[roots].tolist())
    if lost:
        return None
    for root, children in zip(roots, families, strict=True):
        if children:
            first = int(start[root])
            last = int(end[root])
            family = slice(children.start, children.stop)
            inside = (known[family] >= first) & (known[family] < last)
            inner = np.where(inside, known[family] - first, -1)
            placed = _align_chunks(Document(document.text[first:last]), texts[family], inner)
            if placed.lost:
                return None
            start[family] = np.where(placed.start >= 0, placed.start + first, -1)
            end[family] = np.where(placed.start >= 0, placed.end + first, -1)
    return start, end


def _align_levels(document: Document, texts: Sequence[str], known: Ints) -> tuple[Ints, Ints] | None:
    """Place chunks that come level by level, all parents and then all children; None if they do not."""
    levels = _cut_into_levels(texts, len(document.text))
    if len(levels) < 2:
        return None
    start, end = (np.full(len(texts), -1, dtype=np.int64) for _ in range(2))
    for level in levels:
        start[level], end[level], lost = document.align([texts[i] for i in level.tolist()], known[level].tolist())
        if lost:
            return None
    return start, end


def _cut_into_levels(texts: Sequence[str], length: int) -> list[Ints]:
    """Cut the chunks into levels, each of which makes up a text of *length*: parents, then all their children.

    A level begins with some text of the first chunk, and all that follows is in the chunks of the level before it.
    """
    levels: list[list[int]] = [[]]
    size = 0
    left = sum(map(len, texts))
    for i, text in enumerate(texts):
        if min(size, left) >= _FAMILY * length:
            first = texts[levels[-1][0]]
            if len(text) < len(first) and text in first:
                held = "\0".join(texts[j] for j in levels[-1])
                if all(other in held for other in texts[i:]):
                    levels.append([])
                    size = 0
        levels[-1].append(i)
        size += len(text)
        left -= len(text)
    return [np.array(level, dtype=np.int64) for level in levels]


def _describe_lost(lost: list[Lost], pieces: list[str], article: CorpusArticle, document: Document) -> str:
    piece, places = lost[0]
    others = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
    text = f"article {article.docno!r}, chunk {piece + 1} of {len(pieces)} cannot be located{others}: "
    text += f"{pieces[piece]!r:.200}"
    if places:
        shown = ", ".join(f"[{start}, {end})" for start, end in places[:5])
        return f"{text}. It occurs {len(places)} times in the article, at {shown}, and is out of order; {_ADVICE}"
    (start, end), differs = document.longest_start(pieces[piece])
    if end - start >= 8:
        text += f". Its beginning is at [{start}, {end}); there the article goes on "
        text += f"{article.text[end : end + 20]!r} and the chunk {differs[:20]!r}"
    return f"{text}; {_ADVICE}"
