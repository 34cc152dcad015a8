"""Sending parts to a cluster beside a bare loop of opensearch-py that sends the same texts, without replicas.

    OPENSEARCH_URL=http://127.0.0.1:9200 python benchmarks/cluster.py
        [--data DUMP] [--parts 100000 200000] [--shards 3] [--bare]

The parts are the dump's paragraphs over and over, each copy with other words left out, read from a file. One after the
other, after a warm-up, the last two with --bare only:

    parts          PartIndex.from_parts(engine="opensearch"): words are cut and stemmed here
    bulk           opensearchpy.helpers.bulk, 1,000 texts a request, analysed as English on the cluster
    parallel_bulk  opensearchpy.helpers.parallel_bulk, the same with three threads

Each ends when its parts can be searched. Then 100 topics are searched in one call, 1,000 results each, the second time.
OPENSEARCH_URL may name several nodes, with commas between. Indexes named benchmark-... are made and deleted.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import opensearchpy
from opensearchpy import helpers
from retrieve import copied

from pyterrier_focused.collection import Collection, heading_topics
from pyterrier_focused.retrieval import PartIndex

SETTINGS = {"number_of_replicas": 0, "refresh_interval": -1}
WARM_UP = 20_000
MAPPING = {"properties": {"text": {"type": "text", "analyzer": "english"}}}


def read_parts(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def send_bare(client: opensearchpy.OpenSearch, file: Path, shards: int, parallel: bool) -> float:
    """Send the texts as they are, and return the seconds."""
    index = "benchmark-bare"
    client.indices.delete(index=index, ignore_unavailable=True)
    settings = {**SETTINGS, "number_of_shards": shards}
    client.indices.create(index=index, body={"settings": settings, "mappings": MAPPING})
    actions = ({"_index": index, "_id": part["docno"], "text": part["text"]} for part in read_parts(file))
    start = time.perf_counter()
    if parallel:
        for _ in helpers.parallel_bulk(client, actions, thread_count=3, chunk_size=1000):
            pass
    else:
        helpers.bulk(client, actions, chunk_size=1000)
    client.indices.refresh(index=index)
    seconds = time.perf_counter() - start
    client.indices.delete(index=index)
    return seconds


def send_parts(urls: list[str], file: Path, path: Path, shards: int) -> float:
    start = time.perf_counter()
    options = {"url": urls, "index": "benchmark-parts", "shards": shards, "replicas": 0}
    PartIndex.from_parts(read_parts(file), path, "opensearch", overwrite=path.exists(), **options)
    return time.perf_counter() - start


def write_parts(collection: Collection, count: int, file: Path) -> None:
    with file.open("w", encoding="utf-8") as lines:
        for part in itertools.islice(copied(collection, count, "p"), count):
            lines.write(f"{json.dumps(part)}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).resolve().parents[2]
    parser.add_argument("--data", type=Path, default=here / "shared" / "data" / "enwiki-sample.xml.bz2")
    parser.add_argument("--parts", type=int, nargs="+", default=[100_000])
    parser.add_argument("--shards", type=int, default=3)
    parser.add_argument("--bare", action="store_true", help="send them by opensearch-py's own loops too")
    arguments = parser.parse_args()
    urls = os.environ["OPENSEARCH_URL"].split(",")
    client = opensearchpy.OpenSearch(urls, timeout=600)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        collection = Collection.build(arguments.data, folder / "collection", verbose=False)
        topics = heading_topics(collection)[0].sample(100, random_state=1).reset_index(drop=True)
        file = folder / "parts.jsonl"
        systems = {"parts": lambda: send_parts(urls, file, folder / "index", arguments.shards)}
        if arguments.bare:
            systems["bulk"] = lambda: send_bare(client, file, arguments.shards, parallel=False)
            systems["parallel_bulk"] = lambda: send_bare(client, file, arguments.shards, parallel=True)
        write_parts(collection, WARM_UP, file)
        for send in systems.values():
            send()
        for count in arguments.parts:
            write_parts(collection, count, file)
            print(f"{count:,} parts, {file.stat().st_size / 1e6:,.0f} MB", flush=True)
            for system, send in systems.items():
                seconds = send()
                print(f"  {system:13} {seconds:7.1f} s {count / seconds:7,.0f} a second", flush=True)
            statistics = client.indices.stats(index="benchmark-parts", metric="store")["_all"]["primaries"]
            print(f"  disk          {statistics['store']['size_in_bytes'] / 1e6:,.0f} MB", flush=True)
            retriever = PartIndex(folder / "index").bm25(num_results=1000)
            retriever(topics)
            start = time.perf_counter()
            found = retriever(topics)
            print(f"  100 topics    {time.perf_counter() - start:.2f} s, {len(found):,} results", flush=True)
        client.indices.delete(index="benchmark-parts")


if __name__ == "__main__":
    main()
