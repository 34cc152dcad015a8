"""HTML to text and elements; of MediaWiki's, as Parsoid writes it, the same as from the page's wikitext.

Navigation, editing, notes and references of MediaWiki are known by class, role and type; of other pages all is text but
what HTML itself calls no content. A formula is the source that its annotation keeps.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Collection
from typing import Any

from lxml import etree

from .article import ParsedArticle, RejectedArticle
from .block_writer import SHORT, BlockWriter, check_droppable
from .builder import ElementBuilder
from .facts import wikis
from .left_out import ROLES, tell_kind
from .marks import BREAK, END, GONE, LINE, LINK, LITERAL, MARKS, UNLINK, Literal
from .words import Finisher

MAX_BYTES = 2**26
# Elements within each other.
MAX_DEPTH = 250

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset(("ul", "ol", "dl", "menu", "dir"))
_ITEMS = frozenset(("li", "dd", "dt"))
_BLOCKS = frozenset(
    """address article aside blockquote body center details div dl dd dt fieldset figcaption figure form header
    hgroup hr li main ol p pre section summary table tbody ul menu dir""".split()
) | frozenset(_HEADINGS)
_SKIPPED = frozenset(
    """audio base button canvas dialog figcaption figure footer head iframe img input link map meta nav noscript object
    script select style svg template textarea title track video""".split()
)
# Those of MediaWiki show captions only if they are thumbnails.
_FIGURES = frozenset(("figure", "figcaption"))
_THUMBNAILS = frozenset(("figure", "div", "ul"))
_SHOWS_CAPTION = re.compile("mw:(?:File|Image)/(?:Thumb|Frame(?!less))")
# Classes of boxes, and of the captions in them.
_CAPTIONS = {"thumb": "thumbcaption", "gallery": "gallerytext"}
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_NOT_TEXT = re.compile("mw:Extension/ref|mw:Image|mw:File")
# On pages of no wiki.
_ROLES = frozenset(("navigation", "contentinfo", "search"))
_HEADING_LINKS = frozenset(("¶", "#", "§", "🔗"))
# These are more than their content.
_INLINE = frozenset(("a", "br", "math"))
# libxml2 does not know that these are empty, and puts the text after them into them.
_VOID = re.compile(rb"</?(?:wbr|source|track|embed)\b[^<>]*>", re.IGNORECASE)
_DISPLAY = re.compile(r"\{\\(?:displaystyle|textstyle|scriptstyle)\s?(.*)\}", re.DOTALL)
_NOT_INDEXED = "htdig_noindex"
_CONTROLS = bytes((*range(9), *range(14, 32)))
_CONTROL_REFERENCES = re.compile(
    rb"""
    &\# (?:
        0* (?: [1-8] | 1[4-9] | 2\d | 3[01] ) (?!\d)
        | [xX] 0* (?: [1-8e-fE-F] | 1[0-9a-fA-F] ) (?![0-9a-fA-F])
    ) ;?
    """,
    re.VERBOSE,
)
_OTHER_PAGE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#|mailto:", re.IGNORECASE)
_ANNOTATIONS: Any = etree.XPath(".//*[local-name() = 'annotation'][contains(@encoding, 'tex')]")
# Signs that MediaWiki made a page: its own elements, its head, the classes of its body, the marks of Parsoid.
_OF_WIKI: Any = etree.XPath(
    """boolean(
        //div[@id='mw-content-text' or contains(@class, 'mw-parser-output')]
        | //meta[@name='generator'][contains(@content, 'MediaWiki')]
        | //body[contains(concat(' ', @class), ' mw-') or contains(concat(' ', @class), ' mediawiki')]
        | //section[@data-mw-section-id] | /*[contains(@prefix, 'mediawiki.org/rdf')]
    )"""
)


class HtmlReader:
    """Reads pages of HTML.

    Args:
        drop: Elements to leave out, as for `WikitextReader`.
        infobox: Whether to keep information boxes.

    Example:
        >>> HtmlReader().read("12", "Fresnel lens", b"<p>A <i>lens</i> of <a href='./Glass'>glass</a>.</p>").text
        'Fresnel lens\\n\\nA lens of glass.'
    """

    def __init__(self, drop: Collection[str] = (), infobox: bool = False):
        self._parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, remove_pis=True)
        check_droppable(drop)
        self._drop = frozenset(drop)
        self._infobox = infobox

    def tree(self, html: bytes) -> etree._Element:
        """Parse a page, whatever its faults; returns the root. Raises RejectedArticle if nothing can be read."""
        if len(html) > MAX_BYTES:
            raise RejectedArticle(f"{len(html):,} bytes of HTML; {MAX_BYTES:,} are the limit")
        try:
            # Control characters would be marks.
            html = _VOID.sub(b"", _CONTROL_REFERENCES.sub(b"", html.translate(None, _CONTROLS)))
            root = etree.fromstring(html, self._parser) if html.strip() else None
        except etree.XMLSyntaxError as error:
            raise RejectedArticle(f"not HTML: {error.msg}") from error
        if root is None:
            raise RejectedArticle("it is empty")
        return root

    def read(self, docno: str, title: str, page: bytes | etree._Element, is_wiki: bool | None = True) -> ParsedArticle:
        """Make an article of a page, its bytes or its `tree`; the title is its first line.

        *is_wiki*: whether MediaWiki made the page, so that its classes mark what is not text; None: find out.
        """
        root = self.tree(page) if isinstance(page, bytes) else page
        is_wiki = _OF_WIKI(root) if is_wiki is None else is_wiki
        reading = _Page(ElementBuilder(docno, MARKS.sub("", title)), self._drop, self._infobox, is_wiki)
        reading.read(_find_text(root))
        return reading.finish(root)

    @staticmethod
    def title_of(root: etree._Element) -> str:
        """Return the title of a page: its first heading above the text, else what its head says."""
        named = (heading for heading in root.iter("h1") if heading.get("id") in ("firstHeading", "titleHeading"))
        for candidates in (named, root.iter("title"), root.iter("h1")):
            element = next(candidates, None)
            words = "" if element is None else " ".join(MARKS.sub("", "".join(map(str, element.itertext()))).split())
            if words:
                return words
        return ""


def _find_text(root: etree._Element) -> etree._Element:
    output = None
    for element in root.iter("div"):
        if element.get("id") == "mw-content-text":
            return element
        if output is None and "mw-parser-output" in element.get("class", ""):
            output = element
    return next(root.iter("body"), root) if output is None else output


class _Page:
    def __init__(self, builder: ElementBuilder, drop: Collection[str], infobox: bool, is_wiki: bool):
        self._builder = builder
        self._drop = drop
        self._is_wiki = is_wiki
        self._skipped = _SKIPPED if is_wiki or "figure" in drop else _SKIPPED - _FIGURES
        self._shows_thumbnails = is_wiki and "caption" not in drop and "figure" not in drop
        self._infobox = infobox
        self._targets: list[str] = []
        self._literals: list[Literal] = []
        self._writer = BlockWriter(builder, self._targets)
        self._finisher = Finisher(self._literals, drop)
        self._depth = 0

    def finish(self, root: etree._Element) -> ParsedArticle:
        article = self._builder.finish()
        addresses = (
            link.get("href", "") for link in root.iter("link") if "mw:PageProp/Category" in link.get("rel", "")
        )
        links = (urllib.parse.unquote(link.partition("#")[0]) for link in addresses)
        names = (link.partition(":")[2].replace("_", " ") for link in links)
        article.categories = list(dict.fromkeys(filter(None, names)))
        return article

    def read(self, element: etree._Element, kind: str = "p") -> None:
        """Read the content of a block: its text as paragraphs, and inner blocks; an item begins with its own text."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise RejectedArticle(f"elements nested over {MAX_DEPTH} deep, which is the limit")
        text = element.text
        run = [text] if text else []
        # True between two comments that exclude text from searching.
        hidden = False
        for child in element:
            tag = child.tag
            if tag is etree.Comment:
                hidden = (
                    _NOT_INDEXED in child.text and not child.text.lstrip().startswith("/") if child.text else hidden
                )
            elif self._shows_thumbnails and not hidden and tag in _THUMBNAILS and (captions := _find_captions(child)):
                kind = self._flush_run(run, kind)
                run = []
                for caption in captions:
                    self._writer.write_figure(self._finisher.finish(self._join_line(caption)))
            elif hidden or tag in self._skipped:
                pass
            elif self._is_boilerplate(child):
                run.append(GONE)
            elif tag in _BLOCKS:
                kind = self._flush_run(run, kind)
                run = []
                self._read_block(child, tag)
            elif tag in _INLINE:
                self._add_inline(child, tag, run)
            else:
                self._add_content(child, run)
            tail = child.tail
            if tail:
                run.append(tail)
        self._flush_run(run, kind)
        self._depth -= 1

    def _flush_run(self, run: list[str], kind: str) -> str:
        """Write the text collected so far; returns the kind of the next text."""
        text = "".join(run)
        if not text or text.isspace():
            return kind
        for segment in text.split(BREAK) if BREAK in text else (text,):
            words = self._finisher.finish(segment)
            if words.text:
                self._writer.write(kind, words, element=kind != "li")
                kind = "p"
        return kind

    def _is_boilerplate(self, element: etree._Element) -> bool:
        # One call for all, as most elements have an id only.
        names = element.keys()
        for name in names:
            if name == "class":
                classes = element.get("class", "").split()
                if tell_kind(classes, "", self._infobox) if self._is_wiki else "headerlink" in classes:
                    return True
            elif name == "role":
                if element.get("role") in (ROLES if self._is_wiki else _ROLES):
                    return True
            elif name == "hidden":
                return True
            elif name == "style":
                if _HIDDEN.search(element.get("style", "")) and "mwe-math" not in element.get("class", ""):
                    return True
            elif name == "typeof" and _NOT_TEXT.search(element.get("typeof", "")):
                return True
        return False

    def _read_block(self, element: etree._Element, tag: str) -> None:
        if tag in _HEADINGS:
            if element.get("id") != "titleHeading" and element.get("id") != "firstHeading":
                self._writer.heading(_HEADINGS[tag], self._finisher.finish(self._join_line(element)))
        elif tag in _LISTS:
            self._writer.open_list()
            self.read(element)
            self._writer.close_list()
        elif tag in _ITEMS and self._writer.lists:
            self._builder.open("li")
            self.read(element, "li")
            self._builder.close()
        elif tag == "table":
            self._read_table(element)
        elif tag == "pre":
            self._write_literal(element)
        elif tag == "figure":
            self._builder.open("figure")
            self.read(element)
            self._builder.close()
        elif tag == "figcaption":
            if "caption" not in self._drop:
                self._writer.write("caption", self._finisher.finish(self._join_line(element)))
        elif tag != "hr":
            self.read(element)

    def _write_literal(self, element: etree._Element) -> None:
        for line_break in element.iter("br", "div"):
            line_break.tail = f"\n{line_break.tail or ''}"
        text = "".join(map(str, element.itertext()))
        self._writer.write("pre", self._finisher.finish(MARKS.sub("", text).expandtabs(), keep_spaces=True))

    def _read_table(self, element: etree._Element) -> None:
        is_infobox = self._is_wiki and tell_kind((element.get("class") or "").split(), "", infobox=False) == "infobox"
        if "table" in self._drop and not is_infobox:
            return
        self._writer.open_table("infobox" if is_infobox else "table")
        self._read_rows(element)
        self._writer.close_table()

    def _read_rows(self, element: etree._Element) -> None:
        for child in element:
            tag = child.tag
            if tag == "caption" and "caption" not in self._drop:
                self._writer.write("caption", self._finisher.finish(self._join_line(child)))
            elif tag in ("tbody", "thead", "tfoot") and not self._is_boilerplate(child):
                self._read_rows(child)
            elif tag == "tr" and not self._is_boilerplate(child):
                self._writer.open_row()
                for cell in child:
                    if cell.tag in ("td", "th") and not self._is_boilerplate(cell):
                        self._writer.next_cell()
                        self._read_cell(cell)
                self._writer.close_row()

    def _read_cell(self, element: etree._Element) -> None:
        if not len(element):
            text = element.text or ""
        elif any(child.tag in _BLOCKS for child in element):
            self.read(element)
            return
        else:
            text = self._join_line(element)
        words = self._finisher.finish(text)
        self._writer.write("cell" if len(words.text) <= SHORT else "p", words)

    def _join_line(self, element: etree._Element) -> str:
        run: list[str] = []
        self._add_content(element, run)
        return "".join(run).replace(BREAK, " ")

    def _add_inline(self, element: etree._Element, tag: str, run: list[str]) -> None:
        if tag == "a":
            self._add_link(element, run)
        elif tag == "br":
            run.append(LINE)
        elif tag == "math":
            self._add_formula(element, run)

    def _add_content(self, element: etree._Element, run: list[str]) -> None:
        text = element.text
        if text:
            run.append(text)
        if not len(element):
            return
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise RejectedArticle(f"elements nested over {MAX_DEPTH} deep, which is the limit")
        for child in element:
            tag = child.tag
            if tag is not etree.Comment:
                if tag in self._skipped:
                    pass
                elif self._is_boilerplate(child):
                    run.append(GONE)
                elif tag in _BLOCKS:
                    run.append(BREAK)
                    self._add_content(child, run)
                    run.append(BREAK)
                elif tag in _INLINE:
                    self._add_inline(child, tag, run)
                else:
                    self._add_content(child, run)
            tail = child.tail
            if tail:
                run.append(tail)
        self._depth -= 1

    def _add_formula(self, element: etree._Element, run: list[str]) -> None:
        """Keep the source of a formula, which is in its annotation, else its words."""
        notes = _ANNOTATIONS(element)
        words = notes[0].text if notes else element.get("alttext") or "".join(map(str, element.itertext()))
        source = " ".join((words or "").split())
        shown = _DISPLAY.fullmatch(source)
        if source:
            self._literals.append(Literal("math", shown[1].strip() if shown else source))
            run.append(f"{LITERAL}{len(self._literals) - 1}{END}")

    def _add_link(self, element: etree._Element, run: list[str]) -> None:
        # The anchor of the first is a number, as in [1].
        if "autonumber" in (element.get("class") or "") or self._leads_to_heading(element):
            run.append(GONE)
            return
        target = _find_target(element)
        if target:
            self._targets.append(target)
            run.append(f"{LINK}{len(self._targets) - 1}{END}")
        self._add_content(element, run)
        if target:
            run.append(UNLINK)

    def _leads_to_heading(self, element: etree._Element) -> bool:
        return not self._is_wiki and (element.get("href") or "").startswith("#") and element.text in _HEADING_LINKS


def _find_captions(element: etree._Element) -> list[etree._Element]:
    if element.tag == "figure":
        return element.findall("figcaption") if _SHOWS_CAPTION.search(element.get("typeof") or "") else []
    for name in (element.get("class") or "").split():
        if name in _CAPTIONS:
            return [box for box in element.iter("div") if _CAPTIONS[name] in box.get("class", "").split()]
    return []


def _find_target(element: etree._Element) -> str:
    """Return the title of the article that a link leads to; none for other sites, files and places in the same page."""
    address = element.get("href") or ""
    if not address or "external" in (element.get("class") or "") or "extiw" in (element.get("class") or ""):
        return ""
    address = address.removeprefix("./").removeprefix("/wiki/")
    if _OTHER_PAGE.match(address) and "mw:WikiLink" not in (element.get("rel") or ""):
        return ""
    title = element.get("title") or urllib.parse.unquote(address.partition("#")[0]).rpartition("/")[2]
    title = title.removesuffix(".html").replace("_", " ").strip()
    prefix, colon, _ = title.partition(":")
    lists = wikis()
    if colon and any(prefix.lower() in lists[name] for name in ("file", "category", "other namespaces")):
        return ""
    return title
