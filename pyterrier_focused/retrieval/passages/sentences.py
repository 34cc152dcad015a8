"""The sentences and words of a text, as spans of characters."""

from __future__ import annotations

import re

import numpy as np

from ...frames.spans import Ints

_WORD = re.compile(r"\S+")
_END = re.compile(
    r"""
    # and closing quotes, before what may open another sentence
    (?<=[.!?]) [\"'”’)\]]* (?=\s+ [\"'“‘(\[]* [^\Wa-z_])
    | (?<=[。！？])
    | \n+
    """,
    re.VERBOSE,
)
# an abbreviation or an initial ends no sentence
_NO_END = re.compile(
    r"""
    \b (?: Mr | Mrs | Ms | Dr | Prof | St | Jr | Sr
    | vs | etc | e\.g | i\.e | cf | ca | c | No | Fig | Vol | pp | ed | eds
    | [A-Z]
    ) \. $
    """,
    re.VERBOSE,
)


def word_spans(text: str) -> tuple[Ints, Ints]:
    """Return the (start, end) columns of the runs of *text* without white space."""
    spans = [match.span() for match in _WORD.finditer(text)]
    return _split_columns(spans)


def sentence_spans(text: str) -> tuple[Ints, Ints]:
    """Return the (start, end) columns of the sentences of *text*, without the white space between them.

    A line's end ends a sentence too: headings, list items and paragraphs are on lines of their own.
    """
    spans = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if not match[0].startswith("\n") and _NO_END.search(text, max(start, end - 8), end):
            continue
        spans.append((start, end))
        start = end
    spans.append((start, len(text)))
    trimmed = []
    for first, last in spans:
        piece = text[first:last]
        if body := piece.strip():
            lead = len(piece) - len(piece.lstrip())
            trimmed.append((first + lead, first + lead + len(body)))
    return _split_columns(trimmed)


def _split_columns(spans: list[tuple[int, int]]) -> tuple[Ints, Ints]:
    array = np.array(spans, dtype=np.int64).reshape(len(spans), 2)
    return array[:, 0], array[:, 1]
