"""The index of a collection's parts: every part is a document of the engine, and its docno is the passage id."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, cast

import pandas as pd
import pyterrier as pt

from ..collection import Collection
from ..collection.files.checksums import verify_checksums
from ..collection.files.storage import StoragePath, hide_credentials
from ..errors import COLLECTION, CollectionError, check_choice
from ..frames.articles import ArticleCollection
from ..frames.show import html_facts
from ..frames.text_ids import TEXT_ID, check_text, find_text_id
from ..reading.json import JsonObject
from .dense_retriever import DenseRetriever, ReciprocalRankFusion
from .elements.nexi_retriever import NexiRetriever
from .engines.base import (
    Abilities,
    Engine,
    Feedback,
    FeedbackIndex,
    FeedbackSettings,
    IndexOptions,
    OpenIndex,
    RewritingIndex,
    Searcher,
    VectorIndex,
    read_model,
)
from .engines.choose import choose_engine, open_engine
from .engines.dense import check_encoder
from .part_loader import PartTextLoader
from .part_retriever import PartRetriever
from .passages.part_texts import PartTexts
from .passages.selectors import Selector
from .rewriter import Rewriter
from .transformer import check_text_field
from .write_index import (
    ABOUT,
    check_options,
    check_own_options,
    check_target,
    count_parts,
    read_whole_index,
    write_index,
)

_OPEN_SEARCHERS = 4


class PartIndex(pt.Artifact):
    """An index of parts on disk: a factory of retrievers whose results are frames of parts.

    It is made by `Collection.index(...)` and opened by its path; `bm25()`, `retriever(model)` and the others turn
    topics (`qid`, `query`) into a row per part found.

    Opening compares its files with its manifest, as far as that takes a few milliseconds; `verify` reads them all. The
    manifest guards against accidents, not attackers: no address that it holds is opened unless the caller names it.

    Args:
        url: The address of the cluster of an OpenSearch index, or those of several nodes, with credentials or without;
            by default OPENSEARCH_URL. Pickling keeps it without credentials.

    Example:
        >>> parts = [{"docno": "12#0-10", "text": "A cat sat."}, {"docno": "7#0-10", "text": "A dog ran."}]
        >>> index = PartIndex.from_parts(parts, "index", engine="bm25s")
        >>> index.bm25().search("dogs")["docno"].tolist()
        ['7#0-10']
    """

    ARTIFACT_TYPE = ABOUT["type"]
    ARTIFACT_FORMAT = ABOUT["format"]
    ARTIFACT_PACKAGE_HINT = ABOUT["package_hint"]

    def __init__(self, path: str | Path, *, url: str | Sequence[str] | None = None):
        super().__init__(path)
        self.meta: JsonObject = read_whole_index(Path(path))
        if url is not None and "url" not in self.abilities.build_options:
            raise ValueError(f"{path}: url= is for indexes on a cluster, and this one is {self.engine_name}'s")
        self._url = url
        self._lock = threading.Lock()
        self._searchers: dict[tuple[object, ...], Searcher] = {}
        self._encoder: pt.Transformer | None = None

    @classmethod
    def build(
        cls,
        collection: ArticleCollection,
        path: str | Path,
        engine: str | None = None,
        elements: str | Selector | Iterable[str | Selector] | None = None,
        *,
        min_length: int = 1,
        exclude: Literal["boilerplate"] | None = None,
        headings: Literal["keep", "drop", "add"] = "keep",
        titles: bool = False,
        fields: bool = False,
        language: str = "english",
        blocks: bool = False,
        threads: int = 1,
        overwrite: bool = False,
        verbose: bool = False,
        **own: Any,
    ) -> PartIndex:
        """Index parts of the articles of a collection in a new folder.

        Args:
            engine: 'pisa' or 'bm25s' (extra [retrieval]) or 'terrier' (extra [terrier], needs Java), or an engine of
                another package; None takes PISA if it is installed (Linux on x86-64) and bm25s elsewhere, and
                `index.engine` says which.
            elements: The parts to index; `part_texts` explains this and the next four.
            fields: Keep title, headings and text apart (Terrier), for models such as BM25F.
            language: The language of Snowball's stemmer ('english', 'german', ...). Words of other scripts than Latin
                are stemmed by their script; texts without spaces are indexed by characters and pairs.
            blocks: Keep the positions of words (Terrier), for queries of words near each other (`pt.rewrite.SDM()`).
            threads: Threads of the engine while it indexes (PISA).
            overwrite: Replace an index of parts that is at *path*; without it, an existing path is an error.
            verbose: Show the engine's own log, on standard error.
            own: The engine's own options, such as those in `DenseOptions` and `OpenSearchOptions`.
        """
        check_own_options(engine, own, cls.build)
        texts: JsonObject = {"min_length": min_length, "exclude": exclude, "headings": headings, "titles": titles}
        parts = PartTexts.choose(collection, elements, **texts, fields=fields)
        meta = {
            "collection": collection.place
            if isinstance(collection, Collection)
            else str(Path(str(collection.path)).absolute()),
            TEXT_ID: find_text_id(collection),
            "elements": [repr(selector) for selector in parts.selectors],
            **texts,
        }
        if parts.usual is not None:
            meta["usual"] = {"names": parts.usual.names, "share": parts.usual.share}
        return cls.from_parts(
            parts, path, engine, meta=meta, language=language, blocks=blocks, fields=fields, threads=threads,
            overwrite=overwrite, verbose=verbose, **own,
        )  # fmt: skip

    @classmethod
    def from_parts(
        cls,
        parts: Iterable[dict[str, str]],
        path: str | Path,
        engine: str | None = None,
        *,
        meta: JsonObject | None = None,
        language: str = "english",
        blocks: bool = False,
        fields: bool = False,
        threads: int = 1,
        overwrite: bool = False,
        verbose: bool = False,
        **own: Any,
    ) -> PartIndex:
        """Index parts, dicts of `docno` (a passage id) and `text`, in a new folder.

        Args:
            parts: The parts, in the order in which parts of equal score are found.
            fields: Every text beside `docno` is a field of its own (Terrier).

        The other arguments are those of `build`.
        """
        engine = choose_engine(engine)
        check_own_options(engine, own, cls.from_parts)
        check_options(open_engine(engine), IndexOptions(language, blocks, ("text",) if fields else ()))
        path = Path(path)
        check_target(path, overwrite)
        chosen = f" that fits {', '.join(meta['elements'])}" if meta else ""
        counted = count_parts(parts, fields, f"nothing to index: no article has a part{chosen}")
        options = IndexOptions(language, blocks, counted.fields, threads, verbose, dict(own), overwrite)
        write_index(counted, path, engine, options, meta or {})
        index = cls(path, url=own.get("url"))
        index._encoder = own.get("encoder")
        return index

    @property
    def engine(self) -> str:
        """The engine that searches: 'pisa', 'bm25s', 'terrier', or that of another package."""
        return str(self.meta["engine"])

    @property
    def engine_name(self) -> str:
        return self._own_engine.name

    @property
    def abilities(self) -> Abilities:
        """What the engine can do: its models with their parameters, for one."""
        return self._own_engine.can

    @property
    def engine_path(self) -> Path:
        return Path(str(self.path)) / self.engine

    def engine_index(self) -> Any:
        """Open the engine's own index: a `pyterrier_pisa.PisaIndex`, a `pt.terrier.TerrierIndex`, a `Bm25sIndex`.

        Text went into it as `terms.folder(language)` writes it, so its own retrievers take queries written so.
        """
        return self._opened_index.own

    def bm25(
        self, k1: float = 0.9, b: float = 0.4, num_results: int = 1000, threads: int | None = None
    ) -> PartRetriever:
        """Rank parts by BM25; the parameters mean the same with every engine.

        Args:
            k1: The larger, the more further occurrences of a term count; at least 0.
            b: The larger, the lower long parts score; 0..1.
            threads: How many topics PISA searches at a time; None for one per available processor. It changes no
                result.
        """
        return PartRetriever(self, "bm25", num_results, threads, k1=k1, b=b)

    def retriever(
        self, model: str, num_results: int = 1000, threads: int | None = None, **parameters: float
    ) -> PartRetriever:
        """Rank parts by a scoring model of the engine.

        Args:
            model: 'bm25' (k1, b), 'qld' (Dirichlet language model: mu), 'pl2' (c) and 'dph' with every engine; with
                Terrier also the name of any of its weighting models: 'BM25F' (w_FIELD and c_FIELD for each field of the
                index), 'Hiemstra_LM' (`lambda_`), 'TF_IDF' (k1, b), 'InL2' (c), 'DLH13', ...
            parameters: The model's parameters, each a number; by default the engine's.
        """
        return PartRetriever(self, model, num_results, threads, **parameters)

    def search(
        self, query: str, num_results: int = 10, model: str = "bm25", *, collection: ArticleCollection | None = None
    ) -> pd.DataFrame:
        """Return the best parts for the words of a query, as a frame with their titles and texts."""
        parts = self.retriever(model, num_results).search(query)
        loader = cast(Collection, self._check_collection(collection)).text_loader(["title", "text"])
        return pd.DataFrame(loader.transform(parts))

    def dense(self, encoder: pt.Transformer | None = None, num_results: int = 1000) -> DenseRetriever:
        """Rank parts by their vectors, in an index made with engine='dense', or on a cluster with encoder=.

        Args:
            encoder: The one by which the parts were indexed, as its name and its vector of a fixed text tell; without
                it, the one that this object was built with, or topics bring their vectors in `query_vec`.
        """
        if not self.abilities.vectors:
            raise ValueError(f"{self.engine_name} keeps no vectors; index with engine='dense', encoder=...")
        vectors = cast(VectorIndex, self._opened_index).open_vectors()
        if encoder is not None:
            check_encoder(encoder, vectors)
        return DenseRetriever(vectors, encoder or self._encoder, num_results)

    def hybrid(
        self, other: PartIndex | pt.Transformer, method: Literal["rrf"] = "rrf", num_results: int = 1000
    ) -> ReciprocalRankFusion:
        """Fuse the results of this index and of another one: `dense.hybrid(bm25)`.

        Args:
            other: An index of the same parts, or a retriever. Of an index, BM25 or its vectors are taken.
            method: 'rrf', the sum of reciprocal ranks.
        """
        check_choice("hybrid: method", method, ("rrf",))
        systems = (self._make_usual(), other._make_usual() if isinstance(other, PartIndex) else other)
        return ReciprocalRankFusion(systems, num_results=num_results)

    def _make_usual(self) -> pt.Transformer:
        return self.bm25() if self.abilities.models else self.dense()

    def nexi(
        self,
        structure: str = "vague",
        collection: ArticleCollection | None = None,
        model: str = "bm25",
        depth: int = 3000,
        parameters: Mapping[str, float] | None = None,
        **settings: object,
    ) -> NexiRetriever:
        """Run castitles in NEXI over this index.

        Args:
            model: The scoring model of about clauses, as in `retriever`.
            depth: How many parts the engine finds for each about clause.
        """
        retriever = PartRetriever(self, model, depth, None, **(parameters or {}))
        language = self.meta.get("language", "english")
        return NexiRetriever(
            retriever, self._check_collection(collection), structure, **{"language": language, **settings}
        )

    def text_loader(
        self,
        fields: str | Sequence[str] = "text",
        *,
        collection: ArticleCollection | None = None,
        verbose: bool = False,
    ) -> PartTextLoader:
        """Add the `text` of each part as it was indexed, with its title and headings if these were: for re-rankers.

        Args:
            fields: 'text', or '*' for all there is, which is the text: `pt.text.get_text(index, ...)` gives it.
            collection: The one that was indexed; without it, it is opened from the folder that it had then.
        """
        check_text_field("PartIndex.text_loader", fields)
        if "headings" not in self.meta:
            raise CollectionError(
                f"{self!r} was not made of a collection; take the texts from where its parts came from"
            )
        has_fields = bool(self.meta.get("fields"))
        settings = (self.meta["headings"], self.meta["titles"], has_fields, verbose)
        return PartTextLoader(self._check_collection(collection), *settings)

    def rewriter(self, method: str, fb_terms: int = 10, fb_docs: int = 3, fb_lambda: float = 0.6) -> Rewriter:
        """Expand queries from the best parts of a first retrieval: `bm25 >> index.rewriter("RM3") >> bm25`."""
        return Rewriter(self, method, fb_terms, fb_docs, fb_lambda)

    def collection(self) -> ArticleCollection:
        """Open the collection that was indexed.

        Raises:
            CollectionError: Its folder is not where it was, or it is at an address, which the caller has to name.
        """
        place = str(self.meta.get("collection", ""))
        if "://" in place or place.startswith(("//", "\\\\")):
            raise CollectionError(
                f"{self!r}: its collection is at {hide_credentials(place)}, and no address that an index holds is "
                f"opened; give {COLLECTION}"
            )
        try:
            collection: ArticleCollection = Collection(place)
            return collection
        except CollectionError as error:
            raise CollectionError(f"{self!r}: its collection is not where it was: {error}; give collection=") from error

    def _check_collection(self, collection: ArticleCollection | None) -> ArticleCollection:
        """Return *collection*, or the indexed one if it is None. Raises CollectionError if they differ."""
        collection = self.collection() if collection is None else collection
        check_text(self.meta.get(TEXT_ID, ""), repr(self), collection)
        return collection

    def verify(self) -> None:
        """Read every file and compare it with its checksum. Raises CollectionError, which names each damaged file."""
        verify_checksums(StoragePath(str(self.path)))

    def searcher(self, model: str, parameters: Mapping[str, float]) -> Searcher:
        """Open the engine for a scoring model; the last few stay open."""
        chosen = read_model(self._own_engine, model, parameters)
        key = (chosen.name, *sorted(chosen.parameters.items()))
        with self._lock:
            if key not in self._searchers:
                self._searchers[key] = self._opened_index.searcher(chosen.name, chosen.parameters)
                while len(self._searchers) > _OPEN_SEARCHERS:
                    del self._searchers[next(iter(self._searchers))]
            return self._searchers[key]

    def feedback(self) -> Feedback:
        return cast(FeedbackIndex, self._opened_index).feedback()

    def rewrite(self, topics: pd.DataFrame, parts: pd.DataFrame | None, settings: FeedbackSettings) -> list[str]:
        return cast(RewritingIndex, self._opened_index).rewrite(topics, parts, settings)

    @cached_property
    def _own_engine(self) -> Engine:
        return open_engine(self.engine)

    @cached_property
    def _opened_index(self) -> OpenIndex:
        own = {} if self._url is None else {"url": self._url}
        options = IndexOptions(self.meta.get("language", "english"), fields=tuple(self.meta.get("fields", ())), own=own)
        path = Path(str(self.path))
        with suppress(FileNotFoundError):
            opened = self._own_engine.open(self.engine_path, options)
            # files of two builds do not fit each other
            if read_whole_index(path) == self.meta:
                return opened
        raise CollectionError(
            f"{path}: files of this index were replaced or deleted after it was opened; open it again, with "
            "PartIndex(path)"
        )

    def __len__(self) -> int:
        return int(self.meta["parts"])

    def __repr__(self) -> str:
        return f"PartIndex({str(self.path)!r})"

    def _repr_html_(self) -> str:
        elements = self.meta.get("elements", [])
        # Indexes of before have no such count.
        blank = self.meta.get("blank", 0)
        facts = {
            "parts": f"{len(self):,}" + (f" ({blank:,} blank ones are left out)" if blank else ""),
            "engine": self.engine,
            "elements": ", ".join(map(str, elements)),
            "language": self.meta.get("language", ""),
            "for example": 'index.search("..."), index.bm25()',
        }
        return html_facts(repr(self), facts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartIndex) and Path(str(other.path)).absolute() == Path(str(self.path)).absolute()

    def __hash__(self) -> int:
        return hash(str(Path(str(self.path)).absolute()))

    def __reduce__(self) -> tuple[object, ...]:
        urls = [self._url] if isinstance(self._url, str) else self._url
        url = None if urls is None else [hide_credentials(address) for address in urls]
        return partial(PartIndex, url=url), (str(self.path),)
