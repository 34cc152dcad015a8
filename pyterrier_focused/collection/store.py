"""An opened collection: articles, elements, texts of passages, lengths and paths, from memory-mapped files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import CollectionError
from ..frames.articles import ElementColumns, describe_xml
from ..frames.ids import parse_ids, require_text
from ..frames.spans import Ints
from ..wikitext import as_title, plain_title
from . import build as _build
from .build_options import VERSION, BuildOptions, describe_text
from .database import ArticleDatabase, ArticleRow
from .element_paths import HEADINGS, locate, read_headings, read_infoboxes, write_paths
from .files.checksums import read_sealed, verify_checksums
from .outline import ArticleRecord, describe_collection
from .sources.records import write_records
from .sources.xml_kinds import describe_kinds
from .text_loader import TextLoader

if TYPE_CHECKING:
    from ..retrieval.index import PartIndex
    from ..retrieval.passages.parts import Parts
    from ..retrieval.passages.selectors import Selector


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
        folder = Path(path).absolute()
        meta = read_sealed(folder / _build.MANIFEST)
        if meta is None:
            advice = "build one with Collection.build(source, path)"
            if any(folder.glob("*.part")):
                advice = "its build is not finished; repeat it"
            raise CollectionError(f"{folder}: no collection is here: {advice}")
        self.meta: dict[str, Any] = meta
        if (self.meta.get("type"), self.meta.get("format")) != (self.ARTIFACT_TYPE, self.ARTIFACT_FORMAT):
            if self.meta.get("type") == "part_index":
                raise CollectionError(f"{folder} is an index; pass the collection it was built from")
            raise CollectionError(f"{folder} holds {self.meta.get('type')!r}, not a collection")
        if self.meta.get("version") != VERSION:
            raise CollectionError(
                f"{folder}: a collection of version {self.meta.get('version')}, and this reads {VERSION}; build "
                "it again into a new folder"
            )
        self._folder = folder
        self._database = ArticleDatabase(folder, self.meta)

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
            source: A MediaWiki dump (`.xml`); HTML of MediaWiki: an Enterprise dump (`.ndjson`), saved pages; or
                article XML: a file or a folder; or a list of these. Files may be packed (`.bz2`, `.gz`, `.xz`,
                `.zst`) or in archives (`.tar`, `.zip`), and at URLs of any file system that fsspec opens.
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
            where = f" (see {Path(path) / _build.ERRORS})" if manifest["rejected"] else ""
            print(", ".join(f"{manifest[name]:,} {name}" for name in ("articles", "elements", "rejected")) + where)
            if dropped := manifest["entities"]:
                print(f"{dropped:,} references to entities that are defined elsewhere are left out: see report()")
            if kinds := describe_kinds(manifest["xml"].get("kinds", {})):
                print(kinds)
        return cls(path)

    @classmethod
    def from_iter(
        cls, documents: Iterable[object], path: str | Path, *, verbose: bool = False, max_rejected: float = 0.01
    ) -> Collection:
        """Build a collection from documents: dicts, or those of ir_datasets.

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
        return type(self), (str(self._folder),)

    def __contains__(self, docno: object) -> bool:
        return isinstance(docno, str) and self._database.find(docno) is not None

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
        row = self._require(docno)
        redirects = self._database.find_redirects("target", plain_title(row.title))
        text = row.text.decode()
        facts = {
            "docno": docno,
            "title": row.title,
            "text": text,
            "url": row.url,
            "revision": row.revision or None,
            "timestamp": row.timestamp,
            "language": row.language,
            "categories": row.categories.splitlines(),
            "redirects": list(dict.fromkeys(redirect.alias for redirect in redirects)),
            "infobox": read_infoboxes(self._database.elements(row), text),
        }
        return ArticleRecord(self, facts)

    def links(self, docno: str) -> pd.DataFrame:
        """Return the links of an article to others, in document order: start, end, target (a title), anchor.

        `text[start:end]` is the anchor; target is written as MediaWiki writes titles, and `find` gives its docno.
        """
        row = self._require(docno)
        links = json.loads(row.links or "[]")
        text = row.text.decode()
        frame = pd.DataFrame(links, columns=["start", "end", "target"]).astype({"start": int, "end": int})
        anchors = [text[start:end] for start, end, _ in links]
        return frame.assign(anchor=pd.Series(anchors, dtype=object)).astype({"target": object})

    @property
    def redirects(self) -> pd.DataFrame:
        """The redirects of the source: alias, title. The page of that title need not be in the collection."""
        return pd.DataFrame(self._database.redirects(), columns=["alias", "title"], dtype=object)

    def find(self, title: str) -> str | None:
        """Return the docno of the article of a title, through redirects; None if there is none.

        Underscores are spaces, and the first letter may be small, as in MediaWiki.
        """
        seen: set[str] = set()
        while title not in seen:
            seen.add(title)
            names = list(dict.fromkeys((plain_title(title), as_title(title))))
            for name in names:
                if row := self._database.find_title(name):
                    return row.docno
            found = (self._database.find_redirects("alias", name) for name in names)
            title = next((redirect.target for redirects in found for redirect in redirects), title)
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
        rows = self._database.rows() if docnos is None else map(self._require, _list_ids(docnos))
        for row in rows:
            yield {"docno": row.docno, "title": row.title, "text": row.text.decode()}

    def get_corpus_iter(self) -> Iterator[dict[str, str]]:
        return self.articles()

    def docnos(self) -> list[str]:
        return [docno for docno, _, _ in self._database.lengths()]

    def elements(self, docno: str) -> pd.DataFrame:
        """Return the elements of an article: path, tag, title, start, end, parent (row, -1 for the article).

        They are in document order. A path numbers each step, `/article[1]/section[2]/p[3]`; title is the heading of an
        element that has one.
        """
        row = self._require(docno)
        columns = self._database.elements(row)
        titles = read_headings(columns, row.title, row.text.decode(), self.heading_tags)
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
        spans = [(0, None)] if shards is None else [(n * _build.SHARD, (n + 1) * _build.SHARD) for n in shards]
        for span in spans:
            for row in self._database.rows(*span):
                article = {"docno": row.docno, "title": row.title, "text": row.text.decode()}
                yield article, self._database.elements(row)

    @property
    def heading_tags(self) -> Sequence[str]:
        """The tags of headings: those that the build was told, else those of INEX and MediaWiki."""
        tags: Sequence[str] = describe_xml(self.meta).get("heading_tags", HEADINGS)
        return tags

    def element_columns(self, docno: str) -> ElementColumns:
        """Return the elements of an article without paths and headings, which take longer: tag, parent, start, end.

        If the build kept attributes, `attributes` has a dict for each element.
        """
        return self._database.elements(self._require(docno))

    def text(self, ids: str | Iterable[str]) -> list[str]:
        """Return the texts of articles (by docno) and passages (by id). Raises ValueError for what is not here."""
        ids = _list_ids(ids)
        docnos, start, end = parse_ids(ids)
        texts: list[str] = []
        article: str | None = None
        text = ""
        for name, docno, first, last in zip(ids, docnos.tolist(), start.tolist(), end.tolist(), strict=True):
            if docno != article:
                article = docno
                text = self._require(docno).text.decode()
            if last > len(text):
                raise ValueError(
                    f"{name!r}: article {docno!r} has {len(text)} characters; the passage ends beyond them"
                )
            texts.append(text if first < 0 else text[first:last])
        return texts

    def lengths(self, docnos: str | Iterable[str] | None = None) -> pd.DataFrame:
        """Return the lengths of articles: docno, length (characters), bytes (of UTF-8)."""
        if docnos is None:
            rows = self._database.lengths()
        else:
            rows = [(row.docno, row.length, len(row.text)) for row in map(self._require, _list_ids(docnos))]
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
        by_article: dict[str, list[int]] = {}
        for number, docno in enumerate(docnos):
            require_text(docno)
            by_article.setdefault(docno, []).append(number)
        for docno, wanted in by_article.items():
            row = self._database.find(docno)
            if row is None:
                continue
            columns = self._database.elements(row)
            steps = zip(columns["parent"].tolist(), columns["tag"], columns["ordinal"].tolist(), strict=True)
            children = {step: element for element, step in enumerate(steps)}
            for number in wanted:
                span = locate(paths[number], children, columns)
                if span is not None:
                    start[number], end[number] = span
        return start, end

    def report(self) -> pd.DataFrame:
        """Count the omissions in this build: kind, template, count, commonest first.

        The kinds are 'unknown' (templates in no table), 'page' (other pages that a page shows), and those without
        text: 'infobox', 'navigation', 'notice', 'hatnote', 'reference', 'metadata', 'media', 'hidden'. The template is
        the one that a page calls, "" if the page writes such a box itself. Templates that readers miss can be given to
        `build(templates=...)`. Of XML, 'entity' is a reference to what is defined elsewhere, with the entity's name.
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

    def parts(
        self,
        elements: str | Selector | Iterable[str | Selector] | None = None,
        *,
        titles: bool = False,
        headings: Literal["keep", "drop", "add"] = "keep",
        exclude: Literal["boilerplate"] | None = None,
        min_length: int = 1,
        fields: bool = False,
        verbose: bool = False,
    ) -> Parts:
        """Return the parts of all articles, an iterable of `{"docno": passage id, "text": ...}` for any indexer.

        Iterating again gives the same parts again; `len()` counts them.

        Args:
            elements: Tags ('section'), XPath-like patterns ('/article/section', '//section[1]//p',
                "//div[@type='act']"), `Leaves()`, `Windows(...)`, or several of these; 'article' is the whole article.
                Two parts of one span are one. None looks at the collection, and leaves metadata out: it takes sections
                at every level and paragraphs if they hold 90% of the text, as in MediaWiki, INEX and JATS; else the
                elements that hold it in pieces of some 100 to 2,000 characters, such as `sp` of plays; else windows of
                1,000 characters.
            titles: Put the article's title before the text of each part.
            headings: 'keep' leaves the headings of sections in the text; 'drop' leaves them out (as topics made of
                headings require); 'add' puts those of the sections around a part before its text. A part's span is the
                same in all three.
            exclude: 'boilerplate' leaves out parts that lie in a section such as References or See also, in any
                language that `wikitext.templates.boilerplate` knows. A part around such a section, a whole article say,
                keeps it, as do windows that reach into one; `Windows(..., within="section")` has none of these.
            min_length: Leave out parts of fewer characters. Parts of white space are always left out; a warning counts
                them.
            fields: Yield the article's title and the headings in and around a part (none of them with headings='drop')
                as fields of their own, `title` and `headings`, next to its `text`.
            verbose: Show a progress bar, which counts articles, whenever the parts are read.

        Raises:
            ValueError: An option has an impossible value; or, while the parts are read, nothing fits a selector.

        Example:
            >>> _ = Path("7.xml").write_text("<article><title>Pets</title><p>A cat sat.</p><p>A dog ran.</p></article>")
            >>> parts = Collection.build("7.xml", "pets", verbose=False).parts("p")
            >>> [part["docno"] for part in parts]
            ['7#5-15', '7#16-26']
        """
        from ..retrieval.passages.parts import Parts

        return Parts(
            self, elements, titles=titles, headings=headings, exclude=exclude, min_length=min_length, fields=fields,
            verbose=verbose,
        )  # fmt: skip

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
        """Index the parts of this collection with one of the usual engines, in a new folder *path*.

        Args:
            engine: 'pisa', 'bm25s' or 'terrier'; None takes PISA if it is installed (Linux on x86-64), else bm25s.
            elements: As of `parts`.
            language: The language of the texts, a Snowball stemmer's name.
            overwrite: Replace the index that is at *path*.
            options: Further arguments of `parts`.
        """
        from ..retrieval import PartIndex

        parts = self.parts(elements, **options)
        return PartIndex.from_parts(parts, path, engine, language=language, overwrite=overwrite, **parts.describe())

    def verify(self) -> None:
        """Read every file and compare it with its checksum. Raises CollectionError, which names each damaged file."""
        verify_checksums(self._folder)

    def _require(self, docno: str) -> ArticleRow:
        require_text(docno)
        row = self._database.find(docno)
        if row is None:
            raise ValueError(
                f"no article with docno {docno!r} is in {self!r} (docnos look like {self._show_docno()!r}; titles are "
                "not docnos)"
            )
        return row

    def _show_docno(self) -> str:
        return next((row.docno for row in self._database.rows(0, 1)), "")


def _list_ids(ids: str | Iterable[str]) -> list[str]:
    """Return ids as a list; a single string becomes a one-element list. Raises TypeError for other types."""
    if isinstance(ids, str):
        return [ids]
    if not isinstance(ids, Iterable):
        require_text(ids)
    return list(ids)
