"""Text, Markdown and code: the article's text is the file's own, and headings and blank lines make its elements."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence

from ...reading.names import as_docno, strip_suffix
from ...wikitext import ParsedArticle, RejectedArticle
from ..files.storage import StoragePath
from .archives import SourcePath, find_file, unpack
from .raw import ArticleColumns, RawArticle, Rejection, TagNumbers, read_each
from .records import add_element
from .xml_article import checked_docno

MAX_BYTES = 2**26
BOM = codecs.BOM_UTF8
# Bytes of a file that are looked at to tell text from other data.
_HEAD = 8192
_MARKDOWN = (".md", ".markdown")
# With four spaces it is code.
_HEADING = re.compile(r"[ ]{0,3}(?P<marks>#{1,6})[ \t]+(?P<words>.*)")
_UNDERLINED = re.compile(r"^(?P<title>\S.*)\n(?P<mark>[=~^*#\"-])(?P=mark){2,}[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"[ ]{0,3}(```|~~~)")


class TextFileReader:
    """Reads files of text; a docno is the file's path, without the endings of plain text and Markdown."""

    def read(self, raws: Sequence[RawArticle], codes: TagNumbers) -> tuple[ArticleColumns, list[Rejection]]:
        return read_each(raws, codes, _read_article)


def read_text_files(folder: StoragePath, paths: Sequence[str]) -> Iterator[RawArticle]:
    for path in paths:
        raw = RawArticle(path, 0, strip_suffix(path))
        try:
            with find_file(folder, path).open() as file:
                raw.data = unpack(file).read(MAX_BYTES + 1)
        except OSError as error:
            raw.error = f"it cannot be read: {error}"
        yield raw


def is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def is_text(file: SourcePath) -> bool:
    """Tell whether a file is text, by its first bytes."""
    with file.open() as opened:
        head = opened.read(_HEAD)
    # What is UTF-16 is told when it is read.
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return b"\0" not in head and not head.startswith(b"%PDF-")


def _read_article(raw: RawArticle) -> ParsedArticle | None:
    if len(raw.data) > MAX_BYTES:
        raise RejectedArticle(f"over {MAX_BYTES:,} bytes")
    try:
        text = raw.data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise RejectedArticle(f"byte {error.start} is not UTF-8; convert the file to UTF-8") from None
    if not text.strip():
        # Such as an __init__.py.
        return None
    # Offsets are then those of other readers of texts.
    text = text.replace("\r\n", "\n")
    article = ParsedArticle(checked_docno(as_docno(raw.name)), "", text)
    _add_elements(article, has_headings=raw.file.lower().endswith(_MARKDOWN))
    if raw.file.lower().endswith(".rst") and (underlined := _UNDERLINED.search(text)):
        article.title = underlined["title"].strip()
    name = raw.name.rpartition("/")[2]
    # The name of code is that of its file.
    article.title = article.title or (name if raw.name == raw.file else name.replace("_", " "))
    return article


def _add_elements(article: ParsedArticle, has_headings: bool) -> None:
    add_element(article, "article", -1, 0, len(article.text))
    # Level and row of each.
    open_sections: list[tuple[int, int]] = []
    paragraph = -1
    offset = 0
    is_code = False
    for line in article.text.splitlines(keepends=True):
        words = line.strip()
        end = offset + len(line.rstrip())
        is_code ^= bool(_FENCE.match(line))
        heading = _HEADING.fullmatch(line.rstrip()) if has_headings and not is_code else None
        if heading:
            level = len(heading["marks"])
            title = heading["words"].rstrip(" \t#")
            while open_sections and open_sections[-1][0] >= level:
                article.end[open_sections.pop()[1]] = offset
            section = add_element(article, "section", _get_row(open_sections), offset, len(article.text))
            open_sections.append((level, section))
            add_element(article, "title", section, offset + line.index(title), end)
            article.title = article.title or title
        if heading or not words:
            paragraph = -1
        elif paragraph < 0:
            paragraph = add_element(article, "p", _get_row(open_sections), offset, end)
        else:
            article.end[paragraph] = end
        offset += len(line)


def _get_row(open_sections: list[tuple[int, int]]) -> int:
    return open_sections[-1][1] if open_sections else 0
