"""Vectors as the engine of an index of parts: an encoder's vectors of texts and queries, by their inner product."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Protocol, TypedDict

import numpy as np
import pandas as pd
import pyterrier as pt
from numpy.typing import NDArray

from ...collection.batches import cut_into_batches
from ...errors import CollectionError, check_choice, import_extra
from ...frames.spans import Floats, Ints
from .base import Abilities, Document, Hits, IndexOptions, SearchableVectors, Searcher
from .strings import Strings

Vectors = NDArray[np.float32]
Graph = Literal["exact", "hnsw"]
# Parts that are encoded at a time, unless batch_size says otherwise.
BATCH = 1024
# Neighbours of each part in the graph, as in faiss's own examples.
_NEIGHBOURS = 32
# An index keeps its vector. The words are common, since an encoder may know only those of its collection.
_SAMPLE = "The history of a house by the sea, and of the people who live with its light and water in the north."
# The largest relative distance of two vectors of one text, by precision, batches and devices.
_SAME = 0.05


def name_encoder(encoder: pt.Transformer) -> str:
    """Return the name by which an index knows its encoder: its repr without an address in memory."""
    shown = repr(encoder)
    return f"{type(encoder).__module__}.{type(encoder).__qualname__}" if " at 0x" in shown else shown


def require_encoder(encoder: object) -> pt.Transformer:
    if not isinstance(encoder, pt.Transformer):
        raise ValueError(f"encoder={encoder!r}; give a transformer that writes doc_vec and query_vec")
    return encoder


def encode_sample(encoder: pt.Transformer) -> Vectors:
    """Return the vector of a fixed text, which tells apart encoders of one name with different weights."""
    vector: Vectors = encode_documents(encoder, [("", {"text": _SAMPLE})])[0]
    return vector


def check_encoder(encoder: pt.Transformer, vectors: SearchableVectors) -> None:
    """Raise ValueError if an encoder is not the one that made the vectors, by its name and that of a fixed text."""
    name = name_encoder(encoder)
    if name != vectors.encoder:
        raise ValueError(f"the parts were encoded by {vectors.encoder}, and this is {name}")
    if not are_of_one_encoder(encode_sample(encoder), np.asarray(vectors.sample)):
        raise ValueError(
            f"the parts were encoded by {name} with other weights: it gives another vector for the same text now; "
            "load the model that indexed them, or index them again"
        )


def are_of_one_encoder(sample: Vectors, known: Vectors) -> bool:
    """Tell whether two vectors of the fixed text are the same but for rounding."""
    return sample.shape == known.shape and bool(np.linalg.norm(sample - known) <= _SAME * np.linalg.norm(known))


def encode_documents(encoder: pt.Transformer, documents: Sequence[Document]) -> Vectors:
    texts = pd.DataFrame([(docno, "\n".join(fields.values())) for docno, fields in documents], dtype=object)
    return encode(encoder, "doc_vec", texts.set_axis(["docno", "text"], axis=1))


def encode(encoder: pt.Transformer, column: str, frame: pd.DataFrame) -> Vectors:
    """Return an encoder's vectors of the rows of a frame, which it writes into *column* ('doc_vec', 'query_vec')."""
    found: Any = encoder.transform(frame)
    if column not in found.columns or len(found) != len(frame):
        raise ValueError(f"{encoder!r} writes no {column!r} for each row; give an encoder of texts and of queries")
    if not len(frame):
        return np.zeros((0, 0), dtype=np.float32)
    return np.ascontiguousarray(np.stack(found[column].tolist()), dtype=np.float32)


@cache
def _import_faiss() -> ModuleType:
    """Import faiss, whose threads a forked process lacks: it would wait for them forever, so it searches with one."""
    faiss = import_extra("faiss", "dense")
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=partial(faiss.omp_set_num_threads, 1))
    return faiss


class _NeighbourGraph(Protocol):
    """faiss's graph of the neighbours of vectors."""

    def search(self, queries: Vectors, k: int, params: object) -> tuple[Vectors, Ints]:
        """Return the scores and the rows of the best *k* vectors for each query."""


class DenseIndex:
    """The vectors of parts in the folder *path*, memory-mapped."""

    def __init__(self, path: Path):
        self.path = path
        meta = json.loads((path / "meta.json").read_text(encoding="utf-8"))
        if "sample" not in meta:
            raise CollectionError(
                f"{path.parent}: an earlier version made this index, without what tells its encoder from others; index "
                "the collection again, with overwrite=True"
            )
        self.encoder: str = meta["encoder"]
        self.sample: list[float] = meta["sample"]
        self.dimension = len(self.sample)
        self.graph: Graph = meta["graph"]
        self.docnos = Strings(path, "docnos")
        self.vectors: Vectors = np.memmap(path / "vectors.f32", np.float32, "r").reshape(-1, self.dimension)

    @property
    def own(self) -> DenseIndex:
        return self

    def open_vectors(self) -> DenseIndex:
        return self

    def searcher(self, model: str, parameters: Mapping[str, float]) -> Searcher:
        raise ValueError("vectors are searched with index.dense(encoder)")

    @cached_property
    def _neighbour_graph(self) -> _NeighbourGraph:
        faiss = _import_faiss()
        graph: _NeighbourGraph = faiss.read_index(str(self.path / "hnsw.faiss"), faiss.IO_FLAG_MMAP_IFC)
        return graph

    def search(self, queries: Vectors, k: int) -> Hits:
        """Find the best *k* parts for each query; parts of one score come in the order of the index."""
        faiss = _import_faiss()
        k = min(k, len(self.docnos))
        if self.graph == "hnsw":
            settings = faiss.SearchParametersHNSW(efSearch=max(2 * k, 64))
            score, row = self._neighbour_graph.search(queries, k, params=settings)
        else:
            score, row = faiss.knn(queries, self.vectors, k, metric=faiss.METRIC_INNER_PRODUCT)
        query = np.repeat(np.arange(len(queries)), k)
        order = np.lexsort((row.ravel(), -score.ravel(), query))
        # A graph may lead to fewer.
        order = order[row.ravel()[order] >= 0]
        docno = np.array([self.docnos[part] for part in row.ravel()[order].tolist()], dtype=object)
        return Hits(query[order], docno, score.ravel()[order].astype(np.float64))

    def score(self, queries: Vectors, candidates: Sequence[Sequence[str]]) -> list[Floats]:
        scores = []
        for query, docnos in zip(queries, candidates, strict=True):
            rows = np.array([self.docnos.numbers.get(docno, -1) for docno in docnos], dtype=np.int64)
            scores.append(np.where(rows >= 0, (self.vectors[rows] @ query).astype(np.float64), np.nan))
        return scores


class DenseOptions(TypedDict, total=False):
    """The options of `index(engine="dense")`.

    encoder: a transformer that writes `doc_vec` for `text` and `query_vec` for `query`. graph: 'hnsw' is faster, and
    misses some. batch_size: how many parts are encoded at a time.
    """

    encoder: pt.Transformer
    graph: Literal["exact", "hnsw"]
    batch_size: int


class DenseEngine:
    """Vectors of any encoder, searched with faiss."""

    name = "dense"
    can = Abilities({}, build_options=frozenset(DenseOptions.__annotations__), vectors=True)

    def build(self, documents: Iterable[Document], path: Path, options: IndexOptions) -> None:
        faiss = _import_faiss()
        encoder = require_encoder(options.own.get("encoder"))
        graph = options.own.get("graph", "exact")
        check_choice("graph", graph, ("exact", "hnsw"))
        sample = encode_sample(encoder).tolist()
        path.mkdir(parents=True)
        docnos: list[str] = []
        with (path / "vectors.f32").open("wb") as file:
            for some in cut_into_batches(documents, options.own.get("batch_size", BATCH)):
                file.write(encode_documents(encoder, some).tobytes())
                docnos += [docno for docno, _ in some]
        Strings.write(path, "docnos", docnos)
        meta = {"encoder": name_encoder(encoder), "sample": sample, "graph": graph}
        (path / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
        if graph == "hnsw":
            neighbours = faiss.IndexHNSWFlat(len(sample), _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
            neighbours.add(np.asarray(DenseIndex(path).vectors))
            faiss.write_index(neighbours, str(path / "hnsw.faiss"))

    def open(self, path: Path, options: IndexOptions) -> DenseIndex:
        return DenseIndex(path)


ENGINE = DenseEngine()
