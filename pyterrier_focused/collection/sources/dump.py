"""MediaWiki dumps: the pages of a file, as they are there, and the wiki that its head describes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from lxml import etree

from ...reading.xml import XmlError, new_parser, plain_xml
from .page_addresses import address_base
from .raw import RawArticle

# Bytes of XML: a text of MediaWiki's limit, 2 MiB, takes 12 if all of it is escaped.
MAX_PAGE = 2**24
END = b"</mediawiki>"
# A code, such as de or zh-min-nan.
LANGUAGE = re.compile(r"[a-z]{2,12}(-[a-z0-9]{1,12})*")

_OPEN = b"<page>"
_CLOSE = b"</page>"
_CHUNK = 2**20
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


class WikiSite(NamedTuple):
    """A wiki as its dump describes it: the language code, '' if unknown, and the names of namespaces.

    *namespaces*: (number, name in small letters) of all that have a name. *base* is what the addresses of its pages
    begin with, *name* that of its database, such as frwiki.
    """

    language: str = ""
    namespaces: tuple[tuple[int, str], ...] = ()
    base: str = ""
    name: str = ""


def read_site(head: bytes) -> WikiSite:
    """Read the language, namespaces and addresses of a wiki from the top of its dump; empty if not told."""
    before, end, _ = head.partition(b"</siteinfo>")
    try:
        root = etree.fromstring(plain_xml(before + end + END).data, new_parser())
    except (XmlError, etree.XMLSyntaxError):
        return WikiSite()
    named = [(element.get("key", ""), (element.text or "").strip().lower()) for element in root.iter("{*}namespace")]
    keys = [(int(key), name) for key, name in named if name and key.removeprefix("-").isdecimal()]
    language = root.get(_LANGUAGE, "").strip().lower()
    base = address_base((root.findtext("{*}siteinfo/{*}base") or "").strip())
    name = (root.findtext("{*}siteinfo/{*}dbname") or "").strip()
    return WikiSite(language if LANGUAGE.fullmatch(language) else "", tuple(keys), base, name)


def read_pages(path: str, stream: BinaryIO) -> Iterator[RawArticle]:
    """Yield the pages of a dump, each with the bytes from `<page>` to `</page>`."""
    buffer = b""
    at = 0
    head = stream.peek(_CHUNK)[:1000]  # type: ignore[attr-defined]
    # read1 gives what a broken file holds before its end.
    while chunk := stream.read1(_CHUNK):  # type: ignore[attr-defined]
        buffer += chunk
        done = 0
        while (close := buffer.find(_CLOSE, done)) >= 0:
            begin = buffer.rfind(_OPEN, done, close)
            first = buffer.find(_OPEN, done, close)
            if first < begin:
                yield RawArticle(path, at + first, error="a page that does not end before the next one begins")
            done = close + len(_CLOSE)
            if begin >= 0 and done - begin <= MAX_PAGE:
                yield RawArticle(path, at + begin, data=buffer[begin:done])
            elif begin >= 0:
                yield RawArticle(path, at + begin, error=f"a page of over {MAX_PAGE:,} bytes")
        if len(buffer) - done > MAX_PAGE:
            yield RawArticle(path, at + done, error=f"a page of over {MAX_PAGE:,} bytes")
            done = len(buffer)
        at += done
        buffer = buffer[done:]
    if b"<mediawiki" in head and not buffer.rstrip().endswith(END):
        reason = f"the dump is cut short: it ends without {END.decode()}"
        yield RawArticle(path, at, error=reason, is_cut=True)
