"""An index of parts by one of the usual engines: the engine's own index, and a note of what is in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from ..collection import Collection
from ..collection.files.checksums import seal
from ..errors import CollectionError
from ..frames.articles import ArticleCollection
from ..frames.text_ids import TEXT_ID, check_text
from .engines import choose_engine, index_documents, open_index, reads_text
from .part_retriever import PartRetriever
from .terms import Terms

_MANIFEST = "pt_meta.json"
_OVERWRITE = "open it with PartIndex(path), or give overwrite=True"


class PartIndex(pt.Artifact):
    """An index of parts, a factory of retrievers whose results are frames of parts.

    It is for the usual case. `collection.parts(...)` goes into any other indexer of PyTerrier, and the results of any
    retriever over it into `Focused()` and the other tasks.

    Example:
        >>> parts = [{"docno": "12#0-10", "text": "A cat sat."}, {"docno": "7#0-10", "text": "A dog ran."}]
        >>> index = PartIndex.from_parts(parts, "index", "bm25s")
        >>> index.bm25().search("dogs")["docno"].tolist()
        ['7#0-10']
    """

    ARTIFACT_TYPE = "part_index"
    ARTIFACT_FORMAT = "focused"
    ARTIFACT_PACKAGE_HINT = "pyterrier-focused"

    def __init__(self, path: str | Path):
        super().__init__(path)
        try:
            self.meta: dict[str, Any] = json.loads(Path(path, _MANIFEST).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise CollectionError(f"{path}: no index of parts is here; make one with pt-focused index") from None
        if self.meta.get("type") != self.ARTIFACT_TYPE:
            raise CollectionError(f"{path}: this is not an index of parts, but {self.meta.get('type')!r}")

    @classmethod
    def from_parts(
        cls,
        parts: Iterable[dict[str, str]],
        path: str | Path,
        engine: str | None = None,
        *,
        language: str = "english",
        overwrite: bool = False,
        **about: Any,
    ) -> PartIndex:
        """Index parts, dicts of `docno` (a passage id) and `text`, in a new folder.

        A build that fails or is killed leaves no index: the folder gets its name when all parts are in it.

        Args:
            engine: 'pisa', 'bm25s' or 'terrier'; None takes PISA if it is installed (Linux on x86-64), else bm25s.
            language: The language of the texts, a Snowball stemmer's name.
            overwrite: Replace the index that is at *path*.
            about: Further entries of `meta`, such as what the parts were made of.

        Raises:
            CollectionError: Something is at *path* already, the engine lost parts, or *parts* ended in an error; it
                names the part before, and the article if a collection's parts cannot be cut.
            ValueError: No part holds a word, or a docno has white space.
        """
        path = Path(path)
        if path.exists():
            if not overwrite:
                raise CollectionError(f"{path} exists already; {_OVERWRITE}")
            # anything else that is there is not deleted
            cls(path)
        engine = choose_engine(engine)
        as_text = reads_text(engine, language)
        terms = Terms(language)
        checked = _check_docnos(parts)
        watched = _Watched(_write_ascii(checked, terms) if as_text else terms.transform_iter(checked))
        unfinished = path.with_name(f".{path.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        try:
            taken = index_documents(engine, unfinished / engine, watched, as_text)
            watched.check(taken, path)
            kind = {"type": cls.ARTIFACT_TYPE, "format": cls.ARTIFACT_FORMAT, "package_hint": cls.ARTIFACT_PACKAGE_HINT}
            meta = {**kind, "engine": engine, "language": language, "parts": taken, **about}
            (unfinished / _MANIFEST).write_bytes(seal(meta))
            shutil.rmtree(path, ignore_errors=True)
            unfinished.rename(path)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        return cls(path)

    @property
    def engine(self) -> str:
        return str(self.meta["engine"])

    @property
    def engine_path(self) -> Path:
        return Path(str(self.path), self.engine)

    def engine_index(self) -> Any:
        """Open the engine's own index, such as a `pyterrier_pisa.PisaIndex`, which takes `query_toks` of `terms`."""
        return open_index(self.engine, self.engine_path, self.reads_text)

    @property
    def reads_text(self) -> bool:
        """Whether the engine cuts texts and queries into terms itself, as PISA does those of English."""
        return reads_text(self.engine, self.meta["language"])

    @cached_property
    def terms(self) -> Terms:
        """The transformer that writes the terms of queries as they are in the index."""
        return Terms(self.meta["language"])

    def bm25(self, k1: float = 0.9, b: float = 0.4, num_results: int = 1000) -> PartRetriever:
        return PartRetriever(self, "bm25", num_results, k1=k1, b=b)

    def retriever(self, model: str, num_results: int = 1000, **parameters: float) -> PartRetriever:
        """Rank parts by a scoring model of the engine, such as PISA's 'qld' (mu), 'pl2' (c) and 'dph'."""
        return PartRetriever(self, model, num_results, **parameters)

    def search(self, query: str, num_results: int = 10, *, collection: ArticleCollection | None = None) -> pd.DataFrame:
        """Return the best parts for a query, with their titles and texts."""
        pipeline = self.bm25(num_results=num_results) >> self.collection(collection).text_loader(["title", "text"])
        return pd.DataFrame(pipeline.search(query))

    def text_loader(self, fields: str = "text", *, collection: ArticleCollection | None = None) -> pt.Transformer:
        """Add the `text` of each part, with titles and headings if it was indexed with these."""
        added = {"titles": bool(self.meta.get("titles")), "headings": self.meta.get("headings", "keep")}
        loader: pt.Transformer = self.collection(collection).text_loader(fields, **added)
        return loader

    def collection(self, given: ArticleCollection | None = None) -> Any:
        """Open the collection that was indexed, or check that a *given* one is the same."""
        opened = Collection(str(self.meta.get("collection", ""))) if given is None else given
        check_text(self.meta.get(TEXT_ID, ""), repr(self), opened)
        return opened

    def __len__(self) -> int:
        return int(self.meta["parts"])

    def __repr__(self) -> str:
        return f"PartIndex({str(self.path)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartIndex) and Path(str(other.path)).absolute() == Path(str(self.path)).absolute()

    def __hash__(self) -> int:
        return hash(str(Path(str(self.path)).absolute()))

    def __reduce__(self) -> tuple[type[PartIndex], tuple[str]]:
        return PartIndex, (str(self.path),)


def _check_docnos(parts: Iterable[dict[str, str]]) -> Iterator[dict[str, str]]:
    for part in parts:
        if any(map(str.isspace, part["docno"])):
            raise ValueError(f"docno {part['docno']!r} has white space, which engines take for its end")
        yield part


def _write_ascii(parts: Iterable[dict[str, str]], terms: Terms) -> Iterator[dict[str, str]]:
    for part in parts:
        yield {"docno": part["docno"], "text": terms.write_ascii(part["text"])}


class _Watched:
    """Documents on their way into an engine, which reads them in a thread that loses an error: it is kept here."""

    def __init__(self, documents: Iterator[dict[str, Any]]):
        self._count = 0
        self._last = ""
        self._error: Exception | None = None
        # up to the first that holds a word: PISA aborts the process if there is none
        ahead = []
        for document in documents:
            ahead.append(document)
            if document.get("toks") or any(map(str.isalnum, document.get("text", ""))):
                break
        else:
            raise ValueError(f"nothing to index: {'no part holds a word' if ahead else 'there is no part'}")
        self._documents = chain(ahead, documents)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        try:
            for document in self._documents:
                self._count += 1
                self._last = document["docno"]
                yield document
        except Exception as error:
            self._error = error

    def check(self, taken: int, path: Path) -> None:
        """Raise what the source of the documents raised, and a CollectionError if the engine lost some."""
        if self._error is not None:
            raise CollectionError(
                f"{path} is not made, since the parts ended in an error after {self._last!r}: {self._error}"
            ) from self._error
        if taken != self._count:
            raise CollectionError(f"{path}: {taken:,} of {self._count:,} parts are in the index; is the disk full?")
