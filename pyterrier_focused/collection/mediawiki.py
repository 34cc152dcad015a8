"""Pages of a MediaWiki export: namespace 0, no redirects, wikitext to articles."""

from __future__ import annotations

from typing import Any

from lxml import etree

from .article import Article, RejectedArticle
from .wikitext import parse_wikitext

_PARSER_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "recover": False,
    "collect_ids": False,
    "remove_comments": True,
    "remove_pis": True,
    "huge_tree": True,
}


def parse_page(data: bytes) -> Article | None:
    """Make an article of one `<page>`; None for redirects and pages of other namespaces."""
    try:
        page = etree.fromstring(data, etree.XMLParser(**_PARSER_OPTIONS))
    except etree.XMLSyntaxError as error:
        raise RejectedArticle(f"not well-formed XML: {error.msg}") from error
    if (page.findtext("ns") or "0").strip() != "0" or page.find("redirect") is not None:
        return None
    docno, title = (page.findtext("id") or "").strip(), (page.findtext("title") or "").strip()
    if not docno:
        raise RejectedArticle("a page without an id")
    if not title:
        raise RejectedArticle(f"page {docno} has no title")
    text = page.find("revision/text")
    if text is not None and len(text):
        raise RejectedArticle(f"page {docno} ({title}) has markup or unknown entities in its text")
    wikitext = (text.text or "") if text is not None else ""
    if wikitext.lstrip()[:9].upper() == "#REDIRECT":
        return None
    if not wikitext.strip():
        raise RejectedArticle(f"page {docno} ({title}) has no text")
    return parse_wikitext(docno, title, wikitext)
