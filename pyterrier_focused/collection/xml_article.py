"""Any well-formed article XML to text and elements: INEX 2006 and 2009 Wikipedia, and others; no tag set is assumed.

The text is all text nodes in document order, white space kept, entities resolved; offsets count its characters. lxml
parses each article, so that what is not well-formed is refused; then the tags of many articles are found at once in
their bytes, where `<` and `>` stand for nothing but tags, and counted in numpy columns.
"""

from __future__ import annotations

import html.entities
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from .article import Articles, Codes, Ints, Raw, Rejected, RejectedArticle, ordinals

MAX_BYTES = 2**26
MAX_TAGS = 4_000_000  # two an element
MAX_DEPTH = 1000

PARSER_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "recover": False,
    "collect_ids": False,  # two elements of one xml:id are no fault
    "remove_comments": True,
    "remove_pis": True,
    "huge_tree": True,  # text nodes over 10 MB; depth and number of nodes have limits of their own
    "encoding": "utf-8",  # whatever the XML declaration says: the bytes have been decoded by then
}

_ENCODING = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_PROLOG = re.compile(rb"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?:[^\[\]<>\"']|\"[^\"]*\"|'[^']*')*>)*", re.DOTALL)
_ENTITY = re.compile(rb"&(?!#|amp;|lt;|gt;|quot;|apos;)([^;]*);")
_TAG = re.compile(rb"<([^/\s>]+)")
_PASSAGE = re.compile(r"#\d+-\d+$")


class ArticleXml:
    """Reads article XML, many articles at a time.

    *id_from*: 'auto' takes the id from `header/id`, then from `name/@id` (INEX 2006), then from the file's name; 'file'
    from the file's name; anything else is an XPath, such as 'header/id' (anywhere) or '/article/@id'.
    """

    def __init__(self, id_from: str = "auto"):
        self._ids: list[etree.XPath] = []
        if id_from == "auto":
            self._ids = [_xpath("(//header/id)[1]"), _xpath("/*/name/@id")]
        elif id_from != "file":
            try:
                self._ids = [_xpath(id_from if id_from[:1] in ("/", "(") else f"//{id_from}")]
            except etree.XPathSyntaxError as error:
                raise ValueError(
                    f"id_from={id_from!r} is no XPath ({error}); give 'auto', 'file' or an XPath"
                ) from error
        self._id_from = id_from
        self._titles = [_xpath("(//header/title)[1]"), _xpath("/*/name"), _xpath("(//title)[1]")]
        self._parser = etree.XMLParser(**PARSER_OPTIONS)

    def read(self, raws: Sequence[Raw], codes: Codes) -> tuple[Articles, list[Rejected]]:
        """Read articles; returns the columns of those that can be taken, and why the others cannot."""
        source: list[int] = []
        names: list[tuple[str, str]] = []
        texts: list[bytes] = []
        bodies: list[bytes] = []
        rejected: list[tuple[int, Rejected]] = []
        for number, raw in enumerate(raws):
            try:
                if raw.error:
                    raise RejectedArticle(raw.error)
                root, body = self._parse(raw.data)
                names.append(self._names(root, raw))
            except RejectedArticle as error:
                rejected.append((number, Rejected(raw.file, raw.position, raw.name, str(error))))
                continue
            source.append(number)
            bodies.append(body)
            texts.append(etree.tostring(root, method="text", encoding="utf-8"))
        tags = self._tags(bodies)
        columns, depth = _scan(tags, codes)
        if depth.max(initial=0) > MAX_DEPTH:
            deep = {source[at] for at in np.flatnonzero(depth > MAX_DEPTH).tolist()}
            reason = f"elements nested over {MAX_DEPTH} deep"
            rejected += [(n, Rejected(raws[n].file, raws[n].position, raws[n].name, reason)) for n in deep]
            kept = [at for at, number in enumerate(source) if number not in deep]
            source, names = [source[at] for at in kept], [names[at] for at in kept]
            texts, bodies = [texts[at] for at in kept], [bodies[at] for at in kept]
            columns, _ = _scan(self._tags(bodies), codes)
        lengths = [len(text) if text.isascii() else len(text.decode()) for text in texts]
        docnos, titles = [name for name, _ in names], [title for _, title in names]
        rejected.sort()
        return Articles(source, docnos, titles, texts, lengths, *columns), [entry for _, entry in rejected]

    def _parse(self, data: bytes) -> tuple[etree._Element, bytes]:
        """Parse an article; returns its root, and its bytes with `<` and `>` in tags alone."""
        data = _as_utf8(data)
        if not data.strip():
            raise RejectedArticle("it is empty")
        if len(data) > MAX_TAGS and data.count(b"<") > MAX_TAGS:
            raise RejectedArticle(f"over {MAX_TAGS:,} tags")
        prolog = _PROLOG.match(data)
        at = prolog.end() if prolog else 0
        if data[at : at + 2] == b"<!" and b"<!ENTITY" in data:
            raise RejectedArticle("it declares entities; entities are not expanded, write out what they stand for")
        root = self._tree(data, at)
        if data[at : at + 1] == b"<" and b"\r" not in data and not (b"&" in data and _ENTITY.search(data, at)):
            return root, data[at : data.rfind(b">") + 1]
        body = self._plain(root)
        return self._tree(body, 0), body

    def _plain(self, root: etree._Element) -> bytes:
        """Write an article so that `<` and `>` stand in tags alone, and `&` for one character."""
        body = etree.tostring(root, encoding="utf-8", with_tail=False)
        return _ENTITY.sub(_character, body)

    def _tree(self, data: bytes, root_at: int) -> etree._Element:
        try:
            return etree.fromstring(data, self._parser)
        except etree.XMLSyntaxError as error:
            message = str(error.msg)
            if re.match(r"Entity '[^']+' not defined", message) and b"<!DOCTYPE" not in data[:root_at]:
                # a document type, never read, makes entities that are not declared no fault
                return self._tree(data[:root_at] + b'<!DOCTYPE article SYSTEM "none">' + data[root_at:], root_at + 32)
            if message.startswith("Excessive depth"):
                raise RejectedArticle(f"elements nested over {MAX_DEPTH} deep") from error
            raise RejectedArticle(f"not well-formed XML: {message}") from error

    def _names(self, root: etree._Element, raw: Raw) -> tuple[str, str]:
        """Return the article's docno and title."""
        try:
            docno = next(filter(None, (str(xpath(root)).strip() for xpath in self._ids)), "")
        except etree.XPathEvalError as error:
            raise RejectedArticle(f"its id is not found at {self._id_from!r}: {error}") from error
        if not docno and self._id_from not in ("auto", "file"):
            raise RejectedArticle(f"it has no id at {self._id_from!r}")
        title = next(filter(None, (str(xpath(root)).split() for xpath in self._titles)), [])
        return checked_docno(docno or raw.name), " ".join(title)

    def _tags(self, bodies: list[bytes]) -> TagTable:
        """Find the tags of articles; those with comments, CDATA or `>` in text are first written without."""
        tags = TagTable.of(bodies)
        if tags is None:
            for at, body in enumerate(bodies):
                if b"<!" in body or b"<?" in body or body.count(b"<") != body.count(b">"):
                    bodies[at] = self._plain(self._tree(body, 0))
            tags = TagTable.of(bodies)
        if tags is None:
            raise AssertionError("libxml2 wrote markup that it should not")
        return tags


class TagTable(NamedTuple):
    """The tags of articles in their joined bytes, and where each begins and ends."""

    joined: bytes
    data: NDArray[np.uint8]
    opening: Ints
    closing: Ints
    second: NDArray[np.uint8]  # the byte behind the <

    @classmethod
    def of(cls, bodies: Sequence[bytes]) -> TagTable | None:
        """Find them; None where `<` or `>` stand for anything else somewhere."""
        joined = b"".join(bodies)
        data = np.frombuffer(joined, dtype=np.uint8)
        opening, closing = np.flatnonzero(data == ord("<")), np.flatnonzero(data == ord(">"))
        if len(opening) != len(closing):
            return None
        second = data[opening + 1]
        if np.any((second == ord("!")) | (second == ord("?"))):
            return None
        return cls(joined, data, opening, closing, second)


def checked_docno(docno: str) -> str:
    """Return a docno that can be one; RejectedArticle says why it cannot."""
    if not docno:
        raise RejectedArticle("it has no id")
    if docno.split() != [docno]:
        raise RejectedArticle(f"its id {docno[:80]!r} holds white space")
    if any("\ud800" <= character <= "\udfff" for character in docno):  # of a file's name
        raise RejectedArticle(f"its id {docno[:80]!r} is not in UTF-8")
    if _PASSAGE.search(docno):
        raise RejectedArticle(f"its id {docno[:80]!r} reads as the id of a passage")
    return docno


def _xpath(path: str) -> etree.XPath:
    return etree.XPath(f"string({path})")


def _as_utf8(data: bytes) -> bytes:
    """Return the bytes of a document in UTF-8, without a byte order mark."""
    if len(data) > MAX_BYTES:
        raise RejectedArticle(f"{len(data):,} bytes or more; {MAX_BYTES:,} are the limit")
    declared = _ENCODING.match(data[:200].lstrip(b"\xef\xbb\xbf"))
    name = declared[1].decode() if declared else "utf-8"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        name = "utf-16"
    elif data[:3] == b"\xef\xbb\xbf":
        data, name = data[3:], "utf-8"
    if name.lower() in ("utf-8", "utf8"):
        return data
    try:
        return data.decode(name).encode()
    except LookupError as error:
        raise RejectedArticle(f"an encoding that is not known: {name!r}") from error
    except ValueError as error:
        raise RejectedArticle(f"not in its encoding: {error}") from error


def _character(entity: re.Match[bytes]) -> bytes:
    """Return the character that an entity such as `&eacute;` stands for in HTML."""
    name = entity[1].decode()
    character = html.entities.html5.get(f"{name};")
    if character is None:
        raise RejectedArticle(f"the entity {name[:80]!r} is no character of HTML, and declarations are not read")
    return html.escape(character).encode()


def _scan(tags: TagTable, codes: Codes) -> tuple[tuple[Any, ...], Ints]:
    """Make elements of tags: the columns (elements, tag, parent, ordinal, start, end) of `Articles`, and depths."""
    joined, data, opening, closing, second = tags
    ends = second == ord("/")  # </p>
    empty = data[closing - 1] == ord("/")  # <p/>
    position = _positions(data, opening, closing)
    starts = ~ends
    step = np.where(ends, -1, np.where(empty, 0, 1))
    after = np.cumsum(step)  # elements that are open behind the tag
    narrow = np.int16 if after.max(initial=0) < 2**15 else np.int64  # which sorts faster
    depth = (after - step)[starts].astype(narrow)
    row_of_start = np.argsort(depth, kind="stable")  # start tags by depth, then in order: as their end tags, so sorted
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
    return (sizes, tag, parent, ordinal, start - zero, end - zero), deepest


def _positions(data: NDArray[np.uint8], opening: Ints, closing: Ints) -> Ints:
    """Count the characters of text before each tag."""
    between = np.empty(len(opening), dtype=np.int64)  # bytes of text between a tag and the one before it
    between[:1] = 0
    between[1:] = opening[1:] - closing[:-1] - 1
    more = np.flatnonzero((data & 0xC0) == 0x80)  # all but the first byte of a character
    between -= _each(more, np.ones(len(more)), opening, closing)
    reference = np.flatnonzero(data == ord("&"))  # &amp; is one character
    if len(reference):
        semicolon = np.flatnonzero(data == ord(";"))
        length = semicolon[np.searchsorted(semicolon, reference)] - reference
        between -= _each(reference, length, opening, closing)
    return np.cumsum(between)


def _each(at: Ints, weight: NDArray[Any], opening: Ints, closing: Ints) -> Ints:
    """Sum the weights of bytes that are text, for each tag those right before it."""
    tag = np.searchsorted(opening, at)
    text = (tag == 0) | (closing[tag - 1] < at)
    return np.bincount(tag[text], weights=weight[text], minlength=len(opening))[: len(opening)].astype(np.int64)
