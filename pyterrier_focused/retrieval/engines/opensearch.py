"""OpenSearch as the engine of an index of parts, for those that outgrow a machine or live on a cluster already.

The cluster holds a document for each part, whose id is the passage id and whose text is the package's own words, so
that rankings agree with those of the other engines. The folder of the index only tells the place of all that.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pyterrier as pt

from ...collection.batches import cut_into_batches
from ...collection.files.storage import hide_credentials
from ...errors import CollectionError
from ...frames.spans import Floats
from ...reading.json import JsonObject
from .base import SHARED_MODELS, Abilities, Document, Hits, IndexOptions, Query, SplitDocuments
from .dense import BATCH, are_of_one_encoder, encode_documents, encode_sample, name_encoder, require_encoder
from .opensearch_cluster import Cluster, Connection, Part
from .opensearch_vectors import OpenSearchVectors, align_scores, describe_field
from .terms import Words

_OURS = "pyterrier_focused"
_FIELD = "terms"
_MOST_RESULTS = 100_000
_DOCNO_BYTES = 512
_COUNTS = "double length = doc.length; double ttf = term.totalTermFreq; double all = field.sumTotalTermFreq; "
_RELATIVE = f"{_COUNTS}double mean = all / field.docCount; double often = ttf / field.docCount; "
# the formulas of `models`; OpenSearch takes no score below 0, and none that falls as a term occurs more often (DPH)
_SCRIPTS = {
    "qld": f"{_COUNTS}return query.boost * Math.max(0, Math.log(1 + doc.freq * all / (<mu> * ttf))"
    " + Math.log(<mu> / (length + <mu>)));",
    "pl2": f"{_RELATIVE}double two = Math.log(2); double e = 1 / two;"
    " double tfn = doc.freq * Math.log(1 + <c> * mean / length) / two;"
    " return query.boost * Math.max(0, (tfn * Math.log(1 / often) / two + often * e"
    " + 0.5 * Math.log(2 * Math.PI * tfn) / two + tfn * (Math.log(tfn) / two - e)) / (tfn + 1));",
}


def _describe_similarity(model: str, parameters: Mapping[str, float]) -> JsonObject:
    if model == "bm25":
        return {"type": "BM25", **parameters}
    script = _SCRIPTS[model]
    for name, value in parameters.items():
        script = script.replace(f"<{name}>", repr(float(value)))
    return {"type": "scripted", "script": {"source": script}}


@dataclass(frozen=True)
class Place:
    """The place of a folder's index: the addresses of the cluster, the name of the index, and the build's id."""

    hosts: tuple[str, ...]
    index: str
    build: str

    @classmethod
    def read(cls, path: Path) -> Place:
        place = json.loads((path / "place.json").read_text(encoding="utf-8"))
        return cls(tuple(place["hosts"]), place["index"], place["build"])

    def write(self, path: Path) -> None:
        path.mkdir(parents=True)
        place = {"hosts": self.hosts, "index": self.index, "build": self.build}
        (path / "place.json").write_text(json.dumps(place), encoding="utf-8")


class OpenSearchOptions(TypedDict, total=False):
    """The options of `index(engine="opensearch")`.

    url: an address, or those of several nodes. index: its name on the cluster. shards, replicas: 1 each.
    client: further arguments of `opensearchpy.OpenSearch`. ray: send the parts from workers of Ray.
    encoder: as with engine="dense".
    """

    url: str | Sequence[str]
    index: str
    shards: int
    replicas: int
    client: Mapping[str, Any]
    ray: bool
    encoder: pt.Transformer


class OpenSearchEngine:
    """A cluster of OpenSearch."""

    name = "OpenSearch"
    can = Abilities(
        {model: SHARED_MODELS[model] for model in ("bm25", *_SCRIPTS)},
        threads=True,
        build_options=frozenset(OpenSearchOptions.__annotations__),
        vectors=True,
        weighted_queries=True,
        feedback=True,
    )

    def build(self, documents: Iterable[Document], path: Path, options: IndexOptions) -> None:
        """Send the parts to an index of the cluster, and note its place in the folder *path*.

        A build that ended early goes on from there: parts that are in the index stay as they are.
        """
        own = dict(options.own)
        connection = Connection.read(own.get("url"), own.get("client") or {})
        cluster = connection.open()
        index = own.get("index") or _name_index(options.target or path.parent)
        split = _require_split(documents) if own.get("ray") else None
        encoder = None if own.get("encoder") is None else require_encoder(own["encoder"])
        build = _prepare_index(cluster, index, options, encoder)
        send = SendParts(connection, index, options.language, encoder)
        try:
            count = split.feed_on_ray(send) if split else send(documents)
            _finish_index(cluster, index, build, count)
        except CollectionError as error:
            advice = "build again with the same arguments to go on, or with overwrite=True to start again"
            raise CollectionError(f"{error}. {advice}") from error
        Place(cluster.hosts, index, build).write(path)

    def open(self, path: Path, options: IndexOptions) -> OpenSearchIndex:
        place = Place.read(path)
        url = options.own.get("url")
        connection = Connection.read(url, {})
        if not url and not connection.reaches(place.hosts):
            advice = "open it with PartIndex(path, url=...)"
            raise CollectionError(
                f"{path.parent}: this index is on {', '.join(map(hide_credentials, place.hosts))}, which neither you "
                f"nor OPENSEARCH_URL named; if you trust that cluster, {advice}"
            )
        return OpenSearchIndex(connection.open(), place, options.language)


@dataclass(frozen=True)
class SendParts:
    """Sends documents to an index, here or in a worker of Ray."""

    connection: Connection
    index: str
    language: str
    encoder: pt.Transformer | None = None

    def __call__(self, documents: Iterable[Document]) -> int:
        count = 0

        def read_parts() -> Iterator[Part]:
            nonlocal count
            words = Words(self.language)
            for some in cut_into_batches(documents, BATCH):
                for (docno, fields), vector in zip(some, self._encode_documents(some), strict=True):
                    if len(docno.encode()) > _DOCNO_BYTES:
                        raise ValueError(
                            f"docno {docno[:60]!r}... has more than {_DOCNO_BYTES} bytes; OpenSearch allows no more"
                        )
                    count += 1
                    yield Part(docno, " ".join(words.terms("\n".join(fields.values()))), vector)

        self.connection.open().send(self.index, read_parts())
        return count

    def _encode_documents(self, documents: Sequence[Document]) -> list[tuple[float, ...]]:
        """Return the vector of each document, () if there is no encoder."""
        if self.encoder is None:
            return [()] * len(documents)
        return [tuple(vector) for vector in encode_documents(self.encoder, documents).tolist()]


def _require_split(documents: Iterable[Document]) -> SplitDocuments:
    if not isinstance(documents, SplitDocuments):
        raise ValueError("ray=True: workers cut the parts of a Collection; index one, with collection.index(...)")
    return documents


def _name_index(target: Path) -> str:
    digest = hashlib.blake2b(str(target.absolute()).encode(), digest_size=4).hexdigest()
    return f"{re.sub('[^a-z0-9]+', '-', target.name.lower()).strip('-') or 'parts'}-{digest}"


def _prepare_index(cluster: Cluster, index: str, options: IndexOptions, encoder: pt.Transformer | None) -> str:
    about = {"language": options.language, "encoder": name_encoder(encoder) if encoder else None}
    sample = encode_sample(encoder).tolist() if encoder else []
    meta = cluster.find_meta(index)
    if meta is not None:
        ours = meta.get(_OURS)
        if ours is None:
            raise CollectionError(f"{cluster}: the index {index!r} is not one of parts; give another name, index=")
        if not options.overwrite:
            _check_begun(f"{cluster}: the index {index!r}", ours, about, sample)
            return str(ours["build"])
        delete_index(cluster, index)
    build = uuid.uuid4().hex
    replicas = options.own.get("replicas", 1)
    nodes = cluster.ask(cluster.client.cluster.health, "counting the nodes")["number_of_data_nodes"]
    # a node that dies may take the only copy of a part along until every copy of a shard is there
    copies = min(replicas + 1, nodes)
    body = _describe_index(options.own.get("shards", 1), replicas, len(sample))
    body["mappings"]["_meta"] = {_OURS: {"build": build, "parts": None, "sample": sample, **about}}
    params = {"wait_for_active_shards": copies, "timeout": "60s"}
    what = f"making the index {index!r}"
    try:
        cluster.ask(cluster.client.indices.create, what, index=index, params=params, request_timeout=90, body=body)
    except CollectionError:
        # a try whose answer was lost may have made it
        if ((cluster.find_meta(index) or {}).get(_OURS) or {}).get("build") != build:
            raise
    return build


def _check_begun(name: str, ours: JsonObject, about: Mapping[str, str | None], sample: Sequence[float]) -> None:
    """Refuse to resume a build whose settings differ from the index's."""
    if ours["parts"] is not None:
        raise CollectionError(
            f"{name} is complete, with {ours['parts']} parts; give another name, index=, or overwrite=True"
        )
    for setting, given in about.items():
        if ours.get(setting) != given:
            raise CollectionError(
                f"{name} was begun with {setting}={ours.get(setting)!r}, not {given!r}; give overwrite=True"
            )
    if not are_of_one_encoder(np.asarray(sample), np.asarray(ours.get("sample", []))):
        raise CollectionError(f"{name} was begun by {about['encoder']} with other weights; give overwrite=True")


def _describe_index(shards: int, replicas: int, dimension: int) -> JsonObject:
    return {
        "settings": {
            "number_of_shards": shards,
            "number_of_replicas": replicas,
            "refresh_interval": -1,
            **({"knn": True} if dimension else {}),
            "max_result_window": _MOST_RESULTS,
            "similarity": {"parts": _describe_similarity("bm25", SHARED_MODELS["bm25"])},
            "analysis": {"analyzer": {"words": {"type": "custom", "tokenizer": "whitespace"}}},
        },
        "mappings": {
            "dynamic": "strict",
            "_source": {"excludes": ["vector"]},
            "properties": {
                _FIELD: {"type": "text", "analyzer": "words", "similarity": "parts", "index_options": "freqs"},
                "docno": {"type": "keyword", "index": False},
                **(describe_field(dimension) if dimension else {}),
            },
        },
    }


def delete_index(cluster: Cluster, index: str) -> None:
    """Delete an index of parts, and the copies of it that rank by other models."""
    indices = cluster.client.indices
    copies = ",".join(cluster.ask(indices.get, f"reading {index!r}", index=f"{index},{index}.*"))
    # it may be gone if the answer of a first try was lost
    cluster.ask(indices.delete, f"deleting {index!r}", index=copies, ignore_unavailable=True)


def _finish_index(cluster: Cluster, index: str, build: str, count: int) -> None:
    """Check that all parts are there, and close the index to further ones."""
    indices = cluster.client.indices
    cluster.wait_for(index)
    cluster.ask(indices.refresh, f"refreshing {index!r}", index=index)
    there = cluster.ask(cluster.client.count, f"counting the parts of {index!r}", index=index)["count"]
    if there != count:
        raise CollectionError(
            f"{cluster}: {count} parts were sent to the index {index!r}, and it holds {there}: two parts have the same "
            "docno, or parts of another build are there; give overwrite=True or another name, index="
        )
    statistics = cluster.ask(indices.stats, f"reading {index!r}", index=index, metric="docs")
    if statistics["_all"]["total"]["docs"]["deleted"]:
        # parts that were replaced would count twice in the frequencies of terms
        cluster.ask(indices.forcemerge, f"merging {index!r}", index=index, max_num_segments=1, request_timeout=3600)
    ours = (cluster.find_meta(index) or {}).get(_OURS, {})
    if ours.get("build") != build:
        raise CollectionError(f"{cluster}: another build has replaced the index {index!r}; build again")
    settings = {"index": {"refresh_interval": None, "blocks.write": True}}
    cluster.ask(indices.put_settings, f"closing {index!r} to further parts", index=index, body=settings)
    about = {"_meta": {_OURS: {**ours, "parts": count}}}
    cluster.ask(indices.put_mapping, f"marking {index!r} as complete", index=index, body=about)


class OpenSearchIndex:
    """An index of parts on a cluster, open."""

    def __init__(self, cluster: Cluster, place: Place, language: str):
        self.cluster = cluster
        self.place = place
        self.words = Words(language)
        meta = cluster.find_meta(place.index)
        if meta is None:
            raise CollectionError(f"{cluster}: there is no index {place.index!r}; index the collection again")
        self._about = meta.get(_OURS, {})
        if self._about.get("build") != place.build:
            raise CollectionError(
                f"{cluster}: the index {place.index!r} is not the one that was made for this folder; index again"
            )

    @property
    def own(self) -> OpenSearchIndex:
        """The index itself; `cluster.client` is the client of opensearch-py, `place.index` the name of the index."""
        return self

    def searcher(self, model: str, parameters: Mapping[str, float]) -> OpenSearchSearcher:
        return OpenSearchSearcher(self, model, parameters)

    def feedback(self) -> OpenSearchFeedback:
        return OpenSearchFeedback(self)

    def open_vectors(self) -> OpenSearchVectors:
        if not self._about.get("sample"):
            raise ValueError(f"{self.cluster}: {self.place.index!r} keeps no vectors; index with encoder=...")
        return OpenSearchVectors(self.cluster, self.place.index, self._about["encoder"], self._about["sample"])

    def find_index(self, model: str, parameters: Mapping[str, float]) -> str:
        """Return the name of the index that ranks by a model.

        For other models and parameters than BM25's defaults it is a copy, made when it is first asked for: its settings
        are others, and its files are the same (hard links, wherever the file system has them).
        """
        name = self.place.index
        cluster = self.cluster
        if model == "bm25" and parameters == SHARED_MODELS["bm25"]:
            return name
        similarity = _describe_similarity(model, parameters)
        digest = hashlib.blake2b(json.dumps(similarity, sort_keys=True).encode(), digest_size=4).hexdigest()
        copy = f"{name}.{model}-{digest}"
        if cluster.find_meta(copy) is None:
            settings = {f"index.similarity.parts.{key}": value for key, value in similarity.items()}
            try:
                cluster.ask(
                    cluster.client.indices.clone, f"copying {name!r} for {model!r}", index=name, target=copy,
                    body={"settings": settings}, params={"timeout": "10m"}, request_timeout=600,
                )  # fmt: skip
            except CollectionError:
                # another process has made the copy in the meantime
                if cluster.find_meta(copy) is None:
                    raise
        cluster.wait_for(copy)
        return copy


class OpenSearchSearcher:
    """One scoring model over an index of parts on a cluster."""

    def __init__(self, index: OpenSearchIndex, model: str, parameters: Mapping[str, float]):
        self.model = model
        self.parameters = parameters
        self._index = index
        self._name = index.find_index(model, parameters)

    def search(self, queries: Sequence[Query], k: int, threads: int | None) -> Hits:
        if k > _MOST_RESULTS:
            raise ValueError(f"num_results={k}: OpenSearch finds at most {_MOST_RESULTS:,} parts a topic")
        searches = [self._write_search(query, k) for query in queries]
        return self._index.cluster.search_many(self._name, searches, threads)

    def score(self, queries: Sequence[Query], candidates: Sequence[Sequence[str]]) -> list[Floats]:
        searches = []
        for query, docnos in zip(queries, candidates, strict=True):
            wanted = {"filter": [{"ids": {"values": list(docnos)}}], "should": self._write_terms(query)}
            searches.append({"size": len(docnos), "query": {"bool": {**wanted, "minimum_should_match": 0}}})
        return align_scores(self._index.cluster.search_many(self._name, searches), candidates)

    def _write_search(self, query: Query, k: int) -> JsonObject:
        terms = self._write_terms(query)
        wanted = {"bool": {"should": terms}} if terms else {"match_none": {}}
        return {"size": k, "query": wanted}

    def _write_terms(self, query: Query) -> list[JsonObject]:
        weights = Counter(self._index.words.terms(query)) if isinstance(query, str) else query
        if any(weight < 0 for weight in weights.values()):
            raise ValueError(f"query_toks={weights!r:.60}: OpenSearch takes no negative weights")
        return [{"term": {_FIELD: {"value": term, "boost": weight}}} for term, weight in weights.items()]


class OpenSearchFeedback:
    """The terms of parts on a cluster, for query expansion."""

    def __init__(self, index: OpenSearchIndex):
        self._index = index
        self._cluster = index.cluster
        self._name = index.place.index

    def analyse(self, query: str) -> list[str]:
        return self._index.words.terms(query)

    def vectors(self, docnos: Iterable[str]) -> dict[str, dict[str, int]]:
        ids = {"ids": list(dict.fromkeys(docnos))}
        if not ids["ids"]:
            return {}
        mget = self._cluster.client.mget
        rows = self._cluster.ask(mget, f"reading parts of {self._name!r}", body=ids, index=self._name)["docs"]
        return {row["_id"]: dict(Counter(row["_source"][_FIELD].split())) for row in rows if row["found"]}

    def statistics(self, terms: Iterable[str]) -> dict[str, tuple[int, int]]:
        held = Counter[str]()
        occurs = Counter[str]()
        wanted = list(dict.fromkeys(terms))
        body = {
            "doc": {_FIELD: " ".join(wanted)},
            "term_statistics": True, "field_statistics": False, "positions": False, "offsets": False, "payloads": False,
        }  # fmt: skip
        for routing in self._find_routings() if wanted else ():
            found = self._cluster.ask(
                self._cluster.client.termvectors, f"reading terms of {self._name!r}",
                index=self._name, body=body, routing=routing,
            )  # fmt: skip
            for term, numbers in found["term_vectors"].get(_FIELD, {}).get("terms", {}).items():
                held[term] += numbers.get("doc_freq", 0)
                occurs[term] += numbers.get("ttf", 0)
        return {term: (held[term], occurs[term]) for term in wanted}

    def _find_routings(self) -> list[str]:
        """Return for each shard a routing value that leads to it: statistics of terms are a shard's."""
        find_shards = self._cluster.client.search_shards
        what = f"looking for the shards of {self._name!r}"
        shards = len(self._cluster.ask(find_shards, what, index=self._name)["shards"])
        routings: dict[int, str] = {}
        for value in map(str, range(1000 * shards)):
            shard = self._cluster.ask(find_shards, what, index=self._name, routing=value)["shards"][0][0]["shard"]
            routings.setdefault(shard, value)
            if len(routings) == shards:
                break
        return list(routings.values())


ENGINE = OpenSearchEngine()
