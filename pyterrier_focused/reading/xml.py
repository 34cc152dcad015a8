"""The one place where XML that strangers wrote is parsed: nothing is opened, nothing expanded, all in linear time.

libxml2 opens the external DTD that a document names if `collect_ids=False` is asked for, whatever `load_dtd` says,
and without that option two elements of one xml:id end the parse. So the document type declaration is taken away before
libxml2 sees a document. Entities are characters by their names in HTML; those that only a DTD defines are refused, or
stay as they are written.
"""

from __future__ import annotations

import codecs
import html
import html.entities
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from lxml import etree

from ..errors import FormatError

_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "recover": False,
    # Two elements of one xml:id are no fault. True would load DTDs, and none is left to be loaded.
    "collect_ids": False,
    "remove_comments": True,
    "remove_pis": True,
    # Text nodes may exceed 10 MB; depth and number of nodes have limits of their own.
    "huge_tree": True,
    # The bytes have been decoded by then.
    "encoding": "utf-8",
}
# Encodings that XML parsers know, by Python's names. Python has others that no document uses, some of quadratic time.
_ENCODINGS = frozenset(
    "utf-8 utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be ascii koi8-r koi8-u big5 big5hkscs gb2312 gbk gb18030 "
    "shift_jis euc_jp iso2022_jp euc_kr iso2022_kr tis-620 mac-roman".split()
    + [f"iso8859-{part}" for part in (*range(1, 12), 13, 14, 15, 16)]
    + [f"cp{page}" for page in (437, 850, 852, 866, 874, 932, 949, 950, *range(1250, 1259))]
)
# The first bytes that tell an encoding; those of UTF-32 begin as those of UTF-16 do.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""
    [ \t\r\n]* <\?xml [^>]{0,200}?
    \s encoding \s{0,20} = \s{0,20}
    ["'] (?P<encoding> [A-Za-z0-9._-]{1,40} ) ["']
    """,
    re.VERBOSE,
)
_CHUNK = 2**20
_BLANKS = re.compile(rb"[ \t\r\n]*")
_DOCTYPE_TOKEN = re.compile(rb"[\"'\[>]")
_SUBSET_TOKEN = re.compile(rb"[\"'\]]|<!--|<\?")
# In these, `&` stands for itself.
_OPAQUE = re.compile(rb"<!\[CDATA\[|<!--|<\?")
_ENDS = {b"<![CDATA[": b"]]>", b"<!--": b"-->", b"<?": b"?>"}
_ENTITY = re.compile(
    rb"""
    & (?! (?: amp | lt | gt | quot | apos ) ; )  # these five need no definition
    (?P<name> [^#;&<>\s"'] [^;&<>\s"']* )
    ;
    """,
    re.VERBOSE,
)
_DECLARATION = re.compile(
    rb"""
    <!ENTITY \s+ (?P<name> [^\s%]+ ) \s+
    (?: " (?P<quoted> [^"]* ) "
      | ' (?P<other> [^']* ) ' )
    """,
    re.VERBOSE,
)


class XmlError(ValueError):
    """A document that cannot be read: says why, and in which line it is."""

    def __init__(self, message: str, line: int, text: str | None = None):
        super().__init__(message)
        self.line = line
        self.text = text

    def with_text(self) -> str:
        """Return the reason with the text at fault."""
        return f"{self}: {self.text!r}" if self.text else str(self)


class PlainXml(NamedTuple):
    """A document in UTF-8 from its root element on, without entities that need a DTD.

    *line* is its first; *dropped* counts references to entities of which the text is elsewhere, by name.
    """

    data: bytes
    line: int
    dropped: Mapping[str, int] = MappingProxyType({})


def new_parser() -> etree.XMLParser:
    return etree.XMLParser(**_OPTIONS)


def plain_xml(data: bytes, drop_unknown: bool = False) -> PlainXml:
    """Decode a document and take away what is before its root.

    drop_unknown: whether references to entities that neither HTML nor the document itself defines are left out.
    Raises XmlError.
    """
    data = decode(data)
    root, subset = _split_prolog(data)
    line = data.count(b"\n", 0, root) + 1
    # A second DOCTYPE is never parsed.
    if data[root : root + 1] != b"<" or data[root + 1 : root + 2] in (b"!", b"?"):
        shown = data[root : root + 60].decode("utf-8", "replace").rstrip("\ufffd")
        if "\ufffd" in shown or not "".join(shown.split()).isprintable():
            raise XmlError("malformed XML: this is binary data; if it is an archive, unpack it", line)
        raise XmlError("malformed XML: an element is expected" if shown else "it is empty", line, shown or None)
    body = memoryview(data)[root:].tobytes() if root else data
    dropped: Counter[str] = Counter()
    return PlainXml(
        _replace_entities(body, _list_redefined(subset), line, dropped if drop_unknown else None), line, dropped
    )


def parse_xml(data: bytes, name: str) -> etree._Element:
    """Parse a document whole; *name* is its file's, for errors. Raises FormatError."""
    plain = _decode_plain(data, name)
    try:
        return etree.fromstring(b"\n" * (plain.line - 1) + plain.data, new_parser())
    except etree.XMLSyntaxError as error:
        raise _explain_syntax_error(error, name) from error


def iter_xml(data: bytes, name: str, tag: str) -> Iterator[Any]:
    """Parse a document and yield the elements of *tag* at their ends, so that the caller can clear them; then the root.

    Raises FormatError.
    """
    plain = _decode_plain(data, name)
    # iterparse ignores collect_ids=False.
    parser = etree.XMLPullParser(events=("end",), tag=tag, **_OPTIONS)
    try:
        parser.feed(b"\n" * (plain.line - 1))
        for start in range(0, len(plain.data), _CHUNK):
            parser.feed(plain.data[start : start + _CHUNK])
            # The stubs know of other events.
            element: Any
            for _, element in parser.read_events():
                if element.getparent() is not None:
                    yield element
        yield parser.close()
    except etree.XMLSyntaxError as error:
        raise _explain_syntax_error(error, name) from error


def line_of(node: Any) -> int:
    """Return the physical line of an element's start tag, from 1."""
    return node.sourceline or 1


def text_of(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


def encoding_of(head: bytes) -> str:
    """Tell the encoding of a document by its first bytes, as a codec of Python. Raises XmlError for one not known."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    declared = _DECLARED.match(head[:4096])
    if not declared:
        return "utf-8"
    name = declared["encoding"].decode()
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        codec = ""
    if codec not in _ENCODINGS:
        raise XmlError(f"an encoding that is not known: {name!r}; convert it to UTF-8", 1)
    if codec.startswith(("utf-16", "utf-32")):
        # Bytes of these encodings would not read as ASCII.
        raise XmlError(f"not in its encoding: it says {name!r} and is not", 1)
    return "utf-8" if codec == "ascii" else codec


def decode(data: bytes) -> bytes:
    """Return the bytes of a document in UTF-8, without a byte order mark. Raises XmlError."""
    name = encoding_of(data)
    if name == "utf-8":
        return data
    if name == "utf-8-sig":
        return data[3:]
    try:
        return data.decode(name).encode()
    except ValueError as error:
        raise XmlError(f"not in its encoding: {error}", 1) from error


def _decode_plain(data: bytes, name: str) -> PlainXml:
    if not data.strip():
        raise FormatError("the file is empty", file=name)
    try:
        return plain_xml(data)
    except XmlError as error:
        raise FormatError(str(error), file=name, line=error.line, text=error.text) from error


def _explain_syntax_error(error: etree.XMLSyntaxError, name: str) -> FormatError:
    return FormatError(f"malformed XML: {error.msg}; correct the file", file=name, line=error.lineno or 1)


class _Prolog(NamedTuple):
    """The offset at which the root element begins, and the internal subset of the document type declaration."""

    end: int
    subset: bytes


def _split_prolog(data: bytes) -> _Prolog:
    """Find the end of what is before the root element."""
    offset = 0
    doctype: _Prolog | None = None
    while True:
        blanks = _BLANKS.match(data, offset)
        offset = blanks.end() if blanks else offset
        if data.startswith(b"<!DOCTYPE", offset) and doctype is None:
            doctype = _find_doctype(data, offset)
            offset = doctype.end
        elif data.startswith(b"<!--", offset):
            offset = _find_end(data, b"-->", offset + 4)
        elif data.startswith(b"<?", offset):
            if offset and data[offset : offset + 6].strip() == b"<?xml":
                line = data.count(b"\n", 0, offset) + 1
                raise XmlError("malformed XML: the XML declaration is not at the start", line)
            offset = _find_end(data, b"?>", offset + 2)
        else:
            return _Prolog(offset, doctype.subset if doctype else b"")


def _find_doctype(data: bytes, start: int) -> _Prolog:
    """Find the end of the document type declaration that begins at *start*."""
    offset = start
    subset_start = -1
    subset = b""
    while token := (_DOCTYPE_TOKEN if subset_start < 0 else _SUBSET_TOKEN).search(data, offset):
        offset = token.end()
        if token[0] in (b'"', b"'"):
            offset = _find_end(data, token[0], offset)
        elif token[0] in _ENDS:
            offset = _find_end(data, _ENDS[token[0]], offset)
        elif token[0] == b"[":
            subset_start = offset
        elif token[0] == b"]":
            subset = data[subset_start : offset - 1]
            subset_start = -1
        else:
            return _Prolog(offset, subset)
    raise XmlError("malformed XML: its document type declaration does not end", data.count(b"\n", 0, start) + 1)


def _find_end(data: bytes, mark: bytes, offset: int) -> int:
    place = data.find(mark, offset)
    if place < 0:
        line = data.count(b"\n", 0, offset) + 1
        raise XmlError(f"malformed XML: {mark.decode()} is missing at the end of what begins here", line)
    return place + len(mark)


def _list_redefined(subset: bytes) -> set[str]:
    """List the entities that an internal subset declares with another meaning than in HTML."""
    names = set()
    for name, quoted, other in _DECLARATION.findall(subset):
        value = (quoted or other).decode("utf-8", "replace")
        text = name.decode("utf-8", "replace")
        meaning = html.entities.html5.get(f"{text};")
        # No meaning in HTML is written so long, and Python refuses to read numbers of thousands of digits.
        if len(value) > 100 or meaning not in (html.unescape(value), html.unescape(html.unescape(value))):
            names.add(text)
    return names


def _replace_entities(body: bytes, redefined: set[str], line: int, dropped: Counter[str] | None) -> bytes:
    """Write the characters that entities such as `&eacute;` stand for; in CDATA and comments `&` stands for itself.

    *dropped* counts references that nothing here defines, and which are left out; with None they raise XmlError.
    """
    if b"&" not in body or not _ENTITY.search(body):
        return body
    characters: dict[bytes, bytes] = {}
    start = 0

    def write_character(entity: re.Match[bytes]) -> bytes:
        name = entity["name"]
        if name not in characters:
            text = name.decode("utf-8", "replace")
            meaning = html.entities.html5.get(f"{text};")
            if meaning is None and dropped is not None and text not in redefined:
                dropped[text] += 1
                return b""
            if meaning is None or text in redefined:
                bad_line = line + body.count(b"\n", 0, start + entity.start())
                reason = "an entity that HTML does not define; declarations are not read, so write the characters"
                raise XmlError(reason, bad_line, f"&{text[:80]};")
            plain = all(letter > ">" or letter.isalnum() for letter in meaning)
            written = meaning if plain else "".join(f"&#{ord(letter)};" for letter in meaning)
            characters[name] = written.encode()
        return characters[name]

    pieces = []
    while start < len(body):
        opaque = _OPAQUE.search(body, start)
        stop = opaque.start() if opaque else len(body)
        pieces.append(_ENTITY.sub(write_character, body[start:stop]))
        end = body.find(_ENDS[opaque[0]], opaque.end()) if opaque else -1
        start = len(body) if end < 0 else end
        pieces.append(body[stop:start])
    return b"".join(pieces)
