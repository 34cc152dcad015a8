"""The usual engines: PyTerrier's own and its plug-ins, each as an indexer of `toks` and a retriever of `query_toks`.

PISA takes English as it is, `text` and `query`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import check_choice, import_extra

ENGINES = ("pisa", "bm25s", "terrier")
_DOCNO_BYTES = 400
_TERRIER = {"bm25": ("BM25", "bm25.k_1", "bm25.b"), "qld": ("DirichletLM", "dirichletlm.mu"), "pl2": ("PL2", "c")}


def choose_engine(name: str | None) -> str:
    """Return the engine to index with; for None PISA if it is installed, and bm25s elsewhere."""
    if name is None:
        return "pisa" if find_spec("pyterrier_pisa") else "bm25s"
    check_choice("engine", name, ENGINES)
    return name


def reads_text(engine: str, language: str) -> bool:
    """Tell whether the engine cuts texts of the language into terms itself: PISA does English, and is faster so."""
    return engine == "pisa" and language == "english"


def open_index(engine: str, path: Path, as_text: bool = False) -> Any:
    """Open the engine's own index: a `PisaIndex`, a `Bm25sIndex`, a `pt.terrier.TerrierIndex`."""
    if engine == "pisa":
        options = {"text_field": "text"} if as_text else {"stemmer": "none", "stops": "none"}
        return import_extra("pyterrier_pisa", "retrieval").PisaIndex(str(path), **options)
    return pt.terrier.TerrierIndex(str(path.absolute())) if engine == "terrier" else Bm25sIndex(path)


def index_documents(engine: str, path: Path, documents: Iterable[dict[str, Any]], as_text: bool) -> int:
    """Index documents (`docno`, and `toks` or `text`) in the folder *path*; returns how many the engine took."""
    if engine == "terrier":
        meta = {"docno": _DOCNO_BYTES}
        pt.terrier.IterDictIndexer(str(path.absolute()), meta=meta, pretokenised=True).index(documents)
        return int(open_index(engine, path).index_obj().getCollectionStatistics().getNumberOfDocuments())
    with quiet():
        index = open_index(engine, path, as_text)
        (index.toks_indexer(scale=1.0) if engine == "pisa" and not as_text else index).index(documents)
    return len(index)


def open_retriever(
    engine: str, index: Any, model: str, num_results: int, parameters: dict[str, float], weighted: bool
) -> Any:
    """Open the retriever of the engine's own index; its own errors tell of models and parameters that it lacks.

    Args:
        weighted: Whether it is to take `query_toks`; else, `query`.
    """
    if engine == "terrier":
        name, *controls = _TERRIER.get(model, (model,))
        values = dict(zip(controls, map(str, parameters.values()), strict=False))
        return pt.terrier.Retriever(index, wmodel=name, num_results=num_results, controls=values)
    if not callable(getattr(index, model, None)):
        raise ValueError(f"{engine} has no scoring model {model!r}")
    options = {"query_weighted": True, "toks_scale": 1.0} if engine == "pisa" and weighted else {}
    with quiet():
        return getattr(index, model)(num_results=num_results, **options, **parameters)


class Bm25sIndex(pt.Artifact, pt.Indexer):
    """An index of bm25s, for machines without PISA and Java: `toks` in; its BM25 has the parameters of the build."""

    ARTIFACT_TYPE = "sparse_index"
    ARTIFACT_FORMAT = "bm25s"
    ARTIFACT_PACKAGE_HINT = "pyterrier-focused"

    def __init__(self, path: str | Path, k1: float = 0.9, b: float = 0.4):
        super().__init__(path)
        self.k1 = k1
        self.b = b

    def index(self, iter: Iterable[dict[str, Any]], **kwargs: Any) -> Bm25sIndex:
        docnos = []
        terms = []
        for document in iter:
            docnos.append(document["docno"])
            terms.append([term for term, count in document["toks"].items() for _ in range(count)])
        engine = import_extra("bm25s", "retrieval").BM25(k1=self.k1, b=self.b, method="lucene")
        engine.index(terms, show_progress=False)
        engine.save(str(self.path))
        Path(str(self.path), "docnos.txt").write_text("\n".join(docnos), encoding="utf-8")
        return self

    def bm25(self, k1: float = 0.9, b: float = 0.4, num_results: int = 1000) -> pt.Transformer:
        engine = import_extra("bm25s", "retrieval").BM25.load(str(self.path), mmap=True)
        if (engine.k1, engine.b) != (k1, b):
            raise ValueError(f"bm25s keeps the scores of k1={engine.k1:g}, b={engine.b:g}; index again for others")
        docnos = np.array(self._read_docnos(), dtype=object)

        def search(topic: pd.DataFrame) -> pd.DataFrame:
            toks = topic["query_toks"].iloc[0]
            score = np.zeros(len(docnos))
            for term in toks.keys() & engine.vocab_dict.keys():
                score += toks[term] * engine.get_scores([term])
            best = np.argsort(-score, kind="stable")[:num_results]
            best = best[score[best] > 0]
            return topic.iloc[np.zeros(len(best), dtype=int)].assign(docno=docnos[best], score=score[best])

        return pt.apply.by_query(search)

    def _read_docnos(self) -> list[str]:
        return Path(str(self.path), "docnos.txt").read_text(encoding="utf-8").split("\n")

    def __len__(self) -> int:
        return len(self._read_docnos())


@contextmanager
def quiet() -> Iterator[None]:
    """Hide what native code prints, as PISA does on standard output too; Python's own output is shown."""
    sys.stdout.flush()
    sys.stderr.flush()
    with ExitStack() as stack:
        nowhere = stack.enter_context(tempfile.TemporaryFile())
        for number, name in ((1, "stdout"), (2, "stderr")):
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            if getattr(sys, name) is getattr(sys, f"__{name}__"):
                shown = stack.enter_context(open(kept, "w", buffering=1, closefd=False))
                stack.callback(setattr, sys, name, getattr(sys, name))
                setattr(sys, name, shown)
            os.dup2(nowhere.fileno(), number)
        yield
