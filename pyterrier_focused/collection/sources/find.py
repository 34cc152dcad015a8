"""Where articles come from: the formats of sources, and which of them a source has."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from lxml import etree

from ...errors import CollectionError
from ...frames.articles import CorpusArticle
from ...reading.files import count_endings, show_endings, warn_of_left_out
from ...reading.json import JsonObject
from ...reading.names import SUFFIXES, is_page, name_file
from ...wikitext import ParsedArticle, RejectedArticle
from ..batches import cut_into_batches
from .dump import WikiSite, read_pages, read_site
from .files import BROKEN, PAGES, XML_ENDINGS, is_xml_name, list_files, read_files, strip_packing
from .html_pages import HtmlPageParser, find_title_end
from .mediawiki import PageReader
from .raw import RawArticle, Redirect, Rejection
from .records import parse_record, read_lines
from .text_files import BOM, parse_text, read_file
from .xml_article import ArticleXmlParser, read_document

# The options of a build that asks for nothing else.
AS_READ: dict[str, Any] = {"id_from": "auto", "namespaces": (0,), "language": "", "docno": "id", "text": {}}
# Bytes of source that are parsed at a time.
GROUP_BYTES = 2**21
# The number of files that are looked at to tell a format.
_MOST_TOLD = 1_000
_HEAD = 2**16

Parser = Callable[[RawArticle], Iterator[ParsedArticle | Redirect]]


class Format(NamedTuple):
    """A format of sources: how a file is cut into articles, and how these are parsed."""

    read: Callable[[str, BinaryIO], Iterator[RawArticle]]
    make_parser: Callable[[JsonObject, WikiSite], Parser]


def _make_page_parser(options: JsonObject, site: WikiSite) -> Parser:
    return PageReader(site, options["namespaces"], options["language"], options["text"], options["docno"])


def _make_html_parser(options: JsonObject, *_: object) -> Parser:
    text = options.get("text", {})
    return HtmlPageParser(
        text.get("drop", ()), text.get("infobox", False), options.get("docno", "id"), options.get("title_end", "")
    )


def _make_text_parser(options: JsonObject, *_: object) -> Parser:
    parse_page = _make_html_parser(options)
    return lambda raw: parse_page(raw) if raw.file.lower().endswith(PAGES) else parse_text(raw)


def _read_html(path: str, stream: BinaryIO) -> Iterator[RawArticle]:
    return (read_lines if _is_lines(path) else read_file)(path, stream)


_LINES = (".jsonl", ".ndjson")
# Text that is no article.
_NO_TEXT = (".csv", ".tsv")
# Source code that is, or begins as, XML.
_CODE = tuple(
    """.php .phtml .jsp .jspx .asp .aspx .cshtml .vue .svelte .jsx .tsx .xsl .xslt .xsd .wsdl .xaml .csproj .vbproj
    .fsproj .vcxproj .props .targets .plist .ui .fxml""".split()
)
# Roots of templates of HTML.
_TEMPLATES = frozenset("a article body div doc form head main p script section span style table template ul".split())
_ROOT = re.compile(
    rb"""
    (?: \s+ | <!--.*?-->
      | (?P<declared> <\?.*?\?> | <!DOCTYPE (?: [^\[>"'] | "[^"]*" | '[^']*' )* (?: \[.*?\]\s* )? > )
    )*
    < (?: [\w.-]+ : )? (?P<name> [\w.-]+ ) (?P<attributes> (?: \s [^<>]* )? ) >
    """,
    re.VERBOSE | re.DOTALL,
)
# Companions of pages: pictures, styles, scripts, fonts, and the folders of saved pages.
_ATTACHED = re.compile(
    r"""
    \. (?: png | jpe?g | gif | svg | webp | bmp | ico | tiff? | css | js | mjs | map | ttf | otf | woff2? | eot )$
    | _files/
    """,
    re.VERBOSE,
)
# Formats of office programs, and the way to text.
_CONVERTED = (".pdf", ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods")
_CONVERT = "convert PDF, DOCX and OpenDocument to text or HTML first, as pdftotext and pandoc do"
_FORMATS = {
    "mediawiki": Format(read_pages, _make_page_parser),
    "inex": Format(read_document, lambda options, *_: ArticleXmlParser(options["id_from"], options.get("xml", {}))),
    "text": Format(read_file, _make_text_parser),
    "html": Format(_read_html, _make_html_parser),
    "records": Format(read_lines, lambda *_: parse_record),
}
FORMATS = tuple(_FORMATS)


class RawBatch(NamedTuple):
    """Articles of one wiki, not yet parsed."""

    site: WikiSite
    raws: list[RawArticle]


def find_sources(named: str | Path | Sequence[str | Path]) -> list[str]:
    """Return the sources that a user names: a path or URL, or a list. Raises CollectionError for what is not there."""
    given = named if isinstance(named, Sequence) and not isinstance(named, str) else [named]
    if not given:
        raise CollectionError("no source is named; give the path of a dump, a folder or an archive")
    for source in given:
        list_files(str(source))
    return [str(source) for source in given]


def detect(
    sources: Sequence[str], is_article_xml: bool = False, *, endings: tuple[str, ...] = (), is_lenient: bool = False
) -> str:
    """Tell the format of sources: that of most of their first files.

    Args:
        is_article_xml: No XML is a dump.
        endings: Those of the files that count, of which any text is one; all files without them.
        is_lenient: Whether most files may be left out.

    Raises:
        CollectionError: For sources of which nothing, or less than half, can be read, and for dumps beside other XML.
    """
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    left_out: list[str] = []
    has_named_text = False
    for source in sources:
        has_pages = _has_pages(source)
        try:
            for file in islice(read_files(source), _MOST_TOLD):
                head = file.stream.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]
                if endings and not file.path.lower().endswith(endings):
                    continue
                format = tell_format(file.path, head, is_article_xml, file.is_named or bool(endings))
                if has_pages and format in ("text", "") and _ATTACHED.search(file.path.lower()):
                    continue
                counts[format] += 1
                first.setdefault(format, f"{source}/{file.path}")
                has_named_text |= format == "text" and strip_packing(file.path).lower().endswith(SUFFIXES)
                left_out += [file.path] if not format else []
        except BROKEN as error:
            # What comes before the damage may be enough; the build says what is lost.
            if not counts:
                raise CollectionError(f"{source}: it cannot be read: {error}; get it again") from error
    lost = count_endings(left_out)
    advice = f"; {_CONVERT}" if any(ending in _CONVERTED for ending in lost) else ""
    del counts[""]
    if not counts:
        raise CollectionError(
            f"{sources[0]}: nothing here is XML, a dump of Wikipedia, text, a page of HTML or JSON lines "
            f"({show_endings(lost) or _describe_empty(endings)}){advice}"
        )
    found = _choose_format(counts, first, has_named_text)
    if lost.total() > counts.total() and not is_lenient:
        raise CollectionError(
            f"{sources[0]}: most files would be left out ({show_endings(lost)}); format={found!r} (--from {found}) "
            f"leaves them out{advice}"
        )
    return found


def _describe_empty(endings: tuple[str, ...]) -> str:
    return f"no file ends in {', '.join(endings)}" if endings else "the folder is empty"


def _choose_format(counts: Counter[str], first: dict[str, str], has_named_text: bool) -> str:
    documents = counts["mediawiki"] + counts["inex"]
    if documents and documents >= max(counts["html"], counts["text"]):
        if counts["mediawiki"] and counts["inex"]:
            raise CollectionError(
                f"{first['mediawiki']} is a dump of MediaWiki and {first['inex']} is not; build a collection of each, "
                "or choose what is read with format='mediawiki' or 'inex' (--from)"
            )
        return "mediawiki" if counts["mediawiki"] else "inex"
    if counts["text"] and (counts["text"] > counts["html"] or has_named_text):
        return "text"
    order = ("html", "records", "picture")
    found = next(format for format in order if counts[format])
    return "inex" if found == "picture" else found


def tell_format(path: str, head: bytes, is_article_xml: bool = False, is_named: bool = False) -> str:
    """Tell the format of a file by its name and first bytes.

    Args:
        is_named: The user gave its path or ending, so that any XML or text is read.

    Returns:
        A format, 'picture' for an .svg, which is read as XML if nothing else is, or "" for what cannot be read.
    """
    bare = strip_packing(path).lower()
    text = head.removeprefix(BOM).lstrip()
    if bare.endswith(PAGES):
        return "inex" if is_article_xml and bare.endswith(".xhtml") else "html"
    if _is_lines(path):
        return "html" if is_page(head) else "records"
    if bare.endswith(SUFFIXES):
        return "text"
    if is_xml_name(bare) or _begins_as_xml(bare, text) or (is_named and text.startswith(b"<")):
        if bare.endswith(".svg"):
            return "picture"
        return "mediawiki" if not is_article_xml and _is_dump(text[:4096]) else "inex"
    has_no_text = bare.endswith(_CONVERTED) or (bare.endswith(_NO_TEXT) and not is_named)
    if b"\0" in head or has_no_text or not _is_utf8(head):
        return ""
    return "text"


def _is_dump(head: bytes) -> bool:
    """Tell whether XML is a dump of MediaWiki, or a piece of one, which begins with a page."""
    if b"<mediawiki" in head:
        return re.search(rb"<mediawiki[\s>]", head) is not None
    return b"<revision" in head and re.match(rb"<page>\s*<title>", head) is not None


def _begins_as_xml(path: str, head: bytes) -> bool:
    """Tell whether a file begins as XML; a tag without a declaration or a namespace may be one of HTML or of code."""
    root = _ROOT.match(head) if head.startswith(b"<") and not path.endswith(_CODE) else None
    if root is None or root["name"].lower() == b"html":
        return False
    if path.endswith(XML_ENDINGS) or root["declared"] or b"xmlns" in root["attributes"]:
        return True
    if root["name"].lower().decode("utf-8", "replace") in _TEMPLATES:
        return False
    try:
        etree.XMLPullParser(["end"], resolve_entities=False, no_network=True).feed(head)
    except etree.XMLSyntaxError:
        return False
    return True


def _is_document(path: str) -> bool:
    bare = strip_packing(path).lower()
    return is_xml_name(bare) or bare.endswith(tuple(ending for ending in XML_ENDINGS if ending != ".svg"))


def _has_pages(source: str) -> bool:
    return any(file.path.lower().endswith(PAGES) for file in list_files(source))


def find_common_title_end(sources: Sequence[str]) -> str:
    """Return what all titles of saved pages end in, the name of their site; "" if nothing."""
    return find_title_end(head for source in sources for head in _read_heads_of_pages(source))


def _read_heads_of_pages(source: str) -> Iterator[bytes]:
    # The build says what is broken.
    with suppress(*BROKEN):
        for file in read_files(source):
            if file.path.lower().endswith(PAGES):
                yield file.stream.peek(_HEAD)  # type: ignore[attr-defined]


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _is_lines(path: str) -> bool:
    return strip_packing(path).lower().endswith((*_LINES, ".json"))


def read(sources: Sequence[str], format: str, endings: tuple[str, ...] = ()) -> Iterator[RawBatch]:
    """Yield the articles of sources in batches; what is broken is an article with an error.

    endings: Those of the files that are read; all files of the format without them.
    """
    for source in sources:
        unread: list[str] = []
        has_any = False
        for batch in _read_batches(source, format, unread, endings):
            has_any = True
            yield batch
        if unread and not has_any:
            shown = show_endings(count_endings(unread))
            raise CollectionError(f"{source}: nothing here is of format {format!r} ({shown or 'the folder is empty'})")
        warn_of_left_out(source, count_endings(unread), f"of format {format!r}")


def _read_batches(source: str, format: str, unread: list[str], endings: tuple[str, ...]) -> Iterator[RawBatch]:
    raws = _read_articles(source, format, unread, endings)
    # Batches of one wiki each; small files share one.
    for site, articles in groupby(raws, key=itemgetter(0)):
        of_wiki = (raw for _, raw in articles)
        for batch in cut_into_batches(of_wiki, size_of=lambda raw: len(raw.data) + 100, most_size=GROUP_BYTES):
            yield RawBatch(site, batch)


def _read_articles(
    source: str, format: str, unread: list[str], endings: tuple[str, ...]
) -> Iterator[tuple[WikiSite, RawArticle]]:
    site = WikiSite()
    path = source
    taken = {format}
    if format == "text":
        taken.add("html")
    elif format == "inex" and not any(_is_document(file.path) for file in list_files(source)):
        taken.add("picture")
    is_companion = _ATTACHED.search if format == "text" and _has_pages(source) else lambda path: None
    try:
        for path, stream, is_named in read_files(source):
            head = stream.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]
            if endings and not path.lower().endswith(endings):
                continue
            is_named |= bool(endings)
            if not is_named and (tell_format(path, head, format == "inex") not in taken or is_companion(path.lower())):
                unread.append(path)
                continue
            site = read_site(head) if format == "mediawiki" else site
            for raw in _FORMATS[format].read(path, stream):
                yield site, raw
    except BROKEN as error:
        reason = f"nothing from here on is read: broken compressed data, or a broken archive: {error}"
        yield site, RawArticle(path, 0, error=reason, is_cut=True)


def make_parser(format: str, options: JsonObject, site: WikiSite) -> Parser:
    return _FORMATS[format].make_parser(options, site)


def parse_raws(
    parser: Parser, raws: Sequence[RawArticle], rejected: list[Rejection]
) -> Iterator[tuple[RawArticle, ParsedArticle | Redirect]]:
    """Yield what articles are; *rejected* takes those that cannot be read."""
    for raw in raws:
        try:
            if raw.error:
                raise RejectedArticle(raw.error)
            for article in parser(raw):
                _require_whole_characters(article)
                yield raw, article
        except RejectedArticle as error:
            rejected.append(raw.reject(error))


def _require_whole_characters(article: ParsedArticle | Redirect) -> None:
    """Raise RejectedArticle for half of a surrogate pair, which JSON can name, and which UTF-8 cannot hold."""
    words = (article.title, article.text) if isinstance(article, ParsedArticle) else article
    for name, word in zip(("title", "text"), words, strict=True):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            half = f"U+{ord(error.object[error.start]):04X}"
            raise RejectedArticle(f"its {name} holds half of a character, {half} at {error.start}") from None


def read_articles(
    sources: Sequence[str], format: str, rejected: list[Rejection], endings: tuple[str, ...] = ()
) -> Iterator[CorpusArticle]:
    """Yield the articles of sources as a collection has them."""
    for site, raws in read(sources, format, endings):
        for raw, article in parse_raws(make_parser(format, AS_READ, site), raws, rejected):
            if isinstance(article, ParsedArticle):
                has_mark = raw.data.startswith(BOM)
                names = name_file(raw.file)
                yield CorpusArticle(article.docno, article.text, names, has_mark=has_mark, title=article.title)
