"""Terrier as the engine of an index of parts: needs Java and Terrier's jars, and no network once they are there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock

import numpy as np
import pandas as pd
import pyterrier as pt

from ...errors import import_extra
from ...frames.spans import Floats, Ints
from .base import (
    SHARED_MODELS,
    Abilities,
    Document,
    FeedbackSettings,
    Hits,
    IndexOptions,
    Query,
    WrittenQuery,
    read_parameters,
    score_by_searching,
)
from .terms import folder, plain_words

# Terrier has state that all its indexes and retrievers share: threads that search at once get results of each other's
# queries, or errors of Java.
_LOCK = RLock()

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
# The default of c.
_OVER_FIELDS = {"BM25F": 0.75, "PL2F": 1.0}
_MODELS = "org.terrier.matching.models."


def start() -> None:
    """Start Java with Terrier, the newest one on this machine if there is one, and else the newest there is.

    Looks for the jars in PyTerrier's own folder and in Maven's local repository; with them no network is used.
    """
    import_extra("jnius_config", "terrier")
    if pt.java.started():
        return
    configured = pt.terrier.java.configure
    terrier = local_versions("terrier-assemblies", "-jar-with-dependencies")
    if terrier and configured["terrier_version"] is None:
        pt.terrier.set_version(terrier[-1])
    helper = local_versions("terrier-python-helper", "")
    if helper and configured["helper_version"] is None:
        pt.terrier.set_helper_version(helper[-1])
    pt.java.init()


def local_versions(package: str, artifact: str) -> list[str]:
    """Return the versions of a jar of org.terrier that are on this machine, oldest first."""
    maven = Path.home() / ".m2" / "repository" / "org" / "terrier" / package
    folders = [Path(pt.io.pyterrier_home()), *(sorted(maven.iterdir()) if maven.is_dir() else [])]
    name = re.compile(rf"{re.escape(package)}-(\d+(?:\.\d+)*){re.escape(artifact)}\.jar")
    files = [file.name for folder in folders if folder.is_dir() for file in folder.iterdir()]
    versions = {match[1] for match in map(name.fullmatch, files) if match}
    return sorted(versions, key=lambda version: [int(number) for number in version.split(".")])


class TerrierIndex:
    """A Terrier index at *path*, for one language, with or without fields."""

    def __init__(self, path: Path, language: str, fields: Sequence[str]):
        with _LOCK:
            start()
            self.own = pt.terrier.TerrierIndex(str(path.absolute()))
        self.fields = fields
        self.fold = folder(language)

    def searcher(self, model: str, parameters: Mapping[str, float]) -> TerrierSearcher:
        return TerrierSearcher(self, model, parameters)

    def rewrite(self, topics: pd.DataFrame, parts: pd.DataFrame | None, settings: FeedbackSettings) -> list[str]:
        """Write expanded queries in Terrier's language; if no word is left to expand, the query as it was."""
        rows = topics if parts is None else parts
        # Terrier takes texts for qids.
        number = {qid: str(position) for position, qid in enumerate(topics["qid"])}
        words = {str(position): plain_words(self.fold(query)) for position, query in enumerate(topics["query_0"])}
        columns = ["qid", *(name for name in ("docno", "score") if name in rows.columns)]
        asked = rows[columns].assign(qid=rows["qid"].map(number))
        asked["query"] = asked["qid"].map(words)
        asked = asked[asked["query"] != ""]
        with _LOCK:
            written = self._make_rewriter(settings).transform(asked) if len(asked) else asked
        return list(map(str, (words | dict(zip(written["qid"], written["query"], strict=True))).values()))

    def _make_rewriter(self, settings: FeedbackSettings) -> pt.Transformer:
        counts = {"fb_terms": settings.fb_terms, "fb_docs": settings.fb_docs}
        if settings.method == "SDM":
            return pt.terrier.rewrite.SDM()
        if settings.method == "RM3":
            return pt.terrier.rewrite.RM3(self.own, fb_lambda=settings.fb_lambda, **counts)
        bo1 = pt.terrier.rewrite.Bo1QueryExpansion(self.own, **counts)
        # PyTerrier would find no part by its docno otherwise.
        bo1.requires_scores = True
        return bo1


class TerrierSearcher:
    """One weighting model over a Terrier index."""

    def __init__(self, index: TerrierIndex, model: str, parameters: Mapping[str, float]):
        self._index = index.own
        self._fold = index.fold
        chosen = _read_model(model, index.fields)
        self.model = chosen.name
        self._name = chosen.own_name
        self.parameters = read_parameters("Terrier", chosen.name, chosen.defaults, parameters)
        self._controls = {chosen.controls[name]: str(value) for name, value in self.parameters.items()}
        self._retrieve: dict[int, pt.Transformer] = {}

    def search(self, queries: Sequence[Query], k: int, threads: int | None) -> Hits:
        numbered = self._write_queries(queries)
        with _LOCK:
            if k not in self._retrieve:
                self._retrieve[k] = pt.terrier.Retriever(
                    self._index, wmodel=self._name, num_results=k, controls=self._controls
                )
            parts = self._retrieve[k].transform(numbered) if len(numbered) else NOTHING
        row: Ints = np.array(parts["qid"].tolist(), dtype=np.int64)
        score = parts["score"].to_numpy(dtype=np.float64)
        order = np.lexsort((-score, row))
        docno = parts["docno"].to_numpy(dtype=object)[order]
        # PyTerrier's Bo1 and KL do nothing without docids, and say nothing
        return Hits(row[order], docno, score[order], {"docid": parts["docid"].to_numpy()[order]})

    def score(self, queries: Sequence[Query], candidates: Sequence[Sequence[str]]) -> list[Floats]:
        return score_by_searching(self, queries, candidates, self._docno_list)

    @cached_property
    def _docno_list(self) -> list[str]:
        with _LOCK:
            meta = self._index.index_obj().getMetaIndex()
            number = self._index.index_obj().getCollectionStatistics().getNumberOfDocuments()
            return [meta.getItem("docno", document) for document in range(number)]

    def _write_queries(self, queries: Sequence[Query]) -> pd.DataFrame:
        """Return the queries as Terrier reads them, by their positions; those without a word are left out."""
        if queries and not isinstance(queries[0], str):
            asked = {str(position): terms for position, terms in enumerate(queries) if len(terms)}
            return pd.DataFrame({"qid": list(asked), "query": "", "query_toks": list(asked.values())})
        written = [
            str(query) if isinstance(query, WrittenQuery) else plain_words(self._fold(str(query))) for query in queries
        ]
        words = {str(position): query for position, query in enumerate(written) if query}
        return pd.DataFrame({"qid": list(words), "query": list(words.values())}, dtype=object)


@dataclass(frozen=True)
class _TerrierModel:
    """A model's name here and in Terrier, the controls that set its parameters, and their defaults."""

    name: str
    own_name: str
    controls: Mapping[str, str]
    defaults: Mapping[str, float]


def _read_model(model: str, fields: Sequence[str]) -> _TerrierModel:
    """Find a model by the name that a user gives. Raises ValueError if there is none, or it needs fields."""
    if model.lower() in _SHARED:
        name, controls = _SHARED[model.lower()]
        return _TerrierModel(model.lower(), name, controls, SHARED_MODELS[model.lower()])
    if model in _OVER_FIELDS:
        if not fields:
            raise ValueError(f"Terrier's {model!r} scores fields, and the index has none; index with fields=True")
        pairs = [(kind, number, field) for number, field in enumerate(fields) for kind in ("w", "c")]
        controls = {f"{kind}_{field}": f"{kind}.{number}" for kind, number, field in pairs}
        defaults = {f"{kind}_{field}": 1.0 if kind == "w" else _OVER_FIELDS[model] for kind, _, field in pairs}
        return _TerrierModel(model, model, controls, defaults)
    _check_exists(model)
    own = _OWN.get(model, {})
    controls = {name: control for name, (control, _) in own.items()}
    return _TerrierModel(model, model, controls, {name: default for name, (_, default) in own.items()})


def _check_exists(model: str) -> None:
    from jnius import JavaException

    try:
        with _LOCK:
            pt.java.autoclass(f"{_MODELS}{model}")
    except JavaException:
        models = ", ".join([*_SHARED, *_OWN, *_OVER_FIELDS, "DLH13", "Js_KLs", "XSqrA_M"])
        raise ValueError(f"Terrier has no weighting model {model!r}; it has {models}, and others") from None


class _Records:
    """The documents as Terrier reads them, in a thread of its own that would lose an error: it is kept in `error`."""

    def __init__(self, documents: Iterable[Document], fields: Sequence[str], write: Callable[[str], str]):
        self.error: Exception | None = None
        self._documents = documents
        self._fields = fields
        self._write = write

    def __iter__(self) -> Iterator[dict[str, str]]:
        try:
            for docno, texts in self._documents:
                yield self._make_record(docno, texts)
        except Exception as error:
            # Whatever the source raises is raised again when Terrier has ended.
            self.error = error

    def _make_record(self, docno: str, texts: Mapping[str, str]) -> dict[str, str]:
        if len(docno.encode("utf-8")) > _DOCNO_BYTES:
            raise ValueError(
                f"passage id {docno[:60]!r}... has more than {_DOCNO_BYTES} bytes, which Terrier would cut"
            )
        if self._fields:
            return {"docno": docno, **{field: self._write(texts.get(field, "")) for field in self._fields}}
        return {"docno": docno, "text": self._write("\n".join(texts.values()))}


class TerrierEngine:
    """Terrier, which needs Java, and has many models, fields, positions and query rewriters."""

    name = "Terrier"
    can = Abilities(
        SHARED_MODELS,
        other_models=True,
        blocks=True,
        fields=True,
        weighted_queries=True,
        terrier_language=True,
        rewrites=frozenset({"RM3", "Bo1", "SDM"}),
    )

    def build(self, documents: Iterable[Document], path: Path, options: IndexOptions) -> None:
        start()
        path.mkdir(parents=True)
        pt.java.set_log_level("INFO" if options.verbose else "ERROR")
        indexer = pt.IterDictIndexer(
            str(path.absolute()),
            meta={"docno": _DOCNO_BYTES},
            text_attrs=list(options.fields) or ["text"],
            fields=bool(options.fields),
            blocks=options.blocks,
            stemmer=_STEMMER,
            stopwords="terrier",
            threads=1,
        )
        records = _Records(documents, options.fields, folder(options.language))
        try:
            indexer.index(records)
        finally:
            pt.java.set_log_level(pt.java.configure["log_level"])
        if records.error is not None:
            raise records.error

    def open(self, path: Path, options: IndexOptions) -> TerrierIndex:
        return TerrierIndex(path, options.language, options.fields)


ENGINE = TerrierEngine()
