"""How much work a page of wikitext may be, told from its text alone: two machines take and refuse the same pages.

mwparserfromhell goes back and reads on as text where a construct turns out to have no end, so every opening that is not
closed costs it a walk to the end of the page, thousands of them minutes. MediaWiki's own limit on a page is 2 MiB.
"""

from __future__ import annotations

import re

from .parsed_articles import RejectedArticle

MAX_BYTES = 2**21  # of UTF-8
MAX_MARKUP = 400_000  # characters that can be markup; each can become a node
MAX_DEPTH = 100  # of constructs within each other
MAX_WALK = 5 * 10**6  # characters between openings that are not closed and the end, summed: 0.01 to 0.8 us each
TABLE = 400  # as many characters does a table count on the way
ATTRIBUTES = 3  # how many times as long it takes to read on behind a tag as attributes
MAX_EQUALS = 100  # runs of '=' in a line that begins with one: the parser calls itself for each

SINGLE_TAGS = frozenset(("br", "hr", "wbr", "img", "li", "dd", "dt", "td", "th", "tr", "p"))
RAW_TAGS = frozenset(
    "nowiki pre math chem ce source syntaxhighlight score timeline hiero graph templatedata categorytree".split()
)
_MARKUP = "[]{}<>|=*#:;&!'"
_MARK = re.compile(r"<(?:!--|/?[A-Za-z][A-Za-z0-9]*)|/>|>|\{[{|]|\}\}|\[\[|\]\]|\[(?=[a-z]+:|//)|\|\}(?!\})|://")
_SPACE, _LINK_END = re.compile(r"\s"), re.compile(r"[]\n]")
_EQUALS = re.compile(rf"^=+(?:[^=\n]+=+){{{MAX_EQUALS}}}", re.MULTILINE)
_BEFORE_ATTRIBUTES = tuple(" \t\n\"'")
_LINE_START = re.compile(r"(?:^|\n)[ :*#;\t]*$")
_CLOSES = {"}}": "{{", "]]": "[[", "|}": "{|"}


def check_limits(wikitext: str) -> None:
    """Raise RejectedArticle for a page that is too large, too deep, or too much work for the parser."""
    size = len(wikitext) if wikitext.isascii() else len(wikitext.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise RejectedArticle(f"{size:,} bytes of wikitext; {MAX_BYTES:,} are MediaWiki's own limit")
    markup = sum(map(wikitext.count, _MARKUP))
    if markup > MAX_MARKUP:
        raise RejectedArticle(f"{markup:,} characters of markup; {MAX_MARKUP:,} are the limit")
    line = _EQUALS.search(wikitext)
    if line:
        raise RejectedArticle(f"a line with over {MAX_EQUALS} runs of '=': {line[0][:40]!r}")
    walk, depth, worst = _unclosed(wikitext)
    walk += walk * TABLE * wikitext.count("{|") // max(len(wikitext), 1)
    if walk > MAX_WALK:
        raise RejectedArticle(
            f"markup that is opened and not closed (as {worst!r}) would keep the parser busy: {walk:,} characters to "
            f"walk, {MAX_WALK:,} are the limit"
        )
    if depth > MAX_DEPTH:
        raise RejectedArticle(f"markup nested {depth} deep; {MAX_DEPTH} is the limit")


def _unclosed(wikitext: str) -> tuple[int, int, str]:
    """Return (characters from each opening without end to where the parser gives up, greatest depth, an opening).

    A closing that does not fit the innermost opening is text, as to the parser.
    """
    open_at: list[tuple[str, int]] = []
    walk, depth, worst = 0, 0, ""
    size = len(wikitext)
    position = 0
    while (match := _MARK.search(wikitext, position)) is not None:
        mark, at, position = match[0], match.start(), match.end()
        if mark in ("[", "://"):  # a link ends with its line, an address at white space
            stop = (_LINK_END if mark == "[" else _SPACE).search(wikitext, position)
            walk += (stop.start() if stop else size) - at
            worst = mark
        elif mark == "<!--":
            position = wikitext.find("-->", position) + 3
            if position < 3:
                walk, worst, position = walk + size - at, mark, at + 4
        elif mark[0] == "<" and mark[1] != "/":
            open_at.append((mark.lower(), at))
        elif mark[0] == "<":
            if open_at and open_at[-1][0] == f">{mark[2:].lower()}":
                open_at.pop()
        elif mark[-1] == ">":
            if open_at and open_at[-1][0][0] == "<":
                name, began = open_at.pop()
                name = name[1:]
                if mark == ">" and name in RAW_TAGS:
                    ends = re.compile(f"</{name}", re.IGNORECASE).search(wikitext, position)
                    if ends is None:
                        walk, worst = walk + size - began, f"<{name}>"
                    else:
                        position = ends.end()
                elif mark == ">" and name not in SINGLE_TAGS:
                    open_at.append((f">{name}", began))
        elif mark in _CLOSES:
            if open_at and open_at[-1][0] == _CLOSES[mark]:
                open_at.pop()
        elif mark != "{|" or _LINE_START.search(wikitext, max(at - 20, 0), at):
            open_at.append((mark, at))
        depth = max(depth, len(open_at))
        if walk > MAX_WALK:
            break
    for name, at in open_at:
        has_attributes = name[0] == "<" and wikitext[at + len(name) : at + len(name) + 1] in _BEFORE_ATTRIBUTES
        walk += (size - at) * (ATTRIBUTES if has_attributes else 1)
        worst = f"<{name.strip('<>')}" if name[0] in "<>" else name
    return walk, depth, worst
