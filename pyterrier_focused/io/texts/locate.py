"""Where a quoted text is in a document, and where the pieces of a text lie in it.

Both compare without white space: positions are found in the text with its white space taken out, and mapped back.

    text    a b  a b.      folded  abab.      at  0 2 5 7 8      folded character i is at offset at[i]
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Ints, Span

_QUOTES = "'\"`´‘’‚‛“”„‟′″«»‹›＂＇"
_FOLDED_QUOTES = str.maketrans(dict.fromkeys(_QUOTES, "'"))
# what `fold_quote` makes of ASCII: quotation marks are one, white space is nothing, and case is lower
_FOLDED_ASCII = {
    code: None if chr(code).isspace() else chr(code).casefold().translate(_FOLDED_QUOTES) for code in range(128)
}
# Occurrences looked at on either side of the expected place of a piece.
_NEAR = 16


class Folded(NamedTuple):
    """A text without its white space, and perhaps with case and quotes made equal; *at*: offset of each character."""

    text: str
    at: Ints

    def span(self, first: int, length: int) -> Span:
        """Return the span in the original text of *length* characters from *first* on."""
        return int(self.at[first]), int(self.at[first + length - 1]) + 1


class Lost(NamedTuple):
    """A piece that could not be placed: its position, and where its text is (nowhere, or out of order)."""

    piece: int
    places: list[Span]


class Document:
    """A text in which quotes and pieces are located; what that takes is made once."""

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
            return [(at, at + len(quote)) for at in exact]
        wanted = fold_quote(quote)
        if not wanted or wanted not in self.folded_text:
            return []
        folded = self.tolerant
        spans = [
            folded.span(at, len(wanted)) for at in occurrences(folded.text, wanted) if _is_whole(folded, at, wanted)
        ]
        words = _fold_words(quote)
        return [span for span in spans if _fold_words(self.text[slice(*span)]) == words] or spans

    def says(self, span: Span, quote: str) -> bool:
        """Tell whether the text at *span* is the quote, white space, quotation marks and case aside."""
        text = self.text[slice(*span)]
        return text == quote or fold_quote(text) == fold_quote(quote)

    def at(self, start: int, piece: str) -> Span | None:
        """The span of a piece that is said to begin at *start*, white space aside; None if the text is another."""
        if self.text.startswith(piece, start):
            return start, start + len(piece)
        word = "".join(piece.split())
        first = int(np.searchsorted(self.spaceless.at, start))
        if not word or not self.spaceless.text.startswith(word, first):
            return None
        return self.with_ends(piece, self.spaceless.span(first, len(word)))

    def longest_start(self, piece: str) -> tuple[Span, str]:
        """Return where the longest beginning of a piece that is in the text first occurs, and the rest of the piece."""
        folded = self.spaceless.text
        word = "".join(piece.split())
        # Invariant: word[:low] is in the text, word[:high + 1] is not.
        low, high = 0, len(word)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if word[:middle] in folded else (low, middle - 1)
        if not low:
            return (0, 0), piece
        rest = _fold_text(piece, lambda character: "" if character.isspace() else character).at
        return self.spaceless.span(folded.find(word[:low]), low), piece[int(rest[low]) :] if low < len(rest) else ""

    def align(self, pieces: Sequence[str], known: Sequence[int] | None = None) -> tuple[Ints, Ints, list[Lost]]:
        """Find where the pieces of this text lie: (starts, ends, the pieces that could not be placed).

        *pieces* are in order: none begins or ends before the one in front of it. They may overlap, leave text out, and
        differ from the text in white space. *known* gives the starts that are known already, -1 for others. Of several
        ways to place the pieces, one that covers most of the text is taken; of these one that leaves text out in few
        places, then one with even overlap, then the earliest. A piece out of order is placed where its text is, if
        that is one place. A piece without visible characters has start and end -1, as has a lost one.
        """
        known = [-1] * len(pieces) if known is None else known
        words = [piece if piece.strip() else "" for piece in pieces]
        exact = _Alignment(self.text, words, known, strict=True)
        if not exact.ordered:
            return self._align_spaceless(pieces, known)
        start = np.array(exact.result(), dtype=np.int64)
        end = np.where(start < 0, -1, start + np.array([len(word) for word in words], dtype=np.int64))
        missed = self._left_out(start, end)
        # Exact matches further on may hide a piece with other white space.
        if missed:
            tolerant = self._align_spaceless(pieces, known)
            if self._left_out(*tolerant[:2]) < missed:
                return tolerant
        return start, end, []

    def _left_out(self, start: Ints, end: Ints) -> int:
        """Count the visible characters outside all the spans."""
        order = np.argsort(start, kind="stable")
        missed = 0
        reach = 0
        for first, last in zip(start[order].tolist(), end[order].tolist(), strict=True):
            if first > reach:
                missed += len("".join(self.text[reach:first].split()))
            reach = max(reach, last)
        return missed + len("".join(self.text[reach:].split()))

    def _align_spaceless(self, pieces: Sequence[str], known: Sequence[int]) -> tuple[Ints, Ints, list[Lost]]:
        folded = self.spaceless
        words = ["".join(piece.split()) for piece in pieces]
        starts = np.asarray(known, dtype=np.int64)
        folded_known = np.where(starts >= 0, np.searchsorted(folded.at, starts), -1).tolist()

        def fit(piece: int, places: Ints) -> Ints:
            return self._measure_fit(pieces[piece], [folded.span(at, len(words[piece])) for at in places.tolist()])

        alignment = _Alignment(folded.text, words, folded_known, fit)
        place = alignment.result()
        spans = [
            (-1, -1) if at < 0 else self.with_ends(piece, folded.span(at, len(word)))
            for piece, word, at in zip(pieces, words, place, strict=True)
        ]
        lost = [Lost(i, [folded.span(at, len(words[i])) for at in places]) for i, places in alignment.lost]
        return np.array([s for s, _ in spans], np.int64), np.array([e for _, e in spans], np.int64), lost

    def _measure_fit(self, piece: str, spans: list[Span]) -> Ints:
        """How far the text at each span is from the piece: 0 the same, 1 but for its ends, 2 or 3 for white space."""
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


def fold_loosely(character: str) -> str:
    """Fold a character for loose comparison: letters and digits, without accents and case; others are nothing."""
    plain = unicodedata.normalize("NFKD", character.casefold())
    return "".join(c for c in plain if c.isalnum())


def occurrences(text: str, part: str) -> list[int]:
    """Find all offsets at which *part* occurs in *text*, overlapping ones too."""
    found = []
    at = text.find(part)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + 1)
    return found


def _fold_words(text: str) -> list[str]:
    return text.casefold().translate(_FOLDED_QUOTES).split()


def _is_whole(folded: Folded, at: int, wanted: str) -> bool:
    """Tell whether a match ends with its last character: folding may make two of one, as "ss" of a sharp s."""
    last = at + len(wanted)
    starts = at == 0 or folded.at[at - 1] != folded.at[at]
    return bool(starts and (last == len(folded.at) or folded.at[last - 1] != folded.at[last]))


def _fold_text(text: str, fold: Callable[[str], str]) -> Folded:
    """Fold each character of a text; one may become none, as white space does, or several."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    present = np.zeros(0x110000, dtype=bool)
    present[codes] = True
    kinds = np.flatnonzero(present)
    images = [fold(chr(kind)) for kind in kinds.tolist()]
    table = np.zeros(0x110000, dtype=np.int32)
    table[kinds] = np.arange(len(kinds))
    kind = table[codes]
    length = np.array([len(image) for image in images], dtype=np.int64)[kind] if images else np.zeros(0, np.int64)
    at = np.repeat(np.arange(len(codes)), length)
    if length.max(initial=0) <= 1:
        image = np.array([ord(image) if image else 0 for image in images], dtype="<u4")
        return Folded(image[kind[at]].tobytes().decode("utf-32-le", "surrogatepass") if images else "", at)
    return Folded("".join(map(images.__getitem__, kind.tolist())), at)


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
        """Return the place of each word."""
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
        s = e = 0
        ordered = True
        for i, word in enumerate(self.words):
            if not word:
                continue
            first = max(s, e - len(word))
            at = self.known[i] if self.known[i] >= 0 else self.text.find(word, first)
            if at < first:
                ordered = False
                if stop:
                    return False
                self._out_of_order(i)
                continue
            self.order.append(i)
            self.earliest[i] = s = at
            e = at + len(word)
        return ordered

    def _place_backward(self) -> None:
        """Give each word that keeps the order its latest place."""
        s = e = len(self.text)
        for i in reversed(self.order):
            word = self.words[i]
            at = self.earliest[i]
            if self.known[i] < 0:
                at = self.text.rfind(word, at, min(s + len(word), e))
            self.latest[i] = s = at
            e = at + len(word)

    def _out_of_order(self, i: int) -> None:
        if self.known[i] >= 0:
            self.place[i] = self.known[i]
            return
        places = occurrences(self.text, self.words[i])
        if len(places) == 1:
            self.place[i] = places[0]
        else:
            self.lost.append((i, places))

    def _settle_run(self, first: int, last: int) -> None:
        """Place the words order[first:last] between certain ones.

        Dynamic programming over each word's candidates: least text left out, best fit, least scatter, evenest overlap.
        """
        run = self.order[first:last]
        lengths = [len(self.words[i]) for i in run]
        before = self.order[first - 1] if first else None
        after = self.order[last] if last < len(self.order) else None
        left = 0 if before is None else self.place[before] + len(self.words[before])
        right = len(self.text) if after is None else self.earliest[after]
        joins = len(run) - 1 + (before is not None) + (after is not None)
        # The mean gap, negative if the pieces overlap.
        step = (right - left - sum(lengths)) / joins if joins else 0.0
        # each price is beyond any sum of the next ones: text left out, misfits, scatter, squared overlaps
        scatter_cost = 1.0 + sum(length * length for length in lengths)
        misfit_cost = scatter_cost * (1 + max(right - left, 0) + len(run))
        gap_cost = misfit_cost * (1 + 3 * len(run)) if self.fit is not None else misfit_cost

        def join(delta: Ints) -> NDArray[np.float64]:
            """Price what lies between two words: *delta* characters left out, or (negative) shared."""
            gap = np.maximum(delta, 0)
            return gap * gap_cost + np.sqrt(gap) * scatter_cost + np.square(np.minimum(delta, 0), dtype=np.float64)

        s = np.array([0 if before is None else self.place[before]])
        e = np.array([left])
        cost = np.zeros(1)
        expected = left + (step if before is not None else 0.0)
        # Of each word: its candidates, and the best one in front of each.
        trail: list[tuple[Ints, Ints]] = []
        for i, length in zip(run, lengths, strict=True):
            candidates = self._list_candidates(i, expected)
            total = cost[None, :] + join(candidates[:, None] - e[None, :])
            total[(candidates[:, None] < s[None, :]) | (candidates[:, None] + length < e[None, :])] = np.inf
            best = total.argmin(axis=1)
            cost = total[np.arange(len(candidates)), best]
            if self.fit is not None:
                misfit = self.fit(i, candidates)
                cost = cost + (misfit - misfit.min()) * misfit_cost
            trail.append((candidates, best))
            s, e = candidates, candidates + length
            expected += length + step
        at = int((cost + join(right - e)).argmin())
        for i, (candidates, best) in zip(reversed(run), reversed(trail), strict=True):
            self.place[i] = int(candidates[at])
            at = int(best[at])

    def _list_candidates(self, i: int, expected: float) -> Ints:
        """Return the occurrences of a word nearest to where it is expected, and its earliest, in order."""
        text = self.text
        word = self.words[i]
        low = self.earliest[i]
        high = self.latest[i]
        middle = min(max(round(expected), low), high)
        found = [low]
        at = text.find(word, middle, high + len(word))
        while at >= 0 and len(found) <= _NEAR:
            found.append(at)
            at = text.find(word, at + 1, high + len(word))
        at = text.rfind(word, low, middle - 1 + len(word))
        while at >= 0 and len(found) <= 2 * _NEAR:
            found.append(at)
            at = text.rfind(word, low, at - 1 + len(word))
        return np.unique(np.array(found, dtype=np.int64))
