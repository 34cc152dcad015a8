"""Terrier as the engine of an index of parts: needs Java and Terrier's jars, and no network once they are there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import import_extra
from ..ranking_rule import positions
from ..spans import Ints
from .ascii_folding import fold, plain_words

NOTHING = pd.DataFrame({"qid": [], "docno": [], "score": []}, dtype=object)
_DOCNO_BYTES = 400
# PISA's porter2 by its name in Terrier, so that both engines index the same terms
_STEMMER = "EnglishSnowballStemmer"
_CONTROLS = {"bm25": {"k1": "bm25.k_1", "b": "bm25.b"}}


def start() -> None:
    """Start Java with Terrier, the newest one on this machine where there is one, and else the newest there is.

    Looks for the jars where PyTerrier keeps its own, and in Maven's local repository; with them no network is used.
    """
    import_extra("jnius_config", "terrier")
    if pt.java.started():
        return
    for package, artifact, configure in (
        ("terrier-assemblies", "-jar-with-dependencies", pt.terrier.set_version),
        ("terrier-python-helper", "", pt.terrier.set_helper_version),
    ):
        setting = "terrier_version" if package == "terrier-assemblies" else "helper_version"
        local = local_versions(package, artifact)
        if local and pt.terrier.java.configure[setting] is None:
            configure(local[-1])
    pt.java.init()


def local_versions(package: str, artifact: str) -> list[str]:
    """Return the versions of a jar of org.terrier that are on this machine, oldest first."""
    maven = Path.home() / ".m2" / "repository" / "org" / "terrier" / package
    folders = [Path(pt.io.pyterrier_home()), *(sorted(maven.iterdir()) if maven.is_dir() else [])]
    name = re.compile(rf"{re.escape(package)}-(\d+(?:\.\d+)*){re.escape(artifact)}\.jar")
    found = {
        match[1] for folder in folders if folder.is_dir() for f in folder.iterdir() if (match := name.fullmatch(f.name))
    }
    return sorted(found, key=lambda version: [int(number) for number in version.split(".")])


def build(documents: Iterable[tuple[str, str]], path: Path, threads: int, verbose: bool) -> None:
    """Index (docno, text) pairs into the new folder *path*; Terrier indexes with one thread."""
    start()
    path.mkdir(parents=True)
    pt.java.set_log_level("INFO" if verbose else "ERROR")
    indexer = pt.IterDictIndexer(
        str(path.absolute()), meta={"docno": _DOCNO_BYTES}, stemmer=_STEMMER, stopwords="terrier", threads=1
    )
    try:
        indexer.index(_records(documents))
    finally:
        pt.java.set_log_level(pt.java.configure["log_level"])


class Searcher:
    """One weighting model over the Terrier index in the folder *path*."""

    def __init__(self, path: Path, model: str, parameters: dict[str, float]):
        start()
        names = _CONTROLS.get(model, {})
        self._controls = {names.get(name, name): str(value) for name, value in parameters.items()}
        self._model = "BM25" if model == "bm25" else model
        self._index = pt.IndexFactory.of(str(path.absolute()))
        self._retrieve: dict[int, Any] = {}

    def search(self, topics: pd.DataFrame, k: int, threads: int | None = None) -> pd.DataFrame:
        """Return the best *k* parts of each topic: the columns of *topics*, `docno`, `score`, `rank`; one by one."""
        if k not in self._retrieve:
            self._retrieve[k] = pt.terrier.Retriever(
                self._index, wmodel=self._model, num_results=k, controls=self._controls
            )
        words = [plain_words(query) for query in topics["query"]]
        asked = [row for row, query in enumerate(words) if query]
        numbered = pd.DataFrame(
            {"qid": [str(row) for row in asked], "query": [words[row] for row in asked]}, dtype=object
        )
        parts = self._retrieve[k].transform(numbered) if asked else NOTHING
        row: Ints = np.array(parts["qid"].tolist(), dtype=np.int64)
        score = parts["score"].to_numpy(dtype=np.float64)
        order = np.lexsort((-score, row))
        found = topics.iloc[row[order]].reset_index(drop=True)
        found["docno"] = parts["docno"].to_numpy(dtype=object)[order]
        found["score"] = score[order]
        found["rank"] = positions(row[order])
        return found


def _records(documents: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
    for docno, text in documents:
        if len(docno.encode("utf-8")) > _DOCNO_BYTES:
            raise ValueError(
                f"passage id {docno[:60]!r}... has more than {_DOCNO_BYTES} bytes, which Terrier would cut"
            )
        yield {"docno": docno, "text": fold(text)}
