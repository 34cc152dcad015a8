"""The transformer that loads the text of articles and passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import pyterrier as pt

from ..errors import check_choice
from ..frames import parse_ids
from ..frames.articles import HAS_SHOWN_TEXTS, ArticleCollection, ElementColumns, ShownText, describe_xml
from .element_paths import read_headings
from .help_links import find_help_url
from .sources.xml_spaces import is_block

FIELDS = ("text", "title")
HEADINGS = ("keep", "add")
SPACES = ("add", "keep")


@dataclass(frozen=True)
class _Article:
    title: str
    text: str
    columns: Mapping[str, Any]
    headings: list[str]
    glued: list[int]


class TextLoader(pt.Transformer):
    """Add columns with the `text` of the article or the passage that `docno` names, and with its article's `title`.

    If XML has no space where a block ends, the text gets one, unless *spaces* is 'keep'; offsets are those of
    `Collection.text`, which has none. `Slide` cuts the characters that offsets count, whatever was added.

    Args:
        fields: 'text', 'title', a list of these, or '*' for both.
        titles: Put the article's title before the text, in a line of its own, unless it begins with it.
        headings: 'add' puts the headings of the sections around a passage before its text, outermost first, a line
            each; 'keep' leaves the text as it is.
        spaces: 'add' puts a space where a block of XML ends between two words; 'keep' leaves the characters that the
            passage's offsets count.
    """

    @property
    def schematic(self) -> dict[str, str | None]:
        return {"help_url": find_help_url(type(self))}

    def __init__(
        self,
        collection: ArticleCollection,
        fields: str | Sequence[str] = "*",
        *,
        titles: bool = False,
        headings: Literal["keep", "add"] = "keep",
        spaces: Literal["add", "keep"] = "add",
        verbose: bool = False,
    ):
        named = (fields,) if isinstance(fields, str) else tuple(fields)
        wanted = FIELDS if fields == "*" else named
        for field in wanted:
            check_choice("TextLoader: fields", field, FIELDS)
        check_choice("TextLoader: headings", headings, HEADINGS)
        check_choice("TextLoader: spaces", spaces, SPACES)
        self.collection = collection
        self.fields = wanted
        self.titles = titles
        self.headings = headings
        self.spaces = spaces
        self.verbose = verbose

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["docno"])
        docnos = pt.tqdm(inp["docno"], desc="loading text", unit="doc") if self.verbose else inp["docno"]
        added = {}
        if "text" in self.fields:
            is_plain = not self.titles and self.headings == "keep" and not self._adds_spaces
            added["text"] = self.collection.text(docnos) if is_plain else list(self._write_texts(list(docnos)))
        if "title" in self.fields:
            articles = parse_ids(inp["docno"].to_numpy(dtype=object))[0].tolist()
            distinct = list(dict.fromkeys(articles))
            loaded = self.collection.articles(distinct)
            titles = {docno: article["title"] for docno, article in zip(distinct, loaded, strict=True)}
            added["title"] = [titles[article] for article in articles]
        columns = {name: pd.Series(values, index=inp.index, dtype=object) for name, values in added.items()}
        out = inp.assign(**{name: columns[name] for name in self.fields})
        if "text" in self.fields:
            has_shown = any(isinstance(text, ShownText) and text != text.own for text in added["text"])
            out.attrs = {**inp.attrs, HAS_SHOWN_TEXTS: has_shown}
        return out

    @property
    def _adds_spaces(self) -> bool:
        meta = getattr(self.collection, "meta", {})
        has_source_spaces = "source" in describe_xml(meta).get("spaces", "source")
        return self.spaces == "add" and meta.get("source_format") == "inex" and has_source_spaces

    def _write_texts(self, ids: list[str]) -> Iterator[str]:
        plain = self.collection.text(ids)
        docnos, starts, ends = parse_ids(ids)
        article: _Article | None = None
        last = None
        for text, docno, start, end in zip(plain, docnos.tolist(), starts.tolist(), ends.tolist(), strict=True):
            if article is None or docno != last:
                article = self._read_article(docno)
                last = docno
            yield self._write_text(article, text, *((0, len(text)) if start < 0 else (start, end)))

    def _write_text(self, article: _Article, text: str, start: int, end: int) -> str:
        pieces: list[str] = []
        written = start
        for offset in article.glued:
            if start < offset < end:
                pieces.append(text[written - start : offset - start])
                written = offset
        spaced = " ".join([*pieces, text[written - start :]])
        before = [article.title] if self.titles and article.title and not text.startswith(article.title) else []
        if self.headings == "add":
            before += _list_headings_around(article, start, end)
        return ShownText("\n".join([*before, spaced]), text)

    def _read_article(self, docno: str) -> _Article:
        (article,) = self.collection.articles([docno])
        columns = self.collection.element_columns(docno)
        headings = read_headings(columns, "", article["text"], self.collection.heading_tags)
        glued = find_glued_ends(columns, article["text"]) if self._adds_spaces else []
        return _Article(article["title"], article["text"], columns, headings, glued)

    def __repr__(self) -> str:
        return f"TextLoader({self.collection!r}, {self.fields!r}{''.join(self._describe_options())})"

    def _describe_options(self) -> Iterator[str]:
        if self.titles:
            yield ", titles=True"
        if self.headings != "keep":
            yield f", headings={self.headings!r}"
        if self.spaces != "add":
            yield f", spaces={self.spaces!r}"

    def _list_settings(self) -> tuple[object, ...]:
        return (self.collection, self.fields, self.titles, self.headings, self.spaces)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextLoader) and self._list_settings() == other._list_settings()

    def __hash__(self) -> int:
        return hash(("TextLoader", *self._list_settings()))


def _list_headings_around(article: _Article, start: int, end: int) -> list[str]:
    starts = article.columns["start"].tolist()
    ends = article.columns["end"].tolist()
    rows = (row for row, heading in enumerate(article.headings) if heading and row)
    return [article.headings[row] for row in rows if starts[row] < start and end <= ends[row]]


def find_glued_ends(columns: ElementColumns, text: str) -> list[int]:
    """Return the offsets at which a block of XML ends between two characters that are not spaces, ascending.

    Example:
        >>> import numpy as np
        >>> parent, start, end = (np.array(column) for column in ([-1, 0, 0], [0, 0, 7], [15, 7, 15]))
        >>> columns = {"tag": ["name", "surname", "given"], "parent": parent, "start": start, "end": end}
        >>> find_glued_ends(columns, "FresnelAugustin")
        [7]
    """
    tags = columns["tag"]
    parents = columns["parent"].tolist()
    starts = columns["start"].tolist()
    ends = columns["end"].tolist()
    # The offset up to which each element's own text has been read.
    read_to = list(starts)
    has_text = set()
    for row, parent in enumerate(parents):
        if parent >= 0:
            if text[read_to[parent] : starts[row]].strip():
                has_text.add(parent)
            read_to[parent] = ends[row]
    has_text |= {row for row, end in enumerate(ends) if text[read_to[row] : end].strip()}
    glued = {
        end
        for tag, parent, end in zip(tags, parents, ends, strict=True)
        if 0 < end < len(text)
        and not (text[end - 1].isspace() or text[end].isspace())
        and is_block(tag.rpartition(":")[2], parent in has_text)
    }
    return sorted(glued)
