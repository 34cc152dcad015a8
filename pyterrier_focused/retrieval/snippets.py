"""Snippets: the sentences of each row for a results page, chosen by the words of the query."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from ..collection import find_front_matter
from ..frames.articles import ArticleCollection
from ..frames.columns import flatten
from ..frames.ids import make_ids
from ..frames.span_cells import is_missing
from .passages.sentences import sentence_spans
from .terms import Terms
from .transformer import PartsTransformer, check_count

_SPACE = re.compile(r"\s+")
_GAP = " … "
# The least characters of a sentence that is cut.
_LEAST = 30


class Hit(NamedTuple):
    """A word of the query in a text: its span, and its term."""

    start: int
    end: int
    term: str


class Snippets(PartsTransformer):
    """Add a `snippet` to each row: the sentences of its text that say most about the query, with its words marked.

    Input: rows with `qid`, `query` and `docno`, and their `text`, or without it a *collection* to read it from: of the
    part (`docno` = passage id), of the passages of a run frame, or of the article. Output: the rows with the column
    `snippet`; the text itself is not changed.

    A word is marked if engines take it for the query's: case, accents and endings do not matter, and words such as
    "the" and "of" do not count. Sentences are whole, cut if one is too long, in the order of the text, with ` … `
    between them. If no word of the query occurs, the text's beginning is shown.

    Args:
        collection: A `Collection`; None takes the column `text`.
        chars: The most characters a snippet has, ellipses included; marks, and escapes of HTML, come on top.
        html: Escape the text for HTML and mark words by <mark>; without it they are marked by asterisks.
        marks: What to put before and after a word in their place.
        language: The language of the stems, best that of the index.

    Example:
        >>> text = "Boats wait in the harbour. Tides rise twice a day."
        >>> rows = pd.DataFrame({"qid": ["q1"], "query": ["tide"], "docno": ["7"], "text": [text]})
        >>> Snippets(chars=40)(rows)["snippet"].iloc[0]
        '… **Tides** rise twice a day.'
    """

    def __init__(
        self,
        collection: ArticleCollection | None = None,
        chars: int = 200,
        html: bool = False,
        language: str = "english",
        marks: tuple[str, str] | None = None,
    ):
        check_count(self, "chars", chars, 20)
        self.collection = collection
        self.chars = chars
        self.html = html
        self.language = language
        self.marks = marks or (("<mark>", "</mark>") if html else ("**", "**"))
        self._terms = Terms(language)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        needed = ["query"] if self.collection is not None else ["query", "text"]
        pt.validate.result_frame(inp, extra_columns=needed, context=self)
        words = {query: self._read_query(query) for query in inp["query"].unique()}
        snippets = np.empty(len(inp), dtype=object)
        snippets[:] = [
            self.snippet(words[query], text) for query, text in zip(inp["query"], self._load_texts(inp), strict=True)
        ]
        return inp.assign(snippet=snippets)

    def snippet(self, terms: frozenset[str], text: str) -> str:
        """Return the snippet of *text* for a query of *terms*; front matter of Markdown is not shown."""
        front_matter = find_front_matter(text)
        text = text[front_matter.end() :] if front_matter else text
        words = (Hit(start, end, term) for start, end, term, _ in self._terms.places(text))
        # of words that overlap, as they do in text without spaces, the longer one first
        hits = sorted((word for word in words if word.term in terms), key=lambda hit: (hit.start, -hit.end))
        pieces = _join_pieces(text, _choose_sentences(text, hits, self.chars - 2 * len("… ")))
        if not pieces:
            return ""
        shown = _GAP.join(_mark_hits(text, first, last, hits, self.html, self.marks) for first, last in pieces)
        if text[: pieces[0][0]].strip():
            shown = f"… {shown}"
        if text[pieces[-1][1] :].strip():
            shown = f"{shown} …"
        return shown

    def _read_query(self, query: str) -> frozenset[str]:
        """Return the terms of a query that snippets look for: stop words only if there is nothing else."""
        words = list(self._terms.places(query))
        return frozenset(term for _, _, term, stop in words if not stop) or frozenset(term for _, _, term, _ in words)

    def _load_texts(self, inp: pd.DataFrame) -> list[str]:
        if self.collection is None:
            return ["" if is_missing(text) else str(text) for text in inp["text"]]
        docno = inp["docno"].to_numpy(dtype=object)
        if "passages" not in inp.columns:
            return self.collection.text(docno.tolist())
        spans = flatten(inp["passages"], "passages", inp)
        texts = [""] * len(inp)
        passages = self.collection.text(make_ids(docno[spans.row], spans.start, spans.end))
        for row, text in zip(spans.row.tolist(), passages, strict=True):
            texts[row] += f"\n{text}" if texts[row] else text
        return texts


def _choose_sentences(text: str, hits: list[Hit], room: int) -> list[tuple[int, int]]:
    """Choose sentences that fit in *room* characters: those with the most words of the query not yet shown first."""
    start, end = sentence_spans(text)
    sentences = list(zip(start.tolist(), end.tolist(), strict=True))
    if not hits or not sentences:
        lead = sentences[:1]
        for sentence in sentences[1:]:
            if sentence[1] - lead[0][0] > room:
                break
            lead.append(sentence)
        return [_choose_window(text, *lead[0], [], room), *lead[1:]] if lead else []
    inside: list[list[Hit]] = [[] for _ in sentences]
    for hit in hits:
        inside[int(np.searchsorted(start, hit.start, side="right")) - 1].append(hit)
    chosen: list[tuple[int, int]] = []
    shown: set[str] = set()
    left = {number for number, found in enumerate(inside) if found}
    while left:
        best = max(left, key=lambda n: (len({hit.term for hit in inside[n]} - shown), len(inside[n]), -n))
        left.remove(best)
        piece = _choose_window(text, *sentences[best], inside[best], room)
        chosen.append(piece)
        shown |= {hit.term for hit in inside[best]}
        room -= piece[1] - piece[0] + len(_GAP)
        fitting = {number for number in left if end[number] - start[number] <= room}
        # A sentence is cut if it alone has a word that is not shown yet.
        fresh = {number for number in left if {hit.term for hit in inside[number]} - shown}
        left = fitting or (fresh if room >= _LEAST else set())
    return chosen


def _choose_window(text: str, start: int, end: int, hits: list[Hit], room: int) -> tuple[int, int]:
    """Return the span within [start, end), of *room* characters at most and whole words, that has most of the hits."""
    if end - start <= room:
        return start, end
    first = last = start
    most = (0, 0)
    begin = 0
    words = Counter[str]()
    for number, hit in enumerate(hits):
        words[hit.term] += 1
        while hit.end - hits[begin].start > room and begin < number:
            words[hits[begin].term] -= 1
            begin += 1
        size = (sum(count > 0 for count in words.values()), number - begin + 1)
        if size > most and hit.end - hits[begin].start <= room:
            most = size
            first = hits[begin].start
            last = hit.end
    # the rest of the room goes to both sides
    left = max(start, min(first - (room - (last - first)) // 2, end - room))
    right = min(end, left + room)
    spaces = [match.span() for match in _SPACE.finditer(text, left, right)]
    if left > start:
        left = next((space_end for _, space_end in spaces if space_end <= first), left)
    if right < end and not text[right].isspace():
        inner = [begin for begin, _ in spaces if begin >= last and begin > left]
        right = inner[-1] if inner else right
    return left, right


def _join_pieces(text: str, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Put pieces in the order of the text, as one if nothing but white space is between them."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(pieces):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        elif start < end:
            joined.append((start, end))
    return joined


def _mark_hits(text: str, start: int, end: int, hits: list[Hit], as_html: bool, marks: tuple[str, str]) -> str:
    """Return [start, end) of the text on one line, its hits marked."""
    opening, closing = marks

    def show(first: int, last: int) -> str:
        piece = _SPACE.sub(" ", text[first:last])
        return html.escape(piece) if as_html else piece

    marked = ""
    done = start
    for hit in hits:
        if hit.start >= done and hit.end <= end:
            marked += f"{show(done, hit.start)}{opening}{show(hit.start, hit.end)}{closing}"
            done = hit.end
    return (marked + show(done, end)).strip()
