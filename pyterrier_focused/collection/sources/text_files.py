"""Text, Markdown and code: the article's text is the file's own, and headings and blank lines make its elements.

Notebooks have that of their cells.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence

from ...reading.names import NOTEBOOK, as_docno, strip_suffix
from ...wikitext import ParsedArticle, RejectedArticle
from ..files.storage import StoragePath
from ..front_matter import find_front_matter, read_title
from .archives import SourcePath, find_file, unpack
from .notebooks import read_cells
from .raw import ArticleColumns, RawArticle, Rejection, TagNumbers, read_each
from .records import add_element, cut_documents, is_trec, read_trec_article
from .xml_article import checked_docno

MAX_BYTES = 2**26
BOM = codecs.BOM_UTF8
# Bytes of a file that are looked at to tell text from other data.
_HEAD = 8192
_MARKDOWN = (".md", ".markdown", ".mdx")
# With four spaces it is code.
_HEADING = re.compile(r"[ ]{0,3}(?P<marks>#{1,6})[ \t]+(?P<words>.*)")
_UNDERLINED = re.compile(r"^(?P<title>\S.*)\n(?P<mark>[=~^*#\"-])(?P=mark){2,}[ \t]*$", re.MULTILINE)
# In the first lines of a text of Project Gutenberg.
_GUTENBERG = re.compile(r"^Title:[ \t]*(?P<title>\S.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_GUTENBERG_HEAD = 5_000
_FENCE = re.compile(r"[ ]{0,3}(```|~~~)")
# Between the cells of a notebook.
_GAP = "\n\n"


class TextFileReader:
    """Reads files of text, named by their paths; without a name one is a document of TREC."""

    def read(self, raws: Sequence[RawArticle], codes: TagNumbers) -> tuple[ArticleColumns, list[Rejection]]:
        return read_each(raws, codes, _read_article)


def read_text_files(folder: StoragePath, paths: Sequence[str]) -> Iterator[RawArticle]:
    for path in paths:
        raw = RawArticle(path, 0, strip_suffix(path))
        try:
            with find_file(folder, path).open() as file:
                unpacked = unpack(file)
                raw.data = unpacked.read(_HEAD)
                if is_trec(raw.data):
                    file.seek(0)
                    for position, document in cut_documents(file, path):
                        yield RawArticle(path, position, data=document)
                    continue
                raw.data += unpacked.read(MAX_BYTES + 1 - len(raw.data))
        except (OSError, ValueError) as error:
            raw.error = f"it cannot be read: {error}"
            raw.is_cut = isinstance(error, ValueError)
        yield raw


def is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def is_text(file: SourcePath) -> bool:
    with file.open() as opened:
        head = opened.read(_HEAD)
    # UTF-16 is reported when it is read.
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or is_trec(head):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return b"\0" not in head and not head.startswith(b"%PDF-")


def _read_article(raw: RawArticle) -> ParsedArticle | None:
    if len(raw.data) > MAX_BYTES:
        raise RejectedArticle(f"over {MAX_BYTES:,} bytes")
    if not raw.name:
        return read_trec_article(raw.data)
    docno = checked_docno(as_docno(raw.name))
    name = raw.name.rpartition("/")[2]
    # The name of code is that of its file.
    name = name if raw.name == raw.file else name.replace("_", " ")
    if raw.file.lower().endswith(NOTEBOOK):
        return _read_notebook(docno, name, raw.data) if raw.data.strip() else None
    try:
        text = raw.data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise RejectedArticle(f"byte {error.start} is not UTF-8; convert the file to UTF-8") from None
    if not text.strip():
        # Such as an __init__.py.
        return None
    # Offsets are then those of other readers of texts.
    text = text.replace("\r\n", "\n")
    is_markdown = raw.file.lower().endswith(_MARKDOWN)
    article = ParsedArticle(docno, _find_title(raw.file, text), text)
    outline = _Outline(article)
    front_matter = find_front_matter(text) if is_markdown else None
    if front_matter:
        article.title = read_title(front_matter["block"])
        outline.add("frontmatter", 0, front_matter.end("block"))
    outline.add_lines(front_matter.end() if front_matter else 0, len(text), is_markdown)
    article.title = article.title or name
    return article


def _find_title(file: str, text: str) -> str:
    """Return the title that a text states as its kind of file does, "" if none."""
    found = None
    if file.lower().endswith(".rst"):
        found = _UNDERLINED.search(text)
    elif "Project Gutenberg" in text[: _GUTENBERG_HEAD // 10]:
        found = _GUTENBERG.search(text, 0, _GUTENBERG_HEAD)
    return " ".join(found["title"].split()) if found else ""


def _read_notebook(docno: str, name: str, data: bytes) -> ParsedArticle | None:
    cells = read_cells(data)
    if not cells:
        return None
    article = ParsedArticle(docno, "", _GAP.join(text for _, text in cells))
    outline = _Outline(article)
    start = 0
    for kind, text in cells:
        end = start + len(text)
        if kind == "markdown":
            outline.add_lines(start, end, has_headings=True)
        else:
            outline.add(kind, start, end)
        start = end + len(_GAP)
    article.title = article.title or name
    return article


class _Outline:
    """Adds elements to an article whose text is there, in the sections that are open."""

    def __init__(self, article: ParsedArticle):
        self._article = article
        # Level and row of each.
        self._sections: list[tuple[int, int]] = []
        add_element(article, "article", -1, 0, len(article.text))

    def add(self, tag: str, start: int, end: int) -> int:
        """Add an element to the section that is open; returns its row."""
        parent = self._sections[-1][1] if self._sections else 0
        return add_element(self._article, tag, parent, start, end)

    def add_lines(self, start: int, end: int, has_headings: bool) -> None:
        """Add sections, titles and paragraphs of a stretch of the text; the last section stays open."""
        article = self._article
        paragraph = -1
        offset = start
        is_code = False
        for line in article.text[start:end].splitlines(keepends=True):
            line_end = offset + len(line.rstrip())
            is_code ^= bool(_FENCE.match(line))
            heading = _HEADING.fullmatch(line.rstrip()) if has_headings and not is_code else None
            if heading:
                level = len(heading["marks"])
                title = heading["words"].rstrip(" \t#")
                while self._sections and self._sections[-1][0] >= level:
                    article.end[self._sections.pop()[1]] = offset
                self._sections.append((level, self.add("section", offset, len(article.text))))
                self.add("title", offset + line.index(title), line_end)
                article.title = article.title or title
            if heading or not line.strip():
                paragraph = -1
            elif paragraph < 0:
                paragraph = self.add("p", offset, line_end)
            else:
                article.end[paragraph] = line_end
            offset += len(line)
