"""The places of an edited quote: hyphens, accents, punctuation, words more or less, and text left out as "...".

Texts are compared by their letters and digits only, without accents and case; rapidfuzz aligns them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rapidfuzz import fuzz

from ..frames.spans import Span
from .locate import Document, Folded, fold_letters, occurrences

# "...", ". . ." or "…", also with a full stop, or in brackets
_ELLIPSIS = re.compile(r"\s* [\[(]? (?: \.\s?\.\s?\. | … ) \.? [\])]? \s*", re.VERBOSE)
# A shorter text between two ellipses is not looked for by itself.
_SHORTEST = 8
# The place of a quote may be longer or shorter by this share of its length.
_SLACK = 0.2
# Another place whose ratio is as close as this makes the quote one that occurs twice.
_CLOSE = 0.02


class Match(NamedTuple):
    """The text that a quote may be: its spans (several if text is left out), and how alike they are, from 0 to 1."""

    spans: list[Span]
    ratio: float


def fuzzy_matches(document: Document, quote: str, least: float) -> list[Match]:
    """Find the places of texts that are at least *least* like the quote: the best, and others as good.

    A quote with "..." is one place: its texts in order, each as like. Raises MissingExtraError without rapidfuzz.
    """
    parts = [part for part in _ELLIPSIS.split(quote) if len(fold_letters(part)) >= _SHORTEST]
    if len(parts) < 2:
        return _match_text(document.loose, fold_letters(quote), least, 0)
    matches: list[Match] = []
    for part in parts:
        reach = matches[-1].spans[-1][1] if matches else 0
        best = _match_text(document.loose, fold_letters(part), least, reach)
        if not best or (not matches and len(best) > 1):
            return best if len(best) > 1 else []
        matches.append(min(best, key=lambda match: match.spans[0]))
    return [Match([span for match in matches for span in match.spans], min(match.ratio for match in matches))]


def _match_text(folded: Folded, wanted: str, least: float, offset: int) -> list[Match]:
    begin = int(folded.offsets.searchsorted(offset))
    text = folded.text[begin:]
    if not wanted or not text:
        return []
    same = occurrences(text, wanted)
    if same:
        return [Match([folded.span(begin + place, len(wanted))], 1.0) for place in same]
    best = _find_best(text, wanted, least)
    if best is None:
        return []
    alike = [best]
    for low, high in ((0, best.start), (best.end, len(text))):
        other = _find_best(text[low:high], wanted, max(least, best.ratio - _CLOSE))
        if other is not None:
            alike.append(_Alike(other.start + low, other.end + low, other.ratio))
    return [Match([folded.span(begin + start, end - start)], ratio) for start, end, ratio in alike]


class _Alike(NamedTuple):
    start: int
    end: int
    ratio: float


def _find_best(text: str, wanted: str, least: float) -> _Alike | None:
    """Return the span of the text that is most like the wanted one; None below *least*."""
    room = min(len(wanted), len(text))
    if room < (1 - _SLACK) * len(wanted):
        return None
    # A window as long as the quote shows words more or less twice: once inside and once at its ends
    rough = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * max(0.0, 2 * least - 1))
    if rough is None:
        return None
    start = rough.dest_start
    end = rough.dest_end
    slack = int(_SLACK * len(wanted)) + 2
    # Each end in turn is moved to make the text most like the quote.
    for _ in range(2):
        ends = range(max(start + 1, end - slack), min(len(text), end + slack) + 1)
        end = max(ends, key=lambda stop: (fuzz.ratio(wanted, text[start:stop]), -stop))
        starts = range(max(0, start - slack), min(end - 1, start + slack) + 1)
        start = max(starts, key=lambda begin: (fuzz.ratio(wanted, text[begin:end]), begin))
    ratio = fuzz.ratio(wanted, text[start:end]) / 100
    return _Alike(start, end, ratio) if ratio >= least else None
