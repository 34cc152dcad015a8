"""Shards: the articles of one block and their elements, in two Arrow files that are opened memory-mapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import CollectionError, import_extra
from .arrow_files import ArrowWriter, FileLayout, damaged, open_batches
from .checksums import read_sealed, seal
from .parsed_articles import ArticleColumns, Ints, RawArticle, Rejection, TagNumbers, hash_docnos
from .sources import SourceBlock, grouped, read, reader
from .storage import StoragePath


def names(number: int) -> tuple[str, str, str]:
    """The files of a shard: its articles, their elements, and the summary that says it is complete."""
    return f"{number:06}.articles.arrow", f"{number:06}.elements.arrow", f"{number:06}.json"


class ShardSummary(NamedTuple):
    """What a shard holds: how many articles and elements, the layouts of its two files, tags, and what was left out."""

    articles: int
    elements: int
    layouts: tuple[FileLayout, FileLayout]
    tags: list[str]
    rejected: list[Rejection]
    dropped: dict[str, int]  # templates that were left out of sentences, and how often


def write_shard(
    folder: str,
    number: int,
    block: SourceBlock,
    sources: Sequence[str],
    options: dict[str, Any],
    progress: Callable[[int], None] | None = None,
) -> None:
    """Make shard *number* of a block: files of other names, renamed when they are complete.

    *sources*: the folders of the sources. *progress* is called with the bytes of the block that have been read.
    """
    pa = import_extra("pyarrow", "retrieval")
    parse = reader(block, options).read
    codes, done = TagNumbers(), 0
    files = [StoragePath(folder) / name for name in names(number)]
    working = [file.working() for file in files]
    rejected: list[Rejection] = []
    dropped: Counter[str] = Counter()
    article_schema, element_schema = schemas(pa)
    with (
        ArrowWriter(working[0], article_schema) as texts,
        ArrowWriter(working[1], element_schema) as tables,
    ):
        for raws in grouped(read(block, sources)):
            articles, refused = parse(raws, codes)
            rejected += refused
            dropped.update(articles.dropped)
            if articles.docno:
                texts.add(_article_batch(pa, article_schema, articles, raws))
                tables.add(_element_batch(pa, element_schema, articles))
            if progress is not None:
                done += sum(len(raw.data) for raw in raws)
                progress(min(done if block.files else max(raws[-1].position - block.start, 0), block.work))
    tags = [tag.decode() if isinstance(tag, bytes) else tag for tag in codes]
    summary = ShardSummary(texts.rows, tables.rows, (texts.layout(), tables.layout()), tags, rejected, dict(dropped))
    with working[2].create() as file:
        file.write(seal(summary._asdict()))
    for part, file in zip(working, files, strict=True):  # the summary comes last: with it, the shard is complete
        part.move(file)


def read_summary(folder: StoragePath, number: int) -> ShardSummary:
    """Read the summary of a shard. Raises CollectionError where it is missing or damaged."""
    file = folder / names(number)[2]
    given = read_sealed(file)
    if given is None:
        raise CollectionError(f"{file}: it is missing; copy the collection again, or build it again into a new folder")
    articles, elements = map(FileLayout.from_json, given["layouts"])
    rejected = [Rejection(*entry) for entry in given["rejected"]]
    counts = (given["articles"], given["elements"])
    return ShardSummary(*counts, (articles, elements), given["tags"], rejected, given["dropped"])


class Shard:
    """An opened shard: record batches of articles, those of their elements, and the first row of each batch."""

    def __init__(self, folder: StoragePath, number: int):
        self.summary = read_summary(folder, number)
        self._files = [folder / name for name in names(number)[:2]]
        self.articles, self.elements = map(
            open_batches, self._files, schemas(import_extra("pyarrow", "retrieval")), self.summary.layouts
        )
        self.first = np.cumsum([0, *(batch.num_rows for batch in self.articles)])
        self._first_element: dict[int, Ints] = {}

    def value(self, row: int, name: str) -> Any:
        """Return what an article has in a column. Raises CollectionError where it is damaged."""
        batch, inside = self._batch(row)
        try:
            return self.articles[batch].column(name)[inside].as_py()
        except ValueError as error:
            raise damaged(self._files[0]) from error

    def column(self, name: str) -> list[Any]:
        """Return a column of all articles. Raises CollectionError where it is damaged."""
        try:
            return [value for batch in self.articles for value in batch.column(name).to_pylist()]
        except ValueError as error:
            raise damaged(self._files[0]) from error

    def text_size(self, row: int) -> int:
        """Return how many bytes an article's text has."""
        batch, inside = self._batch(row)
        return len(self.articles[batch].column("text")[inside].as_buffer())

    def text_sizes(self) -> list[int]:
        """Return how many bytes the texts of all articles have."""
        offsets = [np.frombuffer(batch.column("text").buffers()[1], dtype=np.int64) for batch in self.articles]
        counts = [batch.num_rows for batch in self.articles]
        return [size for at, rows in zip(offsets, counts, strict=True) for size in np.diff(at[: rows + 1]).tolist()]

    def element_columns(self, row: int) -> dict[str, Any]:
        """Return the elements of an article: tag (names), parent, ordinal, start, end. Raises CollectionError."""
        batch, inside = self._batch(row)
        if batch not in self._first_element:
            sizes = self.articles[batch].column("elements").to_numpy()
            first = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))
            if sizes.min(initial=1) < 1 or first[-1] != self.elements[batch].num_rows:
                raise damaged(self._files[0])
            self._first_element[batch] = first
        first = self._first_element[batch]
        part = self.elements[batch].slice(int(first[inside]), int(first[inside + 1] - first[inside]))
        columns = {name: part.column(name).to_numpy() for name in part.schema.names}
        tag, parent, start, end = (columns[name] for name in ("tag", "parent", "start", "end"))
        rows, length = np.arange(len(tag)), self.value(row, "length")
        is_sound = (tag >= 0) & (tag < len(self.summary.tags)) & (parent < rows) & (parent >= np.minimum(rows - 1, 0))
        if not np.all(is_sound & (start >= 0) & (start <= end) & (end <= length)):
            raise damaged(self._files[1])
        return {**columns, "tag": [self.summary.tags[code] for code in tag.tolist()]}

    def _batch(self, row: int) -> tuple[int, int]:
        """Return the record batch of an article, and its row in it."""
        batch = int(np.searchsorted(self.first, row, side="right")) - 1
        return batch, row - int(self.first[batch])


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


def _article_batch(pa: Any, schema: Any, articles: ArticleColumns, raws: Sequence[RawArticle]) -> Any:
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


def _element_batch(pa: Any, schema: Any, articles: ArticleColumns) -> Any:
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
