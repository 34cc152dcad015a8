"""The index of a collection's parts: every part is a document of the engine, and its docno is the passage id."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pyterrier as pt

from ..collection.files.checksums import read_sealed, seal, verify_checksums, write_checksums
from ..collection.files.storage import StoragePath
from ..errors import CollectionError
from .elements.nexi_retriever import NexiRetriever
from .engines.choose import NAMES, choose_engine, open_engine
from .engines.terms import check_language
from .part_retriever import PartRetriever
from .passages.part_texts import SECTIONS, part_texts
from .passages.selectors import Selector, selectors
from .rewriter import Rewriter

_OPEN_SEARCHERS = 4


class PartIndex(pt.Artifact):
    """An index of parts on disk: a factory of retrievers whose results are frames of parts.

    It is made by `Collection.index(...)` and opened by its path; retrievers are `bm25()` and `retriever(model)`.
    """

    ARTIFACT_TYPE = "part_index"
    ARTIFACT_FORMAT = "focused"
    ARTIFACT_PACKAGE_HINT = "pyterrier-focused"

    def __init__(self, path: str | Path):
        super().__init__(path)
        meta = read_sealed(StoragePath(path) / "pt_meta.json")
        if meta is None:
            raise CollectionError(f"{path}: no index of parts is here; make one with Collection.index(path)")
        self.meta: dict[str, Any] = meta
        if (self.meta.get("type"), self.meta.get("format")) != (self.ARTIFACT_TYPE, self.ARTIFACT_FORMAT):
            raise CollectionError(f"{path}: this is not an index of parts, but {self.meta.get('type')!r}")
        self._searchers: dict[tuple[Any, ...], Any] = {}

    @property
    def engine(self) -> str:
        """The engine that searches: 'pisa', 'bm25s' or 'terrier'."""
        return self.meta["engine"]

    @property
    def engine_path(self) -> Path:
        """The folder of the engine's own index."""
        return Path(str(self.path)) / self.engine

    def engine_index(self) -> Any:
        """Open the engine's own index: a `pyterrier_pisa.PisaIndex`, a `pt.terrier.TerrierIndex`, a `Bm25sIndex`.

        Text went into it as `terms.folder(language)` writes it, so its own retrievers take queries written so.
        """
        return open_engine(self.engine).open_index(self.engine_path)

    def bm25(
        self, k1: float = 0.9, b: float = 0.4, num_results: int = 1000, threads: int | None = None
    ) -> PartRetriever:
        """Rank parts by BM25; the parameters mean the same with every engine.

        k1: how slowly further occurrences of a term count less, at least 0.
        b: how much the scores of long parts are lowered, 0..1.
        num_results: the largest number of parts per topic.
        threads: how many topics PISA searches at a time; None for one per available processor. It changes no result.
        """
        return PartRetriever(self, "bm25", num_results, threads, k1=k1, b=b)

    def retriever(
        self, model: str, num_results: int = 1000, threads: int | None = None, **parameters: float
    ) -> PartRetriever:
        """Rank parts by a scoring model of the engine; raises ValueError for a model or parameter it does not have.

        model: 'bm25' (k1, b), 'qld' (Dirichlet language model: mu), 'pl2' (c) and 'dph' with every engine; with Terrier
            also the name of any of its weighting models: 'BM25F' (w_FIELD and c_FIELD for each field of the index),
            'Hiemstra_LM' (`lambda_`), 'TF_IDF' (k1, b), 'InL2' (c), 'DLH13', ...
        num_results, threads: as in `bm25`.
        parameters: of the model, each a number; those that are not given have the engine's defaults.
        """
        return PartRetriever(self, model, num_results, threads, **parameters)

    def nexi(
        self,
        structure: str = "vague",
        collection: Any = None,
        model: str = "bm25",
        depth: int = 3000,
        parameters: Mapping[str, float] | None = None,
        **settings: Any,
    ) -> NexiRetriever:
        """Run castitles in NEXI over this index.

        structure, settings: as in `NexiRetriever`.
        collection: the one that was indexed; without it, it is opened from where it was then.
        model, parameters: the scoring model of about clauses, as in `retriever`.
        depth: how many parts the engine finds for each about clause.
        """
        retriever = PartRetriever(self, model, depth, None, **(parameters or {}))
        return NexiRetriever(retriever, self.collection() if collection is None else collection, structure, **settings)

    def rewriter(self, method: str, **settings: Any) -> Rewriter:
        """Expand queries from the best parts of a first retrieval: `bm25 >> index.rewriter("RM3") >> bm25`.

        method: 'RM3' or 'Bo1'. settings: as in `Rewriter`: fb_terms, fb_docs, fb_lambda.
        """
        return Rewriter(self, method, **settings)

    def collection(self) -> Any:
        """Open the collection that was indexed, from where it was then."""
        from ..collection import Collection

        try:
            return Collection(self.meta["collection"])
        except CollectionError as error:
            raise CollectionError(f"{self!r}: its collection is not where it was: {error}; give collection=") from error

    def verify(self) -> None:
        """Read every file and compare it with its checksum. Raises CollectionError, which names each damaged file."""
        verify_checksums(StoragePath(str(self.path)))

    def searcher(self, model: str, parameters: Mapping[str, float]) -> Any:
        """Open the engine for a scoring model; the last few stay open."""
        key = (model, *sorted(parameters.items()))
        if key not in self._searchers:
            module = open_engine(self.engine)
            self._searchers[key] = module.open_searcher(self.engine_path, model, parameters, **self._options())
            while len(self._searchers) > _OPEN_SEARCHERS:
                del self._searchers[next(iter(self._searchers))]
        return self._searchers[key]

    def feedback(self) -> Any:
        """Open what query expansion reads: the terms of parts and their statistics."""
        return open_engine(self.engine).open_feedback(self.engine_path, **self._options())

    def _options(self) -> dict[str, Any]:
        return {"language": self.meta.get("language", "english"), "fields": self.meta.get("fields", [])}

    def __len__(self) -> int:
        return self.meta["parts"]

    def __repr__(self) -> str:
        return f"PartIndex({str(self.path)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartIndex) and Path(str(other.path)).absolute() == Path(str(self.path)).absolute()

    def __hash__(self) -> int:
        return hash(str(Path(str(self.path)).absolute()))

    def __reduce__(self) -> tuple[Any, ...]:
        return PartIndex, (str(self.path),)


def build_index(
    collection: Any,
    path: str | Path,
    engine: str | None = None,
    elements: str | Selector | Iterable[str | Selector] | None = None,
    *,
    min_length: int = 1,
    exclude: str | None = None,
    headings: str = "keep",
    titles: bool = False,
    fields: bool = False,
    **options: Any,
) -> PartIndex:
    """Index parts of the articles of *collection* in the new folder *path*.

    engine: 'pisa' or 'bm25s' (extra [retrieval]) or 'terrier' (extra [terrier], needs Java); None takes PISA where it
        is installed (Linux on x86-64) and bm25s elsewhere, and `index.engine` says which.
    elements, min_length, exclude, headings, titles: what is indexed, as in `part_texts`.
    fields: keep title, headings and text apart (Terrier), for models such as BM25F.
    options: as in `index_parts`: language, blocks, threads, overwrite, verbose.
    """
    texts: dict[str, Any] = {"min_length": min_length, "exclude": exclude, "headings": headings, "titles": titles}
    parts = part_texts(collection, elements, **texts, fields=fields)
    meta = {
        "collection": str(Path(collection.path).absolute()),
        "elements": [repr(selector) for selector in selectors(SECTIONS if elements is None else elements)],
        **texts,
    }
    return index_parts(parts, path, engine, meta=meta, fields=fields, **options)


def index_parts(
    parts: Iterable[dict[str, str]],
    path: str | Path,
    engine: str | None = None,
    *,
    meta: dict[str, Any] | None = None,
    language: str = "english",
    blocks: bool = False,
    fields: bool = False,
    threads: int = 1,
    overwrite: bool = False,
    verbose: bool = False,
) -> PartIndex:
    """Index parts, dicts of `docno` (a passage id) and `text`, in the new folder *path*.

    engine: as in `build_index`. meta: what the index is to say of the parts.
    language: of Snowball's stemmers ('english', 'german', 'french', ...). Words of scripts other than Latin are stemmed
        by their script, and texts without spaces go in by characters and pairs, whatever the language.
    blocks: keep the positions of words (Terrier), for queries of words near each other (`pt.rewrite.SDM()`).
    fields: every text beside `docno` is a field of its own (Terrier).
    threads: of the engine while it indexes (PISA).
    overwrite: replace an index of parts that is at *path*; without it, an existing path is an error.
    verbose: show the engine's own log, on standard error.
    """
    engine = choose_engine(engine)
    check_language(language)
    for option, given in (("blocks", blocks), ("fields", fields)):
        if given and engine != "terrier":
            raise ValueError(f"{option}=True: {NAMES[engine]} keeps no {option}; index with engine='terrier'")
    path = Path(path)
    if path.exists():
        if not overwrite:
            raise CollectionError(f"{path} exists already; open it with PartIndex(path), or give overwrite=True")
        PartIndex(path)  # nothing but an index of parts is ever replaced
    counted, names = _counted(parts, meta, fields)
    about = {"language": language, "blocks": blocks, "fields": names}
    _write(counted, path, engine, {**about, "threads": threads, "verbose": verbose}, {**about, **(meta or {})})
    return PartIndex(path)


def _write(parts: _Counted, path: Path, engine: str, options: dict[str, Any], about: dict[str, Any]) -> None:
    """Index the parts in a folder beside *path*, and put it there when all is done."""
    work = path.with_name(f"{path.name}.building")
    shutil.rmtree(work, ignore_errors=True)
    try:
        open_engine(engine).build(parts, work / engine, **options)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    meta = {
        "type": PartIndex.ARTIFACT_TYPE,
        "format": PartIndex.ARTIFACT_FORMAT,
        "package_hint": PartIndex.ARTIFACT_PACKAGE_HINT,
        "engine": engine,
        "parts": parts.count,
        **about,
    }
    (work / "pt_meta.json").write_bytes(seal(meta))
    write_checksums(StoragePath(work))
    if path.exists():
        shutil.rmtree(path)
    work.rename(path)


def _counted(parts: Iterable[dict[str, str]], meta: dict[str, Any] | None, fields: bool) -> tuple[_Counted, list[str]]:
    """Return the parts, counted as they pass, and the names of their fields."""
    waiting = iter(parts)
    first = next(waiting, None)
    if first is None:
        chosen = f" that fits {', '.join(meta['elements'])}" if meta else ""
        raise ValueError(f"nothing to index: no article has a part{chosen}")
    names = [name for name in first if name != "docno"] if fields else []
    return _Counted(chain([first], waiting), names or ["text"]), names


class _Counted:
    """(docno, texts by field) pairs of parts, counted as they pass; a docno that an engine would split is an error."""

    def __init__(self, parts: Iterable[dict[str, str]], fields: list[str]):
        self.count = 0
        self._parts = parts
        self._fields = fields

    def __iter__(self) -> Iterator[tuple[str, dict[str, str]]]:
        for part in self._parts:
            docno = part["docno"]
            if len(docno.split()) != 1 or docno.split()[0] != docno:
                raise ValueError(f"docno {docno!r} holds white space; engines take docnos without")
            self.count += 1
            yield docno, {field: part.get(field, "") for field in self._fields}
