"""PISA as the engine of an index of parts: built and searched without a line of its log reaching the user."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import weakref
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

from ...errors import CollectionError, MissingExtraError, import_extra
from ...frames.spans import Floats, Ints, ranges
from . import pisa_process
from .base import SHARED_MODELS, Abilities, Document, Hits, IndexOptions, Query, score_by_searching
from .choose import processors
from .models import Counts, score_counts
from .strings import find_sorted, read_statistics
from .terms import folder

STEMMER = "porter2"
# What pyproject.toml has a wheel for.
_RUNS_ON = "Linux", "x86_64"
_PARTS_AT_ONCE = 100_000
_BUFFER_BYTES = 1 << 20
# A disk that does not take so many bytes is full.
_FULL_DISK = 1 << 16
# The files of an index that those of all scoring models are made of, and that searching reads beside them.
_READ_BY_MODELS = ("fwd.termlex", "fwd.doclex", "inv.docs", "inv.freqs", "inv.sizes", "pt_meta.json")
_NAMES = {"bm25": {"k1": "bm25_k1", "b": "bm25_b"}, "qld": {"mu": "qld_mu"}, "pl2": {"c": "pl2_c"}, "dph": {}}


class PisaIndex:
    """A PISA index at *path*, for one language."""

    def __init__(self, path: Path, language: str):
        self.path = path
        self.language = language

    @property
    def own(self) -> object:
        return _import_pisa().PisaIndex(str(self.path), stemmer=STEMMER)

    def searcher(self, model: str, parameters: Mapping[str, float]) -> PisaSearcher:
        return PisaSearcher(self, model, parameters)

    def feedback(self) -> PisaTerms:
        return self.terms

    @cached_property
    def terms(self) -> PisaTerms:
        return PisaTerms(self.path, self.language)

    @cached_property
    def rows(self) -> dict[str, int]:
        return {docno: row for row, docno in enumerate(self.docnos)}

    @cached_property
    def docnos(self) -> list[str]:
        return (self.path / "fwd.documents").read_text(encoding="utf-8").split("\n")[:-1]


class PisaSearcher:
    """One scoring model over a PISA index."""

    def __init__(self, index: PisaIndex, model: str, parameters: Mapping[str, float]):
        self.model = model
        self.parameters = parameters
        prepared = index.path
        if model != "bm25" or parameters != SHARED_MODELS["bm25"]:
            prepared = Path(tempfile.mkdtemp(prefix="pyterrier-focused-"))
            weakref.finalize(self, _remove_folder, prepared, os.getpid())
            _prepare_model(index.path, prepared, model, parameters)
        self._index = index
        self._new = getattr(_import_pisa().PisaIndex(str(prepared), stemmer=STEMMER), model)
        self._fold = folder(index.language)
        self._retrieve: dict[tuple[int, int, bool], pt.Transformer] = {}

    def search(self, queries: Sequence[Query], k: int, threads: int | None) -> Hits:
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
        return [term for term in self._tokenize(self._fold(query), STEMMER) if term not in self._stop]

    def vectors(self, docnos: Iterable[str]) -> dict[str, dict[str, int]]:
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
        length = self.lengths[parts].astype(np.int64)
        # the terms of the parts, one part after another
        number = np.asarray(self._forward)[ranges(self._first_postings[parts], length)].astype(np.int64)
        part = np.repeat(parts, length)
        columns = [np.unique(part[number == find_sorted(self._terms, term)], return_counts=True) for term in terms]
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
        return read_statistics(self._terms, terms, self._held_by, self._document_counts)

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


def _prepare_model(path: Path, folder: Path, model: str, settings: Mapping[str, float]) -> None:
    """Have PISA write the files of a scoring model into a temporary folder: searching writes nothing in the index."""
    for name in _READ_BY_MODELS:
        (folder / name).symlink_to((path / name).absolute())
    arguments = ["prepare", str(folder), STEMMER, *_name_model(model, settings)]
    with _run_pisa(arguments, folder, "preparing a model in a temporary folder (TMPDIR)", verbose=False):
        pass


def _remove_folder(folder: Path, made_by: int) -> None:
    """Remove a folder that this process made; a process that was forked from it leaves the folder alone."""
    if os.getpid() == made_by:
        shutil.rmtree(folder, ignore_errors=True)


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


def _name_model(model: str, settings: Mapping[str, float]) -> list[str]:
    """Return the encoding of an index, a model and its parameters as PISA names them."""
    encoding: str = _import_pisa().PISA_INDEX_DEFAULTS["index_encoding"].value
    return [encoding, model, *(f"{_NAMES[model][name]}={value!r}" for name, value in sorted(settings.items()))]


@contextmanager
def _run_pisa(arguments: list[str], folder: Path, task: str, verbose: bool) -> Iterator[IO[bytes]]:
    """Run `pisa_process` on what is written to the stream that this yields."""
    command = [sys.executable, "-I", "-S", pisa_process.__file__, _import_pisa()._pisathon.__file__, *arguments]
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
    # PISA does not see that a disk is full, and may end well
    if _is_full(folder):
        raise CollectionError(f"{folder}: the disk was full while PISA was {task}")
    if code:
        raise CollectionError(
            f"{folder}: PISA ended early while it was {task} (exit code {code}), as it does when the disk, or that of "
            "TMPDIR, is full; if neither is, build with verbose=True to see its log"
        )


def _is_full(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_FULL_DISK))
    except OSError:
        return True
    return False


def _is_whole(path: Path, parts: int) -> bool:
    """Whether the files of a new index have the sizes that follow from each other: PISA writes on if the disk is full.

    A list is its length and as many numbers; `fwd` has one for each part, `inv.docs` and `inv.freqs` for each term.
    """
    size = {file.name: file.stat().st_size for file in path.iterdir()}
    words = int(np.fromfile(path / "inv.sizes", dtype=np.uint32)[1:].sum(dtype=np.int64))
    counts = np.memmap(path / "inv.freqs", dtype=np.uint32, mode="r")
    lines = {name: (path / name).read_bytes().count(b"\n") for name in ("fwd.documents", "fwd.terms")}
    # a lexicon has the number of its strings, where each begins and ends, and their letters
    lexicons = (("fwd.documents", "fwd.doclex"), ("fwd.terms", "fwd.termlex"))
    return (
        lines["fwd.documents"] == parts
        and size["inv.sizes"] == 4 * (1 + parts)
        and size["fwd"] == 4 * (2 + parts + words)
        and size["inv.docs"] == size["inv.freqs"] + 8
        and int(counts.sum(dtype=np.int64)) == words + len(counts) - lines["fwd.terms"]
        and all(size[lexicon] == 16 + 7 * lines[name] + size[name] for name, lexicon in lexicons)
    )


class PisaEngine:
    """PISA, which is fast and runs on Linux on x86-64."""

    name = "PISA"
    can = Abilities(SHARED_MODELS, threads=True, weighted_queries=True, feedback=True)

    def build(self, documents: Iterable[Document], path: Path, options: IndexOptions) -> None:
        write = folder(options.language)
        path.mkdir(parents=True)
        encoding, model, *settings = _name_model("bm25", SHARED_MODELS["bm25"])
        sizes = [str(_PARTS_AT_ONCE), str(options.threads)]
        arguments = ["index", str(path), STEMMER, encoding, model, *sizes, *settings]
        with _run_pisa(arguments, path, "indexing", options.verbose) as feed:
            parts = 0
            for docno, fields in documents:
                parts += 1
                text = "\n".join(fields.values()) if len(fields) > 1 else fields["text"]
                # PISA reads a part per line.
                line = write(text).replace("\n", " ").replace("\r", " ")
                feed.write(f"{docno} {line}\n".encode())
        if not _is_whole(path, parts):
            raise CollectionError(f"{path}: PISA wrote an index that is not whole; the disk was full on the way")
        meta = {"type": "sparse_index", "format": "pisa", "package_hint": "pyterrier-pisa", "stemmer": STEMMER}
        (path / "pt_meta.json").write_text(json.dumps(meta), encoding="utf-8")

    def open(self, path: Path, options: IndexOptions) -> PisaIndex:
        return PisaIndex(path, options.language)


ENGINE = PisaEngine()
