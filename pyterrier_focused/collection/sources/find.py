"""Where articles come from: which format a source has, and its cut into blocks, one for each task and shard.

Blocks depend on the source only, never on how many tasks run, so a collection has the same bytes however it is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ...errors import CollectionError
from ...frames.articles import CorpusArticle
from ...reading.files import JSON_ENDINGS, count_endings, show_endings, warn_of_left_out
from ...reading.json import JsonObject
from ...reading.names import SUFFIXES, is_page, name_file
from ...reading.tables import TABLES
from ...reading.xml import XmlError
from ..batches import cut_into_batches
from ..files.storage import FileInfo, StoragePath
from .archives import ARCHIVES, PACKED, TARS, find_file, is_read_whole, list_files, strip_packing, unpack
from .dump import WikiSite, is_bz2, read_head, read_pages, read_site
from .html_pages import (
    ENTRIES,
    LINES,
    MAX_LINE,
    PACKED_LINES,
    PAGES,
    ZIM,
    HtmlPageReader,
    check_zim,
    find_title_end,
    open_zim,
    read_lines_of_html,
    read_pages_of_html,
    read_zim,
)
from .mediawiki import PageReader
from .raw import ArticleColumns, RawArticle, Rejection, TagNumbers
from .records import RecordReader, is_trec
from .text_files import BOM, TextFileReader, is_hidden, is_text, read_text_files
from .xml_article import MAX_BYTES, ArticleXmlReader, is_well_formed
from .xml_files import XML_ENDINGS, holds_xml, read_files, read_tar, tar_cuts
from .xml_roots import TOP, find_root, is_dump

FORMATS = ("mediawiki", "html", "inex", "text", "records")
# The options of a build that asks for nothing else.
AS_READ: dict[str, Any] = {
    "id_from": "auto",
    "namespaces": (0,),
    "language": "",
    "docno": "id",
    "text": {"templates": {}, "drop": (), "infobox": False},
}
# Bytes of XML; of bzip2 a quarter.
BLOCK_BYTES = 2**24
# Bytes of source that are parsed at a time and make one record batch.
GROUP_BYTES = 2**21
# A block takes so many files at most.
MAX_FILES = 10_000

_HTML = (*LINES, *PACKED_LINES, *PAGES, ZIM)
# The endings of files that are read of a folder, by its format.
_ENDINGS: dict[str, tuple[str, ...]] = {
    "text": (*SUFFIXES, *PAGES),
    "records": LINES,
    "mediawiki": (".xml",),
    "html": _HTML,
    "inex": (".xml", ".nxml", *TARS),
}
# Such as enwiki-latest-pages-articles1.xml-p1p41242.bz2.
_XML = re.compile(r"\.n?xml[^/]*$")
# The first bytes, which suffice to tell most other files from XML, and how XML begins.
_FIRST = 1024
_XML_BEGINS = (b"<", b"\xff", b"\xfe", b"")
# Kinds of XML that are read only if there is nothing else.
_PICTURES = (".svg",)
# Source code that is, or begins as, XML.
_CODE = tuple(
    """.php .phtml .jsp .jspx .asp .aspx .cshtml .vue .svelte .jsx .tsx .xsl .xslt .xsd .wsdl .xaml .csproj .vbproj
    .fsproj .vcxproj .props .targets .plist .ui .fxml""".split()
)
# Roots of templates of HTML.
_TEMPLATES = frozenset("a article body div doc form head main p script section span style table template ul".split())
# Companions of pages: pictures, styles, scripts, fonts, and the folders of saved pages.
_ATTACHED = re.compile(
    r"""
    (?:^|/) (?: mimetype$ | meta-inf/ ) | \. (?:opf|ncx)$        # of ebooks
    | -index\d*\.txt                                             # of dumps
    | \. (?: png | jpe?g | gif | svg | webp | bmp | ico | tiff? | css | js | mjs | map | ttf | otf | woff2? | eot )$
    | _files/
    """,
    re.VERBOSE,
)
# Formats of office programs, and converters to text.
_CONVERTED = (".pdf", ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods")
# Files of a folder that hold records, such as evidence, and packed ones are texts only if they are asked for.
_NO_TEXT = (*JSON_ENDINGS, *TABLES, *PACKED, *ARCHIVES, *TARS, ZIM, *_CONVERTED)
_CONVERT = "convert PDF, DOCX and OpenDocument to text or HTML first, as pdftotext and pandoc do"
_ZIM_PIECE = re.compile(r"\.zim[a-z]{2}")
_JOIN = "join the pieces of a ZIM file first, as cat x.zim?? > x.zim does"
# The number of files of a folder that are read to tell their kind of XML.
_MOST_TOLD = 1_000


class ArticleReader(Protocol):
    """A parser of raw articles of a format, many at a time."""

    def read(self, raws: Sequence[RawArticle], codes: TagNumbers) -> tuple[ArticleColumns, list[Rejection]]:
        """Return the columns of the articles that can be taken, and why the others cannot."""


@dataclass(frozen=True)
class SourceBlock:
    """A range of bytes of one file ('pages', 'tar'), or some files of a folder ('files'): what one task reads.

    *source* numbers the source it is part of, *path* is within that; *size* and *changed* are its file's. *files* are
    (path, size, time of change). Of a dump: its *encoding*, whether its end *must_end* it, and its *site*. Of pages:
    the *title_end* that all titles of the source have.
    """

    kind: str
    source: int
    path: str = ""
    start: int = 0
    stop: int = 0
    size: int = 0
    changed: int = -1
    files: tuple[tuple[str, int, int], ...] = ()
    encoding: str = "utf-8"
    must_end: bool = False
    site: WikiSite = field(default_factory=WikiSite)
    title_end: str = ""

    @property
    def work(self) -> int:
        return sum(size for _, size, _ in self.files) if self.files else self.stop - self.start

    def as_json(self) -> JsonObject:
        """Return the block as a value for JSON, from which `from_json` makes it again."""
        return vars(self) | {"site": list(self.site)}

    @classmethod
    def from_json(cls, given: JsonObject) -> SourceBlock:
        files = tuple((path, size, changed) for path, size, changed in given["files"])
        return cls(**given | {"files": files, "site": WikiSite.from_json(given["site"])})

    def __str__(self) -> str:
        return f"{len(self.files)} files from {self.files[0][0]}" if self.files else f"{self.path}, byte {self.start:,}"


class SourceFile(NamedTuple):
    """A user's source in a folder: one *file* of it, or all files, or those with the *suffixes*."""

    folder: StoragePath
    file: FileInfo | None
    suffixes: tuple[str, ...] | None = None

    def names(self, path: str) -> bool:
        """Tell whether a file is the one that the user named, whatever its ending is."""
        return self.file is not None and self.file.name == path

    def files(self) -> Iterator[tuple[str, FileInfo]]:
        """Yield the files, (path within the folder, entry), in order; those in archives too."""
        for path, file in self.folder.walk() if self.file is None else [(self.file.name, self.file)]:
            if _is_tar(path) and (path.lower().endswith(PACKED_LINES) or holds_xml(self.folder / path, file)):
                members: Iterable[tuple[str, FileInfo]] = [(path, file)]
            else:
                members = list_files(self.folder, path, file)
            for name, entry in members:
                if self.suffixes is None or name.lower().endswith(self.suffixes):
                    yield name, entry

    def list_texts(self) -> list[tuple[str, FileInfo]]:
        """Return the files that are text by their endings or bytes, such as code, without companions of pages."""
        files = list(self.files())
        has_pages = any(_is_page(path) for path, _ in files)
        # Files of XML are not all opened for it: TREC's are of one kind.
        first_xml = next((path for path, _ in files if _is_xml(path)), None)
        is_trec = first_xml is not None and self.holds_trec(first_xml)
        return [(path, file) for path, file in files if self._is_text(path, has_pages, is_trec)]

    def is_xml(self, path: str) -> bool:
        """Tell whether a file is XML: by its ending, or by its first bytes if it has no ending of texts."""
        if _is_xml(path):
            return True
        bare = strip_packing(path)
        if bare.endswith(XML_ENDINGS):
            return _begins_as_xml(self.folder, path)
        is_known = path.lower().endswith((*SUFFIXES, *PAGES, *_NO_TEXT, *_CODE)) or _ATTACHED.search(path.lower())
        return not (is_known or is_hidden(path)) and _begins_as_xml(self.folder, path)

    def tell_xml(self) -> Callable[[str], bool]:
        """Return a function that tells which files are read as XML: pictures are, if no other file is."""
        has_others = any(self.is_xml(path) and not path.lower().endswith(_PICTURES) for path, _ in self.files())
        return lambda path: self.is_xml(path) and not (has_others and path.lower().endswith(_PICTURES))

    def holds_trec(self, path: str) -> bool:
        """Tell whether a file is one of TREC's, of documents in SGML, packed or not."""
        with suppress(OSError), find_file(self.folder, path).open() as opened:
            return is_trec(unpack(opened).read(TOP))
        return False

    def _is_text(self, path: str, has_pages: bool, is_trec: bool) -> bool:
        lower = path.lower()
        if is_hidden(path) or _is_page(path) or (has_pages and _ATTACHED.search(lower)):
            return False
        if _is_xml(path):
            return is_trec and self.holds_trec(path)
        if strip_packing(path).endswith(SUFFIXES):
            return True
        if lower.endswith(PACKED) and not _is_tar(path) and self.holds_trec(path):
            return True
        if self.is_xml(path):
            return False
        return (self.suffixes is not None or not lower.endswith(_NO_TEXT)) and is_text(find_file(self.folder, path))


def find_sources(named: str | Path | Sequence[str | Path], suffixes: Sequence[str] | None = None) -> list[SourceFile]:
    """Return the sources that a user names: a path or URL, or a list. Raises CollectionError for what is not there.

    Args:
        suffixes: The endings of the files that are wanted of a folder; None for all.
    """
    if isinstance(suffixes, str):
        suffixes = [suffixes]
    wanted = None if suffixes is None else tuple(suffix.lower() for suffix in suffixes)
    sources = []
    for path in named if isinstance(named, Sequence) and not isinstance(named, str) else [named]:
        place = StoragePath(path)
        entry = place.stat()
        if entry is None:
            raise CollectionError(f"{place}: no such file or folder")
        sources.append(SourceFile(place, None, wanted) if entry.is_folder else SourceFile(place.parent, entry))
    if not sources:
        raise CollectionError("no source is named; give the path of a dump, a folder or an archive")
    return sources


def detect(sources: Sequence[SourceFile], is_article_xml: bool = False) -> str:
    """Tell the format of sources: that of most files, if these are XML, pages of HTML or text.

    *is_article_xml*: all XML holds articles, whatever it looks like.
    """
    pages = 0
    records = 0
    documents: list[tuple[SourceFile, str]] = []
    for source in sources:
        for path, _ in source.files():
            lower = path.lower()
            if _ATTACHED.search(lower):
                continue
            if _is_page(path):
                pages += 1
            elif lower.endswith(ZIM) or _has_pages(source, path):
                return "html"
            elif strip_packing(lower).endswith(LINES):
                records += 1
            elif (
                lower.endswith(TARS)
                or source.is_xml(path)
                or (source.names(path) and _read_top(source.folder, path).removeprefix(BOM).lstrip().startswith(b"<"))
            ):
                documents.append((source, path))
    if documents and is_article_xml:
        return "inex"
    if documents and documents[0][0].holds_trec(documents[0][1]):
        documents = [(source, path) for source, path in documents if not source.holds_trec(path)]
    texts = [path for source in sources for path, _ in source.list_texts()]
    if documents and len(documents) >= max(pages, len(texts)):
        return _tell_xml(documents)
    if texts and (len(texts) > pages or any(path.lower().endswith(SUFFIXES) for path in texts)):
        return "text"
    if pages:
        return "html"
    if records:
        return "records"
    if any(source.is_xml(path) for source in sources for path, _ in source.files()):
        return "inex"
    raise _make_error(sources)


def _has_pages(source: SourceFile, path: str) -> bool:
    """Tell whether a file is an Enterprise dump, of pages in lines of JSON, and not one of other records."""
    if not strip_packing(path).endswith(LINES):
        return path.lower().endswith(PACKED_LINES)
    with find_file(source.folder, path).open() as opened, suppress(OSError):
        return is_page(unpack(opened, path).readline(MAX_LINE))
    # What is broken is told when it is read.
    return True


def _read_top(folder: StoragePath, path: str) -> bytes:
    with find_file(folder, path).open() as opened, suppress(XmlError):
        return read_head(opened, path, TOP).data
    # Only XML declares an encoding, which is not known here.
    return b"<"


def _begins_as_xml(folder: StoragePath, path: str) -> bool:
    """Tell whether a file begins as XML; a tag without a declaration or a namespace may be one of HTML or SGML."""
    with find_file(folder, path).open() as opened, suppress(OSError, XmlError):
        first = opened.read(_FIRST).removeprefix(BOM).lstrip()
        # Of most files this is enough; others may be packed, or in UTF-16.
        if first[:1] not in _XML_BEGINS and strip_packing(path) == path.lower():
            return False
        opened.seek(0)
        root = find_root(read_head(opened, path, TOP).data)
        if root is None or (root.name.lower() == "html" and not path.lower().endswith(".xhtml")):
            return False
        if root.is_declared or root.namespace:
            return True
        opened.seek(0)
        return root.name.lower() not in _TEMPLATES and is_well_formed(unpack(opened).read(MAX_BYTES))
    return False


def _tell_xml(documents: Sequence[tuple[SourceFile, str]]) -> str:
    """Tell whether XML is 'mediawiki' or 'inex' by the roots of its files, of the first ones in a large folder."""
    first: dict[str, str] = {}
    for source, path in documents[:_MOST_TOLD]:
        is_article = _is_tar(path) or not is_dump(_read_top(source.folder, path))
        first.setdefault("inex" if is_article else "mediawiki", str(source.folder / path))
    if len(first) > 1:
        raise CollectionError(
            f"{first['mediawiki']} is a dump of MediaWiki and {first['inex']} is not; build a collection of each, or "
            "choose what is read with format='mediawiki' or 'inex' (--from)"
        )
    return next(iter(first))


def blocks(sources: Sequence[SourceFile], format: str) -> Iterator[SourceBlock]:
    """Cut sources into blocks, in order. Raises CollectionError if nothing is to be read."""
    empty = True
    for number, source in enumerate(sources):
        for block in _BLOCKS[format](number, source):
            empty = False
            yield block
    if empty:
        raise _make_error(sources)


def check_unread(sources: Sequence[SourceFile], format: str, is_detected: bool) -> None:
    """Say which files of folders are not read, such as PDFs beside texts.

    Raises:
        CollectionError: If they are most of a folder's files, without hidden ones, and nobody chose the format.
    """
    endings = _ENDINGS[format]
    # Packed files end in .xml.bz2 and the like.
    plain = [ending for ending in endings if not ending.endswith(PACKED)]
    for source in sources:
        if source.file is None:
            paths = [path for path, _ in source.files()]
            texts = {path for path, _ in source.list_texts()} if format == "text" else set()
            is_xml = source.tell_xml() if format == "inex" else _is_xml
            read_too = set(filter(is_xml, paths)) if ".xml" in endings else texts
            unread = [path for path in paths if path not in read_too and not path.lower().endswith(endings)]
            missed = count_endings(path for path in unread if not _ATTACHED.search(path.lower()))
            if is_detected and missed.total() > len(paths) - len(unread):
                raise CollectionError(
                    f"{source.folder}: most files would be left out ({show_endings(missed)}); format {format!r} reads "
                    f"what ends in {', '.join(plain)}; give another format (--from), or format={format!r} "
                    f"(--from {format}) to leave them out{_advise(missed)}"
                )
            what = "text or HTML" if format == "text" else f"files that end in {', '.join(plain)}"
            warn_of_left_out(str(source.folder), count_endings(unread), what)


def check_zims(sources: Sequence[SourceFile], max_rejected: float) -> None:
    """Compare the ZIM files among the sources with their own checksums; see `check_zim`."""
    for source in sources:
        for path, _ in source.files():
            if path.lower().endswith(ZIM):
                check_zim(source.folder / path, max_rejected)


def read(block: SourceBlock, folders: Sequence[str], record: str = "") -> Iterator[RawArticle]:
    """Yield the articles of a block, unparsed; *folders* are those of the sources, *record* that of an XML profile."""
    folder = StoragePath(folders[block.source])
    if block.kind == "files":
        return read_files(folder, [path for path, _, _ in block.files], record)
    if block.kind == "texts":
        return read_text_files(folder, [path for path, _, _ in block.files])
    if block.kind == "html":
        return read_pages_of_html(folder, [path for path, _, _ in block.files])
    if block.kind == "zim":
        return read_zim(folder / block.path, block.path, block.start, block.stop)
    place = (find_file(folder, block.path), block.path, block.start, block.stop)
    if block.kind == "pages":
        return read_pages(*place, block.encoding, block.must_end)
    return {"tar": read_tar, "lines": read_lines_of_html, "records": read_lines_of_html}[block.kind](*place)


def read_articles(sources: Sequence[SourceFile], format: str, rejected: list[Rejection]) -> Iterator[CorpusArticle]:
    """Yield the articles of sources as a collection has them, but for templates that a dump defines itself.

    Args:
        rejected: Takes the articles that cannot be read.
    """
    folders = [source.folder.url for source in sources]
    for block in blocks(sources, format):
        parse = reader(block, AS_READ).read
        for raws in grouped(read(block, folders)):
            articles, refused = parse(raws, TagNumbers())
            rejected += refused
            rows = zip(articles.source, articles.docno, articles.title, articles.text, strict=True)
            for number, docno, title, text in rows:
                raw = raws[number]
                has_mark = raw.data.startswith(BOM)
                yield CorpusArticle(docno, text.decode(), name_file(raw.file), has_mark=has_mark, title=title)


def grouped(raws: Iterable[RawArticle]) -> Iterator[list[RawArticle]]:
    return cut_into_batches(raws, size_of=lambda raw: len(raw.data) + 100, most_size=GROUP_BYTES)


def reader(
    block: SourceBlock, options: JsonObject, find_template: Callable[[str], str | None] | None = None
) -> ArticleReader:
    """Return the parser of a block's articles; *find_template* is that of `WikitextReader`."""
    if block.kind == "pages":
        return PageReader(
            block.site, options["namespaces"], options["language"], options["text"], options["docno"], find_template
        )
    if block.kind in ("html", "lines", "zim"):
        text = options.get("text", AS_READ["text"])
        is_wiki = None if block.kind == "html" else True
        return HtmlPageReader(text["drop"], text["infobox"], options.get("docno", "id"), is_wiki, block.title_end)
    if block.kind == "texts":
        return TextFileReader()
    if block.kind == "records":
        return RecordReader()
    return ArticleXmlReader(options["id_from"], options.get("xml", {}))


def _dump_blocks(number: int, source: SourceFile) -> Iterator[SourceBlock]:
    for path, (name, size, changed, _) in source.files():
        if not source.names(path) and (not _is_xml(path) or "index" in name):
            continue
        with find_file(source.folder, path).open() as file:
            try:
                head = read_head(file, path)
            except XmlError as error:
                raise CollectionError(f"{source.folder / path}: {error}") from error
        site = read_site(head.data)
        root = find_root(head.data)
        is_rooted = root is not None and root.name == "mediawiki"
        step = BLOCK_BYTES // 4 if is_bz2(path) else BLOCK_BYTES
        if is_read_whole(path) or head.encoding != "utf-8":
            step = size
        for start in range(0, max(size, 1), max(step, 1)):
            stop = min(start + step, size)
            must_end = is_rooted and stop == size
            yield SourceBlock("pages", number, path, start, stop, size, changed, (), head.encoding, must_end, site)


def _file_blocks(
    kind: str, number: int, source: SourceFile, is_wanted: Callable[[str], bool], title_end: str = ""
) -> Iterator[SourceBlock]:
    """Yield blocks of the files whose paths are wanted, some together."""
    files = ((path, file.size, file.changed) for path, file in source.files() if is_wanted(path))
    for some in cut_into_batches(files, MAX_FILES, itemgetter(1), BLOCK_BYTES):
        yield SourceBlock(kind, number, files=tuple(some), title_end=title_end)


def _line_blocks(kind: str, number: int, source: SourceFile, is_wanted: Callable[[str], bool]) -> Iterator[SourceBlock]:
    """Yield blocks of the files of lines whose paths are wanted; those that are packed are one each."""
    for path, (_, size, changed, _) in source.files():
        if is_wanted(path):
            step = BLOCK_BYTES if path.lower().endswith(LINES) and not is_read_whole(path) else max(size, 1)
            for start in range(0, max(size, 1), step):
                yield SourceBlock(kind, number, path, start, min(start + step, size), size, changed)


def _xml_blocks(number: int, source: SourceFile) -> Iterator[SourceBlock]:
    for path, (_, size, changed, _) in source.files():
        if _is_tar(path):
            cuts = tar_cuts(find_file(source.folder, path), size, BLOCK_BYTES)
            for start, stop in pairwise([*cuts, size]):
                yield SourceBlock("tar", number, path, start, stop, size, changed)
    is_xml = source.tell_xml()
    yield from _file_blocks(
        "files", number, source, lambda path: not _is_tar(path) and (is_xml(path) or source.names(path))
    )


def _html_blocks(number: int, source: SourceFile) -> Iterator[SourceBlock]:
    for path, (_, size, changed, _) in source.files():
        if path.lower().endswith(ZIM):
            count = open_zim(source.folder / path).all_entry_count
            for start in range(0, count, ENTRIES):
                yield SourceBlock("zim", number, path, start, min(start + ENTRIES, count), size, changed)
    yield from _line_blocks("lines", number, source, lambda path: _has_pages(source, path))
    yield from _page_blocks(number, source)


def _page_blocks(number: int, source: SourceFile) -> Iterator[SourceBlock]:
    title_end = find_title_end(source.folder, (path for path, _ in source.files() if _is_page(path)))
    yield from _file_blocks("html", number, source, _is_page, title_end)


def _record_blocks(number: int, source: SourceFile) -> Iterator[SourceBlock]:
    yield from _line_blocks("records", number, source, lambda path: strip_packing(path).endswith(LINES))


def _text_blocks(number: int, source: SourceFile) -> Iterator[SourceBlock]:
    texts = {path for path, _ in source.list_texts()}
    yield from _file_blocks("texts", number, source, texts.__contains__)
    yield from _page_blocks(number, source)


_BLOCKS = {
    "text": _text_blocks,
    "records": _record_blocks,
    "mediawiki": _dump_blocks,
    "html": _html_blocks,
    "inex": _xml_blocks,
}


def _is_page(path: str) -> bool:
    return path.lower().endswith(PAGES)


def _is_tar(path: str) -> bool:
    return path.lower().endswith(TARS)


def _is_xml(path: str) -> bool:
    return _XML.search(path.lower()) is not None


def _make_error(sources: Sequence[SourceFile]) -> CollectionError:
    counts = count_endings(path for source in sources for path, _ in source.files())
    named = sources[0].folder / sources[0].file.name if sources[0].file else sources[0].folder
    suffixes = sources[0].suffixes
    empty = f"no file ends in {', '.join(suffixes)}" if suffixes else "the folder is empty"
    return CollectionError(
        f"{named}: nothing here is text, a page of HTML, XML, a dump of Wikipedia, a ZIM file or JSON lines, plain or "
        f"in .tar, .zip or .7z ({show_endings(counts) or empty}){_advise(counts)}"
    )


def _advise(endings: Iterable[str]) -> str:
    """Return what to do with files of these endings before a build, after a semicolon; "" for others."""
    if any(ending in _CONVERTED for ending in endings):
        return f"; {_CONVERT}"
    return f"; {_JOIN}" if any(_ZIM_PIECE.fullmatch(ending) for ending in endings) else ""
