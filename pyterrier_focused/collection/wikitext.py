"""Wikitext to plain text: what a reader sees of a page, without references, tables, files and most templates.

mwparserfromhell reads the page. Its tokens are gone through in order, without making its tree of them, which takes five
times as long as reading them. What comes out is marked text: the lines of headings, list items and preformatted text
begin with a mark.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from typing import Any

from ..errors import import_extra
from .parsed_articles import ParsedArticle, RejectedArticle
from .wikitext_blocks import HEADING, ITEM, LINE, assemble
from .wikitext_limits import MAX_DEPTH, check_limits
from .wikitext_templates import inline

FILES = frozenset(("file", "image", "category"))  # the namespaces whose links show no words

_OTHERS = frozenset("media template wikipedia portal help mediawiki module special talk user book draft".split())
_DROPPED = frozenset(
    """ref references table tr td th caption gallery timeline score imagemap hiero graph templatedata section indicator
    mapframe maplink math chem ce style script inputbox categorytree rss includeonly img templatestyles""".split()
)
_BLOCKS = frozenset("blockquote center div p ul ol dl pre poem syntaxhighlight source".split())
_LINES = frozenset("pre poem syntaxhighlight source".split())
_ITEMS = frozenset("li dt dd".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z-]+)?|simple", re.ASCII)

_MARKS = re.compile(f"{HEADING}.|{ITEM}|{LINE}")
_MARKUP, _KEPT = "<>[]{}|!'_", "\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13"  # characters that XML text cannot hold
_KEEP, _RESTORE = str.maketrans(_MARKUP, _KEPT), str.maketrans(_KEPT, _MARKUP)
_LEFTOVERS = (  # of markup without an end, which the parser reads as text
    re.compile(r"<ref\b[^<>/\n]*>.*|\[\[ *(?:file|image|category) *:.*|\{\{[^\n|{}]*\|.*|\{\|.*", re.IGNORECASE),
    re.compile(
        r"</?(?:ref|references|br|hr|div|span|center|small|big|sup|sub|s|u|i|b|em|strong|code|tt|p|li|ul|ol|dl|dd|dt|font|"
        r"nowiki|pre|table|tr|td|th|blockquote|gallery|math|poem|cite|abbr|noinclude|includeonly|onlyinclude)\b[^<>\n]*>",
        re.IGNORECASE,
    ),
    re.compile(r"\[\[|\]\]|\{\{+|\}\}+|<!--|-->|^[ \t]*(?:\|[-}|].*|\|(?!\|).*|!!.*)$", re.MULTILINE),
    re.compile(
        r"__(?:(?:NO|FORCE)?TOC|(?:NO)?EDITSECTION|(?:NO)?NEWSECTIONLINK|NOGALLERY|(?:NO)?INDEX|HIDDENCAT|DISAMBIG)__"
    ),
)


def parse_wikitext(docno: str, title: str, wikitext: str, namespaces: Collection[str] = ()) -> ParsedArticle:
    """Make an article of a page; the title is its first line. Raises RejectedArticle where the page is beyond bounds.

    *namespaces*: names, in small letters, of the namespaces of files and categories in the wiki's own language.
    """
    check_limits(wikitext)
    return assemble(docno, title, _Reader(wikitext, FILES.union(namespaces)).read())


class _Reader:
    """Goes through the tokens of a page once."""

    def __init__(self, wikitext: str, files: Collection[str]):
        parser = import_extra("mwparserfromhell.parser", "retrieval")
        tokenizer = parser.CTokenizer or import_extra("mwparserfromhell.parser.tokenizer", "retrieval").Tokenizer
        try:
            self._tokens = tokenizer().tokenize(wikitext, 0, True)  # True: quotes that mean italics are text
        except parser.ParserError as error:
            raise RejectedArticle(f"wikitext that mwparserfromhell does not take: {error}") from error
        self._kinds = kinds = import_extra("mwparserfromhell.parser.tokens", "retrieval")
        self._handlers = {
            kinds.TemplateOpen: self._template,
            kinds.ArgumentOpen: lambda token: self._skip(kinds.ArgumentOpen, kinds.ArgumentClose),
            kinds.WikilinkOpen: self._link,
            kinds.ExternalLinkOpen: self._external_link,
            kinds.HTMLEntityStart: self._entity,
            kinds.HeadingStart: self._heading,
            kinds.CommentStart: lambda token: self._skip(kinds.CommentStart, kinds.CommentEnd),
            kinds.TagOpenOpen: self._tag,
        }
        self._files = files
        self._at = self._depth = 0
        self._out: list[str] = []
        self._kept = False  # whether there are characters of markup that are meant as such

    def read(self) -> str:
        """Return the marked text."""
        self._run(())
        text = "".join(self._out)
        for leftover in _LEFTOVERS:
            text = leftover.sub("", text)
        return text.translate(_RESTORE) if self._kept else text

    def _run(self, until: Collection[Any]) -> Any:
        """Read tokens up to one of the kinds *until*; returns its kind."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise RejectedArticle(f"markup nested over {MAX_DEPTH} deep")
        tokens, out, text, handlers = self._tokens, self._out, self._kinds.Text, self._handlers
        while self._at < len(tokens):
            token = tokens[self._at]
            self._at += 1
            kind = type(token)
            if kind is text:
                out.append(token["text"])
            elif kind in until:
                self._depth -= 1
                return kind
            elif kind in handlers:  # others stand between the words of an attribute
                handlers[kind](token)
        self._depth -= 1
        return None

    def _words(self, *until: Any) -> tuple[str, Any]:
        """Read tokens as `_run` does; returns their text, and the kind of the last."""
        tokens, at = self._tokens, self._at
        if type(tokens[at]) is self._kinds.Text and type(tokens[at + 1]) in until:  # most often
            self._at += 2
            return tokens[at]["text"], type(tokens[at + 1])
        out, self._out = self._out, []
        kind = self._run(until)
        words, self._out = "".join(self._out), out
        return words, kind

    def _skip(self, opening: Any, *closings: Any) -> None:
        """Pass over what has been opened, and all within it."""
        tokens, at, depth = self._tokens, self._at, 1
        while depth:
            kind = type(tokens[at])
            at += 1
            if kind is opening:
                depth += 1
            elif kind in closings:
                depth -= 1
        self._at = at

    def _template(self, token: Any) -> None:
        kinds = self._kinds
        name, kind = self._words(kinds.TemplateParamSeparator, kinds.TemplateClose)
        says = inline(name)
        if says is None:
            if kind is not kinds.TemplateClose:
                self._skip(kinds.TemplateOpen, kinds.TemplateClose)
            return
        given: dict[str, str] = {}
        number = 0
        while kind is not kinds.TemplateClose:
            words, kind = self._words(kinds.TemplateParamEquals, kinds.TemplateParamSeparator, kinds.TemplateClose)
            if kind is kinds.TemplateParamEquals:
                key = words.strip()
                words, kind = self._words(kinds.TemplateParamSeparator, kinds.TemplateClose)
                given[key] = words.strip()
            else:
                number += 1
                given[str(number)] = words
        self._out.append(says(given))

    def _link(self, token: Any) -> None:
        kinds = self._kinds
        target, kind = self._words(kinds.WikilinkSeparator, kinds.WikilinkClose)
        prefix, colon, rest = target.partition(":")
        prefix = prefix.strip().lower().replace("_", " ")
        piped = kind is kinds.WikilinkSeparator
        if colon and prefix in self._files:
            if piped:
                self._skip(kinds.WikilinkOpen, kinds.WikilinkClose)
        elif piped:
            self._run((kinds.WikilinkClose,))
        elif colon and (not prefix or prefix in _OTHERS or _LANGUAGE.fullmatch(prefix)):
            if not prefix:  # [[:Category:Cats]] shows a link to the category
                self._out.append(rest)
        else:
            self._out.append(target)

    def _external_link(self, token: Any) -> None:
        kinds = self._kinds
        address, kind = self._words(kinds.ExternalLinkSeparator, kinds.ExternalLinkClose)
        if kind is kinds.ExternalLinkSeparator:
            self._run((kinds.ExternalLinkClose,))
        elif not token.get("brackets"):
            self._out.append(address)

    def _entity(self, token: Any) -> None:
        kinds = self._kinds
        name = ""
        while type(token := self._tokens[self._at]) is not kinds.HTMLEntityEnd:
            self._at += 1
            if type(token) is kinds.HTMLEntityNumeric:
                name = "#"
            elif type(token) is kinds.HTMLEntityHex:
                name = "#x"
            else:
                name += token["text"]
        self._at += 1
        self._keep(html.unescape(f"&{name};"))

    def _keep(self, words: str) -> None:
        """Add words that are no markup, whatever they look like."""
        self._kept = True
        self._out.append(words.translate(_KEEP))

    def _heading(self, token: Any) -> None:
        words, _ = self._words(self._kinds.HeadingEnd)
        self._out.append(_heading(token["level"], words))

    def _tag(self, token: Any) -> None:
        kinds, markup = self._kinds, token.get("wiki_markup")
        name, kind = self._words(kinds.TagAttrStart, kinds.TagCloseOpen, kinds.TagCloseSelfclose)
        name = name.strip().lower()
        while kind is kinds.TagAttrStart:
            _, kind = self._words(kinds.TagAttrStart, kinds.TagCloseOpen, kinds.TagCloseSelfclose)
        if kind is kinds.TagCloseSelfclose:
            if markup in ("*", "#", ";", ":"):
                self._out.append(ITEM)
            elif name == "br":
                self._out.append(" ")
            elif name == "hr":
                self._out.append("\n\n")
            return
        if name in _DROPPED:
            self._skip(kinds.TagOpenOpen, kinds.TagCloseClose, kinds.TagCloseSelfclose)
            return
        words, _ = self._words(kinds.TagOpenClose)
        self._skip(kinds.TagOpenOpen, kinds.TagCloseClose)
        if name in _HEADINGS:
            self._out.append(_heading(int(name[1]), words))
        elif name in _ITEMS:
            self._out.append(f"\n{ITEM}{words}\n")
        elif name in _LINES:
            self._out.append(f"\n\n{LINE}{words.strip(chr(10)).replace(chr(10), chr(10) + LINE)}\n\n")
        elif name == "nowiki":
            self._keep(words)
        else:
            edge = "\n\n" if name in _BLOCKS else ""
            self._out.append(f"{edge}{words}{edge}")


def _heading(level: int, words: str) -> str:
    return f"\n{HEADING}{level}{' '.join(_MARKS.sub(' ', words).split())}\n"
