"""PISA as the engine of an index of parts: built and searched without a line of its log reaching the user."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import IO, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from ...errors import MissingExtraError, import_extra
from ...frames.spans import Floats, Ints, ranges
from . import pisa_process
from .base import SHARED_MODELS, Abilities, Document, Hits, IndexOptions, Query, score_by_searching
from .choose import processors
from .models import Counts, score_counts
from .terms import folder

STEMMER = "porter2"
# What pyproject.toml has a wheel for.
_RUNS_ON = "Linux", "x86_64"
_PARTS_AT_ONCE = 100_000
_BUFFER_BYTES = 1 << 20
_NAMES = {"bm25": {"k1": "bm25_k1", "b": "bm25_b"}, "qld": {"mu": "qld_mu"}, "pl2": {"c": "pl2_c"}, "dph": {}}


class PisaIndex:
    """A PISA index in the folder *path*, whose text is of a language."""

    def __init__(self, path: Path, language: str):
        self.path = path
        self.language = language

    @property
    def own(self) -> object:
        """PISA's own index, a `pyterrier_pisa.PisaIndex`."""
        return _import_pisa().PisaIndex(str(self.path), stemmer=STEMMER)

    def searcher(self, model: str, parameters: Mapping[str, float]) -> PisaSearcher:
        """Open the index for one scoring model, and have its files made."""
        return PisaSearcher(self, model, parameters)

    def feedback(self) -> PisaTerms:
        """Open the terms of the index."""
        return self.terms

    @cached_property
    def terms(self) -> PisaTerms:
        """The terms of parts."""
        return PisaTerms(self.path, self.language)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The parts' positions by their docnos."""
        return {docno: row for row, docno in enumerate(self.docnos)}

    @cached_property
    def docnos(self) -> list[str]:
        """The docnos of all parts."""
        return (self.path / "fwd.documents").read_text(encoding="utf-8").split("\n")[:-1]


class PisaSearcher:
    """One scoring model over a PISA index."""

    def __init__(self, index: PisaIndex, model: str, parameters: Mapping[str, float]):
        self.model = model
        self.parameters = parameters
        _prepare_model(index.path, model, parameters, verbose=False)
        self._index = index
        self._new = getattr(index.own, model)
        self._fold = folder(index.language)
        self._retrieve: dict[tuple[int, int, bool], pt.Transformer] = {}

    def search(self, queries: Sequence[Query], k: int, threads: int | None) -> Hits:
        """Find the best *k* parts for each query; None for as many threads as there are processors."""
        weighted = len(queries) > 0 and not isinstance(queries[0], str)
        threads = processors() if threads is None else threads
        use = (k, threads, weighted)
        if use not in self._retrieve:
            self._retrieve[use] = self._new(num_results=k, threads=threads, query_weighted=weighted, **self.parameters)
        numbered = pd.DataFrame({"qid": np.arange(len(queries))})
        if weighted:
            numbered["query_toks"] = np.array(queries, dtype=object)
        else:
            numbered["query"] = [self._fold(str(query)) for query in queries]
        parts = self._retrieve[use].transform(numbered)
        row = parts["qid"].to_numpy()
        # The first thread to end is the first to answer.
        if np.any(row[1:] < row[:-1]):
            parts = parts.iloc[np.argsort(row, kind="stable")]
            row = parts["qid"].to_numpy()
        return Hits(row, parts["docno"].to_numpy(dtype=object), parts["score"].to_numpy(dtype=np.float64))

    def score(self, queries: Sequence[Query], candidates: Sequence[Sequence[str]]) -> list[Floats]:
        """Score the candidates of each query, by the model's formula over the forward index."""
        # weights are rounded in a way of its own, and its PL2 has -ln 2 for the log2 e of Amati's formula
        if self.model == "pl2" or (len(queries) and not isinstance(queries[0], str)):
            return score_by_searching(self, queries, candidates, self._index.docnos)
        terms = self._index.terms
        scores = []
        for query, docnos in zip(queries, candidates, strict=True):
            part = np.array([self._index.rows.get(docno, -1) for docno in docnos], dtype=np.int64)
            # a term that a query repeats counts once
            asked = list(dict.fromkeys(terms.analyse(str(query))))
            known, place = np.unique(part[part >= 0], return_inverse=True)
            counts = terms.count(asked, known)
            values = score_counts(self.model, counts, self.parameters)
            own = np.full(len(part), np.nan)
            own[part >= 0] = np.bincount(np.searchsorted(known, counts.part), values, len(known))[place]
            scores.append(own)
        return scores


class PisaTerms:
    """The terms of parts in a PISA index, for query expansion: PISA's forward index and its lexicon."""

    def __init__(self, path: Path, language: str):
        self._path = path
        self._fold = folder(language)
        self._forward = np.memmap(path / "fwd", dtype=np.uint32, mode="r")
        self.lengths = np.memmap(path / "inv.sizes", dtype=np.uint32, mode="r")[1:]
        self._terms = (path / "fwd.terms").read_text(encoding="utf-8").split()
        self._tokenize = _import_pisa().tokenize
        stop = " ".join(import_extra("pyterrier_pisa.stopwords", "retrieval")._STOPWORDS["terrier"])
        # PISA indexes stop words, and leaves them out of queries
        self._stop = set(self._tokenize(stop, STEMMER))

    def analyse(self, query: str) -> list[str]:
        """Return the terms of a query, without stop words."""
        return [term for term in self._tokenize(self._fold(query), STEMMER) if term not in self._stop]

    def vectors(self, docnos: Iterable[str]) -> dict[str, dict[str, int]]:
        """Return the terms of parts with their counts, without stop words."""
        wanted = set(docnos)
        found = {}
        begin = self._first_postings
        with (self._path / "fwd.documents").open(encoding="utf-8") as lines:
            for row, docno in enumerate(line.rstrip("\n") for line in lines):
                if docno in wanted:
                    numbers = self._forward[begin[row] : begin[row] + int(self.lengths[row])]
                    terms = (self._terms[number] for number in numbers.tolist())
                    found[docno] = dict(Counter(term for term in terms if term not in self._stop))
        return found

    def count(self, terms: Sequence[str], parts: Ints) -> Counts:
        """Count the *terms* in *parts*, ascending positions."""
        length = self.lengths[parts].astype(np.int64)
        # the terms of the parts, one part after another
        number = np.asarray(self._forward)[ranges(self._first_postings[parts], length)].astype(np.int64)
        part = np.repeat(parts, length)
        columns = [np.unique(part[number == self._find_number(term)], return_counts=True) for term in terms]
        statistics = self.statistics(terms)
        none = np.zeros(0, dtype=np.int32)
        return Counts(
            np.cumsum([0, *(len(own) for own, _ in columns)]),
            np.concatenate([none, *(own for own, _ in columns)]).astype(np.int32),
            np.concatenate([none, *(count for _, count in columns)]).astype(np.int32),
            self.lengths.astype(np.int32),
            np.array([statistics[term][0] for term in terms], dtype=np.int32),
            np.array([statistics[term][1] for term in terms], dtype=np.int64),
        )

    def statistics(self, terms: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return for each term how many parts hold it, and how often it occurs in all."""
        statistics = {}
        for term in terms:
            number = self._find_number(term)
            statistics[term] = (0, 0)
            if number >= 0:
                statistics[term] = (int(self._held_by[number]), int(self._document_counts[number]))
        return statistics

    def _find_number(self, term: str) -> int:
        """Return the number of a term, -1 if no part holds it."""
        number = bisect_left(self._terms, term)
        return number if number < len(self._terms) and self._terms[number] == term else -1

    @cached_property
    def _first_postings(self) -> Ints:
        return 3 + np.concatenate(([0], np.cumsum(self.lengths[:-1].astype(np.int64) + 1)))

    @cached_property
    def _held_by(self) -> Ints:
        return self._read_postings("inv.docs", 2, counted=True)

    @cached_property
    def _document_counts(self) -> Ints:
        return self._read_postings("inv.freqs", 0, counted=False)

    def _read_postings(self, name: str, first: int, counted: bool) -> Ints:
        """Return for each term the length of its list in a file of PISA's, or the sum over it.

        numbers  2 7 9 1 4    two lists, 7 9 and 4, each after its length
        values   2 1          counted; else 16 4
        """
        numbers = np.memmap(self._path / name, dtype=np.uint32, mode="r")
        values = []
        begin = first
        for _ in self._terms:
            length = int(numbers[begin])
            values.append(length if counted else int(numbers[begin + 1 : begin + 1 + length].sum()))
            begin += length + 1
        return np.array(values, dtype=np.int64)


def _prepare_model(path: Path, model: str, settings: Mapping[str, float], verbose: bool) -> None:
    """Have the files of a scoring model made, if they are not there yet."""
    pisa = _import_pisa()
    encoding = pisa.PISA_INDEX_DEFAULTS["index_encoding"].value
    with _run_pisa(pisa, ["prepare", str(path), STEMMER, encoding, model, *_write_settings(model, settings)], verbose):
        pass


def _import_pisa() -> ModuleType:
    """Import PISA's package; the error says what else there is, for PISA runs only on Linux on x86-64."""
    try:
        return import_extra("pyterrier_pisa", "retrieval")
    except MissingExtraError as error:
        advice = "index the collection again with engine='bm25s'"
        system = platform.system(), platform.machine()
        if system != _RUNS_ON:
            raise MissingExtraError(
                f"this index is PISA's, which does not run on {' '.join(system)}: {advice}"
            ) from error
        raise MissingExtraError(f"{error}; or {advice}") from error


def _write_settings(model: str, settings: Mapping[str, float]) -> list[str]:
    """Return the parameters of a model as PISA names them."""
    return [f"{_NAMES[model][name]}={value!r}" for name, value in sorted(settings.items())]


@contextmanager
def _run_pisa(pisa: ModuleType, arguments: list[str], verbose: bool) -> Iterator[IO[bytes]]:
    """Run `pisa_process` on what is written to the stream that this yields; raises RuntimeError if it fails."""
    command = [sys.executable, "-I", "-S", pisa_process.__file__, pisa._pisathon.__file__, *arguments]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, bufsize=_BUFFER_BYTES, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            # if the process ended early, its exit code tells
            with suppress(BrokenPipeError), cast(IO[bytes], process.stdin) as stdin:
                yield stdin
        except BaseException:
            process.kill()
            process.wait()
            raise
        code = process.wait()
        log.seek(0)
        said = log.read().decode("utf-8", "replace").replace("\r", "\n")
    if verbose:
        sys.stderr.write(said)
    if code:
        last = "\n".join(said.strip().splitlines()[-8:])
        raise RuntimeError(f"PISA failed (exit code {code}); its last lines were:\n{last}")


class PisaEngine:
    """PISA, which is fast and runs on Linux on x86-64."""

    name = "PISA"
    can = Abilities(SHARED_MODELS, threads=True, weighted_queries=True, feedback=True)

    def build(self, documents: Iterable[Document], path: Path, options: IndexOptions) -> None:
        """Index (docno, fields) pairs into the new folder *path*; fields are texts by name, one after another."""
        pisa = _import_pisa()
        write = folder(options.language)
        path.mkdir(parents=True)
        defaults = SHARED_MODELS["bm25"]
        encoding = pisa.PISA_INDEX_DEFAULTS["index_encoding"].value
        arguments = ["index", str(path), STEMMER, encoding, "bm25", str(_PARTS_AT_ONCE), str(options.threads)]
        with _run_pisa(pisa, [*arguments, *_write_settings("bm25", defaults)], options.verbose) as feed:
            for docno, fields in documents:
                text = "\n".join(fields.values()) if len(fields) > 1 else fields["text"]
                # PISA reads a part per line.
                line = write(text).replace("\n", " ").replace("\r", " ")
                feed.write(f"{docno} {line}\n".encode())
        meta = {"type": "sparse_index", "format": "pisa", "package_hint": "pyterrier-pisa", "stemmer": STEMMER}
        (path / "pt_meta.json").write_text(json.dumps(meta), encoding="utf-8")

    def open(self, path: Path, options: IndexOptions) -> PisaIndex:
        """Open the index in the folder *path*."""
        return PisaIndex(path, options.language)


ENGINE = PisaEngine()
