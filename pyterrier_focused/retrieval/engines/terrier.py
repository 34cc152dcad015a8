"""Terrier as the engine of an index of parts: needs Java and Terrier's jars, and no network once they are there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ...errors import import_extra
from ...frames.ranking_rule import positions
from ...frames.spans import Ints
from .choose import MODELS, TERRIER_LANGUAGE, read_parameters
from .terms import folder, plain_words

NOTHING = pd.DataFrame({"qid": [], "docid": [], "docno": [], "score": []}, dtype=object)
_DOCNO_BYTES = 400
# PISA's porter2 by its name in Terrier, so that both engines index the same terms
_STEMMER = "EnglishSnowballStemmer"
# the models of all engines by their names in Terrier, with the controls that set their parameters
_SHARED: dict[str, tuple[str, dict[str, str]]] = {
    "bm25": ("BM25", {"k1": "bm25.k_1", "b": "bm25.b"}),
    "qld": ("DirichletLM", {"mu": "dirichletlm.mu"}),
    "pl2": ("PL2", {"c": "c"}),
    "dph": ("DPH", {}),
}
# Terrier's other models with parameters: each one's control, and Terrier's default
_OWN: dict[str, dict[str, tuple[str, float]]] = {
    "Hiemstra_LM": {"lambda_": ("hiemstra_lm.lambda", 0.15)},
    "TF_IDF": {"k1": ("tf_idf.k_1", 1.2), "b": ("tf_idf.b", 0.75)},
    **{name: {"c": ("c", 1.0)} for name in ("BB2", "IFB2", "In_expB2", "In_expC2", "InL2", "InB2", "LGD")},
}
_OVER_FIELDS = {"BM25F": 0.75, "PL2F": 1.0}  # the default of c
_MODELS = "org.terrier.matching.models."
_POSITIONS = re.compile(r"#(?:uw\d*|\d+)\(")


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


def build(
    documents: Iterable[tuple[str, Mapping[str, str]]],
    path: Path,
    language: str,
    blocks: bool,
    fields: Sequence[str],
    verbose: bool,
    **_: Any,
) -> None:
    """Index (docno, fields) pairs into the new folder *path*; Terrier indexes with one thread.

    blocks: keep the positions of words. fields: the names of the fields that are kept apart; without, text is one.
    """
    start()
    path.mkdir(parents=True)
    pt.java.set_log_level("INFO" if verbose else "ERROR")
    indexer = pt.IterDictIndexer(
        str(path.absolute()),
        meta={"docno": _DOCNO_BYTES},
        text_attrs=list(fields) or ["text"],
        fields=bool(fields),
        blocks=blocks,
        stemmer=_STEMMER,
        stopwords="terrier",
        threads=1,
    )
    try:
        indexer.index(_records(documents, fields, folder(language)))
    finally:
        pt.java.set_log_level(pt.java.configure["log_level"])


def open_index(path: Path) -> Any:
    """Open Terrier's own index."""
    start()
    return pt.terrier.TerrierIndex(str(path.absolute()))


def open_searcher(
    path: Path, model: str, parameters: Mapping[str, float], language: str, fields: Sequence[str]
) -> TerrierSearcher:
    """Open the index in the folder *path* for one weighting model."""
    return TerrierSearcher(path, model, parameters, language, fields)


class TerrierSearcher:
    """One weighting model over the Terrier index in the folder *path*."""

    def __init__(self, path: Path, model: str, parameters: Mapping[str, float], language: str, fields: Sequence[str]):
        self._index = open_index(path)
        self._has_positions = self._index.index_obj().getCollectionStatistics().hasPositions()
        self.model, self._name, controls, defaults = _read_model(model, fields)
        self.parameters = read_parameters("terrier", self.model, defaults, parameters)
        self._controls = {controls[key]: str(value) for key, value in self.parameters.items()}
        self._fold = folder(language)
        self._retrieve: dict[int, Any] = {}

    def search(self, topics: pd.DataFrame, k: int, threads: int | None = None) -> pd.DataFrame:
        """Return the best *k* parts of each topic: the columns of *topics*, `docid`, `docno`, `score`, `rank`."""
        if k not in self._retrieve:
            self._retrieve[k] = pt.terrier.Retriever(
                self._index, wmodel=self._name, num_results=k, controls=self._controls
            )
        numbered = self._queries(topics)
        parts = self._retrieve[k].transform(numbered) if len(numbered) else NOTHING
        row: Ints = np.array(parts["qid"].tolist(), dtype=np.int64)
        score = parts["score"].to_numpy(dtype=np.float64)
        order = np.lexsort((-score, row))
        found = topics.iloc[row[order]].reset_index(drop=True)
        found["docid"] = parts["docid"].to_numpy()[order]  # PyTerrier's Bo1 and KL do nothing without, and say nothing
        found["docno"] = parts["docno"].to_numpy(dtype=object)[order]
        found["score"] = score[order]
        found["rank"] = positions(row[order])
        return found

    def _queries(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Return the queries as Terrier reads them, by row number; those without a word are left out."""
        if "query_toks" in topics.columns:
            weights = topics["query_toks"]
            asked = [row for row, terms in enumerate(weights) if len(terms)]
            return pd.DataFrame(
                {"qid": [str(row) for row in asked], "query": "", "query_toks": [weights.iloc[row] for row in asked]}
            )
        written = topics["query_0"].notna() if "query_0" in topics.columns else pd.Series(False, index=topics.index)
        queries = []
        for qid, query, rewritten in zip(topics["qid"], topics["query"], written, strict=True):
            if rewritten and TERRIER_LANGUAGE.search(query):
                if _POSITIONS.search(query) and not self._has_positions:
                    raise ValueError(
                        f"topic {qid!r}: the query asks for words near each other ({query[:60]!r}...), and the index "
                        "keeps no positions; index with blocks=True"
                    )
                queries.append(query)
            else:
                queries.append(plain_words(self._fold(query)))
        asked = [row for row, query in enumerate(queries) if query]
        return pd.DataFrame(
            {"qid": [str(row) for row in asked], "query": [queries[row] for row in asked]}, dtype=object
        )


def _read_model(model: str, fields: Sequence[str]) -> tuple[str, str, Mapping[str, str], Mapping[str, float]]:
    """Return a model's name here and in Terrier, the controls that set its parameters, and their defaults."""
    if model.lower() in _SHARED:
        name, controls = _SHARED[model.lower()]
        return model.lower(), name, controls, MODELS[model.lower()]
    if model in _OVER_FIELDS:
        if not fields:
            raise ValueError(f"Terrier's {model!r} scores fields, and the index has none; index with fields=True")
        pairs = [(kind, number, field) for number, field in enumerate(fields) for kind in ("w", "c")]
        controls = {f"{kind}_{field}": f"{kind}.{number}" for kind, number, field in pairs}
        defaults = {f"{kind}_{field}": 1.0 if kind == "w" else _OVER_FIELDS[model] for kind, _, field in pairs}
        return model, model, controls, defaults
    _check_exists(model)
    own = _OWN.get(model, {})
    return model, model, {key: value[0] for key, value in own.items()}, {key: value[1] for key, value in own.items()}


def _check_exists(model: str) -> None:
    """Raise a ValueError where Terrier has no weighting model of this name."""
    from jnius import JavaException

    try:
        pt.java.autoclass(f"{_MODELS}{model}")
    except JavaException:
        known = ", ".join([*_SHARED, *_OWN, *_OVER_FIELDS, "DLH13", "Js_KLs", "XSqrA_M"])
        raise ValueError(f"Terrier has no weighting model {model!r}; it has {known}, and others") from None


def _records(
    documents: Iterable[tuple[str, Mapping[str, str]]], fields: Sequence[str], write: Any
) -> Iterator[dict[str, str]]:
    for docno, texts in documents:
        if len(docno.encode("utf-8")) > _DOCNO_BYTES:
            raise ValueError(
                f"passage id {docno[:60]!r}... has more than {_DOCNO_BYTES} bytes, which Terrier would cut"
            )
        if fields:
            yield {"docno": docno, **{field: write(texts.get(field, "")) for field in fields}}
        else:
            yield {"docno": docno, "text": write("\n".join(texts.values()))}
