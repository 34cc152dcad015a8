"""Any well-formed article XML to text and elements: INEX 2006 and 2009 Wikipedia, and others; no tag set is assumed.

The text is all text nodes in document order, white space kept, entities resolved; offsets count its characters. lxml
parses each article, so that what is not well-formed is refused; then the tags of many articles are found at once in
their bytes, where `<` and `>` stand for nothing but tags, and counted in numpy columns.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...errors import check_choice
from ...reading.xml import XmlError, new_parser, plain_xml
from ...wikitext import RejectedArticle
from .raw import ArticleColumns, Ints, RawArticle, Rejection, TagNumbers, ordinals
from .xml_kinds import INEX, OTHER, PROFILES, TITLE_FROM, XHTML, find_profile, tell_kind
from .xml_profile import FILE_NAMES, ProfiledXml, resolve_entities

MAX_BYTES = 2**26
# Two for each element, and as many attributes: a tree takes some 250 bytes for each.
MAX_TAGS = 1_000_000
MAX_DEPTH = 1000
# Beyond so many references such as &#233;, lxml writes them as characters with less memory.
MANY_REFERENCES = 100_000

_REFERENCE = re.compile(rb"&[^;]*;")
_TAG = re.compile(rb"<([^/\s>]+)")
_TOO_DEEP = f"elements nested over {MAX_DEPTH} deep"
_PASSAGE = re.compile(r"#\d+-\d+$")


class _FoundArticle(NamedTuple):
    """An article of a document: its text, and its bytes with `<` and `>` in tags only."""

    docno: str
    title: str
    text: bytes
    body: bytes
    attributes: Mapping[int, Mapping[str, str]] = MappingProxyType({})


class _FoundDocument(NamedTuple):
    """The content of a file: its kind, its articles, and, if the root is unknown, the one tag of its children."""

    kind: str
    articles: list[_FoundArticle]
    repeated: str = ""


class ArticleXmlReader:
    """Reads article XML, many articles at a time.

    *id_from* is as of `BuildOptions`, relative to the document. The kind of each file says more; what is *given* of
    a profile comes before it, and its "profile" names one kind for all files.
    """

    def __init__(self, id_from: str = "auto", given: Mapping[str, Any] = MappingProxyType({})):
        self._ids: list[etree.XPath] = []
        if id_from == "auto":
            self._ids = [_compile_xpath("(//header/id)[1]"), _compile_xpath("/*/name/@id")]
        elif id_from not in FILE_NAMES:
            try:
                self._ids = [_compile_xpath(id_from if id_from[:1] in ("/", "(") else f"//{id_from}")]
            except etree.XPathSyntaxError as error:
                raise ValueError(
                    f"id_from={id_from!r} is not a valid XPath ({error}); give 'auto', 'file', 'path' or an XPath"
                ) from error
        self._id_from = id_from
        self._kind: str = given.get("profile", "")
        if self._kind:
            check_choice("profile", self._kind, PROFILES)
        self._given = {name: value for name, value in given.items() if name != "profile"}
        self._profiled: dict[str, ProfiledXml] = {}
        # Raises ValueError for what is no profile.
        self._read_as(self._kind or OTHER)
        self._titles = [
            _compile_xpath("(//header/title)[1]"),
            _compile_xpath("/*/name"),
            _compile_xpath("(//title)[1]"),
        ]
        self._parser = new_parser()

    def read(self, raws: Sequence[RawArticle], codes: TagNumbers) -> tuple[ArticleColumns, list[Rejection]]:
        taken: list[tuple[int, _FoundArticle]] = []
        kinds: Counter[str] = Counter()
        repeated: Counter[str] = Counter()
        rejected: list[tuple[int, Rejection]] = []
        for number, raw in enumerate(raws):
            try:
                if raw.error:
                    raise RejectedArticle(raw.error)
                if self._id_from == "path":
                    raw.name = PurePosixPath(raw.file).with_name(raw.name).as_posix()
                found = self._read_document(raw)
            except RejectedArticle as error:
                rejected.append((number, raw.reject(error)))
                continue
            # A record after the first is of a file that has been counted.
            kinds[found.kind] += raw.record <= 1
            if found.repeated:
                repeated[found.repeated] += 1
            taken += [(number, article) for article in found.articles]
        columns, depth = _scan_tags([article.body for _, article in taken], codes)
        if depth.max(initial=0) > MAX_DEPTH:
            deep = {taken[row][0] for row in np.flatnonzero(depth > MAX_DEPTH).tolist()}
            rejected += [(number, raws[number].reject(_TOO_DEEP)) for number in deep]
            taken = [(number, article) for number, article in taken if number not in deep]
            columns, _ = _scan_tags([article.body for _, article in taken], codes)
        _number_attributes(columns.elements, columns.tag, [article.attributes for _, article in taken], codes)
        rejected.sort()
        made = ArticleColumns(
            [number for number, _ in taken],
            [article.docno for _, article in taken],
            [article.title for _, article in taken],
            [article.text for _, article in taken],
            [len(article.text if article.text.isascii() else article.text.decode()) for _, article in taken],
            *columns,
            kinds=+kinds,
            repeated=repeated,
        )
        return made, [entry for _, entry in rejected]

    def _read_document(self, raw: RawArticle) -> _FoundDocument:
        root, data = self._parse_article(resolve_entities(raw.data, self._given.get("entities", {})))
        if etree.QName(root).localname == "html" and not (root.tag == XHTML and raw.file.lower().endswith(".xhtml")):
            raise RejectedArticle("it is a page of HTML, not article XML")
        # INEX's articles are told by the id that they are asked for anyway: the other tests take longer.
        own_id = self._find_own_id(root) if root.tag == "article" and self._id_from == "auto" else ""
        kind = self._kind or (INEX if own_id else tell_kind(root, raw.data))
        if kind == INEX and not self._given:
            docno = checked_docno(own_id) if own_id else self._read_id(root, raw)
            article = _FoundArticle(docno, self._read_title(root), _write_text(root), _isolate_tags(data, root))
            return _FoundDocument(kind, [article])
        reading = self._read_as(kind)
        records = reading.find_records(root)
        if not records:
            raise RejectedArticle("no element is a record")
        is_one = len(records) == 1 and not raw.record
        articles: list[_FoundArticle] = []
        for number, record in enumerate(records, 1):
            name = raw.name if len(records) == 1 else f"{raw.name}-{number}"
            docno = self._name_record(record, kind, is_one, raw) or name
            prepared = reading.prepare(record)
            body = _isolate_tags(etree.tostring(prepared, encoding="utf-8"), prepared)
            title = self._read_title(record) if kind == INEX else reading.find_title(record)
            named = checked_docno("_".join(docno.split())), title or ("" if kind in (INEX, OTHER) else name)
            articles.append(_FoundArticle(*named, _write_text(prepared), body, reading.read_attributes(prepared)))
        tags = {child.tag for child in root} if kind == OTHER and len(root) > 1 and "record" not in self._given else ()
        return _FoundDocument(kind, articles, etree.QName(root[0]).localname if len(tags) == 1 else "")

    def _read_as(self, kind: str) -> ProfiledXml:
        """Return the reader of documents of a kind. Raises ValueError for wrong options."""
        if kind not in self._profiled:
            own = {} if self._id_from == "auto" else {"id_from": (self._id_from,)}
            profile = find_profile(kind, {**self._given, **own})
            self._profiled[kind] = ProfiledXml(replace(profile, title_from=(*profile.title_from, *TITLE_FROM)))
        return self._profiled[kind]

    def _name_record(self, record: etree._Element, kind: str, is_one: bool, raw: RawArticle) -> str:
        """Return the id of an article, "" if its file names it, as it does by default for its only article."""
        if kind == OTHER and not self._given:
            return self._read_id(record, raw)
        if is_one and not self._kind and self._id_from == "auto":
            return ""
        docno = self._read_as(kind).find_id(record)
        if not docno and not (self._given or self._kind or self._id_from in ("auto", *FILE_NAMES)):
            raise RejectedArticle(f"it has no id at {self._id_from!r}")
        return docno

    def _parse_article(self, data: bytes) -> tuple[etree._Element, bytes]:
        if len(data) > MAX_BYTES:
            raise RejectedArticle(f"{len(data):,} bytes or more; {MAX_BYTES:,} are the limit")
        try:
            data = plain_xml(data, keep_unknown=True).data
        except XmlError as error:
            advice = ""
            if "entity" in str(error) and error.text:
                advice = f"; or give what it stands for: --entity {error.text[1:-1]}=TEXT, entities= in Python"
            raise RejectedArticle(f"{error.with_text()}{advice}") from error
        if len(data) > MAX_TAGS and max(data.count(b"<"), data.count(b"=")) > MAX_TAGS:
            raise RejectedArticle(f"over {MAX_TAGS:,} tags or attributes")
        try:
            return etree.fromstring(data, self._parser), data
        except etree.XMLSyntaxError as error:
            deep = str(error.msg).startswith("Excessive depth")
            raise RejectedArticle(_TOO_DEEP if deep else f"not well-formed XML: {error.msg}") from error

    def _read_id(self, root: etree._Element, raw: RawArticle) -> str:
        docno = self._find_own_id(root)
        if not docno and self._id_from not in ("auto", *FILE_NAMES):
            raise RejectedArticle(f"it has no id at {self._id_from!r}")
        return checked_docno(docno or raw.name)

    def _find_own_id(self, root: etree._Element) -> str:
        try:
            return next(filter(None, (str(xpath(root)).strip() for xpath in self._ids)), "")
        except etree.XPathEvalError as error:
            raise RejectedArticle(f"its id is not found at {self._id_from!r}: {error}") from error

    def _read_title(self, root: etree._Element) -> str:
        return " ".join(next(filter(None, (str(xpath(root)).split() for xpath in self._titles)), []))


def is_well_formed(data: bytes) -> bool:
    try:
        etree.fromstring(plain_xml(data, keep_unknown=True).data, new_parser())
    except (XmlError, etree.XMLSyntaxError):
        return False
    return True


def checked_docno(docno: str) -> str:
    """Return a docno that can be one; RejectedArticle says why it cannot."""
    if not docno:
        raise RejectedArticle("it has no id")
    if docno.split() != [docno]:
        raise RejectedArticle(f"its id {docno[:80]!r} holds white space")
    # The name of a file may hold bytes that are not UTF-8.
    if any("\ud800" <= character <= "\udfff" for character in docno):
        raise RejectedArticle(f"its id {docno[:80]!r} is not in UTF-8")
    if _PASSAGE.search(docno):
        raise RejectedArticle(f"its id {docno[:80]!r} reads as the id of a passage")
    return docno


def _compile_xpath(path: str) -> etree.XPath:
    return etree.XPath(f"string({path})")


def _write_text(root: etree._Element) -> bytes:
    return etree.tostring(root, method="text", encoding="utf-8")


def _isolate_tags(data: bytes, root: etree._Element) -> bytes:
    body = data[: data.rfind(b">") + 1]
    if b"\r" in body or _has_sections(body) or body.count(b"<") != body.count(b">"):
        body = etree.tostring(root, encoding="utf-8", with_tail=False)
    if b"&" in body:
        # There may be millions of these.
        for reference in (b"&lt;", b"&gt;", b"&amp;"):
            body = body.replace(reference, b"x")
        body = _REFERENCE.sub(b"x", body)
    return body


def _has_sections(body: bytes) -> bool:
    """Tell whether there are comments, CDATA or instructions (one byte rules out most), or very many references."""
    return (
        (b"!" in body and (b"<!--" in body or b"<![CDATA[" in body))
        or (b"?" in body and b"<?" in body)
        or (b"&" in body and body.count(b"&#") > MANY_REFERENCES)
    )


def _number_attributes(
    sizes: Ints, tag: Ints, attributes: Sequence[Mapping[int, Mapping[str, str]]], codes: TagNumbers
) -> None:
    """Give elements with attributes a number of their own for their tag and these: of `div {"type": "act"}`."""
    tags = list(codes) if any(attributes) else []
    for first, own in zip((np.cumsum(sizes) - sizes).tolist(), attributes, strict=True):
        for row, values in own.items():
            written = json.dumps(values, ensure_ascii=False, sort_keys=True)
            tag[first + row] = codes[tags[tag[first + row]] + f" {written}".encode()]


class _ElementColumns(NamedTuple):
    elements: Ints
    tag: Ints
    parent: Ints
    ordinal: NDArray[np.int32]
    start: Ints
    end: Ints


def _scan_tags(bodies: Sequence[bytes], codes: TagNumbers) -> tuple[_ElementColumns, Ints]:
    joined = b"".join(bodies)
    # a byte a character, so that places are characters; letters beyond ASCII may be any
    data = np.frombuffer(joined if joined.isascii() else joined.decode().encode("ascii", "replace"), dtype=np.uint8)
    opening = np.flatnonzero(data == ord("<"))
    closing = np.flatnonzero(data == ord(">"))
    # These are </p>, and <p/>.
    ends = data[opening + 1] == ord("/")
    empty = data[closing - 1] == ord("/")
    position = np.zeros(len(opening), dtype=np.int64)
    np.cumsum(opening[1:] - closing[:-1] - 1, out=position[1:])
    starts = ~ends
    step = np.where(ends, -1, np.where(empty, 0, 1))
    # The number of open elements after the tag.
    after = np.cumsum(step)
    # Small numbers sort faster.
    narrow = np.int16 if after.max(initial=0) < 2**15 else np.int64
    depth = (after - step)[starts].astype(narrow)
    # Sorted by depth, then by order, start tags are in the order of their end tags.
    row_of_start = np.argsort(depth, kind="stable")
    row_of_end = np.argsort(after[ends | empty].astype(narrow), kind="stable")
    count = len(depth)
    end = np.empty(count, dtype=np.int64)
    end[row_of_start] = position[ends | empty][row_of_end]
    # the parent of an element is the last start tag before it that is one level up
    key = depth.astype(np.int64) * (count + 1) + np.arange(count)
    parent = row_of_start[np.maximum(np.searchsorted(key[row_of_start], key - (count + 1)) - 1, 0)]
    root = depth == 0
    parent[root] = -1
    tag = np.fromiter(map(codes.__getitem__, _TAG.findall(joined)), dtype=np.int64, count=count)
    ordinal = ordinals(tag, parent, len(codes))
    ordinal[root] = 1
    first = np.flatnonzero(root)
    sizes = np.diff(np.append(first, count))
    parent[~root] -= np.repeat(first, sizes)[~root]
    start = position[starts]
    zero = np.repeat(start[first], sizes)
    deepest = np.maximum.reduceat(depth, first).astype(np.int64) + 1 if len(first) else np.zeros(0, dtype=np.int64)
    return _ElementColumns(sizes, tag, parent, ordinal, start - zero, end - zero), deepest
