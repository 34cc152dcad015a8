"""Chunks of a corpus as passages: the output of any text splitter, with places in the articles."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from tqdm.auto import tqdm

from ..collection.corpora import Corpus, articles
from ..errors import warn_caller
from ..frames.ids import make_ids
from ..frames.spans import Ints
from ..retrieval.index import PartIndex
from ..retrieval.part_retriever import PartRetriever
from ..retrieval.passages.selectors import NO_ELEMENTS, Windows
from ..retrieval.transformer import check_text_field
from .chunk_places import place_chunks

# The methods of splitters of LangChain (two), semantic_text_splitter, LlamaIndex and Haystack.
_METHODS = ("split_text", "create_documents", "chunk_indices", "get_nodes_from_documents", "run")


class Chunks:
    """The chunks of a corpus: passage ids `ARTICLE#START-END` with their texts, ready for any indexer.

    Iterating gives `{"docno": passage id, "text": ...}`, again and again; `article`, `start` and `end` are columns, one
    entry a chunk, in the order of the corpus and of the splitter. Offsets are half-open and count characters.

    Args:
        indexed: The text to index a chunk by, by its position, if that is not the text of its span.
    """

    def __init__(
        self,
        texts: Mapping[str, str],
        article: Iterable[str],
        start: Ints,
        end: Ints,
        indexed: Mapping[int, str] | None = None,
    ):
        self.texts = texts
        self.article = np.array(list(article), dtype=object)
        self.start = np.asarray(start, dtype=np.int64)
        self.end = np.asarray(end, dtype=np.int64)
        self.indexed = dict(indexed or {})

    @classmethod
    def from_splitter(
        cls, corpus: Corpus, splitter: object, prefix: Callable[[str, str], str] | None = None, verbose: bool = True
    ) -> Chunks:
        """Cut every article of a corpus with a splitter, and find the place of each chunk.

        A splitter returns, for each text, chunks in order; a chunk is

        - a text: it is located in the article, in order, so that repeated text does not collapse onto its first place;
          chunks may overlap, leave text out, be stripped, have other white space than the article, and come as parents
          and their children (each after its parent, or level by level);
        - a (start, end) or (start, text) pair, or an object or dict with a text and `start_index` or the like, as
          LangChain's documents, LlamaIndex's nodes and spaCy's spans. Offsets are taken if the text is there and
          starts ascend as the chunks do; other chunks are located by their text, and a warning counts them;
        - (start, end, text): the chunk of that span is indexed as another text, such as one with its title before it.

        Chunks of white space only are left out, with a warning that counts them; two chunks of one span are one.

        Args:
            corpus: A mapping of docno to text, a DataFrame with `docno` and `text`, dicts with these, a path (see
                `read_corpus`) or a Collection.
            splitter: A callable that takes a text, a splitter of LangChain, LlamaIndex, Haystack, chonkie or
                semantic_text_splitter, or `Windows(...)`.
            prefix: A function of docno and text of a chunk that returns a text to put before it in the index, such as
                a title or a model's context.

        Example:
            >>> chunks = Chunks.from_splitter({"12": "A cat sat. A dog ran."}, lambda text: text.split(". "))
            >>> chunks.docnos()
            ['12#0-9', '12#11-21']
        """
        split = _read_splitter(splitter)
        texts: dict[str, str] = {}
        names: list[str] = []
        starts: list[Ints] = []
        ends: list[Ints] = []
        indexed: dict[int, str] = {}
        empty = distrusted = 0
        for article in tqdm(articles(corpus), "chunks", unit=" articles", delay=1, leave=False, disable=not verbose):
            texts[article.docno] = article.text
            cut = place_chunks(article, split(article.text))
            for i in cut.indexed if prefix is None else range(len(cut.start)):
                text = cut.indexed.get(i, article.text[cut.start[i] : cut.end[i]])
                indexed[len(names) + i] = text if prefix is None else prefix(article.docno, text) + text
            empty += cut.blank
            distrusted += cut.distrusted
            starts.append(cut.start)
            ends.append(cut.end)
            names.extend([article.docno] * len(cut.start))
        _warn_of_chunks(distrusted, empty)
        if not names:
            raise ValueError(f"the splitter returned no chunk for any of {len(texts)} articles")
        return cls(texts, names, np.concatenate(starts), np.concatenate(ends), indexed)

    def __len__(self) -> int:
        return len(self.article)

    def __iter__(self) -> Iterator[dict[str, str]]:
        columns = zip(self.docnos(), self.article, self.start, self.end, strict=True)
        for i, (docno, article, start, end) in enumerate(columns):
            yield {"docno": docno, "text": self.indexed.get(i) or self.texts[article][start:end]}

    def __repr__(self) -> str:
        mean = (self.end - self.start).mean() if len(self) else 0.0
        return f"<Chunks: {len(self)} of {len(self.texts)} articles, {mean:.0f} characters on average>"

    def docnos(self) -> list[str]:
        return make_ids(self.article, self.start, self.end)

    def frame(self) -> pd.DataFrame:
        """Return the chunks as a frame: `docno, text, article, start, end`."""
        columns = {"docno": self.docnos(), "text": [chunk["text"] for chunk in self], "article": self.article}
        frame = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in columns.items()})
        return frame.assign(start=self.start, end=self.end)

    def index(self, path: str | Path | None = None, engine: str | None = None, **options: Any) -> PartIndex:
        """Index the chunks by their passage ids.

        Args:
            path: The folder of the index; without it a temporary one, which goes with the index.
            options: Those of `PartIndex.build`: language, overwrite.
        """
        if path is not None:
            return PartIndex.from_parts(self, path, engine, **options)
        folder = TemporaryDirectory(prefix="chunks-")
        index = PartIndex.from_parts(self, Path(folder.name) / "index", engine, **options)
        weakref.finalize(index, folder.cleanup)
        return index

    def bm25(self, num_results: int = 1000, k1: float = 0.9, b: float = 0.4) -> PartRetriever:
        """Index the chunks, and retrieve them by BM25: `qid, query` in, passage ids with scores out.

        Returns:
            A retriever over a temporary index, which goes with it.
        """
        return self.index().bm25(k1=k1, b=b, num_results=num_results)

    def text_loader(self, fields: str | Sequence[str] = "text", *, verbose: bool = False) -> pt.Transformer:
        """Add the column `text` to rows whose docno is one of these chunks' ids, for re-rankers that read.

        Args:
            fields: 'text', or '*' for all there is, which is the text: `pt.text.get_text(chunks, ...)` gives it.

        Returns:
            A transformer; it raises a ValueError for a docno that is not one of the ids.
        """
        check_text_field("Chunks.text_loader", fields)
        texts = {chunk["docno"]: chunk["text"] for chunk in self}

        def load(rows: pd.DataFrame) -> pd.DataFrame:
            unknown = [docno for docno in rows["docno"] if docno not in texts]
            if unknown:
                raise ValueError(f"docno {unknown[0]!r} is not one of these chunks")
            return rows.assign(
                text=pd.Series([texts[docno] for docno in rows["docno"]], index=rows.index, dtype=object)
            )

        return pt.apply.generic(load)


def _warn_of_chunks(distrusted: int, empty: int) -> None:
    if distrusted:
        warn_caller(
            f"{distrusted} chunks come with offsets at which their text is not found, or out of order; they are "
            "located by their text"
        )
    if empty:
        warn_caller(f"{empty} chunks hold nothing but white space and are left out")


def _read_splitter(splitter: object) -> Callable[[str], object]:
    if isinstance(splitter, type):
        raise ValueError(f"{splitter.__name__} is a class; give a splitter made of it: {splitter.__name__}(...)")
    if isinstance(splitter, Windows):
        if splitter.within is not None:
            raise ValueError(f"{splitter!r}: texts to be split have no elements; leave out within=")
        return lambda text: list(zip(*(column.tolist() for column in splitter.spans(text, NO_ELEMENTS)), strict=True))
    methods: dict[str, Callable[..., Any]] = {
        name: getattr(splitter, name) for name in _METHODS if callable(getattr(splitter, name, None))
    }
    if "split_text" in methods:
        if getattr(splitter, "_add_start_index", False) and "create_documents" in methods:
            return lambda text: methods["create_documents"]([text])
        return methods["split_text"]
    if "chunk_indices" in methods:
        return methods["chunk_indices"]
    if "get_nodes_from_documents" in methods:
        node = import_module("llama_index.core.schema").Document
        return lambda text: methods["get_nodes_from_documents"]([node(text=text)])
    if hasattr(splitter, "__haystack_input__"):
        document = import_module("haystack").Document
        return lambda text: methods["run"](documents=[document(content=text)])["documents"]
    if callable(splitter):
        return splitter
    raise ValueError(f"{splitter!r} is not a splitter; give a callable, an object with split_text, or Windows(...)")
