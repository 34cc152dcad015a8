"""The places of a quote in a document, and of a text's pieces in that text.

Both compare without white space: positions are found in the text with its white space taken out, and mapped back.

    text    a b  a b.      folded  abab.      offsets  0 2 5 7 8      folded character i is at offsets[i]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..frames.spans import Ints, Span
from .words import fold_loosely

_QUOTES = "'\"`´‘’‚‛“”„‟′″«»‹›＂＇"
_FOLDED_QUOTES = str.maketrans(dict.fromkeys(_QUOTES, "'"))
# What `fold_quote` makes of ASCII: quotation marks are one, white space is nothing, and case is lower
_FOLDED_ASCII = {
    code: None if chr(code).isspace() else chr(code).casefold().translate(_FOLDED_QUOTES) for code in range(128)
}


class Folded(NamedTuple):
    """A text without its white space, and perhaps with case and quotes made equal; the offset of each character."""

    text: str
    offsets: Ints

    def span(self, start: int, length: int) -> Span:
        """Return the span in the original text of *length* characters from *start* on."""
        return int(self.offsets[start]), int(self.offsets[start + length - 1]) + 1


class Context(NamedTuple):
    """What stands before and after a text, which goes on to the end of another."""

    prefix: str = ""
    suffix: str = ""
    until: str = ""


class Document:
    """A text in which quotes and pieces are located; its folded forms are made once."""

    def __init__(self, text: str):
        self.text = text

    @cached_property
    def spaceless(self) -> Folded:
        return _fold_text(self.text, lambda character: "" if character.isspace() else character)

    @cached_property
    def folded_text(self) -> str:
        """The text of `tolerant`, which costs much less than its offsets: enough to see that a quote is not there."""
        return fold_quote(self.text)

    @cached_property
    def tolerant(self) -> Folded:
        return _fold_text(self.text, fold_quote)

    @cached_property
    def loose(self) -> Folded:
        return _fold_text(self.text, fold_loosely)

    def places(self, quote: str) -> list[Span]:
        """Find a quoted text: all its spans, in order; empty if it is not there.

        Exact matches count alone if there are any; then those that differ in white space between words, in quotation
        marks and in case; then those with white space put in or left out.
        """
        if not quote:
            return []
        exact = occurrences(self.text, quote)
        if exact:
            return [(start, start + len(quote)) for start in exact]
        wanted = fold_quote(quote)
        if not wanted or wanted not in self.folded_text:
            return []
        folded = self.tolerant
        places = occurrences(folded.text, wanted)
        spans = [folded.span(place, len(wanted)) for place in places if _is_whole(folded, place, wanted)]
        words = _fold_words(quote)
        return [span for span in spans if _fold_words(self.text[slice(*span)]) == words] or spans

    def places_within(self, quote: str, context: Context | None) -> list[Span]:
        """Find a quoted text as `places` does; of several places those in its context, if any are."""
        spans = self.places(quote)
        if context is None:
            return spans
        before = fold_quote(context.prefix)
        after = fold_quote(context.suffix)
        kept = [
            (start, end)
            for start, end in spans
            if fold_quote(self.text[max(start - 2 * len(context.prefix) - 8, 0) : start]).endswith(before)
            and fold_quote(self.text[end : end + 2 * len(context.suffix) + 8]).startswith(after)
        ]
        if not context.until:
            return kept or spans
        ends = self.places(context.until)
        reach = {start: next((last for first, last in ends if first >= end), None) for start, end in kept or spans}
        return [(start, last) for start, last in reach.items() if last is not None]

    def says(self, span: Span, quote: str) -> bool:
        """Tell whether the text at *span* is the quote, white space, quotation marks and case aside."""
        text = self.text[slice(*span)]
        return text == quote or fold_quote(text) == fold_quote(quote)

    def at(self, start: int, piece: str) -> Span | None:
        """Return the span of a piece that is said to begin at *start*, white space aside; None if it does not."""
        if self.text.startswith(piece, start):
            return start, start + len(piece)
        word = "".join(piece.split())
        place = int(np.searchsorted(self.spaceless.offsets, start))
        if not word or not self.spaceless.text.startswith(word, place):
            return None
        return self.with_ends(piece, self.spaceless.span(place, len(word)))

    def longest_start(self, piece: str) -> tuple[Span, str]:
        """Return the first place of the longest beginning of a piece that is in the text, and the rest of the piece."""
        folded = self.spaceless.text
        word = "".join(piece.split())
        # Invariant: word[:low] is in the text, word[:high + 1] is not.
        low = 0
        high = len(word)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if word[:middle] in folded else (low, middle - 1)
        if not low:
            return (0, 0), piece
        offsets = _fold_text(piece, lambda character: "" if character.isspace() else character).offsets
        rest = piece[int(offsets[low]) :] if low < len(offsets) else ""
        return self.spaceless.span(folded.find(word[:low]), low), rest

    def with_ends(self, piece: str, span: Span) -> Span:
        """Widen a piece's span by the white space at the piece's ends, if the text has the same."""
        start, end = span
        if self.text[start:end] == piece:
            return span
        lead = piece[: len(piece) - len(piece.lstrip())]
        tail = piece[len(piece.rstrip()) :]
        if lead and self.text[max(start - len(lead), 0) : start] == lead:
            start -= len(lead)
        if tail and self.text[end : end + len(tail)] == tail:
            end += len(tail)
        return start, end


def fold_quote(text: str) -> str:
    """Take white space out, and make case and quotation marks equal."""
    if text.isascii():
        # One pass instead of three.
        return text.translate(_FOLDED_ASCII)
    folded = "".join(text.split()).casefold()
    # This is much faster than str.translate beyond ASCII.
    for mark in _QUOTES:
        folded = folded.replace(mark, "'")
    return folded


def fold_letters(text: str) -> str:
    """Keep the letters and digits of a text, without accents and case."""
    return "".join(map(fold_loosely, text))


def occurrences(text: str, part: str) -> list[int]:
    """Find all offsets at which *part* occurs in *text*, overlapping ones too."""
    offsets = []
    offset = text.find(part)
    while offset >= 0:
        offsets.append(offset)
        offset = text.find(part, offset + 1)
    return offsets


def _fold_words(text: str) -> list[str]:
    return text.casefold().translate(_FOLDED_QUOTES).split()


def _is_whole(folded: Folded, start: int, wanted: str) -> bool:
    """Tell whether a match has whole characters at its ends: folding may make two of one, as "ss" of a sharp s."""
    offsets = folded.offsets
    end = start + len(wanted)
    has_first = start == 0 or offsets[start - 1] != offsets[start]
    return bool(has_first and (end == len(offsets) or offsets[end - 1] != offsets[end]))


def _fold_text(text: str, fold: Callable[[str], str]) -> Folded:
    """Fold each character of a text; one may become none, as white space does, or several."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    above = int(codes.max(initial=0)) + 1
    present = np.zeros(above, dtype=bool)
    present[codes] = True
    kinds = np.flatnonzero(present)
    images = [fold(chr(kind)) for kind in kinds.tolist()]
    table = np.zeros(above, dtype=np.int32)
    table[kinds] = np.arange(len(kinds))
    kind = table[codes]
    length = np.array([len(image) for image in images], dtype=np.int64)[kind] if images else np.zeros(0, np.int64)
    offsets = np.repeat(np.arange(len(codes)), length)
    if length.max(initial=0) <= 1:
        image = np.array([ord(image) if image else 0 for image in images], dtype="<u4")
        return Folded(image[kind[offsets]].tobytes().decode("utf-32-le", "surrogatepass") if images else "", offsets)
    return Folded("".join(map(images.__getitem__, kind.tolist())), offsets)
