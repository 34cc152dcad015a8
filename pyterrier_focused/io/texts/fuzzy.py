"""Where an edited quote is: hyphens, accents, punctuation, words more or less, and text left out as "...".

Texts are compared by their letters and digits only, without accents and case; rapidfuzz (extra [fuzzy]) aligns them.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import NamedTuple

from ...errors import import_extra
from ...frames.spans import Span
from .locate import Document, Folded, fold_loosely, occurrences

_ELLIPSIS = re.compile(r"\s*[\[(]?(?:\.\s?\.\s?\.|…)\.?[\])]?\s*")
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
    """Find the places where a text is that is at least *least* like the quote: the best, and others as good.

    A quote with "..." is one place: its texts in order, each as like. Raises MissingExtraError without rapidfuzz.
    """
    parts = [part for part in _ELLIPSIS.split(quote) if len(_keep_letters(part)) >= _SHORTEST]
    if len(parts) < 2:
        return _match_text(document.loose, _keep_letters(quote), least, 0)
    found: list[Match] = []
    for part in parts:
        behind = found[-1].spans[-1][1] if found else 0
        best = _match_text(document.loose, _keep_letters(part), least, behind)
        if not best or (not found and len(best) > 1):
            return best if len(best) > 1 else []
        found.append(min(best, key=lambda match: match.spans[0]))
    return [Match([span for match in found for span in match.spans], min(match.ratio for match in found))]


def _match_text(folded: Folded, wanted: str, least: float, behind: int) -> list[Match]:
    """Find a text in the text from the offset *behind* on."""
    first = int(folded.at.searchsorted(behind))
    text = folded.text[first:]
    if not wanted or not text:
        return []
    same = occurrences(text, wanted)
    if same:
        return [Match([folded.span(first + at, len(wanted))], 1.0) for at in same]
    fuzz = import_extra("rapidfuzz.fuzz", "fuzzy")
    best = _find_best(fuzz, text, wanted, least)
    if best is None:
        return []
    found = [best]
    for low, high in ((0, best.start), (best.end, len(text))):
        other = _find_best(fuzz, text[low:high], wanted, max(least, best.ratio - _CLOSE))
        if other is not None:
            found.append(_Alike(other.start + low, other.end + low, other.ratio))
    return [Match([folded.span(first + start, end - start)], ratio) for start, end, ratio in found]


class _Alike(NamedTuple):
    """A span of letters, and how alike it is."""

    start: int
    end: int
    ratio: float


def _find_best(fuzz: ModuleType, text: str, wanted: str, least: float) -> _Alike | None:
    """Return the span of the text that is most like the wanted one; None below *least*."""
    room = min(len(wanted), len(text))
    if room < (1 - _SLACK) * len(wanted):
        return None
    # a window as long as the quote shows words more or less twice: once inside and once at its ends
    rough = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * max(0.0, 2 * least - 1))
    if rough is None:
        return None
    start, end = rough.dest_start, rough.dest_end
    slack = int(_SLACK * len(wanted)) + 2
    # Each end in turn is put where the text is most like the quote.
    for _ in range(2):
        ends = range(max(start + 1, end - slack), min(len(text), end + slack) + 1)
        end = max(ends, key=lambda at: (fuzz.ratio(wanted, text[start:at]), -at))
        starts = range(max(0, start - slack), min(end - 1, start + slack) + 1)
        start = max(starts, key=lambda at: (fuzz.ratio(wanted, text[at:end]), at))
    ratio = fuzz.ratio(wanted, text[start:end]) / 100
    return _Alike(start, end, ratio) if ratio >= least else None


def _keep_letters(text: str) -> str:
    return "".join(map(fold_loosely, text))
