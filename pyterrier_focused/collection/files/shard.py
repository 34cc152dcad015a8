"""Shards: the articles, elements, links and redirects of one block, in Arrow files that are opened memory-mapped."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import RecordBatch, Schema

from ...errors import CollectionError
from ...frames.articles import ElementColumns
from ...reading.json import JsonObject
from ...wikitext import ParsedArticle, plain_title
from ..sources.find import SourceBlock, grouped, read, reader
from ..sources.raw import ArticleColumns, Ints, PageColumns, RawArticle, Redirect, Rejection, TagNumbers, hash_names
from .arrow_files import ArrowWriter, CheckedBatch, FileLayout, damaged, open_batches
from .checksums import read_with_seal, seal
from .storage import StoragePath
from .template_store import open_templates

TABLES = ("articles", "elements", "links", "redirects")

# The schemas of articles, elements, links and redirects. An article's *length* counts characters, its *elements* and
# *links* count rows of the other files, where those of a batch's articles follow each other. *url* is "" if it follows
# from the title, *revision* 0 if there is none; *categories* has one a line. An element's *tag* is a code of the
# shard's tags, its *parent* a row within the article (-1 for the article itself), its *ordinal* the number among the
# siblings of the same tag, from 1.
SCHEMAS = (
    pa.schema(
        [
            ("docno", pa.string()),
            ("hash", pa.int64()),
            ("title", pa.string()),
            ("text", pa.large_string()),
            ("length", pa.int32()),
            ("elements", pa.int32()),
            ("file", pa.string()),
            ("position", pa.int64()),
            ("title_hash", pa.int64()),
            ("url", pa.string()),
            ("revision", pa.int64()),
            ("timestamp", pa.string()),
            ("language", pa.string()),
            ("categories", pa.string()),
            ("links", pa.int32()),
        ]
    ),
    pa.schema(
        [
            ("tag", pa.int32()),
            ("parent", pa.int32()),
            ("ordinal", pa.int32()),
            ("start", pa.int32()),
            ("end", pa.int32()),
        ]
    ),
    pa.schema([("start", pa.int32()), ("end", pa.int32()), ("target", pa.string())]),
    pa.schema(
        [("alias", pa.string()), ("target", pa.string()), ("alias_hash", pa.int64()), ("target_hash", pa.int64())]
    ),
)


def name_shard_files(number: int) -> list[str]:
    """The files of a shard: one of each of its tables, and the summary that says it is complete."""
    return [*(f"{number:06}.{table}.arrow" for table in TABLES), f"{number:06}.json"]


@dataclass
class ShardSummary:
    """The content of a shard: the rows of each table, the layouts of their files, tags, and omissions.

    *base* begins the addresses of the wiki's pages. *digest* is the checksum of docnos and texts, *source* that of the
    block and options that made the shard, *seal* that of the summary itself, "" before it is written. The counts are
    those of `ArticleColumns`.
    """

    rows: dict[str, int] = field(default_factory=dict)
    layouts: list[FileLayout] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    base: str = ""
    calls: int = 0
    unread: int = 0
    digest: str = ""
    kinds: Counter[str] = field(default_factory=Counter)
    repeated: Counter[str] = field(default_factory=Counter)
    source: str = ""
    seal: str = ""

    def count(self, articles: ArticleColumns, rejected: Sequence[Rejection]) -> None:
        self.rejected += rejected
        self.left_out.update(articles.left_out)
        self.calls += articles.calls
        self.unread += articles.unread
        self.kinds.update(articles.kinds)
        self.repeated.update(articles.repeated)

    def as_sealed_json(self) -> bytes:
        content = {**vars(self), "left_out": [(*key, count) for key, count in self.left_out.items()]}
        del content["seal"]
        return seal(content)


def write_shard(
    folder: str,
    number: int,
    block: SourceBlock,
    sources: Sequence[str],
    options: JsonObject,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Make shard *number* of a block of *sources* (folders); *progress* is called with the bytes read of the block."""
    store = open_templates(StoragePath(folder), options)
    parse = reader(block, options, store.find if store else None).read
    codes = TagNumbers()
    done = 0
    files = [StoragePath(folder) / name for name in name_shard_files(number)]
    working = [file.working() for file in files]
    summary = ShardSummary(base=block.site.base, source=identify_source(block, options))
    digest = hashlib.blake2b(digest_size=16)
    with ExitStack() as opened:
        tables = [opened.enter_context(ArrowWriter(*each)) for each in zip(working[:-1], SCHEMAS, strict=True)]
        record = options.get("xml", {}).get("record", "")
        for raws in grouped(read(block, sources, record)):
            articles, refused = parse(raws, codes)
            summary.count(articles, refused)
            _add_texts(digest, articles.docno, articles.text)
            for table, schema, columns in zip(tables, SCHEMAS, _list_columns(articles, raws), strict=True):
                if articles.docno if table is not tables[-1] else articles.redirects:
                    table.add(_make_batch(schema, columns))
            if progress is not None:
                done += sum(len(raw.data) for raw in raws)
                progress(min(done if block.files else max(raws[-1].position - block.start, 0), block.work))
    summary.tags = [tag.decode() if isinstance(tag, bytes) else tag for tag in codes]
    summary.rows = {name: table.rows for name, table in zip(TABLES, tables, strict=True)}
    summary.layouts = [table.layout() for table in tables]
    summary.digest = digest.hexdigest()
    with working[-1].create() as file:
        file.write(summary.as_sealed_json())
    # The summary comes last: with it, the shard is complete.
    for part, file in zip(working, files, strict=True):
        part.move(file)


def rename_articles(folder: StoragePath, number: int, docnos: Mapping[int, str]) -> None:
    """Give rows of a shard other docnos; its summary is away meanwhile, so that a killed build makes it again."""
    shard = Shard(folder, number)
    names = name_shard_files(number)
    working = (folder / names[0]).working()
    digest = hashlib.blake2b(digest_size=16)
    first = 0
    with ArrowWriter(working, SCHEMAS[0]) as table:
        for batch in shard.articles:
            columns = {name: _read_column(batch, name) for name in SCHEMAS[0].names}
            own = [docnos.get(first + row, docno.decode()) for row, docno in enumerate(columns["docno"])]
            columns |= {"docno": _encode_words(own), "hash": hash_names(own)}
            table.add(_make_batch(SCHEMAS[0], list(columns.values())))
            _add_texts(digest, own, columns["text"])
            first += len(own)
    shard.summary.layouts[0] = table.layout()
    shard.summary.digest = digest.hexdigest()
    (folder / names[-1]).remove()
    working.move(folder / names[0])
    (folder / names[-1]).write(shard.summary.as_sealed_json())


def _read_column(batch: CheckedBatch, name: str) -> Any:
    column = batch.column(name)
    if pa.types.is_integer(column.type):
        return column.to_numpy()
    return column.cast(pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary()).to_pylist()


def identify_source(block: SourceBlock, options: JsonObject) -> str:
    """Return the checksum of the block and options that a shard is made from."""
    return hashlib.sha256(json.dumps([block.as_json(), options], sort_keys=True).encode()).hexdigest()


def _add_texts(digest: hashlib.blake2b, docnos: Sequence[str], texts: Sequence[bytes]) -> None:
    for docno, text in zip(docnos, texts, strict=True):
        digest.update(b"%d %d " % (len(docno), len(text)) + docno.encode("utf-8", "replace") + text)


def read_summary(folder: StoragePath, number: int, seal: str = "") -> ShardSummary:
    """Read the summary of a shard. Raises CollectionError if it is missing, damaged, or not that of a given seal."""
    file = folder / name_shard_files(number)[-1]
    sealed = read_with_seal(file)
    if sealed is None:
        raise CollectionError(f"{file}: it is missing; copy the collection again, or build it again into a new folder")
    given, own = sealed
    if seal and own != seal:
        raise CollectionError(
            f"{file} (checksum {own[:12]}) is not the shard that {folder / 'pt_meta.json'} names (checksum "
            f"{seal[:12]}): files of two collections are mixed here; copy the collection again, or build it again "
            "into a new folder"
        )
    given["layouts"] = [FileLayout.from_json(layout) for layout in given["layouts"]]
    given["rejected"] = [Rejection(*entry) for entry in given["rejected"]]
    given["left_out"] = Counter({(kind, template): count for kind, template, count in given["left_out"]})
    for name in ("kinds", "repeated"):
        given[name] = Counter(given.get(name, {}))
    return ShardSummary(**given, seal=own)


class RowRange(NamedTuple):
    """Rows of a record batch, from *first* to before *last*."""

    batch: CheckedBatch
    first: int
    last: int


class LinkColumns(NamedTuple):
    """The links of an article: the half-open spans of their anchors in characters, and titles."""

    start: Ints
    end: Ints
    target: list[str]


class Shard:
    """An opened shard: record batches of its tables, each opened when it is first read, or CollectionError if damaged.

    The elements and the links of a batch's articles are in the batch of the same number.
    """

    def __init__(self, folder: StoragePath, number: int, seal: str = ""):
        self.summary = read_summary(folder, number, seal)
        self._files = [folder / name for name in name_shard_files(number)[:-1]]
        self._tables: dict[str, list[CheckedBatch]] = {}
        self.articles = self.open_table("articles")
        self._first = np.cumsum([0, *(batch.num_rows for batch in self.articles)])
        self._first_inside: dict[tuple[str, int], Ints] = {}

    def open_table(self, name: str) -> list[CheckedBatch]:
        if name not in self._tables:
            number = TABLES.index(name)
            self._tables[name] = open_batches(self._files[number], SCHEMAS[number], self.summary.layouts[number])
        return self._tables[name]

    def value(self, row: int, name: str) -> Any:
        batch, inside = self._find_batch(row)
        return self.articles[batch].value(name, inside)

    def column(self, name: str, table: str = "articles") -> list[Any]:
        """Return a column of all articles, or of another table."""
        return [value for batch in self.open_table(table) for value in batch.values(name)]

    def text_size(self, row: int) -> int:
        batch, inside = self._find_batch(row)
        return self.articles[batch].sizes("text", inside, inside + 1)[0]

    def text_sizes(self) -> list[int]:
        return [size for batch in self.articles for size in batch.sizes("text", 0, batch.num_rows)]

    def element_columns(self, row: int) -> ElementColumns:
        """Return the elements of an article: tag (names), parent, ordinal, start, end."""
        batch, first, last = self._find_rows(row, "elements")
        columns = {name: batch.numbers(name, first, last) for name in SCHEMAS[1].names}
        self._check_elements(columns, np.arange(last - first), self.value(row, "length"))
        return {**columns, **self._read_tags(columns["tag"])}

    def articles_with_elements(self) -> Iterator[tuple[dict[str, str], ElementColumns]]:
        """Yield each article's docno, title and text, and its elements, a record batch at a time."""
        for number, batch in enumerate(self.articles):
            if not batch.num_rows:
                continue
            elements, _, _ = self._find_rows(int(self._first[number]), "elements")
            first = self._first_inside["elements", number]
            columns = {name: elements.numbers(name, 0, elements.num_rows) for name in SCHEMAS[1].names}
            sizes = np.diff(first)
            length = np.repeat(batch.numbers("length", 0, batch.num_rows), sizes)
            self._check_elements(columns, np.arange(elements.num_rows) - np.repeat(first[:-1], sizes), length)
            named = self._read_tags(columns["tag"])
            docnos = batch.values("docno")
            titles = batch.values("title")
            for row, (begin, end) in enumerate(pairwise(first.tolist())):
                article = {"docno": docnos[row], "title": titles[row], "text": batch.value("text", row)}
                yield article, {name: column[begin:end] for name, column in {**columns, **named}.items()}

    @cached_property
    def _tag_columns(self) -> dict[str, NDArray[np.object_]]:
        """The columns by tag code: `tag`, and `attributes` if the build kept some."""
        split = [tag.partition(" ") for tag in self.summary.tags]
        names = {"tag": np.array([name for name, _, _ in split], dtype=object)}
        if any(written for _, _, written in split):
            read = [json.loads(written) if written else {} for _, _, written in split]
            names["attributes"] = np.array(read, dtype=object)
        return names

    def _read_tags(self, codes: Ints) -> ElementColumns:
        return {name: values[codes].tolist() for name, values in self._tag_columns.items()}

    def _check_elements(self, columns: Mapping[str, Ints], row: Ints, length: Ints | int) -> None:
        """Raise CollectionError for impossible elements of an article; *row* numbers them, *length* is its text's."""
        tag, parent, start, end = (columns[name] for name in ("tag", "parent", "start", "end"))
        is_sound = (tag >= 0) & (tag < len(self.summary.tags)) & (parent < row) & (parent >= np.minimum(row - 1, 0))
        if not np.all(is_sound & (start >= 0) & (start <= end) & (end <= length)):
            raise damaged(self._files[1])

    def link_columns(self, row: int) -> LinkColumns:
        batch, first, last = self._find_rows(row, "links")
        start, end = (batch.numbers(name, first, last).astype(np.int64) for name in ("start", "end"))
        if not np.all((start >= 0) & (start <= end) & (end <= self.value(row, "length"))):
            raise damaged(self._files[2])
        return LinkColumns(start, end, batch.words("target", first, last))

    def redirect(self, row: int) -> Redirect:
        for batch in self.open_table("redirects"):
            if row < batch.num_rows:
                return Redirect(batch.value("alias", row), batch.value("target", row))
            row -= batch.num_rows
        raise damaged(self._files[3])

    def _find_rows(self, row: int, table: str) -> RowRange:
        """Find the rows of a table that belong to an article; a column of the articles counts them."""
        batches = self.open_table(table)
        batch, inside = self._find_batch(row)
        if (table, batch) not in self._first_inside:
            sizes = self.articles[batch].column(table).to_numpy()
            first = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))
            least = 1 if table == "elements" else 0
            if sizes.min(initial=least) < least or first[-1] != batches[batch].num_rows:
                raise damaged(self._files[0])
            self._first_inside[table, batch] = first
        first = self._first_inside[table, batch]
        return RowRange(batches[batch], int(first[inside]), int(first[inside + 1]))

    def _find_batch(self, row: int) -> tuple[int, int]:
        batch = int(np.searchsorted(self._first, row, side="right")) - 1
        return batch, row - int(self._first[batch])


def hash_titles(titles: Sequence[str]) -> Ints:
    return hash_names(map(plain_title, titles))


def _list_columns(articles: ArticleColumns, raws: Sequence[RawArticle]) -> Iterator[list[Any]]:
    pages = articles.pages or PageColumns.of([ParsedArticle("", "", "")] * len(articles.docno))
    yield [
        _encode_words(articles.docno),
        hash_names(articles.docno),
        _encode_words(articles.title),
        articles.text,
        articles.length,
        articles.elements,
        [raws[number].file.encode("utf-8", "backslashreplace") for number in articles.source],
        [raws[number].position for number in articles.source],
        hash_titles(articles.title),
        _encode_words(pages.url),
        pages.revision,
        _encode_words(pages.timestamp),
        _encode_words(pages.language),
        _encode_words(pages.categories),
        pages.links,
    ]
    yield [articles.tag, articles.parent, articles.ordinal, articles.start, articles.end]
    yield [pages.link_start, pages.link_end, _encode_words(pages.link_target)]
    alias, target = ([redirect[column] for redirect in articles.redirects] for column in (0, 1))
    yield [_encode_words(alias), _encode_words(target), hash_titles(alias), hash_titles(target)]


def _encode_words(words: Sequence[str]) -> list[bytes]:
    return [word.encode("utf-8", "replace") for word in words]


def _make_batch(schema: Schema, columns: list[Any]) -> RecordBatch:
    """Make a record batch of columns of numbers and of bytes, with all of their buffers."""
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
