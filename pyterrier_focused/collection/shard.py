"""Shards: the articles of one block and their elements, as two Arrow files that are opened memory-mapped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import import_extra
from .article import Article, RejectedArticle
from .sources import Block, extractor, read

_FLUSH = 2**22  # characters of text in memory before they are written


def names(number: int) -> tuple[str, str, str, str]:
    """The files of a shard: articles, elements, what was rejected, and the counts that say it is complete."""
    return tuple(
        f"{kind}-{number:05}.{end}"
        for kind, end in (("articles", "arrow"), ("elements", "arrow"), ("errors", "jsonl"), ("done", "json"))
    )  # type: ignore[return-value]


def write_shard(
    block: Block,
    number: int,
    folder: str,
    format: str,
    options: dict[str, Any],
    progress: Callable[[int], None] | None = None,
) -> dict[str, int]:
    """Extract a block into shard *number* of *folder*: temporary files, renamed when complete. Returns the counts."""
    pa = import_extra("pyarrow", "retrieval")
    extract = extractor(format, options)
    files = [Path(folder, name) for name in names(number)]
    working = [file.with_name(f"{file.name}.{os.getpid()}.part") for file in files]
    counts = {"articles": 0, "elements": 0, "rejected": 0}
    articles, elements = schemas(pa)
    with (
        pa.OSFile(str(working[0]), "wb") as article_file,
        pa.OSFile(str(working[1]), "wb") as element_file,
        pa.ipc.new_file(article_file, articles) as article_writer,
        pa.ipc.new_file(element_file, elements) as element_writer,
        open(working[2], "w", encoding="utf-8") as errors,
    ):
        batch: list[Article] = []
        held = 0

        def flush() -> None:
            nonlocal held
            if batch:
                article_batch, element_batch = to_batches(pa, batch)
                article_writer.write_batch(article_batch)
                element_writer.write_batch(element_batch)
                counts["articles"] += len(batch)
                counts["elements"] += element_batch.num_rows
            batch.clear()
            held = 0

        for raw in read(block):
            try:
                if raw.error:
                    raise RejectedArticle(raw.error)
                article = extract(raw)
            except RejectedArticle as error:
                entry = {"file": raw.file, "position": raw.position, "name": raw.name, "reason": str(error)}
                errors.write(json.dumps(entry, ensure_ascii=False) + "\n")
                counts["rejected"] += 1
                continue
            finally:
                if progress is not None:
                    progress(len(raw.data))
            if article is None:
                continue
            batch.append(article)
            held += len(article.text) + 32 * len(article.tag)
            if held >= _FLUSH:
                flush()
        flush()
    working[3].write_text(json.dumps(counts))
    for part, file in zip(working, files, strict=True):  # the counts come last: with them, the shard is complete
        os.replace(part, file)
    return counts


def schemas(pa: Any) -> tuple[Any, Any]:
    """The Arrow schemas of articles and of elements."""
    articles = pa.schema(
        [
            ("docno", pa.string()),
            ("title", pa.string()),
            ("text", pa.large_binary()),  # UTF-8
            ("length", pa.int64()),  # characters
            ("elements", pa.int64()),  # how many; they follow each other in the element file
        ]
    )
    elements = pa.schema(
        [
            ("tag", pa.string()),
            ("parent", pa.int32()),  # row within the article, -1 for the article itself
            ("ordinal", pa.int32()),  # 1-based, among the siblings of the same tag
            ("start", pa.int32()),
            ("end", pa.int32()),
        ]
    )
    return articles, elements


def to_batches(pa: Any, articles: list[Article]) -> tuple[Any, Any]:
    """Turn parsed articles into one record batch of articles and one of elements."""
    article_schema, element_schema = schemas(pa)
    tags = [tag for article in articles for tag in article.tag]
    parent = np.fromiter((p for article in articles for p in article.parent), dtype=np.int32, count=len(tags))
    sizes = np.array([len(article.tag) for article in articles], dtype=np.int64)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    article_batch = pa.record_batch(
        [
            pa.array([article.docno for article in articles], pa.string()),
            pa.array([article.title for article in articles], pa.string()),
            pa.array([article.text.encode() for article in articles], pa.large_binary()),
            pa.array([len(article.text) for article in articles], pa.int64()),
            pa.array(sizes),
        ],
        schema=article_schema,
    )
    element_batch = pa.record_batch(
        [
            pa.array(tags, pa.string()),
            pa.array(parent),
            pa.array(ordinals(tags, first + parent)),
            pa.array([s for article in articles for s in article.start], pa.int32()),
            pa.array([e for article in articles for e in article.end], pa.int32()),
        ],
        schema=element_schema,
    )
    return article_batch, element_batch


def ordinals(tags: list[str], parent: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Number elements among their siblings of the same tag, from 1; *parent* is a code of the parent."""
    codes: dict[str, int] = {}
    tag = np.fromiter((codes.setdefault(name, len(codes)) for name in tags), dtype=np.int64, count=len(tags))
    key = (parent.astype(np.int64) + 1) * max(len(codes), 1) + tag
    order = np.argsort(key, kind="stable")
    key = key[order]
    heads = np.flatnonzero(np.concatenate((np.ones(min(len(key), 1), dtype=bool), key[1:] != key[:-1])))
    number = np.empty(len(key), dtype=np.int32)
    number[order] = np.arange(len(key)) - np.repeat(heads, np.diff(np.append(heads, len(key)))) + 1
    return number


def read_errors(folder: Path, shards: int) -> Iterator[dict[str, Any]]:
    """Yield what the shards rejected, in the order of the source."""
    for number in range(shards):
        with open(folder / names(number)[2], encoding="utf-8") as lines:
            yield from map(json.loads, lines)
