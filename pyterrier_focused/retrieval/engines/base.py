"""The contract of engines: how parts become an index, how queries find them, and what an engine can do.

An engine of another package is found by an entry point of the group `pyterrier_focused.engines`, whose name is that of
the engine and whose object is an `Engine`:

    [project.entry-points."pyterrier_focused.engines"]
    opensearch = "my_package:ENGINE"

`check_engine` in tests/support/engine_contract.py checks that it keeps this contract.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...frames.spans import Floats, Ints

# A part: its docno, and its texts by field, only 'text' unless the index keeps fields apart.
Document = tuple[str, Mapping[str, str]]
# operators of Terrier's query language, as PyTerrier's query rewriters write them
TERRIER_LANGUAGE = re.compile(
    r"""
    applypipeline:
    | \# (?: combine | uw\d* | \d+ | tag | prefix | band | base64 | syn ) \b
    | \^ \d
    """,
    re.VERBOSE,
)
# those of them that ask for words near each other
TERRIER_POSITIONS = re.compile(r"#(?:uw\d*|\d+)\(")
# the models that PISA, bm25s and Terrier share, with their parameters and defaults
SHARED_MODELS: Mapping[str, Mapping[str, float]] = {
    "bm25": {"k1": 0.9, "b": 0.4},
    "qld": {"mu": 1000.0},
    "pl2": {"c": 1.0},
    "dph": {},
}
_LIMITS = {"k1": (0, math.inf), "b": (0, 1), "mu": (0, math.inf), "c": (0, math.inf)}


class WrittenQuery(str):
    """A query that a transformer wrote in the operators of Terrier's query language, not words that a user typed."""


# the column that keeps the `query` which a rewriter wrote beside the weights in `query_toks`
WEIGHTED_TEXT = "query_toks_text"

# words, a query in Terrier's language (for engines that read it), or terms with weights (`query_toks`)
Query = str | WrittenQuery | Mapping[str, float]


@dataclass(frozen=True)
class Abilities:
    """The abilities of an engine; anything else is refused before it is asked.

    models: the scoring models by their names in lower case, each with its parameters and their defaults.
    other_models: `searcher` takes models beyond these, and checks their names and parameters itself.
    blocks: keeps the positions of words. fields: keeps texts apart by field.
    threads: searches several topics at a time. build_options: names of options of its own that `build` takes.
    weighted_queries: takes terms with weights. terrier_language: takes a `WrittenQuery`.
    vectors: ranks by vectors, with `index.dense()`.
    feedback: gives the terms of parts, for query expansion. rewrites: methods of expansion that it has itself.
    """

    models: Mapping[str, Mapping[str, float]]
    other_models: bool = False
    blocks: bool = False
    fields: bool = False
    threads: bool = False
    build_options: frozenset[str] = frozenset()
    weighted_queries: bool = False
    terrier_language: bool = False
    feedback: bool = False
    vectors: bool = False
    rewrites: frozenset[str] = frozenset()


@dataclass(frozen=True)
class IndexOptions:
    """How an index of parts is made; it is opened with the same *language* and *fields*.

    fields: the names of the fields that are kept apart; none if each part is one text.
    verbose: show the engine's own log, on standard error. own: the engine's own options, by name (`url` may hold a
    password); an index is opened with those of them that it was given then.
    overwrite: replace what an engine that keeps its index elsewhere has there under the same name.
    target: the folder of the index when it is built, which is the same in each try.
    """

    language: str = "english"
    blocks: bool = False
    fields: tuple[str, ...] = ()
    threads: int = 1
    verbose: bool = False
    own: Mapping[str, Any] = field(default_factory=dict, repr=False)
    overwrite: bool = False
    target: Path | None = None


@dataclass(frozen=True)
class Hits:
    """Parts that were found: for each the position of its query, its docno and score; a query's best part first.

    Positions ascend. further: columns that the rows of results are to have as well.
    """

    query: Ints
    docno: NDArray[np.object_]
    score: Floats
    further: Mapping[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class FeedbackSettings:
    """How a query is expanded: *method* 'RM3', 'Bo1' or 'SDM', and its parameters as in `Rewriter`."""

    method: str
    fb_terms: int
    fb_docs: int
    fb_lambda: float


class Searcher(Protocol):
    """An open index under one scoring model."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """All of its parameters."""

    def search(self, queries: Sequence[Query], k: int, threads: int | None) -> Hits:
        """Find the best *k* parts for each query; any text is a query, and *threads* changes no result.

        Queries are all texts or all terms with weights. Parts that hold no word of the query are not found.
        """

    def score(self, queries: Sequence[Query], candidates: Sequence[Sequence[str]]) -> list[Floats]:
        """Score the candidates of each query, docnos, as `search` does.

        A part that holds no word of the query scores 0, and a docno that is not in the index NaN.
        """


class Feedback(Protocol):
    """The terms of parts, without stop words, for query expansion."""

    def analyse(self, query: str) -> list[str]:
        """Return the terms of a query."""

    def vectors(self, docnos: Iterable[str]) -> dict[str, dict[str, int]]:
        """Return the terms of parts with their counts, for those docnos that the index has."""

    def statistics(self, terms: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return for each term how many parts hold it, and how often it occurs in all."""


class OpenIndex(Protocol):
    """An engine's index on disk, open."""

    @property
    def own(self) -> object:
        """The engine's own object for its index, for those who know the engine."""

    def searcher(self, model: str, parameters: Mapping[str, float]) -> Searcher:
        """Open the index under a scoring model with all its parameters, which have been checked."""


class FeedbackIndex(OpenIndex, Protocol):
    """An open index of an engine that can do feedback."""

    def feedback(self) -> Feedback:
        """Open what query expansion reads."""


class SearchableVectors(Protocol):
    """The vectors of parts, ranked by their inner product with a query's."""

    @property
    def encoder(self) -> str:
        """The name of the encoder that made them, as `name_encoder` writes it."""

    @property
    def sample(self) -> Sequence[float]:
        """The vector of a fixed text by that encoder, as `encode_sample` makes it."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    def search(self, queries: NDArray[np.float32], k: int) -> Hits:
        """Find the best *k* parts for each query."""

    def score(self, queries: NDArray[np.float32], candidates: Sequence[Sequence[str]]) -> list[Floats]:
        """Score the candidates of each query; NaN for a docno that is not here."""


class VectorIndex(OpenIndex, Protocol):
    """An open index of an engine that ranks by vectors."""

    def open_vectors(self) -> SearchableVectors:
        """Open the vectors. Raises ValueError if the index was made without."""


class RewritingIndex(OpenIndex, Protocol):
    """An open index of an engine that expands queries by methods of its own, `Abilities.rewrites`."""

    def rewrite(self, topics: pd.DataFrame, parts: pd.DataFrame | None, settings: FeedbackSettings) -> list[str]:
        """Write the expanded query of each topic (`qid`, `query_0`), from the rows of its best *parts*."""


@runtime_checkable
class SplitDocuments(Protocol):
    """Documents that workers of Ray can make, each some of them."""

    def __iter__(self) -> Iterator[Document]: ...

    def feed_on_ray(self, take: Callable[[Iterable[Document]], int]) -> int:
        """Have workers call *take*, which returns a count, with the documents of a shard each; returns the sum."""


class Engine(Protocol):
    """An engine of indexes of parts."""

    @property
    def name(self) -> str:
        """Its name, as messages write it."""

    @property
    def can(self) -> Abilities:
        """What it can do."""

    def build(self, documents: Iterable[Document], path: Path, options: IndexOptions) -> None:
        """Index the documents into the new folder *path*, which is moved afterwards.

        Errors that the documents raise on the way (none of them holds a word, say) are not to be caught.
        """

    def open(self, path: Path, options: IndexOptions) -> OpenIndex:
        """Open the index in the folder *path*."""


class SearchableIndex(Protocol):
    """The part of a `PartIndex` that retrievers and rewriters use."""

    meta: dict[str, Any]

    @property
    def engine(self) -> str:
        """The engine's name as it is registered."""

    @property
    def abilities(self) -> Abilities:
        """What the engine can do."""

    @property
    def engine_name(self) -> str:
        """The engine's name as messages write it."""

    def searcher(self, model: str, parameters: Mapping[str, float]) -> Searcher:
        """Open the engine for a scoring model."""

    def feedback(self) -> Feedback:
        """Open what query expansion reads."""

    def rewrite(self, topics: pd.DataFrame, parts: pd.DataFrame | None, settings: FeedbackSettings) -> list[str]:
        """Have the engine write expanded queries."""

    def __len__(self) -> int:
        """The number of parts."""


@dataclass(frozen=True)
class Model:
    """A scoring model's name and all of its parameters."""

    name: str
    parameters: Mapping[str, float]


def read_model(engine: Engine, model: str, given: Mapping[str, float]) -> Model:
    """Return a model of *engine* with all its parameters; case does not matter."""
    name = model.lower() if isinstance(model, str) else model
    if name not in engine.can.models:
        if engine.can.other_models:
            return Model(model, given)
        choices = f"choose one of {', '.join(engine.can.models)}" if engine.can.models else "it ranks by index.dense()"
        raise ValueError(f"{engine.name} has no scoring model {model!r}; {choices}")
    return Model(name, read_parameters(engine.name, name, engine.can.models[name], given))


def read_parameters(
    engine: str, model: str, defaults: Mapping[str, float], given: Mapping[str, float]
) -> dict[str, float]:
    """Return a model's parameters with its defaults; *engine* is the name that errors write."""
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        names = ", ".join(defaults) or "none"
        raise ValueError(f"{engine}'s {model!r} has no parameter {unknown[0]!r}; its parameters: {names}")
    for name, value in given.items():
        low, high = _LIMITS.get(name, (-math.inf, math.inf))
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not low <= value <= high:
            limits = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}"
            raise ValueError(f"{engine}'s {model!r}: {name}={value!r}; give a number {limits}")
    return {**defaults, **{name: float(value) for name, value in given.items()}}


def score_by_searching(
    searcher: Searcher, queries: Sequence[Query], candidates: Sequence[Sequence[str]], docnos: Sequence[str]
) -> list[Floats]:
    """Score candidates by a search for all parts, *docnos*: for engines that cannot score some only."""
    hits = searcher.search(queries, len(docnos), None)
    indexed = set(docnos)
    bounds = np.searchsorted(hits.query, np.arange(len(queries) + 1)).tolist()
    scores = []
    for own, wanted in zip(map(slice, bounds, bounds[1:]), candidates, strict=True):
        score = dict(zip(hits.docno[own], hits.score[own].tolist(), strict=True))
        scores.append(np.array([score.get(docno, 0.0 if docno in indexed else math.nan) for docno in wanted], float))
    return scores
