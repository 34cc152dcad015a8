"""Chunks of a corpus as passages: what any text splitter returns, with its place in the article it was cut from."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from ..frames import make_ids
from ..io.corpus import CorpusArticle, articles
from ..io.locate import Document, Lost
from ..spans import Ints
from .index import PartIndex, PartRetriever, index_parts
from .selectors import Elements, Windows

_TEXT = ("text", "page_content", "content", "chunk")
_START = ("start_index", "start_char_idx", "start_char", "start_offset", "start")
_END = ("end_index", "end_char_idx", "end_char", "end_offset", "end")
_ADVICE = (
    "chunks must be pieces of the article (white space aside); where a splitter rewrites its text, let it return "
    "(start, end) pairs"
)


class Chunks:
    """The chunks of a corpus: passage ids `ARTICLE#START-END` with their texts, ready for any indexer.

    Iterating gives `{"docno": passage id, "text": ...}`, again and again; `article`, `start` and `end` are columns, one
    entry a chunk, in the order of the corpus and of the splitter. Offsets are half-open and count characters.
    """

    def __init__(self, texts: Mapping[str, str], article: Iterable[str], start: Ints, end: Ints):
        self.texts = texts
        self.article = np.array(list(article), dtype=object)
        self.start, self.end = np.asarray(start, dtype=np.int64), np.asarray(end, dtype=np.int64)

    @classmethod
    def from_splitter(cls, corpus: Any, splitter: Any) -> Chunks:
        """Cut every article of a corpus with a splitter, and find where each chunk lies.

        *corpus*: a mapping of docno to text, a DataFrame with `docno` and `text`, dicts with these, a path (see
        `read_corpus`) or a Collection. *splitter*: a callable that takes a text, an object with `split_text` (as
        LangChain's), or `Windows(...)`. It returns, for each text, chunks in order; a chunk is
        - a text: it is located in the article, in order, so that repeated text does not collapse onto its first place;
          chunks may overlap, leave text out, be stripped, and have other white space than the article;
        - a (start, end) pair, a (start, text) pair, or an object or dict with a text and `start_index` or the like (as
          LangChain's documents with `add_start_index=True`, or spaCy's spans): the offsets are taken, and checked.

        Chunks of white space alone are left out, with a warning that counts them; two chunks of one span are one.
        Raises ValueError that shows the chunk where one cannot be located.
        """
        split = _callable(splitter)
        texts: dict[str, str] = {}
        names: list[str] = []
        starts, ends, empty = [], [], 0
        for article in articles(corpus):
            texts[article.docno] = article.text
            start, end, blank = _cut(article, split)
            empty += blank
            starts.append(start)
            ends.append(end)
            names.extend([article.docno] * len(start))
        if empty:
            warnings.warn(f"{empty} chunks hold nothing but white space and are left out", stacklevel=2)
        if not names:
            raise ValueError(f"the splitter returned no chunk for any of {len(texts)} articles")
        return cls(texts, names, np.concatenate(starts), np.concatenate(ends))

    def __len__(self) -> int:
        return len(self.article)

    def __iter__(self) -> Iterator[dict[str, str]]:
        for docno, article, start, end in zip(self.docnos(), self.article, self.start, self.end, strict=True):
            yield {"docno": docno, "text": self.texts[article][start:end]}

    def __repr__(self) -> str:
        mean = (self.end - self.start).mean() if len(self) else 0.0
        return f"<Chunks: {len(self)} of {len(self.texts)} articles, {mean:.0f} characters on average>"

    def docnos(self) -> list[str]:
        """Return the passage ids."""
        return make_ids(self.article, self.start, self.end)

    def frame(self) -> pd.DataFrame:
        """Return the chunks as a frame: `docno, text, article, start, end`."""
        columns = {"docno": self.docnos(), "text": [chunk["text"] for chunk in self], "article": self.article}
        frame = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in columns.items()})
        return frame.assign(start=self.start, end=self.end)

    def index(self, path: str | Path | None = None, engine: str | None = None, **options: Any) -> PartIndex:
        """Index the chunks by their passage ids; without a *path* in a temporary folder, which goes with the index.

        *options* are those of `build_index`: threads, overwrite, verbose.
        """
        if path is not None:
            return index_parts(self, path, engine, **options)
        folder = TemporaryDirectory(prefix="chunks-")
        index = index_parts(self, Path(folder.name) / "index", engine, **options)
        weakref.finalize(index, folder.cleanup)
        return index

    def bm25(self, num_results: int = 1000, k1: float = 0.9, b: float = 0.4) -> PartRetriever:
        """Index the chunks, and retrieve them by BM25: `qid, query` in, passage ids with scores out."""
        return self.index().bm25(k1=k1, b=b, num_results=num_results)

    def text_loader(self) -> pt.Transformer:
        """Add the column `text` to rows whose docno is one of these chunks' ids, for re-rankers that read."""
        texts = {chunk["docno"]: chunk["text"] for chunk in self}

        def load(rows: pd.DataFrame) -> pd.DataFrame:
            unknown = [docno for docno in rows["docno"] if docno not in texts]
            if unknown:
                raise ValueError(f"docno {unknown[0]!r} is none of these chunks")
            return rows.assign(
                text=pd.Series([texts[docno] for docno in rows["docno"]], index=rows.index, dtype=object)
            )

        return pt.apply.generic(load)


class _Chunk(NamedTuple):
    """What a splitter says of a chunk: its text, its offsets, None for what it does not say."""

    text: str | None
    start: int | None
    end: int | None


def _callable(splitter: Any) -> Callable[[str], Any]:
    """The function of a text that a splitter is."""
    if isinstance(splitter, type):
        raise ValueError(f"{splitter.__name__} is a class; give a splitter made of it: {splitter.__name__}(...)")
    if isinstance(splitter, Windows):
        none = np.zeros(0, dtype=np.int64)
        elements = Elements([], [], none, none, none)  # windows slide over the text, whatever its elements
        return lambda text: list(zip(*(column.tolist() for column in splitter.spans(text, elements)), strict=True))
    if callable(getattr(splitter, "split_text", None)):
        if getattr(splitter, "_add_start_index", False) and callable(getattr(splitter, "create_documents", None)):
            return lambda text: splitter.create_documents([text])
        return splitter.split_text
    if callable(splitter):
        return splitter
    raise ValueError(f"{splitter!r} is no splitter; give a callable, an object with split_text, or Windows(...)")


def _cut(article: CorpusArticle, split: Callable[[str], Any]) -> tuple[Ints, Ints, int]:
    """Cut one article: (starts, ends, number of chunks of white space alone)."""
    returned = split(article.text)
    if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Iterable):
        raise ValueError(f"article {article.docno!r}: a splitter returns a list of chunks, not {returned!r:.80}")
    chunks = [_read(item, article.docno) for item in returned]
    document = Document(article.text)
    start, end = _given(chunks, article, document)
    unplaced = np.flatnonzero(end < 0)
    if len(unplaced):
        pieces = [
            article.text[s:e] if e >= 0 else chunk.text or "" for chunk, s, e in zip(chunks, start, end, strict=True)
        ]
        known = np.where(end >= 0, start, -1).tolist()
        at, to, lost = document.align(pieces, known)
        if lost:
            raise ValueError(_lost(lost, pieces, article, document))
        start[unplaced], end[unplaced] = at[unplaced], to[unplaced]
    blank = np.array([e < 0 or article.text[s:e].isspace() for s, e in zip(start, end, strict=True)], dtype=bool)
    spans = dict.fromkeys(zip(start[~blank].tolist(), end[~blank].tolist(), strict=True))
    columns = np.array(list(spans), dtype=np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1], int(blank.sum())


def _read(item: Any, docno: str) -> _Chunk:
    """Read what a splitter returns for one chunk."""
    if isinstance(item, str):
        return _Chunk(item, None, None)
    text: Any = None
    start: Any = None
    end: Any = None
    if isinstance(item, tuple | list):
        numbers = [value for value in item if isinstance(value, int | np.integer)]
        texts = [value for value in item if isinstance(value, str)]
        if len(numbers) + len(texts) == len(item) > 1 and len(texts) <= 1 and len(numbers) in (1, 2):
            text, start, end = (*texts, None)[0], *(*numbers, None)[:2]
    else:
        metadata = _field(item, ("metadata",))
        sources = [item, metadata] if isinstance(metadata, Mapping) else [item]
        text, start, end = (
            next((value for source in sources if (value := _field(source, names)) is not None), None)
            for names in (_TEXT, _START, _END)
        )
    text = text if isinstance(text, str) else None
    start = int(start) if isinstance(start, int | np.integer) and start >= 0 else None  # LangChain's -1: not found
    end = int(end) if isinstance(end, int | np.integer) and start is not None else None
    if text is None and end is None:
        raise ValueError(
            f"article {docno!r}: {item!r:.80} is no chunk; a chunk is a text, (start, end) or (start, text), or has one"
        )
    return _Chunk(text, start, end)


def _field(item: Any, names: tuple[str, ...]) -> Any:
    """The first of the named keys or attributes that an item has."""
    for name in names:
        value = item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
        if value is not None and not callable(value):
            return value
    return None


def _given(chunks: list[_Chunk], article: CorpusArticle, document: Document) -> tuple[Ints, Ints]:
    """The offsets that the splitter gave, checked; end -1 where it gave none."""
    start, end = np.full(len(chunks), -1, dtype=np.int64), np.full(len(chunks), -1, dtype=np.int64)
    for i, (text, first, last) in enumerate(chunks):
        if first is None or (text is not None and not text.strip()):
            continue
        where = f"article {article.docno!r}, chunk {i + 1} of {len(chunks)}"
        if last is not None:
            if not 0 <= first < last <= len(article.text):
                raise ValueError(f"{where}: [{first}, {last}) is no span of its {len(article.text)} characters")
            if text is None or "".join(text.split()) == "".join(article.text[first:last].split()):
                start[i], end[i] = first, last
                continue
        elif text is not None:
            placed = document.at(first, text)
            if placed is not None:
                start[i], end[i] = placed
                continue
        there = article.text[first : first + len(text or "")]
        raise ValueError(
            f"{where}: the splitter says it starts at {first}, but the text there is {there!r:.80} and the chunk is "
            f"{text!r:.80}; do its offsets count characters of this text? Return texts alone to have them located"
        )
    return start, end


def _lost(lost: list[Lost], pieces: list[str], article: CorpusArticle, document: Document) -> str:
    """Say which chunk cannot be located and why."""
    piece, places = lost[0]
    others = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
    text = f"article {article.docno!r}, chunk {piece + 1} of {len(pieces)} cannot be located{others}: "
    text += f"{pieces[piece]!r:.200}"
    if places:
        shown = ", ".join(f"[{start}, {end})" for start, end in places[:5])
        return f"{text}. It stands {len(places)} times in the article, at {shown}, and is out of order; {_ADVICE}"
    (start, end), differs = document.longest_start(pieces[piece])
    if end - start >= 8:
        text += f". Its beginning is at [{start}, {end}); there the article goes on "
        text += f"{article.text[end : end + 20]!r} and the chunk {differs[:20]!r}"
    return f"{text}; {_ADVICE}"
