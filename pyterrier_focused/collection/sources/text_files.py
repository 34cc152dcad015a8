"""Plain text and Markdown: the article's text is the file's own, and headings and blank lines make its elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...io.texts.corpus import SUFFIXES, as_docno
from ...wikitext import ParsedArticle, RejectedArticle
from ..files.storage import StoragePath
from .archives import find_file
from .raw import ArticleColumns, RawArticle, Rejection, TagNumbers, read_each
from .records import add_element
from .xml_article import checked_docno

MAX_BYTES = 2**26
_HEADING = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<words>.*)")
_FENCE = re.compile(r"[ ]{0,3}(```|~~~)")


class TextFileReader:
    """Reads files of plain text or Markdown; a docno is the file's path without its ending."""

    def read(self, raws: Sequence[RawArticle], codes: TagNumbers) -> tuple[ArticleColumns, list[Rejection]]:
        return read_each(raws, codes, _read_article)


def read_text_files(folder: StoragePath, paths: Sequence[str]) -> Iterator[RawArticle]:
    for path in paths:
        raw = RawArticle(path, 0, path.rpartition(".")[0])
        try:
            with find_file(folder, path).open() as file:
                raw.data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raw.error = f"it cannot be read: {error}"
        yield raw


def is_text(path: str) -> bool:
    return path.lower().endswith(SUFFIXES) and not path.rpartition("/")[2].startswith(".")


def _read_article(raw: RawArticle) -> ParsedArticle:
    if len(raw.data) > MAX_BYTES:
        raise RejectedArticle(f"over {MAX_BYTES:,} bytes")
    try:
        text = raw.data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        raise RejectedArticle(f"byte {error.start} is not UTF-8; convert the file to UTF-8") from None
    if not text.strip():
        raise RejectedArticle("it has no text")
    # Offsets are then those of other readers of texts.
    text = text.replace("\r\n", "\n")
    article = ParsedArticle(checked_docno(as_docno(raw.name)), "", text)
    _add_elements(article, has_headings=not raw.file.lower().endswith((".txt", ".text")))
    article.title = article.title or raw.name.rpartition("/")[2].replace("_", " ")
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
        heading = _HEADING.fullmatch(words) if has_headings and not is_code else None
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
