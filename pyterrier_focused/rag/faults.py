"""Messages on evidence that cannot be placed: its line, what is wrong, and what was probably meant."""

from __future__ import annotations

import importlib.util

from ..collection.corpora import Texts
from ..errors import name_some, warn_caller
from ..frames.spans import Span
from .evidence_qrels import Placed
from .formats import Evidence
from .fuzzy import fuzzy_matches
from .locate import Document

# The nearest text is not shown if it is less like the quote.
_ALIKE = 0.6
_FUZZY = "fuzzy="


def explain_unknown(piece: Evidence, texts: Texts) -> str:
    if piece.docno is None:
        return f"it names no document, and the corpus has {len(texts.docnos)}; name it"
    like = texts.like(piece.docno)
    names = f"did you mean {', '.join(like)}?" if like else f"it has {', '.join(sorted(texts.docnos)[:3])} ..."
    return f"the corpus has no article {piece.docno!r}; {names}"


def show_nearest(quote: str, document: Document) -> str:
    """Show the text that is most like a quote; without rapidfuzz, the place of its beginning."""
    if importlib.util.find_spec("rapidfuzz") is not None:
        best = max(fuzzy_matches(document, quote, _ALIKE), key=lambda match: match.ratio, default=None)
        if best is None:
            return ""
        start = best.spans[0][0]
        end = best.spans[-1][1]
        text = shorten(document.text[start:end], 200)
        return f"the nearest text, {best.ratio:.0%} like it, is at [{start}, {end}): {text}; {_FUZZY} takes such quotes"
    (start, end), rest = document.longest_start(quote)
    return f"its beginning is at [{start}, {end}), the rest, {shorten(rest)}, is not there" if end - start >= 8 else ""


def guess_mistake(start: int, places: list[Span], text: str) -> str:
    """Say how offsets may have been miscounted, of a quote that is at other *places*; "" without a guess."""
    for place_start, place_end in places:
        byte = len(text[:place_start].encode("utf-8", "surrogatepass"))
        if byte == start and place_start != start:
            return f"; the quote is at [{place_start}, {place_end}), byte {byte}: count characters, not bytes"
    return ""


def summarise_faults(bad: list[Placed], total: int) -> str:
    counts: dict[str, int] = {}
    for entry in bad:
        counts[entry.status] = counts.get(entry.status, 0) + 1
    kinds = ", ".join(f"{count} {_WORDS[status]}" for status, count in counts.items())
    lines = [f"{len(bad)} of {total} pieces of evidence cannot be placed ({kinds}):"]
    for entry in bad[:5]:
        quote = f": {shorten(entry.piece.item.text)}" if entry.piece.item.text else ""
        docnos = list(dict.fromkeys(place.docno for place in entry.places)) or [entry.docno]
        articles = f"articles {name_some(docnos)}" if len(docnos) > 1 else f"article {docnos[0]!r}"
        lines.append(
            f"  {entry.piece.where}, question {entry.qid!r}, {articles}: {_WORDS[entry.status]}"
            f"{_show_places(entry.spans)}{quote}" + (f" ({entry.detail})" if entry.detail else "")
        )
    if len(bad) > 5:
        lines.append(f"  and {len(bad) - 5} more, which locate_spans() lists")
    if counts.get("repeated"):
        lines.append("give start and end or a longer quote, or choose repeated='first', 'all' or 'any'")
    return "\n".join(lines)


_WORDS = {
    "repeated": "found more than once", "missing": "not found", "unknown article": "in an unknown article",
    "contradiction": "with offsets that are not those of the quote", "outside": "outside the article",
}  # fmt: skip


def _show_places(places: list[Span]) -> str:
    if not places:
        return ""
    shown = ", ".join(f"[{start}, {end})" for start, end in places[:5])
    return f", at {shown}" + (f" and {len(places) - 5} more places" if len(places) > 5 else "")


def shorten(text: str, width: int = 70) -> str:
    return repr(text if len(text) <= width else text[: width - 3] + "...")


def warn_of_unjudged(placed: list[Placed], good: list[Placed], name: str) -> None:
    """Warn of questions that are not judged, and of those that are without an answer."""
    judged = {entry.qid for entry in good}
    lost = [qid for qid in dict.fromkeys(entry.qid for entry in placed) if qid not in judged]
    if lost:
        warn_caller(
            f"{name}: {len(lost)} questions have no evidence left and are not judged: {name_some(map(repr, lost))}"
        )
    silent = list(dict.fromkeys(entry.qid for entry in good if entry.status == "none"))
    if silent:
        warn_caller(
            f"{name}: {len(silent)} questions have no evidence: {name_some(map(repr, silent))}; Abstain scores "
            "these, all other measures are 0 for them"
        )
