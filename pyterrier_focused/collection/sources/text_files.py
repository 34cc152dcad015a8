"""Text, Markdown and code: the article's text is the file's own, and headings and blank lines make its elements."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

from ...reading.names import as_docno, strip_suffix
from ...wikitext import ParsedArticle, RejectedArticle
from ..front_matter import find_front_matter, read_title
from .docnos import checked_docno
from .outlines import add_element
from .raw import RawArticle

MAX_BYTES = 2**26
BOM = codecs.BOM_UTF8
_MARKDOWN = (".md", ".markdown", ".mdx")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})[ \t]+(?P<words>.*)")


def read_file(path: str, stream: BinaryIO) -> Iterator[RawArticle]:
    data = stream.read(MAX_BYTES + 1)
    error = f"over {MAX_BYTES:,} bytes" if len(data) > MAX_BYTES else ""
    yield RawArticle(path, 0, strip_suffix(path), data, error)


def parse_text(raw: RawArticle) -> Iterator[ParsedArticle]:
    docno = checked_docno(as_docno(raw.name))
    name = raw.name.rpartition("/")[2]
    try:
        text = raw.data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise RejectedArticle(f"byte {error.start} is not UTF-8; convert the file to UTF-8") from None
    # Such as an __init__.py.
    if not text.strip():
        return
    # Offsets are then those of other readers of texts.
    text = text.replace("\r\n", "\n")
    article = ParsedArticle(docno, "", text)
    add_element(article, "article", -1, 0, len(text))
    is_markdown = raw.file.lower().endswith(_MARKDOWN)
    front_matter = find_front_matter(text) if is_markdown else None
    if front_matter:
        add_element(article, "frontmatter", 0, 0, front_matter.end("block"))
        article.title = read_title(front_matter["block"])
    _add_lines(article, front_matter.end() if front_matter else 0, is_markdown)
    # The name of code is that of its file.
    article.title = article.title or (name if raw.name == raw.file else name.replace("_", " "))
    yield article


def _add_lines(article: ParsedArticle, start: int, has_headings: bool) -> None:
    """Add the sections, titles and paragraphs of a text from *start* on; its first heading is the article's title."""
    # Level and row of each open section.
    sections: list[tuple[int, int]] = [(0, 0)]
    paragraph = -1
    offset = start
    is_code = False
    for line in article.text[start:].splitlines(keepends=True):
        line_end = offset + len(line.rstrip())
        is_code ^= bool(_FENCE.match(line))
        heading = _HEADING.fullmatch(line.rstrip()) if has_headings and not is_code else None
        if heading:
            level = len(heading["marks"])
            title = heading["words"].rstrip(" \t#")
            while sections[-1][0] >= level:
                article.end[sections.pop()[1]] = offset
            row = add_element(article, "section", sections[-1][1], offset, len(article.text))
            sections.append((level, row))
            add_element(article, "title", row, offset + line.index(title), line_end)
            article.title = article.title or title
        if heading or not line.strip():
            paragraph = -1
        elif paragraph < 0:
            paragraph = add_element(article, "p", sections[-1][1], offset, line_end)
        else:
            article.end[paragraph] = line_end
        offset += len(line)
