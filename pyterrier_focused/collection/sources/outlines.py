"""Articles of plain words: paragraphs end at blank lines, headings begin sections."""

from __future__ import annotations

import re

from ...wikitext import ParsedArticle

_PARAGRAPH = re.compile(r"\S(?:.*?\S)??(?=\s*\n[ \t]*\n|\s*\Z)", re.DOTALL)


def add_element(article: ParsedArticle, tag: str, parent: int, start: int, end: int) -> int:
    """Add an element to an article's columns, and return its row."""
    article.tag.append(tag)
    article.parent.append(parent)
    article.start.append(start)
    article.end.append(end)
    return len(article.tag) - 1


def add_paragraphs(article: ParsedArticle, parent: int, start: int, end: int) -> None:
    for paragraph in _PARAGRAPH.finditer(article.text, start, end):
        add_element(article, "p", parent, paragraph.start(), paragraph.end())
