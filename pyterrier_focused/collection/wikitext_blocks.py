"""Marked text to an article: headings open sections, blank lines end paragraphs, items stand for themselves."""

from __future__ import annotations

import re

from .parsed_articles import ParsedArticle

ITEM, HEADING, LINE = "\x02", "\x03", "\x04"  # begin a line; no XML text holds them

_QUOTES = re.compile("('{2,})")
_INNER_HEADING = re.compile(f"{HEADING}.")
_PAUSES = " ,;:"
_EMPTY, _OPENED = re.compile(r" ?\(\s*\)"), re.compile(r"\([ ,;:]+")
_REPEATED = re.compile(r"([,;])(?: ?[,;]){1,9}(?= )")
_BEFORE_PAUSE = re.compile(r" (?=[,.;:)](?:\s|$))")


def assemble(docno: str, title: str, marked: str) -> ParsedArticle:
    """Make an article of marked text: a title, sections within sections with titles, paragraphs and list items."""
    article = ParsedArticle(docno, title, "")
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
    add("title", 0, write(title, ""))
    sections = [(0, 0)]  # (level, row) of the article and of the sections that are open
    last = "p"
    for kind, words in _blocks(marked):
        gap = "\n" if last == "title" or last == kind == "li" else "\n\n"
        last = kind
        if kind in ("p", "li"):
            start = write(words, gap)
            add(kind, sections[-1][1], start)
            continue
        while sections[-1][0] >= int(kind):
            article.end[sections.pop()[1]] = length
        start = write(words, "\n\n")
        sections.append((int(kind), add("section", sections[-1][1], start)))
        add("title", sections[-1][1], start)
        last = "title"
    for _, row in sections:
        article.end[row] = length
    article.text = "".join(text)
    return article


def _blocks(marked: str) -> list[tuple[str, str]]:
    """Cut marked text into blocks: ("p" or "li" or the level of a heading, words)."""
    blocks: list[tuple[str, str]] = []
    open_paragraph = False
    for raw in marked.split("\n"):
        line = " ".join(_unquote(raw).split())
        is_preformatted = line[:1] == LINE or raw[:1] == " "
        line = line.lstrip(f"{LINE} ")
        mark = line[:1]
        if HEADING in line[1:]:  # of a template
            line = mark + _INNER_HEADING.sub("", line[1:])
        if mark == HEADING:
            words = _tidy(line[2:])
            if words:
                blocks.append((line[1], words))
            open_paragraph = False
            continue
        words = _tidy(line.lstrip(f"{ITEM} ").replace(ITEM, ": ").replace(LINE, ""))
        if not words:
            open_paragraph = False
        elif mark == ITEM:
            blocks.append(("li", words))
            open_paragraph = False
        elif open_paragraph:
            gap = "\n" if is_preformatted else " "
            blocks[-1] = ("p", f"{blocks[-1][1]}{gap}{words}")
        else:
            blocks.append(("p", words))
            open_paragraph = True
    return blocks


def _unquote(line: str) -> str:
    """Take the quotes that mean bold and italics off a line, as MediaWiki does: L'''Orfeo'' keeps an apostrophe."""
    if "''" not in line:
        return line
    parts = _QUOTES.split(line)
    bold = italics = 0
    for at in range(1, len(parts), 2):
        run = len(parts[at])
        if run == 4 or run > 5:  # the first ones are apostrophes
            parts[at - 1] += "'" * (run - (3 if run == 4 else 5))
        bold += run != 2
        italics += run not in (3, 4)
    if bold % 2 and italics % 2:  # one of the bolds is an apostrophe and italics
        before = {at: parts[at - 1] for at in range(1, len(parts), 2) if len(parts[at]) == 3}
        ranked = sorted(before, key=lambda at: (before[at][-1:] == " ", before[at][-2:-1] != " ", at))
        if ranked:
            parts[ranked[0] - 1] += "'"
    return "".join(parts[::2])


def _tidy(words: str) -> str:
    """Mend what is left around a template or a reference that is gone: empty brackets, spaces before points."""
    if "(" in words:
        words = _OPENED.sub("(", words)
    if ")" in words:
        *closed, rest = words.split(")")
        words = ")".join([*(part.rstrip(_PAUSES) for part in closed), rest])
        words = _EMPTY.sub("", words)
    if ", " in words or "; " in words:
        words = _REPEATED.sub(r"\1", words)
    return _BEFORE_PAUSE.sub("", words).strip()
