"""bm25s as the engine of an index of parts: it runs wherever Python does, from memory-mapped files.

The files hold how often each term occurs in each part, by part and by term; a scoring model turns these counts into
the scores that bm25s adds up. So every model and every parameter goes with one index.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import import_extra
from ...frames.spans import Floats, Ints
from .base import SHARED_MODELS, Abilities, Document, Hits, IndexOptions, Query
from .models import Counts, score_counts
from .strings import Strings, find_sorted, read_statistics
from .terms import Words

_TERMS_AT_ONCE = 4_000_000
_FILES = ("indptr", "indices", "counts")
_DEFAULT_SCORES = "by_term.bm25.npy"


class Bm25sIndex:
    """The counts of terms in parts, in the folder *path*; the terms are in order, so that one is found by halving."""

    def __init__(self, path: Path):
        self.path = path
        meta = json.loads((path / "meta.json").read_text(encoding="utf-8"))
        self.language: str = meta["language"]
        self.docnos = Strings(path, "docnos")
        self.terms = Strings(path, "terms")
        self.lengths = np.load(path / "lengths.npy", mmap_mode="r")
        self.document_frequency = np.load(path / "document_frequency.npy", mmap_mode="r")
        self.collection_frequency = np.load(path / "collection_frequency.npy", mmap_mode="r")
        self._by_term = [np.load(path / f"by_term.{name}.npy", mmap_mode="r") for name in _FILES]
        self._by_part = [np.load(path / f"by_part.{name}.npy", mmap_mode="r") for name in _FILES]

    @property
    def own(self) -> Bm25sIndex:
        return self

    def searcher(self, model: str, parameters: Mapping[str, float]) -> Bm25sSearcher:
        return Bm25sSearcher(self, model, parameters)

    def feedback(self) -> Bm25sIndex:
        return self

    @cached_property
    def _words(self) -> Words:
        return Words(self.language)

    def analyse(self, query: str) -> list[str]:
        return self._words.terms(query)

    def counts(self) -> Counts:
        """Return all counts by term, which a scoring model turns into scores."""
        # plain views of the mapped files
        indptr, indices, counts = map(np.asarray, self._by_term)
        return Counts(indptr, indices, counts, self.lengths, self.document_frequency, self.collection_frequency)

    def vectors(self, docnos: Iterable[str]) -> dict[str, dict[str, int]]:
        indptr, indices, counts = self._by_part
        wanted = set(docnos)
        found = {}
        for row, docno in enumerate(self.docnos):
            if docno in wanted:
                part = slice(int(indptr[row]), int(indptr[row + 1]))
                found[docno] = {self.terms[t]: int(n) for t, n in zip(indices[part], counts[part], strict=True)}
        return found

    def statistics(self, terms: Iterable[str]) -> dict[str, tuple[int, int]]:
        return read_statistics(self.terms, terms, self.document_frequency, self.collection_frequency)


class _Batch(NamedTuple):
    """How often terms occur in some parts: columns of the numbers of parts and terms, and counts."""

    part: NDArray[np.int32]
    term: NDArray[np.int32]
    times: NDArray[np.int32]


def _count_terms(
    documents: Iterable[Document], words: Words, numbers: dict[str, int], docnos: list[str]
) -> Iterator[_Batch]:
    """Count the terms of a batch of parts at a time; *numbers* and *docnos* grow as terms and parts appear.

    "oil lamp", "oil, oil"  ->  part  0 0 1
                                term  1 2 1
                                count 1 1 2
    """
    first = 0
    waiting: list[int] = []
    lengths: list[int] = []
    for docno, fields in chain(documents, [(None, {})]):
        if docno is not None:
            terms = words.terms("\n".join(fields.values()))
            waiting += [numbers.setdefault(term, len(numbers)) for term in terms]
            lengths.append(len(waiting))
            docnos.append(docno)
        if waiting and (docno is None or len(waiting) >= _TERMS_AT_ONCE):
            part = first + np.repeat(np.arange(len(lengths)), np.diff(lengths, prepend=0))
            key, count = np.unique((part << 32) | np.array(waiting, dtype=np.int64), return_counts=True)
            yield _Batch(*(column.astype(np.int32) for column in (key >> 32, key & 0xFFFFFFFF, count)))
            first = len(docnos)
            waiting = []
            lengths = []


class Bm25sSearcher:
    """One scoring model over the bm25s index in the folder *path*."""

    def __init__(self, index: Bm25sIndex, model: str, parameters: Mapping[str, float]):
        bm25s = import_extra("bm25s", "retrieval")
        self._index = index
        self.model = model
        self.parameters = parameters
        counts = index.counts()
        if model == "bm25" and parameters == SHARED_MODELS["bm25"]:
            data = np.asarray(np.load(index.path / _DEFAULT_SCORES, mmap_mode="r"))
        else:
            data = score_counts(self.model, counts, self.parameters)
        self._top = bm25s.selection.topk
        self._engine = bm25s.BM25()
        self._engine.scores = {
            "data": data, "indices": counts.part, "indptr": counts.begin, "num_docs": len(self._index.docnos)
        }  # fmt: skip
        self._engine.nonoccurrence_array = None

    def search(self, queries: Sequence[Query], k: int, threads: int | None) -> Hits:
        query: list[Ints] = []
        docno: list[str] = []
        score: list[Floats] = []
        for position, weights in enumerate(map(self._weigh_terms, queries)):
            parts, scores = self._find_best(weights, k)
            query.append(np.full(len(parts), position))
            docno += [self._index.docnos[part] for part in parts.tolist()]
            score.append(scores)
        none: Ints = np.zeros(0, dtype=np.int64)
        return Hits(
            np.concatenate([none, *query]), np.array(docno, dtype=object), np.concatenate([np.zeros(0), *score])
        )

    def score(self, queries: Sequence[Query], candidates: Sequence[Sequence[str]]) -> list[Floats]:
        scores = []
        for query, docnos in zip(queries, candidates, strict=True):
            parts = np.array([self._index.docnos.numbers.get(docno, -1) for docno in docnos], dtype=np.int64)
            scores.append(np.where(parts >= 0, self._add_up_scores(self._weigh_terms(query))[parts], np.nan))
        return scores

    def _weigh_terms(self, query: Query) -> dict[int, float]:
        index = self._index
        weights: dict[int, float] = {}
        terms = ((term, 1.0) for term in index.analyse(query)) if isinstance(query, str) else query.items()
        for term, weight in terms:
            number = find_sorted(index.terms, term)
            if number >= 0:
                weights[number] = weights.get(number, 0.0) + weight
        return weights

    def _add_up_scores(self, weights: dict[int, float]) -> Floats:
        total = np.zeros(len(self._index.docnos), dtype=np.float64)
        for weight in sorted(set(weights.values())):
            same = [number for number, other in weights.items() if other == weight]
            total += weight * self._engine.get_scores_from_ids(same)
        return total

    def _find_best(self, weights: dict[int, float], k: int) -> tuple[Ints, Floats]:
        """Return the best parts and their scores; parts of one score come in the order of the index."""
        total = self._add_up_scores(weights)
        parts = np.flatnonzero(total)
        if len(parts) > k:
            # the k-th score may be shared: take all that have it, and the first of them in the end
            least = self._top(total[parts], k=k, sorted=True)[0][-1]
            parts = parts[total[parts] >= least]
        order = parts[np.argsort(-total[parts], kind="stable")[:k]]
        return order, total[order]


class Bm25sEngine:
    """bm25s, which keeps all models in one index."""

    name = "bm25s"
    can = Abilities(SHARED_MODELS, weighted_queries=True, feedback=True)

    def build(self, documents: Iterable[Document], path: Path, options: IndexOptions) -> None:
        import scipy.sparse

        import_extra("bm25s", "retrieval")
        words = Words(options.language)
        path.mkdir(parents=True)
        numbers: dict[str, int] = {"": 0}
        docnos: list[str] = []
        columns = [*_count_terms(documents, words, numbers, docnos)]
        if len(numbers) == 1:
            raise ValueError("nothing to index: no part holds a word of letters or digits")
        rows, terms, counts = (np.concatenate(column) for column in zip(*columns, strict=True))
        ordered = sorted(numbers)
        place = np.empty(len(numbers), dtype=np.int32)
        place[[numbers[term] for term in ordered]] = np.arange(len(numbers))
        shape = len(docnos), len(numbers)
        by_part = scipy.sparse.coo_matrix((counts, (rows, place[terms])), shape=shape).tocsr()
        by_part.sort_indices()
        by_term = by_part.tocsc()
        for name, matrix in (("by_part", by_part), ("by_term", by_term)):
            for file, array in zip(_FILES, (matrix.indptr, matrix.indices, matrix.data), strict=True):
                np.save(path / f"{name}.{file}.npy", array)
        np.save(path / "lengths.npy", np.asarray(by_part.sum(axis=1)).ravel().astype(np.int32))
        np.save(path / "document_frequency.npy", np.diff(by_term.indptr).astype(np.int32))
        np.save(path / "collection_frequency.npy", np.asarray(by_part.sum(axis=0)).ravel().astype(np.int64))
        Strings.write(path, "docnos", docnos)
        Strings.write(path, "terms", ordered)
        (path / "meta.json").write_text(json.dumps({"language": options.language}), encoding="utf-8")
        np.save(path / _DEFAULT_SCORES, score_counts("bm25", Bm25sIndex(path).counts(), SHARED_MODELS["bm25"]))

    def open(self, path: Path, options: IndexOptions) -> Bm25sIndex:
        return Bm25sIndex(path)


ENGINE = Bm25sEngine()
