"""The markup of expanded wikitext within a line: quotes for bold and italics, addresses, entities, switches."""

from __future__ import annotations

import re

from ..wikitext.marks import GONE
from ..wikitext.tags import unescape

_QUOTES = re.compile("('{2,})")
_ADDRESS = re.compile(
    r"\[(?:(?:https?|ftps?|sftp|ircs?|git|svn|gopher|nntp|redis|ssh|telnet|worldwind)://(?!\s)|//(?!\s)"
    r"|(?:mailto|news|tel|sms|sip|sips|xmpp|bitcoin|magnet|geo|urn|mms|matrix):)"
    r"(?:\[[0-9a-f:.]+\])?(?=((?:[^\s\[\]<>\"']+|'(?!'))*))\1[ \t]*([^\]\n]*)\]",
    re.IGNORECASE,
)
_SWITCH = re.compile(r"__([^\W\d_]+(?:[_\u200c][^\W\d_]+)*)__")
_SWITCHES = frozenset(("notoc", "toc", "forcetoc", "noeditsection", "nogallery"))  # that may be in small letters
_OPEN_ENDED = re.compile(r"\{\{[^\n|{}]*\|.*|\{\{+|\}\}+|\[\[|\]\]")


def read_line(line: str) -> str:
    """Take the marks of bold and italics, and those around addresses, off a line."""
    if "[" in line:
        line, bracket, rest = line.rpartition("]")  # without one at the end no address is looked for
        line = _ADDRESS.sub(lambda link: link[2] or GONE, line + bracket) + rest
    if "''" in line:
        line = _unquote(line)
    if "[[" in line or "]]" in line or "{{" in line or "}}" in line:
        line = _OPEN_ENDED.sub("", line)
    return line


def decode(words: str) -> str:
    """Take the switches off words (`__NOTOC__`, in any language), and replace their entities."""
    if "__" in words:
        words = _SWITCH.sub(_not_a_switch, words)
    return unescape(words)


def _not_a_switch(name: re.Match[str]) -> str:
    return "" if name[1] == name[1].upper() or name[1].lower() in _SWITCHES else name[0]


def _unquote(line: str) -> str:
    """Take the quotes that mean bold and italics off a line, as MediaWiki does: L'''Orfeo'' keeps an apostrophe."""
    parts = _QUOTES.split(line)
    bold = italics = 0
    for at in range(1, len(parts), 2):
        run = len(parts[at])
        if run == 4 or run > 5:  # the first ones are apostrophes
            parts[at - 1] += "'" * (run - (3 if run == 4 else 5))
        bold += run != 2
        italics += run not in (3, 4)
    if bold % 2 and italics % 2:  # one of the bolds is an apostrophe and italics
        before = {at: parts[at - 1] for at in range(1, len(parts), 2) if len(parts[at]) in (3, 4)}
        if before:
            parts[min(before, key=lambda at: _rank_as_apostrophe(before[at])) - 1] += "'"
    return "".join(parts[::2])


def _rank_as_apostrophe(before: str) -> int:
    """How likely three quotes behind *before* begin with an apostrophe: 0 behind a word of one letter, 2 of none."""
    if before.endswith(" "):
        return 2
    return 0 if before[-2:-1] == " " else 1
