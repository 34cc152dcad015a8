"""PISA as the engine of an index of parts: built and searched without a line of its log reaching the user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pandas as pd

from ..errors import import_extra
from . import pisa_process
from .ascii_folding import fold

STEMMER = "porter2"
_BATCH = 100_000
_PARAMETERS = {"bm25": {"k1": "bm25_k1", "b": "bm25_b"}, "qld": {"mu": "qld_mu"}, "pl2": {"c": "pl2_c"}, "dph": {}}
_DEFAULTS = {"bm25": {"k1": 0.9, "b": 0.4}, "qld": {"mu": 1000.0}, "pl2": {"c": 1.0}, "dph": {}}


def build(documents: Iterable[tuple[str, str]], path: Path, threads: int, verbose: bool) -> None:
    """Index (docno, text) pairs into the new folder *path*."""
    pisa = import_extra("pyterrier_pisa", "retrieval")
    path.mkdir(parents=True)
    arguments = ["index", str(path), STEMMER, str(_BATCH), str(threads)]
    with _process(pisa, arguments, verbose) as feed:
        has_words = False
        for docno, text in documents:
            line = " ".join(fold(text).split())
            has_words = has_words or any(map(str.isalnum, line))
            feed.write(f"{docno} {line}\n".encode())
        if not has_words:
            raise ValueError("nothing to index: no part holds a word of letters or digits")
    _prepare(path, "bm25", _DEFAULTS["bm25"], verbose)
    meta = {"type": "sparse_index", "format": "pisa", "package_hint": "pyterrier-pisa", "stemmer": STEMMER}
    (path / "pt_meta.json").write_text(json.dumps(meta), encoding="utf-8")


class Searcher:
    """One scoring model over the PISA index in the folder *path*."""

    def __init__(self, path: Path, model: str, parameters: dict[str, float]):
        pisa = import_extra("pyterrier_pisa", "retrieval")
        if model not in _PARAMETERS:
            raise ValueError(f"PISA has no scoring model {model!r}; choose one of {', '.join(_PARAMETERS)}")
        unknown = sorted(set(parameters) - set(_PARAMETERS[model]))
        if unknown:
            known = ", ".join(_PARAMETERS[model]) or "none"
            raise ValueError(f"PISA's {model!r} has no parameter {unknown[0]!r}; its parameters: {known}")
        settings = _DEFAULTS[model] | parameters
        _prepare(path, model, settings, verbose=False)
        self._index = pisa.PisaIndex(str(path), stemmer=STEMMER)
        self._retrieve: dict[tuple[int, int], Any] = {}
        self._new = lambda k, threads: getattr(self._index, model)(num_results=k, threads=threads, **settings)

    def search(self, topics: pd.DataFrame, k: int, threads: int | None = None) -> pd.DataFrame:
        """Return the best *k* parts of each topic: the columns of *topics*, `docno`, `score`, `rank`."""
        use = k, len(os.sched_getaffinity(0)) if threads is None else threads
        if use not in self._retrieve:
            self._retrieve[use] = self._new(*use)
        queries = pd.DataFrame({"qid": np.arange(len(topics)), "query": [fold(query) for query in topics["query"]]})
        parts = self._retrieve[use].transform(queries)
        row = parts["qid"].to_numpy()
        if np.any(row[1:] < row[:-1]):  # the first thread to end is the first to answer
            parts = parts.iloc[np.argsort(row, kind="stable")]
            row = parts["qid"].to_numpy()
        found = topics.iloc[row].reset_index(drop=True)
        found["docno"] = parts["docno"].array
        found["score"] = parts["score"].to_numpy(dtype=np.float64)
        found["rank"] = parts["rank"].to_numpy()
        return found


def _prepare(path: Path, model: str, settings: dict[str, float], verbose: bool) -> None:
    """Have the files of a scoring model made, where they are not there yet."""
    pisa = import_extra("pyterrier_pisa", "retrieval")
    named = [f"{_PARAMETERS[model][name]}={value!r}" for name, value in sorted(settings.items())]
    encoding = pisa.PISA_INDEX_DEFAULTS["index_encoding"].value
    with _process(pisa, ["prepare", str(path), STEMMER, encoding, model, *named], verbose):
        pass


@contextmanager
def _process(pisa: Any, arguments: list[str], verbose: bool) -> Iterator[IO[bytes]]:
    """Run `pisa_process` on what is written to the stream that this yields; raises RuntimeError where it fails."""
    command = [sys.executable, "-I", "-S", pisa_process.__file__, pisa._pisathon.__file__, *arguments]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT)
        try:
            # where the process ended early, its exit code tells
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
