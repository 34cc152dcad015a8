"""Wikitext to plain text and its structure: sections, headings, paragraphs, list items.

mwparserfromhell parses; references, templates, tables, files and categories are left out of its tree. What is left is
read line by line: headings open sections, blank lines end paragraphs.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..errors import import_extra
from .article import Article, RejectedArticle

MAX_CHARACTERS = 2**21  # what MediaWiki itself allows
# Bounds on counts, never on time, so that all machines take the same articles. What is left open makes the parser read
# on to the end and start again; what is closed costs about 50 microseconds; many '=' in a line overflow its stack.
MAX_REREAD = 10**8  # what is left open x characters of the article
MAX_MARKUP = 100_000  # tags, links, templates, headings, list markers; tables count 20 times
MAX_EQUALS = 100  # runs of '=' in a line that begins with one

_DROPPED = frozenset(
    [
        "ref",
        "references",
        "table",
        "tr",
        "td",
        "th",
        "caption",
        "gallery",
        "timeline",
        "score",
        "imagemap",
        "hiero",
        "graph",
        "templatedata",
        "section",
        "indicator",
        "mapframe",
        "maplink",
        "math",
        "chem",
        "ce",
        "style",
        "script",
        "inputbox",
        "categorytree",
        "rss",
        "includeonly",
        "img",
    ]
)
_BLOCKS = frozenset(
    [
        "blockquote",
        "center",
        "div",
        "p",
        "ul",
        "ol",
        "dl",
        "pre",
        "poem",
        "syntaxhighlight",
        "source",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    ]
)
_ITEMS = frozenset(("li", "dt", "dd"))
_NAMESPACES = frozenset(
    [
        "file",
        "image",
        "category",
        "media",
        "template",
        "wikipedia",
        "portal",
        "help",
        "mediawiki",
        "module",
        "special",
        "talk",
        "user",
        "book",
        "draft",
    ]
)
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z-]+)?|simple|tokipona", re.ASCII)
_SPACE = re.compile(r"[^\S\n]+")
_EMPTY = re.compile(r"\(\s*[,;:]*\s*\)")
_LEADING = re.compile(r"\(\s*[,;:]+\s*")
_BEFORE_POINT = re.compile(r" +([,.;](?:\s|$))")
# what the parser leaves in text: quotes of style, switches, markup that is not closed, rows of broken tables
_LEFTOVER = re.compile(r"'{2,}|__[A-Z]{3,}__|\[\[|\]\]|\{\{+|\}\}+|\{\||\|\}|^[ \t]*\|.*$", re.MULTILINE)
_MARKERS = re.compile(r"^[*#:;]+", re.MULTILINE)
_EQUALS = re.compile(rf"^(?:=+[^=\n]*){{{MAX_EQUALS + 1}}}", re.MULTILINE)
_OPEN_LINK = re.compile(r"\[(?:[a-z]*:?//|mailto:)")
_TAG = re.compile(r"<!--|-->|</(?P<close>[A-Za-z]+)|<(?P<open>[A-Za-z]+)(?:[^<>]*?(?P<end>/?>))?|\{\||\|\}")
_CLOSES = {"-->": "<!--", "|}": "{|"}
_NEVER_CLOSED = frozenset(("br", "hr", "wbr", "li", "p", "dd", "dt", "tr", "td", "th", "img"))
_ITEM, _HEADING = "\x02", "\x03"  # no XML text holds them


def parse_wikitext(docno: str, title: str, wikitext: str) -> Article:
    """Make an article of a page; the title is its first line. Raises RejectedArticle for a page beyond bounds."""
    _check_bounds(wikitext)
    parser = import_extra("mwparserfromhell", "retrieval")
    try:
        tree = parser.parse(wikitext, skip_style_tags=True)
    except parser.parser.ParserError as error:
        raise RejectedArticle(f"wikitext that the parser does not take: {error}") from error
    pieces: list[str] = []
    _flatten(parser.nodes, tree.nodes, pieces)
    return _assemble(docno, title, _LEFTOVER.sub("", "".join(pieces)))


def _check_bounds(wikitext: str) -> None:
    """Raise RejectedArticle for wikitext that would keep the parser busy for more than a few seconds, or break it."""
    if len(wikitext) > MAX_CHARACTERS:
        raise RejectedArticle(f"{len(wikitext)} characters of wikitext; {MAX_CHARACTERS} are MediaWiki's own limit")
    markup = sum(wikitext.count(token) for token in ("<", "[[", "{{", "://", "\n="))
    markup += 20 * wikitext.count("{|") + 3 * wikitext.count("\n----") + sum(map(len, _MARKERS.findall(wikitext)))
    if markup > MAX_MARKUP:
        raise RejectedArticle(f"over {MAX_MARKUP} tags, links, templates, headings and list markers")
    line = _EQUALS.search(wikitext)
    if line:
        raise RejectedArticle(f"a line with over {MAX_EQUALS} runs of '=': {line[0][:40]!r}")
    tails = (line[line.rfind("]") + 1 :] for line in wikitext.split("\n"))
    left_open = Counter({"[": sum(len(_OPEN_LINK.findall(tail)) for tail in tails)})
    for match in _TAG.finditer(wikitext):
        token = match[0]
        if match["close"]:
            _close(left_open, match["close"].lower())
        elif match["open"]:
            name = match["open"].lower()
            if match["end"] is None:
                left_open["<"] += 60  # what follows is read as attributes, which takes longest
            elif match["end"] == ">" and name not in _NEVER_CLOSED:
                left_open[name] += 1
        elif token in _CLOSES:
            _close(left_open, _CLOSES[token])
        else:
            left_open[token] += 1
    count = sum(left_open.values())
    if count * len(wikitext) > MAX_REREAD:
        worst = left_open.most_common(1)[0][0]
        most = MAX_REREAD // len(wikitext)
        raise RejectedArticle(f"{count} tags or brackets, {worst!r} most, are not closed; here {most} may be")


def _close(left_open: Counter[str], name: str) -> None:
    if left_open[name] > 0:
        left_open[name] -= 1


def _flatten(kinds: Any, nodes: Any, pieces: list[str]) -> None:
    """Collect the text of nodes, with marks for headings and list items; the parser nests 40 deep at most."""
    for node in nodes:
        if isinstance(node, kinds.Text):
            pieces.append(node.value)
        elif isinstance(node, kinds.Wikilink):
            _flatten_link(kinds, node, pieces)
        elif isinstance(node, kinds.HTMLEntity):
            pieces.append(_character(node))
        elif isinstance(node, kinds.ExternalLink):
            if node.title is not None:
                _flatten(kinds, node.title.nodes, pieces)
            elif not node.brackets:
                pieces.append(str(node.url))
        elif isinstance(node, kinds.Heading):
            inner: list[str] = []
            _flatten(kinds, node.title.nodes, inner)
            pieces.append(f"\n{_HEADING}{node.level}{' '.join(''.join(inner).split())}\n")
        elif isinstance(node, kinds.Tag):
            _flatten_tag(kinds, node, pieces)


def _flatten_link(kinds: Any, link: Any, pieces: list[str]) -> None:
    target = str(link.title).strip()
    prefix, colon, _ = target.partition(":")
    if colon and prefix.strip().lower() in _NAMESPACES:
        return
    if colon and link.text is None and _LANGUAGE.fullmatch(prefix.strip()):
        return
    _flatten(kinds, (link.title if link.text is None else link.text).nodes, pieces)


def _flatten_tag(kinds: Any, tag: Any, pieces: list[str]) -> None:
    name = str(tag.tag).strip().lower()
    if tag.wiki_markup in ("*", "#", ";", ":"):
        pieces.append(_ITEM)
    elif name == "br":
        pieces.append(" ")
    elif name == "hr":
        pieces.append("\n\n")
    elif name not in _DROPPED and tag.contents is not None:
        edge = "\n\n" if name in _BLOCKS else ""
        pieces.append(f"\n{_ITEM}" if name in _ITEMS else edge)
        _flatten(kinds, tag.contents.nodes, pieces)
        pieces.append("\n" if name in _ITEMS else edge)


def _character(entity: Any) -> str:
    try:
        character = entity.normalize()
    except (ValueError, OverflowError):
        return ""
    return "" if character in (_ITEM, _HEADING) or "\ud800" <= character <= "\udfff" else character


def _assemble(docno: str, title: str, marked: str) -> Article:
    """Read the lines of marked text as an article."""
    article = Article(docno, title, "")
    text: list[str] = []
    length = 0

    def write(words: str, gap: str) -> int:
        nonlocal length
        if length:
            text.append(gap)
            length += len(gap)
        text.append(words)
        length += len(words)
        return length - len(words)

    def add(tag: str, parent: int, start: int) -> int:
        article.tag.append(tag)
        article.parent.append(parent)
        article.start.append(start)
        article.end.append(length)
        return len(article.tag) - 1

    add("article", -1, 0)
    if title:
        add("title", 0, write(title, ""))
    sections: list[tuple[int, int]] = [(0, 0)]  # (level, row) of the article and the open sections
    last = "title"
    for kind, words in _blocks(marked):
        if kind.isdigit():
            while sections[-1][0] >= int(kind):
                article.end[sections.pop()[1]] = length
            start = write(words, "\n\n") if words else length
            row = add("section", sections[-1][1], start)
            sections.append((int(kind), row))
            if words:
                add("title", row, start)
            last = "heading" if words else last
        else:
            gap = "\n" if (last in ("heading", kind) and "p" not in (last, kind)) or last == "heading" else "\n\n"
            start = write(words, gap)
            add(kind, sections[-1][1], start)
            last = kind
    for _, row in sections:
        article.end[row] = length
    article.text = "".join(text)
    return article


def _blocks(marked: str) -> list[tuple[str, str]]:
    """Cut marked text into blocks: ("p" or "li" or the level of a heading, words)."""
    blocks: list[tuple[str, str]] = []
    open_paragraph = False
    for raw in marked.split("\n"):
        line = _SPACE.sub(" ", raw).strip()
        if line.startswith(_HEADING):
            blocks.append((line[1], _tidy(line[2:].replace(_ITEM, "").replace(_HEADING, ""))))
            open_paragraph = False
            continue
        item = line.startswith(_ITEM)
        words = _tidy(line.lstrip(_ITEM + " ").replace(_ITEM, ":").replace(_HEADING, ""))
        if not words:
            open_paragraph = open_paragraph and bool(line)
        elif item:
            blocks.append(("li", words))
            open_paragraph = False
        elif open_paragraph:
            blocks[-1] = ("p", f"{blocks[-1][1]} {words}")
        else:
            blocks.append(("p", words))
            open_paragraph = True
    return blocks


def _tidy(words: str) -> str:
    """Mend what removed templates and references leave: empty brackets, spaces before points."""
    words = _BEFORE_POINT.sub(r"\1", _LEADING.sub("(", _EMPTY.sub("", words)))
    return _SPACE.sub(" ", words).strip()
