"""Pages of a MediaWiki dump: articles and redirects are those of the namespaces asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lxml import etree

from ...reading.xml import XmlError, new_parser, plain_xml
from ...wikitext import ParsedArticle, RejectedArticle, WikitextReader, as_title, language_of, names
from .docnos import checked_docno
from .dump import WikiSite
from .page_addresses import title_as_docno
from .raw import RawArticle, Redirect

_REDIRECT = re.compile(
    r"""
    \s* \# \s? (?P<word> \w+ (?:[ ]\w+)? ) \s* :? \s*
    \[\[ :? (?P<target> [^\[\]|\#\n]* )
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(r"[0-9]{1,18}")

# The number of the namespace.
TEMPLATES = 10
# Names of namespaces in all wikis.
_CANONICAL = {
    "media": -2, "special": -1, "talk": 1, "user": 2, "user talk": 3, "project": 4, "project talk": 5, "file": 6,
    "file talk": 7, "mediawiki": 8, "mediawiki talk": 9, "template": TEMPLATES, "template talk": 11, "help": 12,
    "help talk": 13, "category": 14, "category talk": 15,
}  # fmt: skip


def _find_number(text: str | None) -> str:
    """Return a number in digits, "0" if it is none."""
    digits = (text or "").strip()
    return digits if _NUMBER.fullmatch(digits) else "0"


def _read_time(revision: etree._Element) -> str:
    return (revision.findtext("timestamp") or "").strip()


def find_namespace(title: str, site: WikiSite) -> int:
    prefix, colon, _ = title.partition(":")
    if not colon:
        return 0
    name = prefix.replace("_", " ").strip().lower()
    return next((number for number, own in site.namespaces if own == name), _CANONICAL.get(name, 0))


class PageReader:
    """Reads pages of a wiki; *language* overrides what the dump says, *text* holds options of `WikitextReader`."""

    def __init__(
        self,
        site: WikiSite,
        namespaces: Sequence[int] = (0,),
        language: str = "",
        text: Mapping[str, Any] | None = None,
        docno: str = "id",
    ):
        self._site = site
        self._by_title = docno == "title"
        self._language = language
        self._text = text or {}
        self._readers: dict[str, WikitextReader] = {}
        self._namespaces = frozenset(namespaces)
        self._namespace_numbers = {name: number for number, name in site.namespaces}
        self._parser = new_parser()

    def __call__(self, raw: RawArticle) -> Iterator[ParsedArticle | Redirect]:
        page = self._parse_page(raw.data)
        title = " ".join((page.findtext("title") or "").split())
        # a rejection names it
        raw.name = title_as_docno(title) if self._by_title else (page.findtext("id") or "").strip()
        article = self._read_page(page, raw.name, title)
        if article is not None:
            yield article

    def _parse_page(self, data: bytes) -> etree._Element:
        try:
            return etree.fromstring(plain_xml(data).data, self._parser)
        except XmlError as error:
            raise RejectedArticle(error.with_text()) from error
        except etree.XMLSyntaxError as error:
            raise RejectedArticle(f"not well-formed XML: {error.msg}") from error

    def _read_page(self, page: etree._Element, docno: str, title: str) -> ParsedArticle | Redirect | None:
        if not self._is_wanted(page.findtext("ns"), title):
            return None
        # Of a history the newest; of two of one time the later one. Times are ISO 8601, in UTC.
        revisions = page.findall("revision")
        revision = max(reversed(revisions), key=_read_time) if revisions else None
        text = None if revision is None else revision.find("text")
        told = page.find("redirect")
        if text is not None and len(text) and told is None:
            raise RejectedArticle("its text holds markup or entities that are not escaped")
        wikitext = "" if text is None else text.text or ""
        match = _REDIRECT.match(wikitext)
        if told is not None or (match and match["word"].lower() in names("redirect")):
            target = ("" if told is None else told.get("title") or "").partition("#")[0]
            target = target or (match["target"] if match else "")
            return Redirect(title, as_title(target)) if title and target.strip() else None
        if self._by_title and not title:
            raise RejectedArticle("it has no title")
        docno = checked_docno(docno)
        model = "" if revision is None else (revision.findtext("model") or "").strip()
        if model not in ("", "wikitext"):
            raise RejectedArticle(f"its content is {model!r}, not wikitext")
        if not title:
            raise RejectedArticle("it has no title")
        if not wikitext.strip():
            if text is not None and text.text is None and int(_find_number(text.get("bytes"))) > 0:
                raise RejectedArticle("its text is not here: this is a dump of stubs; get one of pages-articles")
            # A blank page is no article.
            return None
        language = self._language or language_of(wikitext, self._site.language)
        article = self._find_reader(language).read(docno, title, wikitext)
        article.language = language
        if revision is not None:
            article.revision = int(_find_number(revision.findtext("id")))
            article.timestamp = _read_time(revision)
        return article

    def _find_reader(self, language: str) -> WikitextReader:
        if language not in self._readers:
            self._readers[language] = WikitextReader(language, dict(self._namespace_numbers), **self._text)
        return self._readers[language]

    def _is_wanted(self, namespace: str | None, title: str) -> bool:
        # Dumps of before 2012 have no <ns>.
        if namespace is None:
            return find_namespace(title, self._site) in self._namespaces
        number = namespace.strip()
        # longer numbers name no namespace, and int() may refuse them
        return len(number) < 20 and number.removeprefix("-").isdecimal() and int(number) in self._namespaces
