"""Pages of HTML: Wikimedia Enterprise's dumps (lines of JSON, also in archives), and saved pages."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from lxml import etree

from ...wikitext import HtmlReader, ParsedArticle, RejectedArticle
from .docnos import checked_docno
from .files import strip_ending
from .page_addresses import title_as_docno
from .raw import RawArticle

_CONTROLS = re.compile("[\x01-\x08\x0e-\x1f]")
# Part of the `about` that Parsoid gives a page.
_REVISION = re.compile(r"/revision/([0-9]{1,18})$")
# Bytes at the top of a page in which its title is looked for.
_HEAD = 2**16
_TITLE = re.compile(rb"<title\b[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
# Before the name of a site in a title: "Lenses - Optics", "Lens (Optics 2)".
_BEFORE_SITE = re.compile(r"\s(?:[-–—|·•:»]\s|\()")


class HtmlPageParser:
    """Parses pages, which are lines of JSON if they have no name; *title_end* is left out at the end of titles."""

    def __init__(self, drop: Collection[str] = (), infobox: bool = False, docno: str = "id", title_end: str = ""):
        self._reader = HtmlReader(drop, infobox)
        self._by_title = docno == "title"
        self._title_end = title_end

    def __call__(self, raw: RawArticle) -> Iterator[ParsedArticle]:
        article = self._read_file(raw) if raw.name else self._read_line(raw)
        if article is not None:
            yield article

    def _read_file(self, raw: RawArticle) -> ParsedArticle:
        root = self._reader.tree(raw.data)
        said = _read_head(root)
        name = strip_ending(raw.file)
        title = _cut_title(self._reader.title_of(root), self._title_end) or name.replace("_", " ")
        docno = self._make_docno(said.get("mw:pageId") or "_".join(name.split()), title)
        article = self._reader.read(docno, title, root, None)
        address = said.get("dc:isVersionOf", "")
        article.url = f"https:{address}" if address.startswith("//") else address
        revision = _REVISION.search(root.get("about") or "")
        article.revision = int(revision[1]) if revision else 0
        article.timestamp = said.get("dc:modified", "")
        article.language = (next(root.iter("body"), root).get("lang") or root.get("lang") or "").strip()
        return article

    def _read_line(self, raw: RawArticle) -> ParsedArticle | None:
        try:
            page = json.loads(raw.data)
            body = page["article_body"]["html"].encode("utf-8", "replace")
            title = _read_words(_CONTROLS.sub("", page["name"]))
            number = str(page["identifier"])
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise RejectedArticle(
                f"the line is not a page of an Enterprise dump ({error!r}); name, identifier and article_body.html "
                "are needed"
            ) from error
        namespace = _read_identifier(page, "namespace")
        if isinstance(namespace, int) and namespace != 0:
            return None
        article = self._reader.read(self._make_docno(number, title), title, self._reader.tree(body))
        categories = [name.partition(":")[2] or name for name in _read_names(page, "categories")]
        article.categories = categories or article.categories
        article.redirects = _read_names(page, "redirects")
        article.url = _read_words(page.get("url"))
        article.timestamp = _read_words(page.get("date_modified"))
        article.language = _read_words(_read_identifier(page, "in_language"))
        revision = _read_identifier(page, "version")
        article.revision = revision if isinstance(revision, int) and 0 < revision < 2**63 else 0
        return article

    def _make_docno(self, number: str, title: str) -> str:
        return checked_docno(title_as_docno(title) if self._by_title else number)


def find_title_end(heads: Iterable[bytes]) -> str:
    """Return the common end of the titles of all pages after a dash, a bracket or the like, such as "Optics".

    Args:
        heads: The first bytes of each page. No more are read once an end is ruled out.

    Returns:
        The end, "" if there is none or only one page has a title.
    """
    ends: list[str] | None = None
    count = 0
    for head in heads:
        if found := _TITLE.search(head[:_HEAD]):
            title = " ".join(html.unescape(found[1].decode("utf-8", "replace")).split())
            own = [title[mark.end() :] for mark in _BEFORE_SITE.finditer(title)]
            ends = own if ends is None else [end for end in ends if end in own]
            count += 1
            if not ends:
                return ""
    return ends[0] if ends and count > 1 else ""


def _cut_title(title: str, title_end: str) -> str:
    marks = _BEFORE_SITE.finditer(title) if title_end else ()
    return next((title[: mark.start()] for mark in marks if title[mark.end() :] == title_end), title)


def _read_head(root: etree._Element) -> dict[str, str]:
    """Return what the head of a saved page says by name, the first of each."""
    said: dict[str, str] = {}
    for element in root.iter("meta", "link"):
        name = element.get("property") or element.get("rel") or ""
        said.setdefault(name, (element.get("content") or element.get("href") or "").strip())
    return said


def _read_identifier(page: Mapping[str, object], name: str) -> object:
    entry = page.get(name)
    return entry.get("identifier") if isinstance(entry, dict) else None


def _read_names(page: Mapping[str, object], name: str) -> list[str]:
    entries = page.get(name)
    named = (
        [_read_words(entry.get("name")) for entry in entries if isinstance(entry, dict)]
        if isinstance(entries, list)
        else []
    )
    return [name for name in named if name]


def _read_words(given: object) -> str:
    return " ".join(given.encode("utf-8", "replace").decode().split()) if isinstance(given, str) else ""
