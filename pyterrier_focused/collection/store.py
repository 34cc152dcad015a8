"""An opened collection: articles, elements, texts of passages, lengths and paths, from memory-mapped files."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import CollectionError
from ..frames.articles import ElementColumns, describe_xml
from ..frames.ids import parse_ids, require_text
from ..frames.spans import Ints
from ..wikitext import as_title, plain_title
from . import build as _build
from .build_options import READABLE, BuildOptions, describe_text
from .element_paths import HEADINGS, locate, read_headings, read_infoboxes, write_paths
from .files.arrow_files import FileLayout, damaged
from .files.checksums import read_sealed, verify_checksums
from .files.hash_index import ALIASES, DOCNOS, TARGETS, TITLES, HashIndex
from .files.shard import Shard, hash_titles
from .files.storage import StoragePath
from .outline import ArticleRecord, describe_collection
from .sources.page_addresses import page_address
from .sources.raw import Redirect, hash_names
from .sources.records import write_records
from .sources.xml_kinds import describe_kinds
from .text_loader import TextLoader

if TYPE_CHECKING:
    from ..retrieval.index import PartIndex
    from ..retrieval.passages.part_texts import PartTexts
    from ..retrieval.passages.selectors import Selector


_Value = TypeVar("_Value")


class Collection(pt.Artifact):
    """Articles with their text and elements, on disk.

    `Collection.build(source, path)` makes one from Wikipedia XML, `Collection(path)` opens it. Offsets are half-open,
    in characters (code points) of the article's text.
    """

    ARTIFACT_TYPE = "collection"
    ARTIFACT_FORMAT = "focused"
    ARTIFACT_PACKAGE_HINT = "pyterrier-focused"

    def __init__(self, path: str | Path):
        super().__init__(path)
        folder = StoragePath(path)
        meta = read_sealed(folder / _build.MANIFEST)
        if meta is None:
            advice = "build one with Collection.build(source, path)"
            if (folder / _build.PLAN).stat() is not None:
                advice = "its build is not finished; repeat it"
            raise CollectionError(f"{folder}: no collection is here: {advice}")
        self.meta: dict[str, Any] = meta
        if (self.meta.get("type"), self.meta.get("format")) != (self.ARTIFACT_TYPE, self.ARTIFACT_FORMAT):
            if self.meta.get("type") == "part_index":
                raise CollectionError(f"{folder} is an index; pass the collection it was built from")
            raise CollectionError(f"{folder} holds {self.meta.get('type')!r}, not a collection")
        if self.meta.get("version") not in READABLE:
            readable = " and ".join(map(str, READABLE))
            raise CollectionError(
                f"{folder}: a collection of version {self.meta.get('version')}, and this reads {readable}; build "
                "it again into a new folder"
            )
        self._folder = folder
        self._shards: dict[int, Shard] = {}
        self._indexes: dict[str, HashIndex] = {}

    @classmethod
    def build(
        cls,
        source: str | Path | Sequence[str | Path],
        path: str | Path,
        format: str = "auto",
        *,
        verbose: bool = True,
        **options: Any,
    ) -> Collection:
        """Build a collection from Wikipedia; a build that was interrupted goes on.

        Args:
            source: A MediaWiki dump (`.xml`); HTML of MediaWiki: an Enterprise dump (`.ndjson`, `.tar.gz`),
                a ZIM file (extra [zim]), saved pages; or article XML: a file, a folder, a tar archive; or a list of
                these. Files may be packed (`.bz2`, `.gz`, `.xz`, `.zst`) or in archives (`.zip`, `.7z`, which is
                unpacked into a temporary folder); `.zst` and `.7z` need the extra [archives]. Source and path may be
                URLs of any file system that pyarrow or fsspec opens.
            format: 'mediawiki', 'html', 'inex' (any article XML) or 'auto'.
            options: docno, id_from, language, namespaces, templates, drop, infobox, max_rejected, workers, engine; all
                are explained at `BuildOptions`.

        Raises:
            CollectionError: For a source that is not there, or a folder that holds something else.
            BuildError: If the source held no article, was cut short, or too many were rejected.
            ValueError: For options that do not apply.
        """
        manifest = _build.build(source, path, BuildOptions(format=format, **options), verbose=verbose)
        if verbose:
            where = f" (see {StoragePath(path) / _build.ERRORS})" if manifest["rejected"] else ""
            print(", ".join(f"{manifest[name]:,} {name}" for name in ("articles", "elements", "rejected")) + where)
            if kinds := describe_kinds(manifest["xml"].get("kinds", {})):
                print(kinds)
            _build.report_unread(manifest.get("template_calls", {}))
        return cls(path)

    @classmethod
    def from_iter(
        cls, documents: Iterable[object], path: str | Path, *, verbose: bool = False, max_rejected: float = 0.01
    ) -> Collection:
        """Build a collection from documents: dicts, those of ir_datasets, or those of `trec_documents`.

        A document's text is in the article as it is given, so that spans of it remain valid; its sections follow,
        each with its title in a line before it. Paragraphs end at empty lines.

        Args:
            documents: Dicts (or named tuples) with docno (or doc_id), title, text (or body), and sections.
            path: The folder of the collection, new or empty. The other options are as of `build`.
        """
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "documents.jsonl"
            write_records(documents, file)
            return cls.build(file, path, "records", verbose=verbose, max_rejected=max_rejected)

    def __len__(self) -> int:
        return int(self.meta["articles"])

    def __repr__(self) -> str:
        return f"Collection({str(self._folder)!r})"

    @property
    def place(self) -> str:
        return str(self._folder)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and self._folder == other._folder

    def __hash__(self) -> int:
        return hash(self._folder)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._folder.url,)

    def __contains__(self, docno: object) -> bool:
        return isinstance(docno, str) and self._find_places([docno])[0] is not None

    def __getitem__(self, docno: str) -> ArticleRecord:
        return self.article(docno)

    def __iter__(self) -> Iterator[str]:
        return iter(self.docnos())

    def _repr_html_(self) -> str:
        return describe_collection(self)

    def article(self, docno: str) -> ArticleRecord:
        """Return an article and the metadata of its page; empty if the source has none.

        Keys: docno, title, text, url, revision (its number, None if unknown), timestamp (as in the source, ISO
        8601), language (code), categories (a list), redirects (a list of the titles that lead here), infobox (label to
        value, if the collection was built with infobox=True). Raises ValueError if it is not here.
        """
        ((shard, row),) = self._require_places([docno])
        content = {name: shard.value(row, name) for name in ("docno", "title", "text")}
        redirects = self._find_redirects(TARGETS, plain_title(content["title"]))
        facts = {
            **content,
            "url": shard.value(row, "url") or page_address(shard.summary.base, content["title"]),
            "revision": shard.value(row, "revision") or None,
            "timestamp": shard.value(row, "timestamp"),
            "language": shard.value(row, "language"),
            "categories": shard.value(row, "categories").splitlines(),
            "redirects": list(dict.fromkeys(redirect.alias for redirect in redirects)),
            "infobox": read_infoboxes(shard.element_columns(row), content["text"]),
        }
        return ArticleRecord(self, facts)

    def links(self, docno: str) -> pd.DataFrame:
        """Return the links of an article to others, in document order: start, end, target (a title), anchor.

        `text[start:end]` is the anchor; target is written as MediaWiki writes titles, and `find` gives its docno.
        """
        ((shard, row),) = self._require_places([docno])
        start, end, target = shard.link_columns(row)
        text = shard.value(row, "text")
        anchor = [text[first:last] for first, last in zip(start.tolist(), end.tolist(), strict=True)]
        columns = {"start": start, "end": end, "target": target, "anchor": anchor}
        return pd.DataFrame(columns).astype({"target": object, "anchor": object})

    @property
    def redirects(self) -> pd.DataFrame:
        """The redirects of the source: alias, title. The page of that title need not be in the collection."""
        shards = [self._open_shard(number) for number in range(self.meta["shards"])]
        alias, title = (
            [value for shard in shards for value in shard.column(name, "redirects")] for name in ("alias", "target")
        )
        return pd.DataFrame({"alias": alias, "title": title}, dtype=object)

    def find(self, title: str) -> str | None:
        """Return the docno of the article of a title, through redirects; None if there is none.

        Underscores are spaces, and the first letter may be small, as in MediaWiki.
        """
        seen: set[str] = set()
        while title not in seen:
            seen.add(title)
            names = list(dict.fromkeys((plain_title(title), as_title(title))))
            for name in names:
                for shard, row in self._find_named(TITLES, name):
                    if plain_title(shard.value(row, "title")) == name:
                        return str(shard.value(row, "docno"))
            title = next((redirect.target for name in names for redirect in self._find_redirects(ALIASES, name)), title)
        return None

    @property
    def text_id(self) -> str:
        """The checksum of all docnos and texts, with the options that made them; "" if the build kept none.

        Qrels, indexes and databases of judgments keep it, and are refused with a collection of another text.
        """
        digest = self.meta.get("digest", "")
        return f"{digest}, {describe_text(self.meta)}" if digest else ""

    def articles(self, docnos: str | Iterable[str] | None = None) -> Iterator[dict[str, str]]:
        """Yield `{"docno", "title", "text"}` of all articles, in the order of the source, or of those asked for."""
        for shard, row in self._list_places() if docnos is None else self._require_places(_list_ids(docnos)):
            yield {name: shard.value(row, name) for name in ("docno", "title", "text")}

    def get_corpus_iter(self) -> Iterator[dict[str, str]]:
        return self.articles()

    def docnos(self) -> list[str]:
        return self._read_column(methodcaller("column", "docno"))

    def elements(self, docno: str) -> pd.DataFrame:
        """Return the elements of an article: path, tag, title, start, end, parent (row, -1 for the article).

        They are in document order. A path numbers each step, `/article[1]/section[2]/p[3]`; title is the heading of an
        element that has one.
        """
        ((shard, row),) = self._require_places([docno])
        columns = shard.element_columns(row)
        titles = read_headings(columns, shard.value(row, "title"), shard.value(row, "text"), self.heading_tags)
        return pd.DataFrame(
            {
                "path": write_paths(columns["tag"], columns["parent"], columns["ordinal"]),
                "tag": columns["tag"],
                "title": titles,
                **{name: columns[name].astype(np.int64) for name in ("start", "end", "parent")},
            }
        )

    def articles_with_elements(
        self, shards: Iterable[int] | None = None
    ) -> Iterator[tuple[dict[str, str], ElementColumns]]:
        """Yield each article, or those of some shards, with its elements as `element_columns()` has them, fast."""
        for shard in range(self.meta["shards"]) if shards is None else shards:
            yield from self._keep_rows(shard, self._open_shard(shard).articles_with_elements())

    @property
    def heading_tags(self) -> Sequence[str]:
        """The tags of headings: those that the build was told, else those of INEX and MediaWiki."""
        tags: Sequence[str] = describe_xml(self.meta).get("heading_tags", HEADINGS)
        return tags

    def element_columns(self, docno: str) -> ElementColumns:
        """Return the elements of an article without paths and headings, which take longer: tag, parent, start, end.

        If the build kept attributes, `attributes` has a dict for each element.
        """
        ((shard, row),) = self._require_places([docno])
        return shard.element_columns(row)

    def text(self, ids: str | Iterable[str]) -> list[str]:
        """Return the texts of articles (by docno) and passages (by id). Raises ValueError for what is not here."""
        ids = _list_ids(ids)
        docnos, start, end = parse_ids(ids)
        texts: list[str] = []
        article: str | None = None
        text = ""
        for name, docno, first, last in zip(ids, docnos.tolist(), start.tolist(), end.tolist(), strict=True):
            if docno != article:
                ((shard, row),) = self._require_places([docno])
                article = docno
                text = shard.value(row, "text")
            if last > len(text):
                raise ValueError(
                    f"{name!r}: article {docno!r} has {len(text)} characters; the passage ends beyond them"
                )
            texts.append(text if first < 0 else text[first:last])
        return texts

    def lengths(self, docnos: str | Iterable[str] | None = None) -> pd.DataFrame:
        """Return the lengths of articles: docno, length (characters), bytes (of UTF-8)."""
        if docnos is None:
            length = self._read_column(methodcaller("column", "length"))
            size = self._read_column(Shard.text_sizes)
            return pd.DataFrame({"docno": self.docnos(), "length": length, "bytes": size})
        places = self._require_places(_list_ids(docnos))
        rows = [(shard.value(row, "docno"), shard.value(row, "length"), shard.text_size(row)) for shard, row in places]
        return pd.DataFrame(rows, columns=["docno", "length", "bytes"])

    def resolve(self, docnos: str | Sequence[str], paths: str | Sequence[str]) -> tuple[Ints, Ints]:
        """Turn element paths into spans: (start, end), -1 if the article or the path does not exist.

        `[1]` may be left out. `path/text()[k]` is the k-th text node, `path/text()[k].n` the point n further on;
        comments and processing instructions are not kept, and do not end a text node here.
        """
        docnos = _list_ids(docnos)
        paths = _list_ids(paths)
        if len(docnos) != len(paths):
            raise ValueError(f"{len(docnos)} docnos and {len(paths)} paths; give a path for each docno")
        start, end = np.full((2, len(paths)), -1, dtype=np.int64)
        by_article: dict[tuple[Shard, int], list[int]] = {}
        for number, place in enumerate(self._find_places(docnos)):
            if place is not None:
                by_article.setdefault(place, []).append(number)
        for (shard, article), wanted in by_article.items():
            columns = shard.element_columns(article)
            steps = zip(columns["parent"].tolist(), columns["tag"], columns["ordinal"].tolist(), strict=True)
            children = {step: row for row, step in enumerate(steps)}
            for number in wanted:
                span = locate(paths[number], children, columns)
                if span is not None:
                    start[number], end[number] = span
        return start, end

    def report(self) -> pd.DataFrame:
        """Count the omissions from pages of MediaWiki in this build: kind, template, count, commonest first.

        The kinds are 'unknown' (templates in neither the dump nor a table), 'Lua', 'page' (other pages that a page
        shows), and those without text: 'infobox', 'navigation', 'notice', 'hatnote', 'reference', 'metadata', 'media',
        'hidden'. The template is the one that a page calls, "" if the page writes such a box itself. Templates that
        readers miss can be given to `build(templates=...)`.
        """
        return pd.DataFrame(self.meta["left_out"], columns=["kind", "template", "count"]).astype({"count": "int64"})

    def text_loader(
        self,
        fields: str | Sequence[str] = "text",
        *,
        titles: bool = False,
        headings: Literal["keep", "add"] = "keep",
        spaces: Literal["add", "keep"] = "add",
        verbose: bool = False,
    ) -> pt.Transformer:
        """Return a `TextLoader`: it adds the `text` of each docno, an article or a passage id."""
        return TextLoader(self, fields, titles=titles, headings=headings, spaces=spaces, verbose=verbose)

    def parts(self, elements: str | Selector | Iterable[str | Selector] | None = None, **options: Any) -> PartTexts:
        """Return the parts of all articles, dicts of `docno` (a passage id) and `text`, for any indexer of PyTerrier.

        The arguments are those of `part_texts`; iterating again gives the parts again.
        """
        from ..retrieval.passages.part_texts import PartTexts

        return PartTexts.choose(self, elements, **options)

    def index(
        self,
        path: str | Path,
        engine: str | None = None,
        elements: str | Selector | Iterable[str | Selector] | None = None,
        *,
        language: str = "english",
        overwrite: bool = False,
        **options: Any,
    ) -> PartIndex:
        """Index the parts of this collection with one of the usual engines; *options* are those of `parts`."""
        from ..retrieval import PartIndex

        parts = self.parts(elements, **options)
        return PartIndex.build(parts, path, engine, language=language, overwrite=overwrite, **parts.describe())

    def verify(self) -> None:
        """Read every file and compare it with its checksum. Raises CollectionError, which names each damaged file.

        Warns of a collection whose files are not compared with each other when it is opened.
        """
        verify_checksums(self._folder)
        if not self.meta.get("seals"):
            warnings.warn(f"{self._folder}: {_build.UNSEALED}", stacklevel=2)

    @cached_property
    def _seals(self) -> Sequence[str]:
        seals: Sequence[str] = self.meta.get("seals") or [""] * self.meta["shards"]
        return seals

    def _open_index(self, name: str) -> HashIndex:
        if name not in self._indexes:
            # Of files of two collections that is said, not that the index is damaged.
            self._open_shard(0)
            self._indexes[name] = HashIndex(self._folder, name, FileLayout.from_json(self.meta["indexes"][name]))
        return self._indexes[name]

    @cached_property
    def _left_out_rows(self) -> dict[int, set[int]]:
        left_out: dict[int, set[int]] = {}
        for shard, row in self.meta["duplicates"]:
            left_out.setdefault(shard, set()).add(row)
        return left_out

    def _list_places(self) -> Iterator[tuple[Shard, int]]:
        for number in range(self.meta["shards"]):
            shard = self._open_shard(number)
            yield from ((shard, row) for row in self._keep_rows(number, range(shard.summary.rows["articles"])))

    def _read_column(self, values_of: Callable[[Shard], list[_Value]]) -> list[_Value]:
        values: list[_Value] = []
        for shard in range(self.meta["shards"]):
            values += self._keep_rows(shard, values_of(self._open_shard(shard)))
        return values

    def _keep_rows(self, shard: int, values: Iterable[_Value]) -> Iterable[_Value]:
        left_out = self._left_out_rows.get(shard)
        return (value for row, value in enumerate(values) if row not in left_out) if left_out else values

    def _find_places(self, docnos: list[str]) -> list[tuple[Shard, int] | None]:
        for docno in docnos:
            require_text(docno)
        index = self._open_index(DOCNOS)
        places: list[tuple[Shard, int] | None] = []
        for docno, candidates in zip(docnos, index.places(hash_names(docnos)), strict=True):
            opened = (self._open_place(index, number, row, "articles") for number, row in candidates)
            places.append(next(((shard, row) for shard, row in opened if shard.value(row, "docno") == docno), None))
        return places

    def _find_named(self, name: str, title: str) -> Iterator[tuple[Shard, int]]:
        index = self._open_index(name)
        (candidates,) = index.places(hash_titles([title]))
        for number, row in candidates:
            yield self._open_place(index, number, row, "articles" if name == TITLES else "redirects")

    def _find_redirects(self, name: str, title: str) -> Iterator[Redirect]:
        for shard, row in self._find_named(name, title):
            redirect = shard.redirect(row)
            if plain_title(redirect.alias if name == ALIASES else redirect.target) == title:
                yield redirect

    def _open_place(self, index: HashIndex, number: int, row: int, table: str) -> tuple[Shard, int]:
        if not (0 <= number < self.meta["shards"] and 0 <= row < self._open_shard(number).summary.rows[table]):
            raise damaged(index.file)
        return self._open_shard(number), row

    def _require_places(self, docnos: list[str]) -> Iterator[tuple[Shard, int]]:
        for docno, place in zip(docnos, self._find_places(docnos), strict=True):
            if place is None:
                raise ValueError(
                    f"no article with docno {docno!r} is in {self!r} (docnos look like {next(iter(self), '')!r}; "
                    "titles are not docnos)"
                )
            yield place

    def _open_shard(self, number: int) -> Shard:
        if number not in self._shards:
            self._shards[number] = Shard(self._folder, number, self._seals[number])
        return self._shards[number]


def _list_ids(ids: str | Iterable[str]) -> list[str]:
    """Return ids as a list; a single string becomes a one-element list. Raises TypeError for other types."""
    if isinstance(ids, str):
        return [ids]
    if not isinstance(ids, Iterable):
        require_text(ids)
    return list(ids)
