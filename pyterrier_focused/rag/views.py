"""Views of files, as tools print them: numbered lines, matches of grep and ripgrep, and the lines around these.

[File: /repo/lamp.py (60 lines total)]     names the file, and is no text of it
(3 more lines above)
4:if n == -1:                              line 4 of it
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import NamedTuple

_HEADER = re.compile(
    r"""Here's\ the\ result\ of\ running\ `cat\ -n`\ on\ (?:a\ snippet\ of\ )? (?P<ran> .+? ) :?
    | \[File:\ (?P<window> .+? ) (?:\ \(\d+\ lines\ total\))? \]
    | Read\ file:\ (?P<read> .+? ) (?:\ \(showing\ lines\ .*\))?
    | <(?:file|document)\b [^>]*? \b(?:path|name|src)= ["'] (?P<tag> [^"']+ ) ["'] [^>]* >
    | (?:File|Filename|Path):\ `? (?P<label> [^`]+? ) `?
    | (?:`{3,}|~{3,}) (?P<fence> .* )""",
    re.VERBOSE,
)
# The words after a fence: ```python m.py, ```m.py:2-5, ```2:5:m.py, ```python title="m.py"
_FENCE = re.compile(
    r"""(?: .*[\s=] )? ["']? (?:\d+:\d+:)?
    (?P<path> [^\s"'{}:#]* [./] [^\s"'{}:#]* )
    (?: [:#]L?\d [-L\d]* )? ["']? \s*""",
    re.VERBOSE,
)
_BESIDE = re.compile(r"\(\d+ more lines? (?:above|below)\)|</(?:file|document)>")
# What grep prints between lines that do not follow each other.
_BREAK = "--"
# How a line begins: cat -n, its imitators, grep -n of one file and the lines around what it found.
_FORMS = tuple(
    re.compile(rf"\s*{letter}(?P<number>[0-9]{{1,9}})(?:{mark}(?P<text>.*)|\s*)")
    for letter, mark in (("", "\t"), ("", "→"), ("", "[ ]?[|│][ ]?"), ("L", ":[ ]?"), ("", "[:-]"), ("", "[ ]{2}"))
)
# grep -n of several files: path:12:text, and path-13-text around it
_FOUND = re.compile(r"(?P<mark>[:-])(?P<number>[0-9]{1,9})(?P=mark)")
_MAY_BE_NUMBERED = re.compile(r"\s*L?[0-9]{1,9}(?![^\W\d])|.+?[:-][0-9]{1,9}[:-]")
# The first lines that are looked at, and the splits of a line of grep's.
_LOOKED_AT = 6


@dataclass(frozen=True)
class NumberedLines:
    """Lines of a file by their numbers, which ascend; its name, if it has one."""

    file: str | None
    numbers: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


class View(NamedTuple):
    """The lines that a view shows, and the number of its other characters, without lines that only name a file."""

    pieces: list[NumberedLines]
    around: int


def list_views(text: str, is_known: Callable[[str], bool]) -> Iterator[View]:
    """Yield possible readings of a text as a view, the likeliest first; *is_known* tells names of files.

    Example:
        >>> view, = list_views("File: m.py\\n2:x = a[1:2]\\n3:y", lambda name: True)
        >>> view.pieces
        [NumberedLines(file='m.py', numbers=[2, 3], lines=['x = a[1:2]', 'y'])]
    """
    lines = [line.removesuffix("\r") for line in text.strip("\r\n").split("\n")]
    first = list(islice((line for line in lines if line.strip()), _LOOKED_AT))
    readings: list[_Reading | None] = []
    if first and first[0].startswith('{"type"'):
        readings.append(_read_json(lines))
    if any(map(_MAY_BE_NUMBERED.match, first)):
        line_readers = [*map(_read_by, _FORMS), _read_found(lines, is_known)]
        readings += [_read_lines(lines, read_line, is_known) for read_line in line_readers]
    for reading in readings:
        if reading is not None and (view := reading.make_view()) is not None:
            yield view


def strip_view(text: str) -> tuple[str | None, str] | None:
    """Strip a tool's lines before and after those of a file; None if there are none.

    Returns the file that it names, if any, and the rest.
    """
    lines = text.splitlines(keepends=True)
    named = None
    first = 0
    last = len(lines)
    while first < last and (header := _read_header(lines[first])) is not None:
        named = header or named
        first += 1
    if first == 0:
        return None
    for i in range(last - 1, first, -1):
        if _read_header(lines[i]) == "":
            last = i
        elif lines[i].strip():
            break
    return (named, "".join(lines[first:last])) if first < last else None


class _Found(NamedTuple):
    number: int
    text: str
    file: str | None = None


class _Reading:
    """The lines read so far of a view, and all its characters."""

    def __init__(self) -> None:
        self.pieces: list[NumberedLines] = []
        self.shown: list[str] = []
        self.file: str | None = None
        self.is_open = False

    def begin(self, file: str | None) -> None:
        self.file = file
        self.is_open = False

    def add(self, found: _Found, shown: str) -> None:
        if found.file is not None and found.file != self.file:
            self.begin(found.file)
        if not self.is_open:
            self.pieces.append(NumberedLines(self.file))
            self.is_open = True
        self.pieces[-1].numbers.append(found.number)
        self.pieces[-1].lines.append(found.text)
        self.shown.append(shown)

    def make_view(self) -> View | None:
        if not self.pieces or any(a >= b for piece in self.pieces for a, b in pairwise(piece.numbers)):
            return None
        own = sum(len(line.strip()) for piece in self.pieces for line in piece.lines)
        return View(self.pieces, len("\n".join(self.shown).strip()) - own)


def _read_lines(
    lines: list[str], read_line: Callable[[str], _Found | None], is_known: Callable[[str], bool]
) -> _Reading | None:
    """Read lines that have numbers, but for those around them and headings, which name a file."""
    reading = _Reading()
    for line in lines:
        found = read_line(line)
        if found is not None:
            reading.add(found, line)
        elif line.strip() in ("", _BREAK):
            reading.shown.append(line)
        else:
            header = _read_header(line)
            if header is None and not (re.fullmatch(r"[^\s:]*[./][^\s:]*", line) or is_known(line)):
                return None
            reading.begin(line if header is None else header or reading.file)
    return reading


def _read_by(form: re.Pattern[str]) -> Callable[[str], _Found | None]:
    def read_line(line: str) -> _Found | None:
        match = form.fullmatch(line)
        return match and _Found(int(match["number"]), match["text"] or "")

    return read_line


def _read_found(lines: list[str], is_known: Callable[[str], bool]) -> Callable[[str], _Found | None]:
    """Return a reader of lines that begin with their file's name, of several a known one, else the most frequent."""

    def split_line(line: str) -> list[_Found]:
        splits = islice(_FOUND.finditer(line, 1), _LOOKED_AT)
        return [_Found(int(match["number"]), line[match.end() :], line[: match.start()]) for match in splits]

    counts = Counter(found.file or "" for line in lines for found in split_line(line))
    ranks = {file: (is_known(file), count, bool(re.search(r"\.\w{1,9}$", file))) for file, count in counts.items()}

    def read_line(line: str) -> _Found | None:
        return max(split_line(line), key=lambda found: ranks[found.file or ""], default=None)

    return read_line


def _read_header(line: str) -> str | None:
    """Return the file that a line before a view names; "" if a line before or after it names none; None for others."""
    line = line.strip()
    header = _HEADER.fullmatch(line)
    if header is None:
        return "" if _BESIDE.fullmatch(line) else None
    if header.lastgroup != "fence":
        return header[header.lastgroup or 0]
    fence = _FENCE.fullmatch(header["fence"])
    return "" if fence is None else fence["path"]


def _read_json(lines: list[str]) -> _Reading | None:
    """Read the lines of ripgrep's --json: matches, and the lines around them."""
    reading = _Reading()
    for line in filter(str.strip, lines):
        try:
            record = json.loads(line)
            data = record["data"]
            if record["type"] not in ("match", "context"):
                continue
            file = _read_text(data["path"])
            for i, text in enumerate(_read_text(data["lines"]).removesuffix("\n").split("\n")):
                reading.add(_Found(data["line_number"] + i, text, file), text)
        except (ValueError, KeyError, TypeError):
            return None
    return reading


def _read_text(value: dict[str, str]) -> str:
    return value["text"] if "text" in value else base64.b64decode(value["bytes"]).decode("utf-8", "replace")
