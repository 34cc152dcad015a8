"""Article XML: the elements of a kind's records, with the text between their tags and where each element is in it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, BinaryIO

from lxml import etree

from ...errors import check_choice
from ...reading.xml import PlainXml, XmlError, new_parser, plain_xml
from ...wikitext import ParsedArticle, RejectedArticle
from .docnos import checked_docno
from .files import strip_ending
from .raw import RawArticle
from .xml_kinds import OTHER, PROFILES, XmlKind, find_profile, tell_kind
from .xml_spaces import XML, add_spaces, even_spaces, remove_element

MAX_BYTES = 2**26
# Two for each element, and as many attributes: a tree takes some 250 bytes for each.
MAX_TAGS = 1_000_000
MAX_DEPTH = 1_000
# Options for ids that no XPath finds: the file's name, and that with its folders.
FILE_NAMES = ("file", "path")
_TOP = 2**16
_TAG = re.compile("<([^>]*)>")
_REFERENCE = re.compile("&[^;]*;")


def read_document(path: str, stream: BinaryIO) -> Iterator[RawArticle]:
    data = stream.read(MAX_BYTES + 1)
    error = f"{len(data):,} bytes or more; {MAX_BYTES:,} are the limit" if len(data) > MAX_BYTES else ""
    yield RawArticle(path, 0, strip_ending(path.rpartition("/")[2]), data, error)


class ArticleXmlParser:
    """Parses documents; *id_from* and what is *given* come before what the kind of a document says."""

    def __init__(self, id_from: str = "auto", given: Mapping[str, Any] = MappingProxyType({})):
        self.kind: str = given.get("profile", "")
        if self.kind:
            check_choice("profile", self.kind, PROFILES)
        self._id_from = id_from
        self._given = dict(given) | ({} if id_from in ("auto", *FILE_NAMES) else {"id_from": id_from})
        self._profiles: dict[str, XmlKind] = {}
        # Raises ValueError for wrong options.
        find_profile(self.kind or OTHER, self._given)
        self._parser = new_parser()

    def __call__(self, raw: RawArticle) -> Iterator[ParsedArticle]:
        root, plain = self._parse(raw.data)
        own_children = {child.tag for child in root} if len(root) > 1 else set()
        namespace = etree.QName(root).namespace or ""
        has_prefixes = _strip_namespaces(root)
        if root.tag == "html" and not raw.file.lower().endswith(".xhtml"):
            raise RejectedArticle("it is a page of HTML, not article XML")
        kind = self.kind or tell_kind(root, namespace, _read_doctype(raw.data)).name
        profile = self._profiles.setdefault(kind, find_profile(kind, self._given))
        records = _find("record", profile.record, root) if profile.record else [root]
        if not records:
            raise RejectedArticle("no element is a record")
        for number, record in enumerate(records, 1):
            name = raw.name if len(records) == 1 else f"{raw.name}-{number}"
            docno = self._find_id(profile, record, is_one=len(records) == 1)
            title = _find_words("title_from", profile.title_from, record, has_spaces=profile.spaces != "source")
            is_whole = profile.is_plain and record is root and not has_prefixes
            if not profile.has_own_id:
                docno = "_".join(docno.split())
            if not profile.is_plain:
                record = _prepare(record, profile)
            if self._id_from == "path":
                name = PurePosixPath(raw.file).with_name(name).as_posix()
            article = scan_tags(record, plain.data) if is_whole else read_elements(record, profile.attributes)
            _check_depth(article)
            article.docno = checked_docno(docno or name)
            article.title = title or ("" if kind in ("inex", OTHER) else name)
            article.kind = kind if number == 1 else ""
            if number == 1:
                article.left_out.update({("entity", name): count for name, count in plain.dropped.items()})
            if kind == OTHER and len(own_children) == 1 and "record" not in self._given:
                article.repeated = etree.QName(root[0]).localname
            yield article

    def _find_id(self, profile: XmlKind, record: etree._Element, is_one: bool) -> str:
        is_named_by_file = is_one and self._id_from == "auto" and not (self.kind or profile.has_own_id)
        if self._id_from in FILE_NAMES or is_named_by_file:
            return ""
        docno = _find_words("id_from", profile.id_from, record)
        if not docno and self._id_from != "auto":
            raise RejectedArticle(f"it has no id at {self._id_from!r}")
        return docno

    def _parse(self, data: bytes) -> tuple[etree._Element, PlainXml]:
        for name, characters in self._given.get("entities", {}).items():
            written = "".join(f"&#{ord(character)};" for character in characters)
            data = data.replace(f"&{name};".encode(), written.encode())
        try:
            plain = plain_xml(data, drop_unknown=True)
        except XmlError as error:
            advice = ""
            if "entity" in str(error) and error.text:
                advice = f"; or give what it stands for: --entity {error.text[1:-1]}=TEXT, entities= in Python"
            raise RejectedArticle(f"{error.with_text()}{advice}") from error
        data = plain.data
        if len(data) > MAX_TAGS and max(data.count(b"<"), data.count(b"=")) > MAX_TAGS:
            raise RejectedArticle(f"over {MAX_TAGS:,} tags or attributes")
        try:
            return etree.fromstring(data, self._parser), plain
        except etree.XMLSyntaxError as error:
            raise RejectedArticle(f"not well-formed XML: {error.msg}") from error


def _check_depth(article: ParsedArticle) -> None:
    """Raise RejectedArticle for an article that is nested too deep: not every libxml2 has a bound of its own."""
    if len(article.parent) <= MAX_DEPTH:
        return
    depth: list[int] = []
    for parent in article.parent:
        depth.append(depth[parent] + 1 if parent >= 0 else 1)
    if max(depth) > MAX_DEPTH:
        raise RejectedArticle(f"nested over {MAX_DEPTH:,} levels")


def read_elements(record: etree._Element, attributes: tuple[str, ...] = ()) -> ParsedArticle:
    """Return an article of an element: its text, and the tags, parents and places of all elements within."""
    article = ParsedArticle("", "", "")
    tag, parent, start, end = article.tag, article.parent, article.start, article.end
    texts: list[str] = []
    at = 0
    row = -1
    for event, element in etree.iterwalk(record, events=("start", "end")):
        if event == "start":
            tag.append(_write_tag(element, attributes) if attributes else element.tag)
            parent.append(row)
            row = len(parent) - 1
            start.append(at)
            end.append(at)
            text = element.text
        else:
            end[row] = at
            row = parent[row]
            text = element.tail if row >= 0 else None
        if text:
            texts.append(text)
            at += len(text)
    article.text = "".join(texts)
    return article


def scan_tags(root: etree._Element, data: bytes) -> ParsedArticle:
    """Return what `read_elements` returns, from the tags in the bytes of a document: several times as fast."""
    article = ParsedArticle("", "", etree.tostring(root, method="text", encoding="unicode"))
    tag, parent, start, end = article.tag, article.parent, article.start, article.end
    at = 0
    row = -1
    pieces = _TAG.split(_isolate_tags(data, root))
    for text, name in zip(pieces[::2], pieces[1::2], strict=False):
        at += len(text)
        if name[0] == "/":
            end[row] = at
            row = parent[row]
        else:
            tag.append(name.rstrip("/").split(None, 1)[0])
            parent.append(row)
            start.append(at)
            end.append(at)
            if name[-1] != "/":
                row = len(parent) - 1
    return article


def _isolate_tags(data: bytes, root: etree._Element) -> str:
    """Return a document with `<` and `>` in tags only, and a letter for each reference."""
    body = data[: data.rfind(b">") + 1]
    if b"\r" in body or b"<!" in body or b"<?" in body or body.count(b"<") != body.count(b">"):
        body = etree.tostring(root, encoding="utf-8", with_tail=False)
    return _REFERENCE.sub("x", body.decode()) if b"&" in body else body.decode()


def _write_tag(element: etree._Element, attributes: tuple[str, ...]) -> str:
    kept = {
        name: value
        for name in sorted(attributes)
        if (value := element.get(name.replace("xml:", f"{{{XML}}}"))) is not None
    }
    return f"{element.tag} {json.dumps(kept, ensure_ascii=False)}" if kept else element.tag


def _prepare(record: etree._Element, profile: XmlKind) -> etree._Element:
    """Return an article as a tree of its own, without dropped elements, and with the spaces of the profile."""
    record = copy.deepcopy(record)
    record.tail = None
    if profile.drop:
        # The stubs allow for results that are not lists of elements.
        dropped: Any = record.xpath(" | ".join(f".//{path}" for path in profile.drop))
        for element in dropped:
            remove_element(element)
    if profile.spaces != "source":
        add_spaces(record)
    if profile.spaces == "even":
        even_spaces(record)
    return record


def _read_doctype(data: bytes) -> str:
    begin = data.find(b"<!DOCTYPE", 0, _TOP)
    return "" if begin < 0 else re.split(rb"[\[>]", data[begin : begin + 1000])[0].decode("utf-8", "replace")


def _strip_namespaces(root: etree._Element) -> bool:
    """Take namespaces off the names of elements; tells whether there were any."""
    has_any = bool(root.xpath("boolean(descendant-or-self::*[namespace-uri()])"))
    for element in root.iter("{*}*") if has_any else ():
        element.tag = etree.QName(element).localname
    return has_any


def _read_words(element: etree._Element, has_spaces: bool) -> str:
    if has_spaces:
        element = copy.deepcopy(element)
        element.tail = None
        add_spaces(element)
    return "".join(map(str, element.itertext()))


def _find(option: str, path: str, element: etree._Element) -> list[Any]:
    try:
        found = element.xpath(path)
    except etree.XPathEvalError as error:
        raise RejectedArticle(f"{option}={path!r} cannot be looked up: {error}") from error
    return found if isinstance(found, list) else [found]


def _find_words(option: str, paths: tuple[str, ...], element: etree._Element, has_spaces: bool = False) -> str:
    for path in paths:
        for found in _find(option, path, element)[:1]:
            words = _read_words(found, has_spaces) if isinstance(found, etree._Element) else str(found)
            if words.split():
                return " ".join(words.split())
    return ""
