"""The marks that are in expanded wikitext for what is not text; XML cannot hold these characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

END = "\x05"  # of a number after LINK, LITERAL or DROPPED
BREAK = "\x02"  # a block ends, within a line
LINE = "\x03"  # a line ends, within a block
LITERAL = "\x04"  # text that is not markup whatever it looks like, by its number
ITEM = "\x08"  # an item of a list of HTML begins: the space before it does not end the list
PIPE = "\x06"
EQUALS = "\x07"  # `|` and `=` that do not divide the arguments of a template
LINK = "\x0e"
UNLINK = "\x0f"  # around the anchor of a link; the first with the link's number
GONE = "\x10"  # here was something that leaves no words
FLOAT = "\x12"  # here was an image beside the text, at which a paragraph ends
DROPPED = "\x11"  # here was a template that leaves no words, by its number

BLOCKS = frozenset(("pre", "infobox", "figure"))  # kinds of literals that are blocks
EXPANDED = frozenset(("infobox", "figure"))  # kinds whose words are expanded text, with marks
MARKS = re.compile("[\x01-\x08\x0e-\x1f]")
LITERALS = re.compile(f"{LITERAL}(\\d+){END}")
NUMBERED = re.compile(f"[{LITERAL}{LINK}{DROPPED}]\\d+{END}|{UNLINK}")
OF_PLACE = re.compile(f"[{LINK}{DROPPED}]\\d+{END}|[{UNLINK}{GONE}{FLOAT}]")


class Literal(NamedTuple):
    """Text that is not markup. *kind* is 'text' or 'math' within a line, one of BLOCKS for a block of its own.

    An infobox has *rows* (label, expanded value) instead of *text*; that of a figure is its caption, expanded.
    """

    kind: str
    text: str
    rows: Sequence[tuple[str, str]] = ()


def remove_all_marks(words: str) -> str:
    """Return expanded text without any marks, and without what literals stand for."""
    return MARKS.sub("", NUMBERED.sub("", words))


def without_marks(words: str) -> str:
    """Return expanded text without the marks of links and of what is gone."""
    return OF_PLACE.sub("", words) if MARKS.search(words) else words
