"""Shards: the articles of one block and their elements, in two Arrow files that are opened memory-mapped."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import CollectionError, import_extra
from .article import Articles, Codes, Ints, Raw, Rejected, hash_docnos
from .filesystem import Location
from .sources import Block, grouped, read, reader


def names(number: int) -> tuple[str, str, str]:
    """The files of a shard: its articles, their elements, and the summary that says it is complete."""
    return f"{number:06}.articles.arrow", f"{number:06}.elements.arrow", f"{number:06}.json"


class Summary(NamedTuple):
    """What a shard holds: how many articles and elements, the bytes of its two files, tags, and what was rejected."""

    articles: int
    elements: int
    sizes: tuple[int, int]
    tags: list[str]
    rejected: list[Rejected]


def write_shard(
    folder: str,
    number: int,
    block: Block,
    sources: Sequence[str],
    options: dict[str, Any],
    progress: Callable[[int], None] | None = None,
) -> int:
    """Make shard *number* of a block: files of other names, renamed when they are complete. Returns how many articles.

    *sources*: the folders of the sources. *progress* is called with the bytes of the block that have been read.
    """
    pa = import_extra("pyarrow", "retrieval")
    parse = reader(block, options).read
    codes = Codes()
    files = [Location(folder) / name for name in names(number)]
    working = [file.working() for file in files]
    rejected: list[Rejected] = []
    count = elements = done = 0
    article_schema, element_schema = schemas(pa)
    with working[0].create() as article_file, working[1].create() as element_file:
        with (
            pa.ipc.new_file(article_file, article_schema) as article_writer,
            pa.ipc.new_file(element_file, element_schema) as element_writer,
        ):
            for raws in grouped(read(block, sources)):
                articles, refused = parse(raws, codes)
                rejected += refused
                if articles.docno:
                    article_writer.write_batch(_article_batch(pa, article_schema, articles, raws))
                    element_writer.write_batch(_element_batch(pa, element_schema, articles))
                    count += len(articles.docno)
                    elements += len(articles.tag)
                if progress is not None:
                    done += sum(len(raw.data) for raw in raws)
                    progress(min(done if block.files else max(raws[-1].position - block.start, 0), block.work))
        sizes = (article_file.tell(), element_file.tell())
    tags = [tag.decode() if isinstance(tag, bytes) else tag for tag in codes]
    with working[2].create() as file:
        file.write(json.dumps(Summary(count, elements, sizes, tags, rejected)._asdict()).encode())
    for part, file in zip(working, files, strict=True):  # the summary comes last: with it, the shard is complete
        part.move(file)
    return count


def read_summary(folder: Location, number: int) -> Summary:
    """Read the summary of a shard."""
    with (folder / names(number)[2]).open() as file:
        given = json.loads(file.read())
    sizes = (given["sizes"][0], given["sizes"][1])
    rejected = [Rejected(*entry) for entry in given["rejected"]]
    return Summary(given["articles"], given["elements"], sizes, given["tags"], rejected)


class Shard:
    """An opened shard: record batches of articles, those of their elements, and the first row of each batch."""

    def __init__(self, folder: Location, number: int):
        self.summary = read_summary(folder, number)
        self.articles, self.elements = (
            _open_batches(folder / name, size) for name, size in zip(names(number)[:2], self.summary.sizes, strict=True)
        )
        self.first = np.cumsum([0, *(batch.num_rows for batch in self.articles)])
        self._first_element: dict[int, Ints] = {}

    def article(self, row: int) -> tuple[Any, int]:
        """The record batch of an article, and its row in it."""
        batch = int(np.searchsorted(self.first, row, side="right")) - 1
        return self.articles[batch], row - int(self.first[batch])

    def element_rows(self, row: int) -> Any:
        """The elements of an article, a record batch."""
        batch = int(np.searchsorted(self.first, row, side="right")) - 1
        if batch not in self._first_element:
            sizes = self.articles[batch].column("elements").to_numpy()
            self._first_element[batch] = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))
        first = self._first_element[batch]
        inside = row - int(self.first[batch])
        return self.elements[batch].slice(int(first[inside]), int(first[inside + 1] - first[inside]))


def _open_batches(file: Location, size: int) -> list[Any]:
    pa = import_extra("pyarrow", "retrieval")
    entry = file.stat()
    if entry is None or entry.size != size:
        found = "it is missing" if entry is None else f"it has {entry.size:,} bytes of {size:,}"
        raise CollectionError(f"{file}: {found}; copy the collection again, or build it again into a new folder")
    # what is mapped stays so when the file is closed: a collection has more shards than a process may have open files
    with pa.memory_map(file.url) if file.is_local else file.open() as opened:
        reader = pa.ipc.open_file(opened)
        return [reader.get_batch(number) for number in range(reader.num_record_batches)]


def schemas(pa: Any) -> tuple[Any, Any]:
    """The Arrow schemas of articles and of elements."""
    articles = pa.schema(
        [
            ("docno", pa.string()),
            ("hash", pa.int64()),  # of the docno
            ("title", pa.string()),
            ("text", pa.large_string()),
            ("length", pa.int32()),  # characters
            ("elements", pa.int32()),  # how many; those of a batch's articles follow each other in the other file's
            ("file", pa.string()),  # of the source
            ("position", pa.int64()),  # in that file
        ]
    )
    elements = pa.schema(
        [
            ("tag", pa.int32()),  # a number of the shard's tags
            ("parent", pa.int32()),  # row within the article, -1 for the article itself
            ("ordinal", pa.int32()),  # among the siblings of the same tag, from 1
            ("start", pa.int32()),
            ("end", pa.int32()),
        ]
    )
    return articles, elements


def _article_batch(pa: Any, schema: Any, articles: Articles, raws: Sequence[Raw]) -> Any:
    columns = [
        [docno.encode() for docno in articles.docno],
        hash_docnos(articles.docno),
        [title.encode() for title in articles.title],
        articles.text,
        articles.length,
        articles.elements,
        [raws[number].file.encode("utf-8", "backslashreplace") for number in articles.source],
        [raws[number].position for number in articles.source],
    ]
    return _batch(pa, schema, columns)


def _element_batch(pa: Any, schema: Any, articles: Articles) -> Any:
    return _batch(pa, schema, [articles.tag, articles.parent, articles.ordinal, articles.start, articles.end])


def _batch(pa: Any, schema: Any, columns: list[Any]) -> Any:
    """Make a record batch of columns of numbers and of bytes, by their buffers: pa.array would import pandas."""
    arrays = []
    for column, kind in zip(columns, schema.types, strict=True):
        if pa.types.is_integer(kind):
            buffers = [None, pa.py_buffer(np.asarray(column, dtype=kind.to_pandas_dtype()))]
        else:
            offsets = np.zeros(len(column) + 1, dtype=np.int64 if pa.types.is_large_string(kind) else np.int32)
            np.cumsum([len(words) for words in column], out=offsets[1:])
            buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(column))]
        arrays.append(pa.Array.from_buffers(kind, len(column), buffers))
    return pa.record_batch(arrays, schema=schema)
