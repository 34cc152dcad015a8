"""Words with marks to words for readers: spaces, traces of removed things, spans of links and formulae."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from .marks import EXPANDED, FLOAT, GONE, LINE, LINK, LITERAL, LITERALS, NUMBERED, UNLINK, Literal

_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_AROUND_LINE = re.compile(f"[ \t]*{LINE}[ \t{LINE}]*")
_OPENING = "([（［【〔"
_CLOSING = ")]）］】〕"
_PAUSES = " ,;:，；：、،؛\xa0"
_STOPS = ".,;:!?。，、；：！？،؛؟"
_COMMAS = ",;，；、،؛"


class Span(NamedTuple):
    """A link ('link' and its number) or a formula ('math') within words, and its place."""

    kind: str
    number: int
    start: int
    end: int


class Words(NamedTuple):
    text: str
    spans: Sequence[Span] = ()


class Finisher:
    """Makes words of text with marks; *literals* are the page's, which marks number."""

    def __init__(self, literals: Sequence[Literal], drop: Collection[str] = ()):
        self._literals = literals
        self._drop_math = "math" in drop

    def finish(self, words: str, keep_spaces: bool = False) -> Words:
        """Return the words of one block, which holds marks and text but no markup any more."""
        if self._drop_math and LITERAL in words:
            words = LITERALS.sub(self._remove_math, words)
        if not words.isascii():
            words = _INVISIBLE.sub("", words)
        if not keep_spaces:
            words = " ".join(words.split())
        if FLOAT in words:
            words = words.replace(FLOAT, GONE)
        if GONE in words:
            words = _mend_gaps(words)
        if LINE in words:
            words = _AROUND_LINE.sub("\n", words)
        words = words.strip("\n").rstrip() if keep_spaces else words.strip()
        return self._resolve_marks(words) if LITERAL in words or LINK in words or UNLINK in words else Words(words)

    def _remove_math(self, mark: re.Match[str]) -> str:
        return GONE if self._literals[int(mark[1])].kind == "math" else mark[0]

    def _resolve_marks(self, words: str) -> Words:
        text: list[str] = []
        spans: list[Span] = []
        opened: list[tuple[int, int]] = []
        length = copied = 0
        for mark in NUMBERED.finditer(words):
            first, after = mark.span()
            if first > copied:
                text.append(words[copied:first])
                length += first - copied
            copied = after
            if words[first] == UNLINK:
                if opened:
                    number, start = opened.pop()
                    spans.append(Span("link", number, start, length))
                continue
            number = int(words[first + 1 : after - 1])
            if words[first] == LINK:
                opened.append((number, length))
                continue
            kind, literal, _ = self._literals[number]
            if kind in EXPANDED:
                continue
            literal = literal.strip().replace("\n", " ") if kind == "pre" else literal
            if kind == "math":
                spans.append(Span("math", number, length, length + len(literal)))
            text.append(literal)
            length += len(literal)
        text.append(words[copied:])
        return _strip_words("".join(text), spans)


def _strip_words(text: str, spans: Sequence[Span]) -> Words:
    """Strip words and spans, at whose ends things may have left spaces; drop spans without words."""
    words = text.strip()
    before = len(text) - len(text.lstrip()) if words != text else 0
    moved = []
    for span in spans:
        kind, number, start, end = span
        anchor = text[start:end]
        stripped = anchor.strip()
        if stripped == anchor and anchor and not before:
            moved.append(span)
        elif stripped:
            start += anchor.index(stripped) - before
            moved.append(Span(kind, number, start, start + len(stripped)))
    return Words(words, moved)


def _mend_gaps(words: str) -> str:
    """Mend traces of removed things: empty brackets, commas in a row, two spaces, a space before a stop."""
    first, *others = words.split(GONE)
    done = []
    last = first
    for part in others:
        left = last.rstrip(_PAUSES)
        right = part.lstrip(_PAUSES)
        if left[-1:] and left[-1] in _OPENING:
            if right and right[0] == _CLOSING[_OPENING.index(left[-1])]:
                last = left[:-1].rstrip(" ")
                part = right[1:]
            else:
                last = left
                part = right
        elif right and right[0] in _CLOSING:
            last = left
            part = right
        elif part.lstrip(" ")[:1] and part.lstrip(" ")[0] in _STOPS:
            part = part.lstrip(" ")
            last = left if (last.rstrip(" ") or " ")[-1] in _COMMAS else last.rstrip(" ")
        elif part[:1] == " " and (last[-1:] == " " or not last):
            part = part.lstrip(" ")
        if len(part) > 200:
            # What lies further back does not change any more.
            done.append(last)
            last = part
        else:
            last += part
        if len(last) > 2000:
            done.append(last[:-1000])
            last = last[-1000:]
    return "".join(done) + last
