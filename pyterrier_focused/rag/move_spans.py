"""Where the words of a text stand in another version of it: rapidfuzz aligns them, in one order."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from rapidfuzz.distance import Indel

from ..frames.spans import Span

_WORD = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+|\S")


class MovedSpan(NamedTuple):
    """Where a span is now: its spans in the new text, and the share of its characters, white space aside, in them."""

    spans: list[Span]
    share: float


class FoldedText:
    """A text and its words."""

    def __init__(self, text: str):
        self.text = text
        found = list(_WORD.finditer(text))
        self.words = [word.group() for word in found]
        self.starts = [word.start() for word in found]


class TextMove:
    """The places of the words of an old text in a new one."""

    def __init__(self, old: FoldedText, new: FoldedText):
        self._old = old
        self._new = new
        self._place: dict[int, int] = {}
        for first, second, size in Indel.opcodes(old.words, new.words).as_matching_blocks():
            self._place.update((first + i, second + i) for i in range(size))

    def move(self, span: Span) -> MovedSpan:
        """Return the place of a span of the old text; what is cut from a word moves with it."""
        old, new = self._old, self._new
        first = max(bisect_left(old.starts, span[0] + 1) - 1, 0)
        spans: list[Span] = []
        moved = total = 0
        for i in range(first, bisect_left(old.starts, span[1])):
            start = max(span[0], old.starts[i])
            end = min(span[1], old.starts[i] + len(old.words[i]))
            total += max(end - start, 0)
            if i not in self._place or end <= start:
                continue
            moved += end - start
            begin = new.starts[self._place[i]] + start - old.starts[i]
            if spans and spans[-1][1] <= begin and not new.text[spans[-1][1] : begin].strip():
                spans[-1] = (spans[-1][0], begin + end - start)
            else:
                spans.append((begin, begin + end - start))
        return MovedSpan(spans, moved / max(total, 1))

    def move_offset(self, offset: int) -> int:
        """Return the place of the first word from an offset on; -1 if it has none."""
        i = max(bisect_left(self._old.starts, offset + 1) - 1, 0)
        i += i < len(self._old.starts) and self._old.starts[i] + len(self._old.words[i]) <= offset
        return self._new.starts[self._place[i]] + max(offset - self._old.starts[i], 0) if i in self._place else -1


def measure_likeness(old: FoldedText, new: FoldedText) -> float:
    """Return the share of the old text's words that the new one has."""
    words = set(new.words)
    return sum(word in words for word in old.words) / max(len(old.words), 1)
