"""Pages of HTML: Wikimedia Enterprise's dumps (lines of JSON, also in archives), and saved pages."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator

from ...wikitext import HtmlReader, ParsedArticle, RejectedArticle
from .docnos import checked_docno
from .files import strip_ending
from .page_addresses import title_as_docno
from .raw import RawArticle

_CONTROLS = re.compile("[\x01-\x08\x0e-\x1f]")


class HtmlPageParser:
    """Parses pages, which are lines of JSON if they have no name."""

    def __init__(self, drop: Collection[str] = (), infobox: bool = False, docno: str = "id"):
        self._reader = HtmlReader(drop, infobox)
        self._by_title = docno == "title"

    def __call__(self, raw: RawArticle) -> Iterator[ParsedArticle]:
        article = self._read_file(raw) if raw.name else self._read_line(raw)
        if article is not None:
            yield article

    def _read_file(self, raw: RawArticle) -> ParsedArticle:
        root = self._reader.tree(raw.data)
        name = strip_ending(raw.file)
        title = self._reader.title_of(root) or name.replace("_", " ")
        article = self._reader.read(self._make_docno("_".join(name.split()), title), title, root, None)
        article.language = (next(root.iter("body"), root).get("lang") or root.get("lang") or "").strip()
        return article

    def _read_line(self, raw: RawArticle) -> ParsedArticle | None:
        try:
            page = json.loads(raw.data)
            body = page["article_body"]["html"].encode("utf-8", "replace")
            title = " ".join(_CONTROLS.sub("", page["name"]).split())
            docno = self._make_docno(str(page["identifier"]), title)
            names = {key: [entry["name"] for entry in page.get(key) or ()] for key in ("categories", "redirects")}
            numbers = {key: (page.get(key) or {}).get("identifier") for key in ("namespace", "in_language", "version")}
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise RejectedArticle(f"the line is not a page of an Enterprise dump ({error!r})") from error
        if numbers["namespace"]:
            return None
        article = self._reader.read(docno, title, self._reader.tree(body))
        article.categories = [name.partition(":")[2] or name for name in names["categories"]] or article.categories
        article.redirects = names["redirects"]
        article.url, article.timestamp = (str(page.get(key) or "") for key in ("url", "date_modified"))
        article.language = str(numbers["in_language"] or "")
        article.revision = int(numbers["version"] or 0)
        return article

    def _make_docno(self, number: str, title: str) -> str:
        return checked_docno(title_as_docno(title) if self._by_title else number)
