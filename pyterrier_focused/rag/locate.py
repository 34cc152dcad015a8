"""The places of a quote in a document, and of a text's pieces in that text.

Both compare without white space: positions are found in the text with its white space taken out, and mapped back.

    text    a b  a b.      folded  abab.      offsets  0 2 5 7 8      folded character i is at offsets[i]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..frames.spans import Ints, Span
from .words import fold_loosely

_QUOTES = "'\"`´‘’‚‛“”„‟′″«»‹›＂＇"
_FOLDED_QUOTES = str.maketrans(dict.fromkeys(_QUOTES, "'"))
# What `fold_quote` makes of ASCII: quotation marks are one, white space is nothing, and case is lower
_FOLDED_ASCII = {
    code: None if chr(code).isspace() else chr(code).casefold().translate(_FOLDED_QUOTES) for code in range(128)
}
# Occurrences looked at on either side of the expected place of a piece.
_NEAR = 16


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


class Lost(NamedTuple):
    """A piece that could not be placed: its position, and the places of its text (none, or out of order)."""

    piece: int
    places: list[Span]


class Aligned(NamedTuple):
    """The spans of pieces in a text, -1 for those without a place; and the pieces that could not be placed."""

    start: Ints
    end: Ints
    lost: list[Lost]


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

    def align(self, pieces: Sequence[str], known: Sequence[int] | None = None) -> Aligned:
        """Find the places of the pieces of this text.

        *pieces* are in order: none begins or ends before the one in front of it. They may overlap, leave text out, and
        differ from the text in white space. *known* gives the starts that are known already, -1 for others. Of several
        ways to place the pieces, one that covers most of the text is taken; of these one that leaves text out in few
        places, then one with even overlap, then the earliest. A piece out of order gets the place of its text, if
        that is one place. A piece without visible characters has start and end -1, as has a lost one.
        """
        known = [-1] * len(pieces) if known is None else known
        visible = [piece if piece.strip() else "" for piece in pieces]
        exact = _Alignment(self.text, visible, known, strict=True)
        if not exact.ordered:
            return self._align_spaceless(pieces, known)
        start = np.array(exact.result(), dtype=np.int64)
        end = np.where(start < 0, -1, start + np.array([len(piece) for piece in visible], dtype=np.int64))
        missed = self._count_left_out(start, end)
        # Exact matches further on may hide a piece with other white space.
        if missed:
            tolerant = self._align_spaceless(pieces, known)
            if self._count_left_out(tolerant.start, tolerant.end) < missed:
                return tolerant
        return Aligned(start, end, [])

    def _count_left_out(self, starts: Ints, ends: Ints) -> int:
        order = np.argsort(starts, kind="stable")
        missed = 0
        reach = 0
        for start, end in zip(starts[order].tolist(), ends[order].tolist(), strict=True):
            if start > reach:
                missed += len("".join(self.text[reach:start].split()))
            reach = max(reach, end)
        return missed + len("".join(self.text[reach:].split()))

    def _align_spaceless(self, pieces: Sequence[str], known: Sequence[int]) -> Aligned:
        folded = self.spaceless
        words = ["".join(piece.split()) for piece in pieces]
        starts = np.asarray(known, dtype=np.int64)
        folded_known = np.where(starts >= 0, np.searchsorted(folded.offsets, starts), -1).tolist()

        def list_spans(piece: int, places: Iterable[int]) -> list[Span]:
            return [folded.span(place, len(words[piece])) for place in places]

        def measure_fit(piece: int, places: Ints) -> Ints:
            return self._measure_fit(pieces[piece], list_spans(piece, places.tolist()))

        alignment = _Alignment(folded.text, words, folded_known, measure_fit)
        spans = [
            (-1, -1) if place < 0 else self.with_ends(pieces[piece], *list_spans(piece, [place]))
            for piece, place in enumerate(alignment.result())
        ]
        start, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T.copy()
        return Aligned(start, end, [Lost(piece, list_spans(piece, places)) for piece, places in alignment.lost])

    def _measure_fit(self, piece: str, spans: list[Span]) -> Ints:
        """Measure how far the text at each span is from the piece.

        0: the same, 1: but for its ends, 2: with other white space, 3: with white space put in or left out.
        """
        bare = piece.strip()
        words = piece.split()
        fits = []
        for span in spans:
            text = self.text[slice(*span)]
            if text == bare:
                fits.append(0 if self.text[slice(*self.with_ends(piece, span))] == piece else 1)
            else:
                fits.append(2 if text.split() == words else 3)
        return np.array(fits, dtype=np.int64)

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


class _Alignment:
    """Places words, in order, in a text; an empty word has no place (-1), as has a lost one.

    A forward pass gives each word its earliest place, a backward pass its latest: no order-keeping placement lies
    outside, so a word whose two places are one is certain. Runs of uncertain ones are settled between certain ones.
    """

    def __init__(
        self,
        text: str,
        words: Sequence[str],
        known: Sequence[int],
        fit: Callable[[int, Ints], Ints] | None = None,
        strict: bool = False,
    ):
        self.text = text
        self.words = words
        self.known = known
        self.fit = fit
        self.place = [-1] * len(words)
        # (word, its places out of order)
        self.lost: list[tuple[int, list[int]]] = []
        self.order: list[int] = []
        self.earliest = [0] * len(words)
        self.latest = [0] * len(words)
        self.ordered = self._place_forward(stop=strict)

    def result(self) -> list[int]:
        self._place_backward()
        position = 0
        for unsure, run in groupby([self.earliest[i] < self.latest[i] for i in self.order]):
            length = sum(1 for _ in run)
            if unsure:
                self._settle_run(position, position + length)
            else:
                for i in self.order[position : position + length]:
                    self.place[i] = self.earliest[i]
            position += length
        return self.place

    def _place_forward(self, stop: bool) -> bool:
        """Give each word its earliest place; False if one has none in order, at once with *stop*."""
        start = end = 0
        ordered = True
        for i, word in enumerate(self.words):
            if not word:
                continue
            least = max(start, end - len(word))
            place = self.known[i] if self.known[i] >= 0 else self.text.find(word, least)
            if place < least:
                ordered = False
                if stop:
                    return False
                self._place_out_of_order(i)
                continue
            self.order.append(i)
            self.earliest[i] = start = place
            end = place + len(word)
        return ordered

    def _place_backward(self) -> None:
        """Give each word that keeps the order its latest place."""
        start = end = len(self.text)
        for i in reversed(self.order):
            word = self.words[i]
            place = self.earliest[i]
            if self.known[i] < 0:
                place = self.text.rfind(word, place, min(start + len(word), end))
            self.latest[i] = start = place
            end = place + len(word)

    def _place_out_of_order(self, i: int) -> None:
        """Place a word that has no place in order: at its known place, or at the only one of its text."""
        if self.known[i] >= 0:
            self.place[i] = self.known[i]
            return
        places = occurrences(self.text, self.words[i])
        if len(places) == 1:
            self.place[i] = places[0]
        else:
            self.lost.append((i, places))

    def _settle_run(self, low: int, high: int) -> None:
        """Place the words order[low:high] between certain ones.

        Dynamic programming over each word's candidates: least text left out, best fit, least scatter, evenest overlap.
        """
        run = self.order[low:high]
        lengths = [len(self.words[i]) for i in run]
        before = self.order[low - 1] if low else None
        after = self.order[high] if high < len(self.order) else None
        left = 0 if before is None else self.place[before] + len(self.words[before])
        right = len(self.text) if after is None else self.earliest[after]
        joins = len(run) - 1 + (before is not None) + (after is not None)
        # The mean gap, negative if the pieces overlap.
        step = (right - left - sum(lengths)) / joins if joins else 0.0
        # Each price is beyond any sum of the next ones: text left out, misfits, scatter, squared overlaps
        scatter_cost = 1.0 + sum(length * length for length in lengths)
        misfit_cost = scatter_cost * (1 + max(right - left, 0) + len(run))
        gap_cost = misfit_cost * (1 + 3 * len(run)) if self.fit is not None else misfit_cost

        def price(delta: Ints) -> NDArray[np.float64]:
            """Price the gap between two words: *delta* characters left out, or (negative) shared."""
            gap = np.maximum(delta, 0)
            return gap * gap_cost + np.sqrt(gap) * scatter_cost + np.square(np.minimum(delta, 0), dtype=np.float64)

        starts = np.array([0 if before is None else self.place[before]])
        ends = np.array([left])
        cost = np.zeros(1)
        expected = left + (step if before is not None else 0.0)
        # Of each word: its candidates, and the best one in front of each.
        trail: list[tuple[Ints, Ints]] = []
        for i, length in zip(run, lengths, strict=True):
            candidates = self._list_candidates(i, expected)
            total = cost[None, :] + price(candidates[:, None] - ends[None, :])
            total[(candidates[:, None] < starts[None, :]) | (candidates[:, None] + length < ends[None, :])] = np.inf
            best = total.argmin(axis=1)
            cost = total[np.arange(len(candidates)), best]
            if self.fit is not None:
                misfit = self.fit(i, candidates)
                cost = cost + (misfit - misfit.min()) * misfit_cost
            trail.append((candidates, best))
            starts = candidates
            ends = candidates + length
            expected += length + step
        chosen = int((cost + price(right - ends)).argmin())
        for i, (candidates, best) in zip(reversed(run), reversed(trail), strict=True):
            self.place[i] = int(candidates[chosen])
            chosen = int(best[chosen])

    def _list_candidates(self, i: int, expected: float) -> Ints:
        """Return the occurrences of a word nearest to the expected place, and its earliest, in order."""
        text = self.text
        word = self.words[i]
        low = self.earliest[i]
        high = self.latest[i]
        middle = min(max(round(expected), low), high)
        places = [low]
        place = text.find(word, middle, high + len(word))
        while place >= 0 and len(places) <= _NEAR:
            places.append(place)
            place = text.find(word, place + 1, high + len(word))
        place = text.rfind(word, low, middle - 1 + len(word))
        while place >= 0 and len(places) <= 2 * _NEAR:
            places.append(place)
            place = text.rfind(word, low, place - 1 + len(word))
        return np.unique(np.array(places, dtype=np.int64))
