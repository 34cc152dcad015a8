"""Numbered lines of a file, as `cat -n`, editors and agents print them, without their numbers; hunks of diffs."""

from __future__ import annotations

import re
from typing import NamedTuple

from .text_parts import Parts

_NUMBERED = re.compile(r"\s*L?(?P<number>[0-9]{1,9})(?:\t|→|:[ ]?|[ ]?[|│][ ]?|-|[ ]{2}|$)(?P<text>.*)")
_FILE = re.compile(r"[\w./\\-]*[\w-]\.\w{1,9}\b")
_HUNK = re.compile(r"@@ -(?P<first>\d+)(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@.*")
_MOST_AROUND = 3


class Hunk(NamedTuple):
    """Lines of a diff with their marks and numbers in the old file; an added line has the number of the next."""

    file: str | None
    lines: list[tuple[int, str]]


class View(NamedTuple):
    """The text of numbered lines, their numbers, the files that the lines around them may name, and their length."""

    text: str
    parts: Parts
    files: list[str]
    around: int


def read_view(text: str) -> View | None:
    """Read lines whose numbers follow each other, with a few lines of a tool around them; None for other texts.

    Example:
        >>> read_view("File: m.py\\n2:x = a[1:2]\\n3:y").text
        'x = a[1:2]\\ny\\n'
    """
    lines = text.strip("\r\n").split("\n")
    matches = [_NUMBERED.fullmatch(line.removesuffix("\r")) for line in lines]
    found = [match for match in matches if match is not None]
    others = [line for line, match in zip(lines, matches, strict=True) if match is None and line.strip()]
    numbers = [int(match["number"]) for match in found]
    if not numbers or len(others) > _MOST_AROUND or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    own = "".join(f"{match['text']}\n" for match in found)
    files = [file for line in others for file in _FILE.findall(line)]
    return View(own, Parts((numbers[0], numbers[-1])), files, sum(map(len, lines)) - len(own))


def list_hunks(lines: list[str]) -> list[Hunk]:
    """List the hunks of a unified diff, which say where they begin and how many lines they have.

    Example:
        >>> list_hunks(["--- a/m.py", "+++ b/m.py", "@@ -3,2 +3,2 @@", " x", "-y", "+z"])
        [Hunk(file='a/m.py', lines=[(3, ' x'), (4, '-y'), (5, '+z')])]
    """
    hunks: list[Hunk] = []
    file: str | None = None
    number = old = new = 0
    for line in lines:
        if old > 0 or new > 0:
            if not line.startswith("\\"):
                hunks[-1].lines.append((number, line))
                number += not line.startswith("+")
                old -= not line.startswith("+")
                new -= not line.startswith("-")
        elif line.startswith("--- "):
            file = line[4:].partition("\t")[0]
        elif hunk := _HUNK.fullmatch(line):
            number, old, new = (int(hunk[name] or 1) for name in ("first", "old", "new"))
            number += old == 0
            hunks.append(Hunk(file, []))
    return hunks
