"""Texts as tools print them, each line with its number: `cat -n`, `grep -n`, `file:12:text`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from .text_parts import list_bounds
from .words import split_words

_LINE = re.compile(
    r"""\s*
    (?: (?P<file> [^\s:] [^:\n]*? ) [:-] )?   # grep -n of several files
    (?P<number> [0-9]{1,9} )
    (?: \t | → | \|[ ]? | [:-] )              # cat -n; others; grep -n, and lines around what it found
    (?P<text> .* )""",
    re.VERBOSE,
)
# What grep prints between lines that do not follow each other.
_BREAK = "--"


class NumberedLines(NamedTuple):
    """The file that a text names, if any; the numbers of its lines, which ascend; and these without them."""

    file: str | None
    numbers: list[int]
    lines: list[str]


def read_numbered(text: str) -> NumberedLines | None:
    """Read a text of numbered lines; None if it is another."""
    files = set()
    numbers = []
    lines = []
    for line in text.strip("\r\n").split("\n"):
        if line.strip() in ("", _BREAK):
            continue
        match = _LINE.fullmatch(line.removesuffix("\r"))
        if match is None:
            return None
        files.add(match["file"])
        numbers.append(int(match["number"]))
        lines.append(match["text"])
    if not numbers or len(files) > 1 or any(a >= b for a, b in pairwise(numbers)):
        return None
    return NumberedLines(files.pop(), numbers, lines)


def find_numbered(numbered: NumberedLines, text: str) -> list[tuple[int, int]]:
    """Return the spans of the lines in an article, if the words of all of them are there; else none.

    Example:
        >>> find_numbered(read_numbered("2:two\\n3:three"), "one\\ntwo\\nthree\\n")
        [(4, 14)]
    """
    longest = max(map(str.strip, numbered.lines), key=len)
    if not longest or longest not in text:
        return []
    bounds = list_bounds(text, "\n")
    if numbered.numbers[0] < 1 or numbered.numbers[-1] >= len(bounds):
        return []
    spans: list[tuple[int, int]] = []
    for number, line in zip(numbered.numbers, numbered.lines, strict=True):
        start = bounds[number - 1]
        end = bounds[number]
        own = text[start:end]
        if own.split() != line.split() and split_words(own).letters != split_words(line).letters:
            return []
        if spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans
