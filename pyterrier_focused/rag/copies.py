"""Copies of evidence given by offsets: text retrieved from a copy is not evidence, unless the caller says so.

evidence [0, 40) of a     its text is also [80, 120) of a and [7, 47) of b
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..errors import ANY_REPEATED, warn_caller
from ..frames.articles import CorpusArticle
from .evidence_qrels import Placed, Repeated
from .find_texts import Place, find_texts

# Shorter texts occur again by chance.
_LEAST_WORDS = 5
_LEAST_LETTERS = 24


def treat_copies(
    placed: list[Placed], articles: Mapping[str, CorpusArticle], repeated: Repeated, name: str
) -> list[Placed]:
    """Warn of copies of evidence given by offsets, or let them count too, as *repeated* says.

    A copy has the same words; with repeated='first' only the place that was given counts.
    """
    by_offsets = [
        entry
        for entry in placed
        if repeated != "first" and entry.status in ("given", "nearest") and entry.piece.item.start is not None
    ]
    copies = _find_copies([entry for entry in by_offsets if len(entry.places) == 1], articles)
    if repeated in ("any", "all"):
        return [
            replace(entry, status=repeated, places=[*entry.places, *copies[id(entry)]])
            if id(entry) in copies
            else entry
            for entry in placed
        ]
    if copies:
        first = next(entry for entry in by_offsets if id(entry) in copies)
        place = first.places[0]
        copy = copies[id(first)][0]
        warn_caller(
            f"{name}: {len(copies)} of {len(by_offsets)} pieces of evidence that are given by offsets occur again, "
            f"word for word, in the corpus, where they do not count (first: question {first.qid!r}, "
            f"{_show_place(place)}, also {_show_place(copy)}); {ANY_REPEATED} lets each copy count"
        )
    return placed


def _find_copies(entries: list[Placed], articles: Mapping[str, CorpusArticle]) -> dict[int, list[Place]]:
    """Return the copies of pieces, by the ids of these, but for those that are evidence of the same question."""
    given: dict[str, list[Place]] = {}
    texts = []
    long = []
    for entry in entries:
        place = entry.places[0]
        given.setdefault(entry.qid, []).append(place)
        text = articles[place.docno].text[slice(*place.span)] if place.docno in articles else ""
        if len(text.split()) >= _LEAST_WORDS and sum(map(str.isalnum, text)) >= _LEAST_LETTERS:
            long.append(entry)
            # No article has these blanks, so that copies with other line ends are found as well.
            texts.append("\v\f".join(text.split()))
    copies: dict[int, list[Place]] = {}
    for entry, text, found in zip(long, texts, find_texts(texts, articles.values()) if texts else (), strict=True):
        for place in found.places:
            words = articles[place.docno].text[slice(*place.span)].split()
            if words == text.split() and not any(_overlap(place, other) for other in given[entry.qid]):
                copies.setdefault(id(entry), []).append(place)
    return copies


def _overlap(one: Place, other: Place) -> bool:
    return one.docno == other.docno and one.span[0] < other.span[1] and other.span[0] < one.span[1]


def _show_place(place: Place) -> str:
    return f"[{place.span[0]}, {place.span[1]}) of {place.docno!r}"
