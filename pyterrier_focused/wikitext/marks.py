"""The marks in expanded wikitext; they are characters that XML cannot hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

# A block ends, within a line; a line ends, within a block.
BREAK = "\x02"
LINE = "\x03"
# Text that is not markup whatever it looks like, by its number, which END ends, as it does after LINK.
LITERAL = "\x04"
END = "\x05"
# `|` and `=` that do not divide the arguments of a template.
PIPE = "\x06"
EQUALS = "\x07"
# An item of a list of HTML begins: the space before it does not end the list.
ITEM = "\x08"
# These are around the anchor of a link, the first with the link's number.
LINK = "\x0e"
UNLINK = "\x0f"
# A thing without words was here: any thing, or an image, which ends a paragraph.
GONE = "\x10"
FLOAT = "\x12"

# Kinds of literals: those that are blocks, and those whose words are expanded text, with marks.
BLOCKS = frozenset(("pre", "infobox", "figure"))
EXPANDED = frozenset(("infobox", "figure"))
MARKS = re.compile("[\x01-\x08\x0e-\x1f]")
LITERALS = re.compile(f"{LITERAL}(\\d+){END}")
NUMBERED = re.compile(f"[{LITERAL}{LINK}]\\d+{END}|{UNLINK}")
OF_PLACE = re.compile(f"{LINK}\\d+{END}|[{UNLINK}{GONE}{FLOAT}]")


class Literal(NamedTuple):
    """Text that is not markup. *kind* is 'text' or 'math' within a line, one of BLOCKS for a block of its own.

    An infobox has *rows* (label, expanded value) instead of *text*; that of a figure is its caption, expanded.
    """

    kind: str
    text: str
    rows: Sequence[tuple[str, str]] = ()


def remove_all_marks(words: str) -> str:
    """Return expanded text without marks and without literals."""
    return MARKS.sub("", NUMBERED.sub("", words))


def without_marks(words: str) -> str:
    """Return expanded text without the marks of links and of things without words."""
    return OF_PLACE.sub("", words) if MARKS.search(words) else words
