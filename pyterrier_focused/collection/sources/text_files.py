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
from .outlines import add_element, add_paragraphs
from .raw import RawArticle

MAX_BYTES = 2**26
BOM = codecs.BOM_UTF8
_MARKDOWN = (".md", ".markdown", ".mdx")
# A fence of code, in which nothing is a heading, or a heading of Markdown; with four spaces it is code.
_MARKS = re.compile(
    r"^[ ]{0,3} (?: (?P<fence> ```|~~~ ) | (?P<marks> \#{1,6} ) [ \t]+ (?P<title> .*?) [ \t\#]* $ )", re.M | re.X
)


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
    if raw.file.lower().endswith(_MARKDOWN):
        _add_sections(article)
    else:
        add_paragraphs(article, 0, 0, len(text))
    # The name of code is that of its file.
    article.title = article.title or (name if raw.name == raw.file else name.replace("_", " "))
    yield article


def _add_sections(article: ParsedArticle) -> None:
    """Add the sections, titles and paragraphs of Markdown."""
    text = article.text
    front_matter = find_front_matter(text)
    done = 0
    if front_matter:
        add_element(article, "frontmatter", 0, 0, front_matter.end("block"))
        article.title = read_title(front_matter["block"])
        done = front_matter.end()
    # Level and row of each open section.
    sections: list[tuple[int, int]] = [(0, 0)]
    is_code = False
    for mark in _MARKS.finditer(text, done):
        is_code ^= bool(mark["fence"])
        if is_code or mark["fence"]:
            continue
        add_paragraphs(article, sections[-1][1], done, mark.start())
        level = len(mark["marks"])
        while sections[-1][0] >= level:
            article.end[sections.pop()[1]] = mark.start()
        sections.append((level, add_element(article, "section", sections[-1][1], mark.start(), len(text))))
        add_element(article, "title", sections[-1][1], *mark.span("title"))
        article.title = article.title or mark["title"]
        done = mark.end()
    add_paragraphs(article, sections[-1][1], done, len(text))
