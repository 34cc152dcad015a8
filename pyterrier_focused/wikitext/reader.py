"""Wikitext to text and elements: a page as readers see it, without references, files, notices and navigation.

Two passes: `expand` turns templates, links and tags into text with marks; `blocks` reads its lines as
sections, paragraphs, lists and tables.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .article import ParsedArticle, RejectedArticle
from .block_writer import check_droppable
from .blocks import BlockReader
from .builder import ElementBuilder
from .expand import Expander
from .links import LinkRules
from .marks import MARKS
from .templates.tables import Templates

# The number of the namespace.
TEMPLATE = 10
# MediaWiki's own limit, in bytes of UTF-8.
MAX_BYTES = 2**21
# Pages of these languages have -{variants}-.
_CONVERTED = frozenset("zh gan sr sh kk ku shi iu tg uz crh zh-yue wuu".split()) | {""}


class WikitextReader:
    """Reads the pages of one wiki.

    Args:
        language: The code of the wiki's language, 'fr', for templates that stand for words, numbers, functions, links.
        namespaces: The numbers of the wiki's namespaces by their names in small letters, as its dump tells them; names
            that MediaWiki has in any language are known.
        templates: The text of further templates: from a name to a pattern such as '{1} ({2})' (see
            `templates.patterns`).
        drop: Elements to leave out: any of 'table', 'caption' (of tables and figures), 'figure', 'math'.
        infobox: Whether to keep information boxes, as elements of rows of label and value.

    Example:
        >>> WikitextReader("en").read("12", "Fresnel lens", "A ''lens'' of [[glass]].").text
        'Fresnel lens\\n\\nA lens of glass.'
    """

    def __init__(
        self,
        language: str = "",
        namespaces: Mapping[str, int] | None = None,
        templates: Mapping[str, str] | None = None,
        drop: Collection[str] = (),
        infobox: bool = False,
    ):
        check_droppable(drop)
        prefixes = frozenset(name for name, number in (namespaces or {}).items() if number == TEMPLATE)
        self._templates = Templates(language, templates, prefixes)
        self._links = LinkRules(namespaces, language)
        self._converts = language in _CONVERTED
        self._drop = frozenset(drop)
        self._infobox = infobox
        self._captions = self._drop.isdisjoint(("caption", "figure"))

    def read(self, docno: str, title: str, wikitext: str) -> ParsedArticle:
        """Make an article of a page; its first line is the title.

        Raises:
            RejectedArticle: If the page is too large or nested too deep.
        """
        size = len(wikitext) if wikitext.isascii() else len(wikitext.encode("utf-8", "surrogatepass"))
        if size > MAX_BYTES:
            raise RejectedArticle(f"{size:,} bytes of wikitext; {MAX_BYTES:,} are MediaWiki's own limit")
        wikitext = MARKS.sub("", wikitext)
        title = MARKS.sub("", title)
        page = Expander(title, self._templates, self._links, self._infobox, self._converts, self._captions)
        builder = ElementBuilder(docno, title)
        BlockReader(page, builder, self._drop, self._infobox).read_page(page.expand(wikitext))
        return builder.finish()
